// What a model shows before a clip plays.
#ifndef SNI_REST_VISIBILITY_H
#define SNI_REST_VISIBILITY_H

#include "io/save.h"

// Games draw a model that has clips with one of them, and its rest pose shows all that any clip shows: every weapon,
// the corpse and the blood. Viewers that play nothing then show them together. So such a model rests as it stands: with
// what its default clip shows at its start; without such a clip, without what no clip shows. Nodes that this clip
// scales to 0, which is another way to hide, rest so too. Parts that are transparent are hidden first, see
// sni_fit_alpha_visibility; alpha that this clip does not animate rests as it has it. Clips that relied on the rest
// state get a key with it. False after a failure.
bool sni_fit_rest_visibility(sni_save *save, const sn_model *model, sn_model *fitted);

// Whether it does that to this model.
bool sni_rests_standing(const sni_save *save, const sn_model *model);

#endif
