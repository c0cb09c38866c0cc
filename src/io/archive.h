// Archives inside the library: one table row per kind, entries sorted by name, contents read into an arena.
#ifndef SNI_ARCHIVE_H
#define SNI_ARCHIVE_H

#include "io/file.h"
#include "sinew/files.h"

typedef struct sni_archive_entry {
    const char *name;  // clean: relative, '/' between names, no ".."
    const char *own;   // the archive's spelling; NULL: not listed, but found by its name
    uint64_t size;     // as listed
    uint64_t at;       // where its bytes begin; in an MPQ archive the number of its block
} sni_archive_entry;

// A kind that sinew reads by itself. Readers open the file for each read, so that threads share nothing.
typedef struct sni_archive_kind {
    const char *title, *extensions;
    bool is_model;  // sn_load_file loads these files as models, so the extension alone does not make an archive
    bool (*open)(sn_archive *archive, sni_diag *diag);  // lists with sni_archive_add
    // Finds a file that is not listed by entry->name. NULL: all are listed.
    bool (*find)(const sn_archive *archive, sni_archive_entry *entry);
    // The contents into the arena. A size that the archive's bytes cannot account for is refused before memory is
    // reserved for it: see sni_archive_accepts.
    bool (*read)(const sn_archive *archive, const sni_archive_entry *entry, sni_arena *arena, sni_diag *diag,
                 sni_bytes *bytes);
    // The file on disk that has these contents from `at` on, as they are or in RefPack. NULL: none has.
    const char *(*locate)(const sn_archive *archive, const sni_archive_entry *entry, uint64_t *at);
} sni_archive_kind;

extern const sni_archive_kind sni_archive_mpq, sni_archive_big, sni_archive_dat, sni_archive_pack, sni_archive_iso;

struct sn_archive {
    const sni_archive_kind *kind;  // NULL: a kind that the program added
    const sn_archive_kind *added;
    void *handle;                         // of an added kind
    void *tables;                         // of a kind that sinew reads, in the arena
    const char *path, *partner, *detail;  // see sn_archive_info
    uint64_t bytes;                       // of the file that holds the contents
    uint64_t file_limit;
    sni_heap heap;
    sni_arena arena;                         // of the names
    sni_list entries;                        // sni_archive_entry, by name ignoring case, each name once
    const sni_archive_entry **by_last_name;  // the same, by the part after the last slash
    uint32_t refused_count, damaged_count, overlap_count;
};

// By a clean path, or by a last name alone. An entry that the archive does not list has the given name.
bool sni_archive_find(const sn_archive *archive, const char *clean_name, sni_archive_entry *entry);
bool sni_archive_find_name(const sn_archive *archive, const char *last_name, sni_archive_entry *entry);
bool sni_archive_read(const sn_archive *archive, const sni_archive_entry *entry, sni_arena *arena, sni_diag *diag,
                      sni_bytes *bytes);

// For kinds. False only when memory ran out: a name that must not be used is counted and left out.
bool sni_archive_add(sn_archive *archive, const char *own_name, uint64_t size, uint64_t at);
// May a file of `size` bytes be read that takes `packed` bytes of the archive?
bool sni_archive_accepts(const sn_archive *archive, uint64_t size, uint64_t packed, sni_diag *diag);

// In archive_level5.c: lists the files of a disc archive whose index and data are files of `archive`, stored as they
// are. An index that is damaged is left out. False only when memory ran out.
bool sni_level5_list_inside(sn_archive *archive, const sni_archive_entry *index, const sni_archive_entry *data,
                            sni_arena *scratch, sni_diag *diag);

// RefPack, EA's compression, in archive_big.c. Does a file begin as packed files do? No unpacked file of a game does.
bool sni_refpack_is(sni_bytes packed);
// Unpacks into the arena. False where it is damaged: the diag gets the byte.
bool sni_refpack_unpack(sni_bytes packed, sni_arena *arena, sni_diag *diag, sni_bytes *bytes);

static inline const sni_archive_entry *sni_archive_entries(const sn_archive *archive) { return archive->entries.items; }

#endif
