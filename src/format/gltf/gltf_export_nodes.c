// Nodes: how the roots are grouped for scenes, the nodes that saving adds, scenes, cameras and lights.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format/gltf/gltf_export.h"
#include "model/extras.h"
#include "model/trs.h"

// Z up becomes Y up.
static bool turns_axes(const gltf_export *export)
{
    const sn_save_opts *opts = export->save->opts;
    return export->model->up_axis == SN_Z_UP && !(opts && opts->keep_axes);
}

// Root groups: which roots are written below one node.

bool gltf_is_hidden_root_part(const gltf_export *export, const sn_part *part)
{
    return part->skin < 0 && export->roots.must_hide[export->roots.root_of[part->node]];
}

static bool is_bent(const gltf_export *export, const sn_part *part)
{
    return part->skin >= 0 && export->model->skins[part->skin].joint_count > 0 && gltf_is_drawn(export, part);
}

// Union-find; the earliest root of a set represents it.
static int32_t find_set(int32_t *set_of, int32_t root)
{
    while (set_of[root] != root) root = set_of[root] = set_of[set_of[root]];
    return root;
}

// The roots of all joints of a skin are one group.
static bool group_roots(gltf_export *export)
{
    const sn_model *model = export->model;
    gltf_root_groups *roots = &export->roots;
    int32_t *set_of = sni_new(&export->save->scratch, int32_t, model->node_count);
    bool *is_done = sni_new(&export->save->scratch, bool, model->skin_count);
    if (!set_of || !is_done) return false;
    for (uint32_t i = 0; i < model->node_count; i++) set_of[i] = (int32_t)i;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        if (!is_bent(export, part) || is_done[part->skin]) continue;
        const sn_skin *skin = &model->skins[part->skin];
        is_done[part->skin] = true;
        for (uint32_t j = 1; j < skin->joint_count; j++) {
            int32_t a = find_set(set_of, roots->root_of[skin->joints[0]]);
            int32_t b = find_set(set_of, roots->root_of[skin->joints[j]]);
            if (a < b) set_of[b] = a;
            else set_of[a] = b;
        }
    }
    for (uint32_t i = 0; i < model->node_count; i++) {
        roots->group_of[i] = -1;
        if (model->nodes[i].parent >= 0) continue;
        int32_t first = find_set(set_of, (int32_t)i);
        roots->group_of[i] = first == (int32_t)i ? (int32_t)roots->count++ : roots->group_of[first];
    }
    return true;
}

// For each root, the groups with the joints of its skinned parts, each once.
static gltf_indices *find_needed_groups(gltf_export *export)
{
    const sn_model *model = export->model;
    const gltf_root_groups *roots = &export->roots;
    sni_arena *arena = &export->save->scratch;
    gltf_indices *needed = sni_new(arena, gltf_indices, model->node_count);
    int32_t *items = sni_new(arena, int32_t, model->part_count);
    uint32_t *seen_by = sni_new(arena, uint32_t, roots->count);  // the last root that needs a group, from 1 on
    if (!needed || !items || !seen_by) return NULL;

    // A counting sort of the parts by their roots.
    for (uint32_t i = 0; i < model->part_count; i++) {
        if (is_bent(export, &model->parts[i])) needed[roots->root_of[model->parts[i].node]].count++;
    }
    for (uint32_t i = 0; i < model->node_count; i++) {
        needed[i].items = items;
        items += needed[i].count;
        needed[i].count = 0;
    }
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        if (!is_bent(export, part)) continue;
        gltf_indices *list = &needed[roots->root_of[part->node]];
        list->items[list->count++] = roots->group_of[roots->root_of[model->skins[part->skin].joints[0]]];
    }
    for (uint32_t i = 0; i < model->node_count; i++) {
        uint32_t kept = 0;
        for (uint32_t k = 0; k < needed[i].count; k++) {
            int32_t group = needed[i].items[k];
            if (seen_by[group] == i + 1) continue;
            seen_by[group] = i + 1;
            needed[i].items[kept++] = group;
        }
        needed[i].count = kept;
    }
    return needed;
}

// Adds a group to the list of a scene (from 1 on), once.
static bool list_group(gltf_export *export, uint32_t scene, int32_t group, uint32_t *listed_by, sni_list *list)
{
    if (listed_by[group] == scene) return true;
    listed_by[group] = scene;
    int32_t *item = sni_push(&export->save->scratch, list, int32_t);
    if (item) *item = group;
    return item != NULL;
}

