// The list of files as a grid of thumbnails, with a search field.
#include "view.h"

#include <math.h>
#include <string.h>

static const float least_width = 146, least_height = 160, header = 46, footer = 30, edge = 12;
static const double double_click_seconds = 0.4;

static const cli_input *inputs_of(const cli_view *view) { return view->files.list.items; }

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c; }

static bool holds(const char *text, const char *part)
{
    for (; *text; text++) {
        size_t i = 0;
        while (part[i] && lower(text[i]) == lower(part[i])) i++;
        if (!part[i]) return true;
    }
    return !part[0];
}

// All words of the filter, in any order.
static bool matches(const char *name, const char *filter)
{
    char word[CLI_FILTER_BYTES];
    while (*filter) {
        size_t size = strcspn(filter, " ");
        memcpy(word, filter, size);
        word[size] = 0;
        if (!holds(name, word)) return false;
        filter += size + strspn(filter + size, " ");
    }
    return true;
}

// As many cells as have room; they share a part of what is left.
cli_grid cli_browser_grid(const cli_view *view)
{
    float width = view->width - 2 * edge, height = view->height - header - footer,
          columns = fmaxf(floorf(width / least_width), 1), rows = fmaxf(floorf(height / least_height), 1);
    cli_grid grid = { .columns = (uint32_t)columns, .rows = (uint32_t)rows };
    grid.width = fminf(fmaxf(width / columns, least_width), least_width * 1.25f);
    grid.height = fminf(fmaxf(height / rows, least_height), least_height * 1.12f);
    grid.left = (view->width - columns * grid.width) / 2;
    return grid;
}

static uint32_t row_count(const cli_view *view)
{
    uint32_t columns = cli_browser_grid(view).columns;
    return (view->browser.match_count + columns - 1) / columns;
}

static void set_first_row(cli_view *view, int64_t row)
{
    cli_grid grid = cli_browser_grid(view);
    int64_t last = (int64_t)row_count(view) - grid.rows;
    view->browser.first_row = (uint32_t)(row > last ? (last > 0 ? last : 0) : row > 0 ? row : 0);
}

static void select_match(cli_view *view, int64_t match)
{
    cli_browser *browser = &view->browser;
    cli_grid grid = cli_browser_grid(view);
    int64_t last = (int64_t)browser->match_count - 1;
    browser->selected = (uint32_t)(match < 0 || last < 0 ? 0 : match > last ? last : match);
    uint32_t row = browser->selected / grid.columns;
    if (row < browser->first_row) set_first_row(view, row);
    else if (row >= browser->first_row + grid.rows) set_first_row(view, (int64_t)row - grid.rows + 1);
    else set_first_row(view, browser->first_row);
}

// Keeps the selected file if it still matches.
static void filter_files(cli_view *view)
{
    cli_browser *browser = &view->browser;
    uint32_t count = view->files.list.count, kept = 0, file = cli_browser_file(view);
    if (browser->generation != view->files.generation) {
        sni_arena_free(&browser->arena);
        browser->matches = sni_new(&browser->arena, uint32_t, count);
        browser->generation = view->files.generation;
        browser->first_row = 0;
        file = view->files.at;
        cli_thumbs_forget(&browser->thumbs);
    }
    browser->match_count = 0;
    for (uint32_t i = 0; browser->matches && i < count; i++) {
        if (!matches(inputs_of(view)[i].name, browser->filter)) continue;
        if (i == file) kept = browser->match_count;
        browser->matches[browser->match_count++] = i;
    }
    select_match(view, kept);
    view->needs_drawing = true;
}

uint32_t cli_browser_file(const cli_view *view)
{
    const cli_browser *browser = &view->browser;
    return browser->selected < browser->match_count ? browser->matches[browser->selected] : UINT32_MAX;
}

