// Bytes to documents: packs, image archives (IMG, IM2, IM3), tracks (MOT, WGT), bind matrices (BBP), models (MDS), and
// the choice of a parser.
#include "format/level5/level5_parse.h"
#include "io/level5_pack.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

// --- Claims and gaps ---

typedef struct claim {
    uint64_t start, end;
} claim;

void level5_claim(level5_parser *p, uint64_t offset, uint64_t size)
{
    claim *last = p->claims.count > 0 ? (claim *)p->claims.items + p->claims.count - 1 : NULL;
    if (size == 0) return;
    if (last && last->end == offset) {
        last->end += size;
        return;
    }
    claim *slot = sni_push(&p->load->scratch, &p->claims, claim);
    if (slot) *slot = (claim){ offset, offset + size };
}

static int compare_claims(const void *left, const void *right)
{
    const claim *a = left, *b = right;
    return a->start != b->start ? (a->start < b->start ? -1 : 1) : (a->end > b->end) - (a->end < b->end);
}

bool level5_find_gaps(level5_parser *p, level5_span **gaps, uint32_t *count)
{
    const claim *claims = p->claims.items;
    uint64_t at = 0;
    if (!sni_load_ok(p->load)) return false;
    if (p->claims.count > 1) qsort(p->claims.items, p->claims.count, sizeof *claims, compare_claims);
    level5_span *spans = sni_new(p->arena, level5_span, (uint64_t)p->claims.count + 1);
    if (!spans) return false;
    *gaps = spans;
    *count = 0;
    for (uint32_t i = 0; i <= p->claims.count; i++) {
        uint64_t start = i < p->claims.count ? claims[i].start : p->bytes.size;
        if (start > at) spans[(*count)++] = (level5_span){ at, { p->bytes.data + at, (uint32_t)(start - at) } };
        if (i < p->claims.count && claims[i].end > at) at = claims[i].end;
    }
    return true;
}

// --- Values ---

static int compare_u32(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

sn_vec4 level5_read_vector(level5_array array, uint32_t index)
{
    const uint8_t *at = array.data + (size_t)index * LEVEL5_VECTOR_BYTES;
    return (sn_vec4){ sni_load_f32(at), sni_load_f32(at + 4), sni_load_f32(at + 8), sni_load_f32(at + 12) };
}

void level5_read_matrix(level5_array matrices, uint32_t index, float out[16])
{
    sni_load_words(matrices.data + (size_t)index * LEVEL5_MATRIX_BYTES, out, 16);
}

level5_key level5_read_key(const level5_track *track, uint32_t index)
{
    const uint8_t *at = track->keys.data + (size_t)index * LEVEL5_KEY_BYTES;
    level5_key key = { .frame = sni_load_u32(at) };
    sni_load_words(at + 16, key.value, 4);
    return key;
}

uint32_t level5_track_width(int32_t type)
{
    switch (type) {
    case LEVEL5_ROTATION: return 4;
    case LEVEL5_SCALE:
    case LEVEL5_TRANSLATION:
    case LEVEL5_VERTEX:
    case LEVEL5_CAMERA_POSITION:
    case LEVEL5_CAMERA_TARGET:
    case LEVEL5_MATERIAL_COLOR: return 3;
    case LEVEL5_CAMERA_ROLL:
    case LEVEL5_CAMERA_FOV:
    case LEVEL5_MATERIAL_ALPHA:
    case LEVEL5_VISIBLE_SELF:
    case LEVEL5_VISIBLE_TREE: return 1;
    default: return 0;
    }
}

// --- Packs: one level of them; members are parsed when they are opened ---

static void check_entry(level5_parser *p, const sni_level5_pack_entry *entry, uint32_t index)
{
    char label[SNI_LEVEL5_PACK_NAME_BYTES + 1];
    const uint32_t distance = sni_load_u32(p->bytes.data + entry->offset + 72);
    bool is_truncated = entry->size < entry->stated,
         ends_chain = entry->next == p->bytes.size && distance != 0 && distance < SNI_LEVEL5_PACK_ENTRY_BYTES;
    if (!is_truncated && !ends_chain) return;
    snprintf(label, sizeof label, "%.*s", (int)entry->name.size, entry->name.at);
    sni_enter_named(p->diag, "ENTRY", index, label);
    if (is_truncated)
        sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, entry->offset + 68, "stated size is %u bytes, only %llu are present",
                 entry->stated, (unsigned long long)entry->size);
    else
        sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, entry->offset + 72,
                 "distance to the next entry is %u bytes, less than an entry; no further entries are read", distance);
    sni_leave(p->diag);
}

