// Dragon Quest VIII: an MDS of version 200, whose meshes hold 16-bit positions and their own weights.
#include "format/level5/level5_parse.h"

enum {
    HEADER_BYTES = 80,
    VERSION = 200,
    MDS_MAGIC = 'M' | 'D' << 8 | 'S' << 16,
    GROUP_BYTES = 44,
    EMPTY_GROUP = 32,
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
    return bytes.size >= HEADER_BYTES && sni_load_u32(bytes.data) == MDS_MAGIC &&
           sni_load_u32(bytes.data + 4) == VERSION;
}

// An array of the file, or a failure.
static level5_array take(level5_parser *p, const char *name, uint32_t offset, uint32_t count, uint32_t bytes)
{
    uint64_t size = (uint64_t)count * bytes;
    if (count == 0) return (level5_array){ 0 };
    if (offset > p->bytes.size || size > p->bytes.size - offset) {
        sni_enter(p->diag, name, -1);
        sni_fail(p->diag, SN_ERR_TRUNCATED, offset, "%u of %u bytes at %u; the file has %zu", count, bytes, offset,
                 p->bytes.size);
        sni_leave(p->diag);
        return (level5_array){ 0 };
    }
    level5_claim(p, offset, size);
    return (level5_array){ p->bytes.data + offset, count };
}

// An array within bytes that are there; none where it does not fit.
static level5_array take_within(level5_parser *p, const char *name, level5_array bytes, uint64_t offset, uint32_t count,
                                uint32_t item_bytes)
{
    if (count == 0) return (level5_array){ 0 };
    if (offset <= bytes.count && (uint64_t)count * item_bytes <= bytes.count - offset)
        return (level5_array){ bytes.data + offset, count };
    sni_enter(p->diag, name, -1);
    sni_warn(p->diag, SNI_WARN_LEVEL5_SECTION, (uint64_t)(bytes.data - p->bytes.data),
             "%u of %u bytes at %llu; there are %u bytes", count, item_bytes, (unsigned long long)offset, bytes.count);
    sni_leave(p->diag);
    return (level5_array){ 0 };
}

static bool parse_group(level5_parser *p, level5_array bytes, level5_dq8_group *group)
{
    const uint8_t *at = bytes.data;
    uint32_t count = sni_load_u16(at + 6), uvs = sni_load_u32(at + 36), colors = sni_load_u32(at + 40);
    group->offset = (uint64_t)(at - p->bytes.data);
    group->mode = (int16_t)sni_load_u16(at + 4);
    group->material = (int32_t)sni_load_u32(at + 32);
    group->positions = take_within(p, "POSITIONS", bytes, sni_load_u16(at + 16), count, 2);
    if (uvs != 0) group->uvs = take_within(p, "TEXCOORDS", bytes, uvs, count, 2);
    if (colors != 0) group->colors = take_within(p, "COLORS", bytes, colors, count, 2);
    return group->positions.data != NULL;
}

