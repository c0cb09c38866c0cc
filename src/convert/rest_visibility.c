#include "convert/rest_visibility.h"

#include <math.h>
#include <string.h>

#include "convert/alpha_visibility.h"
#include "model/track.h"

// What a clip can change at rest has one numbering here: the visibility of nodes, then that of parts, the scale of
// nodes, the alpha of parts, the alpha of layers. The first three are switches: 1 or 0, which hides.
typedef struct rest_states {
    const sn_model *model;
    uint32_t first_part, first_scale, first_alpha, count;
    uint32_t *first_layer;  // of each material
    bool *has_parts;        // nodes with parts at or below them
    bool *is_scale_free;    // nodes that may be scaled to 0
    float *was, *is;
    uint32_t *clip;  // the last clip with a track for it, from 1 on
} rest_states;

// The rest pose of other formats is what its author wants to be seen.
bool sni_rests_standing(const sni_save *save, const sn_model *model)
{
    static const char *const formats[] = { "mdx", "level5", "w3d" };
    if (save->opts && save->opts->no_visibility_tricks) return false;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(model->format, formats[i]) == 0) return true;
    return false;
}

// -1: the track changes none.
static int64_t state_of(const rest_states *s, const sn_track *track)
{
    bool is_node = track->target_kind == SN_TARGET_NODE, is_part = track->target_kind == SN_TARGET_PART;
    if (track->key_count == 0) return -1;
    switch (track->channel) {
    case SN_CHANNEL_VISIBILITY:
        if (is_part) return (int64_t)s->first_part + track->target;
        return s->has_parts[track->target] ? track->target : -1;
    case SN_CHANNEL_SCALE:
        return is_node && s->is_scale_free[track->target] ? (int64_t)s->first_scale + track->target : -1;
    case SN_CHANNEL_ALPHA:
        if (is_part) return (int64_t)s->first_alpha + track->target;
        return (int64_t)s->first_layer[track->target] + track->sub;
    default: return -1;
    }
}

static bool hides(const sn_track *track, const float *value)
{
    const float least = track->channel == SN_CHANNEL_SCALE ? 0.01f : 0.0f;
    for (uint32_t i = 0; i < track->width; i++)
        if (fabsf(value[i]) > least) return false;
    return true;
}

static bool is_always_hidden(const sn_track *track)
{
    for (uint32_t i = 0; i < track->key_count; i++)
        if (!hides(track, sni_track_key(track, i, SNI_KEY_VALUE))) return false;
    return true;
}

// A node must have its full size at rest to be scaled to 0, and none below it may ignore its scale.
static bool find_uses(rest_states *s, sni_arena *arena)
{
    const uint32_t flags = SN_NODE_BILLBOARD | SN_NODE_BILLBOARD_X | SN_NODE_BILLBOARD_Y | SN_NODE_BILLBOARD_Z |
                           SN_NODE_OWN_TRANSLATION | SN_NODE_OWN_ROTATION | SN_NODE_OWN_SCALE;
    const sn_model *model = s->model;
    bool *is_bound = sni_new(arena, bool, model->node_count);
    s->is_scale_free = sni_new_raw(arena, bool, model->node_count);
    s->has_parts = sni_new(arena, bool, model->node_count);
    if (!is_bound || !s->is_scale_free || !s->has_parts) return false;
    for (uint32_t i = 0; i < model->part_count; i++) s->has_parts[model->parts[i].node] = true;
    for (uint32_t i = model->node_count; i-- > 0;) {
        const sn_node *node = &model->nodes[i];
        const sn_vec3 *scale = &node->rest.scale;
        if (node->flags & flags) is_bound[i] = true;
        if (is_bound[i] && node->parent >= 0) is_bound[node->parent] = true;
        if (s->has_parts[i] && node->parent >= 0) s->has_parts[node->parent] = true;
        s->is_scale_free[i] = !is_bound[i] && !node->matrix && scale->x == 1.0f && scale->y == 1.0f && scale->z == 1.0f;
    }
    return true;
}

