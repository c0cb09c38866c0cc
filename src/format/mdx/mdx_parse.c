// MDX bytes to document. The file is a sequence of chunks, most of them lists of elements that the tables of
// mdx_schema.c describe. Damage is an error that names the numbers; unknown content is kept as bytes. Arrays point into
// the input, which must outlive the document.
#include "format/mdx/mdx_doc.h"

enum {
    CHUNK_HEADER = 8,
    MAX_TRAILING = 8,
    OLDEST_VERSION = 800,
    NODE_BYTES = 96,
    LAYER_BYTES = 28,
    SLOT_BYTES = 8,
    ALL_FIELDS = UINT16_MAX
};

static const uint32_t UNCOUNTED = UINT32_MAX;

typedef struct mdx_parser {
    mdx_doc *doc;
    bool has_version, has_collision;  // VERS and 1300's CLID were parsed
} mdx_parser;

static bool next_is(const sni_reader *in, uint32_t tag) { return sni_rest(in) >= 4 && sni_load_u32(in->at) == tag; }

static mdx_array read_array(sni_reader *in, uint32_t count, size_t bytes)
{
    if (!sni_has_items(in, count, bytes)) return (mdx_array){ 0 };
    return (mdx_array){ sni_take(in, (uint64_t)count * bytes), count };
}

// Warns: "12 bytes after the last element".
static mdx_array read_trailing(sni_reader *in, const char *what)
{
    uint32_t size = sni_rest_count(in, 1);
    if (size == 0) return (mdx_array){ 0 };
    char name[5] = "";
    if (size >= 4) mdx_tag_name(sni_load_u32(in->at), name);
    sni_warn(in->diag, SNI_WARN_MDX_LEFTOVER, sni_offset(in), "%u bytes after the last %s%s%s", size, what,
             name[0] ? ", starting with " : "", name);
    return read_array(in, size, 1);
}

// A u32 size that counts its own four bytes, then the window it spans.
static sni_reader read_sized_window(sni_reader *in)
{
    uint64_t offset = sni_offset(in);
    uint32_t size = sni_read_u32(in);
    if (size < 4) sni_fail(in->diag, SN_ERR_CORRUPT, offset, "a size of %u bytes, but it includes its own 4", size);
    else if (size - 4 > sni_rest(in))
        sni_fail(in->diag, SN_ERR_TRUNCATED, offset, "a size of %u bytes, %zu remain", size, sni_rest(in) + 4);
    return sni_read_window(in, size - 4u);
}

// Sections and fields

// Tag, count, records. Reads nothing when another tag is next.
static void parse_section(const mdx_doc *doc, sni_reader *in, const mdx_section *section, void *owner)
{
    size_t bytes = mdx_section_bytes(doc, section);
    if (bytes == 0 || !next_is(in, section->tag)) return;
    sni_enter(in->diag, section->name, -1);
    sni_skip(in, 4);
    uint32_t count = sni_read_u32(in);
    *(mdx_array *)(void *)((char *)owner + section->array) = read_array(in, count, bytes);
    sni_leave(in->diag);
}

static void parse_field(sni_reader *in, const mdx_field *field, void *out)
{
    size_t bytes = mdx_type_bytes(field->type, 0);
    if (field->type == MDX_U8) {
        for (uint32_t i = 0; i < field->count; i++) ((uint8_t *)out)[i] = sni_read_u8(in);
    } else if (field->type == MDX_NAME || field->type == MDX_PATH) {
        const uint8_t *text = sni_take(in, bytes);
        *(sni_str *)out = sni_str_make((const char *)text, text ? bytes : 0);
    } else {
        sni_read_words(in, out, bytes / 4 * field->count);
    }
}

// The fields of the document's version up to the one at offset `end` in the element.
static void parse_fields(const mdx_doc *doc, sni_reader *in, const mdx_field *fields, size_t end, void *element)
{
    for (const mdx_field *field = fields; field->count > 0 && field->offset != end; field++)
        if (mdx_has_field(field, doc->version)) parse_field(in, field, (char *)element + field->offset);
}

static size_t fields_bytes(const mdx_doc *doc, const mdx_field *fields, size_t end)
{
    size_t bytes = 0;
    for (const mdx_field *field = fields; field->count > 0 && field->offset != end; field++)
        if (mdx_has_field(field, doc->version)) bytes += mdx_type_bytes(field->type, doc->version) * field->count;
    return bytes;
}

