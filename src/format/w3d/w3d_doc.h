// The W3D format (Renegade, Generals, The Battle for Middle-earth): chunk ids, records and the parsed document.
//
// The document is the file's chunk tree, byte for byte, plus typed views of what each object contains, in the file's
// own units. w3d_write walks the tree, so a round trip is exact. w3d_build interprets the views.
#ifndef W3D_DOC_H
#define W3D_DOC_H

#include "base/reader.h"
#include "base/writer.h"
#include "io/load.h"

enum { W3D_NONE = -1 };
enum { W3D_NAME_BYTES = 16, W3D_LONG_NAME_BYTES = 32 };
enum { W3D_MAX_DEPTH = 16, W3D_MAX_PASSES = 4, W3D_MAX_STAGES = 2 };
enum { W3D_CHUNK_HEADER_BYTES = 8, W3D_SIZE_MASK = 0x7FFFFFFF };

// Records as stored in the file: little-endian, unaligned. data is NULL when the file has none.
typedef struct w3d_array {
    const uint8_t *data;
    uint32_t count;
} w3d_array;

typedef enum w3d_id {
    W3D_MESH = 0x0000,
    W3D_VERTICES = 0x0002,
    W3D_NORMALS = 0x0003,
    W3D_SURRENDER_NORMALS = 0x0004,
    W3D_TEXCOORDS = 0x0005,
    W3D_USER_TEXT = 0x000C,
    W3D_COLORS = 0x000D,
    W3D_INFLUENCES = 0x000E,
    W3D_MATERIALS3 = 0x0015,
    W3D_MATERIAL3 = 0x0016,
    W3D_MATERIAL3_NAME = 0x0017,
    W3D_MATERIAL3_INFO = 0x0018,
    W3D_MATERIAL3_DC_MAP = 0x0019,
    W3D_MAP3_FILE = 0x001A,
    W3D_MAP3_INFO = 0x001B,
    W3D_MESH_HEADER3 = 0x001F,
    W3D_TRIANGLES = 0x0020,
    W3D_PER_TRI_MATERIALS = 0x0021,
    W3D_SHADE_INDICES = 0x0022,
    W3D_PRELIT_UNLIT = 0x0023,
    W3D_PRELIT_VERTEX = 0x0024,
    W3D_PRELIT_MULTI_PASS = 0x0025,
    W3D_PRELIT_MULTI_TEXTURE = 0x0026,
    W3D_MATERIAL_INFO = 0x0028,
    W3D_SHADERS = 0x0029,
    W3D_VERTEX_MATERIALS = 0x002A,
    W3D_VERTEX_MATERIAL = 0x002B,
    W3D_VERTEX_MATERIAL_NAME = 0x002C,
    W3D_VERTEX_MATERIAL_INFO = 0x002D,
    W3D_MAPPER_ARGS0 = 0x002E,
    W3D_MAPPER_ARGS1 = 0x002F,
    W3D_TEXTURES = 0x0030,
    W3D_TEXTURE = 0x0031,
    W3D_TEXTURE_NAME = 0x0032,
    W3D_TEXTURE_INFO = 0x0033,
    W3D_PASS = 0x0038,
    W3D_VERTEX_MATERIAL_IDS = 0x0039,
    W3D_SHADER_IDS = 0x003A,
    W3D_DCG = 0x003B,
    W3D_DIG = 0x003C,
    W3D_SCG = 0x003E,
    W3D_SHADER_MATERIAL_IDS = 0x003F,
    W3D_STAGE = 0x0048,
    W3D_TEXTURE_IDS = 0x0049,
    W3D_STAGE_UVS = 0x004A,
    W3D_FACE_UV_IDS = 0x004B,
    W3D_SHADER_MATERIALS = 0x0050,
    W3D_SHADER_MATERIAL = 0x0051,
    W3D_SHADER_MATERIAL_HEADER = 0x0052,
    W3D_SHADER_MATERIAL_PROPERTY = 0x0053,
    W3D_DEFORM = 0x0058,
    W3D_TANGENTS = 0x0060,
    W3D_BITANGENTS = 0x0061,
    W3D_AABTREE = 0x0090,
    W3D_VERTICES2 = 0x0C00,
    W3D_NORMALS2 = 0x0C01,
    W3D_LIGHTMAP_UVS = 0x0C02,
    W3D_INFLUENCES4 = 0x0C03,
    W3D_HIERARCHY = 0x0100,
    W3D_HIERARCHY_HEADER = 0x0101,
    W3D_PIVOTS = 0x0102,
    W3D_FIXUPS = 0x0103,
    W3D_ANIMATION = 0x0200,
    W3D_ANIMATION_HEADER = 0x0201,
    W3D_CHANNEL = 0x0202,
    W3D_BIT_CHANNEL = 0x0203,
    W3D_COMPRESSED = 0x0280,
    W3D_COMPRESSED_HEADER = 0x0281,
    W3D_COMPRESSED_CHANNEL = 0x0282,
    W3D_COMPRESSED_BITS = 0x0283,
    W3D_MOTION_CHANNEL = 0x0284,
    W3D_MORPH_ANIMATION = 0x02C0,
    W3D_MORPH_HEADER = 0x02C1,
    W3D_MORPH_CHANNEL = 0x02C2,
    W3D_MORPH_POSE = 0x02C3,
    W3D_MORPH_KEYS = 0x02C4,
    W3D_MORPH_PIVOTS = 0x02C5,
    W3D_HMODEL = 0x0300,
    W3D_HMODEL_HEADER = 0x0301,
    W3D_HMODEL_NODE = 0x0302,
    W3D_HMODEL_COLLISION = 0x0303,
    W3D_HMODEL_SKIN = 0x0304,
    W3D_LODMODEL = 0x0400,
    W3D_LODMODEL_HEADER = 0x0401,
    W3D_LODMODEL_LOD = 0x0402,
    W3D_COLLECTION = 0x0420,
    W3D_COLLECTION_HEADER = 0x0421,
    W3D_COLLECTION_OBJECT = 0x0422,
    W3D_COLLECTION_PLACEHOLDER = 0x0423,
    W3D_COLLECTION_TRANSFORM = 0x0424,
    W3D_POINTS = 0x0440,
    W3D_LIGHT = 0x0460,
    W3D_LIGHT_INFO = 0x0461,
    W3D_LIGHT_SPOT = 0x0462,
    W3D_LIGHT_NEAR = 0x0463,
    W3D_LIGHT_FAR = 0x0464,
    W3D_EMITTER = 0x0500,
    W3D_EMITTER_HEADER = 0x0501,
    W3D_EMITTER_INFO = 0x0503,
    W3D_AGGREGATE = 0x0600,
    W3D_AGGREGATE_HEADER = 0x0601,
    W3D_AGGREGATE_INFO = 0x0602,
    W3D_HLOD = 0x0700,
    W3D_HLOD_HEADER = 0x0701,
    W3D_LOD_ARRAY = 0x0702,
    W3D_ARRAY_HEADER = 0x0703,
    W3D_SUB_OBJECT = 0x0704,
    W3D_AGGREGATES = 0x0705,
    W3D_PROXIES = 0x0706,
    W3D_LIGHT_ARRAY = 0x0707,
    W3D_BOX = 0x0740,
    W3D_SPHERE = 0x0741,
    W3D_RING = 0x0742,
    W3D_NULL = 0x0750,
    W3D_LIGHTSCAPE = 0x0800,
    W3D_DAZZLE = 0x0900,
    W3D_DAZZLE_NAME = 0x0901,
    W3D_DAZZLE_TYPE = 0x0902,
    W3D_SOUND = 0x0A00,
    W3D_SOUND_HEADER = 0x0A01,
    W3D_SHDMESH = 0x0B00,
    W3D_SHDMESH_NAME = 0x0B01
} w3d_id;

