// Channels of all kinds as keys: what lies outside a raw channel's frames, jumps, and the union of x, y and z.
#include <math.h>

#include "base/math.h"
#include "format/w3d/w3d_build.h"
#include "model/sanitize.h"

static uint32_t last_frame(const w3d_animation *animation)
{
    return animation->frame_count > 0 ? animation->frame_count - 1 : 0;
}

// Room for the keys of a channel and those that stand around it.
typedef struct key_draft {
    uint32_t count, width;
    uint32_t *frames;
    float *values;
    bool *is_jump;
} key_draft;

static bool make_draft(w3d_builder *b, uint64_t capacity, uint32_t width, key_draft *draft)
{
    *draft = (key_draft){ .width = width };
    draft->frames = sni_new_raw(&b->load->scratch, uint32_t, capacity);
    draft->values = sni_new_raw(&b->load->scratch, float, capacity *width);
    draft->is_jump = sni_new(&b->load->scratch, bool, capacity);
    return draft->frames && draft->values && draft->is_jump;
}

static void add_key(key_draft *draft, uint32_t frame, const float *value, bool is_jump)
{
    draft->frames[draft->count] = frame;
    draft->is_jump[draft->count] = is_jump;
    memcpy(draft->values + (size_t)draft->count * draft->width, value, draft->width * sizeof *value);
    draft->count++;
}

static w3d_curve curve_of(const key_draft *draft)
{
    return (w3d_curve){ draft->count, draft->width, draft->frames, draft->values, draft->is_jump };
}

// Outside its frames a raw channel is not held but nothing: the edge frames blend towards that.
static bool surround(w3d_builder *b, const w3d_keys *keys, uint32_t end, const float *outside, w3d_curve *curve)
{
    key_draft draft;
    uint32_t first = keys->first_frame;
    if (!make_draft(b, (uint64_t)keys->count + 3, curve->width, &draft)) return false;
    if (first > 1) add_key(&draft, 0, outside, false);
    if (first > 0) add_key(&draft, first - 1, outside, false);
    for (uint32_t i = 0; i < keys->count && first + i <= end; i++)
        add_key(&draft, first + i, keys->values + (size_t)i * curve->width, false);
    if (first + keys->count <= end) add_key(&draft, first + keys->count, outside, false);
    *curve = curve_of(&draft);
    return true;
}

// Keys that do not rise are skipped; of those behind the end the first is still headed for.
static void sort_out(w3d_builder *b, const w3d_keys *keys, uint32_t end, w3d_curve *curve)
{
    uint32_t kept = 0, dropped = 0;
    for (uint32_t i = 0; i < keys->count && (kept == 0 || keys->frames[kept - 1] <= end); i++) {
        if (kept > 0 && keys->frames[i] <= keys->frames[kept - 1]) {
            dropped++;
            continue;
        }
        if (kept != i) {
            keys->frames[kept] = keys->frames[i];
            keys->is_jump[kept] = keys->is_jump[i];
            memmove(keys->values + (size_t)kept * curve->width, keys->values + (size_t)i * curve->width,
                    curve->width * sizeof(float));
        }
        kept++;
    }
    if (kept > 1 && keys->frames[kept - 1] > end && keys->is_jump[kept - 1]) kept--;  // never reached, never led up to
    sni_warn_many(&b->load->diag, SNI_WARN_KEY_ORDER, dropped, 0, "%u keys do not come after the key before them",
                  dropped);
    *curve = (w3d_curve){ kept, curve->width, keys->frames, keys->values, keys->is_jump };
}

bool w3d_make_curve(w3d_builder *b, const w3d_animation *animation, const w3d_channel *channel, const float *outside,
                    w3d_curve *curve)
{
    w3d_keys keys;
    sni_sanitize fixes = { 0 };
    uint32_t end = last_frame(animation);
    *curve = (w3d_curve){ .width = channel->width };
    if (!w3d_decode_channel(b->load, channel, &keys)) return false;
    sni_sanitize_floats(&fixes, keys.values, (uint64_t)keys.count * channel->width);
    sni_sanitize_report(b->load, &fixes, 0);
    if (keys.frames) {
        sort_out(b, &keys, end, curve);
        return true;
    }
    bool is_whole = channel->kind != W3D_RAW || (keys.first_frame == 0 && keys.count > end);
    if (!is_whole) return surround(b, &keys, end, outside, curve);
    curve->count = keys.count <= end ? keys.count : end + 1;
    curve->values = keys.values;
    return true;
}

static uint32_t frame_at(const w3d_curve *curve, uint32_t key) { return curve->frames ? curve->frames[key] : key; }

static bool jumps_at(const w3d_curve *curve, uint32_t key) { return curve->is_jump && curve->is_jump[key] && key > 0; }

static uint32_t first_key_behind(const w3d_curve *curve, uint32_t frame)
{
    uint32_t first = 0, end = curve->count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (frame_at(curve, middle) <= frame) first = middle + 1;
        else end = middle;
    }
    return first;
}

