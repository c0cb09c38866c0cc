#include "format/format.h"
#include "format/level5/level5_doc.h"
#include "model/builder.h"

static bool l5_load(sni_load *load, sni_bytes bytes, sn_model *model)
{
    l5_doc *doc = sni_new(sni_load_document_arena(load), l5_doc, 1);
    if (!doc || !l5_parse(load, l5_find_kind(bytes, load->name), bytes, doc) || !l5_build(load, doc, model))
        return false;
    if (load->opts && load->opts->keep_document) model->document = doc;
    return sni_model_finish(load, model);
}

static bool l5_write_document(sni_save *save, const void *document, const char *ending, sni_writer *out)
{
    (void)save, (void)ending;
    l5_write(document, out);
    return !out->failed;
}

static void l5_locate_byte(const void *document, sni_bytes bytes, uint64_t offset, char path[112])
{
    (void)bytes;
    l5_locate(document, offset, path);
}

const sni_format sni_format_level5 = {
    .name = "level5",
    .title = "Level-5 model (Dark Cloud)",
    .extensions = "mds chr pak mpk pcp efp sky pac",  // what opens but is no model by itself is told by its bytes
    .probe = l5_probe,
    .load = l5_load,
    .write = l5_write_document,
    .locate = l5_locate_byte,
};
