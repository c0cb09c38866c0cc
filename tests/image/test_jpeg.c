// JPEG as others know it: colours, damage, sizes and scans.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "jpeg_encode.h"

static picture p;

static void encode(int components, bool is_progressive, bool is_arithmetic)
{
    uint8_t samples[8 * 8 * 4];
    static const uint8_t color[4] = { 200, 100, 50, 128 };
    for (int i = 0; i < 64; i++) memcpy(samples + i * components, color, (size_t)components);
    picture_clear(&p);
    jpeg_encode(&p, samples, 8, 8,
                (jpeg_wish){ .components = components,
                             .is_progressive = is_progressive,
                             .is_arithmetic = is_arithmetic,
                             .quality = 100 });
}

static void expect_near(int r, int g, int b)
{
    sn_pixels pixels;
    sn_error error;
    const int wanted[4] = { r, g, b, 255 };
    if (picture_decode(p.data, p.size, NULL, &pixels, &error) != SN_OK) fail_msg("%s", error.message);
    assert_true(pixels.width == 8 && pixels.height == 8);
    for (int i = 0; i < 8 * 8 * 4; i++)
        if (abs(pixels.rgba[i] - wanted[i % 4]) > 2)
            fail_msg("byte %d is %d, not %d", i, pixels.rgba[i], wanted[i % 4]);
    sn_pixels_free(&pixels);
}

static void colours(void **state)
{
    (void)state;
    if (!jpeg_can_encode()) skip();
    for (int is_progressive = 0; is_progressive < 2; is_progressive++) {
        encode(1, is_progressive, false);
        expect_near(200, 200, 200);
        encode(3, is_progressive, false);
        expect_near(200, 100, 50);
        encode(4, is_progressive, false);  // Adobe's inks are what light they let through: 200 * 128 / 255
        expect_near(100, 50, 25);
    }
    encode(3, false, true);
    expect_near(200, 100, 50);
}

static int warnings;
static void count_warning(void *user, const sn_warning *warning)
{
    (void)user;
    warnings += strcmp(sn_warning_name(warning->code), "IMAGE_SHORT") == 0;
}

static void what_ends_early_is_shown(void **state)
{
    (void)state;
    if (!jpeg_can_encode()) skip();
    sn_pixels pixels;
    sn_error error;
    encode(3, false, false);
    for (size_t cut = 0; cut < p.size; cut++) {
        warnings = 0;
        sn_status status = picture_decode(p.data, cut, &(sn_decode_opts){ .report = count_warning }, &pixels, &error);
        if (cut > p.size - 2) assert_int_equal(status, SN_OK);
        if (status != SN_OK) continue;
        assert_int_equal(warnings, 1);
        sn_pixels_free(&pixels);
    }
    picture_decode(p.data, p.size - 2, NULL, &pixels, &error);
    assert_non_null(pixels.rgba);
    sn_pixels_free(&pixels);
}

static size_t find_marker(uint8_t marker)
{
    for (size_t i = 0; i + 1 < p.size; i++)
        if (p.data[i] == 0xFF && p.data[i + 1] == marker) return i;
    fail_msg("no marker %02X", marker);
    return 0;
}

static void sizes_need_bytes(void **state)
{
    (void)state;
    if (!jpeg_can_encode()) skip();
    encode(3, false, false);
    size_t frame = find_marker(0xC0);
    memcpy(p.data + frame + 5, "\x20\0\x20\0", 4);  // 8192 x 8192
    picture_refuse(&p, SN_ERR_TRUNCATED);
    memcpy(p.data + frame + 5, "\xFF\xDC\xFF\xDC", 4);
    picture_refuse(&p, SN_ERR_LIMIT);
    memcpy(p.data + frame + 5, "\0\x08\0\0", 4);
    picture_refuse(&p, SN_ERR_CORRUPT);
}

// A progressive picture of 512 x 512 is kept as coefficients, 3 x 2 bytes for each pixel, beside its 4 bytes of colour:
// they count against the limit too.
static void memory_of_the_library_is_limited(void **state)
{
    (void)state;
    if (!jpeg_can_encode()) skip();
    enum { SIDE = 512, PIXELS = SIDE * SIDE };
    static uint8_t samples[PIXELS * 3];
    for (int is_progressive = 0; is_progressive < 2; is_progressive++) {
        picture_clear(&p);
        jpeg_encode(&p, samples, SIDE, SIDE,
                    (jpeg_wish){ .components = 3, .is_progressive = is_progressive, .quality = 50 });
        for (uint64_t spare = 1 << 16; spare <= 2 * PIXELS * 6; spare *= 48) {
            sn_decode_opts opts = { .limits.memory_bytes = PIXELS * 4 + spare };
            sn_pixels pixels;
            sn_error error;
            sn_status status = picture_decode(p.data, p.size, &opts, &pixels, &error);
            assert_int_equal(status, is_progressive && spare < PIXELS * 6 ? SN_ERR_LIMIT : SN_OK);
            if (status == SN_OK) sn_pixels_free(&pixels);
            else assert_string_equal(error.message, "JPEG: it needs more memory than the limit");
        }
    }
}

// The last scan of a progressive file again and again: each would cost a pass over the picture.
static void scans_are_counted(void **state)
{
    (void)state;
    if (!jpeg_can_encode()) skip();
    encode(1, true, false);
    size_t last = 0, size = p.size - 2;
    for (size_t i = 0; i + 1 < size; i++)
        if (p.data[i] == 0xFF && p.data[i + 1] == 0xDA) last = i;
    static picture scan;
    picture_clear(&scan);
    picture_bytes(&scan, p.data + last, size - last);
    p.size = size;
    for (int i = 0; i < 200; i++) picture_bytes(&p, scan.data, scan.size);
    picture_bytes(&p, "\xFF\xD9", 2);
    picture_refuse(&p, SN_ERR_LIMIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_the_library_is_limited),
        cmocka_unit_test(colours),
        cmocka_unit_test(what_ends_early_is_shown),
        cmocka_unit_test(sizes_need_bytes),
        cmocka_unit_test(scans_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
