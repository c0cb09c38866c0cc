// Clips to sequences on one timeline, and the tracks of all clips that drive one channel to one track of the file.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/math.h"
#include "format/mdx/mdx_export.h"
#include "model/track.h"

enum { GAP = 100, SHORTEST = 33, LAST_TIME = 1 << 30 };

static sni_str text_of(const char *text) { return sni_str_make(text, strlen(text)); }

const sni_found_track *mdx_find_tracks(const mdx_exporter *x, sn_target kind, int32_t target, int32_t sub,
                                       sn_channel channel, uint32_t *count)
{
    const uint64_t wanted = sni_drives(kind, target, sub, channel);
    const uint32_t first = sni_track_index_first(&x->found, wanted, 0);
    *count = sni_track_index_first(&x->found, wanted + 1, 0) - first;
    return x->found.tracks + first;
}

const sn_track *mdx_find_clip_track(const mdx_exporter *x, uint32_t clip, sn_target kind, int32_t target, int32_t sub,
                                    sn_channel channel)
{
    return sni_track_index_find(&x->found, sni_drives(kind, target, sub, channel), clip);
}

// The timeline

static int32_t milliseconds(double seconds)
{
    return (int32_t)fmin(fmax(floor(seconds * 1000.0 + 0.5), 0.0), LAST_TIME);
}

// Numbers that a sequence of Warcraft III kept in its clip's extras.
typedef struct sequence_extras {
    bool has_interval, is_non_looping;
    float interval[2], move_speed, rarity;
    int64_t sync_point;
} sequence_extras;

static sequence_extras read_extras(mdx_exporter *x, const sn_clip *clip)
{
    sequence_extras out = { 0 };
    mdx_extras in;
    sni_str key;
    if (!mdx_open_extras(x, clip->extras, &in)) return out;
    while (sni_json_next_key(&in.json, &key)) {
        sni_json *json = &in.json;
        const bool is_number = sni_json_peek(json) == SNI_JSON_NUMBER;
        if (sni_str_is(key, "interval")) {
            out.has_interval = sni_json_floats(json, out.interval, 2);
            if (!out.has_interval) sni_json_skip(json);
        } else if (is_number && sni_str_is(key, "moveSpeed")) out.move_speed = sni_json_float(json);
        else if (is_number && sni_str_is(key, "rarity")) out.rarity = sni_json_float(json);
        else if (sni_str_is(key, "nonLooping")) out.is_non_looping = true, sni_json_skip(json);
        else if (is_number && sni_str_is(key, "syncPoint")) sni_json_integer(json, &out.sync_point);
        else sni_json_skip(json);
    }
    return out;
}

static int compare_intervals(const void *left, const void *right)
{
    const mdx_interval *a = left, *b = right;
    return a->start != b->start ? (a->start < b->start ? -1 : 1) : (a->end > b->end) - (a->end < b->end);
}

// Several clips may have had the same one.
static int compare_old(const void *left, const void *right)
{
    const mdx_old_interval *a = left, *b = right;
    const int order = compare_intervals(&a->at, &b->at);
    return order ? order : (a->clip > b->clip) - (a->clip < b->clip);
}

// The old intervals are kept where all clips have theirs, as long as the clip and apart from each other.
static bool keep_intervals(mdx_exporter *x, const sequence_extras *extras)
{
    const uint32_t count = x->model->clip_count;
    mdx_interval *sorted = sni_new_raw(x->arena, mdx_interval, count);
    if (!sorted) return false;
    for (uint32_t i = 0; i < count; i++) {
        const float *interval = extras[i].interval;
        const bool is_small = interval[0] >= 0.0f && interval[0] < interval[1] && interval[1] <= 16777216.0f;
        if (!extras[i].has_interval || !is_small) return false;
        sorted[i] = (mdx_interval){ (int32_t)interval[0], (int32_t)interval[1] };
        if (sorted[i].end - sorted[i].start != milliseconds(x->model->clips[i].duration)) return false;
        if (sorted[i].end <= sorted[i].start) return false;
        x->timeline.intervals[i] = sorted[i];
    }
    qsort(sorted, count, sizeof *sorted, compare_intervals);
    for (uint32_t i = 1; i < count; i++)
        if (sorted[i].start <= sorted[i - 1].end) return false;
    return true;
}

