// Models of other formats as Warcraft III models: written, read again, posed.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "posed_corners.h"

static double through(const char *sample, const char *extension, uint32_t version)
{
    char path[512];
    sn_error error;
    sn_bytes bytes;
    snprintf(path, sizeof path, SINEW_SAMPLES "/%s", sample);
    sn_model *model = sn_load_file(path, &(sn_load_opts){ .folder_clips = true }, &error);
    if (!model) fail_msg("%s: %s", path, error.message);
    const sn_save_opts opts = { .mdx_version = version, .report = print_loss };
    if (sn_save_memory(model, extension, &opts, &bytes, &error) != SN_OK) fail_msg("%s: %s", sample, error.message);
    sn_model *again = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    if (!again) fail_msg("%s.%s: %s", sample, extension, error.message);
    const double largest = compare_corners(model, again, false).part;
    if (getenv("SINEW_TEST_VERBOSE")) printf("%s %s %u: %.6f\n", sample, extension, version, largest);
    sn_model_free(again);
    sn_model_free(model);
    sn_bytes_free(&bytes);
    return largest;
}

typedef struct wanted {
    const char *sample;
    double classic, reforged;  // parts of the size
} wanted;

// Classic weights are eighths at best, Reforged's are of a byte. Stated losses: hound and boar have six bones per
// vertex, the arms five, Reforged four.
static const wanted table[] = {
    { "arm.glb", 5e-3, 1e-3 },         { "crane.gltf", 1e-4, 1e-4 }, { "golem.mdx", 5e-3, 1e-3 },
    { "hound.mdx", 1e-4, 0.11 },       { "boar.mdx", 1e-4, 0.11 },   { "lantern.mdl", 1e-4, 1e-4 },
    { "tank.w3d", 5e-4, 5e-4 },        { "house.w3d", 1e-4, 1e-4 },  { "serpent.w3d", 5e-3, 1e-3 },
    { "soldier_skn.w3d", 5e-4, 5e-4 }, { "rabbit.chr", 1e-3, 1e-3 }, { "arm1.mds", 0.05, 0.006 },
    { "arm2.mds", 0.05, 0.006 },
};

static bool check(const char *sample, double error, double most)
{
    if (!(error <= most)) print_error("%s: %.6f of its size, more than %.6f\n", sample, error, most);
    return error <= most;
}

static void test_classic(void **state)
{
    bool is_good = true;
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const double error = through(table[i].sample, "mdx", 800);
        is_good &= check(table[i].sample, error, table[i].classic);
        assert_true(fabs(through(table[i].sample, "mdl", 800) - error) < 1e-5);
    }
    assert_true(is_good);
}

static void test_reforged(void **state)
{
    static const uint32_t versions[] = { 1000, 1100, 1200 };
    bool is_good = true;
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (size_t v = 0; v < 3; v++) {
            const double error = through(table[i].sample, "mdx", versions[v]);
            is_good &= check(table[i].sample, error, table[i].reforged);
        }
    assert_true(is_good);
}

// Keys closer than a millisecond, with sharp corners: times on the file's timeline still rise.
static void test_dense_keys(void **state)
{
    enum { KEYS = 64 };
    static float times[KEYS], values[KEYS][4];
    sn_error error;
    sn_bytes bytes;
    (void)state;
    sn_model *arm = sn_load_file(SINEW_SAMPLES "/arm.glb", NULL, &error);
    assert_non_null(arm);
    for (uint32_t i = 0; i < KEYS; i++) {
        times[i] = 0.0103f + 0.00037f * (float)i;
        values[i][i % 2] = 0.6f, values[i][3] = 0.8f;
    }
    const sn_track track = { .target_kind = SN_TARGET_NODE,
                             .channel = SN_CHANNEL_ROTATION,
                             .interpolation = SN_LINEAR,
                             .target = (int32_t)arm->node_count - 1,
                             .key_count = KEYS,
                             .width = 4,
                             .times = times,
                             .values = values[0] };
    const sn_clip clip = { .name = "Stand", .duration = 1.0f, .tracks = &track, .track_count = 1 };
    sn_model edited = *arm;
    edited.clips = &clip;
    edited.clip_count = 1;
    edited.checked = NULL;
    assert_int_equal(sn_save_memory(&edited, "mdx", NULL, &bytes, &error), SN_OK);
    sn_model *again = sn_load_memory(bytes.data, bytes.size, &(sn_load_opts){ .game = SN_GAME_WARCRAFT_3 }, &error);
    assert_non_null(again);
    for (uint32_t i = 0; i < again->warning_count; i++) {
        assert_string_not_equal(sn_warning_name(again->warnings[i].code), "WAR3_KEY_ORDER");
        assert_string_not_equal(sn_warning_name(again->warnings[i].code), "WAR3_KEY_TWICE");
    }
    sn_model_free(again);
    sn_bytes_free(&bytes);
    sn_model_free(arm);
}

