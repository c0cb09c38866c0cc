#include "base/bzip2.h"

// "BZh", level '1' to '9', blocks, the end; all of it bits, the highest first. A block is a text of at most 100,000
// bytes times the level: runs shortened, Burrows-Wheeler transformed, moved to front, runs of zeros shortened, and
// coded with two to six Huffman codes that change every 50 symbols.
enum {
    MOST_CODES = 6,
    MOST_SYMBOLS = 258,
    MOST_BITS = 20,
    GROUP = 50,
    MOST_SELECTORS = 18002,  // as many as the largest block needs; more may be given
    LARGEST_BLOCK = 900000,
    RUN_B = 1
};
static const uint64_t block_magic = 0x314159265359, end_magic = 0x177245385090;

typedef struct bit_reader {
    const uint8_t *at, *end;
    uint64_t hold;
    uint32_t count;
    bool is_short;  // bits past the end are 0
} bit_reader;

typedef struct code {
    uint16_t count[MOST_BITS + 1];  // by bits
    uint16_t sorted[MOST_SYMBOLS];  // symbols by bits, then by number
} code;

typedef struct unpacker {
    bit_reader bits;
    uint8_t *out, *out_end;
    uint32_t *work;       // the block: a byte and, above it, where its successor is
    uint32_t room, size;  // of the block
    uint32_t crc_table[256];
    uint8_t bytes[256];  // those that occur, in order; then moved to front
    uint32_t symbol_count, code_count, selector_count;
    code codes[MOST_CODES];
    uint8_t selectors[MOST_SELECTORS];
} unpacker;

static uint32_t take(bit_reader *in, uint32_t bits)
{
    for (; in->count < bits; in->count += 8) {
        in->hold = in->hold << 8 | (in->at < in->end ? *in->at : 0);
        if (in->at < in->end) in->at++;
        else in->is_short = true;
    }
    in->count -= bits;
    return (uint32_t)(in->hold >> in->count & ((1ull << bits) - 1));
}

static uint64_t take_48(bit_reader *in)
{
    uint64_t high = take(in, 24);
    return high << 24 | take(in, 24);
}

// UINT32_MAX for bits that are no code.
static uint32_t find(bit_reader *in, const code *c)
{
    uint32_t value = 0, first = 0, index = 0;
    for (uint32_t bits = 1; bits <= MOST_BITS; bits++) {
        value = value << 1 | take(in, 1);
        if (value - first < c->count[bits]) return c->sorted[index + value - first];
        index += c->count[bits];
        first = (first + c->count[bits]) << 1;
    }
    return UINT32_MAX;
}

// Which bytes occur: 16 bits for groups of 16, then 16 bits for each group that has any.
static bool read_bytes(unpacker *u)
{
    uint32_t groups = take(&u->bits, 16), used = 0;
    for (uint32_t i = 0; i < 16; i++) {
        uint32_t members = groups >> (15 - i) & 1 ? take(&u->bits, 16) : 0;
        for (uint32_t k = 0; k < 16; k++)
            if (members >> (15 - k) & 1) u->bytes[used++] = (uint8_t)(16 * i + k);
    }
    u->symbol_count = used + 2;
    return used > 0;
}

static void move_to_front(uint8_t *list, uint32_t at)
{
    uint8_t value = list[at];
    memmove(list + 1, list, at);
    list[0] = value;
}

static bool read_selectors(unpacker *u)
{
    uint8_t order[MOST_CODES] = { 0, 1, 2, 3, 4, 5 };
    u->code_count = take(&u->bits, 3);
    uint32_t count = take(&u->bits, 15);
    if (u->code_count < 2 || u->code_count > MOST_CODES || count == 0) return false;
    u->selector_count = count < MOST_SELECTORS ? count : MOST_SELECTORS;
    for (uint32_t i = 0; i < count && !u->bits.is_short; i++) {
        uint32_t at = 0;
        while (at < u->code_count && take(&u->bits, 1)) at++;
        if (at == u->code_count) return false;
        move_to_front(order, at);
        if (i < MOST_SELECTORS) u->selectors[i] = order[0];
    }
    return !u->bits.is_short;
}

// The bits of each symbol, as steps from those of the symbol before.
static bool read_code(unpacker *u, code *c)
{
    uint8_t lengths[MOST_SYMBOLS];
    uint32_t length = take(&u->bits, 5), used = 0;
    for (uint32_t i = 0; i < u->symbol_count; i++) {
        while (take(&u->bits, 1)) {
            length += take(&u->bits, 1) ? UINT32_MAX : 1;
            if (length > MOST_BITS) return false;  // or below 0
        }
        if (length < 1 || length > MOST_BITS) return false;
        lengths[i] = (uint8_t)length;
    }
    memset(c->count, 0, sizeof c->count);
    for (uint32_t bits = 1; bits <= MOST_BITS; bits++) {
        for (uint32_t i = 0; i < u->symbol_count; i++) {
            if (lengths[i] != bits) continue;
            c->sorted[used++] = (uint16_t)i;
            c->count[bits]++;
        }
    }
    return true;
}

