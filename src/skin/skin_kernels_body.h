// The kernels, in terms of v4 and v8. The file that includes this has chosen a simd header, and whether its registers
// hold four or eight lanes (SKIN_LANES). A lane is a vertex: the matrices of the lanes are blended row by row, then
// transposed, so that all further arithmetic serves all lanes at once.
#include "skin/skin_kernels.h"

#include <string.h>

#if SKIN_LANES == 8
typedef v8 vn;
#    define V(name) v8_##name
#else
typedef v4 vn;
#    define V(name) v4_##name
#endif

// As in motion_kernels_body.h: not in debug builds, nor without vector instructions.
#if defined __GNUC__ && defined NDEBUG && !defined SNI_SIMD_SCALAR_H
#    define SKIN_INLINE static inline __attribute__((always_inline))
#else
#    define SKIN_INLINE static inline
#endif
#ifdef __GNUC__
#    define SKIN_NOINLINE static __attribute__((noinline))
#    define SKIN_UNROLL_2 _Pragma("GCC unroll 2")
#else
#    define SKIN_NOINLINE static
#    define SKIN_UNROLL_2
#endif

typedef struct vector3 {
    vn x, y, z;
} vector3;

typedef struct matrices {
    vn m[3][4];
} matrices;

// Row `row` of each lane's matrix to its four elements in all lanes.
SKIN_INLINE void load_row(const float *const from[SKIN_LANES], int row, vn out[4])
{
#if SKIN_LANES == 8
    for (int i = 0; i < 4; i++) out[i] = v8_of(v4_load(from[i] + 4 * row), v4_load(from[i + 4] + 4 * row));
    v8_transpose4(out);
#else
    for (int i = 0; i < 4; i++) out[i] = v4_load(from[i] + 4 * row);
    v4_transpose(&out[0], &out[1], &out[2], &out[3]);
#endif
}

SKIN_INLINE matrices load_matrices(const float *const from[SKIN_LANES])
{
    matrices out;
    for (int row = 0; row < 3; row++) load_row(from, row, out.m[row]);
    return out;
}

SKIN_INLINE const float *joint_matrix(const void *palette, uint16_t joint, size_t unit)
{
    return (const float *)(const void *)((const char *)palette + joint * unit);
}

enum { SHORT = 8, LONG = sizeof(sn_mat34) };  // units of stored joints, in bytes

SKIN_INLINE matrices single_matrices(const float *matrix)
{
    matrices out;
    for (int i = 0; i < 12; i++) out.m[i / 4][i % 4] = V(set1)(matrix[i]);
    return out;
}

// Each element of the matrix, for all lanes at once.
SKIN_INLINE matrices shared_matrices(const sni_skin_job *job, uint32_t slot)
{
    uint32_t count = job->influences;
    size_t first = (size_t)(slot / SNI_SKIN_BLOCK) * count;
    const uint16_t *joints = job->joints + first;
    const float *weights = job->weights + first * SNI_SKIN_BLOCK + slot % SNI_SKIN_BLOCK;
    matrices out = single_matrices(joint_matrix(job->palette, joints[0], SHORT));
    vn weight = V(load)(weights);
    for (int i = 0; i < 12; i++) out.m[i / 4][i % 4] = V(mul)(out.m[i / 4][i % 4], weight);
    SKIN_UNROLL_2
    for (uint32_t k = 1; k < count; k++) {
        const float *m = joint_matrix(job->palette, joints[k], SHORT);
        weight = V(load)(weights + (size_t)k * SNI_SKIN_BLOCK);
        for (int i = 0; i < 12; i++) out.m[i / 4][i % 4] = V(fma)(V(set1)(m[i]), weight, out.m[i / 4][i % 4]);
    }
    return out;
}

SKIN_INLINE matrices one_matrices(const sni_skin_job *job, uint32_t slot)
{
    const float *from[SKIN_LANES];
    for (uint32_t i = 0; i < SKIN_LANES; i++) from[i] = joint_matrix(job->palette, job->joints[slot + i], SHORT);
    return load_matrices(from);
}

