// The vocabulary of MDX and MDL: Warcraft III 800 to 1200, World of Warcraft alpha 1300 and 1400. Both forms, binary
// and text, are the same document. It keeps what the file says: numbers and arrays as the file has them, fields of text
// with the bytes behind their NUL, chunks, elements and tracks in their order, unknown chunks as bytes. Writing it
// again gives the same file. What it all means is mdx_build's business.
#ifndef MDX_DOC_H
#define MDX_DOC_H

#include "base/reader.h"
#include "base/writer.h"
#include "io/load.h"

enum { MDX_NAME_BYTES = 80, MDX_PATH_BYTES = 260, MDX_ALPHA_VERSION = 1300, MDX_BATCHES_VERSION = 1500 };

#define MDX_TAG(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

// How one value lies in the file. Colours are vec3: R,G,B in the fields of MDX; B,G,R in all tracks and everywhere in
// MDL.
typedef enum mdx_type {
    MDX_U8,
    MDX_U32,
    MDX_I32,
    MDX_F32,
    MDX_VEC3,
    MDX_COLOR,
    MDX_QUAT,
    MDX_EXTENT,
    MDX_NAME,
    MDX_PATH
} mdx_type;

// Records as they lie in the file, little-endian, unaligned; data is NULL where the file has none.
typedef struct mdx_array {
    const uint8_t *data;
    uint32_t count;
} mdx_array;

typedef struct mdx_extent {
    float radius, min[3], max[3];
} mdx_extent;

// The elements of one chunk kind; items are those of mdx_kind.item_bytes.
typedef sni_list mdx_list;

typedef enum mdx_interpolation { MDX_STEP, MDX_LINEAR, MDX_HERMITE, MDX_BEZIER } mdx_interpolation;

// What a tag means wherever it stands.
typedef struct mdx_track_kind {
    uint32_t tag;
    mdx_type type;
    const char *word;  // in MDL
    float fallback;    // each component where the sequence has no key; of a rotation: identity
    bool is_stepped;   // whatever its interpolation says
} mdx_track_kind;

typedef struct mdx_track {
    const mdx_track_kind *kind;
    uint64_t offset;
    uint32_t interpolation;   // as stored: may be none of mdx_interpolation
    int32_t global_sequence;  // -1: none
    mdx_array keys;           // records of mdx_key_bytes
} mdx_track;

typedef struct mdx_tracks {
    mdx_track *items;
    uint32_t count;
} mdx_tracks;

// What every element has. `rest` is what the file holds behind the last track that was understood.
typedef struct mdx_item {
    uint64_t offset;
    mdx_tracks tracks;
    mdx_array rest;
} mdx_item;

typedef struct mdx_node {
    sni_str name;
    int32_t id, parent;
    uint32_t flags;
    mdx_tracks tracks;  // KGTR KGRT KGSC
    mdx_array rest;     // inside the node's size, behind its tracks
    bool lacks_id;      // MDL has not said it (yet)
} mdx_node;

enum mdx_node_flag {
    MDX_NODE_OWN_TRANSLATION = 0x1,
    MDX_NODE_OWN_SCALE = 0x2,
    MDX_NODE_OWN_ROTATION = 0x4,
    MDX_NODE_BILLBOARD = 0x8,
    MDX_NODE_BILLBOARD_X = 0x10,
    MDX_NODE_BILLBOARD_Y = 0x20,
    MDX_NODE_BILLBOARD_Z = 0x40,
    MDX_NODE_CAMERA_ANCHORED = 0x80
};

// Elements that are nodes begin alike, so that one loop can walk bones and lights and all.
typedef struct mdx_object {
    mdx_item item;
    mdx_node node;
} mdx_object;

typedef struct mdx_model {
    sni_str name, animation_file;
    mdx_extent extent;
    uint32_t blend_time;
    uint8_t flags;  // 1300
} mdx_model;

typedef struct mdx_sequence {
    mdx_item item;
    sni_str name;
    uint32_t start, end, flags;  // flags: MDX_SEQUENCE_STOPS
    float move_speed, rarity;    // rarity: 1300's frequency
    uint32_t sync_point;
    mdx_extent extent;
    uint32_t replay_min, replay_max, blend_time;  // 1300
} mdx_sequence;

enum { MDX_SEQUENCE_STOPS = 1 };

