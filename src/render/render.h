// The inside of the renderer: what lives on the graphics side, and who draws it.
#ifndef SNI_RENDER_H
#define SNI_RENDER_H

#include <epoxy/gl.h>

#include "base/math.h"
#include "base/writer.h"
#include "sinew/render.h"

// Columns of four, as OpenGL takes them.
typedef struct sni_mat44 {
    float m[16];
} sni_mat44;

// Textures that are arrays are this wide; element i is at (i % width, i / width).
enum { SNI_TABLE_BITS = 11, SNI_TABLE_WIDTH = 1 << SNI_TABLE_BITS };

// Vertex attributes. Each map has texture coordinates of its own, from whichever set its layer names.
enum {
    SNI_AT_POSITION,
    SNI_AT_NORMAL,
    SNI_AT_TANGENT,
    SNI_AT_COLOR,
    SNI_AT_UV,
    SNI_AT_INSTANCE = SNI_AT_UV + SN_MAP_COUNT,
    SNI_AT_TINT
};

// What a program is made for. A program without a feature does not pay for it.
typedef enum sni_feature {
    SNI_COLOR_MAP = 1 << SN_MAP_COLOR,
    SNI_METAL_MAP = 1 << SN_MAP_METAL_ROUGH,
    SNI_NORMAL_MAP = 1 << SN_MAP_NORMAL,
    SNI_OCCLUSION_MAP = 1 << SN_MAP_OCCLUSION,
    SNI_EMISSIVE_MAP = 1 << SN_MAP_EMISSIVE,
    SNI_LIT = 1 << 5,
    SNI_GLOSS = 1 << 6,
    SNI_ALPHA_TEST = 1 << 7,
    SNI_SPHERE_MAP = 1 << 8,
    SNI_FLAT = 1 << 9,  // no normals: those of the faces
    SNI_TANGENTS = 1 << 10,
    SNI_SHADOWED = 1 << 11,
    SNI_OWN_LIGHTS = 1 << 12,
    SNI_HEAT = 1 << 13,  // weights of one joint
    SNI_DEPTH_ONLY = 1 << 14,
    SNI_ONE_COLOR = 1 << 15,  // wires
    SNI_CAPTURE = 1 << 16,    // no fragments: the bent vertices themselves
    SNI_GROUND = 1 << 17,
    SNI_SKETCH = 1 << 18,
    SNI_RESOLVE = 1 << 19,
    SNI_MORPHS = 1 << 20,
    SNI_VERTEX_COLORS = 1 << 21
} sni_feature;

typedef enum sni_uniform {
    SNI_U_CLIP,
    SNI_U_EYE,
    SNI_U_STATE,
    SNI_U_INFLUENCES,
    SNI_U_MORPHS,
    SNI_U_SHAPE,
    SNI_U_UV_MATRIX,
    SNI_U_UV_OFFSET,
    SNI_U_MAPS,
    SNI_U_BASE,
    SNI_U_EMISSIVE,
    SNI_U_SURFACE,
    SNI_U_STRENGTH,
    SNI_U_CUTOFF,
    SNI_U_OUTPUT,
    SNI_U_KEY,
    SNI_U_VIEW_AXES,
    SNI_U_SHADOW,
    SNI_U_SHADOW_CLIP,
    SNI_U_SHADOW_TEXEL,
    SNI_U_LIGHT_COUNT,
    SNI_U_LIGHT_PLACE,
    SNI_U_LIGHT_AXIS,
    SNI_U_LIGHT_COLOR,
    SNI_U_GROUND,
    SNI_U_GRID,
    SNI_U_SAMPLES,
    SNI_U_COUNT
} sni_uniform;

typedef struct sni_program {
    uint32_t features;
    GLuint id;
    GLint at[SNI_U_COUNT];
} sni_program;

// Units that textures are bound to; maps take the first SN_MAP_COUNT.
enum { SNI_UNIT_STATE = SN_MAP_COUNT, SNI_UNIT_INFLUENCES, SNI_UNIT_MORPHS, SNI_UNIT_SHADOW, SNI_UNIT_UPLOAD };

enum { SNI_MAX_LIGHTS = 8 };

typedef struct sni_context {
    void *display, *context;
} sni_context;

// A picture: drawn with several samples, resolved into one. OpenGL's samples lie in a texture, which a program of ours
// averages: copying does the same, but drivers in software compile their own program for that anew in each process.
typedef struct sni_target {
    uint32_t width, height;
    GLuint many, many_color, many_depth, many_texture;
    GLuint one, one_color;
} sni_target;

typedef struct sni_shadow {
    GLuint framebuffer, texture;
    GLsizei side;
    sni_mat44 clip;
    float texel;
} sni_shadow;