// A scene lists the groups of its roots, and those that their skinned parts need.
static bool list_groups(gltf_export *export)
{
    gltf_root_groups *roots = &export->roots;
    gltf_indices *needed = find_needed_groups(export);
    uint32_t *listed_by = sni_new(&export->save->scratch, uint32_t, roots->count);
    if (!needed || !listed_by) return false;
    for (uint32_t i = 0; i < roots->scene_count; i++) {
        const sn_scene *scene = &roots->scenes[i];
        sni_list list = { 0 };
        for (uint32_t r = 0; r < scene->root_count; r++) {
            if (!list_group(export, i + 1, roots->group_of[scene->roots[r]], listed_by, &list)) return false;
        }
        for (uint32_t r = 0; r < scene->root_count; r++) {
            const gltf_indices *groups = &needed[scene->roots[r]];
            for (uint32_t k = 0; k < groups->count; k++) {
                if (!list_group(export, i + 1, groups->items[k], listed_by, &list)) return false;
            }
        }
        roots->listed[i] = (gltf_indices){ list.items, list.count };
    }
    return true;
}

// Groups that the same scenes list become one, by partition refinement: each scene splits every class of groups into
// those that it lists and those that it does not.
static bool merge_groups(gltf_export *export)
{
    gltf_root_groups *roots = &export->roots;
    sni_arena *arena = &export->save->scratch;
    uint64_t most = 1;
    for (uint32_t i = 0; i < roots->scene_count; i++) most += roots->listed[i].count;
    uint32_t *class_of = sni_new(arena, uint32_t, roots->count), class_count = 1, merged = 0;
    uint32_t *split_by = sni_new(arena, uint32_t, most), *split_to = sni_new(arena, uint32_t, most);
    uint32_t *number_of = sni_new(arena, uint32_t, most), *listed_by = sni_new(arena, uint32_t, roots->count);
    if (!class_of || !split_by || !split_to || !number_of || !listed_by) return false;
    for (uint32_t i = 0; i < roots->scene_count; i++) {
        for (uint32_t k = 0; k < roots->listed[i].count; k++) {
            uint32_t *class = &class_of[roots->listed[i].items[k]];
            if (split_by[*class] != i + 1) {
                split_by[*class] = i + 1;
                split_to[*class] = class_count++;
            }
            *class = split_to[*class];
        }
    }

    // The classes are the new groups, numbered in the order of the old ones.
    for (uint32_t i = 0; i < roots->count; i++) {
        uint32_t *number = &number_of[class_of[i]];  // from 1 on
        if (*number == 0) *number = ++merged;
        class_of[i] = *number - 1;
    }
    for (uint32_t i = 0; i < export->model->node_count; i++) {
        if (roots->group_of[i] >= 0) roots->group_of[i] = (int32_t)class_of[roots->group_of[i]];
    }
    for (uint32_t i = 0; i < roots->scene_count; i++) {
        gltf_indices old = roots->listed[i];
        sni_list list = { 0 };
        for (uint32_t k = 0; k < old.count; k++) {
            if (!list_group(export, i + 1, (int32_t)class_of[old.items[k]], listed_by, &list)) return false;
        }
        roots->listed[i] = (gltf_indices){ list.items, list.count };
    }
    roots->count = merged;
    return true;
}

// A scene lists complete groups. Roots that no scene listed stay hidden. Rigid parts and lights that only another scene
// listed become visible in this one too, which is reported.
static bool find_extra_roots(gltf_export *export)
{
    const sn_model *model = export->model;
    const gltf_root_groups *roots = &export->roots;
    sni_arena *arena = &export->save->scratch;
    bool *is_listed = sni_new(arena, bool, model->node_count), *is_shown = sni_new(arena, bool, model->node_count);
    bool *is_group_listed = sni_new(arena, bool, roots->count);
    uint32_t *in_group = sni_new(arena, uint32_t, roots->count), *in_scene = sni_new(arena, uint32_t, roots->count);
    uint64_t extended = 0;
    if (!is_listed || !is_shown || !is_group_listed || !in_group || !in_scene) return false;
    for (uint32_t i = 0; i < roots->scene_count; i++) {
        for (uint32_t r = 0; r < roots->scenes[i].root_count; r++) is_listed[roots->scenes[i].roots[r]] = true;
        for (uint32_t k = 0; k < roots->listed[i].count; k++) is_group_listed[roots->listed[i].items[k]] = true;
    }
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        if (part->skin < 0 && gltf_is_drawn(export, part)) is_shown[roots->root_of[part->node]] = true;
    }
    for (uint32_t i = 0; i < model->light_count; i++) {
        if (model->lights[i].node >= 0) is_shown[roots->root_of[model->lights[i].node]] = true;
    }
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t group = roots->group_of[i];
        roots->must_hide[i] = group >= 0 && !is_listed[i] && is_group_listed[group];
        if (is_shown[i] && is_listed[i]) in_group[group]++;
    }
    for (uint32_t i = 0; i < roots->scene_count; i++) {
        const sn_scene *scene = &roots->scenes[i];
        bool is_extended = false;
        for (uint32_t r = 0; r < scene->root_count; r++)
            in_scene[roots->group_of[scene->roots[r]]] += is_shown[scene->roots[r]];
        for (uint32_t k = 0; k < roots->listed[i].count; k++) {
            int32_t group = roots->listed[i].items[k];
            is_extended = is_extended || in_scene[group] < in_group[group];
            in_scene[group] = 0;
        }
        extended += is_extended;
    }
    sni_warn_many(&export->save->diag, SNI_WARN_LOST_CONTENT, extended, 0,
                  "scenes also show objects attached to the joints of their skins");
    return true;
}

