// One loaded model: its renderer and pose, the camera that frames a clip, and the pictures that the options ask for.
#include "render.h"

#include "cli/elements.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int fail(cli_scene *scene, const sn_error *error)
{
    const char *text = cli_error_text(&scene->job.arena, error);
    cli_complain("%s: %s", scene->job.shown, text ? text : "out of memory");
    return error->status == SN_ERR_UNSUPPORTED ? CLI_EXIT_NO_GRAPHICS : cli_exit_of(error->status);
}

static int fail_memory(cli_scene *scene)
{
    const sn_error error = { .status = SN_ERR_MEMORY, .message = "out of memory" };
    return fail(scene, &error);
}

static void report(void *user, const sn_warning *warning)
{
    sni_arena arena;
    sni_heap heap;
    const cli_render_context *context = user;
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_arena_init(&arena, &heap);
    const char *path = cli_escape(&arena, warning->path), *message = cli_escape(&arena, warning->message);
    if (path && message) cli_complain("%s: image '%s' cannot be shown: %s", context->shown, path, message);
    sni_arena_free(&arena);
}

int cli_render_context_open(cli_render_context *context, cli_session *session, const cli_render_options *options)
{
    sn_error error;
    sn_render_opts opts = { .report = report,
                            .user = context,
                            .fonts = getenv("SINEW_FONT"),
                            .image_pixels = cli_session_image_pixels(session) };
    *context = (cli_render_context){ .session = session, .options = options, .shown = "" };
    context->renderer = sn_renderer_create(&opts, &error);
    if (context->renderer) {
        cli_pin_driver_threads(context->renderer);
        return CLI_EXIT_OK;
    }
    cli_complain("%s", error.message);
    return error.status == SN_ERR_UNSUPPORTED ? CLI_EXIT_NO_GRAPHICS : cli_exit_of(error.status);
}

void cli_render_context_close(cli_render_context *context) { sn_renderer_free(context->renderer); }

int32_t cli_find_camera(const sn_model *model, const char *wanted)
{
    for (uint32_t i = 0; i < model->camera_count; i++)
        if (strcmp(model->cameras[i].name, wanted) == 0) return (int32_t)i;
    uint32_t index = 0;
    for (const char *at = wanted; *at; at++) {
        if (*at < '0' || *at > '9' || index >= model->camera_count) return -1;
        index = index * 10 + (uint32_t)(*at - '0');
    }
    return wanted[0] && index < model->camera_count ? (int32_t)index : -1;
}

static int find_camera(cli_scene *scene)
{
    const char *name = scene->job.args->values[CLI_OPTION_CAMERA];
    bool has_view = cli_job_has(&scene->job, CLI_OPTION_VIEW) || cli_job_has(&scene->job, CLI_OPTION_TURNTABLE);
    scene->camera = name ? cli_find_camera(scene->job.model, name) : -1;
    if (!name && !has_view) scene->camera = cli_default_camera(scene->job.model, scene->job.file);
    if (!name || scene->camera >= 0) return CLI_EXIT_OK;
    const char *shown = cli_escape(&scene->job.arena, name);
    cli_complain("%s: no camera '%s'; the model has %u", scene->job.shown, shown ? shown : "",
                 scene->job.model->camera_count);
    return CLI_EXIT_USAGE;
}

static int find_weights(cli_scene *scene)
{
    const char *name = scene->job.args->values[CLI_OPTION_WEIGHTS];
    scene->frame.selected_node = name ? sn_model_find_node(scene->job.model, name) : -1;
    if (!name || scene->frame.selected_node >= 0) return CLI_EXIT_OK;
    const char *shown = cli_escape(&scene->job.arena, name);
    cli_complain("%s: no bone '%s'; 'sinew tree' lists all bones", scene->job.shown, shown ? shown : "");
    return CLI_EXIT_USAGE;
}

static double processor_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static bool is_too_long(void *user)
{
    const cli_scene *scene = user;
    return atomic_load(&scene->context->session->stop.is_stopping) ||
           processor_seconds() - scene->begun > scene->most_seconds;
}

// A few kilobytes can describe thousands of triangles that each cover the picture.
static double most_seconds(const cli_render_options *options, const sn_model *model)
{
    double seconds = options->max_seconds;
    if (seconds == 0) seconds = 3 + 0.2e-6 * options->width * options->height;
    for (uint32_t i = 0; options->max_seconds == 0 && i < model->mesh_count; i++)
        seconds += 0.5e-5 * ((double)model->meshes[i].vertex_count + model->meshes[i].index_count);
    return seconds * options->workers;  // the clock is that of the process
}

