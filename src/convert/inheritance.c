#include "convert/inheritance.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "anim/pose.h"
#include "base/json.h"
#include "base/math.h"
#include "model/extras.h"
#include "model/track.h"

enum { DEEPEST_HALVING = 8, MOST_SAMPLES = 1 << 14 };

static const double TOLERANCE = 1e-4;  // radians, and of the size
static const float JUMP_SECONDS = 1e-5f;

// A node that is changed, and which of its channels are.
typedef struct baked_node {
    int32_t node;
    bool channels[3];    // by sn_channel: translation, rotation, scale
    uint32_t flags;      // that are given back
    sn_vec3 rest_place;  // in the model, where they are
} baked_node;

// The local transforms of all such nodes at one time.
typedef struct sample {
    float time;
    sn_trs *locals;
} sample;

// Of the current clip: nodes with tracks, those and what is below them, and the channels of nodes that get new ones.
typedef struct clip_marks {
    bool *is_driven, *is_moved, *is_replaced;
} clip_marks;

typedef struct baking {
    sni_save *save;
    const sn_model *model;
    sn_model posed;  // nodes, and the tracks that move the nodes that are changed
    sn_pose *pose;
    const sn_view *view;
    baked_node *nodes;
    uint32_t count;
    bool *is_above;  // nodes that are changed, and all above them
    double size;     // of the skeleton at rest
    uint64_t steps_left, steps_of_sample;
    sni_list samples;
    bool is_cut;      // a limit was reached in this clip
    bool gives_back;  // flags are set and transforms become those that give the same result with them
} baking;

static void find_channels(uint32_t flags, bool channels[3])
{
    channels[SN_CHANNEL_TRANSLATION] = flags & SN_NODE_OWN_TRANSLATION;
    channels[SN_CHANNEL_ROTATION] = flags & (SN_NODE_OWN_ROTATION | SN_NODE_BILLBOARD | SNI_AXIS_LOCKS);
    channels[SN_CHANNEL_SCALE] = flags & (SN_NODE_OWN_SCALE | SNI_AXIS_LOCKS);
}

static bool is_finite(const sn_trs *trs)
{
    const float values[] = { trs->translation.x, trs->translation.y, trs->translation.z, trs->rotation.x,
                             trs->rotation.y,    trs->rotation.z,    trs->rotation.w,    trs->scale.x,
                             trs->scale.y,       trs->scale.z };
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        if (!isfinite(values[i])) return false;
    }
    return true;
}

static float divide(float a, float b)
{
    float quotient = b == 0.0f ? 0.0f : a / b;
    return isfinite(quotient) ? quotient : 0.0f;
}

// Large numbers overflow when they are interpolated or combined.
static sn_trs first_finite(const sn_trs *local, const sn_trs *plain, const sn_node *node)
{
    return is_finite(local) ? *local : is_finite(plain) ? *plain : node->rest;
}

// What the node needs as its local transform so that a parent that is inherited gives the solved result.
static sn_trs local_of(const baking *b, const baked_node *baked)
{
    const sn_pose *pose = b->pose;
    const sn_node *node = &b->posed.nodes[baked->node];
    sn_trs plain = sni_pose_get_local(pose, (uint32_t)baked->node), local = plain;
    const sni_accumulated root = { { 0, 0, 0, 1 }, { 1, 1, 1 } }, *sum = &pose->accumulated[baked->node];
    const sni_accumulated *above = node->parent < 0 ? &root : &pose->accumulated[node->parent];
    if (baked->channels[SN_CHANNEL_ROTATION])
        local.rotation = sni_quat_unit(sni_quat_mul(sni_quat_conjugate(above->rotation), sum->rotation));
    if (baked->channels[SN_CHANNEL_SCALE])
        local.scale = sni_vec3(divide(sum->scale.x, above->scale.x), divide(sum->scale.y, above->scale.y),
                               divide(sum->scale.z, above->scale.z));
    if (baked->channels[SN_CHANNEL_TRANSLATION]) {
        sn_mat34 inverse, world = node->parent < 0 ? pose->root : pose->worlds[node->parent];
        if (sni_mat34_invert(&world, &inverse))
            local.translation = sni_mat34_point(&inverse, sni_mat34_column(&pose->worlds[baked->node], 3));
    }
    return first_finite(&local, &plain, node);
}

