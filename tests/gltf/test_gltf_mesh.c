// glTF primitives: the seven modes as lists, indices of every kind, attributes and what is wrong with them.
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

static const float corners[15] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 2, 2, 2 };

#define ONE_NODE "'nodes':[{'mesh':0}]"

static void expect_indices(const sn_mesh *mesh, sn_topology topology, uint32_t count, const uint32_t *indices)
{
    assert_int_equal(mesh->topology, topology);
    assert_int_equal(mesh->index_count, count);
    if (count > 0) assert_memory_equal(mesh->indices, indices, count * sizeof *indices);
}

typedef struct mode_row {
    int mode;
    sn_topology topology;
    uint32_t count;
    uint32_t given[16], plain[16];
} mode_row;

// Five vertices, named in the order 4 2 0 1 3, then without indices in their own.
// clang-format off
static const mode_row modes[] = {
    { 0, SN_POINTS, 5, { 4, 2, 0, 1, 3 }, { 0, 1, 2, 3, 4 } },
    { 1, SN_LINES, 4, { 4, 2, 0, 1 }, { 0, 1, 2, 3 } },
    { 2, SN_LINES, 10, { 4, 2, 2, 0, 0, 1, 1, 3, 3, 4 }, { 0, 1, 1, 2, 2, 3, 3, 4, 4, 0 } },
    { 3, SN_LINES, 8, { 4, 2, 2, 0, 0, 1, 1, 3 }, { 0, 1, 1, 2, 2, 3, 3, 4 } },
    { 4, SN_TRIANGLES, 3, { 4, 2, 0 }, { 0, 1, 2 } },
    { 5, SN_TRIANGLES, 9, { 4, 2, 0, 2, 1, 0, 0, 1, 3 }, { 0, 1, 2, 1, 3, 2, 2, 3, 4 } },
    { 6, SN_TRIANGLES, 9, { 2, 0, 4, 0, 1, 4, 1, 3, 4 }, { 1, 2, 0, 2, 3, 0, 3, 4, 0 } },
};
// clang-format on

static void modes_become_lists(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        gltf_draft *draft = draft_start();
        draft_floats(draft, "VEC3", 5, corners);
        draft_u8(draft, "SCALAR", 5, (const uint8_t[]){ 4, 2, 0, 1, 3 }, "");
        sn_model *model = load_draft(draft,
                                     "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1,"
                                     "'mode':%d},"
                                     "{'attributes':{'POSITION':0},'mode':%d}]}]," ONE_NODE,
                                     modes[i].mode, modes[i].mode);
        assert_int_equal(model->mesh_count, 2);
        expect_indices(&model->meshes[0], modes[i].topology, modes[i].count, modes[i].given);
        expect_indices(&model->meshes[1], modes[i].topology, modes[i].count, modes[i].plain);
        bool has_rest = modes[i].mode == 1 || modes[i].mode == 4;  // five are no lines and no triangles
        assert_int_equal(count_warnings(model, SNI_WARN_INDEX_COUNT), has_rest ? 2 : 0);
        sn_model_free(model);
    }
}

static void triangles_are_the_default(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 3, corners);
    sn_model *model = load_draft(draft, "'meshes':[{'name':'m','extras':{'a':1},"
                                        "'primitives':[{'attributes':{'POSITION':0}}]}]," ONE_NODE);
    expect_indices(&model->meshes[0], SN_TRIANGLES, 3, (const uint32_t[]){ 0, 1, 2 });
    assert_string_equal(model->meshes[0].name, "m");
    assert_string_equal(model->meshes[0].extras, "{\"a\":1}");
    assert_null(model->meshes[0].normals);
    assert_int_equal(model->parts[0].material, -1);
    assert_int_equal(model->parts[0].skin, -1);
    assert_null(model->parts[0].morph_weights);
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
}

// Too few for a single face: the part is left out with a warning.
static void too_few_for_a_face(void **state)
{
    (void)state;
    static const struct {
        int mode;
        uint32_t count;
    } rows[] = { { 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 2 }, { 5, 2 }, { 6, 2 } };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gltf_draft *draft = draft_start();
        draft_floats(draft, "VEC3", rows[i].count, corners);
        sn_model *model = load_draft(draft,
                                     "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':%d}]}],"
                                     "" ONE_NODE,
                                     rows[i].mode);
        assert_true(model->mesh_count == 0 || model->meshes[0].index_count == 0);
        uint32_t warnings = model->warning_count;
        sn_model_free(model);
        if (warnings == 0) fail_msg("mode %d of %u vertices is not reported", rows[i].mode, rows[i].count);
    }
}

