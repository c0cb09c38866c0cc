// W3D materials: splitting by material, passes as layers, texture coordinates, colours, mappers.
#include "w3d_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

// Four triangles, 0 1 2, 3 4 5, ...: the x of each vertex is its index.
static float numbers[36];

static scene_mesh four_triangles(void)
{
    for (int i = 0; i < 12; i++) numbers[3 * i] = (float)i, numbers[3 * i + 1] = (float)(i % 3);
    return (scene_mesh){ .name = "M", .vertex_count = 12, .triangle_count = 4, .positions = numbers };
}

static const uint8_t plain[16] = { 3, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0 };

static void put_shaders(w3d_tree *tree, const uint8_t (*shaders)[16], uint32_t count)
{
    w3d_put_chunk(tree, W3D_SHADERS, shaders, (size_t)16 * count);
}

static void put_vertex_material(w3d_tree *tree, const char *name, uint32_t attributes, const uint8_t diffuse[3],
                                float opacity, const char *args)
{
    w3d_open_chunk(tree, W3D_VERTEX_MATERIAL);
    w3d_put_text_chunk(tree, W3D_VERTEX_MATERIAL_NAME, name);
    w3d_open_chunk(tree, W3D_VERTEX_MATERIAL_INFO);
    w3d_put_u32(tree, attributes);
    w3d_put_u32(tree, 0xFFFFFF);
    for (int i = 0; i < 3; i++) w3d_put_u8(tree, diffuse[i]);
    w3d_put_u8(tree, 0);
    w3d_put_u32(tree, 0);
    w3d_put_u32(tree, 0);
    w3d_put_f32(tree, 1);
    w3d_put_f32(tree, opacity);
    w3d_put_f32(tree, 0);
    w3d_close_chunk(tree);
    if (args) w3d_put_text_chunk(tree, W3D_MAPPER_ARGS0, args);
    w3d_close_chunk(tree);
}

static void put_texture(w3d_tree *tree, const char *name, uint32_t attributes)
{
    w3d_open_chunk(tree, W3D_TEXTURE);
    w3d_put_text_chunk(tree, W3D_TEXTURE_NAME, name);
    w3d_open_chunk(tree, W3D_TEXTURE_INFO);
    w3d_put_u16(tree, (uint16_t)attributes);
    w3d_put_u16(tree, 0);
    w3d_put_u32(tree, 0);
    w3d_put_f32(tree, 0);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
}

static void put_textures(w3d_tree *tree, const char *const *names, uint32_t count)
{
    w3d_open_chunk(tree, W3D_TEXTURES);
    for (uint32_t i = 0; i < count; i++) put_texture(tree, names[i], i == 1 ? 0x8 : 0);
    w3d_close_chunk(tree);
}

static void put_stage(w3d_tree *tree, const uint32_t *ids, size_t count, const float *uvs)
{
    w3d_open_chunk(tree, W3D_STAGE);
    put_words(tree, W3D_TEXTURE_IDS, ids, count);
    if (uvs) put_float_chunk(tree, W3D_STAGE_UVS, uvs, 24);
    w3d_close_chunk(tree);
}

static const char *const two_names[] = { "wood.tga", "STONE.tga" };
static const uint8_t white[3] = { 255, 255, 255 }, grey[3] = { 128, 64, 0 };

