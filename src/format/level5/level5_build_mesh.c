// Meshes: faces name positions, normals, texture coordinates and colours apart; here a vertex has all of them. What is
// drawn with one material becomes one mesh.
#include <math.h>

#include "base/color.h"
#include "base/math.h"
#include "format/level5/level5_build.h"

// A position has a few vertices; where a hostile file has thousands, not all of them are compared.
enum { STRIP = 4, FAN = 5, MOST_COMPARED = 64 };
static const uint32_t NONE = UINT32_MAX;

typedef struct vertex {
    uint32_t position, normal, uv, color, next;
} vertex;  // next: of the same position

// The primitives of one MDT, those of each material together.
typedef struct splitter {
    level5_builder *b;
    const level5_mesh *mesh;
    uint32_t node;
    level5_bend bend;
    const sn_vec4 *colors;     // linear
    uint32_t *groups, *order;  // by primitive: its group; primitives, group by group
    sni_list materials;        // int32_t, by group
    uint32_t *starts;          // by group, one more at the end: into order
    uint32_t *first;           // by position: its first vertex
    vertex *vertices;
    uint32_t *indices;
    uint32_t vertex_count, index_count;
    uint64_t bad_positions, bad_others;
    bool has_normals, lacks_normals, has_uvs, has_colors;
} splitter;

// -1 goes on with the material before; one that is not there is none.
static bool find_groups(splitter *s)
{
    const level5_mesh *mesh = s->mesh;
    sni_arena *scratch = &s->b->load->scratch;
    uint32_t *group_of = sni_new(scratch, uint32_t, (uint64_t)mesh->materials.count + 1);  // one more than the group
    s->groups = sni_new_raw(scratch, uint32_t, mesh->primitive_count);
    int32_t current = 0;
    uint64_t bad = 0;
    if (!group_of || !s->groups) return false;
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        int32_t wanted = mesh->primitives[i].material;
        if (wanted != LEVEL5_NONE) current = wanted;
        bool is_there = current >= 0 && (uint32_t)current < mesh->materials.count;
        uint32_t *group = &group_of[is_there ? (uint32_t)current : mesh->materials.count];
        bad += !is_there && mesh->materials.count > 0;
        if (*group == 0) {
            int32_t *slot = sni_push(scratch, &s->materials, int32_t);
            if (!slot) return false;
            *slot = is_there ? current : LEVEL5_NONE;
            *group = s->materials.count;
        }
        s->groups[i] = *group - 1;
    }
    sni_warn_many(&s->b->load->diag, SNI_WARN_REFERENCE, bad, mesh->offset,
                  "primitives with a material past the last of %u", mesh->materials.count);
    return true;
}

static bool sort_primitives(splitter *s)
{
    uint32_t count = s->mesh->primitive_count;
    s->order = sni_new_raw(&s->b->load->scratch, uint32_t, count);
    s->starts = sni_new(&s->b->load->scratch, uint32_t, (uint64_t)s->materials.count + 2);
    if (!s->order || !s->starts) return false;
    uint32_t *ends = s->starts + 1;  // each start moves to its end while the group is filled
    for (uint32_t i = 0; i < count; i++) ends[s->groups[i] + 1]++;
    for (uint32_t g = 1; g <= s->materials.count; g++) ends[g] += ends[g - 1];
    for (uint32_t i = 0; i < count; i++) s->order[ends[s->groups[i]]++] = i;
    return true;
}

static uint32_t attribute(splitter *s, const uint8_t *corner, int32_t at, uint32_t count)
{
    if (at < 0) return NONE;
    uint32_t index = sni_load_u32(corner + (size_t)4 * (uint32_t)at);
    if (index < count) return index;
    s->bad_others += count > 0;
    return NONE;
}

