// Who reads models in bench_load. Each call loads a file and frees what it got.
#ifndef BENCH_LOAD_READERS_H
#define BENCH_LOAD_READERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct load_counts {
    uint64_t nodes, vertices, clips;
} load_counts;

// False when the file cannot be read. `counts` may be NULL: counting is not loading, and is not timed.
typedef bool load_function(const char *path, load_counts *counts);

// A file in memory.
typedef struct load_bytes {
    void *data;
    size_t size;
} load_bytes;
typedef bool load_bytes_function(const load_bytes *bytes, load_counts *counts);

// `paths` are texts of `longest` bytes each. NULL when one cannot be read.
load_bytes *read_files(const void *paths, size_t longest, uint32_t count);
void free_files(load_bytes *files, uint32_t count);

bool load_with_sinew(const char *path, load_counts *counts);
bool load_mapped_with_sinew(const char *path, load_counts *counts);  // sn_load_opts.map_files
bool load_bytes_with_sinew(const load_bytes *bytes, load_counts *counts);
bool load_searching_with_sinew(const char *path, load_counts *counts);  // loads share an sn_search, between:
void begin_search(void);
void end_search(void);
bool load_with_assimp(const char *path, load_counts *counts);
bool load_with_tinygltf(const char *path, load_counts *counts);
bool load_with_war3(const char *path,
                    load_counts *counts);  // behind renew_war3: in a process that has read nothing yet
bool load_with_hot_war3(const char *path, load_counts *counts);  // behind start_war3: always in the same process
bool start_war3(void);                                           // false: node or the package is not there
bool renew_war3(void);

// What nobody can do without. All leave `counts` alone.
bool open_read_close(const char *path, load_counts *counts);  // read() into one block
bool read_and_copy(const char *path, load_counts *counts);    // read() into one block, memcpy to another
bool copy_and_scan(const char *path, load_counts *counts);    // the same, then add up the copy's bytes, one by one

#ifdef __cplusplus
}
#endif

#endif