static void meshes_are_split_by_texture(void **state)
{
    (void)state;
    float uvs[24];
    const uint32_t ids[4] = { 1, 0, 1, UINT32_MAX }, zero = 0;
    const scene_mesh mesh = four_triangles();
    for (int i = 0; i < 24; i++) uvs[i] = (float)i / 100;
    w3d_file *file = w3d_file_open();
    open_mesh(&file->tree, &mesh);
    put_material_info(&file->tree, 1, 1, 1, 2);
    put_shaders(&file->tree, &plain, 1);
    w3d_open_chunk(&file->tree, W3D_VERTEX_MATERIALS);
    put_vertex_material(&file->tree, "SKIN", 0, grey, 0.5f, NULL);
    w3d_close_chunk(&file->tree);
    put_textures(&file->tree, two_names, 2);
    w3d_open_chunk(&file->tree, W3D_PASS);
    put_words(&file->tree, W3D_VERTEX_MATERIAL_IDS, &zero, 1);
    put_words(&file->tree, W3D_SHADER_IDS, &zero, 1);
    put_stage(&file->tree, ids, 4, uvs);
    w3d_close_chunk(&file->tree);
    w3d_close_chunk(&file->tree);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(count_warnings(model, SNI_WARN_IMAGE_MISSING), 2);
    assert_int_equal(model->mesh_count, 3);
    assert_int_equal(model->part_count, 3);
    assert_int_equal(model->material_count, 3);
    assert_int_equal(model->image_count, 2);
    assert_int_equal(model->meshes[0].vertex_count, 6);  // triangles 0 and 2
    assert_int_equal(model->meshes[0].index_count, 6);
    assert_true(model->meshes[0].positions[3].x == 6);
    assert_true(model->meshes[0].uvs[0][3].x == 0.12f && model->meshes[0].uvs[0][3].y == 1.0f - 0.13f);
    assert_true(model->meshes[1].positions[0].x == 3);
    const sn_layer *stone = &model->materials[model->parts[0].material].layers[0],
                   *none = &model->materials[model->parts[2].material].layers[0];
    assert_string_equal(model->images[stone->maps[SN_MAP_COLOR].image].uri, "STONE.tga");
    assert_int_equal(stone->maps[SN_MAP_COLOR].wrap_u, SN_CLAMP);
    assert_int_equal(stone->maps[SN_MAP_COLOR].wrap_v, SN_REPEAT);
    assert_int_equal(none->maps[SN_MAP_COLOR].image, -1);
    assert_string_equal(model->materials[0].name, "SKIN");
    assert_true(fabsf(stone->color.x - 0.2158605f) < 1e-6f);  // 128/255 of sRGB
    assert_true(fabsf(stone->color.y - 0.0512695f) < 1e-6f);
    assert_true(stone->color.z == 0.0f && stone->color.w == 0.5f);
    sn_model_free(model);
}

static void triangles_with_missing_vertices_are_dropped(void **state)
{
    (void)state;
    const uint32_t triangles[12] = { 0, 1, 2, 3, 4, 99, 6, 7, 8, 9, 10, UINT32_MAX }, ids[4] = { 0, 0, 1, 1 };
    scene_mesh mesh = four_triangles();
    mesh.triangles = triangles;
    for (int has_groups = 0; has_groups < 2; has_groups++) {
        w3d_file *file = w3d_file_open();
        open_mesh(&file->tree, &mesh);
        if (has_groups) {
            put_material_info(&file->tree, 1, 0, 2, 0);
            put_shaders(&file->tree, (const uint8_t[2][16]){ { 3, 1, 0, 0, 0, 1, 0, 1 }, { 3, 1, 0, 1, 0, 1, 0, 1 } },
                        2);
            w3d_open_chunk(&file->tree, W3D_PASS);
            put_words(&file->tree, W3D_SHADER_IDS, ids, 4);
            w3d_close_chunk(&file->tree);
        }
        w3d_close_chunk(&file->tree);
        sn_model *model = load_scene(file, NULL, NULL);
        assert_int_equal(count_warnings(model, SNI_WARN_INDEX_RANGE), 2);
        assert_int_equal(model->mesh_count, has_groups ? 2 : 1);
        assert_int_equal(model->meshes[0].index_count, has_groups ? 3 : 6);
        sn_model_free(model);
    }
}

