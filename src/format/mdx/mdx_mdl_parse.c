// MDL text to document: blocks, and the statements in them, as the tables of the format describe them. Counts in the
// text are checked but never trusted; unknown words are skipped with a warning.
#include "format/mdx/mdx_mdl.h"

#include <string.h>

// Statements

mdx_mdl_statement mdx_mdl_read_statement(mdx_mdl_parser *p)
{
    mdx_mdl_peek(p);
    mdx_mdl_statement statement = { .offset = mdx_mdl_offset(p) };
    statement.word = mdx_mdl_read_word(p);
    if (sni_str_is_nocase(statement.word, "static")) {
        statement.is_static = true;
        statement.word = mdx_mdl_read_word(p);
    }
    statement.word = mdx_mdl_standard_word(statement.word);
    return statement;
}

void mdx_mdl_skip_unknown(mdx_mdl_parser *p, mdx_mdl_statement statement)
{
    int shown = statement.word.size < 40 ? (int)statement.word.size : 40;
    if (mdx_mdl_ok(p))
        sni_warn(&p->load->diag, SNI_WARN_MDL_WORD, statement.offset, "unknown word \"%.*s\"", shown,
                 statement.word.at);
    mdx_mdl_skip_statement(p);
}

bool mdx_mdl_parse_keyword(mdx_mdl_parser *p, uint32_t tag, mdx_mdl_statement statement, void *element)
{
    for (const mdx_mdl_keyword_field *field = mdx_mdl_keyword_fields(tag); field->raw_name; field++) {
        uint32_t *value = (uint32_t *)(void *)((char *)element + field->offset);
        if (!mdx_mdl_has_keyword_field(field, p->doc->version)) continue;
        if (mdx_mdl_is(statement, field->raw_name)) {
            *value = mdx_mdl_read_u32(p);
            return true;
        }
        bool has_prefix = field->prefix && mdx_mdl_is(statement, field->prefix);
        if (field->prefix && !has_prefix) continue;
        sni_str word = has_prefix ? mdx_mdl_read_word(p) : statement.word;
        const mdx_mdl_keyword *keyword = field->keywords;
        while (keyword->name && !sni_str_is_nocase(word, keyword->name)) keyword++;
        if (keyword->name) *value = (*value & ~keyword->mask) | keyword->bits;
        else if (has_prefix) mdx_mdl_skip_unknown(p, statement);
        if (keyword->name || has_prefix) return true;
    }
    return false;
}

bool mdx_mdl_parse_extent(mdx_mdl_parser *p, mdx_mdl_statement statement, mdx_extent *extent)
{
    if (mdx_mdl_is(statement, "MinimumExtent")) mdx_mdl_read_floats(p, extent->min, 3);
    else if (mdx_mdl_is(statement, "MaximumExtent")) mdx_mdl_read_floats(p, extent->max, 3);
    else if (mdx_mdl_is(statement, "BoundsRadius")) mdx_mdl_read_floats(p, &extent->radius, 1);
    else return false;
    return true;
}

// Fields

void mdx_mdl_set_defaults(const mdx_field *fields, uint32_t version, void *element)
{
    for (const mdx_field *field = fields; field->count; field++) {
        void *at = (char *)element + field->offset;
        float value = field->default_value;
        if (value == 0 || !mdx_has_field(field, version)) continue;
        if (field->type == MDX_F32) *(float *)at = value;
        if (field->type == MDX_I32) *(int32_t *)at = (int32_t)value;
        if (field->type == MDX_VEC3 || field->type == MDX_COLOR) *(sn_vec3 *)at = (sn_vec3){ value, value, value };
    }
}

// Colours are blue, green, red in MDL.
static void swap_red_blue(sn_vec3 *colors, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) colors[i] = (sn_vec3){ colors[i].z, colors[i].y, colors[i].x };
}

