// W3D morph animations: poses of other animations, for the pivots of each channel.
#include "w3d_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

// clang-format off
#define QUARTER_Z { 0, 0, 0.70710678f, 0.70710678f }
#define STILL { 0, 0, 0, 1 }
// clang-format on

static const scene_pivot arm[] = { { "ROOTTRANSFORM", -1, { 0, 0, 0 }, STILL },
                                   { "ARM", 0, { 10, 0, 0 }, QUARTER_Z },
                                   { "HAND", 1, { 4, 0, 0 }, STILL } };

static void put_channel(w3d_tree *tree, const char *pose, const uint32_t *keys, uint32_t words)
{
    w3d_open_chunk(tree, W3D_MORPH_CHANNEL);
    if (pose) w3d_put_text_chunk(tree, W3D_MORPH_POSE, pose);
    if (keys) put_words(tree, W3D_MORPH_KEYS, keys, words);
    w3d_close_chunk(tree);
}

static void open_morph(w3d_tree *tree, uint32_t frames, float rate, uint32_t channels)
{
    w3d_open_chunk(tree, W3D_MORPH_ANIMATION);
    w3d_open_chunk(tree, W3D_MORPH_HEADER);
    w3d_put_u32(tree, 0x10000);
    w3d_put_name(tree, "TALK", 16);
    w3d_put_name(tree, "SKL", 16);
    w3d_put_u32(tree, frames);
    w3d_put_f32(tree, rate);
    w3d_put_u32(tree, channels);
    w3d_close_chunk(tree);
}

// ARM: up and, at the fourth frame, a quarter turn about z. Its channel for HAND is unused: HAND has another one.
static void put_mouth(w3d_tree *tree)
{
    const float z[4] = { 0, 2, 6, 8 }, x[4] = { 9, 9, 9, 9 };
    const float turns[16] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0.70710678f, 0.70710678f };
    const uint8_t hidden = 0;
    open_animation(tree, "MOUTH", "SKL", 4, 30);
    put_raw(tree, 1, W3D_Z, 0, 3, z);
    put_raw(tree, 1, W3D_QUATERNION, 0, 3, turns);
    put_raw(tree, 2, W3D_X, 0, 3, x);
    put_bits(tree, 1, 0, 3, 1, &hidden);
    w3d_close_chunk(tree);
}

// HAND: 16 along x at frame 4, so 4 at frame 1.
static void put_brow(w3d_tree *tree)
{
    const uint32_t codes[2] = { 0, 4 };
    const float x[2] = { 0, 16 };
    open_compressed(tree, "BROW", "SKL", 5, 30, 0);
    put_timecoded(tree, 2, W3D_X, codes, x, 2);
    w3d_close_chunk(tree);
}

// ARM shows MOUTH's frame 1 up to 2, its frame 3 from 6 on; HAND goes from BROW's frame 0 at 0 to its frame 1 at 10.
static void put_talk(w3d_tree *tree)
{
    const uint32_t mouth[] = { 2, 1, 6, 3 }, brow[] = { 0, 0, 10, 1 }, pivots[] = { 0, 0, 1 };
    open_morph(tree, 11, 10.0f, 2);
    put_channel(tree, "skl.mouth", mouth, 4);
    put_channel(tree, "SKL.BROW", brow, 4);
    put_words(tree, W3D_MORPH_PIVOTS, pivots, 3);
    w3d_close_chunk(tree);
}

static int32_t clip_of(const sn_model *model, const char *name)
{
    int32_t clip = sn_model_find_clip(model, name);
    assert_true(clip >= 0);
    return clip;
}

static sn_vec3 place(const sn_model *model, const char *node, float seconds)
{
    sn_mat34 world = world_at(model, node, clip_of(model, "TALK"), seconds);
    return (sn_vec3){ world.m[0][3], world.m[1][3], world.m[2][3] };
}

// ARM's z and angle: at 4 half way from 2 to 8 and from 90 to 180 degrees, at 5 three quarters. HAND is as far as 4 and
// its own x.
static void check_talk(const sn_model *model)
{
    const sn_clip *clip = &model->clips[clip_of(model, "TALK")];
    assert_true(fabsf(clip->duration - 1.0f) < 1e-6f);
    assert_string_equal(clip->extras, "{\"hierarchy\":\"SKL\",\"frames\":11,\"rate\":10}");
    assert_int_equal(clip->track_count, 3);
    assert_near(place(model, "ARM", 0), 10, 0, 2, 1e-5f);
    assert_near(place(model, "HAND", 0), 10, 4, 2, 1e-5f);
    assert_near(place(model, "HAND", 0.1f), 10, 4.4f, 2, 1e-5f);
    assert_near(place(model, "HAND", 0.4f), 10 - 5.6f * 0.70710678f, 5.6f * 0.70710678f, 5, 1e-4f);
    assert_near(place(model, "HAND", 0.5f), 10 - 6 * 0.92387953f, 6 * 0.38268343f, 6.5f, 1e-4f);
    assert_near(place(model, "HAND", 0.6f), 10 - 6.4f, 0, 8, 1e-4f);
    assert_near(place(model, "HAND", 0.95f), 10 - 7.8f, 0, 8, 1e-4f);
}

