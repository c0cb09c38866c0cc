// Times of competitors that run in turn, and what can be said of them on a machine that others use too: a share of
// the fastest runs, the middle, and the middle of the ratios inside each round.
#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H

#include <stdint.h>
#include <stdio.h>

enum { BENCH_MOST_ROUNDS = 1001, BENCH_MOST_RUNNERS = 8 };

typedef struct bench_times {
    uint32_t count;
    double seconds[BENCH_MOST_ROUNDS];
} bench_times;

double bench_now(void);                                           // seconds on a clock that only moves forward
double bench_percentile(const bench_times *times, double share);  // 0.5 is the median
double bench_ratio(const bench_times *a, const bench_times *b);   // the median of a / b in each round

// A seeded random order of 0 .. count - 1: what one competitor leaves behind (memory given back, caches) must not
// always meet the same successor.
void bench_shuffle(uint32_t *order, uint32_t count, uint64_t *state);

// Prints how the gates of bench/gates.tsv for a workload are met. `measure` finds a value by its name; NaN: there is
// none. Returns how many are missed, adds to `count` how many there are.
uint32_t bench_check_gates(FILE *gates, const char *id, const char *workload,
                           double (*measure)(void *user, const char *name), void *user, uint32_t *count);

typedef void bench_function(void *context, uint32_t count);  // does the work `count` times

// A competitor whose work is short. Its turn in a round is as many repetitions as take about the turn's seconds.
typedef struct bench_runner {
    const char *name;
    bench_function *run;
    bench_function *base;  // work that `run` includes but that is not meant: its time is subtracted; may be NULL
    void *context;
    double units;       // joints, vertices or instances of one repetition
    uint32_t count;     // repetitions in a turn
    bench_times times;  // seconds per unit
} bench_runner;

void bench_run_rounds(bench_runner *runners, uint32_t count, uint32_t rounds, double turn_seconds);

#endif
