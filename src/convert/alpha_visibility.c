#include "convert/alpha_visibility.h"

#include <math.h>
#include <string.h>

#include "model/track.h"

enum { SAMPLES = 8 };  // between two keys

typedef struct transparency {
    sni_save *save;
    const sn_model *model;
    uint32_t *first_layer;                             // of each material, in `layers`
    const sn_track **layers, **parts, **visibilities;  // of the current clip, fitted; NULL: as at rest
    sn_part *fitted_parts;
    bool *is_transparent;  // parts, at rest
    sni_list times;        // of float: the keys of what drives the current part
    uint64_t steps_left, keys_left;
} transparency;

bool sni_layer_is_transparent(const sn_layer *layer, float alpha)
{
    switch (layer->blend) {
    case SN_BLEND_OPAQUE: return alpha < layer->alpha_cutoff;
    case SN_BLEND_MODULATE:
    case SN_BLEND_MODULATE_2X: return false;
    default: return alpha < SNI_LEAST_ALPHA;
    }
}

// Without its sign: a curve that is near 0 at all samples is so between them, but not one that is merely below.
static float sample(const sn_track *track, float rest, float time)
{
    if (track) sni_track_sample(track, time, 0.0f, 0.0f, &rest);
    return fabsf(rest);
}

// The alpha of the part counts for the alpha test only when it is 0: saving blends such a part.
static bool is_transparent_at(const transparency *t, uint32_t index, float time)
{
    const sn_part *part = &t->model->parts[index];
    float alpha = sample(t->parts[index], part->color.w, time);
    if (alpha < SNI_LEAST_ALPHA) return true;
    if (part->material < 0 || t->model->materials[part->material].layer_count == 0) return false;
    const sn_material *material = &t->model->materials[part->material];
    for (uint32_t i = 0; i < material->layer_count; i++) {
        const sn_layer *layer = &material->layers[i];
        float own = sample(t->layers[t->first_layer[part->material] + i], layer->color.w, time);
        if (!sni_layer_is_transparent(layer, layer->blend == SN_BLEND_OPAQUE ? own : own * alpha)) return false;
    }
    return true;
}

// Until just before `to`, where a step is over.
static bool is_transparent_between(const transparency *t, uint32_t part, float from, float to)
{
    for (int i = 0; i < SAMPLES; i++)
        if (!is_transparent_at(t, part, from + (to - from) * (float)i / SAMPLES)) return false;
    return is_transparent_at(t, part, nextafterf(to, from));
}

static bool is_shown_at(const transparency *t, uint32_t part, float time)
{
    return sample(t->visibilities[part], t->model->parts[part].is_hidden ? 0.0f : 1.0f, time) > 0.0f;
}

static bool add_times(transparency *t, const sn_track *track)
{
    for (uint32_t i = 0; track && i < track->key_count; i++) {
        float *time = sni_push(&t->save->scratch, &t->times, float);
        if (!time) return false;
        *time = track->times[i];
    }
    return true;
}

// Sets `made` to the visibility of a part in the current clip; without keys where it needs no change. What fades until
// the clip's end is not hidden at that moment, in which the clip may begin again.
static bool make_visibility(transparency *t, uint32_t index, float duration, sn_track *made)
{
    const sn_part *part = &t->model->parts[index];
    const sn_material *material = part->material >= 0 ? &t->model->materials[part->material] : NULL;
    bool is_driven = t->parts[index] != NULL, is_changed = t->is_transparent[index] && !part->is_hidden;
    *made = (sn_track){ 0 };
    t->times.count = 0;
    if (!add_times(t, t->parts[index])) return false;
    for (uint32_t i = 0; material && i < material->layer_count; i++) {
        const sn_track *alpha = t->layers[t->first_layer[part->material] + i];
        is_driven = is_driven || alpha;
        if (!add_times(t, alpha)) return false;
    }
    if (!is_driven && !(t->is_transparent[index] && t->visibilities[index])) return true;
    float *start = sni_push(&t->save->scratch, &t->times, float);
    if (!start) return false;
    *start = 0.0f;
    if (!add_times(t, t->visibilities[index])) return false;
    float *times = t->times.items;
    uint32_t count = sni_merge_key_times(times, t->times.count), used = 0;
    if (count > t->steps_left) {
        t->steps_left = 0;
        return true;
    }
    t->steps_left -= count;
    float *key_times = sni_new_raw(&t->save->scratch, float, count),
          *values = sni_new_raw(&t->save->scratch, float, count);
    if (!key_times || !values) return false;
    bool is_transparent = false;
    for (uint32_t i = 0; i < count; i++) {
        bool is_shown = is_shown_at(t, index, times[i]);
        bool is_end = i > 0 && i + 1 == count && times[i] >= duration;
        if (!is_end) is_transparent = is_transparent_between(t, index, times[i], times[i + 1 < count ? i + 1 : i]);
        if (is_shown && is_transparent) is_shown = false, is_changed = true;
        if (used > 0 && (values[used - 1] > 0.0f) == is_shown) continue;
        key_times[used] = times[i];
        values[used++] = is_shown ? 1.0f : 0.0f;
    }
    if (!is_changed) return true;
    *made = (sn_track){ .target_kind = SN_TARGET_PART,
                        .target = (int32_t)index,
                        .channel = SN_CHANNEL_VISIBILITY,
                        .interpolation = SN_STEP,
                        .key_count = used,
                        .width = 1,
                        .times = key_times,
                        .values = values };
    return true;
}

