// Thumbnails, drawn by a thread of their own with its own renderer. The window asks for those it shows and gets
// finished pictures; the least recently shown are forgotten.
#include "view.h"

#include "cli/elements.h"

#include <math.h>
#include <string.h>
#include <sys/resource.h>

enum { MEMORY_MAX = 512 << 20, PIXELS_MAX = 48 << 20 };  // of one model, of its images
static const double draw_seconds = 5;

typedef struct drawing {
    const cli_thumbs *thumbs;
    double begun;
} drawing;

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool is_too_long(void *user)
{
    const drawing *of = user;
    return atomic_load(&of->thumbs->is_stopping) || seconds_now() - of->begun > draw_seconds;
}

// A model with its default clip, through its default camera. The pose is at the start of the clip.
static bool draw_model(const cli_thumbs *thumbs, sn_renderer *renderer, cli_job *job, uint32_t side, sn_pixels *pixels,
                       sn_error *error)
{
    if (!cli_job_load(job, false) || !cli_job_can_show(job)) {
        *error = job->error;
        return false;
    }
    const sn_model *model = job->model;
    sn_drawable *drawable = sn_drawable_create(renderer, model, error);
    sn_pose *pose = drawable ? sn_pose_create(model, NULL, error) : NULL;
    bool is_good = pose != NULL;
    if (is_good) {
        int32_t clip = sn_model_default_clip(model);
        sn_mat34 upright = sn_model_upright(model);
        sn_actor actor = { .drawable = drawable, .pose = pose };
        drawing of = { thumbs, seconds_now() };
        sn_frame frame = { .width = side,
                           .height = side,
                           .actors = &actor,
                           .actor_count = 1,
                           .show = model->part_count == 0 ? SN_SHOW_SKELETON : 0,
                           .selected_node = -1,
                           .cancelled = is_too_long,
                           .user = &of };
        sn_framing framing = sn_framing_begin(SN_VIEW_YAW, SN_VIEW_PITCH, 1);
        sn_pose_set_root(pose, &upright);
        is_good = cli_frame_time(model, pose, clip, 0, 0, &framing, &frame.scene_bounds, &frame.camera);
        if (!is_good) *error = (sn_error){ .status = SN_ERR_MEMORY, .message = "out of memory" };
        sn_pose_solve(pose, &frame.camera.view);
        if (sn_render_camera_from_model(model, pose, cli_default_camera(model, job->file), &frame.scene_bounds,
                                        &frame.camera))
            sn_pose_solve(pose, &frame.camera.view);
        is_good = is_good && sn_render_draw(renderer, &frame, error) == SN_OK &&
                  sn_render_read(renderer, pixels, error) == SN_OK;
        if (!is_good && error->status == SN_ERR_CANCELLED)
            *error = (sn_error){ .status = SN_ERR_LIMIT, .message = "a picture takes too long" };
    }
    sn_pose_free(pose);
    sn_drawable_free(drawable);
    return is_good;
}

static bool draw_texture(cli_session *session, sn_renderer *renderer, const cli_input *input, uint32_t side,
                         sn_pixels *pixels, sn_error *error)
{
    cli_texture texture;
    if (!cli_texture_open(&texture, session, renderer, input, error)) return false;
    float scale = (float)side / (float)(texture.width > texture.height ? texture.width : texture.height),
          wide = (float)texture.width * scale, high = (float)texture.height * scale;
    const sn_rect rect = {
        ((float)side - wide) / 2, ((float)side - high) / 2, wide, high, { 1, 1, 1, 1 }, texture.image
    };
    const sn_frame frame = { .width = side,
                             .height = side,
                             .camera = { .view = { .back = { 0, 0, 1 } }, .fov_y = 1, .near_plane = 1, .far_plane = 2 },
                             .rects = &rect,
                             .rect_count = 1 };
    bool is_good = sn_render_draw(renderer, &frame, error) == SN_OK && sn_render_read(renderer, pixels, error) == SN_OK;
    cli_texture_close(&texture);
    return is_good;
}

static void make(cli_thumbs *thumbs, sn_renderer *renderer, const cli_thumb_request *request, cli_thumb_result *result)
{
    sn_error error = { .status = SN_OK };
    cli_job job;
    cli_job_init(&job, thumbs->session, &request->input, NULL);
    job.max_memory = MEMORY_MAX;
    job.stop = &thumbs->is_stopping;
    bool is_good = cli_is_image(request->input.name)
                       ? draw_texture(thumbs->session, renderer, &request->input, request->side, &result->pixels,
                                      &error)
                       : draw_model(thumbs, renderer, &job, request->side, &result->pixels, &error);
    const char *text = is_good ? "" : cli_error_text(&job.arena, &error);
    snprintf(result->error, sizeof result->error, "%.*s", (int)cli_cut(text, sizeof result->error - 1), text);
    cli_job_free(&job);
}

// The lock is held by the caller.
static bool take_request(cli_thumbs *thumbs, cli_thumb_request *request)
{
    if (thumbs->request_count == 0 || thumbs->result_count == CLI_THUMB_RESULTS) return false;
    *request = thumbs->requests[0];
    thumbs->request_count--;
    memmove(thumbs->requests, thumbs->requests + 1, thumbs->request_count * sizeof *request);
    thumbs->in_work = request->file;
    return true;
}

