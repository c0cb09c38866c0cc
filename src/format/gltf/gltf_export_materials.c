// Materials, textures, samplers, images: only those that something uses.
#include <math.h>
#include <string.h>

#include "base/mime.h"
#include "base/reader.h"
#include "format/gltf/gltf_export.h"
#include "model/extensions.h"

typedef struct material_writer {
    gltf_export *export;
    sni_list materials, textures, samplers, images;
    int32_t *image_of;            // of the document; -2: not yet tried, -1: cannot be written
    sni_extensions **extensions;  // of each material; NULL: it has none
    uint32_t lost;                // of the material that is written: extension_loss as bits
} material_writer;

// Bits of a variant: maps of the layer, properties of extensions, and whether the mesh has tangents, for extensions
// that need them.
#define PROPERTY_BIT(property) ((uint64_t)1 << (SN_MAP_COUNT + (property)))
#define TANGENTS_BIT           ((uint64_t)1 << 63)

// Marker after marker, up to the size of the image.
static bool has_jpeg_header(const uint8_t *data, uint64_t size)
{
    for (uint64_t at = 2; at <= size && size - at >= 9 && data[at] == 0xFF;) {
        uint8_t marker = data[at + 1];
        bool has_size = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
        if (has_size) return sni_load_big_u16(data + at + 5) > 0 && sni_load_big_u16(data + at + 7) > 0;
        at += marker == 0xFF ? 1 : 2 + (uint64_t)sni_load_big_u16(data + at + 2);
    }
    return false;
}

// A size, and chunk after chunk up to the pixels.
static bool has_png_header(const uint8_t *data, uint64_t size)
{
    const uint64_t header = 8 + 25, next = 8;
    if (size < header + next || memcmp(data + 8, "\0\0\0\15IHDR", 8) != 0) return false;
    if ((sni_load_big_u16(data + 16) | sni_load_big_u16(data + 18)) == 0 ||
        (sni_load_big_u16(data + 20) | sni_load_big_u16(data + 22)) == 0)
        return false;
    for (uint64_t at = header; at <= size && size - at >= next;) {
        if (memcmp(data + at + 4, "IDAT", 4) == 0) return true;
        at += 12 + ((uint64_t)sni_load_big_u16(data + at) << 16 | sni_load_big_u16(data + at + 2));
    }
    return false;
}

static bool has_webp_header(const uint8_t *data, uint64_t size)
{
    return size >= 30 && (memcmp(data + 12, "VP8 ", 4) == 0 || memcmp(data + 12, "VP8L", 4) == 0 ||
                          memcmp(data + 12, "VP8X", 4) == 0);
}

// A width, and a place for each level within the file.
static bool has_ktx2_header(const uint8_t *data, uint64_t size)
{
    const uint64_t header = 80, level = 24;
    if (size < header + level || sni_load_u32(data + 20) == 0) return false;
    uint64_t at = sni_load_u32(data + header), end = sni_load_u32(data + header + 8);
    return at <= size && end <= size - at;
}

// The images that glTF holds: as they are, or by an extension of textures.
static const struct image_kind {
    const char *mime_type, *extension;
    bool (*has_header)(const uint8_t *data, uint64_t size);
} image_kinds[] = {
    { SNI_MIME_PNG, NULL, has_png_header },
    { SNI_MIME_JPEG, NULL, has_jpeg_header },
    { SNI_MIME_WEBP, "EXT_texture_webp", has_webp_header },
    { SNI_MIME_KTX2, "KHR_texture_basisu", has_ktx2_header },
};

static const struct image_kind *find_image_kind(const char *mime_type)
{
    for (size_t i = 0; i < sizeof image_kinds / sizeof image_kinds[0]; i++) {
        if (strcmp(mime_type, image_kinds[i].mime_type) == 0) return &image_kinds[i];
    }
    return NULL;
}

