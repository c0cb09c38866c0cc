// The MDX document: Warcraft III models (versions 800 to 1200) and World of Warcraft alpha models (1300, 1400, 1500).
// Binary MDX and MDL text share it. It keeps the file as it is: values unchanged, text fields with the bytes after
// their NUL, chunks and tracks in file order, unknown chunks as bytes. Writing it again gives the same file. The
// mdx_build_*.c files turn it into a model.
#ifndef MDX_DOC_H
#define MDX_DOC_H

#include <math.h>

#include "base/reader.h"
#include "base/writer.h"
#include "io/load.h"

enum { MDX_NAME_BYTES = 80, MDX_PATH_BYTES = 260, MDX_WOW_VERSION = 1300, MDX_BATCHES_VERSION = 1500 };

#define MDX_TAG(a, b, c, d) ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

// clang-format off
enum mdx_chunk_tag {
    MDX_MDLX = MDX_TAG('M','D','L','X'), MDX_VERS = MDX_TAG('V','E','R','S'), MDX_MODL = MDX_TAG('M','O','D','L'),
    MDX_SEQS = MDX_TAG('S','E','Q','S'), MDX_GLBS = MDX_TAG('G','L','B','S'), MDX_TEXS = MDX_TAG('T','E','X','S'),
    MDX_MTLS = MDX_TAG('M','T','L','S'), MDX_LAYS = MDX_TAG('L','A','Y','S'), MDX_TXAN = MDX_TAG('T','X','A','N'),
    MDX_GEOS = MDX_TAG('G','E','O','S'), MDX_GEOA = MDX_TAG('G','E','O','A'), MDX_BONE = MDX_TAG('B','O','N','E'),
    MDX_LITE = MDX_TAG('L','I','T','E'), MDX_HELP = MDX_TAG('H','E','L','P'), MDX_ATCH = MDX_TAG('A','T','C','H'),
    MDX_PIVT = MDX_TAG('P','I','V','T'), MDX_PREM = MDX_TAG('P','R','E','M'), MDX_PRE2 = MDX_TAG('P','R','E','2'),
    MDX_CORN = MDX_TAG('C','O','R','N'), MDX_RIBB = MDX_TAG('R','I','B','B'), MDX_CAMS = MDX_TAG('C','A','M','S'),
    MDX_EVTS = MDX_TAG('E','V','T','S'), MDX_KEVT = MDX_TAG('K','E','V','T'), MDX_CLID = MDX_TAG('C','L','I','D'),
    MDX_HTST = MDX_TAG('H','T','S','T'), MDX_FAFX = MDX_TAG('F','A','F','X'), MDX_BPOS = MDX_TAG('B','P','O','S'),
    // Arrays of a geoset and of the collision mesh.
    MDX_VRTX = MDX_TAG('V','R','T','X'), MDX_NRMS = MDX_TAG('N','R','M','S'), MDX_PTYP = MDX_TAG('P','T','Y','P'),
    MDX_PCNT = MDX_TAG('P','C','N','T'), MDX_PVTX = MDX_TAG('P','V','T','X'), MDX_GNDX = MDX_TAG('G','N','D','X'),
    MDX_MTGC = MDX_TAG('M','T','G','C'), MDX_MATS = MDX_TAG('M','A','T','S'), MDX_BIDX = MDX_TAG('B','I','D','X'),
    MDX_BWGT = MDX_TAG('B','W','G','T'), MDX_TANG = MDX_TAG('T','A','N','G'), MDX_SKIN = MDX_TAG('S','K','I','N'),
    MDX_UVAS = MDX_TAG('U','V','A','S'), MDX_UVBS = MDX_TAG('U','V','B','S'), MDX_TRI  = MDX_TAG('T','R','I',' '),
};

