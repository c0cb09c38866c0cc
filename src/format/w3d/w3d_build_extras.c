// What the model has no place for, as JSON text.
#include <math.h>

#include "format/w3d/w3d_build.h"

void w3d_extras_begin(w3d_builder *b, w3d_extras *extras)
{
    sni_writer_init(&extras->out, b->load->heap);
    extras->json = sni_json_writer_make(&extras->out, false);
    sni_json_begin_object(&extras->json);
}

const char *w3d_extras_end(w3d_builder *b, w3d_extras *extras)
{
    const char *text = NULL;
    sni_json_end(&extras->json);
    if (!extras->out.failed && extras->out.size > 2)
        text = sni_copy_text(&b->load->keep, (const char *)extras->out.data, extras->out.size);
    sni_writer_free(&extras->out);
    return text;
}

void w3d_say_word(w3d_extras *extras, const char *key, const char *word)
{
    sni_json_key(&extras->json, key);
    sni_json_put_text(&extras->json, word);
}

void w3d_say_text(w3d_extras *extras, w3d_builder *b, const char *key, sni_str text)
{
    if (text.size > 0) w3d_say_word(extras, key, w3d_label(b, text));
}

void w3d_say_integer(w3d_extras *extras, const char *key, int64_t value)
{
    sni_json_key(&extras->json, key);
    sni_json_put_integer(&extras->json, value);
}

void w3d_say_floats(w3d_extras *extras, const char *key, const float *values, uint32_t count)
{
    sni_json_key(&extras->json, key);
    if (count > 1) sni_json_begin_flat_array(&extras->json);
    for (uint32_t i = 0; i < count; i++) sni_json_put_float(&extras->json, values[i]);
    if (count > 1) sni_json_end(&extras->json);
}

void w3d_say_flag(w3d_extras *extras, const char *key, bool value)
{
    if (!value) return;
    sni_json_key(&extras->json, key);
    sni_json_put_bool(&extras->json, true);
}

void w3d_say_collision(w3d_extras *extras, uint32_t attributes)
{
    static const char *const kinds[] = { "physical", "projectile", "visibility", "camera", "vehicle", "user1", "user2",
        "user3" };
    if (!(attributes & W3D_COLLISION_MASK)) return;
    sni_json_key(&extras->json, "collision");
    sni_json_begin_flat_array(&extras->json);
    for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (attributes >> (4 + i) & 1) sni_json_put_text(&extras->json, kinds[i]);
    sni_json_end(&extras->json);
}
