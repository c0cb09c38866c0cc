// What W3D says that the model has no place for.
#include "format/w3d/w3d_build.h"

void w3d_say_text(sni_extras *extras, w3d_builder *b, const char *key, sni_str text)
{
    if (text.size > 0) sni_extras_put_text(extras, key, w3d_label(b, text));
}

void w3d_say_collision(sni_extras *extras, uint32_t attributes)
{
    static const char *const kinds[] = { "physical", "projectile", "visibility", "camera",
                                         "vehicle",  "user1",      "user2",      "user3" };
    if (!(attributes & W3D_COLLISION_MASK)) return;
    sni_json_key(&extras->json, "collision");
    sni_json_begin_flat_array(&extras->json);
    for (uint32_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (attributes >> (4 + i) & 1) sni_json_put_text(&extras->json, kinds[i]);
    sni_json_end(&extras->json);
}
