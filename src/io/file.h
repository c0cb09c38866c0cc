// Files: the only place that opens, reads, writes and renames them.
#ifndef SNI_FILE_H
#define SNI_FILE_H

#include "base/arena.h"
#include "base/text.h"

// A whole file into the arena: a regular one, a pipe, or for "-" standard input. On failure answers false, the diag
// says why.
bool sni_file_read(const char *path, uint64_t limit, sni_arena *arena, sni_diag *diag, sni_bytes *bytes);

// `size` bytes of a regular file from `offset` on, all of them or a failure.
bool sni_file_read_part(const char *path, uint64_t offset, uint64_t size, sni_arena *arena, sni_diag *diag,
                        sni_bytes *bytes);

// A whole file without reading: its pages themselves, a regular file's only. Whoever cuts the file short meanwhile ends
// the process when it is read. False without a failure when it cannot be mapped.
bool sni_file_map(const char *path, uint64_t limit, sni_bytes *bytes);
void sni_file_unmap(sni_bytes bytes);

// Written beside the target and renamed when complete: whole, or not there. What is no regular file (a device, a
// pipe, "-" for standard output) is written to directly.
bool sni_file_write(const char *path, const void *data, size_t size, sni_diag *diag);

// The same in two steps, for outputs of several files that must change together: each is staged beside its target, then
// all are renamed. `staged` gets the name beside, and becomes "" when it is committed, discarded or failed.
bool sni_file_stage(const char *path, const void *data, size_t size, char *staged, size_t capacity, sni_diag *diag);
bool sni_file_commit(char *staged, const char *path, sni_diag *diag);
void sni_file_discard(char *staged);

// The folder, and those above it; what is there already is fine.
bool sni_file_make_folders(const char *folder, sni_diag *diag);

typedef struct sni_folder_entry {
    const char *name;
    bool is_folder;
} sni_folder_entry;

// The files and folders in a folder, sorted by the bytes of their names. Links to files count as files; links to
// folders, devices and pipes are left out. More than `limit` are a failure.
bool sni_folder_list(const char *folder, uint32_t limit, sni_arena *arena, sni_diag *diag, sni_list *entries);

// Cleans a reference found inside a file: '\' becomes '/', "." and empty names go. Answers false (and writes "")
// for what must not be opened: absolute, a drive, UNC, any "scheme:", "..", "~", control characters, too long.
bool sni_ref_clean(sni_str ref, char *out, size_t capacity);

// The file that a cleaned reference names below `folder`, links followed. False without a failure when there is
// none, when it is no regular file, or when a link leads out of the folder. `path` gets the path to open.
bool sni_ref_find(const char *folder, const char *ref, char *path, size_t capacity);

#endif