static bool list_old(mdx_exporter *x, const sequence_extras *extras)
{
    mdx_timeline *t = &x->timeline;
    t->old = sni_new_raw(x->arena, mdx_old_interval, x->model->clip_count);
    for (uint32_t i = 0; t->old && i < x->model->clip_count; i++)
        if (extras[i].has_interval && fabsf(extras[i].interval[0]) < 1e9f && fabsf(extras[i].interval[1]) < 1e9f)
            t->old[t->old_count++] = (mdx_old_interval){
                { (int32_t)extras[i].interval[0], (int32_t)extras[i].interval[1] }, i
            };
    if (t->old_count > 1) qsort(t->old, t->old_count, sizeof *t->old, compare_old);
    return t->old != NULL;
}

bool mdx_map_time(mdx_timeline *timeline, int32_t old, int32_t *time)
{
    uint32_t low = 0, high = timeline->old_count;
    *time = old;
    if (timeline->is_kept) return true;
    while (low < high) {  // the last that starts at or before it
        const uint32_t middle = low + (high - low) / 2;
        if (timeline->old[middle].at.start <= old) low = middle + 1;
        else high = middle;
    }
    if (low == 0 || old > timeline->old[low - 1].at.end) {
        timeline->lost_keys++;
        return false;
    }
    const mdx_interval *now = &timeline->intervals[timeline->old[low - 1].clip];
    const int64_t at = (int64_t)now->start + old - timeline->old[low - 1].at.start;
    *time = at < now->end ? (int32_t)at : now->end;
    return true;
}

static bool lay_out_clips(mdx_exporter *x, const sequence_extras *extras)
{
    mdx_timeline *t = &x->timeline;
    int64_t at = 0;
    t->intervals = sni_new(x->arena, mdx_interval, x->model->clip_count);
    if (!t->intervals) return false;
    t->is_kept = x->model->clip_count > 0 && keep_intervals(x, extras);
    for (uint32_t i = 0; !t->is_kept && i < x->model->clip_count; i++) {
        const int32_t length = milliseconds(x->model->clips[i].duration);
        t->intervals[i].start = (int32_t)at;
        at += length > SHORTEST ? length : SHORTEST;
        if (at > LAST_TIME)
            return sni_fail(&x->save->diag, SN_ERR_UNSUPPORTED, 0, "the clips are too long for one timeline");
        t->intervals[i].end = (int32_t)at;
        at += GAP;
    }
    return sni_save_ok(x->save);
}

mdx_extent mdx_extent_of(const sn_bounds *bounds)
{
    const double far = sni_length(sni_vec3(fmaxf(fabsf(bounds->min.x), fabsf(bounds->max.x)),
                                           fmaxf(fabsf(bounds->min.y), fabsf(bounds->max.y)),
                                           fmaxf(fabsf(bounds->min.z), fabsf(bounds->max.z))));
    return (mdx_extent){ (float)fmin(far, FLT_MAX),
                         { bounds->min.x, bounds->min.y, bounds->min.z },
                         { bounds->max.x, bounds->max.y, bounds->max.z } };
}

// What the game calls a clip whose name says the same in other words: "Armature|idle" is a "Stand". NULL: nothing, or
// its name is that of the game already, as "Attack - 2" is.
static const char *game_name(const char *name)
{
    static const struct {
        const char *word, *name;
    } words[] = { { "idle", "Stand" },       { "stand", "Stand" },   { "rest", "Stand" },  { "walk", "Walk" },
                  { "run", "Walk Fast" },    { "attack", "Attack" }, { "death", "Death" }, { "die", "Death" },
                  { "dying", "Death" },      { "dead", "Death" },    { "cast", "Spell" },  { "spell", "Spell" },
                  { "decay", "Decay Flesh" } };
    const char *start = name;
    for (const char *at = name; *at; at++)
        if (*at == '|' || *at == '.' || *at == '/') start = at + 1;
    size_t size = 0;
    while ((start[size] | 32) >= 'a' && (start[size] | 32) <= 'z') size++;
    if (start[size + strspn(start + size, " _-.0123456789")]) return NULL;  // something else follows
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (sni_str_is_nocase(sni_str_make(start, size), words[i].word))
            return strncmp(name, words[i].name, strlen(words[i].name)) == 0 && start[size] != '_' ? NULL
                                                                                                  : words[i].name;
    return NULL;
}

