// sinew: loads skeletal models from classic games into one C struct; poses, skins and saves them.
//
//     sn_error error;
//     sn_model *model = sn_load_file("knight.glb", NULL, &error);
//     if (!model) { fprintf(stderr, "%s\n", error.message); return 1; }
//     sn_pose *pose = sn_pose_create(model, NULL, &error);
//     sn_pose_sample(pose, sn_model_find_clip(model, "walk"), 0.5f, 0.0f);
//     sn_pose_solve(pose, NULL);
//     sn_mat34 hand = sn_pose_world(pose, sn_model_find_node(model, "hand_r"));
//
// Conventions. Seconds, radians, column vectors, right-handed, quaternions x,y,z,w. A model keeps the axes and units of
// its file; up_axis is the axis that points up. Elements refer to each other by index; -1 is none. Text is UTF-8 and
// never NULL unless stated; extras are JSON text or NULL. Options are zero-initialised structs; NULL means all
// defaults. [Brackets] give the default, which is used when a field is 0.
//
// Every model meets these guarantees. Indices are in range, and parents come before their children. Floats are finite,
// vertex weights sum to 1, and rotations have unit length. Key times of a track strictly increase, and its values have
// the width of the channel. Names are valid UTF-8. sn_load_* and sn_builder_finish (build.h) return such models. Other
// models are checked before they are posed, saved or drawn; a violated guarantee is an error.
//
// A model is immutable: any number of threads may read it. A pose belongs to one thread at a time. There are no
// globals.
#ifndef SINEW_H
#define SINEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_VERSION "0.1.0"

// clang-format off
#if defined(_WIN32) && defined(SN_SHARED)
#  ifdef SN_BUILDING
#    define SN_API __declspec(dllexport)
#  else
#    define SN_API __declspec(dllimport)
#  endif
#elif defined(__GNUC__)
#  define SN_API __attribute__((visibility("default")))
#else
#  define SN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_vec2 { float x, y; } sn_vec2;
typedef struct sn_vec3 { float x, y, z; } sn_vec3;
typedef struct sn_vec4 { float x, y, z, w; } sn_vec4;
typedef struct sn_quat { float x, y, z, w; } sn_quat;

// translation * rotation * scale: scale is applied first.
typedef struct sn_trs { sn_vec3 translation; sn_quat rotation; sn_vec3 scale; } sn_trs;

// Three rows of four: p' = m[r][0]*x + m[r][1]*y + m[r][2]*z + m[r][3]. The fourth row is 0,0,0,1.
typedef struct sn_mat34 { float m[3][4]; } sn_mat34;


// Errors, memory

typedef enum sn_status {
    SN_OK,
    SN_ERR_IO,              // a file cannot be opened, read or written
    SN_ERR_FORMAT,          // not a format that sinew supports
    SN_ERR_TRUNCATED,       // the file ends too early
    SN_ERR_CORRUPT,         // the file contradicts itself
    SN_ERR_UNSUPPORTED,     // a version or feature that sinew recognises but does not support
    SN_ERR_LIMIT,           // a limit of sn_limits or sn_save_opts was exceeded
    SN_ERR_MEMORY,          // the allocator returned NULL
    SN_ERR_CANCELLED,       // a callback stopped the operation
    SN_ERR_INVALID,         // a model made by hand violates a guarantee, see sn_model_check
    SN_ERR_LOSSY            // the target cannot hold all of the model, and sn_save_opts.strict is set
} sn_status;

// Has a fixed size and needs no allocation, so it can also report that memory ran out. Text is valid UTF-8 without
// control characters.
typedef struct sn_error {
    sn_status status;
    uint64_t  offset;        // byte offset of the faulty item in the input
    uint32_t  line, column;  // its position in a text file (MDL), from 1, columns in bytes; else 0
    int32_t   os_error;      // errno, if SN_ERR_IO comes from a system call; else 0
    char      path[112];     // "HLOD/MESH[2] \"turret\"/VERTICES", "/accessors/3"
    char      message[176];  // "4294967295 vertices need 12 bytes each, 312 bytes remain"
} sn_error;

// Something that sinew repaired or ignored. Warnings with the same code and path are merged and counted.
typedef struct sn_warning {
    int32_t     code;        // stable; docs/diagnostics.md lists them
    uint32_t    count;
    uint64_t    offset;      // of the first occurrence
    const char *path, *message;
    uint32_t    line, column;    // of the first occurrence in a text file (MDL), from 1, columns in bytes; else 0
} sn_warning;

// Describes a warning code. sn_warning_at lists all codes in ascending order.
typedef struct sn_warning_kind {
    int32_t     code;
    const char *name;        // "NODE_CYCLE"
    const char *meaning;     // what is wrong, and what sinew does
    const char *advice;      // what to do about it
    bool        is_note;     // nothing is lost
} sn_warning_kind;

SN_API bool        sn_warning_at(uint32_t index, sn_warning_kind *kind);     // false past the end
SN_API const char *sn_warning_name(int32_t code);        // "NODE_CYCLE"
SN_API const char *sn_status_name(sn_status status);     // "truncated"

