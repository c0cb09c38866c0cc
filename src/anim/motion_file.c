// Motions as files: docs/formats/motion.md has the layout. What follows from the rest of the file or from the model is
// not stored. Files are untrusted: nothing that passes the checks here makes a kernel read outside of its arrays or
// write a number that is not finite.
#include <math.h>
#include <string.h>

#include "anim/motion.h"
#include "base/reader.h"
#include "base/writer.h"
#include "model/check.h"

enum { VERSION = 2, IS_NLERP = 1, SAVES_MEMORY = 2, ENTRY_BYTES = 8, ALL_LANES = 255 };
static const char magic[4] = { 'S', 'N', 'M', 'O' };

_Static_assert(SNI_LERP == 0 && SNI_LERP_I16 == 11 && SNI_KIND_COUNT == 14, "kinds are stored: raise VERSION");

// The model

static uint64_t mix(uint64_t hash, uint32_t value)
{
    uint8_t bytes[4];
    sni_store_u32(bytes, value);
    return sni_motion_hash(hash, bytes, sizeof bytes);
}

// What a motion relies on. Names, rest poses and tracks may change without making its file useless.
static uint64_t hash_model(const sn_model *model)
{
    uint64_t hash = mix(14695981039346656037u, model->node_count);
    for (uint32_t i = 0; i < model->node_count; i++) {
        const sn_node *node = &model->nodes[i];
        hash = mix(mix(mix(hash, (uint32_t)node->parent), node->flags), node->matrix != NULL);
    }
    hash = mix(hash, model->part_count);
    for (uint32_t i = 0; i < model->part_count; i++)
        hash = mix(mix(hash, (uint32_t)model->parts[i].node), sni_morph_count(model, &model->parts[i]));
    hash = mix(hash, model->material_count);
    for (uint32_t i = 0; i < model->material_count; i++) hash = mix(hash, model->materials[i].layer_count);
    hash = mix(mix(mix(hash, model->light_count), model->camera_count), model->clip_count);
    for (uint32_t i = 0; i < model->clip_count; i++) {
        uint32_t duration;
        memcpy(&duration, &model->clips[i].duration, sizeof duration);
        hash = mix(mix(hash, duration), model->clips[i].loops);
    }
    return hash;
}

// Channels are numbered as in sni_place_channel.
static uint32_t place_of_channel(uint32_t channel) { return sni_channel_place(channel / 3, channel % 3); }
static bool is_rotation(uint32_t channel) { return channel % 3 == SN_CHANNEL_ROTATION; }
static uint32_t channel_floats(uint32_t channel) { return (is_rotation(channel) ? 4u : 3u) * SNI_LANES; }
static bool is_rotation_kind(uint32_t kind)
{
    return kind != SNI_LERP && kind != SNI_CUBIC && kind != SNI_STEP && kind != SNI_LERP_I16;
}

static uint32_t count_entries(const sni_timeline *line)
{
    uint32_t count = 0;
    for (uint32_t kind = 0; kind < SNI_KIND_COUNT; kind++) count += line->counts[kind];
    return count;
}

// Values, of motions that are loaded and of those that are saved

// Sums of a few such numbers are finite; for rotations even the square of such a sum, times a few hundred.
static const double most_value = 1e37, most_rotation = 1e9;

static bool are_within(const float *values, uint32_t count, uint32_t stride, double most)
{
    for (uint32_t i = 0; i < count; i++)
        if (!(fabs((double)values[(size_t)i * stride]) <= most)) return false;
    return true;
}

// Slerps do not normalise, so their keys must be of unit length, as far as sn_model_check asks for it.
static bool is_unit(const float *q, uint32_t stride, double tolerance)
{
    double square = 0.0;
    for (uint32_t i = 0; i < 4; i++) square += (double)q[(size_t)i * stride] * q[(size_t)i * stride];
    return fabs(square - 1.0) <= tolerance;
}

static double cosine(const float *a, const float *b, uint32_t stride)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < 4; i++) sum += (double)a[(size_t)i * stride] * b[(size_t)i * stride];
    return sum;
}