bool gltf_find_root_groups(gltf_export *export)
{
    const sn_model *model = export->model;
    gltf_root_groups *roots = &export->roots;
    sni_arena *arena = &export->save->scratch;
    roots->root_of = sni_new(arena, int32_t, model->node_count);
    roots->group_of = sni_new(arena, int32_t, model->node_count);
    roots->must_hide = sni_new(arena, bool, model->node_count);
    if (!roots->root_of || !roots->group_of || !roots->must_hide) return false;
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        roots->root_of[i] = parent < 0 ? (int32_t)i : roots->root_of[parent];
    }

    // A model without scenes gets one with all roots.
    roots->scenes = model->scenes;
    roots->scene_count = model->scene_count;
    if (model->scene_count == 0) {
        sn_scene *scene = sni_new(arena, sn_scene, 1);
        int32_t *all = sni_new(arena, int32_t, model->node_count);
        if (!scene || !all) return false;
        scene->roots = all;
        for (uint32_t i = 0; i < model->node_count; i++) {
            if (model->nodes[i].parent < 0) all[scene->root_count++] = (int32_t)i;
        }
        roots->scenes = scene;
        roots->scene_count = 1;
    }
    roots->listed = sni_new(arena, gltf_indices, roots->scene_count);
    return roots->listed && group_roots(export) && list_groups(export) &&
           (!turns_axes(export) || merge_groups(export)) && find_extra_roots(export);
}

// Nodes of the document: those of the model with the same numbers, then those that are added.

typedef struct node_tree {
    gltf_export *export;
    bool *is_moved;                     // nodes of the model that hold a skinned mesh and became roots of the scene
    bool *is_animated;                  // nodes whose transform some clip drives
    bool *is_scaled;                    // nodes whose scale some clip drives
    bool *is_switched;                  // nodes that are hidden, or that a clip hides and shows, with all below them
    bool *has_other_use;                // nodes with children, a camera or a light
    bool *is_below_switch, *is_hidden;  // the node itself, or one above it, is switched or hidden
} node_tree;

gltf_node *gltf_node_at(gltf_export *export, int32_t index) { return (gltf_node *)export->nodes.items + index; }

int32_t gltf_add_node(gltf_export *export, const char *name)
{
    gltf_node *node = sni_push(&export->save->scratch, &export->nodes, gltf_node);
    if (!node) return -1;
    *node = gltf_default_node;
    node->object.name = gltf_name_or_null(name);
    return (int32_t) export->nodes.count - 1;
}

int32_t gltf_add_helper(gltf_export *export, int32_t node, const char *ending)
{
    const char *name = export->model->nodes[node].name;
    size_t size = strlen(name), more = strlen(ending) + 1;
    char *full = size ? sni_new_raw(&export->save->scratch, char, size + more) : NULL;
    if (full) {
        memcpy(full, name, size);
        memcpy(full + size, ending, more);
    }
    return gltf_add_node(export, full);
}

bool gltf_link_nodes(gltf_export *export, int32_t parent, int32_t child)
{
    gltf_node_link *link = sni_push(&export->save->scratch, &export->links, gltf_node_link);
    if (link) *link = (gltf_node_link){ parent, child };
    return link != NULL;
}

// See sni_fit_rest_visibility.
static void mark_rest(gltf_export *export, int32_t index, bool was_hidden, bool is_hidden)
{
    const char *state = was_hidden ? "hidden" : "shown";
    gltf_node *node = gltf_node_at(export, index);
    if (was_hidden != is_hidden)
        node->object.extras = gltf_extend_extras(export, node->object.extras, GLTF_REST_MARK, &state, 1, false);
}

// Such nodes were fitted to follow their parents: the mark says what they did before.
static const char *mark_baked(gltf_export *export, const sn_node *node, const char *extras)
{
    const char *names[7];
    uint32_t count = 0;
    for (const sni_flag_name *flag = sni_inheritance_names; flag->name; flag++) {
        if (node->flags & flag->flag) names[count++] = flag->name;
    }
    return count > 0 ? gltf_extend_extras(export, extras, SNI_BAKED_MARK, names, count, true) : extras;
}

