#include "image_files.h"
#include "image/png.h"
#include "jpeg_encode.h"
#include "webp_encode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

void picture_clear(picture *p) { p->size = 0; }

void picture_bytes(picture *p, const void *data, size_t size)
{
    if (size > PICTURE_ROOM - p->size) abort();
    if (size > 0) memcpy(p->data + p->size, data, size);
    p->size += size;
}

void picture_u8(picture *p, unsigned value) { picture_bytes(p, &(uint8_t){ (uint8_t)value }, 1); }

void picture_u16(picture *p, unsigned value)
{
    picture_u8(p, value);
    picture_u8(p, value >> 8);
}

void picture_u32(picture *p, uint32_t value)
{
    picture_u16(p, value);
    picture_u16(p, value >> 16);
}

void picture_fill(picture *p, unsigned byte, size_t count)
{
    while (count--) picture_u8(p, byte);
}

// PNG

static void put_big(picture *p, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) picture_u8(p, value >> shift);
}

static uint32_t crc_of(const uint8_t *data, size_t size)
{
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
    }
    return ~crc;
}

void picture_chunk(picture *p, const char *type, const void *data, size_t size)
{
    put_big(p, (uint32_t)size);
    size_t start = p->size;
    picture_bytes(p, type, 4);
    picture_bytes(p, data, size);
    put_big(p, crc_of(p->data + start, p->size - start));
}

void picture_png(picture *p, uint32_t width, uint32_t height, unsigned depth, unsigned color, unsigned interlaced)
{
    picture header = { .size = 0 };
    put_big(&header, width);
    put_big(&header, height);
    const uint8_t kind[5] = { (uint8_t)depth, (uint8_t)color, 0, 0, (uint8_t)interlaced };
    picture_bytes(&header, kind, 5);
    picture_clear(p);
    picture_bytes(p, "\x89PNG\r\n\x1A\n", 8);
    picture_chunk(p, "IHDR", header.data, header.size);
}

void picture_png_pixels(picture *p, const void *rows, size_t size)
{
    static picture zlib;
    uint32_t a = 1, b = 0;
    picture_clear(&zlib);
    picture_bytes(&zlib, "\x78\x01\x01", 3);
    picture_u16(&zlib, (unsigned)size);
    picture_u16(&zlib, ~(unsigned)size);
    picture_bytes(&zlib, rows, size);
    for (size_t i = 0; i < size; i++) a = (a + ((const uint8_t *)rows)[i]) % 65521, b = (b + a) % 65521;
    put_big(&zlib, b << 16 | a);
    picture_chunk(p, "IDAT", zlib.data, zlib.size);
    picture_chunk(p, "IEND", "", 0);
}

// TGA, DDS

void picture_tga(picture *p, unsigned kind, unsigned width, unsigned height, unsigned bits, unsigned descriptor)
{
    picture_clear(p);
    const uint8_t head[12] = { 0, 0, (uint8_t)kind };
    picture_bytes(p, head, sizeof head);
    picture_u16(p, width);
    picture_u16(p, height);
    picture_u8(p, bits);
    picture_u8(p, descriptor);
}

static void dds_head(picture *p, uint32_t width, uint32_t height)
{
    picture_clear(p);
    picture_bytes(p, "DDS ", 4);
    const uint32_t head[7] = { 124, 0x1007, height, width, 0, 0, 0 };
    for (int i = 0; i < 7; i++) picture_u32(p, head[i]);
    picture_fill(p, 0, 44);
    picture_u32(p, 32);
}

void picture_dds(picture *p, uint32_t width, uint32_t height, const char *four_cc)
{
    dds_head(p, width, height);
    picture_u32(p, 4);
    picture_bytes(p, four_cc, 4);
    picture_fill(p, 0, 20);
    picture_u32(p, 0x1000);
    picture_fill(p, 0, 16);
}

