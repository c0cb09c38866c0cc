// Bounds of a skinned mesh from the boxes of its joints.
//
// Linear blending: a vertex is a weighted mean of where each of its joints would move it, so it is inside the box
// around the moved boxes.
//
// Dual quaternions: let y(j) be where joint j alone moves the blended stretch z of a vertex. The blend is a quotient of
// quadratic forms in the dual quaternions; grouped by pairs of joints it is
//     sum over j of w(j) * (sum over k of w(k) d(j,k)) / N * y(j)  +  sum over pairs of w(j) w(k) (2 + 2 d(j,k)) / N *
//     e(j,k)
// with d the dot products of the real parts, N = sum over j, k of w(j) w(k) d(j,k), and e(j,k) the step from the middle
// of y(j) and y(k) to the middle of the screw motion from one to the other. That step is at most |y(j) - y(k)| / 2 *
// tan(angle / 4), and (1 + d) tan(angle / 4) = sin(angle / 2) = sqrt(1 - d^2). While all d >= 0 the first sum is a mean
// of the y(j), and the second at most Q / N * max |y(j) - y(k)| sqrt(1 - d^2), where Q = sum over pairs of w(j) w(k) is
// at most (1 - 1 / n) / 2 for n joints, and N = 1 - 2 sum over pairs of w(j) w(k) (1 - d(j,k)).
#include "skin/skinner.h"

#include <stdlib.h>

typedef struct pair_limits {
    float apart;    // the largest |y(j) - y(k)|
    float arc;      // the largest |y(j) - y(k)| * sqrt(1 - d^2)
    float stretch;  // the farthest that a vertex's stretch is from that of one of its joints
    float least_dot;
} pair_limits;

static int compare_pairs(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return *a < *b ? -1 : *a > *b;
}

// Calls for each pair of joints that moves the vertex: the smaller joint in the upper half of the key.
static void visit_pairs(const sn_mesh *mesh, uint32_t vertex, void (*visit)(void *user, uint32_t key, sn_vec3 position),
                        void *user)
{
    const uint16_t *joints = mesh->vertex_joints + (size_t)vertex * mesh->influence_count;
    const float *weights = mesh->vertex_weights + (size_t)vertex * mesh->influence_count;
    for (uint32_t i = 0; i < mesh->influence_count; i++)
        for (uint32_t k = 0; weights[i] != 0.0f && k < mesh->influence_count; k++)
            if (weights[k] != 0.0f && joints[i] < joints[k])
                visit(user, (uint32_t)joints[i] << 16 | joints[k], mesh->positions[vertex]);
}

typedef struct pair_keys {
    uint32_t *keys;
    size_t count;
} pair_keys;

static void count_key(void *user, uint32_t key, sn_vec3 position)
{
    (void)key, (void)position;
    ((pair_keys *)user)->count++;
}

static void put_key(void *user, uint32_t key, sn_vec3 position)
{
    pair_keys *to = user;
    (void)position;
    to->keys[to->count++] = key;
}

static void grow_pair(void *user, uint32_t key, sn_vec3 position)
{
    sn_skinner *skinner = user;
    uint32_t low = 0, high = skinner->pair_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (skinner->pairs[middle].key <= key) low = middle;
        else high = middle;
    }
    sni_box_add(&skinner->pairs[low].box, position);
}

bool sni_skinner_make_pairs(sn_skinner *skinner, sni_arena *scratch)
{
    const sn_mesh *mesh = skinner->mesh;
    pair_keys all = { 0 };
    for (uint32_t i = 0; mesh->influence_count > 0 && i < mesh->vertex_count; i++)
        visit_pairs(mesh, i, count_key, &all);
    if (all.count == 0) return true;
    all.keys = sni_new_raw(scratch, uint32_t, all.count);
    if (!all.keys) return false;
    all.count = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) visit_pairs(mesh, i, put_key, &all);
    qsort(all.keys, all.count, sizeof *all.keys, compare_pairs);
    for (size_t i = 0; i < all.count; i++) skinner->pair_count += i == 0 || all.keys[i] != all.keys[i - 1];
    sni_joint_pair *at = skinner->pairs = sni_new_raw(&skinner->arena, sni_joint_pair, skinner->pair_count);
    if (!at) return false;
    for (size_t i = 0; i < all.count; i++)
        if (i == 0 || all.keys[i] != all.keys[i - 1]) *at++ = (sni_joint_pair){ all.keys[i], sni_box_empty };
    for (uint32_t i = 0; i < mesh->vertex_count; i++) visit_pairs(mesh, i, grow_pair, skinner);
    return true;
}

