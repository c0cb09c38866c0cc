// Models of other formats as Dark Cloud models: written, read again, posed.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compare_posed.h"

static void print_loss(void *user, const sn_warning *loss)
{
    (void)user;
    if (getenv("SINEW_TEST_VERBOSE"))
        printf("    %s %s: %s (%u)\n", sn_warning_name(loss->code), loss->path, loss->message, loss->count);
}

static sn_model *load_sample(const char *sample, uint32_t max_influences)
{
    char path[512];
    sn_error error;
    snprintf(path, sizeof path, SINEW_SAMPLES "/%s", sample);
    sn_model *model = sn_load_file(path,
                                   &(sn_load_opts){
                                       .folder_clips = true, .continuous = true, .max_influences = max_influences },
                                   &error);
    if (!model) fail_msg("%s: %s", path, error.message);
    return model;
}

static sn_model *save_and_load(const sn_model *model, const char *extension, const sn_save_opts *opts)
{
    sn_error error;
    sn_bytes bytes;
    if (sn_save_memory(model, extension, opts, &bytes, &error) != SN_OK)
        fail_msg("%s.%s: %s", model->name, extension, error.message);
    sn_model *again = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    if (!again) fail_msg("%s.%s: %s", model->name, extension, error.message);
    for (uint32_t i = 0; i < again->warning_count; i++)
        fail_msg("%s.%s: %s: %s", model->name, extension, again->warnings[i].path, again->warnings[i].message);
    sn_bytes_free(&bytes);
    return again;
}

// What is lost by a limit of the game, four bones per vertex in the second, is lost in both.
static double through(const char *sample, sn_game game)
{
    const sn_save_opts opts = { .game = game, .report = print_loss };
    if (getenv("SINEW_TEST_VERBOSE")) printf("%s %d\n", sample, game);
    sn_model *model = load_sample(sample, 0), *again = save_and_load(model, "chr", &opts),
             *limited = load_sample(sample, game == SN_GAME_DARK_CLOUD ? 0 : 4);
    const double largest = compare_posed(limited, again);
    if (getenv("SINEW_TEST_VERBOSE")) printf("%s %d: %.6f\n", sample, game, largest);
    sn_model_free(limited);
    sn_model_free(again);
    sn_model_free(model);
    return largest;
}

static const char *const samples[] = {
    "arm.glb",     "crane.gltf",      "golem.mdx",  "hound.mdx", "boar.mdx", "lantern.mdl", "tank.w3d", "house.w3d",
    "serpent.w3d", "soldier_skn.w3d", "rabbit.chr", "arm1.mds",  "arm2.mds", "toys.pak",    "face.glb",
};

static void test_samples(void **state)
{
    const double most = 1e-4;
    bool is_good = true;
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        for (int second = 0; second < 2; second++) {
            const double error = through(samples[i], second ? SN_GAME_DARK_CLOUD_2 : SN_GAME_DARK_CLOUD);
            if (error <= most) continue;
            print_error("%s for Dark Cloud %d: %.6f of its size\n", samples[i], second + 1, error);
            is_good = false;
        }
    assert_true(is_good);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_samples) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
