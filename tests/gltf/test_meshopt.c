// meshopt streams and filters: the same bytes as meshoptimizer, and version 1 of attributes, which Debian's lacks.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "meshopt/meshopt.h"
#include "meshopt_encode.h"

#ifdef TEST_HAS_MESHOPT
#    include <meshoptimizer.h>
#endif

enum { ROOM = 1 << 17 };
static uint8_t plain[ROOM], unpacked[ROOM];
static uint8_t packed[2 * ROOM];

static uint32_t seed;
static uint32_t chance(uint32_t below) { return meshopt_chance(&seed, below); }

// Each byte of the elements changes in its own way: not, slowly, in jumps, at random.
static void fill_elements(uint32_t count, uint32_t stride)
{
    for (uint32_t b = 0; b < stride; b++) {
        uint32_t value = chance(256), kind = chance(6);
        for (uint32_t i = 0; i < count; i++) {
            if (kind == 5 || (kind == 4 && chance(9) == 0)) value = chance(256);
            else if (kind > 0) value += chance(1u << kind) - (1u << kind) / 2;
            plain[(size_t)i * stride + b] = (uint8_t)value;
        }
    }
}

// The stream as it is decodes; shorter or longer ones do not. Buffers have their exact sizes, for the sanitizer.
typedef bool decoder(sni_bytes in, uint32_t count, uint32_t stride, uint8_t *out);

static bool decode_exact(decoder *decode, size_t size, uint32_t count, uint32_t stride)
{
    uint8_t *in = malloc(size + 1), *out = malloc((size_t)count * stride);
    assert_true(in && out);
    memcpy(in, packed, size);
    in[size] = 0;
    bool is_good = decode((sni_bytes){ in, size }, count, stride, out);
    memcpy(unpacked, out, (size_t)count * stride);
    free(in);
    free(out);
    return is_good;
}

static void expect_decoded(decoder *decode, size_t size, uint32_t count, uint32_t stride, const uint8_t *wanted)
{
    if (!decode_exact(decode, size, count, stride)) fail_msg("%u elements of %u bytes: refused", count, stride);
    if (memcmp(unpacked, wanted, (size_t)count * stride) != 0)
        fail_msg("%u elements of %u bytes: others came back", count, stride);
    for (size_t cut = 0; cut < size; cut += 1 + cut / 8) assert_false(decode_exact(decode, cut, count, stride));
    assert_false(decode_exact(decode, size - 1, count, stride));
    packed[size] = 0;
    assert_false(decode_exact(decode, size + 1, count, stride));
}

static const uint32_t strides[] = { 4, 8, 12, 16, 20, 36, 64, 256 };
static const uint32_t counts[] = { 1, 2, 15, 16, 17, 64, 255, 256, 257, 300 };
enum { STRIDES = sizeof strides / sizeof *strides, COUNTS = sizeof counts / sizeof *counts };

static void version_1_of_attributes(void **state)
{
    (void)state;
    seed = 1;
    for (size_t s = 0; s < STRIDES; s++)
        for (size_t c = 0; c < COUNTS; c++) {
            fill_elements(counts[c], strides[s]);
            expect_decoded(sni_meshopt_attributes, meshopt_encode(packed, plain, counts[c], strides[s], &seed),
                           counts[c], strides[s], plain);
        }
    fill_elements(16, 4);
    size_t size = meshopt_encode(packed, plain, 16, 4, &seed);
    for (unsigned kind = 0; kind < 256; kind++) {  // high bits only with rotations
        packed[size - 1] = (uint8_t)kind;
        assert_int_equal(decode_exact(sni_meshopt_attributes, size, 16, 4), kind < 2 || (kind & 15) == 2);
    }
}