// Set both functions or neither. alloc returns memory aligned for any type, or NULL; free receives the size.
typedef struct sn_allocator {
    void *(*alloc)(void *user, size_t size);
    void  (*free)(void *user, void *ptr, size_t size);
    void   *user;
} sn_allocator;

// Limits for untrusted input; 0 means the default in brackets.
typedef struct sn_limits {
    uint64_t file_bytes;     // of each file [1 GiB]
    uint64_t memory_bytes;   // [16 MiB + 32 x bytes of all files read, at most 2 GiB]
    uint32_t elements;       // in each array, except arrays of bytes [16 M]
    uint32_t depth;          // levels of nested chunks or JSON [64]
    uint32_t image_pixels;   // [64 M]
} sn_limits;

// Bytes that sinew allocated, such as the contents of a file. Free them with sn_bytes_free.
typedef struct sn_bytes {
    const uint8_t *data;     // not NULL after success, even when size is 0
    size_t         size;
    void          *owner;    // private
} sn_bytes;

SN_API void sn_bytes_free(sn_bytes *bytes);              // zeroes the struct; may be called again


// The model

typedef enum sn_node_flag {
    SN_NODE_JOINT             = 1 << 0,   // used by a skin
    SN_NODE_ATTACHMENT        = 1 << 1,   // an attachment point for a weapon, rider or effect
    SN_NODE_HIDDEN            = 1 << 2,   // hidden in the rest pose, with all its descendants
    SN_NODE_BILLBOARD         = 1 << 3,   // faces the viewer
    SN_NODE_BILLBOARD_X       = 1 << 4,   // faces the viewer, turning about this axis only
    SN_NODE_BILLBOARD_Y       = 1 << 5,
    SN_NODE_BILLBOARD_Z       = 1 << 6,
    SN_NODE_OWN_TRANSLATION   = 1 << 7,   // does not inherit the parent's translation
    SN_NODE_OWN_ROTATION      = 1 << 8,
    SN_NODE_OWN_SCALE         = 1 << 9,
    SN_NODE_SCALE_PARENT_AXES = 1 << 10   // translation * scale * rotation (Dark Cloud 2)
} sn_node_flag;

typedef struct sn_node {
    const char     *name, *extras;
    int32_t         parent;     // less than the node's own index; -1 for a root
    int32_t         id;         // its number in the file
    uint32_t        flags;      // sn_node_flag
    sn_trs          rest;
    const sn_mat34 *matrix;     // used instead of `rest` if that cannot represent the transform; else NULL
} sn_node;

typedef struct sn_skin {
    const char     *name;
    const int32_t  *joints;          // nodes
    const sn_mat34 *inverse_bind;    // one per joint
    uint32_t        joint_count;
} sn_skin;

typedef enum sn_topology { SN_TRIANGLES, SN_LINES, SN_POINTS } sn_topology;

// Differences from the mesh, one per vertex; NULL if the morph does not change the attribute.
typedef struct sn_morph {
    const char    *name;
    const sn_vec3 *positions, *normals, *tangents;
} sn_morph;

// Geometry, which several parts may share. Strips, fans and loops are expanded to lists.
typedef struct sn_mesh {
    const char           *name, *extras;
    sn_topology           topology;
    uint32_t              vertex_count, index_count;
    uint32_t              uv_count, color_count;     // number of sets
    uint32_t              influence_count;           // per vertex; 0: rigid
    uint32_t              morph_count;
    const sn_vec3        *positions;
    const sn_vec3        *normals;        // unit length; may be NULL
    const sn_vec4        *tangents;       // unit length, w is +1 or -1; may be NULL
    const sn_vec2 *const *uvs;            // origin at the top left; a set may be NULL
    const sn_vec4 *const *colors;         // linear; a set may be NULL
    const uint32_t       *indices;        // always present, each < vertex_count
    const uint16_t       *vertex_joints;  // influence_count per vertex, indices into sn_skin.joints
    const float          *vertex_weights; // influence_count per vertex, sum to 1
    const sn_morph       *morphs;
} sn_mesh;

// An instance of a mesh. Without a skin it moves with its node; with a skin only the joints move it.
typedef struct sn_part {
    int32_t      mesh, node;                   // always valid
    int32_t      skin, material;               // may be -1
    int32_t      lod;                          // level of detail: 0 is the finest, -1: in all levels
    bool         is_hidden;                    // in the rest pose
    sn_vec4      color;                        // multiplies the material's output; rgb is sRGB, as in the games
    const float *morph_weights;                // in the rest pose, one per morph; NULL without morphs
} sn_part;

typedef enum sn_target {
    SN_TARGET_NODE,          // nodes[target]
    SN_TARGET_PART,          // parts[target]
    SN_TARGET_LAYER,         // materials[target].layers[sub]
    SN_TARGET_CAMERA,        // cameras[target]
    SN_TARGET_LIGHT          // lights[target]
} sn_target;

