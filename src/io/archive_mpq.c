// MPQ archives of Blizzard's games (Diablo, StarCraft, Warcraft III): files found by hashes of their names.
//
// The header is at the start of the file or at a multiple of 512 (maps have something before it); a user data header
// may lead to it. All offsets count from the header.
//
//     "MPQ" 0x1A, u32 size, u32 archive size, u16 version, u16 sector size (512 << n), u32 hash table, u32 block table,
//     u32 hashes, u32 blocks
//     version 1: u64 high block table, u16 and u16 high words of the two offsets
//     version 2: u64 archive size, u64 BET table, u64 HET table
//     version 3: u64 stored sizes of the hash, block, high block, HET and BET tables
//
// A hash is u32 and u32 of the name, u16 locale, u16 platform, u32 block; a block is u32 offset, u32 packed size, u32
// size, u32 flags. HET and BET tables say the same in as few bits as possible, and are read when there is no hash
// table. Map protectors write tables and blocks that end past the file, sizes that are wrong and versions that do not
// exist: what cannot be in the file is left out and counted.
#include <stdio.h>
#include <stdlib.h>

#include "base/reader.h"
#include "io/archive.h"
#include "io/mpq_codec.h"

enum {
    HEADER_STEP = 512,
    CHUNK_BYTES = 1 << 16,
    SEARCHED_BYTES = 128 << 20,  // for a header; longer than what precedes any
    HEADER_BYTES = 208,
    LARGEST_SECTOR_SHIFT = 15,
    INDEX_MASK = 0x0FFFFFFF,  // protectors set the bits above it
    ENTRY_BYTES = 16,         // of a hash and of a block
    NAME_BYTES = 1024,
    SPARE_BYTES = 1 << 20,  // a table or a list of names may unpack to this and a multiple of the file
    LARGEST_RATIO = 1100    // about that of zlib; bzip2 may make more of nothing
};

enum {
    IMPLODED = 0x00000100,
    COMPRESSED = 0x00000200,
    ENCRYPTED = 0x00010000,
    KEY_IS_ADJUSTED = 0x00020000,
    IS_PATCH = 0x00100000,
    IS_SINGLE_UNIT = 0x01000000,
    IS_DELETION = 0x02000000,
    HAS_CHECKSUMS = 0x04000000
};
static const uint32_t EXISTS = 0x80000000;
static const uint64_t HAS_NO_NAME = 1ull << 63;  // in sni_archive_entry.at, which is otherwise the number of the block

typedef struct mpq_block {
    uint64_t offset, packed, size;  // the offset from the header
    uint32_t flags;
} mpq_block;

typedef struct mpq_slot {
    uint64_t hash;
    uint32_t rank;  // of equal hashes the lowest one is used: neutral locale, then order in the table
    uint32_t block;
    bool is_listed;
} mpq_slot;

// A table: where it begins after the header, its bytes in the file (0: not known).
typedef struct mpq_table {
    uint64_t offset, stored;
} mpq_table;

typedef struct mpq_header {
    uint64_t start;
    uint32_t version, sector_shift;
    uint32_t hash_count, block_count;
    mpq_table hashes, blocks, high_blocks, het, bet;
} mpq_header;

typedef struct mpq {
    sni_mpq_cipher cipher;
    mpq_header header;
    uint32_t hash_bits;  // of names in the HET table; 0: there is a hash table
    mpq_block *blocks;
    uint32_t block_count;
    mpq_slot *slots;  // by hash, then by rank
    uint32_t slot_count;
} mpq;

static uint64_t load_u64(const uint8_t *at) { return sni_load_u32(at) | (uint64_t)sni_load_u32(at + 4) << 32; }

// In version 0 offsets wrap around: protectors use that.
static uint64_t place_of(const mpq_header *header, uint64_t offset)
{
    uint64_t place = header->start + offset;
    return header->version == 0 ? (uint32_t)place : place < offset ? UINT64_MAX : place;
}

// Header

// The stored size of a HET or BET table of version 2 ends where the next table begins.
static void measure_table(const mpq_header *h, mpq_table *table, uint64_t archive_size)
{
    const uint64_t ends[] = { h->hashes.offset, h->blocks.offset, h->high_blocks.offset,
                              h->het.offset,    h->bet.offset,    archive_size };
    uint64_t nearest = UINT64_MAX;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends[i] > table->offset && ends[i] < nearest) nearest = ends[i];
    table->stored = nearest - table->offset;
}

