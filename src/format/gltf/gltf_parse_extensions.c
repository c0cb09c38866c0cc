// The extensions that are read: each function takes the extensions of one kind of object.
#include <string.h>

#include "format/gltf/gltf_parse_objects.h"

static void parse_light_spot(gltf_parser *parser, gltf_light *light)
{
    gltf_object object;
    sni_str key;
    if (!gltf_is(parser, "spot", SNI_JSON_OBJECT) || !gltf_begin(parser, &object)) return;
    light->has_spot = true;
    while (gltf_next(parser, &object, &key)) {
        if (sni_str_is(key, "innerConeAngle")) gltf_float(parser, "innerConeAngle", &light->inner_angle);
        else if (sni_str_is(key, "outerConeAngle")) gltf_float(parser, "outerConeAngle", &light->outer_angle);
        else sni_json_skip(&parser->json);
    }
}

static void parse_light(gltf_parser *parser, void *item)
{
    static const char *const types[] = { "", "directional", "point", "spot", NULL };
    gltf_light *light = item;
    uint32_t type = GLTF_NO_LIGHT_TYPE;
    sni_str key;
    light->color = (sn_vec3){ 1, 1, 1 };
    light->intensity = 1.0f;
    light->outer_angle = GLTF_OUTER_CONE;
    if (!gltf_begin(parser, &light->object)) return;
    while (gltf_next(parser, &light->object, &key)) {
        if (sni_str_is(key, "type")) gltf_word(parser, "type", types, &type);
        else if (sni_str_is(key, "color")) gltf_vector(parser, "color", &light->color.x, 3);
        else if (sni_str_is(key, "intensity")) gltf_float(parser, "intensity", &light->intensity);
        else if (sni_str_is(key, "range")) gltf_float(parser, "range", &light->range);
        else if (sni_str_is(key, "spot")) parse_light_spot(parser, light);
        else sni_json_skip(&parser->json);
    }
    light->type = (gltf_light_type)type;
}

static void parse_lights(gltf_parser *parser, gltf_doc *doc)
{
    gltf_object object;
    sni_str key;
    bool has_lights = false;
    if (!gltf_begin(parser, &object)) return;
    while (gltf_next(parser, &object, &key)) {
        if (sni_str_is(key, "lights")) {
            has_lights = true;
            gltf_object_list(parser, "lights", sizeof(gltf_light), parse_light, &doc->lights, &doc->light_count);
        } else sni_json_skip(&parser->json);
    }
    if (!has_lights && sni_json_ok(&parser->json)) gltf_warn_at(parser, "lights", SNI_WARN_JSON_MISSING, "missing");
}

bool gltf_read_document_extension(gltf_parser *parser, void *item, sni_str name)
{
    if (!sni_str_is(name, "KHR_lights_punctual")) return false;
    sni_enter(&parser->load->diag, "extensions/KHR_lights_punctual", -1);
    parse_lights(parser, item);
    sni_leave(&parser->load->diag);
    return true;
}

static void parse_node_light(gltf_parser *parser, gltf_node *node)
{
    gltf_object object;
    sni_str key;
    if (!gltf_begin(parser, &object)) return;
    node->light = -1;
    while (gltf_next(parser, &object, &key)) {
        if (sni_str_is(key, "light")) gltf_index(parser, "light", &node->light);
        else sni_json_skip(&parser->json);
    }
    if (node->light < 0 && sni_json_ok(&parser->json)) gltf_warn_at(parser, "light", SNI_WARN_JSON_MISSING, "missing");
}

static void parse_visibility(gltf_parser *parser, gltf_node *node)
{
    gltf_object object;
    sni_str key;
    bool is_visible = true;
    if (!gltf_begin(parser, &object)) return;
    while (gltf_next(parser, &object, &key)) {
        if (sni_str_is(key, "visible")) gltf_bool(parser, "visible", &is_visible);
        else sni_json_skip(&parser->json);
    }
    node->is_hidden = !is_visible;
}

static void parse_instancing(gltf_parser *parser, gltf_node *node)
{
    gltf_object object;
    sni_str key;
    if (!gltf_begin(parser, &object)) return;
    node->instances = sni_new(&parser->load->scratch, gltf_attributes, 1);
    while (node->instances && gltf_next(parser, &object, &key)) {
        if (sni_str_is(key, "attributes")) gltf_parse_attributes(parser, "attributes", node->instances);
        else sni_json_skip(&parser->json);
    }
}

bool gltf_read_node_extension(gltf_parser *parser, void *item, sni_str name)
{
    gltf_node *node = item;
    if (sni_str_is(name, "KHR_lights_punctual")) parse_node_light(parser, node);
    else if (sni_str_is(name, "KHR_node_visibility")) parse_visibility(parser, node);
    else if (sni_str_is(name, "EXT_mesh_gpu_instancing")) parse_instancing(parser, node);
    else return false;
    return true;
}

