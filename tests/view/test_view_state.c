// The viewer without a window: playback, camera, picking, node tree, layout, settings, keys.
#include "cli/elements.h"
#include "cli/view/view.h"
#include "hand_models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct room {
    sni_heap heap;
    sni_arena arena;
} room;

static room *open_room(room *r)
{
    sni_heap_init(&r->heap, NULL, UINT64_MAX);
    sni_arena_init(&r->arena, &r->heap);
    return r;
}

// A clip of one second at ten frames per second.
static cli_player playing(cli_loop loop)
{
    return (cli_player){ .duration = 1, .rate = 10, .speed = 1, .loop = loop, .is_playing = true };
}

static void test_repeat_wraps_around(void **state)
{
    (void)state;
    cli_player player = playing(CLI_LOOP_REPEAT);
    cli_player_advance(&player, 0.75f);
    assert_near(player.seconds, 0.75);
    cli_player_advance(&player, 0.75f);
    assert_near(player.seconds, 0.5);
    cli_player_advance(&player, 7);
    assert_near(player.seconds, 0.5);
    assert_near(player.clock, 8.5);
    assert_true(player.is_playing);
}

static void test_once_stops_and_restarts(void **state)
{
    (void)state;
    cli_player player = playing(CLI_LOOP_ONCE);
    cli_player_advance(&player, 1.5f);
    assert_near(player.seconds, 1);
    assert_false(player.is_playing);
    assert_true(cli_player_sample_time(&player) < 1 &&
                cli_player_sample_time(&player) > 0.9999f);  // the end, not the start of a loop
    cli_player_toggle(&player);
    assert_true(player.is_playing);
    assert_near(player.seconds, 0);
}

// 0 .. 1 .. 0: after 1.25 s it plays backwards at 0.75, after 2.25 s forwards at 0.25.
static void test_ping_pong(void **state)
{
    (void)state;
    cli_player player = playing(CLI_LOOP_PING_PONG);
    cli_player_advance(&player, 1.25f);
    assert_near(player.seconds, 0.75);
    assert_true(player.is_reversed);
    cli_player_advance(&player, 0.5f);
    assert_near(player.seconds, 0.25);
    cli_player_advance(&player, 0.5f);
    assert_near(player.seconds, 0.25);
    assert_false(player.is_reversed);
}

static void test_speed_and_pause(void **state)
{
    (void)state;
    cli_player player = playing(CLI_LOOP_REPEAT);
    cli_player_change_speed(&player, -1);
    cli_player_advance(&player, 0.5f);
    assert_near(player.seconds, 0.25);
    for (int i = 0; i < 50; i++) cli_player_change_speed(&player, 1);
    assert_near(player.speed, 16);
    for (int i = 0; i < 50; i++) cli_player_change_speed(&player, -1);
    assert_near(player.speed, 1.0 / 16);
    cli_player_toggle(&player);
    cli_player_advance(&player, 100);
    assert_near(player.seconds, 0.25);
    cli_player_seek(&player, 7);
    assert_near(player.seconds, 1);
    cli_player_seek(&player, -7);
    assert_near(player.seconds, 0);
}

static void test_steps_are_whole_frames(void **state)
{
    (void)state;
    cli_player player = playing(CLI_LOOP_REPEAT);
    player.seconds = 0.26f;
    cli_player_step(&player, 1);
    assert_near(player.seconds, 0.3);
    assert_false(player.is_playing);
    player.seconds = 0.26f;
    cli_player_step(&player, -1);
    assert_near(player.seconds, 0.2);
    for (uint32_t i = 3; i <= 10; i++) {
        cli_player_step(&player, 1);
        assert_int_equal(cli_player_frame(&player), i);
    }
    assert_int_equal(cli_player_last_frame(&player), 10);
    cli_player_step(&player, 1);
    assert_near(player.seconds, 0);
    cli_player_step(&player, -1);
    assert_near(player.seconds, 1);
    player.loop = CLI_LOOP_ONCE;
    cli_player_step(&player, 1);
    assert_near(player.seconds, 1);
}

