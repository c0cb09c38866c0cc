// The usual form of numbers in text, inline for those who read many of them; text.h has the functions for all numbers.
#ifndef SNI_NUMBER_H
#define SNI_NUMBER_H

#include <string.h>

#include "base/text.h"

extern const double sni_powers_of_ten[23];  // 1 to 1e22, which are exact

// How many of the eight bytes, from the lowest on, are digits. A byte of 10 or more, the '0' taken off, reaches its top
// bit with 0x76; what it carries into the next byte does not matter, for the lowest mark is the one that counts.
static inline uint32_t sni_count_digits(uint64_t eight)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t bare = eight ^ ones * '0';
    uint64_t marks = ((bare + ones * 0x76) | bare) & ones * 0x80;
    return sni_bytes_below(marks);
}

// Neighbours become pairs, pairs fours, fours the whole. Bytes without a digit are 0.
static inline uint64_t sni_digits_value(uint64_t eight)
{
    eight = (eight & 0x0F0F0F0F0F0F0F0Fu) * (10 << 8 | 1) >> 8;
    eight = (eight & 0x00FF00FF00FF00FFu) * (100 << 16 | 1) >> 16;
    return (eight & 0x0000FFFF0000FFFFu) * ((uint64_t)10000 << 32 | 1) >> 32;
}

static inline bool sni_is_near_midpoint(double value)  // of two floats
{
    enum { FAR_ENOUGH = 64 };
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint32_t low = (uint32_t)bits & 0x1FFFFFFF, midpoint = 0x10000000;
    return low - (midpoint - FAR_ENOUGH) <= 2 * FAR_ENOUGH;  // a smaller low wraps around
}

// Numbers as exporters print floats: up to six digits, a point, up to twelve digits, no exponent. Returns where it
// ends. NULL: any other, or one whose rounding needs more than a double. There are at least SNI_USUAL_BYTES to read.
enum { SNI_USUAL_BYTES = 24 };
static inline const char *sni_scan_usual_float(const char *at, float *value)
{
    static const uint32_t powers[] = { 1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000 };
    const bool is_negative = *at == '-';
    at += is_negative;
    uint64_t head = (uint8_t)(*at++ - '0');
    if (head > 9) return NULL;
    if (head > 0) {
        const char *limit = at + 5;
        for (uint8_t digit; at < limit && (digit = (uint8_t)(*at - '0')) <= 9; at++) head = head * 10 + digit;
    }
    const char *fraction = at;
    if (*at == '.') {
        const uint64_t eight = sni_load_eight(at + 1);
        const uint32_t count = sni_count_digits(eight);
        if (count == 0) return NULL;
        head = head * powers[count] + sni_digits_value(eight << (64 - 8 * count));
        fraction = at + 1;
        at += 1 + count;
        const char *limit = count == 8 ? at + 4 : at;
        for (uint8_t digit; at < limit && (digit = (uint8_t)(*at - '0')) <= 9; at++) head = head * 10 + digit;
    }
    const uint8_t next = (uint8_t)*at;  // mostly a comma or a blank, which are less than a point
    if (next >= '.' && ((uint8_t)(next - '0') <= 9 || next == '.' || (next | 0x20) == 'e')) return NULL;
    const double guess = (double)(int64_t)head / sni_powers_of_ten[at - fraction];
    if (head > 0 && sni_is_near_midpoint(guess)) return NULL;
    *value = is_negative ? -(float)guess : (float)guess;
    return at;
}

#endif
