// Weights for a format in which all bones of a vertex weigh the same: Warcraft III before Reforged.
#ifndef SNI_WEIGHT_GROUPS_H
#define SNI_WEIGHT_GROUPS_H

#include "io/save.h"

// The same model, in which each vertex has up to eight joints of equal weight. A joint that weighs more is there
// several times, as children that follow it. Of all such groups each vertex gets the one nearest to its weights.
// Reports the largest difference of a weight, and how far a vertex is from where it was, at five times of each clip.
// `fitted` may be the model. False after a failure.
bool sni_fit_weight_groups(sni_save *save, const sn_model *model, sn_model *fitted);

#endif
