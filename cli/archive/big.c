// BIG archives of EA's games: a list of offsets, sizes and paths, then the files, as they are or packed one by one.
//
//     "BIGF" or "BIG4", u32 size of the archive (little-endian), u32 files, u32 size of all this (both big-endian)
//     for each file: u32 offset, u32 size (big-endian), path with backslashes, 0
#include <string.h>

#include "archive.h"
#include "base/reader.h"
#include "refpack.h"

// Tools disagree about what the size of the list counts: a first look goes a bit further, a second one as far as any
// list.
enum { HEADER_BYTES = 16, SPARE_BYTES = 4096, LONGEST_LIST = 16 << 20 };

static uint32_t load_big_endian(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

// All names of a list of `count`; how many there are in `read`. False only when memory ran out.
static bool list_files(cli_archive *archive, sni_bytes list, uint32_t count, uint32_t *read)
{
    const uint8_t *at = list.data + HEADER_BYTES, *end = list.data + list.size;
    for (*read = 0; *read < count && end - at > 8; ++*read) {
        const uint8_t *name = at + 8, *nul = memchr(name, 0, (size_t)(end - name));
        if (!nul) return true;
        if (!cli_archive_add(archive, (const char *)name, load_big_endian(at + 4), load_big_endian(at))) return false;
        at = nul + 1;
    }
    return true;
}

// The list is read into an arena of its own: names are copied out of it.
static bool read_list(cli_archive *archive, uint64_t size, uint32_t count, sni_diag *diag, uint32_t *read)
{
    sni_arena arena;
    sni_bytes list;
    sni_arena_init(&arena, archive->arena->heap);
    archive->entries.count = 0;
    archive->refused_count = 0;
    bool is_good = sni_file_read_part(archive->path, 0, size, &arena, diag, &list) &&
                   list_files(archive, list, count, read);
    sni_arena_free(&arena);
    return is_good;
}

static bool read_lists(cli_archive *archive, uint32_t count, uint32_t list_size, sni_diag *diag)
{
    const uint64_t first = (uint64_t)list_size + HEADER_BYTES + SPARE_BYTES,
                   most = archive->bytes < LONGEST_LIST ? archive->bytes : LONGEST_LIST;
    uint32_t read = 0;
    if (!read_list(archive, first < most ? first : most, count, diag, &read)) return false;
    if (read < count && first < most && !read_list(archive, most, count, diag, &read)) return false;
    if (read < count) return sni_fail(diag, SN_ERR_CORRUPT, 0, "%u files are promised, the list has %u", count, read);
    return true;
}

static bool big_open(cli_archive *archive, sni_diag *diag)
{
    sni_arena arena;
    sni_bytes header;
    uint32_t count = 0, list_size = 0;
    if (archive->bytes < HEADER_BYTES) return sni_fail(diag, SN_ERR_FORMAT, 0, "not a BIG archive");
    sni_arena_init(&arena, archive->arena->heap);
    bool is_read = sni_file_read_part(archive->path, 0, HEADER_BYTES, &arena, diag, &header);
    bool is_big = is_read && (memcmp(header.data, "BIGF", 4) == 0 || memcmp(header.data, "BIG4", 4) == 0);
    if (is_big) count = load_big_endian(header.data + 8), list_size = load_big_endian(header.data + 12);
    sni_arena_free(&arena);
    if (!is_read) return false;
    return is_big ? read_lists(archive, count, list_size, diag) : sni_fail(diag, SN_ERR_FORMAT, 0, "not a BIG archive");
}

static bool big_read(cli_archive *archive, const cli_entry *entry, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    sni_bytes stored;
    if (!cli_archive_accepts(archive, entry->size, entry->size, diag) ||
        !sni_file_read_part(archive->path, entry->at, entry->size, arena, diag, &stored))
        return false;
    if (cli_refpack_is(stored)) return cli_refpack_unpack(stored, arena, diag, bytes);
    *bytes = stored;
    return true;
}

const cli_archive_kind cli_archive_big = {
    .title = "BIG archive",
    .extensions = "big",
    .open = big_open,
    .read = big_read,
};
