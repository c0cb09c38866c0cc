// A model at one time: what tests of every format ask about it.
#ifndef TEST_POSED_H
#define TEST_POSED_H

#include "sinew/sinew.h"

sn_pose *pose_at(const sn_model *model, int32_t clip, float seconds, float clock);  // sampled and solved
void skin_at(const sn_model *model, int32_t part, int32_t clip, float seconds, sn_vec3 *positions);
sn_mat34 world_at(const sn_model *model, const char *node, int32_t clip, float seconds);

uint32_t count_warnings(const sn_model *model,
                        int32_t code);  // of every code when it is -1; counted as often as they were given

#endif
