// Clips to ranges of a timeline, and the tracks of all clips that drive one channel to one track of a MOT. Keys are at
// whole frames: each clip gets a speed at which its keys are.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/color.h"
#include "base/json.h"
#include "base/math.h"
#include "format/level5/level5_export.h"
#include "model/track.h"

enum { FIRST_FRAME = 1, GAP = 2, LAST_FRAME = 1 << 24 };
enum { STEP_RATE = 480, FINE_RATE = 4800 };  // frames per second: with jumps; where keys are anywhere

bool level5_has_track(const level5_exporter *x, sn_target kind, int32_t target, int32_t sub, sn_channel channel)
{
    return sni_track_index_has(&x->found, sni_drives(kind, target, sub, channel));
}

static const sn_track *find_track(const level5_exporter *x, uint32_t clip, sn_target kind, int32_t target,
                                  sn_channel channel)
{
    return sni_track_index_find(&x->found, sni_drives(kind, target, 0, channel), clip);
}

// --- Timelines ---

static double tick_rate(const level5_exporter *x) { return x->game == LEVEL5_DC1 ? 60.0 : 30.0; }

// Which tracks of the model the file has.
static bool is_exported(const sn_track *track)
{
    return (track->target_kind == SN_TARGET_NODE && track->channel <= SN_CHANNEL_MORPHS) ||
           (track->target_kind == SN_TARGET_PART &&
            (track->channel == SN_CHANNEL_VISIBILITY || track->channel == SN_CHANNEL_COLOR ||
             track->channel == SN_CHANNEL_ALPHA)) ||
           (track->target_kind == SN_TARGET_LAYER && track->sub == 0 &&
            (track->channel == SN_CHANNEL_COLOR || track->channel == SN_CHANNEL_ALPHA));
}

// A key on a whole frame, give or take what a float's time loses.
static bool is_whole(double frame) { return fabs(frame - floor(frame + 0.5)) <= 1e-3; }

static bool has_whole_keys(const sn_clip *clip, double rate)
{
    if (!is_whole(clip->duration * rate)) return false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        for (uint32_t k = 0; is_exported(track) && k < track->key_count; k++)
            if (!is_whole(track->times[k] * rate)) return false;
    }
    return true;
}

static bool is_half_turn(const float *a, const float *b)
{
    return fabs((double)a[0] * b[0] + (double)a[1] * b[1] + (double)a[2] * b[2] + (double)a[3] * b[3]) < 0.02;
}

// The least rate for jumps and for a key in the middle of a half turn.
static double least_rate(const sn_clip *clip)
{
    double least = 0.0;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track *track = &clip->tracks[i];
        const bool is_local = sni_track_is_local(track);
        if (is_local && sni_track_is_stepped(track) && track->key_count > 1) least = fmax(least, STEP_RATE);
        for (uint32_t k = 1; is_local && k < track->key_count; k++) {
            const double seconds = (double)track->times[k] - track->times[k - 1];
            if (seconds < 1.0 / FINE_RATE) least = fmax(least, STEP_RATE);
            else if (sni_track_is_rotation(track) &&
                     is_half_turn(sni_track_key(track, k - 1, SNI_KEY_VALUE), sni_track_key(track, k, SNI_KEY_VALUE)))
                least = fmax(least, 2.0 / seconds);
        }
    }
    return fmin(least, FINE_RATE);
}

// Frames per second: the lowest usual rate at which all keys are on frames; else a fine one that ends on a frame.
static double choose_rate(const sn_clip *clip)
{
    static const double rates[] = { 0.25, 0.5, 0.8, 1,  4.0 / 3, 5.0 / 3, 2,         2.5, 3, 4,
                                    5,    6,   8,   10, 16,      20,      100.0 / 3, 40,  80 };
    const double least = least_rate(clip);
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (has_whole_keys(clip, rates[i] * 30.0))
            return rates[i] * 30.0 * (least > rates[i] * 30.0 ? ceil(least / (rates[i] * 30.0)) : 1.0);
    return ceil(clip->duration * FINE_RATE) / clip->duration;
}

// Numbers that a KEY command kept in its clip's extras.
typedef struct key_extras {
    bool has_set, has_start, has_end, has_speed;
    int64_t set;
    float start, end, speed;
} key_extras;

static key_extras read_extras(level5_exporter *x, const sn_clip *clip)
{
    key_extras out = { 0 };
    sni_diag diag;
    sni_str key;
    if (!clip->extras) return out;
    sni_diag_init(&diag, NULL);
    sni_json json = sni_json_make(sni_str_make(clip->extras, strlen(clip->extras)), 0, 64, &diag, x->arena);
    if (sni_json_peek(&json) != SNI_JSON_OBJECT) return out;
    for (sni_json_enter_object(&json); sni_json_next_key(&json, &key);) {
        const bool is_number = sni_json_peek(&json) == SNI_JSON_NUMBER;
        if (is_number && sni_str_is(key, "start")) out.has_start = true, out.start = sni_json_float(&json);
        else if (is_number && sni_str_is(key, "end")) out.has_end = true, out.end = sni_json_float(&json);
        else if (is_number && sni_str_is(key, "speed")) out.has_speed = true, out.speed = sni_json_float(&json);
        else if (sni_str_is(key, "set") && is_number && sni_json_integer(&json, &out.set)) out.has_set = true;
        else sni_json_skip(&json);
    }
    return out;
}