SKIN_INLINE matrices blended_matrices(const sni_skin_job *job, uint32_t slot, uint32_t influences, size_t unit,
                                      const void *palette)
{
    float blended[SKIN_LANES][12];
    const float *from[SKIN_LANES], *weights = job->weights + (size_t)slot * influences;
    const uint16_t *joints = job->joints + (size_t)slot * influences;
    for (uint32_t i = 0; i < SKIN_LANES; i++) {
        const float *m = joint_matrix(palette, joints[0], unit);
        v8 upper = v8_mul(v8_load(m), v8_set1(weights[0]));
        v4 lower = v4_mul(v4_load(m + 8), v4_set1(weights[0]));
        for (uint32_t k = 1; k < influences; k++) {
            m = joint_matrix(palette, joints[k], unit);
            upper = v8_fma(v8_load(m), v8_set1(weights[k]), upper);
            lower = v4_fma(v4_load(m + 8), v4_set1(weights[k]), lower);
        }
        v8_store(blended[i], upper);
        v4_store(blended[i] + 8, lower);
        from[i] = blended[i];
        joints += influences, weights += influences;
    }
    return load_matrices(from);
}

// The sum of all four, in all four.
SKIN_INLINE v4 sum_of(v4 a) { return v4_add(v4_add(v4_x(a), v4_y(a)), v4_add(v4_z(a), v4_w(a))); }

// The blended dual quaternion of each lane, component by component: the real part, then the dual.
SKIN_INLINE void blend_duals(const sni_skin_job *job, uint32_t slot, vn out[8])
{
    float blended[SKIN_LANES][8];
    for (uint32_t i = 0; i < SKIN_LANES; i++) {
        const uint16_t *joints = job->joints + (size_t)(slot + i) * job->influences;
        const float *weights = job->weights + (size_t)(slot + i) * job->influences;
        v4 first = v4_load(job->duals[joints[0]].motion);
        v8 sum = v8_mul(v8_load(job->duals[joints[0]].motion), v8_set1(weights[0]));
        for (uint32_t k = 1; k < job->influences; k++) {
            v8 dual = v8_load(job->duals[joints[k]].motion);
            v4 weight = v4_mul_sign(sum_of(v4_mul(first, v8_low(dual))), v4_set1(weights[k]));
            sum = v8_fma(dual, v8_of(weight, weight), sum);
        }
        v8_store(blended[i], sum);
    }
#if SKIN_LANES == 8
    for (int i = 0; i < 8; i++) out[i] = v8_load(blended[i]);
    v8_transpose(out);
#else
    for (int i = 0; i < 8; i++) out[i] = v4_load(blended[i % 4] + i / 4 * 4);
    v4_transpose(&out[0], &out[1], &out[2], &out[3]);
    v4_transpose(&out[4], &out[5], &out[6], &out[7]);
#endif
}

// Rotation and translation of dual quaternions that need not have unit length.
SKIN_INLINE matrices dual_motions(const vn q[8])
{
    vn x = q[0], y = q[1], z = q[2], w = q[3];
    vn length = V(fma)(x, x, V(fma)(y, y, V(fma)(z, z, V(mul)(w, w))));
    vn one = V(set1)(1.0f), by = V(div)(V(set1)(2.0f), length);
    vn bx = V(mul)(by, x), bz = V(mul)(by, z), bw = V(mul)(by, w);
    vn xx = V(mul)(bx, x), yy = V(mul)(V(mul)(by, y), y), zz = V(mul)(bz, z);
    matrices out;
    out.m[0][0] = V(sub)(one, V(add)(yy, zz));
    out.m[1][1] = V(sub)(one, V(add)(xx, zz));
    out.m[2][2] = V(sub)(one, V(add)(xx, yy));
    out.m[0][1] = V(fnma)(bw, z, V(mul)(bx, y));
    out.m[1][0] = V(fma)(bw, z, V(mul)(bx, y));
    out.m[0][2] = V(fma)(bw, y, V(mul)(bx, z));
    out.m[2][0] = V(fnma)(bw, y, V(mul)(bx, z));
    out.m[1][2] = V(fnma)(bw, x, V(mul)(bz, y));
    out.m[2][1] = V(fma)(bw, x, V(mul)(bz, y));
    for (int i = 0; i < 3; i++) {  // w * dual - dual.w * real + real x dual
        int j = (i + 1) % 3, k = (i + 2) % 3;
        vn sum = V(fnma)(q[7], q[i], V(mul)(w, q[4 + i]));
        sum = V(fnma)(q[k], q[4 + j], V(fma)(q[j], q[4 + k], sum));
        out.m[i][3] = V(mul)(by, sum);
    }
    return out;
}

