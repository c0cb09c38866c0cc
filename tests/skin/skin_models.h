// Every part of a model file, posed at times of all its clips: the skinner of its mesh against sn_skin_part, for each
// instruction set.
#ifndef TEST_SKIN_MODELS_H
#define TEST_SKIN_MODELS_H

#include "skin_fixture.h"

#include <stdio.h>

enum { MODEL_TIMES = 3, MODEL_CLIPS = 4, MODEL_VERTICES = 200000 };

static inline void check_skinned_part(const sn_model *model, const sn_pose *pose, int32_t part,
                                      sn_skinner *const skinners[SN_SIMD_COUNT])
{
    const sn_mesh *mesh = &model->meshes[model->parts[part].mesh];
    sn_vec3 *positions = room(sizeof *positions, mesh->vertex_count),
            *normals = room(sizeof *normals, mesh->vertex_count);
    sn_vec4 *tangents = room(sizeof *tangents, mesh->vertex_count);
    sn_skin_part(pose, part, positions, normals, tangents);
    sni_vertices plain = { positions, mesh->normals ? normals : NULL, mesh->tangents ? tangents : NULL };
    double size = size_of(positions, mesh->vertex_count);
    for (sn_simd simd = SN_SIMD_AUTO; isfinite(size) && simd < SN_SIMD_COUNT; simd++) {
        if (!skinners[simd]) continue;
        skin_results r = results_make(mesh->vertex_count, 12, 12, 16);
        sn_skin_output output = results_output(&r, true, true, true);
        sn_skinner_run(skinners[simd], pose, part, &output);
        check_results(&r, &output, plain, size);
        results_free(&r);
    }
    free(positions), free(normals), free(tangents);
}

static inline void check_skinned_bounds(const sn_model *model, const sn_pose *pose, int32_t part,
                                        const sn_skinner *skinner)
{
    const sn_mesh *mesh = &model->meshes[model->parts[part].mesh];
    if (mesh->influence_count > 0 && model->parts[part].skin < 0) return;
    sn_mat34 world = sn_pose_world(pose, model->parts[part].node);
    const sn_mat34 *palette = mesh->influence_count > 0 ? sn_pose_palette(pose, model->parts[part].skin) : &world;
    sn_bounds bounds = sn_skinner_bounds(skinner, palette, sn_pose_morphs(pose, part));
    sn_vec3 *positions = room(sizeof *positions, mesh->vertex_count);
    sn_skin_part(pose, part, positions, NULL, NULL);
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        sn_vec3 p = positions[i];
        if (!isfinite(p.x) || !isfinite(p.y) || !isfinite(p.z)) continue;
        assert_true(p.x >= bounds.min.x && p.y >= bounds.min.y && p.z >= bounds.min.z);
        assert_true(p.x <= bounds.max.x && p.y <= bounds.max.y && p.z <= bounds.max.z);
        double x = p.x - bounds.center.x, y = p.y - bounds.center.y, z = p.z - bounds.center.z;
        assert_true(sqrt(x * x + y * y + z * z) <= bounds.radius);
    }
    free(positions);
}

static inline void check_skinned_model(const sn_model *model)
{
    sn_pose *pose = sn_pose_create(model, NULL, NULL);
    assert_non_null(pose);
    uint64_t budget = MODEL_VERTICES;
    for (int32_t mesh = 0; mesh < (int32_t)model->mesh_count; mesh++) {
        sn_skinner *skinners[SN_SIMD_COUNT] = { NULL };
        for (sn_simd simd = SN_SIMD_AUTO; simd < SN_SIMD_COUNT; simd++) {
            if (!sn_simd_is_supported(simd)) continue;
            skinners[simd] = sn_skinner_create(model, mesh, &(sn_skinner_opts){ .simd = simd }, NULL);
            assert_non_null(skinners[simd]);
        }
        int32_t clips = (int32_t)model->clip_count < MODEL_CLIPS ? (int32_t)model->clip_count : MODEL_CLIPS;
        for (int32_t clip = -1; clip < clips; clip++)
            for (int time = 0; time < (clip < 0 ? 1 : MODEL_TIMES); time++) {
                float seconds = clip < 0 ? 0 : model->clips[clip].duration * ((float)time + 0.3f) / MODEL_TIMES;
                sn_pose_sample(pose, clip, seconds, 0.7f);
                sn_pose_solve(pose, NULL);
                for (int32_t i = 0; i < (int32_t)model->part_count; i++) {
                    uint32_t vertices = model->meshes[mesh].vertex_count;
                    if (model->parts[i].mesh != mesh || budget < vertices) continue;
                    budget -= vertices;
                    check_skinned_part(model, pose, i, skinners);
                    check_skinned_bounds(model, pose, i, skinners[SN_SIMD_AUTO]);
                }
            }
        for (sn_simd simd = SN_SIMD_AUTO; simd < SN_SIMD_COUNT; simd++) sn_skinner_free(skinners[simd]);
    }
    sn_pose_free(pose);
}

static inline void check_skinned_file(const char *path)
{
    sn_model *model = sn_load_file(path, NULL, NULL);
    if (model) check_skinned_model(model);
    sn_model_free(model);
}

#endif
