// Clips to animations: channels relative to the base pose, for pivots that leave it.
#include <math.h>

#include "base/math.h"
#include "format/w3d/w3d_export.h"
#include "model/track.h"

enum { RAW_VERSION = 0x40001, COMPRESSED_VERSION = 1, FLAVOR_TIMECODED = 0, FLAVOR_ADAPTIVE = 1 };

// The tracks of one clip.
typedef struct clip_export {
    w3d_exporter *x;
    sni_arena *scratch;
    w3d_tree *tree;
    uint32_t frames;
    const sn_track **moves, **turns;   // per node
    const sn_track **shown, **alphas;  // per part
    const bool *const *jumps;          // per node
    double size;
    uint64_t lost_jumps;
    float adaptive_error[2];  // the largest of a translation, of a rotation's components
} clip_export;

static bool sort_tracks(clip_export *c, const sn_clip *clip)
{
    const sn_model *model = c->x->model;
    c->moves = sni_new(c->scratch, const sn_track *, model->node_count);
    c->turns = sni_new(c->scratch, const sn_track *, model->node_count);
    c->shown = sni_new(c->scratch, const sn_track *, model->part_count);
    c->alphas = sni_new(c->scratch, const sn_track *, model->part_count);
    if (!c->moves || !c->turns || !c->shown || !c->alphas) return false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        if (track->key_count != c->frames) continue;  // of layers
        if (track->target_kind == SN_TARGET_NODE && track->channel == SN_CHANNEL_TRANSLATION)
            c->moves[track->target] = track;
        else if (track->target_kind == SN_TARGET_NODE && track->channel == SN_CHANNEL_ROTATION)
            c->turns[track->target] = track;
        else if (track->target_kind == SN_TARGET_PART && track->channel == SN_CHANNEL_VISIBILITY)
            c->shown[track->target] = track;
        else if (track->target_kind == SN_TARGET_PART && track->channel == SN_CHANNEL_ALPHA)
            c->alphas[track->target] = track;
    }
    return true;
}

// Keys at the frames where the value leaves the line between others, and where it jumps.
static bool reduce(clip_export *c, uint32_t type, uint32_t width, const float *values, const bool *jumps,
                   w3d_keys *keys)
{
    const bool is_rotation = type == W3D_QUATERNION;
    float *times = sni_new_raw(c->scratch, float, c->frames);
    keys->count = 0;
    keys->values = sni_new_raw(c->scratch, float, (uint64_t)c->frames *width);
    keys->frames = sni_new_raw(c->scratch, uint32_t, c->frames);
    keys->is_jump = sni_new(c->scratch, bool, c->frames);
    if (!times || !keys->values || !keys->frames || !keys->is_jump) return false;
    for (uint32_t i = 0; i < c->frames; i++) times[i] = (float)i;
    for (uint32_t start = 0, end; start < c->frames; start = end) {
        for (end = start + 1; end < c->frames && !(jumps && jumps[end]);) end++;
        const sn_track part = { .channel = is_rotation ? SN_CHANNEL_ROTATION : SN_CHANNEL_ALPHA,
                                .interpolation = SN_LINEAR,
                                .key_count = end - start,
                                .width = width,
                                .times = times + start,
                                .values = values + (size_t)start * width };
        sn_track kept;
        if (!sni_track_reduce(c->scratch, &part, is_rotation ? 1e-5 : 5e-6 * c->size, &kept)) return false;
        keys->is_jump[keys->count] = start > 0;
        memcpy(keys->values + (size_t)keys->count * width, kept.values, (size_t)kept.key_count * width * sizeof(float));
        for (uint32_t i = 0; i < kept.key_count; i++) keys->frames[keys->count++] = (uint32_t)kept.times[i];
    }
    return true;
}