static sn_mat34 difference(const float *a, const float *b)
{
    sn_mat34 out;
    for (int i = 0; i < 12; i++) out.m[i / 4][i % 4] = a[i] - b[i];
    return out;
}

// The distance of two affine functions is largest at a corner.
static void add_pair(pair_limits *limits, const sni_box *common, const sn_mat34 *a, const sn_mat34 *b,
                     const sni_skin_dual *dual_a, const sni_skin_dual *dual_b)
{
    sn_mat34 moved = difference(a->m[0], b->m[0]), stretched = difference(dual_a->stretch, dual_b->stretch);
    float apart = 0.0f, stretch = 0.0f, dot = 0.0f;
    for (int i = 0; i < 8; i++) {
        sn_vec3 corner = sni_box_corner(common->min, common->max, i);
        apart = fmaxf(apart, (float)sni_length(sni_mat34_point(&moved, corner)));
        stretch = fmaxf(stretch, (float)sni_length(sni_mat34_vector(&stretched, corner)));
    }
    for (int i = 0; i < 4; i++) dot += dual_a->motion[i] * dual_b->motion[i];
    dot = fminf(fabsf(dot), 1.0f);
    apart += 2.0f * stretch;
    limits->apart = fmaxf(limits->apart, apart);
    limits->arc = fmaxf(limits->arc, apart * sqrtf(1.0f - dot * dot));
    limits->stretch = fmaxf(limits->stretch, stretch);
    limits->least_dot = fminf(limits->least_dot, dot);
}

static sni_box grown(sni_box box, const sni_box *by)
{
    box.min = sni_add(box.min, by->min);
    box.max = sni_add(box.max, by->max);
    return box;
}

enum { MOST_DUALS = 256 };  // on the stack; of more joints, those of a pair at a time

static pair_limits limits_of_pairs(const sn_skinner *skinner, const sn_mat34 *palette, const sni_box *morphs)
{
    pair_limits limits = { .least_dot = 1.0f };
    sni_skin_dual duals[MOST_DUALS], *a = &duals[0], *b = &duals[1];
    bool has_all = skinner->boxes.joint_count <= MOST_DUALS;
    if (has_all) sni_skin_duals_make(palette, skinner->boxes.joint_count, duals);
    for (uint32_t i = 0; i < skinner->pair_count; i++) {
        uint32_t first = skinner->pairs[i].key >> 16, second = skinner->pairs[i].key & 0xffff;
        sni_box box = grown(skinner->pairs[i].box, morphs);
        if (has_all) a = &duals[first], b = &duals[second];
        else sni_skin_duals_make(palette + first, 1, a), sni_skin_duals_make(palette + second, 1, b);
        add_pair(&limits, &box, &palette[first], &palette[second], a, b);
    }
    return limits;
}

// How far a vertex may be from the mean of the places where its joints move it.
static float margin_of_duals(const sn_skinner *skinner, const sn_mat34 *palette, const sni_box *morphs)
{
    uint32_t most = 0;
    for (uint32_t i = 0; i < skinner->run_count; i++)
        if (skinner->runs[i].kind == SNI_SKIN_DUAL && skinner->runs[i].influences > most)
            most = skinner->runs[i].influences;
    if (most < 2) return 0.0f;
    pair_limits limits = limits_of_pairs(skinner, palette, morphs);
    float n = (float)most, q = 0.5f - 0.5f / n, least = 1.0f - 2.0f * q * (1.0f - limits.least_dot), outside = 0.0f;
    // Signs follow the heaviest joint. Two others may be on opposite sides of it, then some d are negative. Against the
    // heaviest all dots are positive, so N is at least its weight squared.
    if (most > 2 && limits.least_dot < 0.70711f) {
        least = 1.0f / (n * n);
        outside = limits.apart / least;
    }
    return limits.stretch + q / least * limits.arc + outside;
}

