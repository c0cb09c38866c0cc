// Keys and mouse.
#include "view.h"

#include <math.h>
#include <string.h>

static const float degree = 0.01745329252f, radians_per_unit = 0.008f, click_distance = 4, pick_distance = 9;

void cli_view_resize(cli_view *view, float width, float height, float scale)
{
    view->width = width;
    view->height = height;
    view->scale = scale;
    cli_view_place(view);
    view->needs_drawing = true;
}

// 1 is the default view, the others are presets.
static void set_preset_view(cli_view *view, int32_t number)
{
    if (number == 1) cli_view_frame_clip(view, SN_VIEW_YAW, SN_VIEW_PITCH);
    else cli_view_frame_clip(view, cli_presets[number - 2].yaw * degree, cli_presets[number - 2].pitch * degree);
}

static void next_camera(cli_view *view)
{
    const sn_model *model = cli_view_model(view);
    if (!model || model->camera_count == 0) cli_view_message(view, "the model has no cameras");
    else view->camera = view->camera + 1 < (int32_t)model->camera_count ? view->camera + 1 : -1;
}

static void next_clip(cli_view *view, int32_t by)
{
    const sn_model *model = cli_view_model(view);
    if (!model) return;
    int32_t count = (int32_t)model->clip_count + 1;
    if (count == 1) cli_view_message(view, "the model has no clips");
    else cli_view_choose_clip(view, (view->player.clip + 1 + by + count) % count - 1);
}

static void toggle_show(cli_view *view, uint32_t flag)
{
    const sn_model *model = cli_view_model(view);
    view->show ^= flag;
    bool is_on = view->show & flag;
    if (is_on && flag == SN_SHOW_WEIGHTS && view->node < 0) cli_view_message(view, "click a bone to see its weights");
    if (is_on && flag == SN_SHOW_LIGHTS && model && model->light_count == 0)
        cli_view_message(view, "the model has no lights");
}

static void clear_or_quit(cli_view *view)
{
    if (view->node >= 0) cli_view_select(view, -1);
    else view->should_quit = true;
}

static void act_on_player(cli_view *view, cli_action action, int32_t argument)
{
    cli_player *player = &view->player;
    if (action == CLI_DO_PLAY) cli_player_toggle(player);
    else if (action == CLI_DO_STEP) cli_player_step(player, argument);
    else if (action == CLI_DO_SEEK_ENDS) cli_player_seek(player, argument ? player->duration : 0);
    else if (action == CLI_DO_CHANGE_SPEED) cli_player_change_speed(player, argument);
    else if (action == CLI_DO_NORMAL_SPEED) player->speed = 1;
    else if (action == CLI_DO_NEXT_LOOP) player->loop = (cli_loop)((player->loop + 1) % CLI_LOOP_COUNT);
    if (action == CLI_DO_CHANGE_SPEED || action == CLI_DO_NORMAL_SPEED)
        cli_view_message(view, "speed %g", (double)player->speed);
    if (action == CLI_DO_NEXT_LOOP) cli_view_message(view, "%s", cli_loop_names[player->loop]);
}

static void act(cli_view *view, cli_action action, int32_t argument)
{
    switch (action) {
    case CLI_DO_NEXT_CLIP:
        if (view->texture.image) cli_texture_step_mip(view, argument);
        else next_clip(view, argument);
        break;
    case CLI_DO_NEXT_FILE: cli_view_step_file(view, argument); break;
    case CLI_DO_RELOAD: cli_view_load(view, view->shown != NULL); break;
    case CLI_DO_BROWSE: cli_browser_open(view); break;
    case CLI_DO_TOGGLE_SHOW: toggle_show(view, (uint32_t)argument); break;
    case CLI_DO_TOGGLE_PANEL: view->panels ^= (uint32_t)argument; break;
    case CLI_DO_VIEW: set_preset_view(view, argument); break;
    case CLI_DO_FRAME:
        cli_texture_fit(view);
        cli_view_frame_clip(view, view->orbit.yaw, view->orbit.pitch);
        break;
    case CLI_DO_NEXT_CAMERA: next_camera(view); break;
    case CLI_DO_SAVE: cli_view_save_picture(view, argument == 0); break;
    case CLI_DO_FULL_SCREEN: view->wants_full_screen = !view->wants_full_screen; break;
    case CLI_DO_HELP:
        view->is_help_shown = true;
        view->help_first = 0;
        break;
    case CLI_DO_ESCAPE: clear_or_quit(view); break;
    case CLI_DO_QUIT: view->should_quit = true; break;
    default: act_on_player(view, action, argument); break;
    }
}

static bool scroll_help(cli_view *view, int32_t key)
{
    const int64_t page = 10, all = 1000;
    return (key == CLI_KEY_DOWN && cli_help_scroll(view, 1)) || (key == CLI_KEY_UP && cli_help_scroll(view, -1)) ||
           (key == CLI_KEY_PAGE_DOWN && cli_help_scroll(view, page)) ||
           (key == CLI_KEY_PAGE_UP && cli_help_scroll(view, -page)) ||
           (key == CLI_KEY_HOME && cli_help_scroll(view, -all)) || (key == CLI_KEY_END && cli_help_scroll(view, all));
}

// Any key closes an error or the help, except that both can be saved as a picture and long help scrolls.
void cli_view_key(cli_view *view, int32_t key)
{
    const cli_key_row *row = cli_key_find(key);
    bool is_save = row && row->action == CLI_DO_SAVE;
    view->needs_drawing = true;
    if (view->error.status != SN_OK && !is_save) view->error = (sn_error){ .status = SN_OK };
    else if (view->is_help_shown && !is_save) view->is_help_shown = scroll_help(view, key);
    else if (!view->browser.is_open || !cli_browser_key(view, key)) {
        if (row) act(view, row->action, row->argument);
    }
    cli_view_place(view);
}

