// TIM2: every pixel and palette type by hand; unswizzling against a model of the console's memory.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/level5/level5_doc.h"
#include "image/tim2.h"
#include "image_files.h"

static picture p;

static void plain_pixels(void **state)
{
    (void)state;
    // 16 bits: red 31, green 16 and opaque; blue 1 and transparent
    static const uint8_t sixteen[] = { 0x1F, 0x82, 0x00, 0x04 };
    picture_tim2(&p, (tim2_wish){ .kind = 1, .width = 2, .height = 1, .pixels = sixteen, .pixel_bytes = 4 });
    picture_expect(&p, 2, 1, (const uint32_t[]){ 0xFF8400FF, 0x00000800 });
    picture_tim2(&p,
                 (tim2_wish){ .kind = 2, .width = 1, .height = 2, .pixels = "\1\2\3\xFD\xFE\xFF", .pixel_bytes = 6 });
    picture_expect(&p, 1, 2, (const uint32_t[]){ 0x010203FF, 0xFDFEFFFF });
    picture_tim2(&p, (tim2_wish){ .kind = 3,
                                  .width = 5,
                                  .height = 1,
                                  .pixel_bytes = 20,
                                  .pixels = "\1\2\3\0"
                                            "\1\2\3\1"
                                            "\1\2\3\x7F"
                                            "\1\2\3\x80"
                                            "\1\2\3\xFF" });
    picture_expect(&p, 5, 1, (const uint32_t[]){ 0x01020300, 0x01020302, 0x010203FE, 0x010203FF, 0x010203FF });
}

// Rows keep their order, and rows of an odd width have no padding.
static void four_bits(void **state)
{
    (void)state;
    uint8_t palette[16 * 4];
    for (unsigned i = 0; i < sizeof palette; i++) palette[i] = i % 4 == 3 ? 128 : (uint8_t)(i / 4 * 16 + i % 4);
    picture_tim2(&p, (tim2_wish){ .kind = 4,
                                  .width = 3,
                                  .height = 2,
                                  .palette_kind = 3,
                                  .colors = 16,
                                  .pixels = "\x10\x92\xF8",
                                  .pixel_bytes = 3,
                                  .palette = palette,
                                  .palette_bytes = sizeof palette });
    picture_expect(&p, 3, 2,
                   (const uint32_t[]){ 0x000102FF, 0x101112FF, 0x202122FF, 0x909192FF, 0x808182FF, 0xF0F1F2FF });
    memcpy(p.data, "TIM3", 4);
    picture_expect(&p, 3, 2,
                   (const uint32_t[]){ 0x000102FF, 0x101112FF, 0x202122FF, 0x909192FF, 0x808182FF, 0xF0F1F2FF });
}

enum { MOST_COLORS = 256 };

// Slot n of the palette has red n, so a picture of all indices shows which slot each index uses.
static void expect_slots(unsigned kind, unsigned palette_kind, const uint8_t *slots, unsigned count)
{
    static const uint8_t all[MOST_COLORS / 8] = { 0x10, 0x32, 0x54, 0x76, 0x98, 0xBA, 0xDC, 0xFE };
    uint8_t palette[MOST_COLORS * 4] = { 0 }, indices[MOST_COLORS];
    uint32_t wanted[MOST_COLORS];
    for (unsigned i = 0; i < MOST_COLORS; i++)
        palette[i * 4] = (uint8_t)i, palette[i * 4 + 3] = 64, indices[i] = (uint8_t)i;
    for (unsigned i = 0; i < count; i++) wanted[i] = (uint32_t)slots[i] << 24 | 128;
    picture_tim2(&p, (tim2_wish){ .kind = kind,
                                  .width = count,
                                  .height = 1,
                                  .palette_kind = palette_kind,
                                  .colors = MOST_COLORS,
                                  .pixels = kind == 5 ? indices : all,
                                  .pixel_bytes = kind == 5 ? count : count / 2,
                                  .palette = palette,
                                  .palette_bytes = sizeof palette });
    picture_expect(&p, count, 1, wanted);
}

static void order_of_palettes(void **state)
{
    (void)state;
    uint8_t in_order[MOST_COLORS], changed[MOST_COLORS];
    for (unsigned i = 0; i < MOST_COLORS; i++) {
        static const uint8_t eights[4] = { 0, 16, 8, 24 };
        in_order[i] = (uint8_t)i;
        changed[i] = (uint8_t)(i / 32 * 32 + eights[i / 8 % 4] + i % 8);
    }
    expect_slots(5, 0x03, changed, MOST_COLORS);
    expect_slots(5, 0x83, in_order, MOST_COLORS);
    expect_slots(4, 0x03, in_order, 16);
    expect_slots(4, 0x43, changed, 16);  // sixteen palettes of 16 stored as one of 256
    expect_slots(4, 0xC3, in_order, 16);
}

