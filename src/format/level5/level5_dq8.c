// Dragon Quest VIII, as an experiment: known from one public description, tested on hand-made files only. Its engine
// grew out of Dark Cloud 2's: the same node tree, the same skinning from bind matrices in model space, other ways to
// store numbers. Files are parsed to documents of their own, which keep every byte, and then translated to the
// equivalent DC2 documents.
#include "format/level5/level5_parse.h"

enum { TRIANGLES = 3, STRIP = 4, INFLUENCES = 4 };

static int32_t load_i16(const uint8_t *at) { return (int16_t)sni_load_u16(at); }
static const uint8_t *item(level5_array array, uint32_t index, uint32_t bytes)
{
    return array.data + (size_t)index * bytes;
}

// --- Parsing an MDS of version 200: meshes hold 16-bit positions and their own weights ---

enum { HEADER_BYTES = 80, VERSION = 200, MDT_BYTES = 256, GROUP_BYTES = 44, EMPTY_GROUP_BYTES = 32 };
enum {  // words of the header; LEVEL5_DQ8_NODES, _MATERIALS and _NAMES are the others in use
    NODE_COUNT = 3,
    NODE_BYTES = 5,
    MESH_COUNT = 8,
    MESHES = 9,
    MATERIAL_COUNT = 11,
    MATERIAL_BYTES = 12,
    NAMES_BYTES = 15
};

bool level5_is_dq8_mds(sni_bytes bytes)
{
    return bytes.size >= HEADER_BYTES && sni_load_u32(bytes.data) == LEVEL5_MDS_MAGIC &&
           sni_load_u32(bytes.data + 4) == VERSION;
}

// An array of the file; fails if it does not fit.
static level5_array take_array(level5_parser *p, const char *name, uint32_t offset, uint32_t count, uint32_t bytes)
{
    uint64_t size = (uint64_t)count * bytes;
    if (count == 0) return (level5_array){ 0 };
    if (offset > p->bytes.size || size > p->bytes.size - offset) {
        sni_enter(p->diag, name, -1);
        sni_fail(p->diag, SN_ERR_TRUNCATED, offset, "%u items of %u bytes at offset %u; the file has %zu bytes", count,
                 bytes, offset, p->bytes.size);
        sni_leave(p->diag);
        return (level5_array){ 0 };
    }
    level5_claim(p, offset, size);
    return (level5_array){ p->bytes.data + offset, count };
}

// An array of a mesh or group; none, with a warning, if it does not fit.
static level5_array take_inner(level5_parser *p, const char *name, level5_array bytes, uint64_t offset, uint32_t count,
                               uint32_t item_bytes)
{
    if (count == 0) return (level5_array){ 0 };
    if (offset <= bytes.count && (uint64_t)count * item_bytes <= bytes.count - offset)
        return (level5_array){ bytes.data + offset, count };
    sni_enter(p->diag, name, -1);
    sni_warn(p->diag, SNI_WARN_LEVEL5_SECTION, (uint64_t)(bytes.data - p->bytes.data),
             "%u items of %u bytes at offset %llu do not fit in %u bytes", count, item_bytes,
             (unsigned long long)offset, bytes.count);
    sni_leave(p->diag);
    return (level5_array){ 0 };
}

static bool parse_group(level5_parser *p, level5_array bytes, level5_dq8_group *group)
{
    const uint8_t *at = bytes.data;
    uint32_t count = sni_load_u16(at + 6), uvs = sni_load_u32(at + 36), colors = sni_load_u32(at + 40);
    group->offset = (uint64_t)(at - p->bytes.data);
    group->mode = load_i16(at + 4);
    group->material = (int32_t)sni_load_u32(at + 32);
    group->positions = take_inner(p, "POSITIONS", bytes, sni_load_u16(at + 16), count, 2);
    if (uvs != 0) group->uvs = take_inner(p, "TEXCOORDS", bytes, uvs, count, 2);
    if (colors != 0) group->colors = take_inner(p, "COLORS", bytes, colors, count, 2);
    return group->positions.data != NULL;
}

