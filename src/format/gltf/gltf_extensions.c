// Which extensions there are, and what sinew does with each.
#include <string.h>

#include "format/gltf/gltf_doc.h"

// clang-format off
static const struct { const char *name; gltf_extension_use use; } extensions[] = {
    { "KHR_mesh_quantization", GLTF_READ },
    { "KHR_texture_transform", GLTF_READ },
    { "KHR_lights_punctual", GLTF_READ },
    { "KHR_materials_unlit", GLTF_READ },
    { "KHR_materials_emissive_strength", GLTF_READ },
    { "KHR_materials_pbrSpecularGlossiness", GLTF_READ },
    { "KHR_node_visibility", GLTF_READ },
    { "KHR_animation_pointer", GLTF_READ },
    { "EXT_mesh_gpu_instancing", GLTF_READ },
    { "EXT_texture_webp", GLTF_READ },               // as a reference; the picture stays encoded
    { "KHR_texture_basisu", GLTF_READ },
    { "KHR_materials_anisotropy", GLTF_LOOK },
    { "KHR_materials_clearcoat", GLTF_LOOK },
    { "KHR_materials_diffuse_transmission", GLTF_LOOK },
    { "KHR_materials_dispersion", GLTF_LOOK },
    { "KHR_materials_ior", GLTF_LOOK },
    { "KHR_materials_iridescence", GLTF_LOOK },
    { "KHR_materials_sheen", GLTF_LOOK },
    { "KHR_materials_specular", GLTF_LOOK },
    { "KHR_materials_transmission", GLTF_LOOK },
    { "KHR_materials_volume", GLTF_LOOK },
    { "KHR_materials_volume_scatter", GLTF_LOOK },
    { "KHR_materials_variants", GLTF_KEPT },         // the plain material is the default
    { "KHR_xmp_json_ld", GLTF_KEPT },
    { "EXT_lights_image_based", GLTF_KEPT },         // surroundings; whoever shows the model has their own
    { "EXT_meshopt_compression", GLTF_CODEC },
    { "KHR_meshopt_compression", GLTF_CODEC },
    { "KHR_draco_mesh_compression", GLTF_CODEC },
};
// clang-format on

gltf_extension_use gltf_find_extension(sni_str name)
{
    for (size_t i = 0; i < sizeof extensions / sizeof extensions[0]; i++) {
        if (!sni_str_is(name, extensions[i].name)) continue;
        return gltf_has_codec(extensions[i].name) ? GLTF_READ : extensions[i].use;
    }
    return GLTF_UNKNOWN;
}

static gltf_extension_use use_of(const char *name) { return gltf_find_extension(sni_str_make(name, strlen(name))); }

static void check_required(sni_load *load, const gltf_texts *names)
{
    for (uint32_t i = 0; i < names->count && sni_load_ok(load); i++) {
        gltf_extension_use use = use_of(names->items[i]);
        if (use == GLTF_READ) continue;
        sni_enter(&load->diag, "extensionsRequired", i);
        if (use == GLTF_LOOK || use == GLTF_KEPT)
            sni_warn(&load->diag, SNI_WARN_GLTF_EXTENSION, 0, "%s is required, but not shown", names->items[i]);
        else sni_fail(&load->diag, SN_ERR_UNSUPPORTED, 0, "needs the extension %s", names->items[i]);
        sni_leave(&load->diag);
    }
}

bool gltf_check_extensions(sni_load *load, const gltf_doc *doc)
{
    check_required(load, &doc->extensions_required);
    for (uint32_t i = 0; i < doc->extensions_used.count; i++) {
        const char *name = doc->extensions_used.items[i];
        if (use_of(name) == GLTF_READ) continue;
        sni_enter(&load->diag, "extensionsUsed", i);
        sni_warn(&load->diag, SNI_WARN_GLTF_EXTENSION, 0, "%s is not read", name);
        sni_leave(&load->diag);
    }
    for (uint32_t i = 0; i < doc->extensions_found.count; i++) {
        const char *name = doc->extensions_found.items[i];
        if (use_of(name) == GLTF_READ) continue;
        sni_enter(&load->diag, name, -1);
        sni_warn(&load->diag, SNI_WARN_LOST_CONTENT, 0, "what %s says is left out of the model", name);
        sni_leave(&load->diag);
    }
    return sni_load_ok(load);
}
