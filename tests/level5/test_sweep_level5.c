// Dark Cloud models, damaged in all generic ways and as packs: each file is missing, duplicated, empty, truncated, too
// long, or has the name of another. All that still parses is written back unchanged.
#include "check_level5.h"
#include "sweep.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ENTRIES = 64, HEAD = 80, MISSING = 0, TWICE, EMPTY, CUT, LONG, WAYS };

typedef struct entry {
    size_t start, end;
} entry;
typedef struct pack_damage {
    const sweep_bytes *file;
    entry entries[MOST_ENTRIES];
    uint32_t count;
} pack_damage;

static uint32_t load_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static void store_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}

// Fuzz seeds may be damaged already: their chain ends at the first entry that reaches past the file.
static void find_entries(pack_damage *d)
{
    size_t at = 0, size = d->file->size;
    while (d->count < MOST_ENTRIES && size - at >= HEAD && d->file->data[at]) {
        size_t distance = load_u32(d->file->data + at + 72);
        if (distance < HEAD || distance > size - at) break;
        d->entries[d->count++] = (entry){ at, at + distance };
        at += distance;
    }
}

// Each file with each kind of damage, then with each name.
static const char *make_variant(void *user, uint64_t k, sweep_bytes *out, char *words, size_t capacity)
{
    const pack_damage *d = user;
    const uint8_t *data = d->file->data;
    uint64_t ways = WAYS + d->count, way = k % ways;
    entry e = d->entries[k / ways];
    sweep_set(out, data, d->file->size);
    uint32_t size = load_u32(data + e.start + 68);
    if (way == EMPTY || way == CUT || way == LONG) {
        store_u32(out->data + e.start + 68, way == EMPTY ? 0 : way == CUT ? size / 2 : size * 2 + 64);
    } else if (way >= WAYS) {
        memcpy(out->data + e.start, data + d->entries[way - WAYS].start, 64);
    } else {
        sweep_set(out, data, way == TWICE ? e.end : e.start);
        sweep_append(out, data + (way == TWICE ? e.start : e.end), d->file->size - (way == TWICE ? e.start : e.end));
    }
    snprintf(words, capacity, "file %d of the pack: damage %d", (int)(k / ways), (int)way);
    return words;
}

static bool write_again(const uint8_t *data, size_t size, uint64_t k)
{
    (void)k;
    static const level5_kind kinds[] = { LEVEL5_KIND_MDS,    LEVEL5_KIND_TRACKS, LEVEL5_KIND_BINDS,
                                         LEVEL5_KIND_CONFIG, LEVEL5_KIND_PACK,   LEVEL5_KIND_IMG };
    level5_kind kind = level5_find_kind((sni_bytes){ data, size }, NULL);
    bool is_read = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (kind == LEVEL5_UNKNOWN || kind == kinds[i]) is_read |= check_level5_rewrites(kinds[i], data, size);
    return is_read;
}

static void sweep_pack(sweep *s)
{
    pack_damage d = { .file = &s->input };
    find_entries(&d);
    for (uint32_t i = 0; i < d.count; i++) sweep_add_edge(s, d.entries[i].start), sweep_add_edge(s, d.entries[i].end);
    sweep_variants(s, "pack", (uint64_t)d.count * (WAYS + d.count), make_variant, &d);
}

// Out-of-memory and cancellation runs include the images; damage runs do not, because images are tested elsewhere.
static void sweep_all(const char *path)
{
    sweep s;
    sweep_open(&s, path);
    sweep_failures(&s);
    size_t all = s.ref_count;
    s.ref_count = sweep_put_first(&s, "mds wgt bbp mot cfg");
    if (level5_find_kind((sni_bytes){ s.input.data, s.input.size }, path) == LEVEL5_KIND_PACK) sweep_pack(&s);
    sweep_prefixes(&s);
    sweep_damage(&s);
    s.visit = write_again;
    sweep_prefixes(&s);
    sweep_damage(&s);
    s.ref_count = all;
    sweep_close(&s);
}

int main(void)
{
    static const sweep_place places[] = { { SINEW_TESTS_DIR "/sweep_samples", "mds pak" },
                                          { SINEW_TESTS_DIR "/../fuzz/seeds/mds", "mds" },
                                          { SINEW_SAMPLES, "mds chr" },
                                          { 0 } };
    return sweep_main(places, sweep_all);
}
