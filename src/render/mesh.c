// A mesh on the graphics side: its arrays one behind the other in a buffer, influences and morphs as textures.
#include "render/render.h"

// Vertex arrays of a mesh, in the order of the buffer.
typedef struct piece {
    const void *data;
    GLuint attribute;
    GLint width;
} piece;

static void put_piece(piece from, uint32_t vertex_count, size_t *at)
{
    size_t size = (size_t)vertex_count * (size_t)from.width * sizeof(float);
    if (!from.data) return;
    glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)*at, (GLsizeiptr)size, from.data);
    if (from.attribute != SNI_AT_UV) {
        glVertexAttribPointer(from.attribute, from.width, GL_FLOAT, GL_FALSE, 0, (const void *)*at);
        glEnableVertexAttribArray(from.attribute);
    }
    *at += size;
}

static size_t floats_of_vertex(const sn_mesh *mesh)
{
    size_t floats = 3;
    if (mesh->normals) floats += 3;
    if (mesh->tangents) floats += 4;
    if (mesh->color_count > 0 && mesh->colors[0]) floats += 4;
    for (uint32_t i = 0; i < mesh->uv_count; i++) floats += mesh->uvs[i] ? 2 : 0;
    return floats;
}

static void put_vertices(const sn_mesh *mesh, sni_gpu_mesh *gpu)
{
    size_t at = 0, size = (size_t)mesh->vertex_count * floats_of_vertex(mesh) * sizeof(float);
    glGenBuffers(1, &gpu->vertices);
    glBindBuffer(GL_ARRAY_BUFFER, gpu->vertices);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, NULL, GL_STATIC_DRAW);
    put_piece((piece){ mesh->positions, SNI_AT_POSITION, 3 }, mesh->vertex_count, &at);
    put_piece((piece){ mesh->normals, SNI_AT_NORMAL, 3 }, mesh->vertex_count, &at);
    put_piece((piece){ mesh->tangents, SNI_AT_TANGENT, 4 }, mesh->vertex_count, &at);
    if (mesh->color_count > 0) put_piece((piece){ mesh->colors[0], SNI_AT_COLOR, 4 }, mesh->vertex_count, &at);
    gpu->uvs = at;
    for (uint32_t i = 0; i < mesh->uv_count; i++)
        put_piece((piece){ mesh->uvs[i], SNI_AT_UV, 2 }, mesh->vertex_count, &at);
}

static void put_indices(const sn_mesh *mesh, sni_gpu_mesh *gpu)
{
    glGenBuffers(1, &gpu->indices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, gpu->indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)((size_t)mesh->index_count * sizeof(uint32_t)), mesh->indices,
                 GL_STATIC_DRAW);
}

static bool put_influences(sn_renderer *renderer, const sn_mesh *mesh, sni_gpu_mesh *gpu, sni_arena *scratch)
{
    uint64_t count = (uint64_t)mesh->vertex_count * mesh->influence_count;
    if (count == 0) return true;
    sn_vec2 *pairs = sni_new_raw(scratch, sn_vec2, count);
    if (!pairs) return false;
    for (uint64_t i = 0; i < count; i++) pairs[i] = (sn_vec2){ mesh->vertex_joints[i], mesh->vertex_weights[i] };
    gpu->influences = sni_table_create(renderer, GL_RG32F, GL_RG, sizeof(sn_vec2), pairs, count);
    return gpu->influences != 0;
}

static uint32_t texels_of_morphs(const sn_mesh *mesh)
{
    uint32_t texels = 1;
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        if (mesh->morphs[i].normals && texels < 2) texels = 2;
        if (mesh->morphs[i].tangents) texels = 3;
    }
    return texels;
}

static sn_vec4 texel_of(const sn_vec3 *deltas, uint32_t vertex)
{
    return deltas ? (sn_vec4){ deltas[vertex].x, deltas[vertex].y, deltas[vertex].z, 0 } : (sn_vec4){ 0, 0, 0, 0 };
}

static bool put_morphs(sn_renderer *renderer, const sn_mesh *mesh, sni_gpu_mesh *gpu, sni_arena *scratch)
{
    gpu->morph_texels = texels_of_morphs(mesh);
    uint64_t count = (uint64_t)mesh->vertex_count * mesh->morph_count * gpu->morph_texels;
    if (count == 0) return true;
    sn_vec4 *texels = sni_table_fits(renderer, count) ? sni_new_raw(scratch, sn_vec4, count) : NULL, *at = texels;
    if (!texels) return false;
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        const sn_morph *morph = &mesh->morphs[i];
        for (uint32_t k = 0; k < mesh->vertex_count; k++) {
            *at++ = texel_of(morph->positions, k);
            if (gpu->morph_texels > 1) *at++ = texel_of(morph->normals, k);
            if (gpu->morph_texels > 2) *at++ = texel_of(morph->tangents, k);
        }
    }
    gpu->morphs = sni_table_create(renderer, GL_RGBA32F, GL_RGBA, sizeof(sn_vec4), texels, count);
    return gpu->morphs != 0;
}