static bool has_tag(const uint32_t *tags, uint32_t tag)
{
    while (*tags && *tags != tag) tags++;
    return *tags != 0;
}

// Some writers omit the fields from `optional` on. Either their bytes are missing, or a track starts in their place.
// Returns true for such a short element.
static bool parse_fields_or_short(const mdx_doc *doc, sni_reader *in, const mdx_field *fields, size_t optional,
                                  const uint32_t *tracks, void *element)
{
    size_t before = fields_bytes(doc, fields, optional), all = fields_bytes(doc, fields, ALL_FIELDS);
    bool is_short = all > before && sni_rest(in) >= before &&
                    (sni_rest(in) < all || has_tag(tracks, sni_load_u32(in->at + before)));
    parse_fields(doc, in, fields, is_short ? optional : ALL_FIELDS, element);
    return is_short;
}

// Tracks

// Returns false when no track of the owner is next, or on failure.
static bool parse_track(const mdx_doc *doc, sni_reader *in, const uint32_t *tags, mdx_track *track)
{
    if (sni_rest(in) < 4 || !has_tag(tags, sni_load_u32(in->at))) return false;
    char name[5];
    *track = (mdx_track){ .kind = mdx_find_track_kind(sni_load_u32(in->at)), .offset = sni_offset(in) };
    mdx_tag_name(track->kind->tag, name);
    sni_enter(in->diag, name, -1);
    sni_skip(in, 4);
    uint32_t count = sni_read_u32(in);
    bool has_interpolation = !mdx_is_wow(doc) || track->kind->type != MDX_U32;  // 1300 omits it for integers
    track->interpolation = has_interpolation ? sni_read_u32(in) : MDX_STEP;
    track->global_sequence = sni_read_i32(in);
    track->keys = read_array(in, count, mdx_key_bytes(track, doc->version));
    sni_leave(in->diag);
    return sni_ok(in);
}

// Parses all tracks twice, the first time to count them: the array then has exactly the size it needs.
static mdx_tracks parse_tracks(const mdx_doc *doc, sni_reader *in, const uint32_t *tags)
{
    mdx_tracks tracks = { 0 };
    mdx_track track;
    uint32_t count = 0;
    for (sni_reader ahead = *in; parse_track(doc, &ahead, tags, &track);) count++;
    if (count == 0 || !sni_ok(in)) return tracks;
    tracks.items = sni_new(in->arena, mdx_track, count);
    while (tracks.items && tracks.count < count && parse_track(doc, in, tags, &tracks.items[tracks.count]))
        tracks.count++;
    return tracks;
}

// Nodes, materials, events, shapes

static void parse_node(const mdx_doc *doc, sni_reader *in, mdx_node *node)
{
    sni_enter(in->diag, "node", -1);
    sni_reader window = read_sized_window(in);
    const uint8_t *name = sni_take(&window, MDX_NAME_BYTES);
    node->name = sni_str_make((const char *)name, name ? MDX_NAME_BYTES : 0);
    node->id = sni_read_i32(&window);
    node->parent = sni_read_i32(&window);
    node->flags = sni_read_u32(&window);
    sni_leave(in->diag);
    node->tracks = parse_tracks(doc, &window, mdx_node_tracks);
    node->trailing = read_trailing(&window, "known track");
}

static void parse_layer(const mdx_doc *doc, sni_reader *in, mdx_layer *layer)
{
    static const uint32_t slot_tracks[] = { MDX_KMTF, 0 };
    layer->item.offset = sni_offset(in);
    sni_reader window = read_sized_window(in);
    layer->is_short = parse_fields_or_short(doc, &window, mdx_layer_fields, offsetof(mdx_layer, fresnel_color),
                                            mdx_layer_tracks, layer);
    if (mdx_has_slots(doc)) {
        layer->shader_type = sni_read_u32(&window);
        uint32_t count = sni_read_count(&window, SLOT_BYTES);
        layer->slots = sni_new(in->arena, mdx_texture_slot, count);
        for (; layer->slots && layer->slot_count < count && sni_ok(in); layer->slot_count++) {
            mdx_texture_slot *slot = &layer->slots[layer->slot_count];
            slot->texture = sni_read_u32(&window);
            slot->slot = sni_read_u32(&window);
            slot->tracks = parse_tracks(doc, &window, slot_tracks);
        }
    }
    layer->item.tracks = parse_tracks(doc, &window, mdx_layer_tracks);
    layer->item.trailing = read_trailing(&window, "known track");
}