typedef struct w3d_chunk {
    uint32_t id, size;                  // size as stored, including bit 31
    uint64_t offset;                    // of its header
    int32_t parent, first_child, next;  // chunk indices in file order; -1: none
    uint32_t ordinal;                   // among the parent's chunks with the same id
    w3d_array bytes;                    // leaf: the payload present in the file; container: bytes after its last child
} w3d_chunk;

typedef struct w3d_hierarchy {
    int32_t chunk;
    uint32_t version;
    sni_str name;
    w3d_array pivots;  // 60 bytes each: see w3d_read_pivot
    w3d_array fixups;  // of fixup_bytes each: 48 (a matrix) or 12 (a vector)
    uint32_t fixup_bytes;
} w3d_hierarchy;

typedef struct w3d_pivot {
    sni_str name;
    int32_t parent;
    sn_vec3 translation, euler;
    sn_quat rotation;
} w3d_pivot;

// Before these versions files have no root pivot: pivot numbers start at the root's first child.
enum { W3D_FIRST_ROOTED_VERSION = 0x30000 };

typedef struct w3d_vertex_material {
    int32_t chunk;
    sni_str name, args[W3D_MAX_STAGES];
    uint32_t attributes;
    uint8_t ambient[3], diffuse[3], specular[3], emissive[3];
    float shininess, opacity, translucency;
} w3d_vertex_material;

