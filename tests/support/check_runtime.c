#include "check_runtime.h"

#include "check_model.h"
#include "counting_heap.h"
#include "sinew/runtime.h"

#define DEMAND_NAME "runtime"
#include "demand.h"

#include <math.h>
#include <string.h>

enum { MOST_CLIPS = 4, MOST_PARTS = 4, MOST_EVENTS = 64, INSTANCES = 9, MOST_MATRICES = 4096, NODES_WANTED = 2 };

// Beyond this, sums and products of a model's own numbers may leave the range of a float.
static const double extreme = 1e12;

typedef struct runtime {
    const sn_model *model;
    const sn_motion *motion;
    sn_pose *pose;
    uint8_t choice;
    bool is_tame;
} runtime;

static void demand_finite(const runtime *r, const char *what, uint32_t index, const void *values, size_t count)
{
    for (size_t i = 0; i < count && r->is_tame; i++)
        demand(isfinite(((const float *)values)[i]), "%s %u is not finite", what, index);
}

static void check_pose(const runtime *r)
{
    for (uint32_t i = 0; i < r->model->node_count; i++) {
        const sn_trs local = sn_pose_local(r->pose, (int32_t)i);
        const sn_mat34 world = sn_pose_world(r->pose, (int32_t)i);
        const sn_quat q = local.rotation;
        const double square = (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w;
        demand(!r->is_tame || (square > 0.999 && square < 1.001), "the rotation of node %u has the square %g", i,
               square);
        demand_finite(r, "the transform of node", i, &local, 10);
        demand_finite(r, "the matrix of node", i, &world, 12);
    }
    for (uint32_t i = 0; i < r->model->skin_count; i++)
        demand_finite(r, "palette", i, sn_pose_palette(r->pose, (int32_t)i),
                      (size_t)r->model->skins[i].joint_count * 12);
}

// Clips

static void play_clip(const runtime *r, int32_t clip)
{
    static const sn_view view = { { 3, 4, 5 }, { 0, 1, 0 }, { 0, 0, 1 }, { 1, 0, 0 } };
    const float duration = clip < 0 ? 1.0f : r->model->clips[clip].duration;
    const float times[] = { 0, 0.37f * duration, duration, -0.4f * duration, 2.3f * duration, 1e30f, NAN, -INFINITY };
    const int32_t last = (int32_t)r->model->node_count - 1;
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const sn_view *seen = i % 2 ? &view : NULL;
        if (i % 3 == 0) sn_motion_sample_solve(r->motion, r->pose, clip, times[i], times[i], seen);
        else sn_motion_sample(r->motion, r->pose, clip, times[i], 3), sn_motion_solve(r->motion, r->pose, seen);
        check_pose(r);
    }
    const sn_motion_layer layers[] = { { .clip = clip, .seconds = 0.3f * duration, .weight = 0.5f },
                                       { .clip = -1, .weight = 0.25f },
                                       { .clip = clip, .seconds = duration, .weight = 2 },
                                       { .clip = clip, .seconds = 0.6f * duration, .weight = 1, .is_additive = true } };
    sn_motion_sample_layers(r->motion, r->pose, layers, 4, 0.5f);
    sn_motion_solve(r->motion, r->pose, NULL);
    check_pose(r);
    if (last < 0) return;
    const sn_trs delta = sn_motion_root_delta(r->motion, clip, last, -0.2f * duration, 2.2f * duration);
    demand_finite(r, "the way of node", (uint32_t)last, &delta, 10);
    uint32_t cursor = 0, count = 0;
    while (count < MOST_EVENTS && sn_event_next(r->model, clip, -duration, 2 * duration, &cursor, NULL)) count++;
}

static void play_all(const runtime *r)
{
    static const float steps[] = { 0.1f, 0, -0.2f, 100, INFINITY, NAN, 1e30f };
    sn_player player = { 0 };
    for (int32_t clip = -1; clip < (int32_t)r->model->clip_count && clip < MOST_CLIPS; clip++) {
        play_clip(r, clip);
        sn_player_play(&player, r->model, clip, 0.2f);
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            sn_motion_layer layers[2];
            sn_player_advance(&player, r->model, steps[i]);
            const uint32_t count = sn_player_layers(&player, layers);
            sn_motion_sample_layers(r->motion, r->pose, layers, count, player.clock);
            check_pose(r);
        }
    }
    sn_motion_solve(r->motion, r->pose, NULL);
}

// Changes of a solved pose

