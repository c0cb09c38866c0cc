// Framing without props that are parked far away. The model is a row of squares of side 2; each is two triangles.
#include "hand_models.h"
#include "shoot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 8 };

static const sn_vec3 square[4] = { { -1, -1, 0 }, { 1, -1, 0 }, { 1, 1, 0 }, { -1, 1, 0 } };
static const uint32_t square_indices[6] = { 0, 1, 2, 0, 2, 3 };

// The box that is framed when squares are at these places.
static sn_framing frame_squares(const sn_vec3 *places, int count)
{
    sn_node nodes[MOST];
    sn_part parts[MOST];
    const sn_mesh mesh = { .name = "",
                           .topology = SN_TRIANGLES,
                           .vertex_count = 4,
                           .index_count = 6,
                           .positions = square,
                           .indices = square_indices };
    for (int32_t i = 0; i < count; i++) {
        nodes[i] = (sn_node){ .name = "",
                              .parent = -1,
                              .rest = { .translation = places[i], .rotation = { 0, 0, 0, 1 }, .scale = { 1, 1, 1 } } };
        parts[i] = (sn_part){ .node = i, .skin = -1, .material = -1, .lod = -1, .color = { 1, 1, 1, 1 } };
    }
    const sn_model model = { .name = "",
                             .format = "test",
                             .lod_count = 1,
                             .default_scene = -1,
                             .nodes = nodes,
                             .node_count = (uint32_t)count,
                             .meshes = &mesh,
                             .mesh_count = 1,
                             .parts = parts,
                             .part_count = (uint32_t)count };
    sn_framing framing = sn_framing_begin(0, 0, 1);
    sn_pose *pose = sn_pose_create(&model, NULL, NULL);
    assert_non_null(pose);
    sn_pose_solve(pose, NULL);
    assert_int_equal(sn_framing_add_pose(&framing, pose, &model, NULL), SN_OK);
    sn_pose_free(pose);
    return framing;
}

static void assert_box(sn_framing framing, float left, float bottom, float right, float top)
{
    const float found[4] = { framing.min.x, framing.min.y, framing.max.x, framing.max.y },
                expected[4] = { left, bottom, right, top };
    for (int i = 0; i < 4; i++)
        if (fabsf(found[i] - expected[i]) > 1e-3f)
            fail_msg("side %d is at %g, not at %g", i, (double)found[i], (double)expected[i]);
}

static void test_parked_props_are_left_out(void **state)
{
    (void)state;
    const sn_vec3 below[4] = { { 0, 0, 0 }, { 2, 0, 0 }, { 0, 2, 0 }, { 0, -900, 0 } };
    assert_box(frame_squares(below, 4), -1, -1, 3, 3);
    const sn_vec3 around[6] = { { 0, 0, 0 }, { 2, 0, 0 },       { 4, 0, 0 },
                                { 0, 0, 0 }, { -1e5f, 300, 0 }, { 200, 200, 1e4f } };
    assert_box(frame_squares(around, 6), -1, -1, 5, 1);
}

// The diagonal of three squares in a row is 6.3: 18 is near, 20 is far.
static void test_near_props_are_kept(void **state)
{
    (void)state;
    const sn_vec3 near[4] = { { 0, 0, 0 }, { 2, 0, 0 }, { 4, 0, 0 }, { 0, 20, 0 } },
                  far[4] = { { 0, 0, 0 }, { 2, 0, 0 }, { 4, 0, 0 }, { 0, 22, 0 } };
    assert_box(frame_squares(near, 4), -1, -1, 5, 21);
    assert_box(frame_squares(far, 4), -1, -1, 5, 1);
}

// Posts along a road: none of them is the model.
static void test_equals_are_kept(void **state)
{
    (void)state;
    const sn_vec3 road[5] = { { 0, 0, 0 }, { 100, 0, 0 }, { 200, 0, 0 }, { 300, 0, 0 }, { 400, 0, 0 } };
    assert_box(frame_squares(road, 5), -1, -1, 401, 1);
}

// A blade: its tip is far from the other vertices, but joined to them.
static void test_long_triangles_are_kept(void **state)
{
    (void)state;
    static const sn_vec3 points[7] = { { -1, -1, 0 }, { 1, -1, 0 }, { 1, 1, 0 },  { -1, 1, 0 },
                                       { -1, 1, 0 },  { 1, 1, 0 },  { 0, 500, 0 } };
    static const uint32_t indices[15] = { 0, 1, 2, 0, 2, 3, 0, 1, 3, 1, 2, 3, 4, 5, 6 };
    const sn_node node = { .name = "", .parent = -1, .rest = { .rotation = { 0, 0, 0, 1 }, .scale = { 1, 1, 1 } } };
    const sn_part part = { .skin = -1, .material = -1, .lod = -1, .color = { 1, 1, 1, 1 } };
    const sn_mesh mesh = { .name = "",
                           .topology = SN_TRIANGLES,
                           .vertex_count = 7,
                           .index_count = 15,
                           .positions = points,
                           .indices = indices };
    const sn_model model = { .name = "",
                             .format = "test",
                             .lod_count = 1,
                             .default_scene = -1,
                             .nodes = &node,
                             .node_count = 1,
                             .meshes = &mesh,
                             .mesh_count = 1,
                             .parts = &part,
                             .part_count = 1 };
    sn_framing framing = sn_framing_begin(0, 0, 1);
    sn_pose *pose = sn_pose_create(&model, NULL, NULL);
    assert_non_null(pose);
    sn_pose_solve(pose, NULL);
    assert_int_equal(sn_framing_add_pose(&framing, pose, &model, NULL), SN_OK);
    assert_box(framing, -1, -1, 1, 500);
    sn_pose_free(pose);
}

// Points are looked at in blocks; what is added does not depend on them.
static void test_many_points(void **state)
{
    enum { COUNT = 1000 };
    static sn_vec3 points[COUNT];
    uint32_t seed = 1;
    (void)state;
    for (int round = 0; round < 20; round++) {
        sn_framing at_once = sn_framing_begin(0.3f * (float)round, 0.4f, 1.5f), one_by_one = at_once;
        for (int i = 0; i < COUNT * 3; i++) {
            seed = seed * 1664525u + 1013904223u;
            (&points[i / 3].x)[i % 3] = (float)(seed >> 8) / 16777216.0f * (float)(i % 7 + 1) * (i % 2 ? 1 : -1);
        }
        sn_framing_add(&at_once, points, COUNT);
        for (int i = 0; i < COUNT; i++) sn_framing_add(&one_by_one, &points[i], 1);
        assert_memory_equal(&at_once, &one_by_one, sizeof at_once);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parked_props_are_left_out),
        cmocka_unit_test(test_near_props_are_kept),
        cmocka_unit_test(test_equals_are_kept),
        cmocka_unit_test(test_long_triangles_are_kept),
        cmocka_unit_test(test_many_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
