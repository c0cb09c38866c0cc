#include <math.h>
#include <string.h>

#include "model/builder.h"
#include "model/sanitize.h"
#include "model/track.h"

// Keys whose time is no number, or not later than the key before, go.
static void drop_bad_keys(sni_load *load, sn_track *track, uint64_t offset)
{
    float *times = sni_mut(float, track->times), *values = sni_mut(float, track->values);
    size_t step = sni_track_floats_per_key(track);
    uint32_t kept = 0, first_bad = 0;
    for (uint32_t i = 0; i < track->key_count; i++) {
        if (!isfinite(times[i]) || (kept > 0 && times[i] <= times[kept - 1])) {
            if (kept == i) first_bad = i;
            continue;
        }
        if (kept != i) {
            times[kept] = times[i];
            memmove(values + kept * step, values + i * step, step * sizeof *values);
        }
        kept++;
    }
    sni_warn_many(&load->diag, SNI_WARN_KEY_ORDER, track->key_count - kept, offset,
                  "key %u does not come after the key before it", first_bad);
    track->key_count = kept;
}

bool sni_finish_keys(sni_load *load, sn_track *track, uint64_t offset)
{
    if (!sni_load_ok(load)) return false;
    drop_bad_keys(load, track, offset);
    sni_sanitize fixes = { 0 };
    float *values = sni_mut(float, track->values);
    size_t step = sni_track_floats_per_key(track), value_at = sni_track_has_tangents(track) ? track->width : 0;
    sni_sanitize_floats(&fixes, values, (uint64_t)track->key_count * step);
    for (uint32_t i = 0; sni_track_is_rotation(track) && i < track->key_count; i++) {
        float *value = values + i * step + value_at;
        if (sni_is_unit(sni_length_squared(value, 4))) continue;
        sn_quat rotation = { value[0], value[1], value[2], value[3] };
        sni_sanitize_rotation(&fixes, &rotation);
        memcpy(value, &rotation, sizeof rotation);
    }
    sni_sanitize_report(load, &fixes, offset);
    return sni_load_ok(load);
}

static bool targets_something(const sn_model *model, const sn_track *track)
{
    if (track->target < 0) return false;
    uint32_t target = (uint32_t)track->target;
    switch (track->target_kind) {
    case SN_TARGET_NODE: return target < model->node_count;
    case SN_TARGET_PART: return target < model->part_count;
    case SN_TARGET_CAMERA: return target < model->camera_count;
    case SN_TARGET_LIGHT: return target < model->light_count;
    case SN_TARGET_LAYER:
        return target < model->material_count && track->sub >= 0 &&
               (uint32_t)track->sub < model->materials[target].layer_count;
    default: return false;
    }
}

static bool fits_channel(const sn_track *track)
{
    if (track->channel >= SN_CHANNEL_COUNT || track->width == 0) return false;
    uint32_t width = sni_channel_width(track->channel);
    return width == 0 || width == track->width;
}

static bool drive_alike(const sn_track *a, const sn_track *b)
{
    return a->target_kind == b->target_kind && a->channel == b->channel && a->target == b->target && a->sub == b->sub;
}

static uint32_t hash_target(const sn_track *track)
{
    uint32_t hash = (uint32_t)track->target * 2654435761u;
    hash ^= (uint32_t)track->sub * 40503u + track->channel * 97u + track->target_kind * 31u;
    return hash ^ hash >> 15;
}

// Keeps the tracks that drive something and have keys; of two that drive the same, the last.
static bool keep_tracks(sni_load *load, const sn_model *model, sn_clip *clip, uint32_t *slots, uint32_t slot_count)
{
    sn_track *tracks = sni_mut(sn_track, clip->tracks);
    uint32_t kept = 0, mask = slot_count - 1;
    memset(slots, 0, slot_count * sizeof *slots);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        if (!targets_something(model, &tracks[i]) || !fits_channel(&tracks[i])) {
            sni_warn(&load->diag, SNI_WARN_TRACK_TARGET, 0, "track %u drives nothing", i);
            continue;
        }
        if (tracks[i].key_count == 0) {
            sni_warn(&load->diag, SNI_WARN_TRACK_EMPTY, 0, "track %u has no keys", i);
            continue;
        }
        uint32_t at = hash_target(&tracks[i]) & mask;
        while (slots[at] && !drive_alike(&tracks[slots[at] - 1], &tracks[i])) at = (at + 1) & mask;
        if (slots[at]) {
            sni_warn(&load->diag, SNI_WARN_TRACK_TWICE, 0, "track %u drives what an earlier one drives", i);
            tracks[slots[at] - 1] = tracks[i];
            continue;
        }
        tracks[kept++] = tracks[i];
        slots[at] = kept;
    }
    clip->track_count = kept;
    return sni_load_ok(load);
}

bool sni_finish_clips(sni_load *load, sn_model *model)
{
    sn_clip *clips = sni_mut(sn_clip, model->clips);
    uint32_t most = 0, slot_count = 16;
    for (uint32_t i = 0; i < model->clip_count; i++) most = clips[i].track_count > most ? clips[i].track_count : most;
    while (slot_count / 2 < most && slot_count < 1u << 31) slot_count *= 2;
    uint32_t *slots = sni_new_raw(&load->scratch, uint32_t, slot_count);
    if (!slots) return false;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        uint32_t used = 16;
        while (used / 2 < clips[i].track_count) used *= 2;
        sni_enter_named(&load->diag, "clips", i, clips[i].name);
        if (!clips[i].name) clips[i].name = "";
        if (!(clips[i].duration >= 0.0f) || !isfinite(clips[i].duration)) clips[i].duration = 0.0f;
        keep_tracks(load, model, &clips[i], slots, used);
        sni_leave(&load->diag);
    }
    return sni_load_ok(load);
}
