// Meshes: vertex arrays, skinning to the base pose, and splitting. Each mesh of the file becomes one mesh of the model
// for each material that its triangles use.
#include <math.h>

#include "base/math.h"
#include "format/w3d/w3d_build.h"
#include "model/sanitize.h"

enum { FIRST_TYPED_VERSION = 0x40001, OLD_CAMERA_ALIGNED = 8, OLD_NOT_DRAWN = 1 | 4 };  // flags before version 4.1
enum { INFLUENCE_BYTES = 8, EXTENDED_INFLUENCE_BYTES = 14, MAX_INFLUENCES = 4 };

bool w3d_is_skin(const w3d_mesh *mesh)
{
    return mesh->influences.data != NULL;  // the geometry type of some skins is wrong
}

// The type is a number, not flags: camera-oriented includes the bit of a skin. Before version 4.1 there were flags.
uint32_t w3d_geometry_type(const w3d_mesh *mesh)
{
    if (mesh->version >= FIRST_TYPED_VERSION) return mesh->attributes & W3D_GEOMETRY_MASK;
    if (mesh->attributes & OLD_CAMERA_ALIGNED) return W3D_GEOMETRY_CAMERA_ALIGNED;
    return mesh->attributes & OLD_NOT_DRAWN ? W3D_GEOMETRY_SHADOW : 0;
}

uint32_t w3d_pass_count(const w3d_material_set *materials)
{
    return !materials ? 0 : materials->pass_count < W3D_MAX_PASSES ? materials->pass_count : W3D_MAX_PASSES;
}

// Vertex arrays

// Used in place where possible, else copied. NULL: the file has none, or too few.
static const sn_vec3 *read_vectors(w3d_builder *b, w3d_array array, uint32_t count, const char *what, uint64_t offset)
{
    if (!array.data) return NULL;
    if (array.count < count) {
        sni_warn(&b->load->diag, SNI_WARN_W3D_COUNT, offset, "%u %s for %u vertices; ignored", array.count, what,
                 count);
        return NULL;
    }
    if (sni_is_little_endian() && (uintptr_t)array.data % 4 == 0 &&
        sni_load_lend(b->load, array.data, (uint64_t)count * sizeof(sn_vec3)))
        return (const sn_vec3 *)(const void *)array.data;
    sn_vec3 *copy = sni_new_raw(&b->load->keep, sn_vec3, count);
    if (copy) sni_load_words(array.data, copy, (size_t)count * 3);
    return copy;
}

// The bitangent only decides on which side of the tangent it is.
static bool read_tangents(w3d_builder *b, w3d_geometry *geometry)
{
    const w3d_mesh *mesh = geometry->mesh;
    uint32_t count = geometry->vertex_count;
    if (!mesh->tangents.data || mesh->tangents.count < count || mesh->bitangents.count < count ||
        mesh->normals.count < count)
        return true;
    sn_vec4 *tangents = sni_new_raw(&b->load->keep, sn_vec4, count);
    for (uint32_t i = 0; tangents && i < count; i++) {
        sn_vec3 n, t, s;
        sni_load_words(mesh->normals.data + (size_t)12 * i, &n, 3);
        sni_load_words(mesh->tangents.data + (size_t)12 * i, &t, 3);
        sni_load_words(mesh->bitangents.data + (size_t)12 * i, &s, 3);
        float side = sni_dot(sni_cross(n, t), s);
        tangents[i] = (sn_vec4){ t.x, t.y, t.z, side < 0.0f ? -1.0f : 1.0f };
    }
    geometry->tangents = tangents;
    return tangents != NULL;
}

// Adds a set with v counted from the top instead of the bottom. `set` is its index, or -1.
static bool add_uvs(w3d_builder *b, w3d_geometry *geometry, w3d_array array, int32_t *set)
{
    uint32_t count = geometry->vertex_count;
    *set = -1;
    if (!array.data || count == 0) return true;
    if (array.count < count) {
        sni_warn(&b->load->diag, SNI_WARN_W3D_COUNT, w3d_offset(b->doc, geometry->mesh->chunk),
                 "%u texture coordinates for %u vertices; ignored", array.count, count);
        return true;
    }
    sn_vec2 *uvs = sni_new_raw(&b->load->keep, sn_vec2, count);
    if (!uvs) return false;
    sni_load_words(array.data, uvs, (size_t)count * 2);
    for (uint32_t i = 0; i < count; i++) uvs[i].y = 1.0f - uvs[i].y;
    *set = (int32_t)geometry->uv_count;
    geometry->uvs[geometry->uv_count++] = uvs;
    return true;
}

