#include "convert/split.h"

#include <string.h>

typedef struct copying {
    sni_arena *arena;
    const uint32_t *sources;
    uint32_t vertex_count, count;
    bool failed;
} copying;

// An array with `size` bytes per vertex, NULL where there was none.
static void *grown(copying *copy, const void *items, size_t size)
{
    if (!items || size == 0 || copy->failed) return NULL;
    uint8_t *all = sni_alloc_raw(copy->arena, size, (uint64_t)copy->vertex_count + copy->count);
    if (!all) {
        copy->failed = true;
        return NULL;
    }
    size_t old = copy->vertex_count * size;
    memcpy(all, items, old);
    for (uint32_t i = 0; i < copy->count; i++)
        memcpy(all + old + i * size, (const uint8_t *)items + copy->sources[i] * size, size);
    return all;
}

static const sn_vec2 **grown_uvs(copying *copy, const sn_mesh *mesh)
{
    const sn_vec2 **sets = sni_new(copy->arena, const sn_vec2 *, mesh->uv_count);
    if (!sets) copy->failed = true;
    for (uint32_t i = 0; i < mesh->uv_count && sets; i++) sets[i] = grown(copy, mesh->uvs[i], sizeof(sn_vec2));
    return sets;
}

static const sn_vec4 **grown_colors(copying *copy, const sn_mesh *mesh)
{
    const sn_vec4 **sets = sni_new(copy->arena, const sn_vec4 *, mesh->color_count);
    if (!sets) copy->failed = true;
    for (uint32_t i = 0; i < mesh->color_count && sets; i++) sets[i] = grown(copy, mesh->colors[i], sizeof(sn_vec4));
    return sets;
}

static sn_morph *grown_morphs(copying *copy, const sn_mesh *mesh)
{
    sn_morph *morphs = sni_new(copy->arena, sn_morph, mesh->morph_count);
    if (!morphs) copy->failed = true;
    for (uint32_t i = 0; i < mesh->morph_count && morphs; i++) {
        const sn_morph *from = &mesh->morphs[i];
        morphs[i].name = from->name;
        morphs[i].positions = grown(copy, from->positions, sizeof(sn_vec3));
        morphs[i].normals = grown(copy, from->normals, sizeof(sn_vec3));
        morphs[i].tangents = grown(copy, from->tangents, sizeof(sn_vec3));
    }
    return morphs;
}

bool sni_copy_vertices(sni_arena *arena, const sn_mesh *mesh, const uint32_t *sources, uint32_t count, sn_mesh *out)
{
    *out = *mesh;
    if (count == 0) return true;
    copying copy = { .arena = arena, .sources = sources, .vertex_count = mesh->vertex_count, .count = count };
    if (count > UINT32_MAX - mesh->vertex_count) return false;  // more than an arena holds
    out->vertex_count = mesh->vertex_count + count;
    out->positions = grown(&copy, mesh->positions, sizeof(sn_vec3));
    out->normals = grown(&copy, mesh->normals, sizeof(sn_vec3));
    out->vertex_joints = grown(&copy, mesh->vertex_joints, mesh->influence_count * sizeof(uint16_t));
    out->vertex_weights = grown(&copy, mesh->vertex_weights, mesh->influence_count * sizeof(float));
    if (mesh->uv_count > 0) out->uvs = grown_uvs(&copy, mesh);
    if (mesh->color_count > 0) out->colors = grown_colors(&copy, mesh);
    if (mesh->morph_count > 0) out->morphs = grown_morphs(&copy, mesh);
    return !copy.failed;
}
