// MDL text to document: blocks and their statements, by the tables of the format; what tables cannot say is in the
// files beside this one. Counts in the text are never believed, words nobody knows are skipped with a warning.
#include "format/mdx/mdx_mdl.h"

#include <string.h>

mdx_mdl_statement mdx_mdl_read_statement(mdx_mdl_parser *parser)
{
    mdx_lex_peek(&parser->lex);
    mdx_mdl_statement said = { .offset = mdx_lex_offset(&parser->lex), .word = mdx_lex_word(&parser->lex) };
    if (sni_str_is_nocase(said.word, "static")) {
        said.is_static = true;
        said.word = mdx_lex_word(&parser->lex);
    }
    said.word = mdx_mdl_usual_word(said.word);
    return said;
}

void mdx_mdl_skip_unknown(mdx_mdl_parser *parser, mdx_mdl_statement said)
{
    int shown = said.word.size < 40 ? (int)said.word.size : 40;
    if (mdx_lex_ok(&parser->lex))
        sni_warn(&parser->load->diag, SNI_WARN_MDL_WORD, said.offset, "line %u: \"%.*s\"", mdx_lex_line(&parser->lex),
                 shown, said.word.at);
    mdx_lex_skip_statement(&parser->lex);
}

static const mdx_mdl_word *find_word(const mdx_mdl_word *words, sni_str word)
{
    for (; words->word; words++)
        if (sni_str_is_nocase(word, words->word)) return words;
    return NULL;
}

bool mdx_mdl_parse_words(mdx_mdl_parser *parser, uint32_t tag, mdx_mdl_statement said, void *element)
{
    for (const mdx_mdl_number *number = mdx_mdl_numbers_of(tag); number->raw; number++) {
        uint32_t *value = (uint32_t *)(void *)((char *)element + number->offset);
        if (!mdx_mdl_has_number(number, parser->doc->version)) continue;
        if (sni_str_is_nocase(said.word, number->raw)) {
            *value = mdx_lex_u32(&parser->lex);
            return true;
        }
        bool has_prefix = number->prefix && sni_str_is_nocase(said.word, number->prefix);
        if (number->prefix && !has_prefix) continue;
        const mdx_mdl_word *found = find_word(number->words, has_prefix ? mdx_lex_word(&parser->lex) : said.word);
        if (found) *value = (*value & ~found->mask) | found->bits;
        else if (has_prefix) mdx_mdl_skip_unknown(parser, said);
        if (found || has_prefix) return true;
    }
    return false;
}

static const mdx_field *find_field(const mdx_field *fields, sni_str word, uint32_t version)
{
    for (; fields->count; fields++)
        if (fields->word && mdx_has_field(fields, version) && sni_str_is_nocase(word, fields->word)) return fields;
    return NULL;
}

bool mdx_mdl_parse_field(mdx_mdl_parser *parser, const mdx_field *fields, mdx_mdl_statement said, void *element,
                         sni_list *tracks)
{
    const mdx_field *field = find_field(fields, said.word, parser->doc->version);
    if (!field) return false;
    bool is_one = field->count == 1 && field->type != MDX_NAME && field->type != MDX_PATH;
    if (said.is_static || !is_one || !mdx_mdl_is_track(parser)) mdx_mdl_read_field(parser, field, element);
    else if (field->track) mdx_mdl_read_track(parser, mdx_find_track(field->track), tracks);
    else mdx_mdl_skip_unknown(parser, said);
    return true;
}

// Visibility has one tag in 1300, before it one for each kind.
bool mdx_mdl_parse_track(mdx_mdl_parser *parser, const uint32_t *tags, mdx_mdl_statement said, sni_list *tracks)
{
    for (const uint32_t *tag = tags; *tag; tag++) {
        const mdx_track_kind *kind = mdx_find_track(*tag);
        bool is_shared = *tag == MDX_TAG('K', 'V', 'I', 'S');
        bool is_visibility = strcmp(kind->word, "Visibility") == 0;
        if (!sni_str_is_nocase(said.word, kind->word) || !mdx_mdl_is_track(parser)) continue;
        if (is_visibility && is_shared != mdx_is_alpha(parser->doc)) continue;
        mdx_mdl_read_track(parser, kind, tracks);
        return true;
    }
    return false;
}

