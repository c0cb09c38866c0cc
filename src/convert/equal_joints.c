#include "convert/equal_joints.h"

#include <string.h>

#include "base/math.h"

// Nodes that never move in their parent's space.
static bool find_still_nodes(sni_arena *arena, const sn_model *model, bool **is_still)
{
    *is_still = sni_new(arena, bool, model->node_count);
    if (!*is_still) return false;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const uint32_t harmless = SN_NODE_JOINT | SN_NODE_ATTACHMENT | SN_NODE_HIDDEN;
        (*is_still)[i] = (model->nodes[i].flags & ~harmless) == 0 && !model->nodes[i].matrix;
    }
    for (uint32_t i = 0; i < model->clip_count; i++) {
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) {
            const sn_track *track = &model->clips[i].tracks[t];
            const bool moves = track->target_kind == SN_TARGET_NODE && track->channel <= SN_CHANNEL_SCALE;
            if (moves) (*is_still)[track->target] = false;
        }
    }
    return true;
}

static bool is_same(const sn_mat34 *a, const sn_mat34 *b)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            if (!(fabsf(a->m[r][c] - b->m[r][c]) <= 1e-6f * (1.0f + fabsf(b->m[r][c])))) return false;
    return true;
}

// For each joint the one that stands for it. Parents come before their children. `joint_of` has room for each node.
static bool find_equals(sni_arena *arena, const sn_model *model, const sn_skin *skin, const bool *is_still,
                        int32_t *joint_of, uint16_t **equals, bool *is_any)
{
    *equals = sni_new_raw(arena, uint16_t, skin->joint_count);
    if (!*equals) return false;
    for (uint32_t i = 0; i < model->node_count; i++) joint_of[i] = -1;
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        (*equals)[i] = (uint16_t)i;
        joint_of[skin->joints[i]] = (int32_t)i;
    }
    for (uint32_t i = 0; i < model->node_count; i++) {
        const sn_node *node = &model->nodes[i];
        if (joint_of[i] < 0 || !is_still[i] || node->parent < 0 || joint_of[node->parent] < 0) continue;
        const int32_t parent = joint_of[node->parent];
        const sn_mat34 local = sni_trs_matrix(&node->rest, false);
        const sn_mat34 bind = sni_mat34_mul(&local, &skin->inverse_bind[joint_of[i]]);
        if (!is_same(&bind, &skin->inverse_bind[parent])) continue;
        (*equals)[joint_of[i]] = (*equals)[parent];
        *is_any = true;
    }
    return true;
}

static bool merge_mesh(sni_arena *arena, const uint16_t *equals, sn_mesh *mesh)
{
    const uint32_t slots = mesh->influence_count;
    const uint64_t total = (uint64_t)mesh->vertex_count * slots;
    uint16_t *joints = sni_new_raw(arena, uint16_t, total);
    float *weights = sni_new(arena, float, total);
    if (!joints || !weights) return false;
    for (uint64_t at = 0; at < total; at++) {
        const uint64_t first = at / slots * slots;
        uint64_t same = first;
        joints[at] = equals[mesh->vertex_joints[at]];
        while (joints[same] != joints[at]) same++;
        weights[same] += mesh->vertex_weights[at];
    }
    mesh->vertex_joints = joints;
    mesh->vertex_weights = weights;
    return true;
}

bool sni_merge_equal_joints(sni_save *save, const sn_model *model, sn_model *fitted)
{
    sni_arena *arena = &save->scratch;
    const sn_model before = *model;
    sn_mesh *meshes = sni_new_raw(arena, sn_mesh, before.mesh_count);
    int32_t *skin_of = sni_new_raw(arena, int32_t, before.mesh_count);  // -1: none, -2: several
    uint16_t **equals = sni_new(arena, uint16_t *, before.skin_count);
    int32_t *joint_of = sni_new_raw(arena, int32_t, before.node_count);
    bool *is_still, is_any = false;
    if (!meshes || !skin_of || !equals || !joint_of || !find_still_nodes(arena, &before, &is_still)) return false;
    for (uint32_t i = 0; i < before.mesh_count; i++) meshes[i] = before.meshes[i], skin_of[i] = -1;
    for (uint32_t i = 0; i < before.part_count; i++) {
        const sn_part *part = &before.parts[i];
        int32_t *skin = &skin_of[part->mesh];
        *skin = part->skin < 0 ? *skin : *skin == -1 || *skin == part->skin ? part->skin : -2;
    }
    for (uint32_t i = 0; i < before.skin_count; i++)
        if (!find_equals(arena, &before, &before.skins[i], is_still, joint_of, &equals[i], &is_any)) return false;
    for (uint32_t i = 0; is_any && i < before.mesh_count; i++)
        if (skin_of[i] >= 0 && meshes[i].influence_count > 1 && !merge_mesh(arena, equals[skin_of[i]], &meshes[i]))
            return false;
    *fitted = before;
    fitted->meshes = meshes;
    return true;
}