// The opposite: what the node needs so that with its flags it comes out as it is without them. Nodes rest unrotated
// here, and a billboard that faces the front of the model is not turned.
static sn_trs unbaked_local(const baking *b, const baked_node *baked)
{
    const sn_node *node = &b->posed.nodes[baked->node];
    const sn_trs plain = sni_pose_get_local(b->pose, (uint32_t)baked->node);
    sn_trs local = plain, sum = plain;
    for (int32_t at = node->parent; at >= 0; at = b->posed.nodes[at].parent) {
        const sn_trs above = sni_pose_get_local(b->pose, (uint32_t)at);
        sum.rotation = sni_quat_mul(above.rotation, sum.rotation);
        sum.scale = sni_vec3(sum.scale.x * above.scale.x, sum.scale.y * above.scale.y, sum.scale.z * above.scale.z);
    }
    if (baked->flags & (SN_NODE_OWN_ROTATION | SN_NODE_BILLBOARD)) local.rotation = sni_quat_unit(sum.rotation);
    if (baked->flags & SN_NODE_OWN_SCALE) local.scale = sum.scale;
    if (baked->flags & SN_NODE_BILLBOARD_X) local.scale.z = -local.scale.z;
    if (baked->flags & SN_NODE_OWN_TRANSLATION) {
        const sn_vec3 place = sni_mat34_column(&b->pose->worlds[baked->node], 3);
        local.translation = sni_add(node->rest.translation, sni_sub(place, baked->rest_place));
    }
    return first_finite(&local, &plain, node);
}

static bool take_sample(baking *b, int32_t clip, float time, sample *out)
{
    out->time = time;
    out->locals = sni_new_raw(&b->save->scratch, sn_trs, b->count);
    if (!out->locals) return false;
    sn_pose_sample(b->pose, clip, time, time);
    sn_pose_solve(b->pose, b->view);
    for (uint32_t i = 0; i < b->count; i++)
        out->locals[i] = b->gives_back ? unbaked_local(b, &b->nodes[i]) : local_of(b, &b->nodes[i]);
    return true;
}

static double distance(sn_vec3 a, sn_vec3 b) { return sni_length(sni_sub(a, b)); }

// Interpolation between two samples gives back the third.
static bool is_close(const baking *b, const sample *a, const sample *c, const sample *between)
{
    const float u = (between->time - a->time) / (c->time - a->time);
    for (uint32_t i = 0; i < b->count; i++) {
        const sn_trs *x = &a->locals[i], *y = &c->locals[i], *wanted = &between->locals[i];
        sn_quat turn = sni_quat_slerp(x->rotation, y->rotation, u);
        sn_vec3 scale = sni_vec3_lerp(x->scale, y->scale, u);
        sn_vec3 place = sni_vec3_lerp(x->translation, y->translation, u);
        if (b->nodes[i].channels[SN_CHANNEL_ROTATION] && sni_rotation_angle(turn, wanted->rotation) > TOLERANCE)
            return false;
        if (b->nodes[i].channels[SN_CHANNEL_SCALE] &&
            distance(scale, wanted->scale) > TOLERANCE * (1e-3 + sni_length(wanted->scale)))
            return false;
        if (b->nodes[i].channels[SN_CHANNEL_TRANSLATION] && distance(place, wanted->translation) > TOLERANCE * b->size)
            return false;
    }
    return true;
}

static bool add_sample(baking *b, const sample *item)
{
    sample *out = sni_push(&b->save->scratch, &b->samples, sample);
    if (out) *out = *item;
    return out != NULL;
}

// Also at a quarter and three quarters: a curve may cross the line between its ends in the middle.
static bool check_straight(baking *b, int32_t clip, const sample *a, const sample *c, const sample *middle,
                           bool *is_straight)
{
    *is_straight = is_close(b, a, c, middle);
    for (int quarter = 1; *is_straight && quarter <= 3 && b->steps_left >= b->steps_of_sample; quarter += 2) {
        sample probe;
        const float time = a->time + (c->time - a->time) * (float)quarter / 4.0f;
        b->steps_left -= b->steps_of_sample;
        if (!take_sample(b, clip, time, &probe)) return false;
        *is_straight = is_close(b, a, c, &probe);
    }
    b->is_cut |= *is_straight && b->steps_left < b->steps_of_sample;  // perhaps not looked at everywhere
    return true;
}

