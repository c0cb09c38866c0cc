#include "image/png.h"

#include <math.h>
#include <string.h>

#include "base/checksum.h"
#include "base/deflate.h"
#include "image/frames.h"

enum { SLOTS = 1024 };

// The first 256 different colours, found again by their hash. `count` is 257 when there are more.
typedef struct palette {
    uint32_t count;
    uint32_t colors[256];
    uint16_t slots[SLOTS];  // 1 + the colour's number
} palette;

typedef struct encoding {
    uint8_t color, depth, channels;
    palette *palette;
} encoding;

static uint32_t load_color(const uint8_t *rgba)
{
    return (uint32_t)rgba[0] | (uint32_t)rgba[1] << 8 | (uint32_t)rgba[2] << 16 | (uint32_t)rgba[3] << 24;
}

// The slot of the colour, or the empty one where it belongs: there are always empty ones.
static uint32_t find_slot(const palette *p, uint32_t color)
{
    uint32_t slot = color * 0x9E3779B1u >> 22;
    while (p->slots[slot] && p->colors[p->slots[slot] - 1] != color) slot = (slot + 1) % SLOTS;
    return slot;
}

static void add_color(palette *p, uint32_t color)
{
    uint32_t slot = p->count <= 256 ? find_slot(p, color) : 0;
    if (p->count > 256 || p->slots[slot]) return;
    if (p->count < 256) {
        p->colors[p->count] = color;
        p->slots[slot] = (uint16_t)(p->count + 1);
    }
    p->count++;
}

typedef struct shades {
    bool is_grey, is_opaque;
} shades;

static void look_at(const sn_pixels *pixels, palette *p, shades *seen)
{
    uint32_t last = ~load_color(pixels->rgba);
    const uint8_t *end = pixels->rgba + (size_t)pixels->width * pixels->height * 4;
    for (const uint8_t *at = pixels->rgba; at < end; at += 4) {
        uint32_t color = load_color(at);
        if (color == last) continue;
        last = color;
        seen->is_grey = seen->is_grey && at[0] == at[1] && at[1] == at[2];
        seen->is_opaque = seen->is_opaque && at[3] == 255;
        add_color(p, color);
    }
}

static encoding choose_encoding(const sn_pixels *frames, uint32_t count, palette *p)
{
    shades seen = { true, true };
    for (uint32_t i = 0; i < count; i++) look_at(&frames[i], p, &seen);
    if (seen.is_grey && seen.is_opaque && p->count > 16) return (encoding){ PNG_GREY, 8, 1, p };
    if (p->count <= 256)
        return (encoding){ PNG_INDEXED, p->count <= 2 ? 1 : p->count <= 4 ? 2 : p->count <= 16 ? 4 : 8, 1, p };
    if (seen.is_grey) return (encoding){ PNG_GREY_ALPHA, 8, 2, p };
    return seen.is_opaque ? (encoding){ PNG_RGB, 8, 3, p } : (encoding){ PNG_RGBA, 8, 4, p };
}

// Rows

static void pack_indices(const encoding *how, const uint8_t *rgba, uint32_t width, uint8_t *row)
{
    uint32_t per_byte = 8u / how->depth;
    for (uint32_t i = 0; i < width; i++) {
        uint32_t index = how->palette->slots[find_slot(how->palette, load_color(rgba + (size_t)i * 4))] - 1u;
        uint32_t shift = 8 - how->depth * (i % per_byte + 1);
        if (i % per_byte == 0) row[i / per_byte] = 0;
        row[i / per_byte] |= (uint8_t)(index << shift);
    }
}

static void pack_row(const encoding *how, const uint8_t *rgba, uint32_t width, uint8_t *row)
{
    if (how->color == PNG_INDEXED) {
        pack_indices(how, rgba, width, row);
        return;
    }
    for (const uint8_t *end = rgba + (size_t)width * 4; rgba < end; rgba += 4) {
        *row++ = rgba[0];
        if (how->channels > 2) *row++ = rgba[1], *row++ = rgba[2];
        if (how->channels % 2 == 0) *row++ = rgba[3];
    }
}

