// What elements are made of: sizes, fields, tracks, nodes.
#include "format/mdx/mdx_parse.h"

void mdx_tag_name(uint32_t tag, char name[5])
{
    for (int i = 0; i < 4; i++) name[i] = (char)(tag >> 8 * i & 0xFF);
    for (int i = 0; i < 4; i++)
        if (name[i] < ' ' || name[i] > '~') name[i] = '?';
    name[4] = 0;
}

sni_reader mdx_read_sized(sni_reader *in)
{
    uint64_t offset = sni_offset(in);
    uint32_t size = sni_read_u32(in);
    if (size < 4) sni_fail(in->diag, SN_ERR_CORRUPT, offset, "a size of %u bytes does not even hold itself", size);
    else if (size - 4 > sni_rest(in))
        sni_fail(in->diag, SN_ERR_TRUNCATED, offset, "a size of %u bytes, %zu remain", size, sni_rest(in) + 4);
    return sni_read_window(in, size - 4u);
}

mdx_array mdx_take_array(sni_reader *in, uint32_t count, size_t bytes)
{
    if (!sni_has_items(in, count, bytes)) return (mdx_array){ 0 };
    return (mdx_array){ sni_take(in, (uint64_t)count * bytes), count };
}

mdx_array mdx_keep_rest(sni_reader *in, const char *last)
{
    uint32_t size = sni_rest_count(in, 1);
    if (size == 0) return (mdx_array){ 0 };
    char name[5] = "";
    if (size >= 4) mdx_tag_name(sni_load_u32(in->at), name);
    sni_warn(in->diag, SNI_WARN_MDX_LEFTOVER, sni_offset(in), "%u bytes behind the last %s%s%s", size, last,
             name[0] ? ", beginning with " : "", name);
    return mdx_take_array(in, size, 1);
}

