// Parts that are transparent for a while.
#ifndef SNI_ALPHA_VISIBILITY_H
#define SNI_ALPHA_VISIBILITY_H

#include "io/save.h"

#define SNI_LEAST_ALPHA (1.0f / 255.0f)  // less does not show

// Whether nothing shows of a layer with this alpha. Opaque layers without an alpha test ignore it, and so do
// those that multiply what is behind them.
bool sni_layer_is_transparent(const sn_layer *layer, float alpha);

// Few players animate materials. So a part all of whose layers are transparent is hidden too, at rest and in clips,
// from one key of what drives their alpha to the next. False after a failure.
bool sni_fit_alpha_visibility(sni_save *save, const sn_model *model, sn_model *fitted);

#endif
