// Memory: what the heap and the arena promise.
#include "base_fixture.h"

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
        assert_null(sni_heap_alloc(&heap, 1));  // no diag: nobody to tell, no crash
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
    static const struct {
        size_t size;
        uint64_t count;
    } bad[] = {
        { 16, UINT64_MAX / 16 + 1 }, { 16, UINT64_MAX },  { 1, UINT64_MAX },        { 2, UINT64_MAX / 2 + 1 },
        { 64, (uint64_t)1 << 58 },   { SIZE_MAX, 2 },     { SIZE_MAX, UINT64_MAX }, { SIZE_MAX, 1 },
        { SIZE_MAX - 8, 1 },         { SIZE_MAX / 2, 2 }, { 1, UINT64_MAX - 15 },
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
