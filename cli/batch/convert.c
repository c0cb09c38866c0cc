// convert: one item loads and saves a model, unless the output is newer; then the report.
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "batch.h"

// What one save reports.
typedef struct cli_losses {
    const cli_session *session;
    cli_worker *worker;
    sni_list list;
    uint64_t bytes;  // written
} cli_losses;

static void keep_loss(void *user, const sn_warning *loss)
{
    cli_losses *losses = user;
    cli_item_keep_note(losses->worker, &losses->list, loss);
}

static bool is_stopping(void *user)
{
    const cli_losses *losses = user;
    return atomic_load(&losses->session->stop.is_stopping);
}

static void count_written(void *user, const char *path, uint64_t size)
{
    cli_losses *losses = user;
    (void)path;
    losses->bytes += size;
}

// A device or folder in the target's place would be lost or written through.
static bool is_free(const char *path, sn_error *error)
{
    struct stat info = { 0 };
    if (stat(path, &info) != 0 || S_ISREG(info.st_mode)) return true;
    *error = (sn_error){ .status = SN_ERR_IO, .message = "cannot write: not a regular file" };
    return false;
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
    char folder[PATH_MAX];
    if (!cli_parent_folder(item->out, folder, sizeof folder)) {
        *error = (sn_error){ .status = SN_ERR_IO, .message = "the path is too long" };
        return false;
    }
    if (folder[0] && sn_folder_create(folder, error) != SN_OK) return false;
    if (!is_free(item->out, error) || sn_save_file(model, item->out, opts, error) != SN_OK) return false;
    item->bytes = ((const cli_losses *)opts->user)->bytes;
    return true;
}

// The first failure that all other files would have too ends the run; those that fail beside it are not reported.
static void fail_saving(const cli_plan *plan, cli_item *item, const sn_error *error)
{
    cli_stop *stop = &plan->session->stop;
    bool is_full = plan->is_batch && cli_is_disk_full(error);
    if (error->status == SN_ERR_CANCELLED || (is_full && atomic_exchange(&stop->is_full, true))) return;
    cli_item_fail(item, item->culprit, error);
}

static void save(const cli_plan *plan, cli_item *item, const sn_model *model, cli_worker *worker)
{
    cli_losses losses = { .session = plan->session, .worker = worker };
    sn_save_opts opts = { .scale = plan->scale,
                          .keep_axes = cli_has(plan->args, CLI_OPTION_KEEP_AXES),
                          .no_visibility_tricks = cli_has(plan->args, CLI_OPTION_NO_VISIBILITY_TRICKS),
                          .max_influences = plan->max_influences,
                          .image_cache = plan->session->image_cache,
                          .memory_bytes = plan->session->max_memory / 4,
                          .image_pixels = cli_session_image_pixels(plan->session),
                          .report = keep_loss,
                          .wrote = count_written,
                          .cancelled = is_stopping,
                          .user = &losses };
    sn_error error = { 0 };
    item->culprit = item->out;
    cli_stop_begin_writing(&plan->session->stop, item->out);
    bool is_saved = (cli_is_dash(item->out) ? save_to_stdout : save_to_disk)(model, &opts, item, &error);
    cli_stop_end_writing(&plan->session->stop, item->out);
    if (is_saved && sni_failed(&worker->diag)) is_saved = false, error = worker->diag.error;
    sni_diag_init(&worker->diag, NULL);  // the next item may have memory
    if (!is_saved) {
        fail_saving(plan, item, &error);
        return;
    }
    item->outcome = item->is_empty ? CLI_EMPTY : CLI_CONVERTED;
    item->losses = losses.list;
    item->culprit = NULL;
}

static bool is_changed_after(const char *path, struct timespec time)
{
    struct stat info = { 0 };
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && cli_is_later(info.st_mtim, time);
}

// A .gltf that does not load, because its buffer is missing, is made again.
static bool is_up_to_date(const cli_item *item, struct timespec newest)
{
    if (!is_changed_after(item->out, newest) || !item->bin) return is_changed_after(item->out, newest);
    sn_model *model = sn_load_file(item->out, NULL, NULL);
    sn_model_free(model);
    return model != NULL;
}

// Only a .glb contains its buffers and textures. Other files must be loaded to know which files they refer to.
bool cli_may_name_others(const cli_item *item)
{
    return !cli_is_image(item->in) && (item->input.archive || !cli_has_ending(item->in, "glb"));
}

static bool is_skipped_unread(const cli_plan *plan, const cli_item *item)
{
    struct stat info = { 0 };
    if (!cli_has(plan->args, CLI_OPTION_NEWER) || cli_is_dash(item->in) || cli_is_dash(item->out)) return false;
    return !cli_may_name_others(item) && stat(item->in, &info) == 0 && is_up_to_date(item, info.st_mtim);
}

static void refuse_overwriting(cli_item *item, const char *target)
{
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    sni_fail(&diag, SN_ERR_IO, 0, "is an input of the model; it will not be overwritten");
    cli_item_fail(item, target, &diag.error);
    item->code = CLI_EXIT_USAGE;
}

