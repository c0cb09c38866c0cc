// glTF's own vocabulary: the JSON objects of a file as structs, and what the parts of this folder offer each other.
//
// Loading: container -> JSON -> references checked -> buffers loaded -> packed data decoded -> model built.
// Saving is the reverse: model -> document -> JSON and one buffer.
#ifndef GLTF_DOC_H
#define GLTF_DOC_H

#include "base/json.h"
#include "io/load.h"
#include "io/save.h"

enum {
    GLTF_GLB_MAGIC = 0x46546C67,
    GLTF_CHUNK_JSON = 0x4E4F534A,
    GLTF_CHUNK_BIN = 0x004E4942,
    GLTF_I8 = 5120,
    GLTF_U8 = 5121,
    GLTF_I16 = 5122,
    GLTF_U16 = 5123,
    GLTF_U32 = 5125,
    GLTF_F32 = 5126,
    GLTF_ARRAY_BUFFER = 34962,
    GLTF_ELEMENT_BUFFER = 34963,
    GLTF_NEAREST = 9728,
    GLTF_LINEAR = 9729,
    GLTF_NEAREST_MIP_NEAREST = 9984,
    GLTF_LINEAR_MIP_NEAREST = 9985,
    GLTF_NEAREST_MIP_LINEAR = 9986,
    GLTF_LINEAR_MIP_LINEAR = 9987,
    GLTF_REPEAT = 10497,
    GLTF_CLAMP = 33071,
    GLTF_MIRROR = 33648,
};

// Where a value is a word in the file, it is a number here; 0 is also what an unknown word becomes.
typedef enum gltf_type {
    GLTF_NO_TYPE,
    GLTF_SCALAR,
    GLTF_VEC2,
    GLTF_VEC3,
    GLTF_VEC4,
    GLTF_MAT2,
    GLTF_MAT3,
    GLTF_MAT4
} gltf_type;
typedef enum gltf_mode {
    GLTF_POINTS,
    GLTF_LINES,
    GLTF_LINE_LOOP,
    GLTF_LINE_STRIP,
    GLTF_TRIANGLES,
    GLTF_TRIANGLE_STRIP,
    GLTF_TRIANGLE_FAN
} gltf_mode;
typedef enum gltf_path {
    GLTF_NO_PATH,
    GLTF_TRANSLATION,
    GLTF_ROTATION,
    GLTF_SCALE,
    GLTF_WEIGHTS,
    GLTF_POINTER
} gltf_path;
typedef enum gltf_interpolation { GLTF_LINEAR_KEYS, GLTF_STEP_KEYS, GLTF_CUBIC_KEYS } gltf_interpolation;
typedef enum gltf_alpha_mode { GLTF_ALPHA_OPAQUE, GLTF_ALPHA_MASK, GLTF_ALPHA_BLEND } gltf_alpha_mode;
typedef enum gltf_camera_type { GLTF_NO_CAMERA_TYPE, GLTF_PERSPECTIVE, GLTF_ORTHOGRAPHIC } gltf_camera_type;
typedef enum gltf_light_type { GLTF_NO_LIGHT_TYPE, GLTF_DIRECTIONAL, GLTF_POINT, GLTF_SPOT } gltf_light_type;
typedef enum gltf_packing { GLTF_NO_PACKING, GLTF_ATTRIBUTES, GLTF_TRIANGLE_INDICES, GLTF_INDICES } gltf_packing;
typedef enum gltf_filter {
    GLTF_UNKNOWN_FILTER,
    GLTF_NO_FILTER,
    GLTF_OCTAHEDRAL,
    GLTF_QUATERNION,
    GLTF_EXPONENTIAL,
    GLTF_COLOR
} gltf_filter;

// Every object starts like this. Small ones (gltf_small) do not keep name, extras and unread extensions.
typedef struct gltf_object {
    bool is_given;                           // it is in the file, or is to be written; elements of arrays always are
    bool is_broken;                          // a property that the object depends on could not be read
    uint32_t offset;                         // in the file; UINT32_MAX: that far or farther
    const char *name, *extras, *extensions;  // NULL: none. The last two are JSON text
} gltf_object;
typedef struct gltf_small {
    bool is_given, is_broken;
} gltf_small;

// Lists: a pointer followed by a count, wherever they are.
typedef struct gltf_indices {
    int32_t *items;
    uint32_t count;
} gltf_indices;
typedef struct gltf_floats {
    float *items;
    uint32_t count;
} gltf_floats;
typedef struct gltf_texts {
    const char **items;
    uint32_t count;
} gltf_texts;
// What an attribute is, by its name.
typedef enum gltf_semantic {
    GLTF_OTHER_ATTRIBUTE,
    GLTF_POSITIONS,
    GLTF_NORMALS,
    GLTF_TANGENTS,
    GLTF_TEXCOORDS,
    GLTF_COLORS,
    GLTF_JOINTS,
    GLTF_JOINT_WEIGHTS
} gltf_semantic;
enum { GLTF_MOST_SETS = 64 };  // of texture coordinates, colours or influences; more are left out
typedef struct gltf_attribute {
    const char *name;
    int32_t accessor;
    uint8_t semantic, set;  // of a file that was read; TEXCOORD_1 is set 1 of GLTF_TEXCOORDS
} gltf_attribute;
typedef struct gltf_attributes {
    gltf_attribute *items;
    uint32_t count;
} gltf_attributes;

