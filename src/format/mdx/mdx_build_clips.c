// Animation: tracks of the file are decoded to curves, curves are bound to channels of the model, and each sequence
// becomes a clip with the slices of all curves that fall into it. Lights and cameras are here too.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "format/mdx/mdx_build.h"
#include "model/sanitize.h"
#include "model/track.h"

enum { MAX_TRACKS = 1 << 22 };  // of all clips together, also those that turn out empty: bounds hostile files

// Decoding tracks to curves

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

// True for nearly all tracks: each key is later than the one before, so nothing has to be sorted.
static bool has_rising_times(const mdx_track *track, size_t key_bytes)
{
    const uint8_t *at = track->keys.data;
    uint32_t falls = 0;
    for (uint32_t i = 1; i < track->keys.count; i++, at += key_bytes)
        falls += (int32_t)sni_load_u32(at + key_bytes) <= (int32_t)sni_load_u32(at);
    return falls == 0;
}

// Sorts the keys by time. Several keys at one time are a jump from the first to the last: keys between these two and
// exact duplicates are dropped.
static key *sort_keys(mdx_builder *b, const mdx_track *track, size_t key_bytes, uint32_t *count)
{
    uint32_t total = track->keys.count, kept = 0;
    key *keys = sni_new_raw(&b->load->scratch, key, total);
    bool is_sorted = true;
    if (!keys) return NULL;
    for (uint32_t i = 0; i < total; i++) {
        const uint8_t *at = track->keys.data + key_bytes * i;
        keys[i] = (key){ (int32_t)sni_load_u32(at), i, at };
        if (i > 0 && keys[i].time < keys[i - 1].time) is_sorted = false;
    }
    if (!is_sorted) {
        sni_warn(&b->load->diag, SNI_WARN_MDX_KEY_ORDER, track->offset, "%u keys are not sorted by time", total);
        qsort(keys, total, sizeof *keys, compare_keys);
    }
    for (uint32_t i = 0; i < total; i++) {
        bool has_next = i + 1 < total && keys[i + 1].time == keys[i].time;
        bool is_middle = has_next && kept > 0 && keys[kept - 1].time == keys[i].time;
        bool is_duplicate = has_next && memcmp(keys[i].at, keys[i + 1].at, key_bytes) == 0;
        if (!is_middle && !is_duplicate) keys[kept++] = keys[i];
    }
    *count = kept;
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
    case MDX_COLOR:  // blue, green, red
        for (int i = 0; i < 3; i++) out[i] = sni_load_f32(at + 8 - 4 * i);
        break;
    case MDX_QUAT:
        if (version >= MDX_WOW_VERSION) {
            sn_quat unpacked = mdx_unpack_quat(at);
            memcpy(out, &unpacked, sizeof unpacked);
        } else {
            read_floats(at, 4, out);
        }
        break;
    default: out[0] = sni_load_f32(at); break;
    }
}

uint32_t mdx_values_per_key(const mdx_curve *curve) { return curve->interpolation >= SN_HERMITE ? 3 : 1; }

// Keys of the file are value, in, out; those of a curve are in, value, out. `keys` is NULL when they are sorted.
static void read_keys(const mdx_builder *b, const mdx_track *track, const key *keys, mdx_curve *curve)
{
    static const uint32_t order[] = { 1, 0, 2 };
    uint32_t version = b->doc->version, per_key = mdx_values_per_key(curve);
    size_t value_bytes = mdx_type_bytes(track->kind->type, version), key_bytes = mdx_key_bytes(track, version);
    float *out = curve->values;
    for (uint32_t i = 0; i < curve->key_count; i++) {
        const uint8_t *at = keys ? keys[i].at : track->keys.data + key_bytes * i;
        curve->times[i] = (int32_t)sni_load_u32(at);
        for (uint32_t k = 0; k < per_key; k++)
            read_value(at + 4 + value_bytes * k, track->kind->type, version,
                       out + curve->width * (per_key == 3 ? order[k] : 0));
        out += (size_t)curve->width * per_key;
    }
}

