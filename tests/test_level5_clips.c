// Clips of Dark Cloud and Dark Cloud 2: what the keys of a MOT mean, and how configurations cut them.
#include "level5_scene.h"
#include "models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"

static const sn_vec3 x_axis = { 1, 0, 0 }, y_axis = { 0, 1, 0 }, z_axis = { 0, 0, 1 };
static const uint32_t one_triangle[] = { 0x213, 3, 0, 0, 1, 2 };
static const float corners[9] = { 0, 0, 0, 1, 0, 0, 0, 1, 0 };
static const cloud_mesh triangle = {
    .position_count = 3, .positions = corners, .faces = one_triangle, .face_words = 6, .primitive_count = 1
};

// A root, and below it an arm with a hand; all of them show a triangle.
static void add_arm(cloud *s, cloud_matrix arm)
{
    const cloud_node nodes[] = { { "root", -1, 0, cloud_moved(0, 0, 0) },
                                 { "arm", 0, 0, arm },
                                 { "hand", 1, 0, cloud_moved(0, 2, 0) } };
    cloud_mds(s, "a.mds", nodes, 3, &triangle, 1);
}

static sn_model *load(cloud *s, sn_level5_game game)
{
    return cloud_load(s, "a.mds", &(sn_load_opts){ .level5_game = game });
}

// A turn of 90 degrees about each axis: x to y about z, y to z about x, z to x about y.
static void each_axis_turns_as_the_textbook_says(void **state)
{
    (void)state;
    const sn_vec3 axes[3] = { x_axis, y_axis, z_axis }, from[3] = { { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } },
                  to[3] = { { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 } };
    for (int axis = 0; axis < 3; axis++) {
        const cloud_key keys[] = { cloud_turn_key(0, axes[axis], 0), cloud_turn_key(60, axes[axis], PI / 2) };
        cloud *s = cloud_open();
        add_arm(s, cloud_moved(3, 0, 0));
        cloud_begin(s, "a.mot");
        cloud_track(s, 1, 0, 0, keys, 2, true);
        sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD);
        sn_mat34 world = cloud_world(model, "arm", 0, 1.0f);
        sn_vec3 turned = cloud_point(&world, from[axis].x, from[axis].y, from[axis].z);
        assert_vec3(turned, to[axis].x + 3, to[axis].y, to[axis].z);  // the place of the MDS stays
        world = cloud_world(model, "arm", 0, 0.5f);
        turned = cloud_point(&world, from[axis].x, from[axis].y, from[axis].z);
        double half = sqrt(0.5);
        assert_vec3(turned, half * (from[axis].x + to[axis].x) + 3, half * (from[axis].y + to[axis].y),
                    half * (from[axis].z + to[axis].z));
        sn_model_free(model);
        cloud_close(s);
    }
}

// Stored quaternions are (w, x, y, z) of the inverse: (c, 0, 0, -s) turns x to y.
static void a_stored_quaternion_is_the_inverse(void **state)
{
    (void)state;
    float h = sqrtf(0.5f);
    const cloud_key key = { 0, h * 1.2f, 0, 0, -h * 1.2f };  // not quite of unit length
    cloud *s = cloud_open();
    add_arm(s, cloud_moved(0, 0, 0));
    cloud_begin(s, "a.mot");
    cloud_track(s, 1, 0, 0, &key, 1, true);
    sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
    sn_mat34 world = cloud_world(model, "arm", 0, 0);
    assert_vec3(cloud_point(&world, 1, 0, 0), 0, 1, 0);
    sn_model_free(model);
    cloud_close(s);
}