SKIN_INLINE matrices dual_matrices(const sni_skin_job *job, uint32_t slot)
{
    vn duals[8];
    blend_duals(job, slot, duals);
    matrices motion = dual_motions(duals), out = motion;
    if (job->duals_are_rigid) return motion;
    matrices stretch = blended_matrices(job, slot, job->influences, sizeof(sni_skin_dual), job->duals->stretch);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            out.m[r][c] = V(fma)(motion.m[r][0], stretch.m[0][c],
                                 V(fma)(motion.m[r][1], stretch.m[1][c], V(mul)(motion.m[r][2], stretch.m[2][c])));
    return out;
}

// The components of a slot's vector are a block's length apart.
SKIN_INLINE const float *slot_in(const float *blocks, uint32_t slot, uint32_t components)
{
    return blocks + (size_t)(slot / SNI_SKIN_BLOCK) * components * SNI_SKIN_BLOCK + slot % SNI_SKIN_BLOCK;
}

SKIN_INLINE vector3 load_vector(const float *at)
{
    vector3 out = { V(load)(at), V(load)(at + SNI_SKIN_BLOCK), V(load)(at + 2 * SNI_SKIN_BLOCK) };
    return out;
}

SKIN_INLINE vn dot(const vn row[3], vector3 v) { return V(fma)(row[0], v.x, V(fma)(row[1], v.y, V(mul)(row[2], v.z))); }

SKIN_INLINE vn transformed(const vn row[4], vector3 v)
{
    return V(fma)(row[0], v.x, V(fma)(row[1], v.y, V(fma)(row[2], v.z, row[3])));
}

SKIN_INLINE void cross(const vn a[3], const vn b[3], vn out[3])
{
    out[0] = V(fnma)(a[2], b[1], V(mul)(a[1], b[2]));
    out[1] = V(fnma)(a[0], b[2], V(mul)(a[2], b[0]));
    out[2] = V(fnma)(a[1], b[0], V(mul)(a[0], b[1]));
}

// At unit length; turned round where `sign` is negative.
SKIN_INLINE vector3 normalized(vector3 v, vn sign)
{
    vn length = V(sqrt)(V(fma)(v.x, v.x, V(fma)(v.y, v.y, V(mul)(v.z, v.z))));
    vn by = V(mul_sign)(sign, V(div)(V(set1)(1.0f), length));
    vector3 out = { V(mul)(v.x, by), V(mul)(v.y, by), V(mul)(v.z, by) };
    return out;
}

SKIN_INLINE void transpose_lanes(vn x, vn y, vn z, vn w, v4 out[SKIN_LANES])
{
#if SKIN_LANES == 8
    v8 rows[4] = { x, y, z, w };
    v8_transpose4(rows);
    for (int i = 0; i < 4; i++) out[i] = v8_low(rows[i]), out[i + 4] = v8_high(rows[i]);
#else
    v4_transpose(&x, &y, &z, &w);
    out[0] = x, out[1] = y, out[2] = z, out[3] = w;
#endif
}

SKIN_INLINE float *place_of(char *out, size_t stride, uint32_t vertex)
{
    return (float *)(void *)(out + vertex * stride);
}

SKIN_NOINLINE void scatter_some(char *out, size_t stride, const uint32_t *vertices, uint32_t lanes, const v4 *rows,
                                size_t size)
{
    for (uint32_t i = 0; i < lanes; i++) memcpy(out + vertices[i] * stride, &rows[i], size);
}

// The results of a block's lanes. Those of neighbours are one piece of memory; `lanes` of others go to their places.
SKIN_INLINE void store_vectors(char *out, size_t stride, const uint32_t *vertices, uint32_t lanes, bool are_neighbours,
                               vector3 v)
{
    if (are_neighbours && stride == 12) {
        V(store_xyz)(place_of(out, stride, vertices[0]), v.x, v.y, v.z);
        return;
    }
    v4 rows[SKIN_LANES];
    transpose_lanes(v.x, v.y, v.z, v.z, rows);
    if (lanes < SKIN_LANES) scatter_some(out, stride, vertices, lanes, rows, 12);
    else
        for (uint32_t i = 0; i < SKIN_LANES; i++) v4_store3(place_of(out, stride, vertices[i]), rows[i]);
}

