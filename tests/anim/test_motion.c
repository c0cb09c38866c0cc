// Compiled clips against the plain functions, over samples and random models.
#include "check_motion.h"
#include "counting_heap.h"
#include "hand_models.h"
#include "random_model.h"
#include "sinew/runtime.h"
#include "sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static int file_count;

static void compare_file(const char *path)
{
    sn_model *model = sn_load_file(path, NULL, NULL);
    if (!model) return;  // a part of another model
    check_motion(model, path, 12);
    file_count++;
    sn_model_free(model);
}

static void test_samples(void **state)
{
    (void)state;
    sweep_folder(SINEW_SAMPLES, "glb gltf mdx mdl w3d chr mds", compare_file);
    assert_true(file_count > 10);
    sweep_folder(SINEW_TESTS_DIR "/sweep_samples", "glb gltf mdx mdl w3d mds", compare_file);
}

static void test_random_models(void **state)
{
    (void)state;
    for (uint32_t seed = 1; seed <= 60; seed += random_step()) {
        char name[32];
        snprintf(name, sizeof name, "random model %u", (unsigned)seed);
        random_opts opts = { .nodes = 1 + seed % 37, .clips = 3, .keys = 2 + seed % 13 };
        sn_model *model = random_model(seed, &opts);
        check_motion(model, name, 3);
        random_model_free(model);
    }
    print_message("largest differences: rotation %.3g, position %.3g of the size\n", motion_worst_rotation,
                  motion_worst_position);
}

// Many keys at times of their own: tracks that are not merged.
static void test_tracks_apart(void **state)
{
    (void)state;
    for (uint32_t seed = 100; seed < 112; seed += random_step()) {
        random_opts opts = { .nodes = 19, .clips = 2, .keys = 150, .own_times = true };
        sn_model *model = random_model(seed, &opts);
        check_motion(model, "random model with times of its own", 2);
        random_model_free(model);
    }
}

// The time between two keys may be so short that one over it is infinite.
static void test_nearest_keys(void **state)
{
    (void)state;
    enum { NODES = 8, KEYS = 12 };
    static test_rig rig;
    static float times[NODES][KEYS], values[KEYS * 3];
    rig_init(&rig);
    rig.clip.duration = 1;
    for (uint32_t i = 0; i < KEYS * 3; i++) values[i] = (float)(i % 5);
    for (int32_t node = 0; node < NODES; node++) {
        for (uint32_t key = 0; key < KEYS; key++) times[node][key] = (float)(KEYS * (uint32_t)node + key) / 100.0f;
        times[node][0] = 0, times[node][1] = 1e-45f, times[node][2] = 2e-40f * (float)(node + 1);
        rig_node(&rig, -1, trs_identity, 0);
        rig_track(&rig, SN_TARGET_NODE, node, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, KEYS, 3, times[node], values));
    }
    check_motion(&rig.model, "keys less than 3e-39 s apart", 1);
}

// A pose goes on from the keys of the last sample only if they are of the same clip and motion.
static void test_other_keys(void **state)
{
    (void)state;
    random_opts opts = { .nodes = 19, .clips = 3, .keys = 40, .own_times = true };
    sn_model *model = random_model(7, &opts), *other = random_model(8, &opts);
    sn_pose *pose = sn_pose_create(model, NULL, NULL), *fresh = sn_pose_create(model, NULL, NULL);
    other->nodes = model->nodes;  // the same skeleton with other clips
    uint32_t seed = 4;
    for (uint32_t i = 0; i < 100; i++) {
        const sn_model *played = i % 7 == 0 ? other : model;  // freed and made again, maybe at the same address
        sn_motion *motion = sn_motion_create(played, &(sn_motion_opts){ .quantize = i % 5 == 0 }, NULL);
        int32_t clip = (int32_t)(random_next(&seed) % 3);
        float time = (float)i / 100.0f * played->clips[clip].duration;
        sn_motion_sample(motion, pose, clip, time, 0);
        sn_pose_free(fresh);
        fresh = sn_pose_create(model, NULL, NULL);
        sn_motion_sample(motion, fresh, clip, time, 0);
        for (int32_t node = 0; node < 19; node++) {
            sn_trs a = sn_pose_local(pose, node), b = sn_pose_local(fresh, node);
            assert_memory_equal(&a, &b, sizeof a);
        }
        sn_motion_free(motion);
    }
    sn_pose_free(pose), sn_pose_free(fresh);
    random_model_free(model), random_model_free(other);
}