// The vertex with just these, made where there is none. NONE where the position is not there.
static uint32_t find_vertex(splitter *s, const level5_primitive *primitive, uint32_t index)
{
    const level5_mesh *mesh = s->mesh;
    const uint8_t *corner = primitive->corners.data + (size_t)4 * primitive->stride * index;
    uint32_t position = sni_load_u32(corner);
    if (position >= mesh->positions.count) {
        s->bad_positions++;
        return NONE;
    }
    uint32_t normal = attribute(s, corner, primitive->normal_at, mesh->normals.count);
    uint32_t uv = attribute(s, corner, primitive->uv_at, mesh->uvs.count);
    uint32_t color = attribute(s, corner, primitive->color_at, mesh->colors.count);
    for (uint32_t at = s->first[position], tries = 0; at != NONE && tries < MOST_COMPARED;
         at = s->vertices[at].next, tries++) {
        const vertex *known = &s->vertices[at];
        if (known->normal == normal && known->uv == uv && known->color == color) return at;
    }
    s->vertices[s->vertex_count] = (vertex){ position, normal, uv, color, s->first[position] };
    s->first[position] = s->vertex_count;
    s->has_normals |= normal != NONE;
    s->lacks_normals |= normal == NONE;
    s->has_uvs |= uv != NONE;
    s->has_colors |= color != NONE;
    return s->vertex_count++;
}

static sn_vec3 vector_at(level5_array array, uint32_t index)
{
    float v[3];
    sni_load_words(array.data + (size_t)index * LEVEL5_VECTOR_BYTES, v, 3);
    return sni_vec3(v[0], v[1], v[2]);
}

// Twice the triangle's area, along its normal.
static sn_vec3 face_normal(const splitter *s, const uint32_t corners[3])
{
    sn_vec3 a = vector_at(s->mesh->positions, s->vertices[corners[0]].position);
    sn_vec3 b = vector_at(s->mesh->positions, s->vertices[corners[1]].position);
    sn_vec3 c = vector_at(s->mesh->positions, s->vertices[corners[2]].position);
    return sni_cross(sni_sub(b, a), sni_sub(c, a));
}

static bool is_flat(const splitter *s, const uint32_t corners[3])
{
    uint32_t a = s->vertices[corners[0]].position, b = s->vertices[corners[1]].position,
             c = s->vertices[corners[2]].position;
    return a == b || b == c || a == c;
}

// How much the faces look where their normals do; negative: away from it.
static double agreement(const splitter *s, const uint32_t corners[3])
{
    sn_vec3 face = face_normal(s, corners);
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        uint32_t normal = s->vertices[corners[i]].normal;
        if (normal != NONE) sum += sni_dot(face, vector_at(s->mesh->normals, normal));
    }
    return sum;
}

static void add_triangle(splitter *s, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t corners[3] = { a, b, c };
    if (a == NONE || b == NONE || c == NONE || is_flat(s, corners)) return;
    memcpy(s->indices + s->index_count, corners, sizeof corners);
    s->index_count += 3;
}

// Which way round a face is wound nobody knows for sure: a primitive that looks away from its normals is turned.
static void turn_primitive(splitter *s, uint32_t from)
{
    double sum = 0.0;
    for (uint32_t i = from; i < s->index_count; i += 3) sum += agreement(s, s->indices + i);
    if (!(sum < 0.0)) return;
    for (uint32_t i = from; i < s->index_count; i += 3) {
        uint32_t second = s->indices[i + 1];
        s->indices[i + 1] = s->indices[i + 2];
        s->indices[i + 2] = second;
    }
}

static void add_primitive(splitter *s, const level5_primitive *primitive)
{
    uint32_t kind = primitive->flags & 7, count = primitive->corner_count, from = s->index_count;
    uint32_t step = kind == STRIP || kind == FAN ? 1 : 3, a = NONE, b = NONE;
    for (uint32_t i = 0; i < count - count % step; i++) {
        uint32_t c = find_vertex(s, primitive, i);
        if (step == 3 ? i % 3 == 2 : i >= 2) {
            bool is_odd = kind == STRIP && i % 2 == 1;
            add_triangle(s, is_odd ? b : a, is_odd ? a : b, c);
        }
        if (kind == FAN) a = i == 0 ? c : a, b = c;
        else a = b, b = c;
    }
    if (primitive->normal_at >= 0) turn_primitive(s, from);
}

