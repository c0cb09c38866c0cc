#include "runtime_workloads.h"

#include <math.h>
#include <sinew/build.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime_reference.h"

enum { MOST_JOINTS = 256, KEYS_PER_SECOND = 30, OWN_KEYS_PER_SECOND = 10, MIXED_INFLUENCES = 4 };

static const double pi = 3.14159265358979323846;

void *bench_alloc(size_t size, size_t count)
{
    void *memory = calloc(count ? count : 1, size);
    if (memory) return memory;
    fprintf(stderr, "out of memory\n");
    exit(3);
}

uint32_t bench_random_below(bench_random *random, uint32_t limit)
{
    random->state = random->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random->state >> 33) % limit);
}

double bench_random_between(bench_random *random, double low, double high)
{
    return low + (high - low) * bench_random_below(random, 1u << 30) / (1u << 30);
}

// The skeleton: parents before children, depth first.

typedef struct skeleton {
    uint32_t count;
    int32_t parents[MOST_JOINTS];
    sn_vec3 offsets[MOST_JOINTS];
} skeleton;

// A chain below a joint; returns its last joint.
static int32_t add_chain(skeleton *to, int32_t parent, uint32_t count, sn_vec3 offset)
{
    for (uint32_t i = 0; i < count; i++) {
        to->parents[to->count] = parent;
        to->offsets[to->count] = offset;
        parent = (int32_t)to->count++;
    }
    return parent;
}

static void add_chains(skeleton *to, int32_t parent, uint32_t chains, uint32_t count, sn_vec3 offset)
{
    for (uint32_t i = 0; i < chains; i++) {
        offset.z = 0.01f * (float)i;
        add_chain(to, parent, count, offset);
    }
}

static void make_humanoid(skeleton *to, uint32_t joints)
{
    // 1 + spine + head + face + locks * lock + 2 * (arm + 5 * finger) + 2 * leg joints
    static const struct {
        uint32_t joints, spine, face, locks, lock, arm, finger, leg;
    } sizes[] = { { 20, 3, 1, 0, 0, 4, 0, 3 }, { 67, 5, 3, 3, 3, 5, 3, 4 }, { 250, 6, 66, 14, 8, 6, 4, 6 } };
    size_t size = 0;
    while (sizes[size].joints != joints) size++;
    int32_t hips = add_chain(to, -1, 1, (sn_vec3){ 0, 0.95f, 0 });
    int32_t chest = add_chain(to, hips, sizes[size].spine, (sn_vec3){ 0, 0.55f / (float)sizes[size].spine, 0 });
    int32_t head = add_chain(to, chest, 1, (sn_vec3){ 0, 0.12f, 0 });
    add_chains(to, head, sizes[size].face, 1, (sn_vec3){ 0, 0.05f, 0 });
    add_chains(to, head, sizes[size].locks, sizes[size].lock, (sn_vec3){ 0, -0.05f, 0 });
    for (int side = -1; side <= 1; side += 2) {
        float out = (float)side * 0.7f / (float)sizes[size].arm;
        int32_t hand = add_chain(to, chest, sizes[size].arm, (sn_vec3){ out, 0, 0 });
        add_chains(to, hand, sizes[size].finger ? 5 : 0, sizes[size].finger, (sn_vec3){ (float)side * 0.03f, 0, 0 });
    }
    for (int side = -1; side <= 1; side += 2)
        add_chain(to, hips, sizes[size].leg, (sn_vec3){ (float)side * 0.03f, -0.9f / (float)sizes[size].leg, 0 });
}

static skeleton make_skeleton(const bench_plan *plan)
{
    skeleton out = { 0 };
    switch (plan->shape) {
    case BENCH_HUMANOID: make_humanoid(&out, plan->joints); break;
    case BENCH_CHAIN: add_chain(&out, -1, plan->joints, (sn_vec3){ 0, 1.8f / (float)plan->joints, 0 }); break;
    case BENCH_WIDE:
        add_chain(&out, -1, 1, (sn_vec3){ 0, 0.9f, 0 });
        add_chains(&out, 0, plan->joints - 1, 1, (sn_vec3){ 0.5f, 0, 0 });
        break;
    }
    return out;
}

