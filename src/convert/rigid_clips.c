// A node's new world matrix is root * world * from_new; without scale and shear it becomes a translation and rotation.
// The old model is posed at each frame, so that everything that moves a node counts: curves, periods, inherited or not.
#include "convert/rigid_clips.h"

#include <string.h>

#include "base/math.h"
#include "convert/posed_error.h"
#include "model/extras.h"
#include "model/track.h"

enum { FEW_FRAMES = 1024, MOST_FRAMES = 65535, FRAMES_PER_KEY = 32, BETWEEN = 3, FAST = 120, FEW_FAST_FRAMES = 64 };

// Parts of the model's size: below, a difference is rounding; and up to where frames are near enough.
static const double NOTHING = 2e-6, NEAR = 5e-5;

// The box of a node's vertices, in its own space.
typedef struct node_box {
    bool is_set;
    sn_vec3 min, max;
} node_box;

typedef struct node_state {
    sn_mat34 exact;  // with scale
    sn_trs world, local;
    bool moves, turns, jumps;
    bool jumps_now;  // between the frame before and this one: just before this one
} node_state;

typedef struct part_state {
    int32_t node;  // that moves all of its vertices; -1: several do
    bool shows, hides, fades;
} part_state;

typedef struct sampler {
    sni_save *save;
    sni_arena *arena;
    const sn_model *model;  // the old one, with all parts in one scene and level of detail
    const sni_rigid_frames *frames;
    sn_model *fitted;
    sn_pose *pose;
    double size;
    node_state *nodes;
    sn_trs *before, *between;  // local, at the frame before; at this frame, then worlds in between
    node_box *boxes;
    part_state *parts;
    uint32_t max_rate;
    uint64_t steps_left;  // nodes and parts that may still be posed
    bool is_cut;          // they did not suffice to compare the rates of all clips

    // Of the current clip.
    uint32_t clip;
    float *key_times;
    uint32_t key_count;
    bool has_steps;  // tracks whose values jump
    double sampling_error, scale_error;
    uint64_t lost_colors;  // tracks of parts
} sampler;

static sn_trs compose(const sn_trs *parent, const sn_trs *local)
{
    return (sn_trs){ sni_add(parent->translation, sni_quat_rotate(parent->rotation, local->translation)),
                     sni_quat_unit(sni_quat_mul(parent->rotation, local->rotation)),
                     { 1, 1, 1 } };
}

static sn_vec3 move_point(const sn_trs *trs, sn_vec3 p)
{
    return sni_add(trs->translation, sni_quat_rotate(trs->rotation, p));
}

// Scale 0 leaves no rotation: the last one holds.
static sn_quat rotation_of(const sn_mat34 *matrix, sn_quat last)
{
    const sn_trs trs = sni_mat34_decompose(matrix);
    const double x = fabs((double)trs.scale.x), y = fabs((double)trs.scale.y), z = fabs((double)trs.scale.z);
    return x > 1e-6 && y > 1e-6 && z > 1e-6 ? trs.rotation : last;
}

static void sample(sampler *s, float time)
{
    sn_pose_sample(s->pose, (int32_t)s->clip, time, time);
    sn_pose_solve(s->pose, NULL);
    for (uint32_t i = 0; i < s->fitted->node_count; i++) {
        node_state *node = &s->nodes[i];
        const int32_t old = s->frames->parents[i] < 0 ? (int32_t)i : s->frames->parents[i];
        const int32_t parent = s->fitted->nodes[i].parent;
        const sn_mat34 world = sn_pose_world(s->pose, old), turned = sni_mat34_mul(&s->frames->root, &world);
        node->exact = sni_mat34_mul(&turned, &s->frames->from_new[i]);
        node->world.translation = sni_mat34_column(&node->exact, 3);
        node->world.rotation = rotation_of(&node->exact, node->world.rotation);
        node->local = node->world;
        if (parent < 0) continue;
        const sn_trs *above = &s->nodes[parent].world;
        const sn_quat back = sni_quat_conjugate(above->rotation);
        node->local.translation = sni_quat_rotate(back, sni_sub(node->world.translation, above->translation));
        node->local.rotation = sni_quat_unit(sni_quat_mul(back, node->world.rotation));
    }
}

// Frames

typedef struct timing {
    uint32_t rate, count;
} timing;