static bool fill_positions(splitter *s, sn_mesh *mesh)
{
    sn_vec3 *positions = sni_new_raw(&s->b->load->keep, sn_vec3, s->vertex_count);
    for (uint32_t i = 0; positions && i < s->vertex_count; i++)
        positions[i] = vector_at(s->mesh->positions, s->vertices[i].position);
    mesh->positions = positions;
    return positions != NULL;
}

// Vertices without a normal in a mesh that has some take that of their faces.
static bool fill_normals(splitter *s, sn_mesh *mesh)
{
    if (!s->has_normals) return true;
    sn_vec3 *normals = sni_new_raw(&s->b->load->keep, sn_vec3, s->vertex_count);
    if (!normals) return false;
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        uint32_t normal = s->vertices[i].normal;
        normals[i] = normal == NONE ? sni_vec3(0, 0, 0) : vector_at(s->mesh->normals, normal);
    }
    mesh->normals = normals;
    if (!s->lacks_normals) return true;
    for (uint32_t i = 0; i < s->index_count; i++) {
        uint32_t at = s->indices[i];
        if (s->vertices[at].normal == NONE) normals[at] = sni_add(normals[at], face_normal(s, s->indices + i - i % 3));
    }
    for (uint32_t i = 0; i < s->vertex_count; i++)
        if (s->vertices[i].normal == NONE) normals[i] = sni_unit(normals[i], sni_vec3(0, 1, 0));
    return true;
}

static bool fill_uvs(splitter *s, sn_mesh *mesh, sn_vec2 scale)
{
    if (!s->has_uvs) return true;
    const sn_vec2 **sets = sni_new(&s->b->load->keep, const sn_vec2 *, 1);
    sn_vec2 *uvs = sni_new_raw(&s->b->load->keep, sn_vec2, s->vertex_count);
    if (!sets || !uvs) return false;
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        float uv[2] = { 0, 0 };
        uint32_t at = s->vertices[i].uv;
        if (at != NONE) sni_load_words(s->mesh->uvs.data + (size_t)at * LEVEL5_VECTOR_BYTES, uv, 2);
        uvs[i] = (sn_vec2){ uv[0] * scale.x, uv[1] * scale.y };
    }
    sets[0] = uvs;
    mesh->uvs = sets;
    mesh->uv_count = 1;
    return true;
}

static bool fill_colors(splitter *s, sn_mesh *mesh)
{
    if (!s->has_colors) return true;
    const sn_vec4 **sets = sni_new(&s->b->load->keep, const sn_vec4 *, 1);
    sn_vec4 *colors = sni_new_raw(&s->b->load->keep, sn_vec4, s->vertex_count);
    if (!sets || !colors) return false;
    for (uint32_t i = 0; i < s->vertex_count; i++)
        colors[i] = s->vertices[i].color == NONE ? (sn_vec4){ 1, 1, 1, 1 } : s->colors[s->vertices[i].color];
    sets[0] = colors;
    mesh->colors = sets;
    mesh->color_count = 1;
    return true;
}

static bool fill_weights(splitter *s, sn_mesh *mesh)
{
    const level5_bend *bend = &s->bend;
    uint32_t width = bend->influence_count;
    if (bend->skin < 0) return true;
    uint16_t *joints = sni_new_raw(&s->b->load->keep, uint16_t, (uint64_t)s->vertex_count * width);
    float *weights = sni_new_raw(&s->b->load->keep, float, (uint64_t)s->vertex_count *width);
    if (!joints || !weights) return false;
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        size_t from = (size_t)s->vertices[i].position * bend->stride, to = (size_t)i * width;
        memcpy(joints + to, bend->joints + from, width * sizeof *joints);
        memcpy(weights + to, bend->weights + from, width * sizeof *weights);
    }
    mesh->influence_count = width;
    mesh->vertex_joints = joints;
    mesh->vertex_weights = weights;
    return true;
}

