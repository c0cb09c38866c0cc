// JPEG, judged by libjpeg: the same pixels; and colours, damage, sizes and scans.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
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
}

static void arithmetic_coding_is_refused(void **state)
{
    (void)state;
    if (!jpeg_can_encode()) skip();
    sn_pixels pixels;
    sn_error error;
    encode(3, false, true);
    assert_int_equal(picture_decode(p.data, p.size, NULL, &pixels, &error), SN_ERR_UNSUPPORTED);
    assert_string_equal(error.message, "JPEG: arithmetic coding is not supported");
}

// The same pixels as libjpeg's

enum { MOST_SIDE = 70 };

// Smooth, with noise and edges: every frequency occurs.
static void fill_samples(uint8_t *samples, uint32_t width, uint32_t height, int components, uint32_t seed)
{
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            for (int c = 0; c < components; c++) {
                seed = seed * 1664525 + 1013904223;
                uint32_t value = x * (uint32_t)(3 + c) + y * (uint32_t)(5 - c) + (seed >> 27);
                *samples++ = (uint8_t)((x / 9 + y / 7) % 3 == 0 ? seed >> 24 : value);
            }
}

static uint8_t ink_of(uint32_t light, uint32_t black) { return (uint8_t)((light * black + 127) / 255); }

// What sinew makes of libjpeg's samples of grey, RGB, Adobe's CMYK or the components of a BLP.
static void expected_pixel(const uint8_t *at, int components, bool is_blp, uint8_t *rgba)
{
    rgba[3] = 255;
    if (components == 1) rgba[0] = rgba[1] = rgba[2] = at[0];
    else if (is_blp) rgba[0] = at[2], rgba[1] = at[1], rgba[2] = at[0], rgba[3] = components == 4 ? at[3] : 255;
    else if (components == 3) memcpy(rgba, at, 3);
    else
        for (int c = 0; c < 3; c++) rgba[c] = ink_of(at[c], at[3]);
}

static void expect_judged(const char *name, const picture *jpeg, uint32_t width, uint32_t height, int components,
                          bool is_blp)
{
    static picture blp;
    static uint8_t samples[MOST_SIDE * MOST_SIDE * 4];
    sn_pixels pixels;
    sn_error error;
    if (!jpeg_judge(jpeg->data, jpeg->size, is_blp, samples)) fail_msg("%s: libjpeg refuses it", name);
    if (is_blp) {
        blp_wish wish = { .version = 1, .alpha_bits = 8, .width = width, .height = height };
        wish.head = jpeg->data, wish.head_size = 2;
        picture_clear(&blp);
        picture_blp(&blp, wish);
        picture_blp_level(&blp, 0, jpeg->data + 2, jpeg->size - 2);
        jpeg = &blp;
    }
    if (picture_decode(jpeg->data, jpeg->size, NULL, &pixels, &error) != SN_OK) fail_msg("%s: %s", name, error.message);
    assert_true(pixels.width == width && pixels.height == height);
    for (uint32_t i = 0; i < width * height; i++) {
        uint8_t wanted[4];
        expected_pixel(samples + (size_t)i * (size_t)components, components, is_blp, wanted);
        if (memcmp(wanted, pixels.rgba + (size_t)i * 4, 4) != 0)
            fail_msg("%s: pixel %u, %u is %u %u %u %u, not %u %u %u %u", name, i % width, i / width, pixels.rgba[i * 4],
                     pixels.rgba[i * 4 + 1], pixels.rgba[i * 4 + 2], pixels.rgba[i * 4 + 3], wanted[0], wanted[1],
                     wanted[2], wanted[3]);
    }
    sn_pixels_free(&pixels);
}

static const struct {
    int components, sampling[4];
} layouts[] = {
    { 1, { 0x11 } },
    { 1, { 0x22 } },
    { 3, { 0x11, 0x11, 0x11 } },
    { 3, { 0x21, 0x11, 0x11 } },
    { 3, { 0x12, 0x11, 0x11 } },
    { 3, { 0x22, 0x11, 0x11 } },
    { 3, { 0x41, 0x11, 0x11 } },
    { 3, { 0x14, 0x11, 0x11 } },
    { 3, { 0x42, 0x11, 0x11 } },
    { 3, { 0x24, 0x11, 0x11 } },
    { 3, { 0x22, 0x12, 0x21 } },
    { 3, { 0x11, 0x22, 0x21 } },
    { 4, { 0x11, 0x11, 0x11, 0x11 } },
    { 4, { 0x22, 0x11, 0x11, 0x22 } },
};
static const uint32_t sizes[][2] = { { 1, 1 }, { 2, 3 },   { 3, 2 },   { 5, 4 },
                                     { 8, 8 }, { 17, 16 }, { 33, 31 }, { 64, 70 } };

// Then only the names of the components say that they are red, green and blue.
static void hide_adobe(void)
{
    for (size_t i = 0; i + 5 < p.size; i++)
        if (memcmp(p.data + i, "Adobe", 5) == 0) p.data[i] = 'X';
}

