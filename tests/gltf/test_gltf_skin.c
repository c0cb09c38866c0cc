// glTF skins and morph targets: influences made good, and where vertices end up.
#include "check_model.h"
#include "gltf_text.h"
#include "hand_models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SKINNED "'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2}}]}]"
#define RIG     "'nodes':[{'mesh':0,'skin':0},{'translation':[10,0,0]},{'translation':[0,20,0]}]"

static const float move_back[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 1 };  // by columns: x - 1
static const float identity[16] = { 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1 };

static void skin_into(const sn_model *model, int32_t part, sn_vec3 *positions)
{
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    assert_non_null(pose);
    sn_pose_sample(pose, -1, 0, 0);
    sn_pose_solve(pose, NULL);
    sn_skin_part(pose, part, positions, NULL, NULL);
    sn_pose_free(pose);
}

// Accessors 0, 1, 2: positions, joints, weights.
static gltf_draft *start_skinned(uint32_t count, const float *positions, const uint8_t *joints, const float *weights)
{
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", count, positions);
    draft_u8(draft, "VEC4", count, joints, "");
    draft_floats(draft, "VEC4", count, weights);
    return draft;
}

// Joint A turns a quarter about z at (10,0,0) and was bound at (1,0,0); B stands at (0,4,0). The mesh's own node is
// moved, stretched and hangs on A: none of it counts.
static void only_joints_move_a_skinned_mesh(void **state)
{
    (void)state;
    const float positions[9] = { 1, 0, 0, 2, 0, 0, 0, 0, 0 };
    const uint8_t joints[12] = { 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0 };
    const float weights[12] = { 1, 0, 0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0 };
    float binds[32];
    memcpy(binds, move_back, sizeof move_back);
    memcpy(binds + 16, identity, sizeof identity);
    gltf_draft *draft = start_skinned(3, positions, joints, weights);
    draft_floats(draft, "MAT4", 2, binds);
    sn_model *model = load_draft(draft, SKINNED ",'skins':[{'joints':[1,2],'inverseBindMatrices':3,'skeleton':2,"
                                                "'name':'s'}],"
                                                "'nodes':[{'mesh':0,'skin':0,'translation':[100,0,0],'scale':[0,0,0]},"
                                                "{'children':[0],'translation':[10,0,0],'rotation':[0,0,0.70710678,"
                                                "0.70710678]},"
                                                "{'translation':[0,4,0]}]");
    assert_int_equal(model->warning_count, 0);
    assert_string_equal(model->skins[0].name, "s");
    assert_int_equal(model->meshes[0].influence_count, 4);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal((model->nodes[i].flags & SN_NODE_JOINT) != 0, model->nodes[i].id != 0);
    sn_vec3 posed[3];
    skin_into(model, 0, posed);
    assert_vec3(posed[0], 10, 0, 0);  // at the joint when bound
    assert_vec3(posed[1], 10, 1, 0);
    assert_vec3(posed[2], 5, 1.5, 0);  // between (10,-1,0) and (0,4,0)
    sn_model_free(model);
}

static sn_model *load_one_vertex(const uint8_t *joints, const float *weights)
{
    const float position[3] = { 1, 2, 3 };
    return load_draft(start_skinned(1, position, joints, weights), SKINNED "," RIG ",'skins':[{'joints':[1,2]}]");
}

static void no_inverse_binds_are_identity(void **state)
{
    (void)state;
    sn_model *model = load_one_vertex((const uint8_t[]){ 1, 0, 0, 0 }, (const float[]){ 1, 0, 0, 0 });
    for (int i = 0; i < 2; i++)
        assert_memory_equal(&model->skins[0].inverse_bind[i], &mat34_identity, sizeof(sn_mat34));
    sn_vec3 posed;
    skin_into(model, 0, &posed);
    assert_vec3(posed, 1, 22, 3);
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
}

static sn_model *load_binds(uint32_t count, const float *binds, const char *type)
{
    gltf_draft *draft = start_skinned(1, (const float[]){ 1, 2, 3 }, (const uint8_t[]){ 1, 0, 0, 0 },
                                      (const float[]){ 1, 0, 0, 0 });
    draft_floats(draft, type, count, binds);
    return load_draft(draft, SKINNED "," RIG ",'skins':[{'joints':[1,2],'inverseBindMatrices':3}]");
}

