// Fitting: a track cut into pieces of segments, then written with the keys of glTF.
#include <float.h>
#include <string.h>

#include "model/track_arc.h"

// Keys that a period may be unrolled to, and keys that sampling may add to one track: both bound hostile files.
enum { MOST_UNROLLED = 4096, MOST_SAMPLED = 1 << 16, DEEPEST_HALVING = 10 };

static const double JUMP_SECONDS = 1e-5, USUAL_TOLERANCE = 1e-3;

// A stretch of time that lies in one segment: from key `from` at u = 0 to key `to` at u = 1. Times are those of the
// window that repeats.
typedef struct piece {
    double start, end, u0, u1;
    uint32_t from, to;
    float length;  // of the whole segment; 0: nothing changes
} piece;

// What a track does, as pieces; after `end` it starts again at `start`, until the clip ends.
typedef struct window {
    piece *pieces;
    uint32_t count, rounds;
    double start, end;
} window;

typedef struct fitting {
    sni_arena *arena;
    sn_track track;  // as given, in its continuous form
    float duration;
    double tolerance;
    sni_exactness exactness;
    bool failed;
    bool has_last;
    piece last;  // in clip time
    bool has_arcs;
    uint32_t arcs_from, arcs_to;  // the keys of the arcs that follow: of the values, and of squad's inner points
    arc ends, inner;
    uint32_t count, groups;  // keys written; 3 with tangents
    float *times, *values;
    sni_list sampled;     // of sample
    uint32_t budget;      // of samples beyond the keys
    uint64_t *keys_left;  // of all tracks
} fitting;

typedef struct sample {
    float time;
    sn_quat rotation;
} sample;

static double clamp(double v, double low, double high) { return fmax(low, fmin(v, high)); }

static void lower(fitting *fit, sni_exactness to)
{
    if (fit->exactness < to) fit->exactness = to;
}

static float finite_float(fitting *fit, double v)
{
    if (!(fabs(v) <= FLT_MAX)) lower(fit, SNI_SAMPLED);
    return (float)clamp(v, -FLT_MAX, FLT_MAX);
}

static sni_span span_of(const piece *p, double u)
{
    sni_span span = { p->from, p->to, (float)u, p->length };
    if (u == 1.0) span.from = p->to, span.u = 0.0f;
    return span;
}

// The piece from x0 to x1, between which there is no key. It ends sooner where the way around the loop does: keys
// before the clip make that way shorter than the time left for it.
static piece piece_between(const sn_track *track, float duration, double x0, double x1)
{
    sni_span span = sni_track_span(track, (float)x0, duration, (float)x0);
    piece p = { x0, x1, span.u, span.u, span.from, span.to, span.length };
    if (!(span.length > 0.0f) || sni_track_is_stepped(track)) return p;
    if (span.u > 1.0 - 1e-6) return (piece){ x0, x1, 0.0, 0.0, span.to, span.to, 0.0f };
    p.u1 = span.u + (x1 - x0) / span.length;
    if (p.u1 > 1.0 + 1e-6) p.end = fmax(x0 + (1.0 - span.u) * span.length, nextafterf((float)x0, FLT_MAX));
    if (p.u1 > 1.0 - 1e-6) p.u1 = 1.0;
    return p;
}

// A held track is its keys and no more; a cycle fills the clip, a period itself.
static window window_of(const sn_track *track, float duration)
{
    window w = { .rounds = 1, .end = duration };
    if (track->period > 0.0f) {
        w.end = track->period;
    } else if (track->wrap == SN_WRAP_HOLD) {
        w.start = clamp(track->times[0], 0.0, duration);
        w.end = clamp(track->times[track->key_count - 1], 0.0, duration);
    }
    return w;
}

