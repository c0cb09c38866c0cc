#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "job.h"

typedef int (*command)(cli_job *job);

static const command commands[CLI_VERB_COUNT] = {
    [CLI_INFO] = cli_run_info, [CLI_TREE] = cli_run_tree, [CLI_POSE] = cli_run_pose, [CLI_CHECK] = cli_run_check,
};

static int run_file(const cli_args *args, const char *file, cli_out *out)
{
    cli_job job;
    cli_job_init(&job, args, file, out);
    int code = commands[args->verb](&job);
    code = cli_job_end(&job, code);
    cli_job_free(&job);
    return code;
}

// A bad file costs only itself. One file answers with its own code, several with 1 when any had something.
static int run_files(const cli_args *args, cli_out *out)
{
    int code = CLI_EXIT_OK;
    for (int i = 0; i < args->file_count; i++) {
        int file_code = run_file(args, args->files[i], out);
        cli_out_flush(out);
        if (file_code != CLI_EXIT_OK) code = args->file_count == 1 ? file_code : CLI_EXIT_FINDINGS;
        if (out->failed) break;
    }
    return code;
}

static int run(const cli_args *args, cli_out *out)
{
    if (cli_has(args, CLI_OPTION_VERSION)) {
        cli_print(out, "sinew %s\n", SN_VERSION);
        return CLI_EXIT_OK;
    }
    if (args->verb == CLI_HELP || cli_has(args, CLI_OPTION_HELP)) return cli_run_help(args, out);
    if (args->file_count == 0) {
        cli_complain("no file given; 'sinew help%s%s' explains", args->has_verb ? " " : "",
                     args->has_verb ? cli_verbs[args->verb].name : "");
        return CLI_EXIT_USAGE;
    }
    if (args->verb == CLI_CONVERT) return cli_run_convert(args, out);
    if (args->verb == CLI_POSE && !cli_check_pose(args)) return CLI_EXIT_USAGE;
    return run_files(args, out);
}

int main(int argc, char **argv)
{
    cli_args args;
    if (!cli_parse(argc, argv, &args)) {
        cli_complain("%s", args.message);
        return CLI_EXIT_USAGE;
    }
    // With standard output closed the next file opened would take its place.
    if (fcntl(STDOUT_FILENO, F_GETFD) < 0) {
        cli_complain("cannot write standard output: %s", strerror(errno));
        return CLI_EXIT_IO;
    }
    cli_out out;
    cli_out_init(&out, stdout);
    int code = run(&args, &out);
    if (!cli_out_flush(&out)) {
        cli_complain("cannot write standard output: %s", strerror(out.reason));
        code = CLI_EXIT_IO;
    }
    cli_out_free(&out);
    return code;
}
