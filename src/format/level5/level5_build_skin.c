// Skins: the weights of a WGT, and the inverse binds that make them mean what the games do with them. One skin for each
// mesh, for the binds depend on it.
#include <math.h>

#include "base/math.h"
#include "format/level5/level5_build.h"

// No skeleton is as deep; no vertex has as many bones. Both bound what a hostile file can ask for.
enum { DEEPEST_CHAIN = 1024, MOST_INFLUENCES = 32, MOST_JOINTS = 65535 };

static const double FULL = 1.0, NEARLY_FULL = 5e-4;

typedef struct influence {
    uint32_t joint;
    double weight;
} influence;

typedef struct bender {
    level5_builder *b;
    const level5_mesh *mesh;
    uint32_t node;
    sni_list joints;   // uint32_t: bones, in the order in which they are met
    uint32_t *starts;  // by position, one more at the end: where its influences begin
    influence *influences;
    uint32_t *slots, *stamps;  // by joint: where it is in the list of the position `stamp - 1`
    uint32_t slot_count;
    uint64_t bad_vertices, bad_weights, cut;
    int32_t rigid;  // the joint of vertices without weights: the mesh's node, whatever binds say; -1: none yet
    bool is_averaged;
} bender;

// Tracks of one mesh are chained in the order of the file.
bool level5_index_weights(level5_builder *b)
{
    uint32_t count = b->weights ? b->weights->track_count : 0;
    int32_t *last = sni_new_raw(&b->load->scratch, int32_t, b->bone_count);
    b->first_weights = sni_new_raw(&b->load->scratch, int32_t, b->bone_count);
    b->next_weights = sni_new_raw(&b->load->scratch, int32_t, count);
    b->joint_of = sni_new_raw(&b->load->scratch, int32_t, b->bone_count);
    b->double_of = sni_new_raw(&b->load->scratch, int32_t, b->bone_count);
    if (!last || !b->first_weights || !b->next_weights || !b->joint_of || !b->double_of) return false;
    for (uint32_t i = 0; i < b->bone_count; i++) b->first_weights[i] = last[i] = b->joint_of[i] = b->double_of[i] = -1;
    for (uint32_t i = 0; i < count; i++) {
        const level5_track *track = &b->weights->tracks[i];
        bool is_known = track->node >= 0 && (uint32_t)track->node < b->bone_count;
        b->next_weights[i] = -1;
        if (track->type != LEVEL5_WEIGHTS && track->type != LEVEL5_WEIGHTS_AVERAGED) continue;
        if (!is_known || b->mds->nodes[track->node].mesh < 0) {
            sni_warn(&b->load->diag, SNI_WARN_TRACK_TARGET, track->offset,
                     "weights for the mesh of node %d of %u, which has none", track->node, b->bone_count);
            continue;
        }
        int32_t *slot = last[track->node] < 0 ? &b->first_weights[track->node] : &b->next_weights[last[track->node]];
        *slot = last[track->node] = (int32_t)i;
    }
    return sni_load_ok(b->load);
}

static bool joint_of(bender *bend, uint32_t bone, uint32_t *joint)
{
    level5_builder *b = bend->b;
    if (b->joint_of[bone] < 0) {
        uint32_t *slot = bend->joints.count < MOST_JOINTS ? sni_push(&b->load->scratch, &bend->joints, uint32_t) : NULL;
        if (!slot)
            return sni_load_ok(b->load) &&
                   sni_fail(&b->load->diag, SN_ERR_LIMIT, 0, "a mesh with more than %d bones", (int)MOST_JOINTS);
        *slot = bone;
        b->joint_of[bone] = (int32_t)bend->joints.count - 1;
    }
    *joint = (uint32_t)b->joint_of[bone];
    return true;
}

static bool rigid_joint(bender *bend, uint32_t *joint)
{
    if (bend->rigid < 0) {
        uint32_t *slot = sni_push(&bend->b->load->scratch, &bend->joints, uint32_t);
        if (!slot) return false;
        *slot = bend->node;
        bend->rigid = (int32_t)bend->joints.count - 1;
    }
    *joint = (uint32_t)bend->rigid;
    return true;
}

// Only what can be used: its vertex is there, its weight says something.
static bool read_weight(bender *bend, const level5_track *track, uint32_t index, uint32_t *vertex, double *weight)
{
    level5_key key = level5_read_key(track, index);
    *vertex = key.frame;
    *weight = key.value[0] / 100.0;
    if (!isfinite(key.value[0])) bend->bad_weights++;
    else if (*vertex >= bend->mesh->positions.count) bend->bad_vertices++;
    else return *weight != 0.0;
    return false;
}