static void parse_emissive_strength(gltf_parser *parser, gltf_material *material)
{
    gltf_object object;
    sni_str key;
    if (!gltf_begin(parser, &object)) return;
    while (gltf_next(parser, &object, &key)) {
        if (sni_str_is(key, "emissiveStrength")) gltf_float(parser, "emissiveStrength", &material->emissive_strength);
        else sni_json_skip(&parser->json);
    }
}

static void parse_gloss(gltf_parser *parser, gltf_material *material)
{
    gltf_object object;
    sni_str key;
    gltf_gloss *gloss = sni_new(&parser->load->scratch, gltf_gloss, 1);
    if (!gloss || !gltf_begin(parser, &object)) return;
    *gloss = (gltf_gloss){ .diffuse = { 1, 1, 1, 1 }, .specular = { 1, 1, 1 }, .glossiness = 1.0f };
    gloss->diffuse_map = gloss->specular_map = gltf_texture_info_none();
    material->gloss = gloss;
    while (gltf_next(parser, &object, &key)) {
        if (sni_str_is(key, "diffuseFactor")) gltf_vector(parser, "diffuseFactor", &gloss->diffuse.x, 4);
        else if (sni_str_is(key, "specularFactor")) gltf_vector(parser, "specularFactor", &gloss->specular.x, 3);
        else if (sni_str_is(key, "glossinessFactor")) gltf_float(parser, "glossinessFactor", &gloss->glossiness);
        else if (sni_str_is(key, "diffuseTexture"))
            gltf_parse_texture_info(parser, "diffuseTexture", &gloss->diffuse_map);
        else if (sni_str_is(key, "specularGlossinessTexture"))
            gltf_parse_texture_info(parser, "specularGlossinessTexture", &gloss->specular_map);
        else sni_json_skip(&parser->json);
    }
}

// What only refines the look is kept as text, here where it belongs.
bool gltf_read_material_extension(gltf_parser *parser, void *item, sni_str name)
{
    gltf_material *material = item;
    if (sni_str_is(name, "KHR_materials_emissive_strength")) parse_emissive_strength(parser, material);
    else if (sni_str_is(name, "KHR_materials_pbrSpecularGlossiness")) parse_gloss(parser, material);
    else if (gltf_find_extension(name) == GLTF_LOOK) gltf_keep_extension(parser, name);
    else if (sni_str_is(name, "KHR_materials_unlit")) {
        material->is_unlit = true;
        sni_json_skip(&parser->json);
    } else return false;
    return true;
}

static void parse_texture_source(gltf_parser *parser, int32_t *source)
{
    gltf_object object;
    sni_str key;
    if (!gltf_begin(parser, &object)) return;
    while (gltf_next(parser, &object, &key)) {
        if (sni_str_is(key, "source")) gltf_index(parser, "source", source);
        else sni_json_skip(&parser->json);
    }
}

bool gltf_read_texture_extension(gltf_parser *parser, void *item, sni_str name)
{
    gltf_texture *texture = item;
    if (sni_str_is(name, "EXT_texture_webp")) parse_texture_source(parser, &texture->webp);
    else if (sni_str_is(name, "KHR_texture_basisu")) parse_texture_source(parser, &texture->basisu);
    else return false;
    return true;
}

bool gltf_read_texture_info_extension(gltf_parser *parser, void *item, sni_str name)
{
    gltf_uv_transform *transform = &((gltf_texture_info *)item)->transform;
    gltf_object object;
    sni_str key;
    if (!sni_str_is(name, "KHR_texture_transform")) return false;
    *transform = (gltf_uv_transform){ .value.scale = { 1, 1 } };
    if (!gltf_begin(parser, &object)) return true;
    transform->is_given = true;
    while (gltf_next(parser, &object, &key)) {
        if (sni_str_is(key, "offset")) gltf_vector(parser, "offset", &transform->value.offset.x, 2);
        else if (sni_str_is(key, "rotation")) gltf_float(parser, "rotation", &transform->value.rotation);
        else if (sni_str_is(key, "scale")) gltf_vector(parser, "scale", &transform->value.scale.x, 2);
        else if (sni_str_is(key, "texCoord")) {
            transform->uv_set = UINT32_MAX;
            gltf_u32(parser, "texCoord", &transform->uv_set);
            transform->has_uv_set = transform->uv_set != UINT32_MAX;
        } else sni_json_skip(&parser->json);
    }
    return true;
}

bool gltf_read_target_extension(gltf_parser *parser, void *item, sni_str name)
{
    gltf_channel *channel = item;
    gltf_object object;
    sni_str key;
    if (!sni_str_is(name, "KHR_animation_pointer")) return false;
    if (!gltf_begin(parser, &object)) return true;
    while (gltf_next(parser, &object, &key)) {
        if (sni_str_is(key, "pointer")) gltf_text(parser, "pointer", &channel->pointer);
        else sni_json_skip(&parser->json);
    }
    return true;
}
