// Posed vertices, some at a time.
#ifndef SNI_SKIN_H
#define SNI_SKIN_H

#include "sinew/sinew.h"

typedef struct sni_vertices {  // where results go; each may be NULL
    sn_vec3 *positions, *normals;
    sn_vec4 *tangents;
} sni_vertices;

// `count` vertices of an existing part, from `first` on, into the start of each array. Does not allocate.
void sni_skin_range(const sn_pose *pose, int32_t part, uint32_t first, uint32_t count, sni_vertices out);

#endif
