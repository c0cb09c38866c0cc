// glTF's own vocabulary: the JSON objects as the file says them, indices resolved or -1, buffers loaded.
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
};

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

// Of every object: where its text starts in the file, its name, its extras and the extensions that are not read, as
// JSON text. All three may be NULL.
typedef struct gltf_object {
    uint64_t offset;
    const char *name, *extras, *extensions;
} gltf_object;

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

typedef struct gltf_buffer {
    gltf_object object;
    const char *uri;  // NULL: the GLB's own, or none
    uint64_t byte_length;
    sni_bytes data;
    bool has_data;
    const char *why_not;  // it has a uri, but no data: what went wrong
} gltf_buffer;

// How meshoptimizer packed a view: where the packed bytes are, and what they unpack to.
typedef enum gltf_packing { GLTF_NO_PACKING, GLTF_ATTRIBUTES, GLTF_TRIANGLE_INDICES, GLTF_INDICES } gltf_packing;
typedef enum gltf_filter {
    GLTF_NO_FILTER,
    GLTF_OCTAHEDRAL,
    GLTF_QUATERNION,
    GLTF_EXPONENTIAL,
    GLTF_COLOR,
    GLTF_UNKNOWN_FILTER
} gltf_filter;

#define GLTF_EXT_MESHOPT "EXT_meshopt_compression"
#define GLTF_KHR_MESHOPT "KHR_meshopt_compression"

typedef struct gltf_meshopt {
    const char *extension;  // EXT_ or KHR_meshopt_compression; NULL: the view is not packed
    int32_t buffer;
    uint64_t byte_offset, byte_length;
    uint32_t stride, count, mode, filter;
} gltf_meshopt;

typedef struct gltf_view {
    gltf_object object;
    int32_t buffer;
    uint64_t byte_offset, byte_length;
    uint32_t stride, target;  // 0: not given
    gltf_meshopt meshopt;
    sni_bytes unpacked;  // data NULL: read the buffer
} gltf_view;

typedef struct gltf_sparse {
    uint32_t count, index_type;
    int32_t index_view, value_view;
    uint64_t index_offset, value_offset;
} gltf_sparse;

typedef struct gltf_accessor {
    gltf_object object;
    int32_t view;  // -1: zeros
    uint64_t byte_offset;
    uint32_t count, component_type;
    gltf_type type;
    bool is_normalized;
    gltf_floats min, max;
    gltf_sparse sparse;  // count 0: not sparse
    sni_bytes unpacked;  // the elements side by side; data NULL: read the view
} gltf_accessor;

typedef struct gltf_attribute {
    const char *name;
    int32_t accessor;
} gltf_attribute;
typedef struct gltf_attributes {
    gltf_attribute *items;
    uint32_t count;
} gltf_attributes;

// A primitive that Draco packed; its attributes name ids in the stream, not accessors.
#define GLTF_DRACO "KHR_draco_mesh_compression"
typedef struct gltf_draco_primitive {
    bool is_read;
    int32_t view;
    gltf_attributes attributes;
} gltf_draco_primitive;

typedef struct gltf_primitive {
    gltf_object object;
    gltf_attributes attributes;
    gltf_attributes *targets;
    uint32_t target_count, mode;
    int32_t indices, material;
    gltf_draco_primitive draco;
    bool is_left_out;  // could not be unpacked, and was warned of
    bool is_broken;    // its indices are not to be had: nobody can say what to draw
} gltf_primitive;

typedef struct gltf_mesh {
    gltf_object object;
    gltf_primitive *primitives;
    uint32_t primitive_count;
    gltf_floats weights;
    gltf_texts target_names;  // from extras.targetNames, a habit of exporters
} gltf_mesh;

typedef struct gltf_node {
    gltf_object object;
    gltf_indices children;
    int32_t mesh, skin, camera, light;
    bool has_matrix, has_trs;
    bool has_visibility, is_hidden;  // KHR_node_visibility
    float matrix[16];                // by columns
    sn_trs trs;
    gltf_floats weights;
    gltf_attributes *instances;  // EXT_mesh_gpu_instancing; NULL: none
} gltf_node;

