#include "convert/color_tracks.h"

#include <math.h>
#include <string.h>

#include "base/color.h"
#include "model/track.h"

// Sampling and key reduction may each use half of the tolerance. Intervals below SHORTEST seconds are not sampled: they
// are jumps, which are two keys JUMP apart. The budget bounds hostile files.
static const double TOLERANCE = 0.0005;
static const float SHORTEST = 1e-4f, JUMP = 1e-5f;
enum { MOST_SAMPLED = 1 << 16, DEEPEST_HALVING = 10, WIDTH = 4 };

typedef struct sampling {
    sni_arena *arena;
    const sni_color_tracks *factors;
    sni_list times, values;  // of float, of sn_vec4
    uint32_t budget;
    bool is_cut;  // a line that is not close was kept, for lack of budget
    bool failed;
} sampling;

static float unit(double value) { return (float)(value > 0.0 ? (value < 1.0 ? value : 1.0) : 0.0); }

static sn_vec4 multiply(sn_vec4 layer, sn_vec4 part)
{
    return (sn_vec4){ unit(layer.x * sni_linear_of(part.x)), unit(layer.y * sni_linear_of(part.y)),
                      unit(layer.z * sni_linear_of(part.z)), unit((double)layer.w * part.w) };
}

sn_vec4 sni_color_at_rest(const sni_color_tracks *factors) { return multiply(factors->layer, factors->part); }

static sn_vec4 value_at(const sni_color_tracks *factors, float time)
{
    sn_vec4 layer = factors->layer, part = factors->part;
    if (factors->layer_color) sni_track_sample(factors->layer_color, time, 0.0f, 0.0f, &layer.x);
    if (factors->layer_alpha) sni_track_sample(factors->layer_alpha, time, 0.0f, 0.0f, &layer.w);
    if (factors->part_color) sni_track_sample(factors->part_color, time, 0.0f, 0.0f, &part.x);
    if (factors->part_alpha) sni_track_sample(factors->part_alpha, time, 0.0f, 0.0f, &part.w);
    return multiply(layer, part);
}

static void gather(const sni_color_tracks *factors, const sn_track *tracks[4])
{
    tracks[0] = factors->layer_color, tracks[1] = factors->layer_alpha;
    tracks[2] = factors->part_color, tracks[3] = factors->part_alpha;
}

static bool is_step(const sn_track *track) { return track->interpolation == SN_STEP; }

// A single key is as good as a step.
static bool all_step(const sni_color_tracks *factors)
{
    const sn_track *tracks[4];
    gather(factors, tracks);
    for (int i = 0; i < 4; i++) {
        if (tracks[i] && !is_step(tracks[i]) && tracks[i]->key_count > 1) return false;
    }
    return true;
}

// Each time at which a track has a key; where a step is mixed with curves also a time just before it.
static float *times_of(const sampling *s, bool steps, uint32_t *count)
{
    const sn_track *tracks[4];
    uint64_t total = 0;
    uint32_t used = 0;
    gather(s->factors, tracks);
    for (int i = 0; i < 4; i++) total += tracks[i] ? (uint64_t)tracks[i]->key_count * 2 : 0;
    float *times = sni_new_raw(s->arena, float, total);
    for (int i = 0; i < 4 && times; i++) {
        for (uint32_t key = 0; tracks[i] && key < tracks[i]->key_count; key++) {
            float time = tracks[i]->times[key], before = fminf(time - JUMP, nextafterf(time, 0.0f));
            times[used++] = time;
            if (!steps && is_step(tracks[i]) && key > 0 && before > tracks[i]->times[key - 1]) times[used++] = before;
        }
    }
    if (!times) return NULL;
    *count = sni_merge_key_times(times, used);
    return times;
}

static void add(sampling *s, float time)
{
    float *added = sni_push(s->arena, &s->times, float);
    sn_vec4 *value = sni_push(s->arena, &s->values, sn_vec4);
    s->failed = s->failed || !added || !value;
    if (s->failed) return;
    *added = time;
    *value = value_at(s->factors, time);
}

static bool are_close(sn_vec4 a, sn_vec4 b)
{
    return fmax(fmax(fabs((double)a.x - b.x), fabs((double)a.y - b.y)),
                fmax(fabs((double)a.z - b.z), fabs((double)a.w - b.w))) <= TOLERANCE;
}

static bool is_straight(const sampling *s, float from, float to)
{
    sn_vec4 a = value_at(s->factors, from), b = value_at(s->factors, to);
    for (int i = 1; i < 8; i++) {
        float u = (float)i / 8.0f, time = from + (to - from) * u;
        sn_vec4 line = { a.x + (b.x - a.x) * u, a.y + (b.y - a.y) * u, a.z + (b.z - a.z) * u, a.w + (b.w - a.w) * u };
        if (!are_close(value_at(s->factors, time), line)) return false;
    }
    return true;
}

