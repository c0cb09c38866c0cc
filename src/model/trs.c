#include "model/trs.h"

#include "base/math.h"

sn_mat34 sni_mat34_from_columns(const float columns[16])
{
    sn_mat34 matrix;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 4; c++) matrix.m[r][c] = columns[c * 4 + r];
    }
    return matrix;
}

bool sni_trs_from_mat34(const sn_mat34 *matrix, sn_trs *trs)
{
    float largest = 0.0f, worst = 0.0f;
    *trs = sni_mat34_decompose(matrix);
    sn_mat34 said = sni_trs_matrix(trs, false);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            largest = fmaxf(largest, fabsf(matrix->m[r][c]));
            worst = fmaxf(worst, fabsf(matrix->m[r][c] - said.m[r][c]));
        }
    }
    bool is_flat = trs->scale.x == 0.0f || trs->scale.y == 0.0f || trs->scale.z == 0.0f;
    return !is_flat && worst <= 1e-5f * largest;
}
