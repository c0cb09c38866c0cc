#include "anim/pose.h"
#include "base/math.h"

// Which axis of a model plays which role. A billboard is drawn facing `forward`: +X where Z is up (Warcraft III),
// +Z where Y is up; the two differ by a cyclic change of names and so share all formulas.
typedef struct roles {
    int forward, right, up;
} roles;

static roles model_roles(const sn_model *model)
{
    roles z_up = { 0, 1, 2 }, y_up = { 2, 0, 1 };
    return model->up_axis == SN_Z_UP ? z_up : y_up;
}

static sn_vec3 axis_vector(int axis) { return sni_vec3(axis == 0, axis == 1, axis == 2); }

static float *component(sn_vec3 *v, int axis) { return axis == 0 ? &v->x : axis == 1 ? &v->y : &v->z; }

// The rotation that shows the front to the viewer. It does not depend on the position: quads far to the side stay
// parallel to the screen, as in the game.
static sn_quat billboard(const sn_model *model, const sn_view *view)
{
    roles role = model_roles(model);
    sn_mat34 turn = { 0 };
    sni_mat34_set_column(&turn, role.forward, view->back);
    sni_mat34_set_column(&turn, role.right, view->right);
    sni_mat34_set_column(&turn, role.up, view->up);
    return sni_mat34_rotation(&turn);
}

// The rotation about an axis that takes the first of two directions across it to where (x, y) points. By square roots,
// not by angles: saved files have it, and must be equal on every machine.
static sn_quat turn_to(sn_vec3 axis, double x, double y)
{
    double length = sqrt(x * x + y * y), w = x < 0.0 ? fabs(y) : length + x;
    double s = x < 0.0 ? copysign(length - x, y) : y, norm = sqrt(w * w + s * s);
    if (!(norm > 0.0)) return sni_quat(0, 0, 0, 1);
    float sine = (float)(s / norm);
    return sni_quat(axis.x * sine, axis.y * sine, axis.z * sine, (float)(w / norm));
}

// Turns about one of the node's own axes, as far to the viewer as that goes. `world` is the node's rotation before.
static void turn_about_axis(const sn_model *model, uint32_t flags, const sn_view *view, sn_quat world, sn_trs *local)
{
    roles role = model_roles(model);
    sn_vec3 ray = sni_quat_rotate(sni_quat_conjugate(world), view->back);
    float ahead = *component(&ray, role.forward), right = *component(&ray, role.right), up = *component(&ray, role.up);
    int axis = role.up;
    float x = ahead, y = right;
    if (flags & (uint32_t)SN_NODE_BILLBOARD_X << role.forward) {
        axis = role.forward;
        x = right, y = up;
        *component(&local->scale, role.up) *= -1.0f;  // found by an engine that was tested against the game
    } else if (flags & (uint32_t)SN_NODE_BILLBOARD_X << role.right) {
        axis = role.right;
        y = -up;
    }
    local->rotation = sni_quat_mul(local->rotation, turn_to(axis_vector(axis), x, y));
}

// What the parent has scaled to nothing stays nothing: no factor brings it back.
static float unscale(float own, float root, float parent)
{
    float scale = parent == 0.0f ? 0.0f : own * root / parent;
    return isfinite(scale) ? scale : 0.0f;
}

// Local values that undo what the node does not take from its parent, so that parent * local comes out as wanted.
static sn_trs undo_parent(const sn_pose *pose, const sn_node *node, sn_trs local, const sni_accumulated *root,
                          const sni_accumulated *parent, const sn_view *view)
{
    sn_quat undo = sni_quat_conjugate(parent->rotation);
    if (node->flags & SN_NODE_OWN_SCALE) {
        local.scale = sni_vec3(unscale(local.scale.x, root->scale.x, parent->scale.x),
                               unscale(local.scale.y, root->scale.y, parent->scale.y),
                               unscale(local.scale.z, root->scale.z, parent->scale.z));
    }
    if (view && node->flags & SN_NODE_BILLBOARD) {
        sn_quat turn = sni_quat_mul(undo, billboard(pose->model, view));
        local.rotation = sni_quat_unit(sni_quat_mul(turn, local.rotation));
        return local;
    }
    if (node->flags & SN_NODE_OWN_ROTATION)
        local.rotation = sni_quat_unit(sni_quat_mul(sni_quat_mul(undo, root->rotation), local.rotation));
    if (view && node->flags & SNI_AXIS_LOCKS)
        turn_about_axis(pose->model, node->flags, view, sni_quat_mul(parent->rotation, local.rotation), &local);
    return local;
}

