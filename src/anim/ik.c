// Changes to a solved pose: attaching, aiming, inverse kinematics.
#include "anim/pose.h"
#include "base/math.h"
#include "sinew/runtime.h"

#include <string.h>

// A node as it can be turned. Its world matrix is base * rotation * (its scale), so in the space of `base` it turns
// like a rigid body about the origin, whatever scale, mirror or shear there is above it. All directions and rotations
// here are in that space.
typedef struct turnable {
    int32_t node;
    sn_mat34 base;
    double inverse[3][3];
    sn_quat rotation;   // inherited * local rotation
    sn_quat inherited;  // identity unless the node does not inherit its parent's rotation
} turnable;

static sn_vec3 world_position(const sn_pose *pose, int32_t node, sn_vec3 point)
{
    return sni_mat34_point(&pose->worlds[node], point);
}

static const sn_view *view_of(const sn_pose *pose) { return pose->has_view ? &pose->view : NULL; }

// Needed only where nodes do not inherit everything.
static sni_accumulated root_of(const sn_pose *pose)
{
    return pose->accumulated ? sni_accumulated_of(&pose->root) : (sni_accumulated){ 0 };
}

static sn_trs inherited_local(const sn_pose *pose, int32_t node)
{
    sni_accumulated root = root_of(pose);
    return sni_pose_inherited_local(pose, (uint32_t)node, &root, view_of(pose));
}

static double distance(sn_vec3 a, sn_vec3 b) { return sni_length(sni_sub(a, b)); }

// False for billboards, which turn by themselves, and below a scale of 0.
static bool turnable_make(const sn_pose *pose, int32_t node, turnable *out)
{
    const sn_node *info = &pose->model->nodes[node];
    if (pose->has_view && info->flags & (SN_NODE_BILLBOARD | SNI_AXIS_LOCKS)) return false;
    sn_trs local = inherited_local(pose, node);
    out->node = node;
    out->base = info->parent < 0 ? pose->root : pose->worlds[info->parent];
    if (info->flags & SN_NODE_SCALE_PARENT_AXES) {
        const float scale[3] = { local.scale.x, local.scale.y, local.scale.z };
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) out->base.m[r][c] *= scale[c];
    }
    sni_mat34_set_column(&out->base, 3, sni_mat34_column(&pose->worlds[node], 3));
    out->rotation = local.rotation;
    out->inherited = sni_quat_unit(
        sni_quat_mul(local.rotation, sni_quat_conjugate(sn_pose_local(pose, node).rotation)));
    double cofactors[3][3], determinant = sni_mat34_cofactors(&out->base, cofactors);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            out->inverse[r][c] = cofactors[c][r] / determinant;
            if (!isfinite(out->inverse[r][c])) return false;
        }
    return sni_vec3_is_finite(sni_mat34_column(&out->base, 3));
}

static sn_vec3 into_base(const turnable *t, sn_vec3 v)
{
    float out[3];
    for (int r = 0; r < 3; r++)
        out[r] = (float)(t->inverse[r][0] * v.x + t->inverse[r][1] * v.y + t->inverse[r][2] * v.z);
    return sni_vec3(out[0], out[1], out[2]);
}

// A position in model space, seen from the node. Subtracts first: the model may be far from the origin.
static sn_vec3 seen_from(const turnable *t, sn_vec3 position)
{
    return into_base(t, sni_sub(position, sni_mat34_column(&t->base, 3)));
}

// Any unit vector across v.
static sn_vec3 any_across(sn_vec3 v)
{
    float x = fabsf(v.x), y = fabsf(v.y), z = fabsf(v.z);
    sn_vec3 other = x <= y && x <= z ? sni_vec3(1, 0, 0) : y <= z ? sni_vec3(0, 1, 0) : sni_vec3(0, 0, 1);
    return sni_unit(sni_cross(sni_unit(v, sni_vec3(1, 0, 0)), other), sni_vec3(0, 0, 1));
}

