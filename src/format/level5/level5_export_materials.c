// Materials and pictures: one layer becomes a record of the MDT and codes in the name of the node; images become
// pictures of the archive.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/color.h"
#include "base/math.h"
#include "base/mime.h"
#include "format/level5/level5_export.h"
#include "model/track.h"

enum { LARGEST_SIDE = 1024 };  // that the console's registers can say

typedef struct picture_names {
    sni_str names[4];  // by the ways to wrap: repeat or clamp; at == NULL: not used
} picture_names;

struct level5_out_materials {
    level5_image_info *images;     // per image of the model; width 0: not a picture
    picture_names *picture_names;  // per image of the model
    sni_nocase_names names;        // of all pictures
    uint64_t lost_images, lost_wraps, lost_blends, lost_glow, lost_spheres, lost_opacity;
};

static const sn_layer *layer_of(const level5_exporter *x, const sn_part *part)
{
    const sn_material *material = part->material >= 0 ? &x->model->materials[part->material] : NULL;
    return material && material->layer_count > 0 ? material->layers : NULL;
}

static const sn_texture *map_of(const level5_exporter *x, const sn_part *part)
{
    const sn_layer *layer = layer_of(x, part);
    return layer && layer->maps[SN_MAP_COLOR].image >= 0 ? &layer->maps[SN_MAP_COLOR] : NULL;
}

// --- Pictures ---

bool level5_index_images(level5_exporter *x)
{
    const sn_model *model = x->model;
    level5_out_materials *m = x->materials = sni_new(x->arena, level5_out_materials, 1);
    uint64_t pixels_left = UINT64_MAX, large = 0;
    if (!m) return false;
    m->images = sni_new(x->arena, level5_image_info, model->image_count);
    m->picture_names = sni_new(x->arena, picture_names, model->image_count);
    if (!m->images || !m->picture_names) return false;
    for (uint32_t i = 0; i < model->image_count; i++) {
        const sn_image *image = &model->images[i];
        const level5_array data = { image->data, image->size <= UINT32_MAX ? (uint32_t)image->size : 0 };
        m->images[i].uv_scale = (sn_vec2){ 1, 1 };
        if (image->data && strcmp(image->mime_type, SNI_MIME_TIM2) == 0)
            level5_read_picture(data, &pixels_left, &m->images[i]);
        large += m->images[i].width > LARGEST_SIDE || m->images[i].height > LARGEST_SIDE;
    }
    sni_save_lose(x->save, "images", large,
                  "textures have more than 1024 pixels on a side, which the game cannot show");
    return true;
}

static uint8_t wrap_of(level5_exporter *x, uint8_t wrap, uint32_t side)
{
    if (x->game == LEVEL5_DC1 || wrap == SN_CLAMP) return SN_CLAMP;
    if (wrap == SN_MIRROR || (side & (side - 1)) != 0) x->materials->lost_wraps++;
    return SN_REPEAT;
}

// "skin" for "Textures/skin.png"; unlike all others, ignoring case. A '#' would begin a script.
static bool name_picture(level5_exporter *x, const sn_image *image, sni_str *out)
{
    sni_nocase_names *names = &x->materials->names;
    const char *from = image->name[0] ? sni_last_name(image->name) : sni_last_name(image->uri),
               *dot = strchr(from, '.');
    while (*from == '#') from++;
    const char *text = sni_copy_text(x->arena, from,
                                     dot && dot > from && !x->is_native ? (size_t)(dot - from) : strlen(from));
    if (!text) return false;
    sni_str name = level5_export_name(x, text[0] ? text : "picture", LEVEL5_NAME_BYTES - 1);
    for (uint32_t number = names->entries.count + 1; sni_nocase_names_find(names, name) >= 0; number++) {
        char ending[16], *numbered = sni_new(x->arena, char, LEVEL5_NAME_BYTES);
        const int size = snprintf(ending, sizeof ending, "_%u", number);
        sni_str plain = level5_export_name(x, text[0] ? text : "picture", LEVEL5_NAME_BYTES - 1 - (size_t)size);
        if (!numbered) return false;
        if (plain.size > 0) memcpy(numbered, plain.at, plain.size);
        memcpy(numbered + plain.size, ending, (size_t)size);
        name = sni_str_make(numbered, plain.size + (size_t)size);
    }
    *out = name;
    return sni_nocase_names_add(x->arena, names, name, 0);
}

// The picture of a texture: one for each way to wrap it, because the archive says how.
static bool find_picture(level5_exporter *x, const sn_texture *map, sni_str *name)
{
    const sn_image *image = &x->model->images[map->image];
    const level5_image_info *info = &x->materials->images[map->image];
    const uint8_t wrap_u = wrap_of(x, map->wrap_u, info->width), wrap_v = wrap_of(x, map->wrap_v, info->height);
    sni_str *known = &x->materials->picture_names[map->image].names[(wrap_u == SN_CLAMP) * 2 + (wrap_v == SN_CLAMP)];
    *name = *known;
    if (known->at) return true;
    if (!name_picture(x, image, known)) return false;
    *name = *known;
    if (info->width == 0) {
        x->materials->lost_images++;  // the game may have it
        return true;
    }
    level5_picture *picture = sni_push(x->arena, &x->pictures, level5_picture);
    if (!picture) return false;
    *picture = (level5_picture){
        .name = *known, .wrap_u = wrap_u, .wrap_v = wrap_v, .data = { image->data, (uint32_t)image->size }
    };
    return true;
}