// A shader is 16 bytes; these are the indices of the bytes that are used.
enum { W3D_SHADER_BYTES = 16 };
enum w3d_shader_byte {
    W3D_DEPTH_COMPARE = 0,
    W3D_DEPTH_WRITE = 1,
    W3D_DEST_BLEND = 3,
    W3D_PRIMARY_GRADIENT = 5,
    W3D_SECONDARY_GRADIENT = 6,
    W3D_SRC_BLEND = 7,
    W3D_TEXTURING = 8,
    W3D_DETAIL_COLOR = 9,
    W3D_DETAIL_ALPHA = 10,
    W3D_ALPHA_TEST = 12
};

// How a shader blends, and how its second texture does (w3d_build_materials.c).
sn_blend w3d_shader_blend(const uint8_t *shader);
sn_blend w3d_detail_blend(uint8_t function);

typedef struct w3d_texture {
    int32_t chunk;
    sni_str name;
    bool has_info;
    uint16_t attributes, anim_type;
    uint32_t frame_count;
    float frame_rate;
} w3d_texture;

typedef struct w3d_stage {
    w3d_array texture_ids, uvs, face_uv_ids;  // u32, f32[2], u32[3]
} w3d_stage;

typedef struct w3d_pass {
    w3d_array vertex_material_ids, shader_ids, shader_material_ids;  // u32, one for all or one each
    w3d_array dcg, dig, scg;                                         // four bytes per vertex
    w3d_array dcg2;                                                  // second DCG: alpha of prelit vertices
    w3d_array uvs;                                                   // f32[2], of shader materials
    w3d_stage stages[W3D_MAX_STAGES];
    uint32_t stage_count;
} w3d_pass;

// The materials of a mesh, or of one of its prelit variants.
typedef struct w3d_material_set {
    uint32_t prelit;  // id of the prelit wrapper chunk; 0: directly in the mesh
    w3d_vertex_material *vertex_materials;
    w3d_array shaders;  // W3D_SHADER_BYTES each
    w3d_texture *textures;
    w3d_pass *passes;
    uint32_t vertex_material_count, texture_count, pass_count;
} w3d_material_set;

typedef enum w3d_property_type {
    W3D_TEXTURE_PROPERTY = 1,
    W3D_FLOAT,
    W3D_VEC2,
    W3D_VEC3,
    W3D_VEC4,
    W3D_INT,
    W3D_BOOL
} w3d_property_type;

typedef struct w3d_property {
    uint32_t type;  // w3d_property_type
    sni_str name, text;
    float values[4];
    int32_t number;
} w3d_property;

typedef struct w3d_shader_material {
    int32_t chunk;
    uint8_t version;
    sni_str effect;
    uint32_t technique;
    w3d_property *properties;
    uint32_t property_count;
} w3d_shader_material;

