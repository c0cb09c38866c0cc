// The formats that the library tells of.
#include "sinew/sinew.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void every_format_says_who_it_is(void **state)
{
    (void)state;
    sn_format format, other;
    uint32_t count = 0;
    for (; sn_format_at(count, &format); count++) {
        assert_true(format.name[0] && format.title[0] && format.extensions[0]);
        assert_null(strpbrk(format.extensions, ",;\t"));
        assert_true(format.extensions[0] != '.' && !strstr(format.extensions, " ."));
        for (uint32_t k = 0; k < count && sn_format_at(k, &other); k++)
            assert_string_not_equal(format.name, other.name);
    }
    assert_true(count >= 1);
    assert_false(sn_format_at(UINT32_MAX, &format));
}

static void files_are_known_by_their_first_bytes(void **state)
{
    (void)state;
    static const char glb[] = "glTF\2\0\0\0", json[] = " {\"asset\":{}}", mdx[] = "MDLXVERS\4\0\0\0\x20\3\0\0";
    sn_format format;
    assert_true(sn_format_find(glb, sizeof glb - 1, NULL, &format));
    assert_string_equal(format.name, "gltf");
    assert_true(format.is_saved && format.has_exact_refs);
    assert_true(sn_format_find(json, sizeof json - 1, "misnamed.mdx", &format));
    assert_string_equal(format.name, "gltf");
    assert_true(sn_format_find(mdx, sizeof mdx - 1, "x.glb", &format));
    assert_string_equal(format.name, "mdx");
    assert_true(format.has_document && !format.has_exact_refs);
    assert_false(sn_format_find("x", 1, "x.glb", &format));
    assert_false(sn_format_find(NULL, 0, "x.glb", &format));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_says_who_it_is),
        cmocka_unit_test(files_are_known_by_their_first_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
