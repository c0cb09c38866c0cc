// Triangles that are dropped before the driver sees them change no byte of the picture.
#include "hand_models.h"
#include "shoot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { AROUND = 240, ALONG = 120, VERTICES = AROUND * ALONG, TRIANGLES = AROUND * (ALONG - 1) * 2, INFLUENCES = 2 };

// A closed bumpy surface, or triangles without order, each vertex with a colour of its own. Two joints may bend it, a
// morph may stretch it.
typedef struct dense {
    sn_node nodes[3];
    int32_t joints[2];
    sn_mat34 inverse_bind[2];
    sn_vec3 positions[VERTICES], normals[VERTICES], deltas[VERTICES];
    sn_vec4 colors[VERTICES];
    const sn_vec4 *color_sets[1];
    uint32_t indices[TRIANGLES * 3];
    uint16_t vertex_joints[VERTICES * INFLUENCES];
    float vertex_weights[VERTICES * INFLUENCES], morph_weight;
    sn_morph morph;
    sn_skin skin;
    sn_mesh mesh;
    sn_part part;
    sn_layer layers[2];
    sn_material material;
    sn_model model;
} dense;

static float random_float(uint32_t *state, float low, float high)
{
    *state = *state * 1664525u + 1013904223u;
    return low + (high - low) * (float)(*state >> 8) / 16777216.0f;
}

static void fill_surface(dense *d)
{
    uint32_t *at = d->indices;
    for (uint32_t v = 0; v < VERTICES; v++) {
        float a = 2 * (float)PI * (float)(v % AROUND) / AROUND, t = (float)PI * ((float)(v / AROUND) + 0.5f) / ALONG;
        float radius = 1 + 0.15f * sinf(9 * a) * sinf(11 * t);
        d->normals[v] = sni_vec3(sinf(t) * cosf(a), cosf(t), sinf(t) * sinf(a));
        d->positions[v] = sni_scale(d->normals[v], radius);
        d->positions[v].y *= 1.5f;
    }
    for (uint32_t row = 0; row + 1 < ALONG; row++)
        for (uint32_t i = 0; i < AROUND; i++) {
            uint32_t a = row * AROUND + i, b = row * AROUND + (i + 1) % AROUND;
            const uint32_t corners[6] = { a, b, a + AROUND, b, b + AROUND, a + AROUND };
            memcpy(at, corners, sizeof corners);
            at += 6;
        }
}

// Of all sizes and shapes: slivers, points, duplicates, some as large as the picture.
static void fill_soup(dense *d)
{
    uint32_t seed = 5;
    for (uint32_t v = 0; v < VERTICES; v++) {
        float size = v % 501 < 3 ? 1.0f : v % 7 == 0 ? 0.1f : 0.01f;
        sn_vec3 from = v % 3 ? d->positions[v - v % 3] : sni_vec3(0, 0, 0);
        if (v % 3 == 0) size = 1;
        d->positions[v] = sni_add(from, sni_vec3(random_float(&seed, -size, size), random_float(&seed, -size, size),
                                                 random_float(&seed, -size, size)));
        if (v % 3 == 2 && v % 5 == 0) d->positions[v] = sni_scale(sni_add(from, d->positions[v - 1]), 0.5f);
        d->normals[v] = sni_vec3(0, 1, 0);
    }
    for (uint32_t i = 0; i < TRIANGLES * 3; i++) d->indices[i] = i % VERTICES;
}

// Needles of 1/20 pixel, near each other and steep: their planes rise much from pixel to pixel.
static void fill_needles(dense *d)
{
    uint32_t seed = 9;
    fill_soup(d);
    for (uint32_t v = 0; v < VERTICES; v++) {
        const sn_vec3 from = d->positions[v - v % 3], wide = { 0, 0.002f, 0.01f };
        if (v % 3 == 0) d->positions[v].z *= 0.01f;
        if (v % 3 == 1)
            d->positions[v] = sni_add(from, sni_vec3(random_float(&seed, -0.1f, 0.1f), random_float(&seed, -0.1f, 0.1f),
                                                     random_float(&seed, -0.02f, 0.02f)));
        if (v % 3 == 2) d->positions[v] = sni_add(sni_scale(sni_add(from, d->positions[v - 1]), 0.5f), wide);
    }
}

