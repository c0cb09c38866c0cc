// Skinners of the samples compute what sn_skin_part computes.
#include "skin_models.h"
#include "sweep.h"

static void every_sample(void **state)
{
    (void)state;
    assert_true(sweep_folder(SINEW_SAMPLES, "glb gltf mdx mdl w3d mds cfg", check_skinned_file) > 10);
    assert_true(sweep_folder(SINEW_TESTS_DIR "/sweep_samples", "glb gltf mdx mdl w3d mds cfg", check_skinned_file) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_sample) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
