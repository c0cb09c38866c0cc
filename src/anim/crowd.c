// Crowds: eight instances at a time. Each is sampled like a pose; then their local transforms are transposed, so that a
// register holds one number of eight instances, and solved together.
#include "anim/motion.h"
#include "model/builder.h"

#include <string.h>

// Memory of one worker.
typedef struct worker {
    sn_pose *poses[SNI_LANES];  // sampled transforms; also what nodes need that are solved the exact way
    sn_pose *out, *in;          // the two clips of a cross-fade
    float *worlds;              // SNI_MATRIX8_FLOATS per node
} worker;

struct sn_crowd {
    const sn_motion *motion;
    sni_heap heap;
    uint32_t worker_count, joint_count;
    worker *workers;
    float *worlds;
};

static bool create_worker(sn_crowd *crowd, uint32_t index, const sn_allocator *allocator, sn_error *error)
{
    worker *w = &crowd->workers[index];
    const sn_model *model = crowd->motion->model;
    w->worlds = crowd->worlds + (size_t)index * model->node_count * SNI_MATRIX8_FLOATS;
    sn_pose **poses[SNI_LANES + 2] = { [SNI_LANES] = &w->out, [SNI_LANES + 1] = &w->in };
    for (int i = 0; i < SNI_LANES; i++) poses[i] = &w->poses[i];
    for (int i = 0; i < SNI_LANES + 2; i++) {
        sn_pose *pose = *poses[i] = sn_pose_create(model, allocator, error);
        if (!pose) return false;
        pose->keys.lanes = NULL;  // the next instance is elsewhere in time
    }
    return true;
}

sn_crowd *sn_crowd_create(const sn_motion *motion, uint32_t workers, const sn_allocator *allocator, sn_error *error)
{
    const sn_model *model = motion->model;
    sni_diag diag;
    sni_heap heap;
    uint32_t count = workers > 0 ? workers : 1;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, allocator, UINT64_MAX);
    heap.diag = &diag;
    sn_crowd *crowd = sni_heap_alloc(&heap, sizeof *crowd);
    if (error) *error = diag.error;
    if (!crowd) return NULL;
    *crowd = (sn_crowd){ .motion = motion, .heap = heap, .worker_count = count };
    for (uint32_t i = 0; i < model->skin_count; i++) crowd->joint_count += model->skins[i].joint_count;

    uint64_t floats = (uint64_t)count * model->node_count * SNI_MATRIX8_FLOATS;
    crowd->workers = sni_heap_alloc(&crowd->heap, count * sizeof *crowd->workers);
    if (crowd->workers) memset(crowd->workers, 0, count * sizeof *crowd->workers);
    if (floats <= SIZE_MAX / sizeof(float))
        crowd->worlds = sni_heap_alloc(&crowd->heap, (size_t)floats * sizeof(float));
    else sni_fail(&diag, SN_ERR_MEMORY, 0, "a crowd of this model is too large to address");
    if (error) *error = diag.error;
    crowd->heap.diag = NULL;
    bool is_made = crowd->workers && crowd->worlds;
    for (uint32_t i = 0; i < count && is_made; i++) is_made = create_worker(crowd, i, allocator, error);
    if (is_made) return crowd;
    sn_crowd_free(crowd);
    return NULL;
}

void sn_crowd_free(sn_crowd *crowd)
{
    if (!crowd) return;
    size_t node_count = crowd->motion->model->node_count;
    for (uint32_t i = 0; i < crowd->worker_count && crowd->workers; i++) {
        for (int k = 0; k < SNI_LANES; k++) sn_pose_free(crowd->workers[i].poses[k]);
        sn_pose_free(crowd->workers[i].out);
        sn_pose_free(crowd->workers[i].in);
    }
    sni_heap heap = crowd->heap;
    size_t floats = crowd->worker_count * node_count * SNI_MATRIX8_FLOATS;
    if (crowd->workers) sni_heap_free(&heap, crowd->workers, crowd->worker_count * sizeof *crowd->workers);
    if (crowd->worlds) sni_heap_free(&heap, crowd->worlds, floats * sizeof(float));
    sni_heap_free(&heap, crowd, sizeof *crowd);
}

// Local transforms of an instance. The two clips of a cross-fade have poses of their own: what they do not move is then
// in place for the next instance.
static void sample_instance(const sn_motion *motion, const sn_crowd_instance *instance, float clock, worker *w,
                            sn_pose *pose)
{
    float fade = instance->previous < 0 ? 1.0f : instance->fade;
    if (fade >= 1.0f) {
        sni_motion_sample_locals(motion, pose, instance->clip, instance->seconds, clock);
    } else if (!(fade > 0.0f)) {
        sni_motion_sample_locals(motion, pose, instance->previous, instance->previous_seconds, clock);
    } else {
        sni_motion_sample_locals(motion, w->out, instance->previous, instance->previous_seconds, clock);
        sni_motion_sample_locals(motion, w->in, instance->clip, instance->seconds, clock);
        const sni_blend_source sources[2] = { { w->out->locals, NULL, 1.0f - fade }, { w->in->locals, NULL, fade } };
        motion->kernels->blend(sources, 2, motion->rest.rest, motion->model->node_count, pose->locals);
        if (motion->has_matrices)  // whether a node was moved matters to those only
            for (uint32_t i = 0; i < motion->model->node_count; i++)
                pose->node_flags[i] = w->out->node_flags[i] | w->in->node_flags[i];
        pose->rest_id = 0;
    }
}

static void solve_group(sn_crowd *crowd, worker *w, const sn_crowd_output *output, const uint32_t members[SNI_LANES],
                        uint32_t count)
{
    const sn_motion *motion = crowd->motion;
    uint32_t stride = output->palette_stride ? output->palette_stride : crowd->joint_count;
    sni_crowd_group group = { 0 };
    for (uint32_t i = 0; i < SNI_LANES; i++) {
        uint32_t member = i < count ? i : 0;  // lanes that are left do the same as the first
        group.poses[i] = w->poses[member];
        if (output->roots) group.poses[i]->root = output->roots[members[member]];
        if (output->palettes) group.palettes[i] = output->palettes + (size_t)members[member] * stride;
    }
    motion->kernels->crowd_solve(motion, &group, output->node_count > 0, w->worlds);
    for (uint32_t k = 0; k < output->node_count; k++) {
        sn_mat34 *to[SNI_LANES];
        for (uint32_t i = 0; i < SNI_LANES; i++)
            to[i] = output->node_worlds + (size_t)members[i < count ? i : 0] * output->node_count + k;
        motion->kernels->crowd_world(w->worlds, output->nodes[k], to);
    }
}

void sn_crowd_palettes(sn_crowd *crowd, uint32_t worker_index, const sn_crowd_instance *instances, uint32_t count,
                       float clock, const sn_crowd_output *output)
{
    worker *w = &crowd->workers[worker_index];
    uint32_t members[SNI_LANES], member_count = 0;
    for (int i = 0; i < SNI_LANES; i++) w->poses[i]->root = sni_mat34_identity;
    for (uint32_t i = 0; i < count; i++) {
        if (!output->culled || !output->culled[i]) {
            sample_instance(crowd->motion, &instances[i], clock, w, w->poses[member_count]);
            members[member_count++] = i;
        }
        if (member_count == SNI_LANES || (i + 1 == count && member_count > 0)) {
            solve_group(crowd, w, output, members, member_count);
            member_count = 0;
        }
    }
}
