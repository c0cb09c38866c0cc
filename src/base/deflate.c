#include "base/deflate.h"

#include <string.h>

#include "base/huffman.h"
#include "base/text.h"

// How hard to search. Takes a third of the time of zlib level 6, for files 1 % larger.
enum {
    WINDOW = 1 << 15,
    HASH_BITS = 15,
    SHORTEST = 3,
    LONGEST = 258,
    CHAIN = 32,
    CHAIN_WHEN_GOOD = 8,
    GOOD = 8,
    LAZY = 16,
    NICE = 128,
    FAR_FOR_THREE = 4096,
    BLOCK_SYMBOLS = 1 << 14,
    LITERALS = 286,
    DISTANCES = 30,
    CODES = 19,
    END = 256
};

typedef struct match {
    uint32_t length, distance;
} match;  // length 1: a literal
typedef struct run {
    uint8_t code, extra;
} run;  // of the list of lengths

typedef struct deflater {
    const uint8_t *data;
    uint32_t size, hashed;           // positions before `hashed` can be found
    uint32_t heads[1 << HASH_BITS];  // 1 + the last position with that hash
    uint32_t links[WINDOW];          // 1 + the one before it, by position
    match block[BLOCK_SYMBOLS];
    uint32_t block_count, block_start, block_end;
    uint32_t literal_counts[LITERALS], distance_counts[DISTANCES];
    sni_writer *out;
    uint64_t hold;
    uint32_t held;
} deflater;

static void put(deflater *d, uint32_t value, uint32_t bits)
{
    d->hold |= (uint64_t)value << d->held;
    d->held += bits;
    if (d->held < 32) return;
    sni_write_u32(d->out, (uint32_t)d->hold);
    d->hold >>= 32;
    d->held -= 32;
}

static void put_whole_bytes(deflater *d)
{
    for (; d->held > 0; d->held -= d->held < 8 ? d->held : 8, d->hold >>= 8) sni_write_u8(d->out, (uint8_t)d->hold);
    d->hold = 0;
}

// Match search

