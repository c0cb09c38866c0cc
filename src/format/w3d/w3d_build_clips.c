// Clips: each animation on the instances whose hierarchy it names.
//
// Channels are relative to the base pose: parent * base T * base R * T * R. As a node's transform that is translation
// base.t + base.r * T and rotation base.r * R.
#include <math.h>

#include "base/math.h"
#include "format/w3d/w3d_build.h"
#include "model/sanitize.h"

enum { DEFAULT_FRAME_RATE = 30, MAX_SHARED_TIMES = 1 << 22, MAX_MERGED = 3 };

// Curves: decoded channels as keys at rising frames

// Held before the first key and after the last. Without frames there is a key at each frame from 0 on.
typedef struct curve {
    uint32_t count, width;
    uint32_t *frames;
    float *values;
    bool *is_jump;  // the previous value holds up to this key; NULL: nowhere
} curve;

static bool curve_init(w3d_builder *b, uint64_t capacity, uint32_t width, curve *out)
{
    *out = (curve){ .width = width,
                    .frames = sni_new_raw(&b->load->scratch, uint32_t, capacity),
                    .values = sni_new_raw(&b->load->scratch, float, capacity *width),
                    .is_jump = sni_new(&b->load->scratch, bool, capacity) };
    return out->frames && out->values && out->is_jump;
}

static void add_key(curve *out, uint32_t frame, const float *value, bool is_jump)
{
    out->frames[out->count] = frame;
    out->is_jump[out->count] = is_jump;
    memcpy(out->values + (size_t)out->count * out->width, value, out->width * sizeof *value);
    out->count++;
}

static uint32_t frame_at(const curve *c, uint32_t key) { return c->frames ? c->frames[key] : key; }

static bool jumps_at(const curve *c, uint32_t key) { return c->is_jump && c->is_jump[key] && key > 0; }

// Removes keys that do not come after the previous one, and keys after the first one past `end`.
static void drop_bad_keys(w3d_builder *b, uint32_t end, curve *c)
{
    uint32_t kept = 0, dropped = 0, width = c->width;
    for (uint32_t i = 0; i < c->count && (kept == 0 || c->frames[kept - 1] <= end); i++) {
        if (kept > 0 && c->frames[i] <= c->frames[kept - 1]) {
            dropped++;
            continue;
        }
        if (kept != i) {
            c->frames[kept] = c->frames[i];
            c->is_jump[kept] = c->is_jump[i];
            memmove(c->values + (size_t)kept * width, c->values + (size_t)i * width, width * sizeof(float));
        }
        kept++;
    }
    if (kept > 1 && c->frames[kept - 1] > end && c->is_jump[kept - 1]) kept--;  // a jump past the end has no effect
    c->count = kept;
    sni_warn_many(&b->load->diag, SNI_WARN_KEY_ORDER, dropped, 0, "%u keys do not come after the previous key",
                  dropped);
}

static uint32_t last_frame(const w3d_animation *animation)
{
    return animation->frame_count > 0 ? animation->frame_count - 1 : 0;
}

// A channel up to the last frame of its animation. A raw channel has the value `outside` where it has no frames; the
// frames at its edges blend into that.
static bool make_curve(w3d_builder *b, const w3d_animation *animation, const w3d_channel *channel, const float *outside,
                       curve *out)
{
    w3d_keys keys;
    sni_sanitize fixes = { 0 };
    uint32_t end = last_frame(animation), width = channel->width;
    if (!w3d_decode_channel(b->load, channel, &keys)) return false;
    sni_sanitize_floats(&fixes, keys.values, (uint64_t)keys.count * width);
    sni_sanitize_report(&b->load->diag, &fixes, 0);

    *out = (curve){ keys.count, width, keys.frames, keys.values, keys.is_jump };
    if (keys.frames) {
        drop_bad_keys(b, end, out);
        return true;
    }
    uint32_t first = keys.first_frame;
    bool has_all_frames = channel->kind != W3D_RAW || (first == 0 && keys.count > end);
    if (has_all_frames) {
        if (out->count > end) out->count = end + 1;
        return true;
    }
    if (!curve_init(b, (uint64_t)keys.count + 3, width, out)) return false;
    if (first > 1) add_key(out, 0, outside, false);
    if (first > 0) add_key(out, first - 1, outside, false);
    for (uint32_t i = 0; i < keys.count && first + i <= end; i++)
        add_key(out, first + i, keys.values + (size_t)i * width, false);
    if (first + keys.count <= end) add_key(out, first + keys.count, outside, false);
    return true;
}

