// Clips of Dark Cloud and Dark Cloud 2: the meaning of MOT keys, and how configurations cut timelines.
#include "hand_models.h"
#include "level5_scene.h"

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
static const level5_scene_mesh triangle = {
    .position_count = 3, .positions = corners, .faces = one_triangle, .face_words = 6, .primitive_count = 1
};

// A root, an arm below it, and a hand below the arm; each has a triangle.
static void add_arm(level5_scene *s, level5_scene_matrix arm)
{
    const level5_scene_node nodes[] = { { "root", -1, 0, level5_scene_moved(0, 0, 0) },
                                        { "arm", 0, 0, arm },
                                        { "hand", 1, 0, level5_scene_moved(0, 2, 0) } };
    level5_scene_mds(s, "a.mds", nodes, 3, &triangle, 1);
}

static sn_model *load(level5_scene *s, sn_level5_game game)
{
    return level5_scene_load(s, "a.mds", &(sn_load_opts){ .level5_game = game });
}

// A turn of 90 degrees about each axis: x to y about z, y to z about x, z to x about y.
static void rotations_turn_about_each_axis(void **state)
{
    (void)state;
    const sn_vec3 axes[3] = { x_axis, y_axis, z_axis }, from[3] = { { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } },
                  to[3] = { { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 } };
    for (int axis = 0; axis < 3; axis++) {
        const level5_scene_key keys[] = { level5_scene_turn_key(0, axes[axis], 0),
                                          level5_scene_turn_key(60, axes[axis], PI / 2) };
        level5_scene *s = level5_scene_open();
        add_arm(s, level5_scene_moved(3, 0, 0));
        level5_scene_begin(s, "a.mot");
        level5_scene_track(s, 1, 0, 0, keys, 2, true);
        sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD);
        sn_mat34 world = world_at(model, "arm", 0, 1.0f);
        sn_vec3 turned = level5_scene_point(&world, from[axis].x, from[axis].y, from[axis].z);
        assert_vec3(turned, to[axis].x + 3, to[axis].y, to[axis].z);  // the translation of the MDS stays
        world = world_at(model, "arm", 0, 0.5f);
        turned = level5_scene_point(&world, from[axis].x, from[axis].y, from[axis].z);
        double half = sqrt(0.5);
        assert_vec3(turned, half * (from[axis].x + to[axis].x) + 3, half * (from[axis].y + to[axis].y),
                    half * (from[axis].z + to[axis].z));
        sn_model_free(model);
        level5_scene_close(s);
    }
}

// Stored quaternions are (w, x, y, z) of the inverse: (c, 0, 0, -s) turns x to y.
static void a_stored_quaternion_is_the_inverse(void **state)
{
    (void)state;
    float h = sqrtf(0.5f);
    const level5_scene_key key = { 0, h * 1.2f, 0, 0, -h * 1.2f };  // not quite of unit length
    level5_scene *s = level5_scene_open();
    add_arm(s, level5_scene_moved(0, 0, 0));
    level5_scene_begin(s, "a.mot");
    level5_scene_track(s, 1, 0, 0, &key, 1, true);
    sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
    sn_mat34 world = world_at(model, "arm", 0, 0);
    assert_vec3(level5_scene_point(&world, 1, 0, 0), 0, 1, 0);
    sn_model_free(model);
    level5_scene_close(s);
}

