// clang-format off: columns are aligned by hand, for readers
// sinew: skeletal models of old games, read into one correct shape, posed and skinned.
//
//     sn_error error;
//     sn_model *model = sn_load_file("knight.glb", NULL, &error);
//     if (!model) { fprintf(stderr, "%s\n", error.message); return 1; }
//     sn_pose *pose = sn_pose_create(model, NULL, NULL);
//     sn_pose_sample(pose, sn_model_find_clip(model, "walk"), 0.5f, 0.0f);
//     sn_pose_solve(pose, NULL);
//     sn_mat34 hand = sn_pose_world(pose, sn_model_find_node(model, "hand_r"));
//
// House rules. Seconds, radians, column vectors, right-handed, rotations x,y,z,w. A model keeps the
// file's own axes and lengths and says which axis is up. Indices are int32_t and -1 is none; elements
// refer to each other by index. Text is UTF-8 and never NULL unless said so; extras are JSON text or NULL.
//
// What a model promises, so that nobody checks again: every index is in range, parents come before their children,
// floats are finite, vertex weights sum to 1, rotations have unit length, tracks have keys, their times rise and their
// values are as wide as the channel says, names are valid UTF-8. Loading and sn_builder_finish (build.h) make such
// models; any other is checked by sn_model_check before it is posed, saved or drawn, and a broken promise is an error.
// A model never changes after it is made: any number of threads may read it. A pose belongs to one thread at a time.
// There are no globals.
#ifndef SINEW_H
#define SINEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SN_VERSION "0.1.0"

#if defined(_WIN32) && defined(SN_SHARED)
#    ifdef SN_BUILDING
#        define SN_API __declspec(dllexport)
#    else
#        define SN_API __declspec(dllimport)
#    endif
#elif defined(__GNUC__)
#    define SN_API __attribute__((visibility("default")))
#else
#    define SN_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct sn_vec2 {
    float x, y;
} sn_vec2;
typedef struct sn_vec3 {
    float x, y, z;
} sn_vec3;
typedef struct sn_vec4 {
    float x, y, z, w;
} sn_vec4;
typedef struct sn_quat {
    float x, y, z, w;
} sn_quat;

// Acts as translation * rotation * scale: scale first.
typedef struct sn_trs {
    sn_vec3 translation;
    sn_quat rotation;
    sn_vec3 scale;
} sn_trs;

// Three rows of four: p' = m[r][0]*x + m[r][1]*y + m[r][2]*z + m[r][3]. The fourth row is 0,0,0,1.
typedef struct sn_mat34 {
    float m[3][4];
} sn_mat34;

typedef enum sn_status {
    SN_OK,
    SN_ERR_IO,           // a file cannot be opened, read or written
    SN_ERR_FORMAT,       // not a format sinew knows
    SN_ERR_TRUNCATED,    // the file ends too early
    SN_ERR_CORRUPT,      // the file contradicts itself
    SN_ERR_UNSUPPORTED,  // a version or feature that sinew names but does not read
    SN_ERR_LIMIT,        // a ceiling of sn_limits or sn_save_opts
    SN_ERR_MEMORY,       // the allocator answered NULL
    SN_ERR_CANCELLED,    // sn_load_opts.cancelled said so
    SN_ERR_INVALID       // a model made by hand breaks a promise: see sn_model_check
} sn_status;

// What went wrong, where, and in which part of the file. Fixed size: it never allocates, so it can
// report running out of memory. Text is valid UTF-8 without control characters.
typedef struct sn_error {
    sn_status status;
    uint64_t offset;    // byte in the input where the faulty item starts
    char path[112];     // "HLOD/MESH[2] \"turret\"/VERTICES", "/accessors/3"
    char message[176];  // "4294967295 vertices need 12 bytes each, 312 bytes remain"
} sn_error;

// Something sinew repaired or ignored. Alike warnings (same code and path) are kept once, with a count.
typedef struct sn_warning {
    int32_t code;  // stable; sn_warning_name() says it as text, docs/diagnostics.md explains it
    uint32_t count;
    uint64_t offset;  // of the first
    const char *path, *message;
} sn_warning;

// Both functions or neither. alloc answers memory aligned for any type, or NULL; free gets the size back.
typedef struct sn_allocator {
    void *(*alloc)(void *user, size_t size);
    void (*free)(void *user, void *ptr, size_t size);
    void *user;
} sn_allocator;

// Ceilings for untrusted input; 0 takes the default in brackets.
typedef struct sn_limits {
    uint64_t file_bytes;    // of any one file [1 GiB]
    uint64_t memory_bytes;  // [16 MiB + 32 x bytes of all files read, at most 2 GiB]
    uint32_t elements;      // in any one array [16 M]
    uint32_t depth;         // of chunks or JSON [64]
    uint32_t image_pixels;  // [64 M]
} sn_limits;

// The contents of a file, or any other bytes that sinew made. Free them with sn_bytes_free.
typedef struct sn_bytes {
    const uint8_t *data;  // never NULL after success, also when size is 0
    size_t size;
    void *owner;  // private
} sn_bytes;

