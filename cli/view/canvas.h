// Texts, plates and lists of one frame. Units are pixels of a screen of normal density, from the top left.
#ifndef CLI_VIEW_CANVAS_H
#define CLI_VIEW_CANVAS_H

#include "base/arena.h"
#include "sinew/render.h"

typedef struct cli_box {
    float x, y, width, height;
} cli_box;

static inline bool cli_box_holds(cli_box box, sn_vec2 at)
{
    return at.x >= box.x && at.y >= box.y && at.x < box.x + box.width && at.y < box.y + box.height;
}

static inline bool cli_box_is_same(cli_box a, cli_box b)
{
    return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

// Collects the rectangles and labels of one frame.
typedef struct cli_canvas {
    sni_arena *arena;            // lives for one frame
    sn_renderer *renderer;       // for text widths; NULL: without fonts
    float width, height, scale;  // scale: pixels per unit
    sni_list rects, labels;      // sn_rect, sn_label
} cli_canvas;

enum { CLI_TEXT_SIZE = 8, CLI_ROW_HEIGHT = 17, CLI_PAD = 10 };

typedef enum cli_ink { CLI_INK_TEXT, CLI_INK_FAINT, CLI_INK_BRIGHT, CLI_INK_ERROR, CLI_INK_BONE } cli_ink;

extern const sn_vec4 cli_inks[];
extern const sn_vec4 cli_panel_color, cli_plate_color, cli_cover_color, cli_selected_row_color;

void cli_put_rect(cli_canvas *canvas, cli_box box, sn_vec4 color);
void cli_put_image(cli_canvas *canvas, cli_box box, const sn_render_image *image);
void cli_put_frame(cli_canvas *canvas, cli_box box, float pen, sn_vec4 color);  // the outline of a box
void cli_put_text(cli_canvas *canvas, const char *text, float x, float y, float size, sn_align align, sn_vec4 color);
float cli_text_width(const cli_canvas *canvas, const char *text);
// One line of at most `width`; a longer text ends with "...". Control characters are escaped.
const char *cli_fit_line(const cli_canvas *canvas, const char *text, float width);
void cli_put_line(cli_canvas *canvas, const char *text, float x, float y, float width, sn_vec4 color);
// Returns the height used.
float cli_put_wrapped(cli_canvas *canvas, const char *text, cli_box box, sn_vec4 color);
// How many bytes of the text belong on the next line: whole words where possible.
size_t cli_line_size(const cli_canvas *canvas, const char *text, float width);

// Lines on one plate, readable over any picture. Returns the y below the plate.
typedef struct cli_line {
    const char *text;
    cli_ink ink;
} cli_line;
float cli_put_plate(cli_canvas *canvas, const cli_line *lines, uint32_t count, float x, float y, float width);

// A scrollable list with a title.
typedef struct cli_rows {
    cli_box box;
    uint32_t first, count;  // first: the topmost visible row
} cli_rows;

uint32_t cli_rows_shown(const cli_rows *rows);
int32_t cli_rows_at(const cli_rows *rows, sn_vec2 at);  // -1: none
void cli_rows_scroll(cli_rows *rows, int64_t by);
void cli_rows_reveal(cli_rows *rows, uint32_t row);
void cli_rows_draw_frame(const cli_rows *rows, cli_canvas *canvas, const char *title);
// Returns the baseline of the row's text.
float cli_rows_begin_row(const cli_rows *rows, cli_canvas *canvas, uint32_t row, bool is_selected);

#endif
