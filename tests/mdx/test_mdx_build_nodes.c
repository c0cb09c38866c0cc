// Objects as nodes: positions, parents, ids, flags; cameras, lights and emitters.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "hand_models.h"
#include "mdl_text.h"

#define SECOND  "Sequences 1 { Anim \"Stand\" { Interval { 0, 1000 }, } } "
#define QUARTER "Rotation 1 { Linear, 0: { 0, 0, 0.707106781, 0.707106781 }, } "

static int32_t find(const sn_model *model, const char *name)
{
    int32_t node = sn_model_find_node(model, name);
    assert_true(node >= 0);
    return node;
}

static void test_nodes_stand_at_their_pivots(void **state)
{
    (void)state;
    sn_model
        *model = mdx_mdl_load(800,
                              "Bone \"Hand\" { ObjectId 0, Parent 2, } Helper \"Arm\" { ObjectId 2, Parent 1, } Bone "
                              "\"Root\" { ObjectId 1, } "
                              "PivotPoints 3 { { 5, 6, 7 }, { 1, 2, 3 }, { 2, 2, 2 }, }",
                              NULL);
    assert_vec3(mdx_mdl_place(model, "Hand", -1, 0, 0), 5, 6, 7);
    assert_vec3(model->nodes[find(model, "Hand")].rest.translation, 3, 4, 5);
    assert_vec3(model->nodes[find(model, "Arm")].rest.translation, 1, 0, -1);
    assert_int_equal(model->nodes[find(model, "Hand")].id, 0);
    assert_int_equal(model->nodes[find(model, "Arm")].id, 2);
    assert_int_equal(model->nodes[find(model, "Hand")].parent, find(model, "Arm"));
    assert_int_equal(model->up_axis, SN_Z_UP);
    sn_model_free(model);
}

// T + p + R S (v - p): the vertex rotates and scales about the pivot.
static void test_a_bone_rotates_about_its_pivot(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(800,
                                   SECOND
                                   "Geoset { Vertices 3 { { 11, 0, 0 }, { 10, 2, 0 }, { 10, 0, 0 }, } Faces 1 3 { "
                                   "Triangles { { 0, 1, 2 }, } } VertexGroup { 0, 0, 0, } "
                                   "Groups 1 1 { Matrices { 0 }, } } Bone \"Root\" { ObjectId 0, Translation 1 { "
                                   "Linear, 0: { 0, 0, 4 }, } " QUARTER
                                   "Scaling 1 { Linear, 0: { 3, 1, 1 }, } } PivotPoints 1 { { 10, 0, 0 }, }",
                                   NULL);
    assert_vec3(mdx_mdl_vertex(model, 0, 0, 0, 0), 10, 3, 4);
    assert_vec3(mdx_mdl_vertex(model, 0, 0, 0, 1), 8, 0, 4);
    assert_vec3(mdx_mdl_vertex(model, 0, 0, 0, 2), 10, 0, 4);
    sn_model_free(model);
}

// The parent at the origin rotates 90 degrees about Z, scales by 2 and moves up by 7; the child's pivot is (10,0,0).
// One vertex is beside it at (11,0,0).
static sn_model *below(const char *words)
{
    char text[2048];
    snprintf(text, sizeof text,
             SECOND "Geoset { Vertices 3 { { 11, 0, 0 }, { 10, 0, 0 }, { 10, 1, 0 }, } Faces 1 3 { Triangles { { 0, 1, "
                    "2 }, } } VertexGroup { 0, 0, 0, } "
                    "Groups 1 1 { Matrices { 1 }, } } Bone \"Root\" { ObjectId 0, " QUARTER
                    "Translation 1 { Linear, 0: { 0, 0, 7 }, } Scaling 1 { Linear, 0: { 2, 2, 2 }, } } "
                    "Bone \"Child\" { ObjectId 1, Parent 0, %s } PivotPoints 2 { { 0, 0, 0 }, { 10, 0, 0 }, }",
             words);
    return mdx_mdl_load(800, text, NULL);
}

