// The state of the viewer: the loaded model, what is selected and played, and drawing one frame of it.
#include "view.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/elements.h"

enum { PICTURES_MAX = 9999 };

static const double message_seconds = 3, watch_seconds = 0.25;
static const float longest_frame = 0.25f;  // playback does not jump after a pause

static bool fail_memory(sn_error *error)
{
    *error = (sn_error){ .status = SN_ERR_MEMORY, .message = "out of memory" };
    return false;
}

static void count_elements(cli_loaded_model *loaded)
{
    const sn_model *model = loaded->job.model;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        loaded->vertex_count += mesh->vertex_count;
        if (mesh->topology == SN_TRIANGLES) loaded->triangle_count += cli_mesh_primitives(mesh);
    }
    for (uint32_t i = 0; i < model->node_count; i++)
        loaded->joint_count += (model->nodes[i].flags & SN_NODE_JOINT) != 0;
}

static bool open_model(cli_loaded_model *loaded, sn_renderer *renderer, sn_error *error)
{
    cli_job *job = &loaded->job;
    if (!cli_job_load(job, false)) {
        *error = job->error;
        return false;
    }
    loaded->drawable = sn_drawable_create(renderer, job->model, error);
    if (!loaded->drawable) return false;
    sn_motion_opts motion_opts = { 0 };
    const char *simd = getenv("SINEW_SIMD");
    if (simd) sn_simd_find(simd, &motion_opts.simd);
    loaded->motion = sn_motion_create(job->model, &motion_opts, NULL);  // too large: plays without it
    loaded->pose = sn_pose_create(job->model, NULL, NULL);
    if (!loaded->pose || !cli_outline_make(&loaded->tree, job->model, &job->arena)) return fail_memory(error);
    sn_mat34 upright = sn_model_upright(job->model);
    sn_pose_set_root(loaded->pose, &upright);
    count_elements(loaded);
    return true;
}

static void close_loaded(cli_loaded_model *loaded)
{
    sn_pose_free(loaded->pose);
    sn_motion_free(loaded->motion);
    sn_drawable_free(loaded->drawable);
    cli_job_free(&loaded->job);
    memset(loaded, 0, sizeof *loaded);
}

static bool open_loaded(cli_loaded_model *loaded, cli_session *session, sn_renderer *renderer, const cli_input *input,
                        cli_watch *watch, sn_error *error)
{
    memset(loaded, 0, sizeof *loaded);
    loaded->input = *input;
    cli_job_init(&loaded->job, session, &loaded->input, NULL);
    cli_watch_add(watch, input->path);
    loaded->job.on_read = cli_watch_add;
    loaded->job.on_read_user = watch;
    if (open_model(loaded, renderer, error)) return true;
    close_loaded(loaded);
    return false;
}

void cli_view_init(cli_view *view, cli_session *session, const cli_render_options *options,
                   const cli_settings *settings)
{
    memset(view, 0, sizeof *view);
    view->session = session;
    view->options = *options;
    view->node = view->camera = view->player.clip = -1;
    view->show = settings->show | (options->show & ~(uint32_t)SN_SHOW_WEIGHTS);
    view->panels = settings->panels;
    view->player = (cli_player){ .clip = -1, .speed = 1, .loop = settings->loop, .is_playing = true };
    sni_diag_init(&view->diag, NULL);
    sni_heap_init(&view->heap, NULL, UINT64_MAX);
    view->heap.diag = &view->diag;
    sni_arena *arenas[] = { &view->arena, &view->frame_arena, &view->watch_arena, &view->findings_arena,
                            &view->browser.arena };
    for (size_t i = 0; i < sizeof arenas / sizeof *arenas; i++) sni_arena_init(arenas[i], &view->heap);
    view->watch.arena = &view->watch_arena;
    view->browser.thumbs.session = session;
}

void cli_view_close(cli_view *view)
{
    if (view->shown) close_loaded(view->shown);
    view->shown = NULL;
    view->node = -1;
    cli_texture_close(&view->texture);
}

void cli_view_free(cli_view *view)
{
    cli_files_close(&view->files);
    sni_arena_free(&view->browser.arena);
    sni_arena_free(&view->findings_arena);
    sni_arena_free(&view->watch_arena);
    sni_arena_free(&view->frame_arena);
    sni_arena_free(&view->arena);
}

