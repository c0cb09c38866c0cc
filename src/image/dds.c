// DDS: compressed blocks, or pixels described by masks. Decodes the first face of a cube map, the first slice of a
// volume and the first layer of an array.
#include <string.h>

#include "image/bc.h"
#include "image/image.h"

enum { ALPHA_PIXELS = 1, ALPHA_ONLY = 2, FOUR_CC = 4, RGB = 0x40, LUMINANCE = 0x20000, VOLUME = 0x200000 };

// How pixels are stored: in blocks, or with `bits` each and masks for red, green, blue and alpha.
typedef struct layout {
    bool is_blocks, is_premultiplied;
    sni_bc blocks;
    uint32_t bits, masks[4];
} layout;

typedef struct dds {
    uint32_t width, height, depth, mips;
    layout layout;
} dds;

static bool find_four_cc(const uint8_t *code, layout *out)
{
    static const struct {
        char code[5];
        sni_bc blocks;
        bool is_premultiplied;
    } codes[] = {
        { "DXT1", SNI_BC1, false }, { "DXT2", SNI_BC2, true },         { "DXT3", SNI_BC2, false },
        { "DXT4", SNI_BC3, true },  { "DXT5", SNI_BC3, false },        { "ATI1", SNI_BC4, false },
        { "BC4U", SNI_BC4, false }, { "BC4S", SNI_BC4_SIGNED, false }, { "ATI2", SNI_BC5, false },
        { "BC5U", SNI_BC5, false }, { "BC5S", SNI_BC5_SIGNED, false },
    };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        if (memcmp(code, codes[i].code, 4) != 0) continue;
        *out = (layout){ .is_blocks = true, .blocks = codes[i].blocks, .is_premultiplied = codes[i].is_premultiplied };
        return true;
    }
    return false;
}

// Values of DXGI_FORMAT. sRGB and typeless variants are stored the same way.
static bool find_dxgi(uint32_t number, layout *out)
{
    static const struct {
        uint8_t first, last;
        sni_bc blocks;
    } blocks[] = {
        { 70, 72, SNI_BC1 },        { 73, 75, SNI_BC2 }, { 76, 78, SNI_BC3 }, { 79, 80, SNI_BC4 },
        { 81, 81, SNI_BC4_SIGNED }, { 82, 83, SNI_BC5 }, { 97, 99, SNI_BC7 }, { 84, 84, SNI_BC5_SIGNED },
    };
    static const struct {
        uint8_t first, last, bits;
        uint32_t masks[4];
    } plain[] = {
        { 27, 29, 32, { 0xFF, 0xFF00, 0xFF0000, 0xFF000000 } },
        { 87, 87, 32, { 0xFF0000, 0xFF00, 0xFF, 0xFF000000 } },
        { 88, 88, 32, { 0xFF0000, 0xFF00, 0xFF, 0 } },
        { 90, 91, 32, { 0xFF0000, 0xFF00, 0xFF, 0xFF000000 } },
        { 92, 93, 32, { 0xFF0000, 0xFF00, 0xFF, 0 } },
        { 23, 24, 32, { 0x3FF, 0xFFC00, 0x3FF00000, 0xC0000000 } },
        { 48, 49, 16, { 0xFF, 0xFF00, 0, 0 } },
        { 60, 61, 8, { 0xFF, 0xFF, 0xFF, 0 } },
        { 65, 65, 8, { 0, 0, 0, 0xFF } },
        { 85, 85, 16, { 0xF800, 0x7E0, 0x1F, 0 } },
        { 86, 86, 16, { 0x7C00, 0x3E0, 0x1F, 0x8000 } },
        { 115, 115, 16, { 0xF00, 0xF0, 0xF, 0xF000 } },
    };
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        if (number < blocks[i].first || number > blocks[i].last) continue;
        *out = (layout){ .is_blocks = true, .blocks = blocks[i].blocks };
        return true;
    }
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        if (number < plain[i].first || number > plain[i].last) continue;
        *out = (layout){ .bits = plain[i].bits };
        memcpy(out->masks, plain[i].masks, sizeof out->masks);
        return true;
    }
    return false;
}

static bool read_masks(sni_diag *diag, const uint8_t *format, uint32_t flags, layout *out)
{
    *out = (layout){ .bits = sni_load_u32(format + 12) };
    for (uint32_t c = 0; c < 4; c++) out->masks[c] = sni_load_u32(format + 16 + (size_t)c * 4);
    if (flags & LUMINANCE) out->masks[1] = out->masks[2] = out->masks[0];
    if (!(flags & (RGB | LUMINANCE))) out->masks[0] = out->masks[1] = out->masks[2] = 0;
    if (!(flags & (ALPHA_PIXELS | ALPHA_ONLY))) out->masks[3] = 0;
    bool has_bits = out->bits == 8 || out->bits == 16 || out->bits == 24 || out->bits == 32;
    if (has_bits && (flags & (RGB | LUMINANCE | ALPHA_ONLY))) return true;
    return sni_fail(diag, SN_ERR_UNSUPPORTED, 76, "unsupported DDS pixels: %u bits, flags 0x%x", out->bits, flags);
}

