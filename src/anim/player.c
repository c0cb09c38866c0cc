// Playing clips: cross-fades, loops, root motion, events.
#include "anim/motion.h"
#include "base/math.h"
#include "model/builder.h"

#include <float.h>
#include <string.h>

static const sn_clip *clip_at(const sn_model *model, int32_t clip)
{
    return sni_has(model->clip_count, clip) ? &model->clips[clip] : NULL;
}

static float speed_of(const sn_player *player)
{
    return player->speed == 0.0f || !isfinite(player->speed) ? 1.0f : player->speed;
}

static bool is_fading(const sn_player *player) { return player->fade < player->fade_seconds; }

void sn_player_play(sn_player *player, const sn_model *model, int32_t clip, float fade_seconds)
{
    const sn_clip *next = clip_at(model, clip);
    bool keeps_previous = is_fading(player) && player->fade * 2.0f < player->fade_seconds;
    if (!keeps_previous) {
        player->previous = player->clip;
        player->previous_seconds = player->seconds;
    }
    player->clip = clip;
    player->seconds = next && speed_of(player) < 0.0f ? next->duration : 0.0f;
    player->from = player->to = player->seconds;
    player->fade = 0.0f;
    player->fade_seconds = fade_seconds > 0.0f && isfinite(fade_seconds) ? fade_seconds : 0.0f;
    player->has_started = false;
}

// The time without wrapping, and as the player keeps it.
static float step_time(const sn_clip *clip, float *seconds, float by)
{
    float from = isfinite(*seconds) ? *seconds : 0.0f, to = from + by;
    if (!clip || !(clip->duration > 0.0f)) return *seconds = 0.0f;
    if (!isfinite(to)) to = from;
    if (!clip->loops) return *seconds = fmaxf(0.0f, fminf(to, clip->duration));
    *seconds = sni_clip_time(clip, to);
    return to;
}

void sn_player_advance(sn_player *player, const sn_model *model, float seconds)
{
    if (!isfinite(seconds)) return;
    const sn_clip *clip = clip_at(model, player->clip);
    float by = seconds * speed_of(player);
    player->clock += seconds;
    if (is_fading(player)) {
        step_time(clip_at(model, player->previous), &player->previous_seconds, by);
        player->fade = fmaxf(0.0f, player->fade + seconds);
    }
    player->from = player->seconds;
    player->to = step_time(clip, &player->seconds, by);
    if (player->has_started || by == 0.0f || !clip) return;
    player->has_started = true;
    if (by > 0.0f && player->from == 0.0f) player->from = -FLT_MIN;
    if (by < 0.0f && player->from == clip->duration) player->from = nextafterf(clip->duration, INFINITY);
}

uint32_t sn_player_layers(const sn_player *player, sn_motion_layer layers[2])
{
    layers[0] = (sn_motion_layer){ .clip = player->clip, .seconds = player->seconds, .weight = 1.0f };
    if (!is_fading(player)) return 1;
    float weight = player->fade / player->fade_seconds;
    layers[0].weight = weight;
    layers[1] = (sn_motion_layer){ .clip = player->previous,
                                   .seconds = player->previous_seconds,
                                   .weight = 1.0f - weight };
    return 2;
}

// Root motion

// From one local transform to another: a * trs_between(a, b) = b. Exact where a scales equally along its axes.
static sn_trs trs_between(const sn_trs *a, const sn_trs *b)
{
    sn_quat undo = sni_quat_conjugate(a->rotation);
    sn_vec3 moved = sni_quat_rotate(undo, sni_sub(b->translation, a->translation));
    sn_vec3 s = a->scale;
    s = sni_vec3(s.x == 0.0f ? 1.0f : s.x, s.y == 0.0f ? 1.0f : s.y, s.z == 0.0f ? 1.0f : s.z);
    sn_trs out = { { moved.x / s.x, moved.y / s.y, moved.z / s.z },
                   sni_quat_unit(sni_quat_mul(undo, b->rotation)),
                   { b->scale.x / s.x, b->scale.y / s.y, b->scale.z / s.z } };
    return out;
}

