// Mip levels for games, which need sides that are powers of two.
#include "image/image.h"

// Half as large. Colours weigh as much as they show, so that what is transparent does not bleed in.
static void halve(const sn_pixels *from, const sn_pixels *half)
{
    uint8_t *to = half->rgba;
    for (uint32_t y = 0; y < half->height; y++)
        for (uint32_t x = 0; x < half->width; x++, to += 4) {
            uint32_t sums[3] = { 0 }, plain[3] = { 0 }, alpha = 0;
            for (uint32_t k = 0; k < 4; k++) {
                const uint32_t fx = from->width > 1 ? 2 * x + (k & 1) : 0, fy = from->height > 1 ? 2 * y + (k >> 1) : 0;
                const uint8_t *at = from->rgba + 4 * ((size_t)fy * from->width + fx);
                for (int c = 0; c < 3; c++) sums[c] += (uint32_t)at[c] * at[3], plain[c] += at[c];
                alpha += at[3];
            }
            for (int c = 0; c < 3; c++)
                to[c] = (uint8_t)(alpha > 0 ? (sums[c] + alpha / 2) / alpha : (plain[c] + 2) / 4);
            to[3] = (uint8_t)((alpha + 2) / 4);
        }
}

// Bilinear, edges held.
static void stretch(const sn_pixels *from, const sn_pixels *into)
{
    const uint32_t width = into->width, height = into->height;
    uint8_t *to = into->rgba;
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++, to += 4) {
            const double px = (x + 0.5) * from->width / width - 0.5, py = (y + 0.5) * from->height / height - 0.5;
            const uint32_t x0 = px > 0 ? (uint32_t)px : 0, y0 = py > 0 ? (uint32_t)py : 0;
            const uint32_t x1 = x0 + 1 < from->width ? x0 + 1 : x0, y1 = y0 + 1 < from->height ? y0 + 1 : y0;
            const double u = px > x0 ? px - x0 : 0.0, v = py > y0 ? py - y0 : 0.0;
            const uint8_t *rows[2] = { from->rgba + 4 * (size_t)y0 * from->width,
                                       from->rgba + 4 * (size_t)y1 * from->width };
            for (uint32_t c = 0; c < 4; c++) {
                const double top = rows[0][4 * x0 + c] * (1 - u) + rows[0][4 * x1 + c] * u,
                             low = rows[1][4 * x0 + c] * (1 - u) + rows[1][4 * x1 + c] * u;
                to[c] = (uint8_t)(top * (1 - v) + low * v + 0.5);
            }
        }
}

static uint32_t power_above(uint32_t side, uint32_t least)
{
    uint32_t power = least;
    while (power < side) power *= 2;
    return power;
}

bool sni_mips_make(sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels, uint32_t least, sni_mips *mips)
{
    const uint32_t largest = 1u << (SNI_MIP_LEVELS - 1);
    if (pixels->width > largest || pixels->height > largest)
        return sni_fail(diag, SN_ERR_LIMIT, 0, "%u x %u pixels; games have sides of at most %u", pixels->width,
                        pixels->height, largest);
    const uint32_t width = power_above(pixels->width, least), height = power_above(pixels->height, least);
    *mips = (sni_mips){ .levels[0] = { .width = width, .height = height, .rgba = pixels->rgba } };
    for (sn_pixels *level = mips->levels;; level++) {
        const bool is_first = mips->count++ == 0;
        if (!is_first || width != pixels->width || height != pixels->height) {
            level->rgba = sni_new_raw(scratch, uint8_t, 4ull * level->width * level->height);
            if (!level->rgba) return false;
            if (is_first) stretch(pixels, level);
            else halve(level - 1, level);
        }
        if (level->width == 1 && level->height == 1) return true;
        level[1].width = sni_mip_side(level->width, 1), level[1].height = sni_mip_side(level->height, 1);
    }
}
