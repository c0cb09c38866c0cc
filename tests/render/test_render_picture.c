// Pixels of small scenes: blending, draw order, shadows, framing, culling, text, lights.
#include "hand_models.h"
#include "shoot.h"

#include "base/color.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

// Squares of 2 x 2 around their nodes, facing +Z, one material each.
enum { SQUARES = 4 };

typedef struct squares {
    sn_node nodes[SQUARES];
    sn_part parts[SQUARES];
    sn_material materials[SQUARES];
    sn_layer layers[SQUARES][2];
    sn_mesh mesh;
    sn_model model;
} squares;

static const sn_vec3 square[4] = { { -1, -1, 0 }, { 1, -1, 0 }, { 1, 1, 0 }, { -1, 1, 0 } };
static const sn_vec3 square_normals[4] = { { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 } };
static const uint32_t square_indices[6] = { 0, 1, 2, 0, 2, 3 };

static sn_layer unlit(sn_blend blend, float r, float g, float b, float a)
{
    sn_layer layer = { .color = { r, g, b, a }, .roughness = 1, .blend = blend, .flags = SN_LAYER_UNLIT };
    for (int i = 0; i < SN_MAP_COUNT; i++) layer.maps[i] = (sn_texture){ .image = -1, .transform.scale = { 1, 1 } };
    return layer;
}

static void make_squares(squares *s, uint32_t count)
{
    *s = (squares){ 0 };
    for (uint32_t i = 0; i < count; i++) {
        s->nodes[i] = (sn_node){ .name = "", .parent = -1, .rest = trs_identity };
        s->parts[i] = (sn_part){ .node = (int32_t)i, .skin = -1, .material = (int32_t)i, .color = { 1, 1, 1, 1 } };
        s->layers[i][0] = unlit(SN_BLEND_OPAQUE, 1, 1, 1, 1);
        s->materials[i] = (sn_material){ .name = "", .layers = s->layers[i], .layer_count = 1 };
    }
    s->mesh = (sn_mesh){ .name = "",
                         .vertex_count = 4,
                         .index_count = 6,
                         .positions = square,
                         .normals = square_normals,
                         .indices = square_indices };
    s->model = (sn_model){ .name = "",
                           .format = "test",
                           .lod_count = 1,
                           .default_scene = -1,
                           .nodes = s->nodes,
                           .node_count = count,
                           .meshes = &s->mesh,
                           .mesh_count = 1,
                           .parts = s->parts,
                           .part_count = count,
                           .materials = s->materials,
                           .material_count = count };
}

static sn_frame frame_of(const sn_actor *actor, float yaw, float pitch)
{
    static const sn_bounds around = { { -2, -2, -2 }, { 2, 2, 2 }, { 0, 0, 0 }, 3.5f };
    sn_frame frame = { .width = 64,
                       .height = 64,
                       .actors = actor,
                       .actor_count = 1,
                       .background = { 0, 0, 0, 1 },
                       .scene_bounds = around };
    frame.camera = sn_render_camera_fit_parallel(&around, yaw, pitch, 1);
    return frame;
}

static sn_pixels shoot_squares(sn_renderer *renderer, const squares *s, float yaw, sn_vec4 background)
{
    sn_actor actor = make_actor(renderer, &s->model);
    sn_frame frame = frame_of(&actor, yaw, 0);
    frame.background = background;
    sn_pixels pixels = shoot(renderer, &frame);
    free_actor(&actor);
    return pixels;
}

static const sn_vec4 black = { 0, 0, 0, 1 }, grey = { 0.4f, 0.4f, 0.4f, 1 }, none = { 0, 0, 0, 0 };

// sRGB 0.5 is 0.2140 in linear light: unlit colours are unchanged.
static void test_unlit_colours_are_exact(void **state)
{
    (void)state;
    sn_renderer *renderer = open_renderer(false);
    squares s;
    make_squares(&s, 1);
    s.layers[0][0] = unlit(SN_BLEND_OPAQUE, 0.21404f, 1, 0.0021f, 1);
    sn_pixels pixels = shoot_squares(renderer, &s, 0, black);
    assert_pixel(&pixels, 32, 32, 128, 255, 7, 255);
    assert_pixel(&pixels, 2, 2, 0, 0, 0, 255);
    sn_pixels_free(&pixels);
    sn_renderer_free(renderer);
}

