// Textures to images, materials to layers as the game draws them, texture animations to tracks of the layers.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mime.h"
#include "format/mdx/mdx_build.h"
#include "model/sanitize.h"

// Images

// A texture may have the number of something the game chooses at run time instead of a path.
typedef struct replaceable {
    uint32_t id;
    const char *name, *path;
} replaceable;

enum { TEAM_COLOR = 1, TEAM_GLOW = 2 };

// clang-format off
static const replaceable warcraft_replaceables[] = {
    { TEAM_COLOR, "team color", NULL },
    { TEAM_GLOW, "team glow", NULL },
    { 11, "cliff", "ReplaceableTextures\\Cliff\\Cliff0.blp" },
    { 21, "cursor", NULL },
    { 31, "Lordaeron tree", "ReplaceableTextures\\LordaeronTree\\LordaeronSummerTree.blp" },
    { 32, "Ashenvale tree", "ReplaceableTextures\\AshenvaleTree\\AshenTree.blp" },
    { 33, "Barrens tree", "ReplaceableTextures\\BarrensTree\\BarrensTree.blp" },
    { 34, "Northrend tree", "ReplaceableTextures\\NorthrendTree\\NorthTree.blp" },
    { 35, "mushroom tree", "ReplaceableTextures\\Mushroom\\MushroomTree.blp" },
    { 36, "Ruins tree", "ReplaceableTextures\\RuinsTree\\RuinsTree.blp" },
    { 37, "Outland mushroom tree", "ReplaceableTextures\\OutlandMushroomTree\\MushroomTree.blp" },
    { 0, NULL, NULL }
};

static const replaceable wow_replaceables[] = {
    { 1, "skin", NULL },            { 2, "object skin", NULL },     { 3, "weapon blade", NULL },
    { 4, "weapon handle", NULL },   { 5, "environment", NULL },     { 6, "hair", NULL },
    { 7, "facial hair", NULL },     { 8, "skin extra", NULL },      { 9, "UI skin", NULL },
    { 10, "tauren mane", NULL },    { 11, "monster skin 1", NULL }, { 12, "monster skin 2", NULL },
    { 13, "monster skin 3", NULL }, { 14, "item icon", NULL },      { 0, NULL, NULL }
};

static const uint32_t team_colors[] = {
    0xFF0303, 0x0042FF, 0x1CE6B9, 0x540081, 0xFFFC00, 0xFE8A0E, 0x20C000, 0xE55BB0,
    0x959697, 0x7EBFF1, 0x106246, 0x4E2A04, 0x9B0000, 0x0000C3, 0x00EAFF, 0xBE00FE,
    0xEBCD87, 0xF8A48B, 0xBFFF80, 0xDCB9EB, 0x282828, 0xEBF0FF, 0x00781E, 0xA46F33
};
// clang-format on

enum { TEAM_COUNT = sizeof team_colors / sizeof *team_colors, GLOW_SIDE = 32, TGA_HEADER = 18 };

// 255 in the centre, 0 at the rim, with a soft falloff.
static uint8_t glow_intensity(int x, int y)
{
    int dx = 2 * x + 1 - GLOW_SIDE, dy = 2 * y + 1 - GLOW_SIDE, rim = GLOW_SIDE * GLOW_SIDE, far = dx * dx + dy * dy;
    if (far >= rim) return 0;
    int near = 255 * (rim - far) / rim;
    return (uint8_t)(near * near / 255);
}

// Makes an uncompressed TGA, top row first, in blue, green, red, alpha. The glow is blended additively, so its colour
// fades as well as its alpha.
static bool make_team_image(mdx_builder *b, bool is_glow, sn_image *image)
{
    uint32_t team = b->load->opts ? b->load->opts->team : 0, side = is_glow ? GLOW_SIDE : 1;
    if (team >= TEAM_COUNT) {
        sni_warn(&b->load->diag, SNI_WARN_VALUE_RANGE, 0, "team %u of %d; team 0 is used", team, (int)TEAM_COUNT);
        team = 0;
    }
    size_t size = TGA_HEADER + 4 * (size_t)side * side;
    uint8_t *data = sni_new(&b->load->keep, uint8_t, size), *out = data;
    if (!data) return false;
    data[2] = 2;
    data[12] = data[14] = (uint8_t)side;
    data[16] = 32;
    data[17] = 0x28;
    out += TGA_HEADER;
    for (uint32_t i = 0; i < side * side; i++, out += 4) {
        uint32_t intensity = is_glow ? glow_intensity((int)(i % side), (int)(i / side)) : 255;
        for (int c = 0; c < 3; c++) out[c] = (uint8_t)((team_colors[team] >> 8 * c & 255) * intensity / 255);
        out[3] = (uint8_t)intensity;
    }
    image->data = data;
    image->size = size;
    image->mime_type = SNI_MIME_TGA;
    return true;
}

