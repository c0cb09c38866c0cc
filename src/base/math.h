// Vectors, rotations and 3x4 matrices. Lengths, angles and determinants are computed in double: the square or
// cube of any float fits, so nothing overflows or underflows.
#ifndef SNI_MATH_H
#define SNI_MATH_H

#include "sinew/sinew.h"

#include <float.h>
#include <math.h>

// 16: only numbers of 16 bits are evaluated as something else.
#if (FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 16) || defined __FAST_MATH__
#    error "floats are not evaluated as floats: use -msse2 -mfpmath=sse or -fexcess-precision=fast, not -ffast-math"
#endif

// The larger one. In loops instead of fmax: with that, gcc 12 for arm64 crashes at -O3.
static inline double sni_max(double a, double b) { return a > b ? a : b; }

// fminf and fmaxf are calls. These ignore a new value that is not a number, as those do.
static inline float sni_least(float least, float value) { return value < least ? value : least; }
static inline float sni_most(float most, float value) { return value > most ? value : most; }

// Between 0 and 1; what is no number becomes 0.
static inline float sni_clamp_unit(float value)
{
    return value >= 0.0f && value <= 1.0f ? value : value > 1.0f ? 1.0f : 0.0f;
}

static inline sn_vec3 sni_vec3(float x, float y, float z)
{
    sn_vec3 v = { x, y, z };
    return v;
}

static inline sn_quat sni_quat(float x, float y, float z, float w)
{
    sn_quat q = { x, y, z, w };
    return q;
}