static void expect_palette(unsigned palette_kind, const void *palette, size_t size, const uint32_t *wanted)
{
    picture_tim2(&p, (tim2_wish){ .kind = 5,
                                  .width = 3,
                                  .height = 1,
                                  .palette_kind = palette_kind,
                                  .colors = 2,
                                  .pixels = "\0\1\2",
                                  .pixel_bytes = 3,
                                  .palette = palette,
                                  .palette_bytes = size });
    picture_expect(&p, 3, 1, wanted);
}

// Indices past the palette are opaque black. The size of the palette decides before its type.
static void colors_of_palettes(void **state)
{
    (void)state;
    static const uint8_t sixteen[] = { 0x1F, 0x80, 0xE0, 0x03 }, wide[] = { 1, 2, 3, 4, 5, 6, 7, 128 };
    const uint32_t of_sixteen[3] = { 0xFF0000FF, 0x00FF0000, 255 }, of_24[3] = { 0x010203FF, 0x040506FF, 255 },
                   of_32[3] = { 0x01020308, 0x050607FF, 255 };
    for (unsigned in_order = 0; in_order <= 0x80; in_order += 0x80) {
        for (unsigned kind = 0; kind <= 4; kind++) {
            expect_palette(in_order | kind, sixteen, 4, of_sixteen);
            expect_palette(in_order | kind, wide, 6, of_24);
            expect_palette(in_order | kind, wide, 8, of_32);
        }
        expect_palette(in_order | 1, (const uint8_t[16]){ 0x1F, 0x80, 0xE0, 0x03 }, 16,
                       of_sixteen);  // padded: the type decides
        for (unsigned kind = 0; kind <= 3; kind++)
            if (kind != 1)
                expect_palette(in_order | kind, (const uint8_t[16]){ 1, 2, 3, 4, 5, 6, 7, 128 }, 16,
                               kind == 2 ? of_24 : of_32);
    }
}

static void levels(void **state)
{
    (void)state;
    static const uint8_t palette[16] = { 10, 0, 0, 128, 20, 0, 0, 128, 30, 0, 0, 128, 40, 0, 0, 128 };
    const uint32_t a = 0x0A0000FF, b = 0x140000FF, c = 0x1E0000FF, d = 0x280000FF, sizes[3] = { 16, 16, 16 };
    uint8_t pixels[48] = { 0, 0, 0, 0, 1, 1, 1, 1 };
    sn_pixels out;
    sn_error error;
    memcpy(pixels + 16, "\2\3", 2);
    pixels[32] = 3;
    tim2_wish wish = { .kind = 5,
                       .width = 4,
                       .height = 2,
                       .levels = 3,
                       .level_sizes = sizes,
                       .palette_kind = 3,
                       .colors = 4,
                       .pixels = pixels,
                       .pixel_bytes = 48,
                       .palette = palette,
                       .palette_bytes = 16,
                       .is_far = true };
    picture_tim2(&p, wish);
    picture_expect(&p, 4, 2, (const uint32_t[]){ a, a, a, a, b, b, b, b });
    picture_expect_with(&p, &(sn_decode_opts){ .mip = 1 }, 2, 1, (const uint32_t[]){ c, d });
    picture_expect_with(&p, &(sn_decode_opts){ .mip = 2 }, 1, 1, &d);
    assert_int_equal(picture_decode(p.data, p.size, &(sn_decode_opts){ .mip = 3 }, &out, &error), SN_ERR_UNSUPPORTED);
    assert_int_equal(picture_decode(p.data, p.size, &(sn_decode_opts){ .mip = UINT32_MAX }, &out, &error),
                     SN_ERR_UNSUPPORTED);
    // the chain ends at a size that is too small, past the pixels, or leaves nothing
    static const uint32_t bad[][3] = {
        { 7, 16, 16 }, { 49, 16, 16 }, { UINT32_MAX, 16, 16 }, { 47, 1, 1 }, { 0, 0, 0 }
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        wish.level_sizes = bad[i];
        picture_tim2(&p, wish);
        picture_expect(&p, 4, 2, (const uint32_t[]){ a, a, a, a, b, b, b, b });
        assert_int_equal(picture_decode(p.data, p.size, &(sn_decode_opts){ .mip = 1 }, &out, &error),
                         SN_ERR_UNSUPPORTED);
    }
    wish.levels = 0, wish.is_far = false;
    picture_tim2(&p, wish);
    p.data[16 + 17] = 3;  // levels without a list of sizes
    picture_expect(&p, 4, 2, (const uint32_t[]){ a, a, a, a, b, b, b, b });
    assert_int_equal(picture_decode(p.data, p.size, &(sn_decode_opts){ .mip = 1 }, &out, &error), SN_ERR_UNSUPPORTED);
    p.data[16 + 17] = 0;
    picture_expect(&p, 4, 2, (const uint32_t[]){ a, a, a, a, b, b, b, b });
}

