// Texts over the picture: facts, notes, all keys, errors.
#include "view.h"

#include "base/text.h"
#include "shows.h"

static const sn_vec4 veil = { 0.05f, 0.06f, 0.08f, 0.82f };
static const float margin = 12;

static const char *counts(const cli_exhibit *shown, sni_arena *arena)
{
    const sn_model *model = shown->job.model;
    const char *text = cli_count(arena, shown->triangle_count, "triangle", "triangles");
    text = cli_join(arena, text, ", ", cli_count(arena, shown->vertex_count, "vertex", "vertices"));
    text = cli_join(arena, text, ", ", cli_count(arena, shown->joint_count, "bone", "bones"));
    return cli_join(arena, text, ", ", cli_count(arena, model->clip_count, "clip", "clips"));
}

static const char *clip_name(const cli_view *view, sni_arena *arena)
{
    int32_t clip = view->player.clip;
    return clip < 0 ? "at rest" : cli_name_or(arena, cli_view_model(view)->clips[clip].name, "clip", (uint32_t)clip);
}

static const char *describe_choice(const cli_view *view, sni_arena *arena)
{
    const sn_node *node = &cli_view_model(view)->nodes[view->node];
    const char *name = cli_name_or(arena, node->name, "node", (uint32_t)view->node);
    const char *kind = node->flags & SN_NODE_JOINT ? "bone" : node->flags & SN_NODE_ATTACHMENT ? "attachment" : "node";
    return name ? cli_format(arena, "%s %s", kind, name) : NULL;
}

static void draw_lines(const cli_view *view, cli_canvas *canvas, cli_box free)
{
    const cli_exhibit *shown = view->shown;
    const sn_model *model = shown->job.model;
    sni_arena *arena = canvas->arena;
    float x = free.x + margin, y = 22, width = free.width - 2 * margin, line = CLI_ROW_HEIGHT;
    const char *place = view->files.list.count > 1 ? cli_format(arena, "  (%u of %u)", view->files.at + 1, view->files.list.count) : "";
    const char *name = place ? cli_format(arena, "%s%s", sni_last_name(shown->job.file), place) : NULL;
    cli_canvas_line(canvas, name, x, y, width - 70, cli_bright_ink);
    cli_canvas_line(canvas, counts(shown, arena), x, y + line, width, cli_ink);
    cli_canvas_line(canvas, clip_name(view, arena), x, y + 2 * line, width, cli_ink);
    y += 3 * line;
    if (model->warning_count > 0) {
        const char *count = cli_count(arena, model->warning_count, "finding", "findings");
        cli_canvas_line(canvas, cli_join(arena, count, ": ", model->warnings[0].message), x, y, width, cli_faint_ink);
        y += line;
    }
    if (view->camera >= 0) {
        const char *camera = cli_name_or(arena, model->cameras[view->camera].name, "camera", (uint32_t)view->camera);
        cli_canvas_line(canvas, camera ? cli_format(arena, "seen by %s", camera) : NULL, x, y, width, cli_faint_ink);
        y += line;
    }
    if (view->node >= 0) cli_canvas_line(canvas, describe_choice(view, arena), x, y, width, (sn_vec4){ 1, 0.6f, 0.35f, 1 });
}

static void draw_note(const cli_view *view, cli_canvas *canvas, cli_box free)
{
    if (view->now >= view->note_until) return;
    cli_canvas_line(canvas, view->note, free.x + margin, free.y + free.height - margin, free.width - 2 * margin, cli_bright_ink);
}

