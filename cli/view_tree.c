#include "view.h"

#include "shows.h"

static const float indent = 11, left = 10, room_for_sign = 14;

static void list_rows(cli_outline *tree)
{
    uint32_t count = tree->model->node_count;
    tree->row_count = 0;
    for (uint32_t i = 0; i < count;) {
        int32_t node = tree->order[i];
        tree->rows[tree->row_count++] = node;
        i = tree->is_folded[node] ? tree->end[node] : i + 1;
    }
}

// From a node to the next in the order: down, else aside, else aside of what is above. -1 behind the last.
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
    for (uint32_t i = at; i-- > 0;) {  // children come after their parents, so ends grow upwards
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
    list_rows(tree);
    return true;
}

void cli_outline_fold(cli_outline *tree, int32_t node, bool is_folded)
{
    tree->is_folded[node] = is_folded && cli_outline_has_below(tree, node);
    list_rows(tree);
}

uint32_t cli_outline_reveal(cli_outline *tree, int32_t node)
{
    for (int32_t above = tree->model->nodes[node].parent; above >= 0; above = tree->model->nodes[above].parent)
        tree->is_folded[above] = false;
    list_rows(tree);
    uint32_t row = 0;
    while (row < tree->row_count && tree->rows[row] != node) row++;
    return row;
}

// Deep ones are not moved farther: they would leave the panel.
float cli_outline_name_x(const cli_outline *tree, int32_t node)
{
    enum { DEEPEST = 12 };
    int32_t depth = tree->depth[node] < DEEPEST ? tree->depth[node] : DEEPEST;
    return left + indent * (float)depth + room_for_sign;
}

static sn_vec4 ink_of(uint32_t flags)
{
    if (flags & SN_NODE_JOINT) return cli_ink;
    return flags & SN_NODE_ATTACHMENT ? (sn_vec4){ 0.55f, 0.9f, 0.65f, 1 } : cli_faint_ink;
}

void cli_draw_tree(const cli_view *view, cli_canvas *canvas)
{
    const cli_rows *rows = &view->tree_rows;
    const cli_outline *tree = &view->shown->tree;
    cli_rows_frame(rows, canvas, cli_count(canvas->arena, tree->model->node_count, "node", "nodes"));
    uint32_t shown = cli_rows_shown(rows);
    for (uint32_t i = rows->first; i < rows->count && i - rows->first < shown; i++) {
        int32_t node = tree->rows[i];
        float y = cli_rows_line(rows, canvas, i, node == view->node), x = rows->box.x + cli_outline_name_x(tree, node);
        const char *sign = !cli_outline_has_below(tree, node) ? "" : tree->is_folded[node] ? "+" : "-";
        cli_canvas_text(canvas, sign, x - room_for_sign, y, CLI_TEXT_SIZE, SN_ALIGN_LEFT, cli_faint_ink);
        const char *name = cli_name_or(canvas->arena, tree->model->nodes[node].name, "node", (uint32_t)node);
        cli_canvas_line(canvas, name, x, y, rows->box.x + rows->box.width - x - 8,
                        ink_of(tree->model->nodes[node].flags));
    }
}

// The rest pose comes first, then the clips.
void cli_draw_clips(const cli_view *view, cli_canvas *canvas)
{
    const cli_rows *rows = &view->clip_rows;
    const sn_model *model = view->shown->job.model;
    uint32_t shown = cli_rows_shown(rows);
    cli_rows_frame(rows, canvas, cli_count(canvas->arena, model->clip_count, "clip", "clips"));
    for (uint32_t i = rows->first; i < rows->count && i - rows->first < shown; i++) {
        float y = cli_rows_line(rows, canvas, i, (int32_t)i - 1 == view->player.clip), x = rows->box.x + left,
              width = rows->box.width - left;
        const char *name = i == 0 ? "at rest" : cli_name_or(canvas->arena, model->clips[i - 1].name, "clip", i - 1);
        const char *seconds = i == 0 ? "" : cli_format(canvas->arena, "%.2f s", (double)model->clips[i - 1].duration);
        float wide = seconds ? cli_canvas_width(canvas, seconds) + 18 : 0;
        cli_canvas_line(canvas, name, x, y, width - wide, i == 0 ? cli_faint_ink : cli_ink);
        cli_canvas_text(canvas, seconds, rows->box.x + rows->box.width - 10, y, CLI_TEXT_SIZE, SN_ALIGN_RIGHT,
                        cli_faint_ink);
    }
}
