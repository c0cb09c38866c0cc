// Boxes around what each joint moves, from which bounds of a posed mesh follow without its vertices.
#ifndef SNI_MESH_BOXES_H
#define SNI_MESH_BOXES_H

#include "base/arena.h"
#include "base/math.h"

typedef struct sni_box {
    sn_vec3 min, max;  // min.x > max.x: empty
} sni_box;

extern const sni_box sni_box_empty;

static inline bool sni_box_is_empty(const sni_box *box) { return !(box->min.x <= box->max.x); }

static inline void sni_box_add(sni_box *box, sn_vec3 p)
{
    box->min = sni_vec3(sni_least(box->min.x, p.x), sni_least(box->min.y, p.y), sni_least(box->min.z, p.z));
    box->max = sni_vec3(sni_most(box->max.x, p.x), sni_most(box->max.y, p.y), sni_most(box->max.z, p.z));
}

// What a morph adds to positions at weight 1.
typedef struct sni_morph_range {
    sni_box box;     // contains 0
    float distance;  // the length of the longest
} sni_morph_range;

typedef struct sni_mesh_boxes {
    sni_box all;
    sni_box *joints;  // of the vertices with a weight of this joint; empty: none
    uint32_t joint_count;
    sni_morph_range *morphs;
} sni_mesh_boxes;

bool sni_mesh_boxes_make(const sn_mesh *mesh, sni_arena *arena, sni_mesh_boxes *out);  // false: out of memory

#endif
