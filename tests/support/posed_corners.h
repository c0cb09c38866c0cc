// A model that was saved and loaded again, corner by corner, at the same time of a clip. Z up is turned to Y up, the
// viewer is in front; coarser levels of detail, other scenes, lines and triangles without an area do not count.
#ifndef TEST_POSED_CORNERS_H
#define TEST_POSED_CORNERS_H

#include "sinew/sinew.h"

// The largest distance of two corners, also as a part of the model's size.
typedef struct corner_error {
    double distance, part;
} corner_error;

// At five times of each clip, at rest where there is none. With is_stretched a clip may have become longer or shorter:
// times are parts of it. Corner k of triangle i of a part is that of the part of the other model that is nearest and as
// large. Where parts were split or joined, each triangle is the nearest in six poses.
// Infinite when clips or triangles are missing.
corner_error compare_corners(const sn_model *a, const sn_model *b, bool is_stretched);

// Prints losses with SINEW_TEST_VERBOSE: for sn_save_opts.report.
void print_loss(void *user, const sn_warning *loss);

// Adds up the errors that losses state ("off by up to 0.2"), into the double that `user` points at: at worst they add
// up.
void add_stated_error(void *user, const sn_warning *loss);

#endif
