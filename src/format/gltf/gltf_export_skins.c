// Skins, their joints and inverse bind matrices.
#include <string.h>

#include "format/gltf/gltf_export.h"

// Only skins that bend something; the groups' numbers follow.
bool gltf_export_skins(gltf_export *export)
{
    const sn_model *model = export->model;
    sni_arena *arena = &export->save->scratch;
    gltf_skin *skins = sni_new(arena, gltf_skin, model->skin_count);
    int32_t *skin_of = sni_new_raw(arena, int32_t, model->skin_count);
    uint32_t count = 0;
    if (!skins || !skin_of) return false;
    for (uint32_t i = 0; i < model->skin_count; i++) skin_of[i] = -1;
    for (uint32_t i = 0; i < export->group_count; i++) {
        int32_t index = export->groups[i].skin;
        if (index < 0) continue;
        const sn_skin *source = &model->skins[index];
        if (skin_of[index] < 0) {
            float *binds = sni_new(arena, float, (uint64_t)source->joint_count * 16);
            int32_t *joints = sni_new_raw(arena, int32_t, source->joint_count);
            if (!binds || !joints) return false;
            memcpy(joints, source->joints, source->joint_count * sizeof *joints);
            for (uint32_t j = 0; j < source->joint_count; j++) {
                for (int c = 0; c < 4; c++) {
                    for (int r = 0; r < 3; r++) binds[j * 16 + (uint32_t)(c * 4 + r)] = source->inverse_bind[j].m[r][c];
                }
                binds[j * 16 + 15] = 1.0f;
            }
            skin_of[index] = (int32_t)count;
            gltf_skin *skin = &skins[count++];
            *skin = (gltf_skin){ .object.name = gltf_name_or_null(source->name), .joints = { joints, source->joint_count } };
            skin->skeleton = -1;
            skin->inverse_binds = gltf_pack_floats(&export->pack, GLTF_BINDS, binds, source->joint_count, GLTF_MAT4, false);
        }
        gltf_node_at(export, export->groups[i].holder)->skin = skin_of[index];
    }
    export->doc->skins = skins;
    export->doc->skin_count = count;
    return true;
}
