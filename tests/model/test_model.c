// What finishing a draft promises, whatever a format hands over; the hash; finding by name.
#include "base/reader.h"
#include "check_model.h"
#include "gltf_text.h"
#include "hand_models.h"
#include "model/builder.h"
#include "model/sanitize.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    sni_heap heap;
    sni_load load;
    sn_model model;
} fixture;

static int fixture_open(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f) return -1;
    sni_heap_init(&f->heap, NULL, UINT64_MAX);
    sni_load_init(&f->load, &f->heap, NULL);
    f->model.format = "draft";
    *state = f;
    return 0;
}

static int fixture_close(void **state)
{
    fixture *f = *state;
    sni_arena_free(&f->load.scratch);
    sni_arena_free(&f->load.keep);
    int left = f->heap.used != 0;
    free(f);
    return left;
}

#define make(f, type, count) sni_new(&(f)->load.keep, type, (count))

// Nodes n0, n1, ... at x = 0, 1, ... with these parents.
static sn_node *make_nodes(fixture *f, uint32_t count, const int32_t *parents)
{
    sn_node *nodes = make(f, sn_node, count);
    for (uint32_t i = 0; i < count; i++) {
        char *name = make(f, char, 8);
        snprintf(name, 8, "n%u", i);
        nodes[i] = (sn_node){ .name = name, .parent = parents[i], .id = (int32_t)i, .rest = trs_move((float)i, 0, 0) };
    }
    f->model.nodes = nodes;
    f->model.node_count = count;
    return nodes;
}

static sn_mesh *make_points(fixture *f, uint32_t count)
{
    sn_mesh *meshes = make(f, sn_mesh, count);
    for (uint32_t i = 0; i < count; i++) {
        meshes[i] = (sn_mesh){ .name = "", .topology = SN_POINTS, .vertex_count = 1, .index_count = 1 };
        meshes[i].positions = make(f, sn_vec3, 1);
        meshes[i].indices = make(f, uint32_t, 1);
    }
    f->model.meshes = meshes;
    f->model.mesh_count = count;
    return meshes;
}

static sn_part *make_parts(fixture *f, uint32_t count, const int32_t *nodes)
{
    sn_part *parts = make(f, sn_part, count);
    for (uint32_t i = 0; i < count; i++)
        parts[i] = (sn_part){ .node = nodes[i], .skin = -1, .material = -1, .color = { 1, 1, 1, 1 } };
    f->model.parts = parts;
    f->model.part_count = count;
    return parts;
}

// One clip; each track drives a visibility of one key whose value is the track's number.
static sn_track *make_tracks(fixture *f, uint32_t count)
{
    sn_clip *clip = make(f, sn_clip, 1);
    sn_track *tracks = make(f, sn_track, count);
    for (uint32_t i = 0; i < count; i++) {
        float *value = make(f, float, 1);
        *value = (float)i;
        tracks[i] = (sn_track){ .channel = SN_CHANNEL_VISIBILITY,
                                .interpolation = SN_STEP,
                                .key_count = 1,
                                .width = 1,
                                .times = make(f, float, 1),
                                .values = value };
    }
    *clip = (sn_clip){ .tracks = tracks, .track_count = count };
    f->model.clips = clip;
    f->model.clip_count = 1;
    return tracks;
}

static const sn_model *finish(fixture *f)
{
    sni_builder b = sni_builder_of_load(&f->load);
    if (!sni_builder_finish(&b, &f->model)) fail_msg("%s", f->load.diag.error.message);
    check_model(&f->model);
    return &f->model;
}

static const char *name_of(const fixture *f, int32_t node) { return node < 0 ? "" : f->model.nodes[node].name; }

static void an_empty_draft_is_a_model(void **state)
{
    const sn_model *model = finish(*state);
    assert_string_equal(model->name, "");
    assert_int_equal(model->lod_count, 1);
    assert_int_equal(model->default_scene, -1);
    assert_int_equal(model->warning_count, 0);
}

// Children 0 and 2 come before their parent; what refers to nodes follows, and elements may still be added.
static void nodes_are_sorted_before_finishing(void **state)
{
    fixture *f = *state;
    sni_builder b = sni_builder_of_load(&f->load);
    sn_node *nodes = sni_builder_nodes(&b, 3);
    for (int32_t i = 0; i < 3; i++)
        nodes[i] = (sn_node){ .parent = i == 1 ? -1 : 1, .id = i, .rest = sni_trs_identity };
    *sni_builder_add_attachment(&b) = (sn_attachment){ .node = 0, .id = -1 };
    assert_true(sni_builder_sort_nodes(&b));
    nodes = b.nodes.items;
    assert_int_equal(b.nodes.count, 3);
    assert_true(nodes[0].id == 1 && nodes[1].id == 0 && nodes[2].id == 2);
    assert_true(nodes[0].parent == -1 && nodes[1].parent == 0 && nodes[2].parent == 0);
    *sni_builder_add_attachment(&b) = (sn_attachment){ .node = 2, .id = -1 };
    assert_true(sni_builder_finish(&b, &f->model));
    check_model(&f->model);
    assert_int_equal(f->model.nodes[1].id, 0);
    assert_int_equal(f->model.attachments[0].node, 1);
    assert_int_equal(f->model.attachments[1].node, 2);
}