// One key of one node: `stride` floats lie between its rows. `before` is the key from which it is reached by
// interpolation, or NULL.
static bool is_good_key(uint32_t kind, const float *key, const float *before, uint32_t stride)
{
    const double unit_tolerance = 3e-4, cosine_tolerance = 1e-3;
    double most_turn = 1.0;  // 1 - cosine
    switch (kind) {
    case SNI_LERP:
    case SNI_STEP:
    case SNI_CUBIC: return are_within(key, sni_kind_rows(kind), stride, most_value);
    case SNI_CUBIC_ROTATION: return are_within(key, sni_kind_rows(kind), stride, most_rotation);
    case SNI_SQUAD:
        return is_unit(key, stride, unit_tolerance) && is_unit(key + (size_t)4 * stride, stride, unit_tolerance) &&
               are_within(key + (size_t)8 * stride, 8, stride, most_rotation) &&
               are_within(key + (size_t)16 * stride, 2, stride, 2.0);
    case SNI_STEP_ROTATION: return is_unit(key, stride, unit_tolerance);
    case SNI_SLERP_2:
    case SNI_NLERP_2: most_turn = sni_slerp_limits[0]; break;
    case SNI_SLERP_4: most_turn = sni_slerp_limits[1]; break;
    default: break;
    }
    if (!is_unit(key, stride, unit_tolerance)) return false;
    return !before || cosine(before, key, stride) >= 1.0 - most_turn - cosine_tolerance;
}

static bool is_good_rotation_i16(const int16_t *key, const int16_t *before, uint32_t stride)
{
    const double tolerance = 1e-2;
    float values[2][4];
    for (uint32_t i = 0; i < 4; i++) {
        values[0][i] = (float)key[i * stride] / 32767.0f;
        values[1][i] = before ? (float)before[i * stride] / 32767.0f : 0.0f;
    }
    if (!is_unit(values[0], 1, tolerance)) return false;
    return !before || cosine(values[1], values[0], 1) >= -tolerance;
}

static bool is_good_entry(uint32_t kind, const uint8_t *frame, const uint8_t *before)
{
    if (kind == SNI_LERP_I16) return true;  // its ranges bound it
    for (uint32_t lane = 0; lane < SNI_LANES; lane++) {
        size_t at = lane * (kind > SNI_LERP_I16 ? sizeof(int16_t) : sizeof(float));
        const void *key = frame + at, *key_before = before ? before + at : NULL;
        if (kind > SNI_LERP_I16 ? !is_good_rotation_i16(key, key_before, SNI_LANES)
                                : !is_good_key(kind, key, key_before, SNI_LANES))
            return false;
    }
    return true;
}

static bool check_range(sni_diag *diag, sn_status status, const float *range)
{
    bool is_good = are_within(range, SNI_RANGE_FLOATS / 2, 1, most_value / 32768.0) &&
                   are_within(range + SNI_RANGE_FLOATS / 2, SNI_RANGE_FLOATS / 2, 1, most_value);
    return is_good || sni_fail(diag, status, 0, "a range of 16-bit values is too large");
}

static bool check_frames(sni_diag *diag, sn_status status, const sni_timeline *line)
{
    for (uint32_t i = 0; i < line->counts[SNI_LERP_I16]; i++)
        if (!check_range(diag, status, line->ranges + (size_t)i * SNI_RANGE_FLOATS)) return false;
    for (uint32_t f = 0; f < line->frame_count; f++) {
        const uint8_t *at = line->frames + (size_t)f * line->frame_size;
        bool is_reached = f > 0 && line->times[f] > line->times[f - 1];
        for (uint32_t kind = 0; kind < SNI_KIND_COUNT; kind++)
            for (uint32_t i = 0; i < line->counts[kind]; i++, at += sni_kind_bytes(kind))
                if (!is_good_entry(kind, at, is_reached ? at - line->frame_size : NULL))
                    return sni_fail(diag, status, 0, "frame %u has a value of kind %u that is out of range", f, kind);
    }
    return true;
}

// One lane of a lane entry.
static bool check_lane(sni_diag *diag, sn_status status, const sni_lane_entry *entry, const sni_lane *lane)
{
    uint32_t bytes = sni_lane_bytes(entry->kind);
    for (uint32_t i = 0; i < lane->key_count && entry->kind != SNI_LERP_I16; i++) {
        const void *key = (const uint8_t *)lane->values + (size_t)i * bytes, *before = NULL;
        if (i > 0 && lane->times[i] > lane->times[i - 1]) before = (const uint8_t *)key - bytes;
        if (entry->kind > SNI_LERP_I16 ? !is_good_rotation_i16(key, before, 1)
                                       : !is_good_key(entry->kind, key, before, 1))
            return sni_fail(diag, status, 0, "key %u has a value of kind %u that is out of range", i, entry->kind);
    }
    return true;
}

static bool check_constant(sni_diag *diag, sn_status status, uint32_t channel, const float *values)
{
    bool is_good = are_within(values, channel_floats(channel), 1, most_value);
    for (uint32_t lane = 0; lane < SNI_LANES && is_good && is_rotation(channel); lane++)
        is_good = is_good_key(SNI_SLERP_8, values + lane, NULL, SNI_LANES);
    return is_good || sni_fail(diag, status, 0, "channel %u: a constant is out of range", channel);
}