// Returns whether the tables begin inside the file: otherwise it is a header only for show.
static bool parse_header(const uint8_t *at, size_t size, bool is_map, uint64_t file_bytes, mpq_header *h)
{
    static const uint8_t sizes[] = { 32, 44, 68, HEADER_BYTES };
    uint32_t version = sni_load_u16(at + 12);
    h->version = !is_map && version < 4 && size >= sizes[version] ? version : 0;
    h->sector_shift = sni_load_u16(at + 14);
    h->hashes.offset = sni_load_u32(at + 16);
    h->blocks.offset = sni_load_u32(at + 20);
    h->hash_count = sni_load_u32(at + 24) & INDEX_MASK;
    h->block_count = sni_load_u32(at + 28) & INDEX_MASK;
    if (h->version >= 1) {
        h->high_blocks.offset = load_u64(at + 32);
        h->hashes.offset |= (uint64_t)sni_load_u16(at + 40) << 32;
        h->blocks.offset |= (uint64_t)sni_load_u16(at + 42) << 32;
    }
    if (h->version >= 2) {
        h->bet.offset = load_u64(at + 52);
        h->het.offset = load_u64(at + 60);
        measure_table(h, &h->bet, load_u64(at + 44));
        measure_table(h, &h->het, load_u64(at + 44));
    }
    if (h->version >= 3) {
        h->hashes.stored = load_u64(at + 68);
        h->blocks.stored = load_u64(at + 76);
        h->high_blocks.stored = load_u64(at + 84);
        h->het.stored = load_u64(at + 92);
        h->bet.stored = load_u64(at + 100);
    }
    if (h->hash_count > 0)
        return place_of(h, h->hashes.offset) < file_bytes && place_of(h, h->blocks.offset) <= file_bytes;
    bool has_het = h->het.offset > 0 && place_of(h, h->het.offset) < file_bytes;
    return has_het ? h->bet.offset > 0 && place_of(h, h->bet.offset) < file_bytes
                   : place_of(h, h->hashes.offset) <= file_bytes;
}

typedef struct header_search {
    mpq_header header;
    bool is_map, was_seen, was_led;  // a header was seen, a user data header was followed
} header_search;

static bool try_header(const sn_archive *archive, header_search *search, uint64_t start, const uint8_t *at, size_t size)
{
    if (size < 32 || memcmp(at, "MPQ\x1A", 4) != 0) return false;
    search->was_seen = true;
    search->header = (mpq_header){ .start = start };
    return parse_header(at, size, search->is_map, archive->bytes, &search->header);
}

// False only after a failure to read.
static bool follow_user_data(sn_archive *archive, header_search *search, uint64_t start, sni_diag *diag, bool *is_found)
{
    sni_arena scratch;
    sni_bytes bytes;
    uint64_t rest = start < archive->bytes ? archive->bytes - start : 0;
    search->was_led = true;
    if (rest == 0) return true;
    sni_arena_init(&scratch, &archive->heap);
    bool is_read = sni_file_read_part(archive->path, start, rest < HEADER_BYTES ? rest : HEADER_BYTES, &scratch, diag,
                                      &bytes);
    *is_found = is_read && try_header(archive, search, start, bytes.data, bytes.size);
    sni_arena_free(&scratch);
    return is_read;
}

static bool search_chunk(sn_archive *archive, header_search *search, uint64_t start, sni_bytes chunk, sni_diag *diag,
                         bool *is_found)
{
    if (start == 0) search->is_map = chunk.size >= 4 && memcmp(chunk.data, "HM3W", 4) == 0;
    for (size_t at = 0; chunk.size >= 32 && at <= chunk.size - 32 && !*is_found; at += HEADER_STEP) {
        const uint8_t *here = chunk.data + at;
        *is_found = try_header(archive, search, start + at, here, chunk.size - at);
        if (*is_found || search->was_led || memcmp(here, "MPQ\x1B", 4) != 0) continue;
        if (!follow_user_data(archive, search, start + at + sni_load_u32(here + 8), diag, is_found)) return false;
    }
    return true;
}

