// What is shown, and changes of that.
#include "view.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

static const double note_seconds = 3, watch_seconds = 0.25;
static const float longest_frame = 0.25f;  // after a pause of the machine nothing jumps

void cli_view_init(cli_view *view, cli_sources *sources, const cli_look *look, const cli_memory *memory)
{
    memset(view, 0, sizeof *view);
    view->sources = sources;
    view->look = *look;
    view->node = view->camera = view->player.clip = -1;
    view->show = memory->show | (look->show & ~(uint32_t)SN_SHOW_WEIGHTS);
    view->panels = memory->panels;
    view->player = (cli_player){ .clip = -1, .speed = 1, .loop = memory->loop, .is_playing = true };
    sni_diag_init(&view->diag, NULL);
    sni_heap_init(&view->heap, NULL, UINT64_MAX);
    view->heap.diag = &view->diag;
    sni_arena *arenas[] = { &view->arena, &view->frame_arena, &view->watch_arena };
    for (size_t i = 0; i < sizeof arenas / sizeof *arenas; i++) sni_arena_init(arenas[i], &view->heap);
    view->watch.arena = &view->watch_arena;
}

void cli_view_close(cli_view *view)
{
    if (view->shown) cli_exhibit_close(view->shown);
    view->shown = NULL;
}

void cli_view_free(cli_view *view)
{
    cli_files_close(&view->files);
    sni_arena_free(&view->watch_arena);
    sni_arena_free(&view->frame_arena);
    sni_arena_free(&view->arena);
}

void cli_view_note(cli_view *view, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(view->note, sizeof view->note, format, list);
    va_end(list);
    sni_text_clean_fixed(view->note, sizeof view->note);
    view->note_until = view->now + note_seconds;
    view->needs_drawing = true;
}

void cli_view_fail(cli_view *view, const char *title, const sn_error *error)
{
    view->error = *error;
    snprintf(view->error_title, sizeof view->error_title, "%.*s", (int)cli_cut(title, CLI_NOTE_BYTES - 1), title);
    sni_text_clean_fixed(view->error_title, sizeof view->error_title);
    view->needs_drawing = true;
}

sn_eye cli_view_eye(const cli_view *view)
{
    const cli_exhibit *shown = view->shown;
    sn_bounds stage = shown ? shown->stage : (sn_bounds){ .radius = 1 };
    sn_eye eye;
    if (shown && sn_eye_of_camera(shown->job.model, shown->pose, view->camera, &stage, &eye)) return eye;
    return cli_orbit_eye(&view->orbit, &stage);
}

void cli_view_look(cli_view *view, float yaw, float pitch)
{
    cli_exhibit *shown = view->shown;
    cli_box free = cli_layout_of(view).free;
    sn_eye eye;
    view->camera = -1;
    view->needs_drawing = true;
    if (!shown || !(free.width > 1 && free.height > 1)) return;
    sn_framing framing = sn_framing_begin(yaw, pitch, free.width / free.height);
    if (!cli_aim(shown->job.model, shown->pose, view->player.clip, view->show, &framing, &shown->stage, &eye)) return;
    view->orbit = cli_orbit_of(&eye, yaw, pitch, &shown->stage);
    cli_orbit_squeeze(&view->orbit, free.x / view->width, free.y / view->height, free.width / view->width,
                      free.height / view->height, view->width / view->height);
    view->is_framed = true;
}

static void mark_keys(cli_view *view)
{
    const sn_model *model = cli_view_model(view);
    int32_t clip = view->player.clip;
    cli_ticks_make(&view->ticks, model && clip >= 0 ? &model->clips[clip] : NULL, view->node);
}

void cli_view_take_clip(cli_view *view, int32_t clip)
{
    cli_player_take(&view->player, cli_view_model(view), clip);
    mark_keys(view);
    cli_layout layout = cli_layout_of(view);
    view->clip_rows.box = layout.clips;
    cli_rows_reveal(&view->clip_rows, (uint32_t)(view->player.clip + 1));
    view->needs_drawing = true;
}

