// The code of the kernels, in terms of v4 and v8. Included by motion_{scalar,sse2,avx2,neon,wasm}.c after the simd
// header of that instruction set and SNI_MOTION_KERNELS, the name of the table.
#include "anim/motion.h"

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

static inline void prefetch(const float *at)
{
#if defined(__GNUC__)
    __builtin_prefetch(at);
#else
    (void)at;
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

// Sampling

// The weights of slerp as polynomials. With y = cos(angle) - 1 the weight of the later key,
// sin(u * angle) / sin(angle), is u * (1 + c1 y + c2 y^2 + ...), where each coefficient is the one before times
// (u^2 - i^2) / (i (2 i + 1)): the hypergeometric series. The weight of the earlier key is the same for 1 - u. All keys
// of a frame have the same u, so coefficients are computed once per frame.
typedef struct slerp_series {
    float from[9], to[9];
} slerp_series;

SNI_INLINE void fill_series(slerp_series *series, float u, int degree)
{
    float v = 1.0f - u, uu = u * u, vv = v * v;
    series->from[0] = v, series->to[0] = u;
    for (int i = 1; i <= degree; i++) {
        float over = 1.0f / (float)(i * (2 * i + 1)), square = (float)(i * i);
        series->from[i] = series->from[i - 1] * ((vv - square) * over);
        series->to[i] = series->to[i - 1] * ((uu - square) * over);
    }
}

SNI_INLINE void slerp_weights(const slerp_series *series, int degree, v8 y, v8 *wa, v8 *wb)
{
    *wa = v8_set1(series->from[degree]), *wb = v8_set1(series->to[degree]);
    for (int i = degree - 1; i >= 0; i--) {
        *wa = v8_fma(*wa, y, v8_set1(series->from[i]));
        *wb = v8_fma(*wb, y, v8_set1(series->to[i]));
    }
}

SNI_INLINE void sample_slerp(const uint8_t *from, const uint8_t *to, uint32_t count, const uint32_t *places,
                             float *locals, const slerp_series *series, int degree)
{
    for (uint32_t i = 0; i < count; i++, from += 128, to += 128) {
        v8 a[4], b[4], wa, wb;
        float *out = locals + places[i];
        load4(a, (const float *)(const void *)from);
        load4(b, (const float *)(const void *)to);
        slerp_weights(series, degree, dot4(a, b, v8_set1(-1.0f)), &wa, &wb);
        for (int k = 0; k < 4; k++) v8_store(out + k * SNI_LANES, v8_fma(b[k], wb, v8_mul(a[k], wa)));
    }
}

// The length of a mix of unit vectors is sqrt(1 - s) with s = 2 u (1 - u) (1 - cos(angle)): for small angles the first
// terms of its series do, and need no square root.
SNI_INLINE void sample_nlerp_small(const uint8_t *from, const uint8_t *to, uint32_t count, const uint32_t *places,
                                   float *locals, float u)
{
    v8 wa = v8_set1(1.0f - u), wb = v8_set1(u), one = v8_set1(1.0f);
    float s = -u * (1.0f - u);
    v8 c1 = v8_set1(s), c2 = v8_set1(1.5f * s * s);
    for (uint32_t i = 0; i < count; i++, from += 128, to += 128) {
        v8 a[4], b[4];
        float *out = locals + places[i];
        load4(a, (const float *)(const void *)from);
        load4(b, (const float *)(const void *)to);
        v8 y = dot4(a, b, v8_set1(-1.0f)), factor = v8_fma(v8_fma(c2, y, c1), y, one);
        v8 fa = v8_mul(factor, wa), fb = v8_mul(factor, wb);
        for (int k = 0; k < 4; k++) v8_store(out + k * SNI_LANES, v8_fma(b[k], fb, v8_mul(a[k], fa)));
    }
}

SNI_INLINE void sample_nlerp(const uint8_t *from, const uint8_t *to, uint32_t count, const uint32_t *places,
                             float *locals, float u)
{
    v8 wa = v8_set1(1.0f - u), wb = v8_set1(u);
    for (uint32_t i = 0; i < count; i++, from += 128, to += 128) {
        v8 a[4], b[4];
        load4(a, (const float *)(const void *)from);
        load4(b, (const float *)(const void *)to);
        for (int k = 0; k < 4; k++) a[k] = v8_fma(b[k], wb, v8_mul(a[k], wa));
        store_unit(locals + places[i], a);
    }
}

SNI_INLINE void sample_lerp(const uint8_t *from, const uint8_t *to, uint32_t count, const uint32_t *places,
                            float *locals, float u)
{
    v8 wa = v8_set1(1.0f - u), wb = v8_set1(u);
    for (uint32_t i = 0; i < count; i++, from += 96, to += 96) {
        const float *a = (const float *)(const void *)from, *b = (const float *)(const void *)to;
        float *out = locals + places[i];
        for (int k = 0; k < 3 * SNI_LANES; k += SNI_LANES)
            v8_store(out + k, v8_fma(v8_load(b + k), wb, v8_mul(v8_load(a + k), wa)));
    }
}

SNI_INLINE v8 polynomial(const float *rows, v8 u)
{
    v8 sum = v8_load(rows + 3 * SNI_LANES);
    for (int i = 2; i >= 0; i--) sum = v8_fma(sum, u, v8_load(rows + i * SNI_LANES));
    return sum;
}

static void sample_cubic(const uint8_t *from, uint32_t count, const uint32_t *places, float *locals, float u)
{
    v8 at = v8_set1(u);
    for (uint32_t i = 0; i < count; i++, from += 12 * 32) {
        const float *rows = (const float *)(const void *)from;
        float *out = locals + places[i];
        for (int k = 0; k < 3; k++) v8_store(out + k * SNI_LANES, polynomial(rows + k * 4 * SNI_LANES, at));
    }
}

static void sample_cubic_rotation(const uint8_t *from, uint32_t count, const uint32_t *places, float *locals, float u)
{
    v8 at = v8_set1(u), q[4];
    for (uint32_t i = 0; i < count; i++, from += 16 * 32) {
        const float *rows = (const float *)(const void *)from;
        for (int k = 0; k < 4; k++) q[k] = polynomial(rows + k * 4 * SNI_LANES, at);
        store_unit(locals + places[i], q);
    }
}

static void sample_squad(const uint8_t *from, uint32_t count, const uint32_t *places, float *locals, float u)
{
    for (uint32_t i = 0; i < count; i++, from += SNI_SQUAD_ROWS * 32) {
        const float *rows = (const float *)(const void *)from;
        v8 q[4][4], outer[4], inner[4], out[4], one = v8_set1(1.0f);
        for (int k = 0; k < 4; k++) load4(q[k], rows + k * 4 * SNI_LANES);
        v8 at = v8_fma(v8_set1(u), v8_load(rows + 17 * SNI_LANES), v8_load(rows + 16 * SNI_LANES));
        arc(outer, q[0], q[1], at);
        arc(inner, q[2], q[3], at);
        arc(out, outer, inner, v8_mul(v8_add(at, at), v8_sub(one, at)));
        store_unit(locals + places[i], out);
    }
}

static void sample_lerp_i16(const uint8_t *from, const uint8_t *to, uint32_t count, const uint32_t *places,
                            const float *ranges, float *locals, float u)
{
    v8 wa = v8_set1(1.0f - u), wb = v8_set1(u);
    for (uint32_t i = 0; i < count; i++, from += 48, to += 48, ranges += SNI_RANGE_FLOATS) {
        const int16_t *a = (const int16_t *)(const void *)from, *b = (const int16_t *)(const void *)to;
        float *out = locals + places[i];
        for (int k = 0; k < 3 * SNI_LANES; k += SNI_LANES) {
            v8 mixed = v8_fma(v8_load_i16(b + k), wb, v8_mul(v8_load_i16(a + k), wa));
            v8_store(out + k, v8_fma(mixed, v8_load(ranges + k), v8_load(ranges + 3 * SNI_LANES + k)));
        }
    }
}

SNI_INLINE void sample_rotation_i16(const uint8_t *from, const uint8_t *to, uint32_t count, const uint32_t *places,
                                    float *locals, const slerp_series *series, int degree)
{
    v8 over = v8_set1(1.0f / (32767.0f * 32767.0f)), one = v8_set1(1.0f);
    for (uint32_t i = 0; i < count; i++, from += 64, to += 64) {
        v8 a[4], b[4], wa, wb;
        for (int k = 0; k < 4; k++) {
            a[k] = v8_load_i16((const int16_t *)(const void *)from + k * SNI_LANES);
            b[k] = v8_load_i16((const int16_t *)(const void *)to + k * SNI_LANES);
        }
        v8 y = v8_sub(v8_mul(dot4(a, b, v8_set1(0.0f)), over), one);
        slerp_weights(series, degree, y, &wa, &wb);
        for (int k = 0; k < 4; k++) a[k] = v8_fma(b[k], wb, v8_mul(a[k], wa));
        store_unit(locals + places[i], a);
    }
}

// All entries of a timeline.
static void sample_frames(const sni_timeline *line, const sni_frames *at, float *locals)
{
    const uint8_t *from = at->from, *to = at->to;
    const uint32_t *places = line->places;
    slerp_series series;
    float u = at->u;
    for (uint32_t kind = 0; kind < SNI_KIND_COUNT && line->kinds >> kind; kind++) {
        uint32_t count = line->counts[kind];
        if (count == 0) continue;
        switch (kind) {
        case SNI_LERP: sample_lerp(from, to, count, places, locals, u); break;
        case SNI_CUBIC: sample_cubic(from, count, places, locals, u); break;
        case SNI_SLERP_2:
            fill_series(&series, u, 2);
            sample_slerp(from, to, count, places, locals, &series, 2);
            break;
        case SNI_SLERP_4:
            fill_series(&series, u, 4);
            sample_slerp(from, to, count, places, locals, &series, 4);
            break;
        case SNI_SLERP_8:
            fill_series(&series, u, 8);
            sample_slerp(from, to, count, places, locals, &series, 8);
            break;
        case SNI_NLERP_2: sample_nlerp_small(from, to, count, places, locals, u); break;
        case SNI_NLERP: sample_nlerp(from, to, count, places, locals, u); break;
        case SNI_CUBIC_ROTATION: sample_cubic_rotation(from, count, places, locals, u); break;
        case SNI_SQUAD: sample_squad(from, count, places, locals, u); break;
        case SNI_LERP_I16: sample_lerp_i16(from, to, count, places, line->ranges, locals, u); break;
        case SNI_SLERP_I16:
            fill_series(&series, u, 8);
            sample_rotation_i16(from, to, count, places, locals, &series, 8);
            break;
        case SNI_NLERP_I16:
            fill_series(&series, u, 0);
            sample_rotation_i16(from, to, count, places, locals, &series, 0);
            break;
        default: break;
        }
        size_t size = (size_t)count * sni_kind_bytes(kind);
        from += size, to += size, places += count;
    }
}

// Entry by entry through a block of its own, of which only some lanes are taken.
static void sample_overlay(const sni_timeline *line, const sni_frames *at, float *locals)
{
    sni_frames rest = *at;
    uint32_t entry = 0, ranges = 0;
    for (uint32_t kind = 0; kind < SNI_KIND_COUNT; kind++) {
        for (uint32_t i = 0; i < line->counts[kind]; i++, entry++) {
            float rows[4 * SNI_LANES];
            uint32_t zero = 0, row_count = sni_kind_rows(kind) == 3 || kind == SNI_CUBIC ? 3 : 4;
            sni_timeline one = { .places = &zero, .kinds = 1u << kind };
            one.counts[kind] = 1;
            if (kind == SNI_LERP_I16) one.ranges = line->ranges + (size_t)SNI_RANGE_FLOATS * ranges++;
            sample_frames(&one, &rest, rows);
            for (uint32_t k = 0; k < row_count * SNI_LANES; k++)
                if (line->lanes[entry] >> k % SNI_LANES & 1) locals[line->places[entry] + k] = rows[k];
            rest.from += sni_kind_bytes(kind), rest.to += sni_kind_bytes(kind);
        }
    }
}

// The weights of slerp where each lane has its own u.
SNI_INLINE void lane_slerp_weights(v8 u, int degree, v8 y, v8 *wa, v8 *wb)
{
    v8 v = v8_sub(v8_set1(1.0f), u), uu = v8_mul(u, u), vv = v8_mul(v, v), a = v, b = u, power_a = v, power_b = u;
    for (int i = 1; i <= degree; i++) {
        v8 factor = v8_mul(y, v8_set1(1.0f / (float)(i * (2 * i + 1)))), square = v8_set1((float)(i * i));
        power_a = v8_mul(power_a, v8_mul(factor, v8_sub(vv, square)));
        power_b = v8_mul(power_b, v8_mul(factor, v8_sub(uu, square)));
        a = v8_add(a, power_a), b = v8_add(b, power_b);
    }
    *wa = a, *wb = b;
}

SNI_INLINE void lane_slerp(const v8 a[4], const v8 b[4], v8 u, int degree, float *out)
{
    v8 wa, wb;
    lane_slerp_weights(u, degree, dot4(a, b, v8_set1(-1.0f)), &wa, &wb);
    for (int k = 0; k < 4; k++) v8_store(out + k * SNI_LANES, v8_fma(b[k], wb, v8_mul(a[k], wa)));
}

// Eight floats of each of eight keys.
SNI_INLINE void load_lanes(v8 rows[8], const float *const keys[SNI_LANES], uint32_t start)
{
    for (int i = 0; i < SNI_LANES; i++) rows[i] = v8_load(keys[i] + start);
    v8_transpose(rows);
}

// The first four floats of each.
SNI_INLINE void load_lanes4(v8 rows[4], const float *const keys[SNI_LANES], uint32_t start)
{
    for (int i = 0; i < 4; i++) rows[i] = v8_of(v4_load(keys[i] + start), v4_load(keys[i + 4] + start));
    v8_transpose4(rows);
}

SNI_INLINE v8 lane_polynomial(const v8 rows[4], v8 u)
{
    return v8_fma(v8_fma(v8_fma(rows[3], u, rows[2]), u, rows[1]), u, rows[0]);
}

SNI_INLINE void sample_lanes_of(uint32_t kind, const sni_lane_entry *entry, float time, float clock, float *out)
{
    uint32_t floats = sni_lane_floats(kind), time_at = sni_lane_time(kind);
    const float *keys[SNI_LANES];
    v8 now = v8_set1(time), one = v8_set1(1.0f), rows[24], q[4];
    if (entry->has_periods) {
        float times[SNI_LANES];
        for (int i = 0; i < SNI_LANES; i++) {
            times[i] = entry->periods[i] > 0.0f ? sni_wrap_time(clock, entry->periods[i]) : time;
            keys[i] = sni_lane_find(entry, i, times[i], floats, time_at);
        }
        now = v8_load(times);
    } else {
        for (int i = 0; i < SNI_LANES; i++) keys[i] = sni_lane_find(entry, i, time, floats, time_at);
    }
    for (int i = 0; i < SNI_LANES; i++) prefetch(keys[i] + 2 * floats);  // what playing on will need
    for (uint32_t k = 0; k < time_at / 8 * 8; k += 8) load_lanes(rows + k, keys, k);
    if (time_at % 8 == 4 && time_at < 16) load_lanes(rows + time_at - 4, keys, time_at - 4);
    else load_lanes4(rows + time_at / 8 * 8, keys, time_at / 8 * 8);
    if (kind == SNI_SQUAD) load_lanes4(rows + 20, keys, 20);
    v8 u = v8_mul(v8_sub(now, rows[time_at]), rows[time_at + 2]);
    switch (kind) {
    case SNI_LERP:
        load_lanes4(q, keys, floats);
        for (int k = 0; k < 3; k++) v8_store(out + k * SNI_LANES, v8_fma(q[k], u, v8_mul(rows[k], v8_sub(one, u))));
        break;
    case SNI_CUBIC:
        for (int k = 0; k < 3; k++) v8_store(out + k * SNI_LANES, lane_polynomial(rows + k * 4, u));
        break;
    case SNI_CUBIC_ROTATION:
        for (int k = 0; k < 4; k++) q[k] = lane_polynomial(rows + k * 4, u);
        store_unit(out, q);
        break;
    case SNI_SQUAD: {
        v8 at = v8_fma(u, rows[17], rows[16]), outer[4], inner[4];
        arc(outer, rows, rows + 4, at);
        arc(inner, rows + 8, rows + 12, at);
        arc(q, outer, inner, v8_mul(v8_add(at, at), v8_sub(one, at)));
        store_unit(out, q);
        break;
    }
    case SNI_NLERP:
        load_lanes4(q, keys, floats);
        for (int k = 0; k < 4; k++) q[k] = v8_fma(q[k], u, v8_mul(rows[k], v8_sub(one, u)));
        store_unit(out, q);
        break;
    default:
        load_lanes4(q, keys, floats);
        lane_slerp(rows, q, u, kind == SNI_SLERP_2 ? 2 : kind == SNI_SLERP_4 ? 4 : 8, out);
        break;
    }
}

static void sample_lanes(const sni_lane_entry *entry, float time, float clock, float *out)
{
    switch (entry->kind) {
    case SNI_LERP: sample_lanes_of(SNI_LERP, entry, time, clock, out); break;
    case SNI_CUBIC: sample_lanes_of(SNI_CUBIC, entry, time, clock, out); break;
    case SNI_CUBIC_ROTATION: sample_lanes_of(SNI_CUBIC_ROTATION, entry, time, clock, out); break;
    case SNI_SQUAD: sample_lanes_of(SNI_SQUAD, entry, time, clock, out); break;
    case SNI_SLERP_2: sample_lanes_of(SNI_SLERP_2, entry, time, clock, out); break;
    case SNI_SLERP_4: sample_lanes_of(SNI_SLERP_4, entry, time, clock, out); break;
    case SNI_SLERP_8: sample_lanes_of(SNI_SLERP_8, entry, time, clock, out); break;
    default: sample_lanes_of(SNI_NLERP, entry, time, clock, out); break;
    }
}

static void sample_lane_entry(const sni_lane_entry *entry, float time, float clock, float *locals)
{
    float rows[4 * SNI_LANES], *out = locals + entry->place;
    if (entry->lanes == 255) {
        sample_lanes(entry, time, clock, out);
        return;
    }
    uint32_t count = entry->kind == SNI_LERP || entry->kind == SNI_CUBIC ? 3 : 4;
    sample_lanes(entry, time, clock, rows);
    for (uint32_t k = 0; k < count * SNI_LANES; k++)
        if (entry->lanes >> k % SNI_LANES & 1) out[k] = rows[k];
}

static void sample(const sni_motion_clip *clip, float time, float clock, sni_trs8 *locals)
{
    uint32_t i = 0;
    float *out = sni_trs8_floats(locals);
    for (; i < clip->timeline_count && !clip->timelines[i].is_overlay; i++) {
        const sni_timeline *line = &clip->timelines[i];
        sni_frames at = sni_timeline_find(line, line->period > 0.0f ? sni_wrap_time(clock, line->period) : time);
        sample_frames(line, &at, out);
    }
    for (uint32_t k = 0; k < clip->lane_entry_count; k++) sample_lane_entry(&clip->lane_entries[k], time, clock, out);
    for (; i < clip->timeline_count; i++) {
        const sni_timeline *line = &clip->timelines[i];
        sni_frames at = sni_timeline_find(line, line->period > 0.0f ? sni_wrap_time(clock, line->period) : time);
        sample_overlay(line, &at, out);
    }
}

// Solving

typedef struct matrix {
    v8 rows01;
    v4 row2;
} matrix;

SNI_INLINE matrix load_matrix(const sn_mat34 *from)
{
    matrix m = { v8_load(from->m[0]), v4_load(from->m[2]) };
    return m;
}

SNI_INLINE void store_matrix(sn_mat34 *to, matrix m)
{
    v8_store(&to->m[0][0], m.rows01);
    v4_store(to->m[2], m.row2);
}

// `b` has three rows of four floats, `stride` floats apart.
SNI_INLINE matrix multiply(matrix a, const float *b, int stride)
{
    const float last[8] = { 0, 0, 0, 1, 0, 0, 0, 1 };
    v8 b0 = v8_load_twice(b), b1 = v8_load_twice(b + stride), b2 = v8_load_twice(b + 2 * stride), moved = v8_load(last);
    v8 left = v8_fma(v8_y(a.rows01), b1, v8_mul(v8_x(a.rows01), b0));
    v8 right = v8_fma(v8_z(a.rows01), b2, v8_mul(a.rows01, moved));
    v4 low = v4_fma(v4_y(a.row2), v8_low(b1), v4_mul(v4_x(a.row2), v8_low(b0)));
    v4 high = v4_fma(v4_z(a.row2), v8_low(b2), v4_mul(a.row2, v8_low(moved)));
    matrix out = { v8_add(left, right), v4_add(low, high) };
    return out;
}

// Rotation matrices of eight nodes or instances.
SNI_INLINE void rotation_matrix(const v8 q[4], v8 m[3][4])
{
    v8 x = q[0], y = q[1], z = q[2], w = q[3];
    v8 x2 = v8_add(x, x), y2 = v8_add(y, y), z2 = v8_add(z, z), one = v8_set1(1.0f);
    v8 xx = v8_mul(x, x2), yy = v8_mul(y, y2), wx = v8_mul(w, x2), wy = v8_mul(w, y2), wz = v8_mul(w, z2);
    m[0][0] = v8_fnma(z, z2, v8_sub(one, yy));
    m[0][1] = v8_sub(v8_mul(x, y2), wz);
    m[0][2] = v8_fma(x, z2, wy);
    m[1][0] = v8_fma(x, y2, wz);
    m[1][1] = v8_fnma(z, z2, v8_sub(one, xx));
    m[1][2] = v8_sub(v8_mul(y, z2), wx);
    m[2][0] = v8_sub(v8_mul(x, z2), wy);
    m[2][1] = v8_fma(y, z2, wx);
    m[2][2] = v8_sub(v8_sub(one, xx), yy);
}

// Local matrices of the same.
SNI_INLINE void trs_matrix(const v8 t[3], const v8 q[4], const v8 s[3], bool parent_axes, v8 m[3][4])
{
    rotation_matrix(q, m);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) m[r][c] = v8_mul(m[r][c], s[parent_axes ? r : c]);
        m[r][3] = t[r];
    }
}