// Samples behind `first` up to `last`, halving until they are close. The stack holds the ends still to be reached.
static bool sample_between(baking *b, int32_t clip, const sample *first, const sample *last, bool *is_exact)
{
    const double whole = (double)last->time - first->time;
    sample at = *first, ends[DEEPEST_HALVING + 1] = { *last };
    for (uint32_t depth = 1; depth > 0;) {
        const sample *end = &ends[depth - 1];
        float time = at.time + (end->time - at.time) / 2.0f;
        const bool can_split = sni_may_halve((double)end->time - at.time, whole, DEEPEST_HALVING) && time > at.time &&
                               time < end->time;
        if (can_split && b->steps_left < b->steps_of_sample) {
            b->is_cut = true;
        } else if (can_split) {
            sample middle;
            bool is_done;
            b->steps_left -= b->steps_of_sample;
            if (!take_sample(b, clip, time, &middle) || !check_straight(b, clip, &at, end, &middle, &is_done))
                return false;
            if (!is_done) {
                *is_exact = false;
                if (b->save->keys_left > 0 && b->samples.count < MOST_SAMPLES) {
                    b->save->keys_left--;
                    ends[depth++] = middle;
                    continue;
                }
                b->is_cut = true;
            }
        }
        if (!add_sample(b, end)) return false;
        at = *end;
        depth--;
    }
    return true;
}

// The key times of all tracks above the nodes; stepped ones also have one just before each.
static float *gather_times(baking *b, const sn_clip *clip, uint32_t *count)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < clip->track_count; i++) total += 2 * (uint64_t)clip->tracks[i].key_count;
    float *times = sni_new_raw(&b->save->scratch, float, total);
    uint32_t used = 0;
    if (!times || total > UINT32_MAX) return NULL;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        for (uint32_t k = 0; k < track->key_count; k++) {
            float before = track->times[k] - JUMP_SECONDS;
            if (k > 0 && track->interpolation == SN_STEP && before > track->times[k - 1]) times[used++] = before;
            times[used++] = track->times[k];
        }
    }
    *count = sni_merge_key_times(times, used);
    return times;
}

static bool sample_clip(baking *b, int32_t index, bool *is_exact)
{
    uint32_t count = 0;
    float *times = gather_times(b, &b->posed.clips[index], &count);
    sample last, next;
    b->samples = (sni_list){ 0 };
    b->is_cut = false;
    if (!times || count == 0) return times != NULL;
    if (!take_sample(b, index, times[0], &last) || !add_sample(b, &last)) return false;
    for (uint32_t i = 1; i < count; i++) {
        if (b->steps_left < b->steps_of_sample) {
            b->is_cut = true;
            break;
        }
        b->steps_left -= b->steps_of_sample;
        if (!take_sample(b, index, times[i], &next) || !sample_between(b, index, &last, &next, is_exact)) return false;
        last = next;
    }
    return true;
}

static bool make_track(baking *b, uint32_t which, uint8_t channel, sn_track *out)
{
    sni_arena *arena = &b->save->scratch;
    const sample *samples = b->samples.items;
    uint32_t count = b->samples.count, width = channel == SN_CHANNEL_ROTATION ? 4 : 3;
    float *times = sni_new_raw(arena, float, count), *values = sni_new_raw(arena, float, (uint64_t)count *width);
    if (!times || !values) return false;
    for (uint32_t i = 0; i < count; i++) {
        const sn_trs *local = &samples[i].locals[which];
        const float *from = channel == SN_CHANNEL_TRANSLATION ? &local->translation.x
                            : channel == SN_CHANNEL_ROTATION  ? &local->rotation.x
                                                              : &local->scale.x;
        times[i] = samples[i].time;
        memcpy(values + (size_t)i * width, from, width * sizeof *values);
    }
    sn_track track = { .channel = channel, .interpolation = SN_LINEAR, .target = b->nodes[which].node, .width = width };
    track.key_count = count;
    track.times = times;
    track.values = values;
    double tolerance = channel == SN_CHANNEL_TRANSLATION ? TOLERANCE / 4 * b->size : TOLERANCE / 4;
    return sni_track_align_rotations(arena, &track, &track) && sni_track_reduce(arena, &track, tolerance, out);
}

