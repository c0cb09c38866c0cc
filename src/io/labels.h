// Labels: names inside files by which other files look for them, such as the hierarchy that a W3D animation is made
// for. They are read once for each folder or archive, from the headers, so that a batch does not open every file for
// each model.
#ifndef SNI_LABELS_H
#define SNI_LABELS_H

#include "base/map.h"
#include "io/archive.h"

typedef struct sni_labels {
    bool is_made, is_cut;  // is_cut: there were too many files
    sni_list items;        // sni_label
    sni_map map;
    uint32_t file_count;
    uint64_t bytes;  // that were read of files that are packed
} sni_labels;

// A file that is read in parts, to find its labels.
typedef struct sni_peek {
    sni_file_part part;   // on disk
    const uint8_t *data;  // or in memory
    uint64_t size;
    const char *name;  // its last name; outlives the labels
    sni_labels *labels;
    sni_arena *arena;
} sni_peek;

bool sni_peek_read(const sni_peek *peek, uint64_t at, void *out, size_t size);  // false: it is shorter
bool sni_peek_add(sni_peek *peek, char kind, sni_str label);                    // false: memory ran out

// How a format reads the labels of files with its extension. False: memory ran out.
typedef struct sni_labeller {
    const char *endings;
    bool (*read)(sni_peek *peek);
} sni_labeller;

// Adds the labels of a file on disk, in memory or in an archive. False only when memory ran out.
bool sni_labels_add_path(sni_labels *labels, const sni_labeller *labeller, const char *path, const char *name,
                         sni_arena *arena);
bool sni_labels_add_bytes(sni_labels *labels, const sni_labeller *labeller, sni_bytes bytes, const char *name,
                          sni_arena *arena);
bool sni_labels_add_archive(sni_labels *labels, const sni_labeller *labeller, const sn_archive *archive,
                            sni_arena *arena);
bool sni_labels_add_entry(sni_labels *labels, const sni_labeller *labeller, const sn_archive *archive,
                          const sni_archive_entry *entry, sni_arena *arena);
sni_str sni_labels_at(const sni_labels *labels, uint32_t index);  // below labels->items.count

// The files with a label, in the order they were added. NULL past the last; begin with a cursor of sni_labels_find.
sni_map_cursor sni_labels_find(const sni_labels *labels, char kind, sni_str label);
const char *sni_labels_next(const sni_labels *labels, sni_map_cursor *at, char kind, sni_str label);

#endif
