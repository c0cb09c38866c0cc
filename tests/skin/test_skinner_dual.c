// Dual-quaternion skinning, judged by an evaluator in double precision and by what must stay the same.
#include "skin_fixture.h"

typedef struct dual_quat {
    double r[4], d[4];  // x, y, z, w
} dual_quat;

// The eigenvectors of a symmetric matrix, in the columns of v, by Jacobi's rotations; a becomes diagonal.
static void find_eigenvectors(double a[3][3], double v[3][3])
{
    for (int i = 0; i < 9; i++) v[i / 3][i % 3] = i / 3 == i % 3;
    for (int round = 0; round < 60; round++) {
        int p = round % 3, q = (p + 1) % 3;
        double angle = 0.5 * atan2(2 * a[p][q], a[q][q] - a[p][p]), c = cos(angle), s = sin(angle);
        for (int i = 0; i < 3; i++) {
            double x = a[i][p], y = a[i][q];
            a[i][p] = c * x - s * y, a[i][q] = s * x + c * y;
        }
        for (int i = 0; i < 3; i++) {
            double x = a[p][i], y = a[q][i], vx = v[i][p], vy = v[i][q];
            a[p][i] = c * x - s * y, a[q][i] = s * x + c * y;
            v[i][p] = c * vx - s * vy, v[i][q] = s * vx + c * vy;
        }
    }
}

static double determinant(double m[3][3])
{
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// matrix = rotation * stretch with stretch = sqrt(matrix^T matrix); both negated where the matrix mirrors.
static void split(const sn_mat34 *matrix, double rotation[3][3], double stretch[3][3])
{
    double square[3][3] = { { 0 } }, v[3][3], inverse[3][3], m[3][3];
    for (int i = 0; i < 9; i++) m[i / 3][i % 3] = matrix->m[i / 3][i % 3];
    for (int i = 0; i < 27; i++) square[i / 9][i / 3 % 3] += m[i % 3][i / 9] * m[i % 3][i / 3 % 3];
    find_eigenvectors(square, v);
    double sign = determinant(m) < 0 ? -1 : 1;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) {
            stretch[r][c] = inverse[r][c] = 0;
            for (int k = 0; k < 3; k++) {
                double length = sqrt(square[k][k]);
                stretch[r][c] += sign * v[r][k] * length * v[c][k];
                inverse[r][c] += sign * v[r][k] / length * v[c][k];
            }
        }
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            rotation[r][c] = m[r][0] * inverse[0][c] + m[r][1] * inverse[1][c] + m[r][2] * inverse[2][c];
}

static void multiply(const double a[4], const double b[4], double out[4])
{
    out[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1];
    out[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0];
    out[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3];
    out[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2];
}

// The rotation's quaternion: the eigenvector of the matrix by Bar-Itzhack, as the largest column of q q^T.
static dual_quat dual_of(double m[3][3], const double t[3])
{
    double outer[4][4] = { { 1 + m[0][0] - m[1][1] - m[2][2], m[0][1] + m[1][0], m[0][2] + m[2][0], m[2][1] - m[1][2] },
                           { m[0][1] + m[1][0], 1 - m[0][0] + m[1][1] - m[2][2], m[1][2] + m[2][1], m[0][2] - m[2][0] },
                           { m[0][2] + m[2][0], m[1][2] + m[2][1], 1 - m[0][0] - m[1][1] + m[2][2], m[1][0] - m[0][1] },
                           { m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1],
                             1 + m[0][0] + m[1][1] + m[2][2] } };
    int best = 0;
    for (int i = 1; i < 4; i++)
        if (outer[i][i] > outer[best][best]) best = i;
    dual_quat out;
    double length = 0;
    for (int i = 0; i < 4; i++) length += outer[best][i] * outer[best][i];
    for (int i = 0; i < 4; i++) out.r[i] = outer[best][i] / sqrt(length);
    const double half[4] = { t[0] / 2, t[1] / 2, t[2] / 2, 0 };
    multiply(half, out.r, out.d);
    return out;
}

typedef struct judged {
    double position[3], normal[3], tangent[3];
    double w;  // the sign of the tangent's
} judged;

static void apply(double m[3][3], const double v[3], double out[3])
{
    for (int r = 0; r < 3; r++) out[r] = m[r][0] * v[0] + m[r][1] * v[1] + m[r][2] * v[2];
}