static void test_without_a_clip_nothing_moves(void **state)
{
    (void)state;
    cli_player player = { .is_playing = true };
    cli_player_set_clip(&player, NULL, 3);
    assert_int_equal(player.clip, -1);
    cli_player_advance(&player, 1);
    cli_player_step(&player, 1);
    assert_near(cli_player_sample_time(&player), 0);
    assert_int_equal(cli_player_frame(&player), 0);
}

static float rate_of(const float *times, uint32_t count, float duration)
{
    const float values[8] = { 0 };
    sn_track track = keys_of(SN_LINEAR, count, 1, times, values);
    const sn_clip clip = { .name = "", .duration = duration, .tracks = &track, .track_count = 1 };
    return cli_clip_rate(&clip);
}

static void test_rate_comes_from_the_keys(void **state)
{
    (void)state;
    assert_near(rate_of((const float[]){ 0, 1 / 30.0f, 0.5f }, 3, 1), 30);
    assert_near(rate_of((const float[]){ 0, 1 / 24.0f, 5 / 24.0f }, 3, 1), 24);
    assert_near(rate_of((const float[]){ 0, 1 / 60.0f, 0.5f }, 3, 1), 60);
    assert_near(rate_of((const float[]){ 0, 0.033f, 0.067f }, 3, 1), 30);  // thirtieths rounded to milliseconds
    assert_near(rate_of((const float[]){ 0, 0.0137f, 0.0271f }, 3, 0.0413f), 30);
}

static void test_ticks_are_where_keys_are(void **state)
{
    (void)state;
    const float times[3] = { 0, 0.5f, 2 }, later[1] = { 1 }, own[1] = { 0.25f }, values[9] = { 0 };
    sn_track tracks[3] = { keys_of(SN_LINEAR, 3, 3, times, values), keys_of(SN_LINEAR, 1, 3, later, values),
                           keys_of(SN_LINEAR, 1, 3, own, values) };
    tracks[0].target = 4;
    tracks[1].target = 5;
    tracks[2].target = 4;
    tracks[2].period = 1;  // a global sequence
    const sn_clip clip = { .name = "", .duration = 2, .tracks = tracks, .track_count = 3 };
    cli_ticks ticks;
    cli_ticks_make(&ticks, &clip, 5);
    for (int i = 0; i <= CLI_TICKS; i++) {
        bool is_key = i == 0 || i == CLI_TICKS / 4 || i == CLI_TICKS, is_selected = i == CLI_TICKS / 2;
        assert_int_equal(ticks.at[i], is_selected ? CLI_TICK_KEY | CLI_TICK_SELECTED : is_key ? CLI_TICK_KEY : 0);
    }
    cli_ticks_make(&ticks, NULL, 5);
    assert_int_equal(ticks.at[0], 0);
}

static const sn_bounds unit_box = { { -1, -1, -1 }, { 1, 1, 1 }, { 0, 0, 0 }, 1.7320508f };

static cli_viewport picture_of(const cli_orbit *orbit, float width, float height)
{
    return (cli_viewport){ cli_orbit_camera(orbit, &unit_box), width, height };
}

static cli_orbit orbit_from(float yaw, float pitch)
{
    sn_render_camera camera = sn_render_camera_fit(&unit_box, yaw, pitch, 1.5f);
    return cli_orbit_from_camera(&camera, yaw, pitch, &unit_box);
}

static void test_orbit_reproduces_its_camera(void **state)
{
    (void)state;
    sn_render_camera camera = sn_render_camera_fit(&unit_box, 0.6f, 0.3f, 1.5f);
    cli_orbit orbit = cli_orbit_from_camera(&camera, 0.6f, 0.3f, &unit_box);
    sn_render_camera again = cli_orbit_camera(&orbit, &unit_box);
    assert_vec3(again.view.position, camera.view.position.x, camera.view.position.y, camera.view.position.z);
    assert_vec3(again.view.back, camera.view.back.x, camera.view.back.y, camera.view.back.z);
    assert_near(again.fov_y, camera.fov_y);
}

