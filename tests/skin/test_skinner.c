// A skinner computes what the plain kernel computes, with every instruction set.
#include "skin_fixture.h"

#include "counting_heap.h"
#include "random_model.h"

static const mesh_plan plans[] = {
    { .vertices = 1, .influences = 1, .joints = 1 },
    { .vertices = 9, .influences = 0, .joints = 1 },
    { .vertices = 100, .influences = 0, .joints = 1, .morphs = 2 },
    { .vertices = 7, .influences = 4, .joints = 3 },
    { .vertices = 400, .influences = 1, .joints = 9 },
    { .vertices = 400, .influences = 1, .joints = 50, .is_scattered = true },
    { .vertices = 500, .influences = 2, .joints = 9 },
    { .vertices = 500, .influences = 2, .joints = 50, .is_scattered = true },
    { .vertices = 500, .influences = 3, .joints = 50, .is_scattered = true },
    { .vertices = 9000, .influences = 4, .joints = 67 },
    { .vertices = 9000, .influences = 4, .joints = 67, .is_scattered = true },
    { .vertices = 9000, .influences = 4, .joints = 67, .is_mixed = true, .morphs = 5 },
    { .vertices = 3000, .influences = 8, .joints = 67, .is_mixed = true, .is_scattered = true, .morphs = 3 },
    { .vertices = 1001, .influences = 5, .joints = 300, .is_scattered = true },
    { .vertices = 1001, .influences = 6, .joints = 300, .is_mixed = true },
    { .vertices = 1001, .influences = 7, .joints = 12000, .is_scattered = true },
    { .vertices = 1001, .influences = 9, .joints = 65535, .is_scattered = true, .is_mixed = true },
    { .vertices = 1001,
      .influences = 12,
      .joints = 20,
      .is_mixed = true,
      .is_scattered = true,
      .has_no_directions = true },
};
enum { PLANS = sizeof plans / sizeof *plans };

static sn_skinner *create(const sn_model *model, sn_simd simd)
{
    sn_error error;
    sn_skinner *skinner = sn_skinner_create(model, 0, &(sn_skinner_opts){ .simd = simd }, &error);
    if (!skinner) fail_msg("%s", error.message);
    return skinner;
}

typedef struct plain_result {
    sn_vec3 *positions, *normals;
    sn_vec4 *tangents;
    sni_vertices all;  // without what the mesh does not have
    double size;
} plain_result;

static plain_result plain_result_make(const sn_mesh *mesh, const sn_mat34 *palette, const float *morphs)
{
    plain_result out = { .positions = room(sizeof(sn_vec3), mesh->vertex_count),
                         .normals = room(sizeof(sn_vec3), mesh->vertex_count),
                         .tangents = room(sizeof(sn_vec4), mesh->vertex_count) };
    out.all = (sni_vertices){ out.positions, mesh->normals ? out.normals : NULL, mesh->tangents ? out.tangents : NULL };
    skin_plainly(mesh, palette, morphs, out.all);
    out.size = size_of(out.positions, mesh->vertex_count);
    return out;
}

static void plain_result_free(plain_result *r) { free(r->positions), free(r->normals), free(r->tangents); }

// Strides as in separate arrays, as in an interleaved buffer, and with gaps of all kinds.
static const size_t strides[][3] = { { 12, 12, 16 }, { 48, 48, 48 }, { 16, 20, 28 } };

static void check_all_outputs(const random_mesh *m, const sn_skinner *skinner, const plain_result *plain)
{
    for (int outputs = 0; outputs < 8; outputs++) {
        const size_t *s = strides[outputs % 3];
        skin_results r = results_make(m->mesh->vertex_count, s[0], s[1], s[2]);
        sn_skin_output output = results_output(&r, outputs & 1, outputs & 2, outputs & 4);
        sn_skinner_run_palette(skinner, m->palette, m->morph_weights, &output);
        check_results(&r, &output, plain->all, plain->size);
        results_free(&r);
    }
    skin_results r = results_make(m->mesh->vertex_count, 12, 12, 16);
    sn_skin_output output = results_output(&r, true, true, true);
    output.position_stride = output.normal_stride = output.tangent_stride = 0;
    sn_skinner_run_palette(skinner, m->palette, m->morph_weights, &output);
    check_results(&r, &output, plain->all, plain->size);
    results_free(&r);
}