// Layers are blended in sRGB, as in the games. The first layer is grey 102.
static void test_blend_modes(void **state)
{
    (void)state;
    const struct {
        sn_blend blend;
        float alpha;
        int expected;
    } cases[] = {
        { SN_BLEND_OPAQUE, 0.5f, 128 }, { SN_BLEND_ALPHA, 0.5f, (102 + 128) / 2 },
        { SN_BLEND_ADD, 1, 230 },       { SN_BLEND_ADD_ALPHA, 0.5f, 166 },
        { SN_BLEND_MODULATE, 1, 51 },   { SN_BLEND_MODULATE_2X, 1, 102 },
        { SN_BLEND_SCREEN, 1, 179 },    { SN_BLEND_SUBTRACT, 1, 0 },
    };
    sn_renderer *renderer = open_renderer(false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        squares s;
        make_squares(&s, 1);
        s.layers[0][0] = unlit(SN_BLEND_OPAQUE, 0.13287f, 0.13287f, 0.13287f, 1);
        s.layers[0][1] = unlit(cases[i].blend, 0.21404f, 0.21404f, 0.21404f, cases[i].alpha);
        s.materials[0].layer_count = 2;
        sn_pixels pixels = shoot_squares(renderer, &s, 0, black);
        int v = cases[i].expected;
        print_message("blend %d\n", cases[i].blend);
        assert_pixel(&pixels, 32, 32, v, v, v, 255);
        sn_pixels_free(&pixels);
    }
    sn_renderer_free(renderer);
}

static void test_transparent_background_is_not_premultiplied(void **state)
{
    (void)state;
    sn_renderer *renderer = open_renderer(false);
    squares s;
    make_squares(&s, 1);
    s.layers[0][0] = unlit(SN_BLEND_ALPHA, 1, 0.21404f, 0, 0.6f);
    sn_pixels pixels = shoot_squares(renderer, &s, 0, none);
    assert_pixel(&pixels, 32, 32, 255, 128, 0, 153);
    assert_pixel(&pixels, 2, 2, 0, 0, 0, 0);
    sn_pixels_free(&pixels);
    sn_renderer_free(renderer);
}

// Red is in front of green; seen from behind, green is in front. Both are two-sided.
static void test_transparent_parts_are_drawn_back_to_front(void **state)
{
    (void)state;
    sn_renderer *renderer = open_renderer(false);
    squares s;
    make_squares(&s, 2);
    s.layers[0][0] = unlit(SN_BLEND_ALPHA, 1, 0, 0, 0.5f);
    s.layers[1][0] = unlit(SN_BLEND_ALPHA, 0, 1, 0, 0.5f);
    for (int i = 0; i < 2; i++) s.layers[i][0].flags |= SN_LAYER_TWO_SIDED;
    s.nodes[0].rest.translation.z = 1;
    sn_pixels front = shoot_squares(renderer, &s, 0, black), back = shoot_squares(renderer, &s, (float)PI, black);
    assert_pixel(&front, 32, 32, 128, 64, 0, 255);
    assert_pixel(&back, 32, 32, 64, 128, 0, 255);
    sn_pixels_free(&front);
    sn_pixels_free(&back);
    sn_renderer_free(renderer);
}

// One part of two half-transparent squares, the far one red, the near one green, in either order in the mesh. Seen from
// the front and from behind, rotated by the pose or by the actor's transform.
static void test_transparent_triangles_are_drawn_back_to_front(void **state)
{
    (void)state;
    static const sn_vec3 corners[8] = { { -1, -1, 1 },  { 1, -1, 1 },  { 1, 1, 1 },  { -1, 1, 1 },
                                        { -1, -1, -1 }, { 1, -1, -1 }, { 1, 1, -1 }, { -1, 1, -1 } };
    static const sn_vec4 green_red[8] = { { 0, 1, 0, 1 }, { 0, 1, 0, 1 }, { 0, 1, 0, 1 }, { 0, 1, 0, 1 },
                                          { 1, 0, 0, 1 }, { 1, 0, 0, 1 }, { 1, 0, 0, 1 }, { 1, 0, 0, 1 } };
    static const uint32_t indices[12] = { 0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7 };
    static const sn_vec4 *const colors[1] = { green_red };
    sn_renderer *renderer = open_renderer(false);
    squares s;
    make_squares(&s, 1);
    s.layers[0][0] = unlit(SN_BLEND_ALPHA, 1, 1, 1, 0.5f);
    s.layers[0][0].flags |= SN_LAYER_TWO_SIDED;
    s.mesh = (sn_mesh){ .name = "",
                        .vertex_count = 8,
                        .index_count = 12,
                        .positions = corners,
                        .indices = indices,
                        .colors = colors,
                        .color_count = 1 };
    sn_mat34 turned = { { { -1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, -1, 0 } } };
    for (int by_pose = 0; by_pose < 2; by_pose++)
        for (int by_transform = 0; by_transform < 2; by_transform++) {
            s.nodes[0].rest = by_pose ? trs_turn((sn_vec3){ 0, 1, 0 }, PI) : trs_identity;
            sn_actor actor = make_actor(renderer, &s.model);
            if (by_transform) actor.transform = &turned;
            sn_frame frame = frame_of(&actor, 0, 0);
            sn_pixels pixels = shoot(renderer, &frame);
            if (by_pose == by_transform) assert_pixel(&pixels, 32, 32, 64, 128, 0, 255);
            else assert_pixel(&pixels, 32, 32, 128, 64, 0, 255);
            sn_pixels_free(&pixels);
            free_actor(&actor);
        }
    sn_renderer_free(renderer);
}

