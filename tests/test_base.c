// Memory, diagnostics, reader, writer, text: what their headers promise.
#include "base/reader.h"
#include "base/writer.h"
#include "check_text.h"
#include "counting.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    counting_heap counts;
    sni_heap      heap;
    sni_arena     arena;
    sni_diag      diag;
} fixture;

static void fixture_open(fixture *f, uint64_t limit)
{
    memset(f, 0, sizeof *f);
    sn_allocator allocator = counting_allocator(&f->counts);
    sni_heap_init(&f->heap, &allocator, limit);
    f->heap.elements = 1000000;
    f->heap.diag = &f->diag;
    sni_arena_init(&f->arena, &f->heap);
    sni_diag_init(&f->diag, &f->arena);
}

static void fixture_close(fixture *f)
{
    sni_arena_free(&f->arena);
    assert_int_equal(f->counts.live_blocks, 0);
    assert_int_equal(f->heap.used, 0);
}

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13, *state ^= *state >> 17, *state ^= *state << 5;
    return *state;
}

// Heap and arena

static void heap_counts_what_it_gives(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, 1000);
    void *a = sni_heap_alloc(&f.heap, 600);
    assert_non_null(a);
    assert_true(f.heap.used >= 600);
    assert_null(sni_heap_alloc(&f.heap, 600));
    assert_int_equal(f.diag.error.status, SN_ERR_LIMIT);
    assert_true(is_plain_text(f.diag.error.message) && f.diag.error.message[0]);
    sni_heap_free(&f.heap, a, 600);
    assert_int_equal(f.heap.used, 0);
    assert_true(f.heap.peak >= 600 && f.heap.peak <= 1000);
    void *b = sni_heap_alloc(&f.heap, 1000);
    assert_non_null(b);
    sni_heap_free(&f.heap, b, 1000);
    fixture_close(&f);
}

static void heap_tells_why_it_answers_null(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, UINT64_MAX);
    f.counts.fail_at = 1, f.counts.fails_for_ever = true;
    assert_null(sni_heap_alloc(&f.heap, 8));
    assert_int_equal(f.diag.error.status, SN_ERR_MEMORY);
    f.heap.diag = NULL;
    assert_null(sni_heap_alloc(&f.heap, 8));
    assert_null(sni_heap_alloc(&f.heap, SIZE_MAX));
    fixture_close(&f);
}

static bool say_yes(void *user)
{
    ++*(int *)user;
    return true;
}

static void heap_asks_whether_to_go_on(void **state)
{
    (void)state;
    fixture f;
    int asked = 0;
    fixture_open(&f, UINT64_MAX);
    f.heap.cancelled = say_yes, f.heap.cancelled_user = &asked;
    assert_null(sni_heap_alloc(&f.heap, 8));
    assert_int_equal(asked, 1);
    assert_int_equal(f.diag.error.status, SN_ERR_CANCELLED);
    fixture_close(&f);
}

static void heap_without_allocator_uses_the_system(void **state)
{
    (void)state;
    sn_allocator zero = { 0 };
    const sn_allocator *choices[] = { NULL, &zero };
    for (int i = 0; i < 2; i++) {
        sni_heap heap;
        sni_heap_init(&heap, choices[i], 4096);
        uint8_t *block = sni_heap_alloc(&heap, 4096);
        assert_non_null(block);
        memset(block, 1, 4096);
        assert_null(sni_heap_alloc(&heap, 1));    // no diag: nobody to tell, no crash
        sni_heap_free(&heap, block, 4096);
        assert_int_equal(heap.used, 0);
    }
}

static void arena_gives_zeroed_aligned_separate_memory(void **state)
{
    (void)state;
    enum { COUNT = 2000 };
    static uint8_t *blocks[COUNT];
    static size_t sizes[COUNT];
    fixture f;
    fixture_open(&f, UINT64_MAX);
    uint32_t random = 7;
    for (int i = 0; i < COUNT; i++) {
        sizes[i] = next_random(&random) % (i % 50 ? 200 : 200000);
        blocks[i] = sni_alloc(&f.arena, 1, sizes[i]);
        assert_non_null(blocks[i]);
        for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(blocks[i][k], 0);
        memset(blocks[i], i & 0xff, sizes[i]);
        double *numbers = sni_new(&f.arena, double, 3);
        assert_int_equal((uintptr_t)numbers % _Alignof(double), 0);
        assert_true(numbers[0] == 0 && numbers[1] == 0 && numbers[2] == 0);
        numbers[0] = numbers[1] = numbers[2] = 1;
        void **pointers = sni_new_raw(&f.arena, void *, 2);
        assert_int_equal((uintptr_t)pointers % _Alignof(void *), 0);
        pointers[0] = pointers[1] = pointers;
    }
    for (int i = 0; i < COUNT; i++)
        for (size_t k = 0; k < sizes[i]; k++) assert_int_equal(blocks[i][k], i & 0xff);
    assert_false(sni_failed(&f.diag));
    fixture_close(&f);
}

