#include "io/level5_pack.h"

#include "base/reader.h"

static const uint32_t NONE = UINT32_MAX;

typedef struct entry_head {
    uint32_t data, size, next;
} entry_head;

static entry_head load_head(const uint8_t *at)
{
    return (entry_head){ sni_load_u32(at + 64), sni_load_u32(at + 68), sni_load_u32(at + 72) };
}

static uint64_t align16(uint64_t size) { return (size + 15) & ~(uint64_t)15; }

bool sni_level5_pack_next(sni_bytes pack, sni_level5_pack_entry *entry)
{
    const uint64_t offset = entry->next, room = offset <= pack.size ? pack.size - offset : 0;
    if (room < SNI_LEVEL5_PACK_ENTRY_BYTES || pack.data[offset] == 0) return false;
    const uint8_t *at = pack.data + offset, *nul = memchr(at, 0, SNI_LEVEL5_PACK_NAME_BYTES);
    const entry_head head = load_head(at);
    bool has_next = head.next >= SNI_LEVEL5_PACK_ENTRY_BYTES && head.next <= room;
    if (head.size == NONE || (head.size == 0 && (head.next == 0 || head.next == NONE))) return false;

    // The data follows the entry in all known files; another offset is used only if it is valid.
    uint64_t end = has_next ? head.next : room, data = SNI_LEVEL5_PACK_ENTRY_BYTES;
    if (head.data > data && head.data <= end && head.size <= room - head.data) data = head.data;
    *entry = (sni_level5_pack_entry){
        .offset = offset,
        .name = sni_str_make((const char *)at, nul ? (size_t)(nul - at) : SNI_LEVEL5_PACK_NAME_BYTES),
        .data = offset + data,
        .size = head.size < end - data ? head.size : end - data,
        .stated = head.size,
        .next = has_next ? offset + head.next : pack.size,
    };
    return true;
}

// Printable text that ends with a NUL; any bytes of Shift-JIS.
static bool is_name(const uint8_t *at)
{
    uint32_t size = 0;
    while (size < SNI_LEVEL5_PACK_NAME_BYTES && at[size] >= ' ' && at[size] != 0x7F) size++;
    return size > 0 && size < SNI_LEVEL5_PACK_NAME_BYTES && at[size] == 0;
}

static bool is_entry(const uint8_t *at, bool is_last)
{
    const entry_head head = load_head(at);
    if (!is_name(at) || head.data != SNI_LEVEL5_PACK_ENTRY_BYTES) return false;
    return head.next == SNI_LEVEL5_PACK_ENTRY_BYTES + align16(head.size) ||
           (is_last && (head.next == 0 || head.next == NONE));
}

bool sni_level5_pack_begins(sni_bytes bytes)
{
    return bytes.size >= SNI_LEVEL5_PACK_ENTRY_BYTES && is_entry(bytes.data, false);
}

bool sni_level5_pack_is(sni_bytes bytes)
{
    sni_level5_pack_entry entry = { 0 };
    uint32_t count = 0;
    for (; sni_level5_pack_next(bytes, &entry); count++)
        if (!is_entry(bytes.data + entry.offset, entry.next == bytes.size) || entry.size != entry.stated) return false;
    return count > 0;
}