// The local matrices of a block as they come out of the transposition: row r of node i begins at local_row(i) + r *
// LOCAL_STRIDE.
enum { LOCAL_STRIDE = 4 * SNI_LANES };

SNI_INLINE int local_row(int node) { return node % 4 * SNI_LANES + node / 4 * 4; }

// Scale and translation are read where they are used: there are not registers for all.
SNI_INLINE void local_matrices(const sni_trs8 *restrict b, bool parent_axes, float *restrict out)
{
    v8 q[4], m[3][4];
    load4(q, b->rows + 3 * SNI_LANES);
    rotation_matrix(q, m);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) m[r][c] = v8_mul(m[r][c], v8_load(b->s[parent_axes ? r : c]));
        m[r][3] = v8_load(b->t[r]);
        v8_transpose4(m[r]);
        for (int i = 0; i < 4; i++) v8_store(out + r * LOCAL_STRIDE + i * SNI_LANES, m[r][i]);
    }
}

static SNI_NOINLINE void local_matrices_plain(const sni_trs8 *restrict b, float *restrict out)
{
    local_matrices(b, false, out);
}

static SNI_NOINLINE void local_matrices_parent_axes(const sni_trs8 *restrict b, float *restrict out)
{
    local_matrices(b, true, out);
}

static void solve(const sn_motion *motion, sn_pose *pose, const sn_view *view)
{
    sni_accumulated root_sum = { { 0, 0, 0, 1 }, { 1, 1, 1 } };
    if (motion->has_exact) root_sum = sni_accumulated_of(&pose->root);
    matrix root = load_matrix(&pose->root), world = root;
    const int32_t *parents = motion->parents;
    sn_mat34 *worlds = pose->worlds;
    int32_t solved = -1, node_count = (int32_t)motion->model->node_count;  // solved: the node that `world` belongs to
    for (int32_t first = 0; first < node_count; first += SNI_LANES) {
        float locals[3 * LOCAL_STRIDE];
        int32_t end = node_count - first < SNI_LANES ? node_count : first + SNI_LANES, block = first / SNI_LANES;
        uint32_t exact = motion->exact_lanes[block];
        if (motion->parent_axes[block]) local_matrices_parent_axes(&pose->locals[block], locals);
        else local_matrices_plain(&pose->locals[block], locals);
        for (int32_t node = first; node < end; node++, exact >>= 1) {
            int32_t parent = parents[node];
            if (exact & 1) {
                sni_pose_solve_node(pose, (uint32_t)node, &root_sum, view);
                continue;
            }
            if (parent != solved) world = parent < 0 ? root : load_matrix(&worlds[parent]);
            world = multiply(world, locals + local_row(node - first), LOCAL_STRIDE);
            store_matrix(&worlds[node], world);
            solved = node;
        }
    }
}

