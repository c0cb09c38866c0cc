// Meshes: the corners of faces index positions, normals, texture coordinates and colours separately; here they become
// vertices. Each material of an MDT becomes one mesh and one part.
#include <math.h>

#include "base/color.h"
#include "base/math.h"
#include "format/level5/level5_build.h"
#include "model/sanitize.h"

// A position has a few vertices. If a hostile file has thousands, only the newest are compared.
enum { STRIP = 4, FAN = 5, MOST_COMPARED = 64 };
static const uint32_t NONE = UINT32_MAX;

typedef struct vertex {
    uint32_t position, normal, uv, color;
    uint32_t next;  // vertex of the same position
} vertex;

// Scratch that one mesh after the other uses: memory that was touched before costs no page faults.
typedef struct mesh_scratch {
    vertex *vertices;
    uint32_t *indices;
    uint32_t *first;  // by position: newest vertex; all NONE between groups
    uint64_t vertex_room, index_room, first_room;
} mesh_scratch;

typedef struct mesh_builder {
    level5_builder *b;
    const level5_mesh *source;
    mesh_scratch *scratch;
    uint32_t node;
    level5_mesh_weights weights;
    const sn_vec4 *colors;  // linear
    uint32_t *first;        // those of `scratch`
    uint64_t bad_positions, bad_others;

    // The vertices and triangles of one material, in `scratch`.
    vertex *vertices;
    uint32_t *indices;
    uint32_t vertex_count, index_count;
    bool has_normals, lacks_normals, has_uvs, has_colors;
} mesh_builder;

// --- Grouping primitives by material ---

typedef struct primitive_groups {
    sni_list materials;  // int32_t, by group; -1: none
    uint32_t *order;     // primitives, group by group
    uint32_t *starts;    // by group, and one more: into order
} primitive_groups;

static bool group_primitives(const mesh_builder *m, primitive_groups *groups)
{
    const level5_mesh *mesh = m->source;
    sni_arena *scratch = &m->b->load->scratch;
    uint32_t count = mesh->primitive_count;
    uint32_t *number_of = sni_new(scratch, uint32_t, (uint64_t)mesh->materials.count + 1);  // by material: group + 1
    uint32_t *group_of = sni_new_raw(scratch, uint32_t, count);
    groups->order = sni_new_raw(scratch, uint32_t, count);
    if (!number_of || !group_of || !groups->order) return false;

    // Material -1 continues with the previous one; a material that does not exist is none.
    int32_t current = 0;
    uint64_t bad = 0;
    for (uint32_t i = 0; i < count; i++) {
        int32_t stated = mesh->primitives[i].material;
        if (stated != LEVEL5_NONE) current = stated;
        bool exists = current >= 0 && (uint32_t)current < mesh->materials.count;
        uint32_t *number = &number_of[exists ? (uint32_t)current : mesh->materials.count];
        bad += !exists && mesh->materials.count > 0;
        if (*number == 0) {
            int32_t *slot = sni_push(scratch, &groups->materials, int32_t);
            if (!slot) return false;
            *slot = exists ? current : LEVEL5_NONE;
            *number = groups->materials.count;
        }
        group_of[i] = *number - 1;
    }
    sni_warn_many(&m->b->load->diag, SNI_WARN_REFERENCE, bad, mesh->offset,
                  "primitives with a material index past the last of %u", mesh->materials.count);

    // Counting sort: each start moves to its end while the group is filled.
    groups->starts = sni_new(scratch, uint32_t, (uint64_t)groups->materials.count + 2);
    if (!groups->starts) return false;
    uint32_t *ends = groups->starts + 1;
    for (uint32_t i = 0; i < count; i++) ends[group_of[i] + 1]++;
    for (uint32_t g = 1; g <= groups->materials.count; g++) ends[g] += ends[g - 1];
    for (uint32_t i = 0; i < count; i++) groups->order[ends[group_of[i]]++] = i;
    return true;
}

// --- Vertices and triangles ---

static uint32_t read_index(mesh_builder *m, const uint8_t *corner, int32_t word, uint32_t count)
{
    if (word < 0) return NONE;
    uint32_t index = sni_load_u32(corner + (size_t)4 * (uint32_t)word);
    if (index < count) return index;
    m->bad_others += count > 0;
    return NONE;
}

