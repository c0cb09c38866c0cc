// A node's frame is where the bind pose has it in the new model: a pivot, and the axes in which its old keys are
// given. In the new model D = W' * T(-pivot) moves a vertex from the bind pose to where a clip has it; in the old one
// W * inverse_bind does. Both agree when each local transform L' = parent frame * L * inverse(frame).
#include "convert/bind_pose.h"

#include <string.h>

#include "base/math.h"
#include "convert/posed_error.h"
#include "convert/uneven_scale.h"
#include "model/builder.h"
#include "model/track.h"

typedef struct frame {
    bool is_set;
    sn_mat34 matrix;
    sn_quat rotation;  // the matrix is translation * rotation * scale, mirrored along X first
    float scale, mirror;
    bool is_sheared;  // or scaled unevenly: rotation and scale are only near it
    bool is_rest;     // the bind pose has the node where its rest pose has it
} frame;

typedef struct rebind {
    sni_save *save;
    sni_arena *arena;
    bool keeps_rotation;
    const sn_model *model;
    sn_model *out;
    sn_skin *skin;  // the new one
    frame root;
    frame *frames;   // per node
    sn_node *nodes;  // as given, then the added ones
    uint32_t node_count;
    int32_t *joint_of;            // joint of each node in the new skin, or -1
    sn_mat34 *to_bind;            // per skin: from the space of its meshes to the bind pose
    int32_t **skin_nodes;         // per skin: the node of each joint
    const bool *is_split_parent;  // per node: it scales unevenly and may rest in any frame; NULL: none does
    double size;                  // of the model: the largest coordinate of a pivot
    uint64_t inexact;             // tracks and poses that the new frames cannot hold
} rebind;

static frame frame_of(const sn_mat34 *matrix)
{
    const sn_trs trs = sni_mat34_decompose(matrix);
    const float mirror = trs.scale.x < 0.0f ? -1.0f : 1.0f;
    const float scale = (float)cbrt(fabs((double)trs.scale.x * trs.scale.y * trs.scale.z));
    frame out = { true, *matrix, trs.rotation, scale > 0.0f ? scale : 1.0f, mirror, false, false };
    const sn_trs even = { trs.translation, trs.rotation, { out.scale * mirror, out.scale, out.scale } };
    const sn_mat34 near = sni_trs_matrix(&even, false);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            if (fabsf(near.m[r][c] - matrix->m[r][c]) > 1e-4f * out.scale) out.is_sheared = true;
    return out;
}

static sn_vec3 pivot_of(const frame *f) { return sni_mat34_column(&f->matrix, 3); }

// The rotation that the new node rests in.
static sn_quat rest_rotation(const rebind *r, const frame *f)
{
    return r->keeps_rotation ? f->rotation : sni_quat(0, 0, 0, 1);
}

// From the bind pose to the new node's own space.
static sn_mat34 inverse_frame(const rebind *r, const frame *f)
{
    const sn_quat back = sni_quat_conjugate(rest_rotation(r, f));
    sn_mat34 out = sni_quat_matrix(back);
    sni_mat34_set_column(&out, 3, sni_quat_rotate(back, sni_scale(pivot_of(f), -1.0f)));
    return out;
}

static sn_mat34 local_rest(const sn_node *node)
{
    return node->matrix ? *node->matrix : sni_trs_matrix(&node->rest, node->flags & SN_NODE_SCALE_PARENT_AXES);
}

// What faces +Z with Y up faces +X with Z up, as in the games.
static frame root_frame(const sn_model *model)
{
    static const sn_mat34 z_up = { { { 0, 0, 1, 0 }, { 1, 0, 0, 0 }, { 0, 1, 0, 0 } } };
    static const sn_mat34 same = { { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    return frame_of(model->up_axis == SN_Y_UP ? &z_up : &same);
}

// Skins

static bool is_same(const rebind *r, const sn_mat34 *a, const frame *b)
{
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++)
            if (!(fabsf(a->m[i][k] - b->matrix.m[i][k]) <= 1e-4f * b->scale)) return false;
        if (!(fabs((double)a->m[i][3] - b->matrix.m[i][3]) <= 1e-5 * r->size)) return false;
    }
    return true;
}

