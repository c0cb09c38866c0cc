// Panels and texts of the viewer: layout, lists, node tree, clips, timeline, model information, help, errors.
#include "view.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "cli/elements.h"

static const sn_vec4 text_color = { 0.86f, 0.88f, 0.91f, 1 }, faint_color = { 0.58f, 0.62f, 0.68f, 1 },
                     bright_color = { 1, 0.82f, 0.4f, 1 }, error_color = { 1, 0.5f, 0.42f, 1 },
                     panel_color = { 0.09f, 0.1f, 0.12f, 0.8f }, selected_row_color = { 0.26f, 0.36f, 0.5f, 0.9f };

enum { TEXT_SIZE = 8, TITLE_HEIGHT = 24, TEXT_BYTES = 400, PAD = 10 };

static void put_rect(cli_canvas *canvas, cli_box box, sn_vec4 color)
{
    sn_rect *rect = sni_push(canvas->arena, &canvas->rects, sn_rect);
    float s = canvas->scale;
    if (rect) *rect = (sn_rect){ box.x * s, box.y * s, box.width * s, box.height * s, color };
}

static void put_text(cli_canvas *canvas, const char *text, float x, float y, float size, sn_align align, sn_vec4 color)
{
    sn_label *label = sni_push(canvas->arena, &canvas->labels, sn_label);
    float s = canvas->scale;
    if (label) *label = (sn_label){ text ? text : "", x * s, y * s, size * s, align, color };
}

static float text_width(const cli_canvas *canvas, const char *text)
{
    return sn_label_width(canvas->renderer, text, TEXT_SIZE);
}

// How many bytes of the text fit into `width`.
static size_t fitting(const cli_canvas *canvas, const char *text, size_t size, float width)
{
    if (!(width > 0)) return 0;
    while (size > 0) {
        const char *part = cli_format(canvas->arena, "%.*s", (int)size, text);
        float wide = part ? text_width(canvas, part) : 0;
        if (wide <= width) break;
        size_t guess = (size_t)((float)size * width / wide);
        size = cli_cut(text, guess < size ? guess : size - 1);
    }
    return size;
}

// Names can be megabytes: only their start is measured.
static const char *escaped_start(sni_arena *arena, const char *text)
{
    size_t size = cli_cut(text, TEXT_BYTES);
    const char *begin = text[size] ? cli_format(arena, "%.*s", (int)size, text) : text;
    return begin ? cli_escape(arena, begin) : NULL;
}

static void put_line(cli_canvas *canvas, const char *text, float x, float y, float width, sn_vec4 color)
{
    const char *line = text ? escaped_start(canvas->arena, text) : NULL;
    if (!line || !(width > 0)) return;
    if (text_width(canvas, line) > width) {
        size_t size = fitting(canvas, line, strlen(line), width - text_width(canvas, "...") - 3);
        line = cli_format(canvas->arena, "%.*s...", (int)size, line);
    }
    put_text(canvas, line, x, y, TEXT_SIZE, SN_ALIGN_LEFT, color);
}

static size_t line_size(const cli_canvas *canvas, const char *text, float width)
{
    size_t size = fitting(canvas, text, strlen(text), width), at = size;
    if (text[size] == 0) return size;
    while (at > 0 && text[at] != ' ') at--;
    if (at == 0) at = size > 0 ? size : 1;
    return at;
}

static float put_wrapped(cli_canvas *canvas, const char *text, cli_box box, sn_vec4 color)
{
    const char *rest = text ? escaped_start(canvas->arena, text) : NULL;
    float y = 0;
    for (; rest && *rest && y + CLI_ROW_HEIGHT <= box.height; y += CLI_ROW_HEIGHT) {
        size_t size = line_size(canvas, rest, box.width);
        put_text(canvas, cli_format(canvas->arena, "%.*s", (int)size, rest), box.x, box.y + y + 12, TEXT_SIZE,
                 SN_ALIGN_LEFT, color);
        rest += size;
        rest += strspn(rest, " ");
    }
    return y;
}

uint32_t cli_rows_shown(const cli_rows *rows)
{
    float room = (rows->box.height - TITLE_HEIGHT - 4) / CLI_ROW_HEIGHT;
    return room > 0 ? (uint32_t)room : 0;
}

static uint32_t last_first(const cli_rows *rows)
{
    uint32_t shown = cli_rows_shown(rows);
    return rows->count > shown ? rows->count - shown : 0;
}

