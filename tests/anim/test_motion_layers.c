// Layers against the definition in runtime.h, computed here in double precision from poses that sn_pose_sample made.
#include "hand_models.h"
#include "random_model.h"
#include "sinew/runtime.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { NODES = 21, MOST_LAYERS = 20 };

typedef struct judged {
    double t[3], r[4], s[3];
    bool is_certain;  // the sum of rotations has a direction, and no sign was near a tie
} judged;

static void trs_doubles(sn_trs local, double t[3], double r[4], double s[3])
{
    const float v[10] = { local.translation.x, local.translation.y, local.translation.z, local.rotation.x,
                          local.rotation.y,    local.rotation.z,    local.rotation.w,    local.scale.x,
                          local.scale.y,       local.scale.z };
    for (int i = 0; i < 3; i++) t[i] = v[i], s[i] = v[7 + i];
    for (int i = 0; i < 4; i++) r[i] = v[3 + i];
}

static double dot(const double a[4], const double b[4])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
}

static void multiply(const double a[4], const double b[4], double out[4])
{
    double q[4] = { a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
                    a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
                    a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
                    a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2] };
    memcpy(out, q, sizeof q);
}

static void unit(double q[4])
{
    double length = sqrt(dot(q, q));
    for (int i = 0; i < 4; i++) q[i] /= length;
}

// One layer as the judge sees it: the sampled pose, and for additive ones the pose that the difference is taken from.
typedef struct judged_layer {
    sn_pose *pose, *reference;
    float weight;
    bool is_additive;
    const float *mask;
} judged_layer;

static judged judge(const judged_layer *layers, uint32_t count, int32_t node, sn_trs rest)
{
    judged out = { .is_certain = true };
    double total = 0, t[3], r[4], s[3];
    for (uint32_t i = 0; i < count; i++) {
        double weight = layers[i].weight * (layers[i].mask ? layers[i].mask[node] : 1.0);
        if (layers[i].is_additive || !(layers[i].weight > 0) || weight <= 0) continue;
        trs_doubles(sn_pose_local(layers[i].pose, node), t, r, s);
        double side = dot(r, out.r);
        if (total > 0 && fabs(side) < 1e-4) out.is_certain = false;
        for (int k = 0; k < 3; k++) out.t[k] += weight * t[k], out.s[k] += weight * s[k];
        for (int k = 0; k < 4; k++) out.r[k] += (side < 0 ? -weight : weight) * r[k];
        total += weight;
    }
    if (total > 0) {
        for (int k = 0; k < 3; k++) out.t[k] /= total, out.s[k] /= total;
        if (sqrt(dot(out.r, out.r)) < 0.2 * total) out.is_certain = false;
        unit(out.r);
    } else trs_doubles(rest, out.t, out.r, out.s);
    for (uint32_t i = 0; i < count; i++) {
        double weight = layers[i].weight * (layers[i].mask ? layers[i].mask[node] : 1.0), from_t[3], from_r[4],
               from_s[3];
        if (!layers[i].is_additive) continue;
        trs_doubles(sn_pose_local(layers[i].pose, node), t, r, s);
        if (layers[i].reference) trs_doubles(sn_pose_local(layers[i].reference, node), from_t, from_r, from_s);
        else trs_doubles(rest, from_t, from_r, from_s);
        for (int k = 0; k < 3; k++) out.t[k] += weight * (t[k] - from_t[k]), out.s[k] += weight * (s[k] - from_s[k]);
        double back[4] = { -from_r[0], -from_r[1], -from_r[2], from_r[3] }, turn[4];
        multiply(back, r, turn);
        if (fabs(turn[3]) < 1e-4) out.is_certain = false;
        double side = turn[3] < 0 ? -weight : weight;
        for (int k = 0; k < 4; k++) turn[k] *= side;
        turn[3] += 1 - weight;
        if (dot(turn, turn) < 0.04) out.is_certain = false;
        multiply(out.r, turn, out.r);
        unit(out.r);
    }
    return out;
}

static void expect_judged(const sn_model *model, const sn_pose *pose, const judged_layer *layers, uint32_t count)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        judged wanted = judge(layers, count, (int32_t)i, model->nodes[i].rest);
        double t[3], r[4], s[3], same = 0, opposite = 0;
        trs_doubles(sn_pose_local(pose, (int32_t)i), t, r, s);
        for (int k = 0; k < 3; k++) assert_within(t[k], wanted.t[k], 1e-5), assert_within(s[k], wanted.s[k], 1e-5);
        assert_within(dot(r, r), 1, 2e-6);
        for (int k = 0; k < 4; k++) {
            same = fmax(same, fabs(r[k] - wanted.r[k]));
            opposite = fmax(opposite, fabs(r[k] + wanted.r[k]));
        }
        if (wanted.is_certain) assert_within(fmin(same, opposite), 0, 1e-5);
    }
}