void cli_view_choose(cli_view *view, int32_t node)
{
    view->node = node;
    view->needs_drawing = true;
    mark_keys(view);
    if (node < 0 || !view->shown) return;
    uint32_t row = cli_outline_reveal(&view->shown->tree, node);
    view->tree_rows.count = view->shown->tree.row_count;
    cli_rows_reveal(&view->tree_rows, row);
}

// What stays when a file is read again, by name: its elements may have other numbers now.
typedef struct cli_kept {
    char clip[CLI_NOTE_BYTES], node[CLI_NOTE_BYTES];
    bool has_clip, is_resting, has_node;
    float seconds;
} cli_kept;

static void keep_name(char out[CLI_NOTE_BYTES], const char *name)
{
    snprintf(out, CLI_NOTE_BYTES, "%.*s", (int)cli_cut(name, CLI_NOTE_BYTES - 1), name);
}

static cli_kept keep(const cli_view *view)
{
    const sn_model *model = cli_view_model(view);
    int32_t clip = view->player.clip;
    cli_kept kept = { .has_clip = model && clip >= 0,
                      .has_node = model && view->node >= 0,
                      .seconds = view->player.seconds };
    kept.is_resting = model && clip < 0 && model->clip_count > 0;
    if (kept.has_clip) keep_name(kept.clip, model->clips[clip].name);
    if (kept.has_node) keep_name(kept.node, model->nodes[view->node].name);
    return kept;
}

// The clip of the command line, else the one that was shown by its name, else the first.
static int32_t first_clip(cli_view *view, const cli_kept *kept)
{
    const sn_model *model = cli_view_model(view);
    cli_moment asked;
    bool is_asked = cli_job_has(&view->shown->job, CLI_OPTION_CLIP);
    if (!kept->has_clip && !kept->is_resting && is_asked) {
        if (cli_read_moment(&view->shown->job, &asked)) return asked.clip;
        cli_view_note(view, "there is no clip %s", view->sources->args->values[CLI_OPTION_CLIP]);
    }
    int32_t clip = kept->has_clip ? sn_model_find_clip(model, kept->clip) : -1;
    return clip >= 0 ? clip : model->clip_count > 0 && !kept->is_resting ? 0 : -1;
}

static int32_t first_node(cli_view *view, const cli_kept *kept)
{
    const char *asked = view->sources->args->values[CLI_OPTION_WEIGHTS];
    const sn_model *model = cli_view_model(view);
    if (kept->has_node) return sn_model_find_node(model, kept->node);
    int32_t node = asked ? sn_model_find_node(model, asked) : -1;
    if (asked && node < 0) cli_view_note(view, "there is no bone %s", asked);
    if (node >= 0) view->show |= SN_SHOW_WEIGHTS;
    return node;
}

static void take_model(cli_view *view, const cli_kept *kept, bool is_again)
{
    const sn_model *model = cli_view_model(view);
    view->tree_rows = (cli_rows){ .count = view->shown->tree.row_count };
    view->clip_rows = (cli_rows){ .count = model->clip_count + 1 };
    sn_pose_set_lod(view->shown->pose,
                    (int32_t)(view->look.lod < model->lod_count ? view->look.lod : model->lod_count - 1));
    cli_view_take_clip(view, first_clip(view, kept));
    cli_view_choose(view, first_node(view, kept));
    cli_orbit orbit = view->orbit;
    int32_t camera = view->camera;
    bool is_framed = view->is_framed;
    cli_view_look(view, is_again ? orbit.yaw : view->look.yaw, is_again ? orbit.pitch : view->look.pitch);
    const char *asked = view->sources->args->values[CLI_OPTION_CAMERA];
    if (asked) view->camera = cli_find_camera(model, asked);
    if (!is_again) return;
    cli_player_seek(&view->player, kept->seconds);
    view->is_framed = is_framed;
    view->orbit = orbit;
    view->camera = camera < (int32_t)model->camera_count ? camera : -1;
}

