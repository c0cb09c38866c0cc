// The rules of Generals and The Battle for Middle-earth over a document: what the games refuse, ignore or show wrongly.
// A rule reports what it finds; with an editor it repairs it instead, if that loses nothing.
#include "format/w3d/w3d_check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "base/map.h"
#include "base/math.h"
#include "format/w3d/w3d_parse.h"

enum { MOST_VERTICES = 65536, PIVOT_BYTES = 60, SUB_OBJECT_BYTES = 36, FIXUP_BYTES = 48, NODE_BYTES = 32 };
enum { MESH_BOUNDS_AT = 76, ATTRIBUTES_AT = 4, PARENT_AT = 16, PLACE_AT = 20 };
enum { TREE_HEADER = 0x0091, TREE_POLYS = 0x0092, TREE_NODES = 0x0093 };

typedef struct checker {
    w3d_parser p;  // finds chunks
    w3d_doc doc;   // a copy: its arrays are those of the document
    const char *file;
    bool is_bfme;
    w3d_edit *edit;               // NULL: report
    sni_nocase_names skins;       // "CONTAINER.MESH" of those in the file
    sni_nocase_names cut_meshes;  // and of those whose names were cut, as they were
    sni_nocase_names hierarchies;
    sn_mat34 *worlds;  // base pose of the only hierarchy of the file; NULL: none to rely on
    uint32_t world_count;
    bool has_failed;
} checker;