static void test_layers_of_clips(void **state)
{
    (void)state;
    uint32_t seed = 5;
    for (int simd = SN_SIMD_SCALAR; simd < SN_SIMD_COUNT; simd++) {
        if (!sn_simd_is_supported((sn_simd)simd)) continue;
        for (uint32_t round = 0; round < 60; round++) {
            random_opts opts = { .nodes = NODES, .clips = 4, .keys = 6, .only_plain = true };
            sn_model *model = random_model(round + 1, &opts);
            sn_motion *motion = sn_motion_create(model, &(sn_motion_opts){ .simd = (sn_simd)simd }, NULL);
            sn_pose *pose = sn_pose_create(model, NULL, NULL);
            sn_motion_layer layers[MOST_LAYERS];
            judged_layer wanted[MOST_LAYERS];
            float masks[MOST_LAYERS][NODES];
            uint32_t count = random_next(&seed) % 5;
            float clock = random_float(&seed, 0, 9);
            for (uint32_t i = 0; i < count; i++) {
                sn_motion_layer *layer = &layers[i];
                *layer = (sn_motion_layer){ .clip = (int32_t)(random_next(&seed) % 5) - 1 };
                layer->seconds = random_float(&seed, -1, 6);
                layer->weight = random_next(&seed) % 6 ? random_float(&seed, 0, 2) : -1.0f;
                layer->is_additive = random_next(&seed) % 4 == 0;
                if (layer->is_additive) layer->weight = random_float(&seed, 0.1f, 1.2f);
                for (uint32_t k = 0; k < NODES; k++)
                    masks[i][k] = random_next(&seed) % 3 ? random_float(&seed, 0, 1) : 0.0f;
                if (random_next(&seed) % 2) layer->mask = masks[i];
                wanted[i] = (judged_layer){ sn_pose_create(model, NULL, NULL), sn_pose_create(model, NULL, NULL),
                                            layer->weight, layer->is_additive, layer->mask };
                sn_pose_sample(wanted[i].pose, layer->clip, layer->seconds, clock);
                sn_pose_sample(wanted[i].reference, layer->clip, 0, 0);
            }
            for (int again = 0; again < 2; again++) {  // what the pose was before does not matter
                sn_motion_sample_layers(motion, pose, layers, count, clock);
                expect_judged(model, pose, wanted, count);
                if (!again) sn_motion_sample(motion, pose, 1, 0.3f, 0);
            }
            for (uint32_t i = 0; i < count; i++) sn_pose_free(wanted[i].pose), sn_pose_free(wanted[i].reference);
            sn_pose_free(pose);
            sn_motion_free(motion);
            random_model_free(model);
        }
    }
}

static void test_layers_of_poses(void **state)
{
    (void)state;
    uint32_t seed = 9;
    for (int simd = SN_SIMD_SCALAR; simd < SN_SIMD_COUNT; simd++) {
        if (!sn_simd_is_supported((sn_simd)simd)) continue;
        for (uint32_t round = 0; round < 60; round++) {
            random_opts opts = { .nodes = NODES, .clips = 4, .keys = 6, .only_plain = true };
            sn_model *model = random_model(round + 1, &opts);
            sn_motion *motion = sn_motion_create(model, &(sn_motion_opts){ .simd = (sn_simd)simd }, NULL);
            sn_pose *pose = sn_pose_create(model, NULL, NULL);
            sn_blend_layer layers[MOST_LAYERS];
            judged_layer wanted[MOST_LAYERS];
            float masks[MOST_LAYERS][NODES];
            uint32_t count = round % 10 == 0 ? MOST_LAYERS : random_next(&seed) % 5;
            uint32_t own = random_next(&seed) % MOST_LAYERS;  // this layer is the pose itself
            for (uint32_t i = 0; i < count; i++) {
                sn_blend_layer *layer = &layers[i];
                *layer = (sn_blend_layer){ .weight = random_float(&seed, 0, 2) };
                layer->is_additive = random_next(&seed) % 4 == 0 && (count < MOST_LAYERS || i == own);
                if (layer->is_additive) layer->weight = random_float(&seed, 0.1f, 1.2f);
                for (uint32_t k = 0; k < NODES; k++)
                    masks[i][k] = random_next(&seed) % 3 ? random_float(&seed, 0, 1) : 0.0f;
                if (random_next(&seed) % 2) layer->mask = masks[i];
                wanted[i] = (judged_layer){ sn_pose_create(model, NULL, NULL), NULL, layer->weight, layer->is_additive,
                                            layer->mask };
                int32_t clip = (int32_t)(random_next(&seed) % 5) - 1;
                float seconds = random_float(&seed, -1, 6);
                if (round % 2) sn_motion_sample(motion, wanted[i].pose, clip, seconds, 0);
                else sn_pose_sample(wanted[i].pose, clip, seconds, 0);
                layer->pose = wanted[i].pose;
                if (i != own % (count ? count : 1)) continue;
                if (round % 2) sn_motion_sample(motion, pose, clip, seconds, 0);
                else sn_pose_sample(pose, clip, seconds, 0);
                layer->pose = pose;
            }
            sn_motion_blend(motion, pose, layers, count);
            expect_judged(model, pose, wanted, count);
            for (uint32_t i = 0; i < count; i++) sn_pose_free(wanted[i].pose);
            sn_pose_free(pose);
            sn_motion_free(motion);
            random_model_free(model);
        }
    }
}