// The second "Stand" is "Stand - 2". Names of Warcraft III stay. `number`: the first that may be free.
static sni_str sequence_name(mdx_exporter *x, const sni_nocase_names *used, uint32_t index, uint32_t *number)
{
    const char *own = x->model->clips[index].name, *known = x->is_own ? NULL : game_name(own);
    char name[MDX_NAME_BYTES];
    if (!known && own[0]) return mdx_name_text(x, own, MDX_NAME_BYTES);
    if (!known) known = "Stand";
    snprintf(name, sizeof name, "%s", known);
    for (uint32_t n = *number; sni_nocase_names_find(used, text_of(name)) >= 0; n++) {
        snprintf(name, sizeof name, "%s - %u", known, n);
        *number = n;
    }
    const char *kept = sni_copy_text(x->arena, name, strlen(name));
    return sni_str_make(kept ? kept : "", kept ? strlen(kept) : 0);
}

bool mdx_export_timeline(mdx_exporter *x)
{
    const sn_model *model = x->model;
    sequence_extras *extras = sni_new(x->arena, sequence_extras, model->clip_count);
    if (!extras || !sni_track_index_make(x->arena, model, &x->found)) return false;
    for (uint32_t i = 0; i < model->clip_count; i++) extras[i] = read_extras(x, &model->clips[i]);
    sni_nocase_names used = { 0 };
    if (!list_old(x, extras) || !lay_out_clips(x, extras)) return false;
    for (uint32_t i = 0; i < model->clip_count; i++)
        if ((x->is_own || !game_name(model->clips[i].name)) &&
            !sni_nocase_names_add(x->arena, &used, text_of(model->clips[i].name), (int32_t)i))
            return false;
    uint32_t number = 2;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        mdx_sequence *sequence = sni_push(x->arena, &x->doc->sequences, mdx_sequence);
        if (!sequence) return false;
        sequence->name = sequence_name(x, &used, i, &number);
        if (!sni_nocase_names_add(x->arena, &used, sequence->name, (int32_t)i)) return false;
        sequence->start = (uint32_t)x->timeline.intervals[i].start;
        sequence->end = (uint32_t)x->timeline.intervals[i].end;
        const bool loops = extras[i].has_interval ? !extras[i].is_non_looping : model->clips[i].loops;
        sequence->flags = loops ? 0 : MDX_NON_LOOPING;
        sequence->move_speed = extras[i].move_speed;
        sequence->rarity = extras[i].rarity;
        sequence->sync_point = (uint32_t)extras[i].sync_point;
        sequence->extent = mdx_extent_of(&x->save->clip_bounds[i + 1]);
    }
    return true;
}

// Keys

// A track of the model while it becomes keys of one clip.
typedef struct clip_track {
    uint32_t clip;
    bool is_inexact;         // it was sampled
    sn_track source, track;  // before and after that
} clip_track;

// One track being written: keys of the model's kind, on the file's timeline.
typedef struct keys {
    const mdx_track_kind *kind;
    const float *subtract;
    uint32_t width, groups;
    sn_interpolation interpolation;  // step, linear, Hermite or Bezier
    sni_list *times;                 // int32_t
    sni_list *values;                // float: in, value, out, or the value
    bool failed;
} keys;

static uint32_t width_of(mdx_type type) { return type == MDX_QUAT ? 4 : type == MDX_VEC3 || type == MDX_COLOR ? 3 : 1; }

// A key with level tangents, where there are any.
static float *add_key(mdx_exporter *x, keys *k, int32_t time, const float *value)
{
    int32_t *times = k->times->items;
    const uint32_t count = k->times->count;
    if (count > 0 && time < times[count - 1]) time = times[count - 1];  // keys closer than a millisecond
    if (count > 0 && times[count - 1] == time) {  // a jump: the old value is held until a millisecond before
        const bool has_room = count == 1 ? false : times[count - 2] < time - 1;
        if (has_room) times[count - 1]--;
        else k->times->count--, k->values->count -= k->groups * k->width;
    }
    int32_t *at = sni_push(x->arena, k->times, int32_t);
    const uint32_t first = k->values->count;
    for (uint32_t i = 0; i < k->groups * k->width; i++) {
        float *slot = sni_push(x->arena, k->values, float);
        if (!slot || !at) {
            k->failed = true;
            return NULL;
        }
        const uint32_t part = i / k->width;
        const bool is_point = k->groups == 1 || part == 1 || k->interpolation == SN_BEZIER || k->width == 4;
        *slot = is_point ? value[i % k->width] : 0.0f;
    }
    *at = time;
    return (float *)k->values->items + first;
}