static bool parse_pack(level5_parser *p, level5_pack *pack)
{
    sni_list list = { 0 };
    sni_level5_pack_entry from = { 0 };
    pack->size = p->bytes.size;
    while (sni_load_ok(p->load) && sni_level5_pack_next(p->bytes, &from)) {
        level5_entry *entry = sni_push(p->arena, &list, level5_entry);
        if (!entry) return false;
        *entry = (level5_entry){
            .offset = from.offset,
            .head = { p->bytes.data + from.offset, LEVEL5_PACK_ENTRY_BYTES },
            .name = from.name,
            .data = { p->bytes.data + from.data, (uint32_t)from.size },
            .data_offset = from.data,
        };
        level5_claim(p, from.offset, LEVEL5_PACK_ENTRY_BYTES);
        level5_claim(p, from.data, from.size);
        check_entry(p, &from, list.count - 1);
    }
    pack->entries = list.items;
    pack->entry_count = list.count;
    return level5_find_gaps(p, &pack->gaps, &pack->gap_count);
}

// --- Image archives ---

enum { IMG_HEADER = 16 };

// The wrap mode is two bits of the GS register CLAMP: 0 repeats, the others clamp.
static void read_picture(sni_reader *in, level5_img_kind kind, level5_picture *picture)
{
    picture->offset = sni_offset(in);
    const uint8_t *at = sni_take(in, level5_picture_bytes(kind));
    if (!at) return;
    picture->head = (level5_array){ at, level5_picture_bytes(kind) };
    picture->name = sni_str_until_nul(at, LEVEL5_NAME_BYTES);
    picture->is_swizzled = kind == LEVEL5_IM2;
    picture->wrap_u = picture->wrap_v = SN_CLAMP;
    if (kind != LEVEL5_IM3) return;
    uint32_t clamp = sni_load_u32(at + 56);
    picture->is_script = at[0] == '#';
    picture->is_empty = sni_load_u16(at + 48) != 0;
    picture->is_swizzled = sni_load_u32(at + 40) != 0;
    if ((clamp & 3) == 0) picture->wrap_u = SN_REPEAT;
    if ((clamp >> 2 & 3) == 0) picture->wrap_v = SN_REPEAT;
}

// Only IM3 stores sizes. In the older archives a picture ends where the next one begins.
static void find_data(level5_parser *p, const level5_img *img, level5_picture *picture, const uint32_t *offsets)
{
    uint32_t offset = level5_picture_data_offset(img->kind, picture), file_size = (uint32_t)p->bytes.size;
    uint32_t end = file_size;
    if (picture->is_empty) return;
    if (img->kind != LEVEL5_IM3) {
        uint32_t low = 0, high = img->picture_count;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (offsets[middle] <= offset) low = middle + 1;
            else high = middle;
        }
        if (low < img->picture_count && offsets[low] < file_size) end = offsets[low];
    }
    uint32_t room = offset <= end ? end - offset : 0,
             stated = img->kind == LEVEL5_IM3 ? sni_load_u32(picture->head.data + 52) : room;
    if (offset >= file_size || stated > room)
        sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, picture->offset,
                 "its %u bytes at offset %u reach past the end of the file at %u", stated, offset, file_size);
    if (offset >= file_size) return;
    picture->data = (level5_array){ p->bytes.data + offset, stated < room ? stated : room };
    level5_claim(p, offset, picture->data.count);
}

