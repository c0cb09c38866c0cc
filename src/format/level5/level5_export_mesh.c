// Parts to meshes: those of one node that can be drawn together share an MDT. Corners index positions, normals, texture
// coordinates and colours separately. The games limit bones and vertices of a mesh, so large ones are divided.
#include <math.h>
#include <string.h>

#include "base/color.h"
#include "base/math.h"
#include "format/level5/level5_export.h"
#include "format/level5/level5_parse.h"

enum { MOST_BONES = 32, MOST_VERTICES = 3000, OPEN_CHUNKS = 16 };

// --- Groups ---

// Parts of one node with one skin and the same codes. A part that is hidden by itself is alone.
typedef struct group {
    int32_t node, skin, alone;  // alone: the part; -1: any
    level5_code_text codes;
    bool is_hidden;  // in every clip
    int32_t first;   // part; the next ones are in next_part
    int32_t last;
} group;

// A mesh that nodes share, with the parts of the first one.
typedef struct shared_mesh {
    int32_t first;  // part
    int32_t mesh;   // into meshes
} shared_mesh;

// Where a vertex of the part at hand is in the sections of a mesh.
typedef struct vertex_slot {
    uint32_t stamp, indices[4];  // position, normal, texture coordinate, colour; valid if the stamp is
} vertex_slot;

typedef struct vertex_slots {
    vertex_slot *items;  // for the largest mesh
    uint32_t stamp;      // of the part at hand
} vertex_slots;

typedef struct grouping {
    level5_exporter *x;
    vertex_slots slots;
    sni_list groups;
    sni_map map;
    int32_t *next_part;
    sni_list shared;  // shared_mesh
    sni_map shared_map;
} grouping;

static bool is_skinned(const level5_exporter *x, const sn_part *part)
{
    return part->skin >= 0 && x->model->meshes[part->mesh].influence_count > 0;
}

static bool add_to_group(grouping *g, int32_t index)
{
    level5_exporter *x = g->x;
    const sn_part *part = &x->model->parts[index];
    const bool vanishes = level5_has_track(x, SN_TARGET_PART, index, 0, SN_CHANNEL_VISIBILITY);
    group wanted = { .node = part->node,
                     .skin = is_skinned(x, part) ? part->skin : -1,
                     .alone = vanishes || part->is_hidden ? index : -1,
                     .is_hidden = part->is_hidden && !vanishes,
                     .first = index,
                     .last = index };
    const sni_str name = level5_out_node_at(x, x->targets[part->node].node)->name;
    memset(wanted.codes.text, 0, sizeof wanted.codes.text);
    if (x->is_native && level5_codes_suffice(x, part, name)) wanted.codes.text[0] = '=';  // as the node has them
    else level5_material_codes(x, part, &wanted.codes);
    const int32_t keys[3] = { wanted.node, wanted.skin, wanted.alone };
    const uint32_t hash = sni_hash_more(sni_hash(keys, sizeof keys), wanted.codes.text, sizeof wanted.codes.text);
    g->next_part[index] = -1;
    for (sni_map_cursor at = sni_map_find(&g->map, hash); sni_map_next(&g->map, &at);) {
        group *known = &level5_items(group, g->groups)[at.item];
        if (known->node != wanted.node || known->skin != wanted.skin || known->alone != wanted.alone ||
            memcmp(&known->codes, &wanted.codes, sizeof known->codes) != 0)
            continue;
        g->next_part[known->last] = index;
        known->last = index;
        return true;
    }
    if (!sni_map_add(&g->map, x->arena, hash, g->groups.count)) return false;
    group *added = sni_push(x->arena, &g->groups, group);
    if (added) *added = wanted;
    return added != NULL;
}

// --- Chunks: the triangles of a group that become one mesh ---

typedef struct triangle {
    int32_t part;
    uint32_t first;  // corner
    uint32_t chunk;
} triangle;

