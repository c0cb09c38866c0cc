// The program of the benchmark in runtime.h, with the peers that are installed and the gates of bench/gates.tsv:
//
//     bench_runtime [--json] [--quick] [--rows B1,B3-B6] [--rounds N] [--small] [--every-simd] [--counts] [--gates
//     FILE]
//
// The environment variable SINEW_SIMD chooses the instruction set.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "rounds.h"
#include "runtime.h"

#ifdef BENCH_HAS_CGLM
extern const bench_peer bench_cglm;
#endif
#ifdef BENCH_HAS_OGRE
extern const bench_peer bench_ogre;
#endif

typedef struct output {
    bool is_json;
    FILE *gates;
    uint32_t row_count, missed_count, gate_count;
} output;

// What a gate may ask of a row; NaN: the row does not have it.
static double measure_of(void *user, const char *name)
{
    const bench_row *row = user;
    if (strcmp(name, "ratio_plain") == 0 && row->plain_ns > 0.0) return row->ratio_plain;
    if (strcmp(name, "ratio_memory") == 0 && row->memory_ns > 0.0) return row->ratio_memory;
    if (strcmp(name, "bytes_per_joint_second") == 0 && row->bytes_per_second > 0.0) return row->bytes_per_second;
    if (strcmp(name, "error_mm") == 0 && row->bytes_per_second > 0.0) return row->error_mm;
    for (uint32_t i = 0; i < row->peer_count; i++)
        if (strcmp(name, row->peers[i].name) == 0) return row->peers[i].ratio;
    return NAN;
}

static void report(void *user, const bench_row *row)
{
    output *to = user;
    if (to->gates)
        to->missed_count += bench_check_gates(to->gates, row->id, row->workload, measure_of, (void *)(uintptr_t)row,
                                              &to->gate_count);
    else if (to->is_json) bench_print_json_row(stdout, row, to->row_count == 0);
    else bench_print_row(stdout, row);
    to->row_count++;
    fflush(stdout);
}

static bool run_all(bench_opts *opts, output *to, bool every_simd)
{
    bool is_good = true;
    for (int i = 0; every_simd && i < SN_SIMD_COUNT; i++) {
        opts->simd = (sn_simd)i;
        if (i == SN_SIMD_AUTO || !sn_simd_is_supported(opts->simd)) continue;
        printf("%s\n", sn_simd_name(opts->simd));
        is_good = bench_run(opts) && is_good;
    }
    if (every_simd) return is_good;
    if (to->is_json) bench_print_json_begin(stdout, opts);
    else if (!to->gates && !opts->counts) bench_print_head(stdout);
    is_good = bench_run(opts);
    if (to->is_json) bench_print_json_end(stdout);
    return is_good;
}

int main(int argc, char **argv)
{
    const bench_peer peers[] = {
#ifdef BENCH_HAS_CGLM
        bench_cglm,
#endif
#ifdef BENCH_HAS_OGRE
        bench_ogre,
#endif
        { 0 },
    };
    bench_opts opts = { .peers = peers, .report = report };
    output to = { 0 };
    bool every_simd = false, is_good = bench_find_simd(getenv("SINEW_SIMD"), &opts.simd);
    if (!is_good) fprintf(stderr, "SINEW_SIMD=%s is not supported here\n", getenv("SINEW_SIMD"));
    for (int i = 1; i < argc && is_good; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--json") == 0) to.is_json = true;
        else if (strcmp(argv[i], "--quick") == 0) opts.rounds = BENCH_QUICK_ROUNDS;
        else if (strcmp(argv[i], "--small") == 0) opts.is_small = true;
        else if (strcmp(argv[i], "--counts") == 0) opts.counts = true;
        else if (strcmp(argv[i], "--every-simd") == 0) every_simd = true;
        else if (strcmp(argv[i], "--rows") == 0 && value) opts.rows = argv[++i];
        else if (strcmp(argv[i], "--rounds") == 0 && value) opts.rounds = (uint32_t)atoi(argv[++i]);
        else if (strcmp(argv[i], "--gates") == 0 && value) is_good = (to.gates = fopen(argv[++i], "r")) != NULL;
        else is_good = false;
        if (!is_good) fprintf(stderr, "%s is not understood, or its value is not\n", argv[i]);
    }
    if (!is_good) return 2;
    opts.user = &to;
    is_good = run_all(&opts, &to, every_simd);
    if (to.gates) {
        printf("%u gates, %u missed\n", to.gate_count, to.missed_count);
        fclose(to.gates);
    }
    return is_good && to.missed_count == 0 && (!to.gates || to.gate_count > 0) ? 0 : 1;
}
