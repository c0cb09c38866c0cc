// PNG: every kind decoded to pixels worked out by hand, what is packed and unpacked, what is refused, and writing.
#include "base/checksum.h"
#include "base/deflate.h"
#include "base/inflate.h"
#include "base_fixture.h"
#include "image/png.h"
#include "image_files.h"

static picture p;

// A picture of one row without filter.
static void one_row(uint32_t width, unsigned depth, unsigned color, const char *extra, const void *extra_data,
                    size_t extra_size, const char *samples, size_t size, const uint32_t *wanted)
{
    uint8_t rows[256] = { 0 };
    memcpy(rows + 1, samples, size);
    picture_png(&p, width, 1, depth, color, 0);
    if (color == 3) picture_chunk(&p, "PLTE", "\x10\x20\x30\x40\x50\x60\x70\x80\x90\xA0\xB0\xC0", 12);
    if (extra) picture_chunk(&p, extra, extra_data, extra_size);
    picture_png_pixels(&p, rows, size + 1);
    picture_expect(&p, width, 1, wanted);
}
#define ROW(width, depth, color, samples, ...) \
    one_row(width, depth, color, NULL, NULL, 0, samples, sizeof samples - 1, (const uint32_t[]){ __VA_ARGS__ })
#define ROW_TRANSPARENT(width, depth, color, key, samples, ...)                            \
    one_row(width, depth, color, "tRNS", key, sizeof key - 1, samples, sizeof samples - 1, \
            (const uint32_t[]){ __VA_ARGS__ })

static void every_depth_and_colour(void **state)
{
    (void)state;
    ROW(9, 1, 0, "\xA5\x80", 0xFFFFFFFF, 0xFF, 0xFFFFFFFF, 0xFF, 0xFF, 0xFFFFFFFF, 0xFF, 0xFFFFFFFF, 0xFFFFFFFF);
    ROW(4, 2, 0, "\x1B", 0x000000FF, 0x555555FF, 0xAAAAAAFF, 0xFFFFFFFF);
    ROW(3, 4, 0, "\x0F\x70", 0x000000FF, 0xFFFFFFFF, 0x777777FF);
    ROW(2, 8, 0, "\x00\x7F", 0x000000FF, 0x7F7F7FFF);
    ROW(3, 16, 0, "\x80\x00\x00\x80\x00\x81", 0x808080FF, 0x000000FF,
        0x010101FF);  // 128 / 257 rounds to 0, 129 / 257 to 1
    ROW(1, 8, 2, "\x01\x02\x03", 0x010203FF);
    ROW(1, 16, 2, "\x01\x01\xFF\xFF\x02\x02", 0x01FF02FF);
    ROW(4, 2, 3, "\x1B", 0x102030FF, 0x405060FF, 0x708090FF, 0xA0B0C0FF);
    ROW(2, 8, 3, "\x03\x04", 0xA0B0C0FF, 0x000000FF);  // past the palette: black
    ROW(2, 8, 4, "\x11\x22\x33\x44", 0x11111122, 0x33333344);
    ROW(1, 16, 4, "\xFE\xFE\x80\x80", 0xFEFEFE80);
    ROW(2, 8, 6, "\x01\x02\x03\x04\x05\x06\x07\x08", 0x01020304, 0x05060708);
    ROW(1, 16, 6, "\x00\x00\x01\x01\x02\x02\x03\x03", 0x00010203);
}

static void transparent_colours(void **state)
{
    (void)state;
    ROW_TRANSPARENT(4, 2, 3, "\x00\x80", "\x1B", 0x10203000, 0x40506080, 0x708090FF, 0xA0B0C0FF);
    ROW_TRANSPARENT(4, 2, 0, "\x00\x02", "\x1B", 0x000000FF, 0x555555FF, 0xAAAAAA00, 0xFFFFFFFF);
    ROW_TRANSPARENT(2, 8, 2, "\x00\x01\x00\x02\x00\x03", "\x01\x02\x03\x01\x02\x04", 0x01020300, 0x010204FF);
    ROW_TRANSPARENT(2, 16, 0, "\x12\x34", "\x12\x34\x12\x35", 0x12121200, 0x121212FF);  // alike only once rounded
    ROW_TRANSPARENT(1, 8, 6, "\x01", "\x01\x02\x03\x04", 0x01020304);                   // has no place here: ignored
}

