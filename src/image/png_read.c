// PNG: every colour type, depth and interlacing. Colour profiles and gamma are ignored, as glTF requires.
#include <string.h>

#include "base/checksum.h"
#include "base/inflate.h"
#include "image/image.h"
#include "image/png.h"

enum { MOST_RATIO = 1032 };

typedef struct png {
    sni_decode *decode;
    uint32_t width, height;
    uint8_t depth, color, channels;
    bool is_interlaced, has_key;
    uint8_t look_up[256][4];  // of grey up to 8 bits, and of indices
    uint16_t key[3];          // this colour is transparent
    sni_list packed;          // sni_bytes of each IDAT
    uint64_t packed_size;
} png;

typedef struct pass {
    uint32_t x, y, dx, dy, width, height;
} pass;  // one of seven, or the whole picture

// Chunks

static bool read_header(png *p, sni_reader *body)
{
    static const uint8_t channels[7] = { 1, 0, 3, 1, 2, 0, 4 };
    const uint8_t *at = sni_take(body, 13);
    if (!at) return false;
    p->width = sni_load_big_u32(at), p->height = sni_load_big_u32(at + 4);
    p->depth = at[8], p->color = at[9], p->is_interlaced = at[12] == 1;
    p->channels = p->color < 7 ? channels[p->color] : 0;
    bool is_low = p->depth == 1 || p->depth == 2 || p->depth == 4;
    bool has_depth = p->depth == 8 || (is_low && p->channels == 1) || (p->depth == 16 && p->color != PNG_INDEXED);
    if (!p->channels || !has_depth || at[10] || at[11] || at[12] > 1)
        return sni_fail(body->diag, SN_ERR_CORRUPT, body->origin, "colour type %u with %u bits, methods %u, %u, %u",
                        at[9], at[8], at[10], at[11], at[12]);
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t highest = (1u << (p->depth < 8 ? p->depth : 8)) - 1;
        uint8_t grey = (uint8_t)(p->color == PNG_GREY ? (i < highest ? i : highest) * 255 / highest : 0u);
        const uint8_t entry[4] = { grey, grey, grey, 255 };
        memcpy(p->look_up[i], entry, 4);
    }
    return sni_decode_fits(p->decode, p->width, p->height);
}

static void read_palette(png *p, sni_reader *body)
{
    uint32_t count = sni_rest_count(body, 3);
    for (uint32_t i = 0; p->color == PNG_INDEXED && i < count && i < 256; i++)
        memcpy(p->look_up[i], sni_take(body, 3), 3);
}

static void read_transparency(png *p, sni_reader *body)
{
    size_t size = sni_rest(body);
    const uint8_t *at = sni_take(body, size);
    if (p->color == PNG_INDEXED) {
        for (size_t i = 0; i < size && i < 256; i++) p->look_up[i][3] = at[i];
        return;
    }
    p->has_key = p->channels % 2 && size >= 2u * p->channels;
    for (uint32_t i = 0; p->has_key && i < p->channels; i++) p->key[i] = sni_load_big_u16(at + (size_t)i * 2);
    if (p->has_key && p->color == PNG_GREY && p->depth <= 8) p->look_up[p->key[0] & ((1u << p->depth) - 1)][3] = 0;
}

static bool read_chunk(png *p, const char *type, sni_reader body)
{
    if ((memcmp(type, "IHDR", 4) == 0) != (p->channels == 0))
        return sni_fail(body.diag, SN_ERR_CORRUPT, body.origin, "the header is not the first chunk, or comes twice");
    if (p->channels == 0) return read_header(p, &body);
    if (memcmp(type, "PLTE", 4) == 0) read_palette(p, &body);
    if (memcmp(type, "tRNS", 4) == 0) read_transparency(p, &body);
    if (memcmp(type, "IDAT", 4) != 0) return true;
    sni_bytes *part = sni_push(body.arena, &p->packed, sni_bytes);
    if (!part) return false;
    *part = (sni_bytes){ body.at, sni_rest(&body) };
    p->packed_size += part->size;
    return true;
}

// Up to the end's own chunk, or the end of the bytes where that is missing.
static bool read_chunks(png *p, sni_reader *in)
{
    bool is_end = false;
    for (sni_skip(in, 8); sni_ok(in) && !is_end && (sni_rest(in) >= 12 || p->packed_size == 0);) {
        uint64_t offset = sni_offset(in);
        const uint8_t *head = sni_take(in, 8);
        if (!head) return false;
        sni_reader body = sni_read_window(in, sni_load_big_u32(head));
        const uint8_t *sum = sni_take(in, 4);
        if (!sum) return false;
        bool is_packed = memcmp(head + 4, "IDAT", 4) == 0;  // zlib's own checksum is faster to verify
        if (!is_packed && sni_load_big_u32(sum) != sni_crc32(head + 4, (size_t)(sum - head) - 4))
            sni_warn(in->diag, SNI_WARN_IMAGE_CHECKSUM, offset, "a chunk of the PNG");
        if (!read_chunk(p, (const char *)head + 4, body)) return false;
        is_end = memcmp(head + 4, "IEND", 4) == 0;
    }
    return sni_ok(in);
}