// Squares of 1/8 pixel of a picture of 128 pixels: corners and edges are on samples.
static void fill_lattice(dense *d)
{
    for (uint32_t v = 0; v < VERTICES; v++) {
        d->positions[v] = sni_vec3((float)(v % AROUND) / 8 - 15, (float)(v / AROUND) / 8 - 7, 0);
        d->normals[v] = sni_vec3(0, 0, 1);
    }
}

enum { SHEETS = 6, SHEET_ROWS = ALONG / SHEETS };

// Sheets one behind the other, the nearest neither first nor last; each is turned a little more than the one before.
static void fill_sheets(dense *d, float gap, float turn)
{
    for (uint32_t v = 0; v < VERTICES; v++) {
        const uint32_t row = v / AROUND, sheet = row / SHEET_ROWS;
        const float x = (float)(v % AROUND) / AROUND - 0.5f, y = (float)(row % SHEET_ROWS) / SHEET_ROWS - 0.5f;
        const float order = (float)(sheet * 5 % 7);
        d->positions[v] = sni_vec3(2.4f * x, 1.8f * y, gap * order + turn * order * (x + 0.3f * y));
        d->normals[v] = sni_vec3(0, 0, 1);
    }
    for (uint32_t i = 0; i < TRIANGLES; i++) {  // counter-clockwise from the front, and none between two sheets
        uint32_t *corners = d->indices + (size_t)i * 3, last = i / (AROUND * 2) % SHEET_ROWS == SHEET_ROWS - 1;
        const bool wraps = i % (AROUND * 2) >= AROUND * 2 - 2;
        if (last || wraps) corners[1] = corners[2] = corners[0];
    }
}

static sn_layer plain_layer(sn_blend blend, uint32_t flags)
{
    sn_layer layer = { .color = { 0.9f, 0.8f, 0.7f, blend == SN_BLEND_OPAQUE ? 1 : 0.4f },
                       .roughness = 0.5f,
                       .blend = blend };
    layer.flags = (uint8_t)flags;
    for (int i = 0; i < SN_MAP_COUNT; i++) layer.maps[i] = (sn_texture){ .image = -1, .transform.scale = { 1, 1 } };
    return layer;
}

static void make_dense(dense *d, bool is_skinned, bool is_morphed)
{
    uint32_t seed = 1;
    memset(d, 0, sizeof *d);
    fill_surface(d);
    for (uint32_t v = 0; v < VERTICES; v++) {
        float along = d->positions[v].y / 3 + 0.5f;
        d->colors[v] = (sn_vec4){ random_float(&seed, 0, 1), random_float(&seed, 0, 1), random_float(&seed, 0, 1), 1 };
        d->deltas[v] = sni_vec3(0.3f * d->positions[v].z, 0, 0);
        d->vertex_joints[v * 2 + 1] = 1;
        d->vertex_weights[v * 2] = fminf(fmaxf(along, 0), 1);
        d->vertex_weights[v * 2 + 1] = 1 - d->vertex_weights[v * 2];
    }
    d->color_sets[0] = d->colors;
    d->nodes[0] = (sn_node){ .name = "", .parent = -1, .rest = trs_identity };
    d->nodes[1] = (sn_node){
        .name = "", .parent = 0, .rest = trs_turn(sni_vec3(0, 0, 1), 0.4), .flags = is_skinned ? SN_NODE_JOINT : 0
    };
    d->nodes[2] = (sn_node){
        .name = "", .parent = 1, .rest = trs_move(0.3f, 0.5f, 0), .flags = is_skinned ? SN_NODE_JOINT : 0
    };
    d->joints[0] = 1, d->joints[1] = 2;
    d->inverse_bind[0] = d->inverse_bind[1] = mat34_identity;
    d->skin = (sn_skin){ "", d->joints, d->inverse_bind, 2 };
    d->morph = (sn_morph){ .name = "", .positions = d->deltas };
    d->morph_weight = 0.8f;
    d->mesh = (sn_mesh){ .name = "", .vertex_count = VERTICES, .index_count = TRIANGLES * 3 };
    d->mesh.positions = d->positions, d->mesh.normals = d->normals, d->mesh.indices = d->indices;
    d->mesh.colors = d->color_sets, d->mesh.color_count = 1;
    if (is_skinned) {
        d->mesh.influence_count = INFLUENCES;
        d->mesh.vertex_joints = d->vertex_joints, d->mesh.vertex_weights = d->vertex_weights;
    }
    if (is_morphed) d->mesh.morphs = &d->morph, d->mesh.morph_count = 1;
    d->part = (sn_part){ .skin = is_skinned ? 0 : -1, .color = { 1, 1, 1, 1 } };
    if (is_morphed) d->part.morph_weights = &d->morph_weight;
    d->layers[0] = plain_layer(SN_BLEND_OPAQUE, 0);
    d->material = (sn_material){ .name = "", .layers = d->layers, .layer_count = 1 };
    d->model = (sn_model){ .name = "", .format = "test", .lod_count = 1, .default_scene = -1 };
    d->model.nodes = d->nodes, d->model.node_count = 3;
    d->model.meshes = &d->mesh, d->model.mesh_count = 1;
    d->model.parts = &d->part, d->model.part_count = 1;
    d->model.materials = &d->material, d->model.material_count = 1;
    d->model.skins = &d->skin, d->model.skin_count = is_skinned;
}

