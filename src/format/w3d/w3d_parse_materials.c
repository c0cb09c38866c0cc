// How meshes look: vertex materials, shaders, textures and passes, their prelit variants, shader materials, and what
// meshes had before version 4.
#include "format/w3d/w3d_parse.h"

enum {
    VERTEX_MATERIAL_BYTES = 32,
    SHADER_BYTES = 16,
    TEXTURE_INFO_BYTES = 12,
    SHADER_MATERIAL_BYTES = 37,
    MATERIAL3_BYTES = 44
};

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

// One for the whole mesh, or one for each vertex or triangle.
static w3d_array take_ids(w3d_parser *p, int32_t chunk, uint32_t many)
{
    w3d_array bytes = w3d_at(p, chunk)->bytes;
    if (bytes.count == 4) return (w3d_array){ bytes.data, 1 };
    if (bytes.count < 4 || bytes.count / 4 >= many) return w3d_take(p, chunk, many, 4);
    w3d_warn(p, chunk, SNI_WARN_W3D_COUNT, "%u ids for %u; the first stands for all", bytes.count / 4, many);
    return (w3d_array){ bytes.data, 1 };
}

// As many as vertices, or what the triangles' own indices choose from.
static w3d_array take_uvs(w3d_parser *p, int32_t chunk, const w3d_mesh *mesh, bool has_face_ids)
{
    return has_face_ids ? w3d_take_all(p, chunk, 8) : w3d_take(p, chunk, mesh->vertex_count, 8);
}

static void parse_stage(w3d_parser *p, int32_t chunk, const w3d_mesh *mesh, w3d_stage *stage)
{
    int32_t ids = w3d_find(p, chunk, W3D_TEXTURE_IDS), uvs = w3d_find(p, chunk, W3D_STAGE_UVS),
            faces = w3d_find(p, chunk, W3D_FACE_UV_IDS);
    if (uvs < 0) uvs = w3d_find(p, chunk, W3D_TEXCOORDS);
    if (ids >= 0) stage->texture_ids = take_ids(p, ids, mesh->triangle_count);
    if (faces >= 0) stage->face_uv_ids = w3d_take(p, faces, mesh->triangle_count, 12);
    if (uvs >= 0) stage->uvs = take_uvs(p, uvs, mesh, stage->face_uv_ids.data != NULL);
}

static void parse_colors(w3d_parser *p, int32_t chunk, const w3d_mesh *mesh, w3d_array *first, w3d_array *second)
{
    w3d_array *colors = !first->data ? first : second && !second->data ? second : NULL;
    if (colors) *colors = w3d_take(p, chunk, mesh->vertex_count, 4);
    else w3d_warn(p, chunk, SNI_WARN_W3D_CHUNK, "comes again; not used");
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
        case W3D_STAGE_UVS: pass->uvs = take_uvs(p, child, mesh, false); break;
        case W3D_STAGE:
            if (pass->stage_count < W3D_MOST_STAGES) parse_stage(p, child, mesh, &pass->stages[pass->stage_count++]);
            else w3d_warn(p, child, SNI_WARN_W3D_CHUNK, "a pass has at most %d stages", W3D_MOST_STAGES);
            break;
        default: break;
        }
    }
}

static void parse_passes(w3d_parser *p, int32_t owner, const w3d_mesh *mesh, w3d_materials *set)
{
    uint32_t count = w3d_count(p, owner, W3D_PASS);
    set->passes = sni_new(p->arena, w3d_pass, count < W3D_MOST_PASSES ? count : W3D_MOST_PASSES);
    if (!set->passes) return;
    for (int32_t child = w3d_find(p, owner, W3D_PASS); child >= 0; child = w3d_at(p, child)->next) {
        if (w3d_at(p, child)->id != W3D_PASS) continue;
        if (set->pass_count < W3D_MOST_PASSES) parse_pass(p, child, mesh, &set->passes[set->pass_count++]);
        else w3d_warn(p, child, SNI_WARN_W3D_CHUNK, "a mesh has at most %d passes", W3D_MOST_PASSES);
    }
}

static void parse_vertex_materials(w3d_parser *p, int32_t list, w3d_materials *set)
{
    set->vertex_materials = sni_new(p->arena, w3d_vertex_material, w3d_count(p, list, W3D_VERTEX_MATERIAL));
    if (!set->vertex_materials) return;
    for (int32_t child = w3d_find(p, list, W3D_VERTEX_MATERIAL); child >= 0; child = w3d_at(p, child)->next)
        if (w3d_at(p, child)->id == W3D_VERTEX_MATERIAL)
            parse_vertex_material(p, child, &set->vertex_materials[set->vertex_material_count++]);
}

