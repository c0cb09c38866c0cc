#include "io/mpq_codec.h"

#include "base/bzip2.h"
#include "base/checksum.h"
#include "base/explode.h"
#include "base/inflate.h"
#include "base/reader.h"

// Cipher and hashes

void sni_mpq_cipher_init(sni_mpq_cipher *cipher)
{
    uint32_t seed = 0x00100001;
    for (uint32_t column = 0; column < 256; column++) {
        for (uint32_t row = 0; row < 5; row++) {
            seed = (seed * 125 + 3) % 0x2AAAAB;
            uint32_t high = seed & 0xFFFF;
            seed = (seed * 125 + 3) % 0x2AAAAB;
            cipher->table[row][column] = high << 16 | (seed & 0xFFFF);
        }
    }
}

uint32_t sni_mpq_hash(const sni_mpq_cipher *cipher, const char *name, sni_mpq_hash_kind kind)
{
    uint32_t hash = 0x7FED7FED, seed = 0xEEEEEEEE;
    for (; *name; name++) {
        uint8_t letter = (uint8_t)*name;
        if (letter >= 'a' && letter <= 'z') letter = (uint8_t)(letter - 'a' + 'A');
        hash = cipher->table[kind][letter] ^ (hash + seed);
        seed = letter + hash + seed * 33 + 3;
    }
    return hash;
}

static uint32_t rotate(uint32_t value, uint32_t bits) { return value << bits | value >> (32 - bits); }

// Twelve bytes as three words, missing ones 0.
static void add_letters(uint32_t words[3], const char *at, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        uint8_t letter = (uint8_t)(at[i] == '/' ? '\\' : sni_lower(at[i]));
        words[i / 4] += (uint32_t)letter << (i % 4 * 8);
    }
}

// Bob Jenkins' lookup3, both halves, with the start values 2 and 1.
uint64_t sni_mpq_hash_jenkins(const char *name)
{
    static const uint8_t mix[6] = { 4, 6, 8, 16, 19, 4 }, last[7] = { 14, 11, 25, 16, 4, 14, 24 };
    size_t size = strlen(name);
    uint32_t start = 0xDEADBEEF + (uint32_t)size + 2, words[3] = { start, start, start + 1 };
    for (; size > 12; name += 12, size -= 12) {
        add_letters(words, name, 12);
        for (int i = 0; i < 6; i++) {
            uint32_t *a = &words[i % 3], *b = &words[(i + 1) % 3], *c = &words[(i + 2) % 3];
            *a = (*a - *c) ^ rotate(*c, mix[i]);
            *c += *b;
        }
    }
    if (size > 0) {
        add_letters(words, name, size);
        for (int i = 0; i < 7; i++) {
            uint32_t *c = &words[(i + 2) % 3], *b = &words[(i + 1) % 3];
            *c = (*c ^ *b) - rotate(*b, last[i]);
        }
    }
    return (uint64_t)words[1] << 32 | words[2];
}

void sni_mpq_decrypt(const sni_mpq_cipher *cipher, const uint8_t *in, uint8_t *out, size_t size, uint32_t key)
{
    uint32_t seed = 0xEEEEEEEE;
    for (; size >= 4; in += 4, out += 4, size -= 4) {
        seed += cipher->table[4][key & 0xFF];
        uint32_t plain = sni_load_u32(in) ^ (key + seed);
        for (int i = 0; i < 4; i++) out[i] = (uint8_t)(plain >> 8 * i);
        key = ((~key << 21) + 0x11111111) | key >> 11;
        seed = plain + seed * 33 + 3;
    }
    if (out != in) memcpy(out, in, size);
}

// The first word depends on the key's sum with an entry that the key's low byte picks: 256 attempts.
bool sni_mpq_find_key(const sni_mpq_cipher *cipher, const uint8_t encrypted[8], uint32_t first, uint32_t most,
                      uint32_t *key)
{
    uint32_t sum = sni_load_u32(encrypted) ^ first;
    for (uint32_t low = 0; low < 256; low++) {
        uint8_t plain[8];
        *key = sum - 0xEEEEEEEE - cipher->table[4][low];
        if ((*key & 0xFF) != low) continue;
        sni_mpq_decrypt(cipher, encrypted, plain, sizeof plain, *key);
        uint32_t second = sni_load_u32(plain + 4);
        if (second >= first && second <= most) return true;
    }
    return false;
}

// Compression

enum { HUFFMAN = 0x01, ZLIB = 0x02, IMPLODE = 0x08, BZIP2 = 0x10, LZMA = 0x12, SPARSE = 0x20, ADPCM = 0xC0 };

