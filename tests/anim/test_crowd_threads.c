// Crowds against plain poses: random instances, cross-fades, roots, culling, ranges on several threads.
#include "counting_heap.h"
#include "random_model.h"
#include "sinew/runtime.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { INSTANCES = 29, THREADS = 8, ROUNDS = 40 };

static double largest(const sn_mat34 *m)
{
    double size = 0;
    for (int i = 0; i < 12; i++) size = fmax(size, fabs((double)m->m[i / 4][i % 4]));
    return size;
}

static double distance(const sn_mat34 *a, const sn_mat34 *b)
{
    double worst = 0;
    for (int i = 0; i < 12; i++) worst = fmax(worst, fabs((double)a->m[i / 4][i % 4] - b->m[i / 4][i % 4]));
    return worst;
}

// The mean of two local transforms as runtime.h defines it for layers, in double precision.
static sn_trs mean(sn_trs a, sn_trs b, double fade)
{
    double p[10] = { a.translation.x, a.translation.y, a.translation.z, a.rotation.x, a.rotation.y,
                     a.rotation.z,    a.rotation.w,    a.scale.x,       a.scale.y,    a.scale.z };
    double q[10] = { b.translation.x, b.translation.y, b.translation.z, b.rotation.x, b.rotation.y,
                     b.rotation.z,    b.rotation.w,    b.scale.x,       b.scale.y,    b.scale.z };
    double dot = 0, square = 0, m[10];
    for (int i = 3; i < 7; i++) dot += p[i] * q[i];
    for (int i = 0; i < 10; i++) m[i] = (1 - fade) * p[i] + fade * (i >= 3 && i < 7 && dot < 0 ? -q[i] : q[i]);
    for (int i = 3; i < 7; i++) square += m[i] * m[i];
    for (int i = 3; i < 7; i++) m[i] /= sqrt(square);
    return (sn_trs){ { (float)m[0], (float)m[1], (float)m[2] },
                     { (float)m[3], (float)m[4], (float)m[5], (float)m[6] },
                     { (float)m[7], (float)m[8], (float)m[9] } };
}

// One instance the plain way.
static void pose_instance(sn_pose *pose, sn_pose *other, const sn_model *model, const sn_crowd_instance *instance,
                          float clock, const sn_mat34 *root)
{
    bool fades = instance->previous >= 0 && instance->fade < 1.0f;
    sn_pose_sample(pose, instance->clip, instance->seconds, clock);
    sn_pose_set_root(pose, root);
    if (fades) {
        sn_pose_sample(other, instance->previous, instance->previous_seconds, clock);
        if (instance->fade <= 0.0f) {
            sn_pose_sample(pose, instance->previous, instance->previous_seconds, clock);
        } else {
            sn_trs *locals = malloc(model->node_count * sizeof *locals);
            assert_non_null(locals);
            for (uint32_t i = 0; i < model->node_count; i++)
                locals[i] = mean(sn_pose_local(other, (int32_t)i), sn_pose_local(pose, (int32_t)i), instance->fade);
            sn_pose_blend(pose, other, 0.5f);  // what either clip moves counts as moved; the values are set next
            for (uint32_t i = 0; i < model->node_count; i++)
                if (!model->nodes[i].matrix) sn_pose_set_local(pose, (int32_t)i, locals[i]);
            free(locals);
        }
    }
    sn_pose_solve(pose, NULL);
}

static sn_crowd_instance random_instance(uint32_t *seed, const sn_model *model)
{
    int32_t clips = (int32_t)model->clip_count;
    sn_crowd_instance instance = { .clip = (int32_t)(random_next(seed) % (uint32_t)(clips + 1)) - 1, .previous = -1 };
    instance.seconds = random_float(seed, -1.0f, 5.0f);
    instance.previous_seconds = random_float(seed, 0.0f, 3.0f);
    instance.fade = random_float(seed, -0.2f, 1.2f);
    if (random_next(seed) % 2) instance.previous = (int32_t)(random_next(seed) % (uint32_t)clips);
    return instance;
}

typedef struct scene {
    sn_model *model;
    sn_motion *motion;
    sn_crowd_instance instances[INSTANCES];
    sn_mat34 roots[INSTANCES];
    uint8_t culled[INSTANCES];
    int32_t nodes[2];
    uint32_t node_count;
    sn_mat34 *palettes, worlds[INSTANCES * 2];
    bool has_roots, fades;
} scene;

static void make_scene(scene *s, uint32_t seed, sn_simd simd, bool only_plain, bool fades)
{
    random_opts opts = { .nodes = 3 + seed % 30, .clips = 3, .keys = 9, .only_plain = only_plain };
    sn_motion_opts motion = { .simd = simd };
    sn_error error;
    *s = (scene){ .model = random_model(seed, &opts), .has_roots = seed % 3 > 0, .fades = fades };
    s->motion = sn_motion_create(s->model, &motion, &error);
    assert_non_null(s->motion);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        s->instances[i] = random_instance(&seed, s->model);
        if (!fades) s->instances[i].previous = -1;
        s->culled[i] = random_next(&seed) % 4 == 0;
        for (int k = 0; k < 12; k++)
            s->roots[i].m[k / 4][k % 4] = random_float(&seed, -1, 1) + (k % 5 == 0 ? 2.0f : 0.0f);
    }
    s->node_count = 2;
    s->nodes[0] = 0, s->nodes[1] = (int32_t)s->model->node_count - 1;
    s->palettes = malloc(INSTANCES * s->model->node_count * sizeof(sn_mat34));
    assert_non_null(s->palettes);
}

static void free_scene(scene *s)
{
    free(s->palettes);
    sn_motion_free(s->motion);
    random_model_free(s->model);
}