static bool read_dx10_header(sni_decode *decode, layout *out)
{
    sni_reader *in = &decode->in;
    uint32_t number = sni_read_u32(in);
    sni_skip(in, 12);
    uint32_t alpha_mode = sni_read_u32(in) & 7;
    if (!sni_ok(in)) return false;
    if (!find_dxgi(number, out))
        return sni_fail(decode->diag, SN_ERR_UNSUPPORTED, 128, "unsupported DDS: DXGI format %u", number);
    out->is_premultiplied = alpha_mode == 2;
    if (alpha_mode == 3 && out->is_blocks && out->blocks == SNI_BC1) out->blocks = SNI_BC1_OPAQUE;
    return true;
}

static bool read_header(sni_decode *decode, dds *d)
{
    const uint8_t *head = sni_take(&decode->in, 128);
    if (!head) return false;
    const uint8_t *format = head + 76;
    uint32_t flags = sni_load_u32(format + 4);
    d->height = sni_load_u32(head + 12), d->width = sni_load_u32(head + 16);
    d->depth = sni_load_u32(head + 112) & VOLUME ? sni_load_u32(head + 24) : 1;
    d->mips = sni_load_u32(head + 28);
    if (d->mips == 0) d->mips = 1;
    if (!(flags & FOUR_CC)) return read_masks(decode->diag, format, flags, &d->layout);
    if (memcmp(format + 8, "DX10", 4) == 0) return read_dx10_header(decode, &d->layout);
    if (find_four_cc(format + 8, &d->layout)) return true;
    return sni_fail(decode->diag, SN_ERR_UNSUPPORTED, 84, "unsupported DDS: FourCC 0x%08x", sni_load_u32(format + 8));
}

static uint64_t level_size(const layout *l, uint32_t width, uint32_t height)
{
    return l->is_blocks ? sni_bc_size(l->blocks, width, height) : (uint64_t)width * height * (l->bits / 8);
}

// Uncompressed pixels

typedef struct channel {
    uint32_t mask, shift, highest;
} channel;

static channel channel_of(uint32_t mask)
{
    channel c = { mask, 0, 0 };
    while (mask && !(mask >> c.shift & 1)) c.shift++;
    c.highest = mask >> c.shift;
    return c;
}

static uint8_t channel_value(const channel *c, uint32_t pixel, uint8_t absent)
{
    if (!c->mask) return absent;
    uint64_t value = (pixel & c->mask) >> c->shift;
    return (uint8_t)((value * 255 + c->highest / 2) / c->highest);
}

// Which byte the mask covers; 4: not exactly one.
static uint32_t byte_of(uint32_t mask)
{
    uint32_t byte = 0;
    while (byte < 4 && mask != 0xFFu << 8 * byte) byte++;
    return byte;
}

// Fast path for 32 bits with one byte per channel.
static bool copy_bytes(const layout *l, const uint8_t *from, uint64_t count, uint8_t *rgba)
{
    uint32_t r = byte_of(l->masks[0]), g = byte_of(l->masks[1]), b = byte_of(l->masks[2]), a = byte_of(l->masks[3]);
    if (l->bits != 32 || r > 3 || g > 3 || b > 3 || (a > 3 && l->masks[3])) return false;
    for (; count > 0; count--, from += 4, rgba += 4) {
        rgba[0] = from[r], rgba[1] = from[g], rgba[2] = from[b];
        rgba[3] = a < 4 ? from[a] : 255;
    }
    return true;
}

static void read_pixels(const layout *l, const uint8_t *from, uint64_t count, uint8_t *rgba)
{
    channel channels[4];
    uint32_t bytes = l->bits / 8;
    if (copy_bytes(l, from, count, rgba)) return;
    for (int c = 0; c < 4; c++) channels[c] = channel_of(l->masks[c]);
    for (; count > 0; count--, from += bytes, rgba += 4) {
        uint32_t pixel = 0;
        for (uint32_t i = 0; i < bytes; i++) pixel |= (uint32_t)from[i] << 8 * i;
        for (int c = 0; c < 4; c++) rgba[c] = channel_value(&channels[c], pixel, c == 3 ? 255 : 0);
    }
}

bool sni_dds_decode(sni_decode *decode)
{
    dds d = { .mips = 1 };
    uint32_t mip = decode->opts->mip;
    if (!read_header(decode, &d) || !sni_decode_fits(decode, d.width, d.height)) return false;
    if (mip >= d.mips || mip >= 32) return sni_decode_fail_mip(decode, d.mips);
    for (uint32_t i = 0; i < mip; i++) {
        uint64_t size = level_size(&d.layout, sni_mip_side(d.width, i), sni_mip_side(d.height, i)),
                 depth = sni_mip_side(d.depth, i);
        sni_has_items(&decode->in, depth, (size_t)size);
        sni_skip(&decode->in, sni_ok(&decode->in) ? size * depth : 0);
    }
    uint32_t width = sni_mip_side(d.width, mip), height = sni_mip_side(d.height, mip);
    const uint8_t *from = sni_take(&decode->in, level_size(&d.layout, width, height));
    if (!from || !sni_decode_begin(decode, width, height)) return false;
    if (d.layout.is_blocks) sni_bc_decode(d.layout.blocks, from, width, height, decode->pixels->rgba);
    else read_pixels(&d.layout, from, (uint64_t)width * height, decode->pixels->rgba);
    if (d.layout.is_premultiplied) sni_straighten(decode->pixels);
    return true;
}