static void palettes(const sn_motion *motion, sn_pose *pose)
{
    const sn_model *model = motion->model;
    const sn_mat34 *worlds = pose->worlds;
    for (uint32_t i = 0; i < model->skin_count; i++) {
        const int32_t *joints = model->skins[i].joints;
        const sn_mat34 *binds = model->skins[i].inverse_bind;
        sn_mat34 *palette = pose->palettes + pose->palette_starts[i];
        uint32_t count = model->skins[i].joint_count;
        for (uint32_t k = 0; k < count; k++)
            store_matrix(&palette[k], multiply(load_matrix(&worlds[joints[k]]), binds[k].m[0], 4));
    }
}

// Blending

enum { T_ROWS = 3, R_ROWS = 4 };

// The weights of a source for the last block: a mask ends with the last node.
static v8 last_weights(float weight, const float *mask, uint32_t first, uint32_t node_count)
{
    float rest[SNI_LANES] = { 0 };
    for (uint32_t i = first; i < node_count; i++) rest[i - first] = weight * mask[i];
    return v8_load(rest);
}

SNI_INLINE v8 block_weights(float weight, const float *mask, uint32_t first, uint32_t node_count)
{
    if (!mask) return v8_set1(weight);
    if (first + SNI_LANES > node_count) return last_weights(weight, mask, first, node_count);
    return v8_mul(v8_set1(weight), v8_load(mask + first));
}

