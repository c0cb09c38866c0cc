// The parts of the kobold: a small creature with a hat and a wooden sword, 1 m high, Y up, facing +Z.
#ifndef KOBOLD_H
#define KOBOLD_H

#include <sinew/build.h>

enum kobold_bone_index {
    ROOT,
    HIPS,
    SPINE,
    CHEST,
    NECK,
    HEAD,
    JAW,
    EAR_L,
    EAR_TIP_L,
    EAR_R,
    EAR_TIP_R,
    ARM_L,
    FOREARM_L,
    HAND_L,
    ARM_R,
    FOREARM_R,
    HAND_R,
    LEG_L,
    SHIN_L,
    FOOT_L,
    LEG_R,
    SHIN_R,
    FOOT_R,
    TAIL_1,
    TAIL_2,
    TAIL_3,
    TAIL_4,
    KOBOLD_JOINTS,  // bones that move the skin; those below carry parts and attachments
    HAT = KOBOLD_JOINTS,
    SWORD,
    HAND_REF,
    OVERHEAD_REF,
    ORIGIN_REF,
    KOBOLD_BONES
};

typedef struct kobold_bone {
    const char *name;
    int parent;
    sn_vec3 at;  // in the model, at rest
} kobold_bone;

extern const kobold_bone kobold_bones[KOBOLD_BONES];

enum { KOBOLD_MOST_VERTICES = 4096, KOBOLD_MOST_INDICES = 6 * KOBOLD_MOST_VERTICES, KOBOLD_TEXTURE = 128 };

typedef struct kobold_mesh {
    uint32_t vertex_count, index_count;
    sn_vec3 positions[KOBOLD_MOST_VERTICES], normals[KOBOLD_MOST_VERTICES];
    sn_vec2 uvs[KOBOLD_MOST_VERTICES];
    uint16_t joints[KOBOLD_MOST_VERTICES][4];
    float weights[KOBOLD_MOST_VERTICES][4];
    uint32_t indices[KOBOLD_MOST_INDICES];
} kobold_mesh;

void kobold_make_body(kobold_mesh *mesh, float cell);  // the skin, from cells of this size, and the eyes
void kobold_make_hat(kobold_mesh *mesh);               // around its bone
void kobold_make_sword(kobold_mesh *mesh);             // from its bone along +Y
void kobold_paint(uint8_t rgba[KOBOLD_TEXTURE][KOBOLD_TEXTURE][4]);

#endif