static bool cut_pieces(fitting *fit, window *w)
{
    const sn_track *track = &fit->track;
    uint64_t most = (uint64_t)track->key_count + 3;
    w->pieces = sni_new_raw(fit->arena, piece, most);
    if (!w->pieces) return false;
    double from = w->start;
    for (uint32_t i = 0; from < w->end && w->count < most;) {
        double to = i < track->key_count ? fmin(track->times[i], w->end) : w->end;
        if (to > from) {
            w->pieces[w->count] = piece_between(track, fit->duration, from, to);
            from = w->pieces[w->count++].end;
        } else {
            i++;
        }
    }
    return true;
}

// Whole rounds, the last one cut by the clip's end; fewer where that would be too many keys.
static void count_rounds(fitting *fit, window *w)
{
    if (!(fit->track.period > 0.0f) || w->count == 0) return;
    double keys = fmin(MOST_UNROLLED, (double)*fit->keys_left), each = 2.0 * w->count;
    double wanted = ceil(fit->duration / w->end - 1e-6), most = fmax(1.0, keys / each);
    if (wanted > most) lower(fit, SNI_CUT);
    w->rounds = (uint32_t)clamp(wanted, 1.0, floor(most));
    uint64_t added = (uint64_t)(w->rounds - 1) * 2 * w->count;
    bool is_used_up = added >= *fit->keys_left || (wanted > most && keys < MOST_UNROLLED);
    *fit->keys_left = is_used_up ? 0 : *fit->keys_left - added;
}

// In clip time, from where the last one ended, and no longer than the clip. False where nothing is left of it.
static bool piece_in_clip(const fitting *fit, const piece *whole, double base, piece *p)
{
    *p = *whole;
    p->start = fit->has_last ? fit->last.end : base + whole->start;
    p->end = fmin(base + whole->end, fit->duration);
    if (!((float)p->end > (float)p->start)) return false;
    if (p->end < base + whole->end)
        p->u1 = p->u0 + (whole->u1 - p->u0) * ((p->end - p->start) / (whole->end - whole->start));
    return true;
}

static bool same_values(const fitting *fit, sni_span a, sni_span b)
{
    const sn_track *track = &fit->track;
    if (sni_track_is_rotation(track))
        return sni_rotation_angle(sni_track_rotation(track, &a), sni_track_rotation(track, &b)) <= 1e-5;
    for (uint32_t i = 0; i < track->width; i++) {
        double x = sni_track_value(track, &a, i), y = sni_track_value(track, &b, i);
        if (fabs(x - y) > 1e-6 * fmax(fabs(x), fabs(y))) return false;
    }
    return true;
}

// Whether the last piece runs into this one. Where both are cut from one segment, rounding does not count as a jump.
static bool is_joined(const fitting *fit, const piece *p)
{
    const piece *last = &fit->last;
    if (last->from == p->from && last->to == p->to && fabs(last->u1 - p->u0) < 1e-5) return true;
    return same_values(fit, span_of(last, last->u1), span_of(p, p->u0));
}

// Where a jump at the end of the last piece has to start: a little before. Returns u there; NaN where no float lies
// between.
static double back_off(const fitting *fit, float *time)
{
    const piece *p = &fit->last;
    double step = fmin(fmax(JUMP_SECONDS, p->end * 4 * FLT_EPSILON), (p->end - p->start) / 2);
    *time = (float)(p->end - step);
    if (!(*time > (float)p->start && *time < (float)p->end)) return NAN;
    return p->u0 + (p->u1 - p->u0) * ((*time - p->start) / (p->end - p->start));
}

// The derivative per second, of one component.
static double slope_of(const sn_track *track, const piece *p, double u, uint32_t i)
{
    if (!(p->length > 0.0f)) return 0.0;
    double a = sni_track_key(track, p->from, SNI_KEY_VALUE)[i], d = sni_track_key(track, p->to, SNI_KEY_VALUE)[i];
    double b = sni_track_key(track, p->from, SNI_KEY_OUT)[i], c = sni_track_key(track, p->to, SNI_KEY_IN)[i];
    if (track->interpolation == SN_BEZIER) b = 3.0 * (b - a), c = 3.0 * (d - c);
    if (track->interpolation == SN_CUBIC_SPLINE) b *= p->length, c *= p->length;
    double rise = 6.0 * u * (1.0 - u) * (d - a);
    return (rise + b * (3.0 * u * u - 4.0 * u + 1.0) + c * (3.0 * u * u - 2.0 * u)) / p->length;
}

