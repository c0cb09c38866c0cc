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
    cli_print(job->out, " at byte %llu", (unsigned long long)warning->offset);
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
    if (findings == 0) cli_print_styled(job->out, CLI_GREEN, "fine");
    else cli_print(job->out, "%u finding%s", findings, findings == 1 ? "" : "s");
    cli_print(job->out, "\n");
}

static void print_check(cli_job *job)
{
    uint32_t findings = job->model ? job->model->warning_count : 1;
    if (!job->model) print_error(job);
    for (uint32_t i = 0; job->model && i < findings; i++) print_warning(job, &job->model->warnings[i]);
    print_verdict(job, findings);
}

static void print_check_json(cli_job *job)
{
    sni_json_writer json = cli_json_begin(job, "sinew.check/1");
    bool has_warnings = job->model && job->model->warning_count > 0;
    cli_json_text(&json, "status", !job->model ? "error" : has_warnings ? "warnings" : "ok");
    cli_json_error(&json, &job->error, NULL);
    cli_json_warnings(&json, "warnings", has_warnings ? job->model->warnings : NULL,
                      has_warnings ? job->model->warning_count : 0);
    cli_json_end(job, &json);
}

int cli_run_check(cli_job *job)
{
    bool is_loaded = cli_job_load(job, true);
    if (cli_job_has(job, CLI_OPTION_JSON)) print_check_json(job);
    else print_check(job);
    if (!is_loaded) return cli_exit_of(job->error.status);
    return job->model->warning_count > 0 ? CLI_EXIT_FINDINGS : CLI_EXIT_OK;
}