static void test_orbit_rotates_and_stops_at_the_poles(void **state)
{
    (void)state;
    cli_orbit orbit = orbit_from(0, 0);
    cli_orbit_rotate(&orbit, (float)(PI / 2), 0);
    sn_render_camera camera = cli_orbit_camera(&orbit, &unit_box);
    assert_vec3(camera.view.back, 1, 0, 0);
    cli_orbit_rotate(&orbit, 0, 10);
    camera = cli_orbit_camera(&orbit, &unit_box);
    assert_vec3(camera.view.back, 0, 1, 0);
}

static sn_vec2 pixel_of(const cli_viewport *viewport, sn_vec3 at)
{
    sn_vec2 pixel;
    float depth;
    assert_true(cli_viewport_project(viewport, at, &pixel, &depth));
    return pixel;
}

// Panning moves the orbit centre with the mouse.
static void test_pan_follows_the_mouse(void **state)
{
    (void)state;
    cli_orbit orbit = orbit_from(0.6f, 0.3f);
    sn_vec3 center = orbit.center;
    cli_viewport before = picture_of(&orbit, 600, 400);
    sn_vec2 at = pixel_of(&before, center);
    assert_within(at.x, 300, 1e-2);
    assert_within(at.y, 200, 1e-2);
    cli_orbit_pan(&orbit, 40 / 400.0f, -20 / 400.0f);
    cli_viewport after = picture_of(&orbit, 600, 400);
    at = pixel_of(&after, center);
    assert_within(at.x, 340, 1e-2);
    assert_within(at.y, 180, 1e-2);
}

static void test_fit_box_moves_into_the_free_area(void **state)
{
    (void)state;
    cli_orbit orbit = orbit_from(0, 0);
    sn_vec3 center = orbit.center;
    cli_orbit_fit_box(&orbit, 0.25f, 0, 0.75f, 0.8f, 1.5f);
    cli_viewport viewport = picture_of(&orbit, 600, 400);
    sn_vec2 at = pixel_of(&viewport, center);
    assert_within(at.x, (0.25 + 0.75 / 2) * 600, 1e-2);
    assert_within(at.y, 0.4 * 400, 1e-2);
}

static void test_ray_goes_through_its_pixel(void **state)
{
    (void)state;
    cli_orbit orbit = orbit_from(0.6f, 0.3f);
    cli_viewport viewports[2] = { picture_of(&orbit, 600, 400),
                                  { sn_render_camera_fit_parallel(&unit_box, 0.6f, 0.3f, 1.5f), 600, 400 } };
    for (int i = 0; i < 2; i++) {
        const sn_vec2 pixel = { 123, 321 };
        cli_ray ray = cli_viewport_ray(&viewports[i], pixel);
        for (float far = 3; far < 9; far += 2) {
            sn_vec3 on = { ray.from.x + ray.along.x * far, ray.from.y + ray.along.y * far,
                           ray.from.z + ray.along.z * far };
            sn_vec2 at = pixel_of(&viewports[i], on);
            assert_within(at.x, pixel.x, 2e-2);
            assert_within(at.y, pixel.y, 2e-2);
        }
    }
    sn_vec2 pixel;
    float depth;
    sn_vec3 behind = viewports[0].camera.view.position, back = viewports[0].camera.view.back;
    behind = (sn_vec3){ behind.x + back.x, behind.y + back.y, behind.z + back.z };
    assert_false(cli_viewport_project(&viewports[0], behind, &pixel, &depth));
}

// Three joints along x and a node that is not a joint. A square at z 0 skinned to the second joint, and one behind it
// at z -1.
typedef struct bones {
    test_rig rig;
    sn_mat34 inverse[3];
    sn_pose *pose;
    cli_viewport viewport;
} bones;

