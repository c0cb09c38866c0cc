// Models for the benchmark of the runtime, from a seeded generator. A humanoid is 1.8 m tall; all its joints turn, move
// and scale, as in clips that an exporter baked.
#ifndef BENCH_RUNTIME_WORKLOADS_H
#define BENCH_RUNTIME_WORKLOADS_H

#include <sinew/sinew.h>

typedef enum bench_shape { BENCH_HUMANOID, BENCH_CHAIN, BENCH_WIDE } bench_shape;

typedef struct bench_plan {
    bench_shape shape;
    uint32_t joints;  // of a humanoid: 20, 67 or 250
    uint32_t clips;
    float seconds;                   // of each clip
    bool own_times;                  // each track has its own key times, 10 a second; else all share 30 a second
    bool only_turns;                 // only the root moves and no joint scales; their tracks have keys all the same
    sn_interpolation interpolation;  // of all tracks
    uint32_t skins;                  // each of all joints
    uint32_t vertices, influences;   // of one mesh with the first skin; influences 0: 1 to 4, mixed
} bench_plan;

// The model, or NULL after a message.
sn_model *bench_make_model(const bench_plan *plan);

void *bench_alloc(size_t size, size_t count);  // zeroed; ends the program when there is no memory

// Random numbers from a seed.
typedef struct bench_random {
    uint64_t state;
} bench_random;
uint32_t bench_random_below(bench_random *random, uint32_t limit);
double bench_random_between(bench_random *random, double low, double high);

#endif