void picture_dds_masks(picture *p, uint32_t width, uint32_t height, uint32_t bits, const uint32_t masks[4])
{
    dds_head(p, width, height);
    picture_u32(p, 0x40 | (masks[3] ? 1 : 0));
    picture_u32(p, 0);
    picture_u32(p, bits);
    for (int i = 0; i < 4; i++) picture_u32(p, masks[i]);
    picture_u32(p, 0x1000);
    picture_fill(p, 0, 16);
}

// BLP

static void store_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}

void picture_blp(picture *p, blp_wish wish)
{
    picture_clear(p);
    picture_bytes(p, wish.version == 1 ? "BLP1" : "BLP2", 4);
    if (wish.version == 1) {
        const uint32_t head[6] = { wish.content, wish.alpha_bits, wish.width, wish.height, 4, 1 };
        for (int i = 0; i < 6; i++) picture_u32(p, head[i]);
        picture_fill(p, 0, 128);
        if (wish.content != 1) picture_u32(p, (uint32_t)wish.head_size);
    } else {
        picture_u32(p, 1);
        picture_u8(p, wish.content), picture_u8(p, wish.alpha_bits), picture_u8(p, wish.kind), picture_u8(p, 1);
        picture_u32(p, wish.width), picture_u32(p, wish.height);
        picture_fill(p, 0, 128);
    }
    picture_bytes(p, wish.head, wish.head_size);
    if (wish.content == 1 || wish.version == 2) picture_fill(p, 0, 1024 - wish.head_size);
}

void picture_blp_level(picture *p, unsigned level, const void *data, size_t size)
{
    size_t tables = p->data[3] == '1' ? 28 : 20;
    store_u32(p->data + tables + (size_t)level * 4, (uint32_t)p->size);
    store_u32(p->data + tables + 64 + (size_t)level * 4, (uint32_t)size);
    picture_bytes(p, data, size);
}

// TIM2

void picture_tim2(picture *p, tim2_wish wish)
{
    unsigned levels = wish.levels ? wish.levels : 1, header = levels > 1 ? 64 + 4 * levels : 48;
    picture_clear(p);
    picture_bytes(p, "TIM2\4", 5);
    picture_u8(p, wish.is_far);
    picture_u16(p, 1);
    picture_fill(p, 0, wish.is_far ? 120 : 8);
    picture_u32(p, (uint32_t)(header + wish.pixel_bytes + wish.palette_bytes));
    picture_u32(p, (uint32_t)wish.palette_bytes);
    picture_u32(p, (uint32_t)wish.pixel_bytes);
    picture_u16(p, header), picture_u16(p, wish.colors);
    picture_u8(p, 0), picture_u8(p, levels), picture_u8(p, wish.palette_kind), picture_u8(p, wish.kind);
    picture_u16(p, wish.width), picture_u16(p, wish.height);
    picture_fill(p, 0xEE, levels > 1 ? 40 : 24);  // registers of the console
    for (unsigned i = 0; levels > 1 && i < levels; i++) picture_u32(p, wish.level_sizes[i]);
    picture_bytes(p, wish.pixels, wish.pixel_bytes);
    picture_bytes(p, wish.palette, wish.palette_bytes);
}

// Decoding

sn_status picture_decode(const void *data, size_t size, const sn_decode_opts *opts, sn_pixels *pixels, sn_error *error)
{
    uint8_t *exact = malloc(size ? size : 1);  // a byte past the end is then noticed
    if (!exact) abort();
    if (size > 0) memcpy(exact, data, size);
    sn_image image = { .name = "", .uri = "", .mime_type = "", .data = exact, .size = size };
    memset(pixels, 0xA5, sizeof *pixels);
    memset(error, 0xA5, sizeof *error);
    sn_status status = sn_image_decode(&image, opts, pixels, error);
    free(exact);
    if (error->status != status || (status == SN_OK) != (pixels->rgba != NULL)) abort();
    if (status != SN_OK && (pixels->width || pixels->height || !error->message[0])) abort();
    return status;
}

