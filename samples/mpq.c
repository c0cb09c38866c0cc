#include "mpq.h"

#include "base/checksum.h"
#include "base/deflate.h"
#include "base/reader.h"
#include "io/mpq_codec.h"

enum { MOST_FILES = 16, USER_DATA = 32, EXTENDED_HEAD = 12, ZLIB = 2 };
static const uint32_t EXISTS = 0x80000000;

typedef struct placed_file {
    const mpq_file *file;
    uint32_t offset, packed;
} placed_file;

typedef struct mpq_writer {
    const mpq_archive *archive;
    sni_writer *out;
    sni_arena *scratch;
    sni_mpq_cipher cipher;
    size_t start;  // of the header
    placed_file files[MOST_FILES];
    uint32_t file_count;
} mpq_writer;

// Cipher

static void encrypt(const sni_mpq_cipher *cipher, uint8_t *data, size_t size, uint32_t key)
{
    uint32_t seed = 0xEEEEEEEE;
    for (; size >= 4; data += 4, size -= 4) {
        uint32_t plain = sni_load_u32(data);
        seed += cipher->table[4][key & 0xFF];
        sni_store_u32(data, plain ^ (key + seed));
        key = ((~key << 21) + 0x11111111) | key >> 11;
        seed = plain + seed * 33 + 3;
    }
}

static void crypt_part(const sni_mpq_cipher *cipher, uint8_t *data, size_t size, uint64_t at, uint64_t count,
                       const char *key_name, bool encrypts)
{
    if (at >= size) return;
    uint32_t key = sni_mpq_hash(cipher, key_name, SNI_MPQ_FILE_KEY);
    size_t part = count < size - at ? (size_t)count : size - (size_t)at;
    if (encrypts) encrypt(cipher, data + at, part, key);
    else sni_mpq_decrypt(cipher, data + at, data + at, part, key);
}

static uint64_t load_u64(const uint8_t *at) { return sni_load_u32(at) | (uint64_t)sni_load_u32(at + 4) << 32; }

void mpq_crypt_tables(uint8_t *data, size_t size, bool encrypts)
{
    static const char *const keys[2] = { "(hash table)", "(block table)" };
    sni_mpq_cipher cipher;
    uint64_t start = size >= 16 && memcmp(data, "MPQ\x1B", 4) == 0 ? sni_load_u32(data + 8) : 0;
    if (start > size || size - start < 32) return;
    const uint8_t *header = data + start;
    const uint32_t version = sni_load_u16(header + 12);
    sni_mpq_cipher_init(&cipher);
    uint64_t offsets[4] = { sni_load_u32(header + 16), sni_load_u32(header + 20) };
    uint64_t counts[4] = { (uint64_t)sni_load_u32(header + 24) * 16, (uint64_t)sni_load_u32(header + 28) * 16 };
    if (version == 3 && size - start >= 208) {
        for (size_t i = 0; i < 2; i++) {
            uint64_t stored = load_u64(header + 68 + 8 * i);
            if (stored > 0 && stored < counts[i]) counts[i] = stored;
            uint64_t extended = load_u64(header + 60 - 8 * i), extended_size = load_u64(header + 92 + 8 * i);
            if (extended == 0 || extended_size < EXTENDED_HEAD) continue;
            offsets[2 + i] = extended + EXTENDED_HEAD;
            counts[2 + i] = extended_size - EXTENDED_HEAD;
        }
    }
    for (size_t i = 0; i < 4; i++)
        if (offsets[i] > 0 && offsets[i] <= size)
            crypt_part(&cipher, data, size, start + offsets[i], counts[i], keys[i % 2], encrypts);
}

// Files

static void write_zlib(mpq_writer *w, const uint8_t *data, size_t size)
{
    sni_write_bytes(w->out, (const uint8_t[]){ ZLIB, 0x78, 0x01 }, 3);
    sni_deflate(w->out, w->scratch, data, size);
    uint32_t sum = sni_adler32(data, size);
    for (int i = 3; i >= 0; i--) sni_write_u8(w->out, (uint8_t)(sum >> 8 * i));
}

// A sector: packed if that makes it smaller.
static void write_sector(mpq_writer *w, const mpq_file *file, const uint8_t *data, size_t size, uint32_t key)
{
    size_t start = w->out->size;
    if (file->packed) sni_write_bytes(w->out, file->packed, file->packed_size);
    else if (file->flags & MPQ_COMPRESSED) write_zlib(w, data, size);
    if (w->out->size == start || w->out->size - start >= size) {
        w->out->size = start;
        sni_write_bytes(w->out, data, size);
    }
    if (file->flags & MPQ_ENCRYPTED) encrypt(&w->cipher, w->out->data + start, w->out->size - start, key);
}

