// MDS: a list of nodes, then the meshes (MDT) that nodes refer to by their offset.
#include "format/level5/level5_parse.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

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
                                 .texture = level5_until_nul(at + 52, TEXTURE_NAME_BYTES) };
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
    if (count > 1) qsort(offsets, count, sizeof *offsets, level5_compare_u32);
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
                                        level5_compare_u32);
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
    node->name = name ? level5_until_nul(name, LEVEL5_NAME_BYTES) : sni_str_make("", 0);
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

bool level5_parse_mds(level5_parser *p, level5_mds *mds)
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