static void configurations_cut_the_timeline(void **state)
{
    (void)state;
    const cloud_key keys[] = { { 10, 0, 0, 0, 0 }, { 20, 10, 0, 0, 0 }, { 40, 10, 20, 0, 0 } };
    cloud *s = cloud_open();
    add_arm(s, cloud_moved(0, 0, 0));
    cloud_begin(s, "x.mot");
    cloud_track(s, 1, 0, 2, keys, 3, true);
    cloud_config(s, "info.cfg",
                 "V2;\nMODEL \"a.mds\";\nMOTION 0, \"x.mot\", \"\", \"\";\nKEY_START;\n"
                 "KEY \"walk\", 15, 30, 0.5;\nKEY \"still\", 20, 20, 1.0;\nKEY \"frozen\", 10, 40, 0;\nKEY \"before\", "
                 "0, 9, 1;\nKEY \"back\", 30, 10, 1;\nKEY_END;\nMOTION_END;\n"
                 "SEQ_START \"both\";\nSEQ \"walk\", 1;\nSEQ \"still\";\nSEQ_END;\n");
    sn_model *model = cloud_load(s, "info.cfg", NULL);
    assert_int_equal(model->clip_count, 5);
    assert_string_equal(model->clips[0].name, "walk");
    assert_near(model->clips[0].duration, 15 / (30 * 0.5));
    const sn_track *track = &model->clips[0].tracks[0];
    assert_int_equal(track->key_count, 3);  // 15, 20 and 30
    assert_near(track->times[1], 5 / 15.0);
    sn_mat34 world = cloud_world(model, "arm", 0, 0);
    assert_vec3(cloud_point(&world, 0, 0, 0), 5, 0, 0);
    world = cloud_world(model, "arm", 0, 0.99999f);
    assert_within(cloud_point(&world, 0, 0, 0).y, 10, 1e-3);
    for (int clip = 1; clip < 5; clip++) assert_near(model->clips[clip].duration, clip == 3 ? 0.3 : 0.0);
    world = cloud_world(model, "arm", 1, 0);
    assert_vec3(cloud_point(&world, 0, 0, 0), 10, 0, 0);
    world = cloud_world(model, "arm", 3, 0.2f);  // before the first key: as there
    assert_vec3(cloud_point(&world, 0, 0, 0), 0, 0, 0);
    assert_int_equal(cloud_warnings(model, SNI_WARN_VALUE_RANGE), 1);  // the one that runs back
    assert_non_null(strstr(model->extras, "{\"name\":\"both\",\"clips\":[[\"walk\",1],[\"still\"]]}"));
    sn_model_free(model);
    cloud_close(s);
}

static void dark_cloud_1_has_names_in_comments(void **state)
{
    (void)state;
    const cloud_key keys[] = { { 0, 0, 0, 0, 0 }, { 60, 6, 0, 0, 0 } };
    cloud *s = cloud_open();
    add_arm(s, cloud_moved(0, 0, 0));
    cloud_begin(s, "x.mot");
    cloud_track(s, 1, 0, 2, keys, 2, true);
    cloud_begin(s, "y.mot");
    cloud_track(s, 1, 0, 2, keys, 1, true);
    cloud_config(s, "info.cfg",
                 "MODEL \"a.mds\"\r\nMOTION 0,\"x.mot\",\"\",\"\"\r\nKEY_START 0\r\nKEY 0,60,0.5 // stand\r\nKEY "
                 "0,30,1.0\r\nKEY_END\r\nMOTION_END\r\n"
                 "MOTION 1,\"y.mot\",\"\",\"\"\r\nKEY_START 5\r\nKEY 0,0,1.0\r\nKEY_END\r\nMOTION_END\r\n");
    sn_model *model = cloud_load(s, "info.cfg", NULL);
    assert_int_equal(model->clip_count, 3);
    assert_string_equal(model->clips[0].name, "stand");
    assert_near(model->clips[0].duration, 60 / (60 * 0.5));
    assert_string_equal(model->clips[1].name, "clip 1");
    assert_near(model->clips[1].duration, 0.5);
    assert_string_equal(model->clips[2].name, "set 1 clip 5");
    assert_non_null(strstr(model->clips[2].extras, "\"set\":1"));
    sn_model_free(model);
    cloud_close(s);
}

// Half a turn: Dark Cloud 2 does not go there but is there; Dark Cloud 1 turns.
static void dark_cloud_2_snaps_half_turns(void **state)
{
    (void)state;
    const cloud_key keys[] = { cloud_turn_key(0, z_axis, 0), cloud_turn_key(10, z_axis, PI),
                               cloud_turn_key(20, z_axis, PI + 0.5) };
    for (int game = SN_LEVEL5_DARK_CLOUD; game <= SN_LEVEL5_DARK_CLOUD_2; game++) {
        cloud *s = cloud_open();
        add_arm(s, cloud_moved(0, 0, 0));
        cloud_begin(s, "a.mot");
        cloud_track(s, 1, 0, 0, keys, 3, true);
        sn_model *model = load(s, (sn_level5_game)game);
        float frame = game == SN_LEVEL5_DARK_CLOUD ? 1 / 60.0f : 1 / 30.0f;
        sn_mat34 world = cloud_world(model, "arm", 0, 5 * frame);
        sn_vec3 p = cloud_point(&world, 1, 0, 0);
        if (game == SN_LEVEL5_DARK_CLOUD) assert_within(fabsf(p.y), 1, 1e-5);
        else assert_vec3(p, -1, 0, 0);
        world = cloud_world(model, "arm", 0, 15 * frame);
        p = cloud_point(&world, 1, 0, 0);
        assert_vec3(p, cos(PI + 0.25), sin(PI + 0.25), 0);
        sn_model_free(model);
        cloud_close(s);
    }
}

