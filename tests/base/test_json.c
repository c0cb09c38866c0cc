// JSON in and out: what base/json.h promises.
#include "base/json.h"
#include "check_text.h"
#include "counting_heap.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    counting_heap counts;
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
    char *copy;  // without a closing NUL, so that reading past the end shows
    sni_json json;
} fixture;

enum { ORIGIN = 1000 };

static void open_sized(fixture *f, const char *text, size_t size, uint32_t max_depth)
{
    memset(f, 0, sizeof *f);
    sn_allocator allocator = counting_allocator(&f->counts);
    sni_heap_init(&f->heap, &allocator, UINT64_MAX);
    f->heap.elements = 1 << 24;
    f->heap.diag = &f->diag;
    sni_arena_init(&f->arena, &f->heap);
    sni_diag_init(&f->diag, &f->arena);
    f->copy = malloc(size ? size : 1);
    assert_non_null(f->copy);
    if (size) memcpy(f->copy, text, size);
    f->json = sni_json_make(sni_str_make(f->copy, size), ORIGIN, max_depth, &f->diag, &f->arena);
}

static void open_text(fixture *f, const char *text) { open_sized(f, text, strlen(text), 64); }

static void close_text(fixture *f)
{
    free(f->copy);
    sni_arena_free(&f->arena);
    assert_int_equal(f->counts.live_blocks, 0);
}

// Consumes whatever comes, value by value.
static void walk(sni_json *json)
{
    bool is_object[SNI_JSON_MAX_DEPTH + 1];
    uint32_t depth = 0;
    bool has_value = true;
    sni_str key;
    while (sni_json_ok(json)) {
        sni_json_kind kind = has_value ? sni_json_peek(json) : SNI_JSON_NONE;
        if (kind == SNI_JSON_OBJECT || kind == SNI_JSON_ARRAY) {
            if (kind == SNI_JSON_OBJECT) sni_json_enter_object(json);
            else sni_json_enter_array(json);
            assert_true(depth <= SNI_JSON_MAX_DEPTH);
            is_object[depth++] = kind == SNI_JSON_OBJECT;
        }
        if (kind == SNI_JSON_BOOL) sni_json_bool(json);
        if (kind == SNI_JSON_NUMBER) sni_json_float(json);
        if (kind == SNI_JSON_STRING) sni_json_string(json, NULL);
        if (kind == SNI_JSON_NULL) sni_json_skip(json);
        if (depth == 0) break;
        has_value = is_object[depth - 1] ? sni_json_next_key(json, &key) : sni_json_next_item(json);
        if (!has_value) depth--;
    }
    sni_json_finish(json);
}

// The three ways to get past a value must agree on what is JSON.
static sn_error read_all(const char *text, size_t size)
{
    sn_error errors[3];
    for (int way = 0; way < 3; way++) {
        fixture f;
        open_sized(&f, text, size, 64);
        if (way == 0) walk(&f.json);
        if (way == 1) sni_json_skip(&f.json), sni_json_finish(&f.json);
        if (way == 2) {
            sni_str raw = sni_json_raw(&f.json);
            if (sni_json_ok(&f.json)) assert_true(is_json(raw.at, raw.size));
            sni_json_finish(&f.json);
        }
        errors[way] = f.diag.error;
        if (errors[way].status != SN_OK) {
            assert_true(errors[way].message[0] && is_plain_text(errors[way].message));
            assert_true(errors[way].offset >= ORIGIN && errors[way].offset <= ORIGIN + size);
        }
        close_text(&f);
    }
    assert_int_equal(errors[0].status, errors[1].status);
    assert_int_equal(errors[0].status, errors[2].status);
    return errors[0];
}

// `[text,"xxx..."]`: what is near the end of the text is read in another way.
static sn_error read_with_tail(const char *text, size_t size)
{
    char longer[1024];
    size_t used = 0;
    assert_true(size < sizeof longer - 200);
    longer[used++] = '[';
    memcpy(longer + used, text, size);
    used += size;
    used += (size_t)sprintf(longer + used, ",\"%0*d\"]", 150, 0);
    assert_true(is_json(longer, used) == is_json(text, size));
    return read_all(longer, used);
}

// Syntax

