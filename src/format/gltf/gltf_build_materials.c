// Images, textures, materials.
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/math.h"
#include "base/mime.h"
#include "format/gltf/gltf_build.h"

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

enum { MOST_MAPS = 24, MOST_EXTENSIONS = 16 };

// A number, `width` numbers, or a texture (width 0). `or_zero`: 0 is allowed too.
typedef struct appearance_row {
    const char *extension, *name;
    uint32_t width;
    float low, high;
    bool or_zero;
} appearance_row;

// clang-format off
static const appearance_row rows[] = {
    { "anisotropy", "anisotropyStrength", 1, 0, 1, false },
    { "anisotropy", "anisotropyRotation", 1, -FLT_MAX, FLT_MAX, false },
    { "anisotropy", "anisotropyTexture", 0, 0, 0, false },
    { "clearcoat", "clearcoatFactor", 1, 0, 1, false },
    { "clearcoat", "clearcoatTexture", 0, 0, 0, false },
    { "clearcoat", "clearcoatRoughnessFactor", 1, 0, 1, false },
    { "clearcoat", "clearcoatRoughnessTexture", 0, 0, 0, false },
    { "clearcoat", "clearcoatNormalTexture", 0, 0, 0, false },
    { "diffuse_transmission", "diffuseTransmissionFactor", 1, 0, 1, false },
    { "diffuse_transmission", "diffuseTransmissionTexture", 0, 0, 0, false },
    { "diffuse_transmission", "diffuseTransmissionColorFactor", 3, 0, 1, false },
    { "diffuse_transmission", "diffuseTransmissionColorTexture", 0, 0, 0, false },
    { "dispersion", "dispersion", 1, 0, FLT_MAX, false },
    { "ior", "ior", 1, 1, FLT_MAX, true },
    { "iridescence", "iridescenceFactor", 1, 0, 1, false },
    { "iridescence", "iridescenceTexture", 0, 0, 0, false },
    { "iridescence", "iridescenceIor", 1, 1, FLT_MAX, false },
    { "iridescence", "iridescenceThicknessMinimum", 1, 0, FLT_MAX, false },
    { "iridescence", "iridescenceThicknessMaximum", 1, 0, FLT_MAX, false },
    { "iridescence", "iridescenceThicknessTexture", 0, 0, 0, false },
    { "sheen", "sheenColorFactor", 3, 0, 1, false },
    { "sheen", "sheenColorTexture", 0, 0, 0, false },
    { "sheen", "sheenRoughnessFactor", 1, 0, 1, false },
    { "sheen", "sheenRoughnessTexture", 0, 0, 0, false },
    { "specular", "specularFactor", 1, 0, 1, false },
    { "specular", "specularTexture", 0, 0, 0, false },
    { "specular", "specularColorFactor", 3, 0, FLT_MAX, false },
    { "specular", "specularColorTexture", 0, 0, 0, false },
    { "transmission", "transmissionFactor", 1, 0, 1, false },
    { "transmission", "transmissionTexture", 0, 0, 0, false },
    { "volume", "thicknessFactor", 1, 0, FLT_MAX, false },
    { "volume", "thicknessTexture", 0, 0, 0, false },
    { "volume", "attenuationDistance", 1, FLT_MIN, FLT_MAX, false },
    { "volume", "attenuationColor", 3, 0, 1, false },
    { "volume_scatter", "multiscatterColor", 3, 0, 1, false },
    { "volume_scatter", "scatterAnisotropy", 1, -0.999999f, 0.999999f, false },
};
// clang-format on

static const appearance_row *find_row(const char *extension, sni_str name)
{
    static const char start[] = "KHR_materials_";
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(extension + sizeof start - 1, rows[i].extension) == 0 && sni_str_is(name, rows[i].name))
            return &rows[i];
    }
    return NULL;
}

typedef struct appearance {
    sni_load *load;
    const gltf_doc *doc;
    sni_json json;
    sni_json_writer out;
    sn_texture maps[MOST_MAPS];
    uint32_t map_count;
    uint32_t dropped;
    uint64_t seen;  // bits of the rows: of a key that comes twice the first counts
} appearance;

static bool put_numbers(appearance *a, const appearance_row *row)
{
    float values[4] = { 0 };
    if (row->width == 1) {
        if (sni_json_peek(&a->json) != SNI_JSON_NUMBER) return false;
        values[0] = sni_json_float(&a->json);
    } else if (!sni_json_floats(&a->json, values, row->width)) {
        return false;
    }
    for (uint32_t i = 0; i < row->width; i++) {
        bool is_allowed = values[i] >= row->low && values[i] <= row->high && isfinite(values[i]);
        if (!is_allowed && !(row->or_zero && values[i] == 0.0f)) {
            a->dropped++;
            return true;
        }
    }
    sni_json_key(&a->out, row->name);
    if (row->width > 1) sni_json_begin_flat_array(&a->out);
    for (uint32_t i = 0; i < row->width; i++) sni_json_put_float(&a->out, values[i]);
    if (row->width > 1) sni_json_end(&a->out);
    return true;
}

static void read_number(appearance *a, int32_t *out)
{
    int64_t number = -1;
    if (sni_json_peek(&a->json) != SNI_JSON_NUMBER) sni_json_skip(&a->json);
    else if (!sni_json_integer(&a->json, &number)) number = -1;
    *out = number >= 0 && number <= INT32_MAX ? (int32_t)number : -1;
}