typedef struct mdx_texture {
    mdx_item item;
    uint32_t replaceable;
    sni_str path;
    uint32_t flags;
} mdx_texture;
enum mdx_texture_flag { MDX_WRAP_U = 1, MDX_WRAP_V = 2 };

typedef struct mdx_texture_slot {
    uint32_t texture, slot;
    mdx_tracks tracks;
} mdx_texture_slot;  // tracks: at most a KMTF

typedef struct mdx_layer {
    mdx_item item;
    uint32_t filter, flags;
    int32_t texture, texture_anim, coord;
    float alpha, emissive_gain;
    sn_vec3 fresnel_color;
    float fresnel_opacity, fresnel_team_color;
    bool is_short;            // 900: without the fresnel fields
    uint32_t shader_type;     // 1100
    mdx_texture_slot *slots;  // 1100
    uint32_t slot_count;
} mdx_layer;

enum mdx_filter {
    MDX_FILTER_NONE,
    MDX_FILTER_TRANSPARENT,
    MDX_FILTER_BLEND,
    MDX_FILTER_ADDITIVE,
    MDX_FILTER_ADD_ALPHA,
    MDX_FILTER_MODULATE,
    MDX_FILTER_MODULATE_2X,
    MDX_FILTER_COUNT
};
enum mdx_shading {
    MDX_UNSHADED = 0x1,
    MDX_SPHERE_MAP = 0x2,
    MDX_LAYER_WRAP_U = 0x4,
    MDX_LAYER_WRAP_V = 0x8,
    MDX_LAYER_TWO_SIDED = 0x10,
    MDX_UNFOGGED = 0x20,
    MDX_NO_DEPTH_TEST = 0x40,
    MDX_NO_DEPTH_SET = 0x80,
    MDX_UNLIT = 0x100
};

typedef struct mdx_material {
    mdx_item item;
    int32_t priority_plane;
    uint32_t flags;   // mdx_material_flag
    sni_str shader;   // 900 and 1000
    bool has_layers;  // the tag LAYS is there
    mdx_layer *layers;
    uint32_t layer_count;
} mdx_material;

enum mdx_material_flag {
    MDX_CONSTANT_COLOR = 0x1,
    MDX_TWO_SIDED = 0x2,
    MDX_SORT_NEAR = 0x8,
    MDX_SORT_FAR = 0x10,
    MDX_FULL_RESOLUTION = 0x20
};

typedef struct mdx_texture_anim {
    mdx_item item;
} mdx_texture_anim;

typedef struct mdx_geoset {
    mdx_item item;
    mdx_array positions, normals;              // f32[3]
    mdx_array face_types, face_counts, faces;  // u32 (1300: u8), u32, u16
    mdx_array groups, group_sizes, matrices;   // u8, u32, u32: vertex to group, nodes in each group, all their nodes
    mdx_array bone_indices, bone_weights;      // u32, 1300
    uint32_t material, selection_group, selection_flags;
    int32_t lod;  // 900
    sni_str lod_name;
    mdx_extent extent;
    mdx_array extents;         // 28 bytes each
    mdx_array tangents, skin;  // f32[4]; bytes, eight per vertex
    bool skin_first;           // before the tangents
    bool has_uvs;              // the tag UVAS is there
    mdx_array *uvs;            // f32[2] each
    uint32_t uv_count;
    mdx_array header, block;  // bytes; 1500: what it is written from, all else was put together from them
} mdx_geoset;

enum { MDX_UNSELECTABLE = 4 };

typedef struct mdx_geoset_anim {
    mdx_item item;
    float alpha;
    uint32_t flags;
    sn_vec3 color;
    int32_t geoset;
} mdx_geoset_anim;
enum mdx_geoset_anim_flag { MDX_DROP_SHADOW = 1, MDX_USE_COLOR = 2 };  // 1300: 1 is the colour

typedef struct mdx_bone {
    mdx_object object;
    int32_t geoset, geoset_anim;
} mdx_bone;
typedef struct mdx_helper {
    mdx_object object;
} mdx_helper;

typedef struct mdx_light {
    mdx_object object;
    uint32_t kind;  // 0 omni, 1 directional, 2 ambient
    float attenuation_start, attenuation_end, intensity, ambient_intensity, shadow_intensity;
    sn_vec3 color, ambient_color;
    bool is_short;  // 1200: without shadow_intensity
} mdx_light;