static int32_t export_image(material_writer *writer, int32_t index)
{
    gltf_export *export = writer->export;
    const sn_image *image = &export->model->images[index];
    const char *name = image->name[0] ? image->name : image->uri;
    sni_diag *diag = &export->save->diag;
    if (writer->image_of[index] != -2) return writer->image_of[index];
    writer->image_of[index] = -1;
    const struct image_kind *kind = find_image_kind(image->mime_type);
    if (image->data && !kind) return -1;  // reported by the fit
    if (!image->data || !kind->has_header(image->data, image->size)) {
        sni_enter(diag, "images", index);
        if (!image->data) sni_warn(diag, SNI_WARN_IMAGE_MISSING, 0, "\"%.80s\" was not found", name);
        else
            sni_warn(diag, SNI_WARN_LOST_CONTENT, 0, "image \"%.80s\" is damaged or truncated before its pixels", name);
        sni_leave(diag);
        return -1;
    }
    gltf_image *out = sni_push(&export->save->scratch, &writer->images, gltf_image);
    if (!out) return -1;
    *out = (gltf_image){ .object.name = gltf_name_or_null(image->name), .mime_type = image->mime_type };
    out->view = gltf_pack_image(&export->pack, image->data, (size_t)image->size);
    return writer->image_of[index] = (int32_t)writer->images.count - 1;
}

static int32_t export_sampler(material_writer *writer, const sn_texture *map)
{
    static const uint32_t wraps[] = { [SN_REPEAT] = GLTF_REPEAT, [SN_CLAMP] = GLTF_CLAMP, [SN_MIRROR] = GLTF_MIRROR };
    static const uint32_t filters[] = { [SN_FILTER_AUTO] = 0,
                                        [SN_FILTER_NEAREST] = GLTF_NEAREST,
                                        [SN_FILTER_LINEAR] = GLTF_LINEAR,
                                        [SN_FILTER_NEAREST_MIP_NEAREST] = GLTF_NEAREST_MIP_NEAREST,
                                        [SN_FILTER_LINEAR_MIP_NEAREST] = GLTF_LINEAR_MIP_NEAREST,
                                        [SN_FILTER_NEAREST_MIP_LINEAR] = GLTF_NEAREST_MIP_LINEAR,
                                        [SN_FILTER_LINEAR_MIP_LINEAR] = GLTF_LINEAR_MIP_LINEAR };
    gltf_texture_sampler sampler = { .wrap_s = wraps[map->wrap_u], .wrap_t = wraps[map->wrap_v] };
    sampler.mag_filter = map->mag_filter <= SN_FILTER_LINEAR ? filters[map->mag_filter] : GLTF_LINEAR;
    sampler.min_filter = filters[map->min_filter];
    if (sampler.wrap_s == GLTF_REPEAT && sampler.wrap_t == GLTF_REPEAT && !sampler.mag_filter && !sampler.min_filter)
        return -1;
    const gltf_texture_sampler *known = writer->samplers.items;
    for (uint32_t i = 0; i < writer->samplers.count; i++) {
        if (known[i].wrap_s == sampler.wrap_s && known[i].wrap_t == sampler.wrap_t &&
            known[i].mag_filter == sampler.mag_filter && known[i].min_filter == sampler.min_filter)
            return (int32_t)i;
    }
    gltf_texture_sampler *out = sni_push(&writer->export->save->scratch, &writer->samplers, gltf_texture_sampler);
    if (!out) return -1;
    *out = sampler;
    return (int32_t)writer->samplers.count - 1;
}

static int32_t export_texture(material_writer *writer, const sn_texture *map)
{
    int32_t source = map->image >= 0 ? export_image(writer, map->image) : -1;
    if (source < 0) return -1;
    const char *extension = find_image_kind(writer->export->model->images[map->image].mime_type)->extension;
    gltf_texture texture = gltf_default_texture;
    texture.sampler = export_sampler(writer, map);
    gltf_texture_source *other = extension && strstr(extension, "webp") ? &texture.webp : &texture.basisu;
    if (!extension) texture.source = source;
    else *other = (gltf_texture_source){ .object.is_given = true, .source = source };
    const gltf_texture *known = writer->textures.items;
    for (uint32_t i = 0; i < writer->textures.count; i++) {
        if (known[i].source == texture.source && known[i].webp.source == texture.webp.source &&
            known[i].basisu.source == texture.basisu.source && known[i].sampler == texture.sampler)
            return (int32_t)i;
    }
    gltf_texture *out = sni_push(&writer->export->save->scratch, &writer->textures, gltf_texture);
    if (!out) return -1;
    *out = texture;
    if (extension) gltf_require_extension(writer->export, extension);
    return (int32_t)writer->textures.count - 1;
}

