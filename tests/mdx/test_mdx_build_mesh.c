// Geosets: vertices, faces, influences.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hand_models.h"
#include "mdl_text.h"

// Six bones; bone k is at (k,0,0) and moves up by k + 1 in the only sequence.
#define RIG                                                                                                          \
    "Sequences 1 { Anim \"Up\" { Interval { 0, 1000 }, } } "                                                         \
    "Bone \"A\" { ObjectId 0, Translation 1 { Linear, 0: { 0, 0, 1 }, } } Bone \"B\" { ObjectId 1, Translation 1 { " \
    "Linear, 0: { 0, 0, 2 }, } } "                                                                                   \
    "Bone \"C\" { ObjectId 2, Translation 1 { Linear, 0: { 0, 0, 3 }, } } Bone \"D\" { ObjectId 3, Translation 1 { " \
    "Linear, 0: { 0, 0, 4 }, } } "                                                                                   \
    "Bone \"E\" { ObjectId 4, Translation 1 { Linear, 0: { 0, 0, 5 }, } } Bone \"F\" { ObjectId 5, Translation 1 { " \
    "Linear, 0: { 0, 0, 6 }, } } "                                                                                   \
    "PivotPoints 6 { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 }, { 3, 0, 0 }, { 4, 0, 0 }, { 5, 0, 0 }, } "
#define VERTICES \
    "Vertices 4 { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 7, 8, 9 }, } Faces 1 3 { Triangles { { 0, 1, 2 }, } } "

static double height(const sn_model *model, uint32_t vertex) { return mdx_mdl_vertex(model, 0, 0, 0, vertex).z; }

// A group starts at the sum of the sizes before it; each of its nodes has the weight 1 / size.
static void test_groups_of_one_three_and_six(void **state)
{
    (void)state;
    sn_model *model =
        mdx_mdl_load(800,
                     RIG "Geoset { " VERTICES "VertexGroup { 2, 0, 1, 0, } "
                         "Groups 3 10 { Matrices { 5 }, Matrices { 0, 1, 2 }, Matrices { 0, 1, 2, 3, 4, 5 }, } }",
                     NULL);
    assert_within(height(model, 0), (1 + 2 + 3 + 4 + 5 + 6) / 6.0, 1e-6);
    assert_within(height(model, 1), 6, 1e-6);
    assert_within(height(model, 2), (1 + 2 + 3) / 3.0, 1e-6);
    assert_within(height(model, 3), 9 + 6, 1e-5);
    assert_int_equal(model->meshes[0].influence_count, 6);
    assert_int_equal(model->skins[0].joint_count, 6);
    assert_int_equal(model->warning_count, 1);  // no material
    sn_model_free(model);
}

static void test_a_node_twice_in_a_group_has_twice_the_weight(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(800,
                                   RIG "Geoset { " VERTICES
                                       "VertexGroup { 0, 0, 0, 0, } Groups 1 3 { Matrices { 0, 0, 3 }, } }",
                                   NULL);
    assert_within(height(model, 0), (1 + 1 + 4) / 3.0, 1e-6);
    sn_model_free(model);
}

static void test_vertices_without_a_matrix_stay(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(800,
                                   RIG "Geoset { " VERTICES
                                       "VertexGroup { 0, 1, 9, 0, } Groups 2 1 { Matrices { 2 }, Matrices { }, } }",
                                   NULL);
    assert_within(height(model, 0), 3, 1e-6);
    assert_within(height(model, 1), 0, 1e-6);
    assert_within(height(model, 2), 0, 1e-6);
    assert_int_equal(mdx_mdl_warnings(model, "MDX_LOOSE"), 2);
    assert_int_equal(model->meshes[0].influence_count, 1);
    sn_model_free(model);
}

static void test_a_geoset_without_bones_is_rigid(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(800, "Geoset { " VERTICES "}", NULL);
    assert_int_equal(model->parts[0].skin, -1);
    assert_int_equal(model->node_count, 1);
    assert_vec3(mdx_mdl_vertex(model, -1, 0, 0, 3), 7, 8, 9);
    sn_model_free(model);
}

static void test_missing_bones(void **state)
{
    (void)state;
    sn_model *model =
        mdx_mdl_load(800,
                     RIG "Geoset { " VERTICES
                         "VertexGroup { 0, 1, 0, 0, } Groups 2 2 { Matrices { 77 }, Matrices { 4294967295 }, } }",
                     NULL);
    assert_within(height(model, 0), 6, 1e-6);  // the last
    assert_within(height(model, 1), 6, 1e-6);
    assert_int_equal(mdx_mdl_warnings(model, "MDX_BONE"), 2);
    sn_model_free(model);
}

