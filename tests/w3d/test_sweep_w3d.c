// W3D files damaged in every way, and in the ways of the format: each chunk has a wrong size, becomes another, is
// missing or duplicated, with the sizes around it fixed so that the loader gets as far as the damage.
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHUNKS = 4096, MOST_DEPTH = 17 };

typedef struct chunk {
    size_t start, end;
    int parent;
} chunk;
typedef struct chunk_damage {
    const sweep_bytes *file;
    chunk chunks[MOST_CHUNKS];
    int count;
} chunk_damage;

static uint32_t load_u32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static void store_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}

// All sizes in the samples are correct, with the top bit set for containers.
static void find_chunks(chunk_damage *d)
{
    int open = -1;
    for (size_t at = 0; at + 8 <= d->file->size && d->count < MOST_CHUNKS;) {
        while (open >= 0 && at >= d->chunks[open].end) open = d->chunks[open].parent;
        uint32_t size = load_u32(d->file->data + at + 4);
        d->chunks[d->count] = (chunk){ at, at + 8 + (size & 0x7FFFFFFF), open };
        if (size >> 31) open = d->count, at += 8;
        else at = d->chunks[d->count].end;
        d->count++;
    }
}

static const uint32_t other_ids[] = { 0x0000, 0x0002, 0x0020, 0x000E, 0x0038, 0x0102, 0x0202,
                                      0x0282, 0x0284, 0x0700, 0x0702, 0x0704, 0x7777, 0xFFFFFFFF };
enum { SIZES = 9, IDS = sizeof other_ids / sizeof *other_ids, MISSING = SIZES + IDS, TWICE, VARIANTS };

static uint32_t wrong_size(uint32_t size, uint32_t kind)
{
    const uint32_t sizes[SIZES] = { 0,        1,        size - 1,   size + 1,          size + 8,
                                    size * 2, size / 2, 0x7FFFFFFF, size ^ 0x80000000u };
    return kind == SIZES - 1 ? sizes[kind] : (sizes[kind] & 0x7FFFFFFF) | (size & 0x80000000u);
}

static void fix_parents(const chunk_damage *d, int parent, int64_t grown, uint8_t *data)
{
    for (; parent >= 0; parent = d->chunks[parent].parent) {
        uint8_t *size = data + d->chunks[parent].start + 4;
        store_u32(size, (uint32_t)((int64_t)load_u32(size) + grown));
    }
}

static const char *make_variant(void *user, uint64_t k, sweep_bytes *out, char *words, size_t capacity)
{
    const chunk_damage *d = user;
    const chunk *c = &d->chunks[k / VARIANTS];
    uint32_t kind = (uint32_t)(k % VARIANTS);
    const uint8_t *data = d->file->data;
    size_t size = c->end - c->start;
    sweep_set(out, data, d->file->size);
    if (kind < SIZES) {
        store_u32(out->data + c->start + 4, wrong_size(load_u32(data + c->start + 4), kind));
    } else if (kind < MISSING) {
        store_u32(out->data + c->start, other_ids[kind - SIZES]);
    } else {
        sweep_set(out, data, kind == TWICE ? c->end : c->start);
        sweep_append(out, kind == TWICE ? data + c->start : data + c->end,
                     kind == TWICE ? size : d->file->size - c->end);
        if (kind == TWICE) sweep_append(out, data + c->end, d->file->size - c->end);
        fix_parents(d, c->parent, kind == TWICE ? (int64_t)size : -(int64_t)size, out->data);
    }
    snprintf(words, capacity, "chunk %04x at byte %zu: damage %u", load_u32(data + c->start), c->start, kind);
    return words;
}

// Edges of each kind of chunk once: a showpiece has hundreds of chunks.
static void add_edges(sweep *s, const chunk_damage *d)
{
    for (int i = 0; i < d->count; i++) {
        bool is_new = true;
        for (int k = 0; k < i && is_new; k++)
            is_new = memcmp(d->file->data + d->chunks[k].start, d->file->data + d->chunks[i].start, 4) != 0;
        if (!is_new) continue;
        sweep_add_edge(s, d->chunks[i].start);
        sweep_add_edge(s, d->chunks[i].end);
    }
}

static void sweep_chunks(sweep *s)
{
    static chunk_damage d;
    d = (chunk_damage){ .file = &s->input };
    find_chunks(&d);
    add_edges(s, &d);
    sweep_variants(s, "chunks", (uint64_t)d.count * VARIANTS, make_variant, &d);
}

// Failures run with the images; damage without them, since it is not that of W3D.
static void sweep_all(const char *path)
{
    sweep s;
    sweep_open(&s, path);
    sweep_failures(&s);
    size_t all = s.ref_count;
    s.ref_count = sweep_put_first(&s, "w3d");
    sweep_chunks(&s);
    sweep_prefixes(&s);
    sweep_damage(&s);
    s.ref_count = all;
    sweep_close(&s);
}

int main(void)
{
    static const sweep_place places[] = { { SINEW_TESTS_DIR "/sweep_samples", "w3d" },
                                          { SINEW_SAMPLES, "w3d" },
                                          { 0 } };
    return sweep_main(places, sweep_all);
}
