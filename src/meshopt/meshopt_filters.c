// Filters of meshopt: decoded integers to the numbers that they stand for. What the format leaves open stays in range.
#include <math.h>

#include "meshopt/meshopt.h"

// Components of one or two bytes, little-endian.
static int32_t load_signed(const uint8_t *at, uint32_t bytes)
{
    return bytes == 1 ? (int8_t)at[0] : (int16_t)sni_load_u16(at);
}

static int32_t load_unsigned(const uint8_t *at, uint32_t bytes) { return bytes == 1 ? at[0] : sni_load_u16(at); }

// The nearest integer within least and most; halves go away from 0.
static void store(uint8_t *at, uint32_t bytes, double value, int32_t least, int32_t most)
{
    double near = value < 0 ? value - 0.5 : value + 0.5;
    int32_t integer = near <= least ? least : near >= most ? most : (int32_t)near;
    at[0] = (uint8_t)integer;
    if (bytes == 2) at[1] = (uint8_t)((uint32_t)integer >> 8);
}

// Unit vectors on an octahedron. The third number is 1 at the precision of the first two.
void sni_meshopt_octahedral(uint8_t *data, uint32_t count, uint32_t stride)
{
    const uint32_t bytes = stride / 4;
    const int32_t most = bytes == 1 ? INT8_MAX : INT16_MAX;
    for (uint32_t i = 0; i < count; i++, data += stride) {
        double v[3] = { load_signed(data, bytes), load_signed(data + bytes, bytes), 0 };
        v[2] = load_signed(data + (size_t)2 * bytes, bytes) - fabs(v[0]) - fabs(v[1]);
        double fold = v[2] < 0 ? v[2] : 0;
        v[0] -= copysign(fold, v[0]), v[1] -= copysign(fold, v[1]);
        double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        for (uint32_t c = 0; c < 3; c++)
            store(data + (size_t)c * bytes, bytes, length > 0 ? v[c] * most / length : 0, -most, most);
    }
}

// Three components of a unit quaternion, times the square root of 2. The fourth number is 1 at their precision, but its
// two lowest bits say which component is left out: the largest.
void sni_meshopt_quaternion(uint8_t *data, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, data += 8) {
        int32_t scale = load_signed(data + 6, 2), largest = scale & 3;
        double v[3], square = 1;
        for (uint32_t c = 0; c < 3; c++) {
            v[c] = load_signed(data + (size_t)2 * c, 2) / (double)(scale | 3) * sqrt(0.5);
            square -= v[c] * v[c];
        }
        store(data + (size_t)2 * (uint32_t)largest, 2, square > 0 ? sqrt(square) * INT16_MAX : 0, -INT16_MAX,
              INT16_MAX);
        for (int32_t c = 0; c < 3; c++)
            store(data + (size_t)2 * (uint32_t)((largest + 1 + c) % 4), 2, v[c] * INT16_MAX, -INT16_MAX, INT16_MAX);
    }
}

// Floats: 8 bits of a signed exponent, 24 of a signed integer. Exact; exponents below those of normal floats give 0.
void sni_meshopt_exponential(uint8_t *data, uint32_t count, uint32_t stride)
{
    for (uint64_t i = 0; i < (uint64_t)count * stride; i += 4) {
        int32_t exponent = (int8_t)data[i + 3];
        int32_t mantissa = (int32_t)(sni_load_u32(data + i) << 8) >> 8;
        uint32_t bits = exponent > -127 ? (uint32_t)(exponent + 127) << 23 : 0;
        float scale, value;
        memcpy(&scale, &bits, sizeof scale);
        value = scale * (float)mantissa;
        memcpy(&bits, &value, sizeof bits);
        for (uint32_t b = 0; b < 4; b++) data[i + b] = (uint8_t)(bits >> 8 * b);
    }
}

// YCoCg and alpha. The highest bit of the fourth number gives the precision of all; alpha has one bit less.
void sni_meshopt_color(uint8_t *data, uint32_t count, uint32_t stride)
{
    const uint32_t bytes = stride / 4;
    const int32_t most = bytes == 1 ? UINT8_MAX : UINT16_MAX;
    for (uint32_t i = 0; i < count; i++, data += stride) {
        int32_t y = load_unsigned(data, bytes), orange = load_signed(data + bytes, bytes),
                green = load_signed(data + (size_t)2 * bytes, bytes),
                alpha = load_unsigned(data + (size_t)3 * bytes, bytes), one = 0;
        while (one < alpha) one = one << 1 | 1;
        alpha &= one >> 1;
        const int32_t rgba[4] = { y + orange - green, y + green, y - orange - green, alpha << 1 | (alpha & 1) };
        for (uint32_t c = 0; c < 4; c++)
            store(data + (size_t)c * bytes, bytes, one > 0 ? (double)rgba[c] * most / one : 0, 0, most);
    }
}
