// Maps: expected contents follow from what was added.
#include "base/map.h"

#include "base_fixture.h"

static uint32_t count_of(const sni_map *map, uint32_t hash, uint32_t *last)
{
    uint32_t count = 0;
    for (sni_map_cursor at = sni_map_find(map, hash); sni_map_next(map, &at); count++) *last = at.item;
    return count;
}

static void finds_nothing_in_an_empty_map(void **state)
{
    (void)state;
    sni_map map = { 0 };
    uint32_t last = 0;
    assert_int_equal(count_of(&map, 7, &last), 0);
}

static void finds_every_item_after_growing(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, UINT64_MAX);
    sni_map map = { 0 };
    for (uint32_t i = 0; i < 10000; i++) assert_true(sni_map_add(&map, &f.arena, sni_hash(&i, sizeof i), i));
    assert_int_equal(map.count, 10000);
    for (uint32_t i = 0; i < 10000; i++) {
        bool is_found = false;
        for (sni_map_cursor at = sni_map_find(&map, sni_hash(&i, sizeof i)); sni_map_next(&map, &at);)
            is_found = is_found || at.item == i;
        assert_true(is_found);
    }
    fixture_close(&f);
}

// Hashes whose low bits are all set share slots at the end of the table and wrap around to its start.
static void equal_hashes_keep_the_order_of_adding(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, UINT64_MAX);
    sni_map map = { 0 };
    for (uint32_t i = 0; i < 1000; i++) assert_true(sni_map_add(&map, &f.arena, UINT32_MAX - i % 3, i));
    for (uint32_t rest = 0; rest < 3; rest++) {
        uint32_t expected = rest;
        for (sni_map_cursor at = sni_map_find(&map, UINT32_MAX - rest); sni_map_next(&map, &at); expected += 3)
            assert_int_equal(at.item, expected);
        assert_in_range(expected, 1000, 1002);
    }
    fixture_close(&f);
}

static void hashes_depend_on_every_byte(void **state)
{
    (void)state;
    char text[24] = "abcdefghijklmnopqrstuvw";
    uint32_t before = sni_hash(text, 23);
    assert_int_equal(before, sni_hash("abcdefghijklmnopqrstuvw", 23));
    for (int i = 0; i < 23; i++) {
        text[i] ^= 1;
        assert_int_not_equal(sni_hash(text, 23), before);
        text[i] ^= 1;
    }
    assert_int_not_equal(sni_hash("a\0", 1), sni_hash("a\0", 2));
    assert_int_not_equal(sni_hash_more(sni_hash("a", 1), "b", 1), sni_hash_more(sni_hash("b", 1), "a", 1));
}

// Multiplying and shifting a word into a hash (sni_hash_mix) keeps this difference of two words, whatever comes before
// them: 4,096 keys with the same hash for every start. These have different ones.
static void keys_made_to_collide_do_not(void **state)
{
    (void)state;
    enum { PAIRS = 12 };
    uint64_t first = 0, key[2 * PAIRS], equal = 0, mixed = 0;
    for (uint32_t choice = 0; choice < 1u << PAIRS; choice++) {
        uint64_t mix = 12345;
        for (int i = 0; i < PAIRS; i++) {
            const uint64_t other = choice >> i & 1;
            key[2 * i] = 77 ^ other << 63, key[2 * i + 1] = 99 ^ other << 63 ^ other << 34;
        }
        for (int i = 0; i < 2 * PAIRS; i++) mix = sni_hash_mix(mix, key[i]);
        if (choice == 0) first = sni_hash(key, sizeof key), mixed = mix;
        assert_true(mix == mixed);
        equal += sni_hash(key, sizeof key) == first;
    }
    assert_in_range(equal, 1, 3);
}

static void hashes_of_text_ignore_case_at_every_length(void **state)
{
    (void)state;
    char lower[40] = "a_long_name_of_a_node_with_a_suffix_01", upper[40];
    for (size_t size = 0; size <= strlen(lower); size++) {
        for (size_t i = 0; i < size; i++)
            upper[i] = (char)(lower[i] >= 'a' && lower[i] <= 'z' ? lower[i] - 32 : lower[i]);
        assert_int_equal(sni_hash_nocase(sni_str_make(upper, size)), sni_hash_nocase(sni_str_make(lower, size)));
        assert_int_equal(sni_hash_nocase(sni_str_make(upper, size)), sni_hash(lower, size));
        if (size > 0)
            assert_int_not_equal(sni_hash_nocase(sni_str_make(lower, size)),
                                 sni_hash_nocase(sni_str_make(lower, size - 1)));
    }
}

static void names_ignore_case_and_the_first_wins(void **state)
{
    (void)state;
    fixture f;
    fixture_open(&f, UINT64_MAX);
    sni_nocase_names names = { 0 };
    assert_true(sni_nocase_names_add(&f.arena, &names, sni_str_make("Turret", 6), 4));
    assert_true(sni_nocase_names_add(&f.arena, &names, sni_str_make("TURRET", 6), 5));
    assert_true(sni_nocase_names_add(&f.arena, &names, sni_str_make(NULL, 0), 6));
    assert_int_equal(sni_nocase_names_find(&names, sni_str_make("turreT", 6)), 4);
    assert_int_equal(sni_nocase_names_find(&names, sni_str_make("turre", 5)), -1);
    assert_int_equal(sni_nocase_names_find(&names, sni_str_make("", 0)), 6);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_nothing_in_an_empty_map),
        cmocka_unit_test(finds_every_item_after_growing),
        cmocka_unit_test(equal_hashes_keep_the_order_of_adding),
        cmocka_unit_test(hashes_depend_on_every_byte),
        cmocka_unit_test(keys_made_to_collide_do_not),
        cmocka_unit_test(hashes_of_text_ignore_case_at_every_length),
        cmocka_unit_test(names_ignore_case_and_the_first_wins),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
