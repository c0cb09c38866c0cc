// Panels of the viewer: layout, node tree, clips, timeline.
#include "view.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "cli/elements.h"

// A fraction of the window, within limits. At most a third, so that the model stays visible between two panels.
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
    if (view->panels & CLI_PANEL_FINDINGS) {
        float needed = (float)view->finding_rows.count * CLI_ROW_HEIGHT + 30;
        float high = fminf(needed, fmaxf(free->height * 0.42f, 80));
        free->height -= high;
        layout.findings = (cli_box){ free->x, free->height, free->width, high };
    }
    return layout;
}

static const float indent = 11, list_left = 10, fold_button_width = 14;

static void update_rows(cli_outline *tree)
{
    uint32_t count = tree->model->node_count;
    tree->row_count = 0;
    for (uint32_t i = 0; i < count;) {
        int32_t node = tree->order[i];
        tree->rows[tree->row_count++] = node;
        i = tree->is_folded[node] ? tree->end[node] : i + 1;
    }
}

// The next node in depth-first order; -1 after the last.
static int32_t next_node(const sn_model *model, const cli_chains *below, int32_t node)
{
    if (below->first[node] >= 0) return below->first[node];
    while (node >= 0 && below->next[node] < 0) node = model->nodes[node].parent;
    return node >= 0 ? below->next[node] : -1;
}

static void list_nodes(cli_outline *tree, const cli_chains *below)
{
    const sn_model *model = tree->model;
    uint32_t at = 0;
    for (int32_t root = 0; root < (int32_t)model->node_count; root++) {
        if (model->nodes[root].parent >= 0) continue;
        for (int32_t node = root; node >= 0; node = next_node(model, below, node)) {
            int32_t parent = model->nodes[node].parent;
            tree->depth[node] = parent >= 0 ? tree->depth[parent] + 1 : 0;
            tree->place[node] = at;
            tree->order[at++] = node;
        }
    }
    for (uint32_t i = 0; i < at; i++) tree->end[tree->order[i]] = i + 1;
    for (uint32_t i = at; i-- > 0;) {  // children come after their parents
        int32_t node = tree->order[i], parent = model->nodes[node].parent;
        if (parent >= 0 && tree->end[parent] < tree->end[node]) tree->end[parent] = tree->end[node];
    }
}

bool cli_outline_make(cli_outline *tree, const sn_model *model, sni_arena *arena)
{
    uint32_t count = model->node_count;
    cli_chains below;
    *tree = (cli_outline){ .model = model,
                           .order = sni_new(arena, int32_t, count),
                           .depth = sni_new(arena, int32_t, count),
                           .end = sni_new(arena, uint32_t, count),
                           .place = sni_new(arena, uint32_t, count),
                           .is_folded = sni_new(arena, bool, count),
                           .rows = sni_new(arena, int32_t, count) };
    if (!cli_chains_make(&below, arena, model, count, count, cli_parent_of_node)) return false;
    if (!tree->order || !tree->depth || !tree->end || !tree->place || !tree->is_folded || !tree->rows) return false;
    list_nodes(tree, &below);
    update_rows(tree);
    return true;
}

void cli_outline_fold(cli_outline *tree, int32_t node, bool is_folded)
{
    tree->is_folded[node] = is_folded && cli_outline_has_children(tree, node);
    update_rows(tree);
}

uint32_t cli_outline_reveal(cli_outline *tree, int32_t node)
{
    for (int32_t above = tree->model->nodes[node].parent; above >= 0; above = tree->model->nodes[above].parent)
        tree->is_folded[above] = false;
    update_rows(tree);
    uint32_t row = 0;
    while (row < tree->row_count && tree->rows[row] != node) row++;
    return row;
}

// The indentation is limited, so that deep nodes stay inside the panel.
float cli_outline_name_x(const cli_outline *tree, int32_t node)
{
    enum { DEEPEST = 12 };
    int32_t depth = tree->depth[node] < DEEPEST ? tree->depth[node] : DEEPEST;
    return list_left + indent * (float)depth + fold_button_width;
}

static sn_vec4 ink_of(uint32_t flags)
{
    if (flags & SN_NODE_JOINT) return cli_inks[CLI_INK_TEXT];
    return flags & SN_NODE_ATTACHMENT ? (sn_vec4){ 0.55f, 0.9f, 0.65f, 1 } : cli_inks[CLI_INK_FAINT];
}

static void draw_tree(const cli_view *view, cli_canvas *canvas)
{
    const cli_rows *rows = &view->tree_rows;
    const cli_outline *tree = &view->shown->tree;
    cli_rows_draw_frame(rows, canvas, cli_count(canvas->arena, tree->model->node_count, "node", "nodes"));
    uint32_t shown = cli_rows_shown(rows);
    for (uint32_t i = rows->first; i < rows->count && i - rows->first < shown; i++) {
        int32_t node = tree->rows[i];
        float y = cli_rows_begin_row(rows, canvas, i, node == view->node),
              x = rows->box.x + cli_outline_name_x(tree, node);
        const char *sign = !cli_outline_has_children(tree, node) ? "" : tree->is_folded[node] ? "+" : "-";
        cli_put_text(canvas, sign, x - fold_button_width, y, CLI_TEXT_SIZE, SN_ALIGN_LEFT, cli_inks[CLI_INK_FAINT]);
        const char *name = cli_name_or(canvas->arena, tree->model->nodes[node].name, "node", (uint32_t)node);
        cli_put_line(canvas, name, x, y, rows->box.x + rows->box.width - x - 8, ink_of(tree->model->nodes[node].flags));
    }
}