// A second skin that binds a node in another place: a child that follows the node stands in for it.
static void add_stand_in(rebind *r, int32_t *node, const sn_mat34 *matrix)
{
    sn_node *added = &r->nodes[r->node_count];
    *added = (sn_node){ .parent = *node, .id = -1, .rest = sni_trs_identity };
    added->name = r->nodes[*node].name;
    r->frames[r->node_count] = frame_of(matrix);
    *node = (int32_t)r->node_count++;
}

// The space of a skin's meshes is free; one joint that has its place already, or its rest pose, ties it to the model.
static void tie_skin(rebind *r, uint32_t index, const sn_mat34 *rest)
{
    const sn_skin *skin = &r->model->skins[index];
    uint32_t tie = 0;
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        const bool is_set = r->frames[skin->joints[i]].is_set, was_set = r->frames[skin->joints[tie]].is_set;
        if (is_set != was_set ? is_set : skin->joints[i] < skin->joints[tie]) tie = i;
    }
    const int32_t node = skin->joints[tie];
    const sn_mat34 at_rest = sni_mat34_mul(&r->root.matrix, &rest[node]);
    r->to_bind[index] = sni_mat34_mul(r->frames[node].is_set ? &r->frames[node].matrix : &at_rest,
                                      &skin->inverse_bind[tie]);
}

static bool place_skin(rebind *r, uint32_t index, const sn_mat34 *rest)
{
    const sn_skin *skin = &r->model->skins[index];
    int32_t *nodes = r->skin_nodes[index] = sni_new_raw(r->arena, int32_t, skin->joint_count);
    if (!nodes) return false;
    if (skin->joint_count > 0) tie_skin(r, index, rest);
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        sn_mat34 bind, matrix;
        nodes[i] = skin->joints[i];
        if (!sni_mat34_invert(&skin->inverse_bind[i], &bind)) continue;
        matrix = sni_mat34_mul(&r->to_bind[index], &bind);
        frame *f = &r->frames[nodes[i]];
        if (!f->is_set) *f = frame_of(&matrix);
        else if (!is_same(r, &matrix, f)) add_stand_in(r, &nodes[i], &matrix);
    }
    return true;
}

// The axes of the model as it was made: a node above everything that turns the model to Y up, as glTF has it, is undone
// by turning back.
static sn_mat34 own_axes(const rebind *r, uint32_t root)
{
    const sn_mat34 rest = local_rest(&r->nodes[root]), turned = sni_mat34_mul(&r->root.matrix, &rest);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            if (fabsf(turned.m[i][k] - (i == k ? 1.0f : 0.0f)) > 1e-4f) return r->root.matrix;
    return turned;
}

static bool *list_oriented(rebind *r)
{
    const sn_model *model = r->model;
    bool *is_oriented = sni_new(r->arena, bool, model->node_count);
    for (uint32_t i = 0; is_oriented && r->is_split_parent && i < model->node_count; i++)
        is_oriented[i] = r->is_split_parent[i];
    for (uint32_t i = 0; is_oriented && i < model->attachment_count; i++)
        is_oriented[model->attachments[i].node] = true;
    for (uint32_t i = 0; is_oriented && i < model->light_count; i++)
        if (model->lights[i].node >= 0) is_oriented[model->lights[i].node] = true;
    return is_oriented;
}

// Nodes without a skin keep their place at rest. What hangs there without vertices keeps the axes of the model, so that
// the direction of a light or weapon is the node's rotation.
static bool place_nodes(rebind *r)
{
    const bool *is_oriented = list_oriented(r);
    uint32_t *roots = sni_new_raw(r->arena, uint32_t, r->model->node_count);
    if (!is_oriented || !roots) return false;
    for (uint32_t i = 0; i < r->model->node_count; i++) {
        frame *f = &r->frames[i];
        roots[i] = r->nodes[i].parent >= 0 ? roots[r->nodes[i].parent] : i;
        if (!f->is_set) {
            const sn_node *node = &r->nodes[i];
            const frame *parent = node->parent >= 0 ? &r->frames[node->parent] : &r->root;
            const sn_mat34 local = local_rest(node);
            sn_mat34 matrix = sni_mat34_mul(&parent->matrix, &local);
            if (is_oriented[i] && !r->keeps_rotation) {
                const sn_mat34 axes = own_axes(r, roots[i]);
                for (int c = 0; c < 3; c++) sni_mat34_set_column(&matrix, c, sni_mat34_column(&axes, c));
            }
            *f = frame_of(&matrix);
            f->is_rest = !is_oriented[i];
        }
    }
    return true;
}

