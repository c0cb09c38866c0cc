// Models that glTF can hold only indirectly. test_gltf_export.c saves them and compares what is loaded again;
// oracle/write_hard_models.c writes them for the Khronos validator.
#ifndef TEST_HARD_MODELS_H
#define TEST_HARD_MODELS_H

#include "hand_models.h"

typedef struct hard_model {
    const char *name;
    void (*make)(test_rig *rig);
    const char *loss;  // part of the reported loss; NULL: nothing is lost
} hard_model;

extern const hard_model hard_models[];  // the last has the name NULL

const test_rig *hard_make(const char *name);  // valid until the next call

#endif
