#include "convert/rest_visibility.h"

#include <math.h>
#include <string.h>

#include "model/track.h"

// Three kinds of switches have one numbering here: the visibility of nodes, then that of parts, then the scale of
// nodes.
typedef struct rest_states {
    const sn_model *model;
    uint32_t first_part, first_scale, count;
    bool *has_parts;      // nodes with parts at or below them
    bool *is_scale_free;  // nodes that may be scaled to 0
    bool *was_hidden, *is_hidden;
    uint32_t *clip;  // the last clip with a track for it, from 1 on
} rest_states;

// The rest pose of other formats is what its author wants to be seen.
static bool is_clip_needed(const sn_model *model)
{
    static const char *const formats[] = { "mdx", "level5", "w3d" };
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(model->format, formats[i]) == 0) return true;
    return false;
}

// -1: the track hides nothing.
static int64_t switch_of(const rest_states *s, const sn_track *track)
{
    bool is_node = track->target_kind == SN_TARGET_NODE;
    if (track->key_count == 0) return -1;
    if (track->channel == SN_CHANNEL_VISIBILITY && !is_node) return (int64_t)s->first_part + track->target;
    if (track->channel == SN_CHANNEL_VISIBILITY) return s->has_parts[track->target] ? track->target : -1;
    bool is_switch = is_node && track->channel == SN_CHANNEL_SCALE && s->is_scale_free[track->target];
    return is_switch ? (int64_t)s->first_scale + track->target : -1;
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

static bool find_states(rest_states *s, sni_arena *arena)
{
    const sn_model *model = s->model;
    int32_t standing = sn_model_default_clip(model);
    uint32_t *hiding = sni_new(arena, uint32_t, s->count);  // the number of clips that always hide it
    if (!hiding) return false;
    for (uint32_t i = 0; i < model->node_count; i++) s->was_hidden[i] = model->nodes[i].flags & SN_NODE_HIDDEN;
    for (uint32_t i = 0; i < model->part_count; i++) s->was_hidden[s->first_part + i] = model->parts[i].is_hidden;
    memcpy(s->is_hidden, s->was_hidden, s->count * sizeof *s->is_hidden);
    for (uint32_t i = 0; i < model->clip_count; i++) {
        const sn_clip *clip = &model->clips[i];
        for (uint32_t t = 0; t < clip->track_count; t++) {
            const sn_track *track = &clip->tracks[t];
            int64_t at = switch_of(s, track);
            float value[3];
            if (at < 0) continue;
            hiding[at] += is_always_hidden(track);
            if ((int32_t)i != standing) continue;
            sni_track_sample(track, 0.0f, clip->duration, 0.0f, value);
            s->is_hidden[at] = hides(track, value);
        }
    }
    for (uint32_t i = 0; standing < 0 && model->clip_count > 0 && i < s->count; i++)
        if (hiding[i] >= model->clip_count) s->is_hidden[i] = true;
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
        is_hidden[i] = s->is_hidden[i] || (parent >= 0 && is_hidden[parent]);
        is_scaled[i] = s->is_hidden[s->first_scale + i] || (parent >= 0 && is_scaled[parent]);
    }
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        bool is_drawn = part->lod <= 0 && model->meshes[part->mesh].index_count > 0;
        if (is_drawn && !s->is_hidden[s->first_part + i] && !is_hidden[part->node] && has_size(model, part, is_scaled))
            return true;
    }
    return false;
}

static bool add_tracks(rest_states *s, sni_arena *arena, uint32_t changed, uint32_t number, sn_clip *clip)
{
    static const float start = 0.0f, shown[3] = { 1, 1, 1 }, hidden[1] = { 0 };
    sn_track *tracks = sni_new_raw(arena, sn_track, (uint64_t)clip->track_count + changed);
    uint32_t count = clip->track_count;
    if (!tracks) return false;
    if (count > 0) memcpy(tracks, clip->tracks, count * sizeof *tracks);
    for (uint32_t t = 0; t < count; t++) {
        int64_t at = switch_of(s, &tracks[t]);
        if (at >= 0) s->clip[at] = number;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->is_hidden[i] == s->was_hidden[i] || s->clip[i] == number) continue;
        bool is_scale = i >= s->first_scale, is_part = !is_scale && i >= s->first_part;
        tracks[count++] = (sn_track){ .target_kind = is_part ? SN_TARGET_PART : SN_TARGET_NODE,
                                      .target = (int32_t)(i - (is_scale  ? s->first_scale
                                                               : is_part ? s->first_part
                                                                         : 0)),
                                      .channel = is_scale ? SN_CHANNEL_SCALE : SN_CHANNEL_VISIBILITY,
                                      .interpolation = SN_STEP,
                                      .key_count = 1,
                                      .width = is_scale ? 3 : 1,
                                      .times = &start,
                                      .values = s->was_hidden[i] ? hidden : shown };
    }
    clip->tracks = tracks;
    clip->track_count = count;
    return true;
}

bool sni_fit_rest_visibility(sni_save *save, const sn_model *model, sn_model *fitted)
{
    sni_arena *arena = &save->scratch;
    rest_states s = { .model = model, .first_part = model->node_count };
    uint64_t changed = 0, room = 1 << 16;
    *fitted = *model;
    if (!is_clip_needed(model) || (save->opts && save->opts->no_visibility_tricks)) return true;
    s.first_scale = s.first_part + model->part_count;
    s.count = s.first_scale + model->node_count;
    s.was_hidden = sni_new(arena, bool, s.count);
    s.is_hidden = sni_new_raw(arena, bool, s.count);
    s.clip = sni_new(arena, uint32_t, s.count);
    if (!s.was_hidden || !s.is_hidden || !s.clip) return false;
    if (!find_uses(&s, arena) || !find_states(&s, arena)) return false;
    for (uint32_t i = 0; i < s.count; i++) changed += s.is_hidden[i] != s.was_hidden[i];
    for (uint32_t i = 0; i < model->clip_count; i++) room += model->clips[i].track_count;
    if (changed == 0 || !shows_anything(&s, arena)) return sni_save_ok(save);
    if (changed * model->clip_count > room) {
        sni_warn(&save->diag, SNI_WARN_LOST_CONTENT, 0,
                 "too many clips: before one plays, parts are visible that all of them hide");
        return true;
    }

    sn_node *nodes = sni_new_raw(arena, sn_node, model->node_count);
    sn_part *parts = sni_new_raw(arena, sn_part, model->part_count);
    sn_clip *clips = sni_new_raw(arena, sn_clip, model->clip_count);
    if (!nodes || !parts || !clips) return false;
    for (uint32_t i = 0; i < model->node_count; i++) {
        nodes[i] = model->nodes[i];
        nodes[i].flags = (nodes[i].flags & ~(uint32_t)SN_NODE_HIDDEN) | (s.is_hidden[i] ? SN_NODE_HIDDEN : 0);
        if (s.is_hidden[s.first_scale + i]) nodes[i].rest.scale = (sn_vec3){ 0, 0, 0 };
    }
    for (uint32_t i = 0; i < model->part_count; i++) {
        parts[i] = model->parts[i];
        parts[i].is_hidden = s.is_hidden[s.first_part + i];
    }
    for (uint32_t i = 0; i < model->clip_count; i++) {
        clips[i] = model->clips[i];
        if (!add_tracks(&s, arena, (uint32_t)changed, i + 1, &clips[i])) return false;
    }
    fitted->nodes = nodes;
    fitted->parts = parts;
    fitted->clips = clips;
    return true;
}