static void sample_curve(const curve *c, uint32_t frame, float *value)
{
    uint32_t next = 0, end = c->count, width = c->width;  // next: the first key after the frame
    while (next < end) {
        uint32_t middle = next + (end - next) / 2;
        if (frame_at(c, middle) <= frame) next = middle + 1;
        else end = middle;
    }
    const float *to = c->values + (size_t)next * width, *from = next > 0 ? to - width : to;
    memcpy(value, from, width * sizeof *value);
    if (next == 0 || next == c->count || jumps_at(c, next)) return;
    double start = frame_at(c, next - 1);
    float u = (float)((frame - start) / (frame_at(c, next) - start));
    if (width != 4) {
        for (uint32_t i = 0; i < width; i++) value[i] += (to[i] - from[i]) * u;
        return;
    }
    sn_quat rotation = sni_quat_slerp(sni_quat_unit(sni_quat(from[0], from[1], from[2], from[3])),
                                      sni_quat_unit(sni_quat(to[0], to[1], to[2], to[3])), u);
    memcpy(value, &rotation, sizeof rotation);
}

// The curve as a morph animation shows it. Morph keys are pairs of a frame and the frame of the curve to show then.
static bool retime_curve(w3d_builder *b, w3d_array morph_keys, uint32_t end, curve *c)
{
    curve source = *c;
    uint32_t count = source.count == 0 ? 0 : morph_keys.count;
    if (!curve_init(b, count, source.width, c)) return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *key = morph_keys.data + (size_t)8 * i;
        float value[4];
        sample_curve(&source, sni_load_u32(key + 4), value);
        add_key(c, sni_load_u32(key), value, false);
    }
    drop_bad_keys(b, end, c);
    return true;
}

static void add_switch(curve *out, uint32_t frame, bool is_on)
{
    float value = is_on ? 1.0f : 0.0f;
    if (out->count > 0 && out->frames[out->count - 1] >= frame) return;
    if (out->count == 0 || out->values[out->count - 1] != value) add_key(out, frame, &value, true);
}

// A bit channel: a key at each change.
static bool make_switch_curve(w3d_builder *b, const w3d_animation *animation, const w3d_channel *channel, curve *out)
{
    w3d_keys keys;
    uint32_t end = last_frame(animation);
    bool is_raw = channel->kind == W3D_RAW_BITS;
    if (!w3d_decode_channel(b->load, channel, &keys) || !curve_init(b, (uint64_t)keys.count + 2, 1, out)) return false;
    if (is_raw && keys.first_frame > 0) add_switch(out, 0, channel->fallback != 0);
    for (uint32_t i = 0; i < keys.count; i++) {
        uint32_t frame = is_raw ? keys.first_frame + i : keys.frames[i];
        if (!is_raw && i == 0) frame = 0;  // the first key also holds before its frame
        if (frame > end) break;
        add_switch(out, frame, keys.values[i] != 0.0f);
    }
    if (is_raw && keys.first_frame + keys.count <= end)
        add_switch(out, keys.first_frame + keys.count, channel->fallback != 0);
    return true;
}

// Keys for tracks: where a curve jumps, there is one more key just before the frame.
typedef struct key_list {
    uint32_t count, width;
    uint32_t *frames;
    bool *is_before;
    float *values;
} key_list;

static bool key_list_init(w3d_builder *b, uint64_t capacity, uint32_t width, key_list *out)
{
    *out = (key_list){ .width = width,
                       .frames = sni_new_raw(&b->load->scratch, uint32_t, capacity),
                       .is_before = sni_new_raw(&b->load->scratch, bool, capacity),
                       .values = sni_new_raw(&b->load->scratch, float, capacity *width) };
    return out->frames && out->is_before && out->values;
}

static void put_key(key_list *out, uint32_t frame, bool is_before, const float *values)
{
    out->frames[out->count] = frame;
    out->is_before[out->count] = is_before;
    memcpy(out->values + (size_t)out->count * out->width, values, out->width * sizeof *values);
    out->count++;
}

