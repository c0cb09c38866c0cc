// Checks the promises of sinew.h without using library code. A broken promise is printed and aborts.
#ifndef TEST_CHECK_MODEL_H
#define TEST_CHECK_MODEL_H

#include "sinew/sinew.h"

// Every promise about a loaded model.
void check_model(const sn_model *model);

// The promises about a load that returned NULL.
void check_error(const sn_error *error);

// Poses, samples, solves, skins, bounds and hashes the model. Results must be finite unless the model has extreme
// numbers, and inside the bounds. `work` limits how many vertices and keys are touched; 0: the default.
void exercise_model(const sn_model *model);
void exercise_model_within(const sn_model *model, const sn_allocator *allocator, uint64_t work);

// No number that posing the model can meet is larger than this, at rest or in any clip. It may be infinite.
double model_extent(const sn_model *model);

#endif