// Each filter over two pixels, its differences worked out from the format's definition; then each choice of the last.
static void every_filter(void **state)
{
    (void)state;
    static const uint8_t rows[6][7] = {
        { 0, 10, 20, 30, 200, 100, 50 }, { 1, 10, 20, 30, 190, 80, 20 }, { 2, 0, 0, 0, 1, 2, 3 },
        { 3, 5, 10, 15, 96, 41, 11 },    { 4, 0, 0, 0, 10, 10, 10 },     { 4, 100, 0, 200, 1, 1, 1 },
    };
    static const uint32_t wanted[] = { 0x0A141EFF, 0xC86432FF, 0x0A141EFF, 0xC86432FF, 0x0A141EFF, 0xC96635FF,
                                       0x0A141EFF, 0xC96634FF, 0x0A141EFF, 0xD3703EFF, 0x6E14E6FF, 0xD471E7FF };
    picture_png(&p, 2, 6, 8, 2, 0);
    picture_png_pixels(&p, rows, sizeof rows);
    picture_expect(&p, 2, 6, wanted);
    picture_png(&p, 2, 2, 8, 0, 0);
    picture_png_pixels(&p, "\0\x14\x0A\4\x0A\0", 6);  // left 30, up 10, corner 20: the corner
    picture_expect(&p, 2, 2, (const uint32_t[]){ 0x141414FF, 0x0A0A0AFF, 0x1E1E1EFF, 0x141414FF });
}

// The number of each pixel's pass, in the pattern that the specification prints.
static void interlacing(void **state)
{
    (void)state;
    static const char *const pattern[8] = { "16462646", "77777777", "56565656", "77777777",
                                            "36463646", "77777777", "56565656", "77777777" };
    for (uint32_t width = 1; width <= 9; width++) {
        for (uint32_t height = 1; height <= 9; height++) {
            uint8_t rows[256];
            uint32_t wanted[81], size = 0;
            for (char pass = '1'; pass <= '7'; pass++) {
                for (uint32_t y = 0; y < height; y++) {
                    uint32_t filter_at = size;
                    for (uint32_t x = 0; x < width; x++) {
                        if (pattern[y % 8][x % 8] != pass) continue;
                        if (size == filter_at) rows[size++] = 0;
                        rows[size++] = (uint8_t)(y * 16 + x);
                        wanted[y * width + x] = (y * 16 + x) * 0x01010100 + 255;
                    }
                }
            }
            picture_png(&p, width, height, 8, 0, 1);
            picture_png_pixels(&p, rows, size);
            picture_expect(&p, width, height, wanted);
        }
    }
}

static int checksum_warnings;
static void count_warning(void *user, const sn_warning *warning)
{
    (void)user;
    checksum_warnings += strcmp(sn_warning_name(warning->code), "IMAGE_CHECKSUM") == 0 ? (int)warning->count : 100;
}

static void wrong_checksums_are_told(void **state)
{
    (void)state;
    sn_decode_opts opts = { .report = count_warning };
    picture_png(&p, 1, 1, 8, 0, 0);
    p.data[p.size - 1] ^= 1;
    picture_png_pixels(&p, "\0\x42", 2);
    p.data[p.size - 12 - 5] ^= 1;  // of the zlib stream
    checksum_warnings = 0;
    picture_expect_with(&p, &opts, 1, 1, (const uint32_t[]){ 0x424242FF });
    assert_int_equal(checksum_warnings, 2);
}

static void what_is_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t width, height;
        uint8_t depth, color, interlace;
        sn_status status;
    } heads[] = {
        { 0, 1, 8, 0, 0, SN_ERR_CORRUPT },
        { 1, 0, 8, 0, 0, SN_ERR_CORRUPT },
        { 1, 1, 3, 0, 0, SN_ERR_CORRUPT },
        { 1, 1, 8, 1, 0, SN_ERR_CORRUPT },
        { 1, 1, 8, 5, 0, SN_ERR_CORRUPT },
        { 1, 1, 8, 7, 0, SN_ERR_CORRUPT },
        { 1, 1, 4, 2, 0, SN_ERR_CORRUPT },
        { 1, 1, 16, 3, 0, SN_ERR_CORRUPT },
        { 1, 1, 8, 0, 2, SN_ERR_CORRUPT },
        { 2, 1, 8, 0, 0, SN_ERR_TRUNCATED },
        { 0xFFFFFFFF, 0xFFFFFFFF, 8, 0, 0, SN_ERR_LIMIT },
        { 8193, 8192, 8, 0, 0, SN_ERR_LIMIT },
        { 8192, 8192, 8, 0, 0, SN_ERR_TRUNCATED },
    };
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        picture_png(&p, heads[i].width, heads[i].height, heads[i].depth, heads[i].color, heads[i].interlace);
        picture_png_pixels(&p, "\0\0", 2);
        picture_refuse(&p, heads[i].status);
    }
    picture_png(&p, 1, 1, 8, 0, 0);
    picture_png_pixels(&p, "\5\0", 2);  // no such filter
    picture_refuse(&p, SN_ERR_CORRUPT);
    picture_png(&p, 1, 1, 8, 0, 0);
    picture_chunk(&p, "IEND", "", 0);  // no pixels at all
    picture_refuse(&p, SN_ERR_TRUNCATED);
    picture_clear(&p);
    picture_bytes(&p, "\x89PNG\r\n\x1A\n", 8);
    picture_chunk(&p, "gAMA", "\0\0\0\1", 4);
    picture_refuse(&p, SN_ERR_CORRUPT);
    picture_clear(&p);
    picture_bytes(&p, "no image at all", 15);
    picture_refuse(&p, SN_ERR_FORMAT);
    picture_clear(&p);
    picture_bytes(&p, "\xABKTX 20\xBB\r\n\x1A\n", 12);
    picture_refuse(&p, SN_ERR_UNSUPPORTED);
}

