// What the window shows, without a window: a clip being played, its keys, the eye.
#ifndef CLI_VIEW_STATE_H
#define CLI_VIEW_STATE_H

#include "sinew/render.h"

typedef enum cli_loop { CLI_LOOP_AGAIN, CLI_LOOP_ONCE, CLI_LOOP_TO_AND_FRO, CLI_LOOP_COUNT } cli_loop;

extern const char *const cli_loop_names[CLI_LOOP_COUNT];

// A clip being played. Seconds lie within the clip, both ends included.
typedef struct cli_player {
    int32_t clip;          // -1: the rest pose
    float duration, rate;  // frames a second
    float seconds;
    float clock;  // of what moves by itself: since the clip was taken, as much as the player went
    float speed;
    cli_loop loop;
    bool is_playing, is_turned;  // turned: on the way back
} cli_player;

void cli_player_take(cli_player *player, const sn_model *model,
                     int32_t clip);  // from its start; speed, loop and playing stay
void cli_player_advance(cli_player *player, float elapsed);
void cli_player_toggle(cli_player *player);  // a clip that has ended starts again
void cli_player_seek(cli_player *player, float seconds);
void cli_player_step(cli_player *player, int frames);   // from whole frame to whole frame; playing ends
void cli_player_hasten(cli_player *player, int steps);  // each doubles, or halves, within bounds
float cli_player_moment(const cli_player *player);      // what to sample: the end of a clip that loops is not its start
uint32_t cli_player_frame(const cli_player *player);
uint32_t cli_player_last_frame(const cli_player *player);

// Frames a second that the keys of a clip lie on: a usual rate that takes them all, else 30.
float cli_clip_rate(const sn_clip *clip);

// Where a clip has keys: the clip's time in equal steps, its end in the last.
enum { CLI_TICKS = 1024, CLI_TICK_KEY = 1, CLI_TICK_CHOSEN = 2 };
typedef struct cli_ticks {
    uint8_t at[CLI_TICKS + 1];
} cli_ticks;
void cli_ticks_make(cli_ticks *ticks, const sn_clip *clip, int32_t node);  // chosen: keys of this node

// An eye that turns about a point.
typedef struct cli_orbit {
    sn_vec3 center;
    float yaw, pitch, distance, fov;
} cli_orbit;

cli_orbit cli_orbit_of(const sn_eye *eye, float yaw, float pitch, const sn_bounds *stage);
void cli_orbit_turn(cli_orbit *orbit, float yaw, float pitch);
void cli_orbit_pan(cli_orbit *orbit, float right, float down);               // the picture by parts of its height
void cli_orbit_zoom(cli_orbit *orbit, float steps, const sn_bounds *stage);  // of the wheel
sn_eye cli_orbit_eye(const cli_orbit *orbit, const sn_bounds *stage);
// As much farther and aside that what filled the picture fills a part of it. Parts of the whole: left, top, width,
// height.
void cli_orbit_squeeze(cli_orbit *orbit, float left, float top, float width, float height, float aspect);

// Pixels of a picture; y goes down.
typedef struct cli_picture {
    sn_eye eye;
    float width, height;
} cli_picture;
typedef struct cli_ray {
    sn_vec3 from, along;
} cli_ray;

bool cli_picture_place(const cli_picture *picture, sn_vec3 at, sn_vec2 *pixel, float *depth);  // false: behind the eye
cli_ray cli_picture_ray(const cli_picture *picture, sn_vec2 pixel);

// view_pick.c. The bone drawn at a pixel or near it; -1: none.
int32_t cli_pick_bone(const cli_picture *picture, const sn_model *model, const sn_pose *pose, sn_vec2 pixel,
                      float reach);
// The bone that moves most of what the ray meets first, or the node that carries it; -1: it meets nothing.
int32_t cli_pick_surface(const sn_model *model, const sn_pose *pose, const cli_ray *ray, const sn_allocator *allocator);

#endif
