// The viewer without a window: badges, help, findings, the list of files, textures, what is shown by default.
#include "cli/elements.h"
#include "cli/view/view.h"
#include "hand_models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
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

static bool has_badge(const cli_view *view, const char *text)
{
    room r;
    const char *badges[CLI_BADGES_MAX];
    uint32_t count = cli_view_badges(view, &open_room(&r)->arena, badges);
    bool is_found = false;
    for (uint32_t i = 0; i < count; i++) is_found = is_found || strcmp(badges[i], text) == 0;
    sni_arena_free(&r.arena);
    return is_found;
}

static void test_badges_say_what_is_hidden(void **state)
{
    (void)state;
    sn_node node = { .name = "neck", .parent = -1 };
    sn_camera camera = { .name = "Portrait" };
    sn_model model = { .nodes = &node, .node_count = 1, .cameras = &camera, .camera_count = 1, .lod_count = 3 };
    cli_loaded_model shown = { .job.model = &model };
    cli_view view = { .shown = &shown, .node = -1, .camera = -1, .player.speed = 1 };
    view.show = SN_SHOW_GRID | SN_SHOW_SHADOW | SN_SHOW_SKELETON | SN_SHOW_WEIGHTS;
    const char *none[CLI_BADGES_MAX];
    assert_int_equal(cli_view_badges(&view, NULL, none), 0);
    view.show |= SN_SHOW_UNTEXTURED | SN_SHOW_WIREFRAME;
    view.node = view.camera = 0;
    view.options.lod = 2;
    view.player.speed = 0.5f;
    assert_true(has_badge(&view, "no textures (T)"));
    assert_true(has_badge(&view, "wireframe (W)"));
    assert_true(has_badge(&view, "weights of neck (E)"));
    assert_true(has_badge(&view, "camera Portrait (C)"));
    assert_true(has_badge(&view, "level of detail 2"));
    assert_true(has_badge(&view, "speed 0.5 (Backspace)"));
    assert_false(has_badge(&view, "ground (G)"));
}

static void test_help_knows_the_states(void **state)
{
    (void)state;
    cli_view view = { .show = SN_SHOW_GRID, .panels = CLI_PANEL_FINDINGS, .player.loop = CLI_LOOP_PING_PONG };
    assert_string_equal(cli_key_state(&view, cli_key_find('G')), "on");
    assert_string_equal(cli_key_state(&view, cli_key_find('T')), "off");
    assert_string_equal(cli_key_state(&view, cli_key_find('S')), "on");
    assert_string_equal(cli_key_state(&view, cli_key_find(CLI_KEY_TAB)), "off");
    assert_string_equal(cli_key_state(&view, cli_key_find('O')), "ping-pong");
    assert_null(cli_key_state(&view, cli_key_find('F')));
}

// Every word of every message is on a line of the panel, and each line fits into it.
static void test_findings_are_wrapped(void **state)
{
    (void)state;
    room r;
    const sn_warning warnings[2] = {
        { .code = 1,
          .count = 3,
          .path = "TEXS[0]",
          .message = "one two three four five six seven eight nine ten eleven" },
        { .code = 1, .count = 1, .path = "", .message = "short" },
    };
    sn_model model = { .warnings = warnings, .warning_count = 2 };
    cli_loaded_model shown = { .job.model = &model };
    cli_view view = { .width = 240, .height = 400, .shown = &shown, .panels = CLI_PANEL_FINDINGS, .player.clip = -1 };
    sni_arena_init(&view.findings_arena, &open_room(&r)->heap);
    cli_findings_update(&view);
    const cli_line *lines = view.finding_lines.items;
    char all[256] = "";
    assert_true(view.finding_lines.count > 4);
    assert_non_null(strstr(lines[0].text, "TEXS[0]"));
    assert_non_null(strstr(lines[0].text, "3 times"));
    for (uint32_t i = 1; i < view.finding_lines.count; i++) {
        assert_true(sn_label_width(NULL, lines[i].text, CLI_TEXT_SIZE) <= 240 - 2 * CLI_PAD);
        if (lines[i].ink == CLI_INK_TEXT) strncat(all, lines[i].text + 2, sizeof all - strlen(all) - 1);
    }
    assert_string_equal(all, " one two three four five six seven eight nine ten eleven short");
    assert_int_equal(view.finding_rows.count, view.finding_lines.count);
    sni_arena_free(&view.findings_arena);
    sni_arena_free(&r.arena);
}

// Twenty files of two kinds in a window of 4 columns and 3 rows.
typedef struct listing {
    room r;
    cli_input inputs[20];
    char names[20][24];
    cli_view view;
} listing;

static void make_listing(listing *l)
{
    memset(l, 0, sizeof *l);
    for (uint32_t i = 0; i < 20; i++) {
        snprintf(l->names[i], sizeof l->names[i], "art/%s%02u.mdx", i % 2 ? "Wolf" : "sheep", i);
        l->inputs[i] = (cli_input){ .name = l->names[i], .path = l->names[i] };
    }
    l->view.files.list = (sni_list){ l->inputs, 20, 20 };
    l->view.files.generation = 1;
    l->view.width = 640, l->view.height = 600;
    sni_arena_init(&l->view.browser.arena, &open_room(&l->r)->heap);
    cli_browser_open(&l->view);
}

