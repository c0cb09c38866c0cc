#include "convert/posed_error.h"

#include "base/math.h"

enum { FEW_TIMES = 11, MANY_TIMES = 41, MANY_POSED = 1 << 22, MOST_POSED = 1 << 24 };

static bool fail_memory(sni_save *save) { return sni_fail(&save->diag, SN_ERR_MEMORY, 0, "out of memory"); }

static void pose_at(sn_pose *pose, const sn_model *model, uint32_t step, uint32_t times)
{
    const int32_t clip = model->clip_count > 0 ? (int32_t)(step / times) : -1;
    const float time = clip >= 0 ? model->clips[clip].duration * (float)(step % times) / (float)(times - 1) : 0.0f;
    sn_pose_sample(pose, clip, time, time);
    sn_pose_solve(pose, NULL);
}

bool sni_find_posed_error(sni_save *save, const sn_model *before, const sn_model *after, double *distance, double *size)
{
    sn_error error = { 0 };
    sn_bounds bounds = { 0 };
    uint64_t posed = 0, most = 0;
    uint64_t vertices = 1;
    for (uint32_t i = 0; i < before->part_count; i++) vertices += before->meshes[before->parts[i].mesh].vertex_count;
    const uint32_t times = vertices * before->clip_count * MANY_TIMES <= MANY_POSED ? MANY_TIMES : FEW_TIMES;
    const uint32_t steps = before->clip_count > 0 ? before->clip_count * times : 1;
    sn_pose *one = sn_pose_create(before, &save->heap.allocator, &error);
    sn_pose *two = one ? sn_pose_create(after, &save->heap.allocator, &error) : NULL;
    for (uint32_t i = 0; i < before->mesh_count; i++)
        most = before->meshes[i].vertex_count > most ? before->meshes[i].vertex_count : most;
    sn_vec3 *places = sni_new_raw(&save->scratch, sn_vec3, 2 * most);
    *distance = 0.0;
    for (uint32_t i = 0; one && two && places && i < steps && posed < MOST_POSED; i++) {
        pose_at(one, before, i, times), pose_at(two, after, i, times);
        for (uint32_t part = 0; part < before->part_count; part++) {
            const uint32_t count = before->meshes[before->parts[part].mesh].vertex_count;
            sn_skin_part(one, (int32_t)part, places, NULL, NULL);
            sn_skin_part(two, (int32_t)part, places + most, NULL, NULL);
            posed += count;
            for (uint32_t k = 0; k < count; k++)
                *distance = fmax(*distance, sni_length(sni_sub(places[k], places[most + k])));
        }
    }
    sn_pose_free(one);
    sn_pose_free(two);
    if (error.status == SN_ERR_MEMORY) return fail_memory(save);
    if (sn_model_bounds(before, before->clip_count > 0 ? 0 : -1, &save->heap.allocator, &bounds) == SN_ERR_MEMORY)
        return fail_memory(save);
    *size = bounds.radius > 0.0f ? 2.0 * bounds.radius : 1.0;
    return sni_save_ok(save);
}
