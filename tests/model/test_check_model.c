// The checker must see every broken promise: a sound model, with one thing broken at a time.
#include "check_model.h"
#include "check_text.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct parts {
    sn_model model;
    sn_scene scene;
    sn_node nodes[3];
    sn_mesh mesh;
    sn_part part;
    sn_skin skin;
    sn_clip clip;
    sn_track tracks[2];
    sn_material material;
    sn_layer layer;
    sn_image image;
    sn_camera camera;
    sn_light light;
    sn_event events[3];
    sn_shape shape;
    sn_attachment attachment;
    sn_warning warnings[2];
    sn_morph morph;
    int32_t roots[1], joints[2];
    sn_mat34 inverse_bind[2], matrix;
    sn_vec3 positions[3], normals[3], deltas[3];
    sn_vec4 tangents[3], colors[3];
    sn_vec2 uvs[3];
    const sn_vec2 *uv_sets[1];
    const sn_vec4 *color_sets[1];
    uint32_t indices[3];
    uint16_t vertex_joints[6];
    float vertex_weights[6], morph_weights[1], times[2], turns[8], moves[2];
    uint8_t pixels[1];
} parts;

static void make_shape(parts *p)
{
    for (int i = 0; i < 3; i++) {
        p->positions[i] = (sn_vec3){ (float)i, (float)(i % 2), 0 };
        p->normals[i] = (sn_vec3){ 0, 0, 1 };
        p->tangents[i] = (sn_vec4){ 1, 0, 0, -1 };
        p->indices[i] = (uint32_t)i;
        p->vertex_joints[i * 2 + 1] = 1;
        p->vertex_weights[i * 2] = 0.75f, p->vertex_weights[i * 2 + 1] = 0.25f;
    }
    p->uv_sets[0] = p->uvs, p->color_sets[0] = p->colors;
    p->morph = (sn_morph){ "smile", p->deltas, NULL, NULL };
    p->mesh = (sn_mesh){ .name = "body",
                         .topology = SN_TRIANGLES,
                         .vertex_count = 3,
                         .index_count = 3,
                         .uv_count = 1,
                         .color_count = 1,
                         .influence_count = 2,
                         .morph_count = 1,
                         .positions = p->positions,
                         .normals = p->normals,
                         .tangents = p->tangents,
                         .uvs = p->uv_sets,
                         .colors = p->color_sets,
                         .indices = p->indices,
                         .vertex_joints = p->vertex_joints,
                         .vertex_weights = p->vertex_weights,
                         .morphs = &p->morph };
    p->part = (sn_part){
        .mesh = 0, .node = 0, .skin = 0, .material = 0, .color = { 1, 1, 1, 1 }, .morph_weights = p->morph_weights
    };
}

static void make_motion(parts *p)
{
    p->times[1] = 1;
    p->turns[3] = p->turns[7] = 1;
    p->tracks[0] = (sn_track){ .target_kind = SN_TARGET_NODE,
                               .channel = SN_CHANNEL_ROTATION,
                               .interpolation = SN_LINEAR,
                               .target = 1,
                               .key_count = 2,
                               .width = 4,
                               .times = p->times,
                               .values = p->turns };
    p->tracks[1] = (sn_track){ .target_kind = SN_TARGET_NODE,
                               .channel = SN_CHANNEL_MORPHS,
                               .interpolation = SN_STEP,
                               .target = 0,
                               .key_count = 2,
                               .width = 1,
                               .times = p->times,
                               .values = p->moves };
    p->clip = (sn_clip){ .name = "walk", .duration = 1, .tracks = p->tracks, .track_count = 2 };
}