static sn_mat34 *rest_matrices(rebind *r)
{
    sn_mat34 *rest = sni_new_raw(r->arena, sn_mat34, r->model->node_count);
    for (uint32_t i = 0; rest && i < r->model->node_count; i++) {
        const sn_node *node = &r->model->nodes[i];
        const sn_mat34 local = local_rest(node);
        rest[i] = node->parent >= 0 ? sni_mat34_mul(&rest[node->parent], &local) : local;
        for (int k = 0; k < 3; k++) r->size = fmax(r->size, fabs((double)rest[i].m[k][3]));
    }
    return rest;
}

static bool place_all(rebind *r)
{
    const sn_model *model = r->model;
    uint64_t most = model->node_count;
    for (uint32_t i = 0; i < model->skin_count; i++) most += model->skins[i].joint_count;
    r->nodes = sni_new_raw(r->arena, sn_node, most);
    r->frames = sni_new(r->arena, frame, most);
    r->joint_of = sni_new_raw(r->arena, int32_t, most);
    r->to_bind = sni_new(r->arena, sn_mat34, model->skin_count);
    r->skin_nodes = sni_new(r->arena, int32_t *, model->skin_count);
    const sn_mat34 *rest = rest_matrices(r);
    if (!r->nodes || !r->frames || !r->joint_of || !r->to_bind || !r->skin_nodes || !rest) return false;
    if (model->node_count > 0) memcpy(r->nodes, model->nodes, model->node_count * sizeof *r->nodes);
    r->node_count = model->node_count;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const int32_t skin = model->parts[i].skin;
        if (skin >= 0 && !r->skin_nodes[skin] && !place_skin(r, (uint32_t)skin, rest)) return false;
    }
    return place_nodes(r);
}

// Meshes

static bool move_vertices(rebind *r, const sn_mesh *in, const float *morph_weights, const sn_mat34 *m, sn_mesh *out)
{
    double cofactors[3][3];
    const float sign = sni_mat34_cofactors(m, cofactors) < 0.0 ? -1.0f : 1.0f;
    sn_vec3 *positions = sni_new_raw(r->arena, sn_vec3, in->vertex_count);
    sn_vec3 *normals = in->normals ? sni_new_raw(r->arena, sn_vec3, in->vertex_count) : NULL;
    sn_vec4 *tangents = in->tangents ? sni_new_raw(r->arena, sn_vec4, in->vertex_count) : NULL;
    if (!positions || (in->normals && !normals) || (in->tangents && !tangents)) return false;
    for (uint32_t i = 0; i < in->vertex_count; i++) {
        sn_vec3 at = in->positions[i];
        for (uint32_t k = 0; morph_weights && k < in->morph_count; k++)
            if (in->morphs[k].positions) at = sni_add(at, sni_scale(in->morphs[k].positions[i], morph_weights[k]));
        positions[i] = sni_mat34_point(m, at);
        if (normals) {
            const sn_vec3 n = in->normals[i];
            sn_vec3 moved = { (float)(cofactors[0][0] * n.x + cofactors[0][1] * n.y + cofactors[0][2] * n.z),
                              (float)(cofactors[1][0] * n.x + cofactors[1][1] * n.y + cofactors[1][2] * n.z),
                              (float)(cofactors[2][0] * n.x + cofactors[2][1] * n.y + cofactors[2][2] * n.z) };
            normals[i] = sni_unit(sni_scale(moved, sign), n);
        }
        if (tangents) {
            const sn_vec4 t = in->tangents[i];
            const sn_vec3 moved = sni_unit(sni_mat34_vector(m, sni_vec3(t.x, t.y, t.z)), sni_vec3(1, 0, 0));
            tangents[i] = (sn_vec4){ moved.x, moved.y, moved.z, t.w * sign };
        }
    }
    out->positions = positions;
    out->normals = normals;
    out->tangents = tangents;
    if (sign > 0.0f || in->topology != SN_TRIANGLES) return true;
    uint32_t *indices = sni_new_raw(r->arena, uint32_t, in->index_count);
    if (!indices) return false;
    for (uint32_t i = 0; i < in->index_count; i++)
        indices[i] = in->indices[i % 3 == 0 ? i : i % 3 == 1 ? i + 1 : i - 1];
    out->indices = indices;
    return true;
}

static bool moves_morphs(const sn_track *track)
{
    return track->target_kind == SN_TARGET_NODE && track->channel == SN_CHANNEL_MORPHS;
}

