// Nodes, those that show meshes, and those that saving adds above and below them.
#include <string.h>

#include "format/gltf/gltf_export.h"

typedef struct tree {
    gltf_export *export;
    bool *has_children;
    bool *has_lens_or_light;
} tree;

gltf_node *gltf_node_at(gltf_export *export, int32_t index) { return (gltf_node *)export->nodes.items + index; }

int32_t gltf_new_node(gltf_export *export, const char *name)
{
    gltf_node *node = sni_push(&export->save->scratch, &export->nodes, gltf_node);
    if (!node) return -1;
    *node = (gltf_node){ .object.name = gltf_name_or_null(name), .mesh = -1, .skin = -1, .camera = -1, .light = -1 };
    node->trs.rotation.w = 1.0f;
    node->trs.scale = (sn_vec3){ 1, 1, 1 };
    return (int32_t) export->nodes.count - 1;
}

int32_t gltf_new_helper(gltf_export *export, int32_t node, const char *ending)
{
    const char *name = export->model->nodes[node].name;
    size_t size = strlen(name), more = strlen(ending) + 1;
    char *full = size ? sni_new_raw(&export->save->scratch, char, size + more) : NULL;
    if (full) memcpy(full, name, size), memcpy(full + size, ending, more);
    return gltf_new_node(export, full);
}

bool gltf_hang(gltf_export *export, int32_t child, int32_t parent)
{
    gltf_link *link = sni_push(&export->save->scratch, &export->links, gltf_link);
    if (link) *link = (gltf_link){ parent, child };
    return link != NULL;
}

static bool copy_nodes(gltf_export *export)
{
    const uint32_t not_in_gltf = SN_NODE_BILLBOARD | SN_NODE_BILLBOARD_X | SN_NODE_BILLBOARD_Y | SN_NODE_BILLBOARD_Z |
                                 SN_NODE_OWN_TRANSLATION | SN_NODE_OWN_ROTATION | SN_NODE_OWN_SCALE;
    const sn_model *model = export->model;
    uint64_t lost = 0;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const sn_node *source = &model->nodes[i];
        int32_t index = gltf_new_node(export, source->name);
        if (index < 0) return false;
        gltf_node *node = gltf_node_at(export, index);
        node->object.extras = gltf_extras(export, source->extras);
        lost += (source->flags & not_in_gltf) != 0;
        node->trs = source->rest;
    }
    sni_enter(&export->save->diag, "nodes", -1);
    sni_warn_many(&export->save->diag, SNI_WARN_LOST_CONTENT, lost, 0,
                  "billboards and nodes that inherit in ways of their own");
    sni_leave(&export->save->diag);
    return true;
}

static bool survey(tree *t)
{
    const sn_model *model = t->export->model;
    sni_arena *arena = &t->export->save->scratch;
    t->export->is_moved = sni_new(arena, bool, model->node_count);
    t->has_children = sni_new(arena, bool, model->node_count);
    t->has_lens_or_light = sni_new(arena, bool, model->node_count);
    if (!t->export->is_moved || !t->has_children || !t->has_lens_or_light) return false;
    for (uint32_t i = 0; i < model->camera_count; i++) {
        if (model->cameras[i].node >= 0) t->has_lens_or_light[model->cameras[i].node] = true;
    }
    for (uint32_t i = 0; i < model->light_count; i++) {
        if (model->lights[i].node >= 0) t->has_lens_or_light[model->lights[i].node] = true;
    }
    for (uint32_t i = 0; i < model->node_count; i++) {
        if (model->nodes[i].parent >= 0) t->has_children[model->nodes[i].parent] = true;
    }
    return true;
}

static bool carries_other(const tree *t, int32_t node)
{
    const sn_model *model = t->export->model;
    return t->has_lens_or_light[node] || t->has_children[node] || t->export->is_animated[node] ||
           (model->nodes[node].flags & SN_NODE_JOINT);
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
        gltf_node_at(export, group->node)->trs = (sn_trs){ { 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 } };
        export->is_moved[group->node] = true;
        return group->node;
    }
    const char *name = model->nodes[group->node].name;
    return gltf_new_node(export, name[0] ? name : model->meshes[model->parts[group->first_part].mesh].name);
}

static bool set_weights(gltf_export *export, const gltf_group *group, gltf_node *node)
{
    const gltf_mesh *mesh = &export->doc->meshes[group->mesh];
    const float *weights = export->model->parts[group->first_part].morph_weights;
    if (group->morph_count == 0 || !weights) return true;
    bool is_same = mesh->weights.items &&
                   memcmp(weights, mesh->weights.items, group->morph_count * sizeof *weights) == 0;
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
    node->is_hidden = node->is_hidden || is_hidden;  // by any of those above it
    gltf_use_extension(export, "KHR_node_visibility");
    sni_enter(&export->save->diag, "KHR_node_visibility", -1);
    sni_warn(&export->save->diag, SNI_WARN_LOST_CONTENT, 0,
             "what is hidden here shows in players without KHR_node_visibility");
    sni_leave(&export->save->diag);
}

