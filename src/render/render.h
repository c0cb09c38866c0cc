// The renderer's internal types, and what its files share.
#ifndef SNI_RENDER_H
#define SNI_RENDER_H

#ifdef __EMSCRIPTEN__
#    include <GLES3/gl3.h>
#    define GL_PROGRAM_POINT_SIZE     0x8642  // only used where is_es is false
#    define GL_TEXTURE_2D_MULTISAMPLE 0x9100
#else
#    include <epoxy/gl.h>
#endif

#include "base/math.h"
#include "base/writer.h"
#include "image/image.h"
#include "sinew/render.h"
#include "skin/mesh_boxes.h"

// Column major, as OpenGL expects.
typedef struct sni_mat44 {
    float m[16];
} sni_mat44;

// Data textures hold arrays: element i is at (i % width, i / width).
enum { SNI_DATA_BITS = 11, SNI_DATA_WIDTH = 1 << SNI_DATA_BITS };

// Vertex attributes. Each map has its own texture coordinates, from the set that its layer names.
enum {
    SNI_AT_POSITION,
    SNI_AT_NORMAL,
    SNI_AT_TANGENT,
    SNI_AT_COLOR,
    SNI_AT_UV,
    SNI_AT_INSTANCE = SNI_AT_UV + SN_MAP_COUNT,
    SNI_AT_TINT,
    SNI_AT_JOINTS,
    SNI_AT_WEIGHTS
};

enum { SNI_PACKED_INFLUENCES = 4 };  // those that one attribute holds

// Features of a shader program.
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
    SNI_FLAT = 1 << 9,  // face normals: the mesh has none
    SNI_TANGENTS = 1 << 10,
    SNI_SHADOWED = 1 << 11,
    SNI_OWN_LIGHTS = 1 << 12,  // lights of the models
    SNI_HEAT = 1 << 13,        // weights of one joint
    SNI_DEPTH_ONLY = 1 << 14,
    SNI_ONE_COLOR = 1 << 15,  // wireframe
    SNI_CAPTURE = 1 << 16,    // transform feedback of the skinned vertices, no fragments
    SNI_GROUND = 1 << 17,
    SNI_DEBUG_DRAW = 1 << 18,
    SNI_RESOLVE = 1 << 19,
    SNI_MORPHS = 1 << 20,
    SNI_VERTEX_COLORS = 1 << 21,
    SNI_IMAGE_RECT = 1 << 22
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
    SNI_U_LIGHT_POSITION,
    SNI_U_LIGHT_AXIS,
    SNI_U_LIGHT_COLOR,
    SNI_U_GROUND,
    SNI_U_GRID,
    SNI_U_SAMPLES,
    SNI_U_BOX,
    SNI_U_COUNT
} sni_uniform;

typedef struct sni_program {
    uint32_t features;
    GLuint id;
    GLint at[SNI_U_COUNT];
} sni_program;

// Texture units. Maps use the first SN_MAP_COUNT.
enum { SNI_UNIT_STATE = SN_MAP_COUNT, SNI_UNIT_INFLUENCES, SNI_UNIT_MORPHS, SNI_UNIT_SHADOW, SNI_UNIT_UPLOAD };

enum { SNI_MAX_LIGHTS = 8 };

// An EGL context; all NULL for the user's own context.
typedef struct sni_context {
    void *display, *context;
} sni_context;

// Multisampled framebuffer and the resolved picture. OpenGL samples are in a texture that our own shader averages: a
// blit has the same result, but software drivers compile their blit shader again in each process.
typedef struct sni_target {
    uint32_t width, height;
    GLuint msaa, msaa_color, msaa_depth, msaa_texture;
    GLuint resolved, resolved_color;
} sni_target;

typedef struct sni_shadow {
    GLuint framebuffer, texture;
    GLsizei side;
    sni_mat44 clip;
    float texel;
} sni_shadow;

enum { SNI_WRAPS = SN_MIRROR + 1, SNI_FILTERS = SN_FILTER_LINEAR_MIP_LINEAR + 1 };

typedef struct sni_srgb_tables {
    uint16_t linear[256];
    uint8_t srgb[4096];
    bool is_filled;
} sni_srgb_tables;

typedef struct sni_glyph_atlas sni_glyph_atlas;
typedef struct sni_batch sni_batch;

