// A model that was saved and loaded again, corner by corner: corner k of triangle i of the old model is corner k of
// triangle i of the new one, at the same place at the same time of a clip.
#ifndef TEST_POSED_CORNERS_H
#define TEST_POSED_CORNERS_H

#include "sinew/sinew.h"

// The largest distance of two corners, also as a part of the model's size.
typedef struct corner_error {
    double distance, part;
} corner_error;

// At five times of each clip, at rest where there is none. With is_stretched a clip may have become longer or shorter:
// times are parts of it.
// Infinite when clips or corners are missing. Only the finest level of detail counts.
corner_error compare_corners(const sn_model *a, const sn_model *b, bool is_stretched);

// Prints losses with SINEW_TEST_VERBOSE: for sn_save_opts.report.
void print_loss(void *user, const sn_warning *loss);

// Adds up the errors that losses state ("off by up to 0.2"), into the double that `user` points at: at worst they add
// up.
void add_stated_error(void *user, const sn_warning *loss);

#endif