// A finding; nothing where the rule repairs.
#define report(c, chunk, code, ...)                                             \
    do {                                                                        \
        if (!(c)->edit) w3d_warn(&(c)->p, chunk, SNI_WARN_##code, __VA_ARGS__); \
    } while (0)

static int32_t find(const checker *c, int32_t parent, uint32_t id) { return w3d_find(&c->p, parent, id); }

static const char *clean(const checker *c, sni_str text)
{
    const char *label = sni_text_clean(c->p.arena, text, NULL);
    return label ? label : "";
}

static void *new_bytes(checker *c, uint64_t size)
{
    void *bytes = sni_new(c->p.arena, uint8_t, size);
    if (!bytes) c->has_failed = true;
    return bytes;
}

static void check_name(const checker *c, sni_str name, size_t field, int32_t chunk)
{
    if (name.size >= field)
        report(c, chunk, SAGE_NAME, "\"%s\" has %zu bytes, the field has room for %zu", clean(c, name), name.size,
               field - 1);
}

// A name that nothing outside the file refers to: cut, if it stays the only one. Returns whether it was.
static bool cut_name(checker *c, sni_str name, int32_t chunk, uint32_t at, sni_nocase_names *others)
{
    const sni_str cut = sni_str_make(name.at, W3D_NAME_BYTES - 1);
    check_name(c, name, W3D_NAME_BYTES, chunk);
    if (!c->edit || name.size < W3D_NAME_BYTES || sni_nocase_names_find(others, cut) >= 0) return false;
    uint8_t *bytes = w3d_edit_bytes(c->edit, chunk, W3D_FIX_NAME);
    if (bytes) bytes[at + W3D_NAME_BYTES - 1] = 0;
    if (!sni_nocase_names_add(c->p.arena, others, cut, 0)) c->has_failed = true;
    return true;
}

static void check_version(const checker *c, int32_t chunk, uint32_t version, const uint32_t *known, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (version == known[i]) return;
    report(c, chunk, SAGE_VERSION, "version %u.%u, files of the game have %u.%u", version >> 16, version & 0xFFFF,
           known[count - 1] >> 16, known[count - 1] & 0xFFFF);
}

// Headers

static void check_header(checker *c, int32_t object, uint32_t id)
{
    const int32_t header = id ? find(c, object, id) : W3D_NONE;
    if (header < 0 || header == w3d_at(&c->p, object)->first_child) return;
    report(c, header, SAGE_HEADER_FIRST, "%s comes before it",
           w3d_chunk_name(w3d_at(&c->p, w3d_at(&c->p, object)->first_child)->id));
    if (c->edit) w3d_edit_arrange(c->edit, object, header, header, W3D_FIX_HEADER);
}

static void check_headers(checker *c)
{
    for (uint32_t i = 0; i < c->doc.chunk_count; i++) {
        const w3d_chunk *chunk = &c->doc.chunks[i];
        const bool is_array = chunk->id == W3D_LOD_ARRAY || chunk->id == W3D_AGGREGATES || chunk->id == W3D_PROXIES;
        if (chunk->parent < 0) check_header(c, (int32_t)i, w3d_header_id(chunk->id));
        else if (is_array) check_header(c, (int32_t)i, W3D_ARRAY_HEADER);
    }
}

// Some object has the name of the file, with or without what an exporter of several files adds to it.
static void check_file_name(const checker *c)
{
    const size_t size = sni_stem_size(c->file);
    const sni_str stem = sni_str_make(c->file, size);
    bool has_name = false;
    if (size == 0) return;
    for (uint32_t i = 0; i < c->doc.mesh_count; i++)
        has_name |= sni_str_equal_nocase(c->doc.meshes[i].container, stem) ||
                    (c->doc.meshes[i].container.size == 0 && sni_str_equal_nocase(c->doc.meshes[i].name, stem));
    for (uint32_t i = 0; i < c->doc.hlod_count; i++) has_name |= sni_str_equal_nocase(c->doc.hlods[i].name, stem);
    for (uint32_t i = 0; i < c->doc.hierarchy_count; i++)
        has_name |= sni_str_equal_nocase(c->doc.hierarchies[i].name, stem);
    for (uint32_t i = 0; i < c->doc.animation_count; i++)
        has_name |= sni_str_equal_nocase(c->doc.animations[i].name, stem);
    for (uint32_t i = 0; i < c->doc.morph_count; i++) has_name |= sni_str_equal_nocase(c->doc.morphs[i].name, stem);
    for (uint32_t i = 0; i < c->doc.object_count; i++) has_name |= sni_str_equal_nocase(c->doc.objects[i].name, stem);
    if (!has_name && c->doc.chunk_count > 0 && !c->edit)
        sni_warn(c->p.diag, SNI_WARN_SAGE_FILE_NAME, 0, "nothing in it is called \"%s\"", clean(c, stem));
}

// Hierarchies

static void check_root(checker *c, const w3d_hierarchy *hierarchy, int32_t chunk)
{
    const w3d_pivot root = w3d_read_pivot(hierarchy, 0);
    const sn_quat q = root.rotation;
    const bool is_still = root.translation.x == 0.0f && root.translation.y == 0.0f && root.translation.z == 0.0f &&
                          q.x == 0.0f && q.y == 0.0f && q.z == 0.0f && fabsf(q.w) == 1.0f;
    if (!sni_str_is_nocase(root.name, "ROOTTRANSFORM"))
        report(c, chunk, SAGE_ROOT_PLACE, "pivot 0 is called \"%s\"", clean(c, root.name));
    if (is_still) return;
    report(c, chunk, SAGE_ROOT_PLACE, "pivot 0 is at %g %g %g, rotated by %g %g %g %g", (double)root.translation.x,
           (double)root.translation.y, (double)root.translation.z, (double)q.x, (double)q.y, (double)q.z, (double)q.w);
    uint8_t *bytes = c->edit ? w3d_edit_bytes(c->edit, chunk, W3D_FIX_ROOT_PLACE) : NULL;
    if (!bytes) return;
    memset(bytes + PLACE_AT, 0, PIVOT_BYTES - PLACE_AT);
    sni_store_f32(bytes + PIVOT_BYTES - 4, 1.0f);
}

static void check_parents(checker *c, const w3d_hierarchy *hierarchy, int32_t chunk)
{
    for (uint32_t i = 0; i < hierarchy->pivots.count; i++) {
        const int32_t parent = w3d_read_pivot(hierarchy, i).parent;
        const bool is_root = parent == W3D_NONE;
        if (is_root != (i == 0)) {
            report(c, chunk, SAGE_ROOT, i == 0 ? "pivot 0 has the parent %d" : "pivot %u has no parent",
                   i == 0 ? parent : (int32_t)i);
            uint8_t *bytes = c->edit ? w3d_edit_bytes(c->edit, chunk, W3D_FIX_ROOT) : NULL;
            if (bytes) sni_store_u32(bytes + (size_t)PIVOT_BYTES * i + PARENT_AT, i == 0 ? UINT32_MAX : 0);
        } else if (!is_root && (parent < 0 || (uint32_t)parent >= i)) {
            report(c, chunk, SAGE_PARENT, "pivot %u has the parent %d, of %u pivots", i, parent,
                   hierarchy->pivots.count);
        }
    }
}

static void check_hierarchy(checker *c, const w3d_hierarchy *hierarchy)
{
    static const uint32_t versions[] = { 0x40000, 0x40001 };
    const int32_t pivots = find(c, hierarchy->chunk, W3D_PIVOTS),
                  header = find(c, hierarchy->chunk, W3D_HIERARCHY_HEADER);
    sni_nocase_names names = { 0 };
    check_version(c, header, hierarchy->version, versions, 2);
    check_name(c, hierarchy->name, W3D_NAME_BYTES, header);
    if (hierarchy->pivots.count == 0) return;
    for (uint32_t i = 0; i < hierarchy->pivots.count; i++) {
        const sni_str name = w3d_read_pivot(hierarchy, i).name;
        const int32_t other = sni_nocase_names_find(&names, name);
        if (other >= 0)
            report(c, pivots, SAGE_BONE_TWICE, "pivots %d and %u are called \"%s\"", other, i, clean(c, name));
        else if (!sni_nocase_names_add(c->p.arena, &names, name, (int32_t)i)) c->has_failed = true;
    }
    for (uint32_t i = 0; i < hierarchy->pivots.count; i++) {
        const sni_str name = w3d_read_pivot(hierarchy, i).name;
        cut_name(c, name, pivots, PIVOT_BYTES * i, &names);
    }
    if (hierarchy->version < W3D_FIRST_ROOTED_VERSION) return;
    check_root(c, hierarchy, pivots);
    check_parents(c, hierarchy, pivots);
    if (find(c, hierarchy->chunk, W3D_FIXUPS) >= 0) return;
    report(c, hierarchy->chunk, SAGE_CHUNKS, "no PIVOT_FIXUPS");
    uint8_t *fixups = c->edit ? new_bytes(c, (uint64_t)FIXUP_BYTES * hierarchy->pivots.count) : NULL;
    if (!fixups) return;
    for (uint32_t i = 0; i < hierarchy->pivots.count; i++)
        for (size_t k = 0; k < 3; k++) sni_store_f32(fixups + (size_t)FIXUP_BYTES * i + 16 * k, 1.0f);
    w3d_edit_insert(c->edit, hierarchy->chunk, pivots, W3D_FIXUPS, fixups,
                    (size_t)FIXUP_BYTES * hierarchy->pivots.count, W3D_FIX_FIXUPS);
}

// How many pivots there are to choose from; unknown: any number.
static uint32_t pivot_count(const checker *c, sni_str name)
{
    const int32_t found = sni_nocase_names_find(&c->hierarchies, name);
    if (found < 0) return name.size > 0 ? UINT32_MAX : 1;
    const w3d_hierarchy *hierarchy = &c->doc.hierarchies[found];
    const bool lacks_root = hierarchy->version < W3D_FIRST_ROOTED_VERSION || hierarchy->pivots.count == 0;
    return hierarchy->pivots.count + lacks_root;
}

// Meshes

typedef struct bounds {
    sn_vec3 min, max, center;
    float radius;
    double farthest;  // vertex from the centre of the stored sphere
} bounds;

static sn_vec3 read_vec3(w3d_array array, uint32_t index)
{
    sn_vec3 v;
    sni_load_words(array.data + 12 * (size_t)index, &v, 3);
    return v;
}

static void make_worlds(checker *c)
{
    const w3d_hierarchy *hierarchy = c->doc.hierarchies;
    if (c->doc.hierarchy_count != 1 || hierarchy->version < W3D_FIRST_ROOTED_VERSION || hierarchy->pivots.count == 0 ||
        hierarchy->fixup_bytes == 12)
        return;
    sn_mat34 *worlds = sni_new_raw(c->p.arena, sn_mat34, hierarchy->pivots.count);
    if (!worlds) {
        c->has_failed = true;
        return;
    }
    worlds[0] = sni_quat_matrix(sni_quat(0, 0, 0, 1));
    for (uint32_t i = 1; i < hierarchy->pivots.count; i++) {
        const w3d_pivot pivot = w3d_read_pivot(hierarchy, i);
        const int32_t parent = pivot.parent == W3D_NONE ? 0 : pivot.parent;
        if (parent < 0 || (uint32_t)parent >= i) return;
        sn_mat34 local = sni_quat_matrix(sni_quat_unit_or_identity(pivot.rotation));
        sni_mat34_set_column(&local, 3, pivot.translation);
        worlds[i] = sni_mat34_mul(&worlds[parent], &local);
    }
    c->worlds = worlds;
    c->world_count = hierarchy->pivots.count;
}

// Of the vertices, those of a skin in the base pose. False: not known.
static bool find_bounds(checker *c, const w3d_mesh *mesh, bounds *out)
{
    const bool is_skin = mesh->influences.data != NULL;
    sn_vec3 *places = sni_new_raw(c->p.arena, sn_vec3, mesh->positions.count);
    if (!places) c->has_failed = true;
    if (!places || mesh->positions.count == 0 || (is_skin && !c->worlds)) return false;
    out->min = sni_vec3(FLT_MAX, FLT_MAX, FLT_MAX);
    out->max = sni_vec3(-FLT_MAX, -FLT_MAX, -FLT_MAX);
    for (uint32_t i = 0; i < mesh->positions.count; i++) {
        sn_vec3 v = read_vec3(mesh->positions, i);
        if (is_skin) {
            const uint8_t *influence = mesh->influences.data + 8 * (size_t)i;
            const bool is_second = mesh->positions2.data && sni_load_u16(influence + 4) == 0 &&
                                   sni_load_u16(influence + 6) > 0;
            const uint32_t bone = sni_load_u16(influence + (is_second ? 2 : 0));
            if (bone >= c->world_count) return false;
            if (is_second) v = read_vec3(mesh->positions2, i);
            v = sni_mat34_point(&c->worlds[bone], v);
        }
        if (!isfinite(v.x) || !isfinite(v.y) || !isfinite(v.z)) return false;
        out->min = sni_vec3(fminf(out->min.x, v.x), fminf(out->min.y, v.y), fminf(out->min.z, v.z));
        out->max = sni_vec3(fmaxf(out->max.x, v.x), fmaxf(out->max.y, v.y), fmaxf(out->max.z, v.z));
        places[i] = v;
    }
    out->center = sni_vec3_lerp(out->min, out->max, 0.5f);
    double radius = 0.0;
    out->farthest = 0.0;
    for (uint32_t i = 0; i < mesh->positions.count; i++) {
        radius = fmax(radius, sni_length(sni_sub(places[i], out->center)));
        const double distance = sni_length(sni_sub(places[i], mesh->sphere_center));
        if (!(distance <= out->farthest)) out->farthest = distance;
    }
    out->radius = (float)radius;
    return true;
}

// How far the box reaches past the stored one.
static double excess(const bounds *b, const w3d_mesh *mesh)
{
    const float lows[3] = { mesh->box_min.x - b->min.x, mesh->box_min.y - b->min.y, mesh->box_min.z - b->min.z };
    const float highs[3] = { b->max.x - mesh->box_max.x, b->max.y - mesh->box_max.y, b->max.z - mesh->box_max.z };
    double most = 0.0;
    for (int i = 0; i < 3; i++) {
        if (!(lows[i] <= most)) most = lows[i];
        if (!(highs[i] <= most)) most = highs[i];
    }
    return most;
}

static void check_bounds(checker *c, const w3d_mesh *mesh, int32_t header)
{
    const float VERTEX_SLACK = 0.01f;  // of the size: exporters round
    bounds b;
    if (!find_bounds(c, mesh, &b)) return;
    const double size = fmax(b.radius, 1e-3), slack = VERTEX_SLACK * size;
    const double past_box = excess(&b, mesh);
    const bool is_small = !(b.farthest <= mesh->sphere_radius + slack);
    if (past_box <= slack && !is_small) return;
    if (past_box > slack || !isfinite(past_box))
        report(c, header, SAGE_BOUNDS, "the mesh reaches %g past its box; it measures %g", past_box, 2.0 * size);
    else
        report(c, header, SAGE_BOUNDS, "the sphere of radius %g is too small; the mesh needs %g",
               (double)mesh->sphere_radius, (double)b.radius);
    uint8_t *bytes = c->edit ? w3d_edit_bytes(c->edit, header, W3D_FIX_BOUNDS) : NULL;
    if (!bytes) return;
    const float values[10] = { b.min.x, b.min.y,    b.min.z,    b.max.x,    b.max.y,
                               b.max.z, b.center.x, b.center.y, b.center.z, b.radius };
    for (size_t i = 0; i < 10; i++) sni_store_f32(bytes + MESH_BOUNDS_AT + 4 * i, values[i]);
}

// The counts that MATERIAL_INFO states: passes, vertex materials, shaders, textures.
static void count_materials(const checker *c, int32_t owner, uint32_t counts[4])
{
    const int32_t shaders = find(c, owner, W3D_SHADERS);
    counts[0] = w3d_count(&c->p, owner, W3D_PASS);
    counts[1] = w3d_count(&c->p, find(c, owner, W3D_VERTEX_MATERIALS), W3D_VERTEX_MATERIAL);
    counts[2] = shaders < 0 ? 0 : w3d_at(&c->p, shaders)->bytes.count / W3D_SHADER_BYTES;
    counts[3] = w3d_count(&c->p, find(c, owner, W3D_TEXTURES), W3D_TEXTURE);
}

// Before the chunks that it counts, as in files of the games. A prelit variant has its own.
static void check_material_info(checker *c, int32_t owner, int32_t after)
{
    const int32_t info = find(c, owner, W3D_MATERIAL_INFO);
    uint32_t counts[4], stored[4] = { 0 };
    bool is_same = info >= 0 && w3d_at(&c->p, info)->bytes.count >= sizeof stored;
    count_materials(c, owner, counts);
    if (is_same) sni_load_words(w3d_at(&c->p, info)->bytes.data, stored, 4);
    for (int i = 0; i < 4; i++) is_same &= stored[i] == counts[i];
    if (is_same) return;
    report(c, info >= 0 ? info : owner, SAGE_MATERIAL_INFO,
           "%s; there are %u passes, %u vertex materials, %u shaders, %u textures",
           info >= 0 ? "its counts differ" : "no MATERIAL_INFO", counts[0], counts[1], counts[2], counts[3]);
    uint8_t *data = c->edit ? new_bytes(c, sizeof counts) : NULL;
    if (!data) return;
    for (size_t i = 0; i < 4; i++) sni_store_u32(data + 4 * i, counts[i]);
    if (info >= 0) w3d_edit_replace(c->edit, info, data, sizeof counts, W3D_FIX_MATERIAL_INFO);
    else w3d_edit_insert(c->edit, owner, after, W3D_MATERIAL_INFO, data, sizeof counts, W3D_FIX_MATERIAL_INFO);
}

static void check_ids(const checker *c, const w3d_mesh *mesh, w3d_array ids, uint32_t count, const char *what)
{
    uint64_t bad = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < ids.count; i++) {
        const uint32_t id = sni_load_u32(ids.data + 4 * (size_t)i);
        if (id != UINT32_MAX && id >= count && bad++ == 0) first = id;
    }
    if (bad > 0 && !c->edit) {
        w3d_enter(c->p.diag, &c->doc, mesh->chunk);
        sni_warn_many(c->p.diag, SNI_WARN_SAGE_REFERENCE, bad, w3d_at(&c->p, mesh->chunk)->offset, "%s %u of %u", what,
                      first, count);
        w3d_leave(c->p.diag, &c->doc, mesh->chunk);
    }
}