static void a_sorted_draft_keeps_its_order(void **state)
{
    fixture *f = *state;
    const int32_t parents[6] = { -1, -1, 0, 1, 0, 3 };
    make_nodes(f, 6, parents);
    finish(f);
    for (int32_t i = 0; i < 6; i++) {
        assert_int_equal(f->model.nodes[i].id, i);
        assert_int_equal(f->model.nodes[i].parent, parents[i]);
    }
}

static void references_follow_the_nodes(void **state)
{
    fixture *f = *state;
    make_nodes(f, 5, (const int32_t[]){ 2, -1, 1, -1, 2 });
    make_points(f, 1);
    make_parts(f, 2, (const int32_t[]){ 0, 3 });
    sn_skin *skin = make(f, sn_skin, 1);
    int32_t *joints = make(f, int32_t, 2), *roots = make(f, int32_t, 2);
    joints[0] = 4, joints[1] = 1, roots[0] = 3, roots[1] = 1;
    *skin = (sn_skin){ .joints = joints, .inverse_bind = make(f, sn_mat34, 2), .joint_count = 2 };
    sn_camera *camera = make(f, sn_camera, 2);
    camera[0].node = 2, camera[1].node = -1;
    sn_light *light = make(f, sn_light, 1);
    light->node = 4;
    sn_scene *scene = make(f, sn_scene, 1);
    *scene = (sn_scene){ "", roots, 2 };
    sn_track *tracks = make_tracks(f, 4);
    tracks[0].target = 0, tracks[1].target = 3, tracks[2].target = 4;
    tracks[3].target_kind = SN_TARGET_PART, tracks[3].target = 1;  // a number that is no node's
    f->model.skins = skin, f->model.skin_count = 1;
    f->model.cameras = camera, f->model.camera_count = 2;
    f->model.lights = light, f->model.light_count = 1;
    f->model.scenes = scene, f->model.scene_count = 1;
    finish(f);
    static const char *const parents[5] = { "n2", "", "n1", "", "n2" };
    for (int32_t i = 0; i < 5; i++) {
        const sn_node *node = &f->model.nodes[i];
        assert_string_equal(name_of(f, node->parent), parents[node->id]);
        assert_near(node->rest.translation.x, node->id);
    }
    assert_string_equal(name_of(f, f->model.parts[0].node), "n0");
    assert_string_equal(name_of(f, f->model.parts[1].node), "n3");
    assert_string_equal(name_of(f, f->model.skins[0].joints[0]), "n4");
    assert_string_equal(name_of(f, f->model.skins[0].joints[1]), "n1");
    assert_string_equal(name_of(f, f->model.cameras[0].node), "n2");
    assert_int_equal(f->model.cameras[1].node, -1);
    assert_string_equal(name_of(f, f->model.lights[0].node), "n4");
    assert_string_equal(name_of(f, f->model.scenes[0].roots[0]), "n3");
    assert_string_equal(name_of(f, f->model.scenes[0].roots[1]), "n1");
    static const char *const targets[3] = { "n0", "n3", "n4" };
    for (int i = 0; i < 3; i++) assert_string_equal(name_of(f, f->model.clips[0].tracks[i].target), targets[i]);
    assert_int_equal(f->model.clips[0].tracks[3].target, 1);
    assert_int_equal(f->model.warning_count, 0);
}

static void brothers_keep_the_files_order(void **state)
{
    fixture *f = *state;
    make_nodes(f, 6, (const int32_t[]){ 5, 5, -1, 0, 0, -1 });
    finish(f);
    static const int32_t order[6] = { 2, 5, 0, 3, 4, 1 };  // depth first: roots 2 and 5, then below 5
    for (int i = 0; i < 6; i++) assert_int_equal(f->model.nodes[i].id, order[i]);
}

static void expect_cut(fixture *f, uint32_t count, const int32_t *parents, uint32_t loops)
{
    make_nodes(f, count, parents);
    uint32_t before = count_warnings(&f->model, SNI_WARN_NODE_CYCLE);
    finish(f);
    assert_int_equal(f->model.node_count, count);
    assert_int_equal(count_warnings(&f->model, SNI_WARN_NODE_CYCLE) - before, loops);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < count; i++) seen |= 1u << f->model.nodes[i].id;
    assert_int_equal(seen, (1u << count) - 1);  // nobody is lost
}

