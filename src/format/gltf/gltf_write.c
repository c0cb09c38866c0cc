// A document to JSON text and to a .glb: defaults and empty things are left out, the order is fixed.
#include "format/gltf/gltf_put.h"

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

static void write_meshopt(put_extensions *extensions, const gltf_view *view)
{
    static const char *const modes[] = { NULL, "ATTRIBUTES", "TRIANGLES", "INDICES" };
    static const char *const filters[] = { NULL, "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR", NULL };
    const gltf_meshopt *packed = &view->meshopt;
    sni_json_writer *json = extensions->json;
    begin_extension(extensions, packed->extension);
    put_index(json, "buffer", packed->buffer);
    put_integer(json, "byteOffset", packed->byte_offset, 0);
    put_integer(json, "byteLength", packed->byte_length, 0);
    put_integer(json, "byteStride", packed->stride, 0);
    put_integer(json, "count", packed->count, 0);
    put_text(json, "mode", modes[packed->mode]);
    put_text(json, "filter", filters[packed->filter]);
    sni_json_end(json);
}

static void write_view(sni_json_writer *json, const gltf_view *view)
{
    begin_object(json, &view->object);
    put_index(json, "buffer", view->buffer);
    put_integer(json, "byteOffset", view->byte_offset, 0);
    put_integer(json, "byteLength", view->byte_length, 0);
    put_integer(json, "byteStride", view->stride, 0);
    put_integer(json, "target", view->target, 0);
    put_extensions extensions = { json, false };
    if (view->meshopt.extension) write_meshopt(&extensions, view);
    end_extended(&extensions, &view->object);
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

static void write_draco(put_extensions *extensions, const gltf_primitive *primitive)
{
    begin_extension(extensions, GLTF_DRACO);
    put_index(extensions->json, "bufferView", primitive->draco.view);
    sni_json_key(extensions->json, "attributes");
    write_attributes(extensions->json, &primitive->draco.attributes);
    sni_json_end(extensions->json);
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
    put_extensions extensions = { json, false };
    if (primitive->draco.is_read) write_draco(&extensions, primitive);
    end_extended(&extensions, &primitive->object);
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

static void write_node_extensions(put_extensions *extensions, const gltf_node *node)
{
    sni_json_writer *json = extensions->json;
    if (node->light >= 0) {
        begin_extension(extensions, "KHR_lights_punctual");
        put_index(json, "light", node->light);
        sni_json_end(json);
    }
    if (node->is_hidden || node->has_visibility) {
        begin_extension(extensions, "KHR_node_visibility");
        sni_json_key(json, "visible");
        sni_json_put_bool(json, !node->is_hidden);
        sni_json_end(json);
    }
    if (node->instances) {
        begin_extension(extensions, "EXT_mesh_gpu_instancing");
        sni_json_key(json, "attributes");
        write_attributes(json, node->instances);
        sni_json_end(json);
    }
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
    put_extensions extensions = { json, false };
    write_node_extensions(&extensions, node);
    end_extended(&extensions, &node->object);
}

static void write_skin(sni_json_writer *json, const gltf_skin *skin)
{
    begin_object(json, &skin->object);
    put_index(json, "inverseBindMatrices", skin->inverse_binds);
    put_index(json, "skeleton", skin->skeleton);
    put_indices(json, "joints", &skin->joints);
    end_object(json, &skin->object);
}

static void write_channel(sni_json_writer *json, const gltf_channel *channel)
{
    static const char *const paths[] = { NULL, "translation", "rotation", "scale", "weights", "pointer" };
    begin_object(json, &channel->object);
    put_index(json, "sampler", channel->sampler);
    sni_json_key(json, "target");
    sni_json_begin_object(json);
    put_index(json, "node", channel->node);
    put_text(json, "path", paths[channel->path]);
    put_extensions extensions = { json, false };
    if (channel->pointer) {
        begin_extension(&extensions, "KHR_animation_pointer");
        put_text(json, "pointer", channel->pointer);
        sni_json_end(json);
    }
    end_extensions(&extensions, channel->target_extensions);
    sni_json_end(json);
    end_object(json, &channel->object);
}

static void write_animation(sni_json_writer *json, const gltf_animation *animation)
{
    static const char *const interpolations[] = { "STEP", NULL, NULL, NULL, "CUBICSPLINE" };
    begin_object(json, &animation->object);
    sni_json_key(json, "channels");
    sni_json_begin_array(json);
    for (uint32_t i = 0; i < animation->channel_count; i++) write_channel(json, &animation->channels[i]);
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

void gltf_write_json(const gltf_doc *doc, sni_writer *out, bool indent)
{
    sni_json_writer writer = sni_json_writer_make(out, indent), *json = &writer;
    sni_json_begin_object(json);
    write_asset(json, &doc->asset);
    put_texts(json, "extensionsUsed", &doc->extensions_used);
    put_texts(json, "extensionsRequired", &doc->extensions_required);
    put_index(json, "scene", doc->scene);
#define GLTF_ARRAY(text, array, total, write)                                  \
    if (doc->total > 0) {                                                      \
        sni_json_key(json, text);                                              \
        sni_json_begin_array(json);                                            \
        for (uint32_t i = 0; i < doc->total; i++) write(json, &doc->array[i]); \
        sni_json_end(json);                                                    \
    }
    GLTF_ARRAY("scenes", scenes, scene_count, write_scene)
    GLTF_ARRAY("nodes", nodes, node_count, write_node)
    GLTF_ARRAY("cameras", cameras, camera_count, gltf_write_camera)
    GLTF_ARRAY("meshes", meshes, mesh_count, write_mesh)
    GLTF_ARRAY("skins", skins, skin_count, write_skin)
    GLTF_ARRAY("animations", animations, animation_count, write_animation)
    GLTF_ARRAY("materials", materials, material_count, gltf_write_material)
    GLTF_ARRAY("textures", textures, texture_count, gltf_write_texture)
    GLTF_ARRAY("samplers", samplers, sampler_count, gltf_write_texture_sampler)
    GLTF_ARRAY("images", images, image_count, gltf_write_image)
    GLTF_ARRAY("accessors", accessors, accessor_count, write_accessor)
    GLTF_ARRAY("bufferViews", views, view_count, write_view)
    GLTF_ARRAY("buffers", buffers, buffer_count, write_buffer)
    put_extensions top = { json, false };
    if (doc->light_count > 0) {
        begin_extension(&top, "KHR_lights_punctual");
        GLTF_ARRAY("lights", lights, light_count, gltf_write_light)
        sni_json_end(json);
    }
#undef GLTF_ARRAY
    end_extensions(&top, doc->extensions);
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
    sni_write_u32(out, 0);  // the whole length, known at the end
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
