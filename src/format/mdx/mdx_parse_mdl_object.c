// Nodes and other objects in MDL, where words do not simply stand for a field.
#include "format/mdx/mdx_mdl.h"

static bool is(sni_str word, const char *literal) { return sni_str_is_nocase(word, literal); }

// DontInherit { Rotation, Scaling }
static void parse_own(mdx_mdl_parser *parser, mdx_node *node)
{
    mdx_lex_open(&parser->lex);
    while (mdx_lex_more(&parser->lex)) {
        mdx_mdl_statement said = mdx_mdl_read_statement(parser);
        if (is(said.word, "Translation")) node->flags |= MDX_NODE_OWN_TRANSLATION;
        else if (is(said.word, "Scaling")) node->flags |= MDX_NODE_OWN_SCALE;
        else if (is(said.word, "Rotation")) node->flags |= MDX_NODE_OWN_ROTATION;
        else mdx_mdl_skip_unknown(parser, said);
    }
}

static bool parse_node(mdx_mdl_parser *parser, mdx_mdl_element *element, mdx_mdl_statement said)
{
    mdx_node *node = &((mdx_object *)element->at)->node;
    if (is(said.word, "ObjectId")) node->id = mdx_lex_i32(&parser->lex), node->lacks_id = false;
    else if (is(said.word, "Parent")) node->parent = mdx_lex_i32(&parser->lex);
    else if (is(said.word, "DontInherit")) parse_own(parser, node);
    else return mdx_mdl_parse_track(parser, mdx_node_tracks, said, &element->node_tracks);
    return true;
}

static bool parse_sequence(mdx_mdl_parser *parser, mdx_sequence *sequence, mdx_mdl_statement said)
{
    if (mdx_mdl_read_extent(parser, said.word, &sequence->extent)) return true;
    if (is(said.word, "Looping")) return true;
    if (!is(said.word, "Interval")) return false;
    bool has_brace = mdx_lex_take(&parser->lex, '{');
    sequence->start = mdx_lex_u32(&parser->lex);
    sequence->end = mdx_lex_u32(&parser->lex);
    while (has_brace && mdx_lex_more(&parser->lex)) mdx_mdl_skip_unknown(parser, mdx_mdl_read_statement(parser));
    return true;
}

// That a geoset is coloured is said by giving it a colour.
static void note_color(const mdx_mdl_parser *parser, mdx_geoset_anim *anim, mdx_mdl_statement said)
{
    if (is(said.word, "Color")) anim->flags |= mdx_is_alpha(parser->doc) ? 1 : MDX_USE_COLOR;
}

static bool parse_event(mdx_mdl_parser *parser, mdx_event *event, mdx_mdl_statement said)
{
    if (!is(said.word, "EventTrack")) return false;
    sni_list times = { 0 };
    event->has_times = true;
    if (mdx_lex_is_number(&parser->lex)) mdx_lex_word(&parser->lex);
    mdx_lex_open(&parser->lex);
    while (mdx_lex_more(&parser->lex)) {
        if (!mdx_lex_is_number(&parser->lex)) {
            mdx_mdl_statement inner = mdx_mdl_read_statement(parser);
            if (is(inner.word, "GlobalSeqId")) event->global_sequence = mdx_lex_i32(&parser->lex);
            else mdx_mdl_skip_unknown(parser, inner);
            continue;
        }
        uint8_t *time = sni_list_push(parser->arena, &times, 4);
        if (time) sni_store_u32(time, (uint32_t)mdx_lex_i32(&parser->lex));
    }
    event->times = (mdx_array){ times.items ? times.items : sni_new(parser->arena, uint8_t, 0), times.count };
    return true;
}

// The points of a shape and its radius. Values { } says all of them, for shapes that are not as they should be.
static bool parse_shape(mdx_mdl_parser *parser, mdx_mdl_element *element, mdx_mdl_statement said)
{
    mdx_shape *shape = element->at;
    bool is_points = is(said.word, "Vertices");
    if (is(said.word, "Values")) {
        shape->values = mdx_mdl_read_array(parser, MDX_MDL_F32, 1);
        return true;
    }
    if (!is_points && !is(said.word, "BoundsRadius")) return false;
    element->has_shape = true;
    if (!is_points) {
        mdx_mdl_read_floats(parser, &element->radius, 1);
        return true;
    }
    mdx_array points = mdx_mdl_read_array(parser, MDX_MDL_F32, 3);
    for (uint32_t i = 0; i < 6 && i < 3 * points.count; i++) element->points[i] = sni_load_f32(points.data + 4 * i);
    return true;
}