// A range of the scene, into the scene's arrays.
static void run_range(scene *s, sn_crowd *crowd, uint32_t worker, uint32_t first, uint32_t count, float clock)
{
    sn_crowd_output output = { .palettes = s->palettes + (size_t)first * s->model->node_count,
                               .nodes = s->nodes,
                               .node_count = s->node_count,
                               .node_worlds = s->worlds + first * 2,
                               .roots = s->has_roots ? s->roots + first : NULL,
                               .culled = s->culled + first };
    sn_crowd_palettes(crowd, worker, s->instances + first, count, clock, &output);
}

static void expect_plain(const scene *s, float clock)
{
    const sn_model *model = s->model;
    const sn_mat34 untouched = { { { 7, 7, 7, 7 }, { 7, 7, 7, 7 }, { 7, 7, 7, 7 } } };
    sn_pose *pose = sn_pose_create(model, NULL, NULL), *other = sn_pose_create(model, NULL, NULL);
    for (uint32_t i = 0; i < INSTANCES; i++) {
        const sn_mat34 *palette = s->palettes + (size_t)i * model->node_count;
        pose_instance(pose, other, model, &s->instances[i], clock, s->has_roots ? &s->roots[i] : NULL);
        double size = 1e-30;
        for (uint32_t k = 0; k < model->node_count; k++) {
            sn_mat34 world = sn_pose_world(pose, (int32_t)k);
            size = fmax(size, fmax(largest(&world), largest(&sn_pose_palette(pose, 0)[k])));
        }
        for (uint32_t k = 0; k < model->skins[0].joint_count; k++) {
            const sn_mat34 *expected = s->culled[i] ? &untouched : &sn_pose_palette(pose, 0)[k];
            double off = distance(&palette[k], expected), allowed = s->culled[i] ? 0 : 1e-5 * size;
            if (!(off <= allowed)) {
                fprintf(stderr, "instance %u, joint %u is off by %g of %g\n", (unsigned)i, (unsigned)k, off, size);
                fail();
            }
        }
        for (uint32_t k = 0; k < s->node_count; k++) {
            sn_mat34 expected = s->culled[i] ? untouched : sn_pose_world(pose, s->nodes[k]);
            assert_true(distance(&s->worlds[i * 2 + k], &expected) <= 1e-5 * size);
        }
    }
    sn_pose_free(pose);
    sn_pose_free(other);
}

static void reset_output(scene *s)
{
    for (size_t i = 0; i < INSTANCES * s->model->node_count * 12; i++) (&s->palettes->m[0][0])[i] = 7;
    for (size_t i = 0; i < INSTANCES * 2 * 12; i++) (&s->worlds->m[0][0])[i] = 7;
}

static void test_random_crowds(void **state)
{
    (void)state;
    for (sn_simd simd = SN_SIMD_SCALAR; simd < SN_SIMD_COUNT; simd++) {
        if (!sn_simd_is_supported(simd)) continue;
        for (uint32_t seed = 1; seed <= ROUNDS; seed += random_step()) {
            scene s;
            // Nodes that stand apart amplify the difference between two ways to mix: fades only where all follow.
            make_scene(&s, seed, simd, seed % 2, seed % 2);
            sn_crowd *crowd = sn_crowd_create(s.motion, 1, NULL, NULL);
            assert_non_null(crowd);
            for (int round = 0; round < 2;
                 round++) {  // the second finds the memory of the first, and keeps few matrices
                reset_output(&s);
                s.node_count = round == 0 ? 2 : 0;
                run_range(&s, crowd, 0, 0, INSTANCES, 0.7f);
                expect_plain(&s, 0.7f);
            }
            sn_crowd_free(crowd);
            free_scene(&s);
        }
    }
}

typedef struct job {
    scene *scene;
    sn_crowd *crowd;
    uint32_t worker;
} job;

static void *run_job(void *user)
{
    job *j = user;
    uint32_t first = j->worker * INSTANCES / THREADS, end = (j->worker + 1) * INSTANCES / THREADS;
    for (int i = 0; i < ROUNDS; i++) run_range(j->scene, j->crowd, j->worker, first, end - first, 0.3f);
    return NULL;
}

static void test_threads(void **state)
{
    (void)state;
    scene s;
    make_scene(&s, 11, SN_SIMD_AUTO, true, true);
    sn_crowd *crowd = sn_crowd_create(s.motion, THREADS, NULL, NULL);
    pthread_t threads[THREADS];
    job jobs[THREADS];
    reset_output(&s);
    for (uint32_t i = 0; i < THREADS; i++) {
        jobs[i] = (job){ &s, crowd, i };
        assert_int_equal(pthread_create(&threads[i], NULL, run_job, &jobs[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    expect_plain(&s, 0.3f);
    sn_crowd_free(crowd);
    free_scene(&s);
}

static void test_memory(void **state)
{
    (void)state;
    scene s;
    make_scene(&s, 4, SN_SIMD_AUTO, false, false);
    for (uint64_t fail_at = 1;; fail_at++) {
        counting_heap heap = { .fail_at = fail_at };
        sn_allocator allocator = counting_allocator(&heap);
        sn_error error;
        sn_crowd *crowd = sn_crowd_create(s.motion, 2, &allocator, &error);
        if (crowd) {
            uint64_t before = heap.calls;
            reset_output(&s);
            run_range(&s, crowd, 1, 0, INSTANCES, 0.7f);
            assert_int_equal(heap.calls, before);
            sn_crowd_free(crowd);
            assert_int_equal(heap.live_blocks, 0);
            assert_true(fail_at > 10);
            break;
        }
        assert_int_equal(error.status, SN_ERR_MEMORY);
        assert_int_equal(heap.live_blocks, 0);
    }
    free_scene(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_crowds),
        cmocka_unit_test(test_threads),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
