// Skins of Dark Cloud and Dark Cloud 2: an arm whose posed vertices are computed by hand.
#include "hand_models.h"
#include "level5_scene.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"

enum { ROOT, SKIN, UPPER, LOWER, FIRST_FINGER, NODES = FIRST_FINGER + 3, VERTICES = 7 };
enum { ON_UPPER, ON_LOWER, ON_BOTH, TOO_LITTLE, TOO_MUCH, LOOSE, ON_FIVE };

static const sn_vec3 about_z = { 0, 0, 1 };

// The arm points along y, with the elbow at 10. The mesh's node is beside it; its vertices are in that node's space.
static const float vertices[VERTICES][3] = { { -5, 5, 0 },  { -5, 15, 0 }, { -5, 12, 0 }, { -5, 12, 0 },
                                             { -5, 12, 0 }, { -5, 3, 1 },  { -5, 12, 0 } };
static const uint32_t faces[] = { 0x213, 9, 0, 0, 1, 2, 3, 4, 5, 4, 5, 6 };

static void add_model(level5_scene *s)
{
    const level5_scene_node nodes[NODES] = {
        { "root", -1, -1, level5_scene_moved(0, 0, 0) },    { "skin", ROOT, 0, level5_scene_moved(5, 0, 0) },
        { "upper", ROOT, -1, level5_scene_moved(0, 0, 0) }, { "lower", UPPER, -1, level5_scene_moved(0, 10, 0) },
        { "thumb", ROOT, -1, level5_scene_moved(0, 0, 0) }, { "ring", ROOT, -1, level5_scene_moved(1, 0, 0) },
        { "little", ROOT, -1, level5_scene_moved(0, 2, 0) }
    };
    const level5_scene_mesh mesh = { .position_count = VERTICES,
                                     .positions = vertices[0],
                                     .faces = faces,
                                     .face_words = sizeof faces / 4,
                                     .primitive_count = 1 };
    level5_scene_mds(s, "arm.mds", nodes, NODES, &mesh, 1);
}

// Dark Cloud 1 has one more track, the first: the mesh's parent, without weights.
static void add_weights(level5_scene *s, bool has_reset)
{
    const level5_scene_key upper[] = { { ON_UPPER, 100, 0, 0, 0 },
                                       { ON_BOTH, 50, 0, 0, 0 },
                                       { TOO_LITTLE, 30, 0, 0, 0 },
                                       { TOO_MUCH, 60, 0, 0, 0 },
                                       { ON_FIVE, 20, 0, 0, 0 } };
    const level5_scene_key lower[] = { { ON_LOWER, 100, 0, 0, 0 },
                                       { ON_BOTH, 50, 0, 0, 0 },
                                       { TOO_LITTLE, 30, 0, 0, 0 },
                                       { TOO_MUCH, 60, 0, 0, 0 },
                                       { ON_FIVE, 20, 0, 0, 0 } };
    const level5_scene_key finger = { ON_FIVE, 20, 0, 0, 0 };
    level5_scene_begin(s, "arm.wgt");
    if (has_reset) level5_scene_track(s, SKIN, ROOT, 20, NULL, 0, false);
    level5_scene_track(s, SKIN, UPPER, 20, upper, 5, false);
    level5_scene_track(s, SKIN, LOWER, 20, lower, 5, false);
    for (int i = 0; i < 3; i++) level5_scene_track(s, SKIN, FIRST_FINGER + i, 20, &finger, 1, i == 2);
}

// Model space in Dark Cloud 2, parent space in Dark Cloud 1, where unused ones are zero. The mesh's own bind matrix
// must not move vertices without weights.
static void add_binds(level5_scene *s, bool is_first)
{
    const level5_scene_matrix zero = { { 0 } };
    const level5_scene_matrix worlds[NODES] = { level5_scene_moved(0, 0, 0), level5_scene_moved(5, 0, 0),
                                                level5_scene_moved(0, 0, 0), level5_scene_moved(0, 10, 0),
                                                level5_scene_moved(0, 0, 0), level5_scene_moved(1, 0, 0),
                                                level5_scene_moved(0, 2, 0) };
    const level5_scene_matrix locals[NODES] = {
        zero, level5_scene_moved(4, 1, 2), worlds[UPPER], worlds[LOWER], worlds[4], worlds[5], worlds[6]
    };
    level5_scene_matrices(s, "arm.bbp", is_first ? locals : worlds, NODES);
}