// The old ranges, where every clip has one that is as long as the clip.
static bool keep_intervals(level5_exporter *x)
{
    for (uint32_t i = 0; i < x->model->clip_count; i++) {
        const sn_clip *clip = &x->model->clips[i];
        const key_extras old = read_extras(x, clip);
        if (!old.has_set || !old.has_start || !old.has_end || !old.has_speed) return false;
        if (old.set < 0 || old.set > 7 || !(old.start >= 0.0f) || !(old.end >= old.start) || !(old.end < LAST_FRAME))
            return false;
        if (old.start != floorf(old.start) || old.end != floorf(old.end) || !(old.speed >= 0.0f)) return false;
        level5_interval *interval = &x->intervals[i];
        *interval = (level5_interval){
            .start = (uint32_t)old.start, .end = (uint32_t)old.end, .speed = old.speed, .set = (int32_t)old.set
        };
        const double rate = tick_rate(x) * old.speed;
        const bool is_still = !(clip->duration > 0.0f);
        if (is_still != (interval->end == interval->start || rate == 0.0)) return false;
        if (is_still) continue;
        interval->rate = rate;
        const double seconds = (interval->end - interval->start) / rate;
        if (!(fabs(seconds - clip->duration) <= 1e-5 * seconds)) return false;
        if (!has_whole_keys(clip, rate)) return false;
    }
    return x->model->clip_count > 0;
}

// One after the other. Rates are lowered where the frames would be too many for a float.
static bool lay_out_clips(level5_exporter *x)
{
    double total = 0.0;
    const uint32_t count = x->model->clip_count;
    for (uint32_t i = 0; i < count; i++) {
        const sn_clip *clip = &x->model->clips[i];
        x->intervals[i] = (level5_interval){ .speed = 1.0f };
        if (!(clip->duration > 0.0f)) continue;
        x->intervals[i].rate = choose_rate(clip);
        total += clip->duration * x->intervals[i].rate + GAP;
    }
    const double room = LAST_FRAME - FIRST_FRAME - (1.0 + GAP) * count;
    if (room < count) return sni_fail(&x->save->diag, SN_ERR_UNSUPPORTED, 0, "too many clips for one timeline");
    uint32_t at = FIRST_FRAME;
    for (uint32_t i = 0; i < count; i++) {
        level5_interval *interval = &x->intervals[i];
        interval->start = interval->end = at;
        if (interval->rate > 0.0) {
            const double duration = x->model->clips[i].duration;
            const double frames = fmax(1.0, floor(duration * interval->rate * fmin(1.0, 0.5 * room / total) + 0.5));
            interval->end = at + (uint32_t)frames;
            const double usual = floor(interval->rate * 600.0 + 0.5) / 600.0 / tick_rate(x);  // a rounder number
            const bool is_usual = fabs(frames / (usual * tick_rate(x)) - duration) <= 2e-7 * duration;
            interval->speed = (float)(is_usual ? usual : frames / duration / tick_rate(x));
            interval->rate = tick_rate(x) * interval->speed;
            if (!(interval->speed > 0.0f) || !isfinite(interval->speed) || !(interval->speed >= 1e-6f)) {
                interval->speed = 1e-6f;  // as slow as text can say
                interval->rate = tick_rate(x) * interval->speed;
            }
        }
        at = interval->end + GAP;
    }
    return true;
}

static int compare_starts(const void *left, const void *right)
{
    const level5_clip_order *a = left, *b = right;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return a->clip < b->clip ? -1 : a->clip > b->clip;
}

// The clips of each set by their start, and the place of each clip among them.
static bool list_motions(level5_exporter *x)
{
    const uint32_t count = x->model->clip_count;
    x->motions = (sni_list){ 0 };
    for (int32_t set = 0; set < 8; set++) {
        level5_clip_order *clips = sni_new_raw(x->arena, level5_clip_order, count);
        uint32_t used = 0;
        if (!clips) return false;
        for (uint32_t i = 0; i < count; i++)
            if (x->intervals[i].set == set) clips[used++] = (level5_clip_order){ x->intervals[i].start, i };
        if (used == 0) continue;
        qsort(clips, used, sizeof *clips, compare_starts);
        level5_motion_out *motion = sni_push(x->arena, &x->motions, level5_motion_out);
        if (!motion) return false;
        *motion = (level5_motion_out){ .set = set, .clips = clips, .clip_count = used };
        for (uint32_t i = 0; i < used; i++) {
            x->intervals[clips[i].clip].order = i;
            if (i > 0 && clips[i].start <= x->intervals[clips[i - 1].clip].end) motion->overlaps = true;
        }
    }
    return true;
}

// --- Keys ---

// What the motions share while they are written.
typedef struct motion_writer {
    level5_exporter *x;
    level5_motion_out *motion;  // the one that is being written
    bool has_conflict;          // clips that overlap do not agree
    uint64_t overlap_work;      // spent on finding that out
    uint64_t moved_keys, mixed_colors;
} motion_writer;

typedef struct clip_track {
    uint32_t clip, order;  // order: of the clip on the timeline
    const sn_track *track;
} clip_track;

