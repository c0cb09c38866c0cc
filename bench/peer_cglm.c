// cglm's affine multiply: palettes of one skin.
#include <cglm/cglm.h>
#include <stdlib.h>

#include "runtime.h"
#include "runtime_workloads.h"

typedef struct work {
    uint32_t count;
    mat4 *worlds, *inverse_bind, *palette;
} work;

static void from_mat34(const sn_mat34 *in, mat4 out)
{
    for (int c = 0; c < 4; c++)
        for (int r = 0; r < 4; r++) out[c][r] = r < 3 ? in->m[r][c] : c == 3;
}

static mat4 *make_matrices(uint32_t count)
{
    mat4 *matrices = aligned_alloc(64, count * sizeof *matrices);
    if (!matrices) exit(3);
    return matrices;
}

static void *create(const sn_model *model, const sn_pose *pose)
{
    const sn_skin *skin = &model->skins[0];
    work *w = bench_alloc(sizeof *w, 1);
    w->count = skin->joint_count;
    w->worlds = make_matrices(w->count);
    w->inverse_bind = make_matrices(w->count);
    w->palette = make_matrices(w->count);
    for (uint32_t i = 0; i < w->count; i++) {
        sn_mat34 world = sn_pose_world(pose, skin->joints[i]);
        from_mat34(&world, w->worlds[i]);
        from_mat34(&skin->inverse_bind[i], w->inverse_bind[i]);
    }
    return w;
}

static void run(void *context, uint32_t count)
{
    work *w = context;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < w->count; k++) glm_mul(w->worlds[k], w->inverse_bind[k], w->palette[k]);
}

static sn_vec3 read_place(const void *context, uint32_t index)
{
    const work *w = context;
    return (sn_vec3){ w->palette[index][3][0], w->palette[index][3][1], w->palette[index][3][2] };
}

static void free_work(void *context)
{
    work *w = context;
    free(w->worlds);
    free(w->inverse_bind);
    free(w->palette);
    free(w);
}

// Compiled for AVX2 where the compiler can: see cmake/bench.cmake.
static void *create_if_supported(const sn_model *model, const sn_pose *pose)
{
#ifdef __AVX2__
    if (!sn_simd_is_supported(SN_SIMD_AVX2)) return NULL;
#endif
    return create(model, pose);
}

const bench_peer bench_cglm = { "cglm", "B3p", create_if_supported, run, read_place, free_work };