bool sni_gpu_mesh_make(sn_drawable *drawable, uint32_t index, sn_error *error)
{
    const sn_mesh *mesh = &drawable->model->meshes[index];
    sni_gpu_mesh *gpu = &drawable->meshes[index];
    sni_arena scratch;
    sni_arena_init(&scratch, &drawable->heap);
    glGenVertexArrays(1, &gpu->array);
    glBindVertexArray(gpu->array);
    put_vertices(mesh, gpu);
    put_indices(mesh, gpu);
    bool is_good = put_influences(drawable->renderer, mesh, gpu, &scratch) &&
                   put_morphs(drawable->renderer, mesh, gpu, &scratch);
    glBindVertexArray(0);
    sni_arena_free(&scratch);
    return is_good || sni_render_fail(error, SN_ERR_MEMORY, "no room for mesh %u on the graphics side", index);
}

// Each pair of vertices that a triangle joins, as lines; those that two triangles share are drawn twice.
static bool make_wires(const sn_mesh *mesh, sni_gpu_mesh *gpu, sni_arena *scratch)
{
    uint64_t count = (uint64_t)mesh->index_count * 2;
    uint32_t *wires = sni_new_raw(scratch, uint32_t, count);
    if (!wires) return false;
    for (uint32_t i = 0; i < mesh->index_count; i++) {
        wires[(size_t)i * 2] = mesh->indices[i];
        wires[(size_t)i * 2 + 1] = mesh->indices[i % 3 == 2 ? i - 2 : i + 1];
    }
    glGenBuffers(1, &gpu->wires);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, gpu->wires);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *wires), wires, GL_STATIC_DRAW);
    return true;
}

bool sni_gpu_mesh_use_wires(const sn_drawable *drawable, int32_t index)
{
    const sn_mesh *mesh = &drawable->model->meshes[index];
    sni_gpu_mesh *gpu = &drawable->meshes[index];
    if (gpu->wires) {
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, gpu->wires);
        return true;
    }
    sni_heap heap = drawable->heap;
    sni_arena scratch;
    sni_arena_init(&scratch, &heap);
    bool is_good = make_wires(mesh, gpu, &scratch);
    sni_arena_free(&scratch);
    return is_good;
}

void sni_gpu_mesh_free(sni_gpu_mesh *mesh)
{
    const GLuint buffers[3] = { mesh->vertices, mesh->indices, mesh->wires },
                 textures[2] = { mesh->influences, mesh->morphs };
    glDeleteVertexArrays(1, &mesh->array);
    glDeleteBuffers(3, buffers);
    glDeleteTextures(2, textures);
    *mesh = (sni_gpu_mesh){ 0 };
}

// Where a set of texture coordinates starts in the buffer; false: the mesh does not have it.
static bool find_uvs(const sn_mesh *mesh, const sni_gpu_mesh *gpu, int32_t set, size_t *at)
{
    if (set < 0 || (uint32_t)set >= mesh->uv_count || !mesh->uvs[set]) return false;
    *at = gpu->uvs;
    for (int32_t i = 0; i < set; i++) *at += mesh->uvs[i] ? (size_t)mesh->vertex_count * sizeof(sn_vec2) : 0;
    return true;
}

void sni_gpu_mesh_use_uvs(const sn_drawable *drawable, int32_t index, const sn_layer *layer)
{
    const sn_mesh *mesh = &drawable->model->meshes[index];
    const sni_gpu_mesh *gpu = &drawable->meshes[index];
    glBindBuffer(GL_ARRAY_BUFFER, gpu->vertices);
    for (int map = 0; map < SN_MAP_COUNT; map++) {
        GLuint attribute = SNI_AT_UV + (GLuint)map;
        size_t at;
        if (layer->maps[map].image >= 0 && find_uvs(mesh, gpu, layer->maps[map].uv_set, &at)) {
            glVertexAttribPointer(attribute, 2, GL_FLOAT, GL_FALSE, 0, (const void *)at);
            glEnableVertexAttribArray(attribute);
        } else {
            glDisableVertexAttribArray(attribute);
        }
    }
}
