// One skinner serves any number of threads.
#include "skin_fixture.h"

#include <pthread.h>

enum { THREADS = 8, ROUNDS = 20 };

typedef struct work {
    const sn_skinner *skinner;
    const random_mesh *mesh;
    skin_results results;
} work;

static void *skin_often(void *user)
{
    work *w = user;
    sn_skin_output output = results_output(&w->results, true, true, true);
    for (int i = 0; i < ROUNDS; i++) {
        sn_skinner_run_palette(w->skinner, w->mesh->palette, w->mesh->morph_weights, &output);
        sn_skinner_bounds(w->skinner, w->mesh->palette, w->mesh->morph_weights);
    }
    return NULL;
}

static void threads_share_a_skinner(void **state)
{
    (void)state;
    random_numbers random = { 11 };
    const mesh_plan plan = { .vertices = 2000, .influences = 6, .joints = 60, .morphs = 3, .is_mixed = true };
    for (int dual = 0; dual < 2; dual++) {
        random_mesh m;
        random_mesh_make(&random, &plan, &m);
        random_palette(&random, m.palette, plan.joints, 2);
        sn_skinner *skinner = sn_skinner_create(&m.rig.model, 0, &(sn_skinner_opts){ .dual_quaternions = dual }, NULL);
        assert_non_null(skinner);
        pthread_t threads[THREADS];
        work works[THREADS + 1];
        for (int i = 0; i <= THREADS; i++) works[i] = (work){ skinner, &m, results_make(plan.vertices, 12, 12, 16) };
        for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, skin_often, &works[i]), 0);
        for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
        skin_often(&works[THREADS]);
        const skin_results *alone = &works[THREADS].results;
        for (int i = 0; i < THREADS; i++) {
            assert_memory_equal(works[i].results.positions, alone->positions, 12u * plan.vertices);
            assert_memory_equal(works[i].results.normals, alone->normals, 12u * plan.vertices);
            assert_memory_equal(works[i].results.tangents, alone->tangents, 16u * plan.vertices);
        }
        for (int i = 0; i <= THREADS; i++) results_free(&works[i].results);
        sn_skinner_free(skinner);
        random_mesh_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(threads_share_a_skinner) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
