// glTF animations: keys as the file lays them out, and poses at times worked out by hand.
#include "check_model.h"
#include "gltf_text.h"
#include "hand_models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Accessor 0 holds the times, accessor 1 the values.
#define ONE_CHANNEL(path, mode)                                                                                \
    "'nodes':[{'translation':[7,8,9],'scale':[2,2,2]}],'animations':[{'name':'clip','channels':[{'sampler':0," \
    "'target':{'node':0,'path':'" path "'}}],'samplers':[{'input':0,'output':1" mode "}]}]"

static sn_trs local_at(const sn_model *model, int32_t clip, int32_t node, float seconds)
{
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    assert_non_null(pose);
    sn_pose_sample(pose, clip, seconds, 0);
    sn_pose_solve(pose, NULL);
    sn_trs local = sn_pose_local(pose, node);
    sn_pose_free(pose);
    return local;
}

static gltf_draft *start_keys(uint32_t keys, const float *times, const char *type, uint32_t values, const float *output)
{
    gltf_draft *draft = draft_start();
    draft_floats(draft, "SCALAR", keys, times);
    draft_floats(draft, type, values, output);
    return draft;
}

static const float three_times[3] = { 0, 1, 3 }, three_places[9] = { 0, 0, 0, 2, 4, 6, 2, 0, -6 };

static void linear_translation(void **state)
{
    (void)state;
    sn_model *model = load_draft(start_keys(3, three_times, "VEC3", 3, three_places), ONE_CHANNEL("translation", ""));
    const sn_track *track = &model->clips[0].tracks[0];
    assert_string_equal(model->clips[0].name, "clip");
    assert_int_equal(model->clips[0].track_count, 1);
    assert_true(model->clips[0].duration == 3.0f);
    assert_int_equal(track->interpolation, SN_LINEAR);
    assert_int_equal(track->channel, SN_CHANNEL_TRANSLATION);
    assert_int_equal(track->width, 3);
    assert_memory_equal(track->times, three_times, sizeof three_times);
    assert_memory_equal(track->values, three_places, sizeof three_places);
    assert_vec3(local_at(model, 0, 0, 0.25f).translation, 0.5, 1, 1.5);
    assert_vec3(local_at(model, 0, 0, 1).translation, 2, 4, 6);
    assert_vec3(local_at(model, 0, 0, 2).translation, 2, 2, 0);
    assert_vec3(local_at(model, 0, 0, 3).translation, 2, 0, -6);
    assert_vec3(local_at(model, 0, 0, 99).translation, 2, 0, -6);
    assert_vec3(local_at(model, 0, 0, -1).translation, 0, 0, 0);
    assert_vec3(local_at(model, 0, 0, 2).scale, 2, 2, 2);  // what is not driven stays at rest
    assert_vec3(local_at(model, -1, 0, 2).translation, 7, 8, 9);
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
}

static void step_switches_at_the_key(void **state)
{
    (void)state;
    sn_model *model = load_draft(start_keys(3, three_times, "VEC3", 3, three_places),
                                 ONE_CHANNEL("scale", ","
                                                      "'interpolation':'STEP'"));
    assert_int_equal(model->clips[0].tracks[0].interpolation, SN_STEP);
    assert_vec3(local_at(model, 0, 0, 0.999f).scale, 0, 0, 0);
    assert_vec3(local_at(model, 0, 0, 1).scale, 2, 4, 6);
    assert_vec3(local_at(model, 0, 0, 2.999f).scale, 2, 4, 6);
    assert_vec3(local_at(model, 0, 0, 3).scale, 2, 0, -6);
    sn_model_free(model);
}

