// Animations, materials, textures, images, cameras.
#include <string.h>

#include "format/gltf/gltf_parse_objects.h"

static void parse_channel_target(gltf_parser *parser, gltf_channel *channel)
{
    static const char *const paths[] = { "", "translation", "rotation", "scale", "weights", "pointer", NULL };
    gltf_object object;
    uint32_t path = GLTF_NO_PATH;
    sni_str key;
    if (!gltf_is(parser, "target", SNI_JSON_OBJECT) || !gltf_begin(parser, &object)) return;
    while (gltf_next_extended(parser, &object, &key, gltf_read_target_extension, channel)) {
        if (sni_str_is(key, "node")) gltf_index(parser, "node", &channel->node);
        else if (sni_str_is(key, "path")) gltf_word(parser, "path", paths, &path);
        else sni_json_skip(&parser->json);
    }
    channel->path = (gltf_path)path;
    channel->target_extensions = object.extensions;
}

static void parse_channel(gltf_parser *parser, void *item)
{
    gltf_channel *channel = item;
    sni_str key;
    channel->sampler = channel->node = -1;
    if (!gltf_begin(parser, &channel->object)) return;
    while (gltf_next(parser, &channel->object, &key)) {
        if (sni_str_is(key, "sampler")) gltf_index(parser, "sampler", &channel->sampler);
        else if (sni_str_is(key, "target")) parse_channel_target(parser, channel);
        else sni_json_skip(&parser->json);
    }
}

static void parse_sampler(gltf_parser *parser, void *item)
{
    static const char *const words[] = { "LINEAR", "STEP", "CUBICSPLINE", NULL };
    static const sn_interpolation meanings[] = { SN_LINEAR, SN_STEP, SN_CUBIC_SPLINE };
    gltf_sampler *sampler = item;
    uint32_t word = 0;
    sni_str key;
    sampler->input = sampler->output = -1;
    if (gltf_begin(parser, &sampler->object)) {
        while (gltf_next(parser, &sampler->object, &key)) {
            if (sni_str_is(key, "input")) gltf_index(parser, "input", &sampler->input);
            else if (sni_str_is(key, "output")) gltf_index(parser, "output", &sampler->output);
            else if (sni_str_is(key, "interpolation")) gltf_word(parser, "interpolation", words, &word);
            else sni_json_skip(&parser->json);
        }
    }
    sampler->interpolation = meanings[word];
}

void gltf_parse_animation(gltf_parser *parser, void *item)
{
    gltf_animation *animation = item;
    sni_str key;
    if (!gltf_begin(parser, &animation->object)) return;
    while (gltf_next(parser, &animation->object, &key)) {
        if (sni_str_is(key, "channels"))
            gltf_object_list(parser, "channels", sizeof(gltf_channel), parse_channel, &animation->channels,
                             &animation->channel_count);
        else if (sni_str_is(key, "samplers"))
            gltf_object_list(parser, "samplers", sizeof(gltf_sampler), parse_sampler, &animation->samplers,
                             &animation->sampler_count);
        else sni_json_skip(&parser->json);
    }
}

gltf_texture_info gltf_texture_info_none(void)
{
    return (gltf_texture_info){ .texture = -1, .strength = 1.0f, .transform.value.scale = { 1, 1 } };
}

void gltf_parse_texture_info(gltf_parser *parser, const char *name, gltf_texture_info *info)
{
    sni_str key;
    *info = gltf_texture_info_none();
    if (!gltf_is(parser, name, SNI_JSON_OBJECT)) return;
    sni_enter(&parser->load->diag, name, -1);
    if (gltf_begin(parser, &info->object)) {
        while (gltf_next_extended(parser, &info->object, &key, gltf_read_texture_info_extension, info)) {
            if (sni_str_is(key, "index")) gltf_index(parser, "index", &info->texture);
            else if (sni_str_is(key, "texCoord")) gltf_u32(parser, "texCoord", &info->uv_set);
            else if (sni_str_is(key, "scale")) gltf_float(parser, "scale", &info->strength);
            else if (sni_str_is(key, "strength")) gltf_float(parser, "strength", &info->strength);
            else sni_json_skip(&parser->json);
        }
    }
    sni_leave(&parser->load->diag);
}