static void loops_are_cut_once(void **state)
{
    expect_cut(*state, 1, (const int32_t[]){ 0 }, 1);
    expect_cut(*state, 2, (const int32_t[]){ 1, 0 }, 1);
    expect_cut(*state, 4, (const int32_t[]){ 1, 2, 0, 0 }, 1);
    expect_cut(*state, 6, (const int32_t[]){ 1, 0, 3, 4, 2, 5 }, 3);
    expect_cut(*state, 5, (const int32_t[]){ 4, 0, 1, -1, 2 }, 1);
    expect_cut(*state, 3, (const int32_t[]){ -1, 0, 1 }, 0);
}

static void parents_and_references_that_do_not_exist(void **state)
{
    fixture *f = *state;
    make_nodes(f, 3, (const int32_t[]){ 99, -7, INT32_MIN });
    make_points(f, 1);
    sn_part *parts = make_parts(f, 3, (const int32_t[]){ 0, 77, -1 });
    parts[0].skin = 5, parts[0].material = INT32_MAX, parts[0].lod = 9;
    sn_camera *camera = make(f, sn_camera, 1);
    camera->node = INT32_MAX;
    f->model.cameras = camera, f->model.camera_count = 1;
    sn_scene *scene = make(f, sn_scene, 2);
    int32_t *roots = make(f, int32_t, 3);
    roots[0] = -5, roots[1] = 2, roots[2] = 3;
    scene[0] = (sn_scene){ NULL, roots, 3 };
    f->model.scenes = scene, f->model.scene_count = 2, f->model.default_scene = 8;
    finish(f);
    assert_int_equal(count_warnings(&f->model, SNI_WARN_NODE_PARENT), 3);
    assert_int_equal(f->model.part_count, 1);  // the others hang nowhere
    assert_int_equal(f->model.parts[0].skin, -1);
    assert_int_equal(f->model.parts[0].material, -1);
    assert_int_equal(f->model.parts[0].lod, -1);
    assert_int_equal(f->model.cameras[0].node, -1);
    assert_int_equal(f->model.scenes[0].root_count, 1);
    assert_int_equal(f->model.scenes[0].roots[0], 2);
    assert_int_equal(f->model.default_scene, 0);
}

static void numbers_that_are_not_finite_are_sanitized(void **state)
{
    fixture *f = *state;
    sn_node *nodes = make_nodes(f, 2, (const int32_t[]){ -1, 0 });
    nodes[0].rest = (sn_trs){ { NAN, 1, INFINITY }, { NAN, 0, 0, 0 }, { 1, -INFINITY, 1 } };
    sn_mat34 *matrix = make(f, sn_mat34, 1), *bind = make(f, sn_mat34, 1);
    matrix->m[1][2] = NAN, bind->m[2][3] = INFINITY, bind->m[0][0] = 1;
    nodes[1].matrix = matrix;
    make_points(f, 1);
    make_parts(f, 1, (const int32_t[]){ 0 })[0].color = (sn_vec4){ NAN, 1, 1, 1 };
    sn_skin *skin = make(f, sn_skin, 1);
    *skin = (sn_skin){ .joints = make(f, int32_t, 1), .inverse_bind = bind, .joint_count = 1 };
    f->model.skins = skin, f->model.skin_count = 1;
    sn_camera *camera = make(f, sn_camera, 1);
    *camera = (sn_camera){ .fov_y = NAN, .aspect = 2, .far_plane = INFINITY };
    f->model.cameras = camera, f->model.camera_count = 1;
    sn_light *light = make(f, sn_light, 1);
    *light = (sn_light){ .color = { NAN, 1, 1 }, .intensity = INFINITY, .outer_angle = NAN };
    f->model.lights = light, f->model.light_count = 1;
    sn_layer *layer = make(f, sn_layer, 1);
    *layer = sni_layer_default();
    layer->metallic = NAN, layer->maps[2].transform.rotation = INFINITY, layer->maps[1].image = 44,
    layer->maps[0].uv_set = -3;
    sn_material *material = make(f, sn_material, 1);
    *material = (sn_material){ .layers = layer, .layer_count = 1 };
    f->model.materials = material, f->model.material_count = 1;
    make_tracks(f, 0);
    ((sn_clip *)(uintptr_t)f->model.clips)->duration = NAN;
    finish(f);
    assert_vec3(f->model.nodes[0].rest.translation, 0, 1, 0);
    assert_quat(f->model.nodes[0].rest.rotation, 0, 0, 0, 1);
    assert_vec3(f->model.nodes[0].rest.scale, 1, 0, 1);
    assert_near(f->model.cameras[0].aspect, 2);
    assert_near(f->model.skins[0].inverse_bind[0].m[0][0], 1);
    assert_int_equal(f->model.materials[0].layers[0].maps[1].image, -1);
    assert_true(f->model.clips[0].duration == 0.0f);
    assert_true(count_warnings(&f->model, SNI_WARN_NOT_FINITE) >= 14);
}

