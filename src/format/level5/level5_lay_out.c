// Places for what was made here and not read, as the games' own tools put it: headers first, everything on 16 bytes.
#include "format/level5/level5_parse.h"
#include "io/level5_pack.h"

enum { HEADER = 16, MDT_MAGIC = 'M' | 'D' << 8 | 'T' << 16 };

static uint64_t align16(uint64_t size) { return (size + 15) & ~(uint64_t)15; }

// A name in a field of zeros, cut to what it holds with its NUL.
static void put_name(uint8_t *field, uint32_t bytes, sni_str name)
{
    if (name.size > 0) memcpy(field, name.at, name.size < bytes ? name.size : bytes - 1);
}

static bool make_name_field(sni_arena *arena, level5_node *node)
{
    uint8_t *field = sni_new(arena, uint8_t, LEVEL5_NAME_BYTES);
    if (!field) return false;
    put_name(field, LEVEL5_NAME_BYTES, node->name);
    node->name_field = (level5_array){ field, LEVEL5_NAME_BYTES };
    return true;
}

static uint64_t faces_bytes(const level5_mesh *mesh)
{
    uint64_t size = LEVEL5_FACES_HEADER;
    for (uint32_t i = 0; i < mesh->primitive_count; i++)
        size += LEVEL5_PRIMITIVE_BYTES + 4 * (uint64_t)mesh->primitives[i].stride * mesh->primitives[i].corner_count;
    return size;
}

// The section out of the primitives, whose corners must be as their flags say.
static bool make_faces(sni_arena *arena, level5_mesh *mesh)
{
    if (mesh->rule == LEVEL5_UNREADABLE) mesh->rule = LEVEL5_RULE_DC2;
    for (uint32_t i = 0; i < mesh->primitive_count; i++)
        level5_set_corner(&mesh->primitives[i], mesh->rule, mesh->colors.count > 0);
    uint64_t size = faces_bytes(mesh);
    uint8_t *faces = sni_new(arena, uint8_t, size);
    if (!faces) return false;
    uint8_t *at = faces + LEVEL5_FACES_HEADER;
    sni_store_u32(faces + 4, LEVEL5_FACES_HEADER);
    sni_store_u32(faces + 8, mesh->primitive_count);
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const level5_primitive *primitive = &mesh->primitives[i];
        size_t bytes = 4 * (size_t)primitive->stride * primitive->corner_count;
        sni_store_u32(at, primitive->flags);
        sni_store_u32(at + 4, primitive->corner_count);
        sni_store_u32(at + 8, (uint32_t)primitive->material);
        if (bytes > 0) memcpy(at + LEVEL5_PRIMITIVE_BYTES, primitive->corners.data, bytes);
        at += LEVEL5_PRIMITIVE_BYTES + bytes;
    }
    mesh->faces = (level5_array){ faces, (uint32_t)size };
    return true;
}

// Answers its size.
static uint64_t lay_out_mesh(level5_mesh *mesh)
{
    uint64_t at = LEVEL5_MDT_BYTES;
    mesh->header[0] = MDT_MAGIC;
    mesh->header[1] = LEVEL5_MDT_BYTES;
    for (uint32_t i = 0; i < LEVEL5_SECTIONS; i++) {
        const level5_section *section = &level5_sections[i];
        level5_array array = level5_section_array(mesh, section);
        mesh->header[section->word] = array.count;
        mesh->header[section->word + 1] = array.count > 0 ? (uint32_t)at : 0;
        at = align16(at + (uint64_t)array.count * section->item_bytes);
    }
    mesh->header[2] = (uint32_t)at;
    return at;
}

static bool lay_out_mds(sni_arena *arena, level5_mds *mds)
{
    uint64_t at = HEADER + (uint64_t)mds->node_count * LEVEL5_NODE_BYTES;
    mds->version = 1;
    mds->first_node = HEADER;
    for (uint32_t i = 0; i < mds->mesh_count; i++) {
        if (!mds->meshes[i].faces.data && !make_faces(arena, &mds->meshes[i])) return false;
        mds->meshes[i].offset = at;
        at += lay_out_mesh(&mds->meshes[i]);
    }
    mds->size = at;
    for (uint32_t i = 0; i < mds->node_count; i++) {
        level5_node *node = &mds->nodes[i];
        node->offset = HEADER + (uint64_t)i * LEVEL5_NODE_BYTES;
        node->index = i;
        node->record_bytes = LEVEL5_NODE_BYTES;
        node->mesh_offset = node->mesh >= 0 ? (uint32_t)mds->meshes[node->mesh].offset : 0;
        if (!node->name_field.data && !make_name_field(arena, node)) return false;
    }
    return true;
}

