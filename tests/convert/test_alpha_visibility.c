// Few players animate the alpha of materials: parts are also hidden while all of their layers are transparent.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hand_models.h"
#include "mdl_text.h"

// A second each; clips without any track would not be saved. Part 0 is opaque, part 1 has the material in question.
#define MODEL(layers, anim)                                                                                           \
    "Sequences 3 { Anim \"Stand\" { Interval { 0, 1000 }, } Anim \"Attack\" { Interval { 2000, 3000 }, } "            \
    "Anim \"Death\" { Interval { 4000, 5000 }, } } "                                                                  \
    "Bone \"a\" { ObjectId 0, Translation 3 { DontInterp, 0: { 1, 0, 0 }, 2000: { 2, 0, 0 }, 4000: { 3, 0, 0 }, } } " \
    "Textures 1 { Bitmap { Image \"a.blp\", } } "                                                                     \
    "Materials 2 { Material { Layer { FilterMode None, static TextureID 0, } } Material { " layers " } } "            \
    "Geoset { " MDX_MDL_TRIANGLE " MaterialID 0, } Geoset { " MDX_MDL_TRIANGLE " MaterialID 1, } " anim

#define LAYER(mode, alpha) "Layer { FilterMode " mode ", static TextureID 0, " alpha " } "

static bool shows(const sn_model *model, int32_t clip, float seconds)
{
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, clip, seconds, 0);
    sn_pose_solve(pose, NULL);
    assert_true(sn_pose_shows(pose, 0));
    bool is_shown = sn_pose_shows(pose, 1);
    sn_pose_free(pose);
    return is_shown;
}

static float alpha_of(const sn_model *model, int32_t clip, float seconds)
{
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, clip, seconds, 0);
    float alpha = sn_pose_layer(pose, model->parts[1].material, 0).color.w;
    sn_pose_free(pose);
    return alpha;
}

static sn_model *save_and_load_model(sn_model *model, bool no_tricks)
{
    sn_bytes bytes;
    sn_error error;
    sn_save_opts opts = { .no_visibility_tricks = no_tricks };
    if (sn_save_memory(model, "glb", &opts, &bytes, &error) != SN_OK) fail_msg("%s", error.message);
    sn_model_free(model);
    model = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    if (!model) fail_msg("%s", error.message);
    sn_bytes_free(&bytes);
    assert_int_equal(model->part_count, 2);
    assert_int_equal(model->clip_count, 3);
    return model;
}

static sn_model *save_and_load(const char *text, bool no_tricks)
{
    return save_and_load_model(mdx_mdl_load(800, text, NULL), no_tricks);
}

// Rest, then the middle of each clip: a letter for what shows.
static void expect_shown(const char *text, const char *expected)
{
    sn_model *model = save_and_load(text, false);
    char shown[5] = "";
    for (int i = 0; i < 4; i++) shown[i] = shows(model, i - 1, 0.5f) ? "RSAD"[i] : '-';
    assert_string_equal(shown, expected);
    sn_model_free(model);
}

#define FADE "Alpha 5 { Linear, 0: 0, 1000: 0, 2000: 1, 2400: 0, 3000: 0, },"  // no key in "Death": opaque

static void transparent_parts_are_hidden(void **state)
{
    (void)state;
    sn_model *model = save_and_load(MODEL(LAYER("Additive", FADE), ""), false);
    assert_false(shows(model, -1, 0));
    assert_false(shows(model, 0, 0.0f));
    assert_false(shows(model, 0, 0.9f));
    assert_true(shows(model, 1, 0.0f));
    assert_true(shows(model, 1, 0.35f));  // an eighth
    assert_false(shows(model, 1, 0.45f));
    assert_false(shows(model, 1, 1.0f));
    assert_true(shows(model, 2, 0.5f));
    assert_near(alpha_of(model, -1, 0), 1);  // for players that do not animate it
    assert_near(alpha_of(model, 0, 0.5f), 0);
    assert_near(alpha_of(model, 1, 0.2f), 0.5);
    assert_near(alpha_of(model, 2, 0.5f), 1);
    sn_model_free(model);
    model = save_and_load(MODEL(LAYER("Additive", FADE), ""), true);
    assert_true(shows(model, -1, 0) && shows(model, 0, 0.5f) && shows(model, 1, 0.5f));
    sn_model_free(model);
}

// At 0 only at the clip's end, where it may begin again; or from before it on.
static void fades_are_visible(void **state)
{
    (void)state;
    sn_model *model = save_and_load(MODEL(LAYER("Blend", "Alpha 2 { Linear, 0: 1, 1000: 0, },"), ""), false);
    assert_true(shows(model, 0, 0.9f) && shows(model, 0, 1.0f));
    sn_model_free(model);
    model = save_and_load(MODEL(LAYER("Blend", "Alpha 3 { Linear, 0: 1, 900: 0, 1000: 0, },"), ""), false);
    assert_true(shows(model, 0, 0.89f));
    assert_false(shows(model, 0, 0.95f));
    assert_false(shows(model, 0, 1.0f));
    sn_model_free(model);
}

