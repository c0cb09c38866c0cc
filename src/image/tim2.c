// TIM2, the image format of PlayStation 2 games: 16, 24 or 32 bits per pixel, or a palette. Reads the first picture of
// a file, with rows in stored order. Swizzled pixels must be unswizzled before; only the game's archive knows about
// them.
#include "image/image.h"

enum { NEAR_PICTURE = 16, FAR_PICTURE = 128, HEADER_BYTES = 48, SIZES_AT = 64, SLOTS = 256 };
enum { BITS_16 = 1, BITS_24, BITS_32, INDEX_4, INDEX_8 };          // pixel types; the first three are colour types too
enum { IN_ORDER = 0x80, ALL_SHUFFLED = 0x40, COLOR_KIND = 0x3F };  // bits of the palette type

typedef struct tim2 {
    sni_decode *decode;
    uint64_t at;  // of the picture's header in the file
    uint32_t palette_bytes, pixel_bytes, header_bytes, colors;
    uint32_t level_count, palette_kind, kind, width, height;
    const uint8_t *pixels, *palette;  // of the mip level; NULL: none
} tim2;

// Bits per pixel; 0 for an unknown type.
static uint32_t bits_of(uint32_t kind)
{
    static const uint8_t bits[] = { [BITS_16] = 16, [BITS_24] = 24, [BITS_32] = 32, [INDEX_4] = 4, [INDEX_8] = 8 };
    return kind < sizeof bits ? bits[kind] : 0;
}

static bool has_palette(const tim2 *t) { return t->kind == INDEX_4 || t->kind == INDEX_8; }

// The console doubles alpha: 128 is opaque.
static void read_color(const uint8_t *at, uint32_t bits, uint8_t *rgba)
{
    if (bits == 16) {
        uint32_t value = sni_load_u16(at);
        rgba[0] = sni_widen_five(value), rgba[1] = sni_widen_five(value >> 5), rgba[2] = sni_widen_five(value >> 10);
        rgba[3] = value & 0x8000 ? 255 : 0;
        return;
    }
    rgba[0] = at[0], rgba[1] = at[1], rgba[2] = at[2];
    rgba[3] = bits == 24 || at[3] > 127 ? 255 : (uint8_t)(at[3] * 2);
}

static tim2 read_header(sni_decode *decode)
{
    sni_reader *in = &decode->in;
    tim2 t = { .decode = decode };
    sni_seek(in, 5);
    t.at = sni_read_u8(in) == 1 ? FAR_PICTURE : NEAR_PICTURE;
    sni_seek(in, t.at);
    sni_reader header = sni_read_window(in, HEADER_BYTES);
    sni_skip(&header, 4);  // total size
    t.palette_bytes = sni_read_u32(&header), t.pixel_bytes = sni_read_u32(&header);
    t.header_bytes = sni_read_u16(&header), t.colors = sni_read_u16(&header);
    sni_skip(&header, 1);
    t.level_count = sni_read_u8(&header);
    t.palette_kind = sni_read_u8(&header), t.kind = sni_read_u8(&header);
    t.width = sni_read_u16(&header), t.height = sni_read_u16(&header);
    return t;
}

static uint64_t level_bytes(const tim2 *t, uint32_t level)
{
    uint64_t count = (uint64_t)sni_mip_side(t->width, level) * sni_mip_side(t->height, level);
    return (count * bits_of(t->kind) + 7) / 8;
}

// Mip levels follow each other. If there are several, their padded sizes are listed; the chain ends at a size that is
// too small for its level or reaches past the pixels.
static bool find_level(tim2 *t, const uint8_t *pixels)
{
    const uint8_t *sizes = t->decode->in.start + t->at + SIZES_AT;
    uint32_t mip = t->decode->opts->mip, count = 1;
    uint64_t start = 0, rest = t->pixel_bytes;
    if (t->header_bytes < SIZES_AT + 4 * t->level_count) t->level_count = 1;  // no room for the list
    for (; count <= mip && count < t->level_count; count++) {
        uint64_t size = sni_load_u32(sizes + (size_t)(count - 1) * 4);
        if (size < level_bytes(t, count - 1) || size > rest || rest - size < level_bytes(t, count)) break;
        start += size, rest -= size;
    }
    if (mip >= count) return sni_decode_fail_mip(t->decode, count);
    t->pixels = pixels + start;
    t->width = sni_mip_side(t->width, mip), t->height = sni_mip_side(t->height, mip);
    return true;
}

