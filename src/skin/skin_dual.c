// Matrices as a rotation and translation, which dual quaternions blend, and a stretch, which is blended linearly.
#include "skin/skinner.h"

#include <string.h>

// The rotation of the polar decomposition by Newton's iteration: the mean of the matrix and its inverse transpose, both
// brought to a like size first, converges to it quadratically. A mirrored matrix is turned inside out, not one axis.
static sn_quat nearest_rotation(const sn_mat34 *matrix)
{
    double determinant = sni_mat34_determinant(matrix), size = cbrt(fabs(determinant));
    sn_mat34 m = *matrix;
    if (!(size > 0.0) || !isfinite(size)) return sni_mat34_decompose(matrix).rotation;
    for (int i = 0; i < 9; i++) m.m[i / 3][i % 3] = (float)(m.m[i / 3][i % 3] / (determinant < 0.0 ? -size : size));
    for (int round = 0; round < 16; round++) {
        double cofactors[3][3], volume = sni_mat34_cofactors(&m, cofactors), change = 0.0;
        if (!(volume > 1e-12)) return sni_mat34_decompose(matrix).rotation;
        for (int i = 0; i < 9; i++) {
            double old = m.m[i / 3][i % 3], mean = 0.5 * (old + cofactors[i / 3][i % 3] / volume);
            m.m[i / 3][i % 3] = (float)mean;
            change = fmax(change, fabs(mean - old));
        }
        if (change < 1e-6) break;
    }
    return sni_mat34_rotation(&m);
}

static bool make_dual(const sn_mat34 *matrix, sni_skin_dual *out)
{
    sn_quat q = nearest_rotation(matrix),
            t = { matrix->m[0][3] * 0.5f, matrix->m[1][3] * 0.5f, matrix->m[2][3] * 0.5f, 0 };
    sn_quat dual = sni_quat_mul(t, q);
    sn_mat34 rotation = sni_quat_matrix(q);
    bool is_rigid = true;
    memcpy(out->motion, &q, sizeof q);
    memcpy(out->motion + 4, &dual, sizeof dual);
    for (int r = 0; r < 3; r++) {
        out->stretch[r * 4 + 3] = 0.0f;
        for (int c = 0; c < 3; c++) {
            out->stretch[r * 4 + c] = sni_dot(sni_mat34_column(&rotation, r), sni_mat34_column(matrix, c));
            is_rigid &= fabsf(out->stretch[r * 4 + c] - (r == c ? 1.0f : 0.0f)) < 1e-6f;
        }
    }
    return is_rigid;
}

bool sni_skin_duals_make(const sn_mat34 *palette, uint32_t count, sni_skin_dual *out)
{
    bool are_rigid = true;
    for (uint32_t i = 0; i < count; i++) are_rigid &= make_dual(&palette[i], &out[i]);
    return are_rigid;
}

sn_mat34 sni_skin_dual_blend(const sn_mat34 *palette, const uint16_t *joints, const float *weights, uint32_t count)
{
    double motion[8] = { 0 }, length = 0.0;
    sn_mat34 stretch = { 0 }, out;
    sn_quat first;
    for (uint32_t i = 0; i < count; i++) {
        sni_skin_dual dual;
        sn_quat q;
        make_dual(&palette[joints[i]], &dual);
        memcpy(&q, dual.motion, sizeof q);
        if (i == 0) first = q;
        double weight = sni_quat_dot(first, q) < 0.0 ? -(double)weights[i] : weights[i];
        for (int k = 0; k < 8; k++) motion[k] += weight * dual.motion[k];
        for (int k = 0; k < 12; k++) stretch.m[k / 4][k % 4] += weights[i] * dual.stretch[k];
    }
    for (int k = 0; k < 4; k++) length += motion[k] * motion[k];
    length = sqrt(length);
    for (int k = 0; k < 8; k++) motion[k] /= length;
    sn_quat real = { (float)motion[0], (float)motion[1], (float)motion[2], (float)motion[3] };
    sn_quat dual = { (float)motion[4], (float)motion[5], (float)motion[6], (float)motion[7] };
    sn_quat moved = sni_quat_mul(dual, sni_quat_conjugate(real));
    sn_mat34 rotation = sni_quat_matrix(real);
    out = sni_mat34_mul(&rotation, &stretch);
    sni_mat34_set_column(&out, 3, sni_scale(sni_vec3(moved.x, moved.y, moved.z), 2.0f));
    return out;
}