static void read_field(mdx_mdl_parser *p, const mdx_field *field, void *element)
{
    void *at = (char *)element + field->offset;
    uint8_t bytes[16] = { 0 };
    switch (field->type) {
    case MDX_U8: mdx_mdl_read_scalars(p, MDX_MDL_U8, at, field->count); break;
    case MDX_U32:
    case MDX_I32:
        mdx_mdl_read_scalars(p, MDX_MDL_U32, bytes, field->count);
        sni_load_words(bytes, at, field->count);
        break;
    case MDX_F32: mdx_mdl_read_floats(p, at, field->count); break;
    case MDX_VEC3: mdx_mdl_read_floats(p, at, 3u * field->count); break;
    case MDX_COLOR:
        swap_red_blue(at, field->count);
        mdx_mdl_read_floats(p, at, 3u * field->count);
        swap_red_blue(at, field->count);
        break;
    case MDX_NAME: *(sni_str *)at = mdx_mdl_read_text(p, MDX_NAME_BYTES); break;
    case MDX_PATH: *(sni_str *)at = mdx_mdl_read_text(p, MDX_PATH_BYTES); break;
    case MDX_QUAT:
    case MDX_EXTENT: break;  // not fields of MDL
    }
}

bool mdx_mdl_parse_field(mdx_mdl_parser *p, const mdx_field *fields, mdx_mdl_statement statement, void *element,
                         sni_list *tracks)
{
    const mdx_field *field = fields;
    for (; field->count; field++)
        if (field->mdl_name && mdx_has_field(field, p->doc->version) && mdx_mdl_is(statement, field->mdl_name)) break;
    if (!field->count) return false;
    bool is_single_number = field->count == 1 && field->type != MDX_NAME && field->type != MDX_PATH;
    if (statement.is_static || !is_single_number || !mdx_mdl_at_track(p)) read_field(p, field, element);
    else if (field->track) mdx_mdl_read_track(p, mdx_find_track_kind(field->track), tracks);
    else mdx_mdl_skip_unknown(p, statement);
    return true;
}

// Tracks

bool mdx_mdl_at_track(mdx_mdl_parser *p)
{
    const char *start = p->at;
    bool has_count = mdx_mdl_at_number(p);
    if (has_count) mdx_mdl_read_word(p);
    bool is_block = mdx_mdl_take(p, '{');
    bool is_track = is_block && (has_count || !mdx_mdl_at_number(p));
    p->at = start;
    return is_track;
}

static void read_key_value(mdx_mdl_parser *p, mdx_type type, uint8_t *at)
{
    float v[4] = { 0, 0, 0, 1 };
    if (type == MDX_U32) {
        sni_store_u32(at, mdx_mdl_read_u32(p));
        return;
    }
    uint32_t count = type == MDX_QUAT ? 4 : type == MDX_F32 ? 1 : 3;
    mdx_mdl_read_floats(p, v, count);
    if (type == MDX_QUAT && mdx_is_wow(p->doc)) {
        uint64_t packed = mdx_pack_quat((sn_quat){ v[0], v[1], v[2], v[3] });
        sni_store_u32(at, (uint32_t)packed);
        sni_store_u32(at + 4, (uint32_t)(packed >> 32));
    } else {
        for (uint32_t i = 0; i < count; i++) sni_store_f32(at + 4 * i, v[i]);
    }
}

// Tangents that the text omits are flat: 0 for Hermite, else the value itself.
static uint8_t *read_key(mdx_mdl_parser *p, const mdx_track *track, sni_list *keys)
{
    size_t value_bytes = mdx_type_bytes(track->kind->type, p->doc->version);
    uint8_t *key = sni_list_push(p->arena, keys, mdx_key_bytes(track, p->doc->version));
    if (!key) return NULL;
    sni_store_u32(key, (uint32_t)mdx_mdl_read_i32(p));
    read_key_value(p, track->kind->type, key + 4);
    bool repeats_value = track->interpolation > MDX_HERMITE ||
                         (track->interpolation == MDX_HERMITE && track->kind->type == MDX_QUAT);
    for (size_t i = 4 + value_bytes; repeats_value && i < 4 + 3 * value_bytes; i++) key[i] = key[i - value_bytes];
    return key;
}

static void read_tangent(mdx_mdl_parser *p, const mdx_track *track, uint8_t *key, bool is_out)
{
    size_t value_bytes = mdx_type_bytes(track->kind->type, p->doc->version);
    uint8_t unused[16] = { 0 };
    bool has_tangents = key && track->interpolation > MDX_LINEAR;
    mdx_mdl_peek(p);
    uint64_t offset = mdx_mdl_offset(p);
    read_key_value(p, track->kind->type, has_tangents ? key + 4 + (is_out ? 2 : 1) * value_bytes : unused);
    if (!has_tangents && mdx_mdl_ok(p)) sni_warn(&p->load->diag, SNI_WARN_MDL_TRACK, offset, "unexpected tangent");
}