static bool parse_img(level5_parser *p, level5_img *img)
{
    sni_reader in = sni_reader_make(p->bytes.data, p->bytes.size, p->diag, p->arena);
    img->size = p->bytes.size;
    sni_read_words(&in, img->header, 4);
    if (!sni_ok(&in)) return false;
    for (img->kind = LEVEL5_IMG; img->header[0] != level5_img_magic(img->kind); img->kind++)
        if (img->kind == LEVEL5_IM3) return sni_fail(p->diag, SN_ERR_FORMAT, 0, "does not begin with IMG, IM2 or IM3");

    uint32_t count = img->header[img->kind == LEVEL5_IM3 ? 2 : 1];
    if (!sni_has_items(&in, count, level5_picture_bytes(img->kind))) return false;
    img->pictures = sni_new(p->arena, level5_picture, count);
    uint32_t *offsets = sni_new_raw(&p->load->scratch, uint32_t, count);
    if (!img->pictures || !offsets) return false;
    img->picture_count = count;
    level5_claim(p, 0, IMG_HEADER + (uint64_t)count * level5_picture_bytes(img->kind));
    for (uint32_t i = 0; i < count; i++) {
        read_picture(&in, img->kind, &img->pictures[i]);
        if (!sni_ok(&in)) return false;  // the claim has no memory
        offsets[i] = level5_picture_data_offset(img->kind, &img->pictures[i]);
    }

    if (count > 1) qsort(offsets, count, sizeof *offsets, compare_u32);
    for (uint32_t i = 0; i < count; i++) {
        sni_enter(p->diag, "PICTURE", i);
        find_data(p, img, &img->pictures[i], offsets);
        sni_leave(p->diag);
    }
    return level5_find_gaps(p, &img->gaps, &img->gap_count);
}

// --- Tracks ---

// The number of keys that are present: the stated count or, if that leads past the end of the file, as many as fit
// before the next track.
static uint32_t count_keys(const sni_reader *in, const level5_track *track)
{
    uint32_t room = sni_rest_count(in, LEVEL5_KEY_BYTES);
    if (track->count <= room) return track->count;
    if (track->next >= LEVEL5_TRACK_BYTES && track->next - LEVEL5_TRACK_BYTES <= sni_rest(in)) {
        sni_warn(in->diag, SNI_WARN_LEVEL5_SIZE, track->offset + 16,
                 "%u keys stated, the file has room for %u; using the distance of %u bytes to the next track",
                 track->count, room, track->next);
        return (track->next - LEVEL5_TRACK_BYTES) / LEVEL5_KEY_BYTES;
    }
    sni_fail(in->diag, SN_ERR_TRUNCATED, track->offset, "%u keys need %u bytes each, %zu remain", track->count,
             LEVEL5_KEY_BYTES, sni_rest(in));
    return 0;
}

static void parse_track(level5_parser *p, sni_reader *in, level5_track *track)
{
    track->offset = sni_offset(in);
    track->node = sni_read_i32(in);
    track->target = sni_read_i32(in);
    track->type = sni_read_i32(in);
    sni_skip(in, 4);  // size of the header, checked by the caller
    track->count = sni_read_u32(in);
    track->next = sni_read_u32(in);
    sni_read_words(in, track->unused, 2);
    uint32_t count = count_keys(in, track);
    uint64_t bytes = LEVEL5_TRACK_BYTES + (uint64_t)count * LEVEL5_KEY_BYTES;
    level5_claim(p, track->offset, bytes);
    track->keys = (level5_array){ sni_take(in, (uint64_t)count * LEVEL5_KEY_BYTES), count };
    if (count != track->count) sni_skip(in, track->next - bytes);
    else if (track->next != 0 && track->next != bytes)
        sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, track->offset + 20,
                 "distance to the next track is %u bytes, but the %u keys end after %llu", track->next, count,
                 (unsigned long long)bytes);
}

static bool parse_tracks(level5_parser *p, level5_tracks *tracks)
{
    sni_list list = { 0 };
    bool is_last = false;
    sni_reader in = sni_reader_make(p->bytes.data, p->bytes.size, p->diag, p->arena);
    tracks->size = p->bytes.size;
    while (sni_ok(&in) && !is_last && sni_rest(&in) >= LEVEL5_TRACK_BYTES &&
           sni_load_u32(in.at + 12) == LEVEL5_TRACK_BYTES) {
        level5_track *track = sni_push(p->arena, &list, level5_track);
        if (!track) break;
        sni_enter(p->diag, "TRACK", list.count - 1);
        parse_track(p, &in, track);
        sni_leave(p->diag);
        is_last = track->next == 0;
    }
    if (!is_last && sni_rest(&in) >= LEVEL5_TRACK_BYTES && list.count == 0)
        return sni_fail(p->diag, SN_ERR_FORMAT, 12, "track header of %u bytes; expected %u", sni_load_u32(in.at + 12),
                        LEVEL5_TRACK_BYTES);
    if (sni_rest(&in) >= LEVEL5_TRACK_BYTES)
        sni_warn(p->diag, SNI_WARN_LEVEL5_LEFTOVER, sni_offset(&in), "%zu bytes after the last track", sni_rest(&in));
    tracks->tracks = list.items;
    tracks->track_count = list.count;
    return sni_ok(&in) && level5_find_gaps(p, &tracks->gaps, &tracks->gap_count);
}