static void set_pbr_defaults(gltf_material *material)
{
    material->color = (sn_vec4){ 1, 1, 1, 1 };
    material->metallic = material->roughness = 1.0f;
    material->maps[SN_MAP_COLOR] = material->maps[SN_MAP_METAL_ROUGH] = gltf_texture_info_none();
}

static void parse_pbr(gltf_parser *parser, gltf_material *material)
{
    sni_str key;
    set_pbr_defaults(material);
    if (!gltf_is(parser, "pbrMetallicRoughness", SNI_JSON_OBJECT)) return;
    sni_enter(&parser->load->diag, "pbrMetallicRoughness", -1);
    if (gltf_begin(parser, &material->pbr)) {
        while (gltf_next(parser, &material->pbr, &key)) {
            if (sni_str_is(key, "baseColorFactor")) gltf_vector(parser, "baseColorFactor", &material->color.x, 4);
            else if (sni_str_is(key, "metallicFactor")) gltf_float(parser, "metallicFactor", &material->metallic);
            else if (sni_str_is(key, "roughnessFactor")) gltf_float(parser, "roughnessFactor", &material->roughness);
            else if (sni_str_is(key, "baseColorTexture"))
                gltf_parse_texture_info(parser, "baseColorTexture", &material->maps[SN_MAP_COLOR]);
            else if (sni_str_is(key, "metallicRoughnessTexture"))
                gltf_parse_texture_info(parser, "metallicRoughnessTexture", &material->maps[SN_MAP_METAL_ROUGH]);
            else sni_json_skip(&parser->json);
        }
    }
    sni_leave(&parser->load->diag);
}

static void set_alpha_mode(gltf_material *material, uint32_t mode)
{
    material->is_masked = mode == 1;
    material->blend = mode == 2 ? SN_BLEND_ALPHA : SN_BLEND_OPAQUE;
}

void gltf_parse_material(gltf_parser *parser, void *item)
{
    static const char *const modes[] = { "OPAQUE", "MASK", "BLEND", NULL };
    gltf_material *material = item;
    uint32_t mode = 0;
    sni_str key;
    set_pbr_defaults(material);
    for (int i = SN_MAP_NORMAL; i < SN_MAP_COUNT; i++) material->maps[i] = gltf_texture_info_none();
    material->alpha_cutoff = 0.5f;
    material->emissive_strength = 1.0f;
    if (!gltf_begin(parser, &material->object)) return;
    while (gltf_next_extended(parser, &material->object, &key, gltf_read_material_extension, material)) {
        if (sni_str_is(key, "pbrMetallicRoughness")) parse_pbr(parser, material);
        else if (sni_str_is(key, "normalTexture"))
            gltf_parse_texture_info(parser, "normalTexture", &material->maps[SN_MAP_NORMAL]);
        else if (sni_str_is(key, "occlusionTexture"))
            gltf_parse_texture_info(parser, "occlusionTexture", &material->maps[SN_MAP_OCCLUSION]);
        else if (sni_str_is(key, "emissiveTexture"))
            gltf_parse_texture_info(parser, "emissiveTexture", &material->maps[SN_MAP_EMISSIVE]);
        else if (sni_str_is(key, "emissiveFactor")) gltf_vector(parser, "emissiveFactor", &material->emissive.x, 3);
        else if (sni_str_is(key, "alphaMode")) gltf_word(parser, "alphaMode", modes, &mode);
        else if (sni_str_is(key, "alphaCutoff")) {
            material->has_cutoff = true;
            gltf_float(parser, "alphaCutoff", &material->alpha_cutoff);
        } else if (sni_str_is(key, "doubleSided")) gltf_bool(parser, "doubleSided", &material->is_two_sided);
        else sni_json_skip(&parser->json);
    }
    set_alpha_mode(material, mode);
}