static float *part_of_key(fitting *fit, uint32_t key, uint32_t part)
{
    return fit->values + ((size_t)key * fit->groups + part) * fit->track.width;
}

static void set_slope(fitting *fit, uint32_t key, uint32_t part, const piece *p, double u)
{
    if (fit->groups == 1) return;
    float *slopes = part_of_key(fit, key, part);
    for (uint32_t i = 0; i < fit->track.width; i++)
        slopes[i] = p ? finite_float(fit, slope_of(&fit->track, p, u, i)) : 0.0f;
}

static void set_key(fitting *fit, uint32_t key, float time, const piece *p, double u)
{
    sni_span span = span_of(p, u);
    float *value = part_of_key(fit, key, fit->groups == 3);
    fit->times[key] = time;
    if (sni_track_is_rotation(&fit->track)) {
        sn_quat q = sni_track_rotation(&fit->track, &span);
        value[0] = q.x, value[1] = q.y, value[2] = q.z, value[3] = q.w;
        return;
    }
    for (uint32_t i = 0; i < fit->track.width; i++)
        value[i] = finite_float(fit, sni_track_value(&fit->track, &span, i));
}

// The jump's own segment is level at both ends. Without room for it the new value takes the old one's place.
static void write_jump(fitting *fit, const piece *p)
{
    float time;
    double u = back_off(fit, &time);
    uint32_t key = fit->count - 1;
    lower(fit, SNI_SAMPLED);
    if (!isnan(u)) {
        set_key(fit, key, time, &fit->last, u);
        set_slope(fit, key, 0, &fit->last, u);
        set_slope(fit, key, 2, NULL, 0.0);
        key = fit->count++;
    }
    set_key(fit, key, (float)p->start, p, p->u0);
    set_slope(fit, key, 0, NULL, 0.0);
}

static void write_smooth(fitting *fit, const piece *p)
{
    if (!fit->has_last) {
        set_key(fit, fit->count++, (float)p->start, p, p->u0);
        set_slope(fit, 0, 0, NULL, 0.0);
    } else if (!is_joined(fit, p)) {
        write_jump(fit, p);
    }
    set_slope(fit, fit->count - 1, 2, p, p->u0);
    set_key(fit, fit->count, (float)p->end, p, p->u1);
    set_slope(fit, fit->count, 0, p, p->u1);
    set_slope(fit, fit->count, 2, NULL, 0.0);
    fit->count++;
}

static void write_step(fitting *fit, const piece *p)
{
    if (fit->has_last && fit->last.from == p->from) return;
    sni_span span = span_of(p, 0.0);
    float *value = part_of_key(fit, fit->count, 0);
    for (uint32_t i = 0; i < fit->track.width; i++) value[i] = sni_track_value(&fit->track, &span, i);
    fit->times[fit->count++] = (float)p->start;
}

static sn_quat rotation_at(const fitting *fit, const piece *p, double u)
{
    sni_span span = span_of(p, u);
    return sni_track_rotation(&fit->track, &span);
}

static void add_sample(fitting *fit, float time, sn_quat value)
{
    sample *added = sni_push(fit->arena, &fit->sampled, sample);
    if (!added) {
        fit->failed = true;
        return;
    }
    added->time = time;
    added->rotation = value;
}

static double time_at(const piece *p, double part) { return p->start + (p->end - p->start) * part; }

static double u_at(const piece *p, double part) { return part == 1.0 ? p->u1 : p->u0 + (p->u1 - p->u0) * part; }