static bool list_keys(w3d_builder *b, const curve *c, key_list *out)
{
    if (!key_list_init(b, 2 * (uint64_t)c->count, c->width, out)) return false;
    for (uint32_t i = 0; i < c->count; i++) {
        const float *value = c->values + (size_t)i * c->width;
        if (jumps_at(c, i)) put_key(out, frame_at(c, i), true, value - c->width);
        put_key(out, frame_at(c, i), false, value);
    }
    return true;
}

// The value of a curve of width 1; `next` is the first key after the frame.
static float value_at(const curve *c, uint32_t next, uint32_t frame)
{
    if (c->count == 0) return 0.0f;
    if (next == 0) return c->values[0];
    float from = c->values[next - 1];
    if (next == c->count || frame == frame_at(c, next - 1) || jumps_at(c, next)) return from;
    double start = frame_at(c, next - 1), u = (frame - start) / (frame_at(c, next) - start);
    return (float)(from * (1.0 - u) + c->values[next] * u);
}

// Merges curves of width 1, some of which may be empty, into keys at the union of their frames.
static bool merge_curves(w3d_builder *b, const curve *curves, uint32_t curve_count, key_list *out)
{
    uint32_t next[MAX_MERGED] = { 0 };
    uint64_t total = 0;
    for (uint32_t c = 0; c < curve_count; c++) total += curves[c].count;
    if (!key_list_init(b, 2 * total, curve_count, out)) return false;
    for (;;) {
        uint32_t frame = UINT32_MAX;
        bool has_jump = false;
        float before[MAX_MERGED], at[MAX_MERGED];
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
        if (has_jump) put_key(out, frame, true, before);
        put_key(out, frame, false, at);
    }
}

// Tracks

enum { SLOT_X, SLOT_Y, SLOT_Z, SLOT_ROTATION, SLOT_FADE, SLOT_VISIBILITY, SLOT_COUNT };

// The channels of a pivot in the animation that has this stamp.
typedef struct pivot_channels {
    uint32_t stamp, slots[SLOT_COUNT];  // slots: 1 + the number of the channel; 0: none
} pivot_channels;

typedef struct clip_builder {
    w3d_builder *b;
    w3d_name_lists by_hierarchy, by_skeleton;  // instances
    pivot_channels **channels;                 // by instance, then pivot
    uint32_t stamp;

    // The current animation.
    const w3d_doc *doc;
    const w3d_animation *animation;
    const w3d_morph *morph;  // NULL: the animation is not part of a morph animation
    uint32_t morph_channel;
    double rate;
    float *shared_times;
    uint32_t shared_count;
    sni_list tracks;  // in scratch
} clip_builder;

static const w3d_channel *find_channel(const clip_builder *c, const pivot_channels *channels, int slot)
{
    return channels->slots[slot] ? &c->animation->channels[channels->slots[slot] - 1] : NULL;
}

// The channel as a curve over the clip: as it is, or retimed by the morph animation.
static bool make_clip_curve(clip_builder *c, const w3d_channel *channel, const float *outside, curve *out)
{
    if (!make_curve(c->b, c->animation, channel, outside, out)) return false;
    if (!c->morph) return true;
    uint32_t end = c->morph->frame_count > 0 ? c->morph->frame_count - 1 : 0;
    return retime_curve(c->b, c->morph->channels[c->morph_channel].keys, end, out);
}

// Seconds of keys. Channels with a key at every frame share them, because decoded channels can be many times larger
// than the file.
static const float *key_times(clip_builder *c, const key_list *keys)
{
    uint32_t count = keys->count;
    bool is_every_frame = true;
    for (uint32_t i = 0; i < count && is_every_frame; i++) is_every_frame = keys->frames[i] == i && !keys->is_before[i];
    bool is_shared = is_every_frame && count <= MAX_SHARED_TIMES;
    if (is_shared && c->shared_times && count <= c->shared_count) return c->shared_times;

    float *times = sni_new_raw(&c->b->load->keep, float, count);
    for (uint32_t i = 0; times && i < count; i++) {
        times[i] = (float)(keys->frames[i] / c->rate);
        if (keys->is_before[i]) times[i] = nextafterf(times[i], 0.0f);
    }
    if (is_shared && times) c->shared_times = times, c->shared_count = count;
    return times;
}

static bool sanitize_track(clip_builder *c, sn_track *track, const w3d_channel *channel)
{
    return sni_sanitize_keys(&c->b->load->diag, track, w3d_offset(c->doc, channel->chunk));
}

