// Tracks to timelines. motion.h says what comes out.
#include "anim/motion.h"
#include "base/math.h"
#include "model/builder.h"

#include <string.h>

// What becomes of the eight tracks of a channel in a block.
typedef struct lane {
    const sn_track *source;  // NULL: at rest
    sn_track track;          // the same on the line of its own times: period and keys past it are gone
    float period, end;
    bool moves;
} lane;

typedef struct entry_draft {
    struct entry_draft *next;  // of the same timeline
    sni_motion_kind kind;
    uint32_t place;
    uint8_t lanes;
    const void *rows;  // [frame][row][lane] of floats or int16_t, as the kind says
    float *ranges;     // of SNI_LERP_I16
} entry_draft;

typedef struct timeline_draft {
    struct timeline_draft *next;
    float period, end;
    bool is_overlay;
    uint32_t frame_count, entry_count;
    uint64_t hash;
    float *times;
    entry_draft *first, **last;
} timeline_draft;

typedef struct compiler {
    sn_motion *motion;
    const sn_motion_opts *opts;
    const sn_clip *clip;
    sni_motion_clip *out;
    sni_arena *scratch;
    sni_trs8 *rest;
    const sn_track **tracks;  // three per node: the last track of each channel
    timeline_draft *first, **last;
    uint32_t timeline_count;
    sni_list lane_entries;  // of sni_lane_entry
    const sni_tolerance *tolerances;
} compiler;

uint64_t sni_motion_hash(uint64_t hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 1099511628211u;
    return hash;
}

// Lanes

static uint32_t keys_within(const sn_track *track, float end)
{
    uint32_t count = 0;
    while (count < track->key_count && track->times[count] <= end) count++;
    return count;
}

static void lane_init(lane *l, const sn_track *source, float duration)
{
    *l = (lane){ .source = source, .end = duration };
    if (!source) return;
    l->track = *source;
    if (source->period > 0.0f) {  // its own line of time; sni_track_span ignores keys past the period
        l->period = l->end = source->period;
        l->track.period = 0.0f;
        l->track.key_count = keys_within(source, source->period);
        if (l->track.key_count == 0) l->track.key_count = 1;
    }
}

static sni_span lane_span(const lane *l, float time) { return sni_track_span(&l->track, time, l->end, 0.0f); }

static void lane_value(const lane *l, float time, float out[4])
{
    sni_span span = lane_span(l, time);
    if (l->track.channel == SN_CHANNEL_ROTATION) {
        sn_quat q = sni_quat_unit(sni_track_rotation(&l->track, &span));
        out[0] = q.x, out[1] = q.y, out[2] = q.z, out[3] = q.w;
        return;
    }
    for (uint32_t i = 0; i < 3; i++) out[i] = sni_track_value(&l->track, &span, i);
}

// Whether the value just before the time is another than at it.
static bool lane_jumps_at(const lane *l, float time)
{
    const sn_track *track = &l->track;
    if (time <= 0.0f || track->key_count < 2) return false;
    uint32_t low = 0, high = track->key_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (track->times[middle] < time) low = middle + 1;
        else high = middle;
    }
    if (low == track->key_count || track->times[low] != time) return false;
    if (sni_track_is_stepped(track)) return true;
    if (low > 0 || track->wrap == SN_WRAP_HOLD) return false;
    double gap = (double)l->end - ((double)track->times[track->key_count - 1] - track->times[0]);
    return track->wrap == SN_WRAP_CYCLE_GAME || !(gap > 0.0);
}

static void lane_value_before(const lane *l, float time, float out[4])
{
    lane_value(l, lane_jumps_at(l, time) ? nextafterf(time, -1.0f) : time, out);
}

enum { EXTRA_TIMES = 14 };

// The times between which the track is one curve: its keys, the ends, and where Warcraft III's wrap stops at a limit.
// Returns how many.
static uint32_t lane_times(const lane *l, float *times)
{
    const sn_track *track = &l->track;
    uint32_t count = 0;
    times[count++] = 0.0f;
    if (l->end > 0.0f) times[count++] = l->end;
    for (uint32_t i = 0; i < track->key_count; i++)
        if (track->times[i] > 0.0f && track->times[i] < l->end) times[count++] = track->times[i];
    if (track->wrap == SN_WRAP_HOLD || track->key_count < 2) return count;
    double first = track->times[0], last = track->times[track->key_count - 1], end = l->end, gap = end - (last - first);
    const double bends[4] = { last + gap, last - end - gap, first - gap, last - end };  // u is 1, -1, -1 and 0
    for (int i = 0; i < 4 && gap > 0.0; i++) {
        // With its neighbours, as the float is not quite the time: in a short segment that would show.
        float bend = (float)bends[i], around[3] = { nextafterf(bend, -INFINITY), bend, nextafterf(bend, INFINITY) };
        for (int k = 0; k < 3; k++)
            if (around[k] > 0.0f && around[k] < l->end) times[count++] = around[k];
    }
    return count;
}

static bool same_value(const float *a, const float *b, uint32_t width)
{
    bool same = memcmp(a, b, width * sizeof *a) == 0;
    if (same || width < 4) return same;
    for (uint32_t i = 0; i < 4; i++)
        if (a[i] != -b[i]) return false;
    return true;
}