static void put_blended(w3d_tree *tree, uint8_t source, uint8_t dest, uint8_t test)
{
    static const float positions[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    uint8_t shader[1][16];
    const uint32_t zero = 0;
    char name[16];
    snprintf(name, sizeof name, "B%u_%u", source, dest);
    memcpy(shader[0], plain, 16);
    shader[0][W3D_SRC_BLEND] = source, shader[0][W3D_DEST_BLEND] = dest, shader[0][W3D_ALPHA_TEST] = test;
    shader[0][W3D_DEPTH_WRITE] = test, shader[0][W3D_DEPTH_COMPARE] = test ? 3 : 7,
    shader[0][W3D_PRIMARY_GRADIENT] = test;
    open_mesh(tree, &(scene_mesh){ .name = name,
                                   .attributes = test ? W3D_TWO_SIDED : 0,
                                   .vertex_count = 3,
                                   .triangle_count = 1,
                                   .positions = positions });
    put_material_info(tree, 1, 0, 1, 0);
    put_shaders(tree, (const uint8_t(*)[16])shader, 1);
    w3d_open_chunk(tree, W3D_PASS);
    put_words(tree, W3D_SHADER_IDS, &zero, 1);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
}

static void shaders_set_the_blend(void **state)
{
    (void)state;
    static const struct {
        uint8_t source, dest;
        sn_blend blend;
    } cases[] = {
        { 1, 0, SN_BLEND_OPAQUE },    { 2, 5, SN_BLEND_ALPHA },    { 1, 1, SN_BLEND_ADD },
        { 2, 1, SN_BLEND_ADD_ALPHA }, { 0, 2, SN_BLEND_MODULATE }, { 1, 3, SN_BLEND_SCREEN },
    };
    w3d_file *file = w3d_file_open();
    for (uint32_t i = 0; i < 6; i++) put_blended(&file->tree, cases[i].source, cases[i].dest, i == 1);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(model->part_count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        const sn_layer *layer = &model->materials[model->parts[i].material].layers[0];
        uint32_t flags = i == 1 ? SN_LAYER_TWO_SIDED
                                : SN_LAYER_UNLIT | SN_LAYER_NO_DEPTH_TEST | SN_LAYER_NO_DEPTH_WRITE;
        assert_int_equal(layer->blend, cases[i].blend);
        assert_int_equal(layer->flags, flags);
        assert_true(layer->alpha_cutoff == (i == 1 ? 96.0f / 255.0f : 0.0f));
    }
    sn_model_free(model);
}

// Two passes, the first with a second texture that multiplies: three layers. Equal materials are merged.
static void passes_and_stages_are_layers(void **state)
{
    (void)state;
    float uvs[24] = { 0 };
    const uint32_t zero = 0, one = 1;
    const uint8_t shaders[2][16] = { { 3, 1, 0, 0, 0, 1, 0, 1, 1, 2 }, { 3, 0, 0, 1, 0, 1, 0, 1, 1 } };
    scene_mesh mesh = four_triangles();
    w3d_file *file = w3d_file_open();
    for (int i = 0; i < 2; i++) {
        open_mesh(&file->tree, &mesh);
        put_material_info(&file->tree, 2, 0, 2, 2);
        put_shaders(&file->tree, shaders, 2);
        put_textures(&file->tree, two_names, 2);
        w3d_open_chunk(&file->tree, W3D_PASS);
        put_words(&file->tree, W3D_SHADER_IDS, &zero, 1);
        put_stage(&file->tree, &zero, 1, uvs);
        put_stage(&file->tree, &one, 1, uvs);
        w3d_close_chunk(&file->tree);
        w3d_open_chunk(&file->tree, W3D_PASS);
        put_words(&file->tree, W3D_SHADER_IDS, &one, 1);
        put_stage(&file->tree, &one, 1, NULL);  // those of the first pass
        w3d_close_chunk(&file->tree);
        w3d_close_chunk(&file->tree);
        mesh.name = "N";
    }
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(model->material_count, 1);
    const sn_material *material = &model->materials[0];
    assert_int_equal(material->layer_count, 3);
    assert_int_equal(material->layers[0].blend, SN_BLEND_OPAQUE);
    assert_int_equal(material->layers[1].blend, SN_BLEND_MODULATE);
    assert_int_equal(material->layers[2].blend, SN_BLEND_ADD);
    assert_int_equal(material->layers[0].maps[SN_MAP_COLOR].uv_set, 0);
    assert_int_equal(material->layers[1].maps[SN_MAP_COLOR].uv_set, 1);
    assert_int_equal(material->layers[2].maps[SN_MAP_COLOR].uv_set, 0);
    assert_int_equal(material->layers[2].maps[SN_MAP_COLOR].image, 1);
    assert_int_equal(model->meshes[0].uv_count, 2);
    sn_model_free(model);
}

// 128 * 128 / 255 is 64; alpha is from the DCG.
static void colours_are_multiplied_as_bytes(void **state)
{
    (void)state;
    const scene_mesh mesh = four_triangles();
    w3d_file *file = w3d_file_open();
    open_mesh(&file->tree, &mesh);
    put_material_info(&file->tree, 1, 0, 0, 0);
    w3d_open_chunk(&file->tree, W3D_PASS);
    w3d_open_chunk(&file->tree, W3D_DCG);
    for (int i = 0; i < 12; i++) w3d_put(&file->tree, (const uint8_t[]){ 128, 255, 0, 51 }, 4);
    w3d_close_chunk(&file->tree);
    w3d_open_chunk(&file->tree, W3D_DIG);
    for (int i = 0; i < 12; i++) w3d_put(&file->tree, (const uint8_t[]){ 128, 255, 255, 7 }, 4);
    w3d_close_chunk(&file->tree);
    w3d_close_chunk(&file->tree);
    w3d_close_chunk(&file->tree);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(model->meshes[0].color_count, 1);
    sn_vec4 color = model->meshes[0].colors[0][11];
    assert_true(fabsf(color.x - 0.0512695f) < 1e-6f);
    assert_true(color.y == 1.0f && color.z == 0.0f && color.w == 0.2f);
    sn_model_free(model);
}

static void put_prelit(w3d_tree *tree, uint32_t id, const char *texture)
{
    const uint32_t zero = 0;
    w3d_open_chunk(tree, id);
    put_material_info(tree, 1, 0, 1, 1);
    put_shaders(tree, &plain, 1);
    put_textures(tree, &texture, 1);
    w3d_open_chunk(tree, W3D_PASS);
    put_words(tree, W3D_SHADER_IDS, &zero, 1);
    put_stage(tree, &zero, 1, NULL);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
}

static void best_prelit_variant_is_used(void **state)
{
    (void)state;
    const scene_mesh mesh = four_triangles();
    w3d_file *file = w3d_file_open();
    open_mesh(&file->tree, &mesh);
    put_prelit(&file->tree, W3D_PRELIT_UNLIT, "unlit.tga");
    put_prelit(&file->tree, W3D_PRELIT_MULTI_PASS, "passes.tga");
    put_prelit(&file->tree, W3D_PRELIT_VERTEX, "vertex.tga");
    w3d_close_chunk(&file->tree);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(model->image_count, 1);
    assert_string_equal(model->images[0].uri, "passes.tga");
    assert_non_null(strstr(model->meshes[0].extras, "\"prelit\":\"multi pass\""));
    sn_model_free(model);
}

static void put_property(w3d_tree *tree, uint32_t type, const char *name)
{
    w3d_open_chunk(tree, W3D_SHADER_MATERIAL_PROPERTY);
    w3d_put_u32(tree, type);
    w3d_put_u32(tree, (uint32_t)strlen(name) + 1);
    w3d_put_text(tree, name);
}

static void shader_materials_set_maps(void **state)
{
    (void)state;
    float uvs[24] = { 0 };
    const uint32_t zero = 0;
    const float color[4] = { 0.5f, 1, 0, 0.25f }, bump = 1.5f;
    const scene_mesh mesh = four_triangles();
    w3d_file *file = w3d_file_open();
    w3d_tree *tree = &file->tree;
    open_mesh(tree, &mesh);
    put_material_info(tree, 1, 0, 0, 0);
    w3d_open_chunk(tree, W3D_SHADER_MATERIALS);
    w3d_open_chunk(tree, W3D_SHADER_MATERIAL);
    w3d_open_chunk(tree, W3D_SHADER_MATERIAL_HEADER);
    w3d_put_u8(tree, 1);
    w3d_put_name(tree, "NormalMapped.fx", W3D_LONG_NAME_BYTES);
    w3d_put_u32(tree, 0);
    w3d_close_chunk(tree);
    put_property(tree, W3D_TEXTURE_PROPERTY, "DiffuseTexture");
    w3d_put_u32(tree, 9), w3d_put_text(tree, "wood.tga"), w3d_close_chunk(tree);
    put_property(tree, W3D_TEXTURE_PROPERTY, "NormalMap");
    w3d_put_u32(tree, 9), w3d_put_text(tree, "bump.tga"), w3d_close_chunk(tree);
    put_property(tree, W3D_FLOAT, "BumpScale");
    w3d_put_f32(tree, bump), w3d_close_chunk(tree);
    put_property(tree, W3D_VEC4, "DiffuseColor");
    w3d_put_floats(tree, color, 4), w3d_close_chunk(tree);
    put_property(tree, W3D_BOOL, "AlphaTestEnable");
    w3d_put_u8(tree, 1), w3d_close_chunk(tree);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_PASS);
    put_words(tree, W3D_SHADER_MATERIAL_IDS, &zero, 1);
    put_float_chunk(tree, W3D_STAGE_UVS, uvs, 24);
    w3d_close_chunk(tree);
    w3d_close_chunk(tree);
    sn_model *model = load_scene(file, NULL, NULL);
    const sn_layer *layer = &model->materials[0].layers[0];
    assert_string_equal(model->images[layer->maps[SN_MAP_COLOR].image].name, "wood");
    assert_string_equal(model->images[layer->maps[SN_MAP_NORMAL].image].name, "bump");
    assert_true(layer->maps[SN_MAP_NORMAL].strength == 1.5f);
    assert_true(fabsf(layer->color.x - 0.2140411f) < 1e-6f && layer->color.y == 1.0f && layer->color.w == 0.25f);
    assert_true(layer->alpha_cutoff > 0.0f);
    assert_int_equal(model->meshes[0].uv_count, 1);
    assert_non_null(strstr(model->materials[0].extras, "\"effect\":\"NormalMapped.fx\""));
    assert_non_null(strstr(model->materials[0].extras, "\"BumpScale\":1.5"));
    sn_model_free(model);
}