// Unpacking

static size_t row_bytes(const png *p, uint32_t width)
{
    return (size_t)(((uint64_t)width * p->channels * p->depth + 7) / 8);
}

// Adam7: each pass has its own grid; an empty one has no rows at all.
static bool find_pass(const png *p, uint32_t index, pass *out)
{
    static const uint8_t grid[7][4] = { { 0, 0, 8, 8 }, { 4, 0, 8, 8 }, { 0, 4, 4, 8 }, { 2, 0, 4, 4 },
                                        { 0, 2, 2, 4 }, { 1, 0, 2, 2 }, { 0, 1, 1, 2 } };
    *out = (pass){ 0, 0, 1, 1, p->width, p->height };
    if (!p->is_interlaced) return index == 0;
    if (index == 7) return false;
    *out = (pass){ grid[index][0], grid[index][1], grid[index][2], grid[index][3], 0, 0 };
    if (out->x < p->width) out->width = (p->width - out->x - 1) / out->dx + 1;
    if (out->y < p->height) out->height = (p->height - out->y - 1) / out->dy + 1;
    if (out->width == 0 || out->height == 0) out->width = out->height = 0;
    return true;
}

static uint64_t unpacked_size(const png *p)
{
    uint64_t size = 0;
    pass now;
    for (uint32_t i = 0; find_pass(p, i, &now); i++) size += (uint64_t)now.height * (row_bytes(p, now.width) + 1);
    return size;
}

static bool join_packed(png *p, sni_bytes *out)
{
    const sni_bytes *parts = p->packed.items;
    if (p->packed.count == 1) return *out = parts[0], true;
    uint8_t *joined = sni_new_raw(p->decode->in.arena, uint8_t, p->packed_size);
    if (!joined) return false;
    *out = (sni_bytes){ joined, (size_t)p->packed_size };
    for (uint32_t i = 0; i < p->packed.count; i++) {
        memcpy(joined, parts[i].data, parts[i].size);
        joined += parts[i].size;
    }
    return true;
}

// A size must be possible for the compressed bytes: deflate expands at most 1032 times.
static uint8_t *unpack(png *p)
{
    sni_diag *diag = p->decode->diag;
    uint64_t wanted = unpacked_size(p);
    sni_bytes zlib;
    if (p->packed_size < 6 || wanted / MOST_RATIO > p->packed_size) {
        sni_fail(diag, SN_ERR_TRUNCATED, 0, "%u x %u pixels in %llu bytes", p->width, p->height,
                 (unsigned long long)p->packed_size);
        return NULL;
    }
    if (!sni_decode_begin(p->decode, p->width, p->height)) return NULL;
    uint8_t *raw = sni_new_raw(p->decode->in.arena, uint8_t, wanted);
    if (!raw || !join_packed(p, &zlib)) return NULL;
    if ((zlib.data[0] & 15) != 8 || (zlib.data[1] & 32)) {
        sni_fail(diag, SN_ERR_CORRUPT, 0, "the pixels are not packed as PNG has it");
        return NULL;
    }
    sni_inflated done = sni_inflate((sni_bytes){ zlib.data + 2, zlib.size - 2 }, raw, (size_t)wanted);
    if (done.end == SNI_INFLATE_CORRUPT || done.written < wanted) {
        sni_fail(diag, done.end == SNI_INFLATE_CORRUPT ? SN_ERR_CORRUPT : SN_ERR_TRUNCATED, 0,
                 "%zu bytes of pixels unpacked, %llu expected", done.written, (unsigned long long)wanted);
        return NULL;
    }
    const uint8_t *sum = zlib.data + 2 + done.read;
    if (done.end == SNI_INFLATE_DONE && zlib.size - 2 - done.read >= 4 &&
        sni_load_big_u32(sum) != sni_adler32(raw, done.written))
        sni_warn(diag, SNI_WARN_IMAGE_CHECKSUM, 0, "the unpacked pixels of the PNG");
    return raw;
}

// Filters: each byte is a difference from a prediction