static uint32_t hash_at(const uint8_t *at)
{
    uint32_t three = (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
    return three * 0x9E3779B1u >> (32 - HASH_BITS);
}

static void hash_until(deflater *d, uint32_t position)
{
    uint32_t last = d->size < SHORTEST ? 0 : d->size - SHORTEST + 1;
    for (; d->hashed < position && d->hashed < last; d->hashed++) {
        uint32_t *head = &d->heads[hash_at(d->data + d->hashed)];
        d->links[d->hashed % WINDOW] = *head;
        *head = d->hashed + 1;
    }
}

static uint32_t common_length(const uint8_t *a, const uint8_t *b, uint32_t most)
{
    uint32_t length = 0;
    for (; length + 8 <= most; length += 8) {
        uint64_t differs = sni_load_eight((const char *)a + length) ^ sni_load_eight((const char *)b + length);
        if (differs == 0) continue;
        while (!(differs & 255)) differs >>= 8, length++;
        return length;
    }
    while (length < most && a[length] == b[length]) length++;
    return length;
}

// The longest match at `position` that is longer than `known`; length 1 when there is none.
static match find_match(deflater *d, uint32_t position, uint32_t known)
{
    match best = { 1, 0 };
    uint32_t most = d->size - position < LONGEST ? d->size - position : LONGEST, length = known < 2 ? 2 : known;
    hash_until(d, position);
    if (most <= length) return best;
    const uint8_t *at = d->data + position;
    uint32_t candidate = d->heads[hash_at(at)];
    for (int tries = known >= GOOD ? CHAIN_WHEN_GOOD : CHAIN; candidate > 0 && tries > 0; tries--) {
        uint32_t distance = position - (candidate - 1);
        if (distance > WINDOW) break;
        const uint8_t *there = at - distance;
        if (there[length] == at[length] && there[length - 1] == at[length - 1] && there[0] == at[0]) {
            uint32_t common = common_length(there, at, most);
            if (common > length) best = (match){ length = common, distance };
            if (length >= NICE || length == most) break;
        }
        candidate = d->links[(candidate - 1) % WINDOW];
    }
    if (best.length == SHORTEST && best.distance > FAR_FOR_THREE) best = (match){ 1, 0 };  // costs more than literals
    return best;
}

// Symbols

static uint32_t highest_bit(uint32_t value)
{
    uint32_t bit = 0;
    while (value >>= 1) bit++;
    return bit;
}

typedef struct symbol {
    uint32_t code, extra, bits;
} symbol;

// Four symbols per doubling; 3..10 have one each, and so has 258.
static symbol length_symbol(uint32_t length)
{
    if (length == LONGEST) return (symbol){ 285, 0, 0 };
    uint32_t from = length - SHORTEST;
    if (from < 8) return (symbol){ 257 + from, 0, 0 };
    uint32_t bits = highest_bit(from) - 2;
    return (symbol){ 257 + 4 * bits + (from >> bits), from & ((1u << bits) - 1), bits };
}

static symbol distance_symbol(uint32_t distance)
{
    uint32_t from = distance - 1;
    if (from < 4) return (symbol){ from, 0, 0 };
    uint32_t bits = highest_bit(from) - 1;
    return (symbol){ 2 * bits + (from >> bits), from & ((1u << bits) - 1), bits };
}

static void count_symbols(deflater *d, const match *found, uint8_t literal)
{
    if (found->length == 1) {
        d->literal_counts[literal]++;
        return;
    }
    d->literal_counts[length_symbol(found->length).code]++;
    d->distance_counts[distance_symbol(found->distance).code]++;
}

// Writing a block

typedef struct plan {
    sni_huffman_code literals[SNI_HUFFMAN_MOST], distances[DISTANCES], codes[CODES];
    uint32_t literal_count, distance_count, code_count, run_count;
    run runs[LITERALS + DISTANCES];
} plan;

static const uint8_t code_order[CODES] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
static const uint8_t code_extra[CODES] = { [16] = 2, [17] = 3, [18] = 7 };

static uint32_t same_from(const uint8_t *at, uint32_t rest)
{
    uint32_t count = 1;
    while (count < rest && at[count] == at[0]) count++;
    return count;
}

static uint32_t at_most(uint32_t value, uint32_t most) { return value < most ? value : most; }

static void add_run(plan *p, uint32_t *counts, uint32_t code, uint32_t extra)
{
    p->runs[p->run_count++] = (run){ (uint8_t)code, (uint8_t)extra };
    counts[code]++;
}

// The lengths of both codes as one list: 16 repeats the last 3..6 times, 17 and 18 are 3..10 and 11..138 zeros.
static void plan_lengths(plan *p)
{
    uint8_t lengths[LITERALS + DISTANCES];
    uint32_t counts[CODES] = { 0 }, size = p->literal_count + p->distance_count;
    for (uint32_t i = 0; i < p->literal_count; i++) lengths[i] = p->literals[i].length;
    for (uint32_t i = 0; i < p->distance_count; i++) lengths[p->literal_count + i] = p->distances[i].length;
    for (uint32_t at = 0; at < size;) {
        uint32_t same = same_from(lengths + at, size - at), length = lengths[at];
        if (length == 0 && same >= 11) add_run(p, counts, 18, (same = at_most(same, 138)) - 11);
        else if (length == 0 && same >= 3) add_run(p, counts, 17, same - 3);
        else if (at > 0 && lengths[at - 1] == length && same >= 3)
            add_run(p, counts, 16, (same = at_most(same, 6)) - 3);
        else add_run(p, counts, length, 0), same = 1;
        at += same;
    }
    sni_huffman_make(p->codes, counts, CODES, 7);
    for (p->code_count = CODES; p->code_count > 4 && !p->codes[code_order[p->code_count - 1]].length;) p->code_count--;
}

static void plan_block(const deflater *d, plan *p)
{
    p->run_count = 0;
    sni_huffman_make(p->literals, d->literal_counts, LITERALS, 15);
    sni_huffman_make(p->distances, d->distance_counts, DISTANCES, 15);
    for (p->literal_count = LITERALS; p->literal_count > 257 && !p->literals[p->literal_count - 1].length;)
        p->literal_count--;
    for (p->distance_count = DISTANCES; p->distance_count > 1 && !p->distances[p->distance_count - 1].length;)
        p->distance_count--;
    plan_lengths(p);
}

static void plan_fixed(plan *p)
{
    for (uint32_t i = 0; i < SNI_HUFFMAN_MOST; i++) p->literals[i].length = i < 144 ? 8 : i < 256 ? 9 : i < 280 ? 7 : 8;
    for (uint32_t i = 0; i < DISTANCES; i++) p->distances[i].length = 5;
    sni_huffman_assign(p->literals, SNI_HUFFMAN_MOST);
    sni_huffman_assign(p->distances, DISTANCES);
}

static uint64_t head_bits(const plan *p)
{
    uint64_t bits = 14 + 3 * (uint64_t)p->code_count;
    for (uint32_t i = 0; i < p->run_count; i++) bits += p->codes[p->runs[i].code].length + code_extra[p->runs[i].code];
    return bits;
}

static uint64_t body_bits(const deflater *d, const plan *p)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < LITERALS; i++) {
        uint32_t extra = i < 265 || i == 285 ? 0 : (i - 261) / 4;
        bits += (uint64_t)d->literal_counts[i] * (p->literals[i].length + extra);
    }
    for (uint32_t i = 0; i < DISTANCES; i++) {
        uint32_t extra = i < 4 ? 0 : i / 2 - 1;
        bits += (uint64_t)d->distance_counts[i] * (p->distances[i].length + extra);
    }
    return bits;
}

