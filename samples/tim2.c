#include "tim2.h"

enum { HEADER = 48, INDEX_4 = 4, INDEX_8 = 5, COLORS_32 = 3 };

// Of every 32 of 256 colours the second and third eight change places; 128 is opaque.
static void write_palette(sni_writer *out, uint32_t slots, const tim2_color *palette, uint32_t colors)
{
    for (uint32_t slot = 0; slot < slots; slot++) {
        uint32_t index = slots == 256 ? (slot & ~24u) | (slot & 8) << 1 | (slot & 16) >> 1 : slot;
        tim2_color color = index < colors ? palette[index] : (tim2_color){ 0, 0, 0, 0 };
        const uint8_t bytes[4] = { color.r, color.g, color.b, (uint8_t)((color.a + 1) / 2) };
        sni_write_bytes(out, bytes, 4);
    }
}

// Of 4 bits the first pixel is the lower half of its byte.
static void write_pixels(sni_writer *out, uint32_t bits, const uint8_t *indices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 8 / bits) {
        uint32_t high = bits == 8 ? 0 : (uint32_t)indices[i + 1] << 4;
        sni_write_u8(out, (uint8_t)(indices[i] | high));
    }
}

void tim2_write(sni_writer *out, uint16_t width, uint16_t height, uint32_t bits, const tim2_color *palette,
                uint32_t colors, const uint8_t *indices)
{
    uint32_t count = (uint32_t)width * height, pixels = count * bits / 8, slots = 1u << bits;
    sni_write_text(out, "TIM2");
    sni_write_u8(out, 4), sni_write_u8(out, 0);  // version, alignment to 16
    sni_write_u16(out, 1);                       // pictures
    sni_write_fill(out, 0, 8);
    sni_write_u32(out, HEADER + pixels + slots * 4);
    sni_write_u32(out, slots * 4);
    sni_write_u32(out, pixels);
    sni_write_u16(out, HEADER), sni_write_u16(out, (uint16_t)slots);
    sni_write_u8(out, 0), sni_write_u8(out, 1);  // format, levels
    sni_write_u8(out, COLORS_32), sni_write_u8(out, bits == 8 ? INDEX_8 : INDEX_4);
    sni_write_u16(out, width), sni_write_u16(out, height);
    sni_write_fill(out, 0, 24);  // the console's registers
    write_pixels(out, bits, indices, count);
    write_palette(out, slots, palette, colors);
}