// The row as differences from its neighbours; `row` and `up` have a pixel of zeros before them.
static void filter_row(uint8_t filter, const uint8_t *row, const uint8_t *up, size_t size, size_t step, uint8_t *out)
{
    const uint8_t *left = row - step, *corner = up - step;
    switch (filter) {
    case 0: memcpy(out, row, size); break;
    case 1:
        for (size_t i = 0; i < size; i++) out[i] = (uint8_t)(row[i] - left[i]);
        break;
    case 2:
        for (size_t i = 0; i < size; i++) out[i] = (uint8_t)(row[i] - up[i]);
        break;
    case 3:
        for (size_t i = 0; i < size; i++) out[i] = (uint8_t)(row[i] - (left[i] + up[i]) / 2);
        break;
    default:
        for (size_t i = 0; i < size; i++) out[i] = (uint8_t)(row[i] - png_paeth(left[i], up[i], corner[i]));
        break;
    }
}

static uint64_t weight_of(const uint8_t *row, size_t size)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < size; i++) sum += row[i] < 128 ? row[i] : 256u - row[i];
    return sum;
}

// The filter with the smallest sum of differences; palette indices are not filtered.
static void filter_best(const encoding *how, const uint8_t *row, const uint8_t *up, size_t size, uint8_t *trial,
                        uint8_t *out)
{
    out[0] = 0;
    filter_row(0, row, up, size, how->channels, out + 1);
    uint64_t best = weight_of(out + 1, size);
    for (uint8_t filter = 1; how->color != PNG_INDEXED && filter <= 4; filter++) {
        filter_row(filter, row, up, size, how->channels, trial);
        uint64_t weight = weight_of(trial, size);
        if (weight >= best) continue;
        best = weight;
        out[0] = filter;
        memcpy(out + 1, trial, size);
    }
}

static bool filter_rows(sni_arena *scratch, const encoding *how, const sn_pixels *pixels, sni_box of, size_t row_size,
                        uint8_t *out)
{
    enum { BEFORE = 4 };
    uint8_t *rows = sni_new(scratch, uint8_t, 2 * ((uint64_t)row_size + BEFORE)),
            *trial = sni_new_raw(scratch, uint8_t, row_size);
    if (!rows || !trial) return false;
    uint8_t *row = rows + BEFORE, *up = row + row_size + BEFORE;
    for (uint32_t y = 0; y < of.height; y++, out += row_size + 1) {
        pack_row(how, pixels->rgba + ((size_t)(of.y + y) * pixels->width + of.x) * 4, of.width, row);
        filter_best(how, row, up, row_size, trial, out);
        uint8_t *swapped = row;
        row = up, up = swapped;
    }
    return true;
}

// Chunks

static void store_big(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (24 - 8 * i));
}

static void write_big(sni_writer *out, uint32_t value)
{
    uint8_t bytes[4];
    store_big(bytes, value);
    sni_write_bytes(out, bytes, sizeof bytes);
}

static size_t begin_chunk(sni_writer *out, const char *type)
{
    write_big(out, 0);
    sni_write_text(out, type);
    return out->size;
}

static void end_chunk(sni_writer *out, size_t start)
{
    if (out->failed) return;
    store_big(out->data + start - 8, (uint32_t)(out->size - start));
    write_big(out, sni_crc32(out->data + start - 4, out->size - start + 4));
}

static void write_header(sni_writer *out, const encoding *how, const sn_pixels *pixels)
{
    const uint8_t kind[5] = { how->depth, how->color, 0, 0, 0 };
    sni_write_bytes(out, "\x89PNG\r\n\x1A\n", 8);
    size_t start = begin_chunk(out, "IHDR");
    write_big(out, pixels->width);
    write_big(out, pixels->height);
    sni_write_bytes(out, kind, sizeof kind);
    end_chunk(out, start);
}

static void write_palette(sni_writer *out, const palette *p)
{
    uint32_t alpha_count = 0;
    size_t start = begin_chunk(out, "PLTE");
    for (uint32_t i = 0; i < p->count; i++) {
        for (int shift = 0; shift < 24; shift += 8) sni_write_u8(out, (uint8_t)(p->colors[i] >> shift));
        if (p->colors[i] >> 24 != 255) alpha_count = i + 1;
    }
    end_chunk(out, start);
    if (alpha_count == 0) return;
    start = begin_chunk(out, "tRNS");
    for (uint32_t i = 0; i < alpha_count; i++) sni_write_u8(out, (uint8_t)(p->colors[i] >> 24));
    end_chunk(out, start);
}

