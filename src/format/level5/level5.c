#include "format/format.h"
#include "format/level5/level5_doc.h"
#include "model/builder.h"

static bool level5_load(sni_load *load, sni_bytes bytes, sn_model *model)
{
    level5_doc *doc = sni_new(sni_load_document_arena(load), level5_doc, 1);
    if (!doc || !level5_parse(load, level5_find_kind(bytes, load->name), bytes, doc) || !level5_build(load, doc, model))
        return false;
    if (load->opts && load->opts->keep_document) model->document = doc;
    return sni_model_finish(load, model);
}

static bool level5_write_document(sni_save *save, const void *document, const char *ending, sni_writer *out)
{
    (void)save, (void)ending;
    level5_write(document, out);
    return !out->failed;
}

static void level5_locate_byte(const void *document, sni_bytes bytes, uint64_t offset, char path[112])
{
    (void)bytes;
    level5_locate(document, offset, path);
}

const sni_format sni_format_level5 = {
    .name = "level5",
    .title = "Level-5 model (Dark Cloud)",
    .extensions = "mds chr pak mpk pcp efp sky pac",  // what opens but is no model by itself is told by its bytes
    .probe = level5_probe,
    .load = level5_load,
    .write = level5_write_document,
    .locate = level5_locate_byte,
};