static int begin(cli_scene *scene)
{
    sn_error error;
    cli_job *job = &scene->job;
    const cli_render_options *options = scene->context->options;
    if (!cli_job_load(job, false) || !cli_job_can_show(job)) return cli_job_fail(job);
    if (!cli_read_clip_time(job, &scene->clip_time)) return cli_complain_of_clip(job);
    if (!cli_job_has(job, CLI_OPTION_CLIP)) scene->clip_time.clip = sn_model_default_clip(job->model);
    if (options->lod >= job->model->lod_count) {
        cli_complain("%s: no level of detail %u; the model has %u, counted from 0", job->shown, options->lod,
                     job->model->lod_count);
        return CLI_EXIT_USAGE;
    }
    scene->drawable = sn_drawable_create(scene->context->renderer, job->model, &error);
    if (!scene->drawable) return fail(scene, &error);
    scene->pose = sn_pose_create(job->model, NULL, NULL);
    if (!scene->pose) return fail_memory(scene);
    sn_mat34 upright = sn_model_upright(job->model);
    sn_pose_set_root(scene->pose, &upright);
    sn_pose_set_lod(scene->pose, (int32_t)options->lod);
    scene->actor = (sn_actor){ .drawable = scene->drawable, .pose = scene->pose };
    scene->frame = (sn_frame){ .width = options->width,
                               .height = options->height,
                               .background = options->background,
                               .show = options->show,
                               .actors = &scene->actor,
                               .actor_count = 1,
                               .cancelled = is_too_long,
                               .user = scene };
    scene->most_seconds = most_seconds(options, job->model);
    if (job->model->part_count == 0) scene->frame.show |= SN_SHOW_SKELETON;
    int code = find_camera(scene);
    return code == CLI_EXIT_OK ? find_weights(scene) : code;
}

int cli_scene_open(cli_scene *scene, cli_render_context *context, const cli_input *input, const char *target)
{
    memset(scene, 0, sizeof *scene);
    scene->context = context;
    cli_job_init(&scene->job, context->session, input, NULL);
    if (target && strcmp(target, "-") != 0) scene->job.targets[0] = target;
    scene->job.stop = &context->session->stop.is_stopping;
    context->shown = scene->job.shown;
    int code = begin(scene);
    if (code != CLI_EXIT_OK) cli_scene_close(scene);
    return code;
}

void cli_scene_close(cli_scene *scene)
{
    scene->context->shown = "";
    sn_pose_free(scene->pose);
    sn_drawable_free(scene->drawable);
    cli_job_free(&scene->job);
}

static sn_framing begin_framing(const cli_scene *scene)
{
    const cli_render_options *options = scene->context->options;
    return sn_framing_begin(options->yaw, options->pitch, (float)scene->frame.width / (float)scene->frame.height);
}

int cli_scene_frame(cli_scene *scene, int32_t first, int32_t last)
{
    sn_framing framing = begin_framing(scene);
    for (int32_t clip = first; clip <= last; clip++)
        if (!cli_framing_add_clip(scene->job.model, scene->pose, clip, scene->context->options->show, &framing))
            return fail_memory(scene);
    scene->fitted = sn_framing_end(&framing);
    scene->frame.scene_bounds = cli_framing_bounds(&framing);
    return CLI_EXIT_OK;
}

int cli_scene_frame_time(cli_scene *scene)
{
    sn_framing framing = begin_framing(scene);
    bool is_good = cli_frame_time(scene->job.model, scene->pose, scene->clip_time.clip, scene->clip_time.seconds,
                                  scene->context->options->show, &framing, &scene->frame.scene_bounds, &scene->fitted);
    return is_good ? CLI_EXIT_OK : fail_memory(scene);
}

static const float full_turn = 6.283185307f;

static sn_vec3 rotate_y(sn_vec3 v, float angle)
{
    float c = cosf(angle), s = sinf(angle);
    return (sn_vec3){ v.x * c + v.z * s, v.y, v.z * c - v.x * s };
}

// Rotates the camera about the vertical axis through `center`.
static sn_render_camera rotate_camera(sn_render_camera camera, sn_vec3 center, float angle)
{
    sn_vec3 from = { camera.view.position.x - center.x, camera.view.position.y, camera.view.position.z - center.z };
    from = rotate_y(from, angle);
    camera.view.position = (sn_vec3){ from.x + center.x, from.y, from.z + center.z };
    camera.view.right = rotate_y(camera.view.right, angle);
    camera.view.up = rotate_y(camera.view.up, angle);
    camera.view.back = rotate_y(camera.view.back, angle);
    return camera;
}