SN_API void sn_bytes_free(sn_bytes *bytes);  // sets it to zero; may be called again

// Archives of game files: BIG (EA), disc archives and packs (Level-5), and any kind that a program adds, such as MPQ
// from libsinew_mpq (sinew/mpq.h). The list of files is read when the archive is opened. Any number of threads may use
// an open archive.
typedef struct sn_archive sn_archive;
typedef struct sn_archive_kind sn_archive_kind;

typedef struct sn_archive_opts {
    sn_allocator allocator;
    sn_limits limits;              // file_bytes; memory_bytes is for the list [256 MiB + 2 x file size, at most 2 GiB]
    const sn_archive_kind *kinds;  // besides those that sinew reads by itself; must outlive the archive
    uint32_t kind_count;
} sn_archive_opts;

// The kind is chosen by the extension; for other names each kind is tried. NULL opts: all defaults.
SN_API sn_archive *sn_archive_open(const char *path, const sn_archive_opts *opts, sn_error *error);
SN_API void sn_archive_close(sn_archive *archive);

typedef struct sn_archive_info {
    const char *path;     // as it was opened
    const char *partner;  // the other file of an archive that consists of two, else NULL
    const char *title;    // "BIG archive"
    const char *detail;   // a variant: "HD3 index"; else NULL
    uint32_t file_count;
    uint32_t refused_count;  // files left out: their names lead out of the archive
    uint32_t damaged_count;  // files left out: no name, or outside the data
    uint32_t overlap_count;  // files that begin inside another file
} sn_archive_info;

SN_API sn_archive_info sn_archive_describe(const sn_archive *archive);

// One file. The name is relative, with '/' between folders and without "..".
typedef struct sn_archive_entry {
    const char *name;
    uint64_t size;  // as listed; files that are packed one by one may unpack to another size
} sn_archive_entry;

// The files sorted by name, ignoring case; each name once. False past the last.
SN_API bool sn_archive_at(const sn_archive *archive, uint32_t index, sn_archive_entry *entry);
// By full path: any case, either slash. MPQ archives may have files that they do not list; these are found too, and
// entry->name is then `path` itself.
SN_API bool sn_archive_find(const sn_archive *archive, const char *path, sn_archive_entry *entry);
// By last name, in any folder.
SN_API bool sn_archive_find_name(const sn_archive *archive, const char *name, sn_archive_entry *entry);
// The contents of the file that sn_archive_find returns for `path`.
SN_API sn_status sn_archive_read(const sn_archive *archive, const char *path, sn_bytes *bytes, sn_error *error);

// The kinds that sinew knows.
typedef struct sn_archive_format {
    const char *title, *extensions;  // "BIG archive", "big"
    const char *needs;               // the library that reads it ("libsinew_mpq"); NULL: sinew reads it by itself
    bool is_model;                   // sn_load_file loads such files too, as models
} sn_archive_format;
SN_API bool sn_archive_format_at(uint32_t index, sn_archive_format *format);  // false past the last

// A kind of archive that a program adds. Functions return SN_OK, or another status and fill the error. Several threads
// may call find and read at the same time.
typedef struct sn_archive_buffer sn_archive_buffer;
struct sn_archive_kind {
    const char *title;       // "MPQ archive"
    const char *extensions;  // "mpq w3m w3x w3n"
    // Opens the file at `path`, which has `bytes` bytes, and calls sn_archive_add for every file in it. A handle is
    // closed also when open fails.
    sn_status (*open)(sn_archive *archive, const char *path, uint64_t bytes, void **handle, sn_error *error);
    void (*close)(void *handle);
    // A file that was not added, by its name with '/'. NULL: all files were added.
    bool (*find)(void *handle, const char *name, uint64_t *size);
    // The contents into memory of sn_archive_reserve. `name` is the added one, or one that `find` accepted.
    sn_status (*read)(void *handle, const char *name, bool was_added, sn_archive_buffer *buffer, sn_error *error);
};
// False: out of memory. Names that lead out of the archive are counted and left out.
SN_API bool sn_archive_add(sn_archive *archive, const char *name, uint64_t size);
// Room for `size` bytes that are stored as `packed_size` bytes. NULL: the sizes are not plausible, or too much memory;
// return any failure then.
SN_API void *sn_archive_reserve(sn_archive_buffer *buffer, uint64_t size, uint64_t packed_size);

// Where the formats of classic games look for other files: folders, then archives, each in the order they were added. A
// file is looked for by its path in all of them, then by its last name, in any case. Folders are listed once, at first
// use. Any number of threads may load with one search at a time; add everything before.
typedef struct sn_search sn_search;
SN_API sn_search *sn_search_create(const sn_allocator *allocator);  // NULL: out of memory
SN_API void sn_search_free(sn_search *search);
SN_API sn_status sn_search_add_folder(sn_search *search, const char *folder, sn_error *error);
SN_API sn_status sn_search_add_archive(sn_search *search, const sn_archive *archive, sn_error *error);  // stays yours
// Listings of the folders around loaded models are kept as well. This drops them: call it when files came or went.
SN_API void sn_search_refresh(sn_search *search);

