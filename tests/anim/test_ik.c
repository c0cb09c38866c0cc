// Aiming, inverse kinematics, attaching, and solving a part of a pose. Expected values come from geometry.
#include "hand_models.h"
#include "sinew/runtime.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const sn_vec3 X = { 1, 0, 0 }, Y = { 0, 1, 0 }, Z = { 0, 0, 1 };

// Vectors in double, independent of the library's

static uint32_t next_random(uint32_t *seed) { return *seed = *seed * 1664525u + 1013904223u; }

static float random_between(uint32_t *seed, float low, float high)
{
    return low + (high - low) * ((float)(next_random(seed) >> 8) / 16777216.0f);
}

static sn_vec3 random_vector(uint32_t *seed, float size)
{
    return (sn_vec3){ random_between(seed, -size, size), random_between(seed, -size, size),
                      random_between(seed, -size, size) };
}

static double length_of(sn_vec3 v) { return sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z); }
static sn_vec3 minus(sn_vec3 a, sn_vec3 b) { return (sn_vec3){ a.x - b.x, a.y - b.y, a.z - b.z }; }
static double dot(sn_vec3 a, sn_vec3 b) { return (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z; }
static double apart(sn_vec3 a, sn_vec3 b) { return length_of(minus(a, b)); }

static sn_vec3 along(sn_vec3 a, sn_vec3 direction, double distance)
{
    double d = distance / length_of(direction);
    return (sn_vec3){ (float)(a.x + direction.x * d), (float)(a.y + direction.y * d), (float)(a.z + direction.z * d) };
}

static double angle_between(sn_vec3 a, sn_vec3 b)
{
    sn_vec3 cross = { a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
    return atan2(length_of(cross), dot(a, b));
}

static sn_vec3 unit(sn_vec3 v) { return along((sn_vec3){ 0, 0, 0 }, v, 1); }
static sn_vec3 across(sn_vec3 axis, sn_vec3 v)
{
    return minus(v, along((sn_vec3){ 0, 0, 0 }, axis, dot(unit(axis), v)));
}

static sn_quat random_turn(uint32_t *seed)
{
    return quat_about(unit(random_vector(seed, 1)), random_between(seed, -3, 3));
}

static sn_trs random_rigid(uint32_t *seed)
{
    sn_trs trs = { random_vector(seed, 2), random_turn(seed), { 1, 1, 1 } };
    return trs;
}

static sn_vec3 point(const sn_pose *pose, int32_t node, sn_vec3 p)
{
    sn_mat34 w = sn_pose_world(pose, node);
    float out[3];
    for (int r = 0; r < 3; r++) out[r] = w.m[r][0] * p.x + w.m[r][1] * p.y + w.m[r][2] * p.z + w.m[r][3];
    return (sn_vec3){ out[0], out[1], out[2] };
}

static sn_vec3 place(const sn_pose *pose, int32_t node) { return point(pose, node, (sn_vec3){ 0, 0, 0 }); }

static sn_vec3 direction(const sn_pose *pose, int32_t node, sn_vec3 axis)
{
    return minus(point(pose, node, axis), place(pose, node));
}

// Everything that these functions may change.
typedef struct snapshot {
    sn_trs locals[RIG_NODES];
    sn_mat34 worlds[RIG_NODES], palette[RIG_NODES];
} snapshot;

static snapshot take(const sn_pose *pose, const sn_model *model)
{
    snapshot s;
    memset(&s, 0, sizeof s);
    for (uint32_t i = 0; i < model->node_count; i++) {
        s.locals[i] = sn_pose_local(pose, (int32_t)i);
        s.worlds[i] = sn_pose_world(pose, (int32_t)i);
    }
    if (model->skin_count) memcpy(s.palette, sn_pose_palette(pose, 0), model->skins[0].joint_count * sizeof(sn_mat34));
    return s;
}

#define assert_unchanged(before, pose, model)                   \
    do {                                                        \
        snapshot after_ = take(pose, model);                    \
        assert_memory_equal(&(before), &after_, sizeof after_); \
    } while (0)

static void assert_finite(const sn_pose *pose, const sn_model *model)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        sn_mat34 world = sn_pose_world(pose, (int32_t)i);
        for (int k = 0; k < 12; k++) assert_true(isfinite(world.m[k / 4][k % 4]));
        sn_quat q = sn_pose_local(pose, (int32_t)i).rotation;
        assert_within(sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w), 1, 1e-5);
    }
}

// A leg: hip at (0,10,0), thigh 2 down to the knee, shin 1.5 down to the ankle; toes below it. The knee is bent
// forward.
enum { PELVIS, THIGH, SHIN, FOOT, TOES };
static const double thigh_length = 2, shin_length = 1.5;

static void leg_init(test_rig *rig, sn_trs pelvis, double bend)
{
    rig_init(rig);
    rig_node(rig, -1, pelvis, 0);
    sn_trs thigh = trs_turn(X, -bend / 2), shin = trs_turn(X, bend), foot = trs_move(0, -1.5f, 0);
    thigh.translation = (sn_vec3){ 0, 10, 0 };
    shin.translation = (sn_vec3){ 0, -2, 0 };
    rig_node(rig, PELVIS, thigh, 0);
    rig_node(rig, THIGH, shin, 0);
    rig_node(rig, SHIN, foot, 0);
    rig_node(rig, FOOT, trs_move(0, 0, 0.5f), 0);
}

static sn_pose *pose_of(test_rig *rig)
{
    sn_pose *pose = sn_pose_create(&rig->model, NULL, NULL);
    assert_non_null(pose);
    return pose;
}

static sn_two_bone_ik leg_to(sn_vec3 target)
{
    return (sn_two_bone_ik){ .start = THIGH, .middle = SHIN, .end = FOOT, .target = target, .weight = 1 };
}

// Solving below

