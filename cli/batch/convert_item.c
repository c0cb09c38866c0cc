// convert, one file: loaded and saved, unless the output is newer.
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "batch.h"

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

typedef struct cli_losses {
    cli_keeper *keeper;
    sni_list list;
} cli_losses;

static void keep_loss(void *user, const sn_warning *loss)
{
    cli_losses *losses = user;
    keep_note(losses->keeper, &losses->list, loss);
}

// A device or folder in the target's place would be lost or written through.
static bool is_free(const char *path, sn_error *error)
{
    struct stat info;
    if (!path || stat(path, &info) != 0 || S_ISREG(info.st_mode)) return true;
    *error = (sn_error){ .status = SN_ERR_IO, .message = "cannot write: not a regular file" };
    return false;
}

static uint64_t file_size(const char *path)
{
    struct stat info;
    return path && stat(path, &info) == 0 && info.st_size > 0 ? (uint64_t)info.st_size : 0;
}

static bool save_to_stdout(const sn_model *model, const sn_save_opts *opts, cli_item *item, sn_error *error)
{
    sn_bytes bytes;
    if (sn_save_memory(model, "glb", opts, &bytes, error) != SN_OK) return false;
    item->bytes = bytes.size;
    bool is_written = sn_file_write("-", bytes.data, bytes.size, error) == SN_OK;
    sn_bytes_free(&bytes);
    return is_written;
}

static bool save_to_disk(const sn_model *model, const sn_save_opts *opts, cli_item *item, sn_error *error)
{
    const char *name = sni_last_name(item->out);
    char folder[PATH_MAX];
    if ((size_t)(name - item->out) >= sizeof folder) {
        *error = (sn_error){ .status = SN_ERR_IO, .message = "the path is too long" };
        return false;
    }
    snprintf(folder, sizeof folder, "%.*s", (int)(name - item->out), item->out);
    if (folder[0] && sn_folder_create(folder, error) != SN_OK) return false;
    if (!is_free(item->out, error)) return false;
    if (!is_free(item->bin, error)) {
        item->culprit = item->bin;
        return false;
    }
    if (sn_save_file(model, item->out, opts, error) != SN_OK) return false;
    item->bytes = file_size(item->out) + file_size(item->bin);
    return true;
}

static void save(const cli_plan *plan, cli_item *item, const sn_model *model, cli_keeper *keeper)
{
    cli_losses losses = { .keeper = keeper };
    sn_save_opts opts = { .keep_axes = cli_has(plan->args, CLI_OPTION_KEEP_AXES),
                          .max_influences = plan->max_influences,
                          .report = keep_loss,
                          .user = &losses };
    sn_error error = { 0 };
    item->culprit = item->out;
    bool is_saved = (cli_is_dash(item->out) ? save_to_stdout : save_to_disk)(model, &opts, item, &error);
    if (is_saved && sni_failed(&keeper->diag)) is_saved = false, error = keeper->diag.error;
    if (!is_saved) {
        cli_item_fail(item, item->culprit, &error);
        return;
    }
    item->outcome = CLI_CONVERTED;
    item->losses = losses.list;
    item->culprit = NULL;
}

static bool is_changed_after(const char *path, struct timespec time)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && cli_is_later(info.st_mtim, time);
}

// A .gltf without its .bin may be what a broken run left, so it is made again.
static bool is_up_to_date(const cli_item *item, struct timespec newest)
{
    return is_changed_after(item->out, newest) && (!item->bin || is_changed_after(item->bin, newest));
}

// Only a .glb has its buffers and textures inside: of others only loading tells whether one of them has changed.
bool cli_may_name_others(const cli_item *item) { return item->input.archive || !cli_has_ending(item->in, "glb"); }

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
