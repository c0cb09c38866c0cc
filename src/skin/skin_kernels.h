// The inner loops of a skinner, once per instruction set. Vertices come in blocks of eight, x of all eight first.
#ifndef SNI_SKIN_KERNELS_H
#define SNI_SKIN_KERNELS_H

#include "base/simd.h"

enum { SNI_SKIN_BLOCK = 8 };

// Joints of short runs are stored times SNI_SKIN_JOINT_UNITS: then one addressing mode of eight times an index finds
// the matrix. Skins with more joints than fit have no short runs.
enum { SNI_SKIN_JOINT_UNITS = sizeof(sn_mat34) / 8, SNI_SKIN_SHORT_JOINTS = 0xffff / SNI_SKIN_JOINT_UNITS };

// Vertices come in runs, and in them in slots: the order in which they are stored.
typedef enum sni_skin_kind {
    SNI_SKIN_SINGLE,  // blocks of eight neighbours that one joint moves
    SNI_SKIN_SHARED,  // blocks of eight neighbours: a list of joints for all of them, and per joint their weights
    SNI_SKIN_ONE,     // vertices from anywhere, each with as many joints and weights as the run has influences
    SNI_SKIN_TWO,     // likewise
    SNI_SKIN_FOUR,
    SNI_SKIN_MANY,
    SNI_SKIN_DUAL,  // likewise, blended as dual quaternions; the joint with the largest weight is the first
    SNI_SKIN_KIND_COUNT
} sni_skin_kind;

// A joint's rotation and translation as a unit dual quaternion, and what is left of its matrix: M = rotation * stretch.
typedef struct sni_skin_dual {
    float motion[8];    // the real part x, y, z, w, then the dual part
    float stretch[12];  // three rows of four; the fourth column is 0
} sni_skin_dual;

typedef struct sni_skin_job sni_skin_job;

// A part of one run. The last block of a run is filled up with copies of its last slot.
struct sni_skin_job {
    const sn_mat34 *palette;
    const sni_skin_dual *duals;  // per joint; only for SNI_SKIN_DUAL
    bool duals_are_rigid;        // all `stretch` are identity
    uint32_t influences;         // joints per block or per slot
    uint32_t count;              // of slots
    const uint16_t *joints;      // times SNI_SKIN_JOINT_UNITS for ONE, TWO and FOUR
    const float *weights;        // as many as joints, for SHARED eight per joint; not read for SINGLE and ONE
    const uint32_t *vertices;    // per slot: where its results go
    const float *positions;      // per block: x, y, z of eight slots
    const float *normals;        // likewise; NULL: none to write
    const float *tangents;       // likewise, with w; NULL: none to write
    char *out_positions, *out_normals, *out_tangents;  // positions may be NULL
    size_t position_stride, normal_stride, tangent_stride;

    // Called for slots whose matrix is nearly flat, or so large or small that squares overflow: their normals and
    // tangents need double precision. `matrix` is NULL where the vertex is skinned linearly.
    void (*repair)(const sni_skin_job *job, uint32_t slot, const sn_mat34 *matrix);
    const void *user;
};

typedef void sni_skin_kernel(const sni_skin_job *job);

// By what is written: positions; and normals; and tangents. Those of a column also write less: job->out_positions and
// job->normals may be NULL.
typedef struct sni_skin_kernels {
    sni_skin_kernel *kernels[SNI_SKIN_KIND_COUNT][3];
} sni_skin_kernels;

extern const sni_skin_kernels sni_skin_kernels_scalar, sni_skin_kernels_sse2, sni_skin_kernels_avx2,
    sni_skin_kernels_neon, sni_skin_kernels_wasm;

#endif