static bool lay_out_tracks(level5_tracks *tracks)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < tracks->track_count; i++) {
        level5_track *track = &tracks->tracks[i];
        uint64_t own = LEVEL5_TRACK_BYTES + (uint64_t)track->keys.count * LEVEL5_KEY_BYTES;
        track->offset = at;
        track->count = track->keys.count;
        track->next = i + 1 < tracks->track_count ? (uint32_t)own : 0;
        at += own;
    }
    tracks->size = at;
    return true;
}

// The end mark is an entry of zeros.
static bool lay_out_pack(sni_arena *arena, level5_pack *pack)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < pack->entry_count; i++) {
        level5_entry *entry = &pack->entries[i];
        uint64_t own = LEVEL5_PACK_ENTRY_BYTES + align16(entry->data.count);
        uint8_t *head = sni_new(arena, uint8_t, LEVEL5_PACK_ENTRY_BYTES);
        if (!head) return false;
        put_name(head, SNI_LEVEL5_PACK_NAME_BYTES, entry->name);
        sni_store_u32(head + 64, LEVEL5_PACK_ENTRY_BYTES);
        sni_store_u32(head + 68, entry->data.count);
        sni_store_u32(head + 72, (uint32_t)own);
        entry->head = (level5_array){ head, LEVEL5_PACK_ENTRY_BYTES };
        entry->offset = at;
        entry->data_offset = at + LEVEL5_PACK_ENTRY_BYTES;
        at += own;
    }
    pack->size = at + LEVEL5_PACK_ENTRY_BYTES;
    return true;
}

static void fill_picture(uint8_t *head, level5_img_kind kind, const level5_picture *picture, uint64_t place)
{
    put_name(head, LEVEL5_NAME_BYTES, picture->name);
    sni_store_u32(head + level5_picture_place(kind), (uint32_t)place);
    if (kind != LEVEL5_IM3) return;
    sni_store_u32(head + 32, level5_picture_bytes(kind));
    sni_store_u32(head + 40, picture->is_swizzled);
    sni_store_u32(head + 48, picture->is_empty);
    sni_store_u32(head + 52, picture->data.count);
    sni_store_u32(head + 56, (picture->wrap_u == SN_REPEAT ? 0u : 1u) | (picture->wrap_v == SN_REPEAT ? 0u : 4u));
}

static bool lay_out_img(sni_arena *arena, level5_img *img)
{
    static const char kinds[] = { 'G', '2', '3' };
    uint32_t bytes = level5_picture_bytes(img->kind);
    uint64_t at = HEADER + (uint64_t)img->picture_count * bytes;
    img->header[0] = 'I' | 'M' << 8 | (uint32_t)kinds[img->kind] << 16;
    img->header[img->kind == LEVEL5_IM3 ? 2 : 1] = img->picture_count;
    for (uint32_t i = 0; i < img->picture_count; i++) {
        level5_picture *picture = &img->pictures[i];
        uint8_t *head = sni_new(arena, uint8_t, bytes);
        if (!head) return false;
        fill_picture(head, img->kind, picture, at);
        picture->head = (level5_array){ head, bytes };
        picture->offset = HEADER + (uint64_t)i * bytes;
        at = align16(at + picture->data.count);
    }
    img->size = at;
    return true;
}

bool level5_lay_out(sni_arena *arena, level5_doc *doc)
{
    switch (doc->kind) {
    case LEVEL5_KIND_MDS: return lay_out_mds(arena, &doc->as.mds);
    case LEVEL5_KIND_TRACKS: return lay_out_tracks(&doc->as.tracks);
    case LEVEL5_KIND_PACK: return lay_out_pack(arena, &doc->as.pack);
    case LEVEL5_KIND_IMG: return lay_out_img(arena, &doc->as.img);
    default: return true;
    }
}
