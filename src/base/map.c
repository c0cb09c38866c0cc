#include "base/map.h"

typedef struct sni_map_slot {
    uint32_t hash;
    uint32_t item;  // + 1; 0: free
} sni_map_slot;

typedef struct name_entry {
    sni_str name;
    int32_t number;
} name_entry;

// SipHash-1-3. Its key is where this program was loaded, which nobody knows who makes a file: so no file can choose
// texts, places or numbers that collide.
typedef struct sip {
    uint64_t a, b, c, d;
} sip;

static uint64_t rotate(uint64_t bits, int count) { return bits << count | bits >> (64 - count); }

static void sip_round(sip *s)
{
    s->a += s->b, s->c += s->d;
    s->b = rotate(s->b, 13) ^ s->a, s->d = rotate(s->d, 16) ^ s->c;
    s->a = rotate(s->a, 32) + s->d, s->c += s->b;
    s->d = rotate(s->d, 21) ^ s->a, s->b = rotate(s->b, 17) ^ s->c;
    s->c = rotate(s->c, 32);
}

static void sip_add(sip *s, uint64_t word)
{
    s->d ^= word;
    sip_round(s);
    s->a ^= word;
}

static sip sip_begin(uint32_t hash)
{
    const uint64_t key = (uint64_t)(uintptr_t)&sip_begin * 0x9E3779B97F4A7C15u;
    return (sip){ key ^ 0x736f6d6570736575u, hash ^ 0x646f72616e646f6du, key ^ 0x6c7967656e657261u,
                  hash ^ 0x7465646279746573u };
}

// `rest` are the last bytes, fewer than eight.
static uint32_t sip_end(sip *s, uint64_t rest, size_t size)
{
    sip_add(s, rest | (uint64_t)size << 56);
    s->c ^= 0xFF;
    for (int i = 0; i < 3; i++) sip_round(s);
    return (uint32_t)(s->a ^ s->b ^ s->c ^ s->d);
}

uint32_t sni_hash_more(uint32_t hash, const void *data, size_t size)
{
    sip s = sip_begin(hash);
    const char *at = data;
    size_t left = size;
    for (; left >= 8; left -= 8, at += 8) sip_add(&s, sni_load_eight(at));
    uint64_t rest = 0;
    for (size_t i = 0; i < left; i++) rest |= (uint64_t)(uint8_t)at[i] << 8 * i;
    return sip_end(&s, rest, size);
}

uint32_t sni_hash(const void *data, size_t size) { return sni_hash_more(0, data, size); }

uint32_t sni_hash_nocase(sni_str text)
{
    sip s = sip_begin(0);
    uint64_t word = 0;
    for (size_t i = 0; i < text.size; i++) {
        word |= (uint64_t)(uint8_t)sni_lower(text.at[i]) << i % 8 * 8;
        if (i % 8 < 7) continue;
        sip_add(&s, word);
        word = 0;
    }
    return sip_end(&s, word, text.size);
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