// rotation_at without library functions, for decisions.
static sn_quat curve_at(fitting *fit, const piece *p, double part)
{
    const sn_track *track = &fit->track;
    const double at = u_at(p, part);
    if (at == 0.0 || at == 1.0 || track->interpolation == SN_CUBIC_SPLINE) return rotation_at(fit, p, at);
    if (!fit->has_arcs || fit->arcs_from != p->from || fit->arcs_to != p->to) {
        fit->has_arcs = true, fit->arcs_from = p->from, fit->arcs_to = p->to;
        fit->ends = arc_between(quat_of(key_of(track, p->from)), quat_of(key_of(track, p->to)));
        fit->inner = arc_between(quat_of(sni_track_key(track, p->from, SNI_KEY_OUT)),
                                 quat_of(sni_track_key(track, p->to, SNI_KEY_IN)));
    }
    const float u = (float)at;
    const arc across = arc_between(arc_at(&fit->ends, u), arc_at(&fit->inner, u));
    return rotation_unit(arc_at(&across, 2.0f * u * (1.0f - u)));
}

// A place on the curve.
typedef struct curve_point {
    double part;  // of the piece
    sn_quat rotation;
} curve_point;

static curve_point point_at(fitting *fit, const piece *p, double part)
{
    return (curve_point){ part, curve_at(fit, p, part) };
}

// Whether the arc from `a` to `b` stays a quarter of the tolerance from the curve: leaving out keys afterwards may use
// up the rest. The middle is most often the first that is too far.
static bool is_close(fitting *fit, const piece *p, curve_point a, curve_point middle, curve_point b)
{
    const double square = square_of_quarter(fit->tolerance / 4);
    const arc straight = arc_between(a.rotation, b.rotation);
    if (!is_within(middle.rotation, rotation_unit(arc_at(&straight, 0.5f)), square)) return false;
    static const int eighths[] = { 2, 6, 1, 3, 5, 7 };
    for (size_t i = 0; i < sizeof eighths / sizeof *eighths; i++) {
        const sn_quat curve = curve_at(fit, p, a.part + (b.part - a.part) * eighths[i] / 8);
        if (!is_within(curve, rotation_unit(arc_at(&straight, (float)eighths[i] / 8)), square)) return false;
    }
    return true;
}

// Halves until the arcs are close. The stack holds the right ends still to be reached.
static void sample_piece(fitting *fit, const piece *p)
{
    curve_point at = point_at(fit, p, 0.0), ends[DEEPEST_HALVING + 1] = { point_at(fit, p, 1.0) };
    for (uint32_t depth = 1; depth > 0 && !fit->failed;) {
        const curve_point end = ends[depth - 1];
        const double halfway = (at.part + end.part) / 2;
        const bool may_split = sni_may_halve(end.part - at.part, 1.0, DEEPEST_HALVING) &&
                               (float)time_at(p, halfway) > (float)time_at(p, at.part) &&
                               (float)time_at(p, end.part) > (float)time_at(p, halfway);
        const curve_point middle = may_split ? point_at(fit, p, halfway) : end;
        if (may_split && !is_close(fit, p, at, middle, end)) {
            if (fit->budget > 0) {
                ends[depth++] = middle;
                fit->budget--;
                continue;
            }
            lower(fit, SNI_CUT);
        }
        add_sample(fit, (float)time_at(p, end.part), rotation_at(fit, p, u_at(p, end.part)));
        at = end;
        depth--;
    }
}

// Samples past the new end of the last piece give way to it.
static void sample_jump(fitting *fit)
{
    float time;
    double u = back_off(fit, &time);
    sample *samples = fit->sampled.items;
    uint32_t count = fit->sampled.count - 1;
    if (!isnan(u)) {
        while (count > 0 && samples[count - 1].time >= time) count--;
        fit->sampled.count = count;
        add_sample(fit, time, rotation_at(fit, &fit->last, u));
    } else {
        fit->sampled.count = count;
    }
}

static void write_sampled(fitting *fit, const piece *p)
{
    bool jumps = fit->has_last && !is_joined(fit, p);
    if (jumps) sample_jump(fit);
    if (jumps || !fit->has_last) add_sample(fit, (float)p->start, rotation_at(fit, p, p->u0));
    sample_piece(fit, p);
}

typedef void write_fn(fitting *fit, const piece *p);