void cli_browser_open(cli_view *view)
{
    if (view->files.list.count == 0) {
        cli_view_message(view, "no files: drop a folder or an archive here");
        return;
    }
    view->browser.is_open = true;
    view->browser.filter[0] = 0;
    filter_files(view);
    for (uint32_t i = 0; i < view->browser.match_count; i++)
        if (view->browser.matches[i] == view->files.at) select_match(view, i);
}

static void open_selected(cli_view *view)
{
    uint32_t file = cli_browser_file(view);
    if (file == UINT32_MAX) return;
    view->browser.is_open = false;
    view->files.at = file;
    cli_view_load(view, false);
}

void cli_browser_character(cli_view *view, uint32_t code)
{
    cli_browser *browser = &view->browser;
    size_t size = strlen(browser->filter);
    char bytes[4];
    size_t count = 0;
    if (code < 0x20 || code == 0x7f || code > 0x10ffff) return;
    if (code < 0x80) bytes[count++] = (char)code;
    else if (code < 0x800) bytes[count++] = (char)(0xc0 | code >> 6);
    else if (code < 0x10000) bytes[count++] = (char)(0xe0 | code >> 12);
    else bytes[count++] = (char)(0xf0 | code >> 18);
    if (code >= 0x10000) bytes[count++] = (char)(0x80 | (code >> 12 & 0x3f));
    if (code >= 0x800) bytes[count++] = (char)(0x80 | (code >> 6 & 0x3f));
    if (code >= 0x80) bytes[count++] = (char)(0x80 | (code & 0x3f));
    if (size + count + 1 > sizeof browser->filter) return;
    memcpy(browser->filter + size, bytes, count);
    browser->filter[size + count] = 0;
    filter_files(view);
}

static void erase_character(cli_view *view)
{
    char *filter = view->browser.filter;
    size_t size = strlen(filter);
    if (size > 0) filter[cli_cut(filter, size - 1)] = 0;
    filter_files(view);
}

static void clear_or_close(cli_view *view)
{
    if (view->browser.filter[0]) {
        view->browser.filter[0] = 0;
        filter_files(view);
    } else {
        view->browser.is_open = false;
    }
}

// False: the key has its usual function. Keys with a character have none, they are typed.
bool cli_browser_key(cli_view *view, int32_t key)
{
    cli_grid grid = cli_browser_grid(view);
    int64_t at = view->browser.selected, columns = grid.columns, page = columns * grid.rows;
    switch (key) {
    case CLI_KEY_LEFT: select_match(view, at - 1); break;
    case CLI_KEY_RIGHT: select_match(view, at + 1); break;
    case CLI_KEY_UP: select_match(view, at >= columns ? at - columns : at); break;
    case CLI_KEY_DOWN: select_match(view, at + columns); break;
    case CLI_KEY_PAGE_UP: select_match(view, at - page); break;
    case CLI_KEY_PAGE_DOWN: select_match(view, at + page); break;
    case CLI_KEY_HOME: select_match(view, 0); break;
    case CLI_KEY_END: select_match(view, UINT32_MAX); break;
    case CLI_KEY_ENTER: open_selected(view); break;
    case CLI_KEY_BACKSPACE: erase_character(view); break;
    case CLI_KEY_ESCAPE: clear_or_close(view); break;
    default: return key < CLI_KEY_LEFT || key == CLI_KEY_OTHER || key == CLI_KEY_TAB || key == CLI_KEY_F5;
    }
    return true;
}

static int64_t match_at(const cli_view *view, sn_vec2 at)
{
    cli_grid grid = cli_browser_grid(view);
    float column = floorf((at.x - grid.left) / grid.width), row = floorf((at.y - header) / grid.height);
    if (column < 0 || column >= (float)grid.columns || row < 0 || row >= (float)grid.rows) return -1;
    int64_t match = ((int64_t)view->browser.first_row + (int64_t)row) * grid.columns + (int64_t)column;
    return match < view->browser.match_count ? match : -1;
}

