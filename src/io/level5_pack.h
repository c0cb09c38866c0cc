// Level-5's packs (.chr, .pak, .mpk...): files in a chain without a header. The chain is walked here for the format and
// for the tool's archives alike.
//
//     64 bytes name, u32 where its data begins (80), u32 size, u32 where the next entry begins, u32 unknown, then the
//     data
//
// Places are counted from the entry. The chain ends at an entry without a name, or one whose numbers lead nowhere.
#ifndef SNI_LEVEL5_PACK_H
#define SNI_LEVEL5_PACK_H

#include "base/text.h"

enum { SNI_LEVEL5_PACK_NAME_BYTES = 64, SNI_LEVEL5_PACK_ENTRY_BYTES = 80 };

typedef struct sni_level5_pack_entry {
    uint64_t offset;      // of the entry in the pack
    sni_str name;         // up to the NUL; may have folders
    uint64_t data, size;  // what is there of it: it ends with the pack or where the next entry begins
    uint32_t stated;      // its size, as the pack says
    uint64_t next;        // the pack's size behind the last
} sni_level5_pack_entry;

// The entry at `entry->next`, which begins as 0. False at the end; what lies from there on belongs to no entry.
bool sni_level5_pack_next(sni_bytes pack, sni_level5_pack_entry *entry);

// Is this a pack and nothing else? Names, sizes and distances are as the games' own tools make them, up to the end.
bool sni_level5_pack_is(sni_bytes bytes);
bool sni_level5_pack_begins(sni_bytes bytes);  // so far as its first entry goes: it may have been cut

#endif