void mdx_parse_section(const mdx_parser *p, sni_reader *in, const mdx_section *section, void *owner)
{
    size_t bytes = mdx_is_alpha(p->doc) ? section->alpha_bytes : section->bytes;
    if (bytes == 0 || !mdx_next_is(in, section->tag)) return;
    sni_enter(in->diag, section->name, -1);
    sni_skip(in, 4);
    uint32_t count = sni_read_u32(in);
    *(mdx_array *)(void *)((char *)owner + section->array) = mdx_take_array(in, count, bytes);
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

void mdx_parse_fields(const mdx_parser *p, sni_reader *in, const mdx_field *fields, size_t end, void *item)
{
    for (const mdx_field *field = fields; field->count > 0 && field->offset != end; field++)
        if (mdx_has_field(field, p->doc->version)) parse_field(in, field, (char *)item + field->offset);
}

size_t mdx_fields_bytes(const mdx_field *fields, size_t end, uint32_t version)
{
    size_t bytes = 0;
    for (const mdx_field *field = fields; field->count > 0 && field->offset != end; field++)
        if (mdx_has_field(field, version)) bytes += mdx_type_bytes(field->type, version) * field->count;
    return bytes;
}

static bool owns_track(const uint32_t *tags, uint32_t tag)
{
    while (*tags && *tags != tag) tags++;
    return *tags != 0;
}

size_t mdx_find_end(const mdx_parser *p, const sni_reader *in, const mdx_field *fields, size_t optional,
                    const uint32_t *tracks)
{
    size_t before = mdx_fields_bytes(fields, optional, p->doc->version);
    size_t all = mdx_fields_bytes(fields, MDX_ALL_FIELDS, p->doc->version);
    if (all == before || sni_rest(in) < before) return MDX_ALL_FIELDS;
    return sni_rest(in) < all || owns_track(tracks, sni_load_u32(in->at + before)) ? optional : MDX_ALL_FIELDS;
}

// A file has thousands of tracks of a few kinds: whoever was asked for before is found at once.
static const mdx_track_kind *find_track(mdx_parser *p, uint32_t tag)
{
    const mdx_track_kind **slot = &p->known[(tag * 0x9E3779B1u) >> 26];
    if (!*slot || (*slot)->tag != tag) *slot = mdx_find_track(tag);
    return *slot;
}

// 1300 stores what can only be stepped without saying so.
static bool has_interpolation(const mdx_parser *p, const mdx_track_kind *kind)
{
    return !mdx_is_alpha(p->doc) || kind->type != MDX_U32;
}

// False where no track of the owner follows, or when it failed.
static bool parse_track(mdx_parser *p, sni_reader *in, const uint32_t *tags, mdx_track *track)
{
    if (sni_rest(in) < 4 || !owns_track(tags, sni_load_u32(in->at))) return false;
    char name[5];
    *track = (mdx_track){ .kind = find_track(p, sni_load_u32(in->at)), .offset = sni_offset(in) };
    mdx_tag_name(track->kind->tag, name);
    sni_enter(in->diag, name, -1);
    sni_skip(in, 4);
    uint32_t count = sni_read_u32(in);
    track->interpolation = has_interpolation(p, track->kind) ? sni_read_u32(in) : MDX_STEP;
    track->global_sequence = sni_read_i32(in);
    track->keys = mdx_take_array(in, count, mdx_key_bytes(track, p->doc->version));
    sni_leave(in->diag);
    return sni_ok(in);
}

// Counted first: their headers are few bytes, and the list becomes exactly as long as it must.
mdx_tracks mdx_parse_tracks(mdx_parser *p, sni_reader *in, const uint32_t *tags)
{
    mdx_tracks tracks = { 0 };
    mdx_track track;
    uint32_t count = 0;
    for (sni_reader scout = *in; parse_track(p, &scout, tags, &track);) count++;
    if (count == 0 || !sni_ok(in)) return tracks;
    tracks.items = sni_new(in->arena, mdx_track, count);
    while (tracks.items && tracks.count < count && parse_track(p, in, tags, &tracks.items[tracks.count]))
        tracks.count++;
    return tracks;
}

static void parse_node(mdx_parser *p, sni_reader *in, mdx_node *node)
{
    sni_enter(in->diag, "node", -1);
    sni_reader inner = mdx_read_sized(in);
    const uint8_t *name = sni_take(&inner, MDX_NAME_BYTES);
    node->name = sni_str_make((const char *)name, name ? MDX_NAME_BYTES : 0);
    node->id = sni_read_i32(&inner);
    node->parent = sni_read_i32(&inner);
    node->flags = sni_read_u32(&inner);
    sni_leave(in->diag);
    node->tracks = mdx_parse_tracks(p, &inner, mdx_node_tracks);
    node->rest = mdx_keep_rest(&inner, "track that is known");
}

static void parse_light(mdx_parser *p, sni_reader *in, mdx_light *light, const mdx_kind *kind)
{
    size_t end = mdx_find_end(p, in, kind->fields, offsetof(mdx_light, shadow_intensity), kind->tracks);
    light->is_short = end != MDX_ALL_FIELDS;
    mdx_parse_fields(p, in, kind->fields, end, light);
}

static void parse_emitter2_end(sni_reader *in, mdx_emitter2 *emitter)
{
    uint32_t count = sni_read_u32(in);
    emitter->spline = mdx_take_array(in, count, 12);
    emitter->squirt = sni_read_u32(in);
}

// What the fields' table cannot say, and the fields.
static void parse_body(mdx_parser *p, const mdx_kind *kind, sni_reader *in, void *item)
{
    bool is_alpha = mdx_is_alpha(p->doc);
    if (kind->tag == MDX_TAG('L', 'I', 'T', 'E')) {
        parse_light(p, in, item, kind);
        return;
    }
    mdx_parse_fields(p, in, is_alpha ? kind->alpha_fields : kind->fields, MDX_ALL_FIELDS, item);
    switch (kind->tag) {
    case MDX_TAG('M', 'T', 'L', 'S'): mdx_parse_layers(p, in, item); break;
    case MDX_TAG('G', 'E', 'O', 'S'): mdx_parse_geoset(p, in, item); break;
    case MDX_TAG('E', 'V', 'T', 'S'): mdx_parse_event(in, item); break;
    case MDX_TAG('C', 'L', 'I', 'D'): mdx_parse_shape(in, item); break;
    case MDX_TAG('H', 'T', 'S', 'T'): mdx_parse_hit_test(in, item); break;
    case MDX_TAG('P', 'R', 'E', '2'):
        if (is_alpha) parse_emitter2_end(in, item);
        break;
    default: break;
    }
}

void mdx_parse_item(mdx_parser *p, const mdx_kind *kind, sni_reader *in, void *item)
{
    mdx_item *own = item;
    sni_reader window, *inner = in;
    own->offset = sni_offset(in);
    bool is_sized = mdx_is_alpha(p->doc) ? kind->alpha_sized : kind->is_sized;
    if (is_sized) {
        window = mdx_read_sized(in);
        inner = &window;
    }
    if (kind->is_node) parse_node(p, inner, &((mdx_object *)item)->node);
    parse_body(p, kind, inner, item);
    if (*kind->tracks) own->tracks = mdx_parse_tracks(p, inner, kind->tracks);
    if (is_sized) own->rest = mdx_keep_rest(inner, "track that is known");
}