static bool find_header(sn_archive *archive, mpq_header *header, sni_diag *diag)
{
    const uint64_t end = archive->bytes < SEARCHED_BYTES ? archive->bytes : SEARCHED_BYTES;
    header_search search = { .is_map = false };
    bool is_good = true, is_found = false;
    for (uint64_t start = 0; start < end && is_good && !is_found; start += CHUNK_BYTES) {
        sni_arena scratch;
        sni_bytes chunk;
        sni_arena_init(&scratch, &archive->heap);
        is_good = sni_file_read_part(archive->path, start, end - start < CHUNK_BYTES ? end - start : CHUNK_BYTES,
                                     &scratch, diag, &chunk) &&
                  search_chunk(archive, &search, start, chunk, diag, &is_found);
        sni_arena_free(&scratch);
    }
    *header = search.header;
    if (!is_good) return false;
    if (!search.was_seen) return sni_fail(diag, SN_ERR_FORMAT, 0, "not an MPQ archive");
    if (!is_found)
        return sni_fail(diag, SN_ERR_CORRUPT, header->start, "tables at bytes %llu and %llu, the file has %llu",
                        (unsigned long long)place_of(header, header->hashes.offset),
                        (unsigned long long)place_of(header, header->blocks.offset),
                        (unsigned long long)archive->bytes);
    if (header->sector_shift > LARGEST_SECTOR_SHIFT)
        return sni_fail(diag, SN_ERR_CORRUPT, header->start + 14,
                        "sectors of 512 << %u bytes, the largest are 512 << %d", header->sector_shift,
                        LARGEST_SECTOR_SHIFT);
    return true;
}

// Tables

typedef struct table_reader {
    sn_archive *archive;
    mpq *m;
    sni_arena scratch;
    sni_diag *diag;
} table_reader;

// `stored` bytes from the file, decrypted, unpacked when that gives more. A table that is not packed may be cut.
static bool read_table(table_reader *r, uint64_t place, uint64_t stored, uint64_t size, const char *key_name,
                       sni_bytes *bytes)
{
    const uint64_t rest = place < r->archive->bytes ? r->archive->bytes - place : 0;
    const bool is_packed = stored > 0 && stored < size;
    *bytes = (sni_bytes){ (const uint8_t *)"", 0 };
    if (is_packed && (stored > rest || (size > SPARE_BYTES && (size - SPARE_BYTES) / 8 > r->archive->bytes)))
        return sni_fail(r->diag, SN_ERR_CORRUPT, place, "a table of %llu bytes in %llu, the file has %llu",
                        (unsigned long long)size, (unsigned long long)stored, (unsigned long long)r->archive->bytes);
    if (!is_packed) stored = size < rest ? size : rest;
    if (stored == 0) return true;
    if (!sni_file_read_part(r->archive->path, place, stored, &r->scratch, r->diag, bytes)) return false;
    if (key_name) {
        uint8_t *plain = sni_new_raw(&r->scratch, uint8_t, stored);
        if (!plain) return false;
        uint32_t key = sni_mpq_hash(&r->m->cipher, key_name, SNI_MPQ_FILE_KEY);
        sni_mpq_decrypt(&r->m->cipher, bytes->data, plain, bytes->size, key);
        bytes->data = plain;
    }
    if (!is_packed) return true;
    sni_mpq_unpacker unpacker = { .scratch = &r->scratch, .largest = (size_t)size };
    uint8_t *out = sni_new_raw(&r->scratch, uint8_t, size);
    if (!out || !sni_mpq_unpack(&unpacker, *bytes, false, out, (size_t)size, r->diag)) return false;
    *bytes = (sni_bytes){ out, (size_t)size };
    return true;
}

// HET and BET tables begin with "HET" or "BET" and 0x1A, u32 version and u32 size; what follows is encrypted.
static bool read_extended_table(table_reader *r, const mpq_table *table, const char *magic, const char *key_name,
                                size_t least, sni_bytes *bytes)
{
    enum { HEAD = 12 };
    const uint64_t place = place_of(&r->m->header, table->offset);
    if (!sni_file_read_part(r->archive->path, place, HEAD, &r->scratch, r->diag, bytes)) return false;
    if (memcmp(bytes->data, magic, 4) != 0)
        return sni_fail(r->diag, SN_ERR_CORRUPT, place, "no %.3s table at the offset in the header", magic);
    uint32_t size = sni_load_u32(bytes->data + 8);
    uint64_t stored = table->stored > HEAD ? table->stored - HEAD : 0;
    if (!read_table(r, place + HEAD, stored, size, key_name, bytes)) return false;
    return bytes->size >= least || sni_fail(r->diag, SN_ERR_CORRUPT, place, "a %.3s table of %zu bytes, %zu are needed",
                                            magic, bytes->size, least);
}

