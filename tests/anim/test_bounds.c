// Boxes and spheres around what is shown: of a pose, at rest, over a clip.
#include "counting_heap.h"
#include "hand_models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const sn_vec3 X = { 1, 0, 0 }, Z = { 0, 0, 1 };
static const sn_bounds nothing;

static sn_bounds bounds_of(const sn_model *model, int32_t clip)
{
    sn_bounds bounds;
    assert_int_equal(sn_model_bounds(model, clip, NULL, &bounds), SN_OK);
    return bounds;
}

static const sn_vec3 pair[2] = { { 100, 0, 0 }, { 300, 0, 0 } };

// A hundredth as large and away from the origin: neither the raw vertices nor the distance to the origin count.
static void test_scaled_node(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    rig_mesh(&rig, 2, pair);
    int32_t small = rig_node(&rig, -1, trs_stretch(0.01f, 0.01f, 0.01f), 0);
    rig_part(&rig, 0, rig_node(&rig, small, trs_move(0, 100, 0), 0), -1);
    sn_bounds b = bounds_of(&rig.model, -1);
    assert_vec3(b.min, 1, 1, 0);
    assert_vec3(b.max, 3, 1, 0);
    assert_vec3(b.center, 2, 1, 0);
    assert_near(b.radius, 1);
}

static void test_one_mesh_many_parts(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    rig_mesh(&rig, 1, &X);
    rig_part(&rig, 0, rig_node(&rig, -1, trs_move(-2, 0, 0), 0), -1);
    rig_part(&rig, 0, rig_node(&rig, -1, trs_move(0, 4, 0), 0), -1);
    sn_bounds b = bounds_of(&rig.model, -1);
    assert_vec3(b.min, -1, 0, 0);
    assert_vec3(b.max, 1, 4, 0);
    assert_within(b.radius, sqrt(5), 1e-6);
}

static void test_skinned_parts_follow_their_joints(void **state)
{
    (void)state;
    const uint16_t joint = 0;
    const float weight = 1;
    test_rig rig;
    rig_init(&rig);
    int32_t node = rig_node(&rig, -1, trs_move(0, 7, 0), 0), carrier = rig_node(&rig, -1, trs_move(999, 0, 0), 0);
    sn_mesh *mesh = rig_mesh(&rig, 1, &X);
    mesh->influence_count = 1;
    mesh->vertex_joints = &joint;
    mesh->vertex_weights = &weight;
    rig_part(&rig, 0, carrier, rig_skin(&rig, 1, &node, &mat34_identity));
    sn_bounds b = bounds_of(&rig.model, -1);
    assert_vec3(b.min, 1, 7, 0);
    assert_vec3(b.max, 1, 7, 0);
    assert_near(b.radius, 0);
}

static void test_what_is_not_shown_does_not_count(void **state)
{
    (void)state;
    const uint32_t used[1] = { 1 };
    test_rig rig;
    rig_init(&rig);
    sn_mesh *mesh = rig_mesh(&rig, 2, pair);
    rig_mesh(&rig, 2, pair);
    mesh->indices = used;  // no face uses vertex 0
    mesh->index_count = 1;
    rig_part(&rig, 0, rig_node(&rig, -1, trs_identity, 0), -1);
    rig_part(&rig, 1, rig_node(&rig, -1, trs_identity, SN_NODE_HIDDEN), -1);
    sn_bounds b = bounds_of(&rig.model, -1);
    assert_vec3(b.min, 300, 0, 0);
    assert_vec3(b.max, 300, 0, 0);
    rig.parts[0].is_hidden = true;
    b = bounds_of(&rig.model, -1);
    assert_memory_equal(&b, &nothing, sizeof b);
}

static void test_pose_bounds_stand_under_the_root(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    rig_mesh(&rig, 2, pair);
    rig_part(&rig, 0, rig_node(&rig, -1, trs_identity, 0), -1);
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    sn_mat34 root = mat34_move(0, 0, 5);
    sn_pose_set_root(pose, &root);
    sn_pose_solve(pose, NULL);
    assert_vec3(sn_pose_bounds(pose).center, 200, 0, 5);
    sn_pose_free(pose);
}