void gltf_parse_texture(gltf_parser *parser, void *item)
{
    gltf_texture *texture = item;
    sni_str key;
    texture->sampler = texture->source = texture->webp = texture->basisu = -1;
    if (!gltf_begin(parser, &texture->object)) return;
    while (gltf_next_extended(parser, &texture->object, &key, gltf_read_texture_extension, texture)) {
        if (sni_str_is(key, "sampler")) gltf_index(parser, "sampler", &texture->sampler);
        else if (sni_str_is(key, "source")) gltf_index(parser, "source", &texture->source);
        else sni_json_skip(&parser->json);
    }
}

void gltf_parse_texture_sampler(gltf_parser *parser, void *item)
{
    gltf_texture_sampler *sampler = item;
    sni_str key;
    sampler->wrap_s = sampler->wrap_t = 10497;
    if (!gltf_begin(parser, &sampler->object)) return;
    while (gltf_next(parser, &sampler->object, &key)) {
        if (sni_str_is(key, "magFilter")) gltf_u32(parser, "magFilter", &sampler->mag_filter);
        else if (sni_str_is(key, "minFilter")) gltf_u32(parser, "minFilter", &sampler->min_filter);
        else if (sni_str_is(key, "wrapS")) gltf_u32(parser, "wrapS", &sampler->wrap_s);
        else if (sni_str_is(key, "wrapT")) gltf_u32(parser, "wrapT", &sampler->wrap_t);
        else sni_json_skip(&parser->json);
    }
}

void gltf_parse_image(gltf_parser *parser, void *item)
{
    gltf_image *image = item;
    sni_str key;
    image->view = -1;
    if (!gltf_begin(parser, &image->object)) return;
    while (gltf_next(parser, &image->object, &key)) {
        if (sni_str_is(key, "uri")) gltf_text(parser, "uri", &image->uri);
        else if (sni_str_is(key, "mimeType")) gltf_text(parser, "mimeType", &image->mime_type);
        else if (sni_str_is(key, "bufferView")) gltf_index(parser, "bufferView", &image->view);
        else sni_json_skip(&parser->json);
    }
}

static void parse_lens(gltf_parser *parser, const char *name, gltf_camera *camera)
{
    gltf_object object;
    sni_str key;
    if (!gltf_is(parser, name, SNI_JSON_OBJECT)) return;
    sni_enter(&parser->load->diag, name, -1);
    if (gltf_begin(parser, &object)) {
        while (gltf_next(parser, &object, &key)) {
            if (sni_str_is(key, "yfov")) gltf_float(parser, "yfov", &camera->yfov);
            else if (sni_str_is(key, "aspectRatio")) gltf_float(parser, "aspectRatio", &camera->aspect);
            else if (sni_str_is(key, "xmag")) gltf_float(parser, "xmag", &camera->xmag);
            else if (sni_str_is(key, "ymag")) gltf_float(parser, "ymag", &camera->ymag);
            else if (sni_str_is(key, "znear")) gltf_float(parser, "znear", &camera->znear);
            else if (sni_str_is(key, "zfar")) gltf_float(parser, "zfar", &camera->zfar);
            else sni_json_skip(&parser->json);
        }
    }
    sni_leave(&parser->load->diag);
}

void gltf_parse_camera(gltf_parser *parser, void *item)
{
    gltf_camera *camera = item;
    const char *type = NULL;
    sni_str key;
    if (!gltf_begin(parser, &camera->object)) return;
    while (gltf_next(parser, &camera->object, &key)) {
        if (sni_str_is(key, "type")) gltf_text(parser, "type", &type);
        else if (sni_str_is(key, "perspective")) parse_lens(parser, "perspective", camera);
        else if (sni_str_is(key, "orthographic")) parse_lens(parser, "orthographic", camera);
        else sni_json_skip(&parser->json);
    }
    camera->is_perspective = type && strcmp(type, "perspective") == 0;
    camera->is_orthographic = type && strcmp(type, "orthographic") == 0;
}