// glTF wants unsigned bytes or shorts; joints of other types are read as the numbers they are.
static void joints_of_any_type(void **state)
{
    (void)state;
    // 1, 0, 0, 0 as in a file: the lowest byte first.
    static const uint8_t bytes[4] = { 1 }, shorts[8] = { 1 }, words[16] = { 1 }, floats[16] = { 0, 0, 0x80, 0x3f };
    static const struct {
        int component;
        const void *data;
        size_t size;
    } rows[] = { { I8, bytes, sizeof bytes },
                 { I16, shorts, sizeof shorts },
                 { U32, words, sizeof words },
                 { F32, floats, sizeof floats } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        gltf_draft *draft = draft_start();
        draft_floats(draft, "VEC3", 1, (const float[]){ 1, 2, 3 });
        draft_accessor(draft, draft_view(draft, rows[i].data, rows[i].size, ""), rows[i].component, "VEC4", 1, "");
        draft_floats(draft, "VEC4", 1, (const float[]){ 1, 0, 0, 0 });
        sn_model *model = load_draft(draft, SKINNED "," RIG ",'skins':[{'joints':[1,2]}]");
        sn_vec3 posed;
        skin_into(model, 0, &posed);
        assert_vec3(posed, 1, 22, 3);
        sn_model_free(model);
    }
}

static void inverse_binds_too_many_too_few_or_odd(void **state)
{
    (void)state;
    float binds[48] = { 0 };
    for (int i = 0; i < 3; i++) memcpy(binds + 16 * i, move_back, sizeof move_back);
    sn_model *model = load_binds(3, binds, "MAT4");  // the third is ignored
    assert_int_equal(model->warning_count, 0);
    assert_near(model->skins[0].inverse_bind[1].m[0][3], -1);
    sn_model_free(model);
    model = load_binds(1, binds, "MAT4");
    assert_true(warns_at(model, SNI_WARN_GLTF_SKIN, "/skins/0"));
    assert_near(model->skins[0].inverse_bind[0].m[0][3], -1);
    assert_memory_equal(&model->skins[0].inverse_bind[1], &mat34_identity, sizeof(sn_mat34));
    sn_model_free(model);
    binds[3] = 0.5f;  // not 0,0,0,1: a warning, and the rest is read
    binds[16 + 15] = 2;
    model = load_binds(2, binds, "MAT4");
    assert_int_equal(count_warnings(model, SNI_WARN_GLTF_SKIN), 2);
    assert_near(model->skins[0].inverse_bind[0].m[0][3], -1);
    sn_model_free(model);
    model = load_binds(2, binds, "VEC4");
    assert_int_equal(count_warnings(model, SNI_WARN_GLTF_SKIN), 1);
    assert_memory_equal(&model->skins[0].inverse_bind[0], &mat34_identity, sizeof(sn_mat34));
    sn_model_free(model);
}