static bool copy_nodes(gltf_export *export)
{
    const uint32_t billboards = SN_NODE_BILLBOARD | SN_NODE_BILLBOARD_X | SN_NODE_BILLBOARD_Y | SN_NODE_BILLBOARD_Z;
    const sn_model *model = export->model;
    uint64_t lost = 0;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const sn_node *source = &model->nodes[i];
        int32_t index = gltf_add_node(export, source->name);
        if (index < 0) return false;
        const char *extras = gltf_export_extras(export, source->extras, GLTF_AROUND_ELEMENT);
        gltf_node *node = gltf_node_at(export, index);
        node->object.extras = mark_baked(export, source, extras);
        node->trs = source->rest;
        mark_rest(export, index, false, source->rest.scale.x == 0.0f && export->source->nodes[i].rest.scale.x != 0.0f);
        lost += (source->flags & billboards) != 0;
    }
    sni_enter(&export->save->diag, "nodes", -1);
    sni_warn_many(&export->save->diag, SNI_WARN_LOST_CONTENT, lost, 0,
                  "billboards face the front of the model, not the viewer");
    sni_leave(&export->save->diag);
    return true;
}

static bool find_uses(node_tree *tree)
{
    const sn_model *model = tree->export->model;
    sni_arena *arena = &tree->export->save->scratch;
    tree->is_moved = sni_new(arena, bool, model->node_count);
    tree->is_animated = sni_new(arena, bool, model->node_count);
    tree->is_scaled = sni_new(arena, bool, model->node_count);
    tree->is_switched = sni_new(arena, bool, model->node_count);
    tree->has_other_use = sni_new(arena, bool, model->node_count);
    if (!tree->is_moved || !tree->is_animated || !tree->is_scaled || !tree->is_switched || !tree->has_other_use)
        return false;
    for (uint32_t i = 0; i < model->camera_count; i++) {
        if (model->cameras[i].node >= 0) tree->has_other_use[model->cameras[i].node] = true;
    }
    for (uint32_t i = 0; i < model->light_count; i++) {
        if (model->lights[i].node >= 0) tree->has_other_use[model->lights[i].node] = true;
    }
    for (uint32_t i = 0; i < model->node_count; i++) {
        if (model->nodes[i].parent >= 0) tree->has_other_use[model->nodes[i].parent] = true;
        tree->is_switched[i] = model->nodes[i].flags & SN_NODE_HIDDEN;
    }
    for (uint32_t i = 0; i < model->clip_count; i++) {
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) {
            const sn_track *track = &model->clips[i].tracks[t];
            if (track->target_kind != SN_TARGET_NODE) continue;
            if (track->channel == SN_CHANNEL_VISIBILITY) tree->is_switched[track->target] = true;
            if (track->channel == SN_CHANNEL_SCALE) tree->is_scaled[track->target] = true;
            if (track->channel <= SN_CHANNEL_SCALE) tree->is_animated[track->target] = true;
        }
    }
    return true;
}

// Players without KHR_node_visibility show it all the same.
static void hide_by_extension(gltf_export *export, gltf_node *node, bool is_hidden)
{
    node->visibility.object.is_given = true;
    if (is_hidden) node->visibility.is_visible = false;
    gltf_use_extension(export, "KHR_node_visibility");
}

// A scale of 0 hides in every player. The mark says that it means nothing else.
static void make_switch(gltf_export *export, int32_t index, bool is_hidden)
{
    static const char *const scale = GLTF_SWITCH_SCALE;
    gltf_node *node = gltf_node_at(export, index);
    if (is_hidden) node->trs.scale = (sn_vec3){ 0, 0, 0 };
    node->object.extras = gltf_extend_extras(export, node->object.extras, GLTF_SWITCH_MARK, &scale, 1, false);
}

// The node that shows a group of parts. Only joints move a skinned mesh: it is shown by a node without transform at the
// root of the scene, which is the part's own node where that has no other use.
static int32_t find_holder(node_tree *tree, const gltf_part_group *group)
{
    gltf_export *export = tree->export;
    const sn_model *model = export->model;
    const char *name = model->nodes[group->node].name;
    if (group->skin < 0) {
        bool is_free = gltf_node_at(export, group->node)->mesh < 0 && !group->is_switched;
        return is_free ? group->node : gltf_add_node(export, name);
    }
    bool is_only_group = group->next < 0 && &export->groups.items[export->groups.first[group->node]] == group;
    bool has_other_use = tree->has_other_use[group->node] || tree->is_animated[group->node] ||
                         (model->nodes[group->node].flags & SN_NODE_JOINT);
    if (!is_only_group || has_other_use)
        return gltf_add_node(export, name[0] ? name : model->meshes[model->parts[group->first_part].mesh].name);
    gltf_node_at(export, group->node)->trs = gltf_default_node.trs;
    tree->is_moved[group->node] = true;
    return group->node;
}