static sn_model *load_mapped(uint32_t mapper, const char *args)
{
    float uvs[24] = { 0 };
    const uint32_t zero = 0;
    const scene_mesh mesh = four_triangles();
    w3d_file *file = w3d_file_open();
    open_mesh(&file->tree, &mesh);
    put_material_info(&file->tree, 1, 1, 1, 1);
    put_shaders(&file->tree, &plain, 1);
    w3d_open_chunk(&file->tree, W3D_VERTEX_MATERIALS);
    put_vertex_material(&file->tree, "", mapper << 16, white, 1, args);
    w3d_close_chunk(&file->tree);
    put_textures(&file->tree, two_names, 1);
    w3d_open_chunk(&file->tree, W3D_PASS);
    put_words(&file->tree, W3D_VERTEX_MATERIAL_IDS, &zero, 1);
    put_words(&file->tree, W3D_SHADER_IDS, &zero, 1);
    put_stage(&file->tree, &zero, 1, uvs);
    w3d_close_chunk(&file->tree);
    w3d_close_chunk(&file->tree);
    return load_scene(file, NULL, NULL);
}

static sn_uv_transform moved(const sn_model *model, float clock)
{
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, 0, 0, clock);
    sn_uv_transform uv = sn_pose_layer(pose, 0, 0).uv;
    sn_pose_free(pose);
    return uv;
}