static void parse_layers(const mdx_doc *doc, sni_reader *in, mdx_material *material)
{
    if (!mdx_is_wow(doc)) {
        if (!next_is(in, MDX_LAYS)) return;
        sni_skip(in, 4);
    }
    sni_enter(in->diag, "LAYS", -1);
    material->has_layers = true;
    uint32_t count = sni_read_count(in, LAYER_BYTES);
    material->layers = sni_new(in->arena, mdx_layer, count);
    sni_leave(in->diag);
    for (; material->layers && material->layer_count < count && sni_ok(in); material->layer_count++) {
        sni_enter(in->diag, "LAYS", material->layer_count);
        parse_layer(doc, in, &material->layers[material->layer_count]);
        sni_leave(in->diag);
    }
}

static void parse_event(sni_reader *in, mdx_event *event)
{
    event->global_sequence = -1;
    if (!next_is(in, MDX_KEVT)) return;
    sni_enter(in->diag, "KEVT", -1);
    sni_skip(in, 4);
    uint32_t count = sni_read_u32(in);
    event->has_times = true;
    event->global_sequence = sni_read_i32(in);
    event->times = read_array(in, count, 4);
    sni_leave(in->diag);
}

// After a shape of this size the chunk ends, or a node with a plausible size starts.
static bool is_plausible_shape(const sni_reader *in, size_t bytes)
{
    if (sni_rest(in) < bytes) return false;
    size_t rest = sni_rest(in) - bytes;
    if (rest < NODE_BYTES) return rest == 0;
    uint32_t size = sni_load_u32(in->at + bytes);
    return size >= NODE_BYTES && size <= rest;
}

// Nothing but its kind gives the size of a collision shape, and files disagree about two kinds: a plane is two points,
// or a length and a width; a cylinder is two points and a radius, or a point, a height and a radius.
static void parse_shape(sni_reader *in, mdx_shape *shape)
{
    enum { SIZES = 3 };
    static const uint8_t sizes[][SIZES] = { { 6, 6, 6 }, { 6, 5, 2 }, { 4, 4, 4 }, { 7, 2, 6 } };
    shape->kind = sni_read_u32(in);
    if (shape->kind > MDX_CYLINDER) {  // the start of the next shape is unknown
        shape->object.item.trailing = read_trailing(in, "known shape");
        return;
    }
    uint32_t count = shape->kind == MDX_CYLINDER && sni_rest(in) < 24 ? 2 : sizes[shape->kind][0];
    for (int i = SIZES - 1; i >= 0; i--)
        if (is_plausible_shape(in, sizes[shape->kind][i] * 4u)) count = sizes[shape->kind][i];
    shape->values = read_array(in, count, 4);
}

static void parse_hit_test(sni_reader *in, mdx_shape *shape)
{
    shape->kind = sni_read_u8(in);
    if (mdx_hit_test_size(shape->kind) > 0) shape->values = read_array(in, mdx_hit_test_size(shape->kind), 4);
}

// Elements

// Geosets: tagged arrays up to version 1400, headers and packed vertices in 1500.

static const mdx_section tangents = { MDX_TANG, "TANG", offsetof(mdx_geoset, tangents), 16, 0 };
static const mdx_section skin = { MDX_SKIN, "SKIN", offsetof(mdx_geoset, skin), 1, 0 };

static mdx_array parse_uv_set(sni_reader *in, uint32_t index)
{
    sni_enter(in->diag, "UVBS", index);
    if (!next_is(in, MDX_UVBS))
        sni_fail(in->diag, SN_ERR_CORRUPT, sni_offset(in),
                 "UVAS counts another UVBS, but %zu bytes without that tag follow", sni_rest(in));
    sni_skip(in, 4);
    uint32_t count = sni_read_u32(in);
    mdx_array uvs = read_array(in, count, 8);
    sni_leave(in->diag);
    return uvs;
}