static void reach(const runtime *r)
{
    const sn_node *nodes = r->model->nodes;
    const sn_vec3 target = { 1, 2, 3 };
    int32_t end = (int32_t)r->model->node_count - 1, middle, start;
    while (end > 0 && (nodes[end].parent < 0 || nodes[nodes[end].parent].parent < 0)) end--;  // with two nodes above
    middle = end < 0 ? -1 : nodes[end].parent, start = middle < 0 ? -1 : nodes[middle].parent;
    sn_pose_aim(r->pose, &(sn_aim){ .node = end, .axis = { 0, 1, 0 }, .target = target, .weight = 0.5f });
    sn_pose_two_bone_ik(r->pose, &(sn_two_bone_ik){ .start = start,
                                                    .middle = middle,
                                                    .end = end,
                                                    .target = target,
                                                    .pole = { 0, 0, 9 },
                                                    .has_pole = r->choice & 32,
                                                    .keep_end_rotation = r->choice & 16,
                                                    .weight = 1 });
    const sn_chain_ik chain = { .start = start, .end = end, .target = target, .weight = 1 };
    demand(!(sn_pose_chain_ik(r->pose, &chain) < 0), "the distance that is left is negative");
    check_pose(r);
    sn_pose *other = sn_pose_create(r->model, NULL, NULL);
    demand(other, "no second pose");
    const sn_blend_layer layers[] = { { r->pose, 0.75f, false, NULL }, { other, 0.5f, r->choice & 64, NULL } };
    sn_motion_blend(r->motion, other, layers, 2);
    sn_pose_attach(other, r->pose, end, NULL);
    sn_motion_solve(r->motion, other, NULL);
    sn_pose_free(other);
    if (end >= 0) sn_pose_solve_below(r->pose, end);
    check_pose(r);
}

static void run_crowd(const runtime *r, const sn_allocator *allocator)
{
    static sn_mat34 palettes[MOST_MATRICES], worlds[INSTANCES * NODES_WANTED];
    const int32_t wanted[NODES_WANTED] = { 0, (int32_t)r->model->node_count - 1 };
    const int32_t clip = (int32_t)r->model->clip_count - 1;
    sn_crowd_instance instances[INSTANCES];
    uint64_t joints = 0;
    for (uint32_t i = 0; i < r->model->skin_count; i++) joints += r->model->skins[i].joint_count;
    if (joints * INSTANCES > MOST_MATRICES || r->model->node_count == 0) return;
    for (int i = 0; i < INSTANCES; i++)
        instances[i] = (sn_crowd_instance){ clip, i % 3 - 1 < clip ? i % 3 - 1 : clip, 0.3f * (float)i, 0.1f,
                                            0.125f * (float)i };
    sn_error error;
    sn_crowd *crowd = sn_crowd_create(r->motion, 1, allocator, &error);
    demand(crowd, "no crowd: %s", error.message);
    const sn_crowd_output output = {
        .palettes = palettes, .nodes = wanted, .node_count = NODES_WANTED, .node_worlds = worlds
    };
    sn_crowd_palettes(crowd, 0, instances, INSTANCES, 0.7f, &output);
    demand_finite(r, "the crowd's palette", 0, palettes, (size_t)joints * INSTANCES * 12);
    demand_finite(r, "the crowd's node", 0, worlds, INSTANCES * NODES_WANTED * (size_t)12);
    sn_crowd_free(crowd);
}

// Skinners

static void check_bounds(const runtime *r, uint32_t part, const sn_bounds *bounds, const sn_vec3 *positions,
                         uint32_t count)
{
    const float *low = &bounds->min.x, *high = &bounds->max.x;
    for (uint32_t i = 0; i < count && r->is_tame; i++)
        for (int k = 0; k < 3; k++) {
            const float at = (&positions[i].x)[k];
            const double slack = 1e-3 * fmax(fabs((double)low[k]), fabs((double)high[k])) + 1e-6;
            demand(at >= low[k] - slack && at <= high[k] + slack, "part %u: vertex %u is at %g, outside of %g to %g",
                   part, i, (double)at, (double)low[k], (double)high[k]);
        }
}

