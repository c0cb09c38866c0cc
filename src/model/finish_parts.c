#include <math.h>

#include "model/builder.h"
#include "model/sanitize.h"

static void mend_index(sni_load *load, const char *what, int32_t *index, uint32_t count)
{
    if (*index >= -1 && *index < (int32_t)count) return;
    sni_warn(&load->diag, SNI_WARN_REFERENCE, 0, "%s %d of %u", what, *index, count);
    *index = -1;
}

static void finish_skin(sni_load *load, sn_model *model, uint32_t index)
{
    sn_skin *skin = &sni_mut(sn_skin, model->skins)[index];
    sn_node *nodes = sni_mut(sn_node, model->nodes);
    int32_t *joints = sni_mut(int32_t, skin->joints);
    sni_sanitize fixes = { 0 };
    if (!skin->name) skin->name = "";
    if (model->node_count == 0) skin->joint_count = 0;
    sni_enter_named(&load->diag, "skins", index, skin->name);
    for (uint32_t i = 0; i < skin->joint_count; i++) {
        if (joints[i] < 0) joints[i] = 0;  // was warned of when its number was checked
        nodes[joints[i]].flags |= SN_NODE_JOINT;
    }
    sni_sanitize_floats(&fixes, sni_mut(float, skin->inverse_bind), (uint64_t)skin->joint_count * 12);
    sni_sanitize_report(load, &fixes, 0);
    if (skin->joint_count == 0) sni_warn(&load->diag, SNI_WARN_SKIN_EMPTY, 0, "a skin without joints");
    sni_leave(&load->diag);
}

static bool mend_morph_weights(sni_load *load, sn_part *part, uint32_t morph_count)
{
    if (morph_count == 0) {
        part->morph_weights = NULL;
        return true;
    }
    sni_sanitize fixes = { 0 };
    if (!part->morph_weights) part->morph_weights = sni_new(&load->keep, float, morph_count);
    if (!part->morph_weights) return false;
    sni_sanitize_floats(&fixes, sni_mut(float, part->morph_weights), morph_count);
    sni_sanitize_report(load, &fixes, 0);
    return true;
}

// One more than the highest joint that a mesh's vertices name.
static uint32_t *count_joints(sni_load *load, const sn_model *model)
{
    uint32_t *counts = sni_new(&load->scratch, uint32_t, model->mesh_count);
    for (uint32_t i = 0; counts && i < model->mesh_count; i++) {
        const sn_mesh *mesh = &model->meshes[i];
        uint64_t total = (uint64_t)mesh->vertex_count * mesh->influence_count;
        for (uint64_t at = 0; at < total; at++)
            if (mesh->vertex_joints[at] >= counts[i]) counts[i] = mesh->vertex_joints[at] + 1u;
    }
    return counts;
}

static bool can_bend(const sn_model *model, const sn_part *part, const uint32_t *joint_counts)
{
    return model->meshes[part->mesh].influence_count > 0 && model->skins[part->skin].joint_count > 0 &&
           joint_counts[part->mesh] <= model->skins[part->skin].joint_count;
}

// False when the part shows nothing and must go.
static bool finish_part(sni_load *load, sn_model *model, sn_part *part, const uint32_t *joint_counts)
{
    mend_index(load, "mesh", &part->mesh, model->mesh_count);
    mend_index(load, "skin", &part->skin, model->skin_count);
    mend_index(load, "material", &part->material, model->material_count);
    if (part->mesh < 0 || part->node < 0) {
        sni_warn(&load->diag, SNI_WARN_REFERENCE, 0, "a part without mesh or node");
        return false;
    }
    const sn_mesh *mesh = &model->meshes[part->mesh];
    if (part->skin >= 0 && !can_bend(model, part, joint_counts)) {
        sni_warn(&load->diag, SNI_WARN_SKIN_WITHOUT_WEIGHTS, 0, "skin %d cannot bend mesh %d", part->skin, part->mesh);
        part->skin = -1;
    }
    if (part->lod < -1 || part->lod >= (int32_t)model->lod_count) part->lod = -1;
    sni_sanitize fixes = { 0 };
    sni_sanitize_floats(&fixes, &part->color.x, 4);
    sni_sanitize_report(load, &fixes, 0);
    return mend_morph_weights(load, part, mesh->morph_count);
}

static void renumber_part_tracks(sn_model *model, const int32_t *new_of, uint32_t old_count)
{
    for (uint32_t i = 0; i < model->clip_count; i++) {
        sn_track *tracks = sni_mut(sn_track, model->clips[i].tracks);
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) {
            if (tracks[t].target_kind != SN_TARGET_PART || tracks[t].target < 0) continue;
            tracks[t].target = (uint32_t)tracks[t].target < old_count ? new_of[tracks[t].target] : -1;
        }
    }
}