// --- Bind matrices ---

static bool parse_binds(level5_parser *p, level5_binds *binds)
{
    uint32_t count = (uint32_t)(p->bytes.size / LEVEL5_MATRIX_BYTES),
             over = (uint32_t)(p->bytes.size % LEVEL5_MATRIX_BYTES);
    binds->matrices = (level5_array){ p->bytes.data, count };
    binds->trailing = (level5_array){ p->bytes.data + p->bytes.size - over, over };
    if (over > 0)
        sni_warn(p->diag, SNI_WARN_LEVEL5_LEFTOVER, p->bytes.size - over, "%u bytes after %u matrices", over, count);
    return sni_load_ok(p->load);
}

// --- All kinds ---

// --- MDS: a list of nodes, then the meshes (MDT) that nodes refer to by their offset ---

enum { MDS_HEADER = 16, VERSION = 1, MOST_SLACK = 16, TEXTURE_NAME_BYTES = 44 };
enum { TOTAL_BYTES = 2, COLOR_OFFSET = 8 };  // words of the MDT header

// clang-format off
const level5_section level5_sections[LEVEL5_SECTIONS] = {
    { "POSITIONS", 3, LEVEL5_VECTOR_BYTES, offsetof(level5_mesh, positions) },
    { "NORMALS", 5, LEVEL5_VECTOR_BYTES, offsetof(level5_mesh, normals) },
    { "COLORS", 7, LEVEL5_VECTOR_BYTES, offsetof(level5_mesh, colors) },
    { "FACES", 9, 1, offsetof(level5_mesh, faces) },
    { "TEXCOORDS", 11, LEVEL5_VECTOR_BYTES, offsetof(level5_mesh, uvs) },
    { "MATERIALS", 13, LEVEL5_MATERIAL_BYTES, offsetof(level5_mesh, materials) },
};
// clang-format on

// --- Meshes ---

level5_material level5_read_material(const level5_mesh *mesh, uint32_t index)
{
    const uint8_t *at = mesh->materials.data + (size_t)index * LEVEL5_MATERIAL_BYTES;
    level5_material material = { .power = sni_load_u32(at + 48),
                                 .texture = sni_str_until_nul(at + 52, TEXTURE_NAME_BYTES) };
    sni_load_words(at, material.diffuse, 4);
    sni_load_words(at + 16, material.ambient, 4);
    sni_load_words(at + 32, material.specular, 4);
    if (material.texture.size == TEXTURE_NAME_BYTES) material.texture.size = LEVEL5_NAME_BYTES;
    return material;
}

// Positions and faces must be valid. Other arrays may be missing, and collision meshes store something else in place
// of materials.
static level5_array find_section(level5_parser *p, const level5_mesh *mesh, const level5_section *section, uint64_t end)
{
    int32_t count = (int32_t)mesh->header[section->word], offset = (int32_t)mesh->header[section->word + 1];
    if (offset <= 0 || count <= 0) return (level5_array){ 0 };
    uint64_t room = end - mesh->offset, bytes = (uint64_t)count * section->item_bytes;
    if ((uint64_t)offset <= room && bytes <= room - (uint64_t)offset) {
        level5_claim(p, mesh->offset + (uint64_t)offset, bytes);
        return (level5_array){ p->bytes.data + mesh->offset + offset, (uint32_t)count };
    }
    bool is_required = section->array == offsetof(level5_mesh, positions) ||
                       section->array == offsetof(level5_mesh, faces);
    uint64_t header_at = mesh->offset + 4u * section->word;
    static const char format[] = "%d items of %u bytes at offset %d reach past the end of the mesh at %llu";
    if (is_required)
        sni_fail(p->diag, end == p->bytes.size ? SN_ERR_TRUNCATED : SN_ERR_CORRUPT, header_at, format, count,
                 section->item_bytes, offset, (unsigned long long)room);
    else
        sni_warn(p->diag, SNI_WARN_LEVEL5_SECTION, header_at, format, count, section->item_bytes, offset,
                 (unsigned long long)room);
    return (level5_array){ 0 };
}

