// Nodes, the holders of skinned meshes, scenes with their turn to Y up, skins, cameras.
#include <float.h>
#include <string.h>

#include "format/gltf/gltf_export.h"

typedef struct tree {
    gltf_export *export;
    bool        *is_moved;       // nodes of the model that hold a skinned mesh and became roots themselves
    int32_t     *root_of;        // of each node of the model
    uint32_t    *child_count;
    uint32_t    *scene_uses;     // of each root: how many scenes list it
    uint32_t    *in_scene;       // of each root: the number of the scene that listed it last, from 1 on
    bool        *has_lens_or_light;
} tree;

static gltf_node *node_at(gltf_export *export, int32_t index)
{
    return (gltf_node *)export->nodes.items + index;
}

static int32_t new_node(gltf_export *export, const char *name)
{
    gltf_node *node = sni_push(&export->save->scratch, &export->nodes, gltf_node);
    if (!node) return -1;
    *node = (gltf_node){ .object.name = gltf_name_or_null(name), .mesh = -1, .skin = -1, .camera = -1, .light = -1 };
    node->trs.rotation.w = 1.0f;
    node->trs.scale = (sn_vec3){ 1, 1, 1 };
    return (int32_t)export->nodes.count - 1;
}

static bool copy_nodes(gltf_export *export)
{
    const uint32_t not_in_gltf = SN_NODE_BILLBOARD | SN_NODE_BILLBOARD_X | SN_NODE_BILLBOARD_Y | SN_NODE_BILLBOARD_Z |
                                 SN_NODE_OWN_TRANSLATION | SN_NODE_OWN_ROTATION | SN_NODE_OWN_SCALE | SN_NODE_SCALE_PARENT_AXES;
    const sn_model *model = export->model;
    uint64_t lost = 0;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const sn_node *source = &model->nodes[i];
        int32_t index = new_node(export, source->name);
        if (index < 0) return false;
        gltf_node *node = node_at(export, index);
        node->object.extras = source->extras;
        lost += (source->flags & not_in_gltf) != 0;
        node->trs = source->rest;
        if (!source->matrix || export->is_animated[i]) continue;
        node->has_matrix = true;
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 4; c++) node->matrix[c * 4 + r] = source->matrix->m[r][c];
        }
        node->matrix[15] = 1.0f;
    }
    sni_warn_many(&export->save->diag, SNI_WARN_LOST_CONTENT, lost, 0, "billboards and nodes that inherit in ways of their own");
    return true;
}

static bool survey(tree *t)
{
    const sn_model *model = t->export->model;
    sni_arena *arena = &t->export->save->scratch;
    t->is_moved = sni_new(arena, bool, model->node_count);
    t->root_of = sni_new(arena, int32_t, model->node_count);
    t->child_count = sni_new(arena, uint32_t, model->node_count);
    t->scene_uses = sni_new(arena, uint32_t, model->node_count);
    t->in_scene = sni_new(arena, uint32_t, model->node_count);
    t->has_lens_or_light = sni_new(arena, bool, model->node_count);
    if (!t->is_moved || !t->root_of || !t->child_count || !t->scene_uses || !t->in_scene || !t->has_lens_or_light)
        return false;
    for (uint32_t i = 0; i < model->camera_count; i++) {
        if (model->cameras[i].node >= 0) t->has_lens_or_light[model->cameras[i].node] = true;
    }
    for (uint32_t i = 0; i < model->light_count; i++) {
        if (model->lights[i].node >= 0) t->has_lens_or_light[model->lights[i].node] = true;
    }
    for (uint32_t i = 0; i < model->scene_count; i++) {
        for (uint32_t k = 0; k < model->scenes[i].root_count; k++) t->scene_uses[model->scenes[i].roots[k]]++;
    }
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        t->root_of[i] = parent < 0 ? (int32_t)i : t->root_of[parent];
        if (parent >= 0) t->child_count[parent]++;
    }
    return true;
}

static bool carries_other(const tree *t, int32_t node)
{
    const sn_model *model = t->export->model;
    return t->has_lens_or_light[node] || t->child_count[node] > 0 || t->export->is_animated[node] || (model->nodes[node].flags & SN_NODE_JOINT);
}

