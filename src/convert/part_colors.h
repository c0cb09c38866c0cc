// Colours of parts, for targets whose colours are those of materials.
#ifndef SNI_PART_COLORS_H
#define SNI_PART_COLORS_H

#include "convert/texture_bake.h"

// Parts become white: each distinct part colour, and each part whose colour or alpha is animated, gets a copy of the
// material with the colour multiplied in, and all its tracks. Part colours multiply in sRGB, layer colours in linear
// light. An opaque material of a transparent part blends by alpha. Afterwards the colour and alpha tracks of a layer in
// one clip have the same keys.
//
// Takes a model whose tracks were fitted and whose materials have one layer. Where curves are multiplied, or converted
// from sRGB to linear, keys are added that stay within 0.001 of them: RESAMPLED. Fills materials, parts and clips of
// `fitted`. False after a failure.
bool sni_fit_part_colors(sni_save *save, sni_texture_baker *baker, const sn_model *model, sn_model *fitted);

#endif
