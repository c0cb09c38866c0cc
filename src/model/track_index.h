// The tracks of all clips by what they drive, for exporters: files have one track where the model has one per clip.
#ifndef SNI_TRACK_INDEX_H
#define SNI_TRACK_INDEX_H

#include "base/arena.h"

typedef struct sni_found_track {
    uint64_t drives;
    uint32_t clip;
    const sn_track *track;
} sni_found_track;

typedef struct sni_track_index {
    const sni_found_track *tracks;  // by what they drive, then by clip; none without keys
    uint32_t count;
} sni_track_index;

bool sni_track_index_make(sni_arena *arena, const sn_model *model, sni_track_index *index);  // false: out of memory

// A channel of something, as a number.
uint64_t sni_drives(sn_target kind, int32_t target, int32_t sub, sn_channel channel);

// The first that drives it in this clip or a later one; `count` if all are before it.
uint32_t sni_track_index_first(const sni_track_index *index, uint64_t drives, uint32_t clip);

bool sni_track_index_has(const sni_track_index *index, uint64_t drives);                             // in any clip
const sn_track *sni_track_index_find(const sni_track_index *index, uint64_t drives, uint32_t clip);  // NULL: none

#endif