static void unknown_modes_are_left_out(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 3, corners);
    sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':7},"
                                        "{'attributes':{'POSITION':0},'mode':4294967295},"
                                        "{'attributes':{'POSITION':0}}]}]," ONE_NODE);
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->part_count, 1);
    assert_int_equal(count_warnings(model, SNI_WARN_GLTF_PRIMITIVE), 2);
    sn_model_free(model);
}

static void index_types(void **state)
{
    (void)state;
    static const struct {
        int type;
        const char *raw;
        size_t size;
    } rows[] = {
        { U8, "\x02\x00\x01", 3 },
        { U16, "\x02\x00\x00\x00\x01\x00", 6 },
        { U32, "\x02\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00", 12 },
    };
    for (size_t i = 0; i < 3; i++) {
        gltf_draft *draft = draft_start();
        draft_floats(draft, "VEC3", 3, corners);
        draft_accessor(draft, draft_view(draft, rows[i].raw, rows[i].size, ""), rows[i].type, "SCALAR", 3, "");
        sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}],"
                                            "" ONE_NODE);
        expect_indices(&model->meshes[0], SN_TRIANGLES, 3, (const uint32_t[]){ 2, 0, 1 });
        assert_int_equal(model->warning_count, 0);
        sn_model_free(model);
    }
}

static void indices_of_high_values(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_accessor(draft, -1, F32, "VEC3", 70000, "");
    const uint32_t given[3] = { 69999, 0, 65536 };
    draft_accessor(draft, draft_view(draft, given, sizeof given, ""), U32, "SCALAR", 3, "");
    sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}],"
                                        "" ONE_NODE);
    expect_indices(&model->meshes[0], SN_TRIANGLES, 3, given);
    sn_model_free(model);
}

static void indices_out_of_range_cost_the_face(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 3, corners);
    draft_u8(draft, "SCALAR", 9, (const uint8_t[]){ 0, 1, 3, 2, 1, 0, 255, 0, 1 }, "");
    draft_u16(draft, "SCALAR", 5, (const uint16_t[]){ 0, 1, 2, 3, 1 }, "");
    const uint32_t far[3] = { 0xFFFFFFFF, 0x80000000, 3 };
    draft_accessor(draft, draft_view(draft, far, sizeof far, ""), U32, "SCALAR", 3, "");
    sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1},"
                                        "{'attributes':{'POSITION':0},'indices':2,'mode':3},"
                                        "{'attributes':{'POSITION':0},'indices':3,'mode':0}]}]," ONE_NODE);
    expect_indices(&model->meshes[0], SN_TRIANGLES, 3, (const uint32_t[]){ 2, 1, 0 });
    expect_indices(&model->meshes[1], SN_LINES, 4, (const uint32_t[]){ 0, 1, 1, 2 });
    expect_indices(&model->meshes[2], SN_POINTS, 0, NULL);
    assert_true(warns_at(model, SNI_WARN_INDEX_RANGE, "/meshes/0/primitives/0"));
    assert_true(warns_at(model, SNI_WARN_INDEX_RANGE, "/meshes/0/primitives/1"));
    assert_true(warns_at(model, SNI_WARN_INDEX_RANGE, "/meshes/0/primitives/2"));
    sn_model_free(model);
}

// 255 as a byte starts a new strip in hardware: illegal even where vertex 255 exists.
static void restart_values_are_told(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_accessor(draft, -1, F32, "VEC3", 256, "");
    draft_u8(draft, "SCALAR", 3, (const uint8_t[]){ 0, 1, 255 }, "");
    sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}],"
                                        "" ONE_NODE);
    uint32_t warnings = model->warning_count;
    sn_model_free(model);
    assert_true(warnings > 0);
}

static void indices_that_are_no_index_list(void **state)
{
    (void)state;
    static const struct {
        int component;
        const char *type, *more;
    } rows[] = {
        { U8, "VEC2", "" },
        { F32, "SCALAR", "" },
        { I8, "SCALAR", "" },
        { I16, "SCALAR", "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gltf_draft *draft = draft_start();
        draft_floats(draft, "VEC3", 3, corners);
        draft_accessor(draft, draft_view(draft, corners, 12, ""), rows[i].component, rows[i].type, 3, rows[i].more);
        sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}],"
                                            "" ONE_NODE);
        uint32_t warnings = model->warning_count;
        sn_model_free(model);
        if (warnings == 0) fail_msg("indices of %s %d are not reported", rows[i].type, rows[i].component);
    }
}