static void good_json_is_read(void **state)
{
    (void)state;
    static const char *const good[] = { "{}",
                                        "[]",
                                        "0",
                                        "-0",
                                        "1",
                                        "true",
                                        "false",
                                        "null",
                                        "\"\"",
                                        " \t\r\n[ ] ",
                                        "[[],{}]",
                                        "{\"a\":{\"b\":[1,2,{\"c\":null}]},\"d\":\"e\"}",
                                        "[1e5,1E+5,1e-5,0.5,-0.5,10,0e0,0.0e-0]",
                                        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"",
                                        "\"\x7f\"",
                                        "{\"\":0}",
                                        "{\"a\":1,\"a\":2}",
                                        "[ 1 , 2 ]",
                                        "{ \"a\" : 1 , \"b\" : 2 }" };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        assert_true(is_json(good[i], strlen(good[i])));
        assert_int_equal(read_all(good[i], strlen(good[i])).status, SN_OK);
        assert_int_equal(read_with_tail(good[i], strlen(good[i])).status, SN_OK);
    }
}

static void bad_json_is_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t size;
    } bad[] = {
// clang-format off
#define BAD(text) { text, sizeof text - 1 }
        // clang-format on
        BAD(""),
        BAD(" "),
        BAD("01"),
        BAD("-01"),
        BAD("00"),
        BAD("1."),
        BAD(".5"),
        BAD("-"),
        BAD("+1"),
        BAD("-.5"),
        BAD("1e"),
        BAD("1e+"),
        BAD("1.e5"),
        BAD("NaN"),
        BAD("nan"),
        BAD("Infinity"),
        BAD("-Infinity"),
        BAD("inf"),
        BAD("0x10"),
        BAD("1_000"),
        BAD("1f"),
        BAD("--1"),
        BAD("1 2"),
        BAD("{} {}"),
        BAD("{}x"),
        BAD("[]]"),
        BAD("{}}"),
        BAD("[1,]"),
        BAD("[,1]"),
        BAD("[1 2]"),
        BAD("[1,,2]"),
        BAD("[,]"),
        BAD("{,}"),
        BAD("{,\"a\":1}"),
        BAD("{\"a\"}"),
        BAD("{\"a\":}"),
        BAD("{\"a\":1,}"),
        BAD("{\"a\" 1}"),
        BAD("{a:1}"),
        BAD("{'a':1}"),
        BAD("{1:1}"),
        BAD("{\"a\":1 \"b\":2}"),
        BAD("{\"a\"::1}"),
        BAD("{null:1}"),
        BAD("[1}"),
        BAD("{\"a\":1]"),
        BAD("]"),
        BAD("}"),
        BAD(":"),
        BAD(","),
        BAD("tru"),
        BAD("True"),
        BAD("truex"),
        BAD("nul"),
        BAD("nulll"),
        BAD("falsey"),
        BAD("'a'"),
        BAD("\"a"),
        BAD("\"a\\\""),
        BAD("\"\\x41\""),
        BAD("\"\\u12\""),
        BAD("\"\\u12g4\""),
        BAD("\"\\u\""),
        BAD("\"\\\""),
        BAD("\"\\U0041\""),
        BAD("\"\\ \""),
        BAD("\"a\nb\""),
        BAD("\"a\tb\""),
        BAD("\"\x1f\""),
        BAD("\"a\0b\""),
        BAD("\0"),
        BAD("1\0"),
        BAD("[1]\0"),
        BAD("{\"a\nb\":1}"),
        BAD("\xef\xbb\xbf{}"),
        BAD("\xff\xfe{\0}\0"),
        BAD("// c\n1"),
        BAD("/* c */1"),
        BAD("1//"),
        BAD("[1]#"),
        BAD("\v1"),
        BAD("\f1"),
        BAD("\xc2\xa0"
            "1"),
        BAD("[1\xe2\x80\xa8]"),
        BAD("{\"a\":1,\"b\"}"),
        BAD("[\"a\":1]"),
        BAD("-a"),
        BAD("1e5.5"),
        BAD("1.5.5"),
#undef BAD
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(is_json(bad[i].text, bad[i].size));
        sn_status status = read_all(bad[i].text, bad[i].size).status;
        if (status != SN_ERR_CORRUPT && status != SN_ERR_TRUNCATED) fail_msg("accepted: %s", bad[i].text);
        status = read_with_tail(bad[i].text, bad[i].size).status;
        if (status != SN_ERR_CORRUPT && status != SN_ERR_TRUNCATED) fail_msg("accepted: [%s,...]", bad[i].text);
    }
}

