// One mesh of the file becomes one of ours for each look that its triangles have.
#include "format/w3d/w3d_build.h"

// What the groups are made of. groups[triangle] is the group of each, in the order in which looks are first met.
typedef struct mesh_split {
    w3d_builder *b;
    const w3d_shape *shape;
    uint32_t *groups;
    sni_list firsts;  // uint32_t: the first triangle of each group
} mesh_split;

static uint32_t corner(const w3d_shape *shape, uint32_t triangle, uint32_t which)
{
    return sni_load_u32(shape->mesh->triangles.data + (size_t)triangle * W3D_TRIANGLE_BYTES + (size_t)4 * which);
}

// Ids are one for all or one for each. -1: none, or none of `count`.
static int32_t id_at(w3d_array ids, uint32_t index, uint32_t count)
{
    if (ids.count == 0) return -1;
    uint32_t at = ids.count == 1 ? 0 : index;
    uint32_t id = at < ids.count ? sni_load_u32(ids.data + (size_t)4 * at) : UINT32_MAX;
    return id < count && id <= INT32_MAX ? (int32_t)id : -1;
}

static w3d_look look_of(const w3d_shape *shape, uint32_t triangle)
{
    const w3d_mesh *mesh = shape->mesh;
    const w3d_material_set *looks = shape->looks;
    w3d_look look = { .material3 = -1 };
    if (mesh->material3_count > 0) {
        uint32_t id = triangle < mesh->per_tri_materials.count
                          ? sni_load_u16(mesh->per_tri_materials.data + (size_t)2 * triangle)
                          : 0;
        look.material3 = id < mesh->material3_count ? (int32_t)id : -1;
    }
    for (uint32_t p = 0; p < w3d_pass_count(looks); p++) {
        const w3d_pass *pass = &looks->passes[p];
        w3d_pass_ids *ids = &look.passes[p];
        ids->shader = id_at(pass->shader_ids, triangle, looks->shaders.count);
        ids->vertex_material = id_at(pass->vertex_material_ids,
                                     pass->vertex_material_ids.count > 1 ? corner(shape, triangle, 0) : 0,
                                     looks->vertex_material_count);
        ids->shader_material = id_at(pass->shader_material_ids, triangle, mesh->shader_material_count);
        for (uint32_t s = 0; s < W3D_MAX_STAGES; s++)
            ids->textures[s] = id_at(pass->stages[s].texture_ids, triangle, looks->texture_count);
    }
    return look;
}

static bool has_one_look(const w3d_shape *shape)
{
    if (shape->mesh->material3_count > 0 && shape->mesh->per_tri_materials.count > 0) return false;
    for (uint32_t p = 0; p < w3d_pass_count(shape->looks); p++) {
        const w3d_pass *pass = &shape->looks->passes[p];
        if (pass->shader_ids.count > 1 || pass->vertex_material_ids.count > 1 || pass->shader_material_ids.count > 1)
            return false;
        if (pass->stages[0].texture_ids.count > 1 || pass->stages[1].texture_ids.count > 1) return false;
    }
    return true;
}

static bool is_same_look(const w3d_look *a, const w3d_look *b)
{
    return memcmp(a, b, sizeof *a) == 0;  // numbers only, without gaps
}

static uint32_t hash_look(const w3d_look *look)
{
    const uint8_t *bytes = (const uint8_t *)look;
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < sizeof *look; i++) hash = (hash ^ bytes[i]) * 16777619u;
    return hash ^ hash >> 15;
}

static bool grow_slots(mesh_split *split, uint32_t **slots, uint32_t *slot_count)
{
    uint32_t larger = *slot_count ? *slot_count * 2 : 64;
    const uint32_t *firsts = split->firsts.items;
    uint32_t *grown = sni_new(&split->b->load->scratch, uint32_t, larger);
    for (uint32_t i = 0; grown && i < split->firsts.count; i++) {
        w3d_look look = look_of(split->shape, firsts[i]);
        uint32_t at = hash_look(&look) & (larger - 1);
        while (grown[at]) at = (at + 1) & (larger - 1);
        grown[at] = i + 1;
    }
    *slots = grown;
    *slot_count = larger;
    return grown != NULL;
}

static bool find_groups(mesh_split *split)
{
    const w3d_shape *shape = split->shape;
    uint32_t *slots = NULL, slot_count = 0;
    split->groups = sni_new_raw(&split->b->load->scratch, uint32_t, shape->triangle_count);
    if (!split->groups) return false;
    for (uint32_t t = 0; t < shape->triangle_count; t++) {
        if (split->firsts.count >= slot_count / 2 && !grow_slots(split, &slots, &slot_count)) return false;
        w3d_look look = look_of(shape, t);
        uint32_t at = hash_look(&look) & (slot_count - 1);
        for (; slots[at]; at = (at + 1) & (slot_count - 1)) {
            w3d_look known = look_of(shape, ((const uint32_t *)split->firsts.items)[slots[at] - 1]);
            if (is_same_look(&known, &look)) break;
        }
        if (!slots[at]) {
            uint32_t *first = sni_push(&split->b->load->scratch, &split->firsts, uint32_t);
            if (!first) return false;
            *first = t;
            slots[at] = split->firsts.count;
        }
        split->groups[t] = slots[at] - 1;
    }
    return true;
}