static void steps_hide_and_curves_that_bend_do_not(void **state)
{
    (void)state;
    expect_shown(MODEL(LAYER("Blend", "Alpha 3 { DontInterp, 0: 0, 2000: 1, 2400: 0, },"), ""), "---D");
    expect_shown(MODEL(LAYER("Blend", "Alpha 3 { DontInterp, 0: 0.003, 2000: 0.005, 2900: 0, },"), ""), "--AD");
    expect_shown(MODEL(LAYER("Blend", "Alpha 2 { Hermite, 0: 0, InTan 0, OutTan 4, 900: 0, InTan -4, OutTan 0, },"),
                       ""),
                 "RSAD");
}

// Only what ignores alpha, or passes the alpha test (3/4), shows.
static void the_blend_decides(void **state)
{
    (void)state;
#define TWO(low) "Alpha 2 { DontInterp, 0: " low ", 2000: 0.8, },"
    expect_shown(MODEL(LAYER("None", TWO("0")), ""), "RSAD");
    expect_shown(MODEL(LAYER("Modulate", TWO("0")), ""), "RSAD");
    expect_shown(MODEL(LAYER("Transparent", TWO("0.7")), ""), "--AD");
    expect_shown(MODEL(LAYER("Blend", TWO("0.7")), ""), "RSAD");
    expect_shown(MODEL(LAYER("AddAlpha", TWO("0")), ""), "--AD");
}

static void all_layers_must_be_transparent(void **state)
{
    (void)state;
    expect_shown(MODEL(LAYER("Blend", FADE) LAYER("Additive", ""), ""), "RSAD");
    expect_shown(MODEL(LAYER("Blend", FADE) LAYER("Additive", TWO("0")), ""), "--AD");
    expect_shown(MODEL(LAYER("Blend", FADE) LAYER("Additive", "static Alpha 0,"), ""), "---D");
}

// Layer and part each show where the other does not; a part that is hidden stays so.
static void the_alpha_of_the_part_counts(void **state)
{
    (void)state;
    const char *const anim = "Alpha 4 { DontInterp, 0: 1, 2000: 0.05, 4000: 1, 4400: 0, }";
    char text[2048];
    snprintf(text, sizeof text, "%s GeosetAnim { %s GeosetId 1, }",
             MODEL(LAYER("Blend", "Alpha 3 { DontInterp, 0: 0, 2000: 0.05, 4000: 1, },"), ""), anim);
    expect_shown(text, "----");
    snprintf(text, sizeof text, "%s GeosetAnim { %s GeosetId 1, }", MODEL(LAYER("Blend", ""), ""), anim);
    expect_shown(text, "RSA-");
}

// Without a key anywhere; and where only some clips show it, the material is ready for them. MDX files can have a
// static alpha of 0 beside keys.
static void what_rests_transparent_is_hidden(void **state)
{
    (void)state;
    expect_shown(MODEL(LAYER("Blend", "static Alpha 0,"), ""), "----");
    sn_model *model = mdx_mdl_load(800, MODEL(LAYER("Blend", "Alpha 3 { DontInterp, 0: 0, 2000: 0.5, 4000: 0, },"), ""),
                                   NULL);
    ((sn_layer *)model->materials[1].layers)->color.w = 0;
    model = save_and_load_model(model, false);
    assert_false(shows(model, -1, 0));
    assert_near(alpha_of(model, -1, 0), 0.5);
    assert_false(shows(model, 0, 0.5f));
    assert_true(shows(model, 1, 0.5f));
    assert_near(alpha_of(model, 1, 0.5f), 0.5);
    assert_false(shows(model, 2, 0.5f));
    sn_model_free(model);
}

// A file's own alpha at rest is not used by the game once keys exist. One that "Stand" keeps is that of the material;
// one that changes is not.
static void materials_rest_with_the_alpha_of_the_standing_clip(void **state)
{
    (void)state;
    sn_model *model = save_and_load(MODEL(LAYER("Blend", "Alpha 2 { DontInterp, 0: 0.5, 2000: 0.25, },"), ""), false);
    assert_near(alpha_of(model, -1, 0), 0.5);
    assert_near(alpha_of(model, 0, 0.5f), 0.5);
    assert_near(alpha_of(model, 1, 0.5f), 0.25);
    assert_near(alpha_of(model, 2, 0.5f), 1);
    sn_model_free(model);
    model = save_and_load(MODEL(LAYER("Blend", "Alpha 3 { Linear, 0: 0.5, 500: 0.25, 1000: 0.5, },"), ""), false);
    assert_near(alpha_of(model, -1, 0), 1);
    assert_near(alpha_of(model, 0, 0.5f), 0.25);
    sn_model_free(model);
    model = save_and_load(MODEL(LAYER("Blend", ""), "GeosetAnim { Alpha 2 { DontInterp, 0: 0.5, 2000: 0.25, } "
                                                    "GeosetId 1, }"),
                          false);
    assert_near(alpha_of(model, -1, 0), 0.5);
    assert_near(alpha_of(model, 1, 0.5f), 0.25);
    assert_near(alpha_of(model, 2, 0.5f), 1);
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transparent_parts_are_hidden),
        cmocka_unit_test(fades_are_visible),
        cmocka_unit_test(steps_hide_and_curves_that_bend_do_not),
        cmocka_unit_test(the_blend_decides),
        cmocka_unit_test(all_layers_must_be_transparent),
        cmocka_unit_test(the_alpha_of_the_part_counts),
        cmocka_unit_test(what_rests_transparent_is_hidden),
        cmocka_unit_test(materials_rest_with_the_alpha_of_the_standing_clip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
