// Materials' layers, and the texture slots that layers have since 1100.
#include "format/mdx/mdx_parse.h"

enum { LAYER_BYTES = 28, SLOT_BYTES = 8 };

static void parse_slots(mdx_parser *p, sni_reader *in, mdx_layer *layer)
{
    static const uint32_t slot_tracks[] = { MDX_TAG('K', 'M', 'T', 'F'), 0 };
    layer->shader_type = sni_read_u32(in);
    uint32_t count = sni_read_count(in, SLOT_BYTES);
    layer->slots = sni_new(in->arena, mdx_texture_slot, count);
    for (; layer->slots && layer->slot_count < count && sni_ok(in); layer->slot_count++) {
        mdx_texture_slot *slot = &layer->slots[layer->slot_count];
        slot->texture = sni_read_u32(in);
        slot->slot = sni_read_u32(in);
        slot->tracks = mdx_parse_tracks(p, in, slot_tracks);
    }
}

static void parse_layer(mdx_parser *p, sni_reader *in, mdx_layer *layer)
{
    uint32_t version = p->doc->version;
    layer->item.offset = sni_offset(in);
    sni_reader inner = mdx_read_sized(in);
    size_t end = mdx_find_end(p, &inner, mdx_layer_fields, offsetof(mdx_layer, fresnel_color), mdx_layer_tracks);
    layer->is_short = end != MDX_ALL_FIELDS;
    mdx_parse_fields(p, &inner, mdx_layer_fields, end, layer);
    if (version >= 1100 && version < MDX_ALPHA_VERSION) parse_slots(p, &inner, layer);
    layer->item.tracks = mdx_parse_tracks(p, &inner, mdx_layer_tracks);
    layer->item.rest = mdx_keep_rest(&inner, "track that is known");
}

void mdx_parse_layers(mdx_parser *p, sni_reader *in, mdx_material *material)
{
    if (!mdx_is_alpha(p->doc)) {
        if (!mdx_next_is(in, MDX_TAG('L', 'A', 'Y', 'S'))) return;
        sni_skip(in, 4);
    }
    sni_enter(in->diag, "LAYS", -1);
    material->has_layers = true;
    uint32_t count = sni_read_count(in, LAYER_BYTES);
    material->layers = sni_new(in->arena, mdx_layer, count);
    sni_leave(in->diag);
    for (; material->layers && material->layer_count < count && sni_ok(in); material->layer_count++) {
        sni_enter(in->diag, "LAYS", material->layer_count);
        parse_layer(p, in, &material->layers[material->layer_count]);
        sni_leave(in->diag);
    }
}
