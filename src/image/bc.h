// Block compression: 4 x 4 pixels in 8 or 16 bytes, as BLP2 and DDS have it.
#ifndef SNI_BC_H
#define SNI_BC_H

#include <stdint.h>

typedef enum sni_bc {
    SNI_BC1,         // DXT1
    SNI_BC1_OPAQUE,  // its transparent black is black
    SNI_BC2,         // DXT2, DXT3
    SNI_BC3,         // DXT4, DXT5
    SNI_BC4,         // one channel: grey
    SNI_BC4_SIGNED,  // -1..1 as 0..255
    SNI_BC5,         // x and y of a normal as red and green; blue is the z that gives it unit length
    SNI_BC5_SIGNED,
    SNI_BC7
} sni_bc;

uint32_t sni_bc_block_bytes(sni_bc kind);

// The bytes of a whole picture; at the right and lower edges blocks reach past it.
uint64_t sni_bc_size(sni_bc kind, uint32_t width, uint32_t height);

// `blocks` are that many bytes, `rgba` is width * height * 4.
void sni_bc_decode(sni_bc kind, const uint8_t *blocks, uint32_t width, uint32_t height, uint8_t *rgba);

// One block of BC7 as 16 pixels.
void sni_bc7_decode_block(const uint8_t block[16], uint8_t rgba[64]);

#endif