// A track of the file while it is made from tracks of clips.
typedef struct channel {
    motion_writer *w;
    int32_t node, target;
    level5_track_type type;
    uint32_t width;
    float rest[4];            // what clips without a track show; as in the model
    sn_vec3 divide;           // scale: by what the matrix of the node has
    const clip_track *clips;  // in the order of the timeline
    uint32_t clip_count;
    sni_list keys;  // level5_key, in the model's values
} channel;

static bool add_key(channel *c, uint32_t frame, const float *value)
{
    level5_key *last = c->keys.count > 0 ? &level5_items(level5_key, c->keys)[c->keys.count - 1] : NULL;
    level5_key *key = last && last->frame == frame && !c->w->motion->overlaps
                          ? last
                          : sni_push(c->w->x->arena, &c->keys, level5_key);
    if (!key) return false;
    *key = (level5_key){ .frame = frame };
    memcpy(key->value, value, c->width * sizeof *value);
    return true;
}

static void sample(const sn_track *track, const level5_interval *interval, uint32_t frame, float *out)
{
    const double seconds = interval->rate > 0.0 ? (frame - interval->start) / interval->rate : 0.0;
    sni_track_sample(track, (float)seconds, (float)seconds, (float)seconds, out);
}

// Two keys on one frame are a jump: the frame before gets what the track has there.
static void make_room(channel *c, const sn_track *track, const level5_interval *interval, uint32_t frame)
{
    level5_key *keys = c->keys.items, *last = &keys[c->keys.count - 1];
    if (last->frame != frame || frame <= interval->start + 1 || c->keys.count < 2 || last[-1].frame + 1 >= frame)
        return;
    last->frame--;
    sample(track, interval, last->frame, last->value);
}

// The keys of one clip, with one at each end. A key between two frames becomes the two samples around it. A jump holds
// the old value until the frame before it.
static bool add_clip(channel *c, const sn_track *track, const level5_interval *interval)
{
    const bool steps = sni_track_is_stepped(track), is_switch = c->type == LEVEL5_VISIBLE_TREE;
    float value[4], before[4];
    if (!add_key(c, interval->start, sni_track_key(track, 0, SNI_KEY_VALUE))) return false;
    if (!(interval->rate > 0.0)) return true;
    for (uint32_t i = 0; i < track->key_count; i++) {
        const double exact = interval->start + track->times[i] * interval->rate;
        const double near = floor(exact + 0.5);
        if (!(near <= interval->end)) break;
        const float *own = sni_track_key(track, i, SNI_KEY_VALUE);
        const bool is_between = fabs(exact - near) > 2e-3 && !steps;
        const uint32_t last = level5_items(level5_key, c->keys)[c->keys.count - 1].frame;
        c->w->moved_keys += is_between;
        if (i > 0 && !steps && !is_between) make_room(c, track, interval, (uint32_t)near);
        if (steps && !is_switch && i > 0 && near > (double)last + 1.0) {
            memcpy(before, sni_track_key(track, i - 1, SNI_KEY_VALUE), c->width * sizeof *before);
            if (!add_key(c, (uint32_t)near - 1, before)) return false;
        }
        if (is_between) {
            const uint32_t low = (uint32_t)floor(exact), high = low < interval->end ? low + 1 : low;
            sample(track, interval, low, before);
            sample(track, interval, high, value);
            if (low >= last && !add_key(c, low, before)) return false;
            if (!add_key(c, high, value)) return false;
        } else if ((uint32_t)near >= last && !add_key(c, (uint32_t)near, own)) {
            return false;
        }
    }
    const uint32_t last = level5_items(level5_key, c->keys)[c->keys.count - 1].frame;
    memcpy(value, sni_track_key(track, track->key_count - 1, SNI_KEY_VALUE), c->width * sizeof *value);
    return last >= interval->end || add_key(c, interval->end, value);
}

// Clips without a track show the rest pose: keys at both ends of a run of them.
static bool add_rest(channel *c, uint32_t from, uint32_t to)
{
    if (from >= to) return true;
    const level5_interval *intervals = c->w->x->intervals;
    const level5_clip_order *clips = c->w->motion->clips;
    const level5_interval *first = &intervals[clips[from].clip], *last = &intervals[clips[to - 1].clip];
    if (!add_key(c, first->start, c->rest)) return false;
    return last->end <= first->start || add_key(c, last->end, c->rest);
}

static int compare_keys(const void *left, const void *right)
{
    const level5_key *a = left, *b = right;
    return a->frame < b->frame ? -1 : a->frame > b->frame;
}

static bool is_same(const channel *c, const float *a, const float *b)
{
    double dot = 0.0, largest = 0.0, size = 0.0;
    for (uint32_t i = 0; i < c->width; i++) {
        dot += (double)a[i] * b[i];
        largest = fmax(largest, fabs((double)a[i] - b[i]));
        size = fmax(size, fabs((double)a[i]));
    }
    return c->type == LEVEL5_ROTATION ? fabs(dot) > 1.0 - 1e-6 : largest <= 1e-4 * fmax(size, 1e-2);
}

