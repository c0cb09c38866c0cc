// Meshes: vertex and triangle arrays, vertex materials, shaders, textures and passes, prelit variants, shader
// materials, and the materials of meshes before version 4.
#include <stddef.h>

#include "format/w3d/w3d_parse.h"

enum {
    MESH_HEADER_BYTES = 116,
    VERTEX_MATERIAL_BYTES = 32,
    TEXTURE_INFO_BYTES = 12,
    SHADER_MATERIAL_BYTES = 37,
    MATERIAL3_BYTES = 44
};

// Vertex materials, textures, passes

static void parse_vertex_material(w3d_parser *p, int32_t chunk, w3d_vertex_material *material)
{
    sni_reader in;
    *material = (w3d_vertex_material){
        .chunk = chunk, .ambient = { 255, 255, 255 }, .diffuse = { 255, 255, 255 }, .shininess = 1.0f, .opacity = 1.0f
    };
    material->name = w3d_text(p, w3d_find(p, chunk, W3D_VERTEX_MATERIAL_NAME));
    material->args[0] = w3d_text(p, w3d_find(p, chunk, W3D_MAPPER_ARGS0));
    material->args[1] = w3d_text(p, w3d_find(p, chunk, W3D_MAPPER_ARGS1));
    if (!w3d_open(p, w3d_find(p, chunk, W3D_VERTEX_MATERIAL_INFO), VERTEX_MATERIAL_BYTES, &in)) return;
    material->attributes = sni_read_u32(&in);
    w3d_read_rgb(&in, material->ambient);
    w3d_read_rgb(&in, material->diffuse);
    w3d_read_rgb(&in, material->specular);
    w3d_read_rgb(&in, material->emissive);
    material->shininess = sni_read_f32(&in);
    material->opacity = sni_read_f32(&in);
    material->translucency = sni_read_f32(&in);
}

static void parse_texture(w3d_parser *p, int32_t chunk, w3d_texture *texture)
{
    sni_reader in;
    *texture = (w3d_texture){ .chunk = chunk, .name = w3d_text(p, w3d_find(p, chunk, W3D_TEXTURE_NAME)) };
    texture->has_info = w3d_open(p, w3d_find(p, chunk, W3D_TEXTURE_INFO), TEXTURE_INFO_BYTES, &in);
    if (!texture->has_info) return;
    texture->attributes = sni_read_u16(&in);
    texture->anim_type = sni_read_u16(&in);
    texture->frame_count = sni_read_u32(&in);
    texture->frame_rate = sni_read_f32(&in);
}

// One id for the mesh, or one for each of its `count` vertices or triangles.
static w3d_array take_ids(w3d_parser *p, int32_t chunk, uint32_t count)
{
    w3d_array bytes = w3d_at(p, chunk)->bytes;
    if (bytes.count == 4) return (w3d_array){ bytes.data, 1 };
    if (bytes.count < 4 || bytes.count / 4 >= count) return w3d_take(p, chunk, count, 4);
    w3d_warn(p, chunk, SNI_WARN_W3D_COUNT, "%u ids for %u elements; the first id is used for all", bytes.count / 4,
             count);
    return (w3d_array){ bytes.data, 1 };
}

static void parse_stage(w3d_parser *p, int32_t chunk, const w3d_mesh *mesh, w3d_stage *stage)
{
    int32_t ids = w3d_find(p, chunk, W3D_TEXTURE_IDS), uvs = w3d_find(p, chunk, W3D_STAGE_UVS),
            faces = w3d_find(p, chunk, W3D_FACE_UV_IDS);
    if (uvs < 0) uvs = w3d_find(p, chunk, W3D_TEXCOORDS);
    if (ids >= 0) stage->texture_ids = take_ids(p, ids, mesh->triangle_count);
    if (faces >= 0) stage->face_uv_ids = w3d_take(p, faces, mesh->triangle_count, 12);
    if (uvs < 0) return;
    // One per vertex, unless triangles index them.
    stage->uvs = stage->face_uv_ids.data ? w3d_take_all(p, uvs, 8) : w3d_take(p, uvs, mesh->vertex_count, 8);
}

static void parse_colors(w3d_parser *p, int32_t chunk, const w3d_mesh *mesh, w3d_array *first, w3d_array *second)
{
    w3d_array *colors = !first->data ? first : second && !second->data ? second : NULL;
    if (colors) *colors = w3d_take(p, chunk, mesh->vertex_count, 4);
    else w3d_warn(p, chunk, SNI_WARN_W3D_CHUNK, "duplicate chunk; ignored");
}

