// W3D skins: vertices in bone space, posed once, then skinned like any model.
#include "w3d_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

// clang-format off
#define QUARTER_Z { 0, 0, 0.70710678f, 0.70710678f }
#define STILL { 0, 0, 0, 1 }
// clang-format on

// ARM at (10, 0, 0) rotates x to y; HAND is 4 along ARM's x, at (10, 4, 0).
static const scene_pivot arm[] = { { "ROOTTRANSFORM", -1, { 0, 0, 0 }, STILL },
                                   { "ARM", 0, { 10, 0, 0 }, QUARTER_Z },
                                   { "HAND", 1, { 4, 0, 0 }, STILL } };
static const scene_object skin = { 0, "M.SKIN" };

typedef struct influence {
    uint16_t bones[2], percents[2];
} influence;

static void put_influences(w3d_tree *tree, const influence *influences, uint32_t count)
{
    w3d_open_chunk(tree, W3D_INFLUENCES);
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 2; k++) w3d_put_u16(tree, influences[i].bones[k]);
        for (int k = 0; k < 2; k++) w3d_put_u16(tree, influences[i].percents[k]);
    }
    w3d_close_chunk(tree);
}

// (1,0,0) of ARM is (10,1,0), (1,0,0) of HAND is (10,5,0), (0,0,2) of the root stays (0,0,2).
static const float one_bone[9] = { 1, 0, 0, 1, 0, 0, 0, 0, 2 };
static const influence one_each[3] = { { { 1, 7 }, { 3, 0 } },
                                       { { 2, 0 }, { 0, 0 } },
                                       { { 0, 0 }, { 0, 0 } } };  // second bones and percentages are ignored
static const scene_mesh plain_skin = { .name = "SKIN",
                                       .container = "M",
                                       .vertex_count = 3,
                                       .triangle_count = 1,
                                       .positions = one_bone,
                                       .box_min = { 0, 0, 0 },
                                       .box_max = { 10, 5, 2 } };

static w3d_file *start_skin(const scene_mesh *mesh, const influence *influences)
{
    w3d_file *file = w3d_file_open();
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    open_mesh(&file->tree, mesh);
    put_influences(&file->tree, influences, mesh->vertex_count);
    return file;
}

static sn_model *finish_skin(w3d_file *file)
{
    w3d_close_chunk(&file->tree);
    put_hlod(&file->tree, "M", "SKL", &skin, 1);
    return load_scene(file, NULL, NULL);
}

static void vertices_are_posed_to_model_space(void **state)
{
    (void)state;
    sn_vec3 at[3];
    sn_model *model = finish_skin(start_skin(&plain_skin, one_each));
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(model->skin_count, 1);
    assert_int_equal(model->skins[0].joint_count, 3);
    assert_int_equal(model->parts[0].skin, 0);
    assert_int_equal(model->parts[0].node, 0);
    const sn_mesh *mesh = &model->meshes[0];
    assert_int_equal(mesh->influence_count, 1);
    assert_near(mesh->positions[0], 10, 1, 0, 1e-5f);
    assert_near(mesh->positions[1], 10, 5, 0, 1e-5f);
    assert_near(mesh->positions[2], 0, 0, 2, 0);
    skin_at(model, 0, -1, 0, at);  // the base pose changes nothing
    for (int i = 0; i < 3; i++)
        assert_near(at[i], mesh->positions[i].x, mesh->positions[i].y, mesh->positions[i].z, 1e-5f);
    sn_model_free(model);
}

static void header_box_is_checked(void **state)
{
    (void)state;
    scene_mesh mesh = plain_skin;
    mesh.box_max.x = 10.1f;  // less than 1 % of its size, 11.4
    sn_model *model = finish_skin(start_skin(&mesh, one_each));
    assert_int_equal(count_warnings(model, -1), 0);
    sn_model_free(model);
    mesh.box_max.x = 10.2f;
    model = finish_skin(start_skin(&mesh, one_each));
    assert_int_equal(count_warnings(model, SNI_WARN_W3D_BOX), 1);
    sn_model_free(model);
}