// The vertex with exactly these indices; a new one if there is none yet. NONE if the position does not exist.
static uint32_t find_vertex(mesh_builder *m, const level5_primitive *primitive, uint32_t index)
{
    const level5_mesh *mesh = m->source;
    const uint8_t *corner = primitive->corners.data + (size_t)4 * primitive->stride * index;
    uint32_t position = sni_load_u32(corner);
    if (position >= mesh->positions.count) {
        m->bad_positions++;
        return NONE;
    }
    uint32_t normal = read_index(m, corner, primitive->normal_at, mesh->normals.count);
    uint32_t uv = read_index(m, corner, primitive->uv_at, mesh->uvs.count);
    uint32_t color = read_index(m, corner, primitive->color_at, mesh->colors.count);
    for (uint32_t at = m->first[position], tries = 0; at != NONE && tries < MOST_COMPARED;
         at = m->vertices[at].next, tries++) {
        const vertex *known = &m->vertices[at];
        if (known->normal == normal && known->uv == uv && known->color == color) return at;
    }
    m->vertices[m->vertex_count] = (vertex){ position, normal, uv, color, m->first[position] };
    m->first[position] = m->vertex_count;
    m->has_normals |= normal != NONE;
    m->lacks_normals |= normal == NONE;
    m->has_uvs |= uv != NONE;
    m->has_colors |= color != NONE;
    return m->vertex_count++;
}

static inline sn_vec3 vector_at(level5_array array, uint32_t index)
{
    const uint8_t *at = array.data + (size_t)index * LEVEL5_VECTOR_BYTES;
    return sni_vec3(sni_load_f32(at), sni_load_f32(at + 4), sni_load_f32(at + 8));
}

// Along the normal; its length is twice the area.
static inline sn_vec3 face_normal(const mesh_builder *m, const uint32_t corners[3])
{
    sn_vec3 a = vector_at(m->source->positions, m->vertices[corners[0]].position);
    sn_vec3 b = vector_at(m->source->positions, m->vertices[corners[1]].position);
    sn_vec3 c = vector_at(m->source->positions, m->vertices[corners[2]].position);
    return sni_cross(sni_sub(b, a), sni_sub(c, a));
}

static void add_triangle(mesh_builder *m, uint32_t a, uint32_t b, uint32_t c)
{
    if (a == NONE || b == NONE || c == NONE) return;
    uint32_t p = m->vertices[a].position, q = m->vertices[b].position, r = m->vertices[c].position;
    if (p == q || q == r || p == r) return;
    m->indices[m->index_count++] = a;
    m->indices[m->index_count++] = b;
    m->indices[m->index_count++] = c;
}

// The winding order of the games is not known: a primitive whose faces point away from their normals is flipped.
static void fix_winding(mesh_builder *m, uint32_t from)
{
    double agreement = 0.0;
    for (uint32_t i = from; i < m->index_count; i += 3) {
        sn_vec3 face = face_normal(m, m->indices + i);
        double sum = 0.0;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t normal = m->vertices[m->indices[i + k]].normal;
            if (normal != NONE) sum += sni_dot(face, vector_at(m->source->normals, normal));
        }
        agreement += sum;
    }
    if (!(agreement < 0.0)) return;
    for (uint32_t i = from; i < m->index_count; i += 3) {
        uint32_t second = m->indices[i + 1];
        m->indices[i + 1] = m->indices[i + 2];
        m->indices[i + 2] = second;
    }
}

static void add_primitive(mesh_builder *m, const level5_primitive *primitive)
{
    uint32_t kind = primitive->flags & 7, count = primitive->corner_count, from = m->index_count;
    uint32_t step = kind == STRIP || kind == FAN ? 1 : 3, a = NONE, b = NONE;
    for (uint32_t i = 0; i < count - count % step; i++) {
        uint32_t c = find_vertex(m, primitive, i);
        if (step == 3 ? i % 3 == 2 : i >= 2) {
            bool is_odd = kind == STRIP && i % 2 == 1;
            add_triangle(m, is_odd ? b : a, is_odd ? a : b, c);
        }
        if (kind == FAN) a = i == 0 ? c : a, b = c;
        else a = b, b = c;
    }
    if (primitive->normal_at >= 0) fix_winding(m, from);
}

