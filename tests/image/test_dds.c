// DDS and its blocks: pixels worked out from the definition of each kind.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "image_files.h"

static picture p;

static void expect_block(const char *four_cc, const void *block, size_t size, const uint32_t wanted[16])
{
    picture_dds(&p, 4, 4, four_cc);
    picture_bytes(&p, block, size);
    picture_expect(&p, 4, 4, wanted);
}

// The indices 0 1 2 3 in the first row, 3 2 1 0 in the second, 0 in the rest.
#define INDICES "\xE4\x1B\0\0"

static void bc1_has_four_colours_or_three(void **state)
{
    (void)state;
    const uint32_t red = 0xFF0000FF, green = 0x00FF00FF, two = 0xAA5500FF, three = 0x55AA00FF, half = 0x808000FF;
    expect_block("DXT1", "\x00\xF8\xE0\x07" INDICES, 8,
                 (const uint32_t[]){ red, green, two, three, three, two, green, red, red, red, red, red, red, red, red,
                                     red });
    expect_block("DXT1", "\xE0\x07\x00\xF8" INDICES, 8,
                 (const uint32_t[]){ green, red, half, 0, 0, half, red, green, green, green, green, green, green, green,
                                     green, green });
    expect_block("DXT1", "\x21\x08\x21\x08" INDICES, 8,  // equal: three colours. 1 of 31 is 8, 1 of 63 is 4
                 (const uint32_t[]){ 0x080408FF, 0x080408FF, 0x080408FF, 0, 0, 0x080408FF, 0x080408FF, 0x080408FF,
                                     0x080408FF, 0x080408FF, 0x080408FF, 0x080408FF, 0x080408FF, 0x080408FF, 0x080408FF,
                                     0x080408FF });
}

static void bc2_and_bc3_have_four_colours_always(void **state)
{
    (void)state;
    uint32_t wanted[16] = { 0x00FF0000, 0xFF000011, 0x55AA0022, 0xAA550033,
                            0xAA550044, 0x55AA0055, 0xFF000066, 0x00FF0077 };
    for (uint32_t i = 8; i < 16; i++) wanted[i] = 0x00FF0000 | i * 17;
    expect_block("DXT3",
                 "\x10\x32\x54\x76\x98\xBA\xDC\xFE"
                 "\xE0\x07\x00\xF8" INDICES,
                 16, wanted);
    // alpha indices 0 1 2 3 4 5 6 7, then 0; from 255 down to 10 in seven steps of 35
    static const uint8_t eight[8] = { 255, 10, 220, 185, 150, 115, 80, 45 };
    for (uint32_t i = 0; i < 16; i++) wanted[i] = (wanted[i] & 0xFFFFFF00) | (i < 8 ? eight[i] : 255);
    expect_block("DXT5",
                 "\xFF\x0A\x88\xC6\xFA\0\0\0"
                 "\xE0\x07\x00\xF8" INDICES,
                 16, wanted);
    static const uint8_t six[8] = { 10, 255, 59, 108, 157, 206, 0, 255 };  // five steps of 49, then the ends
    for (uint32_t i = 0; i < 16; i++) wanted[i] = (wanted[i] & 0xFFFFFF00) | (i < 8 ? six[i] : 10);
    expect_block("DXT5",
                 "\x0A\xFF\x88\xC6\xFA\0\0\0"
                 "\xE0\x07\x00\xF8" INDICES,
                 16, wanted);
}

static void premultiplied_colours_are_divided(void **state)
{
    (void)state;
    // colour 0x84 everywhere (16 of 31 is 132), alpha 0x88: 132 / 136 of 255; green 32 of 63 is 130
    picture_dds(&p, 1, 1, "DXT2");
    picture_bytes(&p,
                  "\x88\x88\x88\x88\x88\x88\x88\x88"
                  "\x10\x84\x10\x84\0\0\0\0",
                  16);
    picture_expect(&p, 1, 1, (const uint32_t[]){ 0xF8F4F888 });
}

