// Animations: what is written is read back by independent decoders in this file.
#include "base/checksum.h"
#include "base_fixture.h"
#include "render/animation.h"

enum { WIDTH = 90, HEIGHT = 70, FRAMES = 4, PIXELS = WIDTH * HEIGHT };

typedef struct animation {
    uint8_t rgba[FRAMES][PIXELS * 4];
    sn_pixels frames[FRAMES];
    float delays[FRAMES];
} animation;

static animation *make_animation(const uint32_t *colors, uint32_t color_count, bool has_holes)
{
    static animation f;
    uint32_t random = 7;
    for (uint32_t n = 0; n < FRAMES; n++) {
        for (uint32_t i = 0; i < PIXELS; i++) {
            uint32_t x = i % WIDTH, y = i / WIDTH, color = colors[next_random(&random) % color_count];
            bool is_still = n > 0 && !(x >= 10 * n && x < 10 * n + 30 && y >= 5 * n && y < 40);
            uint8_t *at = f.rgba[n] + 4 * (size_t)i;
            for (int c = 0; c < 4; c++) at[c] = (uint8_t)(color >> (24 - 8 * c));
            if (is_still) memcpy(at, f.rgba[n - 1] + 4 * (size_t)i, 4);
            if (has_holes && (x + y + n) % 11 == 0) memset(at, 0, 4);
        }
        f.frames[n] = (sn_pixels){ .width = WIDTH, .height = HEIGHT, .rgba = f.rgba[n] };
    }
    memcpy(f.rgba[3], f.rgba[2], sizeof f.rgba[3]);  // no change
    memcpy(f.delays, (const float[FRAMES]){ 1.0f / 30.0f, 0.1f, 2.5f, 1.0f / 23.976f }, sizeof f.delays);
    return &f;
}

static uint32_t big32(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}
static uint32_t big16(const uint8_t *at) { return (uint32_t)at[0] << 8 | at[1]; }

static void put_big(sni_writer *out, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) sni_write_u8(out, (uint8_t)(value >> shift));
}

static void put_chunk(sni_writer *out, const char *type, const uint8_t *data, size_t size)
{
    put_big(out, (uint32_t)size);
    size_t start = out->size;
    sni_write_text(out, type);
    sni_write_bytes(out, data, size);
    put_big(out, sni_crc32(out->data + start, out->size - start));
}

// Decodes a frame's data as a separate PNG and copies it to the screen.
static void paste(fixture *f, const uint8_t *header, const uint8_t *control, const uint8_t *colors, size_t colors_size,
                  const uint8_t *data, size_t size, uint8_t *screen)
{
    sni_writer png;
    sn_pixels pixels;
    uint8_t changed[13];
    uint32_t width = big32(control + 4), height = big32(control + 8), left = big32(control + 12),
             top = big32(control + 16);
    memcpy(changed, header, sizeof changed);
    memcpy(changed, control + 4, 8);
    sni_writer_init(&png, &f->heap);
    sni_write_bytes(&png, "\x89PNG\r\n\x1A\n", 8);
    put_chunk(&png, "IHDR", changed, sizeof changed);
    sni_write_bytes(&png, colors, colors_size);
    put_chunk(&png, "IDAT", data, size);
    put_chunk(&png, "IEND", data, 0);
    assert_int_equal(sn_image_decode(&(sn_image){ .data = png.data, .size = png.size }, NULL, &pixels, NULL), SN_OK);
    assert_true(pixels.width == width && pixels.height == height && left + width <= WIDTH && top + height <= HEIGHT);
    for (uint32_t y = 0; y < height; y++)
        memcpy(screen + 4 * ((size_t)(top + y) * WIDTH + left), pixels.rgba + 4 * (size_t)y * width, 4 * (size_t)width);
    sn_pixels_free(&pixels);
    sni_writer_free(&png);
}

typedef struct apng {
    const uint8_t *header, *control, *colors;
    size_t colors_size;
    uint32_t sequence, shown;
} apng;

