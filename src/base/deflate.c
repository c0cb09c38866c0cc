#include "base/deflate.h"

#include <string.h>

#include "base/huffman.h"
#include "base/reader.h"
#include "base/text.h"

enum {
    WINDOW = 1 << 15,
    SHORTEST = 3,
    LONGEST = 258,
    MOST_HASH_BITS = 16,
    SHORT_HASH_BITS = 14,   // of three bytes
    CHAIN = 32,             // candidates that are compared
    CHAIN_OF_LITERALS = 8,  // where most tokens are literals: farther matches are hardly longer and cost more
    PATIENCE = 64,          // literals in a row after which not every position is looked at
    NICE = 64,              // a match this long is taken without looking further
    CHUNK = 1 << 12,        // tokens, after which costs are estimated and a block may end
    MOST_TOKENS = 1 << 15,
    LITERALS = 286,
    DISTANCES = 30,
    CODES = 19,
    END = 256
};

typedef struct run {
    uint8_t code, extra;
} run;  // of the list of lengths

typedef struct counts {
    uint32_t literals[LITERALS], distances[DISTANCES];
} counts;

// Positions are kept modulo 65536: one that is too old is mistaken for another, which costs a comparison.
typedef struct deflater {
    const uint8_t *data;
    uint32_t size, hash_bits;
    uint16_t *heads;  // the last position with that hash of four bytes
    uint16_t *links;  // the position before with the same hash, by position
    uint16_t short_heads[1 << SHORT_HASH_BITS];
    uint8_t length_codes[LONGEST + 1], distance_codes[512];
    uint16_t literal_costs[256], length_costs[LONGEST + 1], distance_costs[DISTANCES];  // in 1/256 bit
    uint32_t usual_cost;                                                                // of a literal
    uint32_t least;    // shorter matches are not worth looking for
    uint32_t chain;    // candidates that are compared
    uint32_t *tokens;  // of the block: literals, or length << 16 | distance - 1
    uint32_t token_count, chunk_tokens;
    uint32_t block_start, chunk_start, chunk_end;  // positions; the chunk is the end of the block
    counts block, chunk;                           // the block without the chunk
    sni_writer *out;
    uint64_t hold;
    uint32_t held;
} deflater;

// Codes of lengths and distances

static uint32_t highest_bit(uint32_t value)
{
#if defined(__GNUC__)
    return 31u - (uint32_t)__builtin_clz(value | 1);
#else
    uint32_t bit = 0;
    while (value >>= 1) bit++;
    return bit;
#endif
}

static uint32_t length_extra(uint32_t code) { return code < 265 || code == 285 ? 0 : (code - 261) / 4; }

static uint32_t distance_extra(uint32_t code) { return code < 4 ? 0 : code / 2 - 1; }

// Lengths have four codes per doubling, 3..10 and 258 one each. Distances have two per doubling; beyond 256 the code
// does not depend on the lowest seven bits.
static void make_codes(deflater *d)
{
    for (uint32_t length = SHORTEST; length <= LONGEST; length++) {
        uint32_t from = length - SHORTEST, bits = from < 8 ? 0 : highest_bit(from) - 2;
        d->length_codes[length] = (uint8_t)(length == LONGEST ? 285 - 257 : 4 * bits + (from >> bits));
    }
    for (uint32_t i = 0; i < 512; i++) {
        uint32_t from = i < 256 ? i : (i - 256) << 7, bits = from < 4 ? 0 : highest_bit(from) - 1;
        d->distance_codes[i] = (uint8_t)(2 * bits + (from >> bits));
    }
}

static uint32_t distance_code(const deflater *d, uint32_t from)
{
    return d->distance_codes[from < 256 ? from : 256 + (from >> 7)];
}

// Costs

// In 1/256 bit, as integers: the same on every machine.
static uint32_t log_of(uint32_t value)
{
    static const uint16_t parts[33] = { 0,   11,  22,  33,  44,  54,  63,  73,  82,  92,  100,
                                        109, 118, 126, 134, 142, 150, 157, 165, 172, 179, 186,
                                        193, 200, 207, 213, 220, 226, 232, 238, 244, 250, 256 };
    uint32_t bit = highest_bit(value), fraction = bit > 13 ? value >> (bit - 13) : value << (13 - bit);
    uint32_t part = fraction >> 8 & 31, rest = fraction & 255;
    return bit * 256 + parts[part] + ((uint32_t)(parts[part + 1] - parts[part]) * rest >> 8);
}