static void sanitize_values(mdx_builder *b, const mdx_track *track, mdx_curve *curve)
{
    sni_sanitize fixes = { 0 };
    uint32_t per_key = mdx_values_per_key(curve);
    sni_sanitize_floats(&fixes, curve->values, (uint64_t)curve->key_count * per_key * curve->width);
    for (uint32_t i = 0; track->kind->type == MDX_QUAT && i < curve->key_count; i++) {
        float *value = curve->values + ((size_t)i * per_key + (per_key == 3)) * 4;
        if (sni_is_unit(sni_length_squared(value, 4))) continue;
        sn_quat rotation = { value[0], value[1], value[2], value[3] };
        sni_sanitize_rotation(&fixes, &rotation);
        memcpy(value, &rotation, sizeof rotation);
    }
    sni_sanitize_report(&b->load->diag, &fixes, track->offset);
}

// The number of keys at or before a time.
static uint32_t count_keys_until(const mdx_curve *curve, int64_t time)
{
    uint32_t low = 0, high = curve->key_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (curve->times[middle] <= time) low = middle + 1;
        else high = middle;
    }
    return low;
}

// The keys from `start` to `end`, in seconds from `start`. Times must rise: where two became equal, the earlier one
// moves back to the previous float. A jump at the very start is over, so its first key is dropped.
static void slice_keys(mdx_builder *b, mdx_curve *curve, int64_t start, int64_t end)
{
    curve->first = count_keys_until(curve, start - 1);
    curve->count = count_keys_until(curve, end) - curve->first;
    curve->clip_times = NULL;
    if (curve->count == 0) return;
    float *times = sni_new_raw(&b->load->keep, float, curve->count);
    if (!times) {
        curve->count = 0;
        return;
    }
    for (uint32_t i = curve->count; i-- > 0;) {
        times[i] = (float)((double)(curve->times[curve->first + i] - start) / 1000.0);
        if (i + 1 < curve->count && times[i] >= times[i + 1]) times[i] = nextafterf(times[i + 1], -INFINITY);
    }
    bool starts_with_jump = curve->count > 1 && times[0] < 0.0f;
    curve->clip_times = times + starts_with_jump;
    curve->first += starts_with_jump;
    curve->count -= starts_with_jump;
}

mdx_curve *mdx_decode_track(mdx_builder *b, const mdx_track *track)
{
    static const uint8_t interpolations[] = { SN_STEP, SN_LINEAR, SN_HERMITE, SN_BEZIER };
    if (!track || track->keys.count == 0) return NULL;
    mdx_type type = track->kind->type;
    size_t key_bytes = mdx_key_bytes(track, b->doc->version);
    mdx_curve *curve = sni_new(&b->load->scratch, mdx_curve, 1);
    const key *keys = NULL;
    if (!curve) return NULL;

    curve->key_count = track->keys.count;
    if (!has_rising_times(track, key_bytes) && !(keys = sort_keys(b, track, key_bytes, &curve->key_count))) return NULL;

    curve->interpolation = SN_LINEAR;
    if (track->kind->is_stepped) curve->interpolation = SN_STEP;
    else if (track->interpolation <= MDX_BEZIER) curve->interpolation = interpolations[track->interpolation];
    else
        sni_warn(&b->load->diag, SNI_WARN_VALUE_RANGE, track->offset, "unknown interpolation %u; linear is used",
                 track->interpolation);

    curve->width = type == MDX_QUAT ? 4 : type == MDX_VEC3 || type == MDX_COLOR ? 3 : 1;
    uint64_t value_count = (uint64_t)curve->key_count * mdx_values_per_key(curve) * curve->width;
    curve->times = sni_new_raw(&b->load->scratch, int32_t, curve->key_count);
    curve->values = sni_new_raw(&b->load->keep, float, value_count);
    if (!curve->times || !curve->values) return NULL;
    read_keys(b, track, keys, curve);
    sanitize_values(b, track, curve);

    // A track of a global sequence has the same slice in every clip. A first key after the end is always shown.
    int32_t global = track->global_sequence;
    if (global >= 0 && (uint32_t)global < b->doc->global_sequences.count) {
        int64_t length = sni_load_u32(b->doc->global_sequences.data + 4 * (size_t)global);
        curve->is_global = true;
        slice_keys(b, curve, 0, length);
        if (curve->count == 0 && curve->times[0] > length) slice_keys(b, curve, curve->times[0], curve->times[0]);
        if (curve->count > 1) curve->period = (float)((double)length / 1000.0);
    } else if (global != -1) {
        b->bad_globals++;
    }
    return sni_load_ok(b->load) ? curve : NULL;
}

