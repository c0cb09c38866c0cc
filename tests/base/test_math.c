// Matrices: inverse, decomposition, and what cannot be inverted or decomposed.
#include "base/math.h"
#include "hand_models.h"
#include "model/trs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void assert_same_matrix(const sn_mat34 *a, const sn_mat34 *b, double tolerance)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++) assert_within(a->m[r][c], b->m[r][c], tolerance);
}

static void test_inverse(void **state)
{
    (void)state;
    // Scale by 2, 4, 8, a quarter turn about Z, then move by 1, 2, 3.
    const sn_mat34 m = { { { 0, -4, 0, 1 }, { 2, 0, 0, 2 }, { 0, 0, 8, 3 } } };
    const sn_mat34 wanted = { { { 0, 0.5f, 0, -1 }, { -0.25f, 0, 0, 0.25f }, { 0, 0, 0.125f, -0.375f } } };
    sn_mat34 inverse;
    assert_true(sni_mat34_invert(&m, &inverse));
    assert_same_matrix(&inverse, &wanted, 0);
    assert_near(sni_mat34_determinant(&m), 64);
}

static void test_inverse_of_tiny_and_huge(void **state)
{
    (void)state;
    sn_trs tiny = trs_stretch(1e-20f, 1e-20f, 1e-20f), huge = trs_stretch(1e20f, 1e20f, 1e20f);
    sn_mat34 a = sni_trs_matrix(&tiny, false), b = sni_trs_matrix(&huge, false), inverse;
    assert_true(sni_mat34_invert(&a, &inverse));
    assert_within(inverse.m[1][1] / 1e20, 1, 1e-6);
    assert_true(sni_mat34_invert(&b, &inverse));
    assert_within(inverse.m[1][1] * 1e20, 1, 1e-6);
}

static void test_no_inverse(void **state)
{
    (void)state;
    const sn_mat34 flat = { { { 1, 2, 3, 0 }, { 2, 4, 6, 0 }, { 0, 0, 1, 0 } } }, none = { 0 };
    sn_trs too_small = trs_stretch(1e-44f, 1, 1);
    sn_mat34 small = sni_trs_matrix(&too_small, false), untouched = mat34_identity;
    assert_false(sni_mat34_invert(&flat, &untouched));
    assert_false(sni_mat34_invert(&none, &untouched));
    assert_false(sni_mat34_invert(&small, &untouched));  // its inverse is no float
    assert_memory_equal(&untouched, &mat34_identity, sizeof untouched);
}

static void test_rotation_of_matrix(void **state)
{
    (void)state;
    // One per largest component, and the half turns where w is 0.
    const sn_quat turns[] = { { 0.5f, 0.5f, 0.5f, 0.5f },
                              { 0.8f, 0, 0, 0.6f },
                              { 0, 0.8f, 0, 0.6f },
                              { 0, 0, 0.8f, 0.6f },
                              { 1, 0, 0, 0 },
                              { 0, 1, 0, 0 },
                              { 0, 0, 1, 0 },
                              { 0.6f, 0.8f, 0, 0 },
                              { 0, 0, 0, 1 } };
    for (size_t i = 0; i < sizeof turns / sizeof *turns; i++) {
        sn_mat34 m = sni_quat_matrix(turns[i]);
        sn_quat q = sni_mat34_rotation(&m);
        assert_quat(q, turns[i].x, turns[i].y, turns[i].z, turns[i].w);
    }
}

static void test_decompose(void **state)
{
    (void)state;
    sn_trs given = { { 1, 2, 3 }, { 0.48f, 0.64f, 0, 0.6f }, { 2, 3, 4 } };
    sn_mat34 m = sni_trs_matrix(&given, false);
    sn_trs found = sni_mat34_decompose(&m);
    assert_vec3(found.translation, 1, 2, 3);
    assert_vec3(found.scale, 2, 3, 4);
    assert_quat(found.rotation, 0.48, 0.64, 0, 0.6);
    given.scale = sni_vec3(2, -3, 4);  // the mirrored axis is not unique, the sign of the determinant is
    m = sni_trs_matrix(&given, false);
    found = sni_mat34_decompose(&m);
    assert_vec3(found.scale, -2, 3, 4);
    sn_mat34 again = sni_trs_matrix(&found, false);
    assert_same_matrix(&again, &m, 1e-5);
}