// Loading blocks. Of what may take a while it is said.
static void tell_loading(cli_view *view, const cli_input *input)
{
    const uint64_t large = 4 << 20;
    struct stat info;
    sn_archive_entry entry = { 0 };
    uint64_t size = 0;
    if (input->archive) size = sn_archive_find(input->archive, input->name, &entry) ? entry.size : 0;
    else if (stat(input->path, &info) == 0) size = (uint64_t)info.st_size;
    if (size < large || !view->present) return;
    cli_view_note(view, "loading %s", sni_last_name(input->name));
    view->present(view->present_user);
    view->note_until = view->now;
}

// A file that cannot be read again leaves the model as it is; another file takes its place in any case.
void cli_view_load(cli_view *view, bool is_again)
{
    const cli_input *input = cli_files_now(&view->files);
    cli_exhibit *slot = view->shown == &view->slots[0] ? &view->slots[1] : &view->slots[0];
    sn_error error;
    if (!input) return;
    cli_kept kept = keep(view);
    view->error = (sn_error){ .status = SN_OK };
    tell_loading(view, input);
    sn_search_refresh(view->sources->search);  // files may have come or gone
    sni_arena_free(&view->watch_arena);
    view->watch.files = (sni_list){ 0 };
    bool is_open = cli_exhibit_open(slot, view->sources, view->renderer, input, &view->watch, &error);
    if (is_open || !is_again) {
        cli_view_close(view);
        view->node = -1;
    }
    if (is_open) view->shown = slot;
    if (is_open) take_model(view, &kept, is_again);
    else cli_view_fail(view, input->name, &error);
    view->needs_drawing = true;
}

void cli_view_start(cli_view *view)
{
    const cli_args *args = view->sources->args;
    sn_error error;
    float seconds;
    if (args->file_count == 0) return;
    if (!cli_files_take(&view->files, view->sources, args->files, args->file_count, &view->arena, &error)) {
        cli_view_fail(view, args->files[0], &error);
        return;
    }
    cli_view_load(view, false);
    if (!view->shown || !cli_has(args, CLI_OPTION_TIME) || !cli_parse_float(args->values[CLI_OPTION_TIME], &seconds))
        return;
    cli_player_seek(&view->player, seconds);
    view->player.is_playing = false;
}

void cli_view_step_file(cli_view *view, int by)
{
    uint32_t count = view->files.list.count;
    if (count < 2) {
        cli_view_note(view, "there is no other file");
        return;
    }
    view->files.at = (view->files.at + count + (uint32_t)(by > 0 ? 1 : count - 1)) % count;
    cli_view_load(view, false);
}

void cli_view_drop(cli_view *view, char *const *paths, int count)
{
    sn_error error;
    if (count <= 0) return;
    if (cli_files_take(&view->files, view->sources, paths, count, &view->arena, &error)) cli_view_load(view, false);
    else cli_view_fail(view, paths[0], &error);
}

static void look_at_files(cli_view *view)
{
    if (!cli_has(view->sources->args, CLI_OPTION_WATCH) || view->now - view->watched_at < watch_seconds) return;
    view->watched_at = view->now;
    if (!cli_watch_changed(&view->watch)) return;
    cli_view_load(view, view->shown != NULL);
    if (view->shown && view->error.status == SN_OK) cli_view_note(view, "read again");
}

void cli_view_tick(cli_view *view, double now)
{
    float elapsed = (float)(now - view->now);
    bool had_note = view->now < view->note_until;
    view->now = now;
    if (had_note && now >= view->note_until) view->needs_drawing = true;
    if (cli_view_moves(view)) {
        cli_player_advance(&view->player, fminf(elapsed, longest_frame));
        float before = view->seconds_per_frame;
        view->seconds_per_frame = before > 0 ? before * 0.9f + elapsed * 0.1f : elapsed;
        view->needs_drawing = true;
    } else {
        view->seconds_per_frame = 0;
    }
    look_at_files(view);
}