static void arena_of_nothing_is_a_valid_pointer(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, UINT64_MAX);
    assert_non_null(sni_new(&f.arena, sn_mat34, 0));
    assert_non_null(sni_new_raw(&f.arena, sn_mat34, 0));
    assert_false(sni_failed(&f.diag));
    fixture_close(&f);
}

static void arena_refuses_products_that_wrap(void **state)
{
    (void)state;
    static const struct { size_t size; uint64_t count; } bad[] = {
        { 16, UINT64_MAX / 16 + 1 }, { 16, UINT64_MAX }, { 1, UINT64_MAX }, { 2, UINT64_MAX / 2 + 1 },
        { 64, (uint64_t)1 << 58 }, { SIZE_MAX, 2 }, { SIZE_MAX, UINT64_MAX }, { SIZE_MAX, 1 }, { SIZE_MAX - 8, 1 },
        { SIZE_MAX / 2, 2 }, { 1, UINT64_MAX - 15 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        fixture f;
        fixture_open(&f, 1 << 20);
        f.heap.elements = UINT32_MAX;
        assert_null(sni_alloc(&f.arena, bad[i].size, bad[i].count));
        assert_true(sni_failed(&f.diag));
        assert_int_equal(f.diag.error.status, SN_ERR_LIMIT);
        fixture_close(&f);
        fixture_open(&f, UINT64_MAX);
        f.heap.elements = UINT32_MAX;
        assert_null(sni_alloc_raw(&f.arena, bad[i].size, bad[i].count));
        assert_true(sni_failed(&f.diag));
        fixture_close(&f);
    }
}

static void arena_keeps_the_element_ceiling(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, UINT64_MAX);
    f.heap.elements = 100;
    assert_non_null(sni_new(&f.arena, uint32_t, 100));
    assert_null(sni_new(&f.arena, uint32_t, 101));
    assert_int_equal(f.diag.error.status, SN_ERR_LIMIT);
    fixture_close(&f);
}

static void arena_survives_every_failing_allocation(void **state)
{
    (void)state;
    for (uint64_t k = 1; k <= 20; k++) {
        fixture f;
        fixture_open(&f, UINT64_MAX);
        f.counts.fail_at = k, f.counts.fails_for_ever = k & 1;
        for (int i = 0; i < 200; i++) {
            uint8_t *bytes = sni_new(&f.arena, uint8_t, (uint64_t)i * 100);
            assert_true(bytes || sni_failed(&f.diag));
            if (bytes) memset(bytes, 1, (size_t)i * 100);
        }
        assert_true(f.counts.calls < k || f.diag.error.status == SN_ERR_MEMORY);
        fixture_close(&f);
    }
}

static void arena_copies_text(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, UINT64_MAX);
    assert_string_equal(sni_copy_text(&f.arena, "knight", 3), "kni");
    assert_string_equal(sni_copy_text(&f.arena, "", 0), "");
    fixture_close(&f);
}

// Diagnostics

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

static void codes_have_names(void **state)
{
    (void)state;
#define CHECK_NAME(code, name, meaning) assert_string_equal(sn_warning_name(code), #name); assert_true(sizeof(meaning) > 10);
    SNI_WARNINGS(CHECK_NAME)
#undef CHECK_NAME
    const int32_t unknown[] = { 0, -1, INT32_MAX, INT32_MIN, 100, 9999 };
    for (size_t i = 0; i < 6; i++) assert_non_null(sn_warning_name(unknown[i]));
    assert_string_equal(sn_status_name(SN_ERR_TRUNCATED), "truncated");
    for (int a = SN_OK; a <= SN_ERR_CANCELLED; a++)
        for (int b = SN_OK; b < a; b++)
            assert_string_not_equal(sn_status_name((sn_status)a), sn_status_name((sn_status)b));
    assert_non_null(sn_status_name((sn_status)99));
}