const mdx_track *mdx_find_track(const mdx_tracks *tracks, uint32_t tag)
{
    for (uint32_t i = tracks->count; i-- > 0;)
        if (tracks->items[i].kind->tag == tag && tracks->items[i].keys.count > 0) return &tracks->items[i];
    return NULL;
}

mdx_curve *mdx_find_curve(mdx_builder *b, const mdx_tracks *tracks, uint32_t tag)
{
    return mdx_decode_track(b, mdx_find_track(tracks, tag));
}

void mdx_curve_add(mdx_curve *curve, const float *offset)
{
    sni_sanitize fixes = { 0 };
    size_t count = (size_t)curve->key_count * mdx_values_per_key(curve);
    for (size_t i = 0; i < count; i++) {
        if (curve->interpolation == SN_HERMITE && i % 3 != 1) continue;  // its tangents are differences
        for (uint32_t c = 0; c < curve->width; c++) curve->values[i * curve->width + c] += offset[c];
    }
    sni_sanitize_floats(&fixes, curve->values, count * curve->width);  // sums may overflow
}

void mdx_curve_set_width(mdx_curve *curve, uint32_t width)
{
    for (size_t i = 0; i < (size_t)curve->key_count * mdx_values_per_key(curve); i++)
        for (uint32_t c = 0; c < width; c++) curve->values[i * width + c] = curve->values[i * curve->width + c];
    curve->width = width;
}

bool mdx_curve_repeat(mdx_builder *b, mdx_curve *curve, uint32_t width)
{
    size_t count = (size_t)curve->key_count * mdx_values_per_key(curve) * width;
    float *values = sni_new_raw(&b->load->keep, float, (uint64_t)count);
    if (!values) return false;
    for (size_t i = 0; i < count; i++) values[i] = curve->values[i / width];
    curve->values = values;
    curve->width = width;
    return true;
}

// Bindings

static void add_curve_track(mdx_clip_builder *clip, const mdx_binding *binding)
{
    sn_track track = mdx_slice_curve(clip, binding->curve);
    if (track.key_count == 0 && binding->has_default)
        track = mdx_constant_track(clip->builder, binding->curve->width, binding->default_value);
    mdx_push_track(clip, binding, binding->channel, &track);
}

mdx_binding *mdx_bind(mdx_builder *b, mdx_curve *curve, sn_target kind, int32_t target, int32_t sub, sn_channel channel)
{
    mdx_binding *binding = curve ? sni_push(&b->load->scratch, &b->bindings, mdx_binding) : NULL;
    if (!binding) return NULL;
    *binding = (mdx_binding){ .add_tracks = add_curve_track, .curve = curve, .target = target, .sub = sub };
    binding->target_kind = (uint8_t)kind;
    binding->channel = (uint8_t)channel;
    return binding;
}

void mdx_bind_default(mdx_binding *binding, const float *value, const float *rest)
{
    if (!binding) return;
    for (uint32_t i = 0; i < binding->curve->width; i++) {
        binding->default_value[i] = value[i];
        if (value[i] != rest[i]) binding->has_default = true;
    }
}

sn_track mdx_slice_curve(mdx_clip_builder *clip, mdx_curve *curve)
{
    sn_track track = { 0 };
    if (!curve) return track;
    if (!curve->is_global && curve->clip != clip->number) {
        slice_keys(clip->builder, curve, clip->start, clip->end);
        curve->clip = clip->number;
    }
    if (curve->count == 0) return track;
    track.interpolation = curve->interpolation;
    track.wrap = curve->count > 1 ? clip->builder->wrap : SN_WRAP_HOLD;
    track.period = curve->period;
    track.key_count = curve->count;
    track.width = curve->width;
    track.times = curve->clip_times;
    track.values = curve->values + (size_t)curve->first * mdx_values_per_key(curve) * curve->width;
    return track;
}

sn_track mdx_constant_track(mdx_builder *b, uint32_t width, const float *value)
{
    float *times = sni_new(&b->load->keep, float, 1), *values = sni_new_raw(&b->load->keep, float, width);
    if (!times || !values) return (sn_track){ 0 };
    memcpy(values, value, width * sizeof *value);
    return (sn_track){ .key_count = 1, .width = width, .times = times, .values = values };
}

void mdx_push_track(mdx_clip_builder *clip, const mdx_binding *binding, sn_channel channel, const sn_track *track)
{
    sn_track *out = track->key_count ? sni_push(&clip->builder->load->scratch, &clip->tracks, sn_track) : NULL;
    if (!out) return;
    *out = *track;
    out->target_kind = binding->target_kind;
    out->channel = (uint8_t)channel;
    out->target = binding->target;
    out->sub = binding->sub;
}