static void key_commands_cut_the_timeline(void **state)
{
    (void)state;
    const level5_scene_key keys[] = { { 10, 0, 0, 0, 0 }, { 20, 10, 0, 0, 0 }, { 40, 10, 20, 0, 0 } };
    level5_scene *s = level5_scene_open();
    add_arm(s, level5_scene_moved(0, 0, 0));
    level5_scene_begin(s, "x.mot");
    level5_scene_track(s, 1, 0, 2, keys, 3, true);
    level5_scene_config(s, "info.cfg",
                        "V2;\nMODEL \"a.mds\";\nMOTION 0, \"x.mot\", \"\", \"\";\nKEY_START;\n"
                        "KEY \"walk\", 15, 30, 0.5;\nKEY \"still\", 20, 20, 1.0;\nKEY \"frozen\", 10, 40, 0;\nKEY "
                        "\"before\", "
                        "0, 9, 1;\nKEY \"back\", 30, 10, 1;\nKEY_END;\nMOTION_END;\n"
                        "SEQ_START \"both\";\nSEQ \"walk\", 1;\nSEQ \"still\";\nSEQ_END;\n");
    sn_model *model = level5_scene_load(s, "info.cfg", NULL);
    assert_int_equal(model->clip_count, 5);
    assert_string_equal(model->clips[0].name, "walk");
    assert_near(model->clips[0].duration, 15 / (30 * 0.5));
    const sn_track *track = &model->clips[0].tracks[0];
    assert_int_equal(track->key_count, 3);  // 15, 20 and 30
    assert_near(track->times[1], 5 / 15.0);
    sn_mat34 world = world_at(model, "arm", 0, 0);
    assert_vec3(level5_scene_point(&world, 0, 0, 0), 5, 0, 0);
    world = world_at(model, "arm", 0, 0.99999f);
    assert_within(level5_scene_point(&world, 0, 0, 0).y, 10, 1e-3);
    for (int clip = 1; clip < 5; clip++) assert_near(model->clips[clip].duration, clip == 3 ? 0.3 : 0.0);
    world = world_at(model, "arm", 1, 0);
    assert_vec3(level5_scene_point(&world, 0, 0, 0), 10, 0, 0);
    world = world_at(model, "arm", 3, 0.2f);  // before the first key: same value
    assert_vec3(level5_scene_point(&world, 0, 0, 0), 0, 0, 0);
    assert_int_equal(count_warnings(model, SNI_WARN_VALUE_RANGE), 1);  // the clip that ends before its start
    assert_non_null(strstr(model->extras, "{\"name\":\"both\",\"clips\":[[\"walk\",1],[\"still\"]]}"));
    sn_model_free(model);
    level5_scene_close(s);
}

static void dark_cloud_1_names_clips_in_comments(void **state)
{
    (void)state;
    const level5_scene_key keys[] = { { 0, 0, 0, 0, 0 }, { 60, 6, 0, 0, 0 } };
    level5_scene *s = level5_scene_open();
    add_arm(s, level5_scene_moved(0, 0, 0));
    level5_scene_begin(s, "x.mot");
    level5_scene_track(s, 1, 0, 2, keys, 2, true);
    level5_scene_begin(s, "y.mot");
    level5_scene_track(s, 1, 0, 2, keys, 1, true);
    level5_scene_config(s, "info.cfg",
                        "MODEL \"a.mds\"\r\nMOTION 0,\"x.mot\",\"\",\"\"\r\nKEY_START 0\r\nKEY 0,60,0.5 // "
                        "stand\r\nKEY "
                        "0,30,1.0\r\nKEY_END\r\nMOTION_END\r\n"
                        "MOTION 1,\"y.mot\",\"\",\"\"\r\nKEY_START 5\r\nKEY 0,0,1.0\r\nKEY_END\r\nMOTION_END\r\n");
    sn_model *model = level5_scene_load(s, "info.cfg", NULL);
    assert_int_equal(model->clip_count, 3);
    assert_string_equal(model->clips[0].name, "stand");
    assert_near(model->clips[0].duration, 60 / (60 * 0.5));
    assert_string_equal(model->clips[1].name, "clip 1");
    assert_near(model->clips[1].duration, 0.5);
    assert_string_equal(model->clips[2].name, "set 1 clip 5");
    assert_non_null(strstr(model->clips[2].extras, "\"set\":1"));
    sn_model_free(model);
    level5_scene_close(s);
}