static void bc4_is_grey(void **state)
{
    (void)state;
    static const uint8_t values[8] = { 255, 10, 220, 185, 150, 115, 80, 45 };
    uint32_t wanted[16];
    for (int i = 0; i < 16; i++) wanted[i] = values[i < 8 ? i : 0] * 0x01010100u | 0xFF;
    expect_block("BC4U", "\xFF\x0A\x88\xC6\xFA\0\0\0", 8, wanted);
    expect_block("ATI1", "\xFF\x0A\x88\xC6\xFA\0\0\0", 8, wanted);
}

// -1..1 as 0..255: 127 is 1, -127 and -128 are -1, 0 is in the middle.
static uint8_t from_unit(double value) { return (uint8_t)floor((value + 1) * 127.5 + 0.5); }

static void signed_blocks(void **state)
{
    (void)state;
    static const struct {
        const char *ends;
        double a, b;
    } cases[] = {
        { "\x7F\x81", 1, -1 }, { "\x81\x7F", -1, 1 }, { "\x80\x80", -1, -1 }, { "\x40\xF0", 64 / 127.0, -16 / 127.0 }
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double a = cases[k].a, b = cases[k].b, ramp[8] = { a, b };
        for (int i = 2; i < 8; i++)
            ramp[i] = a > b    ? ((8 - i) * a + (i - 1) * b) / 7
                      : i < 6  ? ((6 - i) * a + (i - 1) * b) / 5
                      : i == 6 ? -1
                               : 1;
        uint32_t wanted[16];
        for (int i = 0; i < 16; i++) wanted[i] = from_unit(ramp[i < 8 ? i : 0]) * 0x01010100u | 0xFF;
        uint8_t block[8] = { (uint8_t)cases[k].ends[0], (uint8_t)cases[k].ends[1], 0x88, 0xC6, 0xFA };
        expect_block("BC4S", block, 8, wanted);
    }
}

static void bc5_is_a_normal(void **state)
{
    (void)state;
    static const struct {
        uint8_t x, y;
        uint32_t wanted;
    } normals[] = {
        { 128, 128, 0x8080FFFF },
        { 255, 128, 0xFF8080FF },
        { 0, 0, 0x000080FF },
        { 204, 128, 0xCC80E5FF },  // 0.6, 0, 0.8
    };
    for (size_t k = 0; k < sizeof normals / sizeof normals[0]; k++) {
        uint8_t block[16] = { normals[k].x, normals[k].x, [8] = normals[k].y, normals[k].y };
        uint32_t wanted[16];
        for (int i = 0; i < 16; i++) wanted[i] = normals[k].wanted;
        expect_block("ATI2", block, 16, wanted);
        expect_block("BC5U", block, 16, wanted);
    }
    uint8_t still[16] = { 0 };
    uint32_t wanted[16];
    for (int i = 0; i < 16; i++) wanted[i] = 0x8080FFFF;
    expect_block("BC5S", still, 16, wanted);
}

// BC7: blocks put together bit by bit

typedef struct block {
    uint8_t bytes[16];
    unsigned at;
} block;

static void put(block *b, unsigned value, unsigned bits)
{
    for (unsigned i = 0; i < bits; i++, b->at++) b->bytes[b->at / 8] |= (uint8_t)((value >> i & 1) << b->at % 8);
}

static void expect_bc7(const block *b, const uint32_t wanted[16])
{
    assert_int_equal(b->at, 128);
    picture_dds(&p, 4, 4, "DX10");
    for (int i = 0; i < 5; i++) picture_u32(&p, (const uint32_t[]){ 98, 3, 0, 1, 0 }[i]);
    picture_bytes(&p, b->bytes, 16);
    picture_expect(&p, 4, 4, wanted);
}

static void start(block *b, unsigned mode)
{
    *b = (block){ .at = 0 };
    put(b, 1u << mode, mode + 1);
}

// Three subsets in the shape of partition 0; red, green and blue, the first endpoint dark. All indices at their highest
// but the anchors' (their top bit is left out, so it is 0 and the highest they reach is the half).
static const char thirds[] = "0011001102212222";
static const char halves_of_13[] = "0000000011111111";

