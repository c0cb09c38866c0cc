// Skins: bind matrices that give back the inverse binds of the model, and weights. The formulas are in
// docs/formats/level5.md. With X from the space of the meshes to the bind pose, a bone is bound at X * inverse(inverse
// bind). The node of the mesh is bound at X in DC2; in DC1 X is its matrix.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "format/level5/level5_export.h"

// Readers ignore bind matrices that are nearly flat.
static const double LEAST_DETERMINANT = 1e-5;

// --- Binding ---

static bool is_near(const sn_mat34 *a, const sn_mat34 *b, double size)
{
    double scale = 1e-6;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) scale = fmax(scale, fabs((double)b->m[r][c]));
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            if (!(fabs((double)a->m[r][c] - b->m[r][c]) <= (c < 3 ? 1e-5 * scale : 1e-6 * size))) return false;
    return true;
}

static bool is_rigid(const sn_mat34 *a)
{
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++) {
            const double dot = (double)a->m[0][i] * a->m[0][j] + (double)a->m[1][i] * a->m[1][j] +
                               (double)a->m[2][i] * a->m[2][j];
            if (!(fabs(dot - (i == j ? 1.0 : 0.0)) <= 2e-5)) return false;
        }
    return sni_mat34_determinant(a) > 0.0;
}

static sn_mat34 rigid_part(const sn_mat34 *a)
{
    sn_trs trs = sni_mat34_decompose(a);
    trs.scale = sni_vec3(1, 1, 1);
    return sni_trs_matrix(&trs, false);
}

static bool is_usable(const sn_mat34 *a) { return fabs(sni_mat34_determinant(a)) >= LEAST_DETERMINANT; }

// Where the bind pose has a bone that nothing binds yet: where it rests. DC1 takes rotation and translation only. In
// DC2 neither this nor X may be nearly flat, so very small or large models share the scale between both.
static sn_mat34 first_bind(const level5_exporter *x, const level5_out_node *node, const sn_mat34 *inverse_bind)
{
    sn_mat34 out = node->world, to_bind = sni_mat34_mul(&out, inverse_bind);
    if (x->game == LEVEL5_DC1) return rigid_part(&node->world);
    if (is_usable(&out) && is_usable(&to_bind)) return out;
    out = rigid_part(&node->world);
    const double scale = cbrt(1.0 / sqrt(fabs(sni_mat34_determinant(inverse_bind))));
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) out.m[r][c] = (float)(out.m[r][c] * scale);
    return out;
}

// The joint that ties the skin to the bind pose: one that has its place already, else the first of the model.
static int32_t find_tie(const level5_exporter *x, const sn_skin *skin)
{
    int32_t tie = -1;
    bool was_bound = false;
    sn_mat34 inverse;
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        const bool is_bound = level5_out_node_at(x, x->targets[skin->joints[i]].node)->has_bind;
        const bool is_better = tie < 0 || (is_bound != was_bound ? is_bound : skin->joints[i] < skin->joints[tie]);
        if (!is_better || !sni_mat34_invert(&skin->inverse_bind[i], &inverse)) continue;
        tie = (int32_t)i;
        was_bound = is_bound;
    }
    return tie;
}

// A bone that cannot be bound as it is gets a child that does nothing but stand where the inverse bind moves it.
static int32_t add_stand_in(level5_exporter *x, int32_t bone, const sn_mat34 *inverse_bind, const sn_mat34 *from_bind)
{
    const sn_mat34 local = sni_mat34_mul(inverse_bind, from_bind);
    const sni_str name = level5_text_before(level5_out_node_at(x, bone)->name, "__");
    const int32_t added = level5_add_node(x, "bind", "", bone, &local);
    if (added < 0) return -1;
    level5_out_node *node = level5_out_node_at(x, added);
    char *text = sni_new(x->arena, char, LEVEL5_NAME_BYTES);
    if (!text) return -1;
    const bool is_short = name.size < LEVEL5_NAME_BYTES - 6;  // a cut name could end in half a character
    if (is_short) snprintf(text, LEVEL5_NAME_BYTES, "%.*s.bind", (int)name.size, name.at);
    else snprintf(text, LEVEL5_NAME_BYTES, "bind~%d", added);
    node->name = sni_str_make(text, strlen(text));
    node->bind = sni_mat34_identity;
    node->has_bind = true;
    return added;
}

