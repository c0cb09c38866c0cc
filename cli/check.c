// check: loads models, decodes their textures, and reports what is wrong. Several files at a time, in their order.
#include "check.h"

#include <string.h>

#include "base/map.h"
#include "elements.h"

const char *const cli_level_names[] = { "note", "warning", "error", "never" };

// What all files of a run share.
typedef struct check_run {
    const cli_check_report *report;  // NULL: text or JSON
    cli_level fail_on;
    const cli_plan *plan;
    struct check_result *results;  // per file
    cli_out *out;
    cli_check_totals totals;
} check_run;

typedef struct check_result {
    cli_out text;
    cli_check_totals totals;  // of this file
} check_result;

static bool find_kind(int32_t code, sn_warning_kind *kind)
{
    for (uint32_t i = 0; sn_warning_at(i, kind); i++)
        if (kind->code == code) return true;
    return false;
}

// By number or by name. False: there is no such code.
static bool read_code(const char *text, int32_t *code)
{
    char number[16];
    sn_warning_kind kind;
    for (uint32_t i = 0; sn_warning_at(i, &kind); i++) {
        snprintf(number, sizeof number, "%d", kind.code);
        *code = kind.code;
        if (strcmp(text, number) == 0 || sni_text_compare_nocase(text, kind.name) == 0) return true;
    }
    return false;
}

static bool is_ignored(const cli_args *args, int32_t code)
{
    int32_t other;
    for (uint32_t i = 0; cli_value(args, CLI_OPTION_IGNORE, i); i++)
        if (read_code(cli_value(args, CLI_OPTION_IGNORE, i), &other) && other == code) return true;
    return false;
}

static bool check_codes(const cli_args *args)
{
    int32_t code;
    for (uint32_t i = 0; cli_value(args, CLI_OPTION_IGNORE, i); i++) {
        const char *text = cli_value(args, CLI_OPTION_IGNORE, i);
        char shown[64];
        if (read_code(text, &code)) continue;
        sni_text_printable(text, shown, sizeof shown);
        cli_complain("'--ignore' needs the code or name of a warning, not '%s'; docs/diagnostics.md lists them", shown);
        return false;
    }
    return true;
}

// Collecting

static void add_finding(cli_checked *checked, cli_finding finding)
{
    cli_finding *slot = sni_push(&checked->job->arena, &checked->findings, cli_finding);
    if (slot) *slot = finding;
}

// `prefix` is where the warning's own path begins; "" for the model's.
static void add_warning(cli_checked *checked, const sn_warning *warning, const char *prefix)
{
    sni_arena *arena = &checked->job->arena;
    sn_warning_kind kind;
    if (is_ignored(checked->job->args, warning->code)) {
        checked->ignored++;
        return;
    }
    sn_warning *kept = sni_push(arena, &checked->warnings, sn_warning);
    const char *path = cli_join(arena, prefix, "/", warning->path),
               *message = cli_format(arena, "%s", warning->message);
    if (!kept || !path || !message) return;
    *kept = *warning;
    kept->path = path;
    kept->message = message;
    bool is_note = find_kind(warning->code, &kind) && kind.is_note;
    add_finding(checked, (cli_finding){ .level = is_note ? CLI_NOTE : CLI_WARNING,
                                        .code = warning->code,
                                        .rule = sn_warning_name(warning->code),
                                        .path = path,
                                        .message = message,
                                        .has_place = true,
                                        .offset = warning->offset,
                                        .line = warning->line,
                                        .column = warning->column,
                                        .count = warning->count });
}

static void add_error(cli_checked *checked, const sn_error *error)
{
    const char *rule = cli_format(&checked->job->arena, "error-%s", sn_status_name(error->status));
    bool has_place = error->status != SN_ERR_IO && error->status != SN_ERR_FORMAT && error->status != SN_ERR_MEMORY;
    add_finding(checked, (cli_finding){ .level = CLI_ERROR,
                                        .rule = rule ? rule : "",
                                        .path = error->path,
                                        .message = error->message,
                                        .has_place = has_place,
                                        .offset = error->offset,
                                        .line = error->line,
                                        .column = error->column,
                                        .count = 1 });
}