// Tangents that bend nothing: zeros, or for Bezier curves and squads the value itself.
static bool has_flat_tangents(const sn_track *track)
{
    bool of_value = track->interpolation == SN_BEZIER || (track->interpolation == SN_HERMITE && track->width == 4);
    for (uint32_t i = 0; i < track->key_count; i++) {
        const float *value = sni_track_key(track, i, SNI_KEY_VALUE);
        const float *in = sni_track_key(track, i, SNI_KEY_IN), *out = sni_track_key(track, i, SNI_KEY_OUT);
        for (uint32_t k = 0; k < track->width; k++) {
            float flat = of_value ? value[k] : 0.0f;
            if (in[k] != flat || out[k] != flat) return false;
        }
    }
    return true;
}

static bool find_whether_moves(compiler *c, lane *l)
{
    uint32_t width = l->track.width;
    float first[4], value[4];
    if (!l->source || l->track.key_count < 2 || !(l->end > 0.0f)) return true;
    if (sni_track_has_tangents(&l->track) && !has_flat_tangents(&l->track)) {
        l->moves = true;
        return true;
    }
    float *times = sni_new_raw(c->scratch, float, (uint64_t)l->track.key_count + EXTRA_TIMES);
    if (!times) return false;
    uint32_t count = lane_times(l, times);
    lane_value(l, 0.0f, first);
    for (uint32_t i = 0; i < count && !l->moves; i++) {
        lane_value(l, times[i], value);
        if (!same_value(first, value, width)) l->moves = true;
        lane_value_before(l, times[i], value);
        if (!same_value(first, value, width)) l->moves = true;
    }
    return true;
}

// Entries

static uint32_t channel_rows(uint32_t channel) { return channel == SN_CHANNEL_ROTATION ? 4 : 3; }

// The times of all lanes, sorted. `jumps` gets those at which any of them jumps.
static bool merge_times(compiler *c, const lane *lanes, uint32_t members, float **times, uint32_t *count, float **jumps,
                        uint32_t *jump_count)
{
    uint64_t room = 0;
    for (uint32_t i = 0; i < SNI_LANES; i++)
        if (members >> i & 1) room += (uint64_t)lanes[i].track.key_count + EXTRA_TIMES;
    if (room > UINT32_MAX / 4)
        return sni_fail(c->motion->heap.diag, SN_ERR_LIMIT, 0, "a clip has %llu keys in one block",
                        (unsigned long long)room);
    *times = sni_new_raw(c->scratch, float, room);
    *jumps = sni_new_raw(c->scratch, float, room);
    if (!*times || !*jumps) return false;
    *count = *jump_count = 0;
    for (uint32_t i = 0; i < SNI_LANES; i++) {
        if (!(members >> i & 1)) continue;
        uint32_t start = *count;
        *count += lane_times(&lanes[i], *times + start);
        for (uint32_t k = start; k < *count; k++)
            if (lane_jumps_at(&lanes[i], (*times)[k])) (*jumps)[(*jump_count)++] = (*times)[k];
    }
    *count = sni_merge_key_times(*times, *count);
    *jump_count = sni_merge_key_times(*jumps, *jump_count);
    return true;
}

// One frame of values: of the lanes that move at the time, of the others what they are at rest.
static void fill_values(const compiler *c, const lane *lanes, uint32_t members, uint32_t block, uint32_t channel,
                        float time, bool before, float *rows)
{
    const float *rest = sni_trs8_floats(c->rest) + sni_channel_place(block, channel);
    uint32_t width = channel_rows(channel);
    memcpy(rows, rest, width * SNI_LANES * sizeof *rows);
    for (uint32_t i = 0; i < SNI_LANES; i++) {
        float value[4];
        if (!(members >> i & 1)) continue;
        if (before) lane_value_before(&lanes[i], time, value);
        else lane_value(&lanes[i], time, value);
        for (uint32_t k = 0; k < width; k++) rows[k * SNI_LANES + i] = value[k];
    }
}

// Flips rotations of a frame to the side of the one before. Returns the smallest cosine between the two.
static float align_rotations(const float *before, float *rows)
{
    double least = 1.0;
    for (uint32_t i = 0; i < SNI_LANES; i++) {
        double dot = 0.0;
        for (uint32_t k = 0; k < 4; k++) dot += (double)before[k * SNI_LANES + i] * rows[k * SNI_LANES + i];
        for (uint32_t k = 0; k < 4 && dot < 0.0; k++) rows[k * SNI_LANES + i] *= -1.0f;
        if (fabs(dot) < least) least = fabs(dot);
    }
    return (float)least;
}

static sni_motion_kind rotation_kind(const compiler *c, float most)
{
    if (c->opts->nlerp) return most <= sni_slerp_limits[0] ? SNI_NLERP_2 : SNI_NLERP;
    return most <= sni_slerp_limits[0] ? SNI_SLERP_2 : most <= sni_slerp_limits[1] ? SNI_SLERP_4 : SNI_SLERP_8;
}

