// Materials, textures, samplers, images: only what something uses.
#include <math.h>
#include <string.h>

#include "format/gltf/gltf_export.h"

typedef struct looks {
    gltf_export *export;
    sni_list materials, textures, samplers, images;
    int32_t *image_of;  // of the document; -2: not tried yet, -1: it cannot be written
} looks;

static uint32_t read_u16(const uint8_t *at) { return (uint32_t)at[0] << 8 | at[1]; }

// Marker after marker, up to the one that tells the picture's size.
static bool has_jpeg_size(const uint8_t *data, uint64_t size)
{
    for (uint64_t at = 2; at <= size && size - at >= 9 && data[at] == 0xFF;) {
        uint8_t marker = data[at + 1];
        bool has_size = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
        if (has_size) return read_u16(data + at + 5) > 0 && read_u16(data + at + 7) > 0;
        at += marker == 0xFF ? 1 : 2 + (uint64_t)read_u16(data + at + 2);
    }
    return false;
}

static bool has_png_size(const uint8_t *data, uint64_t size)
{
    const uint64_t header = 8 + 25, next = 8;
    if (size < header + next || memcmp(data + 8, "\0\0\0\15IHDR", 8) != 0) return false;
    return (read_u16(data + 16) | read_u16(data + 18)) > 0 && (read_u16(data + 20) | read_u16(data + 22)) > 0;
}

static int32_t export_image(looks *l, int32_t index)
{
    const sn_image *image = &l->export->model->images[index];
    sni_diag *diag = &l->export->save->diag;
    if (l->image_of[index] != -2) return l->image_of[index];
    l->image_of[index] = -1;
    const char *name = image->name[0] ? image->name : image->uri;
    if (!image->data) {
        sni_enter(diag, "images", index);
        sni_warn(diag, SNI_WARN_IMAGE_MISSING, 0, "\"%.80s\" is not there", name);
        sni_leave(diag);
        return -1;
    }
    bool is_png = strcmp(image->mime_type, "image/png") == 0;
    if (!is_png && strcmp(image->mime_type, "image/jpeg") != 0) return -1;  // fitting the model has told of it
    if (!(is_png ? has_png_size : has_jpeg_size)(image->data, image->size)) {
        sni_enter(diag, "images", index);
        sni_warn(diag, SNI_WARN_LOST_CONTENT, 0, "image \"%.80s\" breaks off before it tells its size", name);
        sni_leave(diag);
        return -1;
    }
    gltf_image *out = sni_push(&l->export->save->scratch, &l->images, gltf_image);
    if (!out) return -1;
    *out = (gltf_image){ .object.name = gltf_name_or_null(image->name), .mime_type = image->mime_type };
    out->view = gltf_pack_image(&l->export->pack, image->data, (size_t)image->size);
    return l->image_of[index] = (int32_t)l->images.count - 1;
}

static int32_t export_sampler(looks *l, const sn_texture *map)
{
    static const uint32_t wraps[] = { [SN_REPEAT] = 10497, [SN_CLAMP] = 33071, [SN_MIRROR] = 33648 };
    static const uint32_t filters[] = { 0, 9728, 9729, 9984, 9985, 9986, 9987 };
    gltf_texture_sampler wanted = { .wrap_s = wraps[map->wrap_u], .wrap_t = wraps[map->wrap_v] };
    wanted.mag_filter = map->mag_filter <= SN_FILTER_LINEAR ? filters[map->mag_filter] : 9729;
    wanted.min_filter = filters[map->min_filter];
    bool is_usual = map->wrap_u == SN_REPEAT && map->wrap_v == SN_REPEAT && !wanted.mag_filter && !wanted.min_filter;
    const gltf_texture_sampler *known = l->samplers.items;
    if (is_usual) return -1;
    for (uint32_t i = 0; i < l->samplers.count; i++) {
        if (known[i].wrap_s == wanted.wrap_s && known[i].wrap_t == wanted.wrap_t &&
            known[i].mag_filter == wanted.mag_filter && known[i].min_filter == wanted.min_filter)
            return (int32_t)i;
    }
    gltf_texture_sampler *out = sni_push(&l->export->save->scratch, &l->samplers, gltf_texture_sampler);
    if (!out) return -1;
    *out = wanted;
    return (int32_t)l->samplers.count - 1;
}

