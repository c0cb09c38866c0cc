// Sampling, blending and solving. Nodes that stand apart from their parents are in test_apart.c.
#include "counting_heap.h"
#include "hand_models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const sn_vec3 X = { 1, 0, 0 }, Y = { 0, 1, 0 }, Z = { 0, 0, 1 };

static sn_vec3 moved_by(const sn_pose *pose, int32_t node, sn_vec3 p)
{
    sn_mat34 world = sn_pose_world(pose, node);
    float out[3];
    for (int r = 0; r < 3; r++)
        out[r] = world.m[r][0] * p.x + world.m[r][1] * p.y + world.m[r][2] * p.z + world.m[r][3];
    return (sn_vec3){ out[0], out[1], out[2] };
}

static void test_scale_then_turn_then_move(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    sn_trs rest = { { 1, 2, 3 }, quat_about(Z, PI / 2), { 2, 3, 4 } };
    int32_t node = rig_node(&rig, -1, rest, 0), parent_axes = rig_node(&rig, -1, rest, SN_NODE_SCALE_PARENT_AXES);
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    assert_vec3(moved_by(pose, node, X), 1, 4, 3);         // (2,0,0), (0,2,0), (1,4,3)
    assert_vec3(moved_by(pose, parent_axes, X), 1, 5, 3);  // (0,1,0), (0,3,0), (1,5,3)
    sn_pose_free(pose);
}

static void test_parent_acts_after_child(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    int32_t parent = rig_node(&rig, -1, trs_turn(Z, PI / 2), 0), child = rig_node(&rig, parent, trs_move(10, 0, 0), 0);
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    assert_vec3(moved_by(pose, child, X), 0, 11, 0);
    sn_pose_free(pose);
}

static void test_turns_about_different_axes(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    int32_t parent = rig_node(&rig, -1, trs_turn(Z, PI / 2), 0), child = rig_node(&rig, parent, trs_turn(X, PI / 2), 0);
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    assert_vec3(moved_by(pose, child, X), 0, 1, 0);
    assert_vec3(moved_by(pose, child, Y), 0, 0, 1);
    assert_vec3(moved_by(pose, child, Z), 1, 0, 0);
    sn_pose_free(pose);
}

// Four quarter turns and four steps walk around a square, back to the start.
static void test_chain_closes_a_square(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    sn_trs step = trs_turn(Z, PI / 2);
    step.translation = X;
    for (int32_t i = 0; i < 4; i++) rig_node(&rig, i - 1, step, 0);
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    assert_vec3(moved_by(pose, 0, (sn_vec3){ 0, 0, 0 }), 1, 0, 0);
    assert_vec3(moved_by(pose, 1, (sn_vec3){ 0, 0, 0 }), 1, 1, 0);
    assert_vec3(moved_by(pose, 2, (sn_vec3){ 0, 0, 0 }), 0, 1, 0);
    assert_vec3(moved_by(pose, 3, (sn_vec3){ 0, 0, 0 }), 0, 0, 0);
    assert_vec3(moved_by(pose, 3, X), 1, 0, 0);
    sn_pose_free(pose);
}

// Links of length 1, each turned by 0.05 against the last: link n ends at the sum of (cos 0.05k, sin 0.05k). Over
// 100 links float matrices stay within 3e-5 of that (a third of a millionth of the chain's length), and within 2e-6
// in direction; measured: 1.5e-5 and 8e-7.
static void test_hundred_links(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    sn_trs link = trs_turn(Z, 0.05);
    link.translation = X;
    for (int32_t i = 0; i < 100; i++) rig_node(&rig, i - 1, link, 0);
    double x = 0, y = 0;
    for (int i = 0; i < 100; i++) x += cos(0.05 * i), y += sin(0.05 * i);
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    sn_mat34 last = sn_pose_world(pose, 99);
    assert_within(last.m[0][3], x, 3e-5);
    assert_within(last.m[1][3], y, 3e-5);
    assert_within(last.m[2][3], 0, 1e-6);
    assert_within(last.m[0][0], cos(5), 2e-6);
    assert_within(last.m[1][0], sin(5), 2e-6);
    sn_pose_free(pose);
}