// Whatever axes are missing, the answer is a rotation, and the scale says which are missing.
static void test_decompose_flat(void **state)
{
    (void)state;
    for (int missing = 1; missing < 8; missing++) {
        sn_trs given = { { 0, 0, 0 }, { 0.48f, 0.64f, 0, 0.6f }, { !(missing & 1), !(missing & 2), !(missing & 4) } };
        sn_mat34 m = sni_trs_matrix(&given, false);
        sn_trs found = sni_mat34_decompose(&m);
        assert_near(sni_quat_dot(found.rotation, found.rotation), 1);
        assert_vec3(found.scale, given.scale.x, given.scale.y, given.scale.z);
        if (missing & (missing - 1)) continue;
        sn_mat34 again = sni_trs_matrix(&found, false);  // one missing axis follows from the other two
        assert_same_matrix(&again, &m, 1e-5);
    }
    sn_mat34 nothing = { 0 };
    assert_quat(sni_mat34_decompose(&nothing).rotation, 0, 0, 0, 1);
}

// split_parent * inner is the matrix again, whatever it is; the parent's scale is what M stretches a sphere by, so the
// squares sum to those of all elements and the product is the determinant.
static void test_split(void **state)
{
    (void)state;
    static const sn_mat34 matrices[] = {
        { { { 1, 2, 0, 5 }, { 0, 1, 0, 6 }, { 0, 0.5f, 3, 7 } } },      // sheared
        { { { 1, 1000, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1e-3f, 0 } } },  // and very much so
        { { { -1, 2, 0, 0 }, { 1, 1, 0.25f, 1 }, { 0, 0, 2, 0 } } },    // mirrored
        { { { 1, 1, 0, 0 }, { 0, 0, 0, 0 }, { 1, 0, 2, 0 } } },         // flat
        { { { 1, 2, 3, 0 }, { 2, 4, 6, 0 }, { 0.5f, 1, 1.5f, 0 } } },   // a line
        { { { 0, 0, 0, 1 }, { 0, 0, 0, 2 }, { 0, 0, 0, 3 } } },         // a point
        { { { 1e-30f, 2e-30f, 0, 0 }, { 0, 1e-30f, 0, 0 }, { 0, 0, 1e-30f, 0 } } },
        { { { 1e30f, 2e30f, 0, 0 }, { 0, 1e30f, 0, 0 }, { 0, 0, 1e30f, 0 } } },
    };
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++) {
        sn_trs split_parent;
        sn_quat inner;
        double squares = 0.0;
        assert_true(sni_mat34_split(&matrices[i], &split_parent, &inner));
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) squares += (double)matrices[i].m[r][c] * matrices[i].m[r][c];
        sn_mat34 left = sni_trs_matrix(&split_parent, false), right = sni_quat_matrix(inner),
                 rebuilt = sni_mat34_mul(&left, &right);
        assert_same_matrix(&rebuilt, &matrices[i], 1e-6 * sqrt(squares));
        double x = split_parent.scale.x, y = split_parent.scale.y, z = split_parent.scale.z;
        assert_within(x * x + y * y + z * z, squares, 1e-5 * squares);
        assert_within(x * y * z, sni_mat34_determinant(&matrices[i]), 1e-5 * squares * sqrt(squares));
    }
    const float most = 3.4e38f;
    const sn_mat34 beyond = { { { most, most, 0, 0 }, { most, -most, 0, 0 }, { most, 0, most, 0 } } };
    sn_trs split_parent;
    sn_quat inner;
    assert_false(sni_mat34_split(&beyond, &split_parent, &inner));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_inverse),    cmocka_unit_test(test_inverse_of_tiny_and_huge),
        cmocka_unit_test(test_no_inverse), cmocka_unit_test(test_rotation_of_matrix),
        cmocka_unit_test(test_decompose),  cmocka_unit_test(test_decompose_flat),
        cmocka_unit_test(test_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