// A stage without coordinates uses those of the first stage of its pass, else those of the first pass.
static bool read_uvs(w3d_builder *b, w3d_geometry *geometry)
{
    int32_t old_set;
    if (!add_uvs(b, geometry, geometry->mesh->uvs, &old_set)) return false;  // of meshes before version 4
    for (uint32_t p = 0; p < W3D_MAX_PASSES; p++) geometry->uv_sets[p][0] = geometry->uv_sets[p][1] = -1;
    for (uint32_t p = 0; p < w3d_pass_count(geometry->materials); p++) {
        const w3d_pass *pass = &geometry->materials->passes[p];
        int32_t *sets = geometry->uv_sets[p];
        w3d_array first = pass->stages[0].uvs.data ? pass->stages[0].uvs : pass->uvs;
        if (!add_uvs(b, geometry, first, &sets[0]) || !add_uvs(b, geometry, pass->stages[1].uvs, &sets[1]))
            return false;
        if (sets[0] < 0) sets[0] = p > 0 ? geometry->uv_sets[0][0] : -1;
        if (sets[1] < 0) sets[1] = sets[0];
    }
    return true;
}

// Diffuse times illumination, multiplied as bytes like the engine does, then made linear. Alpha is linear already.
static const sn_vec4 *mix_colors(w3d_builder *b, const w3d_pass *pass, bool is_prelit, uint32_t count)
{
    bool has_dcg = pass->dcg.count >= count, has_dig = pass->dig.count >= count,
         has_alpha = is_prelit && pass->dcg2.count >= count;
    sn_vec4 *colors = sni_new_raw(&b->load->keep, sn_vec4, count);
    for (uint32_t i = 0; colors && i < count; i++) {
        uint32_t rgba[4] = { 255, 255, 255, 255 };
        for (uint32_t c = 0; has_dcg && c < 4; c++) rgba[c] = pass->dcg.data[(size_t)4 * i + c];
        if (has_alpha) rgba[3] = pass->dcg2.data[(size_t)4 * i + 3];
        for (uint32_t c = 0; has_dig && c < 3; c++) rgba[c] = (rgba[c] * pass->dig.data[(size_t)4 * i + c] + 127) / 255;
        colors[i] = (sn_vec4){ b->linear[rgba[0]], b->linear[rgba[1]], b->linear[rgba[2]], (float)rgba[3] / 255.0f };
    }
    return colors;
}

static bool read_colors(w3d_builder *b, w3d_geometry *geometry)
{
    const w3d_material_set *materials = geometry->materials;
    if (geometry->mesh->colors.count >= geometry->vertex_count) {  // before version 4
        const w3d_pass old = { .dig = geometry->mesh->colors };
        geometry->colors[0] = mix_colors(b, &old, false, geometry->vertex_count);
        geometry->color_count = 1;
    }
    for (uint32_t p = 0; p < w3d_pass_count(materials); p++) {
        const w3d_pass *pass = &materials->passes[p];
        if (!pass->dcg.data && !pass->dig.data) continue;
        geometry->colors[p] = mix_colors(b, pass, materials->prelit == W3D_PRELIT_VERTEX, geometry->vertex_count);
        geometry->color_count = p + 1;
    }
    return sni_load_ok(b->load);
}

static bool read_geometry(w3d_builder *b, const w3d_mesh *mesh, w3d_geometry *geometry)
{
    uint64_t offset = w3d_offset(b->doc, mesh->chunk);
    *geometry = (w3d_geometry){ .mesh = mesh,
                                .vertex_count = mesh->positions.count,
                                .triangle_count = mesh->triangles.count };

    // Of prelit variants the engine takes the best one that the machine can draw; ids are in that order.
    for (uint32_t i = 0; i < mesh->material_set_count; i++)
        if (!geometry->materials || mesh->material_sets[i].prelit > geometry->materials->prelit)
            geometry->materials = &mesh->material_sets[i];

    if (!w3d_is_skin(mesh)) {
        geometry->positions = read_vectors(b, mesh->positions, geometry->vertex_count, "positions", offset);
        geometry->normals = read_vectors(b, mesh->normals, geometry->vertex_count, "normals", offset);
    }
    return sni_load_ok(b->load) && read_tangents(b, geometry) && read_uvs(b, geometry) && read_colors(b, geometry);
}