// Clips that share frames must agree about them; one key stays of several at a frame.
static bool merge_overlaps(channel *c)
{
    motion_writer *w = c->w;
    level5_key *keys = c->keys.items;
    uint32_t used = 0;
    qsort(keys, c->keys.count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < c->keys.count; i++) {
        if (used > 0 && keys[used - 1].frame == keys[i].frame) {
            if (!is_same(c, keys[used - 1].value, keys[i].value)) w->has_conflict = true;
            continue;
        }
        keys[used++] = keys[i];
    }
    c->keys.count = used;
    for (uint32_t i = 0, next = 0; i < w->motion->clip_count && !w->has_conflict; i++) {
        const uint32_t clip = w->motion->clips[i].clip;
        const level5_interval *interval = &w->x->intervals[clip];
        const sn_track *track = NULL;
        if (next < c->clip_count && c->clips[next].clip == clip) track = c->clips[next++].track;
        uint32_t low = 0, high = used;
        while (low < high) {
            const uint32_t middle = low + (high - low) / 2;
            if (keys[middle].frame < interval->start) low = middle + 1;
            else high = middle;
        }
        for (; low < used && keys[low].frame <= interval->end && !w->has_conflict; low++) {
            float value[4];
            if (track) sample(track, interval, keys[low].frame, value);
            const bool is_jump = track && sni_track_is_stepped(track);
            if (w->overlap_work++ > 1u << 24) w->has_conflict = true;
            if (!is_jump && !is_same(c, keys[low].value, track ? value : c->rest)) w->has_conflict = true;
        }
    }
    return true;
}

// DC2 jumps over a half turn: a key in the middle makes it two.
static bool add_middles(channel *c, sni_list *out)
{
    const level5_key *keys = c->keys.items;
    for (uint32_t i = 0; i < c->keys.count; i++) {
        const bool turns = i > 0 && is_half_turn(keys[i - 1].value, keys[i].value) &&
                           keys[i].frame - keys[i - 1].frame > 1;
        if (turns) {
            level5_key *middle = sni_push(c->w->x->arena, out, level5_key);
            if (!middle) return false;
            const float *a = keys[i - 1].value, *b = keys[i].value;
            const uint32_t at = keys[i - 1].frame + (keys[i].frame - keys[i - 1].frame) / 2;
            const float u = (float)(at - keys[i - 1].frame) / (float)(keys[i].frame - keys[i - 1].frame);
            const sn_quat q = sni_quat_slerp(sni_quat(a[0], a[1], a[2], a[3]), sni_quat(b[0], b[1], b[2], b[3]), u);
            *middle = (level5_key){ at, { q.x, q.y, q.z, q.w } };
        }
        level5_key *key = sni_push(c->w->x->arena, out, level5_key);
        if (!key) return false;
        *key = keys[i];
    }
    return true;
}

// From the model's values to the file's.
static void store_value(const channel *c, level5_key *key)
{
    float *v = key->value;
    const float old[4] = { v[0], v[1], v[2], v[3] };
    if (c->type == LEVEL5_ROTATION) {
        v[0] = old[3], v[1] = -old[0], v[2] = -old[1], v[3] = -old[2];
        return;
    }
    if (c->type == LEVEL5_SCALE) v[0] /= c->divide.x, v[1] /= c->divide.y, v[2] /= c->divide.z;
    if (c->type == LEVEL5_MATERIAL_ALPHA) v[0] = 1.0f - old[0];
    if (c->type == LEVEL5_VISIBLE_TREE) v[0] = old[0] > 0.0f ? 1.0f : 0.0f;
    for (uint32_t i = c->width; i < 4; i++) v[i] = c->width == 3 ? 1.0f : 0.0f;
}

// Keys that repeat both neighbours say nothing.
static void drop_repeats(channel *c)
{
    level5_key *keys = c->keys.items;
    uint32_t used = 0;
    for (uint32_t i = 0; i < c->keys.count; i++) {
        const bool is_inner = used > 0 && i + 1 < c->keys.count;
        const size_t size = c->width * sizeof(float);
        if (is_inner && memcmp(keys[used - 1].value, keys[i].value, size) == 0 &&
            memcmp(keys[i + 1].value, keys[i].value, size) == 0)
            continue;
        keys[used++] = keys[i];
    }
    c->keys.count = used;
}

static bool write_channel(channel *c)
{
    level5_exporter *x = c->w->x;
    uint32_t done = 0;
    if (c->clip_count == 0) return true;
    for (uint32_t i = 0; i < c->clip_count; i++) {
        const level5_interval *interval = &x->intervals[c->clips[i].clip];
        if (!add_rest(c, done, interval->order) || !add_clip(c, c->clips[i].track, interval)) return false;
        done = interval->order + 1;
    }
    if (!add_rest(c, done, c->w->motion->clip_count)) return false;
    if (c->w->motion->overlaps && !merge_overlaps(c)) return false;
    drop_repeats(c);
    sni_list turned = { 0 };
    if (c->type == LEVEL5_ROTATION) {
        if (!add_middles(c, &turned)) return false;
        c->keys = turned;
    }
    level5_key *keys = c->keys.items;
    for (uint32_t i = 0; i < c->keys.count; i++) store_value(c, &keys[i]);
    level5_track *track = sni_push(x->arena, &c->w->motion->tracks, level5_track);
    return track &&
           level5_make_track(x->arena, level5_number(x, c->node), c->target, c->type, keys, c->keys.count, track);
}

