// JPEG coefficients to pixels: inverse DCT, upsampling, colours. Only integers, so every machine gets the same pixels,
// and the same constants and roundings as libjpeg's accurate DCT and triangle filter, so they are also its pixels.
#include <string.h>

#include "image/jpeg_decoder.h"

// Position in a block by zigzag index.
static const uint8_t zigzag[JPEG_BLOCK] = {
    0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,  12, 19, 26, 33, 40, 48,
    41, 34, 27, 20, 13, 6,  7,  14, 21, 28, 35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23,
    30, 37, 44, 51, 58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63,
};

static inline uint8_t clamp(int32_t value)
{
    if ((uint32_t)value > 255) value = value < 0 ? 0 : 255;
    return (uint8_t)value;
}

// Eight values of a one-dimensional inverse DCT, scaled by 8192 * sqrt(8). The factors are 8192 * sqrt(2) * cos(n pi /
// 16), with the roundings that the factored form of Loeffler, Ligtenberg and Moschytz has with 13-bit constants.
// Unsigned, since damaged coefficients overflow.
typedef struct transform {
    uint32_t even[4], odd[4];
} transform;

static inline transform transform_of(uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3, uint32_t a4, uint32_t a5,
                                     uint32_t a6, uint32_t a7)
{
    uint32_t sum = (a0 + a4) << 13, difference = (a0 - a4) << 13;
    uint32_t outer = 10703 * a2 + 4433 * a6, inner = 4433 * a2 - 10704 * a6;
    return (transform){
        .even = { sum + outer, difference + inner, difference - inner, sum - outer },
        .odd = { 11363 * a1 + 9633 * a3 + 6437 * a5 + 2260 * a7, 9633 * a1 - 2259 * a3 - 11362 * a5 - 6436 * a7,
                 6437 * a1 - 11362 * a3 + 2261 * a5 + 9633 * a7, 2260 * a1 - 6436 * a3 + 9633 * a5 - 11363 * a7 },
    };
}

static inline int32_t scale_down(uint32_t value, int bits) { return (int32_t)(value + (1u << (bits - 1))) >> bits; }

static void put_flat(int32_t dc, uint8_t *out, size_t stride)
{
    uint8_t sample = clamp(128 + scale_down((uint32_t)dc, 3));
    for (int y = 0; y < JPEG_SIDE; y++) memset(out + (size_t)y * stride, sample, JPEG_SIDE);
}

static void put_samples(jpeg_block block, const uint16_t *quant, uint8_t *out, size_t stride)
{
    // The first pass keeps two bits below the point, the second drops them and the scale of the whole transform.
    enum { FIRST = 13 - 2, SECOND = 13 + 2 + 3 };
    uint32_t values[JPEG_BLOCK] = { (uint32_t)(block.coefs[0] * (int32_t)quant[0]) }, below = 0, reach = 0;
    for (uint64_t used = *block.used; used; used &= used - 1) {
        int k = __builtin_ctzll(used);
        uint32_t at = zigzag[k];
        values[at] = (uint32_t)block.coefs[k] * quant[k];
        if (at >= JPEG_SIDE) below |= 1u << at % JPEG_SIDE;
        reach |= at;
    }
    const bool is_low = !(reach & 32), is_narrow = !(reach & 4);  // only the first four rows or columns
    for (uint32_t x = 0; x < JPEG_SIDE; x++) {
        uint32_t *v = values + x;
        if (!(below >> x & 1)) {  // only the first row
            v[0] <<= 2;
            for (int y = 1; y < JPEG_SIDE; y++) v[y * 8] = v[0];
            continue;
        }
        transform t = is_low ? transform_of(v[0], v[8], v[16], v[24], 0, 0, 0, 0)
                             : transform_of(v[0], v[8], v[16], v[24], v[32], v[40], v[48], v[56]);
        for (int i = 0; i < 4; i++) {
            v[i * 8] = (uint32_t)scale_down(t.even[i] + t.odd[i], FIRST);
            v[(7 - i) * 8] = (uint32_t)scale_down(t.even[i] - t.odd[i], FIRST);
        }
    }
    for (uint32_t y = 0; y < JPEG_SIDE; y++, out += stride) {
        const uint32_t *v = values + (size_t)y * 8;
        transform t = is_narrow ? transform_of(v[0], v[1], v[2], v[3], 0, 0, 0, 0)
                                : transform_of(v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7]);
        for (int i = 0; i < 4; i++) {
            out[i] = clamp(128 + scale_down(t.even[i] + t.odd[i], SECOND));
            out[7 - i] = clamp(128 + scale_down(t.even[i] - t.odd[i], SECOND));
        }
    }
}