// Skinning
//
// Vertices of skins are in the space of their bones. They are posed once, in the base pose, to be in model space as in
// other formats; the inverse of that pose is the inverse bind matrix (w3d_build_skins).

typedef struct skinner {
    w3d_builder *b;
    w3d_instance *instance;
    w3d_geometry *geometry;
    w3d_array extended;  // four bones per vertex
    uint64_t bad_bone_count;
    uint32_t bad_bone;
    double box_min[3], box_max[3];  // of the posed vertices
} skinner;

typedef struct influence {
    uint32_t count, bones[MAX_INFLUENCES];
    double weights[MAX_INFLUENCES];
    bool uses_second;  // the vertex has a second position, in the space of the second bone
} influence;

static uint32_t bone_shift(const w3d_mesh *mesh) { return mesh->version < W3D_FIRST_ROOTED_VERSION; }

// Without its skeleton a skin can be posed only if all vertices are on the root.
static bool can_skin(const w3d_instance *instance, const w3d_mesh *mesh)
{
    if (!instance->is_skeleton_missing) return true;
    for (uint32_t i = 0; i < mesh->influences.count; i++)
        if (sni_load_u16(mesh->influences.data + (size_t)i * INFLUENCE_BYTES) + bone_shift(mesh) > 0) return false;
    return true;
}

static uint32_t read_bone(skinner *s, const uint8_t *at)
{
    uint32_t bone = sni_load_u16(at) + bone_shift(s->geometry->mesh);
    if (bone < s->instance->skeleton->pivot_count) return bone;
    s->bad_bone_count++;
    s->bad_bone = bone;
    return 0;
}

static influence read_influence(skinner *s, uint32_t vertex)
{
    // Extended: four bones; the position is in the space of the first.
    if (vertex < s->extended.count) {
        influence found = { .count = MAX_INFLUENCES };
        const uint8_t *at = s->extended.data + (size_t)vertex * EXTENDED_INFLUENCE_BYTES;
        double rest = 1.0;
        for (uint32_t i = 0; i < MAX_INFLUENCES; i++) found.bones[i] = read_bone(s, at + (size_t)2 * i);
        for (uint32_t i = 0; i + 1 < MAX_INFLUENCES; i++) {
            found.weights[i] = sni_load_u16(at + 8 + (size_t)2 * i) / 65535.0;
            rest -= found.weights[i];
        }
        found.weights[MAX_INFLUENCES - 1] = rest > 0.0 ? rest : 0.0;
        return found;
    }

    // Usual: one bone, or two with percentages when the mesh has second positions.
    const w3d_mesh *mesh = s->geometry->mesh;
    influence found = { .count = 1, .weights = { 1.0 } };
    if (vertex >= mesh->influences.count) return found;
    const uint8_t *at = mesh->influences.data + (size_t)vertex * INFLUENCE_BYTES;
    double first = sni_load_u16(at + 4), second = sni_load_u16(at + 6);
    found.bones[0] = read_bone(s, at);
    if (vertex >= mesh->positions2.count || second == 0.0) return found;
    found.uses_second = true;
    found.count = 2;
    found.bones[1] = read_bone(s, at + 2);
    found.weights[0] = first / (first + second);
    found.weights[1] = second / (first + second);
    return found;
}

static void add_posed(double out[3], const w3d_mat *world, const float v[3], double weight, bool is_point)
{
    for (int r = 0; r < 3; r++) {
        double moved = world->m[r][0] * v[0] + world->m[r][1] * v[1] + world->m[r][2] * v[2];
        out[r] += weight * (moved + (is_point ? world->m[r][3] : 0.0));
    }
}

