// The smallest BLP1 writer: paletted, 8 bits of alpha, one size.
#ifndef BLP_H
#define BLP_H

#include "base/writer.h"

typedef struct blp_color {
    uint8_t r, g, b;
} blp_color;

void blp_write(sni_writer *out, uint32_t width, uint32_t height, const blp_color *palette, uint32_t colors,
               const uint8_t *indices, const uint8_t *alphas);

#endif