SKIN_INLINE void store_tangents(char *out, size_t stride, const uint32_t *vertices, uint32_t lanes, vector3 v, vn w)
{
    v4 rows[SKIN_LANES];
    transpose_lanes(v.x, v.y, v.z, w, rows);
    if (lanes < SKIN_LANES) scatter_some(out, stride, vertices, lanes, rows, 16);
    else
        for (uint32_t i = 0; i < SKIN_LANES; i++) v4_store(place_of(out, stride, vertices[i]), rows[i]);
}

SKIN_NOINLINE void repair(const sni_skin_job *job, uint32_t slot, uint32_t lanes, unsigned good, const matrices *m)
{
    for (uint32_t i = 0; i < lanes; i++) {
        if (good >> i & 1) continue;
        sn_mat34 matrix;
        for (int k = 0; m && k < 12; k++) {
            float lane[SKIN_LANES];
            V(store)(lane, m->m[k / 4][k % 4]);
            matrix.m[k / 4][k % 4] = lane[i];
        }
        job->repair(job, slot + i, m ? &matrix : NULL);
    }
}

// The cofactors of a matrix are the cross products of its rows.
typedef struct normal_matrices {
    vn cofactors[3][3], determinant;
    unsigned good;  // bit i: single precision is enough in lane i
} normal_matrices;

// With c = |determinant| / (sum of squares)^1.5, what rounding adds to a normal or tangent is about 1e-7 / c of its
// length.
SKIN_INLINE unsigned find_good(const matrices *by, vn determinant)
{
    vn squares = V(mul)(by->m[0][0], by->m[0][0]);
    for (int i = 1; i < 9; i++) squares = V(fma)(by->m[i / 3][i % 3], by->m[i / 3][i % 3], squares);
    vn limit = V(mul)(V(mul)(squares, squares), V(mul)(squares, V(set1)(1e-4f)));
    return V(mask_greater)(V(mul)(determinant, determinant), limit);
}

SKIN_INLINE vector3 row_of(const matrices *by, int row)
{
    vector3 out = { by->m[row][0], by->m[row][1], by->m[row][2] };
    return out;
}

SKIN_INLINE normal_matrices make_normal_matrices(const matrices *by)
{
    normal_matrices out;
    for (int r = 0; r < 3; r++) cross(by->m[(r + 1) % 3], by->m[(r + 2) % 3], out.cofactors[r]);
    out.determinant = dot(out.cofactors[0], row_of(by, 0));
    out.good = find_good(by, out.determinant);
    return out;
}

// The same for one use: each row of the cofactors is used at once, so that all fits into registers.
SKIN_INLINE vector3 turn_normals(const matrices *by, vector3 n, vn *determinant)
{
    vn row[3], x, y, z;
    cross(by->m[1], by->m[2], row);
    *determinant = dot(row, row_of(by, 0));
    x = dot(row, n);
    cross(by->m[2], by->m[0], row);
    y = dot(row, n);
    cross(by->m[0], by->m[1], row);
    z = dot(row, n);
    vector3 out = { x, y, z };
    return out;
}

// What is written beside positions.
enum { POSITIONS, NORMALS, TANGENTS };