// The shortest rotation from one direction to another; none where either is missing. In double, and without
// normalising first: exact for directions that are almost equal or opposite.
static sn_quat arc_between(sn_vec3 from, sn_vec3 to)
{
    double lengths = sni_length(from) * sni_length(to);
    if (!(lengths > 0.0) || !isfinite(lengths)) return sni_quat(0, 0, 0, 1);
    double x = (double)from.y * to.z - (double)from.z * to.y, y = (double)from.z * to.x - (double)from.x * to.z,
           z = (double)from.x * to.y - (double)from.y * to.x;
    double w = (double)from.x * to.x + (double)from.y * to.y + (double)from.z * to.z + lengths;
    double norm = sqrt(x * x + y * y + z * z + w * w);
    if (!(norm > 1e-9 * lengths)) {
        sn_vec3 axis = any_across(from);
        return sni_quat(axis.x, axis.y, axis.z, 0);
    }
    return sni_quat((float)(x / norm), (float)(y / norm), (float)(z / norm), (float)(w / norm));
}

// The rotation about a unit axis from one direction to another, both seen along the axis.
static sn_quat hinge_between(sn_vec3 axis, sn_vec3 from, sn_vec3 to)
{
    const sn_vec3 none = { 0, 0, 0 };
    sn_vec3 a = sni_across(axis, from, none), b = sni_across(axis, to, none);
    double x = sni_dot(a, b), y = sni_dot(axis, sni_cross(a, b));
    return sni_quat_axis(axis, (float)atan2(y, x));
}

// The part of a rotation that is not larger than the angle.
static sn_quat limit_angle(sn_quat turn, float max_angle)
{
    sn_vec3 axis = sni_vec3(turn.x, turn.y, turn.z);
    double angle = 2.0 * atan2(sni_length(axis), fabs(turn.w));
    if (!(max_angle > 0.0f) || angle <= max_angle) return turn;
    return sni_quat_slerp(sni_quat(0, 0, 0, 1), turn, (float)(max_angle / angle));
}

static void set_rotation(sn_pose *pose, const turnable *t, sn_quat rotation, float weight)
{
    sn_trs local = sn_pose_local(pose, t->node);
    sn_quat goal = sni_quat_unit(sni_quat_mul(sni_quat_conjugate(t->inherited), rotation));
    local.rotation = weight < 1.0f ? sni_quat_slerp(local.rotation, goal, weight) : goal;
    sn_pose_set_local(pose, t->node, local);
}

// A node whose transform is a matrix turns as the nearest translation, rotation and scale. Returns whether it was one.
static bool replace_matrix(sn_pose *pose, int32_t node)
{
    if (!pose->model->nodes[node].matrix || pose->node_flags[node] & SNI_NODE_REPLACED) return false;
    sn_pose_set_local(pose, node, sn_pose_local(pose, node));
    return true;
}

static bool is_above(const sn_model *model, int32_t above, int32_t node)
{
    while (node > above) node = model->nodes[node].parent;
    return node == above;
}

// Solves the nodes from `start` down to `end`, not those beside them.
static void solve_path(sn_pose *pose, int32_t start, int32_t end)
{
    sni_accumulated root = root_of(pose);
    memset(pose->marks + start, 0, (size_t)(end - start) + 1);
    for (int32_t i = end; i > start; i = pose->model->nodes[i].parent) pose->marks[i] = 1;
    pose->marks[start] = 1;
    for (int32_t i = start; i <= end; i++)
        if (pose->marks[i]) sni_pose_solve_node(pose, (uint32_t)i, &root, view_of(pose));
}

void sn_pose_solve_below(sn_pose *pose, int32_t node)
{
    const sn_model *model = pose->model;
    if (!sni_has(model->node_count, node)) return;
    sni_accumulated root = root_of(pose);
    memset(pose->marks, 0, model->node_count);
    pose->marks[node] = 1;
    for (uint32_t i = (uint32_t)node; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        if (parent >= 0 && pose->marks[parent]) pose->marks[i] = 1;
        if (pose->marks[i]) sni_pose_solve_node(pose, i, &root, view_of(pose));
    }
    sni_pose_solve_palettes(pose, pose->marks);
}

void sn_pose_attach(sn_pose *pose, const sn_pose *to, int32_t node, const sn_mat34 *offset)
{
    if (!sni_has(to->model->node_count, node)) return;
    sn_mat34 world = to->worlds[node];
    if (offset) world = sni_mat34_mul(&world, offset);
    sn_pose_set_root(pose, &world);
}

int32_t sn_model_find_attachment(const sn_model *model, const char *name)
{
    for (uint32_t i = 0; i < model->attachment_count; i++)
        if (strcmp(model->attachments[i].name, name) == 0) return (int32_t)i;
    return -1;
}