static bool parse_by_hand(mdx_mdl_parser *parser, mdx_mdl_element *element, mdx_mdl_statement said)
{
    switch (element->kind->tag) {
    case MDX_TAG('G', 'E', 'O', 'S'): return mdx_mdl_parse_geoset(parser, element, said);
    case MDX_TAG('M', 'T', 'L', 'S'): return mdx_mdl_parse_material(parser, element, said);
    default: return mdx_mdl_parse_object(parser, element, said);
    }
}

static bool has_no_meaning(const mdx_mdl_parser *parser, const mdx_mdl_element *element, sni_str word)
{
    bool is_geoset = element->kind->tag == MDX_TAG('G', 'E', 'O', 'S') && parser->doc->version < 900;
    return is_geoset && (sni_str_is_nocase(word, "LevelOfDetail") || sni_str_is_nocase(word, "Name"));
}

static void parse_statement(mdx_mdl_parser *parser, mdx_mdl_element *element)
{
    mdx_mdl_statement said = mdx_mdl_read_statement(parser);
    const mdx_kind *kind = element->kind;
    if (parse_by_hand(parser, element, said)) return;
    if (mdx_mdl_parse_words(parser, kind->tag, said, element->at)) return;
    if (mdx_mdl_parse_field(parser, mdx_mdl_fields_of(kind, parser->doc->version), said, element->at, &element->tracks))
        return;
    if (mdx_mdl_parse_track(parser, kind->tracks, said, &element->tracks)) return;
    if (has_no_meaning(parser, element, said.word)) mdx_lex_skip_statement(&parser->lex);
    else mdx_mdl_skip_unknown(parser, said);
}

// Blocks inside an element whose statements are its own: Particle { } and Target { }.
static bool enter_inner(mdx_mdl_parser *parser, mdx_mdl_element *element)
{
    uint32_t tag = element->kind->tag;
    const char *start = parser->lex.at, *inner = tag == MDX_TAG('P', 'R', 'E', 'M')   ? "Particle"
                                                 : tag == MDX_TAG('C', 'A', 'M', 'S') ? "Target"
                                                                                      : NULL;
    if (!inner) return false;
    if (sni_str_is_nocase(mdx_lex_word(&parser->lex), inner) && mdx_lex_take(&parser->lex, '{')) {
        element->in_target = true;
        return true;
    }
    parser->lex.at = start;
    return false;
}

static void parse_body(mdx_mdl_parser *parser, mdx_mdl_element *element)
{
    uint64_t depth = mdx_lex_open(&parser->lex);
    while (depth > 0 && mdx_lex_ok(&parser->lex)) {
        if (!mdx_lex_more(&parser->lex)) {
            depth--;
            element->in_target = false;
        } else if (enter_inner(parser, element)) {
            depth++;
        } else {
            parse_statement(parser, element);
        }
    }
}

static mdx_tracks tracks_of(const sni_list *list) { return (mdx_tracks){ list->items, list->count }; }

static sni_list list_of(mdx_tracks tracks) { return (sni_list){ tracks.items, tracks.count, tracks.count }; }

static void parse_element(mdx_mdl_parser *parser, const mdx_kind *kind, void *at)
{
    mdx_object *object = kind->is_node ? at : NULL;
    mdx_mdl_element element = { .kind = kind, .at = at, .tracks = list_of(((mdx_item *)at)->tracks) };
    if (object) element.node_tracks = list_of(object->node.tracks);
    parse_body(parser, &element);
    if (!mdx_lex_ok(&parser->lex)) return;
    ((mdx_item *)at)->tracks = tracks_of(&element.tracks);
    if (object) object->node.tracks = tracks_of(&element.node_tracks);
    if (kind->tag == MDX_TAG('G', 'E', 'O', 'S')) mdx_mdl_end_geoset(&element);
    if (kind->tag == MDX_TAG('M', 'T', 'L', 'S')) mdx_mdl_end_material(&element);
    if (kind->tag == MDX_TAG('C', 'L', 'I', 'D') || kind->tag == MDX_TAG('H', 'T', 'S', 'T'))
        mdx_mdl_end_shape(parser, &element);
}