static void parse_textures(w3d_parser *p, int32_t list, w3d_materials *set)
{
    set->textures = sni_new(p->arena, w3d_texture, w3d_count(p, list, W3D_TEXTURE));
    if (!set->textures) return;
    for (int32_t child = w3d_find(p, list, W3D_TEXTURE); child >= 0; child = w3d_at(p, child)->next)
        if (w3d_at(p, child)->id == W3D_TEXTURE) parse_texture(p, child, &set->textures[set->texture_count++]);
}

static void parse_set(w3d_parser *p, int32_t owner, const w3d_mesh *mesh, w3d_materials *set)
{
    int32_t shaders = w3d_find(p, owner, W3D_SHADERS);
    set->prelit = owner == mesh->chunk ? 0 : w3d_at(p, owner)->id;
    if (shaders >= 0) set->shaders = w3d_take_all(p, shaders, SHADER_BYTES);
    parse_vertex_materials(p, w3d_find(p, owner, W3D_VERTEX_MATERIALS), set);
    parse_textures(p, w3d_find(p, owner, W3D_TEXTURES), set);
    parse_passes(p, owner, mesh, set);
}

static void parse_sets(w3d_parser *p, w3d_mesh *mesh)
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
    mesh->materials = sni_new(p->arena, w3d_materials, count);
    for (uint32_t i = 0; i < count && mesh->materials && !sni_failed(p->diag); i++)
        parse_set(p, owners[i], mesh, &mesh->materials[mesh->material_set_count++]);
}

static sni_str read_counted(sni_reader *in)
{
    uint32_t size = sni_rest(in) >= 4 ? sni_read_u32(in) : 0;
    return w3d_read_str(in, size < sni_rest(in) ? size : sni_rest(in));
}

// A type, a name and a value; false where one of them is cut short or not known.
static bool parse_property(w3d_parser *p, int32_t chunk, w3d_property *property)
{
    sni_reader in;
    if (!w3d_open(p, chunk, 8, &in)) return false;
    property->type = sni_read_u32(&in);
    property->name = read_counted(&in);
    bool is_vector = property->type >= W3D_FLOAT && property->type <= W3D_VEC4;
    size_t floats = is_vector ? property->type - W3D_FLOAT + 1 : 0;
    size_t least = is_vector ? 4 * floats : property->type == W3D_BOOL ? 1 : 4;
    if (property->type < W3D_TEXTURE_PROPERTY || property->type > W3D_BOOL || sni_rest(&in) < least) {
        w3d_warn(p, chunk, SNI_WARN_W3D_CHUNK, "a property of type %u with a value of %zu bytes", property->type,
                 sni_rest(&in));
        return false;
    }
    for (size_t i = 0; i < floats; i++) property->values[i] = sni_read_f32(&in);
    if (property->type == W3D_TEXTURE_PROPERTY) property->text = read_counted(&in);
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
    for (int32_t child = w3d_at(p, chunk)->first_child; child >= 0; child = w3d_at(p, child)->next) {
        w3d_property property = { .text = sni_str_make("", 0) };
        if (w3d_at(p, child)->id != W3D_SHADER_MATERIAL_PROPERTY || !parse_property(p, child, &property)) continue;
        material->properties[material->property_count++] = property;
    }
}

static void parse_shader_materials(w3d_parser *p, int32_t list, w3d_mesh *mesh)
{
    mesh->shader_materials = sni_new(p->arena, w3d_shader_material, w3d_count(p, list, W3D_SHADER_MATERIAL));
    if (!mesh->shader_materials) return;
    for (int32_t child = w3d_find(p, list, W3D_SHADER_MATERIAL); child >= 0; child = w3d_at(p, child)->next)
        if (w3d_at(p, child)->id == W3D_SHADER_MATERIAL)
            parse_shader_material(p, child, &mesh->shader_materials[mesh->shader_material_count++]);
}

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

static void parse_materials3(w3d_parser *p, int32_t list, w3d_mesh *mesh)
{
    mesh->materials3 = sni_new(p->arena, w3d_material3, w3d_count(p, list, W3D_MATERIAL3));
    if (!mesh->materials3) return;
    for (int32_t child = w3d_find(p, list, W3D_MATERIAL3); child >= 0; child = w3d_at(p, child)->next)
        if (w3d_at(p, child)->id == W3D_MATERIAL3)
            parse_material3(p, child, &mesh->materials3[mesh->material3_count++]);
}

void w3d_parse_looks(w3d_parser *p, w3d_mesh *mesh)
{
    parse_sets(p, mesh);
    parse_shader_materials(p, w3d_find(p, mesh->chunk, W3D_SHADER_MATERIALS), mesh);
    parse_materials3(p, w3d_find(p, mesh->chunk, W3D_MATERIALS3), mesh);
}