static uint64_t entropy_of(const uint32_t *list, const uint32_t *more, uint32_t size, uint32_t *used)
{
    uint64_t total = 0, bits = 0;
    for (uint32_t i = 0; i < size; i++) {
        uint32_t count = list[i] + (more ? more[i] : 0);
        if (count == 0) continue;
        total += count;
        bits += (uint64_t)count * log_of(count);
        *used += 1;
    }
    return total > 0 ? total * log_of((uint32_t)total) - bits : 0;
}

// What a block with these counts takes, without the extra bits of lengths and distances.
static uint64_t estimate_block(const counts *a, const counts *b)
{
    const uint64_t head = 64 * 256, each = 4 * 256;
    uint32_t used = 0;
    uint64_t bits = entropy_of(a->literals, b ? b->literals : NULL, LITERALS, &used);
    bits += entropy_of(a->distances, b ? b->distances : NULL, DISTANCES, &used);
    return bits + head + each * used;
}

static uint16_t cost_of(uint32_t count, uint32_t of) { return (uint16_t)(log_of(of + 8) - log_of(count ? count : 1)); }

static void set_costs(deflater *d, const counts *from)
{
    uint32_t literals = 0, all = 1, distances = 1;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < LITERALS; i++) all += from->literals[i];
    for (uint32_t i = 0; i < DISTANCES; i++) distances += from->distances[i];
    for (uint32_t i = 0; i < 256; i++) {
        d->literal_costs[i] = cost_of(from->literals[i], all);
        literals += from->literals[i];
        sum += (uint64_t)from->literals[i] * d->literal_costs[i];
    }
    d->usual_cost = literals > 0 ? (uint32_t)(sum / literals) : 8 * 256;
    for (uint32_t length = SHORTEST; length <= LONGEST; length++) {
        uint32_t code = 257u + d->length_codes[length];
        d->length_costs[length] = (uint16_t)(cost_of(from->literals[code], all) + 256 * length_extra(code));
    }
    for (uint32_t i = 0; i < DISTANCES; i++)
        d->distance_costs[i] = (uint16_t)(cost_of(from->distances[i], distances) + 256 * distance_extra(i));
    sum = 0;
    for (uint32_t i = 0; i < DISTANCES; i++) sum += (uint64_t)from->distances[i] * d->distance_costs[i];
    uint32_t usual_distance = distances > 1 ? (uint32_t)(sum / (distances - 1)) : 0;
    d->chain = (uint64_t)literals * 4 > (uint64_t)all * 3 ? CHAIN_OF_LITERALS : CHAIN;
    d->least = SHORTEST;
    while (d->least < 7 && d->least * d->usual_cost < d->length_costs[d->least] + usual_distance) d->least++;
}

// Before anything is known: literals as often as the bytes of the first part, and matches half as often.
static void guess_costs(deflater *d)
{
    counts guess = { 0 };
    uint32_t size = d->size < WINDOW ? d->size : WINDOW;
    for (uint32_t i = 0; i < size; i++) guess.literals[d->data[i]]++;
    for (uint32_t i = 257; i < LITERALS; i++) guess.literals[i] = 1 + size / 64;
    for (uint32_t i = 0; i < DISTANCES; i++) guess.distances[i] = 1;
    set_costs(d, &guess);
}

static uint32_t match_cost(const deflater *d, uint32_t length, uint32_t distance)
{
    return (uint32_t)d->length_costs[length] + d->distance_costs[distance_code(d, distance - 1)];
}

// Match search

typedef struct match {
    uint32_t length, distance;  // length 0: none
} match;

static uint32_t common_length(const uint8_t *a, const uint8_t *b, uint32_t length, uint32_t most)
{
    for (; length + 8 <= most; length += 8) {
        uint64_t differs = sni_load_eight((const char *)a + length) ^ sni_load_eight((const char *)b + length);
        if (differs == 0) continue;
        while (!(differs & 255)) differs >>= 8, length++;
        return length;
    }
    while (length < most && a[length] == b[length]) length++;
    return length;
}

static uint32_t hash_of(const deflater *d, uint32_t four) { return four * 0x9E3779B1u >> (32 - d->hash_bits); }

// Adds a position to the tables, which must be done for all in turn. Four bytes must be left. Returns the last with the
// same four bytes, `nearest` that with the same three.
static inline uint32_t add_position(deflater *d, uint32_t position, uint32_t four, uint32_t *nearest)
{
    uint16_t *head = &d->heads[hash_of(d, four)];
    uint32_t last = *head;
    d->links[position % WINDOW] = (uint16_t)last;
    *head = (uint16_t)position;
    if (d->least == SHORTEST) {
        uint16_t *short_head = &d->short_heads[(four << 8) * 0x9E3779B1u >> (32 - SHORT_HASH_BITS)];
        *nearest = *short_head;
        *short_head = (uint16_t)position;
    }
    return last;
}