// Half a turn about Z with a key at each end: only the look in the middle finds Y.
static void test_clip_is_seen_between_keys(void **state)
{
    (void)state;
    const float times[2] = { 0, 1 }, turn[8] = { 0, 0, 0, 1, 0, 0, 1, 0 };
    test_rig rig;
    rig_init(&rig);
    rig_mesh(&rig, 1, &X);
    rig_part(&rig, 0, rig_node(&rig, -1, trs_identity, 0), -1);
    rig_track(&rig, SN_TARGET_NODE, 0, SN_CHANNEL_ROTATION, keys_of(SN_LINEAR, 2, 4, times, turn));
    sn_bounds b = bounds_of(&rig.model, 0);
    assert_vec3(b.min, -1, 0, 0);
    assert_vec3(b.max, 1, 1, 0);
    assert_vec3(b.center, 0, 0, 0);
    assert_within(b.radius, 1, 1e-5);
    b = bounds_of(&rig.model, -1);
    assert_vec3(b.min, 1, 0, 0);
}

static void test_every_key_of_a_short_clip_is_seen(void **state)
{
    (void)state;
    const float times[5] = { 0, 5.0f, 5.01f, 5.02f, 10 }, kick[15] = { [6] = 4 }, other[3] = { 0, 5.015f, 10 };
    const float lift[9] = { [5] = 2 };
    test_rig rig;
    rig_init(&rig);
    rig.clip.duration = 10;
    rig_mesh(&rig, 1, &X);
    int32_t base = rig_node(&rig, -1, trs_identity, 0);
    rig_part(&rig, 0, rig_node(&rig, base, trs_identity, 0), -1);
    rig_track(&rig, SN_TARGET_NODE, 1, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, 5, 3, times, kick));
    rig_track(&rig, SN_TARGET_NODE, 0, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, 3, 3, other, lift));
    sn_bounds b = bounds_of(&rig.model, 0);
    assert_vec3(b.max, 5, 0, 2);
    assert_vec3(b.min, 1, 0, 0);
}

// A clip that lasts no time still turns its banner, which takes four seconds.
static void test_periods_longer_than_the_clip(void **state)
{
    (void)state;
    const float times[3] = { 0, 2, 4 }, wave[9] = { 0, 0, 0, 0, 6, 0, 0, 0, 0 };
    test_rig rig;
    rig_init(&rig);
    rig.clip.duration = 0;
    rig_mesh(&rig, 1, &X);
    rig_part(&rig, 0, rig_node(&rig, -1, trs_identity, 0), -1);
    rig_track(&rig, SN_TARGET_NODE, 0, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, 3, 3, times, wave))->period = 4;
    assert_vec3(bounds_of(&rig.model, 0).max, 1, 6, 0);
}

static void test_thousands_of_keys_are_thinned(void **state)
{
    (void)state;
    enum { KEYS = 5000 };
    static float times[KEYS], climb[KEYS * 3];
    for (int i = 0; i < KEYS; i++) times[i] = (float)i, climb[i * 3 + 2] = (float)i;
    test_rig rig;
    rig_init(&rig);
    rig.clip.duration = KEYS - 1;
    rig_mesh(&rig, 1, &X);
    rig_part(&rig, 0, rig_node(&rig, -1, trs_identity, 0), -1);
    rig_track(&rig, SN_TARGET_NODE, 0, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, KEYS, 3, times, climb));
    sn_bounds b = bounds_of(&rig.model, 0);
    assert_vec3(b.min, 1, 0, 0);
    assert_vec3(b.max, 1, 0, KEYS - 1);
}

static uint32_t next_random(uint32_t *seed) { return *seed = *seed * 1664525u + 1013904223u; }

static float random_in(uint32_t *seed, float size) { return size * ((float)(next_random(seed) >> 8) / 8388608.0f - 1); }

// Any set of points lies inside, and the sphere is never larger than the one around the box.
static void test_sphere_encloses_and_is_tight(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 200; round++) {
        sn_vec3 points[32];
        float size = powf(10.0f, (float)(round % 9) - 4.0f);
        for (int i = 0; i < 32; i++)
            points[i] = (sn_vec3){ random_in(&seed, size) + 3, random_in(&seed, size), random_in(&seed, size / 4) };
        test_rig rig;
        rig_init(&rig);
        rig_mesh(&rig, 1 + next_random(&seed) % 32, points);
        rig_part(&rig, 0, rig_node(&rig, -1, trs_identity, 0), -1);
        sn_bounds b = bounds_of(&rig.model, -1);
        for (uint32_t i = 0; i < rig.meshes[0].vertex_count; i++) {
            double x = points[i].x - (double)b.center.x, y = points[i].y - (double)b.center.y;
            double z = points[i].z - (double)b.center.z;
            assert_true(sqrt(x * x + y * y + z * z) <= b.radius);
        }
        double x = b.max.x - (double)b.min.x, y = b.max.y - (double)b.min.y, z = b.max.z - (double)b.min.z;
        assert_true(b.radius <= sqrt(x * x + y * y + z * z) / 2 * 1.000001 + 1e-6);
    }
}