static void make_rest(parts *p)
{
    p->layer.color = (sn_vec4){ 1, 1, 1, 1 };
    for (int i = 0; i < SN_MAP_COUNT; i++) p->layer.maps[i].image = i ? -1 : 0;
    p->material = (sn_material){ .name = "skin", .layers = &p->layer, .layer_count = 1 };
    p->image = (sn_image){ "face", "", "image/png", p->pixels, 1 };
    p->camera = (sn_camera){ .name = "eye", .node = 0 };
    p->light = (sn_light){ .name = "sun", .node = -1 };
    p->events[0] = (sn_event){ .name = "tick", .node = -1, .clip = -1, .time = 0.5f, .period = 2 };
    p->events[1] = (sn_event){ .name = "step", .node = 2, .time = 0.25f };
    p->events[2] = (sn_event){ .name = "step", .node = 2, .time = 0.75f };
    p->shape = (sn_shape){ .name = "hit", .node = 1, .kind = SN_SHAPE_CYLINDER, .extents = { 0, 0, 1 }, .radius = 2 };
    p->attachment = (sn_attachment){ .name = "hand", .path = "", .node = 2, .id = -1 };
    p->warnings[0] = (sn_warning){ .code = 5, .count = 1, .path = "/nodes/0", .message = "fixed" };
    p->warnings[1] = (sn_warning){ .code = 6, .count = 2, .path = "/nodes/0", .message = "fixed" };
}

// Pointers into itself: made in place, never copied.
static void make_sound(parts *p)
{
    memset(p, 0, sizeof *p);
    for (int i = 0; i < 3; i++) {
        p->nodes[i] = (sn_node){ .name = "node",
                                 .extras = i ? NULL : "{\"a\":[1],\"\\u0062\\n\":2}",
                                 .parent = i - 1,
                                 .id = i,
                                 .flags = i ? SN_NODE_JOINT : 0,
                                 .rest = { .rotation = { 0, 0, 0, 1 }, .scale = { 1, 1, 1 } } };
    }
    p->nodes[2].matrix = &p->matrix;
    for (int i = 0; i < 3; i++) p->matrix.m[i][i] = p->inverse_bind[0].m[i][i] = p->inverse_bind[1].m[i][i] = 1;
    p->joints[0] = 1, p->joints[1] = 2;
    p->skin = (sn_skin){ "bones", p->joints, p->inverse_bind, 2 };
    p->scene = (sn_scene){ "scene", p->roots, 1 };
    make_shape(p);
    make_motion(p);
    make_rest(p);
    p->model = (sn_model){ .name = "m",
                           .format = "gltf",
                           .lod_count = 1,
                           .scenes = &p->scene,
                           .scene_count = 1,
                           .nodes = p->nodes,
                           .node_count = 3,
                           .meshes = &p->mesh,
                           .mesh_count = 1,
                           .parts = &p->part,
                           .part_count = 1,
                           .skins = &p->skin,
                           .skin_count = 1,
                           .clips = &p->clip,
                           .clip_count = 1,
                           .materials = &p->material,
                           .material_count = 1,
                           .images = &p->image,
                           .image_count = 1,
                           .cameras = &p->camera,
                           .camera_count = 1,
                           .lights = &p->light,
                           .light_count = 1,
                           .events = p->events,
                           .event_count = 3,
                           .shapes = &p->shape,
                           .shape_count = 1,
                           .attachments = &p->attachment,
                           .attachment_count = 1,
                           .warnings = p->warnings,
                           .warning_count = 2 };
}

static bool is_refused(const parts *p)
{
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr)) _exit(2);
        check_model(&p->model);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void sound_models_pass(void **state)
{
    (void)state;
    parts p;
    make_sound(&p);
    check_model(&p.model);
    exercise_model(&p.model);
    assert_false(is_refused(&p));
    sn_error error;
    assert_int_equal(sn_model_check(&p.model, &error), SN_OK);
    assert_int_equal(error.status, SN_OK);
    assert_int_equal(sn_model_check(NULL, NULL), SN_ERR_INVALID);
}

static void errors_name_the_element(void **state)
{
    (void)state;
    parts p;
    sn_error error;
    make_sound(&p);
    p.tracks[0].target = 99;
    assert_int_equal(sn_model_check(&p.model, &error), SN_ERR_INVALID);
    assert_string_equal(error.path, "/clips/0 \"walk\"/tracks/0");
    assert_string_equal(error.message, "target node 99 of 3");
    make_sound(&p);
    p.layer.maps[1].image = 7;
    assert_int_equal(sn_model_check(&p.model, &error), SN_ERR_INVALID);
    assert_string_equal(error.path, "/materials/0 \"skin\"/layers/0/maps/1");
    assert_string_equal(error.message, "image 7 of 1");
    make_sound(&p);
    p.vertex_weights[4] = 1.75f;
    assert_int_equal(sn_model_check(&p.model, &error), SN_ERR_INVALID);
    assert_string_equal(error.path, "/meshes/0 \"body\"");
    assert_string_equal(error.message, "vertex 2: weights sum to 2");
}

