// Times of competitors that run in turn, and what can be said of them on a machine that others use too: a share of
// the fastest runs, the middle, and the middle of the ratios inside each round.
#ifndef BENCH_ROUNDS_H
#define BENCH_ROUNDS_H

#include <stdint.h>

enum { BENCH_MOST_ROUNDS = 1001, BENCH_MOST_RUNNERS = 8 };

typedef struct bench_times {
    uint32_t count;
    double seconds[BENCH_MOST_ROUNDS];
} bench_times;

double bench_now(void);                                           // seconds on a clock that only moves forward
double bench_percentile(const bench_times *times, double share);  // 0.5 is the median
double bench_ratio(const bench_times *a, const bench_times *b);   // the median of a / b in each round

#endif