static void test_back_faces_are_culled_unless_two_sided(void **state)
{
    (void)state;
    sn_renderer *renderer = open_renderer(false);
    squares s;
    make_squares(&s, 2);
    s.layers[1][0].flags |= SN_LAYER_TWO_SIDED;
    s.nodes[1].rest.translation.x = 1.8f;
    sn_pixels pixels = shoot_squares(renderer, &s, (float)PI, grey);
    assert_pixel(&pixels, 38, 32, 102, 102, 102, 255);  // the back of the first
    assert_pixel(&pixels, 12, 32, 255, 255, 255, 255);
    sn_pixels_free(&pixels);
    s.nodes[0].rest.scale.x = -1;  // mirroring does not swap front and back
    pixels = shoot_squares(renderer, &s, 0, grey);
    assert_pixel(&pixels, 28, 32, 255, 255, 255, 255);
    sn_pixels_free(&pixels);
    sn_renderer_free(renderer);
}

static sn_vec2 pixel_of(const sn_frame *frame, sn_vec3 world)
{
    sni_mat44 clip = sni_camera_clip(&frame->camera, 1);
    sn_vec4 at = sni_mat44_point(&clip, world);
    return (sn_vec2){ (at.x / at.w * 0.5f + 0.5f) * (float)frame->width,
                      (0.5f - at.y / at.w * 0.5f) * (float)frame->height };
}

// The shadow of a point on the ground.
static sn_vec3 shadow_of(sn_vec3 point, float ground, sn_vec3 key)
{
    float steps = (point.y - ground) / key.y;
    return (sn_vec3){ point.x - key.x * steps, ground, point.z - key.z * steps };
}

static int darkness_at(const sn_pixels *pixels, sn_vec2 at) { return 255 - pixel_at(pixels, (int)at.x, (int)at.y).r; }

// A small horizontal square at the end of a chain of rotated, moved and scaled nodes. Its shadow is at its world
// position. Seen from above, on white.
static void expect_shadow(const sn_model *model, sn_vec3 where, sn_vec3 where_not)
{
    sn_renderer *renderer = open_renderer(false);
    sn_actor actor = make_actor(renderer, model);
    static const sn_bounds stage = { { -4, 0, -4 }, { 4, 4, 4 }, { 0, 2, 0 }, 6 };
    sn_frame frame = { .width = 128,
                       .height = 128,
                       .actors = &actor,
                       .actor_count = 1,
                       .background = { 1, 1, 1, 1 },
                       .scene_bounds = stage,
                       .show = SN_SHOW_SHADOW,
                       .camera = sn_render_camera_fit_parallel(&stage, 0, (float)PI / 2, 1) };
    sn_vec3 key = sni_key_light(&frame.camera.view);
    sn_pixels pixels = shoot(renderer, &frame);
    sn_vec2 dark = pixel_of(&frame, shadow_of(where, 0, key)), light = pixel_of(&frame, shadow_of(where_not, 0, key));
    assert_true(hypotf(dark.x - light.x, dark.y - light.y) > 12);
    if (darkness_at(&pixels, dark) < 40) fail_msg("no shadow at %g,%g", dark.x, dark.y);
    if (darkness_at(&pixels, light) > 4) fail_msg("a shadow at %g,%g", light.x, light.y);
    sn_pixels_free(&pixels);
    free_actor(&actor);
    sn_renderer_free(renderer);
}

static void test_shadow_follows_the_hierarchy(void **state)
{
    (void)state;
    squares s;
    make_squares(&s, 2);
    s.nodes[0].rest = trs_turn((sn_vec3){ 0, 1, 0 }, PI / 2);  // x becomes -z
    s.nodes[0].rest.translation = (sn_vec3){ 1, 2, 0 };
    s.nodes[1].parent = 0;
    s.nodes[1].rest = trs_turn((sn_vec3){ 1, 0, 0 }, -PI / 2);  // the square faces up
    s.nodes[1].rest.translation = (sn_vec3){ 2, 0, 0 };
    s.nodes[1].rest.scale = (sn_vec3){ 0.4f, 0.4f, 0.4f };
    s.parts[0].is_hidden = true;
    s.model.parts = &s.parts[1];
    s.model.part_count = 1;
    expect_shadow(&s.model, (sn_vec3){ 1, 2, -2 }, (sn_vec3){ 2, 2, 0 });
}