// How a joint moves: three waves per component, of 1, 2 and 3 times a base frequency of at most 1 per second, each
// weaker than the one before.
typedef struct movement {
    ref_trs rest;
    double cycles, phases[9][3];
    double turn, move, swell;  // amplitudes: radians, metres, factor
} movement;

static double wave(const movement *of, int component, double share)
{
    static const double strengths[3] = { 1.0, 0.35, 0.12 };
    double sum = 0.0;
    for (int i = 0; i < 3; i++)
        sum += strengths[i] * sin(2 * pi * of->cycles * (i + 1) * share + of->phases[component][i]);
    return sum;
}

// `share` of the clip: 0 to 1.
static void moved_rotation(const movement *of, double share, double out[4])
{
    double v[3], length = 0.0;
    for (int i = 0; i < 3; i++) {
        v[i] = of->turn * wave(of, i, share);
        length += v[i] * v[i];
    }
    length = sqrt(length);
    double s = length > 0.0 ? sin(length / 2) / length : 0.5;
    double x = v[0] * s, y = v[1] * s, z = v[2] * s, w = cos(length / 2);
    const double *q = of->rest.rotation;
    out[0] = q[3] * x + q[0] * w + q[1] * z - q[2] * y;
    out[1] = q[3] * y - q[0] * z + q[1] * w + q[2] * x;
    out[2] = q[3] * z + q[0] * y - q[1] * x + q[2] * w;
    out[3] = q[3] * w - q[0] * x - q[1] * y - q[2] * z;
}

static void moved_value(const movement *of, sn_channel channel, double share, double out[4])
{
    if (channel == SN_CHANNEL_ROTATION) moved_rotation(of, share, out);
    for (int i = 0; i < 3 && channel == SN_CHANNEL_TRANSLATION; i++)
        out[i] = of->rest.translation[i] + of->move * wave(of, 3 + i, share);
    for (int i = 0; i < 3 && channel == SN_CHANNEL_SCALE; i++) out[i] = 1.0 + of->swell * wave(of, 6 + i, share);
}

static movement make_movement(bench_random *random, const sn_node *node, const bench_plan *plan)
{
    movement out = { .turn = 0.3, .move = node->parent < 0 ? 0.05 : 0.002, .swell = 0.01 };
    if (plan->only_turns) out.swell = 0.0, out.move = node->parent < 0 ? 0.05 : 0.0;
    ref_from_trs(&node->rest, &out.rest);
    out.cycles = 1 + bench_random_below(random, (uint32_t)plan->seconds);
    for (int i = 0; i < 27; i++) out.phases[i / 3][i % 3] = bench_random_between(random, 0, 2 * pi);
    return out;
}

static uint32_t make_times(bench_random *random, const bench_plan *plan, float *times)
{
    uint32_t count = (uint32_t)(plan->seconds * (plan->own_times ? OWN_KEYS_PER_SECOND : KEYS_PER_SECOND)) + 1;
    for (uint32_t i = 0; i < count; i++) {
        double late = plan->own_times && i > 0 && i < count - 1 ? bench_random_between(random, -0.4, 0.4) : 0.0;
        times[i] = (float)((i + late) * plan->seconds / (count - 1));
    }
    return count;
}

// The tangent before or after a key, as the interpolation wants it. Of rotations: squad's inner points, or the
// derivative of each component.
static void tangent(const movement *of, const sn_track *track, const bench_plan *plan, uint32_t key, int side,
                    double out[4])
{
    uint32_t other = side < 0 ? (key > 0 ? key - 1 : key) : (key + 1 < track->key_count ? key + 1 : key);
    double length = fabs((double)track->times[other] - track->times[key]), at = track->times[key] / plan->seconds;
    double step = 1e-4, value[4] = { 0 }, next[4] = { 0 };
    if (track->channel == SN_CHANNEL_ROTATION && track->interpolation != SN_CUBIC_SPLINE) {
        moved_value(of, SN_CHANNEL_ROTATION, at + side * 0.1 * length / plan->seconds, out);
        return;
    }
    moved_value(of, (sn_channel)track->channel, at, value);
    moved_value(of, (sn_channel)track->channel, at + step, next);
    for (uint32_t i = 0; i < track->width; i++) {
        double slope = (next[i] - value[i]) / (step * plan->seconds);
        out[i] = track->interpolation == SN_CUBIC_SPLINE ? slope
                 : track->interpolation == SN_HERMITE    ? slope * length
                                                         : value[i] + side * slope * length / 3;
    }
}

