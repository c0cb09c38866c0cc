#include "load_readers.h"

#include <fcntl.h>
#include <sinew/files.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool finish(sn_model *model, const sn_error *error, const char *path, load_counts *counts)
{
    if (!model) {
        fprintf(stderr, "sinew: %s: %s: %s\n", path, error->path, error->message);
        return false;
    }
    if (counts) {
        *counts = (load_counts){ .nodes = model->node_count, .clips = model->clip_count };
        for (uint32_t i = 0; i < model->mesh_count; i++) counts->vertices += model->meshes[i].vertex_count;
    }
    sn_model_free(model);
    return true;
}

static bool load_with(const sn_load_opts *opts, const char *path, load_counts *counts)
{
    sn_error error;
    return finish(sn_load_file(path, opts, &error), &error, path, counts);
}

bool load_with_sinew(const char *path, load_counts *counts) { return load_with(NULL, path, counts); }

bool load_mapped_with_sinew(const char *path, load_counts *counts)
{
    return load_with(&(sn_load_opts){ .map_files = true }, path, counts);
}

bool load_bytes_with_sinew(const load_bytes *bytes, load_counts *counts)
{
    sn_error error;
    return finish(sn_load_memory(bytes->data, bytes->size, NULL, &error), &error, "memory", counts);
}

static sn_search *search;

void begin_search(void) { search = sn_search_create(NULL); }

void end_search(void)
{
    sn_search_free(search);
    search = NULL;
}

bool load_searching_with_sinew(const char *path, load_counts *counts)
{
    return load_with(&(sn_load_opts){ .search = search }, path, counts);
}

static uint8_t *read_all(const char *path, size_t *size)
{
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return NULL;
    uint8_t *data = NULL;
    if (fstat(file, &info) == 0 && (data = malloc((size_t)info.st_size + 1))) {
        size_t used = 0, whole = (size_t)info.st_size;
        for (ssize_t got; used < whole && (got = read(file, data + used, whole - used)) > 0;) used += (size_t)got;
        *size = used;
    }
    close(file);
    return data;
}

load_bytes *read_files(const void *paths, size_t longest, uint32_t count)
{
    load_bytes *files = calloc(count + 1, sizeof *files);
    bool is_good = files != NULL;
    for (uint32_t i = 0; is_good && i < count; i++)
        is_good = (files[i].data = read_all((const char *)paths + i * longest, &files[i].size)) != NULL;
    if (is_good) return files;
    free_files(files, count);
    return NULL;
}

void free_files(load_bytes *files, uint32_t count)
{
    for (uint32_t i = 0; files && i < count; i++) free(files[i].data);
    free(files);
}

static volatile uint64_t sink;  // so that no compiler removes what nobody uses

// One byte, one addition. Wider is not what is asked here: a JSON reader decides byte by byte.
#if defined(__GNUC__) && !defined(__clang__)
__attribute__((optimize("no-tree-vectorize", "no-unroll-loops")))
#endif
static uint64_t
add_bytes(const uint8_t *data, size_t size)
{
    uint64_t sum = 0;
#ifdef __clang__
#    pragma clang loop vectorize(disable) unroll(disable)
#endif
    for (size_t i = 0; i < size; i++) sum += data[i];
    return sum;
}

static bool copy(const char *path, bool with_scan)
{
    size_t size = 0;
    uint8_t *data = read_all(path, &size), *twin = data ? malloc(size + 1) : NULL;
    if (twin) {
        memcpy(twin, data, size);
        sink = with_scan ? add_bytes(twin, size) : twin[size / 2];
    }
    free(twin);
    free(data);
    return twin != NULL;
}

bool open_read_close(const char *path, load_counts *counts)
{
    size_t size = 0;
    uint8_t *data = read_all(path, &size);
    (void)counts;
    if (data) sink = data[size / 2];
    free(data);
    return data != NULL;
}

bool read_and_copy(const char *path, load_counts *counts)
{
    (void)counts;
    return copy(path, false);
}

bool copy_and_scan(const char *path, load_counts *counts)
{
    (void)counts;
    return copy(path, true);
}