static bool push_track(clip_builder *c, const sn_track *track)
{
    if (track->key_count == 0) return true;
    sn_track *slot = sni_push(&c->b->load->scratch, &c->tracks, sn_track);
    if (slot) *slot = *track;
    return slot != NULL;
}

static bool add_track(clip_builder *c, sn_track *track, const w3d_channel *channel)
{
    return sanitize_track(c, track, channel) && push_track(c, track);
}

static bool add_translation(clip_builder *c, const w3d_instance *instance, uint32_t pivot,
                            const pivot_channels *channels)
{
    const float zero = 0.0f;
    const sn_trs *base = &instance->skeleton->base[pivot];
    const w3d_channel *any = NULL;
    curve curves[3] = { { .width = 1 }, { .width = 1 }, { .width = 1 } };
    key_list keys;
    for (int axis = 0; axis < 3; axis++) {
        const w3d_channel *channel = find_channel(c, channels, SLOT_X + axis);
        if (channel && !make_clip_curve(c, channel, &zero, &curves[axis])) return false;
        if (channel) any = channel;
    }
    if (!any) return true;
    if (!merge_curves(c->b, curves, 3, &keys)) return false;
    sn_vec3 *values = sni_new_raw(&c->b->load->keep, sn_vec3, keys.count);
    for (uint32_t i = 0; values && i < keys.count; i++) {
        const float *v = keys.values + (size_t)3 * i;
        values[i] = sni_add(base->translation, sni_quat_rotate(base->rotation, sni_vec3(v[0], v[1], v[2])));
    }
    sn_track track = { .target_kind = SN_TARGET_NODE,
                       .channel = SN_CHANNEL_TRANSLATION,
                       .interpolation = SN_LINEAR,
                       .target = (int32_t)(instance->first_node + pivot),
                       .key_count = keys.count,
                       .width = 3,
                       .times = key_times(c, &keys),
                       .values = (const float *)values };
    return sni_load_ok(c->b->load) && add_track(c, &track, any);
}

static bool add_rotation(clip_builder *c, const w3d_instance *instance, uint32_t pivot, const pivot_channels *channels)
{
    const float identity[4] = { 0, 0, 0, 1 };
    const w3d_channel *channel = find_channel(c, channels, SLOT_ROTATION);
    sn_quat base = instance->skeleton->base[pivot].rotation;
    curve rotation;
    key_list keys;
    if (!channel) return true;
    if (!make_clip_curve(c, channel, identity, &rotation) || !list_keys(c->b, &rotation, &keys)) return false;
    sn_quat *values = sni_new_raw(&c->b->load->keep, sn_quat, keys.count);
    for (uint32_t i = 0; values && i < keys.count; i++) {
        const float *v = keys.values + (size_t)4 * i;
        values[i] = sni_quat_unit(sni_quat_mul(base, sni_quat_unit(sni_quat(v[0], v[1], v[2], v[3]))));
    }
    sn_track track = { .target_kind = SN_TARGET_NODE,
                       .channel = SN_CHANNEL_ROTATION,
                       .interpolation = SN_LINEAR,
                       .target = (int32_t)(instance->first_node + pivot),
                       .key_count = keys.count,
                       .width = 4,
                       .times = key_times(c, &keys),
                       .values = (const float *)values };
    return sni_load_ok(c->b->load) && add_track(c, &track, channel);
}

// Fade and visibility: the same keys for everything attached to the pivot itself, not for pivots below it. Parts that
// are hidden at rest stay hidden.
static bool add_attached_tracks(clip_builder *c, const w3d_instance *instance, uint32_t pivot,
                                const w3d_channel *channel, sn_channel kind, const key_list *keys)
{
    const w3d_attached *attached = c->b->attached.items;
    float *values = sni_new_raw(&c->b->load->keep, float, keys->count);
    if (!values) return false;
    memcpy(values, keys->values, keys->count * sizeof *values);
    sn_track track = { .channel = (uint8_t)kind,
                       .interpolation = kind == SN_CHANNEL_VISIBILITY ? SN_STEP : SN_LINEAR,
                       .key_count = keys->count,
                       .width = 1,
                       .times = key_times(c, keys),
                       .values = values };
    if (!sni_load_ok(c->b->load) || !sanitize_track(c, &track, channel)) return false;
    for (int32_t i = instance->first_attached[pivot]; i >= 0; i = attached[i].next) {
        bool is_hidden = attached[i].is_part && w3d_items(sn_part, c->b->core.parts)[attached[i].index].is_hidden;
        if (is_hidden || (!attached[i].is_part && kind != SN_CHANNEL_VISIBILITY)) continue;
        track.target_kind = attached[i].is_part ? SN_TARGET_PART : SN_TARGET_NODE;
        track.target = attached[i].index;
        if (!push_track(c, &track)) return false;
    }
    return true;
}

