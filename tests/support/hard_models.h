// Models that glTF holds only by a detour: put together by hand, saved by tests/test_gltf_export.c, which compares what
// comes back, and by oracle/write_hard.c, whose files the Khronos validator judges.
#ifndef TEST_HARD_H
#define TEST_HARD_H

#include "hand_models.h"

typedef struct hard_model {
    const char *name;
    void (*make)(test_rig *rig);
    const char *loss;  // a piece of what is reported; NULL: nothing is lost
} hard_model;

extern const hard_model hard_models[];  // ended by a name of NULL

const test_rig *hard_make(const char *name);  // one at a time; lives until the next

#endif