static size_t stride_of(const jpeg_component *c) { return (size_t)c->blocks_wide * JPEG_SIDE; }

void sni_jpeg_put_block(const jpeg_component *c, jpeg_block block, uint32_t x, uint32_t y)
{
    size_t stride = stride_of(c);
    uint8_t *out = c->rows + stride * (1 + (size_t)y * JPEG_SIDE) + (size_t)x * JPEG_SIDE;
    if (*block.used) put_samples(block, c->quant, out, stride);
    else put_flat(block.coefs[0] * (int32_t)c->quant[0], out, stride);
}

// Upsampling

// Twice as wide: each sample counts three times, its neighbour once. `far` is a row above or below that counts once
// where `near` counts three times, or `near` itself.
static void widen(const uint8_t *restrict near, const uint8_t *restrict far, uint32_t width, uint32_t left_bias,
                  uint32_t right_bias, uint8_t *restrict out)
{
    uint32_t here = 3u * near[0] + far[0], before = here;
    for (uint32_t x = 0; x < width; x++) {
        uint32_t next = x + 1 < width ? 3u * near[x + 1] + far[x + 1] : here;
        out[2 * x] = (uint8_t)((3 * here + before + left_bias) >> 4);
        out[2 * x + 1] = (uint8_t)((3 * here + next + right_bias) >> 4);
        before = here, here = next;
    }
}

// The samples of a component for a row of pixels. Ratios other than 1 and 2, and twice as wide for fewer than three
// samples, repeat the nearest sample, like libjpeg.
static const uint8_t *component_row(const jpeg *j, const jpeg_component *c, uint32_t mcu_row, uint32_t y)
{
    size_t stride = stride_of(c);
    uint32_t at = y * c->v / j->v_max;
    const uint8_t *near = c->rows + stride * (at + 1 - (size_t)mcu_row * c->v * JPEG_SIDE), *far = near;
    bool is_same_width = c->h == j->h_max, is_half_width = c->h * 2 == j->h_max && c->width > 2;
    bool is_half_height = c->v * 2 == j->v_max && (is_same_width || is_half_width);
    if (is_half_height && y % 2 == 0 && at > 0) far = near - stride;
    if (is_half_height && y % 2 == 1 && at + 1 < c->height) far = near + stride;
    if (is_half_width && (is_half_height || c->v == j->v_max)) {
        if (is_half_height) widen(near, far, c->width, 8, 7, c->wide);
        else widen(near, near, c->width, 4, 8, c->wide);
        return c->wide;
    }
    if (is_same_width && !is_half_height) return near;
    if (is_same_width) {
        uint32_t bias = y % 2 == 0 ? 1 : 2;
        for (uint32_t x = 0; x < c->width; x++) c->wide[x] = (uint8_t)((3u * near[x] + far[x] + bias) >> 2);
        return c->wide;
    }
    for (uint32_t x = 0; x < j->width; x++) c->wide[x] = near[x * c->h / j->h_max];
    return c->wide;
}

// Colours

static inline void put_rgb(int32_t y, int32_t cb, int32_t cr, uint8_t *rgb)
{
    enum { HALF = 1 << 15 };  // factors are multiplied by 65536
    cb -= 128, cr -= 128;
    rgb[0] = clamp(y + ((91881 * cr + HALF) >> 16));
    rgb[1] = clamp(y + ((-22554 * cb - 46802 * cr + HALF) >> 16));
    rgb[2] = clamp(y + ((116130 * cb + HALF) >> 16));
}