static bool is_blended(const w3d_material_set *set, const w3d_pass *pass)
{
    for (uint32_t i = 0; i < pass->shader_ids.count; i++) {
        const uint32_t id = sni_load_u32(pass->shader_ids.data + 4 * (size_t)i);
        const uint8_t *shader = id < set->shaders.count ? set->shaders.data + W3D_SHADER_BYTES * (size_t)id : NULL;
        if (shader && shader[W3D_DEST_BLEND] != 0 && !shader[W3D_ALPHA_TEST]) return true;
    }
    return false;
}

// Textures are files beside the game's others, whatever folder an artist had them in.
static void check_texture(checker *c, sni_str name, int32_t texture)
{
    const int32_t chunk = find(c, texture, W3D_TEXTURE_NAME);
    char ending[8];
    size_t start = 0;
    for (size_t i = 0; i < name.size; i++)
        if (name.at[i] == '/' || name.at[i] == '\\') start = i + 1;
    const sni_str last = sni_str_make(name.at + start, name.size - start);
    const size_t tail = last.size < 7 ? last.size : 7;
    snprintf(ending, sizeof ending, "%.*s", (int)tail, tail > 0 ? last.at + last.size - tail : "");
    if (start == 0 && sni_has_ending(ending, "tga dds")) return;
    report(c, chunk >= 0 ? chunk : texture, SAGE_TEXTURE, "\"%s\"", clean(c, name));
    char *data = c->edit && chunk >= 0 && start > 0 ? new_bytes(c, (uint64_t)last.size + 1) : NULL;
    if (!data) return;
    memcpy(data, last.at, last.size);
    w3d_edit_replace(c->edit, chunk, data, last.size + 1, W3D_FIX_TEXTURE);
}

