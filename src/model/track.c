#include "model/track.h"

#include "base/map.h"
#include "base/math.h"

#include <stdlib.h>
#include <string.h>

enum {
    ON_NODE = 1 << SN_TARGET_NODE,
    ON_PART = 1 << SN_TARGET_PART,
    ON_LAYER = 1 << SN_TARGET_LAYER,
    ON_CAMERA = 1 << SN_TARGET_CAMERA,
    ON_LIGHT = 1 << SN_TARGET_LIGHT
};

// clang-format off
static const struct { uint8_t width, targets; } channels[SN_CHANNEL_COUNT] = {
    [SN_CHANNEL_TRANSLATION] = { 3, ON_NODE },
    [SN_CHANNEL_ROTATION]    = { 4, ON_NODE },
    [SN_CHANNEL_SCALE]       = { 3, ON_NODE },
    [SN_CHANNEL_VISIBILITY]  = { 1, ON_NODE | ON_PART },
    [SN_CHANNEL_MORPHS]      = { 0, ON_NODE },
    [SN_CHANNEL_COLOR]       = { 3, ON_PART | ON_LAYER | ON_LIGHT },
    [SN_CHANNEL_ALPHA]       = { 1, ON_PART | ON_LAYER },
    [SN_CHANNEL_EMISSIVE]    = { 3, ON_LAYER },
    [SN_CHANNEL_UV_OFFSET]   = { 2, ON_LAYER },
    [SN_CHANNEL_UV_ROTATION] = { 1, ON_LAYER },
    [SN_CHANNEL_UV_SCALE]    = { 2, ON_LAYER },
    [SN_CHANNEL_IMAGE]       = { 1, ON_LAYER },
    [SN_CHANNEL_INTENSITY]   = { 1, ON_LIGHT },
    [SN_CHANNEL_FOV]         = { 1, ON_CAMERA },
};
// clang-format on

uint32_t sni_channel_width(uint32_t channel) { return channels[channel].width; }

bool sni_channel_drives(uint32_t channel, uint32_t target_kind) { return channels[channel].targets >> target_kind & 1; }

static int compare_times(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

uint32_t sni_merge_key_times(float *times, uint32_t count)
{
    uint32_t kept = 0;
    if (count > 1) qsort(times, count, sizeof *times, compare_times);
    for (uint32_t i = 0; i < count; i++)
        if (kept == 0 || times[i] > times[kept - 1]) times[kept++] = times[i];
    return kept;
}

static sn_quat quat_at(const sn_track *track, uint32_t key, sni_key_part part)
{
    const float *v = sni_track_key(track, key, part);
    return sni_quat(v[0], v[1], v[2], v[3]);
}

bool sni_track_has_same_keys(const sn_track *a, const sn_track *b)
{
    if (a->key_count != b->key_count || a->width != b->width || a->interpolation != b->interpolation) return false;
    const size_t values = (size_t)a->key_count * (size_t)sni_track_floats_per_key(a) * sizeof(float);
    return (a->times == b->times || memcmp(a->times, b->times, a->key_count * sizeof(float)) == 0) &&
           (a->values == b->values || memcmp(a->values, b->values, values) == 0);
}

bool sni_count_own_keys(sni_arena *arena, const sn_model *model, uint64_t *count)
{
    sni_map map = { 0 };
    sni_list seen = { 0 };  // const float *: values of tracks
    *count = 0;
    for (uint32_t i = 0; i < model->clip_count; i++)
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) {
            const sn_track *track = &model->clips[i].tracks[t];
            const uint32_t hash = sni_hash(&track->values, sizeof track->values);
            bool is_known = false;
            for (sni_map_cursor at = sni_map_find(&map, hash); !is_known && sni_map_next(&map, &at);)
                is_known = ((const float **)seen.items)[at.item] == track->values;
            if (is_known) continue;
            const float **added = sni_push(arena, &seen, const float *);
            if (!added || !sni_map_add(&map, arena, hash, seen.count - 1)) return false;
            *added = track->values;
            *count += track->key_count;
        }
    return true;
}

float sni_wrap_time(float seconds, float period)
{
    if (!isfinite(seconds) || !(period > 0.0f)) return 0.0f;
    float rest = fmodf(seconds, period);
    return rest < 0.0f ? rest + period : rest;
}

// How many keys are at or before the time.
static uint32_t keys_until(const sn_track *track, float seconds)
{
    uint32_t low = 0, high = track->key_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (track->times[middle] <= seconds) low = middle + 1;
        else high = middle;
    }
    return low;
}

static sni_span span_at_key(uint32_t key)
{
    sni_span span = { key, key, 0.0f, 0.0f };
    return span;
}

static sni_span span_between(const sn_track *track, uint32_t from, float seconds)
{
    double start = track->times[from], length = track->times[from + 1] - start;
    sni_span span = { from, from + 1, (float)((seconds - start) / length), (float)length };
    return span;
}

