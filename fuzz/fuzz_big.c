// Any bytes as a BIG archive on disk: opened, listed, every file of it read.
//
//     build/fuzz/fuzz_big -max_len=4096 CORPUS
#include "fuzz_main.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"

enum { FILES_READ = 64 };

static void write_file(const char *path, const uint8_t *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) abort();
}

static bool leads_out(const char *name)
{
    size_t size = strlen(name);
    bool ends_above = size >= 2 && strcmp(name + size - 2, "..") == 0 && (size == 2 || name[size - 3] == '/');
    return name[0] == '/' || strncmp(name, "../", 3) == 0 || strstr(name, "/../") || ends_above;
}

// Names are clean and sorted, each once; what is read is as long as the list said.
static void read_all(cli_archive *archive)
{
    const cli_entry *entries = cli_archive_entries(archive);
    sni_arena arena;
    sni_arena_init(&arena, archive->arena->heap);
    for (uint32_t i = 0; i < archive->entries.count && i < FILES_READ; i++) {
        sni_diag diag;
        sni_bytes bytes;
        cli_entry found;
        sni_diag_init(&diag, NULL);
        if (leads_out(entries[i].name)) abort();
        if (!cli_archive_find_path(archive, entries[i].name, &found) || found.at != entries[i].at) abort();
        if (cli_archive_read(archive, &found, &arena, &diag, &bytes) ? bytes.size != found.size : !sni_failed(&diag)) abort();
    }
    sni_arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[64];
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
    cli_archive archive;
    if (!path[0]) snprintf(path, sizeof path, "/tmp/sinew_fuzz_%ld.big", (long)getpid());
    write_file(path, data, size);
    sni_heap_init(&heap, NULL, (16u << 20) + 64 * (uint64_t)size);
    sni_arena_init(&arena, &heap);
    sni_diag_init(&diag, NULL);
    heap.diag = &diag;
    if (cli_archive_open(&archive, path, &arena, &diag)) read_all(&archive);
    else if (!sni_failed(&diag)) abort();
    cli_archive_close(&archive);
    sni_arena_free(&arena);
    if (heap.used != 0) abort();
    unlink(path);
    return 0;
}