typedef enum sn_channel {    // [floats per value]
    SN_CHANNEL_TRANSLATION,  // [3] node
    SN_CHANNEL_ROTATION,     // [4] node
    SN_CHANNEL_SCALE,        // [3] node
    SN_CHANNEL_VISIBILITY,   // [1] node (with its descendants) or part: visible when > 0
    SN_CHANNEL_MORPHS,       // [morph_count] node: morph weights of all its parts
    SN_CHANNEL_COLOR,        // [3] part, layer, light
    SN_CHANNEL_ALPHA,        // [1] part, layer
    SN_CHANNEL_EMISSIVE,     // [3] layer
    SN_CHANNEL_UV_OFFSET,    // [2] layer: of the colour map
    SN_CHANNEL_UV_ROTATION,  // [1]
    SN_CHANNEL_UV_SCALE,     // [2]
    SN_CHANNEL_IMAGE,        // [1] layer: index of the image
    SN_CHANNEL_INTENSITY,    // [1] light
    SN_CHANNEL_FOV,          // [1] camera
    SN_CHANNEL_COUNT
} sn_channel;

typedef enum sn_interpolation {
    SN_STEP,
    SN_LINEAR,        // rotations: slerp along the shorter arc
    SN_HERMITE,       // tangents per segment; rotations: squad
    SN_BEZIER,        // tangents are control points; rotations: squad
    SN_CUBIC_SPLINE   // tangents per second (glTF); rotations: by component, then normalised
} sn_interpolation;

typedef enum sn_track_wrap {
    SN_WRAP_HOLD,         // first value before the first key, last value after the last key
    SN_WRAP_CYCLE,        // interpolates from the last key to the first, across the end of the clip
    SN_WRAP_CYCLE_GAME    // the same, with Warcraft III's pop before the first key
} sn_track_wrap;

typedef struct sn_track {
    uint8_t      target_kind, channel, interpolation, wrap;  // sn_target, sn_channel, ...
    int32_t      target, sub;     // sub is the layer of a material, else 0
    float        period;          // > 0: loops on its own clock (a Warcraft III global sequence)
    uint32_t     key_count, width;
    const float *times;           // seconds from the start of the clip, rising
    const float *values;          // key_count * width; Hermite, Bezier and cubic spline: in, value, out for each key
} sn_track;

typedef struct sn_clip {
    const char     *name, *extras;
    float           duration;
    bool            loops;
    const sn_track *tracks;
    uint32_t        track_count;
} sn_clip;

typedef enum sn_texture_wrap { SN_REPEAT, SN_CLAMP, SN_MIRROR } sn_texture_wrap;

typedef enum sn_filter {
    SN_FILTER_AUTO, SN_FILTER_NEAREST, SN_FILTER_LINEAR, SN_FILTER_NEAREST_MIP_NEAREST,
    SN_FILTER_LINEAR_MIP_NEAREST, SN_FILTER_NEAREST_MIP_LINEAR, SN_FILTER_LINEAR_MIP_LINEAR
} sn_filter;

// uv' = offset + rotate(scale * uv); a positive rotation turns u towards v.
typedef struct sn_uv_transform { sn_vec2 offset; float rotation; sn_vec2 scale; } sn_uv_transform;

typedef struct sn_texture {
    int32_t         image;               // -1: no texture
    int32_t         uv_set;
    uint8_t         wrap_u, wrap_v;      // sn_texture_wrap
    uint8_t         mag_filter, min_filter;
    float           strength;            // of a normal or occlusion map
    sn_uv_transform transform;
} sn_texture;

typedef enum sn_map {
    SN_MAP_COLOR,           // sRGB, linear alpha
    SN_MAP_METAL_ROUGH,     // green: roughness, blue: metal
    SN_MAP_NORMAL,
    SN_MAP_OCCLUSION,       // red
    SN_MAP_EMISSIVE,        // sRGB
    SN_MAP_COUNT
} sn_map;

typedef enum sn_blend {
    SN_BLEND_OPAQUE, SN_BLEND_ALPHA, SN_BLEND_ADD, SN_BLEND_ADD_ALPHA,
    SN_BLEND_MODULATE, SN_BLEND_MODULATE_2X, SN_BLEND_SCREEN, SN_BLEND_SUBTRACT
} sn_blend;

typedef enum sn_layer_flag {
    SN_LAYER_UNLIT          = 1 << 0,
    SN_LAYER_TWO_SIDED      = 1 << 1,
    SN_LAYER_NO_DEPTH_TEST  = 1 << 2,
    SN_LAYER_NO_DEPTH_WRITE = 1 << 3,
    SN_LAYER_SPHERE_MAP     = 1 << 4     // texture coordinates from the normal
} sn_layer_flag;

typedef struct sn_layer {
    sn_texture maps[SN_MAP_COUNT];
    sn_vec4    color;                    // linear; multiplies the colour map
    sn_vec3    emissive;
    float      metallic, roughness;
    float      alpha_cutoff;             // draws where alpha >= cutoff; 0: everywhere
    sn_blend   blend;
    uint32_t   flags;                    // sn_layer_flag
} sn_layer;

