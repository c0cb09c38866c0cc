// Four floats with WebAssembly's simd128. See simd_scalar.h.
#ifndef SNI_SIMD_WASM_H
#define SNI_SIMD_WASM_H

#include <stdint.h>
#include <wasm_simd128.h>

typedef v128_t v4;

static inline v4 v4_load(const float *from) { return wasm_v128_load(from); }
static inline v4 v4_load3(const float *from) { return wasm_v128_load32_lane(from + 2, wasm_v128_load64_zero(from), 2); }
static inline void v4_store(float *to, v4 v) { wasm_v128_store(to, v); }
static inline void v4_store3(float *to, v4 v)
{
    wasm_v128_store64_lane(to, v, 0);
    wasm_v128_store32_lane(to + 2, v, 2);
}
static inline v4 v4_set(float x, float y, float z, float w) { return wasm_f32x4_make(x, y, z, w); }
static inline v4 v4_set1(float x) { return wasm_f32x4_splat(x); }

static inline v4 v4_add(v4 a, v4 b) { return wasm_f32x4_add(a, b); }
static inline v4 v4_sub(v4 a, v4 b) { return wasm_f32x4_sub(a, b); }
static inline v4 v4_mul(v4 a, v4 b) { return wasm_f32x4_mul(a, b); }
static inline v4 v4_div(v4 a, v4 b) { return wasm_f32x4_div(a, b); }
static inline v4 v4_fma(v4 a, v4 b, v4 c) { return wasm_f32x4_add(wasm_f32x4_mul(a, b), c); }
static inline v4 v4_fnma(v4 a, v4 b, v4 c) { return wasm_f32x4_sub(c, wasm_f32x4_mul(a, b)); }
static inline v4 v4_min(v4 a, v4 b) { return wasm_f32x4_pmin(a, b); }
static inline v4 v4_max(v4 a, v4 b) { return wasm_f32x4_pmax(a, b); }
static inline v4 v4_sqrt(v4 a) { return wasm_f32x4_sqrt(a); }

static inline v4 v4_rsqrt(v4 a) { return v4_div(v4_set1(1.0f), v4_sqrt(a)); }
static inline v4 v4_reciprocal(v4 a) { return v4_div(v4_set1(1.0f), a); }
static inline v4 v4_mul_sign(v4 a, v4 b) { return wasm_v128_xor(b, wasm_v128_and(a, wasm_f32x4_splat(-0.0f))); }
static inline v4 v4_abs(v4 a) { return wasm_f32x4_abs(a); }
static inline v4 v4_select_greater(v4 a, v4 limit, v4 b, v4 c)
{
    return wasm_v128_bitselect(b, c, wasm_f32x4_gt(a, limit));
}

static inline v4 v4_x(v4 a) { return wasm_i32x4_shuffle(a, a, 0, 0, 0, 0); }
static inline v4 v4_y(v4 a) { return wasm_i32x4_shuffle(a, a, 1, 1, 1, 1); }
static inline v4 v4_z(v4 a) { return wasm_i32x4_shuffle(a, a, 2, 2, 2, 2); }
static inline v4 v4_w(v4 a) { return wasm_i32x4_shuffle(a, a, 3, 3, 3, 3); }
static inline v4 v4_yzxw(v4 a) { return wasm_i32x4_shuffle(a, a, 1, 2, 0, 3); }

static inline void v4_transpose(v4 *a, v4 *b, v4 *c, v4 *d)
{
    v4 low_ab = wasm_i32x4_shuffle(*a, *b, 0, 4, 1, 5), low_cd = wasm_i32x4_shuffle(*c, *d, 0, 4, 1, 5);
    v4 high_ab = wasm_i32x4_shuffle(*a, *b, 2, 6, 3, 7), high_cd = wasm_i32x4_shuffle(*c, *d, 2, 6, 3, 7);
    *a = wasm_i32x4_shuffle(low_ab, low_cd, 0, 1, 4, 5);
    *b = wasm_i32x4_shuffle(low_ab, low_cd, 2, 3, 6, 7);
    *c = wasm_i32x4_shuffle(high_ab, high_cd, 0, 1, 4, 5);
    *d = wasm_i32x4_shuffle(high_ab, high_cd, 2, 3, 6, 7);
}

static inline void v4_store_xyz(float *to, v4 x, v4 y, v4 z)
{
    v4 a = wasm_i32x4_shuffle(x, y, 0, 2, 4, 6), b = wasm_i32x4_shuffle(y, z, 1, 3, 5, 7);
    v4 c = wasm_i32x4_shuffle(z, x, 0, 2, 5, 7);
    wasm_v128_store(to, wasm_i32x4_shuffle(a, c, 0, 2, 4, 6));
    wasm_v128_store(to + 4, wasm_i32x4_shuffle(b, a, 0, 2, 5, 7));
    wasm_v128_store(to + 8, wasm_i32x4_shuffle(c, b, 1, 3, 5, 7));
}

static inline unsigned v4_mask_greater(v4 a, v4 b) { return (unsigned)wasm_i32x4_bitmask(wasm_f32x4_gt(a, b)); }

static inline v4 v4_load_i16(const int16_t *from)
{
    return wasm_f32x4_convert_i32x4(wasm_i32x4_extend_low_i16x8(wasm_v128_load64_zero(from)));
}

#include "base/simd_pair.h"

#endif