static uint64_t steps_of_pose(const sampler *s) { return (uint64_t)s->fitted->node_count + s->model->part_count + 1; }

// Frames are sampled twice; keys and what a clip needs besides them are made for each node and part, too.
static uint64_t steps_of_frames(const sampler *s, uint64_t count) { return steps_of_pose(s) * (4 * count + 16); }

// As many frames as keep the clip's duration, within what its keys justify and what may still be posed.
static timing time_at(const sampler *s, uint32_t rate)
{
    const double duration = s->model->clips[s->clip].duration;
    const uint64_t wanted = (uint64_t)FRAMES_PER_KEY * s->key_count;
    const double justified = wanted < FEW_FRAMES ? FEW_FRAMES : wanted < MOST_FRAMES ? (double)wanted : MOST_FRAMES;
    const double allowed = floor((double)s->steps_left / 4.0 / (double)steps_of_pose(s));
    const double most = fmax(fmin(justified, allowed), 2.0);
    double steps = floor(duration * rate + 0.5);
    if (steps < 1.0) steps = duration > 0.0 ? 1.0 : 0.0;
    return (timing){ rate, (uint32_t)(steps > most - 1.0 ? most : steps + 1.0) };
}

static double frame_time(const sampler *s, timing t, double frame)
{
    return t.count > 1 ? s->model->clips[s->clip].duration * frame / (t.count - 1.0) : 0.0;
}

// A key as near as rounding is meant, so that steps come at their frame. `at` is where the last search ended.
static float key_near(const sampler *s, double time, double step, uint32_t *at)
{
    while (*at < s->key_count && (double)s->key_times[*at] < time - 1e-3 * step) ++*at;
    while (*at + 1 < s->key_count && (double)s->key_times[*at + 1] <= time + 1e-3 * step) ++*at;  // after a jump
    const bool is_near = *at < s->key_count && fabs((double)s->key_times[*at] - time) <= 1e-3 * step;
    return is_near ? s->key_times[*at] : (float)time;
}

static bool holds_all_keys(const sampler *s, timing t)
{
    const double duration = s->model->clips[s->clip].duration;
    const double steps = duration * t.rate;
    if (t.count < 2) return duration == 0.0;
    if (fabs(steps - (t.count - 1.0)) > 2e-3) return false;
    for (uint32_t i = 0; i < s->key_count; i++) {
        const double frame = (double)s->key_times[i] * t.rate;
        if (fabs(frame - floor(frame + 0.5)) > 2e-3) return false;
    }
    return true;
}

// What moves nodes: key times within the clip, sorted. Visibility and other channels wait for the next frame.
static bool list_key_times(sampler *s)
{
    const sn_clip *clip = &s->model->clips[s->clip];
    uint64_t total = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < clip->track_count; i++) total += clip->tracks[i].key_count;
    s->key_times = sni_new_raw(s->arena, float, total);
    if (!s->key_times) return false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        for (uint32_t k = 0; sni_track_is_local(track) && k < track->key_count; k++)
            if (track->times[k] >= 0.0f && track->times[k] <= clip->duration) s->key_times[count++] = track->times[k];
    }
    s->key_count = sni_merge_key_times(s->key_times, count);
    return true;
}

// Jumps

static double distance_of(const sampler *s, const sn_trs *a, const sn_trs *b)
{
    return sni_length(sni_sub(a->translation, b->translation)) + s->size * sni_rotation_angle(a->rotation, b->rotation);
}

static bool is_stepped(const sn_track *track)
{
    if (track->interpolation == SN_STEP && track->key_count > 1) return true;
    for (uint32_t i = 1; i < track->key_count; i++)
        if (track->times[i] - track->times[i - 1] <= 1e-5f * track->times[i]) return true;
    return false;
}

static void find_steps(sampler *s)
{
    const sn_clip *clip = &s->model->clips[s->clip];
    s->has_steps = false;
    for (uint32_t i = 0; i < clip->track_count && !s->has_steps; i++)
        s->has_steps = sni_track_is_local(&clip->tracks[i]) && is_stepped(&clip->tracks[i]);
}

