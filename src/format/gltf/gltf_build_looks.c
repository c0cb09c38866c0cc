// Images, textures, materials.
#include <string.h>

#include "base/math.h"
#include "base/mime.h"
#include "format/gltf/gltf_build.h"

static bool is_data_uri(const char *uri)
{
    return strlen(uri) >= 5 && sni_str_is_nocase(sni_str_make(uri, 5), "data:");
}

static bool find_image_bytes(sni_load *load, const gltf_doc *doc, const gltf_image *source, sni_bytes *bytes)
{
    const char *why = "it has neither uri nor bufferView";
    if (source->view >= 0) return gltf_view_bytes(load, doc, source->view, bytes);
    if (source->uri && gltf_open_uri(load, source->uri, bytes, &why)) return true;
    if (!sni_load_ok(load)) return false;
    sni_warn(&load->diag, SNI_WARN_IMAGE_MISSING, source->object.offset, "\"%.80s\": %s",
             source->uri && !is_data_uri(source->uri) ? source->uri : "", why);
    return false;
}

static bool build_image(sni_load *load, const gltf_doc *doc, const gltf_image *source, sn_image *image)
{
    sni_bytes bytes;
    *image = (sn_image){ .name = source->object.name, .uri = "", .mime_type = "" };
    if (source->uri && !is_data_uri(source->uri)) image->uri = source->uri;
    if (!find_image_bytes(load, doc, source, &bytes)) return sni_load_ok(load);
    uint8_t *data = sni_new_raw(&load->keep, uint8_t, bytes.size);
    if (!data) return false;
    if (bytes.size > 0) memcpy(data, bytes.data, bytes.size);
    image->data = data;
    image->size = bytes.size;
    image->mime_type = sni_mime_type(bytes);
    if (source->mime_type && strcmp(source->mime_type, image->mime_type) != 0) {
        sni_warn(&load->diag, SNI_WARN_IMAGE_TYPE, source->object.offset, "\"%.40s\" is said, \"%s\" it is",
                 source->mime_type, image->mime_type[0] ? image->mime_type : "unknown");
    }
    return true;
}

static bool build_images(sni_load *load, const gltf_doc *doc, sn_model *model)
{
    sn_image *images = sni_new(&load->keep, sn_image, doc->image_count);
    if (!images) return false;
    for (uint32_t i = 0; i < doc->image_count; i++) {
        sni_enter(&load->diag, "images", i);
        bool is_good = build_image(load, doc, &doc->images[i], &images[i]);
        sni_leave(&load->diag);
        if (!is_good) return false;
    }
    model->images = images;
    model->image_count = doc->image_count;
    return true;
}

static uint8_t wrap_of(uint32_t code) { return code == 33071 ? SN_CLAMP : code == 33648 ? SN_MIRROR : SN_REPEAT; }

static uint8_t filter_of(uint32_t code)
{
    switch (code) {
    case 9728: return SN_FILTER_NEAREST;
    case 9729: return SN_FILTER_LINEAR;
    case 9984: return SN_FILTER_NEAREST_MIP_NEAREST;
    case 9985: return SN_FILTER_LINEAR_MIP_NEAREST;
    case 9986: return SN_FILTER_NEAREST_MIP_LINEAR;
    case 9987: return SN_FILTER_LINEAR_MIP_LINEAR;
    default: return SN_FILTER_AUTO;
    }
}

// The plain picture first: everybody can decode it.
static int32_t image_of(const gltf_texture *texture)
{
    if (texture->source >= 0) return texture->source;
    return texture->webp >= 0 ? texture->webp : texture->basisu;
}

// glTF's rotation goes the other way round: the extension's text and its example turn v towards u, although its
// shader listing has the signs reversed (KhronosGroup/glTF issue 1563).
static sn_uv_transform build_transform(const gltf_uv_transform *source)
{
    sn_uv_transform transform = source->value;
    transform.rotation = 0.0f - source->value.rotation;
    return transform;
}

static sn_texture build_texture(const gltf_doc *doc, const gltf_texture_info *info)
{
    sn_texture texture = sni_texture_none();
    if (info->texture < 0) return texture;
    const gltf_texture *source = &doc->textures[info->texture];
    uint32_t uv_set = info->transform.has_uv_set ? info->transform.uv_set : info->uv_set;
    texture.image = image_of(source);
    texture.uv_set = uv_set < 64 ? (int32_t)uv_set : 0;
    texture.transform = build_transform(&info->transform);
    texture.strength = info->strength;
    if (source->sampler < 0) return texture;
    const gltf_texture_sampler *sampler = &doc->samplers[source->sampler];
    texture.wrap_u = wrap_of(sampler->wrap_s);
    texture.wrap_v = wrap_of(sampler->wrap_t);
    texture.mag_filter = filter_of(sampler->mag_filter);
    texture.min_filter = filter_of(sampler->min_filter);
    return texture;
}

// Specular and glossiness win over metal and roughness, which are then the fallback for those who cannot read them.
static void build_gloss(sni_load *load, const gltf_doc *doc, const gltf_material *source, sn_layer *layer)
{
    const gltf_gloss *gloss = source->gloss;
    layer->color = gloss->diffuse;
    layer->metallic = 0.0f;
    layer->roughness = 1.0f - gloss->glossiness;
    layer->maps[SN_MAP_COLOR] = build_texture(doc, &gloss->diffuse_map);
    layer->maps[SN_MAP_METAL_ROUGH] = sni_texture_none();
    if (gloss->specular_map.texture >= 0)
        sni_warn(&load->diag, SNI_WARN_LOST_CONTENT, source->object.offset,
                 "its specular and glossiness texture is left out");
}

static void build_layer(sni_load *load, const gltf_doc *doc, const gltf_material *source, sn_layer *layer)
{
    *layer = sni_layer_default();
    for (int i = 0; i < SN_MAP_COUNT; i++) layer->maps[i] = build_texture(doc, &source->maps[i]);
    layer->color = source->color;
    layer->emissive = sni_scale(source->emissive, source->emissive_strength);
    layer->metallic = source->metallic;
    layer->roughness = source->roughness;
    layer->blend = source->blend;
    layer->alpha_cutoff = source->is_masked ? source->alpha_cutoff : 0.0f;
    layer->flags = (source->is_two_sided ? SN_LAYER_TWO_SIDED : 0u) | (source->is_unlit ? SN_LAYER_UNLIT : 0u);
    if (source->gloss) build_gloss(load, doc, source, layer);
}

bool gltf_build_looks(sni_load *load, const gltf_doc *doc, sn_model *model)
{
    if (!build_images(load, doc, model)) return false;
    sn_material *materials = sni_new(&load->keep, sn_material, doc->material_count);
    sn_layer *layers = sni_new(&load->keep, sn_layer, doc->material_count);
    if (!materials || !layers) return false;
    for (uint32_t i = 0; i < doc->material_count; i++) {
        const gltf_material *source = &doc->materials[i];
        sni_enter(&load->diag, "materials", i);
        build_layer(load, doc, source, &layers[i]);
        sni_leave(&load->diag);
        materials[i] = (sn_material){ source->object.name, source->object.extras, &layers[i], 1 };
    }
    model->materials = materials;
    model->material_count = doc->material_count;
    return true;
}