// -0.5 and 0.25 textures per second: both are whole after four seconds.
static void linear_offset_has_its_own_period(void **state)
{
    (void)state;
    sn_model *model = load_mapped(4, "UPerSec = .5\r\nVPerSec=-0.25\r\nUScale=2");
    assert_int_equal(model->clip_count, 1);
    const sn_track *track = &model->clips[0].tracks[0];
    assert_int_equal(track->channel, SN_CHANNEL_UV_OFFSET);
    assert_true(track->period == 4.0f);
    sn_uv_transform uv = moved(model, 5);
    assert_true(fabsf(uv.offset.x + 0.5f) < 1e-6f && fabsf(uv.offset.y - 0.25f) < 1e-6f && uv.scale.x == 2.0f);
    assert_non_null(strstr(model->materials[0].extras, "\"kind\":\"linear offset\""));
    sn_model_free(model);
}

static void rotation_keeps_its_centre(void **state)
{
    (void)state;
    sn_model *model = load_mapped(8, "Speed=0.25\nUCenter=0.5\nVCenter=0.5");
    for (int i = 0; i <= 4; i++) {
        sn_uv_transform uv = moved(model, (float)i * 0.5f);  // 1/8 turn each
        float c = cosf(uv.rotation), s = sinf(uv.rotation);
        assert_true(fabsf(uv.rotation - (float)i * 0.78539816f) < 1e-5f);
        assert_true(fabsf(uv.offset.x + c * 0.5f - s * 0.5f - 0.5f) < 1e-5f);
        assert_true(fabsf(uv.offset.y + s * 0.5f + c * 0.5f - 0.5f) < 1e-5f);
    }
    sn_model_free(model);
}