bool level5_set_corner(level5_primitive *primitive, level5_face_format format, bool has_colors)
{
    uint32_t flags = primitive->flags;
    bool is_dc1 = format == LEVEL5_FACES_DC1;
    int32_t next = 1;
    if (is_dc1 ? flags != 3 && flags != 4 : (flags & 7) == 0 || (flags & 7) == 7) return false;
    primitive->normal_at = is_dc1 || !(flags & LEVEL5_NO_NORMAL) ? next++ : LEVEL5_NONE;
    primitive->uv_at = is_dc1 || !(flags & LEVEL5_UNTEXTURED) ? next++ : LEVEL5_NONE;
    primitive->color_at = (is_dc1 ? has_colors : (flags & LEVEL5_COLORED) != 0) ? next++ : LEVEL5_NONE;
    primitive->stride = (uint32_t)next;
    return true;
}

typedef struct face_reader {
    const uint8_t *data;
    uint64_t size, at;
    level5_face_format format;
    bool has_colors;
} face_reader;

static bool read_primitive(face_reader *in, level5_primitive *out)
{
    if (in->size - in->at < LEVEL5_PRIMITIVE_BYTES) return false;
    const uint8_t *head = in->data + in->at;
    out->flags = sni_load_u32(head);
    out->corner_count = sni_load_u32(head + 4);
    out->material = (int32_t)sni_load_u32(head + 8);
    if (!level5_set_corner(out, in->format, in->has_colors)) return false;
    uint64_t words = (uint64_t)out->corner_count * out->stride;
    in->at += LEVEL5_PRIMITIVE_BYTES;
    if (words > (in->size - in->at) / 4) return false;
    out->corners = (level5_array){ head + LEVEL5_PRIMITIVE_BYTES, out->corner_count };
    in->at += 4 * words;
    return true;
}

// How far from the stated size the primitives end if they are read in this format.
static uint64_t measure_slack(face_reader in, level5_face_format format, uint32_t count, uint64_t stated)
{
    level5_primitive primitive;
    in.format = format;
    for (uint32_t i = 0; i < count; i++)
        if (!read_primitive(&in, &primitive)) return UINT64_MAX;
    return in.at > stated ? in.at - stated : stated - in.at;
}

// Nothing in the file names the format of the faces. The format whose primitives end nearest to the stated size is the
// right one; stated sizes may be off by the section's header or its padding.
static void parse_faces(level5_parser *p, level5_mesh *mesh, uint64_t end)
{
    const uint64_t stated = mesh->faces.count;
    mesh->face_format = LEVEL5_FACES_DC2;
    if (stated == 0) return;
    uint64_t start = (uint64_t)(mesh->faces.data - p->bytes.data), room = end - start;
    face_reader in = { .data = mesh->faces.data,
                       .size = room - stated < MOST_SLACK ? room : stated + MOST_SLACK,
                       .at = LEVEL5_FACES_HEADER,
                       .has_colors = (int32_t)mesh->header[COLOR_OFFSET] > 0 };
    uint64_t dc1 = UINT64_MAX, dc2 = UINT64_MAX;
    uint32_t count = 0;
    if (stated >= LEVEL5_FACES_HEADER) {
        count = sni_load_u32(mesh->faces.data + 8);
        dc1 = measure_slack(in, LEVEL5_FACES_DC1, count, stated);
        dc2 = measure_slack(in, LEVEL5_FACES_DC2, count, stated);
    }
    if (dc1 < dc2) mesh->face_format = LEVEL5_FACES_DC1;
    if (dc1 > MOST_SLACK && dc2 > MOST_SLACK) {
        mesh->face_format = LEVEL5_FACES_UNKNOWN;
        sni_warn(p->diag, SNI_WARN_LEVEL5_FACES, start,
                 "%u primitives do not fill the stated %llu bytes in the format of either game", count,
                 (unsigned long long)stated);
        return;
    }
    in.format = mesh->face_format;
    mesh->primitives = sni_new(p->arena, level5_primitive, count);
    mesh->primitive_count = mesh->primitives ? count : 0;
    for (uint32_t i = 0; i < mesh->primitive_count; i++) read_primitive(&in, &mesh->primitives[i]);
}

