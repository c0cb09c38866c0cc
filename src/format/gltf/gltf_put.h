// Putting glTF's properties into JSON: what says the usual is left out.
#ifndef GLTF_PUT_H
#define GLTF_PUT_H

#include <string.h>

#include "format/gltf/gltf_doc.h"

static inline void put_index(sni_json_writer *json, const char *key, int32_t index)
{
    if (index < 0) return;
    sni_json_key(json, key);
    sni_json_put_integer(json, index);
}

static inline void put_integer(sni_json_writer *json, const char *key, uint64_t value, uint64_t usual)
{
    if (value == usual) return;
    sni_json_key(json, key);
    sni_json_put_integer(json, (int64_t)value);
}

static inline void put_float(sni_json_writer *json, const char *key, float value, float usual)
{
    if (value == usual) return;
    sni_json_key(json, key);
    sni_json_put_float(json, value);
}

static inline void put_flag(sni_json_writer *json, const char *key, bool value)
{
    if (!value) return;
    sni_json_key(json, key);
    sni_json_put_bool(json, true);
}

static inline void put_text(sni_json_writer *json, const char *key, const char *text)
{
    if (!text) return;
    sni_json_key(json, key);
    sni_json_put_text(json, text);
}

static inline void put_floats(sni_json_writer *json, const char *key, const float *values, uint32_t count)
{
    if (count == 0) return;
    sni_json_key(json, key);
    sni_json_begin_flat_array(json);
    for (uint32_t i = 0; i < count; i++) sni_json_put_float(json, values[i]);
    sni_json_end(json);
}

// A vector that is left out where it says the usual.
static inline void put_vector(sni_json_writer *json, const char *key, const float *values, const float *usual,
                              uint32_t count)
{
    if (memcmp(values, usual, count * sizeof *values) != 0) put_floats(json, key, values, count);
}

static inline void put_indices(sni_json_writer *json, const char *key, const gltf_indices *list)
{
    if (list->count == 0) return;
    sni_json_key(json, key);
    sni_json_begin_flat_array(json);
    for (uint32_t i = 0; i < list->count; i++) sni_json_put_integer(json, list->items[i]);
    sni_json_end(json);
}

static inline void put_texts(sni_json_writer *json, const char *key, const gltf_texts *list)
{
    if (list->count == 0) return;
    sni_json_key(json, key);
    sni_json_begin_flat_array(json);
    for (uint32_t i = 0; i < list->count; i++) sni_json_put_text(json, list->items[i]);
    sni_json_end(json);
}

static inline void begin_object(sni_json_writer *json, const gltf_object *object)
{
    sni_json_begin_object(json);
    put_text(json, "name", object->name);
}

// The extensions of an object: begin one for each that is read; the first opens the whole, the end adds what was kept.
typedef struct put_extensions {
    sni_json_writer *json;
    bool is_open;
} put_extensions;

static inline void begin_extension(put_extensions *extensions, const char *name)
{
    if (!extensions->is_open) {
        sni_json_key(extensions->json, "extensions");
        sni_json_begin_object(extensions->json);
        extensions->is_open = true;
    }
    sni_json_key(extensions->json, name);
    sni_json_begin_object(extensions->json);
}

static inline void end_extensions(put_extensions *extensions, const char *kept)
{
    if (extensions->is_open) {
        if (kept) sni_json_put_members(extensions->json, kept);
        sni_json_end(extensions->json);
    } else if (kept) {
        sni_json_key(extensions->json, "extensions");
        sni_json_put_raw(extensions->json, kept);
    }
}

static inline void end_extended(put_extensions *extensions, const gltf_object *object)
{
    end_extensions(extensions, object->extensions);
    if (object->extras) {
        sni_json_key(extensions->json, "extras");
        sni_json_put_raw(extensions->json, object->extras);
    }
    sni_json_end(extensions->json);
}

static inline void end_object(sni_json_writer *json, const gltf_object *object)
{
    put_extensions none = { json, false };
    end_extended(&none, object);
}

static inline void write_attributes(sni_json_writer *json, const gltf_attributes *attributes)
{
    sni_json_begin_object(json);
    for (uint32_t i = 0; i < attributes->count; i++)
        put_index(json, attributes->items[i].name, attributes->items[i].accessor);
    sni_json_end(json);
}

// The objects of gltf_write_looks.c.
void gltf_write_material(sni_json_writer *json, const gltf_material *material);
void gltf_write_texture(sni_json_writer *json, const gltf_texture *texture);
void gltf_write_texture_sampler(sni_json_writer *json, const gltf_texture_sampler *sampler);
void gltf_write_image(sni_json_writer *json, const gltf_image *image);
void gltf_write_camera(sni_json_writer *json, const gltf_camera *camera);
void gltf_write_light(sni_json_writer *json, const gltf_light *light);

#endif