static const sn_vec3 square[4] = { { -0.5f, -0.5f, 0 }, { 0.5f, -0.5f, 0 }, { 0.5f, 0.5f, 0 }, { -0.5f, 0.5f, 0 } };
static const uint32_t square_indices[6] = { 0, 1, 2, 0, 2, 3 };
static const uint16_t square_joints[8] = { 0, 1, 0, 1, 0, 1, 0, 1 };
static const float square_weights[8] = { 0.3f, 0.7f, 0.3f, 0.7f, 0.3f, 0.7f, 0.3f, 0.7f };

static void make_bones(bones *b)
{
    test_rig *rig = &b->rig;
    rig_init(rig);
    rig_node(rig, -1, trs_move(-0.9f, 0.8f, 0), SN_NODE_JOINT);
    rig_node(rig, 0, trs_move(0.9f, 0, 0), SN_NODE_JOINT);
    rig_node(rig, 1, trs_move(0.9f, 0, 0), SN_NODE_JOINT);
    rig_node(rig, -1, trs_move(0, 0, -1), 0);
    static const int32_t joints[3] = { 0, 1, 2 };
    b->inverse[0] = mat34_move(0.9f, -0.8f, 0);
    b->inverse[1] = mat34_move(0, -0.8f, 0);
    b->inverse[2] = mat34_move(-0.9f, -0.8f, 0);
    int32_t skin = rig_skin(rig, 3, joints, b->inverse);
    for (int i = 0; i < 2; i++) {
        sn_mesh *mesh = rig_mesh(rig, 4, square);
        mesh->topology = SN_TRIANGLES;
        mesh->indices = square_indices;
        mesh->index_count = 6;
    }
    rig->meshes[0].influence_count = 2;
    rig->meshes[0].vertex_joints = square_joints;
    rig->meshes[0].vertex_weights = square_weights;
    rig_part(rig, 1, 3, -1);
    rig_part(rig, 0, 0, skin);
    b->pose = sn_pose_create(&rig->model, NULL, NULL);
    sn_pose_solve(b->pose, NULL);
    b->viewport = (cli_viewport){ sn_render_camera_fit_parallel(&unit_box, 0, 0, 1), 200, 200 };
}

static int32_t pick_bone_at(const bones *b, sn_vec3 at)
{
    return cli_pick_bone(&b->viewport, &b->rig.model, b->pose, pixel_of(&b->viewport, at), 8);
}

static void test_bones_are_picked(void **state)
{
    (void)state;
    bones b;
    make_bones(&b);
    assert_int_equal(pick_bone_at(&b, (sn_vec3){ -0.9f, 0.8f, 0 }), 0);
    assert_int_equal(pick_bone_at(&b, (sn_vec3){ 0, 0.8f, 0 }), 1);
    assert_int_equal(pick_bone_at(&b, (sn_vec3){ 0.9f, 0.82f, 0 }), 2);
    assert_int_equal(pick_bone_at(&b, (sn_vec3){ -0.45f, 0.8f, 0 }), 0);  // the bone that starts at joint 0
    assert_int_equal(pick_bone_at(&b, (sn_vec3){ 0.45f, 0.83f, 0 }), 1);
    assert_int_equal(pick_bone_at(&b, (sn_vec3){ 0, 0, -1 }), -1);  // a node but not a joint
    sn_pose_free(b.pose);
}

static int32_t pick_surface_at(const bones *b, sn_vec3 at)
{
    cli_ray ray = cli_viewport_ray(&b->viewport, pixel_of(&b->viewport, at));
    return cli_pick_surface(&b->rig.model, b->pose, &ray, NULL);
}

static void test_surfaces_are_picked(void **state)
{
    (void)state;
    bones b;
    make_bones(&b);
    assert_int_equal(pick_surface_at(&b, (sn_vec3){ 0.1f, 0.2f, 0 }), 1);  // weight 0.7
    assert_int_equal(pick_surface_at(&b, (sn_vec3){ 0.8f, 0, 0 }), -1);
    b.viewport.camera = sn_render_camera_fit_parallel(&unit_box, (float)PI, 0,
                                                      1);  // from behind, the other square is hit first
    assert_int_equal(pick_surface_at(&b, (sn_vec3){ 0.1f, 0.2f, 0 }), 3);
    sn_pose_free(b.pose);
}