// A skinned mesh is shown by a node without transform at the root of the scene: only its joints move it. A node that
// does nothing else becomes that root; otherwise an extra one is made.
static int32_t holder_of(tree *t, const gltf_group *group)
{
    gltf_export *export = t->export;
    const sn_model *model = export->model;
    bool is_alone = export->first_group[group->node] >= 0 && group->next < 0 &&
                    &export->groups[export->first_group[group->node]] == group;
    if (is_alone && !carries_other(t, group->node)) {
        gltf_node *node = node_at(export, group->node);
        node->has_matrix = false;
        node->trs = (sn_trs){ { 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 } };
        t->is_moved[group->node] = true;
        return group->node;
    }
    const char *name = model->nodes[group->node].name;
    return new_node(export, name[0] ? name : model->meshes[model->parts[group->first_part].mesh].name);
}

static bool set_weights(gltf_export *export, const gltf_group *group, gltf_node *node)
{
    const gltf_mesh *mesh = &export->doc->meshes[group->mesh];
    const float *weights = export->model->parts[group->first_part].morph_weights;
    if (group->morph_count == 0 || !weights) return true;
    bool is_same = mesh->weights.items && memcmp(weights, mesh->weights.items, group->morph_count * sizeof *weights) == 0;
    if (is_same) return true;
    float *copy = sni_new_raw(&export->save->scratch, float, group->morph_count);
    if (!copy) return false;
    memcpy(copy, weights, group->morph_count * sizeof *copy);
    node->weights = (gltf_floats){ copy, group->morph_count };
    return true;
}

// Players without KHR_node_visibility show it all the same.
static void hide_by_extension(gltf_export *export, gltf_node *node, bool is_hidden)
{
    node->has_visibility = true;
    node->is_hidden = node->is_hidden || is_hidden;         // by any of those above it
    gltf_use_extension(export, "KHR_node_visibility");
    sni_warn(&export->save->diag, SNI_WARN_LOST_CONTENT, 0, "what is hidden here shows in players without KHR_node_visibility");
}

// A rigid part vanishes by a scale of 0, which every player knows; what joints bend cannot.
static void hide_part(gltf_export *export, const gltf_group *group, gltf_node *holder)
{
    bool is_hidden = export->model->parts[group->first_part].is_hidden;
    if (group->skin >= 0) hide_by_extension(export, holder, is_hidden);
    else if (is_hidden) holder->trs.scale = (sn_vec3){ 0, 0, 0 };
}

// Holders stand apart from the tree: what is hidden or switched above their part's node must reach them too.
static bool hide_holders(gltf_export *export)
{
    const sn_model *model = export->model;
    bool *is_switched = sni_new(&export->save->scratch, bool, model->node_count);
    bool *is_hidden = sni_new(&export->save->scratch, bool, model->node_count);
    if (!is_switched || !is_hidden) return false;
    for (uint32_t i = 0; i < model->node_count; i++) {          // from the roots down
        int32_t parent = model->nodes[i].parent;
        is_switched[i] = export->is_switched[i] || (parent >= 0 && is_switched[parent]);
        is_hidden[i] = (model->nodes[i].flags & SN_NODE_HIDDEN) || (parent >= 0 && is_hidden[parent]);
    }
    for (uint32_t i = 0; i < export->group_count; i++) {
        const gltf_group *group = &export->groups[i];
        if (group->skin >= 0 && is_switched[group->node])
            hide_by_extension(export, node_at(export, group->holder), is_hidden[group->node]);
    }
    return true;
}

// The same for a node with all below it: an extra node above it is scaled. Where joints or skinned parts are below, the
// extension must do, on the node and on each holder.
static bool place_switches(gltf_export *export)
{
    const sn_model *model = export->model;
    export->switch_of = sni_new_raw(&export->save->scratch, int32_t, model->node_count);
    if (!export->switch_of) return false;
    for (uint32_t i = 0; i < model->node_count; i++) {
        bool is_hidden = model->nodes[i].flags & SN_NODE_HIDDEN;
        export->switch_of[i] = -1;
        if (!export->is_switched[i]) continue;
        if (export->is_bent[i]) {
            hide_by_extension(export, node_at(export, (int32_t)i), is_hidden);
            continue;
        }
        export->switch_of[i] = new_node(export, model->nodes[i].name);
        if (export->switch_of[i] < 0) return false;
        gltf_node *above = node_at(export, export->switch_of[i]);
        if (is_hidden) above->trs.scale = (sn_vec3){ 0, 0, 0 };
        int32_t *child = sni_new(&export->save->scratch, int32_t, 1);
        if (!child) return false;
        *child = (int32_t)i;
        above->children = (gltf_indices){ child, 1 };
    }
    return hide_holders(export);
}

