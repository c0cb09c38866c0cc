// Solving: local transforms to world matrices and palettes. Included by motion_kernels_body.h.

typedef struct matrix {
    v8 rows01;
    v4 row2;
} matrix;

SNI_INLINE matrix load_matrix(const sn_mat34 *from)
{
    matrix m = { v8_load(from->m[0]), v4_load(from->m[2]) };
    return m;
}

SNI_INLINE void store_matrix(sn_mat34 *to, matrix m)
{
    v8_store(&to->m[0][0], m.rows01);
    v4_store(to->m[2], m.row2);
}

// `b` has three rows of four floats, `stride` floats apart.
SNI_INLINE matrix multiply(matrix a, const float *b, int stride)
{
    const float last[8] = { 0, 0, 0, 1, 0, 0, 0, 1 };
    v8 b0 = v8_load_twice(b), b1 = v8_load_twice(b + stride), b2 = v8_load_twice(b + 2 * stride), moved = v8_load(last);
    v8 left = v8_fma(v8_y(a.rows01), b1, v8_mul(v8_x(a.rows01), b0));
    v8 right = v8_fma(v8_z(a.rows01), b2, v8_mul(a.rows01, moved));
    v4 low = v4_fma(v4_y(a.row2), v8_low(b1), v4_mul(v4_x(a.row2), v8_low(b0)));
    v4 high = v4_fma(v4_z(a.row2), v8_low(b2), v4_mul(a.row2, v8_low(moved)));
    matrix out = { v8_add(left, right), v4_add(low, high) };
    return out;
}

// Rotation matrices of eight nodes or instances.
SNI_INLINE void rotation_matrix(const v8 q[4], v8 m[3][4])
{
    v8 x = q[0], y = q[1], z = q[2], w = q[3];
    v8 x2 = v8_add(x, x), y2 = v8_add(y, y), z2 = v8_add(z, z), one = v8_set1(1.0f);
    v8 xx = v8_mul(x, x2), yy = v8_mul(y, y2), wx = v8_mul(w, x2), wy = v8_mul(w, y2), wz = v8_mul(w, z2);
    m[0][0] = v8_fnma(z, z2, v8_sub(one, yy));
    m[0][1] = v8_sub(v8_mul(x, y2), wz);
    m[0][2] = v8_fma(x, z2, wy);
    m[1][0] = v8_fma(x, y2, wz);
    m[1][1] = v8_fnma(z, z2, v8_sub(one, xx));
    m[1][2] = v8_sub(v8_mul(y, z2), wx);
    m[2][0] = v8_sub(v8_mul(x, z2), wy);
    m[2][1] = v8_fma(y, z2, wx);
    m[2][2] = v8_sub(v8_sub(one, xx), yy);
}

// Local matrices of the same.
SNI_INLINE void trs_matrix(const v8 t[3], const v8 q[4], const v8 s[3], bool parent_axes, v8 m[3][4])
{
    rotation_matrix(q, m);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) m[r][c] = v8_mul(m[r][c], s[parent_axes ? r : c]);
        m[r][3] = t[r];
    }
}

// The local matrices of a block as they come out of the transposition: row r of node i begins at local_row(i) + r *
// LOCAL_STRIDE.
enum { LOCAL_STRIDE = 4 * SNI_LANES };

SNI_INLINE int local_row(int node) { return node % 4 * SNI_LANES + node / 4 * 4; }

// Scale and translation are read where they are used: there are not registers for all.
SNI_INLINE void local_matrices(const sni_trs8 *restrict b, bool parent_axes, float *restrict out)
{
    v8 q[4], m[3][4];
    load4(q, b->rows + 3 * SNI_LANES);
    rotation_matrix(q, m);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) m[r][c] = v8_mul(m[r][c], v8_load(b->s[parent_axes ? r : c]));
        m[r][3] = v8_load(b->t[r]);
        v8_transpose4(m[r]);
        for (int i = 0; i < 4; i++) v8_store(out + r * LOCAL_STRIDE + i * SNI_LANES, m[r][i]);
    }
}

static SNI_NOINLINE void local_matrices_plain(const sni_trs8 *restrict b, float *restrict out)
{
    local_matrices(b, false, out);
}

static SNI_NOINLINE void local_matrices_parent_axes(const sni_trs8 *restrict b, float *restrict out)
{
    local_matrices(b, true, out);
}

// The palettes of a node's joints, while its matrix is at hand.
SNI_INLINE void solve_joints(const sn_motion *motion, sn_pose *pose, int32_t node, matrix world)
{
    for (int32_t joint = motion->first_joints[node]; joint >= 0; joint = motion->next_joints[joint])
        store_matrix(&pose->palettes[joint], multiply(world, motion->joint_binds[joint]->m[0], 4));
}

SNI_INLINE void solve_nodes(const sn_motion *motion, sn_pose *pose, const sn_view *view, bool has_joints)
{
    sni_accumulated root_sum = { { 0, 0, 0, 1 }, { 1, 1, 1 } };
    if (motion->has_exact) root_sum = sni_accumulated_of(&pose->root);
    matrix root = load_matrix(&pose->root), world = root;
    const int32_t *parents = motion->parents;
    sn_mat34 *worlds = pose->worlds;
    int32_t solved = -1, node_count = (int32_t)motion->model->node_count;  // solved: the node that `world` belongs to
    for (int32_t first = 0; first < node_count; first += SNI_LANES) {
        float locals[3 * LOCAL_STRIDE];
        int32_t end = node_count - first < SNI_LANES ? node_count : first + SNI_LANES, block = first / SNI_LANES;
        uint32_t exact = motion->exact_lanes[block];
        if (motion->parent_axes[block]) local_matrices_parent_axes(&pose->locals[block], locals);
        else local_matrices_plain(&pose->locals[block], locals);
        for (int32_t node = first; node < end; node++, exact >>= 1) {
            int32_t parent = parents[node];
            if (exact & 1) {
                sni_pose_solve_node(pose, (uint32_t)node, &root_sum, view);
                if (has_joints) solve_joints(motion, pose, node, load_matrix(&worlds[node]));
                continue;
            }
            if (parent != solved) world = parent < 0 ? root : load_matrix(&worlds[parent]);
            world = multiply(world, locals + local_row(node - first), LOCAL_STRIDE);
            store_matrix(&worlds[node], world);
            if (has_joints) solve_joints(motion, pose, node, world);
            solved = node;
        }
    }
}

static void solve(const sn_motion *motion, sn_pose *pose, const sn_view *view)
{
    if (motion->model->skin_count > 0) solve_nodes(motion, pose, view, true);
    else solve_nodes(motion, pose, view, false);
}
