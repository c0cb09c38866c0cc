// W3D animations: relative to the base pose, channels of all kinds, frames outside them, animations in other files.
#include "w3d_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/file.h"

// clang-format off
#define QUARTER_Z { 0, 0, 0.70710678f, 0.70710678f }
#define STILL { 0, 0, 0, 1 }
#define JUMP 0x80000000u
// clang-format on

static const scene_pivot arm[] = { { "ROOTTRANSFORM", -1, { 0, 0, 0 }, STILL },
                                   { "ARM", 0, { 10, 0, 0 }, QUARTER_Z },
                                   { "HAND", 1, { 4, 0, 0 }, STILL } };
static const float quarter_x[8] = { 0, 0, 0, 1, 0.70710678f, 0, 0, 0.70710678f };

static w3d_file *start(void)
{
    w3d_file *file = w3d_file_open();
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    return file;
}

static sn_model *finish(w3d_file *file)
{
    w3d_close_chunk(&file->tree);
    return load_scene(file, NULL, NULL);
}

static sn_vec3 place(const sn_model *model, const char *node, float seconds)
{
    sn_mat34 world = world_at(model, node, 0, seconds);
    return (sn_vec3){ world.m[0][3], world.m[1][3], world.m[2][3] };
}

static const sn_track *track_of(const sn_model *model, const char *node, sn_channel channel)
{
    int32_t index = sn_model_find_node(model, node);
    for (uint32_t i = 0; i < model->clips[0].track_count; i++) {
        const sn_track *track = &model->clips[0].tracks[i];
        if (track->target_kind == SN_TARGET_NODE && track->target == index && track->channel == channel) return track;
    }
    return NULL;
}

// ARM's base rotates x to y: 3 along its x is 3 along the model's y. Its rotation about x comes last, so HAND, which is
// on ARM's x axis, only moves with ARM; HAND's z, moved by 1, then points along the model's x.
static void channels_are_relative_to_the_base_pose(void **state)
{
    (void)state;
    const float x[2] = { 0, 3 }, z[2] = { 0, 1 };
    w3d_file *file = start();
    open_animation(&file->tree, "WAVE", "SKL", 2, 10);
    put_raw(&file->tree, 1, W3D_X, 0, 1, x);
    put_raw(&file->tree, 1, W3D_QUATERNION, 0, 1, quarter_x);
    put_raw(&file->tree, 2, W3D_Z, 0, 1, z);
    sn_model *model = finish(file);
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(model->clip_count, 1);
    assert_string_equal(model->clips[0].name, "WAVE");
    assert_string_equal(model->clips[0].extras, "{\"hierarchy\":\"SKL\",\"frames\":2,\"rate\":10}");
    assert_true(model->clips[0].loops);
    assert_true(fabsf(model->clips[0].duration - 0.1f) < 1e-7f);
    assert_near(place(model, "ARM", 0), 10, 0, 0, 1e-5f);
    assert_near(place(model, "HAND", 0), 10, 4, 0, 1e-5f);
    assert_near(place(model, "ARM", 0.1f), 10, 3, 0, 1e-5f);
    assert_near(place(model, "ARM", 0.05f), 10, 1.5f, 0, 1e-5f);
    assert_near(place(model, "HAND", 0.1f), 11, 7, 0,
                1e-5f);  // z becomes -y by the quarter turn about x, which ARM rotates to x
    sn_model_free(model);
}

// Frames 3 to 5 of 9 have a value; it blends in from 2 to 3 and out from 5 to 6; elsewhere it is 0.
static void raw_channels_are_zero_outside_their_frames(void **state)
{
    (void)state;
    const float z[3] = { 6, 8, 6 };
    const float halfway[8] = { 1, 0, 0, 0, 1, 0, 0, 0 };
    w3d_file *file = start();
    open_animation(&file->tree, "A", "SKL", 9, 1);
    put_raw(&file->tree, 1, W3D_Z, 3, 5, z);
    put_raw(&file->tree, 2, W3D_QUATERNION, 1, 2, halfway);
    sn_model *model = finish(file);
    const float seconds[] = { 0, 1, 2, 2.5f, 3, 4, 4.5f, 5, 5.5f, 6, 7.5f, 8 },
                expected[] = { 0, 0, 0, 3, 6, 8, 7, 6, 3, 0, 0, 0 };
    for (int i = 0; i < 12; i++) assert_near(place(model, "ARM", seconds[i]), 10, 0, expected[i], 1e-5f);
    assert_int_equal(track_of(model, "ARM", SN_CHANNEL_TRANSLATION)->key_count, 6);  // 0, 2, 3, 4, 5, 6
    const sn_track *turn = track_of(model, "HAND", SN_CHANNEL_ROTATION);
    assert_int_equal(turn->key_count, 4);  // 0, 1, 2, 3
    const float *values = turn->values;
    assert_true(fabsf(values[3]) == 1.0f && fabsf(values[4]) == 1.0f && fabsf(values[8]) == 1.0f &&
                fabsf(values[15]) == 1.0f);
    sn_model_free(model);
}