// From frame 20 on Dark Cloud 2 is where key 30 is. Before the first key there is the first key, and the way from frame
// 10 to 20 is that of a turn by 1: a fourth of it at frame 12.5, nine tenths at 19.
static void a_snap_leaves_alone_what_is_before_it(void **state)
{
    (void)state;
    const cloud_key late[] = { cloud_turn_key(20, z_axis, 0.5), cloud_turn_key(30, z_axis, 0.5 + PI) };
    const cloud_key between[] = { cloud_turn_key(10, z_axis, 0), cloud_turn_key(20, z_axis, 1),
                                  cloud_turn_key(30, z_axis, 1 + PI) };
    const struct {
        const cloud_key *keys;
        uint32_t count;
        float frame;
        double turned;
    } cases[] = { { late, 2, 5, 0.5 },         { late, 2, 19, 0.5 },    { late, 2, 21, 0.5 + PI },
                  { between, 3, 12.5f, 0.25 }, { between, 3, 19, 0.9 }, { between, 3, 20.5f, 1 + PI } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const cloud_key still = { 0, 0, 0, 0, 0 };  // so that the timeline begins at frame 0
        cloud *s = cloud_open();
        add_arm(s, cloud_moved(0, 0, 0));
        cloud_begin(s, "a.mot");
        cloud_track(s, 0, 0, 2, &still, 1, false);
        cloud_track(s, 1, 0, 0, cases[i].keys, cases[i].count, true);
        sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
        sn_mat34 world = cloud_world(model, "arm", 0, cases[i].frame / 30.0f);
        sn_vec3 p = cloud_point(&world, 1, 0, 0);
        assert_vec3(p, cos(cases[i].turned), sin(cases[i].turned), 0);
        assert_near(model->clips[0].duration, 1);
        sn_model_free(model);
        cloud_close(s);
    }
}

// Scale along the node's own axes, or along its parent's. The node is turned by 90 degrees about z.
static void scale_comes_before_or_behind_the_turn(void **state)
{
    (void)state;
    const cloud_key turn = cloud_turn_key(0, z_axis, PI / 2), scale = { 0, 2, 3, 1, 0 };
    for (int game = SN_LEVEL5_DARK_CLOUD; game <= SN_LEVEL5_DARK_CLOUD_2; game++) {
        cloud *s = cloud_open();
        add_arm(s, cloud_moved(0, 0, 0));
        cloud_begin(s, "a.mot");
        cloud_track(s, 1, 0, 0, &turn, 1, false);
        cloud_track(s, 1, 0, 1, &scale, 1, true);
        sn_model *model = load(s, (sn_level5_game)game);
        sn_mat34 world = cloud_world(model, "arm", 0, 0);
        if (game == SN_LEVEL5_DARK_CLOUD) assert_vec3(cloud_point(&world, 1, 1, 0), -3, 2, 0);
        else assert_vec3(cloud_point(&world, 1, 1, 0), -2, 3, 0);
        sn_model_free(model);
        cloud_close(s);
    }
}

// The matrix of the MDS is scaled by 4. A turn does away with that, a scale or a move does not.
static void a_turn_takes_the_scale_away(void **state)
{
    (void)state;
    const cloud_key turn = cloud_turn_key(0, z_axis, 0), scale = { 0, 2, 2, 2, 0 }, move = { 0, 7, 0, 0, 0 };
    const struct {
        int type;
        cloud_key key;
        float x, shift;
    } cases[] = { { 0, turn, 1, 0 }, { 1, scale, 8, 0 }, { 2, move, 4, 7 } };
    for (int i = 0; i < 3; i++) {
        cloud *s = cloud_open();
        add_arm(s, cloud_stretched(4, 4, 4));
        cloud_begin(s, "a.mot");
        cloud_track(s, 1, 0, cases[i].type, &cases[i].key, 1, true);
        sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
        sn_mat34 world = cloud_world(model, "arm", 0, 0);
        assert_vec3(cloud_point(&world, 1, 0, 0), cases[i].x + cases[i].shift, 0, 0);
        world = cloud_world(model, "arm", -1, 0);
        assert_vec3(cloud_point(&world, 1, 0, 0), 4, 0, 0);
        sn_model_free(model);
        cloud_close(s);
    }
}

