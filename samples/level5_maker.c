#include "level5_maker.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

void level5_maker_begin(level5_maker *m, bool is_first)
{
    *m = (level5_maker){ .is_first = is_first };
    sni_diag_init(&m->diag, NULL);
    sni_heap_init(&m->heap, NULL, 64 << 20);
    sni_arena_init(&m->arena, &m->heap);
}

void level5_maker_end(level5_maker *m) { sni_arena_free(&m->arena); }

static level5_node *node_at(const level5_maker *m, int32_t index) { return (level5_node *)m->nodes.items + index; }

int32_t level5_maker_node(level5_maker *m, const char *name, int32_t parent, sn_vec3 place)
{
    level5_node *node = sni_push(&m->arena, &m->nodes, level5_node);
    *node = (level5_node){ .name = sni_str_make(name, strlen(name)), .parent = parent, .mesh = -1 };
    for (int i = 0; i < 4; i++) node->matrix[5 * i] = 1.0f;
    node->matrix[12] = place.x, node->matrix[13] = place.y, node->matrix[14] = place.z;
    return (int32_t)m->nodes.count - 1;
}

sn_vec3 level5_maker_world_position(const level5_maker *m, int32_t index)
{
    sn_vec3 sum = { 0, 0, 0 };
    for (; index >= 0; index = node_at(m, index)->parent) {
        const float *matrix = node_at(m, index)->matrix;
        sum = sni_add(sum, sni_vec3(matrix[12], matrix[13], matrix[14]));
    }
    return sum;
}

// Vertices at the same place share a position.
static uint32_t *find_positions(level5_maker *m, const shape *s, sn_vec3 origin, level5_mesh *mesh)
{
    uint32_t *numbers = sni_new(&m->arena, uint32_t, s->vertex_count);
    uint8_t *data = sni_new(&m->arena, uint8_t, (uint64_t)s->vertex_count * LEVEL5_VECTOR_BYTES);
    mesh->positions = (level5_array){ data, 0 };
    for (uint32_t i = 0; i < s->vertex_count; i++) {
        sn_vec3 p = sni_sub(s->positions[i], origin);
        int32_t known = level5_maker_find_position(mesh, p);
        numbers[i] = known < 0 ? mesh->positions.count++ : (uint32_t)known;
        level5_store_vector(data + (size_t)numbers[i] * LEVEL5_VECTOR_BYTES, p.x, p.y, p.z, 1.0f);
    }
    return numbers;
}

int32_t level5_maker_find_position(const level5_mesh *mesh, sn_vec3 place)
{
    for (uint32_t i = 0; i < mesh->positions.count; i++) {
        sn_vec4 p = level5_read_vector(mesh->positions, i);
        if (p.x == place.x && p.y == place.y && p.z == place.z) return (int32_t)i;
    }
    return -1;
}

// The area-weighted normal of the faces around a position.
static void smooth_normals(level5_maker *m, const shape *s, const uint32_t *numbers, level5_mesh *mesh)
{
    sn_vec3 *sums = sni_new(&m->arena, sn_vec3, mesh->positions.count);
    uint8_t *data = sni_new(&m->arena, uint8_t, (uint64_t)mesh->positions.count * LEVEL5_VECTOR_BYTES);
    for (uint32_t t = 0; t < s->triangle_count; t++) {
        const uint32_t *c = s->triangles[t];
        sn_vec3 a = s->positions[c[0]],
                face = sni_cross(sni_sub(s->positions[c[1]], a), sni_sub(s->positions[c[2]], a));
        for (int i = 0; i < 3; i++) sums[numbers[c[i]]] = sni_add(sums[numbers[c[i]]], face);
    }
    for (uint32_t i = 0; i < mesh->positions.count; i++) {
        sn_vec3 n = sni_unit(sums[i], sni_vec3(0, 1, 0));
        level5_store_vector(data + (size_t)i * LEVEL5_VECTOR_BYTES, n.x, n.y, n.z, 1.0f);
    }
    mesh->normals = (level5_array){ data, mesh->positions.count };
}

