// Which formats there are, and which of them a file is in. Small, and a file of its own: loading and saving share it.
#include "api/formats.h"

static void describe(const sni_format *format, sn_format *out)
{
    *out = (sn_format){ .name = format->name,
                        .title = format->title,
                        .extensions = format->extensions,
                        .is_saved = format->save != NULL,
                        .has_document = format->write != NULL,
                        .has_exact_refs = format->has_exact_refs };
}

bool sn_format_at(uint32_t index, sn_format *format)
{
    uint32_t count = 0;
    while (sni_formats[count]) count++;
    if (index >= count) return false;
    describe(sni_formats[index], format);
    return true;
}

const sni_format *sni_format_choose(sni_bytes bytes, const char *name)
{
    const sni_format *best = NULL;
    int best_score = 0;
    for (int i = 0; sni_formats[i] && best_score < 200; i++) {  // 100 is certain
        int score = sni_formats[i]->probe(bytes) * 2;
        if (score > 0 && sni_has_ending(name, sni_formats[i]->extensions)) score++;
        if (score > best_score) best = sni_formats[i], best_score = score;
    }
    return best;
}

bool sn_format_find(const void *data, size_t size, const char *name, sn_format *format)
{
    const sni_bytes bytes = { data ? data : (const uint8_t *)"", data ? size : 0 };
    const sni_format *found = sni_format_choose(bytes, name ? name : "");
    if (found) describe(found, format);
    return found != NULL;
}
