// Shift-JIS to UTF-8: by hand, and every code against the system's own converter.
#include "base_fixture.h"

#include "base/sjis.h"

#if defined(__has_include) && __has_include(<iconv.h>)
#    include <iconv.h>
#    define HAS_ICONV
#endif

static void expect(fixture *f, const char *sjis, size_t size, const char *utf8, bool is_bad)
{
    bool was_bad = !is_bad;
    char *exact = malloc(size ? size : 1);  // exactly so long: ASan watches the end
    assert_non_null(exact);
    memcpy(exact, sjis, size);
    const char *got = sni_text_from_sjis(&f->arena, sni_str_make(exact, size), &was_bad);
    free(exact);
    assert_string_equal(got, utf8);
    assert_int_equal(was_bad, is_bad);
}

#define expect_text(f, sjis, utf8, is_bad) expect(f, sjis, sizeof sjis - 1, utf8, is_bad)

static int setup(void **state)
{
    static fixture f;
    fixture_open(&f, UINT64_MAX);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture_close(*state);
    return 0;
}

static void texts_by_hand(void **state)
{
    fixture *f = *state;
    expect_text(f, "", "", false);
    expect_text(f, "chara\\c01d~.chr", "chara\\c01d~.chr", false);
    expect_text(f, "\x83\x5C", "ソ", false);  // its second byte is a backslash
    expect_text(f, "\x93\xFA\x96\x7B\x8C\xEA.cfg", "日本語.cfg", false);
    expect_text(f, "a\xB1\xDFz", "aｱﾟz", false);
    expect_text(f, "\x87\x40\xFA\x40\xED\x40\xF0\x40\xF9\xFC", "①ⅰ纊\xEE\x80\x80\xEE\x9D\x97", false);
    assert_string_equal(sni_text_from_sjis(&f->arena, (sni_str){ 0 }, NULL), "");
}

static void expect_encoded(fixture *f, const char *utf8, size_t most, const char *sjis, bool is_whole)
{
    sni_sjis_encoder encoder = { 0 };
    bool was_whole;
    const sni_str got = sni_text_to_sjis(&encoder, &f->arena, utf8, most, &was_whole);
    assert_int_equal(got.size, strlen(sjis));
    assert_memory_equal(got.at, sjis, got.size + 1);
    assert_int_equal(was_whole, is_whole);
}

static void encoded_by_hand(void **state)
{
    fixture *f = *state;
    expect_encoded(f, "", 4, "", true);
    expect_encoded(f, "chara\\c01d~.chr", 31, "chara\\c01d~.chr", true);
    expect_encoded(f, "日本語.cfg", 10, "\x93\xFA\x96\x7B\x8C\xEA.cfg", true);
    expect_encoded(f, "日本語", 5, "\x93\xFA\x96\x7B", false);  // no half of a character
    expect_encoded(f, "aｱﾟz", 4, "a\xB1\xDFz", true);
    expect_encoded(f, "é日\xF0\x9F\x90\x87!", 31, "_\x93\xFA_!", false);  // not in Shift-JIS
}

// One bad byte is one sign; what follows it is read as if it began there.
static void bad_bytes(void **state)
{
    fixture *f = *state;
    expect_text(f, "a\x83", "a\xEF\xBF\xBD", true);
    expect_text(f, "\x83/x", "\xEF\xBF\xBD/x", true);
    expect_text(f, "\x85\x40\x85\x9F!", "\xEF\xBF\xBD@\xEF\xBF\xBD!", true);  // codes that nobody has
    expect_text(f, "\x80\xA0\xFD\xFE\xFF", "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", true);
    expect_text(f, "a\0b",
                "a\xEF\xBF\xBD"
                "b",
                true);
    expect_text(f, "\x83\0", "\xEF\xBF\xBD\xEF\xBF\xBD", true);
    expect_text(f, "\x83\x7F", "\xEF\xBF\xBD\x7F", true);
}

#ifdef HAS_ICONV
// Empty where the system knows no such code.
static void convert(iconv_t converter, char *sjis, size_t size, char out[16])
{
    char *to = out;
    size_t room = 15;
    iconv(converter, NULL, NULL, NULL, NULL);
    if (iconv(converter, &sjis, &size, &to, &room) == (size_t)-1) to = out;
    *to = 0;
}
#endif

static void every_code_is_that_of_the_system(void **state)
{
    fixture *f = *state;
#ifdef HAS_ICONV
    iconv_t converter = iconv_open("UTF-8", "CP932");
    if (converter == (iconv_t)-1) skip();
    unsigned known = 0;
    for (unsigned lead = 0x81; lead <= 0xFC; lead = lead == 0x9F ? 0xE0 : lead + 1)
        for (unsigned trail = 0x40; trail <= 0xFC; trail++) {
            char sjis[2] = { (char)lead, (char)trail }, wanted[16];
            bool is_bad;
            convert(converter, sjis, 2, wanted);
            const char *got = sni_text_from_sjis(&f->arena, sni_str_make(sjis, 2), &is_bad);
            known += wanted[0] != 0;
            if (is_bad != (wanted[0] == 0) || (wanted[0] && strcmp(got, wanted) != 0))
                fail_msg("%02X %02X is %s, not %s", lead, trail, got, wanted);
        }
    assert_in_range(known, 9000, 10000);
    for (unsigned byte = 1; byte < 256; byte = byte == 0x7F ? 0xA1 : byte == 0xDF ? 256 : byte + 1) {
        char sjis = (char)byte, wanted[16];
        convert(converter, &sjis, 1, wanted);
        assert_string_equal(sni_text_from_sjis(&f->arena, sni_str_make(&sjis, 1), NULL), wanted);
    }
    iconv_close(converter);
#else
    (void)f;
    skip();
#endif
}

// Whatever the bytes, the text is UTF-8, ends where it should and has no NUL inside.
static void any_bytes_become_utf8(void **state)
{
    fixture *f = *state;
    for (uint32_t round = 0, random = 5; round < 2000; round++) {
        char bytes[24];
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)((random = random * 1664525u + 1013904223u) >> 24);
        const char *got = sni_text_from_sjis(&f->arena, sni_str_make(bytes, round % sizeof bytes), NULL);
        for (size_t size = strlen(got), step; size > 0; size -= step, got += step)
            assert_true((step = sni_utf8_length((const uint8_t *)got, size)) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(texts_by_hand, setup, teardown),
        cmocka_unit_test_setup_teardown(encoded_by_hand, setup, teardown),
        cmocka_unit_test_setup_teardown(bad_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(every_code_is_that_of_the_system, setup, teardown),
        cmocka_unit_test_setup_teardown(any_bytes_become_utf8, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
