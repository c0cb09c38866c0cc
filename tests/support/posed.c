#include "posed.h"

#include <stdlib.h>

sn_pose *pose_at(const sn_model *model, int32_t clip, float seconds, float clock)
{
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    if (!pose) abort();
    sn_pose_sample(pose, clip, seconds, clock);
    sn_pose_solve(pose, NULL);
    return pose;
}

void skin_at(const sn_model *model, int32_t part, int32_t clip, float seconds, sn_vec3 *positions)
{
    sn_pose *pose = pose_at(model, clip, seconds, 0);
    sn_skin_part(pose, part, positions, NULL, NULL);
    sn_pose_free(pose);
}

sn_mat34 world_at(const sn_model *model, const char *node, int32_t clip, float seconds)
{
    int32_t index = sn_model_find_node(model, node);
    if (index < 0) abort();
    sn_pose *pose = pose_at(model, clip, seconds, 0);
    sn_mat34 world = sn_pose_world(pose, index);
    sn_pose_free(pose);
    return world;
}

uint32_t count_warnings(const sn_model *model, int32_t code)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < model->warning_count; i++)
        if (code < 0 || model->warnings[i].code == code) count += model->warnings[i].count;
    return count;
}
