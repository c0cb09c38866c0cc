// Block compression of BLP2 and DDS: 4 x 4 pixels in 8 or 16 bytes.
#ifndef SNI_BC_H
#define SNI_BC_H

#include <stdint.h>

typedef enum sni_bc {
    SNI_BC1,         // DXT1
    SNI_BC1_OPAQUE,  // transparent black is decoded as opaque black
    SNI_BC2,         // DXT2, DXT3
    SNI_BC3,         // DXT4, DXT5
    SNI_BC4,         // one channel: grey
    SNI_BC4_SIGNED,  // -1..1 as 0..255
    SNI_BC5,         // x and y of a normal in red and green; blue is set to the z of unit length
    SNI_BC5_SIGNED,
    SNI_BC7
} sni_bc;

uint32_t sni_bc_block_bytes(sni_bc kind);

// Bytes of an image; blocks at the right and bottom edges are complete.
uint64_t sni_bc_size(sni_bc kind, uint32_t width, uint32_t height);

// `blocks` has sni_bc_size bytes, `rgba` width * height * 4.
void sni_bc_decode(sni_bc kind, const uint8_t *blocks, uint32_t width, uint32_t height, uint8_t *rgba);

// The other way round: BC1 (every pixel opaque), BC3 and BC5. Pixels of a block that lie outside repeat the edge.
void sni_bc_encode(sni_bc kind, const uint8_t *rgba, uint32_t width, uint32_t height, uint8_t *blocks);

// One block as 16 pixels.
void sni_bc7_decode_block(const uint8_t block[16], uint8_t rgba[64]);

#endif