sn_mat34 sn_pose_attachment(const sn_pose *pose, int32_t attachment)
{
    const sn_model *model = pose->model;
    return sn_pose_world(pose, sni_has(model->attachment_count, attachment) ? model->attachments[attachment].node : -1);
}

void sn_pose_aim(sn_pose *pose, const sn_aim *aim)
{
    turnable t;
    if (!sni_has(pose->model->node_count, aim->node) || !(aim->weight > 0.0f)) return;
    if (!sni_vec3_is_finite(aim->axis) || !sni_vec3_is_finite(aim->hinge) || !sni_vec3_is_finite(aim->target) ||
        isnan(aim->max_angle))
        return;
    if (!turnable_make(pose, aim->node, &t)) return;
    replace_matrix(pose, aim->node);

    // The axis is scaled before it is turned, unless the scale is in the base.
    sn_trs local = inherited_local(pose, aim->node);
    sn_vec3 axis = aim->axis, hinge = sni_unit(sni_quat_rotate(t.rotation, aim->hinge), sni_vec3(0, 0, 0));
    if (!(pose->model->nodes[aim->node].flags & SN_NODE_SCALE_PARENT_AXES))
        axis = sni_vec3(axis.x * local.scale.x, axis.y * local.scale.y, axis.z * local.scale.z);
    sn_vec3 from = sni_quat_rotate(t.rotation, axis), to = seen_from(&t, aim->target);
    bool has_hinge = sni_length(hinge) > 0.0;
    sn_quat turn = has_hinge ? hinge_between(hinge, from, to) : arc_between(from, to);
    turn = limit_angle(turn, aim->max_angle);
    set_rotation(pose, &t, sni_quat_mul(turn, t.rotation), aim->weight);
    sn_pose_solve_below(pose, aim->node);
}

// The triangle of two bones and the way to the target, in the space in which the start turns.
typedef struct limb {
    sn_vec3 middle;          // from the start
    sn_vec3 straight, side;  // the tip is at middle + straight * cos(angle) + side * sin(angle): from the middle back
                             // to the start at 0, straight on at pi
    double angle;            // now
    double distance;         // of the target
} limb;

static sn_vec3 tip_at(const limb *l, double angle)
{
    sn_vec3 out = sni_scale(l->straight, (float)cos(angle));
    return sni_add(l->middle, sni_add(out, sni_scale(l->side, (float)sin(angle))));
}

// How much too far from the start the tip is.
static double miss_at(const limb *l, double angle) { return sni_length(tip_at(l, angle)) - l->distance; }

// The angle at the middle that brings the tip as far from the start as the target is. By the law of cosines, which is
// exact unless scale makes the second bone's length depend on the angle; then by regula falsi (Illinois).
static double bend_angle(const limb *l, bool *is_in_reach)
{
    const double pi = 3.14159265358979323846;
    double low = 0.0, high = pi, low_miss = miss_at(l, low), high_miss = miss_at(l, high);
    double farthest = high_miss + l->distance, slack = 1e-6 * farthest;
    *is_in_reach = low_miss <= slack && high_miss >= -slack;
    if (high_miss <= 0.0) return pi;
    if (low_miss >= 0.0) return 0.0;

    double first = sni_length(l->middle), second = distance(tip_at(l, l->angle), l->middle);
    double cosine = (first * first + second * second - l->distance * l->distance) / (2.0 * first * second);
    double angle = acos(fmax(-1.0, fmin(cosine, 1.0)));
    bool was_low = false, was_high = false;
    for (int i = 0; i < 48; i++) {
        double miss = miss_at(l, angle);
        if (fabs(miss) <= 2e-7 * farthest) break;
        bool is_low = miss < 0.0;
        if (is_low) low = angle, low_miss = miss, high_miss *= was_low ? 0.5 : 1.0;
        else high = angle, high_miss = miss, low_miss *= was_high ? 0.5 : 1.0;
        was_low = is_low, was_high = !is_low;
        angle = (low * high_miss - high * low_miss) / (high_miss - low_miss);
    }
    return angle;
}

