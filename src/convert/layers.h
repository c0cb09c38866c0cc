// Materials of several layers, for targets that hold one.
#ifndef SNI_LAYERS_H
#define SNI_LAYERS_H

#include "convert/texture_bake.h"

// Every material that a part shows comes to have one layer at most. Layers that lie on the same texture coordinates are
// painted into one picture, at rest; of others the one that matters most stays (the lowest opaque one, else the highest
// that blends), and each that does not is a loss told, as are the tracks that moved it. What is drawn by adding or
// multiplying gets a picture that looks alike when blended by alpha; its sn_layer.blend still says how it was drawn.
// Fills materials and clips of `fitted`, whose other arrays stay; images are the painter's. False after a failure.
bool sni_fit_layers(sni_save *save, sni_painter *painter, const sn_model *model, sn_model *fitted);

#endif