// Sees the scene from every side.
static sn_render_camera turntable_camera(const cli_scene *scene)
{
    const sn_bounds *bounds = &scene->frame.scene_bounds;
    float x = (bounds->max.x - bounds->min.x) / 2, z = (bounds->max.z - bounds->min.z) / 2,
          radius = sqrtf(x * x + z * z);
    sn_bounds around = *bounds;
    around.min.x = bounds->center.x - radius, around.max.x = bounds->center.x + radius;
    around.min.z = bounds->center.z - radius, around.max.z = bounds->center.z + radius;
    sn_render_camera camera = sn_render_camera_fit(&around, 0, scene->context->options->pitch,
                                                   (float)scene->frame.width / (float)scene->frame.height);
    return rotate_camera(camera, bounds->center, scene->context->options->yaw);
}

static bool add_shot(sni_arena *arena, sni_list *shots, cli_shot shot)
{
    cli_shot *added = sni_push(arena, shots, cli_shot);
    if (added) *added = shot;
    return added != NULL;
}

// A looping clip ends one step before its first frame; any other clip ends with its last frame.
static bool add_frames(const cli_scene *scene, int32_t clip, uint32_t count, sn_render_camera camera, sni_arena *arena,
                       sni_list *shots)
{
    const sn_clip *of = &scene->job.model->clips[clip];
    float steps = of->loops || count == 1 ? (float)count : (float)(count - 1), step = of->duration / steps;
    for (uint32_t i = 0; i < count; i++)
        if (!add_shot(arena, shots, (cli_shot){ { clip, step * (float)i }, camera, step })) return false;
    return true;
}

static bool add_turns(const cli_scene *scene, cli_clip_time clip_time, uint32_t count, sni_arena *arena,
                      sni_list *shots)
{
    sn_render_camera camera = turntable_camera(scene);
    for (uint32_t i = 0; i < count; i++) {
        float angle = full_turn * (float)i / (float)count;
        if (!add_shot(arena, shots,
                      (cli_shot){ clip_time, rotate_camera(camera, scene->frame.scene_bounds.center, angle),
                                  4.0f / (float)count }))
            return false;
    }
    return true;
}

// --frames, else the duration times the rate of the animation.
static uint32_t frame_count(const cli_scene *scene, int32_t clip)
{
    const cli_render_options *options = scene->context->options;
    if (options->frames > 0 || options->animation_rate == 0 || clip < 0) return options->frames;
    float count = ceilf(scene->job.model->clips[clip].duration * (float)options->animation_rate - 1e-3f);
    return count < 1.0f ? 1 : count > CLI_ANIMATION_MAX ? CLI_ANIMATION_MAX : (uint32_t)count;
}

int cli_scene_list_shots(cli_scene *scene, int32_t clip, sni_arena *arena, sni_list *shots)
{
    const cli_render_options *options = scene->context->options;
    cli_clip_time clip_time = { clip, scene->clip_time.seconds };
    bool is_good = true;
    if (options->turns > 0) is_good = add_turns(scene, clip_time, options->turns, arena, shots);
    else if (frame_count(scene, clip) > 0 && clip >= 0)
        is_good = add_frames(scene, clip, frame_count(scene, clip), scene->fitted, arena, shots);
    else if (options->frames > 1 && options->is_sheet)
        is_good = add_turns(scene, clip_time, options->frames, arena, shots);
    else is_good = add_shot(arena, shots, (cli_shot){ clip_time, scene->fitted, 1 });
    return is_good ? CLI_EXIT_OK : cli_no_memory();
}

int cli_scene_draw(cli_scene *scene, const cli_shot *shot, sn_pixels *pixels)
{
    sn_error error;
    sn_frame *frame = &scene->frame;
    frame->camera = shot->camera;
    sn_pose_sample(scene->pose, shot->clip_time.clip, shot->clip_time.seconds, shot->clip_time.seconds);
    sn_pose_solve(scene->pose, &shot->camera.view);
    if (sn_render_camera_from_model(scene->job.model, scene->pose, scene->camera, &frame->scene_bounds, &frame->camera))
        sn_pose_solve(scene->pose, &frame->camera.view);
    scene->begun = processor_seconds();
    if (sn_render_draw(scene->context->renderer, frame, &error) == SN_ERR_CANCELLED) {
        error.status = SN_ERR_LIMIT;
        snprintf(error.message, sizeof error.message, "drawing takes more than %.1f s; --max-seconds allows more",
                 scene->most_seconds);
    }
    if (error.status != SN_OK) return fail(scene, &error);
    if (sn_render_read(scene->context->renderer, pixels, &error) != SN_OK) return fail(scene, &error);
    return CLI_EXIT_OK;
}