// Materials of meshes before version 4.
typedef struct w3d_material3 {
    int32_t chunk;
    sni_str name, map;
    uint8_t diffuse[3], specular[3];
    uint32_t attributes;
    float opacity;
} w3d_material3;

typedef struct w3d_mesh {
    int32_t chunk;
    uint32_t version, attributes;
    sni_str name, container;
    uint32_t triangle_count, vertex_count;  // of the header; each array below has its own count
    int32_t sort_level;
    uint32_t vertex_channels, face_channels;
    sn_vec3 box_min, box_max, sphere_center;
    float sphere_radius;
    sni_str user_text;
    w3d_array positions, normals, positions2, normals2, tangents, bitangents;  // f32[3]; one per vertex, or none
    w3d_array triangles;                                                       // W3D_TRIANGLE_BYTES each
    w3d_array shade_indices, influences;                                       // u32; 8 bytes each
    w3d_array uvs, colors;            // before version 4: f32[2]; r, g, b and an unused byte
    w3d_material_set *material_sets;  // the mesh's own first, then its prelit variants
    uint32_t material_set_count;
    w3d_shader_material *shader_materials;
    w3d_material3 *materials3;
    w3d_array per_tri_materials;  // u16
    uint32_t shader_material_count, material3_count;
} w3d_mesh;

enum { W3D_TRIANGLE_BYTES = 32 };

enum w3d_mesh_attribute {
    W3D_COLLISION_MASK = 0xFF0,
    W3D_HIDDEN = 0x1000,
    W3D_TWO_SIDED = 0x2000,
    W3D_CASTS_SHADOW = 0x8000,
    W3D_GEOMETRY_MASK = 0xFF0000,
    W3D_GEOMETRY_CAMERA_ALIGNED = 0x10000,
    W3D_GEOMETRY_SKIN = 0x20000,
    W3D_GEOMETRY_SHADOW = 0x30000,
    W3D_GEOMETRY_CAMERA_ORIENTED = 0x60000,
    W3D_GEOMETRY_CAMERA_Z = 0x70000
};

// Words for what the importer keeps in extras: bits of W3D_COLLISION_MASK from the lowest, mappers by number.
enum { W3D_COLLISION_KINDS = 8, W3D_MAPPERS = 21 };
extern const char *const w3d_collision_names[W3D_COLLISION_KINDS], *const w3d_mapper_names[W3D_MAPPERS];
bool w3d_is_switched_by_game(sni_str mesh_name);  // hidden until a shot or an upgrade

typedef enum w3d_channel_kind {
    W3D_RAW,
    W3D_RAW_BITS,
    W3D_TIMECODED,
    W3D_TIMECODED_BITS,
    W3D_ADAPTIVE4,
    W3D_MOTION_TIMECODED,
    W3D_MOTION_ADAPTIVE4,
    W3D_MOTION_ADAPTIVE8
} w3d_channel_kind;

typedef enum w3d_channel_type {
    W3D_X,
    W3D_Y,
    W3D_Z,
    W3D_EULER_X,
    W3D_EULER_Y,
    W3D_EULER_Z,
    W3D_QUATERNION,
    W3D_FADE = 15
} w3d_channel_type;

// A channel of any kind, still encoded.
typedef struct w3d_channel {
    int32_t chunk;
    w3d_channel_kind kind;
    uint32_t pivot, type, width;       // type: w3d_channel_type; 0 of a bit channel is visibility
    uint32_t first_frame, last_frame;  // raw kinds
    uint32_t count;                    // keys or frames
    uint8_t fallback;                  // bit channels: the value outside their frames
    float scale;                       // adaptive kinds
    w3d_array data;                    // the bytes after the fixed fields
} w3d_channel;

typedef struct w3d_animation {
    int32_t chunk;
    uint32_t version;
    sni_str name, hierarchy;
    uint32_t frame_count, frame_rate, flavor;
    bool is_compressed;
    w3d_channel *channels;
    uint32_t channel_count;
} w3d_animation;

