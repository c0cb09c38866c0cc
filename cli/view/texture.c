// A texture in the window: its pixels over a checkerboard, its size and mip levels.
#include "view.h"

#include <math.h>
#include <string.h>

enum { MIPS_MAX = 16 };

static const float margin = 28;

static sn_image image_of(const cli_texture *texture)
{
    return (
        sn_image){ .name = "", .uri = "", .mime_type = "", .data = texture->bytes.data, .size = texture->bytes.size };
}

static bool is_opaque(const sn_pixels *pixels)
{
    for (size_t i = 0; i < (size_t)pixels->width * pixels->height; i++)
        if (pixels->rgba[i * 4 + 3] != 255) return false;
    return true;
}

// A file without mip levels gives its one size for each of them.
static uint32_t count_mips(const sn_image *image, uint32_t width, uint32_t height)
{
    uint32_t count = 1;
    sn_decode_opts opts = { .size_only = true };
    sn_pixels size;
    for (; count < MIPS_MAX; count++) {
        opts.mip = count;
        if (sn_image_decode(image, &opts, &size, NULL) != SN_OK) break;
        if (size.width >= width && size.height >= height) break;
        width = size.width, height = size.height;
    }
    return count;
}

static bool show_mip(cli_texture *texture, sn_renderer *renderer, uint32_t mip, sn_error *error)
{
    const sn_image image = image_of(texture);
    const sn_decode_opts opts = { .mip = mip, .hidden_alpha = true };
    sn_pixels pixels;
    if (sn_image_decode(&image, &opts, &pixels, error) != SN_OK) return false;
    sn_render_image *made = sn_render_image_create(renderer, &pixels, error);
    if (made) {
        sn_render_image_free(texture->image);
        texture->image = made;
        texture->mip = mip;
        texture->width = pixels.width, texture->height = pixels.height;
        texture->has_alpha = !is_opaque(&pixels);
    }
    sn_pixels_free(&pixels);
    return made != NULL;
}

bool cli_texture_open(cli_texture *texture, cli_session *session, sn_renderer *renderer, const cli_input *input,
                      sn_error *error)
{
    *texture = (cli_texture){ .input = *input };
    bool is_good = cli_input_read(session, input, &texture->bytes, error) && show_mip(texture, renderer, 0, error);
    if (is_good) {
        const sn_image image = image_of(texture);
        texture->full_width = texture->width, texture->full_height = texture->height;
        texture->mip_count = count_mips(&image, texture->width, texture->height);
    } else {
        cli_texture_close(texture);
    }
    return is_good;
}

void cli_texture_close(cli_texture *texture)
{
    sn_render_image_free(texture->image);
    sn_bytes_free(&texture->bytes);
    memset(texture, 0, sizeof *texture);
}

void cli_texture_step_mip(cli_view *view, int by)
{
    cli_texture *texture = &view->texture;
    sn_error error;
    int mip = (int)texture->mip + by;
    if (texture->mip_count < 2) cli_view_message(view, "the texture has one level");
    else if (mip >= 0 && mip < (int)texture->mip_count && !show_mip(texture, view->renderer, (uint32_t)mip, &error))
        cli_view_show_error(view, texture->input.name, &error);
}

// The scale that fills the window. Small textures are enlarged by whole numbers, so that all texels are equal squares.
static float fitting_zoom(const cli_view *view)
{
    const cli_texture *texture = &view->texture;
    float zoom = fminf((view->width - 2 * margin) / (float)texture->full_width,
                       (view->height - 2 * margin) / (float)texture->full_height);
    return zoom > 1 ? floorf(zoom) : fmaxf(zoom, 1e-4f);
}

float cli_texture_zoom(const cli_view *view)
{
    return view->texture.zoom > 0 ? view->texture.zoom : fitting_zoom(view);
}

// Every level is shown as large as the first.
cli_box cli_texture_box(const cli_view *view)
{
    const cli_texture *texture = &view->texture;
    float zoom = cli_texture_zoom(view), wide = (float)texture->full_width * zoom,
          high = (float)texture->full_height * zoom;
    return (cli_box){ roundf((view->width - wide) / 2 + texture->pan.x),
                      roundf((view->height - high) / 2 + texture->pan.y), wide, high };
}

void cli_texture_fit(cli_view *view)
{
    view->texture.zoom = 0;
    view->texture.pan = (sn_vec2){ 0, 0 };
}

// The texel under the mouse stays there.
void cli_texture_scroll(cli_view *view, float steps)
{
    float before = cli_texture_zoom(view), after = fminf(fmaxf(before * powf(1.2f, steps), 0.02f), 64);
    sn_vec2 *pan = &view->texture.pan, from = { view->mouse.x - view->width / 2, view->mouse.y - view->height / 2 };
    pan->x = from.x - (from.x - pan->x) * after / before;
    pan->y = from.y - (from.y - pan->y) * after / before;
    view->texture.zoom = after;
}

// Only the visible squares.
static void draw_checkerboard(const cli_view *view, cli_canvas *canvas, cli_box box)
{
    const float side = 10, left = fmaxf(box.x, 0), top = fmaxf(box.y, 0), right = fminf(box.x + box.width, view->width),
                bottom = fminf(box.y + box.height, view->height);
    if (!(right > left && bottom > top)) return;
    cli_put_rect(canvas, (cli_box){ left, top, right - left, bottom - top }, (sn_vec4){ 0.42f, 0.42f, 0.42f, 1 });
    for (int row = 0; top + side * (float)row < bottom; row++)
        for (int column = row % 2; left + side * (float)column < right; column += 2) {
            float x = left + side * (float)column, y = top + side * (float)row;
            cli_put_rect(canvas, (cli_box){ x, y, fminf(side, right - x), fminf(side, bottom - y) },
                         (sn_vec4){ 0.6f, 0.6f, 0.6f, 1 });
        }
}

static const char *describe(const cli_texture *texture, sni_arena *arena)
{
    const char *mips = texture->mip_count > 1 ? cli_format(arena, ", %u mip levels", texture->mip_count) : "";
    return cli_format(arena, "%u x %u%s, %s", texture->full_width, texture->full_height, mips,
                      texture->has_alpha ? "with alpha" : "opaque");
}

void cli_texture_draw(const cli_view *view, cli_canvas *canvas, bool is_bare)
{
    const cli_texture *texture = &view->texture;
    cli_box box = cli_texture_box(view);
    draw_checkerboard(view, canvas, box);
    cli_put_image(canvas, box, texture->image);
    if (is_bare || !(view->panels & CLI_PANEL_INFORMATION)) return;
    cli_line lines[4] = { { cli_file_title(view, texture->input.name, canvas->arena), CLI_INK_BRIGHT },
                          { describe(texture, canvas->arena), CLI_INK_TEXT },
                          { cli_format(canvas->arena, "%.0f %%", (double)cli_texture_zoom(view) * 100),
                            CLI_INK_FAINT } };
    uint32_t count = 3;
    if (texture->mip > 0)
        lines[count++] = (cli_line){ cli_format(canvas->arena, "mip level %u: %u x %u", texture->mip, texture->width,
                                                texture->height),
                                     CLI_INK_BRIGHT };
    cli_put_plate(canvas, lines, count, 8, 8, view->width - 16);
}