static inline sn_vec3 sni_add(sn_vec3 a, sn_vec3 b) { return sni_vec3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline sn_vec3 sni_sub(sn_vec3 a, sn_vec3 b) { return sni_vec3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline sn_vec3 sni_scale(sn_vec3 a, float s) { return sni_vec3(a.x * s, a.y * s, a.z * s); }
static inline float sni_dot(sn_vec3 a, sn_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline sn_vec3 sni_cross(sn_vec3 a, sn_vec3 b)
{
    return sni_vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

// Exactly a at 0 and b at 1, and no overflow between: not a + (b - a) * u.
static inline float sni_lerp(float a, float b, float u) { return a * (1.0f - u) + b * u; }

static inline sn_vec3 sni_vec3_lerp(sn_vec3 a, sn_vec3 b, float u)
{
    return sni_vec3(sni_lerp(a.x, b.x, u), sni_lerp(a.y, b.y, u), sni_lerp(a.z, b.z, u));
}

static inline bool sni_vec3_is_finite(sn_vec3 v) { return isfinite(v.x) && isfinite(v.y) && isfinite(v.z); }

// Corner 0 to 7 of a box: bit 0 is the side in x, bit 1 in y, bit 2 in z.
static inline sn_vec3 sni_box_corner(sn_vec3 min, sn_vec3 max, int corner)
{
    return sni_vec3(corner & 1 ? max.x : min.x, corner & 2 ? max.y : min.y, corner & 4 ? max.z : min.z);
}

static inline double sni_length(sn_vec3 v) { return sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z); }

// Unit length, or the fallback where there is no direction.
static inline sn_vec3 sni_unit(sn_vec3 v, sn_vec3 fallback)
{
    double length = sni_length(v);
    if (!(length > 0.0) || !isfinite(length)) return fallback;
    return sni_vec3((float)(v.x / length), (float)(v.y / length), (float)(v.z / length));
}

static inline double sni_quat_dot(sn_quat a, sn_quat b)
{
    return (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z + (double)a.w * b.w;
}

// Unit length; identity where there is no direction.
static inline sn_quat sni_quat_unit(sn_quat q)
{
    double length = sqrt(sni_quat_dot(q, q));
    if (!(length > 0.0) || !isfinite(length)) return sni_quat(0, 0, 0, 1);
    return sni_quat((float)(q.x / length), (float)(q.y / length), (float)(q.z / length), (float)(q.w / length));
}

// The same, but a rotation that already has unit length keeps its bits.
static inline sn_quat sni_quat_unit_or_identity(sn_quat q)
{
    return fabs(sni_quat_dot(q, q) - 1.0) <= 1e-5 ? q : sni_quat_unit(q);
}

static inline sn_quat sni_quat_conjugate(sn_quat q) { return sni_quat(-q.x, -q.y, -q.z, q.w); }

static inline sn_quat sni_quat_mul(sn_quat a, sn_quat b)
{
    return sni_quat(a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                    a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z);
}

static inline sn_quat sni_quat_axis(sn_vec3 axis, float angle)
{
    float s = sinf(angle * 0.5f);
    return sni_quat(axis.x * s, axis.y * s, axis.z * s, cosf(angle * 0.5f));
}

static inline sn_vec3 sni_quat_rotate(sn_quat q, sn_vec3 v)
{
    sn_vec3 axis = sni_vec3(q.x, q.y, q.z);
    sn_vec3 t = sni_scale(sni_cross(axis, v), 2.0f);
    return sni_add(sni_add(v, sni_scale(t, q.w)), sni_cross(axis, t));
}

// Along the shorter arc, as long as its ends make it. u may lie outside 0..1. Nearly parallel ends are mixed linearly,
// with the threshold that the engines written against Warcraft III share.
static inline sn_quat sni_quat_arc(sn_quat a, sn_quat b, float u)
{
    double dot = sni_quat_dot(a, b), wa = 1.0 - u, wb = u;
    double sign = dot < 0.0 ? -1.0 : 1.0;
    if (1.0 - dot * sign > 1e-6) {
        double angle = acos(dot * sign), sine = sin(angle);
        wa = sin(wa * angle) / sine;
        wb = sin(wb * angle) / sine;
    }
    wb *= sign;
    return sni_quat((float)(a.x * wa + b.x * wb), (float)(a.y * wa + b.y * wb), (float)(a.z * wa + b.z * wb),
                    (float)(a.w * wa + b.w * wb));
}

static inline sn_quat sni_quat_slerp(sn_quat a, sn_quat b, float u) { return sni_quat_unit(sni_quat_arc(a, b, u)); }

static inline sn_mat34 sni_mat34_mul(const sn_mat34 *a, const sn_mat34 *b)
{
    sn_mat34 out;
    for (int r = 0; r < 3; r++) {
        const float *row = a->m[r];
        for (int c = 0; c < 4; c++) out.m[r][c] = row[0] * b->m[0][c] + row[1] * b->m[1][c] + row[2] * b->m[2][c];
        out.m[r][3] += row[3];
    }
    return out;
}

static inline sn_vec3 sni_mat34_vector(const sn_mat34 *a, sn_vec3 v)
{
    return sni_vec3(a->m[0][0] * v.x + a->m[0][1] * v.y + a->m[0][2] * v.z,
                    a->m[1][0] * v.x + a->m[1][1] * v.y + a->m[1][2] * v.z,
                    a->m[2][0] * v.x + a->m[2][1] * v.y + a->m[2][2] * v.z);
}

static inline sn_vec3 sni_mat34_column(const sn_mat34 *a, int column)
{
    return sni_vec3(a->m[0][column], a->m[1][column], a->m[2][column]);
}

static inline void sni_mat34_set_column(sn_mat34 *a, int column, sn_vec3 v)
{
    a->m[0][column] = v.x;
    a->m[1][column] = v.y;
    a->m[2][column] = v.z;
}

static inline sn_vec3 sni_mat34_point(const sn_mat34 *a, sn_vec3 p)
{
    return sni_add(sni_mat34_vector(a, p), sni_mat34_column(a, 3));
}

// The cofactors of the 3x3 part, which are determinant * inverse transpose; returns the determinant.
static inline double sni_mat34_cofactors(const sn_mat34 *a, double out[3][3])
{
    for (int r = 0; r < 3; r++) {
        const float *next = a->m[(r + 1) % 3], *last = a->m[(r + 2) % 3];
        for (int c = 0; c < 3; c++) {
            int i = (c + 1) % 3, j = (c + 2) % 3;
            out[r][c] = (double)next[i] * last[j] - (double)next[j] * last[i];
        }
    }
    return a->m[0][0] * out[0][0] + a->m[0][1] * out[0][1] + a->m[0][2] * out[0][2];
}

static inline double sni_mat34_determinant(const sn_mat34 *a)
{
    double cofactors[3][3];
    return sni_mat34_cofactors(a, cofactors);
}

// False, and `out` untouched, where there is no finite inverse.
static inline bool sni_mat34_invert(const sn_mat34 *a, sn_mat34 *out)
{
    double cofactors[3][3], determinant = sni_mat34_cofactors(a, cofactors);
    if (determinant == 0.0) return false;
    sn_mat34 inverse;
    for (int r = 0; r < 3; r++) {
        double moved = 0.0;
        for (int c = 0; c < 3; c++) {
            double element = cofactors[c][r] / determinant;
            moved -= element * a->m[c][3];
            inverse.m[r][c] = (float)element;
            if (!isfinite(inverse.m[r][c])) return false;
        }
        inverse.m[r][3] = (float)moved;
        if (!isfinite(inverse.m[r][3])) return false;
    }
    *out = inverse;
    return true;
}

static inline sn_mat34 sni_quat_matrix(sn_quat q)
{
    float xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    float xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    float wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    sn_mat34 out = { { { 1.0f - 2.0f * (yy + zz), 2.0f * (xy - wz), 2.0f * (xz + wy), 0.0f },
                       { 2.0f * (xy + wz), 1.0f - 2.0f * (xx + zz), 2.0f * (yz - wx), 0.0f },
                       { 2.0f * (xz - wy), 2.0f * (yz + wx), 1.0f - 2.0f * (xx + yy), 0.0f } } };
    return out;
}

// translation * rotation * scale or, with scale along the parent's axes, translation * scale * rotation.
static inline sn_mat34 sni_trs_matrix(const sn_trs *trs, bool scale_parent_axes)
{
    const float s[3] = { trs->scale.x, trs->scale.y, trs->scale.z };
    sn_mat34 out = sni_quat_matrix(trs->rotation);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) out.m[r][c] *= s[scale_parent_axes ? r : c];
    sni_mat34_set_column(&out, 3, trs->translation);
    return out;
}

// Of a matrix whose columns are orthogonal and of unit length, without mirroring.
static inline sn_quat sni_mat34_rotation(const sn_mat34 *a)
{
    float xx = a->m[0][0], yy = a->m[1][1], zz = a->m[2][2];
    float zy = a->m[2][1] - a->m[1][2], xz = a->m[0][2] - a->m[2][0], yx = a->m[1][0] - a->m[0][1];
    float xy = a->m[0][1] + a->m[1][0], yz = a->m[1][2] + a->m[2][1], zx = a->m[2][0] + a->m[0][2];
    sn_quat q;  // each case is 4 * (largest component) * q: no division by something small
    if (xx + yy + zz > 0.0f) q = sni_quat(zy, xz, yx, 1.0f + xx + yy + zz);
    else if (xx >= yy && xx >= zz) q = sni_quat(1.0f + xx - yy - zz, xy, zx, zy);
    else if (yy >= zz) q = sni_quat(xy, 1.0f - xx + yy - zz, yz, xz);
    else q = sni_quat(zx, yz, 1.0f - xx - yy + zz, yx);
    return sni_quat_unit(q);
}

// The component of v perpendicular to the unit axis, normalised; the fallback where it vanishes.
static inline sn_vec3 sni_across(sn_vec3 axis, sn_vec3 v, sn_vec3 fallback)
{
    return sni_unit(sni_sub(v, sni_scale(axis, sni_dot(axis, v))), fallback);
}

// The nearest translation, rotation and scale; the direction of the first axis is exact. Mirroring goes into scale.x.
// Zero columns give an arbitrary valid rotation, a zero matrix gives none.
static inline sn_trs sni_mat34_decompose(const sn_mat34 *a)
{
    const sn_vec3 none = { 0, 0, 0 }, right = { 1, 0, 0 }, up = { 0, 1, 0 }, back = { 0, 0, 1 };
    sn_vec3 x = sni_mat34_column(a, 0), y = sni_mat34_column(a, 1), z = sni_mat34_column(a, 2);
    float mirror = sni_mat34_determinant(a) < 0.0 ? -1.0f : 1.0f;
    sn_trs trs = { .translation = sni_mat34_column(a, 3) };
    trs.scale = sni_vec3(mirror * (float)sni_length(x), (float)sni_length(y), (float)sni_length(z));
    y = sni_unit(y, none), z = sni_unit(z, none);
    x = sni_scale(sni_unit(x, sni_unit(sni_cross(y, z), right)), mirror);
    y = sni_across(x, y, sni_unit(sni_cross(z, x), sni_across(x, up, back)));
    sn_mat34 axes = { 0 };
    sni_mat34_set_column(&axes, 0, x);
    sni_mat34_set_column(&axes, 1, y);
    sni_mat34_set_column(&axes, 2, sni_cross(x, y));
    trs.rotation = sni_mat34_rotation(&axes);
    return trs;
}

#endif
