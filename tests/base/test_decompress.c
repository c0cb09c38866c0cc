// Streams that PKWARE's library and the bzip2 program have made. test_storm_codecs has many more.
#include "base/bzip2.h"
#include "base/explode.h"
#include "base_fixture.h"

// The example that is known since 2001, when the format was first described in public.
static const uint8_t imploded[] = { 0x00, 0x04, 0x82, 0x24, 0x25, 0x8F, 0x80, 0x7F };

static void explodes_the_known_example(void **state)
{
    uint8_t out[64];
    size_t written;
    (void)state;
    assert_true(sni_explode((sni_bytes){ imploded, sizeof imploded }, out, sizeof out, &written));
    assert_int_equal(written, 13);
    assert_memory_equal(out, "AIAIAIAIAIAIA", 13);
    assert_true(sni_explode((sni_bytes){ imploded, sizeof imploded }, out, 5, &written));  // full before the end
    assert_int_equal(written, 5);
}

static void damaged_imploded_streams_fail(void **state)
{
    uint8_t out[64];
    size_t written;
    (void)state;
    for (size_t size = 0; size < sizeof imploded; size++)
        assert_false(sni_explode((sni_bytes){ imploded, size }, out, sizeof out, &written));
    static const uint8_t heads[][8] = { { 2, 4, 0x82, 0x24, 0x25, 0x8F, 0x80, 0x7F },
                                        { 0, 3, 0x82, 0x24, 0x25, 0x8F, 0x80, 0x7F },
                                        { 0, 7, 0x82, 0x24, 0x25, 0x8F, 0x80, 0x7F },
                                        { 0, 4, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF } };  // copies of nothing
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        assert_false(sni_explode((sni_bytes){ heads[i], sizeof heads[i] }, out, sizeof out, &written));
}

static const uint8_t nothing[] = { 0x42, 0x5A, 0x68, 0x39, 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0 };
// 100,000 times the letter a.
static const uint8_t letters[] = { 0x42, 0x5A, 0x68, 0x39, 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, 0x43, 0x51,
                                   0xD9, 0xF5, 0x00, 0x00, 0xC6, 0x11, 0x00, 0x84, 0x00, 0x20, 0x00, 0x00,
                                   0x08, 0x20, 0x00, 0x30, 0xCC, 0x05, 0x29, 0xA7, 0x18, 0x42, 0xD8, 0x10,
                                   0xBC, 0x5D, 0xC9, 0x14, 0xE1, 0x42, 0x41, 0x0D, 0x47, 0x67, 0xD4 };

static bool unpack(fixture *f, const uint8_t *stream, size_t size, size_t capacity, uint8_t *out, size_t *written)
{
    uint32_t *work = sni_new_raw(&f->arena, uint32_t, sni_bzip2_words(capacity));
    return sni_bzip2((sni_bytes){ stream, size }, out, capacity, work, written);
}

static void unpacks_what_bzip2_packs(void **state)
{
    static uint8_t out[100001];
    size_t written;
    fixture f;
    (void)state;
    fixture_open(&f, UINT64_MAX);
    assert_true(unpack(&f, nothing, sizeof nothing, 0, out, &written));
    assert_int_equal(written, 0);
    assert_true(unpack(&f, letters, sizeof letters, 100000, out, &written));
    assert_int_equal(written, 100000);
    for (size_t i = 0; i < written; i++) assert_int_equal(out[i], 'a');
    assert_false(unpack(&f, letters, sizeof letters, 99999, out, &written));
    fixture_close(&f);
}

static void damaged_bzip2_streams_fail(void **state)
{
    static uint8_t out[100000];
    uint8_t bytes[sizeof letters];
    size_t written;
    int unused = 0;
    fixture f;
    (void)state;
    fixture_open(&f, UINT64_MAX);
    for (size_t size = 0; size < sizeof letters; size++)
        assert_false(unpack(&f, letters, size, sizeof out, out, &written));
    for (size_t bit = 0; bit < 8 * sizeof letters; bit++) {  // bits that nothing uses may change
        memcpy(bytes, letters, sizeof bytes);
        bytes[bit / 8] = (uint8_t)(bytes[bit / 8] ^ 1 << bit % 8);
        if (!unpack(&f, bytes, sizeof bytes, sizeof out, out, &written)) continue;
        assert_int_equal(written, sizeof out);
        for (size_t i = 0; i < written; i++) assert_true(out[i] == 'a');
        unused++;
    }
    assert_true(unused < 40);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(explodes_the_known_example),
        cmocka_unit_test(damaged_imploded_streams_fail),
        cmocka_unit_test(unpacks_what_bzip2_packs),
        cmocka_unit_test(damaged_bzip2_streams_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
