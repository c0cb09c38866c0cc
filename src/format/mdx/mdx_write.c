// Document to MDX of its version. A document that was read from MDX gives the same bytes again; one that was not,
// having no chunks, gets the usual ones in the usual order.
#include "format/mdx/mdx_doc.h"

typedef struct mdx_out {
    const mdx_doc *doc;
    sni_writer *to;
    bool is_new;
} mdx_out;  // is_new: never was a file

// Sizes are written when they are known. An inclusive one counts its own four bytes.
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

// Cut or filled to the field's size.
static void write_text(const mdx_out *out, sni_str text, size_t bytes)
{
    size_t size = text.size < bytes ? text.size : bytes;
    sni_write_bytes(out->to, text.at, size);
    sni_write_fill(out->to, 0, bytes - size);
}

static void write_field(const mdx_out *out, const mdx_field *field, const void *value)
{
    size_t bytes = mdx_type_bytes(field->type, 0);
    if (field->type == MDX_U8) sni_write_bytes(out->to, value, field->count);
    else if (field->type == MDX_NAME || field->type == MDX_PATH) write_text(out, *(const sni_str *)value, bytes);
    else sni_write_words(out->to, value, bytes / 4 * field->count);
}

// Up to the field at `end`, an offset in the item; SIZE_MAX: all.
static void write_fields(const mdx_out *out, const mdx_field *fields, size_t end, const void *item)
{
    for (const mdx_field *field = fields; field->count > 0 && field->offset != end; field++)
        if (mdx_has_field(field, out->doc->version)) write_field(out, field, (const char *)item + field->offset);
}

// data is NULL where the file had none; a new file has all.
static void write_section(const mdx_out *out, const mdx_section *section, const void *owner)
{
    size_t bytes = mdx_is_alpha(out->doc) ? section->alpha_bytes : section->bytes;
    mdx_array array = *(const mdx_array *)(const void *)((const char *)owner + section->array);
    if (bytes == 0 || (!array.data && !out->is_new)) return;
    sni_write_u32(out->to, section->tag);
    sni_write_u32(out->to, array.count);
    write_array(out, array, bytes);
}