int32_t cli_rows_at(const cli_rows *rows, sn_vec2 at)
{
    float row = (at.y - rows->box.y - TITLE_HEIGHT) / CLI_ROW_HEIGHT;
    if (!cli_box_holds(rows->box, at) || row < 0 || row >= (float)cli_rows_shown(rows)) return -1;
    uint32_t index = rows->first + (uint32_t)row;
    return index < rows->count ? (int32_t)index : -1;
}

void cli_rows_scroll(cli_rows *rows, int64_t by)
{
    int64_t first = (int64_t)rows->first + by, last = last_first(rows);
    rows->first = (uint32_t)(first < 0 ? 0 : first > last ? last : first);
}

void cli_rows_reveal(cli_rows *rows, uint32_t row)
{
    uint32_t shown = cli_rows_shown(rows);
    if (row < rows->first) rows->first = row;
    else if (shown > 0 && row - rows->first >= shown) rows->first = row - shown + 1;
    cli_rows_scroll(rows, 0);
}

// Background, title and scroll bar.
static void put_list_frame(const cli_rows *rows, cli_canvas *canvas, const char *title)
{
    cli_box box = rows->box;
    uint32_t shown = cli_rows_shown(rows);
    put_rect(canvas, box, panel_color);
    put_line(canvas, title, box.x + PAD, box.y + 16, box.width - 2 * PAD, faint_color);
    if (rows->count <= shown || shown == 0) return;
    float room = (float)shown * CLI_ROW_HEIGHT, top = room * (float)rows->first / (float)rows->count;
    float high = room * (float)shown / (float)rows->count;
    cli_box bar = { box.x + box.width - 5, box.y + TITLE_HEIGHT + top, 3, high > 8 ? high : 8 };
    put_rect(canvas, bar, (sn_vec4){ 1, 1, 1, 0.3f });
}

static float begin_row(const cli_rows *rows, cli_canvas *canvas, uint32_t row, bool is_selected)
{
    cli_box line = { rows->box.x, rows->box.y + TITLE_HEIGHT + (float)(row - rows->first) * CLI_ROW_HEIGHT,
                     rows->box.width, CLI_ROW_HEIGHT };
    if (is_selected) put_rect(canvas, line, selected_row_color);
    return line.y + 12.5f;
}

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
    if (flags & SN_NODE_JOINT) return text_color;
    return flags & SN_NODE_ATTACHMENT ? (sn_vec4){ 0.55f, 0.9f, 0.65f, 1 } : faint_color;
}

static void draw_tree(const cli_view *view, cli_canvas *canvas)
{
    const cli_rows *rows = &view->tree_rows;
    const cli_outline *tree = &view->shown->tree;
    put_list_frame(rows, canvas, cli_count(canvas->arena, tree->model->node_count, "node", "nodes"));
    uint32_t shown = cli_rows_shown(rows);
    for (uint32_t i = rows->first; i < rows->count && i - rows->first < shown; i++) {
        int32_t node = tree->rows[i];
        float y = begin_row(rows, canvas, i, node == view->node), x = rows->box.x + cli_outline_name_x(tree, node);
        const char *sign = !cli_outline_has_children(tree, node) ? "" : tree->is_folded[node] ? "+" : "-";
        put_text(canvas, sign, x - fold_button_width, y, TEXT_SIZE, SN_ALIGN_LEFT, faint_color);
        const char *name = cli_name_or(canvas->arena, tree->model->nodes[node].name, "node", (uint32_t)node);
        put_line(canvas, name, x, y, rows->box.x + rows->box.width - x - 8, ink_of(tree->model->nodes[node].flags));
    }
}

