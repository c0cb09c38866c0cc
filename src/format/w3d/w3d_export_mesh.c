// Parts to meshes. Vertices are in the space of the bone they follow; a mesh of more vertices than 16 bits can count is
// split by faces.
#include <float.h>
#include <stdio.h>

#include "base/json.h"
#include "base/math.h"
#include "format/w3d/w3d_export.h"
#include "model/extras.h"

enum { MESH_VERSION = 0x40002, MOST_VERTICES = 65535, DEFAULT_SURFACE = 13, PERCENT = 100 };
enum { HAS_LOCATION = 1, HAS_NORMAL = 2, HAS_BONE = 0x10, HAS_TANGENT = 0x20, HAS_BITANGENT = 0x40, HAS_FACES = 1 };

// Some faces of a part, and the vertices that they use.
typedef struct piece {
    w3d_exporter *x;
    const sn_part *part;
    const w3d_out_part *plan;
    const sn_mesh *mesh;
    const char *name;
    uint32_t *vertices;  // of the mesh
    uint32_t *corners;   // three per face, indices into vertices
    uint32_t vertex_count, face_count;
    sn_vec3 *places;  // for bounds and planes: in the mesh's own space, of skins in the bind pose
} piece;

// The bones of a vertex, the heavier first.
typedef struct bones {
    uint32_t joints[2];
    uint32_t percent[2];
} bones;

static bones bones_of(const sn_mesh *mesh, uint32_t vertex)
{
    bones out = { { 0, 0 }, { PERCENT, 0 } };
    uint32_t found = 0;
    for (uint32_t i = 0; i < mesh->influence_count && found < 2; i++) {
        const float weight = mesh->vertex_weights[(size_t)vertex * mesh->influence_count + i];
        if (!(weight > 0.0f)) continue;
        out.percent[found] = (uint32_t)(weight * PERCENT + 0.5f);
        out.joints[found++] = mesh->vertex_joints[(size_t)vertex * mesh->influence_count + i];
    }
    if (found == 2) out.percent[1] = PERCENT - out.percent[0];
    return out;
}

static const sn_mat34 *to_bone(const piece *p, uint32_t joint) { return &p->x->model->skins[0].inverse_bind[joint]; }

static uint32_t pivot_of_joint(const piece *p, uint32_t joint)
{
    return (uint32_t)p->x->pivot_of[p->x->model->skins[0].joints[joint]];
}

// slot: the first or second bone of each vertex.
static void put_points(const piece *p, w3d_tree *tree, uint32_t id, const sn_vec3 *from, int slot, bool is_point)
{
    w3d_open_chunk(tree, id);
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        const bones b = bones_of(p->mesh, p->vertices[i]);
        const sn_mat34 *m = to_bone(p, b.joints[b.percent[slot] > 0 ? slot : 0]);
        const sn_vec3 v = from[p->vertices[i]];
        const sn_vec3 moved = is_point ? sni_mat34_point(m, v) : sni_unit(sni_mat34_vector(m, v), sni_vec3(0, 0, 1));
        w3d_put_floats(tree, &moved.x, 3);
    }
    w3d_close_chunk(tree);
}

static void put_tangents(const piece *p, w3d_tree *tree, bool is_bitangent)
{
    w3d_open_chunk(tree, is_bitangent ? W3D_BITANGENTS : W3D_TANGENTS);
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        const uint32_t vertex = p->vertices[i];
        const sn_mat34 *m = to_bone(p, bones_of(p->mesh, vertex).joints[0]);
        const sn_vec4 t = p->mesh->tangents[vertex];
        sn_vec3 v = { t.x, t.y, t.z };
        if (is_bitangent) v = sni_scale(sni_cross(p->mesh->normals[vertex], v), t.w);
        v = sni_unit(sni_mat34_vector(m, v), sni_vec3(1, 0, 0));
        w3d_put_floats(tree, &v.x, 3);
    }
    w3d_close_chunk(tree);
}

