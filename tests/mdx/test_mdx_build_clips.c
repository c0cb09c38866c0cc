// Sequences and global sequences: which keys are used; the values between, before and after them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hand_models.h"
#include "mdl_text.h"

#define SECOND       "Sequences 2 {Anim \"Stand\" {Interval {1000, 2000} } Anim \"Walk\" { Interval {3000, 4000} } } "
#define GLOBALS      "GlobalSequences 3 { Duration 500, Duration 0, Duration 400, } "
#define BONE(tracks) "Bone \"Root\" { ObjectId 0, " tracks " } PivotPoints 1 { { 10, 20, 30 }, } "

// The X that a translation adds to the pivot.
static double moved(const sn_model *model, int32_t clip, float seconds, float clock)
{
    sn_vec3 place = mdx_mdl_place(model, "Root", clip, seconds, clock);
    assert_near(place.y, 20);
    assert_near(place.z, 30);
    return (double)place.x - 10;
}

static sn_model *moving(const char *keys)
{
    char text[2048];
    snprintf(text, sizeof text, SECOND GLOBALS BONE("Translation 4 { %s }"), keys);
    return mdx_mdl_load(800, text, NULL);
}

static void test_linear(void **state)
{
    (void)state;
    sn_model *model = moving("Linear, 1000: { 0, 0, 0 }, 2000: { 10, 0, 0 },");
    assert_near(moved(model, 0, 0.0f, 0), 0);
    assert_near(moved(model, 0, 0.25f, 0), 2.5);
    assert_near(moved(model, 0, 1.0f, 0), 10);
    sn_model_free(model);
}

static void test_step(void **state)
{
    (void)state;
    sn_model *model = moving("DontInterp, 1000: { 0, 0, 0 }, 1500: { 10, 0, 0 },");
    assert_near(moved(model, 0, 0.499f, 0), 0);
    assert_near(moved(model, 0, 0.5f, 0), 10);
    assert_near(moved(model, 0, 0.99f, 0), 10);
    sn_model_free(model);
}

// Half way: 0.5 a + 0.125 b - 0.125 c + 0.5 d with a = 0, b = 4, c = 8, d = 10.
static void test_hermite(void **state)
{
    (void)state;
    sn_model *model = moving("Hermite, 1000: { 0, 0, 0 }, InTan { 99, 0, 0 }, OutTan { 4, 0, 0 },"
                             "2000: { 10, 0, 0 }, InTan { 8, 0, 0 }, OutTan { 99, 0, 0 },");
    assert_near(moved(model, 0, 0.5f, 0), 4.5);
    sn_model_free(model);
}

// Half way: (a + 3 b + 3 c + d) / 8 with the same numbers. The pivot moves the control points too.
static void test_bezier(void **state)
{
    (void)state;
    sn_model *model = moving("Bezier, 1000: { 0, 0, 0 }, InTan { 99, 0, 0 }, OutTan { 4, 0, 0 },"
                             "2000: { 10, 0, 0 }, InTan { 8, 0, 0 }, OutTan { 99, 0, 0 },");
    assert_near(moved(model, 0, 0.5f, 0), 5.75);
    sn_model_free(model);
}

static double turned(const sn_model *model, float seconds)
{
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, 0, seconds, 0);
    sn_quat turn = sn_pose_local(pose, 0).rotation;
    sn_pose_free(pose);
    return 2 * atan2(turn.z, turn.w) * 180 / PI;
}

#define TURN_0        "{ 0, 0, 0, 1 }"
#define TURN_30       "{ 0, 0, 0.258819045, 0.965925826 }"
#define TURN_90       "{ 0, 0, 0.707106781, 0.707106781 }"
#define TURN_100      "{ 0, 0, 0.766044443, 0.64278761 }"
#define TURN_MINUS_90 "{ 0, 0, 0.707106781, -0.707106781 }"

