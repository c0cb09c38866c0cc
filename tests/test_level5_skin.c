// Skins of Dark Cloud and Dark Cloud 2: an arm whose posed vertices are worked out by hand.
#include "level5_scene.h"
#include "models.h"

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

// The arm stands along y, its elbow at 10. The mesh's own node stands beside it; its vertices are in that node's space.
static const float vertices[VERTICES][3] = { { -5, 5, 0 },  { -5, 15, 0 }, { -5, 12, 0 }, { -5, 12, 0 },
                                             { -5, 12, 0 }, { -5, 3, 1 },  { -5, 12, 0 } };
static const uint32_t faces[] = { 0x213, 9, 0, 0, 1, 2, 3, 4, 5, 4, 5, 6 };

static void add_model(cloud *s)
{
    const cloud_node nodes[NODES] = {
        { "root", -1, -1, cloud_moved(0, 0, 0) },    { "skin", ROOT, 0, cloud_moved(5, 0, 0) },
        { "upper", ROOT, -1, cloud_moved(0, 0, 0) }, { "lower", UPPER, -1, cloud_moved(0, 10, 0) },
        { "thumb", ROOT, -1, cloud_moved(0, 0, 0) }, { "ring", ROOT, -1, cloud_moved(1, 0, 0) },
        { "little", ROOT, -1, cloud_moved(0, 2, 0) }
    };
    const cloud_mesh mesh = { .position_count = VERTICES,
                              .positions = vertices[0],
                              .faces = faces,
                              .face_words = sizeof faces / 4,
                              .primitive_count = 1 };
    cloud_mds(s, "arm.mds", nodes, NODES, &mesh, 1);
}

// With what Dark Cloud 1 needs on top: a first track that names the mesh's parent and has no weights.
static void add_weights(cloud *s, bool has_reset)
{
    const cloud_key upper[] = { { ON_UPPER, 100, 0, 0, 0 },
                                { ON_BOTH, 50, 0, 0, 0 },
                                { TOO_LITTLE, 30, 0, 0, 0 },
                                { TOO_MUCH, 60, 0, 0, 0 },
                                { ON_FIVE, 20, 0, 0, 0 } };
    const cloud_key lower[] = { { ON_LOWER, 100, 0, 0, 0 },
                                { ON_BOTH, 50, 0, 0, 0 },
                                { TOO_LITTLE, 30, 0, 0, 0 },
                                { TOO_MUCH, 60, 0, 0, 0 },
                                { ON_FIVE, 20, 0, 0, 0 } };
    const cloud_key finger = { ON_FIVE, 20, 0, 0, 0 };
    cloud_begin(s, "arm.wgt");
    if (has_reset) cloud_track(s, SKIN, ROOT, 20, NULL, 0, false);
    cloud_track(s, SKIN, UPPER, 20, upper, 5, false);
    cloud_track(s, SKIN, LOWER, 20, lower, 5, false);
    for (int i = 0; i < 3; i++) cloud_track(s, SKIN, FIRST_FINGER + i, 20, &finger, 1, i == 2);
}

// Dark Cloud 2 has them in the model's space, Dark Cloud 1 in the parent's and leaves out what it does not need: what
// it has for the mesh itself must not move the vertices that ride on it.
static void add_binds(cloud *s, bool is_first)
{
    const cloud_matrix zero = { { 0 } };
    const cloud_matrix worlds[NODES] = { cloud_moved(0, 0, 0),  cloud_moved(5, 0, 0), cloud_moved(0, 0, 0),
                                         cloud_moved(0, 10, 0), cloud_moved(0, 0, 0), cloud_moved(1, 0, 0),
                                         cloud_moved(0, 2, 0) };
    const cloud_matrix locals[NODES] = {
        zero, cloud_moved(4, 1, 2), worlds[UPPER], worlds[LOWER], worlds[4], worlds[5], worlds[6]
    };
    cloud_matrices(s, "arm.bbp", is_first ? locals : worlds, NODES);
}

static void add_bend(cloud *s)
{
    const cloud_key keys[] = { cloud_turn_key(0, about_z, 0), cloud_turn_key(30, about_z, PI / 2) };
    cloud_begin(s, "arm.mot");
    cloud_track(s, LOWER, 0, 0, keys, 2, true);
}