// A morph animation shows poses of other animations: each key is a frame and the frame of the pose animation to show.
typedef struct w3d_morph_channel {
    int32_t chunk;
    sni_str pose;    // the pose animation: "SKELETON.ANIMATION"
    w3d_array keys;  // u32 frame, u32 frame of the pose animation
} w3d_morph_channel;

typedef struct w3d_morph {
    int32_t chunk;
    uint32_t version;
    sni_str name, hierarchy;
    uint32_t frame_count;
    float frame_rate;
    w3d_morph_channel *channels;
    uint32_t channel_count;
    w3d_array pivots;  // u32 per pivot: the channel that moves it; channel 0 for pivots past the end
} w3d_morph;

typedef struct w3d_sub_object {
    uint32_t bone;
    sni_str name;
} w3d_sub_object;

typedef struct w3d_lod {
    float max_screen_size;
    w3d_sub_object *objects;
    uint32_t object_count;
} w3d_lod;

// An HMODEL is read as an HLOD with one level; its object names lack the container.
typedef struct w3d_hlod {
    int32_t chunk;
    bool is_hmodel;
    uint32_t version;
    sni_str name, hierarchy;
    w3d_lod *lods;  // lowest detail first
    uint32_t lod_count;
    w3d_lod aggregates, proxies;
} w3d_hlod;

typedef struct w3d_box {
    int32_t chunk;
    uint32_t version, attributes;
    sni_str name;
    uint8_t color[3];
    sn_vec3 center, extent;
} w3d_box;

typedef struct w3d_light {
    int32_t chunk;
    uint32_t attributes;
    uint8_t ambient[3], diffuse[3], specular[3];
    float intensity;
    bool has_spot, has_far;
    sn_vec3 direction;
    float angle, exponent, far_start, far_end;
} w3d_light;

// An object listed by another one. Aggregates name the bone it is attached to, LODMODELs its range of screen sizes.
typedef struct w3d_member {
    sni_str name, bone;
    float range_min, range_max;
} w3d_member;

// Objects of which sinew reads little more than the name: nulls, dazzles, emitters, sounds, aggregates, spheres, rings,
// collections, LODMODELs, scalable-shader meshes.
typedef struct w3d_object {
    int32_t chunk;
    uint32_t id, version, attributes;  // attributes: of nulls, spheres and rings; flags of sounds
    sni_str name, detail;              // detail: dazzle type, base model of an aggregate, texture of an emitter
    w3d_member *members;
    uint32_t member_count;
    w3d_array emission;  // emitters: 10 floats, velocity, acceleration, two RGBA colours; or none
} w3d_object;

enum { W3D_EMISSION_BYTES = 72 };

typedef struct w3d_doc {
    bool is_text;  // it was loaded from text
    w3d_chunk *chunks;
    uint32_t chunk_count;  // chunk 0 is the first in the file; top-level chunks are linked by next
    w3d_array stray;       // bytes after the last chunk
    w3d_hierarchy *hierarchies;
    uint32_t hierarchy_count;
    w3d_mesh *meshes;
    uint32_t mesh_count;
    w3d_animation *animations;
    uint32_t animation_count;
    w3d_morph *morphs;
    uint32_t morph_count;
    w3d_hlod *hlods;
    uint32_t hlod_count;
    w3d_box *boxes;
    uint32_t box_count;
    w3d_light *lights;
    uint32_t light_count;
    w3d_object *objects;
    uint32_t object_count;
} w3d_doc;

// Chunk kinds (w3d_schema.c). Whether a chunk holds chunks depends on its id alone; bit 31 of the size is unreliable.
enum { W3D_MAX_KINDS = 192 };
typedef struct w3d_kind {
    uint32_t id;
    const char *name;
    bool is_container, is_repeatable;
} w3d_kind;
extern const w3d_kind w3d_kinds[];     // sorted by id
extern const uint32_t w3d_kind_count;  // at most W3D_MAX_KINDS

uint32_t w3d_find_kind(uint32_t id);  // w3d_kind_count: unknown
bool w3d_is_container(uint32_t id);
const char *w3d_chunk_name(uint32_t id);  // "VERTICES"