static bool is_there(const sn_archive *archive, const mpq *m, const mpq_block *block)
{
    return block->size == 0 || place_of(&m->header, block->offset) < archive->bytes;
}

// Files that exist get a slot; those outside the file are counted.
static void add_slot(table_reader *r, uint64_t hash, uint32_t rank, uint32_t block)
{
    mpq *m = r->m;
    if (block >= m->block_count) {
        r->archive->damaged_count++;
        return;
    }
    const mpq_block *b = &m->blocks[block];
    if (!(b->flags & EXISTS) || (b->flags & IS_DELETION)) return;
    if (is_there(r->archive, m, b)) m->slots[m->slot_count++] = (mpq_slot){ hash, rank, block, false };
    else r->archive->damaged_count++;
}

static bool read_blocks(table_reader *r)
{
    mpq *m = r->m;
    const mpq_header *h = &m->header;
    sni_bytes blocks, high = { NULL, 0 };
    if (!read_table(r, place_of(h, h->blocks.offset), h->blocks.stored, (uint64_t)h->block_count * ENTRY_BYTES,
                    "(block table)", &blocks))
        return false;
    m->block_count = (uint32_t)(blocks.size / ENTRY_BYTES);
    if (h->high_blocks.offset > 0 && !read_table(r, place_of(h, h->high_blocks.offset), h->high_blocks.stored,
                                                 (uint64_t)m->block_count * 2, NULL, &high))
        return false;
    m->blocks = sni_new_raw(&r->archive->arena, mpq_block, m->block_count);
    for (uint32_t i = 0; m->blocks && i < m->block_count; i++) {
        const uint8_t *at = blocks.data + (size_t)i * ENTRY_BYTES;
        uint64_t high_word = i < high.size / 2 ? sni_load_u16(high.data + (size_t)i * 2) : 0;
        m->blocks[i] = (mpq_block){ high_word << 32 | sni_load_u32(at), sni_load_u32(at + 4), sni_load_u32(at + 8),
                                    sni_load_u32(at + 12) };
    }
    return m->blocks != NULL;
}

static bool read_hashes(table_reader *r)
{
    const mpq_header *h = &r->m->header;
    sni_bytes hashes;
    if (!read_table(r, place_of(h, h->hashes.offset), h->hashes.stored, (uint64_t)h->hash_count * ENTRY_BYTES,
                    "(hash table)", &hashes))
        return false;
    const uint32_t count = (uint32_t)(hashes.size / ENTRY_BYTES),
                   was_deleted = 0xFFFFFFFE;  // or, one above, never used
    r->m->slots = sni_new_raw(&r->archive->arena, mpq_slot, count);
    for (uint32_t i = 0; r->m->slots && i < count; i++) {
        const uint8_t *at = hashes.data + (size_t)i * ENTRY_BYTES;
        uint32_t block = sni_load_u32(at + 12), has_locale = sni_load_u16(at + 8) != 0;
        uint64_t hash = (uint64_t)sni_load_u32(at) << 32 | sni_load_u32(at + 4);
        if (block < was_deleted) add_slot(r, hash, has_locale << 31 | i, block & INDEX_MASK);
    }
    return r->m->slots != NULL;
}

// `count` bits, the first one lowest; the caller has checked that they are there.
static uint64_t load_bits(const uint8_t *bytes, uint64_t at, uint32_t count)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < count; i++) value |= (uint64_t)(bytes[(at + i) / 8] >> (at + i) % 8 & 1) << i;
    return value;
}

enum { BET_HEAD = 76, HET_HEAD = 32, LEAST_BET_BITS = 64 };

typedef struct bet_table {
    uint32_t entry_bits, hash_bits, hash_total_bits;
    const uint8_t *hashes;
} bet_table;