struct sn_renderer {
    sni_heap heap;
    sni_diag diag;  // out of memory in this frame, here or in a drawable
    sn_render_opts opts;
    sni_context context;
    bool is_es, is_llvmpipe;  // llvmpipe: Mesa's software driver
    uint32_t samples, error_count;
    GLint max_side;
    char name[128], message[160];
    sni_writer programs;  // sni_program
    GLuint samplers[SNI_WRAPS][SNI_WRAPS][SNI_FILTERS][SNI_FILTERS];
    uint64_t pending_indices;  // drawn since the driver was waited for
    uint32_t most_pending;     // wait after this many; draw.c
    double waited_at;
    bool is_cancelled;       // sn_frame.cancelled returned true
    GLuint missing_texture;  // replaces images that cannot be shown
    sni_srgb_tables srgb_tables;
    sni_target target;
    sni_shadow shadow;
    GLuint state_texture;
    uint32_t state_rows;
    sni_writer state;      // texels of this frame: matrices as three rows, morphs as index and weight
    sni_writer instances;  // sni_instance
    sni_writer batches;    // sni_batch
    GLuint instance_buffer, empty_array;
    GLuint sort_buffer;  // indices of sorted_batch, triangles back to front
    const sni_batch *sorted_batch;
    float culled_density;  // triangles per pixel from which they are culled here; cull.c
    GLuint kept_buffer;    // indices of kept_batch, triangles that may be seen
    const sni_batch *kept_batch;
    uint32_t kept_faces, kept_count;
    sni_writer debug_vertices;  // sni_debug_vertex
    GLuint debug_buffer, debug_array;
    sni_glyph_atlas *atlas;  // NULL: not needed yet, or there are no fonts
    bool has_no_fonts;
    sni_writer glyph_vertices;
    GLuint glyph_array;
};

enum { SNI_ARRAYS = 4 };  // positions, normals, tangents, colours

typedef struct sni_gpu_mesh {
    GLuint array, arrays[SNI_ARRAYS], uvs, packed, indices, edges;
    GLuint influences, morphs;  // textures
    uint32_t morph_texels;      // per vertex of a morph: position, normal, tangent
} sni_gpu_mesh;

typedef struct sni_gpu_image {
    GLuint srgb, linear;
    bool is_bad;
} sni_gpu_image;

// A bounding sphere. A negative radius is empty.
typedef struct sni_sphere {
    sn_vec3 center;
    float radius;
} sni_sphere;

// Bounds of a mesh, and spheres around its boxes: a vertex is a weighted mean of where each joint would move it, so it
// is inside the hull of what the spheres become.
typedef struct sni_mesh_bounds {
    sni_mesh_boxes boxes;
    sni_sphere all, *joints;
} sni_mesh_bounds;

// A light in the rest pose, with the largest values of any clip.
typedef struct sni_light_range {
    sn_vec3 position;
    float color, intensity;
} sni_light_range;

struct sn_drawable {
    sn_renderer *renderer;
    const sn_model *model;
    sni_heap heap;
    sni_arena arena;
    sni_gpu_mesh *meshes;          // per mesh
    sni_mesh_bounds *mesh_bounds;  // per mesh
    sni_gpu_image *images;         // per image
    sni_image_set *image_set;
    sni_light_range *lights;  // per light
    int32_t *order;           // parts, sorted by mesh and material
    int32_t *skin_texels;     // per skin: offset of its palette in the state of this frame
    uint8_t *classes;         // per part, of this frame
};

// Per-instance vertex attributes.
typedef struct sni_instance {
    int32_t matrix, morphs, morph_count, heat;  // texels of the state; heat: the shown joint, -1 none, -2 all vertices
    sn_vec4 color;                              // linear
} sni_instance;

// Parts drawn with one call: the same mesh, material and winding.
struct sni_batch {
    const sn_actor *actor;
    int32_t part;           // the first of them
    uint32_t first, count;  // instances
    bool is_mirrored, is_transparent, is_visible;
    float depth;  // of a transparent batch
};

// Lights of the models: position (w: 0 for a directional light, else 2 + cosine of the inner cone), axis (w: cosine of
// the outer cone), colour (w: range). A cosine below -1 means no cone.
typedef struct sni_lights {
    int count;
    sn_vec4 positions[SNI_MAX_LIGHTS], axes[SNI_MAX_LIGHTS], colors[SNI_MAX_LIGHTS];
} sni_lights;

