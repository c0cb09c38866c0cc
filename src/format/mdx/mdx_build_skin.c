// Which nodes move a vertex, and how much: through groups of nodes (Warcraft III and the alpha of World of Warcraft),
// or four indices and weights of its own (Reforged).
#include <string.h>

#include "format/mdx/mdx_build.h"

enum { GROUPS = 256, MOST_INFLUENCES = 32, SKIN_BYTES = 8 };  // real groups have up to 8 nodes

// A vertex without a matrix stays where it is: its group does not exist, or is empty.
typedef struct group {
    uint32_t first, size, users;
} group;

typedef struct binding {
    group groups[GROUPS];     // users are vertices
    uint32_t loose, largest;  // vertices without a matrix; the largest group that is used
    uint64_t cut;             // groups with more nodes than we take, or than there are
} binding;

static bool has_skin(const mdx_geoset *geoset) { return geoset->skin.count >= SKIN_BYTES; }

static uint32_t group_of(const mdx_geoset *geoset, uint32_t vertex)
{
    return vertex < geoset->groups.count ? geoset->groups.data[vertex] : 0;
}

// How many vertices are in each group; those that the file leaves out are in the first. Four tallies, because a count
// that is raised twice in a row has to wait for itself.
static void count_users(const mdx_geoset *geoset, group *groups)
{
    uint32_t tallies[4][GROUPS] = { 0 }, total = geoset->positions.count, i = 0;
    uint32_t count = geoset->groups.count < total ? geoset->groups.count : total;
    for (; i + 4 <= count; i += 4)
        for (uint32_t k = 0; k < 4; k++) tallies[k][geoset->groups.data[i + k]]++;
    for (; i < count; i++) tallies[0][geoset->groups.data[i]]++;
    tallies[0][0] += total - count;
    for (uint32_t g = 0; g < GROUPS; g++)
        groups[g].users = tallies[0][g] + tallies[1][g] + tallies[2][g] + tallies[3][g];
}

// Where the nodes of each group start is the sum of the sizes before it.
static void bind_groups(const mdx_geoset *geoset, binding *out)
{
    uint32_t first = 0, total = geoset->matrices.count;
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < geoset->group_sizes.count && i < GROUPS; i++) {
        uint32_t size = sni_load_u32(geoset->group_sizes.data + 4 * (size_t)i), rest = total - first;
        if (size > rest || size > MOST_INFLUENCES) out->cut++;
        size = size < rest ? size : rest;
        out->groups[i].first = first;
        out->groups[i].size = size < MOST_INFLUENCES ? size : MOST_INFLUENCES;
        first += size;
    }
    count_users(geoset, out->groups);
    for (const group *g = out->groups; g < out->groups + GROUPS; g++) {
        if (g->size == 0) out->loose += g->users;
        if (g->users > 0 && g->size > out->largest) out->largest = g->size;
    }
}

static uint32_t skin_count(const mdx_geoset *geoset)
{
    uint32_t count = geoset->skin.count / SKIN_BYTES;
    return count < geoset->positions.count ? count : geoset->positions.count;
}

// A number that no node has becomes the nearest above that one has, or the last.
static int32_t nearest_node(const mdx_builder *b, int64_t id, uint64_t *missing)
{
    uint32_t low = 0, high = b->id_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (b->sources[middle].id < id) low = middle + 1;
        else high = middle;
    }
    *missing += low == b->id_count || b->sources[low].id != id;
    return b->sources[low < b->id_count ? low : b->id_count - 1].node;
}

static void mark_groups(const mdx_builder *b, const mdx_geoset *geoset, int32_t *joint_of)
{
    binding bound;
    uint64_t missing = 0;
    bind_groups(geoset, &bound);
    for (const group *g = bound.groups; g < bound.groups + GROUPS; g++)
        for (uint32_t i = 0; g->users > 0 && i < g->size; i++)
            joint_of[nearest_node(b, sni_load_u32(geoset->matrices.data + 4 * (size_t)(g->first + i)), &missing)] = 0;
    if (bound.loose > 0 && bound.largest > 0) joint_of[b->carrier] = 0;
}

