// The benchmark of sampling, blending, solving and skinning: rows B1 to B6 of docs/performance.md. The program
// bench_runtime and the command `sinew bench` run it.
#ifndef BENCH_RUNTIME_H
#define BENCH_RUNTIME_H

#include <sinew/runtime.h>
#include <stdio.h>

#include "rounds.h"

enum { BENCH_MOST_PEERS = 4, BENCH_MOST_ROWS = 128, BENCH_ROUNDS = 201, BENCH_QUICK_ROUNDS = 101 };

typedef struct bench_row {
    char id[8], workload[48], unit[16];
    double ns, median_ns;              // per unit: p10, median
    double plain_ns, memory_ns;        // p10; 0: not measured
    double ratio_plain, ratio_memory;  // plain / ours, ours / memory
    uint32_t peer_count;
    struct {
        char name[16];
        double ns, ratio;  // ratio: the peer's time / ours
    } peers[BENCH_MOST_PEERS];
    double max_error;         // of any result: components of rotations, lengths by the model's size
    double bytes_per_second;  // B6: of a joint; else 0
    double error_mm;          // B6: largest distance of a joint
    bool is_accurate;         // within the limits that runtime.h states
} bench_row;

// Another library that does the work of some rows. `create` gets a solved pose and returns NULL where the peer cannot
// take part. `read` returns a result to compare: the position of a vertex or the place of a joint.
typedef struct bench_peer {
    const char *name, *id;
    void *(*create)(const sn_model *model, const sn_pose *pose);
    bench_function *run;
    sn_vec3 (*read)(const void *context, uint32_t index);
    void (*free)(void *context);
} bench_peer;

typedef struct bench_opts {
    const char *rows;     // "B1,B3p" or "B1-B6"; NULL: all
    uint32_t rounds;      // [BENCH_ROUNDS]
    double turn_seconds;  // [0.0003]
    bool is_small;        // tiny workloads, to test the benchmark itself
    bool counts;          // no times: each row's work once, for valgrind; see bench_counted
    sn_simd simd;
    const bench_peer *peers;  // ended by one without a name; may be NULL
    void (*report)(void *user, const bench_row *row);
    void *user;
} bench_opts;

// Runs the rows and reports each. False: one could not run (after a message on standard error) or was not accurate.
bool bench_run(const bench_opts *opts);
bool bench_has_row(const char *rows, const char *id);  // false: not selected
bool bench_find_simd(const char *name,
                     sn_simd *simd);  // by name, of those that are supported; NULL and "auto": the best

// With opts.counts: valgrind counts the instructions of this function. `units` are those of the work that follows;
// one line with id, workload and units goes to standard output.
void bench_counted(bench_function *run, void *context, uint32_t count);

// Reports. A JSON document is begin, rows, end.
void bench_print_head(FILE *out);
void bench_print_row(FILE *out, const bench_row *row);
void bench_print_json_begin(FILE *out, const bench_opts *opts);
void bench_print_json_row(FILE *out, const bench_row *row, bool is_first);
void bench_print_json_end(FILE *out);

// The rows of a JSON document that this benchmark wrote; 0 after a message in `error`.
uint32_t bench_read_json(const void *data, size_t size, bench_row *rows, sn_error *error);
void bench_print_svg(FILE *out, const bench_row *rows, uint32_t count);

#endif