static void parse_pass(w3d_parser *p, int32_t chunk, const w3d_mesh *mesh, w3d_pass *pass)
{
    for (int32_t child = w3d_at(p, chunk)->first_child; child >= 0; child = w3d_at(p, child)->next) {
        switch (w3d_at(p, child)->id) {
        case W3D_VERTEX_MATERIAL_IDS: pass->vertex_material_ids = take_ids(p, child, mesh->vertex_count); break;
        case W3D_SHADER_IDS: pass->shader_ids = take_ids(p, child, mesh->triangle_count); break;
        case W3D_SHADER_MATERIAL_IDS: pass->shader_material_ids = take_ids(p, child, mesh->triangle_count); break;
        case W3D_DCG: parse_colors(p, child, mesh, &pass->dcg, &pass->dcg2); break;
        case W3D_DIG: parse_colors(p, child, mesh, &pass->dig, NULL); break;
        case W3D_SCG: parse_colors(p, child, mesh, &pass->scg, NULL); break;
        case W3D_STAGE_UVS: pass->uvs = w3d_take(p, child, mesh->vertex_count, 8); break;
        case W3D_STAGE:
            if (pass->stage_count < W3D_MAX_STAGES) parse_stage(p, child, mesh, &pass->stages[pass->stage_count++]);
            else w3d_warn(p, child, SNI_WARN_W3D_CHUNK, "more than %d stages in a pass; ignored", W3D_MAX_STAGES);
            break;
        default: break;
        }
    }
}

static void parse_material_set(w3d_parser *p, int32_t owner, const w3d_mesh *mesh, w3d_material_set *set)
{
    int32_t shaders = w3d_find(p, owner, W3D_SHADERS), materials = w3d_find(p, owner, W3D_VERTEX_MATERIALS),
            textures = w3d_find(p, owner, W3D_TEXTURES);
    uint32_t pass_count = w3d_count(p, owner, W3D_PASS);
    set->prelit = owner == mesh->chunk ? 0 : w3d_at(p, owner)->id;
    set->vertex_materials = sni_new(p->arena, w3d_vertex_material, w3d_count(p, materials, W3D_VERTEX_MATERIAL));
    set->textures = sni_new(p->arena, w3d_texture, w3d_count(p, textures, W3D_TEXTURE));
    set->passes = sni_new(p->arena, w3d_pass, pass_count < W3D_MAX_PASSES ? pass_count : W3D_MAX_PASSES);
    if (!set->vertex_materials || !set->textures || !set->passes) return;

    if (shaders >= 0) set->shaders = w3d_take_all(p, shaders, W3D_SHADER_BYTES);
    for (int32_t at = w3d_find(p, materials, W3D_VERTEX_MATERIAL); at >= 0; at = w3d_find_next(p, at))
        parse_vertex_material(p, at, &set->vertex_materials[set->vertex_material_count++]);
    for (int32_t at = w3d_find(p, textures, W3D_TEXTURE); at >= 0; at = w3d_find_next(p, at))
        parse_texture(p, at, &set->textures[set->texture_count++]);
    for (int32_t at = w3d_find(p, owner, W3D_PASS); at >= 0; at = w3d_find_next(p, at)) {
        if (set->pass_count < W3D_MAX_PASSES) parse_pass(p, at, mesh, &set->passes[set->pass_count++]);
        else w3d_warn(p, at, SNI_WARN_W3D_CHUNK, "more than %d passes in a mesh; ignored", W3D_MAX_PASSES);
    }
}

static void parse_material_sets(w3d_parser *p, w3d_mesh *mesh)
{
    static const uint32_t wrappers[] = { W3D_PRELIT_UNLIT, W3D_PRELIT_VERTEX, W3D_PRELIT_MULTI_PASS,
                                         W3D_PRELIT_MULTI_TEXTURE };
    static const uint32_t own[] = { W3D_MATERIAL_INFO, W3D_SHADERS, W3D_VERTEX_MATERIALS, W3D_TEXTURES, W3D_PASS };
    int32_t owners[5];
    uint32_t count = 0;
    for (int i = 0; i < 5 && count == 0; i++)
        if (w3d_find(p, mesh->chunk, own[i]) >= 0) owners[count++] = mesh->chunk;
    for (int i = 0; i < 4; i++) {
        owners[count] = w3d_find(p, mesh->chunk, wrappers[i]);
        if (owners[count] >= 0) count++;
    }
    mesh->material_sets = sni_new(p->arena, w3d_material_set, count);
    for (uint32_t i = 0; i < count && mesh->material_sets && !sni_failed(p->diag); i++)
        parse_material_set(p, owners[i], mesh, &mesh->material_sets[mesh->material_set_count++]);
}

// Shader materials

static sni_str read_counted_str(sni_reader *in)
{
    uint32_t size = sni_rest(in) >= 4 ? sni_read_u32(in) : 0;
    return w3d_read_str(in, size < sni_rest(in) ? size : sni_rest(in));
}