// sum += weight * rotation, turned to the side of the sum.
SNI_INLINE void add_rotation(v8 sum[R_ROWS], const float *rows, v8 weight)
{
    v8 r[R_ROWS];
    load4(r, rows);
    v8 turned = v8_mul_sign(short_dot4(r, sum), weight);
    for (int k = 0; k < R_ROWS; k++) sum[k] = v8_fma(r[k], turned, sum[k]);
}

// The rows of translation and scale; the four between them are the rotation.
static const uint8_t vector_rows[6] = { 0, 1, 2, 7, 8, 9 };

// The mean of a block from sums. Lanes without weight are at rest.
SNI_INLINE void store_mean_vector(float *out, v8 sum, v8 weights, v8 over, const float *rest)
{
    v8_store(out, v8_select_greater(weights, v8_set1(0.0f), v8_mul(sum, over), v8_load(rest)));
}

SNI_INLINE void store_mean_rotation(float *out, v8 sum[R_ROWS], v8 weights, const float *rest)
{
    for (int k = 0; k < R_ROWS; k++)
        sum[k] = v8_select_greater(weights, v8_set1(0.0f), sum[k], v8_load(rest + k * SNI_LANES));
    store_unit(out, sum);
}

SNI_INLINE v8 mean_divisor(v8 weights)
{
    v8 zero = v8_set1(0.0f), one = v8_set1(1.0f);
    return v8_reciprocal(v8_select_greater(weights, zero, weights, one));
}