void picture_expect_with(const picture *p, const sn_decode_opts *opts, uint32_t width, uint32_t height,
                         const uint32_t *wanted)
{
    counting_heap heap = { 0 };
    sn_pixels pixels;
    sn_error error;
    sn_decode_opts counted = opts ? *opts : (sn_decode_opts){ .mip = 0 };
    counted.allocator = counting_allocator(&heap);
    if (picture_decode(p->data, p->size, &counted, &pixels, &error) != SN_OK) fail_msg("%s", error.message);
    assert_int_equal(pixels.width, width);
    assert_int_equal(pixels.height, height);
    assert_int_equal(heap.live_blocks, 1);
    for (uint32_t i = 0; i < width * height; i++) {
        const uint8_t *at = pixels.rgba + (size_t)i * 4;
        uint32_t got = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
        if (got != wanted[i]) fail_msg("pixel %u, %u is %08X, not %08X", i % width, i / width, got, wanted[i]);
    }
    sn_pixels_free(&pixels);
    counted.size_only = true, counted.report = NULL;
    assert_int_equal(sn_image_decode(&(sn_image){ .data = p->data, .size = p->size }, &counted, &pixels, &error),
                     SN_OK);
    assert_true(pixels.width == width && pixels.height == height && !pixels.rgba);
    assert_int_equal(heap.live_blocks, 0);
}

void picture_expect(const picture *p, uint32_t width, uint32_t height, const uint32_t *wanted)
{
    picture_expect_with(p, NULL, width, height, wanted);
}

void picture_refuse(const picture *p, sn_status status)
{
    sn_pixels pixels;
    sn_error error;
    sn_status got = picture_decode(p->data, p->size, NULL, &pixels, &error);
    if (got == SN_OK) sn_pixels_free(&pixels);
    if (got != status) fail_msg("status %d, not %d: %s", got, status, got == SN_OK ? "decoded" : error.message);
}

// One of each

static void fill_noise(picture *p, size_t count)
{
    for (uint32_t i = 0, random = 7; i < count; i++) picture_u8(p, (random = random * 1664525u + 1013904223u) >> 24);
}

// By sinew's own writer: filters, and a code made for the picture.
static void write_png(picture *p)
{
    static uint8_t rgba[24 * 24 * 4];
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
    sni_writer out;
    for (uint32_t i = 0, random = 1; i < sizeof rgba; i++)
        rgba[i] = (uint8_t)(i / 4 + ((random = random * 1664525u + 1013904223u) >> 28));
    sni_heap_init(&heap, NULL, UINT64_MAX), sni_arena_init(&arena, &heap), sni_diag_init(&diag, NULL),
        sni_writer_init(&out, &heap);
    if (!sni_png_write(&out, &arena, &diag, &(sn_pixels){ .width = 24, .height = 24, .rgba = rgba })) abort();
    picture_clear(p);
    picture_bytes(p, out.data, out.size);
    sni_writer_free(&out), sni_arena_free(&arena);
}

static const char *make_png(picture *p, unsigned number)
{
    static const uint8_t rgb[] = { 1, 10, 20, 30, 5, 5, 5, 4, 1, 2, 3, 250, 251, 252 };
    static const uint8_t indices[] = { 0, 0xC0, 2, 0x40, 0, 0x80, 0, 0x40, 1, 0x80, 0, 0x6C };
    static const uint8_t packed[] = {
        0x78, 0xDA, 0x63, 0x60, 0x18, 0x05, 0xA3, 0x60, 0xE4, 0x02, 0, 3, 0, 0, 1
    };  // zeros
    static const uint8_t wide[] = { 3, 1, 2, 3, 4, 5, 6, 7, 8, 4, 8, 7, 6, 5, 4, 3, 2, 1 };
    switch (number) {
    case 0:
        picture_png(p, 2, 2, 8, 2, 0);
        picture_png_pixels(p, rgb, sizeof rgb);
        return "rgb.png";
    case 1:
        picture_png(p, 3, 3, 2, 3, 1);
        picture_chunk(p, "PLTE", "\1\2\3\4\5\6\7\10\11\12\13\14", 12);
        picture_chunk(p, "tRNS", "\200\0", 2);
        picture_png_pixels(p, indices, sizeof indices);
        return "interlaced.png";
    case 2:
        picture_png(p, 1, 2, 16, 6, 0);
        picture_png_pixels(p, wide, sizeof wide);
        return "wide.png";
    case 3:
        picture_png(p, 15, 48, 8, 0, 0);
        picture_chunk(p, "IDAT", packed, 5);
        picture_chunk(p, "IDAT", packed + 5, sizeof packed - 5);
        return "packed.png";
    case 4: write_png(p); return "written.png";
    default: return NULL;
    }
}

