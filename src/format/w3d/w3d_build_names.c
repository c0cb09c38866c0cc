// Names of the format: compared whatever their case, looked up by the thousand.
#include "format/w3d/w3d_build.h"

typedef struct w3d_name { sni_str text; int32_t number; } w3d_name;      // no text: a free slot

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool w3d_same(sni_str a, sni_str b)
{
    if (a.size != b.size) return false;
    for (size_t i = 0; i < a.size; i++)
        if (lower(a.at[i]) != lower(b.at[i])) return false;
    return true;
}

sni_str w3d_after_dot(sni_str name)
{
    const char *dot = name.size > 0 ? memchr(name.at, '.', name.size) : NULL;
    if (!dot) return name;
    size_t skipped = (size_t)(dot + 1 - name.at);
    return sni_str_make(dot + 1, name.size - skipped);
}

static uint32_t hash_name(sni_str name)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < name.size; i++) hash = (hash ^ (uint8_t)lower(name.at[i])) * 16777619u;
    return hash ^ hash >> 15;
}

static w3d_name *find_slot(const w3d_names *names, sni_str name)
{
    uint32_t mask = names->slot_count - 1, at = hash_name(name) & mask;
    while (names->slots[at].text.at && !w3d_same(names->slots[at].text, name)) at = (at + 1) & mask;
    return &names->slots[at];
}

static bool grow(sni_load *load, w3d_names *names)
{
    w3d_names larger = { .count = names->count, .slot_count = names->slot_count ? names->slot_count * 2 : 16 };
    larger.slots = sni_new(&load->scratch, w3d_name, larger.slot_count);
    if (!larger.slots) return false;
    for (uint32_t i = 0; i < names->slot_count; i++)
        if (names->slots[i].text.at) *find_slot(&larger, names->slots[i].text) = names->slots[i];
    *names = larger;
    return true;
}

bool w3d_names_add(sni_load *load, w3d_names *names, sni_str name, int32_t number)
{
    if (names->count >= names->slot_count / 2 && !grow(load, names)) return false;
    w3d_name *slot = find_slot(names, name);
    if (slot->text.at) return true;
    *slot = (w3d_name){ sni_str_make(name.at ? name.at : "", name.size), number };
    names->count++;
    return true;
}

int32_t w3d_names_find(const w3d_names *names, sni_str name)
{
    const w3d_name *slot = names->slot_count > 0 ? find_slot(names, name) : NULL;
    return slot && slot->text.at ? slot->number : -1;
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