// The rest pose, then the clips.
static void draw_clips(const cli_view *view, cli_canvas *canvas)
{
    const cli_rows *rows = &view->clip_rows;
    const sn_model *model = view->shown->job.model;
    uint32_t shown = cli_rows_shown(rows);
    cli_rows_draw_frame(rows, canvas, cli_count(canvas->arena, model->clip_count, "clip", "clips"));
    for (uint32_t i = rows->first; i < rows->count && i - rows->first < shown; i++) {
        float y = cli_rows_begin_row(rows, canvas, i, (int32_t)i - 1 == view->player.clip), x = rows->box.x + list_left,
              width = rows->box.width - list_left;
        const char *name = i == 0 ? "rest pose" : cli_name_or(canvas->arena, model->clips[i - 1].name, "clip", i - 1);
        const char *seconds = i == 0 ? "" : cli_format(canvas->arena, "%.2f s", (double)model->clips[i - 1].duration);
        float wide = seconds ? cli_text_width(canvas, seconds) + 18 : 0;
        cli_put_line(canvas, name, x, y, width - wide, i == 0 ? cli_inks[CLI_INK_FAINT] : cli_inks[CLI_INK_TEXT]);
        cli_put_text(canvas, seconds, rows->box.x + rows->box.width - 10, y, CLI_TEXT_SIZE, SN_ALIGN_RIGHT,
                     cli_inks[CLI_INK_FAINT]);
    }
}

static const sn_vec4 rail_color = { 1, 1, 1, 0.16f }, played_color = { 0.45f, 0.65f, 0.95f, 0.55f },
                     key_color = { 0.75f, 0.8f, 0.86f, 0.75f }, selected_color = { 1, 0.55f, 0.25f, 1 },
                     cursor_color = { 1, 0.82f, 0.4f, 1 };

// At most one mark per unit. Keys of the selected node are drawn last.
static void draw_ticks(const cli_view *view, cli_canvas *canvas, cli_box rail)
{
    for (int wanted = CLI_TICK_KEY; wanted <= CLI_TICK_SELECTED; wanted <<= 1) {
        float last = -2;
        for (uint32_t i = 0; i <= CLI_TICKS; i++) {
            float x = rail.x + rail.width * (float)i / CLI_TICKS;
            if (!(view->ticks.at[i] & wanted) || x - last < 1.5f) continue;
            bool is_selected = wanted == CLI_TICK_SELECTED;
            cli_put_rect(canvas, (cli_box){ x - 0.5f, rail.y - (is_selected ? 7 : 5), 1, is_selected ? 6 : 4 },
                         is_selected ? selected_color : key_color);
            last = x;
        }
    }
}

static const char *describe_time(const cli_view *view, sni_arena *arena)
{
    const cli_player *player = &view->player;
    return cli_format(arena, "frame %u of %u    %.2f of %.2f s    %g fps", cli_player_frame(player),
                      cli_player_last_frame(player), (double)player->seconds, (double)player->duration,
                      (double)player->rate);
}

static void draw_timeline(const cli_view *view, cli_canvas *canvas, const cli_layout *layout)
{
    const cli_player *player = &view->player;
    cli_box box = layout->timeline, rail = layout->rail;
    float part = player->duration > 0 ? player->seconds / player->duration : 0, base = box.y + box.height - 11;
    cli_put_rect(canvas, box, cli_panel_color);
    cli_put_rect(canvas, rail, rail_color);
    cli_put_rect(canvas, (cli_box){ rail.x, rail.y, rail.width * part, rail.height }, played_color);
    draw_ticks(view, canvas, rail);
    cli_put_rect(canvas, (cli_box){ rail.x + rail.width * part - 1.5f, rail.y - 8, 3, rail.height + 11 }, cursor_color);
    const char *state = player->is_playing ? "playing" : "paused";
    const char *pace = cli_format(canvas->arena, "%s    speed %g    %s", state, (double)player->speed,
                                  cli_loop_names[player->loop]);
    float wide = pace ? cli_text_width(canvas, pace) : 0;
    cli_put_line(canvas, describe_time(view, canvas->arena), rail.x, base, rail.width - wide - 16,
                 cli_inks[CLI_INK_TEXT]);
    cli_put_text(canvas, pace, rail.x + rail.width, base, CLI_TEXT_SIZE, SN_ALIGN_RIGHT, cli_inks[CLI_INK_TEXT]);
}

// Errors, the file list and the help hide the panels.
void cli_draw_panels(cli_view *view, cli_canvas *canvas)
{
    cli_layout layout = cli_layout_of(view);
    if (view->error.status != SN_OK) cli_draw_error(view, canvas);
    else if (view->is_help_shown) cli_draw_help(view, canvas);
    else if (view->browser.is_open) cli_browser_draw(view, canvas);
    else {
        if (layout.timeline.width > 0) draw_timeline(view, canvas, &layout);
        if (layout.tree.width > 0) draw_tree(view, canvas);
        if (layout.clips.width > 0) draw_clips(view, canvas);
        if (layout.findings.width > 0) cli_draw_findings(view, canvas);
        cli_draw_information(view, canvas, layout.free);
    }
}