static void no_positions_no_mesh(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 3, corners);
    sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'attributes':{'NORMAL':0}},{'attributes':{}},{},"
                                        "{'attributes':{'POSITION':5}},{'attributes':{'POSITION':-1}},"
                                        "{'attributes':{'position':0}}]},"
                                        "{'primitives':[]},{}]," ONE_NODE);
    assert_int_equal(model->mesh_count, 0);
    assert_int_equal(model->part_count, 0);
    assert_int_equal(count_warnings(model, SNI_WARN_GLTF_PRIMITIVE), 6);
    sn_model_free(model);
}

static void attributes_of_another_length(void **state)
{
    (void)state;
    const float normals[9] = { 0, 0, 1, 0, 0, 1, 0, 0, 1 };
    static const char *const attributes[] = { "'NORMAL':1", "'TEXCOORD_0':1", "'COLOR_0':1" };
    for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++) {
        for (uint32_t count = 2; count <= 4; count += 2) {
            gltf_draft *draft = draft_start();
            draft_floats(draft, "VEC3", 3, corners);
            draft_accessor(draft, draft_view(draft, normals, sizeof normals, ""), U8, i == 1 ? "VEC2" : "VEC3", count,
                           "");
            sn_model *model = load_draft(draft,
                                         "'meshes':[{'primitives':[{'attributes':{'POSITION':0,%s}}]}],"
                                         "" ONE_NODE,
                                         attributes[i]);
            assert_true(model->warning_count > 0);  // the primitive goes, or the attribute
            if (model->mesh_count > 0) {
                const sn_mesh *mesh = &model->meshes[0];
                assert_null(mesh->normals);
                assert_true(mesh->uv_count == 0 || !mesh->uvs[0]);
                assert_true(mesh->color_count == 0 || !mesh->colors[0]);
                assert_int_equal(mesh->vertex_count, 3);
            }
            sn_model_free(model);
        }
    }
}

static void expect_color(const sn_vec4 *color, double x, double y, double z, double w)
{
    assert_near(color->x, x);
    assert_near(color->y, y);
    assert_near(color->z, z);
    assert_near(color->w, w);
}

static void colours_of_every_kind(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 2, corners);
    draft_floats(draft, "VEC3", 2, (const float[]){ 0.25f, 0.5f, 0.75f, 1, 0, 0 });
    draft_floats(draft, "VEC4", 2, (const float[]){ 0.25f, 0.5f, 0.75f, 0.125f, 1, 0, 0, 1 });
    draft_u8(draft, "VEC4", 2, (const uint8_t[]){ 0, 51, 102, 153, 255, 204, 0, 0 }, ",'normalized':true");
    draft_u16(draft, "VEC3", 2, (const uint16_t[]){ 0, 13107, 65535, 26214, 39321, 52428 }, ",'normalized':true");
    sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'mode':1,'attributes':"
                                        "{'POSITION':0,'COLOR_0':1,'COLOR_1':2,'COLOR_2':3,'COLOR_3':4}}]}]," ONE_NODE);
    const sn_mesh *mesh = &model->meshes[0];
    assert_int_equal(mesh->color_count, 4);
    expect_color(&mesh->colors[0][0], 0.25, 0.5, 0.75, 1);  // three components: alpha 1
    expect_color(&mesh->colors[0][1], 1, 0, 0, 1);
    expect_color(&mesh->colors[1][0], 0.25, 0.5, 0.75, 0.125);
    expect_color(&mesh->colors[2][0], 0, 0.2, 0.4, 0.6);
    expect_color(&mesh->colors[2][1], 1, 0.8, 0, 0);
    expect_color(&mesh->colors[3][0], 0, 0.2, 1, 1);
    expect_color(&mesh->colors[3][1], 0.4, 0.6, 0.8, 1);
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
}

