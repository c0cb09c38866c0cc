// Motions: made once, then sampled and solved.
#include "anim/motion.h"
#include "model/check.h"

#include <string.h>

static const sni_motion_kernels *kernels_of(sn_simd simd)
{
    switch (simd) {
#ifdef SNI_HAS_X86
    case SN_SIMD_SSE2: return &sni_motion_kernels_sse2;
    case SN_SIMD_AVX2: return &sni_motion_kernels_avx2;
#endif
#ifdef SNI_HAS_NEON
    case SN_SIMD_NEON: return &sni_motion_kernels_neon;
#endif
#ifdef SNI_HAS_WASM
    case SN_SIMD_WASM: return &sni_motion_kernels_wasm;
#endif
    default: return &sni_motion_kernels_scalar;
    }
}

// Nodes that stand apart from their parents, and those above them, whose rotation and scale must be accumulated; nodes
// with matrices; and nodes that scale along their parent's axes in a block of others.
static bool find_exact_nodes(sn_motion *motion)
{
    const sn_model *model = motion->model;
    motion->parents = sni_new_raw(&motion->arena, int32_t, model->node_count);
    motion->exact_lanes = sni_new(&motion->arena, uint8_t, motion->block_count);
    motion->parent_axes = sni_new(&motion->arena, uint8_t, motion->block_count);
    if (!motion->parents || !motion->exact_lanes || !motion->parent_axes) return false;
    for (uint32_t block = 0; block < motion->block_count; block++) {
        bool all = true;
        for (uint32_t i = block * SNI_LANES; i < model->node_count && i < (block + 1) * SNI_LANES; i++)
            all = all && (model->nodes[i].flags & SN_NODE_SCALE_PARENT_AXES);
        motion->parent_axes[block] = all;
    }
    for (uint32_t i = 0; i < model->node_count; i++) {
        const sn_node *node = &model->nodes[i];
        uint8_t *exact = &motion->exact_lanes[i / SNI_LANES];
        bool is_other = (node->flags & SN_NODE_SCALE_PARENT_AXES) && !motion->parent_axes[i / SNI_LANES];
        motion->parents[i] = node->parent;
        if (node->matrix) motion->has_matrices = true;
        if (node->matrix || is_other || node->flags & SNI_NOT_INHERITED) *exact |= (uint8_t)(1u << i % SNI_LANES);
    }
    // From the last node up, so that a node has all that its children need when it passes that on.
    uint8_t *is_needed = sni_new(&motion->arena, uint8_t, model->node_count);
    if (!is_needed) return false;
    for (uint32_t i = model->node_count; i-- > 0;) {
        int32_t parent = model->nodes[i].parent;
        if (is_needed[i]) motion->exact_lanes[i / SNI_LANES] |= (uint8_t)(1u << i % SNI_LANES);
        if (parent >= 0 && (is_needed[i] || model->nodes[i].flags & SNI_NOT_INHERITED)) is_needed[parent] = 1;
    }
    for (uint32_t block = 0; block < motion->block_count; block++)
        if (motion->exact_lanes[block]) motion->has_exact = true;
    return true;
}

static bool find_joints(sn_motion *motion)
{
    const sn_model *model = motion->model;
    uint64_t count = 0;
    for (uint32_t i = 0; i < model->skin_count; i++) count += model->skins[i].joint_count;
    motion->first_joints = sni_new_raw(&motion->arena, int32_t, model->node_count);
    motion->next_joints = sni_new_raw(&motion->arena, int32_t, count);
    motion->joint_binds = sni_new(&motion->arena, const sn_mat34 *, count);
    if (!motion->first_joints || !motion->next_joints || !motion->joint_binds) return false;
    for (uint32_t i = 0; i < model->node_count; i++) motion->first_joints[i] = -1;
    int32_t at = 0;
    for (uint32_t i = 0; i < model->skin_count; i++)
        for (uint32_t k = 0; k < model->skins[i].joint_count; k++, at++) {
            int32_t node = model->skins[i].joints[k];
            motion->joint_binds[at] = &model->skins[i].inverse_bind[k];
            motion->next_joints[at] = motion->first_joints[node];
            motion->first_joints[node] = at;
        }
    return true;
}