static void skin_part(const runtime *r, uint32_t index, const sn_allocator *allocator)
{
    const sn_part *part = &r->model->parts[index];
    const sn_mesh *mesh = &r->model->meshes[part->mesh];
    const bool has_joints = mesh->influence_count > 0;
    const sn_mat34 world = sn_pose_world(r->pose, part->node);
    const sn_mat34 *palette = !has_joints ? &world : part->skin >= 0 ? sn_pose_palette(r->pose, part->skin) : NULL;
    const float *morphs = sn_pose_morphs(r->pose, (int32_t)index);
    sn_error error;
    const sn_skinner_opts opts = { .allocator = *allocator, .dual_quaternions = r->choice & 8 };
    sn_skinner *skinner = sn_skinner_create(r->model, part->mesh, &opts, &error);
    demand(skinner, "no skinner: %s", error.message);
    sn_vec3 *positions = malloc((mesh->vertex_count + 1u) * sizeof *positions);
    sn_vec3 *normals = malloc((mesh->vertex_count + 1u) * sizeof *normals);
    sn_vec4 *tangents = malloc((mesh->vertex_count + 1u) * sizeof *tangents);
    if (!positions || !normals || !tangents) abort();
    const sn_skin_output output = { .positions = positions, .normals = normals, .tangents = tangents };
    sn_skinner_run(skinner, r->pose, (int32_t)index, &output);
    demand_finite(r, "a position of part", index, positions, (size_t)mesh->vertex_count * 3);
    if (mesh->normals) demand_finite(r, "a normal of part", index, normals, (size_t)mesh->vertex_count * 3);
    if (mesh->tangents) demand_finite(r, "a tangent of part", index, tangents, (size_t)mesh->vertex_count * 4);
    if (palette) {
        const sn_bounds bounds = sn_skinner_bounds(skinner, palette, morphs);
        sn_skinner_run_palette(skinner, palette, morphs, &output);
        check_bounds(r, index, &bounds, positions, mesh->vertex_count);
    }
    free(positions), free(normals), free(tangents);
    sn_skinner_free(skinner);
}

// Files

static void save_motion(const runtime *r)
{
    sn_bytes first, second;
    sn_error error;
    if (sn_motion_save_memory(r->motion, NULL, &first, &error) != SN_OK) {  // a value that is too large
        demand(error.status == SN_ERR_INVALID, "the motion is not saved: %s", error.message);
        return;
    }
    sn_motion *again = sn_motion_load_memory(first.data, first.size, r->model, NULL, &error);
    demand(again, "the saved motion is not loaded: %s", error.message);
    demand(sn_motion_save_memory(again, NULL, &second, &error) == SN_OK, "not saved again: %s", error.message);
    demand(first.size == second.size && memcmp(first.data, second.data, first.size) == 0, "saved differently");
    sn_bytes_free(&first), sn_bytes_free(&second);
    sn_motion_free(again);
}

static uint64_t work_of(const sn_model *model, uint64_t *track_bytes)
{
    uint64_t work = model->node_count * (uint64_t)(1 + model->clip_count);
    for (uint32_t i = 0; i < model->clip_count; i++)
        for (uint32_t t = 0; t < model->clips[i].track_count; t++) {
            const sn_track *track = &model->clips[i].tracks[t];
            const uint64_t floats = (uint64_t)track->key_count * (track->interpolation >= SN_HERMITE ? 3 : 1) *
                                    track->width;
            work += floats;
            *track_bytes += 4 * (floats + track->key_count);
        }
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_mesh *mesh = &model->meshes[model->parts[i].mesh];
        work += (uint64_t)mesh->vertex_count * (1 + mesh->morph_count + mesh->influence_count);
    }
    return work;
}

void check_runtime(const sn_model *model, uint8_t choice, uint64_t work)
{
    counting_heap heap = { 0 };
    const sn_allocator allocator = counting_allocator(&heap);
    uint64_t track_bytes = 0;
    sn_error error;
    const double extent = model_extent(model);
    runtime r = { .model = model, .choice = choice, .is_tame = extent < extreme };
    if (work_of(model, &track_bytes) > work) return;
    const sn_motion_opts opts = { .allocator = allocator,
                                  .nlerp = choice & 1,
                                  .quantize = choice & 2,
                                  .max_error = choice & 4 && r.is_tame ? (float)(1e-3 * extent) : 0 };
    sn_motion *motion = sn_motion_create(model, &opts, &error);
    demand(heap.peak_bytes <= (64u << 20) + 32 * track_bytes, "%llu bytes of memory",
           (unsigned long long)heap.peak_bytes);
    if (motion) {
        r.motion = motion;
        r.pose = sn_pose_create(model, &allocator, &error);
        demand(r.pose, "no pose: %s", error.message);
        play_all(&r);
        for (uint32_t i = 0; i < model->part_count && i < MOST_PARTS; i++) skin_part(&r, i, &allocator);
        reach(&r);
        run_crowd(&r, &allocator);
        save_motion(&r);
        sn_pose_free(r.pose);
    } else {
        check_error(&error);
        demand(error.status == SN_ERR_LIMIT || error.status == SN_ERR_INVALID, "no motion: %s", error.message);
        demand(!r.is_tame || error.status == SN_ERR_LIMIT, "no motion of a model without extreme numbers: %s",
               error.message);
    }
    sn_motion_free(motion);
    demand(heap.live_blocks == 0, "%llu blocks live", (unsigned long long)heap.live_blocks);
}