static void sample_at(const sn_track *track, double seconds, float duration, float *out)
{
    sni_track_sample(track, (float)seconds, duration, (float)seconds, out);
}

// Tangents in the form of the file's track. Rotations: the inner points of a squad in both forms.
static void set_tangents(const keys *k, const sn_track *track, uint32_t key, float *out)
{
    const float *value = sni_track_key(track, key, SNI_KEY_VALUE);
    const double before = key > 0 ? track->times[key] - track->times[key - 1] : 0.0;
    const double after = key + 1 < track->key_count ? track->times[key + 1] - track->times[key] : 0.0;
    for (uint32_t i = 0; k->groups == 3 && k->width != 4 && i < k->width; i++) {
        double in = 0.0, leave = 0.0;  // as Hermite's: differences over the segment
        if (track->interpolation == SN_LINEAR) {
            if (key > 0) in = (double)value[i] - sni_track_key(track, key - 1, SNI_KEY_VALUE)[i];
            if (key + 1 < track->key_count) leave = (double)sni_track_key(track, key + 1, SNI_KEY_VALUE)[i] - value[i];
        } else if (sni_track_has_tangents(track)) {
            in = sni_track_key(track, key, SNI_KEY_IN)[i], leave = sni_track_key(track, key, SNI_KEY_OUT)[i];
            if (track->interpolation == SN_BEZIER) in = 3.0 * (value[i] - in), leave = 3.0 * (leave - value[i]);
            if (track->interpolation == SN_CUBIC_SPLINE) in *= before, leave *= after;
        }
        if (k->interpolation == SN_BEZIER) in = value[i] - in / 3.0, leave = value[i] + leave / 3.0;
        out[i] = (float)in;
        out[2 * k->width + i] = (float)leave;
    }
    if (k->groups == 3 && k->width == 4 && sni_track_has_tangents(track)) {
        memcpy(out, sni_track_key(track, key, SNI_KEY_IN), 4 * sizeof(float));
        memcpy(out + 8, sni_track_key(track, key, SNI_KEY_OUT), 4 * sizeof(float));
    }
}

// Between a key and its copy at the clip's end nothing moves.
static void level(const keys *k, float *key, sni_key_part part)
{
    const bool is_point = k->interpolation == SN_BEZIER || k->width == 4;
    for (uint32_t i = 0; k->groups == 3 && i < k->width; i++)
        key[part * k->width + i] = is_point ? key[k->width + i] : 0.0f;
}

// How far a linear track is from its key at `exact`, when the key moves to a whole millisecond `at` with the value
// there.
static double corner_error(const sn_track *track, uint32_t key, double exact, int32_t at, const float *value)
{
    const uint32_t other = at > exact ? key - 1 : key + 1;
    if (other >= track->key_count) return 0.0;  // what is after the end is not shown
    const double away = (double)track->times[other] * 1000.0, u = (exact - away) / (at - away);
    const float *from = sni_track_key(track, other, SNI_KEY_VALUE), *wanted = sni_track_key(track, key, SNI_KEY_VALUE);
    double largest = 0.0;
    for (uint32_t i = 0; i < track->width; i++)
        largest = sni_max(largest, fabs(from[i] + (value[i] - from[i]) * u - wanted[i]));
    return largest;
}

