// The front door of saving: choose a format by the path's ending, fit the model to it, write, tell of the losses.
#include <string.h>

#include "convert/fit.h"
#include "format/format.h"

static const sni_format *choose_format(const sni_save *save)
{
    for (int i = 0; sni_formats[i]; i++) {
        if (!sni_formats[i]->save) continue;
        for (const char *at = sni_formats[i]->extensions; *at;) {
            char ending[16] = { 0 };
            size_t size = strcspn(at, " ");
            if (size < sizeof ending) memcpy(ending, at, size);
            if (sni_save_has_ending(save, ending)) return sni_formats[i];
            at += size + (at[size] == ' ');
        }
    }
    return NULL;
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
    const sni_format *format = choose_format(&save);
    if (!format) sni_fail(&save.diag, SN_ERR_FORMAT, 0, "no format that sinew writes ends like that");
    sn_model fitted;
    bool is_saved = format && sni_fit_model(&save, model, &fitted) && format->save(&save, &fitted);
    if (!is_saved && sni_save_ok(&save)) sni_fail(&save.diag, SN_ERR_MEMORY, 0, "out of memory");
    if (is_saved) tell_losses(&save);
    sn_status status = save.diag.error.status;
    if (error) *error = save.diag.error;
    sni_save_free(&save);
    return status;
}
