#include "view.h"

#include <math.h>

// A panel's part of the window, within bounds; a third of it at most, so that the model is seen between two.
static float panel_width(const cli_view *view, float part, float least, float most)
{
    return fminf(fminf(fmaxf(view->width * part, least), most), view->width / 3);
}

cli_layout cli_layout_of(const cli_view *view)
{
    const sn_model *model = cli_view_model(view);
    cli_layout layout = { .free = { 0, 0, view->width, view->height } };
    cli_box *free = &layout.free;
    if (!model) return layout;
    if ((view->panels & CLI_PANEL_TIMELINE) && view->player.clip >= 0) {
        const float high = 48;
        free->height -= high;
        layout.timeline = (cli_box){ 0, free->height, view->width, high };
        layout.rail = (cli_box){ 16, free->height + 14, view->width - 32, 5 };
    }
    if (view->panels & CLI_PANEL_TREE) {
        float wide = panel_width(view, 0.26f, 150, 280);
        layout.tree = (cli_box){ 0, 0, wide, free->height };
        free->x += wide, free->width -= wide;
    }
    if (view->panels & CLI_PANEL_CLIPS) {
        float wide = panel_width(view, 0.22f, 140, 240);
        layout.clips = (cli_box){ view->width - wide, 0, wide, free->height };
        free->width -= wide;
    }
    return layout;
}
