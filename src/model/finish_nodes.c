// Nodes arrive in the file's order with parents anywhere; they leave with parents first and loops cut.
#include <math.h>

#include "model/builder.h"
#include "model/sanitize.h"

static void mend_parents(sni_load *load, sn_node *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        int32_t parent = nodes[i].parent;
        if (parent >= -1 && parent < (int32_t)count) continue;
        sni_enter_named(&load->diag, "nodes", i, NULL);
        sni_warn(&load->diag, SNI_WARN_NODE_PARENT, 0, "parent %d of %u nodes", parent, count);
        sni_leave(&load->diag);
        nodes[i].parent = -1;
    }
}

// Marks each chain of parents with its own number: meeting that number again is a loop, any other is settled.
static bool cut_loops(sni_load *load, sn_node *nodes, uint32_t count)
{
    uint32_t *seen = sni_new(&load->scratch, uint32_t, count);
    if (!seen) return false;
    for (uint32_t i = 0; i < count; i++) {
        int32_t at = (int32_t)i;
        while (at >= 0 && seen[at] == 0) {
            seen[at] = i + 1;
            int32_t parent = nodes[at].parent;
            if (parent >= 0 && seen[parent] == i + 1) {
                sni_enter(&load->diag, "nodes", at);
                sni_warn(&load->diag, SNI_WARN_NODE_CYCLE, 0, "node %d is its own ancestor through node %d", at,
                         parent);
                sni_leave(&load->diag);
                nodes[at].parent = -1;
            }
            at = nodes[at].parent;
        }
    }
    return sni_load_ok(load);
}

// Depth first, roots and brothers in the file's order: a parent is met before its children, and a file that is
// already in such an order keeps it. new_of[old] is the place of each.
static bool order_nodes(sni_load *load, const sn_node *nodes, uint32_t count, int32_t *new_of)
{
    bool is_sorted = true;
    for (uint32_t i = 0; i < count; i++) is_sorted = is_sorted && nodes[i].parent < (int32_t)i;
    if (is_sorted) {
        for (uint32_t i = 0; i < count; i++) new_of[i] = (int32_t)i;
        return true;
    }
    int32_t *first_child = sni_new_raw(&load->scratch, int32_t, (uint64_t)count + 1);
    int32_t *next_brother = sni_new_raw(&load->scratch, int32_t, (uint64_t)count + 1);
    if (!first_child || !next_brother) return false;
    for (uint32_t i = 0; i <= count; i++) first_child[i] = next_brother[i] = -1;
    for (uint32_t i = count; i-- > 0;) {  // the roots hang below an extra node at the end
        uint32_t parent = nodes[i].parent < 0 ? count : (uint32_t)nodes[i].parent;
        next_brother[i] = first_child[parent];
        first_child[parent] = (int32_t)i;
    }
    int32_t placed = 0, at = first_child[count];
    while (at >= 0) {
        new_of[at] = placed++;
        int32_t next = first_child[at];
        while (next < 0 && at >= 0) {
            next = next_brother[at];
            at = nodes[at].parent;
        }
        at = next;
    }
    return true;
}

static void renumber(int32_t *index, const int32_t *new_of)
{
    if (*index >= 0) *index = new_of[*index];
}

// References to nodes are checked here, once for all formats; what names no node becomes -1.
static void mend_reference(sni_load *load, const char *where, uint32_t index, int32_t *node, uint32_t count)
{
    if (*node >= -1 && *node < (int32_t)count) return;
    sni_enter(&load->diag, where, index);
    sni_warn(&load->diag, SNI_WARN_REFERENCE, 0, "node %d of %u", *node, count);
    sni_leave(&load->diag);
    *node = -1;
}

static void renumber_users(sni_load *load, sn_model *model, const int32_t *new_of)
{
    uint32_t count = model->node_count;
    sn_part *parts = sni_mut(sn_part, model->parts);
    for (uint32_t i = 0; i < model->part_count; i++) {
        mend_reference(load, "parts", i, &parts[i].node, count);
        renumber(&parts[i].node, new_of);
    }
    for (uint32_t i = 0; i < model->skin_count; i++) {
        int32_t *joints = sni_mut(int32_t, model->skins[i].joints);
        for (uint32_t j = 0; j < model->skins[i].joint_count; j++) {
            mend_reference(load, "skins", i, &joints[j], count);
            renumber(&joints[j], new_of);
        }
    }
    sn_camera *cameras = sni_mut(sn_camera, model->cameras);
    for (uint32_t i = 0; i < model->camera_count; i++) {
        mend_reference(load, "cameras", i, &cameras[i].node, count);
        renumber(&cameras[i].node, new_of);
    }
    sn_light *lights = sni_mut(sn_light, model->lights);
    for (uint32_t i = 0; i < model->light_count; i++) {
        mend_reference(load, "lights", i, &lights[i].node, count);
        renumber(&lights[i].node, new_of);
    }
    for (uint32_t i = 0; i < model->clip_count; i++) {
        sn_track *tracks = sni_mut(sn_track, model->clips[i].tracks);
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) {
            if (tracks[t].target_kind != SN_TARGET_NODE) continue;
            if (tracks[t].target >= (int32_t)count) tracks[t].target = -1;  // the clips' turn will drop it
            renumber(&tracks[t].target, new_of);
        }
    }
}