// One image while it is decoded.
typedef struct image_check {
    cli_checked *checked;
    const char *place;
} image_check;

static void collect_image_warning(void *user, const sn_warning *warning)
{
    image_check *check = user;
    add_warning(check->checked, warning, check->place);
}

// Decodes the image and reports what is wrong with it, at `place`. False: memory ran out.
static bool check_image(cli_checked *checked, const sn_image *image, const char *place, uint64_t *pixels_left)
{
    image_check check = { checked, place };
    const uint64_t limit = checked->job->session->max_memory / 4;
    sn_decode_opts opts = { .limits.memory_bytes = limit, .size_only = true };
    sn_pixels pixels;
    sn_error error;
    sn_status status = sn_image_decode(image, &opts, &pixels, &error);
    if (status == SN_OK && (uint64_t)pixels.width * pixels.height > *pixels_left) {
        status = SN_ERR_LIMIT;
        snprintf(error.message, sizeof error.message, "not decoded: the images before it have too many pixels");
    }
    if (status == SN_OK) {
        *pixels_left -= (uint64_t)pixels.width * pixels.height;
        opts.size_only = false;
        opts.report = collect_image_warning;
        opts.user = &check;
        status = sn_image_decode(image, &opts, &pixels, &error);
        sn_pixels_free(&pixels);
    }
    if (status == SN_ERR_MEMORY) return sni_fail(&checked->job->diag, status, 0, "out of memory");
    if (status == SN_OK) return true;
    const sn_warning warning = { .code = SNI_WARN_IMAGE_UNREADABLE,
                                 .count = 1,
                                 .offset = error.offset,
                                 .path = error.path,
                                 .message = error.message };
    add_warning(checked, &warning, place);
    return true;
}

// Each image once, however many elements refer to its bytes; all together within the budget of a model.
static void check_images(cli_checked *checked)
{
    cli_job *job = checked->job;
    const sn_model *model = job->model;
    uint64_t pixels_left = cli_session_image_pixels(job->session);
    bool has_budget = pixels_left > 0;
    sni_map seen = { 0 };
    if (!has_budget) pixels_left = 128 << 20;
    for (uint32_t i = 0; i < model->image_count; i++) {
        const sn_image *image = &model->images[i];
        const uint32_t hash = sni_hash(&image->data, sizeof image->data);
        bool is_new = image->data != NULL;
        for (sni_map_cursor at = sni_map_find(&seen, hash); is_new && sni_map_next(&seen, &at);)
            is_new = model->images[at.item].data != image->data || model->images[at.item].size != image->size;
        if (!is_new) continue;
        if (!has_budget) pixels_left += 64 * image->size;
        const char *label = cli_image_label(&job->arena, model, (int32_t)i);
        const char *place = label ? cli_format(&job->arena, "images[%u] \"%s\"", i, label) : NULL;
        if (!sni_map_add(&seen, &job->arena, hash, i) || !place || !check_image(checked, image, place, &pixels_left))
            return;
    }
}

// The file itself is a texture: true when it is, whatever is wrong with it.
static bool check_image_file(cli_checked *checked)
{
    cli_job *job = checked->job;
    sn_image_format format;
    sn_bytes read = { 0 };
    sn_error error;
    const sn_bytes *bytes = job->stdin_bytes.data ? &job->stdin_bytes : &read;
    if (bytes == &read && !cli_input_read(job->session, job->input, &read, &error)) return false;
    bool is_image = sn_image_format_find(bytes->data, bytes->size, &format);
    if (is_image) {
        const sn_image image = { .name = "", .uri = "", .mime_type = "", .data = bytes->data, .size = bytes->size };
        const char *name = sni_last_name(job->file);
        uint64_t pixels_left = UINT64_MAX;
        if (strchr(name, '.') && !sni_has_ending(name, format.extensions)) {
            const char *text = cli_format(&job->arena, "\"%s\" contains %s", name, format.name);
            if (text) add_warning(checked, &(sn_warning){ SNI_WARN_FILE_NAME, 1, 0, "", text, 0, 0 }, "");
        }
        check_image(checked, &image, "", &pixels_left);
    }
    sn_bytes_free(&read);
    return is_image;
}

