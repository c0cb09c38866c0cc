// MDT: the arrays of a mesh, and the rule by which its faces are to be read.
#include "format/level5/level5_parse.h"

#include <stddef.h>

enum { TOTAL_BYTES = 2, COLOR_OFFSET = 8, MOST_SLACK = 16, TEXTURE_NAME_BYTES = 44 };

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

// A mesh can do without all but its positions and faces; a collision mesh has something else in place of materials.
static bool is_needed(const level5_section *section)
{
    return section->array == offsetof(level5_mesh, positions) || section->array == offsetof(level5_mesh, faces);
}

static level5_array take_section(level5_parser *p, const level5_mesh *mesh, const level5_section *section, uint64_t end)
{
    int32_t count = (int32_t)mesh->header[section->word], offset = (int32_t)mesh->header[section->word + 1];
    if (offset <= 0 || count <= 0) return (level5_array){ 0 };
    uint64_t room = end - mesh->offset, bytes = (uint64_t)count * section->item_bytes;
    if ((uint64_t)offset <= room && bytes <= room - (uint64_t)offset) {
        level5_claim(p, mesh->offset + (uint64_t)offset, bytes);
        return (level5_array){ p->bytes.data + mesh->offset + offset, (uint32_t)count };
    }
    bool is_cut = end == p->bytes.size;
    uint64_t place = mesh->offset + 4u * section->word;
    if (is_needed(section))
        sni_fail(p->diag, is_cut ? SN_ERR_TRUNCATED : SN_ERR_CORRUPT, place,
                 "%d of %u bytes at %d; the mesh has %llu bytes", count, section->item_bytes, offset,
                 (unsigned long long)room);
    else
        sni_warn(p->diag, SNI_WARN_LEVEL5_SECTION, place, "%d of %u bytes at %d; the mesh has %llu bytes", count,
                 section->item_bytes, offset, (unsigned long long)room);
    return (level5_array){ 0 };
}

bool level5_set_corner(level5_primitive *primitive, level5_rule rule, bool has_colors)
{
    enum { UNTEXTURED = 0x10, COLORED = 0x100, NO_NORMAL = 0x200 };
    uint32_t flags = primitive->flags;
    bool is_old = rule == LEVEL5_RULE_DC1;
    int32_t next = 1;
    if (is_old ? flags != 3 && flags != 4 : (flags & 7) == 0 || (flags & 7) == 7) return false;
    primitive->normal_at = is_old || !(flags & NO_NORMAL) ? next++ : LEVEL5_NONE;
    primitive->uv_at = is_old || !(flags & UNTEXTURED) ? next++ : LEVEL5_NONE;
    primitive->color_at = (is_old ? has_colors : (flags & COLORED) != 0) ? next++ : LEVEL5_NONE;
    primitive->stride = (uint32_t)next;
    return true;
}

typedef struct face_walk {
    const uint8_t *data;
    uint64_t size, at;
    level5_rule rule;
    bool has_colors;
} face_walk;

static bool next_primitive(face_walk *walk, level5_primitive *out)
{
    if (walk->size - walk->at < LEVEL5_PRIMITIVE_BYTES) return false;
    const uint8_t *head = walk->data + walk->at;
    out->flags = sni_load_u32(head);
    out->corner_count = sni_load_u32(head + 4);
    out->material = (int32_t)sni_load_u32(head + 8);
    if (!level5_set_corner(out, walk->rule, walk->has_colors)) return false;
    uint64_t words = (uint64_t)out->corner_count * out->stride;
    walk->at += LEVEL5_PRIMITIVE_BYTES;
    if (words > (walk->size - walk->at) / 4) return false;
    out->corners = (level5_array){ head + LEVEL5_PRIMITIVE_BYTES, out->corner_count };
    walk->at += 4 * words;
    return true;
}

// How far from the stated size a rule ends: it may be off by the section's own header or its padding.
static uint64_t find_slack(face_walk walk, level5_rule rule, uint32_t count, uint64_t stated)
{
    level5_primitive primitive;
    walk.rule = rule;
    for (uint32_t i = 0; i < count; i++)
        if (!next_primitive(&walk, &primitive)) return UINT64_MAX;
    return walk.at > stated ? walk.at - stated : stated - walk.at;
}

