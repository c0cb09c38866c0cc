// The arrays of a mesh: where they lie in the file if they may stay there, else in the model's own terms.
#include <math.h>
#include <string.h>

#include "base/math.h"
#include "format/w3d/w3d_build.h"

enum { FIRST_TYPED_VERSION = 0x40001, OLD_ALIGNED = 8, OLD_UNDRAWN = 1 | 4 };

bool w3d_is_skin(const w3d_mesh *mesh)
{
    return mesh->influences.data != NULL;  // whatever the type says: some skins are typed as plain meshes
}

// The type is a number, not flags: camera-oriented has the bits of a skin. Before 4.1 there were flags.
uint32_t w3d_geometry_type(const w3d_mesh *mesh)
{
    if (mesh->version >= FIRST_TYPED_VERSION) return mesh->attributes & W3D_GEOMETRY_MASK;
    if (mesh->attributes & OLD_ALIGNED) return W3D_GEOMETRY_CAMERA_ALIGNED;
    return mesh->attributes & OLD_UNDRAWN ? W3D_GEOMETRY_SHADOW : 0;
}

uint32_t w3d_pass_count(const w3d_material_set *looks)
{
    return !looks ? 0 : looks->pass_count < W3D_MAX_PASSES ? looks->pass_count : W3D_MAX_PASSES;
}

// Of prelit variants the best is shown, as the engine chooses on a machine that can draw all.
static const w3d_material_set *choose_looks(const w3d_mesh *mesh)
{
    const w3d_material_set *best = NULL;
    for (uint32_t i = 0; i < mesh->material_set_count; i++)
        if (!best || mesh->material_sets[i].prelit > best->prelit) best = &mesh->material_sets[i];
    return best;
}

static bool is_little_endian(void)
{
    const uint16_t probe = 1;
    return *(const uint8_t *)&probe == 1;
}

static void copy_floats(float *out, const uint8_t *at, size_t count)
{
    if (is_little_endian()) {
        memcpy(out, at, count * sizeof *out);
        return;
    }
    for (size_t i = 0; i < count; i++) out[i] = sni_load_f32(at + 4 * i);
}

// Vectors of three, one for each vertex. NULL where the file has none or too few.
static const sn_vec3 *give_vectors(w3d_builder *b, w3d_array array, uint32_t count, const char *what, uint64_t offset)
{
    if (!array.data) return NULL;
    if (array.count < count) {
        sni_warn(&b->load->diag, SNI_WARN_W3D_COUNT, offset, "%u %s for %u vertices; ignored", array.count, what,
                 count);
        return NULL;
    }
    if (is_little_endian() && (uintptr_t)array.data % 4 == 0 &&
        sni_load_lend(b->load, array.data, (uint64_t)count * sizeof(sn_vec3)))
        return (const sn_vec3 *)(const void *)array.data;
    sn_vec3 *copy = sni_new_raw(&b->load->keep, sn_vec3, count);
    if (copy && count > 0) copy_floats(&copy->x, array.data, (size_t)count * 3);
    return copy;
}

// The file counts v from the bottom.
static const sn_vec2 *flip_uvs(w3d_builder *b, w3d_array array, uint32_t count, uint64_t offset)
{
    if (array.count < count) {
        sni_warn(&b->load->diag, SNI_WARN_W3D_COUNT, offset, "%u texture coordinates for %u vertices; ignored",
                 array.count, count);
        return NULL;
    }
    sn_vec2 *uvs = sni_new_raw(&b->load->keep, sn_vec2, count);
    if (!uvs) return NULL;
    if (count > 0) copy_floats(&uvs->x, array.data, (size_t)count * 2);
    for (uint32_t i = 0; i < count; i++) uvs[i].y = 1.0f - uvs[i].y;
    return uvs;
}

static bool add_uvs(w3d_builder *b, w3d_shape *shape, w3d_array array, int32_t *set)
{
    *set = -1;
    if (!array.data || shape->vertex_count == 0) return true;
    const sn_vec2 *uvs = flip_uvs(b, array, shape->vertex_count, w3d_offset(b->doc, shape->mesh->chunk));
    if (!uvs) return sni_load_ok(b->load);
    *set = (int32_t)shape->uv_count;
    shape->uvs[shape->uv_count++] = uvs;
    return true;
}

// A stage without its own uses those of its pass's first stage, else those of the first pass.
static bool read_uvs(w3d_builder *b, w3d_shape *shape)
{
    int32_t old;
    if (!add_uvs(b, shape, shape->mesh->uvs, &old)) return false;  // of meshes before version 4
    for (uint32_t p = 0; p < w3d_pass_count(shape->looks) && p < W3D_MAX_PASSES; p++) {
        const w3d_pass *pass = &shape->looks->passes[p];
        int32_t *set = shape->uv_of[p];
        w3d_array first = pass->stages[0].uvs.data ? pass->stages[0].uvs : pass->uvs;
        if (!add_uvs(b, shape, first, &set[0]) || !add_uvs(b, shape, pass->stages[1].uvs, &set[1])) return false;
        if (set[0] < 0) set[0] = p > 0 ? shape->uv_of[0][0] : -1;
        if (set[1] < 0) set[1] = set[0];
    }
    return true;
}