static const char *mesh_extras(w3d_builder *b, const w3d_shape *shape)
{
    static const char *const prelit[] = { "unlit", "vertex", "multi pass", "multi texture" };
    const w3d_mesh *mesh = shape->mesh;
    sni_extras extras;
    sni_extras_begin(b->load, &extras);
    w3d_say_text(&extras, b, "container", mesh->container);
    w3d_say_text(&extras, b, "userText", mesh->user_text);
    if (mesh->sort_level != 0) sni_extras_put_integer(&extras, "sortLevel", mesh->sort_level);
    w3d_say_collision(&extras, mesh->attributes);
    sni_extras_put_flag(&extras, "castsShadow", mesh->attributes & W3D_CASTS_SHADOW);
    if (w3d_geometry_type(mesh) == W3D_GEOMETRY_CAMERA_ORIENTED)
        sni_extras_put_text(&extras, "facing", "camera position");
    if (shape->looks && shape->looks->prelit >= W3D_PRELIT_UNLIT && shape->looks->prelit <= W3D_PRELIT_MULTI_TEXTURE)
        sni_extras_put_text(&extras, "prelit", prelit[shape->looks->prelit - W3D_PRELIT_UNLIT]);
    return sni_extras_end(b->load, &extras);
}

static sn_mesh *add_mesh(mesh_split *split, uint32_t first_triangle, const char *name, const char *extras)
{
    w3d_builder *b = split->b;
    w3d_look look = look_of(split->shape, first_triangle);
    int32_t material = w3d_build_material(b, split->shape, &look);
    sn_mesh *mesh = sni_push(&b->load->keep, &b->meshes, sn_mesh);
    int32_t *slot = mesh ? sni_push(&b->load->scratch, &b->mesh_materials, int32_t) : NULL;
    if (!slot || !sni_load_ok(b->load)) return NULL;
    *slot = material;
    *mesh = (sn_mesh){ .name = name, .extras = extras, .topology = SN_TRIANGLES };
    mesh->uv_count = split->shape->uv_count;
    mesh->color_count = split->shape->color_count;
    mesh->influence_count = split->shape->influence_count;
    return mesh;
}

// Items of `size` bytes for the vertices in `order`; NULL stays NULL.
static const void *gather(sni_load *load, const void *items, size_t size, const uint32_t *order, uint32_t count)
{
    if (!items) return NULL;
    uint8_t *out = sni_alloc_raw(&load->keep, size, count);
    for (uint32_t i = 0; out && i < count; i++) memcpy(out + i * size, (const uint8_t *)items + order[i] * size, size);
    return out;
}

// All arrays, whole (no order) or of some vertices.
static bool fill_vertices(mesh_split *split, sn_mesh *mesh, const uint32_t *order, uint32_t count)
{
    sni_load *load = split->b->load;
    const w3d_shape *s = split->shape;
    const sn_vec2 **uvs = sni_new(&load->keep, const sn_vec2 *, s->uv_count);
    const sn_vec4 **colors = sni_new(&load->keep, const sn_vec4 *, s->color_count);
    if (!uvs || !colors) return false;
    mesh->vertex_count = count;
    mesh->positions = order ? gather(load, s->positions, sizeof *s->positions, order, count) : s->positions;
    mesh->normals = order ? gather(load, s->normals, sizeof *s->normals, order, count) : s->normals;
    mesh->tangents = order ? gather(load, s->tangents, sizeof *s->tangents, order, count) : s->tangents;
    mesh->vertex_joints = order ? gather(load, s->joints, s->influence_count * sizeof *s->joints, order, count)
                                : s->joints;
    mesh->vertex_weights = order ? gather(load, s->weights, s->influence_count * sizeof *s->weights, order, count)
                                 : s->weights;
    for (uint32_t i = 0; i < s->uv_count; i++)
        uvs[i] = order ? gather(load, s->uvs[i], sizeof *uvs[i], order, count) : s->uvs[i];
    for (uint32_t i = 0; i < s->color_count; i++)
        colors[i] = order ? gather(load, s->colors[i], sizeof *colors[i], order, count) : s->colors[i];
    mesh->uvs = uvs;
    mesh->colors = colors;
    return sni_load_ok(load);
}

static bool fill_whole(mesh_split *split, sn_mesh *mesh)
{
    const w3d_shape *shape = split->shape;
    const uint8_t *at = shape->mesh->triangles.data;
    uint32_t *indices = sni_new_raw(&split->b->load->keep, uint32_t, (uint64_t)shape->triangle_count * 3);
    if (!indices) return false;
    mesh->indices = indices;
    mesh->index_count = shape->triangle_count * 3;
    for (uint32_t t = 0; t < shape->triangle_count; t++, at += W3D_TRIANGLE_BYTES, indices += 3)
        for (uint32_t c = 0; c < 3; c++) indices[c] = sni_load_u32(at + (size_t)4 * c);
    return fill_vertices(split, mesh, NULL, shape->vertex_count);
}