static void play_chunk(fixture *f, apng *a, const animation *source, const uint8_t *chunk, uint8_t *screen)
{
    static const uint32_t delays[FRAMES][2] = { { 1, 30 }, { 1, 10 }, { 5, 2 }, { 125, 2997 } };
    uint32_t size = big32(chunk);
    const uint8_t *data = chunk + 8;
    if (memcmp(chunk + 4, "IHDR", 4) == 0) a->header = data;
    if (memcmp(chunk + 4, "acTL", 4) == 0) assert_true(big32(data) == FRAMES && big32(data + 4) == 0);
    if (memcmp(chunk + 4, "PLTE", 4) == 0) a->colors = chunk;
    if (memcmp(chunk + 4, "PLTE", 4) == 0 || memcmp(chunk + 4, "tRNS", 4) == 0) a->colors_size += size + 12;
    if (memcmp(chunk + 4, "fcTL", 4) == 0) {
        assert_int_equal(big32(data), a->sequence++);
        assert_int_equal(big16(data + 20), delays[a->shown][0]);
        assert_int_equal(big16(data + 22), delays[a->shown][1]);
        assert_int_equal(big16(data + 24), 0);
        a->control = data;
    }
    bool is_first = memcmp(chunk + 4, "IDAT", 4) == 0;
    if (!is_first && memcmp(chunk + 4, "fdAT", 4) != 0) return;
    if (!is_first) assert_int_equal(big32(data), a->sequence++);
    paste(f, a->header, a->control, a->colors, a->colors_size, is_first ? data : data + 4, is_first ? size : size - 4,
          screen);
    assert_memory_equal(screen, source->rgba[a->shown], PIXELS * 4);
    a->shown++;
}

static void expect_apng(const animation *source)
{
    fixture f;
    sni_writer out;
    apng a = { 0 };
    static uint8_t screen[PIXELS * 4];
    fixture_open(&f, UINT64_MAX);
    sni_writer_init(&out, &f.heap);
    assert_true(sni_apng_write(&out, &f.arena, &f.diag, source->frames, source->delays, FRAMES));
    for (size_t at = 8; at < out.size; at += 12 + big32(out.data + at))
        play_chunk(&f, &a, source, out.data + at, screen);
    assert_int_equal(a.shown, FRAMES);
    sni_writer_free(&out);
    fixture_close(&f);
}

static void test_apng_decodes_to_the_frames(void **state)
{
    (void)state;
    static uint32_t many[5000];
    for (uint32_t i = 0; i < 5000; i++) many[i] = i * 0x00371100 | (i & 0xFF);
    expect_apng(make_animation((const uint32_t[]){ 0xFF0000FF, 0x00FF00FF, 0x336699FF }, 3, true));
    expect_apng(make_animation((const uint32_t[]){ 0x101010FF, 0x909090FF }, 2, false));
    expect_apng(make_animation(many, 5000, false));
}

// A GIF decoder, written from the specification.
typedef struct bits {
    const uint8_t *at;
    uint32_t block, value, count;
} bits;

static uint32_t next_bits(bits *b, uint32_t width)
{
    while (b->count < width) {
        if (b->block == 0) b->block = *b->at++;
        assert_true(b->block > 0);
        b->value |= (uint32_t)*b->at++ << b->count;
        b->count += 8, b->block--;
    }
    uint32_t code = b->value & ((1u << width) - 1);
    b->value >>= width, b->count -= width;
    return code;
}

static const uint8_t *unpack(const uint8_t *at, uint8_t *out, uint32_t count)
{
    static struct {
        uint32_t before, length;
        uint8_t first, last;
    } table[4097];
    bits b = { .at = at + 1 };
    uint32_t next = 258, width = 9, old = UINT32_MAX, done = 0;
    assert_int_equal(*at, 8);
    for (uint32_t i = 0; i < 256; i++) table[i].length = 1, table[i].first = table[i].last = (uint8_t)i;
    for (;;) {
        uint32_t code = next_bits(&b, width);
        if (code == 257) break;
        if (code == 256) {
            next = 258, width = 9, old = UINT32_MAX;
            continue;
        }
        assert_true(code < 256 || (code >= 258 && code <= next));
        if (old != UINT32_MAX && next < 4096) {
            table[next].before = old, table[next].length = table[old].length + 1, table[next].first = table[old].first;
            table[next].last = code == next ? table[old].first : table[code].first;
            next++;
        }
        assert_true(code < next && done + table[code].length <= count);
        for (uint32_t i = table[code].length, c = code; i-- > 0; c = table[c].before) out[done + i] = table[c].last;
        done += table[code].length;
        if (next == 1u << width && width < 12) width++;
        old = code;
    }
    assert_int_equal(done, count);
    assert_int_equal(b.block, 0);
    assert_int_equal(*b.at, 0);
    return b.at + 1;
}

// Decodes one frame, starting at its graphic control extension; returns its end.
static const uint8_t *play_gif_frame(const uint8_t *at, const uint8_t *colors, uint8_t *screen, uint32_t *hundredths)
{
    static uint8_t indices[PIXELS];
    assert_memory_equal(at, "\x21\xF9\x04", 3);
    bool is_wiped = (at[3] >> 2 & 7) == 2, has_hole = at[3] & 1;
    *hundredths += at[4] | (uint32_t)at[5] << 8;
    uint32_t hole = at[6], left = at[9], top = at[11], width = at[13], height = at[15];
    assert_int_equal(at[8], 0x2C);
    at = unpack(at + 18, indices, width * height);
    if (is_wiped) memset(screen, 0, PIXELS * 4);
    for (uint32_t i = 0; i < width * height; i++) {
        uint8_t *pixel = screen + 4 * ((size_t)(top + i / width) * WIDTH + left + i % width);
        if (has_hole && indices[i] == hole) continue;
        memcpy(pixel, colors + 3 * (size_t)indices[i], 3);
        pixel[3] = 255;
    }
    return at;
}