// Writing

static void write_halves(sni_writer *out, const void *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint16_t half;
        memcpy(&half, (const uint8_t *)values + 2 * i, sizeof half);
        sni_write_u16(out, half);
    }
}

// A bit per node, a byte per block, then zeros up to a multiple of four bytes.
static void write_bits(sni_writer *out, const uint8_t *nodes, uint32_t count, uint8_t bit)
{
    for (uint32_t first = 0; first < count; first += SNI_LANES) {
        unsigned bits = 0;
        for (uint32_t i = 0; i < SNI_LANES && first + i < count; i++) bits |= (nodes[first + i] & bit ? 1u : 0u) << i;
        sni_write_u8(out, (uint8_t)bits);
    }
    sni_write_align(out, 4, 0);
}

// Bytes of a frame that are floats; what follows is of 16 bits.
static uint32_t float_bytes(const sni_timeline *line)
{
    uint32_t bytes = 0;
    for (uint32_t kind = 0; kind < SNI_LERP_I16; kind++) bytes += line->counts[kind] * sni_kind_bytes(kind);
    return bytes;
}

static void write_entry(sni_writer *out, uint32_t place, uint32_t kind, uint32_t lanes)
{
    sni_write_u32(out, sni_place_channel(place));
    sni_write_u8(out, (uint8_t)kind);
    sni_write_u8(out, (uint8_t)lanes);
    sni_write_u16(out, 0);
}

static bool write_timeline(const sni_timeline *line, sni_writer *out, sni_diag *diag)
{
    if (!check_frames(diag, SN_ERR_INVALID, line)) return false;
    sni_write_f32(out, line->period);
    sni_write_u32(out, line->is_overlay);
    sni_write_u32(out, line->frame_count);
    sni_write_u32(out, count_entries(line));
    for (uint32_t kind = 0, at = 0; kind < SNI_KIND_COUNT; kind++)
        for (uint32_t i = 0; i < line->counts[kind]; i++, at++)
            write_entry(out, line->places[at], kind, line->is_overlay ? line->lanes[at] : ALL_LANES);
    sni_write_words(out, line->ranges, (size_t)line->counts[SNI_LERP_I16] * SNI_RANGE_FLOATS);
    sni_write_words(out, line->times, line->frame_count);
    uint32_t floats = float_bytes(line);
    for (uint32_t f = 0; f < line->frame_count; f++) {
        const uint8_t *frame = line->frames + (size_t)f * line->frame_size;
        sni_write_words(out, frame, floats / 4);
        write_halves(out, frame + floats, (line->frame_size - floats) / 2);
    }
    return true;
}

static bool write_lane_entry(const sni_lane_entry *entry, sni_writer *out, sni_diag *diag)
{
    write_entry(out, entry->place, entry->kind, entry->lanes);
    if (entry->kind == SNI_LERP_I16) {
        if (!check_range(diag, SN_ERR_INVALID, entry->ranges)) return false;
        sni_write_words(out, entry->ranges, SNI_RANGE_FLOATS);
    }
    for (uint32_t i = 0; i < SNI_LANES; i++) {
        const sni_lane *lane = &entry->tracks[i];
        if (!check_lane(diag, SN_ERR_INVALID, entry, lane)) return false;
        sni_write_f32(out, lane->period);
        sni_write_u32(out, lane->key_count);
        sni_write_words(out, lane->times, lane->key_count);
        const uint8_t *key = lane->values;
        for (uint32_t k = 0; k < lane->key_count; k++, key += sni_lane_bytes(entry->kind)) {
            if (entry->kind >= SNI_LERP_I16) write_halves(out, key, 4);
            else sni_write_words(out, key, sni_kind_rows(entry->kind));
        }
    }
    return true;
}

// Channels that are constant and not as in the rest pose.
static bool write_constants(const sn_motion *motion, const sni_motion_clip *clip, sni_writer *out, sni_diag *diag)
{
    size_t at = out->size;
    uint32_t count = 0;
    sni_write_u32(out, 0);
    for (uint32_t i = 0; i < clip->rest_count; i++) {
        uint32_t place = clip->rest_places[i], channel = sni_place_channel(place), floats = channel_floats(channel);
        const float *values = sni_trs8_floats(clip->rest) + place;
        if (memcmp(values, sni_trs8_floats(motion->rest.rest) + place, floats * sizeof *values) == 0) continue;
        if (!check_constant(diag, SN_ERR_INVALID, channel, values)) return false;
        sni_write_u32(out, channel);
        sni_write_words(out, values, floats);
        count++;
    }
    sni_patch_u32(out, at, count);
    return true;
}