static void random_tree(test_rig *rig, uint32_t *seed, uint32_t more_flags)
{
    static int32_t joints[RIG_NODES];
    static sn_mat34 binds[RIG_NODES];
    const uint32_t flags[] = { 0, 0, 0, SN_NODE_SCALE_PARENT_AXES, more_flags };
    rig_init(rig);
    for (int32_t i = 0; i < 24; i++) {
        sn_trs rest = random_rigid(seed);
        rest.scale = (sn_vec3){ random_between(seed, 0.5f, 2), random_between(seed, 0.5f, 2),
                                random_between(seed, -2, -0.5f) };
        rig_node(rig, i == 0 ? -1 : (int32_t)(next_random(seed) >> 8) % i, rest, flags[(next_random(seed) >> 8) % 5]);
        joints[i] = i;
        binds[i] = mat34_move(1, (float)i, 0);
    }
    rig_skin(rig, 24, joints, binds);
}

static void test_solve_below_is_solve(void **state)
{
    (void)state;
    const uint32_t flags[] = { SN_NODE_OWN_ROTATION, SN_NODE_OWN_SCALE, SN_NODE_OWN_TRANSLATION, SN_NODE_BILLBOARD,
                               SN_NODE_BILLBOARD_Y };
    uint32_t seed = 1;
    sn_view view = { .right = { 1, 0, 0 }, .up = { 0, 1, 0 }, .back = { 0, 0, 1 } };
    for (int round = 0; round < 200; round++) {
        test_rig rig;
        random_tree(&rig, &seed, flags[round % 5]);
        sn_pose *part = pose_of(&rig), *whole = pose_of(&rig);
        sn_mat34 root = mat34_move(1, 2, 3);
        const sn_view *viewer = round % 2 ? &view : NULL;
        sn_pose_set_root(part, &root);
        sn_pose_set_root(whole, &root);
        sn_pose_solve(part, viewer);
        int32_t node = (int32_t)(next_random(&seed) >> 8) % 24;
        sn_trs local = random_rigid(&seed);
        sn_pose_set_local(part, node, local);
        sn_pose_set_local(whole, node, local);
        sn_pose_solve_below(part, node);
        sn_pose_solve(whole, viewer);
        snapshot expected = take(whole, &rig.model);
        assert_unchanged(expected, part, &rig.model);
        sn_pose_solve_below(part, -1);
        sn_pose_solve_below(part, 24);
        assert_unchanged(expected, part, &rig.model);
        sn_pose_free(part);
        sn_pose_free(whole);
    }
}

// After a fast solve, too, billboards below a node that is solved again stay turned to the viewer, and those who do not
// inherit find what they need above.
static void test_solve_below_after_a_motion(void **state)
{
    (void)state;
    uint32_t seed = 12;
    sn_view view = { .right = { 1, 0, 0 }, .up = { 0, 1, 0 }, .back = { 0, 0, 1 } };
    const uint32_t flags[] = { SN_NODE_OWN_ROTATION, SN_NODE_OWN_SCALE, SN_NODE_BILLBOARD };
    for (int round = 0; round < 100; round++) {
        test_rig rig;
        random_tree(&rig, &seed, flags[round % 3]);
        sn_motion *motion = sn_motion_create(&rig.model, NULL, NULL);
        sn_pose *part = pose_of(&rig), *whole = pose_of(&rig);
        int32_t node = (int32_t)(next_random(&seed) >> 8) % 24;
        sn_trs local = random_rigid(&seed);
        sn_motion_sample_solve(motion, part, -1, 0, 0, &view);
        sn_pose_set_local(part, node, local);
        sn_pose_solve_below(part, node);
        sn_pose_set_local(whole, node, local);
        sn_pose_solve(whole, &view);
        snapshot a = take(part, &rig.model), b = take(whole, &rig.model);
        for (uint32_t i = 0; i < 24 * 12; i++) {
            const float *x = &a.worlds[i / 12].m[i % 12 / 4][i % 4], *y = &b.worlds[i / 12].m[i % 12 / 4][i % 4];
            assert_within(*x, *y, 1e-4 * (1 + fabs(*y)));
        }
        sn_pose_free(part);
        sn_pose_free(whole);
        sn_motion_free(motion);
    }
}

// Attaching

static void test_attach(void **state)
{
    (void)state;
    test_rig man, sword;
    rig_init(&man);
    rig_init(&sword);
    sn_trs shoulder = trs_turn(Z, PI / 2);
    shoulder.translation = (sn_vec3){ 5, 0, 0 };
    int32_t hand = rig_node(&man, rig_node(&man, -1, shoulder, 0), trs_move(1, 0, 0), SN_NODE_ATTACHMENT);
    sn_attachment point_of_hand = { .name = "Hand Right Ref", .path = "", .node = hand, .id = -1 };
    man.model.attachments = &point_of_hand;
    man.model.attachment_count = 1;
    int32_t blade = rig_node(&sword, rig_node(&sword, -1, trs_identity, 0), trs_move(2, 0, 0), 0);
    sn_pose *holder = pose_of(&man), *held = pose_of(&sword);
    sn_pose_attach(held, holder, hand, NULL);
    sn_pose_solve(held, NULL);
    assert_vec3(place(held, blade), 5, 3, 0);  // the hand is at (5,1,0), its X points along Y
    sn_mat34 grip = mat34_move(-0.5f, 0, 0);
    sn_pose_attach(held, holder, hand, &grip);
    sn_pose_solve(held, NULL);
    assert_vec3(place(held, blade), 5, 2.5, 0);
    sn_pose_attach(held, holder, 99, NULL);
    sn_pose_attach(held, holder, -1, NULL);
    sn_pose_solve(held, NULL);
    assert_vec3(place(held, blade), 5, 2.5, 0);

    int32_t attachment = sn_model_find_attachment(&man.model, "Hand Right Ref");
    assert_int_equal(attachment, 0);
    assert_int_equal(sn_model_find_attachment(&man.model, "Hand"), -1);
    assert_near(sn_pose_attachment(holder, attachment).m[1][3], 1);
    sn_mat34 none = sn_pose_attachment(holder, 1);
    assert_memory_equal(&none, &mat34_identity, sizeof none);
    sn_pose_free(holder);
    sn_pose_free(held);
}