// 1,000 from the origin floats are 6e-5 apart: a skin of that size may differ by more than 1 % of it.
static void header_box_may_be_off_by_rounding(void **state)
{
    (void)state;
    static const scene_pivot far_away[] = { { "ROOTTRANSFORM", -1, { 0, 0, 0 }, STILL },
                                            { "BONE", 0, { 1000, 0, 0 }, STILL } };
    static const float positions[9] = { 0, 0, 0, 3e-5f, 0, 0, 0, 3e-5f, 0 };
    static const influence bone[3] = { { { 1, 0 }, { 0, 0 } }, { { 1, 0 }, { 0, 0 } }, { { 1, 0 }, { 0, 0 } } };
    static const struct {
        float most_x;
        int warnings;
    } cases[] = { { 1000.00006f, 0 }, { 1000.01f, 1 } };
    for (int i = 0; i < 2; i++) {
        w3d_file *file = w3d_file_open();
        put_hierarchy(&file->tree, "SKL", 0x40001, far_away, 2);
        open_mesh(&file->tree, &(scene_mesh){ .name = "SKIN",
                                              .container = "M",
                                              .vertex_count = 3,
                                              .triangle_count = 1,
                                              .positions = positions,
                                              .box_min = { 1000, 0, 0 },
                                              .box_max = { cases[i].most_x, 3e-5f, 0 } });
        put_influences(&file->tree, bone, 3);
        sn_model *model = finish_skin(file);
        assert_int_equal(count_warnings(model, SNI_WARN_W3D_BOX), cases[i].warnings);
        sn_model_free(model);
    }
}

static void normals_rotate_with_their_bones(void **state)
{
    (void)state;
    static const float normals[9] = { 1, 0, 0, 0, 1, 0, 1, 0, 0 };
    w3d_file *file = w3d_file_open();
    put_hierarchy(&file->tree, "SKL", 0x40001, arm, 3);
    w3d_open_chunk(&file->tree, W3D_MESH);
    w3d_put_mesh_header(&file->tree, "SKIN", 1, 3);
    put_float_chunk(&file->tree, W3D_VERTICES, one_bone, 9);
    put_float_chunk(&file->tree, W3D_NORMALS, normals, 9);
    put_words(&file->tree, W3D_TRIANGLES, (const uint32_t[8]){ 0, 1, 2 }, 8);
    put_influences(&file->tree, one_each, 3);
    sn_model *model = finish_skin(file);
    assert_near(model->meshes[0].normals[0], 0, 1, 0, 1e-6f);
    assert_near(model->meshes[0].normals[1], -1, 0, 0, 1e-6f);
    assert_near(model->meshes[0].normals[2], 1, 0, 0, 0);
    sn_model_free(model);
}

// The point (10, 5, 0): in ARM (5, 0, 0), in HAND (1, 0, 0). HAND then moves 2 up: by half of that, all of it, none.
static const float in_first[9] = { 5, 0, 0, 99, 99, 99, 5, 0, 0 }, in_second[9] = { 1, 0, 0, 1, 0, 0, -77, 0, 0 };

static w3d_file *start_pairs(const influence *influences)
{
    scene_mesh mesh = plain_skin;
    mesh.positions = in_first;
    mesh.box_min = mesh.box_max = (sn_vec3){ 0, 0, 0 };
    w3d_file *file = start_skin(&mesh, influences);
    put_float_chunk(&file->tree, W3D_VERTICES2, in_second, 9);
    return file;
}

static sn_model *finish_moving(w3d_file *file)
{
    const float up[2] = { 2, 2 };
    w3d_close_chunk(&file->tree);
    put_hlod(&file->tree, "M", "SKL", &skin, 1);
    open_animation(&file->tree, "UP", "SKL", 2, 30);
    put_raw(&file->tree, 2, W3D_Z, 0, 1, up);
    w3d_close_chunk(&file->tree);
    return load_scene(file, NULL, NULL);
}

static void two_bones_have_weights(void **state)
{
    (void)state;
    const influence pairs[3] = { { { 1, 2 }, { 50, 50 } }, { { 1, 2 }, { 0, 100 } }, { { 1, 2 }, { 100, 0 } } };
    sn_vec3 at[3];
    sn_model *model = finish_moving(start_pairs(pairs));
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(model->meshes[0].influence_count, 2);
    for (int i = 0; i < 3; i++) assert_near(model->meshes[0].positions[i], 10, 5, 0, 1e-5f);
    skin_at(model, 0, 0, 0, at);
    assert_near(at[0], 10, 5, 1, 1e-5f);
    assert_near(at[1], 10, 5, 2, 1e-5f);
    assert_near(at[2], 10, 5, 0, 1e-5f);
    sn_model_free(model);
}

static void weights_are_normalized(void **state)
{
    (void)state;
    const influence pairs[3] = { { { 1, 2 }, { 30, 10 } }, { { 2, 2 }, { 0, 100 } }, { { 1, 2 }, { 0, 0 } } };
    sn_vec3 at[3];
    sn_model *model = finish_moving(start_pairs(pairs));
    skin_at(model, 0, 0, 0, at);
    assert_near(at[0], 10, 5, 0.5f, 1e-5f);
    assert_near(at[2], 10, 5, 0, 1e-5f);
    sn_model_free(model);
}