static sn_trs trs_mul(const sn_trs *a, const sn_trs *b)
{
    sn_vec3 moved = { a->scale.x * b->translation.x, a->scale.y * b->translation.y, a->scale.z * b->translation.z };
    sn_trs out = { sni_add(a->translation, sni_quat_rotate(a->rotation, moved)),
                   sni_quat_unit(sni_quat_mul(a->rotation, b->rotation)),
                   { a->scale.x * b->scale.x, a->scale.y * b->scale.y, a->scale.z * b->scale.z } };
    return out;
}

static sn_trs trs_power(sn_trs base, uint32_t exponent)
{
    sn_trs out = sni_trs_identity;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1) out = trs_mul(&out, &base);
        base = trs_mul(&base, &base);
    }
    return out;
}

// A time as whole loops and the rest. Far away only the loops that a float can still count.
static float split_loops(float seconds, float duration, double *loops)
{
    *loops = fmax(-1e9, fmin(floor((double)seconds / duration), 1e9));
    return sni_wrap_time(seconds, duration);
}

// Samples the entries of a timeline that belong to one block, each as a timeline of its own.
static void sample_block(const sn_motion *motion, const sni_timeline *line, uint32_t block, float time,
                         sni_trs8 *locals)
{
    sni_timeline one = *line;
    sni_motion_clip part = { .timelines = &one, .timeline_count = 1 };
    memset(one.counts, 0, sizeof one.counts);
    for (uint32_t kind = 0, entry = 0; kind < SNI_KIND_COUNT; kind++) {
        one.counts[kind] = 1;
        for (uint32_t i = 0; i < line->counts[kind]; i++, entry++) {
            uint32_t place = line->places[entry] % SNI_BLOCK_FLOATS;
            one.places = &place;
            one.lanes = line->lanes ? line->lanes + entry : NULL;
            if (line->places[entry] / SNI_BLOCK_FLOATS == block)
                motion->kernels->sample(&part, time, 0.0f, NULL, locals);
            one.frames += sni_kind_bytes(kind);
            if (kind == SNI_LERP_I16) one.ranges += SNI_RANGE_FLOATS;
        }
        one.counts[kind] = 0;
    }
}

// One node of a clip, in the order of sni_motion_kernels.sample. Clocks stand still.
static sn_trs local_at(const sn_motion *motion, const sni_motion_clip *clip, int32_t node, float time)
{
    uint32_t block = (uint32_t)node / SNI_LANES, i = 0;
    sni_trs8 locals = clip->rest[block];
    for (; i < clip->timeline_count && !clip->timelines[i].is_overlay; i++)
        sample_block(motion, &clip->timelines[i], block, time, &locals);
    for (uint32_t k = 0; k < clip->lane_entry_count; k++) {
        sni_lane_entry one = clip->lane_entries[k];
        sni_motion_clip part = { .lane_entries = &one, .lane_entry_count = 1 };
        one.place %= SNI_BLOCK_FLOATS;
        if (clip->lane_entries[k].place / SNI_BLOCK_FLOATS == block)
            motion->kernels->sample(&part, time, 0.0f, NULL, &locals);
    }
    for (; i < clip->timeline_count; i++) sample_block(motion, &clip->timelines[i], block, time, &locals);
    return sni_trs8_get(&locals, (uint32_t)node % SNI_LANES);
}

