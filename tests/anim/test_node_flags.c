// Nodes that stand apart from their parents: billboards and don't-inherit flags.
#include "hand_models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const sn_vec3 X = { 1, 0, 0 }, Y = { 0, 1, 0 }, Z = { 0, 0, 1 };

static sn_vec3 column(const sn_pose *pose, int32_t node, int i)
{
    sn_mat34 world = sn_pose_world(pose, node);
    return (sn_vec3){ world.m[0][i], world.m[1][i], world.m[2][i] };
}

// up x back = right, for any viewer.
static sn_view viewer(sn_vec3 back, sn_vec3 up)
{
    sn_vec3 right = { up.y * back.z - up.z * back.y, up.z * back.x - up.x * back.z, up.x * back.y - up.y * back.x };
    return (sn_view){ .right = right, .up = up, .back = back };
}

// A parent that moves, turns a quarter about Z and doubles; below it the node, at (1,0,0).
static int32_t rig_below(test_rig *rig, sn_axis up, sn_trs own, uint32_t flags)
{
    rig_init(rig);
    rig->model.up_axis = up;
    sn_trs above = { { 1, 2, 3 }, quat_about(Z, PI / 2), { 2, 2, 2 } };
    own.translation = X;
    return rig_node(rig, rig_node(rig, -1, above, 0), own, flags);
}

static sn_pose *solved(test_rig *rig, const sn_mat34 *root, const sn_view *view)
{
    sn_pose *pose = sn_pose_create(&rig->model, NULL, NULL);
    sn_pose_set_root(pose, root);
    sn_pose_solve(pose, view);
    return pose;
}

static void test_billboard_faces_x_where_z_is_up(void **state)
{
    (void)state;
    test_rig rig;
    int32_t node = rig_below(&rig, SN_Z_UP, trs_identity, SN_NODE_BILLBOARD);
    sn_view view = viewer((sn_vec3){ -1, 0, 0 }, Z);  // right is (0,-1,0)
    sn_pose *pose = solved(&rig, NULL, &view);
    assert_vec3(column(pose, node, 0), -2, 0, 0);
    assert_vec3(column(pose, node, 1), 0, -2, 0);
    assert_vec3(column(pose, node, 2), 0, 0, 2);
    assert_vec3(column(pose, node, 3), 1, 4, 3);  // its place is its parent's business
    sn_pose_solve(pose, NULL);
    assert_vec3(column(pose, node, 0), 0, 2, 0);  // nobody looks: like any node
    sn_pose_free(pose);
}

static void test_billboard_faces_z_where_y_is_up(void **state)
{
    (void)state;
    test_rig rig;
    int32_t node = rig_below(&rig, SN_Y_UP, trs_identity, SN_NODE_BILLBOARD);
    sn_view view = viewer(X, Y);  // right is (0,0,-1)
    sn_pose *pose = solved(&rig, NULL, &view);
    assert_vec3(column(pose, node, 0), 0, 0, -2);
    assert_vec3(column(pose, node, 1), 0, 2, 0);
    assert_vec3(column(pose, node, 2), 2, 0, 0);
    sn_pose_free(pose);
}

static void test_billboard_keeps_its_own_turn_but_not_the_roots(void **state)
{
    (void)state;
    const sn_mat34 tipped = { { { 1, 0, 0, 0 }, { 0, 0, -1, 0 }, { 0, 1, 0, 0 } } };
    test_rig rig;
    int32_t node = rig_below(&rig, SN_Z_UP, trs_turn(X, PI / 2), SN_NODE_BILLBOARD | SN_NODE_BILLBOARD_Z);
    sn_view view = viewer((sn_vec3){ -1, 0, 0 }, Z);
    sn_pose *pose = solved(&rig, &tipped, &view);
    assert_vec3(column(pose, node, 0), -2, 0, 0);
    assert_vec3(column(pose, node, 1), 0, 0, 2);  // Y turned to Z first
    assert_vec3(column(pose, node, 2), 0, 2, 0);
    assert_vec3(column(pose, node, 3), 1, -3, 4);
    sn_pose_free(pose);
}

static void test_children_of_a_billboard_follow_it(void **state)
{
    (void)state;
    test_rig rig;
    int32_t node = rig_below(&rig, SN_Z_UP, trs_identity, SN_NODE_BILLBOARD);
    int32_t child = rig_node(&rig, node, trs_move(1, 0, 0), 0);
    sn_view view = viewer((sn_vec3){ -1, 0, 0 }, Z);
    sn_pose *pose = solved(&rig, NULL, &view);
    assert_vec3(column(pose, child, 3), -1, 4, 3);
    assert_vec3(column(pose, child, 0), -2, 0, 0);
    sn_pose_free(pose);
}

