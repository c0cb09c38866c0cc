// How the PlayStation 2 lays out pictures of 8 bits that were sent to it as if they had 32.
#ifndef SNI_LEVEL5_SWIZZLE_H
#define SNI_LEVEL5_SWIZZLE_H

#include <stddef.h>
#include <stdint.h>

// Puts the pixels of a picture in their order, row by row: `to` has room for width * height, `from` has `size` bytes.
// Sizes that are no multiples of 16 have pixels whose place lies outside; those become 0.
void level5_unswizzle8(const uint8_t *from, size_t size, uint32_t width, uint32_t height, uint8_t *to);

#endif