enum { SNI_WRAPS = SN_MIRROR + 1, SNI_FILTERS = SN_FILTER_LINEAR_MIP_LINEAR + 1 };

// sRGB as light and back, in tables.
typedef struct sni_shades {
    uint16_t light[256];
    uint8_t shade[4096];
    bool is_filled;
} sni_shades;

typedef struct sni_letters sni_letters;
typedef struct sni_job sni_job;

struct sn_renderer {
    sni_heap heap;
    sni_diag diag;  // told of memory that ran out, here and in the drawables; of one frame
    sn_render_opts opts;
    sni_context context;
    bool is_es;
    uint32_t samples, error_count;
    GLint max_side;
    char name[128], message[160];
    sni_writer programs;  // sni_program
    GLuint samplers[SNI_WRAPS][SNI_WRAPS][SNI_FILTERS][SNI_FILTERS];
    GLuint grey;  // what stands for images that cannot be shown
    sni_shades shades;
    sni_target target;
    sni_shadow shadow;
    GLuint state_texture;
    uint32_t state_rows;
    sni_writer state;      // texels of this frame: matrices in three rows, morphs as index and weight
    sni_writer instances;  // sni_instance
    sni_writer jobs;       // sni_job
    GLuint instance_buffer, sketch_buffer, sketch_array, empty_array;
    sni_writer sketch;     // sni_sketch_vertex
    sni_letters *letters;  // of fonts; NULL: not asked for yet, or there are none
    bool has_no_letters;
    GLuint letter_array;
    GLuint order_buffer;  // indices of the triangles of `ordered`, from far to near
    const sni_job *ordered;
    sni_writer letter_vertices;
};

// One mesh on the graphics side.
typedef struct sni_gpu_mesh {
    GLuint array, vertices, indices, wires, influences, morphs;  // the last two are textures
    size_t uvs;                                                  // bytes into `vertices`
    uint32_t morph_texels;                                       // of a vertex in a morph: position, normal, tangent
} sni_gpu_mesh;

typedef struct sni_gpu_image {
    GLuint srgb, linear;
    bool is_bad;
} sni_gpu_image;

// A sphere in the space of what carries it; a radius below 0 holds nothing.
typedef struct sni_ball {
    sn_vec3 center;
    float radius;
} sni_ball;

// What a mesh can fill: as it is, by the vertices of each joint, and how far each morph moves one.
typedef struct sni_reach {
    sni_ball whole, *joints;
    uint32_t joint_count;
    float *morphs;
} sni_reach;

// A light where it rests in the model, as bright as any clip makes it.
typedef struct sni_light_rest {
    sn_vec3 place;
    float color, intensity;
} sni_light_rest;

struct sn_drawable {
    sn_renderer *renderer;
    const sn_model *model;
    sni_heap heap;
    sni_arena arena;
    sni_gpu_mesh *meshes;    // per mesh
    sni_reach *reaches;      // likewise
    sni_gpu_image *images;   // per image
    sni_light_rest *lights;  // per light
    int32_t *order;          // parts, those of one mesh and material beside each other
    int32_t *skin_texels;    // per skin: where its palette lies in the state; of the frame being made
    uint8_t *classes;        // per part, likewise
};

// What a vertex shader gets per instance.
typedef struct sni_instance {
    int32_t matrix, morphs, morph_count, heat;  // texels of the state; heat: the joint shown, -1 none, -2 all of it
    sn_vec4 tint;                               // linear
} sni_instance;

// Parts drawn with one call: the same mesh, material and side.
struct sni_job {
    const sn_actor *actor;
    int32_t part;                         // the first of them
    uint32_t first, count;                // instances
    bool is_mirrored, is_clear, is_seen;  // clear: what is behind it shows through
    float depth;                          // of clear ones, from the eye
};

// Of the models themselves: place (w: 0 where it stands nowhere, else 2 + the cosine of its inner cone), axis (w: that
// of the outer cone), colour (w: range). A cone beyond -1 is all around.
typedef struct sni_lights {
    int count;
    sn_vec4 places[SNI_MAX_LIGHTS], axes[SNI_MAX_LIGHTS], colors[SNI_MAX_LIGHTS];
} sni_lights;

// What all drawing of a frame needs.
typedef struct sni_pass {
    sn_renderer *renderer;
    const sn_frame *frame;
    sni_mat44 clip;  // world to clip
    sn_vec3 key;     // towards the key light
    sn_bounds stage;
    uint32_t features;  // that everything lit has in this frame
    sni_lights lights;
} sni_pass;

// renderer.c: at the start of a frame.
void sni_renderer_forgive(sn_renderer *renderer);

