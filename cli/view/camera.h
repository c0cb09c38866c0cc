// The orbit camera, and picking: which bone is at a pixel. The web module uses them too.
#ifndef CLI_VIEW_CAMERA_H
#define CLI_VIEW_CAMERA_H

#include "sinew/render.h"

typedef struct cli_orbit {
    sn_vec3 center;
    float yaw, pitch, distance, fov;
} cli_orbit;

cli_orbit cli_orbit_from_camera(const sn_render_camera *camera, float yaw, float pitch, const sn_bounds *scene);
void cli_orbit_rotate(cli_orbit *orbit, float yaw, float pitch);
void cli_orbit_pan(cli_orbit *orbit, float right, float down);               // in heights of the picture
void cli_orbit_zoom(cli_orbit *orbit, float steps, const sn_bounds *scene);  // steps of the mouse wheel
sn_render_camera cli_orbit_camera(const cli_orbit *orbit, const sn_bounds *scene);
// Moves the camera so that what filled the picture fills a box of it. The box is in fractions of the picture.
void cli_orbit_fit_box(cli_orbit *orbit, float left, float top, float width, float height, float aspect);

// A camera and its picture in pixels, y down.
typedef struct cli_viewport {
    sn_render_camera camera;
    float width, height;
} cli_viewport;
typedef struct cli_ray {
    sn_vec3 from, along;
} cli_ray;

bool cli_viewport_project(const cli_viewport *viewport, sn_vec3 at, sn_vec2 *pixel, float *depth);  // false: behind it
cli_ray cli_viewport_ray(const cli_viewport *viewport, sn_vec2 pixel);

// The bone drawn within `radius` of a pixel; -1: none.
int32_t cli_pick_bone(const cli_viewport *viewport, const sn_model *model, const sn_pose *pose, sn_vec2 pixel,
                      float radius);
// The bone with the most weight in the first triangle that the ray hits, or the node of a rigid part; -1: no hit.
int32_t cli_pick_surface(const sn_model *model, const sn_pose *pose, const cli_ray *ray, const sn_allocator *allocator);

#endif
