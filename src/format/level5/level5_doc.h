// File formats of Level-5's PlayStation 2 games: Dark Cloud (DC1), Dark Cloud 2 (DC2), and Dragon Quest VIII as an
// experiment. A model is several files: MDS (nodes and meshes), WGT (weights), BBP (bind matrices), MOT (motion), IMG
// (textures) and info.cfg, loose or in packs. Each kind has one document type, which keeps the file's own values and
// offsets so that it can be written back byte for byte. Numbers are little-endian; arrays point into the input, which
// must outlive the document. What the values mean is decided in level5_build_*.c.
#ifndef LEVEL5_DOC_H
#define LEVEL5_DOC_H

#include "base/reader.h"
#include "base/writer.h"
#include "io/load.h"

enum {
    LEVEL5_NODE_BYTES = 112,
    LEVEL5_MDT_BYTES = 64,
    LEVEL5_MATRIX_BYTES = 64,
    LEVEL5_VECTOR_BYTES = 16,
    LEVEL5_MATERIAL_BYTES = 96,
    LEVEL5_TRACK_BYTES = 32,
    LEVEL5_KEY_BYTES = 32,
    LEVEL5_NAME_BYTES = 32,
    LEVEL5_PACK_ENTRY_BYTES = 80
};
enum { LEVEL5_NONE = -1 };

typedef struct level5_array {
    const uint8_t *data;  // NULL: the file has none
    uint32_t count;
} level5_array;
typedef struct level5_span {
    uint64_t offset;
    level5_array bytes;
} level5_span;  // bytes that belong to no record: padding, unused data

// --- MDS: nodes and their meshes (MDT) ---
typedef struct level5_node {
    uint64_t offset;
    uint32_t index, record_bytes;  // as stored; parents refer to the position in the file, not to this index
    level5_array name_field;       // all 32 bytes, with the garbage after the NUL
    sni_str name;                  // up to the NUL; Shift-JIS
    uint32_t mesh_offset;          // from the start of the MDS; 0: none
    int32_t parent;
    float matrix[16];  // column-major
    int32_t mesh;      // into level5_mds.meshes; -1 also where mesh_offset is wrong
} level5_node;

// How the corners of faces are stored. Collision and shadow meshes use neither layout.
typedef enum level5_face_format { LEVEL5_FACES_UNKNOWN, LEVEL5_FACES_DC1, LEVEL5_FACES_DC2 } level5_face_format;

typedef struct level5_primitive {
    uint32_t flags, corner_count;        // flags & 7: 3 triangles, 4 strip, 5 fan
    int32_t material;                    // -1: same as the previous primitive
    uint32_t stride;                     // words per corner; word 0 is the position index
    int32_t normal_at, uv_at, color_at;  // word of the other indices; -1: none
    level5_array corners;                // stride words each
} level5_primitive;

typedef struct level5_mesh {
    uint64_t offset;                               // of the MDT in the file
    uint32_t header[16];                           // as stored
    level5_array positions, normals, colors, uvs;  // four floats each
    level5_array materials;                        // 96 bytes each: level5_read_material
    level5_array faces;                            // the section, in bytes
    level5_face_format face_format;
    level5_primitive *primitives;  // none if the format is unknown
    uint32_t primitive_count;
} level5_mesh;

typedef struct level5_material {
    float diffuse[4], ambient[4], specular[4];
    uint32_t power;
    sni_str texture;
} level5_material;

typedef struct level5_mds {
    uint32_t version, first_node;  // 1; 16
    level5_node *nodes;
    uint32_t node_count;
    level5_mesh *meshes;  // by offset; nodes may share one
    uint32_t mesh_count;
    level5_span *gaps;
    uint32_t gap_count;
    uint64_t size;                        // of the file
    const struct level5_tracks *weights;  // Dragon Quest VIII stores both in the MDS; otherwise NULL
    const struct level5_binds *binds;
} level5_mds;

// --- MOT and WGT: tracks ---
typedef enum level5_track_type {
    LEVEL5_ROTATION = 0,
    LEVEL5_SCALE = 1,
    LEVEL5_TRANSLATION = 2,
    LEVEL5_VERTEX = 12,
    LEVEL5_WEIGHTS = 20,
    LEVEL5_WEIGHTS_AVERAGED = 21,
    LEVEL5_CAMERA_POSITION = 30,
    LEVEL5_CAMERA_TARGET = 31,
    LEVEL5_CAMERA_ROLL = 32,
    LEVEL5_CAMERA_FOV = 33,
    LEVEL5_MATERIAL_ALPHA = 40,
    LEVEL5_MATERIAL_COLOR = 41,
    LEVEL5_VISIBLE_SELF = 50,
    LEVEL5_VISIBLE_TREE = 51,
    LEVEL5_IGNORED = 200
} level5_track_type;