// A position or normal in model space: from the first bone, or a mix of the two bones' versions of it.
static void pose_vector(const skinner *s, const influence *found, w3d_array first, w3d_array second, uint32_t vertex,
                        bool is_point, double out[3])
{
    const w3d_mat *worlds = s->instance->skeleton->worlds;
    float v[3] = { 0, 0, 0 };
    bool is_mixed = found->uses_second && vertex < second.count;
    out[0] = out[1] = out[2] = 0.0;
    if (vertex < first.count) sni_load_words(first.data + (size_t)12 * vertex, v, 3);
    add_posed(out, &worlds[found->bones[0]], v, is_mixed ? found->weights[0] : 1.0, is_point);
    if (!is_mixed) return;
    sni_load_words(second.data + (size_t)12 * vertex, v, 3);
    add_posed(out, &worlds[found->bones[1]], v, found->weights[1], is_point);
}

static sn_vec3 to_vec3(const double v[3]) { return sni_vec3((float)v[0], (float)v[1], (float)v[2]); }

static void pose_vertices(skinner *s, sn_vec3 *positions, sn_vec3 *normals, sn_vec4 *tangents)
{
    const w3d_mesh *mesh = s->geometry->mesh;
    for (int r = 0; r < 3; r++) s->box_min[r] = HUGE_VAL, s->box_max[r] = -HUGE_VAL;
    for (uint32_t i = 0; i < s->geometry->vertex_count; i++) {
        influence found = read_influence(s, i);
        double posed[3];
        pose_vector(s, &found, mesh->positions, mesh->positions2, i, true, posed);
        positions[i] = to_vec3(posed);
        for (int r = 0; r < 3; r++) {
            if (posed[r] < s->box_min[r]) s->box_min[r] = posed[r];
            if (posed[r] > s->box_max[r]) s->box_max[r] = posed[r];
        }
        if (normals) {
            pose_vector(s, &found, mesh->normals, mesh->normals2, i, false, posed);
            normals[i] = sni_unit(to_vec3(posed), sni_vec3(0, 0, 1));
        }
        if (tangents) {
            const float v[3] = { tangents[i].x, tangents[i].y, tangents[i].z };
            posed[0] = posed[1] = posed[2] = 0.0;
            add_posed(posed, &s->instance->skeleton->worlds[found.bones[0]], v, 1.0, false);
            sn_vec3 unit = sni_unit(to_vec3(posed), sni_vec3(1, 0, 0));
            tangents[i] = (sn_vec4){ unit.x, unit.y, unit.z, tangents[i].w };
        }
    }
}

// Joints are the bones that move vertices, in the order of first use.
static uint16_t joint_of_bone(w3d_instance *instance, uint32_t bone)
{
    if (instance->joint_of[bone] < 0) {
        instance->joint_of[bone] = (int32_t)instance->joint_count;
        instance->joints[instance->joint_count++] = (int32_t)bone;
    }
    return (uint16_t)instance->joint_of[bone];
}

static bool write_influences(skinner *s)
{
    w3d_geometry *geometry = s->geometry;
    uint32_t width = 1;
    for (uint32_t i = 0; i < geometry->vertex_count && width < MAX_INFLUENCES; i++) {
        influence found = read_influence(s, i);
        if (found.count > width) width = found.count;
    }
    geometry->influence_count = width;
    geometry->joints = sni_new(&s->b->load->keep, uint16_t, (uint64_t)geometry->vertex_count * width);
    geometry->weights = sni_new(&s->b->load->keep, float, (uint64_t)geometry->vertex_count *width);
    if (!geometry->joints || !geometry->weights) return false;
    for (uint32_t i = 0; i < geometry->vertex_count; i++) {
        influence found = read_influence(s, i);
        uint16_t *joints = geometry->joints + (size_t)i * width;
        float *weights = geometry->weights + (size_t)i * width;
        uint32_t used = 0;
        for (uint32_t k = 0; k < found.count; k++) {
            if (found.weights[k] == 0.0) continue;
            joints[used] = joint_of_bone(s->instance, found.bones[k]);
            weights[used++] = (float)found.weights[k];
        }
        for (; used < width; used++) joints[used] = joints[0];
    }
    return true;
}