static void put_triangles(const piece *p, w3d_tree *tree)
{
    w3d_open_chunk(tree, W3D_TRIANGLES);
    for (uint32_t i = 0; i < p->face_count; i++) {
        const uint32_t *corner = p->corners + (size_t)3 * i;
        const sn_vec3 a = p->places[corner[0]], b = p->places[corner[1]], c = p->places[corner[2]];
        const sn_vec3 normal = sni_unit(sni_cross(sni_sub(b, a), sni_sub(c, a)), sni_vec3(0, 0, 1));
        for (int k = 0; k < 3; k++) w3d_put_u32(tree, corner[k]);
        w3d_put_u32(tree, DEFAULT_SURFACE);
        w3d_put_floats(tree, &normal.x, 3);
        w3d_put_f32(tree, sni_dot(normal, a));
    }
    w3d_close_chunk(tree);
}

static void put_influences(const piece *p, w3d_tree *tree)
{
    w3d_open_chunk(tree, W3D_INFLUENCES);
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        const bones b = bones_of(p->mesh, p->vertices[i]);
        const bool has_two = p->x->is_bfme && b.percent[1] > 0;
        w3d_put_u16(tree, (uint16_t)pivot_of_joint(p, b.joints[0]));
        w3d_put_u16(tree, has_two ? (uint16_t)pivot_of_joint(p, b.joints[1]) : 0);
        w3d_put_u16(tree, p->x->is_bfme ? (uint16_t)b.percent[0] : 0);
        w3d_put_u16(tree, has_two ? (uint16_t)b.percent[1] : 0);
    }
    w3d_close_chunk(tree);
}

// The first vertex with the same place and normal stands for all of them.
static bool put_shade_indices(const piece *p, w3d_tree *tree)
{
    sni_map map = { 0 };
    sni_arena scratch;
    sni_arena_init(&scratch, &p->x->save->heap);
    bool is_good = sni_map_reserve(&map, &scratch, p->vertex_count);
    w3d_open_chunk(tree, W3D_SHADE_INDICES);
    for (uint32_t i = 0; is_good && i < p->vertex_count; i++) {
        const uint32_t vertex = p->vertices[i];
        const sn_vec3 *at = &p->mesh->positions[vertex], *normal = &p->mesh->normals[vertex];
        const uint32_t hash = sni_hash_more(sni_hash(at, sizeof *at), normal, sizeof *normal);
        uint32_t first = i;
        for (sni_map_cursor c = sni_map_find(&map, hash); first == i && sni_map_next(&map, &c);) {
            const uint32_t other = p->vertices[c.item];
            if (memcmp(at, &p->mesh->positions[other], sizeof *at) == 0 &&
                memcmp(normal, &p->mesh->normals[other], sizeof *normal) == 0)
                first = c.item;
        }
        if (first == i) is_good = sni_map_add(&map, &scratch, hash, i);
        w3d_put_u32(tree, first);
    }
    w3d_close_chunk(tree);
    sni_arena_free(&scratch);
    return is_good;
}

// The mesh's header and everything that it says of the mesh

uint32_t w3d_stored_collision(w3d_exporter *x, const char *extras)
{
    sni_json json;
    sni_diag diag;
    uint32_t bits = 0;
    if (!sni_extras_open_array(x->arena, extras, "collision", &json, &diag)) return 0;
    while (sni_json_next_item(&json)) {
        const int32_t kind = sni_json_word(&json, w3d_collision_names, W3D_COLLISION_KINDS);
        if (kind >= 0) bits |= 0x10u << kind;
        else sni_json_skip(&json);
    }
    return bits;
}