static void convert_loaded(const cli_plan *plan, cli_item *item, cli_job *job, cli_worker *worker)
{
    if (cli_item_waits(plan, item, job, worker)) return;
    bool is_known = cli_has(plan->args, CLI_OPTION_NEWER) && !cli_is_dash(item->in) && job->targets[0];
    if (sni_failed(&job->diag)) cli_item_fail(item, item->in, &job->diag.error);
    else if (job->read_target) refuse_overwriting(item, job->read_target);
    else if (is_known && is_up_to_date(item, job->newest)) item->outcome = CLI_SKIPPED;
    else save(plan, item, job->model, worker);
}

// What decoding one image reports.
static void keep_warning(void *user, const sn_warning *warning)
{
    cli_losses *losses = user;
    cli_item_keep_note(losses->worker, &losses->list, warning);
}

static void convert_image(const cli_plan *plan, cli_item *item, cli_worker *worker)
{
    cli_session *session = plan->session;
    cli_losses losses = { .session = session, .worker = worker };
    sn_decode_opts opts = { .limits.memory_bytes = session->max_memory / 4, .report = keep_warning, .user = &losses };
    sn_bytes bytes;
    sn_pixels pixels = { 0 };
    sn_error error;
    item->culprit = item->in;
    bool is_good = cli_input_read(session, &item->input, &bytes, &error) &&
                   sn_image_decode(&(sn_image){ .data = bytes.data, .size = bytes.size }, &opts, &pixels, &error) ==
                       SN_OK;
    sn_bytes_free(&bytes);
    if (is_good) {
        char folder[PATH_MAX];
        item->culprit = item->out;
        cli_stop_begin_writing(&session->stop, item->out);
        is_good = cli_is_dash(item->out) ||
                  (cli_parent_folder(item->out, folder, sizeof folder) &&
                   (!folder[0] || sn_folder_create(folder, &error) == SN_OK) && is_free(item->out, &error));
        is_good = is_good && sn_pixels_save(&pixels, item->out, &error) == SN_OK;
        cli_stop_end_writing(&session->stop, item->out);
    }
    sn_pixels_free(&pixels);
    if (is_good && sni_failed(&worker->diag)) is_good = false, error = worker->diag.error;
    sni_diag_init(&worker->diag, NULL);
    item->warnings = losses.list;
    if (!is_good) {
        fail_saving(plan, item, &error);
        return;
    }
    struct stat info = { 0 };
    if (!cli_is_dash(item->out) && stat(item->out, &info) == 0) item->bytes = (uint64_t)info.st_size;
    item->outcome = CLI_CONVERTED;
    item->culprit = NULL;
}

static const sn_error *explain(const cli_item *item, sn_error *error)
{
    if (error->status == SN_ERR_FORMAT && cli_is_image(item->in))
        snprintf(error->message, sizeof error->message, "is an image, not a model; images become .png or .tga");
    return error;
}

static void convert_item(const cli_plan *plan, cli_item *item, cli_worker *worker)
{
    if (cli_item_is_done(plan, item)) return;
    if (is_skipped_unread(plan, item)) {
        item->outcome = CLI_SKIPPED;
        return;
    }
    if (plan->writes_images) {
        convert_image(plan, item, worker);
        return;
    }
    cli_job job;
    const char *report = plan->args->values[CLI_OPTION_REPORT];
    cli_job_init(&job, plan->session, &item->input, NULL);
    const char *targets[CLI_TARGET_COUNT] = { item->out, item->bin, report };
    for (int i = 0; i < CLI_TARGET_COUNT; i++)
        job.targets[i] = targets[i] && !cli_is_dash(targets[i]) ? targets[i] : NULL;
    job.stop = &plan->session->stop.is_stopping;
    if (cli_job_load(&job, false)) convert_loaded(plan, item, &job, worker);
    else if (job.error.status != SN_ERR_CANCELLED)
        cli_item_fail(item, job.culprit ? job.culprit : item->in, explain(item, &job.error));
    cli_job_free(&job);
}

static const char *shown_path(sni_arena *arena, const char *path, const char *for_dash)
{
    const char *shown = cli_is_dash(path) ? for_dash : cli_escape(arena, path);
    return shown ? shown : "";
}

// Escaped text is freed here, so that a long batch does not collect it.
static void report_error(const cli_item *item)
{
    cli_worker scratch;
    cli_worker_init(&scratch);
    const char *for_dash = item->culprit == item->in ? "<stdin>" : "<stdout>";
    const char *text = cli_error_text(&scratch.arena, &item->error);
    cli_complain("%s: %s", shown_path(&scratch.arena, item->culprit, for_dash), text ? text : "out of memory");
    sni_arena_free(&scratch.arena);
}

typedef struct cli_reporting {
    const cli_plan *plan;
    bool lacks_memory;
    cli_progress progress;
} cli_reporting;

