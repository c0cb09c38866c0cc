// Models with random hierarchies and clips: everything that a track, a node flag or a wrap can be.
#ifndef TEST_RANDOM_MODEL_H
#define TEST_RANDOM_MODEL_H

#include "sinew/sinew.h"

typedef struct random_opts {
    uint32_t nodes, clips, keys;  // keys: at most, per track
    bool own_times;               // no two tracks have the same times
    bool only_plain;              // nodes follow their parents; no matrices
    bool only_smooth;  // linear keys at shared times, without wraps, periods and jumps: like an exported clip
} random_opts;

// What to add to get from one tested seed, option or failing allocation to the next: SINEW_SEED_STEP (sanitizers), else
// 1. A sweep sample's failing allocations while it is loaded and saved as .glb are complete anyway.
uint32_t random_step(void);

uint32_t random_next(uint32_t *seed);
float random_float(uint32_t *seed, float low, float high);

// The same seed gives the same model. Free it with random_model_free.
sn_model *random_model(uint32_t seed, const random_opts *opts);
void random_model_free(sn_model *model);

#endif
