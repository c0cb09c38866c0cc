// Clips: each animation on the figures whose hierarchy it names. Its channels are changes to the base pose,
// parent * base T * base R * T * R, which a node says as translation base.t + base.r * T and rotation base.r * R.
#include <math.h>

#include "base/math.h"
#include "format/w3d/w3d_build.h"

enum { FIRST_ROOTED_VERSION = 0x30000, USUAL_RATE = 30, MOST_SHARED_TIMES = 1 << 22 };
enum { SLOT_X, SLOT_Y, SLOT_Z, SLOT_ROTATION, SLOT_FADE, SLOT_VISIBILITY, SLOT_COUNT };

// The channels of a pivot in the animation `stamp`: one more than their numbers.
typedef struct pivot_slots {
    uint32_t stamp, channels[SLOT_COUNT];
} pivot_slots;

typedef struct clip_builder {
    w3d_builder *b;
    sni_names by_hierarchy, by_skeleton;      // first figure of a name
    int32_t *next_hierarchy, *next_skeleton;  // the next figure of it
    pivot_slots **slots;                      // by figure, then pivot
    uint32_t stamp;
    const w3d_doc *doc;  // of the animation
    const w3d_animation *animation;
    const w3d_morph *morph;  // whose poses the animation has, or NULL
    uint32_t channel;        // of the morph
    double rate;
    float *shared_times;  // of channels that have all frames
    uint32_t shared_count;
    sni_list tracks;  // in scratch
} clip_builder;

static float seconds_at(const clip_builder *c, uint32_t frame) { return (float)(frame / c->rate); }

static uint64_t offset_of(const clip_builder *c, const w3d_channel *channel)
{
    return w3d_offset(c->doc, channel->chunk);
}

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
    default: return -1;  // angles, which no engine looks at
    }
}

static const w3d_channel *channel_in(const clip_builder *c, const pivot_slots *slots, int slot)
{
    return slots->channels[slot] ? &c->animation->channels[slots->channels[slot] - 1] : NULL;
}

// What a channel says at each moment of the clip: by itself, or as poses of a morph.
static bool make_curve(clip_builder *c, const w3d_channel *channel, const float *outside, w3d_curve *curve)
{
    if (!w3d_make_curve(c->b, c->animation, channel, outside, curve)) return false;
    if (!c->morph) return true;
    uint32_t end = c->morph->frame_count > 0 ? c->morph->frame_count - 1 : 0;
    return w3d_retime_curve(c->b, c->morph->channels[c->channel].keys, end, curve);
}

static bool add_track(clip_builder *c, sn_track *track, const w3d_channel *channel)
{
    if (!sni_finish_keys(c->b->load, track, offset_of(c, channel))) return false;
    if (track->key_count == 0) return true;
    sn_track *slot = sni_push(&c->b->load->scratch, &c->tracks, sn_track);
    if (slot) *slot = *track;
    return slot != NULL;
}

// The times of keys at frames; `is_before` (may be NULL): the last moment before the frame.
static float *make_times(const clip_builder *c, const uint32_t *frames, const bool *is_before, uint32_t count)
{
    float *times = sni_new_raw(&c->b->load->keep, float, count);
    for (uint32_t i = 0; times && i < count; i++) {
        times[i] = seconds_at(c, frames ? frames[i] : i);
        if (is_before && is_before[i]) times[i] = nextafterf(times[i], 0.0f);
    }
    return times;
}

// Channels with a value for every frame have their times in common: decoded they are a many times larger than the file.
static const float *frame_times(clip_builder *c, uint32_t count)
{
    if (count > MOST_SHARED_TIMES) return make_times(c, NULL, NULL, count);
    if (count > c->shared_count) {
        c->shared_times = make_times(c, NULL, NULL, count);
        c->shared_count = c->shared_times ? count : 0;
    }
    return c->shared_times;
}

// Keys may count all frames: then the times are shared.
static const float *times_of(clip_builder *c, const uint32_t *frames, const bool *is_before, uint32_t count)
{
    bool is_plain = true;
    for (uint32_t i = 0; frames && i < count && is_plain; i++)
        is_plain = frames[i] == i && !(is_before && is_before[i]);
    return is_plain ? frame_times(c, count) : make_times(c, frames, is_before, count);
}