// The rest pose, then the clips.
static void draw_clips(const cli_view *view, cli_canvas *canvas)
{
    const cli_rows *rows = &view->clip_rows;
    const sn_model *model = view->shown->job.model;
    uint32_t shown = cli_rows_shown(rows);
    put_list_frame(rows, canvas, cli_count(canvas->arena, model->clip_count, "clip", "clips"));
    for (uint32_t i = rows->first; i < rows->count && i - rows->first < shown; i++) {
        float y = begin_row(rows, canvas, i, (int32_t)i - 1 == view->player.clip), x = rows->box.x + list_left,
              width = rows->box.width - list_left;
        const char *name = i == 0 ? "rest pose" : cli_name_or(canvas->arena, model->clips[i - 1].name, "clip", i - 1);
        const char *seconds = i == 0 ? "" : cli_format(canvas->arena, "%.2f s", (double)model->clips[i - 1].duration);
        float wide = seconds ? text_width(canvas, seconds) + 18 : 0;
        put_line(canvas, name, x, y, width - wide, i == 0 ? faint_color : text_color);
        put_text(canvas, seconds, rows->box.x + rows->box.width - 10, y, TEXT_SIZE, SN_ALIGN_RIGHT, faint_color);
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
            put_rect(canvas, (cli_box){ x - 0.5f, rail.y - (is_selected ? 7 : 5), 1, is_selected ? 6 : 4 },
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
    put_rect(canvas, box, panel_color);
    put_rect(canvas, rail, rail_color);
    put_rect(canvas, (cli_box){ rail.x, rail.y, rail.width * part, rail.height }, played_color);
    draw_ticks(view, canvas, rail);
    put_rect(canvas, (cli_box){ rail.x + rail.width * part - 1.5f, rail.y - 8, 3, rail.height + 11 }, cursor_color);
    const char *state = player->is_playing ? "playing" : "paused";
    const char *pace = cli_format(canvas->arena, "%s    speed %g    %s", state, (double)player->speed,
                                  cli_loop_names[player->loop]);
    float wide = pace ? text_width(canvas, pace) : 0;
    put_line(canvas, describe_time(view, canvas->arena), rail.x, base, rail.width - wide - 16, text_color);
    put_text(canvas, pace, rail.x + rail.width, base, TEXT_SIZE, SN_ALIGN_RIGHT, text_color);
}

static const sn_vec4 cover_color = { 0.05f, 0.06f, 0.08f, 0.9f };
static const float margin = 12;

static const char *add_count(sni_arena *arena, const char *text, uint64_t count, const char *one, const char *many)
{
    return count > 0 ? cli_join(arena, text, ", ", cli_count(arena, count, one, many)) : text;
}

static const char *counts(const cli_loaded_model *shown, sni_arena *arena)
{
    const sn_model *model = shown->job.model;
    const char *text = add_count(arena, "", shown->triangle_count, "triangle", "triangles");
    text = add_count(arena, text, shown->vertex_count, "vertex", "vertices");
    text = add_count(arena, text, shown->joint_count, "bone", "bones");
    if (shown->joint_count == 0) text = add_count(arena, text, model->node_count, "node", "nodes");
    return add_count(arena, text, model->clip_count, "clip", "clips");
}

static const char *clip_name(const cli_view *view, sni_arena *arena)
{
    int32_t clip = view->player.clip;
    return clip < 0 ? "rest pose" : cli_name_or(arena, cli_view_model(view)->clips[clip].name, "clip", (uint32_t)clip);
}

static const char *describe_selection(const cli_view *view, sni_arena *arena)
{
    const sn_node *node = &cli_view_model(view)->nodes[view->node];
    const char *name = cli_name_or(arena, node->name, "node", (uint32_t)view->node);
    const char *kind = node->flags & SN_NODE_JOINT ? "bone" : node->flags & SN_NODE_ATTACHMENT ? "attachment" : "node";
    return name ? cli_format(arena, "%s %s", kind, name) : NULL;
}

static bool fits_frame_rate(cli_box free) { return free.width > 180; }

static void draw_lines(const cli_view *view, cli_canvas *canvas, cli_box free)
{
    const cli_loaded_model *shown = view->shown;
    const sn_model *model = shown->job.model;
    sni_arena *arena = canvas->arena;
    float x = free.x + margin, y = 22, width = free.width - 2 * margin, line = CLI_ROW_HEIGHT;
    const char *place = view->files.list.count > 1
                            ? cli_format(arena, "  (%u of %u)", view->files.at + 1, view->files.list.count)
                            : "";
    const char *name = place ? cli_format(arena, "%s%s", sni_last_name(shown->job.file), place) : NULL;
    put_line(canvas, name, x, y, fits_frame_rate(free) ? width - 70 : width, bright_color);
    put_line(canvas, counts(shown, arena), x, y + line, width, text_color);
    put_line(canvas, clip_name(view, arena), x, y + 2 * line, width, text_color);
    y += 3 * line;
    if (model->warning_count > 0) {
        const char *count = cli_count(arena, model->warning_count, "finding", "findings");
        put_line(canvas, cli_join(arena, count, ": ", model->warnings[0].message), x, y, width, faint_color);
        y += line;
    }
    if (view->camera >= 0) {
        const char *camera = cli_name_or(arena, model->cameras[view->camera].name, "camera", (uint32_t)view->camera);
        put_line(canvas, camera ? cli_format(arena, "camera %s", camera) : NULL, x, y, width, faint_color);
        y += line;
    }
    if (view->node >= 0) put_line(canvas, describe_selection(view, arena), x, y, width, (sn_vec4){ 1, 0.6f, 0.35f, 1 });
}

static void draw_message(const cli_view *view, cli_canvas *canvas, cli_box free)
{
    if (view->now >= view->message_until) return;
    put_line(canvas, view->message, free.x + margin, free.y + free.height - margin, free.width - 2 * margin,
             bright_color);
}

static void draw_information(const cli_view *view, cli_canvas *canvas, const cli_layout *layout)
{
    cli_box free = layout->free;
    draw_message(view, canvas, free);
    if (!view->shown && view->error.status == SN_OK) {
        float x = free.x + free.width / 2, y = free.y + free.height / 2;
        put_text(canvas, "Drop models or folders here", x, y, 12, SN_ALIGN_CENTER, text_color);
        put_text(canvas, "H shows all keys", x, y + 26, TEXT_SIZE, SN_ALIGN_CENTER, faint_color);
    }
    if (!view->shown || !(view->panels & CLI_PANEL_INFORMATION)) return;
    draw_lines(view, canvas, free);
    if (view->seconds_per_frame > 0 && fits_frame_rate(free)) {
        const char *pace = cli_format(canvas->arena, "%.0f fps", 1.0 / (double)view->seconds_per_frame);
        put_text(canvas, pace, free.x + free.width - margin, 22, TEXT_SIZE, SN_ALIGN_RIGHT, faint_color);
    }
}

// One to three columns. A heading is never the last row of a column.
static void draw_help(cli_canvas *canvas)
{
    const float key_width = 84, column = 274;
    uint32_t columns = canvas->width < 2 * column   ? 1
                       : canvas->width < 3 * column ? 2
                                                    : 3,
             rows = (cli_key_count + columns - 1) / columns + 1;
    float high = fminf(17, (canvas->height - 20) / (float)rows), size = fminf(TEXT_SIZE, high * 0.56f);
    float left = fmaxf((canvas->width - column * (float)columns) / 2, margin),
          top = (canvas->height - (float)rows * high) / 2 + high * 0.7f;
    put_rect(canvas, (cli_box){ 0, 0, canvas->width, canvas->height }, cover_color);
    for (uint32_t i = 0, row = 0, at = 0; i < cli_key_count; i++, row++) {
        const cli_key_row *key = &cli_keys[i];
        bool is_last = row + 1 >= rows;
        if (row >= rows || (is_last && !key->shown)) row = 0, at++;
        float x = left + column * (float)at, y = top + (float)row * high;
        if (!key->shown) put_text(canvas, key->text, x, y, size, SN_ALIGN_LEFT, bright_color);
        if (key->shown) put_text(canvas, key->shown, x + key_width - 14, y, size, SN_ALIGN_RIGHT, text_color);
        if (key->shown) put_text(canvas, key->text, x + key_width, y, size, SN_ALIGN_LEFT, faint_color);
    }
}

static void draw_error(const cli_view *view, cli_canvas *canvas)
{
    const float pad = 22, title = 42, foot = 44;
    float width = fminf(canvas->width - 40, 560), room = canvas->height - 40 - title - foot;
    cli_box box = { (canvas->width - width) / 2, canvas->height / 3 - 40, width, 0 };
    if (box.y < 20) box.y = 20;
    box.height = title + foot +
                 put_wrapped(canvas, view->error_text, (cli_box){ box.x + pad, box.y + title, width - 2 * pad, room },
                             text_color);
    put_rect(canvas, (cli_box){ 0, 0, canvas->width, canvas->height }, (sn_vec4){ 0, 0, 0, 0.45f });
    put_rect(canvas, box, (sn_vec4){ 0.14f, 0.1f, 0.1f, 0.97f });
    put_rect(canvas, (cli_box){ box.x, box.y, 4, box.height }, error_color);
    put_line(canvas, view->error_title, box.x + pad, box.y + 28, box.width - 2 * pad, error_color);
    put_text(canvas, "press any key to continue", box.x + pad, box.y + box.height - 18, TEXT_SIZE, SN_ALIGN_LEFT,
             faint_color);
}

// Errors and help hide the panels.
void cli_draw_panels(const cli_view *view, cli_canvas *canvas)
{
    cli_layout layout = cli_layout_of(view);
    if (view->error.status != SN_OK) draw_error(view, canvas);
    else if (view->is_help_shown) draw_help(canvas);
    else {
        if (layout.timeline.width > 0) draw_timeline(view, canvas, &layout);
        if (layout.tree.width > 0) draw_tree(view, canvas);
        if (layout.clips.width > 0) draw_clips(view, canvas);
        draw_information(view, canvas, &layout);
    }
}