static sn_frame frame_of(const sn_actor *actor)
{
    static const sn_bounds around = { { -2, -2.2f, -2 }, { 2, 2.2f, 2 }, { 0, 0, 0 }, 3.6f };
    sn_frame frame = { .width = 128,
                       .height = 96,
                       .actors = actor,
                       .actor_count = 1,
                       .background = { 0.1f, 0.2f, 0.3f, 1 },
                       .scene_bounds = around };
    frame.camera = sn_render_camera_fit(&around, 0.7f, 0.3f, 128.0f / 96);
    return frame;
}

// Draws with and without. Returns the share of the indices that was kept, of the last draw. More than 1: nothing was
// culled.
static float compare(sn_renderer *renderer, const sn_frame *frame)
{
    renderer->culled_density = INFINITY;
    sn_pixels all = shoot(renderer, frame);
    renderer->culled_density = 0;
    renderer->kept_count = UINT32_MAX;
    sn_pixels kept = shoot(renderer, frame);
    const size_t size = (size_t)frame->width * frame->height * 4;
    size_t differs = 0;
    bool is_empty = true;
    for (size_t i = 0; i < size; i++) {
        differs += all.rgba[i] != kept.rgba[i];
        is_empty = is_empty && all.rgba[i] == all.rgba[i % 4];
    }
    if (differs > 0) fail_msg("%zu bytes differ", differs);
    assert_false(is_empty);
    sn_pixels_free(&all);
    sn_pixels_free(&kept);
    return (float)renderer->kept_count / (TRIANGLES * 3);
}

static dense d;

static sn_renderer *open_culling(void **state)
{
    (void)state;
    sn_renderer *renderer = open_renderer(false);
    if (renderer->is_es) skip();
    return renderer;
}

// Returns the smallest share that was kept of views that see the model completely. Nothing is culled of one that the
// near plane or a side of the picture cuts.
static float compare_views(sn_renderer *renderer, const sn_actor *actor, uint32_t show)
{
    sn_frame frame = frame_of(actor);
    frame.show = show;
    const sn_render_camera fitted = frame.camera;
    const bool has_shadow = show & SN_SHOW_SHADOW;  // the light sees all of it
    float kept = compare(renderer, &frame);
    frame.camera.fov_y = 0, frame.camera.half_height = 2.3f;
    kept = fminf(kept, compare(renderer, &frame));
    frame.camera.half_height = 0.6f;
    assert_true(compare(renderer, &frame) > 1 || has_shadow);
    frame.camera = fitted;
    frame.camera.near_plane = (float)sni_length(fitted.view.position);  // in the middle of the model
    assert_true(compare(renderer, &frame) > 1 || has_shadow);
    frame.camera.view.position = sni_scale(fitted.view.position, 0.5f);
    frame.camera.near_plane = 0.3f * fitted.near_plane;
    assert_true(compare(renderer, &frame) > 1 || has_shadow);
    return kept;
}

static void compare_model(void **state, uint32_t show, float most_kept)
{
    sn_renderer *renderer = open_culling(state);
    sn_actor actor = make_actor(renderer, &d.model);
    float kept = compare_views(renderer, &actor, show);
    if (!(kept < most_kept)) fail_msg("%g of the triangles are kept", (double)kept);
    free_actor(&actor);
    sn_renderer_free(renderer);
}