// Keys 2 seconds apart. Of the tangents 9 none may count: before the first key and after the last.
static void cubic_translation(void **state)
{
    (void)state;
    const float times[2] = { 0, 2 };
    const float output[18] = { 9, 9, 9, 0, 1, 0, 1, 0, 0, /* second */ 2, 0, 0, 4, 1, 0, 9, 9, 9 };
    sn_model *model = load_draft(start_keys(2, times, "VEC3", 6, output),
                                 ONE_CHANNEL("translation", ","
                                                            "'interpolation':'CUBICSPLINE'"));
    const sn_track *track = &model->clips[0].tracks[0];
    assert_int_equal(track->interpolation, SN_CUBIC_SPLINE);
    assert_int_equal(track->key_count, 2);
    assert_int_equal(track->width, 3);
    assert_memory_equal(track->values, output, sizeof output);
    assert_vec3(local_at(model, 0, 0, 0).translation, 0, 1, 0);
    assert_vec3(local_at(model, 0, 0, 2).translation, 4, 1, 0);
    assert_vec3(local_at(model, 0, 0, 1).translation, 1.75, 1, 0);        // 2*0.125*1 + 0.5*4 - 2*0.125*2
    assert_vec3(local_at(model, 0, 0, 0.5f).translation, 0.71875, 1, 0);  // 2*0.140625 + 0.15625*4 - 2*0.046875*2
    sn_model_free(model);
}

static void cubic_rotation(void **state)
{
    (void)state;
    const float times[2] = { 0, 1 }, half_root = 0.70710678f;
    const float output[24] = { 9, 9, 9, 9, 0, 0,         0,         1, 0, 0, 0.8f, 0, /* second */ 0,
                               0, 0, 0, 0, 0, half_root, half_root, 9, 9, 9, 9 };
    sn_model *model = load_draft(start_keys(2, times, "VEC4", 6, output),
                                 ONE_CHANNEL("rotation", ","
                                                         "'interpolation':'CUBICSPLINE'"));
    double z = 0.5 * sqrt(0.5) + 0.125 * 0.8, w = 0.5 + 0.5 * sqrt(0.5), length = sqrt(z * z + w * w);
    assert_quat(local_at(model, 0, 0, 0.5f).rotation, 0, 0, z / length, w / length);
    assert_quat(local_at(model, 0, 0, 1).rotation, 0, 0, sqrt(0.5), sqrt(0.5));
    sn_model_free(model);
}

static void cubic_with_one_key_is_its_value(void **state)
{
    (void)state;
    const float times[1] = { 0.5f }, output[9] = { 9, 9, 9, 1, 2, 3, 8, 8, 8 };
    sn_model *model = load_draft(start_keys(1, times, "VEC3", 3, output),
                                 ONE_CHANNEL("translation", ","
                                                            "'interpolation':'CUBICSPLINE'"));
    for (int i = 0; i < 4; i++) assert_vec3(local_at(model, 0, 0, (float)i * 0.25f).translation, 1, 2, 3);
    sn_model_free(model);
}

static void linear_rotation_takes_the_short_arc(void **state)
{
    (void)state;
    const float times[2] = { 0, 1 };
    for (int sign = -1; sign <= 1; sign += 2) {
        const float s = 0.70710678f * (float)sign, output[8] = { 0, 0, 0, 1, 0, 0, s, s };
        sn_model *model = load_draft(start_keys(2, times, "VEC4", 2, output),
                                     ONE_CHANNEL("rotation", ","
                                                             "'interpolation':'LINEAR'"));
        for (int i = 0; i < 4; i++) {
            double angle = PI / 2 * i / 4;  // even speed: slerp, not lerp
            sn_quat q = local_at(model, 0, 0, (float)i / 4).rotation;
            assert_quat(q, 0, 0, sin(angle / 2), cos(angle / 2));
        }
        sn_model_free(model);
    }
}

