#include "runtime_reference.h"

#include <math.h>
#include <string.h>

static double dot(const double *a, const double *b, int width)
{
    double sum = 0.0;
    for (int i = 0; i < width; i++) sum += a[i] * b[i];
    return sum;
}

static void normalize(double *v, int width)
{
    double length = sqrt(dot(v, v, width));
    for (int i = 0; i < width; i++) v[i] /= length;
}

// Along the shorter arc. Linear where both are so near that the quotient of sines loses digits.
static void arc(const double a[4], const double b[4], double u, bool is_linear, double out[4])
{
    double cosine = dot(a, b, 4), sign = cosine < 0.0 ? -1.0 : 1.0, wa = 1.0 - u, wb = u;
    double cross = 0.0;  // sine of the angle, exact near 0
    for (int i = 0; i < 4; i++) {
        double across = b[i] * sign - a[i] * fabs(cosine);
        cross += across * across;
    }
    double angle = atan2(sqrt(cross), fabs(cosine));
    if (!is_linear && angle > 1e-6) {
        wa = sin((1.0 - u) * angle) / sin(angle);
        wb = sin(u * angle) / sin(angle);
    }
    for (int i = 0; i < 4; i++) out[i] = wa * a[i] + wb * sign * b[i];
}

typedef enum key_part { KEY_IN, KEY_VALUE, KEY_OUT } key_part;

static void read_key(const sn_track *track, uint32_t key, key_part part, double out[4])
{
    bool has_tangents = track->interpolation >= SN_HERMITE;
    const float *values = track->values + (has_tangents ? (size_t)key * 3 + part : key) * track->width;
    for (uint32_t i = 0; i < track->width; i++) out[i] = values[i];
}

static void sample_track(const sn_track *track, double seconds, bool is_nlerp, double *out)
{
    bool is_rotation = track->channel == SN_CHANNEL_ROTATION;
    uint32_t from = 0, last = track->key_count - 1;
    while (from < last && track->times[from + 1] <= seconds) from++;
    double a[4], b[4], c[4], d[4];
    read_key(track, from, KEY_VALUE, a);
    if (from == last || seconds <= track->times[from] || track->interpolation == SN_STEP) {
        memcpy(out, a, track->width * sizeof *out);
        if (is_rotation) normalize(out, 4);
        return;
    }
    double start = track->times[from], length = track->times[from + 1] - start, u = (seconds - start) / length;
    read_key(track, from + 1, KEY_VALUE, d);
    if (track->interpolation == SN_LINEAR) {
        if (is_rotation) arc(a, d, u, is_nlerp, out);
        else
            for (uint32_t i = 0; i < track->width; i++) out[i] = a[i] + (d[i] - a[i]) * u;
    } else {
        read_key(track, from, KEY_OUT, b);
        read_key(track, from + 1, KEY_IN, c);
        if (is_rotation && track->interpolation != SN_CUBIC_SPLINE) {  // squad
            double ends[4], inner[4];
            arc(a, d, u, false, ends);
            arc(b, c, u, false, inner);
            arc(ends, inner, 2.0 * u * (1.0 - u), false, out);
        } else {
            double v = 1.0 - u, per_second = track->interpolation == SN_CUBIC_SPLINE ? length : 1.0;
            for (uint32_t i = 0; i < track->width; i++) {
                if (track->interpolation == SN_BEZIER)
                    out[i] = v * v * v * a[i] + 3 * u * v * v * b[i] + 3 * u * u * v * c[i] + u * u * u * d[i];
                else
                    out[i] = (1 + 2 * u) * v * v * a[i] + u * v * v * b[i] * per_second -
                             u * u * v * c[i] * per_second + u * u * (3 - 2 * u) * d[i];
            }
        }
    }
    if (is_rotation) normalize(out, 4);
}

void ref_from_trs(const sn_trs *in, ref_trs *out)
{
    *out = (ref_trs){ { in->translation.x, in->translation.y, in->translation.z },
                      { in->rotation.x, in->rotation.y, in->rotation.z, in->rotation.w },
                      { in->scale.x, in->scale.y, in->scale.z } };
}

void ref_sample(const sn_model *model, int32_t clip, float seconds, bool is_nlerp, ref_trs *locals)
{
    for (uint32_t i = 0; i < model->node_count; i++) ref_from_trs(&model->nodes[i].rest, &locals[i]);
    for (uint32_t i = 0; i < model->clips[clip].track_count; i++) {
        const sn_track *track = &model->clips[clip].tracks[i];
        ref_trs *local = &locals[track->target];
        double *value = track->channel == SN_CHANNEL_TRANSLATION ? local->translation
                        : track->channel == SN_CHANNEL_ROTATION  ? local->rotation
                                                                 : local->scale;
        sample_track(track, seconds, is_nlerp, value);
    }
}

void ref_blend(const sn_model *model, const ref_trs *const *locals, const sn_blend_layer *layers, uint32_t count,
               ref_trs *out)
{
    for (uint32_t node = 0; node < model->node_count; node++) {
        ref_trs sum = { 0 };
        double total = 0.0;
        for (uint32_t i = 0; i < count; i++) {
            const ref_trs *local = &locals[i][node];
            double weight = (double)layers[i].weight * (layers[i].mask ? layers[i].mask[node] : 1.0f);
            double sign = dot(sum.rotation, local->rotation, 4) < 0.0 ? -1.0 : 1.0;
            for (int k = 0; k < 3; k++) sum.translation[k] += weight * local->translation[k];
            for (int k = 0; k < 4; k++) sum.rotation[k] += weight * sign * local->rotation[k];
            for (int k = 0; k < 3; k++) sum.scale[k] += weight * local->scale[k];
            total += weight;
        }
        if (total > 0.0) {
            for (int k = 0; k < 3; k++) sum.translation[k] /= total, sum.scale[k] /= total;
            normalize(sum.rotation, 4);
        } else ref_from_trs(&model->nodes[node].rest, &sum);
        out[node] = sum;
    }
}