typedef struct gltf_fallback {  // of the meshopt extensions: only for loaders without the codec
    gltf_small object;
    bool is_fallback;
} gltf_fallback;

typedef struct gltf_buffer {
    gltf_object object;
    gltf_fallback ext_fallback, khr_fallback;
    const char *uri;  // NULL: the BIN chunk, or none
    uint64_t byte_length;
    sni_bytes data;
    bool has_data;
    const char *why_not;  // it has a uri, but no data: the reason
} gltf_buffer;

#define GLTF_EXT_MESHOPT "EXT_meshopt_compression"
#define GLTF_KHR_MESHOPT "KHR_meshopt_compression"
#define GLTF_DRACO       "KHR_draco_mesh_compression"

typedef struct gltf_meshopt {
    gltf_small object;
    int32_t buffer;
    uint64_t byte_offset, byte_length;
    uint32_t stride, count;
    gltf_packing mode;
    gltf_filter filter;
} gltf_meshopt;

typedef struct gltf_view {
    gltf_object object;
    int32_t buffer;
    uint64_t byte_offset, byte_length;
    uint32_t stride, target;  // 0: not given
    gltf_meshopt ext_meshopt, khr_meshopt;
    sni_bytes unpacked;  // data NULL: read the buffer
} gltf_view;

typedef struct gltf_sparse_array {
    gltf_small object;
    int32_t view;
    uint64_t byte_offset;
    uint32_t component_type;  // of the indices
} gltf_sparse_array;
typedef struct gltf_sparse {
    gltf_small object;
    uint32_t count;  // 0: the accessor is not sparse
    gltf_sparse_array indices, values;
} gltf_sparse;

typedef struct gltf_accessor {
    gltf_object object;
    int32_t view;  // -1: zeros
    uint64_t byte_offset;
    uint32_t count, component_type;
    gltf_type type;
    bool is_normalized;
    gltf_floats min, max;
    gltf_sparse sparse;
    sni_bytes unpacked;  // the elements, tightly packed; data NULL: read the view
} gltf_accessor;

// The attributes of a Draco primitive are ids in the stream, not accessors.
typedef struct gltf_draco {
    gltf_small object;
    int32_t view;
    gltf_attributes attributes;
} gltf_draco;

typedef struct gltf_primitive {
    gltf_object object;
    gltf_attributes attributes;
    gltf_attributes *targets;
    uint32_t target_count, mode;
    int32_t indices, material;
    gltf_draco draco;
    bool is_left_out;  // could not be unpacked; already reported
} gltf_primitive;

typedef struct gltf_mesh {
    gltf_object object;
    gltf_primitive *primitives;
    uint32_t primitive_count;
    gltf_floats weights;
    gltf_texts target_names;  // from extras.targetNames, which many exporters write
} gltf_mesh;

typedef struct gltf_node_light {  // KHR_lights_punctual
    gltf_small object;
    int32_t light;
} gltf_node_light;
typedef struct gltf_visibility {  // KHR_node_visibility
    gltf_small object;
    bool is_visible;
} gltf_visibility;
typedef struct gltf_instancing {  // EXT_mesh_gpu_instancing
    gltf_small object;
    gltf_attributes attributes;
} gltf_instancing;

typedef struct gltf_node {
    gltf_object object;
    gltf_indices children;
    int32_t mesh, skin, camera;
    bool has_matrix, has_trs;
    bool is_left_out;  // not part of the model, see gltf_undo_switches
    bool is_switch;    // its scale is 0 while it is hidden, else 1
    float matrix[16];  // by columns
    sn_trs trs;
    gltf_floats weights;
    gltf_node_light punctual;
    gltf_visibility visibility;
    gltf_instancing instancing;
} gltf_node;

typedef struct gltf_skin {
    gltf_object object;
    gltf_indices joints;
    int32_t inverse_binds, skeleton;
} gltf_skin;

typedef struct gltf_animation_pointer {  // KHR_animation_pointer
    gltf_small object;
    const char *pointer;
} gltf_animation_pointer;
typedef struct gltf_target {
    gltf_object object;
    int32_t node;
    gltf_path path;
    gltf_animation_pointer animation;
} gltf_target;
typedef struct gltf_channel {
    gltf_object object;
    int32_t sampler;
    gltf_target target;
} gltf_channel;

