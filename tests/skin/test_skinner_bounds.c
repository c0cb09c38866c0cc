// Bounds of a skinned mesh contain every vertex and are not much larger than they must be.
#include "skin_fixture.h"
#include "sweep.h"

static double edge_sum, tight_sum;  // of all boxes that were compared
static int compared;

static void check_bounds(const sn_mesh *mesh, const sn_skinner *skinner, const sn_mat34 *palette, const float *morphs)
{
    sn_vec3 *positions = room(sizeof *positions, mesh->vertex_count);
    sn_skinner_run_palette(skinner, palette, morphs, &(sn_skin_output){ .positions = positions });
    sn_bounds bounds = sn_skinner_bounds(skinner, palette, morphs);
    double low[3] = { INFINITY, INFINITY, INFINITY }, high[3] = { -INFINITY, -INFINITY, -INFINITY };
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        double away = 0;
        for (int k = 0; k < 3; k++) {
            double x = (&positions[i].x)[k], from_center = x - (&bounds.center.x)[k];
            low[k] = fmin(low[k], x), high[k] = fmax(high[k], x);
            away += from_center * from_center;
        }
        assert_true(sqrt(away) <= bounds.radius);
    }
    double edges = 0, tight = 0;
    for (int k = 0; k < 3; k++) {
        assert_true((&bounds.min.x)[k] <= low[k] && (&bounds.max.x)[k] >= high[k]);
        edges += (double)(&bounds.max.x)[k] - (&bounds.min.x)[k];
        tight += high[k] - low[k];
    }
    if (tight > 0) edge_sum += edges / tight, tight_sum += 1;
    compared++;
    free(positions);
}

static void random_poses_stay_inside(void **state)
{
    (void)state;
    const mesh_plan plans[] = {
        { .vertices = 60, .influences = 0, .joints = 1, .morphs = 3 },
        { .vertices = 100, .influences = 1, .joints = 5 },
        { .vertices = 300, .influences = 2, .joints = 20 },
        { .vertices = 300, .influences = 4, .joints = 20, .is_mixed = true, .morphs = 4 },
        { .vertices = 100, .influences = 8, .joints = 30, .is_scattered = true },
        { .vertices = 100, .influences = 3, .joints = 300, .is_scattered = true },
    };
    random_numbers random = { 31 };
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        for (int dual = 0; dual < 2; dual++)
            for (int round = 0; round < 20; round++) {
                random_mesh m;
                random_mesh_make(&random, &plans[i], &m);
                random_palette(&random, m.palette, plans[i].joints, round % 3);
                sn_skinner_opts opts = { .dual_quaternions = dual };
                sn_skinner *skinner = sn_skinner_create(&m.rig.model, 0, &opts, NULL);
                assert_non_null(skinner);
                check_bounds(m.mesh, skinner, m.palette, m.morph_weights);
                sn_skinner_free(skinner);
                random_mesh_free(&m);
            }
}

static bool is_dual;

static void check_file(const char *path)
{
    sn_model *model = sn_load_file(path, NULL, NULL);
    if (!model) return;
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    for (int32_t i = 0; i < (int32_t)model->part_count; i++) {
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        if (mesh->influence_count == 0) continue;
        sn_skinner_opts opts = { .dual_quaternions = is_dual };
        sn_skinner *skinner = sn_skinner_create(model, model->parts[i].mesh, &opts, NULL);
        assert_non_null(skinner);
        for (int32_t clip = 0; clip < (int32_t)model->clip_count; clip++)
            for (int time = 0; time < 8; time++) {
                sn_pose_sample(pose, clip, model->clips[clip].duration * (float)time / 8, 0.5f);
                sn_pose_solve(pose, NULL);
                check_bounds(mesh, skinner, sn_pose_palette(pose, model->parts[i].skin), sn_pose_morphs(pose, i));
            }
        sn_skinner_free(skinner);
    }
    sn_pose_free(pose);
    sn_model_free(model);
}

// The edges of the boxes, on average over the skinned samples.
static void samples_have_close_bounds(void **state)
{
    (void)state;
    for (int dual = 0; dual < 2; dual++) {
        is_dual = dual, compared = 0, edge_sum = tight_sum = 0;
        sweep_folder(SINEW_SAMPLES, "glb gltf mdx mdl w3d mds cfg", check_file);
        assert_true(compared > 100);
        print_message("%s: %d boxes, %.3f times as long as they must be\n", dual ? "dual" : "linear", compared,
                      edge_sum / tight_sum);
        assert_true(edge_sum / tight_sum < (dual ? 1.3 : 1.1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_poses_stay_inside),
        cmocka_unit_test(samples_have_close_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