// Aiming

static void test_aim_points_at_the_target_below_any_scale(void **state)
{
    (void)state;
    uint32_t seed = 2;
    for (int round = 0; round < 300; round++) {
        test_rig rig;
        random_tree(&rig, &seed, round % 2 ? SN_NODE_OWN_ROTATION : SN_NODE_OWN_SCALE);
        sn_pose *pose = pose_of(&rig);
        sn_mat34 root = mat34_move(100, 0, -50);
        sn_pose_set_root(pose, &root);
        sn_pose_solve(pose, NULL);
        sn_aim aim = { .node = (int32_t)(next_random(&seed) >> 8) % 24, .axis = random_vector(&seed, 1), .weight = 1 };
        sn_vec3 from = place(pose, aim.node), away = random_vector(&seed, 1);
        aim.target = along(from, away, 50);
        sn_pose_aim(pose, &aim);
        assert_within(apart(place(pose, aim.node), from), 0, 1e-6);
        sn_vec3 now = direction(pose, aim.node, aim.axis);
        if (length_of(now) > 1e-3)  // small below many scales: the matrices themselves are no better than that
            assert_within(angle_between(now, away), 0, 2e-4 / fmin(1, length_of(now)));
        assert_finite(pose, &rig.model);

        snapshot before = take(pose, &rig.model);  // solved as sn_pose_solve would
        sn_pose_solve(pose, NULL);
        assert_unchanged(before, pose, &rig.model);
        sn_pose_free(pose);
    }
}

// A parent that turns and doubles; the node points along X in its own space.
static sn_pose *aimer(test_rig *rig)
{
    rig_init(rig);
    sn_trs above = { { 1, 2, 3 }, quat_about(Z, PI / 2), { 2, 2, 2 } };
    rig_node(rig, rig_node(rig, -1, above, 0), trs_move(1, 0, 0), 0);  // at (1,4,3), X along Y
    rig_node(rig, 1, trs_move(1, 0, 0), 0);                            // at (1,6,3)
    return pose_of(rig);
}

static void test_aim_limit_and_weight(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (int round = 0; round < 100; round++) {
        test_rig rig;
        sn_pose *pose = aimer(&rig);
        sn_vec3 away = random_vector(&seed, 1), before = direction(pose, 1, X);
        double needed = angle_between(before, away);
        sn_aim aim = { .node = 1, .axis = X, .target = along(place(pose, 1), away, 3), .max_angle = 0.5f, .weight = 1 };
        sn_pose_aim(pose, &aim);
        sn_vec3 now = direction(pose, 1, X);
        assert_within(angle_between(before, now), fmin(needed, 0.5), 1e-5);
        assert_within(angle_between(now, away), fmax(needed - 0.5, 0), 1e-5);  // on the shortest way
        assert_within(apart(place(pose, 2), place(pose, 1)), 2, 1e-5);
        sn_pose_free(pose);

        pose = aimer(&rig);
        aim.max_angle = 0;
        aim.weight = 0.25f;
        sn_pose_aim(pose, &aim);
        now = direction(pose, 1, X);
        assert_within(angle_between(before, now), needed * 0.25, 1e-5);
        assert_within(angle_between(now, away), needed * 0.75, 1e-5);
        aim.weight = 7;  // as 1
        sn_pose_aim(pose, &aim);
        assert_within(angle_between(direction(pose, 1, X), away), 0, 1e-5);
        snapshot once = take(pose, &rig.model);
        sn_pose_aim(pose, &aim);
        for (int32_t i = 0; i < 3; i++)
            for (int k = 0; k < 12; k++)
                assert_within(sn_pose_world(pose, i).m[k / 4][k % 4], once.worlds[i].m[k / 4][k % 4], 2e-6);
        sn_pose_free(pose);
    }
}

// Straight back: there is no shortest way, but there are ways.
static void test_aim_backwards(void **state)
{
    (void)state;
    test_rig rig;
    sn_pose *pose = aimer(&rig);
    sn_aim aim = { .node = 1, .axis = X, .target = { 1, -10, 3 }, .weight = 1 };
    sn_pose_aim(pose, &aim);
    assert_vec3(place(pose, 2), 1, 2, 3);
    aim.target = place(pose, 1);  // in the node itself: no direction
    sn_pose_aim(pose, &aim);
    assert_vec3(place(pose, 2), 1, 2, 3);
    sn_pose_free(pose);
}

// A tower that turns about Z, with a barrel that turns about its Y: the target is 3 ahead, 4 to the side, 5 up.
static void test_aim_about_a_hinge(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    int32_t tower = rig_node(&rig, rig_node(&rig, -1, trs_move(0, 0, 1), 0), trs_identity, 0);
    int32_t barrel = rig_node(&rig, tower, trs_identity, 0);
    sn_pose *pose = pose_of(&rig);
    sn_aim yaw = { .node = tower, .axis = X, .hinge = { 0, 0, 9 }, .target = { 3, 4, 6 }, .weight = 1 };
    sn_aim pitch = { .node = barrel, .axis = X, .hinge = Y, .target = { 3, 4, 6 }, .weight = 1 };
    sn_pose_aim(pose, &yaw);
    assert_vec3(direction(pose, tower, Z), 0, 0, 1);
    assert_vec3(direction(pose, tower, X), 0.6, 0.8, 0);
    sn_pose_aim(pose, &pitch);
    assert_vec3(direction(pose, barrel, X), 3 / sqrt(50), 4 / sqrt(50), 5 / sqrt(50));
    assert_vec3(direction(pose, barrel, Y), -0.8, 0.6, 0);
    yaw.target = (sn_vec3){ 0, 0, 100 };  // along the hinge: any direction is as good
    snapshot before = take(pose, &rig.model);
    sn_pose_aim(pose, &yaw);
    for (int k = 0; k < 12; k++)
        assert_near(sn_pose_world(pose, tower).m[k / 4][k % 4], before.worlds[tower].m[k / 4][k % 4]);
    sn_pose_free(pose);
}