// Payloads may be longer than their frames, and a later channel replaces an earlier one.
static void later_channels_win_and_extra_values_are_ignored(void **state)
{
    (void)state;
    const float first[4] = { 9, 9, 9, 9 }, second[4] = { 1, 1, 5, 5 };
    w3d_file *file = start();
    open_animation(&file->tree, "A", "SKL", 2, 1);
    put_raw(&file->tree, 1, W3D_Z, 0, 3, first);
    put_raw(&file->tree, 1, W3D_Z, 0, 3, second);
    put_raw(&file->tree, 0, W3D_Z, 0, 1, first);        // the root does not move
    put_raw(&file->tree, 3, W3D_Z, 0, 1, first);        // there are only three
    put_raw(&file->tree, 1, W3D_EULER_X, 0, 1, first);  // Euler angles are ignored
    sn_model *model = finish(file);
    assert_near(place(model, "ARM", 1), 10, 0, 1, 1e-5f);
    assert_near(place(model, "ROOTTRANSFORM", 1), 0, 0, 0, 0);
    assert_int_equal(count_warnings(model, SNI_WARN_TRACK_TARGET), 1);
    assert_int_equal(count_warnings(model, -1), 1);
    assert_int_equal(model->clips[0].track_count, 1);
    assert_int_equal(track_of(model, "ARM", SN_CHANNEL_TRANSLATION)->key_count, 2);
    sn_model_free(model);
}

// The value jumps to a flagged key at its frame, and interpolates after it. X and Z have different keys.
static void values_jump_to_flagged_keys(void **state)
{
    (void)state;
    const uint32_t x_codes[] = { 0, 4 | JUMP, 8 }, z_codes[] = { 0, 8 };
    const float x[] = { 0, 4, 8 }, z[] = { 0, 16 };
    w3d_file *file = start();
    open_compressed(&file->tree, "A", "SKL", 11, 1, 0);
    put_timecoded(&file->tree, 1, W3D_Z, z_codes, z, 2);
    put_timecoded(&file->tree, 1, W3D_X, x_codes, x, 3);
    sn_model *model = finish(file);
    assert_int_equal(model->warning_count, 0);
    assert_near(place(model, "ARM", 2), 10, 0, 4, 1e-5f);
    assert_near(place(model, "ARM", 3.99f), 10, 0, 7.98f, 1e-4f);
    assert_near(place(model, "ARM", 4), 10, 4, 8, 1e-5f);
    assert_near(place(model, "ARM", 6), 10, 6, 12, 1e-5f);
    assert_near(place(model, "ARM", 10), 10, 8, 16, 1e-5f);
    assert_int_equal(track_of(model, "ARM", SN_CHANNEL_TRANSLATION)->key_count, 4);  // 0, just before 4, 4, 8
    assert_true(fabsf(model->clips[0].duration - 10.0f) < 1e-6f);
    sn_model_free(model);
}

static void rotations_jump_too(void **state)
{
    (void)state;
    const uint32_t codes[] = { 0, 4 | JUMP };
    w3d_file *file = start();
    open_compressed(&file->tree, "A", "SKL", 9, 1, 0);
    put_timecoded(&file->tree, 1, W3D_QUATERNION, codes, quarter_x, 2);
    sn_model *model = finish(file);
    assert_near(place(model, "HAND", 3.9f), 10, 4, 0, 1e-5f);
    sn_mat34 before = world_at(model, "ARM", 0, 3.9f), after = world_at(model, "ARM", 0, 4);
    assert_near((sn_vec3){ before.m[0][2], before.m[1][2], before.m[2][2] }, 0, 0, 1, 1e-5f);
    assert_near((sn_vec3){ after.m[0][2], after.m[1][2], after.m[2][2] }, 1, 0, 0, 1e-5f);
    sn_model_free(model);
}

