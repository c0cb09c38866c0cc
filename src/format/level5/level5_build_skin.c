// Skins: vertex weights from the WGT and inverse bind matrices that reproduce each game's skinning. Every mesh has its
// own skin, because the inverse binds depend on the mesh's node. The formulas are in docs/formats/level5.md.
#include <math.h>

#include "base/math.h"
#include "format/level5/level5_build.h"

// Bounds for hostile files; no real model comes near them.
enum { MOST_DEPTH = 1024, MOST_INFLUENCES = 32, MOST_JOINTS = 65535 };

typedef struct influence {
    int32_t joint;
    double weight;
} influence;

typedef struct skin_builder {
    level5_builder *b;
    level5_weight_index *index;
    const level5_mesh *mesh;
    uint32_t node;
    sni_list joints;      // uint32_t: bones in order of first use
    int32_t rigid_joint;  // for vertices without weights: the mesh's own node with identity bind; -1: none yet
    uint32_t *starts;     // by position, and one more: into influences
    influence *influences;
    uint64_t bad_vertices, bad_weights, dropped;
    bool is_averaged;
} skin_builder;

// Chains the weight tracks of each mesh, in file order.
bool level5_index_weights(level5_builder *b, level5_weight_index *index)
{
    sni_arena *scratch = &b->load->scratch;
    uint32_t count = b->weights ? b->weights->track_count : 0;
    int32_t *last = sni_new_raw(scratch, int32_t, b->bone_count);
    index->first = sni_new_raw(scratch, int32_t, b->bone_count);
    index->next = sni_new_raw(scratch, int32_t, count);
    index->joint_of = sni_new_raw(scratch, int32_t, b->bone_count);
    index->copy_of = sni_new_raw(scratch, int32_t, b->bone_count);
    if (!last || !index->first || !index->next || !index->joint_of || !index->copy_of) return false;
    for (uint32_t i = 0; i < b->bone_count; i++)
        index->first[i] = last[i] = index->joint_of[i] = index->copy_of[i] = -1;
    for (uint32_t i = 0; i < count; i++) {
        const level5_track *track = &b->weights->tracks[i];
        bool exists = track->node >= 0 && (uint32_t)track->node < b->bone_count;
        index->next[i] = -1;
        if (track->type != LEVEL5_WEIGHTS && track->type != LEVEL5_WEIGHTS_AVERAGED) continue;
        if (!exists || b->mds->nodes[track->node].mesh < 0) {
            sni_warn(&b->load->diag, SNI_WARN_TRACK_TARGET, track->offset,
                     "weights for node %d of %u, which has no mesh", track->node, b->bone_count);
            continue;
        }
        int32_t *slot = last[track->node] < 0 ? &index->first[track->node] : &index->next[last[track->node]];
        *slot = last[track->node] = (int32_t)i;
    }
    return sni_load_ok(b->load);
}

// --- Joints; -1 after a failure ---

static int32_t add_joint(skin_builder *s, uint32_t bone)
{
    uint32_t *slot = sni_push(&s->b->load->scratch, &s->joints, uint32_t);
    if (!slot) return -1;
    *slot = bone;
    return (int32_t)s->joints.count - 1;
}

static int32_t joint_of_bone(skin_builder *s, uint32_t bone)
{
    int32_t *known = &s->index->joint_of[bone];
    if (*known < 0 && s->joints.count >= MOST_JOINTS)
        sni_fail(&s->b->load->diag, SN_ERR_LIMIT, 0, "more than %d bones in a mesh", (int)MOST_JOINTS);
    else if (*known < 0) *known = add_joint(s, bone);
    return *known;
}

static int32_t joint_of_mesh(skin_builder *s)
{
    if (s->rigid_joint < 0) s->rigid_joint = add_joint(s, s->node);
    return s->rigid_joint;
}

// --- Weights ---

// False for weights that are 0 or not usable.
static bool read_weight(skin_builder *s, const level5_track *track, uint32_t index, uint32_t *vertex, double *weight)
{
    level5_key key = level5_read_key(track, index);
    *vertex = key.frame;
    *weight = key.value[0] / 100.0;
    if (!isfinite(key.value[0])) s->bad_weights++;
    else if (*vertex >= s->mesh->positions.count) s->bad_vertices++;
    else return *weight != 0.0;
    return false;
}

static bool is_bone(const skin_builder *s, const level5_track *track)
{
    return track->target >= 0 && (uint32_t)track->target < s->b->bone_count;
}