static uint16_t joint_for(rebind *r, int32_t node)
{
    if (r->joint_of[node] < 0) r->joint_of[node] = (int32_t)r->skin->joint_count++;
    return (uint16_t)r->joint_of[node];
}

static bool bind_vertices(rebind *r, const sn_part *part, sn_mesh *mesh)
{
    const bool is_skinned = part->skin >= 0 && mesh->influence_count > 0;
    const uint64_t count = (uint64_t)mesh->vertex_count * (is_skinned ? mesh->influence_count : 1);
    uint16_t *joints = sni_new_raw(r->arena, uint16_t, count);
    float *weights = is_skinned ? NULL : sni_new_raw(r->arena, float, count);
    if (!joints || (!is_skinned && !weights)) return false;
    for (uint64_t i = 0; i < count; i++) {
        const bool is_used = is_skinned && mesh->vertex_weights[i] != 0.0f;
        if (is_skinned) joints[i] = is_used ? joint_for(r, r->skin_nodes[part->skin][mesh->vertex_joints[i]]) : 0;
        else joints[i] = joint_for(r, part->node), weights[i] = 1.0f;
    }
    mesh->vertex_joints = joints;
    if (!is_skinned) mesh->vertex_weights = weights, mesh->influence_count = 1;
    return true;
}

// How far the morphs move vertices from the shape at rest.
static bool report_morphs(rebind *r, uint64_t morphs)
{
    double distance = 0.0, size = 1.0;
    sn_model still = *r->model;
    sn_clip *clips = sni_new_raw(r->arena, sn_clip, still.clip_count);
    if (!clips) return false;
    for (uint32_t i = 0; i < still.clip_count; i++) {
        const sn_clip *clip = &r->model->clips[i];
        sn_track *tracks = sni_new_raw(r->arena, sn_track, clip->track_count);
        if (!tracks) return false;
        clips[i] = *clip;
        clips[i].tracks = tracks;
        clips[i].track_count = 0;
        for (uint32_t t = 0; t < clip->track_count; t++)
            if (!moves_morphs(&clip->tracks[t])) tracks[clips[i].track_count++] = clip->tracks[t];
    }
    still.clips = clips;
    if (!sni_find_posed_error(r->save, r->model, &still, &distance, &size)) return false;
    char off[96];
    sni_enter(&r->save->diag, "morphs", -1);
    sni_warn_many(&r->save->diag, SNI_WARN_LOST_CONTENT, morphs, 0, "left out%s",
                  sni_print_posed_error(off, distance, size));
    sni_leave(&r->save->diag);
    return true;
}

static bool rebind_parts(rebind *r)
{
    const sn_model *model = r->model;
    sn_mesh *meshes = sni_new_raw(r->arena, sn_mesh, model->part_count);
    sn_part *parts = sni_new_raw(r->arena, sn_part, model->part_count);
    uint64_t morphs = 0;
    if (!meshes || !parts) return false;
    for (uint32_t i = 0; i < model->part_count; i++) {
        sn_part *part = &parts[i];
        *part = model->parts[i];
        sn_mesh *mesh = &meshes[i];
        *mesh = model->meshes[part->mesh];
        const bool is_skinned = part->skin >= 0 && mesh->influence_count > 0;
        const sn_mat34 *move = is_skinned ? &r->to_bind[part->skin] : &r->frames[part->node].matrix;
        if (!move_vertices(r, mesh, part->morph_weights, move, mesh) || !bind_vertices(r, part, mesh)) return false;
        morphs += mesh->morph_count;
        mesh->morph_count = 0;
        mesh->morphs = NULL;
        part->morph_weights = NULL;
        part->mesh = (int32_t)i;
        part->skin = 0;
    }
    if (morphs > 0 && !report_morphs(r, morphs)) return false;
    r->out->meshes = meshes;
    r->out->mesh_count = model->part_count;
    r->out->parts = parts;
    return true;
}

static bool make_skin(rebind *r, sn_skin *skin)
{
    int32_t *joints = sni_new_raw(r->arena, int32_t, skin->joint_count);
    sn_mat34 *binds = sni_new_raw(r->arena, sn_mat34, skin->joint_count);
    if (!joints || !binds) return false;
    for (uint32_t i = 0; i < r->node_count; i++) {
        const int32_t joint = r->joint_of[i];
        if (joint < 0) continue;
        joints[joint] = (int32_t)i;
        binds[joint] = inverse_frame(r, &r->frames[i]);
    }
    skin->joints = joints;
    skin->inverse_bind = binds;
    return true;
}

