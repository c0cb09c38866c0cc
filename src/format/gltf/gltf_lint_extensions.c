// Rules of the extensions that are read.
#include <string.h>

#include "format/gltf/gltf_doc.h"

static void lint_light(sni_load *load, const gltf_light *light)
{
    uint64_t offset = light->object.offset;
    const float parts[3] = { light->color.x, light->color.y, light->color.z };
    if (light->type == GLTF_NO_LIGHT_TYPE) gltf_warn(load, "type", SNI_WARN_JSON_MISSING, offset, "missing or unknown");
    if (light->type == GLTF_SPOT && !light->has_spot) gltf_warn(load, "spot", SNI_WARN_JSON_MISSING, offset, "missing");
    if (light->has_spot &&
        !(light->inner_angle >= 0.0f && light->inner_angle < light->outer_angle && light->outer_angle <= 1.57079637f))
        gltf_warn(load, "spot", SNI_WARN_VALUE_RANGE, offset, "not 0 <= inner < outer <= pi/2");
    if (light->intensity < 0.0f) gltf_warn(load, "intensity", SNI_WARN_VALUE_RANGE, offset, "negative");
    if (light->range < 0.0f) gltf_warn(load, "range", SNI_WARN_VALUE_RANGE, offset, "negative");
    for (int i = 0; i < 3; i++) {
        if (!(parts[i] >= 0.0f && parts[i] <= 1.0f))
            gltf_warn(load, "color", SNI_WARN_VALUE_RANGE, offset, "not 0 to 1");
    }
}

static void lint_gloss(sni_load *load, const gltf_material *material)
{
    const gltf_gloss *gloss = material->gloss;
    const float factors[] = { gloss->diffuse.x,  gloss->diffuse.y,  gloss->diffuse.z,  gloss->diffuse.w,
                              gloss->specular.x, gloss->specular.y, gloss->specular.z, gloss->glossiness };
    for (size_t i = 0; i < sizeof factors / sizeof factors[0]; i++) {
        if (!(factors[i] >= 0.0f && factors[i] <= 1.0f))
            sni_warn(&load->diag, SNI_WARN_VALUE_RANGE, material->object.offset, "a factor of %g", (double)factors[i]);
    }
}

static void lint_material(sni_load *load, const gltf_material *material)
{
    const sn_vec3 *emissive = &material->emissive;
    uint64_t offset = material->object.offset;
    if (material->gloss) lint_gloss(load, material);
    if (material->emissive_strength == 1.0f) return;
    if (material->emissive_strength < 0.0f)
        gltf_warn(load, "emissiveStrength", SNI_WARN_VALUE_RANGE, offset, "negative");
    if (emissive->x == 0.0f && emissive->y == 0.0f && emissive->z == 0.0f)
        gltf_warn(load, "emissiveStrength", SNI_WARN_GLTF_MATERIAL, offset, "of an emissive factor that is zero");
}

// What an image says it is: its mimeType, or that of its data URI. Empty: nothing.
static sni_str type_of(const gltf_image *image)
{
    if (image->mime_type) return sni_str_make(image->mime_type, strlen(image->mime_type));
    if (!image->uri || !sni_str_is_nocase(sni_str_make(image->uri, strnlen(image->uri, 5)), "data:"))
        return sni_str_make("", 0);
    return sni_str_make(image->uri + 5, strcspn(image->uri + 5, ";,"));
}

static void lint_source(sni_load *load, const gltf_doc *doc, const gltf_texture *texture, int32_t source,
                        const char *type, const char *other)
{
    if (source < 0) return;
    sni_str said = type_of(&doc->images[source]);
    if (said.size == 0 || sni_str_is(said, type) || (other && sni_str_is(said, other))) return;
    gltf_warn(load, "source", SNI_WARN_IMAGE_TYPE, texture->object.offset,
              "an image of a type that does not belong here");
}

static void lint_texture(sni_load *load, const gltf_doc *doc, const gltf_texture *texture)
{
    lint_source(load, doc, texture, texture->source, "image/png", "image/jpeg");
    lint_source(load, doc, texture, texture->webp, "image/webp", NULL);
    lint_source(load, doc, texture, texture->basisu, "image/ktx2", NULL);
}

static void lint_image(sni_load *load, const gltf_doc *doc, const gltf_image *image)
{
    static const struct {
        const char *type, *extension;
    } types[] = {
        { "image/png", NULL },
        { "image/jpeg", NULL },
        { "image/webp", "EXT_texture_webp" },
        { "image/ktx2", "KHR_texture_basisu" },
    };
    sni_str said = type_of(image);
    bool is_good = said.size == 0;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        bool is_allowed = !types[i].extension || gltf_lists(&doc->extensions_used, types[i].extension);
        is_good = is_good || (is_allowed && sni_str_is(said, types[i].type));
    }
    if (!is_good) gltf_warn(load, "mimeType", SNI_WARN_IMAGE_TYPE, image->object.offset, "neither PNG nor JPEG");
}

static void lint_animation(sni_load *load, const gltf_animation *animation)
{
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        const gltf_channel *channel = &animation->channels[i];
        sni_enter(&load->diag, "channels", i);
        if (channel->pointer && channel->node >= 0)
            gltf_warn(load, "target", SNI_WARN_GLTF_ANIMATION, channel->object.offset, "a node besides a pointer");
        if (channel->pointer && channel->path != GLTF_POINTER)
            gltf_warn(load, "target", SNI_WARN_GLTF_ANIMATION, channel->object.offset, "a pointer with another path");
        sni_leave(&load->diag);
    }
}

void gltf_lint_extensions(sni_load *load, const gltf_doc *doc)
{
    sni_diag *diag = &load->diag;
#define GLTF_EACH(text, total, call)            \
    for (uint32_t i = 0; i < doc->total; i++) { \
        sni_enter(diag, text, i);               \
        call;                                   \
        sni_leave(diag);                        \
    }
    GLTF_EACH("textures", texture_count, lint_texture(load, doc, &doc->textures[i]))
    GLTF_EACH("images", image_count, lint_image(load, doc, &doc->images[i]))
    GLTF_EACH("animations", animation_count, lint_animation(load, &doc->animations[i]))
    GLTF_EACH("materials", material_count, lint_material(load, &doc->materials[i]))
    GLTF_EACH("extensions/KHR_lights_punctual/lights", light_count, lint_light(load, &doc->lights[i]))
#undef GLTF_EACH
}