static void morph_weights_are_always_there(void **state)
{
    fixture *f = *state;
    make_nodes(f, 1, (const int32_t[]){ -1 });
    sn_mesh *mesh = make_points(f, 2);
    sn_morph *morphs = make(f, sn_morph, 2);
    morphs[0].name = morphs[1].name = "";
    mesh[0].morphs = morphs, mesh[0].morph_count = 2;
    sn_part *parts = make_parts(f, 3, (const int32_t[]){ 0, 0, 0 });
    float *weights = make(f, float, 2);
    weights[0] = NAN, weights[1] = 3;
    parts[1].morph_weights = weights;
    parts[2].mesh = 1, parts[2].morph_weights = weights;
    finish(f);
    assert_near(f->model.parts[0].morph_weights[0], 0);
    assert_near(f->model.parts[1].morph_weights[0], 0);
    assert_near(f->model.parts[1].morph_weights[1], 3);
    assert_null(f->model.parts[2].morph_weights);
}

static void a_dropped_part_takes_its_tracks_along(void **state)
{
    fixture *f = *state;
    make_nodes(f, 1, (const int32_t[]){ -1 });
    make_points(f, 1);
    make_parts(f, 4, (const int32_t[]){ 0, 0, 0, 0 })[1].mesh = 9;
    sn_track *tracks = make_tracks(f, 6);
    static const int32_t targets[6] = { 0, 1, 2, 3, 4, -1 };
    for (int i = 0; i < 6; i++) tracks[i].target_kind = SN_TARGET_PART, tracks[i].target = targets[i];
    finish(f);
    assert_int_equal(f->model.part_count, 3);
    assert_int_equal(f->model.clips[0].track_count, 3);
    static const float values[3] = { 0, 2, 3 };  // the tracks of parts 0, 2 and 3
    for (int32_t i = 0; i < 3; i++) {
        assert_int_equal(f->model.clips[0].tracks[i].target, i);
        assert_true(f->model.clips[0].tracks[i].values[0] == values[i]);
    }
    assert_int_equal(count_warnings(&f->model, SNI_WARN_TRACK_TARGET), 3);
}

static void of_two_alike_tracks_the_last_stays(void **state)
{
    fixture *f = *state;
    enum { MANY = 3000 };
    int32_t *parents = make(f, int32_t, MANY);
    for (int i = 0; i < MANY; i++) parents[i] = -1;
    make_nodes(f, MANY, parents);
    sn_track *tracks = make_tracks(f, 2 * MANY);
    for (int32_t i = 0; i < 2 * MANY; i++) tracks[i].target = i % MANY;
    finish(f);
    assert_int_equal(f->model.clips[0].track_count, MANY);
    assert_int_equal(count_warnings(&f->model, SNI_WARN_TRACK_TWICE), MANY);
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(f->model.clips[0].tracks[i].target, i);
        assert_true(f->model.clips[0].tracks[i].values[0] == (float)(i + MANY));
    }
}

static void tracks_that_differ_in_anything_stay(void **state)
{
    fixture *f = *state;
    make_nodes(f, 2, (const int32_t[]){ -1, -1 });
    make_points(f, 1);
    make_parts(f, 1, (const int32_t[]){ 0 });
    sn_layer *layers = make(f, sn_layer, 2);
    layers[0] = layers[1] = sni_layer_default();
    sn_material *material = make(f, sn_material, 1);
    *material = (sn_material){ .layers = layers, .layer_count = 2 };
    f->model.materials = material, f->model.material_count = 1;
    sn_track *tracks = make_tracks(f, 9);
    tracks[1].target = 1;
    tracks[2].target_kind = SN_TARGET_PART;
    tracks[3].target_kind = SN_TARGET_PART, tracks[3].channel = SN_CHANNEL_ALPHA;
    tracks[4].target_kind = SN_TARGET_LAYER, tracks[4].channel = SN_CHANNEL_ALPHA;
    tracks[5].target_kind = SN_TARGET_LAYER, tracks[5].channel = SN_CHANNEL_ALPHA, tracks[5].sub = 1;
    tracks[6].target_kind = SN_TARGET_LAYER, tracks[6].channel = SN_CHANNEL_ALPHA, tracks[6].sub = 2;  // no such layer
    tracks[7].target_kind = SN_TARGET_LIGHT, tracks[7].channel = SN_CHANNEL_INTENSITY;                 // no lights
    tracks[8].target = 1, tracks[8].key_count = 0;
    finish(f);
    assert_int_equal(f->model.clips[0].track_count, 6);
    for (int i = 0; i < 6; i++) assert_true(f->model.clips[0].tracks[i].values[0] == (float)i);
    assert_int_equal(count_warnings(&f->model, SNI_WARN_TRACK_TARGET), 2);
    assert_int_equal(count_warnings(&f->model, SNI_WARN_TRACK_EMPTY), 1);
}

