// One motion is played by many threads, each with a pose of its own.
#include "random_model.h"
#include "sinew/runtime.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { THREADS = 8, TIMES = 40, NODES = 23 };

typedef struct playing {
    const sn_model *model;
    const sn_motion *motion;
    int first;
    sn_mat34 worlds[TIMES][NODES];
} playing;

// The times in another order for each thread: what came before must not matter.
static void *play(void *user)
{
    playing *p = user;
    sn_pose *pose = sn_pose_create(p->model, NULL, NULL), *other = sn_pose_create(p->model, NULL, NULL);
    if (!pose || !other) return (void *)1;
    for (int i = 0; i < TIMES; i++) {
        int time = (p->first + i * 7) % TIMES;
        float seconds = 0.1f * (float)time;
        sn_motion_layer layers[2] = { { .clip = 0, .seconds = seconds, .weight = 1 },
                                      { .clip = 1, .seconds = seconds, .weight = 2 } };
        sn_blend_layer poses[2] = { { .pose = pose, .weight = 1 }, { .pose = other, .weight = 3 } };
        sn_motion_sample_layers(p->motion, pose, layers, 2, seconds);
        sn_motion_sample(p->motion, other, time % 3 - 1, seconds, seconds);
        sn_motion_blend(p->motion, pose, poses, 2);
        sn_motion_solve(p->motion, pose, NULL);
        for (int32_t k = 0; k < NODES; k++) p->worlds[time][k] = sn_pose_world(pose, k);
    }
    sn_pose_free(pose), sn_pose_free(other);
    return NULL;
}

static void test_one_motion_is_played_by_many(void **state)
{
    (void)state;
    random_opts opts = { .nodes = NODES, .clips = 2, .keys = 30 };
    sn_model *model = random_model(8, &opts);
    sn_motion *motion = sn_motion_create(model, NULL, NULL);
    static playing serial, parallel[THREADS];
    serial = (playing){ .model = model, .motion = motion };
    assert_null(play(&serial));
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        parallel[i] = (playing){ .model = model, .motion = motion, .first = i };
        assert_int_equal(pthread_create(&threads[i], NULL, play, &parallel[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed = NULL;
        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
        assert_memory_equal(parallel[i].worlds, serial.worlds, sizeof serial.worlds);
    }
    sn_motion_free(motion);
    random_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_one_motion_is_played_by_many) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