void mdx_mark_joints(const mdx_builder *b, const mdx_geoset *geoset, int32_t *joint_of)
{
    bool used[256] = { false };
    uint64_t missing = 0;
    if (b->id_count == 0) return;
    if (!has_skin(geoset)) {
        mark_groups(b, geoset, joint_of);
        return;
    }
    for (uint32_t i = 0; i < skin_count(geoset); i++) {
        const uint8_t *at = geoset->skin.data + SKIN_BYTES * (size_t)i;
        for (int k = 0; k < 4; k++) used[at[k]] = used[at[k]] || k == 0 || at[k + 4] > 0;
    }
    for (uint32_t id = 0; id < 256; id++)
        if (used[id]) joint_of[nearest_node(b, id, &missing)] = 0;
    if (skin_count(geoset) < geoset->positions.count) joint_of[b->carrier] = 0;
}

typedef struct influences {
    uint16_t *joints;
    float *weights;
    uint32_t count;
} influences;

static bool make_room(mdx_builder *b, sn_mesh *mesh, uint32_t count, influences *out)
{
    uint64_t total = (uint64_t)mesh->vertex_count * count;
    *out = (influences){ sni_new(&b->load->keep, uint16_t, total), sni_new(&b->load->keep, float, total), count };
    mesh->vertex_joints = out->joints;
    mesh->vertex_weights = out->weights;
    mesh->influence_count = count;
    return out->joints && out->weights;
}

// A node that stands in its group twice weighs twice.
static void add_weight(uint16_t *joints, float *weights, uint32_t *used, uint16_t joint, float weight)
{
    for (uint32_t i = 0; i < *used; i++) {
        if (joints[i] != joint) continue;
        weights[i] += weight;
        return;
    }
    joints[*used] = joint;
    weights[(*used)++] = weight;
}

static void tell_missing(mdx_builder *b, const mdx_geoset *geoset, uint64_t missing)
{
    sni_warn_many(&b->load->diag, SNI_WARN_MDX_BONE, missing, geoset->item.offset,
                  "bones that are no nodes; the nearest number is taken");
}

typedef struct group_rows {
    uint16_t joints[GROUPS][MOST_INFLUENCES];
    float weights[GROUPS][MOST_INFLUENCES];
} group_rows;

// Meant for a constant count: rows of known length are copied without a call.
static inline void copy_rows(const mdx_geoset *geoset, const group_rows *rows, influences out, uint32_t vertex_count,
                             uint32_t count)
{
    for (uint32_t i = 0; i < vertex_count; i++) {
        uint32_t g = group_of(geoset, i);
        memcpy(out.joints + (size_t)i * count, rows->joints[g], count * sizeof(uint16_t));
        memcpy(out.weights + (size_t)i * count, rows->weights[g], count * sizeof(float));
    }
}

static void copy_influences(const mdx_geoset *geoset, const group_rows *rows, influences out, uint32_t vertex_count)
{
    switch (out.count) {
    case 1: copy_rows(geoset, rows, out, vertex_count, 1); break;
    case 2: copy_rows(geoset, rows, out, vertex_count, 2); break;
    case 3: copy_rows(geoset, rows, out, vertex_count, 3); break;
    case 4: copy_rows(geoset, rows, out, vertex_count, 4); break;
    default: copy_rows(geoset, rows, out, vertex_count, out.count);
    }
}

// One row for each group; vertices copy theirs.
static bool weigh_groups(mdx_builder *b, const mdx_geoset *geoset, const binding *bound, const int32_t *joint_of,
                         uint32_t no_joint, sn_mesh *mesh)
{
    group_rows rows = { 0 };
    uint64_t missing = 0;
    influences out;
    for (uint32_t g = 0; g < GROUPS; g++) {
        uint32_t size = bound->groups[g].users ? bound->groups[g].size : 0, used = 0;
        if (size == 0) rows.joints[g][0] = (uint16_t)no_joint, rows.weights[g][0] = 1.0f;
        for (uint32_t i = 0; i < size; i++) {
            uint32_t id = sni_load_u32(geoset->matrices.data + 4 * (size_t)(bound->groups[g].first + i));
            int32_t joint = joint_of[nearest_node(b, id, &missing)];
            add_weight(rows.joints[g], rows.weights[g], &used, (uint16_t)joint, 1.0f / (float)size);
        }
    }
    tell_missing(b, geoset, missing);
    if (!make_room(b, mesh, bound->largest, &out)) return false;
    copy_influences(geoset, &rows, out, mesh->vertex_count);
    return true;
}

