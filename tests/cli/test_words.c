// Text for people: widths, and names cut to fit.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../cli/words.c"

static void paths_are_cut_in_the_middle(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t columns;
        const char *shown;
    } cases[] = {
        { "a/b.blp", 10, "a/b.blp" },
        { "1234567890", 10, "1234567890" },
        { "12345678901", 10, "123…678901" },
        { "units/human/footman/footman.blp", 16, "units…ootman.blp" },
        { "日本語日本語日本語.blp", 10, "日…語.blp" },  // two columns each
        { "a\x1b"
          "b",
          10, "a\\x1bb" },
        { "", 10, "" },
    };
    sni_heap heap;
    sni_arena arena;
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_arena_init(&arena, &heap);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *shown = cli_shorten_path(&arena, cases[i].text, cases[i].columns);
        assert_string_equal(shown, cases[i].shown);
        assert_true(cli_width(shown) <= cases[i].columns);
    }
    size_t size = 1 << 20;
    char *huge = sni_new(&arena, char, size + 1);
    for (size_t i = 0; i < size; i++) huge[i] = (char)('a' + i % 26);
    assert_int_equal(cli_width(cli_shorten_path(&arena, huge, 40)), 40);
    assert_int_equal(cli_width(cli_shorten(&arena, huge, 40)), 40);
    sni_arena_free(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_cut_in_the_middle),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
