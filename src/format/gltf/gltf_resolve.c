// Every index in the document is checked once, here: what names nothing is warned of and becomes -1.
#include "format/gltf/gltf_doc.h"

static void resolve(sni_load *load, const gltf_object *owner, const char *what, int32_t *index, uint32_t count)
{
    if (*index < 0 || (uint32_t)*index < count) return;
    sni_enter(&load->diag, what, -1);
    sni_warn(&load->diag, SNI_WARN_REFERENCE, owner->offset, "%d of %u", *index, count);
    sni_leave(&load->diag);
    *index = -1;
}

// Lists lose what names nothing, so that their users see good indices only.
static void resolve_list(sni_load *load, const gltf_object *owner, const char *what, gltf_indices *list, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        resolve(load, owner, what, &list->items[i], count);
        if (list->items[i] >= 0) list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

static void resolve_attributes(sni_load *load, const gltf_doc *doc, const gltf_object *owner, gltf_attributes *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        resolve(load, owner, list->items[i].name, &list->items[i].accessor, doc->accessor_count);
}

static void resolve_mesh(sni_load *load, const gltf_doc *doc, gltf_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        gltf_primitive *primitive = &mesh->primitives[i];
        sni_enter(&load->diag, "primitives", i);
        bool had_indices = primitive->indices >= 0;
        resolve(load, &primitive->object, "indices", &primitive->indices, doc->accessor_count);
        primitive->is_broken |= had_indices && primitive->indices < 0;
        resolve(load, &primitive->object, "material", &primitive->material, doc->material_count);
        resolve_attributes(load, doc, &primitive->object, &primitive->attributes);
        resolve(load, &primitive->object, "extensions/bufferView", &primitive->draco.view, doc->view_count);
        for (uint32_t t = 0; t < primitive->target_count; t++) {
            sni_enter(&load->diag, "targets", t);
            resolve_attributes(load, doc, &primitive->object, &primitive->targets[t]);
            sni_leave(&load->diag);
        }
        sni_leave(&load->diag);
    }
}

static void resolve_node(sni_load *load, const gltf_doc *doc, gltf_node *node)
{
    resolve(load, &node->object, "mesh", &node->mesh, doc->mesh_count);
    resolve(load, &node->object, "skin", &node->skin, doc->skin_count);
    resolve(load, &node->object, "camera", &node->camera, doc->camera_count);
    resolve(load, &node->object, "light", &node->light, doc->light_count);
    if (node->instances) resolve_attributes(load, doc, &node->object, node->instances);
    resolve_list(load, &node->object, "children", &node->children, doc->node_count);
}

// A skin's joints are numbered by the vertices: a bad one stays in its place.
static void resolve_skin(sni_load *load, const gltf_doc *doc, gltf_skin *skin)
{
    resolve(load, &skin->object, "inverseBindMatrices", &skin->inverse_binds, doc->accessor_count);
    resolve(load, &skin->object, "skeleton", &skin->skeleton, doc->node_count);
    for (uint32_t i = 0; i < skin->joints.count; i++)
        resolve(load, &skin->object, "joints", &skin->joints.items[i], doc->node_count);
}

static void resolve_animation(sni_load *load, const gltf_doc *doc, gltf_animation *animation)
{
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        gltf_channel *channel = &animation->channels[i];
        sni_enter(&load->diag, "channels", i);
        resolve(load, &channel->object, "sampler", &channel->sampler, animation->sampler_count);
        resolve(load, &channel->object, "node", &channel->node, doc->node_count);
        sni_leave(&load->diag);
    }
    for (uint32_t i = 0; i < animation->sampler_count; i++) {
        gltf_sampler *sampler = &animation->samplers[i];
        sni_enter(&load->diag, "samplers", i);
        resolve(load, &sampler->object, "input", &sampler->input, doc->accessor_count);
        resolve(load, &sampler->object, "output", &sampler->output, doc->accessor_count);
        sni_leave(&load->diag);
    }
}

static void resolve_material(sni_load *load, const gltf_doc *doc, gltf_material *material)
{
    for (int i = 0; i < SN_MAP_COUNT; i++)
        resolve(load, &material->object, "texture", &material->maps[i].texture, doc->texture_count);
    if (!material->gloss) return;
    resolve(load, &material->object, "diffuseTexture", &material->gloss->diffuse_map.texture, doc->texture_count);
    resolve(load, &material->object, "specularGlossinessTexture", &material->gloss->specular_map.texture,
            doc->texture_count);
}

static void resolve_texture(sni_load *load, const gltf_doc *doc, gltf_texture *texture)
{
    resolve(load, &texture->object, "sampler", &texture->sampler, doc->sampler_count);
    resolve(load, &texture->object, "source", &texture->source, doc->image_count);
    resolve(load, &texture->object, "extensions/EXT_texture_webp/source", &texture->webp, doc->image_count);
    resolve(load, &texture->object, "extensions/KHR_texture_basisu/source", &texture->basisu, doc->image_count);
}

static void resolve_accessor(sni_load *load, const gltf_doc *doc, gltf_accessor *accessor)
{
    bool had_view = accessor->view >= 0;
    resolve(load, &accessor->object, "bufferView", &accessor->view, doc->view_count);
    if (had_view && accessor->view < 0) accessor->type = GLTF_NO_TYPE;  // not zeros: unusable
    if (accessor->sparse.count == 0) return;
    resolve(load, &accessor->object, "sparse/indices", &accessor->sparse.index_view, doc->view_count);
    resolve(load, &accessor->object, "sparse/values", &accessor->sparse.value_view, doc->view_count);
}

void gltf_resolve(sni_load *load, gltf_doc *doc)
{
    sni_diag *diag = &load->diag;
    static const gltf_object top;
    resolve(load, &top, "scene", &doc->scene, doc->scene_count);
#define GLTF_EACH(text, array, total, call)     \
    for (uint32_t i = 0; i < doc->total; i++) { \
        sni_enter(diag, text, i);               \
        call(load, doc, &doc->array[i]);        \
        sni_leave(diag);                        \
    }
    GLTF_EACH("accessors", accessors, accessor_count, resolve_accessor)
    GLTF_EACH("meshes", meshes, mesh_count, resolve_mesh)
    GLTF_EACH("nodes", nodes, node_count, resolve_node)
    GLTF_EACH("skins", skins, skin_count, resolve_skin)
    GLTF_EACH("animations", animations, animation_count, resolve_animation)
    GLTF_EACH("materials", materials, material_count, resolve_material)
    GLTF_EACH("textures", textures, texture_count, resolve_texture)
#undef GLTF_EACH
    for (uint32_t i = 0; i < doc->view_count; i++) {
        sni_enter(diag, "bufferViews", i);
        resolve(load, &doc->views[i].object, "buffer", &doc->views[i].buffer, doc->buffer_count);
        resolve(load, &doc->views[i].object, "extensions/buffer", &doc->views[i].meshopt.buffer, doc->buffer_count);
        sni_leave(diag);
    }
    for (uint32_t i = 0; i < doc->image_count; i++) {
        sni_enter(diag, "images", i);
        resolve(load, &doc->images[i].object, "bufferView", &doc->images[i].view, doc->view_count);
        sni_leave(diag);
    }
    for (uint32_t i = 0; i < doc->scene_count; i++) {
        sni_enter(diag, "scenes", i);
        resolve_list(load, &doc->scenes[i].object, "nodes", &doc->scenes[i].nodes, doc->node_count);
        sni_leave(diag);
    }
}
