// Contact sheets: a strip of pictures for each clip, arranged in rows and columns.
#include "render.h"

#include <string.h>

#include "base/text.h"

enum { SIDE_MAX = CLI_PICTURE_SIDE_MAX, LABEL_BYTES = 100, MARGIN = 7 };

static const sn_vec4 title_color = { 1, 1, 1, 1 }, time_color = { 0.78f, 0.82f, 0.88f, 0.9f },
                     background_color = { 0.1f, 0.11f, 0.13f, 0.65f };

static void name_strip(const cli_scene *scene, int32_t clip, char text[LABEL_BYTES])
{
    const sn_model *model = scene->job.model;
    char file[LABEL_BYTES / 2];
    sni_text_printable(sni_last_name(scene->job.file), file, sizeof file);
    const char *name = clip >= 0 ? model->clips[clip].name : "";
    snprintf(text, LABEL_BYTES, "%s%s%.*s", file, name[0] ? "  " : "", (int)cli_cut(name, LABEL_BYTES / 2 - 3), name);
}

static void paste(const sn_pixels *from, sn_pixels *onto, uint32_t x, uint32_t y)
{
    for (uint32_t row = 0; row < from->height; row++)
        memcpy(onto->rgba + ((size_t)(y + row) * onto->width + x) * 4, from->rgba + (size_t)row * from->width * 4,
               (size_t)from->width * 4);
}

// Labels are in bands of their own above and below the pictures, so that they never cover a model.
typedef struct bands {
    uint32_t title, time;  // heights in pixels; time 0: none
    float size;            // of the text
} bands;

static bands bands_of(const cli_scene *scene)
{
    bool is_small = scene->context->options->height < 128;
    return (bands){ .title = is_small ? 15 : 19,
                    .time = scene->context->options->turns > 0 ? 0
                            : is_small                         ? 12
                                                               : 15,
                    .size = is_small ? 6.5f : 8.0f };
}

// A text that is too long ends with "...".
static void shorten(sn_renderer *renderer, char text[LABEL_BYTES], float size, float width)
{
    size_t length = strlen(text);
    while (length > 0 && sn_label_width(renderer, text, size) > width) {
        length = cli_cut(text, length - 1);
        snprintf(text + length, LABEL_BYTES - length, "...");
    }
    if (length == 0) text[0] = 0;
}

static int draw_band(cli_scene *scene, const sn_label *label, uint32_t height, sn_pixels *strip, uint32_t x, uint32_t y)
{
    sn_error error;
    sn_pixels pixels = { 0 };
    const sn_rect background = { 0, 0, (float)scene->frame.width, (float)height, background_color, NULL };
    const sn_frame frame = { .width = scene->frame.width,
                             .height = height,
                             .camera = scene->fitted,
                             .background = scene->frame.background,
                             .rects = &background,
                             .rect_count = 1,
                             .labels = label,
                             .label_count = label->text[0] != 0 };
    bool is_good = sn_render_draw(scene->context->renderer, &frame, &error) == SN_OK &&
                   sn_render_read(scene->context->renderer, &pixels, &error) == SN_OK;
    if (is_good) paste(&pixels, strip, x, y);
    else cli_complain("%s: %s", scene->job.shown, error.message);
    sn_pixels_free(&pixels);
    return is_good ? CLI_EXIT_OK : cli_exit_of(error.status);
}

// The title may extend over several pictures of the strip. Pictures of a clip also have their time.
static int draw_labels(cli_scene *scene, const sni_list *shots, char title[LABEL_BYTES], sn_pixels *strip)
{
    const bands band = bands_of(scene);
    const cli_shot *shot = shots->items;
    const uint32_t width = scene->frame.width;
    int code = CLI_EXIT_OK;
    shorten(scene->context->renderer, title, band.size, (float)(width * shots->count) - 2 * MARGIN);
    for (uint32_t i = 0; i < shots->count && code == CLI_EXIT_OK; i++) {
        float base = (float)band.title / 2 + band.size / 2;
        const sn_label label = { title, MARGIN - (float)i * (float)width, base, band.size, SN_ALIGN_LEFT, title_color };
        code = draw_band(scene, &label, band.title, strip, i * width, 0);
    }
    for (uint32_t i = 0; i < shots->count && band.time > 0 && code == CLI_EXIT_OK; i++) {
        char time[32] = "";
        float size = band.size * 0.85f, base = (float)band.time / 2 + size / 2;
        if (shot[i].clip_time.clip >= 0) snprintf(time, sizeof time, "%.2f s", (double)shot[i].clip_time.seconds);
        const sn_label label = { time, (float)width - MARGIN, base, size, SN_ALIGN_RIGHT, time_color };
        code = draw_band(scene, &label, band.time, strip, i * width, strip->height - band.time);
    }
    return code;
}

static int draw_strip(cli_scene *scene, int32_t clip, sni_arena *arena, sn_pixels *strip)
{
    char title[LABEL_BYTES];
    sni_list shots = { 0 };
    const bands band = bands_of(scene);
    int code = cli_scene_list_shots(scene, clip, arena, &shots);
    if (code != CLI_EXIT_OK) return code;
    *strip = (sn_pixels){ .width = scene->frame.width * shots.count,
                          .height = band.title + scene->frame.height + band.time };
    strip->rgba = sni_new(arena, uint8_t, (uint64_t)strip->width * strip->height * 4);
    if (!strip->rgba) return cli_no_memory();
    name_strip(scene, clip, title);
    code = draw_labels(scene, &shots, title, strip);
    for (uint32_t i = 0; i < shots.count && code == CLI_EXIT_OK; i++) {
        sn_pixels pixels = { 0 };
        code = cli_scene_draw(scene, &((const cli_shot *)shots.items)[i], &pixels);
        if (code == CLI_EXIT_OK) paste(&pixels, strip, i * scene->frame.width, band.title);
        sn_pixels_free(&pixels);
    }
    return code;
}