static void texture_coordinates_of_every_kind(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 2, corners);
    draft_floats(draft, "VEC2", 2, (const float[]){ -1.5f, 0.25f, 2, 3 });
    draft_u8(draft, "VEC2", 2, (const uint8_t[]){ 0, 255, 51, 102 }, ",'normalized':true");
    draft_u16(draft, "VEC2", 2, (const uint16_t[]){ 0, 65535, 13107, 26214 }, ",'normalized':true");
    sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'mode':1,'attributes':"
                                        "{'TEXCOORD_2':3,'TEXCOORD_0':1,'POSITION':0,'TEXCOORD_1':2}}]}]," ONE_NODE);
    const sn_mesh *mesh = &model->meshes[0];
    assert_int_equal(mesh->uv_count, 3);
    static const double expected[3][4] = { { -1.5, 0.25, 2, 3 }, { 0, 1, 0.2, 0.4 }, { 0, 1, 0.2, 0.4 } };
    for (int set = 0; set < 3; set++) {
        for (int i = 0; i < 4; i++) assert_near((&mesh->uvs[set][0].x)[i], expected[set][i]);
    }
    sn_model_free(model);
}

static sn_model *load_uv_sets(const char *sets)
{
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 2, corners);
    draft_floats(draft, "VEC2", 2, (const float[]){ 1, 2, 3, 4 });
    return load_draft(draft, "'meshes':[{'primitives':[{'mode':1,'attributes':{'POSITION':0,%s}}]}]," ONE_NODE, sets);
}

static void sets_with_a_gap(void **state)
{
    (void)state;
    sn_model *model = load_uv_sets("'TEXCOORD_0':1,'TEXCOORD_3':1,'TEXCOORD_07':1,'TEXCOORD_':1,'TEXCOORD_x':1,"
                                   "'TEXCOORD_1e1':1");
    const sn_mesh *mesh = &model->meshes[0];
    assert_int_equal(mesh->uv_count, 4);
    assert_non_null(mesh->uvs[0]);
    assert_null(mesh->uvs[1]);
    assert_null(mesh->uvs[2]);
    assert_non_null(mesh->uvs[3]);
    assert_near(mesh->uvs[3][1].y, 4);
    sn_model_free(model);
    model = load_uv_sets("'TEXCOORD_4294967295':1,'TEXCOORD_99999999999999999999':1,'COLOR_100000':1,'_CUSTOM':1");
    assert_int_equal(model->meshes[0].uv_count, 0);
    assert_int_equal(model->meshes[0].color_count, 0);
    sn_model_free(model);
}

static void a_gap_between_sets_is_told(void **state)
{
    (void)state;
    sn_model *model = load_uv_sets("'TEXCOORD_0':1,'TEXCOORD_2':1");
    uint32_t warnings = count_warnings(model, SNI_WARN_GLTF_ATTRIBUTE);
    sn_model_free(model);
    assert_int_equal(warnings, 1);
}

static void directions_are_made_unit(void **state)
{
    (void)state;
    const float normals[9] = { 0, 3, 0, 0, 0, 0, 0.6f, 0, 0.8f };
    const float tangents[12] = { 2, 0, 0, 1, 0, 0, 1, -1, 0, 0, 0, -0.5f };
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 3, corners);
    draft_floats(draft, "VEC3", 3, normals);
    draft_floats(draft, "VEC4", 3, tangents);
    sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':1,'TANGENT':2}},"
                                        "{'attributes':{'POSITION':0,'TANGENT':2}}]}]," ONE_NODE);
    const sn_mesh *mesh = &model->meshes[0];
    assert_vec3(mesh->normals[0], 0, 1, 0);
    assert_vec3(mesh->normals[2], 0.6, 0, 0.8);
    assert_near(mesh->tangents[0].x, 1);
    assert_near(mesh->tangents[0].w, 1);
    assert_near(mesh->tangents[1].w, -1);
    assert_near(mesh->tangents[2].w, -1);
    assert_true(count_warnings(model, SNI_WARN_NORMAL_LENGTH) > 0);
    assert_null(model->meshes[1].tangents);  // given tangents are ignored without normals
    sn_model_free(model);
}

static void quantised_directions(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 2, corners);
    int view = draft_view(draft, "\x00\x7F\x00\x00\x80\x00\x00\x00", 8, ",'byteStride':4");
    draft_accessor(draft, view, I8, "VEC3", 2, ",'normalized':true");
    sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'mode':1,'attributes':{'POSITION':0,'NORMAL':1}}]}],"
                                        "" ONE_NODE);
    assert_vec3(model->meshes[0].normals[0], 0, 1, 0);
    assert_vec3(model->meshes[0].normals[1], -1, 0, 0);
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
}