static void add_elbow_clip(level5_scene *s)
{
    const level5_scene_key keys[] = { level5_scene_turn_key(0, about_z, 0),
                                      level5_scene_turn_key(30, about_z, PI / 2) };
    level5_scene_begin(s, "arm.mot");
    level5_scene_track(s, LOWER, 0, 0, keys, 2, true);
}

static sn_model *load_arm(level5_scene *s, sn_level5_game game)
{
    add_model(s);
    add_weights(s, game == SN_LEVEL5_DARK_CLOUD);
    add_binds(s, game == SN_LEVEL5_DARK_CLOUD);
    add_elbow_clip(s);
    return level5_scene_load(s, "arm.mds", &(sn_load_opts){ .level5_game = game });
}

static void the_bind_pose_leaves_the_mesh_in_place(void **state)
{
    (void)state;
    for (int game = SN_LEVEL5_DARK_CLOUD; game <= SN_LEVEL5_DARK_CLOUD_2; game++) {
        sn_vec3 posed[VERTICES];
        level5_scene *s = level5_scene_open();
        sn_model *model = load_arm(s, (sn_level5_game)game);
        assert_int_equal(model->skin_count, 1);
        assert_int_equal(model->meshes[0].vertex_count, VERTICES);
        skin_at(model, 0, -1, 0, posed);
        for (int i = 0; i < VERTICES; i++) assert_vec3(posed[i], vertices[i][0] + 5, vertices[i][1], vertices[i][2]);
        sn_model_free(model);
        level5_scene_close(s);
    }
}

// The lower arm rotates by 90 degrees: (0, 15, 0) moves to (-5, 10, 0), (0, 12, 0) to (-2, 10, 0).
static void check_posed(const sn_vec3 *posed)
{
    assert_vec3(posed[ON_UPPER], 0, 5, 0);
    assert_vec3(posed[ON_LOWER], -5, 10, 0);
    assert_vec3(posed[ON_BOTH], -1, 11, 0);
    assert_vec3(posed[LOOSE], 0, 3, 1);
    assert_vec3(posed[ON_FIVE], -0.4, 11.6, 0);
}

static void dark_cloud_2_scales_weights_up(void **state)
{
    (void)state;
    sn_vec3 posed[VERTICES];
    level5_scene *s = level5_scene_open();
    sn_model *model = load_arm(s, SN_LEVEL5_DARK_CLOUD_2);
    assert_near(model->clips[0].duration, 1.0);
    skin_at(model, 0, 0, 1.0f, posed);
    check_posed(posed);
    assert_vec3(posed[TOO_LITTLE], -1, 11, 0);
    assert_vec3(posed[TOO_MUCH], -1, 11, 0);
    assert_int_equal(model->meshes[0].influence_count, 5);
    assert_int_equal(count_warnings(model, SNI_WARN_WEIGHT_SUM), 1);  // only the sum above 1
    sn_model_free(model);
    level5_scene_close(s);
}

static void dark_cloud_1_gives_the_rest_to_the_parent(void **state)
{
    (void)state;
    sn_vec3 posed[VERTICES];
    level5_scene *s = level5_scene_open();
    sn_model *model = load_arm(s, SN_LEVEL5_DARK_CLOUD);
    assert_near(model->clips[0].duration, 0.5);
    skin_at(model, 0, 0, 0.5f, posed);
    check_posed(posed);
    assert_vec3(posed[TOO_LITTLE], -0.6, 11.4, 0);  // 0.7 * (0, 12, 0) + 0.3 * (-2, 10, 0)
    assert_vec3(posed[TOO_MUCH], -1, 11, 0);
    sn_model_free(model);
    level5_scene_close(s);
}

static void binds_decide_the_game(void **state)
{
    (void)state;
    for (int game = SN_LEVEL5_DARK_CLOUD; game <= SN_LEVEL5_DARK_CLOUD_2; game++) {
        level5_scene *s = level5_scene_open();
        add_model(s);
        add_weights(s, true);
        add_binds(s, game == SN_LEVEL5_DARK_CLOUD);
        add_elbow_clip(s);
        sn_model *model = level5_scene_load(s, "arm.mds", NULL);
        assert_near(model->clips[0].duration, game == SN_LEVEL5_DARK_CLOUD ? 0.5 : 1.0);
        assert_non_null(strstr(model->extras, game == SN_LEVEL5_DARK_CLOUD ? "\"dc1\"" : "\"dc2\""));
        sn_model_free(model);
        level5_scene_close(s);
    }
}