// The alpha that a clip keeps from its start to its end; -1: it changes.
static float constant_alpha(const sn_track *track, const sn_clip *clip)
{
    enum { SAMPLES = 32 };
    float low = INFINITY, high = -INFINITY;
    for (uint32_t i = 0; i < track->key_count + SAMPLES; i++) {
        float time = i < track->key_count ? track->times[i] : clip->duration * (float)(i - track->key_count) / SAMPLES;
        float value;
        sni_track_sample(track, time, clip->duration, 0.0f, &value);
        low = fminf(low, value), high = fmaxf(high, value);
    }
    return high - low < SNI_LEAST_ALPHA ? fmaxf(low, 0.0f) : -1.0f;
}

static bool is_transparent(const sn_material *material, const float *alphas)
{
    for (uint32_t i = 0; i < material->layer_count; i++)
        if (!sni_layer_is_transparent(&material->layers[i], alphas[i])) return false;
    return material->layer_count > 0;
}

// What is transparent when the model stands is hidden, so its alpha need not be 0 for that: players that do not animate
// materials then show it in the clips that do. It stays as it was, or if that is transparent too, as clips have it.
static void choose_alphas(rest_states *s, const float *most)
{
    const sn_model *model = s->model;
    for (uint32_t i = s->first_alpha; i < s->first_alpha + model->part_count; i++) {
        if (s->is[i] < SNI_LEAST_ALPHA) s->is[i] = s->was[i];
        if (s->is[i] < SNI_LEAST_ALPHA) s->is[i] = fmaxf(most[i], s->was[i]);
    }
    for (uint32_t i = 0; i < model->material_count; i++) {
        const sn_material *material = &model->materials[i];
        uint32_t first = s->first_layer[i], count = material->layer_count;
        if (is_transparent(material, s->is + first)) memcpy(s->is + first, s->was + first, count * sizeof *s->is);
        if (!is_transparent(material, s->is + first)) continue;
        for (uint32_t k = first; k < first + count; k++) s->is[k] = fmaxf(most[k], s->was[k]);
    }
}

static bool find_states(rest_states *s, sni_arena *arena)
{
    const sn_model *model = s->model;
    int32_t standing = sn_model_default_clip(model);
    uint32_t *hiding = sni_new(arena, uint32_t, s->first_alpha);  // the number of clips that always hide it
    float *most = sni_new(arena, float, s->count);                // alpha in any clip
    if (!hiding || !most) return false;
    for (uint32_t i = 0; i < model->node_count; i++) {
        s->was[i] = model->nodes[i].flags & SN_NODE_HIDDEN ? 0.0f : 1.0f;
        s->was[s->first_scale + i] = 1.0f;
    }
    for (uint32_t i = 0; i < model->part_count; i++) {
        s->was[s->first_part + i] = model->parts[i].is_hidden ? 0.0f : 1.0f;
        s->was[s->first_alpha + i] = model->parts[i].color.w;
    }
    for (uint32_t i = 0; i < model->material_count; i++)
        for (uint32_t k = 0; k < model->materials[i].layer_count; k++)
            s->was[s->first_layer[i] + k] = model->materials[i].layers[k].color.w;
    memcpy(s->is, s->was, s->count * sizeof *s->is);
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const sn_clip *clip = &model->clips[i];
        for (uint32_t t = 0; t < clip->track_count; t++) {
            const sn_track *track = &clip->tracks[t];
            int64_t at = state_of(s, track);
            float value[3];
            if (at >= s->first_alpha) {
                for (uint32_t k = 0; k < track->key_count; k++)
                    most[at] = fmaxf(most[at], *sni_track_key(track, k, SNI_KEY_VALUE));
                float alpha = (int32_t)i == standing ? constant_alpha(track, clip) : -1.0f;
                if (alpha >= 0.0f) s->is[at] = alpha;
            } else if (at >= 0) {
                hiding[at] += is_always_hidden(track);
                if ((int32_t)i != standing) continue;
                sni_track_sample(track, 0.0f, clip->duration, 0.0f, value);
                s->is[at] = hides(track, value) ? 0.0f : 1.0f;
            }
        }
    }
    for (uint32_t i = 0; standing < 0 && model->clip_count > 0 && i < s->first_alpha; i++)
        if (hiding[i] >= model->clip_count) s->is[i] = 0.0f;
    choose_alphas(s, most);
    return true;
}