void cli_draw_facts(const cli_view *view, cli_canvas *canvas, const cli_layout *layout)
{
    cli_box free = layout->free;
    draw_note(view, canvas, free);
    if (!view->shown && view->error.status == SN_OK) {
        float x = free.x + free.width / 2, y = free.y + free.height / 2;
        cli_canvas_text(canvas, "Drop models or folders here", x, y, 12, SN_ALIGN_CENTER, cli_ink);
        cli_canvas_text(canvas, "H shows all keys", x, y + 26, CLI_TEXT_SIZE, SN_ALIGN_CENTER, cli_faint_ink);
    }
    if (!view->shown || !(view->panels & CLI_PANEL_FACTS)) return;
    draw_lines(view, canvas, free);
    if (view->player.is_playing && view->seconds_per_frame > 0) {
        const char *pace = cli_format(canvas->arena, "%.0f fps", 1.0 / (double)view->seconds_per_frame);
        cli_canvas_text(canvas, pace, free.x + free.width - margin, 22, CLI_TEXT_SIZE, SN_ALIGN_RIGHT, cli_faint_ink);
    }
}

// Headings stay with what they head: a column ends before one that would be its last row.
void cli_draw_help(cli_canvas *canvas)
{
    enum { KEY_WIDTH = 84, TEXT_WIDTH = 190, ROW = 15 };
    const float column = KEY_WIDTH + TEXT_WIDTH;
    cli_canvas_rect(canvas, (cli_box){ 0, 0, canvas->width, canvas->height }, veil);
    uint32_t most = (uint32_t)(canvas->width / column), rows = canvas->height > 80 ? (uint32_t)((canvas->height - 40) / ROW) : 1;
    uint32_t columns = (cli_key_count + rows - 1) / rows;
    if (columns < 2 && most > 1) columns = 2;
    if (columns > 1) rows = (cli_key_count + columns - 1) / columns + 1;
    float left = (canvas->width - column * (float)columns) / 2, top = (canvas->height - (float)rows * ROW) / 2 + 10;
    if (left < margin) left = margin;
    for (uint32_t i = 0, row = 0, at = 0; i < cli_key_count; i++, row++) {
        const cli_key_row *key = &cli_keys[i];
        bool is_last = row + 1 >= rows;
        if (row >= rows || (is_last && !key->shown)) row = 0, at++;
        float x = left + column * (float)at, y = top + (float)row * ROW;
        if (!key->shown) cli_canvas_text(canvas, key->text, x, y, CLI_TEXT_SIZE, SN_ALIGN_LEFT, cli_bright_ink);
        if (key->shown) cli_canvas_text(canvas, key->shown, x + KEY_WIDTH - 16, y, CLI_TEXT_SIZE, SN_ALIGN_RIGHT, cli_ink);
        if (key->shown) cli_canvas_line(canvas, key->text, x + KEY_WIDTH, y, TEXT_WIDTH - 10, cli_faint_ink);
    }
}

void cli_draw_error(const cli_view *view, cli_canvas *canvas)
{
    float width = canvas->width - 60 < 560 ? canvas->width - 60 : 560, height = 190 < canvas->height - 40 ? 190 : canvas->height - 40;
    cli_box box = { (canvas->width - width) / 2, (canvas->height - height) / 2, width, height };
    cli_canvas_rect(canvas, (cli_box){ 0, 0, canvas->width, canvas->height }, (sn_vec4){ 0, 0, 0, 0.45f });
    cli_canvas_rect(canvas, box, (sn_vec4){ 0.13f, 0.09f, 0.09f, 0.97f });
    cli_canvas_rect(canvas, (cli_box){ box.x, box.y, 4, box.height }, cli_red_ink);
    cli_canvas_line(canvas, view->error_title, box.x + 22, box.y + 28, box.width - 44, cli_red_ink);
    const char *text = cli_error_text(canvas->arena, &view->error);
    cli_canvas_lines(canvas, text, (cli_box){ box.x + 22, box.y + 42, box.width - 44, box.height - 76 }, cli_ink);
    cli_canvas_text(canvas, "any key goes on", box.x + 22, box.y + box.height - 16, CLI_TEXT_SIZE, SN_ALIGN_LEFT, cli_faint_ink);
}
