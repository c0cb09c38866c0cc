// Decompression, judged by the compressors of StormLib (PKWARE's own, bzip2, zlib): what they pack is unpacked.
#include <stdlib.h>

#include "base/bzip2.h"
#include "base/explode.h"
#include "base_fixture.h"
#include "io/mpq_codec.h"

#include "storm.h"

enum { MOST = 1 << 20, BINARY = 0, ASCII = 1, IMPLODE_WORK = 36312 };

// PKWARE's compressor, which StormLib has but does not declare.
extern unsigned implode(unsigned (*read)(char *, unsigned *, void *), void (*write)(char *, unsigned *, void *),
                        char *work, void *user, unsigned *type, unsigned *dictionary);

static uint8_t plain[MOST], packed[2 * MOST], again[MOST];

// Of several kinds, each with lengths from none on: text, noise, runs, zeros, a mixture.
enum { KINDS = 5 };

static void fill(int kind, size_t size)
{
    static const char text[] = "the quick brown fox jumps over the lazy dog; ";
    uint32_t seed = 12345;
    for (size_t i = 0; i < size; i++) {
        seed = seed * 1664525 + 1013904223;
        uint8_t noise = (uint8_t)(seed >> 24);
        const uint8_t bytes[KINDS] = { (uint8_t)text[(i + (noise < 8)) % (sizeof text - 1)], noise, (uint8_t)(i / 300),
                                       0, i % 1000 < 400 ? 0 : noise & 0x3F };
        plain[i] = bytes[kind];
    }
}

typedef struct stream {
    size_t read, size, written;
} stream;

static unsigned read_plain(char *to, unsigned *size, void *user)
{
    stream *s = user;
    size_t part = *size < s->size - s->read ? *size : s->size - s->read;
    memcpy(to, plain + s->read, part);
    s->read += part;
    return (unsigned)part;
}

static void write_packed(char *from, unsigned *size, void *user)
{
    stream *s = user;
    assert_true(*size <= sizeof packed - s->written);
    memcpy(packed + s->written, from, *size);
    s->written += *size;
}

static const size_t sizes[] = { 1, 2, 3, 20, 518, 519, 1000, 4096, 20000 };
enum { SIZES = sizeof sizes / sizeof *sizes };

static void explodes_what_pkware_implodes(void **state)
{
    static char work[IMPLODE_WORK];
    (void)state;
    for (unsigned i = 0; i < KINDS * SIZES * 6; i++) {
        unsigned type = i % 2 ? ASCII : BINARY, dictionary = 1024u << (i / 2 % 3);
        stream s = { .size = sizes[i / 6 % SIZES] };
        size_t written;
        fill((int)(i / 6 / SIZES), s.size);
        assert_int_equal(implode(read_plain, write_packed, work, &s, &type, &dictionary), 0);
        assert_true(sni_explode((sni_bytes){ packed, s.written }, again, sizeof again, &written));
        assert_int_equal(written, s.size);
        assert_memory_equal(again, plain, s.size);
        if (s.size > 600) continue;
        for (size_t cut = 0; cut + 2 < s.written; cut++) {  // the end is a code of two bytes
            assert_false(sni_explode((sni_bytes){ packed, cut }, again, sizeof again, &written));
            assert_memory_equal(again, plain, written);
        }
    }
}

static void unpacks_every_combination(void **state)
{
    static const unsigned masks[] = { MPQ_COMPRESSION_ZLIB,
                                      MPQ_COMPRESSION_PKWARE,
                                      MPQ_COMPRESSION_BZIP2,
                                      MPQ_COMPRESSION_SPARSE,
                                      MPQ_COMPRESSION_SPARSE | MPQ_COMPRESSION_ZLIB,
                                      MPQ_COMPRESSION_SPARSE | MPQ_COMPRESSION_BZIP2,
                                      MPQ_COMPRESSION_ZLIB | MPQ_COMPRESSION_PKWARE,
                                      MPQ_COMPRESSION_BZIP2 | MPQ_COMPRESSION_PKWARE };
    enum { MASKS = sizeof masks / sizeof *masks };
    int unpacked[MASKS] = { 0 };
    (void)state;
    for (unsigned i = 0; i < KINDS * SIZES * MASKS; i++) {
        unsigned mask = masks[i / SIZES / KINDS];
        int size = (int)sizes[i % SIZES], packed_size = size;
        fixture f;
        fill((int)(i / SIZES % KINDS), (size_t)size);
        int is_packed = SCompCompress(packed, &packed_size, plain, size, mask, 0, 0);
        if (!is_packed || packed_size >= size) continue;  // stored as it is
        fixture_open(&f, UINT64_MAX);
        sni_mpq_unpacker unpacker = { .scratch = &f.arena, .largest = (size_t)size };
        memset(again, 0xEE, (size_t)size);
        sni_bytes in = { packed, (size_t)packed_size };
        if (!sni_mpq_unpack(&unpacker, in, false, again, (size_t)size, &f.diag))
            fail_msg("mask 0x%02X (0x%02X), %d bytes: %s", mask, packed[0], size, f.diag.error.message);
        assert_memory_equal(again, plain, (size_t)size);
        fixture_close(&f);
        unpacked[i / SIZES / KINDS] += packed[0] == mask;  // a method that does not help is left out
    }
    for (int i = 0; i < MASKS; i++) assert_true(unpacked[i] > 0);
}

// Larger than a block of bzip2, which has 900,000 bytes before the first step.
static void unpacks_several_bzip2_blocks(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind += KINDS - 1) {
        int size = MOST, packed_size = MOST;
        size_t written;
        fixture f;
        fill(kind, MOST);
        if (!SCompCompress(packed, &packed_size, plain, size, MPQ_COMPRESSION_BZIP2, 0, 0) || packed_size >= size)
            continue;
        fixture_open(&f, UINT64_MAX);
        uint32_t *work = sni_new_raw(&f.arena, uint32_t, sni_bzip2_words(MOST));
        sni_bytes in = { packed + 1, (size_t)packed_size - 1 };
        assert_int_equal(packed[0], MPQ_COMPRESSION_BZIP2);
        assert_true(sni_bzip2(in, again, MOST, work, &written));
        assert_int_equal(written, MOST);
        assert_memory_equal(again, plain, MOST);
        assert_false(sni_bzip2(in, again, MOST - 1, work, &written));
        packed[packed_size / 2] ^= 1;
        assert_false(sni_bzip2(in, again, MOST, work, &written));
        fixture_close(&f);
    }
}

static void sound_and_lzma_are_refused(void **state)
{
    (void)state;
    fill(0, 4096);
    for (int i = 0; i < 2; i++) {
        int packed_size = 4096;
        fixture f;
        unsigned mask = i ? MPQ_COMPRESSION_LZMA : MPQ_COMPRESSION_HUFFMANN;
        assert_true(SCompCompress(packed, &packed_size, plain, 4096, mask, 0, 0));
        fixture_open(&f, UINT64_MAX);
        sni_mpq_unpacker unpacker = { .scratch = &f.arena, .largest = 4096 };
        assert_false(
            sni_mpq_unpack(&unpacker, (sni_bytes){ packed, (size_t)packed_size }, false, again, 4096, &f.diag));
        assert_int_equal(f.diag.error.status, SN_ERR_UNSUPPORTED);
        fixture_close(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explodes_what_pkware_implodes),
        cmocka_unit_test(unpacks_every_combination),
        cmocka_unit_test(unpacks_several_bzip2_blocks),
        cmocka_unit_test(sound_and_lzma_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