static bool place_groups(node_tree *tree)
{
    gltf_export *export = tree->export;
    for (uint32_t i = 0; i < export->groups.count; i++) {
        gltf_part_group *group = &export->groups.items[i];
        const sn_part *part = &export->model->parts[group->first_part];
        group->holder = find_holder(tree, group);
        if (group->holder < 0) return false;
        gltf_node *node = gltf_node_at(export, group->holder);
        node->mesh = group->mesh;
        node->skin = group->skin;

        // A rigid part is hidden by a scale of 0; for a skinned one see gltf_hidden_parts.c.
        bool is_hidden = part->is_hidden || gltf_is_hidden_root_part(export, part);
        if (group->is_switched && group->skin >= 0) hide_by_extension(export, node, is_hidden);
        else if (group->is_switched) make_switch(export, group->holder, is_hidden);
        mark_rest(export, group->holder, export->source->parts[group->first_part].is_hidden, part->is_hidden);

        // Morph weights, unless the mesh has the same.
        const gltf_floats *usual = &export->doc->meshes[group->mesh].weights;
        size_t size = group->morph_count * sizeof(float);
        if (size == 0 || !part->morph_weights) continue;
        if (usual->items && memcmp(part->morph_weights, usual->items, size) == 0) continue;
        float *copy = sni_new_raw(&export->save->scratch, float, group->morph_count);
        if (!copy) return false;
        memcpy(copy, part->morph_weights, size);
        node->weights = (gltf_floats){ copy, group->morph_count };
    }
    return true;
}

// Transforms that are not a product of translation, rotation and scale are split over two nodes: a matrix with shear,
// and scale along the parent's axes. The node itself is the inner one, so that its children and its use as a joint
// stay with it.
static bool split_transforms(node_tree *tree)
{
    gltf_export *export = tree->export;
    const sn_model *model = export->model;
    uint64_t lost = 0;
    export->split_of = sni_new_raw(&export->save->scratch, int32_t, model->node_count);
    if (!export->split_of) return false;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const sn_node *source = &model->nodes[i];
        const sn_vec3 *scale = &source->rest.scale;
        sn_trs outer = { source->rest.translation, { 0, 0, 0, 1 }, source->rest.scale };
        sn_quat inner = source->rest.rotation;
        export->split_of[i] = -1;
        if (tree->is_moved[i]) continue;
        bool is_uniform = scale->x == scale->y && scale->y == scale->z;
        bool scales_parent_axes = (source->flags & SN_NODE_SCALE_PARENT_AXES) && (!is_uniform || tree->is_animated[i]);
        bool splits_matrix = source->matrix &&
                             (scales_parent_axes || !sni_trs_says_mat34(&source->rest, source->matrix));
        bool is_split = splits_matrix ? sni_mat34_split(source->matrix, &outer, &inner) : scales_parent_axes;
        lost += splits_matrix && !is_split;
        if (!is_split) continue;
        int32_t above = gltf_add_helper(export, (int32_t)i, ".outer");
        if (above < 0 || !gltf_link_nodes(export, above, (int32_t)i)) return false;
        export->split_of[i] = above;
        gltf_node_at(export, above)->trs = outer;
        gltf_node *node = gltf_node_at(export, (int32_t)i);
        node->trs = gltf_default_node.trs;
        node->trs.rotation = inner;
    }
    sni_warn_many(&export->save->diag, SNI_WARN_LOST_CONTENT, lost, 0,
                  "shear was left out: the matrix is too large to split");
    return true;
}

// The scale of the node itself is free to hide it.
static bool can_be_switch(const node_tree *tree, uint32_t node)
{
    const sn_vec3 *scale = &gltf_node_at(tree->export, (int32_t)node)->trs.scale;
    return !tree->is_scaled[node] && tree->export->split_of[node] < 0 && scale->x == 1.0f && scale->y == 1.0f &&
           scale->z == 1.0f;
}