typedef struct chunk_bones {
    uint32_t count;
    int32_t bones[MOST_BONES];
} chunk_bones;

typedef struct chunking {
    level5_exporter *x;
    triangle *triangles;
    uint32_t triangle_count, chunk_count;
} chunking;

static bool has_bone(const chunk_bones *set, int32_t bone)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (set->bones[i] == bone) return true;
    return false;
}

// DC2: a mesh has 32 bones. First fit, among the chunks opened last.
static bool divide_by_bones(chunking *c, const int32_t *bones)
{
    level5_exporter *x = c->x;
    sni_list sets = { 0 };  // chunk_bones
    for (uint32_t i = 0; i < c->triangle_count; i++) {
        triangle *t = &c->triangles[i];
        const sn_mesh *mesh = &x->model->meshes[x->model->parts[t->part].mesh];
        int32_t used[3 * 4];
        uint32_t used_count = 0;
        for (uint32_t k = 0; k < 3; k++)
            for (uint32_t n = 0; n < mesh->influence_count && n < 4; n++) {
                const size_t at = (size_t)mesh->indices[t->first + k] * mesh->influence_count + n;
                if (mesh->vertex_weights[at] != 0.0f) used[used_count++] = bones[mesh->vertex_joints[at]];
            }
        uint32_t place = sets.count;
        for (uint32_t s = sets.count; s-- > 0 && sets.count - s <= OPEN_CHUNKS;) {
            const chunk_bones *set = &level5_items(chunk_bones, sets)[s];
            uint32_t more = 0;
            for (uint32_t n = 0; n < used_count; n++) more += !has_bone(set, used[n]);
            if (set->count + more <= MOST_BONES) place = s;
        }
        chunk_bones *set = place < sets.count ? &level5_items(chunk_bones, sets)[place]
                                              : sni_push(x->arena, &sets, chunk_bones);
        if (!set) return false;
        for (uint32_t n = 0; n < used_count; n++)
            if (!has_bone(set, used[n])) set->bones[set->count++] = used[n];
        t->chunk = place;
    }
    c->chunk_count = sets.count;
    return true;
}

// DC1: a mesh has 3000 vertices.
static bool divide_by_vertices(chunking *c)
{
    level5_exporter *x = c->x;
    uint32_t *stamps = NULL, count = 0, chunk = 0;
    int32_t part = -1;
    for (uint32_t i = 0; i < c->triangle_count; i++) {
        triangle *t = &c->triangles[i];
        const sn_mesh *mesh = &x->model->meshes[x->model->parts[t->part].mesh];
        if (t->part != part && !(stamps = sni_new(x->arena, uint32_t, mesh->vertex_count))) return false;
        part = t->part;
        uint32_t more = 0;
        for (uint32_t k = 0; k < 3; k++) more += stamps[mesh->indices[t->first + k]] != chunk + 1;
        if (count + more > MOST_VERTICES) chunk++, count = 0, more = 3;
        for (uint32_t k = 0; k < 3; k++) stamps[mesh->indices[t->first + k]] = chunk + 1;
        count += more;
        t->chunk = chunk;
    }
    c->chunk_count = chunk + 1;
    return true;
}

// What moves with the same bones and morphs in the same way.
static bool moves_alike(const level5_exporter *x, level5_out_vertex a, level5_out_vertex b)
{
    const sn_mesh *one = &x->model->meshes[x->model->parts[a.part].mesh],
                  *two = &x->model->meshes[x->model->parts[b.part].mesh];
    if (one->influence_count != two->influence_count || one->morph_count != two->morph_count) return false;
    const size_t width = is_skinned(x, &x->model->parts[a.part]) ? one->influence_count : 0;
    const size_t i = a.vertex * width, k = b.vertex * width;
    if (width > 0 && (memcmp(one->vertex_joints + i, two->vertex_joints + k, width * sizeof *one->vertex_joints) != 0 ||
                      memcmp(one->vertex_weights + i, two->vertex_weights + k, width * sizeof *one->vertex_weights)))
        return false;
    for (uint32_t m = 0; m < one->morph_count; m++) {
        const sn_vec3 *from = one->morphs[m].positions, *to = two->morphs[m].positions;
        const sn_vec3 none = { 0, 0, 0 };
        const sn_vec3 p = from ? from[a.vertex] : none, q = to ? to[b.vertex] : none;
        if (p.x != q.x || p.y != q.y || p.z != q.z) return false;
    }
    return true;
}

