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
