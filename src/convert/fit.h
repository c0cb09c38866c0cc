// Brings a model within what the target format can hold, before it is exported; each loss is reported.
#ifndef SNI_FIT_H
#define SNI_FIT_H

#include "format/format.h"

// `fitted` shares with the model whatever need not change; the rest lives in the save's scratch. False after a failure.
bool sni_fit_model(sni_save *save, const sni_holds *holds, const sn_model *model, sn_model *fitted);

// All clips of the model, each made by `fit_clip` while the path of the diagnostics names it. False after a failure.
typedef bool sni_fit_clip(void *user, const sn_clip *clip, sn_clip *out);
bool sni_fit_clips(sni_save *save, const sn_model *model, sni_fit_clip *fit_clip, void *user, sn_model *fitted);

// A copy of the model's meshes, with tangents where a normal map or an extension of the material needs them and there
// are none, and likewise with normals. False after a failure.
bool sni_make_wanted_tangents(sni_arena *arena, const sn_model *model, sn_mesh *meshes);

#endif