// In the bind pose all joints move the mesh alike: by the bind of its node (Dark Cloud 2) or by its parent and its own
// matrix (Dark Cloud 1). The rest pose of the MDS differs from the bind pose here.
static void bound_joints_agree(void **state)
{
    (void)state;
    const sn_vec3 about_x = { 1, 0, 0 };
    const level5_scene_matrix hip = level5_scene_turned(about_z, 0.4, 1, 2, 3),
                              knee = level5_scene_turned(about_x, -0.7, 0, 4, 0),
                              mesh_at = level5_scene_turned(about_x, 0.3, 2, 0, 1);
    const uint32_t triangle[] = { 0x213, 3, 0, 0, 1, 2 };
    const float corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    const level5_scene_mesh mesh = {
        .position_count = 3, .positions = corners, .faces = triangle, .face_words = 6, .primitive_count = 1
    };
    for (int game = SN_LEVEL5_DARK_CLOUD; game <= SN_LEVEL5_DARK_CLOUD_2; game++) {
        bool is_first = game == SN_LEVEL5_DARK_CLOUD;
        const level5_scene_node nodes[] = { { "root", -1, -1, level5_scene_moved(0, 1, 0) },
                                            { "mesh", 0, 0, mesh_at },
                                            { "hip", 0, -1, level5_scene_moved(9, 9, 9) },
                                            { "knee", 2, -1, level5_scene_moved(9, 0, 9) } };
        const level5_scene_matrix root = level5_scene_moved(0, 1, 0), zero = { { 0 } };
        const level5_scene_matrix locals[] = { zero, zero, hip, knee };
        const level5_scene_matrix worlds[] = { root, level5_scene_times(root, mesh_at), level5_scene_times(root, hip),
                                               level5_scene_times(level5_scene_times(root, hip), knee) };
        const level5_scene_key half[] = { { 0, 50, 0, 0, 0 }, { 1, 50, 0, 0, 0 }, { 2, 50, 0, 0, 0 } };
        const level5_scene_key turn_hip = level5_scene_turn_key(0, about_z, 0.4),
                               turn_knee = level5_scene_turn_key(0, about_x, -0.7), hip_at = { 0, 1, 2, 3, 0 },
                               knee_at = { 0, 0, 4, 0, 0 };
        level5_scene *s = level5_scene_open();
        level5_scene_mds(s, "leg.mds", nodes, 4, &mesh, 1);
        level5_scene_matrices(s, "leg.bbp", is_first ? locals : worlds, 4);
        level5_scene_begin(s, "leg.wgt");
        level5_scene_track(s, 1, 0, 20, NULL, 0, false);
        level5_scene_track(s, 1, 2, 20, half, 3, false);
        level5_scene_track(s, 1, 3, 20, half, 3, true);
        level5_scene_begin(s, "leg.mot");
        level5_scene_track(s, 2, 0, 0, &turn_hip, 1, false);
        level5_scene_track(s, 2, 0, 2, &hip_at, 1, false);
        level5_scene_track(s, 3, 0, 0, &turn_knee, 1, false);
        level5_scene_track(s, 3, 0, 2, &knee_at, 1, true);
        sn_model *model = level5_scene_load(s, "leg.mds", &(sn_load_opts){ .level5_game = (sn_level5_game)game });
        sn_pose *pose = sn_pose_create(model, NULL, NULL);
        sn_pose_sample(pose, 0, 0, 0);
        sn_pose_solve(pose, NULL);
        const sn_mat34 *palette = sn_pose_palette(pose, 0);
        level5_scene_matrix expected = worlds[1];
        assert_int_equal(model->skins[0].joint_count, 2);
        for (uint32_t j = 0; j < 2; j++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 4; c++) assert_within(palette[j].m[r][c], expected.m[c * 4 + r], 1e-5);
        sn_pose_free(pose);
        sn_model_free(model);
        level5_scene_close(s);
    }
}

