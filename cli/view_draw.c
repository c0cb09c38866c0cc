// One frame of the window, and pictures of it.
#include "view.h"

#include <unistd.h>

enum { PICTURES_MAX = 9999 };

// What is over everything hides the rest: texts of both would mix.
static void draw_canvas(const cli_view *view, cli_canvas *canvas)
{
    cli_layout layout = cli_layout_of(view);
    if (view->error.status != SN_OK) cli_draw_error(view, canvas);
    else if (view->is_help_shown) cli_draw_help(canvas);
    else {
        if (layout.timeline.width > 0) cli_draw_timeline(view, canvas, &layout);
        if (layout.tree.width > 0) cli_draw_tree(view, canvas);
        if (layout.clips.width > 0) cli_draw_clips(view, canvas);
        cli_draw_facts(view, canvas, &layout);
    }
}

static uint32_t shown_overlays(const cli_view *view)
{
    uint32_t show = view->show;
    if (view->node < 0) show &= ~(uint32_t)SN_SHOW_WEIGHTS;
    if (view->node >= 0) show |= SN_SHOW_CHOICE;
    if (view->shown->job.model->part_count == 0) show |= SN_SHOW_SKELETON;
    return show;
}

// A camera of the file moves with the pose, and some of the pose turns to the camera.
sn_eye cli_view_pose(const cli_view *view)
{
    const cli_player *player = &view->player;
    sn_pose *pose = view->shown->pose;
    sn_eye eye = cli_view_eye(view);
    sn_pose_sample(pose, player->clip, cli_player_moment(player), player->clock);
    sn_pose_solve(pose, &eye.view);
    if (view->camera < 0) return eye;
    eye = cli_view_eye(view);
    sn_pose_solve(pose, &eye.view);
    return eye;
}

sn_status cli_view_draw(cli_view *view, bool is_bare, sn_error *error)
{
    cli_canvas canvas = { .arena = &view->frame_arena,
                          .renderer = view->renderer,
                          .width = view->width,
                          .height = view->height,
                          .scale = view->scale };
    sn_frame frame = { .width = (uint32_t)(view->width * view->scale + 0.5f),
                       .height = (uint32_t)(view->height * view->scale + 0.5f),
                       .background = view->look.background,
                       .weights_node = view->node };
    sn_actor actor = { 0 };
    if (view->shown) {
        actor = (sn_actor){ .drawable = view->shown->drawable, .pose = view->shown->pose };
        frame.actors = &actor;
        frame.actor_count = 1;
        frame.show = shown_overlays(view);
        frame.stage = view->shown->stage;
    }
    frame.eye = view->shown ? cli_view_pose(view) : cli_view_eye(view);
    sni_arena_free(&view->frame_arena);
    if (!is_bare) draw_canvas(view, &canvas);
    frame.rects = canvas.rects.items, frame.rect_count = canvas.rects.count;
    frame.labels = canvas.labels.items, frame.label_count = canvas.labels.count;
    return sn_render_draw(view->renderer, &frame, error);
}

// The first free number.
static bool next_name(char name[32])
{
    for (int i = 1; i <= PICTURES_MAX; i++) {
        snprintf(name, 32, "sinew_%03d.png", i);
        if (access(name, F_OK) != 0) return true;
    }
    return false;
}

void cli_view_save_picture(cli_view *view, bool is_bare)
{
    char name[32];
    sn_pixels pixels = { 0 };
    sn_error error = { .status = SN_ERR_IO, .message = "all names from sinew_001.png to sinew_9999.png are taken" };
    bool is_saved = next_name(name) && cli_view_draw(view, is_bare, &error) == SN_OK &&
                    sn_render_read(view->renderer, &pixels, &error) == SN_OK &&
                    sn_pixels_save(&pixels, name, &error) == SN_OK;
    sn_pixels_free(&pixels);
    if (is_saved) cli_view_note(view, "saved %s", name);
    else cli_view_fail(view, "The picture cannot be saved", &error);
}