static void inverse_binds_by_columns_strided_and_sparse(void **state)
{
    (void)state;
    float rows[2][17] = { { 0 } };
    for (int i = 0; i < 16; i++) rows[0][i] = rows[1][i] = (float)(i + 1);
    for (int c = 0; c < 4; c++) rows[0][c * 4 + 3] = rows[1][c * 4 + 3] = c == 3;
    float replaced[16];
    memcpy(replaced, move_back, sizeof replaced);
    gltf_draft *draft = start_skinned(1, (const float[]){ 1, 2, 3 }, (const uint8_t[4]){ 0 },
                                      (const float[]){ 1, 0, 0, 0 });
    int base = draft_view(draft, rows, sizeof rows, ",'byteStride':68"), index = draft_view(draft, "\x01", 1, "");
    int values = draft_view(draft, replaced, sizeof replaced, "");
    char more[200];
    snprintf(more, sizeof more,
             ",'sparse':{'count':1,'indices':{'bufferView':%d,'componentType':5121},"
             "'values':{'bufferView':%d}}",
             index, values);
    draft_accessor(draft, base, F32, "MAT4", 2, more);
    sn_model *model = load_draft(draft, SKINNED "," RIG ",'skins':[{'joints':[1,2],'inverseBindMatrices':3}]");
    const sn_mat34 *binds = model->skins[0].inverse_bind;
    const sn_mat34 expected = { { { 1, 5, 9, 13 }, { 2, 6, 10, 14 }, { 3, 7, 11, 15 } } };
    const sn_mat34 moved = { { { 1, 0, 0, -1 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    assert_memory_equal(&binds[0], &expected, sizeof expected);
    assert_memory_equal(&binds[1], &moved, sizeof moved);
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
}

static void expect_influences(const sn_model *model, const uint16_t joints[4], const double weights[4])
{
    const sn_mesh *mesh = &model->meshes[0];
    assert_int_equal(mesh->influence_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_near(mesh->vertex_weights[i], weights[i]);
        assert_int_equal(mesh->vertex_joints[i], joints[i]);
    }
}

static void weights_are_made_to_sum_to_one(void **state)
{
    (void)state;
    static const struct {
        uint8_t joints[4];
        float weights[4];
        uint16_t fixed[4];
        double sums[4];
        int32_t code;
    } rows[] = {
        { { 0, 1, 0, 0 }, { 0.25f, 0.75f, 0, 0 }, { 0, 1, 0, 0 }, { 0.25, 0.75, 0, 0 }, 0 },
        { { 0, 1, 0, 0 }, { 1, 1, 0, 0 }, { 0, 1, 0, 0 }, { 0.5, 0.5, 0, 0 }, SNI_WARN_WEIGHT_SUM },
        { { 0, 1, 0, 0 }, { 0.1f, 0.3f, 0, 0 }, { 0, 1, 0, 0 }, { 0.25, 0.75, 0, 0 }, SNI_WARN_WEIGHT_SUM },
        { { 1, 0, 0, 0 }, { 0, 0, 0, 0 }, { 1, 0, 0, 0 }, { 1, 0, 0, 0 }, SNI_WARN_WEIGHT_ZERO },
        { { 0, 1, 0, 0 }, { -1, 1, 0, 0 }, { 0, 1, 0, 0 }, { 0, 1, 0, 0 }, SNI_WARN_WEIGHT_NEGATIVE },
        { { 0, 1, 0, 0 }, { NAN, 1, 0, 0 }, { 0, 1, 0, 0 }, { 0, 1, 0, 0 }, SNI_WARN_WEIGHT_NEGATIVE },
        { { 0, 1, 0, 1 }, { 0.5f, 0.125f, 0.25f, 0.125f }, { 0, 1, 0, 0 }, { 0.75, 0.25, 0, 0 }, SNI_WARN_JOINT_TWICE },
        { { 1, 1, 1, 1 }, { 0.5f, 0, 0.5f, 0 }, { 1, 0, 0, 0 }, { 1, 0, 0, 0 }, SNI_WARN_JOINT_TWICE },
        { { 0, 1, 2, 255 }, { 0.25f, 0.25f, 0.25f, 0.25f }, { 0, 1, 0, 0 }, { 0.5, 0.5, 0, 0 }, SNI_WARN_JOINT_RANGE },
        { { 9, 9, 9, 9 }, { 1, 0, 0, 0 }, { 0, 0, 0, 0 }, { 1, 0, 0, 0 }, SNI_WARN_JOINT_RANGE },
        { { 1, 0, 7, 0 }, { 1, 0, 0, 0 }, { 1, 0, 0, 0 }, { 1, 0, 0, 0 }, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        sn_model *model = load_one_vertex(rows[i].joints, rows[i].weights);
        expect_influences(model, rows[i].fixed, rows[i].sums);
        if (rows[i].code && !warns_at(model, rows[i].code, "/meshes/0/primitives/0"))
            fail_msg("row %zu does not give %s", i, sn_warning_name(rows[i].code));
        sn_model_free(model);
    }
}

// Vertices with the same joints and weights one after the other: each is repaired.
static void equal_vertices_are_repaired_alike(void **state)
{
    (void)state;
    enum { COUNT = 6 };
    static const float row[3][4] = { { 0, 0, 0, 0 }, { 1, 1, 0, 0 }, { 0.25f, 0.75f, 0, 0 } };
    static const double sums[3][4] = { { 1, 0, 0, 0 }, { 0.5, 0.5, 0, 0 }, { 0.25, 0.75, 0, 0 } };
    float positions[COUNT * 3] = { 0 }, weights[COUNT * 4];
    uint8_t joints[COUNT * 4];
    for (int i = 0; i < COUNT; i++) {
        memcpy(weights + (size_t)i * 4, row[i / 2], sizeof row[0]);
        memcpy(joints + (size_t)i * 4, (const uint8_t[]){ 0, 1, 0, 0 }, 4);
    }
    sn_model *model = load_draft(start_skinned(COUNT, positions, joints, weights),
                                 SKINNED "," RIG ",'skins':[{'joints':[1,2]}]");
    const sn_mesh *mesh = &model->meshes[0];
    assert_int_equal(mesh->influence_count, 4);
    for (int i = 0; i < COUNT * 4; i++) assert_near(mesh->vertex_weights[i], sums[i / 8][i % 4]);
    sn_model_free(model);
}

static void a_joint_out_of_range_without_weight_is_told(void **state)
{
    (void)state;
    sn_model *model = load_one_vertex((const uint8_t[]){ 1, 0, 7, 0 }, (const float[]){ 1, 0, 0, 0 });
    uint32_t warnings = model->warning_count;
    sn_model_free(model);
    assert_true(warnings > 0);
}

static void quantised_weights(void **state)
{
    (void)state;
    const float position[3] = { 0 };
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 1, position);
    draft_u16(draft, "VEC4", 1, (const uint16_t[]){ 1, 0, 0, 0 }, "");
    draft_u8(draft, "VEC4", 1, (const uint8_t[]){ 102, 153, 0, 0 }, ",'normalized':true");
    sn_model *model = load_draft(draft, SKINNED "," RIG ",'skins':[{'joints':[1,2]}]");
    expect_influences(model, (const uint16_t[]){ 1, 0, 0, 0 }, (const double[]){ 0.4, 0.6, 0, 0 });
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
    draft = draft_start();
    draft_floats(draft, "VEC3", 1, position);
    draft_u8(draft, "VEC4", 1, (const uint8_t[]){ 1, 0, 0, 0 }, "");
    draft_u16(draft, "VEC4", 1, (const uint16_t[]){ 13107, 52428, 0, 0 }, ",'normalized':true");
    model = load_draft(draft, SKINNED "," RIG ",'skins':[{'joints':[1,2]}]");
    expect_influences(model, (const uint16_t[]){ 1, 0, 0, 0 }, (const double[]){ 0.2, 0.8, 0, 0 });
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
}

static void eight_influences(void **state)
{
    (void)state;
    const uint8_t first[4] = { 0, 1, 2, 3 }, second[4] = { 4, 5, 6, 7 };
    const float eighth[4] = { 0.125f, 0.125f, 0.125f, 0.125f };
    gltf_draft *draft = start_skinned(1, (const float[]){ 0, 0, 0 }, first, eighth);
    draft_u8(draft, "VEC4", 1, second, "");
    draft_floats(draft, "VEC4", 1, eighth);
    sn_model *model = load_draft(
        draft,
        "'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2,'JOINTS_1':3,"
        "'WEIGHTS_1':4}}]}],"
        "'skins':[{'joints':[1,2,3,4,5,6,7,8]}],'nodes':[{'mesh':0,'skin':0},{'translation':[8,0,0]},{},{},{},{},{},{},"
        "{'translation':[0,16,0]}]");
    const sn_mesh *mesh = &model->meshes[0];
    assert_int_equal(mesh->influence_count, 8);
    for (uint16_t i = 0; i < 8; i++) assert_int_equal(mesh->vertex_joints[i], i);
    sn_vec3 posed;
    skin_into(model, 0, &posed);
    assert_vec3(posed, 1, 2, 0);
    sn_model_free(model);
}

static void sets_that_do_not_match(void **state)
{
    (void)state;
    gltf_draft *draft = start_skinned(1, (const float[]){ 0, 0, 0 }, (const uint8_t[]){ 1, 0, 0, 0 },
                                      (const float[]){ 1, 0, 0, 0 });
    sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0,'JOINTS_0':1,"
                                        "'WEIGHTS_0':2,'JOINTS_1':1}}]}]," RIG ",'skins':[{'joints':[1,2]}]");
    expect_influences(model, (const uint16_t[]){ 1, 0, 0, 0 }, (const double[]){ 1, 0, 0, 0 });
    assert_int_equal(count_warnings(model, SNI_WARN_GLTF_ATTRIBUTE), 1);
    sn_model_free(model);
}

static void a_mesh_with_and_without_a_skin(void **state)
{
    (void)state;
    gltf_draft *draft = start_skinned(1, (const float[]){ 1, 2, 3 }, (const uint8_t[]){ 1, 0, 0, 0 },
                                      (const float[]){ 1, 0, 0, 0 });
    sn_model *model = load_draft(draft,
                                 SKINNED ",'skins':[{'joints':[1,2]}],'nodes':[{'mesh':0,'skin':0,"
                                         "'translation':[99,0,0]},"
                                         "{'translation':[10,0,0]},{'translation':[0,20,0]},{'mesh':0,'translation':[0,"
                                         "0,30]}]");
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->part_count, 2);
    assert_int_equal(model->parts[0].skin, 0);
    assert_int_equal(model->parts[1].skin, -1);
    sn_vec3 posed;
    skin_into(model, 0, &posed);
    assert_vec3(posed, 1, 22, 3);
    skin_into(model, 1, &posed);
    assert_vec3(posed, 1, 2, 33);
    sn_model_free(model);
}

// The vertex's second joint exists in the larger skin: there it must follow it.
static void a_mesh_with_two_skins_of_different_size(void **state)
{
    (void)state;
    gltf_draft *draft = start_skinned(1, (const float[]){ 1, 2, 3 }, (const uint8_t[]){ 1, 0, 0, 0 },
                                      (const float[]){ 1, 0, 0, 0 });
    sn_model *model = load_draft(draft,
                                 SKINNED ",'skins':[{'joints':[1,2]},{'joints':[1]}],'nodes':[{'mesh':0,"
                                         "'skin':0},"
                                         "{'translation':[10,0,0]},{'translation':[0,20,0]},{'mesh':0,'skin':1}]");
    sn_vec3 posed = { 0 };
    int32_t part = model->part_count > 0 && model->parts[0].skin == 0 ? 0 : 1;
    if (model->part_count > (uint32_t)part) skin_into(model, part, &posed);
    sn_model_free(model);
    assert_vec3(posed, 1, 22, 3);
}

static void skins_and_weights_without_each_other(void **state)
{
    (void)state;
    gltf_draft *draft = start_skinned(1, (const float[]){ 1, 2, 3 }, (const uint8_t[4]){ 0 },
                                      (const float[]){ 1, 0, 0, 0 });
    sn_model *model = load_draft(draft, SKINNED ",'nodes':[{'mesh':0,'translation':[5,0,0]}]");
    assert_int_equal(count_warnings(model, SNI_WARN_WEIGHTS_WITHOUT_SKIN), 1);
    assert_int_equal(model->meshes[0].influence_count, 0);
    sn_vec3 posed;
    skin_into(model, 0, &posed);
    assert_vec3(posed, 6, 2, 3);
    sn_model_free(model);
    draft = draft_start();
    draft_floats(draft, "VEC3", 1, (const float[]){ 1, 2, 3 });
    model = load_draft(draft, "'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0}}]}],"
                              "'skins':[{'joints':[1]},{'joints':[]}],"
                              "'nodes':[{'mesh':0,'skin':0,'translation':[5,0,0]},{'translation':[10,0,0]},{'mesh':0,"
                              "'skin':1},{'mesh':0,'skin':7}]");
    assert_int_equal(count_warnings(model, SNI_WARN_SKIN_WITHOUT_WEIGHTS), 2);
    assert_int_equal(count_warnings(model, SNI_WARN_SKIN_EMPTY), 1);
    for (int i = 0; i < 3; i++) assert_int_equal(model->parts[i].skin, -1);
    skin_into(model, 0, &posed);
    assert_vec3(posed, 6, 2, 3);
    sn_model_free(model);
}

static void joints_that_name_no_node_keep_their_place(void **state)
{
    (void)state;
    gltf_draft *draft = start_skinned(1, (const float[]){ 1, 2, 3 }, (const uint8_t[]){ 2, 0, 0, 0 },
                                      (const float[]){ 1, 0, 0, 0 });
    sn_model *model = load_draft(draft, SKINNED "," RIG ",'skins':[{'joints':[1,77,2]}]");
    assert_int_equal(count_warnings(model, SNI_WARN_REFERENCE), 1);
    assert_int_equal(model->skins[0].joint_count, 3);
    sn_vec3 posed;
    skin_into(model, 0, &posed);
    assert_vec3(posed, 1, 22, 3);
    sn_model_free(model);
}

// Accessors 0..3: positions, normals, two deltas of positions; 4 is the first as a sparse accessor.
static gltf_draft *start_morphed(void)
{
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 2, (const float[]){ 1, 0, 0, 2, 0, 0 });
    draft_floats(draft, "VEC3", 2, (const float[]){ 0, 0, 1, 0, 0, 1 });
    draft_floats(draft, "VEC3", 2, (const float[]){ 0, 0, 0, 0, 4, 0 });
    draft_floats(draft, "VEC3", 2, (const float[]){ 0, 0, 8, 0, 0, 0 });
    int index = draft_view(draft, "\x01", 1, ""), value = draft_view(draft, ((const float[]){ 0, 4, 0 }), 12, "");
    char more[200];
    snprintf(more, sizeof more,
             ",'sparse':{'count':1,'indices':{'bufferView':%d,'componentType':5121},"
             "'values':{'bufferView':%d}}",
             index, value);
    draft_accessor(draft, -1, F32, "VEC3", 2, more);
    return draft;
}