// A type, a name and a value. Returns false when one of them is truncated or unknown.
static bool parse_property(w3d_parser *p, int32_t chunk, w3d_property *property)
{
    sni_reader in;
    if (!w3d_open(p, chunk, 8, &in)) return false;
    property->type = sni_read_u32(&in);
    property->name = read_counted_str(&in);
    bool is_vector = property->type >= W3D_FLOAT && property->type <= W3D_VEC4;
    size_t floats = is_vector ? property->type - W3D_FLOAT + 1 : 0;
    size_t min_bytes = is_vector ? 4 * floats : property->type == W3D_BOOL ? 1 : 4;
    if (property->type < W3D_TEXTURE_PROPERTY || property->type > W3D_BOOL || sni_rest(&in) < min_bytes) {
        w3d_warn(p, chunk, SNI_WARN_W3D_CHUNK, "property of type %u with %zu bytes; ignored", property->type,
                 sni_rest(&in));
        return false;
    }
    for (size_t i = 0; i < floats; i++) property->values[i] = sni_read_f32(&in);
    if (property->type == W3D_TEXTURE_PROPERTY) property->text = read_counted_str(&in);
    if (property->type == W3D_INT) property->number = sni_read_i32(&in);
    if (property->type == W3D_BOOL) property->number = sni_read_u8(&in);
    return true;
}

static void parse_shader_material(w3d_parser *p, int32_t chunk, w3d_shader_material *material)
{
    sni_reader in;
    *material = (w3d_shader_material){ .chunk = chunk, .effect = sni_str_make("", 0) };
    material->properties = sni_new(p->arena, w3d_property, w3d_count(p, chunk, W3D_SHADER_MATERIAL_PROPERTY));
    if (!material->properties) return;
    if (w3d_open_header(p, chunk, W3D_SHADER_MATERIAL_HEADER, SHADER_MATERIAL_BYTES, &in)) {
        material->version = sni_read_u8(&in);
        material->effect = w3d_read_str(&in, W3D_LONG_NAME_BYTES);
        material->technique = sni_read_u32(&in);
    }
    for (int32_t at = w3d_find(p, chunk, W3D_SHADER_MATERIAL_PROPERTY); at >= 0; at = w3d_find_next(p, at)) {
        w3d_property property = { .text = sni_str_make("", 0) };
        if (parse_property(p, at, &property)) material->properties[material->property_count++] = property;
    }
}

static void parse_shader_materials(w3d_parser *p, w3d_mesh *mesh)
{
    int32_t list = w3d_find(p, mesh->chunk, W3D_SHADER_MATERIALS);
    mesh->shader_materials = sni_new(p->arena, w3d_shader_material, w3d_count(p, list, W3D_SHADER_MATERIAL));
    if (!mesh->shader_materials) return;
    for (int32_t at = w3d_find(p, list, W3D_SHADER_MATERIAL); at >= 0; at = w3d_find_next(p, at))
        parse_shader_material(p, at, &mesh->shader_materials[mesh->shader_material_count++]);
}

// Materials before version 4

static void parse_material3(w3d_parser *p, int32_t chunk, w3d_material3 *material)
{
    sni_reader in;
    int32_t map = w3d_find(p, chunk, W3D_MATERIAL3_DC_MAP);
    *material = (w3d_material3){ .chunk = chunk, .diffuse = { 255, 255, 255 }, .opacity = 1.0f };
    material->name = w3d_text(p, w3d_find(p, chunk, W3D_MATERIAL3_NAME));
    material->map = w3d_text(p, w3d_find(p, map, W3D_MAP3_FILE));
    if (!w3d_open(p, w3d_find(p, chunk, W3D_MATERIAL3_INFO), MATERIAL3_BYTES, &in)) return;
    material->attributes = sni_read_u32(&in);
    w3d_read_rgb(&in, material->diffuse);
    w3d_read_rgb(&in, material->specular);
    sni_skip(&in, 20);  // coefficients, shininess
    material->opacity = sni_read_f32(&in);
}

static void parse_materials3(w3d_parser *p, w3d_mesh *mesh)
{
    int32_t list = w3d_find(p, mesh->chunk, W3D_MATERIALS3);
    mesh->materials3 = sni_new(p->arena, w3d_material3, w3d_count(p, list, W3D_MATERIAL3));
    if (!mesh->materials3) return;
    for (int32_t at = w3d_find(p, list, W3D_MATERIAL3); at >= 0; at = w3d_find_next(p, at))
        parse_material3(p, at, &mesh->materials3[mesh->material3_count++]);
}

// Meshes

