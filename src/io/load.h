// What one load shares: its arenas (scratch dies with the load, keep becomes the model), the diagnostics, the
// options with their defaults filled in, and the one way to reach other files.
#ifndef SNI_LOAD_H
#define SNI_LOAD_H

#include "base/map.h"
#include "io/resolve.h"

typedef struct sni_load {
    sni_diag diag;
    sni_arena scratch, keep;
    sni_arena files;  // what was read from disk: kept with the model if its arrays lie in them
    sni_list maps;    // sni_bytes, in keep: the same for files that were mapped
    bool has_lent;
    sni_heap *heap;            // of all
    const sn_load_opts *opts;  // may be NULL
    sn_limits limits;          // defaults filled in
    bool has_memory_limit;     // the user's own: does not grow with the input
    bool lint;
    const char *name;    // of the file, for messages
    const char *folder;  // the model's, on disk; NULL: it is not there
    sni_origin origin;   // the same for references, made when it is first needed
    bool has_origin;
    sni_list refs;    // what was opened: each file is read once
    sni_list found;   // what was searched for, found or not
    sni_list opened;  // sni_bytes of open_ref, for close_ref
    sni_list kept;    // what sni_load_keep copied
    sni_map kept_map;
    // sn_load_archive: where the model is.
    const sn_archive *archive;
    const char *inside;            // its folder in the archive: "" or with a slash at the end
    const char *format;            // the model's, for what searches only for some
    const void *document;          // what a format that knows rules of games has parsed
    const sn_bounds *clip_bounds;  // of the model's clips, while a format with extents is checked; may be NULL
    uint32_t clip_count;
    sni_labels peek_labels;  // of the files of peek_ref
} sni_load;

// Ready to parse `size` bytes; the heap is the caller's and outlives the load.
void sni_load_init(sni_load *load, sni_heap *heap, const sn_load_opts *opts);
void sni_load_count_input(sni_load *load, uint64_t size);  // raises the default memory ceiling

// The model's own bytes: a file on disk, "-" for standard input, or a file of an archive.
bool sni_load_begin_file(sni_load *load, const char *path, sni_bytes *bytes);
bool sni_load_begin_archive(sni_load *load, const sn_archive *archive, const char *name, sni_bytes *bytes);
void sni_load_end(sni_load *load);  // releases what references needed

// A file that the user named.
bool sni_load_path(sni_load *load, const char *path, sni_bytes *bytes);

// The bytes of a referenced file, to the letter. False without a failure when it is not there or was refused by the
// folder rule.
bool sni_load_ref(sni_load *load, const char *clean_ref, sni_bytes *bytes);
// The same for a relative path with "..", which must lead into a folder that the user named.
bool sni_load_ref_above(sni_load *load, const char *ref, sni_bytes *bytes);

// The same for a reference as a classic game's file has it: any case, either slash, an extension that is no longer
// true. It is looked for as it is, then with each of `endings` ("blp dds tga") in place of its own, then the same by
// its last name alone. Of a reference that leads elsewhere ("..", a drive, a slash at its beginning) only the last name
// is looked for. False without a failure when it is not there or must not be opened (warned of); `why` says which.
bool sni_load_find(sni_load *load, sni_str ref, const char *endings, sni_bytes *bytes, const char **why);

// The files around the model that have a label, by their last names. False: `visit` returned false, or a failure.
bool sni_load_find_labelled(sni_load *load, const sni_labeller *labeller, char kind, sni_str label,
                            sni_label_visit visit, void *user);

// Where a document goes: it dies with the load, or stays with the model when that was asked for.
sni_arena *sni_load_document_arena(sni_load *load);

// Large arrays may stay where they are in a file that was read: true when `size` bytes at `at` live as long as the
// model from now on. They are for reading only: other parts of the model may be there too.
bool sni_load_lend(sni_load *load, const void *at, uint64_t size);

// Bytes that live as long as the model: those of the file where that is possible, otherwise a copy, one of equal bytes.
// NULL after a failure.
const uint8_t *sni_load_keep(sni_load *load, sni_bytes bytes);

// The same items for writing: copied first where they are those of the file. NULL after a failure.
void *sni_load_own(sni_load *load, const void *at, size_t size, uint64_t count);

void sni_load_unmap(sni_list *maps);

static inline bool sni_load_ok(const sni_load *load) { return !sni_failed(&load->diag); }

#endif