static bool add_fade(clip_builder *c, const w3d_instance *instance, uint32_t pivot, const pivot_channels *channels)
{
    const float transparent = 0.0f;
    const w3d_channel *channel = find_channel(c, channels, SLOT_FADE);
    curve alpha;
    key_list keys;
    if (!channel || instance->first_attached[pivot] < 0) return true;
    return make_clip_curve(c, channel, &transparent, &alpha) && list_keys(c->b, &alpha, &keys) &&
           add_attached_tracks(c, instance, pivot, channel, SN_CHANNEL_ALPHA, &keys);
}

static bool add_visibility(clip_builder *c, const w3d_instance *instance, uint32_t pivot,
                           const pivot_channels *channels)
{
    const w3d_channel *channel = find_channel(c, channels, SLOT_VISIBILITY);
    curve visible;
    if (!channel || instance->first_attached[pivot] < 0) return true;
    if (!make_switch_curve(c->b, c->animation, channel, &visible)) return false;
    if (visible.count == 0 || (visible.count == 1 && visible.values[0] > 0.0f)) return true;  // always visible
    bool *is_before = sni_new(&c->b->load->scratch, bool, visible.count);  // steps need no extra keys
    key_list keys = { visible.count, 1, visible.frames, is_before, visible.values };
    return is_before && add_attached_tracks(c, instance, pivot, channel, SN_CHANNEL_VISIBILITY, &keys);
}

// Animations

static int slot_of(const w3d_channel *channel)
{
    if (channel->kind == W3D_RAW_BITS || channel->kind == W3D_TIMECODED_BITS)
        return channel->type == 0 ? SLOT_VISIBILITY : -1;
    switch (channel->type) {
    case W3D_X: return SLOT_X;
    case W3D_Y: return SLOT_Y;
    case W3D_Z: return SLOT_Z;
    case W3D_QUATERNION: return SLOT_ROTATION;
    case W3D_FADE: return SLOT_FADE;
    default: return -1;  // Euler angles, which engines ignore
    }
}

// Finds the channels of each pivot; of two for the same slot the later one counts. Channels of pivot 0 have no effect:
// the game moves it. Returns the number of `pivots` that have any.
static uint32_t sort_channels(clip_builder *c, const w3d_instance *instance, pivot_channels *by_pivot, uint32_t *pivots)
{
    const w3d_animation *animation = c->animation;
    bool is_old = !animation->is_compressed && animation->version < W3D_FIRST_ROOTED_VERSION;
    uint32_t count = 0, bad_count = 0, pivot_count = instance->skeleton->pivot_count;
    c->stamp++;
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        uint32_t pivot = animation->channels[i].pivot + is_old;
        int slot = slot_of(&animation->channels[i]);
        bad_count += pivot >= pivot_count;
        if (slot < 0 || pivot == 0 || pivot >= pivot_count) continue;
        if (by_pivot[pivot].stamp != c->stamp) {
            by_pivot[pivot] = (pivot_channels){ .stamp = c->stamp };
            pivots[count++] = pivot;
        }
        by_pivot[pivot].slots[slot] = i + 1;
    }
    if (!instance->is_skeleton_missing)
        sni_warn_many(&c->b->load->diag, SNI_WARN_TRACK_TARGET, bad_count, w3d_offset(c->doc, animation->chunk),
                      "%u channels are for missing pivots; the hierarchy has %u", bad_count, pivot_count);
    return count;
}