// What a track has is computed from the arguments, which may be any numbers.
static void large_arguments_give_finite_tracks(void **state)
{
    (void)state;
    sn_model *model = load_mapped(8, "Speed=0.25\nUCenter=3e38\nVCenter=-3e38");  // loading checks all promises
    assert_int_equal(model->clips[0].track_count, 2);
    bool is_reported = false;
    for (uint32_t i = 0; i < model->warning_count; i++)
        is_reported |= strcmp(sn_warning_name(model->warnings[i].code), "NOT_FINITE") == 0;
    assert_true(is_reported);
    sn_model_free(model);
}

static void grids_step_through_their_cells(void **state)
{
    (void)state;
    sn_model *model = load_mapped(7, "FPS=2\nLog2Width=1\nLast=3");
    const float x[] = { 0, 0.5f, 0, 0 }, y[] = { 0, 0, 0.5f, 0 };
    for (int i = 0; i < 4; i++) {
        sn_uv_transform uv = moved(model, (float)i * 0.5f + 0.25f);
        assert_true(uv.offset.x == x[i] && uv.offset.y == y[i] && uv.scale.x == 0.5f);
    }
    sn_model_free(model);
    model = load_mapped(1, NULL);
    assert_int_equal(model->clip_count, 0);
    assert_int_equal(model->materials[0].layers[0].flags & SN_LAYER_SPHERE_MAP, SN_LAYER_SPHERE_MAP);
    sn_model_free(model);
}

// The model names .tga, the file is .dds.
static void images_are_found_by_other_extensions(void **state)
{
    (void)state;
    static const uint8_t dds[128] = "DDS |";
    float uvs[24] = { 0 };
    const uint32_t zero = 0;
    const scene_mesh mesh = four_triangles();
    w3d_file *file = w3d_file_open();
    open_mesh(&file->tree, &mesh);
    put_material_info(&file->tree, 1, 0, 1, 1);
    put_shaders(&file->tree, &plain, 1);
    put_textures(&file->tree, two_names, 1);
    w3d_open_chunk(&file->tree, W3D_PASS);
    put_words(&file->tree, W3D_SHADER_IDS, &zero, 1);
    put_stage(&file->tree, &zero, 1, uvs);
    w3d_close_chunk(&file->tree);
    w3d_close_chunk(&file->tree);
    sn_model *model = load_scene(file, (const scene_ref[]){ { "wood.dds", dds, sizeof dds }, { 0 } }, NULL);
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(model->images[0].size, sizeof dds);
    assert_string_equal(model->images[0].mime_type, "image/vnd-ms.dds");
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_split_by_texture),
        cmocka_unit_test(triangles_with_missing_vertices_are_dropped),
        cmocka_unit_test(shaders_set_the_blend),
        cmocka_unit_test(passes_and_stages_are_layers),
        cmocka_unit_test(colours_are_multiplied_as_bytes),
        cmocka_unit_test(best_prelit_variant_is_used),
        cmocka_unit_test(shader_materials_set_maps),
        cmocka_unit_test(linear_offset_has_its_own_period),
        cmocka_unit_test(rotation_keeps_its_centre),
        cmocka_unit_test(large_arguments_give_finite_tracks),
        cmocka_unit_test(grids_step_through_their_cells),
        cmocka_unit_test(images_are_found_by_other_extensions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
