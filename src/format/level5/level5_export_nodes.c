// Nodes: the tree with one root and Y up, names with their draw codes, and the order of a given skeleton.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "format/level5/level5_export.h"
#include "format/level5/level5_parse.h"
#include "model/track.h"
#include "model/trs.h"

// --- Names ---

static bool has_codes(sni_str name) { return level5_text_before(name, "__").size < name.size; }

// Two underscores begin the codes of a name; names of other formats lose such pairs.
static const char *clean_name(level5_exporter *x, const char *name)
{
    const size_t size = strlen(name);
    char *clean = sni_copy_text(x->arena, name, size);
    size_t used = 0;
    if (!clean || x->is_native || !strstr(name, "__")) return clean ? clean : "";
    for (size_t i = 0; i < size; i++)
        if (name[i] != '_' || used == 0 || clean[used - 1] != '_') clean[used++] = name[i];
    clean[used] = 0;
    x->changed_names++;
    x->changed_name = name;
    return clean;
}

// The plain name is cut where both would be too long.
static bool join_codes(level5_exporter *x, sni_str plain, sni_str codes, sni_str *out)
{
    char *text = sni_new_raw(x->arena, char, LEVEL5_NAME_BYTES);
    const size_t room = LEVEL5_NAME_BYTES - 1 - (codes.size > 0 ? codes.size + 2 : 0);
    size_t size = 0;
    if (!text) return false;
    while (size < plain.size) {
        const size_t step = sni_sjis_is_lead((uint8_t)plain.at[size]) && size + 1 < plain.size ? 2 : 1;
        if (size + step > room) break;
        size += step;
    }
    if (size > 0) memcpy(text, plain.at, size);
    while (codes.size > 0 && size > 1 && text[size - 1] == '_') size--;
    if (size < plain.size) x->changed_names++;
    if (codes.size > 0) {
        memcpy(text + size, "__", 2);
        memcpy(text + size + 2, codes.at, codes.size);
        size += codes.size + 2;
    }
    *out = sni_str_make(text, size);
    return true;
}

bool level5_add_codes(level5_exporter *x, int32_t node, const char *codes)
{
    level5_out_node *out = level5_out_node_at(x, node);
    const sni_str plain = level5_text_before(out->name, "__");
    char all[LEVEL5_NAME_BYTES];
    size_t size = 0;
    if (!codes[0]) return true;
    if (plain.size < out->name.size) {
        size = out->name.size - plain.size - 2;
        if (size > 12) size = 12;
        memcpy(all, out->name.at + plain.size + 2, size);
    }
    const size_t more = strlen(codes);
    if (more > sizeof all - 2 - size) return true;
    memcpy(all + size, codes, more);
    return join_codes(x, plain, sni_str_make(all, size + more), &out->name);
}

// A name that is too long ends in the node's number, so that it stays unlike others.
static bool name_node(level5_exporter *x, const char *name, int32_t index, level5_out_node *node)
{
    const uint64_t changed = x->changed_names;
    char ending[16];
    node->name = level5_export_name(x, name, LEVEL5_NAME_BYTES - 1);
    if (x->changed_names == changed || strlen(name) < LEVEL5_NAME_BYTES) return true;
    const int size = snprintf(ending, sizeof ending, "~%d", index);
    const sni_str start = level5_export_name(x, name, LEVEL5_NAME_BYTES - 1 - (size_t)size);
    char *text = sni_new_raw(x->arena, char, LEVEL5_NAME_BYTES);
    if (!text) return false;
    if (start.size > 0) memcpy(text, start.at, start.size);
    memcpy(text + start.size, ending, (size_t)size);
    node->name = sni_str_make(text, start.size + (size_t)size);
    return true;
}