static void bc7_with_three_subsets(void **state)
{
    (void)state;
    for (unsigned mode = 0; mode <= 2; mode += 2) {
        block b;
        unsigned width = mode == 0 ? 4 : 5, index_bits = mode == 0 ? 3 : 2, highest = (1u << width) - 1;
        start(&b, mode);
        put(&b, 0, mode == 0 ? 4 : 6);
        for (unsigned channel = 0; channel < 3; channel++)
            for (unsigned e = 0; e < 6; e++) put(&b, e / 2 == channel ? (e % 2 ? highest : 0) : 0, width);
        if (mode == 0) put(&b, 0x2A, 6);  // the low bit of each second endpoint
        // mode 0: endpoints of 5 bits, dark 0; bright 31 = 255, and 1 = 8 where the channel is not the subset's own
        unsigned weights[16];
        for (unsigned i = 0; i < 16; i++) {
            bool is_anchor = i == 0 || i == 15 || i == 3;
            unsigned bits = index_bits - is_anchor, index = (1u << bits) - 1;
            put(&b, index, bits);
            weights[i] = !is_anchor ? 64 : mode == 0 ? 27 : 21;
        }
        uint32_t wanted[16];
        for (int i = 0; i < 16; i++) {
            wanted[i] = 0xFF;
            for (int channel = 0; channel < 3; channel++) {
                unsigned bright = thirds[i] - '0' == channel ? 255 : mode == 0 ? 8 : 0;
                wanted[i] |= ((weights[i] * bright + 32) >> 6) << (24 - 8 * channel);
            }
        }
        expect_bc7(&b, wanted);
    }
}

// Modes 1, 3 and 7: two subsets, partition 13 (upper and lower half), whose second anchor is the last pixel.
static void bc7_with_two_subsets(void **state)
{
    (void)state;
    static const struct {
        unsigned mode, width, alpha, shared, index_bits;
    } kinds[] = { { 1, 6, 0, 1, 3 }, { 3, 7, 0, 0, 2 }, { 7, 5, 5, 0, 2 } };
    for (size_t k = 0; k < 3; k++) {
        block b;
        unsigned highest = (1u << kinds[k].width) - 1;
        start(&b, kinds[k].mode);
        put(&b, 13, 6);
        for (unsigned e = 0; e < 4; e++) put(&b, e < 2 ? highest : 0, kinds[k].width);   // red: upper half
        for (unsigned e = 0; e < 4; e++) put(&b, e == 3 ? highest : 0, kinds[k].width);  // green: grows in the lower
        for (unsigned e = 0; e < 4; e++) put(&b, 0, kinds[k].width);
        if (kinds[k].alpha)
            for (unsigned e = 0; e < 4; e++) put(&b, e == 3 ? highest : 0, kinds[k].alpha);
        put(&b, kinds[k].shared ? 1 : 3, kinds[k].shared ? 2 : 4);  // low bits: set in the upper half
        for (unsigned i = 0; i < 16; i++) put(&b, i == 8 || i == 15 ? 1 : 0, kinds[k].index_bits - (i == 0 || i == 15));
        // the low bit alone is 2, 1 or 4 of 255: 1/127 and 1/63 repeat their highest bit, which is 0
        unsigned low = kinds[k].mode == 1 ? 2 : kinds[k].mode == 3 ? 1 : 4, weight = kinds[k].index_bits == 3 ? 9 : 21;
        unsigned bright = kinds[k].mode == 1 ? 253 : kinds[k].mode == 3 ? 254 : 251;  // without its low bit
        uint32_t wanted[16];
        for (int i = 0; i < 16; i++) {
            unsigned grown = i == 8 || i == 15 ? (weight * bright + 32) >> 6 : 0;
            if (halves_of_13[i] == '0') wanted[i] = 0xFF000000 | low << 16 | low << 8 | (kinds[k].alpha ? low : 255);
            else wanted[i] = grown << 16 | (kinds[k].alpha ? grown : 255);
        }
        expect_bc7(&b, wanted);
    }
}