static cloud_matrix sheared(void)  // x goes over by half of y
{
    cloud_matrix matrix = cloud_moved(0, 0, 0);
    matrix.m[4] = 0.5f;
    return matrix;
}

// A sheared matrix, and one that is stretched where Dark Cloud 2 scales along other axes, are whole while they move.
static void what_a_node_cannot_say_moves_as_it_is(void **state)
{
    (void)state;
    const cloud_key scale = { 0, 2, 1, 1, 0 }, move = { 0, 7, 0, 0, 0 };
    const cloud_matrix stretched = cloud_times(cloud_turned(z_axis, 0.5, 3, 0, 0), cloud_stretched(1, 3, 1));
    const struct {
        cloud_matrix arm;
        int type;
        cloud_key key;
        sn_vec3 moved;
    } cases[] = { { sheared(), 2, move, { 7.5f, 1, 0 } },
                  { stretched, 1, scale, { 3 - 6 * sinf(0.5f), 3 * cosf(0.5f), 0 } },
                  { stretched, 2, move, { 7 - 3 * sinf(0.5f), 3 * cosf(0.5f), 0 } } };
    for (int i = 0; i < 3; i++) {
        cloud *s = cloud_open();
        add_arm(s, cases[i].arm);
        cloud_begin(s, "a.mot");
        cloud_track(s, 1, 0, cases[i].type, &cases[i].key, 1, true);
        sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
        assert_int_equal(cloud_warnings(model, SNI_WARN_LEVEL5_MATRIX), 0);
        sn_mat34 world = cloud_world(model, "arm", 0, 0);
        assert_vec3(cloud_point(&world, 0, 1, 0), cases[i].moved.x, cases[i].moved.y, cases[i].moved.z);
        world = cloud_world(model, "arm", -1, 0);
        for (int c = 0; c < 4; c++)
            for (int r = 0; r < 3; r++) assert_within(world.m[r][c], cases[i].arm.m[c * 4 + r], 1e-6);
        sn_model_free(model);
        cloud_close(s);
    }
}

// Dark Cloud 1 scales along the axes of the node, below the shear: nearly right, and told of.
static void what_a_node_cannot_say_is_told_of(void **state)
{
    (void)state;
    const cloud_key scale = { 0, 2, 1, 1, 0 };
    cloud *s = cloud_open();
    add_arm(s, sheared());
    cloud_begin(s, "a.mot");
    cloud_track(s, 1, 0, 1, &scale, 1, true);
    sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD);
    assert_int_equal(cloud_warnings(model, SNI_WARN_LEVEL5_MATRIX), 1);
    sn_mat34 world = cloud_world(model, "arm", -1, 0);
    assert_vec3(cloud_point(&world, 0, 1, 0), 0.5, 1, 0);
    sn_model_free(model);
    cloud_close(s);
}

// Type 50 shows the mesh of a node or what hangs below it; type 51 shows or hides both. Steps, not slopes.
static void visibility_steps(void **state)
{
    (void)state;
    const cloud_key keys[] = { { 0, 1, 0, 0, 0 }, { 30, 0, 0, 0, 0 }, { 60, 1, 0, 0, 0 } };
    for (int type = 50; type <= 51; type++) {
        cloud *s = cloud_open();
        add_arm(s, cloud_moved(0, 0, 0));
        cloud_begin(s, "a.mot");
        cloud_track(s, 1, 0, type, keys, 3, true);
        sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
        assert_int_equal(model->part_count, 3);
        for (int i = 0; i < 3; i++) {
            static const float moments[3] = { 0.3f, 0.9f, 1.5f };  // frames 9, 27, 45
            float seconds = moments[i];
            bool is_on = i < 2;
            assert_true(cloud_shows(model, 0, 0, seconds));
            assert_int_equal(cloud_shows(model, 1, 0, seconds), is_on);
            assert_int_equal(cloud_shows(model, 2, 0, seconds), type == 50 ? !is_on : is_on);
        }
        sn_model_free(model);
        cloud_close(s);
    }
}

