// BLP that sinew writes, byte by byte, by the layout of Warcraft III's files.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "image/image.h"
#include "image/tim2.h"

enum { HEADER = 156, PALETTE = 1024 };

typedef struct written {
    sni_heap heap;
    sni_arena arena;
    sni_writer out;
    uint32_t error;
} written;

static void write(written *w, uint32_t width, uint32_t height, uint8_t *rgba)
{
    sni_diag diag;
    const sn_pixels pixels = { .width = width, .height = height, .rgba = rgba };
    sni_diag_init(&diag, NULL);
    sni_heap_init(&w->heap, NULL, 1 << 28);
    sni_arena_init(&w->arena, &w->heap);
    sni_writer_init(&w->out, &w->heap);
    assert_true(sni_blp_write(&w->out, &w->arena, &diag, &pixels, &w->error));
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

// Red, green, blue, alpha of a pixel of a level.
static uint32_t pixel(const written *w, uint32_t level, uint32_t count, uint32_t at)
{
    const uint32_t offset = word(w, 28 + 4 * level), size = word(w, 92 + 4 * level);
    assert_int_equal(size, 2 * count);
    assert_true(offset + size <= w->out.size);
    const uint8_t index = w->out.data[offset + at], alpha = w->out.data[offset + count + at];
    const uint32_t color = word(w, HEADER + 4u * index);  // blue is the lowest byte
    return (color & 0xFFFFFF) << 8 | alpha;
}

// BLP has 16 mip levels, TIM2 sides of 16 bits.
static void sides_have_a_limit(void **state)
{
    static uint8_t rgba[4 * 65536];
    const sn_pixels longest = { .width = 1, .height = 32768, .rgba = rgba };
    const sn_pixels too_long[] = { { .width = 32769, .height = 1, .rgba = rgba },
                                   { .width = 1, .height = 32769, .rgba = rgba },
                                   { .width = 1, .height = 65536, .rgba = rgba } };
    (void)state;
    for (int i = 0; i < 4; i++) {
        written w;
        sni_diag diag;
        uint64_t rounded = 0;
        sni_diag_init(&diag, NULL);
        sni_heap_init(&w.heap, NULL, 1 << 28);
        sni_arena_init(&w.arena, &w.heap);
        sni_writer_init(&w.out, &w.heap);
        if (i == 3) assert_false(sni_tim2_write(&w.out, &w.arena, &diag, &too_long[2], &rounded));
        else
            assert_int_equal(sni_blp_write(&w.out, &w.arena, &diag, i == 2 ? &longest : &too_long[i], &w.error),
                             i == 2);
        assert_int_equal(diag.error.status, i == 2 ? SN_OK : SN_ERR_LIMIT);
        release(&w);
    }
}

static void few_colors_are_exact(void **state)
{
    uint8_t rgba[] = { 255, 0, 0, 255, 0, 255, 0, 128, 0, 0, 255, 0, 10, 20, 30, 40,
                       255, 0, 0, 255, 0, 255, 0, 128, 0, 0, 255, 0, 10, 20, 30, 44 };
    written w;
    (void)state;
    write(&w, 4, 2, rgba);
    assert_memory_equal(w.out.data, "BLP1", 4);
    assert_int_equal(word(&w, 4), 1);  // a palette
    assert_int_equal(word(&w, 8), 8);  // bits of alpha
    assert_int_equal(word(&w, 12), 4);
    assert_int_equal(word(&w, 16), 2);
    assert_int_equal(word(&w, 24), 1);  // mip levels
    assert_int_equal(w.error, 0);
    assert_int_equal(pixel(&w, 0, 8, 0), 0xFF0000FF);
    assert_int_equal(pixel(&w, 0, 8, 1), 0x00FF0080);
    assert_int_equal(pixel(&w, 0, 8, 2), 0x0000FF00);
    assert_int_equal(pixel(&w, 0, 8, 7), 0x0A141E2C);
    assert_int_equal(pixel(&w, 1, 2, 0) & 255, (255 + 128) / 2 + 1);  // alphas 255, 128, 255, 128: 191.5
    assert_int_equal(pixel(&w, 1, 2, 1) & 255, (0 + 40 + 0 + 44 + 2) / 4);
    pixel(&w, 2, 1, 0);
    assert_int_equal(word(&w, 92 + 4 * 3), 0);  // 4 x 2, 2 x 1, 1 x 1
    assert_int_equal(w.out.size, HEADER + PALETTE + 2 * (8 + 2 + 1));
    release(&w);
}

// 16,384 colours; median cut into 256 boxes of the two-dimensional ramp: cells of 8 x 8 at best.
static void many_colors_are_near(void **state)
{
    enum { SIDE = 128 };
    uint8_t *rgba = malloc(4 * SIDE * SIDE);
    written w;
    (void)state;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        rgba[4 * i] = (uint8_t)(2 * (i % SIDE)), rgba[4 * i + 1] = (uint8_t)(2 * (i / SIDE));
        rgba[4 * i + 2] = 100, rgba[4 * i + 3] = 255;
    }
    write(&w, SIDE, SIDE, rgba);
    uint32_t largest = 0;
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        const uint32_t got = pixel(&w, 0, SIDE * SIDE, i);
        for (uint32_t c = 0; c < 3; c++) {
            const int off = (int)(got >> (24 - 8 * c) & 255) - rgba[4 * i + c];
            if ((uint32_t)abs(off) > largest) largest = (uint32_t)abs(off);
        }
    }
    assert_int_equal(largest, w.error);
    assert_true(largest <= 20);
    assert_int_equal(word(&w, 92 + 4 * 7), 2);  // 128 to 1: eight levels
    assert_int_equal(word(&w, 92 + 4 * 8), 0);
    release(&w);
    free(rgba);
}

static void sides_become_powers(void **state)
{
    uint8_t rgba[3 * 5 * 4];
    written w;
    (void)state;
    memset(rgba, 77, sizeof rgba);
    write(&w, 3, 5, rgba);
    assert_int_equal(word(&w, 12), 4);
    assert_int_equal(word(&w, 16), 8);
    for (uint32_t i = 0; i < 32; i++) assert_int_equal(pixel(&w, 0, 32, i), 0x4D4D4D4D);
    release(&w);
}

// What is transparent gives no colour to smaller levels.
static void mips_do_not_bleed(void **state)
{
    uint8_t rgba[] = { 200, 0, 0, 255, 0, 0, 200, 0, 200, 0, 0, 255, 0, 0, 200, 0 };
    written w;
    (void)state;
    write(&w, 2, 2, rgba);
    assert_int_equal(pixel(&w, 1, 1, 0), 0xC8000080);
    release(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(few_colors_are_exact), cmocka_unit_test(many_colors_are_near),
                                        cmocka_unit_test(sides_become_powers), cmocka_unit_test(mips_do_not_bleed),
                                        cmocka_unit_test(sides_have_a_limit) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
