// Posed vertices: bent, carried, morphed; their normals and tangents.
#include "hand_models.h"
#include "skin/skin.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static const sn_vec3 X = { 1, 0, 0 }, Y = { 0, 1, 0 }, Z = { 0, 0, 1 };
static const double h = 0.70710678118654752;  // half the root of two

static void assert_unit(sn_vec3 v) { assert_within(v.x * v.x + v.y * v.y + v.z * v.z, 1, 1e-5); }

static sn_vec3 xyz(sn_vec4 v) { return (sn_vec3){ v.x, v.y, v.z }; }

// An arm along X: shoulder at the origin, elbow at (1,0,0). The node that carries the part stands far away.
typedef struct arm {
    test_rig rig;
    int32_t shoulder, elbow, part;
    int32_t joints[2];
    sn_mat34 inverse_bind[2];
    sn_mesh *mesh;
} arm;

static void arm_init(arm *a, uint32_t vertex_count, const sn_vec3 *positions, const uint16_t *joints,
                     const float *weights)
{
    rig_init(&a->rig);
    a->shoulder = rig_node(&a->rig, -1, trs_identity, SN_NODE_JOINT);
    a->elbow = rig_node(&a->rig, a->shoulder, trs_move(1, 0, 0), SN_NODE_JOINT);
    a->joints[0] = a->shoulder, a->joints[1] = a->elbow;
    a->inverse_bind[0] = mat34_identity, a->inverse_bind[1] = mat34_move(-1, 0, 0);
    int32_t skin = rig_skin(&a->rig, 2, a->joints, a->inverse_bind);
    a->mesh = rig_mesh(&a->rig, vertex_count, positions);
    a->mesh->influence_count = 2;
    a->mesh->vertex_joints = joints;
    a->mesh->vertex_weights = weights;
    a->part = rig_part(&a->rig, 0, rig_node(&a->rig, a->shoulder, trs_move(500, 0, 0), 0), skin);
}

static const sn_vec3 arm_positions[3] = { { 2, 0, 0 }, { 2, 0, 0 }, { 1, 0.5f, 0 } };
static const uint16_t arm_joints[6] = { 1, 0, 0, 1, 1, 0 };
static const float arm_weights[6] = { 1, 0, 0.5f, 0.5f, 0.5f, 0.5f };

static sn_pose *bent_arm(arm *a)
{
    sn_pose *pose = sn_pose_create(&a->rig.model, NULL, NULL);
    sn_trs bend = trs_turn(Z, PI / 2);
    bend.translation = X;
    sn_pose_set_local(pose, a->elbow, bend);
    sn_pose_solve(pose, NULL);
    return pose;
}

static void test_bind_pose_changes_nothing(void **state)
{
    (void)state;
    arm a;
    arm_init(&a, 3, arm_positions, arm_joints, arm_weights);
    sn_pose *pose = sn_pose_create(&a.rig.model, NULL, NULL);
    const sn_mat34 *palette = sn_pose_palette(pose, 0);
    for (int i = 0; i < 2; i++) assert_memory_equal(&palette[i], &mat34_identity, sizeof *palette);
    sn_vec3 posed[3];
    sn_skin_part(pose, a.part, posed, NULL, NULL);
    assert_memory_equal(posed, arm_positions, sizeof posed);
    sn_pose_free(pose);
}

static void test_half_bent_elbow(void **state)
{
    (void)state;
    const sn_vec3 normals[3] = { Y, Y, Z };
    const sn_vec4 tangents[3] = { { 1, 0, 0, 1 }, { 1, 0, 0, -1 }, { 1, 0, 0, 1 } };
    arm a;
    arm_init(&a, 3, arm_positions, arm_joints, arm_weights);
    a.mesh->normals = normals;
    a.mesh->tangents = tangents;
    sn_pose *pose = bent_arm(&a);
    sn_vec3 p[3], n[3];
    sn_vec4 t[3];
    sn_skin_part(pose, a.part, p, n, t);
    assert_vec3(p[0], 1, 1, 0);
    assert_vec3(p[1], 1.5, 0.5, 0);    // between (2,0,0) and (1,1,0)
    assert_vec3(p[2], 0.75, 0.25, 0);  // between (1,0.5,0) and (0.5,0,0)
    assert_vec3(n[0], -1, 0, 0);
    assert_vec3(n[1], -h, h, 0);
    assert_vec3(n[2], 0, 0, 1);
    assert_vec3(xyz(t[0]), 0, 1, 0);
    assert_vec3(xyz(t[1]), h, h, 0);
    assert_near(t[0].w - t[1].w, 2);
    sn_pose_free(pose);
}