// What a blend needs of its sources in registers: stores to the result could change what pointers lead to.
typedef struct blend_inputs {
    const float *locals[SNI_BLEND_SOURCES];  // of the first block
    const float *masks[SNI_BLEND_SOURCES];
    float weights[SNI_BLEND_SOURCES];
} blend_inputs;

SNI_INLINE void fill_inputs(blend_inputs *in, const sni_blend_source *sources, uint32_t count, float factor)
{
    for (uint32_t i = 0; i < count; i++) {
        in->locals[i] = sni_trs8_floats(sources[i].locals);
        in->masks[i] = sources[i].mask;
        in->weights[i] = sources[i].weight * factor;
    }
}

// may_rest: a node may have no weight at all, as every source has a mask.
SNI_INLINE void blend_masked(const sni_blend_source *sources, uint32_t count, bool may_rest, const sni_trs8 *rest,
                             uint32_t node_count, sni_trs8 *result)
{
    blend_inputs in;
    fill_inputs(&in, sources, count, 1.0f);
    const float *still = sni_trs8_floats(rest);
    float *out = sni_trs8_floats(result);
    for (uint32_t first = 0; first < node_count; first += SNI_LANES) {
        v8 weight[SNI_BLEND_SOURCES], weights = v8_set1(0.0f), rotation[R_ROWS];
        bool is_whole = first + SNI_LANES <= node_count;
        for (uint32_t i = 0; i < count; i++) {
            weight[i] = v8_set1(in.weights[i]);
            if (in.masks[i] && is_whole) weight[i] = v8_mul(weight[i], v8_load(in.masks[i] + first));
            else if (in.masks[i]) weight[i] = last_weights(in.weights[i], in.masks[i], first, node_count);
            weights = v8_add(weights, weight[i]);
        }
        v8 over = may_rest ? mean_divisor(weights) : v8_reciprocal(weights);
        for (uint32_t i = 0; i < count; i++) weight[i] = v8_mul(weight[i], over);
        for (int k = 0; k < R_ROWS; k++)
            rotation[k] = v8_mul(v8_load(in.locals[0] + (T_ROWS + k) * SNI_LANES), weight[0]);
        for (uint32_t i = 1; i < count; i++) add_rotation(rotation, in.locals[i] + T_ROWS * SNI_LANES, weight[i]);
        for (int k = 0; k < 6; k++) {
            int row = vector_rows[k] * SNI_LANES;
            v8 sum = v8_mul(v8_load(in.locals[0] + row), weight[0]);
            for (uint32_t i = 1; i < count; i++) sum = v8_fma(v8_load(in.locals[i] + row), weight[i], sum);
            if (may_rest) sum = v8_select_greater(weights, v8_set1(0.0f), sum, v8_load(still + row));
            v8_store(out + row, sum);
        }
        if (may_rest) store_mean_rotation(out + T_ROWS * SNI_LANES, rotation, weights, still + T_ROWS * SNI_LANES);
        else store_unit(out + T_ROWS * SNI_LANES, rotation);
        for (uint32_t i = 0; i < count; i++) in.locals[i] += SNI_BLOCK_FLOATS;
        still += SNI_BLOCK_FLOATS, out += SNI_BLOCK_FLOATS;
    }
}

