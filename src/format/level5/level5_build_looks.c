// Looks: a material's colours and picture, drawn as the codes of its node say.
#include <math.h>

#include "base/color.h"
#include "format/level5/level5_build.h"

static const float OPAQUE = 128.0f, HALF = 0.5f;

static float clamp_unit(float value) { return value >= 0.0f && value <= 1.0f ? value : value > 1.0f ? 1.0f : 0.0f; }

// Opaque, unless the material, the picture or the codes say otherwise. Pictures whose alpha is all or nothing have
// holes.
static void set_alpha(const level5_codes *codes, level5_alpha alpha, bool is_faded, sn_layer *layer)
{
    bool is_clear = is_faded || layer->color.w < 1.0f;
    if (codes->blend != SN_BLEND_OPAQUE) layer->blend = codes->blend;
    else if (is_clear || (alpha == LEVEL5_ALPHA_SHADES && !codes->is_opaque)) layer->blend = SN_BLEND_ALPHA;
    if (codes->alpha_ref >= 0) layer->alpha_cutoff = clamp_unit((float)codes->alpha_ref / OPAQUE);
    else if (alpha == LEVEL5_ALPHA_HOLES && !codes->is_opaque && layer->blend == SN_BLEND_OPAQUE)
        layer->alpha_cutoff = HALF;
}

static void set_picture(const level5_builder *b, int32_t image, sn_texture *map)
{
    if (image < 0) return;
    const level5_image *facts = &level5_items(level5_image, b->image_facts)[image];
    map->image = image;
    map->wrap_u = b->game == LEVEL5_DC1 ? SN_CLAMP : facts->wrap_u;
    map->wrap_v = b->game == LEVEL5_DC1 ? SN_CLAMP : facts->wrap_v;
}

static uint32_t layer_flags(const level5_codes *codes)
{
    return (codes->is_unlit ? SN_LAYER_UNLIT : 0u) | (codes->is_one_sided ? 0u : SN_LAYER_TWO_SIDED) |
           (codes->keeps_depth ? SN_LAYER_NO_DEPTH_WRITE : 0u) | (codes->ignores_depth ? SN_LAYER_NO_DEPTH_TEST : 0u);
}

static uint32_t hash_material(const char *name, const sn_layer *layer)
{
    const uint8_t *bytes = (const uint8_t *)layer;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof *layer; i++) hash = (hash ^ bytes[i]) * 16777619u;
    for (; *name; name++) hash = (hash ^ (uint8_t)*name) * 16777619u;
    return hash ^ hash >> 15;
}

static bool grow_slots(level5_builder *b)
{
    uint32_t larger = b->material_slot_count ? b->material_slot_count * 2 : 64, mask = larger - 1;
    const sn_material *materials = b->materials.items;
    uint32_t *slots = sni_new(&b->load->scratch, uint32_t, larger);
    for (uint32_t i = 0; slots && i < b->materials.count; i++) {
        uint32_t at = hash_material(materials[i].name, materials[i].layers) & mask;
        while (slots[at]) at = (at + 1) & mask;
        slots[at] = i + 1;
    }
    b->material_slots = slots;
    b->material_slot_count = larger;
    return slots != NULL;
}

// Alike materials are one. -1 after a failure.
static int32_t keep_material(level5_builder *b, const char *name, const sn_layer *layer)
{
    if (b->materials.count >= b->material_slot_count / 2 && !grow_slots(b)) return -1;
    const sn_material *known = b->materials.items;
    uint32_t mask = b->material_slot_count - 1, at = hash_material(name, layer) & mask;
    for (; b->material_slots[at]; at = (at + 1) & mask) {
        const sn_material *material = &known[b->material_slots[at] - 1];
        if (strcmp(material->name, name) == 0 && memcmp(material->layers, layer, sizeof *layer) == 0)
            return (int32_t)b->material_slots[at] - 1;
    }
    sn_material *material = sni_push(&b->load->keep, &b->materials, sn_material);
    sn_layer *copy = material ? sni_new_raw(&b->load->keep, sn_layer, 1) : NULL;
    if (!copy) return -1;
    *copy = *layer;
    *material = (sn_material){ .name = name, .layers = copy, .layer_count = 1 };
    b->material_slots[at] = b->materials.count;
    return (int32_t)b->materials.count - 1;
}

// A colour that clips change is the part's, and the layer stays white: parts are mixed as the games do.
static void set_color(const level5_material *source, bool is_animated, sn_layer *layer, sn_part *part)
{
    sn_vec4 c = { clamp_unit(source->diffuse[0]), clamp_unit(source->diffuse[1]), clamp_unit(source->diffuse[2]),
                  clamp_unit(source->diffuse[3]) };
    if (is_animated) part->color = c;
    else
        layer->color = (sn_vec4){ (float)sni_linear_of(c.x), (float)sni_linear_of(c.y), (float)sni_linear_of(c.z),
                                  c.w };
}

bool level5_build_looks(level5_builder *b, uint32_t node, const level5_mesh *mesh, int32_t number, sn_part *part)
{
    const level5_codes *codes = &b->bones[node].codes;
    const level5_material plain = { .diffuse = { 1, 1, 1, 1 }, .texture = { "", 0 } };
    level5_material source = number < 0 ? plain : level5_read_material(mesh, (uint32_t)number);
    level5_fading fading = level5_find_fading(b, node, number);
    sn_layer layer = sni_layer_default();
    int32_t image = level5_find_image(b, source.texture);
    set_picture(b, image, &layer.maps[SN_MAP_COLOR]);
    set_color(&source, fading.has_alpha || fading.has_color, &layer, part);
    set_alpha(codes, image < 0 ? LEVEL5_ALPHA_NONE : level5_items(level5_image, b->image_facts)[image].alpha,
              fading.has_alpha || part->color.w < 1.0f, &layer);
    layer.flags = layer_flags(codes);
    part->material = keep_material(b, level5_clean(b, source.texture), &layer);
    return part->material >= 0 && sni_load_ok(b->load);
}