static void keys_out_of_order_are_dropped(void **state)
{
    (void)state;
    const uint32_t codes[] = { 0, 5, 3, 8 };
    const float z[] = { 0, 5, 100, 8 };
    w3d_file *file = start();
    open_compressed(&file->tree, "A", "SKL", 9, 1, 0);
    put_timecoded(&file->tree, 1, W3D_Z, codes, z, 4);
    sn_model *model = finish(file);
    assert_int_equal(count_warnings(model, SNI_WARN_KEY_ORDER), 1);
    assert_near(place(model, "ARM", 4), 10, 0, 4, 1e-5f);
    assert_near(place(model, "ARM", 7), 10, 0, 7, 1e-5f);
    sn_model_free(model);
}

// One key per frame; all such channels share their times.
static void adaptive_channels_have_all_frames(void **state)
{
    (void)state;
    const float values[5] = { 0, 1, 2, 3, 2 };
    w3d_channel channel = { .kind = W3D_ADAPTIVE4, .pivot = 1, .type = W3D_Z, .width = 1, .count = 5 };
    w3d_keys keys = { .count = 5, .values = (float *)(uintptr_t)values };
    w3d_file *file = start();
    open_compressed(&file->tree, "A", "SKL", 5, 1, 1);
    w3d_put_channel(&file->tree, &channel, &keys);
    channel.pivot = 2;
    w3d_put_channel(&file->tree, &channel, &keys);
    sn_model *model = finish(file);
    const sn_track *first = track_of(model, "ARM", SN_CHANNEL_TRANSLATION),
                   *second = track_of(model, "HAND", SN_CHANNEL_TRANSLATION);
    assert_int_equal(first->key_count, 5);
    assert_ptr_equal(first->times, second->times);
    for (int i = 0; i < 5; i++) assert_near(place(model, "ARM", (float)i), 10, 0, values[i], 0.3f);
    sn_model_free(model);
}

