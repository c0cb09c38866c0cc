// A model in GPU memory. Each vertex array of a mesh is a buffer, sets of texture coordinates are one; morphs are
// textures. Up to four influences of a vertex are packed as attributes, by sn_mesh_pack_vertices; more are a texture.
#include "model/check.h"
#include "render/render.h"

#include <stdlib.h>

bool sni_data_texture_fits(const sn_renderer *renderer, uint64_t count)
{
    return count <= (uint64_t)renderer->max_side << SNI_DATA_BITS;
}

// Complete rows and the partial last row are uploaded separately, so that no padded copy is needed.
GLuint sni_data_texture_create(sn_renderer *renderer, GLenum inner, GLenum outer, size_t texel_bytes,
                               const void *texels, uint64_t count)
{
    GLuint texture;
    GLsizei rows = (GLsizei)(count >> SNI_DATA_BITS), rest = (GLsizei)(count & (SNI_DATA_WIDTH - 1));
    if (!sni_data_texture_fits(renderer, count)) return 0;
    glGenTextures(1, &texture);
    glActiveTexture(GL_TEXTURE0 + SNI_UNIT_UPLOAD);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
    GLsizei width = rows > 0 ? SNI_DATA_WIDTH : rest;
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)inner, width, rows + (rest > 0), 0, outer, GL_FLOAT, NULL);
    if (rows > 0) glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SNI_DATA_WIDTH, rows, outer, GL_FLOAT, texels);
    const uint8_t *last = (const uint8_t *)texels + ((size_t)rows << SNI_DATA_BITS) * texel_bytes;
    if (rest > 0) glTexSubImage2D(GL_TEXTURE_2D, 0, 0, rows, rest, 1, outer, GL_FLOAT, last);
    return texture;
}

// One vertex array of a mesh.
typedef struct vertex_array {
    GLuint attribute;
    GLint width;
    const void *data;
} vertex_array;

enum { LARGE_MESH = 1 << 16 };  // vertices or triangles

// llvmpipe reads arrays of large meshes where they are: it would clear memory for a copy before it makes one.
static void put_array(const sn_renderer *renderer, vertex_array from, uint32_t vertex_count, GLuint *buffer)
{
    const size_t size = (size_t)vertex_count * (size_t)from.width * sizeof(float);
    if (!from.data) return;
    glGenBuffers(1, buffer);
    glBindBuffer(GL_ARRAY_BUFFER, *buffer);
    const bool may_pin = renderer->is_llvmpipe && vertex_count >= LARGE_MESH;
    if (!may_pin || !sni_context_pin(*buffer, from.data, size))
        glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, from.data, GL_STATIC_DRAW);
    glVertexAttribPointer(from.attribute, from.width, GL_FLOAT, GL_FALSE, 0, NULL);
    glEnableVertexAttribArray(from.attribute);
}

static void put_uvs(const sn_mesh *mesh, sni_gpu_mesh *gpu)
{
    const size_t size = (size_t)mesh->vertex_count * sizeof(sn_vec2);
    size_t at = 0, sets = 0;
    for (uint32_t i = 0; i < mesh->uv_count; i++) sets += mesh->uvs[i] != NULL;
    glGenBuffers(1, &gpu->uvs);
    glBindBuffer(GL_ARRAY_BUFFER, gpu->uvs);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(sets * size), NULL, GL_STATIC_DRAW);
    for (uint32_t i = 0; i < mesh->uv_count; i++) {
        if (!mesh->uvs[i]) continue;
        glBufferSubData(GL_ARRAY_BUFFER, (GLintptr)at, (GLsizeiptr)size, mesh->uvs[i]);
        at += size;
    }
}

static void put_vertices(const sn_drawable *drawable, const sn_mesh *mesh, sni_gpu_mesh *gpu)
{
    const vertex_array arrays[SNI_ARRAYS] = { { SNI_AT_POSITION, 3, mesh->positions },
                                              { SNI_AT_NORMAL, 3, mesh->normals },
                                              { SNI_AT_TANGENT, 4, mesh->tangents },
                                              { SNI_AT_COLOR, 4, mesh->color_count > 0 ? mesh->colors[0] : NULL } };
    for (int i = 0; i < SNI_ARRAYS; i++) put_array(drawable->renderer, arrays[i], mesh->vertex_count, &gpu->arrays[i]);
    if (drawable->model->image_count > 0) put_uvs(mesh, gpu);  // nothing else needs them
}