static void report_item(void *user, const cli_item *item)
{
    cli_reporting *reporting = user;
    const cli_plan *plan = reporting->plan;
    if (item->outcome == CLI_FAILED) {
        cli_progress_clear(&reporting->progress);
        report_error(item);
    }
    if (item->warnings.count > 0) cli_progress_clear(&reporting->progress);
    reporting->lacks_memory |= !cli_item_report(plan, item);
}

static void put_item(sni_json_writer *json, const cli_item *item)
{
    sni_json_begin_object(json);
    cli_json_text(json, "in", item->in);
    sni_json_key(json, "out");
    if (item->out && item->outcome != CLI_JOINED) sni_json_put_text(json, item->out);
    else sni_json_put_raw(json, "null");
    cli_json_text(json, "status", cli_outcome_name(item->outcome));
    if (item->outcome == CLI_JOINED) cli_json_text(json, "into", item->into);
    cli_json_error(json, &item->error, item->culprit);
    cli_json_warnings(json, "warnings", item->warnings.items, item->warnings.count);
    cli_json_warnings(json, "losses", item->losses.items, item->losses.count);
    cli_json_integer(json, "bytes", (int64_t)item->bytes);
    sni_json_end(json);
}

// Schema sinew.convert/2.
static void put_report(const cli_plan *plan, sni_writer *out)
{
    const cli_tally tally = cli_plan_tally(plan);
    sni_json_writer json = sni_json_writer_make(out, true);
    sni_json_begin_object(&json);
    cli_json_text(&json, "schema", "sinew.convert/2");
    for (int i = CLI_WAITING; i < CLI_OUTCOMES; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_count", cli_outcome_name((cli_outcome)i));
        cli_json_integer(&json, key, tally.outcomes[i]);
    }
    cli_json_list(&json, "files");
    for (uint32_t i = 0; i < plan->items.count; i++) put_item(&json, &cli_plan_items(plan)[i]);
    sni_json_end(&json);
    sni_json_end(&json);
    sni_write_text(out, "\n");
}

static bool is_read_from(const cli_plan *plan, const char *path)
{
    for (uint32_t i = 0; i < plan->items.count; i++) {
        const cli_item *item = &cli_plan_items(plan)[i];
        if (item->outcome == CLI_FAILED && item->culprit == path) return true;
    }
    return false;
}

static int write_report(const cli_plan *plan)
{
    const char *path = plan->args->values[CLI_OPTION_REPORT];
    if (!path || is_read_from(plan, path)) return CLI_EXIT_OK;
    cli_worker scratch;
    sni_writer text;
    cli_worker_init(&scratch);
    sni_writer_init(&text, &scratch.heap);
    put_report(plan, &text);
    if (text.failed) sni_fail(&scratch.diag, SN_ERR_MEMORY, 0, "out of memory");
    cli_stop_begin_writing(&plan->session->stop, path);
    if (!text.failed) sn_file_write(path, text.data, text.size, &scratch.diag.error);
    cli_stop_end_writing(&plan->session->stop, path);
    if (sni_failed(&scratch.diag))
        cli_complain("%s: error: %s", shown_path(&scratch.arena, path, "<stdout>"), scratch.diag.error.message);
    int code = cli_exit_of(scratch.diag.error.status);
    sni_writer_free(&text);
    sni_arena_free(&scratch.arena);
    return code;
}

static int run_plan(cli_plan *plan, cli_out *out)
{
    cli_worker *workers = sni_new(plan->arena, cli_worker, plan->jobs);
    cli_reporting reporting = { .plan = plan };
    if (!workers) { return cli_no_memory(); }
    for (uint32_t i = 0; i < plan->jobs; i++) cli_worker_init(&workers[i]);
    cli_progress_init(&reporting.progress, plan->is_batch && !cli_has(plan->args, CLI_OPTION_QUIET));
    cli_plan_run(plan, workers, &reporting.progress, report_item, &reporting);
    if (cli_has(plan->args, CLI_OPTION_JSON)) put_report(plan, &out->text);
    int report_code = write_report(plan), code = cli_plan_exit_code(plan);
    cli_plan_summarize(plan, "converted");
    if (reporting.lacks_memory || sni_failed(plan->arena->heap->diag)) code = cli_no_memory();
    for (uint32_t i = 0; i < plan->jobs; i++) sni_arena_free(&workers[i].arena);
    return report_code != CLI_EXIT_OK ? report_code : code;
}

int cli_run_convert(cli_session *session, cli_out *out)
{
    cli_worker worker;
    cli_worker_init(&worker);
    cli_plan plan = { .session = session, .args = session->args, .arena = &worker.arena, .work = convert_item };
    int code = cli_plan_make(&plan);
    if (plan.is_batch) session->image_cache = sn_image_cache_create(NULL, session->max_memory / 16);
    if (code == CLI_EXIT_OK) code = run_plan(&plan, out);
    sni_arena_free(&worker.arena);
    return code;
}
