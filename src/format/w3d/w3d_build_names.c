// Names of the format, as text.
#include "format/w3d/w3d_build.h"

sni_str w3d_after_dot(sni_str name)
{
    const char *dot = name.size > 0 ? memchr(name.at, '.', name.size) : NULL;
    if (!dot) return name;
    size_t skipped = (size_t)(dot + 1 - name.at);
    return sni_str_make(dot + 1, name.size - skipped);
}

sni_str w3d_full_name(w3d_builder *b, sni_str container, sni_str name)
{
    size_t size = container.size + 1 + name.size;
    if (container.size == 0) return name;
    char *text = sni_new_raw(&b->load->scratch, char, size);
    if (!text) return name;
    memcpy(text, container.at, container.size);
    text[container.size] = '.';
    if (name.size > 0) memcpy(text + container.size + 1, name.at, name.size);
    return sni_str_make(text, size);
}

const char *w3d_clean(w3d_builder *b, sni_str text)
{
    bool was_bad = false;
    const char *clean = text.size > 0 ? sni_text_clean(&b->load->keep, text, &was_bad) : "";
    if (was_bad) sni_warn(&b->load->diag, SNI_WARN_TEXT_ENCODING, 0, "\"%s\" was not valid UTF-8", clean);
    return clean ? clean : "";
}

const char *w3d_label(w3d_builder *b, sni_str text)
{
    const char *clean = text.size > 0 ? sni_text_clean(&b->load->scratch, text, NULL) : "";
    return clean ? clean : "";
}

uint64_t w3d_offset(const w3d_doc *doc, int32_t chunk)
{
    return chunk >= 0 && (uint32_t)chunk < doc->chunk_count ? doc->chunks[chunk].offset : 0;
}
