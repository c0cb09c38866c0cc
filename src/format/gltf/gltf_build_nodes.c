// The start of the build, and all that concerns nodes: instances, scenes, skins, parts, cameras and lights.
#include <stdio.h>
#include <string.h>

#include "format/gltf/gltf_build.h"
#include "model/trs.h"

static void build_node(sni_load *load, const gltf_node *source, int32_t id, sn_node *node)
{
    *node = (sn_node){ .name = source->object.name, .extras = source->object.extras, .parent = -1, .id = id };
    node->flags = source->visibility.is_visible ? 0 : SN_NODE_HIDDEN;
    node->rest = source->trs;
    if (source->is_switch && !source->has_matrix) {
        const sn_vec3 *scale = &source->trs.scale;
        if (scale->x == 0.0f && scale->y == 0.0f && scale->z == 0.0f) {
            node->flags |= SN_NODE_HIDDEN;
            node->rest.scale = (sn_vec3){ 1, 1, 1 };
        }
    }
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
                     "child %d is already a child of node %d", children->items[c], child->parent);
            sni_leave(&load->diag);
        }
    }
}

// EXT_mesh_gpu_instancing: each instance becomes a node below the one with the mesh, and shows the mesh instead.

static bool is_transform(const char *name)
{
    return strcmp(name, "TRANSLATION") == 0 || strcmp(name, "ROTATION") == 0 || strcmp(name, "SCALE") == 0;
}

static bool has_transform_type(const gltf_accessor *accessor, const char *name)
{
    bool is_rotation = strcmp(name, "ROTATION") == 0;
    if (accessor->type != (is_rotation ? GLTF_VEC4 : GLTF_VEC3)) return false;
    if (accessor->component_type == GLTF_F32) return true;
    bool is_small = accessor->component_type == GLTF_I8 || accessor->component_type == GLTF_I16;
    return is_rotation && is_small && accessor->is_normalized;
}

// Why the instances of a node cannot be used; NULL when they can.
static const char *find_instance_error(sni_load *load, const gltf_doc *doc, const gltf_node *node, uint32_t *count)
{
    const gltf_attributes *attributes = &node->instancing.attributes;
    if (node->mesh < 0) return "instances without a mesh";
    if (node->skin >= 0) return "instances of a skinned mesh; shown once";
    for (uint32_t i = 0; i < attributes->count; i++) {
        const gltf_attribute *attribute = &attributes->items[i];
        if (attribute->accessor < 0) return "an attribute without accessor; shown once";
        const gltf_accessor *accessor = &doc->accessors[attribute->accessor];
        if (is_transform(attribute->name) && !has_transform_type(accessor, attribute->name))
            return "an attribute of the wrong type; shown once";
        if (i > 0 && accessor->count != *count) return "attributes of different lengths; shown once";
        *count = accessor->count;
    }
    for (uint32_t i = 0; i < attributes->count; i++) {
        if (!gltf_check_accessor(load, doc, attributes->items[i].accessor)) return "an unusable attribute; shown once";
    }
    return attributes->count > 0 ? NULL : "no attributes; shown once";
}

// Numbers the instances, behind the nodes of the document.
static bool count_instances(sni_load *load, const gltf_doc *doc, gltf_range *shown_on, uint64_t *total)
{
    for (uint32_t i = 0; i < doc->node_count; i++) {
        const gltf_node *node = &doc->nodes[i];
        uint32_t count = 0;
        shown_on[i] = (gltf_range){ i, 1 };
        if (!node->instancing.object.is_given) continue;
        sni_enter(&load->diag, "nodes", i);
        const char *error = find_instance_error(load, doc, node, &count);
        if (error) sni_warn(&load->diag, SNI_WARN_GLTF_NODE, node->object.offset, "%s", error);
        sni_leave(&load->diag);
        if (!sni_load_ok(load)) return false;
        if (error) continue;
        shown_on[i] = (gltf_range){ (uint32_t)*total, count };
        *total += count;
        if (*total > load->limits.elements) {
            return sni_fail(&load->diag, SN_ERR_LIMIT, node->object.offset,
                            "%llu nodes with instances; the limit is %u", (unsigned long long)*total,
                            load->limits.elements);
        }
    }
    return true;
}