static void random_meshes_agree_with_the_plain_kernel(void **state)
{
    (void)state;
    random_numbers random = { 1 };
    for (int i = 0; i < PLANS; i++)
        for (int wildness = 0; wildness < 4; wildness++) {
            if (random_step() > 1 && wildness != i % 4) continue;
            random_mesh m;
            random_mesh_make(&random, &plans[i], &m);
            random_palette(&random, m.palette, plans[i].joints, wildness);
            plain_result plain = plain_result_make(m.mesh, m.palette, m.morph_weights);
            for (sn_simd simd = SN_SIMD_SCALAR; simd < SN_SIMD_COUNT; simd++) {
                if (!sn_simd_is_supported(simd)) continue;
                sn_skinner *skinner = create(&m.rig.model, simd);
                check_all_outputs(&m, skinner, &plain);
                sn_skinner_free(skinner);
            }
            plain_result_free(&plain);
            random_mesh_free(&m);
        }
}

// Interleaved: positions, normals and tangents of a vertex lie in one record of the caller's.
static void writes_into_an_interleaved_buffer(void **state)
{
    (void)state;
    enum { RECORD = 56 };  // position, normal, texture coordinates, tangent, colour and two more bytes than needed
    random_numbers random = { 5 };
    const mesh_plan plan = { .vertices = 300, .influences = 4, .joints = 20, .is_mixed = true };
    random_mesh m;
    random_mesh_make(&random, &plan, &m);
    random_palette(&random, m.palette, plan.joints, 1);
    plain_result plain = plain_result_make(m.mesh, m.palette, NULL);
    sn_skinner *skinner = create(&m.rig.model, SN_SIMD_AUTO);
    unsigned char *buffer = room(RECORD, plan.vertices);
    memset(buffer, UNTOUCHED, (size_t)RECORD * plan.vertices);
    sn_skin_output output = { buffer, buffer + 12, buffer + 32, RECORD, RECORD, RECORD };
    sn_skinner_run_palette(skinner, m.palette, NULL, &output);
    for (uint32_t i = 0; i < plan.vertices; i++) {
        const unsigned char *record = buffer + (size_t)i * RECORD;
        check_floats(record, &plain.positions[i].x, 3, 1e-5 * plain.size, i);
        check_floats(record + 12, &plain.normals[i].x, 3, 1e-5, i);
        check_untouched(record, 24, 32);
        check_floats(record + 32, &plain.tangents[i].x, 4, 1e-5, i);
        check_untouched(record, 48, RECORD);
    }
    free(buffer);
    sn_skinner_free(skinner);
    plain_result_free(&plain);
    random_mesh_free(&m);
}

// A part of a mesh with weights may have no skin: then it moves with its node, as for the plain kernel.
static void a_part_without_a_skin_moves_with_its_node(void **state)
{
    (void)state;
    random_numbers random = { 6 };
    const mesh_plan plan = { .vertices = 50, .influences = 2, .joints = 4, .morphs = 2 };
    random_mesh m;
    random_mesh_make(&random, &plan, &m);
    int32_t part = rig_part(&m.rig, 0, rig_node(&m.rig, -1, trs_turn((sn_vec3){ 0, 0, 1 }, 1), 0), -1);
    m.rig.parts[part].morph_weights = m.morph_weights;
    sn_error error;
    sn_pose *pose = sn_pose_create(&m.rig.model, NULL, &error);
    if (!pose) fail_msg("%s", error.message);
    sn_skinner *skinner = create(&m.rig.model, SN_SIMD_AUTO);
    for (int32_t i = 0; i < 2; i++) {
        skin_results r = results_make(plan.vertices, 12, 12, 16);
        sn_skin_output output = results_output(&r, true, true, true);
        sn_vec3 positions[50], normals[50];
        sn_vec4 tangents[50];
        sn_skin_part(pose, i, positions, normals, tangents);
        sn_skinner_run(skinner, pose, i, &output);
        check_results(&r, &output, (sni_vertices){ positions, normals, tangents }, size_of(positions, plan.vertices));
        results_free(&r);
    }
    sn_skinner_free(skinner);
    sn_pose_free(pose);
    random_mesh_free(&m);
}

