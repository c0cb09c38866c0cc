// The render command: plans the outputs, draws them with several threads, writes the files.
#include "render.h"

#include <limits.h>
#include <string.h>

// Shared by all items of a run.
typedef struct cli_run {
    cli_render_options options;
    sni_list *strips;  // per item, of a sheet
} cli_run;

static int fail_writing(cli_scene *scene, const char *path, const sn_error *error)
{
    const char *shown = cli_escape(&scene->job.arena, path);
    bool is_full = cli_is_disk_full(error),
         was_full = is_full && atomic_exchange(&scene->job.session->stop.is_full, true);
    if (!was_full) cli_complain("%s: error: %s", shown ? shown : "", error->message);
    return cli_exit_of(error->status);
}

static int make_parent_folder(cli_scene *scene, const char *path)
{
    sn_error error = { .status = SN_ERR_IO, .message = "the path is too long" };
    char folder[PATH_MAX];
    if (!cli_parent_folder(path, folder, sizeof folder)) return fail_writing(scene, path, &error);
    if (!folder[0] || cli_is_dash(path)) return CLI_EXIT_OK;
    return sn_folder_create(folder, &error) == SN_OK ? CLI_EXIT_OK : fail_writing(scene, folder, &error);
}

// Several pictures are numbered: walk_007.png.
static int write_pictures(cli_scene *scene, const sni_list *shots, const char *path)
{
    int stem = (int)(strlen(path) - strlen(".png"));
    int code = make_parent_folder(scene, path);
    for (uint32_t i = 0; i < shots->count && code == CLI_EXIT_OK && !cli_stop_wanted(&scene->job.session->stop); i++) {
        sn_pixels pixels = { 0 };
        sn_error error;
        const char *target = path;
        if (shots->count > 1) target = cli_format(&scene->job.arena, "%.*s_%03u%s", stem, path, i, path + stem);
        code = target ? cli_scene_draw(scene, &((const cli_shot *)shots->items)[i], &pixels) : cli_no_memory();
        cli_stop_begin_writing(&scene->job.session->stop, path);
        if (code == CLI_EXIT_OK && sn_pixels_save(&pixels, target, &error) != SN_OK)
            code = fail_writing(scene, target, &error);
        cli_stop_end_writing(&scene->job.session->stop, path);
        sn_pixels_free(&pixels);
    }
    return code;
}

static int write_animation(cli_scene *scene, const sni_list *shots, const char *path)
{
    sn_error error = { .status = SN_OK };
    sn_pixels *frames = sni_new(&scene->job.arena, sn_pixels, shots->count);
    float *seconds = sni_new(&scene->job.arena, float, shots->count);
    int code = frames && seconds ? make_parent_folder(scene, path) : cli_no_memory();
    for (uint32_t i = 0; i < shots->count && code == CLI_EXIT_OK && !cli_stop_wanted(&scene->job.session->stop); i++) {
        const cli_shot *shot = &((const cli_shot *)shots->items)[i];
        seconds[i] = shot->seconds;
        code = cli_scene_draw(scene, shot, &frames[i]);
    }
    if (code == CLI_EXIT_OK && !cli_stop_wanted(&scene->job.session->stop)) {
        cli_stop_begin_writing(&scene->job.session->stop, path);
        if (scene->context->options->is_gif) sn_pixels_save_gif(frames, seconds, shots->count, path, &error);
        else sn_pixels_save_apng(frames, seconds, shots->count, path, &error);
        cli_stop_end_writing(&scene->job.session->stop, path);
        if (error.status != SN_OK) code = fail_writing(scene, path, &error);
    }
    for (uint32_t i = 0; frames && i < shots->count; i++) sn_pixels_free(&frames[i]);
    return code;
}

static int render_scene(cli_run *run, cli_scene *scene, const cli_plan *plan, cli_item *item, cli_worker *worker)
{
    sni_list shots = { 0 };
    if (scene->job.read_target) {
        cli_complain("%s: the output file is an input of this model; it is not overwritten", scene->job.shown);
        return CLI_EXIT_USAGE;
    }
    if (run->options.is_sheet)
        return cli_scene_draw_strips(scene, &worker->arena, &run->strips[item - cli_plan_items(plan)]);
    bool is_chosen = cli_job_has(&scene->job, CLI_OPTION_CLIP);
    int code = is_chosen ? cli_scene_frame(scene, scene->clip_time.clip, scene->clip_time.clip)
                         : cli_scene_frame_time(scene);
    if (code == CLI_EXIT_OK) code = cli_scene_list_shots(scene, scene->clip_time.clip, &scene->job.arena, &shots);
    if (code != CLI_EXIT_OK) return code;
    return (run->options.animation_rate > 0 ? write_animation : write_pictures)(scene, &shots, item->out);
}

