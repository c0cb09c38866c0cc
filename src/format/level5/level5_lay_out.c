// Places for what was made here and not read, as the games' own tools put it: headers first, everything on 16 bytes.
#include "format/level5/level5_parse.h"

enum { MDS_HEADER = 16, MDT_MAGIC = 'M' | 'D' << 8 | 'T' << 16 };

static uint64_t align16(uint64_t size) { return (size + 15) & ~(uint64_t)15; }

// The name in a field of its own, cut to what it holds with its NUL.
static l5_array make_name_field(sni_arena *arena, sni_str name, uint32_t bytes)
{
    uint8_t *field = sni_new(arena, uint8_t, bytes);
    if (field && name.size > 0) memcpy(field, name.at, name.size < bytes ? name.size : bytes - 1);
    return (l5_array){ field, field ? bytes : 0 };
}

static uint64_t faces_bytes(const l5_mesh *mesh)
{
    uint64_t size = L5_FACES_HEADER;
    for (uint32_t i = 0; i < mesh->primitive_count; i++)
        size += L5_PRIMITIVE_BYTES + 4 * (uint64_t)mesh->primitives[i].stride * mesh->primitives[i].corner_count;
    return size;
}

// The section out of the primitives, whose corners must be as their flags say.
static bool make_faces(sni_arena *arena, l5_mesh *mesh)
{
    if (mesh->rule == L5_UNREADABLE) mesh->rule = L5_RULE_DC2;
    for (uint32_t i = 0; i < mesh->primitive_count; i++)
        l5_set_corner(&mesh->primitives[i], mesh->rule, mesh->colors.count > 0);
    uint64_t size = faces_bytes(mesh);
    uint8_t *faces = sni_new(arena, uint8_t, size), *at = faces + L5_FACES_HEADER;
    if (!faces) return false;
    sni_store_u32(faces + 4, L5_FACES_HEADER);
    sni_store_u32(faces + 8, mesh->primitive_count);
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const l5_primitive *primitive = &mesh->primitives[i];
        size_t bytes = 4 * (size_t)primitive->stride * primitive->corner_count;
        sni_store_u32(at, primitive->flags);
        sni_store_u32(at + 4, primitive->corner_count);
        sni_store_u32(at + 8, (uint32_t)primitive->material);
        if (bytes > 0) memcpy(at + L5_PRIMITIVE_BYTES, primitive->corners.data, bytes);
        at += L5_PRIMITIVE_BYTES + bytes;
    }
    mesh->faces = (l5_array){ faces, (uint32_t)size };
    return true;
}

// Answers its size.
static uint64_t lay_out_mesh(l5_mesh *mesh)
{
    uint64_t at = L5_MDT_BYTES;
    mesh->header[0] = MDT_MAGIC;
    mesh->header[1] = L5_MDT_BYTES;
    for (uint32_t i = 0; i < L5_SECTIONS; i++) {
        const l5_section *section = &l5_sections[i];
        l5_array array = l5_section_array(mesh, section);
        mesh->header[section->word] = array.count;
        mesh->header[section->word + 1] = array.count > 0 ? (uint32_t)at : 0;
        at = align16(at + (uint64_t)array.count * section->item_bytes);
    }
    mesh->header[2] = (uint32_t)at;
    return at;
}

static bool lay_out_mds(sni_arena *arena, l5_mds *mds)
{
    uint64_t at = MDS_HEADER + (uint64_t)mds->node_count * L5_NODE_BYTES;
    mds->version = 1;
    mds->first_node = MDS_HEADER;
    for (uint32_t i = 0; i < mds->mesh_count; i++) {
        if (!mds->meshes[i].faces.data && !make_faces(arena, &mds->meshes[i])) return false;
        mds->meshes[i].offset = at;
        at += lay_out_mesh(&mds->meshes[i]);
    }
    mds->size = at;
    for (uint32_t i = 0; i < mds->node_count; i++) {
        l5_node *node = &mds->nodes[i];
        node->offset = MDS_HEADER + (uint64_t)i * L5_NODE_BYTES;
        node->index = i;
        node->record_bytes = L5_NODE_BYTES;
        node->mesh_offset = node->mesh >= 0 ? (uint32_t)mds->meshes[node->mesh].offset : 0;
        if (!node->name_field.data) node->name_field = make_name_field(arena, node->name, L5_NAME_BYTES);
        if (!node->name_field.data) return false;
    }
    return true;
}

static bool lay_out_tracks(l5_tracks *tracks)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < tracks->track_count; i++) {
        l5_track *track = &tracks->tracks[i];
        uint64_t own = L5_TRACK_BYTES + (uint64_t)track->keys.count * L5_KEY_BYTES;
        track->offset = at;
        track->count = track->keys.count;
        track->next = i + 1 < tracks->track_count ? (uint32_t)own : 0;
        at += own;
    }
    tracks->size = at;
    return true;
}

bool l5_lay_out(sni_arena *arena, l5_doc *doc)
{
    switch (doc->kind) {
    case L5_KIND_MDS: return lay_out_mds(arena, &doc->as.mds);
    case L5_KIND_TRACKS: return lay_out_tracks(&doc->as.tracks);
    default: return true;
    }
}