// The box in the header is that of the posed mesh: a difference means that this is not the right skeleton. Vertices and
// bones are stored as floats relative to other bones, so the farther those are from the origin, the more is lost in
// rounding.
static void check_box(const skinner *s)
{
    const double rounding = 1e-6;
    const w3d_mesh *mesh = s->geometry->mesh;
    const double low[3] = { mesh->box_min.x, mesh->box_min.y, mesh->box_min.z },
                 high[3] = { mesh->box_max.x, mesh->box_max.y, mesh->box_max.z };
    double size = 0.0, worst = 0.0;
    for (int r = 0; r < 3; r++) {
        size += (high[r] - low[r]) * (high[r] - low[r]);
        worst = fmax(worst, fmax(fabs(low[r] - s->box_min[r]), fabs(high[r] - s->box_max[r])));
    }
    size = sqrt(size);
    if (!(size > 0.0) || worst <= 0.01 * size + rounding * s->instance->skeleton->reach) return;
    sni_warn(&s->b->load->diag, SNI_WARN_W3D_BOX, w3d_offset(s->b->doc, mesh->chunk),
             "posed on hierarchy \"%s\" it differs from its box by %g; the box measures %g",
             w3d_label(s->b, s->instance->skeleton->name), worst, size);
}

static bool skin_geometry(w3d_builder *b, w3d_instance *instance, w3d_geometry *geometry)
{
    const w3d_mesh *mesh = geometry->mesh;
    uint32_t count = geometry->vertex_count;
    skinner s = { .b = b, .instance = instance, .geometry = geometry };
    for (int32_t at = b->doc->chunks[mesh->chunk].first_child; at >= 0 && !s.extended.data;
         at = b->doc->chunks[at].next) {
        const w3d_chunk *chunk = &b->doc->chunks[at];
        if (chunk->id == W3D_INFLUENCES4)
            s.extended = (w3d_array){ chunk->bytes.data, chunk->bytes.count / EXTENDED_INFLUENCE_BYTES };
    }

    bool has_normals = mesh->normals.data && mesh->normals.count >= count;
    sn_vec3 *positions = sni_new_raw(&b->load->keep, sn_vec3, count);
    sn_vec3 *normals = has_normals ? sni_new_raw(&b->load->keep, sn_vec3, count) : NULL;
    if (!positions || !sni_load_ok(b->load)) return false;
    pose_vertices(&s, positions, normals, sni_mut(sn_vec4, geometry->tangents));
    geometry->positions = positions;
    geometry->normals = normals;
    sni_warn_many(&b->load->diag, SNI_WARN_JOINT_RANGE, s.bad_bone_count, w3d_offset(b->doc, mesh->chunk),
                  "bone %u of %u; the root is used instead", s.bad_bone, instance->skeleton->pivot_count);
    check_box(&s);
    if (instance->skin < 0 && sni_builder_add_skin(&b->core)) instance->skin = (int32_t)b->core.skins.count - 1;
    return write_influences(&s);
}

// Splitting by material

typedef struct splitter {
    w3d_builder *b;
    const w3d_geometry *geometry;
    const char *name, *extras;
    uint32_t joint_count;
    uint64_t offset;
    w3d_mesh_range *range;
} splitter;

static uint32_t load_corner(const w3d_geometry *geometry, uint32_t triangle, uint32_t corner)
{
    return sni_load_u32(geometry->mesh->triangles.data + (size_t)triangle * W3D_TRIANGLE_BYTES + (size_t)4 * corner);
}

// There is one id for all elements or one for each. Returns -1 for none, or one that is not below `limit`.
static int32_t load_id(w3d_array ids, uint32_t index, uint32_t limit)
{
    if (ids.count == 0) return -1;
    uint32_t at = ids.count == 1 ? 0 : index;
    uint32_t id = at < ids.count ? sni_load_u32(ids.data + (size_t)4 * at) : UINT32_MAX;
    return id < limit && id <= INT32_MAX ? (int32_t)id : -1;
}

static w3d_material_ids load_material_ids(const w3d_geometry *geometry, uint32_t triangle)
{
    const w3d_mesh *mesh = geometry->mesh;
    const w3d_material_set *materials = geometry->materials;
    w3d_material_ids ids = { .material3 = -1 };
    if (mesh->material3_count > 0) {
        uint32_t id = triangle < mesh->per_tri_materials.count
                          ? sni_load_u16(mesh->per_tri_materials.data + (size_t)2 * triangle)
                          : 0;
        ids.material3 = id < mesh->material3_count ? (int32_t)id : -1;
    }
    for (uint32_t p = 0; p < w3d_pass_count(materials); p++) {
        const w3d_pass *pass = &materials->passes[p];
        uint32_t vertex = pass->vertex_material_ids.count > 1 ? load_corner(geometry, triangle, 0) : 0;
        w3d_pass_ids *out = &ids.passes[p];
        out->shader = load_id(pass->shader_ids, triangle, materials->shaders.count);
        out->vertex_material = load_id(pass->vertex_material_ids, vertex, materials->vertex_material_count);
        out->shader_material = load_id(pass->shader_material_ids, triangle, mesh->shader_material_count);
        for (uint32_t s = 0; s < W3D_MAX_STAGES; s++)
            out->textures[s] = load_id(pass->stages[s].texture_ids, triangle, materials->texture_count);
    }
    return ids;
}

