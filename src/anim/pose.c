#include "anim/pose.h"

#include "base/math.h"
#include "model/builder.h"
#include "model/check.h"

#include <string.h>

enum { ALIGNMENT = 64 };  // a line of the cache

// Hands out pieces of one block. Without a base it only measures.
typedef struct carver {
    uint8_t *base;
    size_t size;
    bool overflowed;
} carver;

static void *carve(carver *block, uint64_t count, size_t item_size)
{
    if (count > (SIZE_MAX - block->size - ALIGNMENT) / item_size) block->overflowed = true;
    if (block->overflowed) return NULL;
    void *piece = block->base ? block->base + block->size : NULL;
    block->size += ((size_t)count * item_size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return piece;
}

static uint64_t total_morphs(const sn_model *model)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < model->part_count; i++) total += sni_morph_count(model, &model->parts[i]);
    return total;
}

static uint64_t total_layers(const sn_model *model)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < model->material_count; i++) total += model->materials[i].layer_count;
    return total;
}

static uint64_t total_joints(const sn_model *model)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < model->skin_count; i++) total += model->skins[i].joint_count;
    return total;
}

static bool has_flag(const sn_model *model, uint32_t flags)
{
    for (uint32_t i = 0; i < model->node_count; i++)
        if (model->nodes[i].flags & flags) return true;
    return false;
}

static void carve_state(sn_pose *pose, carver *block, const sn_model *model)
{
    pose->state = carve(block, 0, 1);
    size_t start = block->size;
    pose->locals = carve(block, sni_block_count(model->node_count), sizeof(sni_trs8));
    pose->node_flags = carve(block, sni_block_count(model->node_count), SNI_LANES);
    pose->part_colors = carve(block, model->part_count, sizeof(sn_vec4));
    pose->part_is_shown = carve(block, model->part_count, 1);
    pose->morphs = carve(block, total_morphs(model), sizeof(float));
    pose->layers = carve(block, total_layers(model), sizeof(sn_layer_state));
    pose->lights = carve(block, model->light_count, sizeof(sn_light_state));
    pose->fovs = carve(block, model->camera_count, sizeof(float));
    pose->state_size = block->size - start;
}

// Runs twice, over nothing to measure and then over the block, so the two cannot disagree.
static void carve_pose(sn_pose *pose, carver *block, const sn_model *model)
{
    carve_state(pose, block, model);
    pose->worlds = carve(block, model->node_count, sizeof(sn_mat34));
    pose->node_is_shown = carve(block, model->node_count, 1);
    pose->node_in_scene = carve(block, model->node_count, 1);
    pose->palettes = carve(block, total_joints(model), sizeof(sn_mat34));
    pose->morph_starts = carve(block, model->part_count, sizeof(size_t));
    pose->layer_starts = carve(block, model->material_count, sizeof(size_t));
    pose->palette_starts = carve(block, model->skin_count, sizeof(size_t));
    pose->first_parts = carve(block, model->node_count, sizeof(int32_t));
    pose->next_parts = carve(block, model->part_count, sizeof(int32_t));
    pose->marks = carve(block, model->node_count, 1);
    pose->keys.lanes = carve(block, 3 * (uint64_t)sni_block_count(model->node_count), sizeof(sni_lane_cache));
    if (has_flag(model, SNI_NOT_INHERITED))
        pose->accumulated = carve(block, model->node_count, sizeof(sni_accumulated));
    if (has_flag(model, SN_NODE_OWN_TRANSLATION))
        pose->rest_positions = carve(block, model->node_count, sizeof(sn_vec3));
    pose->layer = carve(block, 1, sizeof(sn_pose));
    sn_pose measured = { 0 };
    carve_state(pose->layer ? pose->layer : &measured, block, model);
    pose->layer_weights = carve(block, sni_block_count(model->node_count), SNI_LANES * sizeof(float));
}

