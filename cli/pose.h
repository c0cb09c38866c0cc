// A model posed as the command line asks.
#ifndef CLI_POSE_H
#define CLI_POSE_H

#include "job.h"

typedef struct cli_moment { int32_t clip; float seconds; } cli_moment;    // clip -1: at rest

void cli_pose_json(cli_job *job, const sn_pose *pose, cli_moment moment);

// What is shown, as Wavefront OBJ; "-" is standard output. The answer is an exit code; problems are told.
int cli_pose_obj(cli_job *job, const sn_pose *pose, const char *path);

#endif
