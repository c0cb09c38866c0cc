// DDS and BLP with JPEG that sinew writes: header, mip levels, and pixels within what the formats' mathematics allow.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "image/image.h"

typedef enum file_kind { DDS, NORMAL_MAP, JPEG } file_kind;

typedef struct written {
    sni_heap heap;
    sni_arena arena;
    sni_writer out;
    uint32_t error;
} written;

static void write(written *w, file_kind kind, uint32_t width, uint32_t height, uint8_t *rgba)
{
    sni_diag diag;
    const sn_pixels pixels = { .width = width, .height = height, .rgba = rgba };
    sni_diag_init(&diag, NULL);
    sni_heap_init(&w->heap, NULL, 1 << 28);
    sni_arena_init(&w->arena, &w->heap);
    sni_writer_init(&w->out, &w->heap);
    assert_true(kind == JPEG ? sni_blp_write_jpeg(&w->out, &w->arena, &diag, &pixels, &w->error)
                             : sni_dds_write(&w->out, &w->arena, &diag, &pixels, kind == NORMAL_MAP, &w->error));
}

static void release(written *w)
{
    sni_writer_free(&w->out);
    sni_arena_free(&w->arena);
}

static uint32_t word(const written *w, size_t at)
{
    assert_true(at + 4 <= w->out.size);
    const uint8_t *b = w->out.data + at;
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

// A level as a decoder shows it; false: this build has no JPEG.
static bool decode(const written *w, uint32_t mip, sn_pixels *pixels)
{
    const sn_image image = { .data = w->out.data, .size = w->out.size };
    const sn_status status = sn_image_decode(&image, &(sn_decode_opts){ .mip = mip }, pixels, NULL);
    if (status == SN_ERR_UNSUPPORTED) return false;
    assert_int_equal(status, SN_OK);
    return true;
}

static uint32_t random_of(uint32_t *seed) { return (*seed = *seed * 1664525u + 1013904223u) >> 24; }

// Root mean square and largest difference of the first channels.
static double compare(const sn_pixels *a, const uint8_t *rgba, uint32_t channels, uint32_t *largest)
{
    double sum = 0.0;
    const size_t count = (size_t)a->width * a->height;
    *largest = 0;
    for (size_t i = 0; i < count; i++)
        for (uint32_t c = 0; c < channels; c++) {
            const int off = a->rgba[4 * i + c] - rgba[4 * i + c];
            sum += off * off;
            if ((uint32_t)abs(off) > *largest) *largest = (uint32_t)abs(off);
        }
    return sqrt(sum / (double)(count * channels));
}

static void dds_has_a_header_and_all_levels(void **state)
{
    static const struct {
        uint32_t width, height, out_width, out_height, levels, blocks;
    } cases[] = { { 1, 1, 4, 4, 3, 3 },
                  { 3, 5, 4, 8, 4, 2 + 1 + 1 + 1 },
                  { 16, 16, 16, 16, 5, 16 + 4 + 1 + 1 + 1 },
                  { 32, 4, 32, 4, 6, 8 + 4 + 2 + 1 + 1 + 1 } };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof cases / sizeof cases[0]; i++) {
        uint8_t rgba[16 * 16 * 4];
        written w;
        const bool has_alpha = i % 2;
        memset(rgba, 255, sizeof rgba);
        if (has_alpha) rgba[3] = 254;
        write(&w, DDS, cases[i / 2].width, cases[i / 2].height, rgba);
        assert_memory_equal(w.out.data, "DDS ", 4);
        assert_int_equal(word(&w, 4), 124);
        assert_int_equal(word(&w, 8), 0x000A1007);  // caps, sides, format, mip count, linear size
        assert_int_equal(word(&w, 12), cases[i / 2].out_height);
        assert_int_equal(word(&w, 16), cases[i / 2].out_width);
        assert_int_equal(word(&w, 28), cases[i / 2].levels);
        assert_int_equal(word(&w, 76), 32);
        assert_int_equal(word(&w, 80), 4);
        assert_memory_equal(w.out.data + 84, has_alpha ? "DXT5" : "DXT1", 4);
        assert_int_equal(word(&w, 108), 0x401008);
        assert_int_equal(w.out.size, 128 + cases[i / 2].blocks * (has_alpha ? 16 : 8));
        release(&w);
    }
}

// Every grey, and every value of alpha: the interpolated colours come within 1 of any value of one colour.
static void dds_of_one_color_is_near(void **state)
{
    (void)state;
    for (uint32_t v = 0; v < 256; v++) {
        uint8_t rgba[64];
        written w;
        sn_pixels got;
        uint32_t largest;
        for (int i = 0; i < 16; i++)
            rgba[4 * i] = (uint8_t)v, rgba[4 * i + 1] = (uint8_t)(255 - v), rgba[4 * i + 2] = (uint8_t)(v ^ 85),
                     rgba[4 * i + 3] = (uint8_t)v;
        write(&w, DDS, 4, 4, rgba);
        assert_true(decode(&w, 0, &got));
        compare(&got, rgba, 4, &largest);
        assert_true(largest <= 1);
        assert_int_equal(largest, w.error);
        assert_int_equal(got.rgba[3], v);  // alpha has eight bits
        sn_pixels_free(&got);
        release(&w);
    }
}