static bool is_bone(const bender *bend, const level5_track *track)
{
    return track->target >= 0 && (uint32_t)track->target < bend->b->bone_count;
}

static const level5_track *track_at(const bender *bend, int32_t index) { return &bend->b->weights->tracks[index]; }

// Counted first: starts[v + 1] becomes the end of v.
static bool count_weights(bender *bend)
{
    const level5_builder *b = bend->b;
    uint32_t vertex, positions = bend->mesh->positions.count;
    double weight;
    uint64_t total = 0;
    bend->starts = sni_new(&b->load->scratch, uint32_t, (uint64_t)positions + 2);
    if (!bend->starts) return false;
    for (int32_t t = b->first_weights[bend->node]; t >= 0; t = b->next_weights[t]) {
        const level5_track *track = track_at(bend, t);
        if (track->type == LEVEL5_WEIGHTS_AVERAGED) bend->is_averaged = true;
        if (!is_bone(bend, track))
            sni_warn(&b->load->diag, SNI_WARN_TRACK_TARGET, track->offset, "weights of node %d of %u as a bone",
                     track->target, b->bone_count);
        for (uint32_t i = 0; is_bone(bend, track) && i < track->keys.count; i++)
            if (read_weight(bend, track, i, &vertex, &weight)) bend->starts[vertex + 2]++, total++;
    }
    for (uint32_t i = 1; i <= positions + 1; i++) bend->starts[i] += bend->starts[i - 1];
    bend->influences = sni_new_raw(&b->load->scratch, influence, total);
    return bend->influences != NULL;
}

static bool place_weights(bender *bend)
{
    const level5_builder *b = bend->b;
    uint32_t vertex, joint, *ends = bend->starts + 1;  // each start moves to its end while it is filled
    double weight;
    for (int32_t t = b->first_weights[bend->node]; t >= 0; t = b->next_weights[t]) {
        const level5_track *track = track_at(bend, t);
        if (!is_bone(bend, track)) continue;
        for (uint32_t i = 0; i < track->keys.count; i++) {
            if (!read_weight(bend, track, i, &vertex, &weight)) continue;
            if (!joint_of(bend, (uint32_t)track->target, &joint)) return false;
            bend->influences[ends[vertex]++] = (influence){ joint, weight };
        }
    }
    return true;
}

// Pairs of one vertex and bone are one: their weights add up. Of more than fit, the heaviest stay.
static uint32_t merge_weights(bender *bend, uint32_t vertex, influence list[MOST_INFLUENCES + 1])
{
    uint32_t first = bend->starts[vertex], end = bend->starts[vertex + 1], merged = first, count = 0;
    for (uint32_t i = first; i < end; i++) {
        influence one = bend->influences[i];
        if (bend->stamps[one.joint] == vertex + 1) {
            bend->influences[bend->slots[one.joint]].weight += one.weight;
            continue;
        }
        bend->stamps[one.joint] = vertex + 1;
        bend->slots[one.joint] = merged;
        bend->influences[merged++] = one;
    }
    for (uint32_t i = first; i < merged; i++) {
        uint32_t lightest = 0;
        if (count < MOST_INFLUENCES) {
            list[count++] = bend->influences[i];
            continue;
        }
        bend->cut++;
        for (uint32_t k = 1; k < count; k++)
            if (list[k].weight < list[lightest].weight) lightest = k;
        if (bend->influences[i].weight > list[lightest].weight) list[lightest] = bend->influences[i];
    }
    return count;
}

// What is missing to the whole: Dark Cloud 1 leaves it with the mesh's parent, Dark Cloud 2 scales the others up.
// Without any weight a vertex goes with its mesh. What is too much is set right with the mesh, for no skin can say it.
static bool settle_weights(bender *bend, influence *list, uint32_t *count)
{
    const level5_builder *b = bend->b;
    int32_t parent = b->bones[bend->node].parent;
    uint32_t joint;
    double sum = 0.0;
    for (uint32_t i = 0; i < *count; i++) sum += list[i].weight;
    if (*count == 0 || sum == 0.0) {
        if (!rigid_joint(bend, &joint)) return false;
        list[0] = (influence){ joint, FULL };
        *count = 1;
        return true;
    }
    bool is_short = sum > 0.0 && sum < FULL;
    if (is_short && FULL - sum > NEARLY_FULL && b->game == LEVEL5_DC1 && !bend->is_averaged) {
        if (!(parent < 0 ? rigid_joint(bend, &joint) : joint_of(bend, (uint32_t)parent, &joint))) return false;
        for (uint32_t i = 0; i < *count; i++)
            if (list[i].joint == joint) {
                list[i].weight += FULL - sum;
                return true;
            }
        list[(*count)++] = (influence){ joint, FULL - sum };
        return true;
    }
    for (uint32_t i = 0; is_short && i < *count; i++) list[i].weight /= sum;
    return true;
}