static void materials_fade(void **state)
{
    (void)state;
    const cloud_key alpha[] = { { 0, 0, 0, 0, 0 }, { 30, 1, 0, 0, 0 } }, color[] = { { 0, 1, 0.5f, 0.25f, 0 } };
    const cloud_material materials[] = { { { 0.5f, 1, 1, 1 }, "" }, { { 1, 1, 1, 1 }, "" } };
    const uint32_t two[] = { 0x213, 3, 0, 0, 1, 2, 0x213, 3, 1, 0, 2, 1 };
    const cloud_mesh mesh = { .position_count = 3,
                              .positions = corners,
                              .faces = two,
                              .face_words = 12,
                              .primitive_count = 2,
                              .materials = materials,
                              .material_count = 2 };
    const cloud_node node = { "a", -1, 0, cloud_moved(0, 0, 0) };
    cloud *s = cloud_open();
    cloud_mds(s, "a.mds", &node, 1, &mesh, 1);
    cloud_begin(s, "a.mot");
    cloud_track(s, 0, 0, 40, &alpha[1], 1, false);  // does not matter: the later one wins
    cloud_track(s, 0, 0, 40, alpha, 2, false);
    cloud_track(s, 0, 0, 41, color, 1, true);
    sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
    assert_int_equal(model->part_count, 2);
    assert_near(model->parts[0].color.x, 0.5);
    assert_int_equal(cloud_warnings(model, SNI_WARN_TRACK_TWICE), 1);
    assert_int_equal(model->materials[model->parts[0].material].layers[0].blend, SN_BLEND_ALPHA);
    assert_int_equal(model->materials[model->parts[1].material].layers[0].blend, SN_BLEND_OPAQUE);
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    sn_pose_sample(pose, 0, 0.25f, 0);
    sn_pose_solve(pose, NULL);
    sn_vec4 shown = sn_pose_color(pose, 0), other = sn_pose_color(pose, 1);
    assert_near(shown.w, 0.75);
    assert_near(shown.y, 0.5);
    assert_near(other.w, 1.0);
    sn_pose_free(pose);
    sn_model_free(model);
    cloud_close(s);
}

// Vertices with keys of their own, at frames of their own: between any two of them all move in straight lines.
static void vertices_move_one_by_one(void **state)
{
    (void)state;
    const cloud_key first[] = { { 0, 0, 0, 0, 0 }, { 10, 0, 0, 10, 0 }, { 40, 0, 0, 10, 0 } },
                    third[] = { { 0, 0, 1, 0, 0 }, { 30, 3, 1, 0, 0 } };
    cloud *s = cloud_open();
    add_arm(s, cloud_moved(0, 0, 0));
    cloud_begin(s, "a.mot");
    cloud_track(s, 1, 1, 12, first, 3, false);  // vertex 0
    cloud_track(s, 1, 3, 12, third, 2, false);  // vertex 2
    cloud_track(s, 1, 9, 12, third, 2, true);
    sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
    assert_int_equal(cloud_warnings(model, SNI_WARN_TRACK_TARGET), 1);
    assert_int_equal(model->meshes[model->parts[1].mesh].morph_count,
                     2);  // frames 10 and 30; at 0 nothing has moved, 40 is as 30
    assert_int_equal(model->meshes[model->parts[0].mesh].morph_count, 0);
    for (int frame = 0; frame <= 39; frame += 3) {
        sn_vec3 posed[3];
        double up = frame < 10 ? frame : 10, along = frame < 30 ? frame / 10.0 : 3;
        cloud_skin(model, 1, 0, (float)frame / 30.0f, posed);
        assert_vec3(posed[0], 0, 0, up);
        assert_vec3(posed[1], 1, 0, 0);
        assert_vec3(posed[2], along, 1, 0);
    }
    sn_model_free(model);
    cloud_close(s);
}

