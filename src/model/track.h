// Tracks: what their keys hold, which two keys a time falls between, the value there; and the same track with other
// keys, for targets that cannot hold it as it is.
#ifndef SNI_TRACK_H
#define SNI_TRACK_H

#include "base/arena.h"

// Keys

static inline bool sni_track_has_tangents(const sn_track *track) { return track->interpolation >= SN_HERMITE; }

// Vectors per key: in tangent, value, out tangent; or the value alone.
static inline uint32_t sni_track_groups(const sn_track *track) { return sni_track_has_tangents(track) ? 3 : 1; }

static inline uint64_t sni_track_floats_per_key(const sn_track *track)
{
    return (uint64_t)track->width * sni_track_groups(track);
}

static inline bool sni_track_is_rotation(const sn_track *track)
{
    return track->channel == SN_CHANNEL_ROTATION && track->width == 4;
}

// Whether it drives the local transform of a node.
static inline bool sni_track_is_local(const sn_track *track)
{
    return track->target_kind == SN_TARGET_NODE && track->channel <= SN_CHANNEL_SCALE;
}

// There is nothing between two images or between hidden and shown, whatever the file says: Warcraft III models do
// store such tracks as linear.
static inline bool sni_track_is_stepped(const sn_track *track)
{
    return track->interpolation == SN_STEP || track->channel == SN_CHANNEL_VISIBILITY ||
           track->channel == SN_CHANNEL_IMAGE;
}

typedef enum sni_key_part { SNI_KEY_IN, SNI_KEY_VALUE, SNI_KEY_OUT } sni_key_part;

static inline const float *sni_track_key(const sn_track *track, uint32_t key, sni_key_part part)
{
    size_t group = sni_track_has_tangents(track) ? (size_t)key * 3 + part : key;
    return track->values + group * track->width;
}

// The width that a channel's values must have; 0: any (morphs).
uint32_t sni_channel_width(uint32_t channel);

// Whether a channel drives targets of this kind.
bool sni_channel_drives(uint32_t channel, uint32_t target_kind);

// Sorts times of several tracks and drops repeats. Returns how many are left.
uint32_t sni_merge_key_times(float *times, uint32_t count);

// The keys of all clips; those that tracks share count once. False when the arena failed.
bool sni_count_own_keys(sni_arena *arena, const sn_model *model, uint64_t *count);

// Curves are sampled by halving an interval from left to right, with a stack of the ends still to be reached. Whether a
// part of this length may be halved: at most `deepest` times in a row. The height of the stack does not say so, it
// falls with each end that is reached. Lengths of floats are rounded, hence 1.5.
static inline bool sni_may_halve(double length, double whole, int deepest)
{
    return length * (double)(1 << deepest) > 1.5 * whole;
}

// Sampling

// From one key on to another. u is 0 at `from` and 1 at `to`; Warcraft III's wrap makes it as low as -1.
typedef struct sni_span {
    uint32_t from, to;
    float u;
    float length;  // seconds between the two
} sni_span;

bool sni_track_has_same_keys(const sn_track *a, const sn_track *b);  // times, values, and what is between them

// A time brought into 0..period; 0 when it is no number or there is no period.
float sni_wrap_time(float seconds, float period);

// The track must have a key. Any time is allowed; NaN counts as 0.
sni_span sni_track_span(const sn_track *track, float seconds, float duration, float clock);
float sni_track_value(const sn_track *track, const sni_span *span, uint32_t component);
sn_quat sni_track_rotation(const sn_track *track, const sni_span *span);  // unit length

// sn_track_sample: `width` floats. A track without keys leaves `out` unchanged.
void sni_track_sample(const sn_track *track, float seconds, float duration, float clock, float *out);

// Resampling. These return false only when the arena failed. What need not change keeps its pointers; the rest is new
// in the arena.

// The angle in radians, 0 to pi, between two rotations of unit length. Exact near 0, unlike an arc cosine.
double sni_rotation_angle(sn_quat a, sn_quat b);

// What a track lost when it was made for a target.
typedef enum sni_exactness {
    SNI_EXACT,    // nothing but rounding
    SNI_SAMPLED,  // it is within the tolerance, or differs only at jumps, loop seams and tangents too large for a float
    SNI_CUT       // a limit was reached: only its keys are exact, or it holds its last value
} sni_exactness;

// The track as glTF can hold it: step, linear or cubic spline keys between 0 and the clip's end, held outside. It shows
// what `in` shows in a clip of this duration, with its clock at 0 when the clip starts.
//
// Hermite and Bezier curves become cubic splines, exactly: a tangent per segment, divided by the segment's length, is
// one per second. A cycle gets keys at 0 and at the end, cut out of the segment between the last and the first key.
// A period is unrolled, up to a few thousand keys. A jump becomes two keys a small step apart. Rotations with
// tangents have no exact form: they become linear keys that stay within `tolerance` radians (0: 1e-3) of the curve.
// Channels that the runtime steps become stepped.
//
// exactness: sampled are rotations with tangents, jumps, tangents too large for a float, cycles with keys past the
// clip's end, and Warcraft III's jump before the first key, which is exported as the continuous cycle.
//
// keys_left: how many keys may still be added, by this track and by those after it; without any left, curves are
// sampled at their keys and periods are cut off.
bool sni_track_fit(sni_arena *arena, const sn_track *in, float duration, double tolerance, uint64_t *keys_left,
                   sn_track *out, sni_exactness *exactness);

// Rotations with tangents of any kind as linear keys, for targets without splines of rotations; other tracks as above.
bool sni_track_sample_rotations(sni_arena *arena, const sn_track *in, float duration, double tolerance,
                                uint64_t *keys_left, sn_track *out);

// The way from one rotation to another in `length` seconds as linear keys within `tolerance`, one of them at `cut`, the
// others at whole milliseconds: for cycles that must be cut where a clip starts. `from` and `to` are keys: in, value,
// out, or the value.
bool sni_track_rotation_way(sni_arena *arena, sn_interpolation interpolation, const float *from, const float *to,
                            float length, float cut, double tolerance, uint64_t *keys_left, sn_track *out);

// A curve with tangents that was fitted as linear keys that stay within `tolerance`: radians for rotations, else the
// largest difference of any component. Other tracks stay as they are.
bool sni_track_make_linear(sni_arena *arena, const sn_track *in, float duration, double tolerance, uint64_t *keys_left,
                           sn_track *out);

// The next three leave tracks with a period or a cycle unchanged.

// Drops linear keys that interpolation gives back within the tolerance: radians for rotations, else the largest
// difference of any component. No rotation is left to an arc that comes near half a turn. Stepped keys are dropped only
// where they repeat the one before. The first and the last key always stay; curves with tangents stay as they are.
bool sni_track_reduce(sni_arena *arena, const sn_track *in, double tolerance, sn_track *out);

// Adds a key at `duration` that repeats the held value, where the track ends sooner: a glTF clip is as long as its
// last key, so one track of each clip needs this.
bool sni_track_hold_until(sni_arena *arena, const sn_track *in, float duration, sn_track *out);

// Flips the signs of linear and stepped rotations so that each key is within half a turn of the one before in all
// four components: players that ignore the shorter arc then still take it.
bool sni_track_align_rotations(sni_arena *arena, const sn_track *in, sn_track *out);

#endif