static bool spread(bender *bend, level5_bend *out)
{
    sni_load *load = bend->b->load;
    uint32_t positions = bend->mesh->positions.count, width = 1;
    bend->slots = sni_new_raw(&load->scratch, uint32_t, bend->joints.count);
    bend->stamps = sni_new(&load->scratch, uint32_t, bend->joints.count);
    if (!bend->slots || !bend->stamps) return false;
    for (uint32_t v = 0; v < positions; v++) {
        uint32_t many = bend->starts[v + 1] - bend->starts[v] + 1;
        if (many > width) width = many < MOST_INFLUENCES + 1 ? many : MOST_INFLUENCES + 1;
    }
    out->joints = sni_new(&load->scratch, uint16_t, (uint64_t)positions * width);
    out->weights = sni_new(&load->scratch, float, (uint64_t)positions *width);
    if (!out->joints || !out->weights) return false;
    for (uint32_t v = 0; v < positions; v++) {
        influence list[MOST_INFLUENCES + 1];
        uint32_t count = merge_weights(bend, v, list);
        if (!settle_weights(bend, list, &count)) return false;
        if (count > out->influence_count) out->influence_count = count;
        for (uint32_t i = 0; i < count; i++) {
            out->joints[(size_t)v * width + i] = (uint16_t)list[i].joint;
            out->weights[(size_t)v * width + i] = (float)list[i].weight;
        }
    }
    out->stride = width;
    return true;
}

static bool invert(const sn_mat34 *matrix, sn_mat34 *out)
{
    *out = sni_mat34_identity;
    return sni_mat34_invert(matrix, out);
}

// As the engine inverts: rotation and translation alone, whatever scale there is.
static sn_mat34 invert_rigid(const sn_mat34 *a)
{
    sn_mat34 out;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) out.m[r][c] = a->m[c][r];
        out.m[r][3] = -(a->m[0][r] * a->m[0][3] + a->m[1][r] * a->m[1][3] + a->m[2][r] * a->m[2][3]);
    }
    return out;
}