// Half a turn: Dark Cloud 2 jumps, Dark Cloud 1 interpolates.
static void dark_cloud_2_jumps_at_half_turns(void **state)
{
    (void)state;
    const level5_scene_key keys[] = { level5_scene_turn_key(0, z_axis, 0), level5_scene_turn_key(10, z_axis, PI),
                                      level5_scene_turn_key(20, z_axis, PI + 0.5) };
    for (int game = SN_LEVEL5_DARK_CLOUD; game <= SN_LEVEL5_DARK_CLOUD_2; game++) {
        level5_scene *s = level5_scene_open();
        add_arm(s, level5_scene_moved(0, 0, 0));
        level5_scene_begin(s, "a.mot");
        level5_scene_track(s, 1, 0, 0, keys, 3, true);
        sn_model *model = load(s, (sn_level5_game)game);
        float frame = game == SN_LEVEL5_DARK_CLOUD ? 1 / 60.0f : 1 / 30.0f;
        sn_mat34 world = world_at(model, "arm", 0, 5 * frame);
        sn_vec3 p = level5_scene_point(&world, 1, 0, 0);
        if (game == SN_LEVEL5_DARK_CLOUD) assert_within(fabsf(p.y), 1, 1e-5);
        else assert_vec3(p, -1, 0, 0);
        world = world_at(model, "arm", 0, 15 * frame);
        p = level5_scene_point(&world, 1, 0, 0);
        assert_vec3(p, cos(PI + 0.25), sin(PI + 0.25), 0);
        sn_model_free(model);
        level5_scene_close(s);
    }
}

// From frame 20 on Dark Cloud 2 shows key 30. The first key holds before frame 10, and from frame 10 to 20 a turn by 1
// is interpolated: a quarter of it at frame 12.5, nine tenths at 19.
static void a_jump_keeps_the_rotation_before_it(void **state)
{
    (void)state;
    const level5_scene_key late[] = { level5_scene_turn_key(20, z_axis, 0.5),
                                      level5_scene_turn_key(30, z_axis, 0.5 + PI) };
    const level5_scene_key between[] = { level5_scene_turn_key(10, z_axis, 0), level5_scene_turn_key(20, z_axis, 1),
                                         level5_scene_turn_key(30, z_axis, 1 + PI) };
    const struct {
        const level5_scene_key *keys;
        uint32_t count;
        float frame;
        double turned;
    } cases[] = { { late, 2, 5, 0.5 },         { late, 2, 19, 0.5 },    { late, 2, 21, 0.5 + PI },
                  { between, 3, 12.5f, 0.25 }, { between, 3, 19, 0.9 }, { between, 3, 20.5f, 1 + PI } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const level5_scene_key still = { 0, 0, 0, 0, 0 };  // makes the timeline begin at frame 0
        level5_scene *s = level5_scene_open();
        add_arm(s, level5_scene_moved(0, 0, 0));
        level5_scene_begin(s, "a.mot");
        level5_scene_track(s, 0, 0, 2, &still, 1, false);
        level5_scene_track(s, 1, 0, 0, cases[i].keys, cases[i].count, true);
        sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
        sn_mat34 world = world_at(model, "arm", 0, cases[i].frame / 30.0f);
        sn_vec3 p = level5_scene_point(&world, 1, 0, 0);
        assert_vec3(p, cos(cases[i].turned), sin(cases[i].turned), 0);
        assert_near(model->clips[0].duration, 1);
        sn_model_free(model);
        level5_scene_close(s);
    }
}

// Scale along the node's own axes or its parent's. The node is rotated by 90 degrees about z.
static void scale_uses_own_or_parent_axes(void **state)
{
    (void)state;
    const level5_scene_key turn = level5_scene_turn_key(0, z_axis, PI / 2), scale = { 0, 2, 3, 1, 0 };
    for (int game = SN_LEVEL5_DARK_CLOUD; game <= SN_LEVEL5_DARK_CLOUD_2; game++) {
        level5_scene *s = level5_scene_open();
        add_arm(s, level5_scene_moved(0, 0, 0));
        level5_scene_begin(s, "a.mot");
        level5_scene_track(s, 1, 0, 0, &turn, 1, false);
        level5_scene_track(s, 1, 0, 1, &scale, 1, true);
        sn_model *model = load(s, (sn_level5_game)game);
        sn_mat34 world = world_at(model, "arm", 0, 0);
        if (game == SN_LEVEL5_DARK_CLOUD) assert_vec3(level5_scene_point(&world, 1, 1, 0), -3, 2, 0);
        else assert_vec3(level5_scene_point(&world, 1, 1, 0), -2, 3, 0);
        sn_model_free(model);
        level5_scene_close(s);
    }
}

