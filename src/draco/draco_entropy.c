// Numbers, bits and symbols of a Draco stream.
#include "draco/draco_decoder.h"

// Seven bits a byte, the lowest first; the highest bit says that more follow.
uint64_t sni_draco_read_varint(sni_reader *in)
{
    uint64_t value = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        uint8_t byte = sni_read_u8(in);
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
    sni_fail(in->diag, SN_ERR_CORRUPT, sni_offset(in), "a number of more than 64 bits");
    return 0;
}

uint32_t sni_draco_read_varint32(sni_reader *in)
{
    uint64_t value = sni_draco_read_varint(in);
    if (value <= UINT32_MAX) return (uint32_t)value;
    sni_fail(in->diag, SN_ERR_CORRUPT, sni_offset(in), "a number of more than 32 bits");
    return 0;
}

// The last bytes hold the first state, its size in the two highest bits.
static bool open_ans(draco_decoder *decoder, uint64_t size, uint32_t base, draco_ans *ans)
{
    const uint8_t *bytes = sni_take(decoder->in, size);
    if (!bytes) return false;
    uint32_t length = size > 0 ? (bytes[size - 1] >> 6) + 1u : 1;
    if (length > size) return sni_draco_corrupt(decoder, "entropy-coded data without a state");
    ans->start = bytes;
    ans->at = bytes + size - length;
    ans->state = bytes[size - 1] & 63;
    for (uint32_t i = length - 1; i-- > 0;) ans->state = ans->state << 8 | ans->at[i];
    ans->state += base;
    return ans->state < base * 256 || sni_draco_corrupt(decoder, "a state that entropy-coded data cannot have");
}

bool sni_draco_open_flags(draco_decoder *decoder, draco_flags *flags)
{
    flags->one = 256u - sni_read_u8(decoder->in);
    uint32_t size = sni_draco_read_varint32(decoder->in);
    return open_ans(decoder, size, DRACO_FLAG_BASE, &flags->ans);
}

// A symbol that occurs: the states whose low bits are in [start, start + size).
typedef struct symbol {
    uint32_t value, start, size;
} symbol;

typedef struct symbol_coder {
    draco_ans ans;
    uint32_t bits;  // of precision: the sizes of all symbols sum to 1 << bits
    symbol *symbols;
    uint32_t symbol_count;
    uint32_t *lookup;  // from low bits to the symbol; NULL: not worth its size
    sni_arena arena;   // of both
} symbol_coder;

// Each byte is a size, with up to two bytes more, or a run of up to 64 symbols that do not occur.
static bool read_sizes(draco_decoder *decoder, symbol_coder *coder)
{
    sni_reader *in = decoder->in;
    uint32_t count = sni_draco_read_varint32(in), total = 0, most = 1u << coder->bits;
    uint32_t capacity = count < most ? count : most;
    if (capacity > sni_rest(in)) capacity = (uint32_t)sni_rest(in);
    coder->symbols = draco_new(decoder, &coder->arena, symbol, capacity);
    if (!coder->symbols) return false;
    for (uint64_t value = 0; value < count; value++) {
        uint8_t first = sni_read_u8(in);
        if (!sni_ok(in)) return false;
        if ((first & 3) == 3) {
            value += first >> 2;
            continue;
        }
        uint32_t size = first >> 2;
        for (uint32_t i = 0; i < (first & 3u); i++) size |= (uint32_t)sni_read_u8(in) << (8 * i + 6);
        if (size == 0) continue;
        if (size > most - total || coder->symbol_count == capacity) break;
        coder->symbols[coder->symbol_count++] = (symbol){ (uint32_t)value, total, size };
        total += size;
    }
    return sni_ok(in) && (total == most || sni_draco_corrupt(decoder, "probabilities that do not sum to 1"));
}

static bool open_symbols(draco_decoder *decoder, uint32_t bits, uint64_t count, symbol_coder *coder)
{
    *coder = (symbol_coder){ .bits = bits };
    sni_arena_init(&coder->arena, decoder->in->arena->heap);
    if (!read_sizes(decoder, coder)) return false;
    uint64_t size = sni_draco_read_varint(decoder->in);
    if (!open_ans(decoder, size, 4u << bits, &coder->ans)) return false;

    // A small mesh must not pay for a table of a million entries.
    if (count < (1u << bits) / 8) return true;
    coder->lookup = draco_new(decoder, &coder->arena, uint32_t, 1ull << bits);
    if (!coder->lookup) return false;
    for (uint32_t i = 0; i < coder->symbol_count; i++) {
        uint32_t *at = coder->lookup + coder->symbols[i].start;
        for (uint32_t k = 0; k < coder->symbols[i].size; k++) at[k] = i;
    }
    return true;
}

static uint32_t search_symbol(const symbol_coder *coder, uint32_t low)
{
    uint32_t first = 0, end = coder->symbol_count;
    while (end - first > 1) {
        uint32_t middle = (first + end) / 2;
        if (coder->symbols[middle].start <= low) first = middle;
        else end = middle;
    }
    return first;
}

static inline uint32_t take_symbol(symbol_coder *coder)
{
    draco_ans_refill(&coder->ans, 4u << coder->bits);
    uint32_t low = coder->ans.state & ((1u << coder->bits) - 1);
    const symbol *found = coder->symbols + (coder->lookup ? coder->lookup[low] : search_symbol(coder, low));
    coder->ans.state = (coder->ans.state >> coder->bits) * found->size + low - found->start;
    return found->value;
}

// For each group the number of bits of its values, entropy-coded; then the bits of all values.
static bool read_tagged(draco_decoder *decoder, symbol_coder *tags, uint64_t count, uint32_t width, uint32_t *out)
{
    if (!open_symbols(decoder, 12, count / width, tags)) return false;
    sni_reader *in = decoder->in;
    draco_bits bits = { .at = in->at, .end = in->end };
    for (uint64_t i = 0; i < count; i += width) {
        uint32_t length = take_symbol(tags);
        if (length > 32) return sni_draco_corrupt(decoder, "values of more than 32 bits");
        for (uint32_t c = 0; c < width; c++) out[i + c] = draco_take_bits(&bits, length);
    }
    if (bits.is_short) return sni_fail(in->diag, SN_ERR_TRUNCATED, sni_offset(in), "bits of values are missing");
    sni_skip(in, (uint64_t)(bits.at - in->at) - bits.count / 8);
    return sni_ok(in);
}

static bool read_raw(draco_decoder *decoder, symbol_coder *coder, uint64_t count, uint32_t *out)
{
    uint32_t length = sni_read_u8(decoder->in), bits = length * 3 / 2;
    if (length < 1 || length > 18) return sni_draco_corrupt(decoder, "symbols of more than 18 bits");
    if (!open_symbols(decoder, bits < 12 ? 12 : bits > 20 ? 20 : bits, count, coder)) return false;
    for (uint64_t i = 0; i < count; i++) out[i] = take_symbol(coder);
    return true;
}

bool sni_draco_read_symbols(draco_decoder *decoder, uint64_t count, uint32_t width, uint32_t *out)
{
    enum { TAGGED, RAW };
    symbol_coder coder = { 0 };
    if (count == 0) return sni_ok(decoder->in);
    uint8_t coding = sni_read_u8(decoder->in);
    if (!sni_ok(decoder->in)) return false;
    bool is_good = coding == TAGGED ? read_tagged(decoder, &coder, count, width, out)
                   : coding == RAW  ? read_raw(decoder, &coder, count, out)
                                    : sni_draco_corrupt(decoder, "an unknown coding of symbols");
    sni_arena_free(&coder.arena);
    return is_good;
}
