// BIG archives of EA's games: a list of offsets, sizes and paths, then the files, as they are or packed one by one.
//
//     "BIGF" or "BIG4", u32 size of the archive (little-endian), u32 files, u32 size of all this (both big-endian)
//     for each file: u32 offset, u32 size (big-endian), path with backslashes, 0
#include "base/reader.h"
#include "io/archive.h"

// Tools disagree about what the size of the list counts: the first attempt reads a bit more, the second as much as any
// list may have.
enum { HEADER_BYTES = 16, SPARE_BYTES = 4096, LONGEST_LIST = 16 << 20 };

// All names of a list of `count`; how many there are in `read`. False only when memory ran out.
static bool list_files(sn_archive *archive, sni_bytes list, uint32_t count, uint32_t *read)
{
    const uint8_t *at = list.data + HEADER_BYTES, *end = list.data + list.size;
    for (*read = 0; *read < count && end - at > 8; ++*read) {
        const uint8_t *name = at + 8, *nul = memchr(name, 0, (size_t)(end - name));
        if (!nul) return true;
        if (!sni_archive_add(archive, (const char *)name, sni_load_big_u32(at + 4), sni_load_big_u32(at))) return false;
        at = nul + 1;
    }
    return true;
}

// The list has its own arena: names are copied out of it.
static bool read_list(sn_archive *archive, uint64_t size, uint32_t count, sni_diag *diag, uint32_t *read)
{
    sni_arena arena;
    sni_bytes list;
    sni_arena_init(&arena, &archive->heap);
    archive->entries.count = 0;
    archive->refused_count = 0;
    bool is_good = sni_file_read_part(archive->path, 0, size, &arena, diag, &list) &&
                   list_files(archive, list, count, read);
    sni_arena_free(&arena);
    return is_good;
}

static bool read_lists(sn_archive *archive, uint32_t count, uint32_t list_size, sni_diag *diag)
{
    const uint64_t first = (uint64_t)list_size + HEADER_BYTES + SPARE_BYTES,
                   most = archive->bytes < LONGEST_LIST ? archive->bytes : LONGEST_LIST;
    uint32_t read = 0;
    if (!read_list(archive, first < most ? first : most, count, diag, &read)) return false;
    if (read < count && first < most && !read_list(archive, most, count, diag, &read)) return false;
    if (read < count)
        return sni_fail(diag, SN_ERR_CORRUPT, 0, "the header counts %u files, the list has %u", count, read);
    return true;
}

static bool big_open(sn_archive *archive, sni_diag *diag)
{
    sni_arena arena;
    sni_bytes header;
    uint32_t count = 0, list_size = 0;
    if (archive->bytes < HEADER_BYTES) return sni_fail(diag, SN_ERR_FORMAT, 0, "not a BIG archive");
    sni_arena_init(&arena, &archive->heap);
    bool is_read = sni_file_read_part(archive->path, 0, HEADER_BYTES, &arena, diag, &header);
    bool is_big = is_read && (memcmp(header.data, "BIGF", 4) == 0 || memcmp(header.data, "BIG4", 4) == 0);
    if (is_big) count = sni_load_big_u32(header.data + 8), list_size = sni_load_big_u32(header.data + 12);
    sni_arena_free(&arena);
    if (!is_read) return false;
    return is_big ? read_lists(archive, count, list_size, diag) : sni_fail(diag, SN_ERR_FORMAT, 0, "not a BIG archive");
}

// RefPack, EA's compression: runs of new bytes, and copies of bytes that were unpacked before.
//
//     "EAR" 0, u32 unpacked size (little-endian); in some files only
//     u8 flags (0x10, 0x01: a packed size comes first, 0x80: sizes have four bytes, else three), 0xFB, the sizes
//     (big-endian); then commands: how many new bytes follow, how many are copied, and from how far back

enum { WRAPPER_BYTES = 8, MAGIC = 0xFB, FLAGS = 0x10, HAS_PACKED_SIZE = 0x01, HAS_LONG_SIZES = 0x80 };
enum { MOST_PER_BYTE = 257 };  // the longest copy is 1028 bytes by a command of four

typedef struct command {
    uint32_t bytes, fresh, copied, distance;
    bool is_last;
} command;

typedef struct unpacker {
    const uint8_t *packed;
    size_t at, packed_size;
    uint8_t *out;
    size_t done, size;
} unpacker;

// The position of the flags.
static size_t skip_wrapper(sni_bytes packed)
{
    return packed.size >= WRAPPER_BYTES && memcmp(packed.data, "EAR", 4) == 0 ? WRAPPER_BYTES : 0;
}

bool sni_refpack_is(sni_bytes packed)
{
    size_t at = skip_wrapper(packed);
    return packed.size - at >= 2 && (packed.data[at] & ~(HAS_PACKED_SIZE | HAS_LONG_SIZES)) == FLAGS &&
           packed.data[at + 1] == MAGIC;
}