static void type_text(cli_view *view, const char *text)
{
    for (; *text; text++) cli_browser_character(view, (uint8_t)*text);
}

static void test_browser_filters_and_selects(void **state)
{
    (void)state;
    listing l;
    make_listing(&l);
    cli_view *view = &l.view;
    cli_browser *browser = &view->browser;
    assert_int_equal(cli_browser_grid(view).columns, 4);
    assert_int_equal(cli_browser_grid(view).rows, 3);
    assert_int_equal(browser->match_count, 20);
    assert_true(cli_browser_key(view, CLI_KEY_DOWN) && cli_browser_key(view, CLI_KEY_RIGHT));
    assert_int_equal(cli_browser_file(view), 5);
    cli_browser_key(view, CLI_KEY_END);
    assert_int_equal(cli_browser_file(view), 19);
    assert_int_equal(browser->first_row, 2);
    cli_browser_scroll(view, 1);
    assert_int_equal(browser->first_row, 1);
    type_text(view, "wolf");  // the selected file still matches
    assert_int_equal(browser->match_count, 10);
    assert_int_equal(cli_browser_file(view), 19);
    type_text(view, " ART 07");
    assert_int_equal(browser->match_count, 1);
    assert_int_equal(cli_browser_file(view), 7);
    type_text(view, "x");
    assert_int_equal(cli_browser_file(view), UINT32_MAX);
    cli_browser_key(view, CLI_KEY_BACKSPACE);
    assert_int_equal(browser->match_count, 1);
    cli_browser_key(view, CLI_KEY_ESCAPE);
    assert_true(browser->is_open && browser->match_count == 20);
    cli_browser_character(view, 0x41d);
    assert_memory_equal(browser->filter, "\xd0\x9d", 3);
    cli_browser_key(view, CLI_KEY_BACKSPACE);
    assert_int_equal(browser->filter[0], 0);
    for (int i = 0; i < 200; i++) cli_browser_character(view, 'a');
    assert_int_equal(strlen(browser->filter), CLI_FILTER_BYTES - 1);
    cli_browser_key(view, CLI_KEY_ESCAPE);
    assert_true(cli_browser_key(view, 'Q'));  // typed, has no function of its own
    assert_false(cli_browser_key(view, CLI_KEY_F12));
    cli_browser_key(view, CLI_KEY_ESCAPE);
    assert_false(browser->is_open);
    sni_arena_free(&browser->arena);
    sni_arena_free(&l.r.arena);
}

// Ten thousand files: no more pictures than the limit are kept, and those in sight stay.
static void test_thumbnails_are_bounded(void **state)
{
    (void)state;
    static cli_thumbs thumbs;
    for (uint32_t i = 0; i < 10000; i++) {
        thumbs.clock++;
        cli_thumb *shown = cli_thumbs_find(&thumbs, 0);
        if (shown) shown->shown_at = thumbs.clock;
        cli_thumbs_place(&thumbs, i);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < 10000; i++) count += cli_thumbs_find(&thumbs, i) != NULL;
    assert_int_equal(count, CLI_THUMBS_MAX);
    assert_non_null(cli_thumbs_find(&thumbs, 0));
    assert_non_null(cli_thumbs_find(&thumbs, 9999));
    assert_null(cli_thumbs_find(&thumbs, 1));
    cli_thumbs_forget(&thumbs);
    assert_null(cli_thumbs_find(&thumbs, 0));
}

static void test_textures_fit_by_whole_numbers(void **state)
{
    (void)state;
    cli_view view = { .width = 400, .height = 300, .texture = { .full_width = 64, .full_height = 32 } };
    cli_box box = cli_texture_box(&view);
    assert_near(cli_texture_zoom(&view), 5);  // 400 - 56 is more than 5 x 64
    assert_true(box.x == 40 && box.y == 70 && box.width == 320 && box.height == 160);
    view.mouse = (sn_vec2){ 40, 70 };  // over the first texel, which stays there
    cli_texture_scroll(&view, 2);
    box = cli_texture_box(&view);
    assert_within(box.x, 40, 1);
    assert_within(box.y, 70, 1);
    assert_within(box.width, 320 * 1.44, 0.01);
    cli_texture_fit(&view);
    assert_near(cli_texture_box(&view).width, 320);
    view.texture.full_width = 4096, view.texture.full_height = 4096;
    assert_within(cli_texture_box(&view).height, 300 - 56, 0.01);
}

static void test_portraits_have_their_camera(void **state)
{
    (void)state;
    const sn_model with = { .camera_count = 2 }, without = { 0 };
    assert_int_equal(cli_default_camera(&with, "units/Footman_Portrait.mdx"), 0);
    assert_int_equal(cli_default_camera(&with, "_portrait"), 0);
    assert_int_equal(cli_default_camera(&with, "units/Footman.mdx"), -1);
    assert_int_equal(cli_default_camera(&with, "a_portrait.d/Footman.mdx"), -1);
    assert_int_equal(cli_default_camera(&without, "Footman_portrait.mdx"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_badges_say_what_is_hidden),   cmocka_unit_test(test_help_knows_the_states),
        cmocka_unit_test(test_findings_are_wrapped),        cmocka_unit_test(test_browser_filters_and_selects),
        cmocka_unit_test(test_thumbnails_are_bounded),      cmocka_unit_test(test_textures_fit_by_whole_numbers),
        cmocka_unit_test(test_portraits_have_their_camera),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