// The matrix of the MDS is scaled by 4. A rotation track removes that, scale and translation tracks do not.
static void a_rotation_removes_the_scale(void **state)
{
    (void)state;
    const level5_scene_key turn = level5_scene_turn_key(0, z_axis, 0), scale = { 0, 2, 2, 2, 0 },
                           move = { 0, 7, 0, 0, 0 };
    const struct {
        int type;
        level5_scene_key key;
        float x, shift;
    } cases[] = { { 0, turn, 1, 0 }, { 1, scale, 8, 0 }, { 2, move, 4, 7 } };
    for (int i = 0; i < 3; i++) {
        level5_scene *s = level5_scene_open();
        add_arm(s, level5_scene_stretched(4, 4, 4));
        level5_scene_begin(s, "a.mot");
        level5_scene_track(s, 1, 0, cases[i].type, &cases[i].key, 1, true);
        sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
        sn_mat34 world = world_at(model, "arm", 0, 0);
        assert_vec3(level5_scene_point(&world, 1, 0, 0), cases[i].x + cases[i].shift, 0, 0);
        world = world_at(model, "arm", -1, 0);
        assert_vec3(level5_scene_point(&world, 1, 0, 0), 4, 0, 0);
        sn_model_free(model);
        level5_scene_close(s);
    }
}

static level5_scene_matrix sheared(void)  // x moves by half of y
{
    level5_scene_matrix matrix = level5_scene_moved(0, 0, 0);
    matrix.m[4] = 0.5f;
    return matrix;
}

// A sheared matrix, and an unevenly scaled one where Dark Cloud 2 scales along other axes, stay exact while they move.
static void sheared_matrices_move_unchanged(void **state)
{
    (void)state;
    const level5_scene_key scale = { 0, 2, 1, 1, 0 }, move = { 0, 7, 0, 0, 0 };
    const level5_scene_matrix stretched = level5_scene_times(level5_scene_turned(z_axis, 0.5, 3, 0, 0),
                                                             level5_scene_stretched(1, 3, 1));
    const struct {
        level5_scene_matrix arm;
        int type;
        level5_scene_key key;
        sn_vec3 moved;
    } cases[] = { { sheared(), 2, move, { 7.5f, 1, 0 } },
                  { stretched, 1, scale, { 3 - 6 * sinf(0.5f), 3 * cosf(0.5f), 0 } },
                  { stretched, 2, move, { 7 - 3 * sinf(0.5f), 3 * cosf(0.5f), 0 } } };
    for (int i = 0; i < 3; i++) {
        level5_scene *s = level5_scene_open();
        add_arm(s, cases[i].arm);
        level5_scene_begin(s, "a.mot");
        level5_scene_track(s, 1, 0, cases[i].type, &cases[i].key, 1, true);
        sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
        assert_int_equal(count_warnings(model, SNI_WARN_LEVEL5_MATRIX), 0);
        sn_mat34 world = world_at(model, "arm", 0, 0);
        assert_vec3(level5_scene_point(&world, 0, 1, 0), cases[i].moved.x, cases[i].moved.y, cases[i].moved.z);
        world = world_at(model, "arm", -1, 0);
        for (int c = 0; c < 4; c++)
            for (int r = 0; r < 3; r++) assert_within(world.m[r][c], cases[i].arm.m[c * 4 + r], 1e-6);
        sn_model_free(model);
        level5_scene_close(s);
    }
}

// Dark Cloud 1 scales along the axes of the node, below the shear: approximated, with a warning.
static void inexact_matrices_are_reported(void **state)
{
    (void)state;
    const level5_scene_key scale = { 0, 2, 1, 1, 0 };
    level5_scene *s = level5_scene_open();
    add_arm(s, sheared());
    level5_scene_begin(s, "a.mot");
    level5_scene_track(s, 1, 0, 1, &scale, 1, true);
    sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD);
    assert_int_equal(count_warnings(model, SNI_WARN_LEVEL5_MATRIX), 1);
    sn_mat34 world = world_at(model, "arm", -1, 0);
    assert_vec3(level5_scene_point(&world, 0, 1, 0), 0.5, 1, 0);
    sn_model_free(model);
    level5_scene_close(s);
}