// The example of the extension's text: 16 differences of 4 bits.
static void example_of_the_text(void **state)
{
    (void)state;
    static const uint8_t group[] = { 0x17, 0x5F, 0xF0, 0xBC, 0x77, 0xA9, 0x21, 0x00, 0x34, 0xB5 };
    static const int deltas[16] = { -1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0 };
    uint8_t *out = packed;
    *out++ = 0xA0;
    *out++ = 2;  // 4 bits
    memcpy(out, group, sizeof group);
    out += sizeof group;
    memset(out, 0, 3 + 32);  // three bytes that do not change, and the tail
    assert_true(decode_exact(sni_meshopt_attributes, (size_t)(out - packed) + 3 + 32, 16, 4));
    int value = 0;
    for (int i = 0; i < 16; i++) assert_int_equal(unpacked[i * 4], (uint8_t)(value += deltas[i]));
}

// A number has at most five bytes.
static void endless_numbers(void **state)
{
    (void)state;
    for (uint32_t length = 1; length <= 6; length++) {
        packed[0] = 0xD1;
        memset(packed + 1, 0x80, length - 1);
        memset(packed + length, 0, 1 + 4);
        assert_int_equal(decode_exact(sni_meshopt_indices, 1 + length + 4, 1, 4), length <= 5);
    }
}

// Colours by hand: 8 bits of precision, then 4, in both sizes.
static void colors(void **state)
{
    (void)state;
    // y 100, orange 50, green 20: 130, 120, 30; alpha: 100 of 127 is 200 of 255
    uint8_t small[8] = { 100, 50, 20, 0x80 | 100, 7, 0xFE, 3, 0x8 | 5 };
    sni_meshopt_color(small, 2, 4);
    // y 7, orange -2, green 3 of 15: 2, 10, 6; alpha: 5 of 7 is 11 of 15
    static const uint8_t wanted[8] = { 130, 120, 30, 200, 34, 170, 102, 187 };
    assert_memory_equal(small, wanted, sizeof wanted);
    uint8_t wide[8] = { 7, 0, 0xFE, 0xFF, 3, 0, 0x8 | 5, 0 };
    sni_meshopt_color(wide, 1, 8);
    for (size_t c = 0; c < 4; c++) assert_int_equal(sni_load_u16(wide + 2 * c), wanted[4 + c] * 257);
    uint8_t none[4] = { 200, 1, 2, 0 };  // no precision: nothing to divide by
    sni_meshopt_color(none, 1, 4);
    assert_memory_equal(none, "\0\0\0\0", 4);
}

// Whatever the bytes, every filter stays in range; sanitizers watch.
static void filters_of_any_bytes(void **state)
{
    (void)state;
    seed = 5;
    for (int round = 0; round < 5; round++) {
        for (uint32_t i = 0; i < 4096; i++) plain[i] = (uint8_t)(round < 4 ? chance(256) : 0);
        if (round == 0) sni_meshopt_octahedral(plain, 1024, 4);
        if (round == 1) sni_meshopt_octahedral(plain, 512, 8);
        if (round == 2) sni_meshopt_color(plain, 512, 8);
        if (round == 3) sni_meshopt_exponential(plain, 256, 16);
        sni_meshopt_quaternion(plain, 512);
    }
}

#ifdef TEST_HAS_MESHOPT
static uint8_t expected[ROOM];

static void attributes_of_the_library(void **state)
{
    (void)state;
    seed = 2;
    for (size_t s = 0; s < STRIDES; s++)
        for (size_t c = 0; c < COUNTS; c++) {
            fill_elements(counts[c], strides[s]);
            size_t size = meshopt_encodeVertexBuffer(packed, sizeof packed, plain, counts[c], strides[s]);
            expect_decoded(sni_meshopt_attributes, size, counts[c], strides[s], plain);
        }
}

