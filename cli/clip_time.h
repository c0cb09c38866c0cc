// The clip and time of --clip and --time. "--clip rest" is the rest pose, unless a clip has that name.
#ifndef CLI_CLIP_TIME_H
#define CLI_CLIP_TIME_H

#include "job.h"

typedef struct cli_clip_time {
    int32_t clip;
    float seconds;
} cli_clip_time;  // clip -1: at rest

bool cli_check_clip_time(const cli_args *args);                             // false: wrong use, reported
bool cli_read_clip_time(cli_job *job, cli_clip_time *clip_time);            // false: there is no such clip
int cli_complain_of_clip(cli_job *job);                                     // reports it; returns an exit code
const char *cli_describe_clip_time(cli_job *job, cli_clip_time clip_time);  // "'walk' at 0.5 s"

// A JSON number, or what people type: ".5", "+1".
bool cli_parse_float(const char *text, float *value);

#endif