// A node jumps where most of the way from the frame before is gone in the last thousandth of it. `before` and `at` are
// its local transforms at the two frames.
static void mark_jumps(sampler *s, const sn_trs *before, const sn_trs *at, double time, double step)
{
    for (uint32_t i = 0; i < s->fitted->node_count; i++) s->nodes[i].jumps_now = false;
    if (!s->has_steps) return;
    sample(s, (float)(time - 1e-3 * step));
    for (uint32_t i = 0; i < s->fitted->node_count; i++) {
        const double all = distance_of(s, &before[i], &at[i]), last = distance_of(s, &s->nodes[i].local, &at[i]);
        s->nodes[i].jumps_now = all > NOTHING * s->size && last > 0.5 * all;
        s->nodes[i].jumps |= s->nodes[i].jumps_now;
    }
}

// Errors

static void measure_scale(sampler *s)
{
    for (uint32_t i = 0; i < s->fitted->node_count; i++) {
        const node_state *node = &s->nodes[i];
        for (int c = 0; s->boxes[i].is_set && c < 8; c++) {
            const sn_vec3 corner = sni_box_corner(s->boxes[i].min, s->boxes[i].max, c);
            const sn_vec3 off = sni_sub(sni_mat34_point(&node->exact, corner), move_point(&node->world, corner));
            s->scale_error = fmax(s->scale_error, sni_length(off));
        }
    }
}

static void measure_between(sampler *s, double u)
{
    for (uint32_t i = 0; i < s->fitted->node_count; i++) {
        const int32_t parent = s->fitted->nodes[i].parent;
        const sn_trs *from = &s->before[i], *to = s->nodes[i].jumps_now ? from : &s->between[i];
        const sn_trs local = { sni_vec3_lerp(from->translation, to->translation, (float)u),
                               sni_quat_slerp(from->rotation, to->rotation, (float)u),
                               { 1, 1, 1 } };
        sn_trs *worlds = s->between + s->fitted->node_count;
        worlds[i] = parent >= 0 ? compose(&worlds[parent], &local) : local;
        for (int c = 0; s->boxes[i].is_set && c < 8; c++) {
            const sn_vec3 corner = sni_box_corner(s->boxes[i].min, s->boxes[i].max, c);
            const sn_vec3 off = sni_sub(move_point(&s->nodes[i].world, corner), move_point(&worlds[i], corner));
            s->sampling_error = fmax(s->sampling_error, sni_length(off));
        }
    }
}

// The largest distances of vertices at these frames and between them; 0 where too many nodes were posed already, since
// what is left is for the frames themselves.
static void measure(sampler *s, timing t)
{
    uint32_t at = 0;
    const double step = frame_time(s, t, 1.0);
    const uint64_t steps = steps_of_pose(s) * t.count * (BETWEEN + 1 + s->has_steps);
    s->sampling_error = s->scale_error = 0.0;
    for (uint32_t i = 0; i < s->fitted->node_count; i++)
        s->nodes[i].moves = s->nodes[i].turns = s->nodes[i].jumps = false;
    if (steps > s->steps_left / 2) {
        s->is_cut = true;
        return;
    }
    s->steps_left -= steps;
    for (uint32_t frame = 0; frame < t.count; frame++) {
        sample(s, key_near(s, frame_time(s, t, frame), step, &at));
        measure_scale(s);
        for (uint32_t i = 0; i < s->fitted->node_count; i++) {
            s->before[i] = s->between[i];
            s->between[i] = s->nodes[i].local;
        }
        if (frame > 0) mark_jumps(s, s->before, s->between, frame_time(s, t, frame), step);
        for (int k = 1; frame > 0 && k <= BETWEEN; k++) {
            const double u = (double)k / (BETWEEN + 1);
            sample(s, (float)frame_time(s, t, frame - 1.0 + u));
            measure_between(s, u);
        }
    }
}

// The rate that a W3D file gave the clip; 0: none.
static uint32_t stored_rate(sampler *s)
{
    float rate = 0.0f;
    const char *extras = s->model->clips[s->clip].extras;
    if (!sni_extras_find_float(s->arena, extras, "rate", &rate)) return 0;
    return rate >= 1.0f && rate <= 1000.0f ? (uint32_t)rate : 0;
}