// Files of Generals have arbitrary values in place of percentages: ignored without second positions.
static void one_bone_without_second_positions(void **state)
{
    (void)state;
    const influence pairs[3] = { { { 1, 2 }, { 0, 100 } }, { { 2, 1 }, { 50, 50 } }, { { 0, 9 }, { 9, 9 } } };
    sn_model *model = finish_skin(start_skin(&plain_skin, pairs));
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(model->meshes[0].influence_count, 1);
    assert_near(model->meshes[0].positions[0], 10, 1, 0, 1e-5f);
    assert_near(model->meshes[0].positions[1], 10, 5, 0, 1e-5f);
    sn_model_free(model);
}

static void missing_bones_become_the_root(void **state)
{
    (void)state;
    const influence strange[3] = { { { 3, 0 }, { 0, 0 } }, { { 2, 0 }, { 0, 0 } }, { { 65535, 0 }, { 0, 0 } } };
    sn_model *model = finish_skin(start_skin(&plain_skin, strange));
    assert_int_equal(count_warnings(model, SNI_WARN_JOINT_RANGE), 2);
    assert_near(model->meshes[0].positions[0], 1, 0, 0, 0);
    sn_model_free(model);
}

// Bone numbers of old meshes start after the root, which old hierarchies do not have.
static void old_skins_have_no_root_bone(void **state)
{
    (void)state;
    const influence old[3] = { { { 0, 0 }, { 0, 0 } }, { { 1, 0 }, { 0, 0 } }, { { 0, 0 }, { 0, 0 } } };
    scene_mesh mesh = plain_skin;
    mesh.version = 0x20000;
    mesh.box_max = mesh.box_min;
    sn_model *model = finish_skin(start_skin(&mesh, old));
    assert_near(model->meshes[0].positions[0], 10, 1, 0, 1e-5f);
    assert_near(model->meshes[0].positions[1], 10, 5, 0, 1e-5f);
    sn_model_free(model);
}

// A skin without its hierarchy cannot be shown; a rigid mesh beside it can.
static void skins_need_their_hierarchy(void **state)
{
    (void)state;
    const scene_object objects[] = { { 0, "M.SKIN" }, { 1, "M.RIGID" } };
    w3d_file *file = w3d_file_open();
    open_mesh(&file->tree, &plain_skin);
    put_influences(&file->tree, one_each, 3);
    w3d_close_chunk(&file->tree);
    put_triangle(&file->tree, "M", "RIGID");
    put_hlod(&file->tree, "M", "ELSEWHERE", objects, 2);
    sn_model *model = load_scene(file, NULL, NULL);
    assert_int_equal(count_warnings(model, SNI_WARN_FILE_MISSING), 1);
    assert_int_equal(count_warnings(model, SNI_WARN_W3D_SKELETON), 1);
    assert_int_equal(model->part_count, 1);
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->skin_count, 0);
    assert_string_equal(model->meshes[0].name, "RIGID");
    sn_model_free(model);
}

static void extended_influences_have_four_bones(void **state)
{
    (void)state;
    const influence first[3] = { { { 1, 0 }, { 0, 0 } }, { { 1, 0 }, { 0, 0 } }, { { 1, 0 }, { 0, 0 } } };
    static const float positions[9] = { 5, 0, 0, 5, 0, 0, 5, 0, 0 };
    scene_mesh mesh = plain_skin;
    sn_vec3 at[3];
    mesh.positions = positions;
    mesh.box_max = mesh.box_min;
    w3d_file *file = start_skin(&mesh, first);
    w3d_open_chunk(&file->tree, W3D_INFLUENCES4);
    const uint16_t rows[3][7] = { { 1, 2, 0, 0, 32768, 32767, 0 },
                                  { 1, 0, 0, 2, 0, 0, 0 },
                                  { 1, 0, 0, 0, 65535, 0, 0 } };
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 7; k++) w3d_put_u16(&file->tree, rows[i][k]);
    w3d_close_chunk(&file->tree);
    sn_model *model = finish_moving(file);
    skin_at(model, 0, 0, 0, at);
    assert_near(at[0], 10, 5, 1, 1e-4f);
    assert_near(at[1], 10, 5, 2, 1e-5f);
    assert_near(at[2], 10, 5, 0, 1e-5f);
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_are_posed_to_model_space),
        cmocka_unit_test(header_box_is_checked),
        cmocka_unit_test(header_box_may_be_off_by_rounding),
        cmocka_unit_test(normals_rotate_with_their_bones),
        cmocka_unit_test(two_bones_have_weights),
        cmocka_unit_test(weights_are_normalized),
        cmocka_unit_test(one_bone_without_second_positions),
        cmocka_unit_test(missing_bones_become_the_root),
        cmocka_unit_test(old_skins_have_no_root_bone),
        cmocka_unit_test(skins_need_their_hierarchy),
        cmocka_unit_test(extended_influences_have_four_bones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