// A file that belongs to a model. Its bytes must stay valid until loading returns; NULL: `name` is a path to read it
// from.
typedef struct sn_companion {
    const char *name;
    const void *data;
    size_t size;
} sn_companion;

// Level-5's games share their files but not what all of it means.
typedef enum sn_level5_game { SN_LEVEL5_AUTO, SN_LEVEL5_DARK_CLOUD, SN_LEVEL5_DARK_CLOUD_2 } sn_level5_game;

typedef struct sn_load_opts {
    sn_allocator allocator;
    sn_limits limits;
    const char *name;    // for messages, and to choose between formats of equal score
    bool lint;           // also warn of what does no harm here but breaks the format's rules
    bool map_files;      // map files instead of reading them: faster where they are large. Only for files that nobody
                         // changes while the model lives: one that is cut short meanwhile ends the process
    bool tangents;       // make them where a normal map wants them and the file has none (as MikkTSpace does), and
                         // normals too (those of the faces); a mesh may get more vertices, behind its own
    bool keep_document;  // keep what the file says in its own terms: see sn_model.document. Bytes given to
                         // sn_load_memory must then outlive the model
    bool continuous;     // clips run smoothly from their last key to their first; else they jump as the game does
    uint32_t max_influences;  // joints per vertex: the largest weights are kept and scaled to sum to 1 [all]
    uint32_t team;       // whose colour the textures show that a game paints in its players' colours [0]
    // More places for the files that formats of classic games refer to. Each is looked for by its path, in any case and
    // with either slash: below the model's folder, in the folders of `search`, beside the model in its archive, in that
    // archive, in the archives of `search`; then by its last name in the same order. NULL: no more places.
    sn_search *search;
    // Models that come in several files (W3D: meshes, skeletons and animations apart):
    const char *hierarchy;           // a skeleton in place of the one that the model names: by its name, or a .w3d file
    const sn_companion *companions;  // files whose animations become clips of the model
    uint32_t companion_count;
    bool folder_clips;           // and those of every file beside the model that name its skeleton
    sn_level5_game level5_game;  // whose rules the files follow; SN_LEVEL5_AUTO: as they tell by themselves
    // Opens a file that the model refers to, instead of the places above. `ref` is relative, with '/' between names and
    // without "..". The formats of classic games may ask several times for one file: with other extensions, then
    // without folders. The bytes stay yours and must stay valid until close_ref, or until loading returns. NULL:
    // sn_load_file opens regular files inside the model's folder, sn_load_archive files beside the model; both, and
    // sn_load_memory, those of `search`.
    bool (*open_ref)(void *user, const char *ref, const void **data, size_t *size);
    // Called once for every open_ref that returned true, before loading returns. May be NULL.
    void (*close_ref)(void *user, const void *data, size_t size);
    // For folder_clips: the index-th file beside the model, false when there are no more. The bytes need only last
    // until the next call: files that are needed are opened by name. NULL: sn_load_file looks in the model's folder,
    // sn_load_archive beside the model, sn_load_memory nowhere.
    bool (*peek_ref)(void *user, uint32_t index, const char **ref, const void **data, size_t *size);
    // Reports the path of each file on disk that the load reads: the model, the files it refers to, the archives they
    // are in. A file may be reported more than once. May be NULL.
    void (*opened)(void *user, const char *path);
    bool (*cancelled)(void *user);
    void *user;
} sn_load_opts;

typedef enum sn_node_flag {
    SN_NODE_JOINT = 1 << 0,        // some skin bends with it
    SN_NODE_ATTACHMENT = 1 << 1,   // a place for something else: weapon, rider, effect
    SN_NODE_HIDDEN = 1 << 2,       // not shown at rest, with all below it
    SN_NODE_BILLBOARD = 1 << 3,    // turns to the viewer
    SN_NODE_BILLBOARD_X = 1 << 4,  // turns about its own axis only
    SN_NODE_BILLBOARD_Y = 1 << 5,
    SN_NODE_BILLBOARD_Z = 1 << 6,
    SN_NODE_OWN_TRANSLATION = 1 << 7,  // the parent's movement does not reach it
    SN_NODE_OWN_ROTATION = 1 << 8,
    SN_NODE_OWN_SCALE = 1 << 9,
    SN_NODE_SCALE_PARENT_AXES = 1 << 10  // translation * scale * rotation (Dark Cloud 2)
} sn_node_flag;

typedef struct sn_node {
    const char *name, *extras;
    int32_t parent;  // < own index, -1 at a root
    int32_t id;      // its number in the file
    uint32_t flags;  // sn_node_flag
    sn_trs rest;
    const sn_mat34 *matrix;  // only where translation, rotation and scale cannot say it; else NULL
} sn_node;

typedef struct sn_skin {
    const char *name;
    const int32_t *joints;         // nodes
    const sn_mat34 *inverse_bind;  // one per joint
    uint32_t joint_count;
} sn_skin;

