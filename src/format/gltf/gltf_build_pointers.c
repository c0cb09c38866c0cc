// KHR_animation_pointer: a JSON pointer to what of the model it moves.
#include <string.h>

#include "format/gltf/gltf_build.h"

// "/nodes/" at the front: steps over it.
static bool take_text(const char **at, const char *text)
{
    size_t size = strlen(text);
    if (strncmp(*at, text, size) != 0) return false;
    *at += size;
    return true;
}

// A number below count, without leading zeros.
static bool take_index(const char **at, uint32_t count, int32_t *index)
{
    const char *start = *at;
    uint64_t number = 0;
    for (; **at >= '0' && **at <= '9' && *at - start < 10; (*at)++) number = number * 10 + (uint64_t)(**at - '0');
    if (*at == start || (start[0] == '0' && *at - start > 1) || number >= count || number > INT32_MAX) return false;
    *index = (int32_t)number;
    return true;
}

// The rest of a pointer, after the number of the thing, and what it moves.
typedef struct property {
    const char *rest;
    gltf_path path;
    uint8_t channel;
    uint32_t width;
    float factor;
} property;

static bool find_property(const property *properties, const char *rest, uint8_t kind, gltf_aim *aim)
{
    for (const property *at = properties; at->rest; at++) {
        if (strcmp(at->rest, rest) != 0) continue;
        aim->path = at->path;
        aim->kind = kind;
        aim->channel = at->channel;
        aim->width = at->width;
        aim->factor = at->factor;
        return true;
    }
    return false;
}

// clang-format off
static const property node_properties[] = {
    { "/translation", GLTF_TRANSLATION, 0, 3, 1 },
    { "/rotation", GLTF_ROTATION, 0, 4, 1 },
    { "/scale", GLTF_SCALE, 0, 3, 1 },
    { "/weights", GLTF_WEIGHTS, 0, 0, 1 },
    { "/extensions/KHR_node_visibility/visible", GLTF_POINTER, SN_CHANNEL_VISIBILITY, 1, 1 },
    { 0 },
};
// clang-format on

#define COLOR_MAP "/pbrMetallicRoughness/baseColorTexture/extensions/KHR_texture_transform"
// clang-format off
static const property material_properties[] = {
    { "/emissiveFactor", GLTF_POINTER, SN_CHANNEL_EMISSIVE, 3, 1 },
    { "/pbrMetallicRoughness/baseColorFactor", GLTF_POINTER, SN_CHANNEL_COLOR, 4, 1 },
    { COLOR_MAP "/offset", GLTF_POINTER, SN_CHANNEL_UV_OFFSET, 2, 1 },
    { COLOR_MAP "/rotation", GLTF_POINTER, SN_CHANNEL_UV_ROTATION, 1, -1 },      // see build_transform
    { COLOR_MAP "/scale", GLTF_POINTER, SN_CHANNEL_UV_SCALE, 2, 1 },
    { 0 },
};
// clang-format on
#undef COLOR_MAP

static const property camera_properties[] = {
    { "/perspective/yfov", GLTF_POINTER, SN_CHANNEL_FOV, 1, 1 },
    { 0 },
};

static const property light_properties[] = {
    { "/color", GLTF_POINTER, SN_CHANNEL_COLOR, 3, 1 },
    { "/intensity", GLTF_POINTER, SN_CHANNEL_INTENSITY, 1, 1 },
    { 0 },
};

static bool aim_at_material(const gltf_doc *doc, const char *rest, gltf_aim *aim)
{
    const gltf_material *material = &doc->materials[aim->target];
    if (!find_property(material_properties, rest, SN_TARGET_LAYER, aim)) return false;
    if (aim->channel == SN_CHANNEL_EMISSIVE) aim->factor = material->emissive_strength;
    return aim->channel == SN_CHANNEL_EMISSIVE || !material->gloss;  // which hides the base colour
}

bool gltf_find_aim(const gltf_doc *doc, const char *pointer, gltf_aim *aim)
{
    const char *at = pointer;
    if (take_text(&at, "/nodes/"))
        return take_index(&at, doc->node_count, &aim->target) &&
               find_property(node_properties, at, SN_TARGET_NODE, aim);
    if (take_text(&at, "/materials/"))
        return take_index(&at, doc->material_count, &aim->target) && aim_at_material(doc, at, aim);
    if (take_text(&at, "/cameras/")) {
        return take_index(&at, doc->camera_count, &aim->target) && doc->cameras[aim->target].is_perspective &&
               find_property(camera_properties, at, SN_TARGET_CAMERA, aim);
    }
    if (take_text(&at, "/extensions/KHR_lights_punctual/lights/"))
        return take_index(&at, doc->light_count, &aim->target) &&
               find_property(light_properties, at, SN_TARGET_LIGHT, aim);
    return false;
}