static void try_round_trip(cli_checked *checked)
{
    const cli_job *job = checked->job;
    cli_round_trip *trip = &checked->trip;
    const sn_load_opts opts = { .name = job->file };
    sn_bytes read = { 0 };
    const sn_bytes *bytes = job->stdin_bytes.data ? &job->stdin_bytes : &read;
    trip->was_asked = job->model && cli_job_has(job, CLI_OPTION_ROUND_TRIP);
    if (!trip->was_asked) return;
    if (bytes == &job->stdin_bytes || cli_input_read(job->session, job->input, &read, &trip->error))
        sn_check_round_trip(bytes->data, bytes->size, &opts, &trip->result, &trip->error);
    sn_bytes_free(&read);
    if (trip->result.is_identical) return;
    bool is_tried = trip->error.status == SN_OK;
    add_finding(checked,
                (cli_finding){ .level = CLI_WARNING,
                               .rule = "round-trip",
                               .path = is_tried ? trip->result.path : "",
                               .message = !is_tried              ? trip->error.message
                                          : trip->result.is_same ? "same document, different bytes, first difference"
                                                                 : "different document, first difference",
                               .has_place = is_tried,
                               .offset = trip->result.offset,
                               .count = 1 });
}

// Repairing

static void keep_repair(void *user, const sn_warning *repair)
{
    cli_checked *checked = user;
    sni_arena *arena = &checked->job->arena;
    sn_warning *kept = repair->code == SNI_WARN_REPAIRED ? sni_push(arena, &checked->repairs, sn_warning) : NULL;
    const char *path = kept ? cli_format(arena, "%s", repair->path) : NULL,
               *message = path ? cli_format(arena, "%s", repair->message) : NULL;
    if (!message) return;
    *kept = *repair;
    kept->path = path;
    kept->message = message;
}

// Before the file is checked, so that only what is left is reported. It is written only when something was repaired.
static bool fix_file(cli_checked *checked)
{
    cli_job *job = checked->job;
    const cli_input *input = job->input;
    const uint64_t memory = job->session->max_memory / 2;
    const sn_load_opts load_opts = { .name = job->file, .keep_document = true, .limits.memory_bytes = memory };
    sn_save_opts opts = { .game = cli_read_game(job->args), .repairs = true, .memory_bytes = memory };
    const char *dot = strrchr(sni_last_name(job->file), '.');
    sn_bytes bytes = { 0 };
    sn_error error = { 0 };
    if (!cli_job_has(job, CLI_OPTION_FIX) || !dot || input->archive || input->is_archive || cli_is_dash(input->path))
        return true;
    sn_model *model = sn_load_file(input->path, &load_opts, &error);
    if (!model || !model->document) {
        sn_model_free(model);
        return error.status != SN_ERR_MEMORY;
    }
    opts.report = keep_repair;
    opts.user = checked;
    sn_status status = sn_save_memory(model, dot, &opts, &bytes, &error);
    opts.report = NULL;
    if (status == SN_ERR_UNSUPPORTED) status = SN_OK;  // no rules of that game: loading it says so
    if (status == SN_OK && checked->repairs.count > 0) status = sn_save_file(model, input->path, &opts, &error);
    sn_bytes_free(&bytes);
    sn_model_free(model);
    if (status != SN_OK) job->error = error;
    return status == SN_OK;
}

static void print_repairs(const cli_checked *checked)
{
    cli_out *out = checked->job->out;
    const sn_warning *repairs = checked->repairs.items;
    for (uint32_t i = 0; i < checked->repairs.count; i++) {
        cli_print(out, "%s: ", checked->job->shown);
        cli_print_styled(out, CLI_GREEN, "fixed");
        cli_print(out, " in %s: %s", repairs[i].path, repairs[i].message);
        if (repairs[i].count > 1) cli_print(out, " (%u times)", repairs[i].count);
        cli_print(out, "\n");
    }
}

// Text