static void test_shadow_follows_the_joints(void **state)
{
    (void)state;
    squares s;
    static const uint16_t joints[4] = { 0, 0, 0, 0 };
    static const float weights[4] = { 1, 1, 1, 1 };
    static const int32_t nodes[1] = { 1 };
    static const sn_mat34 inverse_bind[1] = {
        { { { 0.4f, 0, 0, 0 }, { 0, 0, 0.4f, 0 }, { 0, -0.4f, 0, 0 } } }
    };  // small, facing up
    sn_skin skin = { "", nodes, inverse_bind, 1 };
    make_squares(&s, 2);
    s.nodes[1].rest = trs_move(-1, 2.5f, 1);
    s.nodes[1].flags = SN_NODE_JOINT;
    s.mesh.influence_count = 1, s.mesh.vertex_joints = joints, s.mesh.vertex_weights = weights;
    s.parts[0].skin = 0;
    s.model.part_count = 1, s.model.skins = &skin, s.model.skin_count = 1;
    expect_shadow(&s.model, (sn_vec3){ -1, 2.5f, 1 }, (sn_vec3){ 1, 2.5f, 1 });
}

typedef struct extent {
    int left, right, top, bottom;
} extent;

static extent extent_of(const sn_pixels *pixels)
{
    extent e = { (int)pixels->width, -1, (int)pixels->height, -1 };
    for (int y = 0; y < (int)pixels->height; y++)
        for (int x = 0; x < (int)pixels->width; x++) {
            if (pixel_at(pixels, x, y).a == 0) continue;
            e.left = x < e.left ? x : e.left, e.right = x > e.right ? x : e.right;
            e.top = y < e.top ? y : e.top, e.bottom = y > e.bottom ? y : e.bottom;
        }
    return e;
}

// A mesh of 100 units below a node with scale 0.01, and an animated child: the framing follows the posed vertices, not
// the mesh or the rest pose.
static void test_framing_follows_scale_and_animation(void **state)
{
    (void)state;
    sn_renderer *renderer = open_renderer(false);
    squares s;
    static const float times[2] = { 0, 1 }, moves[6] = { 0, 0, 0, 0, 700, 0 };
    sn_track track = { .target_kind = SN_TARGET_NODE,
                       .channel = SN_CHANNEL_TRANSLATION,
                       .interpolation = SN_LINEAR,
                       .target = 1,
                       .key_count = 2,
                       .width = 3,
                       .times = times,
                       .values = moves };
    sn_clip clip = { .name = "", .duration = 1, .tracks = &track, .track_count = 1 };
    make_squares(&s, 2);
    s.nodes[0].rest = trs_stretch(0.01f, 0.01f, 0.01f);
    s.nodes[1].parent = 0;
    s.nodes[1].rest.scale = (sn_vec3){ 100, 100, 100 };
    s.model.parts = &s.parts[1], s.model.part_count = 1, s.model.clips = &clip, s.model.clip_count = 1;
    sn_actor actor = make_actor(renderer, &s.model);
    sn_framing framing = sn_framing_begin(0, 0, 1);
    for (int i = 0; i <= 4; i++) {
        pose_actor(&actor, 0, 0.25f * (float)i, NULL);
        assert_int_equal(sn_framing_add_pose(&framing, actor.pose, &s.model, NULL), SN_OK);
    }
    assert_vec3(framing.min, -1, -1, 0);
    assert_vec3(framing.max, 1, 8, 0);
    sn_frame frame = {
        .width = 90, .height = 90, .actors = &actor, .actor_count = 1, .camera = sn_framing_end(&framing)
    };
    sn_pixels last = shoot(renderer, &frame);
    pose_actor(&actor, 0, 0, NULL);
    sn_pixels first = shoot(renderer, &frame);
    extent low = extent_of(&first), high = extent_of(&last);
    assert_in_range(high.top, 1, 5);  // the margin is 6 % of 90 pixels, half of it on each side
    assert_in_range(low.bottom, 84, 88);
    assert_in_range(high.bottom - high.top, 16, 21);  // 2 of 9 units
    sn_bounds bounds;
    assert_int_equal(sn_model_bounds(&s.model, 0, NULL, &bounds), SN_OK);
    frame.camera = sn_render_camera_fit(&bounds, 0, 0, 1);
    sn_pixels again = shoot(renderer, &frame);
    assert_in_range(extent_of(&again).bottom, 84, 88);
    sn_pixels_free(&first), sn_pixels_free(&last), sn_pixels_free(&again);
    free_actor(&actor);
    sn_renderer_free(renderer);
}

