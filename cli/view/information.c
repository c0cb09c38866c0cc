// Texts over the picture: what is shown and how, findings, help, errors.
#include "view.h"

#include <math.h>
#include <string.h>

#include "cli/elements.h"

static const float margin = 8;

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

static const char *node_name(const cli_view *view, sni_arena *arena)
{
    return cli_name_or(arena, cli_view_model(view)->nodes[view->node].name, "node", (uint32_t)view->node);
}

static const char *describe_selection(const cli_view *view, sni_arena *arena)
{
    uint32_t flags = cli_view_model(view)->nodes[view->node].flags;
    const char *kind = flags & SN_NODE_JOINT ? "bone" : flags & SN_NODE_ATTACHMENT ? "attachment" : "node";
    return cli_join(arena, kind, " ", node_name(view, arena));
}

const char *cli_file_title(const cli_view *view, const char *file, sni_arena *arena)
{
    const char *name = sni_last_name(file);
    if (view->files.list.count < 2) return name;
    return cli_format(arena, "%s  (%u of %u)", name, view->files.at + 1, view->files.list.count);
}

static float draw_lines(const cli_view *view, cli_canvas *canvas, cli_box free)
{
    const cli_loaded_model *shown = view->shown;
    sni_arena *arena = canvas->arena;
    cli_line lines[6] = { { cli_file_title(view, shown->job.file, arena), CLI_INK_BRIGHT },
                          { counts(shown, arena), CLI_INK_TEXT },
                          { clip_name(view, arena), CLI_INK_TEXT } };
    const float small = 200;  // where only the name has room
    uint32_t count = free.height < small ? 1 : 3, findings = cli_finding_count(view);
    if (findings > 0 && !(view->panels & CLI_PANEL_FINDINGS))
        lines[count++] = (cli_line){ cli_format(arena, "%s (S)", cli_count(arena, findings, "finding", "findings")),
                                     CLI_INK_FAINT };
    if (view->node >= 0) lines[count++] = (cli_line){ describe_selection(view, arena), CLI_INK_BONE };
    return cli_put_plate(canvas, lines, count, free.x + margin, free.y + margin, free.width - 2 * margin);
}

// "no textures (T)". NULL: the toggle is off, or hides nothing.
static const char *badge_of(const cli_view *view, const cli_key_row *row, sni_arena *arena)
{
    bool is_weights = row->argument == SN_SHOW_WEIGHTS;
    if (row->action != CLI_DO_TOGGLE_SHOW || !row->badge || !(view->show & (uint32_t)row->argument)) return NULL;
    if (is_weights && view->node < 0) return NULL;
    if (is_weights) return cli_format(arena, "weights of %s (%s)", node_name(view, arena), row->shown);
    return cli_format(arena, "%s (%s)", row->badge, row->shown);
}

uint32_t cli_view_badges(const cli_view *view, sni_arena *arena, const char *badges[CLI_BADGES_MAX])
{
    const sn_model *model = cli_view_model(view);
    uint32_t count = 0;
    for (uint32_t i = 0; model && i < cli_key_count && count + 3 < CLI_BADGES_MAX; i++) {
        const char *badge = badge_of(view, &cli_keys[i], arena);
        if (badge) badges[count++] = badge;
    }
    if (model && view->camera >= 0)
        badges[count++] = cli_format(arena, "camera %s (C)",
                                     cli_name_or(arena, model->cameras[view->camera].name, "camera",
                                                 (uint32_t)view->camera));
    if (model && view->options.lod > 0 && model->lod_count > 1)
        badges[count++] = cli_format(arena, "level of detail %u", view->options.lod);
    if (model && view->player.speed != 1)
        badges[count++] = cli_format(arena, "speed %g (Backspace)", (double)view->player.speed);
    return count;
}

// Side by side, on further rows where they do not fit.
static void draw_badges(const cli_view *view, cli_canvas *canvas, cli_box free, float y)
{
    const char *badges[CLI_BADGES_MAX];
    uint32_t count = cli_view_badges(view, canvas->arena, badges);
    float x = free.x + margin, right = free.x + free.width - margin;
    for (uint32_t i = 0; i < count; i++) {
        if (!badges[i]) continue;
        const cli_line line = { badges[i], CLI_INK_BRIGHT };
        float wide = fminf(cli_text_width(canvas, badges[i]) + 14, right - free.x - margin);
        if (x > free.x + margin && x + wide > right) x = free.x + margin, y += CLI_ROW_HEIGHT + 8;
        cli_put_plate(canvas, &line, 1, x, y, wide + 1);
        x += wide + 6;
    }
}

static void draw_message(const cli_view *view, cli_canvas *canvas, cli_box free)
{
    if (view->now >= view->message_until) return;
    const cli_line line = { view->message, CLI_INK_BRIGHT };
    cli_put_plate(canvas, &line, 1, free.x + margin, free.y + free.height - margin - CLI_ROW_HEIGHT - 5,
                  free.width - 2 * margin);
}

