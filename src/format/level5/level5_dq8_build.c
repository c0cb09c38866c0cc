// Dragon Quest VIII in the terms of Dark Cloud 2, which its engine grew out of: the same tree, the same skinning from
// binds in the model's space, other ways to store numbers. All of it goes by one description by others.
#include "format/level5/level5_parse.h"

#include <stddef.h>

enum {
    CORNERS = 4,
    TRIANGLES = 3,
    STRIP = 4,
    NO_NORMAL = 0x200,
    UNTEXTURED = 0x10,
    COLORED = 0x100,
    TEXTURE_AT = 52,
    TEXTURE_BYTES = 44
};

typedef struct translator {
    sni_load *load;
    const level5_dq8_mds *from;
    level5_mds *to;
} translator;
typedef struct own_skin {
    level5_doc doc;
    level5_tracks weights;
    level5_binds binds;
} own_skin;  // lives as one

static int32_t load_i16(const uint8_t *at) { return (int16_t)sni_load_u16(at); }
static const uint8_t *item(level5_array array, uint32_t index, uint32_t bytes)
{
    return array.data + (size_t)index * bytes;
}

// --- Nodes and materials ---

static sni_str name_at(const level5_dq8_mds *from, uint32_t offset)
{
    if (offset >= from->names.count) return sni_str_make("", 0);
    return level5_cut_at_nul(from->names.data + offset, from->names.count - offset);
}

static bool translate_nodes(translator *t)
{
    t->to->node_count = t->from->nodes.count;
    t->to->nodes = sni_new(&t->load->scratch, level5_node, t->to->node_count);
    if (!t->to->nodes) return false;
    for (uint32_t i = 0; i < t->to->node_count; i++) {
        const uint8_t *at = item(t->from->nodes, i, LEVEL5_DQ8_NODE_BYTES);
        level5_node *node = &t->to->nodes[i];
        int32_t mesh = (int32_t)sni_load_u32(at + 12);
        bool has_mesh = mesh >= 0 && (uint32_t)mesh < t->from->mesh_count;
        *node = (level5_node){ .offset = t->from->header[LEVEL5_DQ8_NODES] + (uint64_t)i * LEVEL5_DQ8_NODE_BYTES,
                               .index = i,
                               .name = name_at(t->from, sni_load_u32(at)),
                               .parent = (int32_t)sni_load_u32(at + 16),
                               .mesh = has_mesh ? mesh : LEVEL5_NONE };
        sni_load_words(at + 32, node->matrix, 16);
        if (mesh >= 0 && !has_mesh)
            sni_warn(&t->load->diag, SNI_WARN_REFERENCE, node->offset, "its mesh is number %d of %u", mesh,
                     t->from->mesh_count);
    }
    return true;
}

// Three colours and a texture's name, which stands elsewhere; all meshes share them. Some materials have no names.
static bool translate_materials(translator *t, level5_array *out)
{
    uint32_t count = t->from->materials.count;
    uint8_t *materials = sni_new(&t->load->scratch, uint8_t, (uint64_t)count * LEVEL5_MATERIAL_BYTES);
    if (!materials) return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *at = item(t->from->materials, i, LEVEL5_MATERIAL_BYTES);
        uint8_t *to = materials + (size_t)i * LEVEL5_MATERIAL_BYTES;
        sni_str name = sni_load_u32(at + 64) == 1 ? sni_str_make("", 0) : name_at(t->from, sni_load_u32(at + 52));
        for (uint32_t k = 0; k < 12; k++) sni_store_u32(to + 4 * (size_t)k, sni_load_u32(at + 4 * (size_t)k));
        for (size_t k = 0; k < name.size && k + 1 < TEXTURE_BYTES; k++) to[TEXTURE_AT + k] = (uint8_t)name.at[k];
    }
    *out = (level5_array){ materials, count };
    return true;
}

// --- Meshes ---

typedef void (*read_item)(const uint8_t *at, const level5_dq8_mesh *mesh, float out[4]);

