// A document to JSON text and to a .glb: defaults and empty things are left out, the order is fixed.
#include <string.h>

#include "format/gltf/gltf_doc.h"

static void put_index(sni_json_writer *json, const char *key, int32_t index)
{
    if (index < 0) return;
    sni_json_key(json, key);
    sni_json_put_integer(json, index);
}

static void put_integer(sni_json_writer *json, const char *key, uint64_t value, uint64_t usual)
{
    if (value == usual) return;
    sni_json_key(json, key);
    sni_json_put_integer(json, (int64_t)value);
}

static void put_float(sni_json_writer *json, const char *key, float value, float usual)
{
    if (value == usual) return;
    sni_json_key(json, key);
    sni_json_put_float(json, value);
}

static void put_flag(sni_json_writer *json, const char *key, bool value)
{
    if (!value) return;
    sni_json_key(json, key);
    sni_json_put_bool(json, true);
}

static void put_text(sni_json_writer *json, const char *key, const char *text)
{
    if (!text) return;
    sni_json_key(json, key);
    sni_json_put_text(json, text);
}

static void put_floats(sni_json_writer *json, const char *key, const float *values, uint32_t count)
{
    if (count == 0) return;
    sni_json_key(json, key);
    sni_json_begin_flat_array(json);
    for (uint32_t i = 0; i < count; i++) sni_json_put_float(json, values[i]);
    sni_json_end(json);
}

// A vector that is left out where it says the usual.
static void put_vector(sni_json_writer *json, const char *key, const float *values, const float *usual, uint32_t count)
{
    if (memcmp(values, usual, count * sizeof *values) != 0) put_floats(json, key, values, count);
}

static void put_indices(sni_json_writer *json, const char *key, const gltf_indices *list)
{
    if (list->count == 0) return;
    sni_json_key(json, key);
    sni_json_begin_flat_array(json);
    for (uint32_t i = 0; i < list->count; i++) sni_json_put_integer(json, list->items[i]);
    sni_json_end(json);
}

static void put_texts(sni_json_writer *json, const char *key, const gltf_texts *list)
{
    if (list->count == 0) return;
    sni_json_key(json, key);
    sni_json_begin_flat_array(json);
    for (uint32_t i = 0; i < list->count; i++) sni_json_put_text(json, list->items[i]);
    sni_json_end(json);
}

static void begin_object(sni_json_writer *json, const gltf_object *object)
{
    sni_json_begin_object(json);
    put_text(json, "name", object->name);
}

static void end_without_extensions(sni_json_writer *json, const gltf_object *object)
{
    if (object->extras) {
        sni_json_key(json, "extras");
        sni_json_put_raw(json, object->extras);
    }
    sni_json_end(json);
}

static void end_object(sni_json_writer *json, const gltf_object *object)
{
    if (object->extensions) {
        sni_json_key(json, "extensions");
        sni_json_put_raw(json, object->extensions);
    }
    end_without_extensions(json, object);
}

// Around the members of an extension that was read; those that were kept as text follow it.
static void begin_extension(sni_json_writer *json, const char *name)
{
    sni_json_key(json, "extensions");
    sni_json_begin_object(json);
    sni_json_key(json, name);
    sni_json_begin_object(json);
}

static void end_extended_object(sni_json_writer *json, const gltf_object *object)
{
    size_t size = object->extensions ? strlen(object->extensions) : 0;
    sni_json_end(json);
    if (size > 2) {
        sni_json_put_raw(json, "");                                    // the comma
        sni_write_bytes(json->out, object->extensions + 1, size - 2);   // without its own braces
    }
    sni_json_end(json);
    end_without_extensions(json, object);
}

static void write_asset(sni_json_writer *json, const gltf_asset *asset)
{
    sni_json_key(json, "asset");
    begin_object(json, &asset->object);
    put_text(json, "version", asset->version);
    put_text(json, "minVersion", asset->min_version);
    put_text(json, "generator", asset->generator);
    put_text(json, "copyright", asset->copyright);
    end_object(json, &asset->object);
}

static void write_buffer(sni_json_writer *json, const gltf_buffer *buffer)
{
    begin_object(json, &buffer->object);
    put_text(json, "uri", buffer->uri);
    put_integer(json, "byteLength", buffer->byte_length, 0);
    end_object(json, &buffer->object);
}