int32_t level5_add_node(level5_exporter *x, const char *name, const char *codes, int32_t parent, const sn_mat34 *local)
{
    level5_out_node *node = sni_push(x->arena, &x->nodes, level5_out_node);
    if (!node) return -1;
    if (x->nodes.count > LEVEL5_MOST_NODES) {
        sni_fail(&x->save->diag, SN_ERR_UNSUPPORTED, 0, "more than %d nodes", (int)LEVEL5_MOST_NODES);
        return -1;
    }
    const int32_t index = (int32_t)x->nodes.count - 1;
    *node = (level5_out_node){ .parent = parent, .local = *local, .mesh = -1, .id = -1 };
    const uint64_t changed = x->changed_names;
    if (!name_node(x, clean_name(x, name), index, node)) return -1;
    if (x->changed_names > changed) x->changed_names = changed + 1, x->changed_name = name;
    if (level5_text_before(node->name, "__").size == 0) node->name = sni_str_make("node", 4);
    if (parent >= 0) node->world = sni_mat34_mul(&level5_out_node_at(x, parent)->world, local);
    else node->world = x->game == LEVEL5_DC1 ? sni_mat34_identity : *local;
    return level5_add_codes(x, index, codes) && sni_save_ok(x->save) ? index : -1;
}

static const char *with_ending(level5_exporter *x, const char *name, const char *ending)
{
    const sni_str plain = x->is_native ? level5_text_before(sni_str_make(name, strlen(name)), "__")
                                       : sni_str_make(name, strlen(name));
    char *text = sni_new_raw(x->arena, char, plain.size + strlen(ending) + 1);
    if (!text) return "";
    memcpy(text, plain.at, plain.size);
    memcpy(text + plain.size, ending, strlen(ending) + 1);
    return text;
}

// --- Nodes of the model ---

typedef struct node_use {
    uint8_t driven;  // bits of channels that some clip drives
    bool is_uneven;  // scaled unevenly, at rest or by a key
    bool has_parts, has_children;
    uint32_t child_count;
} node_use;

static node_use *find_uses(level5_exporter *x)
{
    const sn_model *model = x->model;
    node_use *uses = sni_new(x->arena, node_use, model->node_count);
    if (!uses) return NULL;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const int32_t parent = model->nodes[i].parent;
        if (parent >= 0) uses[parent].has_children = true, uses[parent].child_count++;
        uses[i].is_uneven = !level5_is_uniform(model->nodes[i].rest.scale);
    }
    for (uint32_t i = 0; i < model->part_count; i++) uses[model->parts[i].node].has_parts = true;
    for (uint32_t i = 0; i < x->found.count; i++) {
        const sn_track *track = x->found.tracks[i].track;
        if (!sni_track_is_local(track)) continue;
        uses[track->target].driven |= (uint8_t)(1u << track->channel);
        for (uint32_t k = 0; track->channel == SN_CHANNEL_SCALE && k < track->key_count; k++) {
            const float *s = sni_track_key(track, k, SNI_KEY_VALUE);
            if (!level5_is_uniform(sni_vec3(s[0], s[1], s[2]))) uses[track->target].is_uneven = true;
        }
    }
    return uses;
}

static bool has_visibility(const level5_exporter *x, uint32_t node)
{
    return level5_has_track(x, SN_TARGET_NODE, (int32_t)node, 0, SN_CHANNEL_VISIBILITY);
}

// Codes that the name lacks. A name of the game has its own.
static void node_codes(const level5_exporter *x, uint32_t index, char codes[8])
{
    const sn_node *node = &x->model->nodes[index];
    const level5_codes own = level5_read_codes(sni_str_make(node->name, x->is_native ? strlen(node->name) : 0));
    size_t size = 0;
    const bool faces = x->model->up_axis == SN_Y_UP && !own.billboard;
    if (faces && node->flags & (SN_NODE_BILLBOARD | SN_NODE_BILLBOARD_Y)) {
        codes[size++] = 'b';
        codes[size++] = node->flags & SN_NODE_BILLBOARD ? 'A' : 'Y';
    }
    if (node->flags & SN_NODE_HIDDEN && !own.is_hidden && !has_visibility(x, index)) codes[size++] = 'v';
    codes[size] = 0;
}

static sn_mat34 rest_matrix(const sn_node *node)
{
    return node->matrix ? *node->matrix : sni_trs_matrix(&node->rest, node->flags & SN_NODE_SCALE_PARENT_AXES);
}

static bool is_one(sn_vec3 scale)
{
    return fabsf(scale.x - 1.0f) < 1e-6f && fabsf(scale.y - 1.0f) < 1e-6f && fabsf(scale.z - 1.0f) < 1e-6f;
}