static void test_what_is_not_inherited(void **state)
{
    (void)state;
    sn_model *model = below("");
    assert_vec3(mdx_mdl_vertex(model, 0, 0, 0, 0), 0, 22, 7);
    sn_model_free(model);
    model = below("DontInherit { Rotation },");
    assert_vec3(mdx_mdl_vertex(model, 0, 0, 0, 1), 0, 20, 7);  // the parent's position applies
    assert_vec3(mdx_mdl_vertex(model, 0, 0, 0, 0), 2, 20, 7);  // but not its rotation
    sn_model_free(model);
    model = below("DontInherit { Scaling },");
    assert_vec3(mdx_mdl_vertex(model, 0, 0, 0, 0), 0, 21, 7);
    sn_model_free(model);
    model = below("DontInherit { Translation }, Translation 1 { Linear, 0: { 0, 1, 0 }, }");
    assert_vec3(mdx_mdl_vertex(model, 0, 0, 0, 1), 10, 1, 0);  // its pivot and its own translation
    assert_vec3(mdx_mdl_vertex(model, 0, 0, 0, 0), 10, 3, 0);  // the parent's rotation and scale still apply
    sn_model_free(model);
}

static sn_vec3 seen_from(const sn_model *model, sn_view view, const sn_mat34 *root, uint32_t vertex)
{
    sn_vec3 places[3];
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, 0, 0, 0);
    sn_pose_set_root(pose, root);
    sn_pose_solve(pose, &view);
    sn_skin_part(pose, 0, places, NULL, NULL);
    sn_pose_free(pose);
    return places[vertex];
}

// The viewer is at +Y: back is Y, right is -X, up is Z.
static void test_billboards_rotate_about_their_pivots(void **state)
{
    (void)state;
    const sn_view from_y = { .right = { -1, 0, 0 }, .up = { 0, 0, 1 }, .back = { 0, 1, 0 } };
    const sn_mat34 aside = {
        { { 0, -1, 0, 100 }, { 1, 0, 0, 0 }, { 0, 0, 1, 0 } }
    };  // 90 degrees about Z, then 100 along X
    sn_model *model = below("Billboarded,");
    assert_vec3(seen_from(model, from_y, NULL, 1), 0, 20, 7);
    assert_vec3(seen_from(model, from_y, NULL, 0), 0, 22, 7);   // +X faces the viewer
    assert_vec3(seen_from(model, from_y, NULL, 2), -2, 20, 7);  // +Y points to the right of the image
    assert_vec3(seen_from(model, from_y, &aside, 1), 80, 0, 7);
    assert_vec3(seen_from(model, from_y, &aside, 0), 80, 2, 7);  // wherever the instance is
    sn_model_free(model);
    model = below("Billboarded, " QUARTER);
    assert_vec3(seen_from(model, from_y, NULL, 0), -2, 20, 7);  // its own rotation first
    sn_model_free(model);
}

// Seen from (0,1,1) and locked to Z: the parent's 90 degrees put +X at +Y already. With the instance rotated by another
// 90 degrees, +X would be at -X and must rotate back by as much.
static void test_billboards_with_a_locked_axis(void **state)
{
    (void)state;
    const float h = (float)sqrt(0.5);
    const sn_view view = { .right = { -1, 0, 0 }, .up = { 0, -h, h }, .back = { 0, h, h } };
    const sn_mat34 about = { { { 0, -1, 0, 0 }, { 1, 0, 0, 0 }, { 0, 0, 1, 0 } } };
    sn_model *model = below("BillboardedLockZ,");
    assert_vec3(seen_from(model, view, NULL, 0), 0, 22, 7);
    assert_vec3(seen_from(model, view, &about, 1), -20, 0, 7);
    assert_vec3(seen_from(model, view, &about, 0), -20, 2, 7);
    sn_model_free(model);
}