static void add_uvs(level5_maker *m, const shape *s, level5_mesh *mesh)
{
    uint8_t *data = sni_new(&m->arena, uint8_t, (uint64_t)s->vertex_count * LEVEL5_VECTOR_BYTES);
    for (uint32_t i = 0; i < s->vertex_count; i++)
        level5_store_vector(data + (size_t)i * LEVEL5_VECTOR_BYTES, s->uvs[i][0], s->uvs[i][1], 1.0f, 0.0f);
    mesh->uvs = (level5_array){ data, s->vertex_count };
}

static void add_faces(level5_maker *m, const shape *s, const uint32_t *numbers, level5_mesh *mesh)
{
    uint32_t corners = s->triangle_count * 3;
    uint8_t *data = sni_new(&m->arena, uint8_t, (uint64_t)corners * 12);
    for (uint32_t i = 0; i < corners; i++) {
        uint32_t vertex = s->triangles[i / 3][i % 3];
        sni_store_u32(data + (size_t)12 * i, numbers[vertex]);
        sni_store_u32(data + (size_t)12 * i + 4, numbers[vertex]);
        sni_store_u32(data + (size_t)12 * i + 8, vertex);
    }
    mesh->primitives = sni_new(&m->arena, level5_primitive, 1);
    mesh->primitive_count = 1;
    mesh->primitives[0] = (level5_primitive){ .flags = 3, .corner_count = corners, .corners = { data, corners } };
}

static void add_material(level5_maker *m, const level5_maker_material *material, level5_mesh *mesh)
{
    uint8_t *data = sni_new(&m->arena, uint8_t, LEVEL5_MATERIAL_BYTES);
    level5_store_vector(data, material->diffuse[0], material->diffuse[1], material->diffuse[2], material->diffuse[3]);
    level5_store_vector(data + 16, 0.5f, 0.5f, 0.5f, 1.0f);
    memcpy(data + 52, material->texture, strlen(material->texture));
    mesh->materials = (level5_array){ data, 1 };
}

level5_mesh *level5_maker_mesh(level5_maker *m, int32_t node, const shape *s, const level5_maker_material *material)
{
    level5_mesh *mesh = sni_push(&m->arena, &m->meshes, level5_mesh);
    *mesh = (level5_mesh){ .face_format = m->is_first ? LEVEL5_FACES_DC1 : LEVEL5_FACES_DC2 };
    uint32_t *numbers = find_positions(m, s, level5_maker_world_position(m, node), mesh);
    smooth_normals(m, s, numbers, mesh);
    add_uvs(m, s, mesh);
    add_faces(m, s, numbers, mesh);
    add_material(m, material, mesh);
    node_at(m, node)->mesh = (int32_t)m->meshes.count - 1;
    return mesh;
}

void level5_maker_track(level5_maker *m, sni_list *list, int32_t node, int32_t target, level5_track_type type,
                        const level5_key *keys, uint32_t count)
{
    level5_track *track = sni_push(&m->arena, list, level5_track);
    if (!track || !level5_make_track(&m->arena, node, target, type, keys, count, track)) abort();
}

// One track per bone. Dark Cloud 1 begins with a track for the mesh's parent without weights.
void level5_maker_weights(level5_maker *m, int32_t node, const shape *s)
{
    const level5_mesh *mesh = (const level5_mesh *)m->meshes.items + node_at(m, node)->mesh;
    level5_key *keys = sni_new(&m->arena, level5_key, mesh->positions.count);
    if (m->is_first) level5_maker_track(m, &m->weights, node, node_at(m, node)->parent, LEVEL5_WEIGHTS, NULL, 0);
    for (uint32_t bone = 0; bone < m->nodes.count; bone++) {
        uint32_t count = 0, done = 0;
        for (uint32_t i = 0; i < s->vertex_count; i++) {
            uint32_t position = (uint32_t)level5_maker_find_position(mesh,
                                                                     sni_sub(s->positions[i],
                                                                             level5_maker_world_position(m, node)));
            float percent = 0.0f;
            if (position < done) continue;  // a corner at the same place
            done = position + 1;
            for (int k = 0; k < 2; k++) percent += s->bones[i][k] == bone ? (float)s->percents[i][k] : 0.0f;
            if (percent > 0.0f) keys[count++] = (level5_key){ position, { percent, 0, 0, 0 } };
        }
        if (count > 0) level5_maker_track(m, &m->weights, node, (int32_t)bone, LEVEL5_WEIGHTS, keys, count);
    }
}

