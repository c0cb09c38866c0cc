// Duplicates vertices of a mesh, for faces that need other normals or tangents.
#ifndef SNI_SPLIT_H
#define SNI_SPLIT_H

#include "base/arena.h"

// The mesh with `count` more vertices at its end, each a copy of vertex sources[i] in all it has: attributes,
// influences, morphs. Without more vertices all pointers stay. Indices and tangents are the caller's. False only when
// the arena failed.
bool sni_copy_vertices(sni_arena *arena, const sn_mesh *mesh, const uint32_t *sources, uint32_t count, sn_mesh *out);

#endif