static void tracks_of_many_layers_stay(void **state)
{
    fixture *f = *state;
    enum { MANY = 500 };
    sn_layer *layers = make(f, sn_layer, MANY);
    sn_material *material = make(f, sn_material, 1);
    sn_track *tracks = make_tracks(f, MANY);
    for (int32_t i = 0; i < MANY; i++) {
        layers[i] = sni_layer_default();
        tracks[i].target_kind = SN_TARGET_LAYER, tracks[i].channel = SN_CHANNEL_ALPHA, tracks[i].sub = i;
    }
    *material = (sn_material){ .layers = layers, .layer_count = MANY };
    f->model.materials = material, f->model.material_count = 1;
    finish(f);
    assert_int_equal(f->model.clips[0].track_count, MANY);
}

static void keys_are_dropped_with_their_tangents(void **state)
{
    fixture *f = *state;
    float times[5] = { 0, 0, 1, NAN, 2 }, values[15];
    for (int i = 0; i < 15; i++) values[i] = (float)i;
    sn_track track = { .channel = SN_CHANNEL_INTENSITY,
                       .interpolation = SN_HERMITE,
                       .key_count = 5,
                       .width = 1,
                       .times = times,
                       .values = values };
    assert_true(sni_sanitize_keys(&f->load.diag, &track, 0));
    assert_int_equal(track.key_count, 3);
    assert_memory_equal(track.times, ((const float[]){ 0, 1, 2 }), 12);
    assert_memory_equal(track.values, ((const float[]){ 0, 1, 2, 6, 7, 8, 12, 13, 14 }), 36);
}

static void only_values_of_rotations_are_made_unit(void **state)
{
    fixture *f = *state;
    float times[1] = { 0 }, values[12] = { 3, 0, 0, 0, 0, 0, 0, 2, 0, 5, 0, 0 };
    sn_track track = { .channel = SN_CHANNEL_ROTATION,
                       .interpolation = SN_CUBIC_SPLINE,
                       .key_count = 1,
                       .width = 4,
                       .times = times,
                       .values = values };
    assert_true(sni_sanitize_keys(&f->load.diag, &track, 0));
    assert_memory_equal(track.values, ((const float[]){ 3, 0, 0, 0, 0, 0, 0, 1, 0, 5, 0, 0 }), 48);
}

static void finishing_stops_at_the_memory_limit(void **state)
{
    fixture *f = *state;
    enum { MANY = 20000 };
    int32_t *parents = make(f, int32_t, MANY);
    for (int i = 0; i < MANY; i++) parents[i] = i - 1;
    f->model.nodes = make(f, sn_node, MANY), f->model.node_count = MANY;
    for (int i = 0; i < MANY; i++)
        ((sn_node *)(uintptr_t)f->model.nodes)[i] = (sn_node){ .parent = parents[i], .rest = trs_identity };
    f->heap.limit = f->heap.used;
    sni_builder b = sni_builder_of_load(&f->load);
    assert_false(sni_builder_finish(&b, &f->model));
    assert_int_equal(f->load.diag.error.status, SN_ERR_LIMIT);
}

// A model with something everywhere, and room behind every array for one more.
typedef struct full_model {
    sn_model model;
    sn_scene scene[2];
    int32_t roots[4];
    sn_node node[2];
    sn_mat34 matrix;
    sn_mesh mesh[2];
    sn_vec3 vectors[4][4];
    sn_vec4 tangents[4], colors[4];
    sn_vec2 uvs[4];
    const sn_vec2 *uv_sets[2];
    const sn_vec4 *color_sets[2];
    uint32_t indices[8];
    uint16_t joints[32];
    float weights[32];
    sn_morph morph[2];
    sn_part part[2];
    float morph_weights[4];
    sn_skin skin[2];
    int32_t skin_joints[4];
    sn_mat34 binds[4];
    sn_clip clip[2];
    sn_track track[2];
    float times[4], values[64];
    sn_material material[2];
    sn_layer layer[2];
    sn_texture more[2];
    sn_image image[2];
    uint8_t bytes[8];
    sn_camera camera[2];
    sn_light light[2];
} full_model;

