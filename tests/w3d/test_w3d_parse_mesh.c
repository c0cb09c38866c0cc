// Parsing of meshes and their materials, valid and damaged.
#include "hand_models.h"
#include "w3d_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static w3d_file *open_mesh(uint32_t triangles, uint32_t vertices)
{
    w3d_file *file = w3d_file_open();
    w3d_open_chunk(&file->tree, W3D_MESH);
    w3d_put_mesh_header(&file->tree, "TURRET", triangles, vertices);
    return file;
}

static const w3d_mesh *close_mesh(w3d_file *file)
{
    w3d_close_chunk(&file->tree);
    assert_int_equal(w3d_file_parse(file)->mesh_count, 1);
    return file->doc.meshes;
}

static void mesh_headers_are_parsed(void **state)
{
    (void)state;
    w3d_file *file = open_mesh(0, 0);
    const w3d_mesh *mesh = close_mesh(file);
    assert_int_equal(mesh->chunk, 0);
    assert_int_equal(mesh->version, 0x40002);
    assert_int_equal(mesh->attributes, W3D_TWO_SIDED);
    assert_true(str_is(mesh->name, "TURRET"));
    assert_true(str_is(mesh->container, "TEST"));
    assert_int_equal(mesh->sort_level, -3);
    assert_int_equal(mesh->vertex_channels, 0x13);
    assert_int_equal(mesh->face_channels, 1);
    assert_vec3(mesh->box_min, 0, 1, 2);
    assert_vec3(mesh->box_max, 3, 4, 5);
    assert_vec3(mesh->sphere_center, 6, 7, 8);
    assert_true(mesh->sphere_radius == 9);
    assert_int_equal(mesh->material_set_count, 0);
    assert_null(mesh->positions.data);
    assert_null(file->load.diag.first);
    w3d_file_close(file);
}

static void arrays_point_into_the_file(void **state)
{
    (void)state;
    w3d_file *file = open_mesh(2, 4);
    w3d_put_text_chunk(&file->tree, W3D_USER_TEXT, "first");
    w3d_put_text_chunk(&file->tree, W3D_USER_TEXT, "second");
    static const struct {
        uint32_t id;
        size_t bytes;
    } chunks[] = {
        { W3D_VERTICES, 48 },      { W3D_VERTICES2, 48 },  { W3D_NORMALS, 48 },   { W3D_NORMALS2, 48 },
        { W3D_TANGENTS, 48 },      { W3D_BITANGENTS, 48 }, { W3D_TRIANGLES, 64 }, { W3D_INFLUENCES, 32 },
        { W3D_SHADE_INDICES, 16 }, { W3D_TEXCOORDS, 32 },  { W3D_COLORS, 16 },    { W3D_PER_TRI_MATERIALS, 4 },
    };
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++)
        w3d_put_numbers(&file->tree, chunks[i].id, chunks[i].bytes);
    const w3d_mesh *mesh = close_mesh(file);
    const w3d_array per_vertex[] = { mesh->positions, mesh->positions2, mesh->normals,    mesh->normals2,
                                     mesh->tangents,  mesh->bitangents, mesh->influences, mesh->shade_indices,
                                     mesh->uvs,       mesh->colors };
    for (size_t i = 0; i < sizeof per_vertex / sizeof *per_vertex; i++) {
        assert_int_equal(per_vertex[i].count, 4);
        assert_in_range(per_vertex[i].data - file->out.data, 8, file->out.size);
        assert_memory_equal(per_vertex[i].data, "\0\1\2\3", 4);
    }
    assert_int_equal(mesh->triangles.count, 2);
    assert_int_equal(mesh->per_tri_materials.count, 2);
    assert_true(str_is(mesh->user_text, "first"));
    assert_null(file->load.diag.first);
    w3d_file_close(file);
}

static void surrender_normals_replace_missing_normals(void **state)
{
    (void)state;
    w3d_file *file = open_mesh(0, 1);
    w3d_put_numbers(&file->tree, W3D_VERTICES, 12);
    w3d_put_numbers(&file->tree, W3D_SURRENDER_NORMALS, 12);
    assert_int_equal(close_mesh(file)->normals.count, 1);
    assert_null(file->load.diag.first);
    w3d_file_close(file);
}