// A word among the keys. The interpolation must come before the first key, as it decides their size.
static bool parse_track_word(mdx_mdl_parser *p, mdx_track *track, mdx_mdl_statement statement, uint8_t *key)
{
    bool is_out = mdx_mdl_is(statement, "OutTan");
    if (is_out || mdx_mdl_is(statement, "InTan")) {
        read_tangent(p, track, key, is_out);
        return true;
    }
    if (mdx_mdl_is(statement, "GlobalSeqId")) {
        track->global_sequence = mdx_mdl_read_i32(p);
        return true;
    }
    if (key) return false;
    if (mdx_mdl_is(statement, "Interpolation")) {
        track->interpolation = mdx_mdl_read_u32(p);
        return true;
    }
    for (uint32_t i = 0; i < 4; i++) {
        if (!mdx_mdl_is(statement, mdx_mdl_interpolation_names[i])) continue;
        track->interpolation = i;
        return true;
    }
    return false;
}

void mdx_mdl_read_track(mdx_mdl_parser *p, const mdx_track_kind *kind, sni_list *tracks)
{
    mdx_track track = { .kind = kind, .offset = mdx_mdl_offset(p), .interpolation = MDX_STEP, .global_sequence = -1 };
    sni_list keys = { 0 };
    uint8_t *key = NULL;
    bool has_count = mdx_mdl_at_number(p);
    uint32_t count = has_count ? (uint32_t)mdx_mdl_read_integer(p, 0, UINT32_MAX) : 0;
    if (!mdx_mdl_open(p)) return;
    sni_enter(&p->load->diag, kind->mdl_name, -1);
    while (mdx_mdl_more(p)) {
        if (mdx_mdl_at_number(p)) {
            key = read_key(p, &track, &keys);
            continue;
        }
        mdx_mdl_statement statement = mdx_mdl_read_statement(p);
        if (!parse_track_word(p, &track, statement, key)) mdx_mdl_skip_unknown(p, statement);
    }
    if (has_count && count != keys.count && mdx_mdl_ok(p))
        sni_warn(&p->load->diag, SNI_WARN_MDL_COUNT, track.offset, "the count is %u, the track has %u keys", count,
                 keys.count);
    sni_leave(&p->load->diag);
    mdx_track *kept = sni_push(p->arena, tracks, mdx_track);
    if (!kept) return;
    track.keys = (mdx_array){ keys.items ? keys.items : sni_new(p->arena, uint8_t, 0), keys.count };
    *kept = track;
}

// Visibility has one tag in 1300, and one for each kind before.
bool mdx_mdl_parse_track(mdx_mdl_parser *p, const uint32_t *tags, mdx_mdl_statement statement, sni_list *tracks)
{
    for (const uint32_t *tag = tags; *tag; tag++) {
        const mdx_track_kind *kind = mdx_find_track_kind(*tag);
        bool is_visibility = strcmp(kind->mdl_name, "Visibility") == 0;
        if (!mdx_mdl_is(statement, kind->mdl_name) || !mdx_mdl_at_track(p)) continue;
        if (is_visibility && (*tag == MDX_KVIS) != mdx_is_wow(p->doc)) continue;
        mdx_mdl_read_track(p, kind, tracks);
        return true;
    }
    return false;
}

// Elements

static void parse_element_statement(mdx_mdl_parser *p, mdx_mdl_element *element)
{
    mdx_mdl_statement statement = mdx_mdl_read_statement(p);
    const mdx_kind *kind = element->kind;
    const mdx_field *fields = mdx_fields_of(kind, p->doc->version);
    if (mdx_mdl_parse_special(p, element, statement)) return;
    if (mdx_mdl_parse_keyword(p, kind->tag, statement, element->at)) return;
    if (mdx_mdl_parse_field(p, fields, statement, element->at, &element->tracks)) return;
    if (mdx_mdl_parse_track(p, kind->tracks, statement, &element->tracks)) return;
    bool is_known = kind->tag == MDX_GEOS && p->doc->version < 900 &&
                    (mdx_mdl_is(statement, "LevelOfDetail") || mdx_mdl_is(statement, "Name"));
    if (is_known) mdx_mdl_skip_statement(p);
    else mdx_mdl_skip_unknown(p, statement);
}