// A group ends where the next one begins, the last one with its mesh.
static void parse_groups(level5_parser *p, level5_dq8_mesh *mesh, uint32_t count, uint64_t at)
{
    sni_list list = { 0 };
    for (uint32_t i = 0; i < count && sni_load_ok(p->load); i++) {
        if (at > mesh->bytes.count || mesh->bytes.count - at < EMPTY_GROUP_BYTES) {
            sni_warn(p->diag, SNI_WARN_LEVEL5_SECTION, mesh->offset + 0x70, "%u groups stated, %u present", count, i);
            break;
        }
        const uint8_t *head = mesh->bytes.data + at;
        uint32_t room = mesh->bytes.count - (uint32_t)at, next = sni_load_u16(head),
                 size = next > 0 && next < room ? next : room;
        bool is_empty = sni_load_u16(head + 16) <= EMPTY_GROUP_BYTES;
        level5_dq8_group group = { 0 };
        if (!is_empty && size >= GROUP_BYTES && parse_group(p, (level5_array){ head, size }, &group)) {
            level5_dq8_group *slot = sni_push(p->arena, &list, level5_dq8_group);
            if (slot) *slot = group;
        }
        if (next < EMPTY_GROUP_BYTES) break;
        at += next;
    }
    mesh->groups = list.items;
    mesh->group_count = list.count;
}

static void parse_mesh(level5_parser *p, level5_dq8_mesh *mesh)
{
    const uint8_t *at = mesh->bytes.data;
    uint64_t arrays = sni_load_u32(at + 0x08);
    sni_load_words(at + 0x20, mesh->scale, 3);
    sni_load_words(at + 0x50, mesh->uv_scale, 2);
    mesh->positions = take_inner(p, "POSITIONS", mesh->bytes, arrays + sni_load_u32(at + 0x94), sni_load_u32(at + 0x90),
                                 6);
    mesh->colors = take_inner(p, "COLORS", mesh->bytes, arrays + sni_load_u32(at + 0x9C), sni_load_u32(at + 0x98), 3);
    mesh->uvs = take_inner(p, "TEXCOORDS", mesh->bytes, arrays + sni_load_u32(at + 0xA4), sni_load_u32(at + 0xA0), 2);
    if (sni_load_u32(at + 0xB0) != 0) {
        uint32_t count = mesh->positions.count;
        mesh->weights = take_inner(p, "WEIGHTS", mesh->bytes, arrays + sni_load_u32(at + 0xB4), count, 8);
        mesh->bones = take_inner(p, "BONES", mesh->bytes, arrays + sni_load_u32(at + 0xB8), count, 8);
    }
    parse_groups(p, mesh, sni_load_u32(at + 0x70), sni_load_u32(at + 0x74));
}

// Meshes follow each other; each states its size.
static void parse_meshes(level5_parser *p, level5_dq8_mds *mds)
{
    uint64_t at = mds->header[MESHES];
    for (uint32_t i = 0; i < mds->header[MESH_COUNT] && sni_load_ok(p->load); i++) {
        sni_enter(p->diag, "MDT", i);
        uint64_t room = at <= p->bytes.size ? p->bytes.size - at : 0;
        uint32_t size = room >= MDT_BYTES ? sni_load_u32(p->bytes.data + at + 12) : 0;
        if (size < MDT_BYTES || size > room) {
            bool is_truncated = size > room || room < MDT_BYTES;
            sni_fail(p->diag, is_truncated ? SN_ERR_TRUNCATED : SN_ERR_CORRUPT, at, "mesh of %u bytes, %llu remain",
                     size, (unsigned long long)room);
        } else {
            mds->meshes[i].offset = at;
            mds->meshes[i].bytes = (level5_array){ p->bytes.data + at, size };
            mds->mesh_count = i + 1;
            level5_claim(p, at, size);
            parse_mesh(p, &mds->meshes[i]);
            at += size;
        }
        sni_leave(p->diag);
    }
}

