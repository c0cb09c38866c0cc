// Meshes and materials of Dark Cloud and Dark Cloud 2: all kinds of primitives, missing attributes, draw state.
#include "hand_models.h"
#include "level5_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"

static const float square[12] = { 0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0 };
static const float up[3] = { 0, 0, 1 }, down[3] = { 0, 0, -1 };
static const float square_uvs[8] = { 0, 0, 1, 0, 1, 1, 0, 1 };

static sn_model *load_mesh(level5_scene *s, const char *node_name, const level5_scene_mesh *mesh)
{
    const level5_scene_node node = { node_name, -1, 0, level5_scene_moved(0, 0, 0) };
    level5_scene_mds(s, "a.mds", &node, 1, mesh, 1);
    return level5_scene_load(s, "a.mds", NULL);
}

static double signed_area(const sn_mesh *mesh)
{
    double sum = 0;
    for (uint32_t i = 0; i < mesh->index_count; i += 3) {
        const sn_vec3 *a = &mesh->positions[mesh->indices[i]], *b = &mesh->positions[mesh->indices[i + 1]],
                      *c = &mesh->positions[mesh->indices[i + 2]];
        sum += ((double)b->x - a->x) * ((double)c->y - a->y) - ((double)b->y - a->y) * ((double)c->x - a->x);
    }
    return sum / 2;
}

static void lists_strips_and_fans_make_one_square(void **state)
{
    (void)state;
    static const uint32_t list[] = { 0x13, 6, 0, 0, 0, 1, 0, 2, 0, 0, 0, 2, 0, 3, 0 },
                          strip[] = { 0x14, 4, 0, 0, 0, 1, 0, 3, 0, 2, 0 },
                          fan[] = { 0x15, 4, 0, 0, 0, 1, 0, 2, 0, 3, 0 };
    static const uint32_t old_strip[] = { 4, 4, 0, 0, 0, 0, 1, 0, 1, 3, 0, 3, 2, 0, 2 };
    const struct {
        const uint32_t *words;
        uint32_t count;
    } kinds[] = { { list, 15 }, { strip, 11 }, { fan, 11 }, { old_strip, 15 } };
    for (int i = 0; i < 4; i++) {
        level5_scene *s = level5_scene_open();
        const level5_scene_mesh mesh = { .position_count = 4,
                                         .positions = square,
                                         .normal_count = 1,
                                         .normals = up,
                                         .uv_count = 4,
                                         .uvs = square_uvs,
                                         .faces = kinds[i].words,
                                         .face_words = kinds[i].count,
                                         .primitive_count = 1 };
        sn_model *model = load_mesh(s, "a", &mesh);
        assert_int_equal(model->mesh_count, 1);
        assert_int_equal(model->meshes[0].vertex_count, 4);
        assert_int_equal(model->meshes[0].index_count, 6);
        assert_near(signed_area(&model->meshes[0]), 1.0);
        assert_non_null(model->meshes[0].normals);
        assert_int_equal(model->meshes[0].uv_count, i == 3);
        sn_model_free(model);
        level5_scene_close(s);
    }
}

// Faces that point away from their normals are flipped; degenerate triangles are dropped.
static void normals_decide_the_winding(void **state)
{
    (void)state;
    static const uint32_t strip[] = { 0x14, 5, 0, 0, 0, 1, 0, 1, 0, 3, 0, 2, 0 };
    level5_scene *s = level5_scene_open();
    const level5_scene_mesh mesh = { .position_count = 4,
                                     .positions = square,
                                     .normal_count = 1,
                                     .normals = down,
                                     .faces = strip,
                                     .face_words = 13,
                                     .primitive_count = 1 };
    sn_model *model = load_mesh(s, "a", &mesh);
    assert_int_equal(model->meshes[0].index_count, 3);  // 0 1 1, 1 1 3 and 1 3 2
    assert_near(signed_area(&model->meshes[0]), -0.5);
    sn_model_free(model);
    level5_scene_close(s);
}