// Nodes that are hidden with all below them: they get a scale of 0, or an extra node above them does. Where joints or
// skinned parts are below, the extension hides rigid parts, and each skinned part is hidden where it is.
static bool place_switches(node_tree *tree)
{
    gltf_export *export = tree->export;
    const sn_model *model = export->model;
    sni_arena *arena = &export->save->scratch;
    bool *is_skinned = sni_new(arena, bool, model->node_count);  // a joint or a skinned part at or below the node
    bool *is_rigid = sni_new(arena, bool, model->node_count);    // a light or a rigid part
    tree->is_below_switch = sni_new(arena, bool, model->node_count);
    tree->is_hidden = sni_new(arena, bool, model->node_count);
    export->switch_of = sni_new_raw(arena, int32_t, model->node_count);
    if (!is_skinned || !is_rigid || !tree->is_below_switch || !tree->is_hidden || !export->switch_of) return false;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        if (part->skin >= 0) is_skinned[part->node] = true;
        else if (gltf_is_drawn(export, part)) is_rigid[part->node] = true;
    }
    for (uint32_t i = 0; i < model->light_count; i++) {
        if (model->lights[i].node >= 0) is_rigid[model->lights[i].node] = true;
    }
    for (uint32_t i = model->node_count; i-- > 0;) {
        int32_t parent = model->nodes[i].parent;
        if (model->nodes[i].flags & SN_NODE_JOINT) is_skinned[i] = true;
        if (is_skinned[i] && parent >= 0) is_skinned[parent] = true;
        if (is_rigid[i] && parent >= 0) is_rigid[parent] = true;
    }
    for (uint32_t i = 0; i < model->node_count; i++) {
        bool starts_hidden = model->nodes[i].flags & SN_NODE_HIDDEN;
        int32_t parent = model->nodes[i].parent;
        tree->is_below_switch[i] = tree->is_switched[i] || (parent >= 0 && tree->is_below_switch[parent]);
        tree->is_hidden[i] = starts_hidden || (parent >= 0 && tree->is_hidden[parent]);
        export->switch_of[i] = -1;
        if (!tree->is_switched[i]) continue;
        mark_rest(export, (int32_t)i, export->source->nodes[i].flags & SN_NODE_HIDDEN, starts_hidden);
        if (is_skinned[i]) {
            hide_by_extension(export, gltf_node_at(export, (int32_t)i), starts_hidden);
            if (is_rigid[i]) gltf_report_visibility(export);
            continue;
        }
        export->switch_of[i] = (int32_t)i;
        if (!can_be_switch(tree, i)) {
            int32_t above = gltf_add_helper(export, (int32_t)i, ".switch");
            int32_t below = export->split_of[i] >= 0 ? export->split_of[i] : (int32_t)i;
            if (above < 0 || !gltf_link_nodes(export, above, below)) return false;
            export->switch_of[i] = above;
        }
        make_switch(export, export->switch_of[i], starts_hidden);
    }
    for (uint32_t i = 0; i < export->groups.count; i++) {
        const gltf_part_group *group = &export->groups.items[i];
        if (group->skin >= 0 && tree->is_below_switch[group->node])
            hide_by_extension(export, gltf_node_at(export, group->holder), tree->is_hidden[group->node]);
    }
    return true;
}

// The topmost of the node and the extra nodes above it.
static int32_t top_of(const gltf_export *export, int32_t node)
{
    if (export->switch_of[node] >= 0) return export->switch_of[node];
    return export->split_of[node] >= 0 ? export->split_of[node] : node;
}

static bool link_tree(node_tree *tree)
{
    gltf_export *export = tree->export;
    const sn_model *model = export->model;
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        if (parent >= 0 && !tree->is_moved[i] && !gltf_link_nodes(export, parent, top_of(export, (int32_t)i)))
            return false;
    }
    for (uint32_t i = 0; i < export->groups.count; i++) {
        const gltf_part_group *group = &export->groups.items[i];
        bool is_added = group->skin < 0 && group->holder >= (int32_t)model->node_count;
        if (is_added && !gltf_link_nodes(export, group->node, group->holder)) return false;
    }
    return true;
}

// Scenes: their root groups, each below an extra node where it needs one, then the holders of skinned meshes.

static bool place_root_groups(node_tree *tree, int32_t *top_of_group)
{
    gltf_export *export = tree->export;
    const gltf_root_groups *roots = &export->roots;
    const bool turns = turns_axes(export);
    uint32_t *sizes = sni_new(&export->save->scratch, uint32_t, roots->count);
    if (!sizes) return false;
    for (uint32_t i = 0; i < roots->count; i++) top_of_group[i] = -1;
    for (uint32_t i = 0; i < export->model->node_count; i++) {
        if (roots->group_of[i] >= 0 && !tree->is_moved[i]) sizes[roots->group_of[i]]++;
    }
    for (uint32_t i = 0; i < export->model->node_count; i++) {
        int32_t group = roots->group_of[i];
        if (group < 0 || tree->is_moved[i]) continue;
        int32_t *top = &top_of_group[group], node = top_of(export, (int32_t)i);
        if (sizes[group] == 1 && !turns) {
            *top = node;
            continue;
        }
        if (*top < 0) {
            *top = gltf_add_node(export, turns ? "y_up" : "root");
            // (x, y, z) to (y, z, x): Z up becomes Y up, and what faced +X faces +Z.
            if (*top >= 0 && turns) gltf_node_at(export, *top)->trs.rotation = (sn_quat){ -0.5f, -0.5f, -0.5f, 0.5f };
        }
        if (*top < 0 || !gltf_link_nodes(export, *top, node)) return false;
    }
    const gltf_hider *hiders = export->hiders.items;
    for (uint32_t i = 0; i < export->hiders.count; i++) {
        if (!hiders[i].joints || hiders[i].parent >= 0) continue;
        int32_t root = roots->root_of[export->model->skins[hiders[i].skin].joints[0]];
        if (!gltf_link_nodes(export, top_of_group[roots->group_of[root]], hiders[i].node)) return false;
    }
    return true;
}

