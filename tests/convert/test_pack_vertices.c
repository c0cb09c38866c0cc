// Vertices interleaved for a vertex buffer; fewer influences at load. Expected bytes are worked out by hand.
#include "check_model.h"
#include "hand_models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const sn_vec3 positions[2] = { { 1, 2, 3 }, { 4, 5, 6 } }, normals[2] = { { 1, 0, 0 }, { 0, 1, 0 } };
static const sn_vec2 uv0[2] = { { 0.5f, 0.25f }, { 1, 0 } };
static const sn_vec4 color0[2] = { { 1, 0.5f, 0, 2 }, { 0.2f, -1, 1, 1 } };
static const uint16_t joints[6] = { 3, 300, 5, 1, 2, 0 };
static const float weights[6] = { 0.2f, 0.3f, 0.5f, 0.5f, 0.5f, 0 };

static sn_mesh make_mesh(const sn_vec2 **uvs, const sn_vec4 **colors)
{
    uvs[0] = NULL, uvs[1] = uv0, colors[0] = color0;
    return (sn_mesh){ .name = "",
                      .topology = SN_POINTS,
                      .vertex_count = 2,
                      .uv_count = 2,
                      .color_count = 1,
                      .influence_count = 3,
                      .positions = positions,
                      .normals = normals,
                      .uvs = uvs,
                      .colors = colors,
                      .vertex_joints = joints,
                      .vertex_weights = weights };
}

static void attributes_are_interleaved(void **state)
{
    (void)state;
    const sn_vec2 *uvs[2];
    const sn_vec4 *colors[1];
    const sn_mesh mesh = make_mesh(uvs, colors);
    const sn_vertex_attribute attributes[] = { { .attribute = SN_ATTRIBUTE_UV, .set = 1, .offset = 0 },
                                               { .attribute = SN_ATTRIBUTE_POSITION, .offset = 8 },
                                               { .attribute = SN_ATTRIBUTE_NORMAL, .offset = 20 },
                                               { .attribute = SN_ATTRIBUTE_TANGENT, .offset = 32 },
                                               { .attribute = SN_ATTRIBUTE_UV, .set = 0, .offset = 48 },
                                               { .attribute = SN_ATTRIBUTE_COLOR, .offset = 56 },
                                               { SN_ATTRIBUTE_COLOR, SN_COMPONENT_U8, .set = 0, .offset = 76 } };
    const sn_vertex_layout layout = { attributes, 7, 80, 0 };
    struct vertex {
        sn_vec2 uv1;
        sn_vec3 position, normal;
        sn_vec4 tangent;
        sn_vec2 uv0;
        sn_vec4 color;
        uint8_t untouched[4], bytes[4];
    } out[2];
    assert_int_equal(sizeof out[0], 80);
    memset(out, 0xAA, sizeof out);
    assert_int_equal(sn_mesh_pack_vertices(&mesh, &layout, out, NULL), SN_OK);
    for (int i = 0; i < 2; i++) {
        assert_memory_equal(&out[i].uv1, &uv0[i], sizeof uv0[i]);
        assert_memory_equal(&out[i].position, &positions[i], sizeof positions[i]);
        assert_memory_equal(&out[i].normal, &normals[i], sizeof normals[i]);
        assert_true(out[i].tangent.x == 1 && out[i].tangent.y == 0 && out[i].tangent.z == 0 && out[i].tangent.w == 1);
        assert_true(out[i].uv0.x == 0 && out[i].uv0.y == 0);
        assert_memory_equal(&out[i].color, &color0[i], sizeof color0[i]);
        for (int k = 0; k < 4; k++) assert_int_equal(out[i].untouched[k], 0xAA);
    }
    const uint8_t first[4] = { 255, 128, 0, 255 }, second[4] = { 51, 0, 255, 255 };  // 0.5 * 255 rounds up, clamped
    assert_memory_equal(out[0].bytes, first, 4);
    assert_memory_equal(out[1].bytes, second, 4);
}

