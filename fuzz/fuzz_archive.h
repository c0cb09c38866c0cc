// What fuzzing does with any archive: open it from disk, list it, read its files, load the models.
#ifndef FUZZ_ARCHIVE_H
#define FUZZ_ARCHIVE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check_model.h"
#include "sinew/files.h"

enum { FILES_READ = 64, MODELS_LOADED = 8 };

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

// Memory that counts itself, and has a ceiling.
typedef struct fuzz_memory {
    size_t used, limit;
} fuzz_memory;

static inline void *fuzz_alloc(void *user, size_t size)
{
    fuzz_memory *memory = user;
    void *ptr = size <= memory->limit - memory->used ? malloc(size) : NULL;
    if (ptr) memory->used += size;
    return ptr;
}

static inline void fuzz_free(void *user, void *ptr, size_t size)
{
    fuzz_memory *memory = user;
    memory->used -= size;
    free(ptr);
}

// Names are clean and sorted, each once; what is read has the listed size, unless BIG's compression hides it.
static inline void read_all(const sn_archive *archive)
{
    bool is_big = strcmp(sn_archive_describe(archive).title, "BIG archive") == 0;
    sn_archive_entry entry, found;
    for (uint32_t i = 0; i < FILES_READ && sn_archive_at(archive, i, &entry); i++) {
        sn_bytes bytes;
        sn_error error;
        if (leads_out(entry.name)) abort();
        if (!sn_archive_find(archive, entry.name, &found) || found.name != entry.name) abort();
        sn_status status = sn_archive_read(archive, entry.name, &bytes, &error);
        if (status != error.status || (status == SN_OK) != (bytes.data != NULL)) abort();
        if (status == SN_OK && bytes.size != entry.size && !is_big) abort();
        sn_bytes_free(&bytes);
    }
}

// With its textures and, of a W3D, its skeleton and animations in the archive.
static inline void load_models(const sn_archive *archive)
{
    sn_archive_entry entry;
    for (uint32_t i = 0; i < MODELS_LOADED && sn_archive_at(archive, i, &entry); i++) {
        sn_error error;
        sn_load_opts opts = { .folder_clips = true };
        sn_model *model = sn_load_archive(archive, entry.name, &opts, &error);
        if (model) check_model(model);
        else check_error(&error);
        sn_model_free(model);
    }
}

// Files that may be there without being listed.
static inline void read_unlisted(const sn_archive *archive, const char *const *names)
{
    for (; *names; names++) {
        sn_archive_entry entry;
        sn_bytes bytes;
        bool is_found = sn_archive_find(archive, *names, &entry);
        sn_status status = sn_archive_read(archive, *names, &bytes, NULL);
        if (status == SN_OK && (!is_found || bytes.size != entry.size)) abort();
        sn_bytes_free(&bytes);
    }
}

// Memory is within what so many bytes may take; nothing of it stays. `unlisted` ends with NULL.
static inline void open_and_read(const char *path, size_t size, const char *const *unlisted)
{
    fuzz_memory memory = { .limit = (16u << 20) + 64 * size };
    sn_archive_opts opts = { .allocator = { fuzz_alloc, fuzz_free, &memory } };
    sn_error error;
    sn_archive *archive = sn_archive_open(path, &opts, &error);
    if (archive) read_all(archive), load_models(archive), read_unlisted(archive, unlisted);
    else if (error.status == SN_OK) abort();
    sn_archive_close(archive);
    if (memory.used != 0) abort();
}

// The parts of the target, each for one kind of archive.
void fuzz_big(const uint8_t *data, size_t size);
void fuzz_dat(const uint8_t *data, size_t size);
void fuzz_iso(const uint8_t *data, size_t size);
void fuzz_mpq(const uint8_t *data, size_t size);

#endif