// Keys

// The frames that a node's keys are moved between.
typedef struct move {
    const frame *parent, *own;
    bool has_parent_axes;  // SN_NODE_SCALE_PARENT_AXES
} move;

static sn_vec3 move_translation(const move *m, sn_vec3 v) { return sni_mat34_vector(&m->parent->matrix, v); }

// A mirror turns a rotation into one about the mirrored axis.
static sn_quat move_rotation(const move *m, sn_quat q)
{
    if (m->parent->mirror < 0.0f) q = sni_quat(q.x, -q.y, -q.z, q.w);
    return sni_quat_mul(sni_quat_mul(m->parent->rotation, q), sni_quat_conjugate(m->own->rotation));
}

// Scale along the model's axes; `off` becomes the largest of what would lie between them.
static sn_vec3 move_scale(const move *m, sn_vec3 s, float *off)
{
    const sn_mat34 axes = sni_quat_matrix(m->has_parent_axes ? m->parent->rotation : m->own->rotation);
    const float ratio = m->parent->scale / m->own->scale,
                s3[3] = { s.x * m->parent->mirror * m->own->mirror, s.y, s.z };
    float out[3][3] = { { 0 } };
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) out[i][j] += ratio * axes.m[i][k] * s3[k] * axes.m[j][k];
    *off = fmaxf(fabsf(out[0][1]), fmaxf(fabsf(out[0][2]), fabsf(out[1][2])));
    if (m->has_parent_axes)  // the new model scales first, then rotates: the same only for even scale
        *off = fmaxf(fabsf(out[0][0] - out[1][1]), fabsf(out[1][1] - out[2][2]));
    return sni_vec3(out[0][0], out[1][1], out[2][2]);
}

// False: only near it.
static bool move_value(const move *m, uint32_t channel, const float *in, float *out)
{
    sn_vec3 v = { in[0], in[1], in[2] };
    float off = 0.0f;
    if (channel == SN_CHANNEL_ROTATION) {
        const sn_quat q = move_rotation(m, sni_quat(in[0], in[1], in[2], in[3]));
        memcpy(out, &q, sizeof q);
        return !m->parent->is_sheared;
    }
    v = channel == SN_CHANNEL_SCALE ? move_scale(m, v, &off) : move_translation(m, v);
    memcpy(out, &v, sizeof v);
    return channel == SN_CHANNEL_TRANSLATION || (off <= 1e-4f && !m->parent->is_sheared && !m->own->is_sheared);
}

static move move_of(const rebind *r, uint32_t node)
{
    const int32_t parent = r->nodes[node].parent;
    return (move){ parent >= 0 ? &r->frames[parent] : &r->root, &r->frames[node],
                   r->nodes[node].flags & SN_NODE_SCALE_PARENT_AXES };
}

static bool move_keys(rebind *r, const sn_track *in, sn_track *out)
{
    const move m = move_of(r, (uint32_t)in->target);
    const uint64_t groups = (uint64_t)in->key_count * sni_track_groups(in);
    float *values = sni_new_raw(r->arena, float, groups * in->width);
    if (!values) return false;
    bool is_exact = true;
    for (uint64_t i = 0; i < groups; i++)
        is_exact &= move_value(&m, in->channel, in->values + i * in->width, values + i * in->width);
    r->inexact += !is_exact;
    *out = *in;
    out->values = values;
    return true;
}

// What a clip without keys for it must hold: the old rest pose, where it is not the bind pose.
typedef struct held {
    int32_t node;
    uint8_t channel;
    float value[4];
} held;

static bool differs(const rebind *r, uint32_t channel, const float *value, const sn_node *node)
{
    const sn_vec3 v = { value[0], value[1], value[2] };
    if (channel == SN_CHANNEL_ROTATION)
        return sni_rotation_angle(sni_quat(value[0], value[1], value[2], value[3]), sni_quat(0, 0, 0, 1)) > 1e-5;
    if (channel == SN_CHANNEL_SCALE) return sni_length(sni_sub(v, sni_vec3(1, 1, 1))) > 1e-5;
    return sni_length(sni_sub(v, node->rest.translation)) > 1e-6 * r->size;
}

