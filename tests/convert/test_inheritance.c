// Nodes that do not inherit all of their parents' transforms, and billboards: in a saved file, where every node
// inherits, they are where the rules of sinew.h place them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hand_models.h"

static const float clip_times[3] = { 0.0f, 0.5f, 1.0f };
static const sn_vec3 dot[1] = { { 1, 0, 0 } };

static int losses, resampled;
static void count_loss(void *user, const sn_warning *loss)
{
    (void)user;
    if (strcmp(sn_warning_name(loss->code), "RESAMPLED") == 0) resampled++;
    else losses++;
}

// A parent at (2,0,0) that turns about Z by 120 degrees twice, grows to twice its size and moves up; below it "child",
// one to the right, with these flags, turned by 90 degrees about X.
static sn_model *save_and_load(uint32_t flags, sn_axis up)
{
    static test_rig rig;
    static float turns[12], sizes[9] = { 1, 1, 1, 1.5f, 1.5f, 1.5f, 2, 2, 2 },
                            places[9] = { 2, 0, 0, 2, 0, 1, 2, 0, 2 };
    rig_init(&rig);
    for (int i = 0; i < 3; i++) {
        sn_quat turn = quat_about((sn_vec3){ 0, 0, 1 }, i * 2 * PI / 3);
        memcpy(turns + i * 4, &turn, sizeof turn);
    }
    int32_t parent = rig_node(&rig, -1, trs_move(2, 0, 0), 0);
    sn_trs rest = trs_move(1, 0, 0);
    rest.rotation = quat_about((sn_vec3){ 1, 0, 0 }, PI / 2);
    int32_t child = rig_node(&rig, parent, rest, flags);
    rig.nodes[parent].name = "parent", rig.nodes[child].name = "child";
    rig_mesh(&rig, 1, dot);
    rig_part(&rig, 0, child, -1);
    rig_track(&rig, SN_TARGET_NODE, parent, SN_CHANNEL_ROTATION, keys_of(SN_LINEAR, 3, 4, clip_times, turns));
    rig_track(&rig, SN_TARGET_NODE, parent, SN_CHANNEL_SCALE, keys_of(SN_LINEAR, 3, 3, clip_times, sizes));
    rig_track(&rig, SN_TARGET_NODE, parent, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, 3, 3, clip_times, places));
    rig.clip.name = "turn";
    rig.model.up_axis = up;
    sn_bytes bytes;
    sn_error error;
    losses = resampled = 0;
    sn_save_opts opts = { .keep_axes = true, .report = count_loss };
    if (sn_save_memory(&rig.model, "glb", &opts, &bytes, &error) != SN_OK) fail_msg("%s", error.message);
    sn_model *model = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    if (!model) fail_msg("%s", error.message);
    sn_bytes_free(&bytes);
    for (uint32_t i = 0; i < model->node_count; i++) assert_int_equal(model->nodes[i].flags, 0);
    return model;
}

typedef struct parent_state {
    double angle, size, height;
} parent_state;

static parent_state parent_at(double time) { return (parent_state){ time * 4 * PI / 3, 1 + time, 2 * time }; }

// The world matrix of the child, from its columns.
static void expect_world(sn_model *model, double time, const double axes[3][3], const double place[3])
{
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, time < 0 ? -1 : 0, (float)time, 0.0f);
    sn_pose_solve(pose, NULL);
    sn_mat34 world = sn_pose_world(pose, sn_model_find_node(model, "child"));
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) assert_within(world.m[r][c], axes[c][r], 4e-4);
        assert_within(world.m[r][3], place[r], 4e-4);
    }
    sn_pose_free(pose);
}

static const double times[] = { -1, 0, 0.11, 0.25, 0.5, 0.6, 0.75, 1 };

static void each_time(sn_model *model, bool own_translation, bool own_rotation, bool own_scale)
{
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        parent_state p = parent_at(times[i] < 0 ? 0 : times[i]);
        double angle = own_rotation ? 0 : p.angle, size = own_scale ? 1 : p.size, c = cos(angle), s = sin(angle);
        const double axes[3][3] = { { c * size, s * size, 0 }, { 0, 0, size }, { s * size, -c * size, 0 } };
        const double place[3] = { 2 + p.size * cos(p.angle), p.size * sin(p.angle), p.height }, rest[3] = { 3, 0, 0 };
        expect_world(model, times[i], axes, own_translation ? rest : place);
    }
}