static bool read_instances(sni_load *load, const gltf_doc *doc, const gltf_attribute *attribute, uint32_t count,
                           sn_node *nodes)
{
    bool is_rotation = strcmp(attribute->name, "ROTATION") == 0, is_scale = strcmp(attribute->name, "SCALE") == 0;
    uint32_t width = is_rotation ? 4 : 3;
    float *values = sni_new_raw(&load->scratch, float, (uint64_t)count *width);
    if (!values || !gltf_read_floats(load, doc, attribute->accessor, width, values)) return sni_load_ok(load);
    for (uint32_t i = 0; i < count; i++) {
        const float *value = values + (size_t)i * width;
        sn_trs *rest = &nodes[i].rest;
        if (is_rotation) rest->rotation = (sn_quat){ value[0], value[1], value[2], value[3] };
        else *(is_scale ? &rest->scale : &rest->translation) = (sn_vec3){ value[0], value[1], value[2] };
    }
    return true;
}

static bool build_instances(sni_load *load, const gltf_doc *doc, uint32_t index, gltf_range range, sn_node *nodes)
{
    const gltf_node *source = &doc->nodes[index];
    const gltf_attributes *attributes = &source->instancing.attributes;
    const char *name = source->object.name;
    for (uint32_t i = 0; i < range.count; i++) {
        sn_node *node = &nodes[range.first + i];
        *node = (sn_node){ .parent = (int32_t)index, .id = (int32_t)index, .rest = sni_trs_identity, .name = name };
        if (!name || !name[0]) continue;
        size_t room = strlen(name) + 12;
        char *numbered = sni_new_raw(&load->keep, char, room);
        if (!numbered) return false;
        snprintf(numbered, room, "%s.%u", name, i);
        node->name = numbered;
    }
    for (uint32_t i = 0; i < attributes->count; i++) {  // others are the user's: numbers, colours
        if (is_transform(attributes->items[i].name) &&
            !read_instances(load, doc, &attributes->items[i], range.count, nodes + range.first))
            return false;
    }
    return true;
}

static bool build_nodes(sni_load *load, const gltf_doc *doc, sni_builder *b, const gltf_built *built)
{
    uint64_t total = doc->node_count;
    if (!count_instances(load, doc, built->shown_on, &total)) return false;
    sn_node *nodes = sni_builder_nodes(b, total);
    if (!nodes) return false;
    for (uint32_t i = 0; i < doc->node_count; i++) build_node(load, &doc->nodes[i], (int32_t)i, &nodes[i]);
    link_children(load, doc, nodes);
    bool *left_out = sni_new(&load->scratch, bool, total);
    if (!left_out) return false;
    for (uint32_t i = 0; i < doc->node_count; i++) left_out[i] = doc->nodes[i].is_left_out;
    b->left_out = left_out;
    for (uint32_t i = 0; i < doc->node_count; i++) {
        bool has_instances = built->shown_on[i].first >= doc->node_count;
        if (has_instances && !build_instances(load, doc, i, built->shown_on[i], nodes)) return false;
    }
    return sni_load_ok(load);
}

static bool build_scenes(sni_load *load, const gltf_doc *doc, sni_builder *b)
{
    sn_scene *scenes = sni_builder_scenes(b, doc->scene_count);
    if (!scenes) return false;
    for (uint32_t i = 0; i < doc->scene_count; i++) {
        const gltf_scene *source = &doc->scenes[i];
        int32_t *roots = sni_new(&load->keep, int32_t, source->nodes.count);
        if (!roots) return false;
        if (source->nodes.count > 0) memcpy(roots, source->nodes.items, source->nodes.count * sizeof *roots);
        scenes[i] = (sn_scene){ source->object.name, roots, source->nodes.count };
    }
    if (doc->scene < 0 && doc->scene_count > 1)
        sni_warn(&load->diag, SNI_WARN_SCENE_NONE, 0, "%u scenes, and none is the default", doc->scene_count);
    return true;
}