// A rigid part vanishes by a scale of 0, which every player knows; what joints bend cannot.
static void hide_part(gltf_export *export, const gltf_group *group, gltf_node *holder)
{
    const sn_part *part = &export->model->parts[group->first_part];
    bool is_hidden = part->is_hidden || gltf_is_kept_hidden(export, part);
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
    for (uint32_t i = 0; i < model->node_count; i++) {  // from the roots down
        int32_t parent = model->nodes[i].parent;
        is_switched[i] = export->is_switched[i] || (parent >= 0 && is_switched[parent]);
        is_hidden[i] = (model->nodes[i].flags & SN_NODE_HIDDEN) || (parent >= 0 && is_hidden[parent]);
    }
    for (uint32_t i = 0; i < export->group_count; i++) {
        const gltf_group *group = &export->groups[i];
        if (group->skin >= 0 && is_switched[group->node])
            hide_by_extension(export, gltf_node_at(export, group->holder), is_hidden[group->node]);
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
            hide_by_extension(export, gltf_node_at(export, (int32_t)i), is_hidden);
            continue;
        }
        export->switch_of[i] = gltf_new_helper(export, (int32_t)i, ".switch");
        int32_t below = export->outer_of[i] >= 0 ? export->outer_of[i] : (int32_t)i;
        if (export->switch_of[i] < 0 || !gltf_hang(export, below, export->switch_of[i])) return false;
        if (is_hidden) gltf_node_at(export, export->switch_of[i])->trs.scale = (sn_vec3){ 0, 0, 0 };
    }
    return hide_holders(export);
}

int32_t gltf_place_of(const gltf_export *export, int32_t node)
{
    if (export->switch_of[node] >= 0) return export->switch_of[node];
    return export->outer_of[node] >= 0 ? export->outer_of[node] : node;
}

static bool place_groups(tree *t)
{
    gltf_export *export = t->export;
    for (uint32_t i = 0; i < export->group_count; i++) {
        gltf_group *group = &export->groups[i];
        if (group->skin >= 0) group->holder = holder_of(t, group);
        else if (gltf_node_at(export, group->node)->mesh < 0 && !group->is_switched) group->holder = group->node;
        else group->holder = gltf_new_node(export, export->model->nodes[group->node].name);  // becomes a child below
        if (group->holder < 0) return false;
        gltf_node *node = gltf_node_at(export, group->holder);
        node->mesh = group->mesh;
        node->skin = group->skin;
        if (group->is_switched) hide_part(export, group, node);
        if (!set_weights(export, group, node)) return false;
    }
    return true;
}

// Extra nodes of rigid groups hang below the node that carries them.
static bool link_tree(gltf_export *export)
{
    const sn_model *model = export->model;
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        if (parent >= 0 && !export->is_moved[i] && !gltf_hang(export, gltf_place_of(export, (int32_t)i), parent))
            return false;
    }
    for (uint32_t i = 0; i < export->group_count; i++) {
        const gltf_group *group = &export->groups[i];
        if (group->skin < 0 && group->holder >= (int32_t)model->node_count &&
            !gltf_hang(export, group->holder, group->node))
            return false;
    }
    return true;
}

// Links to lists of children, in the order they were made.
static bool gather_children(gltf_export *export)
{
    const gltf_link *links = export->links.items;
    int32_t *room = sni_new_raw(&export->save->scratch, int32_t, export->links.count), *at = room;
    if (!room) return false;
    for (uint32_t i = 0; i < export->links.count; i++) gltf_node_at(export, links[i].parent)->children.count++;
    for (uint32_t i = 0; i < export->nodes.count; i++) {
        gltf_indices *children = &gltf_node_at(export, (int32_t)i)->children;
        children->items = at;
        at += children->count;
        children->count = 0;
    }
    for (uint32_t i = 0; i < export->links.count; i++) {
        gltf_indices *children = &gltf_node_at(export, links[i].parent)->children;
        children->items[children->count++] = links[i].child;
    }
    return true;
}

bool gltf_export_nodes(gltf_export *export)
{
    tree t = { .export = export };
    if (!copy_nodes(export) || !survey(&t) || !place_groups(&t) || !gltf_place_outers(export) ||
        !place_switches(export) || !link_tree(export) || !gltf_export_skins(export) || !gltf_export_scenes(export) ||
        !gather_children(export) || !gltf_export_cameras(export) || !gltf_export_lights(export))
        return false;
    export->doc->nodes = export->nodes.items;
    export->doc->node_count = export->nodes.count;
    return sni_save_ok(export->save);
}