static bool check_record_size(level5_parser *p, uint32_t word, uint32_t size, uint32_t expected)
{
    return size == expected ||
           sni_fail(p->diag, SN_ERR_UNSUPPORTED, 4u * word, "records of %u bytes; expected %u", size, expected);
}

bool level5_parse_dq8_mds(level5_parser *p, level5_dq8_mds *mds)
{
    const uint32_t *header = mds->header;
    mds->size = p->bytes.size;
    sni_load_words(p->bytes.data, mds->header, 20);
    level5_claim(p, 0, HEADER_BYTES);
    if (!check_record_size(p, NODE_BYTES, header[NODE_BYTES], LEVEL5_DQ8_NODE_BYTES)) return false;
    if (header[MATERIAL_COUNT] > 0 &&
        !check_record_size(p, MATERIAL_BYTES, header[MATERIAL_BYTES], LEVEL5_MATERIAL_BYTES))
        return false;
    mds->nodes = take_array(p, "NODES", header[LEVEL5_DQ8_NODES], header[NODE_COUNT], LEVEL5_DQ8_NODE_BYTES);
    mds->materials = take_array(p, "MATERIALS", header[LEVEL5_DQ8_MATERIALS], header[MATERIAL_COUNT],
                                LEVEL5_MATERIAL_BYTES);
    mds->names = take_array(p, "NAMES", header[LEVEL5_DQ8_NAMES], header[NAMES_BYTES], 1);
    if (sni_load_ok(p->load) && header[MESH_COUNT] > p->bytes.size / MDT_BYTES)
        sni_fail(p->diag, SN_ERR_TRUNCATED, 4 * MESH_COUNT, "%u meshes need %u bytes each, the file has %zu",
                 header[MESH_COUNT], MDT_BYTES, p->bytes.size);
    if (!sni_load_ok(p->load)) return false;
    mds->meshes = sni_new(p->arena, level5_dq8_mesh, header[MESH_COUNT]);
    if (mds->meshes) parse_meshes(p, mds);
    return sni_load_ok(p->load) && level5_find_gaps(p, &mds->gaps, &mds->gap_count);
}

// --- Parsing a MOT: bones with up to three channels of 16-bit keys ---

enum { MOT_HEADER_BYTES = 64, BONE_BYTES = 16, CHANNEL_BYTES = 32 };
enum { BONE_COUNT = 7, FIRST_BONE = 8 };  // words of the header
enum { CHANNEL_ROTATION = 1, CHANNEL_TRANSLATION = 3, CHANNEL_SCALE = 6 };

static uint32_t count_channels(const uint8_t *bone)
{
    uint32_t flags = sni_load_u16(bone + 12);
    return (flags & 1) + (flags >> 1 & 1) + (flags >> 2 & 1);
}

static bool is_channel_kind(uint32_t kind)
{
    return kind == CHANNEL_ROTATION || kind == CHANNEL_TRANSLATION || kind == CHANNEL_SCALE;
}

bool level5_is_dq8_mot(sni_bytes bytes)
{
    if (bytes.size < MOT_HEADER_BYTES) return false;
    uint32_t count = sni_load_u32(bytes.data + 4 * BONE_COUNT), first = sni_load_u32(bytes.data + 4 * FIRST_BONE);
    if (count == 0 || count > LEVEL5_MOST_NODES || first < MOT_HEADER_BYTES || first > bytes.size) return false;

    // The first bone: a plausible size and node, channels of known kinds.
    const uint8_t *bone = bytes.data + first;
    size_t room = bytes.size - first;
    uint32_t next = room >= BONE_BYTES ? sni_load_u32(bone) : 0,
             channels = next >= BONE_BYTES ? count_channels(bone) : 0;
    if (channels == 0 || next < BONE_BYTES + 8 * channels || next > room || sni_load_u32(bone + 4) >= LEVEL5_MOST_NODES)
        return false;
    for (uint32_t i = 0; i < channels; i++) {
        const uint8_t *entry = bone + BONE_BYTES + 8 * i;
        if (!is_channel_kind(sni_load_u32(entry)) || sni_load_u32(entry + 4) > next) return false;
    }
    return true;
}

