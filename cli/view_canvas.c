#include <string.h>

#include "view.h"

const sn_vec4 cli_ink = { 0.86f, 0.88f, 0.91f, 1 }, cli_faint_ink = { 0.58f, 0.62f, 0.68f, 1 },
              cli_bright_ink = { 1, 0.82f, 0.4f, 1 }, cli_red_ink = { 1, 0.5f, 0.42f, 1 },
              cli_paper = { 0.09f, 0.1f, 0.12f, 0.8f }, cli_marked_paper = { 0.26f, 0.36f, 0.5f, 0.9f };

enum { TITLE_HEIGHT = 24, TEXT_BYTES = 400, PAD = 10 };

void cli_canvas_rect(cli_canvas *canvas, cli_box box, sn_vec4 color)
{
    sn_rect *rect = sni_push(canvas->arena, &canvas->rects, sn_rect);
    float s = canvas->scale;
    if (rect) *rect = (sn_rect){ box.x * s, box.y * s, box.width * s, box.height * s, color };
}

void cli_canvas_text(cli_canvas *canvas, const char *text, float x, float y, float size, sn_align align, sn_vec4 color)
{
    sn_label *label = sni_push(canvas->arena, &canvas->labels, sn_label);
    float s = canvas->scale;
    if (label) *label = (sn_label){ text ? text : "", x * s, y * s, size * s, align, color };
}

float cli_canvas_width(const cli_canvas *canvas, const char *text)
{
    return sn_label_width(canvas->renderer, text, CLI_TEXT_SIZE);
}

// Bytes of the text that are no wider than `width`.
static size_t fitting(const cli_canvas *canvas, const char *text, size_t size, float width)
{
    if (!(width > 0)) return 0;
    while (size > 0) {
        const char *part = cli_format(canvas->arena, "%.*s", (int)size, text);
        float wide = part ? cli_canvas_width(canvas, part) : 0;
        if (wide <= width) break;
        size_t guess = (size_t)((float)size * width / wide);
        size = cli_cut(text, guess < size ? guess : size - 1);
    }
    return size;
}

// Names can be megabytes: only their beginning is looked at.
static const char *begin_of(sni_arena *arena, const char *text)
{
    size_t size = cli_cut(text, TEXT_BYTES);
    const char *begin = text[size] ? cli_format(arena, "%.*s", (int)size, text) : text;
    return begin ? cli_escape(arena, begin) : NULL;
}

void cli_canvas_line(cli_canvas *canvas, const char *text, float x, float y, float width, sn_vec4 color)
{
    const char *line = text ? begin_of(canvas->arena, text) : NULL;
    if (!line || !(width > 0)) return;
    if (cli_canvas_width(canvas, line) > width) {
        size_t size = fitting(canvas, line, strlen(line), width - cli_canvas_width(canvas, "...") - 3);
        line = cli_format(canvas->arena, "%.*s...", (int)size, line);
    }
    cli_canvas_text(canvas, line, x, y, CLI_TEXT_SIZE, SN_ALIGN_LEFT, color);
}

static size_t line_size(const cli_canvas *canvas, const char *text, float width)
{
    size_t size = fitting(canvas, text, strlen(text), width), at = size;
    if (text[size] == 0) return size;
    while (at > 0 && text[at] != ' ') at--;
    if (at == 0) at = size > 0 ? size : 1;
    return at;
}

float cli_canvas_lines(cli_canvas *canvas, const char *text, cli_box box, sn_vec4 color)
{
    const char *rest = text ? begin_of(canvas->arena, text) : NULL;
    float y = 0;
    for (; rest && *rest && y + CLI_ROW_HEIGHT <= box.height; y += CLI_ROW_HEIGHT) {
        size_t size = line_size(canvas, rest, box.width);
        cli_canvas_text(canvas, cli_format(canvas->arena, "%.*s", (int)size, rest), box.x, box.y + y + 12,
                        CLI_TEXT_SIZE, SN_ALIGN_LEFT, color);
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

// With a bar at the right that says where in the list one is.
void cli_rows_frame(const cli_rows *rows, cli_canvas *canvas, const char *title)
{
    cli_box box = rows->box;
    uint32_t shown = cli_rows_shown(rows);
    cli_canvas_rect(canvas, box, cli_paper);
    cli_canvas_line(canvas, title, box.x + PAD, box.y + 16, box.width - 2 * PAD, cli_faint_ink);
    if (rows->count <= shown || shown == 0) return;
    float room = (float)shown * CLI_ROW_HEIGHT, top = room * (float)rows->first / (float)rows->count;
    float high = room * (float)shown / (float)rows->count;
    cli_box bar = { box.x + box.width - 5, box.y + TITLE_HEIGHT + top, 3, high > 8 ? high : 8 };
    cli_canvas_rect(canvas, bar, (sn_vec4){ 1, 1, 1, 0.3f });
}

float cli_rows_line(const cli_rows *rows, cli_canvas *canvas, uint32_t row, bool is_chosen)
{
    cli_box line = { rows->box.x, rows->box.y + TITLE_HEIGHT + (float)(row - rows->first) * CLI_ROW_HEIGHT,
                     rows->box.width, CLI_ROW_HEIGHT };
    if (is_chosen) cli_canvas_rect(canvas, line, cli_marked_paper);
    return line.y + 12.5f;
}
