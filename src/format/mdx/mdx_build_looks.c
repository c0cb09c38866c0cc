// Materials: layers as the game draws them, one over the other; Reforged's six textures become one layer with maps.
#include <math.h>
#include <string.h>

#include "format/mdx/mdx_build.h"

enum { HD_COLOR, HD_NORMAL, HD_ORM, HD_EMISSIVE, HD_TEAM, HD_ENVIRONMENT, HD_TEXTURES };

static const float ALPHA_TEST = 0.75f;

static bool build_images(mdx_builder *b)
{
    const mdx_texture *textures = b->doc->textures.items;
    uint32_t count = b->doc->textures.count;
    sn_image *images = sni_new(&b->load->keep, sn_image, count);
    b->image_bytes = sni_new(&b->load->scratch, const uint8_t *, count);
    if (!images || !b->image_bytes) return false;
    b->model->images = images;
    b->model->image_count = count;
    for (uint32_t i = 0; i < count; i++) {
        sni_enter(&b->load->diag, "TEXS", i);
        bool is_built = mdx_build_image(b, &textures[i], i, &images[i]);
        sni_leave(&b->load->diag);
        if (!is_built) return false;
    }
    return true;
}

static bool is_hd_material(const mdx_builder *b, const mdx_material *material)
{
    uint32_t version = b->doc->version;
    return version >= 900 && version < 1100 && sni_str_starts(material->shader, "Shader_HD");
}

static const mdx_texture_slot *find_slot(const mdx_layer *layer, uint32_t number)
{
    for (uint32_t i = 0; i < layer->slot_count; i++) {
        const mdx_texture_slot *slot = &layer->slots[i];
        uint32_t place = slot->tracks.count > 0 ? i : slot->slot;  // beside a track the number cannot be trusted
        if (place == number) return slot;
    }
    return NULL;
}

static void set_map(mdx_builder *b, sn_texture *map, int64_t texture, const mdx_layer *layer)
{
    if (texture < 0 || texture >= (int64_t)b->doc->textures.count) {
        if (texture != -1)
            sni_warn(&b->load->diag, SNI_WARN_REFERENCE, layer->item.offset, "texture %lld of %u", (long long)texture,
                     b->doc->textures.count);
        return;
    }
    uint32_t wraps = mdx_items(mdx_texture, b->doc->textures)[texture].flags;
    map->image = (int32_t)texture;
    map->uv_set = layer->coord > 0 ? layer->coord : 0;
    map->wrap_u = wraps & MDX_WRAP_U || layer->flags & MDX_LAYER_WRAP_U ? SN_REPEAT : SN_CLAMP;
    map->wrap_v = wraps & MDX_WRAP_V || layer->flags & MDX_LAYER_WRAP_V ? SN_REPEAT : SN_CLAMP;
}

static sn_layer plain_layer(const mdx_layer *source, uint32_t material_flags)
{
    static const sn_blend blends[] = { SN_BLEND_OPAQUE,    SN_BLEND_OPAQUE,   SN_BLEND_ALPHA,      SN_BLEND_ADD,
                                       SN_BLEND_ADD_ALPHA, SN_BLEND_MODULATE, SN_BLEND_MODULATE_2X };
    static const struct {
        uint32_t bits, flag;
    } flags[] = {
        { MDX_UNSHADED | MDX_UNLIT, SN_LAYER_UNLIT },  { MDX_SPHERE_MAP, SN_LAYER_SPHERE_MAP },
        { MDX_LAYER_TWO_SIDED, SN_LAYER_TWO_SIDED },   { MDX_NO_DEPTH_TEST, SN_LAYER_NO_DEPTH_TEST },
        { MDX_NO_DEPTH_SET, SN_LAYER_NO_DEPTH_WRITE },
    };
    sn_layer layer = sni_layer_default();
    layer.blend = source->filter < MDX_FILTER_COUNT ? blends[source->filter] : SN_BLEND_ALPHA;
    if (source->filter == MDX_FILTER_TRANSPARENT) layer.alpha_cutoff = ALPHA_TEST;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (source->flags & flags[i].bits) layer.flags |= flags[i].flag;
    if (material_flags & MDX_TWO_SIDED) layer.flags |= SN_LAYER_TWO_SIDED;
    layer.color.w = isfinite(source->alpha) ? source->alpha : 1.0f;
    return layer;
}

static float emissive_gain(const mdx_layer *layer)
{
    return isfinite(layer->emissive_gain) ? layer->emissive_gain : 1.0f;
}

static bool has_picture(const mdx_builder *b, const sn_texture *map)
{
    return map->image >= 0 && b->model->images[map->image].data;
}

// Its textures in the order colour, normal, ORM, emissive, team colour, environment. Occlusion, roughness and metal lie
// in red, green and blue of one picture; without that picture nothing is metal.
static void set_hd_maps(mdx_builder *b, const int64_t textures[HD_TEXTURES], const mdx_layer *source, sn_layer *layer)
{
    set_map(b, &layer->maps[SN_MAP_COLOR], textures[HD_COLOR], source);
    set_map(b, &layer->maps[SN_MAP_NORMAL], textures[HD_NORMAL], source);
    set_map(b, &layer->maps[SN_MAP_METAL_ROUGH], textures[HD_ORM], source);
    layer->maps[SN_MAP_OCCLUSION] = layer->maps[SN_MAP_METAL_ROUGH];
    set_map(b, &layer->maps[SN_MAP_EMISSIVE], textures[HD_EMISSIVE], source);
    float gain = emissive_gain(source);
    if (has_picture(b, &layer->maps[SN_MAP_METAL_ROUGH])) layer->metallic = 1.0f;
    if (has_picture(b, &layer->maps[SN_MAP_EMISSIVE])) layer->emissive = (sn_vec3){ gain, gain, gain };
}