static void test_hostile_ids(void **state)
{
    (void)state;
    sn_model *model =
        mdx_mdl_load(800,
                     "Bone \"Self\" { ObjectId 0, Parent 0, } Bone \"Loop\" { ObjectId 1, Parent 2, } Bone "
                     "\"Back\" { ObjectId 2, Parent 1, } "
                     "Bone \"Twin\" { ObjectId 2, Parent 77, } Bone \"Far\" { ObjectId 2147483647, Parent -5, } "
                     "PivotPoints 3 { { 1, 0, 0 }, { 2, 0, 0 }, { 4, 0, 0 }, }",
                     NULL);
    assert_int_equal(model->node_count, 5);
    assert_int_equal(mdx_mdl_warnings(model, "NODE_CYCLE"), 2);
    assert_int_equal(mdx_mdl_warnings(model, "NODE_PARENT"), 2);
    assert_int_equal(mdx_mdl_warnings(model, "MDX_NODE_ID"), 1);
    assert_int_equal(mdx_mdl_warnings(model, "MDX_PIVOT"), 1);
    assert_vec3(mdx_mdl_place(model, "Loop", -1, 0, 0), 2, 0, 0);  // a node without its parent is still at its pivot
    assert_vec3(mdx_mdl_place(model, "Back", -1, 0, 0), 4, 0, 0);
    assert_vec3(mdx_mdl_place(model, "Twin", -1, 0, 0), 4, 0, 0);
    sn_model_free(model);
}

static void test_lint_checks_extras(void **state)
{
    (void)state;
    const char *text = "Bone \"B\" { ObjectId 0, GeosetId 3, GeosetAnimId 4, } ParticleEmitter2 \"P\" { ObjectId 1, "
                       "TextureID 5, Rows 0, Columns 1, } "
                       "RibbonEmitter \"R\" { ObjectId 2, MaterialID 6, } EventObject \"SNDxAFOO\" { ObjectId 3, "
                       "EventTrack 1 { GlobalSeqId 7, 0, } } "
                       "PivotPoints 5 { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, }";
    const sn_load_opts opts = { .lint = true };
    sn_model *model = mdx_mdl_load(800, text, &opts);
    assert_int_equal(mdx_mdl_warnings(model, "REFERENCE"), 5);
    assert_int_equal(mdx_mdl_warnings(model, "VALUE_RANGE"), 1);
    assert_int_equal(mdx_mdl_warnings(model, "MDX_PIVOT"), 1);
    sn_model_free(model);
    model = mdx_mdl_load(800, text, NULL);
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
}

static void test_lights(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(800,
                                   SECOND "Sequences 1 { Anim \"Dark\" { Interval { 5000, 6000 }, } } "
                                          "Light \"Fire\" { ObjectId 0, Omnidirectional, static AttenuationStart 80, "
                                          "static AttenuationEnd 200, static Intensity 2, "
                                          "Color 1 { Linear, 0: { 0.25, 0.5, 1 }, } static AmbIntensity 0.5, static "
                                          "AmbColor { 0, 0, 1 }, } PivotPoints 1 { { 1, 2, 3 }, }",
                                   NULL);
    const sn_light *light = &model->lights[0];
    assert_int_equal(light->kind, SN_LIGHT_POINT);
    assert_near(light->range, 200);
    assert_near(light->intensity, 2);
    assert_int_equal(light->node, 0);
    assert_non_null(strstr(model->nodes[0].extras, "\"attenuationStart\":80"));
    assert_non_null(strstr(model->nodes[0].extras, "\"ambColor\":[1,0,0]"));  // blue, green, red in MDL
    const sn_track *track = &model->clips[0].tracks[0];
    assert_int_equal(track->target_kind, SN_TARGET_LIGHT);
    assert_near(track->values[0], 1);
    assert_near(track->values[1], 0.5);
    assert_near(track->values[2], 0.25);
    assert_int_equal(model->clips[1].track_count, 1);
    for (int i = 0; i < 3; i++) assert_near(model->clips[1].tracks[0].values[i], 0);  // no key: black
    sn_model_free(model);
}

