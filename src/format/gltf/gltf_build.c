// Nodes, scenes, skins, cameras, and the parts that show meshes.
#include <string.h>

#include "format/gltf/gltf_build.h"
#include "model/trs.h"

static void build_node(sni_load *load, const gltf_node *source, int32_t id, sn_node *node)
{
    *node = (sn_node){ .name = source->object.name, .extras = source->object.extras, .parent = -1, .id = id };
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

static bool build_nodes(sni_load *load, const gltf_doc *doc, sn_model *model)
{
    sn_node *nodes = sni_new(&load->keep, sn_node, doc->node_count);
    if (!nodes) return false;
    for (uint32_t i = 0; i < doc->node_count; i++) build_node(load, &doc->nodes[i], (int32_t)i, &nodes[i]);
    link_children(load, doc, nodes);
    model->nodes = nodes;
    model->node_count = doc->node_count;
    return sni_load_ok(load);
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

static bool read_inverse_binds(sni_load *load, const gltf_doc *doc, const gltf_skin *source, sn_mat34 *binds)
{
    for (uint32_t i = 0; i < source->joints.count; i++) binds[i] = sni_mat34_identity;
    if (source->inverse_binds < 0) return true;
    const gltf_accessor *accessor = &doc->accessors[source->inverse_binds];
    if (accessor->type != GLTF_MAT4 || accessor->component_type != GLTF_F32) {
        sni_warn(&load->diag, SNI_WARN_GLTF_SKIN, source->object.offset, "inverse binds are no float matrices; ignored");
        return true;
    }
    if (accessor->count < source->joints.count) {
        sni_warn(&load->diag, SNI_WARN_GLTF_SKIN, source->object.offset, "%u inverse binds for %u joints",
                 accessor->count, source->joints.count);
    }
    float *columns = sni_new_raw(&load->scratch, float, (uint64_t)accessor->count * 16);
    if (!columns || !gltf_read_floats(load, doc, source->inverse_binds, 16, columns)) return sni_load_ok(load);
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
    if (!skins) return false;
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
        bool is_good = read_inverse_binds(load, doc, source, binds);
        sni_leave(&load->diag);
        if (!is_good) return false;
    }
    return true;
}

static sn_camera make_camera(const gltf_camera *source, int32_t node)
{
    sn_camera camera = { .name = source->object.name, .extras = source->object.extras, .node = node };
    camera.is_perspective = source->is_perspective;
    camera.near_plane = source->znear;
    camera.far_plane = source->zfar;
    if (source->is_perspective) {
        camera.fov_y = source->yfov;
        camera.aspect = source->aspect;
    } else {
        camera.half_width = source->xmag;
        camera.half_height = source->ymag;
    }
    return camera;
}

// One for each node that carries it; a camera that nobody carries is kept with node -1.
static bool build_cameras(sni_load *load, const gltf_doc *doc, sn_model *model)
{
    uint64_t most = (uint64_t)doc->camera_count + doc->node_count;
    bool *is_carried = sni_new(&load->scratch, bool, doc->camera_count);
    sn_camera *cameras = doc->camera_count ? sni_new(&load->scratch, sn_camera, most) : NULL;
    if (!is_carried || doc->camera_count == 0) return sni_load_ok(load);
    if (!cameras) return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < doc->node_count; i++) {
        int32_t camera = doc->nodes[i].camera;
        if (camera < 0) continue;
        is_carried[camera] = true;
        cameras[count++] = make_camera(&doc->cameras[camera], (int32_t)i);
    }
    for (uint32_t i = 0; i < doc->camera_count; i++) {
        if (!is_carried[i]) cameras[count++] = make_camera(&doc->cameras[i], -1);
    }
    sn_camera *kept = sni_new_raw(&load->keep, sn_camera, count);
    if (!kept) return false;
    memcpy(kept, cameras, count * sizeof *kept);
    model->cameras = kept;
    model->camera_count = count;
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

static bool build_parts(sni_load *load, const gltf_doc *doc, sn_model *model, const gltf_mesh_range *ranges,
                        const int32_t *materials)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < doc->node_count; i++) {
        if (doc->nodes[i].mesh >= 0) most += ranges[doc->nodes[i].mesh].count;
    }
    sn_part *parts = sni_new(&load->keep, sn_part, most);
    if (!parts) return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < doc->node_count; i++) {
        const gltf_node *node = &doc->nodes[i];
        if (node->mesh < 0) continue;
        sni_enter(&load->diag, "nodes", i);
        for (uint32_t m = 0; m < ranges[node->mesh].count; m++) {
            uint32_t mesh = ranges[node->mesh].first + m, morph_count = model->meshes[mesh].morph_count;
            sn_part *part = &parts[count++];
            *part = (sn_part){ .mesh = (int32_t)mesh, .node = (int32_t)i, .skin = node->skin, .color = { 1, 1, 1, 1 } };
            part->material = materials[mesh];
            if (morph_count > 0) part->morph_weights = rest_weights(load, doc, node, morph_count);
        }
        sni_leave(&load->diag);
    }
    model->parts = parts;
    model->part_count = count;
    return sni_load_ok(load);
}

bool gltf_build(sni_load *load, const gltf_doc *doc, sn_model *model)
{
    gltf_mesh_range *ranges = sni_new(&load->scratch, gltf_mesh_range, doc->mesh_count);
    int32_t *materials = NULL;
    model->extras = doc->extras;
    model->up_axis = SN_Y_UP;
    return ranges && build_nodes(load, doc, model) && build_scenes(load, doc, model) && build_skins(load, doc, model) &&
           gltf_build_looks(load, doc, model) && gltf_build_meshes(load, doc, model, ranges, &materials) &&
           build_parts(load, doc, model, ranges, materials) && build_cameras(load, doc, model) &&
           gltf_build_clips(load, doc, model);
}