static void find_key_error(void *user, const sn_warning *loss)
{
    if (strstr(loss->message, "whole milliseconds; vertices")) add_stated_error(user, loss);
}

// A corner at 100.5 ms becomes keys at 100 and 101 ms. Halfway between them the way is cut short by a quarter of a
// millisecond of both slopes.
static void test_moved_keys_are_measured(void **state)
{
    static const float times[] = { 0.0f, 0.1005f, 0.2f, 0.3f };
    const double cut = 0.25 * (1.0 / 100.5 + 1.0 / 99.5);
    sn_error error;
    sn_bytes bytes;
    (void)state;
    sn_model *arm = sn_load_file(SINEW_SAMPLES "/arm.glb", NULL, &error);
    assert_non_null(arm);
    sn_vec3 values[4];
    int32_t root = 0;
    while (arm->nodes[root].parent >= 0) root++;
    for (int i = 0; i < 4; i++) values[i] = arm->nodes[root].rest.translation;
    values[1].x += 1.0f;
    sn_track track = { .target_kind = SN_TARGET_NODE,
                       .channel = SN_CHANNEL_TRANSLATION,
                       .interpolation = SN_LINEAR,
                       .target = root,
                       .key_count = 4,
                       .width = 3,
                       .times = times,
                       .values = &values[0].x };
    const sn_clip clip = { .name = "Stand", .duration = 0.3f, .tracks = &track, .track_count = 1 };
    sn_model edited = *arm;
    edited.clips = &clip;
    edited.clip_count = 1;
    edited.checked = NULL;
    double stated = 0.0;
    const sn_save_opts opts = { .report = find_key_error, .user = &stated };
    assert_int_equal(sn_save_memory(&edited, "mdx", &opts, &bytes, &error), SN_OK);
    assert_true(fabs(stated - cut) < 0.01 * cut);
    sn_bytes_free(&bytes);

    // Keys on whole milliseconds stay.
    track.times = (const float[]){ 0.0f, 0.1f, 0.2f, 0.3f };
    stated = 0.0;
    assert_int_equal(sn_save_memory(&edited, "mdx", &opts, &bytes, &error), SN_OK);
    assert_true(stated == 0.0);
    sn_bytes_free(&bytes);
    sn_model_free(arm);
}

// A node called like an attachment of the game is one, at the same place; "Origin Ref" is not added twice.
static void test_attachments(void **state)
{
    static const char *const names[] = { "Hand Left Ref", "Overhead Ref", "Origin Ref" };
    sn_error error;
    sn_bytes bytes;
    (void)state;
    sn_model *model = sn_load_file(SINEW_SAMPLES "/kobold/kobold.glb", NULL, &error);
    assert_non_null(model);
    assert_int_equal(sn_save_memory(model, "mdx", NULL, &bytes, &error), SN_OK);
    sn_model *again = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    assert_non_null(again);
    assert_int_equal(again->attachment_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        const sn_attachment *attachment = &again->attachments[i];
        assert_string_equal(attachment->name, names[i]);
        assert_int_equal(attachment->id, i);
        assert_string_equal(again->nodes[attachment->node].name, names[i]);
    }
    sn_model_free(again);
    sn_model_free(model);
    sn_bytes_free(&bytes);
}

// Tracks of whole numbers go through floats, which hold the largest one only as 4294967296.
static void test_largest_texture_slot(void **state)
{
    (void)state;
    static const char text[] =
        "Version { FormatVersion 800, }\nModel \"M\" { BlendTime 150, }\nSequences 1 { Anim \"Stand\" { Interval { 0, "
        "1000 }, } }\nRibbonEmitter \"R\" { ObjectId 0, TextureSlot 2 { DontInterp, 0: 4294967295, 500: 7, } }\n"
        "PivotPoints 1 { { 0, 0, 0 }, }\n";
    const sn_load_opts load = { .name = "m.mdl" };
    const sn_save_opts save = { .mdx_version = 1000 };
    sn_error error;
    sn_bytes bytes;
    sn_model *model = sn_load_memory(text, sizeof text - 1, &load, &error);
    if (!model) fail_msg("%s: %s", error.path, error.message);
    assert_int_equal(sn_save_memory(model, "mdl", &save, &bytes, &error), SN_OK);
    char *copy = calloc(bytes.size + 1, 1);
    memcpy(copy, bytes.data, bytes.size);
    assert_non_null(strstr(copy, "0: 4294967295,"));
    assert_non_null(strstr(copy, "500: 7,"));
    free(copy);
    sn_model_free(model);
    sn_bytes_free(&bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_classic),
                                        cmocka_unit_test(test_reforged),
                                        cmocka_unit_test(test_dense_keys),
                                        cmocka_unit_test(test_moved_keys_are_measured),
                                        cmocka_unit_test(test_largest_texture_slot),
                                        cmocka_unit_test(test_attachments) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