// Sets of 1300 follow each other without tags, with one pair per vertex.
static void parse_uvs(const mdx_doc *doc, sni_reader *in, mdx_geoset *geoset)
{
    if (!next_is(in, MDX_UVAS)) return;
    uint32_t vertices = geoset->positions.count;
    sni_enter(in->diag, "UVAS", -1);
    sni_skip(in, 4);
    geoset->has_uvs = true;
    size_t set_bytes = !mdx_is_wow(doc) ? 8 : vertices > 0 ? 8 * (size_t)vertices : 1;
    uint32_t count = sni_read_count(in, set_bytes);
    geoset->uvs = sni_new(in->arena, mdx_array, count);
    for (; geoset->uvs && geoset->uv_count < count && sni_ok(in); geoset->uv_count++)
        geoset->uvs[geoset->uv_count] = mdx_is_wow(doc) ? read_array(in, vertices, 8)
                                                        : parse_uv_set(in, geoset->uv_count);
    sni_leave(in->diag);
}

static void parse_geoset(const mdx_doc *doc, sni_reader *in, mdx_geoset *geoset)
{
    for (const mdx_section *section = mdx_geoset_sections; section->tag; section++) {
        if (mdx_is_wow(doc) && section->tag == MDX_PTYP) parse_uvs(doc, in, geoset);
        parse_section(doc, in, section, geoset);
    }
    if (!geoset->positions.data || !geoset->faces.data)
        sni_warn(in->diag, SNI_WARN_MDX_SECTION, sni_offset(in), "no %s", geoset->positions.data ? "PVTX" : "VRTX");

    // A section out of order would be read as numbers.
    for (const mdx_section *section = mdx_geoset_sections; section->tag; section++)
        if (mdx_section_bytes(doc, section) > 0 && next_is(in, section->tag)) {
            sni_fail(in->diag, SN_ERR_CORRUPT, sni_offset(in), "%s is in the place of the material index",
                     section->name);
            return;
        }

    parse_fields(doc, in, mdx_geoset_fields, ALL_FIELDS, geoset);
    uint32_t count = sni_read_u32(in);
    sni_enter(in->diag, "extents", -1);
    geoset->extents = read_array(in, count, mdx_type_bytes(MDX_EXTENT, doc->version));
    sni_leave(in->diag);
    if (mdx_is_wow(doc)) return;

    geoset->skin_first = next_is(in, MDX_SKIN);
    if (geoset->skin_first) parse_section(doc, in, &skin, geoset);
    parse_section(doc, in, &tangents, geoset);
    if (!geoset->skin_first) parse_section(doc, in, &skin, geoset);
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
    geoset->header = read_array(in, HEADER_BYTES, 1);
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
    mdx_array vertices = read_array(in, sni_load_u32(geoset->header.data + VERTEX_COUNT), VERTEX_BYTES);
    uint64_t offset = sni_offset(in);
    const uint8_t *primitive = sni_take(in, PRIMITIVE_BYTES);  // kind, 0, index count, first and last vertex
    mdx_array faces = read_array(in, index_count, 2);
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

// A GEOS chunk of version 1500.
static void parse_batches(mdx_doc *doc, sni_reader *in, mdx_chunk *chunk)
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
    chunk->raw = read_trailing(in, "element");
    sni_leave(in->diag);
}

static void parse_body(const mdx_doc *doc, const mdx_kind *kind, sni_reader *in, void *element)
{
    if (kind->tag == MDX_GEOS) {
        parse_geoset(doc, in, element);
        return;
    }
    if (kind->tag == MDX_LITE) {
        mdx_light *light = element;
        light->is_short = parse_fields_or_short(doc, in, kind->fields, offsetof(mdx_light, shadow_intensity),
                                                kind->tracks, light);
        return;
    }
    parse_fields(doc, in, mdx_fields_of(kind, doc->version), ALL_FIELDS, element);
    switch (kind->tag) {
    case MDX_MTLS: parse_layers(doc, in, element); break;
    case MDX_EVTS: parse_event(in, element); break;
    case MDX_CLID: parse_shape(in, element); break;
    case MDX_HTST: parse_hit_test(in, element); break;
    case MDX_PRE2:
        if (mdx_is_wow(doc)) {
            mdx_emitter2 *emitter = element;
            uint32_t count = sni_read_u32(in);
            emitter->spline = read_array(in, count, 12);
            emitter->squirt = sni_read_u32(in);
        }
        break;
    default: break;
    }
}