static void too_few_vertices_are_an_error(void **state)
{
    (void)state;
    static const uint32_t needed[][2] = {
        { W3D_VERTICES, 12 }, { W3D_TRIANGLES, 32 }, { W3D_INFLUENCES, 8 }, { W3D_VERTICES2, 12 }
    };
    for (size_t i = 0; i < 4; i++) {
        w3d_file *file = w3d_file_open();
        for (int n = 0; n < 4; n++) {  // the fourth is broken
            w3d_open_chunk(&file->tree, W3D_MESH);
            w3d_put_mesh_header(&file->tree, "A", n == 3 ? 90000 : 0, n == 3 ? 90000 : 0);
            if (n == 3) w3d_put_numbers(&file->tree, needed[i][0], 312);
            w3d_close_chunk(&file->tree);
        }
        sn_error error = w3d_file_refuse(file, SN_ERR_CORRUPT);
        char path[64], message[100];
        snprintf(path, sizeof path, "MESH[3]/%s", w3d_chunk_name(needed[i][0]));
        snprintf(message, sizeof message, "90000 records need %u bytes, found 312", 90000 * needed[i][1]);
        assert_string_equal(error.path, path);
        assert_string_equal(error.message, message);
        assert_int_equal(error.offset, file->out.size - 320);
        file->out.size -= 100;  // truncated: the file is too short, not the chunk
        w3d_file_refuse(file, SN_ERR_TRUNCATED);
        w3d_file_close(file);
    }
}

static void huge_counts_are_errors(void **state)
{
    (void)state;
    w3d_file *file = open_mesh(0xFFFFFFFF, 0xFFFFFFFF);
    w3d_put_numbers(&file->tree, W3D_VERTICES, 12);
    w3d_close_chunk(&file->tree);
    sn_error error = w3d_file_refuse(file, SN_ERR_CORRUPT);
    assert_string_equal(error.message, "4294967295 records need 51539607540 bytes, found 12");
    w3d_file_close(file);
}

static void short_optional_arrays_are_left_out(void **state)
{
    (void)state;
    w3d_file *file = open_mesh(1, 3);
    w3d_put_numbers(&file->tree, W3D_NORMALS, 35);
    w3d_put_numbers(&file->tree, W3D_VERTICES, 36 + 5);
    w3d_put_numbers(&file->tree, W3D_VERTICES, 36);
    w3d_put_numbers(&file->tree, W3D_TANGENTS, 0);
    const w3d_mesh *mesh = close_mesh(file);
    assert_null(mesh->normals.data);
    assert_null(mesh->tangents.data);
    assert_int_equal(mesh->positions.count, 3);
    assert_true(w3d_file_warns(file, SNI_WARN_W3D_COUNT, "MESH[0]/VERTEX_NORMALS"));
    assert_true(w3d_file_warns(file, SNI_WARN_W3D_COUNT, "MESH[0]/TANGENTS"));
    assert_true(w3d_file_warns(file, SNI_WARN_W3D_LEFTOVER, "MESH[0]/VERTICES"));
    assert_true(w3d_file_warns(file, SNI_WARN_W3D_CHUNK, "MESH[0]/VERTICES"));
    assert_true(w3d_file_warns(file, SNI_WARN_W3D_CHUNK, "MESH[0]"));  // no triangles
    w3d_file_close(file);
}

// Materials

static void put_vertex_material(w3d_tree *tree)
{
    w3d_open_chunk(tree, W3D_VERTEX_MATERIAL);
    w3d_put_text_chunk(tree, W3D_VERTEX_MATERIAL_NAME, "steel");
    w3d_open_chunk(tree, W3D_VERTEX_MATERIAL_INFO);
    w3d_put_u32(tree, 0x00040000);
    w3d_put_rgb(tree, 1, 2, 3), w3d_put_rgb(tree, 4, 5, 6), w3d_put_rgb(tree, 7, 8, 9), w3d_put_rgb(tree, 10, 11, 12);
    w3d_put_f32(tree, 32), w3d_put_f32(tree, 0.5f), w3d_put_f32(tree, 0.25f);
    w3d_close_chunk(tree);
    w3d_put_text_chunk(tree, W3D_MAPPER_ARGS0, "UPerSec=1\r\n");
    w3d_close_chunk(tree);
}

static void put_texture(w3d_tree *tree, const char *name, bool has_info)
{
    w3d_open_chunk(tree, W3D_TEXTURE);
    w3d_put_text_chunk(tree, W3D_TEXTURE_NAME, name);
    if (has_info) {
        w3d_open_chunk(tree, W3D_TEXTURE_INFO);
        w3d_put_u16(tree, 0x18), w3d_put_u16(tree, 2), w3d_put_u32(tree, 4), w3d_put_f32(tree, 15);
        w3d_close_chunk(tree);
    }
    w3d_close_chunk(tree);
}

