// The smallest TIM2 writer: 16 or 256 colours with alpha, one size.
#ifndef TIM2_H
#define TIM2_H

#include "base/writer.h"

typedef struct tim2_color {
    uint8_t r, g, b, a;
} tim2_color;  // a: 255 is opaque; of two values that differ by 1 one is kept

// An index for each pixel in the order in which they are stored; of 4 or 8 bits. The palette may have fewer colours.
void tim2_write(sni_writer *out, uint16_t width, uint16_t height, uint32_t bits, const tim2_color *palette,
                uint32_t colors, const uint8_t *indices);

#endif
