// Clips to animations: channels relative to the base pose, for pivots that leave it.
#include <math.h>

#include "base/math.h"
#include "format/w3d/w3d_export.h"
#include "model/track.h"

// Encoding of channels of every kind: the inverse of w3d_decode_channel

enum { BLOCK = 16, MAX_FRAME = 0xFFFF, SLACK_BYTES = 3, UNIT_STEP = 16 };  // w3d_delta_table[UNIT_STEP] is 1
static const uint32_t TOP_BIT = 0x80000000u;

static void put_raw(w3d_tree *tree, const w3d_channel *channel, const w3d_keys *keys)
{
    uint32_t last = keys->first_frame + keys->count - 1;
    bool is_bits = channel->kind == W3D_RAW_BITS;
    if (keys->count == 0 || keys->count > MAX_FRAME + 1 || last > MAX_FRAME) tree->out->failed = true;
    w3d_put_u16(tree, (uint16_t)keys->first_frame);
    w3d_put_u16(tree, (uint16_t)last);
    if (!is_bits) w3d_put_u16(tree, (uint16_t)channel->width);
    w3d_put_u16(tree, (uint16_t)channel->type);
    w3d_put_u16(tree, (uint16_t)channel->pivot);
    if (is_bits) {
        w3d_put_u8(tree, channel->fallback);
        for (uint32_t i = 0; i < keys->count; i += 8) {
            uint32_t byte = 0;
            for (uint32_t k = i; k < i + 8 && k < keys->count; k++)
                byte |= (uint32_t)(keys->values[k] != 0.0f) << (k - i);
            w3d_put_u8(tree, (uint8_t)byte);
        }
    } else {
        w3d_put_u16(tree, 0);
        w3d_put_floats(tree, keys->values, (size_t)keys->count * channel->width);
    }
}

static void put_timecoded(w3d_tree *tree, const w3d_channel *channel, const w3d_keys *keys)
{
    bool is_bits = channel->kind == W3D_TIMECODED_BITS;
    w3d_put_u32(tree, keys->count);
    w3d_put_u16(tree, (uint16_t)channel->pivot);
    w3d_put_u8(tree, (uint8_t)(is_bits ? channel->type : channel->width));
    w3d_put_u8(tree, is_bits ? channel->fallback : (uint8_t)channel->type);
    for (uint32_t i = 0; i < keys->count; i++) {
        bool has_top_bit = is_bits ? keys->values[i] != 0.0f : keys->is_jump && keys->is_jump[i];
        w3d_put_u32(tree, (keys->frames[i] & ~TOP_BIT) | (has_top_bit ? TOP_BIT : 0));
        if (!is_bits) w3d_put_floats(tree, keys->values + (size_t)i * channel->width, channel->width);
    }
}

static void put_motion_header(w3d_tree *tree, const w3d_channel *channel, const w3d_keys *keys)
{
    if (keys->count > MAX_FRAME) tree->out->failed = true;
    w3d_put_u8(tree, 0);
    w3d_put_u8(tree, (uint8_t)(channel->kind - W3D_MOTION_TIMECODED));
    w3d_put_u8(tree, (uint8_t)channel->width);
    w3d_put_u8(tree, (uint8_t)channel->type);
    w3d_put_u16(tree, (uint16_t)keys->count);
    w3d_put_u16(tree, (uint16_t)channel->pivot);
}

static void put_motion_timecoded(w3d_tree *tree, const w3d_channel *channel, const w3d_keys *keys)
{
    put_motion_header(tree, channel, keys);
    for (uint32_t i = 0; i < keys->count; i++) {
        if (keys->frames[i] > MAX_FRAME) tree->out->failed = true;
        w3d_put_u16(tree, (uint16_t)keys->frames[i]);
    }
    if (keys->count % 2) w3d_put_u16(tree, 0);
    w3d_put_floats(tree, keys->values, (size_t)keys->count * channel->width);
}

// Adaptive deltas

// Seven steps make the largest delta, so a delta plus the error left by the previous one always fits.
float w3d_adaptive_scale(const w3d_channel *channel, const w3d_keys *keys)
{
    float largest = 0.0f;
    for (size_t i = channel->width; i < (size_t)keys->count * channel->width; i++) {
        float delta = fabsf(keys->values[i] - keys->values[i - channel->width]);
        if (delta > largest) largest = delta;
    }
    return largest / 7.0f;
}