// Strips of a grid, with triangles at random: all kinds of codes. Both versions, both sizes.
static void indices_of_the_library(void **state)
{
    (void)state;
    static uint32_t indices[3000];
    seed = 3;
    for (uint32_t round = 0; round < 40; round++) {
        uint32_t count = 3 * (1 + chance(round * 20 + 1)), last = chance(60000), stride = round % 2 ? 2 : 4;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t kind = chance(4 + round % 3);
            if (kind == 0) last = chance(stride == 2 ? 65536 : 1u << 23);
            else if (kind == 1) last++;
            else if (kind == 2 && last > 0) last--;
            indices[i] = i >= 3 && kind > 2 ? indices[i - 1 - chance(i < 12 ? 3 : 12)]
                                            : last & (stride == 2 ? 0xFFFF : ~0u);
        }
        meshopt_encodeIndexVersion((int)(round / 2 % 2));
        size_t size = meshopt_encodeIndexBuffer(packed, sizeof packed, indices, count);
        assert_true(size > 0);
        assert_int_equal(meshopt_decodeIndexBuffer(expected, count, stride, packed, size), 0);
        expect_decoded(sni_meshopt_triangles, size, count, stride, expected);
        size = meshopt_encodeIndexSequence(packed, sizeof packed, indices, count);
        assert_int_equal(meshopt_decodeIndexSequence(expected, count, stride, packed, size), 0);
        expect_decoded(sni_meshopt_indices, size, count, stride, expected);
    }
}

// Exact, or one unit of the integers apart: the text allows as much for all but exponents.
static void expect_near(const char *name, uint32_t count, uint32_t bytes, int most)
{
    for (uint32_t i = 0; i < count; i++) {
        int ours = bytes == 1 ? (int8_t)unpacked[i] : (int16_t)sni_load_u16(unpacked + (size_t)2 * i),
            theirs = bytes == 1 ? (int8_t)expected[i] : (int16_t)sni_load_u16(expected + (size_t)2 * i);
        if (abs(ours - theirs) > most) fail_msg("%s: number %u is %d, not %d", name, i, ours, theirs);
    }
}

static void filters_of_the_library(void **state)
{
    (void)state;
    enum { VECTORS = 500 };
    static float vectors[VECTORS][4];
    seed = 4;
    for (int bits = 4; bits <= 16; bits++) {
        for (uint32_t i = 0; i < VECTORS; i++) {
            float length = 0;
            for (int c = 0; c < 4; c++) {
                vectors[i][c] = ((float)chance(20001) - 10000) / 10000;
                length += vectors[i][c] * vectors[i][c];
            }
            for (int c = 0; c < 4; c++) vectors[i][c] /= sqrtf(length);
        }
        for (uint32_t stride = 4; stride <= 8; stride += 4) {
            if (stride == 4 && bits > 8) continue;
            meshopt_encodeFilterOct(expected, VECTORS, stride, bits, vectors[0]);
            memcpy(unpacked, expected, (size_t)VECTORS * stride);
            meshopt_decodeFilterOct(expected, VECTORS, stride);
            sni_meshopt_octahedral(unpacked, VECTORS, stride);
            expect_near("octahedral", VECTORS * 4, stride / 4, 1);
        }
        meshopt_encodeFilterQuat(expected, VECTORS, 8, bits, vectors[0]);
        memcpy(unpacked, expected, (size_t)VECTORS * 8);
        meshopt_decodeFilterQuat(expected, VECTORS, 8);
        sni_meshopt_quaternion(unpacked, VECTORS);
        expect_near("quaternion", VECTORS * 4, 2, 1);
    }
    for (uint32_t i = 0; i < 4 * VECTORS; i++) {
        uint32_t number = (uint32_t)((int)chance(201) - 100) << 24 | chance(1u << 24);
        for (int b = 0; b < 4; b++) expected[i * 4 + (uint32_t)b] = (uint8_t)(number >> 8 * b);
    }
    memcpy(unpacked, expected, (size_t)VECTORS * 16);
    meshopt_decodeFilterExp(expected, VECTORS, 16);
    sni_meshopt_exponential(unpacked, VECTORS, 16);
    assert_memory_equal(unpacked, expected, (size_t)VECTORS * 16);
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_1_of_attributes),   cmocka_unit_test(example_of_the_text),
        cmocka_unit_test(endless_numbers),           cmocka_unit_test(colors),
        cmocka_unit_test(filters_of_any_bytes),
#ifdef TEST_HAS_MESHOPT
        cmocka_unit_test(attributes_of_the_library), cmocka_unit_test(indices_of_the_library),
        cmocka_unit_test(filters_of_the_library),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
