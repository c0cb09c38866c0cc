#include "load_readers.h"

#include <fcntl.h>
#include <sinew/sinew.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool load_with(const sn_load_opts *opts, const char *path, load_counts *counts)
{
    sn_error error;
    sn_model *model = sn_load_file(path, opts, &error);
    if (!model) {
        fprintf(stderr, "sinew: %s: %s: %s\n", path, error.path, error.message);
        return false;
    }
    if (counts) {
        *counts = (load_counts){ .nodes = model->node_count, .clips = model->clip_count };
        for (uint32_t i = 0; i < model->mesh_count; i++) counts->vertices += model->meshes[i].vertex_count;
    }
    sn_model_free(model);
    return true;
}

bool load_with_sinew(const char *path, load_counts *counts) { return load_with(NULL, path, counts); }

bool load_mapped_with_sinew(const char *path, load_counts *counts)
{
    return load_with(&(sn_load_opts){ .map_files = true }, path, counts);
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