static void morph_weights_of_node_mesh_or_none(void **state)
{
    (void)state;
    sn_model *model =
        load_draft(start_morphed(),
                   "'meshes':[{'weights':[0.25,-0.5],'extras':{'targetNames':['up','out','more']},"
                   "'primitives':[{'mode':0,'attributes':{'POSITION':0},"
                   "'targets':[{'POSITION':2},{'POSITION':3}]}]},{'primitives':[{'mode':0,'attributes':{'POSITION':0},"
                   "'targets':[{'POSITION':4},{}]}]}],"
                   "'nodes':[{'mesh':0},{'mesh':0,'weights':[2,0.5]},{'mesh':1},{'mesh':1,'weights':[1,1]}]");
    assert_int_equal(model->warning_count, 0 + count_warnings(model, SNI_WARN_JSON_EMPTY));
    assert_int_equal(model->meshes[0].morph_count, 2);
    assert_string_equal(model->meshes[0].morphs[0].name, "up");
    assert_string_equal(model->meshes[0].morphs[1].name, "out");
    assert_string_equal(model->meshes[1].morphs[0].name, "");
    assert_null(model->meshes[1].morphs[1].positions);
    static const double weights[4][2] = { { 0.25, -0.5 }, { 2, 0.5 }, { 0, 0 }, { 1, 1 } };
    static const double places[4][2][3] = { { { 1, 0, -4 }, { 2, 1, 0 } },
                                            { { 1, 0, 4 }, { 2, 8, 0 } },
                                            { { 1, 0, 0 }, { 2, 0, 0 } },
                                            { { 1, 0, 0 }, { 2, 4, 0 } } };
    for (int32_t part = 0; part < 4; part++) {
        sn_vec3 posed[2];
        for (int i = 0; i < 2; i++) assert_near(model->parts[part].morph_weights[i], weights[part][i]);
        skin_into(model, part, posed);
        for (int v = 0; v < 2; v++) assert_vec3(posed[v], places[part][v][0], places[part][v][1], places[part][v][2]);
    }
    sn_model_free(model);
}

