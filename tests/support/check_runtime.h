// What a game does with a model: compiled motion, layers, a player, IK, crowds, skinners.
#ifndef TEST_CHECK_RUNTIME_H
#define TEST_CHECK_RUNTIME_H

#include "sinew/sinew.h"

// Calls what runtime.h has. Unless the model has extreme numbers, results must be finite, rotations have unit length,
// and skinned vertices be inside the skinner's bounds. A saved motion must give the same bytes again. All memory must
// be within its limit, and freed. `choice` varies the options. Models that take more than `work` are left out.
void check_runtime(const sn_model *model, uint8_t choice, uint64_t work);

#endif