static bool add_translation(clip_builder *c, const w3d_figure *figure, uint32_t pivot, const pivot_slots *slots)
{
    const float zero = 0.0f;
    const sn_trs *base = &figure->skeleton->base[pivot];
    const w3d_channel *any = NULL;
    w3d_curve curves[3] = { { .width = 1 }, { .width = 1 }, { .width = 1 } };
    w3d_joined joined;
    for (int axis = 0; axis < 3; axis++) {
        const w3d_channel *channel = channel_in(c, slots, SLOT_X + axis);
        if (channel && !make_curve(c, channel, &zero, &curves[axis])) return false;
        if (channel) any = channel;
    }
    if (!any) return true;
    if (!w3d_join_curves(c->b, curves, 3, &joined)) return false;
    sn_vec3 *values = sni_new_raw(&c->b->load->keep, sn_vec3, joined.count);
    for (uint32_t i = 0; values && i < joined.count; i++) {
        const float *v = joined.values + (size_t)3 * i;
        values[i] = sni_add(base->translation, sni_quat_rotate(base->rotation, sni_vec3(v[0], v[1], v[2])));
    }
    sn_track track = { .target_kind = SN_TARGET_NODE,
                       .channel = SN_CHANNEL_TRANSLATION,
                       .interpolation = SN_LINEAR,
                       .target = (int32_t)(figure->first_node + pivot),
                       .key_count = joined.count,
                       .width = 3,
                       .times = times_of(c, joined.frames, joined.is_before, joined.count),
                       .values = (const float *)values };
    return sni_load_ok(c->b->load) && add_track(c, &track, any);
}

// Where a key is jumped to, what holds before it is one key more.
static bool spread_jumps(w3d_builder *b, const w3d_curve *curve, w3d_joined *out)
{
    uint32_t width = curve->width;
    uint64_t most = 2 * (uint64_t)curve->count;
    *out = (w3d_joined){ .frames = sni_new_raw(&b->load->scratch, uint32_t, most),
                         .is_before = sni_new(&b->load->scratch, bool, most),
                         .values = sni_new_raw(&b->load->scratch, float, most *width) };
    if (!out->frames || !out->is_before || !out->values) return false;
    for (uint32_t i = 0; i < curve->count; i++) {
        uint32_t frame = curve->frames ? curve->frames[i] : i;
        bool is_jump = i > 0 && curve->is_jump && curve->is_jump[i];
        for (uint32_t copy = is_jump ? 0 : 1; copy < 2; copy++) {
            out->frames[out->count] = frame;
            out->is_before[out->count] = copy == 0;
            memcpy(out->values + (size_t)out->count * width, curve->values + (size_t)(i + copy - 1) * width,
                   width * sizeof(float));
            out->count++;
        }
    }
    return true;
}

static bool add_rotation(clip_builder *c, const w3d_figure *figure, uint32_t pivot, const pivot_slots *slots)
{
    const float identity[4] = { 0, 0, 0, 1 };
    const w3d_channel *channel = channel_in(c, slots, SLOT_ROTATION);
    sn_quat base = figure->skeleton->base[pivot].rotation;
    w3d_curve curve;
    w3d_joined keys;
    if (!channel) return true;
    if (!make_curve(c, channel, identity, &curve) || !spread_jumps(c->b, &curve, &keys)) return false;
    sn_quat *values = sni_new_raw(&c->b->load->keep, sn_quat, keys.count);
    for (uint32_t i = 0; values && i < keys.count; i++) {
        const float *v = keys.values + (size_t)4 * i;
        values[i] = sni_quat_unit(sni_quat_mul(base, sni_quat_unit(sni_quat(v[0], v[1], v[2], v[3]))));
    }
    sn_track track = { .target_kind = SN_TARGET_NODE,
                       .channel = SN_CHANNEL_ROTATION,
                       .interpolation = SN_LINEAR,
                       .target = (int32_t)(figure->first_node + pivot),
                       .key_count = keys.count,
                       .width = 4,
                       .times = times_of(c, keys.frames, keys.is_before, keys.count),
                       .values = (const float *)values };
    return sni_load_ok(c->b->load) && add_track(c, &track, channel);
}