// Adds times in the middle of segments in which a rotation turns too far for the polynomials.
static bool split_turns(compiler *c, const lane *lanes, uint32_t members, uint32_t block, float **times,
                        uint32_t *count)
{
    float *more = sni_new_raw(c->scratch, float, (uint64_t)*count * 2), rows[2][4 * SNI_LANES];
    if (!more) return false;
    uint32_t added = 0, n = *count;
    for (uint32_t i = 0; i + 1 < n; i++) {
        float middle = (*times)[i] + ((*times)[i + 1] - (*times)[i]) * 0.5f;
        more[added++] = (*times)[i];
        fill_values(c, lanes, members, block, SN_CHANNEL_ROTATION, (*times)[i], false, rows[0]);
        fill_values(c, lanes, members, block, SN_CHANNEL_ROTATION, (*times)[i + 1], true, rows[1]);
        if (1.0f - align_rotations(rows[0], rows[1]) > sni_slerp_limits[2] && middle > (*times)[i] &&
            middle < (*times)[i + 1])
            more[added++] = middle;
    }
    more[added++] = (*times)[n - 1];
    *times = more;
    *count = added;
    return true;
}

// Frames of values, for lanes that step or are straight between keys.
static bool make_values(compiler *c, const lane *lanes, uint32_t members, uint32_t block, uint32_t channel,
                        sni_frames_draft *out)
{
    float *times, *jumps, most = 0.0f;
    uint32_t count, jump_count, width = channel_rows(channel), row_size = width * SNI_LANES;
    if (!merge_times(c, lanes, members, &times, &count, &jumps, &jump_count)) return false;
    if (channel == SN_CHANNEL_ROTATION && !split_turns(c, lanes, members, block, &times, &count)) return false;
    uint32_t frame_count = count + jump_count, at = 0, jump = 0;
    float *frame_times = sni_new_raw(c->scratch, float, frame_count);
    float *rows = sni_new_raw(c->scratch, float, (uint64_t)frame_count *row_size);
    if (!frame_times || !rows) return false;
    for (uint32_t i = 0; i < count; i++) {
        bool jumps_here = jump < jump_count && jumps[jump] == times[i];
        jump += jumps_here;
        for (int side = jumps_here ? 0 : 1; side < 2; side++, at++) {
            float *frame = rows + (size_t)at * row_size;
            frame_times[at] = times[i];
            fill_values(c, lanes, members, block, channel, times[i], side == 0, frame);
            if (channel != SN_CHANNEL_ROTATION || at == 0) continue;
            float turn = 1.0f - align_rotations(frame - row_size, frame);
            if (frame_times[at - 1] < times[i] && turn > most) most = turn;
        }
    }
    *out = (sni_frames_draft){ frame_times, frame_count, rows, SNI_LERP };
    if (channel == SN_CHANNEL_ROTATION) out->kind = rotation_kind(c, most);
    if (!c->tolerances) return true;
    sni_frames_reduce(out, c->tolerances + (size_t)block * SNI_LANES, members, channel);
    if (channel != SN_CHANNEL_ROTATION) return true;
    most = 0.0f;
    for (uint32_t i = 1; i < out->count; i++) {
        float turn = 1.0f - align_rotations(rows + (size_t)(i - 1) * row_size, rows + (size_t)i * row_size);
        if (out->times[i - 1] < out->times[i] && turn > most) most = turn;
    }
    out->kind = rotation_kind(c, most);
    return true;
}

// The part of a lane's curve between two times: where it begins in the segment between two keys, and how much of it
// there is.
static void lane_part(const lane *l, float from, float to, sni_span *span, double *start, double *length)
{
    *span = lane_span(l, from);
    *start = span->u;
    *length = 0.0;
    if (to <= from || span->length <= 0.0f) return;
    float middle = from + (to - from) * 0.5f;
    double there = lane_span(l, middle).u;
    *length = ((double)to - from) / span->length;
    if (fabs(*start + ((double)middle - from) / span->length - there) < 0.01 * *length) return;
    *start = there;  // stopped at a limit of the wrap
    *length = 0.0;
}

// Coefficients of one component over a part of a segment.
static void cubic_coefficients(const lane *l, const sni_span *span, double start, double length, uint32_t component,
                               double out[4])
{
    const sn_track *track = &l->track;
    double a = sni_track_key(track, span->from, SNI_KEY_VALUE)[component], p[4] = { a, 0, 0, 0 };
    double d = sni_track_key(track, span->to, SNI_KEY_VALUE)[component];
    if (!sni_track_is_stepped(track) && span->length > 0.0f) {
        p[1] = d - a;
        if (sni_track_has_tangents(track)) {
            double b = sni_track_key(track, span->from, SNI_KEY_OUT)[component];
            double e = sni_track_key(track, span->to, SNI_KEY_IN)[component];
            if (track->interpolation == SN_BEZIER) b = 3.0 * (b - a), e = 3.0 * (d - e);
            else if (track->interpolation == SN_CUBIC_SPLINE) b *= span->length, e *= span->length;
            p[1] = b;
            p[2] = 3.0 * (d - a) - 2.0 * b - e;
            p[3] = 2.0 * (a - d) + b + e;
        }
    }
    out[0] = p[0] + start * (p[1] + start * (p[2] + start * p[3]));  // p(start + u * length)
    out[1] = length * (p[1] + start * (2.0 * p[2] + start * 3.0 * p[3]));
    out[2] = length * length * (p[2] + 3.0 * start * p[3]);
    out[3] = length * length * length * p[3];
}

static void fill_cubic(const lane *l, float from, float to, uint32_t width, uint32_t i, float *rows)
{
    sni_span span;
    double start, length, p[4];
    lane_part(l, from, to, &span, &start, &length);
    for (uint32_t k = 0; k < width; k++) {
        cubic_coefficients(l, &span, start, length, k, p);
        for (uint32_t n = 0; n < 4; n++) rows[(k * 4 + n) * SNI_LANES + i] = (float)p[n];
    }
}

