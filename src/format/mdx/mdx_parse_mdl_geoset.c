// Geosets in MDL.
#include "format/mdx/mdx_mdl.h"

static bool is(sni_str word, const char *literal) { return sni_str_is_nocase(word, literal); }

// The arrays that are one word and one list.
static bool parse_list(mdx_mdl_parser *parser, mdx_geoset *geoset, sni_str word)
{
    mdx_mdl_scalar type_scalar = mdx_is_alpha(parser->doc) ? MDX_MDL_U8 : MDX_MDL_U32;
    if (is(word, "Vertices")) geoset->positions = mdx_mdl_read_array(parser, MDX_MDL_F32, 3);
    else if (is(word, "Normals")) geoset->normals = mdx_mdl_read_array(parser, MDX_MDL_F32, 3);
    else if (is(word, "Tangents")) geoset->tangents = mdx_mdl_read_array(parser, MDX_MDL_F32, 4);
    else if (is(word, "VertexGroup")) geoset->groups = mdx_mdl_read_array(parser, MDX_MDL_U8, 1);
    else if (is(word, "BoneIndices")) geoset->bone_indices = mdx_mdl_read_array(parser, MDX_MDL_U32, 1);
    else if (is(word, "BoneWeights")) geoset->bone_weights = mdx_mdl_read_array(parser, MDX_MDL_U32, 1);
    else if (is(word, "FaceTypes"))
        geoset->face_types = mdx_mdl_read_array(parser, type_scalar, 1);  // hidden, as the next three
    else if (is(word, "FaceCounts")) geoset->face_counts = mdx_mdl_read_array(parser, MDX_MDL_U32, 1);
    else if (is(word, "GroupSizes")) geoset->group_sizes = mdx_mdl_read_array(parser, MDX_MDL_U32, 1);
    else if (is(word, "MatrixList")) geoset->matrices = mdx_mdl_read_array(parser, MDX_MDL_U32, 1);
    else return false;
    return true;
}

static sni_list list_of(mdx_array array)
{
    return (sni_list){ (void *)(uintptr_t)array.data, array.count, array.count };
}

static void add_faces(mdx_mdl_parser *parser, sni_list *faces, mdx_array more)
{
    if (faces->count == 0) *faces = list_of(more), more.count = 0;
    for (uint32_t i = 0; i < more.count; i++) {
        uint8_t *corner = sni_list_push(parser->arena, faces, 2);
        if (!corner) return;
        corner[0] = more.data[2 * (size_t)i], corner[1] = more.data[2 * (size_t)i + 1];
    }
}

// Triangles { { i, i, ... } ... } inside, perhaps several: one group of faces for all of them, whatever the braces say.
static void parse_faces(mdx_mdl_parser *parser, mdx_geoset *geoset)
{
    sni_list faces = list_of(geoset->faces);
    while (mdx_lex_is_number(&parser->lex)) mdx_lex_word(&parser->lex);
    mdx_lex_open(&parser->lex);
    while (mdx_lex_more(&parser->lex)) {
        mdx_mdl_statement said = mdx_mdl_read_statement(parser);
        if (is(said.word, "Triangles")) add_faces(parser, &faces, mdx_mdl_read_array(parser, MDX_MDL_U16, 1));
        else mdx_mdl_skip_unknown(parser, said);
    }
    geoset->faces = (mdx_array){ faces.items, faces.count };
    bool is_wide = !mdx_is_alpha(parser->doc);
    uint8_t *type = sni_new(parser->arena, uint8_t, 4), *count = sni_new(parser->arena, uint8_t, 4);
    if (!type || !count) return;
    enum { TRIANGLES = 4 };
    if (is_wide) sni_store_u32(type, TRIANGLES);
    else type[0] = TRIANGLES;
    sni_store_u32(count, geoset->faces.count);
    geoset->face_types = (mdx_array){ type, 1 };
    geoset->face_counts = (mdx_array){ count, 1 };
}