// u32 size, entries, one unknown, bits of an entry; of offset, size, packed size, flags and one unknown the first bit,
// then how many; of a hash all bits, the unused and the used ones; bytes of all hashes, number of flags. Then the
// flags, the entries, the hashes.
static bool read_bet(table_reader *r, bet_table *bet)
{
    mpq *m = r->m;
    sni_bytes bytes;
    uint32_t first[4], count[4];
    if (!read_extended_table(r, &m->header.bet, "BET\x1A", "(block table)", BET_HEAD, &bytes)) return false;
    const uint8_t *at = bytes.data;
    const uint32_t entries = sni_load_u32(at + 4), flag_count = sni_load_u32(at + 72);
    *bet = (bet_table){ .entry_bits = sni_load_u32(at + 12),
                        .hash_total_bits = sni_load_u32(at + 56),
                        .hash_bits = sni_load_u32(at + 64) };
    bool is_good = bet->hash_bits <= bet->hash_total_bits && bet->hash_bits <= 64 &&
                   (uint64_t)bet->entry_bits + bet->hash_total_bits >= LEAST_BET_BITS;
    for (int i = 0; i < 4; i++) {
        first[i] = sni_load_u32(at + 16 + 4 * i);
        count[i] = sni_load_u32(at + 36 + 4 * i);
        is_good = is_good && count[i] <= 64 && (uint64_t)first[i] + count[i] <= bet->entry_bits;
    }
    const uint64_t rest = bytes.size - BET_HEAD, flag_bytes = (uint64_t)flag_count * 4,
                   entry_bytes = ((uint64_t)entries * bet->entry_bits + 7) / 8,
                   hash_bytes = ((uint64_t)entries * bet->hash_total_bits + 7) / 8;
    is_good = is_good && flag_bytes <= rest && entry_bytes <= rest - flag_bytes &&
              hash_bytes <= rest - flag_bytes - entry_bytes;
    if (!is_good) return sni_fail(r->diag, SN_ERR_CORRUPT, 0, "%u files do not fit the BET table", entries);
    const uint8_t *flags = at + BET_HEAD, *table = flags + flag_bytes;
    bet->hashes = table + entry_bytes;
    m->blocks = sni_new_raw(&r->archive->arena, mpq_block, entries);
    m->block_count = entries;
    for (uint32_t i = 0; m->blocks && i < entries; i++) {
        uint64_t values[4], start = (uint64_t)i * bet->entry_bits;
        for (int k = 0; k < 4; k++) values[k] = load_bits(table, start + first[k], count[k]);
        uint32_t flag = values[3] < flag_count ? sni_load_u32(flags + values[3] * 4) : 0;
        m->blocks[i] = (mpq_block){ values[0], values[2], values[1], flag };
    }
    return m->blocks != NULL;
}

// u32 size, used slots, all slots, bits of a name's hash, of an index all bits, the unused and the used ones, bytes of
// all indices. Then the highest byte of each slot's hash, 0 in a free one; the indices into the BET table.
static bool read_het(table_reader *r, const bet_table *bet)
{
    mpq *m = r->m;
    sni_bytes bytes;
    if (!read_extended_table(r, &m->header.het, "HET\x1A", "(hash table)", HET_HEAD, &bytes)) return false;
    const uint8_t *at = bytes.data, *tops = at + HET_HEAD;
    const uint32_t slots = sni_load_u32(at + 8), total_bits = sni_load_u32(at + 16), bits = sni_load_u32(at + 24);
    const uint64_t rest = bytes.size - HET_HEAD;
    m->hash_bits = sni_load_u32(at + 12);
    if (slots > rest || ((uint64_t)slots * total_bits + 7) / 8 > rest - slots || bits > total_bits || bits > 32 ||
        m->hash_bits < 9 || m->hash_bits > 64 || bet->hash_bits != m->hash_bits - 8)
        return sni_fail(r->diag, SN_ERR_CORRUPT, 0, "%u slots of %u and %u bits do not fit the HET table", slots,
                        total_bits, m->hash_bits);
    bool *is_taken = sni_new(&r->scratch, bool, m->block_count);
    m->slots = sni_new_raw(&r->archive->arena, mpq_slot, m->block_count);
    for (uint32_t i = 0; is_taken && m->slots && i < slots; i++) {
        uint32_t block = (uint32_t)load_bits(tops + slots, (uint64_t)i * total_bits, bits);
        if (tops[i] == 0 || (block < m->block_count && is_taken[block])) continue;
        uint64_t low = block < m->block_count
                           ? load_bits(bet->hashes, (uint64_t)block * bet->hash_total_bits, bet->hash_bits)
                           : 0;
        add_slot(r, (uint64_t)tops[i] << bet->hash_bits | low, i & INDEX_MASK, block);
        if (block < m->block_count) is_taken[block] = true;
    }
    return is_taken && m->slots;
}

static int compare_slots(const void *a, const void *b)
{
    const mpq_slot *first = a, *second = b;
    if (first->hash != second->hash) return first->hash > second->hash ? 1 : -1;
    return (first->rank > second->rank) - (first->rank < second->rank);
}

