// The code of the kernels, in terms of v4 and v8. Included by motion_{scalar,sse2,avx2,neon,wasm}.c after the simd
// header of that instruction set and SNI_MOTION_KERNELS, the name of the table.
#include "anim/motion.h"

#include <math.h>

// Not in debug builds: sanitizers take minutes over functions of this size. Nor without vector instructions, where gcc
// takes half a minute and what it makes is slower.
#if defined __GNUC__ && defined NDEBUG && !defined SNI_SIMD_SCALAR_H
#    define SNI_INLINE static inline __attribute__((always_inline))
#else
#    define SNI_INLINE static inline
#endif
#ifdef __GNUC__
#    define SNI_NOINLINE __attribute__((noinline))
#else
#    define SNI_NOINLINE
#endif

static inline void prefetch(const void *at)
{
#if defined(__GNUC__)
    __builtin_prefetch(at);
#else
    (void)at;
#endif
}

static inline int lowest_bit(unsigned bits)
{
#if defined(__GNUC__)
    return __builtin_ctz(bits);
#else
    int at = 0;
    while (!(bits >> at & 1)) at++;
    return at;
#endif
}

// Arithmetic

SNI_INLINE v8 dot4(const v8 a[4], const v8 b[4], v8 plus)
{
    return v8_fma(a[0], b[0], v8_fma(a[1], b[1], v8_fma(a[2], b[2], v8_fma(a[3], b[3], plus))));
}

// The same in fewer steps, where one waits for the other.
SNI_INLINE v8 short_dot4(const v8 a[4], const v8 b[4])
{
    return v8_add(v8_fma(a[0], b[0], v8_mul(a[1], b[1])), v8_fma(a[2], b[2], v8_mul(a[3], b[3])));
}

SNI_INLINE void load4(v8 out[4], const float *from)
{
    for (int i = 0; i < 4; i++) out[i] = v8_load(from + i * SNI_LANES);
}

// Unit length; identity where there is no direction.
SNI_INLINE void store_unit(float *to, const v8 q[4])
{
    v8 zero = v8_set1(0.0f), square = short_dot4(q, q), tiny = v8_set1(1e-36f), one = v8_set1(1.0f);
    v8 factor = v8_select_greater(square, tiny, v8_rsqrt(square), zero);
    for (int i = 0; i < 3; i++) v8_store(to + i * SNI_LANES, v8_mul(q[i], factor));
    v8_store(to + 3 * SNI_LANES, v8_fma(q[3], factor, v8_select_greater(square, tiny, zero, one)));
}

// The sine of any angle of a few turns: the nearest multiple k of pi is taken off, and odd ones change the sign.
SNI_INLINE v8 sine(v8 x)
{
    v8 magic = v8_set1(12582912.0f);  // 1.5 * 2^23: adding it leaves no bits below 1
    v8 k = v8_sub(v8_fma(x, v8_set1(0.318309886f), magic), magic);
    v8 half = v8_sub(v8_fma(k, v8_set1(0.5f), magic), magic);
    v8 odd = v8_fnma(v8_set1(2.0f), half, k), sign = v8_fnma(v8_add(odd, odd), odd, v8_set1(1.0f));
    v8 r = v8_fnma(k, v8_set1(3.140625f), x);  // pi in two parts
    r = v8_fnma(k, v8_set1(9.67653589793e-4f), r);
    v8 s = v8_mul(r, r), p = v8_set1(-2.50521084e-8f);  // Taylor's series
    p = v8_fma(p, s, v8_set1(2.75573192e-6f));
    p = v8_fma(p, s, v8_set1(-1.98412698e-4f));
    p = v8_fma(p, s, v8_set1(8.33333333e-3f));
    p = v8_fma(p, s, v8_set1(-0.166666667f));
    return v8_mul(sign, v8_fma(v8_mul(r, s), p, r));
}

// acos of 0..1; Abramowitz and Stegun 4.4.46, within 2e-8.
SNI_INLINE v8 arc_cosine(v8 x)
{
    v8 p = v8_set1(-0.0012624911f);
    p = v8_fma(p, x, v8_set1(0.0066700901f));
    p = v8_fma(p, x, v8_set1(-0.0170881256f));
    p = v8_fma(p, x, v8_set1(0.0308918810f));
    p = v8_fma(p, x, v8_set1(-0.0501743046f));
    p = v8_fma(p, x, v8_set1(0.0889789874f));
    p = v8_fma(p, x, v8_set1(-0.2145988016f));
    p = v8_fma(p, x, v8_set1(1.5707963050f));
    return v8_mul(p, v8_sqrt(v8_sub(v8_set1(1.0f), x)));
}

// sni_quat_arc for any angle and any u.
SNI_INLINE void arc(v8 out[4], const v8 a[4], const v8 b[4], v8 u)
{
    v8 one = v8_set1(1.0f), limit = v8_set1(1e-6f), dot = dot4(a, b, v8_set1(0.0f));
    v8 cosine = v8_abs(dot), rest = v8_sub(one, cosine);
    v8 angle = arc_cosine(v8_min(cosine, one)), wa = v8_sub(one, u), wb = u;
    v8 over = v8_div(one, sine(v8_max(angle, v8_set1(1e-4f))));
    wa = v8_select_greater(rest, limit, v8_mul(sine(v8_mul(wa, angle)), over), wa);
    wb = v8_select_greater(rest, limit, v8_mul(sine(v8_mul(wb, angle)), over), wb);
    wb = v8_mul_sign(dot, wb);
    for (int i = 0; i < 4; i++) out[i] = v8_fma(b[i], wb, v8_mul(a[i], wa));
}

// In this order: some use functions of those before.
#include "anim/motion_sample_body.h"

#include "anim/motion_solve_body.h"

#include "anim/motion_blend_body.h"

#include "anim/crowd_kernels_body.h"

const sni_motion_kernels SNI_MOTION_KERNELS = { sample,    solve, blend,       blend_add,
                                                blend_end, add,   crowd_solve, crowd_world };
