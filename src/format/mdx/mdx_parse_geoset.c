// Geosets of MDX: tagged arrays up to version 1400, headers and packed vertices in 1500.
#include "format/mdx/mdx_parse.h"

static const mdx_section tangents = { MDX_TANG, "TANG", offsetof(mdx_geoset, tangents), 16, 0 };
static const mdx_section skin = { MDX_SKIN, "SKIN", offsetof(mdx_geoset, skin), 1, 0 };

static mdx_array parse_uv_set(sni_reader *in, uint32_t index)
{
    sni_enter(in->diag, "UVBS", index);
    if (!mdx_next_is(in, MDX_UVBS))
        sni_fail(in->diag, SN_ERR_CORRUPT, sni_offset(in),
                 "UVAS counts another UVBS, but %zu bytes without that tag follow", sni_rest(in));
    sni_skip(in, 4);
    uint32_t count = sni_read_u32(in);
    mdx_array uvs = mdx_read_array(in, count, 8);
    sni_leave(in->diag);
    return uvs;
}

// Sets of 1300 follow each other without tags, with one pair per vertex.
static void parse_uvs(const mdx_doc *doc, sni_reader *in, mdx_geoset *geoset)
{
    if (!mdx_next_is(in, MDX_UVAS)) return;
    uint32_t vertices = geoset->positions.count;
    sni_enter(in->diag, "UVAS", -1);
    sni_skip(in, 4);
    geoset->has_uvs = true;
    size_t set_bytes = !mdx_is_wow(doc) ? 8 : vertices > 0 ? 8 * (size_t)vertices : 1;
    uint32_t count = sni_read_count(in, set_bytes);
    geoset->uvs = sni_new(in->arena, mdx_array, count);
    for (; geoset->uvs && geoset->uv_count < count && sni_ok(in); geoset->uv_count++)
        geoset->uvs[geoset->uv_count] = mdx_is_wow(doc) ? mdx_read_array(in, vertices, 8)
                                                        : parse_uv_set(in, geoset->uv_count);
    sni_leave(in->diag);
}

void mdx_parse_geoset(const mdx_doc *doc, sni_reader *in, mdx_geoset *geoset)
{
    for (const mdx_section *section = mdx_geoset_sections; section->tag; section++) {
        if (mdx_is_wow(doc) && section->tag == MDX_PTYP) parse_uvs(doc, in, geoset);
        mdx_parse_section(doc, in, section, geoset);
    }
    if (!geoset->positions.data || !geoset->faces.data)
        sni_warn(in->diag, SNI_WARN_MDX_SECTION, sni_offset(in), "no %s", geoset->positions.data ? "PVTX" : "VRTX");

    // A section out of order would be read as numbers.
    for (const mdx_section *section = mdx_geoset_sections; section->tag; section++)
        if (mdx_section_bytes(doc, section) > 0 && mdx_next_is(in, section->tag)) {
            sni_fail(in->diag, SN_ERR_CORRUPT, sni_offset(in), "%s is in the place of the material index",
                     section->name);
            return;
        }

    mdx_parse_fields(doc, in, mdx_geoset_fields, MDX_ALL_FIELDS, geoset);
    uint32_t count = sni_read_u32(in);
    sni_enter(in->diag, "extents", -1);
    geoset->extents = mdx_read_array(in, count, mdx_type_bytes(MDX_EXTENT, doc->version));
    sni_leave(in->diag);
    if (mdx_is_wow(doc)) return;

    geoset->skin_first = mdx_next_is(in, MDX_SKIN);
    if (geoset->skin_first) mdx_parse_section(doc, in, &skin, geoset);
    mdx_parse_section(doc, in, &tangents, geoset);
    if (!geoset->skin_first) mdx_parse_section(doc, in, &skin, geoset);
    parse_uvs(doc, in, geoset);
}

// Version 1500: all headers, then for each geoset its vertices and triangles. The document keeps those bytes and
// copies the members that the build needs into arrays as the other versions have them.

enum { HEADER_BYTES = 64, VERTEX_BYTES = 48, PRIMITIVE_BYTES = 16, INDEX_ALIGNMENT = 8, BATCH_TRIANGLES = 3 };
enum { POSITION = 0, WEIGHTS = 12, BONES = 16, NORMAL = 20, UVS = 32 };  // offsets in a vertex
enum { VERTEX_COUNT = 36, PRIMITIVE_KINDS = 44, INDEX_COUNT = 52 };      // offsets in a header

// Copies one member of each vertex.
static mdx_array copy_member(sni_reader *in, mdx_array vertices, size_t offset, size_t bytes)
{
    uint8_t *out = sni_new_raw(in->arena, uint8_t, (uint64_t)vertices.count * bytes);
    for (size_t i = 0; out && i < vertices.count; i++)
        for (size_t k = 0; k < bytes; k++) out[i * bytes + k] = vertices.data[i * VERTEX_BYTES + offset + k];
    return (mdx_array){ out, out ? vertices.count : 0 };
}