static bool has_one_material(const w3d_geometry *geometry)
{
    if (geometry->mesh->material3_count > 0 && geometry->mesh->per_tri_materials.count > 0) return false;
    for (uint32_t p = 0; p < w3d_pass_count(geometry->materials); p++) {
        const w3d_pass *pass = &geometry->materials->passes[p];
        if (pass->shader_ids.count > 1 || pass->vertex_material_ids.count > 1 || pass->shader_material_ids.count > 1)
            return false;
        if (pass->stages[0].texture_ids.count > 1 || pass->stages[1].texture_ids.count > 1) return false;
    }
    return true;
}

static sn_mesh *begin_mesh(splitter *s, const w3d_material_ids *ids)
{
    w3d_builder *b = s->b;
    int32_t material = w3d_build_material(b, s->geometry, ids);
    sn_mesh *mesh = sni_builder_add_mesh(&b->core);
    int32_t *slot = mesh ? sni_push(&b->load->scratch, &b->mesh_materials, int32_t) : NULL;
    if (!slot || !sni_load_ok(b->load)) return NULL;
    *slot = material;
    *mesh = (sn_mesh){ .name = s->name,
                       .extras = s->extras,
                       .topology = SN_TRIANGLES,
                       .uv_count = s->geometry->uv_count,
                       .color_count = s->geometry->color_count,
                       .influence_count = s->geometry->influence_count };
    return mesh;
}

// Copies `size` bytes for each vertex in `order`. Without order the array is used as it is.
static const void *pick(sni_load *load, const void *items, size_t size, const uint32_t *order, uint32_t count)
{
    if (!items || !order) return items;
    uint8_t *out = sni_alloc_raw(&load->keep, size, count);
    for (uint32_t i = 0; out && i < count; i++) memcpy(out + i * size, (const uint8_t *)items + order[i] * size, size);
    return out;
}

// Sets the arrays of a mesh and completes it. A mesh without usable triangles is removed again.
static bool end_mesh(splitter *s, sn_mesh *mesh, const uint32_t *order, uint32_t count)
{
    w3d_builder *b = s->b;
    sni_load *load = b->load;
    const w3d_geometry *g = s->geometry;
    const sn_vec2 **uvs = sni_new(&load->keep, const sn_vec2 *, g->uv_count);
    const sn_vec4 **colors = sni_new(&load->keep, const sn_vec4 *, g->color_count);
    if (!uvs || !colors) return false;
    mesh->vertex_count = count;
    mesh->positions = pick(load, g->positions, sizeof *g->positions, order, count);
    mesh->normals = pick(load, g->normals, sizeof *g->normals, order, count);
    mesh->tangents = pick(load, g->tangents, sizeof *g->tangents, order, count);
    mesh->vertex_joints = pick(load, g->joints, g->influence_count * sizeof *g->joints, order, count);
    mesh->vertex_weights = pick(load, g->weights, g->influence_count * sizeof *g->weights, order, count);
    for (uint32_t i = 0; i < g->uv_count; i++) uvs[i] = pick(load, g->uvs[i], sizeof *uvs[i], order, count);
    for (uint32_t i = 0; i < g->color_count; i++) colors[i] = pick(load, g->colors[i], sizeof *colors[i], order, count);
    mesh->uvs = uvs;
    mesh->colors = colors;
    if (!sni_load_ok(load) || !sni_sanitize_mesh(&b->core, mesh, s->joint_count, s->offset)) return false;

    if (mesh->vertex_count > 0 && mesh->index_count > 0) {
        s->range->count++;
        return true;
    }
    sni_warn(&load->diag, SNI_WARN_MESH_EMPTY, s->offset, "no usable triangles");
    b->core.meshes.count--, b->mesh_materials.count--;
    return true;
}