// Particle { } of an emitter and Target { } of a camera hold statements of their owner.
static bool open_inner_block(mdx_mdl_parser *p, mdx_mdl_element *element)
{
    const char *start = p->at;
    uint32_t tag = element->kind->tag;
    if (tag != MDX_PREM && tag != MDX_CAMS) return false;
    if (sni_str_is_nocase(mdx_mdl_read_word(p), tag == MDX_PREM ? "Particle" : "Target") && mdx_mdl_take(p, '{')) {
        element->in_target = true;
        return true;
    }
    p->at = start;
    return false;
}

static void parse_element(mdx_mdl_parser *p, const mdx_kind *kind, void *at)
{
    mdx_tracks *tracks = &((mdx_item *)at)->tracks, *node_tracks = NULL;
    mdx_mdl_element element = { .kind = kind, .at = at, .tracks = { tracks->items, tracks->count, tracks->count } };
    if (kind->is_node) {
        node_tracks = &((mdx_object *)at)->node.tracks;
        element.node_tracks = (sni_list){ node_tracks->items, node_tracks->count, node_tracks->count };
    }
    uint64_t depth = mdx_mdl_open(p);
    while (depth > 0 && mdx_mdl_ok(p)) {
        if (!mdx_mdl_more(p)) {
            depth--;
            element.in_target = false;
        } else if (open_inner_block(p, &element)) {
            depth++;
        } else {
            parse_element_statement(p, &element);
        }
    }
    if (!mdx_mdl_ok(p)) return;
    *tracks = (mdx_tracks){ element.tracks.items, element.tracks.count };
    if (node_tracks) *node_tracks = (mdx_tracks){ element.node_tracks.items, element.node_tracks.count };
    mdx_mdl_end_element(p, &element);
}

// The name after the word that opens the block.
static sni_str *element_name(const mdx_mdl_parser *p, const mdx_kind *kind, void *element)
{
    if (kind->is_node) return &((mdx_object *)element)->node.name;
    for (const mdx_field *field = mdx_fields_of(kind, p->doc->version); field->count; field++)
        if (field->type == MDX_NAME && !field->mdl_name) return (sni_str *)(void *)((char *)element + field->offset);
    return NULL;
}

static void parse_new_element(mdx_mdl_parser *p, const mdx_kind *kind, uint64_t offset)
{
    mdx_list *list = mdx_list_of(p->doc, kind);
    void *element = sni_list_push(p->arena, list, kind->item_bytes);
    if (!element) return;
    ((mdx_item *)element)->offset = offset;
    mdx_mdl_set_defaults(mdx_fields_of(kind, p->doc->version), p->doc->version, element);
    if (kind->tag == MDX_EVTS) ((mdx_event *)element)->global_sequence = -1;
    if (kind->is_node) {
        mdx_node *node = &((mdx_object *)element)->node;
        node->lacks_id = true;
        node->parent = -1;
        node->flags = mdx_mdl_type_flags(kind->tag, p->doc->version);
    }
    sni_enter(&p->load->diag, kind->mdl_name, list->count - 1);
    sni_str *name = element_name(p, kind, element);
    if (name && mdx_mdl_peek(p) != '{') *name = mdx_mdl_read_text(p, MDX_NAME_BYTES);
    mdx_mdl_skip_count(p);
    parse_element(p, kind, element);
    sni_leave(&p->load->diag);
}

// Only version 1300 has hit test shapes: saved as MDX those of others would be lost.
static const mdx_kind *find_kind(const mdx_mdl_parser *p, sni_str word)
{
    for (const mdx_kind *kind = mdx_kinds; kind->tag; kind++)
        if (sni_str_is_nocase(word, kind->mdl_name)) return kind->tag == MDX_HTST && !mdx_is_wow(p->doc) ? NULL : kind;
    return NULL;
}