typedef struct level5_track {
    uint64_t offset;
    int32_t node, target, type;       // target: bone, vertex + 1 or material; type: level5_track_type
    uint32_t count, next, unused[2];  // as stored; next: distance to the next track, 0 in the last one
    level5_array keys;                // those present, 32 bytes each: level5_read_key
} level5_track;

typedef struct level5_key {
    uint32_t frame;  // weights: the vertex
    float value[4];  // weights: percent in value[0]
} level5_key;

typedef struct level5_tracks {
    level5_track *tracks;
    uint32_t track_count;
    level5_span *gaps;
    uint32_t gap_count;
    uint64_t size;
} level5_tracks;

// --- BBP: one bind matrix per node ---
typedef struct level5_binds {
    level5_array matrices;  // 16 floats each
    level5_array trailing;  // bytes after the last complete matrix
} level5_binds;

// --- info.cfg: commands with arguments, as text or compiled ---
typedef enum level5_value_kind { LEVEL5_INT, LEVEL5_FLOAT, LEVEL5_TEXT } level5_value_kind;
typedef struct level5_value {
    level5_value_kind kind;
    int32_t number;  // both set for numbers of either kind
    float real;
    sni_str text;
} level5_value;
typedef struct level5_command {
    uint64_t offset;
    sni_str tag;  // in capitals: "KEY"; "#99" for an unknown number in a compiled file
    level5_value *args;
    uint32_t arg_count;
    sni_str comment;  // on the same line, without the slashes: DC1 has clip names there
    sni_str source;   // original text, with the blanks and comments before it; at == NULL: not from a file
} level5_command;
typedef struct level5_config {
    level5_command *commands;
    uint32_t command_count;
    bool has_semicolons, is_compiled;  // DC2's text grammar; DC2's BIN form (numbers instead of tags)
    sni_str rest;                      // after the last command
} level5_config;

// --- Packs: a chain of files ---
typedef struct level5_entry {
    uint64_t offset;    // of the entry in the pack
    level5_array head;  // its 80 bytes as stored
    sni_str name;
    level5_array data;  // cut at the next entry or the end of the pack
    uint64_t data_offset;
} level5_entry;
typedef struct level5_pack {
    level5_entry *entries;
    uint32_t entry_count;
    level5_span *gaps;  // padding, the end mark and what follows it
    uint32_t gap_count;
    uint64_t size;
} level5_pack;

// --- IMG, IM2, IM3: archives of named TIM2 pictures ---
typedef enum level5_img_kind { LEVEL5_IMG, LEVEL5_IM2, LEVEL5_IM3 } level5_img_kind;
typedef struct level5_picture {
    uint64_t offset;    // of its record
    level5_array head;  // 48 or 64 bytes as stored
    sni_str name;
    bool is_script, is_empty;  // '#': texture animation, as text; a render target without pixels
    bool is_swizzled;          // if its pixels have 8 bits and, in IM2, one mip level
    uint8_t wrap_u, wrap_v;    // sn_texture_wrap
    level5_array data;
} level5_picture;
typedef struct level5_img {
    level5_img_kind kind;
    uint32_t header[4];
    level5_picture *pictures;
    uint32_t picture_count;
    level5_span *gaps;
    uint32_t gap_count;
    uint64_t size;
} level5_img;

// --- Dragon Quest VIII: MDS of version 200, and its MOT ---
typedef struct level5_dq8_group {
    uint64_t offset;
    int32_t mode, material;               // mode: 3 triangles, 4 strip; others are not drawn
    level5_array positions, uvs, colors;  // u16 indices, one per corner
} level5_dq8_group;

typedef struct level5_dq8_mesh {
    uint64_t offset;
    level5_array bytes;  // the MDT
    float scale[3], uv_scale[2];
    level5_array positions, colors, uvs;  // three s16, three u8, two u8
    level5_array weights, bones;          // four u16 and four s16 per position; none: not skinned
    level5_dq8_group *groups;
    uint32_t group_count;
} level5_dq8_mesh;

typedef struct level5_dq8_mds {
    uint32_t header[20];
    level5_array nodes, materials, names;  // 160, 96 and 1 byte each
    level5_dq8_mesh *meshes;
    uint32_t mesh_count;
    level5_span *gaps;
    uint32_t gap_count;
    uint64_t size;
} level5_dq8_mds;