// The symbols as bytes into the low bits of `work`. The first two are digits of a run's length, to the base of 2 with
// the digits 1 and 2; the last one ends the block.
static bool read_symbols(unpacker *u)
{
    const uint32_t end = u->symbol_count - 1;
    uint32_t run = 0, digit = 1;
    u->size = 0;
    for (uint32_t i = 0; i / GROUP < u->selector_count; i++) {
        uint32_t symbol = find(&u->bits, &u->codes[u->selectors[i / GROUP]]);
        if (u->bits.is_short || symbol > end) return false;
        if (symbol <= RUN_B) {
            run += digit << symbol;
            digit <<= 1;
            if (run > u->room - u->size) return false;
            continue;
        }
        for (; run > 0; run--) u->work[u->size++] = u->bytes[0];
        digit = 1;
        if (symbol == end) return true;
        if (u->size == u->room) return false;
        move_to_front(u->bytes, symbol - 1);
        u->work[u->size++] = u->bytes[0];
    }
    return false;
}

// Inverse Burrows-Wheeler transform: above each byte, where in the block the text goes on.
static void link_block(unpacker *u)
{
    uint32_t starts[257] = { 0 };
    for (uint32_t i = 0; i < u->size; i++) starts[(u->work[i] & 255) + 1]++;
    for (uint32_t i = 1; i < 256; i++) starts[i] += starts[i - 1];
    for (uint32_t i = 0; i < u->size; i++) u->work[starts[u->work[i] & 255]++] |= i << 8;
}

// Four equal bytes are followed by how many more there are. Returns false when `out` is too small.
static bool write_block(unpacker *u, uint32_t first, uint32_t *crc)
{
    uint32_t next = u->work[first] >> 8, repeats = 0;
    int last = -1;
    *crc = UINT32_MAX;
    for (uint32_t i = 0; i < u->size; i++) {
        uint32_t entry = u->work[next];
        uint8_t byte = (uint8_t)entry;
        size_t count = 1;
        next = entry >> 8;
        if (repeats == 4) {
            count = byte;
            byte = (uint8_t)last;
            repeats = 0;
            last = -1;
        } else {
            repeats = byte == last ? repeats + 1 : 1;
            last = byte;
        }
        if (count > (size_t)(u->out_end - u->out)) return false;
        for (; count > 0; count--) {
            *crc = *crc << 8 ^ u->crc_table[*crc >> 24 ^ byte];
            *u->out++ = byte;
        }
    }
    *crc = ~*crc;
    return true;
}

static bool read_block(unpacker *u, uint32_t *crc)
{
    uint32_t stored_crc = take(&u->bits, 32), is_random = take(&u->bits, 1), first = take(&u->bits, 24);
    if (is_random || !read_bytes(u) || !read_selectors(u))
        return false;  // no program has written random blocks since 1997
    for (uint32_t i = 0; i < u->code_count; i++)
        if (!read_code(u, &u->codes[i])) return false;
    if (!read_symbols(u) || first >= u->size) return false;
    link_block(u);
    return write_block(u, first, crc) && *crc == stored_crc;
}

size_t sni_bzip2_words(size_t capacity)
{
    size_t most = capacity / 4 * 5 + 8;  // four equal bytes become five
    return most < LARGEST_BLOCK ? most : LARGEST_BLOCK;
}

bool sni_bzip2(sni_bytes stream, uint8_t *out, size_t capacity, uint32_t *work, size_t *written)
{
    unpacker u;  // uninitialised: tables are filled before use
    uint32_t crc, all_crc = 0;
    *written = 0;
    if (stream.size < 4 || memcmp(stream.data, "BZh", 3) != 0) return false;
    if (stream.data[3] < '1' || stream.data[3] > '9') return false;
    u.bits = (bit_reader){ .at = stream.data + 4, .end = stream.data + stream.size };
    u.out = out, u.out_end = out + capacity;
    u.work = work;
    u.room = (stream.data[3] - '0') * 100000u;
    if (u.room > sni_bzip2_words(capacity)) u.room = (uint32_t)sni_bzip2_words(capacity);
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t value = i << 24;
        for (int bit = 0; bit < 8; bit++) value = value << 1 ^ (value >> 31 ? 0x04C11DB7 : 0);
        u.crc_table[i] = value;
    }

    for (;;) {
        uint64_t magic = take_48(&u.bits);
        if (magic == end_magic) return take(&u.bits, 32) == all_crc && !u.bits.is_short;
        if (magic != block_magic || !read_block(&u, &crc)) return false;
        all_crc = (all_crc << 1 | all_crc >> 31) ^ crc;
        *written = (size_t)(u.out - out);
    }
}
