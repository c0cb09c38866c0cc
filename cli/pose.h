// A model posed as the command line asks.
#ifndef CLI_POSE_H
#define CLI_POSE_H

#include "moment.h"

void cli_pose_json(cli_job *job, const sn_pose *pose, cli_moment moment);

// What is shown, as Wavefront OBJ; "-" is standard output. The answer is an exit code; problems are told.
int cli_pose_obj(cli_job *job, const sn_pose *pose, const char *path);

#endif
