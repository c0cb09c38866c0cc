// Skins, their joints and inverse bind matrices.
#include "format/gltf/gltf_export.h"

typedef struct skin_writer {
    gltf_export *export;
    gltf_skin *skins;  // of the document
    uint32_t count;
    int32_t *skin_of;  // of each skin of the model; -1: not written yet
    int32_t *used_by;  // of each node: the skin that took it as a joint last
} skin_writer;

// A joint must be one but once: in place of the second time stands a node below it that does nothing.
static int32_t take_joint(skin_writer *w, int32_t skin, int32_t joint)
{
    if (w->used_by[joint] != skin) {
        w->used_by[joint] = skin;
        return joint;
    }
    int32_t twin = gltf_new_helper(w->export, joint, ".twin");
    return twin >= 0 && gltf_hang(w->export, twin, joint) ? twin : -1;
}

static void put_columns(const sn_mat34 *matrix, float columns[16])
{
    for (int c = 0; c < 4; c++) {
        for (int r = 0; r < 3; r++) columns[c * 4 + r] = matrix->m[r][c];
    }
    columns[15] = 1.0f;
}

static bool export_skin(skin_writer *w, int32_t index)
{
    const sn_skin *source = &w->export->model->skins[index];
    sni_arena *arena = &w->export->save->scratch;
    float *binds = sni_new(arena, float, (uint64_t)source->joint_count * 16);
    int32_t *joints = sni_new_raw(arena, int32_t, source->joint_count);
    if (!binds || !joints) return false;
    for (uint32_t i = 0; i < source->joint_count; i++) {
        joints[i] = take_joint(w, index, source->joints[i]);
        if (joints[i] < 0) return false;
        put_columns(&source->inverse_bind[i], binds + (size_t)i * 16);
    }
    w->skin_of[index] = (int32_t)w->count;
    w->skins[w->count++] = (gltf_skin){
        .object.name = gltf_name_or_null(source->name),
        .joints = { joints, source->joint_count },
        .skeleton = -1,
        .inverse_binds = gltf_pack_floats(&w->export->pack, GLTF_BINDS, binds, source->joint_count, GLTF_MAT4, false),
    };
    return true;
}

// Only skins that bend something; the groups' numbers follow.
bool gltf_export_skins(gltf_export *export)
{
    const sn_model *model = export->model;
    sni_arena *arena = &export->save->scratch;
    skin_writer w = { .export = export,
                      .skins = sni_new(arena, gltf_skin, model->skin_count),
                      .skin_of = sni_new_raw(arena, int32_t, model->skin_count),
                      .used_by = sni_new_raw(arena, int32_t, model->node_count) };
    if (!w.skins || !w.skin_of || !w.used_by) return false;
    for (uint32_t i = 0; i < model->skin_count; i++) w.skin_of[i] = -1;
    for (uint32_t i = 0; i < model->node_count; i++) w.used_by[i] = -1;
    for (uint32_t i = 0; i < export->group_count; i++) {
        int32_t index = export->groups[i].skin;
        if (index < 0) continue;
        if (w.skin_of[index] < 0 && !export_skin(&w, index)) return false;
        gltf_node_at(export, export->groups[i].holder)->skin = w.skin_of[index];
    }
    export->doc->skins = w.skins;
    export->doc->skin_count = w.count;
    return true;
}
