// sinew_render: draws models that sinew.h loads and poses. OpenGL 3.3 core or OpenGL ES 3.0; needs no display.
//
//     sn_renderer *renderer = sn_renderer_create(NULL, &error);          // examples/02_picture.c is the full program
//     sn_drawable *drawable = sn_drawable_create(renderer, model, &error);
//     sn_mat34 upright = sn_model_upright(model);
//     sn_pose_set_root(pose, &upright);
//     sn_pose_solve(pose, NULL);
//     sn_bounds bounds = sn_pose_bounds(pose);
//     sn_actor actor = { .drawable = drawable, .pose = pose };
//     sn_frame frame = { .width = 512, .height = 512, .actors = &actor, .actor_count = 1 };
//     frame.camera = sn_render_camera_fit(&bounds, SN_VIEW_YAW, SN_VIEW_PITCH, 1.0f);
//     if (sn_render_draw(renderer, &frame, &error) == SN_OK && sn_render_read(renderer, &pixels, &error) == SN_OK)
//         sn_pixels_save(&pixels, "knight.png", &error);
//
// World space has Y up, and the front of a model faces +Z. A renderer and everything created with it must be used by
// one thread at a time. Different threads may use different renderers.
#ifndef SINEW_RENDER_H
#define SINEW_RENDER_H

#include "sinew.h"