void cli_browser_press(cli_view *view)
{
    cli_browser *browser = &view->browser;
    int64_t match = match_at(view, view->mouse);
    if (match < 0) return;
    bool is_double = match == browser->selected && view->now - browser->pressed_at < double_click_seconds;
    browser->pressed_at = view->now;
    select_match(view, match);
    if (is_double) open_selected(view);
}

void cli_browser_scroll(cli_view *view, float steps)
{
    set_first_row(view, (int64_t)view->browser.first_row - (steps > 0 ? 1 : -1));
}

// Asks for the thumbnails that are visible, from the top left, then for those of the next page; for none when closed.
void cli_browser_tick(cli_view *view)
{
    cli_browser *browser = &view->browser;
    cli_thumb_request requests[CLI_THUMB_REQUESTS];
    uint32_t count = 0;
    if (cli_thumbs_collect(&browser->thumbs, view->renderer, view->files.generation)) view->needs_drawing = true;
    if (!browser->is_open) {
        if (browser->thumbs.has_worker) cli_thumbs_ask(&browser->thumbs, NULL, 0);
        return;
    }
    if (browser->generation != view->files.generation) filter_files(view);
    cli_grid grid = cli_browser_grid(view);
    uint32_t first = browser->first_row * grid.columns, shown = grid.columns * grid.rows;
    for (uint32_t i = first; i < browser->match_count && i < first + 2 * shown && count < CLI_THUMB_REQUESTS; i++) {
        uint32_t file = browser->matches[i];
        bool is_ahead = i >= first + shown, has_room = 2 * shown <= CLI_THUMBS_MAX;
        if (cli_thumbs_find(&browser->thumbs, file) || (is_ahead && !has_room)) continue;
        requests[count++] = (cli_thumb_request){ .file = file,
                                                 .generation = view->files.generation,
                                                 .side = (uint32_t)(CLI_THUMB_SIDE * fminf(view->scale, 2) + 0.5f),
                                                 .input = inputs_of(view)[file] };
    }
    if (count > 0) cli_thumbs_ask(&browser->thumbs, requests, count);
}

static void draw_cell(const cli_view *view, cli_canvas *canvas, uint32_t match, cli_box cell, cli_thumb *thumb)
{
    const cli_input *input = &inputs_of(view)[view->browser.matches[match]];
    bool is_selected = match == view->browser.selected;
    cli_box picture = { cell.x + (cell.width - CLI_THUMB_SIDE) / 2, cell.y + 7, CLI_THUMB_SIDE, CLI_THUMB_SIDE };
    if (is_selected)
        cli_put_rect(canvas, (cli_box){ cell.x + 2, cell.y, cell.width - 4, cell.height - 1 }, cli_selected_row_color);
    cli_put_rect(canvas, picture, (sn_vec4){ 0.19f, 0.21f, 0.24f, 1 });
    if (thumb) thumb->shown_at = view->browser.thumbs.clock;
    if (thumb && thumb->image) cli_put_image(canvas, picture, thumb->image);
    if (thumb && thumb->error[0])
        cli_put_wrapped(canvas, thumb->error,
                        (cli_box){ picture.x + 6, picture.y + 4, picture.width - 12, picture.height - 8 },
                        cli_inks[CLI_INK_ERROR]);
    if (!thumb)
        cli_put_text(canvas, "...", picture.x + picture.width / 2, picture.y + picture.height / 2, CLI_TEXT_SIZE,
                     SN_ALIGN_CENTER, cli_inks[CLI_INK_FAINT]);
    const char *name = cli_fit_line(canvas, sni_last_name(input->name), cell.width - 14);
    cli_put_text(canvas, name, cell.x + cell.width / 2, cell.y + CLI_THUMB_SIDE + 22, CLI_TEXT_SIZE, SN_ALIGN_CENTER,
                 cli_inks[is_selected ? CLI_INK_BRIGHT : CLI_INK_TEXT]);
}