static float clamp(float value) { return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value; }

static const sn_uv_transform no_transform = { { 0, 0 }, 0, { 1, 1 } };

static void export_maps(material_writer *writer, const sn_layer *layer, uint64_t maps, gltf_material *out)
{
    gltf_texture_info *infos[SN_MAP_COUNT] = { [SN_MAP_COLOR] = &out->pbr.color_map,
                                               [SN_MAP_METAL_ROUGH] = &out->pbr.metal_rough_map,
                                               [SN_MAP_NORMAL] = &out->normal_map,
                                               [SN_MAP_OCCLUSION] = &out->occlusion_map,
                                               [SN_MAP_EMISSIVE] = &out->emissive_map };
    for (int i = 0; i < SN_MAP_COUNT; i++) {
        const sn_texture *map = &layer->maps[i];
        gltf_texture_info *info = infos[i];
        if (maps >> i & 1) info->texture = export_texture(writer, map);
        if (info->texture < 0) continue;
        info->object.is_given = true;
        info->uv_set = (uint32_t)map->uv_set;
        info->strength = i == SN_MAP_OCCLUSION ? clamp(map->strength) : map->strength;
        info->transform.value = map->transform;
        info->transform.value.rotation = 0.0f - map->transform.rotation;  // as in gltf_build_materials.c
        if (memcmp(&map->transform, &no_transform, sizeof no_transform) == 0) continue;
        info->transform.object.is_given = true;
        gltf_use_extension(writer->export, "KHR_texture_transform");
    }
}

// A texture of an extension. `has_strength`: a normal map.
static void put_texture_info(material_writer *writer, sni_json_writer *out, const sn_texture *map, int32_t texture,
                             bool has_strength)
{
    const sn_uv_transform *transform = &map->transform;
    sni_json_begin_object(out);
    sni_json_key(out, "index");
    sni_json_put_integer(out, texture);
    if (map->uv_set != 0) {
        sni_json_key(out, "texCoord");
        sni_json_put_integer(out, map->uv_set);
    }
    if (has_strength && map->strength != 1.0f) {
        sni_json_key(out, "scale");
        sni_json_put_float(out, map->strength);
    }
    if (memcmp(transform, &no_transform, sizeof no_transform) != 0) {
        gltf_use_extension(writer->export, "KHR_texture_transform");
        sni_json_key(out, "extensions");
        sni_json_begin_object(out);
        sni_json_key(out, "KHR_texture_transform");
        sni_json_begin_object(out);
        sni_json_key(out, "offset");
        sni_json_begin_flat_array(out);
        sni_json_put_float(out, transform->offset.x);
        sni_json_put_float(out, transform->offset.y);
        sni_json_end(out);
        sni_json_key(out, "rotation");
        sni_json_put_float(out, 0.0f - transform->rotation);
        sni_json_key(out, "scale");
        sni_json_begin_flat_array(out);
        sni_json_put_float(out, transform->scale.x);
        sni_json_put_float(out, transform->scale.y);
        sni_json_end(out);
        sni_json_end(out);
        sni_json_end(out);
    }
    sni_json_end(out);
}

// What an extension needs besides itself. Without it the file would be invalid, or the extension has no effect.
typedef enum extension_loss {
    LOST_SHADING,
    LOST_ANISOTROPY,
    LOST_ANISOTROPY_UVS,
    LOST_CLEARCOAT_UVS,
    LOST_VOLUME,
    LOST_DISPERSION,
    LOST_SCATTER,
    LOST_BACK_SIDE,
    LOSS_COUNT
} extension_loss;

