#include "render.h"

#include <limits.h>
#include <string.h>

#include "io/file.h"

// What the items of a run share.
typedef struct cli_run {
    cli_look look;
    sni_list *strips;
} cli_run;

static int fail_writing(cli_set *set, const char *path, const sn_error *error)
{
    const char *shown = cli_escape(&set->job.arena, path);
    cli_complain("%s: error: %s", shown ? shown : "", error->message);
    return cli_exit_of(error->status);
}

static int make_folder_of(cli_set *set, const char *path)
{
    sni_diag diag;
    char folder[PATH_MAX];
    size_t size = (size_t)(sni_last_name(path) - path);
    sni_diag_init(&diag, NULL);
    if (size == 0 || cli_is_dash(path)) return CLI_EXIT_OK;
    if (size >= sizeof folder) return CLI_EXIT_IO;
    memcpy(folder, path, size);
    folder[size] = 0;
    return sni_file_make_folders(folder, &diag) ? CLI_EXIT_OK : fail_writing(set, folder, &diag.error);
}

// walk.png, or the n-th of several: walk_007.png.
static const char *path_of(cli_set *set, const char *path, uint32_t index, uint32_t count)
{
    size_t stem = strlen(path) - strlen(".png");
    if (count == 1) return path;
    return cli_format(&set->job.arena, "%.*s_%03u%s", (int)stem, path, index, path + stem);
}

static int write_shots(cli_set *set, const sni_list *shots, const char *path)
{
    int code = make_folder_of(set, path);
    for (uint32_t i = 0; i < shots->count && code == CLI_EXIT_OK; i++) {
        sn_pixels pixels = { 0 };
        sn_error error;
        const char *target = path_of(set, path, i, shots->count);
        code = target ? cli_set_shoot(set, &((const cli_shot *)shots->items)[i], &pixels) : cli_plan_no_memory();
        if (code == CLI_EXIT_OK && sn_pixels_save(&pixels, target, &error) != SN_OK)
            code = fail_writing(set, target, &error);
        sn_pixels_free(&pixels);
    }
    return code;
}

static int shoot_film(cli_set *set, const sni_list *shots, sn_pixels *frames, float *seconds)
{
    int code = CLI_EXIT_OK;
    for (uint32_t i = 0; i < shots->count && code == CLI_EXIT_OK; i++) {
        const cli_shot *shot = &((const cli_shot *)shots->items)[i];
        seconds[i] = shot->seconds;
        code = cli_set_shoot(set, shot, &frames[i]);
    }
    return code;
}

static int write_film(cli_set *set, const sni_list *shots, const char *path)
{
    sn_error error;
    sn_pixels *frames = sni_new(&set->job.arena, sn_pixels, shots->count);
    float *seconds = sni_new(&set->job.arena, float, shots->count);
    int code = frames && seconds ? make_folder_of(set, path) : cli_plan_no_memory();
    if (code == CLI_EXIT_OK) code = shoot_film(set, shots, frames, seconds);
    if (code == CLI_EXIT_OK &&
        (set->studio->look->is_gif ? sn_pixels_save_gif : sn_pixels_save_apng)(frames, seconds, shots->count, path,
                                                                               &error) != SN_OK)
        code = fail_writing(set, path, &error);
    for (uint32_t i = 0; frames && i < shots->count; i++) sn_pixels_free(&frames[i]);
    return code;
}

static int render_set(cli_run *run, cli_set *set, const cli_plan *plan, cli_item *item, cli_keeper *keeper)
{
    sni_list shots = { 0 };
    if (set->job.read_target) {
        cli_complain("%s: the model is read from the output file; it will not be overwritten", set->job.shown);
        return CLI_EXIT_USAGE;
    }
    if (run->look.is_sheet) return cli_set_strips(set, &keeper->arena, &run->strips[item - cli_plan_items(plan)]);
    int code = cli_set_shots(set, set->moment.clip, &set->job.arena, &shots);
    if (code != CLI_EXIT_OK) return code;
    return (run->look.film_rate > 0 ? write_film : write_shots)(set, &shots, item->out);
}

// Each thread has a renderer of its own, made for its first item.
static int studio_of(const cli_plan *plan, cli_keeper *keeper, cli_studio **studio)
{
    const cli_run *run = plan->user;
    *studio = keeper->user;
    if (*studio) return CLI_EXIT_OK;
    *studio = sni_new(&keeper->arena, cli_studio, 1);
    int code = *studio ? cli_studio_open(*studio, plan->sources, &run->look) : cli_plan_no_memory();
    if (code == CLI_EXIT_OK) keeper->user = *studio;
    return code;
}