// Two clips that hold still: everything a pose has, with and without masks.
static void test_what_is_mixed(void **state)
{
    (void)state;
    const sn_vec3 origin = { 0, 0, 0 };
    const sn_morph morph = { .name = "" };
    const float zero = 0, half = 0.5f, hide = 0, full[1] = { 1 }, tint[3] = { 0, 0.5f, 1 };
    sn_layer skin = { .color = { 1, 1, 1, 1 } };
    test_rig rig;
    rig_init(&rig);
    for (int i = 0; i < SN_MAP_COUNT; i++) skin.maps[i].image = -1, skin.maps[i].transform.scale = (sn_vec2){ 1, 1 };
    rig.materials[0] = (sn_material){ .name = "", .layers = &skin, .layer_count = 1 };
    rig.model.material_count = 1;
    rig_mesh(&rig, 1, &origin)->morph_count = 1;
    rig.meshes[0].morphs = &morph;
    int32_t a = rig_node(&rig, -1, trs_identity, 0), b = rig_node(&rig, -1, trs_identity, 0);
    int32_t on_a = rig_part(&rig, 0, a, -1), on_b = rig_part(&rig, 0, b, -1);
    rig.parts[on_a].morph_weights = rig.parts[on_b].morph_weights = &half;
    const sn_light light = { .name = "", .node = b, .color = { 1, 1, 1 }, .intensity = 2 };
    const sn_camera camera = { .name = "", .node = -1, .is_perspective = true, .fov_y = 0.5f, .near_plane = 0.1f };
    rig.model.lights = &light, rig.model.light_count = 1, rig.model.cameras = &camera, rig.model.camera_count = 1;
    for (int32_t i = 0; i < 2; i++) {
        rig_track(&rig, SN_TARGET_NODE, i, SN_CHANNEL_MORPHS, keys_of(SN_LINEAR, 1, 1, &zero, full));
        rig_track(&rig, SN_TARGET_NODE, i, SN_CHANNEL_VISIBILITY, keys_of(SN_STEP, 1, 1, &zero, &hide));
        rig_track(&rig, SN_TARGET_PART, i, SN_CHANNEL_COLOR, keys_of(SN_LINEAR, 1, 3, &zero, tint));
    }
    rig_track(&rig, SN_TARGET_LAYER, 0, SN_CHANNEL_COLOR, keys_of(SN_LINEAR, 1, 3, &zero, tint));
    rig_track(&rig, SN_TARGET_LIGHT, 0, SN_CHANNEL_INTENSITY, keys_of(SN_LINEAR, 1, 1, &zero, &zero));
    rig_track(&rig, SN_TARGET_CAMERA, 0, SN_CHANNEL_FOV, keys_of(SN_LINEAR, 1, 1, &zero, full));
    sn_motion *motion = sn_motion_create(&rig.model, NULL, NULL);
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    float only_a[2] = { 1, 1 };
    sn_mask_set(&rig.model, only_a, b, 0);
    sn_motion_layer layers[2] = { { .clip = -1, .weight = 3 }, { .clip = 0, .weight = 1 } };
    for (int round = 0; round < 4; round++) {
        bool is_masked = round == 1, is_more = round == 2, is_again = round == 3;
        layers[1].mask = is_masked ? only_a : NULL;
        layers[1].weight = is_more ? 9 : 1;
        double share = is_more ? 0.75 : 0.25, share_b = is_masked ? 0 : share;
        sn_motion_sample_layers(motion, pose, layers, 2, 0);
        if (is_again) {  // the same by poses
            sn_pose *played = sn_pose_create(&rig.model, NULL, NULL), *rest = sn_pose_create(&rig.model, NULL, NULL);
            sn_motion_sample(motion, played, 0, 0, 0);
            sn_blend_layer poses[2] = { { .pose = rest, .weight = 3 }, { .pose = played, .weight = 1 } };
            sn_motion_sample(motion, pose, 0, 0, 0);
            sn_motion_blend(motion, pose, poses, 2);
            sn_pose_free(played), sn_pose_free(rest);
        }
        sn_motion_solve(motion, pose, NULL);
        assert_near(sn_pose_morphs(pose, on_a)[0], 0.5 + 0.5 * share);
        assert_near(sn_pose_morphs(pose, on_b)[0], 0.5 + 0.5 * share_b);
        assert_near(sn_pose_color(pose, on_a).x, 1 - share);
        assert_near(sn_pose_color(pose, on_b).x, 1 - share_b);
        assert_near(sn_pose_layer(pose, 0, 0).color.x, 1 - share);
        assert_near(sn_pose_fov(pose, 0), 0.5 + 0.5 * share);
        assert_int_equal(sn_pose_shows(pose, on_a), !is_more);
        assert_int_equal(sn_pose_shows(pose, on_b), !is_more);
        assert_near(sn_pose_light(pose, 0).intensity, is_more ? 0 : 2 * (1 - share_b));  // its node may be hidden
    }
    sn_motion_sample_layers(motion, pose, NULL, 0, 0);
    sn_motion_solve(motion, pose, NULL);
    assert_near(sn_pose_morphs(pose, on_a)[0], 0.5);
    assert_true(sn_pose_shows(pose, on_a));
    sn_pose_free(pose);
    sn_motion_free(motion);
}

