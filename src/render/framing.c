#include "render/render.h"

static bool add_part(sn_framing *framing, const sn_pose *pose, const sn_model *model, int32_t part, sni_heap *heap)
{
    uint32_t count = model->meshes[model->parts[part].mesh].vertex_count;
    sn_vec3 *positions = sni_heap_alloc(heap, count * sizeof *positions);
    if (!positions) return false;
    sn_skin_part(pose, part, positions, NULL, NULL);
    sn_framing_add(framing, positions, count);
    sni_heap_free(heap, positions, count * sizeof *positions);
    return true;
}

sn_status sn_framing_add_pose(sn_framing *framing, const sn_pose *pose, const sn_model *model,
                              const sn_allocator *allocator)
{
    sni_heap heap;
    sni_heap_init(&heap, allocator, UINT64_MAX);
    for (uint32_t i = 0; i < model->part_count; i++) {
        if (!sn_pose_shows(pose, (int32_t)i)) continue;
        if (!add_part(framing, pose, model, (int32_t)i, &heap)) return SN_ERR_MEMORY;
    }
    return SN_OK;
}