static sn_model *load_arm(cloud *s, sn_level5_game game)
{
    add_model(s);
    add_weights(s, game == SN_LEVEL5_DARK_CLOUD);
    add_binds(s, game == SN_LEVEL5_DARK_CLOUD);
    add_bend(s);
    return cloud_load(s, "arm.mds", &(sn_load_opts){ .level5_game = game });
}

static void the_bind_pose_is_the_mesh_at_its_place(void **state)
{
    (void)state;
    for (int game = SN_LEVEL5_DARK_CLOUD; game <= SN_LEVEL5_DARK_CLOUD_2; game++) {
        sn_vec3 posed[VERTICES];
        cloud *s = cloud_open();
        sn_model *model = load_arm(s, (sn_level5_game)game);
        assert_int_equal(model->skin_count, 1);
        assert_int_equal(model->meshes[0].vertex_count, VERTICES);
        cloud_skin(model, 0, -1, 0, posed);
        for (int i = 0; i < VERTICES; i++) assert_vec3(posed[i], vertices[i][0] + 5, vertices[i][1], vertices[i][2]);
        sn_model_free(model);
        cloud_close(s);
    }
}

// The lower arm turns by 90 degrees: (0, 15, 0) comes to (-5, 10, 0), (0, 12, 0) to (-2, 10, 0).
static void check_bent(const sn_vec3 *posed)
{
    assert_vec3(posed[ON_UPPER], 0, 5, 0);
    assert_vec3(posed[ON_LOWER], -5, 10, 0);
    assert_vec3(posed[ON_BOTH], -1, 11, 0);
    assert_vec3(posed[LOOSE], 0, 3, 1);
    assert_vec3(posed[ON_FIVE], -0.4, 11.6, 0);
}

static void dark_cloud_2_scales_what_is_too_little(void **state)
{
    (void)state;
    sn_vec3 posed[VERTICES];
    cloud *s = cloud_open();
    sn_model *model = load_arm(s, SN_LEVEL5_DARK_CLOUD_2);
    assert_near(model->clips[0].duration, 1.0);
    cloud_skin(model, 0, 0, 1.0f, posed);
    check_bent(posed);
    assert_vec3(posed[TOO_LITTLE], -1, 11, 0);
    assert_vec3(posed[TOO_MUCH], -1, 11, 0);
    assert_int_equal(model->meshes[0].influence_count, 5);
    assert_int_equal(cloud_warnings(model, SNI_WARN_WEIGHT_SUM), 1);  // only the one that is too much
    sn_model_free(model);
    cloud_close(s);
}

static void dark_cloud_1_leaves_the_rest_with_the_parent(void **state)
{
    (void)state;
    sn_vec3 posed[VERTICES];
    cloud *s = cloud_open();
    sn_model *model = load_arm(s, SN_LEVEL5_DARK_CLOUD);
    assert_near(model->clips[0].duration, 0.5);
    cloud_skin(model, 0, 0, 0.5f, posed);
    check_bent(posed);
    assert_vec3(posed[TOO_LITTLE], -0.6, 11.4, 0);  // 0.7 * (0, 12, 0) + 0.3 * (-2, 10, 0)
    assert_vec3(posed[TOO_MUCH], -1, 11, 0);
    sn_model_free(model);
    cloud_close(s);
}

static void the_binds_tell_which_game_it_is(void **state)
{
    (void)state;
    for (int game = SN_LEVEL5_DARK_CLOUD; game <= SN_LEVEL5_DARK_CLOUD_2; game++) {
        cloud *s = cloud_open();
        add_model(s);
        add_weights(s, true);
        add_binds(s, game == SN_LEVEL5_DARK_CLOUD);
        add_bend(s);
        sn_model *model = cloud_load(s, "arm.mds", NULL);
        assert_near(model->clips[0].duration, game == SN_LEVEL5_DARK_CLOUD ? 0.5 : 1.0);
        assert_non_null(strstr(model->extras, game == SN_LEVEL5_DARK_CLOUD ? "\"dc1\"" : "\"dc2\""));
        sn_model_free(model);
        cloud_close(s);
    }
}

