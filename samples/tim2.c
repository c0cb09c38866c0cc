#include "tim2.h"

enum { HEADER = 48, PALETTE = 256, INDEX_8 = 5, COLORS_32 = 3 };

// Of every 32 colours the second and third eight change places; 128 is opaque.
static void write_palette(sni_writer *out, const tim2_color *palette, uint32_t colors)
{
    for (uint32_t slot = 0; slot < PALETTE; slot++) {
        uint32_t index = (slot & ~24u) | (slot & 8) << 1 | (slot & 16) >> 1;
        tim2_color color = index < colors ? palette[index] : (tim2_color){ 0, 0, 0, 0 };
        const uint8_t bytes[4] = { color.r, color.g, color.b, (uint8_t)((color.a + 1) / 2) };
        sni_write_bytes(out, bytes, 4);
    }
}

void tim2_write(sni_writer *out, uint16_t width, uint16_t height, const tim2_color *palette, uint32_t colors, const uint8_t *indices)
{
    uint32_t pixels = (uint32_t)width * height;
    sni_write_text(out, "TIM2");
    sni_write_u8(out, 4), sni_write_u8(out, 0);         // version, alignment to 16
    sni_write_u16(out, 1);                              // pictures
    sni_write_fill(out, 0, 8);
    sni_write_u32(out, HEADER + pixels + PALETTE * 4);
    sni_write_u32(out, PALETTE * 4);
    sni_write_u32(out, pixels);
    sni_write_u16(out, HEADER), sni_write_u16(out, PALETTE);
    sni_write_u8(out, 0), sni_write_u8(out, 1);         // format, levels
    sni_write_u8(out, COLORS_32), sni_write_u8(out, INDEX_8);
    sni_write_u16(out, width), sni_write_u16(out, height);
    sni_write_fill(out, 0, 24);                         // the console's registers
    sni_write_bytes(out, indices, pixels);
    write_palette(out, palette, colors);
}