static bool put_channel(clip_export *c, uint32_t pivot, uint32_t type, uint32_t width, float *values)
{
    static const w3d_channel_kind kinds[] = { W3D_RAW, W3D_TIMECODED, W3D_ADAPTIVE4 };
    const w3d_channel channel = { .kind = kinds[c->x->animation], .pivot = pivot, .type = type, .width = width };
    const int32_t node = c->x->pivots[pivot].node;
    const bool *jumps = node >= 0 ? c->jumps[node] : NULL;
    w3d_keys keys = { .count = c->frames, .values = values };
    if (channel.kind == W3D_TIMECODED && !reduce(c, type, width, values, jumps, &keys)) return false;
    if (channel.kind == W3D_ADAPTIVE4) {
        const float error = w3d_adaptive_error(&channel, w3d_adaptive_scale(&channel, &keys));
        float *largest = &c->adaptive_error[type == W3D_QUATERNION];
        *largest = fmaxf(*largest, error);
    }
    for (uint32_t i = 0; jumps && channel.kind != W3D_TIMECODED && i < c->frames; i++) c->lost_jumps += jumps[i];
    w3d_put_channel(c->tree, &channel, &keys);
    return true;
}

// Along the pivot's own axes: those where it stays are left out.
static bool put_translation(clip_export *c, uint32_t pivot, const sn_track *track)
{
    const sn_trs *base = &c->x->pivots[pivot].base;
    const sn_quat back = sni_quat_conjugate(base->rotation);
    float *values = sni_new_raw(c->scratch, float, 3ull * c->frames);
    double largest[3] = { 0, 0, 0 };
    if (!values) return false;
    for (uint32_t i = 0; i < c->frames; i++) {
        const float *v = track->values + (size_t)3 * i;
        const sn_vec3 moved = sni_quat_rotate(back, sni_sub(sni_vec3(v[0], v[1], v[2]), base->translation));
        const float axes[3] = { moved.x, moved.y, moved.z };
        for (int a = 0; a < 3; a++) {
            values[(size_t)a * c->frames + i] = axes[a];
            largest[a] = fmax(largest[a], fabs((double)axes[a]));
        }
    }
    for (uint32_t a = 0; a < 3; a++)
        if (largest[a] > 1e-6 * c->size && !put_channel(c, pivot, W3D_X + a, 1, values + (size_t)a * c->frames))
            return false;
    return true;
}

static bool put_rotation(clip_export *c, uint32_t pivot, const sn_track *track)
{
    const sn_quat back = sni_quat_conjugate(c->x->pivots[pivot].base.rotation);
    sn_quat *values = sni_new_raw(c->scratch, sn_quat, c->frames);
    if (!values) return false;
    for (uint32_t i = 0; i < c->frames; i++) {
        const float *q = track->values + (size_t)4 * i;
        values[i] = sni_quat_unit(sni_quat_mul(back, sni_quat(q[0], q[1], q[2], q[3])));
    }
    if (values[0].w < 0.0f)  // the identity is 0,0,0,1
        for (uint32_t i = 0; i < c->frames; i++)
            values[i] = sni_quat(-values[i].x, -values[i].y, -values[i].z, -values[i].w);
    return put_channel(c, pivot, W3D_QUATERNION, 4, &values->x);
}

static bool put_visibility(clip_export *c, uint32_t pivot, const sn_track *track)
{
    const bool is_raw = c->x->animation == SN_W3D_RAW;
    w3d_channel channel = { .kind = is_raw ? W3D_RAW_BITS : W3D_TIMECODED_BITS, .pivot = pivot, .fallback = 1 };
    w3d_keys keys = { .count = c->frames,
                      .values = sni_new_raw(c->scratch, float, c->frames),
                      .frames = sni_new_raw(c->scratch, uint32_t, c->frames) };
    if (!keys.values || !keys.frames) return false;
    memcpy(keys.values, track->values, c->frames * sizeof *keys.values);
    if (!is_raw) {
        keys.count = 0;
        for (uint32_t i = 0; i < c->frames; i++) {
            if (i > 0 && (track->values[i] > 0.0f) == (track->values[i - 1] > 0.0f)) continue;
            keys.frames[keys.count] = i;
            keys.values[keys.count++] = track->values[i];
        }
    }
    w3d_put_channel(c->tree, &channel, &keys);
    return true;
}

static bool put_fade(clip_export *c, uint32_t pivot, const sn_track *track)
{
    float *values = sni_new_raw(c->scratch, float, c->frames);
    if (!values) return false;
    memcpy(values, track->values, c->frames * sizeof *values);
    return put_channel(c, pivot, W3D_FADE, 1, values);
}