// The viewer is up at 45 degrees over +X. About Z the node turns back its parent's quarter turn and stays upright.
static void test_lock_on_the_up_axis(void **state)
{
    (void)state;
    float h = (float)sqrt(0.5);
    test_rig rig;
    int32_t node = rig_below(&rig, SN_Z_UP, trs_identity, SN_NODE_BILLBOARD_Z);
    sn_view view = viewer((sn_vec3){ h, 0, h }, (sn_vec3){ -h, 0, h });
    sn_pose *pose = solved(&rig, NULL, &view);
    assert_vec3(column(pose, node, 0), 2, 0, 0);
    assert_vec3(column(pose, node, 2), 0, 0, 2);
    sn_pose_free(pose);

    node = rig_below(&rig, SN_Y_UP, trs_turn(Z, -PI / 2), SN_NODE_BILLBOARD_Y);  // its own turn undoes the parent's
    view = viewer((sn_vec3){ h, h, 0 }, (sn_vec3){ -h, h, 0 });
    pose = solved(&rig, NULL, &view);
    assert_vec3(column(pose, node, 2), 2, 0, 0);
    assert_vec3(column(pose, node, 1), 0, 2, 0);
    sn_pose_free(pose);
}

static void test_lock_turns_about_the_nodes_own_axis(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    rig.model.up_axis = SN_Z_UP;
    int32_t node = rig_node(&rig, rig_node(&rig, -1, trs_turn(X, PI / 2), 0), trs_identity, SN_NODE_BILLBOARD_Z);
    sn_view view = viewer(Z, Y);
    sn_pose *pose = solved(&rig, NULL, &view);
    assert_vec3(column(pose, node, 0), 0, 0, 1);   // the front has found the viewer
    assert_vec3(column(pose, node, 2), 0, -1, 0);  // the axis lies where the parent put it
    sn_pose_free(pose);
}

static void test_lock_on_the_side_axis(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    rig.model.up_axis = SN_Z_UP;
    int32_t node = rig_node(&rig, -1, trs_identity, SN_NODE_BILLBOARD_Y);
    sn_view view = viewer(Z, Y);
    sn_pose *pose = solved(&rig, NULL, &view);
    assert_vec3(column(pose, node, 0), 0, 0, 1);
    assert_vec3(column(pose, node, 1), 0, 1, 0);
    sn_pose_free(pose);
}

// atan2(ray.z, ray.y) about X, with Z mirrored.
static void test_lock_on_the_front_axis(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    rig.model.up_axis = SN_Z_UP;
    int32_t node = rig_node(&rig, -1, trs_identity, SN_NODE_BILLBOARD_X | SN_NODE_BILLBOARD_Z);  // X goes first
    sn_view view = viewer(Y, Z);
    sn_pose *pose = solved(&rig, NULL, &view);
    assert_vec3(column(pose, node, 1), 0, 1, 0);
    assert_vec3(column(pose, node, 2), 0, 0, -1);
    view = viewer(Z, Y);
    sn_pose_solve(pose, &view);
    assert_vec3(column(pose, node, 0), 1, 0, 0);
    assert_vec3(column(pose, node, 1), 0, 0, 1);
    assert_vec3(column(pose, node, 2), 0, 1, 0);
    sn_pose_free(pose);
}

static void test_own_rotation(void **state)
{
    (void)state;
    const sn_mat34 about = { { { -1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, -1, 0 } } };  // half a turn about Y
    test_rig rig;
    int32_t node = rig_below(&rig, SN_Z_UP, trs_turn(X, PI / 2), SN_NODE_OWN_ROTATION);
    sn_pose *pose = solved(&rig, NULL, NULL);
    assert_vec3(column(pose, node, 0), 2, 0, 0);
    assert_vec3(column(pose, node, 1), 0, 0, 2);
    assert_vec3(column(pose, node, 2), 0, -2, 0);
    assert_vec3(column(pose, node, 3), 1, 4, 3);
    sn_pose_set_root(pose, &about);  // the whole instance turns: that still reaches it
    sn_pose_solve(pose, NULL);
    assert_vec3(column(pose, node, 0), -2, 0, 0);
    assert_vec3(column(pose, node, 1), 0, 0, -2);
    assert_vec3(column(pose, node, 2), 0, -2, 0);
    assert_vec3(column(pose, node, 3), -1, 4, -3);
    sn_pose_free(pose);
}

static void test_own_scale(void **state)
{
    (void)state;
    const sn_mat34 triple = { { { 3, 0, 0, 0 }, { 0, 3, 0, 0 }, { 0, 0, 3, 0 } } };
    test_rig rig;
    int32_t node = rig_below(&rig, SN_Z_UP, trs_turn(X, PI / 2), SN_NODE_OWN_SCALE);
    sn_pose *pose = solved(&rig, NULL, NULL);
    assert_vec3(column(pose, node, 0), 0, 1, 0);
    assert_vec3(column(pose, node, 1), 0, 0, 1);
    assert_vec3(column(pose, node, 2), 1, 0, 0);
    assert_vec3(column(pose, node, 3), 1, 4, 3);
    sn_pose_set_root(pose, &triple);
    sn_pose_solve(pose, NULL);
    assert_vec3(column(pose, node, 0), 0, 3, 0);
    assert_vec3(column(pose, node, 3), 3, 12, 9);
    sn_pose_free(pose);
}