// --- Vertex arrays ---

static bool fill_attributes(mesh_builder *m, sn_mesh *mesh, sn_vec2 uv_scale)
{
    sni_arena *keep = &m->b->load->keep;
    uint32_t *indices = sni_new_raw(keep, uint32_t, m->index_count);
    sn_vec3 *positions = sni_new_raw(keep, sn_vec3, m->vertex_count);
    if (!indices || !positions) return false;
    memcpy(indices, m->indices, m->index_count * sizeof *indices);
    for (uint32_t i = 0; i < m->vertex_count; i++)
        positions[i] = vector_at(m->source->positions, m->vertices[i].position);
    mesh->indices = indices, mesh->index_count = m->index_count;
    mesh->positions = positions, mesh->vertex_count = m->vertex_count;

    if (m->has_uvs) {
        const sn_vec2 **sets = sni_new(keep, const sn_vec2 *, 1);
        sn_vec2 *uvs = sni_new_raw(keep, sn_vec2, m->vertex_count);
        if (!sets || !uvs) return false;
        for (uint32_t i = 0; i < m->vertex_count; i++) {
            uint32_t at = m->vertices[i].uv;
            sn_vec3 uv = at != NONE ? vector_at(m->source->uvs, at) : sni_vec3(0, 0, 0);
            uvs[i] = (sn_vec2){ uv.x * uv_scale.x, uv.y * uv_scale.y };
        }
        sets[0] = uvs;
        mesh->uvs = sets, mesh->uv_count = 1;
    }
    if (m->has_colors) {
        const sn_vec4 **sets = sni_new(keep, const sn_vec4 *, 1);
        sn_vec4 *colors = sni_new_raw(keep, sn_vec4, m->vertex_count);
        if (!sets || !colors) return false;
        for (uint32_t i = 0; i < m->vertex_count; i++)
            colors[i] = m->vertices[i].color == NONE ? (sn_vec4){ 1, 1, 1, 1 } : m->colors[m->vertices[i].color];
        sets[0] = colors;
        mesh->colors = sets, mesh->color_count = 1;
    }
    return true;
}

// Vertices without a normal in a mesh that has normals get that of their faces.
static bool fill_normals(mesh_builder *m, sn_mesh *mesh)
{
    if (!m->has_normals) return true;
    sn_vec3 *normals = sni_new_raw(&m->b->load->keep, sn_vec3, m->vertex_count);
    if (!normals) return false;
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        uint32_t normal = m->vertices[i].normal;
        normals[i] = normal == NONE ? sni_vec3(0, 0, 0) : vector_at(m->source->normals, normal);
    }
    mesh->normals = normals;
    if (!m->lacks_normals) return true;
    for (uint32_t i = 0; i < m->index_count; i++) {
        uint32_t at = m->indices[i];
        if (m->vertices[at].normal == NONE) normals[at] = sni_add(normals[at], face_normal(m, m->indices + i - i % 3));
    }
    for (uint32_t i = 0; i < m->vertex_count; i++)
        if (m->vertices[i].normal == NONE) normals[i] = sni_unit(normals[i], sni_vec3(0, 1, 0));
    return true;
}

static bool fill_weights(mesh_builder *m, sn_mesh *mesh)
{
    const level5_mesh_weights *from = &m->weights;
    uint32_t width = from->influence_count;
    if (from->skin < 0) return true;
    uint64_t count = (uint64_t)m->vertex_count * width;
    uint16_t *joints = sni_new_raw(&m->b->load->keep, uint16_t, count);
    float *weights = sni_new_raw(&m->b->load->keep, float, count);
    if (!joints || !weights) return false;
    for (uint32_t i = 0; i < m->vertex_count; i++) {
        size_t at = (size_t)m->vertices[i].position * from->stride, to = (size_t)i * width;
        memcpy(joints + to, from->joints + at, width * sizeof *joints);
        memcpy(weights + to, from->weights + at, width * sizeof *weights);
    }
    mesh->influence_count = width;
    mesh->vertex_joints = joints;
    mesh->vertex_weights = weights;
    return true;
}