static bool read_tables(table_reader *r)
{
    bet_table bet;
    mpq *m = r->m;
    bool has_het = m->header.hash_count == 0 && m->header.het.offset > 0;
    bool is_good = has_het ? read_bet(r, &bet) && read_het(r, &bet) : read_blocks(r) && read_hashes(r);
    if (is_good && m->slot_count > 1) qsort(m->slots, m->slot_count, sizeof *m->slots, compare_slots);
    return is_good;
}

// The first slot of a name, NULL when there is none.
static mpq_slot *find_slot(const mpq *m, const char *name)
{
    uint64_t hash = (uint64_t)sni_mpq_hash(&m->cipher, name, SNI_MPQ_NAME_A) << 32 |
                    sni_mpq_hash(&m->cipher, name, SNI_MPQ_NAME_B);
    if (m->hash_bits > 0)
        hash = (sni_mpq_hash_jenkins(name) & UINT64_MAX >> (64 - m->hash_bits)) | 1ull << (m->hash_bits - 1);
    uint32_t first = 0, end = m->slot_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (m->slots[middle].hash < hash) first = middle + 1;
        else end = middle;
    }
    return first < m->slot_count && m->slots[first].hash == hash ? &m->slots[first] : NULL;
}

// Contents

// A file is sectors of equal size, of which the last is shorter, or one single unit. Each is packed and encrypted by
// itself. Only packed sectors have a table of where they begin and end.
typedef struct file_reader {
    const sn_archive *archive;
    const mpq *m;
    const mpq_block *block;
    const char *name;  // NULL: not known
    uint64_t place;    // in the file
    uint64_t unit;     // bytes of a sector
    uint32_t count;    // of sectors
    uint32_t key;
    const uint8_t *ends;  // table: begin of the first sector, then the end of each; NULL: there is none
    sni_arena scratch;
    sni_diag *diag;
} file_reader;

static const char *last_name(const char *name)
{
    const char *last = name;
    for (; *name; name++)
        if (*name == '\\' || *name == '/') last = name + 1;
    return last;
}

static bool is_packed(const mpq_block *block) { return (block->flags & (COMPRESSED | IMPLODED)) != 0; }

// Where sector i begins, or for i = count where the last one ends, after the place of the file.
static uint64_t begin_of(const file_reader *f, uint32_t i)
{
    if (f->ends) return sni_load_u32(f->ends + (size_t)i * 4);
    if (i < f->count) return f->unit * i;
    return is_packed(f->block) && f->block->packed < f->block->size ? f->block->packed : f->block->size;
}

static uint64_t size_of(const file_reader *f, uint32_t i)
{
    uint64_t rest = f->block->size - f->unit * i;
    return rest < f->unit ? rest : f->unit;
}

// The key of a file is its name; that of a file without a name follows from the table of its sectors.
static bool read_sector_table(file_reader *f)
{
    const bool is_encrypted = f->block->flags & ENCRYPTED;
    const uint64_t size = ((uint64_t)f->count + 1) * 4;
    sni_bytes bytes;
    if (!sni_file_read_part(f->archive->path, f->place, size, &f->scratch, f->diag, &bytes)) return false;
    if (is_encrypted && !f->name) {
        uint32_t first = (uint32_t)size + (f->block->flags & HAS_CHECKSUMS ? 4 : 0), key = 0;
        if (!sni_mpq_find_key(&f->m->cipher, bytes.data, first, first + (uint32_t)f->unit, &key)) return true;
        f->key = key + 1;
        f->name = "";
    }
    uint8_t *plain = is_encrypted ? sni_new_raw(&f->scratch, uint8_t, size) : NULL;
    if (is_encrypted && !plain) return false;
    if (plain) sni_mpq_decrypt(&f->m->cipher, bytes.data, plain, bytes.size, f->key - 1);
    f->ends = plain ? plain : bytes.data;
    for (uint32_t i = 0; i < f->count; i++) {
        uint64_t begin = begin_of(f, i), end = begin_of(f, i + 1);
        if (end <= begin || end - begin > size_of(f, i))
            return sni_fail(f->diag, SN_ERR_CORRUPT, f->place + 4 * (uint64_t)i,
                            "the archive is damaged: sector %u of %u from byte %llu to %llu", i, f->count,
                            (unsigned long long)begin, (unsigned long long)end);
    }
    return true;
}

