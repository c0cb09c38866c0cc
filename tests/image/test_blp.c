// BLP 1 and 2: palettes, blocks and plain pixels by hand; JPEG inside BLP1 as the game stores it.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "jpeg_encode.h"

static picture p;

// Blue, green, red and a fourth byte that means nothing.
static const char palette[] = "\x01\x02\x03\x77"
                              "\x11\x12\x13\x77"
                              "\x21\x22\x23\x77";
static const uint32_t colors[3] = { 0x03020100, 0x13121100, 0x23222100 };

static void open_palette(unsigned version, unsigned alpha_bits, uint32_t width, uint32_t height)
{
    picture_blp(&p, (blp_wish){ .version = version,
                                .content = 1,
                                .alpha_bits = alpha_bits,
                                .kind = 8,
                                .width = width,
                                .height = height,
                                .head = palette,
                                .head_size = sizeof palette - 1 });
}

static void palettes_with_alpha(void **state)
{
    (void)state;
    static const struct {
        unsigned bits;
        const char *alphas;
        size_t size;
        uint8_t wanted[3];
    } kinds[] = {
        { 0, "", 0, { 255, 255, 255 } },           { 1, "\x05", 1, { 255, 0, 255 } },
        { 4, "\x8F\x01", 2, { 255, 0x88, 0x11 } }, { 8, "\x01\x80\xFE", 3, { 1, 128, 254 } },
        { 5, "", 0, { 255, 255, 255 } },  // junk bits: none
    };
    for (unsigned version = 1; version <= 2; version++)
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            uint32_t wanted[3];
            char level[8] = "\2\0\1";
            memcpy(level + 3, kinds[k].alphas, kinds[k].size);
            for (int i = 0; i < 3; i++) wanted[i] = colors[(unsigned char)level[i]] | kinds[k].wanted[i];
            open_palette(version, kinds[k].bits, 3, 1);
            picture_blp_level(&p, 0, level, 3 + kinds[k].size);
            picture_expect(&p, 3, 1, wanted);
        }
}

static int short_warnings;
static void count_short(void *user, const sn_warning *warning)
{
    (void)user;
    short_warnings += strcmp(sn_warning_name(warning->code), "IMAGE_SHORT") == 0;
}

static void alpha_that_is_missing(void **state)
{
    (void)state;
    open_palette(1, 8, 3, 1);
    picture_blp_level(&p, 0, "\0\1\2\x10\x20", 5);  // one alpha short
    short_warnings = 0;
    picture_expect_with(&p, &(sn_decode_opts){ .report = count_short }, 3, 1,
                        (const uint32_t[]){ colors[0] | 255, colors[1] | 255, colors[2] | 255 });
    assert_int_equal(short_warnings, 1);
}

// The tables alone say where levels are: in any order, with gaps, and a chain may end early.
static void levels(void **state)
{
    (void)state;
    sn_pixels pixels;
    sn_error error;
    open_palette(1, 0, 4, 2);
    picture_fill(&p, 0xEE, 7);
    picture_blp_level(&p, 1, "\2\1", 2);
    picture_blp_level(&p, 0, "\0\0\0\0\1\1\1\1", 8);
    picture_expect_with(&p, &(sn_decode_opts){ .mip = 1 }, 2, 1,
                        (const uint32_t[]){ colors[2] | 255, colors[1] | 255 });
    picture_expect_with(&p, NULL, 4, 2,
                        (const uint32_t[]){ colors[0] | 255, colors[0] | 255, colors[0] | 255, colors[0] | 255,
                                            colors[1] | 255, colors[1] | 255, colors[1] | 255, colors[1] | 255 });
    assert_int_equal(picture_decode(p.data, p.size, &(sn_decode_opts){ .mip = 2 }, &pixels, &error),
                     SN_ERR_UNSUPPORTED);
    assert_int_equal(picture_decode(p.data, p.size, &(sn_decode_opts){ .mip = UINT32_MAX }, &pixels, &error),
                     SN_ERR_UNSUPPORTED);
}