// The same where no source has a mask: the weights are those of all nodes.
SNI_INLINE void blend_whole(const sni_blend_source *sources, uint32_t count, uint32_t block_count, sni_trs8 *result)
{
    float total = 0.0f, *out = sni_trs8_floats(result);
    for (uint32_t i = 0; i < count; i++) total += sources[i].weight;
    blend_inputs in;
    fill_inputs(&in, sources, count, 1.0f / total);
    v8 weight[SNI_BLEND_SOURCES];
    for (uint32_t i = 0; i < count; i++) weight[i] = v8_set1(in.weights[i]);
    for (uint32_t block = 0; block < block_count; block++) {
        v8 rotation[R_ROWS];
        load4(rotation, in.locals[0] + T_ROWS * SNI_LANES);
        for (int k = 0; k < R_ROWS; k++) rotation[k] = v8_mul(rotation[k], weight[0]);
        for (uint32_t i = 1; i < count; i++) add_rotation(rotation, in.locals[i] + T_ROWS * SNI_LANES, weight[i]);
        for (int k = 0; k < 6; k++) {
            int row = vector_rows[k] * SNI_LANES;
            v8 sum = v8_mul(v8_load(in.locals[0] + row), weight[0]);
            for (uint32_t i = 1; i < count; i++) sum = v8_fma(v8_load(in.locals[i] + row), weight[i], sum);
            v8_store(out + row, sum);
        }
        store_unit(out + T_ROWS * SNI_LANES, rotation);
        for (uint32_t i = 0; i < count; i++) in.locals[i] += SNI_BLOCK_FLOATS;
        out += SNI_BLOCK_FLOATS;
    }
}