// The sizes after the flags; the last one is the unpacked size.
static bool read_sizes(unpacker *u)
{
    uint8_t flags = u->packed[u->at];
    size_t width = flags & HAS_LONG_SIZES ? 4 : 3, start = u->at + 2 + (flags & HAS_PACKED_SIZE ? width : 0);
    if (u->packed_size < start + width) return false;
    for (size_t i = 0; i < width; i++) u->size = u->size << 8 | u->packed[start + i];
    u->at = start + width;
    return true;
}

// Decodes a command; the caller has checked that its bytes are there.
static command read_command(const uint8_t *at, uint32_t bytes)
{
    uint32_t a = at[0];
    command c = { .bytes = bytes };
    switch (bytes) {
    case 2: c.fresh = a & 3, c.copied = (a >> 2 & 7) + 3, c.distance = ((a & 0x60) << 3 | at[1]) + 1; break;
    case 3:
        c.fresh = at[1] >> 6, c.copied = (a & 0x3F) + 4, c.distance = ((uint32_t)(at[1] & 0x3F) << 8 | at[2]) + 1;
        break;
    case 4:
        c.fresh = a & 3, c.copied = ((a & 0x0C) << 6 | at[3]) + 5;
        c.distance = ((a & 0x10) << 12 | (uint32_t)at[1] << 8 | at[2]) + 1;
        break;
    default: c.is_last = a >= 0xFC; c.fresh = c.is_last ? a & 3 : ((a & 0x1F) + 1) << 2;
    }
    return c;
}

static uint32_t command_bytes(uint8_t first) { return first < 0x80 ? 2 : first < 0xC0 ? 3 : first < 0xE0 ? 4 : 1; }

// Copies may reach into what they write: then the bytes repeat.
static bool run_command(unpacker *u, const command *c)
{
    u->at += c->bytes;
    if (c->fresh > u->packed_size - u->at || c->fresh > u->size - u->done) return false;
    if (c->fresh > 0) memcpy(u->out + u->done, u->packed + u->at, c->fresh);
    u->at += c->fresh;
    u->done += c->fresh;
    if (c->copied > u->size - u->done || c->distance > u->done) return false;
    for (uint32_t i = 0; i < c->copied; i++, u->done++) u->out[u->done] = u->out[u->done - c->distance];
    return true;
}

static bool run_commands(unpacker *u)
{
    for (command c = { 0 }; !c.is_last;) {
        uint32_t bytes = u->at < u->packed_size ? command_bytes(u->packed[u->at]) : UINT32_MAX;
        if (bytes > u->packed_size - u->at)
            return u->at == u->packed_size && u->done == u->size;  // some have no last one
        c = read_command(u->packed + u->at, bytes);
        if (!run_command(u, &c)) return false;
    }
    return u->done == u->size;
}

static unpacker open_packed(sni_bytes packed)
{
    return (unpacker){ .packed = packed.data, .at = skip_wrapper(packed), .packed_size = packed.size };
}

// Unpacked; 0 when the header does not state it.
static uint64_t refpack_size(sni_bytes packed)
{
    unpacker u = open_packed(packed);
    return sni_refpack_is(packed) && read_sizes(&u) ? u.size : 0;
}

bool sni_refpack_unpack(sni_bytes packed, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    unpacker u = open_packed(packed);
    if (!sni_refpack_is(packed) || !read_sizes(&u))
        return sni_fail(diag, SN_ERR_CORRUPT, 0, "the sizes of the packed file are missing");
    if (u.size / MOST_PER_BYTE > packed.size)
        return sni_fail(diag, SN_ERR_CORRUPT, 0, "%zu bytes cannot come from %zu packed bytes", u.size, packed.size);
    u.out = sni_new_raw(arena, uint8_t, u.size);
    if (!u.out) return false;
    if (!run_commands(&u))
        return sni_fail(diag, SN_ERR_CORRUPT, u.at, "the packed data is damaged: %zu of %zu bytes were unpacked",
                        u.done, u.size);
    *bytes = (sni_bytes){ u.out, u.size };
    return true;
}

static bool big_read(const sn_archive *archive, const sni_archive_entry *entry, sni_arena *arena, sni_diag *diag,
                     sni_bytes *bytes)
{
    sni_bytes stored;
    if (!sni_archive_accepts(archive, entry->size, entry->size, diag) ||
        !sni_file_read_part(archive->path, entry->at, entry->size, arena, diag, &stored))
        return false;
    if (sni_refpack_is(stored))
        return sni_archive_accepts(archive, refpack_size(stored), stored.size, diag) &&
               sni_refpack_unpack(stored, arena, diag, bytes);
    *bytes = stored;
    return true;
}

static const char *big_locate(const sn_archive *archive, const sni_archive_entry *entry, uint64_t *at)
{
    *at = entry->at;
    return archive->path;
}

const sni_archive_kind sni_archive_big = {
    .title = "BIG archive",
    .extensions = "big",
    .open = big_open,
    .read = big_read,
    .locate = big_locate,
};