static void fill_squad(const lane *l, float from, float to, uint32_t i, float *rows)
{
    sni_span span;
    double start, length;
    lane_part(l, from, to, &span, &start, &length);
    bool is_curve = sni_track_has_tangents(&l->track), is_still = sni_track_is_stepped(&l->track);
    if (is_still) start = length = 0.0;
    const float *keys[4] = { sni_track_key(&l->track, span.from, SNI_KEY_VALUE),
                             sni_track_key(&l->track, is_still ? span.from : span.to, SNI_KEY_VALUE) };
    keys[2] = is_curve ? sni_track_key(&l->track, span.from, SNI_KEY_OUT) : keys[0];
    keys[3] = is_curve ? sni_track_key(&l->track, span.to, SNI_KEY_IN) : keys[1];
    if (start == 0.0 && length == 0.0) keys[1] = keys[2] = keys[3] = keys[0];  // held
    for (uint32_t k = 0; k < 16; k++) rows[k * SNI_LANES + i] = keys[k / 4][k % 4];
    rows[16 * SNI_LANES + i] = (float)start;
    rows[17 * SNI_LANES + i] = (float)length;
}

// Frames of curves. Lanes that are at rest are curves that do not bend.
static bool make_curves(compiler *c, const lane *lanes, uint32_t members, uint32_t block, uint32_t channel,
                        sni_motion_kind kind, sni_frames_draft *out)
{
    float *times, *jumps;
    uint32_t count, jump_count, width = channel_rows(channel), row_size = sni_kind_rows(kind) * SNI_LANES;
    if (!merge_times(c, lanes, members, &times, &count, &jumps, &jump_count)) return false;
    float *rows = sni_new(c->scratch, float, (uint64_t)count *row_size);
    if (!rows) return false;
    const float *rest = sni_trs8_floats(c->rest) + sni_channel_place(block, channel);
    for (uint32_t f = 0; f < count; f++) {
        float *frame = rows + (size_t)f * row_size, to = times[f + 1 < count ? f + 1 : f];
        for (uint32_t i = 0; i < SNI_LANES; i++) {
            bool is_member = members >> i & 1;
            if (is_member && kind == SNI_SQUAD) fill_squad(&lanes[i], times[f], to, i, frame);
            else if (is_member) fill_cubic(&lanes[i], times[f], to, width, i, frame);
            else if (kind == SNI_SQUAD)
                for (uint32_t k = 0; k < 16; k++) frame[k * SNI_LANES + i] = rest[k % 4 * SNI_LANES + i];
            else
                for (uint32_t k = 0; k < width; k++) frame[k * 4 * SNI_LANES + i] = rest[k * SNI_LANES + i];
        }
    }
    *out = (sni_frames_draft){ times, count, rows, kind };
    return true;
}

static int16_t rounded(double value)
{
    double whole = floor(value + 0.5);
    return (int16_t)(whole < -32768.0 ? -32768.0 : whole > 32767.0 ? 32767.0 : whole);
}

// Values as 16 bits: rotations as they are, vectors between the least and the largest of their lane and component.
static bool quantize(compiler *c, const sni_frames_draft *made, entry_draft *entry)
{
    uint32_t columns = sni_kind_rows(made->kind) * SNI_LANES;
    bool is_vector = made->kind == SNI_LERP;
    int16_t *stored = sni_new_raw(c->scratch, int16_t, (uint64_t)made->count * columns);
    float *ranges = sni_new(c->scratch, float, SNI_RANGE_FLOATS);
    if (!stored || !ranges) return false;
    for (uint32_t k = 0; k < columns; k++) {
        double low = -1.0, high = 1.0, factor = 1.0 / 32767.0, offset = 0.0;
        for (uint32_t f = 0; f < made->count && is_vector; f++) {
            double value = made->rows[(size_t)f * columns + k];
            if (f == 0 || value < low) low = value;
            if (f == 0 || value > high) high = value;
        }
        if (is_vector) {
            factor = (high - low) / 65535.0;
            offset = low + 32768.0 * factor;
            ranges[k] = (float)factor;
            ranges[columns + k] = (float)offset;
        }
        for (uint32_t f = 0; f < made->count; f++) {
            double value = made->rows[(size_t)f * columns + k] - offset;
            stored[(size_t)f * columns + k] = factor > 0.0 ? rounded(value / factor) : 0;
        }
    }
    entry->rows = stored;
    entry->ranges = is_vector ? ranges : NULL;
    entry->kind = is_vector ? SNI_LERP_I16 : c->opts->nlerp ? SNI_NLERP_I16 : SNI_SLERP_I16;
    return true;
}

static bool is_of_values(sni_motion_kind kind)
{
    return kind == SNI_LERP || (kind >= SNI_SLERP_2 && kind <= SNI_NLERP);
}