// The keys of one clip. A held track gets a key at both ends, since the game goes around from the last key to the
// first. A key between two milliseconds moves to the nearest, with the value that the track has there. Returns whether
// one moved.
static bool add_clip_keys(mdx_exporter *x, keys *k, const sn_track *track, float duration, mdx_interval interval)
{
    const bool is_held = track->wrap == SN_WRAP_HOLD && track->key_count > 1;
    const uint32_t last = track->key_count - 1;
    float value[4] = { 0 };
    bool is_moved = false;
    if (track->key_count == 1) {
        add_key(x, k, interval.start, sni_track_key(track, 0, SNI_KEY_VALUE));
        return false;
    }
    if (is_held && milliseconds(track->times[0]) > 0)
        add_key(x, k, interval.start, sni_track_key(track, 0, SNI_KEY_VALUE));
    for (uint32_t i = 0; i <= last && !k->failed; i++) {
        const double exact = (double)track->times[i] * 1000.0;
        if (exact < -0.5 || exact > interval.end - interval.start + 0.5) continue;
        const int32_t at = milliseconds(track->times[i]);
        const bool is_between = fabs(exact - at) > 1e-3 * fmax(1.0, exact * 1e-3);
        is_moved |= is_between;
        memcpy(value, sni_track_key(track, i, SNI_KEY_VALUE), k->width * sizeof(float));
        if (is_between && !sni_track_is_stepped(track) && i > 0) {
            sample_at(track, at / 1000.0, duration, value);
            const bool is_linear = track->interpolation == SN_LINEAR && k->groups == 1;
            const double allowed = 2e-5 * (track->width == 4 ? 1.0 : x->save->clip_bounds[0].radius);
            if (is_linear && corner_error(track, i, exact, at, value) > allowed) {
                float before[4];  // a sharp corner: keys on both sides of it
                const uint32_t count = k->times->count;
                const int32_t latest = count > 0 ? ((const int32_t *)k->times->items)[count - 1] : INT32_MIN;
                sample_at(track, floor(exact) / 1000.0, duration, before);
                if (latest < interval.start + (int32_t)floor(exact))
                    add_key(x, k, interval.start + (int32_t)floor(exact), before);
                sample_at(track, ceil(exact) / 1000.0, duration, value);
                add_key(x, k, interval.start + (int32_t)ceil(exact), value);
                continue;
            }
        }
        float *out = add_key(x, k, interval.start + at, value);
        if (!out) return false;
        set_tangents(k, track, i, out);
        if (is_held && i == 0) level(k, out, SNI_KEY_IN);
        if (is_held && i == last) level(k, out, SNI_KEY_OUT);
    }
    if (is_held && interval.start + milliseconds(track->times[last]) < interval.end)
        add_key(x, k, interval.end, sni_track_key(track, last, SNI_KEY_VALUE));
    return is_moved;
}

// A step among curves: the old value is held until a millisecond before the new one.
static void add_steps(mdx_exporter *x, keys *k, const sn_track *track, mdx_interval interval)
{
    const float *old = NULL;
    int32_t before = interval.start;
    for (uint32_t i = 0; i < track->key_count && !k->failed; i++) {
        const float *value = sni_track_key(track, i, SNI_KEY_VALUE);
        const int32_t at = i == 0 ? interval.start : interval.start + milliseconds(track->times[i]);
        if (at > interval.end) break;
        if (old && at - 1 > before) add_key(x, k, at - 1, old);
        if (!old || at > before) add_key(x, k, at, value);
        old = value;
        before = at;
    }
    if (old && before < interval.end) add_key(x, k, interval.end, old);
}

// The one kind of keys that holds the tracks of all clips.
static sn_interpolation common_interpolation(const clip_track *made, uint32_t count)
{
    bool has[SN_CUBIC_SPLINE + 1] = { false };
    for (uint32_t i = 0; i < count; i++) {
        const sn_track *track = &made[i].track;
        if (track->key_count > 1) has[sni_track_is_stepped(track) ? SN_STEP : track->interpolation] = true;
    }
    if (has[SN_HERMITE] || has[SN_CUBIC_SPLINE] || (has[SN_BEZIER] && has[SN_LINEAR])) return SN_HERMITE;
    if (has[SN_BEZIER]) return SN_BEZIER;
    return has[SN_STEP] && !has[SN_LINEAR] ? SN_STEP : SN_LINEAR;
}

static void store_value(const keys *k, const float *value, bool is_point, uint8_t *at)
{
    for (uint32_t i = 0; i < k->width; i++) {
        const float v = value[k->kind->type == MDX_COLOR ? 2 - i : i];
        const float moved = is_point && k->subtract ? v - k->subtract[i] : v;
        if (k->kind->type == MDX_U32)
            sni_store_u32(at + 4 * (size_t)i, (uint32_t)fmin(fmax(moved + 0.5, 0.0), UINT32_MAX));
        else sni_store_f32(at + 4 * (size_t)i, moved);
    }
}

