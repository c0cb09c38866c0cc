// Compiled clips against the plain functions, over samples and random models.
#include "check_motion.h"
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
    for (uint32_t seed = 1; seed <= 60; seed++) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_random_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