// context.c: OpenGL without a display.
bool sni_context_open(sni_context *context, const sn_render_opts *opts, bool *is_es, sn_error *error);
bool sni_context_use(const sni_context *context);  // makes it current; nothing for a context of the user's
void sni_context_close(sni_context *context);

// Threads of a driver that draws in software are given a processor each, where there are several.
void sni_spread_threads(sni_heap *heap);

// target.c
bool sni_target_fit(sn_renderer *renderer, uint32_t width, uint32_t height, sn_error *error);
void sni_target_free(sn_renderer *renderer);
bool sni_target_resolve(sn_renderer *renderer);

// program.c: one program per set of features, made when it is first wanted; the answer lives until
// the next call. NULL: the driver refused it, renderer->message says why.
const sni_program *sni_program_for(sn_renderer *renderer, uint32_t features);
void sni_programs_free(sn_renderer *renderer);

// shaders.c
extern const char *const sni_uniform_names[SNI_U_COUNT];
const char *sni_vertex_source(uint32_t features);
const char *sni_fragment_source(uint32_t features);
const char *sni_light_source(void);

// table.c: arrays as textures.
GLuint sni_table_create(sn_renderer *renderer, GLenum inner, GLenum outer, size_t texel_bytes, const void *texels,
                        uint64_t count);
bool sni_table_fits(const sn_renderer *renderer, uint64_t count);

// mesh.c, image.c
bool sni_gpu_mesh_make(sn_drawable *drawable, uint32_t mesh, sn_error *error);
void sni_gpu_mesh_free(sni_gpu_mesh *mesh);
void sni_gpu_mesh_use_uvs(const sn_drawable *drawable, int32_t mesh, const sn_layer *layer);  // of a bound array
bool sni_gpu_mesh_use_wires(const sn_drawable *drawable, int32_t mesh);                       // likewise
GLuint sni_gpu_image_of(const sn_drawable *drawable, int32_t image, bool is_srgb);
GLuint sni_sampler_of(sn_renderer *renderer, const sn_texture *texture);
GLuint sni_texture_plain(uint8_t red, uint8_t green, uint8_t blue);

// cull.c
bool sni_reaches_make(sn_drawable *drawable);
sni_ball sni_ball_of_part(const sn_actor *actor, int32_t part);
bool sni_ball_is_seen(const sni_mat44 *clip, sni_ball ball);

// queue.c: what is to be drawn, from the actors of a frame.
bool sni_queue_make(sni_pass *pass);
bool sni_is_clear(const sn_model *model, const sn_part *part);

// draw.c: jobs with the framebuffer that is bound. False: a program was refused.
bool sni_draw_jobs(const sni_pass *pass, bool is_clear);
void sni_draw_job(const sni_pass *pass, const sni_program *program, const sni_job *job);  // with a program in use
void sni_draw_ordered(const sni_pass *pass, const sni_program *program,
                      const sni_job *job);  // after sni_order_triangles
void sni_draw_wires(const sni_pass *pass, const sni_program *program, const sni_job *job);

// order.c: binds indices from far to near; false: those of the mesh must do.
bool sni_order_triangles(const sni_pass *pass, const sni_job *job);

// material.c
bool sni_draw_layers(const sni_pass *pass, const sni_job *job);
bool sni_draw_caster(const sni_pass *pass, const sni_job *job);  // its depth alone
bool sni_draw_wire(const sni_pass *pass, const sni_job *job);

// lights.c, shadow.c, ground.c
bool sni_lights_make(sn_drawable *drawable);
void sni_lights_find(sni_pass *pass);
void sni_lights_use(const sni_pass *pass, const sni_program *program);
bool sni_shadow_draw(sni_pass *pass);
void sni_shadow_use(const sni_pass *pass, const sni_program *program);
void sni_shadow_free(sn_renderer *renderer);
bool sni_ground_draw(const sni_pass *pass);
sn_bounds sni_stage_of(const sn_frame *frame);

static inline const sni_job *sni_jobs(const sn_renderer *renderer)
{
    return (const sni_job *)(const void *)renderer->jobs.data;
}
static inline uint32_t sni_job_count(const sn_renderer *renderer)
{
    return (uint32_t)(renderer->jobs.size / sizeof(sni_job));
}

// sketch.c: flat triangles over the picture.
typedef struct sni_sketch {
    sn_renderer *renderer;
    sni_mat44 clip;
    float width, height;  // of the picture in pixels
    float scale;          // of lines, dots and names: 1, in large pictures more
} sni_sketch;

typedef struct sni_sketch_vertex {
    sn_vec4 clip;
    uint8_t rgba[4];
} sni_sketch_vertex;