// `end`: where the next mesh or the end of the file is.
static void parse_mesh(level5_parser *p, level5_mesh *mesh, uint64_t end)
{
    uint64_t room = end - mesh->offset;
    sni_load_words(p->bytes.data + mesh->offset, mesh->header, 16);
    level5_claim(p, mesh->offset, LEVEL5_MDT_BYTES);
    if (mesh->header[TOTAL_BYTES] < LEVEL5_MDT_BYTES || mesh->header[TOTAL_BYTES] > room)
        sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, mesh->offset + 8, "stated size is %u bytes, %llu are present",
                 mesh->header[TOTAL_BYTES], (unsigned long long)room);
    for (uint32_t i = 0; i < LEVEL5_SECTIONS; i++) {
        sni_enter(p->diag, level5_sections[i].name, -1);
        *level5_section_array(mesh, &level5_sections[i]) = find_section(p, mesh, &level5_sections[i], end);
        sni_leave(p->diag);
    }
    sni_enter(p->diag, "FACES", -1);
    if (sni_load_ok(p->load)) parse_faces(p, mesh, end);
    sni_leave(p->diag);
}

// An offset past the end means a truncated file. An offset to something else only costs the node its mesh.
static bool has_mesh(level5_parser *p, const level5_node *node, uint32_t index)
{
    char label[LEVEL5_NAME_BYTES + 1];
    size_t size = p->bytes.size, at = node->mesh_offset;
    if (at == 0) return false;
    bool is_inside = at <= size && size - at >= LEVEL5_MDT_BYTES;
    if (is_inside && sni_load_u32(p->bytes.data + at) == LEVEL5_MDT_MAGIC) return true;
    snprintf(label, sizeof label, "%.*s", (int)node->name.size, node->name.at);
    sni_enter_named(p->diag, "NODE", index, label);
    if (is_inside) sni_warn(p->diag, SNI_WARN_REFERENCE, node->offset, "no mesh begins at its mesh offset %zu", at);
    else
        sni_fail(p->diag, SN_ERR_TRUNCATED, node->offset, "its mesh offset %zu is past the end of the file at %zu", at,
                 size);
    sni_leave(p->diag);
    return false;
}

static void parse_meshes(level5_parser *p, level5_mds *mds)
{
    // The offsets, sorted, each once: a mesh ends where the next one begins, so no byte is read for two meshes.
    uint32_t *offsets = sni_new_raw(&p->load->scratch, uint32_t, mds->node_count), count = 0;
    if (!offsets) return;
    for (uint32_t i = 0; i < mds->node_count; i++)
        if (has_mesh(p, &mds->nodes[i], i)) offsets[count++] = mds->nodes[i].mesh_offset;
    if (count > 1) qsort(offsets, count, sizeof *offsets, compare_u32);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || offsets[i] != offsets[mds->mesh_count - 1]) offsets[mds->mesh_count++] = offsets[i];

    mds->meshes = sni_new(p->arena, level5_mesh, mds->mesh_count);
    for (uint32_t i = 0; i < mds->mesh_count && sni_load_ok(p->load); i++) {
        mds->meshes[i].offset = offsets[i];
        sni_enter(p->diag, "MDT", i);
        parse_mesh(p, &mds->meshes[i], i + 1 < mds->mesh_count ? offsets[i + 1] : p->bytes.size);
        sni_leave(p->diag);
    }
    for (uint32_t i = 0; i < mds->node_count && mds->mesh_count > 0; i++) {
        const uint32_t *found = bsearch(&mds->nodes[i].mesh_offset, offsets, mds->mesh_count, sizeof *offsets,
                                        compare_u32);
        if (found) mds->nodes[i].mesh = (int32_t)(found - offsets);
    }
}

// --- Nodes ---

static void read_node(sni_reader *in, level5_node *node)
{
    node->offset = sni_offset(in);
    node->index = sni_read_u32(in);
    node->record_bytes = sni_read_u32(in);
    const uint8_t *name = sni_take(in, LEVEL5_NAME_BYTES);
    node->name_field = (level5_array){ name, name ? LEVEL5_NAME_BYTES : 0 };
    node->name = name ? sni_str_until_nul(name, LEVEL5_NAME_BYTES) : sni_str_make("", 0);
    node->mesh_offset = sni_read_u32(in);
    node->parent = sni_read_i32(in);
    sni_read_words(in, node->matrix, 16);
    node->mesh = LEVEL5_NONE;
}