static void make_unit(double v[3], double sign)
{
    double length = sign * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; i++) v[i] /= length;
}

// A vertex from the mathematics: sum of weighted dual quaternions, each on the side of the heaviest one; its rotation
// and translation after the weighted sum of the stretches. False where two joints are as heavy.
static bool judge(const random_mesh *m, uint32_t vertex, judged *out)
{
    const sn_mesh *mesh = m->mesh;
    const uint16_t *joints = mesh->vertex_joints + (size_t)vertex * mesh->influence_count;
    const float *weights = mesh->vertex_weights + (size_t)vertex * mesh->influence_count;
    uint32_t heaviest = 0;
    for (uint32_t i = 1; i < mesh->influence_count; i++)
        if (weights[i] > weights[heaviest]) heaviest = i;
    dual_quat sum = { { 0 }, { 0 } }, pivot = { { 0 }, { 0 } };
    double stretch[3][3] = { { 0 } };
    for (uint32_t n = 0; n < mesh->influence_count; n++) {
        uint32_t i = n == 0 ? heaviest : n == heaviest ? 0 : n;
        if (weights[i] == 0) continue;
        const sn_mat34 *matrix = &m->palette[joints[i]];
        double r[3][3], s[3][3], t[3] = { matrix->m[0][3], matrix->m[1][3], matrix->m[2][3] };
        split(matrix, r, s);
        dual_quat q = dual_of(r, t);
        if (n == 0) pivot = q;
        double dot = 0;
        for (int k = 0; k < 4; k++) dot += q.r[k] * pivot.r[k];
        if (fabs(dot) < 1e-5) return false;  // which side is a matter of rounding
        for (int k = 0; k < 4; k++) {
            sum.r[k] += (dot < 0 ? -1.0 : 1.0) * weights[i] * q.r[k];
            sum.d[k] += (dot < 0 ? -1.0 : 1.0) * weights[i] * q.d[k];
        }
        for (int k = 0; k < 9; k++) stretch[k / 3][k % 3] += weights[i] * s[k / 3][k % 3];
    }
    double length = 0, conjugate[4], moved[4], matrix[3][3];
    for (int k = 0; k < 4; k++) length += sum.r[k] * sum.r[k];
    for (int k = 0; k < 4; k++) {
        sum.r[k] /= sqrt(length), sum.d[k] /= sqrt(length);
        conjugate[k] = k < 3 ? -sum.r[k] : sum.r[k];
    }
    multiply(sum.d, conjugate, moved);
    for (int c = 0; c < 3; c++) {  // each column of the stretch, turned by q v q*
        double v[4] = { stretch[0][c], stretch[1][c], stretch[2][c], 0 }, half[4], turned[4];
        multiply(sum.r, v, half);
        multiply(half, conjugate, turned);
        for (int r = 0; r < 3; r++) matrix[r][c] = turned[r];
    }
    const sn_vec3 p = mesh->positions[vertex], n = mesh->normals[vertex];
    const sn_vec4 t = mesh->tangents[vertex];
    const double place[3] = { p.x, p.y, p.z }, normal[3] = { n.x, n.y, n.z }, tangent[3] = { t.x, t.y, t.z };
    apply(matrix, place, out->position);
    for (int i = 0; i < 3; i++) out->position[i] += 2 * moved[i];
    double cofactors[3][3], volume = determinant(matrix);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            cofactors[r][c] = matrix[(r + 1) % 3][(c + 1) % 3] * matrix[(r + 2) % 3][(c + 2) % 3] -
                              matrix[(r + 1) % 3][(c + 2) % 3] * matrix[(r + 2) % 3][(c + 1) % 3];
    apply(cofactors, normal, out->normal);
    make_unit(out->normal, volume < 0 ? -1 : 1);
    apply(matrix, tangent, out->tangent);
    make_unit(out->tangent, 1);
    out->w = volume < 0 ? -t.w : t.w;
    return true;
}

static sn_skinner *create(const random_mesh *m, sn_simd simd)
{
    sn_error error;
    sn_skinner *skinner = sn_skinner_create(&m->rig.model, 0,
                                            &(sn_skinner_opts){ .simd = simd, .dual_quaternions = true }, &error);
    if (!skinner) fail_msg("%s", error.message);
    return skinner;
}