static int compare_orders(const void *left, const void *right)
{
    const clip_track *a = left, *b = right;
    return a->order < b->order ? -1 : a->order > b->order;
}

// Adds the tracks that drive something in the clips of one motion.
static bool find_clips(level5_exporter *x, const level5_motion_out *motion, uint64_t wanted, sni_list *list)
{
    for (uint32_t i = sni_track_index_first(&x->found, wanted, 0);
         i < x->found.count && x->found.tracks[i].drives == wanted; i++) {
        const level5_interval *interval = &x->intervals[x->found.tracks[i].clip];
        if (interval->set != motion->set) continue;
        clip_track *slot = sni_push(x->arena, list, clip_track);
        if (!slot) return false;
        *slot = (clip_track){ x->found.tracks[i].clip, interval->order, x->found.tracks[i].track };
    }
    return true;
}

// In the order of the timeline, each clip once.
static void sort_clips(sni_list *list)
{
    clip_track *clips = list->items;
    uint32_t used = 0;
    if (list->count > 1) qsort(clips, list->count, sizeof *clips, compare_orders);
    for (uint32_t i = 0; i < list->count; i++)
        if (used == 0 || clips[i].order != clips[used - 1].order) clips[used++] = clips[i];
    list->count = used;
}

static bool list_clips(level5_exporter *x, const level5_motion_out *motion, uint64_t wanted, clip_track **out,
                       uint32_t *count)
{
    sni_list list = { 0 };
    if (!find_clips(x, motion, wanted, &list)) return false;
    sort_clips(&list);
    *out = list.items;
    *count = list.count;
    return true;
}

// --- What is driven ---

static bool export_channel(motion_writer *w, uint64_t wanted, channel *c)
{
    clip_track *clips;
    if (!list_clips(w->x, w->motion, wanted, &clips, &c->clip_count)) return false;
    c->w = w;
    c->clips = clips;
    c->width = level5_track_width((int32_t)c->type);
    return write_channel(c);
}

// A track of the rest value, for channels that no clip drives but that another one would change.
static bool export_constant(motion_writer *w, channel *c)
{
    level5_exporter *x = w->x;
    level5_motion_out *motion = w->motion;
    c->w = w;
    c->width = level5_track_width((int32_t)c->type);
    if (!add_rest(c, 0, motion->clip_count)) return false;
    if (motion->overlaps && !merge_overlaps(c)) return false;
    level5_key *keys = c->keys.items;
    for (uint32_t i = 0; i < c->keys.count; i++) store_value(c, &keys[i]);
    level5_track *track = sni_push(x->arena, &motion->tracks, level5_track);
    return track &&
           level5_make_track(x->arena, level5_number(x, c->node), c->target, c->type, keys, c->keys.count, track);
}

static float nonzero(float v) { return v != 0.0f ? v : 1.0f; }

static bool export_node(motion_writer *w, uint32_t index)
{
    static const level5_track_type types[3] = { LEVEL5_TRANSLATION, LEVEL5_ROTATION, LEVEL5_SCALE };
    const level5_exporter *x = w->x;
    const level5_out_targets *targets = &x->targets[index];
    const sn_trs *rest = &x->model->nodes[index].rest;
    const int32_t nodes[3] = { targets->translation, targets->rotation, targets->scale };
    const float *values[3] = { &rest->translation.x, &rest->rotation.x, &rest->scale.x };
    for (int k = 0; k < 3; k++) {
        if (nodes[k] < 0) continue;
        channel c = { .node = nodes[k], .type = types[k], .divide = { 1, 1, 1 } };
        memcpy(c.rest, values[k], (k == 1 ? 4 : 3) * sizeof(float));
        if (k == 2 && !level5_out_node_at(x, targets->scale)->is_turned)
            c.divide = sni_vec3(nonzero(rest->scale.x), nonzero(rest->scale.y), nonzero(rest->scale.z));
        const bool has_track = level5_has_track(x, SN_TARGET_NODE, (int32_t)index, 0, (sn_channel)k);
        const uint64_t wanted = sni_drives(SN_TARGET_NODE, (int32_t)index, 0, (sn_channel)k);
        if (!(has_track ? export_channel(w, wanted, &c) : export_constant(w, &c))) return false;
    }
    return true;
}

static bool export_visibility(motion_writer *w, uint32_t index)
{
    const level5_exporter *x = w->x;
    if (!level5_has_track(x, SN_TARGET_NODE, (int32_t)index, 0, SN_CHANNEL_VISIBILITY)) return true;
    channel c = { .node = x->targets[index].node, .type = LEVEL5_VISIBLE_TREE };
    c.rest[0] = x->model->nodes[index].flags & SN_NODE_HIDDEN ? 0.0f : 1.0f;
    return export_channel(w, sni_drives(SN_TARGET_NODE, (int32_t)index, 0, SN_CHANNEL_VISIBILITY), &c);
}

// --- Several switches as one ---

typedef struct switches {
    const sn_track *tracks[64];
    float rests[64];
    uint32_t count;
} switches;