// --- Codes ---

// What the game blends and tests. Modes that it lacks were converted to alpha.
static void wanted_blend(const level5_exporter *x, const sn_part *part, sn_layer *wanted)
{
    const sn_layer *layer = layer_of(x, part);
    *wanted = (sn_layer){ .flags = SN_LAYER_TWO_SIDED };
    if (!layer) return;
    const uint32_t kept = SN_LAYER_UNLIT | SN_LAYER_TWO_SIDED | SN_LAYER_NO_DEPTH_TEST | SN_LAYER_NO_DEPTH_WRITE;
    wanted->flags = layer->flags & kept;
    wanted->alpha_cutoff = layer->alpha_cutoff;
    wanted->blend = layer->blend == SN_BLEND_ADD ? SN_BLEND_ADD_ALPHA
                    : layer->blend <= SN_BLEND_ALPHA || layer->blend == SN_BLEND_ADD_ALPHA ||
                            layer->blend == SN_BLEND_SUBTRACT
                        ? layer->blend
                        : SN_BLEND_ALPHA;
}

static level5_alpha alpha_of(const level5_exporter *x, const sn_part *part)
{
    const sn_texture *map = map_of(x, part);
    return map ? x->materials->images[map->image].alpha : LEVEL5_ALPHA_OPAQUE;
}

static bool is_transparent(const level5_exporter *x, const sn_part *part)
{
    const int32_t index = (int32_t)(part - x->model->parts);
    return level5_diffuse(x, part).w < 1.0f || level5_has_track(x, SN_TARGET_PART, index, 0, SN_CHANNEL_ALPHA) ||
           (part->material >= 0 && level5_has_track(x, SN_TARGET_LAYER, part->material, 0, SN_CHANNEL_ALPHA));
}

static bool shows(const level5_exporter *x, const sn_part *part, const level5_codes *codes, const sn_layer *wanted)
{
    const level5_alpha alpha = alpha_of(x, part);
    const bool fades = is_transparent(x, part);
    sn_layer shown = { 0 };
    level5_set_blend(codes, alpha, fades, &shown);
    const bool is_solid = alpha == LEVEL5_ALPHA_OPAQUE && !fades;  // alpha or not looks the same
    const bool is_blended = shown.blend == wanted->blend ||
                            (is_solid && shown.blend <= SN_BLEND_ALPHA && wanted->blend <= SN_BLEND_ALPHA);
    const bool is_cut = fabsf(shown.alpha_cutoff - wanted->alpha_cutoff) < 1.0f / 128.0f || is_solid;
    return level5_layer_flags(codes) == wanted->flags && is_blended && is_cut;
}

bool level5_codes_suffice(const level5_exporter *x, const sn_part *part, sni_str name)
{
    const level5_codes codes = level5_read_codes(name);
    sn_layer wanted;
    wanted_blend(x, part, &wanted);
    return shows(x, part, &codes, &wanted);
}

void level5_material_codes(level5_exporter *x, const sn_part *part, level5_code_text *out)
{
    static const char hex[] = "0123456789ABCDEF";
    sn_layer wanted;
    char *at = out->text;
    wanted_blend(x, part, &wanted);
    if (wanted.flags & SN_LAYER_UNLIT) *at++ = 'c';
    if (wanted.flags & SN_LAYER_NO_DEPTH_WRITE) *at++ = 'z';
    if (wanted.flags & SN_LAYER_NO_DEPTH_TEST) *at++ = 'o';
    if (!(wanted.flags & SN_LAYER_TWO_SIDED)) *at++ = 's';
    if (wanted.blend >= SN_BLEND_ADD) {
        memcpy(at, wanted.blend == SN_BLEND_SUBTRACT ? "aNN" : "aPP", 3);
        at += 3;
    }
    *at = 0;
    level5_codes codes = { .is_unlit = wanted.flags & SN_LAYER_UNLIT,
                           .no_depth_write = wanted.flags & SN_LAYER_NO_DEPTH_WRITE,
                           .no_depth_test = wanted.flags & SN_LAYER_NO_DEPTH_TEST,
                           .is_one_sided = !(wanted.flags & SN_LAYER_TWO_SIDED),
                           .alpha_ref = -1,
                           .blend = wanted.blend >= SN_BLEND_ADD ? wanted.blend : SN_BLEND_OPAQUE };
    if (shows(x, part, &codes, &wanted)) return;
    if (wanted.alpha_cutoff > 0.0f) {
        const uint32_t ref = (uint32_t)fmaxf(1.0f, fminf(floorf(wanted.alpha_cutoff * 128.0f + 0.5f), 255.0f));
        *at++ = 'a', *at++ = hex[ref >> 4], *at++ = hex[ref & 15], *at = 0;
        codes.alpha_ref = (int32_t)ref;
    }
    if (shows(x, part, &codes, &wanted)) return;
    codes.is_opaque = x->game == LEVEL5_DC2;  // only the second game has this code
    if (codes.is_opaque) memcpy(at, "aOF", 4);
    x->materials->lost_opacity += !shows(x, part, &codes, &wanted);
}

