// The vocabulary of Level-5's PlayStation 2 games (Dark Cloud, Dark Cloud 2; Dragon Quest VIII in part). A model is
// spread over several files without a common frame; each has a document of its own here, which keeps what the file
// says, in its own terms and at its own place. Records stay as they lie in the file: little-endian, unaligned. What it
// all means, and what belongs together, is level5_build's business.
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
    const uint8_t *data;
    uint32_t count;
} level5_array;  // data is NULL where the file has none
typedef struct level5_span {
    uint64_t offset;
    level5_array bytes;
} level5_span;  // bytes that no record claims: padding, dead data

// --- MDS: nodes, and the meshes (MDT) that they own ---
typedef struct level5_node {
    uint64_t offset;
    uint32_t index, record_bytes;  // as stored; a node's number is its place
    level5_array name_field;       // the 32 bytes, with what lies behind the NUL
    sni_str name;                  // up to the NUL; Shift-JIS
    uint32_t mesh_offset;          // from the start of the MDS; 0: none
    int32_t parent;
    float matrix[16];  // images of x, y, z, then the translation: usable as column-major
    int32_t mesh;      // into level5_mds.meshes; -1 also where the offset leads nowhere
} level5_node;

typedef enum level5_rule {
    LEVEL5_UNREADABLE,
    LEVEL5_RULE_DC1,
    LEVEL5_RULE_DC2
} level5_rule;  // how long a corner of a face is

typedef struct level5_primitive {
    uint32_t flags, corner_count;        // flags & 7: 3 triangles, 4 strip, 5 fan
    int32_t material;                    // -1: as the one before
    uint32_t stride;                     // words of a corner
    int32_t normal_at, uv_at, color_at;  // which of them; the position's is 0, -1: none
    level5_array corners;                // stride words each
} level5_primitive;

typedef struct level5_mesh {
    uint64_t offset;                               // of the MDT in the file
    uint32_t header[16];                           // as stored
    level5_array positions, normals, colors, uvs;  // four floats each
    level5_array materials;                        // 96 bytes each: see level5_read_material
    level5_array faces;                            // the whole section, in bytes
    level5_rule rule;
    level5_primitive *primitives;  // none where the rule is LEVEL5_UNREADABLE: collision and shadow meshes
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
    level5_mesh *meshes;
    uint32_t mesh_count;  // in the order of their offsets; nodes may share one
    level5_span *gaps;
    uint32_t gap_count;                   // in order: what the writer puts between the above
    uint64_t size;                        // of the file
    const struct level5_tracks *weights;  // what Dragon Quest VIII has in the MDS itself; NULL: in files of their own
    const struct level5_binds *binds;
} level5_mds;

// --- MOT and WGT: lists of tracks ---
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
    int32_t node, target, type;     // target: bone, vertex + 1 or material; type: level5_track_type
    uint32_t count, next, junk[2];  // as stored; next is 0 in the last track
    level5_array keys;              // those that are there, 32 bytes each: see level5_read_key
} level5_track;

typedef struct level5_key {
    uint32_t frame;
    float value[4];
} level5_key;  // of weights: the vertex, and per cent in value[0]

typedef struct level5_tracks {
    level5_track *tracks;
    uint32_t track_count;
    level5_span *gaps;
    uint32_t gap_count;  // what lies between and behind them
    uint64_t size;
} level5_tracks;

// --- BBP: a matrix per node ---
typedef struct level5_binds {
    level5_array matrices;
    level5_array stray;
} level5_binds;  // 16 floats each

// --- info.cfg ---
typedef enum level5_value_kind { LEVEL5_INT, LEVEL5_FLOAT, LEVEL5_TEXT } level5_value_kind;
typedef struct level5_value {
    level5_value_kind kind;
    int32_t number;
    float real;
    sni_str text;
} level5_value;  // number and real are both set
typedef struct level5_command {
    uint64_t offset;
    sni_str tag;  // "KEY", whatever the case in the file; "#99" is one known by its number only
    level5_value *args;
    uint32_t arg_count;
    sni_str comment;  // what stands behind it on its line, without the slashes: clip names in Dark Cloud 1
    sni_str source;   // as the file has it, with the blanks and comments before it; {NULL,0}: made anew
} level5_command;
typedef struct level5_config {
    level5_command *commands;
    uint32_t command_count;
    bool has_semicolons, is_compiled;  // Dark Cloud 2's grammar; its BIN form (tags by number)
    sni_str rest;                      // behind the last command
} level5_config;