static void parse_element(const mdx_doc *doc, const mdx_kind *kind, sni_reader *in, void *element)
{
    mdx_item *item = element;
    bool is_sized = mdx_is_sized(doc, kind);
    item->offset = sni_offset(in);
    sni_reader window;
    if (is_sized) {
        window = read_sized_window(in);
        in = &window;
    }
    if (kind->is_node) parse_node(doc, in, &((mdx_object *)element)->node);
    parse_body(doc, kind, in, element);
    if (*kind->tracks) item->tracks = parse_tracks(doc, in, kind->tracks);
    if (is_sized) item->trailing = read_trailing(in, "known track");
}

// The bytes that must remain for another element to start.
static size_t min_element_bytes(const mdx_doc *doc, const mdx_kind *kind)
{
    if (mdx_is_sized(doc, kind)) return 4;
    return kind->is_node ? NODE_BYTES : fields_bytes(doc, mdx_fields_of(kind, doc->version), ALL_FIELDS);
}

// Chunks of 1300 start with the number of their elements; the others end with their last element.
static uint32_t read_element_count(const mdx_doc *doc, const mdx_kind *kind, sni_reader *in, mdx_chunk *chunk)
{
    if (!mdx_is_wow(doc) || !kind->wow_counted) return UNCOUNTED;
    chunk->lacks_count = sni_rest(in) < (mdx_has_second_word(kind) ? 8 : 4);
    if (chunk->lacks_count) return 0;
    uint32_t count = sni_read_u32(in);
    if (mdx_has_second_word(kind)) chunk->unused = sni_read_u32(in);
    return sni_has_items(in, count, min_element_bytes(doc, kind)) ? count : 0;
}

static void parse_elements(mdx_doc *doc, const mdx_kind *kind, sni_reader *in, mdx_chunk *chunk)
{
    mdx_list *list = mdx_list_of(doc, kind);
    size_t min_bytes = min_element_bytes(doc, kind);
    sni_enter(in->diag, kind->name, -1);
    uint32_t count = read_element_count(doc, kind, in, chunk);
    sni_leave(in->diag);
    chunk->first = list->count;
    while (sni_ok(in) && (count != UNCOUNTED ? chunk->count < count : sni_rest(in) >= min_bytes)) {
        sni_enter(in->diag, kind->name, list->count);
        void *element = sni_list_push(in->arena, list, kind->item_bytes);
        if (element) parse_element(doc, kind, in, element);
        sni_leave(in->diag);
        chunk->count++;
    }
    sni_enter(in->diag, kind->name, -1);
    chunk->raw = read_trailing(in, "element");
    sni_leave(in->diag);
}

// Chunks without elements

static bool is_single(const mdx_doc *doc, uint32_t tag)
{
    switch (tag) {
    case MDX_VERS:
    case MDX_MODL:
    case MDX_GLBS:
    case MDX_PIVT:
    case MDX_BPOS: return true;
    case MDX_CLID: return mdx_is_wow(doc);
    default: return false;
    }
}

// Returns false for a duplicate and for a chunk that is too short.
static bool parse_single(mdx_parser *p, sni_reader *in, uint32_t tag)
{
    mdx_doc *doc = p->doc;
    uint32_t count;
    switch (tag) {
    case MDX_VERS:
        if (p->has_version || sni_rest(in) < 4) return false;
        p->has_version = true;
        sni_skip(in, 4);
        return true;
    case MDX_MODL:
        if (doc->model.name.at || sni_rest(in) < fields_bytes(doc, mdx_model_fields, ALL_FIELDS)) return false;
        parse_fields(doc, in, mdx_model_fields, ALL_FIELDS, &doc->model);
        return true;
    case MDX_GLBS:
        if (doc->global_sequences.data) return false;
        doc->global_sequences = read_array(in, sni_rest_count(in, 4), 4);
        return true;
    case MDX_PIVT:
        if (doc->pivots.data) return false;
        doc->pivots = read_array(in, sni_rest_count(in, 12), 12);
        return true;
    case MDX_BPOS:
        if (doc->bind_pose.data || sni_rest(in) < 4) return false;
        count = sni_read_u32(in);
        doc->bind_pose = read_array(in, count, 48);
        return true;
    default:  // CLID of 1300
        if (p->has_collision) return false;
        p->has_collision = true;
        for (const mdx_section *section = mdx_collision_sections; section->tag; section++)
            parse_section(doc, in, section, doc);
        return true;
    }
}