// The triangles of each group together: starts[group] is where they begin in `sorted`.
static bool sort_triangles(mesh_split *split, uint32_t **sorted, uint32_t **starts)
{
    sni_arena *scratch = &split->b->load->scratch;
    uint32_t groups = split->firsts.count, count = split->shape->triangle_count;
    *sorted = sni_new_raw(scratch, uint32_t, count);
    *starts = sni_new(scratch, uint32_t, (uint64_t)groups + 2);
    if (!*sorted || !*starts) return false;
    uint32_t *ends = *starts + 1;  // each start moves to its end while the group is filled
    for (uint32_t t = 0; t < count; t++) ends[split->groups[t] + 1]++;
    for (uint32_t g = 1; g <= groups; g++) ends[g] += ends[g - 1];
    for (uint32_t t = 0; t < count; t++) (*sorted)[ends[split->groups[t]]++] = t;
    return true;
}

// A group has the vertices that its triangles use, in the order in which they are met. place[v] is 1 + where v went,
// and owner[v] the group it was for.
typedef struct vertex_map {
    uint32_t *place, *owner, *order;
    uint64_t bad;
} vertex_map;

static bool fill_group(mesh_split *split, sn_mesh *mesh, uint32_t group, const uint32_t *triangles, uint32_t count,
                       vertex_map *map)
{
    const w3d_shape *shape = split->shape;
    uint32_t *indices = sni_new_raw(&split->b->load->keep, uint32_t, (uint64_t)count * 3), used = 0, kept = 0;
    if (!indices) return false;
    for (uint32_t t = 0; t < count; t++) {
        uint32_t corners[3];
        bool is_good = true;
        for (uint32_t c = 0; c < 3; c++)
            is_good = (corners[c] = corner(shape, triangles[t], c)) < shape->vertex_count && is_good;
        map->bad += !is_good;
        for (uint32_t c = 0; is_good && c < 3; c++) {
            uint32_t v = corners[c];
            if (map->owner[v] != group + 1) {
                map->owner[v] = group + 1;
                map->place[v] = used;
                map->order[used++] = v;
            }
            indices[kept++] = map->place[v];
        }
    }
    mesh->indices = indices;
    mesh->index_count = kept;
    return fill_vertices(split, mesh, map->order, used);
}

// Where nothing can be drawn, nothing stays.
static bool finish(mesh_split *split, sn_mesh *mesh, uint32_t joint_count, w3d_range *range)
{
    w3d_builder *b = split->b;
    uint64_t offset = w3d_offset(b->doc, split->shape->mesh->chunk);
    if (!sni_finish_mesh(b->load, mesh, joint_count, offset)) return false;
    range->count++;
    if (mesh->vertex_count > 0 && mesh->index_count > 0) return true;
    sni_warn(&b->load->diag, SNI_WARN_MESH_EMPTY, offset, "no triangle is usable");
    range->count--, b->meshes.count--, b->mesh_materials.count--;
    return true;
}

static bool fill_groups(mesh_split *split, const char *name, const char *extras, uint32_t joint_count, w3d_range *range)
{
    sni_load *load = split->b->load;
    const w3d_shape *shape = split->shape;
    uint64_t offset = w3d_offset(split->b->doc, shape->mesh->chunk);
    uint32_t *sorted, *starts;
    vertex_map map = { .place = sni_new_raw(&load->scratch, uint32_t, shape->vertex_count),
                       .owner = sni_new(&load->scratch, uint32_t, shape->vertex_count),
                       .order = sni_new_raw(&load->scratch, uint32_t, shape->vertex_count) };
    if (!map.place || !map.owner || !map.order || !sort_triangles(split, &sorted, &starts)) return false;
    for (uint32_t g = 0; g < split->firsts.count; g++) {
        sn_mesh *mesh = add_mesh(split, ((const uint32_t *)split->firsts.items)[g], name, extras);
        if (!mesh || !fill_group(split, mesh, g, sorted + starts[g], starts[g + 1] - starts[g], &map)) return false;
        if (!finish(split, mesh, joint_count, range)) return false;
    }
    sni_warn_many(&load->diag, SNI_WARN_INDEX_RANGE, map.bad, offset, "%llu triangles name vertices that are not there",
                  (unsigned long long)map.bad);
    return true;
}

bool w3d_split_shape(w3d_builder *b, const w3d_shape *shape, uint32_t joint_count, w3d_range *range)
{
    mesh_split split = { .b = b, .shape = shape };
    const char *name = w3d_clean(b, shape->mesh->name), *extras = mesh_extras(b, shape);
    range->first = b->meshes.count;
    range->count = 0;
    if (!has_one_look(shape)) return find_groups(&split) && fill_groups(&split, name, extras, joint_count, range);
    sn_mesh *mesh = add_mesh(&split, 0, name, extras);
    return mesh && fill_whole(&split, mesh) && finish(&split, mesh, joint_count, range);
}