// --- Packs: files in a chain ---
typedef struct level5_entry {
    uint64_t offset;       // of the entry in the pack
    level5_array head;     // its 80 bytes as stored
    sni_str name;          // up to the NUL
    level5_array data;     // what is there of it: it ends with the pack, or where the next entry begins
    uint64_t data_offset;  // in the pack
} level5_entry;
typedef struct level5_pack {
    level5_entry *entries;
    uint32_t entry_count;
    level5_span *gaps;
    uint32_t gap_count;  // paddings, the end mark and what follows it
    uint64_t size;
} level5_pack;

// --- IMG, IM2, IM3: pictures (TIM2) by name ---
typedef enum level5_img_kind { LEVEL5_IMG, LEVEL5_IM2, LEVEL5_IM3 } level5_img_kind;
typedef struct level5_picture {
    uint64_t offset;    // of its record
    level5_array head;  // 48 or 64 bytes as stored
    sni_str name;
    bool is_script, is_empty;  // '#': animation text; a render target without pixels
    bool is_swizzled;          // its pixels, if they are 8-bit ones; in IM2, of one level
    uint8_t wrap_u, wrap_v;    // sn_texture_wrap
    level5_array data;         // from its offset to its end or the archive's
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

// --- Dragon Quest VIII: MDS of version 200, and its MOT. Arrays lie as they are; level5_translate says what they mean.
// ---
typedef struct level5_dq8_group {
    uint64_t offset;
    int32_t mode, material;               // mode: 3 triangles, 4 strip; others are not drawn
    level5_array positions, uvs, colors;  // u16 each, as many of all
} level5_dq8_group;

typedef struct level5_dq8_mesh {
    uint64_t offset;
    level5_array bytes;  // the whole MDT
    float scale[3], uv_scale[2];
    level5_array positions, colors, uvs;  // three s16, three u8, two u8
    level5_array weights, bones;          // four u16 and four s16 for each position; none: it is not bent
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
    level5_array frames, values;  // s16; of rotations four to a value, else three. No frames: 0, 1, 2...
} level5_dq8_channel;

typedef struct level5_dq8_bone {
    uint64_t offset;
    level5_array bytes;  // the whole record
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

// What any one file is. Those without a magic (MOT, WGT, BBP, cfg) are told by their name and their structure.
typedef enum level5_kind {
    LEVEL5_UNKNOWN,
    LEVEL5_KIND_MDS,
    LEVEL5_KIND_TRACKS,
    LEVEL5_KIND_BINDS,
    LEVEL5_KIND_CONFIG,
    LEVEL5_KIND_PACK,
    LEVEL5_KIND_IMG,
    LEVEL5_KIND_DQ8_MDS,
    LEVEL5_KIND_DQ8_MOT
} level5_kind;  // found as MDS and TRACKS, and parsed to these
typedef struct level5_doc {
    level5_kind kind;
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

level5_kind level5_find_kind(sni_bytes bytes, const char *name);  // name may be NULL or have folders
int level5_probe(sni_bytes bytes);                                // 0..100

// Bytes to document, in sni_load_document_arena. False after a failure.
bool level5_parse(sni_load *load, level5_kind kind, sni_bytes bytes, level5_doc *doc);
void level5_write(const level5_doc *doc, sni_writer *out);
void level5_locate(const level5_doc *doc, uint64_t offset, char path[112]);  // "NODE[3] \"arm\"", "TRACK[2]/KEY[7]"

// Dragon Quest VIII's documents as those of Dark Cloud 2 that say the same; others as they are. NULL after a failure.
const level5_doc *level5_translate(sni_load *load, const level5_doc *doc);

sn_vec4 level5_read_vector(level5_array array, uint32_t index);
level5_material level5_read_material(const level5_mesh *mesh, uint32_t index);
level5_key level5_read_key(const level5_track *track, uint32_t index);
void level5_read_matrix(level5_array matrices, uint32_t index, float out[16]);

// For documents made here, not read: places for everything, as the games' tools lay it out. Fails with the arena's heap
// only.
bool level5_lay_out(sni_arena *arena, level5_doc *doc);

// The model out of the document of the file that was opened and of all files that belong to it.
bool level5_build(sni_load *load, const level5_doc *doc, sn_model *model);

#endif