static void fill_starts(sn_pose *pose)
{
    const sn_model *model = pose->model;
    size_t at = 0;
    for (uint32_t i = 0; i < model->part_count; i++) {
        pose->morph_starts[i] = at;
        at += sni_morph_count(model, &model->parts[i]);
    }
    at = 0;
    for (uint32_t i = 0; i < model->material_count; i++) {
        pose->layer_starts[i] = at;
        at += model->materials[i].layer_count;
    }
    at = 0;
    for (uint32_t i = 0; i < model->skin_count; i++) {
        pose->palette_starts[i] = at;
        at += model->skins[i].joint_count;
    }
}

static void link_parts(sn_pose *pose)
{
    const sn_model *model = pose->model;
    for (uint32_t i = 0; i < model->node_count; i++) pose->first_parts[i] = -1;
    for (uint32_t i = model->part_count; i-- > 0;) {
        int32_t node = model->parts[i].node;
        pose->next_parts[i] = pose->first_parts[node];
        pose->first_parts[node] = (int32_t)i;
    }
}

// Where the nodes stand when nothing moves them and no flag sets them apart from their parents.
static void fill_rest_positions(sn_pose *pose)
{
    const sn_model *model = pose->model;
    if (!pose->rest_positions) return;
    for (uint32_t i = 0; i < model->node_count; i++) {
        const sn_node *node = &model->nodes[i];
        sn_mat34 local = sni_trs_matrix(&node->rest, node->flags & SN_NODE_SCALE_PARENT_AXES);
        if (node->matrix) local = *node->matrix;
        const sn_mat34 *parent = node->parent < 0 ? &sni_mat34_identity : &pose->worlds[node->parent];
        pose->worlds[i] = sni_mat34_mul(parent, &local);
        pose->rest_positions[i] = sni_mat34_column(&pose->worlds[i], 3);
    }
}

sn_pose *sn_pose_create(const sn_model *model, const sn_allocator *allocator, sn_error *error)
{
    sni_diag diag;
    sni_heap heap;
    sn_pose *pose = NULL, measured = { 0 };
    carver block = { .size = sizeof(sn_pose) + ALIGNMENT };
    if (sni_model_require(model, error) != SN_OK) return NULL;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, allocator, UINT64_MAX);
    heap.diag = &diag;
    carve_pose(&measured, &block, model);
    if (block.overflowed) sni_fail(&diag, SN_ERR_MEMORY, 0, "a pose of this model is too large to address");
    else pose = sni_heap_alloc(&heap, block.size);
    if (error) *error = diag.error;
    if (!pose) return NULL;
    heap.diag = NULL;

    memset(pose, 0, block.size);
    pose->model = model;
    pose->heap = heap;
    pose->size = block.size;
    pose->root = sni_mat34_identity;
    pose->block_count = sni_block_count(model->node_count);
    block = (carver){ .base = (uint8_t *)pose + sizeof(sn_pose) };
    block.base += (ALIGNMENT - (uintptr_t)block.base % ALIGNMENT) % ALIGNMENT;
    carve_pose(pose, &block, model);
    fill_starts(pose);
    link_parts(pose);
    fill_rest_positions(pose);
    sn_pose *layer = pose->layer;
    layer->model = model;
    layer->block_count = pose->block_count;
    layer->morph_starts = pose->morph_starts, layer->layer_starts = pose->layer_starts;
    layer->first_parts = pose->first_parts, layer->next_parts = pose->next_parts;
    sni_pose_reset(layer);
    sn_pose_set_scene(pose, model->default_scene);
    sni_pose_reset(pose);
    sn_pose_solve(pose, NULL);
    return pose;
}

void sni_pose_copy_others(sn_pose *pose, const sn_pose *from)
{
    size_t start = (size_t)((uint8_t *)pose->part_colors - pose->state);
    memcpy(pose->part_colors, from->part_colors, pose->state_size - start);
    pose->others_are_rest = from->others_are_rest;
    pose->rest_id = 0;
}

