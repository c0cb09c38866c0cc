// TGA: pixels written by hand, each kind, depth, corner and packing.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "image/image.h"
#include "image_files.h"

static picture p;
enum { TOP = 32, RIGHT = 16 };

static void expect(unsigned kind, unsigned bits, unsigned descriptor, const char *pixels, size_t size,
                   const uint32_t wanted[2])
{
    picture_tga(&p, kind, 2, 1, bits, descriptor);
    picture_bytes(&p, pixels, size);
    picture_expect(&p, 2, 1, wanted);
}
#define EXPECT(kind, bits, descriptor, pixels, ...) \
    expect(kind, bits, descriptor, pixels, sizeof pixels - 1, (const uint32_t[2]){ __VA_ARGS__ })

static void every_depth(void **state)
{
    (void)state;
    EXPECT(2, 24, 0, "\1\2\3\4\5\6", 0x030201FF, 0x060504FF);
    EXPECT(2, 32, 8, "\1\2\3\4\5\6\7\0", 0x03020104, 0x07060500);
    EXPECT(2, 15, 0, "\0\x7C\x1F\0", 0xFF0000FF, 0x0000FFFF);
    EXPECT(2, 16, 0, "\0\xFC\xE0\x03", 0xFF0000FF, 0x00FF00FF);
    EXPECT(2, 16, 1, "\0\xFC\xE0\x03", 0xFF0000FF, 0x00FF0000);
    EXPECT(2, 16, 0, "\x21\x04\x10\x42", 0x080808FF, 0x848484FF);  // 1 of 31 is 8, 16 of 31 is 132
    EXPECT(3, 8, 0, "\x12\x34", 0x121212FF, 0x343434FF);
    EXPECT(3, 16, 8, "\x12\x34\x56\x78", 0x12121234, 0x56565678);
}

// Files that say "no alpha bits" of 32: the byte counts unless it is 0 everywhere.
static void alpha_that_is_denied(void **state)
{
    (void)state;
    EXPECT(2, 32, 0, "\1\2\3\4\5\6\7\0", 0x03020104, 0x07060500);
    EXPECT(2, 32, 0, "\1\2\3\0\5\6\7\0", 0x030201FF, 0x070605FF);
    EXPECT(2, 32, 8, "\1\2\3\0\5\6\7\0", 0x03020100, 0x07060500);
}

static void every_corner(void **state)
{
    (void)state;
    static const struct {
        unsigned descriptor;
        uint32_t wanted[4];
    } corners[] = {
        { TOP, { 0x010101FF, 0x020202FF, 0x030303FF, 0x040404FF } },
        { 0, { 0x030303FF, 0x040404FF, 0x010101FF, 0x020202FF } },
        { TOP | RIGHT, { 0x020202FF, 0x010101FF, 0x040404FF, 0x030303FF } },
        { RIGHT, { 0x040404FF, 0x030303FF, 0x020202FF, 0x010101FF } },
    };
    for (size_t i = 0; i < 4; i++) {
        picture_tga(&p, 3, 2, 2, 8, corners[i].descriptor);
        picture_bytes(&p, "\1\2\3\4", 4);
        picture_expect(&p, 2, 2, corners[i].wanted);
        picture_tga(&p, 11, 2, 2, 8, corners[i].descriptor);
        picture_bytes(&p, "\0\1\2\2\3\4", 6);  // a packet runs across rows
        picture_expect(&p, 2, 2, corners[i].wanted);
    }
}

static void with_map(unsigned kind, unsigned first, unsigned count, unsigned bits, unsigned descriptor, const char *map,
                     size_t size)
{
    picture_tga(&p, kind, 3, 1, 8, descriptor);
    p.data[1] = 1, p.data[3] = (uint8_t)first, p.data[5] = (uint8_t)count, p.data[7] = (uint8_t)bits;
    p.data[0] = 5;
    picture_bytes(&p, "title", 5);
    picture_bytes(&p, map, size);
}

static void colour_maps(void **state)
{
    (void)state;
    with_map(1, 0, 2, 24, 0, "\1\2\3\4\5\6", 6);
    picture_bytes(&p, "\1\0\2", 3);
    picture_expect(&p, 3, 1, (const uint32_t[]){ 0x060504FF, 0x030201FF, 0x000000FF });  // 2 is past the map
    with_map(1, 7, 1, 16, 0, "\0\x7C", 2);
    picture_bytes(&p, "\7\6\10", 3);
    picture_expect(&p, 3, 1, (const uint32_t[]){ 0xFF0000FF, 0x000000FF, 0x000000FF });
    with_map(9, 0, 2, 32, 8, "\1\2\3\4\5\6\7\10", 8);
    picture_bytes(&p, "\x81\1\0\0", 4);
    picture_expect(&p, 3, 1, (const uint32_t[]){ 0x07060508, 0x07060508, 0x03020104 });
    picture_tga(&p, 2, 1, 1, 24, 0);  // a map that true colour does not use
    p.data[1] = 1, p.data[5] = 1, p.data[7] = 24;
    picture_bytes(&p, "\xFF\xFF\xFF\1\2\3", 6);
    picture_expect(&p, 1, 1, (const uint32_t[]){ 0x030201FF });
}