static bool place_skin(level5_exporter *x, uint32_t index, double size)
{
    const sn_skin *skin = &x->model->skins[index];
    level5_out_skin *out = &x->skins[index];
    const int32_t tie = find_tie(x, skin);
    sn_mat34 from_bind, inverse;
    out->is_placed = true;
    out->bones = sni_new_raw(x->arena, int32_t, skin->joint_count);
    if (!out->bones) return false;
    out->to_bind = sni_mat34_identity;
    if (tie >= 0) {
        const level5_out_node *node = level5_out_node_at(x, x->targets[skin->joints[tie]].node);
        const sn_mat34 bind = node->has_bind ? node->bind : first_bind(x, node, &skin->inverse_bind[tie]);
        out->to_bind = sni_mat34_mul(&bind, &skin->inverse_bind[tie]);
    }
    if (!is_usable(&out->to_bind) || !sni_mat34_invert(&out->to_bind, &from_bind)) {
        out->to_bind = from_bind = sni_mat34_identity;
    }
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        const int32_t bone = x->targets[skin->joints[i]].node;
        level5_out_node *node = level5_out_node_at(x, bone);
        bool is_held = sni_mat34_invert(&skin->inverse_bind[i], &inverse);
        const sn_mat34 bind = is_held ? sni_mat34_mul(&out->to_bind, &inverse) : sni_mat34_identity;
        is_held &= x->game == LEVEL5_DC1 ? is_rigid(&bind) : is_usable(&bind);
        is_held &= !node->has_bind || is_near(&bind, &node->bind, size);
        out->bones[i] = is_held ? bone : add_stand_in(x, bone, &skin->inverse_bind[i], &from_bind);
        if (out->bones[i] < 0) return false;
        node = level5_out_node_at(x, bone);
        if (is_held && !node->has_bind) node->bind = bind, node->has_bind = true;
    }
    return true;
}

bool level5_place_skins(level5_exporter *x)
{
    const sn_model *model = x->model;
    double size = 1e-6;
    x->skins = sni_new(x->arena, level5_out_skin, model->skin_count);
    if (!x->skins) return false;
    for (uint32_t i = 0; i < x->nodes.count; i++)
        for (int r = 0; r < 3; r++) size = fmax(size, fabs((double)level5_out_node_at(x, (int32_t)i)->world.m[r][3]));
    if (x->game == LEVEL5_DC1 && x->nodes.count > 0) {  // chains begin below the first node
        level5_out_node_at(x, 0)->bind = sni_mat34_identity;
        level5_out_node_at(x, 0)->has_bind = true;
    }
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        const bool is_skinned = part->skin >= 0 && model->meshes[part->mesh].influence_count > 0;
        if (is_skinned && !x->skins[part->skin].is_placed && !place_skin(x, (uint32_t)part->skin, size)) return false;
    }
    return true;
}

// --- Bind matrices ---

// DC2: in model space. DC1: relative to the parent, rotation and translation only, none for the first node.
bool level5_export_binds(level5_exporter *x, level5_binds *binds)
{
    uint8_t *data = sni_new(x->arena, uint8_t, (uint64_t)x->nodes.count * LEVEL5_MATRIX_BYTES);
    sn_mat34 *chains = sni_new_raw(x->arena, sn_mat34, x->nodes.count);
    if (!data || !chains) return false;
    for (uint32_t i = 0; i < x->nodes.count; i++) {
        const level5_out_node *node = level5_out_node_at(x, (int32_t)i);
        uint8_t *at = data + (size_t)level5_number(x, (int32_t)i) * LEVEL5_MATRIX_BYTES;
        sn_mat34 matrix = node->has_bind ? node->bind : node->world;
        if (x->game == LEVEL5_DC1) {
            chains[i] = node->has_bind ? node->bind : rigid_part(&node->world);
            if (node->parent < 0) continue;
            sn_mat34 inverse = sni_mat34_identity;
            sni_mat34_invert(&chains[node->parent], &inverse);
            matrix = sni_mat34_mul(&inverse, &chains[i]);
        }
        level5_store_matrix(at, &matrix);
    }
    binds->matrices = (level5_array){ data, x->nodes.count };
    return true;
}

// --- Weights ---

typedef struct weight {
    int32_t bone;
    uint32_t position;
    float percent;
} weight;