void ref_local(const sn_pose *pose, int32_t node, ref_trs *local)
{
    sn_trs trs = sn_pose_local(pose, node);
    ref_from_trs(&trs, local);
}

static ref_mat34 local_matrix(const ref_trs *local)
{
    const double *q = local->rotation, x = q[0], y = q[1], z = q[2], w = q[3];
    ref_mat34 out = { { { 1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y) },
                        { 2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x) },
                        { 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y) } } };
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) out.m[r][c] *= local->scale[c];
        out.m[r][3] = local->translation[r];
    }
    return out;
}

ref_mat34 ref_mul(const ref_mat34 *a, const ref_mat34 *b)
{
    ref_mat34 out;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            out.m[r][c] = a->m[r][0] * b->m[0][c] + a->m[r][1] * b->m[1][c] + a->m[r][2] * b->m[2][c] +
                          (c == 3 ? a->m[r][3] : 0.0);
    return out;
}

void ref_worlds(const sn_model *model, const ref_trs *locals, ref_mat34 *worlds)
{
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        worlds[i] = local_matrix(&locals[i]);
        if (parent >= 0) worlds[i] = ref_mul(&worlds[parent], &worlds[i]);
    }
}

ref_mat34 ref_of(const sn_mat34 *matrix)
{
    ref_mat34 out;
    for (int i = 0; i < 12; i++) out.m[i / 4][i % 4] = matrix->m[i / 4][i % 4];
    return out;
}

// Cofactors: determinant * inverse transpose.
static double cofactors(const ref_mat34 *a, double out[3][3])
{
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            const double *next = a->m[(r + 1) % 3], *after = a->m[(r + 2) % 3];
            out[r][c] = next[(c + 1) % 3] * after[(c + 2) % 3] - next[(c + 2) % 3] * after[(c + 1) % 3];
        }
    }
    return dot(a->m[0], out[0], 3);
}

ref_mat34 ref_inverse(const ref_mat34 *a)
{
    ref_mat34 out = { 0 };
    double inverse[3][3], determinant = cofactors(a, inverse);
    for (int r = 0; r < 3; r++) {
        for (int c = 0; c < 3; c++) {
            out.m[r][c] = inverse[c][r] / determinant;
            out.m[r][3] -= out.m[r][c] * a->m[c][3];
        }
    }
    return out;
}

static void transform(double m[3][3], float x, float y, float z, double out[3])
{
    for (int r = 0; r < 3; r++) out[r] = m[r][0] * x + m[r][1] * y + m[r][2] * z;
}

ref_vertex ref_skin(const sn_mesh *mesh, const sn_mat34 *palette, uint32_t vertex)
{
    ref_mat34 matrix = { 0 };
    for (uint32_t i = 0; i < mesh->influence_count; i++) {
        size_t at = (size_t)vertex * mesh->influence_count + i;
        ref_mat34 joint = ref_of(&palette[mesh->vertex_joints[at]]);
        for (int k = 0; k < 12; k++) matrix.m[k / 4][k % 4] += mesh->vertex_weights[at] * joint.m[k / 4][k % 4];
    }
    double linear[3][3], normals[3][3];
    for (int i = 0; i < 9; i++) linear[i / 3][i % 3] = matrix.m[i / 3][i % 3];
    cofactors(&matrix, normals);
    ref_vertex out;
    sn_vec3 p = mesh->positions[vertex], n = mesh->normals[vertex];
    sn_vec4 t = mesh->tangents[vertex];
    transform(linear, p.x, p.y, p.z, out.position);
    for (int r = 0; r < 3; r++) out.position[r] += matrix.m[r][3];
    transform(normals, n.x, n.y, n.z, out.normal);
    transform(linear, t.x, t.y, t.z, out.tangent);
    normalize(out.normal, 3);
    normalize(out.tangent, 3);
    return out;
}

static void widen(double *largest, double difference)
{
    if (!(difference <= *largest)) *largest = isnan(difference) ? INFINITY : difference;
}

void ref_compare_vector(ref_error *error, const double expected[3], sn_vec3 actual)
{
    widen(&error->length, fabs(actual.x - expected[0]));
    widen(&error->length, fabs(actual.y - expected[1]));
    widen(&error->length, fabs(actual.z - expected[2]));
}

void ref_compare_local(ref_error *error, const ref_trs *expected, const sn_trs *actual)
{
    const float q[4] = { actual->rotation.x, actual->rotation.y, actual->rotation.z, actual->rotation.w };
    double same = 0.0, opposite = 0.0;
    for (int i = 0; i < 4; i++) {
        widen(&same, fabs(q[i] - expected->rotation[i]));
        widen(&opposite, fabs(q[i] + expected->rotation[i]));
    }
    widen(&error->rotation, same < opposite ? same : opposite);
    ref_compare_vector(error, expected->translation, actual->translation);
    ref_compare_vector(error, expected->scale, actual->scale);
}

void ref_compare_matrix(ref_error *error, const ref_mat34 *expected, const sn_mat34 *actual)
{
    for (int i = 0; i < 12; i++) widen(&error->length, fabs(actual->m[i / 4][i % 4] - expected->m[i / 4][i % 4]));
}