static void packets(void **state)
{
    (void)state;
    EXPECT(10, 24, 0, "\x81\1\2\3", 0x030201FF, 0x030201FF);
    EXPECT(10, 24, 0, "\x01\1\2\3\4\5\6", 0x030201FF, 0x060504FF);
    EXPECT(10, 32, 8, "\x80\1\2\3\4\0\5\6\7\10", 0x03020104, 0x07060508);
    EXPECT(10, 16, 0, "\xFF\0\x7C", 0xFF0000FF, 0xFF0000FF);  // longer than the picture: cut
    EXPECT(11, 8, 0, "\x81\x12", 0x121212FF, 0x121212FF);
}

static void multiplied_by_alpha(void **state)
{
    (void)state;
    picture_tga(&p, 2, 1, 1, 32, 8);
    picture_bytes(&p, "\x20\x40\x80\x80", 4);
    uint32_t area = (uint32_t)p.size;
    picture_fill(&p, 0, 494);
    picture_u8(&p, 4);
    picture_u32(&p, area), picture_u32(&p, 0);
    picture_bytes(&p, "TRUEVISION-XFILE.", 18);
    picture_expect(&p, 1, 1, (const uint32_t[]){ 0xFF804080 });
    p.data[area + 494] = 3;
    picture_expect(&p, 1, 1, (const uint32_t[]){ 0x80402080 });
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        unsigned kind, width, height, bits, descriptor;
    } bad[] = {
        { 0, 1, 1, 24, 0 }, { 4, 1, 1, 24, 0 }, { 32, 1, 1, 24, 0 }, { 2, 0, 1, 24, 0 },
        { 2, 1, 0, 24, 0 }, { 2, 1, 1, 23, 0 }, { 2, 1, 1, 8, 0 },   { 3, 1, 1, 24, 0 },
        { 1, 1, 1, 8, 0 },  { 2, 1, 1, 24, 8 }, { 2, 1, 1, 24, 64 }, { 2, 1, 1, 32, 3 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        picture_tga(&p, bad[i].kind, bad[i].width, bad[i].height, bad[i].bits, bad[i].descriptor);
        picture_fill(&p, 0, 16);
        picture_refuse(&p, SN_ERR_FORMAT);  // without a signature it is simply not one
    }
    picture_tga(&p, 2, 2, 2, 24, 0);
    picture_fill(&p, 0, 11);
    picture_refuse(&p, SN_ERR_TRUNCATED);
    picture_tga(&p, 10, 2, 2, 24, 0);
    picture_bytes(&p, "\x81\1\2\3\x81\1\2", 7);
    picture_refuse(&p, SN_ERR_TRUNCATED);
    picture_tga(&p, 10, 65535, 1000, 24, 0);  // within the limit, but a packet is at most 128 pixels
    picture_fill(&p, 0xFF, 60000);
    picture_refuse(&p, SN_ERR_TRUNCATED);
    picture_tga(&p, 2, 65535, 65535, 24, 0);
    picture_refuse(&p, SN_ERR_LIMIT);
}

// The bytes as the specification lists them: 18 of header, then blue, green, red from the bottom row.
static void pixels_are_written(void **state)
{
    (void)state;
    uint8_t rgba[] = { 1, 2, 3, 255, 4, 5, 6, 255, 7, 8, 9, 255, 10, 11, 12, 255, 13, 14, 15, 255, 16, 17, 18, 255 };
    static const uint8_t opaque[] = { 0,  0,  2,  0,  0,  0,  0,  0,  0,  0, 0, 0, 3, 0, 2, 0, 24, 0,
                                      12, 11, 10, 15, 14, 13, 18, 17, 16, 3, 2, 1, 6, 5, 4, 9, 8,  7 };
    static const uint8_t clear[] = { 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 32, 8, 6, 5, 4, 0, 3, 2, 1, 255 };
    sni_heap heap;
    sni_diag diag;
    sni_writer out;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_writer_init(&out, &heap);
    assert_true(sni_tga_write(&out, &diag, &(sn_pixels){ .width = 3, .height = 2, .rgba = rgba }));
    assert_int_equal(out.size, sizeof opaque);
    assert_memory_equal(out.data, opaque, sizeof opaque);
    out.size = 0;
    rgba[7] = 0;
    assert_true(sni_tga_write(&out, &diag, &(sn_pixels){ .width = 1, .height = 2, .rgba = rgba }));
    assert_int_equal(out.size, sizeof clear);
    assert_memory_equal(out.data, clear, sizeof clear);
    assert_false(sni_tga_write(&out, &diag, &(sn_pixels){ .width = 65536, .height = 1, .rgba = rgba }));
    assert_int_equal(diag.error.status, SN_ERR_LIMIT);
    sni_writer_free(&out);
}

static void formats_are_listed(void **state)
{
    (void)state;
    sn_image_format format;
    uint32_t count = 0, saved = 0;
    for (; sn_image_format_at(count, &format); count++) {
        assert_true(format.extensions[0] && format.mime_type[0] && format.name[0]);
        saved += format.is_saved;
    }
    assert_int_equal(count, 7);
    assert_int_equal(saved, 2);
    assert_true(sn_image_format_find("DDS ", 4, &format) && strcmp(format.name, "DDS") == 0);
    assert_true(sn_image_format_find("TIM2", 4, &format) && strcmp(format.extensions, "tm2 tim2") == 0);
    assert_false(sn_image_format_find("GIF89a", 6, &format));
    assert_false(sn_image_format_find(NULL, 0, &format));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_depth),
        cmocka_unit_test(alpha_that_is_denied),
        cmocka_unit_test(every_corner),
        cmocka_unit_test(colour_maps),
        cmocka_unit_test(packets),
        cmocka_unit_test(multiplied_by_alpha),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(pixels_are_written),
        cmocka_unit_test(formats_are_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
