#include "convert/weight_groups.h"

#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/math.h"
#include "convert/influences.h"
#include "convert/posed_error.h"
#include "model/builder.h"

enum { SHARES = 8 };

// The n-th copy of a joint; the joint itself is the first.
typedef struct copy {
    uint16_t joint;
    uint8_t number;
} copy;

typedef struct grouping {
    sni_save *save;
    sni_arena *arena;
    const sn_model *model;
    sni_map map;      // of copies
    sni_list copies;  // copy: joints after those of the skin
    double error;     // the largest of a weight
} grouping;

static bool find_copy(grouping *g, uint16_t joint, uint8_t number, uint16_t *out)
{
    const copy wanted = { joint, number };
    const uint32_t hash = sni_hash_more(sni_hash(&joint, sizeof joint), &number, sizeof number);
    const uint32_t own = g->model->skins[0].joint_count;
    *out = joint;
    if (number == 0) return true;
    for (sni_map_cursor at = sni_map_find(&g->map, hash); sni_map_next(&g->map, &at);) {
        const copy *known = &((const copy *)g->copies.items)[at.item];
        if (known->joint != joint || known->number != number) continue;
        *out = (uint16_t)(own + at.item);
        return true;
    }
    if (own + g->copies.count >= UINT16_MAX)
        return sni_fail(&g->save->diag, SN_ERR_UNSUPPORTED, 0, "more than %d bones", UINT16_MAX);
    copy *added = sni_push(g->arena, &g->copies, copy);
    if (!added || !sni_map_add(&g->map, g->arena, hash, g->copies.count - 1)) return false;
    *added = wanted;
    *out = (uint16_t)(own + g->copies.count - 1);
    return true;
}

// Shares of `total` nearest to the weights: rounded down, then the largest remainders get one more. Returns the largest
// difference.
static double share_out(const sni_influence *influences, uint32_t count, uint32_t total, uint32_t *shares)
{
    uint32_t left = total;
    double largest = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        shares[i] = (uint32_t)((double)influences[i].weight * total + 1e-5);
        if (shares[i] > left) shares[i] = left;
        left -= shares[i];
    }
    for (; left > 0 && count > 0; left--) {
        uint32_t best = 0;
        double most = -2.0;
        for (uint32_t i = 0; i < count; i++) {
            const double rest = (double)influences[i].weight * total - shares[i];
            if (rest > most + 1e-9) most = rest, best = i;
        }
        shares[best]++;
    }
    for (uint32_t i = 0; i < count; i++)
        largest = sni_max(largest, fabs((double)shares[i] / total - influences[i].weight));
    return largest;
}

static bool group_vertex(grouping *g, const sn_mesh *mesh, uint32_t vertex, uint16_t *joints, float *weights)
{
    sni_influence influences[SHARES];
    uint32_t count = sni_pick_influences(mesh, vertex, influences, SHARES), best[SHARES] = { 0 }, total = 1, used = 0;
    double error = 2.0;
    for (uint32_t n = 1; n <= SHARES && error > 1e-4; n++) {
        uint32_t shares[SHARES];
        const double now = share_out(influences, count, n, shares);
        if (now >= error - 1e-6) continue;
        error = now;
        total = n;
        memcpy(best, shares, sizeof best);
    }
    g->error = fmax(g->error, error);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < best[i]; k++, used++) {
            weights[used] = 1.0f / (float)total;
            if (!find_copy(g, influences[i].joint, (uint8_t)k, &joints[used])) return false;
        }
    return true;
}