// What stands in the tree for a node: itself, or the extra node above it.
static int32_t place_of(const gltf_export *export, int32_t node)
{
    return export->switch_of[node] >= 0 ? export->switch_of[node] : node;
}

static bool place_groups(tree *t)
{
    gltf_export *export = t->export;
    for (uint32_t i = 0; i < export->group_count; i++) {
        gltf_group *group = &export->groups[i];
        if (group->skin >= 0) group->holder = holder_of(t, group);
        else if (node_at(export, group->node)->mesh < 0 && !group->is_switched) group->holder = group->node;
        else group->holder = new_node(export, export->model->nodes[group->node].name);      // becomes a child below
        if (group->holder < 0) return false;
        gltf_node *node = node_at(export, group->holder);
        node->mesh = group->mesh;
        node->skin = group->skin;
        if (group->is_switched) hide_part(export, group, node);
        if (!set_weights(export, group, node)) return false;
    }
    return true;
}

// Extra nodes of rigid groups hang below the node that carries them.
static bool link_children(tree *t)
{
    gltf_export *export = t->export;
    const sn_model *model = export->model;
    uint32_t count = model->node_count, *filled = sni_new(&export->save->scratch, uint32_t, count);
    if (!filled) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (t->is_moved[i] && model->nodes[i].parent >= 0) t->child_count[model->nodes[i].parent]--;
    }
    for (uint32_t i = 0; i < export->group_count; i++) {
        const gltf_group *group = &export->groups[i];
        if (group->skin < 0 && group->holder >= (int32_t)count) t->child_count[group->node]++;
    }
    for (uint32_t i = 0; i < count; i++) {
        gltf_indices *children = &node_at(export, (int32_t)i)->children;
        children->items = sni_new(&export->save->scratch, int32_t, t->child_count[i]);
        children->count = t->child_count[i];
        if (!children->items) return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        int32_t parent = model->nodes[i].parent;
        if (parent >= 0 && !t->is_moved[i])
            node_at(export, parent)->children.items[filled[parent]++] = place_of(export, (int32_t)i);
    }
    for (uint32_t i = 0; i < export->group_count; i++) {
        const gltf_group *group = &export->groups[i];
        if (group->skin < 0 && group->holder >= (int32_t)count)
            node_at(export, group->node)->children.items[filled[group->node]++] = group->holder;
    }
    return true;
}

static bool is_whole_in_scene(const tree *t, const sn_skin *skin, uint32_t scene)
{
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        if (t->in_scene[t->root_of[skin->joints[i]]] != scene) return false;
    }
    return true;
}

static bool has_many_roots(const tree *t, const sn_skin *skin)
{
    for (uint32_t i = 1; i < skin->joint_count; i++) {
        if (t->root_of[skin->joints[i]] != t->root_of[skin->joints[0]]) return true;
    }
    return false;
}

// Joints of one skin must have a root in common. A new one helps only where the scene lists them all.
static bool needs_common_root(const tree *t, uint32_t scene)
{
    const sn_model *model = t->export->model;
    for (uint32_t i = 0; i < model->skin_count; i++) {
        if (has_many_roots(t, &model->skins[i]) && is_whole_in_scene(t, &model->skins[i], scene)) return true;
    }
    return false;
}

// Roots that several scenes list can have no node above them in one: they would have two parents.
static bool shares_roots(const tree *t, const int32_t *roots, uint32_t root_count)
{
    for (uint32_t i = 0; i < root_count; i++) {
        if (t->scene_uses[roots[i]] > 1) return true;
    }
    return false;
}

static bool push_index(gltf_export *export, sni_list *list, int32_t index)
{
    int32_t *item = sni_push(&export->save->scratch, list, int32_t);
    if (item) *item = index;
    return item != NULL;
}