enum mdx_track_tag {
    MDX_KGTR = MDX_TAG('K','G','T','R'), MDX_KGRT = MDX_TAG('K','G','R','T'), MDX_KGSC = MDX_TAG('K','G','S','C'),
    MDX_KMTF = MDX_TAG('K','M','T','F'), MDX_KMTA = MDX_TAG('K','M','T','A'), MDX_KMTE = MDX_TAG('K','M','T','E'),
    MDX_KFC3 = MDX_TAG('K','F','C','3'), MDX_KFCA = MDX_TAG('K','F','C','A'), MDX_KFTC = MDX_TAG('K','F','T','C'),
    MDX_KTAT = MDX_TAG('K','T','A','T'), MDX_KTAR = MDX_TAG('K','T','A','R'), MDX_KTAS = MDX_TAG('K','T','A','S'),
    MDX_KGAO = MDX_TAG('K','G','A','O'), MDX_KGAC = MDX_TAG('K','G','A','C'),
    MDX_KLAS = MDX_TAG('K','L','A','S'), MDX_KLAE = MDX_TAG('K','L','A','E'), MDX_KLAC = MDX_TAG('K','L','A','C'),
    MDX_KLAI = MDX_TAG('K','L','A','I'), MDX_KLBC = MDX_TAG('K','L','B','C'), MDX_KLBI = MDX_TAG('K','L','B','I'),
    MDX_KLAV = MDX_TAG('K','L','A','V'), MDX_KATV = MDX_TAG('K','A','T','V'),
    MDX_KPEE = MDX_TAG('K','P','E','E'), MDX_KPEG = MDX_TAG('K','P','E','G'), MDX_KPLN = MDX_TAG('K','P','L','N'),
    MDX_KPLT = MDX_TAG('K','P','L','T'), MDX_KPEL = MDX_TAG('K','P','E','L'), MDX_KPES = MDX_TAG('K','P','E','S'),
    MDX_KPEV = MDX_TAG('K','P','E','V'),
    MDX_KP2S = MDX_TAG('K','P','2','S'), MDX_KP2R = MDX_TAG('K','P','2','R'), MDX_KP2L = MDX_TAG('K','P','2','L'),
    MDX_KP2G = MDX_TAG('K','P','2','G'), MDX_KP2E = MDX_TAG('K','P','2','E'), MDX_KP2N = MDX_TAG('K','P','2','N'),
    MDX_KP2W = MDX_TAG('K','P','2','W'), MDX_KP2V = MDX_TAG('K','P','2','V'), MDX_KP2Z = MDX_TAG('K','P','2','Z'),
    MDX_KLIF = MDX_TAG('K','L','I','F'),
    MDX_KPPA = MDX_TAG('K','P','P','A'), MDX_KPPC = MDX_TAG('K','P','P','C'), MDX_KPPE = MDX_TAG('K','P','P','E'),
    MDX_KPPL = MDX_TAG('K','P','P','L'), MDX_KPPS = MDX_TAG('K','P','P','S'), MDX_KPPV = MDX_TAG('K','P','P','V'),
    MDX_KRHA = MDX_TAG('K','R','H','A'), MDX_KRHB = MDX_TAG('K','R','H','B'), MDX_KRAL = MDX_TAG('K','R','A','L'),
    MDX_KRCO = MDX_TAG('K','R','C','O'), MDX_KRTX = MDX_TAG('K','R','T','X'), MDX_KRVS = MDX_TAG('K','R','V','S'),
    MDX_KCTR = MDX_TAG('K','C','T','R'), MDX_KTTR = MDX_TAG('K','T','T','R'), MDX_KCRL = MDX_TAG('K','C','R','L'),
    MDX_KVIS = MDX_TAG('K','V','I','S'),
};
// clang-format on

// The type of one value. Colours are vec3: R,G,B in MDX fields; B,G,R in all tracks and everywhere in MDL.
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

// Records inside the file's bytes: little-endian, unaligned. NULL when the file has none.
typedef struct mdx_array {
    const uint8_t *data;
    uint32_t count;
} mdx_array;

typedef struct mdx_extent {
    float radius, min[3], max[3];
} mdx_extent;

// The elements of one kind, each mdx_kind.item_bytes large.
typedef sni_list mdx_list;

typedef enum mdx_interpolation { MDX_STEP, MDX_LINEAR, MDX_HERMITE, MDX_BEZIER } mdx_interpolation;

typedef struct mdx_track_kind {
    uint32_t tag;
    mdx_type type;
    const char *mdl_name;
    bool is_stepped;  // whatever the file's interpolation is
} mdx_track_kind;

typedef struct mdx_track {
    const mdx_track_kind *kind;
    uint64_t offset;
    uint32_t interpolation;   // as stored; may be out of range
    int32_t global_sequence;  // -1: none
    mdx_array keys;           // records of mdx_key_bytes
} mdx_track;