void cli_draw_information(const cli_view *view, cli_canvas *canvas, cli_box free)
{
    draw_message(view, canvas, free);
    if (!view->shown && !view->texture.image) {
        float x = free.x + free.width / 2, y = free.y + free.height / 2;
        cli_put_text(canvas, "Drop models, textures or folders here", x, y, 12, SN_ALIGN_CENTER,
                     cli_inks[CLI_INK_TEXT]);
        const char *hint = view->files.list.count > 0 ? "Enter lists the files, H shows all keys" : "H shows all keys";
        cli_put_text(canvas, hint, x, y + 26, CLI_TEXT_SIZE, SN_ALIGN_CENTER, cli_inks[CLI_INK_FAINT]);
    }
    if (!view->shown) return;
    float y = free.y + margin;
    if (view->panels & CLI_PANEL_INFORMATION) {
        y = draw_lines(view, canvas, free) + 6;
        const cli_line pace = { cli_format(canvas->arena, "%.0f fps", 1.0 / (double)view->seconds_per_frame),
                                CLI_INK_FAINT };
        bool has_room = free.width > 420;
        if (view->seconds_per_frame > 0 && has_room)
            cli_put_plate(canvas, &pace, 1, free.x + free.width - margin - 14 - cli_text_width(canvas, pace.text),
                          free.y + margin, 100);
    }
    draw_badges(view, canvas, free, y);
}

uint32_t cli_finding_count(const cli_view *view)
{
    const sn_model *model = cli_view_model(view);
    return (model ? model->warning_count : 0) + view->image_reports.count;
}

// Name, place and count of a finding, then its message, wrapped.
static void wrap_finding(cli_view *view, cli_canvas *canvas, const sn_warning *warning, float width)
{
    sni_arena *arena = &view->findings_arena;
    const char *times = warning->count > 1 ? cli_format(arena, "  (%u times)", warning->count) : "";
    const char *place = warning->path[0] ? cli_format(arena, "  %s", warning->path) : "";
    const char *title = cli_format(arena, "%s%s%s", sn_warning_name(warning->code), place, times);
    cli_line *line = sni_push(arena, &view->finding_lines, cli_line);
    if (line) *line = (cli_line){ title, CLI_INK_BRIGHT };
    const char *rest = cli_escape(arena, warning->message);
    while (rest && *rest) {
        size_t size = cli_line_size(canvas, rest, width - 14);
        line = sni_push(arena, &view->finding_lines, cli_line);
        if (line) *line = (cli_line){ cli_format(arena, "   %.*s", (int)size, rest), CLI_INK_TEXT };
        rest += size;
        rest += strspn(rest, " ");
    }
}

void cli_findings_update(cli_view *view)
{
    const sn_model *model = cli_view_model(view);
    float width = cli_layout_of(view).findings.width - 2 * CLI_PAD;
    uint32_t count = cli_finding_count(view);
    if (view->findings_model == model && view->findings_width == width && view->findings_shown == count) return;
    sni_arena_free(&view->findings_arena);
    cli_canvas canvas = { .arena = &view->findings_arena, .renderer = view->renderer, .scale = 1 };
    view->finding_lines = (sni_list){ 0 };
    for (uint32_t i = 0; model && i < model->warning_count && width > 0; i++)
        wrap_finding(view, &canvas, &model->warnings[i], width);
    for (uint32_t i = 0; i < view->image_reports.count && width > 0; i++)
        wrap_finding(view, &canvas, &((const sn_warning *)view->image_reports.items)[i], width);
    view->findings_model = model, view->findings_width = width, view->findings_shown = count;
    view->finding_rows.count = view->finding_lines.count > 0 ? view->finding_lines.count : 1;
}

void cli_draw_findings(const cli_view *view, cli_canvas *canvas)
{
    const cli_rows *rows = &view->finding_rows;
    const cli_line *lines = view->finding_lines.items;
    uint32_t shown = cli_rows_shown(rows), count = cli_finding_count(view);
    cli_rows_draw_frame(rows, canvas,
                        count > 0 ? cli_count(canvas->arena, count, "finding", "findings") : "no findings");
    for (uint32_t i = rows->first; i < view->finding_lines.count && i - rows->first < shown; i++) {
        float y = cli_rows_begin_row(rows, canvas, i, false);
        cli_put_line(canvas, lines[i].text, rows->box.x + CLI_PAD, y, rows->box.width - 2 * CLI_PAD,
                     cli_inks[lines[i].ink]);
    }
}

const char *cli_key_state(const cli_view *view, const cli_key_row *row)
{
    bool is_on = false;
    if (row->action == CLI_DO_NEXT_LOOP) return cli_loop_names[view->player.loop];
    if (row->action == CLI_DO_TOGGLE_SHOW) is_on = view->show & (uint32_t)row->argument;
    else if (row->action == CLI_DO_TOGGLE_PANEL) is_on = view->panels & (uint32_t)row->argument;
    else if (row->action == CLI_DO_FULL_SCREEN) is_on = view->wants_full_screen;
    else if (row->action == CLI_DO_PLAY) is_on = view->player.is_playing;
    else return NULL;
    return is_on ? "on" : "off";
}