// Two colours of 5, 6, 5 bits are exact; a smooth ramp has blocks on a line: at most half a step of a sixth off, and
// half a unit of 5 bits.
static void dds_of_lines_is_near(void **state)
{
    enum { SIDE = 64 };
    static uint8_t rgba[SIDE * SIDE * 4];
    written w;
    sn_pixels got;
    uint32_t largest;
    (void)state;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint8_t on = i * 7919 % 31 % 2 ? 255 : 0;
        memcpy(rgba + 4 * i, (const uint8_t[]){ on, (uint8_t)(255 - on), 0, 255 }, 4);
    }
    write(&w, DDS, SIDE, SIDE, rgba);
    assert_int_equal(w.error, 0);
    release(&w);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint8_t v = (uint8_t)(i % SIDE * 4);
        memcpy(rgba + 4 * i, (const uint8_t[]){ v, v, (uint8_t)(255 - v), v }, 4);
    }
    write(&w, DDS, SIDE, SIDE, rgba);  // steps of 4 in a block: a range of 12
    assert_true(decode(&w, 0, &got));
    assert_true(compare(&got, rgba, 4, &largest) < 2.0);
    assert_true(largest <= 12 / 6 + 4);
    assert_int_equal(largest, w.error);
    for (uint32_t i = 0; i < SIDE * SIDE; i++) assert_true(abs(got.rgba[4 * i + 3] - rgba[4 * i + 3]) <= 12 / 14 + 1);
    sn_pixels_free(&got);
    release(&w);
}

// BC5 has eight values between ends of eight bits: half a seventh of the range of a block off at most.
static void normal_maps_keep_both_axes(void **state)
{
    static uint8_t rgba[16 * 16 * 4];
    written w;
    sn_pixels got;
    uint32_t largest;
    (void)state;
    for (uint32_t i = 0; i < 256; i++)
        memcpy(rgba + 4 * i,
               (const uint8_t[]){ (uint8_t)(100 + 5 * (i % 16 % 4) + i / 64), (uint8_t)(i / 16 * 10), 240, 255 }, 4);
    write(&w, NORMAL_MAP, 16, 16, rgba);
    assert_memory_equal(w.out.data + 84, "ATI2", 4);
    assert_true(decode(&w, 0, &got));
    compare(&got, rgba, 2, &largest);
    assert_true(largest <= (30 + 13) / 14 + 1);
    assert_int_equal(largest, w.error);
    sn_pixels_free(&got);
    release(&w);
}

// The transform is orthonormal: the mean square error is that of the steps, each off by half at most. Noise is the
// worst that can come.
static void jpeg_is_within_its_steps(void **state)
{
    enum { SIDE = 64, HEADER = 160 };
    static uint8_t rgba[SIDE * SIDE * 4];
    written w;
    sn_pixels got;
    uint32_t seed = 1, largest;
    (void)state;
    for (size_t i = 0; i < sizeof rgba; i++) rgba[i] = (uint8_t)random_of(&seed);
    write(&w, JPEG, SIDE, SIDE, rgba);
    assert_memory_equal(w.out.data, "BLP1\0\0\0\0\10\0\0\0", 12);
    const uint32_t head = word(&w, 156);
    assert_true(head <= 624);  // the most that Warcraft III reads
    assert_int_equal(word(&w, 28), HEADER + head);
    assert_memory_equal(w.out.data + HEADER, "\xFF\xD8\xFF\xDB\0\x43\0", 7);  // SOI, DQT
    double squares = 0.0;
    for (size_t i = 0; i < 64; i++) squares += pow(w.out.data[HEADER + 7 + i], 2) / 4.0;
    for (uint32_t mip = 0; mip < 7; mip++) {
        if (!decode(&w, mip, &got)) break;
        assert_int_equal(got.width, SIDE >> mip);
        assert_int_equal(got.height, SIDE >> mip);
        if (mip == 0) {
            assert_true(compare(&got, rgba, 4, &largest) <= sqrt(squares / 64.0) + 0.5);
            assert_true(abs((int)largest - (int)w.error) <= 1);  // decoders round differently
        }
        sn_pixels_free(&got);
    }
    assert_int_equal(word(&w, 92 + 4 * 7), 0);
    release(&w);
}

static void jpeg_of_one_color_is_exact(void **state)
{
    (void)state;
    for (uint32_t v = 0; v < 256; v += 5) {
        uint8_t rgba[3 * 4] = { (uint8_t)v, (uint8_t)(255 - v), 7, 255, (uint8_t)v, (uint8_t)(255 - v), 7, 255,
                                (uint8_t)v, (uint8_t)(255 - v), 7, 255 };
        written w;
        sn_pixels got;
        write(&w, JPEG, 3, 1, rgba);
        assert_int_equal(w.error, 0);
        assert_int_equal(word(&w, 8), 0);  // no alpha
        assert_int_equal(word(&w, 12), 4);
        if (decode(&w, 0, &got)) {
            for (int i = 0; i < 4; i++) assert_memory_equal(got.rgba + 4 * i, rgba, 4);
            sn_pixels_free(&got);
        }
        release(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dds_has_a_header_and_all_levels),
        cmocka_unit_test(dds_of_one_color_is_near),
        cmocka_unit_test(dds_of_lines_is_near),
        cmocka_unit_test(normal_maps_keep_both_axes),
        cmocka_unit_test(jpeg_is_within_its_steps),
        cmocka_unit_test(jpeg_of_one_color_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
