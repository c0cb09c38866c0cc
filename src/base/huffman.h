// Codes for a deflate block: which symbol is written with which bits.
#ifndef SNI_HUFFMAN_H
#define SNI_HUFFMAN_H

#include <stdint.h>

enum { SNI_HUFFMAN_MOST = 288 };

typedef struct sni_huffman {
    uint16_t codes[SNI_HUFFMAN_MOST];   // the first bit lowest, as deflate writes them
    uint8_t lengths[SNI_HUFFMAN_MOST];  // 0: not used
} sni_huffman;

// The shortest code for these counts whose lengths are at most `longest` (nearly the shortest where that binds).
void sni_huffman_make(sni_huffman *huffman, const uint32_t *counts, uint32_t symbols, uint32_t longest);

// The canonical codes of lengths that are given.
void sni_huffman_assign(sni_huffman *huffman, uint32_t symbols);

#endif