static void add_switch(switches *s, const sn_track *track, bool rests_hidden)
{
    if (!track && !rests_hidden) return;
    if (s->count == sizeof s->rests / sizeof *s->rests) return;
    s->tracks[s->count] = track;
    s->rests[s->count++] = rests_hidden ? 0.0f : 1.0f;
}

// On while all are on.
static bool merge_switches(level5_exporter *x, const switches *s, sn_track *out)
{
    uint64_t total = 1;
    for (uint32_t i = 0; i < s->count; i++) total += s->tracks[i] ? s->tracks[i]->key_count : 0;
    float *times = sni_new_raw(x->arena, float, total), *values = sni_new_raw(x->arena, float, total);
    uint32_t used = 0;
    if (!times || !values) return false;
    times[used++] = 0.0f;
    for (uint32_t i = 0; i < s->count; i++)
        for (uint32_t k = 0; s->tracks[i] && k < s->tracks[i]->key_count; k++) times[used++] = s->tracks[i]->times[k];
    used = sni_merge_key_times(times, used);
    for (uint32_t k = 0; k < used; k++) {
        values[k] = 1.0f;
        for (uint32_t i = 0; i < s->count; i++) {
            float one = s->rests[i];
            if (s->tracks[i]) sni_track_sample(s->tracks[i], times[k], times[used - 1], times[k], &one);
            if (!(one > 0.0f)) values[k] = 0.0f;
        }
    }
    *out = (sn_track){ .channel = SN_CHANNEL_VISIBILITY,
                       .interpolation = SN_STEP,
                       .key_count = used,
                       .width = 1,
                       .times = times,
                       .values = values };
    return true;
}

static bool export_vanishing(motion_writer *w, const level5_vanishing *v)
{
    level5_exporter *x = w->x;
    const sn_model *model = x->model;
    sni_list list = { 0 };
    channel c = { .w = w, .node = v->node, .type = LEVEL5_VISIBLE_TREE, .width = 1, .rest = { 1 } };
    if (v->part >= 0) {
        if (!find_clips(x, w->motion, sni_drives(SN_TARGET_PART, v->part, 0, SN_CHANNEL_VISIBILITY), &list))
            return false;
        if (model->parts[v->part].is_hidden) c.rest[0] = 0.0f;
    }
    const int32_t first = v->above >= 0 ? x->switches[v->above] : -1;
    for (int32_t at = first; at >= 0; at = level5_switch_above(x, at)) {
        if (!find_clips(x, w->motion, sni_drives(SN_TARGET_NODE, at, 0, SN_CHANNEL_VISIBILITY), &list)) return false;
        if (model->nodes[at].flags & SN_NODE_HIDDEN) c.rest[0] = 0.0f;
    }
    sort_clips(&list);
    clip_track *clips = list.items;
    for (uint32_t i = 0; i < list.count; i++) {
        const uint32_t clip = clips[i].clip;
        switches s = { .count = 0 };
        if (v->part >= 0)
            add_switch(&s, find_track(x, clip, SN_TARGET_PART, v->part, SN_CHANNEL_VISIBILITY),
                       model->parts[v->part].is_hidden);
        for (int32_t at = first; at >= 0; at = level5_switch_above(x, at))
            add_switch(&s, find_track(x, clip, SN_TARGET_NODE, at, SN_CHANNEL_VISIBILITY),
                       model->nodes[at].flags & SN_NODE_HIDDEN &&
                           level5_has_track(x, SN_TARGET_NODE, at, 0, SN_CHANNEL_VISIBILITY));
        sn_track *made = sni_new(x->arena, sn_track, 1);
        if (!made || !merge_switches(x, &s, made)) return false;
        clips[i].track = made;
    }
    c.clips = clips;
    c.clip_count = list.count;
    return write_channel(&c);
}

// --- Colours ---

// The part's colour times the layer's, in sRGB. Between keys the product is taken as linear.
static bool multiply_colors(motion_writer *w, const sn_part *part, sn_channel kind, const sn_track *of_part,
                            const sn_track *of_layer, sn_track *out)
{
    const level5_exporter *x = w->x;
    const uint32_t width = kind == SN_CHANNEL_COLOR ? 3 : 1;
    const sn_layer *layer = part->material >= 0 && x->model->materials[part->material].layer_count > 0
                                ? x->model->materials[part->material].layers
                                : NULL;
    const sn_track *both[2] = { of_part, of_layer };
    uint64_t total = 0;
    for (int i = 0; i < 2; i++) total += both[i] ? both[i]->key_count : 0;
    float *times = sni_new_raw(x->arena, float, total), *values = sni_new_raw(x->arena, float, total *width);
    uint32_t used = 0;
    bool steps = true;
    if (!times || !values) return false;
    for (int i = 0; i < 2; i++) {
        steps &= !both[i] || sni_track_is_stepped(both[i]);
        for (uint32_t k = 0; both[i] && k < both[i]->key_count; k++) times[used++] = both[i]->times[k];
    }
    used = sni_merge_key_times(times, used);
    for (uint32_t k = 0; k < used; k++) {
        float one[3] = { part->color.x, part->color.y, part->color.z }, two[3] = { 1, 1, 1 };
        if (layer) two[0] = layer->color.x, two[1] = layer->color.y, two[2] = layer->color.z;
        if (width == 1) one[0] = part->color.w, two[0] = layer ? layer->color.w : 1.0f;
        if (of_part) sni_track_sample(of_part, times[k], times[used - 1], times[k], one);
        if (of_layer) sni_track_sample(of_layer, times[k], times[used - 1], times[k], two);
        for (uint32_t i = 0; i < width; i++)
            values[(size_t)k * width + i] = one[i] * (width == 3 ? (float)sni_srgb_of(two[i]) : two[i]);
    }
    w->mixed_colors += (of_part && of_layer) || (of_layer && width == 3 && !steps);
    *out = (sn_track){ .channel = (uint8_t)kind,
                       .interpolation = steps ? SN_STEP : SN_LINEAR,
                       .key_count = used,
                       .width = width,
                       .times = times,
                       .values = values };
    return true;
}

