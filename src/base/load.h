// What one load shares: two arenas (scratch dies with the load, keep becomes the model), the diagnostics, the
// options with their defaults filled in, and the one way to reach other files.
#ifndef SNI_LOAD_H
#define SNI_LOAD_H

#include "base/arena.h"
#include "base/search.h"

typedef struct sni_load {
    sni_diag            diag;
    sni_arena           scratch, keep;
    sni_heap           *heap;            // of both
    const sn_load_opts *opts;            // may be NULL
    sn_limits           limits;          // defaults filled in
    bool                has_memory_limit;// the user's own: does not grow with the input
    bool                lint;
    const char         *name;            // of the file, for messages
    const char         *folder;          // where references are opened; NULL: nowhere
    sni_list            refs;            // what was opened: each file is read once
    sni_list            found;           // what was looked for, found or not
    sni_search         *searches;        // the model's folder, then those of the options; NULL until needed
    uint64_t            search_bytes;    // how much higher they put the ceiling
} sni_load;

// Ready to parse `size` bytes; the heap is the caller's and outlives the load.
void sni_load_init(sni_load *load, sni_heap *heap, const sn_load_opts *opts);
void sni_load_count_input(sni_load *load, uint64_t size);     // raises the default memory ceiling

// A whole file that the user named, into scratch.
bool sni_load_path(sni_load *load, const char *path, sni_bytes *bytes);

// The bytes of a referenced file. False without a failure when it is not there or was refused by the folder rule.
bool sni_load_ref(sni_load *load, const char *clean_ref, sni_bytes *bytes);

// The same for a reference as an old game's file has it: any case, either slash, an ending that is no longer true.
// It is looked for as it is, then with each of `endings` ("blp dds tga") in place of its own, then the same by its last
// name alone. False without a failure when it is not there or must not be opened (warned of); `why` says which.
bool sni_load_find(sni_load *load, sni_str ref, const char *endings, sni_bytes *bytes, const char **why);

static inline bool sni_load_ok(const sni_load *load) { return !sni_failed(&load->diag); }

#endif