// The longest match that is longer than `longer_than`.
static match find_match(deflater *d, uint32_t position, uint32_t longer_than, uint32_t tries)
{
    match best = { 0, 0 };
    if (d->size - position < 4) return best;
    const uint8_t *at = d->data + position;
    uint32_t most = d->size - position < LONGEST ? d->size - position : LONGEST;
    uint32_t limit = position < WINDOW ? position : WINDOW, four = sni_load_u32(at), nearest = 0, last_distance = 0;
#if defined(__GNUC__)
    if (most > 4) __builtin_prefetch(&d->heads[hash_of(d, sni_load_u32(at + 1))], 1);
#endif
    uint32_t candidate = add_position(d, position, four, &nearest), length = longer_than;
    if (length < SHORTEST && d->least > SHORTEST) {
        length = d->least - 1;
    } else if (length < SHORTEST) {
        uint32_t distance = (uint16_t)(position - nearest);
        length = SHORTEST;
        if (distance - 1 < limit && ((sni_load_u32(at - distance) ^ four) & 0xFFFFFF) == 0)
            best = (match){ SHORTEST, distance };
    }
    if (length >= most) return best;
    uint32_t tail = sni_load_u32(at + length - 3);
    for (; tries > 0; tries--) {
        uint32_t distance = (uint16_t)(position - candidate);
        if (distance <= last_distance || distance > limit) break;
        last_distance = distance;
        const uint8_t *there = at - distance;
        if (sni_load_u32(there + length - 3) == tail && sni_load_u32(there) == four) {
            uint32_t common = common_length(there, at, 4, most);
            if (common > length) {
                best = (match){ length = common, distance };
                if (length >= NICE || length == most) break;
                tail = sni_load_u32(at + length - 3);
            }
        }
        candidate = d->links[(position - distance) % WINDOW];
    }
    return best;
}

// Bits saved by a match. Long ones are compared with literals of the usual cost.
static int32_t gain_of(const deflater *d, uint32_t position, match m)
{
    enum { EXACT = 6 };
    if (m.length == 0) return 0;
    uint32_t cost = 0;
    for (uint32_t i = 0; i < m.length && i < EXACT; i++) cost += d->literal_costs[d->data[position + i]];
    if (m.length > EXACT) cost += (m.length - EXACT) * d->usual_cost;
    return (int32_t)cost - (int32_t)match_cost(d, m.length, m.distance);
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

static void add_run(plan *p, uint32_t *totals, uint32_t code, uint32_t extra)
{
    p->runs[p->run_count++] = (run){ (uint8_t)code, (uint8_t)extra };
    totals[code]++;
}

// The lengths of both codes as one list: 16 repeats the last 3..6 times, 17 and 18 are 3..10 and 11..138 zeros.
static void plan_lengths(plan *p)
{
    uint8_t lengths[LITERALS + DISTANCES];
    uint32_t totals[CODES] = { 0 }, size = p->literal_count + p->distance_count;
    for (uint32_t i = 0; i < p->literal_count; i++) lengths[i] = p->literals[i].length;
    for (uint32_t i = 0; i < p->distance_count; i++) lengths[p->literal_count + i] = p->distances[i].length;
    for (uint32_t at = 0; at < size;) {
        uint32_t same = same_from(lengths + at, size - at), length = lengths[at];
        if (length == 0 && same >= 11) add_run(p, totals, 18, (same = at_most(same, 138)) - 11);
        else if (length == 0 && same >= 3) add_run(p, totals, 17, same - 3);
        else if (at > 0 && lengths[at - 1] == length && same >= 3)
            add_run(p, totals, 16, (same = at_most(same, 6)) - 3);
        else add_run(p, totals, length, 0), same = 1;
        at += same;
    }
    sni_huffman_make(p->codes, totals, CODES, 7);
    for (p->code_count = CODES; p->code_count > 4 && !p->codes[code_order[p->code_count - 1]].length;) p->code_count--;
}

static void plan_block(const counts *of, plan *p)
{
    p->run_count = 0;
    sni_huffman_make(p->literals, of->literals, LITERALS, 15);
    sni_huffman_make(p->distances, of->distances, DISTANCES, 15);
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

static uint64_t body_bits(const counts *of, const plan *p)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < LITERALS; i++)
        bits += (uint64_t)of->literals[i] * (p->literals[i].length + length_extra(i));
    for (uint32_t i = 0; i < DISTANCES; i++)
        bits += (uint64_t)of->distances[i] * (p->distances[i].length + distance_extra(i));
    return bits;
}

