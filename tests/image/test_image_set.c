// The images of a model together: the same bytes once, and a limit of pixels.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "arena_fixture.h"
#include "image/image.h"

enum { MEBI = 1 << 20 };

static sn_image image_at(const uint8_t *data, uint64_t size)
{
    return (sn_image){ .name = "", .uri = "", .mime_type = "", .data = data, .size = size };
}

static void equal_bytes_have_one_first_image(void **state)
{
    arena_fixture *a = *state;
    static const uint8_t bytes[100];
    const sn_image images[] = { image_at(bytes + 50, 10), image_at(bytes, 10), image_at(bytes + 50, 10),
                                image_at(NULL, 0),        image_at(bytes, 11), image_at(NULL, 0) };
    sni_image_set set;
    assert_true(sni_image_set_make(&a->arena, images, 6, 0, &set));
    const uint32_t first[] = { 0, 1, 0, 3, 4, 5 };
    assert_memory_equal(set.first, first, sizeof first);
    // Bytes 0 to 11 and 50 to 60.
    assert_true(set.pixels_left == 128ull * MEBI + 64 * (11 + 10));
}

static void overlapping_bytes_count_once(void **state)
{
    arena_fixture *a = *state;
    static const uint8_t bytes[1000];
    sn_image images[630];
    for (uint32_t i = 0; i < 630; i++) images[i] = image_at(bytes + i % 7, 900 + i % 90);
    sni_image_set set;
    assert_true(sni_image_set_make(&a->arena, images, 630, 0, &set));
    assert_true(set.pixels_left == 128ull * MEBI + 64 * 995);  // up to byte 6 + 989
}

// A TGA of 4 x 4 pixels.
static void decoding_uses_up_the_limit(void **state)
{
    arena_fixture *a = *state;
    uint8_t tga[18 + 64] = { [2] = 2, [12] = 4, [14] = 4, [16] = 32 };
    sn_image image = image_at(tga, sizeof tga);
    sni_image_set set;
    assert_true(sni_image_set_make(&a->arena, &image, 1, 33, &set));
    const sn_decode_opts opts = { .size_only = false }, size = { .size_only = true };
    sn_pixels pixels;
    sn_error error;
    for (int i = 0; i < 4; i++) {
        sn_status status = sni_image_set_decode(&set, &image, &opts, &pixels, &error);
        assert_int_equal(status, i < 2 ? SN_OK : SN_ERR_LIMIT);
        assert_int_equal(error.status, status);
        assert_int_equal(pixels.width, i < 2 ? 4 : 0);
        assert_true((pixels.rgba != NULL) == (i < 2));
        sn_pixels_free(&pixels);
    }
    assert_string_equal(error.message, "4 x 4 pixels, 1 are left for all images of the model");
    assert_int_equal(sni_image_set_decode(&set, &image, &size, &pixels, &error), SN_OK);  // costs nothing
    assert_int_equal(set.pixels_left, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(equal_bytes_have_one_first_image, arena_fixture_open, arena_fixture_close),
        cmocka_unit_test_setup_teardown(overlapping_bytes_count_once, arena_fixture_open, arena_fixture_close),
        cmocka_unit_test_setup_teardown(decoding_uses_up_the_limit, arena_fixture_open, arena_fixture_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