static void test_aim_changes_nothing(void **state)
{
    (void)state;
    test_rig rig;
    sn_pose *pose = aimer(&rig);
    snapshot before = take(pose, &rig.model);
    const sn_aim good = { .node = 1, .axis = X, .target = { 7, 8, 9 }, .weight = 1 };
    sn_aim bad[9];
    for (int i = 0; i < 9; i++) bad[i] = good;
    bad[0].node = -1;
    bad[1].node = 3;
    bad[2].node = INT32_MAX;
    bad[3].target.x = NAN;
    bad[4].axis.y = INFINITY;
    bad[5].hinge.z = NAN;
    bad[6].weight = 0;
    bad[7].weight = NAN;
    bad[8].max_angle = NAN;
    for (int i = 0; i < 9; i++) {
        sn_pose_aim(pose, &bad[i]);
        assert_unchanged(before, pose, &rig.model);
    }
    sn_aim no_axis = good;
    no_axis.axis = (sn_vec3){ 0, 0, 0 };
    sn_pose_aim(pose, &no_axis);
    assert_finite(pose, &rig.model);
    sn_pose_free(pose);

    rig_init(&rig);  // below a scale of 0, and a billboard
    int32_t flat = rig_node(&rig, rig_node(&rig, -1, trs_stretch(1, 0, 1), 0), trs_identity, 0);
    int32_t sprite = rig_node(&rig, -1, trs_identity, SN_NODE_BILLBOARD);
    pose = pose_of(&rig);
    sn_view view = { .right = { 1, 0, 0 }, .up = { 0, 1, 0 }, .back = { 0, 0, 1 } };
    sn_pose_solve(pose, &view);
    before = take(pose, &rig.model);
    sn_aim aim = good;
    aim.node = flat;
    sn_pose_aim(pose, &aim);
    aim.node = sprite;
    sn_pose_aim(pose, &aim);
    assert_unchanged(before, pose, &rig.model);
    sn_pose_free(pose);
}

// Two bones

static void assert_leg_lengths(const sn_pose *pose, double scale)
{
    assert_within(apart(place(pose, THIGH), place(pose, SHIN)), thigh_length * scale, 2e-5 * scale);
    assert_within(apart(place(pose, SHIN), place(pose, FOOT)), shin_length * scale, 2e-5 * scale);
    assert_within(apart(place(pose, FOOT), place(pose, TOES)), 0.5 * scale, 2e-5 * scale);
}

static void test_leg_reaches(void **state)
{
    (void)state;
    uint32_t seed = 4;
    for (int round = 0; round < 500; round++) {
        test_rig rig;
        sn_trs pelvis = random_rigid(&seed);
        pelvis.scale = (sn_vec3){ 3, 3, 3 };
        if (round % 3 == 0) pelvis.scale.y = -3;  // mirrored
        leg_init(&rig, pelvis, round % 2 ? 0.7 : 0);
        sn_pose *pose = pose_of(&rig);
        sn_mat34 root = mat34_move(20, -10, 5);
        sn_pose_set_root(pose, &root);
        sn_pose_solve(pose, NULL);
        sn_vec3 hip = place(pose, THIGH);
        double distance = random_between(&seed, 1.6f, 10.4f);  // 3 * (2 - 1.5) to 3 * (2 + 1.5)
        sn_two_bone_ik ik = leg_to(along(hip, random_vector(&seed, 1), distance));
        ik.has_pole = round % 4 < 2;
        ik.pole = along(hip, random_vector(&seed, 1), random_between(&seed, 1, 30));
        assert_true(sn_pose_two_bone_ik(pose, &ik));
        assert_within(apart(place(pose, FOOT), ik.target), 0, 5e-5);
        assert_within(apart(place(pose, THIGH), hip), 0, 1e-6);
        assert_leg_lengths(pose, 3);

        // The law of cosines: 6^2 + 4.5^2 - 2 * 6 * 4.5 * cos(knee) = distance^2.
        sn_vec3 knee = place(pose, SHIN);
        double cosine = (36 + 20.25 - distance * distance) / 54;
        assert_within(angle_between(minus(hip, knee), minus(ik.target, knee)), acos(cosine), 2e-4);
        if (ik.has_pole) {
            sn_vec3 line = minus(ik.target, hip), side = across(line, minus(knee, hip));
            sn_vec3 pole = across(line, minus(ik.pole, hip));
            if (length_of(side) > 0.3 && length_of(pole) > 0.1) assert_within(angle_between(side, pole), 0, 2e-3);
        }
        snapshot once = take(pose, &rig.model);
        assert_true(sn_pose_two_bone_ik(pose, &ik));
        for (int32_t i = 0; i < 5; i++)
            assert_within(apart(place(pose, i),
                                (sn_vec3){ once.worlds[i].m[0][3], once.worlds[i].m[1][3], once.worlds[i].m[2][3] }),
                          0, 1e-3);  // almost straight, the knee moves by the square root of a rounding error
        sn_pose_free(pose);
    }
}

