// Tracks brought to what glTF holds: step, linear and cubic spline keys between 0 and the clip's end, held outside.
#ifndef SNI_TRACK_FIT_H
#define SNI_TRACK_FIT_H

#include "base/arena.h"

// A track with other means that shows what `in` shows in a clip of this duration, played from the model's first
// moment (a track with a period has its clock at 0 then). What glTF holds already keeps its pointers.
//
// Hermite and Bezier curves become cubic splines, exactly: a tangent per segment, divided by the segment's length, is
// one per second. A cycle gets keys at 0 and at the end, cut out of the segment between the last and the first key.
// A period is unrolled, as far as a few thousand keys go. A jump becomes two keys a small step apart. Rotations with
// tangents have no exact form: they become linear keys that stay within `tolerance` radians (0: 1e-3) of the curve.
// Channels that the runtime steps become stepped.
//
// is_exact: no more than rounding is lost. Not so: sampled rotations, jumps, cut-off periods, tangents too large for a
// float, cycles whose keys lie past the clip, and Warcraft III's jump before the first key, which is exported as the
// continuous cycle.
// False only when the arena failed.
bool sni_track_fit(sni_arena *arena, const sn_track *in, float duration, double tolerance, sn_track *out,
                   bool *is_exact);

#endif
