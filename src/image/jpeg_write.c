// Baseline JPEG with the components that Warcraft III has in a BLP: blue, green, red and alpha as they are, at full
// resolution. All arithmetic is in integers, so equal pixels give equal bytes everywhere.
#include "image/image.h"

enum { SIDE = 8, BLOCK = SIDE * SIDE, COMPONENTS = 4, DC_SYMBOLS = 12, AC_SYMBOLS = 162 };

// Table K.1 of the standard at quality 95: its steps, of 255, divided by 10.
static const uint8_t steps[BLOCK] = { 2, 1,  1,  2, 2, 4, 5, 6, 1,  1,  1,  2,  3, 6, 6,  6,  1,  1,  2,  2, 4, 6,
                                      7, 6,  1,  2, 2, 3, 5, 9, 8,  6,  2,  2,  4, 6, 7,  11, 10, 8,  2,  4, 6, 6,
                                      8, 10, 11, 9, 5, 6, 8, 9, 10, 12, 12, 10, 7, 9, 10, 10, 11, 10, 10, 10 };

// The frequency at each place of the zigzag.
static const uint8_t zigzag[BLOCK] = { 0,  1,  8,  16, 9,  2,  3,  10, 17, 24, 32, 25, 18, 11, 4,  5,
                                       12, 19, 26, 33, 40, 48, 41, 34, 27, 20, 13, 6,  7,  14, 21, 28,
                                       35, 42, 49, 56, 57, 50, 43, 36, 29, 22, 15, 23, 30, 37, 44, 51,
                                       58, 59, 52, 45, 38, 31, 39, 46, 53, 60, 61, 54, 47, 55, 62, 63 };

// Tables K.3 and K.5 of the standard: how many codes have 1 to 16 bits, and the symbols in that order.
static const uint8_t dc_lengths[16] = { 0, 1, 5, 1, 1, 1, 1, 1, 1 };
static const uint8_t dc_symbols[DC_SYMBOLS] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
static const uint8_t ac_lengths[16] = { 0, 2, 1, 3, 3, 2, 4, 3, 5, 5, 4, 4, 0, 0, 1, 125 };
static const uint8_t ac_symbols[AC_SYMBOLS] = {
    0x01, 0x02, 0x03, 0x00, 0x04, 0x11, 0x05, 0x12, 0x21, 0x31, 0x41, 0x06, 0x13, 0x51, 0x61, 0x07, 0x22, 0x71,
    0x14, 0x32, 0x81, 0x91, 0xA1, 0x08, 0x23, 0x42, 0xB1, 0xC1, 0x15, 0x52, 0xD1, 0xF0, 0x24, 0x33, 0x62, 0x72,
    0x82, 0x09, 0x0A, 0x16, 0x17, 0x18, 0x19, 0x1A, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x34, 0x35, 0x36, 0x37,
    0x38, 0x39, 0x3A, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x49, 0x4A, 0x53, 0x54, 0x55, 0x56, 0x57, 0x58, 0x59,
    0x5A, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x73, 0x74, 0x75, 0x76, 0x77, 0x78, 0x79, 0x7A, 0x83,
    0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8A, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97, 0x98, 0x99, 0x9A, 0xA2, 0xA3,
    0xA4, 0xA5, 0xA6, 0xA7, 0xA8, 0xA9, 0xAA, 0xB2, 0xB3, 0xB4, 0xB5, 0xB6, 0xB7, 0xB8, 0xB9, 0xBA, 0xC2, 0xC3,
    0xC4, 0xC5, 0xC6, 0xC7, 0xC8, 0xC9, 0xCA, 0xD2, 0xD3, 0xD4, 0xD5, 0xD6, 0xD7, 0xD8, 0xD9, 0xDA, 0xE1, 0xE2,
    0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEA, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0xFA
};

// cosines[u][x]: cos((2x + 1) u pi / 16) / 2 of 65536, and that divided by the square root of 2 for u = 0.
enum { C1 = 32138, C2 = 30274, C3 = 27246, C4 = 23170, C5 = 18205, C6 = 12540, C7 = 6393 };
static const int16_t cosines[SIDE][SIDE] = {
    { C4, C4, C4, C4, C4, C4, C4, C4 },     { C1, C3, C5, C7, -C7, -C5, -C3, -C1 },
    { C2, C6, -C6, -C2, -C2, -C6, C6, C2 }, { C3, -C7, -C1, -C5, C5, C1, C7, -C3 },
    { C4, -C4, -C4, C4, C4, -C4, -C4, C4 }, { C5, -C1, C7, C3, -C3, -C7, C1, -C5 },
    { C6, -C2, C2, -C6, -C6, C2, -C2, C6 }, { C7, -C5, C3, -C1, C1, -C3, C5, -C7 },
};