static void a_bone_outside_uses_the_rest_pose(void **state)
{
    (void)state;
    const uint32_t triangle[] = { 0x213, 3, 0, 0, 1, 2 };
    const float corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    const level5_scene_mesh mesh = {
        .position_count = 3, .positions = corners, .faces = triangle, .face_words = 6, .primitive_count = 1
    };
    const level5_scene_node nodes[] = { { "root", -1, -1, level5_scene_moved(0, 0, 0) },
                                        { "tail", 0, -1, level5_scene_moved(0, 0, 5) },
                                        { "holder", 0, -1, level5_scene_moved(3, 0, 0) },
                                        { "mesh", 2, 0, level5_scene_moved(0, 1, 0) } };
    const level5_scene_key all[] = { { 0, 100, 0, 0, 0 }, { 1, 100, 0, 0, 0 }, { 2, 100, 0, 0, 0 } },
                           turn = level5_scene_turn_key(0, about_z, PI / 2), move = { 0, 9, 9, 9, 0 };
    sn_vec3 posed[3];
    level5_scene *s = level5_scene_open();
    level5_scene_mds(s, "a.mds", nodes, 4, &mesh, 1);
    level5_scene_begin(s, "a.wgt");
    level5_scene_track(s, 3, 2, 20, NULL, 0, false);
    level5_scene_track(s, 3, 1, 20, all, 3, true);
    level5_scene_begin(s, "a.mot");
    level5_scene_track(s, 3, 0, 2, &move, 1, false);  // no effect: the bone does not follow, with a warning
    level5_scene_track(s, 1, 0, 0, &turn, 1, true);
    sn_model *model = level5_scene_load(s, "a.mds", &(sn_load_opts){ .level5_game = SN_LEVEL5_DARK_CLOUD });
    skin_at(model, 0, -1, 0, posed);
    assert_vec3(posed[1], 4, 1, 0);
    skin_at(model, 0, 0, 0, posed);
    assert_vec3(posed[1], -1, 4, 0);  // about the tail's origin on the z axis
    assert_int_equal(count_warnings(model, SNI_WARN_LEVEL5_SKIN_MOVES), 1);
    sn_model_free(model);
    level5_scene_close(s);
}

// Duplicate pairs are added; vertices and bones that do not exist are reported.
static void weights_add_up(void **state)
{
    (void)state;
    level5_scene *s = level5_scene_open();
    const level5_scene_key twice[] = { { 0, 40, 0, 0, 0 },
                                       { 0, 60, 0, 0, 0 },
                                       { 99, 100, 0, 0, 0 },
                                       { 1, NAN, 0, 0, 0 } },
                           all[] = { { 1, 100, 0, 0, 0 } };
    add_model(s);
    level5_scene_begin(s, "arm.wgt");
    level5_scene_track(s, SKIN, UPPER, 20, twice, 4, false);
    level5_scene_track(s, SKIN, 77, 20, all, 1, false);
    level5_scene_track(s, SKIN, LOWER, 200, all, 1, false);
    level5_scene_track(s, ROOT, LOWER, 20, all, 1, true);
    sn_model *model = level5_scene_load(s, "arm.mds", NULL);
    assert_int_equal(model->skins[0].joint_count, 2);
    assert_int_equal(model->skins[0].joints[0], UPPER);
    assert_int_equal(model->skins[0].joints[1], SKIN);  // all others
    assert_int_equal(model->meshes[0].influence_count, 1);
    assert_int_equal(count_warnings(model, SNI_WARN_INDEX_RANGE), 1);
    assert_int_equal(count_warnings(model, SNI_WARN_NOT_FINITE), 1);
    assert_int_equal(count_warnings(model, SNI_WARN_TRACK_TARGET), 2);
    sn_model_free(model);
    level5_scene_close(s);
}

// The mesh's node moves from x = 5 to 50 while the lower arm rotates as in check_posed. Dark Cloud 2 ignores that for
// vertices with weights; Dark Cloud 1 moves all vertices by 45.
static void dark_cloud_1_moves_a_skinned_mesh_with_its_node(void **state)
{
    (void)state;
    const level5_scene_key move = { 0, 50, 0, 0, 0 }, turn = level5_scene_turn_key(0, about_z, PI / 2);
    for (int game = SN_LEVEL5_DARK_CLOUD; game <= SN_LEVEL5_DARK_CLOUD_2; game++) {
        sn_vec3 posed[VERTICES];
        float moved = game == SN_LEVEL5_DARK_CLOUD ? 45 : 0;
        level5_scene *s = level5_scene_open();
        add_model(s);
        add_weights(s, true);
        add_binds(s, game == SN_LEVEL5_DARK_CLOUD);
        level5_scene_begin(s, "arm.mot");
        level5_scene_track(s, SKIN, 0, 2, &move, 1, false);
        level5_scene_track(s, LOWER, 0, 0, &turn, 1, true);
        sn_model *model = level5_scene_load(s, "arm.mds", &(sn_load_opts){ .level5_game = (sn_level5_game)game });
        skin_at(model, 0, 0, 0, posed);
        assert_vec3(posed[ON_UPPER], moved, 5, 0);
        assert_vec3(posed[ON_LOWER], moved - 5, 10, 0);
        assert_vec3(posed[ON_FIVE], moved - 0.4, 11.6, 0);
        assert_vec3(posed[LOOSE], 50 - 5, 3, 1);  // has no weights
        if (game == SN_LEVEL5_DARK_CLOUD) assert_vec3(posed[TOO_LITTLE], moved - 0.3 * 2, 12 - 0.3 * 2, 0);
        skin_at(model, 0, -1, 0, posed);
        assert_vec3(posed[ON_LOWER], 0, 15, 0);
        assert_int_equal(count_warnings(model, SNI_WARN_LEVEL5_SKIN_MOVES), 0);
        sn_model_free(model);
        level5_scene_close(s);
    }
}