static void put_indices(const sn_mesh *mesh, sni_gpu_mesh *gpu)
{
    glGenBuffers(1, &gpu->indices);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, gpu->indices);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)((size_t)mesh->index_count * sizeof(uint32_t)), mesh->indices,
                 GL_STATIC_DRAW);
}

static bool put_influence_texture(sn_renderer *renderer, const sn_mesh *mesh, sni_gpu_mesh *gpu, sni_arena *scratch)
{
    uint64_t count = (uint64_t)mesh->vertex_count * mesh->influence_count;
    sn_vec2 *pairs = sni_new_raw(scratch, sn_vec2, count);
    if (!pairs) return false;
    for (uint64_t i = 0; i < count; i++) pairs[i] = (sn_vec2){ mesh->vertex_joints[i], mesh->vertex_weights[i] };
    gpu->influences = sni_data_texture_create(renderer, GL_RG32F, GL_RG, sizeof(sn_vec2), pairs, count);
    return gpu->influences != 0;
}

static bool put_influences(sn_renderer *renderer, const sn_mesh *mesh, sni_gpu_mesh *gpu, sni_arena *scratch)
{
    const uint32_t count = mesh->influence_count, stride = (6 * count + 3) / 4 * 4;
    if (count == 0 || mesh->vertex_count == 0) return true;
    if (count > SNI_PACKED_INFLUENCES) return put_influence_texture(renderer, mesh, gpu, scratch);
    const sn_vertex_attribute attributes[] = {
        { .attribute = SN_ATTRIBUTE_WEIGHTS, .component = SN_COMPONENT_F32 },
        { .attribute = SN_ATTRIBUTE_JOINTS, .component = SN_COMPONENT_U16, .offset = 4 * count },
    };
    const sn_vertex_layout layout = { attributes, 2, stride, count };
    const uint64_t size = (uint64_t)mesh->vertex_count * stride;
    uint8_t *packed = sni_new(scratch, uint8_t, size);
    if (!packed || sn_mesh_pack_vertices(mesh, &layout, packed, NULL) != SN_OK) return false;
    glGenBuffers(1, &gpu->packed);
    glBindBuffer(GL_ARRAY_BUFFER, gpu->packed);
    glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, packed, GL_STATIC_DRAW);
    glVertexAttribPointer(SNI_AT_WEIGHTS, (GLint)count, GL_FLOAT, GL_FALSE, (GLsizei)stride, NULL);
    glVertexAttribPointer(SNI_AT_JOINTS, (GLint)count, GL_UNSIGNED_SHORT, GL_FALSE, (GLsizei)stride,
                          (const void *)(size_t)(4 * count));
    glEnableVertexAttribArray(SNI_AT_WEIGHTS);
    glEnableVertexAttribArray(SNI_AT_JOINTS);
    return true;
}

static uint32_t morph_texels(const sn_mesh *mesh)
{
    uint32_t texels = 1;
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        if (mesh->morphs[i].normals && texels < 2) texels = 2;
        if (mesh->morphs[i].tangents) texels = 3;
    }
    return texels;
}

static sn_vec4 delta_texel(const sn_vec3 *deltas, uint32_t vertex)
{
    return deltas ? (sn_vec4){ deltas[vertex].x, deltas[vertex].y, deltas[vertex].z, 0 } : (sn_vec4){ 0, 0, 0, 0 };
}

static bool put_morphs(sn_renderer *renderer, const sn_mesh *mesh, sni_gpu_mesh *gpu, sni_arena *scratch)
{
    gpu->morph_texels = morph_texels(mesh);
    uint64_t count = (uint64_t)mesh->vertex_count * mesh->morph_count * gpu->morph_texels;
    if (count == 0) return true;
    sn_vec4 *texels = sni_data_texture_fits(renderer, count) ? sni_new_raw(scratch, sn_vec4, count) : NULL,
            *at = texels;
    if (!texels) return false;
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        const sn_morph *morph = &mesh->morphs[i];
        for (uint32_t k = 0; k < mesh->vertex_count; k++) {
            *at++ = delta_texel(morph->positions, k);
            if (gpu->morph_texels > 1) *at++ = delta_texel(morph->normals, k);
            if (gpu->morph_texels > 2) *at++ = delta_texel(morph->tangents, k);
        }
    }
    gpu->morphs = sni_data_texture_create(renderer, GL_RGBA32F, GL_RGBA, sizeof(sn_vec4), texels, count);
    return gpu->morphs != 0;
}

