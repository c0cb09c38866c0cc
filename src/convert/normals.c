#include "convert/normals.h"

#include "base/math.h"
#include "convert/split.h"

static const sn_vec3 back = { 0, 0, 1 };  // of degenerate faces

static sn_vec3 corner_at(const sn_mesh *mesh, const sn_vec3 *deltas, uint32_t corner)
{
    uint32_t vertex = mesh->indices[corner];
    return deltas ? sni_add(mesh->positions[vertex], deltas[vertex]) : mesh->positions[vertex];
}

static sn_vec3 face_normal(const sn_mesh *mesh, const sn_vec3 *deltas, uint32_t first)
{
    sn_vec3 a = corner_at(mesh, deltas, first);
    sn_vec3 b = sni_unit(sni_sub(corner_at(mesh, deltas, first + 1), a), (sn_vec3){ 0, 0, 0 });
    sn_vec3 c = sni_unit(sni_sub(corner_at(mesh, deltas, first + 2), a), (sn_vec3){ 0, 0, 0 });
    return sni_unit(sni_cross(b, c), back);
}

// Gives each corner its own vertex.
static bool make_faces_unique(sni_arena *arena, const sn_mesh *mesh, sn_mesh *out)
{
    bool *is_taken = sni_new(arena, bool, mesh->vertex_count);
    uint32_t *sources = sni_new_raw(arena, uint32_t, mesh->index_count),
             *indices = sni_new_raw(arena, uint32_t, mesh->index_count);
    uint32_t count = 0;
    if (!is_taken || !sources || !indices) return false;
    for (uint32_t i = 0; i < mesh->index_count; i++) {
        uint32_t vertex = mesh->indices[i];
        indices[i] = is_taken[vertex] ? mesh->vertex_count + count : vertex;
        if (is_taken[vertex]) sources[count++] = vertex;
        is_taken[vertex] = true;
    }
    if (!sni_copy_vertices(arena, mesh, sources, count, out)) return false;
    out->indices = indices;
    return true;
}

static sn_vec3 *flat_normals(sni_arena *arena, const sn_mesh *mesh)
{
    sn_vec3 *normals = sni_new_raw(arena, sn_vec3, mesh->vertex_count);
    for (uint32_t i = 0; normals && i < mesh->vertex_count; i++) normals[i] = back;
    for (uint32_t i = 0; normals && i < mesh->index_count; i++)
        normals[mesh->indices[i]] = face_normal(mesh, NULL, i - i % 3);
    return normals;
}

static bool add_morph_normals(sni_arena *arena, sn_mesh *mesh)
{
    sn_morph *morphs = sni_new_raw(arena, sn_morph, mesh->morph_count);
    if (!morphs) return false;
    for (uint32_t m = 0; m < mesh->morph_count; m++) {
        morphs[m] = mesh->morphs[m];
        morphs[m].normals = morphs[m].tangents = NULL;
        if (!morphs[m].positions) continue;
        sn_vec3 *changes = sni_new(arena, sn_vec3, mesh->vertex_count);
        if (!changes) return false;
        for (uint32_t i = 0; i < mesh->index_count; i++) {
            uint32_t vertex = mesh->indices[i];
            changes[vertex] = sni_sub(face_normal(mesh, morphs[m].positions, i - i % 3), mesh->normals[vertex]);
        }
        morphs[m].normals = changes;
    }
    mesh->morphs = morphs;
    return true;
}

bool sni_make_flat_normals(sni_arena *arena, const sn_mesh *mesh, sn_mesh *out)
{
    *out = *mesh;
    if (mesh->topology != SN_TRIANGLES) return true;
    sn_mesh bare = *mesh;
    bare.normals = NULL;
    bare.tangents = NULL;
    if (!make_faces_unique(arena, &bare, out)) return false;
    out->normals = flat_normals(arena, out);
    return out->normals && (out->morph_count == 0 || add_morph_normals(arena, out));
}
