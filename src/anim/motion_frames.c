// Tracks to frames: the rows of an entry at each of its times. motion.h says what they hold.
#include "anim/motion_compile.h"
#include "base/math.h"

#include <string.h>

// Lanes

static uint32_t keys_within(const sn_track *track, float end)
{
    uint32_t count = 0;
    while (count < track->key_count && track->times[count] <= end) count++;
    return count;
}

void sni_lane_init(sni_lane_source *l, const sn_track *source, float duration)
{
    *l = (sni_lane_source){ .source = source, .end = duration };
    if (!source) return;
    l->track = *source;
    if (source->period > 0.0f) {  // its own line of time; sni_track_span ignores keys past the period
        l->period = l->end = source->period;
        l->track.period = 0.0f;
        l->track.key_count = keys_within(source, source->period);
        if (l->track.key_count == 0) l->track.key_count = 1;
    }
}

static sni_span lane_span(const sni_lane_source *l, float time)
{
    return sni_track_span(&l->track, time, l->end, 0.0f);
}

void sni_lane_value(const sni_lane_source *l, float time, float out[4])
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
static bool lane_jumps_at(const sni_lane_source *l, float time)
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

static void lane_value_before(const sni_lane_source *l, float time, float out[4])
{
    sni_lane_value(l, lane_jumps_at(l, time) ? nextafterf(time, -1.0f) : time, out);
}

enum { EXTRA_TIMES = 14 };

// The times between which the track is one curve: its keys, the ends, and where Warcraft III's wrap stops at a limit.
// Returns how many.
static uint32_t lane_times(const sni_lane_source *l, float *times)
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

bool sni_lane_find_whether_moves(sni_lane_source *l, sni_arena *scratch)
{
    uint32_t width = l->track.width;
    float first[4], value[4];
    if (!l->source || l->track.key_count < 2 || !(l->end > 0.0f)) return true;
    if (sni_track_has_tangents(&l->track) && !has_flat_tangents(&l->track)) {
        l->moves = true;
        return true;
    }
    float *times = sni_new_raw(scratch, float, (uint64_t)l->track.key_count + EXTRA_TIMES);
    if (!times) return false;
    uint32_t count = lane_times(l, times);
    sni_lane_value(l, 0.0f, first);
    for (uint32_t i = 0; i < count && !l->moves; i++) {
        sni_lane_value(l, times[i], value);
        if (!same_value(first, value, width)) l->moves = true;
        lane_value_before(l, times[i], value);
        if (!same_value(first, value, width)) l->moves = true;
    }
    return true;
}

// Frames

// The times of all lanes, sorted. `jumps` gets those at which any of them jumps.
static bool merge_times(const sni_entry_source *entry, sni_arena *scratch, float **times, uint32_t *count,
                        float **jumps, uint32_t *jump_count)
{
    uint64_t room = 0;
    for (uint32_t i = 0; i < SNI_LANES; i++)
        if (entry->members >> i & 1) room += (uint64_t)entry->lanes[i].track.key_count + EXTRA_TIMES;
    if (room > UINT32_MAX / 4)
        return sni_fail(scratch->heap->diag, SN_ERR_LIMIT, 0, "a clip has %llu keys in one block",
                        (unsigned long long)room);
    *times = sni_new_raw(scratch, float, room);
    *jumps = sni_new_raw(scratch, float, room);
    if (!*times || !*jumps) return false;
    *count = *jump_count = 0;
    for (uint32_t i = 0; i < SNI_LANES; i++) {
        if (!(entry->members >> i & 1)) continue;
        uint32_t start = *count;
        *count += lane_times(&entry->lanes[i], *times + start);
        for (uint32_t k = start; k < *count; k++)
            if (!entry->is_stepped && lane_jumps_at(&entry->lanes[i], (*times)[k]))
                (*jumps)[(*jump_count)++] = (*times)[k];
    }
    *count = sni_merge_key_times(*times, *count);
    *jump_count = sni_merge_key_times(*jumps, *jump_count);
    return true;
}

