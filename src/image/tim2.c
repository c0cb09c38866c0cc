// TIM2, the pictures of PlayStation 2 games: 16, 24, 32 bits or a palette, rows as they are stored. Only the first
// picture of a file is read. Pixels are in the order of rows: what a game's archive says is swizzled must be put in
// order before.
#include "image/image.h"

enum { NEAR_PICTURE = 16, FAR_PICTURE = 128, HEADER_BYTES = 48, SIZES_AT = 64, SLOTS = 256 };
enum { BITS_16 = 1, BITS_24, BITS_32, INDEX_4, INDEX_8 };          // kinds of pixels; the first three of colours too
enum { IN_ORDER = 0x80, ALL_SHUFFLED = 0x40, COLOR_KIND = 0x3F };  // of the palette

typedef struct tim2 {
    sni_decode *decode;
    uint64_t at;  // of the picture's header in the file
    uint32_t palette_bytes, pixel_bytes, header_bytes, colors;
    uint32_t level_count, palette_kind, kind, width, height;
    const uint8_t *pixels, *palette;  // of the level; NULL where there is none
} tim2;

// A kind of pixels as bits, 0 when there is no such kind.
static uint32_t bits_of(uint32_t kind)
{
    static const uint8_t bits[] = { [BITS_16] = 16, [BITS_24] = 24, [BITS_32] = 32, [INDEX_4] = 4, [INDEX_8] = 8 };
    return kind < sizeof bits ? bits[kind] : 0;
}

static bool has_palette(const tim2 *t) { return t->kind == INDEX_4 || t->kind == INDEX_8; }

// Alpha 128 is opaque; the console makes twice of it.
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
    sni_skip(&header, 4);  // the size of all this
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

// Levels lie one behind the other; their sizes are listed when there are several, and padded. The chain ends at a size
// that is too small for its level or reaches past the pixels.
static bool find_level(tim2 *t, const uint8_t *pixels)
{
    const uint8_t *sizes = t->decode->in.start + t->at + SIZES_AT;
    uint32_t mip = t->decode->opts->mip, count = 1;
    uint64_t start = 0, rest = t->pixel_bytes;
    if (t->header_bytes < SIZES_AT + 4 * t->level_count) t->level_count = 1;  // no room for a list
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
    uint64_t wanted = level_bytes(t, 0);
    if (!sni_ok(in)) return false;
    if (bits_of(t->kind) == 0)
        return sni_fail(t->decode->diag, SN_ERR_UNSUPPORTED, t->at, "TIM2 with pixels of kind %u", t->kind);
    if (t->header_bytes < HEADER_BYTES)
        return sni_fail(t->decode->diag, SN_ERR_CORRUPT, t->at, "a header of %u bytes", t->header_bytes);
    if (!sni_decode_fits(t->decode, t->width, t->height)) return false;
    sni_seek(in, t->at + t->header_bytes);
    if (t->pixel_bytes < wanted)
        return sni_fail(t->decode->diag, SN_ERR_TRUNCATED, sni_offset(in),
                        "%u x %u pixels need %llu bytes, %u are said to be there", t->width, t->height,
                        (unsigned long long)wanted, t->pixel_bytes);
    const uint8_t *pixels = sni_take(in, t->pixel_bytes);
    return pixels && find_level(t, pixels);
}

// Games do not look at the palette's kind, so its size says more: only one that fits no kind leaves the word to it.
static uint32_t color_bits(const tim2 *t)
{
    uint32_t each = t->palette_bytes / t->colors, bits = bits_of(t->palette_kind & COLOR_KIND);
    if (t->palette_bytes % t->colors == 0 && each >= 2 && each <= 4) return each * 8;
    return bits >= 16 ? bits : 32;
}

static bool find_palette(tim2 *t)
{
    if (!has_palette(t)) return true;
    if (t->colors == 0) return sni_fail(t->decode->diag, SN_ERR_CORRUPT, t->at, "indices of colours, and no colours");
    t->palette = sni_take(&t->decode->in, (uint64_t)t->colors * (color_bits(t) / 8));
    return t->palette != NULL;
}

// The console wants the second and third eight of every 32 colours changed, and files keep them so: all of 256 colours,
// and of 16 where many palettes are stored as one.
static uint32_t slot_of(const tim2 *t, uint32_t index)
{
    bool is_shuffled = !(t->palette_kind & IN_ORDER) && (t->kind == INDEX_8 || t->palette_kind & ALL_SHUFFLED);
    return is_shuffled ? (index & ~24u) | (index & 8) << 1 | (index & 16) >> 1 : index;
}

// The colours in the order of indices. An index past the palette is opaque black.
static void read_palette(const tim2 *t, uint8_t palette[SLOTS][4])
{
    uint32_t bits = color_bits(t);
    for (uint32_t i = 0; i < SLOTS; i++) {
        uint32_t slot = slot_of(t, i);
        palette[i][0] = palette[i][1] = palette[i][2] = 0, palette[i][3] = 255;
        if (slot < t->colors) read_color(t->palette + (size_t)slot * (bits / 8), bits, palette[i]);
    }
}

static void place_indices(const tim2 *t, uint64_t count, uint8_t *rgba)
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
    if (has_palette(&t)) place_indices(&t, count, rgba);
    else
        for (uint64_t i = 0; i < count; i++) read_color(t.pixels + i * (bits / 8), bits, rgba + i * 4);
    return true;
}