static void test_plain(void **state)
{
    make_dense(&d, false, false);
    compare_model(state, 0, 0.4f);
}

static void test_skinned(void **state)
{
    make_dense(&d, true, false);
    compare_model(state, 0, 0.4f);
}

static void test_morphed(void **state)
{
    make_dense(&d, false, true);
    compare_model(state, 0, 0.4f);
    make_dense(&d, true, true);
    compare_model(state, 0, 0.4f);
}

static void test_two_sided(void **state)
{
    make_dense(&d, false, false);
    d.layers[0].flags = SN_LAYER_TWO_SIDED;
    compare_model(state, 0, 0.7f);
}

// Not sorted: too many triangles. Back faces are drawn before front faces.
static void test_blended(void **state)
{
    make_dense(&d, true, false);
    d.layers[0] = plain_layer(SN_BLEND_ALPHA, SN_LAYER_TWO_SIDED);
    compare_model(state, 0, 0.4f);
    d.layers[0] = plain_layer(SN_BLEND_ADD, 0);
    compare_model(state, 0, 0.4f);
}

static void test_layers(void **state)
{
    make_dense(&d, false, false);
    d.layers[1] = plain_layer(SN_BLEND_ADD_ALPHA, SN_LAYER_TWO_SIDED);
    d.material.layer_count = 2;
    compare_model(state, 0, 0.7f);
}

static void test_shadow_and_wireframe(void **state)
{
    make_dense(&d, true, false);
    compare_model(state, SN_SHOW_SHADOW | SN_SHOW_GRID, 0.4f);
    compare_model(state, SN_SHOW_WIREFRAME, 0.4f);
    compare_model(state, SN_SHOW_WEIGHTS | SN_SHOW_NORMALS, 0.4f);
}

static void test_soup(void **state)
{
    make_dense(&d, false, false);
    fill_soup(&d);
    compare_model(state, 0, 0.9f);
    d.layers[0].flags = SN_LAYER_TWO_SIDED;
    compare_model(state, 0, 0.9f);
}

static void test_needles(void **state)
{
    sn_renderer *renderer = open_culling(state);
    make_dense(&d, false, false);
    fill_needles(&d);
    d.layers[0].flags = SN_LAYER_TWO_SIDED;
    sn_actor actor = make_actor(renderer, &d.model);
    for (float yaw = 0; yaw < 1.6f; yaw += 0.3f) {
        const sn_bounds around = { { -1.2f, -1.2f, -0.1f }, { 1.2f, 1.2f, 0.1f }, { 0, 0, 0 }, 1.7f };
        sn_frame frame = frame_of(&actor);
        frame.camera = sn_render_camera_fit(&around, yaw, 0.1f, 128.0f / 96);
        assert_true(compare(renderer, &frame) < 0.9f);
        frame.width = 512, frame.height = 384;
        compare(renderer, &frame);
    }
    free_actor(&actor);
    sn_renderer_free(renderer);
}

static void test_lattice(void **state)
{
    sn_renderer *renderer = open_culling(state);
    make_dense(&d, false, false);
    fill_lattice(&d);
    d.layers[0].flags = SN_LAYER_TWO_SIDED;
    sn_actor actor = make_actor(renderer, &d.model);
    sn_frame frame = frame_of(&actor);
    frame.width = frame.height = 128;
    frame.camera = (sn_render_camera){ .view = { { 0, 0, 100 }, { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } },
                                       .half_height = 64,
                                       .near_plane = 1,
                                       .far_plane = 200 };
    assert_true(compare(renderer, &frame) < 0.9f);
    frame.camera.half_height = 16;  // corners at multiples of half a pixel
    compare(renderer, &frame);
    free_actor(&actor);
    sn_renderer_free(renderer);
}

static sn_frame frame_of_sheets(const sn_actor *actor, float yaw, float pitch)
{
    static const sn_bounds around = { { -1.3f, -1, -1 }, { 1.3f, 1, 1 }, { 0, 0, 0 }, 2 };
    sn_frame frame = frame_of(actor);
    frame.camera = sn_render_camera_fit(&around, yaw, pitch, 128.0f / 96);
    return frame;
}