// The same keys for all that hangs on the pivot. Parts that are hidden anyway stay so: both must allow to be seen.
static bool add_for_carried(clip_builder *c, const w3d_figure *figure, uint32_t pivot, const w3d_channel *channel,
                            sn_track *track)
{
    const w3d_carried *carried = c->b->carried.items;
    for (int32_t i = figure->first_carried[pivot]; i >= 0; i = carried[i].next) {
        bool is_hidden = carried[i].is_part && w3d_items(sn_part, c->b->parts)[carried[i].index].is_hidden;
        if (is_hidden || (!carried[i].is_part && track->channel != SN_CHANNEL_VISIBILITY)) continue;
        track->target_kind = carried[i].is_part ? SN_TARGET_PART : SN_TARGET_NODE;
        track->target = carried[i].index;
        if (!add_track(c, track, channel)) return false;
    }
    return true;
}

static bool add_fade(clip_builder *c, const w3d_figure *figure, uint32_t pivot, const pivot_slots *slots)
{
    const float gone = 0.0f;
    const w3d_channel *channel = channel_in(c, slots, SLOT_FADE);
    w3d_curve curve;
    w3d_joined keys;
    if (!channel || figure->first_carried[pivot] < 0) return true;
    if (!make_curve(c, channel, &gone, &curve) || !spread_jumps(c->b, &curve, &keys)) return false;
    float *values = sni_new_raw(&c->b->load->keep, float, keys.count);
    if (!values) return false;
    memcpy(values, keys.values, keys.count * sizeof *values);
    sn_track track = { .channel = SN_CHANNEL_ALPHA,
                       .interpolation = SN_LINEAR,
                       .key_count = keys.count,
                       .width = 1,
                       .times = times_of(c, keys.frames, keys.is_before, keys.count),
                       .values = values };
    return sni_load_ok(c->b->load) && add_for_carried(c, figure, pivot, channel, &track);
}

// Only what hangs on the pivot itself: bones below it are not hidden with it.
static bool add_visibility(clip_builder *c, const w3d_figure *figure, uint32_t pivot, const pivot_slots *slots)
{
    const w3d_channel *channel = channel_in(c, slots, SLOT_VISIBILITY);
    w3d_curve curve;
    if (!channel || figure->first_carried[pivot] < 0) return true;
    if (!w3d_make_switch(c->b, c->animation, channel, &curve)) return false;
    if (curve.count == 0 || (curve.count == 1 && curve.values[0] > 0.0f)) return true;  // always seen: as without it
    float *values = sni_new_raw(&c->b->load->keep, float, curve.count);
    if (!values) return false;
    memcpy(values, curve.values, curve.count * sizeof *values);
    sn_track track = { .channel = SN_CHANNEL_VISIBILITY,
                       .interpolation = SN_STEP,
                       .key_count = curve.count,
                       .width = 1,
                       .times = make_times(c, curve.frames, NULL, curve.count),
                       .values = values };
    return sni_load_ok(c->b->load) && add_for_carried(c, figure, pivot, channel, &track);
}

// Of two channels for the same, the later one counts. Pivot 0 is the object's: nothing moves it.
static uint32_t sort_channels(clip_builder *c, const w3d_figure *figure, pivot_slots *by_pivot, uint32_t *pivots)
{
    const w3d_animation *animation = c->animation;
    uint32_t shift = !animation->is_compressed && animation->version < FIRST_ROOTED_VERSION, count = 0, stray = 0;
    c->stamp++;
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        uint32_t pivot = animation->channels[i].pivot + shift;
        int slot = slot_of(&animation->channels[i]);
        stray += pivot >= figure->skeleton->pivot_count;
        if (slot < 0 || pivot == 0 || pivot >= figure->skeleton->pivot_count) continue;
        if (by_pivot[pivot].stamp != c->stamp) {
            by_pivot[pivot] = (pivot_slots){ .stamp = c->stamp };
            pivots[count++] = pivot;
        }
        by_pivot[pivot].channels[slot] = i + 1;
    }
    if (!figure->lacks_skeleton)
        sni_warn_many(&c->b->load->diag, SNI_WARN_TRACK_TARGET, stray, w3d_offset(c->doc, animation->chunk),
                      "%u channels are for pivots past the last of %u", stray, figure->skeleton->pivot_count);
    return count;
}

// Each pivot is moved by one channel of a morph; without a word on it by the first.
static bool is_moved(const clip_builder *c, const w3d_figure *figure, uint32_t pivot)
{
    uint32_t at = pivot - figure->skeleton->shift;
    if (!c->morph) return true;
    return (at < c->morph->pivots.count ? sni_load_u32(c->morph->pivots.data + (size_t)4 * at) : 0) == c->channel;
}