static void quantised_rotations(void **state)
{
    (void)state;
    static const struct {
        int component;
        size_t size;
        const char *raw;
    } rows[] = {
        { I8, 8, "\x00\x00\x5A\x5A\x80\x00\x00\x00" },
        { U8, 8, "\x00\x00\xB4\xB4\xFF\x00\x00\x00" },
        { I16, 16, "\0\0\0\0\x82\x5A\x82\x5A\x00\x80\0\0\0\0\0\0" },
        { U16, 16, "\0\0\0\0\x04\xB5\x04\xB5\xFF\xFF\0\0\0\0\0\0" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gltf_draft *draft = draft_start();
        draft_floats(draft, "SCALAR", 2, (const float[]){ 0, 1 });
        draft_accessor(draft, draft_view(draft, rows[i].raw, rows[i].size, ""), rows[i].component, "VEC4", 2,
                       ","
                       "'normalized':true");
        sn_model *model = load_draft(draft, ONE_CHANNEL("rotation", ",'interpolation':'STEP'"));
        assert_int_equal(model->clips[0].track_count, 1);
        sn_quat first = local_at(model, 0, 0, 0).rotation, second = local_at(model, 0, 0, 1).rotation;
        assert_quat(first, 0, 0, sqrt(0.5), sqrt(0.5));  // decoded, then made unit
        assert_quat(second, rows[i].component == I8 || rows[i].component == I16 ? -1 : 1, 0, 0, 0);
        assert_int_equal(model->warning_count, 0);
        sn_model_free(model);
    }
}

#define MORPHED                                                                                                  \
    "'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':2},'targets':[{'POSITION':2},{'POSITION':2}]}," \
    "{'mode':0,'attributes':{'POSITION':2},'targets':[{},{}]}]}],"

static void expect_morphs(const sn_model *model, float seconds, double first, double second)
{
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, 0, seconds, 0);
    sn_pose_solve(pose, NULL);
    for (int32_t part = 0; part < 2; part++) {  // both primitives of the node
        assert_near(sn_pose_morphs(pose, part)[0], first);
        assert_near(sn_pose_morphs(pose, part)[1], second);
    }
    sn_pose_free(pose);
}

static void morph_weights(void **state)
{
    (void)state;
    const float times[3] = { 0, 1, 2 }, values[6] = { 0, 1, 0.5f, -1, 2, 3 };
    gltf_draft *draft = start_keys(3, times, "SCALAR", 6, values);
    draft_floats(draft, "VEC3", 1, (const float[]){ 1, 2, 3 });
    sn_model *model = load_draft(draft, MORPHED
                                 "'nodes':[{'mesh':0,'weights':[9,9]}],"
                                 "'animations':[{'channels':[{'sampler':0,"
                                 "'target':{'node':0,'path':'weights'}}],'samplers':[{'input':0,'output':1}]}]");
    assert_int_equal(model->clips[0].tracks[0].width, 2);
    assert_int_equal(model->clips[0].tracks[0].channel, SN_CHANNEL_MORPHS);
    expect_morphs(model, 0.5f, 0.25, 0);
    expect_morphs(model, 1, 0.5, -1);
    expect_morphs(model, 1.5f, 1.25, 1);
    sn_model_free(model);
}

// All in-tangents of a key, all its values, all its out-tangents.
static void cubic_morph_weights(void **state)
{
    (void)state;
    const float times[2] = { 0, 2 };
    const float values[12] = { 9, 9, 0, 1, 1, 0, /* second */ 2, 0, 4, 3, 9, 9 };
    gltf_draft *draft = start_keys(2, times, "SCALAR", 12, values);
    draft_floats(draft, "VEC3", 1, (const float[]){ 1, 2, 3 });
    sn_model *model = load_draft(draft, MORPHED "'nodes':[{'mesh':0}],'animations':[{'channels':[{'sampler':0,"
                                                "'target':{'node':0,"
                                                "'path':'weights'}}],'samplers':[{'input':0,'output':1,"
                                                "'interpolation':'CUBICSPLINE'}]}]");
    assert_memory_equal(model->clips[0].tracks[0].values, values, sizeof values);
    expect_morphs(model, 0, 0, 1);
    expect_morphs(model, 1, 1.75, 2);
    expect_morphs(model, 2, 4, 3);
    sn_model_free(model);
}