static void write_track(const sn_track *track, sni_writer *out)
{
    sni_write_u8(out, track->target_kind);
    sni_write_u8(out, track->channel);
    sni_write_u8(out, track->interpolation);
    sni_write_u8(out, track->wrap);
    sni_write_u32(out, (uint32_t)track->target);
    sni_write_u32(out, (uint32_t)track->sub);
    sni_write_f32(out, track->period);
    sni_write_u32(out, track->width);
    sni_write_u32(out, track->key_count);
    sni_write_words(out, track->times, track->key_count);
    sni_write_words(out, track->values, (size_t)(track->key_count * sni_track_floats_per_key(track)));
}

static bool write_clip(const sn_motion *motion, const sni_motion_clip *clip, sni_writer *out, sni_diag *diag)
{
    sni_write_u32(out, clip->is_compiled);
    if (!clip->is_compiled) return true;
    write_bits(out, clip->node_flags, motion->model->node_count, SNI_NODE_REPLACED);
    if (!write_constants(motion, clip, out, diag)) return false;
    sni_write_u32(out, clip->timeline_count);
    for (uint32_t i = 0; i < clip->timeline_count; i++) {
        sni_enter(diag, "timelines", i);
        if (!write_timeline(&clip->timelines[i], out, diag)) return false;
        sni_leave(diag);
    }
    sni_write_u32(out, clip->lane_entry_count);
    for (uint32_t i = 0; i < clip->lane_entry_count; i++) {
        sni_enter(diag, "lane_entries", i);
        if (!write_lane_entry(&clip->lane_entries[i], out, diag)) return false;
        sni_leave(diag);
    }
    sni_write_u32(out, clip->other_count);
    for (uint32_t i = 0; i < clip->other_count; i++) write_track(&clip->others[i], out);
    return true;
}

bool sni_motion_write(const sn_motion *motion, sni_writer *out, sni_diag *diag)
{
    const sn_model *model = motion->model;
    uint64_t hash = hash_model(model);
    sni_write_bytes(out, magic, sizeof magic);
    sni_write_u32(out, VERSION);
    sni_write_u32(out, (uint32_t)hash);
    sni_write_u32(out, (uint32_t)(hash >> 32));
    sni_write_u32(out, model->node_count);
    sni_write_u32(out, model->clip_count);
    sni_write_u32(out, (motion->nlerp ? IS_NLERP : 0u) | (motion->saves_memory ? SAVES_MEMORY : 0u));
    sni_write_f32(out, motion->info.max_error);
    write_bits(out, motion->node_moves, model->node_count, 1);
    for (uint32_t i = 0; i < model->clip_count; i++) {
        sni_enter(diag, "clips", i);
        if (!write_clip(motion, &motion->clips[i], out, diag)) return false;
        sni_leave(diag);
    }
    return !out->failed;
}

// Reading

typedef struct loader {
    sni_reader in;
    sn_motion *motion;
    sni_arena scratch;
    // Per channel of the clip: whether an entry writes all of its lanes, and which lanes are written again.
    uint8_t *has_entry, *overlaid;
} loader;

#define fail(in, ...) sni_fail((in)->diag, SN_ERR_CORRUPT, sni_offset(in), __VA_ARGS__)

static void read_halves(sni_reader *in, void *out, size_t count)
{
    const uint8_t *at = sni_take(in, 2 * (uint64_t)count);
    for (size_t i = 0; at && i < count; i++) {
        uint16_t half = sni_load_u16(at + 2 * i);
        memcpy((uint8_t *)out + 2 * i, &half, sizeof half);
    }
}

static bool read_bits(sni_reader *in, uint8_t *nodes, uint32_t count, uint8_t bit)
{
    uint32_t blocks = sni_block_count(count), padded = blocks + (4 - blocks % 4) % 4;
    const uint8_t *at = sni_take(in, padded);
    if (!at) return false;
    for (uint64_t i = 0; i < (uint64_t)padded * SNI_LANES; i++) {
        if (!(at[i / SNI_LANES] >> i % SNI_LANES & 1)) continue;
        if (i >= count) return fail(in, "a bit for node %llu of %u", (unsigned long long)i, count);
        nodes[i] |= bit;
    }
    return true;
}

static bool read_channel(loader *l, uint32_t *channel)
{
    uint32_t count = l->motion->block_count * 3;
    *channel = sni_read_u32(&l->in);
    if (!sni_ok(&l->in)) return false;
    return *channel < count || fail(&l->in, "channel %u of %u", *channel, count);
}

