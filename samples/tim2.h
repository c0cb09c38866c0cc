// The smallest TIM2 writer: 256 colours with alpha, one size, pixels in the order of rows.
#ifndef TIM2_H
#define TIM2_H

#include "base/writer.h"

typedef struct tim2_color { uint8_t r, g, b, a; } tim2_color;       // a: 255 is opaque; of two values that differ by 1 one is kept

void tim2_write(sni_writer *out, uint16_t width, uint16_t height, const tim2_color *palette, uint32_t colors, const uint8_t *indices);

#endif
