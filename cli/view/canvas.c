// Texts, plates and lists.
#include "canvas.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "cli/print.h"

const sn_vec4 cli_inks[] = {
    [CLI_INK_TEXT] = { 0.86f, 0.88f, 0.91f, 1 }, [CLI_INK_FAINT] = { 0.6f, 0.64f, 0.7f, 1 },
    [CLI_INK_BRIGHT] = { 1, 0.82f, 0.4f, 1 },    [CLI_INK_ERROR] = { 1, 0.5f, 0.42f, 1 },
    [CLI_INK_BONE] = { 1, 0.6f, 0.35f, 1 },
};
const sn_vec4 cli_panel_color = { 0.09f, 0.1f, 0.12f, 0.86f }, cli_plate_color = { 0.07f, 0.08f, 0.1f, 0.84f },
              cli_cover_color = { 0.05f, 0.06f, 0.08f, 0.93f }, cli_selected_row_color = { 0.26f, 0.36f, 0.5f, 0.9f };

enum { TITLE_HEIGHT = 24, TEXT_BYTES = 400 };

void cli_put_rect(cli_canvas *canvas, cli_box box, sn_vec4 color)
{
    sn_rect *rect = sni_push(canvas->arena, &canvas->rects, sn_rect);
    float s = canvas->scale;
    if (rect) *rect = (sn_rect){ box.x * s, box.y * s, box.width * s, box.height * s, color, NULL };
}

void cli_put_image(cli_canvas *canvas, cli_box box, const sn_render_image *image)
{
    cli_put_rect(canvas, box, (sn_vec4){ 1, 1, 1, 1 });
    if (canvas->rects.count > 0) ((sn_rect *)canvas->rects.items)[canvas->rects.count - 1].image = image;
}

void cli_put_frame(cli_canvas *canvas, cli_box box, float pen, sn_vec4 color)
{
    cli_put_rect(canvas, (cli_box){ box.x, box.y, box.width, pen }, color);
    cli_put_rect(canvas, (cli_box){ box.x, box.y + box.height - pen, box.width, pen }, color);
    cli_put_rect(canvas, (cli_box){ box.x, box.y + pen, pen, box.height - 2 * pen }, color);
    cli_put_rect(canvas, (cli_box){ box.x + box.width - pen, box.y + pen, pen, box.height - 2 * pen }, color);
}

void cli_put_text(cli_canvas *canvas, const char *text, float x, float y, float size, sn_align align, sn_vec4 color)
{
    sn_label *label = sni_push(canvas->arena, &canvas->labels, sn_label);
    float s = canvas->scale;
    if (label) *label = (sn_label){ text ? text : "", x * s, y * s, size * s, align, color };
}

float cli_text_width(const cli_canvas *canvas, const char *text)
{
    return sn_label_width(canvas->renderer, text, CLI_TEXT_SIZE);
}

// How many bytes of the text fit into `width`.
static size_t fitting(const cli_canvas *canvas, const char *text, size_t size, float width)
{
    if (!(width > 0)) return 0;
    while (size > 0) {
        const char *part = cli_format(canvas->arena, "%.*s", (int)size, text);
        float wide = part ? cli_text_width(canvas, part) : 0;
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

const char *cli_fit_line(const cli_canvas *canvas, const char *text, float width)
{
    const char *line = text ? escaped_start(canvas->arena, text) : NULL;
    if (!line || !(width > 0)) return NULL;
    if (cli_text_width(canvas, line) <= width) return line;
    size_t size = fitting(canvas, line, strlen(line), width - cli_text_width(canvas, "...") - 3);
    return cli_format(canvas->arena, "%.*s...", (int)size, line);
}

void cli_put_line(cli_canvas *canvas, const char *text, float x, float y, float width, sn_vec4 color)
{
    const char *line = cli_fit_line(canvas, text, width);
    if (line) cli_put_text(canvas, line, x, y, CLI_TEXT_SIZE, SN_ALIGN_LEFT, color);
}

size_t cli_line_size(const cli_canvas *canvas, const char *text, float width)
{
    size_t size = fitting(canvas, text, strlen(text), width), at = size;
    if (text[size] == 0) return size;
    while (at > 0 && text[at] != ' ') at--;
    if (at == 0) at = size > 0 ? size : 1;
    return at;
}

float cli_put_wrapped(cli_canvas *canvas, const char *text, cli_box box, sn_vec4 color)
{
    const char *rest = text ? escaped_start(canvas->arena, text) : NULL;
    float y = 0;
    for (; rest && *rest && y + CLI_ROW_HEIGHT <= box.height; y += CLI_ROW_HEIGHT) {
        size_t size = cli_line_size(canvas, rest, box.width);
        cli_put_text(canvas, cli_format(canvas->arena, "%.*s", (int)size, rest), box.x, box.y + y + 12, CLI_TEXT_SIZE,
                     SN_ALIGN_LEFT, color);
        rest += size;
        rest += strspn(rest, " ");
    }
    return y;
}

float cli_put_plate(cli_canvas *canvas, const cli_line *lines, uint32_t count, float x, float y, float width)
{
    const float pad = 7;
    float widest = 0;
    const char *fitted[16];
    if (count > 16) count = 16;
    for (uint32_t i = 0; i < count; i++) {
        fitted[i] = cli_fit_line(canvas, lines[i].text, width - 2 * pad);
        if (fitted[i]) widest = fmaxf(widest, cli_text_width(canvas, fitted[i]));
    }
    if (count == 0 || !(widest > 0)) return y;
    float high = (float)count * CLI_ROW_HEIGHT + 5;
    cli_put_rect(canvas, (cli_box){ x, y, widest + 2 * pad, high }, cli_plate_color);
    for (uint32_t i = 0; i < count; i++)
        cli_put_text(canvas, fitted[i], x + pad, y + 15 + (float)i * CLI_ROW_HEIGHT, CLI_TEXT_SIZE, SN_ALIGN_LEFT,
                     cli_inks[lines[i].ink]);
    return y + high;
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

void cli_rows_draw_frame(const cli_rows *rows, cli_canvas *canvas, const char *title)
{
    cli_box box = rows->box;
    uint32_t shown = cli_rows_shown(rows);
    cli_put_rect(canvas, box, cli_panel_color);
    cli_put_line(canvas, title, box.x + CLI_PAD, box.y + 16, box.width - 2 * CLI_PAD, cli_inks[CLI_INK_FAINT]);
    if (rows->count <= shown || shown == 0) return;
    float room = (float)shown * CLI_ROW_HEIGHT, top = room * (float)rows->first / (float)rows->count;
    float high = room * (float)shown / (float)rows->count;
    cli_box bar = { box.x + box.width - 5, box.y + TITLE_HEIGHT + top, 3, high > 8 ? high : 8 };
    cli_put_rect(canvas, bar, (sn_vec4){ 1, 1, 1, 0.3f });
}

float cli_rows_begin_row(const cli_rows *rows, cli_canvas *canvas, uint32_t row, bool is_selected)
{
    cli_box line = { rows->box.x, rows->box.y + TITLE_HEIGHT + (float)(row - rows->first) * CLI_ROW_HEIGHT,
                     rows->box.width, CLI_ROW_HEIGHT };
    if (is_selected) cli_put_rect(canvas, line, cli_selected_row_color);
    return line.y + 12.5f;
}
