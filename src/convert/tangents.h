// Tangents for normal maps where a file has none: by MikkTSpace, as glTF requires.
#ifndef SNI_TANGENTS_H
#define SNI_TANGENTS_H

#include "base/arena.h"

// The mesh with tangents made from one of its sets of texture coordinates. A vertex keeps its number; where faces
// around it need another tangent (mirrored halves that meet, say), they get a copy of it, at the end. Everything else
// a vertex has comes along. Face order stays.
//
// w follows glTF: cross(normal, tangent) * w points up in the picture, against v.
//
// A mesh without triangles, normals or the set is returned unchanged. Takes about 40 bytes per index from
// the arena's heap while it works. False only when the arena failed.
bool sni_make_tangents(sni_arena *arena, const sn_mesh *mesh, uint32_t uv_set, sn_mesh *out);

#endif