// What a scene lists: its roots, under one node that turns them where that is wanted, then the skinned meshes.
static bool export_scene(tree *t, uint32_t number, const int32_t *roots, uint32_t root_count, gltf_scene *scene)
{
    gltf_export *export = t->export;
    const sn_model *model = export->model;
    bool turns = model->up_axis == SN_Z_UP && !(export->save->opts && export->save->opts->keep_axes);
    sni_list top = { 0 }, below = { 0 };
    for (uint32_t i = 0; i < root_count; i++) t->in_scene[roots[i]] = number;
    bool has_root = (turns || needs_common_root(t, number)) && !shares_roots(t, roots, root_count);
    if (turns && !has_root)
        sni_warn(&export->save->diag, SNI_WARN_LOST_CONTENT, 0, "the turn to Y up: several scenes share their roots");
    for (uint32_t i = 0; i < root_count; i++) {
        int32_t place = place_of(export, roots[i]);
        if (!t->is_moved[roots[i]] && !push_index(export, has_root ? &below : &top, place)) return false;
    }
    if (has_root && below.count > 0) {
        int32_t root = new_node(export, turns ? "y_up" : "root");
        if (root < 0 || !push_index(export, &top, root)) return false;
        // (x, y, z) to (y, z, x): Z up becomes Y up, and what faced +X faces +Z.
        if (turns) node_at(export, root)->trs.rotation = (sn_quat){ -0.5f, -0.5f, -0.5f, 0.5f };
        node_at(export, root)->children = (gltf_indices){ below.items, below.count };
    }
    for (uint32_t i = 0; i < export->group_count; i++) {
        const gltf_group *group = &export->groups[i];
        if (group->skin >= 0 && t->in_scene[t->root_of[group->node]] == number && !push_index(export, &top, group->holder)) return false;
    }
    scene->nodes = (gltf_indices){ top.items, top.count };
    return true;
}

static bool export_scenes(tree *t)
{
    gltf_export *export = t->export;
    const sn_model *model = export->model;
    uint32_t count = model->scene_count ? model->scene_count : 1;
    gltf_scene *scenes = sni_new(&export->save->scratch, gltf_scene, count);
    int32_t *roots = sni_new(&export->save->scratch, int32_t, model->node_count);
    if (!scenes || !roots) return false;
    uint32_t root_count = 0;
    for (uint32_t i = 0; i < model->node_count; i++) {
        if (model->nodes[i].parent < 0) roots[root_count++] = (int32_t)i;
    }
    if (model->scene_count == 0 && !export_scene(t, 1, roots, root_count, &scenes[0])) return false;
    for (uint32_t i = 0; i < model->scene_count; i++) {
        const sn_scene *scene = &model->scenes[i];
        if (!export_scene(t, i + 1, scene->roots, scene->root_count, &scenes[i])) return false;
        scenes[i].object.name = gltf_name_or_null(scene->name);
    }
    export->doc->scenes = scenes;
    export->doc->scene_count = count;
    export->doc->scene = model->default_scene >= 0 ? model->default_scene : 0;
    return true;
}

// Only skins that bend something; the groups' numbers follow.
static bool export_skins(gltf_export *export)
{
    const sn_model *model = export->model;
    sni_arena *arena = &export->save->scratch;
    gltf_skin *skins = sni_new(arena, gltf_skin, model->skin_count);
    int32_t *skin_of = sni_new_raw(arena, int32_t, model->skin_count);
    uint32_t count = 0;
    if (!skins || !skin_of) return false;
    for (uint32_t i = 0; i < model->skin_count; i++) skin_of[i] = -1;
    for (uint32_t i = 0; i < export->group_count; i++) {
        int32_t index = export->groups[i].skin;
        if (index < 0) continue;
        const sn_skin *source = &model->skins[index];
        if (skin_of[index] < 0) {
            float *binds = sni_new(arena, float, (uint64_t)source->joint_count * 16);
            int32_t *joints = sni_new_raw(arena, int32_t, source->joint_count);
            if (!binds || !joints) return false;
            memcpy(joints, source->joints, source->joint_count * sizeof *joints);
            for (uint32_t j = 0; j < source->joint_count; j++) {
                for (int c = 0; c < 4; c++) {
                    for (int r = 0; r < 3; r++) binds[j * 16 + (uint32_t)(c * 4 + r)] = source->inverse_bind[j].m[r][c];
                }
                binds[j * 16 + 15] = 1.0f;
            }
            skin_of[index] = (int32_t)count;
            gltf_skin *skin = &skins[count++];
            *skin = (gltf_skin){ .object.name = gltf_name_or_null(source->name), .joints = { joints, source->joint_count } };
            skin->skeleton = -1;
            skin->inverse_binds = gltf_pack_floats(&export->pack, GLTF_BINDS, binds, source->joint_count, GLTF_MAT4, false);
        }
        node_at(export, export->groups[i].holder)->skin = skin_of[index];
    }
    export->doc->skins = skins;
    export->doc->skin_count = count;
    return true;
}

static float within(float value, float low, float high)
{
    return value < low ? low : value > high ? high : value;
}