// A scale track without a rotation track multiplies what the matrix has, so the matrix must not be flat.
static sn_vec3 without_zeros(sn_vec3 s)
{
    return sni_vec3(s.x != 0.0f ? s.x : 1.0f, s.y != 0.0f ? s.y : 1.0f, s.z != 0.0f ? s.z : 1.0f);
}

// DC1 has translation * rotation * scale, DC2 translation * scale * rotation. The other order, where it matters, needs
// two nodes: the split parent gets the translation and what comes next.
static bool add_split(level5_exporter *x, const sn_node *node, const node_use *use, const char *name, const char *codes,
                      int32_t parent, level5_out_targets *targets)
{
    const bool scales_outside = node->flags & SN_NODE_SCALE_PARENT_AXES;
    const sn_vec3 none = { 0, 0, 0 }, one = { 1, 1, 1 },
                  scale = use->driven >> SN_CHANNEL_SCALE & 1 ? without_zeros(node->rest.scale) : node->rest.scale;
    const sn_quat still = { 0, 0, 0, 1 };
    const sn_trs split_parent = { node->rest.translation, scales_outside ? still : node->rest.rotation,
                                  scales_outside ? scale : one },
                 inner = { none, scales_outside ? node->rest.rotation : still, scales_outside ? one : scale };
    const sn_mat34 outside = sni_trs_matrix(&split_parent, true), inside = sni_trs_matrix(&inner, true);
    const int32_t above = level5_add_node(x, with_ending(x, name, ".outer"), "", parent, &outside);
    targets->node = above >= 0 ? level5_add_node(x, name, codes, above, &inside) : -1;
    const int32_t turned = scales_outside ? targets->node : above, scaled = scales_outside ? above : targets->node;
    targets->translation = use->driven >> SN_CHANNEL_TRANSLATION & 1 ? above : -1;
    targets->rotation = use->driven >> SN_CHANNEL_ROTATION & 1 ? turned : -1;
    targets->scale = use->driven >> SN_CHANNEL_SCALE & 1 ? scaled : -1;
    if (targets->node >= 0 && targets->rotation >= 0) level5_out_node_at(x, targets->rotation)->is_turned = true;
    return targets->node >= 0;
}

static bool add_model_node(level5_exporter *x, uint32_t index, const sn_node *node, const node_use *use, int32_t parent,
                           uint64_t *sheared)
{
    level5_out_targets *targets = &x->targets[index];
    uint8_t driven = use->driven;
    char codes[8];
    const bool scales_outside = node->flags & SN_NODE_SCALE_PARENT_AXES;
    const bool is_locator = node->flags & SN_NODE_ATTACHMENT && !(node->flags & SN_NODE_JOINT) && !use->has_parts &&
                            !use->has_children && strncmp(node->name, "func_", 5) != 0;
    const char *name = node->name;
    if (is_locator) {
        char *text = sni_new_raw(x->arena, char, strlen(name) + 6);
        if (!text) return false;
        memcpy(text, "func_", 5);
        memcpy(text + 5, name, strlen(name) + 1);
        name = text;
    }
    node_codes(x, index, codes);
    if (node->matrix && driven) {  // the model's pose uses `rest` then
        driven = 7;
        *sheared += !sni_trs_says_mat34(&node->rest, node->matrix);
    }
    const bool turns = driven >> SN_CHANNEL_ROTATION & 1,
               rests_turned = fabs(fabs((double)node->rest.rotation.w) - 1.0) > 1e-9;
    const bool other_order = (x->game == LEVEL5_DC2) != scales_outside;
    const bool is_shaped = driven & (1u << SN_CHANNEL_ROTATION | 1u << SN_CHANNEL_SCALE);
    if (is_shaped && use->is_uneven && other_order && (turns || rests_turned)) {
        const node_use all = { .driven = driven };
        return add_split(x, node, &all, name, codes, parent, targets);
    }
    if (turns && !is_one(node->rest.scale)) driven |= 1u << SN_CHANNEL_SCALE;  // a rotation track removes it
    sn_mat34 local = rest_matrix(node);
    if (driven >> SN_CHANNEL_SCALE & 1 && !turns) {
        const sn_trs rest = { node->rest.translation, node->rest.rotation, without_zeros(node->rest.scale) };
        local = sni_trs_matrix(&rest, scales_outside);
    }
    targets->node = level5_add_node(x, name, codes, parent, &local);
    targets->translation = driven >> SN_CHANNEL_TRANSLATION & 1 ? targets->node : -1;
    targets->rotation = turns ? targets->node : -1;
    targets->scale = driven >> SN_CHANNEL_SCALE & 1 ? targets->node : -1;
    if (targets->node < 0) return false;
    level5_out_node_at(x, targets->node)->is_moved = driven != 0;
    level5_out_node_at(x, targets->node)->is_turned = turns;
    return true;
}

