#include "meshopt_encode.h"

#include <stdbool.h>
#include <string.h>

#include "base/reader.h"

enum { MOST_STRIDE = 256 };

uint32_t meshopt_chance(uint32_t *seed, uint32_t below)
{
    *seed = *seed * 1664525 + 1013904223;
    return (*seed >> 8) % below;
}

static uint32_t zigzag(uint32_t value, uint32_t bits)
{
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    value &= mask;
    return (value >> (bits - 1) ? ~(value << 1) : value << 1) & mask;
}

// One byte of what is stored for the difference of an element from the one before.
static uint8_t difference(const uint8_t *now, const uint8_t *before, uint32_t byte, uint8_t channel)
{
    uint32_t first = byte & ~3u, mode = channel & 15, turn = channel >> 4;
    if (mode == 0) return (uint8_t)zigzag((uint32_t)now[byte] - before[byte], 8);
    if (mode == 1) {
        uint32_t half = byte & ~1u;
        uint32_t pair = zigzag((uint32_t)sni_load_u16(now + half) - sni_load_u16(before + half), 16);
        return (uint8_t)(pair >> 8 * (byte & 1));
    }
    uint32_t changed = sni_load_u32(now + first) ^ sni_load_u32(before + first);
    uint32_t turned = changed << turn | changed >> ((32 - turn) & 31);
    return (uint8_t)(turned >> 8 * (byte & 3));
}

static uint8_t *put_group(uint8_t *out, const uint8_t values[16], uint32_t bits)
{
    if (bits == 0) return out;
    uint8_t *after = out + bits * 2;
    memset(out, 0, bits * 2);
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t most = (1u << bits) - 1, value = values[i] < most ? values[i] : most, at = i * bits;
        uint32_t shift = bits == 1 ? at % 8 : 8 - bits - at % 8;
        out[at / 8] = (uint8_t)(out[at / 8] | value << shift);
        if (bits < 8 && value == most) *after++ = values[i];
    }
    return after;
}

static uint8_t *put_plane(uint8_t *out, const uint8_t *values, uint32_t count, uint32_t control, uint32_t *seed)
{
    static const uint8_t widths[2][4] = { { 0, 1, 2, 4 }, { 1, 2, 4, 8 } };
    if (control == 2) return out;
    if (control == 3) {
        memcpy(out, values, count);
        return out + count;
    }
    uint32_t groups = (count + 15) / 16;
    uint8_t *heads = out;
    out += (groups + 3) / 4;
    memset(heads, 0, (groups + 3) / 4);
    for (uint32_t g = 0; g < groups; g++) {
        uint8_t padded[16] = { 0 };
        bool is_zero = true;
        for (uint32_t i = 0; i < 16 && g * 16 + i < count; i++) {
            padded[i] = values[g * 16 + i];
            is_zero = is_zero && padded[i] == 0;
        }
        uint32_t mode = meshopt_chance(seed, 4);
        if (control == 0 && mode == 0 && !is_zero) mode = 3;
        heads[g / 4] = (uint8_t)(heads[g / 4] | mode << 2 * (g % 4));
        out = put_group(out, padded, widths[control][mode]);
    }
    return out;
}

size_t meshopt_encode(uint8_t *out, const uint8_t *plain, uint32_t count, uint32_t stride, uint32_t *seed)
{
    uint8_t channels[MOST_STRIDE / 4], values[256], *start = out;
    uint8_t before[MOST_STRIDE], baseline[MOST_STRIDE];
    for (uint32_t c = 0; c < stride / 4; c++) {
        uint32_t mode = meshopt_chance(seed, 3);
        channels[c] = (uint8_t)(mode == 2 ? 2 | meshopt_chance(seed, 16) << 4 : mode);
    }
    for (uint32_t b = 0; b < stride; b++) before[b] = baseline[b] = (uint8_t)meshopt_chance(seed, 256);
    *out++ = 0xA1;
    uint32_t most = 8192 / stride & ~15u;
    if (most > 256) most = 256;
    for (uint32_t done = 0; done < count; done += most) {
        uint32_t now = count - done < most ? count - done : most;
        uint8_t *controls = out;
        out += stride / 4;
        memset(controls, 0, stride / 4);
        for (uint32_t b = 0; b < stride; b++) {
            bool is_zero = true;
            for (uint32_t i = 0; i < now; i++) {
                const uint8_t *element = plain + (size_t)(done + i) * stride;
                values[i] = difference(element, i > 0 ? element - stride : before, b, channels[b / 4]);
                is_zero = is_zero && values[i] == 0;
            }
            uint32_t control = meshopt_chance(seed, 4);
            if (control == 2 && !is_zero) control = 1;
            controls[b / 4] = (uint8_t)(controls[b / 4] | control << 2 * (b % 4));
            out = put_plane(out, values, now, control, seed);
        }
        memcpy(before, plain + (size_t)(done + now - 1) * stride, stride);
    }
    for (uint32_t tail = stride + stride / 4; tail < 24; tail++) *out++ = 0;
    memcpy(out, baseline, stride);
    memcpy(out + stride, channels, stride / 4);
    return (size_t)(out - start) + stride + stride / 4;
}