// Diffuse colour times illumination, in bytes as the engine multiplies them; then linear, alpha as it is.
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

static bool read_colors(w3d_builder *b, w3d_shape *shape)
{
    if (shape->mesh->colors.count >=
        shape->vertex_count) {  // of meshes before version 4: three bytes and one that means nothing
        const w3d_pass old = { .dig = shape->mesh->colors };
        shape->colors[0] = mix_colors(b, &old, false, shape->vertex_count);
        shape->color_count = 1;
    }
    for (uint32_t p = 0; p < w3d_pass_count(shape->looks); p++) {
        const w3d_pass *pass = &shape->looks->passes[p];
        if (!pass->dcg.data && !pass->dig.data) continue;
        shape->colors[p] = mix_colors(b, pass, shape->looks->prelit == W3D_PRELIT_VERTEX, shape->vertex_count);
        shape->color_count = p + 1;
    }
    return sni_load_ok(b->load);
}

// The second vector only tells on which side of the first it lies.
static bool read_tangents(w3d_builder *b, w3d_shape *shape)
{
    const w3d_mesh *mesh = shape->mesh;
    uint32_t count = shape->vertex_count;
    if (!mesh->tangents.data || mesh->tangents.count < count || mesh->bitangents.count < count ||
        mesh->normals.count < count)
        return true;
    sn_vec4 *tangents = sni_new_raw(&b->load->keep, sn_vec4, count);
    for (uint32_t i = 0; tangents && i < count; i++) {
        float n[3], t[3], s[3];
        copy_floats(n, mesh->normals.data + (size_t)12 * i, 3);
        copy_floats(t, mesh->tangents.data + (size_t)12 * i, 3);
        copy_floats(s, mesh->bitangents.data + (size_t)12 * i, 3);
        sn_vec3 tangent = sni_vec3(t[0], t[1], t[2]), across = sni_cross(sni_vec3(n[0], n[1], n[2]), tangent);
        float side = sni_dot(across, sni_vec3(s[0], s[1], s[2]));
        tangents[i] = (sn_vec4){ t[0], t[1], t[2], side < 0.0f ? -1.0f : 1.0f };
    }
    shape->tangents = tangents;
    return tangents != NULL;
}

static bool read_shape(w3d_builder *b, const w3d_mesh *mesh, w3d_shape *shape)
{
    uint64_t offset = w3d_offset(b->doc, mesh->chunk);
    *shape = (w3d_shape){ .mesh = mesh,
                          .looks = choose_looks(mesh),
                          .vertex_count = mesh->positions.count,
                          .triangle_count = mesh->triangles.count };
    for (uint32_t p = 0; p < W3D_MAX_PASSES; p++) shape->uv_of[p][0] = shape->uv_of[p][1] = -1;
    if (!w3d_is_skin(mesh)) {
        shape->positions = give_vectors(b, mesh->positions, shape->vertex_count, "positions", offset);
        shape->normals = give_vectors(b, mesh->normals, shape->vertex_count, "normals", offset);
    }
    return sni_load_ok(b->load) && read_tangents(b, shape) && read_uvs(b, shape) && read_colors(b, shape);
}

static bool warn_missing(w3d_builder *b, const w3d_figure *figure, const w3d_mesh *mesh)
{
    sni_warn(&b->load->diag, SNI_WARN_W3D_SKELETON, w3d_offset(b->doc, mesh->chunk),
             "its vertices are in the space of bones that are in hierarchy \"%s\", which is missing; it is not shown",
             w3d_label(b, figure->hierarchy));
    return true;
}

// Rigid meshes are built once for all figures, skins for each.
bool w3d_build_mesh(w3d_builder *b, int32_t number, w3d_figure *figure, w3d_range *range)
{
    const w3d_mesh *mesh = &b->doc->meshes[number];
    bool is_skin = w3d_is_skin(mesh);
    int32_t owner = is_skin ? (int32_t)(figure - w3d_items(w3d_figure, b->figures)) + 2 : 1;  // 0: not built yet
    w3d_shape shape;
    *range = b->ranges[number];
    if (range->figure == owner) return true;
    *range = (w3d_range){ b->meshes.count, 0, owner };
    if (mesh->positions.count == 0 || mesh->triangles.count == 0) {
        sni_warn(&b->load->diag, SNI_WARN_MESH_EMPTY, w3d_offset(b->doc, mesh->chunk), "%u vertices, %u triangles",
                 mesh->positions.count, mesh->triangles.count);
    } else if (is_skin && !w3d_can_bend(figure, mesh)) {
        warn_missing(b, figure, mesh);
    } else {
        if (!read_shape(b, mesh, &shape) || (is_skin && !w3d_bend_shape(b, figure, &shape))) return false;
        if (!w3d_split_shape(b, &shape, figure->joint_count, range)) return false;
    }
    b->ranges[number] = *range;
    return sni_load_ok(b->load);
}