static void write_meshopt(sni_json_writer *json, const gltf_view *view)
{
    static const char *const modes[] = { NULL, "ATTRIBUTES", "TRIANGLES", "INDICES" };
    static const char *const filters[] = { NULL, "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR", NULL };
    const gltf_meshopt *packed = &view->meshopt;
    begin_extension(json, packed->extension);
    put_index(json, "buffer", packed->buffer);
    put_integer(json, "byteOffset", packed->byte_offset, 0);
    put_integer(json, "byteLength", packed->byte_length, 0);
    put_integer(json, "byteStride", packed->stride, 0);
    put_integer(json, "count", packed->count, 0);
    put_text(json, "mode", modes[packed->mode]);
    put_text(json, "filter", filters[packed->filter]);
    end_extended_object(json, &view->object);
}

static void write_view(sni_json_writer *json, const gltf_view *view)
{
    begin_object(json, &view->object);
    put_index(json, "buffer", view->buffer);
    put_integer(json, "byteOffset", view->byte_offset, 0);
    put_integer(json, "byteLength", view->byte_length, 0);
    put_integer(json, "byteStride", view->stride, 0);
    put_integer(json, "target", view->target, 0);
    if (view->meshopt.extension) write_meshopt(json, view);
    else end_object(json, &view->object);
}

static void write_sparse(sni_json_writer *json, const gltf_sparse *sparse)
{
    sni_json_key(json, "sparse");
    sni_json_begin_object(json);
    put_integer(json, "count", sparse->count, 0);
    sni_json_key(json, "indices");
    sni_json_begin_object(json);
    put_index(json, "bufferView", sparse->index_view);
    put_integer(json, "byteOffset", sparse->index_offset, 0);
    put_integer(json, "componentType", sparse->index_type, 0);
    sni_json_end(json);
    sni_json_key(json, "values");
    sni_json_begin_object(json);
    put_index(json, "bufferView", sparse->value_view);
    put_integer(json, "byteOffset", sparse->value_offset, 0);
    sni_json_end(json);
    sni_json_end(json);
}

static void write_accessor(sni_json_writer *json, const gltf_accessor *accessor)
{
    static const char *const types[] = { NULL, "SCALAR", "VEC2", "VEC3", "VEC4", "MAT2", "MAT3", "MAT4" };
    begin_object(json, &accessor->object);
    put_index(json, "bufferView", accessor->view);
    put_integer(json, "byteOffset", accessor->byte_offset, 0);
    put_integer(json, "componentType", accessor->component_type, 0);
    put_flag(json, "normalized", accessor->is_normalized);
    put_integer(json, "count", accessor->count, 0);
    put_text(json, "type", types[accessor->type]);
    put_floats(json, "min", accessor->min.items, accessor->min.count);
    put_floats(json, "max", accessor->max.items, accessor->max.count);
    if (accessor->sparse.count > 0) write_sparse(json, &accessor->sparse);
    end_object(json, &accessor->object);
}

static void write_attributes(sni_json_writer *json, const gltf_attributes *attributes)
{
    sni_json_begin_object(json);
    for (uint32_t i = 0; i < attributes->count; i++) put_index(json, attributes->items[i].name, attributes->items[i].accessor);
    sni_json_end(json);
}

static void write_draco(sni_json_writer *json, const gltf_primitive *primitive)
{
    begin_extension(json, GLTF_DRACO);
    put_index(json, "bufferView", primitive->draco.view);
    sni_json_key(json, "attributes");
    write_attributes(json, &primitive->draco.attributes);
    end_extended_object(json, &primitive->object);
}

static void write_primitive(sni_json_writer *json, const gltf_primitive *primitive)
{
    begin_object(json, &primitive->object);
    sni_json_key(json, "attributes");
    write_attributes(json, &primitive->attributes);
    put_index(json, "indices", primitive->indices);
    put_index(json, "material", primitive->material);
    put_integer(json, "mode", primitive->mode, GLTF_TRIANGLES);
    if (primitive->target_count > 0) {
        sni_json_key(json, "targets");
        sni_json_begin_array(json);
        for (uint32_t i = 0; i < primitive->target_count; i++) write_attributes(json, &primitive->targets[i]);
        sni_json_end(json);
    }
    if (primitive->draco.is_read) write_draco(json, primitive);
    else end_object(json, &primitive->object);
}

static void write_mesh(sni_json_writer *json, const gltf_mesh *mesh)
{
    begin_object(json, &mesh->object);
    sni_json_key(json, "primitives");
    sni_json_begin_array(json);
    for (uint32_t i = 0; i < mesh->primitive_count; i++) write_primitive(json, &mesh->primitives[i]);
    sni_json_end(json);
    put_floats(json, "weights", mesh->weights.items, mesh->weights.count);
    end_object(json, &mesh->object);
}