// Resampling

// The period of all tracks with several keys; 0 when they differ, which shows only the clip's first round.
static float common_period(const mdx_resample *resample)
{
    float period = -1.0f;
    for (uint32_t i = 0; i < resample->track_count; i++) {
        const sn_track *track = &resample->tracks[i];
        if (track->key_count < 2) continue;
        if (period >= 0.0f && period != track->period) return 0.0f;
        period = track->period;
    }
    return period > 0.0f ? period : 0.0f;
}

bool mdx_resample_begin(mdx_clip_builder *clip, mdx_resample *resample)
{
    enum { STEPS = 4 };  // from one key to the next
    sni_load *load = clip->builder->load;
    uint64_t total = 2;
    for (uint32_t i = 0; i < resample->track_count; i++) total += resample->tracks[i].key_count;
    resample->period = common_period(resample);
    float end = resample->period > 0.0f ? resample->period : clip->duration;
    float *keys = sni_new_raw(&load->scratch, float, total);
    float *times = sni_new_raw(&load->keep, float, total *STEPS);
    if (!keys || !times) return false;

    // The key times of all tracks, the start and the end.
    uint32_t key_count = 2, count = 0;
    keys[0] = 0.0f;
    keys[1] = end;
    for (uint32_t i = 0; i < resample->track_count; i++) {
        const sn_track *track = &resample->tracks[i];
        for (uint32_t k = 0; k < track->key_count; k++)
            if (track->times[k] <= end) keys[key_count++] = track->times[k];
    }
    key_count = sni_merge_key_times(keys, key_count);

    for (uint32_t i = 0; i + 1 < key_count; i++)
        for (int step = 0; step < STEPS; step++)
            times[count++] = keys[i] + (keys[i + 1] - keys[i]) * (float)step / STEPS;
    times[count++] = keys[key_count - 1];
    resample->times = times;
    resample->key_count = sni_merge_key_times(times, count);
    return true;
}

void mdx_resample_at(const mdx_clip_builder *clip, const sn_track *track, float time, float *out)
{
    if (track->key_count == 0) return;
    if (track->period > 0.0f && time == track->period) time = nextafterf(time, 0.0f);  // the end, not the start again
    sni_track_sample(track, time, clip->duration, time, out);
}

sn_track mdx_resampled_track(const mdx_resample *resample, uint32_t width, const float *values)
{
    return (sn_track){ .interpolation = SN_LINEAR,
                       .wrap = SN_WRAP_HOLD,
                       .period = resample->period,
                       .key_count = resample->key_count,
                       .width = width,
                       .times = resample->times,
                       .values = values };
}

// Lights

bool mdx_build_lights(mdx_builder *b)
{
    static const sn_light_kind kinds[] = { SN_LIGHT_POINT, SN_LIGHT_DIRECTIONAL, SN_LIGHT_AMBIENT };
    static const float zero[4] = { 0, 0, 0 };
    const sn_node *nodes = b->core.nodes.items;
    sn_light *lights = sni_builder_lights(&b->core, b->doc->lights.count);
    if (!lights) return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < b->source_count; i++) {
        const mdx_node_source *source = &b->sources[i];
        if (source->kind->tag != MDX_LITE) continue;
        const mdx_light *from = (const void *)source->object;
        const mdx_tracks *tracks = &from->object.item.tracks;
        int32_t index = (int32_t)count;
        sn_light *light = &lights[count++];
        sni_enter(&b->load->diag, "LITE", source->number);
        light->name = nodes[source->node].name;
        light->node = source->node;
        light->color = from->color;
        light->intensity = from->intensity;
        light->kind = from->kind < 3 ? kinds[from->kind] : SN_LIGHT_POINT;
        if (light->kind == SN_LIGHT_POINT && from->attenuation_end > 0.0f) light->range = from->attenuation_end;

        mdx_curve *color = mdx_find_curve(b, tracks, MDX_KLAC);
        mdx_bind_default(mdx_bind(b, color, SN_TARGET_LIGHT, index, 0, SN_CHANNEL_COLOR), zero, &light->color.x);
        mdx_curve *intensity = mdx_find_curve(b, tracks, MDX_KLAI);
        mdx_bind_default(mdx_bind(b, intensity, SN_TARGET_LIGHT, index, 0, SN_CHANNEL_INTENSITY), zero,
                         &light->intensity);
        sni_leave(&b->load->diag);
    }
    return sni_load_ok(b->load);
}