// All clips, or the one of --clip. The default clip for a turntable, the rest pose if there are no clips.
int cli_scene_draw_strips(cli_scene *scene, sni_arena *arena, sni_list *strips)
{
    int32_t clip = scene->clip_time.clip, last = clip;
    bool is_turntable = scene->context->options->turns > 0, is_chosen = cli_job_has(&scene->job, CLI_OPTION_CLIP);
    if (!is_chosen && !is_turntable && scene->job.model->clip_count > 0)
        clip = 0, last = (int32_t)scene->job.model->clip_count - 1;
    int framed = is_turntable && !is_chosen ? cli_scene_frame_time(scene) : cli_scene_frame(scene, clip, last);
    if (framed != CLI_EXIT_OK) return framed;
    for (; clip <= last; clip++) {
        sn_pixels *strip = sni_push(arena, strips, sn_pixels);
        int code = strip ? draw_strip(scene, clip, arena, strip) : cli_no_memory();
        if (code != CLI_EXIT_OK) return code;
    }
    return CLI_EXIT_OK;
}

// The number of columns that brings the sheet closest to a ratio of 3:2.
static uint32_t choose_columns(uint64_t width, uint64_t height, uint32_t count)
{
    uint32_t best = 1;
    double best_badness = 1e30;
    for (uint32_t columns = 1; columns <= count && columns * width <= SIDE_MAX; columns++) {
        uint64_t rows = (count + columns - 1) / columns;
        double shape = (double)(columns * width) / (double)(rows * height),
               badness = shape > 1.5 ? shape / 1.5 : 1.5 / shape;
        badness *= (double)(rows * columns) / count;  // penalty for empty cells
        if (badness < best_badness) best_badness = badness, best = columns;
    }
    return best;
}

static void fill(sn_pixels *pixels, sn_vec4 color)
{
    const uint8_t texel[4] = { (uint8_t)(color.x * 255 + 0.5f), (uint8_t)(color.y * 255 + 0.5f),
                               (uint8_t)(color.z * 255 + 0.5f), (uint8_t)(color.w * 255 + 0.5f) };
    for (size_t i = 0; i < (size_t)pixels->width * pixels->height; i++) memcpy(pixels->rgba + i * 4, texel, 4);
}

typedef struct layout {
    uint32_t count, wide, high, columns, rows;
} layout;

static layout lay_out(const sni_list *lists, uint32_t list_count)
{
    layout made = { 0 };
    for (uint32_t i = 0; i < list_count; i++) {
        const sn_pixels *strips = lists[i].items;
        made.count += lists[i].count;
        for (uint32_t k = 0; k < lists[i].count; k++) {
            if (strips[k].width > made.wide) made.wide = strips[k].width;
            if (strips[k].height > made.high) made.high = strips[k].height;
        }
    }
    if (made.count == 0) return made;
    made.columns = choose_columns(made.wide, made.high, made.count);
    made.rows = (made.count + made.columns - 1) / made.columns;
    return made;
}

// In reading order: across, then down.
static void paste_all(const layout *plan, const sni_list *lists, uint32_t list_count, sn_pixels *sheet)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < list_count; i++)
        for (uint32_t k = 0; k < lists[i].count; k++, at++)
            paste(&((const sn_pixels *)lists[i].items)[k], sheet, at % plan->columns * plan->wide,
                  at / plan->columns * plan->high);
}

int cli_sheet_write(cli_session *session, const cli_render_options *options, const sni_list *lists, uint32_t list_count,
                    sni_arena *arena, const char *path)
{
    sn_error error;
    layout plan = lay_out(lists, list_count);
    if (plan.count == 0) return CLI_EXIT_OK;  // every file failed and was reported
    uint64_t wide = (uint64_t)plan.columns * plan.wide, high = (uint64_t)plan.rows * plan.high;
    if (wide > SIDE_MAX || high > SIDE_MAX) {
        cli_complain("the sheet would have %llu x %llu pixels, more than %d per side; use a smaller '--size' or fewer "
                     "'--frames'",
                     (unsigned long long)wide, (unsigned long long)high, SIDE_MAX);
        return CLI_EXIT_USAGE;
    }
    sn_pixels sheet = { .width = (uint32_t)wide,
                        .height = (uint32_t)high,
                        .rgba = sni_new_raw(arena, uint8_t, wide * high * 4) };
    if (!sheet.rgba) return cli_no_memory();
    fill(&sheet, options->background);
    paste_all(&plan, lists, list_count, &sheet);
    cli_stop_begin_writing(&session->stop, path);
    bool is_saved = sn_pixels_save(&sheet, path, &error) == SN_OK;
    cli_stop_end_writing(&session->stop, path);
    if (is_saved) return CLI_EXIT_OK;
    const char *shown = cli_escape(arena, path);
    cli_complain("%s: error: %s", shown ? shown : "", error.message);
    return cli_exit_of(error.status);
}