static level5_rule find_rule(const face_walk *walk, uint32_t count, uint64_t stated)
{
    if (stated < LEVEL5_FACES_HEADER) return LEVEL5_UNREADABLE;
    uint64_t newer = find_slack(*walk, LEVEL5_RULE_DC2, count, stated),
             older = find_slack(*walk, LEVEL5_RULE_DC1, count, stated);
    if (newer > MOST_SLACK && older > MOST_SLACK) return LEVEL5_UNREADABLE;
    return older < newer ? LEVEL5_RULE_DC1 : LEVEL5_RULE_DC2;
}

static void parse_faces(level5_parser *p, level5_mesh *mesh, uint64_t end)
{
    const uint64_t stated = mesh->faces.count;
    if (stated == 0) {
        mesh->rule = LEVEL5_RULE_DC2;
        return;
    }
    uint64_t start = (uint64_t)(mesh->faces.data - p->bytes.data), room = end - start;
    face_walk walk = { .data = mesh->faces.data,
                       .size = room - stated < MOST_SLACK ? room : stated + MOST_SLACK,
                       .at = LEVEL5_FACES_HEADER,
                       .has_colors = (int32_t)mesh->header[COLOR_OFFSET] > 0 };
    uint32_t count = stated >= LEVEL5_FACES_HEADER ? sni_load_u32(mesh->faces.data + 8) : 0;
    mesh->rule = walk.rule = find_rule(&walk, count, stated);
    if (mesh->rule == LEVEL5_UNREADABLE) {
        sni_warn(p->diag, SNI_WARN_LEVEL5_FACES, start,
                 "%u primitives do not end where their %llu bytes do, by either rule", count,
                 (unsigned long long)stated);
        return;
    }
    mesh->primitives = sni_new(p->arena, level5_primitive, count);
    mesh->primitive_count = mesh->primitives ? count : 0;
    for (uint32_t i = 0; i < mesh->primitive_count; i++) next_primitive(&walk, &mesh->primitives[i]);
}

bool level5_parse_mesh(level5_parser *p, level5_mesh *mesh, uint64_t end)
{
    uint64_t room = end - mesh->offset;
    sni_load_words(p->bytes.data + mesh->offset, mesh->header, 16);
    level5_claim(p, mesh->offset, LEVEL5_MDT_BYTES);
    if (mesh->header[TOTAL_BYTES] < LEVEL5_MDT_BYTES || mesh->header[TOTAL_BYTES] > room)
        sni_warn(p->diag, SNI_WARN_LEVEL5_SIZE, mesh->offset + 8, "%u bytes should be there, there are %llu",
                 mesh->header[TOTAL_BYTES], (unsigned long long)room);
    for (uint32_t i = 0; i < LEVEL5_SECTIONS; i++) {
        sni_enter(p->diag, level5_sections[i].name, -1);
        *(level5_array *)(void *)((char *)mesh + level5_sections[i].array) = take_section(p, mesh, &level5_sections[i],
                                                                                          end);
        sni_leave(p->diag);
    }
    sni_enter(p->diag, "FACES", -1);
    if (sni_load_ok(p->load)) parse_faces(p, mesh, end);
    sni_leave(p->diag);
    return sni_load_ok(p->load);
}

level5_material level5_read_material(const level5_mesh *mesh, uint32_t index)
{
    const uint8_t *at = mesh->materials.data + (size_t)index * LEVEL5_MATERIAL_BYTES;
    level5_material material = { .power = sni_load_u32(at + 48),
                                 .texture = level5_cut_at_nul(at + 52, TEXTURE_NAME_BYTES) };
    sni_load_words(at, material.diffuse, 4);
    sni_load_words(at + 16, material.ambient, 4);
    sni_load_words(at + 32, material.specular, 4);
    if (material.texture.size == TEXTURE_NAME_BYTES) material.texture.size = LEVEL5_NAME_BYTES;
    return material;
}