typedef enum sn_topology { SN_TRIANGLES, SN_LINES, SN_POINTS } sn_topology;

// Differences from the mesh, one per vertex; NULL where the morph leaves that attribute alone.
typedef struct sn_morph {
    const char *name;
    const sn_vec3 *positions, *normals, *tangents;
} sn_morph;

// Geometry only: many parts may show it. Strips, fans and loops have become plain lists.
typedef struct sn_mesh {
    const char *name, *extras;
    sn_topology topology;
    uint32_t vertex_count, index_count;
    uint32_t uv_count, color_count;  // sets
    uint32_t influence_count;        // per vertex, 0: rigid
    uint32_t morph_count;
    const sn_vec3 *positions;
    const sn_vec3 *normals;         // unit; may be NULL
    const sn_vec4 *tangents;        // unit, w is +1 or -1; may be NULL
    const sn_vec2 *const *uvs;      // origin at the top left; a set may be NULL
    const sn_vec4 *const *colors;   // linear; a set may be NULL
    const uint32_t *indices;        // each < vertex_count; also where the file has none
    const uint16_t *vertex_joints;  // influence_count per vertex, into sn_skin.joints
    const float *vertex_weights;    // sum to 1 per vertex
    const sn_morph *morphs;
} sn_mesh;

// A mesh shown: carried by a node or, with a skin, bent by the skin's joints alone.
typedef struct sn_part {
    int32_t mesh, node;          // always there
    int32_t skin, material;      // may be -1: rigid, plain white
    int32_t lod;                 // 0 is the finest level, -1 is in every level
    bool is_hidden;              // at rest
    sn_vec4 color;               // multiplies what the material shows, as the games do: sRGB, alpha as it is
    const float *morph_weights;  // at rest, one per morph of the mesh; NULL without morphs
} sn_part;

typedef enum sn_target {
    SN_TARGET_NODE,    // nodes[target]
    SN_TARGET_PART,    // parts[target]
    SN_TARGET_LAYER,   // materials[target].layers[sub]
    SN_TARGET_CAMERA,  // cameras[target]
    SN_TARGET_LIGHT    // lights[target]
} sn_target;

typedef enum sn_channel {    // [floats per value]
    SN_CHANNEL_TRANSLATION,  // [3] node
    SN_CHANNEL_ROTATION,     // [4] node
    SN_CHANNEL_SCALE,        // [3] node
    SN_CHANNEL_VISIBILITY,   // [1] shown when > 0. A node hides all below it, a part itself
    SN_CHANNEL_MORPHS,       // [morph_count] node: the weights of all parts it carries
    SN_CHANNEL_COLOR,        // [3] part, layer, light
    SN_CHANNEL_ALPHA,        // [1] part, layer
    SN_CHANNEL_EMISSIVE,     // [3] layer
    SN_CHANNEL_UV_OFFSET,    // [2] layer: colour map
    SN_CHANNEL_UV_ROTATION,  // [1]
    SN_CHANNEL_UV_SCALE,     // [2]
    SN_CHANNEL_IMAGE,        // [1] layer: number of the image
    SN_CHANNEL_INTENSITY,    // [1] light
    SN_CHANNEL_FOV,          // [1] camera
    SN_CHANNEL_COUNT
} sn_channel;

typedef enum sn_interpolation {
    SN_STEP,
    SN_LINEAR,       // rotations: slerp along the shorter arc
    SN_HERMITE,      // tangents span their segment; rotations: squad
    SN_BEZIER,       // tangents are control points; rotations: squad
    SN_CUBIC_SPLINE  // tangents per second (glTF); rotations: four components, then unit length
} sn_interpolation;

typedef enum sn_track_wrap {
    SN_WRAP_HOLD,       // first value before the first key, last value after the last
    SN_WRAP_CYCLE,      // from the last key on to the first, through the end of the clip
    SN_WRAP_CYCLE_GAME  // the same, with Warcraft III's jump before the first key
} sn_track_wrap;

typedef struct sn_track {
    uint8_t target_kind, channel, interpolation, wrap;  // sn_target, sn_channel, ...
    int32_t target, sub;                                // which one; sub is the layer of a material, else 0
    float period;                                       // > 0: loops on its own clock (a Warcraft III global sequence)
    uint32_t key_count, width;
    const float *times;   // seconds from the clip's start, rising
    const float *values;  // key_count * width; Hermite, Bezier, cubic: in, value, out for each key
} sn_track;

typedef struct sn_clip {
    const char *name, *extras;
    float duration;
    bool loops;
    const sn_track *tracks;
    uint32_t track_count;
} sn_clip;

typedef enum sn_texture_wrap { SN_REPEAT, SN_CLAMP, SN_MIRROR } sn_texture_wrap;

typedef enum sn_filter {
    SN_FILTER_AUTO,
    SN_FILTER_NEAREST,
    SN_FILTER_LINEAR,
    SN_FILTER_NEAREST_MIP_NEAREST,
    SN_FILTER_LINEAR_MIP_NEAREST,
    SN_FILTER_NEAREST_MIP_LINEAR,
    SN_FILTER_LINEAR_MIP_LINEAR
} sn_filter;