// The lowest rate from this one up that ends the clip on a frame, as near as one in 2,000; none: this one.
static uint32_t whole_rate(const sampler *s, uint32_t lowest)
{
    const double duration = s->model->clips[s->clip].duration;
    for (uint32_t rate = lowest; rate < 2 * lowest; rate++) {
        const double steps = duration * rate;
        if (steps >= 1.0 && fabs(steps - floor(steps + 0.5)) <= 5e-4 * steps) return rate;
    }
    return lowest;
}

static timing choose_timing(sampler *s)
{
    static const uint32_t rates[] = { 30, 15, 60, 10, 20, 24, 25, 12, 48, 50, 90, 100, 120, 240, 480, 1000 };
    enum { COUNT = sizeof rates / sizeof *rates };
    const uint32_t stored = stored_rate(s);
    timing best = time_at(s, stored ? stored : rates[0]);
    if (stored && holds_all_keys(s, best)) {
        measure(s, best);
        return best;
    }
    for (int i = 0; i < COUNT; i++) {
        const timing t = time_at(s, rates[i]);
        const bool is_short = t.count <= FEW_FAST_FRAMES;
        if ((rates[i] > s->max_rate && !is_short) || !holds_all_keys(s, t)) continue;
        measure(s, t);
        if (s->sampling_error <= NEAR * s->size) return t;
    }
    double least = HUGE_VAL;
    for (uint32_t rate = rates[0]; rate <= FAST && least > NEAR * s->size; rate *= 2) {
        const timing t = time_at(s, whole_rate(s, rate));
        measure(s, t);
        if (s->sampling_error < least * 0.9) least = s->sampling_error, best = t;
    }
    while (best.rate > 1 && (double)s->model->clips[s->clip].duration * best.rate > best.count) best.rate--;
    best = time_at(s, best.rate);
    measure(s, best);
    return best;
}

// Tracks

// Marks what moves and what changes.
static void mark(sampler *s)
{
    for (uint32_t i = 0; i < s->fitted->node_count; i++) {
        node_state *node = &s->nodes[i];
        const sn_trs *rest = &s->fitted->nodes[i].rest;
        node->moves |= sni_length(sni_sub(node->local.translation, rest->translation)) > 0.5 * NOTHING * s->size;
        node->turns |= sni_rotation_angle(node->local.rotation, rest->rotation) > 0.5 * NOTHING;
    }
    for (uint32_t i = 0; i < s->model->part_count; i++) {
        part_state *part = &s->parts[i];
        const float alpha = sn_pose_color(s->pose, (int32_t)i).w;
        const bool shows = sn_pose_shows(s->pose, (int32_t)i);
        const bool is_gone = part->node >= 0 && fabs(sni_mat34_determinant(&s->nodes[part->node].exact)) < 1e-9;
        if (shows && !is_gone) part->shows = true;
        else part->hides = true;
        part->fades |= fabsf(alpha - s->model->parts[i].color.w) > 1e-4f;
    }
}

typedef struct sampled {
    float *times;
    sn_vec3 **moves;  // per node; NULL: it does not
    sn_quat **turns;
    bool **jumps;
    float **shown, **alphas;  // per part
} sampled;

static bool make_room(sampler *s, uint32_t count, sampled *out)
{
    const uint32_t nodes = s->fitted->node_count, parts = s->model->part_count;
    *out = (sampled){ .times = sni_new_raw(s->arena, float, count),
                      .moves = sni_new(s->arena, sn_vec3 *, nodes),
                      .turns = sni_new(s->arena, sn_quat *, nodes),
                      .jumps = sni_new(s->arena, bool *, nodes),
                      .shown = sni_new(s->arena, float *, parts),
                      .alphas = sni_new(s->arena, float *, parts) };
    if (!out->times || !out->moves || !out->turns || !out->jumps || !out->shown || !out->alphas) return false;
    for (uint32_t i = 0; i < nodes; i++) {
        if (s->nodes[i].moves && !(out->moves[i] = sni_new_raw(s->arena, sn_vec3, count))) return false;
        if (s->nodes[i].turns && !(out->turns[i] = sni_new_raw(s->arena, sn_quat, count))) return false;
        if (s->nodes[i].jumps && !(out->jumps[i] = sni_new(s->arena, bool, count))) return false;
    }
    for (uint32_t i = 0; i < parts; i++) {
        if (s->parts[i].hides && !(out->shown[i] = sni_new_raw(s->arena, float, count))) return false;
        if (s->parts[i].fades && !(out->alphas[i] = sni_new_raw(s->arena, float, count))) return false;
    }
    return true;
}