static void blocks(void **state)
{
    (void)state;
    // three colours: green, red, their middle, and black; the rows 0 1 2 3
    static const char color[] = "\xE0\x07\x00\xF8\xE4\xE4\xE4\xE4", eight[] = "\xFF\x00\0\0\0\0\0\0",
                      four[] = "\x88\x88\x88\x88\x88\x88\x88\x88";
    static const struct {
        unsigned kind, alpha_bits;
        const char *alphas;
        uint32_t row[4];
    } kinds[] = {
        { 0, 0, NULL, { 0x00FF00FF, 0xFF0000FF, 0x808000FF, 0x000000FF } },
        { 0, 1, NULL, { 0x00FF00FF, 0xFF0000FF, 0x808000FF, 0x00000000 } },
        { 1, 8, four, { 0x00FF0088, 0xFF000088, 0x55AA0088, 0xAA550088 } },
        { 7, 8, eight, { 0x00FF00FF, 0xFF0000FF, 0x55AA00FF, 0xAA5500FF } },
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        uint8_t level[16];
        uint32_t wanted[16];
        size_t size = 0;
        if (kinds[k].alphas) memcpy(level, kinds[k].alphas, 8), size = 8;
        memcpy(level + size, color, 8);
        for (int i = 0; i < 16; i++) wanted[i] = kinds[k].row[i % 4];
        picture_blp(&p, (blp_wish){ .version = 2,
                                    .content = 2,
                                    .alpha_bits = kinds[k].alpha_bits,
                                    .kind = kinds[k].kind,
                                    .width = 4,
                                    .height = 4 });
        picture_blp_level(&p, 0, level, size + 8);
        picture_expect(&p, 4, 4, wanted);
    }
    // a level of 2 x 2 is stored with 2 bytes: half a colour, the rest 0
    picture_blp(&p, (blp_wish){ .version = 2, .content = 2, .kind = 0, .width = 2, .height = 2 });
    picture_blp_level(&p, 0, "\xE0\x07", 2);
    picture_expect(&p, 2, 2, (const uint32_t[]){ 0x00FF00FF, 0x00FF00FF, 0x00FF00FF, 0x00FF00FF });
    picture_blp(&p, (blp_wish){ .version = 2, .content = 2, .kind = 0, .width = 4, .height = 4 });
    picture_blp_level(&p, 0, "\xE0\x07\0\0\0\0\0", 7);
    picture_refuse(&p, SN_ERR_TRUNCATED);
}

static void plain_pixels(void **state)
{
    (void)state;
    for (unsigned encoding = 3; encoding <= 4; encoding++)
        for (unsigned alpha = 0; alpha <= 8; alpha += 8) {
            picture_blp(&p, (blp_wish){ .version = 2,
                                        .content = encoding,
                                        .alpha_bits = alpha,
                                        .kind = 2,
                                        .width = 1,
                                        .height = 1 });
            picture_blp_level(&p, 0, "\1\2\3\4", 4);
            picture_expect(&p, 1, 1, (const uint32_t[]){ alpha ? 0x03020104 : 0x030201FF });
        }
}

static void what_is_refused(void **state)
{
    (void)state;
    open_palette(1, 0, 2, 2);
    picture_blp_level(&p, 0, "\0\0\0\0", 4);
    p.data[3] = '0';  // the pixels lie in files of their own
    picture_refuse(&p, SN_ERR_UNSUPPORTED);
    p.data[3] = '1', p.size--;  // a byte short of its table
    picture_refuse(&p, SN_ERR_TRUNCATED);
    open_palette(1, 0, 2, 2);
    picture_blp_level(&p, 0, "\0\0\0", 3);  // three pixels of four
    picture_refuse(&p, SN_ERR_TRUNCATED);
    open_palette(1, 0, 0, 2);
    picture_blp_level(&p, 0, "\0", 1);
    picture_refuse(&p, SN_ERR_CORRUPT);
    open_palette(1, 0, 0xFFFFFFFF, 0xFFFFFFFF);
    picture_blp_level(&p, 0, "\0", 1);
    picture_refuse(&p, SN_ERR_LIMIT);
    picture_blp(&p, (blp_wish){ .version = 2, .content = 5, .width = 1, .height = 1 });
    picture_blp_level(&p, 0, "\0\0\0\0", 4);
    picture_refuse(&p, SN_ERR_UNSUPPORTED);
    picture_clear(&p);
    picture_bytes(&p, "BLP1", 4);
    picture_refuse(&p, SN_ERR_TRUNCATED);
    picture_clear(&p);
    picture_bytes(&p, "BLP2", 4);
    picture_refuse(&p, SN_ERR_TRUNCATED);
}

// JPEG. Blocks of one colour keep it to within what quality 100 rounds.

static void split_jpeg(unsigned alpha_bits, size_t head_size, int components, bool is_progressive)
{
    static picture jpeg;
    uint8_t samples[16 * 8 * 4];
    for (uint32_t i = 0; i < 16 * 8; i++) {
        const uint8_t left[4] = { 200, 100, 50, 128 }, right[4] = { 10, 20, 30, 40 };
        memcpy(samples + i * (uint32_t)components, i % 16 < 8 ? left : right, (size_t)components);
    }
    picture_clear(&jpeg);
    jpeg_encode(&jpeg, samples, 16, 8,
                (jpeg_wish){
                    .components = components, .is_raw = true, .is_progressive = is_progressive, .quality = 100 });
    if (head_size > jpeg.size - 2) head_size = jpeg.size - 2;
    picture_blp(&p, (blp_wish){ .version = 1,
                                .content = 0,
                                .alpha_bits = alpha_bits,
                                .width = 16,
                                .height = 8,
                                .head = jpeg.data,
                                .head_size = head_size });
    picture_blp_level(&p, 0, jpeg.data + head_size, jpeg.size - head_size);
}