static const struct {
    const char *where, *why;
} losses[LOSS_COUNT] = {
    [LOST_SHADING] = { "shading", "the material is unlit" },
    [LOST_ANISOTROPY] = { "KHR_materials_anisotropy", "a mesh has no tangents, and nothing to make them from" },
    [LOST_ANISOTROPY_UVS] = { "KHR_materials_anisotropy", "it and the normal map use different texture coordinates" },
    [LOST_CLEARCOAT_UVS] = { "clearcoatNormalTexture", "it and the normal map use different texture coordinates" },
    [LOST_VOLUME] = { "KHR_materials_volume", "nothing lets light into it" },
    [LOST_DISPERSION] = { "KHR_materials_dispersion", "there is no volume" },
    [LOST_SCATTER] = { "KHR_materials_volume_scatter", "there is no volume" },
    [LOST_BACK_SIDE] = { "doubleSided", "the surface of a volume has one side" },
};

static bool has_extension(const sni_extensions *extensions, sni_extension one)
{
    return extensions->present >> one & 1;
}

static void drop_extension(material_writer *writer, sni_extensions *extensions, sni_extension one, extension_loss loss)
{
    sni_extensions_remove(extensions, one);
    writer->lost |= 1u << loss;
}

// Leaves only what the material that is written and its meshes have everything for. `out` has its maps already.
static void fit_extensions(material_writer *writer, const sn_material *material, uint64_t maps,
                           sni_extensions *extensions, gltf_material *out)
{
    if (out->unlit.is_given) {
        extensions->present = 0;
        memset(extensions->has, 0, sizeof extensions->has);
        writer->lost |= 1u << LOST_SHADING;
        return;
    }
    for (int i = 0; i < SNI_PROPERTY_COUNT; i++) {
        bool is_shown = maps & PROPERTY_BIT(i);
        if (sni_extension_is_map((sni_extension_property)i) && !is_shown) extensions->has[i] = false;
    }
    const int directions[] = { SNI_PROPERTY_anisotropyTexture, SNI_PROPERTY_clearcoatNormalTexture };
    bool differs[2];
    for (int i = 0; i < 2; i++) {
        differs[i] = out->normal_map.texture >= 0 && extensions->has[directions[i]] &&
                     (uint32_t)material->extension_maps[extensions->values[directions[i]].map].uv_set !=
                         out->normal_map.uv_set;
    }
    if (differs[0]) drop_extension(writer, extensions, SNI_ANISOTROPY, LOST_ANISOTROPY_UVS);
    if (differs[1]) {
        extensions->has[SNI_PROPERTY_clearcoatNormalTexture] = false;
        writer->lost |= 1u << LOST_CLEARCOAT_UVS;
    }
    if (has_extension(extensions, SNI_ANISOTROPY) && !(maps & TANGENTS_BIT))
        drop_extension(writer, extensions, SNI_ANISOTROPY, LOST_ANISOTROPY);
    if (has_extension(extensions, SNI_VOLUME) && !has_extension(extensions, SNI_TRANSMISSION) &&
        !has_extension(extensions, SNI_DIFFUSE_TRANSMISSION))
        drop_extension(writer, extensions, SNI_VOLUME, LOST_VOLUME);
    if (!has_extension(extensions, SNI_VOLUME)) {
        if (has_extension(extensions, SNI_DISPERSION))
            drop_extension(writer, extensions, SNI_DISPERSION, LOST_DISPERSION);
        if (has_extension(extensions, SNI_VOLUME_SCATTER))
            drop_extension(writer, extensions, SNI_VOLUME_SCATTER, LOST_SCATTER);
    }
    bool is_thick = extensions->has[SNI_PROPERTY_thicknessFactor] &&
                    extensions->values[SNI_PROPERTY_thicknessFactor].numbers[0] > 0.0f;
    if (is_thick && out->is_two_sided) {
        out->is_two_sided = false;
        writer->lost |= 1u << LOST_BACK_SIDE;
    }
}

