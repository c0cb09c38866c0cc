// Packs: one level of them. What lies in an entry is parsed by who opens it.
#include "format/level5/level5_parse.h"
#include "io/level5_pack.h"

#include <stdio.h>

static void check_entry(level5_parser *p, const sni_level5_pack_entry *from, uint32_t index)
{
    char label[SNI_LEVEL5_PACK_NAME_BYTES + 1];
    const uint64_t distance = sni_load_u32(p->bytes.data + from->offset + 72);
    bool is_cut = from->size < from->stated,
         is_lost = from->next == p->bytes.size && distance != 0 && distance < SNI_LEVEL5_PACK_ENTRY_BYTES;
    if (!is_cut && !is_lost) return;
    snprintf(label, sizeof label, "%.*s", (int)from->name.size, from->name.at);
    sni_enter_named(p->diag, "ENTRY", index, label);
    if (is_cut)
        sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, from->offset + 68, "%u bytes should be there, there are %llu",
                 from->stated, (unsigned long long)from->size);
    else
        sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, from->offset + 72,
                 "the next entry should lie %u bytes on; none was read", (uint32_t)distance);
    sni_leave(p->diag);
}

bool level5_parse_pack(level5_parser *p, level5_pack *pack)
{
    sni_list list = { 0 };
    sni_level5_pack_entry from = { 0 };
    pack->size = p->bytes.size;
    while (sni_load_ok(p->load) && sni_level5_pack_next(p->bytes, &from)) {
        level5_entry *entry = sni_push(p->arena, &list, level5_entry);
        if (!entry) return false;
        *entry = (level5_entry){
            .offset = from.offset,
            .head = { p->bytes.data + from.offset, LEVEL5_PACK_ENTRY_BYTES },
            .name = from.name,
            .data = { p->bytes.data + from.data, (uint32_t)from.size },
            .data_offset = from.data,
        };
        level5_claim(p, from.offset, LEVEL5_PACK_ENTRY_BYTES);
        level5_claim(p, from.data, from.size);
        check_entry(p, &from, list.count - 1);
    }
    pack->entries = list.items;
    pack->entry_count = list.count;
    return level5_keep_gaps(p, &pack->gaps, &pack->gap_count);
}