static void every_prefix_is_too_short(void **state)
{
    (void)state;
    static const char text[] =
        " {\"asset\":{\"version\":\"2.0\\u00e9\\n\"},\"n\":[-1.5e+3, true,false ,null,[],{}],\"x\":\"\xc3\xa9\"}";
    assert_int_equal(read_all(text, sizeof text - 1).status, SN_OK);
    for (size_t size = 0; size < sizeof text - 1; size++) {
        sn_error error = read_all(text, size);
        if (error.status != SN_ERR_TRUNCATED) fail_msg("prefix of %zu bytes: %d %s", size, error.status, error.message);
    }
}

// What we take for JSON is what the grammar takes for JSON, over many small texts.
static void syntax_agrees_with_the_grammar(void **state)
{
    (void)state;
    static const char alphabet[] = "[]{}:,\"\"\\u0 1-+.e5tn\n";
    static const char *const words[] = { "true", "null", "\"a\"", "\"a\":", "-1", "0.5", "1e5", "[",
                                         "]",    "{",    "}",     ",",      ":",  " ",   "01",  "\\u00e9" };
    uint32_t seed = 17;
    char text[64];
    for (int i = 0; i < 200000; i++) {
        size_t size = 0;
        seed = seed * 1664525u + 1013904223u;
        uint32_t pieces = 1 + (seed >> 24) % 7;
        for (uint32_t k = 0; k < pieces; k++) {
            seed = seed * 1664525u + 1013904223u;
            if (i & 1) {
                text[size++] = alphabet[(seed >> 16) % (sizeof alphabet - 1)];
            } else {
                const char *word = words[(seed >> 16) % 16];
                memcpy(text + size, word, strlen(word));
                size += strlen(word);
            }
        }
        bool ok = read_all(text, size).status == SN_OK;
        if (ok != is_json(text, size)) fail_msg("%.*s: read %d, grammar %d", (int)size, text, ok, !ok);
    }
}

static void errors_say_where(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t offset;
    } cases[] = {
        { "{\"a\": tru }", 6 }, { "{} x", 3 },       { "[1, 2, x]", 7 }, { "[01]", 1 },
        { "{\"a\":1,}", 7 },    { "  \"a\nb\"", 2 }, { "[1 2]", 3 },     { "{\"a\" 1}", 5 },
        { "[\"\\q\"]", 1 },     { "[1.]", 1 },       { "{1:2}", 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t offset = read_all(cases[i].text, strlen(cases[i].text)).offset - ORIGIN;
        // The item, or the very byte inside it.
        if (offset < cases[i].offset || offset > cases[i].offset + 3)
            fail_msg("%s: error at %d, wanted %d", cases[i].text, (int)offset, (int)cases[i].offset);
    }
    fixture f;
    open_text(&f, "[10,  {}]");
    sni_json_enter_array(&f.json);
    assert_true(sni_json_next_item(&f.json));
    assert_int_equal(sni_json_offset(&f.json), ORIGIN + 1);
    sni_json_skip(&f.json);
    assert_true(sni_json_next_item(&f.json));
    sni_json_peek(&f.json);
    assert_int_equal(sni_json_offset(&f.json), ORIGIN + 6);
    close_text(&f);
}

static void depth_has_a_limit(void **state)
{
    (void)state;
    static char text[2 * 100000];
    static const struct {
        uint32_t limit, depth;
        bool fits;
    } cases[] = { { 64, 64, true },          { 64, 65, false },    { 1, 1, true },
                  { 1, 2, false },           { 256, 256, true },   { 256, 257, false },
                  { 100000, 100000, false }, { 64, 100000, false } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int way = 0; way < 6; way++) {
            uint32_t depth = cases[i].depth;
            if (depth > 1000 && way >= 3) continue;
            size_t size = 0;
            for (uint32_t k = 0; k < depth; k++) {
                if (way < 3 || k % 2) text[size++] = '[';
                else memcpy(text + size, "{\"a\":", 5), size += 5;
            }
            if (way >= 3 && depth % 2) text[size++] = '1';  // the innermost is an object
            for (uint32_t k = depth; k-- > 0;) text[size++] = way < 3 || k % 2 ? ']' : '}';
            fixture f;
            open_sized(&f, text, size, cases[i].limit);
            if (way % 3 == 0) walk(&f.json);
            if (way % 3 == 1) sni_json_skip(&f.json);
            if (way % 3 == 2) sni_json_raw(&f.json);
            sni_json_finish(&f.json);
            assert_int_equal(f.diag.error.status, cases[i].fits ? SN_OK : SN_ERR_LIMIT);
            close_text(&f);
        }
}

