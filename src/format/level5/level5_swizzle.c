#include "format/level5/level5_swizzle.h"

// A block of 16 x 16 pixels is one of 8 x 8 words, and four rows are two lines of words. A word holds four pixels: two
// rows and eight columns apart. In rows 2 to 5 of every eight, the halves of a line have changed places.
static uint64_t place_of(uint64_t x, uint64_t y, uint64_t width)
{
    uint64_t block = (y & ~(uint64_t)15) * width + (x & ~(uint64_t)15) * 2;
    uint64_t word = (x + ((y + 2) >> 2 & 1) * 4) & 7;
    uint64_t line = ((y >> 2 << 1) + (y & 1)) & 7;
    return block + line * 2 * width + word * 4 + (y >> 1 & 1) + (x >> 2 & 2);
}

void level5_unswizzle8(const uint8_t *from, size_t size, uint32_t width, uint32_t height, uint8_t *to)
{
    for (uint32_t y = 0; y < height; y++) {
        for (uint32_t x = 0; x < width; x++) {
            uint64_t at = place_of(x, y, width);
            *to++ = at < size ? from[at] : 0;
        }
    }
}