// Two corners that are always at the same place: nothing to see.
static bool is_flat(const level5_exporter *x, int32_t part, const sn_mesh *mesh, const uint32_t *corners)
{
    for (int i = 0; i < 3; i++) {
        const uint32_t a = corners[i], b = corners[(i + 1) % 3];
        if (memcmp(&mesh->positions[a], &mesh->positions[b], sizeof *mesh->positions) != 0) continue;
        if (moves_alike(x, (level5_out_vertex){ part, a }, (level5_out_vertex){ part, b })) return true;
    }
    return false;
}

static bool list_triangles(chunking *c, const grouping *g, const group *from)
{
    level5_exporter *x = c->x;
    uint64_t total = 0;
    for (int32_t part = from->first; part >= 0; part = g->next_part[part])
        total += x->model->meshes[x->model->parts[part].mesh].index_count / 3;
    if (total > UINT32_MAX / 3) return sni_fail(&x->save->diag, SN_ERR_UNSUPPORTED, 0, "too many triangles");
    c->triangles = sni_new_raw(x->arena, triangle, total);
    if (!c->triangles) return false;
    for (int32_t part = from->first; part >= 0; part = g->next_part[part]) {
        const sn_mesh *mesh = &x->model->meshes[x->model->parts[part].mesh];
        for (uint32_t i = 0; i + 2 < mesh->index_count; i += 3)
            if (!is_flat(x, part, mesh, mesh->indices + i))
                c->triangles[c->triangle_count++] = (triangle){ part, i, 0 };
    }
    c->chunk_count = 1;
    return true;
}

// Group by group in the order of the chunks, without changing the order inside of one (counting sort).
static bool sort_triangles(chunking *c, uint32_t **starts)
{
    uint32_t *ends = sni_new(c->x->arena, uint32_t, (uint64_t)c->chunk_count + 2);
    triangle *sorted = sni_new_raw(c->x->arena, triangle, c->triangle_count);
    if (!ends || !sorted) return false;
    for (uint32_t i = 0; i < c->triangle_count; i++) ends[c->triangles[i].chunk + 2]++;
    for (uint32_t i = 2; i <= c->chunk_count + 1; i++) ends[i] += ends[i - 1];
    for (uint32_t i = 0; i < c->triangle_count; i++) sorted[ends[c->triangles[i].chunk + 1]++] = c->triangles[i];
    c->triangles = sorted;
    *starts = ends;
    return true;
}

// --- Sections of an MDT ---

// Vectors of a section; equal ones are stored once.
typedef struct section {
    sni_list vectors;  // sn_vec4
    sni_map map;
} section;

typedef struct mesh_writer {
    level5_exporter *x;
    vertex_slots *slots;
    section positions, normals, uvs, colors;
    sni_list sources;  // level5_out_vertex, per position
    sni_list corners;  // uint32_t: of all primitives
    bool has_colors;   // DC1: every corner has one then
    bool has_uvs;      // of the part at hand
    const sn_part *part;
    int32_t part_index;
    const sn_mesh *mesh;
    bool failed;
} mesh_writer;

