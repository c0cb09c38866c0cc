// render: pictures of models, one at a time or many.
#ifndef CLI_RENDER_H
#define CLI_RENDER_H

#include "batch/batch.h"
#include "moment.h"
#include "sinew/render.h"

enum { CLI_FILM_MAX = 999 };  // pictures of one film

// How pictures shall look, as the command line asks.
typedef struct cli_look {
    uint32_t width, height, lod;
    float yaw, pitch;
    sn_vec4 background;
    uint32_t show;       // sn_show
    uint32_t frames;     // of a clip; 0: one picture of a moment
    uint32_t turns;      // pictures of a turntable; 0: no turntable
    uint32_t film_rate;  // frames a second of one animated picture; 0: pictures that stand still
    bool is_sheet, is_gif;
} cli_look;

// Views that have a name, in degrees.
typedef struct cli_preset {
    const char *name;
    float yaw, pitch;
} cli_preset;
enum { CLI_PRESETS = 6 };
extern const cli_preset cli_presets[CLI_PRESETS];

bool cli_look_read(const cli_args *args, cli_look *look);  // false: a usage error, told

// A renderer, which belongs to one thread.
typedef struct cli_studio {
    cli_sources *sources;
    const cli_look *look;
    sn_renderer *renderer;
} cli_studio;

int cli_studio_open(cli_studio *studio, cli_sources *sources, const cli_look *look);  // an exit code; failures are told
void cli_studio_close(cli_studio *studio);

// One model, ready for its pictures.
typedef struct cli_set {
    cli_studio *studio;
    cli_job job;
    cli_moment moment;  // that the command line asks for
    sn_drawable *drawable;
    sn_pose *pose;
    sn_mat34 upright;
    int32_t camera;  // of the model, -1: our own
    sn_frame frame;  // but for eye and labels
    sn_actor actor;
} cli_set;

int cli_set_open(cli_set *set, cli_studio *studio, const cli_input *input, const char *target);  // an exit code; told
void cli_set_close(cli_set *set);

// One picture to be taken: a moment seen from somewhere, and how long it stays when it is one of a film.
typedef struct cli_shot {
    cli_moment moment;
    sn_eye eye;
    float seconds;
} cli_shot;

// The eye that sees all that the clip moves through, -1: the rest pose, with the overlays of `show`; the stage is then
// around it. The framing was begun. False: no memory.
bool cli_aim(const sn_model *model, sn_pose *pose, int32_t clip, uint32_t show, sn_framing *framing, sn_bounds *stage,
             sn_eye *eye);

int32_t cli_find_camera(const sn_model *model, const char *wanted);  // by its name or number; -1: none

// The answers are exit codes; failures are told.
int cli_set_aim(cli_set *set, int32_t clip,
                sn_eye *eye);  // at all that the clip shows; the frame's stage is then around it
int cli_set_shoot(cli_set *set, const cli_shot *shot, sn_pixels *pixels);
int cli_set_shots(cli_set *set, int32_t clip, sni_arena *arena, sni_list *shots);  // cli_shot: what the look asks for

// A sheet: strips of pictures, one for each clip, laid out on one picture.
typedef struct cli_strip {
    sn_pixels pixels;
} cli_strip;

int cli_set_strips(cli_set *set, sni_arena *arena, sni_list *strips);
int cli_sheet_write(const cli_look *look, const sni_list *lists, uint32_t list_count, sni_arena *arena,
                    const char *path);

#endif