static bool fill_morphs(splitter *s, sn_mesh *mesh)
{
    int32_t number = s->b->bones[s->node].shapes;
    if (number < 0) return true;
    const level5_shapes *shapes = &level5_items(level5_shapes, s->b->shapes)[number];
    sn_morph *morphs = sni_new(&s->b->load->keep, sn_morph, shapes->count);
    for (uint32_t m = 0; morphs && m < shapes->count; m++) {
        sn_vec3 *moves = sni_new_raw(&s->b->load->keep, sn_vec3, s->vertex_count);
        if (!moves) return false;
        for (uint32_t i = 0; i < s->vertex_count; i++) moves[i] = shapes->forms[m].moves[s->vertices[i].position];
        morphs[m] = (sn_morph){ .name = shapes->forms[m].name, .positions = moves };
    }
    mesh->morphs = morphs;
    mesh->morph_count = shapes->count;
    return morphs != NULL;
}

static bool fill_indices(splitter *s, sn_mesh *mesh)
{
    uint32_t *indices = sni_new_raw(&s->b->load->keep, uint32_t, s->index_count);
    if (!indices) return false;
    if (s->index_count > 0) memcpy(indices, s->indices, s->index_count * sizeof *indices);
    mesh->indices = indices;
    mesh->index_count = s->index_count;
    mesh->vertex_count = s->vertex_count;
    return true;
}

static bool add_mesh(splitter *s, int32_t material, sn_vec2 uv_scale)
{
    level5_builder *b = s->b;
    sn_mesh mesh = { .name = level5_clean(b, b->bones[s->node].source->name), .topology = SN_TRIANGLES };
    if (!fill_indices(s, &mesh) || !fill_positions(s, &mesh) || !fill_normals(s, &mesh) ||
        !fill_uvs(s, &mesh, uv_scale) || !fill_colors(s, &mesh) || !fill_weights(s, &mesh) || !fill_morphs(s, &mesh))
        return false;
    if (!sni_finish_mesh(b->load, &mesh, s->bend.joint_count, s->mesh->offset)) return false;
    sn_mesh *slot = sni_push(&b->load->keep, &b->meshes, sn_mesh);
    int32_t *source = slot ? sni_push(&b->load->scratch, &b->mesh_materials, int32_t) : NULL;
    if (!source) return false;
    *slot = mesh;
    *source = material;
    return true;
}

static uint64_t triangles_of(const level5_primitive *primitive)
{
    uint32_t kind = primitive->flags & 7, count = primitive->corner_count;
    return kind == STRIP || kind == FAN ? (count > 2 ? count - 2 : 0) : count / 3;
}

static bool make_room(splitter *s, uint32_t group)
{
    uint64_t corners = 0, triangles = 0;
    for (uint32_t i = s->starts[group]; i < s->starts[group + 1]; i++) {
        corners += s->mesh->primitives[s->order[i]].corner_count;
        triangles += triangles_of(&s->mesh->primitives[s->order[i]]);
    }
    s->vertices = sni_new_raw(&s->b->load->scratch, vertex, corners);
    s->indices = sni_new_raw(&s->b->load->scratch, uint32_t, triangles * 3);
    s->vertex_count = s->index_count = 0;
    s->has_normals = s->lacks_normals = s->has_uvs = s->has_colors = false;
    return s->vertices && s->indices;
}

static bool add_group(splitter *s, uint32_t group)
{
    int32_t material = level5_items(int32_t, s->materials)[group];
    sn_vec2 scale = { 1, 1 };
    if (!make_room(s, group)) return false;
    for (uint32_t i = s->starts[group]; i < s->starts[group + 1]; i++)
        add_primitive(s, &s->mesh->primitives[s->order[i]]);
    for (uint32_t i = 0; i < s->vertex_count; i++) s->first[s->vertices[i].position] = NONE;
    if (s->index_count == 0) return true;
    if (material >= 0) {
        int32_t image = level5_find_image(s->b, level5_read_material(s->mesh, (uint32_t)material).texture);
        if (image >= 0) scale = level5_items(level5_image, s->b->image_facts)[image].uv_scale;
    }
    return sni_load_ok(s->b->load) && add_mesh(s, material, scale);
}