// Heaviest first. Two of 0.5, 0.3, 0.2 are 0.5/0.8 and 0.3/0.8; of equal weights the lower joint comes first.
static void influences_are_reduced(void **state)
{
    (void)state;
    const sn_vec2 *uvs[2];
    const sn_vec4 *colors[1];
    sn_mesh mesh = make_mesh(uvs, colors);
    const sn_vertex_attribute attributes[] = { { SN_ATTRIBUTE_JOINTS, SN_COMPONENT_U16, 0, 0 },
                                               { SN_ATTRIBUTE_WEIGHTS, SN_COMPONENT_F32, 0, 4 },
                                               { SN_ATTRIBUTE_WEIGHTS, SN_COMPONENT_U8, 0, 12 } };
    const sn_vertex_layout layout = { attributes, 3, 16, 2 };
    struct vertex {
        uint16_t joints[2];
        float weights[2];
        uint8_t bytes[4];
    } out[2];
    memset(out, 0, sizeof out);
    assert_int_equal(sn_mesh_pack_vertices(&mesh, &layout, out, NULL), SN_OK);
    assert_int_equal(out[0].joints[0], 5);
    assert_int_equal(out[0].joints[1], 300);
    assert_near(out[0].weights[0], 0.625);
    assert_near(out[0].weights[1], 0.375);
    assert_int_equal(out[0].bytes[0] + out[0].bytes[1], 255);
    assert_int_equal(out[0].bytes[1], 96);  // 0.375 * 255 = 95.6
    assert_int_equal(out[1].joints[0], 1);
    assert_int_equal(out[1].joints[1], 2);
    assert_int_equal(out[1].bytes[0], 127);  // both round to 128: the first gives one back
    assert_int_equal(out[1].bytes[1], 128);

    mesh.influence_count = 0;
    assert_int_equal(sn_mesh_pack_vertices(&mesh, &layout, out, NULL), SN_OK);
    assert_int_equal(out[1].joints[0], 0);
    assert_true(out[1].weights[0] == 1 && out[1].weights[1] == 0);
    assert_int_equal(out[1].bytes[0], 255);
}

static void wrong_layouts_are_refused(void **state)
{
    (void)state;
    const sn_vec2 *uvs[2];
    const sn_vec4 *colors[1];
    const sn_mesh mesh = make_mesh(uvs, colors);
    const struct {
        sn_vertex_attribute attribute;
        uint32_t stride, influences;
        sn_status status;
    } cases[] = { { { SN_ATTRIBUTE_POSITION, SN_COMPONENT_U8, 0, 0 }, 16, 0, SN_ERR_INVALID },
                  { { SN_ATTRIBUTE_POSITION, SN_COMPONENT_F32, 0, 5 }, 16, 0, SN_ERR_INVALID },
                  { { SN_ATTRIBUTE_POSITION, SN_COMPONENT_F32, 0, UINT32_MAX }, 16, 0, SN_ERR_INVALID },
                  { { SN_ATTRIBUTE_WEIGHTS, SN_COMPONENT_U16, 0, 0 }, 16, 0, SN_ERR_INVALID },
                  { { SN_ATTRIBUTE_JOINTS, SN_COMPONENT_F32, 0, 0 }, 16, 0, SN_ERR_INVALID },
                  { { SN_ATTRIBUTE_WEIGHTS, SN_COMPONENT_F32, 0, 0 }, 68, 17, SN_ERR_INVALID },
                  { { (sn_attribute)9, SN_COMPONENT_F32, 0, 0 }, 16, 0, SN_ERR_INVALID },
                  { { SN_ATTRIBUTE_JOINTS, SN_COMPONENT_U8, 0, 0 }, 16, 0, SN_ERR_LIMIT } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t out[136];
        sn_error error;
        const sn_vertex_layout layout = { &cases[i].attribute, 1, cases[i].stride, cases[i].influences };
        assert_int_equal(sn_mesh_pack_vertices(&mesh, &layout, out, &error), cases[i].status);
        check_error(&error);
    }
}

// The sample's meshes with one joint per vertex: the heaviest one of the file, at full weight.
static void loading_limits_influences(void **state)
{
    (void)state;
    sn_error error;
    sn_model *all = sn_load_file(SINEW_SAMPLES "/arm.glb", NULL, &error);
    sn_model *one = sn_load_file(SINEW_SAMPLES "/arm.glb", &(sn_load_opts){ .max_influences = 1 }, &error);
    assert_true(all && one);
    check_model(one);
    assert_int_equal(sn_model_check(one, &error), SN_OK);
    bool was_bent = false;
    for (uint32_t m = 0; m < all->mesh_count; m++) {
        const sn_mesh *from = &all->meshes[m], *to = &one->meshes[m];
        was_bent = was_bent || from->influence_count > 1;
        assert_true(to->influence_count <= 1);
        for (uint32_t v = 0; v < from->vertex_count && from->influence_count > 0; v++) {
            const float *each = from->vertex_weights + (size_t)v * from->influence_count;
            float most = 0;
            for (uint32_t k = 0; k < from->influence_count; k++) most = each[k] > most ? each[k] : most;
            bool is_heaviest = false;
            for (uint32_t k = 0; k < from->influence_count; k++)
                is_heaviest = is_heaviest || (each[k] == most && from->vertex_joints[v * from->influence_count + k] ==
                                                                     to->vertex_joints[v]);
            assert_true(is_heaviest);
            assert_true(to->vertex_weights[v] == 1);
        }
    }
    assert_true(was_bent);
    sn_model_free(all);
    sn_model_free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attributes_are_interleaved),
        cmocka_unit_test(influences_are_reduced),
        cmocka_unit_test(wrong_layouts_are_refused),
        cmocka_unit_test(loading_limits_influences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
