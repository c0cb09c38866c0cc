// A document to a model: what the file says gets its meaning here.
#include "format/mdx/mdx_build.h"

#include <string.h>

sni_str mdx_cut(sni_str text)
{
    if (!text.at) return sni_str_make("", 0);
    const char *nul = memchr(text.at, 0, text.size);
    return nul ? sni_str_make(text.at, (size_t)(nul - text.at)) : text;
}

const char *mdx_text(mdx_builder *b, sni_str text, uint64_t offset)
{
    bool was_bad = false;
    const char *clean = sni_text_clean(&b->load->keep, mdx_cut(text), &was_bad);
    if (was_bad) sni_warn(&b->load->diag, SNI_WARN_TEXT_ENCODING, offset, "\"%.100s\" was not valid UTF-8", clean);
    return clean ? clean : "";
}

sn_vec3 mdx_vec3_at(mdx_array array, uint32_t index)
{
    const uint8_t *at = array.data + 12 * (size_t)index;
    return (sn_vec3){ sni_load_f32(at), sni_load_f32(at + 4), sni_load_f32(at + 8) };
}

const mdx_track *mdx_find_owned(const mdx_tracks *tracks, uint32_t tag)
{
    for (uint32_t i = tracks->count; i-- > 0;)
        if (tracks->items[i].kind->tag == tag && tracks->items[i].keys.count > 0) return &tracks->items[i];
    return NULL;
}

static bool make_constants(mdx_builder *b)
{
    float *constants = sni_new(&b->load->keep, float, 2);
    if (!constants) return false;
    constants[1] = 1.0f;
    b->zero = &constants[0];
    b->one = &constants[1];
    return true;
}

bool mdx_build(sni_load *load, const mdx_doc *doc, sn_model *model)
{
    mdx_builder b = { .load = load, .doc = doc, .model = model, .carrier = -1 };
    b.wrap = load->opts && load->opts->continuous ? SN_WRAP_CYCLE : SN_WRAP_CYCLE_GAME;
    model->format = "mdx";
    model->up_axis = SN_Z_UP;
    model->name = mdx_text(&b, doc->model.name, 0);
    model->extras = mdx_model_extras(&b);
    bool is_built = make_constants(&b) && mdx_build_nodes(&b) && mdx_build_looks(&b) && mdx_build_geosets(&b) &&
                    mdx_build_geoset_anims(&b) && mdx_build_carried(&b) && mdx_build_clips(&b);
    sni_warn_many(&load->diag, SNI_WARN_REFERENCE, b.bad_globals, 0,
                  "tracks of global sequences beyond the %u there are", doc->global_sequences.count);
    return is_built && sni_load_ok(load);
}
