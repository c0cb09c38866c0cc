// Archives of game files: listed when opened, found by name whatever the case and the slashes, read whole.
#ifndef CLI_ARCHIVE_H
#define CLI_ARCHIVE_H

#include "io/file.h"

typedef struct cli_archive cli_archive;

// One file in an archive. The name is clean: relative, '/' between names, no "..".
typedef struct cli_entry {
    const char *name;
    const char *own;  // the archive's spelling; NULL: not listed, but there by its name
    uint64_t size;    // as the archive says, before anything was read
    uint64_t at;      // the kind's own: a place or a number
} cli_entry;

// A kind of archive; one line each in archive.c. Functions that fail tell the diag why.
typedef struct cli_archive_kind {
    const char *title;             // "MPQ archive"
    const char *extensions;        // "mpq w3m": endings that say so by themselves
    const char *model_extensions;  // "chr pak": of those that are opened as models unless they are meant as archives;
                                   // may be NULL
    bool is_missing;               // built without the library that opens it
    bool (*open)(cli_archive *archive, sni_diag *diag);  // sets the handle, lists with cli_archive_add
    void (*close)(cli_archive *archive);                 // where it set one
    // A file that the list does not have, by a clean name; sets size, own and at. NULL: lists are complete.
    bool (*find)(cli_archive *archive, const char *name, cli_entry *entry);
    // The whole file into the arena. A size that the archive's bytes cannot account for is refused before it is
    // believed; cli_archive_accepts helps.
    bool (*read)(cli_archive *archive, const cli_entry *entry, sni_arena *arena, sni_diag *diag, sni_bytes *bytes);
} cli_archive_kind;

struct cli_archive {
    const cli_archive_kind *kind;
    const char *path;
    const char *partner;  // the other file, where an archive is two; else NULL
    const char *detail;   // of which make it is, for people; else NULL
    uint64_t bytes;       // of the archive itself, or of that of its two files that holds the others
    void *handle;
    sni_arena *arena;                // holds the names
    sni_list entries;                // cli_entry, by name whatever the case, each name once
    const cli_entry **by_last_name;  // the same, by what stands behind the last slash
    uint32_t refused_count;          // files whose names lead out of the archive
    uint32_t damaged_count;          // files without a name or outside the data; left out
    uint32_t overlap_count;          // files that begin inside another
};

// By its ending or, where that says nothing, by trying. The path and the arena must outlive the archive.
bool cli_archive_open(cli_archive *archive, const char *path, sni_arena *arena, sni_diag *diag);
void cli_archive_close(cli_archive *archive);
bool cli_archive_is(const char *path);                        // has the ending of an archive
bool cli_archive_is_model(const char *path);                  // has that of one which opens as a model, too
const cli_archive_kind *cli_archive_kind_at(uint32_t index);  // NULL behind the last

bool cli_archive_find_path(cli_archive *archive, const char *clean_name, cli_entry *entry);
bool cli_archive_find_name(cli_archive *archive, const char *last_name, cli_entry *entry);  // in whatever folder
bool cli_archive_read(cli_archive *archive, const cli_entry *entry, sni_arena *arena, sni_diag *diag, sni_bytes *bytes);

static inline const cli_entry *cli_archive_entries(const cli_archive *archive) { return archive->entries.items; }

// For kinds. False only when memory ran out: a name that must not be used is counted and left out.
bool cli_archive_add(cli_archive *archive, const char *own_name, uint64_t size, uint64_t at);

// May a file of `size` bytes be read that takes `packed` bytes of the archive?
bool cli_archive_accepts(const cli_archive *archive, uint64_t size, uint64_t packed, sni_diag *diag);

// '*' stands for any characters, '?' for one; case does not matter.
bool cli_name_matches(const char *name, const char *pattern);

#endif