// What a pass draws into. No samples: not known, or more. If they are fewer the last is repeated.
enum { SNI_MAX_SAMPLES = 4 };
typedef struct sni_raster {
    uint32_t width, height, sample_count;
    sn_vec2 samples[SNI_MAX_SAMPLES];  // in a pixel
    float grid;                        // to which the driver rounds vertices, in pixels
} sni_raster;

// State of one rendering pass.
typedef struct sni_pass {
    sn_renderer *renderer;
    const sn_frame *frame;
    sni_mat44 clip;  // world to clip space
    sn_vec3 key;     // direction to the key light
    sn_bounds scene;
    uint32_t features;  // of all lit programs in this frame
    sni_lights lights;
    sni_raster raster;
} sni_pass;

// context_egl.c, or context_web.c in browsers
bool sni_context_open(sni_context *context, const sn_render_opts *opts, bool *is_es, sn_error *error);
void sni_context_close(sni_context *context);
bool sni_context_use(const sni_context *context);  // makes it current; does nothing for the user's own context
void sni_context_report_errors(sn_renderer *renderer);
GLuint sni_context_multisample_texture(uint32_t samples, uint32_t width, uint32_t height);  // OpenGL only
uint32_t sni_context_sample_positions(sn_vec2 *positions, uint32_t most);                   // OpenGL only; 0: not known
// The data itself, no copy. False: the driver cannot. An error of OpenGL is found with those of other uploads.
bool sni_context_pin(GLuint buffer, const void *data, size_t size);

// context.c
bool sni_render_fail(sn_error *error, sn_status status, const char *format, ...) SNI_PRINTF(3, 4);  // returns false
bool sni_target_fit(sn_renderer *renderer, uint32_t width, uint32_t height, sn_error *error);
bool sni_target_resolve(sn_renderer *renderer);         // false: a program failed to compile
void sni_renderer_reset_errors(sn_renderer *renderer);  // at the start of a frame

// shaders.c: one program per set of features, compiled on first use. The pointer is valid until the next call. NULL:
// compilation failed, see renderer->message.
const sni_program *sni_program_for(sn_renderer *renderer, uint32_t features);
void sni_programs_free(sn_renderer *renderer);

// mesh.c
GLuint sni_data_texture_create(sn_renderer *renderer, GLenum inner, GLenum outer, size_t texel_bytes,
                               const void *texels, uint64_t count);
bool sni_data_texture_fits(const sn_renderer *renderer, uint64_t count);
void sni_gpu_mesh_use_uvs(const sn_drawable *drawable, int32_t mesh, const sn_layer *layer);  // of the bound array
bool sni_gpu_mesh_use_indices(const sn_drawable *drawable, int32_t mesh);                     // of the bound array
bool sni_gpu_mesh_use_edges(const sn_drawable *drawable, int32_t mesh);                       // of the bound array

// texture.c
GLuint sni_texture_plain(uint8_t red, uint8_t green, uint8_t blue);
GLuint sni_texture_upload(sn_renderer *renderer, sn_pixels pixels, bool is_srgb);  // overwrites the pixels; stays bound
GLuint sni_image_texture(const sn_render_image *image);

// material.c
bool sni_draw_layers(const sni_pass *pass, const sni_batch *batch);
bool sni_draw_depth(const sni_pass *pass, const sni_batch *batch);  // for the shadow map
bool sni_draw_wireframe(const sni_pass *pass, const sni_batch *batch);

// queue.c
bool sni_mesh_bounds_make(sn_drawable *drawable);
sni_sphere sni_part_sphere(const sn_actor *actor, int32_t part);  // as posed, in world space
bool sni_sphere_is_visible(const sni_mat44 *clip, sni_sphere sphere);
bool sni_queue_make(sni_pass *pass);                                    // false: out of memory
bool sni_sort_triangles(const sni_pass *pass, const sni_batch *batch);  // binds sorted indices; false: use the mesh's
static inline const sni_batch *sni_batches(const sn_renderer *renderer)
{
    return (const sni_batch *)(const void *)renderer->batches.data;
}
static inline uint32_t sni_batch_count(const sn_renderer *renderer)
{
    return (uint32_t)(renderer->batches.size / sizeof(sni_batch));
}

// cull.c: binds the indices of those triangles that may change the picture; their number is renderer->kept_count.
// False: use the mesh's.
enum { SNI_FRONT_FACES = 1, SNI_BACK_FACES = 2, SNI_HIDING_FACES = 4 };  // hiding: they hide what is behind them
void sni_raster_find(sni_pass *pass, uint32_t width, uint32_t height);   // of the bound framebuffer
bool sni_cull_triangles(const sni_pass *pass, const sni_batch *batch, uint32_t faces);