static bool list_held(rebind *r, const sn_node *placed, sni_list *list)
{
    for (uint32_t i = 0; i < r->node_count; i++) {
        const move m = move_of(r, i);
        const sn_trs rest = r->nodes[i].matrix ? sni_mat34_decompose(r->nodes[i].matrix) : r->nodes[i].rest;
        const float *channels[] = { &rest.translation.x, &rest.rotation.x, &rest.scale.x };
        for (uint32_t c = SN_CHANNEL_TRANSLATION; c <= SN_CHANNEL_SCALE; c++) {
            held one = { (int32_t)i, (uint8_t)c, { 0 } };
            const bool is_exact = move_value(&m, c, channels[c], one.value);
            if (m.own->is_rest || !differs(r, c, one.value, &placed[i])) continue;
            r->inexact += !is_exact;
            held *kept = sni_push(r->arena, list, held);
            if (!kept) return false;
            *kept = one;
        }
    }
    return true;
}

// `has` is zero for each node, before and after.
static bool rebind_clip(rebind *r, const sni_list *list, uint8_t *has, const sn_clip *in, sn_clip *out)
{
    static const float start;
    const held *holds = list->items;
    sn_track *tracks = sni_new_raw(r->arena, sn_track, (uint64_t)in->track_count + list->count);
    uint32_t count = 0;
    if (!tracks) return false;
    for (uint32_t i = 0; i < in->track_count; i++) {
        const sn_track *track = &in->tracks[i];
        if (moves_morphs(track)) continue;
        tracks[count] = *track;
        if (sni_track_is_local(track)) {
            has[track->target] |= (uint8_t)(1 << track->channel);
            if (!move_keys(r, track, &tracks[count])) return false;
        }
        count++;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (has[holds[i].node] >> holds[i].channel & 1) continue;
        tracks[count++] = (sn_track){ .target_kind = SN_TARGET_NODE,
                                      .channel = holds[i].channel,
                                      .interpolation = SN_LINEAR,
                                      .target = holds[i].node,
                                      .key_count = 1,
                                      .width = holds[i].channel == SN_CHANNEL_ROTATION ? 4 : 3,
                                      .times = &start,
                                      .values = holds[i].value };
    }
    for (uint32_t i = 0; i < in->track_count; i++)
        if (sni_track_is_local(&in->tracks[i])) has[in->tracks[i].target] = 0;
    *out = *in;
    out->tracks = tracks;
    out->track_count = count;
    return true;
}

static bool rebind_clips(rebind *r, const sni_list *list)
{
    static const sn_clip stand = { .name = "Stand", .duration = 1.0f, .loops = true };
    const bool lacks_clip = r->model->clip_count == 0;
    const uint32_t count = lacks_clip ? 1 : r->model->clip_count;
    const sn_clip *in = lacks_clip ? &stand : r->model->clips;
    sn_clip *clips = sni_new_raw(r->arena, sn_clip, count);
    uint8_t *has = sni_new(r->arena, uint8_t, r->node_count);
    if (!clips || !has) return false;
    for (uint32_t i = 0; i < count; i++)
        if (!rebind_clip(r, list, has, &in[i], &clips[i])) return false;
    r->out->clips = clips;
    r->out->clip_count = count;
    return true;
}

// Nodes and what hangs on them

static sn_node *rest_nodes(rebind *r)
{
    sn_node *nodes = sni_new_raw(r->arena, sn_node, r->node_count);
    for (uint32_t i = 0; nodes && i < r->node_count; i++) {
        nodes[i] = r->nodes[i];
        const frame *f = &r->frames[i], *parent = nodes[i].parent >= 0 ? &r->frames[nodes[i].parent] : NULL;
        nodes[i].matrix = NULL;
        nodes[i].rest = (sn_trs){ pivot_of(f), rest_rotation(r, f), { 1, 1, 1 } };
        if (parent) {
            const sn_quat back = sni_quat_conjugate(rest_rotation(r, parent));
            nodes[i].rest.translation = sni_quat_rotate(back, sni_sub(pivot_of(f), pivot_of(parent)));
            nodes[i].rest.rotation = sni_quat_mul(back, nodes[i].rest.rotation);
        }
        nodes[i].flags &= ~(uint32_t)(SN_NODE_SCALE_PARENT_AXES | SN_NODE_JOINT);
        if (r->joint_of[i] >= 0) nodes[i].flags |= SN_NODE_JOINT;
    }
    return nodes;
}