static bool parse_channel(const level5_dq8_bone *bone, uint32_t at, level5_dq8_channel *channel)
{
    if (at > bone->bytes.count || bone->bytes.count - at < CHANNEL_BYTES) return false;
    const uint8_t *head = bone->bytes.data + at;
    uint32_t room = bone->bytes.count - at, count = sni_load_u16(head + 6), frames = sni_load_u16(head + 8),
             values = sni_load_u16(head + 12);
    uint32_t value_bytes = channel->kind == CHANNEL_ROTATION ? 8 : 6;
    sni_load_words(head + 16, channel->scale, 4);
    bool has_frames = frames <= room && 2 * count <= room - frames,
         has_values = values <= room && value_bytes * count <= room - values;
    if (!has_frames || !has_values || count == 0) return false;
    if (frames != 0) channel->frames = (level5_array){ head + frames, count };
    channel->values = (level5_array){ head + values, count };
    return true;
}

static void parse_bone(level5_parser *p, level5_dq8_bone *bone)
{
    const uint8_t *at = bone->bytes.data;
    uint32_t count = count_channels(at), bad = 0;
    bone->node = (int32_t)sni_load_u32(at + 4);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *entry = at + BONE_BYTES + 8 * i;
        level5_dq8_channel channel = { .kind = sni_load_u32(entry) };
        bool is_good = is_channel_kind(channel.kind) && parse_channel(bone, sni_load_u32(entry + 4), &channel);
        if (is_good) bone->channels[bone->channel_count++] = channel;
        bad += !is_good;
    }
    sni_warn_many(p->diag, SNI_WARN_LEVEL5_SECTION, bad, bone->offset,
                  "channels of an unknown kind, without keys or past the end of their bone");
}

bool level5_parse_dq8_mot(level5_parser *p, level5_dq8_mot *mot)
{
    mot->size = p->bytes.size;
    sni_load_words(p->bytes.data, mot->header, 16);
    level5_claim(p, 0, MOT_HEADER_BYTES);
    uint32_t count = mot->header[BONE_COUNT];
    uint64_t at = mot->header[FIRST_BONE];
    if (count > p->bytes.size / BONE_BYTES)
        return sni_fail(p->diag, SN_ERR_TRUNCATED, 4 * BONE_COUNT, "%u bones need %u bytes each, the file has %zu",
                        count, BONE_BYTES, p->bytes.size);
    mot->bones = sni_new(p->arena, level5_dq8_bone, count);
    for (uint32_t i = 0; i < count && sni_load_ok(p->load); i++) {
        uint64_t room = at <= p->bytes.size ? p->bytes.size - at : 0;
        uint32_t size = room >= BONE_BYTES ? sni_load_u32(p->bytes.data + at) : 0;
        if (size == 0 && i + 1 == count) size = (uint32_t)room;
        sni_enter(p->diag, "BONE", i);
        if (size < BONE_BYTES || size > room || size < BONE_BYTES + 8 * count_channels(p->bytes.data + at)) {
            sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, at, "bone of %u bytes, %llu remain; %u of %u bones are used", size,
                     (unsigned long long)room, i, count);
            count = i;
        } else {
            mot->bones[i] = (level5_dq8_bone){ .offset = at, .bytes = { p->bytes.data + at, size } };
            level5_claim(p, at, size);
            parse_bone(p, &mot->bones[i]);
            mot->bone_count = i + 1;
            at += size;
        }
        sni_leave(p->diag);
    }
    return sni_load_ok(p->load) && level5_find_gaps(p, &mot->gaps, &mot->gap_count);
}

// --- Translating nodes and meshes ---

typedef struct translator {
    sni_load *load;
    sni_arena *arena;  // lives as long as what is translated
    const level5_dq8_mds *from;
    level5_mds *to;
} translator;

static sni_str name_at(const level5_dq8_mds *from, uint32_t offset)
{
    if (offset >= from->names.count) return sni_str_make("", 0);
    return sni_str_until_nul(from->names.data + offset, from->names.count - offset);
}