static bool find_pixels(tim2 *t)
{
    sni_reader *in = &t->decode->in;
    uint64_t needed = level_bytes(t, 0);
    if (!sni_ok(in)) return false;
    if (bits_of(t->kind) == 0)
        return sni_fail(t->decode->diag, SN_ERR_UNSUPPORTED, t->at, "unknown TIM2 pixel type %u", t->kind);
    if (t->header_bytes < HEADER_BYTES)
        return sni_fail(t->decode->diag, SN_ERR_CORRUPT, t->at, "TIM2 header of %u bytes; expected at least %d",
                        t->header_bytes, (int)HEADER_BYTES);
    if (!sni_decode_fits(t->decode, t->width, t->height)) return false;
    sni_seek(in, t->at + t->header_bytes);
    if (t->pixel_bytes < needed)
        return sni_fail(t->decode->diag, SN_ERR_TRUNCATED, sni_offset(in),
                        "%u x %u pixels need %llu bytes, the header states %u", t->width, t->height,
                        (unsigned long long)needed, t->pixel_bytes);
    const uint8_t *pixels = sni_take(in, t->pixel_bytes);
    return pixels && find_level(t, pixels);
}

// Games ignore the palette's colour type, so its size decides. The type is used only if the size fits no type.
static uint32_t color_bits(const tim2 *t)
{
    uint32_t each = t->palette_bytes / t->colors, bits = bits_of(t->palette_kind & COLOR_KIND);
    if (t->palette_bytes % t->colors == 0 && each >= 2 && each <= 4) return each * 8;
    return bits >= 16 ? bits : 32;
}

static bool find_palette(tim2 *t)
{
    if (!has_palette(t)) return true;
    if (t->colors == 0) return sni_fail(t->decode->diag, SN_ERR_CORRUPT, t->at, "indexed pixels without a palette");
    t->palette = sni_take(&t->decode->in, (uint64_t)t->colors * (color_bits(t) / 8));
    return t->palette != NULL;
}

// The console swaps the second and third eight of every 32 colours, and so do files: in palettes of 256 colours, and in
// palettes of 16 if many are stored as one.
static uint32_t slot_of(const tim2 *t, uint32_t index)
{
    bool is_shuffled = !(t->palette_kind & IN_ORDER) && (t->kind == INDEX_8 || t->palette_kind & ALL_SHUFFLED);
    return is_shuffled ? (index & ~24u) | (index & 8) << 1 | (index & 16) >> 1 : index;
}

// The colours by index. An index past the palette is opaque black.
static void read_palette(const tim2 *t, uint8_t palette[SLOTS][4])
{
    uint32_t bits = color_bits(t);
    for (uint32_t i = 0; i < SLOTS; i++) {
        uint32_t slot = slot_of(t, i);
        palette[i][0] = palette[i][1] = palette[i][2] = 0, palette[i][3] = 255;
        if (slot < t->colors) read_color(t->palette + (size_t)slot * (bits / 8), bits, palette[i]);
    }
}

static void fill_indexed(const tim2 *t, uint64_t count, uint8_t *rgba)
{
    uint8_t palette[SLOTS][4];
    read_palette(t, palette);
    for (uint64_t i = 0; i < count; i++, rgba += 4) {
        uint32_t index = t->kind == INDEX_8 ? t->pixels[i] : (uint32_t)t->pixels[i / 2] >> i % 2 * 4 & 15;
        for (int c = 0; c < 4; c++) rgba[c] = palette[index][c];
    }
}

bool sni_tim2_decode(sni_decode *decode)
{
    tim2 t = read_header(decode);
    if (!find_pixels(&t) || !find_palette(&t) || !sni_decode_begin(decode, t.width, t.height)) return false;
    uint64_t count = (uint64_t)t.width * t.height;
    uint8_t *rgba = decode->pixels->rgba;
    uint32_t bits = bits_of(t.kind);
    if (has_palette(&t)) fill_indexed(&t, count, rgba);
    else
        for (uint64_t i = 0; i < count; i++) read_color(t.pixels + i * (bits / 8), bits, rgba + i * 4);
    return true;
}