static void print_finding(const cli_checked *checked, const cli_finding *finding)
{
    static const cli_style styles[] = { CLI_CYAN, CLI_YELLOW, CLI_RED };
    cli_job *job = checked->job;
    cli_out *out = job->out;
    const char *place = finding->has_place
                            ? cli_place_text(&job->arena, finding->offset, finding->line, finding->column)
                            : "";
    cli_print(out, "%s: ", job->shown);
    cli_style_begin(out, styles[finding->level]);
    cli_print(out, "%s", cli_level_names[finding->level]);
    if (finding->code) cli_print(out, " %d %s", finding->code, finding->rule);
    cli_style_end(out, styles[finding->level]);
    cli_print(out, "%s%s", place ? place : "", finding->path[0] ? " in " : "");
    cli_print_safe(out, finding->path);
    cli_print(out, ": ");
    cli_print_safe(out, finding->message);
    if (finding->count > 1) cli_print(out, " (%u times)", finding->count);
    cli_print(out, "\n");
    sn_warning_kind kind;
    if (sni_warning_is_rule(finding->code) && find_kind(finding->code, &kind))
        cli_print(out, "    remedy: %s\n", kind.advice);
}

static void print_round_trip(const cli_checked *checked)
{
    const cli_round_trip *trip = &checked->trip;
    const sn_round_trip *result = &trip->result;
    cli_out *out = checked->job->out;
    if (!trip->was_asked) return;
    cli_print(out, "%s: round trip: ", checked->job->shown);
    if (result->is_identical) {
        cli_print_styled(out, CLI_GREEN, "identical");
    } else if (trip->error.status != SN_OK) {
        cli_print_safe(out, trip->error.message);
    } else {
        cli_print(out, "%s, first difference at byte %llu",
                  result->is_same ? "same document, different bytes" : "different document",
                  (unsigned long long)result->offset);
        if (result->path[0]) cli_print(out, ", in ");
        cli_print_safe(out, result->path);
    }
    cli_print(out, "\n");
}

static void print_text(const cli_checked *checked)
{
    cli_out *out = checked->job->out;
    print_repairs(checked);
    for (uint32_t i = 0; i < checked->findings.count; i++) {
        const cli_finding *finding = &cli_findings(checked)[i];
        if (strcmp(finding->rule, "round-trip") != 0) print_finding(checked, finding);
    }
    print_round_trip(checked);
    cli_print(out, "%s: ", checked->job->shown);
    if (checked->findings.count == 0) cli_print_styled(out, CLI_GREEN, "no findings");
    else cli_print(out, "%u finding%s", checked->findings.count, checked->findings.count == 1 ? "" : "s");
    if (checked->ignored > 0) cli_print(out, ", %u ignored", checked->ignored);
    cli_print(out, "\n");
}

static void print_totals(cli_out *out, const cli_check_totals *totals, sni_arena *arena)
{
    static const char *const one[] = { "note", "warning", "error" }, *const many[] = { "notes", "warnings", "errors" };
    const char *text = "", *files = cli_count(arena, totals->files, "file", "files");
    for (int i = CLI_ERROR; i >= CLI_NOTE; i--)
        if (totals->findings[i] > 0)
            text = cli_join(arena, text, ", ", cli_count(arena, totals->findings[i], one[i], many[i]));
    if (text && !text[0]) text = "no findings";
    if (totals->ignored > 0)
        text = cli_join(arena, text, ", ", cli_format(arena, "%llu ignored", (unsigned long long)totals->ignored));
    cli_print(out, "%s: %s\n", files ? files : "", text ? text : "");
}

// JSON

static void put_round_trip(sni_json_writer *json, const cli_round_trip *trip)
{
    if (!trip->was_asked) return;
    sni_json_key(json, "round_trip");
    sni_json_begin_object(json);
    bool is_tried = trip->error.status == SN_OK;
    cli_json_text(json, "result",
                  !is_tried                   ? "error"
                  : trip->result.is_identical ? "identical"
                  : trip->result.is_same      ? "same"
                                              : "differs");
    if (!is_tried) cli_json_text(json, "message", trip->error.message);
    if (is_tried && !trip->result.is_identical) {
        cli_json_integer(json, "offset", (int64_t)trip->result.offset);
        cli_json_text(json, "path", trip->result.path);
    }
    sni_json_end(json);
}