static uint32_t add_vector(mesh_writer *w, section *s, sn_vec4 v, const level5_out_vertex *source)
{
    enum { MOST_COMPARED = 64 };
    const uint32_t hash = sni_hash(&v, sizeof v);
    uint32_t compared = 0;
    if (w->failed) return 0;
    for (sni_map_cursor at = sni_map_find(&s->map, hash); compared++ < MOST_COMPARED && sni_map_next(&s->map, &at);) {
        if (memcmp(&level5_items(sn_vec4, s->vectors)[at.item], &v, sizeof v) != 0) continue;
        if (!source || moves_alike(w->x, level5_items(level5_out_vertex, w->sources)[at.item], *source)) return at.item;
    }
    const uint32_t index = s->vectors.count;
    level5_out_vertex *slot = source ? sni_push(w->x->arena, &w->sources, level5_out_vertex) : NULL;
    sn_vec4 *vector = source && !slot ? NULL : sni_push(w->x->arena, &s->vectors, sn_vec4);
    if (!vector || !sni_map_add(&s->map, w->x->arena, hash, index)) {
        w->failed = true;
        return 0;
    }
    *vector = v;
    if (slot) *slot = *source;
    return index;
}

static sn_vec4 vec4_of(sn_vec3 v, float w) { return (sn_vec4){ v.x, v.y, v.z, w }; }

// The shape at rest.
static sn_vec3 place_at_rest(const sn_part *part, const sn_mesh *mesh, uint32_t vertex)
{
    sn_vec3 at = mesh->positions[vertex];
    for (uint32_t i = 0; part->morph_weights && i < mesh->morph_count; i++)
        if (mesh->morphs[i].positions && part->morph_weights[i] != 0.0f)
            at = sni_add(at, sni_scale(mesh->morphs[i].positions[vertex], part->morph_weights[i]));
    return at;
}

static bool add_corner(mesh_writer *w, uint32_t vertex)
{
    const sn_mesh *mesh = w->mesh;
    vertex_slot *slot = &w->slots->items[vertex];
    uint32_t *known = slot->indices, words[4], count = 0;
    if (slot->stamp != w->slots->stamp) {
        slot->stamp = w->slots->stamp;
        const level5_out_vertex source = { w->part_index, vertex };
        const int32_t set = level5_uv_set(w->x, w->part);
        sn_vec2 uv = { 0, 0 };
        sn_vec4 color = { 1, 1, 1, 1 };
        if (w->has_uvs) uv = level5_place_uv(w->x, w->part, mesh->uvs[set][vertex]);
        if (mesh->color_count > 0 && mesh->colors[0]) {
            const sn_vec4 c = mesh->colors[0][vertex];
            color = (sn_vec4){ (float)sni_srgb_of(c.x), (float)sni_srgb_of(c.y), (float)sni_srgb_of(c.z), c.w };
        }
        const sn_vec3 up = { 0, 1, 0 };
        known[0] = add_vector(w, &w->positions, vec4_of(place_at_rest(w->part, mesh, vertex), 1), &source);
        known[1] = add_vector(w, &w->normals, vec4_of(mesh->normals ? mesh->normals[vertex] : up, 1), NULL);
        known[2] = add_vector(w, &w->uvs, (sn_vec4){ uv.x, uv.y, 1, 0 }, NULL);
        if (w->has_colors) known[3] = add_vector(w, &w->colors, color, NULL);
    }
    words[count++] = known[0];
    words[count++] = known[1];
    if (w->has_uvs || w->x->game == LEVEL5_DC1) words[count++] = known[2];
    if (w->has_colors) words[count++] = known[3];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t *word = sni_push(w->x->arena, &w->corners, uint32_t);
        if (!word) return false;
        *word = words[i];
    }
    return true;
}

static bool store_section(level5_exporter *x, const section *from, level5_array *out)
{
    const sn_vec4 *vectors = from->vectors.items;
    uint8_t *data = sni_new_raw(x->arena, uint8_t, (uint64_t)from->vectors.count * LEVEL5_VECTOR_BYTES);
    if (!data) return false;
    for (uint32_t i = 0; i < from->vectors.count; i++)
        level5_store_vector(data + (size_t)i * LEVEL5_VECTOR_BYTES, vectors[i].x, vectors[i].y, vectors[i].z,
                            vectors[i].w);
    *out = (level5_array){ data, from->vectors.count };
    return true;
}