// The name behind the word that opens the block.
static sni_str *name_of(const mdx_mdl_parser *parser, const mdx_kind *kind, void *element)
{
    if (kind->is_node) return &((mdx_object *)element)->node.name;
    for (const mdx_field *field = mdx_mdl_fields_of(kind, parser->doc->version); field->count; field++)
        if (field->type == MDX_NAME && !field->word) return (sni_str *)(void *)((char *)element + field->offset);
    return NULL;
}

static void parse_new_element(mdx_mdl_parser *parser, const mdx_kind *kind, uint64_t offset)
{
    mdx_list *list = mdx_list_of(parser->doc, kind);
    void *element = sni_list_push(parser->arena, list, kind->item_bytes);
    if (!element) return;
    ((mdx_item *)element)->offset = offset;
    mdx_mdl_set_fallbacks(mdx_mdl_fields_of(kind, parser->doc->version), parser->doc->version, element);
    if (kind->tag == MDX_TAG('E', 'V', 'T', 'S')) ((mdx_event *)element)->global_sequence = -1;
    if (kind->is_node) {
        mdx_node *node = &((mdx_object *)element)->node;
        node->lacks_id = true;
        node->parent = -1;
        node->flags = mdx_mdl_type_bits(kind->tag, parser->doc->version);
    }
    sni_enter(&parser->load->diag, kind->word, list->count - 1);
    sni_str *name = name_of(parser, kind, element);
    if (name && mdx_lex_peek(&parser->lex) != '{') *name = mdx_mdl_read_text(parser, MDX_NAME_BYTES);
    if (mdx_lex_is_number(&parser->lex)) mdx_lex_word(&parser->lex);
    parse_element(parser, kind, element);
    sni_leave(&parser->load->diag);
}

static const mdx_kind *find_kind(sni_str word)
{
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
        if (sni_str_is_nocase(word, kind->word)) return kind;
    return NULL;
}

// "Also Bone 3 { Flags 0 }": what our writer hid from other programs about an element that has been read.
static void parse_more_of(mdx_mdl_parser *parser)
{
    mdx_mdl_statement said = mdx_mdl_read_statement(parser);
    const mdx_kind *kind = find_kind(said.word);
    uint32_t index = kind ? mdx_lex_u32(&parser->lex) : 0;
    mdx_list *list = kind ? mdx_list_of(parser->doc, kind) : NULL;
    if (!kind || index >= list->count) {
        mdx_mdl_skip_unknown(parser, said);
        return;
    }
    sni_enter(&parser->load->diag, kind->word, index);
    parse_element(parser, kind, (char *)list->items + index * kind->item_bytes);
    sni_leave(&parser->load->diag);
}

static void parse_model(mdx_mdl_parser *parser)
{
    mdx_model *model = &parser->doc->model;
    sni_list no_tracks = { 0 };
    if (mdx_lex_peek(&parser->lex) != '{') model->name = mdx_mdl_read_text(parser, MDX_NAME_BYTES);
    mdx_lex_open(&parser->lex);
    while (mdx_lex_more(&parser->lex)) {
        mdx_mdl_statement said = mdx_mdl_read_statement(parser);
        if (mdx_mdl_read_extent(parser, said.word, &model->extent)) continue;
        if (mdx_mdl_parse_field(parser, mdx_model_fields, said, model, &no_tracks)) continue;
        bool is_count = said.word.size > 3 && sni_str_is_nocase(sni_str_make(said.word.at, 3), "Num");
        if (is_count) mdx_lex_skip_statement(&parser->lex);
        else mdx_mdl_skip_unknown(parser, said);
    }
}

