// Fewer influences per vertex. Expected weights are ratios worked out by hand.
#include "base/arena.h"
#include "convert/influences.h"
#include "hand_models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "arena_fixture.h"

static sn_mesh bent_mesh(uint32_t vertex_count, uint32_t influence_count, const uint16_t *joints, const float *weights)
{
    return (sn_mesh){ .name = "",
                      .vertex_count = vertex_count,
                      .influence_count = influence_count,
                      .vertex_joints = joints,
                      .vertex_weights = weights };
}

static sn_mesh reduce(void **state, const sn_mesh *mesh, uint32_t most)
{
    sn_mesh out;
    assert_true(sni_reduce_influences(&((arena_fixture *)*state)->arena, mesh, most, &out));
    assert_true(out.influence_count <= most);
    for (uint32_t i = 0; i < out.vertex_count && out.influence_count > 0; i++) {
        const float *weights = out.vertex_weights + (size_t)i * out.influence_count;
        float sum = 0.0f;
        uint32_t used = 0;
        for (uint32_t k = 0; k < out.influence_count; k++) {
            sum += weights[k];
            used += weights[k] > 0.0f;
            assert_true(weights[k] >= 0.0f);
            if (weights[k] == 0.0f) assert_int_equal(out.vertex_joints[i * out.influence_count + k], 0);
        }
        assert_within(sum, 1.0, 2e-7 * used);
    }
    return out;
}

static void test_the_heaviest_stay(void **state)
{
    const uint16_t joints[6] = { 7, 3, 9, 1, 4, 2 };
    const float weights[6] = { 0.05f, 0.4f, 0.1f, 0.2f, 0.15f, 0.1f };
    sn_mesh mesh = bent_mesh(1, 6, joints, weights), out = reduce(state, &mesh, 4);
    const uint16_t kept[4] = { 3, 1, 4, 2 };  // joints 2 and 9 weigh the same: the lower stays
    const double expected[4] = { 0.4 / 0.85, 0.2 / 0.85, 0.15 / 0.85, 0.1 / 0.85 };
    assert_int_equal(out.influence_count, 4);
    assert_memory_equal(out.vertex_joints, kept, sizeof kept);
    for (int i = 0; i < 4; i++) assert_near(out.vertex_weights[i], expected[i]);
}

static void test_no_more_slots_than_needed(void **state)
{
    const uint16_t joints[8] = { 5, 0, 6, 0, 8, 9, 1, 2 };
    const float weights[8] = { 0.25f, 0, 0.75f, 0, 0, 1, 0, 0 };
    sn_mesh mesh = bent_mesh(2, 4, joints, weights), out = reduce(state, &mesh, 4);
    const uint16_t kept[4] = { 6, 5, 9, 0 };
    assert_int_equal(sni_count_influences(&mesh), 2);
    assert_int_equal(out.influence_count, 2);
    assert_memory_equal(out.vertex_joints, kept, sizeof kept);
    assert_true(out.vertex_weights[0] == 0.75f && out.vertex_weights[2] == 1.0f);
}

static void test_down_to_one(void **state)
{
    const uint16_t joints[3] = { 5, 4, 6 };
    const float weights[3] = { 0.3f, 0.3f, 0.4f };
    sn_mesh mesh = bent_mesh(1, 3, joints, weights), out = reduce(state, &mesh, 1);
    assert_int_equal(out.vertex_joints[0], 6);
    assert_true(out.vertex_weights[0] == 1.0f);
}

static void test_ties_keep_the_lower_joints(void **state)
{
    const uint16_t joints[5] = { 9, 8, 7, 6, 5 };
    const float weights[5] = { 0.2f, 0.2f, 0.2f, 0.2f, 0.2f };
    sn_mesh mesh = bent_mesh(1, 5, joints, weights), out = reduce(state, &mesh, 3);
    const uint16_t kept[3] = { 5, 6, 7 };
    assert_memory_equal(out.vertex_joints, kept, sizeof kept);
}

static void test_rigid_meshes_stay(void **state)
{
    sn_mesh mesh = bent_mesh(3, 0, NULL, NULL), out = reduce(state, &mesh, 4);
    assert_int_equal(sni_count_influences(&mesh), 0);
    assert_ptr_equal(out.vertex_weights, NULL);
}

static void test_sums_of_many_weights(void **state)
{
    enum { VERTICES = 2000, EACH = 12 };
    static uint16_t joints[VERTICES * EACH];
    static float weights[VERTICES * EACH];
    uint32_t seed = 1;
    for (int i = 0; i < VERTICES; i++) {
        double raw[EACH], sum = 0;
        for (int k = 0; k < EACH; k++) {
            seed = seed * 1664525u + 1013904223u;
            raw[k] = pow((seed >> 8) / 16777216.0, 4) + 1e-9;
            sum += raw[k];
            joints[i * EACH + k] = (uint16_t)(k * 37 % 40);
        }
        for (int k = 0; k < EACH; k++) weights[i * EACH + k] = (float)(raw[k] / sum);
    }
    sn_mesh mesh = bent_mesh(VERTICES, EACH, joints, weights);
    for (uint32_t most = 1; most <= EACH; most++) reduce(state, &mesh, most);
}

static void test_memory_failures_are_told(void **state)
{
    (void)state;
    const uint16_t joints[1] = { 0 };
    const float weights[1] = { 1 };
    sni_heap heap;
    sni_arena arena;
    sni_heap_init(&heap, NULL, 0);
    sni_arena_init(&arena, &heap);
    sn_mesh mesh = bent_mesh(1, 1, joints, weights), out;
    assert_false(sni_reduce_influences(&arena, &mesh, 4, &out));
    sni_arena_free(&arena);
}

#define with_room(test) cmocka_unit_test_setup_teardown(test, arena_fixture_open, arena_fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_room(test_the_heaviest_stay),
        with_room(test_no_more_slots_than_needed),
        with_room(test_down_to_one),
        with_room(test_ties_keep_the_lower_joints),
        with_room(test_rigid_meshes_stay),
        with_room(test_sums_of_many_weights),
        cmocka_unit_test(test_memory_failures_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