// A position with two texture coordinates becomes two vertices. Attributes past the end are missing; a bad position
// drops the triangle.
static void missing_attributes_are_replaced(void **state)
{
    (void)state;
    static const uint32_t words[] = { 0x103, 3, 0, 0, 0, 0, 0, 1, 0,  1, 1, 2, 7,     2, 9, 0x103, 3, -1u,
                                      0,     0, 3, 0, 1, 0, 1, 1, 99, 0, 1, 1, 0x213, 3, 1, 0,     2, 3 };
    static const float colors[8] = { 1, 1, 1, 1, 2, 0.5f, 0, 0.25f };
    const level5_scene_material materials[] = { { { 1, 1, 1, 1 }, "" }, { { 1, 1, 1, 0.5f }, "" } };
    level5_scene *s = level5_scene_open();
    const level5_scene_mesh mesh = { .position_count = 4,
                                     .positions = square,
                                     .normal_count = 1,
                                     .normals = up,
                                     .uv_count = 4,
                                     .uvs = square_uvs,
                                     .color_count = 2,
                                     .colors = colors,
                                     .faces = words,
                                     .face_words = sizeof words / 4,
                                     .primitive_count = 3,
                                     .materials = materials,
                                     .material_count = 2 };
    sn_model *model = load_mesh(s, "a", &mesh);
    assert_int_equal(model->mesh_count, 2);
    const sn_mesh *first = &model->meshes[0];
    assert_int_equal(first->index_count, 3);   // the second primitive has the same material but no triangle left
    assert_int_equal(first->vertex_count, 4);  // 0 with two texture coordinates
    assert_int_equal(count_warnings(model, SNI_WARN_INDEX_RANGE), 1);
    assert_int_equal(count_warnings(model, SNI_WARN_LEVEL5_INDEX), 2);
    assert_vec3(first->normals[2], 0, 0, 1);  // missing: face normal
    assert_near(first->colors[0][0].x, 1.0);
    assert_within(first->colors[0][1].x, pow((2 + 0.055) / 1.055, 2.4), 1e-4);
    assert_near(first->colors[0][1].w, 0.25);
    assert_near(first->colors[0][2].x, 1.0);  // missing: white
    assert_null(model->meshes[1].normals);
    assert_int_equal(model->meshes[1].uv_count + model->meshes[1].color_count, 0);
    assert_int_equal(model->materials[model->parts[1].material].layers[0].blend, SN_BLEND_ALPHA);
    sn_model_free(model);
    level5_scene_close(s);
}