static void put_materials(w3d_tree *tree)
{
    w3d_open_chunk(tree, W3D_VERTEX_MATERIALS);
    w3d_put_chunk(tree, W3D_VERTEX_MATERIAL, "", 0);  // all defaults
    put_vertex_material(tree);
    w3d_close_chunk(tree);
    w3d_put_numbers(tree, W3D_SHADERS, 32);
    w3d_open_chunk(tree, W3D_TEXTURES);
    put_texture(tree, "a.tga", false);
    put_texture(tree, "b.tga", true);
    w3d_close_chunk(tree);
    w3d_open_chunk(tree, W3D_PASS);
    w3d_put_numbers(tree, W3D_VERTEX_MATERIAL_IDS, 4);
    w3d_put_numbers(tree, W3D_SHADER_IDS, 8);
    w3d_put_numbers(tree, W3D_DCG, 12);
    w3d_put_numbers(tree, W3D_DCG, 12);
    w3d_put_numbers(tree, W3D_DIG, 12);
    for (int i = 0; i < 2; i++) {
        w3d_open_chunk(tree, W3D_STAGE);
        w3d_put_numbers(tree, W3D_TEXTURE_IDS, i == 0 ? 4 : 8);
        w3d_put_numbers(tree, W3D_STAGE_UVS, i == 0 ? 24 : 40);
        if (i == 1) w3d_put_numbers(tree, W3D_FACE_UV_IDS, 24);
        w3d_close_chunk(tree);
    }
    w3d_close_chunk(tree);
}

static void check_materials(const w3d_material_set *set)
{
    const w3d_vertex_material *none = &set->vertex_materials[0], *steel = &set->vertex_materials[1];
    assert_int_equal(set->vertex_material_count, 2);
    assert_memory_equal(none->diffuse, "\xff\xff\xff", 3);
    assert_memory_equal(none->specular, "\0\0\0", 3);
    assert_true(none->opacity == 1 && none->shininess == 1);
    assert_true(str_is(steel->name, "steel"));
    assert_true(str_is(steel->args[0], "UPerSec=1\r\n"));
    assert_true(str_is(steel->args[1], ""));
    assert_memory_equal(steel->ambient, "\1\2\3", 3);
    assert_memory_equal(steel->emissive, "\12\13\14", 3);
    assert_true(steel->shininess == 32 && steel->opacity == 0.5f && steel->translucency == 0.25f);
    assert_int_equal(set->shaders.count, 2);
    assert_int_equal(set->texture_count, 2);
    assert_true(str_is(set->textures[0].name, "a.tga"));
    assert_false(set->textures[0].has_info);
    assert_true(set->textures[1].has_info && set->textures[1].frame_rate == 15);
    assert_int_equal(set->textures[1].attributes, 0x18);
    assert_int_equal(set->textures[1].frame_count, 4);
    const w3d_pass *pass = &set->passes[0];
    assert_int_equal(set->pass_count, 1);
    assert_int_equal(pass->vertex_material_ids.count, 1);
    assert_int_equal(pass->shader_ids.count, 2);
    assert_int_equal(pass->dcg.count, 3);
    assert_ptr_equal(pass->dcg2.data, pass->dcg.data + 12 + 8);
    assert_int_equal(pass->dig.count, 3);
    assert_int_equal(pass->stage_count, 2);
    assert_int_equal(pass->stages[0].texture_ids.count, 1);
    assert_int_equal(pass->stages[0].uvs.count, 3);
    assert_int_equal(pass->stages[1].texture_ids.count, 2);
    assert_int_equal(pass->stages[1].uvs.count, 5);
    assert_int_equal(pass->stages[1].face_uv_ids.count, 2);
}

static w3d_file *open_small_mesh(void)
{
    w3d_file *file = open_mesh(2, 3);
    w3d_put_numbers(&file->tree, W3D_VERTICES, 36);
    w3d_put_numbers(&file->tree, W3D_TRIANGLES, 64);
    return file;
}

