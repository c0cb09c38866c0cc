// Document to MDX of its version. A document parsed from MDX gives the same bytes again. One parsed from MDL has no
// chunks: it gets the usual ones in the usual order, with all sections.
#include "format/mdx/mdx_doc.h"

typedef struct mdx_out {
    const mdx_doc *doc;
    sni_writer *to;
    bool is_new;  // not parsed from MDX
} mdx_out;

// Sizes are patched when they are known. An inclusive size counts its own four bytes.
static size_t begin_size(const mdx_out *out)
{
    sni_write_u32(out->to, 0);
    return out->to->size - (out->to->failed ? 0 : 4);
}

static void end_size(const mdx_out *out, size_t at, size_t uncounted)
{
    sni_patch_u32(out->to, at, (uint32_t)(out->to->size - at - uncounted));
}

static void write_array(const mdx_out *out, mdx_array array, size_t bytes)
{
    sni_write_bytes(out->to, array.data, array.count * bytes);
}

static void write_tagged_array(const mdx_out *out, uint32_t tag, mdx_array array, size_t bytes)
{
    sni_write_u32(out->to, tag);
    sni_write_u32(out->to, array.count);
    write_array(out, array, bytes);
}

// Cut or zero-filled to the size of the field.
static void write_text(const mdx_out *out, sni_str text, size_t bytes)
{
    size_t size = text.size < bytes ? text.size : bytes;
    sni_write_bytes(out->to, text.at, size);
    sni_write_fill(out->to, 0, bytes - size);
}

// Up to the field at offset `end`; SIZE_MAX: all.
static void write_fields(const mdx_out *out, const mdx_field *fields, size_t end, const void *element)
{
    for (const mdx_field *field = fields; field->count > 0 && field->offset != end; field++) {
        if (!mdx_has_field(field, out->doc->version)) continue;
        const void *value = (const char *)element + field->offset;
        size_t bytes = mdx_type_bytes(field->type, 0);
        if (field->type == MDX_U8) sni_write_bytes(out->to, value, field->count);
        else if (field->type == MDX_NAME || field->type == MDX_PATH) write_text(out, *(const sni_str *)value, bytes);
        else sni_write_words(out->to, value, bytes / 4 * field->count);
    }
}

static void write_section(const mdx_out *out, const mdx_section *section, const void *owner)
{
    size_t bytes = mdx_section_bytes(out->doc, section);
    mdx_array array = *(const mdx_array *)(const void *)((const char *)owner + section->array);
    if (bytes > 0 && (array.data || out->is_new)) write_tagged_array(out, section->tag, array, bytes);
}

static void write_tracks(const mdx_out *out, mdx_tracks tracks)
{
    for (uint32_t i = 0; i < tracks.count; i++) {
        const mdx_track *track = &tracks.items[i];
        sni_write_u32(out->to, track->kind->tag);
        sni_write_u32(out->to, track->keys.count);
        if (!mdx_is_wow(out->doc) || track->kind->type != MDX_U32) sni_write_u32(out->to, track->interpolation);
        sni_write_u32(out->to, (uint32_t)track->global_sequence);
        write_array(out, track->keys, mdx_key_bytes(track, out->doc->version));
    }
}

static void write_node(const mdx_out *out, const mdx_node *node)
{
    size_t size = begin_size(out);
    write_text(out, node->name, MDX_NAME_BYTES);
    sni_write_u32(out->to, (uint32_t)node->id);
    sni_write_u32(out->to, (uint32_t)node->parent);
    sni_write_u32(out->to, node->flags);
    write_tracks(out, node->tracks);
    write_array(out, node->trailing, 1);
    end_size(out, size, 0);
}

static void write_layer(const mdx_out *out, const mdx_layer *layer)
{
    size_t size = begin_size(out);
    write_fields(out, mdx_layer_fields, layer->is_short ? offsetof(mdx_layer, fresnel_color) : SIZE_MAX, layer);
    if (mdx_has_slots(out->doc)) {
        sni_write_u32(out->to, layer->shader_type);
        sni_write_u32(out->to, layer->slot_count);
        for (uint32_t i = 0; i < layer->slot_count; i++) {
            sni_write_u32(out->to, layer->slots[i].texture);
            sni_write_u32(out->to, layer->slots[i].slot);
            write_tracks(out, layer->slots[i].tracks);
        }
    }
    write_tracks(out, layer->item.tracks);
    write_array(out, layer->item.trailing, 1);
    end_size(out, size, 0);
}

