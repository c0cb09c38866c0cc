// One picture of one size, rows in the order given, palettes in the console's order.
#include "image/tim2.h"

#include "base/arena.h"

enum { HEADER = 48, BITS_24 = 2, BITS_32, INDEX_4, INDEX_8, MOST_COLORS = 256, SLOTS = 1024, SIDE_MAX = 65535 };

// The console doubles alpha: 128 is opaque.
static uint8_t alpha_of(uint8_t alpha) { return (uint8_t)((alpha + 1) / 2); }

static void write_header(sni_writer *out, uint32_t width, uint32_t height, uint8_t kind, uint32_t pixel_bytes,
                         uint32_t colors)
{
    sni_write_text(out, "TIM2");
    sni_write_u8(out, 4), sni_write_u8(out, 0);  // version, alignment to 16
    sni_write_u16(out, 1);                       // pictures
    sni_write_fill(out, 0, 8);
    sni_write_u32(out, HEADER + pixel_bytes + colors * 4);
    sni_write_u32(out, colors * 4);
    sni_write_u32(out, pixel_bytes);
    sni_write_u16(out, HEADER), sni_write_u16(out, (uint16_t)colors);
    sni_write_u8(out, 0), sni_write_u8(out, 1);  // format, levels
    sni_write_u8(out, colors > 0 ? BITS_32 : 0), sni_write_u8(out, kind);
    sni_write_u16(out, (uint16_t)width), sni_write_u16(out, (uint16_t)height);
    sni_write_fill(out, 0, 24);  // the console's registers
}

// Of every 32 of 256 colours the second and third eight change places.
static void write_palette(sni_writer *out, uint32_t slots, const sni_tim2_color *palette, uint32_t colors)
{
    for (uint32_t slot = 0; slot < slots; slot++) {
        uint32_t index = slots == MOST_COLORS ? (slot & ~24u) | (slot & 8) << 1 | (slot & 16) >> 1 : slot;
        sni_tim2_color color = index < colors ? palette[index] : (sni_tim2_color){ 0, 0, 0, 0 };
        const uint8_t bytes[4] = { color.r, color.g, color.b, alpha_of(color.a) };
        sni_write_bytes(out, bytes, 4);
    }
}

// Of 4 bits the first pixel is the lower half of its byte.
void sni_tim2_write_indexed(sni_writer *out, uint32_t width, uint32_t height, uint32_t bits,
                            const sni_tim2_color *palette, uint32_t colors, const uint8_t *indices)
{
    uint32_t count = width * height, slots = 1u << bits;
    write_header(out, width, height, bits == 8 ? INDEX_8 : INDEX_4, (count * bits + 7) / 8, slots);
    for (uint32_t i = 0; i < count; i += 8 / bits) {
        uint32_t high = bits == 8 || i + 1 == count ? 0 : (uint32_t)indices[i + 1] << 4;
        sni_write_u8(out, (uint8_t)(indices[i] | high));
    }
    write_palette(out, slots, palette, colors);
}

// The colours in the order in which they appear; false: there are more than 256.
static bool find_palette(const sn_pixels *pixels, sni_tim2_color *palette, uint32_t *colors, uint8_t *indices)
{
    uint16_t slots[SLOTS] = { 0 };  // number of the colour + 1
    const uint64_t count = (uint64_t)pixels->width * pixels->height;
    *colors = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *at = pixels->rgba + 4 * i;
        const uint32_t mixed = (at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                                (uint32_t)alpha_of(at[3]) << 24) *
                               2654435761u;
        uint32_t slot = mixed >> 22;
        for (; slots[slot]; slot = (slot + 1) % SLOTS) {
            const sni_tim2_color *known = &palette[slots[slot] - 1];
            if (known->r == at[0] && known->g == at[1] && known->b == at[2] && alpha_of(known->a) == alpha_of(at[3]))
                break;
        }
        if (!slots[slot]) {
            if (*colors == MOST_COLORS) return false;
            palette[*colors] = (sni_tim2_color){ at[0], at[1], at[2], at[3] };
            slots[slot] = (uint16_t)++ * colors;
        }
        indices[i] = (uint8_t)(slots[slot] - 1);
    }
    return true;
}

bool sni_tim2_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels, uint64_t *rounded)
{
    const uint32_t width = pixels->width, height = pixels->height;
    const uint64_t count = (uint64_t)width * height;
    sni_tim2_color palette[MOST_COLORS];
    uint32_t colors;
    bool has_alpha = false;
    if (width > SIDE_MAX || height > SIDE_MAX || count > UINT32_MAX / 8)
        return sni_fail(diag, SN_ERR_LIMIT, 0, "%u x %u pixels are too many for a TIM2", width, height);
    uint8_t *indices = sni_new_raw(scratch, uint8_t, count);
    if (!indices) return false;
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t alpha = pixels->rgba[4 * i + 3];
        has_alpha |= alpha_of(alpha) != 128;
        *rounded += alpha % 2 == 1 && alpha != 255;
    }
    if (find_palette(pixels, palette, &colors, indices)) {
        sni_tim2_write_indexed(out, width, height, colors <= 16 && width % 2 == 0 ? 4 : 8, palette, colors, indices);
        return !out->failed;
    }
    const uint32_t bytes = has_alpha ? 4 : 3;
    write_header(out, width, height, has_alpha ? BITS_32 : BITS_24, (uint32_t)count * bytes, 0);
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t *at = pixels->rgba + 4 * i, rgba[4] = { at[0], at[1], at[2], alpha_of(at[3]) };
        sni_write_bytes(out, rgba, bytes);
    }
    return !out->failed;
}
