// Images, textures, materials.
#include <string.h>

#include "base/math.h"
#include "base/mime.h"
#include "format/gltf/gltf_build.h"
#include "model/extensions.h"

static bool build_image(sni_load *load, const gltf_doc *doc, const gltf_image *source, sn_image *image)
{
    const char *why = "it has neither uri nor bufferView";
    bool is_found = false;
    sni_bytes bytes;
    *image = (sn_image){ .name = source->object.name, .uri = "", .mime_type = "" };
    if (source->uri && !gltf_is_data_uri(source->uri)) image->uri = source->uri;
    if (source->view >= 0) {
        is_found = gltf_view_bytes(load, doc, source->view, &bytes);
    } else {
        is_found = source->uri && gltf_open_uri(load, source->uri, &bytes, &why);
        if (!is_found && sni_load_ok(load))
            sni_warn(&load->diag, SNI_WARN_IMAGE_MISSING, source->object.offset, "\"%.80s\": %s", image->uri, why);
    }
    if (!is_found) return sni_load_ok(load);
    image->data = sni_load_keep(load, bytes);
    if (!image->data) return false;
    image->size = bytes.size;
    image->mime_type = sni_mime_type(bytes);
    if (source->mime_type && strcmp(source->mime_type, image->mime_type) != 0) {
        sni_warn(&load->diag, SNI_WARN_IMAGE_TYPE, source->object.offset, "declared as \"%.40s\", but it is \"%s\"",
                 source->mime_type, image->mime_type[0] ? image->mime_type : "unknown");
    }
    return true;
}

static uint8_t wrap_of(uint32_t code)
{
    return code == GLTF_CLAMP ? SN_CLAMP : code == GLTF_MIRROR ? SN_MIRROR : SN_REPEAT;
}

static uint8_t filter_of(uint32_t code)
{
    switch (code) {
    case GLTF_NEAREST: return SN_FILTER_NEAREST;
    case GLTF_LINEAR: return SN_FILTER_LINEAR;
    case GLTF_NEAREST_MIP_NEAREST: return SN_FILTER_NEAREST_MIP_NEAREST;
    case GLTF_LINEAR_MIP_NEAREST: return SN_FILTER_LINEAR_MIP_NEAREST;
    case GLTF_NEAREST_MIP_LINEAR: return SN_FILTER_NEAREST_MIP_LINEAR;
    case GLTF_LINEAR_MIP_LINEAR: return SN_FILTER_LINEAR_MIP_LINEAR;
    default: return SN_FILTER_AUTO;
    }
}

static sn_texture build_texture(const gltf_doc *doc, const gltf_texture_info *info)
{
    sn_texture texture = sni_texture_none();
    if (info->texture < 0) return texture;
    const gltf_texture *source = &doc->textures[info->texture];

    // PNG and JPEG are preferred: everybody can decode them.
    texture.image = source->source >= 0        ? source->source
                    : source->webp.source >= 0 ? source->webp.source
                                               : source->basisu.source;
    uint32_t uv_set = info->transform.uv_set >= 0 ? (uint32_t)info->transform.uv_set : info->uv_set;
    texture.uv_set = uv_set < 64 ? (int32_t)uv_set : 0;
    texture.strength = info->strength;

    // glTF's rotation has the other sign: the extension's text and its example turn v towards u, although its shader
    // listing has the signs reversed (KhronosGroup/glTF issue 1563).
    texture.transform = info->transform.value;
    texture.transform.rotation = 0.0f - info->transform.value.rotation;
    if (source->sampler < 0) return texture;
    const gltf_texture_sampler *sampler = &doc->samplers[source->sampler];
    texture.wrap_u = wrap_of(sampler->wrap_s);
    texture.wrap_v = wrap_of(sampler->wrap_t);
    texture.mag_filter = filter_of(sampler->mag_filter);
    texture.min_filter = filter_of(sampler->min_filter);
    return texture;
}

// Extensions that refine a material and that sinew does not draw: kept for saving, as text, with their textures as maps
// of the model. Only what the extensions define is kept, with values that they allow.

typedef struct appearance {
    const gltf_doc *doc;
    sn_texture maps[SNI_PROPERTY_COUNT];
    uint32_t map_count;
} appearance;

static void read_transform(sni_json *json, gltf_uv_transform *out)
{
    sni_str key;
    if (sni_json_peek(json) != SNI_JSON_OBJECT) {
        sni_json_skip(json);
        return;
    }
    for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
        bool is_offset = sni_str_is(key, "offset");
        if (is_offset || sni_str_is(key, "scale")) {
            if (!sni_json_floats(json, is_offset ? &out->value.offset.x : &out->value.scale.x, 2)) sni_json_skip(json);
        } else if (sni_str_is(key, "rotation") && sni_json_peek(json) == SNI_JSON_NUMBER) {
            out->value.rotation = sni_json_float(json);
        } else if (sni_str_is(key, "texCoord")) {
            out->uv_set = sni_json_index(json);
        } else {
            sni_json_skip(json);
        }
    }
}