static void test_set_local_and_root(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    int32_t hull = rig_node(&rig, -1, trs_move(0, 0, 1), 0), turret = rig_node(&rig, hull, trs_move(0, 0, 1), 0);
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    sn_trs turned = trs_turn(Z, PI / 2);
    turned.translation = (sn_vec3){ 0, 0, 1 };
    turned.rotation = (sn_quat){ 0, 0, 5 * turned.rotation.z, 5 * turned.rotation.w };  // is normalised
    sn_pose_set_local(pose, turret, turned);
    sn_mat34 root = mat34_move(100, 0, 0);
    sn_pose_set_root(pose, &root);
    sn_pose_solve(pose, NULL);
    assert_vec3(moved_by(pose, turret, X), 100, 1, 2);
    assert_quat(sn_pose_local(pose, turret).rotation, 0, 0, sqrt(0.5), sqrt(0.5));
    sn_pose_set_root(pose, NULL);
    sn_pose_sample(pose, -1, 0, 0);
    sn_pose_solve(pose, NULL);
    assert_vec3(moved_by(pose, turret, X), 1, 0, 2);
    sn_pose_free(pose);
}

static void test_matrix_holds_until_replaced(void **state)
{
    (void)state;
    const sn_mat34 shear = { { { 1, 2, 0, 5 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    const float time = 0, value[3] = { 7, 0, 0 };
    test_rig rig;
    rig_init(&rig);
    int32_t node = rig_node(&rig, -1, trs_move(5, 0, 0), 0);
    rig.nodes[node].matrix = &shear;
    rig_track(&rig, SN_TARGET_NODE, node, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, 1, 3, &time, value));
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    assert_vec3(moved_by(pose, node, Y), 7, 1, 0);  // sheared: 2 + 5
    sn_pose_set_local(pose, node, trs_move(0, 1, 0));
    sn_pose_solve(pose, NULL);
    assert_vec3(moved_by(pose, node, Y), 0, 2, 0);
    sn_pose_sample(pose, 0, 0, 0);
    sn_pose_solve(pose, NULL);
    assert_vec3(moved_by(pose, node, Y), 7, 1, 0);  // moved: 7 and no shear
    assert_vec3(moved_by(pose, node, (sn_vec3){ 0, 2, 0 }), 7, 2, 0);
    sn_pose_sample(pose, -1, 0, 0);
    sn_pose_solve(pose, NULL);
    assert_vec3(moved_by(pose, node, (sn_vec3){ 0, 2, 0 }), 9, 2, 0);
    sn_pose_free(pose);
}

static const float ends[2] = { 0, 1 };
static const float slide[6] = { 0, 0, 0, 8, 0, 0 };
static const float grow[6] = { 1, 1, 1, 3, 1, 1 };

static void test_unmoved_paths_keep_rest(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    sn_trs rest = { { 1, 2, 3 }, quat_about(Z, PI / 2), { 2, 2, 2 } };
    int32_t moved = rig_node(&rig, -1, rest, 0), still = rig_node(&rig, -1, rest, 0);
    rig_track(&rig, SN_TARGET_NODE, moved, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, 2, 3, ends, slide));
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    sn_pose_set_local(pose, still, trs_identity);
    sn_pose_sample(pose, 0, 0.25f, 0);
    sn_trs a = sn_pose_local(pose, moved), b = sn_pose_local(pose, still);
    assert_vec3(a.translation, 2, 0, 0);
    assert_vec3(a.scale, 2, 2, 2);
    assert_quat(a.rotation, 0, 0, sqrt(0.5), sqrt(0.5));
    assert_memory_equal(&b, &rest, sizeof rest);
    sn_pose_sample(pose, 99, 0.25f, 0);
    a = sn_pose_local(pose, moved);
    assert_memory_equal(&a, &rest, sizeof rest);
    sn_pose_free(pose);
}

static double slid(sn_pose *pose, float seconds)
{
    sn_pose_sample(pose, 0, seconds, 0);
    return sn_pose_local(pose, 0).translation.x;
}

static void test_time_loops_or_holds(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    rig_node(&rig, -1, trs_identity, 0);
    rig_track(&rig, SN_TARGET_NODE, 0, SN_CHANNEL_TRANSLATION, keys_of(SN_LINEAR, 2, 3, ends, slide));
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    assert_near(slid(pose, 1.25f), 8);
    assert_near(slid(pose, -0.25f), 0);
    assert_near(slid(pose, INFINITY), 8);
    assert_near(slid(pose, NAN), 0);
    rig.clip.loops = true;
    assert_near(slid(pose, 1.0f), 8);  // the end is still the end
    assert_near(slid(pose, 1.25f), 2);
    assert_near(slid(pose, -0.25f), 6);
    assert_near(slid(pose, 1e6f + 0.5f), 4);
    assert_near(slid(pose, INFINITY), 0);
    assert_near(slid(pose, NAN), 0);
    rig.clip.duration = 0;
    assert_near(slid(pose, 3.0f), 0);
    sn_pose_free(pose);
}

static void test_period_ignores_the_clip(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    rig_node(&rig, -1, trs_identity, 0);
    rig_track(&rig, SN_TARGET_NODE, 0, SN_CHANNEL_SCALE, keys_of(SN_LINEAR, 2, 3, ends, grow))->period = 4;
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    sn_pose_sample(pose, 0, 0.0f, 40.5f);
    assert_near(sn_pose_local(pose, 0).scale.x, 2);
    sn_pose_free(pose);
}

static void test_hidden_nodes_hide_all_below(void **state)
{
    (void)state;
    const sn_vec3 origin = { 0, 0, 0 };
    const float show_hide[2] = { 1, 0 }, hide_show[2] = { 0, 0.5f };
    test_rig rig;
    rig_init(&rig);
    int32_t top = rig_node(&rig, -1, trs_identity, SN_NODE_HIDDEN), below = rig_node(&rig, top, trs_identity, 0);
    int32_t aside = rig_node(&rig, -1, trs_identity, 0);
    rig_mesh(&rig, 1, &origin);
    int32_t deep = rig_part(&rig, 0, rig_node(&rig, below, trs_identity, 0), -1), other = rig_part(&rig, 0, aside, -1);
    int32_t hidden = rig_part(&rig, 0, aside, -1);
    rig.parts[hidden].is_hidden = true;
    rig_track(&rig, SN_TARGET_NODE, top, SN_CHANNEL_VISIBILITY, keys_of(SN_LINEAR, 2, 1, ends, show_hide));
    rig_track(&rig, SN_TARGET_PART, hidden, SN_CHANNEL_VISIBILITY, keys_of(SN_LINEAR, 2, 1, ends, hide_show));
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    assert_false(sn_pose_shows(pose, deep));
    assert_true(sn_pose_shows(pose, other));
    assert_false(sn_pose_shows(pose, hidden));
    sn_pose_sample(pose, 0, 0.9f, 0);
    sn_pose_solve(pose, NULL);
    assert_true(sn_pose_shows(pose, deep));
    assert_false(sn_pose_shows(pose, hidden));
    sn_pose_sample(pose, 0, 1.0f, 0);
    sn_pose_solve(pose, NULL);
    assert_false(sn_pose_shows(pose, deep));
    assert_true(sn_pose_shows(pose, other));
    assert_true(sn_pose_shows(pose, hidden));  // more than 0 is shown
    sn_pose_free(pose);
}

static void test_scenes(void **state)
{
    (void)state;
    const sn_vec3 origin = { 0, 0, 0 };
    const int32_t first[1] = { 0 }, second[1] = { 2 };
    test_rig rig;
    rig_init(&rig);
    rig_node(&rig, -1, trs_identity, 0);
    rig_node(&rig, 0, trs_identity, 0);
    rig_node(&rig, -1, trs_identity, 0);
    rig_mesh(&rig, 1, &origin);
    for (int32_t i = 0; i < 3; i++) rig_part(&rig, 0, i, -1);
    rig_scene(&rig, 1, first);
    rig_scene(&rig, 1, second);
    rig_scene(&rig, 0, NULL);
    rig.model.default_scene = 1;
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    const int shown[5] = { 0x3, 0x4, 0x0, 0x7, 0x7 };  // parts by bits, for scenes 0, 1, 2, -1, 99
    const int32_t scenes[5] = { 0, 1, 2, -1, 99 };
    assert_false(sn_pose_shows(pose, 1));
    assert_true(sn_pose_shows(pose, 2));
    for (int i = 0; i < 5; i++) {
        sn_pose_set_scene(pose, scenes[i]);
        for (int part = 0; part < 3; part++) assert_int_equal(sn_pose_shows(pose, part), shown[i] >> part & 1);
    }
    sn_pose_free(pose);
}

static void test_one_level_of_detail_is_shown(void **state)
{
    (void)state;
    const sn_vec3 origin = { 0, 0, 0 };
    const int32_t levels[4] = { 0, 1, 2, -1 };
    const int shown[4] = { 0x9, 0xA, 0xC, 0x8 };  // parts by bits, for levels 0, 1, 2, 3
    test_rig rig;
    rig_init(&rig);
    rig_node(&rig, -1, trs_identity, 0);
    rig_mesh(&rig, 1, &origin);
    rig.model.lod_count = 3;
    for (int i = 0; i < 4; i++) rig.parts[rig_part(&rig, 0, 0, -1)].lod = levels[i];
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    for (int level = 0; level < 4; level++) {
        if (level > 0) sn_pose_set_lod(pose, level);
        for (int part = 0; part < 4; part++) assert_int_equal(sn_pose_shows(pose, part), shown[level] >> part & 1);
    }
    sn_pose_free(pose);
}

static void test_morphs_reach_all_parts_of_their_node(void **state)
{
    (void)state;
    const sn_vec3 origin = { 0, 0, 0 };
    const sn_morph morphs[2] = { { .name = "" }, { .name = "" } };
    const float rest[2] = { 0.25f, 0.5f }, weights[4] = { 0, 1, 1, 0 };
    test_rig rig;
    rig_init(&rig);
    rig_node(&rig, -1, trs_identity, 0);
    rig_node(&rig, -1, trs_identity, 0);
    for (uint32_t i = 0; i < 3; i++) {  // mesh i has i morphs
        sn_mesh *mesh = rig_mesh(&rig, 1, &origin);
        mesh->morph_count = i;
        mesh->morphs = morphs;
    }
    int32_t two = rig_part(&rig, 2, 0, -1), none = rig_part(&rig, 0, 0, -1), twin = rig_part(&rig, 2, 0, -1);
    int32_t other = rig_part(&rig, 2, 1, -1), one = rig_part(&rig, 1, 1, -1);
    rig.parts[two].morph_weights = rig.parts[twin].morph_weights = rest;
    rig.parts[one].morph_weights = rig.parts[other].morph_weights = rest;
    rig_track(&rig, SN_TARGET_NODE, 0, SN_CHANNEL_MORPHS, keys_of(SN_LINEAR, 2, 2, ends, weights));
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    assert_near(sn_pose_morphs(pose, two)[1], 0.5);
    sn_pose_sample(pose, 0, 0.75f, 0);
    assert_near(sn_pose_morphs(pose, two)[0], 0.75);
    assert_near(sn_pose_morphs(pose, two)[1], 0.25);
    assert_near(sn_pose_morphs(pose, twin)[0], 0.75);
    assert_near(sn_pose_morphs(pose, one)[0], 0.25);
    assert_near(sn_pose_morphs(pose, other)[0], 0.25);
    assert_near(sn_pose_morphs(pose, other)[1], 0.5);
    assert_null(sn_pose_morphs(pose, none));
    sn_pose_free(pose);
}

static void add_material(test_rig *rig, sn_layer *layers, uint32_t layer_count)
{
    for (uint32_t i = 0; i < layer_count; i++) {
        layers[i] = (sn_layer){ .color = { 1, 1, 1, 1 } };
        layers[i].maps[SN_MAP_COLOR].image = (int32_t)i;
        layers[i].maps[SN_MAP_COLOR].transform.scale = (sn_vec2){ 1, 1 };
    }
    sn_material material = { .name = "", .layers = layers, .layer_count = layer_count };
    rig->materials[rig->model.material_count++] = material;
}

static void test_colors_and_layers(void **state)
{
    (void)state;
    const sn_vec3 origin = { 0, 0, 0 };
    const float fade[2] = { 1, 0 }, scroll[4] = { 0, 0, 4, -4 }, images[2] = { 1, 0 };
    const float tint[6] = { 1, 1, 1, 0, 0.5f, 1 };
    sn_layer one[1], two[2];
    test_rig rig;
    rig_init(&rig);
    const sn_image pictures[2] = { { .name = "", .uri = "", .mime_type = "" },
                                   { .name = "", .uri = "", .mime_type = "" } };
    rig.model.images = pictures;
    rig.model.image_count = 2;
    rig_mesh(&rig, 1, &origin);
    int32_t part = rig_part(&rig, 0, rig_node(&rig, -1, trs_identity, 0), -1);
    add_material(&rig, one, 1);
    add_material(&rig, two, 2);
    rig_track(&rig, SN_TARGET_PART, part, SN_CHANNEL_COLOR, keys_of(SN_LINEAR, 2, 3, ends, tint));
    rig_track(&rig, SN_TARGET_PART, part, SN_CHANNEL_ALPHA, keys_of(SN_LINEAR, 2, 1, ends, fade));
    const struct {
        sn_channel channel;
        uint32_t width;
        const float *values;
    } driven[] = { { SN_CHANNEL_COLOR, 3, tint },       { SN_CHANNEL_ALPHA, 1, fade },
                   { SN_CHANNEL_EMISSIVE, 3, slide },   { SN_CHANNEL_UV_OFFSET, 2, scroll },
                   { SN_CHANNEL_UV_ROTATION, 1, fade }, { SN_CHANNEL_UV_SCALE, 2, scroll },
                   { SN_CHANNEL_IMAGE, 1, images } };
    for (size_t i = 0; i < sizeof driven / sizeof *driven; i++)
        rig_track(&rig, SN_TARGET_LAYER, 1, driven[i].channel,
                  keys_of(SN_LINEAR, 2, driven[i].width, ends, driven[i].values))
            ->sub = 1;
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    sn_pose_sample(pose, 0, 0.5f, 0);
    sn_vec4 color = sn_pose_color(pose, part);
    sn_layer_state layer = sn_pose_layer(pose, 1, 1), untouched = sn_pose_layer(pose, 1, 0);
    assert_vec3(((sn_vec3){ color.x, color.y, color.z }), 0.5, 0.75, 1);
    assert_near(color.w, 0.5);
    assert_vec3(((sn_vec3){ layer.color.x, layer.color.y, layer.color.z }), 0.5, 0.75, 1);
    assert_near(layer.color.w, 0.5);
    assert_vec3(layer.emissive, 4, 0, 0);
    assert_vec3(((sn_vec3){ layer.uv.offset.x, layer.uv.offset.y, layer.uv.rotation }), 2, -2, 0.5);
    assert_vec3(((sn_vec3){ layer.uv.scale.x, layer.uv.scale.y, 0 }), 2, -2, 0);
    assert_int_equal(layer.image, 1);
    assert_near(untouched.color.w + untouched.uv.scale.x + untouched.uv.rotation, 2);
    assert_int_equal(untouched.image, 0);
    sn_pose_sample(pose, -1, 0, 0);
    assert_near(sn_pose_color(pose, part).w + sn_pose_layer(pose, 1, 1).color.w, 2);
    sn_pose_free(pose);
}

static void test_lights_and_cameras(void **state)
{
    (void)state;
    const float tint[6] = { 1, 1, 1, 0, 0.5f, 1 }, dim[2] = { 8, 0 }, narrow[2] = { 1, 0.5f }, hide[2] = { 1, 0 };
    test_rig rig;
    rig_init(&rig);
    int32_t above = rig_node(&rig, -1, trs_identity, 0), node = rig_node(&rig, above, trs_identity, 0);
    const sn_light lights[2] = { { .name = "", .node = node, .color = { 1, 1, 1 }, .intensity = 2 },
                                 { .name = "", .node = -1, .intensity = 3 } };
    const sn_camera camera = { .name = "", .node = node, .is_perspective = true, .fov_y = 0.7f };
    rig.model.lights = lights, rig.model.light_count = 2, rig.model.cameras = &camera, rig.model.camera_count = 1;
    rig_track(&rig, SN_TARGET_LIGHT, 0, SN_CHANNEL_COLOR, keys_of(SN_LINEAR, 2, 3, ends, tint));
    rig_track(&rig, SN_TARGET_LIGHT, 0, SN_CHANNEL_INTENSITY, keys_of(SN_LINEAR, 2, 1, ends, dim));
    rig_track(&rig, SN_TARGET_CAMERA, 0, SN_CHANNEL_FOV, keys_of(SN_LINEAR, 2, 1, ends, narrow));
    rig_track(&rig, SN_TARGET_NODE, above, SN_CHANNEL_VISIBILITY, keys_of(SN_STEP, 2, 1, ends, hide));
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL), *rest = sn_pose_create(&rig.model, NULL, NULL);
    sn_pose_sample(pose, 0, 0.5f, 0);
    assert_vec3(sn_pose_light(pose, 0).color, 0.5, 0.75, 1);
    assert_near(sn_pose_light(pose, 0).intensity, 4);
    assert_near(sn_pose_fov(pose, 0), 0.75);
    assert_near(sn_pose_light(pose, 1).intensity, 3);
    sn_pose_blend(pose, rest, 0.5f);
    assert_vec3(sn_pose_light(pose, 0).color, 0.75, 0.875, 1);
    assert_near(sn_pose_light(pose, 0).intensity, 3);
    assert_near(sn_pose_fov(pose, 0), 0.725);
    sn_pose_sample(pose, 0, 1, 0);
    sn_pose_blend(pose, rest, 0.25f);  // 0.25 * 2, were its parent not hidden
    sn_pose_solve(pose, NULL);
    assert_near(sn_pose_light(pose, 0).intensity, 0);
    sn_pose_sample(pose, -1, 0, 0);
    sn_pose_solve(pose, NULL);
    assert_near(sn_pose_light(pose, 0).intensity, 2);
    assert_near(sn_pose_fov(pose, 0), 0.7);
    assert_near(sn_pose_light(pose, 2).intensity + sn_pose_light(pose, -1).intensity + sn_pose_fov(pose, 1), 0);
    sn_pose_free(pose), sn_pose_free(rest);
}