// False where a bone has no length.
static bool limb_make(limb *l, const turnable *start, const turnable *middle, sn_vec3 tip, sn_vec3 target,
                      sn_vec3 *hinge)
{
    const float least_sine = 1e-4f;  // less is rounding: the limb is straight
    sn_vec3 back = seen_from(middle, sni_mat34_column(&start->base, 3)), out = seen_from(middle, tip);
    sn_vec3 u = sni_unit(back, sni_vec3(0, 0, 0)), v = sni_unit(out, sni_vec3(0, 0, 0)), w = sni_cross(u, v);
    if (!(sni_dot(u, u) > 0.0f && sni_dot(v, v) > 0.0f)) return false;
    *hinge = sni_length(w) > least_sine ? sni_unit(w, w) : any_across(u);
    float length = (float)sni_length(out);
    sn_vec3 side = sni_cross(*hinge, u);
    l->angle = atan2(sni_dot(v, side), sni_dot(v, u));
    l->middle = seen_from(start, sni_mat34_column(&middle->base, 3));
    l->straight = into_base(start, sni_mat34_vector(&middle->base, sni_scale(u, length)));
    l->side = into_base(start, sni_mat34_vector(&middle->base, sni_scale(side, length)));
    l->distance = sni_length(seen_from(start, target));
    return sni_length(l->middle) > 0.0 && sni_vec3_is_finite(l->middle) && sni_vec3_is_finite(l->straight) &&
           sni_vec3_is_finite(l->side);
}

// The rotation that `end` needs now to look in model space as it did in `before`. Exact below equal scale.
static void restore_rotation(sn_pose *pose, const turnable *before)
{
    turnable now;
    if (!turnable_make(pose, before->node, &now)) return;
    sn_mat34 rotation = sni_quat_matrix(before->rotation), turned = { 0 };
    rotation = sni_mat34_mul(&before->base, &rotation);
    for (int c = 0; c < 3; c++) sni_mat34_set_column(&turned, c, into_base(&now, sni_mat34_column(&rotation, c)));
    set_rotation(pose, &now, sni_mat34_decompose(&turned).rotation, 1.0f);
}

bool sn_pose_two_bone_ik(sn_pose *pose, const sn_two_bone_ik *ik)
{
    const sn_model *model = pose->model;
    if (!sni_has(model->node_count, ik->start) || !sni_has(model->node_count, ik->middle)) return false;
    if (!sni_has(model->node_count, ik->end) || ik->start == ik->middle) return false;
    if (!is_above(model, ik->start, ik->middle) || !is_above(model, ik->middle, ik->end)) return false;
    if (!sni_vec3_is_finite(ik->tip) || !sni_vec3_is_finite(ik->target) ||
        (ik->has_pole && !sni_vec3_is_finite(ik->pole)))
        return false;

    turnable start, middle, end;
    if (!turnable_make(pose, ik->start, &start) || !turnable_make(pose, ik->middle, &middle)) return false;
    bool keeps_end = ik->keep_end_rotation && ik->end != ik->middle && turnable_make(pose, ik->end, &end);
    bool has_matrix = ik->weight > 0.0f && replace_matrix(pose, ik->start);
    if (ik->weight > 0.0f && replace_matrix(pose, ik->middle)) has_matrix = true;
    if (has_matrix) {
        solve_path(pose, ik->start, ik->end);
        turnable_make(pose, ik->start, &start);
        turnable_make(pose, ik->middle, &middle);
    }

    // Bend the middle until the tip is as far from the start as the target is.
    limb l = { 0 };
    bool is_in_reach = false;
    sn_vec3 tip = world_position(pose, ik->end, ik->tip), hinge, normal = { 0, 0, 0 };
    sn_vec3 reached = seen_from(&start, tip), goal = seen_from(&start, ik->target);
    sn_quat bend = middle.rotation;
    if (limb_make(&l, &start, &middle, tip, ik->target, &hinge)) {
        double angle = bend_angle(&l, &is_in_reach);
        bend = sni_quat_mul(sni_quat_axis(hinge, (float)(angle - l.angle)), middle.rotation);
        reached = tip_at(&l, angle);
        normal = sni_unit(sni_cross(l.straight, l.side), normal);
    }
    if (!(ik->weight > 0.0f)) return is_in_reach;

    // Turn the start until the tip is in the direction of the target, then about that direction, so that the knee is on
    // the side of the pole. Where the knee is follows from the plane of the limb: straight limbs have one, too.
    sn_quat turn = arc_between(reached, goal);
    sn_vec3 line = sni_unit(goal, sni_vec3(0, 0, 0)), knee = sni_cross(sni_quat_rotate(turn, normal), line);
    if (ik->has_pole && sni_length(knee) > 0.0) {
        sn_vec3 side = sni_across(line, seen_from(&start, ik->pole), knee);
        turn = sni_quat_mul(hinge_between(line, knee, side), turn);
    }
    set_rotation(pose, &start, sni_quat_mul(turn, start.rotation), ik->weight);

    // A middle that does not inherit rotation sees the start's turn from another side now.
    solve_path(pose, ik->start, ik->middle);
    turnable_make(pose, ik->middle, &middle);
    set_rotation(pose, &middle, bend, ik->weight);
    if (keeps_end) {
        solve_path(pose, ik->middle, ik->end);
        restore_rotation(pose, &end);
    }
    sn_pose_solve_below(pose, ik->start);
    return is_in_reach;
}