static void add_track(sn_builder *builder, int32_t clip, bench_random *random, const bench_plan *plan,
                      const movement *of, int32_t node, sn_channel channel)
{
    uint32_t most = (uint32_t)plan->seconds * KEYS_PER_SECOND + 1, width = channel == SN_CHANNEL_ROTATION ? 4 : 3;
    float *times = bench_alloc(sizeof *times, most), *values = bench_alloc(sizeof *values, (size_t)most * width * 3);
    sn_track track = { .channel = (uint8_t)channel, .interpolation = (uint8_t)plan->interpolation, .target = node };
    track.width = width;
    track.times = times;
    track.values = values;
    track.key_count = make_times(random, plan, times);
    float *at = values;
    for (uint32_t key = 0; key < track.key_count; key++) {
        for (int part = -1; part <= 1; part++) {
            double value[4];
            if (part == 0) moved_value(of, channel, times[key] / plan->seconds, value);
            else if (plan->interpolation >= SN_HERMITE) tangent(of, &track, plan, key, part, value);
            else continue;
            for (uint32_t i = 0; i < width; i++) *at++ = (float)value[i];
        }
    }
    sn_builder_add_track(builder, clip, &track);
    free(times);
    free(values);
}

static void add_clips(sn_builder *builder, bench_random *random, const bench_plan *plan, const sn_node *nodes)
{
    for (uint32_t i = 0; i < plan->clips; i++) {
        int32_t clip = sn_builder_add_clip(builder, &(sn_clip){ .duration = plan->seconds, .loops = true });
        for (int32_t node = 0; node < (int32_t)plan->joints; node++) {
            movement of = make_movement(random, &nodes[node], plan);
            add_track(builder, clip, random, plan, &of, node, SN_CHANNEL_TRANSLATION);
            add_track(builder, clip, random, plan, &of, node, SN_CHANNEL_ROTATION);
            add_track(builder, clip, random, plan, &of, node, SN_CHANNEL_SCALE);
        }
    }
}

static sn_quat small_rotation(bench_random *random, double most)
{
    double x = bench_random_between(random, -most, most), y = bench_random_between(random, -most, most);
    double z = bench_random_between(random, -most, most), length = sqrt(x * x + y * y + z * z + 1);
    return (sn_quat){ (float)(x / length), (float)(y / length), (float)(z / length), (float)(1 / length) };
}

static sn_vec3 random_direction(bench_random *random)
{
    double z = bench_random_between(random, -1, 1), turn = bench_random_between(random, 0, 2 * pi), r = sqrt(1 - z * z);
    return (sn_vec3){ (float)(r * cos(turn)), (float)(r * sin(turn)), (float)z };
}

static sn_vec4 tangent_of(sn_vec3 n)
{
    double x = fabsf(n.x) < 0.7f, y = 1 - x, along = x * n.x + y * n.y;  // an axis that is not near the normal
    x -= along * n.x, y -= along * n.y;
    double z = -along * n.z, length = sqrt(x * x + y * y + z * z);
    return (sn_vec4){ (float)(x / length), (float)(y / length), (float)(z / length), 1.0f };
}

// Different joints near a joint: itself, its ancestors, then those that follow by number.
static void find_near_joints(const sn_node *nodes, uint32_t joint_count, uint32_t joint, uint32_t count, uint16_t *out)
{
    int32_t above = (int32_t)joint;
    for (uint32_t i = 0, next = joint; i < count;) {
        uint32_t candidate = above >= 0 ? (uint32_t)above : (next = (next + 1) % joint_count);
        if (above >= 0) above = nodes[above].parent;
        bool is_new = true;
        for (uint32_t k = 0; k < i; k++) is_new = is_new && out[k] != candidate;
        if (is_new) out[i++] = (uint16_t)candidate;
    }
}