//  0 - 1 - 3
//    - 2
//  4
static void make_tree(test_rig *rig)
{
    rig_init(rig);
    rig_node(rig, -1, trs_identity, 0);
    rig_node(rig, 0, trs_identity, 0);
    rig_node(rig, 0, trs_identity, 0);
    rig_node(rig, 1, trs_identity, 0);
    rig_node(rig, -1, trs_identity, 0);
}

static void assert_rows(const cli_outline *outline, uint32_t count, const int32_t *nodes)
{
    assert_int_equal(outline->row_count, count);
    assert_memory_equal(outline->rows, nodes, count * sizeof *nodes);
}

static void test_tree_folds(void **state)
{
    (void)state;
    test_rig rig;
    room r;
    cli_outline outline;
    make_tree(&rig);
    assert_true(cli_outline_make(&outline, &rig.model, &open_room(&r)->arena));
    assert_rows(&outline, 5, (const int32_t[]){ 0, 1, 3, 2, 4 });
    assert_int_equal(outline.depth[3], 2);
    assert_true(cli_outline_has_children(&outline, 1));
    assert_false(cli_outline_has_children(&outline, 3));
    cli_outline_fold(&outline, 1, true);
    assert_rows(&outline, 4, (const int32_t[]){ 0, 1, 2, 4 });
    cli_outline_fold(&outline, 0, true);
    assert_rows(&outline, 2, (const int32_t[]){ 0, 4 });
    cli_outline_fold(&outline, 4, true);  // no children
    assert_false(outline.is_folded[4]);
    assert_int_equal(cli_outline_reveal(&outline, 3), 2);
    assert_rows(&outline, 5, (const int32_t[]){ 0, 1, 3, 2, 4 });
    sni_arena_free(&r.arena);
}

static void test_rows_scroll(void **state)
{
    (void)state;
    cli_rows rows = { .box = { 10, 0, 100, 24 + 4 + 5 * CLI_ROW_HEIGHT }, .count = 20 };
    assert_int_equal(cli_rows_shown(&rows), 5);
    cli_rows_scroll(&rows, 3);
    assert_int_equal(cli_rows_at(&rows, (sn_vec2){ 20, 24 + CLI_ROW_HEIGHT * 1.5f }), 4);
    assert_int_equal(cli_rows_at(&rows, (sn_vec2){ 20, 3 }), -1);
    assert_int_equal(cli_rows_at(&rows, (sn_vec2){ 120, 60 }), -1);
    cli_rows_scroll(&rows, 100);
    assert_int_equal(rows.first, 15);
    cli_rows_scroll(&rows, -100);
    assert_int_equal(rows.first, 0);
    cli_rows_reveal(&rows, 9);
    assert_int_equal(rows.first, 5);
    cli_rows_reveal(&rows, 2);
    assert_int_equal(rows.first, 2);
}

// There is room for the model between both panels, even in the smallest window, and nothing overlaps.
static void test_panels_leave_room(void **state)
{
    (void)state;
    static const float widths[] = { 320, 400, 640, 1280, 3840 };
    sn_model model = { 0 };
    cli_loaded_model shown = { .job.model = &model };
    cli_view view = { .height = 240,
                      .shown = &shown,
                      .panels = CLI_PANEL_TREE | CLI_PANEL_CLIPS | CLI_PANEL_TIMELINE,
                      .player.clip = 0 };
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        view.width = widths[i];
        cli_layout layout = cli_layout_of(&view);
        assert_true(layout.free.width > 100 && layout.free.height > 150);
        assert_true(fabsf(layout.tree.width + layout.free.width + layout.clips.width - view.width) < 0.01f);
        assert_true(fabsf(layout.free.x - layout.tree.width) < 0.01f);
        assert_true(fabsf(layout.clips.x - (layout.free.x + layout.free.width)) < 0.01f);
        assert_true(fabsf(layout.timeline.y - layout.free.height) < 0.01f);
    }
}

