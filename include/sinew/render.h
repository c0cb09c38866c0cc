// clang-format off: columns are aligned by hand, for readers
// sinew_render: pictures of what sinew.h loads and poses. OpenGL 3.3 core or OpenGL ES 3.0; no display is needed.
//
//     sn_renderer *renderer = sn_renderer_create(NULL, &error);          // examples/02_picture.c is the whole of it
//     sn_drawable *drawable = sn_drawable_create(renderer, model, &error);
//     sn_mat34 upright = sn_model_upright(model);
//     sn_pose_set_root(pose, &upright);
//     sn_pose_solve(pose, NULL);
//     sn_bounds bounds = sn_pose_bounds(pose);
//     sn_actor actor = { .drawable = drawable, .pose = pose };
//     sn_frame frame = { .width = 512, .height = 512, .actors = &actor, .actor_count = 1 };
//     frame.eye = sn_eye_around(&bounds, SN_VIEW_YAW, SN_VIEW_PITCH, 1.0f);
//     if (sn_render_draw(renderer, &frame, &error) == SN_OK && sn_render_read(renderer, &pixels, &error) == SN_OK)
//         sn_pixels_save(&pixels, "knight.png", &error);
//
// The world of a picture is Y up, what faces the viewer of a front view looks along +Z. A renderer and all that was
// made with it belong to one thread at a time; several renderers may draw in several threads.
#ifndef SINEW_RENDER_H
#define SINEW_RENDER_H

#include "sinew.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_renderer sn_renderer;
typedef struct sn_drawable sn_drawable;  // a model on the graphics side

typedef struct sn_render_opts {
    sn_allocator allocator;
    bool use_current;  // draw with the OpenGL context that is current (a window's); else one without a display is made
    bool prefer_es;    // OpenGL ES 3.0 before OpenGL 3.3
    bool debug;        // a debug context; what it finds wrong fails the draw
    uint32_t samples;  // per pixel, as far as the driver has them [4]
    // Files of fonts for letters that are not ASCII, ':' between them: the first that has a letter draws it. NULL:
    // well-known ones of the system. "": none, such letters are boxes. Must outlive the renderer. Fonts are trusted:
    // name none that is not.
    const char *fonts;
    // Told of what cannot be shown as it should be: images that cannot be decoded.
    void (*report)(void *user, const sn_warning *warning);
    void *user;
} sn_render_opts;

// NULL: error says why. SN_ERR_UNSUPPORTED: there is no OpenGL to be had, and the message names the package to install.
SN_API sn_renderer *sn_renderer_create(const sn_render_opts *opts, sn_error *error);
SN_API void sn_renderer_free(sn_renderer *renderer);               // its drawables must be gone
SN_API const char *sn_renderer_name(const sn_renderer *renderer);  // of the driver and its version

// The geometry goes up at once, images when they are first shown. The model must outlive it.
SN_API sn_drawable *sn_drawable_create(sn_renderer *renderer, const sn_model *model, sn_error *error);
SN_API void sn_drawable_free(sn_drawable *drawable);

// The turn that stands a model upright and lets it face +Z: for sn_pose_set_root, times any matrix of yours.
SN_API sn_mat34 sn_model_upright(const sn_model *model);
SN_API sn_bounds sn_bounds_moved(const sn_bounds *bounds, const sn_mat34 *by);  // a box around the moved box

// Where a picture is seen from, and how wide.
typedef struct sn_eye {
    sn_view view;
    float fov_y;        // radians; 0: parallel
    float half_height;  // where it is parallel
    float near_plane, far_plane;
} sn_eye;

#define SN_VIEW_YAW   0.6f  // a good view of most things: from their front left, a little from above
#define SN_VIEW_PITCH 0.3f