static bool unpack_sectors(file_reader *f, sni_bytes data, uint8_t *out)
{
    const uint32_t flags = f->block->flags;
    sni_mpq_unpacker unpacker = { .scratch = &f->scratch, .largest = (size_t)size_of(f, 0) };
    uint8_t *plain = (flags & ENCRYPTED) && is_packed(f->block)
                         ? sni_new_raw(&f->scratch, uint8_t, f->unit < data.size ? f->unit : data.size)
                         : out;
    if (!plain) return false;
    for (uint32_t i = 0; i < f->count; i++) {
        uint8_t *to = out + f->unit * i;
        size_t size = (size_t)size_of(f, i), stored = (size_t)(begin_of(f, i + 1) - begin_of(f, i));
        sni_bytes sector = { data.data + (begin_of(f, i) - begin_of(f, 0)), stored };
        if (flags & ENCRYPTED) {
            uint8_t *into = stored < size ? plain : to;
            sni_mpq_decrypt(&f->m->cipher, sector.data, into, stored, f->key + i);
            sector.data = into;
        }
        if (stored < size) {
            if (!sni_mpq_unpack(&unpacker, sector, !(flags & COMPRESSED), to, size, f->diag)) return false;
        } else if (sector.data != to) {
            memcpy(to, sector.data, size);
        }
    }
    return true;
}

static bool read_sectors(file_reader *f, sni_arena *arena, sni_bytes *bytes)
{
    const mpq_block *block = f->block;
    sni_bytes data;
    if (is_packed(block) && !(block->flags & IS_SINGLE_UNIT) && !read_sector_table(f)) return false;
    if ((block->flags & ENCRYPTED) && !f->name)
        return sni_fail(f->diag, SN_ERR_UNSUPPORTED, f->place,
                        "the file is encrypted with its name, which is not known");
    if (!sni_file_read_part(f->archive->path, f->place + begin_of(f, 0), begin_of(f, f->count) - begin_of(f, 0),
                            &f->scratch, f->diag, &data))
        return false;
    uint8_t *out = sni_new_raw(arena, uint8_t, block->size);
    if (!out || !unpack_sectors(f, data, out)) return false;
    *bytes = (sni_bytes){ out, (size_t)block->size };
    return true;
}

// The caller has checked that so many bytes may be read.
static bool read_block(const sn_archive *archive, const mpq *m, uint32_t index, const char *name, sni_arena *arena,
                       sni_diag *diag, sni_bytes *bytes)
{
    const mpq_block *block = &m->blocks[index];
    file_reader f = { .archive = archive, .m = m, .block = block, .name = name, .diag = diag };
    f.place = place_of(&m->header, block->offset);
    *bytes = (sni_bytes){ (const uint8_t *)"", 0 };
    if (block->flags & IS_PATCH)
        return sni_fail(diag, SN_ERR_UNSUPPORTED, f.place, "the archive has only a patch of this file");
    if (block->size == 0) return true;
    if (!is_packed(block) && !(block->flags & ENCRYPTED))
        return sni_file_read_part(archive->path, f.place, block->size, arena, diag, bytes);
    f.unit = block->flags & IS_SINGLE_UNIT ? block->size : (uint64_t)HEADER_STEP << m->header.sector_shift;
    f.count = (uint32_t)((block->size + f.unit - 1) / f.unit);
    f.key = name ? sni_mpq_hash(&m->cipher, last_name(name), SNI_MPQ_FILE_KEY) : 0;
    if (block->flags & KEY_IS_ADJUSTED) f.key = (f.key + (uint32_t)block->offset) ^ (uint32_t)block->size;
    sni_arena_init(&f.scratch, arena->heap);
    bool is_read = read_sectors(&f, arena, bytes);
    sni_arena_free(&f.scratch);
    return is_read;
}

static bool mpq_read(const sn_archive *archive, const sni_archive_entry *entry, sni_arena *arena, sni_diag *diag,
                     sni_bytes *bytes)
{
    const mpq *m = archive->tables;
    const uint32_t index = (uint32_t)(entry->at & ~HAS_NO_NAME);
    const mpq_block *block = &m->blocks[index];
    const char *name = entry->at & HAS_NO_NAME ? NULL : entry->own ? entry->own : entry->name;
    const uint64_t packed = block->packed < archive->bytes ? block->packed : archive->bytes,
                   stored = is_packed(block) ? packed : block->size;
    if (!sni_archive_accepts(archive, block->size, stored, diag)) return false;
    if (block->size > SPARE_BYTES && block->size / LARGEST_RATIO > stored)
        return sni_fail(diag, SN_ERR_LIMIT, 0, "%llu bytes unpack to %llu, the limit is %d times as many",
                        (unsigned long long)stored, (unsigned long long)block->size, LARGEST_RATIO);
    return read_block(archive, m, index, name, arena, diag, bytes);
}