// Puts an entry on the timeline that has its times.
static bool add_entry(compiler *c, const lane *any, bool is_overlay, uint32_t place, uint32_t members,
                      const sni_frames_draft *made)
{
    const float *times = made->times;
    uint32_t count = made->count;
    uint64_t hash = sni_motion_hash(14695981039346656037u, times, count * sizeof *times);
    timeline_draft *line = c->first;
    for (; line; line = line->next)
        if (line->hash == hash && line->frame_count == count && line->period == any->period &&
            line->is_overlay == is_overlay && memcmp(line->times, times, count * sizeof *times) == 0)
            break;
    entry_draft *kept = sni_new(c->scratch, entry_draft, 1);
    if (!kept) return false;
    *kept = (entry_draft){ .kind = made->kind, .place = place, .lanes = (uint8_t)members, .rows = made->rows };
    if (c->opts->quantize && is_of_values(made->kind) && !quantize(c, made, kept)) return false;
    if (!line) {
        line = sni_new(c->scratch, timeline_draft, 1);
        float *copy = sni_new_raw(c->scratch, float, count);
        if (!line || !copy) return false;
        memcpy(copy, times, count * sizeof *times);
        *line = (timeline_draft){ .period = any->period, .end = any->end, .is_overlay = is_overlay, .hash = hash };
        line->frame_count = count;
        line->times = copy;
        line->last = &line->first;
        *c->last = line;
        c->last = &line->next;
        c->timeline_count++;
    }
    *line->last = kept;
    line->last = &kept->next;
    line->entry_count++;
    return true;
}

// Buckets of equal length, one for each time: how many times are in buckets before each, and before the end. Returns
// how many buckets a second has.
static float fill_buckets(const float *times, uint32_t count, uint32_t *starts)
{
    uint32_t at = 0;
    float per_second = times[count - 1] > 0.0f ? (float)(count - 1) / times[count - 1] : 0.0f;
    if (!isfinite(per_second)) per_second = 0.0f;
    for (uint32_t bucket = 0; bucket < count; bucket++) {
        starts[bucket] = at;
        while (at < count) {
            uint32_t own = (uint32_t)(times[at] * per_second);
            if (own >= count) own = count - 1;
            if (own != bucket) break;
            at++;
        }
    }
    starts[count] = count;
    return per_second;
}

// Lane entries

// Whether the lanes have so little in common that merging would cost more than searching each.
static bool are_apart(const lane *lanes, uint32_t members, uint32_t merged)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < SNI_LANES; i++)
        if (members >> i & 1 && lanes[i].track.key_count > most) most = lanes[i].track.key_count;
    return merged > 8 && merged / 2 > most + 6;
}

static bool make_frames(compiler *c, const lane *lanes, uint32_t members, uint32_t block, uint32_t channel,
                        bool has_curves, sni_motion_kind kind, sni_frames_draft *out)
{
    return has_curves ? make_curves(c, lanes, members, block, channel, kind, out)
                      : make_values(c, lanes, members, block, channel, out);
}

float *sni_motion_start_lane(sn_motion *motion, sni_lane_entry *entry, uint32_t i, uint32_t kind, const float *times)
{
    uint32_t floats = sni_lane_floats(kind), time_at = sni_lane_time(kind), count = entry->key_counts[i];
    uint64_t bytes = ((uint64_t)count + SNI_LANE_PADS) * floats * sizeof(float);
    float *keys = sni_motion_alloc(motion, bytes);
    size_t start_bytes = ((size_t)count + 1) * sizeof(uint32_t);
    uint32_t *starts = keys ? sni_heap_alloc(&motion->heap, start_bytes) : NULL;
    if (!starts) return NULL;
    memset(keys, 0, (size_t)bytes);
    entry->buckets_per_second[i] = fill_buckets(times, count, starts);
    for (uint32_t f = 0; f < count + SNI_LANE_PADS; f++) {
        float *key = keys + (size_t)f * floats, length = f + 1 < count ? times[f + 1] - times[f] : 0.0f;
        key[time_at] = f < count ? times[f] : FLT_MAX;
        memcpy(&key[time_at + 1], &starts[f < count ? f : count], sizeof *starts);
        if (length > 0.0f) key[time_at + 2] = 1.0f / length;
    }
    sni_heap_free(&motion->heap, starts, start_bytes);
    entry->keys[i] = keys;
    motion->info.bytes += bytes;
    return keys;
}

// Takes lane i out of frames.
static bool keep_lane(compiler *c, const sni_frames_draft *made, uint32_t i, float period, sni_lane_entry *out)
{
    uint32_t floats = sni_lane_floats(made->kind), rows = sni_kind_rows(made->kind), count = made->count;
    out->key_counts[i] = count;
    out->periods[i] = period;
    if (period > 0.0f) out->has_periods = true;
    float *keys = sni_motion_start_lane(c->motion, out, i, made->kind, made->times);
    if (!keys) return false;
    for (uint32_t f = 0; f < count + SNI_LANE_PADS; f++) {
        const float *frame = made->rows + (size_t)(f < count ? f : count - 1) * rows * SNI_LANES;
        for (uint32_t k = 0; k < rows; k++) keys[(size_t)f * floats + k] = frame[k * SNI_LANES + i];
    }
    return true;
}

