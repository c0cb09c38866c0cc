// TGA: colour-mapped, true colour and grey, uncompressed or run-length encoded, starting at any corner. sni_mime_type
// has checked the header.
#include <string.h>

#include "image/image.h"

enum {
    MAPPED = 1,
    TRUE_COLOR = 2,
    GREY = 3,
    PACKED = 8,
    FROM_RIGHT = 16,
    FROM_TOP = 32,
    FOOTER_BYTES = 26,
    PREMULTIPLIED = 4
};

typedef struct tga {
    sni_decode *decode;
    uint32_t kind, width, height, bits, alpha_bits, descriptor;
    uint32_t map_first, map_count, map_bits;
    uint8_t (*map)[4];
} tga;

static void read_color(const tga *t, const uint8_t *at, uint32_t bits, uint8_t *rgba)
{
    rgba[3] = 255;
    if (bits <= 16) {
        uint32_t value = sni_load_u16(at);
        rgba[0] = sni_widen_five(value >> 10), rgba[1] = sni_widen_five(value >> 5), rgba[2] = sni_widen_five(value);
        if (t->alpha_bits > 0) rgba[3] = value & 0x8000 ? 255 : 0;
        return;
    }
    rgba[0] = at[2], rgba[1] = at[1], rgba[2] = at[0];
    if (bits == 32) rgba[3] = at[3];
}

static void read_pixel(const tga *t, const uint8_t *at, uint8_t *rgba)
{
    if (t->kind == TRUE_COLOR) {
        read_color(t, at, t->bits, rgba);
    } else if (t->kind == GREY) {
        rgba[0] = rgba[1] = rgba[2] = at[0];
        rgba[3] = t->bits == 16 ? at[1] : 255;
    } else {
        static const uint8_t black[4] = { 0, 0, 0, 255 };
        uint32_t index = at[0] - t->map_first;  // wraps around below the first: also out of range
        memcpy(rgba, index < t->map_count ? t->map[index] : black, 4);
    }
}

static bool read_map(tga *t, sni_reader *in)
{
    uint32_t entry = (t->map_bits + 7) / 8;
    const uint8_t *at = sni_take(in, (uint64_t)t->map_count * entry);
    t->map = at ? sni_alloc_raw(in->arena, sizeof *t->map, t->map_count) : NULL;
    for (uint32_t i = 0; t->map && i < t->map_count; i++) read_color(t, at + (size_t)i * entry, t->map_bits, t->map[i]);
    return t->map != NULL;
}

// Run-length decoding: packets of up to 128 pixels, which may cross rows.
static const uint8_t *unpack(sni_reader *in, uint64_t count, uint32_t pixel_bytes)
{
    uint8_t *out = sni_new_raw(in->arena, uint8_t, count * pixel_bytes), *at = out;
    for (uint64_t rest = count; out && rest > 0;) {
        uint8_t head = sni_read_u8(in);
        uint64_t length = (head & 127) + 1u;
        const uint8_t *from = sni_take(in, head & 128 ? pixel_bytes : length * pixel_bytes);
        if (!from) return NULL;
        if (length > rest) length = rest;
        rest -= length;
        for (; length > 0; length--, at += pixel_bytes, from += head & 128 ? 0 : pixel_bytes)
            memcpy(at, from, pixel_bytes);
    }
    return out;
}

static void place_pixels(const tga *t, const uint8_t *from, uint32_t pixel_bytes)
{
    bool from_right = t->descriptor & FROM_RIGHT, from_top = t->descriptor & FROM_TOP;
    for (uint32_t y = 0; y < t->height; y++) {
        uint8_t *row = t->decode->pixels->rgba + (size_t)(from_top ? y : t->height - 1 - y) * t->width * 4;
        for (uint32_t x = 0; x < t->width; x++, from += pixel_bytes)
            read_pixel(t, from, row + (size_t)(from_right ? t->width - 1 - x : x) * 4);
    }
}

