// Errors and warnings: the first failure, paths, counted warnings.
#include "base_fixture.h"

static void first_failure_wins(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, UINT64_MAX);
    assert_false(sni_failed(&f.diag));
    assert_false(sni_fail(&f.diag, SN_ERR_CORRUPT, 18432, "%d vertices, %s remain", 90000, "312"));
    assert_false(sni_fail(&f.diag, SN_ERR_LIMIT, 1, "second"));
    assert_true(sni_failed(&f.diag));
    assert_int_equal(f.diag.error.status, SN_ERR_CORRUPT);
    assert_int_equal(f.diag.error.offset, 18432);
    assert_string_equal(f.diag.error.message, "90000 vertices, 312 remain");
    fixture_close(&f);
}

static void paths_say_where(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, UINT64_MAX);
    sni_enter(&f.diag, "HLOD", -1);
    sni_enter_named(&f.diag, "MESH", 2, "turret");
    sni_enter(&f.diag, "GONE", -1);
    sni_leave(&f.diag);
    sni_enter(&f.diag, "VERTICES", -1);
    sni_fail(&f.diag, SN_ERR_CORRUPT, 0, "x");
    assert_string_equal(f.diag.error.path, "HLOD/MESH[2] \"turret\"/VERTICES");
    fixture_close(&f);

    fixture_open(&f, UINT64_MAX);
    f.diag.json_paths = true;
    sni_enter(&f.diag, "accessors", 3);
    sni_enter(&f.diag, "byteOffset", -1);
    sni_fail(&f.diag, SN_ERR_CORRUPT, 0, "x");
    assert_string_equal(f.diag.error.path, "/accessors/3/byteOffset");
    fixture_close(&f);
}

static void paths_may_be_deep_long_and_dirty(void **state)
{
    (void)state;
    char label[400];
    for (int json = 0; json < 2; json++)
        for (int length = 0; length < 399; length += 7) {
            fixture f;
            fixture_open(&f, UINT64_MAX);
            f.diag.json_paths = json;
            memset(label, 0, sizeof label);
            for (int i = 0; i < length; i++) label[i] = "\xc3\xa9\xe2\x82\xac\x1b[2J\xff\n\xf0\x9f\x98\x80"[i % 16];
            for (int i = 0; i < 100; i++) sni_enter_named(&f.diag, "a_rather_long_name", i % 3 ? i : -1, label);
            sni_warn(&f.diag, SNI_WARN_NOT_FINITE, 0, "%s", label);
            sni_fail(&f.diag, SN_ERR_CORRUPT, 0, "%s", label);
            assert_true(is_plain_text(f.diag.error.path));
            assert_true(is_plain_text(f.diag.error.message));
            assert_true(is_plain_text(f.diag.first->warning.path));
            assert_true(is_plain_text(f.diag.first->warning.message));
            for (int i = 0; i < 100; i++) sni_leave(&f.diag);
            assert_int_equal(f.diag.depth, 0);
            fixture_close(&f);
        }
}

static void messages_end_on_a_whole_character(void **state)
{
    (void)state;
    char text[600];
    for (int lead = 0; lead < 4; lead++) {
        fixture f;
        fixture_open(&f, UINT64_MAX);
        memset(text, 'x', (size_t)lead);
        for (int i = lead; i + 4 < 600; i += 4) memcpy(text + i, "\xf0\x9f\x98\x80", 5);
        sni_fail(&f.diag, SN_ERR_CORRUPT, 0, "%s", text);
        size_t size = strlen(f.diag.error.message);
        assert_true(size >= sizeof f.diag.error.message - 5 && size < sizeof f.diag.error.message);
        assert_true(is_plain_text(f.diag.error.message));
        fixture_close(&f);
    }
}

// Two losses of one thing are two lines; so are those of a hundred things.
static void losses_are_not_merged(void **state)
{
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
    (void)state;
    sni_heap_init(&heap, NULL, 1 << 20);
    sni_arena_init(&arena, &heap);
    sni_diag_init(&diag, &arena);
    diag.is_of_save = true;
    for (int i = 0; i < 100; i++) {
        sni_enter(&diag, "clips", i);
        sni_warn(&diag, SNI_WARN_LOST_CONTENT, 0, "off by %d", i);
        sni_warn(&diag, SNI_WARN_LOST_CONTENT, 0, "off by %d", i + 1);
        sni_warn(&diag, SNI_WARN_LOST_CONTENT, 0, "lasts %d", i);
        sni_warn(&diag, SNI_WARN_LOST_CONTENT, 0, "%s", "one");
        sni_warn(&diag, SNI_WARN_LOST_CONTENT, 0, "%s", "two");
        sni_leave(&diag);
    }
    assert_int_equal(diag.warning_count, 400);
    assert_int_equal(diag.first->warning.count, 2);
    assert_string_equal(diag.first->next->warning.message, "lasts 0");
    sni_arena_free(&arena);
}

