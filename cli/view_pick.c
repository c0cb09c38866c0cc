// Which bone a click means.
#include <math.h>

#include "base/arena.h"
#include "base/math.h"
#include "view_state.h"

static sn_vec3 place_of(const sn_pose *pose, int32_t node)
{
    sn_mat34 world = sn_pose_world(pose, node);
    return sni_mat34_column(&world, 3);
}

static bool has_joints(const sn_model *model)
{
    for (uint32_t i = 0; i < model->node_count; i++)
        if (model->nodes[i].flags & SN_NODE_JOINT) return true;
    return false;
}

static float distance_to_link(sn_vec2 a, sn_vec2 b, sn_vec2 p)
{
    float x = b.x - a.x, y = b.y - a.y, square = x * x + y * y;
    float part = square > 0 ? fminf(fmaxf(((p.x - a.x) * x + (p.y - a.y) * y) / square, 0), 1) : 0;
    return hypotf(p.x - a.x - x * part, p.y - a.y - y * part);
}

// The best so far: joints go before links, as they are small; among equals the nearer to the pixel.
typedef struct candidate {
    int32_t node;
    float farness;
} candidate;

static void consider(candidate *best, int32_t node, float farness, float reach)
{
    if (farness < best->farness && farness < reach * 2) *best = (candidate){ node, farness };
}

int32_t cli_pick_bone(const cli_picture *picture, const sn_model *model, const sn_pose *pose, sn_vec2 pixel,
                      float reach)
{
    bool only_joints = has_joints(model);
    candidate best = { -1, INFINITY };
    for (int32_t i = 0; i < (int32_t)model->node_count; i++) {
        sn_vec2 at, parent_at;
        float depth;
        int32_t parent = model->nodes[i].parent;
        if (only_joints && !(model->nodes[i].flags & SN_NODE_JOINT)) continue;
        if (!cli_picture_place(picture, place_of(pose, i), &at, &depth)) continue;
        float from_joint = hypotf(pixel.x - at.x, pixel.y - at.y);
        if (from_joint < reach) consider(&best, i, from_joint, reach);
        bool has_link = parent >= 0 && (!only_joints || (model->nodes[parent].flags & SN_NODE_JOINT));
        if (!has_link || !cli_picture_place(picture, place_of(pose, parent), &parent_at, &depth)) continue;
        float from_link = distance_to_link(parent_at, at, pixel);
        if (from_link < reach) consider(&best, parent, reach + from_link, reach);
    }
    return best.node;
}

typedef struct hit {
    float distance;
    int32_t part;
    uint32_t triangle;
} hit;

// The distance along the ray, or a negative one; either side counts.
static float meet(const cli_ray *ray, sn_vec3 a, sn_vec3 b, sn_vec3 c)
{
    sn_vec3 ab = sni_sub(b, a), ac = sni_sub(c, a), across = sni_cross(ray->along, ac), from = sni_sub(ray->from, a);
    float det = sni_dot(ab, across);
    if (det == 0) return -1;
    float u = sni_dot(from, across) / det;
    sn_vec3 other = sni_cross(from, ab);
    float v = sni_dot(ray->along, other) / det;
    return u >= 0 && v >= 0 && u + v <= 1 ? sni_dot(ac, other) / det : -1;
}

static bool meet_part(const sn_model *model, const sn_pose *pose, int32_t part, const cli_ray *ray, sni_heap *heap,
                      hit *first)
{
    const sn_mesh *mesh = &model->meshes[model->parts[part].mesh];
    size_t bytes = (size_t)mesh->vertex_count * sizeof(sn_vec3);
    if (mesh->topology != SN_TRIANGLES || bytes == 0) return true;
    sn_vec3 *at = sni_heap_alloc(heap, bytes);
    if (!at) return false;
    sn_skin_part(pose, part, at, NULL, NULL);
    for (uint32_t i = 0; i + 2 < mesh->index_count; i += 3) {
        float distance = meet(ray, at[mesh->indices[i]], at[mesh->indices[i + 1]], at[mesh->indices[i + 2]]);
        if (distance > 0 && distance < first->distance) *first = (hit){ distance, part, i };
    }
    sni_heap_free(heap, at, bytes);
    return true;
}

// Of the triangle's three vertices together.
static int32_t heaviest_joint(const sn_mesh *mesh, const sn_skin *skin, uint32_t triangle)
{
    int32_t best = -1;
    float most = 0;
    uint32_t count = mesh->influence_count;
    for (uint32_t i = 0; i < 3 * count; i++) {
        uint16_t joint = mesh->vertex_joints[(size_t)mesh->indices[triangle + i / count] * count + i % count];
        float sum = 0;
        for (uint32_t k = 0; k < 3 * count; k++) {
            size_t at = (size_t)mesh->indices[triangle + k / count] * count + k % count;
            if (mesh->vertex_joints[at] == joint) sum += mesh->vertex_weights[at];
        }
        if (sum > most) most = sum, best = skin->joints[joint];
    }
    return best;
}

int32_t cli_pick_surface(const sn_model *model, const sn_pose *pose, const cli_ray *ray, const sn_allocator *allocator)
{
    sni_heap heap;
    hit first = { INFINITY, -1, 0 };
    sni_heap_init(&heap, allocator, UINT64_MAX);
    for (int32_t i = 0; i < (int32_t)model->part_count; i++)
        if (sn_pose_shows(pose, i) && !meet_part(model, pose, i, ray, &heap, &first)) return -1;
    if (first.part < 0) return -1;
    const sn_part *part = &model->parts[first.part];
    const sn_mesh *mesh = &model->meshes[part->mesh];
    if (part->skin < 0 || mesh->influence_count == 0) return part->node;
    return heaviest_joint(mesh, &model->skins[part->skin], first.triangle);
}
