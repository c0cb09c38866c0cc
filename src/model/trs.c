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

static bool is_near(const sn_mat34 *rebuilt, const sn_mat34 *matrix)
{
    float largest = 0.0f, worst = 0.0f;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            largest = fmaxf(largest, fabsf(matrix->m[r][c]));
            worst = fmaxf(worst, fabsf(matrix->m[r][c] - rebuilt->m[r][c]));
        }
    }
    return worst <= 1e-5f * largest;
}

// A column of large numbers may be longer than any of them.
static float no_infinity(float v) { return isinf(v) ? copysignf(FLT_MAX, v) : v; }

bool sni_trs_from_mat34(const sn_mat34 *matrix, sn_trs *trs)
{
    *trs = sni_mat34_decompose(matrix);
    trs->scale = sni_vec3(no_infinity(trs->scale.x), no_infinity(trs->scale.y), no_infinity(trs->scale.z));
    sn_mat34 rebuilt = sni_trs_matrix(trs, false);
    bool is_flat = trs->scale.x == 0.0f || trs->scale.y == 0.0f || trs->scale.z == 0.0f;
    return !is_flat && is_near(&rebuilt, matrix);
}

bool sni_trs_says_mat34(const sn_trs *trs, const sn_mat34 *matrix)
{
    sn_mat34 rebuilt = sni_trs_matrix(trs, false);
    sn_vec3 t = trs->translation;
    bool is_there = t.x == matrix->m[0][3] && t.y == matrix->m[1][3] && t.z == matrix->m[2][3];
    return is_there && is_near(&rebuilt, matrix);
}

static void turn_columns(double m[3][3], int p, int q, double cosine, double sine)
{
    for (int r = 0; r < 3; r++) {
        double x = m[r][p], y = m[r][q];
        m[r][p] = cosine * x - sine * y;
        m[r][q] = sine * x + cosine * y;
    }
}

// Turns columns p and q within their plane so that they are orthogonal, and those of `turned` with them. False: they
// were.
static bool make_orthogonal(double m[3][3], double turned[3][3], int p, int q)
{
    double pp = 0.0, qq = 0.0, pq = 0.0;
    for (int r = 0; r < 3; r++) {
        pp += m[r][p] * m[r][p];
        qq += m[r][q] * m[r][q];
        pq += m[r][p] * m[r][q];
    }
    if (fabs(pq) <= 1e-15 * sqrt(pp * qq)) return false;
    double ratio = (qq - pp) / (2.0 * pq);
    double tangent = (ratio < 0.0 ? -1.0 : 1.0) / (fabs(ratio) + sqrt(1.0 + ratio * ratio));
    double cosine = 1.0 / sqrt(1.0 + tangent * tangent);
    turn_columns(m, p, q, cosine, cosine * tangent);
    turn_columns(turned, p, q, cosine, cosine * tangent);
    return true;
}

static double column_length(double m[3][3], int c)
{
    return sqrt(m[0][c] * m[0][c] + m[1][c] * m[1][c] + m[2][c] * m[2][c]);
}

// Of a flat matrix some columns are rounding alone, with no direction that means anything. Returns the longest column.
static int drop_noise(double m[3][3])
{
    double lengths[3] = { column_length(m, 0), column_length(m, 1), column_length(m, 2) };
    double longest = fmax(lengths[0], fmax(lengths[1], lengths[2]));
    for (int c = 0; c < 3; c++) {
        if (lengths[c] <= 1e-14 * longest) m[0][c] = m[1][c] = m[2][c] = 0.0;
    }
    return lengths[0] == longest ? 0 : lengths[1] == longest ? 1 : 2;
}

static bool is_finite(const sn_trs *trs)
{
    return isfinite(trs->scale.x) && isfinite(trs->scale.y) && isfinite(trs->scale.z);
}

// One-sided Jacobi: M * V has orthogonal columns, which rotation and scale can say; the inner rotation is V's inverse.
bool sni_mat34_split(const sn_mat34 *matrix, sn_trs *split_parent, sn_quat *inner)
{
    double m[3][3], v[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    sn_mat34 parted = *matrix, turn = { 0 };
    bool has_changed = true;
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) m[r][c] = matrix->m[r][c];
    }
    for (int tries = 0; tries < 32 && has_changed; tries++) {
        has_changed = make_orthogonal(m, v, 0, 1);
        has_changed = make_orthogonal(m, v, 0, 2) || has_changed;
        has_changed = make_orthogonal(m, v, 1, 2) || has_changed;
    }
    int first = drop_noise(m);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {  // the longest first, by which the others are set right
            parted.m[r][c] = (float)m[r][(c + first) % 3];
            turn.m[r][c] = (float)v[r][(c + first) % 3];
        }
    }
    *split_parent = sni_mat34_decompose(&parted);
    *inner = sni_quat_conjugate(sni_mat34_rotation(&turn));
    sn_mat34 left = sni_trs_matrix(split_parent, false), right = sni_quat_matrix(*inner),
             rebuilt = sni_mat34_mul(&left, &right);
    return is_finite(split_parent) && is_near(&rebuilt, matrix);
}