static bool finish_all_parts(sni_load *load, sn_model *model)
{
    sn_part *parts = sni_mut(sn_part, model->parts);
    uint32_t kept = 0, count = model->part_count;
    int32_t *new_of = sni_new_raw(&load->scratch, int32_t, count);
    uint32_t *joint_counts = count_joints(load, model);
    if (!new_of || !joint_counts) return false;
    for (uint32_t i = 0; i < count; i++) {
        sni_enter(&load->diag, "parts", i);
        bool is_good = finish_part(load, model, &parts[i], joint_counts);
        new_of[i] = is_good ? (int32_t)kept : -1;
        if (is_good) parts[kept++] = parts[i];
        sni_leave(&load->diag);
    }
    model->part_count = kept;
    if (kept != count) renumber_part_tracks(model, new_of, count);
    return sni_load_ok(load);
}

static void finish_layer(sni_load *load, const sn_model *model, sn_layer *layer)
{
    sni_sanitize fixes = { 0 };
    sni_sanitize_floats(&fixes, &layer->color.x, 4);
    sni_sanitize_floats(&fixes, &layer->emissive.x, 3);
    sni_sanitize_floats(&fixes, &layer->metallic, 1);
    sni_sanitize_floats(&fixes, &layer->roughness, 1);
    sni_sanitize_floats(&fixes, &layer->alpha_cutoff, 1);
    for (int i = 0; i < SN_MAP_COUNT; i++) {
        sn_texture *map = &layer->maps[i];
        mend_index(load, "image", &map->image, model->image_count);
        if (map->uv_set < 0) map->uv_set = 0;
        sni_sanitize_floats(&fixes, &map->strength, 1);
        sni_sanitize_floats(&fixes, &map->transform.offset.x, 2);
        sni_sanitize_floats(&fixes, &map->transform.rotation, 1);
        sni_sanitize_floats(&fixes, &map->transform.scale.x, 2);
    }
    sni_sanitize_report(load, &fixes, 0);
}

static void finish_materials(sni_load *load, sn_model *model)
{
    sn_material *materials = sni_mut(sn_material, model->materials);
    for (uint32_t i = 0; i < model->material_count; i++) {
        if (!materials[i].name) materials[i].name = "";
        sni_enter_named(&load->diag, "materials", i, materials[i].name);
        sn_layer *layers = sni_mut(sn_layer, materials[i].layers);
        for (uint32_t l = 0; l < materials[i].layer_count; l++) finish_layer(load, model, &layers[l]);
        sni_leave(&load->diag);
    }
    sn_image *images = sni_mut(sn_image, model->images);
    for (uint32_t i = 0; i < model->image_count; i++) {
        if (!images[i].name) images[i].name = "";
        if (!images[i].uri) images[i].uri = "";
        if (!images[i].mime_type) images[i].mime_type = "";
    }
}

static void finish_cameras_and_lights(sni_load *load, sn_model *model)
{
    sni_sanitize fixes = { 0 };
    sn_camera *cameras = sni_mut(sn_camera, model->cameras);
    for (uint32_t i = 0; i < model->camera_count; i++) {
        if (!cameras[i].name) cameras[i].name = "";
        sni_sanitize_floats(&fixes, &cameras[i].fov_y, 6);
    }
    sn_light *lights = sni_mut(sn_light, model->lights);
    for (uint32_t i = 0; i < model->light_count; i++) {
        if (!lights[i].name) lights[i].name = "";
        sni_sanitize_floats(&fixes, &lights[i].color.x, 3);
        sni_sanitize_floats(&fixes, &lights[i].intensity, 4);
    }
    sni_sanitize_report(load, &fixes, 0);
}

static void finish_scenes(sni_load *load, sn_model *model)
{
    sn_scene *scenes = sni_mut(sn_scene, model->scenes);
    for (uint32_t i = 0; i < model->scene_count; i++) {
        if (!scenes[i].name) scenes[i].name = "";
    }
    if (model->scene_count == 0) model->default_scene = -1;
    else mend_index(load, "scene", &model->default_scene, model->scene_count);
    if (model->scene_count > 0 && model->default_scene < 0) model->default_scene = 0;
}

bool sni_finish_parts(sni_load *load, sn_model *model)
{
    for (uint32_t i = 0; i < model->skin_count; i++) finish_skin(load, model, i);
    if (!finish_all_parts(load, model)) return false;
    finish_materials(load, model);
    finish_cameras_and_lights(load, model);
    finish_scenes(load, model);
    return sni_load_ok(load);
}