// Whether some vertex of the part is not at a node that is scaled to 0.
static bool has_size(const sn_model *model, const sn_part *part, const bool *is_scaled)
{
    const sn_mesh *mesh = &model->meshes[part->mesh];
    uint64_t count = (uint64_t)mesh->vertex_count * mesh->influence_count;
    if (part->skin < 0) return !is_scaled[part->node];
    for (uint64_t i = 0; i < count; i++) {
        if (mesh->vertex_weights[i] > 0.0f && !is_scaled[model->skins[part->skin].joints[mesh->vertex_joints[i]]])
            return true;
    }
    return false;
}

static bool shows_anything(const rest_states *s, sni_arena *arena)
{
    const sn_model *model = s->model;
    bool *is_hidden = sni_new_raw(arena, bool, model->node_count);  // the node or one above it
    bool *is_scaled = sni_new_raw(arena, bool, model->node_count);  // to 0, likewise
    if (!is_hidden || !is_scaled) return false;
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        is_hidden[i] = s->is[i] == 0.0f || (parent >= 0 && is_hidden[parent]);
        is_scaled[i] = s->is[s->first_scale + i] == 0.0f || (parent >= 0 && is_scaled[parent]);
    }
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        bool is_drawn = part->lod <= 0 && model->meshes[part->mesh].index_count > 0;
        if (is_drawn && s->is[s->first_part + i] > 0.0f && !is_hidden[part->node] && has_size(model, part, is_scaled))
            return true;
    }
    return false;
}

// What drives a state; the values are missing. `material`: of the last layer before it, or 0.
static sn_track track_of(const rest_states *s, uint32_t state, uint32_t *material)
{
    const sn_model *model = s->model;
    sn_track track = { .target_kind = SN_TARGET_NODE,
                       .target = (int32_t)state,
                       .channel = SN_CHANNEL_VISIBILITY,
                       .interpolation = SN_STEP,
                       .key_count = 1,
                       .width = 1 };
    if (state >= s->first_alpha + model->part_count) {
        while (*material + 1 < model->material_count && s->first_layer[*material + 1] <= state) (*material)++;
        track.target_kind = SN_TARGET_LAYER;
        track.target = (int32_t)*material;
        track.sub = (int32_t)(state - s->first_layer[*material]);
        track.channel = SN_CHANNEL_ALPHA;
    } else if (state >= s->first_alpha) {
        track.target_kind = SN_TARGET_PART;
        track.target = (int32_t)(state - s->first_alpha);
        track.channel = SN_CHANNEL_ALPHA;
    } else if (state >= s->first_scale) {
        track.target = (int32_t)(state - s->first_scale);
        track.channel = SN_CHANNEL_SCALE;
        track.width = 3;
    } else if (state >= s->first_part) {
        track.target_kind = SN_TARGET_PART;
        track.target = (int32_t)(state - s->first_part);
    }
    return track;
}

// Keys with the rest state of the model, for what the clip does not drive.
static bool add_tracks(rest_states *s, sni_arena *arena, const sn_track *changed, const uint32_t *states,
                       uint32_t changed_count, uint32_t number, sn_clip *clip)
{
    sn_track *tracks = sni_new_raw(arena, sn_track, (uint64_t)clip->track_count + changed_count);
    uint32_t count = clip->track_count;
    if (!tracks) return false;
    if (count > 0) memcpy(tracks, clip->tracks, count * sizeof *tracks);
    for (uint32_t t = 0; t < count; t++) {
        int64_t at = state_of(s, &tracks[t]);
        if (at >= 0) s->clip[at] = number;
    }
    for (uint32_t i = 0; i < changed_count; i++)
        if (s->clip[states[i]] != number) tracks[count++] = changed[i];
    clip->tracks = tracks;
    clip->track_count = count;
    return true;
}

static bool set_alphas(const rest_states *s, sni_arena *arena, sn_model *fitted)
{
    const sn_model *model = s->model;
    sn_material *materials = sni_new_raw(arena, sn_material, model->material_count);
    if (!materials) return false;
    for (uint32_t i = 0; i < model->material_count; i++) {
        uint32_t count = model->materials[i].layer_count;
        materials[i] = model->materials[i];
        if (memcmp(s->is + s->first_layer[i], s->was + s->first_layer[i], count * sizeof *s->is) == 0) continue;
        sn_layer *layers = sni_new_raw(arena, sn_layer, count);
        if (!layers) return false;
        for (uint32_t k = 0; k < count; k++) {
            layers[k] = model->materials[i].layers[k];
            layers[k].color.w = s->is[s->first_layer[i] + k];
        }
        materials[i].layers = layers;
    }
    fitted->materials = materials;
    return true;
}