static void limits_hold(void **state)
{
    (void)state;
    sn_pixels pixels;
    sn_error error;
    picture_png(&p, 2, 1, 8, 0, 0);
    picture_png_pixels(&p, "\0\1\2", 3);
    sn_decode_opts opts = { .limits.image_pixels = 1 };
    assert_int_equal(picture_decode(p.data, p.size, &opts, &pixels, &error), SN_ERR_LIMIT);
    opts = (sn_decode_opts){ .limits.memory_bytes = 100 };
    assert_int_equal(picture_decode(p.data, p.size, &opts, &pixels, &error), SN_ERR_LIMIT);
    sn_image missing = { .uri = "gone.png" };
    assert_int_equal(sn_image_decode(&missing, NULL, &pixels, NULL), SN_ERR_IO);
}

// Streams that another packer made.
static void unpacks(const char *stream, size_t size, const char *wanted, size_t wanted_size)
{
    uint8_t out[512];
    uint8_t *exact = malloc(size);
    if (!exact) abort();
    memcpy(exact, stream, size);
    sni_inflated done = sni_inflate((sni_bytes){ exact, size }, out, sizeof out);
    assert_int_equal(done.end, SNI_INFLATE_DONE);
    assert_int_equal(done.written, wanted_size);
    assert_int_equal(done.read, size);
    assert_memory_equal(out, wanted, wanted_size);
    for (size_t cut = 0; cut < size; cut++)
        assert_int_equal(sni_inflate((sni_bytes){ exact, cut }, out, sizeof out).end, SNI_INFLATE_SHORT);
    for (size_t room = 0; room < wanted_size; room++) {
        memset(out, 0xA5, sizeof out);
        done = sni_inflate((sni_bytes){ exact, size }, out, room);
        assert_int_equal(done.end, SNI_INFLATE_FULL);
        assert_int_equal(done.written, room);
        assert_memory_equal(out, wanted, room);
        assert_int_equal(out[room], 0xA5);
    }
    free(exact);
}

static void streams_of_others(void **state)
{
    (void)state;
    unpacks("\x01\x03\x00\xFC\xFF"
            "abc",
            8, "abc", 3);                                            // stored
    unpacks("\x4B\x04\x00", 3, "a", 1);                              // fixed code
    unpacks("\x4B\x4C\xC4\x04\x00", 5, "aaaaaaaaaaaaaaaaaaaa", 20);  // with a distance of 1
    unpacks("\x00\x01\x00\xFE\xFF"
            "a\x4B\x02\x00",
            9, "ab", 2);  // two blocks
}

// zlib's own, with a code for the purpose.
static void a_stream_of_zlib(void **state)
{
    (void)state;
    static const char stream[] =
        "\x7D\x8E\x61\x0A\x80\x20\x0C\x46\xAF\xB2\x03\x44\xA4\xA4\xE9\x75\xAA\x41\x22\x68\xA1\xDD\x3F\x70"
        "\x91\x43\xA4\x3F\xE3\x8D\xEF\xDB\x63\xF9\x40\xB8\x6E\xB7\x79\xC8\x1F\x19\x31\x83\xD5\x0A\xCE\x98"
        "\x70\x84\xE4\x5D\x18\x20\xC4\x1D\x61\x8D\x01\x89\x6A\xB9\xAC\xD4\xA4\xD9\x2B\x91\xA3\x24\x3F\xD2"
        "\x3A\x1A\xBD\x52\x92\x40\x18\xCD\x5D\xAD\xA5\x9E\xB1\x57\xB4\x98\x58\xD0\xA3\xD9\xBE\x7A\xE6\xAB"
        "\x69\x91\xD8\x45\x42\x7A\x00";
    static const char text[] =
        "the quick the quick 814 965 pose. skin, node bone node the quick node pose. pose. bone node the quic"
        "k skin, bone pose. skin, node bone node node node the quick node 552 node 186 skin, bone skin, node "
        "bone the quick pose. bone 610 the quick the quick the quick 492 node skin, node the quick bone 972 s";
    unpacks(stream, sizeof stream - 1, text, sizeof text - 1);
}

