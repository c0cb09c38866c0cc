// Extras are objects in glTF; what a model has may be any JSON.
#include <string.h>

#include "format/gltf/gltf_export.h"

static const char *finish(gltf_export *export, sni_writer *text)
{
    const char *made = text->failed ? NULL
                                    : sni_copy_text(&export->save->scratch, (const char *)text->data, text->size);
    sni_writer_free(text);
    return made;
}

const char *gltf_extras(gltf_export *export, const char *extras)
{
    if (!extras || extras[0] == '{') return extras;
    sni_writer text;
    sni_writer_init(&text, &export->save->heap);
    sni_json_writer json = sni_json_writer_make(&text, false);
    sni_json_begin_object(&json);
    sni_json_key(&json, "value");
    sni_json_put_raw(&json, extras);
    sni_json_end(&json);
    return finish(export, &text);
}

typedef struct members {
    bool any, has;
} members;

// Whether there is anything, and a member of that name, which then stays. What is no JSON is left as it is, too.
static members look_into(gltf_export *export, const char *extras, const char *name)
{
    members found = { false, false };
    sni_diag diag;
    sni_str key;
    if (!extras) return found;
    sni_diag_init(&diag, NULL);
    sni_json json = sni_json_make(sni_str_make(extras, strlen(extras)), 0, SNI_JSON_MAX_DEPTH, &diag,
                                  &export->save->scratch);
    for (sni_json_enter_object(&json); sni_json_next_key(&json, &key); sni_json_skip(&json)) {
        found.any = true;
        found.has = found.has || sni_str_is(key, name);
    }
    return sni_failed(&diag) ? (members){ true, true } : found;
}

static bool has_names(const sn_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        if (mesh->morphs[i].name[0]) return true;
    }
    return false;
}

const char *gltf_mesh_extras(gltf_export *export, const sn_mesh *mesh)
{
    const char *extras = gltf_extras(export, mesh->extras);
    if (!has_names(mesh)) return extras;
    members found = look_into(export, extras, "targetNames");
    if (found.has) return extras;
    sni_writer text;
    sni_writer_init(&text, &export->save->heap);
    sni_json_writer json = sni_json_writer_make(&text, false);
    sni_json_begin_object(&json);
    sni_json_key(&json, "targetNames");
    sni_json_begin_array(&json);
    for (uint32_t i = 0; i < mesh->morph_count; i++) sni_json_put_text(&json, mesh->morphs[i].name);
    sni_json_end(&json);
    if (found.any) sni_json_put_members(&json, extras);
    sni_json_end(&json);
    return finish(export, &text);
}

const char *gltf_blend_name(sn_blend blend)
{
    static const char *const names[] = { "opaque",   "alpha",       "add",    "add alpha",
                                         "modulate", "modulate 2x", "screen", "subtract" };
    return names[blend];
}

const char *gltf_material_extras(gltf_export *export, const sn_material *material)
{
    const char *extras = gltf_extras(export, material->extras);
    sn_blend blend = material->layer_count > 0 ? material->layers[0].blend : SN_BLEND_OPAQUE;
    if (blend <= SN_BLEND_ALPHA) return extras;
    members found = look_into(export, extras, "blend");
    if (found.has) return extras;
    sni_writer text;
    sni_writer_init(&text, &export->save->heap);
    sni_json_writer json = sni_json_writer_make(&text, false);
    sni_json_begin_object(&json);
    sni_json_key(&json, "blend");
    sni_json_put_text(&json, gltf_blend_name(blend));
    if (found.any) sni_json_put_members(&json, extras);
    sni_json_end(&json);
    return finish(export, &text);
}
