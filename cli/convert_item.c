// convert, one file: loaded, saved beside its target, then renamed, so that the old output stays until the new is
// whole.
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "convert.h"
#include "io/file.h"

// What one save writes: the .bin first, then the .gltf, whose change is what --newer looks at.
typedef struct cli_saving {
    const cli_item *item;
    cli_keeper *keeper;
    sni_list losses;
    sni_diag diag;
    const char *culprit;
    const char *paths[2];
    char staged[2][PATH_MAX];
    uint32_t count;
    uint64_t bytes;
} cli_saving;

void cli_keeper_init(cli_keeper *keeper)
{
    keeper->user = NULL;
    sni_diag_init(&keeper->diag, NULL);
    sni_heap_init(&keeper->heap, NULL, UINT64_MAX);
    keeper->heap.diag = &keeper->diag;
    sni_arena_init(&keeper->arena, &keeper->heap);
}

void cli_item_fail(cli_item *item, const char *culprit, const sn_error *error)
{
    item->outcome = CLI_FAILED;
    item->culprit = culprit;
    item->error = *error;
    item->code = cli_exit_of(error->status);
}

static void keep_note(cli_keeper *keeper, sni_list *list, const sn_warning *note)
{
    sn_warning *kept = sni_push(&keeper->arena, list, sn_warning);
    const char *path = sni_copy_text(&keeper->arena, note->path, strlen(note->path));
    const char *message = sni_copy_text(&keeper->arena, note->message, strlen(note->message));
    if (!kept) return;
    *kept = *note;
    kept->path = path ? path : "";
    kept->message = message ? message : "";
}

static void keep_loss(void *user, const sn_warning *loss)
{
    cli_saving *saving = user;
    keep_note(saving->keeper, &saving->losses, loss);
}

// A device or folder in the target's place would be lost or written through.
static bool is_free(cli_saving *saving, const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || S_ISREG(info.st_mode)) return true;
    return sni_fail(&saving->diag, SN_ERR_IO, 0, "cannot write: what has this name is not a regular file");
}

static bool stage(void *user, const char *name, const void *data, size_t size)
{
    cli_saving *saving = user;
    const cli_item *item = saving->item;
    bool is_bin = item->bin && strcmp(name, sni_last_name(item->bin)) == 0;
    const char *path = is_bin ? item->bin : item->out;
    saving->culprit = path;
    saving->bytes += size;
    if (cli_is_dash(path)) return sni_file_write(path, data, size, &saving->diag);
    if (saving->count == 2 || !is_free(saving, path)) return false;
    saving->paths[saving->count] = path;
    return sni_file_stage(path, data, size, saving->staged[saving->count++], PATH_MAX, &saving->diag);
}

static bool make_folder_of(cli_saving *saving, const char *path)
{
    const char *name = sni_last_name(path);
    char folder[PATH_MAX] = "";
    if (name == path) return true;
    if ((size_t)(name - path) >= sizeof folder) return sni_fail(&saving->diag, SN_ERR_IO, 0, "the path is too long");
    memcpy(folder, path, (size_t)(name - path));
    return sni_file_make_folders(folder, &saving->diag);
}

static bool commit(cli_saving *saving)
{
    bool is_done = true;
    for (uint32_t i = 0; i < saving->count; i++) {
        saving->culprit = saving->paths[i];
        if (is_done) is_done = sni_file_commit(saving->staged[i], saving->paths[i], &saving->diag);
        else sni_file_discard(saving->staged[i]);
    }
    return is_done;
}

static void discard(cli_saving *saving)
{
    for (uint32_t i = 0; i < saving->count; i++) sni_file_discard(saving->staged[i]);
}

static void save(const cli_plan *plan, cli_item *item, const sn_model *model, cli_keeper *keeper)
{
    cli_saving saving = { .item = item, .keeper = keeper, .culprit = item->out };
    sn_save_opts opts = { .keep_axes = cli_has(plan->args, CLI_OPTION_KEEP_AXES),
                          .max_influences = plan->max_influences,
                          .report = keep_loss,
                          .write = stage,
                          .user = &saving };
    sn_error error = { 0 };
    bool is_stdout = cli_is_dash(item->out);
    sni_diag_init(&saving.diag, NULL);
    bool is_saved = make_folder_of(&saving, item->out) &&
                    sn_save_file(model, is_stdout ? "stdout.glb" : item->out, &opts, &error) == SN_OK;
    if (is_saved && sni_failed(&keeper->diag)) is_saved = false, error = keeper->diag.error;
    if (!is_saved) discard(&saving);
    if (is_saved && commit(&saving)) {
        item->outcome = CLI_CONVERTED;
        item->losses = saving.losses;
        item->bytes = saving.bytes;
        return;
    }
    cli_item_fail(item, saving.culprit, sni_failed(&saving.diag) ? &saving.diag.error : &error);
}

static bool is_changed_after(const char *path, struct timespec moment)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && cli_is_later(info.st_mtim, moment);
}

// A .gltf without its .bin may be what a broken run left, so it is made again.
static bool is_up_to_date(const cli_item *item, struct timespec newest)
{
    return is_changed_after(item->out, newest) && (!item->bin || is_changed_after(item->bin, newest));
}

// Only a .glb has its buffers and textures inside: of others only loading tells whether one of them has changed.
bool cli_may_name_others(const cli_item *item) { return item->input.place.archive || !cli_has_ending(item->in, "glb"); }

static bool is_skipped_unread(const cli_plan *plan, const cli_item *item)
{
    struct stat info;
    if (!cli_has(plan->args, CLI_OPTION_NEWER) || cli_is_dash(item->in) || cli_is_dash(item->out)) return false;
    return !cli_may_name_others(item) && stat(item->in, &info) == 0 && is_up_to_date(item, info.st_mtim);
}

static void refuse_overwriting(cli_item *item, const char *target)
{
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    sni_fail(&diag, SN_ERR_IO, 0, "the model is read from it; it will not be overwritten");
    cli_item_fail(item, target, &diag.error);
    item->code = CLI_EXIT_USAGE;
}

static void convert_loaded(const cli_plan *plan, cli_item *item, const cli_job *job, cli_keeper *keeper)
{
    bool is_known = cli_has(plan->args, CLI_OPTION_NEWER) && !cli_is_dash(item->in) && job->targets[0];
    for (uint32_t i = 0; i < job->model->warning_count; i++)
        keep_note(keeper, &item->warnings, &job->model->warnings[i]);
    if (sni_failed(&job->diag)) cli_item_fail(item, item->in, &job->diag.error);
    else if (job->read_target) refuse_overwriting(item, job->read_target);
    else if (is_known && is_up_to_date(item, job->newest)) item->outcome = CLI_SKIPPED;
    else save(plan, item, job->model, keeper);
}

void cli_item_convert(const cli_plan *plan, cli_item *item, cli_keeper *keeper)
{
    if (item->outcome != CLI_WAITING) return;
    if (is_skipped_unread(plan, item)) {
        item->outcome = CLI_SKIPPED;
        return;
    }
    cli_job job;
    const char *report = plan->args->values[CLI_OPTION_REPORT];
    cli_job_init(&job, plan->sources, &item->input, NULL);
    const char *targets[CLI_TARGET_COUNT] = { item->out, item->bin, report };
    for (int i = 0; i < CLI_TARGET_COUNT; i++)
        job.targets[i] = targets[i] && !cli_is_dash(targets[i]) ? targets[i] : NULL;
    if (cli_job_load(&job, false)) convert_loaded(plan, item, &job, keeper);
    else cli_item_fail(item, item->in, &job.error);
    cli_job_free(&job);
}
