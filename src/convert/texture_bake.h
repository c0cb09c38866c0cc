// Textures made from textures, blended as the games do: on sRGB bytes, not on linear light.
#ifndef SNI_TEXTURE_BAKE_H
#define SNI_TEXTURE_BAKE_H

#include "image/image.h"
#include "io/save.h"

typedef struct sni_texture_baker {
    sni_save *save;
    sni_list images;    // of sn_image: those of the model, then baked ones
    sni_list bakes;     // what was baked from what; the same is not baked twice
    sni_image_set set;  // of the model's images: pixels that may still be decoded or baked
} sni_texture_baker;

bool sni_texture_baker_init(sni_texture_baker *baker, sni_save *save, const sn_model *model);

// The size of a layer's colour map, 1 x 1 where it has none; 0 x 0 where it cannot be read. False after a failure.
bool sni_color_map_size(sni_texture_baker *baker, const sn_layer *layer, uint32_t size[2]);

// Each returns the index of an image, perhaps an existing one; -1 after a failure, or when an image cannot be read or
// there are too many pixels (reported as a loss).

// The layers drawn over each other, with their colours, in the size of the largest. The lowest is opaque or blends by
// alpha. The result is opaque where the lowest is.
int32_t sni_bake_layers(sni_texture_baker *baker, const sn_layer *const *layers, uint32_t count);

// A layer's colour map as an opaque layer shows it, without its colour: transparent only where the alpha test fails.
int32_t sni_bake_opaque(sni_texture_baker *baker, const sn_layer *layer);

// A colour map that is added, multiplied and so on, converted to one that looks the same, or nearly so, when blended by
// alpha. Added light is kept exactly and covers what is behind in proportion to its brightness; a multiplied map is
// exact over white, and everywhere where it is grey.
int32_t sni_emulate_blend(sni_texture_baker *baker, const sn_layer *layer);

#endif