// From (0, 0, 10) to (10, 0, 0), looking at the origin all the way; the view narrows.
static void cameras_look_where_they_aim(void **state)
{
    (void)state;
    const cloud_key place[] = { { 0, 0, 0, 10, 0 }, { 30, 10, 0, 0, 0 } }, aim = { 0, 0, 0, 0, 0 },
                    roll[] = { { 0, 0, 0, 0, 0 }, { 30, 90, 0, 0, 0 } },
                    fov[] = { { 0, 60, 0, 0, 0 }, { 30, 30, 0, 0, 0 } };
    cloud *s = cloud_open();
    add_arm(s, cloud_moved(0, 5, 0));
    cloud_begin(s, "a.mot");
    cloud_track(s, 1, 0, 30, place, 2, false);
    cloud_track(s, 1, 0, 31, &aim, 1, false);
    cloud_track(s, 1, 0, 32, roll, 2, false);
    cloud_track(s, 1, 0, 33, fov, 2, true);
    sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
    assert_int_equal(model->camera_count, 1);
    assert_int_equal(model->node_count, 4);
    assert_near(model->cameras[0].fov_y, PI / 3);
    for (int frame = 0; frame <= 27; frame += 9) {
        sn_pose *pose = sn_pose_create(model, NULL, NULL);
        sn_pose_sample(pose, 0, (float)frame / 30.0f, 0);
        sn_pose_solve(pose, NULL);
        sn_mat34 world = sn_pose_world(pose, model->cameras[0].node);
        double x = frame / 3.0, z = 10 - x, length = sqrt(x * x + z * z);
        assert_vec3(cloud_point(&world, 0, 0, 0), x, 0, z);
        sn_vec3 ahead = cloud_point(&world, 0, 0, -1);
        assert_vec3(ahead, x - x / length, 0, z - z / length);
        sn_vec3 up = cloud_point(&world, 0, 1, 0);
        assert_within(up.y, cos(frame * 3 * PI / 180), 1e-5);
        sn_pose_free(pose);
    }
    sn_model_free(model);
    cloud_close(s);
}

static void odd_tracks_are_told_of(void **state)
{
    (void)state;
    const cloud_key unordered[] = { { 0, 0, 0, 0, 0 },
                                    { 20, 2, 0, 0, 0 },
                                    { 10, 9, 0, 0, 0 },
                                    { 30, 3, 0, 0, 0 },
                                    { 40, NAN, 0, 0, 0 } },
                    later[] = { { 0, 0, 5, 0, 0 }, { 30, 0, 5, 0, 0 } };
    cloud *s = cloud_open();
    add_arm(s, cloud_moved(0, 0, 0));
    cloud_begin(s, "a.mot");
    cloud_track(s, 2, 0, 2, unordered, 5, false);
    cloud_track(s, 1, 0, 2, unordered, 1, false);
    cloud_track(s, 1, 0, 2, later, 2, false);  // the later one wins
    cloud_track(s, 9, 0, 2, later, 2, false);
    cloud_track(s, 1, 0, 77, later, 2, true);
    sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
    assert_int_equal(cloud_warnings(model, SNI_WARN_KEY_ORDER), 1);
    assert_int_equal(cloud_warnings(model, SNI_WARN_NOT_FINITE), 1);
    assert_int_equal(cloud_warnings(model, SNI_WARN_TRACK_TWICE), 1);
    assert_int_equal(cloud_warnings(model, SNI_WARN_TRACK_TARGET), 1);
    assert_int_equal(cloud_warnings(model, SNI_WARN_LEVEL5_TRACK), 1);
    assert_near(model->clips[0].duration, 1.0);
    sn_mat34 world = cloud_world(model, "hand", 0, 0.5f);
    assert_vec3(cloud_point(&world, 0, 0, 0), 1.5, 5, 0);
    sn_model_free(model);
    cloud_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_axis_turns_as_the_textbook_says),
        cmocka_unit_test(a_stored_quaternion_is_the_inverse),
        cmocka_unit_test(configurations_cut_the_timeline),
        cmocka_unit_test(dark_cloud_1_has_names_in_comments),
        cmocka_unit_test(dark_cloud_2_snaps_half_turns),
        cmocka_unit_test(a_snap_leaves_alone_what_is_before_it),
        cmocka_unit_test(scale_comes_before_or_behind_the_turn),
        cmocka_unit_test(a_turn_takes_the_scale_away),
        cmocka_unit_test(what_a_node_cannot_say_moves_as_it_is),
        cmocka_unit_test(what_a_node_cannot_say_is_told_of),
        cmocka_unit_test(visibility_steps),
        cmocka_unit_test(materials_fade),
        cmocka_unit_test(vertices_move_one_by_one),
        cmocka_unit_test(odd_tracks_are_told_of),
        cmocka_unit_test(cameras_look_where_they_aim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