// Each channel has one entry that writes all lanes; others may write some of its lanes again, each lane once.
static bool claim_lanes(loader *l, uint32_t channel, uint32_t lanes)
{
    if (lanes == ALL_LANES && !l->has_entry[channel]) {
        l->has_entry[channel] = 1;
        return true;
    }
    if (lanes == ALL_LANES || lanes == 0 || lanes & l->overlaid[channel])
        return fail(&l->in, "channel %u is written twice", channel);
    l->overlaid[channel] |= (uint8_t)lanes;
    return true;
}

// Channel, kind and lanes.
static bool read_entry(loader *l, uint32_t *place, uint32_t *kind, uint32_t *lanes)
{
    uint32_t channel;
    if (!read_channel(l, &channel)) return false;
    *kind = sni_read_u8(&l->in);
    *lanes = sni_read_u8(&l->in);
    uint32_t zero = sni_read_u16(&l->in);
    if (!sni_ok(&l->in)) return false;
    if (zero || *kind >= SNI_KIND_COUNT || is_rotation_kind(*kind) != is_rotation(channel))
        return fail(&l->in, "channel %u has kind %u", channel, *kind);
    *place = place_of_channel(channel);
    return claim_lanes(l, channel, *lanes);
}

static bool read_entries(loader *l, sni_timeline *line, uint32_t count)
{
    sni_reader *in = &l->in;
    uint32_t *places = sni_new_raw(&l->motion->arena, uint32_t, count), last = 0;
    uint8_t *lanes = sni_new_raw(&l->motion->arena, uint8_t, line->is_overlay ? count : 0);
    uint64_t frame_size = 0;
    if (!places || !lanes) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t kind, written;
        if (!read_entry(l, &places[i], &kind, &written)) return false;
        if (kind < last) return fail(in, "kind %u after %u", kind, last);
        if (line->is_overlay == (written == ALL_LANES)) return fail(in, "entry %u writes lanes %u", i, written);
        if (line->is_overlay) lanes[i] = (uint8_t)written;
        line->counts[kind]++;
        frame_size += sni_kind_bytes(kind);
        last = kind;
    }
    if (frame_size > UINT32_MAX) return fail(in, "frames of %llu bytes", (unsigned long long)frame_size);
    line->frame_size = (uint32_t)frame_size;
    line->places = places;
    line->lanes = line->is_overlay ? lanes : NULL;
    return true;
}

// Times rise from 0 to the end; two that are equal are a jump. A single one is of what does not move.
static bool read_times(sni_reader *in, float *times, uint32_t count, float end)
{
    sni_read_words(in, times, count);
    if (!sni_ok(in)) return false;
    for (uint32_t i = 0; i < count; i++) {
        bool is_good = i == 0 ? times[i] == 0.0f : times[i] >= times[i - 1] && (i == 1 || times[i] > times[i - 2]);
        if (!is_good || (i > 0 && i + 1 == count && times[i] != end))
            return fail(in, "time %u is %g of %g s", i, (double)times[i], (double)end);
    }
    return true;
}

static bool read_period(sni_reader *in, float *period)
{
    *period = sni_read_f32(in);
    return (*period >= 0.0f && isfinite(*period)) || fail(in, "period %g s", (double)*period);
}

static bool read_frames(loader *l, sni_timeline *line)
{
    sni_reader *in = &l->in;
    sn_motion *motion = l->motion;
    uint64_t range_floats = (uint64_t)line->counts[SNI_LERP_I16] * SNI_RANGE_FLOATS;
    uint64_t frame_bytes = (uint64_t)line->frame_count * line->frame_size;
    if (!sni_has_items(in, range_floats, sizeof(float)) ||
        !sni_has_items(in, line->frame_count, (size_t)line->frame_size + sizeof(float)))
        return false;
    float *ranges = sni_new_raw(&motion->arena, float, range_floats);
    float *times = sni_motion_alloc_times(motion, line->frame_count);
    uint8_t *frames = sni_motion_alloc(motion, frame_bytes);
    if (!ranges || !times || !frames) return false;
    sni_read_words(in, ranges, (size_t)range_floats);
    if (!read_times(in, times, line->frame_count, line->end)) return false;
    uint32_t floats = float_bytes(line);
    for (uint32_t f = 0; f < line->frame_count; f++) {
        uint8_t *frame = frames + (size_t)f * line->frame_size;
        sni_read_words(in, frame, floats / 4);
        read_halves(in, frame + floats, (line->frame_size - floats) / 2);
    }
    line->ranges = range_floats ? ranges : NULL;
    line->times = times;
    line->frames = frames;
    motion->info.bytes += frame_bytes + range_floats * sizeof(float);
    return sni_ok(in);
}