// uv' = offset + rotate(scale * uv); a positive rotation turns u towards v.
typedef struct sn_uv_transform {
    sn_vec2 offset;
    float rotation;
    sn_vec2 scale;
} sn_uv_transform;

typedef struct sn_texture {
    int32_t image;  // -1: no texture
    int32_t uv_set;
    uint8_t wrap_u, wrap_v;  // sn_texture_wrap
    uint8_t mag_filter, min_filter;
    float strength;  // of a normal or occlusion map
    sn_uv_transform transform;
} sn_texture;

typedef enum sn_map {
    SN_MAP_COLOR,        // sRGB, alpha linear
    SN_MAP_METAL_ROUGH,  // green roughness, blue metal
    SN_MAP_NORMAL,
    SN_MAP_OCCLUSION,  // red
    SN_MAP_EMISSIVE,   // sRGB
    SN_MAP_COUNT
} sn_map;

typedef enum sn_blend {
    SN_BLEND_OPAQUE,
    SN_BLEND_ALPHA,
    SN_BLEND_ADD,
    SN_BLEND_ADD_ALPHA,
    SN_BLEND_MODULATE,
    SN_BLEND_MODULATE_2X,
    SN_BLEND_SCREEN,
    SN_BLEND_SUBTRACT
} sn_blend;

typedef enum sn_layer_flag {
    SN_LAYER_UNLIT = 1 << 0,
    SN_LAYER_TWO_SIDED = 1 << 1,
    SN_LAYER_NO_DEPTH_TEST = 1 << 2,
    SN_LAYER_NO_DEPTH_WRITE = 1 << 3,
    SN_LAYER_SPHERE_MAP = 1 << 4  // texture coordinates from the normal
} sn_layer_flag;

typedef struct sn_layer {
    sn_texture maps[SN_MAP_COUNT];
    sn_vec4 color;  // linear, multiplies the colour map
    sn_vec3 emissive;
    float metallic, roughness;
    float alpha_cutoff;  // draws where alpha >= cutoff; 0: everywhere
    sn_blend blend;
    uint32_t flags;  // sn_layer_flag
} sn_layer;

// Layers are drawn in order, each over the last.
typedef struct sn_material {
    const char *name, *extras;
    const sn_layer *layers;
    uint32_t layer_count;
} sn_material;

typedef struct sn_image {
    const char *name;
    const char *uri;        // where the file says it is; "" when it lies inside the model
    const char *mime_type;  // by its first bytes; "" when unknown
    const uint8_t *data;    // still encoded, see sn_image_decode; NULL when it was not found
    uint64_t size;
} sn_image;

typedef struct sn_camera {
    const char *name, *extras;
    int32_t node;  // looks along -Z of it; -1 when no node carries it
    bool is_perspective;
    float fov_y, aspect;            // perspective; aspect 0: that of the picture
    float half_width, half_height;  // orthographic
    float near_plane, far_plane;    // far 0: infinite
} sn_camera;

typedef enum sn_light_kind { SN_LIGHT_DIRECTIONAL, SN_LIGHT_POINT, SN_LIGHT_SPOT, SN_LIGHT_AMBIENT } sn_light_kind;

typedef struct sn_light {
    const char *name, *extras;
    int32_t node;  // shines along -Z of it; -1 when no node carries it
    sn_light_kind kind;
    sn_vec3 color;
    float intensity, range;          // range 0: infinite
    float inner_angle, outer_angle;  // of a spot, from its axis
} sn_light;

// What is shown together: a glTF scene, one of several hierarchies.
typedef struct sn_scene {
    const char *name;
    const int32_t *roots;
    uint32_t root_count;
} sn_scene;

// The next three repeat, for use at run time, what nodes also have in their extras. sn_model_hash leaves them out.

// Something that happens at a time: a sound, a footprint, a splat of blood.
typedef struct sn_event {
    const char *name;  // as the file has it: "SNDXHFOO"
    int32_t node;      // where; -1 when no node carries it
    int32_t clip;      // -1: in all of them, on its own clock
    float time;        // seconds from the clip's start, or from that of the period
    float period;      // > 0 only where clip is -1: repeats on the clock of sn_pose_sample
} sn_event;

typedef enum sn_shape_kind { SN_SHAPE_BOX, SN_SHAPE_SPHERE, SN_SHAPE_CYLINDER, SN_SHAPE_PLANE } sn_shape_kind;

// What a game tests for collisions and clicks, in the space of its node.
typedef struct sn_shape {
    const char *name;
    int32_t node;  // -1: the model's own space
    sn_shape_kind kind;
    bool keeps_axes;  // its place follows the node, its axes stay those of the model (a W3D AABox)
    sn_vec3 center;
    sn_vec3 extents;  // half sizes of a box or plane; a cylinder's axis runs from center - extents to center + extents
    float radius;     // of a sphere or cylinder
} sn_shape;