// A straight chain that points at a target within its reach, or away from it, would stay straight for ever: bends it a
// little.
static void bend_last(sn_pose *pose, int32_t start, int32_t end, sn_vec3 tip)
{
    turnable t;
    int32_t node = distance(tip, sni_mat34_column(&pose->worlds[end], 3)) > 0.0 ? end : pose->model->nodes[end].parent;
    if (node <= start || !turnable_make(pose, node, &t)) return;
    sn_quat turn = sni_quat_axis(any_across(seen_from(&t, tip)), 0.3f);
    set_rotation(pose, &t, sni_quat_mul(turn, t.rotation), 1.0f);
    solve_path(pose, start, end);
}

static double chain_length(const sn_pose *pose, int32_t start, int32_t end, sn_vec3 tip)
{
    double length = 0.0;
    sn_vec3 last = tip;
    for (int32_t i = end;; i = pose->model->nodes[i].parent) {
        sn_vec3 place = sni_mat34_column(&pose->worlds[i], 3);
        length += distance(last, place);
        if (i == start) return length;
        last = place;
    }
}

// Turns each node of the chain, the last one first, so that the tip comes as near to the target as this node alone can
// bring it.
static void sweep_chain(sn_pose *pose, int32_t start, int32_t end, sn_vec3 tip, sn_vec3 target)
{
    for (int32_t i = end;; i = pose->model->nodes[i].parent) {
        turnable t;
        if (turnable_make(pose, i, &t)) {
            sn_vec3 from = seen_from(&t, tip);
            sn_quat turn = arc_between(from, seen_from(&t, target));
            set_rotation(pose, &t, sni_quat_mul(turn, t.rotation), 1.0f);
            tip = sni_mat34_point(&t.base, sni_quat_rotate(turn, from));
        }
        if (i == start) break;
    }
    solve_path(pose, start, end);
}

float sn_pose_chain_ik(sn_pose *pose, const sn_chain_ik *ik)
{
    const sn_model *model = pose->model;
    if (!sni_has(model->node_count, ik->start) || !sni_has(model->node_count, ik->end)) return INFINITY;
    if (!is_above(model, ik->start, ik->end) || !sni_vec3_is_finite(ik->tip) || !sni_vec3_is_finite(ik->target))
        return INFINITY;
    sn_vec3 tip = world_position(pose, ik->end, ik->tip);
    if (!sni_vec3_is_finite(tip) || isnan(ik->weight)) return INFINITY;
    if (!(ik->weight > 0.0f)) return (float)distance(tip, ik->target);

    sn_vec3 target = sni_vec3_lerp(tip, ik->target, fminf(ik->weight, 1.0f));
    double length = chain_length(pose, ik->start, ik->end, tip), tolerance = fmax(ik->tolerance, 1e-6 * length);
    bool is_near = distance(target, sni_mat34_column(&pose->worlds[ik->start], 3)) < 0.999 * length, was_bent = false;
    uint32_t iterations = ik->iterations ? ik->iterations : 8;
    double left = distance(tip, target);
    if (left <= tolerance) return (float)distance(tip, ik->target);
    for (uint32_t i = 0; i < iterations && left > tolerance; i++) {
        sweep_chain(pose, ik->start, ik->end, tip, target);
        tip = world_position(pose, ik->end, ik->tip);
        double before = left;
        left = distance(tip, target);
        if (before - left > 1e-6 * length) continue;
        if (was_bent || !is_near || i + 1 == iterations) break;
        bend_last(pose, ik->start, ik->end, tip);
        tip = world_position(pose, ik->end, ik->tip);
        left = distance(tip, target);
        was_bent = true;
    }
    sn_pose_solve_below(pose, ik->start);
    return (float)distance(tip, ik->target);
}
