#include "base/inflate.h"

#include <string.h>

#include "base/text.h"

// A root table is indexed by the first bits of a code; longer codes continue in a second table. An entry holds, from
// the lowest bit: 8 bits length of the code, 5 bits number of extra bits (for a root entry with MORE: index bits of the
// second table), its kind, then a value: the byte, the base of a length or distance, or the start of the second table.
enum {
    LITERAL = 1 << 13,
    END = 1 << 14,
    MORE = 1 << 15,
    LENGTH_ROOT = 11,
    DISTANCE_ROOT = 8,
    CODE_ROOT = 7,
    MOST_BITS = 15,
    LENGTH_ROOM = 2400,
    DISTANCE_ROOM = 512,
    CODE_ROOM = 128,
    LENGTHS = 288,
    DISTANCES = 32,
    CODES = 19
};

typedef struct table {
    uint32_t *entries;
    uint32_t root, room;
} table;

typedef struct bit_reader {
    const uint8_t *at, *end;
    uint64_t hold;            // bits read ahead, the next one lowest
    uint32_t count, missing;  // bits in `hold`; bytes past the end, read as 0
} bit_reader;

typedef struct inflater {
    bit_reader bits;
    uint8_t *out, *out_start, *out_end;
    uint32_t lengths[LENGTH_ROOM], distances[DISTANCE_ROOM], codes[CODE_ROOM];
} inflater;

// At least 56 bits in hold: enough for a length and its distance with all their extra bits (48).
static inline void refill(bit_reader *in)
{
    if (in->end - in->at >= 8) {
        in->hold |= sni_load_eight((const char *)in->at) << in->count;
        in->at += (63 - in->count) >> 3;
        in->count |= 56;
        return;
    }
    for (; in->count <= 56; in->count += 8) {
        if (in->at < in->end) in->hold |= (uint64_t)*in->at++ << in->count;
        else in->missing++;
    }
}

static inline uint32_t take(bit_reader *in, uint32_t bits)
{
    uint32_t value = (uint32_t)(in->hold & ((1ull << bits) - 1));
    in->hold >>= bits;
    in->count -= bits;
    return value;
}

static bool ran_short(const bit_reader *in) { return in->missing * 8 > in->count; }

static inline uint32_t find(const uint32_t *entries, uint32_t root, bit_reader *in)
{
    uint32_t entry = entries[in->hold & ((1u << root) - 1)];
    if (entry & MORE) {
        take(in, root);
        entry = entries[(entry >> 16) + (in->hold & ((1u << (entry >> 8 & 31)) - 1))];
    }
    take(in, entry & 255);
    return entry;
}

// Tables

static uint32_t literal_entry(uint32_t symbol)
{
    static const uint16_t bases[] = { 3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                      31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
    static const uint8_t extra[] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                     2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };
    if (symbol < 256) return LITERAL | symbol << 16;
    if (symbol == 256) return END;
    return symbol < 286 ? (uint32_t)bases[symbol - 257] << 16 | (uint32_t)extra[symbol - 257] << 8 : 0;
}

// Distances double every two symbols: 1 2 3 4, then with 1, 1, 2, 2 ... extra bits. 30 and 31 are not used: base 0.
static uint32_t distance_entry(uint32_t symbol)
{
    if (symbol >= 30) return 0;
    uint32_t extra = symbol < 4 ? 0 : symbol / 2 - 1;
    uint32_t base = symbol < 4 ? symbol + 1 : ((2 + (symbol & 1)) << extra) + 1;
    return base << 16 | extra << 8;
}

static uint32_t code_entry(uint32_t symbol) { return LITERAL | symbol << 16; }

static uint32_t reversed(uint32_t code, uint32_t bits)
{
    uint32_t out = 0;
    for (uint32_t i = 0; i < bits; i++) out |= (code >> i & 1) << (bits - 1 - i);
    return out;
}

// Symbols in the order of their canonical codes: by length, then by number.
typedef struct code_list {
    uint16_t count[MOST_BITS + 1], end[MOST_BITS + 1];  // by length; end: where in `sorted` its symbols end
    uint16_t sorted[LENGTHS], used;
} code_list;

// Returns false for an over-subscribed or incomplete code; only a single code may be incomplete.
static bool sort_codes(code_list *codes, const uint8_t *lengths, uint32_t symbols)
{
    int32_t left = 1;
    memset(codes, 0, sizeof *codes);
    for (uint32_t i = 0; i < symbols; i++) codes->count[lengths[i]]++;
    codes->count[0] = 0;
    for (uint32_t bits = 1; bits <= MOST_BITS; bits++) {
        left = left * 2 - codes->count[bits];
        if (left < 0) return false;
        codes->end[bits] = codes->used;  // where they start; each symbol below moves it on
        codes->used = (uint16_t)(codes->used + codes->count[bits]);
    }
    for (uint32_t i = 0; i < symbols; i++) {
        if (lengths[i]) codes->sorted[codes->end[lengths[i]]++] = (uint16_t)i;
    }
    return left == 0 || codes->used <= 1;
}

