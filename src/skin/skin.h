// Posed vertices, some at a time.
#ifndef SNI_SKIN_H
#define SNI_SKIN_H

#include "sinew/sinew.h"

typedef struct sni_vertices {  // where results go; each may be NULL
    sn_vec3 *positions, *normals;
    sn_vec4 *tangents;
} sni_vertices;

// All that bends one part.
typedef struct sni_skin_source {
    const sn_mesh *mesh;
    const sn_mat34 *palette;  // NULL: rigid, moves with its node
    sn_mat34 node_world;
    const float *morphs;  // weights; NULL: not morphed
} sni_skin_source;

sni_skin_source sni_skin_source_of(const sn_pose *pose, int32_t part);

// One vertex; `matrix` replaces the blend of its joints and may be NULL.
void sni_skin_vertex(const sni_skin_source *from, uint32_t vertex, const sn_mat34 *matrix, sni_vertices out);

// `count` vertices of an existing part, from `first` on, into the start of each array. Does not allocate.
void sni_skin_range(const sn_pose *pose, int32_t part, uint32_t first, uint32_t count, sni_vertices out);

#endif