static bool read_timeline(loader *l, const sni_motion_clip *clip, bool after_overlay, sni_timeline *line)
{
    sni_reader *in = &l->in;
    *line = (sni_timeline){ 0 };
    if (!read_period(in, &line->period)) return false;
    uint32_t is_overlay = sni_read_u32(in);
    line->frame_count = sni_read_u32(in);
    uint32_t entry_count = sni_read_count(in, ENTRY_BYTES);
    if (!sni_ok(in)) return false;
    if (is_overlay > 1 || (is_overlay == 0 && after_overlay)) return fail(in, "overlay is %u", is_overlay);
    if (line->frame_count == 0 || entry_count == 0)
        return fail(in, "%u frames of %u entries", line->frame_count, entry_count);
    line->is_overlay = is_overlay;
    line->end = line->period > 0.0f ? line->period : clip->duration;
    if (!read_entries(l, line, entry_count) || !read_frames(l, line)) return false;
    l->motion->info.bytes += (uint64_t)entry_count * (sizeof *line->places + (line->is_overlay ? 1 : 0));
    return check_frames(in->diag, SN_ERR_CORRUPT, line) && sni_motion_finish_timeline(l->motion, line);
}

static bool read_timelines(loader *l, sni_motion_clip *clip)
{
    const size_t least_bytes = 16 + ENTRY_BYTES + sizeof(float);
    uint32_t count = sni_read_count(&l->in, least_bytes);
    sni_timeline *lines = sni_new_raw(&l->motion->arena, sni_timeline, count);
    if (!lines || !sni_ok(&l->in)) return false;
    for (uint32_t i = 0; i < count; i++) {
        sni_enter(l->in.diag, "timelines", i);
        if (!read_timeline(l, clip, i > 0 && lines[i - 1].is_overlay, &lines[i])) return false;
        sni_leave(l->in.diag);
    }
    clip->timelines = lines;
    clip->timeline_count = count;
    return true;
}

static bool read_lane(loader *l, const sni_motion_clip *clip, sni_lane_entry *entry, sni_lane *lane)
{
    sni_reader *in = &l->in;
    uint32_t rows = sni_kind_rows(entry->kind), bytes = sni_lane_bytes(entry->kind);
    bool is_i16 = entry->kind >= SNI_LERP_I16;
    float period;
    if (!read_period(in, &period)) return false;
    uint32_t count = sni_read_count(in, sizeof(float) + (is_i16 ? bytes : rows * sizeof(float)));
    if (!sni_ok(in) || count == 0) return fail(in, "a lane has no keys");
    float *times = sni_new_raw(&l->scratch, float, count);
    if (!times || !read_times(in, times, count, period > 0.0f ? period : clip->duration)) return false;
    uint8_t *key = sni_motion_start_lane(l->motion, lane, entry->kind, times, count);
    if (!key) return false;
    lane->period = period;
    if (period > 0.0f) entry->has_periods = true;
    for (uint32_t i = 0; i < count; i++, key += bytes) {
        if (is_i16) read_halves(in, key, 4);
        else sni_read_words(in, key, rows);
    }
    memcpy(key, key - bytes, bytes);
    return sni_ok(in) && check_lane(in->diag, SN_ERR_CORRUPT, entry, lane);
}

static bool read_lane_entry(loader *l, const sni_motion_clip *clip, sni_lane_entry *entry)
{
    uint32_t kind, lanes;
    if (!read_entry(l, &entry->place, &kind, &lanes)) return false;
    entry->kind = (uint8_t)kind;
    entry->lanes = (uint8_t)lanes;
    if (kind == SNI_LERP_I16) {
        float *ranges = sni_new_raw(&l->motion->arena, float, SNI_RANGE_FLOATS);
        if (!ranges) return false;
        sni_read_words(&l->in, ranges, SNI_RANGE_FLOATS);
        if (!sni_ok(&l->in) || !check_range(l->in.diag, SN_ERR_CORRUPT, ranges)) return false;
        entry->ranges = ranges;
        l->motion->info.bytes += SNI_RANGE_FLOATS * sizeof *ranges;
    }
    for (uint32_t i = 0; i < SNI_LANES; i++)
        if (!read_lane(l, clip, entry, &entry->tracks[i])) return false;
    l->motion->info.bytes += sizeof *entry;
    return true;
}

static bool read_lane_entries(loader *l, sni_motion_clip *clip)
{
    const size_t least_bytes = ENTRY_BYTES + SNI_LANES * (8 + sizeof(float) + 8);
    uint32_t count = sni_read_count(&l->in, least_bytes);
    sni_lane_entry *entries = sni_new(&l->motion->arena, sni_lane_entry, count);
    if (!entries || !sni_ok(&l->in)) return false;
    for (uint32_t i = 0; i < count; i++) {
        sni_enter(l->in.diag, "lane_entries", i);
        if (!read_lane_entry(l, clip, &entries[i])) return false;
        if (i > 0 && entries[i].lanes == ALL_LANES && entries[i - 1].lanes != ALL_LANES)
            return fail(&l->in, "an entry of all lanes after one of some");
        sni_leave(l->in.diag);
    }
    clip->lane_entries = entries;
    clip->lane_entry_count = count;
    return true;
}

