#include "base/map.h"

typedef struct sni_map_slot {
    uint32_t hash;
    uint32_t item;  // + 1; 0: free
} sni_map_slot;

typedef struct name_entry {
    sni_str name;
    int32_t number;
} name_entry;

static const uint64_t multiplier = 0x9E3779B97F4A7C15u;

static uint32_t fold(uint64_t hash)
{
    hash = (hash ^ hash >> 32) * multiplier;
    return (uint32_t)(hash >> 32);
}

// Eight bytes at a time, read in a fixed order, so that a hash is the same on every processor.
uint32_t sni_hash_more(uint32_t hash, const void *data, size_t size)
{
    const uint8_t *at = data;
    uint64_t state = (hash + multiplier) ^ size;
    for (; size >= 8; size -= 8, at += 8) state = sni_hash_mix(state, sni_load_eight((const char *)at));
    uint64_t rest = 0;
    for (size_t i = 0; i < size; i++) rest |= (uint64_t)at[i] << 8 * i;
    if (size > 0) state = sni_hash_mix(state, rest);
    return fold(state);
}

uint32_t sni_hash(const void *data, size_t size) { return sni_hash_more(0, data, size); }

uint32_t sni_hash_nocase(sni_str text)
{
    uint64_t state = multiplier ^ text.size;
    for (size_t i = 0; i < text.size; i++) state = sni_hash_mix(state, (uint8_t)sni_lower(text.at[i]));
    return fold(state);
}

static void place(sni_map *map, sni_map_slot entry)
{
    uint32_t mask = map->slot_count - 1, at = entry.hash & mask;
    while (map->slots[at].item) at = (at + 1) & mask;
    map->slots[at] = entry;
}

// Entries with equal hashes keep their order: the walk starts at a free slot, so no run of slots is entered midway.
static void place_all(sni_map *map, const sni_map_slot *slots, uint32_t slot_count)
{
    uint32_t start = 0;
    while (start < slot_count && slots[start].item) start++;
    for (uint32_t i = 0; i < slot_count; i++) {
        const sni_map_slot *slot = &slots[(start + i) & (slot_count - 1)];
        if (slot->item) place(map, *slot);
    }
}

bool sni_map_reserve(sni_map *map, sni_arena *arena, uint64_t count)
{
    uint32_t slot_count = map->slot_count ? map->slot_count : 16;
    while (slot_count / 2 < count && slot_count < 1u << 31) slot_count *= 2;
    if (slot_count == map->slot_count) return true;
    sni_map larger = { sni_new(arena, sni_map_slot, slot_count), map->count, slot_count };
    if (!larger.slots) return false;
    place_all(&larger, map->slots, map->slot_count);
    *map = larger;
    return true;
}

bool sni_map_add(sni_map *map, sni_arena *arena, uint32_t hash, uint32_t item)
{
    if (!sni_map_reserve(map, arena, (uint64_t)map->count + 1)) return false;
    place(map, (sni_map_slot){ hash, item + 1 });
    map->count++;
    return true;
}

sni_map_cursor sni_map_find(const sni_map *map, uint32_t hash)
{
    return (sni_map_cursor){ .hash = hash, .slot = map->slot_count ? hash & (map->slot_count - 1) : 0 };
}

bool sni_map_next(const sni_map *map, sni_map_cursor *cursor)
{
    if (map->count == 0) return false;
    for (;;) {
        sni_map_slot slot = map->slots[cursor->slot];
        if (!slot.item) return false;
        cursor->slot = (cursor->slot + 1) & (map->slot_count - 1);
        cursor->item = slot.item - 1;
        if (slot.hash == cursor->hash) return true;
    }
}

static const name_entry *find_name(const sni_nocase_names *names, sni_str name, uint32_t hash)
{
    const name_entry *entries = names->entries.items;
    for (sni_map_cursor at = sni_map_find(&names->map, hash); sni_map_next(&names->map, &at);)
        if (sni_str_equal_nocase(entries[at.item].name, name)) return &entries[at.item];
    return NULL;
}

bool sni_nocase_names_add(sni_arena *arena, sni_nocase_names *names, sni_str name, int32_t number)
{
    uint32_t hash = sni_hash_nocase(name);
    if (find_name(names, name, hash)) return true;
    name_entry *entry = sni_push(arena, &names->entries, name_entry);
    if (!entry) return false;
    *entry = (name_entry){ name, number };
    return sni_map_add(&names->map, arena, hash, names->entries.count - 1);
}

int32_t sni_nocase_names_find(const sni_nocase_names *names, sni_str name)
{
    const name_entry *entry = find_name(names, name, sni_hash_nocase(name));
    return entry ? entry->number : -1;
}