static void write_file(mpq_writer *w, const mpq_file *file)
{
    const char *last = strrchr(file->name, '\\');
    const size_t start = w->out->size;
    const uint32_t offset = (uint32_t)(start - w->start), size = (uint32_t)file->size;
    const bool is_single = file->flags & MPQ_IS_SINGLE_UNIT;
    const uint32_t unit = is_single ? size : 512u << w->archive->sector_shift,
                   count = size > 0 ? (size + unit - 1) / unit : 0;
    const bool has_table = (file->flags & (MPQ_COMPRESSED | MPQ_IMPLODED)) && !is_single && size > 0;
    const uint32_t extra = file->flags & MPQ_HAS_CHECKSUMS ? 1 : 0;
    uint32_t key = sni_mpq_hash(&w->cipher, last ? last + 1 : file->name, SNI_MPQ_FILE_KEY);
    if (file->flags & MPQ_KEY_IS_ADJUSTED) key = (key + offset) ^ size;

    if (has_table) sni_write_fill(w->out, 0, (count + 1 + extra) * 4);
    for (uint32_t i = 0; i <= count; i++) {
        if (has_table) sni_patch_u32(w->out, start + (size_t)i * 4, (uint32_t)(w->out->size - start));
        uint32_t rest = size - i * unit;
        if (i < count)
            write_sector(w, file, (const uint8_t *)file->data + (size_t)i * unit, rest < unit ? rest : unit, key + i);
    }
    if (has_table && extra) {
        sni_write_fill(w->out, 0, count * 4);
        sni_patch_u32(w->out, start + ((size_t)count + 1) * 4, (uint32_t)(w->out->size - start));
    }
    if (has_table && (file->flags & MPQ_ENCRYPTED))
        encrypt(&w->cipher, w->out->data + start, (count + 1 + extra) * 4, key - 1);
    w->files[w->file_count++] = (placed_file){ file, offset, (uint32_t)(w->out->size - start) };
}

static void write_list(mpq_writer *w, mpq_file *file)
{
    sni_writer list;
    sni_writer_init(&list, w->scratch->heap);
    for (uint32_t i = 0; i < w->archive->file_count; i++) {
        if (w->archive->files[i].is_unlisted) continue;
        sni_write_text(&list, w->archive->files[i].name);
        sni_write_text(&list, "\r\n");
    }
    *file = (mpq_file){ .name = "(listfile)", .data = list.data, .size = list.size };
    if (list.size > 0) write_file(w, file);
    sni_writer_free(&list);
}

// Tables

// Writes a table that was built elsewhere, packed where that is asked for and makes it smaller. Returns its stored
// size.
static uint32_t write_table(mpq_writer *w, const sni_writer *table)
{
    size_t start = w->out->size;
    if (w->archive->packs_tables) write_zlib(w, table->data, table->size);
    if (w->out->size == start || w->out->size - start >= table->size) {
        w->out->size = start;
        sni_write_bytes(w->out, table->data, table->size);
    }
    return (uint32_t)(w->out->size - start);
}

static void build_hashes(const mpq_writer *w, sni_writer *table)
{
    const uint32_t mask = w->archive->hash_count - 1;
    sni_write_fill(table, 0xFF, (size_t)w->archive->hash_count * 16);
    for (uint32_t i = 0; i < w->file_count && !table->failed; i++) {
        const mpq_file *file = w->files[i].file;
        uint32_t slot = sni_mpq_hash(&w->cipher, file->name, (sni_mpq_hash_kind)0) & mask;
        while (sni_load_u32(table->data + (size_t)slot * 16 + 12) != UINT32_MAX) slot = (slot + 1) & mask;
        const uint32_t words[4] = { sni_mpq_hash(&w->cipher, file->name, SNI_MPQ_NAME_A),
                                    sni_mpq_hash(&w->cipher, file->name, SNI_MPQ_NAME_B), file->locale, i };
        for (size_t k = 0; k < 4; k++) sni_store_u32(table->data + (size_t)slot * 16 + 4 * k, words[k]);
    }
}

static void build_blocks(const mpq_writer *w, sni_writer *table)
{
    for (uint32_t i = 0; i < w->file_count; i++) {
        const placed_file *placed = &w->files[i];
        const uint32_t words[4] = { placed->offset, placed->packed, (uint32_t)placed->file->size,
                                    placed->file->flags | EXISTS };
        sni_write_words(table, words, 4);
    }
}

static uint64_t het_hash(const char *name) { return sni_mpq_hash_jenkins(name) | 1ull << 63; }

