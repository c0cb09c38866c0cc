// Numbers so large that what is computed from them is no number: a format of a game holds the model, or saving fails
// with a clear error. A file that loads with repairs would be another model.
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hand_models.h"

static const sn_vec3 corners[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 } };

// Two nodes, the second below the first, and a triangle that follows it.
static void init(test_rig *rig, sn_trs parent, sn_trs rest)
{
    rig_init(rig);
    const int32_t node = rig_node(rig, rig_node(rig, -1, parent, 0), rest, 0);
    rig_mesh(rig, 3, corners)->topology = SN_TRIANGLES;
    rig_part(rig, 0, node, -1);
}

static void check_saved(const test_rig *rig, const char *ending, sn_save_opts opts, bool is_held)
{
    char name[16];
    sn_bytes bytes;
    sn_error error;
    const sn_status status = sn_save_memory(&rig->model, ending, &opts, &bytes, &error);
    if (!is_held) {
        assert_int_equal(status, SN_ERR_UNSUPPORTED);
        assert_non_null(strstr(error.message, "too large for the format"));
        return;
    }
    if (status != SN_OK) fail_msg("%s: %s", ending, error.message);
    snprintf(name, sizeof name, "x.%s", ending);
    const sn_load_opts again_opts = { .name = name };
    sn_model *again = sn_load_memory(bytes.data, bytes.size, &again_opts, &error);
    assert_non_null(again);
    for (uint32_t i = 0; i < again->warning_count; i++)
        if (strcmp(sn_warning_name(again->warnings[i].code), "NOT_FINITE") == 0)
            fail_msg("%s: %s %s", ending, again->warnings[i].path, again->warnings[i].message);
    sn_model_free(again);
    sn_bytes_free(&bytes);
}

static const sn_save_opts no_opts, adaptive = { .w3d_animation = SN_W3D_ADAPTIVE },
                                   version_1100 = { .mdx_version = 1100 };

static void test_pivots(void **state)
{
    (void)state;
    test_rig rig;
    const float times[2] = { 0, 1 }, values[6] = { 0, 0, 0, 1, 1, 1 };
    init(&rig, trs_move(2e30f, 0, 0), trs_identity);
    rig_track(&rig, SN_TARGET_NODE, 0, SN_CHANNEL_SCALE, keys_of(SN_LINEAR, 2, 3, times, values));
    check_saved(&rig, "mdx", no_opts, false);
    check_saved(&rig, "mdl", no_opts, false);
    check_saved(&rig, "glb", no_opts, true);
    rig.nodes[0].rest.translation.x = 2e29f;
    check_saved(&rig, "mdx", no_opts, true);
    check_saved(&rig, "mdl", no_opts, true);
}

// The formats have them relative to the rest pose.
static void test_translations(void **state)
{
    (void)state;
    test_rig rig;
    const float times[2] = { 0, 1 }, values[6] = { 3e38f, 0, 0, -1e38f, 0, 0 };
    init(&rig, trs_identity, trs_move(-1e29f, 0, 0));
    rig_track(&rig, SN_TARGET_NODE, 1, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, 2, 3, times, values));
    check_saved(&rig, "mdx", no_opts, true);
    check_saved(&rig, "w3d", no_opts, false);
    check_saved(&rig, "w3d", adaptive, false);
    check_saved(&rig, "chr", no_opts, true);
    check_saved(&rig, "glb", no_opts, true);
}

static void test_tangents(void **state)
{
    (void)state;
    test_rig rig;
    const float times[2] = { 0, 10 };
    float values[18] = { 0 };
    values[6] = 1e38f;  // out of the first key, per second
    init(&rig, trs_identity, trs_identity);
    rig.clip.duration = 10;
    rig_track(&rig, SN_TARGET_NODE, 1, SN_CHANNEL_TRANSLATION, keys_of(SN_CUBIC_SPLINE, 2, 3, times, values));
    check_saved(&rig, "mdx", no_opts, false);
    check_saved(&rig, "mdl", version_1100, false);
    check_saved(&rig, "glb", no_opts, true);
}

// Keys of a material: the file moves the texture before it is scaled.
static void test_texture_coordinates(void **state)
{
    (void)state;
    test_rig rig;
    sn_layer layer = { .color = { 1, 1, 1, 1 } };
    for (int i = 0; i < SN_MAP_COUNT; i++)
        layer.maps[i] = (sn_texture){ .image = -1, .transform = { .scale = { 1, 1 } } };
    layer.maps[SN_MAP_COLOR].transform.scale.x = 1e-40f;
    init(&rig, trs_identity, trs_identity);
    rig.materials[0] = (sn_material){ .name = "", .layers = &layer, .layer_count = 1 };
    rig.model.material_count = 1;
    rig.parts[0].material = 0;
    check_saved(&rig, "mdx", no_opts, false);
    check_saved(&rig, "mdl", no_opts, false);
    check_saved(&rig, "glb", no_opts, true);
}

// The game multiplies the scales of a track with that at rest.
static void test_scales(void **state)
{
    (void)state;
    test_rig rig;
    const float times[2] = { 0, 1 }, values[6] = { 1, 1, 1, 2, 2, 2 };
    init(&rig, trs_identity, trs_stretch(1e-40f, 1, 1));
    rig_track(&rig, SN_TARGET_NODE, 1, SN_CHANNEL_SCALE, keys_of(SN_LINEAR, 2, 3, times, values));
    check_saved(&rig, "chr", no_opts, false);
    check_saved(&rig, "glb", no_opts, true);
}

// Steps between frames are as large as the whole way: ten of them overflow.
static void test_adaptive(void **state)
{
    (void)state;
    test_rig rig;
    const float times[3] = { 0, 0.5f, 1 }, values[9] = { 0, 0, 0, 1e37f, 0, 0, -1e35f, 0, 0 };
    init(&rig, trs_identity, trs_identity);
    rig_track(&rig, SN_TARGET_NODE, 1, SN_CHANNEL_TRANSLATION, keys_of(SN_STEP, 3, 3, times, values));
    check_saved(&rig, "w3d", no_opts, true);
    check_saved(&rig, "w3d", adaptive, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_pivots),   cmocka_unit_test(test_translations),
                                        cmocka_unit_test(test_tangents), cmocka_unit_test(test_texture_coordinates),
                                        cmocka_unit_test(test_scales),   cmocka_unit_test(test_adaptive) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
