// Nodes, scenes, skins, and the parts that show meshes.
#include <string.h>

#include "format/gltf/gltf_build.h"
#include "model/trs.h"

static void build_node(sni_load *load, const gltf_node *source, int32_t id, sn_node *node)
{
    *node = (sn_node){ .name = source->object.name, .extras = source->object.extras, .parent = -1, .id = id };
    node->flags = source->is_hidden ? SN_NODE_HIDDEN : 0;
    node->rest = source->trs;
    if (!source->has_matrix) return;
    sn_mat34 matrix = sni_mat34_from_columns(source->matrix);
    if (sni_trs_from_mat34(&matrix, &node->rest)) return;
    sn_mat34 *kept = sni_new(&load->keep, sn_mat34, 1);
    if (!kept) return;
    *kept = matrix;
    node->matrix = kept;
}

static void link_children(sni_load *load, const gltf_doc *doc, sn_node *nodes)
{
    for (uint32_t i = 0; i < doc->node_count; i++) {
        const gltf_indices *children = &doc->nodes[i].children;
        for (uint32_t c = 0; c < children->count; c++) {
            sn_node *child = &nodes[children->items[c]];
            if (child->parent < 0) {
                child->parent = (int32_t)i;
                continue;
            }
            sni_enter(&load->diag, "nodes", i);
            sni_warn(&load->diag, SNI_WARN_NODE_TWO_PARENTS, doc->nodes[i].object.offset,
                     "child %d is the child of node %d already", children->items[c], child->parent);
            sni_leave(&load->diag);
        }
    }
}

static bool build_nodes(sni_load *load, const gltf_doc *doc, sn_model *model, gltf_parts *built)
{
    uint64_t total = doc->node_count;
    if (!gltf_count_instances(load, doc, built, &total)) return false;
    sn_node *nodes = sni_new(&load->keep, sn_node, total);
    if (!nodes) return false;
    for (uint32_t i = 0; i < doc->node_count; i++) build_node(load, &doc->nodes[i], (int32_t)i, &nodes[i]);
    link_children(load, doc, nodes);
    model->nodes = nodes;
    model->node_count = (uint32_t)total;
    return gltf_build_instances(load, doc, built, nodes) && sni_load_ok(load);
}

static bool build_scenes(sni_load *load, const gltf_doc *doc, sn_model *model)
{
    sn_scene *scenes = sni_new(&load->keep, sn_scene, doc->scene_count);
    if (!scenes) return false;
    for (uint32_t i = 0; i < doc->scene_count; i++) {
        const gltf_scene *source = &doc->scenes[i];
        int32_t *roots = sni_new(&load->keep, int32_t, source->nodes.count);
        if (!roots) return false;
        if (source->nodes.count > 0) memcpy(roots, source->nodes.items, source->nodes.count * sizeof *roots);
        scenes[i] = (sn_scene){ source->object.name, roots, source->nodes.count };
    }
    model->scenes = scenes;
    model->scene_count = doc->scene_count;
    if (doc->scene < 0 && doc->scene_count > 1)
        sni_warn(&load->diag, SNI_WARN_SCENE_NONE, 0, "%u scenes and none is the default", doc->scene_count);
    model->default_scene = doc->scene >= 0 ? doc->scene : doc->scene_count > 0 ? 0 : -1;
    return true;
}

static bool read_inverse_binds(sni_load *load, const gltf_doc *doc, const gltf_skin *source, float **binds_of,
                               sn_mat34 *binds)
{
    for (uint32_t i = 0; i < source->joints.count; i++) binds[i] = sni_mat34_identity;
    if (source->inverse_binds < 0) return true;
    const gltf_accessor *accessor = &doc->accessors[source->inverse_binds];
    if (accessor->type != GLTF_MAT4 || accessor->component_type != GLTF_F32) {
        sni_warn(&load->diag, SNI_WARN_GLTF_SKIN, source->object.offset,
                 "inverse binds are no float matrices; ignored");
        return true;
    }
    if (accessor->count < source->joints.count) {
        sni_warn(&load->diag, SNI_WARN_GLTF_SKIN, source->object.offset, "%u inverse binds for %u joints",
                 accessor->count, source->joints.count);
    }
    if (!binds_of[source->inverse_binds]) {  // many skins may share them
        float *columns = sni_new_raw(&load->scratch, float, (uint64_t)accessor->count * 16);
        if (!columns || !gltf_read_floats(load, doc, source->inverse_binds, 16, columns)) return sni_load_ok(load);
        binds_of[source->inverse_binds] = columns;
    }
    const float *columns = binds_of[source->inverse_binds];
    uint32_t bad_rows = 0;
    for (uint32_t i = 0; i < accessor->count && i < source->joints.count; i++) {
        const float *m = columns + (size_t)i * 16;
        if (accessor->view >= 0) bad_rows += m[3] != 0.0f || m[7] != 0.0f || m[11] != 0.0f || m[15] != 1.0f;
        binds[i] = sni_mat34_from_columns(m);
    }
    sni_warn_many(&load->diag, SNI_WARN_GLTF_SKIN, bad_rows, source->object.offset,
                  "an inverse bind's last row is not 0,0,0,1");
    return true;
}