static bool number_states(rest_states *s, sni_arena *arena)
{
    const sn_model *model = s->model;
    uint64_t count = 2 * ((uint64_t)model->node_count + model->part_count);
    s->first_part = model->node_count;
    s->first_scale = s->first_part + model->part_count;
    s->first_alpha = s->first_scale + model->node_count;
    s->first_layer = sni_new_raw(arena, uint32_t, model->material_count);
    if (!s->first_layer) return false;
    for (uint32_t i = 0; i < model->material_count; i++) {
        s->first_layer[i] = (uint32_t)count;
        count += model->materials[i].layer_count;
    }
    s->count = (uint32_t)count;
    s->was = sni_new_raw(arena, float, count);
    s->is = sni_new_raw(arena, float, count);
    s->clip = sni_new(arena, uint32_t, count);
    return s->was && s->is && s->clip;
}

bool sni_fit_rest_visibility(sni_save *save, const sn_model *source, sn_model *fitted)
{
    static const float start = 0.0f, ones[3] = { 1, 1, 1 };
    sni_arena *arena = &save->scratch;
    sn_model shown;
    rest_states s = { .model = &shown };
    uint64_t room = 1 << 16;
    uint32_t changed_count = 0;
    *fitted = *source;
    if (!sni_rests_standing(save, source)) return true;
    if (!sni_fit_alpha_visibility(save, source, &shown)) return false;
    const sn_model *model = &shown;
    *fitted = shown;
    if (!number_states(&s, arena) || !find_uses(&s, arena) || !find_states(&s, arena)) return false;
    for (uint32_t i = 0; i < s.count; i++) changed_count += s.is[i] != s.was[i];
    for (uint32_t i = 0; i < model->clip_count; i++) room += model->clips[i].track_count;
    if (changed_count == 0 || !shows_anything(&s, arena)) return sni_save_ok(save);
    if ((uint64_t)changed_count * model->clip_count > room) {
        sni_warn(&save->diag, SNI_WARN_LOST_CONTENT, 0,
                 "too many clips: parts that every clip hides are visible until one plays");
        return true;
    }

    sn_node *nodes = sni_new_raw(arena, sn_node, model->node_count);
    sn_part *parts = sni_new_raw(arena, sn_part, model->part_count);
    sn_clip *clips = sni_new_raw(arena, sn_clip, model->clip_count);
    sn_track *changed = sni_new_raw(arena, sn_track, changed_count);
    uint32_t *states = sni_new_raw(arena, uint32_t, changed_count);
    if (!nodes || !parts || !clips || !changed || !states || !set_alphas(&s, arena, fitted)) return false;
    for (uint32_t i = 0; i < model->node_count; i++) {
        nodes[i] = model->nodes[i];
        nodes[i].flags = (nodes[i].flags & ~(uint32_t)SN_NODE_HIDDEN) | (s.is[i] == 0.0f ? SN_NODE_HIDDEN : 0);
        if (s.is[s.first_scale + i] == 0.0f) nodes[i].rest.scale = (sn_vec3){ 0, 0, 0 };
    }
    for (uint32_t i = 0; i < model->part_count; i++) {
        parts[i] = model->parts[i];
        parts[i].is_hidden = s.is[s.first_part + i] == 0.0f;
        parts[i].color.w = s.is[s.first_alpha + i];
    }
    for (uint32_t i = 0, used = 0, material = 0; i < s.count; i++) {
        if (s.is[i] == s.was[i]) continue;
        states[used] = i;
        changed[used] = track_of(&s, i, &material);
        changed[used].times = &start;
        changed[used].values = changed[used].width == 3 ? ones : &s.was[i];
        used++;
    }
    for (uint32_t i = 0; i < model->clip_count; i++) {
        clips[i] = model->clips[i];
        if (!add_tracks(&s, arena, changed, states, changed_count, i + 1, &clips[i])) return false;
    }
    fitted->nodes = nodes;
    fitted->parts = parts;
    fitted->clips = clips;
    return true;
}