static bool build_groups(mdx_builder *b, const mdx_geoset *geoset, const int32_t *joint_of, uint32_t no_joint,
                         sn_mesh *mesh)
{
    binding bound;
    bind_groups(geoset, &bound);
    sni_diag *diag = &b->load->diag;
    if (geoset->groups.count != mesh->vertex_count)
        sni_warn(diag, SNI_WARN_MDX_VERTEX_COUNT, geoset->item.offset, "%u groups for %u vertices",
                 geoset->groups.count, mesh->vertex_count);
    sni_warn_many(diag, SNI_WARN_MDX_BONE, bound.cut, geoset->item.offset,
                  "groups of more nodes than there are or than %d", MOST_INFLUENCES);
    sni_warn_many(diag, SNI_WARN_MDX_LOOSE, bound.loose, geoset->item.offset,
                  "%u vertices of no group, or of an empty one", bound.loose);
    return bound.largest == 0 || weigh_groups(b, geoset, &bound, joint_of, no_joint, mesh);
}

static uint32_t most_weights(const mdx_geoset *geoset)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < skin_count(geoset); i++) {
        const uint8_t *weights = geoset->skin.data + SKIN_BYTES * (size_t)i + 4;
        uint32_t count = (uint32_t)((weights[0] > 0) + (weights[1] > 0) + (weights[2] > 0) + (weights[3] > 0));
        most = count > most ? count : most;
    }
    return most;
}

static void weigh_vertex(const uint8_t *at, const uint16_t joints[256], uint16_t *out_joints, float *out_weights)
{
    uint32_t used = 0;
    for (int k = 0; k < 4; k++)
        if (at[k + 4] > 0) add_weight(out_joints, out_weights, &used, joints[at[k]], (float)at[k + 4] / 255.0f);
    if (used == 0) add_weight(out_joints, out_weights, &used, joints[at[0]], 1.0f);
}

static bool build_skin(mdx_builder *b, const mdx_geoset *geoset, const int32_t *joint_of, uint32_t no_joint,
                       sn_mesh *mesh)
{
    uint16_t joints[256];
    uint32_t count = skin_count(geoset);
    uint64_t unknown[256] = { 0 }, missing = 0;
    influences out;
    if (geoset->skin.count / SKIN_BYTES != mesh->vertex_count || geoset->skin.count % SKIN_BYTES)
        sni_warn(&b->load->diag, SNI_WARN_MDX_VERTEX_COUNT, geoset->item.offset, "%u bytes of weights for %u vertices",
                 geoset->skin.count, mesh->vertex_count);
    for (uint32_t id = 0; id < 256; id++) {
        int32_t joint = joint_of[nearest_node(b, id, &unknown[id])];
        joints[id] = (uint16_t)(joint < 0 ? 0 : joint);
    }
    if (!make_room(b, mesh, most_weights(geoset), &out)) return false;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        uint16_t *vertex_joints = out.joints + (size_t)i * out.count;
        float *weights = out.weights + (size_t)i * out.count;
        const uint8_t *at = geoset->skin.data + SKIN_BYTES * (size_t)i;
        vertex_joints[0] = (uint16_t)no_joint;
        weights[0] = 1.0f;
        if (i >= count) continue;
        weights[0] = 0.0f;
        weigh_vertex(at, joints, vertex_joints, weights);
        for (int k = 0; k < 4; k++) missing += at[k + 4] > 0 && unknown[at[k]];
    }
    tell_missing(b, geoset, missing);
    return true;
}

bool mdx_build_influences(mdx_builder *b, const mdx_geoset *geoset, const int32_t *joint_of, uint32_t no_joint,
                          sn_mesh *mesh)
{
    if (mesh->vertex_count == 0 || b->model->skin_count == 0) return true;
    if (has_skin(geoset)) return build_skin(b, geoset, joint_of, no_joint, mesh);
    return build_groups(b, geoset, joint_of, no_joint, mesh);
}