static bool fill_morphs(mesh_builder *m, sn_mesh *mesh)
{
    int32_t index = m->b->bones[m->node].morphs;
    if (index < 0) return true;
    const level5_morph_set *set = &level5_items(level5_morph_set, m->b->morph_sets)[index];
    sn_morph *morphs = sni_new(&m->b->load->keep, sn_morph, set->count);
    for (uint32_t k = 0; morphs && k < set->count; k++) {
        sn_vec3 *offsets = sni_new_raw(&m->b->load->keep, sn_vec3, m->vertex_count);
        if (!offsets) return false;
        for (uint32_t i = 0; i < m->vertex_count; i++) offsets[i] = set->morphs[k].offsets[m->vertices[i].position];
        morphs[k] = (sn_morph){ .name = set->morphs[k].name, .positions = offsets };
    }
    mesh->morphs = morphs;
    mesh->morph_count = set->count;
    return morphs != NULL;
}

// --- Meshes and parts ---

// `items` where they have room for `count`, otherwise new ones. NULL after a failure.
static void *make_room(sni_arena *arena, void *items, uint64_t *room, size_t size, uint64_t count)
{
    if (items && count <= *room) return items;
    *room = count;
    return sni_alloc_raw(arena, size, count);
}

// The primitives of one material as a mesh; none if they have no triangle.
static bool build_group(mesh_builder *m, const primitive_groups *groups, uint32_t group)
{
    level5_builder *b = m->b;
    int32_t material = level5_items(int32_t, groups->materials)[group];
    const uint32_t *order = groups->order + groups->starts[group],
                   count = groups->starts[group + 1] - groups->starts[group];
    uint64_t corners = 0, triangles = 0;
    for (uint32_t i = 0; i < count; i++) {
        const level5_primitive *primitive = &m->source->primitives[order[i]];
        uint32_t kind = primitive->flags & 7, own = primitive->corner_count;
        corners += own;
        triangles += kind == STRIP || kind == FAN ? (own > 2 ? own - 2 : 0) : own / 3;
    }
    mesh_scratch *scratch = m->scratch;
    sni_arena *arena = &b->load->scratch;
    scratch->vertices = make_room(arena, scratch->vertices, &scratch->vertex_room, sizeof(vertex), corners);
    scratch->indices = make_room(arena, scratch->indices, &scratch->index_room, sizeof(uint32_t), triangles * 3);
    m->vertices = scratch->vertices;
    m->indices = scratch->indices;
    m->vertex_count = m->index_count = 0;
    m->has_normals = m->lacks_normals = m->has_uvs = m->has_colors = false;
    if (!m->vertices || !m->indices) return false;
    for (uint32_t i = 0; i < count; i++) add_primitive(m, &m->source->primitives[order[i]]);
    for (uint32_t i = 0; i < m->vertex_count; i++) m->first[m->vertices[i].position] = NONE;
    if (m->index_count == 0) return true;

    sn_vec2 uv_scale = { 1, 1 };
    if (material >= 0) {
        int32_t image = level5_find_image(b, level5_read_material(m->source, (uint32_t)material).texture);
        if (image >= 0) uv_scale = level5_items(level5_image_info, b->materials.info)[image].uv_scale;
    }
    if (!sni_load_ok(b->load)) return false;
    sn_mesh mesh = { .name = level5_text(b, b->bones[m->node].source->name), .topology = SN_TRIANGLES };
    if (!fill_attributes(m, &mesh, uv_scale) || !fill_normals(m, &mesh) || !fill_weights(m, &mesh) ||
        !fill_morphs(m, &mesh) || !sni_sanitize_mesh(&b->core, &mesh, m->weights.joint_count, m->source->offset))
        return false;
    sn_mesh *slot = sni_builder_add_mesh(&b->core);
    int32_t *slot_material = slot ? sni_push(&b->load->scratch, &b->mesh_materials, int32_t) : NULL;
    if (!slot_material) return false;
    *slot = mesh;
    *slot_material = material;
    return true;
}

