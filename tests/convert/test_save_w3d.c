// Models of other formats as W3D: written, read again, posed.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "posed_corners.h"

static sn_model *load_sample(const char *sample)
{
    char path[512];
    sn_error error;
    snprintf(path, sizeof path, SINEW_SAMPLES "/%s", sample);
    sn_model *model = sn_load_file(path, &(sn_load_opts){ .folder_clips = true }, &error);
    if (!model) fail_msg("%s: %s", path, error.message);
    return model;
}

static sn_model *through_w3d(const sn_model *model, const sn_save_opts *opts, const char *label)
{
    sn_error error;
    sn_bytes bytes;
    if (sn_save_memory(model, "w3d", opts, &bytes, &error) != SN_OK) fail_msg("%s: %s", label, error.message);
    sn_model *again = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    if (!again) fail_msg("%s.w3d: %s", label, error.message);
    for (uint32_t i = 0; i < again->warning_count; i++) {
        const sn_warning *warning = &again->warnings[i];
        if (strcmp(sn_warning_name(warning->code), "IMAGE_MISSING") != 0)
            fail_msg("%s.w3d: %s %s", label, warning->path, warning->message);
    }
    sn_bytes_free(&bytes);
    return again;
}

// What the reports state: the errors of scale, weights and frames add up at worst.
static void add_error(void *user, const sn_warning *loss)
{
    double *sum = user;
    const char *at = strstr(loss->message, "off by up to ");
    if (at) *sum += strtod(at + strlen("off by up to "), NULL);
    print_loss(NULL, loss);
}

// The largest error, as a part of the size. No error is larger than what was reported.
static double through(const char *sample, sn_game game, sn_w3d_animation animation)
{
    double stated = 0.0;
    const sn_save_opts opts = { .game = game, .w3d_animation = animation, .report = add_error, .user = &stated };
    sn_model *model = load_sample(sample), *again = through_w3d(model, &opts, sample);
    const corner_error error = compare_corners(model, again, true);
    const bool has_morphs = model->mesh_count > 0 && model->meshes[0].morph_count > 0;  // lost, without a number
    if (getenv("SINEW_TEST_VERBOSE"))
        printf("%s %d %d: %.6f, %g of %g\n", sample, game, animation, error.part, error.distance, stated);
    if (!has_morphs && error.part > 1e-4 && error.distance > 1.01 * stated)
        fail_msg("%s: off by %g, reported %g", sample, error.distance, stated);
    sn_model_free(again);
    sn_model_free(model);
    return error.part;
}

typedef struct wanted {
    const char *sample;
    bool is_exact_in_generals, is_exact_in_bfme;
} wanted;

// Not exact: weights of several bones, scale that moves, morphs.
static const wanted table[] = {
    { "arm.glb", false, true },     { "crane.gltf", true, true },      { "golem.mdx", false, false },
    { "hound.mdx", false, false },  { "boar.mdx", false, false },      { "lantern.mdl", false, false },
    { "tank.w3d", true, true },     { "house.w3d", true, true },       { "serpent.w3d", false, true },
    { "rabbit.chr", false, false }, { "soldier_skn.w3d", true, true }, { "arm1.mds", false, false },
    { "arm2.mds", false, false },   { "face.glb", false, false },
};
enum { COUNT = sizeof table / sizeof *table };

static void test_generals(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        const double error = through(table[i].sample, SN_GAME_GENERALS, SN_W3D_RAW);
        if (table[i].is_exact_in_generals && error > 1e-4) fail_msg("%s: %g", table[i].sample, error);
    }
}

static void test_bfme(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        const double error = through(table[i].sample, SN_GAME_BFME, SN_W3D_TIMECODED);
        if (table[i].is_exact_in_bfme && error > 1e-4) fail_msg("%s: %g", table[i].sample, error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_generals), cmocka_unit_test(test_bfme) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