static void a_mesh_without_vertices_has_no_results(void **state)
{
    (void)state;
    test_rig rig;
    rig_init(&rig);
    rig_node(&rig, -1, trs_identity, 0);
    rig_mesh(&rig, 0, NULL);
    sn_error error;
    sn_skinner *skinner = sn_skinner_create(&rig.model, 0, NULL, &error);
    if (!skinner) {
        sn_model_check(&rig.model, &error);
        assert_int_not_equal(error.status, SN_OK);  // such a mesh is no mesh
        return;
    }
    sn_skinner_run_palette(skinner, &mat34_identity, NULL, &(sn_skin_output){ 0 });
    sn_bounds bounds = sn_skinner_bounds(skinner, &mat34_identity, NULL);
    assert_near(bounds.radius, 0);
    sn_skinner_free(skinner);
}

static void refuses_what_it_cannot_do(void **state)
{
    (void)state;
    random_numbers random = { 7 };
    random_mesh m;
    sn_error error;
    random_mesh_make(&random, &plans[0], &m);
    assert_null(sn_skinner_create(&m.rig.model, 1, NULL, &error));
    assert_int_equal(error.status, SN_ERR_INVALID);
    assert_null(sn_skinner_create(&m.rig.model, -1, NULL, &error));
    assert_int_equal(error.status, SN_ERR_INVALID);
    assert_null(sn_skinner_create(NULL, 0, NULL, &error));
    assert_int_not_equal(error.status, SN_OK);
    for (sn_simd simd = SN_SIMD_AUTO; simd < SN_SIMD_COUNT; simd++) {
        if (sn_simd_is_supported(simd)) continue;
        assert_null(sn_skinner_create(&m.rig.model, 0, &(sn_skinner_opts){ .simd = simd }, &error));
        assert_int_equal(error.status, SN_ERR_UNSUPPORTED);
    }
    sn_skinner_free(NULL);
    random_mesh_free(&m);
}

static void creating_survives_a_lack_of_memory(void **state)
{
    (void)state;
    for (int i = 0; i < PLANS; i++) {
        random_numbers random = { 8 };
        random_mesh m;
        random_mesh_make(&random, &plans[i], &m);
        for (uint64_t fail_at = 1;; fail_at++) {
            counting_heap heap = { .fail_at = fail_at };
            sn_error error;
            sn_skinner_opts opts = { .allocator = counting_allocator(&heap), .dual_quaternions = i % 2 };
            sn_skinner *skinner = sn_skinner_create(&m.rig.model, 0, &opts, &error);
            assert_int_equal(error.status, skinner ? SN_OK : SN_ERR_MEMORY);
            assert_true(!skinner == (heap.calls >= fail_at));
            bool is_done = skinner != NULL;
            sn_skinner_free(skinner);
            assert_int_equal(heap.live_blocks, 0);
            if (is_done) break;
        }
        random_mesh_free(&m);
    }
}

static void skinning_does_not_allocate(void **state)
{
    (void)state;
    random_numbers random = { 9 };
    const mesh_plan plan = { .vertices = 3000, .influences = 6, .joints = 400, .morphs = 4, .is_mixed = true };
    for (int dual = 0; dual < 2; dual++) {
        random_mesh m;
        counting_heap heap = { 0 };
        random_mesh_make(&random, &plan, &m);
        random_palette(&random, m.palette, plan.joints, 1);
        sn_skinner_opts opts = { .allocator = counting_allocator(&heap), .dual_quaternions = dual };
        sn_skinner *skinner = sn_skinner_create(&m.rig.model, 0, &opts, NULL);
        assert_non_null(skinner);
        uint64_t calls = heap.calls;
        skin_results r = results_make(plan.vertices, 12, 12, 16);
        sn_skin_output output = results_output(&r, true, true, true);
        sn_skinner_run_palette(skinner, m.palette, m.morph_weights, &output);
        sn_skinner_bounds(skinner, m.palette, m.morph_weights);
        assert_int_equal(heap.calls, calls);
        results_free(&r);
        sn_skinner_free(skinner);
        random_mesh_free(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_meshes_agree_with_the_plain_kernel),
        cmocka_unit_test(writes_into_an_interleaved_buffer),
        cmocka_unit_test(a_part_without_a_skin_moves_with_its_node),
        cmocka_unit_test(a_mesh_without_vertices_has_no_results),
        cmocka_unit_test(refuses_what_it_cannot_do),
        cmocka_unit_test(creating_survives_a_lack_of_memory),
        cmocka_unit_test(skinning_does_not_allocate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
