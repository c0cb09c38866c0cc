#include "render.h"

#include <stdlib.h>
#include <string.h>

static int tell(cli_job *job, const sn_error *error, int code)
{
    const char *text = cli_error_text(&job->arena, error);
    cli_complain("%s: %s", job->shown, text ? text : "out of memory");
    return code;
}

static int fail(cli_set *set, const sn_error *error)
{
    return tell(&set->job, error,
                error->status == SN_ERR_UNSUPPORTED ? CLI_EXIT_NO_GRAPHICS : cli_exit_of(error->status));
}

static int fail_memory(cli_set *set)
{
    const sn_error error = { .status = SN_ERR_MEMORY, .message = "out of memory" };
    return fail(set, &error);
}

static void report(void *user, const sn_warning *warning)
{
    sni_arena arena;
    sni_heap heap;
    (void)user;
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_arena_init(&arena, &heap);
    const char *path = cli_escape(&arena, warning->path), *message = cli_escape(&arena, warning->message);
    if (path && message) cli_complain("image '%s' cannot be shown: %s", path, message);
    sni_arena_free(&arena);
}

int cli_studio_open(cli_studio *studio, cli_sources *sources, const cli_look *look)
{
    sn_error error;
    sn_render_opts opts = { .report = report, .fonts = getenv("SINEW_FONT") };
    *studio = (cli_studio){ .sources = sources, .look = look };
    studio->renderer = sn_renderer_create(&opts, &error);
    if (studio->renderer) return CLI_EXIT_OK;
    cli_complain("%s", error.message);
    return error.status == SN_ERR_UNSUPPORTED ? CLI_EXIT_NO_GRAPHICS : cli_exit_of(error.status);
}

void cli_studio_close(cli_studio *studio) { sn_renderer_free(studio->renderer); }

static int check_lod(cli_set *set)
{
    uint32_t count = set->job.model->lod_count, lod = set->studio->look->lod;
    if (lod < count) return CLI_EXIT_OK;
    cli_complain("%s: no level of detail %u; %s", set->job.shown, lod,
                 count == 1 ? "there is only 0" : "there are fewer");
    return CLI_EXIT_USAGE;
}

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

static int find_camera(cli_set *set)
{
    const char *name = set->job.args->values[CLI_OPTION_CAMERA];
    set->camera = name ? cli_find_camera(set->job.model, name) : -1;
    if (!name || set->camera >= 0) return CLI_EXIT_OK;
    const char *shown = cli_escape(&set->job.arena, name);
    cli_complain("%s: no camera '%s'; there are %u", set->job.shown, shown ? shown : "", set->job.model->camera_count);
    return CLI_EXIT_USAGE;
}

static int find_weights(cli_set *set)
{
    const char *name = set->job.args->values[CLI_OPTION_WEIGHTS];
    set->frame.weights_node = name ? sn_model_find_node(set->job.model, name) : -1;
    if (!name || set->frame.weights_node >= 0) return CLI_EXIT_OK;
    const char *shown = cli_escape(&set->job.arena, name);
    cli_complain("%s: no bone '%s'; 'sinew tree' lists them", set->job.shown, shown ? shown : "");
    return CLI_EXIT_USAGE;
}

static int begin(cli_set *set)
{
    sn_error error;
    cli_job *job = &set->job;
    const cli_look *look = set->studio->look;
    if (!cli_job_load(job, false)) return cli_job_fail(job);
    if (!cli_read_moment(job, &set->moment)) return cli_complain_of_clip(job);
    int code = check_lod(set);
    if (code != CLI_EXIT_OK) return code;
    set->drawable = sn_drawable_create(set->studio->renderer, job->model, &error);
    if (!set->drawable) return fail(set, &error);
    set->pose = sn_pose_create(job->model, NULL, NULL);
    if (!set->pose) return fail_memory(set);
    set->upright = sn_model_upright(job->model);
    sn_pose_set_root(set->pose, &set->upright);
    sn_pose_set_lod(set->pose, (int32_t)look->lod);
    set->actor = (sn_actor){ .drawable = set->drawable, .pose = set->pose };
    set->frame = (sn_frame){ .width = look->width,
                             .height = look->height,
                             .background = look->background,
                             .show = look->show,
                             .actors = &set->actor,
                             .actor_count = 1 };
    if (job->model->part_count == 0) set->frame.show |= SN_SHOW_SKELETON;
    code = find_camera(set);
    return code == CLI_EXIT_OK ? find_weights(set) : code;
}

int cli_set_open(cli_set *set, cli_studio *studio, const cli_input *input, const char *target)
{
    memset(set, 0, sizeof *set);
    set->studio = studio;
    cli_job_init(&set->job, studio->sources, input, NULL);
    if (target && strcmp(target, "-") != 0) set->job.targets[0] = target;
    int code = begin(set);
    if (code != CLI_EXIT_OK) cli_set_close(set);
    return code;
}

void cli_set_close(cli_set *set)
{
    sn_pose_free(set->pose);
    sn_drawable_free(set->drawable);
    cli_job_free(&set->job);
}

int cli_set_shoot(cli_set *set, const cli_shot *shot, sn_pixels *pixels)
{
    sn_error error;
    sn_frame *frame = &set->frame;
    frame->eye = shot->eye;
    sn_pose_sample(set->pose, shot->moment.clip, shot->moment.seconds, shot->moment.seconds);
    sn_pose_solve(set->pose, &shot->eye.view);
    if (sn_eye_of_camera(set->job.model, set->pose, set->camera, &frame->stage, &frame->eye))
        sn_pose_solve(set->pose, &frame->eye.view);
    if (sn_render_draw(set->studio->renderer, frame, &error) != SN_OK) return fail(set, &error);
    if (sn_render_read(set->studio->renderer, pixels, &error) != SN_OK) return fail(set, &error);
    return CLI_EXIT_OK;
}

int cli_set_aim(cli_set *set, int32_t clip, sn_eye *eye)
{
    const cli_look *look = set->studio->look;
    sn_framing framing = sn_framing_begin(look->yaw, look->pitch, (float)set->frame.width / (float)set->frame.height);
    return cli_aim(set->job.model, set->pose, clip, look->show, &framing, &set->frame.stage, eye) ? CLI_EXIT_OK
                                                                                                  : fail_memory(set);
}