static void refuse_patched(size_t at, unsigned value, sn_status status)
{
    picture_tim2(&p, (tim2_wish){ .kind = 5,
                                  .width = 2,
                                  .height = 2,
                                  .palette_kind = 3,
                                  .colors = 1,
                                  .pixels = "\0\0\0\0",
                                  .pixel_bytes = 4,
                                  .palette = "\1\2\3\4",
                                  .palette_bytes = 4 });
    p.data[at] = (uint8_t)value, p.data[at + 1] = (uint8_t)(value >> 8);
    picture_refuse(&p, status);
}

static void bad_files_are_rejected(void **state)
{
    (void)state;
    refuse_patched(16 + 8, 3, SN_ERR_TRUNCATED);  // three bytes of pixels
    refuse_patched(16 + 8, 9, SN_ERR_TRUNCATED);  // more than the file has
    refuse_patched(16 + 8, 5, SN_ERR_TRUNCATED);  // then the palette begins too late
    refuse_patched(16 + 10, 0xFFFF, SN_ERR_TRUNCATED);
    refuse_patched(16 + 12, 47, SN_ERR_CORRUPT);  // size of the header
    refuse_patched(16 + 12, 0xFFFF, SN_ERR_TRUNCATED);
    refuse_patched(16 + 14, 3, SN_ERR_TRUNCATED);  // colours
    refuse_patched(16 + 14, 0, SN_ERR_CORRUPT);
    refuse_patched(16 + 18, 0x0003, SN_ERR_UNSUPPORTED);  // no pixels, only a palette
    refuse_patched(16 + 18, 0x0603, SN_ERR_UNSUPPORTED);
    refuse_patched(16 + 20, 0, SN_ERR_CORRUPT);
    refuse_patched(16 + 20, 0xFFFF, SN_ERR_TRUNCATED);
    refuse_patched(4, 0x0100, SN_ERR_TRUNCATED);  // the picture at 128, past the end
    refuse_patched(16 + 20, 2, SN_OK);
    for (size_t size = 0; size < p.size; size++) {
        static picture cut;
        picture_clear(&cut);
        picture_bytes(&cut, p.data, size);
        picture_refuse(&cut, size < 4 ? SN_ERR_FORMAT : SN_ERR_TRUNCATED);
    }
    p.data[16 + 20] = 0xFF, p.data[16 + 21] = 0xFF, p.data[16 + 22] = 0xFF, p.data[16 + 23] = 0xFF;
    picture_refuse(&p, SN_ERR_LIMIT);
}

static void samples_writer(void **state)
{
    (void)state;
    sni_heap heap;
    sni_writer out;
    sni_tim2_color colors[20];
    uint8_t indices[20];
    uint32_t wanted[20];
    for (uint32_t i = 0; i < 20; i++) {
        colors[i] = (sni_tim2_color){ (uint8_t)i, (uint8_t)(i * 3), 7, (uint8_t)(i * 2) };
        indices[i] = (uint8_t)(19 - i);
        wanted[19 - i] = i << 24 | i * 3 << 16 | 7 << 8 | i * 2;
    }
    colors[5].a = 255, wanted[14] |= 255;
    sni_heap_init(&heap, NULL, UINT64_MAX), sni_writer_init(&out, &heap);
    sni_tim2_write_indexed(&out, 4, 5, 8, colors, 20, indices);
    picture_clear(&p);
    picture_bytes(&p, out.data, out.size);
    sni_writer_free(&out);
    picture_expect(&p, 4, 5, wanted);
}