// Points on half a circle: the sphere around the box is too large, Ritter's is right.
static void test_the_smaller_sphere_is_taken(void **state)
{
    (void)state;
    const sn_vec3 points[4] = { { -1, 0, 0 }, { 1, 0, 0 }, { 0.6f, 0.8f, 0 }, { -0.6f, 0.8f, 0 } };
    test_rig rig;
    rig_init(&rig);
    rig_mesh(&rig, 4, points);
    rig_part(&rig, 0, rig_node(&rig, -1, trs_identity, 0), -1);
    sn_bounds b = bounds_of(&rig.model, -1);  // the box's centre (0, 0.4) is 1.08 away from the first two
    assert_vec3(b.center, 0, 0, 0);
    assert_near(b.radius, 1);
}

static void test_more_vertices_than_one_window(void **state)
{
    (void)state;
    enum { MANY = 140000 };
    sn_vec3 *points = calloc(MANY, sizeof *points);
    const uint32_t used[2] = { 65535, 131073 };
    points[65535].x = 1;
    points[131073].y = 2;
    points[131074].z = points[65536].z = points[0].z = 50;  // unused
    test_rig rig;
    rig_init(&rig);
    sn_mesh *mesh = rig_mesh(&rig, 0, points);
    mesh->vertex_count = MANY;
    mesh->indices = used;
    mesh->index_count = 2;
    rig_part(&rig, 0, rig_node(&rig, -1, trs_identity, 0), -1);
    sn_bounds b = bounds_of(&rig.model, -1);
    assert_vec3(b.min, 0, 0, 0);
    assert_vec3(b.max, 1, 2, 0);
    free(points);
}

static void test_overflow_is_left_out(void **state)
{
    (void)state;
    const sn_vec3 points[2] = { { 3e38f, 0, 0 }, { 1, 2, 3 } };
    const sn_vec3 far[2] = { { 3e38f, 3e38f, 3e38f }, { -3e38f, -3e38f, -3e38f } };
    test_rig rig;
    rig_init(&rig);
    rig_mesh(&rig, 2, points);
    rig_mesh(&rig, 2, far);
    int32_t part = rig_part(&rig, 0, rig_node(&rig, -1, trs_stretch(10, 10, 10), 0), -1);
    assert_vec3(bounds_of(&rig.model, -1).max, 10, 20, 30);
    rig.nodes[0].rest = trs_turn(Z, 0);
    rig.parts[part].mesh = 1;
    sn_bounds b = bounds_of(&rig.model, -1);
    assert_true(isfinite(b.radius) && isfinite(b.center.x));
    assert_vec3(b.center, 0, 0, 0);
}

static void test_empty_models(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    for (int32_t clip = -1; clip < 2; clip++) {
        sn_bounds b = bounds_of(&rig.model, clip);
        assert_memory_equal(&b, &nothing, sizeof b);
    }
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    rig_mesh(&rig, 2, pair);
    rig_part(&rig, 0, rig_node(&rig, -1, trs_identity, 0), -1);
    for (uint64_t k = 1; k <= 2; k++) {
        counting_heap heap = { .fail_at = k };
        sn_allocator allocator = counting_allocator(&heap);
        sn_bounds b;
        assert_int_equal(sn_model_bounds(&rig.model, 0, &allocator, &b), SN_ERR_MEMORY);
        assert_memory_equal(&b, &nothing, sizeof b);
        assert_int_equal(heap.calls, k);
        assert_int_equal(heap.live_blocks, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scaled_node),
        cmocka_unit_test(test_one_mesh_many_parts),
        cmocka_unit_test(test_skinned_parts_follow_their_joints),
        cmocka_unit_test(test_what_is_not_shown_does_not_count),
        cmocka_unit_test(test_pose_bounds_stand_under_the_root),
        cmocka_unit_test(test_clip_is_seen_between_keys),
        cmocka_unit_test(test_every_key_of_a_short_clip_is_seen),
        cmocka_unit_test(test_periods_longer_than_the_clip),
        cmocka_unit_test(test_thousands_of_keys_are_thinned),
        cmocka_unit_test(test_sphere_encloses_and_is_tight),
        cmocka_unit_test(test_the_smaller_sphere_is_taken),
        cmocka_unit_test(test_more_vertices_than_one_window),
        cmocka_unit_test(test_overflow_is_left_out),
        cmocka_unit_test(test_empty_models),
        cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