// Durations, each behind its word or bare.
static void parse_global_sequences(mdx_mdl_parser *parser)
{
    sni_list durations = { parser->doc->global_sequences.count ? (void *)(uintptr_t)parser->doc->global_sequences.data
                                                               : NULL,
                           parser->doc->global_sequences.count, parser->doc->global_sequences.count };
    if (mdx_lex_is_number(&parser->lex)) mdx_lex_word(&parser->lex);
    mdx_lex_open(&parser->lex);
    while (mdx_lex_more(&parser->lex)) {
        if (!mdx_lex_is_number(&parser->lex)) {
            mdx_mdl_statement said = mdx_mdl_read_statement(parser);
            if (!sni_str_is_nocase(said.word, "Duration")) {
                mdx_mdl_skip_unknown(parser, said);
                continue;
            }
        }
        uint8_t *duration = sni_list_push(parser->arena, &durations, 4);
        if (duration) sni_store_u32(duration, mdx_lex_u32(&parser->lex));
    }
    parser->doc->global_sequences = (mdx_array){ durations.items, durations.count };
}

// Matrix { {4} {4} {4} }, one for each node: another tool's rows are our columns.
static void parse_bind_matrix(mdx_mdl_parser *parser, sni_list *matrices)
{
    float rows[12] = { 0 };
    mdx_mdl_read_floats(parser, rows, 12);
    uint8_t *matrix = sni_list_push(parser->arena, matrices, sizeof rows);
    for (int i = 0; matrix && i < 12; i++) sni_store_f32(matrix + 4 * i, rows[i % 3 * 4 + i / 3]);
}

static void parse_bind_pose(mdx_mdl_parser *parser)
{
    sni_list matrices = { 0 };
    if (mdx_lex_is_number(&parser->lex)) mdx_lex_word(&parser->lex);
    mdx_lex_open(&parser->lex);
    while (mdx_lex_more(&parser->lex)) {
        mdx_mdl_statement said = mdx_mdl_read_statement(parser);
        if (sni_str_is_nocase(said.word, "Matrices"))
            parser->doc->bind_pose = mdx_mdl_read_array(parser, MDX_MDL_F32, 12);
        else if (sni_str_is_nocase(said.word, "Matrix")) parse_bind_matrix(parser, &matrices);
        else mdx_mdl_skip_unknown(parser, said);
    }
    if (matrices.count > 0) parser->doc->bind_pose = (mdx_array){ matrices.items, matrices.count };
}

// The collision mesh of 1300.
static void parse_collision_mesh(mdx_mdl_parser *parser)
{
    mdx_doc *doc = parser->doc;
    mdx_lex_open(&parser->lex);
    while (mdx_lex_more(&parser->lex)) {
        mdx_mdl_statement said = mdx_mdl_read_statement(parser);
        if (sni_str_is_nocase(said.word, "Vertices"))
            doc->collision_positions = mdx_mdl_read_array(parser, MDX_MDL_F32, 3);
        else if (sni_str_is_nocase(said.word, "Normals"))
            doc->collision_normals = mdx_mdl_read_array(parser, MDX_MDL_F32, 3);
        else if (sni_str_is_nocase(said.word, "Triangles"))
            doc->collision_faces = mdx_mdl_read_array(parser, MDX_MDL_U16, 1);
        else mdx_mdl_skip_unknown(parser, said);
    }
}

// Blocks around elements: their braces say nothing.
static bool is_wrapper(sni_str word)
{
    static const char *const wrappers[] = { "Sequences", "Textures", "Materials", "TextureAnims" };
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++)
        if (sni_str_is_nocase(word, wrappers[i])) return true;
    return false;
}