// What is neutral multiplies by 1 and the brightest by 2, in the space of the screen.
static bool read_colors(splitter *s)
{
    uint32_t count = s->mesh->colors.count;
    sn_vec4 *colors = sni_new_raw(&s->b->load->scratch, sn_vec4, count);
    for (uint32_t i = 0; colors && i < count; i++) {
        sn_vec4 c = level5_read_vector(s->mesh->colors, i);
        colors[i] = (sn_vec4){ (float)sni_linear_of(c.x), (float)sni_linear_of(c.y), (float)sni_linear_of(c.z),
                               fminf(fmaxf(c.w, 0.0f), 1.0f) };
    }
    s->colors = colors;
    return colors != NULL;
}

static bool split_mesh(splitter *s)
{
    s->first = sni_new_raw(&s->b->load->scratch, uint32_t, s->mesh->positions.count);
    if (!s->first || !find_groups(s) || !sort_primitives(s) || !read_colors(s)) return false;
    for (uint32_t i = 0; i < s->mesh->positions.count; i++) s->first[i] = NONE;
    for (uint32_t g = 0; g < s->materials.count; g++)
        if (!add_group(s, g)) return false;
    sni_diag *diag = &s->b->load->diag;
    sni_warn_many(diag, SNI_WARN_INDEX_RANGE, s->bad_positions, s->mesh->offset,
                  "corners past the last of %u positions", s->mesh->positions.count);
    sni_warn_many(diag, SNI_WARN_LEVEL5_INDEX, s->bad_others, s->mesh->offset,
                  "normals, texture coordinates or colours past the last");
    return sni_load_ok(s->b->load);
}

static bool add_parts(level5_builder *b, uint32_t node, const level5_range *range, const level5_mesh *mesh)
{
    b->bones[node].first_part = b->parts.count;
    for (uint32_t i = 0; i < range->count; i++) {
        int32_t number = level5_items(int32_t, b->mesh_materials)[range->first + i];
        sn_part *part = sni_push(&b->load->keep, &b->parts, sn_part);
        if (!part) return false;
        *part = (sn_part){ .mesh = (int32_t)(range->first + i),
                           .node = (int32_t)node,
                           .skin = range->skin,
                           .lod = -1,
                           .color = { 1, 1, 1, 1 } };
        if (!level5_build_looks(b, node, mesh, number, part)) return false;
    }
    b->bones[node].part_count = range->count;
    return true;
}

// Nodes may share a mesh; what neither bends nor changes is built once.
static bool show_mesh(level5_builder *b, uint32_t node, level5_range *shared)
{
    splitter s = { .b = b, .mesh = &b->mds->meshes[b->mds->nodes[node].mesh], .node = node };
    if (s.mesh->primitive_count == 0) return true;
    if (!level5_bend_mesh(b, node, s.mesh, &s.bend)) return false;
    bool is_own = s.bend.skin >= 0 || b->bones[node].shapes >= 0;
    level5_range range = { .first = b->meshes.count, .skin = s.bend.skin, .is_built = true };
    if (!is_own && shared->is_built) return add_parts(b, node, shared, s.mesh);
    if (!split_mesh(&s)) return false;
    range.count = b->meshes.count - range.first;
    if (!is_own) *shared = range;
    if (range.count == 0)
        sni_warn(&b->load->diag, SNI_WARN_MESH_EMPTY, s.mesh->offset, "%u positions, no triangle",
                 s.mesh->positions.count);
    return add_parts(b, node, &range, s.mesh);
}

bool level5_build_meshes(level5_builder *b)
{
    level5_range *shared = sni_new(&b->load->scratch, level5_range, b->mds->mesh_count);
    if (!shared || !level5_index_weights(b)) return false;
    for (uint32_t i = 0; i < b->bone_count; i++) {
        if (b->mds->nodes[i].mesh < 0) continue;
        sni_enter_named(&b->load->diag, "NODE", i, level5_label(b, b->mds->nodes[i].name));
        bool is_shown = show_mesh(b, i, &shared[b->mds->nodes[i].mesh]);
        sni_leave(&b->load->diag);
        if (!is_shown) return false;
    }
    return true;
}