// Groups n total { Matrices { id, ... }, ... }
static void parse_groups(mdx_mdl_parser *parser, mdx_mdl_element *element)
{
    mdx_geoset *geoset = element->at;
    sni_list sizes = { 0 }, nodes = { 0 };
    while (mdx_lex_is_number(&parser->lex)) mdx_lex_word(&parser->lex);
    mdx_lex_open(&parser->lex);
    while (mdx_lex_more(&parser->lex)) {
        if (mdx_lex_peek(&parser->lex) != '{') mdx_lex_word(&parser->lex);
        uint8_t *size = sni_list_push(parser->arena, &sizes, 4);
        uint32_t before = nodes.count;
        mdx_lex_open(&parser->lex);
        while (mdx_lex_more(&parser->lex)) {
            uint8_t *node = sni_list_push(parser->arena, &nodes, 4);
            if (!node) return;
            sni_store_u32(node, mdx_lex_u32(&parser->lex));
            if (mdx_lex_take(&parser->lex, '{')) mdx_lex_skip_block(&parser->lex);
        }
        if (size) sni_store_u32(size, nodes.count - before);
    }
    geoset->group_sizes = (mdx_array){ sizes.items, sizes.count };
    geoset->matrices = (mdx_array){ nodes.items, nodes.count };
}

// Flat or a brace for each vertex, with a count or without.
static void parse_skin(mdx_mdl_parser *parser, mdx_geoset *geoset)
{
    enum { VERTEX_BYTES = 8 };
    geoset->skin = mdx_mdl_read_array(parser, MDX_MDL_U8, VERTEX_BYTES);
    geoset->skin.count *= VERTEX_BYTES;
}

// Anim { extents }: those of one sequence.
static void parse_sequence_extent(mdx_mdl_parser *parser, mdx_mdl_element *element)
{
    mdx_extent extent = { 0 };
    mdx_lex_open(&parser->lex);
    while (mdx_lex_more(&parser->lex)) {
        mdx_mdl_statement said = mdx_mdl_read_statement(parser);
        if (!mdx_mdl_read_extent(parser, said.word, &extent)) mdx_mdl_skip_unknown(parser, said);
    }
    uint8_t *record = sni_list_push(parser->arena, &element->extents, mdx_type_bytes(MDX_EXTENT, parser->doc->version));
    if (!record) return;
    sni_store_f32(record, extent.radius);
    for (int i = 0; i < 3; i++) sni_store_f32(record + 4 + 4 * i, extent.min[i]);
    for (int i = 0; i < 3; i++) sni_store_f32(record + 16 + 4 * i, extent.max[i]);
}

bool mdx_mdl_parse_geoset(mdx_mdl_parser *parser, mdx_mdl_element *element, mdx_mdl_statement said)
{
    mdx_geoset *geoset = element->at;
    if (parse_list(parser, geoset, said.word)) return true;
    if (mdx_mdl_read_extent(parser, said.word, &geoset->extent)) return true;
    if (is(said.word, "TVertices")) {
        mdx_array *uvs = sni_push(parser->arena, &element->parts, mdx_array);
        if (uvs) *uvs = mdx_mdl_read_array(parser, MDX_MDL_F32, 2);
    } else if (is(said.word, "Faces")) {
        parse_faces(parser, geoset);
    } else if (is(said.word, "Groups")) {
        parse_groups(parser, element);
    } else if (is(said.word, "SkinWeights")) {
        parse_skin(parser, geoset);
    } else if (is(said.word, "Anim")) {
        parse_sequence_extent(parser, element);
    } else {
        return false;
    }
    return true;
}

void mdx_mdl_end_geoset(mdx_mdl_element *element)
{
    mdx_geoset *geoset = element->at;
    if (element->parts.count > 0) geoset->uvs = element->parts.items, geoset->uv_count = element->parts.count;
    if (element->extents.count > 0) geoset->extents = (mdx_array){ element->extents.items, element->extents.count };
    geoset->has_uvs = true;
}
