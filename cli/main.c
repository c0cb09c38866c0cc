#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "cli/batch/batch.h"

static const uint64_t LIST_BYTES = (uint64_t)16 << 30;

typedef int (*command)(cli_job *job);

static const command commands[CLI_VERB_COUNT] = {
    [CLI_INFO] = cli_run_info,
    [CLI_TREE] = cli_run_tree,
    [CLI_POSE] = cli_run_pose,
};

static int run_input(cli_session *session, const cli_input *input, bool is_alone, cli_out *out)
{
    cli_job job;
    cli_job_init(&job, session, input, out);
    job.is_alone = is_alone;
    int code = commands[session->args->verb](&job);
    code = cli_job_end(&job, code);
    cli_job_free(&job);
    return code;
}

// A damaged file does not stop the others. One file sets its own exit code, several set 1 when any failed, or
// 3 when memory ran out.
static int run_inputs(cli_session *session, const sni_list *inputs, cli_out *out)
{
    int code = CLI_EXIT_OK;
    bool is_alone = inputs->count == 1 && session->shard.count == 0;
    for (uint32_t i = 0; i < inputs->count; i++) {
        int file_code = run_input(session, &((const cli_input *)inputs->items)[i], is_alone, out);
        cli_out_flush(out);
        if (file_code != CLI_EXIT_OK && code != CLI_EXIT_MEMORY)
            code = is_alone || file_code == CLI_EXIT_MEMORY ? file_code : CLI_EXIT_FINDINGS;
        if (out->failed) break;
    }
    return code;
}

static int run_files(cli_session *session, cli_out *out)
{
    sni_list inputs = { 0 };
    int gathered = cli_gather_inputs(session, session->args->verb == CLI_INFO, &session->arena, &inputs);
    if (gathered == CLI_EXIT_MEMORY) return gathered;
    if (!cli_shard_inputs(session, &session->arena, &inputs)) return cli_no_memory();
    if (inputs.count > 1 && cli_has(session->args, CLI_OPTION_OBJ)) {
        cli_complain("'--obj' takes a single model");
        return CLI_EXIT_USAGE;
    }
    int code = run_inputs(session, &inputs, out);
    if (code == CLI_EXIT_OK || inputs.count == 0) return gathered;
    return gathered == CLI_EXIT_OK ? code : CLI_EXIT_FINDINGS;
}

static int run_verb(cli_session *session, cli_out *out)
{
    if (session->args->values[CLI_OPTION_OUTPUT] || session->args->values[CLI_OPTION_OBJ])
        cli_stop_watch(&session->stop);
    switch (session->args->verb) {
    case CLI_CHECK: return cli_run_check(session, out);
    case CLI_CONVERT: return cli_run_convert(session, out);
    case CLI_RENDER: return cli_run_render(session, out);
    case CLI_VIEW: return cli_run_view(session, out);
    case CLI_EXTRACT: return cli_run_extract(session, out);
    default: return run_files(session, out);
    }
}

// An exit code, or less than 0: the signal that ended the batch.
static int run_on_files(const cli_args *args, cli_out *out)
{
    cli_session session;
    int code = cli_session_open(&session, args);
    if (code == CLI_EXIT_OK) code = run_verb(&session, out);
    int number = cli_session_close(&session);
    return number ? -number : code;
}

