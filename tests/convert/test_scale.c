// sn_save_opts.scale: a scaled model moves as the original does, all positions multiplied.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "counting_heap.h"

static const float scale = 0.25f;  // exact in binary

static sn_model *saved_and_loaded(const sn_model *model, float factor)
{
    sn_bytes bytes;
    sn_error error;
    if (sn_save_memory(model, "glb", &(sn_save_opts){ .scale = factor, .keep_axes = true }, &bytes, &error) != SN_OK)
        fail_msg("%s", error.message);
    sn_model *again = sn_load_memory(bytes.data, bytes.size, NULL, &error);
    if (!again) fail_msg("%s", error.message);
    sn_bytes_free(&bytes);
    return again;
}

static void expect_scaled(sn_vec3 is, sn_vec3 from, float tolerance)
{
    const float differences[3] = { is.x - from.x * scale, is.y - from.y * scale, is.z - from.z * scale };
    for (int i = 0; i < 3; i++) assert_true(fabsf(differences[i]) <= tolerance);
}

static void compare_poses(const sn_model *plain, const sn_model *small, int32_t clip, float seconds)
{
    sn_pose *a = sn_pose_create(plain, NULL, NULL), *b = sn_pose_create(small, NULL, NULL);
    assert_true(a && b);
    sn_pose_sample(a, clip, seconds, seconds), sn_pose_sample(b, clip, seconds, seconds);
    sn_pose_solve(a, NULL), sn_pose_solve(b, NULL);
    const float tolerance = 1e-4f * sn_pose_bounds(b).radius + 1e-6f;
    for (uint32_t i = 0; i < plain->node_count; i++) {
        sn_mat34 from = sn_pose_world(a, (int32_t)i), is = sn_pose_world(b, (int32_t)i);
        expect_scaled((sn_vec3){ is.m[0][3], is.m[1][3], is.m[2][3] },
                      (sn_vec3){ from.m[0][3], from.m[1][3], from.m[2][3] }, tolerance);
    }
    for (uint32_t i = 0; i < plain->part_count; i++) {
        const uint32_t count = plain->meshes[plain->parts[i].mesh].vertex_count;
        sn_vec3 *from = malloc(count * sizeof *from), *is = malloc(count * sizeof *is);
        sn_skin_part(a, (int32_t)i, from, NULL, NULL), sn_skin_part(b, (int32_t)i, is, NULL, NULL);
        for (uint32_t v = 0; v < count; v++) expect_scaled(is[v], from[v], tolerance);
        free(from), free(is);
    }
    sn_pose_free(a), sn_pose_free(b);
}

// Skins, morphs, node matrices, cubic tracks, cameras and lights occur in them.
static const char *const models[] = { "hound.mdx", "tank.w3d", "crane.gltf", "face.glb", "rabbit.chr" };

static void poses_are_scaled(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        char path[512];
        sn_error error;
        snprintf(path, sizeof path, SINEW_SAMPLES "/%s", models[i]);
        sn_model *model = sn_load_file(path, &(sn_load_opts){ .continuous = true }, &error);
        if (!model) fail_msg("%s: %s", path, error.message);
        sn_model *plain = saved_and_loaded(model, 0), *small = saved_and_loaded(model, scale);
        assert_int_equal(plain->node_count, small->node_count);
        compare_poses(plain, small, -1, 0);
        for (uint32_t c = 0; c < plain->clip_count; c++)
            for (int k = 0; k < 3; k++)
                compare_poses(plain, small, (int32_t)c, plain->clips[c].duration * (float)k / 2.5f);
        for (uint32_t k = 0; k < plain->camera_count; k++)
            assert_true(small->cameras[k].near_plane == plain->cameras[k].near_plane * scale);
        for (uint32_t k = 0; k < plain->light_count; k++) {
            bool has_falloff = plain->lights[k].kind == SN_LIGHT_POINT || plain->lights[k].kind == SN_LIGHT_SPOT;
            float wanted = plain->lights[k].intensity * (has_falloff ? scale * scale : 1);
            assert_true(fabsf(small->lights[k].intensity - wanted) <= 1e-6f * wanted);
            assert_true(fabsf(small->lights[k].range - plain->lights[k].range * scale) <=
                        1e-5f * plain->lights[k].range);
        }
        sn_model_free(plain), sn_model_free(small), sn_model_free(model);
    }
}

static void wrong_scales_are_refused(void **state)
{
    (void)state;
    sn_bytes bytes;
    sn_error error;
    sn_model *model = sn_load_file(SINEW_SAMPLES "/hound.mdx", &(sn_load_opts){ .keep_document = true }, &error);
    assert_non_null(model);
    const float wrong[] = { -1, NAN, INFINITY, 3e38f };  // the last one: positions become infinite
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(sn_save_memory(model, "glb", &(sn_save_opts){ .scale = wrong[i] }, &bytes, &error),
                         SN_ERR_INVALID);
    assert_int_equal(sn_save_memory(model, "mdl", &(sn_save_opts){ .scale = 2 }, &bytes, &error), SN_ERR_UNSUPPORTED);
    assert_int_equal(sn_save_memory(model, "mdl", &(sn_save_opts){ .scale = 1 }, &bytes, &error), SN_OK);
    sn_bytes_free(&bytes);
    sn_model_free(model);
}

static void memory_may_run_out(void **state)
{
    (void)state;
    sn_model *model = sn_load_file(SINEW_SAMPLES "/face.glb", NULL, NULL);
    assert_non_null(model);
    for (uint64_t at = 1;; at++) {
        counting_heap heap = { .fail_at = at };
        sn_bytes bytes;
        sn_error error;
        const sn_save_opts opts = { .scale = 2, .allocator = { counting_alloc, counting_free, &heap } };
        sn_status status = sn_save_memory(model, "glb", &opts, &bytes, &error);
        sn_bytes_free(&bytes);
        assert_int_equal(heap.live_blocks, 0);
        if (heap.calls < at) {
            assert_int_equal(status, SN_OK);
            break;
        }
        assert_int_equal(status, SN_ERR_MEMORY);
    }
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_are_scaled),
        cmocka_unit_test(wrong_scales_are_refused),
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