float w3d_adaptive_error(const w3d_channel *channel, float scale)
{
    return channel->kind == W3D_MOTION_ADAPTIVE8 ? scale / 32.0f : scale / 2.0f;
}

typedef struct adaptive {
    const w3d_channel *channel;
    const w3d_keys *keys;
    float scale;
    int units, min, max;  // deltas are counted in 1/units of a step
    float last[4];        // value of each component that a decoder has so far
} adaptive;

// One component over one block.
typedef struct delta_packet {
    uint8_t table_index;
    int8_t deltas[BLOCK];
    float error, last;
} delta_packet;

static int nearest_delta(const adaptive *a, float wanted, float step)
{
    if (step == 0.0f) return 0;
    float units = wanted / step * (float)a->units;
    if (units >= (float)a->max) return a->max;
    if (!(units > (float)a->min)) return a->min;
    return (int)(units < 0.0f ? units - 0.5f : units + 0.5f);
}

static delta_packet make_packet(const adaptive *a, uint32_t block, uint32_t v, uint32_t table_index)
{
    delta_packet result = { .table_index = (uint8_t)table_index, .last = a->last[v] };
    float step = w3d_delta_table[table_index] * a->scale;
    for (uint32_t i = 0; i < BLOCK && block * BLOCK + i + 1 < a->keys->count; i++) {
        float wanted = a->keys->values[(size_t)(block * BLOCK + i + 1) * a->channel->width + v];
        int delta = nearest_delta(a, wanted - result.last, step);
        result.deltas[i] = (int8_t)delta;
        result.last += (float)delta / (float)a->units * step;
        float error = fabsf(wanted - result.last);
        if (!(error <= result.error)) result.error = error;  // not a number where the step overflows
    }
    return result;
}

// Tries every step size and keeps the one with the smallest maximum error; of equals the unit step, then the first.
static delta_packet find_packet(const adaptive *a, uint32_t block, uint32_t v)
{
    delta_packet best = make_packet(a, block, v, UNIT_STEP);
    for (uint32_t k = 0; k < 256; k++) {
        delta_packet other = make_packet(a, block, v, k);
        if (other.error < best.error) best = other;
    }
    return best;
}

static void put_packets(w3d_tree *tree, const w3d_channel *channel, const w3d_keys *keys)
{
    bool is_wide = channel->kind == W3D_MOTION_ADAPTIVE8;
    adaptive a = { .channel = channel,
                   .keys = keys,
                   .scale = w3d_adaptive_scale(channel, keys),
                   .units = is_wide ? 16 : 1,
                   .min = is_wide ? -128 : -8,
                   .max = is_wide ? 127 : 7 };
    if (keys->count == 0 || channel->width > 4) tree->out->failed = true;
    if (tree->out->failed) return;
    w3d_put_f32(tree, a.scale);
    w3d_put_floats(tree, keys->values, channel->width);
    memcpy(a.last, keys->values, channel->width * sizeof *a.last);
    for (uint32_t block = 0; block < (keys->count + BLOCK - 1) / BLOCK; block++) {
        for (uint32_t v = 0; v < channel->width; v++) {
            delta_packet packet = find_packet(&a, block, v);
            tree->has_overflow |= !isfinite(packet.error);
            a.last[v] = packet.last;
            w3d_put_u8(tree, packet.table_index);
            for (int i = 0; is_wide && i < BLOCK; i++) w3d_put_u8(tree, (uint8_t)(packet.deltas[i] + 128));
            for (int i = 0; !is_wide && i < BLOCK; i += 2)
                w3d_put_u8(tree, (uint8_t)((packet.deltas[i] & 15) | (packet.deltas[i + 1] & 15) << 4));
        }
    }
}

static void put_adaptive(w3d_tree *tree, const w3d_channel *channel, const w3d_keys *keys)
{
    static const uint8_t slack[SLACK_BYTES] = { 0 };
    if (channel->kind != W3D_ADAPTIVE4) {
        put_motion_header(tree, channel, keys);
        put_packets(tree, channel, keys);
        return;
    }
    w3d_put_u32(tree, keys->count);
    w3d_put_u16(tree, (uint16_t)channel->pivot);
    w3d_put_u8(tree, (uint8_t)channel->width);
    w3d_put_u8(tree, (uint8_t)channel->type);
    put_packets(tree, channel, keys);
    w3d_put(tree, slack, sizeof slack);  // as the games' exporter does
}

