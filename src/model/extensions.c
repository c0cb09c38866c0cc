#include "model/extensions.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const struct property {
    sni_extension extension;
    const char *name;
    uint32_t width;
    float low, high;
    bool or_zero;
} properties[] = {
#define PROPERTY_ROW(extension, name, width, low, high, or_zero) { SNI_##extension, #name, width, low, high, or_zero },
    SNI_EXTENSION_PROPERTIES(PROPERTY_ROW)
#undef PROPERTY_ROW
};

const char *sni_extension_name(sni_extension extension)
{
    static const char *const names[SNI_EXTENSION_COUNT] = {
        [SNI_ANISOTROPY] = "KHR_materials_anisotropy",
        [SNI_CLEARCOAT] = "KHR_materials_clearcoat",
        [SNI_DIFFUSE_TRANSMISSION] = "KHR_materials_diffuse_transmission",
        [SNI_DISPERSION] = "KHR_materials_dispersion",
        [SNI_IOR] = "KHR_materials_ior",
        [SNI_IRIDESCENCE] = "KHR_materials_iridescence",
        [SNI_SHEEN] = "KHR_materials_sheen",
        [SNI_SPECULAR] = "KHR_materials_specular",
        [SNI_TRANSMISSION] = "KHR_materials_transmission",
        [SNI_VOLUME] = "KHR_materials_volume",
        [SNI_VOLUME_SCATTER] = "KHR_materials_volume_scatter",
    };
    return names[extension];
}

bool sni_extension_is_map(sni_extension_property property) { return properties[property].width == 0; }

static int find_extension(sni_str name)
{
    for (int i = 0; i < SNI_EXTENSION_COUNT; i++)
        if (sni_str_is(name, sni_extension_name((sni_extension)i))) return i;
    return -1;
}

static int find_property(int extension, sni_str name)
{
    for (int i = 0; i < SNI_PROPERTY_COUNT; i++)
        if ((int)properties[i].extension == extension && sni_str_is(name, properties[i].name)) return i;
    return -1;
}

// False when the value is not of that type, and then still to be read.
static bool read_numbers(sni_extensions *out, sni_json *json, int property)
{
    const struct property *row = &properties[property];
    float *numbers = out->values[property].numbers;
    if (row->width == 1) {
        if (sni_json_peek(json) != SNI_JSON_NUMBER) return false;
        numbers[0] = sni_json_float(json);
    } else if (!sni_json_floats(json, numbers, row->width)) {
        return false;
    }
    bool is_allowed = true;
    for (uint32_t i = 0; i < row->width; i++) {
        bool is_inside = isfinite(numbers[i]) && numbers[i] >= row->low && numbers[i] <= row->high;
        is_allowed = is_allowed && (is_inside || (row->or_zero && numbers[i] == 0.0f));
    }
    out->has[property] = is_allowed;
    out->dropped += !is_allowed;
    return true;
}

void sni_extensions_read(sni_extensions *out, sni_json *json, int32_t (*read_texture)(void *user, sni_json *json),
                         void *user)
{
    sni_str key;
    bool is_seen[SNI_PROPERTY_COUNT] = { false };
    *out = (sni_extensions){ 0 };
    for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
        int extension = find_extension(key);
        if (extension < 0 || out->present >> extension & 1 || sni_json_peek(json) != SNI_JSON_OBJECT) {
            sni_json_skip(json);
            continue;
        }
        out->present |= 1u << extension;
        for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
            int property = find_property(extension, key);
            bool is_new = property >= 0 && !is_seen[property], is_texture = is_new && properties[property].width == 0;
            if (is_new) is_seen[property] = true;
            if (is_texture) {
                out->values[property].map = read_texture ? read_texture(user, json) : sni_json_index(json);
                out->has[property] = out->values[property].map >= 0;
                out->dropped += !out->has[property];
            } else if (!is_new || !read_numbers(out, json, property)) {
                out->dropped += !sni_str_is(key, "extras") && !sni_str_is(key, "extensions");
                sni_json_skip(json);
            }
        }
    }
}

void sni_extensions_read_text(sni_extensions *out, const char *text, sni_arena *scratch)
{
    sni_diag diag;
    *out = (sni_extensions){ 0 };
    if (!text) return;
    sni_diag_init(&diag, NULL);
    sni_json json = sni_json_make(sni_str_make(text, strlen(text)), 0, SNI_JSON_MAX_DEPTH, &diag, scratch);
    if (sni_json_peek(&json) == SNI_JSON_OBJECT) sni_extensions_read(out, &json, NULL, NULL);
}

void sni_extensions_write(const sni_extensions *extensions, sni_json_writer *out, sni_put_texture *put_texture,
                          void *user)
{
    sni_json_begin_object(out);
    for (int i = 0; i < SNI_EXTENSION_COUNT; i++) {
        if (!(extensions->present >> i & 1)) continue;
        sni_json_key(out, sni_extension_name((sni_extension)i));
        sni_json_begin_object(out);
        for (int p = 0; p < SNI_PROPERTY_COUNT; p++) {
            const struct property *row = &properties[p];
            if ((int)row->extension != i || !extensions->has[p]) continue;
            sni_json_key(out, row->name);
            if (row->width > 1) sni_json_begin_flat_array(out);
            for (uint32_t k = 0; k < row->width; k++) sni_json_put_float(out, extensions->values[p].numbers[k]);
            if (row->width > 1) sni_json_end(out);
            if (row->width == 0 && put_texture)
                put_texture(user, (sni_extension_property)p, extensions->values[p].map, out);
            else if (row->width == 0) sni_json_put_integer(out, extensions->values[p].map);
        }
        sni_json_end(out);
    }
    sni_json_end(out);
}

void sni_extensions_remove(sni_extensions *extensions, sni_extension extension)
{
    extensions->present &= ~(1u << extension);
    for (int i = 0; i < SNI_PROPERTY_COUNT; i++)
        if (properties[i].extension == extension) extensions->has[i] = false;
}
