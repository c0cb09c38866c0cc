// Level-5 packs (.chr, .pak, .mpk...): a chain of files without a header, for the format and for archives.
//
//     64 bytes name, u32 offset of the data (80), u32 size, u32 offset of the next entry, u32 unknown, then the data
//
// Offsets are relative to the entry. The chain ends at an entry without a name or with impossible numbers.
#ifndef SNI_LEVEL5_PACK_H
#define SNI_LEVEL5_PACK_H

#include "base/text.h"

enum { SNI_LEVEL5_PACK_NAME_BYTES = 64, SNI_LEVEL5_PACK_ENTRY_BYTES = 80 };

typedef struct sni_level5_pack_entry {
    uint64_t offset;      // of the entry in the pack
    sni_str name;         // up to the NUL; may have folders
    uint64_t data, size;  // cut at the next entry or the end of the pack
    uint32_t stated;      // size in the header
    uint64_t next;        // offset of the next entry; the pack's size after the last one
} sni_level5_pack_entry;

// Reads the entry at `entry->next`; start with a zeroed entry. False at the end of the chain.
bool sni_level5_pack_next(sni_bytes pack, sni_level5_pack_entry *entry);

// Whether all bytes are a pack, with names, sizes and offsets as the games' tools write them.
bool sni_level5_pack_is(sni_bytes bytes);
bool sni_level5_pack_begins(sni_bytes bytes);  // whether the first entry is one; the rest may be damaged

#endif
