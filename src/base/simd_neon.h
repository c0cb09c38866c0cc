// Four floats with NEON on 64-bit ARM. See simd_scalar.h.
#ifndef SNI_SIMD_NEON_H
#define SNI_SIMD_NEON_H

#include <arm_neon.h>
#include <stdint.h>

typedef float32x4_t v4;

static inline v4 v4_load(const float *from) { return vld1q_f32(from); }
static inline v4 v4_load3(const float *from)
{
    return vld1q_lane_f32(from + 2, vcombine_f32(vld1_f32(from), vdup_n_f32(0)), 2);
}
static inline void v4_store(float *to, v4 v) { vst1q_f32(to, v); }
static inline void v4_store3(float *to, v4 v)
{
    vst1_f32(to, vget_low_f32(v));
    vst1q_lane_f32(to + 2, v, 2);
}
static inline v4 v4_set(float x, float y, float z, float w)
{
    const float f[4] = { x, y, z, w };
    return vld1q_f32(f);
}
static inline v4 v4_set1(float x) { return vdupq_n_f32(x); }

static inline v4 v4_add(v4 a, v4 b) { return vaddq_f32(a, b); }
static inline v4 v4_sub(v4 a, v4 b) { return vsubq_f32(a, b); }
static inline v4 v4_mul(v4 a, v4 b) { return vmulq_f32(a, b); }
static inline v4 v4_div(v4 a, v4 b) { return vdivq_f32(a, b); }
static inline v4 v4_fma(v4 a, v4 b, v4 c) { return vfmaq_f32(c, a, b); }
static inline v4 v4_fnma(v4 a, v4 b, v4 c) { return vfmsq_f32(c, a, b); }
static inline v4 v4_min(v4 a, v4 b) { return vminq_f32(a, b); }
static inline v4 v4_max(v4 a, v4 b) { return vmaxq_f32(a, b); }
static inline v4 v4_sqrt(v4 a) { return vsqrtq_f32(a); }

static inline v4 v4_rsqrt(v4 a) { return v4_div(v4_set1(1.0f), v4_sqrt(a)); }
static inline v4 v4_reciprocal(v4 a) { return v4_div(v4_set1(1.0f), a); }
static inline v4 v4_mul_sign(v4 a, v4 b)
{
    uint32x4_t sign = vandq_u32(vreinterpretq_u32_f32(a), vdupq_n_u32(0x80000000u));
    return vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(b), sign));
}
static inline v4 v4_abs(v4 a) { return vabsq_f32(a); }
static inline v4 v4_select_greater(v4 a, v4 limit, v4 b, v4 c) { return vbslq_f32(vcgtq_f32(a, limit), b, c); }

static inline v4 v4_x(v4 a) { return vdupq_laneq_f32(a, 0); }
static inline v4 v4_y(v4 a) { return vdupq_laneq_f32(a, 1); }
static inline v4 v4_z(v4 a) { return vdupq_laneq_f32(a, 2); }
static inline v4 v4_w(v4 a) { return vdupq_laneq_f32(a, 3); }
static inline v4 v4_yzxw(v4 a)
{
    float32x4_t yzwx = vextq_f32(a, a, 1);                                     // y z w x
    return vcombine_f32(vget_low_f32(yzwx), vrev64_f32(vget_high_f32(yzwx)));  // y z x w
}

static inline void v4_transpose(v4 *a, v4 *b, v4 *c, v4 *d)
{
    float32x4x2_t ab = vtrnq_f32(*a, *b), cd = vtrnq_f32(*c, *d);
    *a = vcombine_f32(vget_low_f32(ab.val[0]), vget_low_f32(cd.val[0]));
    *b = vcombine_f32(vget_low_f32(ab.val[1]), vget_low_f32(cd.val[1]));
    *c = vcombine_f32(vget_high_f32(ab.val[0]), vget_high_f32(cd.val[0]));
    *d = vcombine_f32(vget_high_f32(ab.val[1]), vget_high_f32(cd.val[1]));
}

static inline void v4_store_xyz(float *to, v4 x, v4 y, v4 z)
{
    float32x4x3_t points = { { x, y, z } };
    vst3q_f32(to, points);
}

static inline unsigned v4_mask_greater(v4 a, v4 b)
{
    const uint32_t bits[4] = { 1, 2, 4, 8 };
    return vaddvq_u32(vandq_u32(vcgtq_f32(a, b), vld1q_u32(bits)));
}

static inline v4 v4_load_i16(const int16_t *from) { return vcvtq_f32_s32(vmovl_s16(vld1_s16(from))); }

#include "base/simd_pair.h"

#endif