static bool export_color(motion_writer *w, const level5_out_mesh *mesh, uint32_t material, sn_channel kind)
{
    level5_exporter *x = w->x;
    const int32_t index = mesh->parts[material];
    const sn_part *part = &x->model->parts[index];
    const bool of_part = level5_has_track(x, SN_TARGET_PART, index, 0, kind),
               of_layer = part->material >= 0 && level5_has_track(x, SN_TARGET_LAYER, part->material, 0, kind);
    if (!of_part && !of_layer) return true;
    sni_list list = { 0 };
    if (!find_clips(x, w->motion, sni_drives(SN_TARGET_PART, index, 0, kind), &list) ||
        (of_layer && !find_clips(x, w->motion, sni_drives(SN_TARGET_LAYER, part->material, 0, kind), &list)))
        return false;
    sort_clips(&list);
    clip_track *clips = list.items;
    const sn_vec4 rest = level5_diffuse(x, part);
    channel c = { .w = w, .node = mesh->node, .target = (int32_t)material };
    c.type = kind == SN_CHANNEL_COLOR ? LEVEL5_MATERIAL_COLOR : LEVEL5_MATERIAL_ALPHA;
    c.width = kind == SN_CHANNEL_COLOR ? 3 : 1;
    if (kind == SN_CHANNEL_COLOR) c.rest[0] = rest.x, c.rest[1] = rest.y, c.rest[2] = rest.z;
    else c.rest[0] = rest.w;
    for (uint32_t i = 0; i < list.count; i++) {
        const uint32_t clip = clips[i].clip;
        const sn_track *one = find_track(x, clip, SN_TARGET_PART, index, kind),
                       *two = of_layer ? find_track(x, clip, SN_TARGET_LAYER, part->material, kind) : NULL;
        sn_track *made = sni_new(x->arena, sn_track, 1);
        if (!made || !multiply_colors(w, part, kind, one, two, made)) return false;
        clips[i].track = made;
    }
    c.clips = clips;
    c.clip_count = list.count;
    return write_channel(&c);
}

// --- Shapes ---

static bool has_morph_tracks(const level5_exporter *x, const level5_out_mesh *mesh)
{
    const sn_part *part = &x->model->parts[mesh->parts[0]];
    return level5_has_track(x, SN_TARGET_NODE, part->node, 0, SN_CHANNEL_MORPHS);
}

// Where clips have a vertex at the keys of the morph weights.
static bool move_vertex(level5_exporter *x, const sn_mesh *mesh, uint32_t vertex, const sn_track *in, sn_track *out)
{
    float *values = sni_new_raw(x->arena, float, (uint64_t)in->key_count * 3);
    if (!values) return false;
    for (uint32_t k = 0; k < in->key_count; k++) {
        const float *weights = sni_track_key(in, k, SNI_KEY_VALUE);
        sn_vec3 at = mesh->positions[vertex];
        for (uint32_t i = 0; i < mesh->morph_count && i < in->width; i++)
            if (mesh->morphs[i].positions && weights[i] != 0.0f)
                at = sni_add(at, sni_scale(mesh->morphs[i].positions[vertex], weights[i]));
        memcpy(values + (size_t)k * 3, &at, sizeof at);
    }
    *out = *in;
    out->channel = SN_CHANNEL_TRANSLATION;
    out->width = 3;
    out->values = values;
    return true;
}

static bool export_shapes(motion_writer *w, const level5_out_mesh *mesh)
{
    level5_exporter *x = w->x;
    const uint64_t wanted = sni_drives(SN_TARGET_NODE, x->model->parts[mesh->parts[0]].node, 0, SN_CHANNEL_MORPHS);
    clip_track *clips;
    uint32_t count;
    if (!list_clips(x, w->motion, wanted, &clips, &count)) return false;
    for (uint32_t i = 0; count > 0 && i < mesh->mesh.positions.count; i++) {
        const level5_out_vertex *source = &mesh->sources[i];
        const sn_mesh *from = &x->model->meshes[x->model->parts[source->part].mesh];
        bool is_moved = false;
        for (uint32_t m = 0; m < from->morph_count; m++) {
            const sn_vec3 *offsets = from->morphs[m].positions;
            const sn_vec3 by = offsets ? offsets[source->vertex] : sni_vec3(0, 0, 0);
            is_moved |= by.x != 0.0f || by.y != 0.0f || by.z != 0.0f;
        }
        if (!is_moved) continue;
        clip_track *own = sni_new_raw(x->arena, clip_track, count);
        sn_track *made = sni_new_raw(x->arena, sn_track, count);
        if (!own || !made) return false;
        for (uint32_t k = 0; k < count; k++) {
            own[k] = clips[k];
            own[k].track = &made[k];
            if (!move_vertex(x, from, source->vertex, clips[k].track, &made[k])) return false;
        }
        channel c = { .w = w, .node = mesh->node, .target = (int32_t)i + 1, .type = LEVEL5_VERTEX };
        const sn_vec4 rest = level5_read_vector(mesh->mesh.positions, i);
        c.rest[0] = rest.x, c.rest[1] = rest.y, c.rest[2] = rest.z;
        c.width = 3;
        c.clips = own;
        c.clip_count = count;
        if (!write_channel(&c)) return false;
    }
    return true;
}