static void blend(const sni_blend_source *sources, uint32_t count, const sni_trs8 *rest, uint32_t node_count,
                  sni_trs8 *out)
{
    uint32_t block_count = sni_block_count(node_count), masks = 0;
    for (uint32_t i = 0; i < count; i++) masks += sources[i].mask != NULL;
    if (count == 0) memcpy(out, rest, block_count * sizeof *out);
    else if (masks == 0 && count == 2) blend_whole(sources, 2, block_count, out);
    else if (masks == 0 && count == 3) blend_whole(sources, 3, block_count, out);
    else if (masks == 0 && count == 4) blend_whole(sources, 4, block_count, out);
    else if (masks == 0) blend_whole(sources, count, block_count, out);
    else if (masks == count) blend_masked(sources, count, true, rest, node_count, out);
    else if (count == 2) blend_masked(sources, 2, false, rest, node_count, out);
    else if (count == 3) blend_masked(sources, 3, false, rest, node_count, out);
    else if (count == 4) blend_masked(sources, 4, false, rest, node_count, out);
    else blend_masked(sources, count, false, rest, node_count, out);
}

static void blend_add(const sni_blend_source *source, bool is_first, uint32_t node_count, sni_trs8 *sums,
                      float *weights)
{
    for (uint32_t first = 0; first < node_count; first += SNI_LANES) {
        const float *rows = source->locals[first / SNI_LANES].rows;
        float *to = sums[first / SNI_LANES].rows;
        v8 zero = v8_set1(0.0f), weight = block_weights(source->weight, source->mask, first, node_count),
           rotation[R_ROWS];
        v8_store(weights + first, is_first ? weight : v8_add(weight, v8_load(weights + first)));
        for (int k = 0; k < 6; k++) {
            int row = vector_rows[k] * SNI_LANES;
            v8_store(to + row, v8_fma(v8_load(rows + row), weight, is_first ? zero : v8_load(to + row)));
        }
        for (int k = 0; k < R_ROWS; k++) rotation[k] = is_first ? zero : v8_load(to + (T_ROWS + k) * SNI_LANES);
        add_rotation(rotation, rows + T_ROWS * SNI_LANES, weight);
        for (int k = 0; k < R_ROWS; k++) v8_store(to + (T_ROWS + k) * SNI_LANES, rotation[k]);
    }
}

