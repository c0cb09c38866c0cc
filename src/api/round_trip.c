// Does a file survive being read and written?
#include <string.h>

#include "format/format.h"
#include "io/load.h"

static const sni_format *find_format(const char *name)
{
    for (int i = 0; sni_formats[i]; i++)
        if (strcmp(sni_formats[i]->name, name) == 0) return sni_formats[i];
    return NULL;
}

// The document of `bytes`, written in the form it came in. The model stays the caller's.
static sn_model *rewrite(sni_save *save, sni_bytes bytes, const sn_load_opts *opts, sni_writer *out)
{
    sn_model *model = sn_load_memory(bytes.data, bytes.size, opts, &save->diag.error);
    const sni_format *format = model ? find_format(model->format) : NULL;
    if (format && !format->write)
        sni_fail(&save->diag, SN_ERR_UNSUPPORTED, 0, "%s keeps no document to write again", format->title);
    else if (format && (!format->write(save, model->document, NULL, out) || out->failed))
        sni_fail(&save->diag, SN_ERR_MEMORY, 0, "out of memory");
    return model;
}

static uint64_t first_difference(sni_bytes a, const sni_writer *b)
{
    size_t size = a.size < b->size ? a.size : b->size, at = 0;
    while (at < size && a.data[at] == b->data[at]) at++;
    return at;
}

static void compare(sni_save *save, sni_bytes bytes, const sn_load_opts *opts, sn_round_trip *result)
{
    sni_writer once, twice;
    sni_writer_init(&once, &save->heap);
    sni_writer_init(&twice, &save->heap);
    sn_model *model = rewrite(save, bytes, opts, &once);
    if (sni_save_ok(save)) {
        result->offset = first_difference(bytes, &once);
        result->is_identical = result->is_same = bytes.size == once.size && result->offset == bytes.size;
    }
    if (sni_save_ok(save) && !result->is_identical) {
        find_format(model->format)->locate(model->document, bytes, result->offset, result->path);
        sn_model_free(rewrite(save, (sni_bytes){ once.data, once.size }, opts, &twice));
        result->is_same = sni_save_ok(save) && once.size == twice.size && memcmp(once.data, twice.data, once.size) == 0;
    }
    sn_model_free(model);
    sni_writer_free(&once);
    sni_writer_free(&twice);
}

sn_status sn_check_round_trip(const void *data, size_t size, const sn_load_opts *opts, sn_round_trip *result,
                              sn_error *error)
{
    sni_save save;
    sn_load_opts kept = opts ? *opts : (sn_load_opts){ 0 };
    *result = (sn_round_trip){ 0 };
    kept.keep_document = true;
    sni_save_init(&save, "", UINT64_MAX, &(sn_save_opts){ .allocator = kept.allocator });
    compare(&save, (sni_bytes){ data ? data : (const uint8_t *)"", data ? size : 0 }, &kept, result);
    sn_status status = save.diag.error.status;
    if (error) *error = save.diag.error;
    sni_save_free(&save);
    return status;
}