typedef struct mdx_attachment {
    mdx_object object;
    sni_str path;
    int32_t attachment_id;
    uint8_t padding;
} mdx_attachment;

typedef struct mdx_emitter {  // PREM
    mdx_object object;
    float emission_rate, gravity, longitude, latitude, life_span, speed;
    sni_str path;
} mdx_emitter;

typedef struct mdx_emitter2 {  // PRE2
    mdx_object object;
    uint32_t emitter_bytes, emitter_type;  // 1300
    float speed, variation, latitude, longitude, gravity, z_source, life_span, emission_rate, length, width;
    uint32_t filter, rows, columns, head_or_tail;
    float tail_length, middle_time;
    sn_vec3 colors[3];
    uint8_t alphas[3];
    sn_vec3 scales;
    uint32_t uv_anims[4][3];  // head life, head decay, tail life, tail decay: start, end, repeat
    int32_t texture;
    uint32_t squirt;
    int32_t priority_plane;
    uint32_t replaceable;
    sni_str geometry_path, recursion_path;  // 1300 from here
    float twinkle[5];                       // rate, on-off, min, max, initial velocity scale
    float tumble[6], drag, spin, wind[3], wind_time, follow[4];
    mdx_array spline;  // f32[3]
} mdx_emitter2;

typedef struct mdx_popcorn {  // CORN
    mdx_object object;
    float life_span, emission_rate, speed, alpha;
    sn_vec3 color;
    uint32_t replaceable;
    sni_str path, visibility_guide;
} mdx_popcorn;

typedef struct mdx_ribbon {
    mdx_object object;
    uint32_t emitter_bytes;  // 1300
    float height_above, height_below, alpha, life_span, gravity;
    sn_vec3 color;
    uint32_t texture_slot, emission_rate, rows, columns;
    int32_t material;
} mdx_ribbon;

typedef struct mdx_event {
    mdx_object object;
    bool has_times;  // the tag KEVT is there
    int32_t global_sequence;
    mdx_array times;  // i32
} mdx_event;

typedef struct mdx_camera {  // not a node
    mdx_item item;
    sni_str name;
    sn_vec3 position, target;
    float fov, far_clip, near_clip;
} mdx_camera;

// A collision shape (CLID) and 1300's hit test shape (HTST): u32 or u8 type, then floats as many as the type and the
// file say.
typedef struct mdx_shape {
    mdx_object object;
    uint32_t kind;
    mdx_array values;
} mdx_shape;
enum mdx_shape_kind { MDX_BOX, MDX_PLANE, MDX_SPHERE, MDX_CYLINDER };  // hit tests: 1 is the cylinder, 3 the plane

typedef struct mdx_face_fx {
    mdx_item item;
    sni_str name, path;
} mdx_face_fx;

// One chunk of the file. Elements of a kind are numbered through, even over several chunks of the same tag.
typedef struct mdx_chunk {
    uint32_t tag;
    uint64_t offset;
    uint32_t first, count;  // elements; a chunk without elements counts 1 where the document has taken it
    uint32_t unused;        // 1300: the second word of MTLS and ATCH
    bool is_bare;           // 1300: too short even for the count it should start with
    mdx_array raw;          // an unknown chunk whole; else the bytes behind the last element
} mdx_chunk;

typedef struct mdx_doc {
    uint32_t version;
    bool is_text;     // it came as MDL
    sni_list chunks;  // mdx_chunk, in the file's order
    mdx_array stray;  // bytes behind the last chunk
    mdx_model model;
    mdx_list sequences, materials, textures, texture_anims, geosets, geoset_anims;
    mdx_list bones, lights, helpers, attachments, emitters, emitters2, popcorns, ribbons, events, shapes, hit_tests;
    mdx_list cameras, face_fx;
    mdx_array global_sequences;                                         // u32
    mdx_array pivots;                                                   // f32[3], by node id
    mdx_array bind_pose;                                                // f32[12]
    mdx_array collision_positions, collision_faces, collision_normals;  // 1300: CLID is a mesh
} mdx_doc;

