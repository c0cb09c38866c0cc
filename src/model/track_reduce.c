// Fewer keys, and keys that any player reads alike.
#include <string.h>

#include "model/track_arc.h"

// Beyond this the shorter arc is decided by rounding, or is the wrong one.
static const double LONGEST_ARC = 3.0;

double sni_rotation_angle(sn_quat a, sn_quat b)
{
    double sign = sni_quat_dot(a, b) < 0.0 ? -1.0 : 1.0;
    double x = b.x * sign, y = b.y * sign, z = b.z * sign, w = b.w * sign;
    double apart = (a.x - x) * (a.x - x) + (a.y - y) * (a.y - y) + (a.z - z) * (a.z - z) + (a.w - w) * (a.w - w);
    double along = (a.x + x) * (a.x + x) + (a.y + y) * (a.y + y) + (a.z + z) * (a.z + z) + (a.w + w) * (a.w + w);
    return 4.0 * atan2(sqrt(apart), sqrt(along));
}

// A run of keys, from `first` to `last`, of which only the ends may stay.
typedef struct run {
    const sn_track *track;
    uint32_t first, last;
} run;

static float run_fraction(const run *r, double time)
{
    double start = r->track->times[r->first], end = r->track->times[r->last];
    return (float)((time - start) / (end - start));
}

static bool gives_back_values(const run *r, uint32_t key, double tolerance)
{
    const float *a = key_of(r->track, r->first), *b = key_of(r->track, r->last), *wanted = key_of(r->track, key);
    float u = run_fraction(r, r->track->times[key]);
    for (uint32_t i = 0; i < r->track->width; i++)
        if (!(fabs((double)sni_lerp(a[i], b[i], u) - wanted[i]) <= tolerance)) return false;
    return true;
}

// At the key, and halfway to it from the one before: between keys two arcs may part a little further.
static bool gives_back_rotations(const run *r, double tolerance)
{
    const sn_track *track = r->track;
    const double square = square_of_quarter(tolerance);
    const arc whole = arc_between(quat_of(key_of(track, r->first)), quat_of(key_of(track, r->last)));
    sn_quat before = quat_of(key_of(track, r->first));
    double length = 0.0;
    for (uint32_t key = r->first + 1; key <= r->last; key++) {
        const sn_quat here = quat_of(key_of(track, key));
        length += angle_between(before, here);
        if (length > LONGEST_ARC) return false;
        double time = track->times[key], halfway = ((double)track->times[key - 1] + time) / 2;
        if (!is_within(rotation_unit(arc_at(&whole, run_fraction(r, time))), here, square)) return false;
        const float sign = rotation_dot(before, here) < 0.0f ? -1.0f : 1.0f;
        const sn_quat middle = rotation_unit(rotation_mix(before, 1.0f, here, sign));
        if (!is_within(rotation_unit(arc_at(&whole, run_fraction(r, halfway))), middle, square)) return false;
        before = here;
    }
    return true;
}

static bool gives_back_run(const run *r, double tolerance)
{
    if (sni_track_is_rotation(r->track)) return gives_back_rotations(r, tolerance);
    for (uint32_t key = r->first + 1; key < r->last; key++)
        if (!gives_back_values(r, key, tolerance)) return false;
    return true;
}

// The furthest key that a single segment from `first` may end at. Steps double, then close in: each key is looked at
// about log(length) times, so that long tracks stay cheap.
static uint32_t furthest_end(const sn_track *track, uint32_t first, double tolerance)
{
    uint32_t good = first + 1, bad = track->key_count;
    for (uint32_t step = 2; step < track->key_count - first; step *= 2) {
        run r = { track, first, first + step };
        if (!gives_back_run(&r, tolerance)) {
            bad = r.last;
            break;
        }
        good = r.last;
        if (step > UINT32_MAX / 2) break;
    }
    while (bad - good > 1) {
        run r = { track, first, good + (bad - good) / 2 };
        if (gives_back_run(&r, tolerance)) good = r.last;
        else bad = r.last;
    }
    return good;
}