static bool build_skins(sni_load *load, const gltf_doc *doc, sn_model *model)
{
    sn_skin *skins = sni_new(&load->keep, sn_skin, doc->skin_count);
    float **binds_of = sni_new(&load->scratch, float *, doc->accessor_count);
    if (!skins || !binds_of) return false;
    model->skins = skins;
    model->skin_count = doc->skin_count;
    for (uint32_t i = 0; i < doc->skin_count; i++) {
        const gltf_skin *source = &doc->skins[i];
        int32_t *joints = sni_new(&load->keep, int32_t, source->joints.count);
        sn_mat34 *binds = sni_new(&load->keep, sn_mat34, source->joints.count);
        if (!joints || !binds) return false;
        if (source->joints.count > 0) memcpy(joints, source->joints.items, source->joints.count * sizeof *joints);
        skins[i] = (sn_skin){ source->object.name, joints, binds, source->joints.count };
        sni_enter(&load->diag, "skins", i);
        bool is_good = read_inverse_binds(load, doc, source, binds_of, binds);
        sni_leave(&load->diag);
        if (!is_good) return false;
    }
    return true;
}

static const float *rest_weights(sni_load *load, const gltf_doc *doc, const gltf_node *node, uint32_t morph_count)
{
    const gltf_mesh *mesh = &doc->meshes[node->mesh];
    const gltf_floats *given = node->weights.count > 0 ? &node->weights : &mesh->weights;
    if (given->count > 0 && given->count != morph_count) {
        sni_warn(&load->diag, SNI_WARN_MORPH_COUNT, node->object.offset, "%u weights for %u morphs", given->count,
                 morph_count);
    }
    float *weights = sni_new(&load->keep, float, morph_count);
    uint32_t count = given->count < morph_count ? given->count : morph_count;
    if (weights && count > 0) memcpy(weights, given->items, count * sizeof *weights);
    return weights;
}

// How often a node shows its mesh, and on which nodes: itself once, or its instances.
static gltf_range shown_on(const gltf_parts *built, uint32_t node)
{
    return built->instances && built->instances[node].is_used ? built->instances[node].nodes : (gltf_range){ node, 1 };
}

static void build_node_parts(sni_load *load, const gltf_doc *doc, const sn_model *model, const gltf_parts *built,
                             uint32_t index, sn_part *parts)
{
    const gltf_node *node = &doc->nodes[index];
    gltf_range meshes = built->meshes[node->mesh], shown = shown_on(built, index);
    for (uint32_t m = 0; m < meshes.count; m++) {
        uint32_t mesh = meshes.first + m, morph_count = model->meshes[mesh].morph_count;
        sn_part part = { .mesh = (int32_t)mesh, .skin = node->skin, .color = { 1, 1, 1, 1 } };
        part.material = built->materials[mesh];
        if (morph_count > 0) part.morph_weights = rest_weights(load, doc, node, morph_count);
        for (uint32_t i = 0; i < shown.count; i++) {
            part.node = (int32_t)(shown.first + i);
            parts[(size_t)i * meshes.count + m] = part;
        }
    }
}

static bool build_parts(sni_load *load, const gltf_doc *doc, sn_model *model, const gltf_parts *built)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < doc->node_count; i++) {
        if (doc->nodes[i].mesh >= 0)
            total += (uint64_t)built->meshes[doc->nodes[i].mesh].count * shown_on(built, i).count;
    }
    sn_part *parts = sni_new(&load->keep, sn_part, total);
    if (!parts) return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < doc->node_count; i++) {
        if (doc->nodes[i].mesh < 0) continue;
        sni_enter(&load->diag, "nodes", i);
        build_node_parts(load, doc, model, built, i, parts + count);
        sni_leave(&load->diag);
        count += built->meshes[doc->nodes[i].mesh].count * shown_on(built, i).count;
    }
    model->parts = parts;
    model->part_count = count;
    return sni_load_ok(load);
}

bool gltf_build(sni_load *load, const gltf_doc *doc, sn_model *model)
{
    gltf_parts built = { .meshes = sni_new(&load->scratch, gltf_range, doc->mesh_count) };
    model->extras = doc->extras;
    model->up_axis = SN_Y_UP;
    return built.meshes && build_nodes(load, doc, model, &built) && build_scenes(load, doc, model) &&
           build_skins(load, doc, model) && gltf_build_looks(load, doc, model) &&
           gltf_build_meshes(load, doc, model, built.meshes, &built.materials) &&
           build_parts(load, doc, model, &built) && gltf_build_carried(load, doc, model, &built) &&
           gltf_build_clips(load, doc, model, &built);
}