static void render_item(const cli_plan *plan, cli_item *item, cli_keeper *keeper)
{
    cli_set set;
    cli_studio *studio;
    if (item->outcome != CLI_WAITING) return;
    int code = studio_of(plan, keeper, &studio);
    if (code == CLI_EXIT_OK) {
        code = cli_set_open(&set, studio, &item->input, item->out);
        if (code == CLI_EXIT_OK) {
            code = render_set(plan->user, &set, plan, item, keeper);
            cli_set_close(&set);
        }
    }
    item->code = code;
    item->outcome = code == CLI_EXIT_OK ? CLI_CONVERTED : CLI_FAILED;
}

// A renderer belongs to the thread that made it, and goes with it.
static void leave_studio(cli_keeper *keeper)
{
    if (keeper->user) cli_studio_close(keeper->user);
    keeper->user = NULL;
}

static void ignore(void *user, const cli_item *item) { (void)user, (void)item; }

static int exit_code(const cli_plan *plan)
{
    int code = CLI_EXIT_OK;
    for (uint32_t i = 0; i < plan->items.count; i++) {
        const cli_item *item = &cli_plan_items(plan)[i];
        if (item->outcome == CLI_FAILED)
            code = plan->is_batch && item->code != CLI_EXIT_NO_GRAPHICS ? CLI_EXIT_FINDINGS : item->code;
    }
    return code;
}

static int run_plan(const cli_plan *plan, cli_run *run)
{
    cli_progress progress;
    cli_keeper *keepers = sni_new(plan->arena, cli_keeper, plan->jobs);
    run->strips = sni_new(plan->arena, sni_list, plan->items.count);
    if (!keepers || !run->strips) return cli_plan_no_memory();
    for (uint32_t i = 0; i < plan->jobs; i++) cli_keeper_init(&keepers[i]);
    cli_progress_init(&progress, plan->is_batch && !cli_has(plan->args, CLI_OPTION_QUIET));
    cli_plan_run(plan, keepers, &progress, ignore, NULL);
    int code = exit_code(plan);
    int sheet_code = run->look.is_sheet ? cli_sheet_write(&run->look, run->strips, plan->items.count, plan->arena,
                                                          cli_plan_items(plan)->out)
                                        : 0;
    for (uint32_t i = 0; i < plan->jobs; i++) {
        leave_studio(&keepers[i]);
        sni_arena_free(&keepers[i].arena);
    }
    return sheet_code != CLI_EXIT_OK ? sheet_code : code;
}

static const char *find_misuse(const cli_args *args)
{
    bool has_frames = cli_has(args, CLI_OPTION_FRAMES), is_sheet = cli_has(args, CLI_OPTION_SHEET),
         has_turns = cli_has(args, CLI_OPTION_TURNTABLE);
    const char *output = args->values[CLI_OPTION_OUTPUT];
    bool is_film = cli_has(args, CLI_OPTION_APNG) || cli_has(args, CLI_OPTION_GIF);
    if (cli_has(args, CLI_OPTION_APNG) && cli_has(args, CLI_OPTION_GIF))
        return "'--apng' and '--gif' are two films; ask for one";
    if (is_film && is_sheet) return "a sheet stands still; ask for it or for a film";
    if (is_film && !has_turns && !cli_has(args, CLI_OPTION_CLIP)) return "a film needs '--clip' or '--turntable'";
    if (is_film && !has_turns && cli_has(args, CLI_OPTION_TIME))
        return "'--time' is one moment, a film has many; ask for one";
    if (has_frames && !is_sheet && !cli_has(args, CLI_OPTION_CLIP))
        return "'--frames' needs '--clip': the rest pose has one";
    if (has_frames && has_turns) return "'--frames' and '--turntable' are two films; ask for one";
    if ((has_frames || has_turns) && !is_sheet && !is_film && cli_is_dash(output)) return "'-o -' takes one picture";
    if (cli_has(args, CLI_OPTION_TIME) && has_frames) return "'--time' is one moment, '--frames' are many; ask for one";
    return NULL;
}

int cli_run_render(cli_sources *sources, cli_out *out)
{
    const cli_args *args = sources->args;
    cli_keeper keeper;
    cli_run run = { 0 };
    (void)out;
    const char *misuse = find_misuse(args);
    if (misuse) cli_complain("%s", misuse);
    if (misuse || !cli_look_read(args, &run.look) || !cli_check_moment(args)) return CLI_EXIT_USAGE;
    cli_keeper_init(&keeper);
    cli_plan plan = { .sources = sources,
                      .args = args,
                      .arena = &keeper.arena,
                      .work = render_item,
                      .ending = run.look.is_gif ? "gif" : "png",
                      .is_joint = run.look.is_sheet,
                      .user = &run };
    int code = cli_plan_make(&plan);
    if (code == CLI_EXIT_OK) code = run_plan(&plan, &run);
    sni_arena_free(&keeper.arena);
    return code;
}