void sn_pose_free(sn_pose *pose)
{
    if (!pose) return;
    sni_heap heap = pose->heap;
    sni_heap_free(&heap, pose, pose->size);
}

void sn_pose_set_local(sn_pose *pose, int32_t node, sn_trs local)
{
    if (!sni_has(pose->model->node_count, node)) return;
    local.rotation = sni_quat_unit_or_identity(local.rotation);
    sni_pose_set_local(pose, (uint32_t)node, &local);
    pose->node_flags[node] |= SNI_NODE_REPLACED;
}

void sn_pose_set_root(sn_pose *pose, const sn_mat34 *transform)
{
    pose->root = transform ? *transform : sni_mat34_identity;
}

void sn_pose_set_scene(sn_pose *pose, int32_t scene)
{
    const sn_model *model = pose->model;
    pose->scene = sni_has(model->scene_count, scene) ? scene : -1;
    memset(pose->node_in_scene, pose->scene < 0, model->node_count);
    if (pose->scene < 0) return;
    const sn_scene *shown = &model->scenes[scene];
    for (uint32_t i = 0; i < shown->root_count; i++) pose->node_in_scene[shown->roots[i]] = 1;
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent;
        if (parent >= 0 && pose->node_in_scene[parent]) pose->node_in_scene[i] = 1;
    }
}

sn_trs sn_pose_local(const sn_pose *pose, int32_t node)
{
    return sni_has(pose->model->node_count, node) ? sni_pose_get_local(pose, (uint32_t)node) : sni_trs_identity;
}

sn_mat34 sn_pose_world(const sn_pose *pose, int32_t node)
{
    return sni_has(pose->model->node_count, node) ? pose->worlds[node] : sni_mat34_identity;
}

const sn_mat34 *sn_pose_palette(const sn_pose *pose, int32_t skin)
{
    return sni_has(pose->model->skin_count, skin) ? pose->palettes + pose->palette_starts[skin] : NULL;
}

void sn_pose_set_lod(sn_pose *pose, int32_t lod) { pose->lod = lod; }

bool sn_pose_shows(const sn_pose *pose, int32_t part)
{
    if (!sni_has(pose->model->part_count, part)) return false;
    int32_t node = pose->model->parts[part].node, lod = pose->model->parts[part].lod;
    if (lod >= 0 && lod != pose->lod) return false;
    return pose->part_is_shown[part] && pose->node_is_shown[node] && pose->node_in_scene[node];
}

sn_vec4 sn_pose_color(const sn_pose *pose, int32_t part)
{
    sn_vec4 white = { 1, 1, 1, 1 };
    return sni_has(pose->model->part_count, part) ? pose->part_colors[part] : white;
}

const float *sn_pose_morphs(const sn_pose *pose, int32_t part)
{
    if (!sni_has(pose->model->part_count, part)) return NULL;
    if (sni_morph_count(pose->model, &pose->model->parts[part]) == 0) return NULL;
    return pose->morphs + pose->morph_starts[part];
}

sn_layer_state sn_pose_layer(const sn_pose *pose, int32_t material, int32_t layer)
{
    sn_layer_state white = { .color = { 1, 1, 1, 1 }, .uv.scale = { 1, 1 }, .image = -1 };
    if (!sni_has(pose->model->material_count, material)) return white;
    if (!sni_has(pose->model->materials[material].layer_count, layer)) return white;
    return pose->layers[pose->layer_starts[material] + (size_t)layer];
}

sn_light_state sn_pose_light(const sn_pose *pose, int32_t light)
{
    if (!sni_has(pose->model->light_count, light)) return (sn_light_state){ 0 };
    int32_t node = pose->model->lights[light].node;
    sn_light_state state = pose->lights[light];
    if (node >= 0 && !(pose->node_is_shown[node] && pose->node_in_scene[node])) state.intensity = 0.0f;
    return state;
}

float sn_pose_fov(const sn_pose *pose, int32_t camera)
{
    return sni_has(pose->model->camera_count, camera) ? pose->fovs[camera] : 0.0f;
}