// As the format says, without the library's decoder: the pixels of a picture with one level behind a header of 48
// bytes.
static uint32_t read_written(const uint8_t *file, uint32_t index)
{
    const uint8_t *head = file + 16, *pixels = head + 48, kind = head[19];
    const uint32_t bytes = head[8] | (uint32_t)head[9] << 8 | (uint32_t)head[10] << 16;
    const uint8_t *at = pixels + index * (kind == 2 ? 3u : 4u);
    if (kind >= 4) {
        uint32_t slot = kind == 5 ? pixels[index] : index % 2 ? pixels[index / 2] >> 4 : pixels[index / 2] & 15;
        if (kind == 5) slot = (slot & 0xE7) + (slot & 8 ? 16u : 0u) + (slot & 16 ? 8u : 0u);
        at = pixels + bytes + 4 * slot;
    }
    const uint32_t alpha = kind == 2 || at[3] >= 128 ? 255 : 2u * at[3];
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | alpha;
}

// The smallest form that holds the picture. Alpha is even or 255.
static void writer_chooses(void **state)
{
    static const struct {
        uint32_t width, height, colors, kind;
        bool has_alpha;
    } cases[] = { { 8, 4, 16, 4, true }, { 7, 3, 16, 5, false }, { 8, 4, 17, 5, true },     { 32, 16, 256, 5, true },
                  { 1, 1, 1, 5, false }, { 2, 1, 1, 4, false },  { 32, 16, 257, 2, false }, { 32, 16, 257, 3, true } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t rgba[32 * 16 * 4];
        const uint32_t count = cases[i].width * cases[i].height;
        const sn_pixels pixels = { .width = cases[i].width, .height = cases[i].height, .rgba = rgba };
        uint64_t rounded = 0;
        sni_heap heap;
        sni_arena arena;
        sni_writer out;
        sni_diag diag;
        for (uint32_t k = 0; k < count; k++) {
            const uint32_t color = k % cases[i].colors;
            rgba[4 * k] = (uint8_t)color, rgba[4 * k + 1] = (uint8_t)(color >> 8),
                     rgba[4 * k + 2] = (uint8_t)(7 * color);
            rgba[4 * k + 3] = cases[i].has_alpha && color % 3 == 1 ? (uint8_t)(color % 255) : 255;
        }
        sni_heap_init(&heap, NULL, UINT64_MAX), sni_writer_init(&out, &heap), sni_arena_init(&arena, &heap);
        sni_diag_init(&diag, NULL);
        assert_true(sni_tim2_write(&out, &arena, &diag, &pixels, &rounded));
        assert_int_equal(out.data[16 + 19], cases[i].kind);
        uint64_t odd = 0;
        for (uint32_t k = 0; k < count; k++) {
            const uint8_t *c = rgba + 4 * k, is_odd = c[3] % 2 == 1 && c[3] != 255;
            odd += is_odd;
            assert_int_equal(read_written(out.data, k), (uint32_t)c[0] << 24 | (uint32_t)c[1] << 16 |
                                                            (uint32_t)c[2] << 8 | (uint32_t)(c[3] + is_odd));
        }
        assert_int_equal(rounded, odd);
        sni_writer_free(&out);
        sni_arena_free(&arena);
    }
}

// The console's memory as in its manual: pages of 32 blocks of 256 bytes, blocks of four columns. Pages have the same
// block order for 32 and 8 bits, apart from sizes; each has its own table for a column.

enum { PAGE_BYTES = 8192, MOST_SIDE = 256, MEMORY = MOST_SIDE * MOST_SIDE + PAGE_BYTES };

static const uint8_t block_numbers[4][8] = {
    { 0, 1, 4, 5, 16, 17, 20, 21 },
    { 2, 3, 6, 7, 18, 19, 22, 23 },
    { 8, 9, 12, 13, 24, 25, 28, 29 },
    { 10, 11, 14, 15, 26, 27, 30, 31 },
};

static const uint8_t words_of_column[2][8] = { { 0, 1, 4, 5, 8, 9, 12, 13 }, { 2, 3, 6, 7, 10, 11, 14, 15 } };