static void test_slerp(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(800, SECOND BONE("Rotation 2 { Linear, 1000: " TURN_0 ", 2000: " TURN_90 ", }"),
                                   NULL);
    assert_within(turned(model, 0.5f), 45, 1e-4);
    assert_within(turned(model, 1.0f / 3), 30, 1e-4);
    sn_model_free(model);
    model = mdx_mdl_load(800, SECOND BONE("Rotation 2 { Linear, 1000: " TURN_0 ", 2000: " TURN_MINUS_90 ", }"), NULL);
    assert_within(turned(model, 0.5f), -45, 1e-4);  // the shorter way
    sn_model_free(model);
}

// All about one axis, so angles blend: slerp(0, 90) and slerp(30, 100) half way, blended by 2 u (1 - u) = 0.5.
static void test_squad(void **state)
{
    (void)state;
    static const char *const kinds[] = { "Hermite", "Bezier" };
    for (int i = 0; i < 2; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 SECOND BONE("Rotation 2 { %s, 1000: " TURN_0 ", InTan " TURN_0 ", OutTan " TURN_30 ", 2000: " TURN_90
                             ", InTan " TURN_100 ", OutTan " TURN_0 ", }"),
                 kinds[i]);
        sn_model *model = mdx_mdl_load(800, text, NULL);
        assert_within(turned(model, 0.5f), 45 + (65 - 45) * 0.5, 1e-3);
        sn_model_free(model);
    }
}

static void test_rotations_that_are_not_unit(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(800,
                                   SECOND BONE("Rotation 2 { Linear, 1000: { 0, 0, 0, 0 }, 2000: { 0, 0, 3, 3 }, }"),
                                   NULL);
    assert_within(turned(model, 0.0f), 0, 1e-4);
    assert_within(turned(model, 0.5f), 45, 1e-3);
    sn_model_free(model);
}

#define LATE "Linear, 1200: { 0, 0, 0 }, 1700: { 10, 0, 0 },"

// From 1700 to 1200 there are 500 ms across the end. After the last key the value moves along this segment; before the
// first key the game extrapolates backwards: u = -100 / 500.
static void test_loop_seam_of_the_game(void **state)
{
    (void)state;
    sn_model *model = moving(LATE);
    assert_within(moved(model, 0, 0.85f, 0), 10 + (0 - 10) * 0.3, 1e-5);
    assert_within(moved(model, 0, 0.1f, 0), 10 + (0 - 10) * -0.2, 1e-5);
    assert_within(moved(model, 0, 0.2f, 0), 0, 1e-5);
    assert_int_equal(model->clips[0].tracks[0].wrap, SN_WRAP_CYCLE_GAME);
    sn_model_free(model);
}

// u = (100 + 300) / 500.
static void test_continuous_loop_seam(void **state)
{
    (void)state;
    const sn_load_opts opts = { .continuous = true };
    sn_model *model = mdx_mdl_load(800, SECOND BONE("Translation 2 { " LATE " }"), &opts);
    assert_within(moved(model, 0, 0.85f, 0), 7, 1e-5);
    assert_within(moved(model, 0, 0.1f, 0), 2, 1e-5);
    sn_model_free(model);
}

static void test_step_across_the_loop_seam(void **state)
{
    (void)state;
    sn_model *model = moving("DontInterp, 1200: { 1, 0, 0 }, 1700: { 10, 0, 0 },");
    assert_near(moved(model, 0, 0.1f, 0), 10);
    assert_near(moved(model, 0, 0.3f, 0), 1);
    sn_model_free(model);
}

static void test_no_key_inside_is_the_default(void **state)
{
    (void)state;
    sn_model *model = moving("Linear, 900: { 5, 0, 0 }, 1000: { 7, 0, 0 }, 2000: { 7, 0, 0 }, 2100: { 9, 0, 0 },");
    assert_near(moved(model, 0, 0.5f, 0), 7);
    assert_near(moved(model, 1, 0.5f, 0), 0);  // not the nearest key's 9
    assert_int_equal(model->clips[0].tracks[0].key_count, 2);
    assert_int_equal(model->clips[1].track_count, 0);
    sn_model_free(model);
}

