// Arcs between rotations, for decisions about keys: compares thousands of them. It uses floats, and no library function
// but the square root: the same decisions everywhere, in a tenth of the time. Each comparison is right to 2e-6 rad,
// where tolerances are 1e-4 and more. What is written is computed by sni_track_rotation.
#ifndef SNI_TRACK_ARC_H
#define SNI_TRACK_ARC_H

#include "base/math.h"
#include "model/track.h"

static inline sn_quat quat_of(const float *v) { return sni_quat(v[0], v[1], v[2], v[3]); }

static inline const float *key_of(const sn_track *track, uint32_t key)
{
    return sni_track_key(track, key, SNI_KEY_VALUE);
}

static inline bool is_plain(const sn_track *track) { return track->wrap == SN_WRAP_HOLD && !(track->period > 0.0f); }

// The shorter arc between two rotations of unit length.
typedef struct arc {
    sn_quat a, b;
    float lack;  // 1 - the cosine of the angle between them as vectors, from 0 to 1
    int terms;
} arc;

static inline float rotation_dot(sn_quat a, sn_quat b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

static inline sn_quat rotation_mix(sn_quat a, float s, sn_quat b, float t)
{
    return sni_quat(a.x * s + b.x * t, a.y * s + b.y * t, a.z * s + b.z * t, a.w * s + b.w * t);
}

static inline sn_quat rotation_unit(sn_quat q)
{
    const float square = rotation_dot(q, q);
    if (!(square > 0.0f)) return sni_quat(0, 0, 0, 1);
    const float scale = 1.0f / sqrtf(square);
    return sni_quat(q.x * scale, q.y * scale, q.z * scale, q.w * scale);
}

enum { MOST_TERMS = 24 };

// As many terms as leave out less than 2^-24 in arc_weight.
static inline arc arc_between(sn_quat a, sn_quat b)
{
    const float dot = rotation_dot(a, b);
    arc made = { .a = a, .b = dot < 0.0f ? sni_quat(-b.x, -b.y, -b.z, -b.w) : b, .lack = 1.0f - fabsf(dot) };
    if (!(made.lack > 0.0f)) made.lack = 0.0f;
    for (float left = made.lack / 2; left > 0x1p-25f; left *= made.lack / 2) made.terms++;
    return made;
}

// sin(t * angle) / sin(angle), t from 0 to 1, as a power series in `lack`. All terms are positive, and each is less
// than lack / 2 times the one before.
static inline float arc_weight(const arc *on, float t)
{
#define TERM(i)       (1.0f / ((i) * (2 * (i) + 1)))
#define FOUR_TERMS(i) TERM(i), TERM((i) + 1), TERM((i) + 2), TERM((i) + 3)
    static const float divided[MOST_TERMS] = { FOUR_TERMS(1),  FOUR_TERMS(5),  FOUR_TERMS(9),
                                               FOUR_TERMS(13), FOUR_TERMS(17), FOUR_TERMS(21) };
    const float square = t * t;
    float term = t, sum = t;
    for (int i = 1; i <= on->terms; i++) {
        term *= ((float)(i * i) - square) * (on->lack * divided[i - 1]);
        sum += term;
    }
    return sum;
}

// u from 0 to 1.
static inline sn_quat arc_at(const arc *on, float u)
{
    return rotation_mix(on->a, arc_weight(on, 1.0f - u), on->b, arc_weight(on, u));
}

// The square of the tangent of a quarter of a small angle, to compare with.
static inline double square_of_quarter(double angle)
{
    double x = angle / 4, tangent = x * (1.0 + x * x * (1.0 / 3 + x * x * (2.0 / 15)));
    return tangent * tangent;
}

// The distance between the ends of both, and of one and the other's opposite: their ratio is the square of the tangent
// of a quarter of the angle between the rotations.
static inline void rotation_distances(sn_quat a, sn_quat b, float *apart, float *along)
{
    const sn_quat difference = rotation_mix(a, 1.0f, b, -1.0f), sum = rotation_mix(a, 1.0f, b, 1.0f);
    const float x = rotation_dot(difference, difference), y = rotation_dot(sum, sum);
    *apart = x < y ? x : y;
    *along = x < y ? y : x;
}

static inline bool is_within(sn_quat a, sn_quat b, double square)
{
    float apart, along;
    rotation_distances(a, b, &apart, &along);
    return apart <= square * along;
}

// The first term left out is below 1e-13 for t up to tan(pi / 16); below 2e-8 up to twice that.
static inline double arc_tangent(double t)
{
    double square = t * t, sum = 0.0;
    for (int k = 15; k >= 1; k -= 2) sum = 1.0 / k - sum * square;
    return t * sum;
}

static inline double angle_between(sn_quat a, sn_quat b)
{
    float apart, along;
    rotation_distances(a, b, &apart, &along);
    if (!(along > 0.0f)) return 0.0;
    const double tangent = sqrt((double)apart / along);  // of a quarter, which is at most pi / 4
    return 8.0 * arc_tangent(tangent / (1.0 + sqrt(1.0 + tangent * tangent)));
}

#endif