static bool has_vertex_inside(const sn_actor *actor, int32_t part, const sni_mat44 *clip)
{
    const sn_model *model = actor->drawable->model;
    uint32_t count = model->meshes[model->parts[part].mesh].vertex_count;
    sn_vec3 *positions = calloc(count, sizeof *positions);
    bool is_inside = false;
    sn_skin_part(actor->pose, part, positions, NULL, NULL);
    for (uint32_t i = 0; i < count && !is_inside; i++) {
        sn_vec4 p = sni_mat44_point(clip, positions[i]);
        is_inside = fabsf(p.x) < p.w && fabsf(p.y) < p.w && fabsf(p.z) < p.w;
    }
    free(positions);
    return is_inside;
}

// Culling never removes a part with a vertex in the picture, near or far, in any pose.
static void test_visible_parts_are_never_culled(void **state)
{
    (void)state;
    static const char *const names[] = { "hound.mdx", "tank.w3d", "crane.gltf", "face.glb" };
    sn_renderer *renderer = open_renderer(false);
    uint32_t seen = 0, left_out = 0;
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        sn_model *model = load_sample(names[n]);
        sn_actor actor = make_actor(renderer, model);
        for (int i = 0; i < 60; i++) {
            pose_actor(&actor, 0, 0.11f * (float)i, NULL);
            sn_bounds bounds = sn_pose_bounds(actor.pose);
            sn_render_camera camera = sn_render_camera_fit(&bounds, 0.7f * (float)i, 0.3f * sinf((float)i), 1);
            camera.fov_y = 0.06f + 0.01f * (float)(i % 20);  // close-ups: many parts are outside
            camera.view.position = sni_add(camera.view.position,
                                           sni_scale(camera.view.right, bounds.radius * 0.3f * cosf(2.3f * (float)i)));
            sni_mat44 clip = sni_camera_clip(&camera, 1);
            for (int32_t part = 0; part < (int32_t)model->part_count; part++) {
                bool is_seen = sni_sphere_is_visible(&clip, sni_part_sphere(&actor, part));
                if (!is_seen && has_vertex_inside(&actor, part, &clip))
                    fail_msg("%s part %d is left out", names[n], part);
                seen += is_seen, left_out += !is_seen;
            }
        }
        free_actor(&actor);
        sn_model_free(model);
    }
    assert_true(seen > 100 && left_out > 100);
    sn_renderer_free(renderer);
}

// OpenGL ES draws the same picture except for rounding.
static void test_opengl_es_draws_the_same(void **state)
{
    (void)state;
    sn_pixels pixels[2];
    sn_model *model = load_sample("golem.mdx");
    for (int es = 0; es < 2; es++) {
        sn_renderer *renderer = open_renderer(es);
        sn_actor actor = make_actor(renderer, model);
        sn_bounds bounds = sn_pose_bounds(actor.pose);
        sn_label label = { .text = "golem", .x = 4, .y = 12, .size = 7, .color = { 1, 1, 1, 1 } };
        sn_frame frame = { .width = 96,
                           .height = 96,
                           .actors = &actor,
                           .actor_count = 1,
                           .background = { 0.2f, 0.2f, 0.2f, 1 },
                           .scene_bounds = bounds,
                           .camera = sn_render_camera_fit(&bounds, 0.6f, 0.3f, 1),
                           .labels = &label,
                           .label_count = 1,
                           .show = SN_SHOW_SHADOW | SN_SHOW_GRID | SN_SHOW_SKELETON | SN_SHOW_NAMES |
                                   SN_SHOW_WIREFRAME | SN_SHOW_NORMALS };
        pixels[es] = shoot(renderer, &frame);
        free_actor(&actor);
        sn_renderer_free(renderer);
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < 96 * 96 * 4; i++) sum += (uint64_t)abs(pixels[0].rgba[i] - pixels[1].rgba[i]);
    assert_true(sum < 96 * 96 * 4 / 4);
    sn_pixels_free(&pixels[0]), sn_pixels_free(&pixels[1]);
    sn_model_free(model);
}

static bool is_stopped(void *user) { return *(const bool *)user; }

// A large frame that can be cancelled is drawn in pieces, and looks the same.
static void test_frames_can_be_cancelled(void **state)
{
    (void)state;
    sn_model *model = load_sample("golem.mdx");
    sn_renderer *renderer = open_renderer(false);
    sn_actor actor = make_actor(renderer, model);
    sn_bounds bounds = sn_pose_bounds(actor.pose);
    bool stops = true;
    sn_error error;
    sn_frame frame = { .width = 1536,
                       .height = 1536,
                       .actors = &actor,
                       .actor_count = 1,
                       .camera = sn_render_camera_fit(&bounds, 0.6f, 0.3f, 1),
                       .show = SN_SHOW_SHADOW | SN_SHOW_WIREFRAME };
    sn_pixels whole = shoot(renderer, &frame);
    frame.cancelled = is_stopped, frame.user = &stops;
    assert_int_equal(sn_render_draw(renderer, &frame, &error), SN_ERR_CANCELLED);
    stops = false;
    sn_pixels pieces = shoot(renderer, &frame);
    assert_memory_equal(pieces.rgba, whole.rgba, (size_t)4 * frame.width * frame.height);
    sn_pixels_free(&whole), sn_pixels_free(&pieces);
    free_actor(&actor);
    sn_renderer_free(renderer);
    sn_model_free(model);
}