// Layers are drawn in order, each over the previous one.
typedef struct sn_material {
    const char     *name, *extras;
    const sn_layer *layers;
    uint32_t        layer_count;
    // glTF extensions such as KHR_materials_clearcoat, as JSON, or NULL. They are kept for saving, not drawn. A texture
    // is an index into extension_maps: {"KHR_materials_clearcoat":{"clearcoatTexture":0}}. Saving omits and reports
    // whatever would make the file invalid.
    const char       *extensions;
    const sn_texture *extension_maps;
    uint32_t          extension_map_count;
} sn_material;

typedef struct sn_image {
    const char    *name;
    const char    *uri;         // the reference in the file; "" when the image is embedded
    const char    *mime_type;   // detected by content; "" when unknown
    const uint8_t *data;        // encoded, see sn_image_decode; NULL when the file was not found
    uint64_t       size;
} sn_image;

typedef struct sn_camera {
    const char *name, *extras;
    int32_t     node;                       // looks along the node's -Z; may be -1
    bool        is_perspective;
    float       fov_y, aspect;              // perspective; aspect 0: the viewport's
    float       half_width, half_height;    // orthographic
    float       near_plane, far_plane;      // far 0: infinite
} sn_camera;

typedef enum sn_light_kind { SN_LIGHT_DIRECTIONAL, SN_LIGHT_POINT, SN_LIGHT_SPOT, SN_LIGHT_AMBIENT } sn_light_kind;

typedef struct sn_light {
    const char   *name, *extras;
    int32_t       node;                     // shines along the node's -Z; may be -1
    sn_light_kind kind;
    sn_vec3       color;
    float         intensity, range;         // range 0: infinite
    float         inner_angle, outer_angle; // of a spot light, measured from its axis
} sn_light;

// Root nodes that are shown together: a glTF scene, or one of several W3D hierarchies.
typedef struct sn_scene { const char *name; const int32_t *roots; uint32_t root_count; } sn_scene;

// Events, shapes and attachments are also in the extras of their nodes. sn_model_hash does not include them.

// Triggers a sound, a footprint or a splat.
typedef struct sn_event {
    const char *name;          // as in the file: "SNDXHFOO"
    int32_t     node;          // may be -1
    int32_t     clip;          // -1: in every clip, on its own clock
    float       time;          // seconds from the start of the clip, or of the period
    float       period;        // > 0 only where clip is -1
} sn_event;

typedef enum sn_shape_kind { SN_SHAPE_BOX, SN_SHAPE_SPHERE, SN_SHAPE_CYLINDER, SN_SHAPE_PLANE } sn_shape_kind;

// A collision or selection shape, in the space of its node.
typedef struct sn_shape {
    const char   *name;
    int32_t       node;        // -1: model space
    sn_shape_kind kind;
    bool          keeps_axes;  // moves with the node but stays aligned with the model's axes (a W3D AABox)
    sn_vec3       center;
    sn_vec3       extents;     // half sizes of a box or plane; half the axis of a cylinder
    float         radius;      // of a sphere or cylinder
} sn_shape;

// An attachment point for a weapon, rider or effect.
typedef struct sn_attachment {
    const char *name;
    const char *path;          // the file or object attached here; "" when the game decides
    int32_t     node;
    int32_t     id;            // its number in the file, or -1
} sn_attachment;

typedef enum sn_axis { SN_Y_UP, SN_Z_UP } sn_axis;

typedef struct sn_model {
    const char          *name, *format, *extras;   // format: "gltf", "mdx", "w3d", "level5", "built"
    sn_axis              up_axis;
    uint32_t             lod_count;                // levels of detail, at least 1
    int32_t              default_scene;            // -1 without scenes
    const sn_scene      *scenes;       uint32_t scene_count;
    const sn_node       *nodes;        uint32_t node_count;
    const sn_mesh       *meshes;       uint32_t mesh_count;
    const sn_part       *parts;        uint32_t part_count;
    const sn_skin       *skins;        uint32_t skin_count;
    const sn_clip       *clips;        uint32_t clip_count;
    const sn_material   *materials;    uint32_t material_count;
    const sn_image      *images;       uint32_t image_count;
    const sn_camera     *cameras;      uint32_t camera_count;
    const sn_light      *lights;       uint32_t light_count;
    const sn_event      *events;       uint32_t event_count;       // sorted by clip, then time
    const sn_shape      *shapes;       uint32_t shape_count;
    const sn_attachment *attachments;  uint32_t attachment_count;
    const sn_warning    *warnings;     uint32_t warning_count;
    const void          *document;     // the parsed file, with sn_load_opts.keep_document
    const void          *checked;      // the model's own address if sinew made it; leave NULL in models made by hand
} sn_model;

SN_API void      sn_model_free(sn_model *model);
SN_API int32_t   sn_model_find_node(const sn_model *model, const char *name);   // the first of that name, or -1
SN_API int32_t   sn_model_find_clip(const sn_model *model, const char *name);
// The clip to show by default: an idle clip, recognised by its name, else the first clip that loops, else -1.
SN_API int32_t   sn_model_default_clip(const sn_model *model);
SN_API uint64_t  sn_model_hash(const sn_model *model);   // of the content; equal on every machine