// One frame of values: of the lanes that move at the time, of the others what they are at rest.
static void fill_values(const sni_entry_source *entry, float time, bool before, float *rows)
{
    uint32_t width = sni_channel_rows(entry->channel);
    memcpy(rows, entry->rest, width * SNI_LANES * sizeof *rows);
    for (uint32_t i = 0; i < SNI_LANES; i++) {
        float value[4] = { 0 };
        if (!(entry->members >> i & 1)) continue;
        if (before) lane_value_before(&entry->lanes[i], time, value);
        else sni_lane_value(&entry->lanes[i], time, value);
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

static sni_motion_kind rotation_kind(bool nlerp, float most)
{
    if (nlerp) return most <= sni_slerp_limits[0] ? SNI_NLERP_2 : SNI_NLERP;
    return most <= sni_slerp_limits[0] ? SNI_SLERP_2 : most <= sni_slerp_limits[1] ? SNI_SLERP_4 : SNI_SLERP_8;
}

// Adds times in the middle of segments in which a rotation turns too far for the polynomials.
static bool split_turns(const sni_entry_source *entry, sni_arena *scratch, float **times, uint32_t *count)
{
    float *more = sni_new_raw(scratch, float, (uint64_t)*count * 2), rows[2][4 * SNI_LANES];
    if (!more) return false;
    uint32_t added = 0, n = *count;
    for (uint32_t i = 0; i + 1 < n; i++) {
        float middle = (*times)[i] + ((*times)[i + 1] - (*times)[i]) * 0.5f;
        more[added++] = (*times)[i];
        fill_values(entry, (*times)[i], false, rows[0]);
        fill_values(entry, (*times)[i + 1], true, rows[1]);
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
static bool make_values(const sni_entry_source *entry, sni_arena *scratch, sni_frames_draft *out)
{
    bool is_rotation = entry->channel == SN_CHANNEL_ROTATION;
    float *times, *jumps, most = 0.0f;
    uint32_t count, jump_count, row_size = sni_channel_rows(entry->channel) * SNI_LANES;
    if (!merge_times(entry, scratch, &times, &count, &jumps, &jump_count)) return false;
    if (is_rotation && !entry->is_stepped && !split_turns(entry, scratch, &times, &count)) return false;
    uint32_t frame_count = count + jump_count, at = 0, jump = 0;
    float *frame_times = sni_new_raw(scratch, float, frame_count);
    float *rows = sni_new_raw(scratch, float, (uint64_t)frame_count *row_size);
    if (!frame_times || !rows) return false;
    for (uint32_t i = 0; i < count; i++) {
        bool jumps_here = jump < jump_count && jumps[jump] == times[i];
        jump += jumps_here;
        for (int side = jumps_here ? 0 : 1; side < 2; side++, at++) {
            float *frame = rows + (size_t)at * row_size;
            frame_times[at] = times[i];
            fill_values(entry, times[i], side == 0, frame);
            if (!is_rotation || at == 0) continue;
            float turn = 1.0f - align_rotations(frame - row_size, frame);
            if (frame_times[at - 1] < times[i] && turn > most) most = turn;
        }
    }
    *out = (sni_frames_draft){ frame_times, frame_count, rows, SNI_LERP };
    if (is_rotation) out->kind = rotation_kind(entry->nlerp, most);
    if (entry->is_stepped) out->kind = entry->kind;
    if (!entry->tolerances || entry->is_stepped) return true;
    sni_frames_reduce(out, entry->tolerances, entry->members, entry->channel);
    if (!is_rotation) return true;
    most = 0.0f;
    for (uint32_t i = 1; i < out->count; i++) {
        float turn = 1.0f - align_rotations(rows + (size_t)(i - 1) * row_size, rows + (size_t)i * row_size);
        if (out->times[i - 1] < out->times[i] && turn > most) most = turn;
    }
    out->kind = rotation_kind(entry->nlerp, most);
    return true;
}

// The part of a lane's curve between two times: where it begins in the segment between two keys, and how much of it
// there is.
static void lane_part(const sni_lane_source *l, float from, float to, sni_span *span, double *start, double *length)
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
static void cubic_coefficients(const sni_lane_source *l, const sni_span *span, double start, double length,
                               uint32_t component, double out[4])
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

static void fill_cubic(const sni_lane_source *l, float from, float to, uint32_t width, uint32_t i, float *rows)
{
    sni_span span;
    double start, length, p[4];
    lane_part(l, from, to, &span, &start, &length);
    for (uint32_t k = 0; k < width; k++) {
        cubic_coefficients(l, &span, start, length, k, p);
        for (uint32_t n = 0; n < 4; n++) rows[(k * 4 + n) * SNI_LANES + i] = (float)p[n];
    }
}

static void fill_squad(const sni_lane_source *l, float from, float to, uint32_t i, float *rows)
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
static bool make_curves(const sni_entry_source *entry, sni_arena *scratch, sni_frames_draft *out)
{
    sni_motion_kind kind = entry->kind;
    const float *rest = entry->rest;
    float *times, *jumps;
    uint32_t count, jump_count, width = sni_channel_rows(entry->channel), row_size = sni_kind_rows(kind) * SNI_LANES;
    if (!merge_times(entry, scratch, &times, &count, &jumps, &jump_count)) return false;
    float *rows = sni_new(scratch, float, (uint64_t)count *row_size);
    if (!rows) return false;
    for (uint32_t f = 0; f < count; f++) {
        float *frame = rows + (size_t)f * row_size, to = times[f + 1 < count ? f + 1 : f];
        for (uint32_t i = 0; i < SNI_LANES; i++) {
            bool is_member = entry->members >> i & 1;
            if (is_member && kind == SNI_SQUAD) fill_squad(&entry->lanes[i], times[f], to, i, frame);
            else if (is_member) fill_cubic(&entry->lanes[i], times[f], to, width, i, frame);
            else if (kind == SNI_SQUAD)
                for (uint32_t k = 0; k < 16; k++) frame[k * SNI_LANES + i] = rest[k % 4 * SNI_LANES + i];
            else
                for (uint32_t k = 0; k < width; k++) frame[k * 4 * SNI_LANES + i] = rest[k * SNI_LANES + i];
        }
    }
    *out = (sni_frames_draft){ times, count, rows, kind };
    return true;
}

bool sni_frames_make(const sni_entry_source *entry, sni_arena *scratch, sni_frames_draft *out)
{
    return entry->has_curves ? make_curves(entry, scratch, out) : make_values(entry, scratch, out);
}

bool sni_frames_count(const sni_entry_source *entry, sni_arena *scratch, uint32_t *count)
{
    float *times, *jumps;
    uint32_t jump_count;
    return merge_times(entry, scratch, &times, count, &jumps, &jump_count);
}

// 16 bits

static int16_t rounded(double value)
{
    double whole = floor(value + 0.5);
    return (int16_t)(whole < -32768.0 ? -32768.0 : whole > 32767.0 ? 32767.0 : whole);
}

bool sni_frames_quantize(sni_arena *scratch, bool nlerp, sni_frames_draft *out, float **ranges)
{
    uint32_t columns = sni_kind_rows(out->kind) * SNI_LANES;
    bool is_vector = out->kind == SNI_LERP;
    *ranges = NULL;
    if (!is_vector && (out->kind < SNI_SLERP_2 || out->kind > SNI_NLERP)) return true;
    const float *values = out->rows;
    int16_t *stored = sni_new_raw(scratch, int16_t, (uint64_t)out->count * columns);
    float *range = sni_new(scratch, float, SNI_RANGE_FLOATS);
    if (!stored || !range) return false;
    for (uint32_t k = 0; k < columns; k++) {
        double low = -1.0, high = 1.0, factor = 1.0 / 32767.0, offset = 0.0;
        for (uint32_t f = 0; f < out->count && is_vector; f++) {
            double value = values[(size_t)f * columns + k];
            if (f == 0 || value < low) low = value;
            if (f == 0 || value > high) high = value;
        }
        if (is_vector) {
            factor = (high - low) / 65535.0;
            offset = low + 32768.0 * factor;
            range[k] = (float)factor;
            range[columns + k] = (float)offset;
        }
        for (uint32_t f = 0; f < out->count; f++) {
            double value = values[(size_t)f * columns + k] - offset;
            stored[(size_t)f * columns + k] = factor > 0.0 ? rounded(value / factor) : 0;
        }
    }
    if (is_vector) *ranges = range;
    out->rows = stored;
    out->kind = is_vector ? SNI_LERP_I16 : nlerp ? SNI_NLERP_I16 : SNI_SLERP_I16;
    return true;
}