// A loaded model is sealed; a copy of its struct is not, so that what was changed in the copy is found.
static void copies_are_not_sealed(void **state)
{
    (void)state;
    sn_error error;
    sn_model *model = sn_load_file(SINEW_SAMPLES "/arm.glb", NULL, &error);
    assert_non_null(model);
    assert_ptr_equal(model->checked, model);
    assert_int_equal(sn_model_check(model, &error), SN_OK);
    sn_model copy = *model;
    sn_node nodes[64];
    assert_in_range(copy.node_count, 2, 64);
    memcpy(nodes, copy.nodes, copy.node_count * sizeof *nodes);
    copy.nodes = nodes;
    assert_int_equal(sn_model_hash(&copy), sn_model_hash(model));
    nodes[0].parent = 1;
    assert_null(sn_pose_create(&copy, NULL, &error));
    assert_string_equal(error.message, "parent 1 does not come before node 0");
    sn_model_free(model);
}

// clang-format off
#define BREAKS(X) \
    X(p.model.name = NULL) \
    X(p.model.format = "") \
    X(p.model.format = "\xff") \
    X(p.model.extras = "{") \
    X(p.model.up_axis = (sn_axis)2) \
    X(p.model.lod_count = 0) \
    X(p.model.default_scene = 1) \
    X(p.model.default_scene = -1) \
    X(p.model.scene_count = 0) \
    X(p.model.nodes = NULL) \
    X(p.model.clips = NULL) \
    X(p.scene.name = NULL) \
    X(p.roots[0] = 3) \
    X(p.roots[0] = -1) \
    X(p.roots[0] = 1) \
    X(p.scene.roots = NULL) \
    X(p.nodes[1].name = NULL) \
    X(p.nodes[1].name = "\xc0\x80") \
    X(p.nodes[1].extras = "{a:1}") \
    X(p.nodes[1].extras = "") \
    X(p.nodes[1].extras = "\"\xff\"") \
    X(p.nodes[0].parent = 0) \
    X(p.nodes[1].parent = 2) \
    X(p.nodes[1].parent = -2) \
    X(p.nodes[0].flags = SN_NODE_JOINT) \
    X(p.nodes[1].flags = 0) \
    X(p.nodes[1].flags |= 1u << 30) \
    X(p.nodes[1].rest.translation.y = NAN) \
    X(p.nodes[1].rest.scale.z = INFINITY) \
    X(p.nodes[1].rest.rotation.w = 1.001f) \
    X(p.nodes[1].rest.rotation.w = 0) \
    X(p.matrix.m[2][3] = NAN) \
    X(p.nodes[1].id = -2) \
    X(p.skin.name = NULL) \
    X(p.joints[1] = 3) \
    X(p.joints[1] = -1) \
    X(p.skin.inverse_bind = NULL) \
    X(p.inverse_bind[1].m[0][3] = INFINITY) \
    X(p.skin.joints = NULL) \
    X(p.skin.joint_count = 1) \
    X(p.skin.joint_count = 0) \
    X(p.mesh.name = NULL) \
    X(p.mesh.topology = (sn_topology)3) \
    X(p.mesh.index_count = 2) \
    X(p.indices[2] = 3) \
    X(p.indices[0] = UINT32_MAX) \
    X(p.mesh.indices = NULL) \
    X(p.mesh.positions = NULL) \
    X(p.positions[2].z = NAN) \
    X(p.normals[1].z = 0) \
    X(p.normals[1].z = 1.01f) \
    X(p.normals[1].x = NAN) \
    X(p.tangents[0].w = 0.5f) \
    X(p.tangents[0].x = 0) \
    X(p.mesh.uvs = NULL) \
    X(p.uvs[2].y = NAN) \
    X(p.mesh.colors = NULL) \
    X(p.colors[0].w = INFINITY) \
    X(p.mesh.vertex_joints = NULL) \
    X(p.mesh.vertex_weights = NULL) \
    X(p.vertex_weights[4] = 0.7501f) \
    X(p.vertex_weights[4] = NAN) \
    X(p.vertex_weights[0] = 1.5f; p.vertex_weights[1] = -0.5f) \
    X(p.vertex_joints[5] = 2) \
    X(p.mesh.influence_count = 0) \
    X(p.mesh.morphs = NULL) \
    X(p.morph.name = NULL) \
    X(p.deltas[1].x = NAN) \
    X(p.part.mesh = -1) \
    X(p.part.mesh = 1) \
    X(p.part.node = -1) \
    X(p.part.node = 3) \
    X(p.part.skin = 1) \
    X(p.part.skin = -2) \
    X(p.part.material = 1) \
    X(p.part.lod = 1) \
    X(p.part.lod = -2) \
    X(p.part.color.y = NAN) \
    X(p.part.morph_weights = NULL) \
    X(p.morph_weights[0] = NAN) \
    X(p.mesh.morph_count = 0) \
    X(p.clip.name = NULL) \
    X(p.clip.duration = -1) \
    X(p.clip.duration = NAN) \
    X(p.clip.tracks = NULL) \
    X(p.tracks[0].target_kind = 5) \
    X(p.tracks[0].channel = SN_CHANNEL_COUNT) \
    X(p.tracks[0].channel = SN_CHANNEL_FOV) \
    X(p.tracks[0].target_kind = SN_TARGET_PART) \
    X(p.tracks[0].interpolation = 5) \
    X(p.tracks[0].wrap = 3) \
    X(p.tracks[0].target = 3) \
    X(p.tracks[0].target = -1) \
    X(p.tracks[0].sub = 1) \
    X(p.tracks[0].period = -1) \
    X(p.tracks[0].period = NAN) \
    X(p.tracks[0].key_count = 0) \
    X(p.tracks[0].width = 3) \
    X(p.times[1] = 0) \
    X(p.times[1] = -1) \
    X(p.times[1] = NAN) \
    X(p.turns[7] = 2) \
    X(p.turns[4] = NAN) \
    X(p.tracks[0].times = NULL) \
    X(p.tracks[0].values = NULL) \
    X(p.tracks[1].width = 2) \
    X(p.tracks[1].width = 0) \
    X(p.moves[1] = INFINITY) \
    X(p.material.name = NULL) \
    X(p.material.layers = NULL) \
    X(p.material.extension_map_count = 1) \
    X(p.layer.maps[1].image = 1) \
    X(p.layer.maps[1].image = -2) \
    X(p.layer.maps[2].uv_set = -1) \
    X(p.layer.maps[0].wrap_u = 3) \
    X(p.layer.maps[0].min_filter = 7) \
    X(p.layer.maps[0].strength = NAN) \
    X(p.layer.maps[0].transform.rotation = NAN) \
    X(p.layer.color.x = NAN) \
    X(p.layer.alpha_cutoff = INFINITY) \
    X(p.layer.blend = (sn_blend)8) \
    X(p.layer.flags = 1u << 31) \
    X(p.image.uri = NULL) \
    X(p.image.mime_type = NULL) \
    X(p.image.data = NULL) \
    X(p.image.name = "\xed\xa0\x80") \
    X(p.camera.node = 3) \
    X(p.camera.fov_y = NAN) \
    X(p.camera.name = NULL) \
    X(p.light.node = -2) \
    X(p.light.kind = (sn_light_kind)4) \
    X(p.light.color.z = NAN) \
    X(p.warnings[1].code = 5) \
    X(p.warnings[0].count = 0) \
    X(p.warnings[0].message = "") \
    X(p.warnings[0].message = "a\nb") \
    X(p.warnings[0].path = NULL) \
    X(p.warnings[0].path = "\x1b[2J") \
    X(p.events[0].name = NULL) \
    X(p.events[1].node = 3) \
    X(p.events[1].clip = 1) \
    X(p.events[1].time = -1) \
    X(p.events[1].time = NAN) \
    X(p.events[0].period = 0) \
    X(p.events[1].period = 1) \
    X(p.events[1].period = NAN) \
    X(p.events[2].time = 0.125f) \
    X(p.events[2].clip = -1) \
    X(p.model.events = NULL) \
    X(p.shape.name = NULL) \
    X(p.shape.node = 3) \
    X(p.shape.kind = (sn_shape_kind)4) \
    X(p.shape.center.y = NAN) \
    X(p.shape.extents.z = INFINITY) \
    X(p.shape.radius = -1) \
    X(p.model.shapes = NULL) \
    X(p.attachment.name = NULL) \
    X(p.attachment.path = NULL) \
    X(p.attachment.node = -1) \
    X(p.attachment.id = -2) \
    X(p.model.attachments = NULL) \
    X(p.model.scenes = NULL) \
    X(p.model.meshes = NULL) \
    X(p.model.parts = NULL) \
    X(p.model.skins = NULL) \
    X(p.model.materials = NULL) \
    X(p.model.images = NULL) \
    X(p.model.cameras = NULL) \
    X(p.model.lights = NULL) \
    X(p.model.warnings = NULL) \
    X(p.mesh.extras = "[1,]") \
    X(p.clip.extras = "x") \
    X(p.material.extras = "{") \
    X(p.material.extensions = "{") \
    X(p.camera.extras = "nul") \
    X(p.light.extras = "1 2") \
    X(p.light.name = NULL) \
    X(p.image.name = NULL)