// Sorts the weights of all tracks by vertex (counting sort). `total` is 0 if there are none.
static bool read_weights(skin_builder *s, uint64_t *total)
{
    const level5_builder *b = s->b;
    uint32_t vertex, positions = s->mesh->positions.count;
    double weight;
    s->starts = sni_new(&b->load->scratch, uint32_t, (uint64_t)positions + 2);
    if (!s->starts) return false;
    for (int32_t t = s->index->first[s->node]; t >= 0; t = s->index->next[t]) {
        const level5_track *track = &b->weights->tracks[t];
        if (track->type == LEVEL5_WEIGHTS_AVERAGED) s->is_averaged = true;
        if (!is_bone(s, track))
            sni_warn(&b->load->diag, SNI_WARN_TRACK_TARGET, track->offset, "weights for bone %d; there are %u nodes",
                     track->target, b->bone_count);
        for (uint32_t i = 0; is_bone(s, track) && i < track->keys.count; i++)
            if (read_weight(s, track, i, &vertex, &weight)) s->starts[vertex + 2]++, (*total)++;
    }
    for (uint32_t i = 1; i <= positions + 1; i++) s->starts[i] += s->starts[i - 1];
    s->influences = sni_new_raw(&b->load->scratch, influence, *total);
    if (!s->influences) return false;
    if (*total == 0) return true;

    s->bad_vertices = s->bad_weights = 0;  // counted again
    uint32_t *ends = s->starts + 1;        // each start moves to its end
    for (int32_t t = s->index->first[s->node]; t >= 0; t = s->index->next[t]) {
        const level5_track *track = &b->weights->tracks[t];
        for (uint32_t i = 0; is_bone(s, track) && i < track->keys.count; i++) {
            if (!read_weight(s, track, i, &vertex, &weight)) continue;
            int32_t joint = joint_of_bone(s, (uint32_t)track->target);
            if (joint < 0) return false;
            s->influences[ends[vertex]++] = (influence){ joint, weight };
        }
    }
    return true;
}

// Weights of the same vertex and bone are added. If there are too many bones, the heaviest stay. `slots` and `stamps`
// are scratch, by joint: where the joint is among the influences of vertex `stamp - 1`.
static uint32_t merge_weights(skin_builder *s, uint32_t vertex, uint32_t *slots, uint32_t *stamps,
                              influence list[MOST_INFLUENCES + 1])
{
    uint32_t first = s->starts[vertex], end = s->starts[vertex + 1], merged = first, count = 0;
    for (uint32_t i = first; i < end; i++) {
        influence one = s->influences[i];
        if (stamps[one.joint] == vertex + 1) {
            s->influences[slots[one.joint]].weight += one.weight;
            continue;
        }
        stamps[one.joint] = vertex + 1;
        slots[one.joint] = merged;
        s->influences[merged++] = one;
    }
    for (uint32_t i = first; i < merged; i++) {
        uint32_t lightest = 0;
        if (count < MOST_INFLUENCES) {
            list[count++] = s->influences[i];
            continue;
        }
        s->dropped++;
        for (uint32_t k = 1; k < count; k++)
            if (list[k].weight < list[lightest].weight) lightest = k;
        if (s->influences[i].weight > list[lightest].weight) list[lightest] = s->influences[i];
    }
    return count;
}

// A vertex without weights follows its mesh. If the sum is below 1, DC1 gives the rest to the mesh's parent and DC2
// scales the weights up. Sums above 1 are normalised in sni_sanitize_mesh.
static bool complete_weights(skin_builder *s, influence *list, uint32_t *count)
{
    const double tolerance = 5e-4;
    const level5_builder *b = s->b;
    int32_t parent = b->bones[s->node].parent;
    double sum = 0.0;
    for (uint32_t i = 0; i < *count; i++) sum += list[i].weight;
    if (*count == 0 || sum == 0.0) {
        list[0] = (influence){ joint_of_mesh(s), 1.0 };
        *count = 1;
        return list[0].joint >= 0;
    }
    bool is_short = sum > 0.0 && sum < 1.0;
    if (is_short && 1.0 - sum > tolerance && b->game == LEVEL5_DC1 && !s->is_averaged) {
        int32_t joint = parent < 0 ? joint_of_mesh(s) : joint_of_bone(s, (uint32_t)parent);
        if (joint < 0) return false;
        uint32_t i = 0;
        while (i < *count && list[i].joint != joint) i++;
        if (i == *count) list[(*count)++] = (influence){ joint, 0.0 };
        list[i].weight += 1.0 - sum;
        return true;
    }
    for (uint32_t i = 0; is_short && i < *count; i++) list[i].weight /= sum;
    return true;
}