static void damaged_streams(void **state)
{
    (void)state;
    static const struct {
        const char *stream;
        size_t size;
    } bad[] = {
        { "\x07", 1 },  // block kind 3
        { "\x01\x03\x00\xFC\xFE"
          "abc",
          8 },                                      // sizes disagree
        { "\x4B\x04\x42\x00", 4 },                  // further back than the start
        { "\x4B\x1C\x03\x00", 4 },                  // length symbol 286 is not used
        { "\x4B\x04\x3E\x00", 4 },                  // nor is distance 30
        { "\xFD\x00\x00\x00\x00\x00\x00\x00", 8 },  // 288 literals
        { "\x05\xE0\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x03\x00\x00\x00\x00\x00\x00\x00\x00", 18 },  // a code with gaps
        { "\x05\xE0\x93\x24\x49\x92\x24\x49\x92\x00\x00\x00\x00\x00\x00\x00\x00\x00", 18 },  // more codes than fit
        { "\x05\x00\x02\x24\x00\x00\x00\x00\x00\x00\x00\x00", 12 },          // repeats a length before the first
        { "\x05\x00\x80\xE4\xFF\x1F\x00\x00\x00\x00\x00\x00\x00\x00", 14 },  // lengths past the last symbol
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        uint8_t out[64];
        sni_inflated done = sni_inflate((sni_bytes){ (const uint8_t *)bad[i].stream, bad[i].size }, out, sizeof out);
        if (done.end != SNI_INFLATE_CORRUPT) fail_msg("stream %zu ends as %d", i, done.end);
    }
}

// Packing

typedef uint8_t (*byte_maker)(size_t at, uint32_t *random);
static uint8_t zeros(size_t at, uint32_t *random) { return (void)at, (void)random, 0; }
static uint8_t noise(size_t at, uint32_t *random) { return (void)at, (uint8_t)next_random(random); }
static uint8_t ramp(size_t at, uint32_t *random) { return (void)random, (uint8_t)(at / 7); }
static uint8_t skewed(size_t at, uint32_t *random)
{
    (void)at;
    uint32_t r = next_random(random);
    return (uint8_t)(r & 1 ? 0 : r & 2 ? 1 : r & 4 ? 2 : r >> 24);
}
static uint8_t rare(size_t at, uint32_t *random)  // counts like 1, 2, 4, 8 ...: codes would be longer than 15 bits
{
    (void)random;
    uint8_t bit = 0;
    for (at++; !(at & 1); at >>= 1) bit++;
    return (uint8_t)(bit * 37);
}
static uint8_t repeats(size_t at, uint32_t *random) { return at % 40000 < 32768 ? noise(at, random) : (uint8_t)at; }

// Returns after 65536 bytes, which is too far for a match: positions are kept in 16 bits.
static uint8_t far_repeats(size_t at, uint32_t *random)
{
    return (void)random, (uint8_t)((at % 65536) * 2654435761u >> 24);
}
static uint8_t mostly_literals(size_t at, uint32_t *random)  // with a repetition now and then
{
    return at % 5000 < 4800 ? (uint8_t)(next_random(random) >> 28) : (uint8_t)(at % 50);
}

static void what_is_packed_unpacks(void **state)
{
    (void)state;
    static const byte_maker makers[] = { zeros, noise, ramp, skewed, rare, repeats, far_repeats, mostly_literals };
    static const size_t sizes[] = { 0, 1, 2, 3, 4, 257, 258, 259, 260, 70000, 300001 };
    static uint8_t data[300001], back[300002];
    for (size_t m = 0; m < sizeof makers / sizeof makers[0]; m++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            fixture f;
            uint32_t random = 42;
            sni_writer out, again;
            fixture_open(&f, UINT64_MAX);
            for (size_t i = 0; i < sizes[s]; i++) data[i] = makers[m](i, &random);
            sni_writer_init(&out, &f.heap), sni_writer_init(&again, &f.heap);
            assert_true(sni_deflate(&out, &f.arena, data, sizes[s]) && sni_deflate(&again, &f.arena, data, sizes[s]));
            assert_true(out.size == again.size && memcmp(out.data, again.data, out.size) == 0);
            assert_true(out.size <= sizes[s] + 64 + sizes[s] / 1000);
            sni_inflated done = sni_inflate((sni_bytes){ out.data, out.size }, back, sizes[s] + 1);
            assert_int_equal(done.end, SNI_INFLATE_DONE);
            assert_int_equal(done.written, sizes[s]);
            assert_int_equal(done.read, out.size);
            assert_memory_equal(back, data, sizes[s]);
            sni_writer_free(&out), sni_writer_free(&again);
            fixture_close(&f);
        }
    }
}