static void expect_near(const sn_decode_opts *opts, uint32_t left, uint32_t right)
{
    sn_pixels pixels;
    sn_error error;
    if (picture_decode(p.data, p.size, opts, &pixels, &error) != SN_OK) fail_msg("%s", error.message);
    assert_true(pixels.width == 16 && pixels.height == 8);
    for (uint32_t i = 0; i < 16 * 8 * 4; i++) {
        int wanted = (int)((i / 4 % 16 < 8 ? left : right) >> (24 - i % 4 * 8) & 255), got = pixels.rgba[i];
        if (abs(wanted - got) > 1) fail_msg("byte %u is %d, not %d", i, got, wanted);
    }
    sn_pixels_free(&pixels);
}

static void jpeg_in_any_split(void **state)
{
    (void)state;
    if (!jpeg_can_encode()) skip();
    static const size_t heads[] = { 0, 2, 4, 20, 160, 624 };
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++)
        for (int is_progressive = 0; is_progressive < 2; is_progressive++) {
            split_jpeg(8, heads[i], 4, is_progressive);
            expect_near(NULL, 0x3264C880, 0x1E140A28);  // blue, green, red, alpha in the stream
        }
    split_jpeg(8, 100, 3, false);
    expect_near(NULL, 0x3264C8FF, 0x1E140AFF);
    split_jpeg(8, 100, 1, false);
    expect_near(NULL, 0xC8C8C8FF, 0x0A0A0AFF);
}

// As Intel's library writes it: one file with the tables alone, from start to end marker, and one with the rest.
static void jpeg_of_two_files(void **state)
{
    (void)state;
    if (!jpeg_can_encode()) skip();
    for (int has_end = 0; has_end < 2; has_end++) {
        static picture jpeg, tables, image;
        split_jpeg(8, 0, 4, false);
        picture_clear(&jpeg), picture_clear(&tables), picture_clear(&image);
        picture_bytes(&jpeg, p.data + 160, p.size - 160);
        picture_bytes(&tables, jpeg.data, 2), picture_bytes(&image, jpeg.data, 2);
        size_t at = 2;
        for (; jpeg.data[at + 1] != 0xDA;) {  // segments up to the scan; tables are DQT and DHT
            size_t size = 2 + ((size_t)jpeg.data[at + 2] << 8 | jpeg.data[at + 3]);
            bool is_table = jpeg.data[at + 1] == 0xDB || jpeg.data[at + 1] == 0xC4;
            picture_bytes(is_table ? &tables : &image, jpeg.data + at, size);
            at += size;
        }
        picture_bytes(&image, jpeg.data + at, jpeg.size - at);
        if (has_end) picture_bytes(&tables, "\xFF\xD9", 2);
        picture_blp(&p, (blp_wish){ .version = 1,
                                    .alpha_bits = 8,
                                    .width = 16,
                                    .height = 8,
                                    .head = tables.data,
                                    .head_size = tables.size });
        picture_blp_level(&p, 0, image.data, image.size);
        expect_near(NULL, 0x3264C880, 0x1E140A28);
    }
}

static void jpeg_with_hidden_alpha(void **state)
{
    (void)state;
    if (!jpeg_can_encode()) skip();
    split_jpeg(0, 100, 4, false);
    expect_near(NULL, 0x3264C8FF, 0x1E140AFF);
    expect_near(&(sn_decode_opts){ .hidden_alpha = true }, 0x3264C880, 0x1E140A28);
    split_jpeg(7, 100, 4, false);  // junk that is not 0 means 8
    expect_near(NULL, 0x3264C880, 0x1E140A28);
    p.data[4] = 9;  // any content but 1 is JPEG
    expect_near(NULL, 0x3264C880, 0x1E140A28);
}

static int size_warnings;
static void count_size(void *user, const sn_warning *warning)
{
    (void)user;
    size_warnings += strcmp(sn_warning_name(warning->code), "IMAGE_SIZE") == 0;
}

static void jpeg_of_another_size(void **state)
{
    (void)state;
    if (!jpeg_can_encode()) skip();
    split_jpeg(8, 100, 4, false);
    p.data[12] = 64;
    size_warnings = 0;
    expect_near(&(sn_decode_opts){ .report = count_size }, 0x3264C880, 0x1E140A28);
    assert_int_equal(size_warnings, 1);
}

static void jpeg_that_is_refused(void **state)
{
    (void)state;
    if (!jpeg_can_encode()) skip();
    split_jpeg(8, 100, 4, false);
    p.data[156] = 0xFF, p.data[157] = 0xFF, p.data[158] = 0xFF;  // a head longer than the file
    picture_refuse(&p, SN_ERR_TRUNCATED);
    split_jpeg(8, 0, 4, false);
    p.data[160] = 0;  // not a JPEG at all
    picture_refuse(&p, SN_ERR_CORRUPT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(palettes_with_alpha),
        cmocka_unit_test(alpha_that_is_missing),
        cmocka_unit_test(levels),
        cmocka_unit_test(blocks),
        cmocka_unit_test(plain_pixels),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(jpeg_in_any_split),
        cmocka_unit_test(jpeg_of_two_files),
        cmocka_unit_test(jpeg_with_hidden_alpha),
        cmocka_unit_test(jpeg_of_another_size),
        cmocka_unit_test(jpeg_that_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
