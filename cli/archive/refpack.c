// How a packed file lies:
//
//     "EAR" 0, u32 unpacked size (little-endian); in some files only
//     u8 flags (0x10, 0x01: a packed size comes first, 0x80: sizes have four bytes, else three), 0xFB, the sizes
//     (big-endian) commands: how many new bytes follow, then how many are copied from how far back
#include "refpack.h"

#include <string.h>

#include "base/reader.h"

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

// Where the flags stand.
static size_t skip_wrapper(sni_bytes packed)
{
    return packed.size >= WRAPPER_BYTES && memcmp(packed.data, "EAR", 4) == 0 ? WRAPPER_BYTES : 0;
}

bool cli_refpack_is(sni_bytes packed)
{
    size_t at = skip_wrapper(packed);
    return packed.size - at >= 2 && (packed.data[at] & ~(HAS_PACKED_SIZE | HAS_LONG_SIZES)) == FLAGS &&
           packed.data[at + 1] == MAGIC;
}

// The sizes behind the flags; only the last is that of what is unpacked.
static bool read_sizes(unpacker *u)
{
    uint8_t flags = u->packed[u->at];
    size_t width = flags & HAS_LONG_SIZES ? 4 : 3, start = u->at + 2 + (flags & HAS_PACKED_SIZE ? width : 0);
    if (u->packed_size < start + width) return false;
    for (size_t i = 0; i < width; i++) u->size = u->size << 8 | u->packed[start + i];
    u->at = start + width;
    return true;
}

// What the command at a place says; the caller knows that its bytes are there.
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

bool cli_refpack_unpack(sni_bytes packed, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    unpacker u = { .packed = packed.data, .at = skip_wrapper(packed), .packed_size = packed.size };
    if (!cli_refpack_is(packed) || !read_sizes(&u))
        return sni_fail(diag, SN_ERR_CORRUPT, 0, "packed, but its sizes are not there");
    if (u.size / MOST_PER_BYTE > packed.size)
        return sni_fail(diag, SN_ERR_CORRUPT, 0, "%zu bytes are promised, packed in %zu", u.size, packed.size);
    u.out = sni_new_raw(arena, uint8_t, u.size);
    if (!u.out) return false;
    if (!run_commands(&u))
        return sni_fail(diag, SN_ERR_CORRUPT, u.at, "packed, and damaged there: %zu of %zu bytes could be unpacked",
                        u.done, u.size);
    *bytes = (sni_bytes){ u.out, u.size };
    return true;
}