// Reader

static const uint8_t some_bytes[] = { 0x01, 0x02, 0x03, 0x04, 0xff, 0xfe, 0xfd, 0xfc, 0x00, 0x00, 0x80, 0x3f,
    0x00, 0x00, 0x00, 0xc0, 0x00, 0x00, 0x40, 0x40, 0x88 };

static void reader_reads_little_endian(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, UINT64_MAX);
    sni_reader r = sni_reader_make(some_bytes, sizeof some_bytes, &f.diag, &f.arena);
    assert_int_equal(sni_read_u8(&r), 1);
    assert_int_equal(sni_read_u16(&r), 0x0302);
    assert_int_equal(sni_read_u8(&r), 4);
    assert_int_equal(sni_read_i32(&r), (int32_t)0xfcfdfeff);
    sn_vec3 v = sni_read_vec3(&r);
    assert_true(v.x == 1 && v.y == -2 && v.z == 3);
    assert_int_equal(sni_rest(&r), 1);
    assert_int_equal(sni_offset(&r), 20);
    sni_seek(&r, 0);
    assert_true(sni_read_u32(&r) == 0x04030201);
    sni_seek(&r, 0);
    assert_true(sni_read_u64(&r) == 0xfcfdfeff04030201u);
    sni_seek(&r, 5);                                   // unaligned
    sn_quat q = sni_read_quat(&r);
    (void)q;
    assert_int_equal(sni_offset(&r), 21);
    sni_seek(&r, 8);
    assert_true(sni_read_f32(&r) == 1.0f);
    assert_true(sni_ok(&r));
    assert_true(sni_load_f32(some_bytes + 16) == 3.0f);
    assert_int_equal(sni_load_u16(some_bytes + 3), 0xff04);
    assert_true(sni_load_u32(some_bytes + 1) == 0xff040302);
    fixture_close(&f);
}

static void reader_failure_sticks(void **state)
{
    (void)state;
    for (int which = 0; which < 12; which++) {
        fixture f;
        fixture_open(&f, UINT64_MAX);
        sni_reader r = sni_reader_make(some_bytes, sizeof some_bytes, &f.diag, &f.arena);
        sni_seek(&r, sizeof some_bytes);
        assert_true(sni_ok(&r));
        switch (which) {
        case 0: assert_int_equal(sni_read_u8(&r), 0); break;
        case 1: assert_int_equal(sni_read_u16(&r), 0); break;
        case 2: assert_int_equal(sni_read_u32(&r), 0); break;
        case 3: assert_int_equal(sni_read_i32(&r), 0); break;
        case 4: assert_int_equal(sni_read_u64(&r), 0); break;
        case 5: assert_true(sni_read_f32(&r) == 0); break;
        case 6: assert_true(sni_read_vec3(&r).x == 0); break;
        case 7: assert_true(sni_read_quat(&r).x == 0); break;
        case 8: assert_null(sni_take(&r, 1)); break;
        case 9: sni_skip(&r, 1); break;
        case 10: assert_int_equal(sni_read_count(&r, 1), 0); break;
        case 11: assert_string_equal(sni_read_name(&r, 4), ""); break;
        default: break;
        }
        assert_false(sni_ok(&r));
        assert_int_equal(f.diag.error.status, SN_ERR_TRUNCATED);
        assert_int_equal(f.diag.error.offset, sizeof some_bytes);
        assert_true(f.diag.error.message[0] && is_plain_text(f.diag.error.message));
        const uint8_t *at = r.at;
        sni_seek(&r, 0);
        assert_int_equal(sni_read_u32(&r), 0);
        assert_null(sni_take(&r, 1));
        sni_skip(&r, 1);
        sni_reader child = sni_read_window(&r, 4);
        assert_int_equal(sni_read_u8(&child), 0);
        assert_ptr_equal(r.at, at);
        fixture_close(&f);
    }
}

