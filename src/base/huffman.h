// Huffman codes for a deflate block.
#ifndef SNI_HUFFMAN_H
#define SNI_HUFFMAN_H

#include <stdint.h>

enum { SNI_HUFFMAN_MOST = 288 };

// One struct, not two arrays: gcc 12 for arm64 takes an address made out of two strides for NULL and drops the stores.
typedef struct sni_huffman_code {
    uint16_t bits;   // the first bit lowest, as deflate writes them
    uint8_t length;  // 0: not used
} sni_huffman_code;

// An optimal code for these counts with lengths up to `longest` (nearly optimal where that limit applies).
void sni_huffman_make(sni_huffman_code *codes, const uint32_t *counts, uint32_t symbols, uint32_t longest);

// Canonical codes for given lengths.
void sni_huffman_assign(sni_huffman_code *codes, uint32_t symbols);

#endif