// The path of a chunk for diagnostics: "MESH[3]/VERTICES".
void w3d_enter(sni_diag *diag, const w3d_doc *doc, int32_t chunk);
void w3d_leave(sni_diag *diag, const w3d_doc *doc, int32_t chunk);
void w3d_locate(const w3d_doc *doc, uint64_t offset, char path[112]);
extern const sni_labeller w3d_part_names;

bool w3d_parse(sni_load *load, sni_bytes bytes, w3d_doc *doc);
bool w3d_parse_chunks(sni_diag *diag, sni_arena *arena, sni_bytes bytes, w3d_doc *doc);  // the tree alone
bool w3d_build(sni_load *load, const w3d_doc *doc, sn_model *model);
void w3d_write(const w3d_doc *doc, sni_writer *out);

w3d_pivot w3d_read_pivot(const w3d_hierarchy *hierarchy, uint32_t index);

// A decoded channel: `count` values of `width` floats (0 or 1 for bits). Time-coded kinds have keys: frames[i] is the
// frame, is_jump[i] means that the value jumps to the key instead of interpolating. Other kinds have one value per
// frame from first_frame on, and frames and is_jump are NULL. Nothing is sanitized: keys may be out of order, values
// not finite, rotations not of unit length.
typedef struct w3d_keys {
    uint32_t count, first_frame;
    float *values;
    uint32_t *frames;
    bool *is_jump;
} w3d_keys;
bool w3d_decode_channel(sni_load *load, const w3d_channel *channel, w3d_keys *keys);  // into load->scratch
extern const float w3d_delta_table[256];

// Writes new chunk trees: open, put, close. Sizes are filled in when a chunk is closed.
//
//     w3d_open_chunk(&tree, W3D_HIERARCHY);
//     w3d_open_chunk(&tree, W3D_HIERARCHY_HEADER);
//     w3d_put_u32(&tree, 0x40001);
typedef struct w3d_tree {
    sni_writer *out;
    uint32_t depth;
    size_t starts[W3D_MAX_DEPTH];  // header positions of the open chunks
    bool has_overflow;             // a number that was put is not finite
} w3d_tree;

w3d_tree w3d_tree_begin(sni_writer *out);
void w3d_open_chunk(w3d_tree *tree, uint32_t id);
void w3d_close_chunk(w3d_tree *tree);
size_t w3d_chunk_bytes(const w3d_tree *tree);  // payload of the open chunk so far

void w3d_put(w3d_tree *tree, const void *data, size_t size);
void w3d_put_u8(w3d_tree *tree, uint8_t value);
void w3d_put_u16(w3d_tree *tree, uint16_t value);
void w3d_put_u32(w3d_tree *tree, uint32_t value);
void w3d_put_f32(w3d_tree *tree, float value);
void w3d_put_floats(w3d_tree *tree, const float *values, size_t count);
void w3d_put_name(w3d_tree *tree, const char *name, size_t size);  // fixed field: truncated or padded with NULs
void w3d_put_text(w3d_tree *tree, const char *text);               // including the NUL
void w3d_put_chunk(w3d_tree *tree, uint32_t id, const void *data, size_t size);
void w3d_put_text_chunk(w3d_tree *tree, uint32_t id, const char *text);

// Properties of a shader material. Open: the value and w3d_close_chunk follow.
void w3d_open_property(w3d_tree *tree, uint32_t type, const char *name);
void w3d_put_texture_property(w3d_tree *tree, const char *name, const char *file);
void w3d_put_float_property(w3d_tree *tree, const char *name, const float *values, uint32_t count);  // 1 to 4

// A channel as a chunk, encoded as channel->kind; also uses its pivot, type, width and fallback. Adaptive kinds are
// lossy: the error is at most w3d_adaptive_error. The writer fails for frames the kind cannot store (past 65535).
void w3d_put_channel(w3d_tree *tree, const w3d_channel *channel, const w3d_keys *keys);
float w3d_adaptive_scale(const w3d_channel *channel, const w3d_keys *keys);
float w3d_adaptive_error(const w3d_channel *channel, float scale);

#endif