// Where every joint stands as it was bound, all of them move the mesh alike: by the bind of its node, or by what its
// parent and its own place make. The MDS has another pose than the binds here.
static void bound_joints_agree(void **state)
{
    (void)state;
    const sn_vec3 about_x = { 1, 0, 0 };
    const cloud_matrix hip = cloud_turned(about_z, 0.4, 1, 2, 3), knee = cloud_turned(about_x, -0.7, 0, 4, 0),
                       mesh_at = cloud_turned(about_x, 0.3, 2, 0, 1);
    const uint32_t triangle[] = { 0x213, 3, 0, 0, 1, 2 };
    const float corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    const cloud_mesh mesh = {
        .position_count = 3, .positions = corners, .faces = triangle, .face_words = 6, .primitive_count = 1
    };
    for (int game = SN_LEVEL5_DARK_CLOUD; game <= SN_LEVEL5_DARK_CLOUD_2; game++) {
        bool is_first = game == SN_LEVEL5_DARK_CLOUD;
        const cloud_node nodes[] = { { "root", -1, -1, cloud_moved(0, 1, 0) },
                                     { "mesh", 0, 0, mesh_at },
                                     { "hip", 0, -1, cloud_moved(9, 9, 9) },
                                     { "knee", 2, -1, cloud_moved(9, 0, 9) } };
        const cloud_matrix root = cloud_moved(0, 1, 0), zero = { { 0 } };
        const cloud_matrix locals[] = { zero, zero, hip, knee };
        const cloud_matrix worlds[] = { root, cloud_times(root, mesh_at), cloud_times(root, hip),
                                        cloud_times(cloud_times(root, hip), knee) };
        const cloud_key half[] = { { 0, 50, 0, 0, 0 }, { 1, 50, 0, 0, 0 }, { 2, 50, 0, 0, 0 } };
        const cloud_key turn_hip = cloud_turn_key(0, about_z, 0.4), turn_knee = cloud_turn_key(0, about_x, -0.7),
                        hip_at = { 0, 1, 2, 3, 0 }, knee_at = { 0, 0, 4, 0, 0 };
        cloud *s = cloud_open();
        cloud_mds(s, "leg.mds", nodes, 4, &mesh, 1);
        cloud_matrices(s, "leg.bbp", is_first ? locals : worlds, 4);
        cloud_begin(s, "leg.wgt");
        cloud_track(s, 1, 0, 20, NULL, 0, false);
        cloud_track(s, 1, 2, 20, half, 3, false);
        cloud_track(s, 1, 3, 20, half, 3, true);
        cloud_begin(s, "leg.mot");
        cloud_track(s, 2, 0, 0, &turn_hip, 1, false);
        cloud_track(s, 2, 0, 2, &hip_at, 1, false);
        cloud_track(s, 3, 0, 0, &turn_knee, 1, false);
        cloud_track(s, 3, 0, 2, &knee_at, 1, true);
        sn_model *model = cloud_load(s, "leg.mds", &(sn_load_opts){ .level5_game = (sn_level5_game)game });
        sn_pose *pose = sn_pose_create(model, NULL, NULL);
        sn_pose_sample(pose, 0, 0, 0);
        sn_pose_solve(pose, NULL);
        const sn_mat34 *palette = sn_pose_palette(pose, 0);
        cloud_matrix expected = worlds[1];
        assert_int_equal(model->skins[0].joint_count, 2);
        for (uint32_t j = 0; j < 2; j++)
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 4; c++) assert_within(palette[j].m[r][c], expected.m[c * 4 + r], 1e-5);
        sn_pose_free(pose);
        sn_model_free(model);
        cloud_close(s);
    }
}