static void write_window(fitting *fit, const window *w, write_fn *write)
{
    for (uint32_t round = 0; round < w->rounds; round++) {
        for (uint32_t i = 0; i < w->count && !fit->failed; i++) {
            piece p;
            if (!piece_in_clip(fit, &w->pieces[i], round * w->end, &p)) continue;
            write(fit, &p);
            fit->last = p;
            fit->has_last = true;
        }
    }
}

static bool new_keys(fitting *fit, uint64_t count, uint32_t groups)
{
    fit->groups = groups;
    fit->times = sni_new_raw(fit->arena, float, count);
    fit->values = sni_new_raw(fit->arena, float, count *groups * fit->track.width);
    return fit->times && fit->values;
}

// One key, for what never changes: a cubic spline needs two.
static bool fit_constant(fitting *fit, const window *w, sn_track *out)
{
    if (!new_keys(fit, 1, 1)) return false;
    fit->times[0] = (float)w->start;
    sni_track_sample(&fit->track, (float)w->start, fit->duration, (float)w->start, fit->values);
    fit->count = 1;
    out->interpolation = sni_track_is_stepped(&fit->track) ? SN_STEP : SN_LINEAR;
    return true;
}

static bool fit_written(fitting *fit, const window *w, sn_track *out)
{
    bool steps = sni_track_is_stepped(&fit->track), curves = sni_track_has_tangents(&fit->track) && !steps;
    if (!new_keys(fit, (uint64_t)w->count * w->rounds * 2 + 2, curves ? 3 : 1)) return false;
    write_window(fit, w, steps ? write_step : write_smooth);
    if (steps && !(fit->track.period > 0.0f)) {  // a key on the very end of the clip starts no piece
        piece end = piece_between(&fit->track, fit->duration, w->end, w->end);
        write_step(fit, &end);
    }
    out->interpolation = steps ? SN_STEP : curves ? SN_CUBIC_SPLINE : SN_LINEAR;
    return true;
}

static bool fit_sampled(fitting *fit, const window *w, sn_track *out)
{
    uint32_t most = *fit->keys_left < MOST_SAMPLED ? (uint32_t)*fit->keys_left : MOST_SAMPLED;
    fit->budget = most;
    lower(fit, SNI_SAMPLED);
    write_window(fit, w, write_sampled);
    *fit->keys_left -= most - fit->budget;
    if (fit->failed || !new_keys(fit, fit->sampled.count, 1)) return false;
    const sample *samples = fit->sampled.items;
    for (uint32_t i = 0; i < fit->sampled.count; i++) {
        fit->times[i] = samples[i].time;
        memcpy(fit->values + (size_t)i * 4, &samples[i].rotation, 4 * sizeof(float));
    }
    fit->count = fit->sampled.count;
    out->interpolation = SN_LINEAR;
    return true;
}

static bool fit_window(fitting *fit, sn_track *out)
{
    window w = window_of(&fit->track, fit->duration);
    if (!cut_pieces(fit, &w)) return false;
    const bool never_changes = w.count == 0 || (w.count == 1 && !(w.pieces[0].length > 0.0f)) ||
                               !(fit->duration > 0.0f);
    if (never_changes) {
        if (!fit_constant(fit, &w, out)) return false;
    } else {
        const bool samples = sni_track_is_rotation(&fit->track) && sni_track_has_tangents(&fit->track) &&
                             !sni_track_is_stepped(&fit->track);
        count_rounds(fit, &w);
        if (!(samples ? fit_sampled(fit, &w, out) : fit_written(fit, &w, out))) return false;
    }
    out->wrap = SN_WRAP_HOLD;
    out->period = 0.0f;
    out->times = fit->times;
    out->values = fit->values;
    out->key_count = fit->count;
    return true;
}

// Held, without a clock, inside the clip, and of a kind that glTF has.
static bool fits_already(const sn_track *track, float duration)
{
    if (track->wrap != SN_WRAP_HOLD || track->period > 0.0f) return false;
    if (track->times[0] < 0.0f || track->times[track->key_count - 1] > duration) return false;
    if (sni_track_has_tangents(track))
        return track->interpolation == SN_CUBIC_SPLINE && track->key_count > 1 && !sni_track_is_stepped(track);
    return true;
}