static const char *make_tga(picture *p, unsigned number)
{
    switch (number) {
    case 0:
        picture_tga(p, 2, 3, 2, 32, 8);
        fill_noise(p, 24);
        return "true.tga";
    case 1:
        picture_tga(p, 10, 3, 3, 16, 33);
        picture_bytes(p, "\x83\x12\x34\2\1\2\3\4\5\6\x81\x55\xAA", 13);
        return "runs.tga";
    case 2:
        picture_tga(p, 9, 4, 1, 8, 0);
        p->data[1] = 1, p->data[5] = 2, p->data[7] = 24;
        picture_bytes(p, "\1\2\3\4\5\6\x82\1\0\0", 10);
        return "mapped.tga";
    default: return NULL;
    }
}

static const char *make_dds(picture *p, unsigned number)
{
    static const char *const names[] = { "bc1.dds", "bc2.dds", "bc3.dds", "bc4s.dds", "bc5.dds" };
    static const char *const codes[] = { "DXT1", "DXT3", "DXT5", "BC4S", "ATI2" };
    static const uint32_t masks[4] = { 0xF00, 0xF0, 0xF, 0xF000 };
    if (number < 5) {
        picture_dds(p, 5, 4, codes[number]);
        fill_noise(p, 32);
        return names[number];
    }
    if (number == 5) {
        picture_dds(p, 8, 8, "DX10");
        for (int i = 0; i < 5; i++) picture_u32(p, (const uint32_t[]){ 98, 3, 0, 1, 0 }[i]);
        fill_noise(p, 64);
        for (size_t i = 0; i < 4; i++) p->data[148 + 16 * i] = (uint8_t)(1u << (2 * i));
        return "bc7.dds";
    }
    if (number > 6) return NULL;
    picture_dds_masks(p, 3, 2, 16, masks);
    p->data[28] = 2;
    fill_noise(p, 14);
    return "masks.dds";
}

static const char *make_blp(picture *p, unsigned number)
{
    blp_wish wish = {
        .version = 1, .content = 1, .alpha_bits = 4, .width = 4, .height = 2, .head = "\1\2\3\0\4\5\6", .head_size = 7
    };
    switch (number) {
    case 0:
        picture_blp(p, wish);
        picture_blp_level(p, 0, "\0\1\1\0\0\1\1\0\x12\x34\x56\x78", 12);
        picture_blp_level(p, 1, "\1\1\xFF", 3);
        return "palette.blp";
    case 1:
        picture_blp(p, (blp_wish){ .version = 2, .content = 2, .alpha_bits = 8, .kind = 7, .width = 4, .height = 4 });
        picture_blp_level(p, 0, "\xFF\0\x88\xC6\xFA\x88\xC6\xFA\xE0\7\0\xF8\xE4\x1B\xE4\x1B", 16);
        return "blocks.blp";
    case 2:
        picture_blp(p, (blp_wish){ .version = 2, .content = 3, .alpha_bits = 8, .width = 2, .height = 1 });
        picture_blp_level(p, 0, "\1\2\3\4\5\6\7\10", 8);
        return "plain.blp";
    default: return NULL;
    }
}