static void store_frame(sampler *s, const sampled *out, uint32_t frame)
{
    for (uint32_t i = 0; i < s->fitted->node_count; i++) {
        const sn_trs *local = &s->nodes[i].local;
        if (out->moves[i]) out->moves[i][frame] = local->translation;
        if (!out->turns[i]) continue;
        const sn_quat q = local->rotation, *last = frame > 0 ? &out->turns[i][frame - 1] : NULL;
        const bool is_far = last && sni_quat_dot(q, *last) < 0.0;  // in one hemisphere, for players that ignore it
        out->turns[i][frame] = is_far ? sni_quat(-q.x, -q.y, -q.z, -q.w) : q;
    }
    for (uint32_t i = 0; i < s->model->part_count; i++) {
        if (out->alphas[i]) out->alphas[i][frame] = sn_pose_color(s->pose, (int32_t)i).w;
        if (!out->shown[i]) continue;
        const int32_t node = s->parts[i].node;
        const bool is_gone = node >= 0 && fabs(sni_mat34_determinant(&s->nodes[node].exact)) < 1e-9;
        out->shown[i][frame] = sn_pose_shows(s->pose, (int32_t)i) && !is_gone ? 1.0f : 0.0f;
    }
}

// Frame by frame, at most twice: what does not move needs no room.
static bool sample_frames(sampler *s, timing t, sampled *out)
{
    const double step = frame_time(s, t, 1.0);
    uint32_t at = 0;
    for (uint32_t i = 0; i < s->model->part_count; i++)
        s->parts[i].shows = s->parts[i].hides = s->parts[i].fades = false;
    for (uint32_t frame = 0; frame < t.count; frame++) {
        sample(s, key_near(s, frame_time(s, t, frame), step, &at));
        mark(s);
    }
    if (!make_room(s, t.count, out)) return false;
    at = 0;
    for (uint32_t frame = 0; frame < t.count; frame++) {
        sample(s, key_near(s, frame_time(s, t, frame), step, &at));
        out->times[frame] = (float)(frame / (double)t.rate);
        store_frame(s, out, frame);
        if (!s->has_steps) continue;
        for (uint32_t i = 0; i < s->fitted->node_count; i++) {
            s->before[i] = s->between[i];
            s->between[i] = s->nodes[i].local;
        }
        if (frame == 0) continue;
        mark_jumps(s, s->before, s->between, frame_time(s, t, frame), step);
        for (uint32_t i = 0; i < s->fitted->node_count; i++)
            if (out->jumps[i]) out->jumps[i][frame] = s->nodes[i].jumps_now;
    }
    return true;
}

static void add_track(sn_clip *clip, sn_track *tracks, sn_target kind, uint32_t target, sn_channel channel,
                      const sampled *from, const void *values)
{
    if (!values) return;
    tracks[clip->track_count++] = (sn_track){
        .target_kind = (uint8_t)kind,
        .channel = (uint8_t)channel,
        .interpolation = channel == SN_CHANNEL_VISIBILITY ? SN_STEP : SN_LINEAR,
        .target = (int32_t)target,
        .width = channel == SN_CHANNEL_ROTATION      ? 4
                 : channel == SN_CHANNEL_TRANSLATION ? 3
                                                     : 1,
        .times = from->times,
        .values = values,
    };
}

static bool changes_color(const sn_model *model, const sn_track *track)
{
    if (track->target_kind != SN_TARGET_PART || track->channel != SN_CHANNEL_COLOR) return false;
    const sn_vec4 rest = model->parts[track->target].color;
    for (uint32_t i = 0; i < track->key_count; i++) {
        const float *key = sni_track_key(track, i, SNI_KEY_VALUE);
        const float largest = fmaxf(fmaxf(fabsf(key[0] - rest.x), fabsf(key[1] - rest.y)), fabsf(key[2] - rest.z));
        if (largest > 1e-3f) return true;
    }
    return false;
}