static void fill(full_model *m)
{
    memset(m, 0, sizeof *m);
    m->uv_sets[0] = m->uv_sets[1] = m->uvs;
    m->color_sets[0] = m->color_sets[1] = m->colors;
    m->scene[0] = m->scene[1] = (sn_scene){ "s", m->roots, 2 };
    m->node[0] = m->node[1] = (sn_node){ .name = "n", .extras = "{}", .matrix = &m->matrix };
    m->morph[0] = m->morph[1] = (sn_morph){ "mo", m->vectors[1], m->vectors[2], m->vectors[3] };
    m->mesh[0] = (sn_mesh){ "me",
                            "{}",
                            SN_LINES,
                            2,
                            4,
                            1,
                            1,
                            4,
                            1,
                            m->vectors[0],
                            m->vectors[1],
                            m->tangents,
                            m->uv_sets,
                            m->color_sets,
                            m->indices,
                            m->joints,
                            m->weights,
                            m->morph };
    m->mesh[1] = m->mesh[0];
    m->part[0] = m->part[1] = (sn_part){ .morph_weights = m->morph_weights };
    m->skin[0] = m->skin[1] = (sn_skin){ "sk", m->skin_joints, m->binds, 2 };
    m->track[0] = m->track[1] = (sn_track){
        .interpolation = SN_HERMITE, .key_count = 2, .width = 3, .times = m->times, .values = m->values
    };
    m->clip[0] = m->clip[1] = (sn_clip){ "cl", "{}", 1, false, m->track, 1 };
    m->material[0] = m->material[1] = (sn_material){ "ma", "{}", m->layer, 1, "{}", m->more, 1 };
    m->image[0] = m->image[1] = (sn_image){ "im", "u", "t", m->bytes, 4 };
    m->camera[0].name = m->camera[1].name = m->light[0].name = m->light[1].name = "";
    m->model = (sn_model){ .name = "mo",
                           .format = "fo",
                           .extras = "{}",
                           .scenes = m->scene,
                           .scene_count = 1,
                           .nodes = m->node,
                           .node_count = 1,
                           .meshes = m->mesh,
                           .mesh_count = 1,
                           .parts = m->part,
                           .part_count = 1,
                           .skins = m->skin,
                           .skin_count = 1,
                           .clips = m->clip,
                           .clip_count = 1,
                           .materials = m->material,
                           .material_count = 1,
                           .images = m->image,
                           .image_count = 1,
                           .cameras = m->camera,
                           .camera_count = 1,
                           .lights = m->light,
                           .light_count = 1 };
}

static void hash_sees_every_number(void **state)
{
    (void)state;
    static full_model m;
    fill(&m);
    uint64_t hash = sn_model_hash(&m.model);
// clang-format off
#define F(field) { #field, &m.field, sizeof m.field }
    // clang-format on
    static const struct {
        const char *name;
        void *at;
        size_t size;
    } fields[] = {
        F(model.up_axis),
        F(model.lod_count),
        F(model.default_scene),
        F(model.scene_count),
        F(model.node_count),
        F(model.mesh_count),
        F(model.part_count),
        F(model.skin_count),
        F(model.clip_count),
        F(model.material_count),
        F(model.image_count),
        F(model.camera_count),
        F(model.light_count),
        F(material[0].extension_map_count),
        F(more[0].image),
        F(scene[0].root_count),
        F(roots[0]),
        F(roots[1]),
        F(node[0].parent),
        F(node[0].id),
        F(node[0].flags),
        F(node[0].rest.translation.z),
        F(node[0].rest.rotation.w),
        F(node[0].rest.scale.x),
        F(matrix.m[2][3]),
        F(mesh[0].topology),
        F(mesh[0].vertex_count),
        F(mesh[0].index_count),
        F(mesh[0].uv_count),
        F(mesh[0].color_count),
        F(mesh[0].influence_count),
        F(mesh[0].morph_count),
        F(vectors[0][1].z),
        F(vectors[1][1].y),
        F(vectors[2][1].x),
        F(vectors[3][1].z),
        F(tangents[1].w),
        F(uvs[1].y),
        F(colors[1].w),
        F(indices[3]),
        F(joints[7]),
        F(weights[7]),
        F(part[0].mesh),
        F(part[0].node),
        F(part[0].skin),
        F(part[0].material),
        F(part[0].lod),
        F(part[0].is_hidden),
        F(part[0].color.w),
        F(morph_weights[0]),
        F(skin[0].joint_count),
        F(skin_joints[1]),
        F(binds[1].m[2][3]),
        F(clip[0].duration),
        F(clip[0].loops),
        F(clip[0].track_count),
        F(track[0].target_kind),
        F(track[0].channel),
        F(track[0].interpolation),
        F(track[0].wrap),
        F(track[0].target),
        F(track[0].sub),
        F(track[0].period),
        F(track[0].key_count),
        F(track[0].width),
        F(times[1]),
        F(values[17]),
        F(material[0].layer_count),
        F(layer[0].maps[4].image),
        F(layer[0].maps[0].uv_set),
        F(layer[0].maps[1].wrap_u),
        F(layer[0].maps[1].wrap_v),
        F(layer[0].maps[1].mag_filter),
        F(layer[0].maps[1].min_filter),
        F(layer[0].maps[3].strength),
        F(layer[0].maps[2].transform.offset.x),
        F(layer[0].maps[2].transform.rotation),
        F(layer[0].maps[2].transform.scale.y),
        F(layer[0].color.x),
        F(layer[0].emissive.z),
        F(layer[0].metallic),
        F(layer[0].roughness),
        F(layer[0].alpha_cutoff),
        F(layer[0].blend),
        F(layer[0].flags),
        F(image[0].size),
        F(bytes[3]),
        F(camera[0].node),
        F(camera[0].is_perspective),
        F(camera[0].fov_y),
        F(camera[0].aspect),
        F(camera[0].half_width),
        F(camera[0].half_height),
        F(camera[0].near_plane),
        F(camera[0].far_plane),
        F(light[0].node),
        F(light[0].kind),
        F(light[0].color.z),
        F(light[0].intensity),
        F(light[0].range),
        F(light[0].inner_angle),
        F(light[0].outer_angle),
    };
#undef F
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        uint8_t *byte = (uint8_t *)fields[i].at + (sni_is_little_endian() ? 0 : fields[i].size - 1);
        *byte ^= 1;
        if (sn_model_hash(&m.model) == hash) fail_msg("the hash does not see %s", fields[i].name);
        *byte ^= 1;
        if (sn_model_hash(&m.model) != hash) fail_msg("the hash is not the same again after %s", fields[i].name);
    }
}

