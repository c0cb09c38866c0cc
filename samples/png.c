#include "png.h"

static uint32_t crc_of(const uint8_t *data, size_t size)
{
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xEDB88320 : crc >> 1;
    }
    return ~crc;
}

static void write_big(sni_writer *out, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8) sni_write_u8(out, (uint8_t)(value >> shift));
}

static void write_chunk(sni_writer *out, const char type[4], const sni_writer *body)
{
    size_t start = out->size + 4;
    write_big(out, (uint32_t)body->size);
    sni_write_bytes(out, type, 4);
    sni_write_bytes(out, body->data, body->size);
    write_big(out, crc_of(out->data + start, out->size - start));
}

// zlib with one stored block: at most 65,535 bytes.
static void write_pixels(sni_writer *body, const uint8_t *rgba, uint32_t width, uint32_t height)
{
    uint32_t row = width * 4 + 1, size = row * height, a = 1, b = 0;
    sni_write_u16(body, 0x0178);
    sni_write_u8(body, 1);
    sni_write_u16(body, (uint16_t)size);
    sni_write_u16(body, (uint16_t)~size);
    for (uint32_t i = 0; i < size; i++) {
        uint8_t byte = i % row == 0 ? 0 : rgba[i / row * width * 4 + i % row - 1];
        a = (a + byte) % 65521;
        b = (b + a) % 65521;
        sni_write_u8(body, byte);
    }
    write_big(body, b << 16 | a);
}

void png_write(sni_writer *out, const uint8_t *rgba, uint32_t width, uint32_t height)
{
    static const uint8_t kind[5] = { 8, 6, 0, 0, 0 };      // 8 bits, RGBA
    sni_writer body;
    sni_write_bytes(out, "\x89PNG\r\n\x1A\n", 8);
    sni_writer_init(&body, out->heap);
    write_big(&body, width);
    write_big(&body, height);
    sni_write_bytes(&body, kind, sizeof kind);
    write_chunk(out, "IHDR", &body);
    body.size = 0;
    write_pixels(&body, rgba, width, height);
    write_chunk(out, "IDAT", &body);
    body.size = 0;
    write_chunk(out, "IEND", &body);
    sni_writer_free(&body);
}