static void test_errors_are_reported(void **state)
{
    (void)state;
    sn_renderer *renderer = open_renderer(false);
    sn_error error;
    sn_pixels pixels;
    sn_frame frame = { .width = 1u << 20, .height = 4 };
    assert_int_equal(sn_render_read(renderer, &pixels, &error), SN_ERR_UNSUPPORTED);
    assert_null(pixels.rgba);
    assert_int_equal(sn_render_draw(renderer, &frame, &error), SN_ERR_LIMIT);
    assert_non_null(strstr(error.message, "1048576 x 4"));
    frame.width = 4;
    assert_int_equal(sn_render_draw(renderer, &frame, NULL), SN_OK);  // an empty scene is not an error
    sn_renderer_free(renderer);
}

// Rectangles cover the models in order, with alpha.
static void test_rectangles(void **state)
{
    squares s;
    make_squares(&s, 1);
    (void)state;
    sn_renderer *renderer = open_renderer(false);
    sn_actor actor = make_actor(renderer, &s.model);
    sn_frame frame = frame_of(&actor, 0, 0);
    const sn_rect rects[] = { { 0, 0, 48, 32, { 1, 0, 0, 1 }, NULL }, { 16, 16, 32, 8, { 0, 0, 1, 0.5f }, NULL } };
    frame.rects = rects;
    frame.rect_count = 2;
    sn_pixels pixels = shoot(renderer, &frame);
    assert_pixel(&pixels, 2, 2, 255, 0, 0, 255);
    assert_pixel(&pixels, 20, 20, 127, 0, 128, 255);
    assert_pixel(&pixels, 47, 31, 255, 0, 0, 255);
    assert_pixel(&pixels, 48, 2, 0, 0, 0, 255);
    assert_pixel(&pixels, 32, 34, 255, 255, 255, 255);
    sn_pixels_free(&pixels);
    free_actor(&actor);
    sn_renderer_free(renderer);
}

// Four texels over 32 x 32 pixels: sharp squares. The last is half transparent, over a white rectangle and under a
// later one. Half as large as its image it is the average of four texels, in linear light.
static void test_rectangles_show_images(void **state)
{
    (void)state;
    static uint8_t texels[16] = { 255, 0, 0, 255, 0, 255, 0, 255, 0, 0, 255, 255, 0, 0, 0, 128 };
    static uint8_t checks[16] = { 255, 255, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255, 255 };
    for (int es = 0; es < 2; es++) {
        sn_renderer *renderer = open_renderer(es);
        sn_error error;
        sn_render_image *image = sn_render_image_create(renderer, &(sn_pixels){ 2, 2, texels, { 0 } }, &error),
                        *small = sn_render_image_create(renderer, &(sn_pixels){ 2, 2, checks, { 0 } }, &error);
        assert_true(image && small);
        assert_null(sn_render_image_create(renderer, &(sn_pixels){ 0, 0, texels, { 0 } }, &error));
        assert_int_equal(error.status, SN_ERR_INVALID);
        const sn_rect rects[] = { { 8, 8, 32, 32, { 1, 1, 1, 1 }, NULL },
                                  { 8, 8, 32, 32, { 1, 1, 1, 1 }, image },
                                  { 36, 36, 2, 2, { 0, 1, 1, 1 }, NULL },
                                  { 48, 8, 8, 8, { 0.5f, 1, 1, 1 }, image },
                                  { 50, 50, 1, 1, { 1, 1, 1, 1 }, small } };
        const sn_frame frame = { .width = 64,
                                 .height = 64,
                                 .background = { 0, 0, 0, 1 },
                                 .rects = rects,
                                 .rect_count = sizeof rects / sizeof *rects };
        sn_pixels pixels = shoot(renderer, &frame);
        assert_pixel(&pixels, 23, 23, 255, 0, 0, 255);
        assert_pixel(&pixels, 24, 9, 0, 255, 0, 255);
        assert_pixel(&pixels, 9, 24, 0, 0, 255, 255);
        assert_pixel(&pixels, 30, 30, 127, 127, 127, 255);
        assert_pixel(&pixels, 36, 37, 0, 255, 255, 255);
        assert_pixel(&pixels, 50, 10, 128, 0, 0, 255);
        assert_pixel(&pixels, 50, 50, 188, 188, 188, 255);
        assert_pixel(&pixels, 44, 24, 0, 0, 0, 255);
        sn_pixels_free(&pixels);
        sn_render_image_free(image);
        sn_render_image_free(small);
        sn_renderer_free(renderer);
    }
}