// Values

static void kinds_are_seen_before_reading(void **state)
{
    (void)state;
    fixture f;
    open_text(&f, "[null,true,false,-1,\"s\",[],{}]");
    static const sni_json_kind kinds[] = { SNI_JSON_NULL,   SNI_JSON_BOOL,  SNI_JSON_BOOL,  SNI_JSON_NUMBER,
                                           SNI_JSON_STRING, SNI_JSON_ARRAY, SNI_JSON_OBJECT };
    assert_int_equal(sni_json_peek(&f.json), SNI_JSON_ARRAY);
    sni_json_enter_array(&f.json);
    for (size_t i = 0; i < 7; i++) {
        assert_true(sni_json_next_item(&f.json));
        assert_int_equal(sni_json_peek(&f.json), kinds[i]);
        assert_int_equal(sni_json_peek(&f.json), kinds[i]);
        sni_json_skip(&f.json);
    }
    assert_false(sni_json_next_item(&f.json));
    sni_json_finish(&f.json);
    assert_true(sni_json_ok(&f.json));
    close_text(&f);
}

static void values_of_another_kind_fail(void **state)
{
    (void)state;
    static const char *const texts[] = { "null", "true", "1", "\"s\"", "[]", "{}" };
    static const int taken_by[] = { -1, 0, 1, 3, 4, 5 };  // the way that takes it (numbers also way 2)
    for (size_t i = 0; i < 6; i++)
        for (int way = 0; way < 6; way++) {
            fixture f;
            open_text(&f, texts[i]);
            int64_t integer = 77;
            bool flag = false;
            if (way == 0) flag = sni_json_bool(&f.json);
            if (way == 1) sni_json_float(&f.json);
            if (way == 2) flag = sni_json_integer(&f.json, &integer);
            if (way == 3) assert_non_null(sni_json_string(&f.json, NULL));
            if (way == 4) sni_json_enter_array(&f.json);
            if (way == 5) sni_json_enter_object(&f.json);
            bool fits = taken_by[i] == way || (i == 2 && way == 2);
            assert_int_equal(sni_json_ok(&f.json), fits);
            if (!fits) {
                assert_int_equal(f.diag.error.status, SN_ERR_CORRUPT);
                assert_int_equal(f.diag.error.offset, ORIGIN);
                sni_str key;
                assert_false(flag);
                assert_int_equal(sni_json_peek(&f.json), SNI_JSON_NONE);  // and it sticks
                assert_false(sni_json_next_item(&f.json));
                assert_false(sni_json_next_key(&f.json, &key));
                assert_false(sni_json_bool(&f.json));
                assert_true(sni_json_float(&f.json) == 0);
                assert_string_equal(sni_json_string(&f.json, NULL), "");
                sni_json_skip(&f.json);
                assert_int_equal(sni_json_raw(&f.json).size, 0);
            }
            close_text(&f);
        }
}

static void duplicate_keys_come_one_after_the_other(void **state)
{
    (void)state;
    fixture f;
    open_text(&f, "{\"a\":1,\"b\":5,\"a\":2,\"\\u0061\":3}");
    sni_str key;
    int64_t value = 0, seen = 0;
    for (sni_json_enter_object(&f.json); sni_json_next_key(&f.json, &key);) {
        if (sni_str_is(key, "a")) assert_true(sni_json_integer(&f.json, &value)), seen++;
        else sni_json_skip(&f.json);
    }
    sni_json_finish(&f.json);
    assert_true(sni_json_ok(&f.json));
    assert_int_equal(value, 3);
    assert_int_equal(seen, 3);
    close_text(&f);
}

