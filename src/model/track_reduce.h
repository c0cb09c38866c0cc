// Fewer keys, and keys that any player reads alike. All tracks here hold their ends and have no clock of their own;
// others are handed back as they are. Each answers false only when the arena failed. What need not change keeps its
// pointers; what must is new in the arena.
#ifndef SNI_TRACK_REDUCE_H
#define SNI_TRACK_REDUCE_H

#include "base/arena.h"

// The angle in radians, 0 to pi, of the turn between two rotations of unit length. Exact near 0, unlike an arc cosine.
double sni_rotation_angle(sn_quat a, sn_quat b);

// Leaves out linear keys that interpolation gives back within the tolerance: radians for rotations, else the largest
// difference of any component. No rotation is left to an arc that comes near half a turn. Stepped keys go only where
// they repeat the one before. The first and the last key always stay; curves with tangents stay as they are.
bool sni_track_reduce(sni_arena *arena, const sn_track *in, double tolerance, sn_track *out);

// Adds a key at `duration` that repeats the held value, where the track ends sooner: a glTF clip is as long as its
// last key, so one track of each clip needs this.
bool sni_track_hold_until(sni_arena *arena, const sn_track *in, float duration, sn_track *out);

// Turns the signs of linear and stepped rotations so that each key lies within a half turn of the one before in all
// four components: players that forget the shorter arc then still take it.
bool sni_track_align_rotations(sni_arena *arena, const sn_track *in, sn_track *out);

#endif