// Modes 4 and 5: colour and alpha have their own indices, and channels may change places.
static void bc7_with_two_indices(void **state)
{
    (void)state;
    for (unsigned kind = 0; kind < 3; kind++)  // mode 4, the same with its indices swapped, mode 5
        for (unsigned rotation = 0; rotation < 4; rotation++) {
            block b;
            unsigned mode = kind == 2 ? 5 : 4, width = mode == 4 ? 5 : 7, alpha_width = mode == 4 ? 6 : 8;
            start(&b, mode);
            put(&b, rotation, 2);
            if (mode == 4) put(&b, kind, 1);
            for (unsigned channel = 0; channel < 3; channel++)
                put(&b, 0, width), put(&b, channel == 0 ? (1u << width) - 1 : 0, width);
            put(&b, (1u << alpha_width) - 1, alpha_width), put(&b, 0, alpha_width);
            for (unsigned i = 0; i < 16; i++) put(&b, i == 5 ? 2 : 0, i ? 2 : 1);
            unsigned second_bits = mode == 4 ? 3 : 2;
            for (unsigned i = 0; i < 16; i++) put(&b, i == 9 ? 3 : 0, second_bits - (i == 0));
            unsigned first_weight = 43, second_weight = mode == 4 ? 27 : 64;
            uint32_t wanted[16];
            for (unsigned i = 0; i < 16; i++) {
                unsigned first = i == 5 ? first_weight : 0, second = i == 9 ? second_weight : 0;
                unsigned of_color = kind == 1 ? second : first, of_alpha = kind == 1 ? first : second;
                unsigned channels[4] = { (of_color * 255 + 32) >> 6, 0, 0, ((64 - of_alpha) * 255 + 32) >> 6 };
                if (rotation > 0) {
                    unsigned alpha = channels[3];
                    channels[3] = channels[rotation - 1], channels[rotation - 1] = alpha;
                }
                wanted[i] = channels[0] << 24 | channels[1] << 16 | channels[2] << 8 | channels[3];
            }
            expect_bc7(&b, wanted);
        }
}

static void bc7_with_sixteen_steps(void **state)
{
    (void)state;
    static const uint8_t weights[16] = { 0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64 };
    block b;
    uint32_t wanted[16];
    start(&b, 6);
    for (unsigned channel = 0; channel < 4; channel++) put(&b, 0, 7), put(&b, 127, 7);
    put(&b, 2, 2);
    for (unsigned i = 0; i < 16; i++) put(&b, i, i ? 4 : 3);
    for (unsigned i = 0; i < 16; i++) wanted[i] = ((weights[i] * 255u + 32) >> 6) * 0x01010101u;
    expect_bc7(&b, wanted);
    b = (block){ .at = 128 };  // no mode at all
    memset(wanted, 0, sizeof wanted);
    expect_bc7(&b, wanted);
}

static void plain_pixels(void **state)
{
    (void)state;
    static const struct {
        uint32_t bits, masks[4];
        const char *pixels;
        uint32_t wanted[2];
    } kinds[] = {
        { 32, { 0xFF0000, 0xFF00, 0xFF, 0xFF000000 }, "\1\2\3\4\5\6\7\10", { 0x03020104, 0x07060508 } },
        { 32, { 0xFF0000, 0xFF00, 0xFF, 0 }, "\1\2\3\4\5\6\7\10", { 0x030201FF, 0x070605FF } },
        { 32, { 0xFF, 0xFF00, 0xFF0000, 0xFF000000 }, "\1\2\3\4\5\6\7\10", { 0x01020304, 0x05060708 } },
        { 32, { 0x3FF, 0xFFC00, 0x3FF00000, 0xC0000000 }, "\xFF\x03\0\x40\0\xFC\x0F\xC0", { 0xFF000055, 0x00FF00FF } },
        { 24, { 0xFF0000, 0xFF00, 0xFF, 0 }, "\1\2\3\4\5\6", { 0x030201FF, 0x060504FF } },
        { 16, { 0xF800, 0x7E0, 0x1F, 0 }, "\0\xF8\xE1\x07", { 0xFF0000FF, 0x00FF08FF } },
        { 16, { 0x7C00, 0x3E0, 0x1F, 0x8000 }, "\0\xFC\x1F\0", { 0xFF0000FF, 0x0000FF00 } },
        { 16, { 0xF00, 0xF0, 0xF, 0xF000 }, "\x34\x12\xFF\x0F", { 0x22334411, 0xFFFFFF00 } },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        picture_dds_masks(&p, 2, 1, kinds[i].bits, kinds[i].masks);
        picture_bytes(&p, kinds[i].pixels, kinds[i].bits / 4);
        picture_expect(&p, 2, 1, kinds[i].wanted);
    }
}