typedef struct level5_dq8_channel {
    uint32_t kind;  // 1 rotation, 3 translation, 6 scale
    float scale[4];
    level5_array frames, values;  // s16; four per rotation, else three. No frames: 0, 1, 2...
} level5_dq8_channel;

typedef struct level5_dq8_bone {
    uint64_t offset;
    level5_array bytes;  // the record
    int32_t node;
    level5_dq8_channel channels[3];
    uint32_t channel_count;
} level5_dq8_bone;

typedef struct level5_dq8_mot {
    uint32_t header[16];
    level5_dq8_bone *bones;
    uint32_t bone_count;
    level5_span *gaps;
    uint32_t gap_count;
    uint64_t size;
} level5_dq8_mot;

typedef enum level5_kind {
    LEVEL5_UNKNOWN,
    LEVEL5_KIND_MDS,
    LEVEL5_KIND_TRACKS,
    LEVEL5_KIND_BINDS,
    LEVEL5_KIND_CONFIG,
    LEVEL5_KIND_PACK,
    LEVEL5_KIND_IMG,
    LEVEL5_KIND_DQ8_MDS,  // these two are found as MDS and TRACKS, and distinguished when parsed
    LEVEL5_KIND_DQ8_MOT
} level5_kind;
// The files of the model that was built from a document, for the rules of games.
typedef struct level5_opened {
    const char *path;
    const struct level5_doc *doc;  // as parsed; NULL: not opened
} level5_opened;
typedef struct level5_model {
    const level5_opened *files;  // of a pack: its members first, in their order
    uint32_t file_count;
    const level5_mds *mds;  // NULL: no model; the others may be missing, too
    const level5_config *config;
    const level5_tracks *weights;
    const level5_binds *binds;
    sni_str stem;  // the name of the MDS, without its ending
} level5_model;

typedef struct level5_doc {
    level5_kind kind;
    const level5_model *model;  // of the document that was opened, once it is built
    union {
        level5_mds mds;
        level5_tracks tracks;
        level5_binds binds;
        level5_config config;
        level5_pack pack;
        level5_img img;
        level5_dq8_mds dq8_mds;
        level5_dq8_mot dq8_mot;
    } as;
} level5_doc;

// The kind of a file, by its magic, its name (may be NULL, may have folders) or its structure.
level5_kind level5_find_kind(sni_bytes bytes, const char *name);
int level5_probe(sni_bytes bytes);  // 0..100

// Bytes to document, allocated in sni_load_document_arena. False after a failure.
bool level5_parse(sni_load *load, level5_kind kind, sni_bytes bytes, level5_doc *doc);
void level5_write(const level5_doc *doc, sni_writer *out);
void level5_locate(const level5_doc *doc, uint64_t offset, char path[112]);  // "NODE[3] \"arm\"", "TRACK[2]/KEY[7]"

// Dragon Quest VIII documents converted to the equivalent Dark Cloud 2 documents, in sni_load_document_arena; others
// unchanged. NULL after a failure.
const level5_doc *level5_translate(sni_load *load, const level5_doc *doc);

sn_vec4 level5_read_vector(level5_array array, uint32_t index);
level5_material level5_read_material(const level5_mesh *mesh, uint32_t index);
level5_key level5_read_key(const level5_track *track, uint32_t index);
uint32_t level5_track_width(int32_t type);  // floats per key; 0: weights and types that are not used
void level5_read_matrix(level5_array matrices, uint32_t index, float out[16]);

// For documents made in memory: records, tracks, and then all offsets and sizes.
void level5_store_vector(uint8_t *at, float x, float y, float z, float w);
void level5_store_matrix(uint8_t *at, const sn_mat34 *matrix);
bool level5_make_track(sni_arena *arena, int32_t node, int32_t target, level5_track_type type, const level5_key *keys,
                       uint32_t count, level5_track *track);  // false when the arena failed

// Assigns all offsets and sizes, in the layout of the games' own tools. False when the
// arena failed.
bool level5_layout(sni_arena *arena, level5_doc *doc);

uint64_t level5_swizzled_offset(uint64_t x, uint64_t y, uint64_t width);  // of an 8-bit pixel

// 8-bit pixels from the order of a 32-bit upload to the PlayStation 2 into row order. `to` holds width * height bytes.
// If a side is not a multiple of 16, some pixels map outside of `from` and become 0.
void level5_unswizzle8(const uint8_t *from, size_t size, uint32_t width, uint32_t height, uint8_t *to);

#endif