static const sn_track **slot_of(const transparency *t, const sn_track *track)
{
    bool is_part = track->target_kind == SN_TARGET_PART;
    if (track->key_count == 0) return NULL;
    if (is_part && track->channel == SN_CHANNEL_VISIBILITY) return &t->visibilities[track->target];
    if (is_part && track->channel == SN_CHANNEL_ALPHA) return &t->parts[track->target];
    bool is_layer = track->target_kind == SN_TARGET_LAYER && track->channel == SN_CHANNEL_ALPHA;
    return is_layer ? &t->layers[t->first_layer[track->target] + (uint32_t)track->sub] : NULL;
}

static bool enter_clip(transparency *t, const sn_clip *clip)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track **slot = slot_of(t, &clip->tracks[i]);
        sni_exactness exactness;
        if (!slot) continue;
        sn_track *fitted = sni_new_raw(&t->save->scratch, sn_track, 1);
        if (!fitted ||
            !sni_track_fit(&t->save->scratch, &clip->tracks[i], clip->duration, 0.0, &t->keys_left, fitted, &exactness))
            return false;
        *slot = fitted;
    }
    return true;
}

static bool fit_clip(transparency *t, const sn_clip *clip, sn_clip *out)
{
    sni_list tracks = { 0 };  // of sn_track: the visibilities that change
    *out = *clip;
    if (!enter_clip(t, clip)) return false;
    for (uint32_t i = 0; i < t->model->part_count && t->steps_left > 0; i++) {
        sn_track made;
        t->steps_left--;
        if (!make_visibility(t, i, clip->duration, &made)) return false;
        if (made.key_count == 0) continue;
        sn_track *added = sni_push(&t->save->scratch, &tracks, sn_track);
        if (!added) return false;
        *added = made;
        t->visibilities[i] = NULL;  // the old one goes
    }
    for (uint32_t i = 0; i < clip->track_count && tracks.count > 0; i++) {
        const sn_track *track = &clip->tracks[i];
        bool is_replaced = track->target_kind == SN_TARGET_PART && track->channel == SN_CHANNEL_VISIBILITY &&
                           track->key_count > 0 && !t->visibilities[track->target];
        if (is_replaced) continue;
        sn_track *kept = sni_push(&t->save->scratch, &tracks, sn_track);
        if (!kept) return false;
        *kept = *track;
    }
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const sn_track **slot = slot_of(t, &clip->tracks[i]);
        if (slot) *slot = NULL;
    }
    if (tracks.count == 0) return true;
    out->tracks = tracks.items;
    out->track_count = tracks.count;
    return true;
}

static bool collect(transparency *t)
{
    const sn_model *model = t->model;
    sni_arena *arena = &t->save->scratch;
    uint64_t layers = 0;
    t->first_layer = sni_new_raw(arena, uint32_t, model->material_count);
    if (!t->first_layer) return false;
    for (uint32_t i = 0; i < model->material_count; i++) {
        t->first_layer[i] = (uint32_t)layers;
        layers += model->materials[i].layer_count;
    }
    t->layers = sni_new(arena, const sn_track *, layers);
    t->parts = sni_new(arena, const sn_track *, model->part_count);
    t->visibilities = sni_new(arena, const sn_track *, model->part_count);
    t->is_transparent = sni_new_raw(arena, bool, model->part_count);
    t->fitted_parts = sni_new_raw(arena, sn_part, model->part_count);
    return t->layers && t->parts && t->visibilities && t->is_transparent && t->fitted_parts;
}

bool sni_fit_alpha_visibility(sni_save *save, const sn_model *model, sn_model *fitted)
{
    transparency t = { .save = save, .model = model, .steps_left = 1 << 21, .keys_left = save->keys_left };
    *fitted = *model;
    if (model->part_count == 0) return true;
    if (!collect(&t)) return false;
    for (uint32_t i = 0; i < model->part_count; i++) {
        t.fitted_parts[i] = model->parts[i];
        t.is_transparent[i] = is_transparent_at(&t, i, 0.0f);
        if (t.is_transparent[i]) t.fitted_parts[i].is_hidden = true;
    }
    sn_clip *clips = sni_new_raw(&save->scratch, sn_clip, model->clip_count);
    if (!clips) return false;
    for (uint32_t i = 0; i < model->clip_count; i++)
        if (!fit_clip(&t, &model->clips[i], &clips[i])) return false;
    if (t.steps_left == 0) {
        sni_warn(&save->diag, SNI_WARN_LOST_CONTENT, 0,
                 "too many keys: transparent parts are visible in players without KHR_animation_pointer");
        return true;
    }
    fitted->parts = t.fitted_parts;
    fitted->clips = clips;
    return true;
}
