// Compiled clips give what the plain functions give.
#ifndef TEST_CHECK_MOTION_H
#define TEST_CHECK_MOTION_H

#include "sinew/sinew.h"

// Compares sn_motion_* with sn_pose_*, for every instruction set of this machine: at keys, between keys, before and
// after the clip, at random times. A difference fails the test; `name` is printed with it.
void check_motion(const sn_model *model, const char *name, uint32_t most_clips);

extern double motion_worst_rotation, motion_worst_position;  // so far; positions relative to the model's size

#endif