// Bits hide bone 1 in frames 2 to 4; outside its frames the fallback counts. Parts on bone 2, below it, stay visible;
// parts that are hidden at rest stay hidden.
static void visibility_does_not_affect_child_bones(void **state)
{
    (void)state;
    static const float positions[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    const scene_object objects[] = { { 1, "T.A" }, { 2, "T.B" }, { 1, "T.HIDDEN" }, { 1, "EFFECT" } };
    const uint8_t bits[] = { 1 << 3 };  // frames 2, 3, 4 hidden, 5 shown
    w3d_file *file = start();
    put_triangle(&file->tree, "T", "A");
    put_triangle(&file->tree, "T", "B");
    put_mesh(&file->tree, &(scene_mesh){ .name = "HIDDEN",
                                         .container = "T",
                                         .attributes = W3D_HIDDEN,
                                         .vertex_count = 3,
                                         .triangle_count = 1,
                                         .positions = positions });
    put_hlod(&file->tree, "T", "SKL", objects, 4);
    open_animation(&file->tree, "A", "SKL", 8, 1);
    put_bits(&file->tree, 1, 2, 5, 255, bits);
    sn_model *model = finish(file);
    const float seconds[] = { 0, 1.9f, 2, 4.9f, 5, 7 };
    const bool shown[] = { true, true, false, false, true, true };
    for (int i = 0; i < 6; i++) {
        assert_int_equal(scene_shows(model, 0, 0, seconds[i]), shown[i]);
        assert_true(scene_shows(model, 1, 0, seconds[i]));
        assert_false(scene_shows(model, 2, 0, seconds[i]));
    }
    assert_int_equal(model->clips[0].track_count, 2);  // the part and the node of the effect
    const sn_track *effect = track_of(model, "EFFECT", SN_CHANNEL_VISIBILITY);
    assert_int_equal(effect->key_count, 3);
    sn_model_free(model);
}

static void timecoded_bits_are_steps(void **state)
{
    (void)state;
    const scene_object object = { 1, "T.A" };
    w3d_file *file = start();
    put_triangle(&file->tree, "T", "A");
    put_hlod(&file->tree, "T", "SKL", &object, 1);
    open_compressed(&file->tree, "A", "SKL", 9, 1, 0);
    w3d_open_chunk(&file->tree, W3D_COMPRESSED_BITS);
    w3d_put_u32(&file->tree, 3);
    w3d_put_u16(&file->tree, 1);
    w3d_put_u8(&file->tree, 0);
    w3d_put_u8(&file->tree, 1);
    w3d_put_u32(&file->tree, 2);  // the first key holds before its frame: hidden from the start
    w3d_put_u32(&file->tree, 4 | JUMP);
    w3d_put_u32(&file->tree, 6);
    w3d_close_chunk(&file->tree);
    sn_model *model = finish(file);
    assert_false(scene_shows(model, 0, 0, 0));
    assert_false(scene_shows(model, 0, 0, 3.9f));
    assert_true(scene_shows(model, 0, 0, 4));
    assert_false(scene_shows(model, 0, 0, 7));
    sn_model_free(model);
}

static void fade_is_the_alpha_of_parts(void **state)
{
    (void)state;
    const scene_object object = { 1, "T.A" };
    const float fade[2] = { 0.5f, 1 };
    w3d_file *file = start();
    put_triangle(&file->tree, "T", "A");
    put_hlod(&file->tree, "T", "SKL", &object, 1);
    open_animation(&file->tree, "A", "SKL", 5, 1);
    put_raw(&file->tree, 1, W3D_FADE, 1, 2, fade);
    sn_model *model = finish(file);
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    const float seconds[] = { 0, 0.5f, 1, 1.5f, 2, 3, 4 }, alpha[] = { 0, 0.25f, 0.5f, 0.75f, 1, 0, 0 };
    for (int i = 0; i < 7; i++) {
        sn_pose_sample(pose, 0, seconds[i], 0);
        assert_true(fabsf(sn_pose_color(pose, 0).w - alpha[i]) < 1e-6f);
    }
    sn_pose_free(pose);
    sn_model_free(model);
}

static void single_frames_and_bad_rates(void **state)
{
    (void)state;
    const float z[1] = { 5 };
    w3d_file *file = start();
    open_animation(&file->tree, "POSE", "SKL", 1, 0);
    put_raw(&file->tree, 1, W3D_Z, 0, 0, z);
    sn_model *model = finish(file);
    assert_int_equal(count_warnings(model, SNI_WARN_VALUE_RANGE), 1);
    assert_true(model->clips[0].duration == 0.0f);
    assert_near(place(model, "ARM", 0), 10, 0, 5, 1e-5f);
    sn_model_free(model);
}

static void old_animations_have_no_root_pivot(void **state)
{
    (void)state;
    const float z[2] = { 5, 5 };
    w3d_file *file = start();
    open_animation(&file->tree, "A", "SKL", 2, 30);
    put_raw(&file->tree, 0, W3D_Z, 0, 1, z);
    w3d_close_chunk(&file->tree);
    size_t header = file->out.size - (44 + 8 + 12 + 8);  // the version is first in the header
    sni_patch_u32(&file->out, header, 0x20000);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_near(place(model, "ARM", 0), 10, 0, 5, 1e-5f);
    sn_model_free(model);
}

static void animation_files_find_their_skeleton(void **state)
{
    (void)state;
    const float z[2] = { 5, 5 };
    size_t size;
    w3d_file *file = start();
    void *skeleton = copy_scene(file, &size);
    open_animation(&file->tree, "A", "SKL", 2, 30);
    put_raw(&file->tree, 1, W3D_Z, 0, 1, z);
    w3d_close_chunk(&file->tree);
    sn_model *model = load_scene(file, (const scene_ref[]){ { "SKL.w3d", skeleton, size }, { 0 } }, NULL);
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(model->node_count, 3);
    assert_near(place(model, "ARM", 0), 10, 0, 5, 1e-5f);
    sn_model_free(model);
    free(skeleton);
}

// Companions and folders: files on disk.
typedef struct folder {
    char path[64];
    char names[8][96];
    int count;
} folder;

static int make_folder(void **state)
{
    static folder made;
    made = (folder){ .path = "/tmp/sinew_w3d_XXXXXX" };
    *state = &made;
    return mkdtemp(made.path) ? 0 : -1;
}

static int remove_folder(void **state)
{
    folder *made = *state;
    for (int i = 0; i < made->count; i++) unlink(made->names[i]);
    return rmdir(made->path);
}

static const char *save_file(folder *in, const char *name, w3d_file *file)
{
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    char *path = in->names[in->count++], text[sizeof in->names[0]];
    snprintf(text, sizeof text, "%s/%s", in->path, name);
    memcpy(path, text, sizeof text);
    assert_true(sni_file_write(path, file->out.data, file->out.size, &diag));
    w3d_file_close(file);
    return path;
}

static w3d_file *animation_of(const char *name, const char *hierarchy, float z)
{
    const float values[2] = { z, z };
    w3d_file *file = w3d_file_open();
    open_animation(&file->tree, name, hierarchy, 2, 30);
    put_raw(&file->tree, 1, W3D_Z, 0, 1, values);
    w3d_close_chunk(&file->tree);
    return file;
}

static void animations_join_from_files(void **state)
{
    (void)state;
    folder *in = *state;
    const scene_object object = { 1, "TANK.GUN" };
    sn_error error;
    w3d_file *file = start();
    save_file(in, "SKL.W3D", file);  // the model names "skl"
    file = w3d_file_open();
    put_triangle(&file->tree, "TANK", "GUN");
    put_hlod(&file->tree, "TANK", "skl", &object, 1);
    const char *model_path = save_file(in, "tank.w3d", file);
    const char *walk = save_file(in, "tank_walk.w3d", animation_of("WALK", "SKL", 1));
    save_file(in, "TANK_DIE.W3D", animation_of("DIE", "skl", 2));
    const char *other = save_file(in, "plane_fly.w3d", animation_of("FLY", "PLANE", 3));

    sn_model *model = sn_load_file(model_path, NULL, &error);
    assert_non_null(model);
    assert_int_equal(model->clip_count, 0);
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);

    model = sn_load_file(model_path,
                         &(sn_load_opts){ .companions = &(sn_companion){ .name = walk }, .companion_count = 1 },
                         &error);
    assert_non_null(model);
    assert_int_equal(model->clip_count, 1);
    assert_near(place(model, "ARM", 0), 10, 0, 1, 1e-5f);
    sn_model_free(model);

    model = sn_load_file(model_path, &(sn_load_opts){ .folder_clips = true }, &error);
    assert_non_null(model);
    assert_int_equal(model->clip_count, 2);  // sorted by file name, bytewise
    assert_string_equal(model->clips[0].name, "DIE");
    assert_string_equal(model->clips[1].name, "WALK");
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);

    // For another skeleton: used because the user named it, with a warning.
    model = sn_load_file(model_path,
                         &(sn_load_opts){ .companions = &(sn_companion){ .name = other }, .companion_count = 1 },
                         &error);
    assert_non_null(model);
    assert_int_equal(model->clip_count, 1);
    assert_int_equal(count_warnings(model, SNI_WARN_W3D_ANIMATION), 1);
    assert_near(place(model, "ARM", 0), 10, 0, 3, 1e-5f);
    sn_model_free(model);

    char missing[128];
    snprintf(missing, sizeof missing, "%s/nothing.w3d", in->path);
    assert_null(sn_load_file(model_path,
                             &(sn_load_opts){ .companions = &(sn_companion){ .name = missing }, .companion_count = 1 },
                             &error));
    assert_int_equal(error.status, SN_ERR_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(channels_are_relative_to_the_base_pose),
        cmocka_unit_test(raw_channels_are_zero_outside_their_frames),
        cmocka_unit_test(later_channels_win_and_extra_values_are_ignored),
        cmocka_unit_test(values_jump_to_flagged_keys),
        cmocka_unit_test(rotations_jump_too),
        cmocka_unit_test(keys_out_of_order_are_dropped),
        cmocka_unit_test(adaptive_channels_have_all_frames),
        cmocka_unit_test(visibility_does_not_affect_child_bones),
        cmocka_unit_test(timecoded_bits_are_steps),
        cmocka_unit_test(fade_is_the_alpha_of_parts),
        cmocka_unit_test(single_frames_and_bad_rates),
        cmocka_unit_test(old_animations_have_no_root_pivot),
        cmocka_unit_test(animation_files_find_their_skeleton),
        cmocka_unit_test_setup_teardown(animations_join_from_files, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
