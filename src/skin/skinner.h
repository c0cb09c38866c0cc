// The inside of a skinner.
#ifndef SNI_SKINNER_H
#define SNI_SKINNER_H

#include "skin/mesh_boxes.h"
#include "skin/skin_kernels.h"

typedef struct sni_skin_run {
    sni_skin_kind kind;
    uint32_t first, count;  // slots
    uint32_t influences;    // as in sni_skin_job
    size_t joints_at, weights_at;
} sni_skin_run;

typedef struct sni_skin_target {  // a morph: only the slots that it moves
    uint32_t count;
    uint32_t *slots;                          // rising
    sn_vec3 *positions, *normals, *tangents;  // per slot; NULL: none
} sni_skin_target;

typedef struct sni_joint_pair {
    uint32_t key;  // the smaller joint in the upper half
    sni_box box;   // of the vertices that both move
} sni_joint_pair;

struct sn_skinner {
    sni_heap heap;
    sni_arena arena;
    const sn_mesh *mesh;
    const sni_skin_kernels *kernels;
    bool is_dual;
    sni_skin_run *runs;
    uint32_t run_count, slot_count;
    uint32_t *vertices;  // per slot
    uint16_t *joints;
    float *weights;
    float *positions, *normals, *tangents;  // blocks, as the kernels read them
    sni_skin_target *targets;
    sni_mesh_boxes boxes;
    sni_joint_pair *pairs;  // only for dual quaternions: sorted by key
    uint32_t pair_count;
};

bool sni_skinner_make_pairs(sn_skinner *skinner, sni_arena *scratch);  // false: out of memory

// Of each matrix of a palette. Returns whether all are rigid: nothing is stretched or mirrored.
bool sni_skin_duals_make(const sn_mat34 *palette, uint32_t count, sni_skin_dual *out);

// The matrix of one vertex; the first influence is the heaviest.
sn_mat34 sni_skin_dual_blend(const sn_mat34 *palette, const uint16_t *joints, const float *weights, uint32_t count);

#endif