// List of files

// Adds the files of a name, once. False only when memory ran out.
static bool list_name(sn_archive *archive, mpq *m, const char *name, bool is_internal)
{
    mpq_slot *slot = find_slot(m, name);
    if (!slot || slot->is_listed) return true;
    if (!is_internal && !sni_archive_add(archive, name, m->blocks[slot->block].size, slot->block)) return false;
    for (mpq_slot *end = m->slots + m->slot_count, *same = slot; same < end && same->hash == slot->hash; same++)
        same->is_listed = true;
    return true;
}

static bool list_names(sn_archive *archive, mpq *m, sni_bytes list)
{
    const char *at = (const char *)list.data, *end = at + list.size;
    while (at < end) {
        char name[NAME_BYTES];
        size_t size = 0;
        while (at + size < end && !memchr("\r\n;", at[size], 4)) size++;
        if (size > 0 && size < sizeof name) {
            memcpy(name, at, size);
            name[size] = 0;
            if (!list_name(archive, m, name, false)) return false;
        }
        at += size + 1;
    }
    return true;
}

// A list that cannot be read is as good as none, unless memory ran out.
static bool read_list(sn_archive *archive, mpq *m, sni_arena *scratch, sni_diag *diag)
{
    static const char name[] = "(listfile)";
    const mpq_slot *slot = find_slot(m, name);
    sni_diag attempt;
    sni_bytes list = { NULL, 0 };
    if (!slot) return true;
    sni_diag_init(&attempt, NULL);
    uint64_t size = m->blocks[slot->block].size;
    bool is_read = size < SPARE_BYTES || (size - SPARE_BYTES) / 16 < archive->bytes;
    archive->heap.diag = &attempt;
    is_read = is_read && read_block(archive, m, slot->block, name, scratch, &attempt, &list);
    archive->heap.diag = diag;
    if (is_read) return list_names(archive, m, list);
    archive->damaged_count++;
    if (attempt.error.status != SN_ERR_MEMORY && attempt.error.status != SN_ERR_LIMIT) return true;
    diag->error = attempt.error;
    return false;
}

static bool list_nameless(sn_archive *archive, mpq *m)
{
    for (uint32_t i = 0; i < m->slot_count; i++) {
        char name[32];
        const uint32_t block = m->slots[i].block;
        if (m->slots[i].is_listed) continue;
        snprintf(name, sizeof name, "File%08u.xxx", block);
        if (!sni_archive_add(archive, name, m->blocks[block].size, block | HAS_NO_NAME)) return false;
    }
    return true;
}

static bool mpq_open(sn_archive *archive, sni_diag *diag)
{
    mpq *m = sni_new(&archive->arena, mpq, 1);
    if (!m || !find_header(archive, &m->header, diag)) return false;
    archive->tables = m;
    sni_mpq_cipher_init(&m->cipher);
    table_reader r = { .archive = archive, .m = m, .diag = diag };
    sni_arena_init(&r.scratch, &archive->heap);
    bool is_good = read_tables(&r);
    sni_arena_free(&r.scratch);
    is_good = is_good && read_list(archive, m, &r.scratch, diag) && list_name(archive, m, "(listfile)", true) &&
              list_name(archive, m, "(attributes)", true) && list_name(archive, m, "(signature)", true) &&
              list_nameless(archive, m);
    sni_arena_free(&r.scratch);
    return is_good;
}

static bool mpq_find(const sn_archive *archive, sni_archive_entry *entry)
{
    char name[NAME_BYTES];
    const mpq *m = archive->tables;
    const size_t size = strlen(entry->name);
    if (size >= sizeof name) return false;
    for (size_t i = 0; i <= size; i++) name[i] = (char)(entry->name[i] == '/' ? '\\' : entry->name[i]);
    const mpq_slot *slot = find_slot(m, name);
    if (!slot) slot = find_slot(m, entry->name);  // some were added with slashes
    if (!slot) return false;
    entry->at = slot->block;
    entry->size = m->blocks[slot->block].size;
    return true;
}

const sni_archive_kind sni_archive_mpq = {
    .title = "MPQ archive",
    .extensions = "mpq w3m w3x w3n",
    .open = mpq_open,
    .find = mpq_find,
    .read = mpq_read,
};