// "Also Bone 3 { Flags 0 }": what our writer hid from other programs about an element before.
static void parse_also(mdx_mdl_parser *p)
{
    mdx_mdl_statement statement = mdx_mdl_read_statement(p);
    const mdx_kind *kind = find_kind(p, statement.word);
    uint32_t index = kind ? mdx_mdl_read_u32(p) : 0;
    if (!kind || index >= mdx_element_count(p->doc, kind)) {
        mdx_mdl_skip_unknown(p, statement);
        return;
    }
    sni_enter(&p->load->diag, kind->mdl_name, index);
    parse_element(p, kind, mdx_element_at(p->doc, kind, index));
    sni_leave(&p->load->diag);
}

// Blocks that are not elements

static void parse_model(mdx_mdl_parser *p)
{
    mdx_model *model = &p->doc->model;
    sni_list no_tracks = { 0 };
    if (mdx_mdl_peek(p) != '{') model->name = mdx_mdl_read_text(p, MDX_NAME_BYTES);
    mdx_mdl_open(p);
    while (mdx_mdl_more(p)) {
        mdx_mdl_statement statement = mdx_mdl_read_statement(p);
        if (mdx_mdl_parse_extent(p, statement, &model->extent)) continue;
        if (mdx_mdl_parse_field(p, mdx_model_fields, statement, model, &no_tracks)) continue;
        bool is_count = statement.word.size > 3 && sni_str_is_nocase(sni_str_make(statement.word.at, 3), "Num");
        if (is_count) mdx_mdl_skip_statement(p);
        else mdx_mdl_skip_unknown(p, statement);
    }
}

// Durations, with or without the word "Duration" before each.
static void parse_global_sequences(mdx_mdl_parser *p)
{
    mdx_array *array = &p->doc->global_sequences;
    sni_list durations = { array->count ? (void *)(uintptr_t)array->data : NULL, array->count, array->count };
    mdx_mdl_skip_count(p);
    mdx_mdl_open(p);
    while (mdx_mdl_more(p)) {
        if (!mdx_mdl_at_number(p)) {
            mdx_mdl_statement statement = mdx_mdl_read_statement(p);
            if (!mdx_mdl_is(statement, "Duration")) {
                mdx_mdl_skip_unknown(p, statement);
                continue;
            }
        }
        uint8_t *duration = sni_list_push(p->arena, &durations, 4);
        if (duration) sni_store_u32(duration, mdx_mdl_read_u32(p));
    }
    *array = (mdx_array){ durations.items, durations.count };
}

// Matrices n { {12} ... } is ours. Another tool writes Matrix { {4} {4} {4} } for each node: its rows are our columns.
static void parse_bind_pose(mdx_mdl_parser *p)
{
    sni_list matrices = { 0 };
    mdx_mdl_skip_count(p);
    mdx_mdl_open(p);
    while (mdx_mdl_more(p)) {
        mdx_mdl_statement statement = mdx_mdl_read_statement(p);
        if (mdx_mdl_is(statement, "Matrices")) {
            p->doc->bind_pose = mdx_mdl_read_array(p, MDX_MDL_F32, 12);
        } else if (mdx_mdl_is(statement, "Matrix")) {
            float rows[12] = { 0 };
            mdx_mdl_read_floats(p, rows, 12);
            uint8_t *matrix = sni_list_push(p->arena, &matrices, sizeof rows);
            for (int i = 0; matrix && i < 12; i++) sni_store_f32(matrix + 4 * i, rows[i % 3 * 4 + i / 3]);
        } else {
            mdx_mdl_skip_unknown(p, statement);
        }
    }
    if (matrices.count > 0) p->doc->bind_pose = (mdx_array){ matrices.items, matrices.count };
}

// The collision mesh of 1300.
static void parse_collision_mesh(mdx_mdl_parser *p)
{
    mdx_doc *doc = p->doc;
    mdx_mdl_open(p);
    while (mdx_mdl_more(p)) {
        mdx_mdl_statement statement = mdx_mdl_read_statement(p);
        if (mdx_mdl_is(statement, "Vertices")) doc->collision_positions = mdx_mdl_read_array(p, MDX_MDL_F32, 3);
        else if (mdx_mdl_is(statement, "Normals")) doc->collision_normals = mdx_mdl_read_array(p, MDX_MDL_F32, 3);
        else if (mdx_mdl_is(statement, "Triangles")) doc->collision_faces = mdx_mdl_read_array(p, MDX_MDL_U16, 1);
        else mdx_mdl_skip_unknown(p, statement);
    }
}