// A required array that is too short is an error; an optional one is ignored with a warning.
typedef struct array_kind {
    uint32_t id;
    size_t member;
    uint32_t record_bytes;
    bool is_per_triangle, is_required;
} array_kind;

// clang-format off
static const array_kind array_kinds[] = {
    { W3D_VERTICES, offsetof(w3d_mesh, positions), 12, false, true },
    { W3D_TRIANGLES, offsetof(w3d_mesh, triangles), W3D_TRIANGLE_BYTES, true, true },
    { W3D_INFLUENCES, offsetof(w3d_mesh, influences), 8, false, true },
    { W3D_VERTICES2, offsetof(w3d_mesh, positions2), 12, false, true },
    { W3D_NORMALS, offsetof(w3d_mesh, normals), 12, false, false },
    { W3D_SURRENDER_NORMALS, offsetof(w3d_mesh, normals), 12, false, false },
    { W3D_NORMALS2, offsetof(w3d_mesh, normals2), 12, false, false },
    { W3D_TANGENTS, offsetof(w3d_mesh, tangents), 12, false, false },
    { W3D_BITANGENTS, offsetof(w3d_mesh, bitangents), 12, false, false },
    { W3D_SHADE_INDICES, offsetof(w3d_mesh, shade_indices), 4, false, false },
    { W3D_TEXCOORDS, offsetof(w3d_mesh, uvs), 8, false, false },
    { W3D_COLORS, offsetof(w3d_mesh, colors), 4, false, false },
    { W3D_PER_TRI_MATERIALS, offsetof(w3d_mesh, per_tri_materials), 2, true, false },
};
// clang-format on

static void parse_array(w3d_parser *p, int32_t chunk, w3d_mesh *mesh)
{
    const array_kind *kind = array_kinds, *end = kind + sizeof array_kinds / sizeof *array_kinds;
    while (kind < end && kind->id != w3d_at(p, chunk)->id) kind++;
    if (kind == end) return;
    w3d_array *array = (w3d_array *)(void *)((char *)mesh + kind->member);
    uint32_t count = kind->is_per_triangle ? mesh->triangle_count : mesh->vertex_count;
    if (!array->data) *array = (kind->is_required ? w3d_need : w3d_take)(p, chunk, count, kind->record_bytes);
    else if (kind->id != W3D_SURRENDER_NORMALS)
        w3d_warn(p, chunk, SNI_WARN_W3D_CHUNK, "duplicate chunk; the first is used");
}

static void parse_mesh_header(sni_reader *in, w3d_mesh *mesh)
{
    mesh->version = sni_read_u32(in);
    mesh->attributes = sni_read_u32(in);
    mesh->name = w3d_read_str(in, W3D_NAME_BYTES);
    mesh->container = w3d_read_str(in, W3D_NAME_BYTES);
    mesh->triangle_count = sni_read_u32(in);
    mesh->vertex_count = sni_read_u32(in);
    sni_skip(in, 8);  // numbers of materials and damage stages: unreliable
    mesh->sort_level = sni_read_i32(in);
    sni_skip(in, 8);  // prelit version, reserved
    mesh->vertex_channels = sni_read_u32(in);
    mesh->face_channels = sni_read_u32(in);
    mesh->box_min = sni_read_vec3(in);
    mesh->box_max = sni_read_vec3(in);
    mesh->sphere_center = sni_read_vec3(in);
    mesh->sphere_radius = sni_read_f32(in);
}

void w3d_parse_mesh(w3d_parser *p, int32_t chunk)
{
    sni_reader in;
    w3d_mesh mesh = { .chunk = chunk, .user_text = w3d_text(p, w3d_find(p, chunk, W3D_USER_TEXT)) };
    if (!w3d_open_header(p, chunk, W3D_MESH_HEADER3, MESH_HEADER_BYTES, &in)) return;
    parse_mesh_header(&in, &mesh);
    for (int32_t child = w3d_at(p, chunk)->first_child; child >= 0 && sni_ok(&in); child = w3d_at(p, child)->next)
        parse_array(p, child, &mesh);
    if (!mesh.positions.data && mesh.vertex_count > 0)
        w3d_warn(p, chunk, SNI_WARN_W3D_CHUNK, "the header lists %u vertices, but VERTICES is missing",
                 mesh.vertex_count);
    if (!mesh.triangles.data && mesh.triangle_count > 0)
        w3d_warn(p, chunk, SNI_WARN_W3D_CHUNK, "the header lists %u triangles, but TRIANGLES is missing",
                 mesh.triangle_count);
    parse_material_sets(p, &mesh);
    parse_shader_materials(p, &mesh);
    parse_materials3(p, &mesh);
    w3d_mesh *slot = sni_push(p->arena, &p->meshes, w3d_mesh);
    if (slot) *slot = mesh;
}