// Bits on their way out. At most 56 may be put between two flushes; eight bytes of room must be left.
typedef struct bit_writer {
    uint64_t hold;
    uint32_t held;
    uint8_t *to;
} bit_writer;

static inline void put(bit_writer *w, uint32_t value, uint32_t bits)
{
    w->hold |= (uint64_t)value << w->held;
    w->held += bits;
}

static inline void flush(bit_writer *w)
{
    for (int i = 0; i < 8; i++) w->to[i] = (uint8_t)(w->hold >> 8 * i);
    w->to += w->held / 8;
    w->hold >>= w->held & ~7u;
    w->held &= 7;
}

static void put_head(bit_writer *w, const plan *p)
{
    put(w, p->literal_count - 257, 5);
    put(w, p->distance_count - 1, 5);
    put(w, p->code_count - 4, 4);
    flush(w);
    for (uint32_t i = 0; i < p->code_count; i++) {
        put(w, p->codes[code_order[i]].length, 3);
        flush(w);
    }
    for (uint32_t i = 0; i < p->run_count; i++) {
        uint32_t code = p->runs[i].code;
        put(w, p->codes[code].bits, p->codes[code].length);
        put(w, p->runs[i].extra, code_extra[code]);
        flush(w);
    }
}

static void put_body(const deflater *d, const plan *p, bit_writer *to, const uint32_t *tokens, uint32_t count)
{
    bit_writer w = *to;
    uint32_t lengths[LONGEST + 1];  // the bits of the code with its extra bits, and how many
    for (uint32_t length = SHORTEST, first = 0, last = 0; length <= LONGEST; length++) {
        uint32_t code = 257u + d->length_codes[length], bits = p->literals[code].length;
        if (code != last) first = length, last = code;
        lengths[length] = (p->literals[code].bits | (length - first) << bits) << 8 | (bits + length_extra(code));
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t token = tokens[i];
        if (token < 256) {
            put(&w, p->literals[token].bits, p->literals[token].length);
            while (i + 1 < count && w.held < 48 && tokens[i + 1] < 256)
                token = tokens[++i], put(&w, p->literals[token].bits, p->literals[token].length);
            flush(&w);
            continue;
        }
        uint32_t length = lengths[token >> 16], from = token & 0xFFFF, code = distance_code(d, from);
        uint32_t extra = distance_extra(code);
        put(&w, length >> 8, length & 255);
        put(&w, p->distances[code].bits, p->distances[code].length);
        put(&w, from & ((1u << extra) - 1), extra);
        flush(&w);
    }
    put(&w, p->literals[END].bits, p->literals[END].length);
    flush(&w);
    *to = w;
}

static void put_stored(bit_writer *w, const uint8_t *data, uint32_t size, bool is_last)
{
    do {
        uint32_t part = at_most(size, 0xFFFF);
        put(w, is_last && part == size, 3);
        w->held += -w->held & 7;
        flush(w);
        put(w, part, 16);
        put(w, ~part & 0xFFFF, 16);
        flush(w);
        memcpy(w->to, data, part);
        w->to += part, data += part, size -= part;
    } while (size > 0);
}

static void end_block(deflater *d, uint32_t tokens, uint32_t end, bool is_last)
{
    plan own, fixed;
    d->block.literals[END] = 1;
    plan_block(&d->block, &own);
    plan_fixed(&fixed);
    uint64_t own_bits = head_bits(&own) + body_bits(&d->block, &own), fixed_bits = body_bits(&d->block, &fixed);
    uint32_t size = end - d->block_start;
    uint64_t stored_bits = 8 * ((uint64_t)size + 5 * (size / 0xFFFF + 1));
    const plan *best = own_bits < fixed_bits ? &own : &fixed;
    uint64_t best_bits = own_bits < fixed_bits ? own_bits : fixed_bits;
    uint8_t *room = sni_write_room(d->out, (size_t)((best_bits < stored_bits ? best_bits : stored_bits) / 8 + 32));
    if (!room) return;
    bit_writer w = { d->hold, d->held, room };
    if (stored_bits <= best_bits) {
        put_stored(&w, d->data + d->block_start, size, is_last);
    } else {
        put(&w, (best == &own ? 4u : 2u) | is_last, 3);
        if (best == &own) put_head(&w, best);
        put_body(d, best, &w, d->tokens, tokens);
    }
    d->out->size += (size_t)(w.to - room);
    d->hold = w.hold;
    d->held = w.held;
}