static bool read_constants(loader *l, sni_trs8 *rest)
{
    sni_reader *in = &l->in;
    uint32_t count = sni_read_count(in, sizeof(uint32_t) + 3 * SNI_LANES * sizeof(float)), channel, next = 0;
    for (uint32_t i = 0; i < count; i++, next = channel + 1) {
        if (!read_channel(l, &channel)) return false;
        if (channel < next) return fail(in, "the constant of channel %u is not in order", channel);
        float *values = sni_trs8_floats(rest) + place_of_channel(channel);
        sni_read_words(in, values, channel_floats(channel));
        if (!sni_ok(in) || !check_constant(in->diag, SN_ERR_CORRUPT, channel, values)) return false;
    }
    return sni_ok(in);
}

static bool read_track(loader *l, sn_track *track)
{
    sni_reader *in = &l->in;
    sn_error error;
    *track = (sn_track){ .target_kind = sni_read_u8(in) };
    track->channel = sni_read_u8(in);
    track->interpolation = sni_read_u8(in);
    track->wrap = sni_read_u8(in);
    track->target = sni_read_i32(in);
    track->sub = sni_read_i32(in);
    track->period = sni_read_f32(in);
    track->width = sni_read_u32(in);
    track->key_count = sni_read_u32(in);
    uint64_t floats = sni_track_floats_per_key(track), key_bytes = (floats + 1) * sizeof(float);
    if (!sni_has_items(in, track->key_count, key_bytes < SIZE_MAX ? (size_t)key_bytes : SIZE_MAX)) return false;
    float *times = sni_new_raw(&l->motion->arena, float, track->key_count);
    float *values = sni_new_raw(&l->motion->arena, float, track->key_count *floats);
    if (!times || !values) return false;
    sni_read_words(in, times, track->key_count);
    sni_read_words(in, values, (size_t)(track->key_count * floats));
    track->times = times;
    track->values = values;
    if (sni_track_is_local(track)) return fail(in, "channel %u of a node is not compiled", track->channel);
    if (!sni_track_check(l->motion->model, track, &error)) return fail(in, "%s", error.message);
    l->motion->info.bytes += track->key_count * key_bytes;
    return true;
}

static bool read_others(loader *l, sni_motion_clip *clip)
{
    const size_t least_bytes = 24 + 2 * sizeof(float);
    uint32_t count = sni_read_count(&l->in, least_bytes);
    sn_track *tracks = sni_new_raw(&l->motion->arena, sn_track, count);
    if (!tracks || !sni_ok(&l->in)) return false;
    for (uint32_t i = 0; i < count; i++) {
        sni_enter(l->in.diag, "tracks", i);
        if (!read_track(l, &tracks[i])) return false;
        sni_leave(l->in.diag);
        bool is_visibility = tracks[i].target_kind == SN_TARGET_NODE && tracks[i].channel == SN_CHANNEL_VISIBILITY;
        if (is_visibility) clip->has_visibility = true;
        else clip->has_others = true;
    }
    clip->others = tracks;
    clip->other_count = count;
    return true;
}

// Whatever writes only some lanes of a channel needs an entry that writes all.
static bool check_overlays(loader *l)
{
    for (uint32_t i = 0; i < l->motion->block_count * 3; i++)
        if (l->overlaid[i] && !l->has_entry[i]) return fail(&l->in, "channel %u has only overlays", i);
    return true;
}

static bool read_clip(loader *l, const sn_clip *of_model, sni_motion_clip *clip)
{
    sni_reader *in = &l->in;
    sn_motion *motion = l->motion;
    uint32_t is_compiled = sni_read_u32(in), channel_count = motion->block_count * 3;
    size_t node_count = (size_t)motion->block_count * SNI_LANES;
    if (!sni_ok(in) || is_compiled > 1) return fail(in, "is_compiled is %u", is_compiled);
    if (!is_compiled) return true;

    clip->is_compiled = true;
    clip->duration = of_model->duration;
    clip->loops = of_model->loops;
    sni_trs8 *rest = sni_motion_alloc(motion, (uint64_t)motion->block_count * sizeof *rest);
    uint8_t *node_flags = sni_new_raw(&motion->arena, uint8_t, node_count);
    if (!rest || !node_flags) return false;
    if (motion->block_count > 0) {
        memcpy(rest, motion->rest.rest, motion->block_count * sizeof *rest);
        memcpy(node_flags, motion->rest.node_flags, node_count);
    }
    memset(l->has_entry, 0, channel_count);
    memset(l->overlaid, 0, channel_count);
    clip->rest = rest;
    clip->node_flags = node_flags;
    return read_bits(in, node_flags, motion->model->node_count, SNI_NODE_REPLACED) && read_constants(l, rest) &&
           read_timelines(l, clip) && read_lane_entries(l, clip) && check_overlays(l) && read_others(l, clip) &&
           sni_motion_finish_clip(motion, clip);
}