static void test_one_key_inside_is_constant(void **state)
{
    (void)state;
    sn_model *model = moving("Linear, 1000: { 0, 0, 0 }, 2000: { 1, 0, 0 }, 3500: { 4, 0, 0 }, 4001: { 9, 0, 0 },");
    for (int i = 0; i <= 4; i++) assert_near(moved(model, 1, (float)i * 0.25f, 0), 4);
    assert_int_equal(model->clips[1].tracks[0].key_count, 1);
    sn_model_free(model);
}

static void test_clips_share_the_values_of_a_track(void **state)
{
    (void)state;
    sn_model *model = moving("Linear, 1000: { 0, 0, 0 }, 2000: { 1, 0, 0 }, 3000: { 4, 0, 0 }, 4000: { 9, 0, 0 },");
    assert_ptr_equal(model->clips[1].tracks[0].values, model->clips[0].tracks[0].values + 6);
    assert_near(model->clips[1].tracks[0].times[0], 0);
    assert_near(model->clips[1].tracks[0].times[1], 1);
    sn_model_free(model);
}

// Only the clock matters; from 250 on the value returns to 0 across the end at 500.
static void test_global_sequence(void **state)
{
    (void)state;
    sn_model *model = moving("Linear, GlobalSeqId 0, 0: { 0, 0, 0 }, 250: { 10, 0, 0 }, 900: { 77, 0, 0 },");
    for (int clip = 0; clip < 2; clip++) {
        assert_within(moved(model, clip, 0.9f, 0.125f), 5, 1e-5);
        assert_within(moved(model, clip, 0.1f, 0.375f), 5, 1e-5);
        assert_within(moved(model, clip, 0.1f, 0.6f), 4, 1e-4);
    }
    assert_near(model->clips[0].tracks[0].period, 0.5);
    sn_model_free(model);
}

static void test_global_sequence_of_no_length_or_with_late_keys(void **state)
{
    (void)state;
    sn_model *model = moving("Linear, GlobalSeqId 1, 0: { 3, 0, 0 }, 250: { 10, 0, 0 },");
    assert_near(moved(model, 0, 0.5f, 0.2f), 3);
    sn_model_free(model);
    model = moving("Linear, GlobalSeqId 0, 600: { 7, 0, 0 }, 700: { 10, 0, 0 },");
    assert_near(moved(model, 0, 0.5f, 0.2f), 7);
    sn_model_free(model);
}

static void test_missing_global_sequence(void **state)
{
    (void)state;
    sn_model *model = moving("Linear, GlobalSeqId 7, 1000: { 0, 0, 0 }, 2000: { 10, 0, 0 },");
    assert_near(moved(model, 0, 0.5f, 0), 5);  // plays like any other track
    assert_int_equal(mdx_mdl_warnings(model, "REFERENCE"), 1);
    sn_model_free(model);
}

static void test_global_sequences_without_sequences_are_a_clip(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(800,
                                   GLOBALS BONE(
                                       "Translation 2 { Linear, GlobalSeqId 2, 0: { 0, 0, 0 }, 400: { 8, 0, 0 }, }"),
                                   NULL);
    assert_int_equal(model->clip_count, 1);
    assert_true(model->clips[0].loops);
    assert_near(model->clips[0].duration, 0.4);
    assert_within(moved(model, 0, 0, 0.1f), 2, 1e-5);
    sn_model_free(model);
}

// Sorted, the value moves to the first of the two keys at 1500 and continues from the second.
static void test_unsorted_and_duplicate_keys(void **state)
{
    (void)state;
    sn_model *model = moving(
        "Linear, 2000: { 10, 0, 0 }, 1000: { 0, 0, 0 }, 1500: { 2, 0, 0 }, 1500: { 5, 0, 0 }, 1500: { 8, 0, 0 },");
    assert_within(moved(model, 0, 0.25f, 0), 1, 1e-5);
    assert_within(moved(model, 0, 0.5f, 0), 8, 1e-5);
    assert_within(moved(model, 0, 0.75f, 0), 9, 1e-5);
    assert_int_equal(mdx_mdl_warnings(model, "MDX_KEY_ORDER"), 1);
    sn_model_free(model);
    model = moving("Linear, 1000: { 3, 0, 0 }, 1000: { 6, 0, 0 }, 2000: { 10, 0, 0 },");
    assert_within(moved(model, 0, 0.0f, 0), 6, 1e-5);
    assert_int_equal(model->clips[0].tracks[0].key_count, 2);
    sn_model_free(model);
}