// As SKIN has it: four bones, then their weights.
static mdx_array copy_skin(sni_reader *in, mdx_array vertices)
{
    uint64_t size = (uint64_t)vertices.count * MDX_SKIN_BYTES;
    uint8_t *out = sni_new_raw(in->arena, uint8_t, size);
    for (size_t i = 0; out && i < vertices.count; i++)
        for (size_t k = 0; k < 4; k++) {
            const uint8_t *vertex = vertices.data + i * VERTEX_BYTES;
            out[i * MDX_SKIN_BYTES + k] = vertex[BONES + k];
            out[i * MDX_SKIN_BYTES + 4 + k] = vertex[WEIGHTS + k];
        }
    return (mdx_array){ out, out ? (uint32_t)size : 0 };
}

static void parse_batch_header(sni_reader *in, mdx_geoset *geoset)
{
    static const uint32_t tags[] = { MDX_PVTX, MDX_PTYP, MDX_PVTX };  // before each of the three counts
    uint64_t offset = geoset->item.offset = sni_offset(in);
    geoset->header = mdx_read_array(in, HEADER_BYTES, 1);
    const uint8_t *at = geoset->header.data;
    if (!sni_ok(in)) return;
    for (size_t i = 0; i < 3; i++)
        if (sni_load_u32(at + 32 + 8 * i) != tags[i]) {
            sni_fail(in->diag, SN_ERR_CORRUPT, offset, "the tags before its counts are missing");
            return;
        }
    uint32_t kinds = sni_load_u32(at + PRIMITIVE_KINDS);
    if (kinds != 1) {
        sni_fail(in->diag, SN_ERR_UNSUPPORTED, offset, "%u kinds of primitives (only 1 is supported)", kinds);
        return;
    }
    geoset->material = sni_load_u32(at);
    geoset->extent.radius = sni_load_f32(at + 16);
    for (int i = 0; i < 3; i++) {
        float centre = sni_load_f32(at + 4 + 4 * i);
        geoset->extent.min[i] = centre - geoset->extent.radius;
        geoset->extent.max[i] = centre + geoset->extent.radius;
    }
    geoset->selection_group = sni_load_u32(at + 20);
    geoset->selection_flags = sni_load_u32(at + 28);
}

static void parse_batch_data(sni_reader *in, mdx_geoset *geoset)
{
    const uint8_t *start = in->at;
    uint32_t index_count = sni_load_u32(geoset->header.data + INDEX_COUNT);
    mdx_array vertices = mdx_read_array(in, sni_load_u32(geoset->header.data + VERTEX_COUNT), VERTEX_BYTES);
    uint64_t offset = sni_offset(in);
    const uint8_t *primitive = sni_take(in, PRIMITIVE_BYTES);  // kind, 0, index count, first and last vertex
    mdx_array faces = mdx_read_array(in, index_count, 2);
    sni_skip(in, 2 * (uint64_t)((INDEX_ALIGNMENT - index_count % INDEX_ALIGNMENT) % INDEX_ALIGNMENT));
    if (!sni_ok(in)) return;
    if (sni_load_u32(primitive) != BATCH_TRIANGLES) {
        sni_fail(in->diag, SN_ERR_UNSUPPORTED, offset, "primitives of kind %u (only %d, triangles, is supported)",
                 sni_load_u32(primitive), BATCH_TRIANGLES);
        return;
    }

    geoset->block = (mdx_array){ start, (uint32_t)(in->at - start) };
    geoset->positions = copy_member(in, vertices, POSITION, 12);
    geoset->normals = copy_member(in, vertices, NORMAL, 12);
    geoset->skin = copy_skin(in, vertices);
    uint8_t *face_count = sni_new(in->arena, uint8_t, 4);
    geoset->uvs = sni_new(in->arena, mdx_array, 2);
    if (!geoset->uvs || !face_count) return;
    geoset->has_uvs = true;
    geoset->uv_count = 2;
    for (size_t i = 0; i < 2; i++) geoset->uvs[i] = copy_member(in, vertices, UVS + 8 * i, 8);

    static const uint8_t face_type = MDX_TRIANGLES;
    sni_store_u32(face_count, faces.count);
    geoset->faces = faces;
    geoset->face_types = (mdx_array){ &face_type, 1 };
    geoset->face_counts = (mdx_array){ face_count, 1 };
}

void mdx_parse_batches(mdx_doc *doc, sni_reader *in, mdx_chunk *chunk)
{
    mdx_list *list = &doc->geosets;
    chunk->lacks_count = sni_rest(in) < 4;
    sni_enter(in->diag, "GEOS", -1);
    uint32_t count = chunk->lacks_count ? 0 : sni_read_count(in, HEADER_BYTES);
    sni_leave(in->diag);
    chunk->first = list->count;
    for (; sni_ok(in) && chunk->count < count; chunk->count++) {
        sni_enter(in->diag, "GEOS", list->count);
        mdx_geoset *geoset = sni_push(in->arena, list, mdx_geoset);
        if (geoset) parse_batch_header(in, geoset);
        sni_leave(in->diag);
    }
    for (uint32_t i = chunk->first; sni_ok(in) && i < list->count; i++) {
        sni_enter(in->diag, "GEOS", i);
        parse_batch_data(in, (mdx_geoset *)list->items + i);
        sni_leave(in->diag);
    }
    sni_enter(in->diag, "GEOS", -1);
    chunk->raw = mdx_read_trailing(in, "element");
    sni_leave(in->diag);
}
