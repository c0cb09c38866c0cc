// Four floats without vector instructions. The other simd headers define the same names; a kernel includes one of them.
#ifndef SNI_SIMD_SCALAR_H
#define SNI_SIMD_SCALAR_H

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct v4 {
    float f[4];
} v4;

static inline v4 v4_load(const float *from)
{
    v4 v = { { from[0], from[1], from[2], from[3] } };
    return v;
}

static inline v4 v4_load3(const float *from)  // the fourth is 0; reads three
{
    v4 v = { { from[0], from[1], from[2], 0.0f } };
    return v;
}

static inline void v4_store(float *to, v4 v) { to[0] = v.f[0], to[1] = v.f[1], to[2] = v.f[2], to[3] = v.f[3]; }
static inline void v4_store3(float *to, v4 v) { to[0] = v.f[0], to[1] = v.f[1], to[2] = v.f[2]; }  // writes three

static inline v4 v4_set(float x, float y, float z, float w)
{
    v4 v = { { x, y, z, w } };
    return v;
}

static inline v4 v4_set1(float x) { return v4_set(x, x, x, x); }

// `expression` of each lane i. No loop: gcc takes longer over it, and what it makes is slower.
#define SNI_LANE(lane, expression) \
    {                              \
        enum { i = lane };         \
        out.f[i] = expression;     \
    }
#define SNI_EACH(expression) \
    v4 out;                  \
    SNI_LANE(0, expression)  \
    SNI_LANE(1, expression)  \
    SNI_LANE(2, expression)  \
    SNI_LANE(3, expression)  \
    return out

static inline v4 v4_add(v4 a, v4 b) { SNI_EACH(a.f[i] + b.f[i]); }
static inline v4 v4_sub(v4 a, v4 b) { SNI_EACH(a.f[i] - b.f[i]); }
static inline v4 v4_mul(v4 a, v4 b) { SNI_EACH(a.f[i] * b.f[i]); }
static inline v4 v4_div(v4 a, v4 b) { SNI_EACH(a.f[i] / b.f[i]); }
static inline v4 v4_fma(v4 a, v4 b, v4 c) { SNI_EACH(a.f[i] * b.f[i] + c.f[i]); }   // a * b + c
static inline v4 v4_fnma(v4 a, v4 b, v4 c) { SNI_EACH(c.f[i] - a.f[i] * b.f[i]); }  // c - a * b
static inline v4 v4_min(v4 a, v4 b) { SNI_EACH(a.f[i] < b.f[i] ? a.f[i] : b.f[i]); }
static inline v4 v4_max(v4 a, v4 b) { SNI_EACH(a.f[i] > b.f[i] ? a.f[i] : b.f[i]); }
static inline v4 v4_sqrt(v4 a) { SNI_EACH(sqrtf(a.f[i])); }
// Within 4e-7 of 1 / sqrt(a) and 1 / a, for a from 1e-36 to 1e36; elsewhere anything.
static inline v4 v4_rsqrt(v4 a) { SNI_EACH(1.0f / sqrtf(a.f[i])); }
static inline v4 v4_reciprocal(v4 a) { SNI_EACH(1.0f / a.f[i]); }

// b with the sign of a: negated where a is negative.
static inline float sni_mul_sign(float a, float b)  // by bits: gcc 12 fails on signbit in some loops
{
    uint32_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    y ^= x & 0x80000000u;
    memcpy(&b, &y, sizeof b);
    return b;
}
static inline v4 v4_mul_sign(v4 a, v4 b) { SNI_EACH(sni_mul_sign(a.f[i], b.f[i])); }
static inline v4 v4_abs(v4 a) { SNI_EACH(fabsf(a.f[i])); }
// b where a > limit, else c.
static inline v4 v4_select_greater(v4 a, v4 limit, v4 b, v4 c) { SNI_EACH(a.f[i] > limit.f[i] ? b.f[i] : c.f[i]); }

#undef SNI_EACH

static inline v4 v4_x(v4 a) { return v4_set1(a.f[0]); }
static inline v4 v4_y(v4 a) { return v4_set1(a.f[1]); }
static inline v4 v4_z(v4 a) { return v4_set1(a.f[2]); }
static inline v4 v4_w(v4 a) { return v4_set1(a.f[3]); }
static inline v4 v4_yzxw(v4 a) { return v4_set(a.f[1], a.f[2], a.f[0], a.f[3]); }

static inline void v4_transpose(v4 *a, v4 *b, v4 *c, v4 *d)
{
    v4 x = *a, y = *b, z = *c, w = *d;
    *a = v4_set(x.f[0], y.f[0], z.f[0], w.f[0]);
    *b = v4_set(x.f[1], y.f[1], z.f[1], w.f[1]);
    *c = v4_set(x.f[2], y.f[2], z.f[2], w.f[2]);
    *d = v4_set(x.f[3], y.f[3], z.f[3], w.f[3]);
}

// Four points from x, y and z of each: twelve floats.
static inline void v4_store_xyz(float *to, v4 x, v4 y, v4 z)
{
    for (int i = 0; i < 4; i++) to[3 * i] = x.f[i], to[3 * i + 1] = y.f[i], to[3 * i + 2] = z.f[i];
}

// Bit i: whether a > b in lane i.
static inline unsigned v4_mask_greater(v4 a, v4 b)
{
    unsigned mask = 0;
    for (int i = 0; i < 4; i++) mask |= (unsigned)(a.f[i] > b.f[i]) << i;
    return mask;
}

static inline v4 v4_load_i16(const int16_t *from) { return v4_set(from[0], from[1], from[2], from[3]); }

#include "base/simd_pair.h"

#endif
