// Contact sheets: a strip of pictures for each clip, arranged in columns.
#include "render.h"

#include <string.h>

#include "base/text.h"

enum { SIDE_MAX = CLI_PICTURE_SIDE_MAX, LABEL_BYTES = 96, MARGIN = 7 };

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

// A dark background for a label.
static sn_rect label_background(sn_renderer *renderer, const sn_label *label)
{
    const float room = 4;
    float width = sn_label_width(renderer, label->text, label->size),
          left = label->align == SN_ALIGN_RIGHT ? label->x - width : label->x;
    return (sn_rect){ left - room, label->y - label->size - room, width + 2 * room, label->size + 2 * room,
                      background_color };
}

// The title may extend over several pictures of the strip. Pictures of a clip also show their time.
static int draw_labelled(cli_scene *scene, const cli_shot *shot, const char *title, uint32_t index, sn_pixels *pixels)
{
    char time[32];
    sn_label labels[2];
    sn_rect backgrounds[2];
    float size = scene->frame.height < 128 ? 6.5f : 8.0f;
    sn_frame *frame = &scene->frame;
    frame->labels = labels;
    frame->label_count = 0;
    float left = MARGIN - (float)index * (float)frame->width;
    labels[frame->label_count++] = (sn_label){ title, left, MARGIN + size, size, SN_ALIGN_LEFT, title_color };
    snprintf(time, sizeof time, "%.2f s", (double)shot->clip_time.seconds);
    if (shot->clip_time.clip >= 0)
        labels[frame->label_count++] = (sn_label){
            time, (float)frame->width - MARGIN, (float)frame->height - MARGIN, size * 0.85f, SN_ALIGN_RIGHT, time_color
        };
    for (uint32_t i = 0; i < frame->label_count; i++)
        backgrounds[i] = label_background(scene->context->renderer, &labels[i]);
    frame->rects = backgrounds;
    frame->rect_count = frame->label_count;
    int code = cli_scene_draw(scene, shot, pixels);
    frame->labels = NULL;
    frame->rects = NULL;
    frame->label_count = frame->rect_count = 0;
    return code;
}

static int draw_strip(cli_scene *scene, int32_t clip, sni_arena *arena, sn_pixels *strip)
{
    char title[LABEL_BYTES];
    sni_list shots = { 0 };
    int code = cli_scene_list_shots(scene, clip, arena, &shots);
    if (code != CLI_EXIT_OK) return code;
    *strip = (sn_pixels){ .width = scene->frame.width * shots.count, .height = scene->frame.height };
    strip->rgba = sni_new(arena, uint8_t, (uint64_t)strip->width * strip->height * 4);
    if (!strip->rgba) return cli_no_memory();
    name_strip(scene, clip, title);
    for (uint32_t i = 0; i < shots.count && code == CLI_EXIT_OK; i++) {
        sn_pixels pixels = { 0 };
        code = draw_labelled(scene, &((const cli_shot *)shots.items)[i], title, i, &pixels);
        if (code == CLI_EXIT_OK) paste(&pixels, strip, i * scene->frame.width, 0);
        sn_pixels_free(&pixels);
    }
    return code;
}

// All clips, or the one of --clip. The rest pose if there are none, and for a turntable.
int cli_scene_draw_strips(cli_scene *scene, sni_arena *arena, sni_list *strips)
{
    int32_t clip = scene->clip_time.clip, last = clip;
    bool is_turntable = scene->context->options->turns > 0;
    if (clip < 0 && !is_turntable && scene->job.model->clip_count > 0)
        clip = 0, last = (int32_t)scene->job.model->clip_count - 1;
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

// Strips run down the columns, so that those of one model stay together.
static void paste_all(const layout *plan, const sni_list *lists, uint32_t list_count, sn_pixels *sheet)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < list_count; i++)
        for (uint32_t k = 0; k < lists[i].count; k++, at++)
            paste(&((const sn_pixels *)lists[i].items)[k], sheet, at / plan->rows * plan->wide,
                  at % plan->rows * plan->high);
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
