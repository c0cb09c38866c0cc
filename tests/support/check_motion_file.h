// Loads any bytes as a motion of one fixed model and plays what loads; a broken promise aborts.
#ifndef TEST_CHECK_MOTION_FILE_H
#define TEST_CHECK_MOTION_FILE_H

#include "counting_heap.h"

// The model of fuzz/seeds/motion. It has more than one block of nodes, and everything that a track can be.
sn_model *motion_file_model(void);  // random_model_free

// Returns whether the bytes are a motion of the model. `heap` may be set to fail.
bool check_motion_file(const sn_model *model, const uint8_t *data, size_t size, counting_heap *heap, sn_status *status);

#endif
