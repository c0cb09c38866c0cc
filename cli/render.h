// render: pictures of models, one at a time or many.
#ifndef CLI_RENDER_H
#define CLI_RENDER_H

#include "moment.h"
#include "sinew/render.h"

// How pictures shall look, as the command line asks.
typedef struct cli_look {
    uint32_t width, height, lod;
    float    yaw, pitch;
    sn_vec4  background;
    uint32_t show;           // sn_show
} cli_look;

bool cli_look_read(const cli_args *args, cli_look *look);      // false: a usage error, told

// What all pictures of a thread share.
typedef struct cli_studio {
    cli_sources *sources;
    cli_out     *out;
    cli_look     look;
    sn_renderer *renderer;
} cli_studio;

int  cli_studio_open(cli_studio *studio, cli_sources *sources, cli_out *out, const cli_look *look);    // an exit code; told
void cli_studio_close(cli_studio *studio);

// One model, ready for its pictures.
typedef struct cli_set {
    cli_studio  *studio;
    cli_job      job;
    cli_moment   moment;
    sn_drawable *drawable;
    sn_pose     *pose;
    sn_mat34     upright;
    sn_frame     frame;       // but for eye and labels
    sn_actor     actor;
} cli_set;

int  cli_set_open(cli_set *set, cli_studio *studio, const cli_input *input, const char *target);    // an exit code; told
void cli_set_close(cli_set *set);

// One picture of a moment, from an angle. The answer is an exit code; failures are told.
int  cli_set_shoot(cli_set *set, cli_moment moment, const sn_eye *eye, sn_pixels *pixels);
int  cli_set_aim(cli_set *set, int32_t clip, float yaw, float pitch, sn_eye *eye);       // at all that the clip shows
int  cli_set_fail(cli_set *set, const sn_error *error);

#endif