static bool animate_instance(clip_builder *c, uint32_t index)
{
    const w3d_instance *instance = &w3d_items(w3d_instance, c->b->instances)[index];
    pivot_channels *by_pivot = c->channels[index];
    uint32_t *pivots = sni_new_raw(&c->b->load->scratch, uint32_t, c->animation->channel_count);
    if (!pivots) return false;
    uint32_t count = sort_channels(c, instance, by_pivot, pivots);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pivot = pivots[i];
        const pivot_channels *channels = &by_pivot[pivot];
        if (c->morph) {  // one of its channels moves the pivot: the listed one, or the first
            const uint32_t at = pivot - instance->skeleton->shift;
            const w3d_array channel_of = c->morph->pivots;
            const uint32_t own = at < channel_of.count ? sni_load_u32(channel_of.data + (size_t)4 * at) : 0;
            if (own != c->morph_channel) continue;
        }
        if (!add_translation(c, instance, pivot, channels) || !add_rotation(c, instance, pivot, channels)) return false;
        if (c->morph) continue;
        if (!add_visibility(c, instance, pivot, channels) || !add_fade(c, instance, pivot, channels)) return false;
    }
    return true;
}

static bool morph_instance(clip_builder *c, uint32_t index)
{
    const w3d_doc *doc = c->doc;
    bool is_good = true;
    for (c->morph_channel = 0; c->morph_channel < c->morph->channel_count && is_good; c->morph_channel++) {
        const w3d_animation_ref *ref = w3d_find_animation(c->b, c->morph->channels[c->morph_channel].pose);
        if (!ref) continue;
        c->doc = ref->doc, c->animation = ref->animation;
        is_good = animate_instance(c, index);
    }
    c->doc = doc;
    return is_good;
}

// What animations and morph animations have in common.
typedef struct clip_header {
    int32_t chunk;
    sni_str name, hierarchy;
    uint32_t frame_count;
    float frame_rate;
} clip_header;

// Animates the instances that have the hierarchy. A file that the user named is used on the first instance if none has.
static bool animate_instances(clip_builder *c, const clip_header *header, bool is_explicit, bool *is_used)
{
    bool (*const animate)(clip_builder *, uint32_t) = c->morph ? morph_instance : animate_instance;
    int32_t first = sni_nocase_names_find(&c->by_hierarchy.first, header->hierarchy),
            other = sni_nocase_names_find(&c->by_skeleton.first, header->hierarchy);
    *is_used = first >= 0 || other >= 0 || is_explicit;
    for (int32_t i = first; i >= 0; i = c->by_hierarchy.next[i])
        if (!animate(c, (uint32_t)i)) return false;
    for (int32_t i = other; i >= 0; i = c->by_skeleton.next[i])
        if (!animate(c, (uint32_t)i)) return false;
    if (first >= 0 || other >= 0 || !is_explicit) return true;
    const w3d_skeleton *skeleton = w3d_items(w3d_instance, c->b->instances)->skeleton;
    sni_warn(&c->b->load->diag, SNI_WARN_W3D_ANIMATION, w3d_offset(c->doc, header->chunk),
             "made for hierarchy \"%s\", not for \"%s\"; pivots are matched by number",
             w3d_label(c->b, header->hierarchy), w3d_label(c->b, skeleton->name));
    return animate(c, 0);
}

// Clips

// The tracks of mappers are in every clip.
static bool add_clip(w3d_builder *b, const char *name, const char *extras, float duration, const sni_list *tracks)
{
    uint64_t count = (uint64_t)tracks->count + b->uv_tracks.count;
    sn_clip *clip = sni_builder_add_clip(&b->core);
    sn_track *all = clip ? sni_new_raw(&b->load->keep, sn_track, count) : NULL;
    if (!all) return false;
    if (tracks->count > 0) memcpy(all, tracks->items, tracks->count * sizeof *all);
    if (b->uv_tracks.count > 0) memcpy(all + tracks->count, b->uv_tracks.items, b->uv_tracks.count * sizeof *all);
    *clip = (sn_clip){ .name = name,
                       .extras = extras,
                       .duration = duration,
                       .loops = true,
                       .tracks = all,
                       .track_count = (uint32_t)count };
    return true;
}