sni_sketch sni_sketch_begin(const sni_pass *pass);
void sni_sketch_triangle(sni_sketch *sketch, sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_vec4 color);
void sni_sketch_line(sni_sketch *sketch, sn_vec3 a, sn_vec3 b, float pixels, sn_vec4 color);
void sni_sketch_dot(sni_sketch *sketch, sn_vec3 at, float pixels, sn_vec4 color);
void sni_sketch_stroke(sni_sketch *sketch, const sn_vec2 *points, uint32_t count, float pixels,
                       sn_vec4 color);  // on the picture
void sni_sketch_rect(sni_sketch *sketch, const sn_rect *rect);
bool sni_sketch_place(const sni_sketch *sketch, sn_vec3 at, sn_vec2 *pixel);  // false: behind the eye
typedef enum sni_layering {
    SNI_AMONG,
    SNI_IN_FRONT,
    SNI_ON_TOP
} sni_layering;                                               // among the models; where nothing hides it
bool sni_sketch_end(sni_sketch *sketch, sni_layering where);  // false: a program was refused

// overlay.c, skeleton.c, names.c, text.c
bool sni_overlays_draw(const sni_pass *pass);
void sni_skeleton_sketch(sni_sketch *sketch, const sni_pass *pass, const sn_actor *actor);
void sni_choice_sketch(sni_sketch *sketch, const sni_pass *pass, const sn_actor *actor);
void sni_names_sketch(sni_sketch *sketch, const sn_frame *frame);
void sni_label_sketch(sni_sketch *sketch, const sn_label *label);

// font.c: strokes of a character on a grid 6 high, the baseline at 0: pairs of digits, a space between strokes. A box
// for what is not ASCII. Never NULL.
const char *sni_glyph(uint32_t code, float *advance);

// typeface.c: letters of fonts. A size is that of a capital.
enum { SNI_LETTER_SIDE = 64 };
typedef struct sni_typeface sni_typeface;
typedef struct sni_letter_shape {
    uint32_t font;
    int glyph;
    float advance;
} sni_letter_shape;  // advance: at size 1
typedef struct sni_letter_picture {
    int left, top, width, height;
    uint8_t shades[SNI_LETTER_SIDE * SNI_LETTER_SIDE];
} sni_letter_picture;

sni_typeface *sni_typeface_open(sni_heap *heap, const char *paths);  // paths: as sn_render_opts.fonts
void sni_typeface_close(sni_typeface *face, sni_heap *heap);
bool sni_typeface_find(const sni_typeface *face, uint32_t code, sni_letter_shape *shape);  // false: no font has it
bool sni_typeface_draw(const sni_typeface *face, const sni_letter_shape *shape, float size, sni_heap *heap,
                       sni_letter_picture *picture);

// letters.c: the same in a texture. False: it can only be shown as a box.
bool sni_letter_find(sn_renderer *renderer, uint32_t code, sni_letter_shape *shape);  // renderer may be NULL
bool sni_letter_sketch(sni_sketch *sketch, uint32_t code, const sni_letter_shape *shape, sn_vec2 at, float size,
                       sn_vec4 color);
bool sni_letters_draw(sn_renderer *renderer);  // what was sketched; false: a program was refused
void sni_letters_free_texture(sn_renderer *renderer);
void sni_letters_free(sn_renderer *renderer);

static inline sn_mat34 sni_actor_world(const sn_actor *actor, int32_t node)
{
    sn_mat34 world = sn_pose_world(actor->pose, node);
    return actor->place ? sni_mat34_mul(actor->place, &world) : world;
}

static inline sn_vec3 sni_actor_place(const sn_actor *actor, int32_t node)
{
    sn_mat34 world = sni_actor_world(actor, node);
    return sni_mat34_column(&world, 3);
}

static inline bool sni_is_joint(const sn_model *model, int32_t node)
{
    return model->nodes[node].flags & SN_NODE_JOINT;
}

// In a model without a skin all nodes are drawn.
static inline bool sni_has_joints(const sn_model *model)
{
    for (uint32_t i = 0; i < model->node_count; i++)
        if (model->nodes[i].flags & SN_NODE_JOINT) return true;
    return false;
}

// camera.c
sni_mat44 sni_mat44_mul(const sni_mat44 *a, const sni_mat44 *b);
sni_mat44 sni_eye_clip(const sn_eye *eye, float aspect);
sn_vec4 sni_mat44_point(const sni_mat44 *a, sn_vec3 p);

// frame.c: towards the key light of a picture seen so.
sn_vec3 sni_key_light(const sn_view *view);

// Answers false after writing what failed.
bool sni_render_fail(sn_error *error, sn_status status, const char *format, ...) SNI_PRINTF(3, 4);

#endif
