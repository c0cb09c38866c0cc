// Materials in MDL: layers and their textures.
#include "format/mdx/mdx_mdl.h"

static bool has_slots(const mdx_mdl_parser *parser)
{
    return parser->doc->version >= 1100 && !mdx_is_alpha(parser->doc);
}

static uint32_t shader_type(sni_str shader)
{
    return shader.size >= 9 && sni_str_is_nocase(sni_str_make(shader.at, 9), "Shader_HD");
}

// "<= 2" behind a texture id: the slot it goes to.
static bool take_slot(mdx_lexer *lex, uint32_t *slot)
{
    const char *start = lex->at;
    if (mdx_lex_peek(lex) == '<' && sni_str_is(mdx_lex_word(lex), "<=")) {
        *slot = mdx_lex_u32(lex);
        return true;
    }
    lex->at = start;
    return false;
}

static int find_slot_word(sni_str word)
{
    for (int i = 0; i < 6; i++)
        if (sni_str_is_nocase(word, mdx_mdl_slot_words[i])) return i;
    return -1;
}

static mdx_texture_slot *push_slot(mdx_mdl_parser *parser, sni_list *slots)
{
    mdx_texture_slot *slot = sni_push(parser->arena, slots, mdx_texture_slot);
    if (slot) slot->slot = slots->count - 1;
    return slot;
}

// A texture of a layer: a number, behind it perhaps its slot, or a track. True: it went to a slot.
static bool parse_slot(mdx_mdl_parser *parser, mdx_mdl_statement said, sni_list *slots)
{
    int named = find_slot_word(said.word);
    const char *start = parser->lex.at;
    if (named < 0) return false;
    if (!said.is_static && mdx_mdl_is_track(parser)) {
        if (!has_slots(parser)) return false;
        mdx_texture_slot *slot = push_slot(parser, slots);
        sni_list tracks = { 0 };
        mdx_mdl_read_track(parser, mdx_find_track(MDX_TAG('K', 'M', 'T', 'F')), &tracks);
        if (slot) slot->tracks = (mdx_tracks){ tracks.items, tracks.count };
        if (slot && named > 0) slot->slot = (uint32_t)named;
        return true;
    }
    uint32_t texture = mdx_lex_u32(&parser->lex), number = (uint32_t)named;
    bool has_number = take_slot(&parser->lex, &number) || named > 0;
    if (!has_number && !has_slots(parser)) {
        parser->lex.at = start;
        return false;
    }
    mdx_texture_slot *slot = push_slot(parser, slots);
    if (!slot) return true;
    slot->texture = texture;
    if (has_number) slot->slot = number;
    return true;
}

// Hidden facts: the number of the last slot, the texture below its track, the field that slots replaced.
static bool parse_hidden(mdx_mdl_parser *parser, mdx_mdl_statement said, mdx_layer *layer, sni_list *slots)
{
    mdx_texture_slot *last = slots->count ? (mdx_texture_slot *)slots->items + slots->count - 1 : NULL;
    if (last && sni_str_is_nocase(said.word, "Slot")) last->slot = mdx_lex_u32(&parser->lex);
    else if (last && sni_str_is_nocase(said.word, "SlotTexture")) last->texture = mdx_lex_u32(&parser->lex);
    else if (sni_str_is_nocase(said.word, "Texture")) layer->texture = mdx_lex_i32(&parser->lex);
    else if (sni_str_is_nocase(said.word, "ShaderType")) layer->shader_type = mdx_lex_u32(&parser->lex);
    else if (sni_str_is_nocase(said.word, "Short")) layer->is_short = mdx_lex_u32(&parser->lex) != 0;
    else return false;
    return true;
}

static void parse_layer_body(mdx_mdl_parser *parser, mdx_mdl_element *material, mdx_layer *layer, sni_list *slots,
                             sni_list *tracks)
{
    mdx_lex_open(&parser->lex);
    while (mdx_lex_more(&parser->lex)) {
        mdx_mdl_statement said = mdx_mdl_read_statement(parser);
        if (sni_str_is_nocase(said.word, "Shader")) {
            sni_str shader = mdx_mdl_read_text(parser, MDX_NAME_BYTES);
            layer->shader_type = shader_type(shader);
            mdx_material *owner = material->at;
            if (!has_slots(parser) && !owner->shader.size) owner->shader = shader;
        } else if (!parse_slot(parser, said, slots) && !mdx_mdl_parse_words(parser, MDX_MDL_LAYER, said, layer) &&
                   !parse_hidden(parser, said, layer, slots) &&
                   !mdx_mdl_parse_field(parser, mdx_layer_fields, said, layer, tracks)) {
            mdx_mdl_skip_unknown(parser, said);
        }
    }
}

// Before 1100 a slot is a layer of its own: drafts of 900 write them as 1100 does.
static void push_slots_as_layers(mdx_mdl_parser *parser, mdx_mdl_element *material, mdx_layer layer,
                                 const sni_list *slots)
{
    for (uint32_t i = 0; i < slots->count; i++) {
        mdx_layer *copy = sni_push(parser->arena, &material->parts, mdx_layer);
        if (!copy) return;
        *copy = layer;
        copy->texture = (int32_t)((const mdx_texture_slot *)slots->items)[i].texture;
        layer.item.tracks = (mdx_tracks){ NULL, 0 };
    }
}

static void parse_layer(mdx_mdl_parser *parser, mdx_mdl_element *material, uint64_t offset)
{
    mdx_layer layer = { .item.offset = offset };
    sni_list slots = { 0 }, tracks = { 0 };
    mdx_mdl_set_fallbacks(mdx_layer_fields, parser->doc->version, &layer);
    if (has_slots(parser)) layer.shader_type = shader_type(material->shader);
    sni_enter(&parser->load->diag, "Layer", material->parts.count);
    parse_layer_body(parser, material, &layer, &slots, &tracks);
    sni_leave(&parser->load->diag);
    layer.item.tracks = (mdx_tracks){ tracks.items, tracks.count };
    if (slots.count > 0 && !has_slots(parser)) {
        push_slots_as_layers(parser, material, layer, &slots);
        return;
    }
    layer.slots = slots.items;
    layer.slot_count = slots.count;
    mdx_layer *kept = sni_push(parser->arena, &material->parts, mdx_layer);
    if (kept) *kept = layer;
}

bool mdx_mdl_parse_material(mdx_mdl_parser *parser, mdx_mdl_element *element, mdx_mdl_statement said)
{
    if (sni_str_is_nocase(said.word, "Layer")) {
        parse_layer(parser, element, said.offset);
        return true;
    }
    if (sni_str_is_nocase(said.word, "Shader") && has_slots(parser)) {
        element->shader = mdx_mdl_read_text(parser, MDX_NAME_BYTES);
        return true;
    }
    return false;
}

void mdx_mdl_end_material(mdx_mdl_element *element)
{
    mdx_material *material = element->at;
    if (element->parts.count > 0) material->layers = element->parts.items, material->layer_count = element->parts.count;
    material->has_layers = true;
}
