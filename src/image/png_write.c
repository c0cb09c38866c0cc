#include "image/png.h"

#include <string.h>

#include "base/checksum.h"
#include "base/deflate.h"
#include "image/image.h"
#include "io/file.h"

enum { SLOTS = 1024 };

// The first 256 distinct colours in a hash table. `count` is 257 when there are more.
typedef struct sni_png_palette {
    uint32_t count;
    uint32_t colors[256];
    uint16_t slots[SLOTS];  // 1 + index into colors; 0: empty
} palette;

static uint32_t load_color(const uint8_t *rgba)
{
    return (uint32_t)rgba[0] | (uint32_t)rgba[1] << 8 | (uint32_t)rgba[2] << 16 | (uint32_t)rgba[3] << 24;
}

// The slot of the colour, or the empty slot where it belongs. The table is never full.
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

// The smallest kind of PNG that holds all frames exactly.
static sni_png_encoding choose_encoding(const sn_pixels *frames, uint32_t count, palette *p)
{
    bool is_grey = true, is_opaque = true;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t last = ~load_color(frames[i].rgba);
        const uint8_t *end = frames[i].rgba + (size_t)frames[i].width * frames[i].height * 4;
        for (const uint8_t *at = frames[i].rgba; at < end; at += 4) {
            uint32_t color = load_color(at);
            if (color == last) continue;
            last = color;
            is_grey = is_grey && at[0] == at[1] && at[1] == at[2];
            is_opaque = is_opaque && at[3] == 255;
            add_color(p, color);
        }
    }
    if (is_grey && is_opaque && p->count > 16) return (sni_png_encoding){ PNG_GREY, 8, 1, p };
    if (p->count <= 256)
        return (sni_png_encoding){ PNG_INDEXED, p->count <= 2 ? 1 : p->count <= 4 ? 2 : p->count <= 16 ? 4 : 8, 1, p };
    if (is_grey) return (sni_png_encoding){ PNG_GREY_ALPHA, 8, 2, p };
    return is_opaque ? (sni_png_encoding){ PNG_RGB, 8, 3, p } : (sni_png_encoding){ PNG_RGBA, 8, 4, p };
}

static void pack_indices(const sni_png_encoding *how, const uint8_t *rgba, uint32_t width, uint8_t *row)
{
    uint32_t per_byte = 8u / how->depth;
    for (uint32_t i = 0; i < width; i++) {
        uint32_t index = how->palette->slots[find_slot(how->palette, load_color(rgba + (size_t)i * 4))] - 1u;
        uint32_t shift = 8 - how->depth * (i % per_byte + 1);
        if (i % per_byte == 0) row[i / per_byte] = 0;
        row[i / per_byte] |= (uint8_t)(index << shift);
    }
}

static void pack_row(const sni_png_encoding *how, const uint8_t *rgba, uint32_t width, uint8_t *row)
{
    if (how->color == PNG_INDEXED) pack_indices(how, rgba, width, row);
    else if (how->color == PNG_RGBA) memcpy(row, rgba, (size_t)width * 4);
    else if (how->color == PNG_RGB)
        for (uint32_t i = 0; i < width; i++, row += 3, rgba += 4) row[0] = rgba[0], row[1] = rgba[1], row[2] = rgba[2];
    else
        for (const uint8_t *end = rgba + (size_t)width * 4; rgba < end; rgba += 4) {
            *row++ = rgba[0];
            if (how->color == PNG_GREY_ALPHA) *row++ = rgba[3];
        }
}

// Applies a PNG filter. `row` and `up` are preceded by one pixel of zeros.
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

// In pieces whose sums fit 32 bits: twice as many at once.
static uint64_t weight_of(const uint8_t *row, size_t size)
{
    enum { PIECE = 1 << 20 };
    uint64_t total = 0;
    while (size > 0) {
        size_t piece = size < PIECE ? size : PIECE;
        uint32_t sum = 0;
        for (size_t i = 0; i < piece; i++) sum += row[i] < 128 ? row[i] : 256u - row[i];
        total += sum;
        row += piece, size -= piece;
    }
    return total;
}

// Picks the filter with the smallest sum of absolute differences. Indices are never filtered.
static void filter_best(const sni_png_encoding *how, const uint8_t *row, const uint8_t *up, size_t size, uint8_t *trial,
                        uint8_t *out)
{
    out[0] = 0;
    filter_row(0, row, up, size, how->channels, out + 1);
    if (how->color == PNG_INDEXED) return;
    uint64_t best = weight_of(out + 1, size);
    for (uint8_t filter = 1; filter <= 4; filter++) {
        filter_row(filter, row, up, size, how->channels, trial);
        uint64_t weight = weight_of(trial, size);
        if (weight >= best) continue;
        best = weight;
        out[0] = filter;
        memcpy(out + 1, trial, size);
    }
}

