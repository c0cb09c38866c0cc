// Small, and a file of its own: the builders of three formats share it.
#include "model/extras.h"

void sni_extras_begin(sni_arena *arena, sni_extras *extras)
{
    sni_writer_init(&extras->out, arena->heap);
    extras->json = sni_json_writer_make(&extras->out, false);
    sni_json_begin_object(&extras->json);
}

const char *sni_extras_end(sni_arena *arena, sni_extras *extras)
{
    const char *text = NULL;
    sni_json_end(&extras->json);
    if (!extras->out.failed && extras->out.size > 2)
        text = sni_copy_text(arena, (const char *)extras->out.data, extras->out.size);
    sni_writer_free(&extras->out);
    return text;
}

void sni_extras_put_text(sni_extras *extras, const char *key, const char *text)
{
    sni_json_key(&extras->json, key);
    sni_json_put_text(&extras->json, text);
}

void sni_extras_put_integer(sni_extras *extras, const char *key, int64_t value)
{
    sni_json_key(&extras->json, key);
    sni_json_put_integer(&extras->json, value);
}

void sni_extras_put_floats(sni_extras *extras, const char *key, const float *values, uint32_t count)
{
    sni_json_key(&extras->json, key);
    if (count > 1) sni_json_begin_flat_array(&extras->json);
    for (uint32_t i = 0; i < count; i++) sni_json_put_float(&extras->json, values[i]);
    if (count > 1) sni_json_end(&extras->json);
}

void sni_extras_put_float(sni_extras *extras, const char *key, float value)
{
    sni_extras_put_floats(extras, key, &value, 1);
}

void sni_extras_put_flag(sni_extras *extras, const char *key, bool value)
{
    if (!value) return;
    sni_json_key(&extras->json, key);
    sni_json_put_bool(&extras->json, true);
}

// Stands before the value of the key. Extras that a user broke are as good as none.
static bool find_key(sni_json *json, sni_diag *diag, sni_arena *arena, const char *extras, const char *wanted,
                     sni_json_kind kind)
{
    sni_str key;
    if (!extras) return false;
    sni_diag_init(diag, NULL);
    *json = sni_json_make(sni_str_make(extras, strlen(extras)), 0, 64, diag, arena);
    if (sni_json_peek(json) != SNI_JSON_OBJECT) return false;
    for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
        if (sni_str_is(key, wanted)) return sni_json_peek(json) == kind;
        sni_json_skip(json);
    }
    return false;
}

bool sni_extras_find_text(sni_arena *arena, const char *extras, const char *key, const char **text)
{
    sni_json json;
    sni_diag diag;
    if (!find_key(&json, &diag, arena, extras, key, SNI_JSON_STRING)) return false;
    *text = sni_json_string(&json, NULL);
    return *text != NULL && sni_json_ok(&json);
}

bool sni_extras_find_float(sni_arena *arena, const char *extras, const char *key, float *value)
{
    sni_json json;
    sni_diag diag;
    if (!find_key(&json, &diag, arena, extras, key, SNI_JSON_NUMBER)) return false;
    *value = sni_json_float(&json);
    return sni_json_ok(&json);
}

bool sni_extras_find_floats(sni_arena *arena, const char *extras, const char *key, float *values, uint32_t count)
{
    sni_json json;
    sni_diag diag;
    return find_key(&json, &diag, arena, extras, key, SNI_JSON_ARRAY) && sni_json_floats(&json, values, count);
}

bool sni_extras_find_flag(sni_arena *arena, const char *extras, const char *key, bool *value)
{
    sni_json json;
    sni_diag diag;
    if (!find_key(&json, &diag, arena, extras, key, SNI_JSON_BOOL)) return false;
    *value = sni_json_bool(&json);
    return sni_json_ok(&json);
}

bool sni_extras_find_object(sni_arena *arena, const char *extras, const char *key, const char **text)
{
    sni_json json;
    sni_diag diag;
    if (!find_key(&json, &diag, arena, extras, key, SNI_JSON_OBJECT)) return false;
    const sni_str raw = sni_json_raw(&json);
    *text = sni_json_ok(&json) ? sni_copy_text(arena, raw.at, raw.size) : NULL;
    return *text != NULL;
}

bool sni_extras_open_array(sni_arena *arena, const char *extras, const char *key, sni_json *json, sni_diag *diag)
{
    if (!find_key(json, diag, arena, extras, key, SNI_JSON_ARRAY)) return false;
    sni_json_enter_array(json);
    return true;
}

const sni_flag_name sni_inheritance_names[8] = {
    { SN_NODE_BILLBOARD, "billboard" },
    { SN_NODE_BILLBOARD_X, "billboardX" },
    { SN_NODE_BILLBOARD_Y, "billboardY" },
    { SN_NODE_BILLBOARD_Z, "billboardZ" },
    { SN_NODE_OWN_TRANSLATION, "ownTranslation" },
    { SN_NODE_OWN_ROTATION, "ownRotation" },
    { SN_NODE_OWN_SCALE, "ownScale" },
    { 0, NULL },
};