static void hash_sees_every_text_and_absence(void **state)
{
    (void)state;
    static full_model m;
    fill(&m);
    uint64_t hash = sn_model_hash(&m.model);
    const char **texts[] = {
        &m.model.name,      &m.model.format,       &m.model.extras,     &m.scene[0].name,      &m.node[0].name,
        &m.node[0].extras,  &m.mesh[0].name,       &m.mesh[0].extras,   &m.morph[0].name,      &m.skin[0].name,
        &m.clip[0].name,    &m.clip[0].extras,     &m.material[0].name, &m.material[0].extras, &m.image[0].name,
        &m.image[0].uri,    &m.image[0].mime_type, &m.camera[0].name,   &m.camera[0].extras,   &m.light[0].name,
        &m.light[0].extras,
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const char *old = *texts[i];
        *texts[i] = "other";
        if (sn_model_hash(&m.model) == hash) fail_msg("the hash does not see text %zu", i);
        *texts[i] = old;
    }
    assert_true(sn_model_hash(&m.model) == hash);
    m.node[0].matrix = NULL;
    assert_true(sn_model_hash(&m.model) != hash);
    m.node[0].matrix = &m.matrix, m.mesh[0].normals = NULL;
    assert_true(sn_model_hash(&m.model) != hash);
    m.mesh[0].normals = m.vectors[1], m.morph[0].tangents = NULL;
    assert_true(sn_model_hash(&m.model) != hash);
}

// The same numbers in a row, but not in the same places.
static void hash_tells_lists_apart(void **state)
{
    (void)state;
    static full_model m;
    fill(&m);
    m.scene[0] = (sn_scene){ "", m.roots, 1 };
    uint64_t one_scene = sn_model_hash(&m.model);
    m.scene[0] = m.scene[1] = (sn_scene){ "", m.roots, 0 };
    m.model.scene_count = 2;
    uint64_t two_scenes = sn_model_hash(&m.model);
    fill(&m);
    m.uv_sets[0] = NULL, m.mesh[0].color_count = 0;
    uint64_t a_uv_set = sn_model_hash(&m.model);
    m.color_sets[0] = NULL, m.mesh[0].color_count = 1, m.mesh[0].uv_count = 0;
    uint64_t a_color_set = sn_model_hash(&m.model);
    assert_true(one_scene != two_scenes);
    assert_true(a_uv_set != a_color_set);
}

static void two_loads_have_one_hash(void **state)
{
    (void)state;
    const char *json = "{" ASSET ",'nodes':[{'name':'a','children':[1]},{'translation':[0.1,0.2,0.3]}],"
                       "'materials':[{}],'cameras':[{}]}";
    sn_model *first = load_json(json), *second = load_json(json);
    assert_true(sn_model_hash(first) == sn_model_hash(second));
    sn_model_free(second);
    second = load_json("{" ASSET ",'nodes':[{'name':'a','children':[1]},{'translation':[0.1,0.2,0.30001]}],"
                       "'materials':[{}],'cameras':[{}]}");
    assert_true(sn_model_hash(first) != sn_model_hash(second));
    sn_model_free(first);
    sn_model_free(second);
}

