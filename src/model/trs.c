#include "model/trs.h"

#include <math.h>

sn_mat34 sni_mat34_from_columns(const float columns[16])
{
    sn_mat34 matrix;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++) matrix.m[r][c] = columns[c * 4 + r];
    }
    return matrix;
}

// From the columns of a rotation, by its largest diagonal: exact where the others would cancel.
static sn_quat quat_from_axes(double a[3][3])
{
    double q[4];       // x, y, z, w
    double trace = a[0][0] + a[1][1] + a[2][2];
    if (trace > 0.0) {
        double s = sqrt(trace + 1.0) * 2.0;
        q[0] = (a[2][1] - a[1][2]) / s;
        q[1] = (a[0][2] - a[2][0]) / s;
        q[2] = (a[1][0] - a[0][1]) / s;
        q[3] = s / 4.0;
    } else {
        int i = a[1][1] > a[0][0] ? 1 : 0;
        if (a[2][2] > a[i][i]) i = 2;
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double s = sqrt(fmax(1.0 + a[i][i] - a[j][j] - a[k][k], 1e-30)) * 2.0;
        q[i] = s / 4.0;
        q[j] = (a[j][i] + a[i][j]) / s;
        q[k] = (a[k][i] + a[i][k]) / s;
        q[3] = (a[k][j] - a[j][k]) / s;
    }
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 1e-12)) return (sn_quat){ 0, 0, 0, 1 };
    return (sn_quat){ (float)(q[0] / length), (float)(q[1] / length), (float)(q[2] / length), (float)(q[3] / length) };
}

static double determinant(const sn_mat34 *m)
{
    return (double)m->m[0][0] * ((double)m->m[1][1] * m->m[2][2] - (double)m->m[1][2] * m->m[2][1]) -
           (double)m->m[0][1] * ((double)m->m[1][0] * m->m[2][2] - (double)m->m[1][2] * m->m[2][0]) +
           (double)m->m[0][2] * ((double)m->m[1][0] * m->m[2][1] - (double)m->m[1][1] * m->m[2][0]);
}

// How far rotation * scale is from the matrix, in units of its largest entry.
static bool says_all(const sn_mat34 *matrix, const sn_trs *trs)
{
    sn_quat q = trs->rotation;
    double x = q.x, y = q.y, z = q.z, w = q.w, largest = 0.0, worst = 0.0;
    double scale[3] = { trs->scale.x, trs->scale.y, trs->scale.z };
    double rotation[3][3] = {
        { 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w) },
        { 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w) },
        { 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y) },
    };
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            largest = fmax(largest, fabs((double)matrix->m[r][c]));
            worst = fmax(worst, fabs(matrix->m[r][c] - rotation[r][c] * scale[c]));
        }
    }
    return worst <= 1e-5 * largest;
}

bool sni_trs_from_mat34(const sn_mat34 *matrix, sn_trs *trs)
{
    double axes[3][3], scale[3];
    double sign = determinant(matrix) < 0.0 ? -1.0 : 1.0;
    bool is_flat = false;
    for (int c = 0; c < 3; c++) {
        double x = matrix->m[0][c], y = matrix->m[1][c], z = matrix->m[2][c];
        scale[c] = sqrt(x * x + y * y + z * z) * (c == 0 ? sign : 1.0);
        is_flat = is_flat || fabs(scale[c]) < 1e-30;
        for (int r = 0; r < 3; r++) axes[r][c] = fabs(scale[c]) < 1e-30 ? (double)(r == c) : matrix->m[r][c] / scale[c];
    }
    trs->translation = (sn_vec3){ matrix->m[0][3], matrix->m[1][3], matrix->m[2][3] };
    trs->scale = (sn_vec3){ (float)scale[0], (float)scale[1], (float)scale[2] };
    trs->rotation = quat_from_axes(axes);
    return !is_flat && says_all(matrix, trs);
}
