#include <stddef.h>

#include "format/w3d/w3d_parse.h"

enum { HEADER_BYTES = 116 };

// Without these a mesh is nothing: fewer of them than announced is an error. The others it can do without.
typedef enum importance { OPTIONAL, NEEDED } importance;

typedef struct array_kind {
    uint32_t id;
    size_t member;
    uint32_t record_bytes;
    bool is_per_triangle;
    importance importance;
} array_kind;

// clang-format off
static const array_kind array_kinds[] = {
    { W3D_VERTICES, offsetof(w3d_mesh, positions), 12, false, NEEDED },
    { W3D_TRIANGLES, offsetof(w3d_mesh, triangles), 32, true, NEEDED },
    { W3D_INFLUENCES, offsetof(w3d_mesh, influences), 8, false, NEEDED },
    { W3D_VERTICES2, offsetof(w3d_mesh, positions2), 12, false, NEEDED },
    { W3D_NORMALS, offsetof(w3d_mesh, normals), 12, false, OPTIONAL },
    { W3D_SURRENDER_NORMALS, offsetof(w3d_mesh, normals), 12, false, OPTIONAL },
    { W3D_NORMALS2, offsetof(w3d_mesh, normals2), 12, false, OPTIONAL },
    { W3D_TANGENTS, offsetof(w3d_mesh, tangents), 12, false, OPTIONAL },
    { W3D_BITANGENTS, offsetof(w3d_mesh, bitangents), 12, false, OPTIONAL },
    { W3D_SHADE_INDICES, offsetof(w3d_mesh, shade_indices), 4, false, OPTIONAL },
    { W3D_TEXCOORDS, offsetof(w3d_mesh, uvs), 8, false, OPTIONAL },
    { W3D_COLORS, offsetof(w3d_mesh, colors), 4, false, OPTIONAL },
    { W3D_PER_TRI_MATERIALS, offsetof(w3d_mesh, per_tri_materials), 2, true, OPTIONAL },
};
// clang-format on

static void parse_header(sni_reader *in, w3d_mesh *mesh)
{
    mesh->version = sni_read_u32(in);
    mesh->attributes = sni_read_u32(in);
    mesh->name = w3d_read_str(in, W3D_NAME_BYTES);
    mesh->container = w3d_read_str(in, W3D_NAME_BYTES);
    mesh->triangle_count = sni_read_u32(in);
    mesh->vertex_count = sni_read_u32(in);
    sni_skip(in, 8);  // materials and damage stages: any value is seen
    mesh->sort_level = sni_read_i32(in);
    sni_skip(in, 8);  // version of the prelighting, reserved
    mesh->vertex_channels = sni_read_u32(in);
    mesh->face_channels = sni_read_u32(in);
    mesh->box_min = sni_read_vec3(in);
    mesh->box_max = sni_read_vec3(in);
    mesh->sphere_center = sni_read_vec3(in);
    mesh->sphere_radius = sni_read_f32(in);
}

static const array_kind *find_array_kind(uint32_t id)
{
    for (size_t i = 0; i < sizeof array_kinds / sizeof *array_kinds; i++)
        if (array_kinds[i].id == id) return &array_kinds[i];
    return NULL;
}

static void parse_array(w3d_parser *p, int32_t chunk, const array_kind *kind, w3d_mesh *mesh)
{
    w3d_array *array = (w3d_array *)(void *)((char *)mesh + kind->member);
    uint32_t count = kind->is_per_triangle ? mesh->triangle_count : mesh->vertex_count;
    if (array->data) {
        if (kind->id != W3D_SURRENDER_NORMALS) w3d_warn(p, chunk, SNI_WARN_W3D_CHUNK, "comes again; the first is used");
        return;
    }
    *array = (kind->importance == NEEDED ? w3d_need : w3d_take)(p, chunk, count, kind->record_bytes);
}

static void tell_missing(w3d_parser *p, const w3d_mesh *mesh)
{
    if (!mesh->positions.data && mesh->vertex_count > 0)
        w3d_warn(p, mesh->chunk, SNI_WARN_W3D_CHUNK, "%u vertices are announced, there is no VERTICES",
                 mesh->vertex_count);
    if (!mesh->triangles.data && mesh->triangle_count > 0)
        w3d_warn(p, mesh->chunk, SNI_WARN_W3D_CHUNK, "%u triangles are announced, there is no TRIANGLES",
                 mesh->triangle_count);
}

void w3d_parse_mesh(w3d_parser *p, int32_t chunk)
{
    sni_reader in;
    w3d_mesh mesh = { .chunk = chunk, .user_text = w3d_text(p, w3d_find(p, chunk, W3D_USER_TEXT)) };
    if (!w3d_open_header(p, chunk, W3D_MESH_HEADER3, HEADER_BYTES, &in)) return;
    parse_header(&in, &mesh);
    for (int32_t child = w3d_at(p, chunk)->first_child; child >= 0 && sni_ok(&in); child = w3d_at(p, child)->next) {
        const array_kind *kind = find_array_kind(w3d_at(p, child)->id);
        if (kind) parse_array(p, child, kind, &mesh);
    }
    tell_missing(p, &mesh);
    w3d_parse_looks(p, &mesh);
    w3d_mesh *slot = sni_push(p->arena, &p->meshes, w3d_mesh);
    if (slot) *slot = mesh;
}