#ifdef __cplusplus
extern "C" {
#endif
// clang-format off

typedef struct sn_renderer sn_renderer;
typedef struct sn_drawable sn_drawable;  // a model in GPU memory

typedef struct sn_render_opts {
    sn_allocator allocator;
    bool use_current;  // use the current OpenGL context, for example a window's; else create one without a display
    bool prefer_es;    // try OpenGL ES 3.0 before OpenGL 3.3
    bool debug;        // create a debug context; an OpenGL error fails the draw
    uint32_t samples;  // per pixel, limited by the driver [4]
    uint64_t image_pixels;  // limit for all images of a model together [128 M + 64 x bytes of the images]
    // Font files for text, separated by ':'. Each character is drawn with the first font that has it. NULL: common
    // system fonts. Without fonts, ASCII characters are drawn as strokes and others as boxes; "" does so on every
    // machine. Must outlive the renderer. Fonts are not validated: use only trusted files.
    const char *fonts;
    // Called for images that cannot be decoded. May be NULL.
    void (*report)(void *user, const sn_warning *warning);
    void *user;
} sn_render_opts;

// Returns NULL on failure. SN_ERR_UNSUPPORTED: there is no OpenGL; the message names the packages to install.
SN_API sn_renderer *sn_renderer_create(const sn_render_opts *opts, sn_error *error);
SN_API void sn_renderer_free(sn_renderer *renderer);               // free its drawables first
SN_API const char *sn_renderer_name(const sn_renderer *renderer);  // driver and version

// Uploads the geometry; images are uploaded when first drawn. The model must outlive the drawable.
SN_API sn_drawable *sn_drawable_create(sn_renderer *renderer, const sn_model *model, sn_error *error);
SN_API void sn_drawable_free(sn_drawable *drawable);

// The rotation from the model's axes to Y up, facing +Z. Pass it, or your matrix times it, to sn_pose_set_root.
SN_API sn_mat34 sn_model_upright(const sn_model *model);
SN_API sn_bounds sn_bounds_transform(const sn_bounds *bounds, const sn_mat34 *by);  // bounds of the transformed box

// Camera position and projection.
typedef struct sn_render_camera {
    sn_view view;
    float fov_y;        // radians; 0: parallel projection
    float half_height;  // of a parallel projection
    float near_plane, far_plane;
} sn_render_camera;

#define SN_VIEW_YAW   0.6f  // a good view of most models: from the front left, slightly above
#define SN_VIEW_PITCH 0.3f

// A camera that sees the complete box. Yaw 0 looks at the front, pi/2 at the model's left side; pitch pi/2 looks down.
// `aspect` is width / height.
SN_API sn_render_camera sn_render_camera_fit(const sn_bounds *bounds, float yaw, float pitch, float aspect);
SN_API sn_render_camera sn_render_camera_fit_parallel(const sn_bounds *bounds, float yaw, float pitch, float aspect);
// A camera of the model, as posed. False: the model has no such camera.
SN_API bool sn_render_camera_from_model(const sn_model *model, const sn_pose *pose, int32_t camera,
                                        const sn_bounds *bounds, sn_render_camera *out);

// The tightest camera that sees a set of points: begin, add the points of all poses to show, end.
enum { SN_FRAMING_SLOPES = 10 };
typedef struct sn_framing {
    sn_view view;
    float slope[2][SN_FRAMING_SLOPES], upper[2][SN_FRAMING_SLOPES], lower[2][SN_FRAMING_SLOPES], nearest, farthest;
    sn_vec3 min, max;  // of the points
} sn_framing;
SN_API sn_framing sn_framing_begin(float yaw, float pitch, float aspect);
SN_API void sn_framing_add(sn_framing *framing, const sn_vec3 *points, uint32_t count);
// Adds all vertices of visible parts, except outliers: a minority of the vertices, separated from the rest by a gap of
// more than three times its size.
SN_API sn_status sn_framing_add_pose(sn_framing *framing, const sn_pose *pose, const sn_model *model,
                                     const sn_allocator *allocator);
SN_API sn_render_camera sn_framing_end(const sn_framing *framing);

// A posed model in the frame. Call sn_pose_solve first. The drawable and the pose must be of the same model.
typedef struct sn_actor {
    const sn_drawable *drawable;
    const sn_pose *pose;
    const sn_mat34 *transform;  // applied after the pose's root; NULL: identity
} sn_actor;

typedef enum sn_show {
    SN_SHOW_SKELETON = 1 << 0,     // bones between joints, over the model
    SN_SHOW_NAMES = 1 << 1,        // joint names
    SN_SHOW_AXES = 1 << 2,         // joint axes: x red, y green, z blue
    SN_SHOW_ATTACHMENTS = 1 << 3,  // attachment points
    SN_SHOW_WIREFRAME = 1 << 4,
    SN_SHOW_NORMALS = 1 << 5,
    SN_SHOW_WEIGHTS = 1 << 6,     // skin weights of sn_frame.selected_node, from blue to red
    SN_SHOW_BOUNDS = 1 << 7,      // box and sphere of the pose
    SN_SHOW_GRID = 1 << 8,        // the ground
    SN_SHOW_SHADOW = 1 << 9,      // of the key light, on the ground and on the models
    SN_SHOW_UNTEXTURED = 1 << 10,
    SN_SHOW_LIGHTS = 1 << 11,     // light the scene with the models' lights instead of the default lights
    SN_SHOW_SELECTION = 1 << 12   // highlight sn_frame.selected_node and the bones to its children
} sn_show;

typedef enum sn_align { SN_ALIGN_LEFT, SN_ALIGN_CENTER, SN_ALIGN_RIGHT } sn_align;

// Text over the picture, in pixels from the top left. y is the baseline; x is the left, centre or right of the text.
typedef struct sn_label {
    const char *text;
    float x, y, size;  // size: height of a capital letter in pixels
    sn_align align;
    sn_vec4 color;     // sRGB
} sn_label;

SN_API float sn_label_width(sn_renderer *renderer, const char *text, float size);  // renderer NULL: without fonts

// An image in GPU memory, for sn_rect. The pixels are copied.
typedef struct sn_render_image sn_render_image;
SN_API sn_render_image *sn_render_image_create(sn_renderer *renderer, const sn_pixels *pixels, sn_error *error);
SN_API void sn_render_image_free(sn_render_image *image);

// A rectangle drawn over the models and their bone names, but under all labels. In pixels from the top left.
typedef struct sn_rect {
    float x, y, width, height;
    sn_vec4 color;                 // sRGB
    const sn_render_image *image;  // stretched over the rectangle and multiplied by the colour; smoothed when reduced,
                                   // nearest pixel when enlarged. NULL: filled with the colour
} sn_rect;

typedef struct sn_frame {
    uint32_t width, height;
    sn_render_camera camera;
    sn_vec4 background;      // sRGB; alpha 0 is transparent
    const sn_actor *actors;
    uint32_t actor_count;
    uint32_t show;           // sn_show
    int32_t selected_node;
    sn_bounds scene_bounds;  // the area that grid and shadow cover; all zero: the bounds of the poses
    const sn_rect *rects;    // in drawing order
    uint32_t rect_count;
    const sn_label *labels;
    uint32_t label_count;
    bool (*cancelled)(void *user);  // called while drawing; returning true stops with SN_ERR_CANCELLED. May be NULL
    void *user;
} sn_frame;

// Draws into the renderer's own framebuffer. sn_render_read returns the pixels; sn_render_present copies them to
// another framebuffer (0: the window).
SN_API sn_status sn_render_draw(sn_renderer *renderer, const sn_frame *frame, sn_error *error);
SN_API sn_status sn_render_read(sn_renderer *renderer, sn_pixels *pixels, sn_error *error);
SN_API void sn_render_present(sn_renderer *renderer, uint32_t framebuffer);

// Saves frames of equal size as an animation that loops forever; each frame has its own duration. APNG keeps exact
// colours, alpha and times. GIF has 256 colours, no partial alpha, and delays in hundredths of a second.
SN_API sn_status sn_pixels_save_apng(const sn_pixels *frames, const float *seconds, uint32_t count, const char *path,
                                     sn_error *error);
SN_API sn_status sn_pixels_save_gif(const sn_pixels *frames, const float *seconds, uint32_t count, const char *path,
                                    sn_error *error);

// clang-format on
#ifdef __cplusplus
}
#endif
#endif