static void test_blend(void **state)
{
    (void)state;
    const sn_vec3 origin = { 0, 0, 0 };
    const sn_morph morph = { .name = "" };
    const float zero = 0, weights[2] = { 0, 1 }, hide[2] = { 1, 0 };
    test_rig rig;
    rig_init(&rig);
    int32_t node = rig_node(&rig, -1, trs_identity, 0), part = rig_part(&rig, 0, node, -1);
    int32_t other_node = rig_node(&rig, -1, trs_identity, 0), on_other = rig_part(&rig, 1, other_node, -1);
    sn_mesh *mesh = rig_mesh(&rig, 1, &origin);
    mesh->morph_count = 1, mesh->morphs = &morph;
    rig_mesh(&rig, 1, &origin);
    rig.parts[part].morph_weights = &zero;
    rig_track(&rig, SN_TARGET_NODE, node, SN_CHANNEL_MORPHS, keys_of(SN_LINEAR, 2, 1, ends, weights));
    rig_track(&rig, SN_TARGET_PART, part, SN_CHANNEL_VISIBILITY, keys_of(SN_STEP, 2, 1, ends, hide));
    rig_track(&rig, SN_TARGET_PART, part, SN_CHANNEL_ALPHA, keys_of(SN_LINEAR, 2, 1, ends, hide));
    rig_track(&rig, SN_TARGET_NODE, other_node, SN_CHANNEL_VISIBILITY, keys_of(SN_STEP, 2, 1, ends, hide));
    sn_pose *a = sn_pose_create(&rig.model, NULL, NULL), *b = sn_pose_create(&rig.model, NULL, NULL);
    sn_pose_sample(b, 0, 1, 0);
    sn_trs far = { { 8, 0, 0 }, quat_about(Z, PI / 2 + 2 * PI), { 3, 1, 1 } };  // a quarter turn, both signs changed
    sn_pose_set_local(b, node, far);

    sn_pose_blend(a, b, 0.0f);
    sn_pose_blend(a, b, NAN);
    sn_pose_blend(a, NULL, 0.5f);
    assert_vec3(sn_pose_local(a, node).translation, 0, 0, 0);
    sn_pose_blend(a, b, 0.25f);
    sn_trs mixed = sn_pose_local(a, node);
    assert_vec3(mixed.translation, 2, 0, 0);
    assert_vec3(mixed.scale, 1.5, 1, 1);
    assert_quat(mixed.rotation, 0, 0, sin(PI / 16), cos(PI / 16));
    assert_near(sn_pose_morphs(a, part)[0], 0.25);
    assert_near(sn_pose_color(a, part).w, 0.75);
    sn_pose_solve(a, NULL);
    assert_true(sn_pose_shows(a, part));
    assert_true(sn_pose_shows(a, on_other));
    sn_pose_blend(a, b, 0.75f);
    sn_pose_solve(a, NULL);
    assert_vec3(sn_pose_local(a, node).translation, 2 + (8 - 2) * 0.75, 0, 0);
    assert_false(sn_pose_shows(a, part));
    assert_false(sn_pose_shows(a, on_other));
    sn_pose_blend(a, b, 1.0f);
    sn_trs taken = sn_pose_local(a, node), given = sn_pose_local(b, node);
    assert_memory_equal(&taken, &given, sizeof taken);
    assert_near(sn_pose_morphs(a, part)[0], 1);
    assert_false(sn_pose_shows(a, part));
    sn_pose_free(a);
    sn_pose_free(b);
}

