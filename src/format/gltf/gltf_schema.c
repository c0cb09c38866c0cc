// Every object of glTF that sinew knows: its defaults, its properties in the order they are written, its extensions.
// To read a new property or extension, give it a field in gltf_doc.h and a row here.
#include "format/gltf/gltf_schema.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define AT(text, how, type, field)                                                                               \
    .name = text, .key = SNI_JSON_TOKEN("\"" text "\":"), .name_size = sizeof text - 1, .kind = GLTF_KIND_##how, \
    .offset = offsetof(type, field)
#define WORD(word)                                            \
    {                                                         \
        .text = word, .token = SNI_JSON_TOKEN("\"" word "\"") \
    }
// Only the first of a list has no word. LAST has no name, but a key that can be compared: no file has it, because
// blanks before keys are skipped.
#define NO_WORD      \
    {                \
        .text = NULL \
    }
#define LAST                        \
    {                               \
        .key = SNI_JSON_TOKEN("\n") \
    }
#define NAME(type)                          \
    {                                       \
        AT("name", TEXT, type, object.name) \
    }
#define WORDS(list)       .words = (list), .count = sizeof(list) / sizeof(list)[0]
#define FLAG(type, field) .flag_offset = offsetof(type, field)
#define SCHEMA(name, type, ...)                                                                                  \
    const gltf_schema name = { .size = sizeof(type), .properties = type##_properties, __VA_ARGS__ };             \
    static_assert(sizeof type##_properties <= GLTF_MAX_PROPERTIES * sizeof(gltf_property), "a larger number is " \
                                                                                           "needed")

// clang-format off
#define NO_TEXTURE { .texture = -1, .strength = 1, .transform = { .uv_set = -1, .value.scale = { 1, 1 } } }
// clang-format on

// Defaults. Those of nested objects are the nested ones.
const gltf_view gltf_default_view = {
    .buffer = -1,
    .ext_meshopt = { .buffer = -1, .filter = GLTF_NO_FILTER },
    .khr_meshopt = { .buffer = -1, .filter = GLTF_NO_FILTER },
};
const gltf_accessor gltf_default_accessor = {
    .view = -1,
    .sparse = { .indices.view = -1, .values.view = -1 },
};
const gltf_primitive gltf_default_primitive = {
    .mode = GLTF_TRIANGLES,
    .indices = -1,
    .material = -1,
    .draco.view = -1,
};
const gltf_node gltf_default_node = {
    .mesh = -1,
    .skin = -1,
    .camera = -1,
    .trs = { { 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 } },
    .punctual.light = -1,
    .visibility.is_visible = true,
};
const gltf_channel gltf_default_channel = { .sampler = -1, .target.node = -1 };
const gltf_material gltf_default_material = {
    .pbr = { .color = { 1, 1, 1, 1 },
             .metallic = 1,
             .roughness = 1,
             .color_map = NO_TEXTURE,
             .metal_rough_map = NO_TEXTURE },
    .normal_map = NO_TEXTURE,
    .occlusion_map = NO_TEXTURE,
    .emissive_map = NO_TEXTURE,
    .alpha_cutoff = 0.5f,
    .emissive_strength.value = 1,
    .gloss = { .diffuse = { 1, 1, 1, 1 },
               .specular = { 1, 1, 1 },
               .glossiness = 1,
               .diffuse_map = NO_TEXTURE,
               .specular_map = NO_TEXTURE },
};
const gltf_texture gltf_default_texture = { .sampler = -1, .source = -1, .webp.source = -1, .basisu.source = -1 };
const gltf_doc gltf_default_doc = { .scene = -1 };

static const gltf_buffer default_buffer;
static const gltf_mesh default_mesh;
static const gltf_skin default_skin = { .inverse_binds = -1, .skeleton = -1 };
static const gltf_sampler default_sampler = { .input = -1, .output = -1 };
static const gltf_animation default_animation;
static const gltf_scene default_scene;
static const gltf_texture_sampler default_texture_sampler = { .wrap_s = GLTF_REPEAT, .wrap_t = GLTF_REPEAT };
static const gltf_image default_image = { .view = -1 };
static const gltf_camera default_camera;
static const gltf_light default_light = {
    .color = { 1, 1, 1 },
    .intensity = 1,
    .spot.outer_angle = 0.785398163f,  // pi / 4
};

// Words, in the order of their enums.
static const gltf_word types[] = { NO_WORD,      WORD("SCALAR"), WORD("VEC2"), WORD("VEC3"),
                                   WORD("VEC4"), WORD("MAT2"),   WORD("MAT3"), WORD("MAT4") };
static const gltf_word paths[] = { NO_WORD,       WORD("translation"), WORD("rotation"),
                                   WORD("scale"), WORD("weights"),     WORD("pointer") };
static const gltf_word interpolations[] = { WORD("LINEAR"), WORD("STEP"), WORD("CUBICSPLINE") };
static const gltf_word alpha_modes[] = { WORD("OPAQUE"), WORD("MASK"), WORD("BLEND") };
static const gltf_word camera_types[] = { NO_WORD, WORD("perspective"), WORD("orthographic") };
static const gltf_word light_types[] = { NO_WORD, WORD("directional"), WORD("point"), WORD("spot") };
static const gltf_word meshopt_modes[] = { NO_WORD, WORD("ATTRIBUTES"), WORD("TRIANGLES"), WORD("INDICES") };
static const gltf_word meshopt_filters[] = {
    NO_WORD, WORD("NONE"), WORD("OCTAHEDRAL"), WORD("QUATERNION"), WORD("EXPONENTIAL"), WORD("COLOR")
};

// Buffers, views, accessors.
static const gltf_property gltf_fallback_properties[] = {
    { AT("fallback", BOOL, gltf_fallback, is_fallback) },
    LAST,
};
static SCHEMA(fallback_schema, gltf_fallback, .is_small = true, .defaults = &default_buffer.ext_fallback);

static const gltf_property gltf_buffer_properties[] = {
    NAME(gltf_buffer),
    { AT("uri", TEXT, gltf_buffer, uri) },
    { AT("byteLength", U64, gltf_buffer, byte_length) },
    LAST,
};
static const gltf_property buffer_extensions[] = {
    { AT(GLTF_EXT_MESHOPT, OBJECT, gltf_buffer, ext_fallback), .objects = &fallback_schema },
    { AT(GLTF_KHR_MESHOPT, OBJECT, gltf_buffer, khr_fallback), .objects = &fallback_schema },
    LAST,
};
static SCHEMA(buffer_schema, gltf_buffer, .defaults = &default_buffer, .extensions = buffer_extensions);

static const gltf_property gltf_meshopt_properties[] = {
    { AT("buffer", INDEX, gltf_meshopt, buffer) },
    { AT("byteOffset", U64, gltf_meshopt, byte_offset) },
    { AT("byteLength", U64, gltf_meshopt, byte_length) },
    { AT("byteStride", U32, gltf_meshopt, stride) },
    { AT("count", U32, gltf_meshopt, count) },
    { AT("mode", WORD, gltf_meshopt, mode), WORDS(meshopt_modes) },
    { AT("filter", WORD, gltf_meshopt, filter), WORDS(meshopt_filters) },
    LAST,
};
static SCHEMA(meshopt_schema, gltf_meshopt, .is_small = true, .defaults = &gltf_default_view.ext_meshopt);

static const gltf_property gltf_view_properties[] = {
    NAME(gltf_view),
    { AT("buffer", INDEX, gltf_view, buffer), .flags = GLTF_VITAL },
    { AT("byteOffset", U64, gltf_view, byte_offset), .flags = GLTF_VITAL },
    { AT("byteLength", U64, gltf_view, byte_length), .flags = GLTF_VITAL },
    { AT("byteStride", U32, gltf_view, stride), .flags = GLTF_VITAL },
    { AT("target", U32, gltf_view, target) },
    LAST,
};
static const gltf_property view_extensions[] = {
    { AT(GLTF_EXT_MESHOPT, OBJECT, gltf_view, ext_meshopt), .objects = &meshopt_schema },
    { AT(GLTF_KHR_MESHOPT, OBJECT, gltf_view, khr_meshopt), .objects = &meshopt_schema },
    LAST,
};
static SCHEMA(view_schema, gltf_view, .defaults = &gltf_default_view, .extensions = view_extensions);

static const gltf_property gltf_sparse_array_properties[] = {
    { AT("bufferView", INDEX, gltf_sparse_array, view), .flags = GLTF_VITAL },
    { AT("byteOffset", U64, gltf_sparse_array, byte_offset), .flags = GLTF_VITAL },
    { AT("componentType", U32, gltf_sparse_array, component_type) },
    LAST,
};
static SCHEMA(sparse_array_schema, gltf_sparse_array, .is_small = true,
              .defaults = &gltf_default_accessor.sparse.indices);

static const gltf_property gltf_sparse_properties[] = {
    { AT("count", U32, gltf_sparse, count) },
    { AT("indices", OBJECT, gltf_sparse, indices), .objects = &sparse_array_schema },
    { AT("values", OBJECT, gltf_sparse, values), .objects = &sparse_array_schema },
    LAST,
};
static SCHEMA(sparse_schema, gltf_sparse, .is_small = true, .defaults = &gltf_default_accessor.sparse);

static const gltf_property gltf_accessor_properties[] = {
    NAME(gltf_accessor),
    { AT("bufferView", INDEX, gltf_accessor, view), .flags = GLTF_VITAL },
    { AT("byteOffset", U64, gltf_accessor, byte_offset), .flags = GLTF_VITAL },
    { AT("componentType", U32, gltf_accessor, component_type) },
    { AT("normalized", BOOL, gltf_accessor, is_normalized) },
    { AT("count", U32, gltf_accessor, count) },
    { AT("type", WORD, gltf_accessor, type), WORDS(types) },
    { AT("min", FLOAT_LIST, gltf_accessor, min) },
    { AT("max", FLOAT_LIST, gltf_accessor, max) },
    { AT("sparse", OBJECT, gltf_accessor, sparse), .objects = &sparse_schema },
    LAST,
};
static SCHEMA(accessor_schema, gltf_accessor, .defaults = &gltf_default_accessor);

// Meshes.
static const gltf_property gltf_draco_properties[] = {
    { AT("bufferView", INDEX, gltf_draco, view) },
    { AT("attributes", ATTRIBUTES, gltf_draco, attributes), .flags = GLTF_ALWAYS },
    LAST,
};
static SCHEMA(draco_schema, gltf_draco, .is_small = true, .defaults = &gltf_default_primitive.draco);

static const gltf_property gltf_primitive_properties[] = {
    NAME(gltf_primitive),
    { AT("attributes", ATTRIBUTES, gltf_primitive, attributes), .flags = GLTF_ALWAYS },
    { AT("indices", INDEX, gltf_primitive, indices), .flags = GLTF_VITAL },
    { AT("material", INDEX, gltf_primitive, material) },
    { AT("mode", U32, gltf_primitive, mode) },
    { AT("targets", ATTRIBUTES_LIST, gltf_primitive, targets) },
    LAST,
};
static const gltf_property primitive_extensions[] = {
    { AT(GLTF_DRACO, OBJECT, gltf_primitive, draco), .objects = &draco_schema },
    LAST,
};
static SCHEMA(primitive_schema, gltf_primitive, .defaults = &gltf_default_primitive,
              .extensions = primitive_extensions);

static const gltf_property gltf_mesh_properties[] = {
    NAME(gltf_mesh),
    { AT("primitives", OBJECT_LIST, gltf_mesh, primitives), .objects = &primitive_schema, .flags = GLTF_ALWAYS },
    { AT("weights", FLOAT_LIST, gltf_mesh, weights) },
    LAST,
};
static SCHEMA(mesh_schema, gltf_mesh, .defaults = &default_mesh);

// Nodes, skins, scenes, cameras, lights.
static const gltf_property gltf_node_light_properties[] = {
    { AT("light", INDEX, gltf_node_light, light) },
    LAST,
};
static SCHEMA(node_light_schema, gltf_node_light, .is_small = true, .defaults = &gltf_default_node.punctual);

static const gltf_property gltf_visibility_properties[] = {
    { AT("visible", BOOL, gltf_visibility, is_visible), .flags = GLTF_ALWAYS },
    LAST,
};
static SCHEMA(visibility_schema, gltf_visibility, .is_small = true, .defaults = &gltf_default_node.visibility);

static const gltf_property gltf_instancing_properties[] = {
    { AT("attributes", ATTRIBUTES, gltf_instancing, attributes), .flags = GLTF_ALWAYS },
    LAST,
};
static SCHEMA(instancing_schema, gltf_instancing, .is_small = true, .defaults = &gltf_default_node.instancing);

static const gltf_property gltf_node_properties[] = {
    NAME(gltf_node),
    { AT("children", INDEX_LIST, gltf_node, children) },
    { AT("mesh", INDEX, gltf_node, mesh) },
    { AT("skin", INDEX, gltf_node, skin) },
    { AT("camera", INDEX, gltf_node, camera) },
    { AT("matrix", VECTOR, gltf_node, matrix), .count = 16, FLAG(gltf_node, has_matrix) },
    { AT("translation", VECTOR, gltf_node, trs.translation), .count = 3, FLAG(gltf_node, has_trs) },
    { AT("rotation", VECTOR, gltf_node, trs.rotation), .count = 4, FLAG(gltf_node, has_trs) },
    { AT("scale", VECTOR, gltf_node, trs.scale), .count = 3, FLAG(gltf_node, has_trs) },
    { AT("weights", FLOAT_LIST, gltf_node, weights) },
    LAST,
};
static const gltf_property node_extensions[] = {
    { AT("KHR_lights_punctual", OBJECT, gltf_node, punctual), .objects = &node_light_schema },
    { AT("KHR_node_visibility", OBJECT, gltf_node, visibility), .objects = &visibility_schema },
    { AT("EXT_mesh_gpu_instancing", OBJECT, gltf_node, instancing), .objects = &instancing_schema },
    LAST,
};
static SCHEMA(node_schema, gltf_node, .defaults = &gltf_default_node, .extensions = node_extensions);

static const gltf_property gltf_skin_properties[] = {
    NAME(gltf_skin),
    { AT("inverseBindMatrices", INDEX, gltf_skin, inverse_binds) },
    { AT("skeleton", INDEX, gltf_skin, skeleton) },
    { AT("joints", INDEX_LIST, gltf_skin, joints) },
    LAST,
};
static SCHEMA(skin_schema, gltf_skin, .defaults = &default_skin);

static const gltf_property gltf_scene_properties[] = {
    NAME(gltf_scene),
    { AT("nodes", INDEX_LIST, gltf_scene, nodes) },
    LAST,
};
static SCHEMA(scene_schema, gltf_scene, .defaults = &default_scene);

static const gltf_property gltf_lens_properties[] = {
    { AT("aspectRatio", FLOAT, gltf_lens, aspect) },
    { AT("yfov", FLOAT, gltf_lens, yfov) },
    { AT("xmag", FLOAT, gltf_lens, xmag) },
    { AT("ymag", FLOAT, gltf_lens, ymag) },
    { AT("zfar", FLOAT, gltf_lens, zfar) },
    { AT("znear", FLOAT, gltf_lens, znear), .flags = GLTF_ALWAYS },
    LAST,
};
static SCHEMA(lens_schema, gltf_lens, .is_small = true, .defaults = &default_camera.perspective);

static const gltf_property gltf_camera_properties[] = {
    NAME(gltf_camera),
    { AT("type", WORD, gltf_camera, type), WORDS(camera_types) },
    { AT("perspective", OBJECT, gltf_camera, perspective), .objects = &lens_schema },
    { AT("orthographic", OBJECT, gltf_camera, orthographic), .objects = &lens_schema },
    LAST,
};
static SCHEMA(camera_schema, gltf_camera, .defaults = &default_camera);

static const gltf_property gltf_spot_properties[] = {
    { AT("innerConeAngle", FLOAT, gltf_spot, inner_angle) },
    { AT("outerConeAngle", FLOAT, gltf_spot, outer_angle) },
    LAST,
};
static SCHEMA(spot_schema, gltf_spot, .is_small = true, .defaults = &default_light.spot);

static const gltf_property gltf_light_properties[] = {
    NAME(gltf_light),
    { AT("type", WORD, gltf_light, type), WORDS(light_types) },
    { AT("color", VECTOR, gltf_light, color), .count = 3 },
    { AT("intensity", FLOAT, gltf_light, intensity) },
    { AT("range", FLOAT, gltf_light, range) },
    { AT("spot", OBJECT, gltf_light, spot), .objects = &spot_schema },
    LAST,
};
static SCHEMA(light_schema, gltf_light, .defaults = &default_light);

static const gltf_property gltf_lights_properties[] = {
    { AT("lights", OBJECT_LIST, gltf_lights, items), .objects = &light_schema },
    LAST,
};
static SCHEMA(lights_schema, gltf_lights, .is_small = true, .defaults = &gltf_default_doc.lights);

// Animations.
static const gltf_property gltf_animation_pointer_properties[] = {
    { AT("pointer", TEXT, gltf_animation_pointer, pointer) },
    LAST,
};
static SCHEMA(animation_pointer_schema, gltf_animation_pointer, .is_small = true,
              .defaults = &gltf_default_channel.target.animation);

static const gltf_property gltf_target_properties[] = {
    NAME(gltf_target),
    { AT("node", INDEX, gltf_target, node) },
    { AT("path", WORD, gltf_target, path), WORDS(paths) },
    LAST,
};
static const gltf_property target_extensions[] = {
    { AT("KHR_animation_pointer", OBJECT, gltf_target, animation), .objects = &animation_pointer_schema },
    LAST,
};
static SCHEMA(target_schema, gltf_target, .defaults = &gltf_default_channel.target, .extensions = target_extensions);

static const gltf_property gltf_channel_properties[] = {
    NAME(gltf_channel),
    { AT("sampler", INDEX, gltf_channel, sampler) },
    { AT("target", OBJECT, gltf_channel, target), .objects = &target_schema, .flags = GLTF_ALWAYS },
    LAST,
};
static SCHEMA(channel_schema, gltf_channel, .defaults = &gltf_default_channel);

static const gltf_property gltf_sampler_properties[] = {
    NAME(gltf_sampler),
    { AT("input", INDEX, gltf_sampler, input) },
    { AT("interpolation", WORD, gltf_sampler, interpolation), WORDS(interpolations) },
    { AT("output", INDEX, gltf_sampler, output) },
    LAST,
};
static SCHEMA(sampler_schema, gltf_sampler, .defaults = &default_sampler);

static const gltf_property gltf_animation_properties[] = {
    NAME(gltf_animation),
    { AT("channels", OBJECT_LIST, gltf_animation, channels), .objects = &channel_schema, .flags = GLTF_ALWAYS },
    { AT("samplers", OBJECT_LIST, gltf_animation, samplers), .objects = &sampler_schema, .flags = GLTF_ALWAYS },
    LAST,
};
static SCHEMA(animation_schema, gltf_animation, .defaults = &default_animation);

// Materials, textures, images.
static const gltf_property gltf_uv_transform_properties[] = {
    { AT("offset", VECTOR, gltf_uv_transform, value.offset), .count = 2 },
    { AT("rotation", FLOAT, gltf_uv_transform, value.rotation) },
    { AT("scale", VECTOR, gltf_uv_transform, value.scale), .count = 2 },
    { AT("texCoord", INDEX, gltf_uv_transform, uv_set) },
    LAST,
};
static SCHEMA(uv_transform_schema, gltf_uv_transform, .is_small = true,
              .defaults = &gltf_default_material.normal_map.transform);

static const gltf_property texture_info_extensions[] = {
    { AT("KHR_texture_transform", OBJECT, gltf_texture_info, transform), .objects = &uv_transform_schema },
    LAST,
};
static const gltf_property gltf_texture_info_properties[] = {
    NAME(gltf_texture_info),
    { AT("index", INDEX, gltf_texture_info, texture) },
    { AT("texCoord", U32, gltf_texture_info, uv_set) },
    LAST,
};
static const gltf_property normal_map_properties[] = {
    NAME(gltf_texture_info),
    { AT("index", INDEX, gltf_texture_info, texture) },
    { AT("texCoord", U32, gltf_texture_info, uv_set) },
    { AT("scale", FLOAT, gltf_texture_info, strength) },
    LAST,
};
static const gltf_property occlusion_map_properties[] = {
    NAME(gltf_texture_info),
    { AT("index", INDEX, gltf_texture_info, texture) },
    { AT("texCoord", U32, gltf_texture_info, uv_set) },
    { AT("strength", FLOAT, gltf_texture_info, strength) },
    LAST,
};
#define TEXTURE_INFO(name, properties_of)                                            \
    static const gltf_schema name = { .size = sizeof(gltf_texture_info),             \
                                      .properties = properties_of,                   \
                                      .defaults = &gltf_default_material.normal_map, \
                                      .extensions = texture_info_extensions }
TEXTURE_INFO(texture_info_schema, gltf_texture_info_properties);
TEXTURE_INFO(normal_map_schema, normal_map_properties);
TEXTURE_INFO(occlusion_map_schema, occlusion_map_properties);

static const gltf_property gltf_pbr_properties[] = {
    NAME(gltf_pbr),
    { AT("baseColorFactor", VECTOR, gltf_pbr, color), .count = 4 },
    { AT("baseColorTexture", OBJECT, gltf_pbr, color_map), .objects = &texture_info_schema },
    { AT("metallicFactor", FLOAT, gltf_pbr, metallic) },
    { AT("roughnessFactor", FLOAT, gltf_pbr, roughness) },
    { AT("metallicRoughnessTexture", OBJECT, gltf_pbr, metal_rough_map), .objects = &texture_info_schema },
    LAST,
};
static SCHEMA(pbr_schema, gltf_pbr, .defaults = &gltf_default_material.pbr);

static const gltf_property gltf_small_properties[] = { LAST };
static SCHEMA(unlit_schema, gltf_small, .is_small = true, .defaults = &gltf_default_material.unlit);

static const gltf_property gltf_emissive_strength_properties[] = {
    { AT("emissiveStrength", FLOAT, gltf_emissive_strength, value) },
    LAST,
};
static SCHEMA(emissive_strength_schema, gltf_emissive_strength, .is_small = true,
              .defaults = &gltf_default_material.emissive_strength);

static const gltf_property gltf_gloss_properties[] = {
    { AT("diffuseFactor", VECTOR, gltf_gloss, diffuse), .count = 4 },
    { AT("diffuseTexture", OBJECT, gltf_gloss, diffuse_map), .objects = &texture_info_schema },
    { AT("specularFactor", VECTOR, gltf_gloss, specular), .count = 3 },
    { AT("glossinessFactor", FLOAT, gltf_gloss, glossiness) },
    { AT("specularGlossinessTexture", OBJECT, gltf_gloss, specular_map), .objects = &texture_info_schema },
    LAST,
};
static SCHEMA(gloss_schema, gltf_gloss, .is_small = true, .defaults = &gltf_default_material.gloss);

static const gltf_property gltf_material_properties[] = {
    NAME(gltf_material),
    { AT("pbrMetallicRoughness", OBJECT, gltf_material, pbr), .objects = &pbr_schema, .flags = GLTF_ALWAYS },
    { AT("normalTexture", OBJECT, gltf_material, normal_map), .objects = &normal_map_schema },
    { AT("occlusionTexture", OBJECT, gltf_material, occlusion_map), .objects = &occlusion_map_schema },
    { AT("emissiveTexture", OBJECT, gltf_material, emissive_map), .objects = &texture_info_schema },
    { AT("emissiveFactor", VECTOR, gltf_material, emissive), .count = 3 },
    { AT("alphaMode", WORD, gltf_material, alpha_mode), WORDS(alpha_modes) },
    { AT("alphaCutoff", FLOAT, gltf_material, alpha_cutoff), FLAG(gltf_material, has_cutoff) },
    { AT("doubleSided", BOOL, gltf_material, is_two_sided) },
    LAST,
};
static const gltf_property material_extensions[] = {
    { AT("KHR_materials_unlit", OBJECT, gltf_material, unlit), .objects = &unlit_schema },
    { AT("KHR_materials_emissive_strength", OBJECT, gltf_material, emissive_strength),
      .objects = &emissive_strength_schema },
    { AT("KHR_materials_pbrSpecularGlossiness", OBJECT, gltf_material, gloss), .objects = &gloss_schema },
    LAST,
};
SCHEMA(gltf_material_schema, gltf_material, .defaults = &gltf_default_material, .extensions = material_extensions);

static const gltf_property gltf_texture_source_properties[] = {
    { AT("source", INDEX, gltf_texture_source, source) },
    LAST,
};
static SCHEMA(texture_source_schema, gltf_texture_source, .is_small = true, .defaults = &gltf_default_texture.webp);

static const gltf_property gltf_texture_properties[] = {
    NAME(gltf_texture),
    { AT("sampler", INDEX, gltf_texture, sampler) },
    { AT("source", INDEX, gltf_texture, source) },
    LAST,
};
static const gltf_property texture_extensions[] = {
    { AT("EXT_texture_webp", OBJECT, gltf_texture, webp), .objects = &texture_source_schema },
    { AT("KHR_texture_basisu", OBJECT, gltf_texture, basisu), .objects = &texture_source_schema },
    LAST,
};
static SCHEMA(texture_schema, gltf_texture, .defaults = &gltf_default_texture, .extensions = texture_extensions);

static const gltf_property gltf_texture_sampler_properties[] = {
    NAME(gltf_texture_sampler),
    { AT("magFilter", U32, gltf_texture_sampler, mag_filter) },
    { AT("minFilter", U32, gltf_texture_sampler, min_filter) },
    { AT("wrapS", U32, gltf_texture_sampler, wrap_s) },
    { AT("wrapT", U32, gltf_texture_sampler, wrap_t) },
    LAST,
};
static SCHEMA(texture_sampler_schema, gltf_texture_sampler, .defaults = &default_texture_sampler);

static const gltf_property gltf_image_properties[] = {
    NAME(gltf_image),
    { AT("uri", TEXT, gltf_image, uri) },
    { AT("mimeType", TEXT, gltf_image, mime_type) },
    { AT("bufferView", INDEX, gltf_image, view) },
    LAST,
};
static SCHEMA(image_schema, gltf_image, .defaults = &default_image);

// The document.
static const gltf_property gltf_asset_properties[] = {
    NAME(gltf_asset),
    { AT("version", TEXT, gltf_asset, version) },
    { AT("minVersion", TEXT, gltf_asset, min_version) },
    { AT("generator", TEXT, gltf_asset, generator) },
    { AT("copyright", TEXT, gltf_asset, copyright) },
    LAST,
};
static SCHEMA(asset_schema, gltf_asset, .defaults = &gltf_default_doc.asset);

static const gltf_property gltf_doc_properties[] = {
    NAME(gltf_doc),
    { AT("asset", OBJECT, gltf_doc, asset), .objects = &asset_schema, .flags = GLTF_ALWAYS },
    { AT("extensionsUsed", TEXT_LIST, gltf_doc, extensions_used) },
    { AT("extensionsRequired", TEXT_LIST, gltf_doc, extensions_required) },
    { AT("scene", INDEX, gltf_doc, scene) },
    { AT("scenes", OBJECT_LIST, gltf_doc, scenes), .objects = &scene_schema },
    { AT("nodes", OBJECT_LIST, gltf_doc, nodes), .objects = &node_schema },
    { AT("cameras", OBJECT_LIST, gltf_doc, cameras), .objects = &camera_schema },
    { AT("meshes", OBJECT_LIST, gltf_doc, meshes), .objects = &mesh_schema },
    { AT("skins", OBJECT_LIST, gltf_doc, skins), .objects = &skin_schema },
    { AT("animations", OBJECT_LIST, gltf_doc, animations), .objects = &animation_schema },
    { AT("materials", OBJECT_LIST, gltf_doc, materials), .objects = &gltf_material_schema },
    { AT("textures", OBJECT_LIST, gltf_doc, textures), .objects = &texture_schema },
    { AT("samplers", OBJECT_LIST, gltf_doc, samplers), .objects = &texture_sampler_schema },
    { AT("images", OBJECT_LIST, gltf_doc, images), .objects = &image_schema },
    { AT("accessors", OBJECT_LIST, gltf_doc, accessors), .objects = &accessor_schema },
    { AT("bufferViews", OBJECT_LIST, gltf_doc, views), .objects = &view_schema },
    { AT("buffers", OBJECT_LIST, gltf_doc, buffers), .objects = &buffer_schema },
    LAST,
};
static const gltf_property doc_extensions[] = {
    { AT("KHR_lights_punctual", OBJECT, gltf_doc, lights), .objects = &lights_schema },
    LAST,
};
SCHEMA(gltf_doc_schema, gltf_doc, .defaults = &gltf_default_doc, .extensions = doc_extensions);

// What sinew does with each extension that it knows of.
static const struct {
    const char *name;
    gltf_extension_use use;
} uses[] = {
    { "KHR_mesh_quantization", GLTF_READ },
    { "KHR_texture_transform", GLTF_READ },
    { "KHR_lights_punctual", GLTF_READ },
    { "KHR_materials_unlit", GLTF_READ },
    { "KHR_materials_emissive_strength", GLTF_READ },
    { "KHR_materials_pbrSpecularGlossiness", GLTF_READ },
    { "KHR_node_visibility", GLTF_READ },
    { "KHR_animation_pointer", GLTF_READ },
    { "EXT_mesh_gpu_instancing", GLTF_READ },
    { "EXT_texture_webp", GLTF_READ },  // as a reference; the image stays encoded
    { "KHR_texture_basisu", GLTF_READ },
    { "KHR_materials_anisotropy", GLTF_APPEARANCE },
    { "KHR_materials_clearcoat", GLTF_APPEARANCE },
    { "KHR_materials_diffuse_transmission", GLTF_APPEARANCE },
    { "KHR_materials_dispersion", GLTF_APPEARANCE },
    { "KHR_materials_ior", GLTF_APPEARANCE },
    { "KHR_materials_iridescence", GLTF_APPEARANCE },
    { "KHR_materials_sheen", GLTF_APPEARANCE },
    { "KHR_materials_specular", GLTF_APPEARANCE },
    { "KHR_materials_transmission", GLTF_APPEARANCE },
    { "KHR_materials_volume", GLTF_APPEARANCE },
    { "KHR_materials_volume_scatter", GLTF_APPEARANCE },
    { "KHR_materials_variants", GLTF_KEPT },  // the default material is shown
    { "KHR_xmp_json_ld", GLTF_KEPT },
    { "EXT_lights_image_based", GLTF_KEPT },  // surroundings; viewers bring their own
    { GLTF_EXT_MESHOPT, GLTF_READ },
    { GLTF_KHR_MESHOPT, GLTF_READ },
    { GLTF_DRACO, GLTF_READ },
};

void gltf_set_defaults(void *item, const gltf_schema *schema) { memcpy(item, schema->defaults, schema->size); }

void gltf_set_list(void *at, void *items, uint32_t count)
{
    memcpy(at, &items, sizeof items);
    memcpy((uint8_t *)at + sizeof items, &count, sizeof count);
}

const void *gltf_get_list(const void *at, uint32_t *count)
{
    const void *items;
    memcpy(&items, at, sizeof items);
    memcpy(count, (const uint8_t *)at + sizeof items, sizeof *count);
    return items;
}

gltf_extension_use gltf_find_extension(sni_str name)
{
    for (size_t i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        if (sni_str_is(name, uses[i].name)) return uses[i].use;
    }
    return GLTF_UNKNOWN;
}