static bool fill_weights(skin_builder *s, level5_mesh_weights *out)
{
    sni_arena *scratch = &s->b->load->scratch;
    uint32_t positions = s->mesh->positions.count, width = 1;
    uint32_t *slots = sni_new_raw(scratch, uint32_t, s->joints.count),
             *stamps = sni_new(scratch, uint32_t, s->joints.count);
    if (!slots || !stamps) return false;
    for (uint32_t v = 0; v < positions; v++) {
        uint32_t most = s->starts[v + 1] - s->starts[v] + 1;
        if (most > width) width = most < MOST_INFLUENCES + 1 ? most : MOST_INFLUENCES + 1;
    }
    out->stride = width;
    uint64_t count = (uint64_t)positions * width;
    out->joints = sni_new(scratch, uint16_t, count);
    out->weights = sni_new(scratch, float, count);
    if (!out->joints || !out->weights) return false;
    for (uint32_t v = 0; v < positions; v++) {
        influence list[MOST_INFLUENCES + 1];
        uint32_t used = merge_weights(s, v, slots, stamps, list);
        if (!complete_weights(s, list, &used)) return false;
        if (used > out->influence_count) out->influence_count = used;
        for (uint32_t i = 0; i < used; i++) {
            out->joints[(size_t)v * width + i] = (uint16_t)list[i].joint;
            out->weights[(size_t)v * width + i] = (float)list[i].weight;
        }
    }
    return true;
}

// --- Inverse binds ---

// The identity if the matrix cannot be inverted.
static bool invert(const sn_mat34 *matrix, sn_mat34 *out)
{
    *out = sni_mat34_identity;
    return sni_mat34_invert(matrix, out);
}

// As the engine does it: as if there were no scale.
static sn_mat34 invert_rigid(const sn_mat34 *a)
{
    sn_mat34 out;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) out.m[r][c] = a->m[c][r];
        out.m[r][3] = -(a->m[0][r] * a->m[0][3] + a->m[1][r] * a->m[1][3] + a->m[2][r] * a->m[2][3]);
    }
    return out;
}

// DC1: bind matrices are relative to the parent, and the chain from the mesh's parent down to the bone counts. Bones
// elsewhere use the rest pose.
static bool inverse_bind_dc1(const level5_builder *b, uint32_t node, uint32_t bone, sn_mat34 *out)
{
    const level5_bone *mesh = &b->bones[node];
    sn_mat34 chain = sni_mat34_identity, one;
    int32_t at = (int32_t)bone;
    bool is_good = true;
    for (int depth = 0; at >= 0 && at != mesh->parent && depth < MOST_DEPTH; depth++, at = b->bones[at].parent) {
        if (b->bones[at].has_bind) one = invert_rigid(&b->bones[at].bind);
        else is_good = invert(&b->bones[at].local, &one) && is_good;
        chain = sni_mat34_mul(&chain, &one);
    }
    if (at == mesh->parent) {
        *out = sni_mat34_mul(&chain, &mesh->local);
        return is_good;
    }
    is_good = invert(&b->bones[bone].world, &one);
    *out = sni_mat34_mul(&one, &mesh->world);
    return is_good;
}

static const sn_mat34 *world_bind(const level5_bone *bone) { return bone->has_bind ? &bone->bind : &bone->world; }

// DC2: bind matrices are in model space.
static bool inverse_bind_dc2(const level5_builder *b, uint32_t node, uint32_t bone, sn_mat34 *out)
{
    sn_mat34 inverse;
    bool is_good = invert(world_bind(&b->bones[bone]), &inverse);
    *out = sni_mat34_mul(&inverse, world_bind(&b->bones[node]));
    return is_good;
}