static int32_t export_texture(looks *l, const sn_texture *map)
{
    int32_t source = map->image >= 0 ? export_image(l, map->image) : -1;
    if (source < 0) return -1;
    int32_t sampler = export_sampler(l, map);
    const gltf_texture *known = l->textures.items;
    for (uint32_t i = 0; i < l->textures.count; i++) {
        if (known[i].source == source && known[i].sampler == sampler) return (int32_t)i;
    }
    gltf_texture *out = sni_push(&l->export->save->scratch, &l->textures, gltf_texture);
    if (!out) return -1;
    *out = (gltf_texture){ .sampler = sampler, .source = source, .webp = -1, .basisu = -1 };
    return (int32_t)l->textures.count - 1;
}

static gltf_uv_transform export_transform(looks *l, const sn_uv_transform *transform)
{
    static const sn_uv_transform none = { { 0, 0 }, 0, { 1, 1 } };
    gltf_uv_transform out = { .value = *transform };
    out.value.rotation = 0.0f - transform->rotation;  // glTF turns the other way
    out.is_given = memcmp(transform, &none, sizeof none) != 0;
    if (out.is_given) gltf_use_extension(l->export, "KHR_texture_transform");
    return out;
}

static float clamp(float value) { return value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value; }

static void export_layer(looks *l, const sn_layer *layer, uint32_t maps, gltf_material *out)
{
    for (int i = 0; i < SN_MAP_COUNT; i++) {
        const sn_texture *map = &layer->maps[i];
        int32_t texture = maps >> i & 1 ? export_texture(l, map) : -1;
        float strength = i == SN_MAP_OCCLUSION ? clamp(map->strength) : map->strength;
        out->maps[i] = (gltf_texture_info){ .texture = texture, .uv_set = (uint32_t)map->uv_set, .strength = strength };
        if (texture >= 0) out->maps[i].transform = export_transform(l, &map->transform);
    }
    out->color = (sn_vec4){ clamp(layer->color.x), clamp(layer->color.y), clamp(layer->color.z),
                            clamp(layer->color.w) };
    float strength = fmaxf(1.0f, fmaxf(layer->emissive.x, fmaxf(layer->emissive.y, layer->emissive.z)));
    out->emissive = (sn_vec3){ clamp(layer->emissive.x / strength), clamp(layer->emissive.y / strength),
                               clamp(layer->emissive.z / strength) };
    out->emissive_strength = strength;
    if (strength > 1.0f) gltf_use_extension(l->export, "KHR_materials_emissive_strength");
    out->is_unlit = layer->flags & SN_LAYER_UNLIT;
    if (out->is_unlit) gltf_use_extension(l->export, "KHR_materials_unlit");
    out->metallic = clamp(layer->metallic);
    out->roughness = clamp(layer->roughness);
    out->is_two_sided = layer->flags & SN_LAYER_TWO_SIDED;
    out->is_masked = layer->blend == SN_BLEND_OPAQUE && layer->alpha_cutoff > 0.0f;
    out->alpha_cutoff = layer->alpha_cutoff;
    out->blend = layer->blend == SN_BLEND_OPAQUE ? SN_BLEND_OPAQUE : SN_BLEND_ALPHA;
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

static int32_t export_material(looks *l, const sn_material *material, uint32_t maps)
{
    gltf_material *out = sni_push(&l->export->save->scratch, &l->materials, gltf_material);
    if (!out) return -1;
    out->object = (gltf_object){ .name = gltf_name_or_null(material->name),
                                 .extras = gltf_material_extras(l->export, material) };
    export_layer(l, first_layer(material), maps, out);
    return (int32_t)l->materials.count - 1;
}

static void tell_losses(const looks *l, uint32_t index)
{
    const sn_material *material = &l->export->model->materials[index];
    const sn_layer *first = first_layer(material);
    sni_diag *diag = &l->export->save->diag;
    uint32_t flags = first->flags & (SN_LAYER_NO_DEPTH_TEST | SN_LAYER_NO_DEPTH_WRITE | SN_LAYER_SPHERE_MAP);
    sni_enter_named(diag, "materials", index, material->name);
    if (first->blend > SN_BLEND_ALPHA) {
        sni_enter(diag, "blend", -1);
        sni_warn(diag, SNI_WARN_LOST_CONTENT, 0, "\"%s\" became blending by alpha", gltf_blend_name(first->blend));
        sni_leave(diag);
    }
    if (flags) {
        sni_enter(diag, "flags", -1);
        sni_warn(diag, SNI_WARN_LOST_CONTENT, 0, "%s",
                 flags & SN_LAYER_SPHERE_MAP ? "it does not mirror its surroundings"
                                             : "the depth of other things counts");
        sni_leave(diag);
    }
    sni_leave(diag);
}

static bool has_set(const sn_mesh *mesh, int32_t set)
{
    return set >= 0 && (uint32_t)set < mesh->uv_count && mesh->uvs[set];
}

// The maps of a material that a mesh has coordinates for, and of a normal map the tangents.
static uint32_t maps_for(const sn_mesh *mesh, const sn_material *material, uint64_t *missing)
{
    uint32_t maps = 0;
    for (int i = 0; i < SN_MAP_COUNT; i++) {
        const sn_texture *map = &first_layer(material)->maps[i];
        if (map->image < 0) continue;
        bool is_usable = has_set(mesh, map->uv_set) && (i != SN_MAP_NORMAL || (mesh->normals && mesh->tangents));
        if (is_usable) maps |= 1u << i;
        else (*missing)++;
    }
    return maps;
}

static bool want_variant(gltf_export *export, int32_t part, int32_t material, uint32_t maps)
{
    gltf_variant *variants = export->variants.items;
    int32_t *link = &export->first_variant[material];
    while (*link >= 0 && variants[*link].maps != maps) link = &variants[*link].next;
    if (*link < 0) {
        int32_t number = *link = (int32_t) export->variants.count;  // before the list moves
        gltf_variant *variant = sni_push(&export->save->scratch, &export->variants, gltf_variant);
        if (!variant) return false;
        *variant = (gltf_variant){ .maps = maps, .written = -1, .next = -1 };
        export->variant_of[part] = number;
        return true;
    }
    export->variant_of[part] = *link;
    return true;
}

// Which materials are used, and with which of their maps.
static bool find_variants(gltf_export *export)
{
    const sn_model *model = export->model;
    uint64_t missing = 0;
    export->first_variant = sni_new_raw(&export->save->scratch, int32_t, model->material_count);
    export->variant_of = sni_new_raw(&export->save->scratch, int32_t, model->part_count);
    if (!export->first_variant || !export->variant_of) return false;
    for (uint32_t i = 0; i < model->material_count; i++) export->first_variant[i] = -1;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        export->variant_of[i] = -1;
        if (part->material < 0 || !gltf_is_shown(export, part)) continue;
        uint32_t maps = maps_for(&model->meshes[part->mesh], &model->materials[part->material], &missing);
        if (!want_variant(export, (int32_t)i, part->material, maps)) return false;
    }
    sni_enter(&export->save->diag, "textures", -1);
    sni_warn_many(&export->save->diag, SNI_WARN_LOST_CONTENT, missing, 0,
                  "textures of meshes without coordinates or normals for them");
    sni_leave(&export->save->diag);
    return true;
}

bool gltf_export_looks(gltf_export *export)
{
    const sn_model *model = export->model;
    looks l = { .export = export };
    l.image_of = sni_new_raw(&export->save->scratch, int32_t, model->image_count);
    if (!l.image_of || !find_variants(export)) return false;
    for (uint32_t i = 0; i < model->image_count; i++) l.image_of[i] = -2;
    for (uint32_t i = 0; i < model->material_count; i++) {
        gltf_variant *variants = export->variants.items;
        for (int32_t at = export->first_variant[i]; at >= 0; at = variants[at].next)
            variants[at].written = export_material(&l, &model->materials[i], variants[at].maps);
        if (export->first_variant[i] >= 0) tell_losses(&l, i);
    }
    gltf_doc *doc = export->doc;
    doc->materials = l.materials.items, doc->material_count = l.materials.count;
    doc->textures = l.textures.items, doc->texture_count = l.textures.count;
    doc->samplers = l.samplers.items, doc->sampler_count = l.samplers.count;
    doc->images = l.images.items, doc->image_count = l.images.count;
    return sni_save_ok(export->save);
}