// A slot is free again after the last child of its node.
static bool find_world_slots(sn_motion *motion)
{
    const sn_model *model = motion->model;
    uint32_t free_count = 0;
    motion->world_slots = sni_new_raw(&motion->arena, int32_t, model->node_count);
    uint32_t *last_children = sni_new(&motion->arena, uint32_t, model->node_count);
    int32_t *free_slots = sni_new_raw(&motion->arena, int32_t, model->node_count);
    if (!motion->world_slots || !last_children || !free_slots) return false;
    for (uint32_t i = 0; i < model->node_count; i++)
        if (model->nodes[i].parent >= 0) last_children[model->nodes[i].parent] = i;
    for (uint32_t i = 0; i < model->node_count; i++) {
        int32_t parent = model->nodes[i].parent, *slot = &motion->world_slots[i];
        *slot = -1;
        if (last_children[i]) *slot = free_count ? free_slots[--free_count] : (int32_t)motion->world_slot_count++;
        if (parent >= 0 && last_children[parent] == i) free_slots[free_count++] = motion->world_slots[parent];
    }
    return true;
}

sn_motion *sni_motion_start(const sn_model *model, const sn_motion_opts *opts, uint64_t memory_bytes, sni_diag *diag)
{
    sn_simd simd = opts->simd;
    sni_heap heap;
    if (!sni_simd_choose(diag, &simd)) return NULL;
    sni_heap_init(&heap, &opts->allocator, memory_bytes);
    heap.elements = UINT32_MAX;
    heap.diag = diag;
    sn_motion *motion = sni_heap_alloc(&heap, sizeof *motion);
    if (!motion) return NULL;
    *motion = (sn_motion){ .model = model, .heap = heap, .nlerp = opts->nlerp };
    motion->saves_memory = opts->quantize || opts->max_error > 0.0f;
    sni_arena_init(&motion->arena, &motion->heap);
    motion->kernels = kernels_of(simd);
    motion->info.simd = simd;
    motion->block_count = sni_block_count(model->node_count);
    motion->clips = sni_new(&motion->arena, sni_motion_clip, model->clip_count);
    motion->node_moves = sni_new(&motion->arena, uint8_t, model->node_count);
    if (motion->clips && motion->node_moves && find_exact_nodes(motion) && find_joints(motion) &&
        find_world_slots(motion) && sni_motion_compile_clip(motion, -1, opts)) {
        motion->info.bytes = 0;
        return motion;
    }
    sn_motion_free(motion);
    return NULL;
}

void sni_motion_finish(sn_motion *motion)
{
    double seconds = 0.0;
    uint32_t moving = 0;
    for (uint32_t i = 0; i < motion->model->clip_count; i++)
        if (motion->clips[i].is_compiled) seconds += motion->clips[i].duration;
    for (uint32_t i = 0; i < motion->model->node_count; i++) moving += motion->node_moves[i];
    if (moving && seconds > 0.0)
        motion->info.bytes_per_node_second = (float)((double)motion->info.bytes / (moving * seconds));
    motion->heap.diag = NULL;
}

static uint64_t track_bytes(const sn_model *model)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < model->clip_count; i++)
        for (uint32_t k = 0; k < model->clips[i].track_count; k++) {
            const sn_track *track = &model->clips[i].tracks[k];
            total += (uint64_t)track->key_count * 4 * (1 + sni_track_floats_per_key(track));
        }
    return total;
}

static bool compile_clips(sn_motion *motion, const sn_motion_opts *opts)
{
    bool is_exact = !opts->quantize && !(opts->max_error > 0.0f);
    uint32_t count = opts->clips ? opts->clip_count : motion->model->clip_count;
    for (uint32_t i = 0; i < count; i++) {
        int32_t clip = opts->clips ? opts->clips[i] : (int32_t)i;
        if (!sni_has(motion->model->clip_count, clip))
            return sni_fail(motion->heap.diag, SN_ERR_INVALID, 0, "there is no clip %d", (int)clip);
        if (motion->clips[clip].is_compiled) continue;
        if (is_exact ? !sni_motion_compile_clip(motion, clip, opts) : !sni_motion_reduce_clip(motion, clip, opts))
            return false;
    }
    return true;
}