// "Units\Human\Footman.blp" is named "Footman".
static const char *image_name(mdx_builder *b, const char *path)
{
    const char *start = path, *end = path + strlen(path);
    for (const char *at = path; *at; at++)
        if (*at == '\\' || *at == '/') start = at + 1;
    const char *dot = strrchr(start, '.');
    return sni_copy_text(&b->load->keep, start, (size_t)((dot && dot > start ? dot : end) - start));
}

// Drops the archive of Reforged paths: "_hd.w3mod:textures\fog.blp".
static sni_str strip_archive(const char *path)
{
    static const char mark[] = ".w3mod:";
    for (const char *at = path; *at; at++)
        if (sni_str_is_nocase(sni_str_make(at, strnlen(at, sizeof mark - 1)), mark)) path = at + sizeof mark - 1;
    return sni_str_make(path, strlen(path));
}

static bool open_image(mdx_builder *b, uint64_t offset, sn_image *image)
{
    sni_bytes bytes = { NULL, 0 };
    const char *why = "it has no path";
    if (!image->uri[0] || !sni_load_find(b->load, strip_archive(image->uri), "blp dds tga png tif", &bytes, &why)) {
        if (!sni_load_ok(b->load)) return false;
        sni_warn(&b->load->diag, SNI_WARN_IMAGE_MISSING, offset, "\"%.80s\": %s", image->uri, why);
        return sni_load_ok(b->load);
    }
    image->data = sni_load_keep(b->load, bytes);
    image->size = image->data ? bytes.size : 0;
    image->mime_type = sni_mime_type(bytes);
    return image->data != NULL;
}

static bool build_image(mdx_builder *b, const mdx_texture *texture, sn_image *image)
{
    uint64_t offset = texture->item.offset;
    *image = (sn_image){ .name = "", .mime_type = "", .uri = mdx_clean_text(b, texture->path, offset) };
    if (texture->replaceable == 0) {
        image->name = image_name(b, image->uri);
        return open_image(b, offset, image);
    }
    const replaceable *found = mdx_is_wow(b->doc) ? wow_replaceables : warcraft_replaceables;
    while (found->name && found->id != texture->replaceable) found++;
    char name[40];
    int size = found->name ? snprintf(name, sizeof name, "%s", found->name)
                           : snprintf(name, sizeof name, "replaceable %u", texture->replaceable);
    image->name = sni_copy_text(&b->load->keep, name, (size_t)size);
    if (mdx_is_wow(b->doc)) return true;
    if (found->id == TEAM_COLOR || found->id == TEAM_GLOW) return make_team_image(b, found->id == TEAM_GLOW, image);
    if (found->path) image->uri = found->path;
    return open_image(b, offset, image);
}

static bool build_images(mdx_builder *b)
{
    const mdx_texture *textures = b->doc->textures.items;
    uint32_t count = b->doc->textures.count;
    sn_image *images = sni_builder_images(&b->core, count);
    if (!images) return false;
    for (uint32_t i = 0; i < count; i++) {
        sni_enter(&b->load->diag, "TEXS", i);
        bool is_built = build_image(b, &textures[i], &images[i]);
        sni_leave(&b->load->diag);
        if (!is_built) return false;
    }
    return true;
}

// Texture animations: the file translates, then rotates about the centre of the texture, then scales about it. A layer
// of the model scales and rotates about the corner, then translates.

typedef struct uv_anim {
    mdx_curve *translation, *rotation, *scale;  // NULL: none
    mdx_curve *centre;                          // the offset that keeps the centre in place, for scale alone
    uint32_t clip;                              // number of the clip that the tracks below belong to
    sn_track offset_track, rotation_track, scale_track;
} uv_anim;

// 0.5 - 0.5 * scale for values and Bezier points; -0.5 * scale for Hermite tangents, which are differences.
static mdx_curve *make_centre_curve(mdx_builder *b, const mdx_curve *scale)
{
    static const float half[] = { 0.5f, 0.5f };
    size_t count = (size_t)scale->key_count * scale->width * mdx_values_per_key(scale);
    mdx_curve *centre = sni_new(&b->load->scratch, mdx_curve, 1);
    float *values = sni_new_raw(&b->load->keep, float, count);
    if (!centre || !values) return NULL;
    *centre = *scale;
    centre->values = values;
    for (size_t i = 0; i < count; i++) values[i] = -0.5f * scale->values[i];
    mdx_curve_add(centre, half);
    return centre;
}