static sni_accumulated accumulate(const sni_accumulated *parent, const sn_trs *local)
{
    sni_accumulated sum = { sni_quat_unit(sni_quat_mul(parent->rotation, local->rotation)), parent->scale };
    sum.scale.x *= local->scale.x;
    sum.scale.y *= local->scale.y;
    sum.scale.z *= local->scale.z;
    return sum;
}

sni_accumulated sni_accumulated_of(const sn_mat34 *matrix)
{
    sn_trs trs = sni_mat34_decompose(matrix);
    sni_accumulated sum = { trs.rotation, trs.scale };
    return sum;
}

static bool is_matrix(const sn_pose *pose, uint32_t index)
{
    return pose->model->nodes[index].matrix && !(pose->node_flags[index] & SNI_NODE_REPLACED);
}

static sn_trs inherited_local(const sn_pose *pose, uint32_t index, const sni_accumulated *root,
                              const sni_accumulated *parent, const sn_view *view)
{
    const sn_node *node = &pose->model->nodes[index];
    if (is_matrix(pose, index)) return sni_mat34_decompose(node->matrix);
    sn_trs local = sni_pose_get_local(pose, index);
    return node->flags & SNI_NOT_INHERITED ? undo_parent(pose, node, local, root, parent, view) : local;
}

sn_trs sni_pose_inherited_local(const sn_pose *pose, uint32_t index, const sni_accumulated *root, const sn_view *view)
{
    int32_t parent = pose->model->nodes[index].parent;
    if (!pose->accumulated) return sni_pose_get_local(pose, index);
    return inherited_local(pose, index, root, parent < 0 ? root : &pose->accumulated[parent], view);
}

static sn_mat34 world_of(sn_pose *pose, uint32_t index, const sni_accumulated *root, const sn_view *view)
{
    const sn_node *node = &pose->model->nodes[index];
    const sn_mat34 *above = node->parent < 0 ? &pose->root : &pose->worlds[node->parent];
    sn_trs local;
    if (pose->accumulated) {
        const sni_accumulated *parent = node->parent < 0 ? root : &pose->accumulated[node->parent];
        local = inherited_local(pose, index, root, parent, view);
        pose->accumulated[index] = accumulate(parent, &local);
    } else {
        local = sni_pose_get_local(pose, index);
    }
    if (is_matrix(pose, index)) return sni_mat34_mul(above, node->matrix);
    sn_mat34 matrix = sni_trs_matrix(&local, node->flags & SN_NODE_SCALE_PARENT_AXES);
    sn_mat34 world = sni_mat34_mul(above, &matrix);
    if (node->flags & SN_NODE_OWN_TRANSLATION) {  // as if it hung on the root from its place at rest
        sn_vec3 moved = sni_sub(local.translation, node->rest.translation);
        sn_vec3 place = sni_add(pose->rest_positions[index], moved);
        sni_mat34_set_column(&world, 3, sni_mat34_point(&pose->root, place));
    }
    return world;
}

void sni_pose_solve_node(sn_pose *pose, uint32_t index, const sni_accumulated *root, const sn_view *view)
{
    pose->worlds[index] = world_of(pose, index, root, view);
}

void sni_pose_solve_shown(sn_pose *pose)
{
    const sn_model *model = pose->model;
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        pose->node_is_shown[i] = (pose->node_flags[i] & SNI_NODE_SHOWN) && (parent < 0 || pose->node_is_shown[parent]);
    }
    pose->shown_is_solved = true;
}

void sni_pose_solve_palettes(sn_pose *pose, const uint8_t *marks)
{
    const sn_model *model = pose->model;
    for (uint32_t i = 0; i < model->skin_count; i++) {
        const sn_skin *skin = &model->skins[i];
        sn_mat34 *palette = pose->palettes + pose->palette_starts[i];
        for (uint32_t k = 0; k < skin->joint_count; k++)
            if (!marks || marks[skin->joints[k]])
                palette[k] = sni_mat34_mul(&pose->worlds[skin->joints[k]], &skin->inverse_bind[k]);
    }
}

void sn_pose_solve(sn_pose *pose, const sn_view *view)
{
    const sn_model *model = pose->model;
    sni_accumulated root = sni_accumulated_of(&pose->root);
    sni_pose_set_view(pose, view);
    for (uint32_t i = 0; i < model->node_count; i++) sni_pose_solve_node(pose, i, &root, view);
    sni_pose_solve_shown(pose);
    sni_pose_solve_palettes(pose, NULL);
}
