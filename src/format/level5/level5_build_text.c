// Names of the files, and what the model has no place for, as JSON text.
#include <stdio.h>

#include "base/sjis.h"
#include "format/level5/level5_build.h"

const char *level5_clean(level5_builder *b, sni_str text)
{
    bool was_bad = false;
    const char *clean = text.size > 0 ? sni_text_from_sjis(&b->load->keep, text, &was_bad) : "";
    if (was_bad) sni_warn(&b->load->diag, SNI_WARN_TEXT_ENCODING, 0, "\"%s\" is no Shift-JIS", clean);
    return clean ? clean : "";
}

const char *level5_label(level5_builder *b, sni_str text)
{
    const char *clean = text.size > 0 ? sni_text_from_sjis(&b->load->scratch, text, NULL) : "";
    return clean ? clean : "";
}

const char *level5_name_part(level5_builder *b, sni_str name, const char *part)
{
    char text[512];
    int length = snprintf(text, sizeof text, "%s.%s", level5_label(b, name), part);
    const char *joined = (size_t)length < sizeof text ? sni_copy_text(&b->load->keep, text, (size_t)length)
                                                      : level5_clean(b, name);
    return joined ? joined : "";
}

// A backslash may be the second byte of a sign; a slash never is.
sni_str level5_last_name(sni_str path)
{
    size_t start = 0;
    for (size_t i = 0; i < path.size; i++) {
        bool is_pair = sni_sjis_is_lead((uint8_t)path.at[i]) && i + 1 < path.size && (uint8_t)path.at[i + 1] >= 0x40;
        if (is_pair) i++;
        else if (path.at[i] == '/' || path.at[i] == '\\') start = i + 1;
    }
    return sni_str_make(path.at + start, path.size - start);
}

sni_str level5_before(sni_str name, const char *mark)
{
    size_t size = strlen(mark);
    for (size_t i = 0; i + size <= name.size; i++)
        if (memcmp(name.at + i, mark, size) == 0) return sni_str_make(name.at, i);
    return name;
}