// Each mesh gets as many slots as its largest group has.
static bool group_mesh(grouping *g, sn_mesh *mesh)
{
    const uint64_t most = (uint64_t)mesh->vertex_count * SHARES;
    uint16_t *joints = sni_new(g->arena, uint16_t, most);
    float *weights = sni_new(g->arena, float, most);
    uint32_t largest = 1;
    if (!joints || !weights) return false;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        const size_t at = (size_t)i * SHARES;
        if (!group_vertex(g, mesh, i, joints + at, weights + at)) return false;
        while (largest < SHARES && weights[at + largest] > 0.0f) largest++;
    }
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        memmove(joints + (size_t)i * largest, joints + (size_t)i * SHARES, largest * sizeof *joints);
        memmove(weights + (size_t)i * largest, weights + (size_t)i * SHARES, largest * sizeof *weights);
    }
    mesh->vertex_joints = joints;
    mesh->vertex_weights = weights;
    mesh->influence_count = largest;
    return true;
}

static bool add_copies(grouping *g, sn_model *fitted)
{
    const sn_skin *skin = &g->model->skins[0];
    const copy *copies = g->copies.items;
    const uint64_t joint_count = (uint64_t)skin->joint_count + g->copies.count;
    const uint64_t node_count = (uint64_t)g->model->node_count + g->copies.count;
    sn_skin *skins = sni_new_raw(g->arena, sn_skin, 1);
    int32_t *joints = sni_new_raw(g->arena, int32_t, joint_count);
    sn_mat34 *binds = sni_new_raw(g->arena, sn_mat34, joint_count);
    sn_node *nodes = sni_new_raw(g->arena, sn_node, node_count);
    if (!skins || !joints || !binds || !nodes) return false;
    memcpy(joints, skin->joints, skin->joint_count * sizeof *joints);
    memcpy(binds, skin->inverse_bind, skin->joint_count * sizeof *binds);
    memcpy(nodes, g->model->nodes, g->model->node_count * sizeof *nodes);
    for (uint32_t i = 0; i < g->copies.count; i++) {
        const int32_t parent = skin->joints[copies[i].joint];
        char name[96];
        int size = snprintf(name, sizeof name, "%.80s.%d", nodes[parent].name, copies[i].number + 1);
        joints[skin->joint_count + i] = (int32_t)(g->model->node_count + i);
        binds[skin->joint_count + i] = binds[copies[i].joint];
        sn_node *node = &nodes[g->model->node_count + i];
        *node = (sn_node){ .parent = parent, .id = -1, .rest = sni_trs_identity, .flags = SN_NODE_JOINT };
        if (!(node->name = sni_copy_text(g->arena, name, (size_t)size))) return false;
    }
    *skins = (sn_skin){ skin->name, joints, binds, (uint32_t)joint_count };
    fitted->skins = skins;
    fitted->nodes = nodes;
    fitted->node_count = (uint32_t)node_count;
    return true;
}

static bool report(grouping *g, const sn_model *before, const sn_model *after)
{
    double distance, size;
    char off[96];
    if (g->error <= 1e-4) return true;
    if (!sni_find_posed_error(g->save, before, after, &distance, &size)) return false;
    sni_enter(&g->save->diag, "weights", -1);
    sni_warn(&g->save->diag, SNI_WARN_LOST_CONTENT, 0, "rounded to equal shares of up to %d bones, by up to %.3f%s",
             SHARES, g->error, sni_print_posed_error(off, distance, size));
    sni_leave(&g->save->diag);
    return true;
}

bool sni_fit_weight_groups(sni_save *save, const sn_model *model, sn_model *fitted)
{
    const sn_model before = *model;
    grouping g = { .save = save, .arena = &save->scratch, .model = &before };
    sn_mesh *meshes = sni_new_raw(g.arena, sn_mesh, before.mesh_count);
    *fitted = before;
    if (!meshes) return false;
    if (before.mesh_count > 0) memcpy(meshes, before.meshes, before.mesh_count * sizeof *meshes);
    for (uint32_t i = 0; before.skin_count > 0 && i < before.mesh_count; i++)
        if (meshes[i].influence_count > 0 && !group_mesh(&g, &meshes[i])) return false;
    fitted->meshes = meshes;
    if (g.copies.count > 0 && !add_copies(&g, fitted)) return false;
    return report(&g, &before, fitted) && sni_save_ok(save);
}