// Four bones and four weights. Without weights the first bone is used; other sums are scaled to 1.
static void test_skin_weights(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(900,
                                   RIG "Geoset { " VERTICES "VertexGroup { } "
                                       "SkinWeights 4 { 0, 5, 0, 0, 51, 204, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, "
                                       "100, 100, 0, 0, 4, 4, 0, 0, 128, 127, 0, 0, } }",
                                   NULL);
    assert_within(height(model, 0), 0.2 * 1 + 0.8 * 6, 1e-5);
    assert_within(height(model, 1), 4, 1e-6);
    assert_within(height(model, 2), (2 + 3) / 2.0, 1e-5);
    assert_within(height(model, 3), 9 + 5, 1e-5);
    assert_int_equal(model->meshes[0].influence_count, 2);
    sn_model_free(model);
}

// A chain of ten bones with awkward pivots: at rest every vertex equals that of the file, bit for bit.
static void test_rest_pose_is_exact(void **state)
{
    (void)state;
    char text[4096];
    size_t used = 0;
    used += (size_t)snprintf(text, sizeof text,
                             "Geoset { Vertices 3 { { 12.3456, -78.9012, 101.101 }, { 0.001, 999.999, -3.3333 }, { "
                             "1e-3, 5.55, 66.6 }, } "
                             "Faces 1 3 { Triangles { { 0, 1, 2 }, } } VertexGroup { 0, 1, 2, } Groups 3 6 { Matrices "
                             "{ 9 }, Matrices { 3, 7 }, Matrices { 1, 2, 9 }, } } ");
    for (int i = 0; i < 10; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "Bone \"B%d\" { ObjectId %d, Parent %d, } ", i, i,
                                 i - 1);
    used += (size_t)snprintf(text + used, sizeof text - used, "PivotPoints 10 { ");
    for (int i = 0; i < 10; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "{ %d.%d1234, -%d.7%d77, 0.0%d9 }, ", i * 37, i,
                                 i * 11, i, i);
    snprintf(text + used, sizeof text - used, "} ");
    sn_model *model = mdx_mdl_load(800, text, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        sn_vec3 place = mdx_mdl_vertex(model, -1, 0, 0, i), stored = model->meshes[0].positions[i];
        assert_within(place.x, stored.x, fabs((double)stored.x) * 1e-7);
        assert_within(place.y, stored.y, fabs((double)stored.y) * 1e-7);
        assert_within(place.z, stored.z, fabs((double)stored.z) * 1e-7);
    }
    sn_model_free(model);
}

static void test_groups_of_faces_are_joined(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(800,
                                   "Geoset { Vertices 4 { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 7, 8, 9 }, } "
                                   "Faces 2 9 { Triangles { { 0, 1, 2 }, { 1, 2, 3, 3, 2, 0 }, } } }",
                                   NULL);
    const uint32_t expected[] = { 0, 1, 2, 1, 2, 3, 3, 2, 0 };
    assert_int_equal(model->meshes[0].index_count, 9);
    assert_memory_equal(model->meshes[0].indices, expected, sizeof expected);
    sn_model_free(model);
}

static void test_attributes_with_a_wrong_count(void **state)
{
    (void)state;
    sn_model *model =
        mdx_mdl_load(800,
                     "Geoset { " VERTICES
                     "Normals 2 { { 0, 0, 1 }, { 0, 0, 1 }, } TVertices 4 { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 }, } "
                     "TVertices 1 { { 0, 0 }, } VertexGroup { 0, 0, 0, 0, } }",
                     NULL);
    assert_null(model->meshes[0].normals);
    assert_int_equal(model->meshes[0].uv_count, 1);
    assert_near(model->meshes[0].uvs[0][3].x, 1);
    assert_int_equal(mdx_mdl_warnings(model, "MDX_VERTEX_COUNT"), 2);
    sn_model_free(model);
}

static void test_levels_of_detail(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(900,
                                   "Geoset { " VERTICES "LevelOfDetail 0, Name \"Body\", } Geoset { " VERTICES
                                   "LevelOfDetail 2, } "
                                   "Geoset { " VERTICES "LevelOfDetail -1, } Geoset { " VERTICES
                                   "LevelOfDetail 2000000000, }",
                                   NULL);
    assert_int_equal(model->parts[0].lod, 0);
    assert_int_equal(model->parts[1].lod, 2);
    assert_int_equal(model->parts[2].lod, -1);
    assert_int_equal(model->parts[3].lod, (int32_t)model->lod_count - 1);
    assert_string_equal(model->meshes[0].name, "Body");
    assert_string_equal(model->meshes[1].name, "Geoset 1");
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_groups_of_one_three_and_six),
        cmocka_unit_test(test_a_node_twice_in_a_group_has_twice_the_weight),
        cmocka_unit_test(test_vertices_without_a_matrix_stay),
        cmocka_unit_test(test_a_geoset_without_bones_is_rigid),
        cmocka_unit_test(test_missing_bones),
        cmocka_unit_test(test_skin_weights),
        cmocka_unit_test(test_rest_pose_is_exact),
        cmocka_unit_test(test_groups_of_faces_are_joined),
        cmocka_unit_test(test_attributes_with_a_wrong_count),
        cmocka_unit_test(test_levels_of_detail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