// Cameras

// Looks from one point to another with Z up, then rolls about the view direction. A camera looks along its -Z.
static sn_quat look_at(sn_vec3 from, sn_vec3 to, float roll)
{
    const sn_vec3 up = { 0, 0, 1 }, forward = { 1, 0, 0 };
    sn_vec3 back = sni_scale(sni_unit(sni_sub(to, from), forward), -1.0f);
    sn_vec3 right = sni_unit(sni_cross(up, back), sni_vec3(0, -1, 0));  // straight up or down: as if it faced +X
    sn_mat34 axes = { 0 };
    sni_mat34_set_column(&axes, 0, right);
    sni_mat34_set_column(&axes, 1, sni_cross(back, right));
    sni_mat34_set_column(&axes, 2, back);
    sn_quat rotation = sni_mat34_rotation(&axes);
    return roll == 0.0f ? rotation : sni_quat_unit(sni_quat_mul(rotation, sni_quat_axis(sni_vec3(0, 0, -1), roll)));
}

sn_trs mdx_camera_rest(const mdx_camera *camera)
{
    return (sn_trs){ camera->position, look_at(camera->position, camera->target, 0.0f), { 1, 1, 1 } };
}

typedef struct camera_curves {
    const mdx_camera *camera;
    mdx_curve *position, *target, *roll;
} camera_curves;

// The rotation depends on all three curves.
static void add_camera_rotation(mdx_clip_builder *clip, const mdx_binding *binding)
{
    const camera_curves *curves = binding->data;
    const sn_track tracks[] = { mdx_slice_curve(clip, curves->position), mdx_slice_curve(clip, curves->target),
                                mdx_slice_curve(clip, curves->roll) };
    mdx_resample resample = { .tracks = tracks, .track_count = 3 };
    bool has_keys = tracks[0].key_count + tracks[1].key_count + tracks[2].key_count > 0;
    if (!has_keys || !mdx_resample_begin(clip, &resample)) return;
    sn_quat *rotations = sni_new_raw(&clip->builder->load->keep, sn_quat, resample.key_count);
    if (!rotations) return;
    for (uint32_t i = 0; i < resample.key_count; i++) {
        sn_vec3 position = curves->camera->position, target = curves->camera->target;
        float roll = 0.0f;
        mdx_resample_at(clip, &tracks[0], resample.times[i], &position.x);
        mdx_resample_at(clip, &tracks[1], resample.times[i], &target.x);
        mdx_resample_at(clip, &tracks[2], resample.times[i], &roll);
        rotations[i] = look_at(position, target, roll);
    }
    sn_track track = mdx_resampled_track(&resample, 4, &rotations->x);
    mdx_push_track(clip, binding, SN_CHANNEL_ROTATION, &track);
}

static bool bind_camera(mdx_builder *b, const mdx_camera *camera, int32_t node)
{
    const mdx_tracks *tracks = &camera->item.tracks;
    camera_curves *curves = sni_new(&b->load->scratch, camera_curves, 1);
    if (!curves) return false;
    curves->camera = camera;
    curves->position = mdx_find_curve(b, tracks, MDX_KCTR);
    curves->target = mdx_find_curve(b, tracks, MDX_KTTR);
    curves->roll = mdx_find_curve(b, tracks, MDX_KCRL);
    if (curves->position) mdx_curve_add(curves->position, &camera->position.x);
    if (curves->target) mdx_curve_add(curves->target, &camera->target.x);
    mdx_bind(b, curves->position, SN_TARGET_NODE, node, 0, SN_CHANNEL_TRANSLATION);
    mdx_curve *any = curves->position ? curves->position : curves->target ? curves->target : curves->roll;
    mdx_binding *rotation = mdx_bind(b, any, SN_TARGET_NODE, node, 0, SN_CHANNEL_ROTATION);
    if (rotation) rotation->add_tracks = add_camera_rotation, rotation->data = curves;
    return sni_load_ok(b->load);
}

