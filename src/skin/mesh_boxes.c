#include "skin/mesh_boxes.h"

const sni_box sni_box_empty = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

static uint32_t count_joints(const sn_mesh *mesh)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < (uint64_t)mesh->vertex_count * mesh->influence_count; i++)
        if (mesh->vertex_joints[i] >= count) count = mesh->vertex_joints[i] + 1u;
    return count;
}

bool sni_mesh_boxes_make(const sn_mesh *mesh, sni_arena *arena, sni_mesh_boxes *out)
{
    out->joint_count = count_joints(mesh);
    out->joints = sni_new_raw(arena, sni_box, out->joint_count);
    out->morphs = sni_new(arena, sni_morph_range, mesh->morph_count);
    if (!out->joints || !out->morphs) return false;

    out->all = sni_box_empty;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) sni_box_add(&out->all, mesh->positions[i]);
    for (uint32_t i = 0; i < out->joint_count; i++) out->joints[i] = sni_box_empty;
    for (uint64_t i = 0; i < (uint64_t)mesh->vertex_count * mesh->influence_count; i++)
        if (mesh->vertex_weights[i] != 0.0f)
            sni_box_add(&out->joints[mesh->vertex_joints[i]], mesh->positions[i / mesh->influence_count]);
    for (uint32_t i = 0; i < mesh->morph_count; i++)
        for (uint32_t k = 0; mesh->morphs[i].positions && k < mesh->vertex_count; k++) {
            sn_vec3 delta = mesh->morphs[i].positions[k];
            sni_box_add(&out->morphs[i].box, delta);
            out->morphs[i].distance = fmaxf(out->morphs[i].distance, (float)sni_length(delta));
        }
    return true;
}