static void print_json(const cli_checked *checked)
{
    cli_job *job = checked->job;
    sni_json_writer json = cli_json_begin(job, "sinew.check/2");
    cli_json_text(&json, "status",
                  job->error.status != SN_OK    ? "error"
                  : checked->findings.count > 0 ? "warnings"
                                                : "ok");
    cli_json_error(&json, &job->error, NULL);
    cli_json_warnings(&json, "warnings", checked->warnings.items, checked->warnings.count);
    cli_json_integer(&json, "ignored_count", checked->ignored);
    if (cli_job_has(job, CLI_OPTION_FIX))
        cli_json_warnings(&json, "repairs", checked->repairs.items, checked->repairs.count);
    put_round_trip(&json, &checked->trip);
    cli_json_end(job, &json);
}

// Running

static void count(const cli_checked *checked, cli_check_totals *totals)
{
    totals->files = 1;
    totals->ignored = checked->ignored;
    totals->unreadable_files = checked->job->error.status != SN_OK && checked->fail_on <= CLI_ERROR;
    for (uint32_t i = 0; i < checked->findings.count; i++) {
        const cli_level level = cli_findings(checked)[i].level;
        totals->findings[level]++;
        if (level >= checked->fail_on) totals->failed_files = 1;
    }
}

static int check_file(cli_job *job, const check_run *run, cli_check_totals *totals)
{
    cli_checked checked = { .job = job, .fail_on = run->fail_on };
    if (!fix_file(&checked)) return cli_job_fail(job);
    cli_job_load(job, true);
    if (job->error.status == SN_ERR_FORMAT && !job->input->is_archive && check_image_file(&checked))
        job->error = (sn_error){ .status = SN_OK };
    if (job->error.status == SN_ERR_MEMORY) return cli_job_fail(job);
    if (job->error.status != SN_OK) add_error(&checked, &job->error);
    for (uint32_t i = 0; job->model && i < job->model->warning_count; i++)
        add_warning(&checked, &job->model->warnings[i], "");
    if (job->model) check_images(&checked);
    try_round_trip(&checked);
    if (checked.trip.error.status == SN_ERR_MEMORY) {
        job->error = checked.trip.error;
        return cli_job_fail(job);
    }
    count(&checked, totals);
    if (run->report) run->report->file(&checked);
    else if (cli_job_has(job, CLI_OPTION_JSON)) print_json(&checked);
    else print_text(&checked);
    if (totals->failed_files == 0) return CLI_EXIT_OK;
    return job->error.status != SN_OK ? cli_exit_of(job->error.status) : CLI_EXIT_FINDINGS;
}

static void check_item(const cli_plan *plan, cli_item *item, cli_worker *worker)
{
    check_run *run = plan->user;
    check_result *result = &run->results[item - cli_plan_items(plan)];
    cli_job job;
    (void)worker;
    cli_out_init(&result->text, stdout);  // never flushed: the text is printed in the order of the files
    cli_job_init(&job, plan->session, &item->input, &result->text);
    job.is_alone = !plan->is_batch;
    item->code = cli_job_end(&job, check_file(&job, run, &result->totals));
    item->outcome = item->code == CLI_EXIT_OK ? CLI_CONVERTED : CLI_FAILED;
    cli_job_free(&job);
}

static void add_totals(cli_check_totals *sum, const cli_check_totals *more)
{
    sum->files += more->files;
    sum->failed_files += more->failed_files;
    sum->unreadable_files += more->unreadable_files;
    sum->ignored += more->ignored;
    for (int i = 0; i < CLI_NEVER; i++) sum->findings[i] += more->findings[i];
}

// Reports are printed at the end: they begin with the totals.
static void take_item(void *user, const cli_item *item)
{
    check_run *run = user;
    check_result *result = &run->results[item - cli_plan_items(run->plan)];
    add_totals(&run->totals, &result->totals);
    if (run->report) return;
    if (result->text.text.failed) run->out->text.failed = true;
    sni_write_bytes(&run->out->text, result->text.text.data, result->text.text.size);
    cli_out_free(&result->text);
    cli_out_flush(run->out);
}