// `turn` is NULL where the matrices are used for these lanes only.
SKIN_INLINE void transform(const sni_skin_job *job, uint32_t slot, const matrices *by, const normal_matrices *turn,
                           int outputs, bool are_neighbours, bool is_dual)
{
    uint32_t lanes = are_neighbours || job->count - slot >= SKIN_LANES ? SKIN_LANES : job->count - slot;
    const uint32_t *vertices = job->vertices + slot;
    if (outputs == POSITIONS || job->out_positions) {
        vector3 p = load_vector(slot_in(job->positions, slot, 3));
        vector3 moved = { transformed(by->m[0], p), transformed(by->m[1], p), transformed(by->m[2], p) };
        store_vectors(job->out_positions, job->position_stride, vertices, lanes, are_neighbours, moved);
    }
    if (outputs == POSITIONS) return;

    // Tangents need the determinant too, with normals or without.
    bool has_normals = outputs == NORMALS || job->normals;
    vector3 n = load_vector(has_normals ? slot_in(job->normals, slot, 3) : slot_in(job->tangents, slot, 4));
    vn determinant;
    vector3 normals;
    if (turn) {
        normals.x = dot(turn->cofactors[0], n), normals.y = dot(turn->cofactors[1], n);
        normals.z = dot(turn->cofactors[2], n);
        determinant = turn->determinant;
    } else {
        normals = turn_normals(by, n, &determinant);
    }
    unsigned good = turn ? turn->good : find_good(by, determinant);
    if (has_normals) {
        normals = normalized(normals, determinant);
        store_vectors(job->out_normals, job->normal_stride, vertices, lanes, are_neighbours, normals);
    }
    if (outputs == TANGENTS) {
        const float *at = slot_in(job->tangents, slot, 4);
        vector3 t = load_vector(at);
        vector3 turned = { dot(by->m[0], t), dot(by->m[1], t), dot(by->m[2], t) };
        vn w = V(mul_sign)(determinant, V(load)(at + 3 * SNI_SKIN_BLOCK));
        store_tangents(job->out_tangents, job->tangent_stride, vertices, lanes, normalized(turned, V(set1)(1.0f)), w);
    }
    if (good != (1u << SKIN_LANES) - 1) repair(job, slot, lanes, good, is_dual ? by : NULL);
}

// Neighbouring blocks of one joint use its matrix and cofactors again.
SKIN_INLINE void skin_single(const sni_skin_job *job, int outputs)
{
    for (uint32_t slot = 0, end; slot < job->count; slot = end) {
        uint16_t joint = job->joints[slot / SNI_SKIN_BLOCK];
        end = slot + SNI_SKIN_BLOCK;
        while (end < job->count && job->joints[end / SNI_SKIN_BLOCK] == joint) end += SNI_SKIN_BLOCK;
        matrices by = single_matrices(joint_matrix(job->palette, joint, LONG));
        normal_matrices turn = { .good = 0 };
        if (outputs != POSITIONS) turn = make_normal_matrices(&by);
        for (uint32_t i = slot; i < end; i += SKIN_LANES) transform(job, i, &by, &turn, outputs, true, false);
    }
}

#define SKIN_KERNEL(name, outputs, matrices_of_slot, are_neighbours, is_dual)  \
    static void name(const sni_skin_job *job)                                  \
    {                                                                          \
        for (uint32_t slot = 0; slot < job->count; slot += SKIN_LANES) {       \
            matrices by = matrices_of_slot;                                    \
            transform(job, slot, &by, NULL, outputs, are_neighbours, is_dual); \
        }                                                                      \
    }
#define SKIN_KERNELS(kind, matrices_of_slot, are_neighbours, is_dual)                   \
    SKIN_KERNEL(kind##_positions, POSITIONS, matrices_of_slot, are_neighbours, is_dual) \
    SKIN_KERNEL(kind##_normals, NORMALS, matrices_of_slot, are_neighbours, is_dual)     \
    SKIN_KERNEL(kind##_tangents, TANGENTS, matrices_of_slot, are_neighbours, is_dual)

static void single_positions(const sni_skin_job *job) { skin_single(job, POSITIONS); }
static void single_normals(const sni_skin_job *job) { skin_single(job, NORMALS); }
static void single_tangents(const sni_skin_job *job) { skin_single(job, TANGENTS); }
SKIN_KERNELS(shared, shared_matrices(job, slot), true, false)
SKIN_KERNELS(one, one_matrices(job, slot), false, false)
SKIN_KERNELS(two, blended_matrices(job, slot, 2, SHORT, job->palette), false, false)
SKIN_KERNELS(four, blended_matrices(job, slot, 4, SHORT, job->palette), false, false)
SKIN_KERNELS(many, blended_matrices(job, slot, job->influences, LONG, job->palette), false, false)
SKIN_KERNELS(dual, dual_matrices(job, slot), false, true)

#define SKIN_TABLE_ROW(kind)                              \
    {                                                     \
        kind##_positions, kind##_normals, kind##_tangents \
    }
#define SKIN_TABLE                                                                                    \
    {                                                                                                 \
        {                                                                                             \
            SKIN_TABLE_ROW(single), SKIN_TABLE_ROW(shared), SKIN_TABLE_ROW(one), SKIN_TABLE_ROW(two), \
                SKIN_TABLE_ROW(four), SKIN_TABLE_ROW(many), SKIN_TABLE_ROW(dual)                      \
        }                                                                                             \
    }
