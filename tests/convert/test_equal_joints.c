// A bone that weighs more because copies of it are in the group: formats with few influences lose nothing.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "sinew/build.h"

enum { COPIES = 5, VERTICES = 3 };

// A root with a bone that turns, and copies of the bone below it. All weigh the same. `moved` has a track of its own.
static sn_model *make_model(int32_t moved)
{
    const sn_vec3 positions[VERTICES] = { { 1, 0, 0 }, { 2, 0, 0 }, { 1, 1, 0 } };
    const uint32_t indices[3] = { 0, 1, 2 };
    const float times[2] = { 0, 1 }, turns[8] = { 0, 0, 0, 1, 0, 0, 0.6f, 0.8f };
    uint16_t joints[VERTICES * COPIES];
    float weights[VERTICES * COPIES];
    int32_t bones[COPIES];
    sn_mat34 binds[COPIES];
    sn_error error;
    sn_builder *b = sn_builder_create(NULL, NULL, &error);
    for (int32_t i = 0; i < COPIES; i++) {
        sn_node node = { .name = "bone", .parent = i == 0 ? -1 : 0, .rest = sn_trs_identity() };
        bones[i] = sn_builder_add_node(b, &node);
        binds[i] = (sn_mat34){ { { 1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    }
    for (int i = 0; i < VERTICES * COPIES; i++) joints[i] = (uint16_t)(i % COPIES), weights[i] = 1.0f / COPIES;
    const int32_t skin = sn_builder_add_skin(b, &(sn_skin){ "skin", bones, binds, COPIES });
    const int32_t mesh = sn_builder_add_mesh(b, &(sn_mesh){ .name = "mesh",
                                                            .vertex_count = VERTICES,
                                                            .index_count = 3,
                                                            .influence_count = COPIES,
                                                            .positions = positions,
                                                            .indices = indices,
                                                            .vertex_joints = joints,
                                                            .vertex_weights = weights });
    sn_builder_add_part(b,
                        &(sn_part){ .mesh = mesh, .node = 0, .skin = skin, .material = -1, .color = { 1, 1, 1, 1 } });
    const int32_t clip = sn_builder_add_clip(b, &(sn_clip){ .name = "Stand", .duration = 1, .loops = true });
    sn_track track = { .target_kind = SN_TARGET_NODE,
                       .channel = SN_CHANNEL_ROTATION,
                       .interpolation = SN_LINEAR,
                       .width = 4,
                       .key_count = 2,
                       .times = times,
                       .values = turns };
    sn_builder_add_track(b, clip, &track);
    track.target = moved;
    if (moved > 0) sn_builder_add_track(b, clip, &track);
    sn_model *model = sn_builder_finish(b, &error);
    if (!model) fail_msg("%s: %s", error.path, error.message);
    return model;
}

static void count_losses(void *user, const sn_warning *loss)
{
    *(int *)user += strstr(loss->message, "per vertex") != NULL;
}

// The first corner at the clip's end, of the model saved with at most four influences.
static sn_vec3 saved_corner(int32_t moved, int *losses)
{
    sn_model *model = make_model(moved);
    const sn_save_opts opts = { .max_influences = 4, .report = count_losses, .user = losses };
    sn_bytes bytes;
    sn_error error;
    assert_int_equal(sn_save_memory(model, "glb", &opts, &bytes, &error), SN_OK);
    sn_model *again = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    assert_non_null(again);
    assert_true(again->meshes[0].influence_count <= 4);
    sn_pose *pose = sn_pose_create(again, NULL, NULL);
    sn_vec3 places[VERTICES];
    sn_pose_sample(pose, 0, 0.999999f, 0.999999f);
    sn_pose_solve(pose, NULL);
    sn_skin_part(pose, 0, places, NULL, NULL);
    sn_pose_free(pose);
    sn_bytes_free(&bytes);
    sn_model_free(again);
    sn_model_free(model);
    return places[0];
}

// (1, 0, 0) turned by twice the angle whose sine is 0.6.
static void test_copies_count_as_one(void **state)
{
    (void)state;
    int losses = 0;
    const sn_vec3 corner = saved_corner(0, &losses);
    assert_int_equal(losses, 0);
    assert_float_equal(corner.x, 0.28, 1e-4);
    assert_float_equal(corner.y, 0.96, 1e-4);
}

// A copy that moves by itself is another bone.
static void test_a_copy_that_moves_counts(void **state)
{
    (void)state;
    int losses = 0;
    const sn_vec3 corner = saved_corner(1, &losses);  // a fifth is turned twice
    assert_int_equal(losses, 0);
    assert_float_equal(corner.x, 0.8f * 0.28f + 0.2f * (0.28f * 0.28f - 0.96f * 0.96f), 1e-4);
    assert_float_equal(corner.y, 0.8f * 0.96f + 0.2f * (2 * 0.28f * 0.96f), 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_copies_count_as_one),
                                        cmocka_unit_test(test_a_copy_that_moves_counts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