static void test_only_some_clips(void **state)
{
    (void)state;
    random_opts opts = { .nodes = 9, .clips = 3, .keys = 5 };
    sn_model *model = random_model(3, &opts);
    const int32_t one = 1, none = 3;
    sn_error error;
    sn_motion *motion = sn_motion_create(model, &(sn_motion_opts){ .clips = &one, .clip_count = 1 }, &error);
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    assert_non_null(motion);
    sn_motion_sample(motion, pose, 1, 0.1f, 0);
    sn_motion_sample(motion, pose, 0, 0.1f, 0);
    for (int32_t i = 0; i < 9; i++) {
        sn_trs local = sn_pose_local(pose, i);
        assert_memory_equal(&local, &model->nodes[i].rest, sizeof local);
    }
    sn_motion_free(motion);
    assert_null(sn_motion_create(model, &(sn_motion_opts){ .clips = &none, .clip_count = 1 }, &error));
    assert_int_equal(error.status, SN_ERR_INVALID);
    for (int simd = SN_SIMD_SCALAR; simd < SN_SIMD_COUNT; simd++) {
        sn_simd found = SN_SIMD_AUTO;
        assert_true(sn_simd_find(sn_simd_name((sn_simd)simd), &found) && (int)found == simd);
        assert_false(sn_simd_find("SSE2", &found));
        if (sn_simd_is_supported((sn_simd)simd)) continue;
        assert_null(sn_motion_create(model, &(sn_motion_opts){ .simd = (sn_simd)simd }, &error));
        assert_int_equal(error.status, SN_ERR_UNSUPPORTED);
    }
    sn_motion_free(NULL);
    sn_pose_free(pose);
    random_model_free(model);
}

static sn_motion *create(const sn_model *model, counting_heap *heap, uint64_t memory_bytes, bool reduce,
                         sn_error *error)
{
    sn_motion_opts opts = { .allocator = counting_allocator(heap), .memory_bytes = memory_bytes };
    if (reduce) opts.quantize = true, opts.max_error = 0.01f;
    return sn_motion_create(model, &opts, error);
}

static void test_memory(void **state)
{
    (void)state;
    for (int reduce = 0; reduce < 2; reduce++) {
        random_opts opts = { .nodes = 9, .clips = 2, .keys = reduce ? 6 : 40, .own_times = true };
        sn_model *model = random_model(5, &opts);
        counting_heap heap = { 0 };
        sn_error error;
        sn_motion *motion = create(model, &heap, 0, reduce, &error);
        assert_non_null(motion);
        uint64_t calls = heap.calls, peak = heap.peak_bytes;
        sn_pose *pose = sn_pose_create(model, NULL, NULL);
        sn_motion_layer layers[2] = { { .clip = 0, .weight = 1 }, { .clip = 1, .weight = 1 } };
        for (int32_t clip = -1; clip < 2; clip++) {
            sn_motion_sample_solve(motion, pose, clip, 0.3f, 0.3f, NULL);
            sn_motion_sample_layers(motion, pose, layers, 2, 0.3f);
        }
        assert_int_equal(heap.calls, calls);
        sn_pose_free(pose);
        sn_motion_free(motion);
        assert_int_equal(heap.live_blocks, 0);
        for (uint64_t i = 1; i <= calls; i += random_step()) {  // each allocation fails, once and for ever
            for (int for_ever = 0; for_ever < 2; for_ever++) {
                heap = (counting_heap){ .fail_at = i, .fails_for_ever = for_ever };
                assert_null(create(model, &heap, 0, reduce, &error));
                assert_int_equal(error.status, SN_ERR_MEMORY);
                assert_int_equal(heap.live_blocks, 0);
            }
        }
        for (uint64_t limit = 1; limit < peak; limit += limit / 3 + 1) {
            heap = (counting_heap){ 0 };
            assert_null(create(model, &heap, limit, reduce, &error));
            assert_int_equal(error.status, SN_ERR_LIMIT);
            assert_int_equal(heap.live_blocks, 0);
            assert_true(heap.peak_bytes <= limit);
        }
        random_model_free(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),      cmocka_unit_test(test_random_models),
        cmocka_unit_test(test_tracks_apart), cmocka_unit_test(test_only_some_clips),
        cmocka_unit_test(test_nearest_keys), cmocka_unit_test(test_other_keys),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