// A box turns into the one around it.
static bool move_shapes(rebind *r)
{
    sn_shape *shapes = sni_new_raw(r->arena, sn_shape, r->model->shape_count);
    if (!shapes) return false;
    for (uint32_t i = 0; i < r->model->shape_count; i++) {
        sn_shape *shape = &shapes[i];
        *shape = r->model->shapes[i];
        const frame *f = shape->node >= 0 ? &r->frames[shape->node] : &r->root;
        const sn_mat34 back = sni_quat_matrix(
            sni_quat_conjugate(shape->node >= 0 ? rest_rotation(r, f) : sni_quat(0, 0, 0, 1)));
        const sn_mat34 matrix = sni_mat34_mul(&back, &f->matrix);
        const float e[3] = { shape->extents.x, shape->extents.y, shape->extents.z };
        float around[3] = { 0 };
        for (int row = 0; row < 3; row++)
            for (int c = 0; c < 3; c++) around[row] += fabsf(matrix.m[row][c] * e[c]);
        shape->center = sni_mat34_vector(&matrix, shape->center);
        shape->extents = shape->kind == SN_SHAPE_CYLINDER ? sni_mat34_vector(&matrix, shape->extents)
                                                          : sni_vec3(around[0], around[1], around[2]);
        shape->radius *= f->scale;
    }
    r->out->shapes = shapes;
    return true;
}

// Everything but the clips.
static bool rebind_model(rebind *r, const sn_model *model, sn_model *fitted)
{
    r->arena = &r->save->scratch;
    r->model = model;
    r->out = fitted;
    r->root = root_frame(model);
    r->size = 1e-6;
    sn_skin *skin = sni_new(r->arena, sn_skin, 1);
    if (!skin || !place_all(r)) return false;
    for (uint32_t i = 0; i < r->node_count; i++) r->joint_of[i] = -1;
    *fitted = *model;
    *skin = (sn_skin){ .name = model->skin_count > 0 ? model->skins[0].name : "" };
    fitted->skins = r->skin = skin;
    if (!rebind_parts(r)) return false;
    fitted->skin_count = skin->joint_count > 0;
    fitted->nodes = rest_nodes(r);
    fitted->node_count = r->node_count;
    fitted->up_axis = SN_Z_UP;
    fitted->scenes = NULL;
    fitted->scene_count = 0;
    fitted->default_scene = -1;
    fitted->document = fitted->checked = NULL;
    return fitted->nodes && make_skin(r, skin) && move_shapes(r);
}

bool sni_fit_bind_pose(sni_save *save, const sn_model *model, sn_model *fitted)
{
    rebind r = { .save = save };
    sn_model *from = sni_new(&save->scratch, sn_model, 1);
    sni_list list = { 0 };  // held
    bool *is_split_parent;
    if (!from || !sni_split_uneven_scale(save, model, from, &is_split_parent)) return false;
    r.is_split_parent = is_split_parent;
    save->source = from;
    if (!rebind_model(&r, from, fitted) || !list_held(&r, fitted->nodes, &list) || !rebind_clips(&r, &list))
        return false;
    sni_save_lose(save, "nodes", r.inexact,
                  "scale tracks along other axes than the model's, or shear in the bind pose, were approximated");
    return sni_save_ok(save);
}

// A frame that is flat has no inverse: its node is taken as it moves.
bool sni_fit_rigid_bind_pose(sni_save *save, const sn_model *model, sn_model *fitted, sni_rigid_frames *frames)
{
    rebind r = { .save = save, .keeps_rotation = true };
    const sn_model from = *model;
    if (!rebind_model(&r, &from, fitted)) return false;
    *frames = (sni_rigid_frames){ .root = r.root.matrix };
    frames->from_new = sni_new_raw(r.arena, sn_mat34, r.node_count);
    frames->parents = sni_new_raw(r.arena, int32_t, r.node_count);
    if (!frames->from_new || !frames->parents) return false;
    for (uint32_t i = 0; i < r.node_count; i++) {
        const frame *f = &r.frames[i];
        sn_mat34 inverse, now = sni_quat_matrix(f->rotation);
        sni_mat34_set_column(&now, 3, pivot_of(f));
        const bool is_flat = !sni_mat34_invert(&f->matrix, &inverse);
        frames->from_new[i] = is_flat ? sni_quat_matrix(sni_quat(0, 0, 0, 1)) : sni_mat34_mul(&inverse, &now);
        frames->parents[i] = i < from.node_count ? -1 : r.nodes[i].parent;
    }
    return sni_save_ok(save);
}