// Marks what the clip drives or what is below that. A matrix counts until the clip drives its node.
static void find_moved(const baking *b, const sn_clip *clip, clip_marks *marks)
{
    memset(marks->is_driven, 0, b->posed.node_count);
    for (uint32_t i = 0; i < clip->track_count; i++) marks->is_driven[clip->tracks[i].target] = true;
    for (uint32_t i = 0; i < b->posed.node_count; i++) {
        const int32_t parent = b->posed.nodes[i].parent;
        marks->is_moved[i] = marks->is_driven[i] || (parent >= 0 && marks->is_moved[parent]);
    }
}

static bool is_moved(const baking *b, const baked_node *baked, const clip_marks *marks)
{
    const bool *moved = b->posed.nodes[baked->node].matrix ? marks->is_driven : marks->is_moved;
    return moved[baked->node];
}

static void report_cut(baking *b)
{
    if (b->is_cut)
        sni_warn(&b->save->diag, SNI_WARN_LOST_CONTENT, 0,
                 "the limit on samples was reached, so tracks of nodes that inherit only part of a transform are less "
                 "precise");
}

static bool bake_clip(baking *b, uint32_t index, clip_marks *marks, sn_clip *clip)
{
    sni_arena *arena = &b->save->scratch;
    const sn_clip *posed = &b->posed.clips[index];
    bool is_exact = true, is_needed = false, *is_replaced = marks->is_replaced;
    uint32_t kept = 0;
    if (posed->track_count == 0) return true;
    find_moved(b, posed, marks);
    for (uint32_t i = 0; i < b->count; i++) is_needed = is_needed || is_moved(b, &b->nodes[i], marks);
    if (!is_needed) return true;
    b->is_cut = b->steps_left < b->steps_of_sample;
    if (b->is_cut) {
        sni_enter_named(&b->save->diag, "clips", index, clip->name);
        report_cut(b);
        sni_leave(&b->save->diag);
        return true;
    }
    sn_track *tracks = sni_new_raw(arena, sn_track, (uint64_t)clip->track_count + 3 * (uint64_t)b->count);
    if (!tracks || !sample_clip(b, (int32_t)index, &is_exact)) return false;
    memset(is_replaced, 0, (size_t)b->posed.node_count * 3);
    for (uint32_t i = 0; i < b->count; i++) {
        for (uint32_t c = 0; c < 3; c++)
            is_replaced[(size_t)b->nodes[i].node * 3 + c] = b->nodes[i].channels[c] && is_moved(b, &b->nodes[i], marks);
    }
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        bool is_transform = track->target_kind == SN_TARGET_NODE && track->channel <= SN_CHANNEL_SCALE;
        if (!is_transform || !is_replaced[(size_t)track->target * 3 + track->channel]) tracks[kept++] = *track;
    }
    for (uint32_t i = 0; i < b->count; i++) {
        for (uint32_t c = 0; c < 3; c++) {
            if (!is_replaced[(size_t)b->nodes[i].node * 3 + c]) continue;
            if (!make_track(b, i, (uint8_t)c, &tracks[kept++])) return false;
        }
    }
    clip->tracks = tracks;
    clip->track_count = kept;
    sni_enter_named(&b->save->diag, "clips", index, clip->name);
    if (!is_exact)
        sni_warn(&b->save->diag, SNI_WARN_RESAMPLED, 0,
                 "nodes that inherit only part of a transform were resampled to within 0.0001 rad and 0.0001 of the "
                 "model's size");
    report_cut(b);
    sni_leave(&b->save->diag);
    return true;
}