// A parent that mirrors all three axes: what undoes a scale must undo a mirror, not turn about.
static void test_own_scale_and_billboards_below_a_mirror(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    rig.model.up_axis = SN_Z_UP;
    sn_trs mirror = { { 1, 2, 3 }, quat_about(Z, PI / 2), { -2, -2, -2 } };
    int32_t parent = rig_node(&rig, -1, mirror, 0);
    int32_t own = rig_node(&rig, parent, trs_move(1, 0, 0), SN_NODE_OWN_SCALE);
    int32_t turned = rig_node(&rig, parent, trs_identity, SN_NODE_BILLBOARD);
    sn_view view = viewer((sn_vec3){ -1, 0, 0 }, Z);
    sn_pose *pose = solved(&rig, NULL, &view);
    assert_vec3(column(pose, own, 0), 0, 1, 0);  // the quarter turn and nothing else
    assert_vec3(column(pose, own, 1), -1, 0, 0);
    assert_vec3(column(pose, own, 2), 0, 0, 1);
    assert_vec3(column(pose, own, 3), 1, 0, 3);
    assert_vec3(column(pose, turned, 0), 2, 0, 0);  // -2 times (-1,0,0)
    assert_vec3(column(pose, turned, 1), 0, 2, 0);
    assert_vec3(column(pose, turned, 2), 0, 0, -2);
    sn_pose_free(pose);
}

static void test_own_scale_below_nothing(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    const uint32_t flags = SN_NODE_OWN_SCALE | SN_NODE_OWN_ROTATION | SN_NODE_OWN_TRANSLATION;
    int32_t flat = rig_node(&rig, rig_node(&rig, -1, trs_stretch(0, 1, 1e-45f), 0), trs_turn(Y, 1), flags);
    int32_t gone = rig_node(&rig, rig_node(&rig, -1, trs_stretch(0, 0, 0), 0), trs_identity, flags | SN_NODE_BILLBOARD);
    sn_view view = viewer(X, Y);
    sn_pose *pose = solved(&rig, NULL, &view);
    for (int i = 0; i < 4; i++) {
        sn_vec3 c = column(pose, flat, i);
        assert_true(isfinite(c.x) && isfinite(c.y) && isfinite(c.z));
        assert_vec3(column(pose, gone, i), 0, 0, 0);
    }
    sn_pose_free(pose);
}

// It stood at (11,2,3) and was itself moved by 5 along Z: there it stays, whatever its parent does.
static void test_own_translation(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    int32_t parent = rig_node(&rig, -1, trs_move(1, 2, 3), 0);
    int32_t node = rig_node(&rig, parent, trs_move(10, 0, 0), SN_NODE_OWN_TRANSLATION);
    int32_t child = rig_node(&rig, node, trs_move(1, 0, 0), 0);
    sn_pose *pose = solved(&rig, NULL, NULL);
    assert_vec3(column(pose, node, 3), 11, 2, 3);
    sn_trs thrown = trs_turn(Z, PI / 2);
    thrown.translation = (sn_vec3){ 100, 0, 0 };
    sn_pose_set_local(pose, parent, thrown);
    sn_pose_set_local(pose, node, trs_move(10, 0, 5));
    sn_mat34 root = mat34_move(0, 0, 1000);
    sn_pose_set_root(pose, &root);
    sn_pose_solve(pose, NULL);
    assert_vec3(column(pose, node, 3), 11, 2, 1008);
    assert_vec3(column(pose, node, 0), 0, 1, 0);  // turns with its parent all the same
    assert_vec3(column(pose, child, 3), 11, 3, 1008);
    sn_pose_free(pose);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_billboard_faces_x_where_z_is_up),
        cmocka_unit_test(test_billboard_faces_z_where_y_is_up),
        cmocka_unit_test(test_billboard_keeps_its_own_turn_but_not_the_roots),
        cmocka_unit_test(test_children_of_a_billboard_follow_it),
        cmocka_unit_test(test_lock_on_the_up_axis),
        cmocka_unit_test(test_lock_turns_about_the_nodes_own_axis),
        cmocka_unit_test(test_lock_on_the_side_axis),
        cmocka_unit_test(test_lock_on_the_front_axis),
        cmocka_unit_test(test_own_rotation),
        cmocka_unit_test(test_own_scale),
        cmocka_unit_test(test_own_scale_and_billboards_below_a_mirror),
        cmocka_unit_test(test_own_scale_below_nothing),
        cmocka_unit_test(test_own_translation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