// Without a way around the loop to go: one key, or keys that reach from end to end.
static bool never_wraps(const sn_track *track, float duration)
{
    if (track->period > 0.0f) return false;
    return track->key_count == 1 || (track->times[0] <= 0.0f && track->times[track->key_count - 1] >= duration);
}

// Whether the way around the loop is not followed in all it does: Warcraft III's jump before the first key, and the
// standstills of a cycle whose keys lie past the clip.
static bool bends_the_loop(const sn_track *track, float duration)
{
    if (track->wrap == SN_WRAP_HOLD || track->key_count < 2 || sni_track_is_stepped(track)) return false;
    bool jumps = track->wrap == SN_WRAP_CYCLE_GAME && track->times[0] > 0.0f;
    return jumps || (!(track->period > 0.0f) && track->times[track->key_count - 1] > duration);
}

static bool fit_track(sni_arena *arena, const sn_track *in, float duration, double tolerance, uint64_t *keys_left,
                      sn_track *out, sni_exactness *exactness)
{
    fitting fit = { .arena = arena, .track = *out, .duration = fmaxf(duration, 0.0f), .keys_left = keys_left };
    fit.exactness = bends_the_loop(out, fit.duration) ? SNI_SAMPLED : SNI_EXACT;
    fit.tolerance = tolerance > 0.0 ? tolerance : USUAL_TOLERANCE;
    if (fit.track.wrap == SN_WRAP_CYCLE_GAME) fit.track.wrap = SN_WRAP_CYCLE;
    if (!fit_window(&fit, out)) return false;
    *exactness = fit.exactness;
    if (!sni_track_is_rotation(out)) return true;
    sn_track aligned;
    if (!sni_track_align_rotations(arena, out, &aligned)) return false;
    *out = aligned;
    bool was_sampled = sni_track_has_tangents(in) && out->interpolation == SN_LINEAR;
    return !was_sampled || sni_track_reduce(arena, &aligned, fit.tolerance * 0.75, out);
}

bool sni_track_fit(sni_arena *arena, const sn_track *in, float duration, double tolerance, uint64_t *keys_left,
                   sn_track *out, sni_exactness *exactness)
{
    *out = *in;
    *exactness = SNI_EXACT;
    if (in->key_count == 0) return true;
    if (never_wraps(in, duration)) out->wrap = SN_WRAP_HOLD;
    if (fits_already(out, duration)) {
        if (sni_track_is_stepped(in)) out->interpolation = SN_STEP;
        return true;
    }
    return fit_track(arena, in, duration, tolerance, keys_left, out, exactness);
}

bool sni_track_sample_rotations(sni_arena *arena, const sn_track *in, float duration, double tolerance,
                                uint64_t *keys_left, sn_track *out)
{
    sni_exactness exactness;
    if (!sni_track_is_rotation(in) || !sni_track_has_tangents(in) || in->key_count == 0)
        return sni_track_fit(arena, in, duration, tolerance, keys_left, out, &exactness);
    *out = *in;
    return fit_track(arena, in, duration, tolerance, keys_left, out, &exactness);
}

