// Entropy-coded data of JPEG scans: sequential and progressive Huffman coding, ITU T.81 annexes F and G. What a scan
// costs is bounded by its bits: blocks in an end-of-band run take a bit for each coefficient that is not 0.
#include <string.h>

#include "image/jpeg_decoder.h"

enum { BROKEN = 1 << 24 };  // as a count of padding: no more than that is ever read in one MCU

bool sni_jpeg_make_huffman(jpeg_huffman *table, const uint8_t counts[16], const uint8_t *symbols)
{
    memset(table, 0, sizeof *table);
    uint32_t code = 0, index = 0;
    for (uint32_t length = 1; length <= 16; length++, code <<= 1) {
        table->offsets[length] = (int32_t)index - (int32_t)code;
        for (uint32_t i = 0; i < counts[length - 1]; i++, index++, code++) {
            if (code >> length || index >= sizeof table->symbols) return false;
            table->symbols[index] = symbols[index];
            if (symbols[index] > table->largest) table->largest = symbols[index];
            if (length > JPEG_LOOKUP_BITS) continue;
            uint32_t spare = JPEG_LOOKUP_BITS - length;
            for (uint32_t at = code << spare; at < (code + 1) << spare; at++)
                table->lookup[at] = (uint16_t)(length << 8 | symbols[index]);
        }
        table->ends[length] = code << (16 - length);
    }
    table->is_set = true;
    return true;
}

// Bits

static bool is_broken(const jpeg_bits *in) { return in->count < in->padding; }

static void fill(jpeg_bits *in)
{
    if (in->end - in->at >= 8) {
        uint64_t word = 0;
        for (int i = 0; i < 8; i++) word = word << 8 | in->at[i];
        const uint64_t ones = 0x0101010101010101u, tops = ones << 7;
        if (!((~word - ones) & word & tops)) {  // no byte is FF
            in->bits |= word >> in->count;
            in->at += (63 - in->count) >> 3;
            in->count |= 56;
            return;
        }
    }
    for (; in->count <= 56; in->count += 8) {
        uint64_t byte = 0;
        if (in->at < in->end && *in->at != 0xFF) byte = *in->at++;
        else if (in->end - in->at >= 2 && in->at[1] == 0) byte = 0xFF, in->at += 2;
        else in->padding += 8;
        in->bits |= byte << (56 - in->count);
    }
}

static inline void need(jpeg_bits *in, int32_t count)
{
    if (in->count < count) fill(in);
}

static inline uint32_t take(jpeg_bits *in, uint32_t count)  // from 1 to 16, after need
{
    uint32_t value = (uint32_t)(in->bits >> (64 - count));
    in->bits <<= count;
    in->count -= (int32_t)count;
    return value;
}

// A number of `size` bits: the lower half of the values means negative numbers.
static inline int32_t take_signed(jpeg_bits *in, uint32_t size)
{
    int32_t value = (int32_t)take(in, size);
    return value >> (size - 1) ? value : value - (1 << size) + 1;
}

static inline uint32_t take_symbol(jpeg_bits *in, const jpeg_huffman *table)
{
    uint32_t found = table->lookup[in->bits >> (64 - JPEG_LOOKUP_BITS)];
    if (found) {
        in->bits <<= found >> 8;
        in->count -= (int32_t)(found >> 8);
        return found & 255;
    }
    uint32_t next = (uint32_t)(in->bits >> 48);
    for (uint32_t length = JPEG_LOOKUP_BITS + 1; length <= 16; length++)
        if (next < table->ends[length]) return table->symbols[(int32_t)take(in, length) + table->offsets[length]];
    in->padding = BROKEN;
    return 0;
}

// Blocks

static inline void take_dc(jpeg *j, jpeg_component *c)
{
    jpeg_bits *in = &j->bits;
    need(in, 32);
    uint32_t size = take_symbol(in, c->dc_table);
    if (size > 0) c->dc = (int32_t)((uint32_t)c->dc + (uint32_t)take_signed(in, size));
}

static void decode_sequential(jpeg *j, jpeg_component *c, jpeg_block block)
{
    *block.used = 0;
    memset(block.coefs, 0, JPEG_BLOCK * sizeof *block.coefs);
    take_dc(j, c);
    block.coefs[0] = (int16_t)c->dc;
    jpeg_bits in = j->bits;
    for (uint32_t k = 1; k < JPEG_BLOCK; k++) {
        need(&in, 32);
        uint32_t symbol = take_symbol(&in, c->ac_table), size = symbol & 15;
        k += symbol >> 4;
        if (size == 0 && symbol != 0xF0) break;
        if (size == 0) continue;
        if (k >= JPEG_BLOCK) {
            in.padding = BROKEN;
            break;
        }
        block.coefs[k] = (int16_t)take_signed(&in, size);
        *block.used |= 1ull << k;
    }
    j->bits = in;
}

static void decode_dc_first(jpeg *j, jpeg_component *c, jpeg_block block)
{
    take_dc(j, c);
    block.coefs[0] = (int16_t)((uint32_t)c->dc << j->low);
}

static void decode_dc_next(jpeg *j, jpeg_component *c, jpeg_block block)
{
    (void)c;
    need(&j->bits, 1);
    if (take(&j->bits, 1)) block.coefs[0] = (int16_t)(block.coefs[0] | 1 << j->low);
}

static uint32_t take_run(jpeg_bits *in, uint32_t size) { return size > 0 ? (1u << size) + take(in, size) : 1; }