typedef struct mdx_tracks {
    mdx_track *items;
    uint32_t count;
} mdx_tracks;

// The first member of every element.
typedef struct mdx_item {
    uint64_t offset;
    mdx_tracks tracks;
    mdx_array trailing;  // bytes after the last known track
} mdx_item;

typedef struct mdx_node {
    sni_str name;
    int32_t id, parent;
    uint32_t flags;
    mdx_tracks tracks;   // KGTR KGRT KGSC
    mdx_array trailing;  // bytes of the node record after its tracks
    bool lacks_id;       // MDL without an ObjectId
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

// The common start of all elements that are nodes.
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
    uint32_t start, end, flags;  // flags: MDX_NON_LOOPING; times are signed
    float move_speed, rarity;    // rarity: 1300's frequency
    uint32_t sync_point;
    mdx_extent extent;
    uint32_t replay_min, replay_max, blend_time;  // 1300
} mdx_sequence;
enum { MDX_NON_LOOPING = 1 };

typedef struct mdx_texture {
    mdx_item item;
    uint32_t replaceable;
    sni_str path;
    uint32_t flags;
} mdx_texture;
enum mdx_texture_flag { MDX_WRAP_U = 1, MDX_WRAP_V = 2 };

typedef struct mdx_texture_slot {
    uint32_t texture, slot;
    mdx_tracks tracks;  // at most a KMTF
} mdx_texture_slot;

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
    bool has_layers;  // the LAYS tag is present
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

// Primitive types of a face group: OpenGL's numbers.
typedef enum mdx_face_type {
    MDX_POINTS,
    MDX_LINES,
    MDX_LINE_LOOP,
    MDX_LINE_STRIP,
    MDX_TRIANGLES,
    MDX_TRIANGLE_STRIP,
    MDX_TRIANGLE_FAN,
    MDX_QUADS,
    MDX_QUAD_STRIP,
    MDX_POLYGON,
    MDX_FACE_TYPE_COUNT
} mdx_face_type;

typedef struct mdx_geoset {
    mdx_item item;
    mdx_array positions, normals;              // f32[3]
    mdx_array face_types, face_counts, faces;  // u32 (1300: u8), u32, u16
    mdx_array groups, group_sizes, matrices;   // u8, u32, u32: group of each vertex, size of each group, node ids
    mdx_array bone_indices, bone_weights;      // u32, 1300
    uint32_t material, selection_group, selection_flags;
    int32_t lod;  // 900
    sni_str lod_name;
    mdx_extent extent;
    mdx_array extents;         // one per sequence, 28 bytes each
    mdx_array tangents, skin;  // f32[4]; bytes, MDX_SKIN_BYTES per vertex
    bool skin_first;           // SKIN comes before TANG
    bool has_uvs;              // the UVAS tag is present
    mdx_array *uvs;            // f32[2] each
    uint32_t uv_count;
    mdx_array header, block;  // bytes of 1500, written back as they are; all other members come from them
} mdx_geoset;

enum { MDX_UNSELECTABLE = 4, MDX_SKIN_BYTES = 8 };

typedef struct mdx_geoset_anim {
    mdx_item item;
    float alpha;
    uint32_t flags;
    sn_vec3 color;
    int32_t geoset;
} mdx_geoset_anim;
enum mdx_geoset_anim_flag { MDX_DROP_SHADOW = 1, MDX_USE_COLOR = 2, MDX_WOW_USE_COLOR = 1 };

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
    sni_str geometry_path, recursion_path;  // from here on: 1300
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
    bool has_times;  // the KEVT tag is present
    int32_t global_sequence;
    mdx_array times;  // i32
} mdx_event;

typedef struct mdx_camera {  // not a node
    mdx_item item;
    sni_str name;
    sn_vec3 position, target;
    float fov, far_clip, near_clip;
} mdx_camera;

// A collision shape (CLID: u32 type) or a hit test shape of 1300 (HTST: u8 type), then floats. Their number depends on
// the type and on the program that wrote the file.
typedef struct mdx_shape {
    mdx_object object;
    uint32_t kind;
    mdx_array values;
} mdx_shape;
enum mdx_shape_kind { MDX_BOX, MDX_PLANE, MDX_SPHERE, MDX_CYLINDER };  // hit tests: 1 is the cylinder, 3 the plane