static uint32_t next_linear(const sn_track *track, uint32_t key, double tolerance)
{
    return furthest_end(track, key, tolerance);
}

static bool repeats(const sn_track *track, uint32_t key, uint32_t other)
{
    const float *a = key_of(track, key), *b = key_of(track, other);
    for (uint32_t i = 0; i < track->width; i++)
        if (a[i] != b[i]) return false;
    return true;
}

static uint32_t next_stepped(const sn_track *track, uint32_t key)
{
    uint32_t next = key + 1;
    while (next + 1 < track->key_count && repeats(track, next, key)) next++;
    return next;
}

bool sni_track_reduce(sni_arena *arena, const sn_track *in, double tolerance, sn_track *out)
{
    *out = *in;
    if (!is_plain(in) || in->interpolation > SN_LINEAR || in->key_count < 3) return true;
    float *times = sni_new_raw(arena, float, in->key_count);
    float *values = sni_new_raw(arena, float, (uint64_t)in->key_count * in->width);
    if (!times || !values) return false;
    uint32_t count = 0, key = 0;
    while (true) {
        times[count] = in->times[key];
        memcpy(values + (size_t)count * in->width, key_of(in, key), in->width * sizeof(float));
        count++;
        if (key + 1 >= in->key_count) break;
        key = in->interpolation == SN_STEP ? next_stepped(in, key) : next_linear(in, key, tolerance);
    }
    if (count == in->key_count) return true;
    out->times = times;
    out->values = values;
    out->key_count = count;
    return true;
}

// A new last key with the value of the old one. What led out of the old one was never seen; now it must be level.
static void repeat_last(const sn_track *in, float *values)
{
    size_t width = in->width, groups = sni_track_groups(in), old = in->key_count * groups * width;
    size_t value = groups == 3 ? width : 0;
    memcpy(values, in->values, old * sizeof(float));
    if (groups == 3) memset(values + old - width, 0, width * sizeof(float));
    memset(values + old, 0, groups * width * sizeof(float));
    memcpy(values + old + value, values + old - groups * width + value, width * sizeof(float));
}

bool sni_track_hold_until(sni_arena *arena, const sn_track *in, float duration, sn_track *out)
{
    *out = *in;
    if (!is_plain(in) || in->key_count == 0 || !(duration > in->times[in->key_count - 1])) return true;
    uint64_t groups = sni_track_groups(in), count = (uint64_t)in->key_count + 1;
    float *times = sni_new_raw(arena, float, count);
    float *values = sni_new_raw(arena, float, count *groups * in->width);
    if (!times || !values) return false;
    memcpy(times, in->times, in->key_count * sizeof(float));
    times[in->key_count] = duration;
    repeat_last(in, values);
    out->times = times;
    out->values = values;
    out->key_count = (uint32_t)count;
    return true;
}

static uint32_t first_turned(const sn_track *track)
{
    uint32_t key = 1;
    while (key < track->key_count && sni_quat_dot(quat_of(key_of(track, key - 1)), quat_of(key_of(track, key))) >= 0.0)
        key++;
    return key;
}

// Ends that are half a turn apart keep the way between them: a key turns over when the one before it did.
bool sni_track_align_rotations(sni_arena *arena, const sn_track *in, sn_track *out)
{
    *out = *in;
    if (!sni_track_is_rotation(in) || in->interpolation > SN_LINEAR || first_turned(in) >= in->key_count) return true;
    float *values = sni_new_raw(arena, float, (uint64_t)in->key_count * 4);
    if (!values) return false;
    memcpy(values, in->values, (size_t)in->key_count * 4 * sizeof(float));
    bool is_over = false;
    for (uint32_t key = first_turned(in); key < in->key_count; key++) {
        const float *was = in->values + (size_t)key * 4;
        if (sni_quat_dot(quat_of(was - 4), quat_of(was)) < 0.0) is_over = !is_over;
        for (int i = 0; is_over && i < 4; i++) values[(size_t)key * 4 + (size_t)i] = -was[i];
    }
    out->values = values;
    return true;
}