// One to three columns, scrolled where the window is too low for readable rows.
typedef struct help_layout {
    uint32_t columns, rows, shown;
    float high;
} help_layout;

static const float help_column = 300;

static help_layout lay_out_help(const cli_view *view)
{
    const float lowest = 14, highest = 17;
    help_layout made = { .columns = view->width < 2 * help_column ? 1 : view->width < 3 * help_column ? 2 : 3 };
    made.rows = (cli_key_count + made.columns - 1) / made.columns + 1;
    made.high = fmaxf(fminf(highest, (view->height - 20) / (float)made.rows), lowest);
    float fitting = floorf((view->height - 20) / made.high);
    made.shown = fitting >= (float)made.rows ? made.rows : fitting > 1 ? (uint32_t)fitting : 1;
    return made;
}

bool cli_help_scroll(cli_view *view, int64_t by)
{
    help_layout layout = lay_out_help(view);
    int64_t first = (int64_t)view->help_first + by, last = layout.rows - layout.shown;
    view->help_first = (uint32_t)(first < 0 ? 0 : first > last ? last : first);
    return last > 0;
}

// A heading is never the last row of a column.
void cli_draw_help(const cli_view *view, cli_canvas *canvas)
{
    const float key_width = 84;
    help_layout layout = lay_out_help(view);
    float high = layout.high, size = fminf(CLI_TEXT_SIZE, high * 0.56f);
    float left = fmaxf((canvas->width - help_column * (float)layout.columns) / 2, margin),
          top = (canvas->height - (float)layout.shown * high) / 2 + high * 0.7f;
    uint32_t first = view->help_first;
    cli_put_rect(canvas, (cli_box){ 0, 0, canvas->width, canvas->height }, cli_cover_color);
    for (uint32_t i = 0, row = 0, at = 0; i < cli_key_count; i++, row++) {
        const cli_key_row *key = &cli_keys[i];
        bool is_last = row + 1 >= layout.rows;
        if (row >= layout.rows || (is_last && !key->shown)) row = 0, at++;
        if (row < first || row - first >= layout.shown) continue;
        float x = left + help_column * (float)at, y = top + (float)(row - first) * high;
        if (!key->shown) {
            cli_put_text(canvas, key->text, x, y, size, SN_ALIGN_LEFT, cli_inks[CLI_INK_BRIGHT]);
            continue;
        }
        const char *state = cli_key_state(view, key);
        bool is_off = state && strcmp(state, "off") == 0;
        cli_put_text(canvas, key->shown, x + key_width - 14, y, size, SN_ALIGN_RIGHT, cli_inks[CLI_INK_TEXT]);
        cli_put_text(canvas, key->text, x + key_width, y, size, SN_ALIGN_LEFT,
                     cli_inks[state && !is_off ? CLI_INK_TEXT : CLI_INK_FAINT]);
        float after = x + key_width + sn_label_width(canvas->renderer, key->text, size) + 8;
        if (state)
            cli_put_text(canvas, cli_format(canvas->arena, "[%s]", state), after, y, size, SN_ALIGN_LEFT,
                         cli_inks[is_off ? CLI_INK_FAINT : CLI_INK_BRIGHT]);
    }
    if (layout.shown == layout.rows) return;
    float room = canvas->height - 20, part = (float)layout.shown / (float)layout.rows;
    cli_put_rect(canvas, (cli_box){ canvas->width - 6, 10 + room * (float)first / (float)layout.rows, 4, room * part },
                 (sn_vec4){ 1, 1, 1, 0.3f });
}

void cli_draw_error(const cli_view *view, cli_canvas *canvas)
{
    const float pad = 22, title = 42, foot = 44;
    float width = fminf(canvas->width - 40, 560), room = canvas->height - 40 - title - foot;
    cli_box box = { (canvas->width - width) / 2, canvas->height / 3 - 40, width, 0 };
    if (box.y < 20) box.y = 20;
    box.height = title + foot +
                 cli_put_wrapped(canvas, view->error_text,
                                 (cli_box){ box.x + pad, box.y + title, width - 2 * pad, room },
                                 cli_inks[CLI_INK_TEXT]);
    cli_put_rect(canvas, (cli_box){ 0, 0, canvas->width, canvas->height }, (sn_vec4){ 0, 0, 0, 0.45f });
    cli_put_rect(canvas, box, (sn_vec4){ 0.14f, 0.1f, 0.1f, 0.97f });
    cli_put_rect(canvas, (cli_box){ box.x, box.y, 4, box.height }, cli_inks[CLI_INK_ERROR]);
    cli_put_line(canvas, view->error_title, box.x + pad, box.y + 28, box.width - 2 * pad, cli_inks[CLI_INK_ERROR]);
    cli_put_text(canvas, "press any key to continue", box.x + pad, box.y + box.height - 18, CLI_TEXT_SIZE,
                 SN_ALIGN_LEFT, cli_inks[CLI_INK_FAINT]);
}