static void blend_end(const float *weights, const sni_trs8 *rest, uint32_t node_count, sni_trs8 *sums)
{
    for (uint32_t first = 0; first < node_count; first += SNI_LANES) {
        const float *still = rest[first / SNI_LANES].rows;
        float *rows = sums[first / SNI_LANES].rows;
        v8 weight = v8_load(weights + first), over = mean_divisor(weight), rotation[R_ROWS];
        for (int k = 0; k < 6; k++) {
            int row = vector_rows[k] * SNI_LANES;
            store_mean_vector(rows + row, v8_load(rows + row), weight, over, still + row);
        }
        load4(rotation, rows + T_ROWS * SNI_LANES);
        store_mean_rotation(rows + T_ROWS * SNI_LANES, rotation, weight, still + T_ROWS * SNI_LANES);
    }
}

SNI_INLINE void quat_mul(v8 out[4], const v8 a[4], const v8 b[4])
{
    out[0] = v8_fma(a[3], b[0], v8_fma(a[0], b[3], v8_fma(a[1], b[2], v8_mul(v8_sub(v8_set1(0), a[2]), b[1]))));
    out[1] = v8_fma(a[3], b[1], v8_fma(a[1], b[3], v8_fma(a[2], b[0], v8_mul(v8_sub(v8_set1(0), a[0]), b[2]))));
    out[2] = v8_fma(a[3], b[2], v8_fma(a[2], b[3], v8_fma(a[0], b[1], v8_mul(v8_sub(v8_set1(0), a[1]), b[0]))));
    out[3] = v8_fnma(a[0], b[0], v8_fnma(a[1], b[1], v8_fnma(a[2], b[2], v8_mul(a[3], b[3]))));
}

static void add(const sni_blend_source *source, const sni_trs8 *reference, uint32_t node_count, sni_trs8 *locals)
{
    v8 zero = v8_set1(0.0f), one = v8_set1(1.0f);
    for (uint32_t first = 0; first < node_count; first += SNI_LANES) {
        const sni_trs8 *from = &reference[first / SNI_LANES], *to = &source->locals[first / SNI_LANES];
        sni_trs8 *out = &locals[first / SNI_LANES];
        v8 weight = block_weights(source->weight, source->mask, first, node_count), a[4], b[4], turn[4], mixed[4];
        for (int k = 0; k < 3; k++) {
            v8 moved = v8_sub(v8_load(to->t[k]), v8_load(from->t[k]));
            v8 grown = v8_sub(v8_load(to->s[k]), v8_load(from->s[k]));
            v8_store(out->t[k], v8_fma(moved, weight, v8_load(out->t[k])));
            v8_store(out->s[k], v8_fma(grown, weight, v8_load(out->s[k])));
        }
        load4(a, from->rows + T_ROWS * SNI_LANES);
        load4(b, to->rows + T_ROWS * SNI_LANES);
        for (int k = 0; k < 3; k++) a[k] = v8_sub(zero, a[k]);
        quat_mul(turn, a, b);  // from the first frame to this one, in the node's own axes
        v8 side = v8_mul_sign(turn[3], weight);
        for (int k = 0; k < 4; k++) turn[k] = v8_mul(turn[k], side);
        turn[3] = v8_add(turn[3], v8_sub(one, weight));
        load4(a, out->rows + T_ROWS * SNI_LANES);
        quat_mul(mixed, a, turn);
        store_unit(out->rows + T_ROWS * SNI_LANES, mixed);
    }
}

#include "anim/crowd_kernels_body.h"

const sni_motion_kernels SNI_MOTION_KERNELS = { sample,    solve, palettes,    blend,          blend_add,
                                                blend_end, add,   crowd_solve, crowd_palettes, crowd_world };