// DC2 has either skins or shapes in a model. A skinned mesh has no shapes.
static void choose_morphs(level5_exporter *x)
{
    const level5_out_mesh *meshes = x->meshes.items;
    uint64_t lost = 0;
    bool has_skin = false;
    for (uint32_t i = 0; i < x->meshes.count; i++) has_skin |= meshes[i].skin >= 0;
    x->has_morphs = false;
    for (uint32_t i = 0; i < x->meshes.count; i++) {
        if (!has_morph_tracks(x, &meshes[i])) continue;
        const bool is_kept = meshes[i].skin < 0 && (x->game == LEVEL5_DC1 || !has_skin);
        x->has_morphs |= is_kept;
        lost += !is_kept;
    }
    sni_save_lose(x->save, "morphs", lost, "left out; the game has them only without skins");
}

// --- All of it ---

static bool export_motion(motion_writer *w)
{
    const level5_exporter *x = w->x;
    const level5_out_mesh *meshes = x->meshes.items;
    bool has_skin = false;
    for (uint32_t i = 0; i < x->meshes.count; i++) has_skin |= meshes[i].skin >= 0;
    for (uint32_t i = 0; i < x->model->node_count; i++)
        if (!export_node(w, i) || !export_visibility(w, i)) return false;
    for (uint32_t i = 0; i < x->vanishing.count; i++)
        if (!export_vanishing(w, &level5_items(level5_vanishing, x->vanishing)[i])) return false;
    for (uint32_t i = 0; i < x->meshes.count; i++) {
        for (uint32_t k = 0; k < meshes[i].mesh.materials.count; k++)
            if (!export_color(w, &meshes[i], k, SN_CHANNEL_ALPHA) || !export_color(w, &meshes[i], k, SN_CHANNEL_COLOR))
                return false;
        const bool has_shapes = meshes[i].skin < 0 && (x->game == LEVEL5_DC1 || !has_skin);
        if (has_shapes && has_morph_tracks(x, &meshes[i]) && !export_shapes(w, &meshes[i])) return false;
    }
    return true;
}

static bool export_all(motion_writer *w)
{
    const sni_list *motions = &w->x->motions;
    if (!list_motions(w->x)) return false;
    for (uint32_t i = 0; i < motions->count && !w->has_conflict; i++) {
        w->motion = &level5_items(level5_motion_out, *motions)[i];
        if (!export_motion(w)) return false;
    }
    return true;
}

static void report(const motion_writer *w)
{
    const level5_exporter *x = w->x;
    sni_diag *diag = &x->save->diag;
    uint64_t lost[2] = { 0 }, held = 0;
    const bool knows_loops = strcmp(x->model->format, "gltf") != 0;
    for (uint32_t i = 0; i < x->found.count; i++) {
        const sn_track *track = x->found.tracks[i].track;
        const bool is_uv = track->channel >= SN_CHANNEL_UV_OFFSET && track->channel <= SN_CHANNEL_IMAGE;
        if (!is_exported(track)) lost[is_uv]++;
    }
    for (uint32_t i = 0; i < x->model->clip_count; i++)
        held += knows_loops && !x->model->clips[i].loops && x->model->clips[i].duration > 0.0f;
    sni_save_lose(x->save, "clips", lost[1], "texture tracks were left out");
    sni_save_lose(x->save, "clips", lost[0], "tracks of lights, cameras and emissive colours were left out");
    sni_save_lose(x->save, "clips", held, "the format does not store whether they loop");
    sni_enter(diag, "clips", -1);
    sni_warn_many(diag, SNI_WARN_RESAMPLED, w->moved_keys, 0,
                  "keys between frames were replaced by two keys on frames");
    sni_warn_many(diag, SNI_WARN_RESAMPLED, w->mixed_colors, 0, "colour tracks are exact only at their keys");
    sni_leave(diag);
}

// The old timeline if it still fits; else a new one.
bool level5_export_timelines(level5_exporter *x)
{
    x->intervals = sni_new(x->arena, level5_interval, x->model->clip_count);
    if (!x->intervals) return false;
    choose_morphs(x);
    motion_writer w = { .x = x };
    const bool keeps_timeline = keep_intervals(x);
    if (keeps_timeline && !export_all(&w)) return false;
    if (!keeps_timeline || w.has_conflict) {
        w = (motion_writer){ .x = x };
        if (!lay_out_clips(x) || !export_all(&w)) return false;
    }
    report(&w);
    return true;
}
