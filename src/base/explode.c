#include "base/explode.h"

// A stream is u8 mode (0: literals are bytes, 1: literals have codes of their own), u8 bits of a long distance that are
// stored as they are (4 to 6), then items, the first bit lowest: 0 and a literal, or 1, a length and a distance. Codes
// are canonical with all bits inverted, their first bit first, and the same for every stream.
enum { MOST_BITS = 13, MOST_SYMBOLS = 256, LENGTHS = 16, DISTANCES = 64, SHORT_LENGTH = 2, END_LENGTH = 519 };

// The number of bits of each symbol's code, as hexadecimal digits.
static const char literal_bits[] = "bcccccccc87cc7ccccccccccccdccccc"
                                   "4a8caca87789767876777787788cb79b"
                                   "c676657886b967667b66679899b8b9c8"
                                   "c566656665b756556a55558788abbccc"
                                   "dddddddddddddddddddddddddddddddd"
                                   "ddddddddddddddddcccccccccccccccc"
                                   "cccccccccccccccccccccccccccccccc"
                                   "dcdddcdddcddddcdddcccddddddddddd";
static const char length_bits[] = "2333444555566677";
static const char distance_bits[] = "2445555666666666666666777777777777777777777777778888888888888888";

typedef struct code {
    uint16_t count[MOST_BITS + 1];  // by bits
    uint8_t sorted[MOST_SYMBOLS];   // symbols by bits, then by number
} code;

typedef struct bit_reader {
    const uint8_t *at, *end;
    uint32_t hold, count;
    bool is_short;  // bits past the end are 0
} bit_reader;

static uint32_t take(bit_reader *in, uint32_t bits)
{
    for (; in->count < bits; in->count += 8) {
        if (in->at < in->end) in->hold |= (uint32_t)*in->at++ << in->count;
        else in->is_short = true;
    }
    uint32_t value = in->hold & ((1u << bits) - 1);
    in->hold >>= bits;
    in->count -= bits;
    return value;
}

static void make_code(code *c, const char *digits, uint32_t symbols)
{
    uint32_t used = 0;
    memset(c, 0, sizeof *c);
    for (uint32_t bits = 1; bits <= MOST_BITS; bits++) {
        for (uint32_t i = 0; i < symbols; i++) {
            uint32_t length = (uint32_t)(digits[i] <= '9' ? digits[i] - '0' : digits[i] - 'a' + 10);
            if (length != bits) continue;
            c->sorted[used++] = (uint8_t)i;
            c->count[bits]++;
        }
    }
}

// Every sequence of bits is a code, so a symbol is always found.
static uint32_t find(bit_reader *in, const code *c)
{
    uint32_t value = 0, first = 0, index = 0;
    for (uint32_t bits = 1; bits <= MOST_BITS; bits++) {
        value = value << 1 | !take(in, 1);
        if (value - first < c->count[bits]) return c->sorted[index + value - first];
        index += c->count[bits];
        first = (first + c->count[bits]) << 1;
    }
    return 0;
}

// Lengths of 2 to 9 have no extra bits, longer ones have 1 to 8; the two shortest have changed places.
static uint32_t read_length(bit_reader *in, const code *lengths)
{
    uint32_t symbol = find(in, lengths);
    if (symbol < 2) return 3 - symbol;
    if (symbol < 8) return symbol + 2;
    return 8 + (1u << (symbol - 7)) + take(in, symbol - 7);
}

bool sni_explode(sni_bytes stream, uint8_t *out, size_t capacity, size_t *written)
{
    code literals, lengths, distances;
    size_t used = 0;
    *written = 0;
    if (stream.size < 2 || stream.data[0] > 1 || stream.data[1] < 4 || stream.data[1] > 6) return false;
    const bool has_literal_code = stream.data[0] == 1;
    const uint32_t long_bits = stream.data[1];
    bit_reader in = { .at = stream.data + 2, .end = stream.data + stream.size };
    if (has_literal_code) make_code(&literals, literal_bits, MOST_SYMBOLS);
    make_code(&lengths, length_bits, LENGTHS);
    make_code(&distances, distance_bits, DISTANCES);

    while (used < capacity) {
        *written = used;
        if (take(&in, 1) == 0) {
            uint32_t byte = has_literal_code ? find(&in, &literals) : take(&in, 8);
            if (in.is_short) return false;
            out[used++] = (uint8_t)byte;
            continue;
        }
        uint32_t length = read_length(&in, &lengths);
        if (in.is_short) return false;
        if (length == END_LENGTH) return true;
        uint32_t low_bits = length == SHORT_LENGTH ? 2 : long_bits;
        size_t distance = find(&in, &distances) << low_bits;
        distance += take(&in, low_bits) + 1;
        if (in.is_short || distance > used) return false;
        for (; length > 0 && used < capacity; length--, used++) out[used] = out[used - distance];
    }
    *written = used;
    return true;
}
