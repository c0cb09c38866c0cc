#include "rounds.h"

#include <fnmatch.h>
#include <math.h>
#include <stdbool.h>
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

void bench_shuffle(uint32_t *order, uint32_t count, uint64_t *state)
{
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    for (uint32_t i = count; i-- > 1;) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        uint32_t other = (uint32_t)((*state >> 33) % (i + 1)), held = order[i];
        order[i] = order[other];
        order[other] = held;
    }
}

// The thread's own time: a turn does not get longer when another process interrupts it.
static double thread_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_turn(const bench_runner *runner, bench_function *run, uint32_t count)
{
    double start = thread_seconds();
    run(runner->context, count);
    return thread_seconds() - start;
}

// Doubles the repetitions until a turn is long enough to measure, then takes what fits the turn.
static uint32_t fit_turn(const bench_runner *runner, double turn_seconds)
{
    for (uint32_t count = 1; count < 1u << 24; count *= 2) {
        double seconds = time_turn(runner, runner->run, count);
        if (seconds * 2 < turn_seconds) continue;
        double fits = count * turn_seconds / seconds;
        return fits > 1.0 ? (uint32_t)fits : 1;
    }
    return 1u << 24;
}

// The base runs in turn with what includes it, in pieces: the speed of a shared machine changes from one millisecond to
// the next.
static double time_without_base(const bench_runner *runner)
{
    enum { PIECES = 16 };
    double seconds = 0.0;
    for (uint32_t done = 0, piece = (runner->count + PIECES - 1) / PIECES; done < runner->count; done += piece) {
        if (piece > runner->count - done) piece = runner->count - done;
        seconds += time_turn(runner, runner->run, piece) - time_turn(runner, runner->base, piece);
    }
    return seconds;
}

void bench_run_rounds(bench_runner *runners, uint32_t count, uint32_t rounds, double turn_seconds)
{
    uint64_t state = 1;
    for (uint32_t i = 0; i < count; i++) {
        runners[i].count = fit_turn(&runners[i], turn_seconds);
        runners[i].times.count = 0;
    }
    for (uint32_t round = 0; round < rounds && round < BENCH_MOST_ROUNDS; round++) {
        uint32_t order[BENCH_MOST_RUNNERS];
        bench_shuffle(order, count, &state);
        for (uint32_t i = 0; i < count; i++) {
            bench_runner *one = &runners[order[i]];
            double seconds = one->base ? time_without_base(one) : time_turn(one, one->run, one->count);
            one->times.seconds[one->times.count++] = seconds / (one->count * one->units);
        }
    }
}

// Lines of the file: id, pattern of workloads, measure, >= or <=, threshold; separated by tabs.
uint32_t bench_check_gates(FILE *gates, const char *id, const char *workload,
                           double (*measure)(void *user, const char *name), void *user, uint32_t *count)
{
    char line[256], its_id[16], pattern[64], name[32], relation[4];
    double threshold;
    uint32_t missed = 0;
    rewind(gates);
    while (fgets(line, sizeof line, gates)) {
        if (line[0] == '#' || sscanf(line, "%15[^\t]\t%63[^\t]\t%31[^\t]\t%3[^\t]\t%lf", its_id, pattern, name,
                                     relation, &threshold) != 5)
            continue;
        if (strcmp(its_id, id) != 0 || fnmatch(pattern, workload, 0) != 0) continue;
        double value = measure(user, name);
        if (isnan(value)) continue;
        bool is_met = relation[0] == '>' ? value >= threshold : value <= threshold;
        printf("%-6s %-4s %-26s %-24s %8.2f %s %g\n", is_met ? "ok" : "MISSED", id, workload, name, value, relation,
               threshold);
        ++*count;
        missed += !is_met;
    }
    return missed;
}