sn_trs sn_motion_root_delta(const sn_motion *motion, int32_t clip, int32_t node, float from, float to)
{
    const sni_motion_clip *played = sni_motion_clip_at(motion, clip);
    if (!sni_has(motion->model->node_count, node) || !isfinite(from) || !isfinite(to)) return sni_trs_identity;
    double from_loops = 0.0, to_loops = 0.0;
    bool loops = played->loops && played->duration > 0.0f;
    float a = loops ? split_loops(from, played->duration, &from_loops) : sni_motion_clip_time(played, from);
    float b = loops ? split_loops(to, played->duration, &to_loops) : sni_motion_clip_time(played, to);
    sn_trs first = local_at(motion, played, node, a), last = local_at(motion, played, node, b);
    double count = to_loops - from_loops;
    if (count == 0.0) return trs_between(&first, &last);

    sn_trs start = local_at(motion, played, node, 0.0f), end = local_at(motion, played, node, played->duration);
    sn_trs loop = count > 0.0 ? trs_between(&start, &end) : trs_between(&end, &start);
    sn_trs all = trs_power(loop, (uint32_t)fabs(count)), before = trs_between(&first, &start),
           after = trs_between(&start, &last);
    all = trs_mul(&before, &all);
    return trs_mul(&all, &after);
}

// Events

// Events that happen again and again. Occurrences are numbered: those of the loop that starts at 0 from 0 on, those
// before it by numbers below 0.
typedef struct occurrences {
    const sn_event *events;  // by rising time
    uint32_t count;
    double period;  // 0: happens once
} occurrences;

static double time_of(const occurrences *all, int64_t number)
{
    int64_t count = all->count, loop = number / count - (number % count < 0), index = number - loop * count;
    return (double)loop * all->period + all->events[index].time;
}

static const sn_event *event_of(const occurrences *all, int64_t number)
{
    int64_t count = all->count, index = number % count;
    return &all->events[index < 0 ? index + count : index];
}

// The number of the first occurrence after a time, or at it.
static int64_t first_after(const occurrences *all, double time, bool or_at)
{
    int64_t number = 0;
    if (all->period > 0.0) number = ((int64_t)floor(time / all->period) - 1) * all->count;
    int64_t end = all->period > 0.0 ? number + 3 * (int64_t)all->count : all->count;
    while (number < end) {
        double at = time_of(all, number);
        if (at > time || (or_at && at == time)) break;
        number++;
    }
    return number;
}

// Which occurrences are in the interval: the first and how many.
static int64_t occurrences_between(const occurrences *all, float from, float to, int64_t *first)
{
    const double most_loops = 1e9;  // more than a float can tell apart
    *first = 0;
    if (all->count == 0 || !isfinite(from) || !isfinite(to)) return 0;
    if (all->period > 0.0 && !(fabs(from / all->period) < most_loops && fabs(to / all->period) < most_loops)) return 0;
    bool is_back = from > to;
    *first = first_after(all, is_back ? to : from, is_back);
    return first_after(all, is_back ? from : to, is_back) - *first;
}

static const sn_event *occurrence_at(const occurrences *all, float from, float to, int64_t *index, float *time)
{
    int64_t first, count = occurrences_between(all, from, to, &first);
    if (*index >= count || all->count == 0) {
        *index -= count;
        return NULL;
    }
    int64_t number = from > to ? first + count - 1 - *index : first + *index;
    if (time) *time = (float)time_of(all, number);
    return event_of(all, number);
}

const sn_event *sn_event_next(const sn_model *model, int32_t number, float from, float to, uint32_t *cursor,
                              float *time)
{
    const sn_event *event = NULL;
    const sn_clip *clip = clip_at(model, number);
    uint32_t first = 0, end;
    int64_t index = *cursor;
    if (*cursor == UINT32_MAX || (!clip && number != -1)) return NULL;
    while (first < model->event_count && model->events[first].clip < number) first++;
    for (end = first; end < model->event_count && model->events[end].clip == number;) end++;
    if (clip) {  // what lies past the end never happens
        while (first < end && model->events[end - 1].time > clip->duration) end--;
        bool loops = clip->loops && clip->duration > 0.0f;
        occurrences all = { model->events + first, end - first, loops ? clip->duration : 0.0 };
        event = occurrence_at(&all, from, to, &index, time);
    }
    for (; !clip && first < end && !event; first++) {
        const sn_event *own_clock = &model->events[first];
        occurrences own = { own_clock, own_clock->time <= own_clock->period, own_clock->period };
        event = occurrence_at(&own, from, to, &index, time);
    }
    if (event) ++*cursor;
    return event;
}
