// The lengths of normals, two at a time, with SSE2, which every x86-64 processor has. See count_directions in
// sanitize.c.
#ifndef SNI_SANITIZE_SSE2_H
#define SNI_SANITIZE_SSE2_H

#include <emmintrin.h>

#include "model/sanitize.h"

// Two floats as doubles.
static inline __m128d sni_load_two(const float *at)
{
    return _mm_cvtps_pd(_mm_castsi128_ps(_mm_loadl_epi64((const __m128i *)(const void *)at)));
}

// How many vectors of three floats are of unit length, up to the first pair that is not: in each half of a register the
// same operations in the same order as in sni_length_squared and sni_is_unit.
static inline uint32_t sni_count_unit_pairs(const float *vectors, uint32_t count)
{
    const __m128d low = _mm_set1_pd(1.0 - SNI_UNIT_TOLERANCE), high = _mm_set1_pd(1.0 + SNI_UNIT_TOLERANCE);
    uint32_t i = 0;
    for (; count - i >= 2; i += 2, vectors += 6) {
        const __m128d a = sni_load_two(vectors), b = sni_load_two(vectors + 2), c = sni_load_two(vectors + 4);
        const __m128d x0y0 = _mm_mul_pd(a, a), z0x1 = _mm_mul_pd(b, b), y1z1 = _mm_mul_pd(c, c);
        const __m128d x = _mm_move_sd(z0x1, x0y0), y = _mm_shuffle_pd(x0y0, y1z1, 1), z = _mm_move_sd(y1z1, z0x1);
        const __m128d square = _mm_add_pd(_mm_add_pd(x, y), z);
        const __m128d is_unit = _mm_and_pd(_mm_cmpgt_pd(square, low), _mm_cmplt_pd(square, high));
        if (_mm_movemask_pd(is_unit) != 3) break;
    }
    return i;
}

#endif