static uint32_t attributes_of(const piece *p)
{
    const char *extras = p->mesh->extras, *facing;
    uint32_t attributes = p->plan->geometry_type | w3d_stored_collision(p->x, extras);
    bool casts_shadow = false;
    const bool is_w3d = sni_extras_find_text(p->x->arena, extras, "container", &facing);
    sni_extras_find_flag(p->x->arena, extras, "castsShadow", &casts_shadow);
    if (casts_shadow || !is_w3d) attributes |= W3D_CASTS_SHADOW;
    if (p->plan->geometry_type == W3D_GEOMETRY_CAMERA_ALIGNED &&
        sni_extras_find_text(p->x->arena, extras, "facing", &facing) && strcmp(facing, "camera position") == 0)
        attributes = (attributes & ~(uint32_t)W3D_GEOMETRY_MASK) | W3D_GEOMETRY_CAMERA_ORIENTED;
    const bool is_switched = w3d_is_switched_by_game(sni_str_make(p->mesh->name, strlen(p->mesh->name)));
    if (p->plan->is_hidden && !is_switched) attributes |= W3D_HIDDEN;
    if (w3d_part_is_two_sided(p->x, p->part)) attributes |= W3D_TWO_SIDED;
    return attributes;
}

static void put_bounds(const piece *p, w3d_tree *tree)
{
    sn_vec3 min = { FLT_MAX, FLT_MAX, FLT_MAX }, max = { -FLT_MAX, -FLT_MAX, -FLT_MAX };
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        const sn_vec3 v = p->places[i];
        min = sni_vec3(fminf(min.x, v.x), fminf(min.y, v.y), fminf(min.z, v.z));
        max = sni_vec3(fmaxf(max.x, v.x), fmaxf(max.y, v.y), fmaxf(max.z, v.z));
    }
    const sn_vec3 center = sni_vec3_lerp(min, max, 0.5f);
    double radius = 0.0;
    for (uint32_t i = 0; i < p->vertex_count; i++) radius = fmax(radius, sni_length(sni_sub(p->places[i], center)));
    w3d_put_floats(tree, &min.x, 3);
    w3d_put_floats(tree, &max.x, 3);
    w3d_put_floats(tree, &center.x, 3);
    w3d_put_f32(tree, (float)radius);
}

static bool has_tangents(const piece *p) { return p->x->is_bfme && p->mesh->tangents; }

static void put_header(const piece *p, w3d_tree *tree)
{
    float sort_level = 0.0f;
    sni_extras_find_float(p->x->arena, p->mesh->extras, "sortLevel", &sort_level);
    const bool is_level = sort_level >= 0.0f && sort_level <= 32.0f;
    w3d_open_chunk(tree, W3D_MESH_HEADER3);
    w3d_put_u32(tree, MESH_VERSION);
    w3d_put_u32(tree, attributes_of(p));
    w3d_put_name(tree, p->name, W3D_NAME_BYTES);
    w3d_put_name(tree, p->x->container, W3D_NAME_BYTES);
    w3d_put_u32(tree, p->face_count);
    w3d_put_u32(tree, p->vertex_count);
    w3d_put_u32(tree, 1);  // materials
    w3d_put_u32(tree, 0);  // damage stages
    w3d_put_u32(tree, is_level ? (uint32_t)sort_level : 0);
    w3d_put_u32(tree, 0);  // prelit version
    w3d_put_u32(tree, 0);
    w3d_put_u32(tree, HAS_LOCATION | HAS_NORMAL | (p->plan->is_skin ? HAS_BONE : 0) |
                          (has_tangents(p) ? HAS_TANGENT | HAS_BITANGENT : 0));
    w3d_put_u32(tree, HAS_FACES);
    put_bounds(p, tree);
    w3d_close_chunk(tree);
}

static void find_places(piece *p)
{
    for (uint32_t i = 0; i < p->vertex_count; i++) {
        const uint32_t vertex = p->vertices[i];
        const sn_vec3 at = p->mesh->positions[vertex];
        p->places[i] = p->plan->is_skin ? at : sni_mat34_point(to_bone(p, bones_of(p->mesh, vertex).joints[0]), at);
    }
}