static void write_layers(const mdx_out *out, const mdx_material *material)
{
    if (!material->has_layers && !out->is_new) return;
    if (!mdx_is_wow(out->doc)) sni_write_u32(out->to, MDX_LAYS);
    sni_write_u32(out->to, material->layer_count);
    for (uint32_t i = 0; i < material->layer_count; i++) write_layer(out, &material->layers[i]);
}

// Sets of 1300 have exactly one pair per vertex and no tags.
static void write_uvs(const mdx_out *out, const mdx_geoset *geoset)
{
    if (!geoset->has_uvs && !out->is_new) return;
    sni_write_u32(out->to, MDX_UVAS);
    sni_write_u32(out->to, geoset->uv_count);
    for (uint32_t i = 0; i < geoset->uv_count; i++) {
        mdx_array uvs = geoset->uvs[i];
        if (!mdx_is_wow(out->doc)) {
            write_tagged_array(out, MDX_UVBS, uvs, 8);
            continue;
        }
        uint32_t vertices = geoset->positions.count, missing = uvs.count < vertices ? vertices - uvs.count : 0;
        if (uvs.count > vertices) uvs.count = vertices;
        write_array(out, uvs, 8);
        sni_write_fill(out->to, 0, (size_t)missing * 8);
    }
}

static void write_geoset(const mdx_out *out, const mdx_geoset *geoset)
{
    bool is_wow = mdx_is_wow(out->doc);
    for (const mdx_section *section = mdx_geoset_sections; section->tag; section++) {
        if (is_wow && section->tag == MDX_PTYP) write_uvs(out, geoset);
        write_section(out, section, geoset);
    }
    write_fields(out, mdx_geoset_fields, SIZE_MAX, geoset);
    sni_write_u32(out->to, geoset->extents.count);
    write_array(out, geoset->extents, mdx_type_bytes(MDX_EXTENT, out->doc->version));
    if (is_wow) return;
    bool has_skin = geoset->skin.data != NULL;
    if (has_skin && geoset->skin_first) write_tagged_array(out, MDX_SKIN, geoset->skin, 1);
    if (geoset->tangents.data) write_tagged_array(out, MDX_TANG, geoset->tangents, 16);
    if (has_skin && !geoset->skin_first) write_tagged_array(out, MDX_SKIN, geoset->skin, 1);
    write_uvs(out, geoset);
}

static void write_event(const mdx_out *out, const mdx_event *event)
{
    if (!event->has_times) return;
    sni_write_u32(out->to, MDX_KEVT);
    sni_write_u32(out->to, event->times.count);
    sni_write_u32(out->to, (uint32_t)event->global_sequence);
    write_array(out, event->times, 4);
}

// Emitters of 1300 start with their own size, which has to be computed for a new file.
static void write_wow_emitter(const mdx_out *out, const mdx_kind *kind, const void *element)
{
    size_t at = out->to->size;
    write_fields(out, kind->wow_fields, SIZE_MAX, element);
    if (kind->tag == MDX_PRE2) {
        const mdx_emitter2 *emitter = element;
        sni_write_u32(out->to, emitter->spline.count);
        write_array(out, emitter->spline, 12);
        sni_write_u32(out->to, emitter->squirt);
    }
    if (out->is_new) end_size(out, at, 0);
}

static void write_body(const mdx_out *out, const mdx_kind *kind, const void *element)
{
    const mdx_shape *shape = element;
    if (kind->tag == MDX_GEOS) {
        write_geoset(out, element);
        return;
    }
    if (mdx_is_wow(out->doc) && (kind->tag == MDX_PRE2 || kind->tag == MDX_RIBB)) {
        write_wow_emitter(out, kind, element);
        return;
    }
    bool is_short = kind->tag == MDX_LITE && ((const mdx_light *)element)->is_short;
    write_fields(out, mdx_fields_of(kind, out->doc->version),
                 is_short ? offsetof(mdx_light, shadow_intensity) : SIZE_MAX, element);
    switch (kind->tag) {
    case MDX_MTLS: write_layers(out, element); break;
    case MDX_EVTS: write_event(out, element); break;
    case MDX_CLID:
        sni_write_u32(out->to, shape->kind);
        write_array(out, shape->values, 4);
        break;
    case MDX_HTST:
        sni_write_u8(out->to, (uint8_t)shape->kind);
        write_array(out, shape->values, 4);
        break;
    default: break;
    }
}

