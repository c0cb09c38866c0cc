// What the contents of MPQ archives go through: hashes of names, the cipher, the compression of one sector.
#ifndef SNI_MPQ_CODEC_H
#define SNI_MPQ_CODEC_H

#include "base/arena.h"
#include "base/text.h"

typedef enum sni_mpq_hash_kind { SNI_MPQ_NAME_A = 1, SNI_MPQ_NAME_B, SNI_MPQ_FILE_KEY } sni_mpq_hash_kind;

typedef struct sni_mpq_cipher {
    uint32_t table[5][256];
} sni_mpq_cipher;

void sni_mpq_cipher_init(sni_mpq_cipher *cipher);

// Hashes ignore case. The second one is that of HET tables; it also ignores the kind of slash.
uint32_t sni_mpq_hash(const sni_mpq_cipher *cipher, const char *name, sni_mpq_hash_kind kind);
uint64_t sni_mpq_hash_jenkins(const char *name);

// `out` may be `in`. A last word of less than four bytes is not encrypted.
void sni_mpq_decrypt(const sni_mpq_cipher *cipher, const uint8_t *in, uint8_t *out, size_t size, uint32_t key);
// The key of two encrypted words of which the first is known, and the second not above `most`.
bool sni_mpq_find_key(const sni_mpq_cipher *cipher, const uint8_t encrypted[8], uint32_t first, uint32_t most,
                      uint32_t *key);

// Unpacks sectors one after the other, each of at most `largest` bytes. Zeroed, with these two set, it is ready.
typedef struct sni_mpq_unpacker {
    sni_arena *scratch;
    size_t largest;
    uint8_t *between[2];  // what one method has unpacked for the next
    uint32_t *words;      // of bzip2
} sni_mpq_unpacker;

// Exactly `size` bytes, or a failure. The first packed byte names the methods; is_imploded: there is none.
bool sni_mpq_unpack(sni_mpq_unpacker *unpacker, sni_bytes packed, bool is_imploded, uint8_t *out, size_t size,
                    sni_diag *diag);

#endif