// `step` is how far back the same sample of the last pixel lies; before the first pixel all is 0.
static inline void unfilter_by(uint8_t filter, uint8_t *row, const uint8_t *up, size_t size, size_t step)
{
    size_t head = step < size ? step : size;
    switch (filter) {
    case 1:
        for (size_t i = step; i < size; i++) row[i] = (uint8_t)(row[i] + row[i - step]);
        break;
    case 2:
        for (size_t i = 0; i < size; i++) row[i] = (uint8_t)(row[i] + up[i]);
        break;
    case 3:
        for (size_t i = 0; i < head; i++) row[i] = (uint8_t)(row[i] + up[i] / 2);
        for (size_t i = step; i < size; i++) row[i] = (uint8_t)(row[i] + (row[i - step] + up[i]) / 2);
        break;
    case 4:
        for (size_t i = 0; i < head; i++) row[i] = (uint8_t)(row[i] + up[i]);
        for (size_t i = step; i < size; i++) row[i] = (uint8_t)(row[i] + png_paeth(row[i - step], up[i], up[i - step]));
        break;
    }
}

// The usual steps as constants: the compiler then keeps the last pixel in registers.
static void unfilter(uint8_t filter, uint8_t *row, const uint8_t *up, size_t size, size_t step)
{
    if (step == 4) unfilter_by(filter, row, up, size, 4);
    else if (step == 3) unfilter_by(filter, row, up, size, 3);
    else unfilter_by(filter, row, up, size, step);
}

// Rows of samples to pixels `step` bytes apart

static void expand_look_up(const png *p, const uint8_t *row, uint32_t width, uint8_t *out, size_t step)
{
    uint32_t mask = (1u << p->depth) - 1, per_byte = 8u / p->depth;
    for (uint32_t i = 0; i < width; i++, out += step) {
        uint32_t shift = 8 - p->depth * (i % per_byte + 1);
        memcpy(out, p->look_up[(uint32_t)row[i / per_byte] >> shift & mask], 4);
    }
}

static void expand_samples(const png *p, const uint8_t *row, uint32_t width, uint8_t *out, size_t step)
{
    bool is_wide = p->depth == 16;
    uint32_t channels = p->channels;
    for (uint32_t i = 0; i < width; i++, out += step) {
        uint16_t sample[4] = { 0 };
        for (uint32_t c = 0; c < channels; c++, row += is_wide ? 2 : 1)
            sample[c] = is_wide ? sni_load_big_u16(row) : *row;
        bool is_key = p->has_key && memcmp(sample, p->key, channels * sizeof *sample) == 0;
        for (uint32_t c = 0; is_wide && c < channels; c++)
            sample[c] = (uint16_t)((sample[c] * 255u + 32895u) >> 16);  // rounds
        bool is_grey = channels < 3, has_alpha = channels % 2 == 0;
        for (uint32_t c = 0; c < 3; c++) out[c] = (uint8_t)sample[is_grey ? 0 : c];
        out[3] = is_key ? 0 : has_alpha ? (uint8_t)sample[channels - 1] : 255;
    }
}

static void expand(const png *p, const uint8_t *row, uint32_t width, uint8_t *out, size_t step)
{
    if (p->channels == 1 && p->depth <= 8) expand_look_up(p, row, width, out, step);
    else if (p->color == PNG_RGBA && p->depth == 8 && step == 4) memcpy(out, row, (size_t)width * 4);
    else expand_samples(p, row, width, out, step);
}

static bool expand_pass(const png *p, const pass *now, uint8_t **raw, const uint8_t *zeros)
{
    size_t size = row_bytes(p, now->width), step = p->depth < 8 ? 1 : (size_t)p->channels * p->depth / 8;
    const uint8_t *up = zeros;
    for (uint32_t y = 0; y < now->height; y++, *raw += size) {
        uint8_t filter = *(*raw)++;
        if (filter > 4) return sni_fail(p->decode->diag, SN_ERR_CORRUPT, 0, "row %u has filter %u", y, filter);
        unfilter(filter, *raw, up, size, step);
        up = *raw;
        size_t at = (size_t)(now->y + y * now->dy) * p->width + now->x;
        expand(p, *raw, now->width, p->decode->pixels->rgba + at * 4, (size_t)now->dx * 4);
    }
    return true;
}

bool sni_png_decode(sni_decode *decode)
{
    png p = { .decode = decode };
    if (!read_chunks(&p, &decode->in)) return false;
    uint8_t *raw = unpack(&p);
    const uint8_t *zeros = raw ? sni_new(decode->in.arena, uint8_t, row_bytes(&p, p.width)) : NULL;
    if (!zeros) return false;
    pass now;
    for (uint32_t i = 0; find_pass(&p, i, &now); i++) {
        if (!expand_pass(&p, &now, &raw, zeros)) return false;
    }
    return true;
}