static void names_set_the_draw_state(void **state)
{
    (void)state;
    static const uint32_t words[] = { 0x213, 3, 0, 0, 1, 2 };
    static const struct {
        const char *name;
        uint32_t flags, node_flags;
        sn_blend blend;
        float cutoff;
    } cases[] = {
        { "a", SN_LAYER_TWO_SIDED, 0, SN_BLEND_OPAQUE, 0 },
        { "a__s", 0, 0, SN_BLEND_OPAQUE, 0 },
        { "a__cz", SN_LAYER_TWO_SIDED | SN_LAYER_UNLIT | SN_LAYER_NO_DEPTH_WRITE, 0, SN_BLEND_OPAQUE, 0 },
        { "a__a40o", SN_LAYER_TWO_SIDED | SN_LAYER_NO_DEPTH_TEST, 0, SN_BLEND_OPAQUE, 0.5f },
        { "a__aPP", SN_LAYER_TWO_SIDED, 0, SN_BLEND_ADD_ALPHA, 0 },
        { "a__aNNbA", SN_LAYER_TWO_SIDED, SN_NODE_BILLBOARD, SN_BLEND_SUBTRACT, 0 },
        { "func_a__bY", SN_LAYER_TWO_SIDED, SN_NODE_BILLBOARD_Y | SN_NODE_ATTACHMENT, SN_BLEND_OPAQUE, 0 },
        { "a__v", SN_LAYER_TWO_SIDED, SN_NODE_HIDDEN, SN_BLEND_OPAQUE, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        level5_scene *s = level5_scene_open();
        const level5_scene_mesh mesh = {
            .position_count = 4, .positions = square, .faces = words, .face_words = 6, .primitive_count = 1
        };
        sn_model *model = load_mesh(s, cases[i].name, &mesh);
        const sn_layer *layer = model->materials[model->parts[0].material].layers;
        assert_int_equal(layer->flags, cases[i].flags);
        assert_int_equal(model->nodes[0].flags, cases[i].node_flags);
        assert_int_equal(layer->blend, cases[i].blend);
        assert_near(layer->alpha_cutoff, cases[i].cutoff);
        assert_int_equal(level5_scene_shows(model, 0, -1, 0), !(cases[i].node_flags & SN_NODE_HIDDEN));
        sn_model_free(model);
        level5_scene_close(s);
    }
}

// Swizzled pictures become row order; sizes that are not powers of two scale the texture coordinates.
static void pictures_are_found_and_unswizzled(void **state)
{
    (void)state;
    static const uint32_t words[] = { 0x203, 3, 0, 0, 0,     1, 1, 2, 2, 0x203, 3, 1, 0, 0,
                                      1,     1, 2, 2, 0x203, 3, 2, 0, 0, 1,     1, 2, 2 };
    const level5_scene_material materials[] = { { { 1, 1, 1, 1 }, "wide" },
                                                { { 1, 1, 1, 1 }, "four" },
                                                { { 1, 1, 1, 1 }, "gone" } };
    const level5_scene_picture pictures[] = { { "#wave", 0, 0, 0, false, 0 },
                                              { "wide", 32, 16, 8, true, 128 },
                                              { "four", 24, 16, 4, false, 64 },
                                              { "unused", 16, 16, 8, true, 0 } };
    static const char *const kinds[] = { "IM2", "IM3" };
    for (int k = 0; k < 2; k++) {
        level5_scene *s = level5_scene_open();
        const level5_scene_mesh mesh = { .position_count = 4,
                                         .positions = square,
                                         .uv_count = 4,
                                         .uvs = square_uvs,
                                         .faces = words,
                                         .face_words = sizeof words / 4,
                                         .primitive_count = 3,
                                         .materials = materials,
                                         .material_count = 3 };
        level5_scene_archive(s, "a.img", kinds[k], pictures + (k == 0), k == 0 ? 3 : 4);
        sn_model *model = load_mesh(s, "a", &mesh);
        assert_int_equal(model->image_count, 3);
        assert_string_equal(model->images[0].name, "wide");
        sn_pixels pixels;
        assert_int_equal(sn_image_decode(&model->images[0], NULL, &pixels, NULL), SN_OK);
        assert_int_equal(pixels.width, 32);
        for (uint32_t y = 0; y < 16; y++)
            for (uint32_t x = 0; x < 32; x++) assert_int_equal(pixels.rgba[(y * 32 + x) * 4], (x + 16 * y) % 256);
        sn_pixels_free(&pixels);
        assert_near(model->meshes[0].uvs[0][1].x, 1.0);
        assert_near(model->meshes[1].uvs[0][1].x, 32 / 24.0);
        assert_near(model->meshes[1].uvs[0][2].y, 1.0);
        const sn_layer *four = model->materials[model->parts[1].material].layers;
        assert_int_equal(four->blend, SN_BLEND_ALPHA);  // half transparent
        assert_int_equal(four->maps[SN_MAP_COLOR].wrap_u, k == 0 ? SN_CLAMP : SN_REPEAT);
        assert_int_equal(model->materials[model->parts[0].material].layers[0].blend, SN_BLEND_OPAQUE);
        assert_int_equal(count_warnings(model, SNI_WARN_IMAGE_MISSING), 1);
        assert_non_null(strstr(model->extras, k == 0 ? "\"dc1\"" : "\"dc2\""));
        sn_model_free(model);
        level5_scene_close(s);
    }
}

// Two mip levels: IM3 has a flag for each picture, IM2 swizzles only pictures of one level. In a swizzled picture byte
// 4 is pixel (1, 0).
static void mip_levels_are_unswizzled_by_archive_kind(void **state)
{
    (void)state;
    static const uint32_t words[] = { 0x203, 3, 0, 0, 0, 1, 1, 2, 2 };
    const level5_scene_material material = { { 1, 1, 1, 1 }, "wide" };
    const level5_scene_picture picture = { "wide", 32, 16, 8, true, 128 };
    static const char *const kinds[] = { "IM2", "IM3" };
    for (int k = 0; k < 2; k++) {
        level5_scene *s = level5_scene_open();
        const level5_scene_mesh mesh = { .position_count = 4,
                                         .positions = square,
                                         .uv_count = 4,
                                         .uvs = square_uvs,
                                         .faces = words,
                                         .face_words = sizeof words / 4,
                                         .primitive_count = 1,
                                         .materials = &material,
                                         .material_count = 1 };
        level5_scene_archive(s, "a.img", kinds[k], &picture, 1);
        level5_scene_patch(s, (k == 0 ? 64 : 80) + 32, 2u << 8 | 3u << 16 | 5u << 24);
        sn_model *model = load_mesh(s, "a", &mesh);
        sn_pixels pixels;
        assert_int_equal(sn_image_decode(&model->images[0], NULL, &pixels, NULL), SN_OK);
        assert_int_equal(pixels.rgba[4 * 4], k == 0 ? 1 : 4);
        assert_int_equal(pixels.rgba[1 * 4] == 1, k == 1);
        sn_pixels_free(&pixels);
        sn_model_free(model);
        level5_scene_close(s);
    }
}

static void matrices_are_kept(void **state)
{
    (void)state;
    const sn_vec3 z_axis = { 0, 0, 1 };
    level5_scene_matrix sheared = level5_scene_moved(1, 2, 3);
    sheared.m[4] = 0.5f;  // y leans to x
    const level5_scene_node nodes[] = { { "late", 2, -1, level5_scene_turned(z_axis, 0.5, 1, 0, 0) },
                                        { "lost", 9, -1, level5_scene_moved(0, 0, 0) },
                                        { "root", -1, -1, sheared },
                                        { "ring", 4, -1, level5_scene_moved(0, 0, 0) },
                                        { "ring2", 3, -1, level5_scene_moved(0, 0, 0) } };
    level5_scene *s = level5_scene_open();
    level5_scene_mds(s, "a.mds", nodes, 5, NULL, 0);
    sn_model *model = level5_scene_load(s, "a.mds", NULL);
    assert_int_equal(model->node_count, 5);
    assert_int_equal(count_warnings(model, SNI_WARN_NODE_PARENT), 1);
    assert_int_equal(count_warnings(model, SNI_WARN_NODE_CYCLE), 1);
    int32_t root = sn_model_find_node(model, "root"), late = sn_model_find_node(model, "late");
    assert_non_null(model->nodes[root].matrix);
    assert_null(model->nodes[late].matrix);
    assert_int_equal(model->nodes[late].parent, root);
    assert_int_equal(model->nodes[late].id, 0);
    sn_mat34 world = world_at(model, "late", -1, 0);
    sn_vec3 p = level5_scene_point(&world, 0, 1, 0);  // (1 - sin, cos), then leaning
    assert_vec3(p, 1 - sin(0.5) + 0.5 * cos(0.5) + 1, cos(0.5) + 2, 3);
    sn_model_free(model);
    level5_scene_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_strips_and_fans_make_one_square),
        cmocka_unit_test(normals_decide_the_winding),
        cmocka_unit_test(missing_attributes_are_replaced),
        cmocka_unit_test(names_set_the_draw_state),
        cmocka_unit_test(pictures_are_found_and_unswizzled),
        cmocka_unit_test(mip_levels_are_unswizzled_by_archive_kind),
        cmocka_unit_test(matrices_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
