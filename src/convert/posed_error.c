#include "convert/posed_error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "model/builder.h"
#include "model/track.h"
#include "model/track_index.h"

enum { FEW_TIMES = 11, MANY_TIMES = 41, MANY_POSED = 1 << 22, MOST_POSED = 1 << 24 };

typedef struct posed_time {
    int32_t clip;
    float seconds;
} posed_time;

// Without materials, and with the tracks of nodes alone: of what is being fitted, others may fit nothing yet.
static sn_pose *create_pose(sni_save *save, const sn_model *model, sn_model *copy)
{
    sn_error error = { 0 };
    sn_clip *clips = sni_new_raw(&save->scratch, sn_clip, model->clip_count);
    sn_part *parts = sni_new_raw(&save->scratch, sn_part, model->part_count);
    *copy = *model;
    copy->clips = clips;
    copy->parts = parts;
    copy->materials = NULL, copy->material_count = 0;
    copy->document = copy->checked = NULL;
    if (!clips || !parts) return NULL;
    for (uint32_t i = 0; i < model->part_count; i++) parts[i] = model->parts[i], parts[i].material = -1;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        sn_track *tracks = sni_new_raw(&save->scratch, sn_track, model->clips[i].track_count);
        if (!tracks) return NULL;
        clips[i] = model->clips[i];
        clips[i].tracks = tracks;
        clips[i].track_count = 0;
        for (uint32_t t = 0; t < model->clips[i].track_count; t++)
            if (model->clips[i].tracks[t].target_kind == SN_TARGET_NODE)
                tracks[clips[i].track_count++] = model->clips[i].tracks[t];
    }
    sn_pose *pose = sn_pose_create(copy, &save->heap.allocator, &error);
    const bool is_too_large = error.status == SN_ERR_INVALID;  // what fitting made of a valid model
    if (!pose && is_too_large) sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "too large to convert: %s", error.message);
    else if (!pose) sni_fail(&save->diag, error.status, 0, "%s", error.message);
    return pose;
}

// The largest distance at these times, until too many nodes and vertices were posed, and the size.
static bool find_distance(sni_save *save, const sn_model *before, const sn_model *after, const posed_time *times,
                          uint32_t count, double *distance, double *size)
{
    sn_model copies[2];
    sn_bounds bounds = { 0 };
    uint64_t posed = 0, most = 0;
    sn_pose *one = create_pose(save, before, &copies[0]), *two = one ? create_pose(save, after, &copies[1]) : NULL;
    for (uint32_t i = 0; i < before->mesh_count; i++)
        most = before->meshes[i].vertex_count > most ? before->meshes[i].vertex_count : most;
    sn_vec3 *places = sni_new_raw(&save->scratch, sn_vec3, 2 * most);
    *distance = 0.0;
    for (uint32_t i = 0; one && two && places && i < count && posed < MOST_POSED; i++) {
        sn_pose_sample(one, times[i].clip, times[i].seconds, times[i].seconds);
        sn_pose_sample(two, times[i].clip, times[i].seconds, times[i].seconds);
        sn_pose_solve(one, NULL), sn_pose_solve(two, NULL);
        posed += (uint64_t)before->node_count + after->node_count;
        for (uint32_t part = 0; part < before->part_count; part++) {
            const sn_mesh *mesh = &before->meshes[before->parts[part].mesh];
            const uint32_t vertices = mesh->vertex_count;
            sn_skin_part(one, (int32_t)part, places, NULL, NULL);
            sn_skin_part(two, (int32_t)part, places + most, NULL, NULL);
            posed += vertices * (1 + (uint64_t)mesh->morph_count);
            for (uint32_t k = 0; k < vertices; k++)
                *distance = fmax(*distance, sni_length(sni_sub(places[k], places[most + k])));
        }
    }
    sn_pose_free(one);
    sn_pose_free(two);
    if (!two) return false;
    if (sn_model_bounds(&copies[0], before->clip_count > 0 ? 0 : -1, &save->heap.allocator, &bounds) == SN_ERR_MEMORY)
        return sni_fail(&save->diag, SN_ERR_MEMORY, 0, "out of memory");
    *size = bounds.radius > 0.0f ? 2.0 * bounds.radius : 1.0;
    return sni_save_ok(save);
}