static bool put_mesh(piece *p, w3d_tree *tree)
{
    const sn_mesh *mesh = p->mesh;
    const bool has_two = p->x->is_bfme && p->plan->is_skin;
    const char *text;
    find_places(p);
    w3d_open_chunk(tree, W3D_MESH);
    put_header(p, tree);
    if (sni_extras_find_text(p->x->arena, mesh->extras, "userText", &text))
        w3d_put_text_chunk(tree, W3D_USER_TEXT, text);
    put_points(p, tree, W3D_VERTICES, mesh->positions, 0, true);
    if (has_two) put_points(p, tree, W3D_VERTICES2, mesh->positions, 1, true);
    put_points(p, tree, W3D_NORMALS, mesh->normals, 0, false);
    if (has_two) put_points(p, tree, W3D_NORMALS2, mesh->normals, 1, false);
    for (int i = 0; has_tangents(p) && i < 2; i++) put_tangents(p, tree, i > 0);
    put_triangles(p, tree);
    if (p->plan->is_skin) put_influences(p, tree);
    const bool is_put = put_shade_indices(p, tree) &&
                        w3d_export_material(p->x, tree, p->part, mesh, p->vertices, p->vertex_count);
    w3d_close_chunk(tree);
    return is_put;
}

static bool end_piece(piece *p, w3d_tree *tree, uint32_t index)
{
    w3d_exporter *x = p->x;
    const int32_t lod = x->model->lod_count > 1 ? p->part->lod : -1;
    char fallback[16];
    snprintf(fallback, sizeof fallback, "MESH%u", index);
    p->name = w3d_unique_name(x, &x->object_names, p->mesh->name, fallback, index);
    if (!p->name || !put_mesh(p, tree)) return false;
    return w3d_add_object(x, &x->objects, w3d_object_name(x, p->name), p->plan->pivot, lod);
}

static bool export_part(w3d_exporter *x, w3d_tree *tree, uint32_t index, sni_arena *scratch)
{
    const sn_part *part = &x->model->parts[index];
    const sn_mesh *mesh = &x->model->meshes[part->mesh];
    const uint32_t most = mesh->vertex_count < MOST_VERTICES ? mesh->vertex_count : MOST_VERTICES;
    const bool is_whole = mesh->vertex_count <= MOST_VERTICES;
    piece p = { .x = x, .part = part, .plan = &x->parts[index], .mesh = mesh };
    uint32_t *place = sni_new_raw(scratch, uint32_t, mesh->vertex_count),
             *owner = sni_new(scratch, uint32_t, mesh->vertex_count);
    p.vertices = sni_new_raw(scratch, uint32_t, most);
    p.places = sni_new_raw(scratch, sn_vec3, most);
    p.corners = sni_new_raw(scratch, uint32_t, mesh->index_count);
    if (!place || !owner || !p.vertices || !p.places || !p.corners) return false;
    for (uint32_t i = 0; is_whole && i < mesh->vertex_count; i++) p.vertices[i] = place[i] = i, owner[i] = 1;
    if (is_whole) p.vertex_count = mesh->vertex_count;
    uint32_t pieces = 1;
    for (uint32_t i = 0; i + 3 <= mesh->index_count; i += 3) {
        if (!is_whole && p.vertex_count > MOST_VERTICES - 3) {
            if (!end_piece(&p, tree, index)) return false;
            p.vertex_count = p.face_count = 0;
            pieces++;
        }
        for (uint32_t k = 0; k < 3; k++) {
            const uint32_t vertex = mesh->indices[i + k];
            if (owner[vertex] != pieces) {
                owner[vertex] = pieces;
                place[vertex] = p.vertex_count;
                p.vertices[p.vertex_count++] = vertex;
            }
            p.corners[3 * p.face_count + k] = place[vertex];
        }
        p.face_count++;
    }
    return end_piece(&p, tree, index);
}

bool w3d_export_meshes(w3d_exporter *x, w3d_tree *tree)
{
    for (uint32_t i = 0; i < x->model->part_count; i++) {
        const sn_mesh *mesh = &x->model->meshes[x->model->parts[i].mesh];
        sni_arena scratch;
        if (mesh->topology != SN_TRIANGLES || mesh->vertex_count == 0 || mesh->index_count == 0) continue;
        sni_arena_init(&scratch, &x->save->heap);
        sni_enter_named(&x->save->diag, "parts", i, mesh->name);
        const bool is_good = export_part(x, tree, i, &scratch);
        sni_leave(&x->save->diag);
        sni_arena_free(&scratch);
        if (!is_good) return false;
    }
    return true;
}