static bool build_single(splitter *s)
{
    const w3d_geometry *geometry = s->geometry;
    w3d_material_ids ids = load_material_ids(geometry, 0);
    sn_mesh *mesh = begin_mesh(s, &ids);
    uint32_t *indices = mesh ? sni_new_raw(&s->b->load->keep, uint32_t, (uint64_t)geometry->triangle_count * 3) : NULL;
    if (!indices) return false;
    mesh->indices = indices;
    mesh->index_count = geometry->triangle_count * 3;
    const uint8_t *at = geometry->mesh->triangles.data;
    for (uint32_t t = 0; t < geometry->triangle_count; t++, at += W3D_TRIANGLE_BYTES, indices += 3)
        for (uint32_t c = 0; c < 3; c++) indices[c] = sni_load_u32(at + (size_t)4 * c);
    return end_mesh(s, mesh, NULL, geometry->vertex_count);
}

// The group of each triangle. Groups are the distinct material ids, in the order of first use.
static bool find_groups(sni_arena *scratch, const w3d_geometry *geometry, uint32_t *group_of, sni_list *groups)
{
    sni_map map = { 0 };
    size_t used_bytes = sizeof(int32_t) + w3d_pass_count(geometry->materials) * sizeof(w3d_pass_ids);
    for (uint32_t t = 0; t < geometry->triangle_count; t++) {
        w3d_material_ids ids = load_material_ids(geometry, t);
        const w3d_material_ids *known = groups->items;
        if (t > 0 && memcmp(&known[group_of[t - 1]], &ids, sizeof ids) == 0) {  // int32_t only: no padding
            group_of[t] = group_of[t - 1];
            continue;
        }
        uint32_t hash = sni_hash(&ids, used_bytes);  // the other passes are 0
        bool is_known = false;
        for (sni_map_cursor at = sni_map_find(&map, hash); !is_known && sni_map_next(&map, &at);) {
            is_known = memcmp(&known[at.item], &ids, sizeof ids) == 0;
            group_of[t] = at.item;
        }
        if (is_known) continue;
        group_of[t] = groups->count;
        w3d_material_ids *added = sni_push(scratch, groups, w3d_material_ids);
        if (!added || !sni_map_add(&map, scratch, hash, group_of[t])) return false;
        *added = ids;
    }
    return true;
}

static bool build_groups(splitter *s)
{
    sni_load *load = s->b->load;
    const w3d_geometry *geometry = s->geometry;
    uint32_t triangle_count = geometry->triangle_count, vertex_count = geometry->vertex_count;
    sni_list groups = { 0 };
    uint32_t *group_of = sni_new_raw(&load->scratch, uint32_t, triangle_count);
    if (!group_of || !find_groups(&load->scratch, geometry, group_of, &groups)) return false;

    // Counting sort of the triangles by group: ends[g] moves from the start of group g to its end.
    uint32_t *sorted = sni_new_raw(&load->scratch, uint32_t, triangle_count);
    uint32_t *starts = sni_new(&load->scratch, uint32_t, (uint64_t)groups.count + 2);
    if (!sorted || !starts) return false;
    uint32_t *ends = starts + 1;
    for (uint32_t t = 0; t < triangle_count; t++) ends[group_of[t] + 1]++;
    for (uint32_t g = 1; g <= groups.count; g++) ends[g] += ends[g - 1];
    for (uint32_t t = 0; t < triangle_count; t++) sorted[ends[group_of[t]]++] = t;

    // Each group gets the vertices that its triangles use, in the order of first use. owner[v] is 1 + the last group
    // that used v, place[v] its index there.
    uint32_t *place = sni_new_raw(&load->scratch, uint32_t, vertex_count);
    uint32_t *owner = sni_new(&load->scratch, uint32_t, vertex_count);
    uint32_t *order = sni_new_raw(&load->scratch, uint32_t, vertex_count);
    if (!place || !owner || !order) return false;
    uint64_t bad_count = 0;
    for (uint32_t g = 0; g < groups.count; g++) {
        uint32_t used = 0, kept = 0;
        sn_mesh *mesh = begin_mesh(s, &((const w3d_material_ids *)groups.items)[g]);
        uint32_t *indices = sni_new_raw(&load->keep, uint32_t, (uint64_t)(starts[g + 1] - starts[g]) * 3);
        if (!mesh || !indices) return false;
        for (uint32_t t = starts[g]; t < starts[g + 1]; t++) {
            uint32_t corners[3], valid = 0;
            for (uint32_t c = 0; c < 3; c++) {
                corners[c] = load_corner(geometry, sorted[t], c);
                valid += corners[c] < vertex_count;
            }
            bad_count += valid < 3;
            for (uint32_t c = 0; valid == 3 && c < 3; c++) {
                uint32_t v = corners[c];
                if (owner[v] != g + 1) {
                    owner[v] = g + 1;
                    place[v] = used;
                    order[used++] = v;
                }
                indices[kept++] = place[v];
            }
        }
        mesh->indices = indices;
        mesh->index_count = kept;
        if (!end_mesh(s, mesh, order, used)) return false;
    }
    sni_warn_many(&load->diag, SNI_WARN_INDEX_RANGE, bad_count, s->offset, "%llu triangles use missing vertices",
                  (unsigned long long)bad_count);
    return true;
}

