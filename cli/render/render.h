// render: draws pictures of models, one or many.
#ifndef CLI_RENDER_H
#define CLI_RENDER_H

#include "cli/batch/batch.h"
#include "cli/clip_time.h"
#include "cli/render/framing.h"
#include "sinew/render.h"

enum { CLI_ANIMATION_MAX = 999, CLI_PICTURE_SIDE_MAX = 16384 };  // frames; pixels

// The options of render and view. render_options.c
typedef struct cli_render_options {
    uint32_t width, height, lod;
    float yaw, pitch;
    sn_vec4 background;
    uint32_t show;            // sn_show
    uint32_t frames;          // of a clip; 0: one picture
    uint32_t turns;           // pictures of a turntable; 0: no turntable
    uint32_t max_seconds;     // of processor time for a picture; 0: by its size
    uint32_t workers;         // that draw at the same time
    uint32_t animation_rate;  // frames per second of an APNG or GIF; 0: still pictures
    bool is_sheet, is_gif;
} cli_render_options;

// Named views, in degrees.
typedef struct cli_view_preset {
    const char *name;
    float yaw, pitch;
} cli_view_preset;
enum { CLI_PRESETS = 6 };
extern const cli_view_preset cli_presets[CLI_PRESETS];

// --gif or -o x.gif; --apng or -o x.apng.
bool cli_writes_gif(const cli_args *args);
bool cli_writes_apng(const cli_args *args);

bool cli_render_options_read(const cli_args *args, cli_render_options *options);  // false: a usage error, reported

// Pins the threads of Mesa's software driver to processors. driver_threads.c
void cli_pin_driver_threads(const sn_renderer *renderer);

// A renderer; each worker thread has its own. shots.c
typedef struct cli_render_context {
    cli_session *session;
    const cli_render_options *options;
    sn_renderer *renderer;
    const char *shown;  // the model that is loaded
} cli_render_context;

// These return an exit code and report failures.
int cli_render_context_open(cli_render_context *context, cli_session *session, const cli_render_options *options);
void cli_render_context_close(cli_render_context *context);

// A loaded model with its pose, ready to be drawn.
typedef struct cli_scene {
    cli_render_context *context;
    cli_job job;
    cli_clip_time clip_time;  // of --clip and --time
    sn_drawable *drawable;
    sn_pose *pose;
    int32_t camera;              // of the model; -1: none
    sn_render_camera fitted;     // sees all clips that were framed
    sn_frame frame;              // all but camera and labels
    double most_seconds, begun;  // processor time of the process: for a picture, when it was begun
    sn_actor actor;
} cli_scene;

int cli_scene_open(cli_scene *scene, cli_render_context *context, const cli_input *input, const char *target);
void cli_scene_close(cli_scene *scene);

// One picture: a time of a clip, the camera, and how long it is shown in an animation.
typedef struct cli_shot {
    cli_clip_time clip_time;
    sn_render_camera camera;
    float seconds;
} cli_shot;

// One camera for all clips from `first` to `last`, so that they have one scale; or for the clip time of the scene
// alone. Also sets the scene bounds.
int cli_scene_frame(cli_scene *scene, int32_t first, int32_t last);
int cli_scene_frame_time(cli_scene *scene);
// The pictures of a framed clip that the options ask for.
int cli_scene_list_shots(cli_scene *scene, int32_t clip, sni_arena *arena, sni_list *shots);
int cli_scene_draw(cli_scene *scene, const cli_shot *shot, sn_pixels *pixels);

int32_t cli_find_camera(const sn_model *model, const char *name);  // by name or number; -1: none

// Contact sheets: a strip of pictures per clip, all strips on one picture. sheet.c
int cli_scene_draw_strips(cli_scene *scene, sni_arena *arena, sni_list *strips);  // appends sn_pixels
int cli_sheet_write(cli_session *session, const cli_render_options *options, const sni_list *lists, uint32_t list_count,
                    sni_arena *arena, const char *path);

#endif