typedef struct extension_textures {
    material_writer *writer;
    const sn_material *material;
    int32_t textures[SNI_PROPERTY_COUNT];
} extension_textures;

static void put_extension_texture(void *user, sni_extension_property property, int32_t map, sni_json_writer *out)
{
    const extension_textures *t = user;
    put_texture_info(t->writer, out, &t->material->extension_maps[map], t->textures[property],
                     property == SNI_PROPERTY_clearcoatNormalTexture);
}

// The extensions that loading kept, with the textures of this file.
static const char *export_extensions(material_writer *writer, uint32_t index, uint64_t maps, gltf_material *out)
{
    sni_save *save = writer->export->save;
    extension_textures textures = { .writer = writer, .material = &writer->export->model->materials[index] };
    if (!writer->extensions[index] || !writer->extensions[index]->present) return NULL;
    sni_extensions extensions = *writer->extensions[index];
    fit_extensions(writer, textures.material, maps, &extensions, out);
    for (int i = 0; i < SNI_PROPERTY_COUNT; i++) {
        if (!extensions.has[i] || !sni_extension_is_map((sni_extension_property)i)) continue;
        textures.textures[i] = export_texture(writer, &textures.material->extension_maps[extensions.values[i].map]);
        extensions.has[i] = textures.textures[i] >= 0;
    }
    for (int i = 0; i < SNI_EXTENSION_COUNT; i++)
        if (has_extension(&extensions, (sni_extension)i))
            gltf_use_extension(writer->export, sni_extension_name((sni_extension)i));
    if (!extensions.present) return NULL;
    sni_writer text;
    sni_writer_init(&text, &save->heap);
    sni_json_writer json = sni_json_writer_make(&text, false);
    sni_extensions_write(&extensions, &json, put_extension_texture, &textures);
    const char *copy = text.failed ? NULL : sni_copy_text(&save->scratch, (const char *)text.data, text.size);
    sni_writer_free(&text);
    return copy;
}

static void export_layer(material_writer *writer, const sn_layer *layer, uint64_t maps, gltf_material *out)
{
    const sn_vec4 *color = &layer->color;
    const sn_vec3 *emissive = &layer->emissive;
    float brightest = fmaxf(emissive->x, fmaxf(emissive->y, emissive->z));
    bool is_unlit = layer->flags & SN_LAYER_UNLIT;
    float strength = is_unlit ? 1.0f : fmaxf(1.0f, brightest);
    if (brightest > strength) writer->lost |= 1u << LOST_SHADING;
    export_maps(writer, layer, maps, out);
    out->pbr.color = (sn_vec4){ clamp(color->x), clamp(color->y), clamp(color->z), clamp(color->w) };
    out->pbr.metallic = clamp(layer->metallic);
    out->pbr.roughness = clamp(layer->roughness);
    out->emissive = (sn_vec3){ clamp(emissive->x / strength), clamp(emissive->y / strength),
                               clamp(emissive->z / strength) };
    out->emissive_strength = (gltf_emissive_strength){ .object.is_given = strength > 1.0f, .value = strength };
    if (strength > 1.0f) gltf_use_extension(writer->export, "KHR_materials_emissive_strength");
    out->unlit.is_given = is_unlit;
    if (is_unlit) gltf_use_extension(writer->export, "KHR_materials_unlit");
    out->is_two_sided = layer->flags & SN_LAYER_TWO_SIDED;
    if (layer->blend != SN_BLEND_OPAQUE) {
        out->alpha_mode = GLTF_ALPHA_BLEND;
    } else if (layer->alpha_cutoff > 0.0f) {
        out->alpha_mode = GLTF_ALPHA_MASK;
        out->alpha_cutoff = layer->alpha_cutoff;
    }
}

static const sn_layer *first_layer(const sn_material *material)
{
    static const sn_layer plain = {
        .maps = { { .image = -1 }, { .image = -1 }, { .image = -1 }, { .image = -1 }, { .image = -1 } },
        .color = { 1, 1, 1, 1 },
        .roughness = 1.0f
    };
    return material->layer_count > 0 ? &material->layers[0] : &plain;
}