static bool make_clip(sampler *s, timing t, const sampled *from, sn_clip *out)
{
    const sn_clip *in = &s->model->clips[s->clip];
    const uint64_t most = 2ull * s->fitted->node_count + 2ull * s->model->part_count + in->track_count;
    sn_track *tracks = sni_new_raw(s->arena, sn_track, most);
    if (!tracks) return false;
    *out = *in;
    out->tracks = tracks;
    out->track_count = 0;
    out->duration = (float)((t.count - 1) / (double)t.rate);
    for (uint32_t i = 0; i < s->fitted->node_count; i++) {
        add_track(out, tracks, SN_TARGET_NODE, i, SN_CHANNEL_TRANSLATION, from, from->moves[i]);
        add_track(out, tracks, SN_TARGET_NODE, i, SN_CHANNEL_ROTATION, from, from->turns[i]);
    }
    for (uint32_t i = 0; i < s->model->part_count; i++) {
        add_track(out, tracks, SN_TARGET_PART, i, SN_CHANNEL_VISIBILITY, from, from->shown[i]);
        add_track(out, tracks, SN_TARGET_PART, i, SN_CHANNEL_ALPHA, from, from->alphas[i]);
    }
    for (uint32_t i = 0; i < out->track_count; i++) tracks[i].key_count = t.count;
    for (uint32_t i = 0; i < in->track_count; i++) {
        if (in->tracks[i].target_kind == SN_TARGET_LAYER) tracks[out->track_count++] = in->tracks[i];
        s->lost_colors += changes_color(s->model, &in->tracks[i]);
    }
    return true;
}

static void report(sampler *s, timing t, double duration)
{
    const double size = s->size, saved = (t.count - 1) / (double)t.rate;
    char off[96];
    sni_enter_named(&s->save->diag, "clips", s->clip, s->model->clips[s->clip].name);
    if (s->sampling_error > NOTHING * size)
        sni_warn(&s->save->diag, SNI_WARN_RESAMPLED, 0, "resampled to %u frames at %u per second%s", t.count, t.rate,
                 sni_print_posed_error(off, s->sampling_error, size));
    if (s->scale_error > NOTHING * size)
        sni_warn(&s->save->diag, SNI_WARN_LOST_CONTENT, 0, "scale tracks were left out%s",
                 sni_print_posed_error(off, s->scale_error, size));
    if (fabs(saved - duration) > 1e-3 * duration + 1e-6)
        sni_warn(&s->save->diag, SNI_WARN_LOST_CONTENT, 0, "the clip lasts %.6g s instead of %.6g s", saved, duration);
    sni_leave(&s->save->diag);
}

// Setting up

static void find_boxes(sampler *s)
{
    const sn_model *fitted = s->fitted;
    const sn_skin *skin = fitted->skins;
    for (uint32_t p = 0; p < fitted->part_count; p++) {
        const sn_mesh *mesh = &fitted->meshes[fitted->parts[p].mesh];
        int32_t only = -2;  // not seen yet
        for (uint64_t k = 0; k < (uint64_t)mesh->vertex_count * mesh->influence_count; k++) {
            if (!(mesh->vertex_weights[k] > 0.0f)) continue;
            const uint16_t joint = mesh->vertex_joints[k];
            node_box *box = &s->boxes[skin->joints[joint]];
            const sn_vec3 at = sni_mat34_point(&skin->inverse_bind[joint], mesh->positions[k / mesh->influence_count]);
            if (!box->is_set) *box = (node_box){ true, at, at };
            box->min = sni_vec3(fminf(box->min.x, at.x), fminf(box->min.y, at.y), fminf(box->min.z, at.z));
            box->max = sni_vec3(fmaxf(box->max.x, at.x), fmaxf(box->max.y, at.y), fmaxf(box->max.z, at.z));
            only = only == -2 || only == skin->joints[joint] ? skin->joints[joint] : -1;
        }
        s->parts[p].node = only < 0 ? -1 : only;
    }
}