static int compare_weights(const void *left, const void *right)
{
    const weight *a = left, *b = right;
    if (a->bone != b->bone) return a->bone < b->bone ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

// Percents that sum to 100: what rounding adds or takes goes to the heaviest.
static void fill_percents(const sn_mesh *mesh, uint32_t vertex, const int32_t *bones, uint32_t position, weight *out,
                          uint64_t *count)
{
    const uint32_t width = mesh->influence_count;
    const size_t first = (size_t)vertex * width;
    weight *heaviest = NULL;
    double sum = 0.0;
    for (uint32_t i = 0; i < width; i++) {
        const float percent = (float)(100.0 * mesh->vertex_weights[first + i]);
        if (percent == 0.0f) continue;
        weight *one = &out[(*count)++];
        *one = (weight){ bones[mesh->vertex_joints[first + i]], position, percent };
        if (!heaviest || percent > heaviest->percent) heaviest = one;
        sum += percent;
    }
    if (heaviest) heaviest->percent = (float)(heaviest->percent + (100.0 - sum));
}

static bool list_weights(level5_exporter *x, const level5_out_mesh *mesh, weight **weights, uint64_t *count)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < mesh->mesh.positions.count; i++)
        most += x->model->meshes[x->model->parts[mesh->sources[i].part].mesh].influence_count;
    *weights = sni_new_raw(x->arena, weight, most);
    *count = 0;
    if (!*weights) return false;
    for (uint32_t i = 0; i < mesh->mesh.positions.count; i++) {
        const level5_out_vertex *source = &mesh->sources[i];
        fill_percents(&x->model->meshes[x->model->parts[source->part].mesh], source->vertex, x->skins[mesh->skin].bones,
                      i, *weights, count);
    }
    if (*count > 1) qsort(*weights, (size_t)*count, sizeof **weights, compare_weights);
    uint64_t merged = 0;  // two joints may be the same bone
    for (uint64_t i = 0; i < *count; i++) {
        weight *last = merged > 0 ? &(*weights)[merged - 1] : NULL;
        if (last && compare_weights(last, &(*weights)[i]) == 0) last->percent += (*weights)[i].percent;
        else (*weights)[merged++] = (*weights)[i];
    }
    *count = merged;
    return true;
}

static int compare_bones(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

// DC1 needs a track for every node between the mesh's parent and a bone, parents first. The first one, of the mesh's
// parent, has no weights: what is left of 100 is the parent's.
static bool list_bones(level5_exporter *x, const weight *weights, uint64_t count, uint32_t *stamps, uint32_t stamp,
                       sni_list *list)
{
    for (uint64_t i = 0; i < count; i++) {
        if (i > 0 && weights[i].bone == weights[i - 1].bone) continue;
        for (int32_t at = weights[i].bone; at >= 0 && stamps[at] != stamp; at = level5_out_node_at(x, at)->parent) {
            int32_t *bone = sni_push(x->arena, list, int32_t);
            if (!bone) return false;
            stamps[at] = stamp;
            *bone = at;
            if (x->game == LEVEL5_DC2) break;
        }
    }
    if (list->count > 1) qsort(list->items, list->count, sizeof(int32_t), compare_bones);
    return true;
}

static bool export_mesh_weights(level5_exporter *x, const level5_out_mesh *mesh, uint32_t *stamps, uint32_t stamp,
                                sni_list *tracks)
{
    weight *weights;
    uint64_t count, next = 0;
    sni_list bones = { 0 };
    if (!list_weights(x, mesh, &weights, &count) || !list_bones(x, weights, count, stamps, stamp, &bones)) return false;
    for (uint32_t i = 0; i < bones.count; i++) {
        const int32_t bone = level5_items(int32_t, bones)[i];
        uint64_t end = next;
        while (end < count && weights[end].bone == bone) end++;
        const bool is_parent = x->game == LEVEL5_DC1 && bone == 0;
        const uint32_t used = is_parent ? 0 : (uint32_t)(end - next);
        level5_key *keys = sni_new(x->arena, level5_key, used);
        level5_track *track = sni_push(x->arena, tracks, level5_track);
        if (!keys || !track) return false;
        for (uint32_t k = 0; k < used; k++) {
            keys[k].frame = weights[next + k].position;
            keys[k].value[0] = weights[next + k].percent;
        }
        if (!level5_make_track(x->arena, level5_number(x, mesh->node), level5_number(x, bone), LEVEL5_WEIGHTS, keys,
                               used, track))
            return false;
        next = end;
    }
    return true;
}

bool level5_export_weights(level5_exporter *x, sni_list *tracks)
{
    uint32_t *stamps = sni_new(x->arena, uint32_t, x->nodes.count);
    if (!stamps) return false;
    for (uint32_t i = 0; i < x->meshes.count; i++) {
        const level5_out_mesh *mesh = &level5_items(level5_out_mesh, x->meshes)[i];
        if (mesh->skin >= 0 && !export_mesh_weights(x, mesh, stamps, i + 1, tracks)) return false;
    }
    return true;
}