// Where something else is attached: a weapon, a rider, an effect.
typedef struct sn_attachment {
    const char *name;
    const char *path;  // the file or object that belongs there; "" when the game decides
    int32_t node;
    int32_t id;  // its number in the file, -1: none
} sn_attachment;

typedef enum sn_axis { SN_Y_UP, SN_Z_UP } sn_axis;

typedef struct sn_model {
    const char *name, *format, *extras;  // format: "gltf", "mdx", "w3d", "level5", "built"
    sn_axis up_axis;
    uint32_t lod_count;     // at least 1
    int32_t default_scene;  // -1 without scenes
    const sn_scene *scenes;
    uint32_t scene_count;
    const sn_node *nodes;
    uint32_t node_count;
    const sn_mesh *meshes;
    uint32_t mesh_count;
    const sn_part *parts;
    uint32_t part_count;
    const sn_skin *skins;
    uint32_t skin_count;
    const sn_clip *clips;
    uint32_t clip_count;
    const sn_material *materials;
    uint32_t material_count;
    const sn_image *images;
    uint32_t image_count;
    const sn_camera *cameras;
    uint32_t camera_count;
    const sn_light *lights;
    uint32_t light_count;
    const sn_event *events;  // sorted by clip, then by time
    uint32_t event_count;
    const sn_shape *shapes;
    uint32_t shape_count;
    const sn_attachment *attachments;
    uint32_t attachment_count;
    const sn_warning *warnings;
    uint32_t warning_count;
    const void *document;  // the whole file in its format's own terms, where keep_document asked for it
                           // and the format has one; saving in that format then loses nothing
    const void *checked;   // the model's own address where sinew made it: not checked again. A copy of the struct is
                           // not: leave this NULL in models made by hand
} sn_model;

// A format that sinew knows.
typedef struct sn_format {
    const char *name, *title;  // "gltf", as sn_model.format has it; "glTF 2.0", for people
    const char *extensions;    // endings of its files, a space between: "gltf glb"
    bool is_saved;             // sn_save_file writes any model in it
    bool has_document;         // its models can keep one: see sn_load_opts.keep_document
    bool has_exact_refs;  // it names other files to the letter; else they are looked for as sn_load_opts.search says
} sn_format;

SN_API bool sn_format_at(uint32_t index, sn_format *format);  // false behind the last
// Which one a file is in, by its first bytes; `name` (may be NULL) decides between equals by its ending. False: none.
SN_API bool sn_format_find(const void *data, size_t size, const char *name, sn_format *format);

// Loading. NULL opts: all defaults. NULL error: not needed. On failure the result is NULL and nothing is kept. A path
// of "-" is standard input; `name` is a path as for sn_archive_find.
SN_API sn_model *sn_load_file(const char *path, const sn_load_opts *opts, sn_error *error);
SN_API sn_model *sn_load_memory(const void *data, size_t size, const sn_load_opts *opts, sn_error *error);
SN_API sn_model *sn_load_archive(const sn_archive *archive, const char *name, const sn_load_opts *opts,
                                 sn_error *error);
SN_API void sn_model_free(sn_model *model);

// Whether a model from anywhere keeps every promise of this header. SN_OK, or SN_ERR_INVALID and the first that is
// broken: error.path names the element ("/clips/2 \"walk\"/tracks/5"), error.message says what is wrong with it. Changes
// nothing, allocates nothing. Pointers that are not NULL must be valid.
SN_API sn_status sn_model_check(const sn_model *model, sn_error *error);

SN_API int32_t sn_model_find_node(const sn_model *model, const char *name);  // the first so named, or -1
SN_API int32_t sn_model_find_clip(const sn_model *model, const char *name);
SN_API uint64_t sn_model_hash(const sn_model *model);  // of all content; equal on every machine
SN_API const char *sn_warning_name(int32_t code);      // "NODE_CYCLE"
SN_API const char *sn_status_name(sn_status status);   // "truncated"

// Where the viewer is, in the space that sn_pose_solve fills. right, up and back have unit length.
typedef struct sn_view {
    sn_vec3 position, right, up, back;
} sn_view;

// A pose is the state of one instance: local transforms, visibility, morph weights, layers, lights; after
// sn_pose_solve also world matrices and skin palettes. NULL when memory runs out or the model breaks a promise; error
// (may be NULL) says which. The model must outlive the pose.
typedef struct sn_pose sn_pose;
SN_API sn_pose *sn_pose_create(const sn_model *model, const sn_allocator *allocator, sn_error *error);
SN_API void sn_pose_free(sn_pose *pose);

