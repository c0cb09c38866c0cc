// Asserts what sinew.h promises, with none of the library's own code: a broken promise aborts and says which.
#ifndef TEST_CHECK_MODEL_H
#define TEST_CHECK_MODEL_H

#include "sinew/sinew.h"

// Every promise about a loaded model.
void check_model(const sn_model *model);

// The promises about a load that answered NULL.
void check_error(const sn_error *error);

// Poses, samples, solves, skins, bounds and hashes it. What comes out must be finite where the model's numbers are
// not extreme, and lie inside its bounds. `work` is about how many vertices and keys it may touch; 0: a usual amount.
void exercise_model(const sn_model *model);
void exercise_model_within(const sn_model *model, const sn_allocator *allocator, uint64_t work);

// No number that posing the model can meet is larger than this, at rest or in any clip. It may be infinite.
double model_reach(const sn_model *model);

#endif