static void test_leg_keeps_its_bend(void **state)
{
    (void)state;
    test_rig rig;
    leg_init(&rig, trs_identity, 0.7);
    sn_pose *pose = pose_of(&rig);
    assert_true(place(pose, SHIN).z > 0.1f);  // the knee is in front, in the plane of Y and Z
    sn_two_bone_ik ik = leg_to((sn_vec3){ 0, 7.5f, 0 });
    assert_true(sn_pose_two_bone_ik(pose, &ik));
    // 2.5^2 = 2^2 + 1.5^2: a right angle; the knee is 2 * 1.5 / 2.5 from the line, 2 * 2 / 2.5 along it.
    assert_vec3(place(pose, SHIN), 0, 10 - 1.6, 1.2);
    assert_vec3(place(pose, FOOT), 0, 7.5, 0);
    ik.has_pole = true;
    ik.pole = (sn_vec3){ 5, 9, 0 };
    assert_true(sn_pose_two_bone_ik(pose, &ik));
    assert_vec3(place(pose, SHIN), 1.2, 10 - 1.6, 0);
    ik.pole = (sn_vec3){ 0, 9, -5 };
    assert_true(sn_pose_two_bone_ik(pose, &ik));
    assert_vec3(place(pose, SHIN), 0, 10 - 1.6, -1.2);
    ik.pole = (sn_vec3){ 0, 3, 0 };  // on the line: no side
    assert_true(sn_pose_two_bone_ik(pose, &ik));
    assert_vec3(place(pose, SHIN), 0, 10 - 1.6, -1.2);
    sn_pose_free(pose);
}

static void test_leg_out_of_reach(void **state)
{
    (void)state;
    uint32_t seed = 5;
    for (int round = 0; round < 100; round++) {
        test_rig rig;
        leg_init(&rig, random_rigid(&seed), round % 2 ? 0.7 : 0);
        sn_pose *pose = pose_of(&rig);
        sn_vec3 hip = place(pose, THIGH), away = random_vector(&seed, 1), straight = along(hip, away, 3.5);
        sn_two_bone_ik ik = leg_to(along(hip, away, random_between(&seed, 3.6f, 100)));
        ik.has_pole = round % 3 > 0;
        ik.pole = along(hip, random_vector(&seed, 1), 3);
        assert_false(sn_pose_two_bone_ik(pose, &ik));
        assert_within(apart(place(pose, FOOT), straight), 0, 2e-5);
        assert_within(apart(place(pose, SHIN), along(hip, away, 2)), 0, 2e-5);
        assert_leg_lengths(pose, 1);

        ik.target = along(hip, away, 0.25);  // too near: folded
        assert_false(sn_pose_two_bone_ik(pose, &ik));
        assert_within(apart(place(pose, FOOT), along(hip, away, 0.5)), 0, 2e-5);
        assert_leg_lengths(pose, 1);
        sn_pose_free(pose);
    }
}

// Where the pole is decides in which plane a straight leg lies: it must not roll at random.
static void test_straight_leg_does_not_roll(void **state)
{
    (void)state;
    sn_vec3 toes[2];
    for (int i = 0; i < 2; i++) {
        test_rig rig;
        leg_init(&rig, trs_identity, 0.7);
        sn_pose *pose = pose_of(&rig);
        sn_two_bone_ik ik = leg_to((sn_vec3){ 0, i ? 10 - 3.4999f : 3, 0 });
        ik.has_pole = true;
        ik.pole = (sn_vec3){ 5, 9, 0 };
        sn_pose_two_bone_ik(pose, &ik);
        toes[i] = minus(place(pose, TOES), place(pose, FOOT));
        sn_pose_free(pose);
    }
    assert_within(apart(toes[0], toes[1]), 0, 0.02);
    assert_vec3(toes[0], 0.5, 0, 0);
}

// Above the leg anything may be scaled; between its bones, too, while they bend in their plane.
static void test_leg_below_uneven_scale(void **state)
{
    (void)state;
    uint32_t seed = 6;
    for (int round = 0; round < 300; round++) {
        test_rig rig;
        sn_trs pelvis = random_rigid(&seed);
        pelvis.scale = (sn_vec3){ random_between(&seed, 0.5f, 2), random_between(&seed, -2, -0.5f),
                                  random_between(&seed, 0.5f, 2) };
        leg_init(&rig, pelvis, 1);
        if (round % 2) rig.nodes[THIGH].rest.scale = (sn_vec3){ random_between(&seed, 0.8f, 1.3f), 1.1f, 0.9f };
        if (round % 5 == 0) rig.nodes[SHIN].flags = SN_NODE_SCALE_PARENT_AXES;
        if (round % 5 == 1) rig.nodes[THIGH].flags = SN_NODE_SCALE_PARENT_AXES;
        sn_pose *pose = pose_of(&rig), *goal = pose_of(&rig);
        sn_trs thigh = rig.nodes[THIGH].rest, shin = rig.nodes[SHIN].rest;  // reached by construction
        thigh.rotation = random_turn(&seed);
        shin.rotation = quat_about(X, random_between(&seed, 0.3f, 2.5f));
        sn_pose_set_local(goal, THIGH, thigh);
        sn_pose_set_local(goal, SHIN, shin);
        sn_pose_solve(goal, NULL);
        sn_two_bone_ik ik = leg_to(place(goal, FOOT));
        ik.has_pole = round % 3 == 0;
        ik.pole = random_vector(&seed, 5);
        assert_true(sn_pose_two_bone_ik(pose, &ik));
        assert_within(apart(place(pose, FOOT), ik.target), 0, 2e-5);
        sn_pose_free(goal);
        sn_pose_free(pose);
    }
}

static void test_leg_with_a_middle_of_its_own_rotation(void **state)
{
    (void)state;
    uint32_t seed = 7;
    for (int round = 0; round < 100; round++) {
        test_rig rig;
        leg_init(&rig, random_rigid(&seed), 0.7);
        rig.nodes[SHIN].flags = SN_NODE_OWN_ROTATION;
        sn_pose *pose = pose_of(&rig);
        sn_vec3 hip = place(pose, THIGH);
        sn_two_bone_ik ik = leg_to(along(hip, random_vector(&seed, 1), random_between(&seed, 0.7f, 3.3f)));
        ik.has_pole = true;
        ik.pole = random_vector(&seed, 10);
        assert_true(sn_pose_two_bone_ik(pose, &ik));
        assert_within(apart(place(pose, FOOT), ik.target), 0, 2e-5);
        assert_leg_lengths(pose, 1);
        sn_pose_free(pose);
    }
}