bool sni_track_rotation_way(sni_arena *arena, sn_interpolation interpolation, const float *from, const float *to,
                            float length, float cut, double tolerance, uint64_t *keys_left, sn_track *out)
{
    const size_t floats = interpolation >= SN_HERMITE ? 12 : 4;
    float both[24];
    const float ends[] = { 0.0f, length };
    memcpy(both, from, floats * sizeof *both);
    memcpy(both + floats, to, floats * sizeof *both);
    const sn_track whole = { .channel = SN_CHANNEL_ROTATION,
                             .interpolation = (uint8_t)interpolation,
                             .key_count = 2,
                             .width = 4,
                             .times = ends,
                             .values = both };
    sn_track linear = whole;
    if (interpolation >= SN_HERMITE &&
        !sni_track_sample_rotations(arena, &whole, length, tolerance, keys_left, &linear))
        return false;
    float *times = sni_new_raw(arena, float, (uint64_t)linear.key_count + 1);
    float *values = sni_new_raw(arena, float, 4 * ((uint64_t)linear.key_count + 1));
    uint32_t count = 0;
    bool has_cut = false;
    if (!times || !values) return false;
    for (uint32_t i = 0; i <= linear.key_count; i++) {
        const bool is_end = i == linear.key_count;
        if (!has_cut && (is_end || linear.times[i] + 0.0005f >= cut)) {
            times[count] = cut;
            sni_track_sample(&whole, cut, length, cut, values + 4 * (size_t)count++);
            has_cut = true;
        }
        if (is_end) break;
        const bool is_first = i == 0, is_last = i + 1 == linear.key_count;
        const float time = is_first || is_last ? linear.times[i]
                                               : (float)(floor((double)linear.times[i] * 1000.0 + 0.5) / 1000.0);
        if (time == cut || (count > 0 && !(time > times[count - 1])) || (!is_last && !(time < length))) continue;
        times[count] = time;
        sni_track_sample(&whole, time, length, time, values + 4 * (size_t)count++);
    }
    *out = linear;
    out->interpolation = SN_LINEAR;
    out->times = times, out->values = values, out->key_count = count;
    return true;
}

// Whether a line between two times stays near the curve, at three places. `a`, `b` and `at` hold a value each.
static bool is_straight(const sn_track *in, float from, float to, double tolerance, float *a, float *b, float *at)
{
    sni_track_sample(in, from, to, from, a);
    sni_track_sample(in, to, to, to, b);
    for (int step = 1; step <= 3; step++) {
        const float u = (float)step / 4.0f, time = sni_lerp(from, to, u);
        sni_track_sample(in, time, to, time, at);
        for (uint32_t i = 0; i < in->width; i++)
            if (!(fabs((double)sni_lerp(a[i], b[i], u) - at[i]) <= tolerance)) return false;
    }
    return true;
}

bool sni_track_make_linear(sni_arena *arena, const sn_track *in, float duration, double tolerance, uint64_t *keys_left,
                           sn_track *out)
{
    enum { DEEPEST = 10 };
    *out = *in;
    if (!sni_track_has_tangents(in) || in->key_count == 0 || !is_plain(in)) return true;
    if (sni_track_is_rotation(in)) return sni_track_sample_rotations(arena, in, duration, tolerance, keys_left, out);
    float *scratch = sni_new_raw(arena, float, 3 * (uint64_t)in->width);
    sni_list list = { 0 };  // float: times
    if (!scratch) return false;
    for (uint32_t i = 0; i < in->key_count; i++) {
        const double whole = i > 0 ? (double)in->times[i] - in->times[i - 1] : 0.0;
        float from = i > 0 ? in->times[i - 1] : in->times[0], ends[DEEPEST + 1] = { in->times[i] };
        for (uint32_t depth = 1; depth > 0;) {  // the stack holds the ends still to be reached
            const float to = ends[depth - 1], middle = from + (to - from) / 2.0f;
            const bool can_split = sni_may_halve((double)to - from, whole, DEEPEST) && middle > from &&
                                   middle<to && * keys_left> 0;
            if (can_split &&
                !is_straight(in, from, to, tolerance, scratch, scratch + in->width, scratch + 2 * (size_t)in->width)) {
                ends[depth++] = middle;
                --*keys_left;
                continue;
            }
            float *time = sni_push(arena, &list, float);
            if (!time) return false;
            *time = from = to;
            depth--;
        }
    }
    float *values = sni_new_raw(arena, float, (uint64_t)list.count * in->width);
    const float *times = list.items;
    if (!values) return false;
    for (uint32_t i = 0; i < list.count; i++)
        sni_track_sample(in, times[i], times[i], times[i], values + (size_t)i * in->width);
    out->interpolation = SN_LINEAR;
    out->times = times;
    out->values = values;
    out->key_count = list.count;
    return true;
}