// --- Records ---

// Both colours in sRGB. What is opaque has no alpha.
sn_vec4 level5_diffuse(const level5_exporter *x, const sn_part *part)
{
    const sn_layer *layer = layer_of(x, part);
    sn_vec4 out = part->color;
    if (!layer) return out;
    out.x *= (float)sni_srgb_of(layer->color.x);
    out.y *= (float)sni_srgb_of(layer->color.y);
    out.z *= (float)sni_srgb_of(layer->color.z);
    out.w *= layer->color.w;
    if (layer->blend == SN_BLEND_OPAQUE && layer->alpha_cutoff == 0.0f) out.w = 1.0f;
    return out;
}

// "ambient" is half of the light, as in the games' models.
bool level5_export_material(level5_exporter *x, const sn_part *part, uint8_t *record)
{
    const sn_texture *map = map_of(x, part);
    const sn_layer *layer = layer_of(x, part);
    const sn_vec4 diffuse = level5_diffuse(x, part);
    level5_store_vector(record, diffuse.x, diffuse.y, diffuse.z, diffuse.w);
    level5_store_vector(record + 16, 0.5f, 0.5f, 0.5f, 1.0f);
    if (layer) {
        x->materials->lost_blends += layer->blend != SN_BLEND_OPAQUE && layer->blend != SN_BLEND_ALPHA &&
                                     layer->blend != SN_BLEND_ADD_ALPHA && layer->blend != SN_BLEND_SUBTRACT &&
                                     layer->blend != SN_BLEND_ADD;
        x->materials->lost_glow += layer->emissive.x > 0.0f || layer->emissive.y > 0.0f || layer->emissive.z > 0.0f;
        x->materials->lost_spheres += (layer->flags & SN_LAYER_SPHERE_MAP) != 0;
    }
    if (!map) return true;
    sni_str name;
    if (!find_picture(x, map, &name)) return false;
    if (name.size > 0) memcpy(record + LEVEL5_TEXTURE_AT, name.at, name.size);
    return true;
}

// From the model's texture coordinates to those of the file, which refer to sides that are powers of two.
sn_vec2 level5_place_uv(const level5_exporter *x, const sn_part *part, sn_vec2 uv)
{
    const sn_texture *map = map_of(x, part);
    if (!map) return uv;
    const sn_uv_transform *t = &map->transform;
    const level5_image_info *info = &x->materials->images[map->image];
    if (t->rotation != 0.0f || t->scale.x != 1.0f || t->scale.y != 1.0f) {
        const float u = uv.x * t->scale.x, v = uv.y * t->scale.y, c = cosf(t->rotation), s = sinf(t->rotation);
        uv = (sn_vec2){ c * u - s * v, s * u + c * v };
    }
    return (sn_vec2){ (uv.x + t->offset.x) / info->uv_scale.x, (uv.y + t->offset.y) / info->uv_scale.y };
}

int32_t level5_uv_set(const level5_exporter *x, const sn_part *part)
{
    const sn_texture *map = map_of(x, part);
    return map ? map->uv_set : 0;
}

void level5_check_wraps(level5_exporter *x, const sn_part *part, const sn_vec2 *uvs, uint32_t count)
{
    const sn_texture *map = map_of(x, part);
    if (x->game != LEVEL5_DC1 || !map || (map->wrap_u == SN_CLAMP && map->wrap_v == SN_CLAMP)) return;
    for (uint32_t i = 0; i < count; i++) {
        if (uvs[i].x >= -1e-3f && uvs[i].x <= 1.001f && uvs[i].y >= -1e-3f && uvs[i].y <= 1.001f) continue;
        x->materials->lost_wraps++;
        return;
    }
}

void level5_report_materials(const level5_exporter *x)
{
    const level5_out_materials *m = x->materials;
    sni_save_lose(x->save, "images", m->lost_images,
                  "textures that cannot be read were not written; only their names are kept");
    sni_save_lose(x->save, "images", m->lost_wraps,
                  "textures repeat or mirror in a way that the game does not support");
    sni_save_lose(x->save, "materials", m->lost_blends,
                  "blend modes that the game does not support became alpha blending");
    sni_save_lose(x->save, "materials", m->lost_glow, "emissive colours were left out");
    sni_save_lose(x->save, "materials", m->lost_spheres, "sphere mapping was left out");
    sni_save_lose(x->save, "materials", m->lost_opacity,
                  "opaque materials whose texture or colour has alpha became transparent");
}