static void read_position(const uint8_t *at, const level5_dq8_mesh *mesh, float out[4])
{
    for (int i = 0; i < 3; i++) out[i] = (float)load_i16(at + 2 * (size_t)i) / 32767.0f * mesh->scale[i];
    out[3] = 1;
}

static void read_uv(const uint8_t *at, const level5_dq8_mesh *mesh, float out[4])
{
    for (int i = 0; i < 2; i++) out[i] = (float)at[i] / 127.0f * mesh->uv_scale[i];
}

// 128 is the colour of the texture itself, as elsewhere on this machine.
static void read_color(const uint8_t *at, const level5_dq8_mesh *mesh, float out[4])
{
    (void)mesh;
    for (int i = 0; i < 3; i++) out[i] = (float)at[i] / 128.0f;
    out[3] = 1;
}

static bool widen(translator *t, const level5_dq8_mesh *mesh, level5_array from, uint32_t bytes, read_item read,
                  level5_array *out)
{
    uint8_t *vectors = sni_new_raw(&t->load->scratch, uint8_t, (uint64_t)from.count * LEVEL5_VECTOR_BYTES);
    if (!vectors) return false;
    for (uint32_t i = 0; i < from.count; i++) {
        float v[4] = { 0 };
        read(item(from, i, bytes), mesh, v);
        for (int k = 0; k < 4; k++) sni_store_f32(vectors + (size_t)i * LEVEL5_VECTOR_BYTES + 4 * (size_t)k, v[k]);
    }
    *out = (level5_array){ vectors, from.count };
    return true;
}

static bool translate_group(translator *t, const level5_dq8_group *group, level5_primitive *out)
{
    uint32_t count = group->positions.count;
    *out = (level5_primitive){ .flags = (uint32_t)group->mode | NO_NORMAL | (group->uvs.data ? 0 : UNTEXTURED) |
                                        (group->colors.data ? COLORED : 0),
                               .corner_count = count,
                               .material = group->material };
    level5_set_corner(out, LEVEL5_RULE_DC2, false);
    uint8_t *corners = sni_new_raw(&t->load->scratch, uint8_t, (uint64_t)count * 4 * out->stride), *at = corners;
    if (!corners) return false;
    for (uint32_t i = 0; i < count; i++) {
        const level5_array words[3] = { group->positions, group->uvs, group->colors };
        for (int k = 0; k < 3; k++) {
            if (!words[k].data) continue;
            sni_store_u32(at, sni_load_u16(item(words[k], i, 2)));
            at += 4;
        }
    }
    out->corners = (level5_array){ corners, count };
    return true;
}

static bool translate_mesh(translator *t, const level5_dq8_mesh *from, level5_array materials, level5_mesh *to)
{
    *to = (level5_mesh){ .offset = from->offset, .materials = materials, .rule = LEVEL5_RULE_DC2 };
    if (!widen(t, from, from->positions, 6, read_position, &to->positions) ||
        !widen(t, from, from->uvs, 2, read_uv, &to->uvs) || !widen(t, from, from->colors, 3, read_color, &to->colors))
        return false;
    to->primitives = sni_new(&t->load->scratch, level5_primitive, from->group_count);
    for (uint32_t i = 0; to->primitives && i < from->group_count; i++) {
        const level5_dq8_group *group = &from->groups[i];
        if (group->mode != TRIANGLES && group->mode != STRIP) continue;
        if (!translate_group(t, group, &to->primitives[to->primitive_count++])) return false;
    }
    return to->primitives != NULL;
}

static bool translate_meshes(translator *t)
{
    level5_array materials = { 0 };
    t->to->mesh_count = t->from->mesh_count;
    t->to->meshes = sni_new(&t->load->scratch, level5_mesh, t->to->mesh_count);
    if (!t->to->meshes || !translate_materials(t, &materials)) return false;
    for (uint32_t i = 0; i < t->to->mesh_count; i++)
        if (!translate_mesh(t, &t->from->meshes[i], materials, &t->to->meshes[i])) return false;
    return true;
}

// --- Weights and binds ---