// It is at (0,-10,0) and looks at the origin, along +Y; then its target moves to (10,-10,0), along +X.
static void test_cameras_look_at_their_target(void **state)
{
    (void)state;
    sn_model *model = mdx_mdl_load(
        800,
        SECOND "Camera \"Cam\" { Position { 0, -10, 0 }, FieldOfView 0.9, FarClip 1000, NearClip 8, "
               "Translation 2 { Linear, 0: { 0, 0, 0 }, 1000: { 0, 0, 5 }, } "
               "Target { Position { 0, 0, 0 }, Translation 2 { Linear, 0: { 0, 0, 0 }, 1000: { 10, -10, 5 }, } } }",
        NULL);
    const sn_camera *camera = &model->cameras[0];
    assert_near(camera->fov_y, 0.9);
    assert_near(camera->far_plane, 1000);
    assert_near(camera->near_plane, 8);
    assert_string_equal(camera->extras, "{\"target\":[0,0,0]}");
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_mat34 world = sn_pose_world(pose, camera->node);
    assert_vec3(((sn_vec3){ world.m[0][2], world.m[1][2], world.m[2][2] }), 0, -1, 0);  // back
    assert_vec3(((sn_vec3){ world.m[0][1], world.m[1][1], world.m[2][1] }), 0, 0, 1);   // up
    sn_pose_sample(pose, 0, 1, 0);
    sn_pose_solve(pose, NULL);
    world = sn_pose_world(pose, camera->node);
    assert_vec3(((sn_vec3){ world.m[0][3], world.m[1][3], world.m[2][3] }), 0, -10, 5);
    assert_vec3(((sn_vec3){ world.m[0][2], world.m[1][2], world.m[2][2] }), -1, 0, 0);
    sn_pose_free(pose);
    sn_model_free(model);
}

static void test_extras_of_objects(void **state)
{
    (void)state;
    sn_model *model =
        mdx_mdl_load(800,
                     "ParticleEmitter2 \"Smoke\" { ObjectId 0, Unshaded, ModelSpace, static Speed 50, "
                     "EmissionRate 2 { Linear, 0: 1, 500: 20, } LifeSpan 1.5, "
                     "Additive, Rows 2, Columns 4, Both, Squirt, TextureID 0, } "
                     "EventObject \"SNDxAFOO\" { ObjectId 1, EventTrack 2 { 100, 900, } } "
                     "CollisionShape \"Hit\" { ObjectId 2, Sphere, Vertices 1 { { 1, 2, 3 }, } BoundsRadius 40, } "
                     "Attachment \"Hand Right Ref\" { ObjectId 3, AttachmentID 5, Path \"sword.mdx\", } "
                     "PivotPoints 4 { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, }",
                     NULL);
    const char *smoke = model->nodes[find(model, "Smoke")].extras;
    assert_non_null(strstr(smoke, "\"kind\":\"ParticleEmitter2\""));
    assert_non_null(strstr(smoke, "\"speed\":50"));
    assert_non_null(strstr(smoke, "\"filterMode\":\"additive\""));
    assert_non_null(strstr(smoke, "\"particles\":\"both\""));
    assert_non_null(strstr(smoke, "\"modelSpace\":true"));
    assert_non_null(
        strstr(smoke,
               "\"tracks\":{\"emissionRate\":{\"interpolation\":\"linear\",\"times\":[0,500],\"values\":[1,20]}}"));
    assert_string_equal(model->nodes[find(model, "SNDxAFOO")].extras, "{\"kind\":\"EventObject\",\"times\":[100,900]}");
    assert_string_equal(model->nodes[find(model, "Hit")].extras,
                        "{\"kind\":\"CollisionShape\",\"shape\":\"sphere\",\"values\":[1,2,3,40]}");
    assert_string_equal(model->nodes[find(model, "Hand Right Ref")].extras,
                        "{\"kind\":\"Attachment\",\"path\":\"sword.mdx\",\"attachmentID\":5}");
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nodes_stand_at_their_pivots),
        cmocka_unit_test(test_a_bone_rotates_about_its_pivot),
        cmocka_unit_test(test_what_is_not_inherited),
        cmocka_unit_test(test_billboards_rotate_about_their_pivots),
        cmocka_unit_test(test_billboards_with_a_locked_axis),
        cmocka_unit_test(test_hostile_ids),
        cmocka_unit_test(test_lint_checks_extras),
        cmocka_unit_test(test_lights),
        cmocka_unit_test(test_cameras_look_at_their_target),
        cmocka_unit_test(test_extras_of_objects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