static void sample(const w3d_curve *curve, uint32_t frame, float *value)
{
    uint32_t width = curve->width, next = first_key_behind(curve, frame);
    const float *to = curve->values + (size_t)next * width, *from = next > 0 ? to - width : to;
    memcpy(value, from, width * sizeof *value);
    if (next == 0 || next == curve->count || jumps_at(curve, next)) return;
    double start = frame_at(curve, next - 1);
    float u = (float)((frame - start) / (frame_at(curve, next) - start));
    if (width != 4) {
        for (uint32_t i = 0; i < width; i++) value[i] += (to[i] - from[i]) * u;
        return;
    }
    sn_quat turn = sni_quat_slerp(sni_quat_unit(sni_quat(from[0], from[1], from[2], from[3])),
                                  sni_quat_unit(sni_quat(to[0], to[1], to[2], to[3])), u);
    memcpy(value, &turn, sizeof turn);
}

bool w3d_retime_curve(w3d_builder *b, w3d_array moments, uint32_t end, w3d_curve *curve)
{
    key_draft draft;
    w3d_curve source = *curve;
    if (source.count == 0) moments.count = 0;
    if (!make_draft(b, moments.count, source.width, &draft)) return false;
    for (uint32_t i = 0; i < moments.count; i++) {
        float value[4];
        sample(&source, sni_load_u32(moments.data + (size_t)8 * i + 4), value);
        add_key(&draft, sni_load_u32(moments.data + (size_t)8 * i), value, false);
    }
    w3d_keys keys = { .count = draft.count, .values = draft.values, .frames = draft.frames, .is_jump = draft.is_jump };
    sort_out(b, &keys, end, curve);
    return true;
}

static void add_switch(key_draft *draft, uint32_t frame, bool value)
{
    float number = value ? 1.0f : 0.0f;
    if (draft->count > 0 && draft->frames[draft->count - 1] >= frame) return;
    if (draft->count == 0 || draft->values[draft->count - 1] != number) add_key(draft, frame, &number, true);
}

bool w3d_make_switch(w3d_builder *b, const w3d_animation *animation, const w3d_channel *channel, w3d_curve *curve)
{
    w3d_keys keys;
    key_draft draft;
    uint32_t end = last_frame(animation);
    bool is_raw = channel->kind == W3D_RAW_BITS;
    if (!w3d_decode_channel(b->load, channel, &keys) || !make_draft(b, (uint64_t)keys.count + 2, 1, &draft))
        return false;
    if (is_raw && keys.first_frame > 0) add_switch(&draft, 0, channel->fallback != 0);
    for (uint32_t i = 0; i < keys.count; i++) {
        uint32_t frame = is_raw   ? keys.first_frame + i
                         : i == 0 ? 0
                                  : keys.frames[i];  // before its first entry that one counts
        if (frame > end) break;
        add_switch(&draft, frame, keys.values[i] != 0.0f);
    }
    if (is_raw && keys.first_frame + keys.count <= end)
        add_switch(&draft, keys.first_frame + keys.count, channel->fallback != 0);
    *curve = curve_of(&draft);
    return true;
}

// The value at a frame; `next` is the first key behind it.
static float value_at(const w3d_curve *curve, uint32_t next, uint32_t frame)
{
    if (curve->count == 0) return 0.0f;
    if (next == 0) return curve->values[0];
    float from = curve->values[next - 1];
    if (next == curve->count || frame == frame_at(curve, next - 1) || jumps_at(curve, next)) return from;
    double start = frame_at(curve, next - 1), u = (frame - start) / (frame_at(curve, next) - start);
    return (float)(from * (1.0 - u) + curve->values[next] * u);
}

enum { MOST_JOINED = 3 };

static void put_joined(w3d_joined *joined, uint32_t width, uint32_t frame, bool is_before, const float *values)
{
    joined->frames[joined->count] = frame;
    joined->is_before[joined->count] = is_before;
    memcpy(joined->values + (size_t)joined->count * width, values, width * sizeof *values);
    joined->count++;
}

bool w3d_join_curves(w3d_builder *b, const w3d_curve *curves, uint32_t curve_count, w3d_joined *joined)
{
    uint32_t next[MOST_JOINED] = { 0 };
    uint64_t most = 0;
    for (uint32_t c = 0; c < curve_count; c++) most += curves[c].count;
    *joined = (w3d_joined){ .frames = sni_new_raw(&b->load->scratch, uint32_t, 2 * most),
                            .is_before = sni_new_raw(&b->load->scratch, bool, 2 * most),
                            .values = sni_new_raw(&b->load->scratch, float, 2 * most * curve_count) };
    if (!joined->frames || !joined->is_before || !joined->values) return false;
    for (;;) {
        uint32_t frame = UINT32_MAX;
        bool has_jump = false;
        float before[MOST_JOINED], at[MOST_JOINED];
        for (uint32_t c = 0; c < curve_count; c++)
            if (next[c] < curves[c].count && frame_at(&curves[c], next[c]) < frame)
                frame = frame_at(&curves[c], next[c]);
        if (frame == UINT32_MAX) return true;
        for (uint32_t c = 0; c < curve_count; c++) {
            bool is_key = next[c] < curves[c].count && frame_at(&curves[c], next[c]) == frame;
            bool is_jump = is_key && jumps_at(&curves[c], next[c]);
            before[c] = is_jump ? curves[c].values[next[c] - 1] : 0.0f;
            next[c] += is_key;
            at[c] = value_at(&curves[c], next[c], frame);
            if (!is_jump) before[c] = at[c];
            has_jump = has_jump || is_jump;
        }
        if (has_jump) put_joined(joined, curve_count, frame, true, before);
        put_joined(joined, curve_count, frame, false, at);
    }
}
