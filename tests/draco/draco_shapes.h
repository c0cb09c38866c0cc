// Meshes for the Draco tests, as corners: closed, open, with handles, seams, several parts, and not manifold.
#ifndef TEST_DRACO_SHAPES_H
#define TEST_DRACO_SHAPES_H

#include "draco_judge.h"

enum { DRACO_SHAPES = 14, DRACO_LARGE_SHAPE = 14, DRACO_SHAPE_FACES = 22000 };

// What the corners of a shape have; they live as long as the program, until the next shape is made.
draco_soup draco_shape(int shape, bool has_all_attributes);
const char *draco_shape_name(int shape);

#endif