typedef struct code {
    uint16_t bits;
    uint8_t length;
} code;

typedef struct encoder {
    sni_writer *out;
    uint32_t pending, pending_bits;  // bits that are not yet a byte
    code dc[DC_SYMBOLS], ac[256];
    int last_dc[COMPONENTS];
    uint32_t error;
} encoder;

static void make_codes(const uint8_t lengths[16], const uint8_t *symbols, code *codes)
{
    uint16_t next = 0;
    for (uint8_t length = 1; length <= 16; length++, next = (uint16_t)(next << 1))
        for (uint32_t i = 0; i < lengths[length - 1]; i++) codes[*symbols++] = (code){ next++, length };
}

static void put_bits(encoder *e, uint32_t bits, uint32_t count)
{
    e->pending = e->pending << count | bits;
    for (e->pending_bits += count; e->pending_bits >= 8;) {
        e->pending_bits -= 8;
        const uint8_t byte = (uint8_t)(e->pending >> e->pending_bits);
        sni_write_u8(e->out, byte);
        if (byte == 0xFF) sni_write_u8(e->out, 0);  // or it would begin a marker
    }
    e->pending &= (1u << e->pending_bits) - 1;
}

// A symbol for `run` zeros and the number of bits of the value, then these bits; negative values have them inverted.
static void put_value(encoder *e, const code *codes, uint32_t run, int value)
{
    uint32_t size = 0, magnitude = (uint32_t)(value < 0 ? -value : value);
    while (magnitude >> size) size++;
    const code c = codes[run << 4 | size];
    put_bits(e, c.bits, c.length);
    if (size > 0) put_bits(e, (uint32_t)(value < 0 ? value + (1 << size) - 1 : value), size);
}

static int64_t divide_rounded(int64_t value, int64_t by)
{
    return value < 0 ? -((-value + by / 2) / by) : (value + by / 2) / by;
}

// levels[k]: the frequency k in steps, by the definition of the transform: rows, then columns, rounded once.
static void transform(const int samples[BLOCK], int levels[BLOCK])
{
    int32_t rows[BLOCK];
    for (int y = 0; y < SIDE; y++)
        for (int u = 0; u < SIDE; u++) {
            int32_t sum = 0;
            for (int x = 0; x < SIDE; x++) sum += cosines[u][x] * samples[SIDE * y + x];
            rows[SIDE * y + u] = sum;
        }
    for (int v = 0; v < SIDE; v++)
        for (int u = 0; u < SIDE; u++) {
            int64_t sum = 0;
            for (int y = 0; y < SIDE; y++) sum += (int64_t)cosines[v][y] * rows[SIDE * y + u];
            levels[SIDE * v + u] = (int)divide_rounded(sum, (int64_t)steps[SIDE * v + u] << 32);
        }
}

// The largest difference between the samples and what a decoder makes of the levels.
static uint32_t find_error(const int samples[BLOCK], const int levels[BLOCK])
{
    int64_t columns[BLOCK];
    uint32_t largest = 0;
    for (int y = 0; y < SIDE; y++)
        for (int u = 0; u < SIDE; u++) {
            int64_t sum = 0;
            for (int v = 0; v < SIDE; v++) sum += (int64_t)cosines[v][y] * levels[SIDE * v + u] * steps[SIDE * v + u];
            columns[SIDE * y + u] = sum;
        }
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int64_t sum = 0;
            for (int u = 0; u < SIDE; u++) sum += cosines[u][x] * columns[SIDE * y + u];
            int64_t value = divide_rounded(sum, (int64_t)1 << 32);
            value = value < -128 ? -128 : value > 127 ? 127 : value;
            const int64_t off = value - samples[SIDE * y + x];
            if ((off < 0 ? -off : off) > largest) largest = (uint32_t)(off < 0 ? -off : off);
        }
    return largest;
}