// clang-format off
static const uint8_t bytes_of_column[2][4][16] = {
    { { 0, 4, 16, 20, 32, 36, 48, 52, 2, 6, 18, 22, 34, 38, 50, 54 },
      { 8, 12, 24, 28, 40, 44, 56, 60, 10, 14, 26, 30, 42, 46, 58, 62 },
      { 33, 37, 49, 53, 1, 5, 17, 21, 35, 39, 51, 55, 3, 7, 19, 23 },
      { 41, 45, 57, 61, 9, 13, 25, 29, 43, 47, 59, 63, 11, 15, 27, 31 } },
    { { 32, 36, 48, 52, 0, 4, 16, 20, 34, 38, 50, 54, 2, 6, 18, 22 },
      { 40, 44, 56, 60, 8, 12, 24, 28, 42, 46, 58, 62, 10, 14, 26, 30 },
      { 1, 5, 17, 21, 33, 37, 49, 53, 3, 7, 19, 23, 35, 39, 51, 55 },
      { 9, 13, 25, 29, 41, 45, 57, 61, 11, 15, 27, 31, 43, 47, 59, 63 } },
};
// clang-format on

// `side_x` and `side_y` are the sides of a block; pages are in rows as wide as the buffer.
static uint32_t block_start(uint32_t x, uint32_t y, uint32_t side_x, uint32_t side_y, uint32_t pages_wide)
{
    uint32_t page = y / (4 * side_y) * pages_wide + x / (8 * side_x);
    return page * PAGE_BYTES + 256u * block_numbers[y / side_y % 4][x / side_x % 8];
}

static uint32_t place_of_word(uint32_t x, uint32_t y, uint32_t pages_wide)
{
    return block_start(x, y, 8, 8, pages_wide) + y % 8 / 2 * 64 + 4u * words_of_column[y % 2][x % 8];
}

static uint32_t place_of_byte(uint32_t x, uint32_t y, uint32_t pages_wide)
{
    uint32_t column = y % 16 / 4;
    return block_start(x, y, 16, 16, pages_wide) + column * 64 + bytes_of_column[column % 2][y % 4][x % 16];
}

static void unswizzling_matches_the_console(void **state)
{
    (void)state;
    static uint8_t sent[MOST_SIDE * MOST_SIDE], memory[MEMORY], got[MOST_SIDE * MOST_SIDE];
    for (uint32_t i = 0, random = 3; i < sizeof sent; i++)
        sent[i] = (uint8_t)((random = random * 1664525u + 1013904223u) >> 24);
    for (uint32_t width = 16; width <= MOST_SIDE; width *= 2)
        for (uint32_t height = 16; height <= MOST_SIDE; height *= 2) {
            const uint32_t pages_wide = (width + 127) / 128;
            memset(memory, 0, sizeof memory);
            for (uint32_t i = 0; i < width * height / 4; i++)  // half as wide and high, in words
                memcpy(memory + place_of_word(i % (width / 2), i / (width / 2), pages_wide), sent + (size_t)i * 4, 4);
            level5_unswizzle8(sent, (size_t)width * height, width, height, got);
            for (uint32_t i = 0; i < width * height; i++)
                if (got[i] != memory[place_of_byte(i % width, i / width, pages_wide)])
                    fail_msg("pixel %u, %u of %u x %u", i % width, i / width, width, height);
        }
}

// 256 x 255 lacks one row of 256 x 256: present pixels are the same, the others 0.
static void unswizzling_stays_in_bounds(void **state)
{
    (void)state;
    static uint8_t sent[256 * 256], full[256 * 256], cut[256 * 255];
    for (uint32_t i = 0; i < sizeof sent; i++) sent[i] = (uint8_t)(i % 255 + 1);
    level5_unswizzle8(sent, sizeof sent, 256, 256, full);
    level5_unswizzle8(sent, sizeof cut, 256, 255, cut);
    uint32_t zeros = 0;
    for (uint32_t i = 0; i < sizeof cut; i++) {
        zeros += cut[i] == 0;
        assert_true(cut[i] == full[i] || cut[i] == 0);
    }
    assert_int_equal(zeros,
                     128);  // of the 256 missing bytes half belong to row 253, half to the missing row
    uint8_t few[3 * 5] = { 0 };
    level5_unswizzle8((const uint8_t *)"\1", 1, 3, 5, few);
    assert_int_equal(few[0], 1);
    for (int i = 1; i < 15; i++) assert_int_equal(few[i], 0);
    level5_unswizzle8(NULL, 0, 3, 5, few);
    assert_int_equal(few[0], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_pixels),
        cmocka_unit_test(four_bits),
        cmocka_unit_test(order_of_palettes),
        cmocka_unit_test(colors_of_palettes),
        cmocka_unit_test(levels),
        cmocka_unit_test(bad_files_are_rejected),
        cmocka_unit_test(samples_writer),
        cmocka_unit_test(writer_chooses),
        cmocka_unit_test(unswizzling_matches_the_console),
        cmocka_unit_test(unswizzling_stays_in_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