// The bytes of the file: time, value, and the tangents in and out.
static bool store_keys(mdx_exporter *x, const keys *k, int32_t global, sni_list *tracks)
{
    static const uint8_t kinds[] = { MDX_STEP, MDX_LINEAR, MDX_HERMITE, MDX_BEZIER };
    static const uint32_t order[] = { 1, 0, 2 };
    if (k->failed) return false;
    if (k->times->count == 0) return true;
    mdx_track *track = sni_push(x->arena, tracks, mdx_track);
    if (!track) return false;
    *track = (mdx_track){ .kind = k->kind, .interpolation = kinds[k->interpolation], .global_sequence = global };
    const size_t bytes = mdx_key_bytes(track, x->doc->version);
    uint8_t *data = sni_new_raw(x->arena, uint8_t, (uint64_t)bytes * k->times->count);
    if (!data) return false;
    track->keys = (mdx_array){ data, k->times->count };
    for (uint32_t i = 0; i < k->times->count; i++) {
        const float *values = (const float *)k->values->items + (size_t)i * k->groups * k->width;
        sni_store_u32(data, (uint32_t)((const int32_t *)k->times->items)[i]);
        data += 4;
        for (uint32_t part = 0; part < k->groups; part++, data += 4 * (size_t)k->width) {
            const uint32_t from = k->groups == 3 ? order[part] : 0;
            store_value(k, values + from * k->width, from == 1 || k->groups == 1 || k->interpolation == SN_BEZIER,
                        data);
        }
    }
    return true;
}

static keys keys_for(mdx_exporter *x, uint32_t tag, const float *subtract, sn_interpolation interpolation)
{
    keys k = { .kind = mdx_find_track_kind(tag), .subtract = subtract, .interpolation = interpolation };
    k.times = &x->key_times, k.values = &x->key_values;
    k.times->count = k.values->count = 0;
    k.width = width_of(k.kind->type);
    if (k.kind->is_stepped) k.interpolation = SN_STEP;
    k.groups = k.interpolation >= SN_HERMITE ? 3 : 1;
    return k;
}

int32_t mdx_global_sequence(mdx_exporter *x, float period)
{
    const uint32_t length = (uint32_t)milliseconds(period), hash = sni_hash(&length, sizeof length);
    mdx_globals *g = &x->globals;
    for (sni_map_cursor at = sni_map_find(&g->by_period, hash); sni_map_next(&g->by_period, &at);)
        if (((const uint32_t *)g->periods.items)[at.item] == length) return (int32_t)at.item;
    uint32_t *added = sni_push(x->arena, &g->periods, uint32_t);
    if (!added || !sni_map_add(&g->by_period, x->arena, hash, g->periods.count - 1)) return -1;
    *added = length;
    return (int32_t)g->periods.count - 1;
}

// Whether all clips have the very same track on its own clock.
static bool is_global(const clip_track *made, uint32_t count, uint32_t clip_count)
{
    if (count == 0 || count < clip_count) return false;
    const sn_track *first = &made->track;
    for (uint32_t i = 0; i < count; i++) {
        const sn_track *track = &made[i].track;
        if (!(track->period > 0.0f) || track->period != first->period || track->interpolation == SN_CUBIC_SPLINE ||
            !sni_track_has_same_keys(track, first))
            return false;
    }
    return first->key_count > 1;
}

// A cycle of the game without keys at both ends of the clip.
static bool lacks_ends(const sn_track *track, float duration)
{
    if (track->wrap == SN_WRAP_HOLD || track->key_count < 2 || track->period > 0.0f) return false;
    return track->times[0] > 0.0005f || track->times[track->key_count - 1] < duration - 0.0005f;
}

// Splines of rotations have no exact cut: the way around the loop becomes arcs that stay within 2e-4 rad. An arc in a
// squad has its ends as inner points.
static bool add_ends(mdx_exporter *x, const sn_track *in, float duration, sn_track *out)
{
    const uint32_t last = in->key_count - 1;
    const float before = fmaxf(duration - in->times[last], 0.0f), length = before + fmaxf(in->times[0], 0.0f);
    sn_track way;
    if (!sni_track_rotation_way(x->arena, (sn_interpolation)in->interpolation, in->values + 12 * (size_t)last,
                                in->values, length, before, 2e-4, &x->save->keys_left, &way))
        return false;
    const uint64_t most = (uint64_t)in->key_count + way.key_count + 1;
    float *times = sni_new_raw(x->arena, float, most), *values = sni_new_raw(x->arena, float, 12 * most);
    uint32_t count = 0;
    if (!times || !values) return false;
    for (int is_late = 0; is_late < 2; is_late++) {  // what is before the keys, then what is after them
        for (uint32_t i = 0; i < way.key_count; i++) {
            const float at = way.times[i];
            if (is_late ? at <= 0.0f || at > before : at < before || at >= length) continue;
            times[count] = is_late ? (at == before ? duration : in->times[last] + at) : at - before;
            for (int part = 0; part < 3; part++)
                memcpy(values + 12 * (size_t)count + 4 * part, way.values + 4 * (size_t)i, 4 * sizeof *values);
            count++;
        }
        if (is_late) break;
        float *own = values + 12 * (size_t)count;
        memcpy(times + count, in->times, in->key_count * sizeof *times);
        memcpy(own, in->values, 12 * (size_t)in->key_count * sizeof *values);
        float *own_last = own + 12 * (size_t)last;
        for (int i = 0; i < 4; i++) own[i] = own[4 + i], own_last[8 + i] = own_last[4 + i];
        count += in->key_count;
    }
    *out = *in;
    out->wrap = SN_WRAP_HOLD;
    out->times = times, out->values = values, out->key_count = count;
    return true;
}