// Blocks

static void add_counts(counts *to, const counts *more)
{
    for (uint32_t i = 0; i < LITERALS; i++) to->literals[i] += more->literals[i];
    for (uint32_t i = 0; i < DISTANCES; i++) to->distances[i] += more->distances[i];
}

// Ends the block before the chunk if codes of its own are worth it.
static void end_chunk(deflater *d, bool is_last)
{
    uint32_t before = d->token_count - d->chunk_tokens;
    bool splits = before > 0 && (before + 2 * CHUNK > MOST_TOKENS ||
                                 estimate_block(&d->block, NULL) + estimate_block(&d->chunk, NULL) <
                                     estimate_block(&d->block, &d->chunk));
    if (splits) {
        end_block(d, before, d->chunk_start, false);
        memmove(d->tokens, d->tokens + before, d->chunk_tokens * sizeof *d->tokens);
        d->token_count = d->chunk_tokens;
        d->block_start = d->chunk_start;
        memset(&d->block, 0, sizeof d->block);
    }
    add_counts(&d->block, &d->chunk);
    memset(&d->chunk, 0, sizeof d->chunk);
    d->chunk_tokens = 0;
    d->chunk_start = d->chunk_end;
    if (is_last) end_block(d, d->token_count, d->chunk_end, true);
    else set_costs(d, &d->block);
}

static inline void add_token(deflater *d, uint32_t token, uint32_t length)
{
    d->tokens[d->token_count++] = token;
    d->chunk_tokens++;
    d->chunk_end += length;
    if (d->chunk_tokens == CHUNK) end_chunk(d, false);
}

static void add_literal(deflater *d, uint32_t position)
{
    d->chunk.literals[d->data[position]]++;
    add_token(d, d->data[position], 1);
}

static void add_match(deflater *d, match m)
{
    d->chunk.literals[257 + d->length_codes[m.length]]++;
    d->chunk.distances[distance_code(d, m.distance - 1)]++;
    add_token(d, m.length << 16 | (m.distance - 1), m.length);
}

// Lazy matching: where the next position has a better match, the first byte is written as a literal.
static void find_all(deflater *d)
{
    for (uint32_t at = 0, nearest = 0, misses = 0; at < d->size;) {
        match now = find_match(d, at, 0, d->chain);
        int32_t gain = gain_of(d, at, now);
        if (gain <= 0) {
            uint32_t next = at + 1 + (misses++ / PATIENCE);
            if (next - at > 4) next = at + 4;
            while (at < next && at < d->size) add_literal(d, at++);
            continue;
        }
        misses = 0;
        uint32_t added = at + 1;  // positions before it are in the tables
        while (now.length < NICE) {
            match next = find_match(d, added++, now.length, d->chain / 2);
            int32_t next_gain = gain_of(d, at + 1, next);
            if (next_gain <= gain) break;
            add_literal(d, at++);
            now = next, gain = next_gain;
        }
        add_match(d, now);
        at += now.length;
        uint32_t last = d->size < 4 ? 0 : d->size - 3;
        for (; added < at && added < last; added++) add_position(d, added, sni_load_u32(d->data + added), &nearest);
    }
}

bool sni_deflate(sni_writer *out, sni_arena *scratch, const uint8_t *data, size_t size)
{
    deflater *d = sni_new(scratch, deflater, 1);
    if (!d) return false;
    d->data = data;
    d->size = (uint32_t)size;
    d->out = out;
    d->hash_bits = highest_bit((uint32_t)size | 255);
    if (d->hash_bits > MOST_HASH_BITS) d->hash_bits = MOST_HASH_BITS;
    d->heads = sni_new(scratch, uint16_t, (uint64_t)1 << d->hash_bits);
    d->links = sni_new(scratch, uint16_t, size < WINDOW ? size + 1 : WINDOW);
    d->tokens = sni_new_raw(scratch, uint32_t, size < MOST_TOKENS ? size + 1 : MOST_TOKENS);
    if (!d->heads || !d->links || !d->tokens) return false;
    make_codes(d);
    guess_costs(d);
    find_all(d);
    end_chunk(d, true);
    uint8_t rest = (uint8_t)d->hold;
    if (d->held > 0) sni_write_bytes(out, &rest, 1);
    return !out->failed;
}