static bool parse_single_block(mdx_mdl_parser *p, mdx_mdl_statement statement)
{
    if (mdx_mdl_is(statement, "Version")) mdx_mdl_skip_statement(p);
    else if (mdx_mdl_is(statement, "Model")) parse_model(p);
    else if (mdx_mdl_is(statement, "GlobalSequences")) parse_global_sequences(p);
    else if (mdx_mdl_is(statement, "PivotPoints")) p->doc->pivots = mdx_mdl_read_array(p, MDX_MDL_F32, 3);
    else if (mdx_mdl_is(statement, "BindPose")) parse_bind_pose(p);
    else if (mdx_mdl_is(statement, "CollisionMesh")) parse_collision_mesh(p);
    else if (mdx_mdl_is(statement, "Also")) parse_also(p);
    else return false;
    return true;
}

// The file

// Blocks around elements: only their braces matter.
static bool is_wrapper(mdx_mdl_statement statement)
{
    return mdx_mdl_is(statement, "Sequences") || mdx_mdl_is(statement, "Textures") ||
           mdx_mdl_is(statement, "Materials") || mdx_mdl_is(statement, "TextureAnims");
}

static void parse_blocks(mdx_mdl_parser *p)
{
    bool in_wrapper = false, has_block = false;
    while (mdx_mdl_peek(p)) {
        if (mdx_mdl_take(p, '}')) {
            if (!in_wrapper) mdx_mdl_skip_unknown(p, (mdx_mdl_statement){ { "}", 1 }, false, mdx_mdl_offset(p) });
            in_wrapper = false;
            continue;
        }
        mdx_mdl_statement statement = mdx_mdl_read_statement(p);
        const mdx_kind *kind = find_kind(p, statement.word);
        if (kind) {
            parse_new_element(p, kind, statement.offset);
        } else if (is_wrapper(statement)) {
            mdx_mdl_skip_count(p);
            in_wrapper = mdx_mdl_open(p);
        } else {
            sni_enter(&p->load->diag, "MDL", -1);
            if (!parse_single_block(p, statement)) mdx_mdl_skip_unknown(p, statement);
            sni_leave(&p->load->diag);
        }
        has_block = has_block || kind || mdx_mdl_is(statement, "Model") || mdx_mdl_is(statement, "Version");
    }
    if (in_wrapper) mdx_mdl_more(p);  // fails
    if (!has_block && mdx_mdl_ok(p)) mdx_mdl_fail(p, SN_ERR_FORMAT, "the text has no block of MDL");
}

// The version decides how the rest is read, wherever it is. Text without it is version 800.
static bool find_version(mdx_mdl_parser p)
{
    uint32_t version = 800;
    while (mdx_mdl_peek(&p)) {
        if (sni_str_is_nocase(mdx_mdl_read_word(&p), "Version")) {
            mdx_mdl_open(&p);
            while (mdx_mdl_more(&p)) {
                if (sni_str_is_nocase(mdx_mdl_read_word(&p), "FormatVersion")) version = mdx_mdl_read_u32(&p);
                else mdx_mdl_skip_statement(&p);
            }
            break;
        }
        mdx_mdl_skip_statement(&p);
        mdx_mdl_take(&p, '}');
    }
    if (!mdx_mdl_ok(&p)) return false;
    p.doc->version = version;
    if (version == MDX_BATCHES_VERSION)
        return sni_fail(&p.load->diag, SN_ERR_UNSUPPORTED, mdx_mdl_offset(&p), "version %u has no text form", version);
    return mdx_check_version(&p.load->diag, mdx_mdl_offset(&p), version);
}

bool mdx_mdl_parse(sni_load *load, sni_bytes bytes, mdx_doc *doc)
{
    mdx_mdl_parser p = mdx_mdl_parser_make(load, bytes, doc);
    sni_diag_set_text(&load->diag, (const char *)bytes.data, bytes.size);
    if (!find_version(p)) return false;
    parse_blocks(&p);
    if (!mdx_mdl_ok(&p)) return false;
    mdx_mdl_assign_ids(&p);
    return mdx_mdl_ok(&p);
}