static void check_materials(checker *c, const w3d_mesh *mesh)
{
    static const uint32_t before_info[] = { W3D_SHADE_INDICES, W3D_INFLUENCES, W3D_TRIANGLES, W3D_MESH_HEADER3 };
    int32_t after = W3D_NONE;
    for (int i = 0; i < 4 && after < 0; i++) after = find(c, mesh->chunk, before_info[i]);
    for (uint32_t s = 0; s < mesh->material_set_count; s++) {
        const w3d_material_set *set = &mesh->material_sets[s];
        const int32_t owner = set->prelit ? find(c, mesh->chunk, set->prelit) : mesh->chunk;
        if (mesh->shader_material_count == 0) check_material_info(c, owner, set->prelit ? W3D_NONE : after);
        uint32_t passes = w3d_count(&c->p, owner, W3D_PASS), stages = 0;
        for (int32_t pass = find(c, owner, W3D_PASS); pass >= 0; pass = w3d_find_next(&c->p, pass)) {
            const uint32_t count = w3d_count(&c->p, pass, W3D_STAGE);
            stages = count > stages ? count : stages;
        }
        if (passes > W3D_MAX_PASSES || stages > W3D_MAX_STAGES)
            report(c, owner, SAGE_PASSES, "%u passes of up to %u stages", passes, stages);
        if (set->pass_count > 1 && is_blended(set, &set->passes[0]))
            report(c, owner, SAGE_BLENDED_PASSES, "%u passes, the first blends", set->pass_count);
        for (uint32_t i = 0; i < set->pass_count; i++) {
            const w3d_pass *pass = &set->passes[i];
            check_ids(c, mesh, pass->vertex_material_ids, set->vertex_material_count, "vertex material");
            check_ids(c, mesh, pass->shader_ids, set->shaders.count, "shader");
            check_ids(c, mesh, pass->shader_material_ids, mesh->shader_material_count, "shader material");
            for (uint32_t k = 0; k < pass->stage_count; k++)
                check_ids(c, mesh, pass->stages[k].texture_ids, set->texture_count, "texture");
        }
        for (uint32_t i = 0; i < set->texture_count; i++)
            check_texture(c, set->textures[i].name, set->textures[i].chunk);
    }
}