static bool animate(clip_builder *c, uint32_t index)
{
    const w3d_figure *figure = &w3d_items(w3d_figure, c->b->figures)[index];
    pivot_slots *by_pivot = c->slots[index];
    uint32_t *pivots = sni_new_raw(&c->b->load->scratch, uint32_t, c->animation->channel_count);
    if (!pivots) return false;
    uint32_t count = sort_channels(c, figure, by_pivot, pivots);
    for (uint32_t i = 0; i < count; i++) {
        const pivot_slots *slots = &by_pivot[pivots[i]];
        if (!is_moved(c, figure, pivots[i])) continue;
        if (!add_translation(c, figure, pivots[i], slots) || !add_rotation(c, figure, pivots[i], slots)) return false;
        if (c->morph) continue;
        if (!add_visibility(c, figure, pivots[i], slots) || !add_fade(c, figure, pivots[i], slots)) return false;
    }
    return true;
}

// All poses that the morph takes from animations, one animation after the other.
static bool animate_morph(clip_builder *c, uint32_t index)
{
    const w3d_doc *doc = c->doc;
    bool is_good = true;
    for (c->channel = 0; c->channel < c->morph->channel_count && is_good; c->channel++) {
        const w3d_pose *pose = w3d_find_pose(c->b, c->morph->channels[c->channel].pose);
        if (!pose) continue;
        c->doc = pose->doc, c->animation = pose->animation;
        is_good = animate(c, index);
    }
    c->doc = doc;
    return is_good;
}

// What clips are made of says this of itself.
typedef struct clip_head {
    int32_t chunk;
    sni_str name, hierarchy;
    uint32_t frame_count;
    float frame_rate;
} clip_head;

// True when some figure has the hierarchy that the animation names, or when it is used all the same.
static bool animate_figures(clip_builder *c, const clip_head *head, bool is_asked, bool *is_used)
{
    bool (*const act)(clip_builder *, uint32_t) = c->morph ? animate_morph : animate;
    int32_t first = sni_names_find(&c->by_hierarchy, head->hierarchy),
            other = sni_names_find(&c->by_skeleton, head->hierarchy);
    *is_used = first >= 0 || other >= 0 || is_asked;
    for (int32_t i = first; i >= 0; i = c->next_hierarchy[i])
        if (!act(c, (uint32_t)i)) return false;
    for (int32_t i = other; i >= 0; i = c->next_skeleton[i])
        if (!act(c, (uint32_t)i)) return false;
    if (first >= 0 || other >= 0 || !is_asked) return true;
    sni_warn(&c->b->load->diag, SNI_WARN_W3D_ANIMATION, w3d_offset(c->doc, head->chunk),
             "it is for hierarchy \"%s\", not for \"%s\"; used by the numbers of its pivots",
             w3d_label(c->b, head->hierarchy), w3d_label(c->b, w3d_items(w3d_figure, c->b->figures)->skeleton->name));
    return act(c, 0);
}

static const char *clip_extras(w3d_builder *b, const clip_head *head)
{
    sni_extras extras;
    sni_extras_begin(b->load, &extras);
    w3d_say_text(&extras, b, "hierarchy", head->hierarchy);
    sni_extras_put_integer(&extras, "frames", head->frame_count);
    sni_extras_put_float(&extras, "rate", head->frame_rate);
    return sni_extras_end(b->load, &extras);
}