static uv_anim *decode_uv_anims(mdx_builder *b)
{
    const mdx_texture_anim *sources = b->doc->texture_anims.items;
    uv_anim *anims = sni_new(&b->load->scratch, uv_anim, b->doc->texture_anims.count);
    for (uint32_t i = 0; anims && i < b->doc->texture_anims.count; i++) {
        const mdx_tracks *tracks = &sources[i].item.tracks;
        uv_anim *anim = &anims[i];
        sni_enter(&b->load->diag, "TXAN", i);
        anim->translation = mdx_find_curve(b, tracks, MDX_KTAT);
        anim->rotation = mdx_find_curve(b, tracks, MDX_KTAR);
        anim->scale = mdx_find_curve(b, tracks, MDX_KTAS);
        if (anim->translation) mdx_curve_set_width(anim->translation, 2);
        if (anim->scale) mdx_curve_set_width(anim->scale, 2);
        if (anim->scale) anim->centre = make_centre_curve(b, anim->scale);
        sni_leave(&b->load->diag);
    }
    return sni_load_ok(b->load) ? anims : NULL;
}

// The angle of a rotation about Z nearest to the previous one, so that interpolation takes the short way.
static float unwrap_angle(const float rotation[4], float previous)
{
    const double full = 6.283185307179586;
    double angle = 2.0 * atan2(rotation[2], rotation[3]);
    return (float)(angle + full * floor((previous - angle) / full + 0.5));
}

static void resample_uv_anim(mdx_clip_builder *clip, uv_anim *anim, const sn_track tracks[3])
{
    sni_load *load = clip->builder->load;
    mdx_resample resample = { .tracks = tracks, .track_count = 3 };
    if (!mdx_resample_begin(clip, &resample)) return;
    uint32_t count = resample.key_count;
    sn_vec2 *offsets = sni_new_raw(&load->keep, sn_vec2, count);
    sn_vec2 *scales = sni_new_raw(&load->keep, sn_vec2, count);
    float *angles = sni_new_raw(&load->keep, float, count), angle = 0.0f;
    if (!offsets || !scales || !angles) return;
    for (uint32_t i = 0; i < count; i++) {
        float move[2] = { 0, 0 }, rotation[4] = { 0, 0, 0, 1 }, scale[2] = { 1, 1 };
        mdx_resample_at(clip, &tracks[0], resample.times[i], move);
        mdx_resample_at(clip, &tracks[1], resample.times[i], rotation);
        mdx_resample_at(clip, &tracks[2], resample.times[i], scale);
        angle = angles[i] = unwrap_angle(rotation, angle);
        float c = (float)cos(angle), s = (float)sin(angle), x = move[0] - 0.5f, y = move[1] - 0.5f;
        scales[i] = (sn_vec2){ scale[0], scale[1] };
        offsets[i] = (sn_vec2){ scale[0] * (c * x - s * y) + 0.5f, scale[1] * (s * x + c * y) + 0.5f };
    }
    sni_sanitize fixes = { 0 };
    sni_sanitize_floats(&fixes, &offsets->x, 2ull * count);
    sni_sanitize_floats(&fixes, &scales->x, 2ull * count);
    anim->offset_track = mdx_resampled_track(&resample, 2, &offsets->x);
    anim->rotation_track = mdx_resampled_track(&resample, 1, angles);
    anim->scale_track = mdx_resampled_track(&resample, 2, &scales->x);
    sni_warn(&load->diag, SNI_WARN_RESAMPLED, 0,
             "a texture animation rotates, or translates and scales at once; it was resampled");
}

// Translation alone and scale alone use the curves as they are; everything else is resampled.
static void make_uv_tracks(mdx_clip_builder *clip, uv_anim *anim)
{
    static const sn_track none;
    sn_track tracks[] = { mdx_slice_curve(clip, anim->translation), mdx_slice_curve(clip, anim->rotation),
                          mdx_slice_curve(clip, anim->scale) };
    tracks[1].channel = SN_CHANNEL_ROTATION;
    anim->clip = clip->number;
    anim->offset_track = anim->rotation_track = anim->scale_track = none;
    if (tracks[1].key_count > 0 || (tracks[0].key_count > 0 && tracks[2].key_count > 0)) {
        resample_uv_anim(clip, anim, tracks);
        return;
    }
    anim->scale_track = tracks[2];
    anim->offset_track = tracks[2].key_count > 0 ? mdx_slice_curve(clip, anim->centre) : tracks[0];
}