static void write_node(sni_json_writer *json, const gltf_node *node)
{
    static const sn_trs usual = { { 0, 0, 0 }, { 0, 0, 0, 1 }, { 1, 1, 1 } };
    begin_object(json, &node->object);
    put_indices(json, "children", &node->children);
    put_index(json, "mesh", node->mesh);
    put_index(json, "skin", node->skin);
    put_index(json, "camera", node->camera);
    if (node->has_matrix) {
        put_floats(json, "matrix", node->matrix, 16);
    } else {
        put_vector(json, "translation", &node->trs.translation.x, &usual.translation.x, 3);
        put_vector(json, "rotation", &node->trs.rotation.x, &usual.rotation.x, 4);
        put_vector(json, "scale", &node->trs.scale.x, &usual.scale.x, 3);
    }
    put_floats(json, "weights", node->weights.items, node->weights.count);
    end_object(json, &node->object);
}

static void write_skin(sni_json_writer *json, const gltf_skin *skin)
{
    begin_object(json, &skin->object);
    put_index(json, "inverseBindMatrices", skin->inverse_binds);
    put_index(json, "skeleton", skin->skeleton);
    put_indices(json, "joints", &skin->joints);
    end_object(json, &skin->object);
}

static void write_animation(sni_json_writer *json, const gltf_animation *animation)
{
    static const char *const paths[] = { NULL, "translation", "rotation", "scale", "weights" };
    static const char *const interpolations[] = { "STEP", NULL, NULL, NULL, "CUBICSPLINE" };
    begin_object(json, &animation->object);
    sni_json_key(json, "channels");
    sni_json_begin_array(json);
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        const gltf_channel *channel = &animation->channels[i];
        begin_object(json, &channel->object);
        put_index(json, "sampler", channel->sampler);
        sni_json_key(json, "target");
        sni_json_begin_object(json);
        put_index(json, "node", channel->node);
        put_text(json, "path", paths[channel->path]);
        sni_json_end(json);
        end_object(json, &channel->object);
    }
    sni_json_end(json);
    sni_json_key(json, "samplers");
    sni_json_begin_array(json);
    for (uint32_t i = 0; i < animation->sampler_count; i++) {
        const gltf_sampler *sampler = &animation->samplers[i];
        begin_object(json, &sampler->object);
        put_index(json, "input", sampler->input);
        put_text(json, "interpolation", interpolations[sampler->interpolation]);
        put_index(json, "output", sampler->output);
        end_object(json, &sampler->object);
    }
    sni_json_end(json);
    end_object(json, &animation->object);
}

static void write_scene(sni_json_writer *json, const gltf_scene *scene)
{
    begin_object(json, &scene->object);
    put_indices(json, "nodes", &scene->nodes);
    end_object(json, &scene->object);
}

static void write_texture_info(sni_json_writer *json, const char *key, const gltf_texture_info *info, const char *strength)
{
    if (info->texture < 0) return;
    sni_json_key(json, key);
    sni_json_begin_object(json);
    put_index(json, "index", info->texture);
    put_integer(json, "texCoord", info->uv_set, 0);
    if (strength) put_float(json, strength, info->strength, 1.0f);
    sni_json_end(json);
}

static void write_material(sni_json_writer *json, const gltf_material *material)
{
    static const float white[4] = { 1, 1, 1, 1 }, black[3] = { 0, 0, 0 };
    begin_object(json, &material->object);
    sni_json_key(json, "pbrMetallicRoughness");
    sni_json_begin_object(json);
    put_vector(json, "baseColorFactor", &material->color.x, white, 4);
    write_texture_info(json, "baseColorTexture", &material->maps[SN_MAP_COLOR], NULL);
    put_float(json, "metallicFactor", material->metallic, 1.0f);
    put_float(json, "roughnessFactor", material->roughness, 1.0f);
    write_texture_info(json, "metallicRoughnessTexture", &material->maps[SN_MAP_METAL_ROUGH], NULL);
    sni_json_end(json);
    write_texture_info(json, "normalTexture", &material->maps[SN_MAP_NORMAL], "scale");
    write_texture_info(json, "occlusionTexture", &material->maps[SN_MAP_OCCLUSION], "strength");
    write_texture_info(json, "emissiveTexture", &material->maps[SN_MAP_EMISSIVE], NULL);
    put_vector(json, "emissiveFactor", &material->emissive.x, black, 3);
    if (material->is_masked || material->blend == SN_BLEND_ALPHA)
        put_text(json, "alphaMode", material->is_masked ? "MASK" : "BLEND");
    if (material->is_masked) put_float(json, "alphaCutoff", material->alpha_cutoff, 0.5f);
    put_flag(json, "doubleSided", material->is_two_sided);
    end_object(json, &material->object);
}

static void write_texture(sni_json_writer *json, const gltf_texture *texture)
{
    begin_object(json, &texture->object);
    put_index(json, "sampler", texture->sampler);
    put_index(json, "source", texture->source);
    end_object(json, &texture->object);
}