// Adobe stores inks inverted, as the light that they leave.
static inline void put_ink(bool is_inverted, uint8_t *rgb, uint32_t black)
{
    if (!is_inverted) black = 255 - black;
    for (int c = 0; c < 3; c++) {
        uint32_t light = is_inverted ? rgb[c] : 255u - rgb[c];
        rgb[c] = (uint8_t)((light * black + 127) / 255);
    }
}

static void put_pixels(const jpeg *j, const uint8_t *const rows[JPEG_COMPONENTS], uint8_t *rgba)
{
    const uint8_t *a = rows[0], *b = rows[1], *c = rows[2], *d = rows[3];
    const jpeg_colors colors = j->colors;  // copies: the compiler makes a loop for each
    const uint32_t width = j->width;
    const bool is_inverted = j->has_adobe;
    for (uint32_t x = 0; x < width; x++, rgba += 4) {
        rgba[3] = 255;
        switch (colors) {
        case JPEG_GREY: rgba[0] = rgba[1] = rgba[2] = a[x]; break;
        case JPEG_YCC: put_rgb(a[x], b[x], c[x], rgba); break;
        case JPEG_RGB: rgba[0] = a[x], rgba[1] = b[x], rgba[2] = c[x]; break;
        case JPEG_BGR: rgba[0] = c[x], rgba[1] = b[x], rgba[2] = a[x]; break;
        case JPEG_BGRA: rgba[0] = c[x], rgba[1] = b[x], rgba[2] = a[x], rgba[3] = d[x]; break;
        case JPEG_CMYK:
            rgba[0] = a[x], rgba[1] = b[x], rgba[2] = c[x];
            put_ink(is_inverted, rgba, d[x]);
            break;
        case JPEG_YCCK:  // holds red, green and blue, the inverse of the inks
            put_rgb(a[x], b[x], c[x], rgba);
            for (int i = 0; i < 3; i++) rgba[i] = (uint8_t)(255 - rgba[i]);
            put_ink(is_inverted, rgba, d[x]);
            break;
        }
    }
}

void sni_jpeg_put_rows(jpeg *j, uint32_t mcu_row)
{
    // The last row of pixels may need samples from below.
    uint32_t end = mcu_row + 1 < j->mcus_high ? (mcu_row + 1) * j->v_max * JPEG_SIDE - 1 : j->height;
    for (; j->rows_done < end; j->rows_done++) {
        const uint8_t *rows[JPEG_COMPONENTS] = { 0 };
        for (uint32_t i = 0; i < j->component_count; i++)
            rows[i] = component_row(j, &j->components[i], mcu_row, j->rows_done);
        put_pixels(j, rows, j->decode->pixels->rgba + (size_t)j->rows_done * j->width * 4);
    }
    for (uint32_t i = 0; i < j->component_count && mcu_row + 1 < j->mcus_high; i++) {
        jpeg_component *c = &j->components[i];
        memcpy(c->rows, c->rows + stride_of(c) * c->v * JPEG_SIDE, stride_of(c));
    }
}

void sni_jpeg_put_image(jpeg *j)
{
    for (uint32_t row = 0; row < j->mcus_high; row++) {
        for (uint32_t i = 0; i < j->component_count; i++) {
            const jpeg_component *c = &j->components[i];
            size_t at = (size_t)row * c->v * c->blocks_wide;
            for (uint32_t y = 0; y < c->v && row * c->v + y < c->blocks_high; y++)
                for (uint32_t x = 0; x < c->blocks_wide; x++, at++)
                    sni_jpeg_put_block(c, (jpeg_block){ &c->used[at], &c->coefs[at * JPEG_BLOCK] }, x, y);
        }
        sni_jpeg_put_rows(j, row);
    }
}