// DC1 skins a mesh in the space of its parent, then moves it as its node has moved since the rest pose. If the node
// moves at all, the joints become copies of the bones below it.
static bool use_bone_copies(skin_builder *s, int32_t *joints)
{
    level5_builder *b = s->b;
    const uint32_t *bones = s->joints.items;
    level5_copied_bones copies = { .mesh = s->node, .root = -1, .copy_of = s->index->copy_of };
    uint64_t lost = 0;
    if (b->game != LEVEL5_DC1 || !b->bones[s->node].leaves_rest) return true;
    for (uint32_t i = 0; i < s->joints.count; i++) {
        int32_t copy = joints[i];
        if ((int32_t)i != s->rigid_joint && !level5_copy_bone(b, &copies, bones[i], &copy)) return false;
        if (copy < 0) lost++;
        else joints[i] = copy;
    }
    for (uint32_t i = 0; i < s->joints.count; i++)
        for (int32_t at = (int32_t)bones[i]; at >= 0 && copies.copy_of[at] >= 0; at = b->bones[at].parent)
            copies.copy_of[at] = -1;
    sni_warn_many(&b->load->diag, SNI_WARN_LEVEL5_SKIN_MOVES, lost, s->mesh->offset,
                  "bones do not follow the animated node of the mesh that they move");
    return true;
}

static bool add_skin(skin_builder *s, level5_mesh_weights *out)
{
    level5_builder *b = s->b;
    uint32_t count = s->joints.count;
    sn_skin *skin = sni_builder_add_skin(&b->core);
    int32_t *joints = sni_new(&b->load->keep, int32_t, count);
    sn_mat34 *binds = sni_new(&b->load->keep, sn_mat34, count);
    if (!skin || !joints || !binds) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bone = level5_items(uint32_t, s->joints)[i];
        joints[i] = (int32_t)bone;
        binds[i] = sni_mat34_identity;
        if ((int32_t)i == s->rigid_joint) continue;
        bool is_good = b->game == LEVEL5_DC1 ? inverse_bind_dc1(b, s->node, bone, &binds[i])
                                             : inverse_bind_dc2(b, s->node, bone, &binds[i]);
        if (!is_good)
            sni_warn(&b->load->diag, SNI_WARN_MATRIX_SINGULAR, b->bones[bone].source->offset,
                     "the bind matrix of node %u cannot be inverted", bone);
    }
    if (!use_bone_copies(s, joints)) return false;
    *skin = (sn_skin){ level5_text(b, b->bones[s->node].source->name), joints, binds, count };
    out->skin = (int32_t)b->core.skins.count - 1;
    out->joint_count = count;
    return true;
}

// --- Meshes ---

// A configuration may list the meshes to be skinned; the games draw others rigid even if they have weights. With DC2's
// SHAPE_ANIME none is skinned.
static bool is_skinned(level5_builder *b, const level5_weight_index *index, uint32_t node)
{
    const level5_node *source = b->bones[node].source;
    const char *reason = NULL;
    if (index->first[node] < 0) return false;
    if (b->mds->weights) return true;
    if (b->has_shape_anime && b->game == LEVEL5_DC2) reason = "has SHAPE_ANIME";
    else if (b->skinned.map.count > 0 && sni_nocase_names_find(&b->skinned, level5_text_before(source->name, "__")) < 0)
        reason = "does not list this mesh";
    if (reason)
        sni_warn(&b->load->diag, SNI_WARN_LEVEL5_RIGID, source->offset, "weights ignored: the configuration %s",
                 reason);
    return !reason;
}

bool level5_build_skin(level5_builder *b, level5_weight_index *index, uint32_t node, level5_mesh_weights *out)
{
    sni_diag *diag = &b->load->diag;
    skin_builder s = {
        .b = b, .index = index, .mesh = &b->mds->meshes[b->mds->nodes[node].mesh], .node = node, .rigid_joint = -1
    };
    uint64_t total = 0, offset = s.mesh->offset;
    *out = (level5_mesh_weights){ .skin = -1 };
    if (!is_skinned(b, index, node)) return sni_load_ok(b->load);
    bool is_done = read_weights(&s, &total);
    if (is_done && total > 0) is_done = fill_weights(&s, out) && add_skin(&s, out);
    for (uint32_t i = 0; i < s.joints.count; i++) index->joint_of[level5_items(uint32_t, s.joints)[i]] = -1;

    sni_warn_many(diag, SNI_WARN_INDEX_RANGE, s.bad_vertices, offset, "weights for vertices past the last of %u",
                  s.mesh->positions.count);
    sni_warn_many(diag, SNI_WARN_NOT_FINITE, s.bad_weights, offset, "weights that are not finite; left out");
    sni_warn_many(diag, SNI_WARN_LOST_CONTENT, s.dropped, offset, "vertices with more than %d bones; the heaviest stay",
                  (int)MOST_INFLUENCES);
    if (s.is_averaged) sni_warn(diag, SNI_WARN_LEVEL5_AVERAGED, offset, "weights of type 21, scaled to sum to 1");
    return is_done && sni_load_ok(b->load);
}