sn_motion *sn_motion_create(const sn_model *model, const sn_motion_opts *opts, sn_error *error)
{
    const sn_motion_opts defaults = { 0 };
    const uint64_t most = 2ull << 30;
    sni_diag diag;
    if (!opts) opts = &defaults;
    if (sni_model_require(model, error) != SN_OK) return NULL;
    sni_diag_init(&diag, NULL);
    uint64_t limit = opts->memory_bytes, tracks = track_bytes(model);
    if (limit == 0) limit = tracks > (most - (64 << 20)) / 32 ? most : (64 << 20) + 32 * tracks;
    sn_motion *motion = sni_motion_start(model, opts, limit, &diag);
    if (motion && !compile_clips(motion, opts)) {
        sn_motion_free(motion);
        motion = NULL;
    }
    if (motion) sni_motion_finish(motion);
    if (error) *error = diag.error;
    return motion;
}

void sn_motion_free(sn_motion *motion)
{
    if (!motion) return;
    sni_arena_free(&motion->arena);
    sni_heap heap = motion->heap;
    sni_heap_free(&heap, motion, sizeof *motion);
}

sn_motion_info sn_motion_get_info(const sn_motion *motion) { return motion->info; }

// Playing

void sni_motion_write_rest(const sni_motion_clip *clip, sni_trs8 *locals)
{
    for (uint32_t i = 0; i < clip->rest_count; i++) {
        uint32_t place = clip->rest_places[i], is_rotation = place % SNI_BLOCK_FLOATS == 3 * SNI_LANES;
        memcpy(sni_trs8_floats(locals) + place, sni_trs8_floats(clip->rest) + place,
               (is_rotation ? 4u : 3u) * SNI_LANES * sizeof(float));
    }
}

// What the clip does not move, unless it is there already.
static void set_rest(sn_pose *pose, const sni_motion_clip *clip)
{
    sni_motion_write_rest(clip, pose->locals);
    memcpy(pose->node_flags, clip->node_flags, (size_t)pose->block_count * SNI_LANES);
    sni_pose_reset_others(pose);
    pose->shown_is_solved = false;
    pose->rest_id = clip->id;
    pose->flags_id = clip->flags_id;
    pose->shown_id = clip->shown_id;
}

static void sample_others(sn_pose *pose, const sni_motion_clip *clip, float time, float clock)
{
    for (uint32_t i = 0; i < clip->other_count; i++) {
        sni_span span = sni_track_span(&clip->others[i], time, clip->duration, clock);
        sni_pose_sample_other(pose, &clip->others[i], &span);
    }
    if (clip->has_visibility) pose->shown_is_solved = false;
}

static inline void sample_locals(const sn_motion *motion, sn_pose *pose, const sni_motion_clip *clip, float time,
                                 float clock)
{
    if (pose->rest_id != clip->id) set_rest(pose, clip);
    motion->kernels->sample(clip, time, clock, pose->keys.lanes ? &pose->keys : NULL, pose->locals);
}

void sni_motion_sample_locals(const sn_motion *motion, sn_pose *pose, int32_t clip, float seconds, float clock)
{
    const sni_motion_clip *played = sni_motion_clip_at(motion, clip);
    sample_locals(motion, pose, played, sni_motion_clip_time(played, seconds), clock);
}

void sn_motion_sample(const sn_motion *motion, sn_pose *pose, int32_t clip, float seconds, float clock)
{
    const sni_motion_clip *played = sni_motion_clip_at(motion, clip);
    float time = sni_motion_clip_time(played, seconds);
    sample_locals(motion, pose, played, time, clock);
    if (played->other_count) sample_others(pose, played, time, clock);
}

void sn_motion_solve(const sn_motion *motion, sn_pose *pose, const sn_view *view)
{
    sni_pose_set_view(pose, view);
    motion->kernels->solve(motion, pose, view);
    if (!pose->shown_is_solved) sni_pose_solve_shown(pose);
}

void sn_motion_sample_solve(const sn_motion *motion, sn_pose *pose, int32_t clip, float seconds, float clock,
                            const sn_view *view)
{
    sn_motion_sample(motion, pose, clip, seconds, clock);
    sn_motion_solve(motion, pose, view);
}