static void test_labels_have_width(void **state)
{
    (void)state;
    assert_near(sn_label_width(NULL, "", 6), 0);
    assert_near(sn_label_width(NULL, "I", 6), 0);  // a single stroke
    assert_near(sn_label_width(NULL, "H", 6), 4);
    assert_near(sn_label_width(NULL, "HH", 12), 2 * (4 + 2 + 4));
    assert_near(sn_label_width(NULL, "\xc3\xa9", 6), 3);  // a box
}

// A white name on white is readable because of its background; in a picture of twice 1200 pixels it is twice as high. A
// name that does not fit is omitted.
static void test_names_are_readable_on_any_background(void **state)
{
    (void)state;
    static const sn_bounds around = { { -2, -2, -2 }, { 2, 2, 2 }, { 0, 0, 0 }, 3.5f };
    sn_node nodes[2] = { { .name = "IIII", .parent = -1, .rest = trs_identity },
                         { .name = "low", .parent = -1, .rest = trs_move(0, -3, 0) } };
    sn_model model = {
        .name = "", .format = "test", .lod_count = 1, .default_scene = -1, .nodes = nodes, .node_count = 2
    };
    sn_renderer *renderer = open_renderer(false);
    sn_actor actor = make_actor(renderer, &model);
    extent found[2];
    for (uint32_t i = 0; i < 2; i++) {
        sn_frame frame = { .width = i ? 2400 : 100,
                           .height = i ? 2400 : 100,
                           .background = { 1, 1, 1, 1 },
                           .actors = &actor,
                           .actor_count = 1,
                           .scene_bounds = around,
                           .camera = sn_render_camera_fit_parallel(&around, 0, 0, 1),
                           .show = SN_SHOW_NAMES };
        sn_pixels pixels = shoot(renderer, &frame);
        uint32_t light = 0;
        for (size_t k = 0; k < (size_t)pixels.width * pixels.height; k++) {
            bool is_plate = pixels.rgba[k * 4] < 160;
            light += !is_plate;
            pixels.rgba[k * 4 + 3] = is_plate ? 255 : 0;
        }
        found[i] = extent_of(&pixels);
        assert_true(found[i].right > found[i].left);
        int inside = (found[i].right - found[i].left + 1) * (found[i].bottom - found[i].top + 1);
        assert_true((uint32_t)inside + light >
                    pixels.width * pixels.height + 20);  // bright pixels on the background: text
        sn_pixels_free(&pixels);
    }
    int small = found[0].bottom - found[0].top + 1, large = found[1].bottom - found[1].top + 1;
    assert_in_range(small, 12, 15);  // 7.5 and two margins of 3; "low" is omitted
    assert_in_range(large, 2 * small - 2, 2 * small + 2);
    free_actor(&actor);
    sn_renderer_free(renderer);
}

static double light_of(sn_renderer *renderer, const sn_actor *actor, float seconds)
{
    sn_frame frame = frame_of(actor, 0, 0);
    frame.show = SN_SHOW_LIGHTS;
    frame.width = frame.height = 65;  // odd, so that there is a middle pixel
    pose_actor(actor, 0, seconds, NULL);
    sn_pixels pixels = shoot(renderer, &frame);
    double light = sni_linear_of((float)pixel_at(&pixels, 32, 32).r / 255);
    sn_pixels_free(&pixels);
    return light;
}