static const char *mesh_extras(w3d_builder *b, const w3d_geometry *geometry)
{
    static const char *const prelit[] = { "unlit", "vertex", "multi pass", "multi texture" };
    const w3d_mesh *mesh = geometry->mesh;
    uint32_t id = geometry->materials ? geometry->materials->prelit : 0;
    sni_extras extras;
    sni_extras_begin(b->core.keep, &extras);
    w3d_extras_put_text(&extras, b, "container", mesh->container);
    w3d_extras_put_text(&extras, b, "userText", mesh->user_text);
    if (mesh->sort_level != 0) sni_extras_put_integer(&extras, "sortLevel", mesh->sort_level);
    w3d_extras_put_collision(&extras, mesh->attributes);
    sni_extras_put_flag(&extras, "castsShadow", mesh->attributes & W3D_CASTS_SHADOW);
    if (w3d_geometry_type(mesh) == W3D_GEOMETRY_CAMERA_ORIENTED)
        sni_extras_put_text(&extras, "facing", "camera position");
    if (id >= W3D_PRELIT_UNLIT && id <= W3D_PRELIT_MULTI_TEXTURE)
        sni_extras_put_text(&extras, "prelit", prelit[id - W3D_PRELIT_UNLIT]);
    return sni_extras_end(b->core.keep, &extras);
}

// Rigid meshes are built once for all instances, skins once for each.
bool w3d_build_mesh(w3d_builder *b, int32_t number, w3d_instance *instance, w3d_mesh_range *range)
{
    const w3d_mesh *mesh = &b->doc->meshes[number];
    uint64_t offset = w3d_offset(b->doc, mesh->chunk);
    bool is_skin = w3d_is_skin(mesh);
    int32_t owner = is_skin ? (int32_t)(instance - w3d_items(w3d_instance, b->instances)) + 2 : 1;
    *range = b->mesh_ranges[number];
    if (range->owner == owner) return true;
    *range = (w3d_mesh_range){ b->core.meshes.count, 0, owner };
    if (mesh->positions.count == 0 || mesh->triangles.count == 0) {
        sni_warn(&b->load->diag, SNI_WARN_MESH_EMPTY, offset, "%u vertices, %u triangles", mesh->positions.count,
                 mesh->triangles.count);
    } else if (is_skin && !can_skin(instance, mesh)) {
        sni_warn(&b->load->diag, SNI_WARN_W3D_SKELETON, offset,
                 "its vertices are relative to bones of hierarchy \"%s\", which is missing; the mesh is left out",
                 w3d_label(b, instance->hierarchy));
    } else {
        w3d_geometry geometry;
        if (!read_geometry(b, mesh, &geometry) || (is_skin && !skin_geometry(b, instance, &geometry))) return false;
        splitter s = { .b = b,
                       .geometry = &geometry,
                       .name = w3d_clean_text(b, mesh->name),
                       .extras = mesh_extras(b, &geometry),
                       .joint_count = instance->joint_count,
                       .offset = offset,
                       .range = range };
        if (!(has_one_material(&geometry) ? build_single(&s) : build_groups(&s))) return false;
    }
    b->mesh_ranges[number] = *range;
    return sni_load_ok(b->load);
}