// The numbers of a hit test shape of 1300: box, cylinder, sphere, plane.
static inline uint32_t mdx_hit_test_size(uint32_t kind)
{
    static const uint8_t sizes[] = { 6, 5, 4, 2 };
    return kind < sizeof sizes ? sizes[kind] : 0;
}

typedef struct mdx_face_fx {
    mdx_item item;
    sni_str name, path;
} mdx_face_fx;

// One chunk of the file. Elements of a kind are numbered across all chunks of the same tag.
typedef struct mdx_chunk {
    uint32_t tag;
    uint64_t offset;
    uint32_t first, count;  // elements; 1 for a parsed chunk without elements (VERS, PIVT ...)
    uint32_t unused;        // 1300: the second word of MTLS and ATCH
    bool lacks_count;       // 1300: too short for the count it should start with
    mdx_array raw;          // all bytes of an unknown chunk, else the bytes after the last element
} mdx_chunk;

typedef struct mdx_doc {
    uint32_t version;
    bool is_text;        // parsed from MDL
    sni_list chunks;     // mdx_chunk, in file order
    mdx_array trailing;  // bytes after the last chunk
    mdx_model model;
    mdx_list sequences, materials, textures, texture_anims, geosets, geoset_anims;
    mdx_list bones, lights, helpers, attachments, emitters, emitters2, popcorns, ribbons, events, shapes, hit_tests;
    mdx_list cameras, face_fx;
    mdx_array global_sequences;                                         // u32
    mdx_array pivots;                                                   // f32[3], by node id
    mdx_array bind_pose;                                                // f32[12]
    mdx_array collision_positions, collision_faces, collision_normals;  // 1300: CLID is a mesh
} mdx_doc;

// One member of an element: its place in the struct, its versions and its name in MDL.
typedef struct mdx_field {
    mdx_type type;
    uint16_t count;         // of values in a row
    uint16_t offset;        // in the element
    uint16_t since, until;  // versions, inclusive
    uint32_t track;         // tag of the track that animates it; 0: none
    const char *mdl_name;   // NULL: MDL expresses it in another way
    float default_value;    // when MDL omits it
} mdx_field;

// A kind of element. In the file each is: [inclusive size] [node] fields, tracks.
typedef struct mdx_kind {
    uint32_t tag;
    const char *name;      // for paths: "LITE"
    const char *mdl_name;  // of one element: "Light"
    size_t list;           // offset of its mdx_list in mdx_doc
    size_t item_bytes;     // of its struct
    bool is_sized, is_node;
    bool wow_counted, wow_sized;  // 1300: the chunk starts with a count; elements start with their size
    const mdx_field *fields;      // in file order, ended by a count of 0
    const mdx_field *wow_fields;  // of 1300
    const uint32_t *tracks;       // tags of its tracks, ended by 0
} mdx_kind;

// An array inside an element: tag, u32 count, records.
typedef struct mdx_section {
    uint32_t tag;
    const char *name;
    uint16_t array;            // offset of its mdx_array in the owner
    uint8_t bytes, wow_bytes;  // of one record; 0: not in these versions
} mdx_section;

// Words of extras, which importing writes and saving reads (mdx_build_extras.c). Bits end with a name of NULL.
typedef struct mdx_flag_name {
    uint32_t bit;
    const char *name;
} mdx_flag_name;
const mdx_flag_name *mdx_node_flag_names(uint32_t tag, bool is_wow);
extern const mdx_flag_name mdx_material_flag_names[];
extern const char *const mdx_particle_filters[5], *const mdx_particle_kinds[3], *const mdx_shape_kinds[4];
#define MDX_GLOBAL_TRACKS "globalTracks"  // in extras of nodes and layers: tracks of global sequences, by name
extern const char *const mdx_curve_kinds[4], *const mdx_layer_filters[MDX_FILTER_COUNT];

// Tables, in file order, ended by a tag or count of 0.
extern const mdx_kind mdx_kinds[];
extern const mdx_section mdx_geoset_sections[], mdx_collision_sections[];  // the latter are members of mdx_doc
extern const mdx_field mdx_model_fields[], mdx_layer_fields[], mdx_geoset_fields[];
extern const uint32_t mdx_node_tracks[], mdx_layer_tracks[];