// Checks that a model, loaded or made by hand, meets every guarantee of this header. Returns SN_OK, or SN_ERR_INVALID
// for the first violation: error.path names the element ("/clips/2 \"walk\"/tracks/5"). Allocates nothing. Pointers
// that are not NULL must be valid.
SN_API sn_status sn_model_check(const sn_model *model, sn_error *error);


// Loading

// Folders and archives to search for textures and other files, see files.h.
typedef struct sn_search  sn_search;
typedef struct sn_archive sn_archive;

// A file that belongs to a model. If `data` is NULL, the file is read from the path `name`; else `data` must stay valid
// until loading returns.
typedef struct sn_companion { const char *name; const void *data; size_t size; } sn_companion;

// Dark Cloud 1 and 2 have the same file formats, but some fields have different meanings.
typedef enum sn_level5_game { SN_LEVEL5_AUTO, SN_LEVEL5_DARK_CLOUD, SN_LEVEL5_DARK_CLOUD_2 } sn_level5_game;

// The game that a file is for. Several games may use the same format.
typedef enum sn_game {
    SN_GAME_AUTO, SN_GAME_WARCRAFT_3, SN_GAME_REFORGED,
    SN_GAME_GENERALS,        // Command & Conquer Generals, Zero Hour, Renegade
    SN_GAME_BFME,            // The Battle for Middle-earth
    SN_GAME_DARK_CLOUD, SN_GAME_DARK_CLOUD_2
} sn_game;

typedef struct sn_load_opts {
    sn_allocator allocator;
    sn_limits    limits;
    const char  *name;           // for messages; its extension decides when several formats match equally well
    bool         lint;           // also warn about harmless violations of the format's rules
    sn_game      game;           // also warn about what this game rejects or plays incorrectly [no game]
    bool         map_files;      // map files instead of reading them: faster for large files. Truncating a mapped
                                 // file while the model exists crashes the process
    bool         tangents;       // compute missing tangents (MikkTSpace), and normals, where a normal map or an
                                 // extension of the material needs them; may append vertices
    bool         keep_document;  // keep the parsed file, for saving in the same format. The bytes passed to
                                 // sn_load_memory must then outlive the model
    bool         continuous;     // interpolate across the loop seam instead of reproducing the game's pop
    uint32_t     max_influences; // per vertex: the largest weights are kept and normalised [all]
    uint32_t     team;           // the player whose colour Warcraft III textures show [0]

    // More places to search for files that models of classic games refer to; may be NULL. sinew searches by path,
    // then by file name alone, ignoring case: below the model's folder, then in the folders and archives of `search`.
    // A reference that leads outside (with "..", a drive or a leading slash) is never opened as written; only its file
    // name is searched for.
    sn_search   *search;
    const char  *root;               // a folder that contains the model, searched before `search`; may be NULL
    bool         find_layout;        // also search the root folder of a game's files, if the model is in one: see
                                     // sn_layout_find

    // Models in several files:
    const char  *hierarchy;          // W3D: use this skeleton instead of the model's; a name or a .w3d file
    const sn_companion *companions;  // W3D: files whose animations become clips
    uint32_t     companion_count;
    bool         folder_clips;       // W3D: if the model has meshes, add all animations that name its skeleton, from
                                     // files below the model's folder and in `root` and `search`
    sn_level5_game level5_game;      // [detect]

    // Opens a file that the model refers to, instead of searching. `ref` is relative, with '/' and without "..". For
    // formats of classic games, it may be called several times for one file: with other extensions, then with the file
    // name alone. The bytes must stay valid until close_ref, or until loading returns. If open_ref is NULL,
    // sn_load_file opens files below the model's folder, sn_load_archive opens files in the archive, and sn_load_memory
    // opens none; all three also open files in `search`.
    bool (*open_ref)(void *user, const char *ref, const void **data, size_t *size);
    // Called once for each open_ref that returned true, before loading returns. May be NULL.
    void (*close_ref)(void *user, const void *data, size_t size);
    // Lists the files beside the model, for folder_clips with open_ref. False past the end. The bytes need to stay
    // valid only until the next call.
    bool (*peek_ref)(void *user, uint32_t index, const char **ref, const void **data, size_t *size);
    // Called for each file on disk that is read, including archives; possibly more than once. May be NULL.
    void (*opened)(void *user, const char *path);
    // Called for each additional file that became part of the model: textures, buffers, skeletons, animations. `name`
    // is a path in `archive` or, if `archive` is NULL, a path on disk with links resolved. May be NULL.
    void (*joined)(void *user, const sn_archive *archive, const char *name);
    bool (*cancelled)(void *user);   // returning true stops loading. May be NULL
    void *user;                      // passed to all callbacks
} sn_load_opts;

