// Spheres around parts that follow their transforms: what is outside the picture is not drawn.
#include "render/render.h"

static sni_ball ball_of_box(sn_vec3 low, sn_vec3 high)
{
    sn_vec3 half = sni_scale(sni_sub(high, low), 0.5f);
    return (sni_ball){ sni_add(low, half), (float)sni_length(half) };
}

static void widen(sn_vec3 *low, sn_vec3 *high, sn_vec3 point, float by)
{
    *low = sni_vec3(fminf(low->x, point.x - by), fminf(low->y, point.y - by), fminf(low->z, point.z - by));
    *high = sni_vec3(fmaxf(high->x, point.x + by), fmaxf(high->y, point.y + by), fmaxf(high->z, point.z + by));
}

static const sn_vec3 nowhere_low = { INFINITY, INFINITY, INFINITY }, nowhere_high = { -INFINITY, -INFINITY, -INFINITY };

static sni_ball ball_of_mesh(const sn_mesh *mesh)
{
    sn_vec3 low = nowhere_low, high = nowhere_high;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) widen(&low, &high, mesh->positions[i], 0);
    return mesh->vertex_count > 0 ? ball_of_box(low, high) : (sni_ball){ .radius = -1 };
}

static uint32_t joints_of_mesh(const sn_mesh *mesh)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < (uint64_t)mesh->vertex_count * mesh->influence_count; i++)
        if (mesh->vertex_joints[i] >= count) count = mesh->vertex_joints[i] + 1u;
    return count;
}

typedef struct box {
    sn_vec3 low, high;
} box;

// A vertex lies between where its joints would take it, so it is inside whatever holds all of those places.
static bool make_joint_balls(sn_drawable *drawable, uint32_t index)
{
    const sn_mesh *mesh = &drawable->model->meshes[index];
    sni_reach *reach = &drawable->reaches[index];
    reach->joint_count = joints_of_mesh(mesh);
    reach->joints = sni_new(&drawable->arena, sni_ball, reach->joint_count);
    box *boxes = sni_new(&drawable->arena, box, reach->joint_count);
    if (!reach->joints || !boxes) return false;
    for (uint32_t i = 0; i < reach->joint_count; i++) boxes[i] = (box){ nowhere_low, nowhere_high };
    for (uint64_t i = 0; i < (uint64_t)mesh->vertex_count * mesh->influence_count; i++) {
        box *b = &boxes[mesh->vertex_joints[i]];
        if (mesh->vertex_weights[i] != 0.0f) widen(&b->low, &b->high, mesh->positions[i / mesh->influence_count], 0);
    }
    for (uint32_t i = 0; i < reach->joint_count; i++)
        reach->joints[i] = boxes[i].low.x <= boxes[i].high.x ? ball_of_box(boxes[i].low, boxes[i].high)
                                                             : (sni_ball){ .radius = -1 };
    return true;
}

static bool make_morph_reach(sn_drawable *drawable, uint32_t index)
{
    const sn_mesh *mesh = &drawable->model->meshes[index];
    float *morphs = drawable->reaches[index].morphs = sni_new(&drawable->arena, float, mesh->morph_count);
    if (!morphs) return false;
    for (uint32_t i = 0; i < mesh->morph_count; i++)
        for (uint32_t k = 0; mesh->morphs[i].positions && k < mesh->vertex_count; k++)
            morphs[i] = fmaxf(morphs[i], (float)sni_length(mesh->morphs[i].positions[k]));
    return true;
}

bool sni_reaches_make(sn_drawable *drawable)
{
    for (uint32_t i = 0; i < drawable->model->mesh_count; i++) {
        drawable->reaches[i].whole = ball_of_mesh(&drawable->model->meshes[i]);
        if (!make_joint_balls(drawable, i) || !make_morph_reach(drawable, i)) return false;
    }
    return true;
}

// At least as much as the matrix stretches anything: the largest sum of a row of its transpose times itself bounds the
// square.
static float stretch_of(const sn_mat34 *m)
{
    float most = 0;
    for (int r = 0; r < 3; r++) {
        float sum = 0;
        for (int c = 0; c < 3; c++) sum += fabsf(sni_dot(sni_mat34_column(m, r), sni_mat34_column(m, c)));
        most = fmaxf(most, sum);
    }
    return sqrtf(most);
}

static sni_ball moved_ball(sni_ball ball, const sn_mat34 *by)
{
    return (sni_ball){ sni_mat34_point(by, ball.center), ball.radius * stretch_of(by) };
}

static float morph_reach(const sni_reach *reach, const sn_mesh *mesh, const float *weights)
{
    float sum = 0;
    for (uint32_t i = 0; weights && i < mesh->morph_count; i++) sum += fabsf(weights[i]) * reach->morphs[i];
    return sum;
}

static sni_ball ball_of_joints(const sni_reach *reach, const sn_mat34 *palette, float more)
{
    sn_vec3 low = nowhere_low, high = nowhere_high;
    for (uint32_t i = 0; i < reach->joint_count; i++) {
        sni_ball ball = reach->joints[i];
        if (ball.radius < 0) continue;
        ball.radius += more;
        ball = moved_ball(ball, &palette[i]);
        widen(&low, &high, ball.center, ball.radius);
    }
    return low.x <= high.x ? ball_of_box(low, high) : (sni_ball){ .radius = -1 };
}

sni_ball sni_ball_of_part(const sn_actor *actor, int32_t index)
{
    const sn_model *model = actor->drawable->model;
    const sn_part *part = &model->parts[index];
    const sn_mesh *mesh = &model->meshes[part->mesh];
    const sni_reach *reach = &actor->drawable->reaches[part->mesh];
    sni_ball ball = reach->whole;
    float more = morph_reach(reach, mesh, sn_pose_morphs(actor->pose, index));
    if (ball.radius < 0) return ball;
    if (mesh->influence_count > 0) {
        ball = ball_of_joints(reach, sn_pose_palette(actor->pose, part->skin), more);
    } else {
        sn_mat34 world = sn_pose_world(actor->pose, part->node);
        ball.radius += more;
        ball = moved_ball(ball, &world);
    }
    return actor->place && ball.radius >= 0 ? moved_ball(ball, actor->place) : ball;
}

// The six planes of what is seen are sums and differences of the matrix's rows.
bool sni_ball_is_seen(const sni_mat44 *clip, sni_ball ball)
{
    const float *m = clip->m;
    if (ball.radius < 0) return false;
    for (int plane = 0; plane < 6; plane++) {
        int row = plane / 2;
        float sign = plane % 2 ? -1.0f : 1.0f, p[4];
        for (int c = 0; c < 4; c++) p[c] = m[c * 4 + 3] + sign * m[c * 4 + row];
        sn_vec3 normal = { p[0], p[1], p[2] };
        if (sni_dot(normal, ball.center) + p[3] < -ball.radius * (float)sni_length(normal)) return false;
    }
    return true;
}