static bool make_mesh(sn_drawable *drawable, uint32_t index, sn_error *error)
{
    const sn_mesh *mesh = &drawable->model->meshes[index];
    sni_gpu_mesh *gpu = &drawable->meshes[index];
    sni_arena scratch;
    sni_arena_init(&scratch, &drawable->heap);
    glGenVertexArrays(1, &gpu->array);
    glBindVertexArray(gpu->array);
    put_vertices(drawable, mesh, gpu);
    // Where triangles are culled, those of a large mesh may never be needed.
    if (mesh->index_count / 3 < LARGE_MESH || !(drawable->renderer->culled_density < INFINITY)) put_indices(mesh, gpu);
    bool is_good = put_influences(drawable->renderer, mesh, gpu, &scratch) &&
                   put_morphs(drawable->renderer, mesh, gpu, &scratch);
    glBindVertexArray(0);
    sni_arena_free(&scratch);
    return is_good || sni_render_fail(error, SN_ERR_MEMORY, "out of graphics memory for mesh %u", index);
}

bool sni_gpu_mesh_use_indices(const sn_drawable *drawable, int32_t index)
{
    sni_gpu_mesh *gpu = &drawable->meshes[index];
    if (gpu->indices) {
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, gpu->indices);
        return true;
    }
    put_indices(&drawable->model->meshes[index], gpu);
    if (glGetError() == GL_NO_ERROR) return true;
    glDeleteBuffers(1, &gpu->indices);
    gpu->indices = 0;
    sni_fail(&drawable->renderer->diag, SN_ERR_MEMORY, 0, "out of graphics memory for mesh %d", index);
    return false;
}

// The three edges of each triangle as lines. An edge of two triangles is drawn twice.
static bool make_edges(const sn_mesh *mesh, sni_gpu_mesh *gpu, sni_arena *scratch)
{
    uint64_t count = (uint64_t)mesh->index_count * 2;
    uint32_t *edges = sni_new_raw(scratch, uint32_t, count);
    if (!edges) return false;
    for (uint32_t i = 0; i < mesh->index_count; i++) {
        edges[(size_t)i * 2] = mesh->indices[i];
        edges[(size_t)i * 2 + 1] = mesh->indices[i % 3 == 2 ? i - 2 : i + 1];
    }
    glGenBuffers(1, &gpu->edges);
    glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, gpu->edges);
    glBufferData(GL_ELEMENT_ARRAY_BUFFER, (GLsizeiptr)(count * sizeof *edges), edges, GL_STATIC_DRAW);
    return true;
}

bool sni_gpu_mesh_use_edges(const sn_drawable *drawable, int32_t index)
{
    const sn_mesh *mesh = &drawable->model->meshes[index];
    sni_gpu_mesh *gpu = &drawable->meshes[index];
    if (gpu->edges) {
        glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, gpu->edges);
        return true;
    }
    sni_heap heap = drawable->heap;
    sni_arena scratch;
    sni_arena_init(&scratch, &heap);
    bool is_good = make_edges(mesh, gpu, &scratch);
    sni_arena_free(&scratch);
    return is_good;
}

static void free_mesh(sni_gpu_mesh *mesh)
{
    const GLuint buffers[] = { mesh->uvs, mesh->indices, mesh->edges, mesh->packed },
                 textures[2] = { mesh->influences, mesh->morphs };
    glDeleteVertexArrays(1, &mesh->array);
    glDeleteBuffers(SNI_ARRAYS, mesh->arrays);
    glDeleteBuffers(4, buffers);
    glDeleteTextures(2, textures);
    *mesh = (sni_gpu_mesh){ 0 };
}

// The offset of a set of texture coordinates in the buffer. False: the mesh does not have it.
static bool find_uvs(const sn_mesh *mesh, int32_t set, size_t *at)
{
    if (set < 0 || (uint32_t)set >= mesh->uv_count || !mesh->uvs[set]) return false;
    *at = 0;
    for (int32_t i = 0; i < set; i++) *at += mesh->uvs[i] ? (size_t)mesh->vertex_count * sizeof(sn_vec2) : 0;
    return true;
}

void sni_gpu_mesh_use_uvs(const sn_drawable *drawable, int32_t index, const sn_layer *layer)
{
    const sn_mesh *mesh = &drawable->model->meshes[index];
    const sni_gpu_mesh *gpu = &drawable->meshes[index];
    glBindBuffer(GL_ARRAY_BUFFER, gpu->uvs);
    for (int map = 0; map < SN_MAP_COUNT; map++) {
        GLuint attribute = SNI_AT_UV + (GLuint)map;
        size_t at;
        if (layer->maps[map].image >= 0 && find_uvs(mesh, layer->maps[map].uv_set, &at)) {
            glVertexAttribPointer(attribute, 2, GL_FLOAT, GL_FALSE, 0, (const void *)at);
            glEnableVertexAttribArray(attribute);
        } else {
            glDisableVertexAttribArray(attribute);
        }
    }
}