typedef struct gltf_skin {
    gltf_object object;
    gltf_indices joints;
    int32_t inverse_binds, skeleton;
} gltf_skin;

typedef enum gltf_path {
    GLTF_NO_PATH,
    GLTF_TRANSLATION,
    GLTF_ROTATION,
    GLTF_SCALE,
    GLTF_WEIGHTS,
    GLTF_POINTER
} gltf_path;

typedef struct gltf_channel {
    gltf_object object;
    int32_t sampler, node;
    gltf_path path;
    const char *pointer;            // KHR_animation_pointer; NULL: not given
    const char *target_extensions;  // those of "target" that are not read, as JSON text
} gltf_channel;

typedef struct gltf_sampler {
    gltf_object object;
    int32_t input, output;
    sn_interpolation interpolation;
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

// KHR_texture_transform, in its own terms: a positive rotation turns v towards u.
typedef struct gltf_uv_transform {
    bool is_given, has_uv_set;
    uint32_t uv_set;
    sn_uv_transform value;
} gltf_uv_transform;

typedef struct gltf_texture_info {
    gltf_object object;
    int32_t texture;
    uint32_t uv_set;
    float strength;
    gltf_uv_transform transform;
} gltf_texture_info;

gltf_texture_info gltf_texture_info_none(void);

// KHR_materials_pbrSpecularGlossiness.
typedef struct gltf_gloss {
    sn_vec4 diffuse;
    sn_vec3 specular;
    float glossiness;
    gltf_texture_info diffuse_map, specular_map;
} gltf_gloss;

typedef struct gltf_material {
    gltf_object object, pbr;  // pbr: pbrMetallicRoughness
    gltf_texture_info maps[SN_MAP_COUNT];
    sn_vec4 color;
    sn_vec3 emissive;
    float metallic, roughness, alpha_cutoff;
    bool is_two_sided, has_cutoff;
    sn_blend blend;
    bool is_masked, is_unlit;
    float emissive_strength;
    gltf_gloss *gloss;  // NULL: not given
} gltf_material;

// webp and basisu: the source that EXT_texture_webp and KHR_texture_basisu name.
typedef struct gltf_texture {
    gltf_object object;
    int32_t sampler, source, webp, basisu;
} gltf_texture;
typedef struct gltf_texture_sampler {
    gltf_object object;
    uint32_t mag_filter, min_filter, wrap_s, wrap_t;
} gltf_texture_sampler;

typedef struct gltf_image {
    gltf_object object;
    const char *uri, *mime_type;  // NULL: not given
    int32_t view;
} gltf_image;

typedef struct gltf_camera {
    gltf_object object;
    bool is_perspective, is_orthographic;
    float yfov, aspect, xmag, ymag, znear, zfar;
} gltf_camera;

#define GLTF_OUTER_CONE 0.785398163f  // of a spot that does not say; pi / 4

// KHR_lights_punctual.
typedef enum gltf_light_type { GLTF_NO_LIGHT_TYPE, GLTF_DIRECTIONAL, GLTF_POINT, GLTF_SPOT } gltf_light_type;

typedef struct gltf_light {
    gltf_object object;
    gltf_light_type type;
    sn_vec3 color;
    float intensity, range;  // range 0: not given
    bool has_spot;
    float inner_angle, outer_angle;
} gltf_light;

typedef struct gltf_asset {
    gltf_object object;
    const char *version, *min_version, *generator, *copyright;
} gltf_asset;

typedef struct gltf_doc {
    gltf_asset asset;
    const char *extras, *extensions;  // of the document; extensions: those that are not read
    int32_t scene;                    // -1: not given
    gltf_texts extensions_used, extensions_required;
    gltf_texts extensions_found;  // names that occur in some "extensions"
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
    gltf_light *lights;
    uint32_t light_count;
} gltf_doc;

// What sinew does with an extension, by its name: one table, in gltf_extensions.c.
typedef enum gltf_extension_use {
    GLTF_UNKNOWN,  // ignored; refused where required
    GLTF_READ,
    GLTF_LOOK,  // of materials; not shown, which does no harm
    GLTF_KEPT,  // says nothing that a model shows
    GLTF_CODEC  // cannot be read without the codec
} gltf_extension_use;

gltf_extension_use gltf_find_extension(sni_str name);
bool gltf_check_extensions(sni_load *load, const gltf_doc *doc);

// Parsing: container, JSON, references, buffers; in this order, each may fail the load.
typedef struct gltf_container {
    sni_str json;
    uint64_t json_offset;
    sni_bytes bin;
    bool is_glb, has_bin;
} gltf_container;

bool gltf_parse_container(sni_load *load, sni_bytes bytes, gltf_container *container);
bool gltf_parse_json(sni_load *load, const gltf_container *container, gltf_doc *doc);
void gltf_resolve(sni_load *load, gltf_doc *doc);
bool gltf_load_buffers(sni_load *load, const gltf_container *container, gltf_doc *doc);

// Compression by libraries that may be missing from a build. Views are unpacked before anything reads them, primitives
// before they are built, into accessors of their own. False after a failure. What is packed, but not required to be,
// is read from its plain twin where the codec is missing.
bool gltf_has_codec(const char *extension);
bool gltf_unpack_views(sni_load *load, gltf_doc *doc);
bool gltf_unpack_primitives(sni_load *load, gltf_doc *doc);

// The bytes that a URI means: data inside it, or a file of the model's folder. False: not to be had (`why` says).
bool gltf_open_uri(sni_load *load, const char *uri, sni_bytes *bytes, const char **why);

// Accessors as numbers. Each answers false after a failure; nothing is read outside the buffer.
uint32_t gltf_components(gltf_type type);
uint32_t gltf_component_bytes(uint32_t component_type);
uint32_t gltf_element_bytes(const gltf_accessor *accessor);
// False and warned of: it cannot be used. False and failed: its bytes are not where it says.
bool gltf_check_accessor(sni_load *load, const gltf_doc *doc, int32_t accessor);
// All elements as an array of the model, perhaps the file's own bytes: for reading only. NULL: not usable, or failed.
const float *gltf_give_floats(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width);
const uint32_t *gltf_give_integers(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width);
bool gltf_read_floats(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width, float *out);
bool gltf_read_integers(sni_load *load, const gltf_doc *doc, int32_t accessor, uint32_t width, uint32_t *out);
bool gltf_view_bytes(sni_load *load, const gltf_doc *doc, int32_t view, sni_bytes *bytes);
bool gltf_buffer_bytes(sni_load *load, const gltf_doc *doc, int32_t buffer, uint64_t offset, uint64_t size, uint64_t at,
                       sni_bytes *bytes);  // at: the offset for messages

// Building: a document into a model.
bool gltf_build(sni_load *load, const gltf_doc *doc, sn_model *model);

// Rules of the format that loading does not depend on; only with sn_load_opts.lint.
void gltf_lint(sni_load *load, const gltf_doc *doc);
void gltf_warn(sni_load *load, const char *property, int32_t code, uint64_t offset, const char *message);
void gltf_lint_accessors(sni_load *load, const gltf_doc *doc);
void gltf_lint_skins(sni_load *load, const gltf_doc *doc);
void gltf_lint_looks(sni_load *load, const gltf_doc *doc);
void gltf_lint_extensions(sni_load *load, const gltf_doc *doc);
bool gltf_lists(const gltf_texts *list, const char *name);

// Writing: a document to text or to a .glb whose BIN is the first buffer's data.
void gltf_write_json(const gltf_doc *doc, sni_writer *out, bool indent);
void gltf_write_glb(const gltf_doc *doc, sni_writer *out);

// Exporting: a fitted model to a document, and that to its files.
bool gltf_save(sni_save *save, const sn_model *model);

#endif