static const char *const blend_names[] = { "opaque",   "alpha",       "add",    "add alpha",
                                           "modulate", "modulate 2x", "screen", "subtract" };

// A blend that glTF does not have becomes BLEND; its name is kept in extras.blend.
static int32_t export_material(material_writer *writer, uint32_t index, uint64_t maps)
{
    gltf_export *export = writer->export;
    const sn_material *material = &export->model->materials[index];
    const sn_layer *layer = first_layer(material);
    gltf_material *out = sni_push(&export->save->scratch, &writer->materials, gltf_material);
    if (!out) return -1;
    *out = gltf_default_material;
    out->object.name = gltf_name_or_null(material->name);
    out->object.extras = layer->blend <= SN_BLEND_ALPHA
                             ? gltf_export_extras(export, material->extras, GLTF_AROUND_ELEMENT)
                             : gltf_extend_extras(export, material->extras, "blend", &blend_names[layer->blend], 1,
                                                  false);
    export_layer(writer, layer, maps, out);
    out->object.extensions = export_extensions(writer, index, maps, out);
    return (int32_t)writer->materials.count - 1;
}

static void report_losses(const material_writer *writer, uint32_t index)
{
    const gltf_export *export = writer->export;
    const sn_material *material = &export->model->materials[index];
    const sn_layer *first = first_layer(material);
    sni_diag *diag = &export->save->diag;
    sni_enter_named(diag, "materials", index, material->name);
    if (first->blend > SN_BLEND_ALPHA) {
        sni_warn(diag, SNI_WARN_LOST_CONTENT, 0, "blend mode \"%s\" became alpha blending", blend_names[first->blend]);
    }
    if (first->flags & (SN_LAYER_NO_DEPTH_TEST | SN_LAYER_NO_DEPTH_WRITE | SN_LAYER_SPHERE_MAP)) {
        sni_warn(diag, SNI_WARN_LOST_CONTENT, 0, "%s",
                 first->flags & SN_LAYER_SPHERE_MAP ? "sphere mapping was left out"
                                                    : "depth test and depth write cannot be turned off");
    }
    sni_enter(diag, "extensions", -1);
    if (writer->extensions[index])
        sni_warn_many(diag, SNI_WARN_LOST_CONTENT, writer->extensions[index]->dropped, 0,
                      "properties or values that glTF does not allow were left out");
    for (int i = 0; i < LOSS_COUNT; i++) {
        if (!(writer->lost >> i & 1)) continue;
        sni_enter(diag, losses[i].where, -1);
        sni_warn(diag, SNI_WARN_LOST_CONTENT, 0, "left out: %s", losses[i].why);
        sni_leave(diag);
    }
    sni_leave(diag);
    sni_leave(diag);
}

// Variants: a material is written once for each set of maps that its meshes have texture coordinates for. Normal maps
// also need normals and tangents.

static bool has_uvs(const sn_mesh *mesh, const sn_texture *map)
{
    return map->uv_set >= 0 && (uint32_t)map->uv_set < mesh->uv_count && mesh->uvs[map->uv_set];
}

static uint64_t find_usable_maps(const sn_mesh *mesh, const sn_material *material, const sni_extensions *extensions,
                                 uint64_t *missing)
{
    uint64_t maps = 0;
    bool has_tangents = mesh->normals && mesh->tangents;
    for (int i = 0; i < SN_MAP_COUNT; i++) {
        const sn_texture *map = &first_layer(material)->maps[i];
        if (map->image < 0) continue;
        if (has_uvs(mesh, map) && (i != SN_MAP_NORMAL || has_tangents)) maps |= (uint64_t)1 << i;
        else (*missing)++;
    }
    if (!extensions) return maps;
    if (has_tangents && has_extension(extensions, SNI_ANISOTROPY)) maps |= TANGENTS_BIT;
    for (int i = 0; i < SNI_PROPERTY_COUNT; i++) {
        bool is_map = extensions->has[i] && sni_extension_is_map((sni_extension_property)i) &&
                      (uint32_t)extensions->values[i].map < material->extension_map_count;
        const sn_texture *map = is_map ? &material->extension_maps[extensions->values[i].map] : NULL;
        if (!map || map->image < 0) continue;
        bool is_direction = i == SNI_PROPERTY_anisotropyTexture || i == SNI_PROPERTY_clearcoatNormalTexture;
        if (has_uvs(mesh, map) && (!is_direction || has_tangents)) maps |= PROPERTY_BIT(i);
        else (*missing)++;
    }
    return maps;
}

