// Small, and a file of its own: images and archives share it.
#include "base/checksum.h"

// Four bits at a time keeps the table short; checksums are a small part of reading a file.
uint32_t sni_crc32(const uint8_t *data, size_t size)
{
    static const uint32_t table[16] = {
        0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4, 0x4DB26158, 0x5005713C,
        0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C, 0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
    };
    uint32_t crc = 0xFFFFFFFF;
    for (const uint8_t *end = data + size; data < end; data++) {
        crc ^= *data;
        crc = crc >> 4 ^ table[crc & 15];
        crc = crc >> 4 ^ table[crc & 15];
    }
    return ~crc;
}

uint32_t sni_adler32(const uint8_t *data, size_t size)
{
    enum { MODULUS = 65521, BEFORE_OVERFLOW = 5552 };
    uint32_t a = 1, b = 0;
    while (size > 0) {
        size_t part = size < BEFORE_OVERFLOW ? size : BEFORE_OVERFLOW;
        size -= part;
        for (; part > 0; part--) {
            a += *data++;
            b += a;
        }
        a %= MODULUS;
        b %= MODULUS;
    }
    return b << 16 | a;
}