// Type 50 shows the mesh of a node or its children; type 51 shows or hides both. Values step.
static void visibility_steps(void **state)
{
    (void)state;
    const level5_scene_key keys[] = { { 0, 1, 0, 0, 0 }, { 30, 0, 0, 0, 0 }, { 60, 1, 0, 0, 0 } };
    for (int type = 50; type <= 51; type++) {
        level5_scene *s = level5_scene_open();
        add_arm(s, level5_scene_moved(0, 0, 0));
        level5_scene_begin(s, "a.mot");
        level5_scene_track(s, 1, 0, type, keys, 3, true);
        sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
        assert_int_equal(model->part_count, 3);
        for (int i = 0; i < 3; i++) {
            static const float clip_times[3] = { 0.3f, 0.9f, 1.5f };  // frames 9, 27, 45
            float seconds = clip_times[i];
            bool is_on = i < 2;
            assert_true(level5_scene_shows(model, 0, 0, seconds));
            assert_int_equal(level5_scene_shows(model, 1, 0, seconds), is_on);
            assert_int_equal(level5_scene_shows(model, 2, 0, seconds), type == 50 ? !is_on : is_on);
        }
        sn_model_free(model);
        level5_scene_close(s);
    }
}

static void materials_fade(void **state)
{
    (void)state;
    const level5_scene_key alpha[] = { { 0, 0, 0, 0, 0 }, { 30, 1, 0, 0, 0 } }, color[] = { { 0, 1, 0.5f, 0.25f, 0 } };
    const level5_scene_material materials[] = { { { 0.5f, 1, 1, 1 }, "" }, { { 1, 1, 1, 1 }, "" } };
    const uint32_t two[] = { 0x213, 3, 0, 0, 1, 2, 0x213, 3, 1, 0, 2, 1 };
    const level5_scene_mesh mesh = { .position_count = 3,
                                     .positions = corners,
                                     .faces = two,
                                     .face_words = 12,
                                     .primitive_count = 2,
                                     .materials = materials,
                                     .material_count = 2 };
    const level5_scene_node node = { "a", -1, 0, level5_scene_moved(0, 0, 0) };
    level5_scene *s = level5_scene_open();
    level5_scene_mds(s, "a.mds", &node, 1, &mesh, 1);
    level5_scene_begin(s, "a.mot");
    level5_scene_track(s, 0, 0, 40, &alpha[1], 1, false);  // no effect: the later track wins
    level5_scene_track(s, 0, 0, 40, alpha, 2, false);
    level5_scene_track(s, 0, 0, 41, color, 1, true);
    sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
    assert_int_equal(model->part_count, 2);
    assert_near(model->parts[0].color.x, 0.5);
    assert_int_equal(count_warnings(model, SNI_WARN_TRACK_TWICE), 1);
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
    level5_scene_close(s);
}

// Vertices have keys at different frames; all move linearly between keys.
static void vertices_move_one_by_one(void **state)
{
    (void)state;
    const level5_scene_key first[] = { { 0, 0, 0, 0, 0 }, { 10, 0, 0, 10, 0 }, { 40, 0, 0, 10, 0 } },
                           third[] = { { 0, 0, 1, 0, 0 }, { 30, 3, 1, 0, 0 } };
    level5_scene *s = level5_scene_open();
    add_arm(s, level5_scene_moved(0, 0, 0));
    level5_scene_begin(s, "a.mot");
    level5_scene_track(s, 1, 1, 12, first, 3, false);  // vertex 0
    level5_scene_track(s, 1, 3, 12, third, 2, false);  // vertex 2
    level5_scene_track(s, 1, 9, 12, third, 2, true);
    sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
    assert_int_equal(count_warnings(model, SNI_WARN_TRACK_TARGET), 1);
    assert_int_equal(model->meshes[model->parts[1].mesh].morph_count,
                     2);  // frames 10 and 30; nothing has moved at 0, and 40 equals 30
    assert_int_equal(model->meshes[model->parts[0].mesh].morph_count, 0);
    for (int frame = 0; frame <= 39; frame += 3) {
        sn_vec3 posed[3];
        double up = frame < 10 ? frame : 10, along = frame < 30 ? frame / 10.0 : 3;
        skin_at(model, 1, 0, (float)frame / 30.0f, posed);
        assert_vec3(posed[0], 0, 0, up);
        assert_vec3(posed[1], 1, 0, 0);
        assert_vec3(posed[2], along, 1, 0);
    }
    sn_model_free(model);
    level5_scene_close(s);
}