// Below the window's priority. Threads of a software driver inherit it.
static void *work(void *user)
{
    cli_thumbs *thumbs = user;
    sn_error error = { .status = SN_OK };
    setpriority(PRIO_PROCESS, 0, 10);
    sn_renderer *renderer = sn_renderer_create(&(sn_render_opts){ .image_pixels = PIXELS_MAX }, &error);
    pthread_mutex_lock(&thumbs->mutex);
    while (!atomic_load(&thumbs->is_stopping)) {
        cli_thumb_request request;
        if (!take_request(thumbs, &request)) {
            pthread_cond_wait(&thumbs->changed, &thumbs->mutex);
            continue;
        }
        pthread_mutex_unlock(&thumbs->mutex);
        cli_thumb_result result = { .file = request.file, .generation = request.generation };
        if (renderer) make(thumbs, renderer, &request, &result);
        else snprintf(result.error, sizeof result.error, "%s", error.message);
        pthread_mutex_lock(&thumbs->mutex);
        thumbs->results[thumbs->result_count++] = result;
        thumbs->in_work = UINT32_MAX;
        if (thumbs->wake) thumbs->wake();
    }
    pthread_mutex_unlock(&thumbs->mutex);
    sn_renderer_free(renderer);
    return NULL;
}

static void start(cli_thumbs *thumbs)
{
    if (thumbs->has_worker) return;
    pthread_mutex_init(&thumbs->mutex, NULL);
    pthread_cond_init(&thumbs->changed, NULL);
    atomic_store(&thumbs->is_stopping, false);
    thumbs->in_work = UINT32_MAX;
    thumbs->has_worker = pthread_create(&thumbs->worker, NULL, work, thumbs) == 0;
}

void cli_thumbs_stop(cli_thumbs *thumbs)
{
    if (thumbs->has_worker) {
        pthread_mutex_lock(&thumbs->mutex);
        atomic_store(&thumbs->is_stopping, true);
        pthread_cond_broadcast(&thumbs->changed);
        pthread_mutex_unlock(&thumbs->mutex);
        pthread_join(thumbs->worker, NULL);
        pthread_mutex_destroy(&thumbs->mutex);
        pthread_cond_destroy(&thumbs->changed);
    }
    for (uint32_t i = 0; i < thumbs->result_count; i++) sn_pixels_free(&thumbs->results[i].pixels);
    thumbs->result_count = thumbs->request_count = 0;
    thumbs->has_worker = false;
    cli_thumbs_forget(thumbs);
}

void cli_thumbs_forget(cli_thumbs *thumbs)
{
    for (uint32_t i = 0; i < CLI_THUMBS_MAX; i++) sn_render_image_free(thumbs->list[i].image);
    memset(thumbs->list, 0, sizeof thumbs->list);
}

cli_thumb *cli_thumbs_find(cli_thumbs *thumbs, uint32_t file)
{
    for (uint32_t i = 0; i < CLI_THUMBS_MAX; i++)
        if (thumbs->list[i].is_used && thumbs->list[i].file == file) return &thumbs->list[i];
    return NULL;
}

// A free place, or that of the least recently shown.
cli_thumb *cli_thumbs_place(cli_thumbs *thumbs, uint32_t file)
{
    cli_thumb *oldest = &thumbs->list[0];
    for (uint32_t i = 1; i < CLI_THUMBS_MAX && oldest->is_used; i++) {
        cli_thumb *thumb = &thumbs->list[i];
        if (!thumb->is_used || thumb->shown_at < oldest->shown_at) oldest = thumb;
    }
    sn_render_image_free(oldest->image);
    *oldest = (cli_thumb){ .is_used = true, .file = file, .shown_at = thumbs->clock };
    return oldest;
}

bool cli_thumbs_collect(cli_thumbs *thumbs, sn_renderer *renderer, uint32_t generation)
{
    cli_thumb_result results[CLI_THUMB_RESULTS];
    if (!thumbs->has_worker) return false;
    pthread_mutex_lock(&thumbs->mutex);
    uint32_t count = thumbs->result_count;
    memcpy(results, thumbs->results, count * sizeof *results);
    thumbs->result_count = 0;
    if (count > 0) pthread_cond_signal(&thumbs->changed);
    pthread_mutex_unlock(&thumbs->mutex);
    for (uint32_t i = 0; i < count; i++) {
        sn_error error = { .status = SN_OK };
        if (results[i].generation == generation && !cli_thumbs_find(thumbs, results[i].file)) {
            cli_thumb *thumb = cli_thumbs_place(thumbs, results[i].file);
            snprintf(thumb->error, sizeof thumb->error, "%s", results[i].error);
            if (!thumb->error[0]) thumb->image = sn_render_image_create(renderer, &results[i].pixels, &error);
            if (!thumb->image && !thumb->error[0]) snprintf(thumb->error, sizeof thumb->error, "%s", error.message);
        }
        sn_pixels_free(&results[i].pixels);
    }
    return count > 0;
}

void cli_thumbs_ask(cli_thumbs *thumbs, const cli_thumb_request *requests, uint32_t count)
{
    start(thumbs);
    if (!thumbs->has_worker) return;
    pthread_mutex_lock(&thumbs->mutex);
    thumbs->request_count = 0;
    for (uint32_t i = 0; i < count && i < CLI_THUMB_REQUESTS; i++) {
        bool is_coming = requests[i].file == thumbs->in_work;
        for (uint32_t k = 0; k < thumbs->result_count; k++)
            is_coming = is_coming || thumbs->results[k].file == requests[i].file;
        if (!is_coming) thumbs->requests[thumbs->request_count++] = requests[i];
    }
    if (thumbs->request_count > 0) pthread_cond_signal(&thumbs->changed);
    pthread_mutex_unlock(&thumbs->mutex);
}