// How many bits a second table takes whose first code is number `first`, of this length: as many as the longest code
// with the same root, and that is where the codes to come have filled it.
static uint32_t second_bits(const code_list *codes, uint32_t first, uint32_t length, uint32_t root)
{
    uint32_t bits = length - root;
    int32_t room = (int32_t)(1u << bits) - (int32_t)(codes->end[length] - first);
    while (room > 0 && root + bits < MOST_BITS) {
        bits++;
        room = room * 2 - codes->count[root + bits];
    }
    return bits;
}

static void fill(uint32_t *entries, uint32_t size, uint32_t first, uint32_t length, uint32_t entry)
{
    for (uint32_t at = first; at < size; at += 1u << length) entries[at] = entry | length;
}

// Entries that no code reaches are 0 and fail when used.
static bool build_table(table to, const uint8_t *lengths, uint32_t symbols, uint32_t (*entry_of)(uint32_t symbol))
{
    code_list codes;
    if (!sort_codes(&codes, lengths, symbols)) return false;
    uint32_t code = 0, root_size = 1u << to.root, room = root_size, second = 0, bits = 0, prefix = UINT32_MAX;
    memset(to.entries, 0, sizeof *to.entries << to.root);
    for (uint32_t i = 0, length = 1; i < codes.used; i++, code++) {
        for (; lengths[codes.sorted[i]] > length; length++) code <<= 1;
        uint32_t entry = entry_of(codes.sorted[i]), flipped = reversed(code, length);
        if (length <= to.root) {
            fill(to.entries, root_size, flipped, length, entry);
            continue;
        }
        if ((flipped & (root_size - 1)) != prefix) {
            prefix = flipped & (root_size - 1);
            bits = second_bits(&codes, i, length, to.root);
            second = room;
            room += 1u << bits;
            if (room > to.room) return false;
            memset(&to.entries[second], 0, sizeof *to.entries << bits);
            to.entries[prefix] = MORE | second << 16 | bits << 8;
        }
        fill(to.entries + second, 1u << bits, flipped >> to.root, length - to.root, entry);
    }
    return true;
}

static bool build_both(inflater *in, const uint8_t *lengths, uint32_t length_count, uint32_t distance_count)
{
    table literals = { in->lengths, LENGTH_ROOT, LENGTH_ROOM },
          distances = { in->distances, DISTANCE_ROOT, DISTANCE_ROOM };
    return build_table(literals, lengths, length_count, literal_entry) &&
           build_table(distances, lengths + length_count, distance_count, distance_entry);
}

static bool build_fixed(inflater *in)
{
    uint8_t lengths[LENGTHS + DISTANCES];
    for (uint32_t i = 0; i < LENGTHS; i++) lengths[i] = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    memset(lengths + LENGTHS, 5, DISTANCES);
    return build_both(in, lengths, LENGTHS, DISTANCES);
}

// The lengths of both codes come as one list, itself coded: a length, or repeat the last, or a run of zeros.
static bool read_lengths(inflater *in, uint8_t *lengths, uint32_t wanted)
{
    bit_reader *bits = &in->bits;
    for (uint32_t at = 0; at < wanted;) {
        refill(bits);
        uint32_t entry = find(in->codes, CODE_ROOT, bits), symbol = entry >> 16, repeats = 1;
        if (!(entry & LITERAL) || ran_short(bits)) return false;
        uint8_t length = symbol < 16 ? (uint8_t)symbol : 0;
        if (symbol == 16) {
            if (at == 0) return false;
            length = lengths[at - 1];
            repeats = 3 + take(bits, 2);
        }
        if (symbol == 17) repeats = 3 + take(bits, 3);
        if (symbol == 18) repeats = 11 + take(bits, 7);
        if (repeats > wanted - at) return false;
        memset(lengths + at, length, repeats);
        at += repeats;
    }
    return true;
}

static bool build_dynamic(inflater *in)
{
    static const uint8_t order[CODES] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    uint8_t lengths[LENGTHS + DISTANCES] = { 0 }, of_codes[CODES] = { 0 };
    bit_reader *bits = &in->bits;
    refill(bits);
    uint32_t length_count = 257 + take(bits, 5), distance_count = 1 + take(bits, 5), code_count = 4 + take(bits, 4);
    if (length_count > 286) return false;
    for (uint32_t i = 0; i < code_count; i++) {
        refill(bits);
        of_codes[order[i]] = (uint8_t)take(bits, 3);
    }
    table codes = { in->codes, CODE_ROOT, CODE_ROOM };
    return build_table(codes, of_codes, CODES, code_entry) &&
           read_lengths(in, lengths, length_count + distance_count) &&
           build_both(in, lengths, length_count, distance_count);
}

