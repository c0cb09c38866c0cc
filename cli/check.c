#include <string.h>

#include "job.h"

static void print_error(cli_job *job)
{
    const char *text = cli_error_text(&job->arena, &job->error);
    cli_print(job->out, "%s: ", job->shown);
    cli_print_styled(job->out, CLI_RED, text ? text : "out of memory");
    cli_print(job->out, "\n");
}

static void print_warning(cli_job *job, const sn_warning *warning)
{
    cli_print(job->out, "%s: ", job->shown);
    cli_style_begin(job->out, CLI_YELLOW);
    cli_print(job->out, "warning %d %s", warning->code, sn_warning_name(warning->code));
    cli_style_end(job->out, CLI_YELLOW);
    const char *place = cli_place_text(&job->arena, warning->offset, warning->line, warning->column);
    cli_print(job->out, "%s", place ? place : "");
    if (warning->path[0]) cli_print(job->out, " in ");
    cli_print_safe(job->out, warning->path);
    cli_print(job->out, ": ");
    cli_print_safe(job->out, warning->message);
    if (warning->count > 1) cli_print(job->out, " (%u times)", warning->count);
    cli_print(job->out, "\n");
    cli_out_drain(job->out);
}

static void print_verdict(cli_job *job, uint32_t findings)
{
    cli_print(job->out, "%s: ", job->shown);
    if (findings == 0) cli_print_styled(job->out, CLI_GREEN, "no findings");
    else cli_print(job->out, "%u finding%s", findings, findings == 1 ? "" : "s");
    cli_print(job->out, "\n");
}

// The result of --round-trip, with its own error: a file that cannot be loaded is reported once, by the check.
typedef struct round_trip {
    bool was_asked;
    sn_round_trip result;
    sn_error error;
} round_trip;

static round_trip try_round_trip(const cli_job *job)
{
    round_trip trip = { .was_asked = job->model && cli_job_has(job, CLI_OPTION_ROUND_TRIP) };
    const sn_load_opts opts = { .name = job->file };
    sn_bytes read = { 0 };
    const sn_bytes *bytes = job->stdin_bytes.data ? &job->stdin_bytes : &read;
    if (!trip.was_asked) return trip;
    if (bytes == &job->stdin_bytes || cli_input_read(job->session, job->input, &read, &trip.error))
        sn_check_round_trip(bytes->data, bytes->size, &opts, &trip.result, &trip.error);
    sn_bytes_free(&read);
    return trip;
}

static bool is_finding(const round_trip *trip) { return trip->was_asked && !trip->result.is_identical; }

static void print_round_trip(cli_job *job, const round_trip *trip)
{
    const sn_round_trip *result = &trip->result;
    if (!trip->was_asked) return;
    cli_print(job->out, "%s: round trip: ", job->shown);
    if (result->is_identical) {
        cli_print_styled(job->out, CLI_GREEN, "identical");
    } else if (trip->error.status != SN_OK) {
        cli_print_safe(job->out, trip->error.message);
    } else {
        cli_print(job->out, "%s, first difference at byte %llu",
                  result->is_same ? "same document, different bytes" : "different document",
                  (unsigned long long)result->offset);
        if (result->path[0]) cli_print(job->out, ", in ");
        cli_print_safe(job->out, result->path);
    }
    cli_print(job->out, "\n");
}

static void print_check(cli_job *job, const round_trip *trip)
{
    uint32_t findings = job->model ? job->model->warning_count : 1;
    if (!job->model) print_error(job);
    for (uint32_t i = 0; job->model && i < findings; i++) print_warning(job, &job->model->warnings[i]);
    print_round_trip(job, trip);
    print_verdict(job, findings + is_finding(trip));
}

static void write_round_trip(sni_json_writer *json, const round_trip *trip)
{
    if (!trip->was_asked) return;
    sni_json_key(json, "roundTrip");
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

static void print_check_json(cli_job *job, const round_trip *trip)
{
    sni_json_writer json = cli_json_begin(job, "sinew.check/1");
    bool has_warnings = job->model && job->model->warning_count > 0;
    cli_json_text(&json, "status", !job->model ? "error" : has_warnings ? "warnings" : "ok");
    cli_json_error(&json, &job->error, NULL);
    cli_json_warnings(&json, "warnings", has_warnings ? job->model->warnings : NULL,
                      has_warnings ? job->model->warning_count : 0);
    write_round_trip(&json, trip);
    cli_json_end(job, &json);
}

int cli_run_check(cli_job *job)
{
    bool is_loaded = cli_job_load(job, true);
    round_trip trip = try_round_trip(job);
    if (trip.error.status == SN_ERR_MEMORY) {
        job->error = trip.error;
        return cli_job_fail(job);
    }
    if (cli_job_has(job, CLI_OPTION_JSON)) print_check_json(job, &trip);
    else print_check(job, &trip);
    if (!is_loaded) return cli_exit_of(job->error.status);
    return job->model->warning_count > 0 || is_finding(&trip) ? CLI_EXIT_FINDINGS : CLI_EXIT_OK;
}