static void put_code(deflater *d, sni_huffman_code code) { put(d, code.bits, code.length); }

static void put_head(deflater *d, const plan *p)
{
    put(d, p->literal_count - 257, 5);
    put(d, p->distance_count - 1, 5);
    put(d, p->code_count - 4, 4);
    for (uint32_t i = 0; i < p->code_count; i++) put(d, p->codes[code_order[i]].length, 3);
    for (uint32_t i = 0; i < p->run_count; i++) {
        uint32_t code = p->runs[i].code;
        put_code(d, p->codes[code]);
        put(d, p->runs[i].extra, code_extra[code]);
    }
}

static void put_body(deflater *d, const plan *p)
{
    for (uint32_t i = 0, at = d->block_start; i < d->block_count; at += d->block[i++].length) {
        const match *now = &d->block[i];
        if (now->length == 1) {
            put_code(d, p->literals[d->data[at]]);
            continue;
        }
        symbol length = length_symbol(now->length), distance = distance_symbol(now->distance);
        put_code(d, p->literals[length.code]);
        put(d, length.extra, length.bits);
        put_code(d, p->distances[distance.code]);
        put(d, distance.extra, distance.bits);
    }
    put_code(d, p->literals[END]);
}

static void put_stored(deflater *d, bool is_last)
{
    for (uint32_t at = d->block_start, part; at < d->block_end || at == d->block_start; at += part) {
        part = at_most(d->block_end - at, 0xFFFF);
        put(d, is_last && at + part == d->block_end, 1);
        put(d, 0, 2);
        put_whole_bytes(d);
        sni_write_u16(d->out, (uint16_t)part);
        sni_write_u16(d->out, (uint16_t)~part);
        sni_write_bytes(d->out, d->data + at, part);
        if (part == 0) break;
    }
}

static void end_block(deflater *d, bool is_last)
{
    plan own, fixed;
    d->literal_counts[END] = 1;
    plan_block(d, &own);
    plan_fixed(&fixed);
    uint64_t own_bits = head_bits(&own) + body_bits(d, &own), fixed_bits = body_bits(d, &fixed);
    uint64_t stored_bits = ((uint64_t)(d->block_end - d->block_start) + 5) * 8;
    const plan *best = own_bits < fixed_bits ? &own : &fixed;
    if (stored_bits <= own_bits && stored_bits <= fixed_bits) {
        put_stored(d, is_last);
    } else {
        put(d, is_last, 1);
        put(d, best == &own ? 2 : 1, 2);
        if (best == &own) put_head(d, best);
        put_body(d, best);
    }
    d->block_start = d->block_end;
    d->block_count = 0;
    memset(d->literal_counts, 0, sizeof d->literal_counts);
    memset(d->distance_counts, 0, sizeof d->distance_counts);
}

static void add(deflater *d, match found)
{
    count_symbols(d, &found, d->data[d->block_end]);
    d->block[d->block_count++] = found;
    d->block_end += found.length;
    if (d->block_count == BLOCK_SYMBOLS && d->block_end < d->size) end_block(d, false);
}

// Lazy matching: when the next position has a longer match, the first byte is written as a literal.
static void find_all(deflater *d)
{
    match now = { 0 };
    for (uint32_t at = 0; at < d->size;) {
        if (now.length == 0) now = find_match(d, at, 1);
        bool waits = now.length >= SHORTEST && now.length < LAZY && at + 1 < d->size;
        match next = waits ? find_match(d, at + 1, now.length) : (match){ 0 };
        if (next.length > now.length) now.length = 1;
        else next.length = 0;
        add(d, now);
        at += now.length;
        now = next;
    }
}

bool sni_deflate(sni_writer *out, sni_arena *scratch, const uint8_t *data, size_t size)
{
    deflater *d = sni_new(scratch, deflater, 1);
    if (!d) return false;
    d->data = data;
    d->size = (uint32_t)size;
    d->out = out;
    find_all(d);
    end_block(d, true);
    put_whole_bytes(d);
    return !out->failed;
}