static bool has_colors(const level5_exporter *x, int32_t part)
{
    const sn_mesh *mesh = &x->model->meshes[x->model->parts[part].mesh];
    return mesh->color_count > 0 && mesh->colors[0];
}

static void begin_part(mesh_writer *w, int32_t index)
{
    const sn_part *part = &w->x->model->parts[index];
    w->part = part;
    w->part_index = index;
    w->mesh = &w->x->model->meshes[part->mesh];
    const int32_t set = level5_uv_set(w->x, part);
    w->has_uvs = set >= 0 && (uint32_t)set < w->mesh->uv_count && w->mesh->uvs[set];
    if (w->x->game == LEVEL5_DC2) w->has_colors = has_colors(w->x, index);
    if (w->has_uvs) level5_check_wraps(w->x, part, w->mesh->uvs[set], w->mesh->vertex_count);
}

// The corners of one part; a primitive and a material for each.
static bool write_part(mesh_writer *w, const triangle *triangles, uint32_t count, level5_primitive *out)
{
    begin_part(w, triangles[0].part);
    w->corners = (sni_list){ 0 };
    w->slots->stamp++;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < 3; k++)
            if (!add_corner(w, w->mesh->indices[triangles[i].first + k])) return false;
    if (w->failed || !sni_save_ok(w->x->save)) return false;
    uint8_t *words = sni_new_raw(w->x->arena, uint8_t, 4 * (uint64_t)w->corners.count);
    if (!words) return false;
    for (uint32_t i = 0; i < w->corners.count; i++)
        sni_store_u32(words + 4 * (size_t)i, level5_items(uint32_t, w->corners)[i]);
    const bool is_second = w->x->game == LEVEL5_DC2;
    *out = (level5_primitive){ .flags = 3u | (is_second && !w->has_uvs ? LEVEL5_UNTEXTURED : 0u) |
                                        (is_second && w->has_colors ? LEVEL5_COLORED : 0u),
                               .corner_count = 3 * count,
                               .corners = { words, 3 * count } };
    return true;
}

static bool write_mesh(level5_exporter *x, vertex_slots *slots, const triangle *triangles, uint32_t count,
                       level5_out_mesh *out)
{
    mesh_writer w = { .x = x, .slots = slots };
    uint32_t parts = 0, done = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || triangles[i].part != triangles[i - 1].part) parts++;
        if (x->game == LEVEL5_DC1) w.has_colors |= has_colors(x, triangles[i].part);
    }
    level5_mesh *mesh = &out->mesh;
    mesh->face_format = x->game == LEVEL5_DC1 ? LEVEL5_FACES_DC1 : LEVEL5_FACES_DC2;
    mesh->primitives = sni_new(x->arena, level5_primitive, parts);
    out->parts = sni_new(x->arena, int32_t, parts);
    uint8_t *materials = sni_new(x->arena, uint8_t, (uint64_t)parts * LEVEL5_MATERIAL_BYTES);
    if (!mesh->primitives || !out->parts || !materials) return false;
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t end = done;
        while (end < count && triangles[end].part == triangles[done].part) end++;
        const sn_part *part = &x->model->parts[triangles[done].part];
        if (!write_part(&w, triangles + done, end - done, &mesh->primitives[i]) ||
            !level5_export_material(x, part, materials + (size_t)i * LEVEL5_MATERIAL_BYTES))
            return false;
        mesh->primitives[i].material = (int32_t)i;
        out->parts[i] = triangles[done].part;
        done = end;
    }
    mesh->primitive_count = parts;
    mesh->materials = (level5_array){ materials, parts };
    out->sources = w.sources.items;
    return store_section(x, &w.positions, &mesh->positions) && store_section(x, &w.normals, &mesh->normals) &&
           store_section(x, &w.uvs, &mesh->uvs) && store_section(x, &w.colors, &mesh->colors);
}