static void drive_layer(mdx_builder *b, const mdx_layer *source, const mdx_tracks *images, const sn_layer *layer,
                        int32_t material, int32_t index)
{
    const float one = 1.0f, zero = 0.0f, image = (float)layer->maps[SN_MAP_COLOR].image;
    mdx_curve *alpha = mdx_decode_track(b, mdx_find_owned(&source->item.tracks, MDX_TAG('K', 'M', 'T', 'A')));
    mdx_drive *drive = mdx_add_drive(b, alpha, SN_TARGET_LAYER, material, SN_CHANNEL_ALPHA);
    if (drive) drive->sub = index;
    mdx_drive_fallback(b, drive, &one, &layer->color.w, 1);
    mdx_curve *picture = mdx_decode_track(b, mdx_find_owned(images, MDX_TAG('K', 'M', 'T', 'F')));
    drive = mdx_add_drive(b, picture, SN_TARGET_LAYER, material, SN_CHANNEL_IMAGE);
    if (drive) drive->sub = index;
    mdx_drive_fallback(b, drive, &zero, &image, 1);
    const sn_vec3 full = { 1, 1, 1 };
    if (!has_picture(b, &layer->maps[SN_MAP_EMISSIVE])) return;
    mdx_curve *gain = mdx_decode_track(b, mdx_find_owned(&source->item.tracks, MDX_TAG('K', 'M', 'T', 'E')));
    if (!gain || !mdx_curve_spread(b, gain, 3, 1.0f)) return;
    drive = mdx_add_drive(b, gain, SN_TARGET_LAYER, material, SN_CHANNEL_EMISSIVE);
    if (drive) drive->sub = index;
    mdx_drive_fallback(b, drive, &full.x, &layer->emissive.x, 3);
}

// 900 and 1000: the six textures are six layers, and only the first says how they are drawn.
static bool build_six(mdx_builder *b, const mdx_material *source, int32_t index, sn_material *material)
{
    int64_t textures[HD_TEXTURES] = { -1, -1, -1, -1, -1, -1 };
    sn_layer *layer = sni_new(&b->load->keep, sn_layer, 1);
    if (!layer) return false;
    for (uint32_t i = 0; i < HD_TEXTURES && i < source->layer_count; i++) textures[i] = source->layers[i].texture;
    const mdx_layer *first = &source->layers[0];
    *layer = plain_layer(first, source->flags);
    set_hd_maps(b, textures, first, layer);
    drive_layer(b, first, &first->item.tracks, layer, index, 0);
    material->layers = layer;
    material->layer_count = 1;
    return mdx_drive_uvs(b, first->texture_anim, index, 0);
}

static bool build_layer(mdx_builder *b, const mdx_layer *source, uint32_t flags, int32_t material, int32_t index,
                        sn_layer *layer)
{
    const mdx_texture_slot *first = find_slot(source, 0);
    const mdx_tracks *images = first ? &first->tracks : &source->item.tracks;
    *layer = plain_layer(source, flags);
    if (source->shader_type == 1 && source->slot_count > 0) {
        int64_t textures[HD_TEXTURES];
        for (uint32_t i = 0; i < HD_TEXTURES; i++) {
            const mdx_texture_slot *slot = find_slot(source, i);
            textures[i] = slot ? (int64_t)slot->texture : -1;
        }
        set_hd_maps(b, textures, source, layer);
    } else {
        set_map(b, &layer->maps[SN_MAP_COLOR], first ? (int64_t)first->texture : source->texture, source);
    }
    drive_layer(b, source, images, layer, material, index);
    return mdx_drive_uvs(b, source->texture_anim, material, index);
}

// Materials have no names; that of the last picture, which is seen, says most.
static const char *material_name(const mdx_builder *b, const sn_material *material)
{
    for (uint32_t i = material->layer_count; i-- > 0;) {
        int32_t image = material->layers[i].maps[SN_MAP_COLOR].image;
        if (image >= 0 && b->model->images[image].name[0]) return b->model->images[image].name;
    }
    return "";
}

static bool build_material(mdx_builder *b, const mdx_material *source, int32_t index, sn_material *material)
{
    material->extras = mdx_material_extras(b, source);
    if (source->layer_count > 0 && is_hd_material(b, source)) return build_six(b, source, index, material);
    sn_layer *layers = sni_new(&b->load->keep, sn_layer, source->layer_count);
    if (!layers) return false;
    for (uint32_t i = 0; i < source->layer_count; i++) {
        sni_enter(&b->load->diag, "LAYS", i);
        bool is_built = build_layer(b, &source->layers[i], source->flags, index, (int32_t)i, &layers[i]);
        sni_leave(&b->load->diag);
        if (!is_built) return false;
    }
    material->layers = layers;
    material->layer_count = source->layer_count;
    return true;
}

bool mdx_build_looks(mdx_builder *b)
{
    const mdx_material *sources = b->doc->materials.items;
    uint32_t count = b->doc->materials.count;
    if (!build_images(b) || !mdx_build_uvs(b)) return false;
    sn_material *materials = sni_new(&b->load->keep, sn_material, count);
    if (!materials) return false;
    for (uint32_t i = 0; i < count; i++) {
        sni_enter(&b->load->diag, "MTLS", i);
        bool is_built = build_material(b, &sources[i], (int32_t)i, &materials[i]);
        sni_leave(&b->load->diag);
        if (!is_built) return false;
        materials[i].name = material_name(b, &materials[i]);
    }
    b->model->materials = materials;
    b->model->material_count = count;
    return sni_load_ok(b->load);
}