// Every layout and size in every mode, with either kind of colours: one scan, restarts, a scan for each component,
// progressive.
static void pixels_are_those_of_libjpeg(void **state)
{
    (void)state;
    if (!jpeg_can_encode()) skip();
    static uint8_t samples[MOST_SIDE * MOST_SIDE * 4];
    for (size_t l = 0; l < sizeof layouts / sizeof *layouts; l++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            for (unsigned mode = 0; mode < 32; mode++) {
                uint32_t width = sizes[s][0], height = sizes[s][1];
                jpeg_wish wish = { .components = layouts[l].components,
                                   .is_raw = (mode & 17) == 1,
                                   .is_other = mode & 16,
                                   .is_progressive = mode & 2,
                                   .is_separate = (mode & 6) == 4,
                                   .restart_interval = mode & 8 ? 1 + (unsigned)s % 3 : 0,
                                   .quality = (const int[]){ 10, 60, 98 }[(l + s + mode) % 3] };
                memcpy(wish.sampling, layouts[l].sampling, sizeof wish.sampling);
                fill_samples(samples, width, height, wish.components, (uint32_t)(l * 100 + s));
                picture_clear(&p);
                jpeg_encode(&p, samples, width, height, wish);
                if (mode >= 24 && wish.components == 3) hide_adobe();
                char name[80];
                snprintf(name, sizeof name, "layout %zu, %u x %u, mode %u", l, width, height, mode);
                expect_judged(name, &p, width, height, wish.components, wish.is_raw);
            }
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

// A damaged interval ends at its restart marker: the rows after it are whole.
static void restarts_end_damage(void **state)
{
    (void)state;
    if (!jpeg_can_encode()) skip();
    enum { SIDE = 64, ROW = SIDE * 4 * 8 };
    static uint8_t samples[SIDE * SIDE * 3];
    sn_pixels whole, pixels;
    sn_error error;
    fill_samples(samples, SIDE, SIDE, 3, 9);
    for (int is_progressive = 0; is_progressive < 2; is_progressive++) {
        jpeg_wish wish = { .components = 3, .is_progressive = is_progressive, .quality = 80 };
        wish.restart_interval = SIDE / 8;
        picture_clear(&p);
        jpeg_encode(&p, samples, SIDE, SIDE, wish);
        assert_int_equal(picture_decode(p.data, p.size, NULL, &whole, &error), SN_OK);
        size_t second = find_marker(0xD0) + 2, third = find_marker(0xD1);  // rows of blocks
        memset(p.data + second, 0xFE, third - second);
        warnings = 0;
        sn_decode_opts opts = { .report = count_warning };
        assert_int_equal(picture_decode(p.data, p.size, &opts, &pixels, &error), SN_OK);
        assert_int_equal(warnings, 1);
        assert_memory_equal(pixels.rgba, whole.rgba, ROW);
        assert_memory_not_equal(pixels.rgba + ROW, whole.rgba + ROW, ROW);
        assert_memory_equal(pixels.rgba + 2 * ROW, whole.rgba + 2 * ROW, 6 * ROW);
        sn_pixels_free(&whole);
        sn_pixels_free(&pixels);
    }
}

// Extended sequential coding is the same for 8 bits. What else a frame can be is refused, with its name.
static void kinds_of_frames(void **state)
{
    (void)state;
    if (!jpeg_can_encode()) skip();
    static const struct {
        uint8_t marker;
        const char *message;
    } refused[] = {
        { 0xC3, "lossless" },   { 0xC5, "hierarchical" }, { 0xC6, "hierarchical" }, { 0xC7, "lossless" },
        { 0xC9, "arithmetic" }, { 0xCA, "arithmetic" },   { 0xCB, "lossless" },     { 0xCD, "arithmetic" }
    };
    sn_pixels pixels;
    sn_error error;
    encode(3, false, false);
    size_t frame = find_marker(0xC0);
    p.data[frame + 1] = 0xC1;
    expect_near(200, 100, 50);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        p.data[frame + 1] = refused[i].marker;
        assert_int_equal(picture_decode(p.data, p.size, NULL, &pixels, &error), SN_ERR_UNSUPPORTED);
        assert_non_null(strstr(error.message, refused[i].message));
    }
    p.data[frame + 1] = 0xC0, p.data[frame + 4] = 12;
    picture_refuse(&p, SN_ERR_UNSUPPORTED);
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
static void memory_of_coefficients_is_limited(void **state)
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
            else assert_non_null(strstr(error.message, "more memory than the limit"));
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
        cmocka_unit_test(memory_of_coefficients_is_limited),
        cmocka_unit_test(colours),
        cmocka_unit_test(pixels_are_those_of_libjpeg),
        cmocka_unit_test(arithmetic_coding_is_refused),
        cmocka_unit_test(what_ends_early_is_shown),
        cmocka_unit_test(restarts_end_damage),
        cmocka_unit_test(kinds_of_frames),
        cmocka_unit_test(sizes_need_bytes),
        cmocka_unit_test(scans_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