static void finding_by_name(void **state)
{
    fixture *f = *state;
    sn_node *nodes = make_nodes(f, 4, (const int32_t[]){ -1, 0, 0, 0 });
    nodes[3].name = "n1";
    sn_clip *clips = make(f, sn_clip, 3);
    clips[0].name = "walk", clips[1].name = NULL, clips[2].name = "walk";
    f->model.clips = clips, f->model.clip_count = 3;
    const sn_model *model = finish(f);
    assert_int_equal(sn_model_find_node(model, "n1"), 1);
    assert_int_equal(sn_model_find_node(model, "n2"), 2);
    assert_int_equal(sn_model_find_node(model, "n"), -1);
    assert_int_equal(sn_model_find_node(model, "N1"), -1);
    assert_int_equal(sn_model_find_node(model, ""), -1);
    assert_int_equal(sn_model_find_node(model, NULL), -1);
    assert_int_equal(sn_model_find_clip(model, "walk"), 0);
    assert_int_equal(sn_model_find_clip(model, ""), 1);
    assert_int_equal(sn_model_find_clip(model, "run"), -1);
    assert_int_equal(sn_model_find_clip(model, NULL), -1);
}

#define with_fixture(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)

static int32_t default_of(const char *format, const char *const *names, uint32_t count, uint32_t looping)
{
    sn_clip clips[8] = { 0 };
    for (uint32_t i = 0; i < count; i++) clips[i] = (sn_clip){ .name = names[i], .loops = looping >> i & 1 };
    const sn_model model = { .format = format, .clips = clips, .clip_count = count };
    return sn_model_default_clip(&model);
}

static void the_default_clip_stands_still(void **state)
{
    (void)state;
    assert_int_equal(default_of("mdx", (const char *const[]){ "Birth", "Stand Ready", "Stand", "Walk" }, 4, 0), 2);
    assert_int_equal(default_of("mdx", (const char *const[]){ "Stand Work", "Stand - 2", "Stand - 1" }, 3, 0), 1);
    assert_int_equal(default_of("mdx", (const char *const[]){ "Portrait Talk", "Portrait" }, 2, 0), 1);
    assert_int_equal(default_of("w3d", (const char *const[]){ "MAN_RUNA", "MAN_DIEA", "MAN_IDLA" }, 3, 7), 2);
    assert_int_equal(default_of("w3d", (const char *const[]){ "MAN_ATA", "MAN_STD" }, 2, 3), 1);
    assert_int_equal(default_of("gltf", (const char *const[]){ "StandUp", "Armature|run", "idle_01" }, 3, 7), 2);
    assert_int_equal(default_of("gltf", (const char *const[]){ "a_sta", "walk" }, 2, 2), 1);  // not a W3D file
    assert_int_equal(default_of("level5",
                                (const char *const[]){ "\xe6\xad\xa9\xe3\x81\x8d", "\xe7\xab\x8b\xe3\x81\xa1" }, 2, 1),
                     1);
    assert_int_equal(default_of("gltf", (const char *const[]){ "understand", "jump" }, 2, 0), -1);
    assert_int_equal(default_of("gltf", NULL, 0, 0), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_fixture(an_empty_draft_is_a_model),
        with_fixture(nodes_are_sorted_before_finishing),
        with_fixture(a_sorted_draft_keeps_its_order),
        with_fixture(references_follow_the_nodes),
        with_fixture(brothers_keep_the_files_order),
        with_fixture(loops_are_cut_once),
        with_fixture(parents_and_references_that_do_not_exist),
        with_fixture(numbers_that_are_not_finite_are_sanitized),
        with_fixture(morph_weights_are_always_there),
        with_fixture(a_dropped_part_takes_its_tracks_along),
        with_fixture(of_two_alike_tracks_the_last_stays),
        with_fixture(tracks_that_differ_in_anything_stay),
        with_fixture(tracks_of_many_layers_stay),
        with_fixture(keys_are_dropped_with_their_tangents),
        with_fixture(only_values_of_rotations_are_made_unit),
        with_fixture(finishing_stops_at_the_memory_limit),
        cmocka_unit_test(hash_sees_every_number),
        cmocka_unit_test(hash_sees_every_text_and_absence),
        cmocka_unit_test(hash_tells_lists_apart),
        cmocka_unit_test(two_loads_have_one_hash),
        with_fixture(finding_by_name),
        cmocka_unit_test(the_default_clip_stands_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