// --- Nodes of meshes ---

static bool is_same_matrix(const sn_mat34 *a, const sn_mat34 *b)
{
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 4; c++)
            if (!(fabs((double)a->m[r][c] - b->m[r][c]) <= 1e-6 * (1.0 + fabs((double)b->m[r][c])))) return false;
    return true;
}

// Whether the node of the parts can hold the mesh itself: it has none, shows what it should, and is where the skin
// expects it.
static bool can_hold(const level5_exporter *x, const group *g, const level5_out_node *node)
{
    if (node->mesh >= 0 || g->alone >= 0 || sni_str_starts(node->name, "func_")) return false;
    const bool has_codes = level5_text_before(node->name, "__").size < node->name.size;
    if (x->is_native && has_codes && g->codes.text[0] != '=') return false;
    if (g->skin < 0) return true;
    const sn_mat34 *to_bind = &x->skins[g->skin].to_bind;
    if (x->game == LEVEL5_DC2) return !node->has_bind || is_same_matrix(&node->bind, to_bind);
    return node->parent == 0 && !node->is_moved && is_same_matrix(&node->local, to_bind);
}

static bool is_switched(const level5_exporter *x, int32_t node)
{
    return level5_has_track(x, SN_TARGET_NODE, node, 0, SN_CHANNEL_VISIBILITY);
}

// Of a chain of many nodes few have a say in what is shown.
static bool list_switches(level5_exporter *x)
{
    const sn_model *model = x->model;
    x->switches = sni_new_raw(x->arena, int32_t, model->node_count);
    for (uint32_t i = 0; x->switches && i < model->node_count; i++) {
        const bool is_one = model->nodes[i].flags & SN_NODE_HIDDEN || is_switched(x, (int32_t)i);
        const int32_t parent = model->nodes[i].parent;
        x->switches[i] = is_one ? (int32_t)i : parent >= 0 ? x->switches[parent] : -1;
    }
    return x->switches != NULL;
}

int32_t level5_switch_above(const level5_exporter *x, int32_t node)
{
    const int32_t parent = x->model->nodes[node].parent;
    return parent >= 0 ? x->switches[parent] : -1;
}

static bool is_hidden_above(const level5_exporter *x, int32_t node)
{
    for (int32_t at = x->switches[node]; at >= 0; at = level5_switch_above(x, at))
        if (x->model->nodes[at].flags & SN_NODE_HIDDEN && !is_switched(x, at)) return true;
    return false;
}

static int32_t node_for(level5_exporter *x, const group *g)
{
    const bool is_first = x->game == LEVEL5_DC1 && g->skin >= 0;
    const int32_t own = x->targets[g->node].node;
    const sn_mat34 *to_bind = g->skin >= 0 ? &x->skins[g->skin].to_bind : &sni_mat34_identity;
    const char *codes = g->codes.text[0] == '=' ? "" : g->codes.text;
    int32_t node = own;
    if (can_hold(x, g, level5_out_node_at(x, own))) {
        if (!level5_add_codes(x, own, codes)) return -1;
    } else {
        const sni_str all = level5_out_node_at(x, own)->name, plain = level5_text_before(all, "__");
        node = level5_add_node(x, "mesh", "", is_first ? 0 : own, is_first ? to_bind : &sni_mat34_identity);
        if (node < 0) return -1;
        level5_out_node *added = level5_out_node_at(x, node);
        added->name = sni_str_starts(plain, "func_") ? sni_str_make(plain.at + 5, plain.size - 5)
                      : g->codes.text[0] == '='      ? all
                                                     : plain;
        if (added->name.size == 0) added->name = sni_str_make("mesh", 4);
        const bool hides = g->is_hidden || (is_first && is_hidden_above(x, g->node));
        if (!level5_add_codes(x, node, codes) || (hides && !level5_add_codes(x, node, "v"))) return -1;
        level5_vanishing *vanishing = sni_push(x->arena, &x->vanishing, level5_vanishing);
        if (!vanishing) return -1;
        *vanishing = (level5_vanishing){ node, g->alone, is_first ? g->node : -1 };
    }
    if (g->skin >= 0 && x->game == LEVEL5_DC2) {
        level5_out_node *holder = level5_out_node_at(x, node);
        holder->bind = *to_bind;
        holder->has_bind = true;
    }
    return node;
}

