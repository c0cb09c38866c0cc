// Saving any model as MDX or MDL: the fitted model becomes a document, which is written like one that was loaded.
#include "format/mdx/mdx_export.h"

#include <string.h>

#include "base/text.h"

sni_str mdx_name_text(mdx_exporter *x, const char *text, size_t most)
{
    const size_t whole = strlen(text);
    size_t size = whole;
    if (size >= most) {
        for (size = most - 1; size > 0 && ((uint8_t)text[size] & 0xC0) == 0x80;) size--;
        sni_warn(&x->save->diag, SNI_WARN_LOST_CONTENT, 0, "the name \"%.60s\" is longer than %u bytes", text,
                 (unsigned)most - 1);
    }
    return sni_str_make(text, size);
}

static uint32_t version_of(const sn_save_opts *opts)
{
    if (opts && opts->mdx_version) return opts->mdx_version;
    return opts && opts->game == SN_GAME_REFORGED ? 1000 : 800;
}

static bool check_version(sni_save *save, uint32_t version)
{
    if (version == 800 || version == 1000 || version == 1100 || version == 1200) return true;
    return sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "MDX version %u; sinew writes 800, 1000, 1100 and 1200",
                    version);
}

static bool store_globals(mdx_exporter *x)
{
    const uint32_t *periods = x->periods.items;
    uint8_t *data = sni_new_raw(x->arena, uint8_t, 4ull * x->periods.count);
    if (!data) return false;
    for (uint32_t i = 0; i < x->periods.count; i++) sni_store_u32(data + 4 * (size_t)i, periods[i]);
    x->doc->global_sequences = (mdx_array){ data, x->periods.count };
    return true;
}

void mdx_fit(const sn_save_opts *opts, sni_holds *holds)
{
    static const char *const classic[] = { SNI_MIME_BLP, SNI_MIME_DDS, NULL };
    static const char *const reforged[] = { SNI_MIME_TGA, SNI_MIME_BLP, SNI_MIME_DDS,
                                            NULL };  // 256 colours are too few
    const bool has_weights = version_of(opts) >= 1000;
    *holds = (sni_holds){ .is_rebound = true,
                          .has_equal_weights = !has_weights,
                          .influences = has_weights ? 4 : 0,
                          .has_tangents = has_weights,
                          .images = has_weights ? reforged : classic };
}

bool mdx_save(sni_save *save, const sn_model *model)
{
    mdx_doc doc = { .version = version_of(save->opts) };
    mdx_exporter x = { .save = save, .arena = &save->scratch, .model = model, .doc = &doc };
    if (!check_version(save, doc.version)) return false;
    const uint32_t joints = model->skin_count > 0 ? model->skins[0].joint_count : 0;
    if (doc.version >= 1000 && joints > 256)
        return sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "%u bones, version %u has 256", joints, doc.version);
    x.corner_errors[0] = 2e-5 * save->clip_bounds[0].radius;
    x.corner_errors[1] = 2e-5;
    x.has_skins = doc.version >= 1000;
    doc.model.name = mdx_name_text(&x, model->name[0] ? model->name : "model", MDX_NAME_BYTES);
    doc.model.blend_time = 150;
    doc.model.extent = mdx_extent_of(&save->clip_bounds[0]);
    sni_writer out;
    sni_writer_init(&out, &save->heap);
    bool is_saved = mdx_export_timeline(&x) && mdx_export_nodes(&x) && mdx_export_materials(&x) &&
                    mdx_export_geosets(&x) && store_globals(&x);
    sni_warn_many(&save->diag, SNI_WARN_RESAMPLED, x.inexact, 0,
                  "tracks were sampled, or keys moved to whole milliseconds");
    if (is_saved) {
        const bool is_text = sni_save_has_ending(save, "mdl");
        (is_text ? mdx_mdl_write : mdx_write)(&doc, &out);
        is_saved = !out.failed && sni_save_emit(save, sni_last_name(save->path), out.data, out.size);
    }
    sni_writer_free(&out);
    return is_saved && sni_save_ok(save);
}