// Dark Cloud 1: binds are relative to parents, and count from the mesh's parent down to the bone. Other bones go by the
// rest pose.
static bool inverse_bind_dc1(const level5_builder *b, uint32_t node, uint32_t bone, sn_mat34 *out)
{
    const level5_bone *mesh = &b->bones[node];
    sn_mat34 chain = sni_mat34_identity, one;
    int32_t at = (int32_t)bone;
    bool is_good = true;
    for (int depth = 0; at >= 0 && at != mesh->parent && depth < DEEPEST_CHAIN; depth++, at = b->bones[at].parent) {
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

static const sn_mat34 *bind_of(const level5_bone *bone) { return bone->has_bind ? &bone->bind : &bone->world; }

// Dark Cloud 2: binds are in the model's space.
static bool inverse_bind_dc2(const level5_builder *b, uint32_t node, uint32_t bone, sn_mat34 *out)
{
    sn_mat34 inverse;
    bool is_good = invert(bind_of(&b->bones[bone]), &inverse);
    *out = sni_mat34_mul(&inverse, bind_of(&b->bones[node]));
    return is_good;
}

// Dark Cloud 1 bends a mesh in the space of its parent, then moves it as its node has moved. Bones of that space are
// doubled below the node; what hangs elsewhere goes its own way.
static bool follow_node(bender *bend, int32_t *joints)
{
    level5_builder *b = bend->b;
    uint64_t lost = 0;
    if (b->game != LEVEL5_DC1 || !b->bones[bend->node].leaves_rest) return true;
    b->carrier = -1;
    for (uint32_t i = 0; i < bend->joints.count; i++) {
        int32_t twin = joints[i];
        if ((int32_t)i != bend->rigid && !level5_double_bone(b, bend->node, (uint32_t)joints[i], &twin)) return false;
        if (twin < 0) lost++;
        else joints[i] = twin;
    }
    for (uint32_t i = 0; i < bend->joints.count; i++)
        for (int32_t at = level5_items(int32_t, bend->joints)[i]; at >= 0 && b->double_of[at] >= 0;
             at = b->bones[at].parent)
            b->double_of[at] = -1;
    sni_warn_many(&b->load->diag, SNI_WARN_LEVEL5_SKIN_MOVES, lost, bend->mesh->offset,
                  "bones do not go with the mesh that they bend, whose own node moves");
    return true;
}

static bool add_skin(bender *bend, level5_bend *out)
{
    level5_builder *b = bend->b;
    uint32_t count = bend->joints.count;
    sn_skin *skin = sni_push(&b->load->keep, &b->skins, sn_skin);
    int32_t *joints = sni_new(&b->load->keep, int32_t, count);
    sn_mat34 *binds = sni_new(&b->load->keep, sn_mat34, count);
    if (!skin || !joints || !binds) return false;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t bone = ((const uint32_t *)bend->joints.items)[i];
        bool is_good = b->game == LEVEL5_DC1 ? inverse_bind_dc1(b, bend->node, bone, &binds[i])
                                             : inverse_bind_dc2(b, bend->node, bone, &binds[i]);
        joints[i] = (int32_t)bone;
        if ((int32_t)i == bend->rigid) binds[i] = sni_mat34_identity;
        if (is_good || (int32_t)i == bend->rigid) continue;
        sni_warn(&b->load->diag, SNI_WARN_MATRIX_SINGULAR, b->bones[bone].source->offset,
                 "the bind of node %u cannot be inverted", bone);
    }
    if (!follow_node(bend, joints)) return false;
    *skin = (sn_skin){ level5_clean(b, b->bones[bend->node].source->name), joints, binds, count };
    out->skin = (int32_t)b->skins.count - 1;
    out->joint_count = count;
    return true;
}

static void tell_faults(const bender *bend)
{
    sni_diag *diag = &bend->b->load->diag;
    uint64_t offset = bend->mesh->offset;
    sni_warn_many(diag, SNI_WARN_INDEX_RANGE, bend->bad_vertices, offset, "weights for vertices past the last of %u",
                  bend->mesh->positions.count);
    sni_warn_many(diag, SNI_WARN_NOT_FINITE, bend->bad_weights, offset, "weights that are not finite; left out");
    sni_warn_many(diag, SNI_WARN_LOST_CONTENT, bend->cut, offset, "vertices with more than %d bones; the heaviest stay",
                  (int)MOST_INFLUENCES);
    if (bend->is_averaged) sni_warn(diag, SNI_WARN_LEVEL5_AVERAGED, offset, "weights of type 21, scaled to sum to 1");
}

// Configurations list the meshes that are bent; the games show others rigid, whatever weights they have. Where Dark
// Cloud 2 is told that its meshes change by their vertices, none is bent.
static bool may_bend(level5_builder *b, uint32_t node)
{
    sni_str name = level5_before(b->bones[node].source->name, "__");
    if (b->first_weights[node] < 0) return false;
    if (b->has_shapes && b->game == LEVEL5_DC2 && !b->mds->weights) {
        sni_warn(&b->load->diag, SNI_WARN_LEVEL5_RIGID, b->bones[node].source->offset,
                 "its weights are not used, for the configuration has SHAPE_ANIME");
        return false;
    }
    if (b->bent.map.count == 0 || b->mds->weights || sni_names_find(&b->bent, name) >= 0) return true;
    sni_warn(&b->load->diag, SNI_WARN_LEVEL5_RIGID, b->bones[node].source->offset,
             "its weights are not used, for the configuration does not list it");
    return false;
}

bool level5_bend_mesh(level5_builder *b, uint32_t node, const level5_mesh *mesh, level5_bend *out)
{
    bender bend = { .b = b, .mesh = mesh, .node = node, .rigid = -1 };
    *out = (level5_bend){ .skin = -1 };
    if (!may_bend(b, node) || !sni_load_ok(b->load)) return sni_load_ok(b->load);
    if (!count_weights(&bend)) return false;
    bool is_bent = bend.starts[mesh->positions.count + 1] > 0, is_done = true;
    if (is_bent) bend.bad_vertices = bend.bad_weights = 0;  // they are met again
    if (is_bent) is_done = place_weights(&bend) && spread(&bend, out) && add_skin(&bend, out);
    for (uint32_t i = 0; i < bend.joints.count; i++) b->joint_of[((const uint32_t *)bend.joints.items)[i]] = -1;
    tell_faults(&bend);
    return is_done && sni_load_ok(b->load);
}
