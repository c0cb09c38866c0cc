// The moment of a clip that the command line asks for.
#ifndef CLI_MOMENT_H
#define CLI_MOMENT_H

#include "job.h"

typedef struct cli_moment {
    int32_t clip;
    float seconds;
} cli_moment;  // clip -1: at rest

bool cli_check_moment(const cli_args *args);             // false: --clip and --time are misused, which is told
bool cli_read_moment(cli_job *job, cli_moment *moment);  // false: there is no such clip
int cli_complain_of_clip(cli_job *job);                  // tells it; the answer is an exit code
const char *cli_describe_moment(cli_job *job, cli_moment moment);  // "'walk' at 0.5 s"

// A JSON number, or what people type for one: ".5", "+1".
bool cli_parse_float(const char *text, float *value);

#endif