static void write_texture_sampler(sni_json_writer *json, const gltf_texture_sampler *sampler)
{
    begin_object(json, &sampler->object);
    put_integer(json, "magFilter", sampler->mag_filter, 0);
    put_integer(json, "minFilter", sampler->min_filter, 0);
    put_integer(json, "wrapS", sampler->wrap_s, 10497);
    put_integer(json, "wrapT", sampler->wrap_t, 10497);
    end_object(json, &sampler->object);
}

static void write_image(sni_json_writer *json, const gltf_image *image)
{
    begin_object(json, &image->object);
    put_text(json, "uri", image->uri);
    put_text(json, "mimeType", image->mime_type);
    put_index(json, "bufferView", image->view);
    end_object(json, &image->object);
}

static void write_camera(sni_json_writer *json, const gltf_camera *camera)
{
    const char *kind = camera->is_perspective ? "perspective" : "orthographic";
    begin_object(json, &camera->object);
    put_text(json, "type", kind);
    sni_json_key(json, kind);
    sni_json_begin_object(json);
    put_float(json, "aspectRatio", camera->aspect, 0.0f);
    put_float(json, "yfov", camera->yfov, 0.0f);
    put_float(json, "xmag", camera->xmag, 0.0f);
    put_float(json, "ymag", camera->ymag, 0.0f);
    put_float(json, "zfar", camera->zfar, 0.0f);
    sni_json_key(json, "znear");
    sni_json_put_float(json, camera->znear);
    sni_json_end(json);
    end_object(json, &camera->object);
}

void gltf_write_json(const gltf_doc *doc, sni_writer *out, bool indent)
{
    sni_json_writer writer = sni_json_writer_make(out, indent), *json = &writer;
    sni_json_begin_object(json);
    write_asset(json, &doc->asset);
    put_texts(json, "extensionsUsed", &doc->extensions_used);
    put_texts(json, "extensionsRequired", &doc->extensions_required);
    put_index(json, "scene", doc->scene);
#define GLTF_ARRAY(text, array, total, write)                                          \
    if (doc->total > 0) {                                                              \
        sni_json_key(json, text);                                                      \
        sni_json_begin_array(json);                                                    \
        for (uint32_t i = 0; i < doc->total; i++) write(json, &doc->array[i]);         \
        sni_json_end(json);                                                            \
    }
    GLTF_ARRAY("scenes", scenes, scene_count, write_scene)
    GLTF_ARRAY("nodes", nodes, node_count, write_node)
    GLTF_ARRAY("cameras", cameras, camera_count, write_camera)
    GLTF_ARRAY("meshes", meshes, mesh_count, write_mesh)
    GLTF_ARRAY("skins", skins, skin_count, write_skin)
    GLTF_ARRAY("animations", animations, animation_count, write_animation)
    GLTF_ARRAY("materials", materials, material_count, write_material)
    GLTF_ARRAY("textures", textures, texture_count, write_texture)
    GLTF_ARRAY("samplers", samplers, sampler_count, write_texture_sampler)
    GLTF_ARRAY("images", images, image_count, write_image)
    GLTF_ARRAY("accessors", accessors, accessor_count, write_accessor)
    GLTF_ARRAY("bufferViews", views, view_count, write_view)
    GLTF_ARRAY("buffers", buffers, buffer_count, write_buffer)
#undef GLTF_ARRAY
    if (doc->extras) {
        sni_json_key(json, "extras");
        sni_json_put_raw(json, doc->extras);
    }
    sni_json_end(json);
}

void gltf_write_glb(const gltf_doc *doc, sni_writer *out)
{
    size_t start = out->size;
    sni_write_u32(out, GLTF_GLB_MAGIC);
    sni_write_u32(out, 2);
    sni_write_u32(out, 0);          // the whole length, known at the end
    sni_write_u32(out, 0);
    sni_write_u32(out, GLTF_CHUNK_JSON);
    size_t json = out->size;
    gltf_write_json(doc, out, false);
    sni_write_align(out, 4, ' ');
    sni_patch_u32(out, json - 8, (uint32_t)(out->size - json));
    if (doc->buffer_count > 0 && !doc->buffers[0].uri) {
        sni_bytes data = doc->buffers[0].data;
        sni_write_u32(out, (uint32_t)((data.size + 3) / 4 * 4));
        sni_write_u32(out, GLTF_CHUNK_BIN);
        sni_write_bytes(out, data.data, data.size);
        sni_write_align(out, 4, 0);
    }
    sni_patch_u32(out, start + 8, (uint32_t)(out->size - start));
}