// A skeleton without a foot: the tip is a point of the shin.
static void test_tip(void **state)
{
    (void)state;
    uint32_t seed = 8;
    for (int round = 0; round < 50; round++) {
        test_rig rig;
        leg_init(&rig, random_rigid(&seed), 0.7);
        sn_pose *pose = pose_of(&rig);
        sn_two_bone_ik ik = leg_to(along(place(pose, THIGH), random_vector(&seed, 1), 3));
        ik.end = SHIN;
        ik.tip = (sn_vec3){ 0, -1.5f, 0 };
        assert_true(sn_pose_two_bone_ik(pose, &ik));
        assert_within(apart(place(pose, FOOT), ik.target), 0, 2e-5);
        sn_pose_free(pose);

        pose = pose_of(&rig);
        sn_chain_ik chain = { .start = THIGH,
                              .end = SHIN,
                              .tip = ik.tip,
                              .target = ik.target,
                              .iterations = 200,
                              .tolerance = 1e-4f,
                              .weight = 1 };
        assert_true(sn_pose_chain_ik(pose, &chain) < 1e-3f);
        assert_within(apart(place(pose, FOOT), ik.target), 0, 1e-3);
        assert_leg_lengths(pose, 1);
        sn_pose_free(pose);
    }
}

static void test_foot_keeps_its_rotation(void **state)
{
    (void)state;
    uint32_t seed = 9;
    for (int round = 0; round < 100; round++) {
        test_rig rig;
        sn_trs pelvis = random_rigid(&seed);
        pelvis.scale = (sn_vec3){ 2, 2, round % 2 ? -2 : 2 };
        leg_init(&rig, pelvis, 0.7);
        sn_pose *pose = pose_of(&rig);
        sn_mat34 before = sn_pose_world(pose, FOOT);
        sn_two_bone_ik ik = leg_to(along(place(pose, THIGH), random_vector(&seed, 1), 5));
        ik.keep_end_rotation = true;
        ik.weight = round % 3 ? 1 : 0.4f;
        assert_true(sn_pose_two_bone_ik(pose, &ik));
        sn_mat34 after = sn_pose_world(pose, FOOT);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) assert_within(after.m[r][c], before.m[r][c], 1e-5);
        if (round % 3) assert_within(apart(place(pose, FOOT), ik.target), 0, 5e-5);
        assert_leg_lengths(pose, 2);
        sn_pose_free(pose);
    }
}

static void test_leg_weight(void **state)
{
    (void)state;
    test_rig rig;
    leg_init(&rig, trs_identity, 0.7);
    sn_pose *pose = pose_of(&rig), *full = pose_of(&rig);
    snapshot before = take(pose, &rig.model);
    sn_two_bone_ik ik = leg_to((sn_vec3){ 1, 7.5f, 1 });
    sn_pose_two_bone_ik(full, &ik);
    ik.weight = 0;
    assert_true(sn_pose_two_bone_ik(pose, &ik));  // reports all the same
    assert_unchanged(before, pose, &rig.model);
    ik.weight = -1;
    sn_pose_two_bone_ik(pose, &ik);
    assert_unchanged(before, pose, &rig.model);
    ik.weight = 0.5f;
    sn_pose_two_bone_ik(pose, &ik);
    for (int32_t i = THIGH; i <= SHIN; i++) {  // half way from the rotations before to those of weight 1
        sn_quat a = before.locals[i].rotation, b = sn_pose_local(full, i).rotation, q = sn_pose_local(pose, i).rotation;
        double to_a = fabs((double)a.x * q.x + (double)a.y * q.y + (double)a.z * q.z + (double)a.w * q.w);
        double to_b = fabs((double)b.x * q.x + (double)b.y * q.y + (double)b.z * q.z + (double)b.w * q.w);
        assert_within(to_a, to_b, 1e-6);
        assert_true(to_a < 0.9999);
    }
    assert_leg_lengths(pose, 1);
    sn_pose_free(pose);
    sn_pose_free(full);
}

static void test_leg_that_cannot_bend(void **state)
{
    (void)state;
    const sn_vec3 targets[] = {
        { 0, 10, 0 }, { 0, 9, 0 }, { 0, 11, 0 }, { 1, 9, 1 }, { 0, 10, 1e-30f }, { 0, 1e30f, 0 }
    };
    for (size_t i = 0; i < 6; i++)
        for (int without = 0; without < 4; without++) {  // bones without length, a straight leg, poles on the line
            test_rig rig;
            leg_init(&rig, trs_identity, 0);
            if (without & 1) rig.nodes[SHIN].rest.translation = (sn_vec3){ 0, 0, 0 };
            if (without & 2) rig.nodes[FOOT].rest.translation = (sn_vec3){ 0, 0, 0 };
            sn_pose *pose = pose_of(&rig);
            sn_two_bone_ik ik = leg_to(targets[i]);
            sn_pose_two_bone_ik(pose, &ik);
            assert_finite(pose, &rig.model);
            ik.has_pole = true;
            ik.pole = (sn_vec3){ 0, 10, 0 };
            sn_pose_two_bone_ik(pose, &ik);
            ik.pole = (sn_vec3){ 1e30f, -1e30f, 1e-30f };
            sn_pose_two_bone_ik(pose, &ik);
            assert_finite(pose, &rig.model);
            sn_pose_free(pose);
        }
    test_rig rig;  // straight, no pole, within reach: bends somewhere
    leg_init(&rig, trs_identity, 0);
    sn_pose *pose = pose_of(&rig);
    sn_two_bone_ik ik = leg_to((sn_vec3){ 0, 8, 0 });
    assert_true(sn_pose_two_bone_ik(pose, &ik));
    assert_vec3(place(pose, FOOT), 0, 8, 0);
    assert_leg_lengths(pose, 1);
    sn_pose_free(pose);
}