static bool translate_nodes(translator *t)
{
    t->to->node_count = t->from->nodes.count;
    t->to->nodes = sni_new(t->arena, level5_node, t->to->node_count);
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
            sni_warn(&t->load->diag, SNI_WARN_REFERENCE, node->offset, "mesh %d does not exist; there are %u", mesh,
                     t->from->mesh_count);
    }
    return true;
}

// All meshes share the materials: three colours, and a texture name in the name pool. Some have no texture.
static bool translate_materials(translator *t, level5_array *out)
{
    enum { TEXTURE_AT = 52, TEXTURE_BYTES = 44 };
    uint32_t count = t->from->materials.count;
    uint8_t *materials = sni_new(t->arena, uint8_t, (uint64_t)count * LEVEL5_MATERIAL_BYTES);
    if (!materials) return false;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *at = item(t->from->materials, i, LEVEL5_MATERIAL_BYTES);
        uint8_t *to = materials + (size_t)i * LEVEL5_MATERIAL_BYTES;
        sni_str name = sni_load_u32(at + 64) == 1 ? sni_str_make("", 0) : name_at(t->from, sni_load_u32(at + 52));
        memcpy(to, at, 48);
        if (name.size > 0) memcpy(to + TEXTURE_AT, name.at, name.size < TEXTURE_BYTES ? name.size : TEXTURE_BYTES - 1);
    }
    *out = (level5_array){ materials, count };
    return true;
}

// Components of integers to vectors of four floats, component k multiplied by scale[k] / divisor. The fourth component
// is `w`.
typedef struct vector_format {
    uint32_t item_bytes, width;
    bool is_16_bit;
    float divisor, w;
} vector_format;

static bool translate_vectors(translator *t, level5_array from, const vector_format *format, const float *scale,
                              level5_array *out)
{
    uint8_t *vectors = sni_new(t->arena, uint8_t, (uint64_t)from.count * LEVEL5_VECTOR_BYTES);
    if (!vectors) return false;
    for (uint32_t i = 0; i < from.count; i++) {
        const uint8_t *at = item(from, i, format->item_bytes);
        uint8_t *to = vectors + (size_t)i * LEVEL5_VECTOR_BYTES;
        for (uint32_t k = 0; k < format->width; k++) {
            float value = (float)(format->is_16_bit ? load_i16(at + 2 * (size_t)k) : at[k]) / format->divisor;
            sni_store_f32(to + 4 * (size_t)k, value * scale[k]);
        }
        sni_store_f32(to + 12, format->w);
    }
    *out = (level5_array){ vectors, from.count };
    return true;
}

static bool translate_group(translator *t, const level5_dq8_group *group, level5_primitive *out)
{
    const level5_array indices[3] = { group->positions, group->uvs, group->colors };
    uint32_t count = group->positions.count;
    *out = (level5_primitive){ .flags = (uint32_t)group->mode | LEVEL5_NO_NORMAL |
                                        (group->uvs.data ? 0 : LEVEL5_UNTEXTURED) |
                                        (group->colors.data ? LEVEL5_COLORED : 0),
                               .corner_count = count,
                               .material = group->material };
    level5_set_corner(out, LEVEL5_FACES_DC2, false);
    uint8_t *corners = sni_new_raw(t->arena, uint8_t, (uint64_t)count * 4 * out->stride), *at = corners;
    if (!corners) return false;
    for (uint32_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) {
            if (!indices[k].data) continue;
            sni_store_u32(at, sni_load_u16(item(indices[k], i, 2)));
            at += 4;
        }
    out->corners = (level5_array){ corners, count };
    return true;
}