// draw.c: draw calls with the current program and framebuffer.
void sni_draw_batch(const sni_pass *pass, const sni_program *program, const sni_batch *batch);
void sni_draw_sorted(const sni_pass *pass, const sni_program *program, const sni_batch *batch);  // after sorting
void sni_draw_kept(const sni_pass *pass, const sni_program *program, const sni_batch *batch);    // after culling
void sni_draw_edges(const sni_pass *pass, const sni_program *program, const sni_batch *batch);

// lights.c
sn_vec3 sni_key_light(const sn_view *view);  // the direction to the key light
bool sni_lights_make(sn_drawable *drawable);
void sni_lights_find(sni_pass *pass);
void sni_lights_use(const sni_pass *pass, const sni_program *program);
bool sni_shadow_draw(sni_pass *pass);
void sni_shadow_use(const sni_pass *pass, const sni_program *program);
void sni_shadow_free(sn_renderer *renderer);

// debug_draw.c: coloured triangles in clip space.
typedef struct sni_debug_draw {
    sn_renderer *renderer;
    sni_mat44 clip;
    float width, height;  // of the picture in pixels
    float scale;          // of lines, dots and names: 1, more in large pictures
} sni_debug_draw;

typedef struct sni_debug_vertex {
    sn_vec4 clip;
    uint8_t rgba[4];
} sni_debug_vertex;

typedef enum sni_debug_depth { SNI_DEPTH_TESTED, SNI_OVER_MODELS, SNI_ON_TOP } sni_debug_depth;

sni_debug_draw sni_debug_begin(const sni_pass *pass);
void sni_debug_triangle(sni_debug_draw *draw, sn_vec3 a, sn_vec3 b, sn_vec3 c, sn_vec4 color);
void sni_debug_line(sni_debug_draw *draw, sn_vec3 a, sn_vec3 b, float pixels, sn_vec4 color);
void sni_debug_dot(sni_debug_draw *draw, sn_vec3 at, float pixels, sn_vec4 color);
// A polyline; points are in pixels.
void sni_debug_stroke(sni_debug_draw *draw, const sn_vec2 *points, uint32_t count, float pixels, sn_vec4 color);
bool sni_debug_rect(sni_debug_draw *draw, const sn_rect *rect);                  // false: a program failed to compile
bool sni_debug_project(const sni_debug_draw *draw, sn_vec3 at, sn_vec2 *pixel);  // false: behind the camera
bool sni_debug_flush(sni_debug_draw *draw, sni_debug_depth depth);               // false: a program failed to compile

// overlay.c
sn_bounds sni_scene_bounds(const sn_frame *frame);
bool sni_ground_draw(const sni_pass *pass);
bool sni_overlays_draw(const sni_pass *pass);

// text.c
void sni_label_draw(sni_debug_draw *draw, const sn_label *label);

// font.c
typedef struct sni_glyph_shape {
    uint32_t font;
    int glyph;
    float advance;  // at size 1, the height of a capital letter
} sni_glyph_shape;

bool sni_glyph_find(sn_renderer *renderer, uint32_t code, sni_glyph_shape *shape);  // false: no font has it
bool sni_glyph_draw(sni_debug_draw *draw, uint32_t code, const sni_glyph_shape *shape, sn_vec2 at, float size,
                    sn_vec4 color);            // on top of all; false: it cannot be rasterized
bool sni_glyphs_flush(sn_renderer *renderer);  // false: a program failed to compile
void sni_glyph_atlas_free_texture(sn_renderer *renderer);
void sni_glyph_atlas_free(sn_renderer *renderer);

// camera.c
sn_view sni_view_from(float yaw, float pitch);  // of a camera at the origin
sni_mat44 sni_camera_clip(const sn_render_camera *camera, float aspect);
sn_vec4 sni_mat44_point(const sni_mat44 *a, sn_vec3 p);

static inline sn_mat34 sni_actor_world(const sn_actor *actor, int32_t node)
{
    sn_mat34 world = sn_pose_world(actor->pose, node);
    return actor->transform ? sni_mat34_mul(actor->transform, &world) : world;
}

static inline sn_vec3 sni_actor_position(const sn_actor *actor, int32_t node)
{
    sn_mat34 world = sni_actor_world(actor, node);
    return sni_mat34_column(&world, 3);
}

#endif
