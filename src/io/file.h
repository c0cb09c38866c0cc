// Files: the only place that opens, reads, writes and renames them.
#ifndef SNI_FILE_H
#define SNI_FILE_H

#include "base/arena.h"
#include "base/text.h"

bool sni_file_size(const char *path, uint64_t *size, sni_diag *diag);  // of a regular file

// A file into the arena: a regular one, a pipe, or for "-" standard input. False: the diag has the reason.
bool sni_file_read(const char *path, uint64_t limit, sni_arena *arena, sni_diag *diag, sni_bytes *bytes);

// The same in steps, for a file that is looked at more than once. A negative result means that it cannot be opened;
// reading it reports why.
int sni_file_open(const char *path);
void sni_file_close(int file);
bool sni_file_read_open(int file, uint64_t limit, sni_arena *arena, sni_diag *diag, sni_bytes *bytes);
bool sni_file_map_open(int file, uint64_t limit, sni_bytes *bytes);  // see sni_file_map

// `size` bytes of a regular file from `offset` on, all of them or a failure.
bool sni_file_read_part(const char *path, uint64_t offset, uint64_t size, sni_arena *arena, sni_diag *diag,
                        sni_bytes *bytes);

// A regular file, or the part of it from `offset` on that has at most `size` bytes, to be read here and there. False
// when it cannot be opened.
typedef struct sni_file_part {
    int file;
    uint64_t offset, size;
} sni_file_part;

bool sni_file_part_open(const char *path, uint64_t offset, uint64_t size, sni_file_part *part);
bool sni_file_part_read(const sni_file_part *part, uint64_t at, void *out, size_t size);  // all of it, or false
void sni_file_part_close(sni_file_part *part);

// A regular file without reading: its pages are mapped. If another process truncates it meanwhile, reading it ends
// the process when it is read. False without a failure when it cannot be mapped.
bool sni_file_map(const char *path, uint64_t limit, sni_bytes *bytes);
void sni_file_unmap(sni_bytes bytes);

// Written beside the target and renamed when complete. Other targets than regular files (a device, a pipe, "-" for
// standard output) are written to directly.
bool sni_file_write(const char *path, const void *data, size_t size, sni_diag *diag);

bool sni_file_is_stream(const char *path);  // such a target, or a folder

// An unfinished file beside its target, under a name of its own and locked. The path is "" and the file -1 when it is
// committed, discarded or failed.
#define SNI_PART    ".part"
#define SNI_JOURNAL ".journal.part"  // see io/transaction.c

typedef struct sni_staged {
    char path[4096];
    int file;
} sni_staged;

bool sni_file_stage(const char *target, const char *ending, const void *data, size_t size, sni_staged *staged,
                    sni_diag *diag);
bool sni_file_commit(sni_staged *staged, const char *target, sni_diag *diag);
void sni_file_discard(sni_staged *staged);

// Removes the unfinished files in a folder whose writers are dead: on this host, when the process is gone and the lock
// free; from other hosts after a day. `journal` gets the content of those that are journals. Takes no memory of a heap.
void sni_folder_clean(const char *folder, void (*journal)(void *user, sni_bytes content), void *user);

// One writer at a time in a folder, where several files change together. Where there are
// no locks, or the folder may not be read, it does nothing.
bool sni_folder_lock(const char *folder, int *lock, sni_diag *diag);
void sni_folder_unlock(int *lock);

// What a file holds, without reading it into memory. False for what is not a regular file.
enum { SNI_CHUNK_BYTES = 64 << 10 };
typedef struct sni_content {
    uint64_t size;
    uint32_t hash;
} sni_content;

sni_content sni_content_of(const void *data, size_t size);
bool sni_file_identify(const char *path, sni_content *content);
bool sni_file_holds(const char *path, const void *data, size_t size);  // exactly these bytes
// `text`, which has no double quotes, in double quotes somewhere in the file; true also when it cannot be read.
bool sni_file_quotes(const char *path, const char *text);
bool sni_file_exists(const char *path);  // whatever it is, a link that leads nowhere too
void sni_file_remove(const char *path);

// Creates the folder and those above it, unless they exist.
bool sni_file_make_folders(const char *folder, sni_diag *diag);

bool sni_folder_exists(const char *folder, sni_diag *diag);

typedef struct sni_folder_entry {
    const char *name;
    bool is_folder, is_link;
} sni_folder_entry;

// The files and folders in a folder, sorted by the bytes of their names. Links to files count as files; links to
// folders, devices and pipes are left out. More than `limit` are a failure.
bool sni_folder_list(const char *folder, uint32_t limit, sni_arena *arena, sni_diag *diag, sni_list *entries);
bool sni_folder_read(const char *folder, uint32_t limit, sni_arena *arena, sni_diag *diag,
                     sni_list *entries);  // unsorted
void sni_folder_sort(sni_folder_entry *entries, uint32_t count);

// The memory of an sn_bytes, filled through its arena and diag. begin returns NULL when memory runs out; end frees it
// after a failure. Both set the error, which may be NULL.
typedef struct sni_owned {
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
} sni_owned;

sni_owned *sni_owned_begin(const sn_allocator *allocator, uint64_t limit, sn_bytes *bytes, sn_error *error);
sn_status sni_owned_end(sni_owned *owned, bool is_good, sni_bytes content, sn_bytes *bytes, sn_error *error);

#endif