void cli_view_character(cli_view *view, uint32_t code)
{
    bool is_covered = view->error.status != SN_OK || view->is_help_shown;
    if (view->browser.is_open && !is_covered) cli_browser_character(view, code);
}

static void scrub(cli_view *view)
{
    cli_box rail = cli_layout_of(view).rail;
    if (rail.width > 0) cli_player_seek(&view->player, (view->mouse.x - rail.x) / rail.width * view->player.duration);
}

void cli_view_move(cli_view *view, sn_vec2 to)
{
    float x = to.x - view->mouse.x, y = to.y - view->mouse.y;
    view->mouse = to;
    if (view->drag == CLI_DRAG_NONE) return;
    if (hypotf(to.x - view->pressed_at.x, to.y - view->pressed_at.y) > click_distance) view->was_dragged = true;
    view->needs_drawing = true;
    if (view->texture.image) view->texture.pan.x += x, view->texture.pan.y += y;
    else if (view->drag == CLI_DRAG_TIME) scrub(view);
    else if (!view->was_dragged) return;
    else if (view->drag == CLI_DRAG_ORBIT) cli_orbit_rotate(&view->orbit, -x * radians_per_unit, y * radians_per_unit);
    else cli_orbit_pan(&view->orbit, x / view->height, y / view->height);
    if (view->drag == CLI_DRAG_PAN) view->is_framed = false;
    if (view->drag != CLI_DRAG_TIME) view->camera = -1;
}

static void press_tree(cli_view *view, int32_t row)
{
    cli_outline *tree = &view->shown->tree;
    int32_t node = tree->rows[row];
    bool is_on_sign = view->mouse.x < cli_outline_name_x(tree, node) && cli_outline_has_children(tree, node);
    if (is_on_sign) cli_outline_fold(tree, node, !tree->is_folded[node]);
    else cli_view_select(view, node == view->node ? -1 : node);
    view->tree_rows.count = tree->row_count;
    cli_rows_scroll(&view->tree_rows, 0);
}

// True: a panel handled the click.
static bool press_panels(cli_view *view)
{
    cli_layout layout = cli_layout_of(view);
    int32_t tree_row = cli_rows_at(&view->tree_rows, view->mouse),
            clip_row = cli_rows_at(&view->clip_rows, view->mouse);
    if (cli_box_holds(layout.timeline, view->mouse)) {
        view->drag = CLI_DRAG_TIME;
        view->player.is_playing = false;
        scrub(view);
        return true;
    }
    if (tree_row >= 0) press_tree(view, tree_row);
    if (clip_row >= 0) cli_view_choose_clip(view, clip_row - 1);
    return cli_box_holds(layout.tree, view->mouse) || cli_box_holds(layout.clips, view->mouse) ||
           cli_box_holds(layout.findings, view->mouse);
}

void cli_view_press(cli_view *view, bool is_left)
{
    view->needs_drawing = true;
    view->pressed_at = view->mouse;
    view->was_dragged = false;
    if (view->error.status != SN_OK || view->is_help_shown) {
        view->error = (sn_error){ .status = SN_OK };
        view->is_help_shown = false;
        return;
    }
    if (view->browser.is_open) {
        cli_browser_press(view);
        return;
    }
    if (view->shown && is_left && press_panels(view)) return;
    view->drag = is_left ? CLI_DRAG_ORBIT : CLI_DRAG_PAN;
}

// Drawn bones first, then the bone that moves the surface.
static void pick(cli_view *view)
{
    const sn_model *model = cli_view_model(view);
    cli_viewport viewport = { cli_view_pose(view), view->width, view->height };
    int32_t node = -1;
    if ((view->show & SN_SHOW_SKELETON) || model->part_count == 0)
        node = cli_pick_bone(&viewport, model, view->shown->pose, view->mouse, pick_distance);
    cli_ray ray = cli_viewport_ray(&viewport, view->mouse);
    if (node < 0) node = cli_pick_surface(model, view->shown->pose, &ray, NULL);
    cli_view_select(view, node);
}

void cli_view_release(cli_view *view)
{
    bool is_click = view->drag == CLI_DRAG_ORBIT && !view->was_dragged;
    view->drag = CLI_DRAG_NONE;
    if (is_click && view->shown) pick(view);
}

void cli_view_scroll(cli_view *view, float steps)
{
    cli_layout layout = cli_layout_of(view);
    view->needs_drawing = true;
    if (view->is_help_shown) cli_help_scroll(view, steps > 0 ? -2 : 2);
    else if (view->browser.is_open) cli_browser_scroll(view, steps);
    else if (view->texture.image) cli_texture_scroll(view, steps);
    if (!view->shown || view->browser.is_open || view->is_help_shown) return;
    int64_t rows = -(int64_t)roundf(steps * 3);
    if (cli_box_holds(layout.tree, view->mouse)) cli_rows_scroll(&view->tree_rows, rows);
    else if (cli_box_holds(layout.clips, view->mouse)) cli_rows_scroll(&view->clip_rows, rows);
    else if (cli_box_holds(layout.findings, view->mouse)) cli_rows_scroll(&view->finding_rows, rows);
    else if (cli_box_holds(layout.timeline, view->mouse)) cli_player_step(&view->player, steps > 0 ? 1 : -1);
    else {
        view->camera = -1;
        view->is_framed = false;
        cli_orbit_zoom(&view->orbit, steps, &view->shown->scene);
    }
}
