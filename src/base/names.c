#include "base/names.h"

typedef struct sni_name {
    sni_str text;
    int32_t number;
} sni_name;  // no text: a free slot

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

bool sni_str_same(sni_str a, sni_str b)
{
    if (a.size != b.size) return false;
    for (size_t i = 0; i < a.size; i++)
        if (lower(a.at[i]) != lower(b.at[i])) return false;
    return true;
}

static uint32_t hash_name(sni_str name)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < name.size; i++) hash = (hash ^ (uint8_t)lower(name.at[i])) * 16777619u;
    return hash ^ hash >> 15;
}

static sni_name *find_slot(const sni_names *names, sni_str name)
{
    uint32_t mask = names->slot_count - 1, at = hash_name(name) & mask;
    while (names->slots[at].text.at && !sni_str_same(names->slots[at].text, name)) at = (at + 1) & mask;
    return &names->slots[at];
}

static bool grow(sni_arena *arena, sni_names *names)
{
    sni_names larger = { .count = names->count, .slot_count = names->slot_count ? names->slot_count * 2 : 16 };
    larger.slots = sni_new(arena, sni_name, larger.slot_count);
    if (!larger.slots) return false;
    for (uint32_t i = 0; i < names->slot_count; i++)
        if (names->slots[i].text.at) *find_slot(&larger, names->slots[i].text) = names->slots[i];
    *names = larger;
    return true;
}

bool sni_names_add(sni_arena *arena, sni_names *names, sni_str name, int32_t number)
{
    if (names->count >= names->slot_count / 2 && !grow(arena, names)) return false;
    sni_name *slot = find_slot(names, name);
    if (slot->text.at) return true;
    *slot = (sni_name){ sni_str_make(name.at ? name.at : "", name.size), number };
    names->count++;
    return true;
}

int32_t sni_names_find(const sni_names *names, sni_str name)
{
    const sni_name *slot = names->slot_count > 0 ? find_slot(names, name) : NULL;
    return slot && slot->text.at ? slot->number : -1;
}
