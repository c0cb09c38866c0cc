// Text: UTF-8, cleaning, what may reach a terminal.
#include "base_fixture.h"

// RFC 3629, table 3-7 of the Unicode standard, written out.
static size_t reference_utf8_length(const uint8_t *s, size_t n)
{
    uint8_t lowest = 0x80, highest = 0xbf;
    size_t length;
    if (n == 0) return 0;
    if (s[0] < 0x80) return 1;
    if (s[0] >= 0xc2 && s[0] <= 0xdf) length = 2;
    else if (s[0] >= 0xe0 && s[0] <= 0xef) length = 3;
    else if (s[0] >= 0xf0 && s[0] <= 0xf4) length = 4;
    else return 0;
    if (s[0] == 0xe0) lowest = 0xa0;
    if (s[0] == 0xed) highest = 0x9f;
    if (s[0] == 0xf0) lowest = 0x90;
    if (s[0] == 0xf4) highest = 0x8f;
    if (n < length || s[1] < lowest || s[1] > highest) return 0;
    for (size_t i = 2; i < length; i++)
        if (s[i] < 0x80 || s[i] > 0xbf) return 0;
    return length;
}

static void utf8_lengths_are_those_of_the_standard(void **state)
{
    (void)state;
    static const uint8_t thirds[] = { 0x00, 0x41, 0x7f, 0x80, 0x9f, 0xbf, 0xc0, 0xff };
    for (size_t size = 1; size <= 4; size++) {
        uint8_t *s = malloc(size);  // exactly so long: ASan watches the end
        assert_non_null(s);
        for (uint32_t i = 0; i < 256 * 256 * 64; i++) {
            const uint8_t bytes[4] = { (uint8_t)(i >> 14), (uint8_t)(i >> 6), thirds[i / 8 % 8], thirds[i % 8] };
            memcpy(s, bytes, size);
            if (sni_utf8_length(s, size) != reference_utf8_length(s, size))
                fail_msg("%02x %02x %02x %02x", bytes[0], bytes[1], bytes[2], bytes[3]);
            if (size < 3) i |= 63;  // the rest makes no difference
        }
        free(s);
    }
    assert_int_equal(sni_utf8_length((const uint8_t *)"", 0), 0);
}

static void utf8_encodes_every_code(void **state)
{
    (void)state;
    for (uint32_t code = 0; code < 0x110100; code++) {
        char out[4];
        size_t size = sni_utf8_encode(code, out);
        const uint8_t *s = (const uint8_t *)out;
        assert_int_equal(reference_utf8_length(s, size), size);
        uint32_t back = size == 1   ? s[0]
                        : size == 2 ? (s[0] & 31u) << 6 | (s[1] & 63u)
                        : size == 3 ? (s[0] & 15u) << 12 | (s[1] & 63u) << 6 | (s[2] & 63u)
                                    : (s[0] & 7u) << 18 | (s[1] & 63u) << 12 | (s[2] & 63u) << 6 | (s[3] & 63u);
        bool is_bad = (code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff;
        assert_int_equal(back, is_bad ? 0xfffd : code);
    }
    char out[4];
    assert_int_equal(sni_utf8_encode(UINT32_MAX, out), 3);
}

static void cleaned_text_is_utf8(void **state)
{
    (void)state;
    static const struct {
        const char *in;
        size_t size;
        const char *out;
        bool was_bad;
    } cases[] = {
        { "plain", 5, "plain", false },
        { "", 0, "", false },
        { NULL, 0, "", false },
        { "h\xc3\xa9", 3, "h\xc3\xa9", false },
        { "\xf0\x9f\x98\x80", 4, "\xf0\x9f\x98\x80", false },
        { "a\0b", 3,
          "a\xef\xbf\xbd"
          "b",
          true },
        { "a\xff", 2, "a\xef\xbf\xbd", true },
        { "\xef\xbf\xbd", 3, "\xef\xbf\xbd", false },
        { "\xff", 1, "\xef\xbf\xbd", true },
        { "tab\there\n", 9, "tab\there\n", false },
    };
    fixture f;
    fixture_open(&f, UINT64_MAX);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bool was_bad = !cases[i].was_bad;
        assert_string_equal(sni_text_clean(&f.arena, sni_str_make(cases[i].in, cases[i].size), &was_bad), cases[i].out);
        assert_int_equal(was_bad, cases[i].was_bad);
    }
    uint32_t random = 5;
    for (int i = 0; i < 20000; i++) {
        char *text = malloc(12);
        assert_non_null(text);
        size_t size = next_random(&random) % 13;
        for (size_t k = 0; k < size; k++)
            text[k] = (char)(next_random(&random) % 3 ? next_random(&random) | 0x80 : next_random(&random));
        bool was_bad = false;
        const char *clean = sni_text_clean(&f.arena, sni_str_make(text, size), i & 1 ? &was_bad : NULL);
        assert_true(is_utf8(clean, strlen(clean)));
        bool good = is_utf8(text, size) && !memchr(text, 0, size);
        if (i & 1) assert_int_equal(was_bad, !good);
        if (good) assert_true(strlen(clean) == size && memcmp(clean, text, size) == 0);
        free(text);
    }
    fixture_close(&f);
}

