#include "batch.h"

static const char *outcome_name(cli_outcome outcome)
{
    static const char *const names[] = { "waiting", "converted", "skipped", "failed" };
    return names[outcome];
}

static const char *shown_path(sni_arena *arena, const char *path, const char *for_dash)
{
    const char *shown = cli_is_dash(path) ? for_dash : cli_escape(arena, path);
    return shown ? shown : "";
}

// Shown text dies here, so that a batch of any length needs no more memory.
static void tell_error(const cli_item *item)
{
    cli_keeper scratch;
    cli_keeper_init(&scratch);
    const char *for_dash = item->culprit == item->in ? "<stdin>" : "<stdout>";
    const char *text = cli_error_text(&scratch.arena, &item->error);
    cli_complain("%s: %s", shown_path(&scratch.arena, item->culprit, for_dash), text ? text : "out of memory");
    sni_arena_free(&scratch.arena);
}

static void tell_notes(const char *file, const char *kind, const sni_list *notes)
{
    cli_keeper scratch;
    cli_keeper_init(&scratch);
    for (uint32_t i = 0; i < notes->count; i++) {
        const sn_warning *note = &((const sn_warning *)notes->items)[i];
        const char *path = cli_escape(&scratch.arena, note->path), *message = cli_escape(&scratch.arena, note->message);
        const char *times = note->count > 1 ? cli_format(&scratch.arena, " (%u times)", note->count) : "";
        if (!path || !message || !times) break;
        cli_complain("%s: %s %d %s%s%s: %s%s", file, kind, note->code, sn_warning_name(note->code),
                     path[0] ? " in " : "", path, message, times);
    }
    sni_arena_free(&scratch.arena);
}

typedef struct cli_telling {
    const cli_plan *plan;
    cli_progress progress;
} cli_telling;

static void tell(void *user, const cli_item *item)
{
    cli_telling *telling = user;
    const cli_plan *plan = telling->plan;
    if (item->outcome == CLI_FAILED) {
        cli_progress_clear(&telling->progress);
        tell_error(item);
    }
    if (plan->is_batch || cli_has(plan->args, CLI_OPTION_QUIET) || item->outcome == CLI_SKIPPED) return;
    tell_notes(shown_path(plan->arena, item->in, "<stdin>"), "warning", &item->warnings);
    tell_notes(shown_path(plan->arena, item->out, "<stdout>"), "loss", &item->losses);
}

cli_tally cli_plan_tally(const cli_plan *plan)
{
    cli_tally tally = { 0 };
    for (uint32_t i = 0; i < plan->items.count; i++) {
        const cli_item *item = &cli_plan_items(plan)[i];
        tally.converted += item->outcome == CLI_CONVERTED;
        tally.skipped += item->outcome == CLI_SKIPPED;
        tally.failed += item->outcome == CLI_FAILED;
        tally.warnings += item->warnings.count;
        tally.losses += item->losses.count;
    }
    return tally;
}

static void tell_summary(const cli_plan *plan)
{
    cli_tally tally = cli_plan_tally(plan);
    const char *warnings = tally.warnings ? cli_count(plan->arena, tally.warnings, "warning", "warnings") : "";
    const char *losses = tally.losses ? cli_count(plan->arena, tally.losses, "loss", "losses") : "";
    const char *notes = cli_join(plan->arena, warnings, ", ", losses);
    if (!plan->is_batch || cli_has(plan->args, CLI_OPTION_QUIET)) return;
    fprintf(stderr, "%u converted, %u skipped, %u failed%s%s\n", tally.converted, tally.skipped, tally.failed,
            notes && notes[0] ? "; " : "", notes ? notes : "");
}

static void put_item(sni_json_writer *json, const cli_item *item)
{
    sni_json_begin_object(json);
    cli_json_text(json, "in", item->in);
    sni_json_key(json, "out");
    if (item->out) sni_json_put_text(json, item->out);
    else sni_json_put_raw(json, "null");
    cli_json_text(json, "status", outcome_name(item->outcome));
    cli_json_error(json, &item->error, item->culprit);
    cli_json_warnings(json, "warnings", item->warnings.items, item->warnings.count);
    cli_json_warnings(json, "losses", item->losses.items, item->losses.count);
    cli_json_integer(json, "bytes", (int64_t)item->bytes);
    sni_json_end(json);
}

void cli_plan_report(const cli_plan *plan, sni_writer *out)
{
    cli_tally tally = cli_plan_tally(plan);
    sni_json_writer json = sni_json_writer_make(out, true);
    sni_json_begin_object(&json);
    cli_json_text(&json, "schema", "sinew.convert/1");
    cli_json_integer(&json, "converted", tally.converted);
    cli_json_integer(&json, "skipped", tally.skipped);
    cli_json_integer(&json, "failed", tally.failed);
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
    cli_keeper scratch;
    sni_writer text;
    cli_keeper_init(&scratch);
    sni_writer_init(&text, &scratch.heap);
    cli_plan_report(plan, &text);
    if (text.failed) sni_fail(&scratch.diag, SN_ERR_MEMORY, 0, "out of memory");
    else sn_file_write(path, text.data, text.size, &scratch.diag.error);
    if (sni_failed(&scratch.diag))
        cli_complain("%s: error: %s", shown_path(&scratch.arena, path, "<stdout>"), scratch.diag.error.message);
    int code = cli_exit_of(scratch.diag.error.status);
    sni_writer_free(&text);
    sni_arena_free(&scratch.arena);
    return code;
}

static int exit_code(const cli_plan *plan)
{
    int code = CLI_EXIT_OK;
    for (uint32_t i = 0; i < plan->items.count; i++) {
        const cli_item *item = &cli_plan_items(plan)[i];
        if (item->outcome == CLI_FAILED) code = plan->is_batch ? CLI_EXIT_FINDINGS : item->code;
    }
    return code;
}

static int run_plan(const cli_plan *plan, cli_out *out)
{
    cli_keeper *keepers = sni_new(plan->arena, cli_keeper, plan->jobs);
    cli_telling telling = { .plan = plan };
    if (!keepers) {
        cli_complain("error: out of memory");
        return CLI_EXIT_DAMAGED;
    }
    for (uint32_t i = 0; i < plan->jobs; i++) cli_keeper_init(&keepers[i]);
    cli_progress_init(&telling.progress, plan->is_batch && !cli_has(plan->args, CLI_OPTION_QUIET));
    cli_plan_run(plan, keepers, &telling.progress, tell, &telling);
    if (cli_has(plan->args, CLI_OPTION_JSON)) cli_plan_report(plan, &out->text);
    int report_code = write_report(plan), code = exit_code(plan);
    tell_summary(plan);
    for (uint32_t i = 0; i < plan->jobs; i++) sni_arena_free(&keepers[i].arena);
    return report_code != CLI_EXIT_OK ? report_code : code;
}

int cli_run_convert(cli_sources *sources, cli_out *out)
{
    cli_keeper keeper;
    cli_keeper_init(&keeper);
    cli_plan plan = { .sources = sources, .args = sources->args, .arena = &keeper.arena, .work = cli_item_convert };
    int code = cli_plan_make(&plan);
    if (code == CLI_EXIT_OK) code = run_plan(&plan, out);
    sni_arena_free(&keeper.arena);
    return code;
}
