#include "blp.h"

enum { MIPS = 16, HEADER = 156, PALETTE = 256 };

void blp_write(sni_writer *out, uint32_t width, uint32_t height, const blp_color *palette, uint32_t colors,
               const uint8_t *indices, const uint8_t *alphas)
{
    size_t pixels = (size_t)width * height;
    uint32_t head[7] = { 'B' | 'L' << 8 | 'P' << 16 | '1' << 24, 1, 8, width, height, 4, 0 };
    sni_write_words(out, head, 7);
    for (uint32_t i = 0; i < MIPS; i++) sni_write_u32(out, i == 0 ? HEADER + 4 * PALETTE : 0);
    for (uint32_t i = 0; i < MIPS; i++) sni_write_u32(out, i == 0 ? (uint32_t)(2 * pixels) : 0);
    for (uint32_t i = 0; i < PALETTE; i++) {
        blp_color color = i < colors ? palette[i] : (blp_color){ 0, 0, 0 };
        sni_write_u32(out, color.b | (uint32_t)color.g << 8 | (uint32_t)color.r << 16);
    }
    sni_write_bytes(out, indices, pixels);
    sni_write_bytes(out, alphas, pixels);
}