static void poses_follow_each_other(void **state)
{
    (void)state;
    w3d_file *file = w3d_file_open();
    put_talk(&file->tree);  // before the animations that it needs
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    put_mouth(&file->tree);
    put_brow(&file->tree);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(model->clip_count, 3);
    check_talk(model);
    sn_model_free(model);
}

// Pose animations are in files named after the dot, the hierarchy in another file.
static void poses_are_found_in_other_files(void **state)
{
    (void)state;
    scene_ref refs[4] = { { "SKL.w3d", NULL, 0 }, { "mouth.w3d", NULL, 0 }, { "BROW.w3d", NULL, 0 } };
    w3d_file *file = w3d_file_open();
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    refs[0].data = copy_scene(file, &refs[0].size);
    put_mouth(&file->tree);
    refs[1].data = copy_scene(file, &refs[1].size);
    put_brow(&file->tree);
    refs[2].data = copy_scene(file, &refs[2].size);
    put_talk(&file->tree);
    sn_model *model = load_scene(file, refs, NULL);
    assert_int_equal(model->warning_count, 0);
    check_talk(model);
    sn_model_free(model);
    for (int i = 0; i < 3; i++) free((void *)(uintptr_t)refs[i].data);
}

static void missing_poses_do_not_move(void **state)
{
    (void)state;
    const uint32_t keys[] = { 0, 0, 4, 2 };
    w3d_file *file = w3d_file_open();
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    put_mouth(&file->tree);
    open_morph(&file->tree, 5, 1.0f, 3);  // one more than present
    put_channel(&file->tree, "SKL.NOWHERE", keys, 4);
    put_channel(&file->tree, "SKL.MOUTH", NULL, 0);
    w3d_close_chunk(&file->tree);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(count_warnings(model, SNI_WARN_W3D_COUNT), 1);
    assert_int_equal(count_warnings(model, SNI_WARN_FILE_MISSING), 1);
    assert_int_equal(model->clips[clip_of(model, "TALK")].track_count, 0);
    assert_near(place(model, "ARM", 3), 10, 0, 0, 1e-5f);
    sn_model_free(model);
}

// Without a list the first channel moves all pivots. Keys out of order are skipped, frames past the end interpolate.
static void keys_out_of_order_are_dropped(void **state)
{
    (void)state;
    const uint32_t keys[] = { 0, 0, 2, 1, 1, 3, 2, 3, 6, 3, 7, 0 };
    w3d_file *file = w3d_file_open();
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    put_mouth(&file->tree);
    open_morph(&file->tree, 5, 0.0f, 1);  // 0 frames per second: 30 is used
    put_channel(&file->tree, "SKL.MOUTH", keys, 12);
    w3d_close_chunk(&file->tree);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_true(count_warnings(model, SNI_WARN_KEY_ORDER) > 0);
    assert_int_equal(count_warnings(model, SNI_WARN_VALUE_RANGE), 1);
    assert_near(place(model, "ARM", 1.0f / 30), 10, 0, 1, 1e-4f);
    assert_near(place(model, "ARM", 2.0f / 30), 10, 0, 2, 1e-4f);
    assert_near(place(model, "ARM", 3.0f / 30), 10, 0, 3.5f, 1e-4f);  // on the way from 2 at 2 to 8 at 6
    assert_near(place(model, "HAND", 0), 10, 13, 0, 1e-4f);
    sn_model_free(model);
}

static void morph_chunks_are_parsed(void **state)
{
    (void)state;
    w3d_file *file = w3d_file_open();
    put_talk(&file->tree);
    const w3d_doc *doc = w3d_file_parse(file);
    const w3d_morph *morph = doc->morphs;
    assert_int_equal(doc->morph_count, 1);
    assert_int_equal(doc->object_count, 0);
    assert_int_equal(morph->version, 0x10000);
    assert_true(str_is(morph->name, "TALK") && str_is(morph->hierarchy, "SKL"));
    assert_int_equal(morph->frame_count, 11);
    assert_true(morph->frame_rate == 10.0f);
    assert_int_equal(morph->channel_count, 2);
    assert_true(str_is(morph->channels[0].pose, "skl.mouth") && str_is(morph->channels[1].pose, "SKL.BROW"));
    assert_int_equal(morph->channels[0].keys.count, 2);
    assert_int_equal(sni_load_u32(morph->channels[0].keys.data + 12), 3);
    assert_int_equal(morph->pivots.count, 3);
    assert_int_equal(sni_load_u32(morph->pivots.data + 8), 1);
    w3d_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_follow_each_other),   cmocka_unit_test(poses_are_found_in_other_files),
        cmocka_unit_test(missing_poses_do_not_move), cmocka_unit_test(keys_out_of_order_are_dropped),
        cmocka_unit_test(morph_chunks_are_parsed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
