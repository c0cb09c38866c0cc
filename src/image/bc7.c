// BC7: eight modes, selected by the lowest set bit. A block has a partition, endpoints, shared low bits, indices.
#include "image/bc.h"

#include <string.h>

#include "base/text.h"

// Tables of the format: the subset of each pixel in partitions into two and three, and the anchor pixels, whose indices
// have one bit less.
static const uint16_t halves[64] = {
    // a bit per pixel
    0xCCCC, 0x8888, 0xEEEE, 0xECC8, 0xC880, 0xFEEC, 0xFEC8, 0xEC80, 0xC800, 0xFFEC, 0xFE80, 0xE800, 0xFFE8,
    0xFF00, 0xFFF0, 0xF000, 0xF710, 0x008E, 0x7100, 0x08CE, 0x008C, 0x7310, 0x3100, 0x8CCE, 0x088C, 0x3110,
    0x6666, 0x366C, 0x17E8, 0x0FF0, 0x718E, 0x399C, 0xAAAA, 0xF0F0, 0x5A5A, 0x33CC, 0x3C3C, 0x55AA, 0x9696,
    0xA55A, 0x73CE, 0x13C8, 0x324C, 0x3BDC, 0x6996, 0xC33C, 0x9966, 0x0660, 0x0272, 0x04E4, 0x4E40, 0x2720,
    0xC936, 0x936C, 0x39C6, 0x639C, 0x9336, 0x9CC6, 0x817E, 0xE718, 0xCCF0, 0x0FCC, 0x7744, 0xEE22,
};
static const uint32_t thirds[64] = {
    // two bits per pixel
    0xAA685050, 0x6A5A5040, 0x5A5A4200, 0x5450A0A8, 0xA5A50000, 0xA0A05050, 0x5555A0A0, 0x5A5A5050,
    0xAA550000, 0xAA555500, 0xAAAA5500, 0x90909090, 0x94949494, 0xA4A4A4A4, 0xA9A59450, 0x2A0A4250,
    0xA5945040, 0x0A425054, 0xA5A5A500, 0x55A0A0A0, 0xA8A85454, 0x6A6A4040, 0xA4A45000, 0x1A1A0500,
    0x0050A4A4, 0xAAA59090, 0x14696914, 0x69691400, 0xA08585A0, 0xAA821414, 0x50A4A450, 0x6A5A0200,
    0xA9A58000, 0x5090A0A8, 0xA8A09050, 0x24242424, 0x00AA5500, 0x24924924, 0x24499224, 0x50A50A50,
    0x500AA550, 0xAAAA4444, 0x66660000, 0xA5A0A5A0, 0x50A050A0, 0x69286928, 0x44AAAA44, 0x66666600,
    0xAA444444, 0x54A854A8, 0x95809580, 0x96969600, 0xA85454A8, 0x80959580, 0xAA141414, 0x96960000,
    0xAAAA1414, 0xA05050A0, 0xA0A5A5A0, 0x96000000, 0x40804080, 0xA9A8A9A8, 0xAAAAAA44, 0x2A4A5254,
};
// clang-format off
static const uint8_t half_anchors[64] = {
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15,
    15,  2,  8,  2,  2,  8,  8, 15,  2,  8,  2,  2,  8,  8,  2,  2,
    15, 15,  6,  8,  2,  8, 15, 15,  2,  8,  2,  2,  2, 15, 15,  6,
     6,  2,  6,  8, 15, 15,  2,  2, 15, 15, 15, 15, 15,  2,  2, 15,
};
// clang-format on
static const uint8_t third_anchors[2][64] = {
    {
        3,  3,  15, 15, 8, 3,  15, 15, 8,  8,  6, 6,  6, 5,  3, 3,  3,  3,  8,  15, 3,  3,
        6,  10, 5,  8,  8, 6,  8,  5,  15, 15, 8, 15, 3, 5,  6, 10, 8,  15, 15, 3,  15, 5,
        15, 15, 15, 15, 3, 15, 5,  5,  5,  8,  5, 10, 5, 10, 8, 13, 15, 12, 3,  3,
    },
    {
        15, 8, 8, 3,  15, 15, 3,  8,  15, 15, 15, 15, 15, 15, 15, 8,  15, 8,  15, 3,  15, 8,
        15, 8, 3, 15, 6,  10, 15, 15, 10, 8,  15, 3,  15, 10, 10, 8,  9,  10, 6,  15, 8,  15,
        3,  6, 6, 8,  15, 3,  15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3,  15, 15, 8,
    }
};

typedef struct mode {
    uint8_t subsets, partition_bits, rotation_bits, swap_bits, color_bits, alpha_bits;
    uint8_t low_bits;  // 0: none, 1: one per endpoint, 2: one per subset
    uint8_t index_bits, second_index_bits;
} mode;