void cli_view_message(cli_view *view, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    vsnprintf(view->message, sizeof view->message, format, list);
    va_end(list);
    sni_text_clean_fixed(view->message, sizeof view->message);
    view->message_until = view->now + message_seconds;
    view->needs_drawing = true;
}

void cli_view_show_error(cli_view *view, const char *title, const sn_error *error)
{
    const char *text = cli_error_text(&view->frame_arena, error);
    view->error = *error;
    snprintf(view->error_text, sizeof view->error_text, "%s", text ? text : error->message);
    snprintf(view->error_title, sizeof view->error_title, "%.*s", (int)cli_cut(title, CLI_MESSAGE_BYTES - 1), title);
    sni_text_clean_fixed(view->error_title, sizeof view->error_title);
    view->needs_drawing = true;
}

static sn_render_camera current_camera(const cli_view *view)
{
    const cli_loaded_model *shown = view->shown;
    sn_bounds scene = shown ? shown->scene : (sn_bounds){ .radius = 1 };
    sn_render_camera camera;
    if (shown && sn_render_camera_from_model(shown->job.model, shown->pose, view->camera, &scene, &camera))
        return camera;
    return cli_orbit_camera(&view->orbit, &scene);
}

void cli_view_frame_clip(cli_view *view, float yaw, float pitch)
{
    cli_loaded_model *shown = view->shown;
    cli_box free = cli_layout_of(view).free;
    sn_render_camera camera;
    view->camera = -1;
    view->free = free;
    view->needs_drawing = true;
    if (!shown || !(free.width > 1 && free.height > 1)) return;
    sn_framing framing = sn_framing_begin(yaw, pitch, free.width / free.height);
    if (!cli_frame_clip(shown->job.model, shown->pose, view->player.clip, view->show, &framing, &shown->scene, &camera))
        return;
    view->orbit = cli_orbit_from_camera(&camera, yaw, pitch, &shown->scene);
    cli_orbit_fit_box(&view->orbit, free.x / view->width, free.y / view->height, free.width / view->width,
                      free.height / view->height, view->width / view->height);
    view->is_framed = true;
}

// Called before each frame and after each change of layout, so that clicks find what is drawn.
void cli_view_place(cli_view *view)
{
    cli_findings_update(view);
    cli_layout layout = cli_layout_of(view);
    view->tree_rows.box = layout.tree;
    view->clip_rows.box = layout.clips;
    view->finding_rows.box = layout.findings;
    cli_rows_scroll(&view->tree_rows, 0);
    cli_rows_scroll(&view->clip_rows, 0);
    cli_rows_scroll(&view->finding_rows, 0);
    if (!view->is_framed || cli_box_is_same(layout.free, view->free)) return;
    int32_t camera = view->camera;
    cli_view_frame_clip(view, view->orbit.yaw, view->orbit.pitch);
    view->camera = camera;
}

static void mark_keys(cli_view *view)
{
    const sn_model *model = cli_view_model(view);
    int32_t clip = view->player.clip;
    cli_ticks_make(&view->ticks, model && clip >= 0 ? &model->clips[clip] : NULL, view->node);
}

void cli_view_set_clip(cli_view *view, int32_t clip)
{
    cli_player_set_clip(&view->player, cli_view_model(view), clip);
    mark_keys(view);
    cli_layout layout = cli_layout_of(view);
    view->clip_rows.box = layout.clips;
    cli_rows_reveal(&view->clip_rows, (uint32_t)(view->player.clip + 1));
    view->needs_drawing = true;
}

// A camera of the model stays in use.
void cli_view_choose_clip(cli_view *view, int32_t clip)
{
    int32_t camera = view->camera;
    cli_view_set_clip(view, clip);
    cli_view_frame_clip(view, view->orbit.yaw, view->orbit.pitch);
    view->camera = camera;
}