// Several skins may share an accessor: binds_of has those that were read.
static bool read_inverse_binds(sni_load *load, const gltf_doc *doc, const gltf_skin *source, float **binds_of,
                               sn_mat34 *binds)
{
    uint64_t offset = source->object.offset;
    for (uint32_t i = 0; i < source->joints.count; i++) binds[i] = sni_mat34_identity;
    if (source->inverse_binds < 0) return true;
    const gltf_accessor *accessor = &doc->accessors[source->inverse_binds];
    if (accessor->type != GLTF_MAT4 || accessor->component_type != GLTF_F32) {
        sni_warn(&load->diag, SNI_WARN_GLTF_SKIN, offset, "inverse binds are not float matrices; ignored");
        return true;
    }
    if (accessor->count < source->joints.count) {
        sni_warn(&load->diag, SNI_WARN_GLTF_SKIN, offset, "%u inverse binds for %u joints", accessor->count,
                 source->joints.count);
    }
    float **columns = &binds_of[source->inverse_binds];
    if (!*columns) {
        float *read = sni_new_raw(&load->scratch, float, (uint64_t)accessor->count * 16);
        if (!read || !gltf_read_floats(load, doc, source->inverse_binds, 16, read)) return sni_load_ok(load);
        *columns = read;
    }
    uint32_t bad_rows = 0;
    for (uint32_t i = 0; i < accessor->count && i < source->joints.count; i++) {
        const float *m = *columns + (size_t)i * 16;
        if (accessor->view >= 0) bad_rows += m[3] != 0.0f || m[7] != 0.0f || m[11] != 0.0f || m[15] != 1.0f;
        binds[i] = sni_mat34_from_columns(m);
    }
    sni_warn_many(&load->diag, SNI_WARN_GLTF_SKIN, bad_rows, offset, "the last row of an inverse bind is not 0,0,0,1");
    return true;
}

static bool build_skins(sni_load *load, const gltf_doc *doc, sni_builder *b)
{
    sn_skin *skins = sni_builder_skins(b, doc->skin_count);
    float **binds_of = sni_new(&load->scratch, float *, doc->accessor_count);
    if (!skins || !binds_of) return false;
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

// Parts: a node shows each primitive of its mesh, on itself or on all its instances.

static const float *build_weights(sni_load *load, const gltf_doc *doc, const gltf_node *node, uint32_t morph_count)
{
    const gltf_floats *given = node->weights.count > 0 ? &node->weights : &doc->meshes[node->mesh].weights;
    if (given->count > 0 && given->count != morph_count) {
        sni_warn(&load->diag, SNI_WARN_MORPH_COUNT, node->object.offset, "%u weights for %u morphs", given->count,
                 morph_count);
    }
    float *weights = sni_new(&load->keep, float, morph_count);
    uint32_t count = given->count < morph_count ? given->count : morph_count;
    if (weights && count > 0) memcpy(weights, given->items, count * sizeof *weights);
    return weights;
}

static bool build_parts(sni_load *load, const gltf_doc *doc, sni_builder *b, const gltf_built *built)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < doc->node_count; i++) {
        if (doc->nodes[i].mesh >= 0)
            total += (uint64_t)built->meshes[doc->nodes[i].mesh].count * built->shown_on[i].count;
    }
    const sn_mesh *meshes = b->meshes.items;
    sn_part *at = sni_builder_parts(b, total);
    if (!at) return false;
    for (uint32_t i = 0; i < doc->node_count; i++) {
        const gltf_node *node = &doc->nodes[i];
        if (node->mesh < 0) continue;
        gltf_range primitives = built->meshes[node->mesh], shown_on = built->shown_on[i];
        sni_enter(&load->diag, "nodes", i);
        for (uint32_t m = 0; m < primitives.count; m++) {
            uint32_t mesh = primitives.first + m, morph_count = meshes[mesh].morph_count;
            sn_part part = { .mesh = (int32_t)mesh, .skin = node->skin, .color = { 1, 1, 1, 1 } };
            part.material = built->materials[mesh];
            if (morph_count > 0) part.morph_weights = build_weights(load, doc, node, morph_count);
            for (uint32_t n = 0; n < shown_on.count; n++) {
                part.node = (int32_t)(shown_on.first + n);
                at[(size_t)n * primitives.count + m] = part;
            }
        }
        sni_leave(&load->diag);
        at += (size_t)primitives.count * shown_on.count;
    }
    return sni_load_ok(load);
}

// Cameras and lights: one for each node that refers to them; unused ones are kept with node -1.

typedef struct reference {
    int32_t source, node;
} reference;

