// convert: one item loads and saves a model, unless the output is newer; then the report.
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/map.h"
#include "batch.h"

// What one save reports.
typedef struct cli_losses {
    const cli_session *session;
    cli_worker *worker;
    sni_list list;
    uint64_t bytes;  // written
    const cli_plan *plan;
    cli_item *item;
    const sni_list *reads;  // cli_file_id
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

static void refuse_overwriting(cli_item *item, const char *target, const sn_error *error)
{
    cli_item_fail(item, target, error);
    if (error->status == SN_ERR_IO) item->code = CLI_EXIT_USAGE;
}

static bool may_write(void *user, const char *path)
{
    cli_losses *losses = user;
    sn_error error;
    const bool is_claimed = cli_claim(losses->plan, losses->item, losses->reads, path, &error);
    if (is_claimed && is_free(path, &error)) return true;
    const char *copy = sni_copy_text(&losses->worker->arena, path, strlen(path));
    if (!is_claimed) refuse_overwriting(losses->item, copy ? copy : "", &error);
    else cli_item_fail(losses->item, copy ? copy : "", &error);
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

// Out of memory is an error, even if all is written: the report would lack the hash.
static bool hash_output(cli_item *item)
{
    sn_error error = { 0 };
    item->output_hash = cli_file_hash(item->out, &error);
    if (error.status == SN_ERR_MEMORY) cli_item_fail(item, item->out, &error);
    return error.status != SN_ERR_MEMORY;
}

static void save(const cli_plan *plan, cli_item *item, const cli_job *job, const sni_list *reads, cli_worker *worker)
{
    static const char *const animations[] = { "raw", "timecoded", "adaptive" };
    static const char *const textures[] = { [SN_TEXTURES_BLP] = "blp",
                                            [SN_TEXTURES_BLP_JPEG] = "blp-jpeg",
                                            [SN_TEXTURES_DDS] = "dds",
                                            [SN_TEXTURES_TGA] = "tga",
                                            [SN_TEXTURES_PNG] = "png" };
    cli_losses losses = { .session = plan->session, .worker = worker, .plan = plan, .item = item, .reads = reads };
    sn_save_opts opts = { .scale = plan->scale,
                          .keep_axes = cli_has(plan->args, CLI_OPTION_KEEP_AXES),
                          .no_visibility_tricks = cli_has(plan->args, CLI_OPTION_NO_VISIBILITY_TRICKS),
                          .strict = cli_has(plan->args, CLI_OPTION_STRICT),
                          .max_influences = plan->max_influences,
                          .mdx_version = plan->mdx_version,
                          .skeleton = plan->user,
                          .image_cache = plan->session->image_cache,
                          .memory_bytes = plan->session->max_memory / 4,
                          .image_pixels = cli_session_image_pixels(plan->session),
                          .report = keep_loss,
                          .may_write = plan->has_companions ? may_write : NULL,
                          .wrote = count_written,
                          .cancelled = is_stopping,
                          .user = &losses };
    opts.game = cli_read_game(plan->args);
    opts.w3d_animation = (sn_w3d_animation)cli_word_of(plan->args, CLI_OPTION_W3D_ANIMATION, animations, 3);
    opts.textures = (sn_textures)cli_word_of(plan->args, CLI_OPTION_TEXTURE_FORMAT, textures,
                                             sizeof textures / sizeof *textures);
    opts.w3d_split = cli_has(plan->args, CLI_OPTION_SPLIT);
    sn_error error = { 0 };
    item->culprit = item->out;
    const uint32_t claimed = plan->claims ? cli_claims_count(plan->claims) : 0;
    cli_stop_begin_writing(&plan->session->stop, item->out);
    bool is_saved = (cli_is_dash(item->out) ? save_to_stdout : save_to_disk)(job->model, &opts, item, &error);
    cli_stop_end_writing(&plan->session->stop, item->out);
    if (!is_saved && plan->claims) cli_claims_release(plan->claims, item, claimed);
    if (is_saved && sni_failed(&worker->diag)) is_saved = false, error = worker->diag.error;
    sni_diag_init(&worker->diag, NULL);  // the next item may have memory
    item->losses = losses.list;
    if (!is_saved) {
        if (item->outcome != CLI_FAILED) fail_saving(plan, item, &error);  // else may_write has refused a file
        return;
    }
    item->outcome = item->is_empty ? CLI_EMPTY : CLI_CONVERTED;
    item->culprit = NULL;
    if (item->input_hash) hash_output(item);
}

static bool is_changed_after(const char *path, struct timespec time)
{
    struct stat info = { 0 };
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && cli_is_later(info.st_mtim, time);
}

// By the hashes that an earlier run reported; where it did not report the item, by time. A .gltf that does not load,
// because its buffer is missing, is made again.
static bool is_up_to_date(const cli_plan *plan, cli_item *item, struct timespec newest)
{
    bool is_known;
    const bool is_same = cli_record_is_same(plan, item, &is_known);
    if (is_known ? !is_same : !is_changed_after(item->out, newest)) return false;
    if ((is_known || item->input_hash) && !hash_output(item)) return true;
    if (!item->bin) return true;
    sn_model *model = sn_load_file(item->out, NULL, NULL);
    sn_model_free(model);
    return model != NULL;
}

// Only a .glb contains its buffers and textures. Other files must be loaded to know which files they refer to.
bool cli_may_name_others(const cli_item *item)
{
    return !cli_is_image(item->in) && (item->input.archive || !cli_has_ending(item->in, "glb"));
}

// Whether there is a report, which has hashes of what is on disk.
static bool has_hashes(const cli_plan *plan, const cli_item *item)
{
    return (cli_has(plan->args, CLI_OPTION_REPORT) || cli_has(plan->args, CLI_OPTION_JSON)) && !cli_is_dash(item->in) &&
           !cli_is_dash(item->out);
}

static bool is_skipped_unread(const cli_plan *plan, cli_item *item)
{
    struct stat info = { 0 };
    if (!cli_has(plan->args, CLI_OPTION_NEWER) || cli_is_dash(item->in) || cli_is_dash(item->out)) return false;
    if (has_hashes(plan, item) || cli_may_name_others(item)) return false;
    return stat(item->in, &info) == 0 && is_up_to_date(plan, item, info.st_mtim);
}

// Of the file, of what was loaded from others, and of the options: all that the output depends on.
static void hash_input(const cli_plan *plan, cli_item *item, const sn_bytes *bytes, const sn_model *model)
{
    const uint64_t loaded = model ? sn_model_hash(model) : 0;
    item->input_hash = sni_hash_mix(cli_hash(plan->options_hash, bytes->data, bytes->size), loaded);
}

static bool hash_model(const cli_plan *plan, cli_item *item, const cli_job *job)
{
    sn_bytes bytes;
    sn_error error;
    if (!has_hashes(plan, item)) return true;
    if (!cli_input_read(plan->session, &item->input, &bytes, &error)) {
        if (error.status == SN_ERR_MEMORY) cli_item_fail(item, item->in, &error);
        return error.status != SN_ERR_MEMORY;
    }
    hash_input(plan, item, &bytes, job->model);
    sn_bytes_free(&bytes);
    return true;
}

static void convert_loaded(const cli_plan *plan, cli_item *item, cli_job *job, const sni_list *reads,
                           cli_worker *worker)
{
    if (cli_item_waits(plan, item, job, worker)) return;
    bool is_known = cli_has(plan->args, CLI_OPTION_NEWER) && !cli_is_dash(item->in) && job->targets[0];
    const sn_error refusal = { .status = SN_ERR_IO, .message = "is an input of the model; it will not be overwritten" };
    if (sni_failed(&job->diag)) cli_item_fail(item, item->in, &job->diag.error);
    else if (job->read_target) refuse_overwriting(item, job->read_target, &refusal);
    else {
        if (!hash_model(plan, item, job)) return;
        if (!is_known || !is_up_to_date(plan, item, job->newest)) save(plan, item, job, reads, worker);
        else if (item->outcome != CLI_FAILED) item->outcome = CLI_SKIPPED;
    }
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
    bool is_good = cli_input_read(session, &item->input, &bytes, &error);
    if (is_good && has_hashes(plan, item)) {
        struct stat info = { 0 };
        hash_input(plan, item, &bytes, NULL);
        const bool is_known = cli_has(plan->args, CLI_OPTION_NEWER) && stat(item->input.path, &info) == 0;
        if (is_known && is_up_to_date(plan, item, info.st_mtim)) {
            sn_bytes_free(&bytes);
            if (item->outcome == CLI_FAILED) return;
            item->culprit = NULL;
            item->outcome = CLI_SKIPPED;
            return;
        }
    }
    is_good = is_good &&
              sn_image_decode(&(sn_image){ .data = bytes.data, .size = bytes.size }, &opts, &pixels, &error) == SN_OK;
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
    if (item->input_hash) hash_output(item);
}

static const sn_error *explain(const cli_item *item, sn_error *error)
{
    if (error->status == SN_ERR_FORMAT && cli_is_image(item->in))
        snprintf(error->message, sizeof error->message, "is an image, not a model; images become .png or .tga");
    return error;
}

// What an item is loaded from.
typedef struct source_reads {
    sni_arena *arena;
    sni_list ids;  // cli_file_id
} source_reads;

static void keep_read(void *user, const char *path)
{
    source_reads *reads = user;
    cli_keep_file(reads->arena, &reads->ids, path);
}

static void convert_item(const cli_plan *plan, cli_item *item, cli_worker *worker)
{
    if (cli_item_is_done(plan, item)) return;
    if (is_skipped_unread(plan, item)) {
        if (item->outcome != CLI_FAILED) item->outcome = CLI_SKIPPED;
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
    source_reads reads = { .arena = &job.arena };
    if (plan->has_companions) job.on_read = keep_read, job.on_read_user = &reads;
    if (cli_job_load(&job, false)) convert_loaded(plan, item, &job, &reads.ids, worker);
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
    struct timespec next_report;
} cli_reporting;

static struct timespec after(struct timespec time, int64_t nanoseconds)
{
    const int64_t sum = time.tv_nsec + nanoseconds;
    return (struct timespec){ .tv_sec = time.tv_sec + (time_t)(sum / 1000000000), .tv_nsec = (long)(sum % 1000000000) };
}

// A run that is killed has reported what it made until shortly before. Takes at most a twentieth of the time.
static void report_now_and_then(cli_reporting *reporting)
{
    const int64_t pause = 250000000;
    struct timespec start = { 0 }, end = { 0 };
    if (!reporting->plan->is_batch || !cli_has(reporting->plan->args, CLI_OPTION_REPORT)) return;
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (!cli_is_later(start, reporting->next_report)) return;
    cli_plan_write_report(reporting->plan, false);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const int64_t took = (int64_t)(end.tv_sec - start.tv_sec) * 1000000000 + end.tv_nsec - start.tv_nsec;
    reporting->next_report = after(end, took * 20 > pause ? took * 20 : pause);
}

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
    report_now_and_then(reporting);
}

static int run_plan(cli_plan *plan, cli_out *out)
{
    cli_worker *workers = sni_new(plan->arena, cli_worker, plan->jobs);
    cli_reporting reporting = { .plan = plan };
    if (!workers) { return cli_no_memory(); }
    for (uint32_t i = 0; i < plan->jobs; i++) cli_worker_init(&workers[i]);
    cli_progress_init(&reporting.progress, plan->is_batch && !cli_has(plan->args, CLI_OPTION_QUIET));
    clock_gettime(CLOCK_MONOTONIC, &reporting.next_report);
    reporting.next_report = after(reporting.next_report, 250000000);
    cli_claims claims;
    if (plan->has_companions) cli_claims_begin(plan, &claims);
    cli_plan_run(plan, workers, &reporting.progress, report_item, &reporting);
    if (plan->claims) cli_claims_end(plan);
    if (cli_has(plan->args, CLI_OPTION_JSON)) cli_plan_put_report(plan, true, &out->text);
    int report_code = cli_plan_write_report(plan, true), code = cli_plan_exit_code(plan);
    cli_plan_summarize(plan, "converted");
    if (reporting.lacks_memory || sni_failed(plan->arena->heap->diag)) code = cli_no_memory();
    for (uint32_t i = 0; i < plan->jobs; i++) sni_arena_free(&workers[i].arena);
    return report_code != CLI_EXIT_OK ? report_code : code;
}

// The model of --skeleton; other codes than CLI_EXIT_OK: it cannot be loaded, which is reported.
static int load_skeleton(cli_plan *plan)
{
    const char *path = plan->args->values[CLI_OPTION_KEEP_SKELETON];
    source_reads reads = { .arena = plan->arena, .ids = plan->sources };
    const sn_load_opts opts = { .search = plan->session->search, .opened = keep_read, .user = &reads };
    cli_item item = { .in = path, .culprit = path };
    if (!path) return CLI_EXIT_OK;
    plan->user = sn_load_file(path, &opts, &item.error);
    plan->sources = reads.ids;
    if (plan->user) return CLI_EXIT_OK;
    report_error(&item);
    return cli_exit_of(item.error.status);
}

int cli_run_convert(cli_session *session, cli_out *out)
{
    cli_worker worker;
    cli_worker_init(&worker);
    cli_plan plan = { .session = session, .args = session->args, .arena = &worker.arena, .work = convert_item };
    int code = cli_plan_make(&plan);
    if (code == CLI_EXIT_OK && !cli_records_read(&plan)) code = cli_no_memory();
    if (code == CLI_EXIT_OK) code = load_skeleton(&plan);
    if (plan.is_batch) session->image_cache = sn_image_cache_create(NULL, session->max_memory / 16);
    if (code == CLI_EXIT_OK) code = run_plan(&plan, out);
    sn_model_free(plan.user);
    sni_arena_free(&worker.arena);
    return code;
}