static bool build_mesh(mesh_builder *m)
{
    const level5_mesh *source = m->source;
    primitive_groups groups = { 0 };
    uint32_t color_count = source->colors.count;
    sni_arena *arena = &m->b->load->scratch;
    mesh_scratch *scratch = m->scratch;
    sn_vec4 *colors = sni_new_raw(arena, sn_vec4, color_count);
    m->first = make_room(arena, scratch->first, &scratch->first_room, sizeof(uint32_t), source->positions.count);
    if (!m->first || !colors || !group_primitives(m, &groups)) return false;
    for (uint64_t i = 0; m->first != scratch->first && i < scratch->first_room; i++) m->first[i] = NONE;
    scratch->first = m->first;

    // 1 is neutral and 2 the brightest, both in sRGB.
    for (uint32_t i = 0; i < color_count; i++) {
        sn_vec4 c = level5_read_vector(source->colors, i);
        colors[i] = (sn_vec4){ (float)sni_linear_of(c.x), (float)sni_linear_of(c.y), (float)sni_linear_of(c.z),
                               fminf(fmaxf(c.w, 0.0f), 1.0f) };
    }
    m->colors = colors;

    for (uint32_t g = 0; g < groups.materials.count; g++)
        if (!build_group(m, &groups, g)) return false;
    sni_diag *diag = &m->b->load->diag;
    sni_warn_many(diag, SNI_WARN_INDEX_RANGE, m->bad_positions, source->offset,
                  "face corners with an index past the last of %u positions", source->positions.count);
    sni_warn_many(diag, SNI_WARN_LEVEL5_INDEX, m->bad_others, source->offset,
                  "indices of normals, texture coordinates or colours past the last");
    return sni_load_ok(m->b->load);
}

// The meshes that one MDT became.
typedef struct mesh_range {
    uint32_t first, count;
    int32_t skin;
    bool is_built;
} mesh_range;

static bool add_parts(level5_builder *b, uint32_t node, const mesh_range *range, const level5_mesh *source)
{
    b->bones[node].first_part = b->core.parts.count;
    for (uint32_t i = 0; i < range->count; i++) {
        int32_t material = level5_items(int32_t, b->mesh_materials)[range->first + i];
        sn_part *part = sni_builder_add_part(&b->core);
        if (!part) return false;
        *part = (sn_part){ .mesh = (int32_t)(range->first + i),
                           .node = (int32_t)node,
                           .skin = range->skin,
                           .lod = -1,
                           .color = { 1, 1, 1, 1 } };
        if (!level5_build_material(b, node, source, material, part)) return false;
    }
    b->bones[node].part_count = range->count;
    return true;
}

// Nodes may share an MDT. Without skin and morphs it is built once.
static bool build_node_mesh(level5_builder *b, level5_weight_index *index, uint32_t node, mesh_scratch *scratch,
                            mesh_range *shared)
{
    mesh_builder m = { .b = b, .source = &b->mds->meshes[b->mds->nodes[node].mesh], .scratch = scratch, .node = node };
    if (m.source->primitive_count == 0) return true;
    if (!level5_build_skin(b, index, node, &m.weights)) return false;
    bool is_shared = m.weights.skin < 0 && b->bones[node].morphs < 0;
    if (is_shared && shared->is_built) return add_parts(b, node, shared, m.source);
    mesh_range range = { .first = b->core.meshes.count, .skin = m.weights.skin, .is_built = true };
    if (!build_mesh(&m)) return false;
    range.count = b->core.meshes.count - range.first;
    if (is_shared) *shared = range;
    if (range.count == 0)
        sni_warn(&b->load->diag, SNI_WARN_MESH_EMPTY, m.source->offset, "%u positions but no triangle",
                 m.source->positions.count);
    return add_parts(b, node, &range, m.source);
}

bool level5_build_meshes(level5_builder *b)
{
    level5_weight_index index;
    mesh_scratch scratch = { 0 };
    mesh_range *shared = sni_new(&b->load->scratch, mesh_range, b->mds->mesh_count);
    if (!shared || !level5_index_weights(b, &index)) return false;
    for (uint32_t i = 0; i < b->bone_count; i++) {
        const level5_node *node = &b->mds->nodes[i];
        if (node->mesh < 0) continue;
        sni_enter_named(&b->load->diag, "NODE", i, level5_label(b, node->name));
        bool is_built = build_node_mesh(b, &index, i, &scratch, &shared[node->mesh]);
        sni_leave(&b->load->diag);
        if (!is_built) return false;
    }
    return true;
}
