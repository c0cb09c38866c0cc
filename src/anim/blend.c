#include "anim/pose.h"
#include "base/math.h"

#include <string.h>

static sn_trs trs_blend(const sn_trs *a, const sn_trs *b, float weight)
{
    sn_trs out = { sni_vec3_lerp(a->translation, b->translation, weight),
                   sni_quat_slerp(a->rotation, b->rotation, weight), sni_vec3_lerp(a->scale, b->scale, weight) };
    return out;
}

static sn_vec2 vec2_blend(sn_vec2 a, sn_vec2 b, float weight)
{
    sn_vec2 out = { sni_lerp(a.x, b.x, weight), sni_lerp(a.y, b.y, weight) };
    return out;
}

static sn_vec4 vec4_blend(sn_vec4 a, sn_vec4 b, float weight)
{
    sn_vec4 out = { sni_lerp(a.x, b.x, weight), sni_lerp(a.y, b.y, weight), sni_lerp(a.z, b.z, weight),
                    sni_lerp(a.w, b.w, weight) };
    return out;
}

static sn_layer_state layer_blend(const sn_layer_state *a, const sn_layer_state *b, float weight)
{
    sn_layer_state out = { .color = vec4_blend(a->color, b->color, weight),
                           .emissive = sni_vec3_lerp(a->emissive, b->emissive, weight),
                           .image = weight < 0.5f ? a->image : b->image };
    out.uv.offset = vec2_blend(a->uv.offset, b->uv.offset, weight);
    out.uv.rotation = sni_lerp(a->uv.rotation, b->uv.rotation, weight);
    out.uv.scale = vec2_blend(a->uv.scale, b->uv.scale, weight);
    return out;
}

// What has no middle is taken from the nearer pose. A node that either pose moved counts as moved.
static void blend_nodes(sn_pose *pose, const sn_pose *other, float weight)
{
    for (uint32_t i = 0; i < pose->model->node_count; i++) {
        uint8_t near_flags = weight < 0.5f ? pose->node_flags[i] : other->node_flags[i];
        uint8_t moved = (uint8_t)((pose->node_flags[i] | other->node_flags[i]) & SNI_NODE_REPLACED);
        sn_trs a = sni_pose_get_local(pose, i), b = sni_pose_get_local(other, i), mixed = trs_blend(&a, &b, weight);
        sni_pose_set_local(pose, i, &mixed);
        pose->node_flags[i] = (uint8_t)((near_flags & SNI_NODE_SHOWN) | moved);
    }
}

static void blend_parts(sn_pose *pose, const sn_pose *other, float weight)
{
    const sn_model *model = pose->model;
    for (uint32_t i = 0; i < model->part_count; i++) {
        pose->part_colors[i] = vec4_blend(pose->part_colors[i], other->part_colors[i], weight);
        if (weight >= 0.5f) pose->part_is_shown[i] = other->part_is_shown[i];
        float *morphs = pose->morphs + pose->morph_starts[i];
        const float *others = other->morphs + other->morph_starts[i];
        for (uint32_t k = 0; k < sni_morph_count(model, &model->parts[i]); k++)
            morphs[k] = sni_lerp(morphs[k], others[k], weight);
    }
}

static void blend_layers(sn_pose *pose, const sn_pose *other, float weight)
{
    const sn_model *model = pose->model;
    for (uint32_t i = 0; i < model->material_count; i++) {
        size_t start = pose->layer_starts[i];
        for (size_t k = start; k < start + model->materials[i].layer_count; k++)
            pose->layers[k] = layer_blend(&pose->layers[k], &other->layers[k], weight);
    }
}

static void blend_cameras_lights(sn_pose *pose, const sn_pose *other, float weight)
{
    for (uint32_t i = 0; i < pose->model->light_count; i++) {
        pose->lights[i].color = sni_vec3_lerp(pose->lights[i].color, other->lights[i].color, weight);
        pose->lights[i].intensity = sni_lerp(pose->lights[i].intensity, other->lights[i].intensity, weight);
    }
    for (uint32_t i = 0; i < pose->model->camera_count; i++)
        pose->fovs[i] = sni_lerp(pose->fovs[i], other->fovs[i], weight);
}

// Poses of different models have nothing to blend; root and scene stay those of `pose`.
void sn_pose_blend(sn_pose *pose, const sn_pose *other, float weight)
{
    if (!other || other == pose || other->model != pose->model || !(weight > 0.0f)) return;
    pose->rest_id = 0;
    pose->shown_is_solved = false;
    pose->others_are_rest = pose->others_are_rest && other->others_are_rest;
    if (weight >= 1.0f) {
        pose->others_are_rest = other->others_are_rest;
        memcpy(pose->state, other->state, pose->state_size);
        return;
    }
    blend_nodes(pose, other, weight);
    blend_parts(pose, other, weight);
    blend_layers(pose, other, weight);
    blend_cameras_lights(pose, other, weight);
}