void cli_view_report_image(cli_view *view, const sn_warning *warning)
{
    enum { MOST = 64 };
    cli_view_message(view, "image %.80s cannot be shown: %.80s", warning->path, warning->message);
    sn_warning *kept = view->image_reports.count < MOST ? sni_push(&view->watch_arena, &view->image_reports, sn_warning)
                                                        : NULL;
    if (!kept) return;
    *kept = *warning;
    kept->path = sni_copy_text(&view->watch_arena, warning->path, strlen(warning->path));
    kept->message = sni_copy_text(&view->watch_arena, warning->message, strlen(warning->message));
    if (!kept->path || !kept->message) view->image_reports.count--;
}

void cli_view_select(cli_view *view, int32_t node)
{
    view->node = node;
    view->needs_drawing = true;
    mark_keys(view);
    if (node < 0 || !view->shown) return;
    uint32_t row = cli_outline_reveal(&view->shown->tree, node);
    view->tree_rows.count = view->shown->tree.row_count;
    cli_rows_reveal(&view->tree_rows, row);
}

// What is kept when a file is reloaded. By name, because indices may have changed.
typedef struct cli_kept {
    char clip[CLI_MESSAGE_BYTES], node[CLI_MESSAGE_BYTES];
    bool has_clip, is_resting, has_node;
    float seconds;
} cli_kept;

