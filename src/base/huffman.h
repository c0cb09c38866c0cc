// Huffman codes for a deflate block.
#ifndef SNI_HUFFMAN_H
#define SNI_HUFFMAN_H

#include <stdint.h>

enum { SNI_HUFFMAN_MOST = 288 };

typedef struct sni_huffman {
    uint16_t codes[SNI_HUFFMAN_MOST];   // the first bit lowest, as deflate writes them
    uint8_t lengths[SNI_HUFFMAN_MOST];  // 0: not used
} sni_huffman;

// An optimal code for these counts with lengths up to `longest` (nearly optimal where that limit applies).
void sni_huffman_make(sni_huffman *huffman, const uint32_t *counts, uint32_t symbols, uint32_t longest);

// Canonical codes for given lengths.
void sni_huffman_assign(sni_huffman *huffman, uint32_t symbols);

#endif