static bool build_lanes(compiler *c, const lane *lanes, uint32_t members, uint32_t block, uint32_t channel,
                        bool has_curves, sni_motion_kind kind, bool is_overlay)
{
    sni_lane_entry entry = { .place = sni_channel_place(block, channel), .lanes = is_overlay ? (uint8_t)members : 255 };
    sni_arena *scratch = c->scratch, own;
    bool is_done = true;
    for (uint32_t i = 0; i < SNI_LANES && is_done; i++) {  // one after the other, so that memory can be used again
        sni_frames_draft made;
        float zero = 0.0f, rows[SNI_MOST_ROWS * SNI_LANES] = { 0 };
        bool is_member = members >> i & 1;
        sni_arena_init(&own, &c->motion->heap);
        c->scratch = &own;
        if (is_member) {
            is_done = make_frames(c, lanes, 1u << i, block, channel, has_curves, kind, &made);
        } else {
            const float *rest = sni_trs8_floats(c->rest) + entry.place;
            uint32_t width = channel_rows(channel), step = has_curves && kind != SNI_SQUAD ? 4 : 1;
            uint32_t copies = has_curves && kind == SNI_SQUAD ? 4 : 1;
            for (uint32_t k = 0; k < width * copies; k++)
                rows[k * step * SNI_LANES + i] = rest[k % width * SNI_LANES + i];
            sni_motion_kind plain = channel == SN_CHANNEL_ROTATION ? SNI_SLERP_2 : SNI_LERP;
            made = (sni_frames_draft){ &zero, 1, rows, has_curves ? kind : plain };
        }
        if (is_done && made.kind > entry.kind) entry.kind = (uint8_t)made.kind;  // the highest degree serves all
        is_done = is_done && keep_lane(c, &made, i, is_member ? lanes[i].period : 0.0f, &entry);
        sni_arena_free(&own);
    }
    c->scratch = scratch;
    sni_lane_entry *kept = is_done ? sni_push(c->scratch, &c->lane_entries, sni_lane_entry) : NULL;
    if (!kept) return false;
    *kept = entry;
    c->motion->info.bytes += sizeof entry;
    return true;
}

static bool build_entry(compiler *c, const lane *lanes, uint32_t members, const lane *any, uint32_t block,
                        uint32_t channel, bool has_curves, sni_motion_kind kind, bool is_overlay)
{
    float *times, *jumps;
    uint32_t count, jump_count;
    sni_frames_draft made;
    if (!merge_times(c, lanes, members, &times, &count, &jumps, &jump_count)) return false;
    if (are_apart(lanes, members, count)) {
        bool are_stepped = true;  // curves that do not bend, so that a step is one key and not two
        for (uint32_t i = 0; i < SNI_LANES; i++)
            if (members >> i & 1 && !sni_track_is_stepped(&lanes[i].track)) are_stepped = false;
        if (are_stepped && channel == SN_CHANNEL_ROTATION) kind = SNI_CUBIC_ROTATION;
        return build_lanes(c, lanes, members, block, channel, has_curves || are_stepped, kind, is_overlay);
    }
    return make_frames(c, lanes, members, block, channel, has_curves, kind, &made) &&
           add_entry(c, any, is_overlay, sni_channel_place(block, channel), members, &made);
}

static bool is_spline(const lane *l) { return l->track.interpolation == SN_CUBIC_SPLINE; }

// One channel of a block: the lanes that one entry can hold, then what is left in overlays.
static bool build_channel(compiler *c, uint32_t block, uint32_t channel)
{
    lane lanes[SNI_LANES];
    uint32_t moving = 0, node_count = c->motion->model->node_count, width = channel_rows(channel);
    float *rest = sni_trs8_floats(c->rest) + sni_channel_place(block, channel);
    for (uint32_t i = 0; i < SNI_LANES; i++) {
        uint32_t node = block * SNI_LANES + i;
        float value[4];
        lane_init(&lanes[i], node < node_count ? c->tracks[(size_t)node * 3 + channel] : NULL, c->clip->duration);
        if (!find_whether_moves(c, &lanes[i])) return false;
        if (!lanes[i].source) continue;
        if (lanes[i].moves) {
            moving |= 1u << i;
            c->motion->node_moves[node] = 1;
        }
        lane_value(&lanes[i], 0.0f, value);
        for (uint32_t k = 0; k < width; k++) rest[k * SNI_LANES + i] = value[k];
    }
    for (bool is_overlay = false; moving; is_overlay = true) {
        const lane *any = NULL;
        uint32_t members = 0;
        bool has_curves = false;
        for (uint32_t i = 0; i < SNI_LANES; i++) {
            const lane *l = &lanes[i];
            if (!(moving >> i & 1)) continue;
            if (!any) any = l;
            if (l->period != any->period) continue;
            if (channel == SN_CHANNEL_ROTATION && is_spline(l) != is_spline(any)) continue;
            members |= 1u << i;
            has_curves = has_curves || sni_track_has_tangents(&l->track);
        }
        sni_motion_kind kind = channel != SN_CHANNEL_ROTATION ? SNI_CUBIC
                               : is_spline(any)               ? SNI_CUBIC_ROTATION
                                                              : SNI_SQUAD;
        if (!build_entry(c, lanes, members, any, block, channel, has_curves, kind, is_overlay)) return false;
        moving &= ~members;
    }
    return true;
}

// Timelines

bool sni_motion_finish_timeline(sn_motion *motion, sni_timeline *line)
{
    uint32_t *starts = sni_new_raw(&motion->arena, uint32_t, (uint64_t)line->frame_count + 1);
    if (!starts) return false;
    for (uint32_t kind = 0; kind < SNI_KIND_COUNT; kind++)
        if (line->counts[kind]) line->kinds |= 1u << kind;
    line->bucket_count = line->frame_count;
    line->buckets_per_second = fill_buckets(line->times, line->frame_count, starts);
    line->bucket_starts = starts;
    motion->info.bytes += sizeof *line + (line->frame_count + 1) * sizeof *starts;
    return true;
}