// These return NULL on failure. opts and error may be NULL. The path "-" is standard input. `name` is a path in the
// archive.
SN_API sn_model *sn_load_file(const char *path, const sn_load_opts *opts, sn_error *error);
SN_API sn_model *sn_load_memory(const void *data, size_t size, const sn_load_opts *opts, sn_error *error);
SN_API sn_model *sn_load_archive(const sn_archive *archive, const char *name, const sn_load_opts *opts,
                                 sn_error *error);

typedef struct sn_format {
    const char *name, *title;      // "gltf", as in sn_model.format; "glTF 2.0"
    const char *extensions;        // separated by spaces: "gltf glb"
    bool        is_saved;          // sn_save_file can save any model in this format
    bool        has_document;      // supports sn_load_opts.keep_document
    bool        has_exact_refs;    // files refer to others by exact path; else sinew searches for them
} sn_format;

SN_API bool sn_format_at(uint32_t index, sn_format *format);      // false past the end
// The format of a file, detected by content. The extension of `name` (may be NULL) decides when several match.
SN_API bool sn_format_find(const void *data, size_t size, const char *name, sn_format *format);


// Posing

// The viewer, in model space. right, up and back have unit length.
typedef struct sn_view { sn_vec3 position, right, up, back; } sn_view;

// The state of one instance of a model: local transforms, visibility, morph weights, layers, lights; after
// sn_pose_solve also world matrices and skin palettes. The model must outlive the pose. sn_pose_create returns NULL
// when out of memory or when the model violates a guarantee. No other sn_pose_ function allocates.
typedef struct sn_pose sn_pose;
SN_API sn_pose  *sn_pose_create(const sn_model *model, const sn_allocator *allocator, sn_error *error);
SN_API void      sn_pose_free(sn_pose *pose);

// Sets the pose to a clip at a time; clip -1 is the rest pose. Times outside 0..duration wrap if the clip loops, else
// they are clamped. `clock` is the time since the model appeared; it drives tracks with a period.
SN_API void      sn_pose_sample(sn_pose *pose, int32_t clip, float seconds, float clock);
SN_API void      sn_pose_blend(sn_pose *pose, const sn_pose *other, float weight);   // 0 keeps `pose`, 1 takes `other`
SN_API void      sn_pose_set_local(sn_pose *pose, int32_t node, sn_trs local);       // overrides the sampled transform
SN_API void      sn_pose_set_root(sn_pose *pose, const sn_mat34 *transform);         // parent of all roots
SN_API void      sn_pose_set_scene(sn_pose *pose, int32_t scene);                    // shows only this scene's parts
SN_API void      sn_pose_set_lod(sn_pose *pose, int32_t lod);                        // level of detail [0, the finest]
SN_API void      sn_pose_solve(sn_pose *pose, const sn_view *view);                 // `view` (or NULL) turns billboards

SN_API sn_trs          sn_pose_local(const sn_pose *pose, int32_t node);
SN_API sn_mat34        sn_pose_world(const sn_pose *pose, int32_t node);
SN_API const sn_mat34 *sn_pose_palette(const sn_pose *pose, int32_t skin);   // world * inverse bind, one per joint
SN_API bool            sn_pose_shows(const sn_pose *pose, int32_t part);     // visible in this scene and detail level
SN_API bool            sn_pose_mirrors(const sn_pose *pose, int32_t part);   // mirrored: front faces are clockwise
SN_API sn_vec4         sn_pose_color(const sn_pose *pose, int32_t part);
SN_API const float    *sn_pose_morphs(const sn_pose *pose, int32_t part);    // weights; NULL without morphs

typedef struct sn_layer_state { sn_vec4 color; sn_vec3 emissive; sn_uv_transform uv; int32_t image; } sn_layer_state;
SN_API sn_layer_state  sn_pose_layer(const sn_pose *pose, int32_t material, int32_t layer);

typedef struct sn_light_state { sn_vec3 color; float intensity; } sn_light_state;
SN_API sn_light_state  sn_pose_light(const sn_pose *pose, int32_t light);    // intensity is 0 if its node is hidden
SN_API float           sn_pose_fov(const sn_pose *pose, int32_t camera);     // animated sn_camera.fov_y

// Samples one track; writes track->width floats.
SN_API void sn_track_sample(const sn_track *track, float seconds, float duration, float clock, float *out);

// A box and a sphere around the visible parts; zero when nothing is visible.
typedef struct sn_bounds { sn_vec3 min, max, center; float radius; } sn_bounds;
SN_API sn_bounds sn_pose_bounds(const sn_pose *pose);

// The bounds of a whole clip, at its keys and between them; clip -1 is the rest pose. Returns SN_OK, SN_ERR_MEMORY or
// SN_ERR_INVALID.
SN_API sn_status sn_model_bounds(const sn_model *model, int32_t clip, const sn_allocator *allocator, sn_bounds *bounds);


// Skinning and vertex buffers

// Computes the posed vertices of a part in model space: morphed, then skinned or moved by the node. Includes the
// transform of sn_pose_set_root. Outputs may be NULL; normals and tangents are written only if the mesh has them.
SN_API void sn_skin_part(const sn_pose *pose, int32_t part, sn_vec3 *positions, sn_vec3 *normals, sn_vec4 *tangents);

