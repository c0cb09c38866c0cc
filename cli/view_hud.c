// Texts over the picture: facts, notes, all keys, errors.
#include "view.h"

#include <math.h>

#include "base/text.h"
#include "shows.h"

static const sn_vec4 veil = { 0.05f, 0.06f, 0.08f, 0.9f };
static const float margin = 12;

static const char *add_count(sni_arena *arena, const char *text, uint64_t count, const char *one, const char *many)
{
    return count > 0 ? cli_join(arena, text, ", ", cli_count(arena, count, one, many)) : text;
}

static const char *counts(const cli_exhibit *shown, sni_arena *arena)
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
    return clip < 0 ? "at rest" : cli_name_or(arena, cli_view_model(view)->clips[clip].name, "clip", (uint32_t)clip);
}

static const char *describe_choice(const cli_view *view, sni_arena *arena)
{
    const sn_node *node = &cli_view_model(view)->nodes[view->node];
    const char *name = cli_name_or(arena, node->name, "node", (uint32_t)view->node);
    const char *kind = node->flags & SN_NODE_JOINT ? "bone" : node->flags & SN_NODE_ATTACHMENT ? "attachment" : "node";
    return name ? cli_format(arena, "%s %s", kind, name) : NULL;
}

static bool has_pace(cli_box free) { return free.width > 180; }

static void draw_lines(const cli_view *view, cli_canvas *canvas, cli_box free)
{
    const cli_exhibit *shown = view->shown;
    const sn_model *model = shown->job.model;
    sni_arena *arena = canvas->arena;
    float x = free.x + margin, y = 22, width = free.width - 2 * margin, line = CLI_ROW_HEIGHT;
    const char *place = view->files.list.count > 1
                            ? cli_format(arena, "  (%u of %u)", view->files.at + 1, view->files.list.count)
                            : "";
    const char *name = place ? cli_format(arena, "%s%s", sni_last_name(shown->job.file), place) : NULL;
    cli_canvas_line(canvas, name, x, y, has_pace(free) ? width - 70 : width, cli_bright_ink);
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
    if (view->node >= 0)
        cli_canvas_line(canvas, describe_choice(view, arena), x, y, width, (sn_vec4){ 1, 0.6f, 0.35f, 1 });
}

static void draw_note(const cli_view *view, cli_canvas *canvas, cli_box free)
{
    if (view->now >= view->note_until) return;
    cli_canvas_line(canvas, view->note, free.x + margin, free.y + free.height - margin, free.width - 2 * margin,
                    cli_bright_ink);
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
    if (view->seconds_per_frame > 0 && has_pace(free)) {
        const char *pace = cli_format(canvas->arena, "%.0f fps", 1.0 / (double)view->seconds_per_frame);
        cli_canvas_text(canvas, pace, free.x + free.width - margin, 22, CLI_TEXT_SIZE, SN_ALIGN_RIGHT, cli_faint_ink);
    }
}

// Two or three columns; headings stay with what they head: a column ends before one that would be its last row.
void cli_draw_help(cli_canvas *canvas)
{
    const float key_width = 84, column = 274;
    uint32_t columns = canvas->width < 2 * column   ? 1
                       : canvas->width < 3 * column ? 2
                                                    : 3,
             rows = (cli_key_count + columns - 1) / columns + 1;
    float high = fminf(17, (canvas->height - 20) / (float)rows), size = fminf(CLI_TEXT_SIZE, high * 0.56f);
    float left = fmaxf((canvas->width - column * (float)columns) / 2, margin),
          top = (canvas->height - (float)rows * high) / 2 + high * 0.7f;
    cli_canvas_rect(canvas, (cli_box){ 0, 0, canvas->width, canvas->height }, veil);
    for (uint32_t i = 0, row = 0, at = 0; i < cli_key_count; i++, row++) {
        const cli_key_row *key = &cli_keys[i];
        bool is_last = row + 1 >= rows;
        if (row >= rows || (is_last && !key->shown)) row = 0, at++;
        float x = left + column * (float)at, y = top + (float)row * high;
        if (!key->shown) cli_canvas_text(canvas, key->text, x, y, size, SN_ALIGN_LEFT, cli_bright_ink);
        if (key->shown) cli_canvas_text(canvas, key->shown, x + key_width - 14, y, size, SN_ALIGN_RIGHT, cli_ink);
        if (key->shown) cli_canvas_text(canvas, key->text, x + key_width, y, size, SN_ALIGN_LEFT, cli_faint_ink);
    }
}

// As high as its text.
void cli_draw_error(const cli_view *view, cli_canvas *canvas)
{
    const float pad = 22, title = 42, foot = 44;
    float width = fminf(canvas->width - 40, 560), room = canvas->height - 40 - title - foot;
    const char *text = cli_error_text(canvas->arena, &view->error);
    cli_box box = { (canvas->width - width) / 2, canvas->height / 3 - 40, width, 0 };
    if (box.y < 20) box.y = 20;
    box.height = title + foot +
                 cli_canvas_lines(canvas, text, (cli_box){ box.x + pad, box.y + title, width - 2 * pad, room },
                                  cli_ink);
    cli_canvas_rect(canvas, (cli_box){ 0, 0, canvas->width, canvas->height }, (sn_vec4){ 0, 0, 0, 0.45f });
    cli_canvas_rect(canvas, box, (sn_vec4){ 0.14f, 0.1f, 0.1f, 0.97f });
    cli_canvas_rect(canvas, (cli_box){ box.x, box.y, 4, box.height }, cli_red_ink);
    cli_canvas_line(canvas, view->error_title, box.x + pad, box.y + 28, box.width - 2 * pad, cli_red_ink);
    cli_canvas_text(canvas, "any key goes on", box.x + pad, box.y + box.height - 18, CLI_TEXT_SIZE, SN_ALIGN_LEFT,
                    cli_faint_ink);
}
