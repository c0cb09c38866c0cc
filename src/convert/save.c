// The front door of saving: choose a format by the path's ending, fit the model to it, write, tell of the losses.
#include <string.h>

#include "convert/fit.h"
#include "format/format.h"

// The ending of `format` that the path has; false: none of them.
static bool find_ending(const sni_save *save, const sni_format *format, char ending[16])
{
    for (const char *at = format->extensions; *at;) {
        size_t size = strcspn(at, " ");
        memset(ending, 0, 16);
        if (size < 16) memcpy(ending, at, size);
        if (sni_save_has_ending(save, ending)) return true;
        at += size + (at[size] == ' ');
    }
    return false;
}

static const sni_format *choose_format(const sni_save *save, char ending[16])
{
    for (int i = 0; sni_formats[i]; i++)
        if (find_ending(save, sni_formats[i], ending)) return sni_formats[i];
    return NULL;
}

static bool save_document(sni_save *save, const sni_format *format, const void *document, const char *ending)
{
    sni_writer out;
    sni_writer_init(&out, &save->heap);
    bool is_saved = format->write(save, document, ending, &out) && !out.failed &&
                    sni_save_emit(save, sni_save_name(save, ending), out.data, out.size);
    sni_writer_free(&out);
    return is_saved;
}

static bool save_model(sni_save *save, const sn_model *model)
{
    char ending[16];
    sn_model fitted;
    const sni_format *format = choose_format(save, ending);
    if (!format) return sni_fail(&save->diag, SN_ERR_FORMAT, 0, "no format that sinew writes ends like that");
    if (model->document && format->write && strcmp(model->format, format->name) == 0)
        return save_document(save, format, model->document, ending);
    if (!format->save) {
        return sni_fail(&save->diag, SN_ERR_FORMAT, 0, "sinew writes .%s only from the document of a %s", ending, format->title);
    }
    return sni_fit_model(save, model, &fitted) && format->save(save, &fitted);
}

static void tell_losses(const sni_save *save)
{
    if (!save->opts || !save->opts->report) return;
    for (const sni_warning_item *item = save->diag.first; item; item = item->next)
        save->opts->report(save->opts->user, &item->warning);
}

sn_status sn_save_file(const sn_model *model, const char *path, const sn_save_opts *opts, sn_error *error)
{
    sni_save save;
    sni_save_init(&save, path, opts);
    bool is_saved = save_model(&save, model);
    if (!is_saved && sni_save_ok(&save)) sni_fail(&save.diag, SN_ERR_MEMORY, 0, "out of memory");
    if (is_saved) tell_losses(&save);
    sn_status status = save.diag.error.status;
    if (error) *error = save.diag.error;
    sni_save_free(&save);
    return status;
}