// The clip at a time; -1 is the rest pose. Times outside 0..duration wrap where the clip loops and hold
// where it does not. `clock` is the time since the model appeared: it drives tracks that have a period.
SN_API void sn_pose_sample(sn_pose *pose, int32_t clip, float seconds, float clock);
SN_API void sn_pose_blend(sn_pose *pose, const sn_pose *other, float weight);  // 0 keeps pose, 1 takes other
SN_API void sn_pose_set_local(sn_pose *pose, int32_t node, sn_trs local);      // turn a turret by hand
SN_API void sn_pose_set_root(sn_pose *pose, const sn_mat34 *transform);        // stands above every root
SN_API void sn_pose_set_scene(sn_pose *pose, int32_t scene);                   // which parts are shown
SN_API void sn_pose_set_lod(sn_pose *pose, int32_t lod);                       // likewise; 0, the finest, at first
SN_API void sn_pose_solve(sn_pose *pose, const sn_view *view);                 // view turns billboards; may be NULL

SN_API sn_trs sn_pose_local(const sn_pose *pose, int32_t node);
SN_API sn_mat34 sn_pose_world(const sn_pose *pose, int32_t node);
SN_API const sn_mat34 *sn_pose_palette(const sn_pose *pose, int32_t skin);  // world * inverse bind, one per joint
SN_API bool sn_pose_shows(const sn_pose *pose, int32_t part);  // in the scene and level of detail, and visible
SN_API sn_vec4 sn_pose_color(const sn_pose *pose, int32_t part);
SN_API const float *sn_pose_morphs(const sn_pose *pose, int32_t part);  // weights, NULL without morphs

typedef struct sn_layer_state {
    sn_vec4 color;
    sn_vec3 emissive;
    sn_uv_transform uv;
    int32_t image;
} sn_layer_state;
SN_API sn_layer_state sn_pose_layer(const sn_pose *pose, int32_t material, int32_t layer);

typedef struct sn_light_state {
    sn_vec3 color;
    float intensity;
} sn_light_state;
SN_API sn_light_state sn_pose_light(const sn_pose *pose,
                                    int32_t light);             // an intensity of 0 where its node is not shown
SN_API float sn_pose_fov(const sn_pose *pose, int32_t camera);  // sn_camera.fov_y as tracks move it

// One track by itself, width floats into out (at most as many as the track's width).
SN_API void sn_track_sample(const sn_track *track, float seconds, float duration, float clock, float *out);

// The posed vertices of a part in model space (under sn_pose_set_root's transform): morphed, then bent
// or carried. Any output may be NULL; normals and tangents are written only where the mesh has them.
SN_API void sn_skin_part(const sn_pose *pose, int32_t part, sn_vec3 *positions, sn_vec3 *normals, sn_vec4 *tangents);

// The vertices of a mesh interleaved, as a vertex buffer takes them. Formats: positions, normals, tangents (4) and
// texture coordinates are F32, colors F32 or U8, joints U8 or U16, weights F32 or U8 (summing to 255).
typedef enum sn_attribute {
    SN_ATTRIBUTE_POSITION,
    SN_ATTRIBUTE_NORMAL,   // 0,0,1 where the mesh has none
    SN_ATTRIBUTE_TANGENT,  // 1,0,0,1 where the mesh has none
    SN_ATTRIBUTE_UV,       // 0,0 where the mesh has none
    SN_ATTRIBUTE_COLOR,    // white where the mesh has none
    SN_ATTRIBUTE_JOINTS,   // into sn_skin.joints, heaviest first; 0 where the mesh is rigid
    SN_ATTRIBUTE_WEIGHTS   // the first is 1 where the mesh is rigid
} sn_attribute;

typedef enum sn_component { SN_COMPONENT_F32, SN_COMPONENT_U8, SN_COMPONENT_U16 } sn_component;

typedef struct sn_vertex_attribute {
    sn_attribute attribute;
    sn_component component;
    uint32_t set;     // of texture coordinates or colors
    uint32_t offset;  // bytes from the vertex's start
} sn_vertex_attribute;

typedef struct sn_vertex_layout {
    const sn_vertex_attribute *attributes;
    uint32_t attribute_count;
    uint32_t stride;           // bytes per vertex
    uint32_t influence_count;  // joints and weights per vertex, 1 to 16 [4]: the largest, scaled to sum to 1
} sn_vertex_layout;

// vertex_count * stride bytes into out; bytes that no attribute covers are left alone. SN_ERR_INVALID: a format that the
// attribute does not have, or one that reaches past the stride. SN_ERR_LIMIT: a joint above 255 for U8.
SN_API sn_status sn_mesh_pack_vertices(const sn_mesh *mesh, const sn_vertex_layout *layout, void *out, sn_error *error);

// True where the part is mirrored, by its node or with a skin by its joints: front faces are then the clockwise ones.
SN_API bool sn_pose_mirrors(const sn_pose *pose, int32_t part);

// A box and a sphere around what is shown. All zero where nothing is.
typedef struct sn_bounds {
    sn_vec3 min, max, center;
    float radius;
} sn_bounds;
SN_API sn_bounds sn_pose_bounds(const sn_pose *pose);

// The same over a whole clip, at its keys and between them; -1 is the rest pose. SN_OK, SN_ERR_MEMORY or SN_ERR_INVALID.
SN_API sn_status sn_model_bounds(const sn_model *model, int32_t clip, const sn_allocator *allocator, sn_bounds *bounds);