static void a_bone_outside_goes_by_the_rest_pose(void **state)
{
    (void)state;
    const uint32_t triangle[] = { 0x213, 3, 0, 0, 1, 2 };
    const float corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
    const cloud_mesh mesh = {
        .position_count = 3, .positions = corners, .faces = triangle, .face_words = 6, .primitive_count = 1
    };
    const cloud_node nodes[] = { { "root", -1, -1, cloud_moved(0, 0, 0) },
                                 { "tail", 0, -1, cloud_moved(0, 0, 5) },
                                 { "holder", 0, -1, cloud_moved(3, 0, 0) },
                                 { "mesh", 2, 0, cloud_moved(0, 1, 0) } };
    const cloud_key all[] = { { 0, 100, 0, 0, 0 }, { 1, 100, 0, 0, 0 }, { 2, 100, 0, 0, 0 } },
                    turn = cloud_turn_key(0, about_z, PI / 2), move = { 0, 9, 9, 9, 0 };
    sn_vec3 posed[3];
    cloud *s = cloud_open();
    cloud_mds(s, "a.mds", nodes, 4, &mesh, 1);
    cloud_begin(s, "a.wgt");
    cloud_track(s, 3, 2, 20, NULL, 0, false);
    cloud_track(s, 3, 1, 20, all, 3, true);
    cloud_begin(s, "a.mot");
    cloud_track(s, 3, 0, 2, &move, 1, false);  // does not matter: the bone goes its own way, and that is told
    cloud_track(s, 1, 0, 0, &turn, 1, true);
    sn_model *model = cloud_load(s, "a.mds", &(sn_load_opts){ .level5_game = SN_LEVEL5_DARK_CLOUD });
    cloud_skin(model, 0, -1, 0, posed);
    assert_vec3(posed[1], 4, 1, 0);
    cloud_skin(model, 0, 0, 0, posed);
    assert_vec3(posed[1], -1, 4, 0);  // about the tail's place, which is on the z axis
    assert_int_equal(cloud_warnings(model, SNI_WARN_LEVEL5_SKIN_MOVES), 1);
    sn_model_free(model);
    cloud_close(s);
}

// Pairs that come twice are added; vertices and bones that are not there are told of.
static void weights_add_up(void **state)
{
    (void)state;
    cloud *s = cloud_open();
    const cloud_key twice[] = { { 0, 40, 0, 0, 0 }, { 0, 60, 0, 0, 0 }, { 99, 100, 0, 0, 0 }, { 1, NAN, 0, 0, 0 } },
                    all[] = { { 1, 100, 0, 0, 0 } };
    add_model(s);
    cloud_begin(s, "arm.wgt");
    cloud_track(s, SKIN, UPPER, 20, twice, 4, false);
    cloud_track(s, SKIN, 77, 20, all, 1, false);
    cloud_track(s, SKIN, LOWER, 200, all, 1, false);
    cloud_track(s, ROOT, LOWER, 20, all, 1, true);
    sn_model *model = cloud_load(s, "arm.mds", NULL);
    assert_int_equal(model->skins[0].joint_count, 2);
    assert_int_equal(model->skins[0].joints[0], UPPER);
    assert_int_equal(model->skins[0].joints[1], SKIN);  // all others
    assert_int_equal(model->meshes[0].influence_count, 1);
    assert_int_equal(cloud_warnings(model, SNI_WARN_INDEX_RANGE), 1);
    assert_int_equal(cloud_warnings(model, SNI_WARN_NOT_FINITE), 1);
    assert_int_equal(cloud_warnings(model, SNI_WARN_TRACK_TARGET), 2);
    sn_model_free(model);
    cloud_close(s);
}