static const mode modes[8] = {
    { 3, 4, 0, 0, 4, 0, 1, 3, 0 }, { 2, 6, 0, 0, 6, 0, 2, 3, 0 }, { 3, 6, 0, 0, 5, 0, 0, 2, 0 },
    { 2, 6, 0, 0, 7, 0, 1, 2, 0 }, { 1, 0, 2, 1, 5, 6, 0, 2, 3 }, { 1, 0, 2, 0, 7, 8, 0, 2, 2 },
    { 1, 0, 0, 0, 7, 7, 1, 4, 0 }, { 2, 6, 0, 0, 5, 5, 1, 2, 0 },
};

typedef struct bits {
    uint64_t low, high;
} bits;  // the next bit is the lowest

static uint32_t take(bits *from, uint32_t count)
{
    if (count == 0) return 0;
    uint32_t value = (uint32_t)(from->low & ((1u << count) - 1));
    from->low = from->low >> count | from->high << (64 - count);
    from->high >>= count;
    return value;
}

static uint32_t subset_of(const mode *m, uint32_t partition, uint32_t pixel)
{
    if (m->subsets == 1) return 0;
    return m->subsets == 2 ? (uint32_t)halves[partition] >> pixel & 1 : thirds[partition] >> (2 * pixel) & 3;
}

static bool is_anchor(const mode *m, uint32_t partition, uint32_t pixel)
{
    if (pixel == 0) return true;
    if (m->subsets == 2) return pixel == half_anchors[partition];
    return m->subsets == 3 && (pixel == third_anchors[0][partition] || pixel == third_anchors[1][partition]);
}

// Stored by channel, then by endpoint. Expanded to 8 bits by repeating the highest ones.
static void read_endpoints(bits *from, const mode *m, uint8_t endpoints[6][4])
{
    uint32_t count = m->subsets * 2u, low[6] = { 0 };
    uint32_t raw[4][6] = { { 0 } };
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t e = 0; e < count; e++) raw[c][e] = take(from, c < 3 ? m->color_bits : m->alpha_bits);
    for (uint32_t e = 0; e < count && m->low_bits; e++) low[e] = m->low_bits == 2 && e % 2 ? low[e - 1] : take(from, 1);
    for (uint32_t c = 0; c < 4; c++) {
        uint32_t width = c < 3 ? m->color_bits : m->alpha_bits;
        if (width > 0 && m->low_bits) width++;
        for (uint32_t e = 0; e < count; e++) {
            uint32_t value = m->low_bits ? raw[c][e] << 1 | low[e] : raw[c][e];
            endpoints[e][c] = (uint8_t)(width ? value << (8 - width) | value >> (2 * width - 8) : 255u);
        }
    }
}

static void read_indices(bits *from, const mode *m, uint32_t partition, uint32_t width, uint8_t indices[16])
{
    for (uint32_t i = 0; i < 16; i++) indices[i] = (uint8_t)take(from, is_anchor(m, partition, i) ? width - 1 : width);
}

static uint8_t between(uint32_t a, uint32_t b, uint32_t index, uint32_t width)
{
    static const uint8_t weights[5][16] = { [2] = { 0, 21, 43, 64 },
                                            [3] = { 0, 9, 18, 27, 37, 46, 55, 64 },
                                            [4] = { 0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64 } };
    uint32_t weight = weights[width][index];
    return (uint8_t)(((64 - weight) * a + weight * b + 32) >> 6);
}

void sni_bc7_decode_block(const uint8_t block[16], uint8_t rgba[64])
{
    bits from = { sni_load_eight((const char *)block), sni_load_eight((const char *)block + 8) };
    uint32_t number = 0;
    while (number < 8 && !take(&from, 1)) number++;
    memset(rgba, 0, 64);
    if (number == 8) return;  // reserved: transparent black
    const mode *m = &modes[number];
    uint32_t partition = take(&from, m->partition_bits), rotation = take(&from, m->rotation_bits);
    bool is_swapped = take(&from, m->swap_bits);
    uint8_t endpoints[6][4], indices[16], second[16] = { 0 };
    read_endpoints(&from, m, endpoints);
    read_indices(&from, m, partition, m->index_bits, indices);
    if (m->second_index_bits) read_indices(&from, m, partition, m->second_index_bits, second);

    const uint8_t *of_color = is_swapped ? second : indices,
                  *of_alpha = m->second_index_bits && !is_swapped ? second : indices;
    uint32_t color_width = is_swapped ? m->second_index_bits : m->index_bits;
    uint32_t alpha_width = m->second_index_bits && !is_swapped ? m->second_index_bits : m->index_bits;
    for (uint32_t i = 0; i < 16; i++, rgba += 4) {
        const uint8_t *a = endpoints[2 * subset_of(m, partition, i)], *b = a + 4;
        for (int c = 0; c < 3; c++) rgba[c] = between(a[c], b[c], of_color[i], color_width);
        rgba[3] = between(a[3], b[3], of_alpha[i], alpha_width);
        if (rotation == 0) continue;
        uint8_t alpha = rgba[3];
        rgba[3] = rgba[rotation - 1];
        rgba[rotation - 1] = alpha;
    }
}
