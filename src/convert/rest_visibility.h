// What a model shows before a clip plays.
#ifndef SNI_REST_VISIBILITY_H
#define SNI_REST_VISIBILITY_H

#include "io/save.h"

// Games always play a clip, so the rest pose of their models shows everything that any clip shows: every weapon, the
// corpse and the blood at once. A viewer that plays no clip would show it all. So the rest state becomes the start of
// the default clip; without a default clip, parts that no clip shows are hidden. Nodes that the default clip scales to
// 0, another way to hide them, rest at scale 0. Alpha rests at the clip's value at its start, unless the clip does not
// animate it. Parts that are transparent are hidden first, see sni_fit_alpha_visibility. Clips that relied on the old
// rest state get a key with it. False after a failure.
bool sni_fit_rest_visibility(sni_save *save, const sn_model *model, sn_model *fitted);

// Whether it does that to this model.
bool sni_rests_standing(const sni_save *save, const sn_model *model);

#endif
