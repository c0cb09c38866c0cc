#include "rounds.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_percentile(const bench_times *times, double share)
{
    double sorted[BENCH_MOST_ROUNDS];
    if (times->count == 0) return 0.0;
    memcpy(sorted, times->seconds, times->count * sizeof *sorted);
    qsort(sorted, times->count, sizeof *sorted, compare);
    return sorted[(uint32_t)(share * (times->count - 1) + 0.5)];
}

double bench_ratio(const bench_times *a, const bench_times *b)
{
    bench_times ratios = { .count = a->count < b->count ? a->count : b->count };
    for (uint32_t i = 0; i < ratios.count; i++) ratios.seconds[i] = a->seconds[i] / b->seconds[i];
    return bench_percentile(&ratios, 0.5);
}