// Stored inverted, with w first.
void level5_maker_rotations(level5_maker *m, int32_t node, sn_vec3 axis, const uint32_t *frames,
                            const float *half_tangents, uint32_t count)
{
    level5_key *keys = sni_new(&m->arena, level5_key, count);
    for (uint32_t i = 0; i < count; i++) {
        float cosine = 1.0f / sqrtf(1.0f + half_tangents[i] * half_tangents[i]), sine = half_tangents[i] * cosine;
        keys[i] = (level5_key){ frames[i], { cosine, -sine * axis.x, -sine * axis.y, -sine * axis.z } };
    }
    level5_maker_track(m, &m->moves, node, 0, LEVEL5_ROTATION, keys, count);
}

void level5_maker_vectors(level5_maker *m, int32_t node, level5_track_type type, const uint32_t *frames,
                          const sn_vec3 *values, uint32_t count)
{
    level5_key *keys = sni_new(&m->arena, level5_key, count);
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (level5_key){ frames[i], { values[i].x, values[i].y, values[i].z, 1.0f } };
    level5_maker_track(m, &m->moves, node, 0, type, keys, count);
}

static level5_array copy_bytes(level5_maker *m, const sni_writer *out)
{
    uint8_t *copy = sni_new(&m->arena, uint8_t, out->size);
    if (!copy || out->failed) abort();
    memcpy(copy, out->data, out->size);
    return (level5_array){ copy, (uint32_t)out->size };
}

void level5_maker_picture(level5_maker *m, const char *name, uint16_t side, uint32_t bits,
                          const sni_tim2_color palette[16], level5_maker_paint paint)
{
    uint32_t count = (uint32_t)side * side;
    uint8_t *indices = sni_new(&m->arena, uint8_t, count);
    sni_writer out;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t x = i % side, y = i / side;
        indices[bits == 8 ? level5_swizzled_offset(x, y, side) : i] = paint((int)x, (int)y);
    }
    sni_writer_init(&out, &m->heap);
    sni_tim2_write_indexed(&out, side, side, bits, palette, 16, indices);
    level5_picture *picture = sni_push(&m->arena, &m->pictures, level5_picture);
    *picture = (level5_picture){
        .name = sni_str_make(name, strlen(name)), .is_swizzled = bits == 8, .wrap_u = SN_REPEAT, .wrap_v = SN_CLAMP
    };
    picture->data = copy_bytes(m, &out);
    sni_writer_free(&out);
}

void level5_maker_script(level5_maker *m, const char *text)
{
    level5_picture *picture = sni_push(&m->arena, &m->pictures, level5_picture);
    *picture = (level5_picture){ .name = sni_str_make("#script", 7),
                                 .is_script = true,
                                 .data = { (const uint8_t *)text, (uint32_t)strlen(text) } };
}

static void keep(level5_maker *m, const char *name, level5_doc *doc)
{
    sni_writer out;
    sni_writer_init(&out, &m->heap);
    if (!level5_layout(&m->arena, doc)) abort();
    level5_write(doc, &out);
    level5_maker_file *file = sni_push(&m->arena, &m->files, level5_maker_file);
    *file = (level5_maker_file){ name, copy_bytes(m, &out) };
    sni_writer_free(&out);
}

void level5_maker_add_mds(level5_maker *m, const char *name)
{
    level5_doc doc = { .kind = LEVEL5_KIND_MDS };
    doc.as.mds.nodes = m->nodes.items, doc.as.mds.node_count = m->nodes.count;
    doc.as.mds.meshes = m->meshes.items, doc.as.mds.mesh_count = m->meshes.count;
    keep(m, name, &doc);
}