// Writing: what kind is chosen, and that the pixels come back.
static void expect_written(const uint32_t *colors, uint32_t width, uint32_t height, unsigned depth, unsigned color)
{
    fixture f;
    sni_writer out;
    static uint8_t rgba[64 * 64 * 4];
    fixture_open(&f, UINT64_MAX);
    sni_writer_init(&out, &f.heap);
    for (uint32_t i = 0; i < width * height * 4; i++) rgba[i] = (uint8_t)(colors[i / 4] >> (24 - i % 4 * 8));
    assert_true(sni_png_write(&out, &f.arena, &f.diag, &(sn_pixels){ .width = width, .height = height, .rgba = rgba }));
    assert_int_equal(out.data[24], depth);
    assert_int_equal(out.data[25], color);
    picture_clear(&p);
    picture_bytes(&p, out.data, out.size);
    picture_expect(&p, width, height, colors);
    sni_writer_free(&out);
    fixture_close(&f);
}

static uint32_t two_colours(uint32_t i) { return i % 3 ? 0x112233FF : 0x44556600; }
static uint32_t four_colours(uint32_t i) { return (i % 4) << 24 | 0xFF; }
static uint32_t sixteen_colours(uint32_t i) { return (i % 16) << 16 | 0x80; }
static uint32_t all_indices(uint32_t i) { return (i % 256) << 8 | 0x010000FF; }
static uint32_t one_too_many(uint32_t i) { return (i % 257) << 8 | 0xFF; }
static uint32_t greys(uint32_t i) { return i / 16 % 256 * 0x01010100 | 0xFF; }
static uint32_t greys_with_alpha(uint32_t i) { return i / 16 % 256 * 0x01010100 | i % 7; }
static uint32_t many_with_alpha(uint32_t i) { return i * 0x00371100 | (i & 0xFF); }

static void writes_the_smallest_kind(void **state)
{
    (void)state;
    static uint32_t colors[64 * 64];
    static const struct {
        uint32_t (*of)(uint32_t i);
        unsigned depth, color;
    } kinds[] = {
        { two_colours, 1, 3 },  { four_colours, 2, 3 }, { sixteen_colours, 4, 3 },  { all_indices, 8, 3 },
        { one_too_many, 8, 2 }, { greys, 8, 0 },        { greys_with_alpha, 8, 4 }, { many_with_alpha, 8, 6 },
    };
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        for (uint32_t i = 0; i < 64 * 64; i++) colors[i] = kinds[k].of(i);
        expect_written(colors, 64, 64, kinds[k].depth, kinds[k].color);
        expect_written(colors, 63, 61, kinds[k].depth, kinds[k].color);
    }
    expect_written(colors, 1, 1, 1, 3);
}

// The CRC by its definition, a bit at a time.
static uint32_t crc_by_bits(const uint8_t *data, size_t size)
{
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < size * 8; i++) {
        crc ^= (uint32_t)(data[i / 8] >> i % 8 & 1);
        crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    return ~crc;
}

static void checksums(void **state)
{
    (void)state;
    uint8_t bytes[40];
    uint32_t random = 7;
    for (size_t size = 0; size <= sizeof bytes; size++) {
        for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)next_random(&random);
        assert_true(sni_crc32(bytes, size) == crc_by_bits(bytes, size));
    }
    assert_true(sni_crc32((const uint8_t *)"123456789", 9) == 0xCBF43926);  // the check value of this CRC
    assert_true(sni_adler32((const uint8_t *)"Wikipedia", 9) == 0x11E60398);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_depth_and_colour),
        cmocka_unit_test(transparent_colours),
        cmocka_unit_test(every_filter),
        cmocka_unit_test(interlacing),
        cmocka_unit_test(wrong_checksums_are_told),
        cmocka_unit_test(what_is_refused),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(streams_of_others),
        cmocka_unit_test(a_stream_of_zlib),
        cmocka_unit_test(damaged_streams),
        cmocka_unit_test(what_is_packed_unpacks),
        cmocka_unit_test(writes_the_smallest_kind),
        cmocka_unit_test(checksums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