// Nodes, and in each clip the transforms of the nodes that matter.
static bool make_posed(baking *b)
{
    const sn_model *model = b->model;
    sni_arena *arena = &b->save->scratch;
    sn_clip *clips = sni_new(arena, sn_clip, model->clip_count);
    if (!clips) return false;
    b->posed = (sn_model){ .name = "", .format = model->format, .up_axis = model->up_axis, .lod_count = 1 };
    b->posed.default_scene = -1;
    b->posed.nodes = model->nodes;
    b->posed.node_count = model->node_count;
    b->posed.clips = clips;
    b->posed.clip_count = model->clip_count;
    b->posed.checked = &b->posed;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const sn_clip *clip = &model->clips[i];
        sn_track *tracks = sni_new_raw(arena, sn_track, clip->track_count);
        uint32_t count = 0;
        if (!tracks) return false;
        for (uint32_t t = 0; t < clip->track_count; t++) {
            const sn_track *track = &clip->tracks[t];
            if (track->target_kind == SN_TARGET_NODE && track->channel <= SN_CHANNEL_SCALE &&
                b->is_above[track->target] && track->key_count > 0)
                tracks[count++] = *track;
        }
        clips[i] = (sn_clip){ .name = "", .duration = clip->duration, .tracks = tracks, .track_count = count };
    }
    return true;
}

// What a sample costs: all nodes are posed, transforms are kept for those that are changed, and to give back, the way
// up from each of those is taken.
static bool count_steps(baking *b)
{
    enum { STEPS_OF_KEPT = 8 };
    uint32_t *depths = sni_new_raw(&b->save->scratch, uint32_t, b->posed.node_count);
    if (!depths) return false;
    b->steps_of_sample = b->posed.node_count + STEPS_OF_KEPT * (uint64_t)b->count;
    for (uint32_t i = 0; i < b->posed.node_count; i++) {
        const int32_t parent = b->posed.nodes[i].parent;
        depths[i] = parent < 0 ? 0 : depths[parent] + 1;
    }
    for (uint32_t i = 0; b->gives_back && i < b->count; i++) b->steps_of_sample += depths[b->nodes[i].node];
    return true;
}

static bool bake_rest(baking *b, sn_node *nodes)
{
    sample rest;
    sn_vec3 low = { 0, 0, 0 }, high = { 0, 0, 0 };
    if (!take_sample(b, -1, 0.0f, &rest)) return false;
    for (uint32_t i = 0; i < b->posed.node_count; i++) {
        sn_vec3 at = sni_mat34_column(&b->pose->worlds[i], 3);
        low = sni_vec3(fminf(low.x, at.x), fminf(low.y, at.y), fminf(low.z, at.z));
        high = sni_vec3(fmaxf(high.x, at.x), fmaxf(high.y, at.y), fmaxf(high.z, at.z));
    }
    b->size = fmax(distance(low, high), 1e-6);
    for (uint32_t i = 0; i < b->count; i++) {
        sn_node *node = &nodes[b->nodes[i].node];
        b->nodes[i].rest_place = sni_mat34_column(&b->pose->worlds[b->nodes[i].node], 3);
        if (b->gives_back) node->flags |= b->nodes[i].flags;
        else if (!node->matrix) node->rest = rest.locals[i];
    }
    return true;
}

