#include "render.h"

#include <math.h>
#include <string.h>

static int tell(cli_job *job, const sn_error *error, int code)
{
    const char *text = cli_error_text(&job->arena, error);
    cli_complain("%s: %s", job->shown, text ? text : "out of memory");
    return code;
}

static int fail(cli_set *set, const sn_error *error)
{
    return tell(&set->job, error, error->status == SN_ERR_UNSUPPORTED ? CLI_EXIT_NO_GRAPHICS : cli_exit_of(error->status));
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
    sn_render_opts opts = { .report = report };
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
    cli_complain("%s: no level of detail %u; %s", set->job.shown, lod, count == 1 ? "there is only 0" : "there are fewer");
    return CLI_EXIT_USAGE;
}

static int32_t camera_of(const sn_model *model, const char *wanted)
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
    set->camera = name ? camera_of(set->job.model, name) : -1;
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
    set->pose = sn_pose_create(job->model, NULL);
    if (!set->pose) return fail_memory(set);
    set->upright = sn_model_upright(job->model);
    sn_pose_set_root(set->pose, &set->upright);
    sn_pose_set_lod(set->pose, (int32_t)look->lod);
    set->actor = (sn_actor){ .drawable = set->drawable, .pose = set->pose };
    set->frame = (sn_frame){ .width = look->width, .height = look->height, .background = look->background, .show = look->show,
                             .actors = &set->actor, .actor_count = 1 };
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
    if (sn_eye_of_camera(set->job.model, set->pose, set->camera, &frame->stage, &frame->eye)) sn_pose_solve(set->pose, &frame->eye.view);
    if (sn_render_draw(set->studio->renderer, frame, &error) != SN_OK) return fail(set, &error);
    if (sn_render_read(set->studio->renderer, pixels, &error) != SN_OK) return fail(set, &error);
    return CLI_EXIT_OK;
}

// Of a skeleton by itself all nodes; else those with a flag.
static void add_nodes(const cli_set *set, uint32_t flags, sn_framing *framing)
{
    for (uint32_t i = 0; i < set->job.model->node_count; i++) {
        if (flags && !(set->job.model->nodes[i].flags & flags)) continue;
        sn_mat34 world = sn_pose_world(set->pose, (int32_t)i);
        sn_vec3 at = { world.m[0][3], world.m[1][3], world.m[2][3] };
        sn_framing_add(framing, &at, 1);
    }
}

static sn_bounds stage_of(const sn_framing *framing)
{
    sn_bounds stage = { .min = framing->min, .max = framing->max };
    if (!(stage.min.x <= stage.max.x)) return (sn_bounds){ 0 };
    float x = (stage.max.x - stage.min.x) / 2, y = (stage.max.y - stage.min.y) / 2, z = (stage.max.z - stage.min.z) / 2;
    stage.center = (sn_vec3){ stage.min.x + x, stage.min.y + y, stage.min.z + z };
    stage.radius = sqrtf(x * x + y * y + z * z);
    return stage;
}

// A clip is looked at in this many places; what moves farther in between has the margin.
enum { AIM_SAMPLES = 16 };

// Box and sphere of the pose, where they are shown too.
static void add_bounds(const cli_set *set, sn_framing *framing)
{
    sn_bounds b = sn_pose_bounds(set->pose);
    const sn_vec3 c = b.center;
    const sn_vec3 points[] = { b.min, b.max, { b.min.x, b.min.y, b.max.z }, { b.min.x, b.max.y, b.min.z }, { b.max.x, b.min.y, b.min.z },
                               { b.max.x, b.max.y, b.min.z }, { b.max.x, b.min.y, b.max.z }, { b.min.x, b.max.y, b.max.z },
                               { c.x - b.radius, c.y, c.z }, { c.x + b.radius, c.y, c.z }, { c.x, c.y - b.radius, c.z },
                               { c.x, c.y + b.radius, c.z }, { c.x, c.y, c.z - b.radius }, { c.x, c.y, c.z + b.radius } };
    sn_framing_add(framing, points, sizeof points / sizeof *points);
}

int cli_set_aim(cli_set *set, int32_t clip, sn_eye *eye)
{
    const sn_model *model = set->job.model;
    const cli_look *look = set->studio->look;
    int samples = clip < 0 ? 1 : AIM_SAMPLES;
    sn_framing framing = sn_framing_begin(look->yaw, look->pitch, (float)set->frame.width / (float)set->frame.height);
    for (int i = 0; i < samples; i++) {
        float seconds = clip < 0 ? 0 : model->clips[clip].duration * (float)i / (float)(samples - 1);
        sn_pose_sample(set->pose, clip, seconds, seconds);
        sn_pose_solve(set->pose, &framing.view);
        if (sn_framing_add_pose(&framing, set->pose, model, NULL) != SN_OK) return fail_memory(set);
        if (model->part_count == 0) add_nodes(set, 0, &framing);
        if (look->show & SN_SHOW_ATTACHMENTS) add_nodes(set, SN_NODE_ATTACHMENT, &framing);
        if (look->show & SN_SHOW_BOUNDS) add_bounds(set, &framing);
    }
    *eye = sn_framing_end(&framing);
    set->frame.stage = stage_of(&framing);
    return CLI_EXIT_OK;
}