static uint32_t times_per_clip(const sn_model *model)
{
    uint64_t vertices = 1;
    for (uint32_t i = 0; i < model->part_count; i++) vertices += model->meshes[model->parts[i].mesh].vertex_count;
    return vertices * model->clip_count * MANY_TIMES <= MANY_POSED ? MANY_TIMES : FEW_TIMES;
}

bool sni_find_posed_error(sni_save *save, const sn_model *before, const sn_model *after, double *distance, double *size)
{
    const uint32_t each = times_per_clip(before), count = before->clip_count > 0 ? before->clip_count * each : 1;
    posed_time *times = sni_new_raw(&save->scratch, posed_time, count);
    if (!times) return false;
    times[0] = (posed_time){ -1, 0.0f };
    for (uint32_t i = 0; i < before->clip_count * each; i++)
        times[i] = (posed_time){ (int32_t)(i / each),
                                 before->clips[i / each].duration * (float)(i % each) / (float)(each - 1) };
    return find_distance(save, before, after, times, count, distance, size);
}

// Tracks

// The model with its changed tracks as they were or as they are. They were continuous: Warcraft III's pop is no aim.
static bool change_tracks(sni_save *save, const sn_model *model, bool is_after, sn_model *out)
{
    const sni_changed_track *changes = save->changed_tracks.items;
    sni_track_index found;
    sn_clip *clips = sni_new_raw(&save->scratch, sn_clip, model->clip_count);
    if (!clips || !sni_track_index_make(&save->scratch, model, &found)) return false;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        sn_track *tracks = sni_new_raw(&save->scratch, sn_track, model->clips[i].track_count);
        if (!tracks) return false;
        clips[i] = model->clips[i];
        if (clips[i].track_count > 0) memcpy(tracks, clips[i].tracks, clips[i].track_count * sizeof *tracks);
        clips[i].tracks = tracks;
    }
    for (uint32_t i = 0; i < save->changed_tracks.count; i++) {
        const sn_track *track = is_after ? &changes[i].after : &changes[i].before;
        const uint64_t drives = sni_drives((sn_target)track->target_kind, track->target, track->sub,
                                           (sn_channel)track->channel);
        const sn_clip *clip = &model->clips[changes[i].clip];
        const sn_track *old = changes[i].moves_node ? sni_track_index_find(&found, drives, changes[i].clip) : NULL;
        if (!old) continue;
        sn_track *changed = sni_mut(sn_track, clips[changes[i].clip].tracks) + (old - clip->tracks);
        *changed = *track;
        if (changed->wrap == SN_WRAP_CYCLE_GAME) changed->wrap = SN_WRAP_CYCLE;
    }
    *out = *model;
    out->clips = clips;
    return true;
}

// Jumps move by up to half a millisecond, and during that time everything is off: they are left out.
static bool is_jump(const sn_track *track, uint32_t key)
{
    const float near = 1.5e-3f, *times = track->times;
    return sni_track_is_stepped(track) || (key > 0 && times[key] - times[key - 1] < near) ||
           (key + 1 < track->key_count && times[key + 1] - times[key] < near);
}

static int compare_times(const void *left, const void *right)
{
    const posed_time *a = left, *b = right;
    return a->clip != b->clip ? (a->clip > b->clip) - (a->clip < b->clip)
                              : (a->seconds > b->seconds) - (a->seconds < b->seconds);
}

