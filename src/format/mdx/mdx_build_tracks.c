// Tracks of the file to curves: sorted, in the model's terms, not yet cut into clips.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/mdx/mdx_build.h"
#include "model/sanitize.h"

// A key of the file: its time, and where it lies.
typedef struct key {
    int32_t time;
    uint32_t order;
    const uint8_t *at;
} key;

static int compare_keys(const void *a, const void *b)
{
    const key *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool is_sorted(const key *keys, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (keys[i].time < keys[i - 1].time) return false;
    return true;
}

// As nearly all are: each key later than the one before.
static bool all_rise(const mdx_track *track, size_t size)
{
    const uint8_t *at = track->keys.data;
    uint32_t falls = 0;
    for (uint32_t i = 1; i < track->keys.count; i++, at += size)
        falls += (int32_t)sni_load_u32(at + size) <= (int32_t)sni_load_u32(at);
    return falls == 0;
}

// Keys at one time are a jump from the first to the last: others, and twins, say nothing.
static uint32_t keep_jumps(key *keys, uint32_t count, size_t size)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool has_twin = i + 1 < count && keys[i + 1].time == keys[i].time;
        bool is_middle = has_twin && kept > 0 && keys[kept - 1].time == keys[i].time;
        if (is_middle || (has_twin && memcmp(keys[i].at, keys[i + 1].at, size) == 0)) continue;
        keys[kept++] = keys[i];
    }
    return kept;
}

static key *sorted_keys(mdx_builder *b, const mdx_track *track, size_t size, uint32_t *count)
{
    key *keys = sni_new_raw(&b->load->scratch, key, track->keys.count);
    if (!keys) return NULL;
    for (uint32_t i = 0; i < track->keys.count; i++) {
        const uint8_t *at = track->keys.data + size * i;
        keys[i] = (key){ (int32_t)sni_load_u32(at), i, at };
    }
    if (!is_sorted(keys, track->keys.count)) {
        sni_warn(&b->load->diag, SNI_WARN_MDX_KEY_ORDER, track->offset, "%u keys are not in the order of their times",
                 track->keys.count);
        qsort(keys, track->keys.count, sizeof *keys, compare_keys);
    }
    *count = keep_jumps(keys, track->keys.count, size);
    return keys;
}

static inline void read_floats(const uint8_t *at, uint32_t count, float *out)
{
    for (uint32_t i = 0; i < count; i++) out[i] = sni_load_f32(at + 4 * (size_t)i);
}

static void read_value(const uint8_t *at, mdx_type type, uint32_t version, float *out)
{
    switch (type) {
    case MDX_U32: out[0] = (float)sni_load_u32(at); break;
    case MDX_VEC3: read_floats(at, 3, out); break;
    case MDX_COLOR:
        for (int i = 0; i < 3; i++) out[i] = sni_load_f32(at + 8 - 4 * i);
        break;  // blue, green, red
    case MDX_QUAT:
        if (version >= MDX_ALPHA_VERSION) {
            sn_quat unpacked = mdx_unpack_quat(at);
            memcpy(out, &unpacked, sizeof unpacked);
        } else {
            read_floats(at, 4, out);
        }
        break;
    default: out[0] = sni_load_f32(at); break;
    }
}

static uint32_t width_of(mdx_type type) { return type == MDX_QUAT ? 4 : type == MDX_VEC3 || type == MDX_COLOR ? 3 : 1; }

static uint8_t interpolation_of(mdx_builder *b, const mdx_track *track)
{
    static const uint8_t kinds[] = { SN_STEP, SN_LINEAR, SN_HERMITE, SN_BEZIER };
    if (track->kind->is_stepped) return SN_STEP;
    if (track->interpolation <= MDX_BEZIER) return kinds[track->interpolation];
    sni_warn(&b->load->diag, SNI_WARN_VALUE_RANGE, track->offset, "interpolation %u; taken as linear",
             track->interpolation);
    return SN_LINEAR;
}

static uint32_t groups_of(const mdx_curve *curve) { return curve->interpolation >= SN_HERMITE ? 3 : 1; }

// The file has value, in, out; a track in, value, out. Without sorted keys they are taken as they lie.
static void read_values(const mdx_builder *b, const mdx_track *track, const key *keys, mdx_curve *curve)
{
    static const uint32_t places[] = { 1, 0, 2 };
    uint32_t version = b->doc->version, groups = groups_of(curve);
    size_t size = mdx_type_bytes(track->kind->type, version), step = mdx_key_bytes(track, version);
    float *out = curve->values;
    for (uint32_t i = 0; i < curve->key_count; i++) {
        const uint8_t *at = keys ? keys[i].at : track->keys.data + step * i;
        curve->times[i] = (int32_t)sni_load_u32(at);
        for (uint32_t g = 0; g < groups; g++)
            read_value(at + 4 + size * g, track->kind->type, version,
                       out + curve->width * (groups == 3 ? places[g] : 0));
        out += (size_t)curve->width * groups;
    }
}

static void mend_values(mdx_builder *b, const mdx_track *track, mdx_curve *curve)
{
    sni_sanitize fixes = { 0 };
    uint32_t groups = groups_of(curve);
    sni_sanitize_floats(&fixes, curve->values, (uint64_t)curve->key_count * groups * curve->width);
    for (uint32_t i = 0; track->kind->type == MDX_QUAT && i < curve->key_count; i++) {
        float *value = curve->values + ((size_t)i * groups + (groups == 3)) * 4;
        if (sni_is_unit(sni_length_squared(value, 4))) continue;
        sn_quat rotation = { value[0], value[1], value[2], value[3] };
        sni_sanitize_rotation(&fixes, &rotation);
        memcpy(value, &rotation, sizeof rotation);
    }
    sni_sanitize_report(b->load, &fixes, track->offset);
}

