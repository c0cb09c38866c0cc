#include "io/load.h"

#include <string.h>

static const uint64_t mebibyte = 1 << 20;

static void fill_defaults(sn_limits *limits)
{
    if (!limits->file_bytes) limits->file_bytes = 1024 * mebibyte;
    if (!limits->memory_bytes) limits->memory_bytes = 16 * mebibyte;
    if (!limits->elements) limits->elements = 16 << 20;
    if (!limits->depth) limits->depth = 64;
    if (!limits->image_pixels) limits->image_pixels = 64 << 20;
}

void sni_load_init(sni_load *load, sni_heap *heap, const sn_load_opts *opts)
{
    memset(load, 0, sizeof *load);
    load->heap = heap;
    load->opts = opts;
    load->name = "";
    if (opts) {
        load->limits = opts->limits;
        load->lint = opts->lint;
        if (opts->name) load->name = opts->name;
        heap->cancelled = opts->cancelled;
        heap->cancelled_user = opts->user;
    }
    load->has_memory_limit = load->limits.memory_bytes != 0;
    fill_defaults(&load->limits);
    heap->limit = load->limits.memory_bytes;
    heap->elements = load->limits.elements;
    heap->diag = &load->diag;
    sni_arena_init(&load->scratch, heap);
    sni_arena_init(&load->keep, heap);
    sni_arena_init(&load->files, heap);
    sni_diag_init(&load->diag, &load->keep);
}

void sni_load_count_input(sni_load *load, uint64_t size)
{
    const uint64_t highest = 2048 * mebibyte + load->search_bytes;
    if (load->has_memory_limit) return;
    uint64_t room = highest - load->heap->limit;
    load->heap->limit += size < room / 32 ? size * 32 : room;
}

static bool map_path(sni_load *load, const char *path, sni_bytes *bytes)
{
    if (!load->opts || !load->opts->map_files) return false;
    sni_bytes *slot = sni_push(&load->keep, &load->maps, sni_bytes);
    bool is_mapped = slot && sni_file_map(path, load->limits.file_bytes, bytes);
    if (is_mapped) *slot = *bytes;
    else if (slot) load->maps.count--;
    return is_mapped;
}

void sni_load_unmap(sni_list *maps)
{
    const sni_bytes *mapped = maps->items;
    for (uint32_t i = 0; i < maps->count; i++) sni_file_unmap(mapped[i]);
    maps->count = 0;
}

// Input raises the ceiling, so its own bytes may stand above it while they are read.
bool sni_load_read(sni_load *load, const char *path, sni_diag *diag, sni_bytes *bytes)
{
    if (map_path(load, path, bytes)) return true;
    if (!sni_load_ok(load)) return false;
    sni_heap *heap = load->heap;
    uint64_t limit = heap->limit;
    if (!load->has_memory_limit) heap->limit = limit + load->limits.file_bytes + mebibyte;
    bool is_read = sni_file_read(path, load->limits.file_bytes, &load->files, diag, bytes);
    heap->limit = limit;
    return is_read;
}

bool sni_load_path(sni_load *load, const char *path, sni_bytes *bytes)
{
    return sni_load_read(load, path, &load->diag, bytes);
}

sni_arena *sni_load_document_arena(sni_load *load)
{
    bool is_kept = load->opts && load->opts->keep_document;
    if (is_kept) load->has_lent = true;  // its arrays lie in the file
    return is_kept ? &load->keep : &load->scratch;
}

// Below that a copy costs less than a file kept for its sake.
enum { LEAST_LENT_BYTES = 16 << 10 };

static bool is_in_file(const sni_load *load, const void *at)
{
    const sni_bytes *mapped = load->maps.items;
    for (uint32_t i = 0; i < load->maps.count; i++)
        if ((uintptr_t)at - (uintptr_t)mapped[i].data < mapped[i].size) return true;
    return sni_arena_holds(&load->files, at);
}

bool sni_load_lend(sni_load *load, const void *at, uint64_t size)
{
    if (size < LEAST_LENT_BYTES || !is_in_file(load, at)) return false;
    load->has_lent = true;
    return true;
}

void *sni_load_own(sni_load *load, const void *at, size_t size, uint64_t count)
{
    if (!load->has_lent || !is_in_file(load, at)) return (void *)(uintptr_t)at;
    void *copy = sni_alloc_raw(&load->keep, size, count);
    if (copy) memcpy(copy, at, size * (size_t)count);
    return copy;
}