// A scene lists roots, each once. In place of somebody's child the root above it is listed, so that it is shown below
// its parents. last_scene tells of each root which scene listed it last.
static void finish_scene(sni_load *load, const sn_model *model, uint32_t index, sn_scene *scene, const int32_t *new_of,
                         const int32_t *root_of, uint32_t *last_scene)
{
    int32_t *roots = sni_mut(int32_t, scene->roots);
    uint32_t kept = 0;
    sni_enter(&load->diag, "scenes", index);
    for (uint32_t i = 0; i < scene->root_count; i++) {
        int32_t node = roots[i];
        if (node < 0 || node >= (int32_t)model->node_count) {
            sni_warn(&load->diag, SNI_WARN_REFERENCE, 0, "node %d of %u", node, model->node_count);
            continue;
        }
        int32_t root = root_of[new_of[node]];
        if (root != new_of[node]) sni_warn(&load->diag, SNI_WARN_SCENE_ROOT, 0, "node %d has a parent", node);
        if (last_scene[root] == index + 1) continue;
        last_scene[root] = index + 1;
        roots[kept++] = root;
    }
    sni_leave(&load->diag);
    scene->root_count = kept;
}

static bool finish_scenes(sni_load *load, sn_model *model, const int32_t *new_of)
{
    sn_scene *scenes = sni_mut(sn_scene, model->scenes);
    int32_t *root_of = sni_new_raw(&load->scratch, int32_t, model->node_count);
    uint32_t *last_scene = sni_new(&load->scratch, uint32_t, model->node_count);
    if (!root_of || !last_scene) return false;
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        root_of[i] = parent < 0 ? (int32_t)i : root_of[parent];
    }
    for (uint32_t i = 0; i < model->scene_count; i++)
        finish_scene(load, model, i, &scenes[i], new_of, root_of, last_scene);
    return true;
}

static void mend_node(sni_load *load, sn_node *node, uint32_t index)
{
    sni_sanitize fixes = { 0 };
    sn_mat34 *matrix = sni_mut(sn_mat34, node->matrix);
    sni_sanitize_floats(&fixes, &node->rest.translation.x, 3);
    sni_sanitize_floats(&fixes, &node->rest.rotation.x, 4);
    sni_sanitize_floats(&fixes, &node->rest.scale.x, 3);
    if (matrix) sni_sanitize_floats(&fixes, &matrix->m[0][0], 12);
    sni_sanitize_rotation(&fixes, &node->rest.rotation);
    if (!node->name) node->name = "";
    if (fixes.not_finite + fixes.not_unit == 0) return;
    sni_enter_named(&load->diag, "nodes", index, node->name);
    sni_sanitize_report(load, &fixes, 0);
    sni_leave(&load->diag);
}

bool sni_finish_nodes(sni_load *load, sn_model *model)
{
    uint32_t count = model->node_count;
    if (count > INT32_MAX - 1) return sni_fail(&load->diag, SN_ERR_LIMIT, 0, "%u nodes", count);
    sn_node *nodes = sni_mut(sn_node, model->nodes);
    mend_parents(load, nodes, count);
    for (uint32_t i = 0; i < count; i++) mend_node(load, &nodes[i], i);
    int32_t *new_of = sni_new_raw(&load->scratch, int32_t, count);
    sn_node *sorted = sni_new_raw(&load->keep, sn_node, count);
    if (!new_of || !sorted || !cut_loops(load, nodes, count) || !order_nodes(load, nodes, count, new_of)) return false;
    for (uint32_t i = 0; i < count; i++) {
        sn_node *node = &sorted[new_of[i]];
        *node = nodes[i];
        renumber(&node->parent, new_of);
    }
    model->nodes = sorted;
    renumber_users(load, model, new_of);
    return finish_scenes(load, model, new_of) && sni_load_ok(load);
}