static void test_settings_round_trip(void **state)
{
    (void)state;
    room r;
    sni_writer text;
    open_room(&r);
    sni_writer_init(&text, &r.heap);
    const cli_settings kept = { .x = -12,
                                .y = 40,
                                .has_position = true,
                                .width = 800,
                                .height = 600,
                                .show = SN_SHOW_SKELETON | SN_SHOW_GRID,
                                .panels = CLI_PANEL_TREE | CLI_PANEL_INFORMATION,
                                .loop = CLI_LOOP_PING_PONG };
    cli_settings_format(&kept, &text);
    cli_settings read = { 0 };
    cli_settings_parse(&read, (const char *)text.data, text.size);
    assert_int_equal(read.x, -12);
    assert_int_equal(read.y, 40);
    assert_true(read.has_position && read.width == 800 && read.height == 600);
    assert_int_equal(read.show, kept.show);
    assert_int_equal(read.panels, kept.panels);
    assert_int_equal(read.loop, kept.loop);
    sni_writer_free(&text);
}

static void test_bad_settings_change_nothing(void **state)
{
    (void)state;
    const char bad[] =
        "size 0 99999999999\nsize 5 5\nsize\nplace x y\nplace 9999999999 1\nloop sideways\n\0\xff\n\nnonsense 1 2 3";
    const cli_settings before = { .width = 640, .height = 480, .loop = CLI_LOOP_ONCE, .show = SN_SHOW_GRID };
    cli_settings settings = before;
    cli_settings_parse(&settings, bad, sizeof bad - 1);
    assert_int_equal(settings.width, 640);
    assert_int_equal(settings.height, 480);
    assert_false(settings.has_position);
    assert_int_equal(settings.loop, CLI_LOOP_ONCE);
    assert_int_equal(settings.show, SN_SHOW_GRID);
    cli_settings_parse(&settings, "show bones unheard-of", 21);
    assert_int_equal(settings.show, SN_SHOW_SKELETON);
}

static void test_every_key_has_one_action(void **state)
{
    (void)state;
    uint32_t toggled = 0;
    for (uint32_t i = 0; i < cli_key_count; i++) {
        const cli_key_row *row = &cli_keys[i];
        assert_non_null(row->text);
        for (int k = 0; k < 2; k++)
            if (row->keys[k]) assert_ptr_equal(cli_key_find(row->keys[k]), row);
        if (row->action == CLI_DO_TOGGLE_SHOW) toggled |= (uint32_t)row->argument;
    }
    assert_int_equal(toggled, SN_SHOW_SELECTION - 1);  // all overlays except the selection
    assert_null(cli_key_find(0));
    assert_null(cli_key_find(CLI_KEY_OTHER));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_repeat_wraps_around),
        cmocka_unit_test(test_once_stops_and_restarts),
        cmocka_unit_test(test_ping_pong),
        cmocka_unit_test(test_speed_and_pause),
        cmocka_unit_test(test_steps_are_whole_frames),
        cmocka_unit_test(test_without_a_clip_nothing_moves),
        cmocka_unit_test(test_rate_comes_from_the_keys),
        cmocka_unit_test(test_ticks_are_where_keys_are),
        cmocka_unit_test(test_orbit_reproduces_its_camera),
        cmocka_unit_test(test_orbit_rotates_and_stops_at_the_poles),
        cmocka_unit_test(test_pan_follows_the_mouse),
        cmocka_unit_test(test_fit_box_moves_into_the_free_area),
        cmocka_unit_test(test_ray_goes_through_its_pixel),
        cmocka_unit_test(test_bones_are_picked),
        cmocka_unit_test(test_surfaces_are_picked),
        cmocka_unit_test(test_tree_folds),
        cmocka_unit_test(test_rows_scroll),
        cmocka_unit_test(test_panels_leave_room),
        cmocka_unit_test(test_settings_round_trip),
        cmocka_unit_test(test_bad_settings_change_nothing),
        cmocka_unit_test(test_every_key_has_one_action),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