static void decode_ac_first(jpeg *j, jpeg_component *c, jpeg_block block)
{
    if (j->end_of_band_run > 0) {
        j->end_of_band_run--;
        return;
    }
    jpeg_bits *in = &j->bits;
    for (uint32_t k = j->first; k <= j->last; k++) {
        need(in, 32);
        uint32_t symbol = take_symbol(in, c->ac_table), size = symbol & 15, run = symbol >> 4;
        if (size == 0 && run < 15) {
            j->end_of_band_run = take_run(in, run) - 1;
            return;
        }
        k += run;
        if (size == 0) continue;
        if (k > j->last) {
            in->padding = BROKEN;
            return;
        }
        block.coefs[k] = (int16_t)((uint32_t)take_signed(in, size) << j->low);
        *block.used |= 1ull << k;
    }
}

// One more bit of a coefficient that is not 0.
static inline void refine(jpeg *j, int16_t *coef)
{
    need(&j->bits, 1);
    int32_t step = 1 << j->low, value = *coef;
    if (take(&j->bits, 1) && !(value & step)) *coef = (int16_t)(value < 0 ? value - step : value + step);
}

// A symbol is a run of coefficients that stay 0 and then a new one; those in between that are not 0 get a bit each.
static void decode_ac_next(jpeg *j, jpeg_component *c, jpeg_block block)
{
    jpeg_bits *in = &j->bits;
    uint32_t k = j->first;
    for (; k <= j->last && j->end_of_band_run == 0; k++) {
        need(in, 32);
        uint32_t symbol = take_symbol(in, c->ac_table), run = symbol >> 4;
        int32_t value = 0;
        if (symbol & 15) {
            value = take(in, 1) ? 1 << j->low : -(1 << j->low);
        } else if (run < 15) {
            j->end_of_band_run = take_run(in, run);
            break;
        }
        for (; k <= j->last; k++) {
            if (*block.used >> k & 1) refine(j, &block.coefs[k]);
            else if (run-- == 0) break;
        }
        if (value == 0 || k > j->last) continue;
        block.coefs[k] = (int16_t)value;
        *block.used |= 1ull << k;
    }
    if (j->end_of_band_run == 0) return;
    j->end_of_band_run--;
    if (k > j->last) return;
    uint64_t rest = *block.used >> k << k;
    for (rest &= ~0ull >> (63 - j->last); rest; rest &= rest - 1) refine(j, &block.coefs[__builtin_ctzll(rest)]);
}

// Scans

static void restart_prediction(jpeg *j)
{
    for (uint32_t i = 0; i < j->scan_components; i++) j->scan[i]->dc = 0;
    j->end_of_band_run = 0;
}

// The bits never pass a marker, so the next one ends the interval, damaged or not.
static void restart(jpeg *j)
{
    jpeg_bits *in = &j->bits;
    while (in->end - in->at >= 2 && (in->at[0] != 0xFF || in->at[1] == 0 || in->at[1] == 0xFF)) in->at++;
    if (in->end - in->at < 2) in->at = in->end;
    bool is_restart = in->at < in->end && in->at[1] >= 0xD0 && in->at[1] <= 0xD7;
    *in = (jpeg_bits){ .at = in->at + (is_restart ? 2 : 0), .end = in->end, .padding = is_restart ? 0 : BROKEN };
    restart_prediction(j);
}

typedef void (*block_decoder)(jpeg *j, jpeg_component *c, jpeg_block block);

static void decode_block(jpeg *j, jpeg_component *c, block_decoder decode, uint32_t x, uint32_t y)
{
    bool is_outside = x >= c->blocks_wide || y >= c->blocks_high;
    if (c->used && !is_outside) {
        size_t at = (size_t)y * c->blocks_wide + x;
        if (!is_broken(&j->bits)) decode(j, c, (jpeg_block){ &c->used[at], &c->coefs[at * JPEG_BLOCK] });
        return;
    }
    uint64_t used = 0;
    int16_t coefs[JPEG_BLOCK] = { 0 };
    jpeg_block block = { &used, coefs };
    if (!is_broken(&j->bits)) decode(j, c, block);
    if (!is_outside) sni_jpeg_put_block(c, block, x, y % c->v);
}

static void decode_mcu(jpeg *j, block_decoder decode, uint32_t x, uint32_t y)
{
    if (j->scan_components == 1) {
        decode_block(j, j->scan[0], decode, x, y);
        return;
    }
    for (uint32_t i = 0; i < j->scan_components; i++) {
        jpeg_component *c = j->scan[i];
        for (uint32_t v = 0; v < c->v; v++)
            for (uint32_t h = 0; h < c->h; h++) decode_block(j, c, decode, x * c->h + h, y * c->v + v);
    }
}

void sni_jpeg_decode_scan(jpeg *j)
{
    block_decoder decode = !j->is_progressive ? decode_sequential
                           : j->first == 0    ? (j->high == 0 ? decode_dc_first : decode_dc_next)
                           : j->high == 0     ? decode_ac_first
                                              : decode_ac_next;
    const jpeg_component *c = j->scan[0];
    bool is_alone = j->scan_components == 1, is_kept = c->used != NULL;
    uint32_t wide = is_alone ? c->blocks_wide : j->mcus_wide, high = is_alone ? c->blocks_high : j->mcus_high;
    uint32_t interval_left = j->restart_interval;
    j->bits = (jpeg_bits){ .at = j->at, .end = j->end };
    restart_prediction(j);
    for (uint32_t y = 0; y < high; y++) {
        for (uint32_t x = 0; x < wide; x++) {
            if (j->restart_interval > 0 && interval_left-- == 0) {
                restart(j);
                interval_left = j->restart_interval - 1;
            }
            decode_mcu(j, decode, x, y);
            j->is_damaged = j->is_damaged || is_broken(&j->bits);
        }
        if (!is_kept) sni_jpeg_put_rows(j, y);
        else if (is_broken(&j->bits) && j->restart_interval == 0) break;
    }
    j->at = j->bits.at;
}