static void test_leg_changes_nothing(void **state)
{
    (void)state;
    test_rig rig;
    leg_init(&rig, trs_identity, 0.7);
    int32_t arm = rig_node(&rig, PELVIS, trs_move(1, 2, 3), 0);
    sn_pose *pose = pose_of(&rig);
    snapshot before = take(pose, &rig.model);
    sn_two_bone_ik bad[13];
    for (int i = 0; i < 13; i++) bad[i] = leg_to((sn_vec3){ 0, 8, 1 });
    bad[0].start = -1;
    bad[1].middle = 6;
    bad[2].end = INT32_MIN;
    bad[3].start = SHIN, bad[3].middle = THIGH;
    bad[4].end = arm;
    bad[5].start = arm;
    bad[6].target.y = NAN;
    bad[7].has_pole = true, bad[7].pole.z = INFINITY;
    bad[8].tip.x = NAN;
    bad[9].middle = THIGH;
    bad[10].end = THIGH;
    bad[11].weight = NAN;
    bad[12].middle = arm;
    for (int i = 0; i < 13; i++) {
        assert_int_equal(sn_pose_two_bone_ik(pose, &bad[i]), i == 11);
        assert_unchanged(before, pose, &rig.model);
    }
    sn_pose_free(pose);

    leg_init(&rig, trs_stretch(1, 0, 1), 0.7);
    pose = pose_of(&rig);
    before = take(pose, &rig.model);
    sn_two_bone_ik ik = leg_to((sn_vec3){ 0, 8, 1 });
    assert_false(sn_pose_two_bone_ik(pose, &ik));
    assert_unchanged(before, pose, &rig.model);
    sn_pose_free(pose);
}

// A node whose rest is a sheared matrix: turns as the nearest transform without shear.
static void test_leg_of_a_matrix(void **state)
{
    (void)state;
    static const sn_mat34 sheared = { { { 1, 0.2f, 0, 0 }, { 0, 1, 0, 10 }, { 0, 0, 1, 0 } } };
    test_rig rig;
    leg_init(&rig, trs_identity, 0.7);
    rig.nodes[THIGH].matrix = &sheared;
    rig.nodes[THIGH].rest = trs_move(0, 10, 0);
    sn_pose *pose = pose_of(&rig);
    sn_two_bone_ik ik = leg_to((sn_vec3){ 1, 8, 1 });
    snapshot before = take(pose, &rig.model);
    ik.weight = 0;
    sn_pose_two_bone_ik(pose, &ik);
    assert_unchanged(before, pose, &rig.model);
    ik.weight = 1;
    assert_true(sn_pose_two_bone_ik(pose, &ik));
    assert_vec3(place(pose, FOOT), 1, 8, 1);
    sn_pose_free(pose);
}

// Chains

enum { LINKS = 8 };

// Links of length 1 along Y, from the origin to (0,8,0), each turned a little.
static void chain_init(test_rig *rig, double bend)
{
    rig_init(rig);
    for (int32_t i = 0; i <= LINKS; i++) {
        sn_trs rest = trs_turn(Z, i ? bend : 0);
        if (i) rest.translation = Y;
        rig_node(rig, i - 1, rest, 0);
    }
}

static void assert_links(const sn_pose *pose)
{
    for (int32_t i = 1; i <= LINKS; i++) assert_within(apart(place(pose, i), place(pose, i - 1)), 1, 1e-5);
}

static void test_chain_reaches(void **state)
{
    (void)state;
    uint32_t seed = 10;
    for (int round = 0; round < 200; round++) {
        test_rig rig;
        chain_init(&rig, round % 2 ? 0.1 : 0);
        sn_pose *pose = pose_of(&rig);
        sn_vec3 target = along((sn_vec3){ 0, 0, 0 }, random_vector(&seed, 1), random_between(&seed, 0.5f, 7.5f));
        if (round % 10 == 0) target = (sn_vec3){ 0, random_between(&seed, 1, 7), 0 };  // along the straight chain
        sn_chain_ik ik = {
            .start = 0, .end = LINKS, .target = target, .iterations = 300, .tolerance = 1e-3f, .weight = 1
        };
        float left = sn_pose_chain_ik(pose, &ik);
        assert_within(left, apart(place(pose, LINKS), target), 1e-5);
        assert_true(left <= 1e-3f);
        assert_links(pose);
        snapshot before = take(pose, &rig.model);
        sn_pose_solve(pose, NULL);
        assert_unchanged(before, pose, &rig.model);
        assert_true(sn_pose_chain_ik(pose, &ik) == left);  // near enough: stays
        assert_unchanged(before, pose, &rig.model);
        sn_pose_free(pose);
    }
}

static void test_chain_out_of_reach(void **state)
{
    (void)state;
    test_rig rig;
    chain_init(&rig, 0.3);
    sn_pose *pose = pose_of(&rig);
    sn_chain_ik ik = { .start = 0, .end = LINKS, .target = { 20, 0, 0 }, .iterations = UINT32_MAX, .weight = 1 };
    assert_within(sn_pose_chain_ik(pose, &ik), 12, 0.02);
    assert_links(pose);
    sn_pose_free(pose);
}

// A chain of one link is an aim; uneven scale above it changes nothing in that.
static void test_chain_of_one(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    int32_t top = rig_node(&rig, -1, trs_stretch(2, 1, -3), 0);
    int32_t start = rig_node(&rig, top, trs_turn(X, 0.3), 0), end = rig_node(&rig, start, trs_move(0, 1, 0), 0);
    sn_pose *pose = pose_of(&rig);
    sn_vec3 target = { 4, 1, -5 };
    sn_chain_ik ik = { .start = start, .end = end, .target = target, .iterations = 4, .weight = 1 };
    sn_pose_chain_ik(pose, &ik);
    assert_within(angle_between(place(pose, end), target), 0, 1e-5);
    sn_pose_free(pose);
}