static void keep_name(char out[CLI_MESSAGE_BYTES], const char *name)
{
    snprintf(out, CLI_MESSAGE_BYTES, "%.*s", (int)cli_cut(name, CLI_MESSAGE_BYTES - 1), name);
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

// The clip of --clip, else the one with the same name as before, else the default clip, else the first.
static int32_t first_clip(cli_view *view, const cli_kept *kept)
{
    const sn_model *model = cli_view_model(view);
    cli_clip_time asked;
    bool is_asked = cli_job_has(&view->shown->job, CLI_OPTION_CLIP);
    if (!kept->has_clip && !kept->is_resting && is_asked) {
        if (cli_read_clip_time(&view->shown->job, &asked)) return asked.clip;
        cli_view_message(view, "no clip named %s", view->session->args->values[CLI_OPTION_CLIP]);
    }
    int32_t clip = kept->has_clip ? sn_model_find_clip(model, kept->clip) : -1;
    if (clip >= 0 || model->clip_count == 0 || kept->is_resting) return clip;
    clip = sn_model_default_clip(model);
    return clip >= 0 ? clip : 0;
}

static int32_t first_node(cli_view *view, const cli_kept *kept)
{
    const char *asked = view->session->args->values[CLI_OPTION_WEIGHTS];
    const sn_model *model = cli_view_model(view);
    if (kept->has_node) return sn_model_find_node(model, kept->node);
    int32_t node = asked ? sn_model_find_node(model, asked) : -1;
    if (asked && node < 0) cli_view_message(view, "no bone named %s", asked);
    if (node >= 0) view->show |= SN_SHOW_WEIGHTS;
    return node;
}

static void set_model(cli_view *view, const cli_kept *kept, bool is_again)
{
    const sn_model *model = cli_view_model(view);
    view->tree_rows = (cli_rows){ .count = view->shown->tree.row_count };
    view->clip_rows = (cli_rows){ .count = model->clip_count + 1 };
    sn_pose_set_lod(view->shown->pose,
                    (int32_t)(view->options.lod < model->lod_count ? view->options.lod : model->lod_count - 1));
    cli_view_set_clip(view, first_clip(view, kept));
    cli_view_select(view, first_node(view, kept));
    cli_orbit orbit = view->orbit;
    int32_t camera = view->camera;
    bool is_framed = view->is_framed;
    cli_view_frame_clip(view, is_again ? orbit.yaw : view->options.yaw, is_again ? orbit.pitch : view->options.pitch);
    const char *asked = view->session->args->values[CLI_OPTION_CAMERA];
    bool has_view = cli_has(view->session->args, CLI_OPTION_VIEW);
    if (asked) view->camera = cli_find_camera(model, asked);
    else if (!has_view) view->camera = cli_default_camera(model, view->shown->job.file);
    if (!is_again) return;
    cli_player_seek(&view->player, kept->seconds);
    view->is_framed = is_framed;
    view->orbit = orbit;
    view->camera = camera < (int32_t)model->camera_count ? camera : -1;
}

// Loading blocks the window, so large files are announced.
static void show_loading(cli_view *view, const cli_input *input)
{
    const uint64_t large = 4 << 20;
    struct stat info = { 0 };
    sn_archive_entry entry;
    uint64_t size = 0;
    if (input->archive) size = sn_archive_find(input->archive, input->name, &entry) ? entry.size : 0;
    else if (stat(input->path, &info) == 0) size = (uint64_t)info.st_size;
    if (size < large || !view->present) return;
    cli_view_message(view, "loading %s", sni_last_name(input->name));
    view->present(view->present_user);
    view->message_until = view->now;
}

// False: it is a model, or it cannot be read and the error is filled.
static bool open_texture(cli_view *view, cli_texture *texture, const cli_input *input, sn_error *error)
{
    *error = (sn_error){ .status = SN_OK };
    if (!cli_is_image(input->name)) return false;
    cli_watch_add(&view->watch, input->path);
    return cli_texture_open(texture, view->session, view->renderer, input, error);
}

// A folder or an archive is listed; a single file is shown at once.
static void show_taken(cli_view *view)
{
    view->browser.is_open = false;
    if (view->files.is_collection) {
        cli_view_close(view);
        cli_browser_open(view);
    } else {
        cli_view_load(view, false);
    }
    cli_view_place(view);
    view->needs_drawing = true;
}

// If reloading fails the model stays. Another file replaces it in any case.
void cli_view_load(cli_view *view, bool is_again)
{
    const cli_input *input = cli_files_now(&view->files);
    cli_loaded_model *slot = view->shown == &view->slots[0] ? &view->slots[1] : &view->slots[0];
    sn_error error;
    if (!input) return;
    cli_kept kept = keep(view);
    view->error = (sn_error){ .status = SN_OK };
    show_loading(view, input);
    sn_search_refresh(view->session->search);  // files may have been added or removed
    sni_arena_free(&view->watch_arena);
    view->watch.files = view->image_reports = (sni_list){ 0 };
    view->findings_width = -1;  // the next model may have the same address
    cli_texture texture = { 0 };
    bool is_texture = open_texture(view, &texture, input, &error);
    bool is_open = !is_texture && error.status == SN_OK &&
                   open_loaded(slot, view->session, view->renderer, input, &view->watch, &error);
    if (is_open || is_texture || !is_again) {
        cli_view_close(view);
        view->texture = texture;
    }
    if (is_open) view->shown = slot;
    if (is_open) set_model(view, &kept, is_again);
    else if (!is_texture) cli_view_show_error(view, input->name, &error);
    cli_view_place(view);
    view->needs_drawing = true;
}

void cli_view_start(cli_view *view)
{
    const cli_args *args = view->session->args;
    sn_error error;
    float seconds;
    if (args->file_count == 0) return;
    if (!cli_files_take(&view->files, view->session, args->files, args->file_count, &view->arena, &error)) {
        cli_view_show_error(view, args->files[0], &error);
        return;
    }
    show_taken(view);
    if (!view->shown || !cli_has(args, CLI_OPTION_TIME) || !cli_parse_float(args->values[CLI_OPTION_TIME], &seconds))
        return;
    cli_player_seek(&view->player, seconds);
    view->player.is_playing = false;
}

void cli_view_step_file(cli_view *view, int by)
{
    uint32_t count = view->files.list.count;
    if (count < 2) {
        cli_view_message(view, "no other file");
        return;
    }
    view->files.at = (view->files.at + count + (uint32_t)(by > 0 ? 1 : count - 1)) % count;
    cli_view_load(view, false);
}

void cli_view_drop(cli_view *view, char *const *paths, int count)
{
    sn_error error;
    if (count <= 0) return;
    if (cli_files_take(&view->files, view->session, paths, count, &view->arena, &error)) show_taken(view);
    else cli_view_show_error(view, paths[0], &error);
}

static void reload_changed_files(cli_view *view)
{
    if (!cli_has(view->session->args, CLI_OPTION_WATCH) || view->now - view->watched_at < watch_seconds) return;
    view->watched_at = view->now;
    if (!cli_watch_changed(&view->watch)) return;
    cli_view_load(view, view->shown != NULL);
    if (view->shown && view->error.status == SN_OK) cli_view_message(view, "reloaded");
}

void cli_view_tick(cli_view *view, double now)
{
    float elapsed = (float)(now - view->now);
    bool had_message = view->now < view->message_until;
    view->now = now;
    if (had_message && now >= view->message_until) view->needs_drawing = true;
    if (cli_view_is_playing(view)) {
        cli_player_advance(&view->player, fminf(elapsed, longest_frame));
        float before = view->seconds_per_frame;
        view->seconds_per_frame = before > 0 ? before * 0.9f + elapsed * 0.1f : elapsed;
        view->needs_drawing = true;
    } else {
        view->seconds_per_frame = 0;
    }
    reload_changed_files(view);
    cli_browser_tick(view);
}

static uint32_t shown_overlays(const cli_view *view)
{
    uint32_t show = view->show;
    if (view->node < 0) show &= ~(uint32_t)SN_SHOW_WEIGHTS;
    if (view->node >= 0) show |= SN_SHOW_SELECTION;
    if (view->shown->job.model->part_count == 0) show |= SN_SHOW_SKELETON;
    return show;
}

static void solve(const sn_motion *motion, sn_pose *pose, const sn_view *view)
{
    if (motion) sn_motion_solve(motion, pose, view);
    else sn_pose_solve(pose, view);
}

// A model camera depends on the pose, and billboards depend on the camera: the pose is solved twice.
sn_render_camera cli_view_pose(const cli_view *view)
{
    const cli_player *player = &view->player;
    const sn_motion *motion = view->shown->motion;
    sn_pose *pose = view->shown->pose;
    sn_render_camera camera = current_camera(view);
    float seconds = cli_player_sample_time(player);
    if (motion) sn_motion_sample(motion, pose, player->clip, seconds, player->clock);
    else sn_pose_sample(pose, player->clip, seconds, player->clock);
    solve(motion, pose, &camera.view);
    if (view->camera < 0) return camera;
    camera = current_camera(view);
    solve(motion, pose, &camera.view);
    return camera;
}

sn_status cli_view_draw(cli_view *view, bool is_bare, sn_error *error)
{
    cli_canvas canvas = { .arena = &view->frame_arena,
                          .renderer = view->renderer,
                          .width = view->width,
                          .height = view->height,
                          .scale = view->scale };
    sn_frame frame = { .width = (uint32_t)(view->width * view->scale + 0.5f),
                       .height = (uint32_t)(view->height * view->scale + 0.5f),
                       .background = view->options.background,
                       .selected_node = view->node };
    sn_actor actor = { 0 };
    cli_view_place(view);
    bool has_model = view->shown && !view->browser.is_open;
    if (has_model) {
        actor = (sn_actor){ .drawable = view->shown->drawable, .pose = view->shown->pose };
        frame.actors = &actor;
        frame.actor_count = 1;
        frame.show = shown_overlays(view);
        frame.scene_bounds = view->shown->scene;
    }
    frame.camera = has_model ? cli_view_pose(view) : current_camera(view);
    sni_arena_free(&view->frame_arena);
    if (view->texture.image && !view->browser.is_open) cli_texture_draw(view, &canvas, is_bare);
    if (!is_bare) cli_draw_panels(view, &canvas);
    frame.rects = canvas.rects.items, frame.rect_count = canvas.rects.count;
    frame.labels = canvas.labels.items, frame.label_count = canvas.labels.count;
    return sn_render_draw(view->renderer, &frame, error);
}

// The first unused number.
static bool next_name(char name[32])
{
    for (int i = 1; i <= PICTURES_MAX; i++) {
        snprintf(name, 32, "sinew_%03d.png", i);
        if (access(name, F_OK) != 0) return true;
    }
    return false;
}

void cli_view_save_picture(cli_view *view, bool is_bare)
{
    char name[32];
    sn_pixels pixels = { 0 };
    sn_error error = { .status = SN_ERR_IO, .message = "sinew_001.png to sinew_9999.png already exist" };
    bool is_saved = next_name(name) && cli_view_draw(view, is_bare, &error) == SN_OK &&
                    sn_render_read(view->renderer, &pixels, &error) == SN_OK &&
                    sn_pixels_save(&pixels, name, &error) == SN_OK;
    sn_pixels_free(&pixels);
    if (is_saved) cli_view_message(view, "saved %s", name);
    else cli_view_show_error(view, "Cannot save the picture", &error);
}
