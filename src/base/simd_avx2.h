// Four and eight floats with AVX2 and FMA. See simd_scalar.h.
#ifndef SNI_SIMD_AVX2_H
#define SNI_SIMD_AVX2_H

#include <immintrin.h>

#include "base/simd_sse2.h"

typedef __m256 v8;

static inline v8 v8_of(v4 low, v4 high) { return _mm256_insertf128_ps(_mm256_castps128_ps256(low), high, 1); }
static inline v8 v8_load(const float *from) { return _mm256_loadu_ps(from); }
static inline v8 v8_load_twice(const float *from) { return _mm256_broadcast_ps((const __m128 *)(const void *)from); }
static inline v8 v8_load_some(const float *from, uint32_t count)
{
    static const int32_t lanes[16] = { -1, -1, -1, -1, -1, -1, -1, -1 };
    return _mm256_maskload_ps(from, _mm256_loadu_si256((const __m256i *)(const void *)(lanes + 8 - count)));
}
static inline void v8_store(float *to, v8 v) { _mm256_storeu_ps(to, v); }
static inline v8 v8_set1(float x) { return _mm256_set1_ps(x); }
static inline v8 v8_add(v8 a, v8 b) { return _mm256_add_ps(a, b); }
static inline v8 v8_sub(v8 a, v8 b) { return _mm256_sub_ps(a, b); }
static inline v8 v8_mul(v8 a, v8 b) { return _mm256_mul_ps(a, b); }
static inline v8 v8_div(v8 a, v8 b) { return _mm256_div_ps(a, b); }
static inline v8 v8_fma(v8 a, v8 b, v8 c) { return _mm256_fmadd_ps(a, b, c); }
static inline v8 v8_fnma(v8 a, v8 b, v8 c) { return _mm256_fnmadd_ps(a, b, c); }
static inline v8 v8_min(v8 a, v8 b) { return _mm256_min_ps(a, b); }
static inline v8 v8_max(v8 a, v8 b) { return _mm256_max_ps(a, b); }
static inline v8 v8_sqrt(v8 a) { return _mm256_sqrt_ps(a); }
static inline v8 v8_rsqrt(v8 a)
{
    __m256 x = _mm256_rsqrt_ps(a), half = _mm256_mul_ps(a, _mm256_set1_ps(0.5f));
    return _mm256_mul_ps(x, v8_fnma(_mm256_mul_ps(half, x), x, _mm256_set1_ps(1.5f)));
}
static inline v8 v8_reciprocal(v8 a)
{
    __m256 x = _mm256_rcp_ps(a);
    return _mm256_mul_ps(x, v8_fnma(a, x, _mm256_set1_ps(2.0f)));
}
static inline v8 v8_mul_sign(v8 a, v8 b) { return _mm256_xor_ps(b, _mm256_and_ps(a, _mm256_set1_ps(-0.0f))); }
static inline v8 v8_abs(v8 a) { return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a); }
static inline v8 v8_select_greater(v8 a, v8 limit, v8 b, v8 c)
{
    return _mm256_blendv_ps(c, b, _mm256_cmp_ps(a, limit, _CMP_GT_OQ));
}
static inline v8 v8_load_i16(const int16_t *from)
{
    return _mm256_cvtepi32_ps(_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)from)));
}
static inline v8 v8_x(v8 a) { return _mm256_permute_ps(a, _MM_SHUFFLE(0, 0, 0, 0)); }
static inline v8 v8_y(v8 a) { return _mm256_permute_ps(a, _MM_SHUFFLE(1, 1, 1, 1)); }
static inline v8 v8_z(v8 a) { return _mm256_permute_ps(a, _MM_SHUFFLE(2, 2, 2, 2)); }
static inline v4 v8_low(v8 a) { return _mm256_castps256_ps128(a); }
static inline v4 v8_high(v8 a) { return _mm256_extractf128_ps(a, 1); }

static inline void v8_store_xyz(float *to, v8 x, v8 y, v8 z)
{
    __m256 a = _mm256_shuffle_ps(x, y, _MM_SHUFFLE(2, 0, 2, 0));  // x0 x2 y0 y2, x4 x6 y4 y6
    __m256 b = _mm256_shuffle_ps(y, z, _MM_SHUFFLE(3, 1, 3, 1));
    __m256 c = _mm256_shuffle_ps(z, x, _MM_SHUFFLE(3, 1, 2, 0));
    __m256 p = _mm256_shuffle_ps(a, c, _MM_SHUFFLE(2, 0, 2, 0));  // x0 y0 z0 x1, x4 y4 z4 x5
    __m256 q = _mm256_shuffle_ps(b, a, _MM_SHUFFLE(3, 1, 2, 0));  // y1 z1 x2 y2, ...
    __m256 r = _mm256_shuffle_ps(c, b, _MM_SHUFFLE(3, 1, 3, 1));  // z2 x3 y3 z3, ...
    _mm256_storeu_ps(to, _mm256_permute2f128_ps(p, q, 0x20));
    _mm256_storeu_ps(to + 8, _mm256_permute2f128_ps(r, p, 0x30));
    _mm256_storeu_ps(to + 16, _mm256_permute2f128_ps(q, r, 0x31));
}
static inline unsigned v8_mask_greater(v8 a, v8 b)
{
    return (unsigned)_mm256_movemask_ps(_mm256_cmp_ps(a, b, _CMP_GT_OQ));
}

static inline void v8_transpose4(v8 r[4])
{
    __m256 a = _mm256_unpacklo_ps(r[0], r[1]), b = _mm256_unpackhi_ps(r[0], r[1]);
    __m256 c = _mm256_unpacklo_ps(r[2], r[3]), d = _mm256_unpackhi_ps(r[2], r[3]);
    r[0] = _mm256_shuffle_ps(a, c, _MM_SHUFFLE(1, 0, 1, 0));
    r[1] = _mm256_shuffle_ps(a, c, _MM_SHUFFLE(3, 2, 3, 2));
    r[2] = _mm256_shuffle_ps(b, d, _MM_SHUFFLE(1, 0, 1, 0));
    r[3] = _mm256_shuffle_ps(b, d, _MM_SHUFFLE(3, 2, 3, 2));
}

static inline void v8_transpose(v8 r[8])
{
    __m256 t[8], u[8];
    for (int i = 0; i < 8; i += 2) {
        t[i] = _mm256_unpacklo_ps(r[i], r[i + 1]);
        t[i + 1] = _mm256_unpackhi_ps(r[i], r[i + 1]);
    }
    for (int i = 0; i < 8; i += 4) {
        u[i] = _mm256_shuffle_ps(t[i], t[i + 2], _MM_SHUFFLE(1, 0, 1, 0));
        u[i + 1] = _mm256_shuffle_ps(t[i], t[i + 2], _MM_SHUFFLE(3, 2, 3, 2));
        u[i + 2] = _mm256_shuffle_ps(t[i + 1], t[i + 3], _MM_SHUFFLE(1, 0, 1, 0));
        u[i + 3] = _mm256_shuffle_ps(t[i + 1], t[i + 3], _MM_SHUFFLE(3, 2, 3, 2));
    }
    for (int i = 0; i < 4; i++) {
        r[i] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x20);
        r[i + 4] = _mm256_permute2f128_ps(u[i], u[i + 4], 0x31);
    }
}

#endif