static void test_root_moves_skinned_parts(void **state)
{
    (void)state;
    arm a;
    arm_init(&a, 3, arm_positions, arm_joints, arm_weights);
    sn_pose *pose = bent_arm(&a);
    const sn_mat34 root = { { { 0, -1, 0, 0 }, { 1, 0, 0, 0 }, { 0, 0, 1, 9 } } };
    sn_pose_set_root(pose, &root);
    sn_pose_solve(pose, NULL);
    sn_vec3 p[3];
    sn_skin_part(pose, a.part, p, NULL, NULL);
    assert_vec3(p[0], -1, 1, 9);
    sn_pose_free(pose);
}

static void test_range_is_a_piece_of_the_whole(void **state)
{
    (void)state;
    arm a;
    arm_init(&a, 3, arm_positions, arm_joints, arm_weights);
    sn_pose *pose = bent_arm(&a);
    sn_vec3 whole[3], piece[2];
    sn_skin_part(pose, a.part, whole, NULL, NULL);
    sni_skin_range(pose, a.part, 1, 2, (sni_vertices){ .positions = piece });
    assert_memory_equal(piece, whole + 1, sizeof piece);
    sn_pose_free(pose);
}

static void test_six_influences(void **state)
{
    (void)state;
    const float weights[6] = { 0.1f, 0.2f, 0.3f, 0.1f, 0.1f, 0.2f };
    const uint16_t joints[6] = { 0, 1, 2, 3, 4, 5 };
    int32_t nodes[6];
    sn_mat34 inverse_bind[6];
    test_rig rig;
    rig_init(&rig);
    for (int i = 0; i < 6; i++) {
        nodes[i] = rig_node(&rig, -1, trs_move(10.0f * (float)i, 0, 0), 0);
        inverse_bind[i] = mat34_identity;
    }
    sn_mesh *mesh = rig_mesh(&rig, 1, &Y);
    mesh->influence_count = 6;
    mesh->vertex_joints = joints;
    mesh->vertex_weights = weights;
    int32_t part = rig_part(&rig, 0, 0, rig_skin(&rig, 6, nodes, inverse_bind));
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    sn_vec3 p;
    sn_skin_part(pose, part, &p, NULL, NULL);
    assert_vec3(p, 2 + 6 + 3 + 4 + 10, 1, 0);
    sn_pose_free(pose);
}

// One vertex at (1,0,0) with a normal and a tangent, carried by one node.
typedef struct tile {
    test_rig rig;
    sn_vec3 position, normal;
    sn_vec4 tangent;
    int32_t part;
} tile;

static void tile_init(tile *t, sn_trs rest, sn_vec3 normal, sn_vec4 tangent)
{
    rig_init(&t->rig);
    t->position = X, t->normal = normal, t->tangent = tangent;
    sn_mesh *mesh = rig_mesh(&t->rig, 1, &t->position);
    mesh->normals = &t->normal;
    mesh->tangents = &t->tangent;
    t->part = rig_part(&t->rig, 0, rig_node(&t->rig, -1, rest, 0), -1);
}

static void tile_pose(tile *t, sn_vec3 *p, sn_vec3 *n, sn_vec4 *along)
{
    sn_pose *pose = sn_pose_create(&t->rig.model, NULL, NULL);
    sn_skin_part(pose, t->part, p, n, along);
    sn_pose_free(pose);
}

static void test_normals_stay_upright_under_uneven_scale(void **state)
{
    (void)state;
    sn_trs rest = { { 5, 0, 0 }, quat_about(Z, PI / 2), { 2, 1, 1 } };
    tile t;
    tile_init(&t, rest, (sn_vec3){ (float)h, (float)h, 0 }, (sn_vec4){ (float)h, -(float)h, 0, 1 });
    sn_vec3 p, n;
    sn_vec4 along;
    tile_pose(&t, &p, &n, &along);
    assert_vec3(p, 5, 2, 0);
    assert_vec3(n, -2 / sqrt(5), 1 / sqrt(5), 0);          // (1,1) / (2,1) = (1/2,1), then turned
    assert_vec3(xyz(along), 1 / sqrt(5), 2 / sqrt(5), 0);  // (1,-1) * (2,1) = (2,-1), then turned
    assert_near(along.w, 1);
}

