// The code of the crowd's kernels: eight instances at a time, one per lane. Included by motion_kernels_body.h.

// Twelve rows: a 3x4 matrix of each of the eight instances.
typedef struct matrix8 {
    v8 m[3][4];
} matrix8;

SNI_INLINE matrix8 load_matrix8(const float *from)
{
    matrix8 out;
    for (int i = 0; i < 12; i++) out.m[i / 4][i % 4] = v8_load(from + i * SNI_LANES);
    return out;
}

SNI_INLINE void store_matrix8(float *to, const matrix8 *a)
{
    for (int i = 0; i < 12; i++) v8_store(to + i * SNI_LANES, a->m[i / 4][i % 4]);
}

// `a` and `b` give elements: vectors of instances, read where they are used, as there are not registers for all.
#define SNI_MULTIPLY8(out, a, b)                                                                                \
    for (int r = 0; r < 3; r++) {                                                                               \
        v8 x = a(r, 0), y = a(r, 1), z = a(r, 2);                                                               \
        for (int c = 0; c < 3; c++) (out).m[r][c] = v8_fma(x, b(0, c), v8_fma(y, b(1, c), v8_mul(z, b(2, c)))); \
        (out).m[r][3] = v8_fma(x, b(0, 3), v8_fma(y, b(1, 3), v8_fma(z, b(2, 3), a(r, 3))));                    \
    }

// To one matrix per instance, `bytes` after those of `to`.
SNI_INLINE void scatter_matrix8(sn_mat34 *const to[SNI_LANES], size_t bytes, const matrix8 *a)
{
    v8 rows01[8], row2[4];
    for (int i = 0; i < 8; i++) rows01[i] = a->m[i / 4][i % 4];
    for (int i = 0; i < 4; i++) row2[i] = a->m[2][i];
    v8_transpose(rows01);
    v8_transpose4(row2);
    for (int i = 0; i < SNI_LANES; i++) {
        float *place = (float *)(void *)((uint8_t *)to[i] + bytes);
        v8_store(place, rows01[i]);
        v4_store(place + 8, i < 4 ? v8_low(row2[i]) : v8_high(row2[i - 4]));
    }
}

SNI_INLINE matrix8 gather_matrix8(const sn_mat34 *const from[SNI_LANES])
{
    matrix8 out;
    v8 rows01[8], row2[4];
    for (int i = 0; i < SNI_LANES; i++) rows01[i] = v8_load(from[i]->m[0]);
    for (int i = 0; i < 4; i++) row2[i] = v8_of(v4_load(from[i]->m[2]), v4_load(from[i + 4]->m[2]));
    v8_transpose(rows01);
    v8_transpose4(row2);
    for (int i = 0; i < 8; i++) out.m[i / 4][i % 4] = rows01[i];
    for (int i = 0; i < 4; i++) out.m[2][i] = row2[i];
    return out;
}

// Where the matrix of a node is kept, or NULL.
SNI_INLINE float *crowd_slot(const sn_motion *motion, int32_t node, bool keeps_all, float *worlds)
{
    int32_t slot = keeps_all ? node : motion->world_slots[node];
    return slot < 0 ? NULL : worlds + (size_t)slot * SNI_MATRIX8_FLOATS;
}

// The exact way, instance by instance, in their poses: those have what the nodes above need.
static matrix8 crowd_solve_exact(const sn_motion *motion, const sni_crowd_group *group, uint32_t node, bool keeps_all,
                                 float *worlds)
{
    const sn_mat34 *from[SNI_LANES];
    int32_t parent = motion->parents[node];
    if (parent >= 0) {
        matrix8 above = load_matrix8(crowd_slot(motion, parent, keeps_all, worlds));
        sn_mat34 *to[SNI_LANES];
        for (int i = 0; i < SNI_LANES; i++) to[i] = &group->poses[i]->worlds[parent];
        scatter_matrix8(to, 0, &above);
    }
    for (int i = 0; i < SNI_LANES; i++) {
        sni_accumulated root = sni_accumulated_of(&group->poses[i]->root);
        sni_pose_solve_node(group->poses[i], node, &root, NULL);
        from[i] = &group->poses[i]->worlds[node];
    }
    return gather_matrix8(from);
}

// The palettes of a node's joints, while its matrix is at hand.
SNI_INLINE void crowd_joints(const sn_motion *motion, const sni_crowd_group *group, uint32_t node, const float *from)
{
    if (!group->palettes[0]) return;
    for (int32_t joint = motion->first_joints[node]; joint >= 0; joint = motion->next_joints[joint]) {
        const sn_mat34 *bind = motion->joint_binds[joint];
        matrix8 product;
#define WORLD(r, c) v8_load(from + ((r)*4 + (c)) * SNI_LANES)
#define BIND(r, c)  v8_set1(bind->m[r][c])
        SNI_MULTIPLY8(product, WORLD, BIND)
#undef WORLD
#undef BIND
        scatter_matrix8(group->palettes, (size_t)joint * sizeof *bind, &product);
    }
}

static void crowd_solve(const sn_motion *motion, const sni_crowd_group *group, bool keeps_all, float *worlds)
{
    const sn_mat34 *root_of[SNI_LANES];
    for (int i = 0; i < SNI_LANES; i++) root_of[i] = &group->poses[i]->root;
    matrix8 root = gather_matrix8(root_of);
    float roots[SNI_MATRIX8_FLOATS], leaf[SNI_MATRIX8_FLOATS];
    store_matrix8(roots, &root);
    for (uint32_t block = 0; block < motion->block_count; block++) {
        v8 locals[SNI_LANES][10];
        uint32_t first = block * SNI_LANES, node_count = motion->model->node_count;
        for (int row = 0; row < 10; row++) {
            v8 lanes[SNI_LANES];
            for (int i = 0; i < SNI_LANES; i++)
                lanes[i] = v8_load(group->poses[i]->locals[block].rows + row * SNI_LANES);
            v8_transpose(lanes);
            for (int i = 0; i < SNI_LANES; i++) locals[i][row] = lanes[i];
        }
        for (uint32_t node = first; node < node_count && node < first + SNI_LANES; node++) {
            const v8 *trs = locals[node - first];
            int32_t parent = motion->parents[node];
            matrix8 local, world;
            if (motion->exact_lanes[block] >> (node - first) & 1) {
                world = crowd_solve_exact(motion, group, node, keeps_all, worlds);
            } else {
                const float *above = parent < 0 ? roots : crowd_slot(motion, parent, keeps_all, worlds);
                trs_matrix(trs, trs + 3, trs + 7, motion->parent_axes[block], local.m);
#define ABOVE(r, c) v8_load(above + ((r)*4 + (c)) * SNI_LANES)
#define LOCAL(r, c) local.m[r][c]
                SNI_MULTIPLY8(world, ABOVE, LOCAL)
#undef ABOVE
#undef LOCAL
            }
            float *kept = crowd_slot(motion, (int32_t)node, keeps_all, worlds);
            if (!kept) kept = leaf;
            store_matrix8(kept, &world);
            crowd_joints(motion, group, node, kept);
        }
    }
}

static void crowd_world(const float *worlds, int32_t node, sn_mat34 *const to[SNI_LANES])
{
    matrix8 world = load_matrix8(worlds + (size_t)node * SNI_MATRIX8_FLOATS);
    scatter_matrix8(to, 0, &world);
}
