// Pictures made of pictures, as the games paint: on bytes as they are shown (sRGB), not on light.
#ifndef SNI_TEXTURE_BAKE_H
#define SNI_TEXTURE_BAKE_H

#include "io/save.h"

typedef struct sni_painter {
    sni_save *save;
    sni_list images;     // of sn_image: those of the model, then what was painted
    sni_list paintings;  // what was painted of what; the same is not painted twice
    uint64_t budget;     // pixels that may still be painted
} sni_painter;

bool sni_painter_init(sni_painter *painter, sni_save *save, const sn_model *model);

// The size of a layer's colour map, 1 x 1 where it has none; 0 x 0 where it cannot be read. False after a failure.
bool sni_paint_size(sni_painter *painter, const sn_layer *layer, uint32_t size[2]);

// Each answers the number of an image, perhaps one that is there already; -1 after a failure, or where a picture cannot
// be read or there are too many of them (a loss, told).

// What the layers show together, each drawn over the last, in their colours; as large as the largest. The lowest is
// opaque or blends by alpha. Opaque where that is opaque.
int32_t sni_paint_stack(sni_painter *painter, const sn_layer *const *layers, uint32_t count);

// A layer's colour map as an opaque layer shows it, without its colour: alpha only where the alpha test drops
// something.
int32_t sni_paint_solid(sni_painter *painter, const sn_layer *layer);

// A colour map that is drawn by adding, multiplying and so on, as one that looks the same, or nearly so, when blended
// by alpha. Light that is added is kept exactly and covers what is behind as far as it is bright; what multiplies is
// exact over white, and everywhere where it is grey.
int32_t sni_paint_veil(sni_painter *painter, const sn_layer *layer);

#endif