static void luminance_and_alpha(void **state)
{
    (void)state;
    static const struct {
        uint32_t flags, bits, masks[4];
        uint32_t wanted;
    } kinds[] = {
        { 0x20000, 8, { 0xFF }, 0x121212FF },
        { 0x20001, 16, { 0xFF, 0, 0, 0xFF00 }, 0x12121234 },
        { 2, 8, { 0, 0, 0, 0xFF }, 0x00000012 },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        picture_dds_masks(&p, 1, 1, kinds[i].bits, kinds[i].masks);
        memcpy(p.data + 80, (const uint8_t[4]){ (uint8_t)kinds[i].flags, 0, (uint8_t)(kinds[i].flags >> 16), 0 }, 4);
        picture_bytes(&p, "\x12\x34", kinds[i].bits / 8);
        picture_expect(&p, 1, 1, &kinds[i].wanted);
    }
}

static void mips_cubes_and_edges(void **state)
{
    (void)state;
    static const uint32_t masks[4] = { 0xFF, 0xFF00, 0xFF0000, 0 };
    picture_dds_masks(&p, 3, 2, 24, masks);
    p.data[28] = 2;
    picture_fill(&p, 1, 3 * 2 * 3);
    picture_fill(&p, 2, 3);
    picture_expect_with(&p, &(sn_decode_opts){ .mip = 1 }, 1, 1, (const uint32_t[]){ 0x020202FF });
    sn_pixels pixels;
    sn_error error;
    assert_int_equal(picture_decode(p.data, p.size, &(sn_decode_opts){ .mip = 2 }, &pixels, &error),
                     SN_ERR_UNSUPPORTED);

    p.data[24] = 5, p.data[114] = 0x20;  // a volume of five slices: the second level has two
    picture_fill(&p, 1, 4 * 3 * 2 * 3);
    picture_fill(&p, 3, 2 * 3);
    picture_expect_with(&p, &(sn_decode_opts){ .mip = 1 }, 1, 1, (const uint32_t[]){ 0x010101FF });

    uint32_t wanted[5 * 5];  // a picture that does not fill its blocks
    picture_dds(&p, 5, 5, "DXT1");
    for (int i = 0; i < 4; i++)
        picture_bytes(&p,
                      &"\0\xF8\0\0\0\0\0\0"
                       "\xE0\x07\0\0\0\0\0\0"
                       "\x1F\0\0\0\0\0\0\0"
                       "\xFF\xFF\0\0\0\0\0\0"[i * 8],
                      8);
    for (uint32_t i = 0; i < 25; i++)
        wanted[i] = i / 5 < 4 ? (i % 5 < 4 ? 0xFF0000FF : 0x00FF00FF) : (i % 5 < 4 ? 0x0000FFFF : 0xFFFFFFFF);
    picture_expect(&p, 5, 5, wanted);
    p.size--;
    picture_refuse(&p, SN_ERR_TRUNCATED);
}

