// Materials of several layers, for targets that hold one.
#ifndef SNI_LAYERS_H
#define SNI_LAYERS_H

#include "convert/texture_bake.h"

// Reduces every material that a part shows to one layer. Layers with the same texture coordinates are baked into one
// texture, as at rest; of others the most important is kept (the lowest opaque one, else the highest that blends), and
// each that is dropped is reported as a loss, with the tracks that drove it. A texture that is added or multiplied is
// converted to one that looks alike when blended by alpha; its sn_layer.blend still has the original mode. `blends` are
// bits of sn_blend that the target has besides opaque and alpha: those textures stay.
// Fills materials and clips of `fitted`; images are the baker's. False after a failure.
bool sni_fit_layers(sni_save *save, sni_texture_baker *baker, uint32_t blends, const sn_model *model, sn_model *fitted);

#endif
