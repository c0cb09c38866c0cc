// Bytes in and out: the reader and the writer.
#include "base_fixture.h"

static const uint8_t some_bytes[] = { 0x01, 0x02, 0x03, 0x04, 0xff, 0xfe, 0xfd, 0xfc, 0x00, 0x00, 0x80,
                                      0x3f, 0x00, 0x00, 0x00, 0xc0, 0x00, 0x00, 0x40, 0x40, 0x88 };

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
    sni_seek(&r, 5);  // unaligned
    (void)sni_read_vec3(&r);
    assert_int_equal(sni_offset(&r), 17);
    sni_seek(&r, 8);
    assert_true(sni_read_f32(&r) == 1.0f);
    assert_true(sni_ok(&r));
    assert_true(sni_load_f32(some_bytes + 16) == 3.0f);
    assert_int_equal(sni_load_u16(some_bytes + 3), 0xff04);
    assert_true(sni_load_u32(some_bytes + 1) == 0xff040302);
    struct {
        uint32_t whole;
        float real;
    } words;
    sni_seek(&r, 4);
    sni_read_words(&r, &words, 2);
    assert_true(words.whole == 0xfcfdfeff && words.real == 1.0f);
    assert_int_equal(sni_offset(&r), 12);
    fixture_close(&f);
}

static void reader_failure_sticks(void **state)
{
    (void)state;
    for (int which = 0; which < 11; which++) {
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
        case 7: sni_read_words(&r, &(uint32_t){ 0 }, 1); break;
        case 8: assert_null(sni_take(&r, 1)); break;
        case 9: sni_skip(&r, 1); break;
        case 10: assert_int_equal(sni_read_count(&r, 1), 0); break;
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
    static const uint64_t too_far[] = { 22,        23,         UINT32_MAX,     (uint64_t)UINT32_MAX + 1,
                                        INT64_MAX, UINT64_MAX, UINT64_MAX - 20 };
    for (size_t i = 0; i < sizeof too_far / sizeof *too_far; i++)
        for (int which = 0; which < 5; which++) {
            fixture f;
            fixture_open(&f, UINT64_MAX);
            sni_reader r = sni_reader_make(some_bytes, sizeof some_bytes, &f.diag, &f.arena);
            if (which == 0) assert_null(sni_take(&r, too_far[i]));
            if (which == 1) sni_skip(&r, too_far[i]);
            if (which == 2) sni_seek(&r, too_far[i]);
            if (which == 3) {
                sni_reader child = sni_read_window(&r, too_far[i]);
                assert_int_equal(sni_rest(&child), 0);
            }
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
    assert_int_equal(sni_read_u32(&grandchild), 0);  // 3 bytes only, though the parent has more
    assert_false(sni_ok(&r));
    assert_int_equal(f.diag.error.offset, 6);
    fixture_close(&f);
}

static void counts_come_with_proof(void **state)
{
    (void)state;
    uint8_t bytes[4 + 24] = { 2 };
    static const struct {
        uint32_t count;
        size_t item;
        bool fits;
    } cases[] = {
        { 2, 12, true },           { 2, 13, false },
        { 24, 1, true },           { 25, 1, false },
        { 0, 12, true },           { 3, 8, true },
        { 4, 8, false },           { UINT32_MAX, 1, false },
        { UINT32_MAX, 12, false }, { 0x80000000u, 2, false },
        { 0x40000000u, 4, false }, { 0x15555556u, 12, false },
        { 1, SIZE_MAX, false },    { 2, (SIZE_MAX >> 1) + 1, false },
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
    assert_false(sni_has_items(&r, (uint64_t)1 << 62, 4));  // the product wraps to 0
    fixture_close(&f);
    fixture_open(&f, UINT64_MAX);
    r = sni_reader_make(bytes, 25, &f.diag, &f.arena);
    assert_false(sni_has_items(&r, UINT64_MAX / 12 + 2, 12));  // wraps to 8
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
    sni_write_words(&w, &(int32_t){ -2 }, 1);
    sni_patch_u32(&w, 0, 0x04030201);
    static const uint8_t wanted[] = { 1,    2,   3,   4,    0x11, 0x20, 0x20, 0x20, 0x33, 0x22, 0,    0,   0,
                                      0xc0, 'a', 'b', 0xee, 0xee, 0xee, 0,    'z',  0xfe, 0xff, 0xff, 0xff };
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
            assert_true(!failed || w.failed);  // once failed, for ever
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reader_reads_little_endian),  cmocka_unit_test(reader_failure_sticks),
        cmocka_unit_test(reader_bounds_are_exact),     cmocka_unit_test(windows_see_only_their_part),
        cmocka_unit_test(counts_come_with_proof),      cmocka_unit_test(empty_input_is_an_empty_window),
        cmocka_unit_test(writer_writes_little_endian), cmocka_unit_test(writer_failure_sticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