static void add_uv_tracks(mdx_clip_builder *clip, const mdx_binding *binding)
{
    uv_anim *anim = binding->data;
    if (anim->clip != clip->number) make_uv_tracks(clip, anim);
    mdx_push_track(clip, binding, SN_CHANNEL_UV_OFFSET, &anim->offset_track);
    mdx_push_track(clip, binding, SN_CHANNEL_UV_ROTATION, &anim->rotation_track);
    mdx_push_track(clip, binding, SN_CHANNEL_UV_SCALE, &anim->scale_track);
}

// Layers

enum { HD_COLOR, HD_NORMAL, HD_ORM, HD_EMISSIVE, HD_TEAM, HD_ENVIRONMENT, HD_TEXTURES };

static const mdx_texture_slot *find_slot(const mdx_layer *layer, uint32_t number)
{
    for (uint32_t i = 0; i < layer->slot_count; i++) {
        const mdx_texture_slot *slot = &layer->slots[i];
        uint32_t own_number = slot->tracks.count > 0 ? i : slot->slot;  // with a track the number cannot be trusted
        if (own_number == number) return slot;
    }
    return NULL;
}

static void set_map(mdx_builder *b, sn_texture *map, int64_t texture, const mdx_layer *layer)
{
    const mdx_texture *textures = b->doc->textures.items;
    if (texture < 0 || texture >= (int64_t)b->doc->textures.count) {
        if (texture != -1)
            sni_warn(&b->load->diag, SNI_WARN_REFERENCE, layer->item.offset, "texture %lld of %u", (long long)texture,
                     b->doc->textures.count);
        return;
    }
    uint32_t flags = textures[texture].flags;
    map->image = (int32_t)texture;
    map->uv_set = layer->coord > 0 ? layer->coord : 0;
    map->wrap_u = flags & MDX_WRAP_U || layer->flags & MDX_LAYER_WRAP_U ? SN_REPEAT : SN_CLAMP;
    map->wrap_v = flags & MDX_WRAP_V || layer->flags & MDX_LAYER_WRAP_V ? SN_REPEAT : SN_CLAMP;
}

static bool has_image_data(const mdx_builder *b, const sn_texture *map)
{
    const sn_image *images = b->core.images.items;
    return map->image >= 0 && images[map->image].data;
}

// Reforged: occlusion, roughness and metalness are red, green and blue of one image. Without it nothing is metal.
static void set_hd_maps(mdx_builder *b, const int64_t textures[HD_TEXTURES], const mdx_layer *source, sn_layer *layer)
{
    set_map(b, &layer->maps[SN_MAP_COLOR], textures[HD_COLOR], source);
    set_map(b, &layer->maps[SN_MAP_NORMAL], textures[HD_NORMAL], source);
    set_map(b, &layer->maps[SN_MAP_METAL_ROUGH], textures[HD_ORM], source);
    layer->maps[SN_MAP_OCCLUSION] = layer->maps[SN_MAP_METAL_ROUGH];
    set_map(b, &layer->maps[SN_MAP_EMISSIVE], textures[HD_EMISSIVE], source);
    float gain = isfinite(source->emissive_gain) ? source->emissive_gain : 1.0f;
    if (has_image_data(b, &layer->maps[SN_MAP_METAL_ROUGH])) layer->metallic = 1.0f;
    if (has_image_data(b, &layer->maps[SN_MAP_EMISSIVE])) layer->emissive = (sn_vec3){ gain, gain, gain };
}

static sn_layer make_layer(const mdx_layer *source, uint32_t material_flags)
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
    if (source->filter == MDX_FILTER_TRANSPARENT) layer.alpha_cutoff = 0.75f;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (source->flags & flags[i].bits) layer.flags |= flags[i].flag;
    if (material_flags & MDX_TWO_SIDED) layer.flags |= SN_LAYER_TWO_SIDED;
    layer.color.w = isfinite(source->alpha) ? source->alpha : 1.0f;
    return layer;
}