static void test_hidden_sheets(void **state)
{
    sn_renderer *renderer = open_culling(state);
    make_dense(&d, false, false);
    fill_sheets(&d, 0.1f, 0);
    for (int is_two_sided = 0; is_two_sided < 2; is_two_sided++) {
        d.layers[0].flags = is_two_sided ? SN_LAYER_TWO_SIDED : 0;
        sn_actor actor = make_actor(renderer, &d.model);
        for (float yaw = 0; yaw < 1.5f; yaw += 0.5f) {
            sn_frame frame = frame_of_sheets(&actor, yaw, 0.1f);
            float kept = compare(renderer, &frame);
            if (!(kept < 0.3f)) fail_msg("yaw %g: %g of the triangles are kept", (double)yaw, (double)kept);
        }
        free_actor(&actor);
    }
    sn_renderer_free(renderer);
}

// The sheets are parallel to the picture: at each sample all have nearly the same depth.
static void test_close_sheets(void **state)
{
    sn_renderer *renderer = open_culling(state);
    make_dense(&d, false, false);
    for (float gap = 1e-8f; gap < 1e-4f; gap *= 3) {
        const float yaw = 0.7f + 1e4f * gap, pitch = 0.4f;
        const sn_view view = sni_view_from(yaw, pitch);
        fill_sheets(&d, gap, 0);
        for (uint32_t v = 0; v < VERTICES; v++) {
            const sn_vec3 at = d.positions[v];
            d.positions[v] = sni_add(sni_scale(view.right, at.x),
                                     sni_add(sni_scale(view.up, at.y), sni_scale(view.back, at.z)));
        }
        sn_actor actor = make_actor(renderer, &d.model);
        sn_frame frame = frame_of_sheets(&actor, yaw, pitch);
        compare(renderer, &frame);
        frame.camera.near_plane *= 0.1f;
        compare(renderer, &frame);
        free_actor(&actor);
    }
    sn_renderer_free(renderer);
}

// Sheets that cross each other: at some samples they have nearly the same depth.
static void test_crossing_sheets(void **state)
{
    sn_renderer *renderer = open_culling(state);
    make_dense(&d, false, false);
    d.layers[0].flags = SN_LAYER_TWO_SIDED;
    for (float turn = 1e-6f; turn < 1; turn *= 100) {
        fill_sheets(&d, 0, turn);
        sn_actor actor = make_actor(renderer, &d.model);
        for (float yaw = 0; yaw < 1.6f; yaw += 0.5f) {
            sn_frame frame = frame_of_sheets(&actor, yaw, 0.1f);
            compare(renderer, &frame);
            frame.camera.near_plane *= 0.01f;  // depths are near 1
            compare(renderer, &frame);
        }
        free_actor(&actor);
    }
    sn_renderer_free(renderer);
}

// What is transparent, has holes or leaves no depth hides nothing; nor do surfaces that a wireframe moves back.
static void test_what_hides_nothing(void **state)
{
    sn_renderer *renderer = open_culling(state);
    for (int i = 0; i < 5; i++) {
        uint32_t seed = 3;
        make_dense(&d, false, false);
        fill_sheets(&d, 0.1f, 0);
        if (i == 0) d.layers[0].alpha_cutoff = 0.5f;
        if (i == 1) d.layers[0].flags = SN_LAYER_NO_DEPTH_WRITE;
        if (i == 2) d.layers[0].flags = SN_LAYER_NO_DEPTH_TEST;
        if (i == 3) d.layers[0] = plain_layer(SN_BLEND_ALPHA, 0);
        for (uint32_t v = 0; v < VERTICES; v++) d.colors[v].w = random_float(&seed, 0, 1);
        sn_actor actor = make_actor(renderer, &d.model);
        sn_frame frame = frame_of_sheets(&actor, 0, 0.1f);
        frame.show = i == 4 ? SN_SHOW_WIREFRAME : 0;
        float kept = compare(renderer, &frame);
        if (!(kept > 0.7f)) fail_msg("case %d: %g of the triangles are kept", i, (double)kept);
        free_actor(&actor);
    }
    sn_renderer_free(renderer);
}