static void reader_bounds_are_exact(void **state)
{
    (void)state;
    static const uint64_t too_far[] = { 22, 23, UINT32_MAX, (uint64_t)UINT32_MAX + 1, INT64_MAX, UINT64_MAX, UINT64_MAX - 20 };
    for (size_t i = 0; i < sizeof too_far / sizeof *too_far; i++)
        for (int which = 0; which < 5; which++) {
            fixture f;
            fixture_open(&f, UINT64_MAX);
            sni_reader r = sni_reader_make(some_bytes, sizeof some_bytes, &f.diag, &f.arena);
            if (which == 0) assert_null(sni_take(&r, too_far[i]));
            if (which == 1) sni_skip(&r, too_far[i]);
            if (which == 2) sni_seek(&r, too_far[i]);
            if (which == 3) { sni_reader child = sni_read_window(&r, too_far[i]); assert_int_equal(sni_rest(&child), 0); }
            if (which == 4) assert_false(sni_has_items(&r, too_far[i], 1));
            assert_false(sni_ok(&r));
            fixture_close(&f);
        }
    fixture f;
    fixture_open(&f, UINT64_MAX);
    sni_reader r = sni_reader_make(some_bytes, sizeof some_bytes, &f.diag, &f.arena);
    assert_ptr_equal(sni_take(&r, 21), some_bytes);
    assert_int_equal(sni_rest(&r), 0);
    assert_non_null(sni_take(&r, 0));
    sni_seek(&r, 21);
    assert_true(sni_ok(&r));
    fixture_close(&f);
}

static void windows_see_only_their_part(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, UINT64_MAX);
    sni_reader r = sni_reader_make(some_bytes, sizeof some_bytes, &f.diag, &f.arena);
    sni_skip(&r, 4);
    sni_reader child = sni_read_window(&r, 8);
    assert_int_equal(sni_offset(&r), 12);
    assert_int_equal(sni_rest(&child), 8);
    assert_int_equal(sni_offset(&child), 4);
    sni_skip(&child, 2);
    sni_reader grandchild = sni_read_window(&child, 3);
    assert_int_equal(sni_offset(&grandchild), 6);
    assert_int_equal(sni_read_u8(&grandchild), 0xfd);
    sni_seek(&grandchild, 0);
    assert_int_equal(sni_offset(&grandchild), 6);
    assert_int_equal(sni_read_u32(&grandchild), 0);    // 3 bytes only, though the parent has more
    assert_false(sni_ok(&r));
    assert_int_equal(f.diag.error.offset, 6);
    fixture_close(&f);
}

static void counts_come_with_proof(void **state)
{
    (void)state;
    uint8_t bytes[4 + 24] = { 2 };
    static const struct { uint32_t count; size_t item; bool fits; } cases[] = {
        { 2, 12, true }, { 2, 13, false }, { 24, 1, true }, { 25, 1, false }, { 0, 12, true }, { 3, 8, true }, { 4, 8, false },
        { UINT32_MAX, 1, false }, { UINT32_MAX, 12, false }, { 0x80000000u, 2, false }, { 0x40000000u, 4, false },
        { 0x15555556u, 12, false }, { 1, SIZE_MAX, false }, { 2, (SIZE_MAX >> 1) + 1, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture f;
        fixture_open(&f, UINT64_MAX);
        for (int k = 0; k < 4; k++) bytes[k] = (uint8_t)(cases[i].count >> 8 * k);
        sni_reader r = sni_reader_make(bytes, sizeof bytes, &f.diag, &f.arena);
        assert_int_equal(sni_read_count(&r, cases[i].item), cases[i].fits ? cases[i].count : 0);
        assert_int_equal(sni_ok(&r), cases[i].fits);
        fixture_close(&f);
        fixture_open(&f, UINT64_MAX);
        r = sni_reader_make(bytes, 24, &f.diag, &f.arena);
        assert_int_equal(sni_has_items(&r, cases[i].count, cases[i].item), cases[i].fits);
        assert_int_equal(sni_ok(&r), cases[i].fits);
        assert_int_equal(sni_offset(&r), 0);
        fixture_close(&f);
    }
    fixture f;
    fixture_open(&f, UINT64_MAX);
    sni_reader r = sni_reader_make(bytes, 25, &f.diag, &f.arena);
    assert_int_equal(sni_rest_count(&r, 12), 2);
    assert_int_equal(sni_rest_count(&r, 26), 0);
    assert_int_equal(sni_rest_count(&r, 1), 25);
    assert_false(sni_has_items(&r, (uint64_t)1 << 62, 4));     // the product wraps to 0
    fixture_close(&f);
    fixture_open(&f, UINT64_MAX);
    r = sni_reader_make(bytes, 25, &f.diag, &f.arena);
    assert_false(sni_has_items(&r, UINT64_MAX / 12 + 2, 12));  // wraps to 8
    fixture_close(&f);
}

static void names_end_at_nul_and_are_utf8(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, UINT64_MAX);
    static const char field[] = "turret\0\xff\xff\xff" "0123456789" "ab\xff\xc3\xa9\0\0";
    sni_reader r = sni_reader_make(field, sizeof field - 1, &f.diag, &f.arena);
    assert_string_equal(sni_read_name(&r, 10), "turret");      // what follows the NUL is padding
    assert_int_equal(sni_offset(&r), 10);
    assert_string_equal(sni_read_name(&r, 10), "0123456789");  // no NUL at all
    assert_string_equal(sni_read_name(&r, 7), "ab\xef\xbf\xbd\xc3\xa9");
    assert_string_equal(sni_read_name(&r, 0), "");
    assert_true(sni_ok(&r));
    fixture_close(&f);
}