// `image_tracks` has the KMTF: the layer itself, or its first slot.
static void bind_layer(mdx_builder *b, const mdx_layer *source, const mdx_tracks *image_tracks, uv_anim *uv_anims,
                       const sn_layer *layer, int32_t material, int32_t index)
{
    static const float zero = 0.0f, ones[] = { 1, 1, 1 };
    const mdx_tracks *tracks = &source->item.tracks;
    const sn_target target = SN_TARGET_LAYER;
    float rest_image = (float)layer->maps[SN_MAP_COLOR].image;
    mdx_curve *alpha = mdx_find_curve(b, tracks, MDX_KMTA);
    mdx_bind_default(mdx_bind(b, alpha, target, material, index, SN_CHANNEL_ALPHA), ones, &layer->color.w);
    mdx_curve *image = mdx_find_curve(b, image_tracks, MDX_KMTF);
    mdx_bind_default(mdx_bind(b, image, target, material, index, SN_CHANNEL_IMAGE), &zero, &rest_image);
    if (has_image_data(b, &layer->maps[SN_MAP_EMISSIVE])) {
        mdx_curve *gain = mdx_find_curve(b, tracks, MDX_KMTE);
        if (gain && mdx_curve_repeat(b, gain, 3))
            mdx_bind_default(mdx_bind(b, gain, target, material, index, SN_CHANNEL_EMISSIVE), ones, &layer->emissive.x);
    }

    uint32_t anim_count = b->doc->texture_anims.count;
    if (source->texture_anim == -1) return;
    if (source->texture_anim < 0 || (uint32_t)source->texture_anim >= anim_count) {
        sni_warn(&b->load->diag, SNI_WARN_REFERENCE, 0, "texture animation %d of %u", source->texture_anim, anim_count);
        return;
    }
    uv_anim *anim = &uv_anims[source->texture_anim];
    mdx_curve *any = anim->translation ? anim->translation : anim->rotation ? anim->rotation : anim->scale;
    mdx_binding *binding = mdx_bind(b, any, target, material, index, SN_CHANNEL_UV_OFFSET);
    if (binding) binding->add_tracks = add_uv_tracks, binding->data = anim;
}

static void build_layer(mdx_builder *b, const mdx_layer *source, uint32_t material_flags, uv_anim *uv_anims,
                        int32_t material, int32_t index, sn_layer *layer)
{
    const mdx_texture_slot *first = find_slot(source, 0);
    *layer = make_layer(source, material_flags);
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
    bind_layer(b, source, first ? &first->tracks : &source->item.tracks, uv_anims, layer, material, index);
}

// Materials

static bool build_material(mdx_builder *b, const mdx_material *source, uv_anim *uv_anims, int32_t index,
                           sn_material *material)
{
    // Reforged 900 and 1000: the six textures are six layers, and only the first has render settings.
    uint32_t version = b->doc->version, count = source->layer_count;
    bool is_hd = count > 0 && version >= 900 && version < 1100 && sni_str_starts(source->shader, "Shader_HD");
    sn_layer *layers = sni_new(&b->load->keep, sn_layer, is_hd ? 1 : count);
    material->extras = mdx_material_extras(b, source);
    if (!layers) return false;
    if (is_hd) {
        int64_t textures[HD_TEXTURES] = { -1, -1, -1, -1, -1, -1 };
        const mdx_layer *first = &source->layers[0];
        for (uint32_t i = 0; i < HD_TEXTURES && i < count; i++) textures[i] = source->layers[i].texture;
        layers[0] = make_layer(first, source->flags);
        set_hd_maps(b, textures, first, &layers[0]);
        bind_layer(b, first, &first->item.tracks, uv_anims, &layers[0], index, 0);
    }
    for (uint32_t i = 0; !is_hd && i < count && sni_load_ok(b->load); i++) {
        sni_enter(&b->load->diag, "LAYS", i);
        build_layer(b, &source->layers[i], source->flags, uv_anims, index, (int32_t)i, &layers[i]);
        sni_leave(&b->load->diag);
    }
    if (!sni_load_ok(b->load)) return false;
    material->layers = layers;
    material->layer_count = is_hd ? 1 : count;

    // The file has no material names. The image of the top layer describes a material best.
    const sn_image *images = b->core.images.items;
    material->name = "";
    for (uint32_t i = 0; i < material->layer_count; i++) {
        int32_t image = layers[i].maps[SN_MAP_COLOR].image;
        if (image >= 0 && images[image].name[0]) material->name = images[image].name;
    }
    return true;
}

bool mdx_build_materials(mdx_builder *b)
{
    const mdx_material *sources = b->doc->materials.items;
    uint32_t count = b->doc->materials.count;
    if (!build_images(b)) return false;
    uv_anim *uv_anims = decode_uv_anims(b);
    sn_material *materials = sni_builder_materials(&b->core, count);
    if (!uv_anims || !materials) return false;
    for (uint32_t i = 0; i < count; i++) {
        sni_enter(&b->load->diag, "MTLS", i);
        bool is_built = build_material(b, &sources[i], uv_anims, (int32_t)i, &materials[i]);
        sni_leave(&b->load->diag);
        if (!is_built) return false;
    }
    return sni_load_ok(b->load);
}