static void check_shader_materials(checker *c, const w3d_mesh *mesh)
{
    bool has_normal_map = false;
    for (uint32_t i = 0; i < mesh->shader_material_count; i++) {
        const w3d_shader_material *material = &mesh->shader_materials[i];
        for (uint32_t k = 0; k < material->property_count; k++)
            has_normal_map |= material->properties[k].text.size > 0 &&
                              sni_str_is_nocase(material->properties[k].name, "NormalMap");
    }
    if (!c->is_bfme && mesh->shader_material_count > 0)
        report(c, find(c, mesh->chunk, W3D_SHADER_MATERIALS), SAGE_BFME_ONLY, "%u shader materials",
               mesh->shader_material_count);
    if (c->is_bfme && has_normal_map && (!mesh->tangents.data || !mesh->bitangents.data))
        report(c, mesh->chunk, SAGE_TANGENTS, "%u tangents and %u bitangents for %u vertices", mesh->tangents.count,
               mesh->bitangents.count, mesh->vertex_count);
}

static void check_influences(checker *c, const w3d_mesh *mesh, int32_t header)
{
    const int32_t chunk = find(c, mesh->chunk, W3D_INFLUENCES);
    uint64_t doubled = 0, bad_sums = 0;
    for (uint32_t i = 0; i < mesh->influences.count; i++) {
        const uint8_t *at = mesh->influences.data + 8 * (size_t)i;
        const uint32_t first = sni_load_u16(at + 4), second = sni_load_u16(at + 6);
        doubled += second > 0;
        bad_sums += first + second != 0 && first + second != 100;
    }
    if (!c->edit && chunk >= 0) {
        const uint64_t offset = w3d_at(&c->p, chunk)->offset;
        w3d_enter(c->p.diag, &c->doc, chunk);
        if (!c->is_bfme) sni_warn_many(c->p.diag, SNI_WARN_SAGE_TWO_BONES, doubled, offset, "vertices with two bones");
        if (c->is_bfme) sni_warn_many(c->p.diag, SNI_WARN_SAGE_WEIGHTS, bad_sums, offset, "vertices with another sum");
        if (c->is_bfme && !mesh->positions2.data)
            sni_warn_many(c->p.diag, SNI_WARN_SAGE_WEIGHTS, doubled, offset, "vertices without SECONDARY_VERTICES");
        w3d_leave(c->p.diag, &c->doc, chunk);
    }
    const bool is_typed = mesh->version > 0x40000;  // before, it was a flag
    const bool is_skin = mesh->influences.data != NULL,
               is_called_skin = (mesh->attributes & W3D_GEOMETRY_MASK) == W3D_GEOMETRY_SKIN;
    if (!is_typed || is_skin == is_called_skin) return;
    report(c, header, SAGE_SKIN_TYPE, "type %u, %u vertices with bones", (mesh->attributes & W3D_GEOMETRY_MASK) >> 16,
           mesh->influences.count);
    uint8_t *bytes = c->edit ? w3d_edit_bytes(c->edit, header, W3D_FIX_SKIN_TYPE) : NULL;
    if (bytes)
        sni_store_u32(bytes + ATTRIBUTES_AT,
                      (mesh->attributes & ~(uint32_t)W3D_GEOMETRY_MASK) | (is_skin ? W3D_GEOMETRY_SKIN : 0u));
}

