// Models that sinew made keep their promises and are sealed; others are checked before they are used.
#ifndef SNI_CHECK_H
#define SNI_CHECK_H

#include "base/diag.h"

static inline void sni_model_seal(sn_model *model) { model->checked = model; }
static inline bool sni_model_is_sealed(const sn_model *model) { return model->checked == model; }

// sn_model_check, unless the model is sealed.
sn_status sni_model_require(const sn_model *model, sn_error *error);

// What sn_model_check says of elements that finishing a model neither sorts nor completes, so that a builder's error is
// as exact: the path down to the map or track, and which numbers disagree.
bool sni_check_unsorted(const sn_model *model, sni_diag *diag);

// Whether the track keeps the promises that sn_model_check verifies; the model itself keeps them. `error` says why not.
bool sni_track_check(const sn_model *model, const sn_track *track, sn_error *error);

#endif