static sni_box range_of_morphs(const sn_skinner *skinner, const float *weights)
{
    sni_box out = { { 0, 0, 0 }, { 0, 0, 0 } };
    for (uint32_t i = 0; weights && i < skinner->mesh->morph_count; i++) {
        sni_box by = skinner->boxes.morphs[i].box;
        float weight = weights[i];
        out.min = sni_add(out.min, sni_scale(weight < 0 ? by.max : by.min, weight));
        out.max = sni_add(out.max, sni_scale(weight < 0 ? by.min : by.max, weight));
    }
    return out;
}

typedef struct moved_box {
    sn_vec3 center, half;  // half.x < 0: empty
} moved_box;

// A box grown by what the morphs add, then moved, then grown by the margin.
static moved_box move_box(const sni_box *box, const sni_box *morphs, const sn_mat34 *by, float margin)
{
    if (sni_box_is_empty(box)) return (moved_box){ .half = { -1, -1, -1 } };
    sni_box all = grown(*box, morphs);
    sn_vec3 half = sni_scale(sni_sub(all.max, all.min), 0.5f);
    moved_box out = { .center = sni_mat34_point(by, sni_add(all.min, half)) };
    const float(*m)[4] = by->m;
    out.half = sni_vec3(fabsf(m[0][0]) * half.x + fabsf(m[0][1]) * half.y + fabsf(m[0][2]) * half.z + margin,
                        fabsf(m[1][0]) * half.x + fabsf(m[1][1]) * half.y + fabsf(m[1][2]) * half.z + margin,
                        fabsf(m[2][0]) * half.x + fabsf(m[2][1]) * half.y + fabsf(m[2][2]) * half.z + margin);
    return out;
}

sn_bounds sn_skinner_bounds(const sn_skinner *skinner, const sn_mat34 *palette, const float *morph_weights)
{
    const sni_mesh_boxes *boxes = &skinner->boxes;
    bool is_rigid = skinner->mesh->influence_count == 0;
    uint32_t count = is_rigid ? 1 : boxes->joint_count;
    sni_box morphs = range_of_morphs(skinner, morph_weights), all = sni_box_empty;
    float margin = skinner->is_dual && !is_rigid ? margin_of_duals(skinner, palette, &morphs) : 0.0f, radius = 0.0f;
    for (uint32_t i = 0; i < count; i++) {
        moved_box moved = move_box(is_rigid ? &boxes->all : &boxes->joints[i], &morphs, &palette[i], margin);
        if (!(moved.half.x >= 0.0f)) continue;
        sni_box_add(&all, sni_sub(moved.center, moved.half));
        sni_box_add(&all, sni_add(moved.center, moved.half));
    }
    if (sni_box_is_empty(&all)) return (sn_bounds){ 0 };

    sn_vec3 center = sni_scale(sni_add(all.min, all.max), 0.5f), size = sni_sub(all.max, center);
    for (uint32_t i = 0; i < count; i++) {
        moved_box moved = move_box(is_rigid ? &boxes->all : &boxes->joints[i], &morphs, &palette[i], margin);
        if (!(moved.half.x >= 0.0f)) continue;
        radius = fmaxf(radius, (float)(sni_length(sni_sub(moved.center, center)) + sni_length(moved.half)));
    }
    radius = fminf(radius, (float)sni_length(size));
    // Weights sum to 1 within 1e-5, and numbers are rounded.
    float far = fmaxf(fmaxf(fabsf(center.x) + size.x, fabsf(center.y) + size.y), fabsf(center.z) + size.z) * 2e-5f;
    sn_vec3 by = sni_vec3(far, far, far);
    return (sn_bounds){ sni_sub(all.min, by), sni_add(all.max, by), center, radius + 2.0f * far };
}
