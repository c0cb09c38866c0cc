#include "base/huffman.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BITS = 15 };

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

// Two queues, leaves and inner nodes, both in rising order: the two smallest are always at their heads. Leaves are
// 0..count-1, inner nodes follow; the root comes last, so depths go down from it.
static void find_depths(const uint64_t *keys, uint32_t count, uint32_t *of_depth, uint32_t deepest)
{
    uint64_t weights[2 * SNI_HUFFMAN_MOST];
    uint16_t parents[2 * SNI_HUFFMAN_MOST];
    uint32_t depths[2 * SNI_HUFFMAN_MOST];
    uint32_t leaf = 0, inner = count, made = count;
    for (uint32_t i = 0; i < count; i++) weights[i] = keys[i] >> 16;
    for (; made < 2 * count - 1; made++) {
        weights[made] = 0;
        for (int i = 0; i < 2; i++) {
            uint32_t smallest = leaf < count && (inner == made || weights[leaf] <= weights[inner]) ? leaf++ : inner++;
            weights[made] += weights[smallest];
            parents[smallest] = (uint16_t)made;
        }
    }
    depths[made - 1] = 0;
    for (uint32_t i = made - 1; i-- > 0;) {
        depths[i] = depths[parents[i]] + 1;
        if (i < count) of_depth[depths[i] < deepest ? depths[i] : deepest]++;
    }
}

// Codes that were too long are moved to the deepest level, which then is over-full. For each two of them a shorter code
// moves down one level to make room. Sizes are in units of the deepest level.
static void limit_depths(uint32_t *of_depth, uint32_t deepest)
{
    uint32_t total = 0;
    for (uint32_t bits = 1; bits <= deepest; bits++) total += of_depth[bits] << (deepest - bits);
    for (; total > 1u << deepest; total--) {
        uint32_t bits = deepest - 1;
        while (of_depth[bits] == 0) bits--;
        of_depth[bits]--;
        of_depth[bits + 1] += 2;
        of_depth[deepest]--;
    }
}

// Of 16 bits. Not a loop over bits: emscripten 3.1.6 with -Os -msimd128 vectorizes that, and then loads the code that
// is to be reversed again, after the store of the next one.
static uint32_t reverse_bits(uint32_t value)
{
    value = (value & 0x5555) << 1 | (value >> 1 & 0x5555);
    value = (value & 0x3333) << 2 | (value >> 2 & 0x3333);
    value = (value & 0x0F0F) << 4 | (value >> 4 & 0x0F0F);
    return (value & 0x00FF) << 8 | value >> 8;
}

void sni_huffman_assign(sni_huffman_code *codes, uint32_t symbols)
{
    uint32_t of_length[MOST_BITS + 1] = { 0 }, next[MOST_BITS + 2] = { 0 };
    for (uint32_t i = 0; i < symbols; i++) of_length[codes[i].length]++;
    of_length[0] = 0;
    for (uint32_t bits = 1; bits <= MOST_BITS; bits++) next[bits + 1] = (next[bits] + of_length[bits]) << 1;
    for (uint32_t i = 0; i < symbols; i++) {
        uint32_t bits = codes[i].length, code = bits > 0 ? next[bits]++ : 0;
        codes[i].bits = (uint16_t)(reverse_bits(code) >> (16 - bits));
    }
}

void sni_huffman_make(sni_huffman_code *codes, const uint32_t *counts, uint32_t symbols, uint32_t longest)
{
    uint64_t keys[SNI_HUFFMAN_MOST];
    uint32_t used = 0, of_depth[MOST_BITS + 1] = { 0 };
    memset(codes, 0, symbols * sizeof *codes);
    for (uint32_t i = 0; i < symbols; i++) {
        if (counts[i] > 0) keys[used++] = (uint64_t)counts[i] << 16 | i;
    }
    qsort(keys, used, sizeof *keys, compare_keys);
    if (used == 1) of_depth[1] = 1;
    if (used > 1) {
        find_depths(keys, used, of_depth, longest);
        limit_depths(of_depth, longest);
    }
    for (uint32_t bits = longest, at = 0; bits > 0; bits--) {  // the rarest get the longest
        for (uint32_t i = 0; i < of_depth[bits]; i++) codes[keys[at++] & 0xFFFF].length = (uint8_t)bits;
    }
    sni_huffman_assign(codes, symbols);
}