// A group ends where the next one begins, the last with its mesh.
static void parse_groups(level5_parser *p, level5_dq8_mesh *mesh, uint32_t count, uint64_t at)
{
    sni_list list = { 0 };
    for (uint32_t i = 0; i < count && sni_load_ok(p->load); i++) {
        if (at > mesh->bytes.count || mesh->bytes.count - at < EMPTY_GROUP) {
            sni_warn(p->diag, SNI_WARN_LEVEL5_SECTION, mesh->offset + 0x70, "%u groups should be there, there are %u",
                     count, i);
            break;
        }
        const uint8_t *head = mesh->bytes.data + at;
        uint32_t room = mesh->bytes.count - (uint32_t)at, next = sni_load_u16(head),
                 own = next > 0 && next < room ? next : room;
        bool is_empty = sni_load_u16(head + 16) <= EMPTY_GROUP;
        level5_dq8_group group = { 0 };
        if (!is_empty && own >= GROUP_BYTES && parse_group(p, (level5_array){ head, own }, &group)) {
            level5_dq8_group *slot = sni_push(p->arena, &list, level5_dq8_group);
            if (slot) *slot = group;
        }
        if (next < EMPTY_GROUP) break;
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
    mesh->positions = take_within(p, "POSITIONS", mesh->bytes, arrays + sni_load_u32(at + 0x94),
                                  sni_load_u32(at + 0x90), 6);
    mesh->colors = take_within(p, "COLORS", mesh->bytes, arrays + sni_load_u32(at + 0x9C), sni_load_u32(at + 0x98), 3);
    mesh->uvs = take_within(p, "TEXCOORDS", mesh->bytes, arrays + sni_load_u32(at + 0xA4), sni_load_u32(at + 0xA0), 2);
    if (sni_load_u32(at + 0xB0) != 0) {
        mesh->weights = take_within(p, "WEIGHTS", mesh->bytes, arrays + sni_load_u32(at + 0xB4), mesh->positions.count,
                                    8);
        mesh->bones = take_within(p, "BONES", mesh->bytes, arrays + sni_load_u32(at + 0xB8), mesh->positions.count, 8);
    }
    parse_groups(p, mesh, sni_load_u32(at + 0x70), sni_load_u32(at + 0x74));
}

// One behind the other: each says how long it is.
static void parse_meshes(level5_parser *p, level5_dq8_mds *mds)
{
    uint64_t at = mds->header[MESHES];
    uint32_t count = mds->header[MESH_COUNT];
    for (uint32_t i = 0; i < count && sni_load_ok(p->load); i++) {
        sni_enter(p->diag, "MDT", i);
        uint64_t room = at <= p->bytes.size ? p->bytes.size - at : 0;
        uint32_t total = room >= LEVEL5_DQ8_MDT_BYTES ? sni_load_u32(p->bytes.data + at + 12) : 0;
        if (total < LEVEL5_DQ8_MDT_BYTES || total > room) {
            bool is_cut = total > room || room < LEVEL5_DQ8_MDT_BYTES;
            sni_fail(p->diag, is_cut ? SN_ERR_TRUNCATED : SN_ERR_CORRUPT, at, "a mesh of %u bytes, %llu remain", total,
                     (unsigned long long)room);
        } else {
            mds->meshes[i].offset = at;
            mds->meshes[i].bytes = (level5_array){ p->bytes.data + at, total };
            mds->mesh_count = i + 1;
            level5_claim(p, at, total);
            parse_mesh(p, &mds->meshes[i]);
            at += total;
        }
        sni_leave(p->diag);
    }
}

static bool is_size(level5_parser *p, uint32_t word, uint32_t found, uint32_t wanted)
{
    return found == wanted ||
           sni_fail(p->diag, SN_ERR_UNSUPPORTED, 4u * word, "records of %u bytes; %u are known", found, wanted);
}

bool level5_parse_dq8_mds(level5_parser *p, level5_dq8_mds *mds)
{
    const uint32_t *header = mds->header;
    mds->size = p->bytes.size;
    sni_load_words(p->bytes.data, mds->header, 20);
    level5_claim(p, 0, HEADER_BYTES);
    if (!is_size(p, NODE_BYTES, header[NODE_BYTES], LEVEL5_DQ8_NODE_BYTES)) return false;
    if (header[MATERIAL_COUNT] > 0 && !is_size(p, MATERIAL_BYTES, header[MATERIAL_BYTES], LEVEL5_MATERIAL_BYTES))
        return false;
    mds->nodes = take(p, "NODES", header[LEVEL5_DQ8_NODES], header[NODE_COUNT], LEVEL5_DQ8_NODE_BYTES);
    mds->materials = take(p, "MATERIALS", header[LEVEL5_DQ8_MATERIALS], header[MATERIAL_COUNT], LEVEL5_MATERIAL_BYTES);
    mds->names = take(p, "NAMES", header[LEVEL5_DQ8_NAMES], header[NAMES_BYTES], 1);
    if (sni_load_ok(p->load) && header[MESH_COUNT] > p->bytes.size / LEVEL5_DQ8_MDT_BYTES)
        sni_fail(p->diag, SN_ERR_TRUNCATED, 4 * MESH_COUNT, "%u meshes need %u bytes each, the file has %zu",
                 header[MESH_COUNT], LEVEL5_DQ8_MDT_BYTES, p->bytes.size);
    if (!sni_load_ok(p->load)) return false;
    mds->meshes = sni_new(p->arena, level5_dq8_mesh, header[MESH_COUNT]);
    if (mds->meshes) parse_meshes(p, mds);
    return sni_load_ok(p->load) && level5_keep_gaps(p, &mds->gaps, &mds->gap_count);
}