static bool read_header(sni_reader *in, const sn_model *model, sn_motion_opts *opts, float *max_error)
{
    if (sni_rest(in) < sizeof magic || memcmp(sni_take(in, sizeof magic), magic, sizeof magic) != 0)
        return sni_fail(in->diag, SN_ERR_FORMAT, 0, "not a motion file");
    uint32_t version = sni_read_u32(in);
    if (sni_ok(in) && version != VERSION)
        return sni_fail(in->diag, SN_ERR_UNSUPPORTED, 4, "a motion file of version %u; this version of sinew reads %d",
                        version, VERSION);
    uint64_t hash = sni_read_u64(in);
    uint32_t node_count = sni_read_u32(in), clip_count = sni_read_u32(in), flags = sni_read_u32(in);
    *max_error = sni_read_f32(in);
    if (!sni_ok(in)) return false;
    if (node_count != model->node_count || clip_count != model->clip_count)
        return sni_fail(in->diag, SN_ERR_INVALID, 16,
                        "the motion is of a model with %u nodes and %u clips, this one has %u and %u", node_count,
                        clip_count, model->node_count, model->clip_count);
    if (hash != hash_model(model))
        return sni_fail(in->diag, SN_ERR_INVALID, 8,
                        "the motion is of another model: nodes, parts, materials, lights, cameras or clips differ");
    if (flags & ~(uint32_t)(IS_NLERP | SAVES_MEMORY) || !(*max_error >= 0.0f) || !isfinite(*max_error))
        return fail(in, "flags %u, largest error %g", flags, (double)*max_error);
    opts->nlerp = flags & IS_NLERP;
    opts->quantize = flags & SAVES_MEMORY;
    return true;
}

static bool read_clips(loader *l)
{
    sn_motion *motion = l->motion;
    sni_arena_init(&l->scratch, &motion->heap);
    l->has_entry = sni_new_raw(&l->scratch, uint8_t, motion->block_count * 3);
    l->overlaid = sni_new_raw(&l->scratch, uint8_t, motion->block_count * 3);
    bool is_read = l->has_entry && l->overlaid && read_bits(&l->in, motion->node_moves, motion->model->node_count, 1);
    for (uint32_t i = 0; i < motion->model->clip_count && is_read; i++) {
        sni_enter(l->in.diag, "clips", i);
        is_read = read_clip(l, &motion->model->clips[i], &motion->clips[i]);
        if (is_read) sni_leave(l->in.diag);
    }
    if (is_read && sni_rest(&l->in)) is_read = fail(&l->in, "%zu bytes after the last clip", sni_rest(&l->in));
    sni_arena_free(&l->scratch);
    return is_read;
}

static uint64_t memory_limit(const sn_model *model, uint64_t file_size)
{
    const double most = 2147483648.0;
    double limit = (64 << 20) + 32.0 * (double)file_size +
                   1024.0 * sni_block_count(model->node_count) * model->clip_count;
    return (uint64_t)(limit < most ? limit : most);
}

sn_motion *sn_motion_load_memory(const void *data, size_t size, const sn_model *model, const sn_motion_opts *opts,
                                 sn_error *error)
{
    sn_motion_opts used = { 0 };
    sni_diag diag;
    float max_error = 0.0f;
    if (sni_model_require(model, error) != SN_OK) return NULL;
    if (opts) used.allocator = opts->allocator, used.simd = opts->simd;
    uint64_t limit = opts && opts->memory_bytes ? opts->memory_bytes : memory_limit(model, size);
    sni_diag_init(&diag, NULL);
    loader l = { .in = sni_reader_make(data, size, &diag, NULL) };
    if (read_header(&l.in, model, &used, &max_error)) l.motion = sni_motion_start(model, &used, limit, &diag);
    if (l.motion && !read_clips(&l)) {
        sn_motion_free(l.motion);
        l.motion = NULL;
    }
    if (l.motion) {
        l.motion->info.max_error = max_error;
        sni_motion_finish(l.motion);
    }
    if (error) *error = diag.error;
    return l.motion;
}