// Sees all of the box. Yaw 0 looks at the front, pi/2 at the model's left; pitch pi/2 looks down. `aspect` is width /
// height.
SN_API sn_eye sn_eye_around(const sn_bounds *bounds, float yaw, float pitch, float aspect);
// The same to the point: sees all points that were added, and no more than that.
enum { SN_FRAMING_LEANS = 10 };
typedef struct sn_framing {
    sn_view view;
    float lean[2][SN_FRAMING_LEANS], most[2][SN_FRAMING_LEANS], least[2][SN_FRAMING_LEANS], near_back, far_back;
    sn_vec3 min, max;
} sn_framing;
SN_API sn_framing sn_framing_begin(float yaw, float pitch, float aspect);
SN_API void sn_framing_add(sn_framing *framing, const sn_vec3 *points, uint32_t count);
SN_API sn_status sn_framing_add_pose(sn_framing *framing, const sn_pose *pose, const sn_model *model,
                                     const sn_allocator *allocator);
SN_API sn_eye sn_framing_end(const sn_framing *framing);
SN_API sn_eye sn_eye_parallel(const sn_bounds *bounds, float yaw, float pitch, float aspect);
// That of a model's camera as the pose carries it; false: there is no such camera.
SN_API bool sn_eye_of_camera(const sn_model *model, const sn_pose *pose, int32_t camera, const sn_bounds *bounds,
                             sn_eye *eye);

// A posed model in the picture. The pose is as sn_pose_solve left it and must be of the drawable's model.
typedef struct sn_actor {
    const sn_drawable *drawable;
    const sn_pose *pose;
    const sn_mat34 *place;  // your matrix, above the pose's root; NULL: none
} sn_actor;

typedef enum sn_show {
    SN_SHOW_SKELETON = 1 << 0,  // links between joints, over the model
    SN_SHOW_NAMES = 1 << 1,     // of the joints
    SN_SHOW_AXES = 1 << 2,      // of each joint: x red, y green, z blue
    SN_SHOW_ATTACHMENTS = 1 << 3,
    SN_SHOW_WIRE = 1 << 4,
    SN_SHOW_NORMALS = 1 << 5,
    SN_SHOW_WEIGHTS = 1 << 6,  // of sn_frame.weights_node, from blue to red
    SN_SHOW_BOUNDS = 1 << 7,   // box and sphere of the pose
    SN_SHOW_GRID = 1 << 8,     // the ground
    SN_SHOW_SHADOW = 1 << 9,   // of the key light, on the ground and on the models
    SN_SHOW_PLAIN = 1 << 10,   // no textures
    SN_SHOW_LIGHTS = 1 << 11,  // light from the lights of the models instead of our own
    SN_SHOW_CHOICE = 1 << 12   // sn_frame.weights_node and the links from it stand out, whatever else is shown
} sn_show;

typedef enum sn_align { SN_ALIGN_LEFT, SN_ALIGN_CENTER, SN_ALIGN_RIGHT } sn_align;

// Text on the picture. x and y are pixels from the top left: where the line of capitals stands, at its left, middle or
// right.
typedef struct sn_label {
    const char *text;
    float x, y, size;  // size: height of a capital in pixels
    sn_align align;
    sn_vec4 color;  // sRGB
} sn_label;

SN_API float sn_label_width(sn_renderer *renderer, const char *text, float size);  // renderer NULL: as without fonts

// A filled rectangle on the picture, in pixels from the top left: over the models and their names, below all labels.
typedef struct sn_rect {
    float x, y, width, height;
    sn_vec4 color;
} sn_rect;  // color: sRGB

typedef struct sn_frame {
    uint32_t width, height;
    sn_eye eye;
    sn_vec4 background;  // sRGB; an alpha of 0 is transparent
    const sn_actor *actors;
    uint32_t actor_count;
    uint32_t show;  // sn_show
    int32_t weights_node;
    sn_bounds stage;       // around what grid and shadow are to reach; all zero: around the poses
    const sn_rect *rects;  // later ones over earlier ones
    uint32_t rect_count;
    const sn_label *labels;
    uint32_t label_count;
} sn_frame;

// Draws into a picture of the renderer's own; sn_render_read takes it, sn_render_show copies it to a framebuffer (0:
// the window).
SN_API sn_status sn_render_draw(sn_renderer *renderer, const sn_frame *frame, sn_error *error);
SN_API sn_status sn_render_read(sn_renderer *renderer, sn_pixels *pixels, sn_error *error);
SN_API void sn_render_show(sn_renderer *renderer, uint32_t framebuffer);

#ifdef __cplusplus
}
#endif
#endif