typedef struct gltf_sampler {
    gltf_object object;
    int32_t input, output;
    gltf_interpolation interpolation;
} gltf_sampler;

typedef struct gltf_animation {
    gltf_object object;
    gltf_channel *channels;
    uint32_t channel_count;
    gltf_sampler *samplers;
    uint32_t sampler_count;
} gltf_animation;

typedef struct gltf_scene {
    gltf_object object;
    gltf_indices nodes;
} gltf_scene;

typedef struct gltf_uv_transform {  // KHR_texture_transform
    gltf_small object;
    int32_t uv_set;         // -1: that of the texture info
    sn_uv_transform value;  // in its own terms: a positive rotation turns v towards u
} gltf_uv_transform;

typedef struct gltf_texture_info {
    gltf_object object;
    int32_t texture;
    uint32_t uv_set;
    float strength;  // "scale" of a normal map, "strength" of an occlusion map
    gltf_uv_transform transform;
} gltf_texture_info;

typedef struct gltf_pbr {  // pbrMetallicRoughness
    gltf_object object;
    sn_vec4 color;
    float metallic, roughness;
    gltf_texture_info color_map, metal_rough_map;
} gltf_pbr;
typedef struct gltf_emissive_strength {  // KHR_materials_emissive_strength
    gltf_small object;
    float value;
} gltf_emissive_strength;
typedef struct gltf_gloss {  // KHR_materials_pbrSpecularGlossiness
    gltf_small object;
    sn_vec4 diffuse;
    sn_vec3 specular;
    float glossiness;
    gltf_texture_info diffuse_map, specular_map;
} gltf_gloss;

typedef struct gltf_material {
    gltf_object object;
    gltf_pbr pbr;
    gltf_texture_info normal_map, occlusion_map, emissive_map;
    sn_vec3 emissive;
    gltf_alpha_mode alpha_mode;
    float alpha_cutoff;
    bool has_cutoff, is_two_sided;
    gltf_small unlit;  // KHR_materials_unlit
    gltf_emissive_strength emissive_strength;
    gltf_gloss gloss;
} gltf_material;

typedef struct gltf_texture_source {  // EXT_texture_webp, KHR_texture_basisu
    gltf_small object;
    int32_t source;
} gltf_texture_source;
typedef struct gltf_texture {
    gltf_object object;
    int32_t sampler, source;
    gltf_texture_source webp, basisu;
} gltf_texture;
typedef struct gltf_texture_sampler {
    gltf_object object;
    uint32_t mag_filter, min_filter, wrap_s, wrap_t;  // a filter of 0: not given
} gltf_texture_sampler;

typedef struct gltf_image {
    gltf_object object;
    const char *uri, *mime_type;  // NULL: not given
    int32_t view;
} gltf_image;

typedef struct gltf_lens {
    gltf_small object;
    float yfov, aspect, xmag, ymag, znear, zfar;
} gltf_lens;
typedef struct gltf_camera {
    gltf_object object;
    gltf_camera_type type;
    gltf_lens perspective, orthographic;
} gltf_camera;

typedef struct gltf_spot {
    gltf_small object;
    float inner_angle, outer_angle;
} gltf_spot;
typedef struct gltf_light {
    gltf_object object;
    gltf_light_type type;
    sn_vec3 color;
    float intensity, range;  // range 0: not given
    gltf_spot spot;
} gltf_light;

typedef struct gltf_asset {
    gltf_object object;
    const char *version, *min_version, *generator, *copyright;
} gltf_asset;

typedef struct gltf_lights {  // KHR_lights_punctual
    gltf_small object;
    gltf_light *items;
    uint32_t count;
} gltf_lights;

typedef struct gltf_doc {
    gltf_object object;
    gltf_asset asset;
    int32_t scene;  // -1: not given
    gltf_texts extensions_used, extensions_required;
    gltf_texts extensions_found;  // the names in any "extensions"
    gltf_buffer *buffers;
    uint32_t buffer_count;
    gltf_view *views;
    uint32_t view_count;
    gltf_accessor *accessors;
    uint32_t accessor_count;
    gltf_mesh *meshes;
    uint32_t mesh_count;
    gltf_node *nodes;
    uint32_t node_count;
    gltf_skin *skins;
    uint32_t skin_count;
    gltf_animation *animations;
    uint32_t animation_count;
    gltf_scene *scenes;
    uint32_t scene_count;
    gltf_material *materials;
    uint32_t material_count;
    gltf_texture *textures;
    uint32_t texture_count;
    gltf_texture_sampler *samplers;
    uint32_t sampler_count;
    gltf_image *images;
    uint32_t image_count;
    gltf_camera *cameras;
    uint32_t camera_count;
    gltf_lights lights;
} gltf_doc;