// A zlib stream of the box.
static bool write_pixels(sni_writer *out, sni_arena *scratch, sni_diag *diag, const encoding *how,
                         const sn_pixels *pixels, sni_box of)
{
    uint64_t row_size = ((uint64_t)of.width * how->channels * how->depth + 7) / 8;
    if (row_size + 1 > SNI_DEFLATE_MOST_BYTES / of.height)
        return sni_fail(diag, SN_ERR_LIMIT, 0, "%u x %u pixels are too many for a PNG", of.width, of.height);
    size_t size = (size_t)(row_size + 1) * of.height;
    uint8_t *rows = sni_new_raw(scratch, uint8_t, size);
    if (!rows || !filter_rows(scratch, how, pixels, of, (size_t)row_size, rows)) return false;
    sni_write_bytes(out, "\x78\x9C", 2);
    bool is_packed = sni_deflate(out, scratch, rows, size);
    write_big(out, sni_adler32(rows, size));
    return is_packed && !out->failed;
}

static sni_box whole(const sn_pixels *pixels) { return (sni_box){ 0, 0, pixels->width, pixels->height }; }

static bool begin_png(sni_writer *out, sni_arena *scratch, const sn_pixels *frames, uint32_t count, encoding *how)
{
    palette *colors = sni_new(scratch, palette, 1);
    if (!colors) return false;
    *how = choose_encoding(frames, count, colors);
    write_header(out, how, frames);
    return true;
}

static void write_colors(sni_writer *out, const encoding *how)
{
    if (how->color == PNG_INDEXED) write_palette(out, how->palette);
}

bool sni_png_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels)
{
    encoding how;
    if (!begin_png(out, scratch, pixels, 1, &how)) return false;
    write_colors(out, &how);
    size_t start = begin_chunk(out, "IDAT");
    bool is_written = write_pixels(out, scratch, diag, &how, pixels, whole(pixels));
    end_chunk(out, start);
    end_chunk(out, begin_chunk(out, "IEND"));
    return is_written && !out->failed;
}

// Frames

// The fraction nearest to a delay with a denominator that 16 bits hold: by continued fractions, so 1/30 stays 1/30.
static void split_delay(double seconds, uint16_t *numerator, uint16_t *denominator)
{
    const double most = 65535.0;
    double rest = seconds > 0.0 ? seconds : 0.0, n0 = 0.0, n1 = 1.0, d0 = 1.0, d1 = 0.0;
    if (rest > most) rest = most;
    for (int step = 0; step < 24; step++) {
        double digit = floor(rest), n = digit * n1 + n0, d = digit * d1 + d0;
        if (n > most || d > most) break;
        n0 = n1, n1 = n, d0 = d1, d1 = d;
        if (rest - digit < 1e-6 || fabs(n1 / d1 - seconds) < 1e-9) break;
        rest = 1.0 / (rest - digit);
    }
    *numerator = (uint16_t)n1;
    *denominator = (uint16_t)d1;
}

static void write_big16(sni_writer *out, uint16_t value)
{
    sni_write_u8(out, (uint8_t)(value >> 8));
    sni_write_u8(out, (uint8_t)value);
}

static void write_frame_control(sni_writer *out, uint32_t number, sni_box of, float delay)
{
    uint16_t numerator, denominator;
    size_t start = begin_chunk(out, "fcTL");
    split_delay(delay, &numerator, &denominator);
    write_big(out, number);
    write_big(out, of.width), write_big(out, of.height), write_big(out, of.x), write_big(out, of.y);
    write_big16(out, numerator), write_big16(out, denominator);
    write_big16(out, 0);  // the frame stays, the next overwrites its own box
    end_chunk(out, start);
}

static bool write_frame(sni_writer *out, sni_arena *scratch, sni_diag *diag, const encoding *how,
                        const sn_pixels *frame, sni_box of, uint32_t number)
{
    sni_arena rows;
    sni_arena_init(&rows, scratch->heap);
    size_t start = begin_chunk(out, number ? "fdAT" : "IDAT");
    if (number) write_big(out, number);
    bool is_written = write_pixels(out, &rows, diag, how, frame, of);
    end_chunk(out, start);
    sni_arena_free(&rows);
    return is_written;
}

bool sni_apng_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *frames, const float *delays,
                    uint32_t count)
{
    encoding how;
    uint32_t number = 0;
    if (!begin_png(out, scratch, frames, count, &how)) return false;
    size_t start = begin_chunk(out, "acTL");
    write_big(out, count), write_big(out, 0);  // plays for ever
    end_chunk(out, start);
    write_colors(out, &how);
    for (uint32_t i = 0; i < count; i++) {
        sni_box of = i ? sni_changed_box(&frames[i - 1], &frames[i]) : whole(frames);
        write_frame_control(out, number++, of, delays[i]);
        if (!write_frame(out, scratch, diag, &how, &frames[i], of, i ? number++ : 0)) return false;
    }
    end_chunk(out, begin_chunk(out, "IEND"));
    return !out->failed;
}