static void test_intervals_of_no_length_and_reversed(void **state)
{
    (void)state;
    sn_model *model =
        mdx_mdl_load(800,
                     "Sequences 2 { Anim \"Point\" { Interval { 1000, 1000 }, } Anim \"Back\" { Interval { "
                     "2000, 500 }, } } " BONE("Translation 2 { Linear, 1000: { 3, 0, 0 }, 2000: { 5, 0, 0 }, }"),
                     NULL);
    for (int i = 0; i < 2; i++) {
        assert_near(model->clips[i].duration, 0);
        assert_near(moved(model, i, 0, 0), i ? 5 : 3);
        assert_near(moved(model, i, 9, 0), i ? 5 : 3);
    }
    assert_int_equal(mdx_mdl_warnings(model, "MDX_SEQUENCE"), 1);
    sn_model_free(model);
}

// Times are signed, of keys and of intervals.
static void test_intervals_before_zero(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(800,
                                   "Sequences 1 { Anim \"Early\" { Interval { -500, 500 }, } } " BONE(
                                       "Translation 2 { Linear, -500: { 0, 0, 0 }, 500: { 10, 0, 0 }, }"),
                                   NULL);
    assert_near(model->clips[0].duration, 1);
    assert_near(moved(model, 0, 0.25f, 0), 2.5);
    assert_int_equal(mdx_mdl_warnings(model, "MDX_SEQUENCE"), 0);
    sn_model_free(model);
}

static void test_sequence_properties(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(
        800,
        "Sequences 3 { Anim \"Walk\" { Interval { 1000, 2500 }, MoveSpeed 270, Rarity 4, MinimumExtent { 1, 2, 3 }, "
        "MaximumExtent { 4, 5, 6 }, BoundsRadius 7, } Anim \"Death\" { Interval { 3000, 4000 }, NonLooping, } "
        "Anim \"Death\" { Interval { 5000, 6000 }, } } ",
        NULL);
    assert_string_equal(model->clips[0].name, "Walk");
    assert_near(model->clips[0].duration, 1.5);
    assert_true(model->clips[0].loops);
    assert_string_equal(model->clips[0].extras,
                        "{\"interval\":[1000,2500],\"moveSpeed\":270,\"rarity\":4,"
                        "\"minimumExtent\":[1,2,3],\"maximumExtent\":[4,5,6],\"boundsRadius\":7}");
    assert_false(model->clips[1].loops);
    assert_string_equal(model->clips[2].name, "Death");
    sn_model_free(model);
}

static void test_visibility_is_stepped(void **state)
{
    (void)state;
    sn_model *model =
        mdx_mdl_load(800,
                     SECOND
                     "Attachment \"Ref\" { ObjectId 0, AttachmentID 3, Visibility 2 { Linear, 1000: 1, 1500: 0, } } "
                     "PivotPoints 1 { { 0, 0, 0 }, }",
                     NULL);
    const sn_track *track = &model->clips[0].tracks[0];
    float shown = 0;
    assert_int_equal(track->channel, SN_CHANNEL_VISIBILITY);
    assert_int_equal(track->interpolation, SN_STEP);
    sn_track_sample(track, 0.499f, 1, 0, &shown);
    assert_near(shown, 1);
    sn_track_sample(track, 0.5f, 1, 0, &shown);
    assert_near(shown, 0);
    assert_true(model->nodes[0].flags & SN_NODE_ATTACHMENT);
    sn_model_free(model);
}