// The operands, then those of --files-from0.
static int add_listed(cli_args *args, sni_arena *arena, sn_bytes *bytes)
{
    const char *list = args->values[CLI_OPTION_FILES_FROM0], *why = NULL;
    sn_error error;
    uint64_t count = 0;
    for (int i = 0; i < args->file_count; i++)
        if (strcmp(list, "-") == 0 && strcmp(args->files[i], "-") == 0) why = "is also an input";
    if (!why && sn_file_read(list, LIST_BYTES, NULL, bytes, &error) != SN_OK) why = error.message;
    const char *at = (const char *)bytes->data, *end = at + bytes->size;
    for (const char *c = at; !why && c < end; c++) count += *c == 0;
    if (!why && bytes->size > 0 && end[-1] != 0) why = "the last name does not end with a NUL";
    if (!why && count > INT32_MAX / 2) why = "too many names";
    char **files = why ? NULL : sni_new(arena, char *, (uint64_t)args->file_count + count);
    if (why) {
        char shown[256];
        sni_text_printable(list, shown, sizeof shown);
        cli_complain("--files-from0 %s: error: %s", shown, why);
        return CLI_EXIT_IO;
    }
    if (!files) return cli_no_memory();
    if (args->file_count > 0) memcpy(files, args->files, sizeof *files * (size_t)args->file_count);
    args->files = files;
    for (; at < end; at += strlen(at) + 1)
        if (*at) files[args->file_count++] = (char *)(uintptr_t)at;
    return CLI_EXIT_OK;
}

static int run_on_list(cli_args *args, cli_out *out)
{
    cli_worker worker;
    sn_bytes bytes = { 0 };
    cli_worker_init(&worker);
    int code = add_listed(args, &worker.arena, &bytes);
    if (code == CLI_EXIT_OK && args->file_count == 0) {
        cli_complain("--files-from0: error: the list is empty");
        code = CLI_EXIT_USAGE;
    }
    if (code == CLI_EXIT_OK) code = run_on_files(args, out);
    sni_arena_free(&worker.arena);
    sn_bytes_free(&bytes);
    return code;
}

static int run(cli_args *args, cli_out *out)
{
    if (cli_has(args, CLI_OPTION_VERSION)) {
        cli_print(out, "sinew %s\n", SN_VERSION);
        return CLI_EXIT_OK;
    }
    if (args->verb == CLI_HELP || cli_has(args, CLI_OPTION_HELP)) return cli_run_help(args, out);
    if (args->verb == CLI_CONFIG) return cli_run_config(args, out);
    if (args->verb == CLI_BENCH) return cli_run_bench(args, out);
    if (args->verb == CLI_REPORT) return cli_run_report(args, out);
    if (args->file_count == 0 && args->verb != CLI_VIEW && !cli_has(args, CLI_OPTION_FILES_FROM0)) {
        cli_complain("no file given; see 'sinew help%s%s'", args->has_verb ? " " : "",
                     args->has_verb ? cli_verbs[args->verb].name : "");
        return CLI_EXIT_USAGE;
    }
    if (args->verb == CLI_POSE && !cli_check_pose(args)) return CLI_EXIT_USAGE;
    return cli_has(args, CLI_OPTION_FILES_FROM0) ? run_on_list(args, out) : run_on_files(args, out);
}

// A FILE without a command means view where there is a display. With options it means info, whose options they are.
static bool means_view(const cli_args *args)
{
    if (args->has_verb || args->file_count == 0) return false;
    for (int i = 0; i < CLI_OPTION_COUNT; i++)
        if (cli_has(args, (cli_option)i)) return false;
    for (int i = 0; i < args->file_count; i++)
        if (strcmp(args->files[i], "-") == 0) return false;
    return cli_has_display();
}

int main(int argc, char **argv)
{
    cli_args args;
    if (!cli_parse(argc, argv, &args)) {
        cli_complain("%s", args.message);
        return CLI_EXIT_USAGE;
    }
    // If standard output is closed the next file to be opened would become standard output.
    if (fcntl(STDOUT_FILENO, F_GETFD) < 0) {
        cli_complain("cannot write standard output: %s", strerror(errno));
        return CLI_EXIT_IO;
    }
    if (means_view(&args)) args.verb = CLI_VIEW;
    cli_out out;
    cli_out_init(&out, stdout);
    int code = run(&args, &out);
    if (!cli_out_flush(&out)) {
        cli_complain("cannot write standard output: %s", strerror(out.reason));
        code = CLI_EXIT_IO;
    }
    cli_out_free(&out);
    if (code < 0) raise(-code);  // as the shell expects
    return code == CLI_EXIT_MEMORY ? CLI_EXIT_IO : code;
}
