// Flat normals, for normal maps where a file has none, as glTF requires.
#ifndef SNI_NORMALS_H
#define SNI_NORMALS_H

#include "base/arena.h"

// The mesh with a normal for each face, and for each morph what that adds. A vertex keeps its number and goes to the
// first face that uses it; the others get copies of it, at the end. Face order stays; tangents, which mean nothing
// without normals, go. A mesh that has no triangles is returned unchanged. False only when the arena failed.
bool sni_make_flat_normals(sni_arena *arena, const sn_mesh *mesh, sn_mesh *out);

#endif
