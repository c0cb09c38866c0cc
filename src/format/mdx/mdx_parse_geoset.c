#include "format/mdx/mdx_parse.h"

static const mdx_section tangents = { MDX_TAG('T', 'A', 'N', 'G'), "TANG", offsetof(mdx_geoset, tangents), 16, 0 };
static const mdx_section skin = { MDX_TAG('S', 'K', 'I', 'N'), "SKIN", offsetof(mdx_geoset, skin), 1, 0 };

static mdx_array parse_uv_set(sni_reader *in, uint32_t index)
{
    sni_enter(in->diag, "UVBS", index);
    if (!mdx_next_is(in, MDX_TAG('U', 'V', 'B', 'S')))
        sni_fail(in->diag, SN_ERR_CORRUPT, sni_offset(in),
                 "UVAS promises another UVBS, %zu bytes of something else follow", sni_rest(in));
    sni_skip(in, 4);
    uint32_t count = sni_read_u32(in);
    mdx_array uvs = mdx_take_array(in, count, 8);
    sni_leave(in->diag);
    return uvs;
}

// 1300 has one pair for each vertex and set behind each other, without tags.
static void parse_uvs(const mdx_parser *p, sni_reader *in, mdx_geoset *geoset)
{
    if (!mdx_next_is(in, MDX_TAG('U', 'V', 'A', 'S'))) return;
    bool is_alpha = mdx_is_alpha(p->doc);
    uint32_t vertices = geoset->positions.count;
    sni_enter(in->diag, "UVAS", -1);
    sni_skip(in, 4);
    geoset->has_uvs = true;
    size_t set_bytes = !is_alpha ? 8 : vertices > 0 ? 8 * (size_t)vertices : 1;
    uint32_t count = sni_read_count(in, set_bytes);
    geoset->uvs = sni_new(in->arena, mdx_array, count);
    for (; geoset->uvs && geoset->uv_count < count && sni_ok(in); geoset->uv_count++)
        geoset->uvs[geoset->uv_count] = is_alpha ? mdx_take_array(in, vertices, 8) : parse_uv_set(in, geoset->uv_count);
    sni_leave(in->diag);
}

// A tag out of its order would be read as numbers; better to say so.
static bool fail_misplaced(const mdx_parser *p, sni_reader *in)
{
    for (const mdx_section *section = mdx_geoset_sections; section->tag; section++) {
        size_t bytes = mdx_is_alpha(p->doc) ? section->alpha_bytes : section->bytes;
        if (bytes > 0 && mdx_next_is(in, section->tag))
            return sni_fail(in->diag, SN_ERR_CORRUPT, sni_offset(in), "%s stands where the material's number belongs",
                            section->name);
    }
    return true;
}

static void parse_arrays(const mdx_parser *p, sni_reader *in, mdx_geoset *geoset)
{
    for (const mdx_section *section = mdx_geoset_sections; section->tag; section++) {
        if (mdx_is_alpha(p->doc) && section->array == offsetof(mdx_geoset, face_types)) parse_uvs(p, in, geoset);
        mdx_parse_section(p, in, section, geoset);
    }
    if (!geoset->positions.data || !geoset->faces.data)
        sni_warn(in->diag, SNI_WARN_MDX_SECTION, sni_offset(in), "no %s", geoset->positions.data ? "PVTX" : "VRTX");
}

void mdx_parse_geoset(mdx_parser *p, sni_reader *in, mdx_geoset *geoset)
{
    parse_arrays(p, in, geoset);
    if (!fail_misplaced(p, in)) return;
    mdx_parse_fields(p, in, mdx_geoset_fields, MDX_ALL_FIELDS, geoset);
    uint32_t count = sni_read_u32(in);
    sni_enter(in->diag, "extents", -1);
    geoset->extents = mdx_take_array(in, count, mdx_type_bytes(MDX_EXTENT, p->doc->version));
    sni_leave(in->diag);
    if (mdx_is_alpha(p->doc)) return;
    geoset->skin_first = mdx_next_is(in, skin.tag);
    if (geoset->skin_first) mdx_parse_section(p, in, &skin, geoset);
    mdx_parse_section(p, in, &tangents, geoset);
    if (!geoset->skin_first) mdx_parse_section(p, in, &skin, geoset);
    parse_uvs(p, in, geoset);
}