static bool export_scenes(node_tree *tree)
{
    gltf_export *export = tree->export;
    const sn_model *model = export->model;
    const gltf_root_groups *roots = &export->roots;
    sni_arena *arena = &export->save->scratch;
    gltf_scene *scenes = sni_new(arena, gltf_scene, roots->scene_count);
    int32_t *top_of_group = sni_new(arena, int32_t, roots->count);    // what scenes list for a group; -1: nothing
    int32_t *first = sni_new_raw(arena, int32_t, model->node_count);  // part groups with a skin, of each root
    int32_t *next = sni_new_raw(arena, int32_t, export->groups.count);
    if (!scenes || !top_of_group || !first || !next || !place_root_groups(tree, top_of_group)) return false;
    for (uint32_t i = 0; i < model->node_count; i++) first[i] = -1;
    for (uint32_t i = export->groups.count; i-- > 0;) {
        if (export->groups.items[i].skin < 0) continue;
        int32_t root = roots->root_of[export->groups.items[i].node];
        next[i] = first[root];
        first[root] = (int32_t)i;
    }
    for (uint32_t i = 0; i < roots->scene_count; i++) {
        const sn_scene *source = &roots->scenes[i];
        const gltf_indices *listed = &roots->listed[i];
        sni_list nodes = { 0 };
        for (uint32_t k = 0; k < listed->count; k++) {
            if (top_of_group[listed->items[k]] < 0) continue;
            int32_t *item = sni_push(arena, &nodes, int32_t);
            if (!item) return false;
            *item = top_of_group[listed->items[k]];
        }
        for (uint32_t r = 0; r < source->root_count; r++) {
            for (int32_t at = first[source->roots[r]]; at >= 0; at = next[at]) {
                int32_t *item = sni_push(arena, &nodes, int32_t);
                if (!item) return false;
                *item = export->groups.items[at].holder;
            }
        }
        scenes[i].nodes = (gltf_indices){ nodes.items, nodes.count };
        scenes[i].object.name = gltf_name_or_null(source->name);
    }
    export->doc->scenes = scenes;
    export->doc->scene_count = roots->scene_count;
    export->doc->scene = model->default_scene >= 0 ? model->default_scene : 0;
    return true;
}

// Cameras and lights.

static float clamp(float value, float low, float high) { return value < low ? low : value > high ? high : value; }

// Within what glTF allows: a field of view below half a turn, extents above 0, a far plane beyond the near one.
static gltf_lens make_lens(const sn_camera *source)
{
    gltf_lens lens = { .object.is_given = true, .zfar = source->far_plane };
    if (source->is_perspective) {
        lens.yfov = clamp(source->fov_y, 1e-3f, 3.1415f);
        lens.aspect = clamp(source->aspect, 0.0f, FLT_MAX);
        lens.znear = clamp(source->near_plane, 1e-4f, FLT_MAX);
        if (lens.zfar <= lens.znear) lens.zfar = 0.0f;
    } else {
        lens.xmag = source->half_width > 0.0f ? source->half_width : 1.0f;
        lens.ymag = source->half_height > 0.0f ? source->half_height : 1.0f;
        lens.znear = clamp(source->near_plane, 0.0f, FLT_MAX);
        if (lens.zfar <= lens.znear) lens.zfar = lens.znear + 1e4f;
    }
    return lens;
}

static bool export_cameras(gltf_export *export)
{
    const sn_model *model = export->model;
    gltf_camera *cameras = sni_new(&export->save->scratch, gltf_camera, model->camera_count);
    if (!cameras) return false;
    for (uint32_t i = 0; i < model->camera_count; i++) {
        const sn_camera *source = &model->cameras[i];
        cameras[i].object.name = gltf_name_or_null(source->name);
        cameras[i].object.extras = gltf_export_extras(export, source->extras, GLTF_AROUND_ELEMENT);
        cameras[i].type = source->is_perspective ? GLTF_PERSPECTIVE : GLTF_ORTHOGRAPHIC;
        *(source->is_perspective ? &cameras[i].perspective : &cameras[i].orthographic) = make_lens(source);
        if (source->node < 0) continue;
        gltf_node *node = gltf_node_at(export, source->node);
        if (node->camera < 0) node->camera = (int32_t)i;
        else gltf_report_loss(export, "cameras", i, source->name, "a second camera of its node");
    }
    export->doc->cameras = cameras;
    export->doc->camera_count = model->camera_count;
    return true;
}