// From (0, 0, 10) to (10, 0, 0), looking at the origin; the field of view narrows.
static void cameras_look_at_their_target(void **state)
{
    (void)state;
    const level5_scene_key place[] = { { 0, 0, 0, 10, 0 }, { 30, 10, 0, 0, 0 } }, aim = { 0, 0, 0, 0, 0 },
                           roll[] = { { 0, 0, 0, 0, 0 }, { 30, 90, 0, 0, 0 } },
                           fov[] = { { 0, 60, 0, 0, 0 }, { 30, 30, 0, 0, 0 } };
    level5_scene *s = level5_scene_open();
    add_arm(s, level5_scene_moved(0, 5, 0));
    level5_scene_begin(s, "a.mot");
    level5_scene_track(s, 1, 0, 30, place, 2, false);
    level5_scene_track(s, 1, 0, 31, &aim, 1, false);
    level5_scene_track(s, 1, 0, 32, roll, 2, false);
    level5_scene_track(s, 1, 0, 33, fov, 2, true);
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
        assert_vec3(level5_scene_point(&world, 0, 0, 0), x, 0, z);
        sn_vec3 ahead = level5_scene_point(&world, 0, 0, -1);
        assert_vec3(ahead, x - x / length, 0, z - z / length);
        sn_vec3 up = level5_scene_point(&world, 0, 1, 0);
        assert_within(up.y, cos(frame * 3 * PI / 180), 1e-5);
        sn_pose_free(pose);
    }
    sn_model_free(model);
    level5_scene_close(s);
}

static void bad_tracks_are_reported(void **state)
{
    (void)state;
    const level5_scene_key unordered[] = { { 0, 0, 0, 0, 0 },
                                           { 20, 2, 0, 0, 0 },
                                           { 10, 9, 0, 0, 0 },
                                           { 30, 3, 0, 0, 0 },
                                           { 40, NAN, 0, 0, 0 } },
                           later[] = { { 0, 0, 5, 0, 0 }, { 30, 0, 5, 0, 0 } };
    level5_scene *s = level5_scene_open();
    add_arm(s, level5_scene_moved(0, 0, 0));
    level5_scene_begin(s, "a.mot");
    level5_scene_track(s, 2, 0, 2, unordered, 5, false);
    level5_scene_track(s, 1, 0, 2, unordered, 1, false);
    level5_scene_track(s, 1, 0, 2, later, 2, false);  // the later track wins
    level5_scene_track(s, 9, 0, 2, later, 2, false);
    level5_scene_track(s, 1, 0, 77, later, 2, true);
    sn_model *model = load(s, SN_LEVEL5_DARK_CLOUD_2);
    assert_int_equal(count_warnings(model, SNI_WARN_KEY_ORDER), 1);
    assert_int_equal(count_warnings(model, SNI_WARN_NOT_FINITE), 1);
    assert_int_equal(count_warnings(model, SNI_WARN_TRACK_TWICE), 1);
    assert_int_equal(count_warnings(model, SNI_WARN_TRACK_TARGET), 1);
    assert_int_equal(count_warnings(model, SNI_WARN_LEVEL5_TRACK), 1);
    assert_near(model->clips[0].duration, 1.0);
    sn_mat34 world = world_at(model, "hand", 0, 0.5f);
    assert_vec3(level5_scene_point(&world, 0, 0, 0), 1.5, 5, 0);
    sn_model_free(model);
    level5_scene_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotations_turn_about_each_axis),
        cmocka_unit_test(a_stored_quaternion_is_the_inverse),
        cmocka_unit_test(key_commands_cut_the_timeline),
        cmocka_unit_test(dark_cloud_1_names_clips_in_comments),
        cmocka_unit_test(dark_cloud_2_jumps_at_half_turns),
        cmocka_unit_test(a_jump_keeps_the_rotation_before_it),
        cmocka_unit_test(scale_uses_own_or_parent_axes),
        cmocka_unit_test(a_rotation_removes_the_scale),
        cmocka_unit_test(sheared_matrices_move_unchanged),
        cmocka_unit_test(inexact_matrices_are_reported),
        cmocka_unit_test(visibility_steps),
        cmocka_unit_test(materials_fade),
        cmocka_unit_test(vertices_move_one_by_one),
        cmocka_unit_test(bad_tracks_are_reported),
        cmocka_unit_test(cameras_look_at_their_target),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