static void draw_header(const cli_view *view, cli_canvas *canvas)
{
    const cli_browser *browser = &view->browser;
    cli_box field = { edge, 10, fminf(view->width * 0.55f, 360), 26 };
    bool is_empty = !browser->filter[0];
    cli_put_rect(canvas, field, (sn_vec4){ 0.15f, 0.17f, 0.2f, 1 });
    cli_put_frame(canvas, field, 1, (sn_vec4){ 0.35f, 0.42f, 0.52f, 1 });
    const char *text = is_empty ? "type to search" : cli_format(canvas->arena, "%s|", browser->filter);
    cli_put_line(canvas, text, field.x + 9, field.y + 17, field.width - 18,
                 cli_inks[is_empty ? CLI_INK_FAINT : CLI_INK_BRIGHT]);
    const char *count = is_empty
                            ? cli_count(canvas->arena, browser->match_count, "file", "files")
                            : cli_format(canvas->arena, "%u of %u files", browser->match_count, view->files.list.count);
    const char *fitted = cli_fit_line(canvas, count, view->width - field.width - 3 * edge);
    cli_put_text(canvas, fitted, view->width - edge, field.y + 17, CLI_TEXT_SIZE, SN_ALIGN_RIGHT,
                 cli_inks[CLI_INK_TEXT]);
}

// The full path of the selected file.
static void draw_footer(const cli_view *view, cli_canvas *canvas)
{
    uint32_t file = cli_browser_file(view);
    float y = view->height - footer;
    cli_put_rect(canvas, (cli_box){ 0, y, view->width, footer }, (sn_vec4){ 0.09f, 0.1f, 0.12f, 1 });
    bool has_room = view->width > 560;
    const char *keys = has_room ? "Enter opens    Escape closes" : "";
    float wide = has_room ? cli_text_width(canvas, keys) + 20 : 0;
    cli_put_text(canvas, keys, view->width - edge, y + 19, CLI_TEXT_SIZE, SN_ALIGN_RIGHT, cli_inks[CLI_INK_FAINT]);
    if (file == UINT32_MAX) return;
    const cli_input *input = &inputs_of(view)[file];
    const char *path = input->archive ? cli_format(canvas->arena, "%s: %s", sni_last_name(input->path), input->name)
                                      : input->name;
    cli_put_line(canvas, path, edge, y + 19, view->width - 2 * edge - wide, cli_inks[CLI_INK_TEXT]);
}

void cli_browser_draw(cli_view *view, cli_canvas *canvas)
{
    cli_browser *browser = &view->browser;
    cli_grid grid = cli_browser_grid(view);
    uint32_t first = browser->first_row * grid.columns, rows = row_count(view);
    browser->thumbs.clock++;
    cli_put_rect(canvas, (cli_box){ 0, 0, view->width, view->height }, (sn_vec4){ 0.12f, 0.13f, 0.15f, 1 });
    draw_header(view, canvas);
    for (uint32_t i = first; i < browser->match_count && i < first + grid.columns * grid.rows; i++) {
        uint32_t column = (i - first) % grid.columns, row = (i - first) / grid.columns;
        cli_box cell = { grid.left + (float)column * grid.width, header + (float)row * grid.height, grid.width,
                         least_height };
        cli_thumb *thumb = cli_thumbs_find(&browser->thumbs, browser->matches[i]);
        draw_cell(view, canvas, i, cell, thumb);
    }
    if (browser->match_count == 0)
        cli_put_text(canvas, "no file has all these words in its name", view->width / 2, view->height / 2,
                     CLI_TEXT_SIZE, SN_ALIGN_CENTER, cli_inks[CLI_INK_FAINT]);
    if (rows > grid.rows) {
        float room = view->height - header - footer, high = fmaxf(room * (float)grid.rows / (float)rows, 12);
        float top = header + (room - high) * (float)browser->first_row / (float)(rows - grid.rows);
        cli_put_rect(canvas, (cli_box){ view->width - 6, top, 4, high }, (sn_vec4){ 1, 1, 1, 0.3f });
    }
    draw_footer(view, canvas);
}