// One value of an element: where it lies in the struct, which versions have it, how MDL says it.
typedef struct mdx_field {
    mdx_type type;
    uint16_t count;         // that many in a row
    uint16_t offset;        // in the element
    uint16_t since, until;  // versions, both included
    uint32_t track;         // the tag that animates it; 0: none
    const char *word;       // in MDL; NULL: said in another way
    float fallback;         // where MDL is silent
} mdx_field;

// A chunk of like elements. In the file: [inclusive size] [node] fields, tracks.
typedef struct mdx_kind {
    uint32_t tag;
    const char *name;   // for paths: "LITE"
    const char *word;   // of one element in MDL: "Light"
    size_t list;        // offset of its mdx_list in mdx_doc
    size_t item_bytes;  // of its struct
    bool is_sized, is_node;
    bool alpha_counted, alpha_sized;  // 1300: the chunk starts with a count; elements have a size of their own
    const mdx_field *fields;          // in the file's order, ended by a count of 0
    const mdx_field *alpha_fields;    // of 1300
    const uint32_t *tracks;           // tags it may own, ended by 0
} mdx_kind;

// An array inside an element: tag, u32 count, records. In the file's order.
typedef struct mdx_section {
    uint32_t tag;
    const char *name;
    uint16_t array;
    uint8_t bytes, alpha_bytes;
} mdx_section;  // 0 bytes: not there

extern const mdx_section mdx_geoset_sections[],
    mdx_collision_sections[];  // ended by a tag of 0; the latter lie in mdx_doc

extern const mdx_kind mdx_kinds[];  // ended by a tag of 0; nodes are among them, MODL GEOS and the like not
extern const mdx_field mdx_model_fields[], mdx_layer_fields[], mdx_geoset_fields[];
extern const uint32_t mdx_node_tracks[], mdx_layer_tracks[];

static inline bool mdx_is_alpha(const mdx_doc *doc) { return doc->version >= MDX_ALPHA_VERSION; }
static inline bool mdx_has_field(const mdx_field *field, uint32_t version)
{
    return version >= field->since && version <= field->until;
}
static inline mdx_list *mdx_list_of(mdx_doc *doc, const mdx_kind *kind)
{
    return (mdx_list *)(void *)((char *)doc + kind->list);
}

// Of 1300's MTLS and ATCH: behind the count stands a word that nobody uses.
static inline bool mdx_has_second_word(const mdx_kind *kind)
{
    return kind->tag == MDX_TAG('M', 'T', 'L', 'S') || kind->tag == MDX_TAG('A', 'T', 'C', 'H');
}

// Geosets as 1500 has them: all headers, then all vertices and triangles.
static inline bool mdx_has_batches(const mdx_doc *doc, const mdx_kind *kind)
{
    return kind && kind->tag == MDX_TAG('G', 'E', 'O', 'S') && doc->version == MDX_BATCHES_VERSION;
}

const mdx_kind *mdx_find_kind(uint32_t tag);
const mdx_kind *mdx_find_chunk_kind(const mdx_doc *doc, uint32_t tag);  // what its version's files have in such a chunk
const mdx_track_kind *mdx_find_track(uint32_t tag);
bool mdx_check_version(sni_diag *diag, uint64_t offset,
                       uint32_t version);                        // false: refused; unknown ones are warned of
size_t mdx_type_bytes(mdx_type type, uint32_t version);          // of one value in the file
size_t mdx_key_bytes(const mdx_track *track, uint32_t version);  // time, value, perhaps two tangents

// 1300's rotation in eight bytes.
sn_quat mdx_unpack_quat(const uint8_t *at);
uint64_t mdx_pack_quat(sn_quat rotation);

bool mdx_parse(sni_load *load, sni_bytes bytes, mdx_doc *doc);  // MDX
bool mdx_parse_mdl(sni_load *load, sni_bytes bytes, mdx_doc *doc);
void mdx_write(const mdx_doc *doc, sni_writer *out);  // MDX of doc->version
void mdx_write_mdl(const mdx_doc *doc, sni_writer *out);
bool mdx_build(sni_load *load, const mdx_doc *doc, sn_model *model);

// In which part of its file a byte lies; empty where there is no document or no part.
void mdx_locate(const mdx_doc *doc, sni_bytes bytes, uint64_t offset, char *path, size_t capacity);
void mdx_locate_line(sni_bytes bytes, uint64_t offset, char *path, size_t capacity);  // MDL

#endif