static void write_tracks(const mdx_out *out, mdx_tracks tracks)
{
    for (uint32_t i = 0; i < tracks.count; i++) {
        const mdx_track *track = &tracks.items[i];
        sni_write_u32(out->to, track->kind->tag);
        sni_write_u32(out->to, track->keys.count);
        if (!mdx_is_alpha(out->doc) || track->kind->type != MDX_U32) sni_write_u32(out->to, track->interpolation);
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
    write_array(out, node->rest, 1);
    end_size(out, size, 0);
}

static void write_layer(const mdx_out *out, const mdx_layer *layer)
{
    uint32_t version = out->doc->version;
    size_t size = begin_size(out);
    write_fields(out, mdx_layer_fields, layer->is_short ? offsetof(mdx_layer, fresnel_color) : SIZE_MAX, layer);
    if (version >= 1100 && version < MDX_ALPHA_VERSION) {
        sni_write_u32(out->to, layer->shader_type);
        sni_write_u32(out->to, layer->slot_count);
        for (uint32_t i = 0; i < layer->slot_count; i++) {
            sni_write_u32(out->to, layer->slots[i].texture);
            sni_write_u32(out->to, layer->slots[i].slot);
            write_tracks(out, layer->slots[i].tracks);
        }
    }
    write_tracks(out, layer->item.tracks);
    write_array(out, layer->item.rest, 1);
    end_size(out, size, 0);
}

static void write_layers(const mdx_out *out, const mdx_material *material)
{
    if (!material->has_layers && !out->is_new) return;
    if (!mdx_is_alpha(out->doc)) sni_write_u32(out->to, MDX_TAG('L', 'A', 'Y', 'S'));
    sni_write_u32(out->to, material->layer_count);
    for (uint32_t i = 0; i < material->layer_count; i++) write_layer(out, &material->layers[i]);
}

// 1300 has exactly one pair for each vertex.
static void write_uvs(const mdx_out *out, const mdx_geoset *geoset)
{
    if (!geoset->has_uvs && !out->is_new) return;
    bool is_alpha = mdx_is_alpha(out->doc);
    sni_write_u32(out->to, MDX_TAG('U', 'V', 'A', 'S'));
    sni_write_u32(out->to, geoset->uv_count);
    for (uint32_t i = 0; i < geoset->uv_count; i++) {
        mdx_array uvs = geoset->uvs[i];
        uint32_t lacking = is_alpha && uvs.count < geoset->positions.count ? geoset->positions.count - uvs.count : 0;
        if (is_alpha && uvs.count > geoset->positions.count) uvs.count = geoset->positions.count;
        if (!is_alpha) {
            sni_write_u32(out->to, MDX_TAG('U', 'V', 'B', 'S'));
            sni_write_u32(out->to, uvs.count);
        }
        write_array(out, uvs, 8);
        sni_write_fill(out->to, 0, (size_t)lacking * 8);
    }
}

static void write_optional(const mdx_out *out, uint32_t tag, mdx_array array, size_t bytes)
{
    if (!array.data || mdx_is_alpha(out->doc)) return;
    sni_write_u32(out->to, tag);
    sni_write_u32(out->to, array.count);
    write_array(out, array, bytes);
}

static void write_geoset(const mdx_out *out, const mdx_geoset *geoset)
{
    bool is_alpha = mdx_is_alpha(out->doc);
    for (const mdx_section *section = mdx_geoset_sections; section->tag; section++) {
        if (is_alpha && section->array == offsetof(mdx_geoset, face_types)) write_uvs(out, geoset);
        write_section(out, section, geoset);
    }
    write_fields(out, mdx_geoset_fields, SIZE_MAX, geoset);
    sni_write_u32(out->to, geoset->extents.count);
    write_array(out, geoset->extents, mdx_type_bytes(MDX_EXTENT, out->doc->version));
    if (geoset->skin_first) write_optional(out, MDX_TAG('S', 'K', 'I', 'N'), geoset->skin, 1);
    write_optional(out, MDX_TAG('T', 'A', 'N', 'G'), geoset->tangents, 16);
    if (!geoset->skin_first) write_optional(out, MDX_TAG('S', 'K', 'I', 'N'), geoset->skin, 1);
    if (!is_alpha) write_uvs(out, geoset);
}

static void write_event(const mdx_out *out, const mdx_event *event)
{
    if (!event->has_times) return;
    sni_write_u32(out->to, MDX_TAG('K', 'E', 'V', 'T'));
    sni_write_u32(out->to, event->times.count);
    sni_write_u32(out->to, (uint32_t)event->global_sequence);
    write_array(out, event->times, 4);
}

static void write_shape(const mdx_out *out, const mdx_shape *shape, bool is_hit_test)
{
    if (is_hit_test) sni_write_u8(out->to, (uint8_t)shape->kind);
    else sni_write_u32(out->to, shape->kind);
    write_array(out, shape->values, 4);
}

// 1300's emitters begin with their own size, which a new file has yet to learn.
static void write_alpha_emitter(const mdx_out *out, const mdx_kind *kind, const void *item)
{
    size_t at = out->to->size;
    write_fields(out, kind->alpha_fields, SIZE_MAX, item);
    if (kind->tag == MDX_TAG('P', 'R', 'E', '2')) {
        const mdx_emitter2 *emitter = item;
        sni_write_u32(out->to, emitter->spline.count);
        write_array(out, emitter->spline, 12);
        sni_write_u32(out->to, emitter->squirt);
    }
    if (out->is_new) end_size(out, at, 0);
}

static void write_body(const mdx_out *out, const mdx_kind *kind, const void *item)
{
    bool is_alpha = mdx_is_alpha(out->doc);
    if (is_alpha && (kind->tag == MDX_TAG('P', 'R', 'E', '2') || kind->tag == MDX_TAG('R', 'I', 'B', 'B'))) {
        write_alpha_emitter(out, kind, item);
        return;
    }
    bool is_short = kind->tag == MDX_TAG('L', 'I', 'T', 'E') && ((const mdx_light *)item)->is_short;
    write_fields(out, is_alpha ? kind->alpha_fields : kind->fields,
                 is_short ? offsetof(mdx_light, shadow_intensity) : SIZE_MAX, item);
    switch (kind->tag) {
    case MDX_TAG('M', 'T', 'L', 'S'): write_layers(out, item); break;
    case MDX_TAG('G', 'E', 'O', 'S'): write_geoset(out, item); break;
    case MDX_TAG('E', 'V', 'T', 'S'): write_event(out, item); break;
    case MDX_TAG('C', 'L', 'I', 'D'): write_shape(out, item, false); break;
    case MDX_TAG('H', 'T', 'S', 'T'): write_shape(out, item, true); break;
    default: break;
    }
}

static void write_item(const mdx_out *out, const mdx_kind *kind, const void *item)
{
    const mdx_item *own = item;
    bool is_sized = mdx_is_alpha(out->doc) ? kind->alpha_sized : kind->is_sized;
    size_t size = is_sized ? begin_size(out) : 0;
    if (kind->is_node) write_node(out, &((const mdx_object *)item)->node);
    write_body(out, kind, item);
    write_tracks(out, own->tracks);
    write_array(out, own->rest, 1);
    if (is_sized) end_size(out, size, 0);
}

// Of 1500: all headers, then all that they head.
static void write_batches(const mdx_out *out, const mdx_geoset *geosets, const mdx_chunk *chunk)
{
    for (uint32_t i = 0; i < chunk->count; i++) write_array(out, geosets[chunk->first + i].header, 1);
    for (uint32_t i = 0; i < chunk->count; i++) write_array(out, geosets[chunk->first + i].block, 1);
}

static void write_items(const mdx_out *out, const mdx_kind *kind, const mdx_chunk *chunk)
{
    const mdx_list *list = (const mdx_list *)(const void *)((const char *)out->doc + kind->list);
    if (mdx_is_alpha(out->doc) && kind->alpha_counted && !chunk->is_bare) {
        sni_write_u32(out->to, chunk->count);
        if (mdx_has_second_word(kind)) sni_write_u32(out->to, chunk->unused);
    }
    if (mdx_has_batches(out->doc, kind)) {
        write_batches(out, list->items, chunk);
        return;
    }
    for (uint32_t i = 0; i < chunk->count; i++)
        write_item(out, kind, (const char *)list->items + (chunk->first + (size_t)i) * kind->item_bytes);
}

static void write_single(const mdx_out *out, uint32_t tag)
{
    const mdx_doc *doc = out->doc;
    switch (tag) {
    case MDX_TAG('V', 'E', 'R', 'S'): sni_write_u32(out->to, doc->version); break;
    case MDX_TAG('M', 'O', 'D', 'L'): write_fields(out, mdx_model_fields, SIZE_MAX, &doc->model); break;
    case MDX_TAG('G', 'L', 'B', 'S'): write_array(out, doc->global_sequences, 4); break;
    case MDX_TAG('P', 'I', 'V', 'T'): write_array(out, doc->pivots, 12); break;
    case MDX_TAG('B', 'P', 'O', 'S'):
        sni_write_u32(out->to, doc->bind_pose.count);
        write_array(out, doc->bind_pose, 48);
        break;
    case MDX_TAG('C', 'L', 'I', 'D'):
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
    if (kind) write_items(out, kind, chunk);
    else if (chunk->count > 0) write_single(out, chunk->tag);
    write_array(out, chunk->raw, 1);
    end_size(out, size, 4);
}

// How many elements a new file's chunk gets; a chunk without elements counts 1.
static uint32_t count_for(const mdx_doc *doc, uint32_t tag)
{
    const mdx_kind *kind = mdx_find_chunk_kind(doc, tag);
    if (kind) return ((const mdx_list *)(const void *)((const char *)doc + kind->list))->count;
    switch (tag) {
    case MDX_TAG('V', 'E', 'R', 'S'):
    case MDX_TAG('M', 'O', 'D', 'L'): return 1;
    case MDX_TAG('G', 'L', 'B', 'S'): return doc->global_sequences.count > 0;
    case MDX_TAG('P', 'I', 'V', 'T'): return doc->pivots.count > 0;
    case MDX_TAG('B', 'P', 'O', 'S'): return doc->bind_pose.count > 0;
    case MDX_TAG('C', 'L', 'I', 'D'): return doc->collision_positions.count > 0;
    default: return 0;
    }
}

static void write_usual_chunks(const mdx_out *out)
{
    static const char order[] =
        "VERSMODLSEQSGLBSMTLSTEXSTXANGEOSGEOABONELITEHELPATCHPIVTPREMPRE2CORNRIBBCAMSEVTSCLIDHTSTFAFXBPOS";
    for (const char *at = order; *at; at += 4) {
        mdx_chunk chunk = { .tag = MDX_TAG(at[0], at[1], at[2], at[3]) };
        chunk.count = count_for(out->doc, chunk.tag);
        if (chunk.count > 0) write_chunk(out, &chunk);
    }
}

void mdx_write(const mdx_doc *doc, sni_writer *to)
{
    mdx_out out = { doc, to, doc->chunks.count == 0 };
    const mdx_chunk *chunks = doc->chunks.items;
    sni_write_u32(to, MDX_TAG('M', 'D', 'L', 'X'));
    if (out.is_new) write_usual_chunks(&out);
    for (uint32_t i = 0; i < doc->chunks.count; i++) write_chunk(&out, &chunks[i]);
    write_array(&out, doc->stray, 1);
}
