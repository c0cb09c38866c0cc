// Names of the files, and what the model has no place for, as JSON text.
#include "base/sjis.h"
#include "format/level5/level5_build.h"

const char *l5_clean(l5_builder *b, sni_str text)
{
    bool was_bad = false;
    const char *clean = text.size > 0 ? sni_text_from_sjis(&b->load->keep, text, &was_bad) : "";
    if (was_bad) sni_warn(&b->load->diag, SNI_WARN_TEXT_ENCODING, 0, "\"%s\" is no Shift-JIS", clean);
    return clean ? clean : "";
}

const char *l5_label(l5_builder *b, sni_str text)
{
    const char *clean = text.size > 0 ? sni_text_from_sjis(&b->load->scratch, text, NULL) : "";
    return clean ? clean : "";
}

sni_str l5_last_name(sni_str path)
{
    size_t at = path.size;
    while (at > 0 && path.at[at - 1] != '/' && path.at[at - 1] != '\\') at--;
    return sni_str_make(path.at + at, path.size - at);
}

sni_str l5_before(sni_str name, const char *mark)
{
    size_t size = strlen(mark);
    for (size_t i = 0; i + size <= name.size; i++)
        if (memcmp(name.at + i, mark, size) == 0) return sni_str_make(name.at, i);
    return name;
}

void l5_extras_begin(l5_builder *b, l5_extras *extras)
{
    sni_writer_init(&extras->out, b->load->heap);
    extras->json = sni_json_writer_make(&extras->out, false);
    sni_json_begin_object(&extras->json);
}

const char *l5_extras_end(l5_builder *b, l5_extras *extras)
{
    const char *text = NULL;
    sni_json_end(&extras->json);
    if (!extras->out.failed && extras->out.size > 2)
        text = sni_copy_text(&b->load->keep, (const char *)extras->out.data, extras->out.size);
    sni_writer_free(&extras->out);
    return text;
}

void l5_say_text(l5_extras *extras, const char *key, const char *text)
{
    sni_json_key(&extras->json, key);
    sni_json_put_text(&extras->json, text);
}

void l5_say_integer(l5_extras *extras, const char *key, int64_t value)
{
    sni_json_key(&extras->json, key);
    sni_json_put_integer(&extras->json, value);
}

void l5_say_float(l5_extras *extras, const char *key, float value)
{
    sni_json_key(&extras->json, key);
    sni_json_put_float(&extras->json, value);
}