static void numbers_that_are_not_finite(void **state)
{
    (void)state;
    const float bad[6] = { NAN, 1, INFINITY, -INFINITY, 2, 3 };
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 2, bad);
    sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'mode':1,'attributes':{'POSITION':0}}]}]," ONE_NODE);
    assert_vec3(model->meshes[0].positions[0], 0, 1, 0);
    assert_vec3(model->meshes[0].positions[1], 0, 2, 3);
    assert_int_equal(count_warnings(model, SNI_WARN_NOT_FINITE), 3);
    sn_model_free(model);
}

static void primitives_may_share_vertices(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 4, corners);
    draft_floats(draft, "VEC3", 4, corners + 3);
    draft_u8(draft, "SCALAR", 3, (const uint8_t[]){ 0, 1, 2 }, "");
    draft_u8(draft, "SCALAR", 3, (const uint8_t[]){ 2, 1, 3 }, "");
    sn_model *model = load_draft(draft, "'materials':[{},{}],'meshes':[{'primitives':["
                                        "{'attributes':{'POSITION':0},'indices':2,'material':1},"
                                        "{'attributes':{'POSITION':0},'indices':3,'material':0},"
                                        "{'attributes':{'POSITION':1},'indices':3},"
                                        "{'attributes':{'POSITION':1},'indices':2,'mode':0}]}]," ONE_NODE);
    assert_int_equal(model->mesh_count, 4);
    assert_ptr_equal(model->meshes[0].positions, model->meshes[1].positions);
    assert_ptr_equal(model->meshes[2].positions, model->meshes[3].positions);
    assert_memory_equal(model->meshes[1].positions, corners, 48);
    assert_memory_equal(model->meshes[3].positions, corners + 3, 48);
    expect_indices(&model->meshes[0], SN_TRIANGLES, 3, (const uint32_t[]){ 0, 1, 2 });
    expect_indices(&model->meshes[1], SN_TRIANGLES, 3, (const uint32_t[]){ 2, 1, 3 });
    expect_indices(&model->meshes[3], SN_POINTS, 3, (const uint32_t[]){ 0, 1, 2 });
    static const int32_t materials[4] = { 1, 0, -1, -1 };
    for (int32_t i = 0; i < 4; i++) {
        assert_int_equal(model->parts[i].mesh, i);
        assert_int_equal(model->parts[i].material, materials[i]);
    }
    sn_model_free(model);
}

static void a_mesh_on_several_nodes_and_on_none(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 1, (const float[]){ 1, 0, 0 });
    sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':0}]},"
                                        "{'primitives':[{'attributes':{'POSITION':0},'mode':0}]}],"
                                        "'nodes':[{'mesh':0,'translation':[0,5,0]},{'mesh':0,'scale':[-2,1,1]},"
                                        "{'mesh':9}]");
    assert_int_equal(model->mesh_count, 2);
    assert_int_equal(model->part_count, 2);
    assert_int_equal(count_warnings(model, SNI_WARN_REFERENCE), 1);
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, -1, 0, 0);
    sn_pose_solve(pose, NULL);
    sn_vec3 place;
    sn_skin_part(pose, 0, &place, NULL, NULL);
    assert_vec3(place, 1, 5, 0);
    sn_skin_part(pose, 1, &place, NULL, NULL);
    assert_vec3(place, -2, 0, 0);
    assert_false(sn_pose_mirrors(pose, 0));
    assert_true(sn_pose_mirrors(pose, 1));
    sn_pose_free(pose);
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modes_become_lists),
        cmocka_unit_test(triangles_are_the_default),
        cmocka_unit_test(too_few_for_a_face),
        cmocka_unit_test(unknown_modes_are_left_out),
        cmocka_unit_test(index_types),
        cmocka_unit_test(indices_of_high_values),
        cmocka_unit_test(indices_out_of_range_cost_the_face),
        cmocka_unit_test(restart_values_are_told),
        cmocka_unit_test(indices_that_are_no_index_list),
        cmocka_unit_test(no_positions_no_mesh),
        cmocka_unit_test(attributes_of_another_length),
        cmocka_unit_test(colours_of_every_kind),
        cmocka_unit_test(texture_coordinates_of_every_kind),
        cmocka_unit_test(sets_with_a_gap),
        cmocka_unit_test(a_gap_between_sets_is_told),
        cmocka_unit_test(directions_are_made_unit),
        cmocka_unit_test(quantised_directions),
        cmocka_unit_test(numbers_that_are_not_finite),
        cmocka_unit_test(primitives_may_share_vertices),
        cmocka_unit_test(a_mesh_on_several_nodes_and_on_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