// From the last key through the end of the interval on to the first. Warcraft III measures a time before the
// first key back from that key instead of on from the last one, and so jumps when it arrives there.
static sni_span span_around(const sn_track *track, uint32_t count, float seconds, float end)
{
    double first = track->times[0], last = track->times[count - 1];
    double gap = end - (last - first), passed = seconds - last;
    if (seconds < first) passed = track->wrap == SN_WRAP_CYCLE_GAME ? seconds - first : passed + end;
    sni_span span = { count - 1, 0, 0.0f, 0.0f };
    if (!(gap > 0.0)) return span;
    span.u = (float)fmax(-1.0, fmin(passed / gap, 1.0));
    span.length = (float)gap;
    return span;
}

sni_span sni_track_span(const sn_track *track, float seconds, float duration, float clock)
{
    uint32_t count = track->key_count;
    float end = duration, time = isnan(seconds) ? 0.0f : seconds;
    if (track->period > 0.0f) {  // keys past the period are never reached, not even headed for
        end = track->period;
        time = sni_wrap_time(clock, end);
        count = keys_until(track, end);
    }
    if (count <= 1) return span_at_key(0);
    uint32_t passed = keys_until(track, time);
    if (passed > 0 && passed < count) return span_between(track, passed - 1, time);
    if (track->wrap == SN_WRAP_HOLD) return span_at_key(passed ? count - 1 : 0);
    return span_around(track, count, time, end);
}

static float hermite(float a, float b, float c, float d, float u)
{
    float u2 = u * u, u3 = u2 * u;
    return a * (2.0f * u3 - 3.0f * u2 + 1.0f) + b * (u3 - 2.0f * u2 + u) + c * (u3 - u2) + d * (3.0f * u2 - 2.0f * u3);
}

static float bezier(float a, float b, float c, float d, float u)
{
    float v = 1.0f - u;
    return a * v * v * v + 3.0f * b * u * v * v + 3.0f * c * u * u * v + d * u * u * u;
}

float sni_track_value(const sn_track *track, const sni_span *span, uint32_t component)
{
    float a = sni_track_key(track, span->from, SNI_KEY_VALUE)[component], u = span->u;
    if (u == 0.0f || sni_track_is_stepped(track)) return a;
    float d = sni_track_key(track, span->to, SNI_KEY_VALUE)[component];
    if (!sni_track_has_tangents(track)) return sni_lerp(a, d, u);
    float b = sni_track_key(track, span->from, SNI_KEY_OUT)[component],
          c = sni_track_key(track, span->to, SNI_KEY_IN)[component];
    switch (track->interpolation) {
    case SN_HERMITE: return hermite(a, b, c, d, u);
    case SN_BEZIER: return bezier(a, b, c, d, u);
    default: return hermite(a, b * span->length, c * span->length, d, u);  // tangents per second
    }
}

static sn_quat cubic_rotation(const sn_track *track, const sni_span *span)
{
    float v[4];
    for (uint32_t i = 0; i < 4; i++) v[i] = sni_track_value(track, span, i);
    return sni_quat_unit(sni_quat(v[0], v[1], v[2], v[3]));
}

// Both kinds of Warcraft III curves: its engines take the tangents of rotations as squad's inner points. Only what
// comes out is brought to unit length: tangents of zeros, which files have, then pull nowhere.
static sn_quat squad(const sn_track *track, const sni_span *span, sn_quat a, sn_quat d)
{
    sn_quat b = quat_at(track, span->from, SNI_KEY_OUT), c = quat_at(track, span->to, SNI_KEY_IN);
    float u = span->u;
    return sni_quat_slerp(sni_quat_arc(a, d, u), sni_quat_arc(b, c, u), 2.0f * u * (1.0f - u));
}

sn_quat sni_track_rotation(const sn_track *track, const sni_span *span)
{
    sn_quat a = quat_at(track, span->from, SNI_KEY_VALUE);
    if (span->u == 0.0f || sni_track_is_stepped(track)) return sni_quat_unit_or_identity(a);
    if (track->interpolation == SN_CUBIC_SPLINE) return cubic_rotation(track, span);
    sn_quat d = quat_at(track, span->to, SNI_KEY_VALUE);
    if (track->interpolation == SN_LINEAR) return sni_quat_slerp(a, d, span->u);
    return squad(track, span, a, d);
}

void sni_track_sample(const sn_track *track, float seconds, float duration, float clock, float *out)
{
    if (track->key_count == 0) return;
    sni_span span = sni_track_span(track, seconds, duration, clock);
    if (sni_track_is_rotation(track)) {
        sn_quat q = sni_track_rotation(track, &span);
        out[0] = q.x, out[1] = q.y, out[2] = q.z, out[3] = q.w;
        return;
    }
    for (uint32_t i = 0; i < track->width; i++) out[i] = sni_track_value(track, &span, i);
}

void sn_track_sample(const sn_track *track, float seconds, float duration, float clock, float *out)
{
    sni_track_sample(track, seconds, duration, clock, out);
}