static void put_header(const clip_export *c, const char *name, uint32_t rate)
{
    const bool is_raw = c->x->animation == SN_W3D_RAW;
    w3d_open_chunk(c->tree, is_raw ? W3D_ANIMATION_HEADER : W3D_COMPRESSED_HEADER);
    w3d_put_u32(c->tree, is_raw ? RAW_VERSION : COMPRESSED_VERSION);
    w3d_put_name(c->tree, name, W3D_NAME_BYTES);
    w3d_put_name(c->tree, c->x->hierarchy, W3D_NAME_BYTES);
    w3d_put_u32(c->tree, c->frames);
    if (is_raw) w3d_put_u32(c->tree, rate);
    else w3d_put_u16(c->tree, (uint16_t)rate);
    if (!is_raw) w3d_put_u16(c->tree, c->x->animation == SN_W3D_ADAPTIVE ? FLAVOR_ADAPTIVE : FLAVOR_TIMECODED);
    w3d_close_chunk(c->tree);
}

// Parts on one pivot show and hide alike.
static bool put_parts(clip_export *c)
{
    const sn_model *model = c->x->model;
    bool *is_done = sni_new(c->scratch, bool, c->x->pivot_count);
    if (!is_done) return false;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const w3d_out_part *part = &c->x->parts[i];
        if (part->is_skin || part->is_hidden || part->signature == 0 || is_done[part->pivot]) continue;
        is_done[part->pivot] = true;
        if (c->shown[i] && !put_visibility(c, part->pivot, c->shown[i])) return false;
        if (c->x->is_bfme && c->alphas[i] && !put_fade(c, part->pivot, c->alphas[i])) return false;
    }
    return true;
}

static bool put_clip(clip_export *c, uint32_t clip, const char *name)
{
    const w3d_exporter *x = c->x;
    w3d_open_chunk(c->tree, x->animation == SN_W3D_RAW ? W3D_ANIMATION : W3D_COMPRESSED);
    put_header(c, name, x->save->clip_frames[clip].rate);
    for (uint32_t i = 1; i < x->pivot_count; i++) {
        const int32_t node = x->pivots[i].node;
        if (node >= 0 && c->moves[node] && !put_translation(c, i, c->moves[node])) return false;
        if (node >= 0 && c->turns[node] && !put_rotation(c, i, c->turns[node])) return false;
    }
    if (!put_parts(c)) return false;
    w3d_close_chunk(c->tree);
    return true;
}

bool w3d_export_clip(w3d_exporter *x, w3d_tree *tree, uint32_t clip, const char *name)
{
    sni_arena scratch;
    sni_arena_init(&scratch, &x->save->heap);
    clip_export c = { .x = x, .scratch = &scratch, .tree = tree, .frames = x->save->clip_frames[clip].count };
    c.jumps = x->save->clip_frames[clip].jumps;
    c.size = x->save->clip_bounds[0].radius > 0.0f ? 2.0 * x->save->clip_bounds[0].radius : 1.0;
    const bool is_put = sort_tracks(&c, &x->model->clips[clip]) && put_clip(&c, clip, name);
    sni_enter_named(&x->save->diag, "clips", clip, x->model->clips[clip].name);
    sni_enter(&x->save->diag, "jumps", -1);
    sni_warn_many(&x->save->diag, SNI_WARN_RESAMPLED, c.lost_jumps, 0,
                  "jumps of bones became ways of one frame; --w3d-animation timecoded keeps them");
    sni_leave(&x->save->diag);
    sni_enter(&x->save->diag, "channels", -1);
    if (c.adaptive_error[0] > 1e-6 * c.size || c.adaptive_error[1] > 1e-6f)
        sni_warn(&x->save->diag, SNI_WARN_RESAMPLED, 0,
                 "differences between frames have 4 bits: bones are off by up to %.3g and %.3g rad",
                 (double)c.adaptive_error[0], 2.0 * (double)c.adaptive_error[1]);
    sni_leave(&x->save->diag);
    sni_leave(&x->save->diag);
    sni_arena_free(&scratch);
    return is_put;
}