static void print_report(check_run *run, uint32_t count)
{
    cli_out *out = run->out;
    bool is_first = true;
    run->report->head(out, &run->totals);
    for (uint32_t i = 0; i < count; i++) {
        const sni_writer *text = &run->results[i].text.text;
        if (text->failed) out->text.failed = true;
        if (text->size > 0 && !is_first) sni_write_text(&out->text, run->report->separator);
        if (text->size > 0) is_first = false;
        sni_write_bytes(&out->text, text->data, text->size);
        cli_out_free(&run->results[i].text);
        cli_out_drain(out);
    }
    run->report->tail(out);
}

static cli_level read_level(const cli_args *args)
{
    const char *text = args->values[CLI_OPTION_FAIL_ON];
    cli_level level = CLI_NOTE;
    while (text && strcmp(text, cli_level_names[level]) != 0) level++;
    return level;
}

static int run_plan(cli_plan *plan, check_run *run)
{
    cli_progress progress;
    cli_worker *workers = sni_new(plan->arena, cli_worker, plan->jobs);
    run->results = sni_new(plan->arena, check_result, plan->items.count);
    if (!workers || !run->results) return cli_no_memory();
    for (uint32_t i = 0; i < plan->jobs; i++) cli_worker_init(&workers[i]);
    cli_progress_init(&progress, plan->is_batch && !run->out->has_color);
    cli_plan_run(plan, workers, &progress, take_item, run);
    for (uint32_t i = 0; i < plan->jobs; i++) sni_arena_free(&workers[i].arena);
    if (run->report) print_report(run, plan->items.count);
    else if (plan->is_batch && !cli_has(plan->args, CLI_OPTION_JSON)) print_totals(run->out, &run->totals, plan->arena);
    return sni_failed(plan->arena->heap->diag) ? cli_no_memory() : cli_plan_exit_code(plan);
}

int cli_run_check(cli_session *session, cli_out *out)
{
    const cli_args *args = session->args;
    const char *format = args->values[CLI_OPTION_FORMAT];
    cli_worker worker;
    sni_list inputs = { 0 };
    check_run run = { .fail_on = read_level(args), .out = out };
    if (format) run.report = cli_check_report_find(format);
    if (format && cli_has(args, CLI_OPTION_JSON)) {
        cli_complain("'--format' and '--json' cannot be combined");
        return CLI_EXIT_USAGE;
    }
    if (cli_has(args, CLI_OPTION_FIX) && !args->values[CLI_OPTION_TARGET]) {
        cli_complain("'--fix' needs '--target', the game to fix the file for");
        return CLI_EXIT_USAGE;
    }
    cli_worker_init(&worker);
    cli_plan plan = { .session = session, .args = args, .arena = &worker.arena, .work = check_item, .user = &run };
    run.plan = &plan;
    if (!check_codes(args) || !cli_read_jobs(args, &plan.jobs)) return CLI_EXIT_USAGE;
    int code = cli_gather_inputs(session, false, plan.arena, &inputs);
    if (code != CLI_EXIT_MEMORY && !cli_shard_inputs(session, plan.arena, &inputs)) code = cli_no_memory();
    for (uint32_t i = 0; code != CLI_EXIT_MEMORY && i < inputs.count; i++) {
        cli_item *item = sni_push(plan.arena, &plan.items, cli_item);
        if (!item) code = cli_no_memory();
        else item->input = ((const cli_input *)inputs.items)[i], item->in = item->input.name;
    }
    plan.is_batch = plan.items.count > 1 || code != CLI_EXIT_OK || session->shard.count > 0;
    if (code != CLI_EXIT_MEMORY && (plan.items.count > 0 || session->shard.count > 0)) {
        int checked = run_plan(&plan, &run);
        if (checked != CLI_EXIT_OK) code = checked;
    }
    sni_arena_free(&worker.arena);
    return code;
}
