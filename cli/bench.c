// `sinew bench`: the benchmark of bench/ without its peers, or an earlier result of it.
#include <stdlib.h>

#include "bench/runtime.h"
#include "job.h"
#include "sinew/files.h"

typedef struct bench_output {
    FILE *stream;
    bool is_json, is_svg;
    uint32_t count;
    bench_row rows[BENCH_MOST_ROWS];
} bench_output;

static void report(void *user, const bench_row *row)
{
    bench_output *to = user;
    if (to->count == BENCH_MOST_ROWS) return;
    to->rows[to->count] = *row;
    if (to->is_json) bench_print_json_row(to->stream, row, to->count == 0);
    else if (!to->is_svg) bench_print_row(to->stream, row);
    fflush(to->stream);
    to->count++;
}

static int run_rows(const bench_opts *opts, bench_output *to)
{
    if (to->is_json) bench_print_json_begin(to->stream, opts);
    else if (!to->is_svg) bench_print_head(to->stream);
    bool is_good = bench_run(opts);
    if (to->is_json) bench_print_json_end(to->stream);
    if (to->count == 0) {
        cli_complain("'--rows %s' matches no row; rows are B1 to B6", opts->rows);
        return CLI_EXIT_USAGE;
    }
    return is_good ? CLI_EXIT_OK : CLI_EXIT_FINDINGS;
}

static int read_result(const char *path, bench_output *to)
{
    sn_bytes bytes;
    sn_error error;
    if (sn_file_read(path, 1 << 20, NULL, &bytes, &error) != SN_OK) {
        cli_complain("%s: %s", path, error.message);
        return CLI_EXIT_IO;
    }
    to->count = bench_read_json(bytes.data, bytes.size, to->rows, &error);
    sn_bytes_free(&bytes);
    if (to->count == 0) {
        cli_complain("%s: %s", path, error.message);
        return CLI_EXIT_DAMAGED;
    }
    if (to->is_svg) return CLI_EXIT_OK;
    bench_print_head(to->stream);
    for (uint32_t i = 0; i < to->count; i++) bench_print_row(to->stream, &to->rows[i]);
    return CLI_EXIT_OK;
}

int cli_run_bench(const cli_args *args, cli_out *out)
{
    static bench_output to;
    bench_opts opts = { .rows = args->values[CLI_OPTION_ROWS], .report = report, .user = &to };
    const char *simd = getenv("SINEW_SIMD");
    to.stream = out->stream;
    to.is_svg = cli_has(args, CLI_OPTION_SVG);
    to.is_json = !to.is_svg && cli_has(args, CLI_OPTION_JSON);
    if (cli_has(args, CLI_OPTION_QUICK)) opts.rounds = BENCH_QUICK_ROUNDS;
    if (args->file_count > 1) {
        cli_complain("bench takes at most one RESULT.json");
        return CLI_EXIT_USAGE;
    }
    if (!bench_find_simd(simd, &opts.simd)) {
        cli_complain("SINEW_SIMD: '%s' is not supported here", simd);
        return CLI_EXIT_USAGE;
    }
    int code = args->file_count == 1 ? read_result(args->files[0], &to) : run_rows(&opts, &to);
    if (to.is_svg && to.count > 0) bench_print_svg(to.stream, to.rows, to.count);
    return code;
}