// Vertices with the same place and normal are one for smoothing: the first of them stands for all.
static void check_shade_indices(checker *c, const w3d_mesh *mesh)
{
    sni_map map = { 0 };
    const int32_t triangles = find(c, mesh->chunk, W3D_TRIANGLES), influences = find(c, mesh->chunk, W3D_INFLUENCES);
    const bool has_both = mesh->positions.data && mesh->normals.data && triangles >= 0;
    if (find(c, mesh->chunk, W3D_SHADE_INDICES) >= 0 || !has_both || mesh->vertex_count == 0) return;
    report(c, mesh->chunk, SAGE_CHUNKS, "no VERTEX_SHADE_INDICES");
    uint8_t *data = c->edit ? new_bytes(c, 4ull * mesh->vertex_count) : NULL;
    if (!data) return;
    for (uint32_t i = 0; i < mesh->vertex_count; i++) {
        const uint8_t *place = mesh->positions.data + 12 * (size_t)i, *normal = mesh->normals.data + 12 * (size_t)i;
        const uint32_t hash = sni_hash_more(sni_hash(place, 12), normal, 12);
        uint32_t first = i;
        for (sni_map_cursor at = sni_map_find(&map, hash); first == i && sni_map_next(&map, &at);)
            if (memcmp(place, mesh->positions.data + 12 * (size_t)at.item, 12) == 0 &&
                memcmp(normal, mesh->normals.data + 12 * (size_t)at.item, 12) == 0)
                first = at.item;
        if (first == i && !sni_map_add(&map, c->p.arena, hash, i)) c->has_failed = true;
        sni_store_u32(data + 4 * (size_t)i, first);
    }
    w3d_edit_insert(c->edit, mesh->chunk, influences >= 0 ? influences : triangles, W3D_SHADE_INDICES, data,
                    4 * (size_t)mesh->vertex_count, W3D_FIX_SHADE_INDICES);
}

// Children come after their node; a leaf has the top bit set and a range of triangles.
static bool is_good_tree(const checker *c, const w3d_mesh *mesh, int32_t tree)
{
    const int32_t header = find(c, tree, TREE_HEADER), polys = find(c, tree, TREE_POLYS),
                  nodes = find(c, tree, TREE_NODES);
    if (header < 0 || polys < 0 || nodes < 0 || w3d_at(&c->p, header)->bytes.count < 8) return false;
    const w3d_array list = w3d_at(&c->p, polys)->bytes, records = w3d_at(&c->p, nodes)->bytes;
    const uint32_t node_count = sni_load_u32(w3d_at(&c->p, header)->bytes.data),
                   poly_count = sni_load_u32(w3d_at(&c->p, header)->bytes.data + 4);
    if (records.count / NODE_BYTES != node_count || list.count / 4 != poly_count) return false;
    for (uint32_t i = 0; i < poly_count; i++)
        if (sni_load_u32(list.data + 4 * (size_t)i) >= mesh->triangle_count) return false;
    for (uint32_t i = 0; i < node_count; i++) {
        const uint32_t front = sni_load_u32(records.data + NODE_BYTES * (size_t)i + 24),
                       back = sni_load_u32(records.data + NODE_BYTES * (size_t)i + 28);
        const uint32_t first = front & 0x7FFFFFFF;
        const bool is_leaf = front >> 31;
        if (is_leaf ? first > poly_count || back > poly_count - first
                    : front <= i || front >= node_count || back <= i || back >= node_count)
            return false;
    }
    return true;
}

// "CONTAINER.MESH", as a level of detail refers to it.
static sni_str full_name(checker *c, const w3d_mesh *mesh)
{
    const size_t dot = mesh->container.size > 0;
    char *text = new_bytes(c, mesh->container.size + dot + mesh->name.size);
    if (!text) return sni_str_make("", 0);
    if (dot) memcpy(text, mesh->container.at, mesh->container.size);
    if (dot) text[mesh->container.size] = '.';
    if (mesh->name.size > 0) memcpy(text + mesh->container.size + dot, mesh->name.at, mesh->name.size);
    return sni_str_make(text, mesh->container.size + dot + mesh->name.size);
}

static void check_mesh(checker *c, const w3d_mesh *mesh, sni_nocase_names *names)
{
    static const uint32_t versions[] = { 0x40000, 0x40001, 0x50000, 0x40002 };
    const int32_t header = find(c, mesh->chunk, W3D_MESH_HEADER3), tree = find(c, mesh->chunk, W3D_AABTREE);
    check_version(c, header, mesh->version, versions, 4);
    check_name(c, mesh->container, W3D_NAME_BYTES, header);
    if (cut_name(c, mesh->name, header, 8, names) &&
        !sni_nocase_names_add(c->p.arena, &c->cut_meshes, full_name(c, mesh), 0))
        c->has_failed = true;
    if (mesh->vertex_count >= MOST_VERTICES) report(c, header, SAGE_VERTICES, "%u vertices", mesh->vertex_count);
    check_bounds(c, mesh, header);
    check_influences(c, mesh, header);
    check_shade_indices(c, mesh);
    check_materials(c, mesh);
    check_shader_materials(c, mesh);
    if (tree >= 0 && !is_good_tree(c, mesh, tree)) {
        report(c, tree, SAGE_TREE, "it does not fit a mesh of %u triangles", mesh->triangle_count);
        if (c->edit) w3d_edit_remove(c->edit, tree, W3D_FIX_TREE);
    }
}