static void materials_of_a_mesh(void **state)
{
    (void)state;
    w3d_file *file = open_small_mesh();
    put_materials(&file->tree);
    const w3d_mesh *mesh = close_mesh(file);
    assert_int_equal(mesh->material_set_count, 1);
    assert_int_equal(mesh->material_sets[0].prelit, 0);
    check_materials(&mesh->material_sets[0]);
    assert_null(file->load.diag.first);
    w3d_file_close(file);
}

static void prelit_variants_are_separate_sets(void **state)
{
    (void)state;
    w3d_file *file = open_small_mesh();
    for (uint32_t id = W3D_PRELIT_UNLIT; id <= W3D_PRELIT_MULTI_TEXTURE; id++) {
        w3d_open_chunk(&file->tree, id);
        put_materials(&file->tree);
        w3d_close_chunk(&file->tree);
    }
    const w3d_mesh *mesh = close_mesh(file);
    assert_int_equal(mesh->material_set_count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(mesh->material_sets[i].prelit, W3D_PRELIT_UNLIT + i);
        check_materials(&mesh->material_sets[i]);
    }
    assert_null(file->load.diag.first);
    w3d_file_close(file);
}

static void ids_of_the_wrong_length(void **state)
{
    (void)state;
    w3d_file *file = open_mesh(3, 4);
    w3d_open_chunk(&file->tree, W3D_PASS);
    w3d_put_numbers(&file->tree, W3D_VERTEX_MATERIAL_IDS, 12);  // three for four vertices
    w3d_put_numbers(&file->tree, W3D_SHADER_IDS, 3);
    w3d_put_numbers(&file->tree, W3D_SHADER_MATERIAL_IDS, 16);  // four for three triangles
    w3d_put_numbers(&file->tree, W3D_STAGE_UVS, 24);
    w3d_put_numbers(&file->tree, W3D_DCG, 15);
    for (int i = 0; i < 3; i++) w3d_put_chunk(&file->tree, W3D_STAGE, "", 0);
    w3d_close_chunk(&file->tree);
    for (int i = 0; i < 4; i++) w3d_put_chunk(&file->tree, W3D_PASS, "", 0);
    const w3d_mesh *mesh = close_mesh(file);
    const w3d_pass *pass = &mesh->material_sets[0].passes[0];
    assert_int_equal(pass->vertex_material_ids.count, 1);
    assert_null(pass->shader_ids.data);
    assert_int_equal(pass->shader_material_ids.count, 3);
    assert_null(pass->uvs.data);
    assert_null(pass->dcg.data);
    assert_int_equal(pass->stage_count, W3D_MAX_STAGES);
    assert_int_equal(mesh->material_sets[0].pass_count, W3D_MAX_PASSES);
    assert_true(w3d_file_warns(file, SNI_WARN_W3D_COUNT, "MESH[0]/MATERIAL_PASS[0]/VERTEX_MATERIAL_IDS"));
    assert_true(w3d_file_warns(file, SNI_WARN_W3D_LEFTOVER, "MESH[0]/MATERIAL_PASS[0]/SHADER_MATERIAL_ID"));
    assert_true(w3d_file_warns(file, SNI_WARN_W3D_CHUNK, "MESH[0]/MATERIAL_PASS[0]/TEXTURE_STAGE[2]"));
    assert_true(w3d_file_warns(file, SNI_WARN_W3D_CHUNK, "MESH[0]/MATERIAL_PASS[4]"));
    w3d_file_close(file);
}

static void put_property(w3d_tree *tree, uint32_t type, const char *name, const void *value, size_t size)
{
    w3d_open_chunk(tree, W3D_SHADER_MATERIAL_PROPERTY);
    w3d_put_u32(tree, type);
    w3d_put_u32(tree, (uint32_t)strlen(name) + 1);
    w3d_put_text(tree, name);
    w3d_put(tree, value, size);
    w3d_close_chunk(tree);
}