static reference *find_references(sni_load *load, const gltf_doc *doc, bool is_light, gltf_copies *copies,
                                  uint32_t *count)
{
    uint32_t source_count = is_light ? doc->lights.count : doc->camera_count;
    uint64_t most = (uint64_t)source_count + (source_count ? doc->node_count : 0);
    reference *references = sni_new_raw(&load->scratch, reference, most);
    copies->first = sni_new_raw(&load->scratch, int32_t, source_count);
    copies->next = sni_new_raw(&load->scratch, int32_t, most);
    if (!references || !copies->first || !copies->next) return NULL;
    *count = 0;
    for (uint32_t i = 0; i < source_count; i++) copies->first[i] = -1;
    for (uint32_t i = 0; source_count && i < doc->node_count; i++) {
        int32_t source = is_light ? doc->nodes[i].punctual.light : doc->nodes[i].camera;
        if (source < 0) continue;
        copies->next[*count] = copies->first[source];
        copies->first[source] = (int32_t)*count;
        references[(*count)++] = (reference){ source, (int32_t)i };
    }
    for (uint32_t i = 0; i < source_count; i++) {
        if (copies->first[i] >= 0) continue;
        copies->next[*count] = -1;
        copies->first[i] = (int32_t)*count;
        references[(*count)++] = (reference){ (int32_t)i, -1 };
    }
    return references;
}

static bool build_cameras(sni_load *load, const gltf_doc *doc, sni_builder *b, gltf_copies *copies)
{
    uint32_t count = 0;
    const reference *references = find_references(load, doc, false, copies, &count);
    sn_camera *cameras = sni_builder_cameras(b, count);
    if (!references || !cameras) return false;
    for (uint32_t i = 0; i < count; i++) {
        const gltf_camera *source = &doc->cameras[references[i].source];
        bool is_perspective = source->type == GLTF_PERSPECTIVE;
        bool has_other_lens = source->type == GLTF_NO_CAMERA_TYPE && source->perspective.object.is_given;
        const gltf_lens *lens = is_perspective || has_other_lens ? &source->perspective : &source->orthographic;
        sn_camera camera = { .name = source->object.name, .extras = source->object.extras, .node = references[i].node };
        camera.is_perspective = is_perspective;
        camera.near_plane = lens->znear;
        camera.far_plane = lens->zfar;
        if (is_perspective) {
            camera.fov_y = lens->yfov;
            camera.aspect = lens->aspect;
        } else {
            camera.half_width = lens->xmag;
            camera.half_height = lens->ymag;
        }
        cameras[i] = camera;
    }
    return true;
}

static bool build_lights(sni_load *load, const gltf_doc *doc, sni_builder *b, gltf_copies *copies)
{
    static const sn_light_kind kinds[] = { [GLTF_NO_LIGHT_TYPE] = SN_LIGHT_POINT,
                                           [GLTF_DIRECTIONAL] = SN_LIGHT_DIRECTIONAL,
                                           [GLTF_POINT] = SN_LIGHT_POINT,
                                           [GLTF_SPOT] = SN_LIGHT_SPOT };
    uint32_t count = 0;
    const reference *references = find_references(load, doc, true, copies, &count);
    sn_light *lights = sni_builder_lights(b, count);
    if (!references || !lights) return false;
    for (uint32_t i = 0; i < count; i++) {
        const gltf_light *source = &doc->lights.items[references[i].source];
        sn_light light = { .name = source->object.name, .extras = source->object.extras, .node = references[i].node };
        light.kind = kinds[source->type];
        light.color = source->color;
        light.intensity = source->intensity;
        if (light.kind != SN_LIGHT_DIRECTIONAL) light.range = source->range;
        if (light.kind == SN_LIGHT_SPOT) {
            light.inner_angle = source->spot.inner_angle;
            light.outer_angle = source->spot.outer_angle;
        }
        lights[i] = light;
    }
    return true;
}

bool gltf_build(sni_load *load, const gltf_doc *doc, sn_model *model)
{
    gltf_built built = { .meshes = sni_new(&load->scratch, gltf_range, doc->mesh_count),
                         .shown_on = sni_new(&load->scratch, gltf_range, doc->node_count) };
    sni_builder b = sni_builder_of_load(load);
    model->extras = doc->object.extras;
    model->up_axis = SN_Y_UP;
    model->default_scene = doc->scene >= 0 ? doc->scene : doc->scene_count > 0 ? 0 : -1;
    return built.meshes && built.shown_on && build_nodes(load, doc, &b, &built) && build_scenes(load, doc, &b) &&
           build_skins(load, doc, &b) && gltf_build_materials(load, doc, &b) &&
           gltf_build_meshes(load, doc, &b, &built) && build_parts(load, doc, &b, &built) &&
           build_cameras(load, doc, &b, &built.cameras) && build_lights(load, doc, &b, &built.lights) &&
           gltf_build_clips(load, doc, &b, &built) && sni_builder_finish(&b, model);
}
