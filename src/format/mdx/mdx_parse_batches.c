// The geosets of 1500: all their headers, then for each its vertices, as the graphics card wants them, and its
// triangles. They are kept as they are; what the build needs is put together from them.
#include "format/mdx/mdx_parse.h"

enum { HEADER_BYTES = 64, VERTEX_BYTES = 48, PRIMITIVE_BYTES = 16, PAD_INDICES = 8, TRIANGLES = 3, SKIN_BYTES = 8 };
enum { POSITION = 0, WEIGHTS = 12, INDICES = 16, NORMAL = 20, UVS = 32 };  // in a vertex

// One member of all vertices.
static mdx_array gather(sni_reader *in, mdx_array vertices, size_t at, size_t bytes)
{
    uint8_t *out = sni_new_raw(in->arena, uint8_t, (uint64_t)vertices.count * bytes);
    for (size_t i = 0; out && i < vertices.count; i++)
        for (size_t k = 0; k < bytes; k++) out[i * bytes + k] = vertices.data[i * VERTEX_BYTES + at + k];
    return (mdx_array){ out, out ? vertices.count : 0 };
}

// As SKIN has it: four nodes, then their weights.
static mdx_array gather_skin(sni_reader *in, mdx_array vertices)
{
    uint64_t size = (uint64_t)vertices.count * SKIN_BYTES;
    uint8_t *out = sni_new_raw(in->arena, uint8_t, size);
    for (size_t i = 0; out && i < vertices.count; i++)
        for (size_t k = 0; k < 4; k++) {
            const uint8_t *vertex = vertices.data + i * VERTEX_BYTES;
            out[i * SKIN_BYTES + k] = vertex[INDICES + k];
            out[i * SKIN_BYTES + 4 + k] = vertex[WEIGHTS + k];
        }
    return (mdx_array){ out, out ? (uint32_t)size : 0 };
}

// Tags stand where counts follow: of vertices, of kinds of primitives, of indices.
static bool check_tags(sni_reader *in, const uint8_t *header)
{
    static const uint32_t tags[] = { MDX_TAG('P', 'V', 'T', 'X'), MDX_TAG('P', 'T', 'Y', 'P'),
                                     MDX_TAG('P', 'V', 'T', 'X') };
    uint64_t offset = sni_offset(in) - HEADER_BYTES;
    for (size_t i = 0; i < 3; i++)
        if (sni_load_u32(header + 32 + 8 * i) != tags[i])
            return sni_fail(in->diag, SN_ERR_CORRUPT, offset, "its counts have no tags");
    uint32_t kinds = sni_load_u32(header + 44);
    return kinds == 1 || sni_fail(in->diag, SN_ERR_UNSUPPORTED, offset, "%u kinds of primitives", kinds);
}

static void parse_header(sni_reader *in, mdx_geoset *geoset)
{
    geoset->item.offset = sni_offset(in);
    geoset->header = mdx_take_array(in, HEADER_BYTES, 1);
    const uint8_t *at = geoset->header.data;
    if (!sni_ok(in) || !check_tags(in, at)) return;
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

static bool set_faces(sni_reader *in, mdx_geoset *geoset, mdx_array faces)
{
    static const uint8_t triangles = 4;  // as the other versions number them
    uint8_t *count = sni_new(in->arena, uint8_t, 4);
    if (!count) return false;
    sni_store_u32(count, faces.count);
    geoset->faces = faces;
    geoset->face_types = (mdx_array){ &triangles, 1 };
    geoset->face_counts = (mdx_array){ count, 1 };
    return true;
}

static void parse_body(sni_reader *in, mdx_geoset *geoset)
{
    const uint8_t *start = in->at;
    uint32_t index_count = sni_load_u32(geoset->header.data + 52);
    mdx_array vertices = mdx_take_array(in, sni_load_u32(geoset->header.data + 36), VERTEX_BYTES);
    uint64_t offset = sni_offset(in);
    const uint8_t *primitive = sni_take(in,
                                        PRIMITIVE_BYTES);  // its kind, 0, how many indices from which vertex to which
    mdx_array faces = mdx_take_array(in, index_count, 2);
    sni_skip(in, 2 * (uint64_t)((PAD_INDICES - index_count % PAD_INDICES) % PAD_INDICES));
    if (!sni_ok(in)) return;
    if (sni_load_u32(primitive) != TRIANGLES) {
        sni_fail(in->diag, SN_ERR_UNSUPPORTED, offset, "primitives of kind %u", sni_load_u32(primitive));
        return;
    }
    geoset->block = (mdx_array){ start, (uint32_t)(in->at - start) };
    geoset->positions = gather(in, vertices, POSITION, 12);
    geoset->normals = gather(in, vertices, NORMAL, 12);
    geoset->skin = gather_skin(in, vertices);
    geoset->uvs = sni_new(in->arena, mdx_array, 2);
    if (!geoset->uvs || !set_faces(in, geoset, faces)) return;
    geoset->has_uvs = true;
    geoset->uv_count = 2;
    for (size_t i = 0; i < 2; i++) geoset->uvs[i] = gather(in, vertices, UVS + 8 * i, 8);
}

void mdx_parse_batches(mdx_parser *p, sni_reader *in, mdx_chunk *chunk)
{
    mdx_list *list = &p->doc->geosets;
    chunk->is_bare = sni_rest(in) < 4;
    sni_enter(in->diag, "GEOS", -1);
    uint32_t count = chunk->is_bare ? 0 : sni_read_count(in, HEADER_BYTES);
    sni_leave(in->diag);
    chunk->first = list->count;
    for (; sni_ok(in) && chunk->count < count; chunk->count++) {
        sni_enter(in->diag, "GEOS", list->count);
        mdx_geoset *geoset = sni_list_push(in->arena, list, sizeof(mdx_geoset));
        if (geoset) parse_header(in, geoset);
        sni_leave(in->diag);
    }
    for (uint32_t i = chunk->first; sni_ok(in) && i < list->count; i++) {
        sni_enter(in->diag, "GEOS", i);
        parse_body(in, (mdx_geoset *)list->items + i);
        sni_leave(in->diag);
    }
    sni_enter(in->diag, "GEOS", -1);
    chunk->raw = mdx_keep_rest(in, "element");
    sni_leave(in->diag);
}