// Offsets, sizes and packed sizes of 16 bits, 8 bits for the flags: whole bytes, so that no bits are moved.
static void build_bet(const mpq_writer *w, sni_writer *table)
{
    const uint32_t count = w->file_count;
    const uint32_t head[19] = {
        76 + count * (4 + 7 + 7), count, 16, 56, 0, 16, 32, 48, 56, 16, 16, 16, 8, 0, 56, 0, 56, count * 7, count
    };
    sni_write_words(table, head, 19);
    for (uint32_t i = 0; i < count; i++) sni_write_u32(table, w->files[i].file->flags | EXISTS);
    for (uint32_t i = 0; i < count; i++) {
        sni_write_u16(table, (uint16_t)w->files[i].offset);
        sni_write_u16(table, (uint16_t)w->files[i].file->size);
        sni_write_u16(table, (uint16_t)w->files[i].packed);
        sni_write_u8(table, (uint8_t)i);
    }
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 7; k++) sni_write_u8(table, (uint8_t)(het_hash(w->files[i].file->name) >> 8 * k));
}

static void build_het(const mpq_writer *w, sni_writer *table)
{
    const uint32_t slots = w->archive->hash_count;
    const uint32_t head[8] = { 32 + 2 * slots, w->file_count, slots, 64, 8, 0, 8, slots };
    sni_write_words(table, head, 8);
    sni_write_fill(table, 0, (size_t)slots * 2);
    for (uint32_t i = 0; i < w->file_count && !table->failed; i++) {
        uint64_t hash = het_hash(w->files[i].file->name);
        size_t slot = (size_t)(hash % slots);
        while (table->data[32 + slot]) slot = (slot + 1) % slots;
        table->data[32 + slot] = (uint8_t)(hash >> 56);
        table->data[32 + slots + slot] = (uint8_t)i;
    }
}

// Builds a table, writes it, and puts its offset and stored size into the header.
static void add_table(mpq_writer *w, void (*build)(const mpq_writer *w, sni_writer *table), const char *magic,
                      size_t offset_at, size_t stored_at)
{
    sni_writer table;
    size_t start = w->out->size;
    sni_writer_init(&table, w->scratch->heap);
    build(w, &table);
    if (magic) {
        sni_write_bytes(w->out, magic, 4);
        sni_write_u32(w->out, 1);
        sni_write_u32(w->out, (uint32_t)table.size);
    }
    uint32_t stored = write_table(w, &table) + (magic ? EXTENDED_HEAD : 0);
    sni_patch_u32(w->out, w->start + offset_at, (uint32_t)(start - w->start));
    if (w->archive->version == 3) sni_patch_u32(w->out, w->start + stored_at, stored);
    sni_writer_free(&table);
}

void mpq_write(sni_writer *out, sni_arena *scratch, const mpq_archive *archive)
{
    static const uint16_t header_sizes[] = { 32, 44, 68, 208 };
    const uint32_t header_size = header_sizes[archive->version];
    mpq_file list;
    mpq_writer w = { .archive = archive, .out = out, .scratch = scratch };
    sni_mpq_cipher_init(&w.cipher);
    if (archive->has_user_data) {
        sni_write_bytes(out, "MPQ\x1B", 4);
        sni_write_words(out, (const uint32_t[]){ USER_DATA - 16, USER_DATA, 16 }, 3);
        sni_write_fill(out, 'u', USER_DATA - 16);
    }
    w.start = archive->has_user_data ? USER_DATA : 0;
    sni_write_bytes(out, "MPQ\x1A", 4);
    sni_write_words(out, (const uint32_t[]){ header_size, 0, archive->version | archive->sector_shift << 16 }, 3);
    sni_write_fill(out, 0, header_size - 16);

    for (uint32_t i = 0; i < archive->file_count; i++) write_file(&w, &archive->files[i]);
    write_list(&w, &list);
    if (archive->has_het) {
        add_table(&w, build_het, "HET\x1A", 60, 92);
        add_table(&w, build_bet, "BET\x1A", 52, 100);
    } else {
        add_table(&w, build_hashes, NULL, 16, 68);
        add_table(&w, build_blocks, NULL, 20, 76);
        sni_patch_u32(out, w.start + 24, archive->hash_count);
        sni_patch_u32(out, w.start + 28, w.file_count);
    }
    if (archive->version == 1) {
        sni_patch_u32(out, w.start + 32, (uint32_t)(out->size - w.start));
        sni_write_fill(out, 0, (size_t)w.file_count * 2);
    }
    sni_patch_u32(out, w.start + 8, (uint32_t)(out->size - w.start));
    if (archive->version >= 2) sni_patch_u32(out, w.start + 44, (uint32_t)(out->size - w.start));
    mpq_crypt_tables(out->data, out->size, true);
}