static void shader_materials(void **state)
{
    (void)state;
    static const uint8_t texture[] = { 6, 0, 0, 0, 'd', '.', 't', 'g', 'a', 0 },
                         half[] = { 0, 0, 0, 0x3F, 0, 0, 0x80, 0x3F, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40 };
    w3d_file *file = open_mesh(0, 0);
    w3d_open_chunk(&file->tree, W3D_SHADER_MATERIALS);
    w3d_open_chunk(&file->tree, W3D_SHADER_MATERIAL);
    w3d_open_chunk(&file->tree, W3D_SHADER_MATERIAL_HEADER);
    w3d_put_u8(&file->tree, 1);
    w3d_put_name(&file->tree, "NormalMapped.fx", 32);
    w3d_put_u32(&file->tree, 7);
    w3d_close_chunk(&file->tree);
    put_property(&file->tree, W3D_TEXTURE_PROPERTY, "DiffuseTexture", texture, sizeof texture);
    for (uint32_t type = W3D_FLOAT; type <= W3D_VEC4; type++)
        put_property(&file->tree, type, "Number", half, 4 * (type - W3D_FLOAT + 1));
    put_property(&file->tree, W3D_INT, "Int", "\xFE\xFF\xFF\xFF", 4);
    put_property(&file->tree, W3D_BOOL, "AlphaTestEnable", "\1", 1);
    put_property(&file->tree, W3D_VEC4, "Short", half, 12);
    put_property(&file->tree, 8, "Unknown", half, 4);
    put_property(&file->tree, 0xFFFFFFFF, "Unknown", half, 4);
    w3d_put_numbers(&file->tree, W3D_SHADER_MATERIAL_PROPERTY, 7);
    w3d_put_chunk(&file->tree, W3D_SHADER_MATERIAL_PROPERTY, "\1\0\0\0\xFF\xFF\xFF\xFFname",
                  12);  // a name past the end
    w3d_close_chunk(&file->tree);
    w3d_close_chunk(&file->tree);
    const w3d_mesh *mesh = close_mesh(file);
    assert_int_equal(mesh->shader_material_count, 1);
    const w3d_shader_material *material = mesh->shader_materials;
    assert_int_equal(material->version, 1);
    assert_true(str_is(material->effect, "NormalMapped.fx"));
    assert_int_equal(material->technique, 7);
    assert_int_equal(material->property_count, 7);
    assert_true(str_is(material->properties[0].name, "DiffuseTexture"));
    assert_true(str_is(material->properties[0].text, "d.tga"));
    assert_true(material->properties[4].values[0] == 0.5f && material->properties[4].values[3] == 3);
    assert_int_equal(material->properties[5].number, -2);
    assert_int_equal(material->properties[6].number, 1);
    assert_int_equal(w3d_file_warnings(file, SNI_WARN_W3D_CHUNK), 5);
    w3d_file_close(file);
}

static void materials_before_version_4(void **state)
{
    (void)state;
    w3d_file *file = open_mesh(0, 0);
    w3d_open_chunk(&file->tree, W3D_MATERIALS3);
    w3d_open_chunk(&file->tree, W3D_MATERIAL3);
    w3d_put_text_chunk(&file->tree, W3D_MATERIAL3_NAME, "old");
    w3d_open_chunk(&file->tree, W3D_MATERIAL3_INFO);
    w3d_put_u32(&file->tree, 5);
    for (uint8_t i = 0; i < 6; i++) w3d_put_rgb(&file->tree, i, i, i);
    w3d_put_f32(&file->tree, 1), w3d_put_f32(&file->tree, 0.75f), w3d_put_f32(&file->tree, 0),
        w3d_put_f32(&file->tree, 0);
    w3d_close_chunk(&file->tree);
    w3d_open_chunk(&file->tree, W3D_MATERIAL3_DC_MAP);
    w3d_put_text_chunk(&file->tree, W3D_MAP3_FILE, "old.tga");
    w3d_close_chunk(&file->tree);
    w3d_close_chunk(&file->tree);
    w3d_close_chunk(&file->tree);
    const w3d_mesh *mesh = close_mesh(file);
    assert_int_equal(mesh->material3_count, 1);
    assert_true(str_is(mesh->materials3[0].name, "old"));
    assert_true(str_is(mesh->materials3[0].map, "old.tga"));
    assert_memory_equal(mesh->materials3[0].specular, "\1\1\1", 3);
    assert_true(mesh->materials3[0].opacity == 0.75f);
    w3d_file_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mesh_headers_are_parsed),
        cmocka_unit_test(arrays_point_into_the_file),
        cmocka_unit_test(surrender_normals_replace_missing_normals),
        cmocka_unit_test(too_few_vertices_are_an_error),
        cmocka_unit_test(huge_counts_are_errors),
        cmocka_unit_test(short_optional_arrays_are_left_out),
        cmocka_unit_test(materials_of_a_mesh),
        cmocka_unit_test(prelit_variants_are_separate_sets),
        cmocka_unit_test(ids_of_the_wrong_length),
        cmocka_unit_test(shader_materials),
        cmocka_unit_test(materials_before_version_4),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
