// Four floats with SSE2, which every x86-64 processor has. See simd_scalar.h.
#ifndef SNI_SIMD_SSE2_H
#define SNI_SIMD_SSE2_H

#include <emmintrin.h>
#include <stdint.h>

typedef __m128 v4;

static inline v4 v4_load(const float *from) { return _mm_loadu_ps(from); }
static inline v4 v4_load3(const float *from)
{
    __m128 xy = _mm_loadl_pi(_mm_setzero_ps(), (const __m64 *)(const void *)from);
    return _mm_movelh_ps(xy, _mm_load_ss(from + 2));
}
static inline void v4_store(float *to, v4 v) { _mm_storeu_ps(to, v); }
static inline void v4_store3(float *to, v4 v)
{
    _mm_storel_pi((__m64 *)(void *)to, v);
    _mm_store_ss(to + 2, _mm_movehl_ps(v, v));
}
static inline v4 v4_set(float x, float y, float z, float w) { return _mm_setr_ps(x, y, z, w); }
static inline v4 v4_set1(float x) { return _mm_set1_ps(x); }

static inline v4 v4_add(v4 a, v4 b) { return _mm_add_ps(a, b); }
static inline v4 v4_sub(v4 a, v4 b) { return _mm_sub_ps(a, b); }
static inline v4 v4_mul(v4 a, v4 b) { return _mm_mul_ps(a, b); }
static inline v4 v4_div(v4 a, v4 b) { return _mm_div_ps(a, b); }
#ifdef __FMA__
#    include <immintrin.h>
static inline v4 v4_fma(v4 a, v4 b, v4 c) { return _mm_fmadd_ps(a, b, c); }
static inline v4 v4_fnma(v4 a, v4 b, v4 c) { return _mm_fnmadd_ps(a, b, c); }
#else
static inline v4 v4_fma(v4 a, v4 b, v4 c) { return _mm_add_ps(_mm_mul_ps(a, b), c); }
static inline v4 v4_fnma(v4 a, v4 b, v4 c) { return _mm_sub_ps(c, _mm_mul_ps(a, b)); }
#endif
static inline v4 v4_min(v4 a, v4 b) { return _mm_min_ps(a, b); }
static inline v4 v4_max(v4 a, v4 b) { return _mm_max_ps(a, b); }
static inline v4 v4_sqrt(v4 a) { return _mm_sqrt_ps(a); }

// An estimate of 12 bits and one step of Newton's method.
static inline v4 v4_rsqrt(v4 a)
{
    __m128 x = _mm_rsqrt_ps(a), half = _mm_mul_ps(a, _mm_set1_ps(0.5f));
    return _mm_mul_ps(x, v4_fnma(_mm_mul_ps(half, x), x, _mm_set1_ps(1.5f)));
}
static inline v4 v4_reciprocal(v4 a)
{
    __m128 x = _mm_rcp_ps(a);
    return _mm_mul_ps(x, v4_fnma(a, x, _mm_set1_ps(2.0f)));
}

static inline v4 v4_mul_sign(v4 a, v4 b) { return _mm_xor_ps(b, _mm_and_ps(a, _mm_set1_ps(-0.0f))); }
static inline v4 v4_abs(v4 a) { return _mm_andnot_ps(_mm_set1_ps(-0.0f), a); }
static inline v4 v4_select_greater(v4 a, v4 limit, v4 b, v4 c)
{
    __m128 mask = _mm_cmpgt_ps(a, limit);
    return _mm_or_ps(_mm_and_ps(mask, b), _mm_andnot_ps(mask, c));
}

static inline v4 v4_x(v4 a) { return _mm_shuffle_ps(a, a, _MM_SHUFFLE(0, 0, 0, 0)); }
static inline v4 v4_y(v4 a) { return _mm_shuffle_ps(a, a, _MM_SHUFFLE(1, 1, 1, 1)); }
static inline v4 v4_z(v4 a) { return _mm_shuffle_ps(a, a, _MM_SHUFFLE(2, 2, 2, 2)); }
static inline v4 v4_w(v4 a) { return _mm_shuffle_ps(a, a, _MM_SHUFFLE(3, 3, 3, 3)); }
static inline v4 v4_yzxw(v4 a) { return _mm_shuffle_ps(a, a, _MM_SHUFFLE(3, 0, 2, 1)); }

static inline void v4_transpose(v4 *a, v4 *b, v4 *c, v4 *d) { _MM_TRANSPOSE4_PS(*a, *b, *c, *d); }

static inline void v4_store_xyz(float *to, v4 x, v4 y, v4 z)
{
    __m128 a = _mm_shuffle_ps(x, y, _MM_SHUFFLE(2, 0, 2, 0));              // x0 x2 y0 y2
    __m128 b = _mm_shuffle_ps(y, z, _MM_SHUFFLE(3, 1, 3, 1));              // y1 y3 z1 z3
    __m128 c = _mm_shuffle_ps(z, x, _MM_SHUFFLE(3, 1, 2, 0));              // z0 z2 x1 x3
    _mm_storeu_ps(to, _mm_shuffle_ps(a, c, _MM_SHUFFLE(2, 0, 2, 0)));      // x0 y0 z0 x1
    _mm_storeu_ps(to + 4, _mm_shuffle_ps(b, a, _MM_SHUFFLE(3, 1, 2, 0)));  // y1 z1 x2 y2
    _mm_storeu_ps(to + 8, _mm_shuffle_ps(c, b, _MM_SHUFFLE(3, 1, 3, 1)));  // z2 x3 y3 z3
}

static inline unsigned v4_mask_greater(v4 a, v4 b) { return (unsigned)_mm_movemask_ps(_mm_cmpgt_ps(a, b)); }

static inline v4 v4_load_i16(const int16_t *from)
{
    __m128i words = _mm_loadl_epi64((const __m128i *)(const void *)from);
    return _mm_cvtepi32_ps(_mm_srai_epi32(_mm_unpacklo_epi16(words, words), 16));
}

#ifndef SNI_SIMD_AVX2_H  // which has eight floats of its own
#    include "base/simd_pair.h"
#endif

#endif