// What the file cannot hold as it is: clocks that differ between clips, keys outside the clip, splines of rotations;
// and cycles without a key at the start and end, which the game pops at.
static bool fit_clip(mdx_exporter *x, float duration, clip_track *made)
{
    sn_track *track = &made->track;
    sni_exactness exactness = SNI_EXACT;
    const bool is_spline = track->interpolation == SN_CUBIC_SPLINE && track->width == 4;
    const bool is_outside = track->key_count > 1 && track->wrap == SN_WRAP_HOLD &&
                            (track->times[0] < 0.0f || track->times[track->key_count - 1] > duration);
    const bool is_open = lacks_ends(track, duration);
    if (track->key_count == 0 || (!(track->period > 0.0f) && !is_spline && !is_outside && !is_open)) return true;
    const sn_track in = *track;
    if (is_open && !is_spline && track->width == 4 && sni_track_has_tangents(track)) {
        made->is_inexact = true;
        return add_ends(x, &in, duration, track);
    }
    if (is_spline && !(track->period > 0.0f)) {
        if (!sni_track_sample_rotations(x->arena, &in, duration, 2e-4, &x->save->keys_left, track)) return false;
        exactness = SNI_SAMPLED;
    } else if (!sni_track_fit(x->arena, &in, duration, 0.0, &x->save->keys_left, track, &exactness)) {
        return false;
    }
    made->is_inexact = exactness != SNI_EXACT;
    return true;
}

// The keys from `first` on, as they are in the file, where the clip or period starts at `start`.
static bool note_change(mdx_exporter *x, const keys *k, uint32_t first, int32_t start, const clip_track *made)
{
    const uint32_t count = k->times->count - first, floats = k->groups * k->width;
    float *times = sni_new_raw(x->arena, float, count), *values = sni_new_raw(x->arena, float, (uint64_t)count *floats);
    sni_changed_track *change = sni_push(x->arena, &x->save->changed_tracks, sni_changed_track);
    if (!times || !values || !change) return false;
    for (uint32_t i = 0; i < count; i++)
        times[i] = (float)((((const int32_t *)k->times->items)[first + i] - start) / 1000.0);
    memcpy(values, (const float *)k->values->items + (size_t)first * floats, (size_t)count * floats * sizeof *values);
    const uint32_t tag = k->kind->tag;
    *change = (sni_changed_track){ .clip = made->clip,
                                   .moves_node = tag == MDX_KGTR || tag == MDX_KGRT || tag == MDX_KGSC,
                                   .before = made->source,
                                   .after = made->track };
    change->after.interpolation = (uint8_t)k->interpolation;
    change->after.times = times, change->after.values = values, change->after.key_count = count;
    return true;
}

bool mdx_store_curve(mdx_exporter *x, mdx_stored_curve *curve, uint32_t tag, int32_t global, sni_list *tracks)
{
    keys k = { .kind = mdx_find_track_kind(tag), .times = &curve->times, .values = &curve->values };
    k.interpolation = curve->interpolation;
    k.width = width_of(k.kind->type);
    k.groups = k.interpolation >= SN_HERMITE ? 3 : 1;
    const uint32_t floats = k.groups * k.width, count = k.times->count;
    int32_t *times = k.times->items;
    float *values = k.values->items;
    uint32_t kept = 0;
    if ((uint64_t)count * floats != k.values->count) return true;  // damaged
    for (uint32_t i = 0; i < count; i++) {
        int32_t at = times[i];
        if (global < 0 && !mdx_map_time(&x->timeline, times[i], &at)) continue;
        if (kept > 0 && at <= times[kept - 1]) continue;
        times[kept] = at;
        memmove(values + (size_t)kept++ * floats, values + (size_t)i * floats, floats * sizeof *values);
    }
    k.times->count = kept;
    k.values->count = kept * floats;
    return store_keys(x, &k, global, tracks);
}

