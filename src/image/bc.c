// Decoders of BC1 to BC5.
#include "image/bc.h"

#include <math.h>
#include <string.h>

#include "base/reader.h"

uint32_t sni_bc_block_bytes(sni_bc kind)
{
    return kind == SNI_BC1 || kind == SNI_BC1_OPAQUE || kind == SNI_BC4 || kind == SNI_BC4_SIGNED ? 8 : 16;
}

static uint32_t blocks_along(uint32_t side) { return side / 4 + (side % 4 ? 1 : 0); }

uint64_t sni_bc_size(sni_bc kind, uint32_t width, uint32_t height)
{
    return (uint64_t)blocks_along(width) * blocks_along(height) * sni_bc_block_bytes(kind);
}

// Two RGB565 colours and two interpolated ones; or, if the first is not larger, one interpolated and black.
static void decode_color(const uint8_t *block, bool may_be_three, uint8_t black_alpha, uint8_t *rgba)
{
    uint32_t first = sni_load_u16(block), second = sni_load_u16(block + 2), bits = sni_load_u32(block + 4);
    bool is_three = may_be_three && first <= second;
    uint8_t colors[4][4];
    for (int c = 0; c < 3; c++) {
        static const uint8_t shifts[3] = { 11, 5, 0 }, widths[3] = { 5, 6, 5 };
        uint32_t mask = (1u << widths[c]) - 1, a = first >> shifts[c] & mask, b = second >> shifts[c] & mask;
        a = a << (8 - widths[c]) | a >> (2 * widths[c] - 8);
        b = b << (8 - widths[c]) | b >> (2 * widths[c] - 8);
        colors[0][c] = (uint8_t)a;
        colors[1][c] = (uint8_t)b;
        colors[2][c] = (uint8_t)(is_three ? (a + b + 1) / 2 : (2 * a + b + 1) / 3);
        colors[3][c] = (uint8_t)(is_three ? 0 : (a + 2 * b + 1) / 3);
    }
    colors[0][3] = colors[1][3] = colors[2][3] = 255;
    colors[3][3] = is_three ? black_alpha : 255;
    for (int i = 0; i < 16; i++, bits >>= 2) memcpy(rgba + (size_t)i * 4, colors[bits & 3], 4);
}

static void decode_four_bits(const uint8_t *block, uint8_t *out)
{
    for (int i = 0; i < 16; i++) out[(size_t)i * 4] = (uint8_t)((block[i / 2] >> (i % 2 * 4) & 15) * 17);
}

// Two values and six interpolated ones; or, if the first is not larger, four interpolated ones, the minimum and the
// maximum.
static void make_ramp(const uint8_t *block, bool is_signed, uint8_t ramp[8])
{
    int a = block[0], b = block[1], range = is_signed ? 254 : 255;
    if (is_signed) {
        a = a < 128 ? a + 127 : a == 128 ? 0 : a - 129;  // -127..127 becomes 0..254; -128 is the same as -127
        b = b < 128 ? b + 127 : b == 128 ? 0 : b - 129;
    }
    int steps = a > b ? 7 : 5;
    ramp[6] = 0, ramp[7] = 255;
    for (int i = 0; i <= steps; i++) {
        int sum = (steps - i) * a + i * b, unit = steps * range;
        ramp[i == 0 ? 0 : i == steps ? 1 : i + 1] = (uint8_t)((sum * 255 + unit / 2) / unit);
    }
}

// 16 indices of three bits into the ramp; writes every fourth byte.
static void decode_ramp(const uint8_t *block, bool is_signed, uint8_t *out)
{
    uint8_t ramp[8];
    uint64_t bits = sni_load_u16(block + 2) | (uint64_t)sni_load_u32(block + 4) << 16;
    make_ramp(block, is_signed, ramp);
    for (int i = 0; i < 16; i++, bits >>= 3) out[(size_t)i * 4] = ramp[bits & 7];
}

static void decode_grey(const uint8_t *block, bool is_signed, uint8_t *rgba)
{
    decode_ramp(block, is_signed, rgba);
    for (uint8_t *at = rgba; at < rgba + 64; at += 4) at[1] = at[2] = at[0], at[3] = 255;
}

static void decode_normal(const uint8_t *block, bool is_signed, uint8_t *rgba)
{
    decode_ramp(block, is_signed, rgba);
    decode_ramp(block + 8, is_signed, rgba + 1);
    for (uint8_t *at = rgba; at < rgba + 64; at += 4) {
        int x = 2 * at[0] - 255, y = 2 * at[1] - 255, rest = 255 * 255 - x * x - y * y;
        float z = rest > 0 ? sqrtf((float)rest) : 0.0f;
        at[2] = (uint8_t)((255.0f + z) * 0.5f + 0.5f);
        at[3] = 255;
    }
}

static void decode_block(sni_bc kind, const uint8_t *block, uint8_t *rgba)
{
    switch (kind) {
    case SNI_BC1:
    case SNI_BC1_OPAQUE: decode_color(block, true, kind == SNI_BC1 ? 0 : 255, rgba); break;
    case SNI_BC2:
        decode_color(block + 8, false, 255, rgba);
        decode_four_bits(block, rgba + 3);
        break;
    case SNI_BC3:
        decode_color(block + 8, false, 255, rgba);
        decode_ramp(block, false, rgba + 3);
        break;
    case SNI_BC4:
    case SNI_BC4_SIGNED: decode_grey(block, kind == SNI_BC4_SIGNED, rgba); break;
    case SNI_BC5:
    case SNI_BC5_SIGNED: decode_normal(block, kind == SNI_BC5_SIGNED, rgba); break;
    case SNI_BC7: sni_bc7_decode_block(block, rgba); break;
    }
}

void sni_bc_decode(sni_bc kind, const uint8_t *blocks, uint32_t width, uint32_t height, uint8_t *rgba)
{
    uint32_t block_bytes = sni_bc_block_bytes(kind);
    uint8_t pixels[64];
    for (uint32_t y = 0; y < height; y += 4) {
        uint32_t rows = height - y < 4 ? height - y : 4;
        for (uint32_t x = 0; x < width; x += 4, blocks += block_bytes) {
            uint32_t columns = width - x < 4 ? width - x : 4;
            decode_block(kind, blocks, pixels);
            for (uint32_t row = 0; row < rows; row++)
                memcpy(rgba + ((size_t)(y + row) * width + x) * 4, pixels + (size_t)row * 16, (size_t)columns * 4);
        }
    }
}
