#include "format/format.h"
#include "format/mdx/mdx_doc.h"
#include "model/builder.h"

static bool is_binary(sni_bytes bytes)
{
    return bytes.size >= 4 && sni_load_u32(bytes.data) == MDX_TAG('M', 'D', 'L', 'X');
}

static bool is_space(uint8_t c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
static bool is_letter(uint8_t c) { return (c | 32) >= 'a' && (c | 32) <= 'z'; }

// Behind white space and comments: tools begin with their banner.
static const uint8_t *skip_to_word(const uint8_t *at, const uint8_t *end)
{
    if (end - at >= 3 && at[0] == 0xEF && at[1] == 0xBB && at[2] == 0xBF) at += 3;
    while (at < end) {
        if (is_space(*at)) at++;
        else if (end - at >= 2 && at[0] == '/' && at[1] == '/')
            while (at < end && *at != '\n') at++;
        else break;
    }
    return at;
}

// Text is MDL when its first word is a block of it and the second what may follow one: a name, a count or the block.
static int mdx_mdl_probe(sni_bytes bytes)
{
    static const char *const blocks[] = { "Version",
                                          "Model",
                                          "Sequences",
                                          "GlobalSequences",
                                          "Textures",
                                          "Materials",
                                          "TextureAnims",
                                          "Geoset",
                                          "GeosetAnim",
                                          "Bone",
                                          "Light",
                                          "Helper",
                                          "Attachment",
                                          "PivotPoints",
                                          "ParticleEmitter",
                                          "ParticleEmitter2",
                                          "ParticleEmitterPopcorn",
                                          "RibbonEmitter",
                                          "EventObject",
                                          "Camera",
                                          "CollisionShape",
                                          "FaceFX",
                                          "BindPose" };
    const uint8_t *end = bytes.data + bytes.size, *word = skip_to_word(bytes.data, end), *at = word;
    while (at < end && (is_letter(*at) || *at == '2')) at++;
    const uint8_t *next = skip_to_word(at, end);
    if (next < end && *next != '{' && *next != '"' && (*next < '0' || *next > '9')) return 0;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (sni_str_is_nocase(sni_str_make((const char *)word, (size_t)(at - word)), blocks[i])) return 60;
    return 0;
}

static int mdx_probe(sni_bytes bytes) { return is_binary(bytes) ? 100 : mdx_mdl_probe(bytes); }

static bool mdx_load(sni_load *load, sni_bytes bytes, sn_model *model)
{
    mdx_doc *doc = sni_new(sni_load_document_arena(load), mdx_doc, 1);
    if (!doc || !(is_binary(bytes) ? mdx_parse : mdx_parse_mdl)(load, bytes, doc)) return false;
    doc->is_text = !is_binary(bytes);
    if (load->opts && load->opts->keep_document) model->document = doc;
    return mdx_build(load, doc, model) && sni_model_finish(load, model);
}

static bool mdx_write_form(sni_save *save, const void *document, const char *ending, sni_writer *out)
{
    const mdx_doc *doc = document;
    bool is_text = ending ? strcmp(ending, "mdl") == 0 : doc->is_text;
    if (is_text && doc->version == MDX_BATCHES_VERSION)
        return sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "MDL has no words for the geosets of version %u",
                        doc->version);
    (is_text ? mdx_write_mdl : mdx_write)(doc, out);
    return !out->failed;
}

static void mdx_locate_byte(const void *document, sni_bytes bytes, uint64_t offset, char path[112])
{
    const mdx_doc *doc = document;
    if (doc->is_text) mdx_locate_line(bytes, offset, path, 112);
    else mdx_locate(doc, bytes, offset, path, 112);
}

const sni_format sni_format_mdx = {
    .name = "mdx",
    .title = "Warcraft III model",
    .extensions = "mdx mdl",
    .probe = mdx_probe,
    .load = mdx_load,
    .write = mdx_write_form,
    .locate = mdx_locate_byte,
};