static void empty_input_is_an_empty_window(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, UINT64_MAX);
    sni_reader r = sni_reader_make(NULL, 0, &f.diag, &f.arena);
    assert_int_equal(sni_rest(&r), 0);
    assert_int_equal(sni_rest_count(&r, 12), 0);
    assert_true(sni_ok(&r));
    assert_int_equal(sni_read_u8(&r), 0);
    assert_false(sni_ok(&r));
    fixture_close(&f);
}

// Writer

static void writer_writes_little_endian(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, UINT64_MAX);
    sni_writer w;
    sni_writer_init(&w, &f.heap);
    sni_write_u32(&w, 0);
    sni_write_u8(&w, 0x11);
    sni_write_align(&w, 4, 0x20);
    sni_write_align(&w, 4, 0x20);
    sni_write_u16(&w, 0x2233);
    sni_write_f32(&w, -2.0f);
    sni_write_text(&w, "ab");
    sni_write_fill(&w, 0xee, 3);
    sni_write_bytes(&w, "\0z", 2);
    sni_write_bytes(&w, NULL, 0);
    sni_patch_u32(&w, 0, 0x04030201);
    static const uint8_t wanted[] = { 1, 2, 3, 4, 0x11, 0x20, 0x20, 0x20, 0x33, 0x22, 0, 0, 0, 0xc0, 'a', 'b',
        0xee, 0xee, 0xee, 0, 'z' };
    assert_false(w.failed);
    assert_int_equal(w.size, sizeof wanted);
    assert_memory_equal(w.data, wanted, sizeof wanted);
    sni_writer_free(&w);
    fixture_close(&f);
}

static void writer_failure_sticks(void **state)
{
    (void)state;
    for (uint64_t k = 1; k < 12; k++) {
        fixture f;
        fixture_open(&f, UINT64_MAX);
        f.counts.fail_at = k;
        sni_writer w;
        sni_writer_init(&w, &f.heap);
        bool failed = false;
        for (uint32_t i = 0; i < 20000; i++) {
            sni_write_u32(&w, i);
            assert_true(!failed || w.failed);          // once failed, for ever
            failed = w.failed;
        }
        sni_write_fill(&w, 1, 100000);
        sni_write_text(&w, "end");
        sni_write_align(&w, 8, 0);
        if (w.size >= 4) sni_patch_u32(&w, 0, 1);
        assert_true(w.failed || f.counts.calls < k);
        sni_writer_free(&w);
        fixture_close(&f);
    }
    fixture f;
    fixture_open(&f, 1000);
    sni_writer w;
    sni_writer_init(&w, &f.heap);
    sni_write_fill(&w, 1, 100000);
    assert_true(w.failed);
    sni_write_fill(&w, 1, SIZE_MAX);
    sni_writer_free(&w);
    fixture_close(&f);
}