// Model space in Dark Cloud 2. Parent space in Dark Cloud 1, and zero for nodes that are not bones.
void level5_maker_add_binds(level5_maker *m, const char *name)
{
    level5_doc doc = { .kind = LEVEL5_KIND_BINDS };
    uint8_t *data = sni_new(&m->arena, uint8_t, (uint64_t)m->nodes.count * LEVEL5_MATRIX_BYTES);
    for (uint32_t i = 0; i < m->nodes.count; i++) {
        const level5_node *node = node_at(m, (int32_t)i);
        sn_vec3 place = m->is_first ? sni_vec3(node->matrix[12], node->matrix[13], node->matrix[14])
                                    : level5_maker_world_position(m, (int32_t)i);
        uint8_t *at = data + (size_t)i * LEVEL5_MATRIX_BYTES;
        if (m->is_first && (i == 0 || node->mesh >= 0)) continue;
        level5_store_matrix(at, &(sn_mat34){ { { 1, 0, 0, place.x }, { 0, 1, 0, place.y }, { 0, 0, 1, place.z } } });
    }
    doc.as.binds.matrices = (level5_array){ data, m->nodes.count };
    keep(m, name, &doc);
}

void level5_maker_add_tracks(level5_maker *m, const char *name, sni_list *list, uint32_t padding)
{
    level5_doc doc = { .kind = LEVEL5_KIND_TRACKS };
    doc.as.tracks.tracks = list->items, doc.as.tracks.track_count = list->count;
    keep(m, name, &doc);
    level5_maker_file *file = (level5_maker_file *)m->files.items + m->files.count - 1;
    uint8_t *padded = sni_new(&m->arena, uint8_t, (uint64_t)file->bytes.count + padding);
    memcpy(padded, file->bytes.data, file->bytes.count);
    file->bytes = (level5_array){ padded, file->bytes.count + padding };
    *list = (sni_list){ 0 };
}

void level5_maker_add_pictures(level5_maker *m, const char *name, level5_img_kind kind)
{
    level5_doc doc = { .kind = LEVEL5_KIND_IMG };
    doc.as.img.kind = kind;
    doc.as.img.pictures = m->pictures.items, doc.as.img.picture_count = m->pictures.count;
    keep(m, name, &doc);
    m->pictures = (sni_list){ 0 };
}

void level5_maker_add_text(level5_maker *m, const char *name, const char *text)
{
    level5_maker_file *file = sni_push(&m->arena, &m->files, level5_maker_file);
    *file = (level5_maker_file){ name, { (const uint8_t *)text, (uint32_t)strlen(text) } };
}

// Names have garbage after the NUL; some packs of Dark Cloud 1 end with a size of all ones.
static void spoil_pack(uint8_t *bytes, const level5_pack *pack, bool ends_in_ones)
{
    for (uint32_t i = 0; i < pack->entry_count; i++) {
        uint8_t *name = bytes + pack->entries[i].offset;
        for (size_t k = strlen((const char *)name) + 1; k < 64; k++) name[k] = (uint8_t)(0xA0 + k);
    }
    uint8_t *end = bytes + pack->size - LEVEL5_PACK_ENTRY_BYTES;
    if (!ends_in_ones) return;
    memcpy(end, "end", 4);
    sni_store_u32(end + 64, LEVEL5_PACK_ENTRY_BYTES);
    sni_store_u32(end + 68, UINT32_MAX);
    sni_store_u32(end + 72, UINT32_MAX);
}

void level5_maker_add_pack(level5_maker *m, const char *name, bool ends_in_ones)
{
    const level5_maker_file *files = m->files.items;
    level5_doc doc = { .kind = LEVEL5_KIND_PACK };
    level5_entry *entries = sni_new(&m->arena, level5_entry, m->files.count);
    for (uint32_t i = 0; i < m->files.count; i++)
        entries[i] = (level5_entry){ .name = sni_str_make(files[i].name, strlen(files[i].name)),
                                     .data = files[i].bytes };
    doc.as.pack.entries = entries, doc.as.pack.entry_count = m->files.count;
    m->files = (sni_list){ 0 };
    keep(m, name, &doc);
    spoil_pack((uint8_t *)(uintptr_t)((const level5_maker_file *)m->files.items)->bytes.data, &doc.as.pack,
               ends_in_ones);
}

bool level5_maker_save(level5_maker *m, const char *folder)
{
    const level5_maker_file *files = m->files.items;
    for (uint32_t i = 0; i < m->files.count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, files[i].name);
        if (sni_file_write(path, files[i].bytes.data, files[i].bytes.count, &m->diag)) continue;
        fprintf(stderr, "%s: %s\n", path, m->diag.error.message);
        return false;
    }
    return true;
}