// Mirrored in X. The bitangent cross(n,t)*w is Y and must stay Y; cross((0,0,1), (-1,0,0)) is -Y, so w is -1.
static void test_mirror(void **state)
{
    (void)state;
    tile t;
    tile_init(&t, trs_stretch(-1, 1, 1), Z, (sn_vec4){ 1, 0, 0, 1 });
    sn_vec3 p, n;
    sn_vec4 along;
    tile_pose(&t, &p, &n, &along);
    assert_vec3(p, -1, 0, 0);
    assert_vec3(n, 0, 0, 1);
    assert_vec3(xyz(along), -1, 0, 0);
    assert_near(along.w, -1);
    t.normal = X;
    tile_pose(&t, &p, &n, NULL);
    assert_vec3(n, -1, 0, 0);
}

static void test_mirrors_counts_reflections(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    int32_t once = rig_node(&rig, -1, trs_stretch(1, -2, 1), 0), twice = rig_node(&rig, once, trs_stretch(-1, 1, 1), 0);
    int32_t plain = rig_node(&rig, -1, trs_stretch(-1, -1, 1), 0);
    rig_mesh(&rig, 1, &X);
    rig_part(&rig, 0, once, -1), rig_part(&rig, 0, twice, -1), rig_part(&rig, 0, plain, -1);
    sn_pose *pose = sn_pose_create(&rig.model, NULL, NULL);
    assert_true(sn_pose_mirrors(pose, 0));
    assert_false(sn_pose_mirrors(pose, 1));
    assert_false(sn_pose_mirrors(pose, 2));
    const sn_mat34 mirror = { { { -1, 0, 0, 0 }, { 0, 1, 0, 0 }, { 0, 0, 1, 0 } } };
    sn_pose_set_root(pose, &mirror);
    sn_pose_solve(pose, NULL);
    assert_false(sn_pose_mirrors(pose, 0));
    assert_true(sn_pose_mirrors(pose, 1));
    sn_pose_free(pose);
}

static void test_joints_say_whether_skinned_parts_mirror(void **state)
{
    (void)state;
    arm a;
    arm_init(&a, 3, arm_positions, arm_joints, arm_weights);
    sn_pose *pose = sn_pose_create(&a.rig.model, NULL, NULL);
    sn_pose_set_local(pose, a.rig.parts[a.part].node, trs_stretch(-1, 1, 1));
    sn_pose_solve(pose, NULL);
    assert_false(sn_pose_mirrors(pose, a.part));
    sn_pose_set_local(pose, a.shoulder, trs_stretch(-1, 1, 1));
    sn_pose_solve(pose, NULL);
    assert_true(sn_pose_mirrors(pose, a.part));
    sn_pose_set_local(pose, a.shoulder, trs_stretch(0, 0, 0));
    sn_pose_solve(pose, NULL);
    assert_false(sn_pose_mirrors(pose, a.part));
    sn_pose_free(pose);
}

static void test_joints_without_vertices_do_not_mirror(void **state)
{
    (void)state;
    static const uint16_t joints[6] = { 0, 1, 0, 1, 0, 1 };
    static const float weights[6] = { 0, 1, 0, 1, 0, 1 };
    arm a;
    arm_init(&a, 3, arm_positions, joints, weights);
    a.inverse_bind[0].m[0][0] = -1;
    sn_pose *pose = sn_pose_create(&a.rig.model, NULL, NULL);
    assert_false(sn_pose_mirrors(pose, a.part));
    sn_pose_set_local(pose, a.elbow, trs_stretch(1, -1, 1));
    sn_pose_solve(pose, NULL);
    assert_true(sn_pose_mirrors(pose, a.part));
    sn_pose_free(pose);
}

static void test_morphs_come_before_the_bend(void **state)
{
    (void)state;
    const sn_vec3 up[3] = { { 0, 2, 0 }, { 0, 0, 0 }, { 0, 0, 0 } }, out[3] = { { 4, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } };
    const sn_vec3 normals[3] = { Y, Y, Y }, tilt[3] = { { 1, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 } };
    const sn_morph morphs[3] = { { .name = "", .positions = up },
                                 { .name = "", .positions = out, .normals = tilt },
                                 { .name = "", .positions = out } };
    const float weights[3] = { 0.5f, 1, 0 };
    arm a;
    arm_init(&a, 3, arm_positions, arm_joints, arm_weights);
    a.mesh->normals = normals;
    a.mesh->morph_count = 3;
    a.mesh->morphs = morphs;
    a.rig.parts[a.part].morph_weights = weights;
    sn_pose *pose = bent_arm(&a);
    sn_vec3 p[3], n[3];
    sn_skin_part(pose, a.part, p, n, NULL);
    assert_vec3(p[0], 0, 5, 0);  // (2,0,0) to (6,1,0), five right of the elbow and one up, then turned
    assert_vec3(p[1], 1.5, 0.5, 0);
    assert_vec3(n[0], -h, h, 0);  // (1,1,0), turned
    sn_pose_free(pose);
}