// Memory for vectors.
void *sni_motion_alloc(sn_motion *motion, uint64_t size)
{
    enum { LINE = 64 };
    if (size > SIZE_MAX - LINE) return sni_alloc(&motion->arena, SIZE_MAX, 2);
    uint8_t *block = sni_new_raw(&motion->arena, uint8_t, size + LINE);
    return block ? block + (LINE - (uintptr_t)block % LINE) % LINE : NULL;
}

static bool assemble(compiler *c, const timeline_draft *draft, sni_timeline *line)
{
    sn_motion *motion = c->motion;
    uint64_t frame_size = 0;
    for (entry_draft *e = draft->first; e; e = e->next) frame_size += sni_kind_bytes(e->kind);
    if (frame_size > UINT32_MAX) return sni_fail(motion->heap.diag, SN_ERR_LIMIT, 0, "a clip moves too many nodes");
    *line = (sni_timeline){ .period = draft->period,
                            .end = draft->end,
                            .is_overlay = draft->is_overlay,
                            .frame_count = draft->frame_count,
                            .frame_size = (uint32_t)frame_size };
    uint8_t *frames = sni_motion_alloc(motion, frame_size * draft->frame_count);
    float *times = sni_new_raw(&motion->arena, float, draft->frame_count);
    uint32_t *places = sni_new_raw(&motion->arena, uint32_t, draft->entry_count), at = 0;
    uint8_t *lanes = sni_new_raw(&motion->arena, uint8_t, draft->is_overlay ? draft->entry_count : 0);
    if (!frames || !times || !places || !lanes) return false;
    memcpy(times, draft->times, draft->frame_count * sizeof *times);
    float *ranges = NULL, *range = NULL;
    for (entry_draft *e = draft->first; e; e = e->next) line->counts[e->kind]++;
    if (line->counts[SNI_LERP_I16]) {
        uint64_t count = (uint64_t)line->counts[SNI_LERP_I16] * SNI_RANGE_FLOATS;
        ranges = range = sni_new_raw(&motion->arena, float, count);
        if (!ranges) return false;
        motion->info.bytes += count * sizeof *ranges;
    }
    uint8_t *column = frames;
    for (uint32_t kind = 0; kind < SNI_KIND_COUNT; kind++) {
        for (entry_draft *e = draft->first; e; e = e->next) {
            size_t size = sni_kind_bytes(kind);
            if (e->kind != kind) continue;
            for (uint32_t f = 0; f < draft->frame_count; f++)
                memcpy(column + (size_t)f * frame_size, (const uint8_t *)e->rows + f * size, size);
            if (draft->is_overlay) lanes[at] = e->lanes;
            places[at++] = e->place;
            if (e->ranges) {
                memcpy(range, e->ranges, SNI_RANGE_FLOATS * sizeof *range);
                range += SNI_RANGE_FLOATS;
            }
            column += size;
        }
    }
    line->frames = frames;
    line->times = times;
    line->places = places;
    line->ranges = ranges;
    line->lanes = draft->is_overlay ? lanes : NULL;
    motion->info.bytes += frame_size * draft->frame_count + draft->frame_count * sizeof *times;
    motion->info.bytes += draft->entry_count * (sizeof *places + (draft->is_overlay ? 1 : 0));
    return sni_motion_finish_timeline(motion, line);
}

static bool assemble_all(compiler *c)
{
    sni_timeline *lines = sni_new(&c->motion->arena, sni_timeline, c->timeline_count);
    if (!lines) return false;
    uint32_t at = 0;
    for (int overlays = 0; overlays < 2; overlays++)
        for (timeline_draft *draft = c->first; draft; draft = draft->next)
            if (draft->is_overlay == (overlays == 1) && !assemble(c, draft, &lines[at++])) return false;
    c->out->timelines = lines;
    c->out->timeline_count = c->timeline_count;
    sni_lane_entry *entries = sni_new_raw(&c->motion->arena, sni_lane_entry, c->lane_entries.count);
    if (!entries) return false;
    if (c->lane_entries.count) memcpy(entries, c->lane_entries.items, c->lane_entries.count * sizeof *entries);
    c->out->lane_entries = entries;
    c->out->lane_entry_count = c->lane_entries.count;
    return true;
}

// Clips

// Tracks that do not move nodes, and the last of those that move the same.
static bool sort_tracks(compiler *c, uint8_t *node_flags)
{
    const sn_clip *clip = c->clip;
    sn_track *others = sni_new(&c->motion->arena, sn_track, clip->track_count);
    if (!others) return false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        if (track->key_count == 0) continue;
        if (sni_track_is_local(track)) {
            c->tracks[(size_t)track->target * 3 + track->channel] = track;
            node_flags[track->target] |= SNI_NODE_REPLACED;
            continue;
        }
        others[c->out->other_count++] = *track;
        bool is_visibility = track->target_kind == SN_TARGET_NODE && track->channel == SN_CHANNEL_VISIBILITY;
        if (is_visibility) c->out->has_visibility = true;
        else c->out->has_others = true;
        c->motion->info.bytes += (uint64_t)track->key_count * 4 * (1 + sni_track_floats_per_key(track));
    }
    c->out->others = others;
    return true;
}

