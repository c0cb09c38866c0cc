// Whether two models look the same while they play. Each triangle of one has one of the other, found by where both are
// in six poses; both must be at the same place at five times of each clip. Z up is turned to Y up, and the viewer is in
// front.
#ifndef COMPARE_POSED_H
#define COMPARE_POSED_H

#include "sinew/sinew.h"

// The largest distance of two corners, as a part of the model's size. Fails the test where clips or triangles are not
// as many, or clips not as long. Parts of coarser levels of detail, of other scenes, and lines do not count.
double compare_posed(const sn_model *a, const sn_model *b);

#endif