static void alike_warnings_are_counted(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, UINT64_MAX);
    for (uint64_t i = 0; i < 10; i++) {
        sni_enter(&f.diag, "nodes", (int64_t)(i & 1));
        sni_warn(&f.diag, SNI_WARN_ROTATION_LENGTH, 100 + i, "length %d", (int)i);
        sni_leave(&f.diag);
    }
    sni_warn(&f.diag, SNI_WARN_NOT_FINITE, 7, "other");
    assert_int_equal(f.diag.warning_count, 3);
    const sni_warning_item *item = f.diag.first;
    assert_int_equal(item->warning.code, SNI_WARN_ROTATION_LENGTH);
    assert_int_equal(item->warning.count, 5);
    assert_int_equal(item->warning.offset, 100);
    assert_string_equal(item->warning.message, "length 0");
    assert_int_equal(item->next->warning.offset, 101);
    assert_int_equal(item->next->warning.count, 5);
    assert_int_equal(item->next->next->warning.code, SNI_WARN_NOT_FINITE);
    assert_null(item->next->next->next);
    assert_false(sni_failed(&f.diag));
    fixture_close(&f);
}

static void many_warnings_cost_little(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 4 << 20);
    for (int64_t i = 0; i < 200000; i++) {
        sni_enter(&f.diag, "nodes", i);
        sni_warn(&f.diag, SNI_WARN_ROTATION_LENGTH, (uint64_t)i, "bad");
        sni_leave(&f.diag);
    }
    assert_true(f.diag.warning_count >= 1 && f.diag.warning_count <= SNI_WARNINGS_PER_CODE + 1);
    assert_false(sni_failed(&f.diag));
    fixture_close(&f);
}

static void warnings_without_arena_are_dropped(void **state)
{
    (void)state;
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    sni_warn(&diag, SNI_WARN_NOT_FINITE, 0, "x");
    assert_int_equal(diag.warning_count, 0);
    assert_false(sni_failed(&diag));
}

static void places_in_text_have_lines(void **state)
{
    (void)state;
    static const char text[] = "one\n\n three\r\nfour";
    static const struct {
        uint32_t offset, line, column;
    } places[] = { { 1, 1, 2 }, { 3, 1, 4 }, { 4, 2, 1 }, { 6, 3, 2 }, { 13, 4, 1 }, { 17, 4, 5 }, { 2, 1, 3 } };
    fixture f;
    fixture_open(&f, UINT64_MAX);
    sni_diag_set_text(&f.diag, text, sizeof text - 1);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        sni_enter(&f.diag, "item", (int64_t)i);
        sni_warn(&f.diag, SNI_WARN_NOT_FINITE, places[i].offset, "x");
        sni_leave(&f.diag);
    }
    const sni_warning_item *item = f.diag.first;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++, item = item->next) {
        assert_int_equal(item->warning.line, places[i].line);
        assert_int_equal(item->warning.column, places[i].column);
    }
    sni_warn(&f.diag, SNI_WARN_KEY_ORDER, 0, "about no place");
    sni_warn(&f.diag, SNI_WARN_NODE_CYCLE, 18, "past the end");
    item = f.diag.first;
    while (item->warning.code != SNI_WARN_KEY_ORDER) item = item->next;
    assert_int_equal(item->warning.line, 0);
    assert_int_equal(item->next->warning.line, 0);
    sni_fail(&f.diag, SN_ERR_CORRUPT, 7, "y");
    assert_int_equal(f.diag.error.line, 3);
    assert_int_equal(f.diag.error.column, 3);
    fixture_close(&f);
}

static void codes_have_names(void **state)
{
    (void)state;
#define CHECK_NAME(code, name, severity, meaning, advice) \
    assert_string_equal(sn_warning_name(code), #name);    \
    assert_true(sizeof(meaning) > 10 && sizeof(advice) > 10);
    SNI_WARNINGS(CHECK_NAME)
#undef CHECK_NAME
    sn_warning_kind kind;
    int32_t last = 0;
    uint32_t count = 0;
    for (; sn_warning_at(count, &kind); count++) {
        assert_true(kind.code > last);
        assert_string_equal(sn_warning_name(kind.code), kind.name);
        last = kind.code;
    }
    assert_true(count > 100 && !sn_warning_at(UINT32_MAX, &kind));
    const int32_t unknown[] = { 0, -1, INT32_MAX, INT32_MIN, 100, 9999 };
    for (size_t i = 0; i < 6; i++) assert_non_null(sn_warning_name(unknown[i]));
    assert_string_equal(sn_status_name(SN_ERR_TRUNCATED), "truncated");
    for (int a = SN_OK; a <= SN_ERR_INVALID; a++)
        for (int b = SN_OK; b < a; b++)
            assert_string_not_equal(sn_status_name((sn_status)a), sn_status_name((sn_status)b));
    assert_non_null(sn_status_name((sn_status)99));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_failure_wins),
        cmocka_unit_test(paths_say_where),
        cmocka_unit_test(paths_may_be_deep_long_and_dirty),
        cmocka_unit_test(messages_end_on_a_whole_character),
        cmocka_unit_test(losses_are_not_merged),
        cmocka_unit_test(alike_warnings_are_counted),
        cmocka_unit_test(many_warnings_cost_little),
        cmocka_unit_test(warnings_without_arena_are_dropped),
        cmocka_unit_test(places_in_text_have_lines),
        cmocka_unit_test(codes_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
