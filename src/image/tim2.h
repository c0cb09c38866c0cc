// Writing TIM2, the image format of PlayStation 2 games.
#ifndef SNI_TIM2_H
#define SNI_TIM2_H

#include "base/writer.h"

typedef struct sni_tim2_color {
    uint8_t r, g, b, a;
} sni_tim2_color;  // a: 255 is opaque; of two values that differ by 1 one is kept

// An index for each pixel in the order in which they are stored; of 4 or 8 bits. The palette may have fewer colours.
void sni_tim2_write_indexed(sni_writer *out, uint32_t width, uint32_t height, uint32_t bits,
                            const sni_tim2_color *palette, uint32_t colors, const uint8_t *indices);

// With a palette of 16 or 256 colours where that loses nothing, else 24 or, with alpha, 32 bits per pixel. `rounded`:
// pixels whose alpha the format does not have; it becomes larger by 1 of 255. False after a failure.
bool sni_tim2_write(sni_writer *out, sni_arena *scratch, sni_diag *diag, const sn_pixels *pixels, uint64_t *rounded);

#endif
