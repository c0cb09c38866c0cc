#include "convert/influences.h"

#include <string.h>

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

static bool goes_before(sni_influence a, sni_influence b)
{
    return a.weight != b.weight ? a.weight > b.weight : a.joint < b.joint;
}

// Into a list of at most `most` that is sorted already. Equal in all respects: the earlier slot stays first.
static uint32_t insert(sni_influence *kept, uint32_t count, uint32_t most, sni_influence item)
{
    uint32_t at = count < most ? count : most;
    while (at > 0 && goes_before(item, kept[at - 1])) at--;
    if (at == most) return count;
    uint32_t moved = (count < most ? count : most - 1) - at;
    memmove(kept + at + 1, kept + at, moved * sizeof *kept);
    kept[at] = item;
    return count < most ? count + 1 : most;
}

static float sum_of(const sni_influence *kept, uint32_t count)
{
    float sum = 0.0f;
    for (uint32_t i = 0; i < count; i++) sum += kept[i].weight;
    return sum;
}

// The sum is added up as a reader would, in float; what rounding left over goes to the heaviest.
static void make_sum_one(sni_influence *kept, uint32_t count)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++) sum += kept[i].weight;
    for (uint32_t i = 0; i < count; i++) kept[i].weight = (float)(kept[i].weight / sum);
    for (int tries = 0; tries < 4 && sum_of(kept, count) != 1.0f; tries++) kept[0].weight += 1.0f - sum_of(kept, count);
}

uint32_t sni_pick_influences(const sn_mesh *mesh, uint32_t vertex, sni_influence *kept, uint32_t most)
{
    size_t start = (size_t)vertex * mesh->influence_count;
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->influence_count; i++) {
        sni_influence item = { mesh->vertex_joints[start + i], mesh->vertex_weights[start + i] };
        if (item.weight > 0.0f) count = insert(kept, count, most, item);
    }
    make_sum_one(kept, count);
    return count;
}

bool sni_reduce_influences(sni_arena *arena, const sn_mesh *mesh, uint32_t most, sn_mesh *out)
{
    *out = *mesh;
    uint32_t needed = sni_count_influences(mesh), slots = needed < most ? needed : most;
    if (slots == 0) return true;
    sni_influence *kept = sni_new(arena, sni_influence, slots);
    uint16_t *joints = sni_new(arena, uint16_t, (uint64_t)mesh->vertex_count * slots);
    float *weights = sni_new(arena, float, (uint64_t)mesh->vertex_count *slots);
    if (!kept || !joints || !weights) return false;
    for (uint32_t vertex = 0; vertex < mesh->vertex_count; vertex++) {
        uint32_t count = sni_pick_influences(mesh, vertex, kept, slots);
        for (uint32_t i = 0; i < count; i++) {
            joints[(size_t)vertex * slots + i] = kept[i].joint;
            weights[(size_t)vertex * slots + i] = kept[i].weight;
        }
    }
    out->influence_count = slots;
    out->vertex_joints = joints;
    out->vertex_weights = weights;
    return true;
}

bool sni_limit_influences(sni_arena *arena, sn_mesh *meshes, uint32_t count, uint32_t most)
{
    for (uint32_t i = 0; most > 0 && i < count; i++)
        if (meshes[i].influence_count > most && !sni_reduce_influences(arena, &meshes[i], most, &meshes[i]))
            return false;
    return true;
}

// Largest remainder: rounded down, then the slots that lost most get one step more.
bool sni_round_weights(sni_arena *arena, sn_mesh *mesh, uint32_t steps)
{
    const uint32_t slots = mesh->influence_count;
    float *weights = sni_new_raw(arena, float, (uint64_t)mesh->vertex_count *slots);
    if (!weights) return false;
    for (uint32_t vertex = 0; slots > 0 && vertex < mesh->vertex_count; vertex++) {
        const float *in = mesh->vertex_weights + (size_t)vertex * slots;
        float *out = weights + (size_t)vertex * slots;
        uint32_t left = steps;
        for (uint32_t i = 0; i < slots; i++) {
            uint32_t share = (uint32_t)(in[i] * (float)steps + 1e-3f);
            share = share < left ? share : left;
            out[i] = (float)share;
            left -= share;
        }
        for (; left > 0; left--) {
            uint32_t best = 0;
            for (uint32_t i = 1; i < slots; i++)
                if (in[i] * (float)steps - out[i] > in[best] * (float)steps - out[best]) best = i;
            out[best] += 1.0f;
        }
        for (uint32_t i = 0; i < slots; i++) out[i] /= (float)steps;
    }
    mesh->vertex_weights = weights;
    return true;
}