// Where a mask leaves only a layer of hardly any weight, that layer is the result.
static void test_hardly_any_weight(void **state)
{
    (void)state;
    random_opts opts = { .nodes = NODES, .clips = 2, .keys = 4, .only_smooth = true };
    sn_model *model = random_model(11, &opts);
    float none[NODES] = { 0 };
    for (int simd = SN_SIMD_SCALAR; simd < SN_SIMD_COUNT; simd++) {
        if (!sn_simd_is_supported((sn_simd)simd)) continue;
        sn_motion *motion = sn_motion_create(model, &(sn_motion_opts){ .simd = (sn_simd)simd }, NULL);
        sn_pose *pose = sn_pose_create(model, NULL, NULL), *a = sn_pose_create(model, NULL, NULL),
                *b = sn_pose_create(model, NULL, NULL);
        sn_motion_sample(motion, a, 0, 0.3f, 0), sn_motion_sample(motion, b, 1, 0.3f, 0);
        const sn_blend_layer layers[2] = { { .pose = a, .weight = 1e-30f }, { .pose = b, .weight = 1, .mask = none } };
        sn_motion_blend(motion, pose, layers, 2);
        for (int32_t i = 0; i < NODES; i++) {
            sn_trs expected = sn_pose_local(a, i), actual = sn_pose_local(pose, i);
            assert_within(actual.translation.x, expected.translation.x, 1e-5);
            assert_within(fabs((double)actual.rotation.w), fabs((double)expected.rotation.w), 1e-5);
        }
        sn_pose_free(pose), sn_pose_free(a), sn_pose_free(b);
        sn_motion_free(motion);
    }
    random_model_free(model);
}

static void test_mask_covers_what_is_below(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    const int32_t parents[7] = { -1, 0, 0, 1, 2, 1, -1 };
    for (int i = 0; i < 7; i++) rig_node(&rig, parents[i], trs_identity, 0);
    float mask[7] = { 0 };
    sn_mask_set(&rig.model, mask, 1, 0.5f);
    const float wanted[7] = { 0, 0.5f, 0, 0.5f, 0, 0.5f, 0 };
    assert_memory_equal(mask, wanted, sizeof mask);
    sn_mask_set(&rig.model, mask, 7, 1);
    assert_memory_equal(mask, wanted, sizeof mask);
    sn_mask_set(&rig.model, mask, -1, 1);  // all
    const float ones[7] = { 1, 1, 1, 1, 1, 1, 1 };
    assert_memory_equal(mask, ones, sizeof mask);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layers_of_clips),
        cmocka_unit_test(test_layers_of_poses),
        cmocka_unit_test(test_what_is_mixed),
        cmocka_unit_test(test_hardly_any_weight),
        cmocka_unit_test(test_mask_covers_what_is_below),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