static void compare_with_judge(const random_mesh *m, const sn_skinner *skinner)
{
    uint32_t count = m->mesh->vertex_count, judged_count = 0;
    sn_vec3 *positions = room(sizeof *positions, count), *normals = room(sizeof *normals, count);
    sn_vec4 *tangents = room(sizeof *tangents, count);
    sn_skin_output output = { positions, normals, tangents, 0, 0, 0 };
    sn_skinner_run_palette(skinner, m->palette, NULL, &output);
    double size = size_of(positions, count);
    for (uint32_t i = 0; i < count; i++) {
        judged j;
        if (!judge(m, i, &j)) continue;
        judged_count++;
        for (int k = 0; k < 3; k++) {
            assert_within((&positions[i].x)[k], j.position[k], 1e-5 * size);
            assert_within((&normals[i].x)[k], j.normal[k], 1e-5);
            assert_within((&tangents[i].x)[k], j.tangent[k], 1e-5);
        }
        assert_within(tangents[i].w, j.w, 0);
    }
    assert_true(judged_count > count / 2);
    free(positions), free(normals), free(tangents);
}

static void agrees_with_the_mathematics(void **state)
{
    (void)state;
    const mesh_plan plans[] = {
        { .vertices = 200, .influences = 2, .joints = 20 },
        { .vertices = 500, .influences = 4, .joints = 40, .is_mixed = true },
        { .vertices = 333, .influences = 7, .joints = 40, .is_scattered = true },
        { .vertices = 99, .influences = 3, .joints = 300, .is_scattered = true },  // more than the stack holds
    };
    random_numbers random = { 21 };
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        for (int mode = 0; mode < 3; mode++) {  // rigid, stretched, all mirrored
            random_mesh m;
            random_mesh_make(&random, &plans[i], &m);
            random_palette(&random, m.palette, plans[i].joints, mode > 0);
            for (uint32_t k = 0; mode == 2 && k < plans[i].joints; k++)
                for (int c = 0; c < 4; c++) m.palette[k].m[1][c] = -m.palette[k].m[1][c];
            for (sn_simd simd = SN_SIMD_AUTO; simd < SN_SIMD_COUNT; simd++) {
                if (!sn_simd_is_supported(simd)) continue;
                sn_skinner *skinner = create(&m, simd);
                compare_with_judge(&m, skinner);
                sn_skinner_free(skinner);
            }
            random_mesh_free(&m);
        }
}

// Joints that move alike are one rigid body, however the weights are shared.
static void equal_rigid_joints_move_a_rigid_body(void **state)
{
    (void)state;
    random_numbers random = { 22 };
    const mesh_plan plan = { .vertices = 100, .influences = 4, .joints = 10 };
    random_mesh m;
    random_mesh_make(&random, &plan, &m);
    random_palette(&random, m.palette, 1, 0);
    for (uint32_t i = 1; i < plan.joints; i++) m.palette[i] = m.palette[0];
    sn_skinner *skinner = create(&m, SN_SIMD_AUTO);
    sn_vec3 positions[100];
    sn_skinner_run_palette(skinner, m.palette, NULL, &(sn_skin_output){ .positions = positions });
    for (uint32_t i = 0; i < plan.vertices; i++) {
        const float(*r)[4] = m.palette[0].m;
        sn_vec3 p = m.positions[i];
        assert_vec3(positions[i], (double)r[0][0] * p.x + (double)r[0][1] * p.y + (double)r[0][2] * p.z + r[0][3],
                    (double)r[1][0] * p.x + (double)r[1][1] * p.y + (double)r[1][2] * p.z + r[1][3],
                    (double)r[2][0] * p.x + (double)r[2][1] * p.y + (double)r[2][2] * p.z + r[2][3]);
    }
    sn_skinner_free(skinner);
    random_mesh_free(&m);
}