static bool unpack_bzip2(sni_mpq_unpacker *u, sni_bytes in, uint8_t *out, size_t room, size_t *written)
{
    if (!u->words) u->words = sni_new_raw(u->scratch, uint32_t, sni_bzip2_words(u->largest));
    return u->words && sni_bzip2(in, out, room, u->words, written);
}

static bool unpack_implode(sni_mpq_unpacker *u, sni_bytes in, uint8_t *out, size_t room, size_t *written)
{
    (void)u;
    return sni_explode(in, out, room, written);
}

// The checksum at the end is checked where it is there.
static bool unpack_zlib(sni_mpq_unpacker *u, sni_bytes in, uint8_t *out, size_t room, size_t *written)
{
    (void)u;
    bool is_zlib = in.size > 2 && (in.data[0] & 15) == 8 && (in.data[0] << 8 | in.data[1]) % 31 == 0 &&
                   !(in.data[1] & 32);
    if (!is_zlib) return false;
    sni_inflated end = sni_inflate((sni_bytes){ in.data + 2, in.size - 2 }, out, room);
    *written = end.written;
    if (end.end != SNI_INFLATE_DONE) return false;
    return in.size - 2 - end.read < 4 || sni_load_big_u32(in.data + 2 + end.read) == sni_adler32(out, end.written);
}

// The size, its highest byte first; then runs of bytes (0x80 and above) and of zeros.
static bool unpack_sparse(sni_mpq_unpacker *u, sni_bytes in, uint8_t *out, size_t room, size_t *written)
{
    (void)u;
    if (in.size < 4) return false;
    size_t size = sni_load_big_u32(in.data);
    if (size > room) return false;
    for (size_t at = 4; at < in.size && *written < size;) {
        uint8_t command = in.data[at++];
        size_t count = (command & 0x7Fu) + (command & 0x80 ? 1 : 3), rest = size - *written;
        if (count > rest) count = rest;
        if ((command & 0x80) && count > in.size - at) return false;
        if (command & 0x80) memcpy(out + *written, in.data + at, count), at += count;
        else memset(out + *written, 0, count);
        *written += count;
    }
    return *written == size;
}

// In the order in which they are undone.
static const struct {
    uint8_t bit;
    bool (*unpack)(sni_mpq_unpacker *u, sni_bytes in, uint8_t *out, size_t room, size_t *written);
} methods[] = {
    { BZIP2, unpack_bzip2 }, { IMPLODE, unpack_implode }, { ZLIB, unpack_zlib }, { SPARSE, unpack_sparse }
};

enum { METHODS = sizeof methods / sizeof *methods };

static bool check_methods(uint32_t mask, sni_diag *diag)
{
    if (mask == LZMA) return sni_fail(diag, SN_ERR_UNSUPPORTED, 0, "the file is compressed with LZMA");
    if (mask & (HUFFMAN | ADPCM))
        return sni_fail(diag, SN_ERR_UNSUPPORTED, 0, "the file is compressed as sound (methods 0x%02X)", mask);
    if (mask == 0 || (mask & ~(uint32_t)(BZIP2 | IMPLODE | ZLIB | SPARSE)))
        return sni_fail(diag, SN_ERR_CORRUPT, 0, "the archive is damaged: unknown compression methods 0x%02X", mask);
    return true;
}

bool sni_mpq_unpack(sni_mpq_unpacker *unpacker, sni_bytes packed, bool is_imploded, uint8_t *out, size_t size,
                    sni_diag *diag)
{
    uint32_t mask = is_imploded ? IMPLODE : packed.size > 0 ? packed.data[0] : 0;
    sni_bytes in = is_imploded || packed.size == 0 ? packed : (sni_bytes){ packed.data + 1, packed.size - 1 };
    size_t written = 0;
    if (!check_methods(mask, diag)) return false;
    for (int i = 0, step = 0; i < METHODS && mask; i++) {
        if (!(mask & methods[i].bit)) continue;
        mask &= ~(uint32_t)methods[i].bit;
        uint8_t **between = &unpacker->between[step++ % 2];
        if (mask && !*between) *between = sni_new_raw(unpacker->scratch, uint8_t, unpacker->largest);
        uint8_t *to = mask ? *between : out;
        written = 0;
        if (!to || !methods[i].unpack(unpacker, in, to, size, &written)) {
            written = 0;
            break;
        }
        in = (sni_bytes){ to, written };
    }
    return written == size ||
           sni_fail(diag, SN_ERR_CORRUPT, 0, "the archive is damaged: %zu of %zu bytes were unpacked", written, size);
}
