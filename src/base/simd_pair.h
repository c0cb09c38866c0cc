// Eight floats as two times four, where the processor has no wider registers. Included by the simd headers.
#ifndef SNI_SIMD_PAIR_H
#define SNI_SIMD_PAIR_H

typedef struct v8 {
    v4 low, high;
} v8;

static inline v8 v8_of(v4 low, v4 high)
{
    v8 v = { low, high };
    return v;
}

static inline v8 v8_load(const float *from) { return v8_of(v4_load(from), v4_load(from + 4)); }
static inline v8 v8_load_twice(const float *from) { return v8_of(v4_load(from), v4_load(from)); }  // reads four
static inline v8 v8_load_some(const float *from, uint32_t count)  // fewer than eight; the others are 0
{
    float all[8] = { 0 };
    for (uint32_t i = 0; i < count; i++) all[i] = from[i];
    return v8_load(all);
}
static inline void v8_store(float *to, v8 v)
{
    v4_store(to, v.low);
    v4_store(to + 4, v.high);
}
static inline v8 v8_set1(float x) { return v8_of(v4_set1(x), v4_set1(x)); }
static inline v8 v8_add(v8 a, v8 b) { return v8_of(v4_add(a.low, b.low), v4_add(a.high, b.high)); }
static inline v8 v8_sub(v8 a, v8 b) { return v8_of(v4_sub(a.low, b.low), v4_sub(a.high, b.high)); }
static inline v8 v8_mul(v8 a, v8 b) { return v8_of(v4_mul(a.low, b.low), v4_mul(a.high, b.high)); }
static inline v8 v8_div(v8 a, v8 b) { return v8_of(v4_div(a.low, b.low), v4_div(a.high, b.high)); }
static inline v8 v8_fma(v8 a, v8 b, v8 c) { return v8_of(v4_fma(a.low, b.low, c.low), v4_fma(a.high, b.high, c.high)); }
static inline v8 v8_fnma(v8 a, v8 b, v8 c)
{
    return v8_of(v4_fnma(a.low, b.low, c.low), v4_fnma(a.high, b.high, c.high));
}
static inline v8 v8_min(v8 a, v8 b) { return v8_of(v4_min(a.low, b.low), v4_min(a.high, b.high)); }
static inline v8 v8_max(v8 a, v8 b) { return v8_of(v4_max(a.low, b.low), v4_max(a.high, b.high)); }
static inline v8 v8_sqrt(v8 a) { return v8_of(v4_sqrt(a.low), v4_sqrt(a.high)); }
static inline v8 v8_rsqrt(v8 a) { return v8_of(v4_rsqrt(a.low), v4_rsqrt(a.high)); }
static inline v8 v8_reciprocal(v8 a) { return v8_of(v4_reciprocal(a.low), v4_reciprocal(a.high)); }
static inline v8 v8_mul_sign(v8 a, v8 b) { return v8_of(v4_mul_sign(a.low, b.low), v4_mul_sign(a.high, b.high)); }
static inline v8 v8_abs(v8 a) { return v8_of(v4_abs(a.low), v4_abs(a.high)); }
static inline v8 v8_select_greater(v8 a, v8 limit, v8 b, v8 c)
{
    return v8_of(v4_select_greater(a.low, limit.low, b.low, c.low),
                 v4_select_greater(a.high, limit.high, b.high, c.high));
}
static inline v8 v8_load_i16(const int16_t *from) { return v8_of(v4_load_i16(from), v4_load_i16(from + 4)); }
// One of each four floats, in all four places.
static inline v8 v8_x(v8 a) { return v8_of(v4_x(a.low), v4_x(a.high)); }
static inline v8 v8_y(v8 a) { return v8_of(v4_y(a.low), v4_y(a.high)); }
static inline v8 v8_z(v8 a) { return v8_of(v4_z(a.low), v4_z(a.high)); }
static inline v4 v8_low(v8 a) { return a.low; }
static inline v4 v8_high(v8 a) { return a.high; }

static inline void v8_store_xyz(float *to, v8 x, v8 y, v8 z)
{
    v4_store_xyz(to, x.low, y.low, z.low);
    v4_store_xyz(to + 12, x.high, y.high, z.high);
}
static inline unsigned v8_mask_greater(v8 a, v8 b)
{
    return v4_mask_greater(a.low, b.low) | v4_mask_greater(a.high, b.high) << 4;
}

// Four by four, low and high halves apart.
static inline void v8_transpose4(v8 r[4])
{
    v4_transpose(&r[0].low, &r[1].low, &r[2].low, &r[3].low);
    v4_transpose(&r[0].high, &r[1].high, &r[2].high, &r[3].high);
}

static inline void v8_transpose(v8 r[8])
{
    for (int i = 0; i < 8; i += 4) {
        v4_transpose(&r[i].low, &r[i + 1].low, &r[i + 2].low, &r[i + 3].low);
        v4_transpose(&r[i].high, &r[i + 1].high, &r[i + 2].high, &r[i + 3].high);
    }
    for (int i = 0; i < 4; i++) {
        v4 high = r[i].high;
        r[i].high = r[i + 4].low;
        r[i + 4].low = high;
    }
}

#endif