// The bone of one of a vertex's four weights; -1: it does not count.
static int32_t bone_of(const translator *t, const level5_dq8_mesh *mesh, uint32_t vertex, uint32_t k)
{
    int32_t bone = load_i16(item(mesh->bones, vertex, 8) + 2 * (size_t)k);
    bool is_used = sni_load_u16(item(mesh->weights, vertex, 8) + 2 * (size_t)k) > 0;
    return is_used && bone >= 0 && (uint32_t)bone < t->to->node_count ? bone : -1;
}

static void put_key(uint8_t *at, uint32_t frame, const float value[4])
{
    sni_store_u32(at, frame);
    for (int i = 0; i < 4; i++) sni_store_f32(at + 16 + 4 * (size_t)i, value[i]);
}

// A track for each bone that bends the mesh of a node.
static bool translate_weights_of(translator *t, uint32_t node, const level5_dq8_mesh *mesh, uint32_t *counts,
                                 uint8_t **ends, sni_list *tracks)
{
    sni_arena *scratch = &t->load->scratch;
    memset(counts, 0, t->to->node_count * sizeof *counts);
    for (uint32_t i = 0; i < CORNERS * mesh->weights.count; i++) {
        int32_t bone = bone_of(t, mesh, i / CORNERS, i % CORNERS);
        if (bone >= 0) counts[bone]++;
    }
    for (uint32_t bone = 0; bone < t->to->node_count; bone++) {
        if (counts[bone] == 0) continue;
        level5_track *track = sni_push(scratch, tracks, level5_track);
        uint8_t *keys = sni_new(scratch, uint8_t, (uint64_t)counts[bone] * LEVEL5_KEY_BYTES);
        if (!track || !keys) return false;
        *track = (level5_track){ .offset = mesh->offset,
                                 .node = (int32_t)node,
                                 .target = (int32_t)bone,
                                 .type = LEVEL5_WEIGHTS,
                                 .keys = { keys, counts[bone] } };
        ends[bone] = keys;
    }
    for (uint32_t i = 0; i < CORNERS * mesh->weights.count; i++) {
        int32_t bone = bone_of(t, mesh, i / CORNERS, i % CORNERS);
        if (bone < 0) continue;
        float percent = (float)sni_load_u16(item(mesh->weights, i / CORNERS, 8) + 2 * (size_t)(i % CORNERS)) /
                        32767.0f * 100.0f;
        put_key(ends[bone], i / CORNERS, (const float[4]){ percent });
        ends[bone] += LEVEL5_KEY_BYTES;
    }
    return true;
}

static bool is_bent(const translator *t, const level5_node *node)
{
    const level5_dq8_mesh *mesh = node->mesh >= 0 ? &t->from->meshes[node->mesh] : NULL;
    return mesh && mesh->weights.data && mesh->bones.data;
}

// Nodes that share a mesh share its weights; the first of them bends it.
static bool translate_weights(translator *t, level5_tracks *out)
{
    sni_list tracks = { 0 };
    sni_arena *scratch = &t->load->scratch;
    uint32_t *counts = sni_new_raw(scratch, uint32_t, t->to->node_count);
    uint8_t **ends = sni_new_raw(scratch, uint8_t *, t->to->node_count);
    bool *is_done = sni_new(scratch, bool, t->from->mesh_count);
    if (!counts || !ends || !is_done) return false;
    for (uint32_t i = 0; i < t->to->node_count; i++) {
        const level5_node *node = &t->to->nodes[i];
        if (!is_bent(t, node) || is_done[node->mesh]) continue;
        is_done[node->mesh] = true;
        if (!translate_weights_of(t, i, &t->from->meshes[node->mesh], counts, ends, &tracks)) return false;
    }
    *out = (level5_tracks){ .tracks = tracks.items, .track_count = tracks.count };
    return true;
}

