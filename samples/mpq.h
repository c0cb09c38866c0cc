// The smallest MPQ writer: every version, HET and BET tables, encryption, zlib; other packed sectors are given.
#ifndef MPQ_H
#define MPQ_H

#include "base/text.h"
#include "base/writer.h"

enum {
    MPQ_IMPLODED = 0x00000100,
    MPQ_COMPRESSED = 0x00000200,
    MPQ_ENCRYPTED = 0x00010000,
    MPQ_KEY_IS_ADJUSTED = 0x00020000,
    MPQ_IS_PATCH = 0x00100000,
    MPQ_IS_SINGLE_UNIT = 0x01000000,
    MPQ_IS_DELETION = 0x02000000,
    MPQ_HAS_CHECKSUMS = 0x04000000
};

typedef struct mpq_file {
    const char *name;  // with backslashes
    const void *data;
    size_t size;
    uint32_t flags;
    uint16_t locale;
    bool is_unlisted;    // not in the list of names
    const void *packed;  // its one sector as it is stored, the byte of methods before it; NULL: packed with zlib
    size_t packed_size;
} mpq_file;

typedef struct mpq_archive {
    const mpq_file *files;
    uint32_t file_count;
    uint32_t version;       // 0 to 3
    uint32_t sector_shift;  // sectors have 512 << this
    uint32_t hash_count;    // a power of two
    bool has_user_data;     // 32 bytes before the header
    bool has_het;           // HET and BET tables, no others
    bool packs_tables;      // with zlib; in version 3
} mpq_archive;

void mpq_write(sni_writer *out, sni_arena *scratch, const mpq_archive *archive);

// Encrypts or decrypts the tables of an archive, as far as they are there: for damage behind the encryption.
void mpq_crypt_tables(uint8_t *data, size_t size, bool encrypts);

#endif