// (0, 15, 0) is (-5, 15, 0) in the space of the mesh's node, which rotates it to (-15, -5, 0) and is at x = 5. Keys
// equal to the rest pose add no nodes.
static void a_skinned_mesh_turns_about_its_node(void **state)
{
    (void)state;
    const level5_scene_key turn = level5_scene_turn_key(0, about_z, PI / 2),
                           stay[] = { level5_scene_turn_key(0, about_z, 0), { 0, 5, 0, 0, 0 }, { 0, 1, 1, 1, 0 } };
    for (int is_turned = 0; is_turned < 2; is_turned++) {
        sn_vec3 posed[VERTICES];
        level5_scene *s = level5_scene_open();
        add_model(s);
        add_weights(s, true);
        add_binds(s, true);
        level5_scene_begin(s, "arm.mot");
        level5_scene_track(s, SKIN, 0, 0, is_turned ? &turn : &stay[0], 1, false);
        level5_scene_track(s, SKIN, 0, 2, &stay[1], 1, false);
        level5_scene_track(s, SKIN, 0, 1, &stay[2], 1, true);
        sn_model *model = level5_scene_load(s, "arm.mds", &(sn_load_opts){ .level5_game = SN_LEVEL5_DARK_CLOUD });
        skin_at(model, 0, 0, 0, posed);
        if (is_turned) assert_vec3(posed[ON_LOWER], -10, -5, 0);
        else assert_vec3(posed[ON_LOWER], 0, 15, 0);
        assert_int_equal(model->node_count > NODES, is_turned);
        sn_model_free(model);
        level5_scene_close(s);
    }
}

static void a_configuration_lists_skinned_meshes(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "V2;\nVERTEX_ANIME \"skin\";\nSHAPE_ANIME 1;\nMODEL \"arm.mds\";\nMOTION 0, \"arm.mot\", \"arm.bbp\", "
        "\"arm.wgt\";\n",
        "V2;\nVERTEX_ANIME \"skin\";\nSHAPE_ANIME 0;\nMODEL \"arm.mds\";\nMOTION 0, \"arm.mot\", \"arm.bbp\", "
        "\"arm.wgt\";\n",
        "V2;\nVERTEX_ANIME \"other\";\nMODEL \"arm.mds\";\nMOTION 0, \"arm.mot\", \"arm.bbp\", \"arm.wgt\";\n",
        "V2;\nVERTEX_ANIME \"skin\";\nMODEL \"arm.mds\";\nMOTION 0, \"arm.mot\", \"arm.bbp\", \"arm.wgt\";\n"
    };
    for (uint32_t i = 0; i < 4; i++) {
        level5_scene *s = level5_scene_open();
        add_model(s);
        add_weights(s, false);
        add_binds(s, false);
        add_elbow_clip(s);
        level5_scene_config(s, "info.cfg", texts[i]);
        sn_model *model = level5_scene_load(s, "arm.mds", NULL);
        assert_int_equal(model->skin_count, i % 2);
        assert_int_equal(count_warnings(model, SNI_WARN_LEVEL5_RIGID), 1 - i % 2);
        sn_model_free(model);
        level5_scene_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bind_pose_leaves_the_mesh_in_place),
        cmocka_unit_test(dark_cloud_2_scales_weights_up),
        cmocka_unit_test(dark_cloud_1_gives_the_rest_to_the_parent),
        cmocka_unit_test(binds_decide_the_game),
        cmocka_unit_test(bound_joints_agree),
        cmocka_unit_test(a_bone_outside_uses_the_rest_pose),
        cmocka_unit_test(weights_add_up),
        cmocka_unit_test(dark_cloud_1_moves_a_skinned_mesh_with_its_node),
        cmocka_unit_test(a_skinned_mesh_turns_about_its_node),
        cmocka_unit_test(a_configuration_lists_skinned_meshes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