// --- What a .glb of the game's files has instead ---

// glTF shows skinned meshes by nodes at the top, and has scale along the parent's axes only with a node more.
typedef struct undone {
    int32_t *parents;        // per node; -1: a root
    int32_t *homes;          // per node: the node that its parts belong to; -1: its own
    int32_t *split_parents;  // per node: the node above it that has its translation and scale; -1: none
    bool *is_left_out;
} undone;

static bool is_still(const node_use *use) { return use->driven == 0; }

// A root without children that only holds skinned meshes.
static bool is_holder(const level5_exporter *x, uint32_t index, const node_use *use, const bool *has_rigid)
{
    const sn_node *node = &x->model->nodes[index];
    return node->parent < 0 && use->has_parts && !use->has_children && !has_rigid[index] && is_still(use) &&
           !(node->flags & SN_NODE_JOINT);
}

static bool find_homes(level5_exporter *x, const node_use *uses, undone *u)
{
    const sn_model *model = x->model;
    bool *has_rigid = sni_new(x->arena, bool, model->node_count);
    sni_nocase_names names = { 0 };
    int32_t top = -1;
    uint32_t tops = 0;
    if (!has_rigid) return false;
    for (uint32_t i = 0; i < model->part_count; i++) has_rigid[model->parts[i].node] |= model->parts[i].skin < 0;
    for (uint32_t i = 0; i < model->node_count; i++) {
        if (is_holder(x, i, &uses[i], has_rigid)) continue;
        if (model->nodes[i].parent < 0) top = (int32_t)i, tops++;
        if (uses[i].has_parts) continue;
        if (!sni_nocase_names_add(x->arena, &names, sni_str_make(model->nodes[i].name, strlen(model->nodes[i].name)),
                                  (int32_t)i))
            return false;
    }
    for (uint32_t i = 0; tops == 1 && i < model->node_count; i++) {
        if (!is_holder(x, i, &uses[i], has_rigid)) continue;
        const int32_t home = sni_nocase_names_find(&names,
                                                   sni_str_make(model->nodes[i].name, strlen(model->nodes[i].name)));
        const bool is_free = home >= 0 && (!uses[home].has_children || !has_visibility(x, i));
        if (is_free) u->homes[i] = home, u->is_left_out[i] = true;
        else u->parents[i] = top;
    }
    return true;
}

// "hip.outer" above "hip": one node of DC2.
static void find_split_parents(const level5_exporter *x, const node_use *uses, const undone *u)
{
    const sn_model *model = x->model;
    const sn_quat still = { 0, 0, 0, 1 };
    for (uint32_t i = 0; x->game == LEVEL5_DC2 && i < model->node_count; i++) {
        const sn_node *node = &model->nodes[i], *split_parent = node->parent >= 0 ? &model->nodes[node->parent] : NULL;
        const size_t size = strlen(node->name);
        if (!split_parent || strncmp(split_parent->name, node->name, size) != 0 ||
            strcmp(split_parent->name + size, ".outer") != 0)
            continue;
        const node_use *own = &uses[i], *above = &uses[node->parent];
        const sn_vec3 t = node->rest.translation;
        const bool is_inner = !node->matrix && !(own->driven & ~(1u << SN_CHANNEL_ROTATION)) && t.x == 0.0f &&
                              t.y == 0.0f && t.z == 0.0f && is_one(node->rest.scale);
        const bool is_split_parent = !split_parent->matrix && !(above->driven >> SN_CHANNEL_ROTATION & 1) &&
                                     above->child_count == 1 && !above->has_parts && split_parent->flags == 0 &&
                                     sni_quat_dot(split_parent->rest.rotation, still) == 1.0 &&
                                     !has_visibility(x, (uint32_t)node->parent);
        if (!is_inner || !is_split_parent) continue;
        u->split_parents[i] = node->parent;
        u->is_left_out[node->parent] = true;
        u->parents[i] = split_parent->parent;
    }
}