static void check_meshes(checker *c)
{
    sni_nocase_names names = { 0 };
    for (uint32_t i = 0; i < c->doc.mesh_count; i++) {
        const w3d_mesh *mesh = &c->doc.meshes[i];
        const sni_str full = full_name(c, mesh);
        if (!sni_nocase_names_add(c->p.arena, &names, mesh->name, (int32_t)i) ||
            (mesh->influences.data && !sni_nocase_names_add(c->p.arena, &c->skins, full, (int32_t)i)))
            c->has_failed = true;
    }
    for (uint32_t i = 0; i < c->doc.mesh_count && !c->has_failed; i++) check_mesh(c, &c->doc.meshes[i], &names);
}

// Levels of detail

// A reference to a mesh whose name is cut is cut, too: "CONTAINER.MESH" with a mesh of 16 bytes.
static void check_object(checker *c, int32_t chunk, uint32_t pivots)
{
    const w3d_array bytes = w3d_at(&c->p, chunk)->bytes;
    if (bytes.count < SUB_OBJECT_BYTES) return;
    const uint32_t bone = sni_load_u32(bytes.data);
    size_t size = 0;
    while (size < W3D_LONG_NAME_BYTES && bytes.data[4 + size]) size++;
    const sni_str name = sni_str_make((const char *)bytes.data + 4, size);
    check_name(c, name, W3D_LONG_NAME_BYTES, chunk);
    if (c->edit && sni_nocase_names_find(&c->cut_meshes, name) >= 0) {
        uint8_t *data = w3d_edit_bytes(c->edit, chunk, W3D_FIX_NAME);
        if (data) data[4 + size - 1] = 0;
    }
    const bool is_skin = sni_nocase_names_find(&c->skins, name) >= 0;
    if (bone < pivots && !(is_skin && bone != 0)) return;
    report(c, chunk, SAGE_OBJECT_BONE,
           is_skin ? "the skin \"%s\" is attached to bone %u" : "\"%s\" is attached to bone %u, of %u", clean(c, name),
           bone, pivots);
    uint8_t *data = c->edit ? w3d_edit_bytes(c->edit, chunk, W3D_FIX_BONE) : NULL;
    if (data) sni_store_u32(data, 0);
}

static void check_lod_sizes(checker *c, const w3d_hlod *hlod)
{
    int32_t array = find(c, hlod->chunk, W3D_LOD_ARRAY);
    float last = -1.0f;
    for (uint32_t i = 0; i < hlod->lod_count; i++, array = w3d_find_next(&c->p, array)) {
        const float size = hlod->lods[i].max_screen_size;
        const bool is_finest = i + 1 == hlod->lod_count;
        if (!(size > last))
            report(c, array, SAGE_LOD_SIZE, "up to %g, the coarser one up to %g", (double)size, (double)last);
        else if (is_finest && size < FLT_MAX) report(c, array, SAGE_LOD_SIZE, "the finest ends at %g", (double)size);
        const int32_t header = find(c, array, W3D_ARRAY_HEADER);
        const bool is_open = header >= 0 && w3d_at(&c->p, header)->bytes.count >= 8;
        uint8_t *data = is_finest && !(size >= FLT_MAX) && c->edit && is_open
                            ? w3d_edit_bytes(c->edit, header, W3D_FIX_LOD_SIZE)
                            : NULL;
        if (data) sni_store_f32(data + 4, FLT_MAX);
        last = size;
    }
}

static void check_hlod(checker *c, const w3d_hlod *hlod)
{
    static const uint32_t versions[] = { 0x10000 };
    const int32_t header = find(c, hlod->chunk, hlod->is_hmodel ? W3D_HMODEL_HEADER : W3D_HLOD_HEADER);
    const uint32_t pivots = pivot_count(c, hlod->hierarchy);
    check_name(c, hlod->name, W3D_NAME_BYTES, header);
    check_name(c, hlod->hierarchy, W3D_NAME_BYTES, header);
    if (hlod->is_hmodel) return;
    check_version(c, header, hlod->version, versions, 1);

    // The game reads as many arrays as the header states, right after it.
    const uint32_t stated = sni_load_u32(w3d_at(&c->p, header)->bytes.data + 4);
    const int32_t first = find(c, hlod->chunk, W3D_LOD_ARRAY);
    int32_t at = header, moved = 0;
    for (int32_t array = first; array >= 0; at = array, array = w3d_find_next(&c->p, array))
        moved += w3d_at(&c->p, at)->next != array;
    // An object outside of the levels would be read as a part of the level before it.
    const bool has_stray = find(c, hlod->chunk, W3D_SUB_OBJECT) >= 0;
    if (c->edit && moved > 0 && !has_stray) w3d_edit_arrange(c->edit, hlod->chunk, header, first, W3D_FIX_LODS);
    if (stated != hlod->lod_count)
        report(c, hlod->chunk, SAGE_LOD_COUNT, "the header states %u levels, there are %u", stated, hlod->lod_count);
    else if (moved > 0) report(c, hlod->chunk, SAGE_LOD_COUNT, "other chunks come between the header and its levels");
    uint8_t *data = c->edit && stated != hlod->lod_count ? w3d_edit_bytes(c->edit, header, W3D_FIX_LODS) : NULL;
    if (data) sni_store_u32(data + 4, hlod->lod_count);

    check_lod_sizes(c, hlod);
    for (int32_t array = w3d_at(&c->p, hlod->chunk)->first_child; array >= 0; array = w3d_at(&c->p, array)->next)
        for (int32_t object = find(c, array, W3D_SUB_OBJECT); object >= 0; object = w3d_find_next(&c->p, object))
            check_object(c, object, pivots);
}

