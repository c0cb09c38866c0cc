// WebP as libwebp wrote it: pixels, sizes that its bytes cannot have, damage, memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "webp_encode.h"

static picture p;
static sn_error error;

static void lossless_is_exact(void **state)
{
    (void)state;
    if (!webp_can_encode()) skip();
    static const uint8_t rgba[3 * 2 * 4] = { 1,  2,  3,  255, 4,  5,  6,  128, 7,  8,  9,  1,
                                             10, 20, 30, 40,  50, 60, 70, 80,  90, 11, 12, 13 };
    picture_clear(&p);
    webp_encode(&p, rgba, 3, 2, true);
    picture_expect(&p, 3, 2,
                   (const uint32_t[]){ 0x010203FF, 0x04050680, 0x07080901, 0x0A141E28, 0x323C4650, 0x5A0B0C0D });
}

static void lossy_is_near(void **state)
{
    (void)state;
    if (!webp_can_encode()) skip();
    uint8_t rgba[16 * 16 * 4];
    static const uint8_t color[4] = { 200, 100, 50, 128 };
    sn_pixels pixels;
    for (int i = 0; i < 16 * 16; i++) memcpy(rgba + i * 4, color, 4);
    picture_clear(&p);
    webp_encode(&p, rgba, 16, 16, false);
    assert_int_equal(picture_decode(p.data, p.size, NULL, &pixels, &error), SN_OK);
    assert_true(pixels.width == 16 && pixels.height == 16);
    for (int i = 0; i < 16 * 16 * 4; i++) assert_in_range(pixels.rgba[i], color[i % 4] - 12, color[i % 4] + 12);
    sn_pixels_free(&pixels);
}

// A lossy frame with another size in its header: 16383 x 16383 pixels cannot be in these bytes.
static void sizes_need_bytes(void **state)
{
    (void)state;
    if (!webp_can_encode()) skip();
    uint8_t rgba[16 * 16 * 4];
    memset(rgba, 255, sizeof rgba);
    picture_clear(&p);
    webp_encode(&p, rgba, 16, 16, false);
    uint8_t *frame = p.data + 12;  // without alpha there is one chunk, "VP8 "
    assert_memory_equal(frame, "VP8 ", 4);
    assert_memory_equal(frame + 8 + 3, "\x9d\x01\x2a", 3);
    memcpy(frame + 8 + 6, "\xff\x1f\xff\x1f", 4);  // 8191 x 8191
    sn_pixels pixels;
    assert_int_equal(picture_decode(p.data, p.size, NULL, &pixels, &error), SN_ERR_TRUNCATED);
    assert_non_null(strstr(error.message, "8191 x 8191 pixels"));
    memcpy(frame + 8 + 6, "\xff\x3f\xff\x3f", 4);
    assert_int_equal(picture_decode(p.data, p.size, NULL, &pixels, &error), SN_ERR_LIMIT);
}

// A million pixels of one colour take a few bytes: the memory limit is asked before libwebp allocates.
static void lossless_is_bound_by_limits(void **state)
{
    (void)state;
    if (!webp_can_encode()) skip();
    uint8_t *rgba = calloc(1 << 20, 4);
    assert_non_null(rgba);
    picture_clear(&p);
    webp_encode(&p, rgba, 1024, 1024, true);
    free(rgba);
    assert_in_range(p.size, 1, 200);
    sn_pixels pixels;
    sn_decode_opts opts = { .limits.memory_bytes = 10 << 20 };
    assert_int_equal(picture_decode(p.data, p.size, &opts, &pixels, &error), SN_ERR_LIMIT);
    opts.limits.memory_bytes = 12 << 20;
    assert_int_equal(picture_decode(p.data, p.size, &opts, &pixels, &error), SN_OK);
    sn_pixels_free(&pixels);
    opts = (sn_decode_opts){ .size_only = true };
    assert_int_equal(sn_image_decode(&(sn_image){ .data = p.data, .size = p.size }, &opts, &pixels, &error), SN_OK);
    assert_true(pixels.width == 1024 && !pixels.rgba);
}

static void what_ends_early_is_an_error(void **state)
{
    (void)state;
    if (!webp_can_encode()) skip();
    uint8_t rgba[8 * 8 * 4];
    for (size_t i = 0; i < sizeof rgba; i++) rgba[i] = (uint8_t)(i * 37);
    picture_clear(&p);
    webp_encode(&p, rgba, 8, 8, true);
    for (size_t cut = 0; cut < p.size; cut++) {
        sn_pixels pixels;
        if (picture_decode(p.data, cut, NULL, &pixels, &error) == SN_OK) assert_true(cut + 1 == p.size);  // padding
        sn_pixels_free(&pixels);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lossless_is_exact),
        cmocka_unit_test(lossy_is_near),
        cmocka_unit_test(sizes_need_bytes),
        cmocka_unit_test(lossless_is_bound_by_limits),
        cmocka_unit_test(what_ends_early_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