// A colour of 128 is that of the texture, as elsewhere on the console.
static bool translate_mesh(translator *t, const level5_dq8_mesh *from, level5_array materials, level5_mesh *to)
{
    static const vector_format positions = { 6, 3, true, 32767.0f, 1 }, uvs = { 2, 2, false, 127.0f, 0 },
                               colors = { 3, 3, false, 128.0f, 1 };
    static const float unit[3] = { 1, 1, 1 };
    *to = (level5_mesh){ .offset = from->offset, .materials = materials, .face_format = LEVEL5_FACES_DC2 };
    if (!translate_vectors(t, from->positions, &positions, from->scale, &to->positions) ||
        !translate_vectors(t, from->uvs, &uvs, from->uv_scale, &to->uvs) ||
        !translate_vectors(t, from->colors, &colors, unit, &to->colors))
        return false;
    to->primitives = sni_new(t->arena, level5_primitive, from->group_count);
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
    t->to->meshes = sni_new(t->arena, level5_mesh, t->to->mesh_count);
    if (!t->to->meshes || !translate_materials(t, &materials)) return false;
    for (uint32_t i = 0; i < t->to->mesh_count; i++)
        if (!translate_mesh(t, &t->from->meshes[i], materials, &t->to->meshes[i])) return false;
    return true;
}

// --- Translating weights and bind matrices ---

static void store_key(uint8_t *at, uint32_t frame, const float value[4])
{
    sni_store_u32(at, frame);
    for (int i = 0; i < 4; i++) sni_store_f32(at + 16 + 4 * (size_t)i, value[i]);
}

// The bone of influence i, counted over all vertices; -1: not used.
static int32_t influence_bone(const translator *t, const level5_dq8_mesh *mesh, uint32_t i)
{
    int32_t bone = load_i16(item(mesh->bones, i, 2));
    bool is_used = sni_load_u16(item(mesh->weights, i, 2)) > 0;
    return is_used && bone >= 0 && (uint32_t)bone < t->to->node_count ? bone : -1;
}

// One track for each bone that moves the mesh. `counts` and `ends` are scratch, one item per node.
static bool translate_mesh_weights(translator *t, uint32_t node, const level5_dq8_mesh *mesh, uint32_t *counts,
                                   uint8_t **ends, sni_list *tracks)
{
    uint32_t influences = INFLUENCES * mesh->weights.count;
    memset(counts, 0, t->to->node_count * sizeof *counts);
    for (uint32_t i = 0; i < influences; i++) {
        int32_t bone = influence_bone(t, mesh, i);
        if (bone >= 0) counts[bone]++;
    }
    for (uint32_t bone = 0; bone < t->to->node_count; bone++) {
        if (counts[bone] == 0) continue;
        level5_track *track = sni_push(t->arena, tracks, level5_track);
        uint8_t *keys = sni_new(t->arena, uint8_t, (uint64_t)counts[bone] * LEVEL5_KEY_BYTES);
        if (!track || !keys) return false;
        *track = (level5_track){ .offset = mesh->offset,
                                 .node = (int32_t)node,
                                 .target = (int32_t)bone,
                                 .type = LEVEL5_WEIGHTS,
                                 .keys = { keys, counts[bone] } };
        ends[bone] = keys;
    }
    for (uint32_t i = 0; i < influences; i++) {
        int32_t bone = influence_bone(t, mesh, i);
        if (bone < 0) continue;
        float percent = (float)sni_load_u16(item(mesh->weights, i, 2)) / 32767.0f * 100.0f;
        store_key(ends[bone], i / INFLUENCES, (const float[4]){ percent });
        ends[bone] += LEVEL5_KEY_BYTES;
    }
    return true;
}

static bool is_skinned(const translator *t, const level5_node *node)
{
    const level5_dq8_mesh *mesh = node->mesh >= 0 ? &t->from->meshes[node->mesh] : NULL;
    return mesh && mesh->weights.data && mesh->bones.data;
}

// Of several nodes with the same mesh, only the first is skinned.
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
        if (!is_skinned(t, node) || is_done[node->mesh]) continue;
        is_done[node->mesh] = true;
        if (!translate_mesh_weights(t, i, &t->from->meshes[node->mesh], counts, ends, &tracks)) return false;
    }
    *out = (level5_tracks){ .tracks = tracks.items, .track_count = tracks.count };
    return true;
}