static void strings_are_unescaped(void **state)
{
    (void)state;
    static const struct {
        const char *json, *text;
        bool was_bad;
    } cases[] = {
        { "\"\"", "", false },
        { "\"plain\"", "plain", false },
        { "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", false },
        { "\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac", false },
        { "\"\\uD83D\\uDE00\"", "\xf0\x9f\x98\x80", false },
        { "\"\\ud83d\\ude00x\"", "\xf0\x9f\x98\x80x", false },
        { "\"\\uDBFF\\uDFFF\"", "\xf4\x8f\xbf\xbf", false },
        { "\"\\uD800\\uDC00\"", "\xf0\x90\x80\x80", false },
        { "\"\\uFFFF\"", "\xef\xbf\xbf", false },
        { "\"\\uFFFD\"", "\xef\xbf\xbd", false },
        { "\"\xc3\xa9\xf0\x9f\x98\x80\"", "\xc3\xa9\xf0\x9f\x98\x80", false },
        { "\"a\\u0000b\"",
          "a\xef\xbf\xbd"
          "b",
          true },
        { "\"\\uD83D\"", "\xef\xbf\xbd", true },
        { "\"\\uDE00\"", "\xef\xbf\xbd", true },
        { "\"\\uD83Dx\"", "\xef\xbf\xbdx", true },
        { "\"\\uD83D\\n\"", "\xef\xbf\xbd\n", true },
        { "\"\\uD83D\\u0041\"",
          "\xef\xbf\xbd"
          "A",
          true },
        { "\"\\uD83D\\uD83D\\uDE00\"", "\xef\xbf\xbd\xf0\x9f\x98\x80", true },
        { "\"\\uDE00\\uD83D\"", "\xef\xbf\xbd\xef\xbf\xbd", true },
        { "\"a\xff"
          "b\"",
          "a\xef\xbf\xbd"
          "b",
          true },
        { "\"\x7f\"", "\x7f", false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        open_text(&f, cases[i].json);
        bool was_bad = !cases[i].was_bad;
        assert_string_equal(sni_json_string(&f.json, &was_bad), cases[i].text);
        if (was_bad != cases[i].was_bad) fail_msg("%s: was_bad is %d", cases[i].json, was_bad);
        sni_json_finish(&f.json);
        assert_true(sni_json_ok(&f.json));
        close_text(&f);
    }
}

static void keys_are_unescaped(void **state)
{
    (void)state;
    fixture f;
    open_text(&f, "{\"na\\u006de\":1,\"\\uD83D\\uDE00\":2,\"\":3,\"a\\\"b\":4}");
    static const char *const wanted[] = { "name", "\xf0\x9f\x98\x80", "", "a\"b" };
    sni_str key;
    size_t count = 0;
    for (sni_json_enter_object(&f.json); sni_json_next_key(&f.json, &key); sni_json_skip(&f.json))
        assert_true(sni_str_is(key, wanted[count++]));
    assert_int_equal(count, 4);
    assert_true(sni_json_ok(&f.json));
    close_text(&f);
}

static void integers_may_be_written_as_fractions(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_integer;
        int64_t value;
    } cases[] = {
        { "0", true, 0 },
        { "-0", true, 0 },
        { "3", true, 3 },
        { "-17", true, -17 },
        { "3.0", true, 3 },
        { "3e0", true, 3 },
        { "3E+00", true, 3 },
        { "30e-1", true, 3 },
        { "0.3e1", true, 3 },
        { "1.5e1", true, 15 },
        { "3.000000000000000000000000000000", true, 3 },
        { "1e15", true, 1000000000000000 },
        { "4294967295", true, 4294967295 },
        { "4294967296", true, 4294967296 },
        { "9007199254740991", true, 9007199254740991 },
        { "9007199254740992", true, 9007199254740992 },
        { "-9007199254740992", true, -9007199254740992 },
        { "0e999999999999999999999", true, 0 },
        { "0.000e-5", true, 0 },
        { "12300000000000000000000e-20", true, 123 },
        { "9007199254740992.0", true, 9007199254740992 },
        { "9007199254740993", false, 0 },
        { "9007199254740994", false, 0 },
        { "-9007199254740993", false, 0 },
        { "18446744073709551616", false, 0 },
        { "18446744073709551619", false, 0 },
        { "9223372036854775808", false, 0 },
        { "1e16", false, 0 },
        { "1e19", false, 0 },
        { "1e400", false, 0 },
        { "-1e400", false, 0 },
        { "1e99999999999999999999", false, 0 },
        { "1.5", false, 0 },
        { "0.1", false, 0 },
        { "-0.5", false, 0 },
        { "1e-1", false, 0 },
        { "1e-400", false, 0 },
        { "1e-99999999999999999999", false, 0 },
        { "3.0000000000000000000000000000000000001", false, 0 },
        { "9007199254740992.5", false, 0 },
        { "123456789012345678901234567890", false, 0 },
        { "15e-1", false, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        int64_t value = -77;
        open_text(&f, cases[i].text);
        if (sni_json_integer(&f.json, &value) != cases[i].is_integer) fail_msg("%s", cases[i].text);
        if (cases[i].is_integer) assert_true(value == cases[i].value);
        sni_json_finish(&f.json);
        assert_true(sni_json_ok(&f.json));  // a fraction is no failure
        close_text(&f);
    }
}

static void raw_text_is_kept_as_it_is(void **state)
{
    (void)state;
    fixture f;
    open_text(&f, "{\"extras\": {\"a\" : [1, 2.50,\"x\\u0041\"]} , \"n\":  -1.0e5 }");
    sni_str key, first, second;
    sni_json_enter_object(&f.json);
    assert_true(sni_json_next_key(&f.json, &key));
    first = sni_json_raw(&f.json);
    assert_true(sni_str_is(first, "{\"a\" : [1, 2.50,\"x\\u0041\"]}"));
    assert_true(sni_json_next_key(&f.json, &key));
    second = sni_json_raw(&f.json);
    assert_true(sni_str_is(second, "-1.0e5"));
    assert_false(sni_json_next_key(&f.json, &key));
    sni_json_finish(&f.json);
    assert_true(sni_json_ok(&f.json));
    close_text(&f);
}

static void reading_survives_every_failing_allocation(void **state)
{
    (void)state;
    static char text[20000];
    size_t size = 0;
    text[size++] = '[';
    while (size < sizeof text - 100) memcpy(text + size, "\"a\\u0041 rather long string\",", 29), size += 29;
    memcpy(text + size, "1]", 2), size += 2;
    for (uint64_t k = 1; k < 20; k++) {
        fixture f;
        open_sized(&f, text, size, 64);
        f.counts.fail_at = k;
        walk(&f.json);
        assert_true(f.diag.error.status == SN_ERR_MEMORY || f.counts.calls < k);
        close_text(&f);
    }
}

// Writer

static void write_document(sni_writer *out, bool indent)
{
    sni_json_writer json = sni_json_writer_make(out, indent);
    sni_json_begin_object(&json);
    sni_json_key(&json, "text"), sni_json_put_text(&json, "a\"b\\c\n\x01\x1f\x7f\xc3\xa9/<");
    sni_json_key(&json, "none"), sni_json_put_text(&json, NULL);
    sni_json_key(&json, "k\"y"), sni_json_put_integer(&json, INT64_MIN);
    sni_json_key(&json, "big"), sni_json_put_integer(&json, INT64_MAX);
    sni_json_key(&json, "numbers"), sni_json_begin_flat_array(&json);
    sni_json_put_float(&json, 0.1f), sni_json_put_float(&json, -0.0f), sni_json_put_float(&json, NAN);
    sni_json_put_float(&json, INFINITY), sni_json_put_float(&json, -INFINITY), sni_json_put_float(&json, 0.5f);
    sni_json_end(&json);
    sni_json_key(&json, "empty"), sni_json_begin_array(&json), sni_json_end(&json);
    sni_json_key(&json, "bare"), sni_json_begin_object(&json), sni_json_end(&json);
    sni_json_key(&json, "list"), sni_json_begin_array(&json);
    sni_json_put_bool(&json, true), sni_json_put_bool(&json, false), sni_json_put_raw(&json, "{\"x\":[1,2]}");
    sni_json_begin_object(&json), sni_json_key(&json, "in"), sni_json_put_integer(&json, 0), sni_json_end(&json);
    sni_json_begin_flat_array(&json), sni_json_begin_flat_array(&json), sni_json_end(&json), sni_json_end(&json);
    sni_json_end(&json);
    sni_json_end(&json);
}

// Without the white space between tokens.
static size_t squeeze(const uint8_t *text, size_t size, char *out)
{
    size_t count = 0;
    bool in_string = false;
    for (size_t i = 0; i < size; i++) {
        if (!in_string && (text[i] == ' ' || text[i] == '\n')) continue;
        if (in_string && text[i] == '\\') out[count++] = (char)text[i++];
        else if (text[i] == '"') in_string = !in_string;
        out[count++] = (char)text[i];
    }
    return count;
}

static void written_json_is_json_and_always_the_same(void **state)
{
    (void)state;
    static const char wanted[] = "\"none\":\"\",\"k\\\"y\":-9223372036854775808,\"big\":9223372036854775807,"
                                 "\"numbers\":[0.1,-0,null,null,null,0.5],\"empty\":[],\"bare\":{},\"list\":[true,"
                                 "false,{\"x\":[1,2]},{\"in\":0},[[]]]}";
    fixture f;
    open_text(&f, "");
    sni_writer outs[4];
    for (int i = 0; i < 4; i++) {
        sni_writer_init(&outs[i], &f.heap);
        write_document(&outs[i], i & 1);
        assert_false(outs[i].failed);
        assert_true(is_json((const char *)outs[i].data, outs[i].size));
        assert_true(is_utf8((const char *)outs[i].data, outs[i].size));
        char squeezed[1000];
        size_t size = squeeze(outs[i].data, outs[i].size, squeezed);
        squeezed[size] = 0;
        const char *rest = strstr(squeezed, "\"none\"");
        assert_non_null(rest);
        assert_string_equal(rest, wanted);
        if (!(i & 1)) assert_null(memchr(outs[i].data, '\n', outs[i].size));
    }
    assert_int_equal(outs[0].size, outs[2].size);
    assert_memory_equal(outs[0].data, outs[2].data, outs[0].size);
    assert_int_equal(outs[1].size, outs[3].size);
    assert_memory_equal(outs[1].data, outs[3].data, outs[1].size);

    fixture back;
    open_sized(&back, (const char *)outs[1].data, outs[1].size, 64);
    sni_str key;
    sni_json_enter_object(&back.json);
    assert_true(sni_json_next_key(&back.json, &key) && sni_str_is(key, "text"));
    assert_string_equal(sni_json_string(&back.json, NULL), "a\"b\\c\n\x01\x1f\x7f\xc3\xa9/<");
    close_text(&back);
    for (int i = 0; i < 4; i++) sni_writer_free(&outs[i]);
    close_text(&f);
}

static void flat_arrays_stay_on_one_line(void **state)
{
    (void)state;
    fixture f;
    open_text(&f, "");
    sni_writer out;
    sni_writer_init(&out, &f.heap);
    sni_json_writer json = sni_json_writer_make(&out, true);
    sni_json_begin_array(&json);
    sni_json_begin_flat_array(&json);
    for (int i = 0; i < 50; i++) sni_json_put_integer(&json, i);
    sni_json_end(&json);
    sni_json_put_integer(&json, 1);
    sni_json_end(&json);
    const char *open = memchr(out.data + 1, '[', out.size - 1), *close = memchr(out.data, ']', out.size);
    assert_non_null(open);
    assert_null(memchr(open, '\n', (size_t)(close - open)));
    assert_non_null(memchr(close, '\n', out.size - (size_t)(close - (const char *)out.data)));
    sni_writer_free(&out);
    close_text(&f);
}

static void deep_writing_nests(void **state)
{
    (void)state;
    fixture f;
    open_text(&f, "");
    sni_writer out;
    sni_writer_init(&out, &f.heap);
    sni_json_writer json = sni_json_writer_make(&out, false);
    for (int i = 0; i < 63; i++) sni_json_begin_array(&json);
    for (int i = 0; i < 63; i++) sni_json_end(&json);
    assert_int_equal(out.size, 126);
    assert_true(is_json((const char *)out.data, out.size));
    sni_writer_free(&out);
    close_text(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(good_json_is_read),
        cmocka_unit_test(bad_json_is_refused),
        cmocka_unit_test(every_prefix_is_too_short),
        cmocka_unit_test(syntax_agrees_with_the_grammar),
        cmocka_unit_test(errors_say_where),
        cmocka_unit_test(depth_has_a_limit),
        cmocka_unit_test(kinds_are_seen_before_reading),
        cmocka_unit_test(values_of_another_kind_fail),
        cmocka_unit_test(duplicate_keys_come_one_after_the_other),
        cmocka_unit_test(strings_are_unescaped),
        cmocka_unit_test(keys_are_unescaped),
        cmocka_unit_test(integers_may_be_written_as_fractions),
        cmocka_unit_test(raw_text_is_kept_as_it_is),
        cmocka_unit_test(reading_survives_every_failing_allocation),
        cmocka_unit_test(written_json_is_json_and_always_the_same),
        cmocka_unit_test(flat_arrays_stay_on_one_line),
        cmocka_unit_test(deep_writing_nests),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
