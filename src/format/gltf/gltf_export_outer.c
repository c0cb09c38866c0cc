// Transforms that are no translation * rotation * scale are written on two nodes, one below the other: a matrix with
// shear, and scale along the parent's axes. The node itself is the inner one, so that all it carries and bends stays
// with it.
#include "format/gltf/gltf_export.h"
#include "model/trs.h"

static bool set_on_two(gltf_export *export, uint32_t index, sn_trs outer, sn_quat inner)
{
    static const sn_trs none = { { 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 } };
    int32_t above = gltf_new_helper(export, (int32_t)index, ".outer");
    if (above < 0) return false;
    export->outer_of[index] = above;
    gltf_node_at(export, above)->trs = outer;
    gltf_node *node = gltf_node_at(export, (int32_t)index);
    node->trs = none;
    node->trs.rotation = inner;
    return gltf_hang(export, (int32_t)index, above);
}

static bool scales_across_turn(const gltf_export *export, uint32_t index)
{
    const sn_node *node = &export->model->nodes[index];
    bool is_even = node->rest.scale.x == node->rest.scale.y && node->rest.scale.y == node->rest.scale.z;
    return (node->flags & SN_NODE_SCALE_PARENT_AXES) && (!is_even || export->is_animated[index]);
}

bool gltf_place_outers(gltf_export *export)
{
    const sn_model *model = export->model;
    uint64_t lost = 0;
    export->outer_of = sni_new_raw(&export->save->scratch, int32_t, model->node_count);
    export->driven = sni_new(&export->save->scratch, gltf_driven, model->node_count);
    if (!export->outer_of || !export->driven) return false;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const sn_node *node = &model->nodes[i];
        sn_trs outer = { node->rest.translation, { 0, 0, 0, 1 }, node->rest.scale };
        sn_quat inner = node->rest.rotation;
        export->outer_of[i] = -1;
        if (export->is_moved[i]) continue;
        bool is_across = scales_across_turn(export, i);
        bool is_taken_apart = node->matrix && (is_across || !sni_trs_says_mat34(&node->rest, node->matrix));
        bool is_split = is_taken_apart ? sni_mat34_split(node->matrix, &outer, &inner) : is_across;
        lost += is_taken_apart && !is_split;
        if (is_split && !set_on_two(export, i, outer, inner)) return false;
    }
    sni_warn_many(&export->save->diag, SNI_WARN_LOST_CONTENT, lost, 0, "the shear of matrices too large to take apart");
    return true;
}