// Interleaved vertices for a vertex buffer. Positions, normals, tangents and texture coordinates are F32, colors F32 or
// U8, joints U8 or U16, weights F32 or U8 (summing to 255).
typedef enum sn_attribute {
    SN_ATTRIBUTE_POSITION,
    SN_ATTRIBUTE_NORMAL,       // 0,0,1 where the mesh has none
    SN_ATTRIBUTE_TANGENT,      // 1,0,0,1 where the mesh has none
    SN_ATTRIBUTE_UV,           // 0,0 where the mesh has none
    SN_ATTRIBUTE_COLOR,        // white where the mesh has none
    SN_ATTRIBUTE_JOINTS,       // indices into sn_skin.joints, largest weight first; 0 where the mesh is rigid
    SN_ATTRIBUTE_WEIGHTS       // 1,0,0,... where the mesh is rigid
} sn_attribute;

typedef enum sn_component { SN_COMPONENT_F32, SN_COMPONENT_U8, SN_COMPONENT_U16 } sn_component;

typedef struct sn_vertex_attribute {
    sn_attribute attribute;
    sn_component component;
    uint32_t     set;              // of texture coordinates or colors
    uint32_t     offset;           // bytes from the start of the vertex
} sn_vertex_attribute;

typedef struct sn_vertex_layout {
    const sn_vertex_attribute *attributes;
    uint32_t attribute_count;
    uint32_t stride;               // bytes per vertex
    uint32_t influence_count;      // per vertex, 1 to 16 [4]: the largest weights, normalised
} sn_vertex_layout;

// Writes vertex_count * stride bytes; bytes that no attribute covers are not changed. SN_ERR_INVALID: the attribute
// does not support the component type, or exceeds the stride. SN_ERR_LIMIT: a joint index above 255 with U8.
SN_API sn_status sn_mesh_pack_vertices(const sn_mesh *mesh, const sn_vertex_layout *layout, void *out, sn_error *error);


// Images

// 8 bits each of red, green, blue and alpha (not premultiplied), rows from the top.
typedef struct sn_pixels {
    uint32_t     width, height;
    uint8_t     *rgba;             // width * height * 4 bytes
    sn_allocator allocator;        // for sn_pixels_free
} sn_pixels;

typedef struct sn_decode_opts {
    sn_allocator allocator;
    sn_limits    limits;           // image_pixels and memory_bytes [512 MiB, including libwebp's allocations]
    uint32_t     mip;              // level of a BLP, DDS or TIM2; 0 is the largest; a missing level is an error
    bool         hidden_alpha;     // use the alpha of a BLP1 JPEG that declares none, as Warcraft III does
    bool         size_only;        // only read width and height; rgba stays NULL
    void (*report)(void *user, const sn_warning *warning);     // receives repaired damage; may be NULL
    void *user;
} sn_decode_opts;

// Decodes BLP, DDS, TGA, TIM2, PNG, JPEG, and WebP if built with libwebp. The format is detected by content. Uses only
// image->data and image->size. On failure `pixels` is zeroed.
SN_API sn_status sn_image_decode(const sn_image *image, const sn_decode_opts *opts, sn_pixels *pixels, sn_error *error);
SN_API void      sn_pixels_free(sn_pixels *pixels);
// Writes a TGA if the path ends in .tga, else a PNG, with sn_file_write. Equal pixels give equal bytes.
SN_API sn_status sn_pixels_save(const sn_pixels *pixels, const char *path, sn_error *error);

typedef struct sn_image_format {
    const char *name;              // "BLP"
    const char *mime_type;         // as in sn_image.mime_type
    const char *extensions;        // separated by spaces: "jpg jpeg"
    bool        is_decoded;        // by this build of the library
    bool        is_saved;          // sn_pixels_save writes it
} sn_image_format;

SN_API bool sn_image_format_at(uint32_t index, sn_image_format *format);      // false past the end
SN_API bool sn_image_format_find(const void *data, size_t size, sn_image_format *format);    // detected by content


// Saving

// How a .w3d stores animations: one value per frame, keyframes, or differences between frames (the lossiest).
typedef enum sn_w3d_animation { SN_W3D_RAW, SN_W3D_TIMECODED, SN_W3D_ADAPTIVE } sn_w3d_animation;

// The format that textures are saved in. BLP has a palette of 256 colours, or JPEG data, which loses less for most
// images. DDS has BC1 blocks, BC3 with alpha, or BC5 for normal maps of Reforged. BLP and DDS textures get mip levels,
// and sides that are powers of two. Textures that already have the format are copied unchanged.
typedef enum sn_textures {
    SN_TEXTURES_AUTO,          // copies formats that the target reads and converts others: in .mdx to BLP (Reforged:
                               // DDS), in .w3d to TGA, in .glb and .gltf to PNG, in Level-5 files to TIM2
    SN_TEXTURES_BLP, SN_TEXTURES_BLP_JPEG, SN_TEXTURES_DDS, SN_TEXTURES_TGA, SN_TEXTURES_PNG
} sn_textures;