// clang-format on

// The library's own check: an error of one clear message, and no other function takes the model either.
static void expect_invalid(const parts *p, const char *breaking)
{
    sn_error error = { 0 };
    sn_bounds bounds;
    if (sn_model_check(&p->model, &error) != SN_ERR_INVALID) fail_msg("sn_model_check did not see: %s", breaking);
    check_error(&error);
    assert_null(sn_pose_create(&p->model, NULL, &error));
    assert_int_equal(error.status, SN_ERR_INVALID);
    assert_int_equal(sn_model_bounds(&p->model, 0, NULL, &bounds), SN_ERR_INVALID);
    assert_int_equal(sn_save_file(&p->model, "/nowhere/x.glb", NULL, &error), SN_ERR_INVALID);
}

static void broken_models_are_refused(void **state)
{
    (void)state;
    parts p;
    int count = 0;
#define TRY(breaking)                                         \
    make_sound(&p);                                           \
    breaking;                                                 \
    if (!is_refused(&p)) fail_msg("not seen: %s", #breaking); \
    expect_invalid(&p, #breaking);                            \
    count++;
    BREAKS(TRY)
    assert_true(count > 170);
}

static void text_checks_know_their_standards(void **state)
{
    (void)state;
    static const char *const json[] = { "{}", "[1,2]", " null ", "\"\\ud800\"", "-0.5e+10", "{\"a\":{\"b\":[]}}" };
    static const char *const not_json[] = { "",    "{",   "[1,]", "01",     "{\"a\"}",    "nul",
                                            "\"a", "1 2", "+1",   "\"\t\"", "{\"a\":1,}", "[}" };
    static const char *const not_utf8[] = { "\xff",     "\xc0\xaf", "\xed\xa0\x80",    "\xf4\x90\x80\x80",
                                            "\xe2\x82", "\x80",     "\xf0\x80\x80\xaf" };
    for (size_t i = 0; i < sizeof json / sizeof *json; i++) assert_true(is_json(json[i], strlen(json[i])));
    for (size_t i = 0; i < sizeof not_json / sizeof *not_json; i++)
        assert_false(is_json(not_json[i], strlen(not_json[i])));
    for (size_t i = 0; i < sizeof not_utf8 / sizeof *not_utf8; i++)
        assert_false(is_utf8(not_utf8[i], strlen(not_utf8[i])));
    assert_true(is_utf8("\xf0\x9f\x98\x80\xc3\xa9", 6) && is_plain_text("caf\xc3\xa9"));
    assert_false(is_plain_text("\n") || is_plain_text("\x7f") || is_plain_text("\xc2\x9b"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_models_pass),
        cmocka_unit_test(broken_models_are_refused),
        cmocka_unit_test(errors_name_the_element),
        cmocka_unit_test(copies_are_not_sealed),
        cmocka_unit_test(text_checks_know_their_standards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