// A texture becomes a map of the model.
static int32_t read_extension_map(void *user, sni_json *json)
{
    appearance *a = user;
    gltf_texture_info info = gltf_default_material.normal_map;
    int32_t uv_set = 0;
    sni_str key;
    if (sni_json_peek(json) != SNI_JSON_OBJECT) {
        sni_json_skip(json);
        return -1;
    }
    for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
        if (sni_str_is(key, "index")) {
            info.texture = sni_json_index(json);
        } else if (sni_str_is(key, "texCoord")) {
            uv_set = sni_json_index(json);
        } else if (sni_str_is(key, "scale") && sni_json_peek(json) == SNI_JSON_NUMBER) {
            info.strength = sni_json_float(json);
        } else if (sni_str_is(key, "extensions") && sni_json_peek(json) == SNI_JSON_OBJECT) {
            for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
                if (sni_str_is(key, "KHR_texture_transform")) read_transform(json, &info.transform);
                else sni_json_skip(json);
            }
        } else {
            sni_json_skip(json);
        }
    }
    if (info.texture < 0 || (uint32_t)info.texture >= a->doc->texture_count || uv_set < 0) return -1;
    info.uv_set = (uint32_t)uv_set;
    a->maps[a->map_count] = build_texture(a->doc, &info);
    return (int32_t)a->map_count++;
}

static bool build_extensions(sni_load *load, const gltf_doc *doc, const gltf_material *source, sn_material *material)
{
    const char *text = source->object.extensions;
    if (!text) return true;
    appearance a = { .doc = doc };
    sni_extensions extensions;
    sni_json json = sni_json_make(sni_str_make(text, strlen(text)), 0, SNI_JSON_MAX_DEPTH, &load->diag, &load->scratch);
    sni_extensions_read(&extensions, &json, read_extension_map, &a);
    sni_warn_many(&load->diag, SNI_WARN_GLTF_EXTENSION, extensions.dropped, source->object.offset,
                  "properties of material extensions that are unknown, or have values that are not allowed");
    if (!extensions.present) return sni_load_ok(load);
    sni_writer out;
    sni_writer_init(&out, load->heap);
    sni_json_writer writer = sni_json_writer_make(&out, false);
    sni_extensions_write(&extensions, &writer, NULL, NULL);
    if (!out.failed) material->extensions = sni_copy_text(&load->keep, (const char *)out.data, out.size);
    sni_writer_free(&out);
    sn_texture *maps = sni_new_raw(&load->keep, sn_texture, a.map_count);
    if (maps && a.map_count > 0) memcpy(maps, a.maps, a.map_count * sizeof *maps);
    material->extension_maps = maps;
    material->extension_map_count = maps ? a.map_count : 0;
    return sni_load_ok(load);
}

static void build_layer(sni_load *load, const gltf_doc *doc, const gltf_material *source, sn_layer *layer)
{
    const gltf_gloss *gloss = &source->gloss;
    *layer = sni_layer_default();
    layer->maps[SN_MAP_COLOR] = build_texture(doc, &source->pbr.color_map);
    layer->maps[SN_MAP_METAL_ROUGH] = build_texture(doc, &source->pbr.metal_rough_map);
    layer->maps[SN_MAP_NORMAL] = build_texture(doc, &source->normal_map);
    layer->maps[SN_MAP_OCCLUSION] = build_texture(doc, &source->occlusion_map);
    layer->maps[SN_MAP_EMISSIVE] = build_texture(doc, &source->emissive_map);
    layer->color = source->pbr.color;
    layer->emissive = sni_scale(source->emissive, source->emissive_strength.value);
    layer->metallic = source->pbr.metallic;
    layer->roughness = source->pbr.roughness;
    layer->blend = source->alpha_mode == GLTF_ALPHA_BLEND ? SN_BLEND_ALPHA : SN_BLEND_OPAQUE;
    layer->alpha_cutoff = source->alpha_mode == GLTF_ALPHA_MASK ? source->alpha_cutoff : 0.0f;
    layer->flags = (source->is_two_sided ? SN_LAYER_TWO_SIDED : 0u) | (source->unlit.is_given ? SN_LAYER_UNLIT : 0u);
    if (!gloss->object.is_given) return;

    // Specular and glossiness replace metal and roughness, which are then a fallback.
    layer->color = gloss->diffuse;
    layer->metallic = 0.0f;
    layer->roughness = 1.0f - gloss->glossiness;
    layer->maps[SN_MAP_COLOR] = build_texture(doc, &gloss->diffuse_map);
    layer->maps[SN_MAP_METAL_ROUGH] = sni_texture_none();
    if (gloss->specular_map.texture >= 0)
        sni_warn(&load->diag, SNI_WARN_LOST_CONTENT, source->object.offset,
                 "its specular-glossiness texture is not supported");
}

bool gltf_build_materials(sni_load *load, const gltf_doc *doc, sni_builder *b)
{
    sn_image *images = sni_builder_images(b, doc->image_count);
    if (!images) return false;
    for (uint32_t i = 0; i < doc->image_count; i++) {
        sni_enter(&load->diag, "images", i);
        bool is_good = build_image(load, doc, &doc->images[i], &images[i]);
        sni_leave(&load->diag);
        if (!is_good) return false;
    }

    sn_material *materials = sni_builder_materials(b, doc->material_count);
    sn_layer *layers = sni_new(&load->keep, sn_layer, doc->material_count);
    if (!materials || !layers) return false;
    for (uint32_t i = 0; i < doc->material_count; i++) {
        const gltf_material *source = &doc->materials[i];
        sni_enter(&load->diag, "materials", i);
        build_layer(load, doc, source, &layers[i]);
        materials[i] = (sn_material){
            .name = source->object.name, .extras = source->object.extras, .layers = &layers[i], .layer_count = 1
        };
        bool is_good = build_extensions(load, doc, source, &materials[i]);
        sni_leave(&load->diag);
        if (!is_good) return false;
    }
    return true;
}