// The same drawable at two places, one of them mirrored; far from the origin floats are coarse.
static void test_transforms(void **state)
{
    sn_renderer *renderer = open_culling(state);
    make_dense(&d, true, false);
    sn_actor actor = make_actor(renderer, &d.model);
    sn_mat34 places[2] = { mat34_move(-0.4f, 0, 0), mat34_move(0.5f, 0.2f, 0) };
    places[1].m[0][0] = -1;
    const sn_actor actors[2] = { { actor.drawable, actor.pose, &places[0] },
                                 { actor.drawable, actor.pose, &places[1] } };
    sn_frame frame = frame_of(actors);
    frame.actor_count = 2;
    assert_true(compare(renderer, &frame) < 0.4f);
    for (int i = 0; i < 4; i++) {
        const float far = (float)(1 << (4 * i));
        sn_vec3 by = { far, -far, 0.5f * far };
        sn_frame moved = frame;
        for (int k = 0; k < 2; k++) places[k].m[0][3] += by.x, places[k].m[1][3] += by.y, places[k].m[2][3] += by.z;
        moved.camera.view.position = sni_add(frame.camera.view.position, by);
        compare(renderer, &moved);
        for (int k = 0; k < 2; k++) places[k].m[0][3] -= by.x, places[k].m[1][3] -= by.y, places[k].m[2][3] -= by.z;
    }
    free_actor(&actor);
    sn_renderer_free(renderer);
}

// Triangles are culled for each frame: nothing is left of the frame before.
static void test_frames(void **state)
{
    sn_renderer *renderer = open_culling(state);
    make_dense(&d, true, false);
    sn_actor actor = make_actor(renderer, &d.model);
    sn_frame frame = frame_of(&actor);
    for (int i = 0; i < 6; i++) {
        sn_pose *pose = (sn_pose *)(uintptr_t)actor.pose;
        sn_pose_set_local(pose, 1, trs_turn(sni_vec3(1, 0, 0), 0.3 * i));
        sn_pose_solve(pose, NULL);
        compare(renderer, &frame);
    }
    free_actor(&actor);
    sn_renderer_free(renderer);
}

// The golden pictures' models with all views: few triangles, textures, many parts.
static void test_samples(void **state)
{
    static const char *const names[] = { "arm.glb", "crane.gltf", "golem.mdx", "hound.mdx", "house.w3d", "tank.w3d" };
    sn_renderer *renderer = open_culling(state);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        sn_model *model = load_sample(names[i]);
        sn_actor actor = make_actor(renderer, model);
        sn_bounds bounds = sn_pose_bounds(actor.pose);
        sn_frame frame = frame_of(&actor);
        frame.scene_bounds = bounds;
        for (int k = 0; k < 4; k++) {
            frame.camera = sn_render_camera_fit(&bounds, 1.6f * (float)k, 0.3f, 128.0f / 96);
            frame.show = k == 2 ? SN_SHOW_SHADOW : 0;
            compare(renderer, &frame);
        }
        free_actor(&actor);
        sn_model_free(model);
    }
    sn_renderer_free(renderer);
}

// Ordinary models are drawn as they are.
static void test_only_dense_meshes(void **state)
{
    sn_renderer *renderer = open_culling(state);
    if (!strstr(sn_renderer_name(renderer), "llvmpipe")) skip();
    make_dense(&d, false, false);
    sn_actor actor = make_actor(renderer, &d.model);
    sn_frame frame = frame_of(&actor);
    sn_pixels pixels = shoot(renderer, &frame);
    assert_int_not_equal(renderer->kept_count, 0);
    sn_pixels_free(&pixels);
    renderer->kept_count = 0;
    frame.width = frame.height = 1024;
    pixels = shoot(renderer, &frame);
    assert_int_equal(renderer->kept_count, 0);
    sn_pixels_free(&pixels);
    free_actor(&actor);
    sn_renderer_free(renderer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_skinned),
        cmocka_unit_test(test_morphed),
        cmocka_unit_test(test_two_sided),
        cmocka_unit_test(test_blended),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_soup),
        cmocka_unit_test(test_shadow_and_wireframe),
        cmocka_unit_test(test_needles),
        cmocka_unit_test(test_lattice),
        cmocka_unit_test(test_hidden_sheets),
        cmocka_unit_test(test_close_sheets),
        cmocka_unit_test(test_crossing_sheets),
        cmocka_unit_test(test_what_hides_nothing),
        cmocka_unit_test(test_transforms),
        cmocka_unit_test(test_frames),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_only_dense_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