// What glTF allows: a view of less than half a turn, extents that are not 0, a far plane beyond the near one.
static void fit_lens(gltf_camera *camera)
{
    if (camera->is_perspective) {
        camera->yfov = within(camera->yfov, 1e-3f, 3.1415f);
        camera->znear = within(camera->znear, 1e-4f, FLT_MAX);
        camera->aspect = within(camera->aspect, 0.0f, FLT_MAX);
        camera->xmag = camera->ymag = 0.0f;
        if (camera->zfar <= camera->znear) camera->zfar = 0.0f;
    } else {
        camera->yfov = camera->aspect = 0.0f;
        camera->znear = within(camera->znear, 0.0f, FLT_MAX);
        if (!(camera->xmag > 0.0f)) camera->xmag = 1.0f;
        if (!(camera->ymag > 0.0f)) camera->ymag = 1.0f;
        if (camera->zfar <= camera->znear) camera->zfar = camera->znear + 1e4f;
    }
}

static bool export_cameras(gltf_export *export)
{
    const sn_model *model = export->model;
    gltf_camera *cameras = sni_new(&export->save->scratch, gltf_camera, model->camera_count);
    if (!cameras) return false;
    for (uint32_t i = 0; i < model->camera_count; i++) {
        const sn_camera *source = &model->cameras[i];
        cameras[i] = (gltf_camera){ .object = { .name = gltf_name_or_null(source->name), .extras = source->extras },
                                    .is_perspective = source->is_perspective, .is_orthographic = !source->is_perspective,
                                    .yfov = source->fov_y, .aspect = source->aspect, .xmag = source->half_width,
                                    .ymag = source->half_height, .znear = source->near_plane, .zfar = source->far_plane };
        fit_lens(&cameras[i]);
        if (source->node < 0) continue;
        gltf_node *node = node_at(export, source->node);
        if (node->camera < 0) node->camera = (int32_t)i;
        else sni_warn(&export->save->diag, SNI_WARN_LOST_CONTENT, 0, "a second camera of node %d", source->node);
    }
    export->doc->cameras = cameras;
    export->doc->camera_count = model->camera_count;
    return true;
}

static bool export_lights(gltf_export *export)
{
    static const gltf_light_type types[] = { [SN_LIGHT_DIRECTIONAL] = GLTF_DIRECTIONAL, [SN_LIGHT_POINT] = GLTF_POINT,
                                             [SN_LIGHT_SPOT] = GLTF_SPOT, [SN_LIGHT_AMBIENT] = GLTF_NO_LIGHT_TYPE };
    const sn_model *model = export->model;
    gltf_light *lights = sni_new(&export->save->scratch, gltf_light, model->light_count);
    export->light_of = sni_new_raw(&export->save->scratch, int32_t, model->light_count);
    uint32_t count = 0;
    if (!lights || !export->light_of) return false;
    for (uint32_t i = 0; i < model->light_count; i++) {
        const sn_light *source = &model->lights[i];
        gltf_node *node = source->node >= 0 ? node_at(export, source->node) : NULL;
        bool is_lost = source->kind == SN_LIGHT_AMBIENT || !node || node->light >= 0;
        export->light_of[i] = is_lost ? -1 : (int32_t)count;
        if (is_lost) {
            sni_warn(&export->save->diag, SNI_WARN_LOST_CONTENT, 0, "light \"%.80s\"", source->name);
            continue;
        }
        node->light = (int32_t)count;
        lights[count++] = (gltf_light){
            .object = { .name = gltf_name_or_null(source->name), .extras = source->extras }, .type = types[source->kind],
            .color = { within(source->color.x, 0, 1), within(source->color.y, 0, 1), within(source->color.z, 0, 1) },
            .intensity = within(source->intensity, 0, FLT_MAX), .range = within(source->range, 0, FLT_MAX),
            .has_spot = source->kind == SN_LIGHT_SPOT,
            .outer_angle = within(source->outer_angle, 1e-3f, 1.57f),
        };
        gltf_light *light = &lights[count - 1];
        light->inner_angle = within(source->inner_angle, 0, light->outer_angle * 0.999f);
        gltf_use_extension(export, "KHR_lights_punctual");
    }
    export->doc->lights = lights;
    export->doc->light_count = count;
    return true;
}

bool gltf_export_nodes(gltf_export *export)
{
    tree t = { .export = export };
    if (!copy_nodes(export) || !survey(&t) || !place_groups(&t) || !place_switches(export) || !link_children(&t) || !export_scenes(&t) ||
        !export_skins(export) || !export_cameras(export) || !export_lights(export))
        return false;
    export->doc->nodes = export->nodes.items;
    export->doc->node_count = export->nodes.count;
    return sni_save_ok(export->save);
}