// The layouts are those of DXGI_FORMAT's documentation: components from the lowest bit on.
static void numbered_formats_without_blocks(void **state)
{
    (void)state;
    static const struct {
        uint32_t format, bytes, value, wanted;
    } rows[] = {
        { 28, 4, 0x44332211, 0x11223344 },  // R8G8B8A8_UNORM
        { 29, 4, 0x44332211, 0x11223344 },  // its sRGB
        { 87, 4, 0x44332211, 0x33221144 },  // B8G8R8A8_UNORM
        { 88, 4, 0x44332211, 0x332211FF },  // B8G8R8X8_UNORM
        { 91, 4, 0x44332211, 0x33221144 },  // B8G8R8A8_UNORM_SRGB
        { 93, 4, 0x44332211, 0x332211FF },  // B8G8R8X8_UNORM_SRGB
        { 24, 4, 0xFFF003FF, 0xFF00FFFF },  // R10G10B10A2_UNORM
        { 49, 2, 0x2211, 0x112200FF },      // R8G8_UNORM
        { 61, 1, 0x11, 0x111111FF },        // R8_UNORM, shown as grey
        { 65, 1, 0x11, 0x00000011 },        // A8_UNORM
        { 85, 2, 0xF81F, 0xFF00FFFF },      // B5G6R5_UNORM
        { 86, 2, 0x83E0, 0x00FF00FF },      // B5G5R5A1_UNORM
        { 115, 2, 0x4F0A, 0xFF00AA44 },     // B4G4R4A4_UNORM
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        picture_dds(&p, 1, 1, "DX10");
        for (int k = 0; k < 5; k++) picture_u32(&p, (const uint32_t[]){ rows[i].format, 3, 0, 1, 0 }[k]);
        const uint8_t bytes[4] = { (uint8_t)rows[i].value, (uint8_t)(rows[i].value >> 8),
                                   (uint8_t)(rows[i].value >> 16), (uint8_t)(rows[i].value >> 24) };
        picture_bytes(&p, bytes, rows[i].bytes);
        picture_expect(&p, 1, 1, &rows[i].wanted);
    }
}

static void what_is_refused(void **state)
{
    (void)state;
    static const uint32_t masks[4] = { 0xFF, 0, 0, 0 };
    picture_dds(&p, 4, 4, "ABCD");
    picture_refuse(&p, SN_ERR_UNSUPPORTED);
    picture_dds(&p, 4, 4, "DX10");
    picture_refuse(&p, SN_ERR_TRUNCATED);
    picture_u32(&p, 95);  // BC6H
    picture_fill(&p, 0, 16 + 16);
    picture_refuse(&p, SN_ERR_UNSUPPORTED);
    picture_dds_masks(&p, 1, 1, 12, masks);
    picture_refuse(&p, SN_ERR_UNSUPPORTED);
    picture_dds(&p, 0, 4, "DXT1");
    picture_refuse(&p, SN_ERR_CORRUPT);
    picture_dds(&p, 0xFFFFFFFF, 0xFFFFFFFF, "DXT1");
    picture_refuse(&p, SN_ERR_LIMIT);
    picture_dds(&p, 4096, 4096, "DXT1");
    picture_refuse(&p, SN_ERR_TRUNCATED);
    p.size = 127;
    picture_refuse(&p, SN_ERR_TRUNCATED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bc1_has_four_colours_or_three),
        cmocka_unit_test(bc2_and_bc3_have_four_colours_always),
        cmocka_unit_test(premultiplied_colours_are_divided),
        cmocka_unit_test(bc4_is_grey),
        cmocka_unit_test(signed_blocks),
        cmocka_unit_test(bc5_is_a_normal),
        cmocka_unit_test(bc7_with_three_subsets),
        cmocka_unit_test(bc7_with_two_subsets),
        cmocka_unit_test(bc7_with_two_indices),
        cmocka_unit_test(bc7_with_sixteen_steps),
        cmocka_unit_test(plain_pixels),
        cmocka_unit_test(luminance_and_alpha),
        cmocka_unit_test(mips_cubes_and_edges),
        cmocka_unit_test(numbered_formats_without_blocks),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