static bool filter_rows(sni_arena *scratch, const sni_png_encoding *how, const sn_pixels *pixels, sni_pixel_box of,
                        size_t row_size, uint8_t *out)
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

static void store_big(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (24 - 8 * i));
}

void sni_png_write_u32(sni_writer *out, uint32_t value)
{
    uint8_t bytes[4];
    store_big(bytes, value);
    sni_write_bytes(out, bytes, sizeof bytes);
}

size_t sni_png_chunk_begin(sni_writer *out, const char *type)
{
    sni_png_write_u32(out, 0);
    sni_write_text(out, type);
    return out->size;
}

void sni_png_chunk_end(sni_writer *out, size_t start)
{
    if (out->failed) return;
    store_big(out->data + start - 8, (uint32_t)(out->size - start));
    sni_png_write_u32(out, sni_crc32(out->data + start - 4, out->size - start + 4));
}

bool sni_png_write_pixels(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sni_png_encoding *how,
                          const sn_pixels *pixels, sni_pixel_box of)
{
    uint64_t row_size = ((uint64_t)of.width * how->channels * how->depth + 7) / 8;
    if (row_size + 1 > SNI_DEFLATE_MOST_BYTES / of.height)
        return sni_fail(diag, SN_ERR_LIMIT, 0, "%u x %u pixels are too many for a PNG", of.width, of.height);
    size_t size = (size_t)(row_size + 1) * of.height;
    uint8_t *rows = sni_new_raw(scratch, uint8_t, size);
    if (!rows || !filter_rows(scratch, how, pixels, of, (size_t)row_size, rows)) return false;
    sni_write_bytes(out, "\x78\x9C", 2);
    bool is_packed = sni_deflate(out, scratch, rows, size);
    sni_png_write_u32(out, sni_adler32(rows, size));
    return is_packed && !out->failed;
}

bool sni_png_begin(sni_writer *out, sni_arena *scratch, const sn_pixels *frames, uint32_t count, sni_png_encoding *how)
{
    palette *colors = sni_new(scratch, palette, 1);
    if (!colors) return false;
    *how = choose_encoding(frames, count, colors);
    sni_write_bytes(out, "\x89PNG\r\n\x1A\n", 8);
    size_t start = sni_png_chunk_begin(out, "IHDR");
    sni_png_write_u32(out, frames->width);
    sni_png_write_u32(out, frames->height);
    sni_write_bytes(out, (const uint8_t[]){ how->depth, how->color, 0, 0, 0 }, 5);
    sni_png_chunk_end(out, start);
    return true;
}

void sni_png_write_palette(sni_writer *out, const sni_png_encoding *how)
{
    const palette *p = how->palette;
    uint32_t alpha_count = 0;
    if (how->color != PNG_INDEXED) return;
    size_t start = sni_png_chunk_begin(out, "PLTE");
    for (uint32_t i = 0; i < p->count; i++) {
        for (int shift = 0; shift < 24; shift += 8) sni_write_u8(out, (uint8_t)(p->colors[i] >> shift));
        if (p->colors[i] >> 24 != 255) alpha_count = i + 1;
    }
    sni_png_chunk_end(out, start);
    if (alpha_count == 0) return;
    start = sni_png_chunk_begin(out, "tRNS");
    for (uint32_t i = 0; i < alpha_count; i++) sni_write_u8(out, (uint8_t)(p->colors[i] >> 24));
    sni_png_chunk_end(out, start);
}

bool sni_png_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels)
{
    sni_png_encoding how;
    if (!sni_png_begin(out, scratch, pixels, 1, &how)) return false;
    sni_png_write_palette(out, &how);
    size_t start = sni_png_chunk_begin(out, "IDAT");
    bool is_written = sni_png_write_pixels(out, scratch, diag, &how, pixels,
                                           (sni_pixel_box){ 0, 0, pixels->width, pixels->height });
    sni_png_chunk_end(out, start);
    sni_png_chunk_end(out, sni_png_chunk_begin(out, "IEND"));
    return is_written && !out->failed;
}

sn_status sn_pixels_save(const sn_pixels *pixels, const char *path, sn_error *error)
{
    sni_diag diag;
    sni_heap heap;
    sni_arena scratch;
    sni_writer out;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, &pixels->allocator, UINT64_MAX);
    heap.diag = &diag;
    sni_arena_init(&scratch, &heap);
    sni_writer_init(&out, &heap);
    const bool is_encoded = sni_has_ending(path, "tga") ? sni_tga_write(&out, &diag, pixels)
                                                        : sni_png_write(&out, &scratch, &diag, pixels);
    if (is_encoded) sni_file_write(path, out.data, out.size, &diag);
    sni_writer_free(&out);
    sni_arena_free(&scratch);
    if (error) *error = diag.error;
    return diag.error.status;
}
