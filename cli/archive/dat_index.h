// The index of a disc archive of Level-5's games: which files lie where in the DAT beside it.
#ifndef CLI_DAT_INDEX_H
#define CLI_DAT_INDEX_H

#include "io/file.h"

typedef struct dat_record {
    sni_str name;
    uint64_t at, size;
} dat_record;  // the name as it is stored, in Shift-JIS

typedef struct dat_index {
    const char *title;         // "HD2 index"
    sni_list records;          // dat_record, those that lie inside the data
    uint64_t name_bytes;       // of all of them
    uint32_t damaged_count;    // records without a name, or that reach past the data
    uint32_t overlap_count;    // records that begin inside another file
    uint32_t neighbour_count;  // records that begin in the sector behind another file
} dat_index;

// `path` is asked for its ending only, `data_bytes` is the size of the DAT. Records point into the bytes or into the
// arena.
bool dat_index_read(dat_index *index, sni_bytes bytes, const char *path, uint64_t data_bytes, sni_arena *arena,
                    sni_diag *diag);

#endif
