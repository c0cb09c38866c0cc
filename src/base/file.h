// Files: the only place that opens, reads, writes and renames them.
#ifndef SNI_FILE_H
#define SNI_FILE_H

#include "base/arena.h"
#include "base/text.h"

typedef struct sni_bytes { const uint8_t *data; size_t size; } sni_bytes;

// A whole file into the arena: a regular one, a pipe, or for "-" standard input. On failure answers false, the diag
// says why.
bool sni_file_read(const char *path, uint64_t limit, sni_arena *arena, sni_diag *diag, sni_bytes *bytes);

// Written beside the target and renamed when complete: whole, or not there. What is no regular file (a device, a
// pipe, "-" for standard output) is written to directly.
bool sni_file_write(const char *path, const void *data, size_t size, sni_diag *diag);

// Cleans a reference found inside a file: '\' becomes '/', "." and empty names go. Answers false (and writes "")
// for what must not be opened: absolute, a drive, UNC, any "scheme:", "..", "~", control characters, too long.
bool sni_ref_clean(sni_str ref, char *out, size_t capacity);

// The file that a cleaned reference names below `folder`, links followed. False without a failure when there is
// none, when it is no regular file, or when a link leads out of the folder. `path` gets the path to open.
bool sni_ref_find(const char *folder, const char *ref, char *path, size_t capacity);

#endif