static bool find_undone(level5_exporter *x, const node_use *uses, undone *u)
{
    const uint32_t count = x->model->node_count;
    u->parents = sni_new_raw(x->arena, int32_t, count);
    u->homes = sni_new_raw(x->arena, int32_t, count);
    u->split_parents = sni_new_raw(x->arena, int32_t, count);
    u->is_left_out = sni_new(x->arena, bool, count);
    if (!u->parents || !u->homes || !u->split_parents || !u->is_left_out) return false;
    for (uint32_t i = 0; i < count; i++) {
        u->parents[i] = x->model->nodes[i].parent;
        u->homes[i] = u->split_parents[i] = -1;
    }
    if (!x->is_native) return true;
    find_split_parents(x, uses, u);
    return find_homes(x, uses, u);
}

// --- All nodes ---

// A node and the one above it that has its translation and scale.
static bool add_joined(level5_exporter *x, uint32_t index, int32_t split_parent, const node_use *uses, int32_t parent,
                       uint64_t *sheared)
{
    sn_node node = x->model->nodes[index];
    node_use use = uses[index];
    node.rest.translation = x->model->nodes[split_parent].rest.translation;
    node.rest.scale = x->model->nodes[split_parent].rest.scale;
    node.flags |= SN_NODE_SCALE_PARENT_AXES;
    use.driven |= uses[split_parent].driven;
    use.is_uneven = uses[split_parent].is_uneven;
    if (!add_model_node(x, index, &node, &use, parent, sheared)) return false;
    level5_out_targets *own = &x->targets[index];
    x->targets[split_parent] = (level5_out_targets){ own->node, own->translation, -1, own->scale };
    own->translation = own->scale = -1;
    return true;
}

static bool add_nodes(level5_exporter *x, const node_use *uses, const undone *u, bool adds_root)
{
    const sn_model *model = x->model;
    uint64_t sheared = 0;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const int32_t parent = u->parents[i];
        const int32_t above = parent >= 0 ? x->targets[parent].node : adds_root ? 0 : -1;
        if (u->is_left_out[i]) continue;
        if (u->split_parents[i] >= 0 ? !add_joined(x, i, u->split_parents[i], uses, above, &sheared)
                                     : !add_model_node(x, i, &model->nodes[i], &uses[i], above, &sheared))
            return false;
        level5_out_node_at(x, x->targets[i].node)->id = model->nodes[i].id;
    }
    for (uint32_t i = 0; i < model->node_count; i++)
        if (u->homes[i] >= 0) x->targets[i] = (level5_out_targets){ x->targets[u->homes[i]].node, -1, -1, -1 };
    sni_save_lose(x->save, "nodes", sheared, "shear of animated nodes was left out");
    return true;
}

bool level5_export_nodes(level5_exporter *x)
{
    const sn_model *model = x->model;
    const bool turns = model->up_axis == SN_Z_UP && !(x->save->opts && x->save->opts->keep_axes);
    static const sn_mat34 same = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    static const sn_mat34 y_up = { { { 0, 1, 0, 0 }, { 0, 0, 1, 0 }, { 1, 0, 0, 0 } } };  // what faced +X faces +Z
    uint32_t roots = 0;
    undone u;
    x->targets = sni_new(x->arena, level5_out_targets, model->node_count);
    const node_use *uses = find_uses(x);
    if (!x->targets || !uses || !find_undone(x, uses, &u)) return false;
    for (uint32_t i = 0; i < model->node_count; i++) roots += u.parents[i] < 0 && !u.is_left_out[i];
    const bool adds_root = roots != 1 || turns;  // the games draw only what is below the first node
    if (adds_root && level5_add_node(x, turns ? "y_up" : "root", "", -1, turns ? &y_up : &same) < 0) return false;
    return add_nodes(x, uses, &u, adds_root);
}

// --- The order of a skeleton ---

typedef struct numbered {
    int32_t id, node;
} numbered;