// A tube around the X axis, one end twisted by 170 degrees. Every ring keeps its radius and its place along the axis;
// linear blending pinches the middle to cos(85 degrees).
static void a_twist_keeps_the_volume(void **state)
{
    (void)state;
    enum { RINGS = 9, PER_RING = 12, COUNT = RINGS * PER_RING };
    random_numbers random = { 23 };
    const mesh_plan plan = { .vertices = COUNT, .influences = 2, .joints = 2 };
    random_mesh m;
    random_mesh_make(&random, &plan, &m);
    for (int i = 0; i < COUNT; i++) {
        double angle = 2 * PI * (i % PER_RING) / PER_RING, along = (double)(i / PER_RING) / (RINGS - 1);
        m.positions[i] = (sn_vec3){ (float)along, (float)cos(angle), (float)sin(angle) };
        m.joints[2 * i] = 0, m.joints[2 * i + 1] = 1;
        m.weights[2 * i] = (float)(1 - along), m.weights[2 * i + 1] = (float)along;
    }
    double angle = 170 * PI / 180;
    float c = (float)cos(angle), s = (float)sin(angle);
    m.palette[0] = mat34_identity;
    m.palette[1] = (sn_mat34){ { { 1, 0, 0, 0 }, { 0, c, -s, 0 }, { 0, s, c, 0 } } };
    sn_skinner *skinner = create(&m, SN_SIMD_AUTO), *linear = sn_skinner_create(&m.rig.model, 0, NULL, NULL);
    sn_vec3 positions[COUNT], pinched[COUNT];
    sn_skinner_run_palette(skinner, m.palette, NULL, &(sn_skin_output){ .positions = positions });
    sn_skinner_run_palette(linear, m.palette, NULL, &(sn_skin_output){ .positions = pinched });
    for (int i = 0; i < COUNT; i++) {
        assert_near(positions[i].x, m.positions[i].x);
        assert_near(hypot(positions[i].y, positions[i].z), 1);
    }
    const sn_vec3 *middle = &pinched[RINGS / 2 * PER_RING];
    assert_near(hypot(middle->y, middle->z), cos(angle / 2));
    sn_skinner_free(skinner), sn_skinner_free(linear);
    random_mesh_free(&m);
}

// Without rotation it is linear blending: of translations and of scales.
static void without_rotation_it_is_linear(void **state)
{
    (void)state;
    random_numbers random = { 24 };
    const mesh_plan plan = { .vertices = 100, .influences = 3, .joints = 10 };
    random_mesh m;
    random_mesh_make(&random, &plan, &m);
    for (uint32_t i = 0; i < plan.joints; i++) {
        sn_vec3 to = random_point(&random, 2);
        m.palette[i] = mat34_move(to.x, to.y, to.z);
        for (int k = 0; k < 3; k++) m.palette[i].m[k][k] = (float)random_between(&random, 0.5, 2);
    }
    sn_skinner *skinner = create(&m, SN_SIMD_AUTO);
    sn_vec3 positions[100], normals[100], plain[100], plain_normals[100];
    sn_skinner_run_palette(skinner, m.palette, NULL, &(sn_skin_output){ .positions = positions, .normals = normals });
    skin_plainly(m.mesh, m.palette, NULL, (sni_vertices){ plain, plain_normals, NULL });
    for (uint32_t i = 0; i < plan.vertices; i++) {
        assert_vec3(positions[i], plain[i].x, plain[i].y, plain[i].z);
        assert_vec3(normals[i], plain_normals[i].x, plain_normals[i].y, plain_normals[i].z);
    }
    sn_skinner_free(skinner);
    random_mesh_free(&m);
}

// Flattened joints still give unit normals.
static void flat_joints_give_unit_normals(void **state)
{
    (void)state;
    random_numbers random = { 25 };
    const mesh_plan plan = { .vertices = 300, .influences = 3, .joints = 30, .is_scattered = true };
    random_mesh m;
    random_mesh_make(&random, &plan, &m);
    random_palette(&random, m.palette, plan.joints, 2);
    sn_skinner *skinner = create(&m, SN_SIMD_AUTO);
    sn_vec3 normals[300];
    sn_vec4 tangents[300];
    sn_skinner_run_palette(skinner, m.palette, NULL, &(sn_skin_output){ .normals = normals, .tangents = tangents });
    for (uint32_t i = 0; i < plan.vertices; i++) {
        sn_vec3 n = normals[i];
        sn_vec4 t = tangents[i];
        assert_within((double)n.x * n.x + (double)n.y * n.y + (double)n.z * n.z, 1, 1e-5);
        assert_within((double)t.x * t.x + (double)t.y * t.y + (double)t.z * t.z, 1, 1e-5);
        assert_near(fabs(t.w), 1);
    }
    sn_skinner_free(skinner);
    random_mesh_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_the_mathematics),   cmocka_unit_test(equal_rigid_joints_move_a_rigid_body),
        cmocka_unit_test(a_twist_keeps_the_volume),      cmocka_unit_test(without_rotation_it_is_linear),
        cmocka_unit_test(flat_joints_give_unit_normals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