static bool add_clip(w3d_builder *b, const char *name, const char *extras, float duration, const sni_list *tracks)
{
    uint64_t count = (uint64_t)tracks->count + b->uv_tracks.count;
    sn_clip *clip = sni_push(&b->load->keep, &b->clips, sn_clip);
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

static bool build_clip(clip_builder *c, const clip_head *head, bool is_asked)
{
    bool is_used = false;
    c->rate = head->frame_rate;
    c->shared_count = 0;
    c->tracks = (sni_list){ 0 };
    if (!(head->frame_rate > 0.0f) || !isfinite(head->frame_rate)) {
        sni_warn(&c->b->load->diag, SNI_WARN_VALUE_RANGE, w3d_offset(c->doc, head->chunk),
                 "%g frames a second; taken as %d", (double)head->frame_rate, (int)USUAL_RATE);
        c->rate = USUAL_RATE;
    }
    if (!animate_figures(c, head, is_asked, &is_used)) return false;
    if (!is_used) return true;
    float duration = head->frame_count > 1 ? seconds_at(c, head->frame_count - 1) : 0.0f;
    return add_clip(c->b, w3d_clean(c->b, head->name), clip_extras(c->b, head), duration, &c->tracks);
}

// What one clip needs on its way is given back before the next.
static bool build_clip_apart(clip_builder *c, const char *kind, uint32_t index, const clip_head *head, bool is_asked)
{
    sni_load *load = c->b->load;
    const char *label = w3d_label(c->b, head->name);
    sni_arena outer = load->scratch;
    sni_arena_init(&load->scratch, load->heap);
    sni_enter_named(&load->diag, kind, index, label);
    bool is_built = build_clip(c, head, is_asked);
    sni_leave(&load->diag);
    sni_arena_free(&load->scratch);
    load->scratch = outer;
    return is_built;
}

static bool link_figures(clip_builder *c)
{
    w3d_builder *b = c->b;
    uint32_t count = b->figures.count;
    c->next_hierarchy = sni_new_raw(&b->load->scratch, int32_t, count);
    c->next_skeleton = sni_new_raw(&b->load->scratch, int32_t, count);
    c->slots = sni_new(&b->load->scratch, pivot_slots *, count);
    int32_t *last[2] = { sni_new_raw(&b->load->scratch, int32_t, count),
                         sni_new_raw(&b->load->scratch, int32_t, count) };
    if (!c->next_hierarchy || !c->next_skeleton || !c->slots || !last[0] || !last[1]) return false;
    for (uint32_t i = 0; i < count; i++) {
        const w3d_figure *figure = &w3d_items(w3d_figure, b->figures)[i];
        sni_str called[2] = { figure->hierarchy, figure->skeleton->name };
        c->slots[i] = sni_new(&b->load->scratch, pivot_slots, figure->skeleton->pivot_count);
        c->next_hierarchy[i] = c->next_skeleton[i] = -1;
        for (int k = 0; k < 2; k++) {
            sni_names *names = k == 0 ? &c->by_hierarchy : &c->by_skeleton;
            if (k == 1 && sni_str_equal_nocase(called[0], called[1])) continue;
            if (!sni_names_add(&b->load->scratch, names, called[k], (int32_t)i)) return false;
            int32_t first = sni_names_find(names, called[k]);
            if (first != (int32_t)i) (k == 0 ? c->next_hierarchy : c->next_skeleton)[last[k][first]] = (int32_t)i;
            last[k][first] = (int32_t)i;
        }
    }
    return sni_load_ok(b->load);
}

static bool build_file_clips(clip_builder *c, const w3d_source *file)
{
    c->doc = file->doc;
    c->morph = NULL;
    for (uint32_t i = 0; i < file->doc->animation_count; i++) {
        const w3d_animation *a = c->animation = &file->doc->animations[i];
        const clip_head head = { a->chunk, a->name, a->hierarchy, a->frame_count, (float)a->frame_rate };
        if (!build_clip_apart(c, a->is_compressed ? "COMPRESSED_ANIMATION" : "ANIMATION", i, &head, file->is_asked))
            return false;
    }
    for (uint32_t i = 0; i < file->doc->morph_count; i++) {
        const w3d_morph *m = c->morph = &file->doc->morphs[i];
        const clip_head head = { m->chunk, m->name, m->hierarchy, m->frame_count, m->frame_rate };
        if (!build_clip_apart(c, "MORPH_ANIMATION", i, &head, file->is_asked)) return false;
    }
    return true;
}

// Mappers move on their own clock in every clip; a model without any gets one for them.
static bool add_mapper_clip(w3d_builder *b)
{
    const sni_list none = { 0 };
    float longest = 0.0f;
    for (uint32_t i = 0; i < b->uv_tracks.count; i++)
        longest = fmaxf(longest, w3d_items(sn_track, b->uv_tracks)[i].period);
    return b->clips.count > 0 || b->uv_tracks.count == 0 || add_clip(b, "mappers", NULL, longest, &none);
}

bool w3d_build_clips(w3d_builder *b)
{
    clip_builder c = { .b = b };
    if (!link_figures(&c)) return false;
    for (uint32_t i = 0; i < b->files.count; i++) {
        const w3d_source *file = &w3d_items(w3d_source, b->files)[i];
        if (i > 0) sni_enter_named(&b->load->diag, "FILE", -1, file->name);
        bool is_built = build_file_clips(&c, file);
        if (i > 0) sni_leave(&b->load->diag);
        if (!is_built) return false;
    }
    return add_mapper_clip(b);
}