// Changes the nodes for which `flags` has any, in all clips.
static bool change_nodes(sni_save *save, const sn_model *model, const uint32_t *flags, bool gives_back,
                         sn_model *fitted)
{
    static const sn_view z_up = { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } };
    static const sn_view y_up = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    sni_arena *arena = &save->scratch;
    uint32_t count = 0, node_count = model->node_count;
    for (uint32_t i = 0; i < node_count; i++) count += flags[i] != 0;
    if (count == 0) return true;
    const sn_model before = *model;
    baking b = { .save = save, .model = &before, .view = model->up_axis == SN_Z_UP ? &z_up : &y_up };
    b.gives_back = gives_back;
    b.steps_left = 1 << 26;
    b.nodes = sni_new(arena, baked_node, count);
    b.is_above = sni_new(arena, bool, node_count);
    sn_node *nodes = sni_new_raw(arena, sn_node, node_count);
    sn_clip *clips = sni_new_raw(arena, sn_clip, model->clip_count);
    clip_marks marks = { .is_driven = sni_new_raw(arena, bool, node_count),
                         .is_moved = sni_new_raw(arena, bool, node_count),
                         .is_replaced = sni_new_raw(arena, bool, (uint64_t)node_count * 3) };
    if (!b.nodes || !b.is_above || !nodes || !clips || !marks.is_driven || !marks.is_moved || !marks.is_replaced)
        return false;
    for (uint32_t i = node_count; i-- > 0;) {
        if (flags[i]) {
            baked_node *baked = &b.nodes[b.count++];
            b.is_above[i] = true;
            *baked = (baked_node){ .node = (int32_t)i, .flags = flags[i] };
            find_channels(flags[i], baked->channels);
            if (gives_back) {  // what an axis is locked to does not change where it ends
                baked->channels[SN_CHANNEL_ROTATION] = flags[i] & (SN_NODE_OWN_ROTATION | SN_NODE_BILLBOARD);
                baked->channels[SN_CHANNEL_SCALE] = flags[i] & (SN_NODE_OWN_SCALE | SN_NODE_BILLBOARD_X);
            }
        }
        if (b.is_above[i] && model->nodes[i].parent >= 0) b.is_above[model->nodes[i].parent] = true;
    }
    if (!make_posed(&b) || !count_steps(&b)) return false;
    sn_error error;
    b.pose = sn_pose_create(&b.posed, save->opts ? &save->opts->allocator : NULL, &error);
    if (!b.pose) return sni_fail(&save->diag, error.status, 0, "%s", error.message);
    memcpy(nodes, before.nodes, node_count * sizeof *nodes);
    if (before.clip_count > 0) memcpy(clips, before.clips, before.clip_count * sizeof *clips);
    bool is_good = bake_rest(&b, nodes);
    for (uint32_t i = 0; i < before.clip_count && is_good; i++) is_good = bake_clip(&b, i, &marks, &clips[i]);
    sn_pose_free(b.pose);
    fitted->nodes = nodes;
    fitted->clips = clips;
    return is_good && sni_save_ok(save);
}

bool sni_fit_inheritance(sni_save *save, const sn_model *model, sn_model *fitted)
{
    uint32_t *flags = sni_new_raw(&save->scratch, uint32_t, model->node_count);
    if (!flags) return false;
    for (uint32_t i = 0; i < model->node_count; i++) flags[i] = model->nodes[i].flags & SNI_NOT_INHERITED;
    return change_nodes(save, model, flags, false, fitted);
}

// The flags that a mark names, see SNI_BAKED_MARK.
static uint32_t marked_flags(sni_save *save, const char *extras)
{
    sni_diag diag;
    sni_str key;
    uint32_t flags = 0;
    if (!extras || !strstr(extras, "\"" SNI_BAKED_MARK "\"")) return 0;
    sni_diag_init(&diag, NULL);
    sni_json json = sni_json_make(sni_str_make(extras, strlen(extras)), 0, 64, &diag, &save->scratch);
    if (sni_json_peek(&json) != SNI_JSON_OBJECT) return 0;
    for (sni_json_enter_object(&json); sni_json_next_key(&json, &key);) {
        if (!sni_str_is(key, SNI_BAKED_MARK) || sni_json_peek(&json) != SNI_JSON_ARRAY) {
            sni_json_skip(&json);
            continue;
        }
        for (sni_json_enter_array(&json); sni_json_next_item(&json);) {
            const char *name = sni_json_peek(&json) == SNI_JSON_STRING ? sni_json_string(&json, NULL) : NULL;
            if (!name) sni_json_skip(&json);
            for (const sni_flag_name *flag = sni_inheritance_names; name && flag->name; flag++)
                if (strcmp(flag->name, name) == 0) flags |= flag->flag;
        }
    }
    return flags;
}

bool sni_restore_inheritance(sni_save *save, const sn_model *model, sn_model *fitted)
{
    uint32_t *flags = sni_new_raw(&save->scratch, uint32_t, model->node_count);
    if (!flags) return false;
    const char *text = NULL;
    uint64_t wanted = 0, found = 0;
    if (sni_extras_find_text(&save->scratch, model->extras, SNI_BAKED_MARK, &text)) wanted = strtoul(text, NULL, 10);
    for (uint32_t i = 0; i < model->node_count; i++) {
        const uint32_t marked = marked_flags(save, model->nodes[i].extras);
        found += marked != 0;
        flags[i] = marked & ~model->nodes[i].flags;
    }
    sni_save_lose(save, "nodes", wanted > found && wanted <= model->node_count ? wanted - found : 0,
                  "extras of billboards and of nodes that do not follow their parents are missing; the nodes keep the "
                  "keys added for glTF");
    return change_nodes(save, model, flags, true, fitted);
}