static inline bool mdx_is_wow(const mdx_doc *doc) { return doc->version >= MDX_WOW_VERSION; }

// Layers have texture slots and a shader type.
static inline bool mdx_has_slots(const mdx_doc *doc) { return doc->version >= 1100 && doc->version < MDX_WOW_VERSION; }

static inline bool mdx_has_field(const mdx_field *field, uint32_t version)
{
    return version >= field->since && version <= field->until;
}

static inline const mdx_field *mdx_fields_of(const mdx_kind *kind, uint32_t version)
{
    return version >= MDX_WOW_VERSION ? kind->wow_fields : kind->fields;
}

static inline bool mdx_is_sized(const mdx_doc *doc, const mdx_kind *kind)
{
    return mdx_is_wow(doc) ? kind->wow_sized : kind->is_sized;
}

static inline size_t mdx_section_bytes(const mdx_doc *doc, const mdx_section *section)
{
    return mdx_is_wow(doc) ? section->wow_bytes : section->bytes;
}

static inline uint32_t mdx_use_color_flag(const mdx_doc *doc)
{
    return mdx_is_wow(doc) ? MDX_WOW_USE_COLOR : MDX_USE_COLOR;
}

// Larger ones count as the origin: sums of them might overflow.
static inline bool mdx_is_pivot(sn_vec3 v) { return fabsf(v.x) < 1e30f && fabsf(v.y) < 1e30f && fabsf(v.z) < 1e30f; }

sni_str mdx_trim_nul(sni_str text);  // up to the first NUL

static inline mdx_extent mdx_load_extent(const uint8_t *at)
{
    mdx_extent out = { .radius = sni_load_f32(at) };
    for (size_t i = 0; i < 3; i++) {
        out.min[i] = sni_load_f32(at + 4 + 4 * i);
        out.max[i] = sni_load_f32(at + 16 + 4 * i);
    }
    return out;
}

static inline mdx_list *mdx_list_of(mdx_doc *doc, const mdx_kind *kind)
{
    return (mdx_list *)(void *)((char *)doc + kind->list);
}

static inline uint32_t mdx_element_count(const mdx_doc *doc, const mdx_kind *kind)
{
    return ((const mdx_list *)(const void *)((const char *)doc + kind->list))->count;
}

static inline void *mdx_element_at(const mdx_doc *doc, const mdx_kind *kind, uint32_t index)
{
    const mdx_list *list = (const void *)((const char *)doc + kind->list);
    return (char *)list->items + index * kind->item_bytes;
}

// MTLS and ATCH of 1300 have an unused word after their count.
static inline bool mdx_has_second_word(const mdx_kind *kind) { return kind->tag == MDX_MTLS || kind->tag == MDX_ATCH; }

// Geosets of 1500: all headers, then all vertices and triangles.
static inline bool mdx_has_batches(const mdx_doc *doc, const mdx_kind *kind)
{
    return kind && kind->tag == MDX_GEOS && doc->version == MDX_BATCHES_VERSION;
}

const mdx_kind *mdx_find_kind(uint32_t tag);
const mdx_kind *mdx_find_chunk_kind(const mdx_doc *doc, uint32_t tag);  // NULL when that version has no such elements
const mdx_track_kind *mdx_find_track_kind(uint32_t tag);
bool mdx_check_version(sni_diag *diag, uint64_t offset, uint32_t version);  // false: unsupported; warns when unknown
size_t mdx_type_bytes(mdx_type type, uint32_t version);                     // of one value in the file
size_t mdx_key_bytes(const mdx_track *track, uint32_t version);             // time, value, perhaps two tangents
void mdx_tag_name(uint32_t tag, char name[5]);                              // printable

// Rotations of 1300 are packed into eight bytes.
sn_quat mdx_unpack_quat(const uint8_t *at);
uint64_t mdx_pack_quat(sn_quat rotation);

bool mdx_parse(sni_load *load, sni_bytes bytes, mdx_doc *doc);
bool mdx_mdl_parse(sni_load *load, sni_bytes bytes, mdx_doc *doc);
void mdx_write(const mdx_doc *doc, sni_writer *out);  // MDX of doc->version
void mdx_mdl_write(const mdx_doc *doc, sni_writer *out);
bool mdx_build(sni_load *load, const mdx_doc *doc, sn_model *model);  // finished

#endif