// Caches the PNGs that saving makes from textures, so that models with the same textures are saved faster. Share one
// cache in a batch; any number of threads may use it. The saved files are the same with and without it.
typedef struct sn_image_cache sn_image_cache;
SN_API sn_image_cache *sn_image_cache_create(const sn_allocator *allocator, uint64_t bytes);  // memory limit [256 MiB]
SN_API void            sn_image_cache_free(sn_image_cache *cache);

typedef struct sn_save_opts {
    sn_allocator allocator;
    sn_game      game;             // the game that the file is for; it must use this format [.mdx, .mdl: Warcraft III
                                   // before Reforged; .w3d: Generals; .mds, .chr...: the game that the model is from,
                                   // else Dark Cloud 2]
    bool         repairs;          // if the model has a document: instead of saving it unchanged, fix what `game`
                                   // rejects or plays incorrectly, where nothing is lost. Each fix is reported as
                                   // REPAIRED
    const sn_model *skeleton;      // .mds, .chr...: number and name the nodes as in this model; may be NULL
    uint32_t     mdx_version;      // of .mdx and .mdl: 800, 1000, 1100 or 1200 [800; 1000 for Reforged]
    sn_w3d_animation w3d_animation;
    bool         w3d_split;        // save x.w3d as x_skn.w3d, x_skl.w3d and one file per animation, as the games do
    sn_textures  textures;         // saving fails if the target cannot use this format
    // limit [256 MiB + 32 x bytes of the model, at most 2 GiB, or 640 MiB for a model that takes less than 8 MiB]
    uint64_t     memory_bytes;
    uint64_t     image_pixels;     // limit for all decoded images together [128 M + 64 x bytes of the images]
    bool         keep_axes;        // keep Z up, even if the target has Y up
    float        scale;            // multiplies all lengths [1], except in extras and in documents saved unchanged
    // glTF: hide skinned parts only with KHR_node_visibility. By default they are also hidden with joints scaled to 0,
    // which works in every player, and the rest pose shows the parts that are visible at the start of the default clip.
    bool         no_visibility_tricks;
    uint32_t     max_influences;   // per vertex: the largest weights are kept and normalised [all]
    sn_image_cache *image_cache;   // may be NULL
    bool         strict;           // a loss is an error, SN_ERR_LOSSY, and nothing is saved
    // Called for everything that the target format cannot hold, with or without `strict`. May be NULL.
    void (*report)(void *user, const sn_warning *loss);
    // Receives the files instead of the disk; `name` is the last part of the path. Returning false stops saving.
    bool (*write)(void *user, const char *name, const void *data, size_t size);
    // Asked for each file before it is written to disk. Returning false stops saving; nothing is changed. May be NULL.
    bool (*may_write)(void *user, const char *path);
    // Called for each written file, after all of them are in place. May be NULL.
    void (*wrote)(void *user, const char *path, uint64_t size);
    bool (*cancelled)(void *user);   // returning true stops saving. May be NULL
    void *user;                      // passed to all callbacks
} sn_save_opts;

// Saves in the format of the path's extension: .glb, or .gltf with a .bin beside it; .mdx and .mdl with textures beside
// them, .w3d likewise; .mds with .wgt, .bbp, .mot, .img and .cfg beside it; .chr, .pak, .mpk, .pcp, .efp, .sky and .pac
// with all of these inside. A model loaded with keep_document is written unchanged, unless the options set a game, a
// version or another option of its format. The model is checked first. All files of an output are written beside their
// targets (".sinew-...part") and renamed when complete: after a failure the old files are unchanged. Equal models give
// equal bytes. The buffer of x.gltf is x.bin, or x-HASH.bin if a different x.bin exists, so that x.gltf on disk always
// matches its buffer. When x.gltf replaces one that sinew wrote, the buffer of the old one is removed afterwards.
SN_API sn_status sn_save_file(const sn_model *model, const char *path, const sn_save_opts *opts, sn_error *error);

// Saves to memory: "glb"; "chr" and other packs; "mdx", "mdl", "w3d" and "mds" without the files beside them. Free
// `bytes` with sn_bytes_free.
SN_API sn_status sn_save_memory(const sn_model *model, const char *extension, const sn_save_opts *opts, sn_bytes *bytes,
                                sn_error *error);

// The result of parsing a file and writing it again.
typedef struct sn_round_trip {
    bool     is_identical;    // equal bytes
    bool     is_same;         // the bytes differ, the document is the same
    uint64_t offset;          // of the first byte that differs
    char     path[112];       // the element that contains it: "GEOS[3]/VRTX"
} sn_round_trip;

// Returns SN_ERR_UNSUPPORTED for formats without has_document.
SN_API sn_status sn_check_round_trip(const void *data, size_t size, const sn_load_opts *opts, sn_round_trip *result,
                                     sn_error *error);

// clang-format on
#ifdef __cplusplus
}
#endif
#endif