// DC2 uses the record size to find the next node. It is ignored if the remaining nodes would not fit.
static void skip_to_next(sni_reader *in, const level5_node *node, uint32_t remaining)
{
    uint32_t extra = node->record_bytes - LEVEL5_NODE_BYTES;
    if (node->record_bytes == LEVEL5_NODE_BYTES || remaining == 0) return;
    bool has_room = extra <= sni_rest(in) && (sni_rest(in) - extra) / LEVEL5_NODE_BYTES >= remaining;
    if (node->record_bytes > LEVEL5_NODE_BYTES && has_room) sni_skip(in, extra);
    else
        sni_warn(in->diag, SNI_WARN_LEVEL5_SIZE, node->offset + 4, "node size of %u bytes is not possible; using %u",
                 node->record_bytes, LEVEL5_NODE_BYTES);
}

static void parse_nodes(level5_parser *p, sni_reader *in, level5_mds *mds)
{
    if (!sni_has_items(in, mds->node_count, LEVEL5_NODE_BYTES)) return;
    mds->nodes = sni_new_raw(p->arena, level5_node, mds->node_count);
    for (uint32_t i = 0; i < mds->node_count && sni_ok(in); i++) {
        sni_enter(p->diag, "NODE", i);
        read_node(in, &mds->nodes[i]);
        skip_to_next(in, &mds->nodes[i], mds->node_count - 1 - i);
        level5_claim(p, mds->nodes[i].offset, LEVEL5_NODE_BYTES);
        sni_leave(p->diag);
    }
}

static bool parse_mds(level5_parser *p, level5_mds *mds)
{
    sni_reader in = sni_reader_make(p->bytes.data, p->bytes.size, p->diag, p->arena);
    mds->size = p->bytes.size;
    if (sni_read_u32(&in) != LEVEL5_MDS_MAGIC && sni_ok(&in))
        sni_fail(p->diag, SN_ERR_FORMAT, 0, "does not begin with MDS");
    mds->version = sni_read_u32(&in);
    if (sni_ok(&in) && mds->version != VERSION)
        sni_fail(p->diag, SN_ERR_UNSUPPORTED, 4, "MDS version %u; only version %u is supported", mds->version, VERSION);
    mds->node_count = sni_read_u32(&in);
    mds->first_node = sni_read_u32(&in);
    level5_claim(p, 0, MDS_HEADER);

    // DC1 ignores the offset of the first node.
    bool is_good = mds->first_node >= MDS_HEADER && mds->first_node <= mds->size;
    if (sni_ok(&in) && !is_good)
        sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, 12, "offset %u of the first node is not possible; using %u",
                 mds->first_node, MDS_HEADER);
    sni_seek(&in, is_good ? mds->first_node : MDS_HEADER);
    parse_nodes(p, &in, mds);
    if (sni_ok(&in)) parse_meshes(p, mds);
    return sni_ok(&in) && level5_find_gaps(p, &mds->gaps, &mds->gap_count);
}

bool level5_parse(sni_load *load, level5_kind kind, sni_bytes bytes, level5_doc *doc)
{
    level5_parser p = { .load = load, .diag = &load->diag, .arena = sni_load_document_arena(load), .bytes = bytes };
    doc->kind = kind;
    if (kind == LEVEL5_KIND_MDS && level5_is_dq8_mds(bytes)) doc->kind = LEVEL5_KIND_DQ8_MDS;
    if (kind == LEVEL5_KIND_TRACKS && level5_is_dq8_mot(bytes)) doc->kind = LEVEL5_KIND_DQ8_MOT;
    if (bytes.size > UINT32_MAX)
        return sni_fail(&load->diag, SN_ERR_LIMIT, 0, "%zu bytes; offsets are limited to %u", bytes.size, UINT32_MAX);
    switch (doc->kind) {
    case LEVEL5_KIND_MDS: return parse_mds(&p, &doc->as.mds);
    case LEVEL5_KIND_TRACKS: return parse_tracks(&p, &doc->as.tracks);
    case LEVEL5_KIND_BINDS: return parse_binds(&p, &doc->as.binds);
    case LEVEL5_KIND_CONFIG: return level5_parse_config(&p, &doc->as.config);
    case LEVEL5_KIND_PACK: return parse_pack(&p, &doc->as.pack);
    case LEVEL5_KIND_IMG: return parse_img(&p, &doc->as.img);
    case LEVEL5_KIND_DQ8_MDS: return level5_parse_dq8_mds(&p, &doc->as.dq8_mds);
    case LEVEL5_KIND_DQ8_MOT: return level5_parse_dq8_mot(&p, &doc->as.dq8_mot);
    default: return sni_fail(&load->diag, SN_ERR_FORMAT, 0, "not a file of a Level-5 game");
    }
}