// Text

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
        uint8_t *s = malloc(size);                     // exactly so long: ASan watches the end
        assert_non_null(s);
        for (uint32_t i = 0; i < 256 * 256 * 64; i++) {
            const uint8_t bytes[4] = { (uint8_t)(i >> 14), (uint8_t)(i >> 6), thirds[i / 8 % 8], thirds[i % 8] };
            memcpy(s, bytes, size);
            if (sni_utf8_length(s, size) != reference_utf8_length(s, size)) fail_msg("%02x %02x %02x %02x", bytes[0], bytes[1], bytes[2], bytes[3]);
            if (size < 3) i |= 63;                     // the rest makes no difference
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
        uint32_t back = size == 1 ? s[0] : size == 2 ? (s[0] & 31u) << 6 | (s[1] & 63u)
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
    static const struct { const char *in; size_t size; const char *out; bool was_bad; } cases[] = {
        { "plain", 5, "plain", false }, { "", 0, "", false }, { "h\xc3\xa9", 3, "h\xc3\xa9", false },
        { "\xf0\x9f\x98\x80", 4, "\xf0\x9f\x98\x80", false }, { "a\0b", 3, "a\xef\xbf\xbd" "b", true },
        { "a\xff", 2, "a\xef\xbf\xbd", true }, { "\xef\xbf\xbd", 3, "\xef\xbf\xbd", false },
        { "\xff", 1, "\xef\xbf\xbd", true }, { "tab\there\n", 9, "tab\there\n", false },
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
        for (size_t k = 0; k < size; k++) text[k] = (char)(next_random(&random) % 3 ? next_random(&random) | 0x80 : next_random(&random));
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
    char controls[8] = "a\nb\x1b" "c\x7f";
    sni_text_clean_fixed(controls, sizeof controls);
    assert_string_equal(controls, "a?b?c?");
    char cut[4] = { 'a', 'b', 'c', 'd' };
    sni_text_clean_fixed(cut, sizeof cut);
    assert_string_equal(cut, "abc");
}

static void printable_text_cannot_harm_a_terminal(void **state)
{
    (void)state;
    static const char *const harmful[] = { "\x1b[2J", "\n", "\r", "\t", "\x07", "\x7f", "\xc2\x9b" "31m", "\xc2\x85",
        "\xe2\x80\xa8", "\xe2\x80\xa9", "\xe2\x80\xae" "gpj.exe", "\xe2\x80\xaa", "\xe2\x80\xad", "\xe2\x81\xa6", "\xe2\x81\xa9",
        "\xe2\x80\x8e", "\xe2\x80\x8f", "\xd8\x9c" };
    static const char *const bad[] = { "\x1b", "\n", "\r", "\t", "\x07", "\x7f", "\xc2\x9b", "\xc2\x85", "\xe2\x80\xa8",
        "\xe2\x80\xa9", "\xe2\x80\xaa", "\xe2\x80\xab", "\xe2\x80\xac", "\xe2\x80\xad", "\xe2\x80\xae", "\xe2\x81\xa6",
        "\xe2\x81\xa7", "\xe2\x81\xa8", "\xe2\x81\xa9", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xd8\x9c" };
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
        cmocka_unit_test(heap_counts_what_it_gives),
        cmocka_unit_test(heap_tells_why_it_answers_null),
        cmocka_unit_test(heap_asks_whether_to_go_on),
        cmocka_unit_test(heap_without_allocator_uses_the_system),
        cmocka_unit_test(arena_gives_zeroed_aligned_separate_memory),
        cmocka_unit_test(arena_of_nothing_is_a_valid_pointer),
        cmocka_unit_test(arena_refuses_products_that_wrap),
        cmocka_unit_test(arena_keeps_the_element_ceiling),
        cmocka_unit_test(arena_survives_every_failing_allocation),
        cmocka_unit_test(arena_copies_text),
        cmocka_unit_test(first_failure_wins),
        cmocka_unit_test(paths_say_where),
        cmocka_unit_test(paths_may_be_deep_long_and_dirty),
        cmocka_unit_test(messages_end_on_a_whole_character),
        cmocka_unit_test(alike_warnings_are_counted),
        cmocka_unit_test(many_warnings_cost_little),
        cmocka_unit_test(warnings_without_arena_are_dropped),
        cmocka_unit_test(codes_have_names),
        cmocka_unit_test(reader_reads_little_endian),
        cmocka_unit_test(reader_failure_sticks),
        cmocka_unit_test(reader_bounds_are_exact),
        cmocka_unit_test(windows_see_only_their_part),
        cmocka_unit_test(counts_come_with_proof),
        cmocka_unit_test(names_end_at_nul_and_are_utf8),
        cmocka_unit_test(empty_input_is_an_empty_window),
        cmocka_unit_test(writer_writes_little_endian),
        cmocka_unit_test(writer_failure_sticks),
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