// The bind matrix of a skinned mesh's node is the node's own matrix.
static bool translate_binds(translator *t, level5_binds *out)
{
    uint8_t *matrices = sni_new_raw(t->arena, uint8_t, (uint64_t)t->to->node_count * LEVEL5_MATRIX_BYTES);
    if (!matrices) return false;
    for (uint32_t i = 0; i < t->to->node_count; i++) {
        uint32_t at = is_skinned(t, &t->to->nodes[i]) ? 32 : 96;
        memcpy(matrices + (size_t)i * LEVEL5_MATRIX_BYTES, item(t->from->nodes, i, LEVEL5_DQ8_NODE_BYTES) + at,
               LEVEL5_MATRIX_BYTES);
    }
    *out = (level5_binds){ .matrices = { matrices, t->to->node_count } };
    return true;
}

typedef struct translated_mds {
    level5_doc doc;  // points at the other two
    level5_tracks weights;
    level5_binds binds;
} translated_mds;

static const level5_doc *translate_mds(sni_load *load, const level5_dq8_mds *from)
{
    sni_arena *arena = sni_load_document_arena(load);
    translated_mds *made = sni_new(arena, translated_mds, 1);
    if (!made) return NULL;
    made->doc.kind = LEVEL5_KIND_MDS;
    translator t = { load, arena, from, &made->doc.as.mds };
    t.to->version = from->header[1];
    t.to->size = from->size;
    sni_warn(&load->diag, SNI_WARN_LEVEL5_DQ8, 0, "a Dragon Quest VIII model");
    if (!translate_nodes(&t) || !translate_meshes(&t) || !translate_weights(&t, &made->weights) ||
        !translate_binds(&t, &made->binds))
        return NULL;
    t.to->weights = &made->weights;
    t.to->binds = &made->binds;
    return &made->doc;
}

// --- Translating motion ---

static bool translate_channel(sni_arena *arena, const level5_dq8_bone *bone, const level5_dq8_channel *channel,
                              level5_track *out)
{
    bool is_rotation = channel->kind == CHANNEL_ROTATION;
    uint32_t count = channel->values.count, kept = 0, width = is_rotation ? 4 : 3;
    uint8_t *keys = sni_new(arena, uint8_t, (uint64_t)count * LEVEL5_KEY_BYTES);
    if (!keys) return false;
    for (uint32_t i = 0; i < count; i++) {
        int32_t frame = channel->frames.data ? load_i16(item(channel->frames, i, 2)) : (int32_t)i;
        const uint8_t *at = item(channel->values, i, 2 * width);
        float v[4] = { 0 };
        if (frame < 0) continue;
        for (uint32_t k = 0; k < width; k++) v[k] = (float)load_i16(at + 2 * (size_t)k) / 32767.0f * channel->scale[k];
        const float w_first[4] = { v[3], v[0], v[1], v[2] };
        store_key(keys + (size_t)kept++ * LEVEL5_KEY_BYTES, (uint32_t)frame, is_rotation ? w_first : v);
    }
    *out = (level5_track){ .offset = bone->offset,
                           .node = bone->node,
                           .type = is_rotation                            ? LEVEL5_ROTATION
                                   : channel->kind == CHANNEL_TRANSLATION ? LEVEL5_TRANSLATION
                                                                          : LEVEL5_SCALE,
                           .count = kept,
                           .keys = { keys, kept } };
    return true;
}

static const level5_doc *translate_mot(sni_load *load, const level5_dq8_mot *from)
{
    sni_arena *arena = sni_load_document_arena(load);
    level5_doc *doc = sni_new(arena, level5_doc, 1);
    sni_list tracks = { 0 };
    if (!doc) return NULL;
    for (uint32_t i = 0; i < from->bone_count; i++)
        for (uint32_t k = 0; k < from->bones[i].channel_count; k++) {
            level5_track *track = sni_push(arena, &tracks, level5_track);
            if (!track || !translate_channel(arena, &from->bones[i], &from->bones[i].channels[k], track)) return NULL;
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