static void morph_weights_that_do_not_fit(void **state)
{
    (void)state;
    const float times[2] = { 0, 1 }, values[6] = { 0 };
    for (uint32_t count = 2; count <= 6; count++) {  // 4 would be right: two keys of two weights
        gltf_draft *draft = start_keys(2, times, "SCALAR", count, values);
        draft_floats(draft, "VEC3", 1, (const float[]){ 1, 2, 3 });
        sn_model *model = load_draft(draft,
                                     MORPHED "'nodes':[{'mesh':0},{}],'animations':[{'channels':[{'sampler':0,"
                                             "'target':{'node':0,"
                                             "'path':'weights'}},{'sampler':0,'target':{'node':1,'path':'weights'}}],"
                                             "'samplers':[{'input':0,'output':1}]}]");
        assert_int_equal(model->clips[0].track_count, count == 4);
        assert_true(model->warning_count > 0);
        sn_model_free(model);
    }
}

static void samplers_and_accessors_are_shared(void **state)
{
    (void)state;
    gltf_draft *draft = start_keys(3, three_times, "VEC3", 3, three_places);
    draft_floats(draft, "VEC3", 3, (const float[]){ 1, 1, 1, 2, 2, 2, 3, 3, 3 });
    sn_model *model = load_draft(
        draft,
        "'nodes':[{},{},{}],'animations':[{'channels':[{'sampler':0,'target':{'node':0,'path':'translation'}},"
        "{'sampler':0,'target':{'node':1,'path':'scale'}},{'sampler':0,'target':{'node':2,'path':'translation'}},"
        "{'sampler':1,'target':{'node':2,'path':'scale'}}],'samplers':[{'input':0,'output':1},{'input':0,'output':2}]},"
        "{'channels':[{'sampler':0,'target':{'node':0,'path':'scale'}}],'samplers':[{'input':0,'output':2}]}]");
    assert_int_equal(model->clips[0].track_count, 4);
    assert_vec3(local_at(model, 0, 0, 2).translation, 2, 2, 0);
    assert_vec3(local_at(model, 0, 1, 2).scale, 2, 2, 0);
    assert_vec3(local_at(model, 0, 2, 2).translation, 2, 2, 0);
    assert_vec3(local_at(model, 0, 2, 2).scale, 2.5, 2.5, 2.5);
    assert_vec3(local_at(model, 1, 0, 2).scale, 2.5, 2.5, 2.5);
    assert_vec3(local_at(model, 1, 0, 2).translation, 0, 0, 0);  // nothing is left of the other clip
    assert_string_equal(model->clips[1].name, "");
    sn_model_free(model);
}

static void world_of_an_animated_chain(void **state)
{
    (void)state;
    const float times[2] = { 0, 2 }, turn[8] = { 0, 0, 0, 1, 0, 0, 1, 0 };
    sn_model *model = load_draft(start_keys(2, times, "VEC4", 2, turn),
                                 "'nodes':[{'translation':[1,0,0]},{'children':[0],'translation':[0,5,0]}],"
                                 "'animations':[{'channels':"
                                 "[{'sampler':0,'target':{'node':1,'path':'rotation'}}],'samplers':[{'input':0,"
                                 "'output':1}]}]");
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, 0, 1, 0);  // a quarter turn
    sn_pose_solve(pose, NULL);
    sn_mat34 child = sn_pose_world(pose, 1);  // sorted: the parent is node 0 now
    assert_int_equal(model->nodes[1].id, 0);
    assert_within(child.m[0][3], 0, 1e-6);
    assert_within(child.m[1][3], 6, 1e-6);
    assert_within(child.m[1][0], 1, 1e-6);
    sn_pose_free(pose);
    sn_model_free(model);
}