// Vertices around the joints in order, so that neighbours have the same joints, as in real meshes.
static void add_mesh(sn_builder *builder, bench_random *random, const bench_plan *plan, const sn_node *nodes,
                     const ref_mat34 *worlds)
{
    uint32_t count = plan->vertices, influences = plan->influences ? plan->influences : MIXED_INFLUENCES;
    sn_mesh mesh = { .vertex_count = count, .index_count = 3, .influence_count = influences };
    sn_vec3 *positions = bench_alloc(sizeof *positions, count), *normals = bench_alloc(sizeof *normals, count);
    sn_vec4 *tangents = bench_alloc(sizeof *tangents, count);
    uint16_t *joints = bench_alloc(sizeof *joints, (size_t)count * influences);
    float *weights = bench_alloc(sizeof *weights, (size_t)count * influences);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t joint = (uint32_t)((uint64_t)i * plan->joints / count);
        uint32_t used = plan->influences ? influences : 1 + bench_random_below(random, MIXED_INFLUENCES);
        sn_vec3 away = random_direction(random);
        positions[i].x = (float)worlds[joint].m[0][3] + 0.05f * away.x;
        positions[i].y = (float)worlds[joint].m[1][3] + 0.05f * away.y;
        positions[i].z = (float)worlds[joint].m[2][3] + 0.05f * away.z;
        normals[i] = random_direction(random);
        tangents[i] = tangent_of(normals[i]);
        double total = 0.0, shares[8];
        for (uint32_t k = 0; k < used; k++) total += shares[k] = bench_random_between(random, 0.1, 1.0) / (k + 1);
        for (uint32_t k = 0; k < used; k++) weights[(size_t)i * influences + k] = (float)(shares[k] / total);
        find_near_joints(nodes, plan->joints, joint, used, joints + (size_t)i * influences);
    }
    mesh.positions = positions, mesh.normals = normals, mesh.tangents = tangents;
    mesh.vertex_joints = joints, mesh.vertex_weights = weights;
    mesh.indices = (const uint32_t[3]){ 0, 1, 2 };
    int32_t index = sn_builder_add_mesh(builder, &mesh);
    sn_builder_add_part(builder, &(sn_part){ .mesh = index, .material = -1, .color = { 1, 1, 1, 1 } });
    free(positions), free(normals), free(tangents), free(joints), free(weights);
}

sn_model *bench_make_model(const bench_plan *plan)
{
    sn_error error;
    bench_random random = { 1 };
    skeleton bones = make_skeleton(plan);
    sn_node nodes[MOST_JOINTS];
    sn_builder *builder = sn_builder_create(NULL, NULL, &error);
    if (!builder || bones.count != plan->joints) {
        fprintf(stderr, "the generator made %u joints of %u\n", bones.count, plan->joints);
        sn_builder_free(builder);
        return NULL;
    }
    int32_t joints[MOST_JOINTS];
    ref_trs locals[MOST_JOINTS];
    for (uint32_t i = 0; i < bones.count; i++) {
        sn_trs rest = { bones.offsets[i], small_rotation(&random, 0.1), { 1, 1, 1 } };
        nodes[i] = (sn_node){ .parent = bones.parents[i], .rest = rest };
        joints[i] = sn_builder_add_node(builder, &nodes[i]);
        ref_from_trs(&rest, &locals[i]);
    }
    sn_model hierarchy = { .nodes = nodes, .node_count = bones.count };
    ref_mat34 worlds[MOST_JOINTS];
    sn_mat34 inverse_bind[MOST_JOINTS];
    ref_worlds(&hierarchy, locals, worlds);
    for (uint32_t i = 0; i < bones.count; i++) {
        ref_mat34 inverse = ref_inverse(&worlds[i]);
        for (int k = 0; k < 12; k++) inverse_bind[i].m[k / 4][k % 4] = (float)inverse.m[k / 4][k % 4];
    }
    sn_skin skin = { .joints = joints, .inverse_bind = inverse_bind, .joint_count = bones.count };
    for (uint32_t i = 0; i < plan->skins; i++) sn_builder_add_skin(builder, &skin);
    add_clips(builder, &random, plan, nodes);
    if (plan->vertices > 0) add_mesh(builder, &random, plan, nodes, worlds);
    sn_model *model = sn_builder_finish(builder, &error);
    if (!model) fprintf(stderr, "%s: %s\n", error.path, error.message);
    return model;
}