static void parse_single_or_unknown(mdx_parser *p, sni_reader *in, mdx_chunk *chunk, const char *name)
{
    uint32_t size = sni_rest_count(in, 1);
    bool is_known = is_single(p->doc, chunk->tag);
    sni_enter(in->diag, name, -1);
    if (is_known && parse_single(p, in, chunk->tag)) {
        chunk->count = 1;
        chunk->raw = read_trailing(in, "value");
    } else {
        if (is_known)
            sni_warn(in->diag, SNI_WARN_MDX_CHUNK, chunk->offset, "a chunk of %u bytes is a duplicate or too short",
                     size);
        else sni_warn(in->diag, SNI_WARN_MDX_UNKNOWN, chunk->offset, "an unknown chunk of %u bytes", size);
        chunk->raw = read_array(in, size, 1);
    }
    sni_leave(in->diag);
}

// The file

static void parse_chunk(mdx_parser *p, sni_reader *file)
{
    mdx_chunk *chunk = sni_push(file->arena, &p->doc->chunks, mdx_chunk);
    if (!chunk) return;
    chunk->offset = sni_offset(file);
    chunk->tag = sni_read_u32(file);
    uint32_t size = sni_read_u32(file);
    char name[5];
    mdx_tag_name(chunk->tag, name);
    if (size > sni_rest(file)) {
        sni_enter(file->diag, name, -1);
        sni_fail(file->diag, SN_ERR_TRUNCATED, chunk->offset, "the chunk has %u bytes, %zu remain", size,
                 sni_rest(file));
        sni_leave(file->diag);
        return;
    }
    sni_reader in = sni_read_window(file, size);
    const mdx_kind *kind = mdx_find_chunk_kind(p->doc, chunk->tag);
    if (mdx_has_batches(p->doc, kind)) parse_batches(p->doc, &in, chunk);
    else if (kind) parse_elements(p->doc, kind, &in, chunk);
    else parse_single_or_unknown(p, &in, chunk, name);
}

// The version decides how the rest is read, so VERS is searched first, wherever it is.
static bool find_version(sni_reader file, uint32_t *version)
{
    while (sni_rest(&file) >= CHUNK_HEADER) {
        uint32_t tag = sni_read_u32(&file), size = sni_read_u32(&file);
        if (size > sni_rest(&file)) return false;
        if (tag == MDX_VERS && size >= 4) {
            *version = sni_load_u32(file.at);
            return true;
        }
        sni_skip(&file, size);
    }
    return false;
}

// Some files end with up to eight bytes that are not a chunk.
static bool is_trailing(const sni_reader *file)
{
    size_t rest = sni_rest(file);
    return rest < CHUNK_HEADER || (rest <= MAX_TRAILING && sni_load_u32(file->at + 4) > rest - CHUNK_HEADER);
}

bool mdx_parse(sni_load *load, sni_bytes bytes, mdx_doc *doc)
{
    mdx_parser parser = { .doc = doc };
    sni_reader file = sni_reader_make(bytes.data, bytes.size, &load->diag, sni_load_document_arena(load));
    sni_skip(&file, 4);  // MDLX: the probe has seen it

    doc->version = OLDEST_VERSION;
    if (!find_version(file, &doc->version))
        sni_warn(&load->diag, SNI_WARN_MDX_CHUNK, 4, "no VERS chunk; version %u is assumed", OLDEST_VERSION);
    if (!mdx_check_version(&load->diag, 4, doc->version)) return false;

    while (sni_ok(&file) && !is_trailing(&file)) parse_chunk(&parser, &file);
    if (!sni_ok(&file)) return false;
    if (doc->chunks.count == 0)
        return sni_fail(&load->diag, SN_ERR_TRUNCATED, 4, "the file has no chunks, %zu bytes remain", sni_rest(&file));
    doc->trailing = read_trailing(&file, "chunk");
    return sni_ok(&file);
}
