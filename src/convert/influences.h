// Counting and reducing the influences of vertices.
#ifndef SNI_INFLUENCES_H
#define SNI_INFLUENCES_H

#include "base/arena.h"

typedef struct sni_influence {
    uint16_t joint;
    float weight;
} sni_influence;

// The heaviest influences of a vertex, at most `most` (at least 1), heaviest first; of equal ones those of the lower
// joints. They sum to 1. Returns how many there are.
uint32_t sni_pick_influences(const sn_mesh *mesh, uint32_t vertex, sni_influence *kept, uint32_t most);

// The largest number of weights above 0 that any vertex of the mesh has; 0 for a rigid mesh.
uint32_t sni_count_influences(const sn_mesh *mesh);

// The same mesh with at most `most` (at least 1) influences per vertex: the heaviest, of equal ones those of the lower
// joints, heaviest first. What is left sums to 1 within 2e-7 per weight, added up in float from first to last; rounding
// goes to the heaviest. Slots that are not needed have joint 0 and weight 0. influence_count becomes the number that
// is needed, where that is less. A rigid mesh comes back as it is. False only when the arena failed.
bool sni_reduce_influences(sni_arena *arena, const sn_mesh *mesh, uint32_t most, sn_mesh *out);

// All meshes that need it, in place; none where `most` is 0.
bool sni_limit_influences(sni_arena *arena, sn_mesh *meshes, uint32_t count, uint32_t most);

// Rounds all weights to multiples of 1 / steps that sum to 1, in place of the mesh's array. False only when the arena
// failed.
bool sni_round_weights(sni_arena *arena, sn_mesh *mesh, uint32_t steps);

#endif