// An image as a picture: 8 bits each of red, green, blue and alpha, rows from the top, alpha not multiplied in.
typedef struct sn_pixels {
    uint32_t width, height;
    uint8_t *rgba;           // width * height * 4 bytes
    sn_allocator allocator;  // what sn_pixels_free gives them back to
} sn_pixels;

typedef struct sn_decode_opts {
    sn_allocator allocator;
    sn_limits limits;   // image_pixels, and memory_bytes when given [no other ceiling]
    uint32_t mip;       // of BLP, DDS and TIM2: 0 is the largest; past the smallest is an error
    bool hidden_alpha;  // also the alpha of a BLP1 JPEG that says it has none: Warcraft III's models show it
    bool size_only;     // width and height as the file says them: quick, and rgba stays NULL
    // Told of damage that was bridged.
    void (*report)(void *user, const sn_warning *warning);
    void *user;
} sn_decode_opts;

// BLP, DDS, TGA, TIM2, PNG and, where libjpeg-turbo was found at build, JPEG, whatever name or type the image has. On
// failure `pixels` is all zero. Reading is from image->data and ->size only, so any bytes may be put there.
SN_API sn_status sn_image_decode(const sn_image *image, const sn_decode_opts *opts, sn_pixels *pixels, sn_error *error);
SN_API void sn_pixels_free(sn_pixels *pixels);
// As PNG, whole or not there; "-" is standard output. The same pixels give the same bytes.
SN_API sn_status sn_pixels_save(const sn_pixels *pixels, const char *path, sn_error *error);

typedef struct sn_save_opts {
    sn_allocator allocator;
    uint64_t memory_bytes;    // ceiling, else SN_ERR_LIMIT [256 MiB + 32 x bytes of the model, at most 2 GiB]
    bool keep_axes;           // no node that turns Z up into the target's Y up
    uint32_t max_influences;  // per vertex, the largest are kept; 0: all
    // Told of each thing the target format cannot hold, and of what became of it.
    void (*report)(void *user, const sn_warning *loss);
    // Takes the files instead of the disk: `name` is the last part of the path. False stops the saving.
    bool (*write)(void *user, const char *name, const void *data, size_t size);
    void *user;
} sn_save_opts;

// Checks the model first (SN_ERR_INVALID), then saves in the format that the path's extension names: .glb, or .gltf
// with a .bin beside it; with the document of a Warcraft III model also .mdx and .mdl. The same model gives the same
// bytes. All files of an output are written beside their targets and renamed together when complete: after a failure
// the old files are unchanged.
SN_API sn_status sn_save_file(const sn_model *model, const char *path, const sn_save_opts *opts, sn_error *error);

// The same for outputs of one file, into memory: "glb", "mdx", "mdl". Free `bytes` with sn_bytes_free. opts->write is
// not used.
SN_API sn_status sn_save_memory(const sn_model *model, const char *extension, const sn_save_opts *opts, sn_bytes *bytes,
                                sn_error *error);

// What reading a file and writing it again does to it.
typedef struct sn_round_trip {
    bool is_identical;  // the very same bytes
    bool is_same;       // reading what was written, and writing that, changes nothing more: the same document
    uint64_t offset;    // of the first byte that differs
    char path[112];     // and where that is: "GEOS[3]/VRTX"
} sn_round_trip;

// Of a file's bytes. SN_ERR_UNSUPPORTED for formats that keep no document.
SN_API sn_status sn_check_round_trip(const void *data, size_t size, const sn_load_opts *opts, sn_round_trip *result,
                                     sn_error *error);

// Files, for programs that work on many of them.

// A whole file of at most max_bytes [0: 1 GiB]; "-" is standard input. The allocator may be NULL.
SN_API sn_status sn_file_read(const char *path, uint64_t max_bytes, const sn_allocator *allocator, sn_bytes *bytes,
                              sn_error *error);
// Written beside the target and renamed when complete: after a failure the old file is unchanged. Devices, pipes and
// "-" for standard output are written to directly.
SN_API sn_status sn_file_write(const char *path, const void *data, size_t size, sn_error *error);
SN_API sn_status sn_folder_create(const char *folder, sn_error *error);  // with those above it; may exist already

// What sn_folder_walk reports. `user` is passed to all.
typedef struct sn_folder_visitor {
    bool is_flat;                                  // stay in the folder itself
    bool (*model)(void *user, const char *path);   // a file with the extension of a format; false stops
    bool (*enter)(void *user, const char *folder); // a folder below; false skips it. NULL: all are entered
    void (*failed)(void *user, const char *folder, const sn_error *error);  // one that cannot be listed; may be NULL
    void *user;
} sn_folder_visitor;

// Visits the model files of a folder and those below it. Hidden files and folders are skipped, links to folders are not
// followed. Entries of one folder are visited in the order of their names. Fails when the folder itself cannot be
// listed, and with SN_ERR_CANCELLED when `model` returned false.
SN_API sn_status sn_folder_walk(const char *folder, const sn_folder_visitor *visitor, sn_error *error);

#ifdef __cplusplus
}
#endif
#endif
