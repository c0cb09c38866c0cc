// The functions of a motion that use vector instructions: one table per instruction set.
#ifndef SNI_MOTION_KERNELS_H
#define SNI_MOTION_KERNELS_H

#include "sinew/runtime.h"

union sni_trs8;
struct sni_key_cache;
struct sni_motion_clip;

// One pose of a blend.
typedef struct sni_blend_source {
    const union sni_trs8 *locals;
    const float *mask;  // per node; NULL: 1
    float weight;
} sni_blend_source;

enum { SNI_BLEND_SOURCES = 16 };

// Eight sampled instances of a crowd.
typedef struct sni_crowd_group {
    sn_pose *poses[8];
    sn_mat34 *palettes[8];  // all or, if they are not wanted, none
} sni_crowd_group;

enum { SNI_MATRIX8_FLOATS = 12 * 8 };  // a 3x4 matrix of each: one row of eight floats per element

typedef struct sni_motion_kernels {
    // Writes what moves in a clip, at a time within it, to blocks of local transforms. `keys` are
    // sn_pose.keys or NULL.
    void (*sample)(const struct sni_motion_clip *clip, float time, float clock, struct sni_key_cache *keys,
                   union sni_trs8 *locals);
    void (*solve)(const sn_motion *motion, sn_pose *pose, const sn_view *view);  // world matrices and palettes

    // The mean of all sources, at most SNI_BLEND_SOURCES; nodes without weight take `rest`. `out` may be one of the
    // sources.
    void (*blend)(const sni_blend_source *sources, uint32_t count, const union sni_trs8 *rest, uint32_t node_count,
                  union sni_trs8 *out);
    // sum += weight * source, and the sum of the weights; then the mean.
    void (*blend_add)(const sni_blend_source *source, bool is_first, uint32_t node_count, union sni_trs8 *sum,
                      float *weights);
    void (*blend_end)(const float *weights, const union sni_trs8 *rest, uint32_t node_count, union sni_trs8 *sum);
    // Adds the difference from `reference` to the source.
    void (*add)(const sni_blend_source *source, const union sni_trs8 *reference, uint32_t node_count,
                union sni_trs8 *locals);

    // Palettes of eight instances. `worlds` has room for SNI_MATRIX8_FLOATS per node; with keeps_all it has all world
    // matrices afterwards.
    void (*crowd_solve)(const sn_motion *motion, const sni_crowd_group *group, bool keeps_all, float *worlds);
    void (*crowd_world)(const float *worlds, int32_t node, sn_mat34 *const to[8]);
} sni_motion_kernels;

extern const sni_motion_kernels sni_motion_kernels_scalar, sni_motion_kernels_sse2, sni_motion_kernels_avx2,
    sni_motion_kernels_neon, sni_motion_kernels_wasm;

#endif