static void fixed_text_is_cleaned_in_place(void **state)
{
    (void)state;
    uint32_t random = 11;
    for (int i = 0; i < 20000; i++) {
        size_t capacity = 1 + next_random(&random) % 16;
        char *text = malloc(capacity);
        assert_non_null(text);
        for (size_t k = 0; k < capacity; k++)
            text[k] = (char)(next_random(&random) % 4 ? next_random(&random) | 0x80 : next_random(&random));
        sni_text_clean_fixed(text, capacity);
        assert_non_null(memchr(text, 0, capacity));
        assert_true(is_plain_text(text));
        free(text);
    }
    char whole[16] = "caf\xc3\xa9 5\xe2\x82\xac";
    sni_text_clean_fixed(whole, sizeof whole);
    assert_string_equal(whole, "caf\xc3\xa9 5\xe2\x82\xac");
    char controls[8] = "a\nb\x1b"
                       "c\x7f";
    sni_text_clean_fixed(controls, sizeof controls);
    assert_string_equal(controls, "a?b?c?");
    char cut[4] = { 'a', 'b', 'c', 'd' };
    sni_text_clean_fixed(cut, sizeof cut);
    assert_string_equal(cut, "abc");
}

static void printable_text_cannot_harm_a_terminal(void **state)
{
    (void)state;
    static const char *const harmful[] = { "\x1b[2J",
                                           "\n",
                                           "\r",
                                           "\t",
                                           "\x07",
                                           "\x7f",
                                           "\xc2\x9b"
                                           "31m",
                                           "\xc2\x85",
                                           "\xe2\x80\xa8",
                                           "\xe2\x80\xa9",
                                           "\xe2\x80\xae"
                                           "gpj.exe",
                                           "\xe2\x80\xaa",
                                           "\xe2\x80\xad",
                                           "\xe2\x81\xa6",
                                           "\xe2\x81\xa9",
                                           "\xe2\x80\x8e",
                                           "\xe2\x80\x8f",
                                           "\xd8\x9c" };
    static const char *const bad[] = { "\x1b",         "\n",           "\r",           "\t",           "\x07",
                                       "\x7f",         "\xc2\x9b",     "\xc2\x85",     "\xe2\x80\xa8", "\xe2\x80\xa9",
                                       "\xe2\x80\xaa", "\xe2\x80\xab", "\xe2\x80\xac", "\xe2\x80\xad", "\xe2\x80\xae",
                                       "\xe2\x81\xa6", "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9", "\xe2\x80\x8e",
                                       "\xe2\x80\x8f", "\xd8\x9c" };
    char out[64];
    for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++) {
        size_t needed = sni_text_printable(harmful[i], out, sizeof out);
        assert_int_equal(needed, strlen(out));
        assert_true(needed > 0 && is_plain_text(out));
        for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) assert_null(strstr(out, bad[k]));
    }
    assert_int_equal(sni_text_printable("caf\xc3\xa9 \xe2\x9d\xa4", out, sizeof out), 9);
    assert_string_equal(out, "caf\xc3\xa9 \xe2\x9d\xa4");
}

static void printable_text_keeps_its_room(void **state)
{
    (void)state;
    const char *text = "caf\xc3\xa9\n\x1b[0m\xf0\x9f\x98\x80 end";
    char whole[128];
    size_t needed = sni_text_printable(text, whole, sizeof whole);
    for (size_t capacity = 1; capacity <= needed + 2; capacity++) {
        char *out = malloc(capacity);
        assert_non_null(out);
        assert_int_equal(sni_text_printable(text, out, capacity), needed);
        assert_non_null(memchr(out, 0, capacity));
        assert_true(is_plain_text(out));
        assert_memory_equal(out, whole, strlen(out));
        free(out);
    }
}

static void spans_compare(void **state)
{
    (void)state;
    sni_str s = sni_str_make("POSITION_0", 8);
    assert_true(sni_str_is(s, "POSITION"));
    assert_false(sni_str_is(s, "POSITIO"));
    assert_false(sni_str_is(s, "POSITION_"));
    assert_false(sni_str_is(s, "POSITION_0"));
    assert_false(sni_str_is(s, ""));
    assert_true(sni_str_is(sni_str_make("", 0), ""));
    assert_false(sni_str_is(sni_str_make("a\0b", 3), "a"));
    assert_true(sni_str_is_nocase(s, "position"));
    assert_false(sni_str_is_nocase(s, "positio"));
    assert_false(sni_str_is_nocase(sni_str_make("[", 1), "{"));
    assert_false(sni_str_is_nocase(sni_str_make("\xc3\x89", 2), "\xc3\xa9"));
    assert_true(sni_str_starts(s, "POS"));
    assert_true(sni_str_starts(s, ""));
    assert_true(sni_str_starts(s, "POSITION"));
    assert_false(sni_str_starts(s, "POSITION_"));
    assert_false(sni_str_starts(sni_str_make("", 0), "a"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_lengths_are_those_of_the_standard),
        cmocka_unit_test(utf8_encodes_every_code),
        cmocka_unit_test(cleaned_text_is_utf8),
        cmocka_unit_test(fixed_text_is_cleaned_in_place),
        cmocka_unit_test(printable_text_cannot_harm_a_terminal),
        cmocka_unit_test(printable_text_keeps_its_room),
        cmocka_unit_test(spans_compare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