// Sort key: parts of one mesh and material become neighbours, so that one draw call draws them.
typedef struct part_key {
    int32_t mesh, material, part;
} part_key;

static int compare_parts(const void *left, const void *right)
{
    const part_key *a = left, *b = right;
    if (a->mesh != b->mesh) return a->mesh < b->mesh ? -1 : 1;
    if (a->material != b->material) return a->material < b->material ? -1 : 1;
    return a->part < b->part ? -1 : a->part > b->part;
}

static bool order_parts(sn_drawable *drawable)
{
    const sn_model *model = drawable->model;
    part_key *keys = sni_new_raw(&drawable->arena, part_key, model->part_count);
    if (!keys) return false;
    for (uint32_t i = 0; i < model->part_count; i++)
        keys[i] = (part_key){ model->parts[i].mesh, model->parts[i].material, (int32_t)i };
    if (model->part_count > 0) qsort(keys, model->part_count, sizeof *keys, compare_parts);
    for (uint32_t i = 0; i < model->part_count; i++) drawable->order[i] = keys[i].part;
    return true;
}

static bool fill(sn_drawable *drawable, sn_error *error)
{
    const sn_model *model = drawable->model;
    drawable->meshes = sni_new(&drawable->arena, sni_gpu_mesh, model->mesh_count);
    drawable->mesh_bounds = sni_new(&drawable->arena, sni_mesh_bounds, model->mesh_count);
    drawable->images = sni_new(&drawable->arena, sni_gpu_image, model->image_count);
    drawable->image_set = sni_new(&drawable->arena, sni_image_set, 1);
    drawable->order = sni_new(&drawable->arena, int32_t, model->part_count);
    drawable->skin_texels = sni_new(&drawable->arena, int32_t, model->skin_count);
    drawable->classes = sni_new(&drawable->arena, uint8_t, model->part_count);
    bool has_memory = drawable->meshes && drawable->mesh_bounds && drawable->images && drawable->order &&
                      drawable->skin_texels && drawable->classes && order_parts(drawable) &&
                      sni_mesh_bounds_make(drawable) && sni_lights_make(drawable) && drawable->image_set &&
                      sni_image_set_make(&drawable->arena, model->images, model->image_count,
                                         drawable->renderer->opts.image_pixels, drawable->image_set);
    if (!has_memory) return sni_render_fail(error, SN_ERR_MEMORY, "out of memory");
    for (uint32_t i = 0; i < model->mesh_count; i++)
        if (!make_mesh(drawable, i, error)) return false;
    GLenum problem = glGetError();
    if (problem == GL_NO_ERROR) return true;
    return sni_render_fail(error, SN_ERR_MEMORY, "cannot upload the model's geometry (OpenGL error 0x%x)", problem);
}

sn_drawable *sn_drawable_create(sn_renderer *renderer, const sn_model *model, sn_error *error)
{
    if (sni_model_require(model, error) != SN_OK) return NULL;
    sn_drawable *drawable = sni_heap_alloc(&renderer->heap, sizeof *drawable);
    if (!drawable || !sni_context_use(&renderer->context)) {
        sni_heap_free(&renderer->heap, drawable, sizeof *drawable);
        sni_render_fail(error, SN_ERR_MEMORY, "out of memory");
        return NULL;
    }
    *drawable = (sn_drawable){ .renderer = renderer, .model = model };
    sni_heap_init(&drawable->heap, &renderer->opts.allocator, UINT64_MAX);
    drawable->heap.diag = &renderer->diag;
    sni_arena_init(&drawable->arena, &drawable->heap);
    if (fill(drawable, error)) return drawable;
    sn_drawable_free(drawable);
    return NULL;
}

void sn_drawable_free(sn_drawable *drawable)
{
    if (!drawable) return;
    sn_renderer *renderer = drawable->renderer;
    sni_context_use(&renderer->context);
    for (uint32_t i = 0; drawable->meshes && i < drawable->model->mesh_count; i++) free_mesh(&drawable->meshes[i]);
    for (uint32_t i = 0; drawable->images && i < drawable->model->image_count; i++) {
        const GLuint textures[2] = { drawable->images[i].srgb, drawable->images[i].linear };
        glDeleteTextures(2, textures);
    }
    sni_arena_free(&drawable->arena);
    sni_heap_free(&renderer->heap, drawable, sizeof *drawable);
}