static void morph_weights_too_many_or_too_few(void **state)
{
    (void)state;
    sn_model *model =
        load_draft(start_morphed(),
                   "'meshes':[{'weights':[],'primitives':[{'mode':0,'attributes':{'POSITION':0},"
                   "'targets':[{'POSITION':2},{'POSITION':3}]}]}],"
                   "'nodes':[{'mesh':0,'weights':[0.5]},{'mesh':0,'weights':[1,2,3]},{'mesh':0,'weights':[]}]");
    assert_int_equal(count_warnings(model, SNI_WARN_MORPH_COUNT), 2);
    assert_near(model->parts[0].morph_weights[0], 0.5);
    assert_near(model->parts[0].morph_weights[1], 0);
    assert_near(model->parts[1].morph_weights[1], 2);
    assert_near(model->parts[2].morph_weights[0], 0);
    sn_model_free(model);
}

static void morphed_normals_and_what_the_base_lacks(void **state)
{
    (void)state;
    sn_model *model = load_draft(start_morphed(),
                                 "'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0,'NORMAL':1},"
                                 "'targets':[{'NORMAL':2,'TANGENT':3}]},"
                                 "{'mode':0,'attributes':{'POSITION':0},'targets':[{'NORMAL':2}]}]}],'nodes':[{'mesh':"
                                 "0,'weights':[0.25]}]");
    const sn_morph *morph = &model->meshes[0].morphs[0];
    assert_null(morph->positions);
    assert_non_null(morph->normals);
    assert_null(morph->tangents);  // the base has none
    assert_null(model->meshes[1].morphs[0].normals);
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, -1, 0, 0);
    sn_pose_solve(pose, NULL);
    sn_vec3 normals[2];
    sn_skin_part(pose, 0, NULL, normals, NULL);
    assert_vec3(normals[0], 0, 0, 1);
    assert_vec3(normals[1], 0, sqrt(0.5), sqrt(0.5));  // (0,0,1) + 0.25 (0,4,0), made unit
    sn_pose_free(pose);
    sn_model_free(model);
}