// Blocks and flags of the nodes at rest.
static bool start_clip(sn_motion *motion, sni_motion_clip *clip, sni_trs8 **rest, uint8_t **node_flags)
{
    const sn_model *model = motion->model;
    *rest = sni_motion_alloc(motion, (uint64_t)motion->block_count * sizeof **rest);
    *node_flags = sni_new(&motion->arena, uint8_t, (uint64_t)motion->block_count * SNI_LANES);
    if (!*rest || !*node_flags) return false;
    for (uint32_t i = 0; i < motion->block_count * SNI_LANES; i++) {
        bool is_node = i < model->node_count;
        sni_trs8_set(*rest, i, is_node ? &model->nodes[i].rest : &sni_trs_identity);
        if (is_node && !(model->nodes[i].flags & SN_NODE_HIDDEN)) (*node_flags)[i] = SNI_NODE_SHOWN;
    }
    clip->rest = *rest;
    clip->node_flags = *node_flags;
    clip->is_compiled = true;
    return true;
}

bool sni_motion_finish_clip(sn_motion *motion, sni_motion_clip *clip)
{
    uint32_t channel_count = motion->block_count * 3;
    uint8_t *is_moved = sni_new(&motion->arena, uint8_t, channel_count);
    uint32_t *places = sni_new_raw(&motion->arena, uint32_t, channel_count);
    sni_trs8 *first = sni_motion_alloc(motion, (uint64_t)motion->block_count * sizeof *first);
    if (!is_moved || !places || !first) return false;
    for (uint32_t i = 0; i < clip->timeline_count; i++) {
        const sni_timeline *line = &clip->timelines[i];
        uint32_t entry_count = 0;
        for (uint32_t kind = 0; kind < SNI_KIND_COUNT; kind++) entry_count += line->counts[kind];
        for (uint32_t k = 0; k < entry_count; k++) is_moved[sni_place_channel(line->places[k])] = 1;
    }
    for (uint32_t i = 0; i < clip->lane_entry_count; i++) is_moved[sni_place_channel(clip->lane_entries[i].place)] = 1;
    clip->rest_count = 0;
    clip->id = 14695981039346656037u;
    for (uint32_t i = 0; i < channel_count; i++) {
        if (is_moved[i]) continue;
        uint32_t place = sni_channel_place(i / 3, i % 3);
        places[clip->rest_count++] = place;
        clip->id = sni_motion_hash(clip->id, &place, sizeof place);
        clip->id = sni_motion_hash(clip->id, sni_trs8_floats(clip->rest) + place,
                                   channel_rows(i % 3) * SNI_LANES * sizeof(float));
    }
    clip->id = sni_motion_hash(clip->id, clip->node_flags, (size_t)motion->block_count * SNI_LANES);
    for (uint32_t i = 0; i < clip->other_count; i++) {
        const sn_track *track = &clip->others[i];
        const int32_t target[5] = { track->target_kind, track->channel, track->target, track->sub,
                                    (int32_t)track->width };
        clip->id = sni_motion_hash(clip->id, target, sizeof target);
    }
    if (clip->id == 0) clip->id = 1;
    clip->rest_places = places;
    memcpy(first, clip->rest, (size_t)motion->block_count * sizeof *first);
    motion->kernels->sample(clip, 0.0f, 0.0f, first);
    clip->first = first;
    motion->info.bytes += (uint64_t)motion->block_count * (2 * sizeof *first + SNI_LANES) + sizeof *clip;
    motion->info.bytes += (uint64_t)clip->rest_count * sizeof *places;
    return true;
}

static bool compile(compiler *c)
{
    sn_motion *motion = c->motion;
    uint8_t *node_flags;
    if (!start_clip(motion, c->out, &c->rest, &node_flags)) return false;
    if (c->clip) {
        c->tracks = sni_new(c->scratch, const sn_track *, (uint64_t)motion->model->node_count * 3);
        if (!c->tracks || !sort_tracks(c, node_flags)) return false;
        for (uint32_t i = 0; i < motion->block_count * 3; i++)
            if (!build_channel(c, i / 3, i % 3)) return false;
        if (!assemble_all(c)) return false;
    }
    return sni_motion_finish_clip(motion, c->out);
}

bool sni_motion_compile_clip(sn_motion *motion, int32_t clip, const sn_motion_opts *opts)
{
    return sni_motion_compile_within(motion, clip, opts, NULL);
}

bool sni_motion_compile_within(sn_motion *motion, int32_t clip, const sn_motion_opts *opts,
                               const sni_tolerance *tolerances)
{
    const sn_clip *played = clip >= 0 ? &motion->model->clips[clip] : NULL;
    sni_motion_clip *out = clip >= 0 ? &motion->clips[clip] : &motion->rest;
    sni_arena scratch;
    sni_arena_init(&scratch, &motion->heap);
    compiler c = { .motion = motion, .opts = opts, .clip = played, .out = out, .scratch = &scratch };
    c.last = &c.first;
    c.tolerances = tolerances;
    if (played) out->duration = played->duration, out->loops = played->loops;
    bool is_done = compile(&c);
    sni_arena_free(&scratch);
    return is_done;
}