static uint32_t channel_chunk_id(w3d_channel_kind kind)
{
    switch (kind) {
    case W3D_RAW: return W3D_CHANNEL;
    case W3D_RAW_BITS: return W3D_BIT_CHANNEL;
    case W3D_TIMECODED:
    case W3D_ADAPTIVE4: return W3D_COMPRESSED_CHANNEL;
    case W3D_TIMECODED_BITS: return W3D_COMPRESSED_BITS;
    default: return W3D_MOTION_CHANNEL;
    }
}

void w3d_put_channel(w3d_tree *tree, const w3d_channel *channel, const w3d_keys *keys)
{
    w3d_open_chunk(tree, channel_chunk_id(channel->kind));
    switch (channel->kind) {
    case W3D_RAW:
    case W3D_RAW_BITS: put_raw(tree, channel, keys); break;
    case W3D_TIMECODED:
    case W3D_TIMECODED_BITS: put_timecoded(tree, channel, keys); break;
    case W3D_MOTION_TIMECODED: put_motion_timecoded(tree, channel, keys); break;
    default: put_adaptive(tree, channel, keys);
    }
    w3d_close_chunk(tree);
}

// Clips

enum { RAW_VERSION = 0x40001, COMPRESSED_VERSION = 1, FLAVOR_TIMECODED = 0, FLAVOR_ADAPTIVE = 1 };

// The tracks of one clip.
typedef struct clip_export {
    w3d_exporter *x;
    sni_arena *scratch;
    w3d_tree *tree;
    sn_w3d_animation animation;
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
    const w3d_channel channel = { .kind = kinds[c->animation], .pivot = pivot, .type = type, .width = width };
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
            largest[a] = sni_max(largest[a], fabs((double)axes[a]));
        }
    }
    // Games and sinew turn and add them again, with other rounding.
    const double far = fmax(fmax(largest[0], largest[1]), largest[2]);
    c->tree->has_overflow |= !(far + sni_length(base->translation) < FLT_MAX / 16);
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
    const bool is_raw = c->animation == SN_W3D_RAW;
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
    const bool is_raw = c->animation == SN_W3D_RAW;
    w3d_open_chunk(c->tree, is_raw ? W3D_ANIMATION_HEADER : W3D_COMPRESSED_HEADER);
    w3d_put_u32(c->tree, is_raw ? RAW_VERSION : COMPRESSED_VERSION);
    w3d_put_name(c->tree, name, W3D_NAME_BYTES);
    w3d_put_name(c->tree, c->x->hierarchy, W3D_NAME_BYTES);
    w3d_put_u32(c->tree, c->frames);
    if (is_raw) w3d_put_u32(c->tree, rate);
    else w3d_put_u16(c->tree, (uint16_t)rate);
    if (!is_raw) w3d_put_u16(c->tree, c->animation == SN_W3D_ADAPTIVE ? FLAVOR_ADAPTIVE : FLAVOR_TIMECODED);
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
    w3d_open_chunk(c->tree, c->animation == SN_W3D_RAW ? W3D_ANIMATION : W3D_COMPRESSED);
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
    c.animation = x->save->opts ? x->save->opts->w3d_animation : SN_W3D_RAW;
    c.jumps = x->save->clip_frames[clip].jumps;
    c.size = x->save->clip_bounds[0].radius > 0.0f ? 2.0 * x->save->clip_bounds[0].radius : 1.0;
    const bool is_put = sort_tracks(&c, &x->model->clips[clip]) && put_clip(&c, clip, name);
    sni_enter_named(&x->save->diag, "clips", clip, x->model->clips[clip].name);

    sni_warn_many(&x->save->diag, SNI_WARN_RESAMPLED, c.lost_jumps, 0,
                  "jumps of bones now take one frame; --w3d-animation timecoded keeps them instant");
    if (c.adaptive_error[0] > 1e-6 * c.size || c.adaptive_error[1] > 1e-6f)
        sni_warn(&x->save->diag, SNI_WARN_RESAMPLED, 0,
                 "compressed to 4 bits per value; bones are off by up to %.3g and %.3g rad",
                 (double)c.adaptive_error[0], 2.0 * (double)c.adaptive_error[1]);
    sni_leave(&x->save->diag);
    sni_arena_free(&scratch);
    return is_put;
}