static bool set_up(sampler *s, sn_model *mover)
{
    sn_error error = { 0 };
    sn_bounds bounds;
    sn_part *parts = sni_new_raw(s->arena, sn_part, mover->part_count);
    const uint32_t nodes = s->fitted->node_count;
    s->nodes = sni_new(s->arena, node_state, nodes);
    s->before = sni_new(s->arena, sn_trs, nodes);
    s->between = sni_new(s->arena, sn_trs, 2ull * nodes);
    s->boxes = sni_new(s->arena, node_box, nodes);
    s->parts = sni_new(s->arena, part_state, mover->part_count);
    if (!parts || !s->nodes || !s->before || !s->between || !s->boxes || !s->parts) return false;
    for (uint32_t i = 0; i < mover->part_count; i++) {
        parts[i] = mover->parts[i];
        parts[i].lod = -1;
    }
    mover->parts = parts;
    mover->scenes = NULL, mover->scene_count = 0, mover->default_scene = -1;
    mover->document = mover->checked = NULL;
    for (uint32_t i = 0; i < nodes; i++) s->nodes[i].world.rotation = sni_quat(0, 0, 0, 1);
    find_boxes(s);
    s->pose = sn_pose_create(mover, &s->save->heap.allocator, &error);
    const sn_status status = s->pose ? sn_model_bounds(mover, -1, &s->save->heap.allocator, &bounds) : error.status;
    if (status == SN_ERR_MEMORY) return sni_fail(&s->save->diag, SN_ERR_MEMORY, 0, "out of memory");
    if (status != SN_OK)
        return sni_fail(&s->save->diag, SN_ERR_UNSUPPORTED, 0, "the model is too large for the format");
    s->size = bounds.radius > 0.0f ? 2.0 * bounds.radius : 1.0;
    return true;
}

static bool moves(const sampler *s)
{
    for (uint32_t i = 0; i < s->fitted->node_count; i++)
        if (s->nodes[i].moves || s->nodes[i].turns) return true;
    return false;
}

// All clips together take 2^24 steps, and more where they have keys that ask for them.
static bool allow_steps(sampler *s)
{
    enum { STEPS_OF_KEY = 16 };
    uint64_t keys;
    if (!sni_count_own_keys(s->arena, s->model, &keys)) return false;
    s->steps_left = (1 << 24) + STEPS_OF_KEY * keys;
    return true;
}

// One clip, into `out`.
static bool fit_clip(sampler *s, sn_clip *out, sni_clip_frames *frames)
{
    sampled values;
    if (!list_key_times(s)) return false;
    find_steps(s);
    const timing t = choose_timing(s);
    const uint64_t steps = steps_of_frames(s, t.count);
    s->steps_left -= steps < s->steps_left ? steps : s->steps_left;
    if (!sample_frames(s, t, &values) || !make_clip(s, t, &values, out)) return false;
    *frames = (sni_clip_frames){ t.rate, t.count, (const bool *const *)values.jumps };
    report(s, t, s->model->clips[s->clip].duration);
    return true;
}

// A model without clips that does not rest as it is bound gets one that shows it at rest.
bool sni_fit_rigid_clips(sni_save *save, const sn_model *model, const sni_rigid_frames *frames, uint32_t max_rate,
                         sn_model *fitted)
{
    static const sn_clip stand = { .name = "Stand" };
    sn_model mover = *model;
    if (model->clip_count == 0) mover.clips = &stand, mover.clip_count = 1;
    sampler s = {
        .save = save, .arena = &save->scratch, .model = &mover, .frames = frames, .fitted = fitted, .max_rate = max_rate
    };
    sn_clip *clips = sni_new(s.arena, sn_clip, mover.clip_count);
    sni_clip_frames *timings = sni_new(s.arena, sni_clip_frames, mover.clip_count);
    bool is_good = clips && timings && set_up(&s, &mover) && allow_steps(&s);
    for (s.clip = 0; is_good && s.clip < mover.clip_count; s.clip++) {
        if (s.clip > 0 && s.steps_left < steps_of_frames(&s, 2)) break;
        is_good = fit_clip(&s, &clips[s.clip], &timings[s.clip]);
    }
    sn_pose_free(s.pose);
    if (!is_good) return false;
    sni_save_lose(save, "clips", s.lost_colors, "colour tracks of parts were left out");
    sni_save_lose(save, "clips", mover.clip_count - s.clip,
                  "clips were left out: too many for so many nodes and parts");
    sni_save_lose(save, "clips", s.is_cut, "too many frames: the rates of some clips were not compared");
    fitted->clips = clips;
    fitted->clip_count = model->clip_count > 0 ? s.clip : moves(&s);
    save->clip_frames = timings;
    return sni_save_ok(save);
}