// As many numbers as the binary form has for this kind, whatever the text gave.
void mdx_mdl_end_shape(mdx_mdl_parser *parser, mdx_mdl_element *element)
{
    mdx_shape *shape = element->at;
    if (shape->values.data && !element->has_shape) return;
    uint32_t point_floats = 3 * mdx_mdl_shape_points(shape->kind),
             count = point_floats + mdx_mdl_shape_has_radius(shape->kind);
    uint8_t *values = sni_new(parser->arena, uint8_t, 4 * (uint64_t)count);
    if (!values) return;
    for (uint32_t i = 0; i < count; i++)
        sni_store_f32(values + 4 * i, i < point_floats ? element->points[i] : element->radius);
    shape->values = (mdx_array){ values, count };
}

static bool parse_camera(mdx_mdl_parser *parser, mdx_mdl_element *element, mdx_mdl_statement said)
{
    mdx_camera *camera = element->at;
    if (!element->in_target) return false;
    if (is(said.word, "Position")) {
        float at[3] = { camera->target.x, camera->target.y, camera->target.z };
        mdx_mdl_read_floats(parser, at, 3);
        camera->target = (sn_vec3){ at[0], at[1], at[2] };
        return true;
    }
    if (!is(said.word, "Translation") || !mdx_mdl_is_track(parser)) return false;
    mdx_mdl_read_track(parser, mdx_find_track(MDX_TAG('K', 'T', 'T', 'R')), &element->tracks);
    return true;
}

static bool parse_light(mdx_mdl_parser *parser, mdx_light *light, mdx_mdl_statement said)
{
    if (!is(said.word, "Short")) return false;
    light->is_short = mdx_lex_u32(&parser->lex) != 0;
    return true;
}

static bool parse_emitter2(mdx_mdl_parser *parser, mdx_emitter2 *emitter, mdx_mdl_statement said)
{
    if (!is(said.word, "Spline")) return false;
    emitter->spline = mdx_mdl_read_array(parser, MDX_MDL_F32, 3);
    return true;
}

bool mdx_mdl_parse_object(mdx_mdl_parser *parser, mdx_mdl_element *element, mdx_mdl_statement said)
{
    if (element->kind->is_node && parse_node(parser, element, said)) return true;
    switch (element->kind->tag) {
    case MDX_TAG('S', 'E', 'Q', 'S'): return parse_sequence(parser, element->at, said);
    case MDX_TAG('G', 'E', 'O', 'A'): note_color(parser, element->at, said); return false;
    case MDX_TAG('L', 'I', 'T', 'E'): return parse_light(parser, element->at, said);
    case MDX_TAG('P', 'R', 'E', '2'): return parse_emitter2(parser, element->at, said);
    case MDX_TAG('E', 'V', 'T', 'S'): return parse_event(parser, element->at, said);
    case MDX_TAG('C', 'L', 'I', 'D'):
    case MDX_TAG('H', 'T', 'S', 'T'): return parse_shape(parser, element, said);
    case MDX_TAG('C', 'A', 'M', 'S'): return parse_camera(parser, element, said);
    default: return false;
    }
}

// Ids below the number of nodes that nobody has; larger ones cannot be the next free one.
typedef struct free_ids {
    uint8_t *is_used;
    uint32_t count, next;
} free_ids;

static void note_id(free_ids *ids, const mdx_node *node)
{
    if (!node->lacks_id && node->id >= 0 && (uint32_t)node->id < ids->count) ids->is_used[node->id] = 1;
}

static int32_t take_free(free_ids *ids)
{
    while (ids->next < ids->count && ids->is_used[ids->next]) ids->next++;
    return (int32_t)ids->next++;
}

static mdx_object *object_at(mdx_doc *doc, const mdx_kind *kind, uint32_t i)
{
    return (mdx_object *)(void *)((char *)mdx_list_of(doc, kind)->items + i * kind->item_bytes);
}

void mdx_mdl_give_ids(mdx_mdl_parser *parser)
{
    mdx_doc *doc = parser->doc;
    free_ids ids = { 0 };
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
        ids.count += kind->is_node ? mdx_list_of(doc, kind)->count : 0;
    ids.is_used = sni_new(parser->arena, uint8_t, ids.count);
    if (!ids.is_used) return;
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
        for (uint32_t i = 0; kind->is_node && i < mdx_list_of(doc, kind)->count; i++)
            note_id(&ids, &object_at(doc, kind, i)->node);
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
        for (uint32_t i = 0; kind->is_node && i < mdx_list_of(doc, kind)->count; i++) {
            mdx_object *object = object_at(doc, kind, i);
            if (!object->node.lacks_id) continue;
            object->node.id = take_free(&ids);
            object->node.lacks_id = false;
            sni_warn(&parser->load->diag, SNI_WARN_MDL_ID, object->item.offset, "%s[%u] has no ObjectId; it got %d",
                     kind->word, i, object->node.id);
        }
}