bool mdx_add_clip_track(mdx_exporter *x, uint32_t clip, const sn_track *track, sni_list *made)
{
    clip_track *added = sni_push(x->arena, made, clip_track);
    if (added) *added = (clip_track){ .clip = clip, .source = *track, .track = *track };
    return added != NULL;
}

bool mdx_export_clip_tracks(mdx_exporter *x, const sni_list *list, const float *subtract, uint32_t tag,
                            sni_list *tracks)
{
    clip_track *made = list->items;
    const uint32_t count = list->count;
    if (is_global(made, count, x->model->clip_count)) {
        keys k = keys_for(x, tag, subtract, (sn_interpolation)made->track.interpolation);
        sn_track cycle = made->track;
        cycle.wrap = SN_WRAP_CYCLE;
        const bool is_moved = add_clip_keys(x, &k, &cycle, cycle.period,
                                            (mdx_interval){ 0, milliseconds(cycle.period) });
        for (uint32_t i = 0; i < count && is_moved && !k.failed; i++)
            if (!note_change(x, &k, 0, 0, &made[i])) return false;
        const int32_t global = mdx_global_sequence(x, cycle.period);
        return global >= 0 && store_keys(x, &k, global, tracks);
    }
    for (uint32_t i = 0; i < count; i++)
        if (!fit_clip(x, x->model->clips[made[i].clip].duration, &made[i])) return false;
    keys k = keys_for(x, tag, subtract, common_interpolation(made, count));
    for (uint32_t i = 0; i < count && !k.failed; i++) {
        const sn_track *track = &made[i].track;
        const mdx_interval interval = x->timeline.intervals[made[i].clip];
        const bool steps = sni_track_is_stepped(track) && k.interpolation != SN_STEP && track->key_count > 1;
        const uint32_t first = k.times->count;
        if (steps) add_steps(x, &k, track, interval);
        else if (track->key_count > 0 && add_clip_keys(x, &k, track, x->model->clips[made[i].clip].duration, interval))
            made[i].is_inexact = true;
        if (made[i].is_inexact && k.times->count > first && !note_change(x, &k, first, interval.start, &made[i]))
            return false;
    }
    return store_keys(x, &k, -1, tracks);
}

// Whether all keys of all clips have the value that the file shows without keys.
static bool is_idle(const sni_found_track *found, uint32_t count, const float *idle)
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < found[i].track->key_count; k++) {
            const sn_track *track = found[i].track;
            const float *value = sni_track_key(track, k, SNI_KEY_VALUE);
            for (uint32_t c = 0; c < track->width; c++)
                if (fabsf(value[c] - idle[c]) > 1e-6f * fmaxf(1.0f, fabsf(idle[c]))) return false;
            if (sni_track_has_tangents(track)) return false;
        }
    return true;
}

bool mdx_export_track(mdx_exporter *x, const mdx_source *source, uint32_t tag, sni_list *tracks)
{
    static const float start;
    uint32_t count, next = 0;
    sni_list made = { 0 };
    const sni_found_track *found = mdx_find_tracks(x, source->kind, source->target, source->sub, source->channel,
                                                   &count);
    bool is_restored;
    if (count == 0 || (source->idle && is_idle(found, count, source->idle))) return true;
    if (!mdx_restore_global(x, source, tag, tracks, &is_restored) || is_restored) return is_restored;
    const sn_track rest = { .channel = (uint8_t)source->channel,
                            .interpolation = SN_LINEAR,
                            .key_count = 1,
                            .width = width_of(mdx_find_track_kind(tag)->type),
                            .times = &start,
                            .values = source->rest };
    for (uint32_t clip = 0; source->rest ? clip < x->model->clip_count : next < count; clip++) {
        const bool is_found = next < count && (!source->rest || found[next].clip == clip);
        if (!mdx_add_clip_track(x, is_found ? found[next].clip : clip, is_found ? found[next].track : &rest, &made))
            return false;
        next += is_found;
    }
    return mdx_export_clip_tracks(x, &made, source->subtract, tag, tracks);
}

mdx_tracks mdx_tracks_of(const sni_list *tracks) { return (mdx_tracks){ tracks->items, tracks->count }; }