// Many writers store alpha in 32-bit images but declare no alpha bits. It is ignored only when it is 0 everywhere.
static void check_alpha(const tga *t)
{
    uint32_t bits = t->kind == MAPPED ? t->map_bits : t->kind == GREY ? (t->bits == 16 ? 32 : 0) : t->bits;
    uint8_t *rgba = t->decode->pixels->rgba;
    size_t size = (size_t)t->width * t->height * 4, at = 3;
    if (bits != 32 || t->alpha_bits > 0) return;
    while (at < size && rgba[at] == 0) at += 4;
    for (size_t i = 3; at >= size && i < size; i += 4) rgba[i] = 255;
}

// TGA 2.0: the footer leads to the extension area, which declares premultiplied alpha.
static bool is_premultiplied(const sni_reader *in)
{
    size_t size = (size_t)(in->end - in->start);
    if (size < FOOTER_BYTES || memcmp(in->end - 18, "TRUEVISION-XFILE.", 18) != 0) return false;
    uint32_t area = sni_load_u32(in->end - FOOTER_BYTES);
    return area > 0 && area <= size && size - area >= 495 && in->start[area + 494] == PREMULTIPLIED;
}

static tga read_header(sni_decode *decode)
{
    sni_reader *in = &decode->in;
    tga t = { .decode = decode };
    uint32_t id_bytes = sni_read_u8(in);
    bool has_map = sni_read_u8(in);
    t.kind = sni_read_u8(in);
    t.map_first = sni_read_u16(in), t.map_count = sni_read_u16(in), t.map_bits = sni_read_u8(in);
    if (!has_map) t.map_count = 0, t.map_bits = 0;
    sni_skip(in, 4);  // screen position
    t.width = sni_read_u16(in), t.height = sni_read_u16(in);
    t.bits = sni_read_u8(in), t.descriptor = sni_read_u8(in), t.alpha_bits = t.descriptor & 15;
    sni_skip(in, id_bytes);
    return t;
}

bool sni_tga_decode(sni_decode *decode)
{
    sni_reader *in = &decode->in;
    tga t = read_header(decode);
    bool is_packed = t.kind & PACKED;
    t.kind &= ~(uint32_t)PACKED;
    uint32_t pixel_bytes = (t.bits + 7) / 8;
    uint64_t count = (uint64_t)t.width * t.height;
    if (!read_map(&t, in) || !sni_decode_fits(decode, t.width, t.height)) return false;
    bool has_bytes = is_packed ? sni_has_items(in, count / 128, 1 + pixel_bytes)
                               : sni_has_items(in, count, pixel_bytes);
    if (!has_bytes || !sni_decode_begin(decode, t.width, t.height)) return false;
    const uint8_t *pixels = is_packed ? unpack(in, count, pixel_bytes) : sni_take(in, count * pixel_bytes);
    if (!pixels) return false;
    place_pixels(&t, pixels, pixel_bytes);
    check_alpha(&t);
    if (is_premultiplied(in)) sni_straighten(decode->pixels);
    return true;
}

bool sni_tga_write(sni_writer *out, sni_diag *diag, const sn_pixels *pixels)
{
    enum { SIDE_MAX = 65535 };
    const uint32_t width = pixels->width, height = pixels->height;
    const size_t row = (size_t)width * 4;
    const bool has_alpha = sni_pixels_have_alpha(pixels);
    if (width > SIDE_MAX || height > SIDE_MAX)
        return sni_fail(diag, SN_ERR_LIMIT, 0, "%u x %u pixels are too many for a TGA", width, height);
    const uint8_t head[18] = { [2] = TRUE_COLOR,        [12] = (uint8_t)width,         [13] = (uint8_t)(width >> 8),
                               [14] = (uint8_t)height,  [15] = (uint8_t)(height >> 8), [16] = has_alpha ? 32 : 24,
                               [17] = has_alpha ? 8 : 0 };
    sni_write_bytes(out, head, sizeof head);
    for (uint32_t y = height; y-- > 0;) {
        for (const uint8_t *at = pixels->rgba + y * row, *end = at + row; at < end; at += 4) {
            const uint8_t bgra[4] = { at[2], at[1], at[0], at[3] };
            sni_write_bytes(out, bgra, has_alpha ? 4 : 3);
        }
    }
    return !out->failed;
}