static void test_numbers_of_nothing(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);  // an empty model
    for (int32_t i = -1; i < 2; i++) {
        sn_mat34 world = sn_pose_world(pose, i);
        assert_memory_equal(&world, &mat34_identity, sizeof world);
        assert_near(sn_pose_local(pose, i).rotation.w + sn_pose_local(pose, i).scale.x, 2);
        assert_null(sn_pose_palette(pose, i));
        assert_null(sn_pose_morphs(pose, i));
        assert_false(sn_pose_shows(pose, i));
        assert_false(sn_pose_mirrors(pose, i));
        assert_near(sn_pose_color(pose, i).w, 1);
        assert_int_equal(sn_pose_layer(pose, i, i).image, -1);
        sn_pose_set_local(pose, i, trs_identity);
        sn_skin_part(pose, i, NULL, NULL, NULL);
    }
    sn_pose_sample(pose, 0, 0, 0);
    sn_pose_solve(pose, NULL);
    sn_pose_free(pose);
    sn_pose_free(NULL);
}

static void test_one_allocation(void **state)
{
    (void)state;
    counting_heap heap = { 0 };
    sn_allocator allocator = counting_allocator(&heap);
    test_rig rig;
    rig_init(&rig);
    rig_node(&rig, -1, trs_identity, 0);
    sn_pose *pose = sn_pose_create(&rig.model, &allocator, NULL);
    sn_pose_sample(pose, 0, 0, 0);
    sn_pose_solve(pose, NULL);
    assert_int_equal(heap.calls, 1);
    sn_pose_free(pose);
    assert_int_equal(heap.live_blocks, 0);
    heap.fail_at = 2;
    assert_null(sn_pose_create(&rig.model, &allocator, NULL));
    assert_int_equal(heap.live_blocks, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scale_then_turn_then_move),
        cmocka_unit_test(test_parent_acts_after_child),
        cmocka_unit_test(test_turns_about_different_axes),
        cmocka_unit_test(test_chain_closes_a_square),
        cmocka_unit_test(test_hundred_links),
        cmocka_unit_test(test_set_local_and_root),
        cmocka_unit_test(test_matrix_holds_until_replaced),
        cmocka_unit_test(test_unmoved_paths_keep_rest),
        cmocka_unit_test(test_time_loops_or_holds),
        cmocka_unit_test(test_period_ignores_the_clip),
        cmocka_unit_test(test_hidden_nodes_hide_all_below),
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_one_level_of_detail_is_shown),
        cmocka_unit_test(test_morphs_reach_all_parts_of_their_node),
        cmocka_unit_test(test_colors_and_layers),
        cmocka_unit_test(test_lights_and_cameras),
        cmocka_unit_test(test_blend),
        cmocka_unit_test(test_numbers_of_nothing),
        cmocka_unit_test(test_one_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