static void read_transform(appearance *a, gltf_uv_transform *out)
{
    sni_str key;
    if (sni_json_peek(&a->json) != SNI_JSON_OBJECT) {
        sni_json_skip(&a->json);
        return;
    }
    for (sni_json_enter_object(&a->json); sni_json_next_key(&a->json, &key);) {
        bool is_offset = sni_str_is(key, "offset");
        if (is_offset || sni_str_is(key, "scale")) {
            if (!sni_json_floats(&a->json, is_offset ? &out->value.offset.x : &out->value.scale.x, 2))
                sni_json_skip(&a->json);
        } else if (sni_str_is(key, "rotation") && sni_json_peek(&a->json) == SNI_JSON_NUMBER) {
            out->value.rotation = sni_json_float(&a->json);
        } else if (sni_str_is(key, "texCoord")) {
            read_number(a, &out->uv_set);
        } else {
            sni_json_skip(&a->json);
        }
    }
}

// A texture becomes a map of the model; its index is that of the map.
static bool put_texture(appearance *a, const appearance_row *row)
{
    gltf_texture_info info = gltf_default_material.normal_map;
    int32_t uv_set = 0;
    sni_str key;
    if (sni_json_peek(&a->json) != SNI_JSON_OBJECT) return false;
    for (sni_json_enter_object(&a->json); sni_json_next_key(&a->json, &key);) {
        if (sni_str_is(key, "index")) {
            read_number(a, &info.texture);
        } else if (sni_str_is(key, "texCoord")) {
            read_number(a, &uv_set);
        } else if (sni_str_is(key, "scale") && sni_json_peek(&a->json) == SNI_JSON_NUMBER) {
            info.strength = sni_json_float(&a->json);
        } else if (sni_str_is(key, "extensions") && sni_json_peek(&a->json) == SNI_JSON_OBJECT) {
            for (sni_json_enter_object(&a->json); sni_json_next_key(&a->json, &key);) {
                if (sni_str_is(key, "KHR_texture_transform")) read_transform(a, &info.transform);
                else sni_json_skip(&a->json);
            }
        } else {
            sni_json_skip(&a->json);
        }
    }
    bool has_texture = info.texture >= 0 && (uint32_t)info.texture < a->doc->texture_count;
    if (!has_texture || a->map_count == MOST_MAPS || uv_set < 0) {
        a->dropped++;
        return true;
    }
    info.uv_set = (uint32_t)uv_set;
    sni_json_key(&a->out, row->name);
    sni_json_put_integer(&a->out, a->map_count);
    a->maps[a->map_count++] = build_texture(a->doc, &info);
    return true;
}

static void put_extension(appearance *a, const char *name)
{
    sni_str key;
    sni_json_key(&a->out, name);
    sni_json_begin_object(&a->out);
    for (sni_json_enter_object(&a->json); sni_json_next_key(&a->json, &key);) {
        const appearance_row *row = find_row(name, key);
        uint64_t bit = row ? (uint64_t)1 << (row - rows) : 0;
        bool is_put = row && !(a->seen & bit) && (row->width > 0 ? put_numbers(a, row) : put_texture(a, row));
        a->seen |= bit;
        if (is_put) continue;
        a->dropped += !sni_str_is(key, "extras") && !sni_str_is(key, "extensions");
        sni_json_skip(&a->json);
    }
    sni_json_end(&a->out);
}

static bool build_extensions(sni_load *load, const gltf_doc *doc, const gltf_material *source, sn_material *material)
{
    const char *text = source->object.extensions;
    if (!text) return true;
    appearance a = { .load = load, .doc = doc };
    sni_writer out;
    sni_str key;
    const char *names[MOST_EXTENSIONS];
    uint32_t name_count = 0;
    sni_writer_init(&out, load->heap);
    a.json = sni_json_make(sni_str_make(text, strlen(text)), 0, SNI_JSON_MAX_DEPTH, &load->diag, &load->scratch);
    a.out = sni_json_writer_make(&out, false);
    sni_json_begin_object(&a.out);
    for (sni_json_enter_object(&a.json); sni_json_next_key(&a.json, &key);) {
        const char *name = gltf_find_extension(key) == GLTF_APPEARANCE ? sni_text_clean(&load->scratch, key, NULL)
                                                                       : NULL;
        bool is_new = true;
        for (uint32_t i = 0; name && i < name_count; i++) is_new = is_new && strcmp(names[i], name) != 0;
        if (!name || !is_new || name_count == MOST_EXTENSIONS || sni_json_peek(&a.json) != SNI_JSON_OBJECT) {
            sni_json_skip(&a.json);
            continue;
        }
        names[name_count++] = name;
        put_extension(&a, name);
    }
    sni_json_end(&a.out);
    sni_warn_many(&load->diag, SNI_WARN_GLTF_EXTENSION, a.dropped, source->object.offset,
                  "properties of material extensions that are unknown, or have values that are not allowed");
    if (name_count > 0 && !out.failed)
        material->extensions = sni_copy_text(&load->keep, (const char *)out.data, out.size);
    sn_texture *maps = sni_new_raw(&load->keep, sn_texture, a.map_count);
    if (maps && a.map_count > 0) memcpy(maps, a.maps, a.map_count * sizeof *maps);
    material->extension_maps = maps;
    material->extension_map_count = maps ? a.map_count : 0;
    sni_writer_free(&out);
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