static void what_is_not_inherited_is_baked(void **state)
{
    (void)state;
    for (int kinds = 1; kinds < 8; kinds++) {
        uint32_t flags = (kinds & 1 ? SN_NODE_OWN_TRANSLATION : 0u) | (kinds & 2 ? SN_NODE_OWN_ROTATION : 0u) |
                         (kinds & 4 ? SN_NODE_OWN_SCALE : 0u);
        sn_model *model = save_and_load(flags, SN_Y_UP);
        each_time(model, kinds & 1, kinds & 2, kinds & 4);
        assert_int_equal(losses, 0);
        if (kinds == 2) assert_int_equal(resampled, 0);  // the inverse of an arc is an arc
        const char *extras = model->nodes[sn_model_find_node(model, "child")].extras;
        assert_non_null(strstr(extras, "\"sinew_baked\":["));
        assert_int_equal(strstr(extras, "ownRotation") != NULL, (kinds & 2) != 0);
        sn_model_free(model);
    }
}

// The front of a billboard faces +Z, or +X where Z is up; its own rotation stays.
static void billboards_face_the_front(void **state)
{
    (void)state;
    for (int is_z_up = 0; is_z_up < 2; is_z_up++) {
        sn_model *model = save_and_load(SN_NODE_BILLBOARD, is_z_up ? SN_Z_UP : SN_Y_UP);
        each_time(model, false, true, false);
        assert_int_equal(losses, 1);
        sn_model_free(model);
    }
}

// A billboard that turns about its Z axis only, as far to +X as that goes.
static void locked_billboards_turn_about_their_axis(void **state)
{
    (void)state;
    sn_model *model = save_and_load(SN_NODE_BILLBOARD_Z, SN_Z_UP);
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        sn_pose_sample(pose, times[i] < 0 ? -1 : 0, (float)times[i], 0.0f);
        sn_pose_solve(pose, NULL);
        sn_mat34 world = sn_pose_world(pose, sn_model_find_node(model, "child"));
        parent_state p = parent_at(times[i] < 0 ? 0 : times[i]);

        // Its Z axis is where the parent leaves it, and no turn about it brings its X axis nearer to world X.
        assert_within(world.m[0][2] / p.size, sin(p.angle), 4e-4);
        assert_within(world.m[1][2] / p.size, -cos(p.angle), 4e-4);
        assert_within(world.m[0][0] / p.size, fabs(cos(p.angle)), 2e-3);
    }
    sn_pose_free(pose);
    sn_model_free(model);
}

// All nodes rest in one point, so the tolerance is nothing: the samples that there may be are spread over the whole
// curve, here from 0 to 1 with tangents of 0.
static void nodes_in_one_point_follow_their_curves(void **state)
{
    (void)state;
    static const float at[2] = { 0.0f, 1.0f }, curve[18] = { [12] = 1, [13] = 1, [14] = 1 };
    test_rig rig;
    rig_init(&rig);
    int32_t child = rig_node(&rig, rig_node(&rig, -1, trs_move(0, 0, 0), 0), trs_move(0, 0, 0),
                             SN_NODE_OWN_TRANSLATION);
    rig.nodes[child].name = "child";
    rig_mesh(&rig, 1, dot);
    rig_part(&rig, 0, child, -1);
    rig_track(&rig, SN_TARGET_NODE, child, SN_CHANNEL_TRANSLATION, keys_of(SN_HERMITE, 2, 3, at, curve));
    sn_bytes bytes;
    sn_error error;
    if (sn_save_memory(&rig.model, "glb", NULL, &bytes, &error) != SN_OK) fail_msg("%s", error.message);
    sn_model *model = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    sn_bytes_free(&bytes);
    if (!model) fail_msg("%s", error.message);
    for (double u = 0; u <= 1; u += 0.0625) {
        const double axes[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, value = u * u * (3 - 2 * u);
        const double place[3] = { value, value, value };
        expect_world(model, u, axes, place);
    }
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_inherited_is_baked),
        cmocka_unit_test(billboards_face_the_front),
        cmocka_unit_test(locked_billboards_turn_about_their_axis),
        cmocka_unit_test(nodes_in_one_point_follow_their_curves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