static void write_element(const mdx_out *out, const mdx_kind *kind, const void *element)
{
    const mdx_item *item = element;
    bool is_sized = mdx_is_sized(out->doc, kind);
    size_t size = is_sized ? begin_size(out) : 0;
    if (kind->is_node) write_node(out, &((const mdx_object *)element)->node);
    write_body(out, kind, element);
    write_tracks(out, item->tracks);
    write_array(out, item->trailing, 1);
    if (is_sized) end_size(out, size, 0);
}

static void write_elements(const mdx_out *out, const mdx_kind *kind, const mdx_chunk *chunk)
{
    const mdx_geoset *geosets = out->doc->geosets.items;
    if (mdx_is_wow(out->doc) && kind->wow_counted && !chunk->lacks_count) {
        sni_write_u32(out->to, chunk->count);
        if (mdx_has_second_word(kind)) sni_write_u32(out->to, chunk->unused);
    }
    if (mdx_has_batches(out->doc, kind)) {
        for (uint32_t i = 0; i < chunk->count; i++) write_array(out, geosets[chunk->first + i].header, 1);
        for (uint32_t i = 0; i < chunk->count; i++) write_array(out, geosets[chunk->first + i].block, 1);
        return;
    }
    for (uint32_t i = 0; i < chunk->count; i++)
        write_element(out, kind, mdx_element_at(out->doc, kind, chunk->first + i));
}

static void write_single(const mdx_out *out, uint32_t tag)
{
    const mdx_doc *doc = out->doc;
    switch (tag) {
    case MDX_VERS: sni_write_u32(out->to, doc->version); break;
    case MDX_MODL: write_fields(out, mdx_model_fields, SIZE_MAX, &doc->model); break;
    case MDX_GLBS: write_array(out, doc->global_sequences, 4); break;
    case MDX_PIVT: write_array(out, doc->pivots, 12); break;
    case MDX_BPOS:
        sni_write_u32(out->to, doc->bind_pose.count);
        write_array(out, doc->bind_pose, 48);
        break;
    case MDX_CLID:
        for (const mdx_section *section = mdx_collision_sections; section->tag; section++)
            write_section(out, section, doc);
        break;
    default: break;
    }
}

static void write_chunk(const mdx_out *out, const mdx_chunk *chunk)
{
    sni_write_u32(out->to, chunk->tag);
    size_t size = begin_size(out);
    const mdx_kind *kind = mdx_find_chunk_kind(out->doc, chunk->tag);
    if (kind) write_elements(out, kind, chunk);
    else if (chunk->count > 0) write_single(out, chunk->tag);
    write_array(out, chunk->raw, 1);
    end_size(out, size, 4);
}

// The mdx_chunk.count that a chunk of a new file gets; 0: it is left out.
static uint32_t new_chunk_count(const mdx_doc *doc, uint32_t tag)
{
    const mdx_kind *kind = mdx_find_chunk_kind(doc, tag);
    if (kind) return mdx_element_count(doc, kind);
    switch (tag) {
    case MDX_VERS:
    case MDX_MODL: return 1;
    case MDX_GLBS: return doc->global_sequences.count > 0;
    case MDX_PIVT: return doc->pivots.count > 0;
    case MDX_BPOS: return doc->bind_pose.count > 0;
    case MDX_CLID: return doc->collision_positions.count > 0;
    default: return 0;
    }
}

void mdx_write(const mdx_doc *doc, sni_writer *to)
{
    // clang-format off
    static const uint32_t usual_order[] = {
        MDX_VERS, MDX_MODL, MDX_SEQS, MDX_GLBS, MDX_MTLS, MDX_TEXS, MDX_TXAN, MDX_GEOS, MDX_GEOA, MDX_BONE, MDX_LITE,
        MDX_HELP, MDX_ATCH, MDX_PIVT, MDX_PREM, MDX_PRE2, MDX_CORN, MDX_RIBB, MDX_CAMS, MDX_EVTS, MDX_CLID, MDX_HTST,
        MDX_FAFX, MDX_BPOS
    };
    // clang-format on
    mdx_out out = { doc, to, doc->chunks.count == 0 };
    const mdx_chunk *chunks = doc->chunks.items;
    sni_write_u32(to, MDX_MDLX);
    for (size_t i = 0; out.is_new && i < sizeof usual_order / sizeof *usual_order; i++) {
        mdx_chunk chunk = { .tag = usual_order[i], .count = new_chunk_count(doc, usual_order[i]) };
        if (chunk.count > 0) write_chunk(&out, &chunk);
    }
    for (uint32_t i = 0; i < doc->chunks.count; i++) write_chunk(&out, &chunks[i]);
    write_array(&out, doc->trailing, 1);
}