static bool parse_single_block(mdx_mdl_parser *parser, sni_str word)
{
    if (sni_str_is_nocase(word, "Version")) mdx_lex_skip_statement(&parser->lex);
    else if (sni_str_is_nocase(word, "Model")) parse_model(parser);
    else if (sni_str_is_nocase(word, "GlobalSequences")) parse_global_sequences(parser);
    else if (sni_str_is_nocase(word, "PivotPoints")) parser->doc->pivots = mdx_mdl_read_array(parser, MDX_MDL_F32, 3);
    else if (sni_str_is_nocase(word, "BindPose")) parse_bind_pose(parser);
    else if (sni_str_is_nocase(word, "CollisionMesh")) parse_collision_mesh(parser);
    else if (sni_str_is_nocase(word, "Also")) parse_more_of(parser);
    else return false;
    return true;
}

static void parse_blocks(mdx_mdl_parser *parser)
{
    bool in_wrapper = false, is_known = false;
    while (mdx_lex_peek(&parser->lex)) {
        if (mdx_lex_take(&parser->lex, '}')) {
            if (!in_wrapper)
                mdx_mdl_skip_unknown(parser,
                                     (mdx_mdl_statement){ sni_str_make("}", 1), false, mdx_lex_offset(&parser->lex) });
            in_wrapper = false;
            continue;
        }
        mdx_mdl_statement said = mdx_mdl_read_statement(parser);
        const mdx_kind *kind = find_kind(said.word);
        if (kind) {
            parse_new_element(parser, kind, said.offset);
        } else if (is_wrapper(said.word)) {
            if (mdx_lex_is_number(&parser->lex)) mdx_lex_word(&parser->lex);
            in_wrapper = mdx_lex_open(&parser->lex);
        } else {
            sni_enter(&parser->load->diag, "MDL", -1);
            if (!parse_single_block(parser, said.word)) mdx_mdl_skip_unknown(parser, said);
            sni_leave(&parser->load->diag);
        }
        is_known = is_known || kind || sni_str_is_nocase(said.word, "Model") || sni_str_is_nocase(said.word, "Version");
    }
    if (in_wrapper) mdx_lex_more(&parser->lex);  // fails
    if (!is_known && mdx_lex_ok(&parser->lex))
        mdx_lex_fail(&parser->lex, SN_ERR_FORMAT, "no block of MDL was found in the text");
}

static uint32_t parse_version(mdx_lexer *lex)
{
    uint32_t version = 800;
    mdx_lex_open(lex);
    while (mdx_lex_more(lex)) {
        if (sni_str_is_nocase(mdx_lex_word(lex), "FormatVersion")) version = mdx_lex_u32(lex);
        else mdx_lex_skip_statement(lex);
    }
    return version;
}

// The version decides how everything else is read, wherever it stands. Texts without it are of 800.
static bool find_version(mdx_mdl_parser *parser)
{
    mdx_lexer lex = parser->lex;
    uint32_t version = 800;
    while (mdx_lex_peek(&lex)) {
        if (sni_str_is_nocase(mdx_lex_word(&lex), "Version")) {
            version = parse_version(&lex);
            break;
        }
        mdx_lex_skip_statement(&lex);
        mdx_lex_take(&lex, '}');
    }
    if (!mdx_lex_ok(&lex)) return false;
    parser->doc->version = version;
    if (version == MDX_BATCHES_VERSION)
        return sni_fail(&parser->load->diag, SN_ERR_UNSUPPORTED, mdx_lex_offset(&lex), "version %u has no text form",
                        version);
    return mdx_check_version(&parser->load->diag, mdx_lex_offset(&lex), version);
}

bool mdx_parse_mdl(sni_load *load, sni_bytes bytes, mdx_doc *doc)
{
    mdx_mdl_parser parser = {
        .load = load, .arena = sni_load_document_arena(load), .doc = doc, .lex = mdx_lex_make(bytes, &load->diag)
    };
    if (!find_version(&parser)) return false;
    parse_blocks(&parser);
    if (!sni_load_ok(load)) return false;
    mdx_mdl_give_ids(&parser);
    return sni_load_ok(load);
}