static void test_chain_weight(void **state)
{
    (void)state;
    test_rig rig;
    chain_init(&rig, 0.1);
    sn_pose *pose = pose_of(&rig);
    snapshot before = take(pose, &rig.model);
    sn_vec3 from = place(pose, LINKS), to = { 3, 1, 2 };
    sn_chain_ik ik = { .start = 0, .end = LINKS, .target = to, .iterations = 200, .tolerance = 1e-3f };
    assert_within(sn_pose_chain_ik(pose, &ik), apart(from, to), 1e-5);
    assert_unchanged(before, pose, &rig.model);
    ik.weight = 0.25f;
    assert_within(sn_pose_chain_ik(pose, &ik), 0.75 * apart(from, to), 2e-3);
    assert_within(apart(place(pose, LINKS), from), 0.25 * apart(from, to), 2e-3);
    assert_links(pose);
    sn_pose_free(pose);
}

static void test_chain_changes_nothing(void **state)
{
    (void)state;
    test_rig rig;
    chain_init(&rig, 0.1);
    sn_pose *pose = pose_of(&rig);
    snapshot before = take(pose, &rig.model);
    sn_chain_ik bad[7];
    for (int i = 0; i < 7; i++) bad[i] = (sn_chain_ik){ .start = 1, .end = 5, .target = { 1, 2, 3 }, .weight = 1 };
    bad[0].start = -1;
    bad[1].end = LINKS + 1;
    bad[2].start = 5, bad[2].end = 1;
    bad[3].target.x = NAN;
    bad[4].tip.z = INFINITY;
    bad[5].weight = NAN;
    bad[6].start = INT32_MAX;
    for (int i = 0; i < 7; i++) {
        assert_true(isinf(sn_pose_chain_ik(pose, &bad[i])));
        assert_unchanged(before, pose, &rig.model);
    }
    sn_chain_ik odd[4];  // nothing to do, but allowed
    for (int i = 0; i < 4; i++) odd[i] = (sn_chain_ik){ .start = 1, .end = 5, .target = { 1, 2, 3 }, .weight = 1 };
    odd[0].end = 1;
    odd[1].tolerance = NAN;
    odd[2].target = (sn_vec3){ 1e30f, -1e30f, 3 };
    odd[3].target = (sn_vec3){ 0, 0, 0 };
    for (int i = 0; i < 4; i++) {
        sn_pose_chain_ik(pose, &odd[i]);
        assert_finite(pose, &rig.model);
        assert_links(pose);
    }
    sn_pose_free(pose);
}

static float extreme(uint32_t *seed)
{
    const float values[] = { 0, 1, -1, 1e-45f, -1e-38f, 1e-20f, 1e20f, -1e38f, 3e38f, 0.5f };
    return values[(next_random(seed) >> 8) % 10];
}

static sn_vec3 extreme_vector(uint32_t *seed) { return (sn_vec3){ extreme(seed), extreme(seed), extreme(seed) }; }

// Whatever the numbers, local rotations stay rotations.
static void test_extremes(void **state)
{
    (void)state;
    uint32_t seed = 11;
    for (int round = 0; round < 3000; round++) {
        test_rig rig;
        chain_init(&rig, 0.2);
        for (int i = 0; i < 3; i++) {
            sn_node *node = &rig.nodes[(next_random(&seed) >> 8) % LINKS];
            if (i) node->rest.scale = extreme_vector(&seed);
            else node->rest.translation = extreme_vector(&seed);
            if (round % 3 == i) node->flags = SN_NODE_OWN_ROTATION | SN_NODE_OWN_SCALE;
        }
        sn_pose *pose = pose_of(&rig);
        sn_aim aim = { .node = 2, .axis = extreme_vector(&seed), .target = extreme_vector(&seed), .weight = 1 };
        if (round % 2) aim.hinge = extreme_vector(&seed);
        sn_two_bone_ik leg = { .start = 1,
                               .middle = 3,
                               .end = 5,
                               .target = extreme_vector(&seed),
                               .pole = extreme_vector(&seed),
                               .has_pole = round % 2,
                               .keep_end_rotation = round % 3 == 0,
                               .weight = 0.5f + (float)(round % 2) };
        sn_chain_ik chain = { .start = 2, .end = 7, .target = extreme_vector(&seed), .weight = 0.9f };
        sn_pose_aim(pose, &aim);
        sn_pose_two_bone_ik(pose, &leg);
        sn_pose_chain_ik(pose, &chain);
        for (int32_t i = 0; i <= LINKS; i++) {
            sn_quat q = sn_pose_local(pose, i).rotation;
            assert_within((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w, 1, 1e-5);
        }
        sn_pose_free(pose);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solve_below_is_solve),
        cmocka_unit_test(test_solve_below_after_a_motion),
        cmocka_unit_test(test_attach),
        cmocka_unit_test(test_aim_points_at_the_target_below_any_scale),
        cmocka_unit_test(test_aim_limit_and_weight),
        cmocka_unit_test(test_aim_backwards),
        cmocka_unit_test(test_aim_about_a_hinge),
        cmocka_unit_test(test_aim_changes_nothing),
        cmocka_unit_test(test_leg_reaches),
        cmocka_unit_test(test_leg_keeps_its_bend),
        cmocka_unit_test(test_leg_out_of_reach),
        cmocka_unit_test(test_straight_leg_does_not_roll),
        cmocka_unit_test(test_leg_below_uneven_scale),
        cmocka_unit_test(test_leg_with_a_middle_of_its_own_rotation),
        cmocka_unit_test(test_tip),
        cmocka_unit_test(test_foot_keeps_its_rotation),
        cmocka_unit_test(test_leg_weight),
        cmocka_unit_test(test_leg_that_cannot_bend),
        cmocka_unit_test(test_leg_changes_nothing),
        cmocka_unit_test(test_leg_of_a_matrix),
        cmocka_unit_test(test_chain_reaches),
        cmocka_unit_test(test_chain_out_of_reach),
        cmocka_unit_test(test_chain_of_one),
        cmocka_unit_test(test_chain_weight),
        cmocka_unit_test(test_chain_changes_nothing),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