static void expect_gif(const animation *source, uint32_t hundredths)
{
    fixture f;
    sni_writer out;
    uint32_t time = 0;
    static uint8_t screen[PIXELS * 4];
    memset(screen, 0, sizeof screen);
    fixture_open(&f, UINT64_MAX);
    sni_writer_init(&out, &f.heap);
    assert_true(sni_gif_write(&out, &f.arena, &f.diag, source->frames, source->delays, FRAMES));
    assert_memory_equal(out.data, "GIF89a\x5A\0\x46\0\xF7", 11);
    const uint8_t *colors = out.data + 13, *at = colors + 768 + 19;
    for (uint32_t n = 0; n < FRAMES; n++) {
        at = play_gif_frame(at, colors, screen, &time);
        assert_memory_equal(screen, source->rgba[n], PIXELS * 4);
    }
    assert_int_equal(*at, 0x3B);
    assert_ptr_equal(at + 1, out.data + out.size);
    assert_int_equal(time, hundredths);
    sni_writer_free(&out);
    fixture_close(&f);
}

// Distinct colours are exact; noise overflows the LZW table many times.
static void test_gif_decodes_to_the_frames(void **state)
{
    (void)state;
    static uint32_t many[255];
    for (uint32_t i = 0; i < 255; i++) many[i] = (i % 8) << 29 | (i / 8 % 8) << 21 | (i / 64) << 14 | 0xFF;
    expect_gif(make_animation(many, 255, false), 3 + 10 + 250 + 5);  // 1/30 + 1/10 + 5/2 + 1/23.976 = 2.675
    expect_gif(make_animation(many, 250, true), 268);
    expect_gif(make_animation((const uint32_t[]){ 0x00FF00FF }, 1, false), 268);
}

// Thirty frames of 1/30 s take one second, although no single delay can be exact.
static void test_gif_delays_do_not_drift(void **state)
{
    (void)state;
    fixture f;
    sni_writer out;
    uint8_t rgba[4] = { 1, 2, 3, 255 };
    sn_pixels frames[30];
    float delays[30];
    uint32_t total = 0, found = 0;
    for (int i = 0; i < 30; i++)
        frames[i] = (sn_pixels){ .width = 1, .height = 1, .rgba = rgba }, delays[i] = 1.0f / 30.0f;
    fixture_open(&f, UINT64_MAX);
    sni_writer_init(&out, &f.heap);
    assert_true(sni_gif_write(&out, &f.arena, &f.diag, frames, delays, 30));
    for (size_t i = 13 + 768 + 19; i + 6 < out.size; i++) {
        if (memcmp(out.data + i, "\x21\xF9\x04", 3) != 0) continue;
        total += out.data[i + 4];
        found++;
    }
    assert_int_equal(found, 30);
    assert_int_equal(total, 100);
    sni_writer_free(&out);
    fixture_close(&f);
}

// More colours than the palette holds: the error per pixel is small.
static void test_gif_palette_error_is_small(void **state)
{
    (void)state;
    enum { SIDE = 64 };
    fixture f;
    sni_writer out;
    static uint8_t rgba[SIDE * SIDE * 4], indices[SIDE * SIDE];
    double error = 0.0;
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        memcpy(rgba + 4 * (size_t)i,
               (const uint8_t[]){ (uint8_t)(i % SIDE * 4), (uint8_t)(i / SIDE * 4), (uint8_t)(255 - i % SIDE * 2),
                                  255 },
               4);
    fixture_open(&f, UINT64_MAX);
    sni_writer_init(&out, &f.heap);
    assert_true(sni_gif_write(&out, &f.arena, &f.diag, &(sn_pixels){ .width = SIDE, .height = SIDE, .rgba = rgba },
                              (const float[]){ 0.1f }, 1));
    const uint8_t *colors = out.data + 13;
    unpack(colors + 768 + 19 + 18, indices, SIDE * SIDE);
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        for (int c = 0; c < 3; c++) error += fabs((double)rgba[4 * i + (uint32_t)c] - colors[3 * indices[i] + c]);
    assert_true(error / (SIDE * SIDE * 3) < 6.0);  // of 16 x 16 even cells the mean error would be 4 in two channels
    sni_writer_free(&out);
    fixture_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apng_decodes_to_the_frames),
        cmocka_unit_test(test_gif_decodes_to_the_frames),
        cmocka_unit_test(test_gif_delays_do_not_drift),
        cmocka_unit_test(test_gif_palette_error_is_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