static const char *make_tim2(picture *p, unsigned number)
{
    static const uint32_t sizes[2] = { 16, 16 };
    static const char colors[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+-";
    static const char pixels[] = "\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\3\2\1\0............";
    switch (number) {
    case 0:
        picture_tim2(p, (tim2_wish){ .kind = 5,
                                     .width = 4,
                                     .height = 4,
                                     .levels = 2,
                                     .level_sizes = sizes,
                                     .palette_kind = 3,
                                     .colors = 16,
                                     .pixels = pixels,
                                     .pixel_bytes = 32,
                                     .palette = colors,
                                     .palette_bytes = 64 });
        return "levels.tm2";
    case 1:
        picture_tim2(p, (tim2_wish){ .kind = 4,
                                     .width = 3,
                                     .height = 3,
                                     .palette_kind = 0x81,
                                     .colors = 16,
                                     .is_far = true,
                                     .pixels = pixels,
                                     .pixel_bytes = 5,
                                     .palette = colors,
                                     .palette_bytes = 32 });
        return "far.tm2";
    case 2:
    case 3:
    case 4:
        picture_tim2(p, (tim2_wish){ .kind = number - 1,
                                     .width = 3,
                                     .height = 2,
                                     .pixels = colors,
                                     .pixel_bytes = 6 * (size_t)number });
        return (const char *[]){ "16.tm2", "24.tm2", "32.tm2" }[number - 2];
    default: return NULL;
    }
}

// A ramp, so that there is something to lose.
static void encode_ramp(picture *p, jpeg_wish wish)
{
    uint8_t samples[12 * 10 * 4];
    for (size_t i = 0; i < sizeof samples; i++) samples[i] = (uint8_t)(i * 3);
    jpeg_encode(p, samples, 12, 10, wish);
}

static const char *make_jpeg(picture *p, unsigned number)
{
    static picture jpeg;
    if (!jpeg_can_encode()) return NULL;
    picture_clear(p);
    if (number < 2) {
        encode_ramp(p, (jpeg_wish){ .components = number ? 1 : 3, .is_progressive = number == 1, .quality = 30 });
        return number ? "progressive.jpg" : "plain.jpg";
    }
    if (number < 4) {  // restarts; several scans, sequential or progressive; rows and columns that are upsampled
        encode_ramp(p, (jpeg_wish){ .components = 3,
                                    .sampling = { 0x22, 0x11, 0x21 },
                                    .is_separate = number == 2,
                                    .is_progressive = number == 3,
                                    .restart_interval = 1,
                                    .quality = 30 });
        return number == 2 ? "separate.jpg" : "restarts.jpg";
    }
    if (number > 4) return NULL;
    picture_clear(&jpeg);
    encode_ramp(&jpeg, (jpeg_wish){ .components = 4, .is_raw = true, .quality = 30 });
    picture_blp(p, (blp_wish){
                       .version = 1, .alpha_bits = 8, .width = 12, .height = 10, .head = jpeg.data, .head_size = 200 });
    picture_blp_level(p, 0, jpeg.data + 200, jpeg.size - 200);
    return "jpeg.blp";
}

static const char *make_webp(picture *p, unsigned number)
{
    uint8_t rgba[12 * 10 * 4];
    if (!webp_can_encode() || number > 1) return NULL;
    for (size_t i = 0; i < sizeof rgba; i++) rgba[i] = (uint8_t)(i * 3);
    picture_clear(p);
    webp_encode(p, rgba, 12, 10, number == 0);
    return number ? "lossy.webp" : "lossless.webp";
}

typedef const char *(*picture_maker)(picture *p, unsigned number);

bool picture_of_kind(unsigned number, picture *p, const char **name)
{
    static const picture_maker makers[] = { make_png, make_tga, make_dds, make_blp, make_tim2, make_jpeg, make_webp };
    for (size_t i = 0; i < sizeof makers / sizeof makers[0]; i++) {
        for (unsigned inside = 0; (*name = makers[i](p, inside)); inside++, number--) {
            if (number == 0) return true;
        }
    }
    return false;
}