// --- Sharing: nodes with the same meshes in the same colours ---

static uint32_t hash_part(const level5_exporter *x, int32_t index, uint32_t hash)
{
    const sn_part *part = &x->model->parts[index];
    const int32_t what[2] = { part->mesh, part->material };
    return sni_hash_more(sni_hash_more(hash, what, sizeof what), &part->color, sizeof part->color);
}

static bool is_same_part(const level5_exporter *x, int32_t a, int32_t b)
{
    const sn_part *one = &x->model->parts[a], *two = &x->model->parts[b];
    return one->mesh == two->mesh && one->material == two->material &&
           memcmp(&one->color, &two->color, sizeof one->color) == 0;
}

// An earlier mesh with the same parts; -1: none. Morphs rest in any shape, so such meshes are not shared.
static int32_t find_shared(const grouping *g, const group *from, uint32_t *hash)
{
    level5_exporter *x = g->x;
    *hash = 0;
    for (int32_t at = from->first; at >= 0; at = g->next_part[at]) *hash = hash_part(x, at, *hash);
    if (from->skin >= 0 || x->model->meshes[x->model->parts[from->first].mesh].morph_count > 0) return -1;
    for (sni_map_cursor at = sni_map_find(&g->shared_map, *hash); sni_map_next(&g->shared_map, &at);) {
        const shared_mesh *known = &level5_items(shared_mesh, g->shared)[at.item];
        int32_t a = from->first, b = known->first;
        while (a >= 0 && b >= 0 && is_same_part(x, a, b)) a = g->next_part[a], b = g->next_part[b];
        if (a < 0 && b < 0) return known->mesh;
    }
    return -1;
}

static bool share_mesh(const grouping *g, const group *from, int32_t index)
{
    level5_exporter *x = g->x;
    const int32_t node = node_for(x, from);
    level5_out_mesh mesh = level5_items(level5_out_mesh, x->meshes)[index];
    mesh.node = node;
    mesh.shared = index;
    mesh.parts = sni_new_raw(x->arena, int32_t, mesh.mesh.materials.count);
    level5_out_mesh *added = node >= 0 && mesh.parts ? sni_push(x->arena, &x->meshes, level5_out_mesh) : NULL;
    if (!added) return false;
    int32_t part = from->first;
    for (uint32_t i = 0; i < mesh.mesh.materials.count && part >= 0; i++) {
        mesh.parts[i] = part;
        part = g->next_part[part];
    }
    *added = mesh;
    level5_out_node_at(x, node)->mesh = (int32_t)x->meshes.count - 1;
    return true;
}

// Only a mesh with all its parts, none of them without triangles, can be shared.
static bool remember_mesh(grouping *g, const group *from, uint32_t hash)
{
    level5_exporter *x = g->x;
    const int32_t index = (int32_t)x->meshes.count - 1;
    uint32_t parts = 0;
    for (int32_t at = from->first; at >= 0; at = g->next_part[at]) parts++;
    const level5_out_mesh *mesh = &level5_items(level5_out_mesh, x->meshes)[index];
    if (from->skin >= 0 || mesh->mesh.materials.count != parts) return true;
    if (!sni_map_add(&g->shared_map, x->arena, hash, g->shared.count)) return false;
    shared_mesh *shared = sni_push(x->arena, &g->shared, shared_mesh);
    if (shared) *shared = (shared_mesh){ from->first, index };
    return shared != NULL;
}