static void put_block(encoder *e, int component, const int samples[BLOCK])
{
    enum { ZERO_RUN = 15 << 4, END = 0 };
    int levels[BLOCK];
    transform(samples, levels);
    const uint32_t error = find_error(samples, levels);
    if (error > e->error) e->error = error;
    put_value(e, e->dc, 0, levels[0] - e->last_dc[component]);
    e->last_dc[component] = levels[0];
    uint32_t run = 0;
    for (int k = 1; k < BLOCK; k++) {
        const int level = levels[zigzag[k]];
        if (level == 0) {
            run++;
            continue;
        }
        for (; run > 15; run -= 16) put_bits(e, e->ac[ZERO_RUN].bits, e->ac[ZERO_RUN].length);
        put_value(e, e->ac, run, level);
        run = 0;
    }
    if (run > 0) put_bits(e, e->ac[END].bits, e->ac[END].length);
}

static void write_big_u16(sni_writer *out, uint32_t value)
{
    sni_write_u8(out, (uint8_t)(value >> 8));
    sni_write_u8(out, (uint8_t)value);
}

static void write_marker(sni_writer *out, uint8_t marker, uint32_t bytes)
{
    sni_write_bytes(out, (const uint8_t[]){ 0xFF, marker }, 2);
    write_big_u16(out, 2 + bytes);
}

static void write_codes(sni_writer *out, uint8_t kind, const uint8_t lengths[16], const uint8_t *symbols,
                        uint32_t count)
{
    write_marker(out, 0xC4, 1 + 16 + count);  // DHT
    sni_write_u8(out, kind);
    sni_write_bytes(out, lengths, 16);
    sni_write_bytes(out, symbols, count);
}

void sni_jpeg_write_tables(sni_writer *out)
{
    enum { DC = 0, AC = 0x10 };
    sni_write_bytes(out, (const uint8_t[]){ 0xFF, 0xD8 }, 2);  // SOI
    write_marker(out, 0xDB, 1 + BLOCK);                        // DQT
    sni_write_u8(out, 0);
    for (int k = 0; k < BLOCK; k++) sni_write_u8(out, steps[zigzag[k]]);
    write_codes(out, DC, dc_lengths, dc_symbols, DC_SYMBOLS);
    write_codes(out, AC, ac_lengths, ac_symbols, AC_SYMBOLS);
}

uint32_t sni_jpeg_write_raw(sni_writer *out, const sn_pixels *pixels)
{
    static const uint8_t channels[COMPONENTS] = { 2, 1, 0, 3 };
    encoder e = { .out = out };
    make_codes(dc_lengths, dc_symbols, e.dc);
    make_codes(ac_lengths, ac_symbols, e.ac);

    write_marker(out, 0xC0, 6 + 3 * COMPONENTS);  // SOF0
    sni_write_u8(out, 8);
    write_big_u16(out, pixels->height);
    write_big_u16(out, pixels->width);
    sni_write_u8(out, COMPONENTS);
    for (uint8_t c = 1; c <= COMPONENTS; c++) sni_write_bytes(out, (const uint8_t[]){ c, 0x11, 0 }, 3);
    write_marker(out, 0xDA, 4 + 2 * COMPONENTS);  // SOS
    sni_write_u8(out, COMPONENTS);
    for (uint8_t c = 1; c <= COMPONENTS; c++) sni_write_bytes(out, (const uint8_t[]){ c, 0 }, 2);
    sni_write_bytes(out, (const uint8_t[]){ 0, BLOCK - 1, 0 }, 3);

    for (uint32_t y = 0; y < pixels->height && !out->failed; y += SIDE)
        for (uint32_t x = 0; x < pixels->width; x += SIDE)
            for (int c = 0; c < COMPONENTS; c++) {
                int samples[BLOCK];
                for (uint32_t k = 0; k < BLOCK; k++) {  // edges are held
                    uint32_t px = x + k % SIDE, py = y + k / SIDE;
                    if (px >= pixels->width) px = pixels->width - 1;
                    if (py >= pixels->height) py = pixels->height - 1;
                    samples[k] = pixels->rgba[4 * ((size_t)py * pixels->width + px) + channels[c]] - 128;
                }
                put_block(&e, c, samples);
            }
    if (e.pending_bits > 0) put_bits(&e, 0xFF >> e.pending_bits, 8 - e.pending_bits);
    sni_write_bytes(out, (const uint8_t[]){ 0xFF, 0xD9 }, 2);  // EOI
    return e.error;
}