// The largest floats plus the largest pivot stay finite (mdx_mdl_load checks the model).
static void test_sums_stay_finite(void **state)
{
    (void)state;
    sn_model_free(
        mdx_mdl_load(800,
                     SECOND
                     "Camera \"C\" { Position { 3e38, 3e38, 3e38 }, Translation 2 { Bezier, 1000: { 3e38, 3e38, "
                     "3e38 }, InTan { 3e38, 0, 0 }, OutTan { 3e38, 0, 0 }, "
                     "2000: { 3e38, 0, 0 }, InTan { 3e38, 0, 0 }, OutTan { 3e38, 0, 0 }, } Target { Position { "
                     "-3e38, 0, 0 }, Translation 1 { Linear, 1000: { -3e38, 0, 0 }, } } } "
                     "TextureAnims 1 { TVertexAnim { Translation 1 { Linear, 1000: { 3e38, 3e38, 0 }, } Scaling 1 { "
                     "Linear, 1000: { 3e38, -3e38, 0 }, } } } "
                     "Materials 1 { Material { Layer { FilterMode None, static TextureID 0, TVertexAnimId 0, } } }",
                     NULL));
}

static char *print_many(uint32_t sequences, uint32_t bones, const char *keys)
{
    size_t size = 256 + (size_t)sequences * 64 + (size_t)bones * (96 + strlen(keys)), used = 0;
    char *text = malloc(size);
    assert_non_null(text);
    used += (size_t)snprintf(text + used, size - used, "Version { FormatVersion 800, } Sequences 1 {\n");
    for (uint32_t i = 0; i < sequences; i++)
        used += (size_t)snprintf(text + used, size - used, "Anim \"A\" { Interval { %u, %u }, }\n", i * 10,
                                 i * 10 + 10);
    used += (size_t)snprintf(text + used, size - used, "}\n");
    for (uint32_t i = 0; i < bones; i++)
        used += (size_t)snprintf(text + used, size - used, "Bone \"B\" { ObjectId %u, Translation 1 { Linear, %s } }\n",
                                 i, keys);
    return text;
}

static void test_a_hundred_sequences_of_300_bones(void **state)
{
    (void)state;
    char *text = print_many(100, 300, "5: { 1, 2, 3 }, 15: { 1, 2, 3 }, 25: { 4, 5, 6 },");
    sn_model *model = sn_load_memory(text, strlen(text), NULL, NULL);
    assert_non_null(model);
    assert_int_equal(model->clip_count, 100);
    for (uint32_t i = 0; i < 100; i++) assert_int_equal(model->clips[i].track_count, i < 3 ? 300 : 0);
    sn_model_free(model);
    free(text);
}

static void test_too_many_sequences_of_too_many_bones(void **state)
{
    (void)state;
    sn_error error;
    char *text = print_many(3000, 3000, "5: { 1, 2, 3 },");
    assert_null(sn_load_memory(text, strlen(text), NULL, &error));
    assert_int_equal(error.status, SN_ERR_LIMIT);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear),
        cmocka_unit_test(test_step),
        cmocka_unit_test(test_hermite),
        cmocka_unit_test(test_bezier),
        cmocka_unit_test(test_slerp),
        cmocka_unit_test(test_squad),
        cmocka_unit_test(test_rotations_that_are_not_unit),
        cmocka_unit_test(test_loop_seam_of_the_game),
        cmocka_unit_test(test_continuous_loop_seam),
        cmocka_unit_test(test_step_across_the_loop_seam),
        cmocka_unit_test(test_no_key_inside_is_the_default),
        cmocka_unit_test(test_one_key_inside_is_constant),
        cmocka_unit_test(test_clips_share_the_values_of_a_track),
        cmocka_unit_test(test_global_sequence),
        cmocka_unit_test(test_global_sequence_of_no_length_or_with_late_keys),
        cmocka_unit_test(test_missing_global_sequence),
        cmocka_unit_test(test_global_sequences_without_sequences_are_a_clip),
        cmocka_unit_test(test_unsorted_and_duplicate_keys),
        cmocka_unit_test(test_intervals_of_no_length_and_reversed),
        cmocka_unit_test(test_intervals_before_zero),
        cmocka_unit_test(test_sequence_properties),
        cmocka_unit_test(test_visibility_is_stepped),
        cmocka_unit_test(test_sums_stay_finite),
        cmocka_unit_test(test_a_hundred_sequences_of_300_bones),
        cmocka_unit_test(test_too_many_sequences_of_too_many_bones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