static bool build_clip(clip_builder *c, const clip_header *header, bool is_explicit)
{
    w3d_builder *b = c->b;
    bool is_used = false;
    c->rate = header->frame_rate;
    c->shared_times = NULL, c->shared_count = 0;
    c->tracks = (sni_list){ 0 };
    if (!(header->frame_rate > 0.0f) || !isfinite(header->frame_rate)) {
        sni_warn(&b->load->diag, SNI_WARN_VALUE_RANGE, w3d_offset(c->doc, header->chunk),
                 "%g frames per second; %d is used instead", (double)header->frame_rate, (int)DEFAULT_FRAME_RATE);
        c->rate = DEFAULT_FRAME_RATE;
    }
    if (!animate_instances(c, header, is_explicit, &is_used)) return false;
    if (!is_used) return true;

    sni_extras extras;
    sni_extras_begin(b->core.keep, &extras);
    w3d_extras_put_text(&extras, b, "hierarchy", header->hierarchy);
    sni_extras_put_integer(&extras, "frames", header->frame_count);
    sni_extras_put_float(&extras, "rate", header->frame_rate);
    float duration = header->frame_count > 1 ? (float)((header->frame_count - 1) / c->rate) : 0.0f;
    const char *name = w3d_clean_text(b, header->name);
    return add_clip(b, name, sni_extras_end(b->core.keep, &extras), duration, &c->tracks);
}

// Scratch memory is freed after each clip.
static bool build_clip_in_scratch(clip_builder *c, const char *kind, uint32_t index, const clip_header *header,
                                  bool is_explicit)
{
    sni_load *load = c->b->load;
    const char *label = w3d_label(c->b, header->name);
    sni_arena outer = load->scratch;
    sni_arena_init(&load->scratch, load->heap);
    sni_enter_named(&load->diag, kind, index, label);
    bool is_built = build_clip(c, header, is_explicit);
    sni_leave(&load->diag);
    sni_arena_free(&load->scratch);
    load->scratch = outer;
    return is_built;
}

static bool build_file_clips(clip_builder *c, const w3d_source_file *file)
{
    c->doc = file->doc;
    c->morph = NULL;
    for (uint32_t i = 0; i < file->doc->animation_count; i++) {
        const w3d_animation *a = c->animation = &file->doc->animations[i];
        const clip_header header = { a->chunk, a->name, a->hierarchy, a->frame_count, (float)a->frame_rate };
        const char *kind = a->is_compressed ? "COMPRESSED_ANIMATION" : "ANIMATION";
        if (!build_clip_in_scratch(c, kind, i, &header, file->is_explicit)) return false;
    }
    for (uint32_t i = 0; i < file->doc->morph_count; i++) {
        const w3d_morph *m = c->morph = &file->doc->morphs[i];
        const clip_header header = { m->chunk, m->name, m->hierarchy, m->frame_count, m->frame_rate };
        if (!build_clip_in_scratch(c, "MORPH_ANIMATION", i, &header, file->is_explicit)) return false;
    }
    return true;
}

static bool index_instances(clip_builder *c)
{
    w3d_builder *b = c->b;
    sni_arena *scratch = &b->load->scratch;
    uint32_t count = b->instances.count;
    c->channels = sni_new(scratch, pivot_channels *, count);
    if (!c->channels || !w3d_name_lists_init(scratch, &c->by_hierarchy, count) ||
        !w3d_name_lists_init(scratch, &c->by_skeleton, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const w3d_instance *instance = &w3d_items(w3d_instance, b->instances)[i];
        sni_str hierarchy = instance->hierarchy, skeleton = instance->skeleton->name;
        c->channels[i] = sni_new(scratch, pivot_channels, instance->skeleton->pivot_count);
        if (!w3d_name_lists_add(scratch, &c->by_hierarchy, hierarchy, (int32_t)i)) return false;
        if (!sni_str_equal_nocase(hierarchy, skeleton) &&
            !w3d_name_lists_add(scratch, &c->by_skeleton, skeleton, (int32_t)i))
            return false;
    }
    return sni_load_ok(b->load);
}

bool w3d_build_clips(w3d_builder *b)
{
    clip_builder c = { .b = b };
    if (!index_instances(&c)) return false;
    for (uint32_t i = 0; i < b->files.count; i++) {
        const w3d_source_file *file = &w3d_items(w3d_source_file, b->files)[i];
        if (i > 0) sni_enter_named(&b->load->diag, "FILE", -1, file->name);
        bool is_built = build_file_clips(&c, file);
        if (i > 0) sni_leave(&b->load->diag);
        if (!is_built) return false;
    }

    // Without animations the mappers get a clip to run in.
    if (b->core.clips.count > 0 || b->uv_tracks.count == 0) return true;
    const sni_list none = { 0 };
    float longest = 0.0f;
    for (uint32_t i = 0; i < b->uv_tracks.count; i++)
        longest = fmaxf(longest, w3d_items(sn_track, b->uv_tracks)[i].period);
    return add_clip(b, "mappers", NULL, longest, &none);
}