static void channels_that_drive_nothing(void **state)
{
    (void)state;
    sn_model *model =
        load_draft(start_keys(3, three_times, "VEC3", 3, three_places),
                   "'nodes':[{}],'animations':[{'channels':[{'sampler':0,'target':{'path':'translation'}},{'sampler':0,"
                   "'target':{'node':9,'path':'scale'}},"
                   "{'sampler':0,'target':{'node':0,'path':'pointer'}},{'sampler':0,'target':{'node':0}},{'sampler':5,"
                   "'target':{'node':0,'path':'scale'}},"
                   "{'target':{'node':0,'path':'scale'}},{'sampler':0},{}],'samplers':[{'input':0,'output':1}]},"
                   "{'name':'empty'}]");
    assert_int_equal(model->clip_count, 2);
    assert_int_equal(model->clips[0].track_count, 0);
    assert_int_equal(model->clips[1].track_count, 0);
    assert_true(model->clips[1].duration == 0.0f);
    sn_model_free(model);
}

static void bad_samplers_are_dropped(void **state)
{
    (void)state;
    static const struct {
        const char *sampler, *path;
    } rows[] = {
        { "'input':0,'output':2", "translation" },  // two values for three keys
        { "'input':0,'output':1,'interpolation':'CUBICSPLINE'", "translation" },
        { "'input':0,'output':1", "rotation" },  // three components for a rotation
        { "'input':0,'output':3", "scale" },     // whole numbers that are not normalised
        { "'input':1,'output':1", "scale" },     // times of three components
        { "'input':4,'output':1", "scale" },     // times that are no floats
        { "'input':0", "scale" },
        { "'output':1", "scale" },
        { "'input':0,'output':77", "scale" },
        { "'input':-1,"
          "'output':1",
          "scale" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gltf_draft *draft = start_keys(3, three_times, "VEC3", 3, three_places);
        draft_floats(draft, "VEC3", 2, three_places);
        draft_u8(draft, "VEC3", 3, (const uint8_t[9]){ 0 }, "");
        draft_u16(draft, "SCALAR", 3, (const uint16_t[]){ 0, 1, 2 }, "");
        sn_model *model = load_draft(draft,
                                     "'nodes':[{}],'animations':[{'channels':[{'sampler':0,'target':{'node':0,"
                                     "'path':'%s'}},"
                                     "{'sampler':1,'target':{'node':0,'path':'translation'}}],"
                                     "'samplers':[{%s},{'input':0,'output':1}]}]",
                                     rows[i].path, rows[i].sampler);
        if (!warns_at(model, SNI_WARN_GLTF_ANIMATION, "/animations/0/samplers/0"))
            fail_msg("row %zu is not reported", i);
        assert_int_equal(model->clips[0].track_count, 1);  // the good one
        assert_int_equal(model->clips[0].tracks[0].channel, SN_CHANNEL_TRANSLATION);
        sn_model_free(model);
    }
}

static void an_unknown_interpolation_is_told(void **state)
{
    (void)state;
    sn_model *model = load_draft(start_keys(3, three_times, "VEC3", 3, three_places),
                                 ONE_CHANNEL("translation", ","
                                                            "'interpolation':'BOUNCE'"));
    assert_int_equal(count_warnings(model, SNI_WARN_VALUE_RANGE), 1);
    sn_model_free(model);
}

static void keys_out_of_order_are_dropped(void **state)
{
    (void)state;
    const float times[7] = { 0, 2, 1, NAN, 2, 3, INFINITY };
    float values[21];
    for (int i = 0; i < 21; i++) values[i] = (float)(i / 3);  // key k is at (k,k,k)
    gltf_draft *draft = start_keys(7, times, "VEC3", 7, values);
    sn_model *model = load_draft(draft, "'nodes':[{}],'animations':[{'channels':[{'sampler':0,'target':{'node':0,"
                                        "'path':'translation'}},"
                                        "{'sampler':1,'target':{'node':0,'path':'scale'}}],"
                                        "'samplers':[{'input':0,'output':1},{'input':0,'output':1,"
                                        "'interpolation':'STEP'}]}]");
    for (int t = 0; t < 2; t++) {
        const sn_track *track = &model->clips[0].tracks[t];
        assert_int_equal(track->key_count, 3);
        assert_memory_equal(track->times, ((const float[]){ 0, 2, 3 }), 12);
    }
    assert_true(model->clips[0].duration == 3.0f);
    assert_int_equal(count_warnings(model, SNI_WARN_KEY_ORDER), 8);
    assert_vec3(local_at(model, 0, 0, 2).translation, 1, 1, 1);
    assert_vec3(local_at(model, 0, 0, 2.5f).translation, 3, 3, 3);
    assert_vec3(local_at(model, 0, 0, 2.5f).scale, 1, 1, 1);
    assert_vec3(local_at(model, 0, 0, 3).scale, 5, 5, 5);
    sn_model_free(model);
}

static void duration_is_the_last_used_key(void **state)
{
    (void)state;
    gltf_draft *draft = start_keys(3, three_times, "VEC3", 3, three_places);
    draft_floats(draft, "SCALAR", 2, (const float[]){ 1.5f, 7 });
    draft_floats(draft, "VEC3", 2, (const float[]){ 1, 1, 1, 2, 2, 2 });
    draft_floats(draft, "SCALAR", 2, (const float[]){ 0, 100 });
    sn_model *model = load_draft(draft, "'nodes':[{}],'animations':[{'channels':["
                                        "{'sampler':1,'target':{'node':0,'path':'scale'}},"
                                        "{'sampler':0,'target':{'node':0,'path':'translation'}}],'samplers':["
                                        "{'input':0,'output':1},{'input':2,'output':3},{'input':4,'output':3}]}]");
    assert_true(model->clips[0].duration == 7.0f);         // the third sampler is used by nobody
    assert_vec3(local_at(model, 0, 0, 0).scale, 1, 1, 1);  // before its first key: the first value, not the rest
    assert_vec3(local_at(model, 0, 0, 5).translation, 2, 0, -6);
    sn_model_free(model);
}

static void a_time_without_a_view_is_zero(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_accessor(draft, -1, F32, "SCALAR", 1, "");
    draft_floats(draft, "VEC3", 1, (const float[]){ 1, 2, 3 });
    sn_model *model = load_draft(draft, ONE_CHANNEL("translation", ""));
    assert_int_equal(model->clips[0].track_count, 1);
    assert_true(model->clips[0].duration == 0.0f);
    assert_vec3(local_at(model, 0, 0, 0).translation, 1, 2, 3);
    assert_vec3(local_at(model, 0, 0, 1).translation, 1, 2, 3);
    sn_model_free(model);
}

static void sparse_times_and_values(void **state)
{
    (void)state;
    const float values[3] = { 6, 6, 6 };
    gltf_draft *draft = draft_start();
    int index = draft_view(draft, "\x01", 1, ""), time = draft_view(draft, (const float[]){ 2 }, 4, "");
    int value = draft_view(draft, values, sizeof values, "");
    char more[200];
    static const char format[] = ",'sparse':{'count':1,'indices':{'bufferView':%d,'componentType':5121},"
                                 "'values':{'bufferView':%d}}";
    snprintf(more, sizeof more, format, index, time);
    draft_accessor(draft, -1, F32, "SCALAR", 2, more);
    snprintf(more, sizeof more, format, index, value);
    draft_accessor(draft, -1, F32, "VEC3", 2, more);
    sn_model *model = load_draft(draft, ONE_CHANNEL("translation", ""));
    assert_true(model->clips[0].duration == 2.0f);
    assert_vec3(local_at(model, 0, 0, 0.5f).translation, 1.5, 1.5, 1.5);
    sn_model_free(model);
}

static void the_last_of_two_channels_wins(void **state)
{
    (void)state;
    gltf_draft *draft = start_keys(3, three_times, "VEC3", 3, three_places);
    draft_floats(draft, "VEC3", 3, (const float[]){ 5, 5, 5, 5, 5, 5, 5, 5, 5 });
    sn_model *model = load_draft(draft, "'nodes':[{},{}],'animations':[{'channels':[{'sampler':0,'target':{'node':0,"
                                        "'path':'translation'}},"
                                        "{'sampler':0,'target':{'node':1,'path':'translation'}},"
                                        "{'sampler':1,'target':{'node':0,'path':'translation'}}],"
                                        "'samplers':[{'input':0,'output':1},{'input':0,'output':2}]}]");
    assert_int_equal(model->clips[0].track_count, 2);
    assert_int_equal(count_warnings(model, SNI_WARN_TRACK_TWICE), 1);
    assert_vec3(local_at(model, 0, 0, 2).translation, 5, 5, 5);
    assert_vec3(local_at(model, 0, 1, 2).translation, 2, 2, 0);
    sn_model_free(model);
}

static void a_node_with_a_matrix_may_move(void **state)
{
    (void)state;
    sn_model *model = load_draft(start_keys(3, three_times, "VEC3", 3, three_places),
                                 "'nodes':[{'matrix':[2,0,0,0,0,3,0,0,0,0,4,0,7,8,9,1]}],"
                                 "'animations':[{'channels':[{'sampler':0,"
                                 "'target':{'node':0,'path':'translation'}}],'samplers':[{'input':0,'output':1}]}]");
    sn_trs local = local_at(model, 0, 0, 2);
    assert_vec3(local.translation, 2, 2, 0);
    assert_vec3(local.scale, 2, 3, 4);
    sn_model_free(model);
}

static void rotations_of_keys_are_made_unit(void **state)
{
    (void)state;
    const float times[2] = { 0, 1 }, output[8] = { 0, 0, 0, 0, 0, 0, 5, 5 };
    sn_model *model = load_draft(start_keys(2, times, "VEC4", 2, output), ONE_CHANNEL("rotation", ""));
    assert_quat(local_at(model, 0, 0, 0).rotation, 0, 0, 0, 1);
    assert_quat(local_at(model, 0, 0, 1).rotation, 0, 0, sqrt(0.5), sqrt(0.5));
    assert_true(count_warnings(model, SNI_WARN_ROTATION_LENGTH) > 0);
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_translation),
        cmocka_unit_test(step_switches_at_the_key),
        cmocka_unit_test(cubic_translation),
        cmocka_unit_test(cubic_rotation),
        cmocka_unit_test(cubic_with_one_key_is_its_value),
        cmocka_unit_test(linear_rotation_takes_the_short_arc),
        cmocka_unit_test(quantised_rotations),
        cmocka_unit_test(morph_weights),
        cmocka_unit_test(cubic_morph_weights),
        cmocka_unit_test(morph_weights_that_do_not_fit),
        cmocka_unit_test(samplers_and_accessors_are_shared),
        cmocka_unit_test(world_of_an_animated_chain),
        cmocka_unit_test(channels_that_drive_nothing),
        cmocka_unit_test(bad_samplers_are_dropped),
        cmocka_unit_test(an_unknown_interpolation_is_told),
        cmocka_unit_test(keys_out_of_order_are_dropped),
        cmocka_unit_test(duration_is_the_last_used_key),
        cmocka_unit_test(a_time_without_a_view_is_zero),
        cmocka_unit_test(sparse_times_and_values),
        cmocka_unit_test(the_last_of_two_channels_wins),
        cmocka_unit_test(a_node_with_a_matrix_may_move),
        cmocka_unit_test(rotations_of_keys_are_made_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