static bool export_group(grouping *g, const group *from)
{
    level5_exporter *x = g->x;
    chunking c = { .x = x };
    uint32_t *starts, hash;
    const int32_t shared = find_shared(g, from, &hash);
    if (shared >= 0) return share_mesh(g, from, shared);
    if (!list_triangles(&c, g, from)) return false;
    if (c.triangle_count == 0) return true;
    const bool is_divided = from->skin >= 0 && x->game == LEVEL5_DC2 ? divide_by_bones(&c, x->skins[from->skin].bones)
                                                                     : x->game == LEVEL5_DC2 || divide_by_vertices(&c);
    if (!is_divided || !sort_triangles(&c, &starts)) return false;
    for (uint32_t i = 0; i < c.chunk_count; i++) {
        const int32_t node = node_for(x, from);
        level5_out_mesh mesh = { .node = node, .skin = from->skin, .shared = -1 };
        if (node < 0 || !write_mesh(x, &g->slots, c.triangles + starts[i], starts[i + 1] - starts[i], &mesh))
            return false;
        level5_out_mesh *added = sni_push(x->arena, &x->meshes, level5_out_mesh);
        if (!added) return false;
        *added = mesh;
        level5_out_node_at(x, node)->mesh = (int32_t)x->meshes.count - 1;
    }
    return c.chunk_count > 1 || remember_mesh(g, from, hash);
}

// Parts below the roots of the default scene; without scenes all.
static bool *list_shown(const level5_exporter *x)
{
    const sn_model *model = x->model;
    const sn_scene *scene = model->default_scene >= 0 && model->scene_count > 1 ? &model->scenes[model->default_scene]
                                                                                : NULL;
    bool *is_shown = sni_new(x->arena, bool, model->node_count);
    if (!is_shown) return NULL;
    for (uint32_t i = 0; scene && i < scene->root_count; i++) is_shown[scene->roots[i]] = true;
    for (uint32_t i = 0; i < model->node_count; i++)
        is_shown[i] = !scene || is_shown[i] || (model->nodes[i].parent >= 0 && is_shown[model->nodes[i].parent]);
    return is_shown;
}

bool level5_export_meshes(level5_exporter *x)
{
    const sn_model *model = x->model;
    grouping g = { .x = x, .next_part = sni_new(x->arena, int32_t, model->part_count) };
    const bool *is_shown = list_shown(x);
    uint64_t coarse = 0, elsewhere = 0, lines = 0;
    uint32_t most = 0;
    for (uint32_t i = 0; i < model->mesh_count; i++)
        if (model->meshes[i].vertex_count > most) most = model->meshes[i].vertex_count;
    g.slots.items = sni_new(x->arena, vertex_slot, most);
    if (!g.next_part || !is_shown || !g.slots.items || !list_switches(x)) return false;
    for (uint32_t i = 0; i < model->part_count; i++) {
        const sn_part *part = &model->parts[i];
        const bool has_triangles = model->meshes[part->mesh].topology == SN_TRIANGLES;
        coarse += part->lod > 0;
        elsewhere += part->lod <= 0 && !is_shown[part->node];
        lines += !has_triangles;
        if (part->lod > 0 || !is_shown[part->node] || !has_triangles) continue;
        if (!add_to_group(&g, (int32_t)i)) return false;
    }
    sni_save_lose(x->save, "parts", coarse, "lower levels of detail were left out");
    sni_save_lose(x->save, "parts", elsewhere, "parts of other scenes were left out");
    sni_save_lose(x->save, "parts", lines, "lines and points were left out");
    for (uint32_t i = 0; i < g.groups.count; i++)
        if (!export_group(&g, &level5_items(group, g.groups)[i])) return false;
    return true;
}
