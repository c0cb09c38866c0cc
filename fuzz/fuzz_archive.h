// What fuzzing asks of any archive: opened from disk, listed, its files read.
#ifndef FUZZ_ARCHIVE_H
#define FUZZ_ARCHIVE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"

enum { FILES_READ = 64 };

static inline void write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || (size > 0 && fwrite(data, 1, size, file) != size) || fclose(file) != 0) abort();
}

static inline bool leads_out(const char *name)
{
    size_t size = strlen(name);
    bool ends_above = size >= 2 && strcmp(name + size - 2, "..") == 0 && (size == 2 || name[size - 3] == '/');
    return name[0] == '/' || strncmp(name, "../", 3) == 0 || strstr(name, "/../") || ends_above;
}

// What is packed in a list that does not say so is longer or shorter than the list says.
static inline bool is_long_enough(const cli_archive *archive, sni_bytes bytes, const cli_entry *entry)
{
    return bytes.size == entry->size || strcmp(archive->kind->title, "BIG archive") == 0;
}

// Names are clean and sorted, each once; what is read is as long as the list said.
static inline void read_all(cli_archive *archive)
{
    const cli_entry *entries = cli_archive_entries(archive);
    sni_arena arena;
    sni_diag *outer = archive->arena->heap->diag;
    sni_arena_init(&arena, archive->arena->heap);
    for (uint32_t i = 0; i < archive->entries.count && i < FILES_READ; i++) {
        sni_diag diag;
        archive->arena->heap->diag = &diag;
        sni_bytes bytes;
        cli_entry found;
        sni_diag_init(&diag, NULL);
        if (leads_out(entries[i].name)) abort();
        if (!cli_archive_find_path(archive, entries[i].name, &found) || found.at != entries[i].at) abort();
        if (cli_archive_read(archive, &found, &arena, &diag, &bytes) ? !is_long_enough(archive, bytes, &found)
                                                                     : !sni_failed(&diag))
            abort();
        sni_arena_free(&arena);
    }
    archive->arena->heap->diag = outer;
    sni_arena_free(&arena);
}

// Memory is within what so many bytes may take; nothing of it stays.
static inline void open_and_read(const char *path, size_t size)
{
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
    cli_archive archive;
    sni_heap_init(&heap, NULL, (16u << 20) + 64 * (uint64_t)size);
    sni_arena_init(&arena, &heap);
    sni_diag_init(&diag, NULL);
    heap.diag = &diag;
    if (cli_archive_open(&archive, path, &arena, &diag)) read_all(&archive);
    else if (!sni_failed(&diag)) abort();
    cli_archive_close(&archive);
    sni_arena_free(&arena);
    if (heap.used != 0) abort();
}

#endif