// A curve is farthest off where a key was: clips are posed evenly, and at old keys of the tracks that changed.
static bool list_times(sni_save *save, const sn_model *model, sni_list *out)
{
    const sni_changed_track *changes = save->changed_tracks.items;
    const uint32_t each = times_per_clip(model);
    sni_list keys = { 0 };
    for (uint32_t i = 0; i < save->changed_tracks.count; i++) {
        for (uint32_t k = 0; changes[i].moves_node && k < changes[i].before.key_count; k++) {
            const float end = model->clips[changes[i].clip].duration, at = changes[i].before.times[k];
            if (at < 0.0f || at > end || is_jump(&changes[i].before, k)) continue;
            posed_time *key = sni_push(&save->scratch, &keys, posed_time);
            if (!key) return false;
            *key = (posed_time){ (int32_t)changes[i].clip, at };
        }
    }
    posed_time *times = keys.items;
    if (keys.count > 1) qsort(times, keys.count, sizeof *times, compare_times);
    for (uint32_t first = 0, end; first < keys.count; first = end) {
        uint32_t count = 1;  // of different ones
        for (end = first + 1; end < keys.count && times[end].clip == times[first].clip; end++)
            if (times[end].seconds > times[first + count - 1].seconds) times[first + count++] = times[end];
        const uint32_t taken = count < each ? count : each;
        const sn_clip *clip = &model->clips[times[first].clip];
        for (uint32_t i = 0; i < each + taken; i++) {
            posed_time *time = sni_push(&save->scratch, out, posed_time);
            if (!time) return false;
            *time = i < each ? (posed_time){ times[first].clip, clip->duration * (float)i / (float)(each - 1) }
                             : times[first + (uint64_t)(i - each) * count / taken];
        }
    }
    return true;
}

static double value_error(const sn_track *before, const sn_track *after, float duration)
{
    float one[4] = { 0 }, two[4] = { 0 };
    double largest = 0.0;
    for (uint32_t i = 0; before->width <= 4 && i < before->key_count; i++) {
        const float at = before->times[i];
        if (at < 0.0f || at > duration || is_jump(before, i)) continue;
        sni_track_sample(before, at, duration, at, one);
        sni_track_sample(after, at, duration, at, two);
        for (uint32_t c = 0; c < before->width; c++) largest = fmax(largest, fabs((double)one[c] - two[c]));
    }
    return largest;
}

const char *sni_print_posed_error(char out[96], double distance, double size)
{
    const double percents = 100.0 * distance / size;
    out[0] = 0;
    if (percents >= 1e-4)
        snprintf(out, 96, "; vertices are off by up to %.3g, or %.3g %% of the model's size", distance, percents);
    return out;
}

bool sni_report_changed_tracks(sni_save *save, const sn_model *model)
{
    const sni_changed_track *changes = save->changed_tracks.items;
    const uint32_t count = save->changed_tracks.count;
    sni_list times = { 0 };
    sn_model before, after;
    double values = 0.0, distance = 0.0, size = 1.0;
    char off[96];
    uint64_t moving = 0;
    if (count == 0) return true;
    if (!change_tracks(save, model, false, &before) || !change_tracks(save, model, true, &after) ||
        !list_times(save, model, &times) ||
        !find_distance(save, &before, &after, times.items, times.count, &distance, &size))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const sni_changed_track *change = &changes[i];
        if (change->moves_node) moving++;
        else values = fmax(values, value_error(&change->before, &change->after, model->clips[change->clip].duration));
    }
    sni_enter(&save->diag, "clips", -1);
    sni_warn_many(&save->diag, SNI_WARN_RESAMPLED, moving, 0,
                  "tracks were resampled, or their keys rounded to whole milliseconds%s",
                  sni_print_posed_error(off, distance, size));
    if (values > 0.0) snprintf(off, sizeof off, ", values differ by up to %.3g", values);
    else off[0] = 0;

    sni_warn_many(&save->diag, SNI_WARN_RESAMPLED, count - moving, 0,
                  "tracks of colours and other values were resampled, or their keys rounded to whole milliseconds; "
                  "jumps are up to 0.5 ms off%s",
                  off);
    sni_leave(&save->diag);
    return sni_save_ok(save);
}