bool mdx_build_cameras(mdx_builder *b)
{
    const mdx_camera *sources = b->doc->cameras.items;
    uint32_t count = b->doc->cameras.count;
    const sn_node *nodes = b->core.nodes.items;
    sn_camera *cameras = sni_builder_cameras(&b->core, count);
    if (!cameras) return false;
    for (uint32_t i = 0; i < count; i++) {
        int32_t node = b->camera_nodes[i];
        sni_enter(&b->load->diag, "CAMS", i);
        cameras[i] = (sn_camera){ .name = nodes[node].name,
                                  .node = node,
                                  .is_perspective = true,
                                  .fov_y = sources[i].fov,
                                  .near_plane = sources[i].near_clip,
                                  .far_plane = sources[i].far_clip,
                                  .extras = mdx_camera_extras(b, &sources[i]) };
        bool is_bound = bind_camera(b, &sources[i], node);
        sni_leave(&b->load->diag);
        if (!is_bound) return false;
    }
    return true;
}

// Clips

static bool build_clip_tracks(mdx_clip_builder *builder, sn_clip *clip)
{
    mdx_builder *b = builder->builder;
    const mdx_binding *bindings = b->bindings.items;
    builder->tracks.count = 0;
    for (uint32_t i = 0; i < b->bindings.count && sni_load_ok(b->load); i++)
        bindings[i].add_tracks(builder, &bindings[i]);
    sn_track *tracks = sni_load_ok(b->load) ? sni_new_raw(&b->load->keep, sn_track, builder->tracks.count) : NULL;
    if (!tracks) return false;
    if (builder->tracks.count > 0) memcpy(tracks, builder->tracks.items, builder->tracks.count * sizeof *tracks);
    clip->tracks = tracks;
    clip->track_count = builder->tracks.count;
    clip->duration = builder->duration;
    return true;
}

// An interval that ends before it starts is a single frame, like one of length 0.
static bool build_sequence(mdx_clip_builder *builder, const mdx_sequence *sequence, sn_clip *clip)
{
    mdx_builder *b = builder->builder;
    const int32_t start = (int32_t)sequence->start, end = (int32_t)sequence->end;  // as the times of keys
    builder->start = start;
    builder->end = end;
    if (end < start || (b->load->lint && end == start)) {
        sni_warn(&b->load->diag, SNI_WARN_MDX_SEQUENCE, sequence->item.offset, "its interval is %d to %d", start, end);
        builder->end = builder->start;
    }
    builder->duration = (float)((double)(builder->end - builder->start) / 1000.0);
    clip->name = mdx_clean_text(b, sequence->name, sequence->item.offset);
    clip->extras = mdx_sequence_extras(b, sequence);
    clip->loops = !(sequence->flags & MDX_NON_LOOPING);
    return build_clip_tracks(builder, clip);
}

// Without sequences the tracks of global sequences still play: in one clip as long as the longest of them.
static bool build_global_clip(mdx_builder *b)
{
    const mdx_binding *bindings = b->bindings.items;
    mdx_clip_builder builder = { .builder = b, .number = 1, .end = -1 };  // no other key is inside
    bool has_global = false;
    for (uint32_t i = 0; i < b->bindings.count; i++) {
        const mdx_curve *curve = bindings[i].curve;
        has_global = has_global || curve->is_global;
        if (curve->period > builder.duration) builder.duration = curve->period;
    }
    if (!has_global) return true;
    sn_clip *clip = sni_builder_add_clip(&b->core);
    if (!clip) return false;
    clip->name = "Global";
    clip->loops = true;
    return build_clip_tracks(&builder, clip);
}

bool mdx_build_clips(mdx_builder *b)
{
    uint32_t count = b->doc->sequences.count;
    const mdx_sequence *sequences = b->doc->sequences.items;
    if (count == 0) return build_global_clip(b);
    if (b->bindings.count > 0 && count > MAX_TRACKS / b->bindings.count)
        return sni_fail(&b->load->diag, SN_ERR_LIMIT, 0, "%u animated channels in %u sequences exceed %d tracks",
                        b->bindings.count, count, MAX_TRACKS);
    sn_clip *clips = sni_builder_clips(&b->core, count);
    mdx_clip_builder builder = { .builder = b };
    if (!clips) return false;
    for (uint32_t i = 0; i < count; i++) {
        builder.number = i + 1;
        sni_enter(&b->load->diag, "SEQS", i);
        bool is_built = build_sequence(&builder, &sequences[i], &clips[i]);
        sni_leave(&b->load->diag);
        if (!is_built) return false;
    }
    return true;
}