static void test_flat_matrices_give_unit_normals(void **state)
{
    (void)state;
    const sn_vec3 scales[] = {
        { 1, 1, 0 },         { 0, 1, 1 }, { 0, 0, 1 }, { 0, 0, 0 }, { 1e-30f, 1e-30f, 1e-30f }, { 1e30f, 1e30f, 1e30f },
        { 1e-38f, 1, 3e38f }
    };
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
        tile t;
        sn_trs rest = trs_turn(Y, 0.3);
        rest.scale = scales[i];
        tile_init(&t, rest, (sn_vec3){ 0.6f, 0, 0.8f }, (sn_vec4){ 0.8f, 0, -0.6f, -1 });
        sn_vec3 p, n;
        sn_vec4 along;
        tile_pose(&t, &p, &n, &along);
        assert_true(isfinite(p.x) && isfinite(p.y) && isfinite(p.z));
        assert_unit(n);
        assert_unit(xyz(along));
        assert_near(along.w, -1);
    }
}

static void test_morphed_tangent(void **state)
{
    (void)state;
    const sn_vec3 aside = { 0, 2, 0 };
    const sn_morph morph = { .name = "", .tangents = &aside };
    const float weight = 0.5f;
    tile t;
    sn_vec4 along;
    tile_init(&t, trs_turn(Z, PI / 2), Z, (sn_vec4){ 1, 0, 0, 1 });
    t.rig.meshes[0].morph_count = 1;
    t.rig.meshes[0].morphs = &morph;
    t.rig.parts[0].morph_weights = &weight;
    tile_pose(&t, NULL, NULL, &along);
    assert_vec3(xyz(along), -h, h, 0);  // (1,1,0), turned
}

// Pressed onto the XY plane everything faces along Z; which way is up it still knows.
static void test_flattened_surface_keeps_its_normal(void **state)
{
    (void)state;
    tile t;
    sn_vec3 p, n;
    tile_init(&t, trs_stretch(1, 1, 0), (sn_vec3){ 0.6f, 0, 0.8f }, (sn_vec4){ 1, 0, 0, 1 });
    tile_pose(&t, &p, &n, NULL);
    assert_vec3(n, 0, 0, 1);
    t.normal.z = -0.8f;
    tile_pose(&t, &p, &n, NULL);
    assert_vec3(n, 0, 0, -1);
}

static void test_outputs_are_optional(void **state)
{
    (void)state;
    tile t;
    tile_init(&t, trs_identity, Z, (sn_vec4){ 1, 0, 0, 1 });
    t.rig.meshes[0].normals = NULL;
    t.rig.meshes[0].tangents = NULL;
    sn_vec3 p = { 9, 9, 9 }, n = { 9, 9, 9 };
    sn_vec4 along = { 9, 9, 9, 9 };
    tile_pose(&t, NULL, &n, &along);
    assert_vec3(n, 9, 9, 9);
    assert_near(along.w, 9);
    tile_pose(&t, &p, NULL, NULL);
    assert_vec3(p, 1, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bind_pose_changes_nothing),
        cmocka_unit_test(test_half_bent_elbow),
        cmocka_unit_test(test_root_moves_skinned_parts),
        cmocka_unit_test(test_range_is_a_piece_of_the_whole),
        cmocka_unit_test(test_six_influences),
        cmocka_unit_test(test_normals_stay_upright_under_uneven_scale),
        cmocka_unit_test(test_mirror),
        cmocka_unit_test(test_mirrors_counts_reflections),
        cmocka_unit_test(test_joints_without_vertices_do_not_mirror),
        cmocka_unit_test(test_joints_say_whether_skinned_parts_mirror),
        cmocka_unit_test(test_morphs_come_before_the_bend),
        cmocka_unit_test(test_morphed_tangent),
        cmocka_unit_test(test_flat_matrices_give_unit_normals),
        cmocka_unit_test(test_flattened_surface_keeps_its_normal),
        cmocka_unit_test(test_outputs_are_optional),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