// A mesh that is bent is moved by its node's own matrix first: that is its bind.
static bool translate_binds(translator *t, level5_binds *out)
{
    uint8_t *matrices = sni_new_raw(&t->load->scratch, uint8_t, (uint64_t)t->to->node_count * LEVEL5_MATRIX_BYTES);
    if (!matrices) return false;
    for (uint32_t i = 0; i < t->to->node_count; i++) {
        const uint8_t *from = item(t->from->nodes, i, LEVEL5_DQ8_NODE_BYTES) + (is_bent(t, &t->to->nodes[i]) ? 32 : 96);
        for (uint32_t k = 0; k < 16; k++)
            sni_store_u32(matrices + (size_t)i * LEVEL5_MATRIX_BYTES + 4 * (size_t)k,
                          sni_load_u32(from + 4 * (size_t)k));
    }
    *out = (level5_binds){ .matrices = { matrices, t->to->node_count } };
    return true;
}

static const level5_doc *translate_mds(sni_load *load, const level5_dq8_mds *from)
{
    own_skin *made = sni_new(&load->scratch, own_skin, 1);
    if (!made) return NULL;
    made->doc.kind = LEVEL5_KIND_MDS;
    translator t = { load, from, &made->doc.as.mds };
    t.to->version = from->header[1];
    t.to->size = from->size;
    sni_warn(&load->diag, SNI_WARN_LEVEL5_DQ8, 0, "a model of Dragon Quest VIII");
    if (!translate_nodes(&t) || !translate_meshes(&t) || !translate_weights(&t, &made->weights) ||
        !translate_binds(&t, &made->binds))
        return NULL;
    t.to->weights = &made->weights;
    t.to->binds = &made->binds;
    return &made->doc;
}

// --- Motion ---

static bool translate_channel(sni_load *load, const level5_dq8_bone *bone, const level5_dq8_channel *channel,
                              level5_track *out)
{
    bool is_rotation = channel->kind == 1;
    uint32_t count = channel->values.count, kept = 0, width = is_rotation ? 4 : 3;
    uint8_t *keys = sni_new(&load->scratch, uint8_t, (uint64_t)count * LEVEL5_KEY_BYTES);
    if (!keys) return false;
    for (uint32_t i = 0; i < count; i++) {
        int32_t frame = channel->frames.data ? load_i16(item(channel->frames, i, 2)) : (int32_t)i;
        const uint8_t *at = item(channel->values, i, 2 * width);
        float v[4] = { 0 };
        if (frame < 0) continue;
        for (uint32_t k = 0; k < width; k++) v[k] = (float)load_i16(at + 2 * (size_t)k) / 32767.0f * channel->scale[k];
        const float turned[4] = { v[3], v[0], v[1], v[2] };
        put_key(keys + (size_t)kept++ * LEVEL5_KEY_BYTES, (uint32_t)frame, is_rotation ? turned : v);
    }
    *out = (level5_track){ .offset = bone->offset,
                           .node = bone->node,
                           .type = is_rotation          ? LEVEL5_ROTATION
                                   : channel->kind == 3 ? LEVEL5_TRANSLATION
                                                        : LEVEL5_SCALE,
                           .count = kept,
                           .keys = { keys, kept } };
    return true;
}

static const level5_doc *translate_mot(sni_load *load, const level5_dq8_mot *from)
{
    level5_doc *doc = sni_new(&load->scratch, level5_doc, 1);
    sni_list tracks = { 0 };
    if (!doc) return NULL;
    for (uint32_t i = 0; i < from->bone_count; i++)
        for (uint32_t k = 0; k < from->bones[i].channel_count; k++) {
            level5_track *track = sni_push(&load->scratch, &tracks, level5_track);
            if (!track || !translate_channel(load, &from->bones[i], &from->bones[i].channels[k], track)) return NULL;
        }
    doc->kind = LEVEL5_KIND_TRACKS;
    doc->as.tracks = (level5_tracks){ .tracks = tracks.items, .track_count = tracks.count };
    return doc;
}

const level5_doc *level5_translate(sni_load *load, const level5_doc *doc)
{
    if (doc->kind == LEVEL5_KIND_DQ8_MDS) return translate_mds(load, &doc->as.dq8_mds);
    if (doc->kind == LEVEL5_KIND_DQ8_MOT) return translate_mot(load, &doc->as.dq8_mot);
    return doc;
}