static bool read_extensions(material_writer *writer)
{
    const sn_model *model = writer->export->model;
    sni_arena *arena = &writer->export->save->scratch;
    writer->extensions = sni_new(arena, sni_extensions *, model->material_count);
    for (uint32_t i = 0; writer->extensions && i < model->material_count; i++) {
        if (!model->materials[i].extensions) continue;
        writer->extensions[i] = sni_new(arena, sni_extensions, 1);
        if (!writer->extensions[i]) return false;
        sni_extensions_read_text(writer->extensions[i], model->materials[i].extensions, arena);
    }
    return writer->extensions;
}

static bool find_variants(material_writer *writer)
{
    gltf_export *export = writer->export;
    const sn_model *model = export->model;
    sni_arena *arena = &export->save->scratch;
    uint64_t missing = 0;
    export->variants.first = sni_new_raw(arena, int32_t, model->material_count);
    export->variants.of_part = sni_new_raw(arena, int32_t, model->part_count);
    if (!export->variants.first || !export->variants.of_part) return false;
    for (uint32_t i = 0; i < model->material_count; i++) export->variants.first[i] = -1;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        export->variants.of_part[i] = -1;
        if (part->material < 0 || !gltf_is_drawn(export, part)) continue;
        uint64_t maps = find_usable_maps(&model->meshes[part->mesh], &model->materials[part->material],
                                         writer->extensions[part->material], &missing);
        gltf_variant *variants = export->variants.list.items;
        int32_t *link = &export->variants.first[part->material];
        while (*link >= 0 && variants[*link].maps != maps) link = &variants[*link].next;
        export->variants.of_part[i] = *link >= 0 ? *link : (int32_t) export->variants.list.count;
        if (*link >= 0) continue;
        *link = export->variants.of_part[i];  // before the list moves
        gltf_variant *variant = sni_push(arena, &export->variants.list, gltf_variant);
        if (!variant) return false;
        *variant = (gltf_variant){ .maps = maps, .written = -1, .next = -1 };
    }
    sni_enter(&export->save->diag, "materials", -1);
    sni_warn_many(&export->save->diag, SNI_WARN_LOST_CONTENT, missing, 0,
                  "textures were left out: the mesh lacks texture coordinates, normals or tangents");
    sni_leave(&export->save->diag);
    return true;
}

bool gltf_export_materials(gltf_export *export)
{
    const sn_model *model = export->model;
    gltf_doc *doc = export->doc;
    material_writer writer = { .export = export };
    writer.image_of = sni_new_raw(&export->save->scratch, int32_t, model->image_count);
    if (!writer.image_of || !read_extensions(&writer) || !find_variants(&writer)) return false;
    for (uint32_t i = 0; i < model->image_count; i++) writer.image_of[i] = -2;
    for (uint32_t i = 0; i < model->material_count; i++) {
        gltf_variant *variants = export->variants.list.items;
        writer.lost = 0;
        for (int32_t at = export->variants.first[i]; at >= 0; at = variants[at].next)
            variants[at].written = export_material(&writer, i, variants[at].maps);
        if (export->variants.first[i] >= 0) report_losses(&writer, i);
    }
    doc->materials = writer.materials.items;
    doc->material_count = writer.materials.count;
    doc->textures = writer.textures.items;
    doc->texture_count = writer.textures.count;
    doc->samplers = writer.samplers.items;
    doc->sampler_count = writer.samplers.count;
    doc->images = writer.images.items;
    doc->image_count = writer.images.count;
    return sni_save_ok(export->save);
}
