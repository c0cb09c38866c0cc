// Hash maps. The caller keeps the items, usually in an array; a map finds their numbers by hash.
//
//     uint32_t hash = sni_hash(&key, sizeof key);
//     for (sni_map_cursor at = sni_map_find(&map, hash); sni_map_next(&map, &at);)
//         if (is_same(&items[at.item], &key)) return at.item;
//     if (!sni_map_add(&map, arena, hash, count)) return false;
#ifndef SNI_MAP_H
#define SNI_MAP_H

#include "base/text.h"

typedef struct sni_map {
    struct sni_map_slot *slots;
    uint32_t count, slot_count;  // slot_count is 0 or a power of two
} sni_map;

typedef struct sni_map_cursor {
    uint32_t hash, slot, item;
} sni_map_cursor;

// One step of a hash of 64 bits, the same on every machine: a multiplication carries upwards, the shift back down.
static inline uint64_t sni_hash_mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    return hash ^ hash >> 29;
}

// Hashes for maps: files cannot be made so that their items collide. They differ from run to run; nothing else may
// depend on them.
uint32_t sni_hash(const void *data, size_t size);
uint32_t sni_hash_more(uint32_t hash, const void *data, size_t size);  // continues an earlier hash
uint32_t sni_hash_nocase(sni_str text);                                // ignores the case of ASCII letters

// Visits the items added with this hash, the first added first. A zeroed map is an empty one.
sni_map_cursor sni_map_find(const sni_map *map, uint32_t hash);
bool sni_map_next(const sni_map *map, sni_map_cursor *cursor);

// Adds an item, also when others have its hash. Grows in the arena; returns false when that failed.
bool sni_map_add(sni_map *map, sni_arena *arena, uint32_t hash, uint32_t item);
bool sni_map_reserve(sni_map *map, sni_arena *arena, uint64_t count);

// Names to numbers, ignoring case. The text must outlive them.
typedef struct sni_nocase_names {
    sni_map map;
    sni_list entries;
} sni_nocase_names;

// Of equal names the first keeps its number. Returns false when the arena failed.
bool sni_nocase_names_add(sni_arena *arena, sni_nocase_names *names, sni_str name, int32_t number);
int32_t sni_nocase_names_find(const sni_nocase_names *names, sni_str name);  // -1: none

#endif