// Blocks

// A distance smaller than the length repeats bytes just written.
static inline void copy_match(uint8_t *out, size_t distance, size_t length, size_t room)
{
    const uint8_t *from = out - distance;
    if (distance >= 8 && room >= length + 8) {
        for (uint8_t *end = out + length; out < end; out += 8, from += 8) memcpy(out, from, 8);
    } else if (distance == 1) {
        memset(out, *from, length);
    } else {
        while (length--) *out++ = *from++;
    }
}

// Local copies of the bit buffer and the output pointer stay in registers.
static sni_inflate_end read_block(inflater *in)
{
    bit_reader bits = in->bits;
    uint8_t *out = in->out, *out_end = in->out_end;
    sni_inflate_end end = SNI_INFLATE_CORRUPT;
    for (;;) {
        refill(&bits);
        uint32_t entry = find(in->lengths, LENGTH_ROOT, &bits);
        while ((entry & LITERAL) && out < out_end) {
            *out++ = (uint8_t)(entry >> 16);
            if (bits.count < MOST_BITS) refill(&bits);
            entry = find(in->lengths, LENGTH_ROOT, &bits);
        }
        end = entry & LITERAL ? SNI_INFLATE_FULL : entry & END ? SNI_INFLATE_DONE : SNI_INFLATE_CORRUPT;
        if (end != SNI_INFLATE_CORRUPT || !(entry >> 16) || (bits.missing && ran_short(&bits))) break;
        refill(&bits);
        size_t length = (entry >> 16) + take(&bits, entry >> 8 & 31), room = (size_t)(out_end - out);
        uint32_t far = find(in->distances, DISTANCE_ROOT, &bits);
        size_t distance = (far >> 16) + take(&bits, far >> 8 & 31);
        if (!(far >> 16) || distance > (size_t)(out - in->out_start)) break;
        size_t part = length < room ? length : room;
        copy_match(out, distance, part, room);
        out += part;
        end = SNI_INFLATE_FULL;
        if (part < length) break;
    }
    in->bits = bits;
    in->out = out;
    return ran_short(&bits) ? SNI_INFLATE_SHORT : end;
}

// Its size is at the next byte boundary, so bytes read ahead are returned.
static sni_inflate_end copy_stored(inflater *in)
{
    bit_reader *bits = &in->bits;
    take(bits, bits->count & 7);
    refill(bits);
    uint32_t size = take(bits, 16), check = take(bits, 16);
    if (ran_short(bits)) return SNI_INFLATE_SHORT;
    if ((size ^ check) != 0xFFFF) return SNI_INFLATE_CORRUPT;
    bits->at -= bits->count / 8 - bits->missing;
    bits->hold = 0, bits->count = 0, bits->missing = 0;
    size_t room = (size_t)(in->out_end - in->out), rest = (size_t)(bits->end - bits->at),
           part = size < room ? size : room;
    if (part > rest) part = rest;
    if (part > 0) memcpy(in->out, bits->at, part);
    in->out += part;
    bits->at += part;
    return part == size ? SNI_INFLATE_DONE : part == rest ? SNI_INFLATE_SHORT : SNI_INFLATE_FULL;
}

static sni_inflate_end read_blocks(inflater *in)
{
    bit_reader *bits = &in->bits;
    for (;;) {
        refill(bits);
        bool is_last = take(bits, 1);
        uint32_t kind = take(bits, 2);
        sni_inflate_end end = SNI_INFLATE_CORRUPT;
        if (ran_short(bits)) return SNI_INFLATE_SHORT;
        if (kind == 0) end = copy_stored(in);
        if ((kind == 1 && build_fixed(in)) || (kind == 2 && build_dynamic(in))) end = read_block(in);
        if (end == SNI_INFLATE_CORRUPT && ran_short(bits)) return SNI_INFLATE_SHORT;
        if (end != SNI_INFLATE_DONE || is_last) return end;
    }
}

sni_inflated sni_inflate(sni_bytes stream, uint8_t *out, size_t capacity)
{
    inflater in;  // uninitialised: tables are built before use
    in.bits = (bit_reader){ .at = stream.data, .end = stream.data + stream.size };
    in.out = in.out_start = out, in.out_end = out + capacity;
    sni_inflate_end end = read_blocks(&in);
    const bit_reader *bits = &in.bits;
    size_t ahead = bits->count / 8 > bits->missing ? bits->count / 8 - bits->missing : 0;
    return (sni_inflated){ end, (size_t)(in.out - out), (size_t)(bits->at - stream.data) - ahead };
}
