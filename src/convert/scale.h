// Larger or smaller models.
#ifndef SNI_SCALE_H
#define SNI_SCALE_H

#include "base/arena.h"

// Multiplies all lengths: positions, translations, bind matrices, shapes, planes of cameras, ranges of lights.
// Rotations and the nodes' own scales stay. What changes is in the arena. False: out of memory.
bool sni_scale_model(sni_arena *arena, const sn_model *model, float scale, sn_model *out);

#endif
