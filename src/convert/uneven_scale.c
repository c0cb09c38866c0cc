#include "convert/uneven_scale.h"

#include <string.h>

#include "anim/pose.h"
#include "base/math.h"
#include "model/builder.h"
#include "model/track.h"

typedef struct splitter {
    sni_arena *arena;
    const sn_model *model;
    sn_model *out;
    bool *is_split;   // per node of the model
    int32_t *new_of;  // per node of the model: the node itself; its split parent is the one before
} splitter;

static bool is_uneven(const sn_track *track)
{
    for (uint32_t i = 0; i < track->key_count; i++) {
        const float *v = sni_track_key(track, i, SNI_KEY_VALUE);
        const float most = fmaxf(fabsf(v[0]), fmaxf(fabsf(v[1]), fabsf(v[2])));
        if (fabsf(v[0] - v[1]) > 1e-4f * most || fabsf(v[1] - v[2]) > 1e-4f * most) return true;
    }
    return false;
}

// Each of its axes lies along one of the model's.
static bool is_aligned(const sn_mat34 *m)
{
    for (int c = 0; c < 3; c++) {
        const sn_vec3 axis = sni_unit(sni_mat34_column(m, c), sni_vec3(1, 0, 0));
        if (fmaxf(fabsf(axis.x), fmaxf(fabsf(axis.y), fabsf(axis.z))) < 1.0f - 1e-6f) return false;
    }
    return true;
}

static bool choose_nodes(splitter *s, uint32_t *count)
{
    const sn_model *model = s->model;
    sn_mat34 *worlds = sni_new_raw(s->arena, sn_mat34, model->node_count);
    bool *is_stretched = sni_new(s->arena, bool, model->node_count);
    if (!worlds || !is_stretched) return false;
    for (uint32_t i = 0; i < model->clip_count; i++)
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) {
            const sn_track *track = &model->clips[i].tracks[t];
            if (sni_track_is_local(track) && track->channel == SN_CHANNEL_SCALE && !is_stretched[track->target])
                is_stretched[track->target] = is_uneven(track);
        }
    for (uint32_t i = 0; i < model->node_count; i++) {
        const sn_node *node = &model->nodes[i];
        const bool along_parent = node->flags & SN_NODE_SCALE_PARENT_AXES;
        const sn_mat34 local = node->matrix ? *node->matrix : sni_trs_matrix(&node->rest, along_parent);
        worlds[i] = node->parent >= 0 ? sni_mat34_mul(&worlds[node->parent], &local) : local;
        s->is_split[i] = is_stretched[i] && !node->matrix && !(node->flags & SNI_NOT_INHERITED) &&
                         (along_parent || !is_aligned(&worlds[i]));
        *count += s->is_split[i];
    }
    return true;
}

static bool split_nodes(splitter *s, uint32_t count, bool *is_split_parent)
{
    const sn_model *model = s->model;
    sn_node *nodes = sni_new_raw(s->arena, sn_node, (uint64_t)model->node_count + count);
    uint32_t next = 0;
    if (!nodes) return false;
    for (uint32_t i = 0; i < model->node_count; i++) {
        sn_node node = model->nodes[i];
        const bool along_parent = node.flags & SN_NODE_SCALE_PARENT_AXES;
        if (node.parent >= 0) node.parent = s->new_of[node.parent];
        if (s->is_split[i]) {
            sn_node split_parent = { .name = node.name, .parent = node.parent, .id = -1, .rest = node.rest };
            node.flags &= ~(uint32_t)SN_NODE_SCALE_PARENT_AXES;
            node.rest = sni_trs_identity;
            if (along_parent) {
                node.rest.rotation = split_parent.rest.rotation;
                split_parent.rest.rotation = sni_trs_identity.rotation;
            }
            is_split_parent[next] = true;
            node.parent = (int32_t)next;
            nodes[next++] = split_parent;
        }
        s->new_of[i] = (int32_t)next;
        nodes[next++] = node;
    }
    s->out->nodes = nodes;
    s->out->node_count = next;
    return true;
}

static bool split_clips(splitter *s)
{
    const sn_model *model = s->model;
    sn_clip *clips = sni_new_raw(s->arena, sn_clip, model->clip_count);
    if (!clips) return false;
    for (uint32_t i = 0; i < model->clip_count; i++) {
        sn_track *tracks = sni_new_raw(s->arena, sn_track, model->clips[i].track_count);
        if (!tracks) return false;
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) {
            tracks[t] = model->clips[i].tracks[t];
            if (tracks[t].target_kind != SN_TARGET_NODE) continue;
            const int32_t node = tracks[t].target;
            const bool along_parent = model->nodes[node].flags & SN_NODE_SCALE_PARENT_AXES;
            const bool is_split_parent = s->is_split[node] && sni_track_is_local(&tracks[t]) &&
                                         !(along_parent && tracks[t].channel == SN_CHANNEL_ROTATION);
            tracks[t].target = s->new_of[node] - is_split_parent;
        }
        clips[i] = model->clips[i];
        clips[i].tracks = tracks;
    }
    s->out->clips = clips;
    return true;
}

// A copy of an array of elements with a member `node`, in the new numbers.
#define MOVE(type, list, count)                                               \
    do {                                                                      \
        type *moved = sni_new_raw(s->arena, type, s->model->count);           \
        if (!moved) return false;                                             \
        for (uint32_t i = 0; i < s->model->count; i++) {                      \
            moved[i] = s->model->list[i];                                     \
            if (moved[i].node >= 0) moved[i].node = s->new_of[moved[i].node]; \
        }                                                                     \
        s->out->list = moved;                                                 \
    } while (0)

static bool move_references(splitter *s)
{
    sn_skin *skins = sni_new_raw(s->arena, sn_skin, s->model->skin_count);
    if (!skins) return false;
    for (uint32_t i = 0; i < s->model->skin_count; i++) {
        skins[i] = s->model->skins[i];
        int32_t *joints = sni_new_raw(s->arena, int32_t, skins[i].joint_count);
        if (!joints) return false;
        for (uint32_t k = 0; k < skins[i].joint_count; k++) joints[k] = s->new_of[skins[i].joints[k]];
        skins[i].joints = joints;
    }
    s->out->skins = skins;
    MOVE(sn_part, parts, part_count);
    MOVE(sn_light, lights, light_count);
    MOVE(sn_camera, cameras, camera_count);
    MOVE(sn_attachment, attachments, attachment_count);
    MOVE(sn_event, events, event_count);
    MOVE(sn_shape, shapes, shape_count);
    return true;
}

bool sni_split_uneven_scale(sni_save *save, const sn_model *model, sn_model *out, bool **is_split_parent)
{
    const sn_model before = *model;
    splitter s = { .arena = &save->scratch, .model = &before, .out = out };
    uint32_t count = 0;
    *is_split_parent = NULL;
    *out = before;
    s.is_split = sni_new(s.arena, bool, before.node_count);
    if (!s.is_split || !choose_nodes(&s, &count)) return false;
    if (count == 0) return true;
    s.new_of = sni_new_raw(s.arena, int32_t, before.node_count);
    *is_split_parent = sni_new(s.arena, bool, (uint64_t)before.node_count + count);
    if (!s.new_of || !*is_split_parent) return false;
    out->scenes = NULL;
    out->scene_count = 0;
    out->default_scene = -1;
    out->document = out->checked = NULL;
    return split_nodes(&s, count, *is_split_parent) && split_clips(&s) && move_references(&s);
}