// The mesh's node goes from x = 5 to 50 while the lower arm bends as in check_bent. Dark Cloud 2 takes no notice where
// bones hold a vertex; Dark Cloud 1 moves all by the 45 that the node has moved.
static void dark_cloud_1_carries_a_bent_mesh(void **state)
{
    (void)state;
    const cloud_key move = { 0, 50, 0, 0, 0 }, bend = cloud_turn_key(0, about_z, PI / 2);
    for (int game = SN_LEVEL5_DARK_CLOUD; game <= SN_LEVEL5_DARK_CLOUD_2; game++) {
        sn_vec3 posed[VERTICES];
        float moved = game == SN_LEVEL5_DARK_CLOUD ? 45 : 0;
        cloud *s = cloud_open();
        add_model(s);
        add_weights(s, true);
        add_binds(s, game == SN_LEVEL5_DARK_CLOUD);
        cloud_begin(s, "arm.mot");
        cloud_track(s, SKIN, 0, 2, &move, 1, false);
        cloud_track(s, LOWER, 0, 0, &bend, 1, true);
        sn_model *model = cloud_load(s, "arm.mds", &(sn_load_opts){ .level5_game = (sn_level5_game)game });
        cloud_skin(model, 0, 0, 0, posed);
        assert_vec3(posed[ON_UPPER], moved, 5, 0);
        assert_vec3(posed[ON_LOWER], moved - 5, 10, 0);
        assert_vec3(posed[ON_FIVE], moved - 0.4, 11.6, 0);
        assert_vec3(posed[LOOSE], 50 - 5, 3, 1);  // this one is not bent
        if (game == SN_LEVEL5_DARK_CLOUD) assert_vec3(posed[TOO_LITTLE], moved - 0.3 * 2, 12 - 0.3 * 2, 0);
        cloud_skin(model, 0, -1, 0, posed);
        assert_vec3(posed[ON_LOWER], 0, 15, 0);
        assert_int_equal(cloud_warnings(model, SNI_WARN_LEVEL5_SKIN_MOVES), 0);
        sn_model_free(model);
        cloud_close(s);
    }
}

// (0, 15, 0) is (-5, 15, 0) for the mesh's node, which turns it to (-15, -5, 0) and stands at x = 5. Keys that say what
// the MDS says change nothing and cost no nodes.
static void a_bent_mesh_turns_about_its_node(void **state)
{
    (void)state;
    const cloud_key turn = cloud_turn_key(0, about_z, PI / 2),
                    stay[] = { cloud_turn_key(0, about_z, 0), { 0, 5, 0, 0, 0 }, { 0, 1, 1, 1, 0 } };
    for (int is_turned = 0; is_turned < 2; is_turned++) {
        sn_vec3 posed[VERTICES];
        cloud *s = cloud_open();
        add_model(s);
        add_weights(s, true);
        add_binds(s, true);
        cloud_begin(s, "arm.mot");
        cloud_track(s, SKIN, 0, 0, is_turned ? &turn : &stay[0], 1, false);
        cloud_track(s, SKIN, 0, 2, &stay[1], 1, false);
        cloud_track(s, SKIN, 0, 1, &stay[2], 1, true);
        sn_model *model = cloud_load(s, "arm.mds", &(sn_load_opts){ .level5_game = SN_LEVEL5_DARK_CLOUD });
        cloud_skin(model, 0, 0, 0, posed);
        if (is_turned) assert_vec3(posed[ON_LOWER], -10, -5, 0);
        else assert_vec3(posed[ON_LOWER], 0, 15, 0);
        assert_int_equal(model->node_count > NODES, is_turned);
        sn_model_free(model);
        cloud_close(s);
    }
}

static void a_configuration_lists_what_bends(void **state)
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
        cloud *s = cloud_open();
        add_model(s);
        add_weights(s, false);
        add_binds(s, false);
        add_bend(s);
        cloud_config(s, "info.cfg", texts[i]);
        sn_model *model = cloud_load(s, "arm.mds", NULL);
        assert_int_equal(model->skin_count, i % 2);
        assert_int_equal(cloud_warnings(model, SNI_WARN_LEVEL5_RIGID), 1 - i % 2);
        sn_model_free(model);
        cloud_close(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_bind_pose_is_the_mesh_at_its_place),
        cmocka_unit_test(dark_cloud_2_scales_what_is_too_little),
        cmocka_unit_test(dark_cloud_1_leaves_the_rest_with_the_parent),
        cmocka_unit_test(the_binds_tell_which_game_it_is),
        cmocka_unit_test(bound_joints_agree),
        cmocka_unit_test(a_bone_outside_goes_by_the_rest_pose),
        cmocka_unit_test(weights_add_up),
        cmocka_unit_test(dark_cloud_1_carries_a_bent_mesh),
        cmocka_unit_test(a_bent_mesh_turns_about_its_node),
        cmocka_unit_test(a_configuration_lists_what_bends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
