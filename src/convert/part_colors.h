// Colours of parts, for targets whose colours are those of materials.
#ifndef SNI_PART_COLORS_H
#define SNI_PART_COLORS_H

#include "convert/texture_bake.h"

// Parts become white: each colour they have, and each part whose colour or alpha moves, gets a material of its own that
// has the colour multiplied in, with all the tracks of the old one. Part colours multiply what is shown (sRGB), those
// of layers light. An opaque material of a part that lets something through blends by alpha. Afterwards the colour and
// the alpha of a layer that move in one clip have the same keys.
//
// Takes a model whose tracks were fitted and whose materials have one layer. Where curves are multiplied, or brought
// from sRGB to light, keys are added that stay within 0.001 of them: RESAMPLED. Fills materials, parts and clips of
// `fitted`. False after a failure.
bool sni_fit_tints(sni_save *save, sni_painter *painter, const sn_model *model, sn_model *fitted);

#endif