static int compare_numbered(const void *left, const void *right)
{
    const numbered *a = left, *b = right;
    if (a->id != b->id) return a->id < b->id ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

// A model of the game keeps the order that its nodes had in the file, as long as parents come first; added ones follow.
static bool order_by_id(level5_exporter *x)
{
    const uint32_t count = x->nodes.count;
    numbered *sorted = sni_new_raw(x->arena, numbered, count);
    int32_t *numbers = sni_new_raw(x->arena, int32_t, count);
    if (!sorted || !numbers) return false;
    for (uint32_t i = 0; i < count; i++) {
        const int32_t id = level5_out_node_at(x, (int32_t)i)->id;
        sorted[i] = (numbered){ id >= 0 ? id : INT32_MAX, (int32_t)i };
    }
    if (count > 1) qsort(sorted, count, sizeof *sorted, compare_numbered);
    for (uint32_t i = 0; i < count; i++) numbers[sorted[i].node] = (int32_t)i;
    for (uint32_t i = 0; i < count; i++) {
        const int32_t parent = level5_out_node_at(x, (int32_t)i)->parent;
        if (parent < 0 ? numbers[i] != 0 : numbers[parent] >= numbers[i]) return true;
    }
    x->numbers = numbers;
    return true;
}

// Numbers of the nodes that the skeleton has, by name; what it has besides gets an empty node, so that all numbers are
// as the game's motions expect them. The others follow.
bool level5_order_nodes(level5_exporter *x)
{
    const sn_model *skeleton = x->save->opts ? x->save->opts->skeleton : NULL;
    sni_nocase_names names = { 0 };
    uint64_t missing = 0, moved = 0;
    if (!skeleton) return !x->is_native || order_by_id(x);
    for (uint32_t i = 0; i < x->nodes.count; i++)
        if (!sni_nocase_names_add(x->arena, &names, level5_text_before(level5_out_node_at(x, (int32_t)i)->name, "__"),
                                  (int32_t)i))
            return false;
    int32_t *places = sni_new_raw(x->arena, int32_t, skeleton->node_count);  // by node of the skeleton
    if (!places) return false;
    for (uint32_t i = 0; i < skeleton->node_count; i++) {
        const sn_node *node = &skeleton->nodes[i];
        const sni_str name = level5_export_name(x, node->name, LEVEL5_NAME_BYTES - 1);
        places[i] = -1;
        if (node->id < 0) continue;  // made by the importer
        places[i] = node->id == 0 ? 0 : sni_nocase_names_find(&names, level5_text_before(name, "__"));
        if (places[i] == 0 && node->id != 0) places[i] = -1;  // both have their root first
        if (places[i] >= 0) {
            level5_out_node *known = level5_out_node_at(x, places[i]);
            const int32_t above = node->parent >= 0 ? places[node->parent] : -1;
            moved += known->parent != above && known->parent >= 0;
            if (known->mesh < 0 || !has_codes(known->name)) known->name = name;
            continue;
        }
        const sn_mat34 local = rest_matrix(node);
        const bool was_native = x->is_native;
        x->is_native = true;
        places[i] = level5_add_node(x, node->name, "", node->parent >= 0 ? places[node->parent] : 0, &local);
        x->is_native = was_native;
        if (places[i] < 0) return false;
        missing++;
    }
    x->numbers = sni_new_raw(x->arena, int32_t, x->nodes.count);
    bool *is_taken = sni_new(x->arena, bool, x->nodes.count);
    int32_t *by_id = sni_new_raw(x->arena, int32_t, x->nodes.count);
    if (!x->numbers || !is_taken || !by_id) return false;
    for (uint32_t i = 0; i < x->nodes.count; i++) x->numbers[i] = by_id[i] = -1;
    for (uint32_t i = 0; i < skeleton->node_count; i++) {
        const int32_t id = skeleton->nodes[i].id;
        if (places[i] < 0 || id < 0 || (uint32_t)id >= x->nodes.count || x->numbers[places[i]] >= 0 || is_taken[id])
            continue;
        x->numbers[places[i]] = id;
        is_taken[id] = true;
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < x->nodes.count; i++) {
        if (x->numbers[i] >= 0) continue;
        while (is_taken[next]) next++;
        x->numbers[i] = (int32_t)next++;
    }
    sni_save_lose(x->save, "skeleton", missing, "nodes that only the skeleton has were added");
    sni_save_lose(x->save, "skeleton", moved, "nodes have another parent than in the skeleton");
    return true;
}