static void deltas_of_another_length(void **state)
{
    (void)state;
    gltf_draft *draft = start_morphed();
    draft_floats(draft, "VEC3", 1, (const float[]){ 9, 9, 9 });
    sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0},"
                                        "'targets':[{'POSITION':5},{'POSITION':3}]}]}],"
                                        "'nodes':[{'mesh':0,'weights':[1,1]}]");
    assert_true(model->warning_count > 0);
    if (model->mesh_count > 0) {
        assert_int_equal(model->meshes[0].morph_count, 2);  // numbering stays
        assert_null(model->meshes[0].morphs[0].positions);
    }
    sn_model_free(model);
}

static void morphed_first_then_bent(void **state)
{
    (void)state;
    gltf_draft *draft = start_skinned(1, (const float[]){ 1, 0, 0 }, (const uint8_t[4]){ 0 },
                                      (const float[]){ 1, 0, 0, 0 });
    draft_floats(draft, "VEC3", 1, (const float[]){ 0, 2, 0 });
    sn_model *model =
        load_draft(draft,
                   "'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0,'JOINTS_0':1,'WEIGHTS_0':2},"
                   "'targets':[{'POSITION':3}]}]}],"
                   "'skins':[{'joints':[1]}],'nodes':[{'mesh':0,'skin':0,'weights':[0.5],'translation':[0,0,50]},"
                   "{'translation':[10,0,0],'rotation':[0,0,0.70710678,0.70710678],'scale':[1,3,1]}]");
    sn_vec3 posed;
    skin_into(model, 0, &posed);
    assert_vec3(posed, 7, 1, 0);  // (1,1,0) stretched to (1,3,0), turned to (-3,1,0), moved
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_joints_move_a_skinned_mesh),
        cmocka_unit_test(no_inverse_binds_are_identity),
        cmocka_unit_test(joints_of_any_type),
        cmocka_unit_test(inverse_binds_too_many_too_few_or_odd),
        cmocka_unit_test(inverse_binds_by_columns_strided_and_sparse),
        cmocka_unit_test(weights_are_made_to_sum_to_one),
        cmocka_unit_test(equal_vertices_are_repaired_alike),
        cmocka_unit_test(a_joint_out_of_range_without_weight_is_told),
        cmocka_unit_test(quantised_weights),
        cmocka_unit_test(eight_influences),
        cmocka_unit_test(sets_that_do_not_match),
        cmocka_unit_test(a_mesh_with_and_without_a_skin),
        cmocka_unit_test(a_mesh_with_two_skins_of_different_size),
        cmocka_unit_test(skins_and_weights_without_each_other),
        cmocka_unit_test(joints_that_name_no_node_keep_their_place),
        cmocka_unit_test(morph_weights_of_node_mesh_or_none),
        cmocka_unit_test(morph_weights_too_many_or_too_few),
        cmocka_unit_test(morphed_normals_and_what_the_base_lacks),
        cmocka_unit_test(deltas_of_another_length),
        cmocka_unit_test(morphed_first_then_bent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