// A plane and a point light at distance 2, which moves to 4, is switched off, returns at half intensity, and is hidden.
// Light falls off with the square of the distance; without the lamp only sky light remains.
static void test_lights_follow_the_pose(void **state)
{
    (void)state;
    squares s;
    static const float times[5] = { 0, 1, 2, 3, 4 }, moves[15] = { 0, 0, 2, 0, 0, 4, 0, 0, 2, 0, 0, 2, 0, 0, 2 };
    static const float intensities[5] = { 8, 8, 0, 4, 8 }, shown[5] = { 1, 1, 1, 1, 0 };
    const sn_track tracks[] = {
        { .target_kind = SN_TARGET_NODE,
          .channel = SN_CHANNEL_TRANSLATION,
          .target = 1,
          .key_count = 5,
          .width = 3,
          .times = times,
          .values = moves },
        { .target_kind = SN_TARGET_LIGHT,
          .channel = SN_CHANNEL_INTENSITY,
          .key_count = 5,
          .width = 1,
          .times = times,
          .values = intensities },
        { .target_kind = SN_TARGET_NODE,
          .channel = SN_CHANNEL_VISIBILITY,
          .target = 1,
          .key_count = 5,
          .width = 1,
          .times = times,
          .values = shown },
    };
    const sn_clip clip = { .name = "", .duration = 4, .tracks = tracks, .track_count = 3 };
    const sn_light lamp = { .name = "", .node = 1, .kind = SN_LIGHT_POINT, .color = { 1, 1, 1 }, .intensity = 8 };
    make_squares(&s, 2);
    s.layers[0][0] = unlit(SN_BLEND_OPAQUE, 0.5f, 0.5f, 0.5f, 1);
    s.layers[0][0].flags = 0;
    s.nodes[1].rest.translation.z = 2;
    s.model.part_count = 1, s.model.lights = &lamp, s.model.light_count = 1, s.model.clips = &clip,
    s.model.clip_count = 1;
    sn_renderer *renderer = open_renderer(false);
    sn_actor actor = make_actor(renderer, &s.model);
    double sky = light_of(renderer, &actor, 2), near = light_of(renderer, &actor, 0) - sky;
    assert_true(near > 0.1);
    assert_true(fabs((light_of(renderer, &actor, 1) - sky) / near - 0.25) < 0.02);
    assert_true(fabs((light_of(renderer, &actor, 3) - sky) / near - 0.5) < 0.02);
    assert_true(fabs(light_of(renderer, &actor, 4) - sky) < 1e-6);
    free_actor(&actor);
    sn_renderer_free(renderer);
}

// A spot light at distance 2 from a plane is as bright on its axis as a point light. Half way (by cosine) between inner
// and outer cone it has a quarter of that; outside the outer cone it is dark.
static void test_spot_lights_fade_between_their_cones(void **state)
{
    (void)state;
    squares s;
    sn_light spot = { .name = "",
                      .node = 1,
                      .kind = SN_LIGHT_SPOT,
                      .color = { 1, 1, 1 },
                      .intensity = 8,
                      .inner_angle = 0.2f,
                      .outer_angle = 0.6f };
    const double half = acos((cos(0.2) + cos(0.6)) / 2), turns[] = { 0, 0.19, half, 0.61 },
                 expected[] = { 1, 1, 0.25, 0 };
    make_squares(&s, 2);
    s.layers[0][0] = unlit(SN_BLEND_OPAQUE, 0.5f, 0.5f, 0.5f, 1);
    s.layers[0][0].flags = 0;
    s.model.part_count = 1, s.model.lights = &spot, s.model.light_count = 1;
    sn_renderer *renderer = open_renderer(false);
    double sky = 0, lamp = 0;
    for (int i = -2; i < 4; i++) {
        spot.kind = i == -1 ? SN_LIGHT_POINT : SN_LIGHT_SPOT;
        s.nodes[1].rest = trs_turn((sn_vec3){ 1, 0, 0 }, i < -1 ? PI : i < 0 ? 0 : turns[i]);
        s.nodes[1].rest.translation.z = 2;
        sn_actor actor = make_actor(renderer, &s.model);
        double light = light_of(renderer, &actor, 0);
        if (i == -2) sky = light;
        if (i == -1) lamp = light - sky;
        if (i >= 0 && fabs((light - sky) / lamp - expected[i]) > 0.02)
            fail_msg("turned by %g it is %g, not %g", turns[i], (light - sky) / lamp, expected[i]);
        free_actor(&actor);
    }
    assert_true(lamp > 0.1);
    sn_renderer_free(renderer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unlit_colours_are_exact),
        cmocka_unit_test(test_blend_modes),
        cmocka_unit_test(test_transparent_background_is_not_premultiplied),
        cmocka_unit_test(test_transparent_parts_are_drawn_back_to_front),
        cmocka_unit_test(test_transparent_triangles_are_drawn_back_to_front),
        cmocka_unit_test(test_back_faces_are_culled_unless_two_sided),
        cmocka_unit_test(test_shadow_follows_the_hierarchy),
        cmocka_unit_test(test_shadow_follows_the_joints),
        cmocka_unit_test(test_framing_follows_scale_and_animation),
        cmocka_unit_test(test_visible_parts_are_never_culled),
        cmocka_unit_test(test_opengl_es_draws_the_same),
        cmocka_unit_test(test_frames_can_be_cancelled),
        cmocka_unit_test(test_errors_are_reported),
        cmocka_unit_test(test_rectangles),
        cmocka_unit_test(test_rectangles_show_images),
        cmocka_unit_test(test_labels_have_width),
        cmocka_unit_test(test_names_are_readable_on_any_background),
        cmocka_unit_test(test_lights_follow_the_pose),
        cmocka_unit_test(test_spot_lights_fade_between_their_cones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