static bool export_lights(gltf_export *export)
{
    static const gltf_light_type types[] = { [SN_LIGHT_DIRECTIONAL] = GLTF_DIRECTIONAL,
                                             [SN_LIGHT_POINT] = GLTF_POINT,
                                             [SN_LIGHT_SPOT] = GLTF_SPOT,
                                             [SN_LIGHT_AMBIENT] = GLTF_NO_LIGHT_TYPE };
    const sn_model *model = export->model;
    gltf_light *lights = sni_new(&export->save->scratch, gltf_light, model->light_count);
    uint32_t count = 0;
    export->light_of = sni_new_raw(&export->save->scratch, int32_t, model->light_count);
    if (!lights || !export->light_of) return false;
    for (uint32_t i = 0; i < model->light_count; i++) {
        const sn_light *source = &model->lights[i];
        const sn_vec3 *color = &source->color;
        gltf_node *node = source->node >= 0 ? gltf_node_at(export, source->node) : NULL;
        export->light_of[i] = -1;
        if (source->kind == SN_LIGHT_AMBIENT || !node || node->punctual.object.is_given ||
            export->roots.must_hide[export->roots.root_of[source->node]]) {
            gltf_report_loss(export, "lights", i, source->name,
                             "glTF cannot store it: ambient, without node or scene, or the second of its node");
            continue;
        }
        gltf_light *light = &lights[count];
        light->object.name = gltf_name_or_null(source->name);
        light->object.extras = gltf_export_extras(export, source->extras, GLTF_AROUND_LIGHT);
        light->type = types[source->kind];
        light->color = (sn_vec3){ clamp(color->x, 0, 1), clamp(color->y, 0, 1), clamp(color->z, 0, 1) };
        light->intensity = clamp(source->intensity, 0, FLT_MAX);
        light->range = clamp(source->range, 0, FLT_MAX);
        light->spot.object.is_given = source->kind == SN_LIGHT_SPOT;
        light->spot.outer_angle = clamp(source->outer_angle, 1e-3f, 1.57f);
        light->spot.inner_angle = clamp(source->inner_angle, 0, light->spot.outer_angle * 0.999f);
        node->punctual = (gltf_node_light){ .object.is_given = true, .light = (int32_t)count };
        export->light_of[i] = (int32_t)count++;
        gltf_use_extension(export, "KHR_lights_punctual");
    }
    export->doc->lights = (gltf_lights){ .object.is_given = count > 0, .items = lights, .count = count };
    return true;
}

static bool has_extras(const sn_model *model, int32_t node)
{
    return node >= 0 ? model->nodes[node].extras != NULL : model->extras != NULL;
}

// glTF has none of these. Loaders keep them in the extras of their nodes; an attachment is a node in any case.
static void report_objects(gltf_export *export)
{
    const sn_model *model = export->model;
    uint64_t attachments = 0, events = 0, shapes = 0;
    for (uint32_t i = 0; i < model->attachment_count; i++) {
        const sn_attachment *attachment = &model->attachments[i];
        const sn_node *node = &model->nodes[attachment->node];
        attachments += !node->extras && (attachment->path[0] || strcmp(attachment->name, node->name) != 0);
    }
    for (uint32_t i = 0; i < model->event_count; i++) events += !has_extras(model, model->events[i].node);
    for (uint32_t i = 0; i < model->shape_count; i++) shapes += !has_extras(model, model->shapes[i].node);
    sni_save_lose(export->save, "attachments", attachments, "names and paths were left out; the nodes are kept");
    sni_save_lose(export->save, "events", events, "left out");
    sni_save_lose(export->save, "shapes", shapes, "left out");
}

// Links to lists of children, in the order in which they were made.
static bool gather_children(gltf_export *export)
{
    const gltf_node_link *links = export->links.items;
    int32_t *room = sni_new_raw(&export->save->scratch, int32_t, export->links.count);
    if (!room) return false;
    for (uint32_t i = 0; i < export->links.count; i++) gltf_node_at(export, links[i].parent)->children.count++;
    for (uint32_t i = 0; i < export->nodes.count; i++) {
        gltf_indices *children = &gltf_node_at(export, (int32_t)i)->children;
        children->items = room;
        room += children->count;
        children->count = 0;
    }
    for (uint32_t i = 0; i < export->links.count; i++) {
        gltf_indices *children = &gltf_node_at(export, links[i].parent)->children;
        children->items[children->count++] = links[i].child;
    }
    return true;
}

// A rotation of unit length within what floats can tell may still have a component above 1, which glTF does not allow.
static void limit_rotations(gltf_export *export)
{
    for (uint32_t i = 0; i < export->nodes.count; i++) {
        sn_quat *q = &gltf_node_at(export, (int32_t)i)->trs.rotation;
        float *const components[4] = { &q->x, &q->y, &q->z, &q->w };
        for (int k = 0; k < 4; k++) *components[k] = fminf(fmaxf(*components[k], -1.0f), 1.0f);
    }
}

bool gltf_export_nodes(gltf_export *export)
{
    node_tree tree = { .export = export };
    if (!copy_nodes(export) || !find_uses(&tree) || !place_groups(&tree) || !split_transforms(&tree) ||
        !place_switches(&tree) || !link_tree(&tree) ||
        !gltf_place_hiders(export, tree.is_below_switch, tree.is_hidden) || !gltf_export_skins(export) ||
        !export_scenes(&tree) || !gather_children(export) || !export_cameras(export) || !export_lights(export))
        return false;
    limit_rotations(export);
    report_objects(export);
    export->doc->nodes = export->nodes.items;
    export->doc->node_count = export->nodes.count;
    return sni_save_ok(export->save);
}