// Animations

static void check_channel(checker *c, const w3d_channel *channel, uint32_t pivots)
{
    enum { RAW_DEFAULT_AT = 8, TIMECODED_DEFAULT_AT = 7 };
    const bool is_bits = channel->kind == W3D_RAW_BITS || channel->kind == W3D_TIMECODED_BITS;
    if (channel->pivot >= pivots) report(c, channel->chunk, SAGE_CHANNEL, "pivot %u of %u", channel->pivot, pivots);
    if (!is_bits && channel->type >= W3D_EULER_X && channel->type <= W3D_EULER_Z)
        report(c, channel->chunk, SAGE_CHANNEL, "angles: the games read rotations as quaternions only");
    if (!c->is_bfme && !is_bits && channel->type == W3D_FADE)
        report(c, channel->chunk, SAGE_BFME_ONLY, "a channel that fades");
    if (!c->is_bfme && channel->kind >= W3D_MOTION_TIMECODED)
        report(c, channel->chunk, SAGE_BFME_ONLY, "a motion channel");
    if (!is_bits || channel->fallback <= 1) return;
    report(c, channel->chunk, SAGE_VISIBILITY, "its default is %u", channel->fallback);
    uint8_t *data = c->edit ? w3d_edit_bytes(c->edit, channel->chunk, W3D_FIX_VISIBILITY) : NULL;
    if (data) data[channel->kind == W3D_RAW_BITS ? RAW_DEFAULT_AT : TIMECODED_DEFAULT_AT] = 1;
}

static void check_animation(checker *c, const w3d_animation *animation, sni_nocase_names *names)
{
    static const uint32_t raw_versions[] = { 0x40000, 0x40001 }, compressed_versions[] = { 0x10000, 0x00001 };
    const int32_t header = find(c, animation->chunk,
                                animation->is_compressed ? W3D_COMPRESSED_HEADER : W3D_ANIMATION_HEADER);
    const uint32_t pivots = animation->hierarchy.size > 0 ? pivot_count(c, animation->hierarchy) : UINT32_MAX;
    check_version(c, header, animation->version, animation->is_compressed ? compressed_versions : raw_versions, 2);
    check_name(c, animation->hierarchy, W3D_NAME_BYTES, header);
    cut_name(c, animation->name, header, 4, names);
    if (animation->hierarchy.size == 0 || animation->frame_count == 0 || animation->frame_rate == 0)
        report(c, header, SAGE_ANIMATION, "%u frames, %u per second, for the hierarchy \"%s\"", animation->frame_count,
               animation->frame_rate, clean(c, animation->hierarchy));
    for (uint32_t i = 0; i < animation->channel_count; i++) check_channel(c, &animation->channels[i], pivots);
}

static void check_animations(checker *c)
{
    sni_nocase_names names = { 0 };
    for (uint32_t i = 0; i < c->doc.animation_count; i++)
        if (!sni_nocase_names_add(c->p.arena, &names, c->doc.animations[i].name, (int32_t)i)) c->has_failed = true;
    for (uint32_t i = 0; i < c->doc.animation_count; i++) check_animation(c, &c->doc.animations[i], &names);
}

static bool check_all(checker *c)
{
    c->p.doc = &c->doc;
    check_headers(c);
    check_file_name(c);
    for (uint32_t i = 0; i < c->doc.hierarchy_count; i++) {
        const sni_str name = c->doc.hierarchies[i].name;
        if (!sni_nocase_names_add(c->p.arena, &c->hierarchies, name, (int32_t)i)) c->has_failed = true;
        check_hierarchy(c, &c->doc.hierarchies[i]);
    }
    make_worlds(c);
    check_meshes(c);
    for (uint32_t i = 0; i < c->doc.hlod_count; i++) check_hlod(c, &c->doc.hlods[i]);
    check_animations(c);
    return !c->has_failed;
}

bool w3d_check_game(sni_load *load, const void *document, sn_game game)
{
    checker c = { .p = { .diag = &load->diag, .arena = &load->scratch },
                  .doc = *(const w3d_doc *)document,
                  .file = sni_last_name(load->name),
                  .is_bfme = game == SN_GAME_BFME };
    return check_all(&c) && sni_load_ok(load);
}

bool w3d_repair(sni_save *save, const void *document, sn_game game, const void **repaired)
{
    w3d_edit edit;
    checker c = { .p = { .diag = &save->diag, .arena = &save->scratch },
                  .doc = *(const w3d_doc *)document,
                  .file = "",
                  .is_bfme = game == SN_GAME_BFME,
                  .edit = &edit };
    if (!w3d_edit_begin(&edit, save, document) || !check_all(&c) || !w3d_edit_end(&edit)) return false;
    *repaired = edit.doc;
    return sni_save_ok(save);
}