// Halves until the lines are close. The stack holds the ends still to be reached.
static void add_until(sampling *s, float from, float end)
{
    const double whole = (double)end - from;
    float ends[DEEPEST_HALVING + 1] = { end };
    for (uint32_t depth = 1; depth > 0 && !s->failed;) {
        float to = ends[depth - 1], middle = from + (to - from) / 2;
        if (sni_may_halve((double)to - from, whole, DEEPEST_HALVING) && to - from > SHORTEST &&
            !is_straight(s, from, to)) {
            if (s->budget > 0) {
                ends[depth++] = middle;
                s->budget--;
                continue;
            }
            s->is_cut = true;
        }
        add(s, to);
        from = to;
        depth--;
    }
}

static bool split(sni_arena *arena, const sn_track *both, sn_track *color, sn_track *alpha)
{
    float *colors = sni_new_raw(arena, float, (uint64_t)both->key_count * 3),
          *alphas = sni_new_raw(arena, float, both->key_count);
    if (!colors || !alphas) return false;
    for (uint32_t i = 0; i < both->key_count; i++) {
        memcpy(colors + (size_t)i * 3, both->values + (size_t)i * WIDTH, 3 * sizeof(float));
        alphas[i] = both->values[(size_t)i * WIDTH + 3];
    }
    *color = *alpha = *both;
    color->width = 3, color->values = colors;
    alpha->width = 1, alpha->values = alphas, alpha->channel = SN_CHANNEL_ALPHA;
    return true;
}

static bool sample(sni_arena *arena, const sni_color_tracks *factors, uint64_t *keys_left, sn_track *color,
                   sn_track *alpha, sni_exactness *exactness)
{
    uint32_t most = *keys_left < MOST_SAMPLED ? (uint32_t)*keys_left : MOST_SAMPLED;
    sampling s = { .arena = arena, .factors = factors, .budget = most };
    bool steps = all_step(factors);
    uint32_t count = 0;
    float *times = times_of(&s, steps, &count);
    if (!times) return false;
    for (uint32_t i = 0; i < count && !s.failed; i++) {
        if (i > 0 && !steps) add_until(&s, times[i - 1], times[i]);
        else add(&s, times[i]);
    }
    if (s.failed) return false;
    *keys_left -= most - s.budget;
    *exactness = steps ? SNI_EXACT : s.is_cut ? SNI_CUT : SNI_SAMPLED;
    sn_track both = { .channel = SN_CHANNEL_COLOR,
                      .interpolation = steps ? SN_STEP : SN_LINEAR,
                      .key_count = s.times.count,
                      .width = WIDTH,
                      .times = s.times.items,
                      .values = s.values.items },
             reduced;
    return sni_track_reduce(arena, &both, TOLERANCE, &reduced) && split(arena, &reduced, color, alpha);
}

// Keys and tangents alike.
static bool scale(sni_arena *arena, const sn_track *in, const float *factors, sn_track *out)
{
    uint64_t count = (uint64_t)in->key_count * in->width * (in->interpolation == SN_CUBIC_SPLINE ? 3 : 1);
    float *values = sni_new_raw(arena, float, count);
    if (!values) return false;
    for (uint64_t i = 0; i < count; i++) values[i] = in->values[i] * factors[i % in->width];
    *out = *in;
    out->values = values;
    return true;
}

static bool same_keys(const sn_track *a, const sn_track *b)
{
    return a->key_count == b->key_count && a->interpolation == b->interpolation &&
           memcmp(a->times, b->times, a->key_count * sizeof *a->times) == 0;
}

// Where only constants are multiplied in, the keys stay.
static bool stays_exact(const sni_color_tracks *factors)
{
    const sn_track *color = factors->layer_color,
                   *alpha = factors->layer_alpha ? factors->layer_alpha : factors->part_alpha;
    if (factors->part_color || (factors->layer_alpha && factors->part_alpha)) return false;
    return !color || !alpha || same_keys(color, alpha);
}

bool sni_make_color_tracks(sni_arena *arena, const sni_color_tracks *factors, uint64_t *keys_left, sn_track *color,
                           sn_track *alpha, sni_exactness *exactness)
{
    const sn_track none = { 0 };
    sn_vec4 part = { (float)sni_linear_of(factors->part.x), (float)sni_linear_of(factors->part.y),
                     (float)sni_linear_of(factors->part.z), factors->part.w };
    *color = *alpha = none;
    *exactness = SNI_EXACT;
    if (!stays_exact(factors)) return sample(arena, factors, keys_left, color, alpha, exactness);
    if (factors->layer_color && !scale(arena, factors->layer_color, &part.x, color)) return false;
    if (factors->layer_alpha) return scale(arena, factors->layer_alpha, &part.w, alpha);
    return !factors->part_alpha || scale(arena, factors->part_alpha, &factors->layer.w, alpha);
}