// A worker's renderer is created for its first item.
static void render_item(const cli_plan *plan, cli_item *item, cli_worker *worker)
{
    cli_run *run = plan->user;
    cli_render_context *context = worker->user;
    int code = CLI_EXIT_OK;
    if (cli_item_is_done(plan, item)) return;
    if (!context) {
        context = sni_new(&worker->arena, cli_render_context, 1);
        code = context ? cli_render_context_open(context, plan->session, &run->options) : cli_no_memory();
        if (code == CLI_EXIT_OK) worker->user = context;
    }
    if (code == CLI_EXIT_OK) {
        cli_scene scene;
        code = cli_scene_open(&scene, context, &item->input, item->out);
        if (code == CLI_EXIT_OK) {
            if (cli_item_waits(plan, item, &scene.job, worker)) {
                cli_scene_close(&scene);
                return;
            }
            code = render_scene(run, &scene, plan, item, worker);
            cli_scene_close(&scene);
        }
    }
    item->code = code;
    item->outcome = code != CLI_EXIT_OK ? CLI_FAILED : item->is_empty ? CLI_EMPTY : CLI_CONVERTED;
}

static void report_item(void *user, const cli_item *item) { cli_item_report(user, item); }

static int run_plan(cli_plan *plan, cli_run *run)
{
    cli_progress progress;
    cli_worker *workers = sni_new(plan->arena, cli_worker, plan->jobs);
    run->strips = sni_new(plan->arena, sni_list, plan->items.count);
    if (!workers || !run->strips) return cli_no_memory();
    for (uint32_t i = 0; i < plan->jobs; i++) cli_worker_init(&workers[i]);
    cli_progress_init(&progress, plan->is_batch && !cli_has(plan->args, CLI_OPTION_QUIET));
    cli_plan_run(plan, workers, &progress, report_item, plan);
    cli_plan_summarize(plan, "drawn");

    int code = cli_plan_exit_code(plan), sheet_code = CLI_EXIT_OK;
    if (run->options.is_sheet && !cli_stop_wanted(&plan->session->stop))
        sheet_code = cli_sheet_write(plan->session, &run->options, run->strips, plan->items.count, plan->arena,
                                     cli_plan_items(plan)->out);
    for (uint32_t i = 0; i < plan->jobs; i++) {
        if (workers[i].user) cli_render_context_close(workers[i].user);
        sni_arena_free(&workers[i].arena);
    }
    return sheet_code != CLI_EXIT_OK ? sheet_code : code;
}

// Options that cannot be combined. NULL: all is well.
static const char *find_misuse(const cli_args *args)
{
    bool has_frames = cli_has(args, CLI_OPTION_FRAMES), is_sheet = cli_has(args, CLI_OPTION_SHEET),
         has_turns = cli_has(args, CLI_OPTION_TURNTABLE), has_clip = cli_has(args, CLI_OPTION_CLIP),
         has_time = cli_has(args, CLI_OPTION_TIME), is_apng = cli_writes_apng(args), is_gif = cli_writes_gif(args),
         is_animation = is_apng || is_gif;
    if (is_apng && is_gif) return "an animation is either a GIF or an animated PNG";
    if (is_animation && is_sheet) return "'--sheet' writes a .png, not an animation";
    if (is_animation && !has_turns && !has_clip) return "an animation needs '--clip' or '--turntable'";
    if (is_animation && !has_turns && has_time) return "'--time' cannot be combined with an animation of a clip";
    if (has_frames && !is_sheet && !has_clip) return "'--frames' needs '--clip'";
    if (has_frames && has_turns) return "'--frames' and '--turntable' cannot be combined";
    if ((has_frames || has_turns) && !is_sheet && !is_animation && cli_is_dash(args->values[CLI_OPTION_OUTPUT]))
        return "'-o -' takes one picture, not several";
    if (has_time && has_frames) return "'--time' and '--frames' cannot be combined";
    return NULL;
}

static bool has_apng_ending(const cli_args *args)
{
    const char *output = args->values[CLI_OPTION_OUTPUT];
    return output && cli_has_ending(output, "apng");
}

int cli_run_render(cli_session *session, cli_out *out)
{
    const cli_args *args = session->args;
    cli_worker main_worker;
    cli_run run = { 0 };
    (void)out;
    const char *misuse = find_misuse(args);
    if (misuse) cli_complain("%s", misuse);
    if (misuse || !cli_render_options_read(args, &run.options) || !cli_check_clip_time(args)) return CLI_EXIT_USAGE;
    cli_worker_init(&main_worker);
    cli_plan plan = { .session = session,
                      .args = args,
                      .arena = &main_worker.arena,
                      .work = render_item,
                      .ending = run.options.is_gif      ? "gif"
                                : has_apng_ending(args) ? "apng"
                                                        : "png",
                      .is_joint = run.options.is_sheet,
                      .is_numbered = !run.options.is_sheet && run.options.animation_rate == 0 &&
                                     run.options.frames + run.options.turns > 1,
                      .user = &run };
    int code = cli_plan_make(&plan);
    run.options.workers = plan.is_batch ? plan.jobs : 1;
    if (code == CLI_EXIT_OK) code = run_plan(&plan, &run);
    sni_arena_free(&main_worker.arena);
    return code;
}