// gltf_schema.c: objects in which everything has its default, to start from when making one.
extern const gltf_doc gltf_default_doc;
extern const gltf_node gltf_default_node;
extern const gltf_primitive gltf_default_primitive;
extern const gltf_material gltf_default_material;
extern const gltf_accessor gltf_default_accessor;
extern const gltf_view gltf_default_view;
extern const gltf_channel gltf_default_channel;
extern const gltf_texture gltf_default_texture;

// What sinew does with an extension.
typedef enum gltf_extension_use {
    GLTF_UNKNOWN,     // ignored; an error where required
    GLTF_READ,        // part of the model
    GLTF_APPEARANCE,  // refines a material; kept as text, not shown
    GLTF_KEPT         // does not concern what a model shows; kept as text
} gltf_extension_use;
gltf_extension_use gltf_find_extension(sni_str name);

// gltf.c: a .glb's chunks, or the bytes of a .gltf.
typedef struct gltf_container {
    sni_str json;
    uint64_t json_offset;
    sni_bytes bin;
    bool is_glb, has_bin;
} gltf_container;
bool gltf_parse_container(sni_load *load, sni_bytes bytes, gltf_container *container);
bool gltf_is_data_uri(const char *uri);
bool gltf_open_uri(sni_load *load, const char *uri, sni_bytes *bytes, const char **why);  // why: the reason if not

// gltf_parse.c
bool gltf_parse_json(sni_load *load, const gltf_container *container, gltf_doc *doc);
void gltf_resolve(sni_load *load, gltf_doc *doc);  // references to nothing are reported and become -1
void gltf_warn(sni_load *load, const char *property, int32_t code, uint64_t offset, const char *message);

// gltf_access.c: accessors as numbers. Nothing is read outside the buffer. Functions return false (or NULL) after
// reporting a warning, or when the load has failed.
bool gltf_view_bytes(sni_load *load, const gltf_doc *doc, int32_t view, sni_bytes *bytes);
uint32_t gltf_components(gltf_type type);
uint32_t gltf_component_bytes(uint32_t component_type);
uint32_t gltf_element_bytes(const gltf_accessor *accessor);
bool gltf_is_unsigned(uint32_t component_type);  // the types that indices may have
bool gltf_check_accessor(sni_load *load, const gltf_doc *doc, int32_t accessor);
bool gltf_read_floats(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width, float *out);
// Four joints per vertex; those beyond 16 bits become the last of them.
bool gltf_read_joints(sni_load *load, const gltf_doc *doc, int32_t accessor, uint16_t *out);
// All elements as an array that lives as long as the model; it may be the file's own bytes, so it is read-only.
const float *gltf_take_floats(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width);
const uint32_t *gltf_take_integers(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width);
// Compressed ones: meshopt and Draco. For an unknown version of the codec the uncompressed fallback is used where the
// file has one. False: the load has failed.
const gltf_meshopt *gltf_find_meshopt(const gltf_view *view, const char **extension);  // NULL: not compressed
bool gltf_unpack_views(sni_load *load, gltf_doc *doc);
bool gltf_unpack_primitives(sni_load *load, gltf_doc *doc);

// gltf_hidden_parts.c. Marks in the extras of nodes that saving made, or changed, for players without
// KHR_node_visibility:
#define GLTF_NAME_MARK    "sinew_name"    // of a primitive: the name of its own mesh, whose extras follow
#define GLTF_SWITCH_MARK  "sinew_switch"  // GLTF_SWITCH_SCALE: the scale is 0 while hidden, else 1
#define GLTF_SWITCH_SCALE "scale"
#define GLTF_COPY_MARK    "sinew_copy_of"  // the number of a node that this one copies
#define GLTF_REST_MARK    "sinew_rest"     // "hidden" or "shown": what the model was at rest. Loading keeps it
// Sets is_left_out and is_switch of nodes, and the joints of skins. False: the load has failed.
bool gltf_undo_switches(sni_load *load, gltf_doc *doc);

// gltf_lint.c: rules of the format that loading does not depend on; for sn_load_opts.lint.
void gltf_lint(sni_load *load, const gltf_doc *doc);

// gltf_build_nodes.c and the other gltf_build_*.c: a document to a finished model.
bool gltf_build(sni_load *load, const gltf_doc *doc, sn_model *model);

// gltf_export_*.c: a fitted model to a document, and that to files.
bool gltf_save(sni_save *save, const sn_model *model);

// gltf_write.c: a document to JSON, or to a .glb whose BIN chunk is the first buffer's data.
void gltf_write_json(const gltf_doc *doc, sni_writer *out, bool indent);
// All of a .glb before the buffer: of `bin_size` bytes, padded to a multiple of 4.
void gltf_write_glb_head(const gltf_doc *doc, uint64_t bin_size, sni_writer *out);

#endif
