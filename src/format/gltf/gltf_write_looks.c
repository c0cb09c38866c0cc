// Materials, textures, images, cameras and lights to JSON.
#include "format/gltf/gltf_put.h"

static void write_transform(put_extensions *extensions, const gltf_uv_transform *transform)
{
    static const float none[2] = { 0, 0 }, one[2] = { 1, 1 };
    if (!transform->is_given) return;
    begin_extension(extensions, "KHR_texture_transform");
    put_vector(extensions->json, "offset", &transform->value.offset.x, none, 2);
    put_float(extensions->json, "rotation", transform->value.rotation, 0.0f);
    put_vector(extensions->json, "scale", &transform->value.scale.x, one, 2);
    if (transform->has_uv_set) put_integer(extensions->json, "texCoord", transform->uv_set, UINT64_MAX);
    sni_json_end(extensions->json);
}

static void write_texture_info(sni_json_writer *json, const char *key, const gltf_texture_info *info,
                               const char *strength)
{
    if (info->texture < 0) return;
    sni_json_key(json, key);
    begin_object(json, &info->object);
    put_index(json, "index", info->texture);
    put_integer(json, "texCoord", info->uv_set, 0);
    if (strength) put_float(json, strength, info->strength, 1.0f);
    put_extensions extensions = { json, false };
    write_transform(&extensions, &info->transform);
    end_extended(&extensions, &info->object);
}

static void write_gloss(put_extensions *extensions, const gltf_gloss *gloss)
{
    static const float white[4] = { 1, 1, 1, 1 };
    sni_json_writer *json = extensions->json;
    begin_extension(extensions, "KHR_materials_pbrSpecularGlossiness");
    put_vector(json, "diffuseFactor", &gloss->diffuse.x, white, 4);
    write_texture_info(json, "diffuseTexture", &gloss->diffuse_map, NULL);
    put_vector(json, "specularFactor", &gloss->specular.x, white, 3);
    put_float(json, "glossinessFactor", gloss->glossiness, 1.0f);
    write_texture_info(json, "specularGlossinessTexture", &gloss->specular_map, NULL);
    sni_json_end(json);
}

static void write_material_extensions(put_extensions *extensions, const gltf_material *material)
{
    if (material->is_unlit) {
        begin_extension(extensions, "KHR_materials_unlit");
        sni_json_end(extensions->json);
    }
    if (material->emissive_strength != 1.0f) {
        begin_extension(extensions, "KHR_materials_emissive_strength");
        put_float(extensions->json, "emissiveStrength", material->emissive_strength, 1.0f);
        sni_json_end(extensions->json);
    }
    if (material->gloss) write_gloss(extensions, material->gloss);
}

void gltf_write_material(sni_json_writer *json, const gltf_material *material)
{
    static const float white[4] = { 1, 1, 1, 1 }, black[3] = { 0, 0, 0 };
    begin_object(json, &material->object);
    sni_json_key(json, "pbrMetallicRoughness");
    begin_object(json, &material->pbr);
    put_vector(json, "baseColorFactor", &material->color.x, white, 4);
    write_texture_info(json, "baseColorTexture", &material->maps[SN_MAP_COLOR], NULL);
    put_float(json, "metallicFactor", material->metallic, 1.0f);
    put_float(json, "roughnessFactor", material->roughness, 1.0f);
    write_texture_info(json, "metallicRoughnessTexture", &material->maps[SN_MAP_METAL_ROUGH], NULL);
    end_object(json, &material->pbr);
    write_texture_info(json, "normalTexture", &material->maps[SN_MAP_NORMAL], "scale");
    write_texture_info(json, "occlusionTexture", &material->maps[SN_MAP_OCCLUSION], "strength");
    write_texture_info(json, "emissiveTexture", &material->maps[SN_MAP_EMISSIVE], NULL);
    put_vector(json, "emissiveFactor", &material->emissive.x, black, 3);
    if (material->is_masked || material->blend == SN_BLEND_ALPHA)
        put_text(json, "alphaMode", material->is_masked ? "MASK" : "BLEND");
    if (material->is_masked) put_float(json, "alphaCutoff", material->alpha_cutoff, 0.5f);
    put_flag(json, "doubleSided", material->is_two_sided);
    put_extensions extensions = { json, false };
    write_material_extensions(&extensions, material);
    end_extended(&extensions, &material->object);
}

static void write_source(put_extensions *extensions, const char *name, int32_t source)
{
    if (source < 0) return;
    begin_extension(extensions, name);
    put_index(extensions->json, "source", source);
    sni_json_end(extensions->json);
}

void gltf_write_texture(sni_json_writer *json, const gltf_texture *texture)
{
    begin_object(json, &texture->object);
    put_index(json, "sampler", texture->sampler);
    put_index(json, "source", texture->source);
    put_extensions extensions = { json, false };
    write_source(&extensions, "EXT_texture_webp", texture->webp);
    write_source(&extensions, "KHR_texture_basisu", texture->basisu);
    end_extended(&extensions, &texture->object);
}

void gltf_write_texture_sampler(sni_json_writer *json, const gltf_texture_sampler *sampler)
{
    begin_object(json, &sampler->object);
    put_integer(json, "magFilter", sampler->mag_filter, 0);
    put_integer(json, "minFilter", sampler->min_filter, 0);
    put_integer(json, "wrapS", sampler->wrap_s, 10497);
    put_integer(json, "wrapT", sampler->wrap_t, 10497);
    end_object(json, &sampler->object);
}

void gltf_write_image(sni_json_writer *json, const gltf_image *image)
{
    begin_object(json, &image->object);
    put_text(json, "uri", image->uri);
    put_text(json, "mimeType", image->mime_type);
    put_index(json, "bufferView", image->view);
    end_object(json, &image->object);
}

void gltf_write_camera(sni_json_writer *json, const gltf_camera *camera)
{
    const char *kind = camera->is_perspective ? "perspective" : "orthographic";
    begin_object(json, &camera->object);
    put_text(json, "type", kind);
    sni_json_key(json, kind);
    sni_json_begin_object(json);
    put_float(json, "aspectRatio", camera->aspect, 0.0f);
    put_float(json, "yfov", camera->yfov, 0.0f);
    put_float(json, "xmag", camera->xmag, 0.0f);
    put_float(json, "ymag", camera->ymag, 0.0f);
    put_float(json, "zfar", camera->zfar, 0.0f);
    sni_json_key(json, "znear");
    sni_json_put_float(json, camera->znear);
    sni_json_end(json);
    end_object(json, &camera->object);
}

void gltf_write_light(sni_json_writer *json, const gltf_light *light)
{
    static const char *const types[] = { NULL, "directional", "point", "spot" };
    static const float white[3] = { 1, 1, 1 };
    begin_object(json, &light->object);
    put_text(json, "type", types[light->type]);
    put_vector(json, "color", &light->color.x, white, 3);
    put_float(json, "intensity", light->intensity, 1.0f);
    put_float(json, "range", light->range, 0.0f);
    if (light->has_spot) {
        sni_json_key(json, "spot");
        sni_json_begin_object(json);
        put_float(json, "innerConeAngle", light->inner_angle, 0.0f);
        put_float(json, "outerConeAngle", light->outer_angle, GLTF_OUTER_CONE);
        sni_json_end(json);
    }
    end_object(json, &light->object);
}
