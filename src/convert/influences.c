#include "convert/influences.h"

#include <string.h>

typedef struct influence {
    uint16_t joint;
    float weight;
} influence;

static uint32_t count_of_vertex(const sn_mesh *mesh, uint32_t vertex)
{
    const float *weights = mesh->vertex_weights + (size_t)vertex * mesh->influence_count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->influence_count; i++) count += weights[i] > 0.0f;
    return count;
}

uint32_t sni_count_influences(const sn_mesh *mesh)
{
    uint32_t most = 0;
    if (!mesh->vertex_weights || !mesh->vertex_joints) return 0;
    for (uint32_t i = 0; i < mesh->vertex_count && most < mesh->influence_count; i++) {
        uint32_t count = count_of_vertex(mesh, i);
        if (count > most) most = count;
    }
    return most;
}

static bool goes_before(influence a, influence b)
{
    return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
}

// Into a list of at most `most` that is sorted already. Equal in all respects: the earlier slot stays first.
static uint32_t insert(influence *kept, uint32_t count, uint32_t most, influence item)
{
    uint32_t at = count < most ? count : most;
    while (at > 0 && goes_before(item, kept[at - 1])) at--;
    if (at == most) return count;
    uint32_t moved = (count < most ? count : most - 1) - at;
    memmove(kept + at + 1, kept + at, moved * sizeof *kept);
    kept[at] = item;
    return count < most ? count + 1 : most;
}

static uint32_t pick(const sn_mesh *mesh, uint32_t vertex, influence *kept, uint32_t most)
{
    size_t start = (size_t)vertex * mesh->influence_count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->influence_count; i++) {
        influence item = { mesh->vertex_joints[start + i], mesh->vertex_weights[start + i] };
        if (item.weight > 0.0f) count = insert(kept, count, most, item);
    }
    return count;
}

static float sum_of(const influence *kept, uint32_t count)
{
    float sum = 0.0f;
    for (uint32_t i = 0; i < count; i++) sum += kept[i].weight;
    return sum;
}

// The sum is added up as a reader would, in float; what rounding left over goes to the heaviest.
static void make_sum_one(influence *kept, uint32_t count)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) sum += kept[i].weight;
    for (uint32_t i = 0; i < count; i++) kept[i].weight = (float)(kept[i].weight / sum);
    for (int tries = 0; tries < 4 && sum_of(kept, count) != 1.0f; tries++) kept[0].weight += 1.0f - sum_of(kept, count);
}

static void write_vertex(const sn_mesh *mesh, uint32_t vertex, influence *kept, uint32_t most, uint16_t *joints,
                         float *weights)
{
    uint32_t count = pick(mesh, vertex, kept, most);
    make_sum_one(kept, count);
    for (uint32_t i = 0; i < count; i++) {
        joints[i] = kept[i].joint;
        weights[i] = kept[i].weight;
    }
}

bool sni_reduce_influences(sni_arena *arena, const sn_mesh *mesh, uint32_t most, sn_mesh *out)
{
    *out = *mesh;
    uint32_t needed = sni_count_influences(mesh), slots = needed < most ? needed : most;
    if (slots == 0) return true;
    influence *kept = sni_new(arena, influence, slots);
    uint16_t *joints = sni_new(arena, uint16_t, (uint64_t)mesh->vertex_count * slots);
    float *weights = sni_new(arena, float, (uint64_t)mesh->vertex_count *slots);
    if (!kept || !joints || !weights) return false;
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        write_vertex(mesh, i, kept, slots, joints + (size_t)i * slots, weights + (size_t)i * slots);
    out->influence_count = slots;
    out->vertex_joints = joints;
    out->vertex_weights = weights;
    return true;
}