// How many keys lie at or before a time.
static uint32_t keys_until(const mdx_curve *curve, int64_t time)
{
    uint32_t low = 0, high = curve->key_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (curve->times[middle] <= time) low = middle + 1;
        else high = middle;
    }
    return low;
}

// Seconds from `start`. Times must rise: the earlier of two that became one moves back by as little as can be.
static const float *times_of_slice(mdx_builder *b, mdx_curve *curve, int64_t start)
{
    float *times = sni_new_raw(&b->load->keep, float, curve->count);
    for (uint32_t i = curve->count; times && i-- > 0;) {
        times[i] = (float)((double)(curve->times[curve->first + i] - start) / 1000.0);
        if (i + 1 < curve->count && times[i] >= times[i + 1]) times[i] = nextafterf(times[i + 1], -INFINITY);
    }
    if (times && curve->count > 1 && times[0] < 0.0f) {  // a jump at the very start has happened already
        times++;
        curve->first++;
        curve->count--;
    }
    return times;
}

static void cut_slice(mdx_builder *b, mdx_curve *curve, int64_t start, int64_t end)
{
    curve->first = keys_until(curve, start - 1);
    curve->count = keys_until(curve, end) - curve->first;
    curve->clip_times = curve->count ? times_of_slice(b, curve, start) : NULL;
    if (!curve->clip_times) curve->count = 0;
}

// On its own clock, the same in every clip. A first key that lies beyond the end is what is always seen.
static void set_global(mdx_builder *b, const mdx_track *track, mdx_curve *curve)
{
    int64_t length = sni_load_u32(b->doc->global_sequences.data + 4 * (size_t)track->global_sequence);
    curve->is_global = true;
    cut_slice(b, curve, 0, length);
    if (curve->count == 0 && curve->times[0] > length) cut_slice(b, curve, curve->times[0], curve->times[0]);
    if (curve->count > 1) curve->period = (float)((double)length / 1000.0);
}

mdx_curve *mdx_decode_track(mdx_builder *b, const mdx_track *track)
{
    if (!track || track->keys.count == 0) return NULL;
    size_t size = mdx_key_bytes(track, b->doc->version);
    mdx_curve *curve = sni_new(&b->load->scratch, mdx_curve, 1);
    const key *keys = NULL;
    if (!curve) return NULL;
    curve->key_count = track->keys.count;
    if (!all_rise(track, size) && !(keys = sorted_keys(b, track, size, &curve->key_count))) return NULL;
    curve->interpolation = interpolation_of(b, track);
    curve->width = width_of(track->kind->type);
    curve->times = sni_new_raw(&b->load->scratch, int32_t, curve->key_count);
    curve->values = sni_new_raw(&b->load->keep, float, (uint64_t)curve->key_count *groups_of(curve) * curve->width);
    if (!curve->times || !curve->values) return NULL;
    read_values(b, track, keys, curve);
    mend_values(b, track, curve);
    int32_t global = track->global_sequence;
    if (global >= 0 && (uint32_t)global < b->doc->global_sequences.count) set_global(b, track, curve);
    else b->bad_globals += global != -1;
    return sni_load_ok(b->load) ? curve : NULL;
}

void mdx_curve_move(mdx_curve *curve, const float *by)
{
    sni_sanitize fixes = { 0 };
    uint32_t groups = groups_of(curve);
    for (size_t i = 0; i < (size_t)curve->key_count * groups; i++) {
        if (curve->interpolation == SN_HERMITE && i % 3 != 1) continue;  // its tangents are differences
        for (uint32_t c = 0; c < curve->width; c++) curve->values[i * curve->width + c] += by[c];
    }
    sni_sanitize_floats(&fixes, curve->values,
                        (uint64_t)curve->key_count * groups * curve->width);  // sums may leave the range
}

void mdx_curve_narrow(mdx_curve *curve, uint32_t width)
{
    for (size_t i = 0; i < (size_t)curve->key_count * groups_of(curve); i++)
        for (uint32_t c = 0; c < width; c++) curve->values[i * width + c] = curve->values[i * curve->width + c];
    curve->width = width;
}

bool mdx_curve_spread(mdx_builder *b, mdx_curve *curve, uint32_t width, float factor)
{
    size_t count = (size_t)curve->key_count * groups_of(curve);
    float *values = sni_new_raw(&b->load->keep, float, (uint64_t)count *width);
    if (!values) return false;
    for (size_t i = 0; i < count * width; i++) values[i] = curve->values[i / width] * factor;
    curve->values = values;
    curve->width = width;
    return true;
}

sn_track mdx_clip_slice(mdx_clips *clips, mdx_curve *curve)
{
    sn_track track = { 0 };
    if (!curve) return track;
    if (!curve->is_global && curve->clip != clips->number) {
        cut_slice(clips->builder, curve, clips->start, clips->end);
        curve->clip = clips->number;
    }
    if (curve->count == 0) return track;
    track.interpolation = curve->interpolation;
    track.wrap = curve->count > 1 ? clips->builder->wrap : SN_WRAP_HOLD;
    track.period = curve->period;
    track.key_count = curve->count;
    track.width = curve->width;
    track.times = curve->clip_times;
    track.values = curve->values + (size_t)curve->first * groups_of(curve) * curve->width;
    return track;
}
