// The clip_time of a clip that the command line asks for.
#ifndef CLI_CLIP_TIME_H
#define CLI_CLIP_TIME_H

#include "cli/job.h"

typedef struct cli_clip_time {
    int32_t clip;
    float seconds;
} cli_clip_time;  // clip -1: at rest

bool cli_check_clip_time(const cli_args *args);                   // false: --clip and --time are misused, which is told
bool cli_read_clip_time(cli_job *job, cli_clip_time *clip_time);  // false: there is no such clip
int cli_complain_of_clip(cli_job *job);                           // tells it; the answer is an exit code
const char *cli_describe_clip_time(cli_job *job, cli_clip_time clip_time);  // "'walk' at 0.5 s"

// A JSON number, or what people type for one: ".5", "+1".
bool cli_parse_float(const char *text, float *value);

#endif
