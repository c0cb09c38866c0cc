// The values of MDL: numbers and lists of them, fields, tracks. Lists become records as the binary form has them.
#include "format/mdx/mdx_mdl.h"

static const uint8_t scalar_bytes[] = { 4, 4, 4, 2, 1 };

static void read_scalar(mdx_lexer *lex, mdx_mdl_scalar scalar, uint8_t *at)
{
    uint32_t value = 0;
    switch (scalar) {
    case MDX_MDL_F32: sni_store_f32(at, mdx_lex_float(lex)); return;
    case MDX_MDL_U32:
    case MDX_MDL_I32: sni_store_u32(at, mdx_lex_u32(lex)); return;
    case MDX_MDL_U16: value = (uint32_t)mdx_lex_integer(lex, 0, UINT16_MAX); break;
    case MDX_MDL_U8: value = (uint32_t)mdx_lex_integer(lex, 0, UINT8_MAX); break;
    }
    at[0] = (uint8_t)value;
    if (scalar == MDX_MDL_U16) at[1] = (uint8_t)(value >> 8);
}

// Records under way. Braces inside the list may group them or not.
typedef struct record_list {
    sni_list records;
    uint8_t *record;  // the one being filled
    uint32_t width, filled;
    uint32_t in_group;  // values since the last brace
    uint64_t uneven;    // groups that were not whole records
} record_list;

// A group that is no whole number of records: a short one is filled with zeros, what is too much is dropped.
static void end_group(record_list *list)
{
    if (list->filled > 0) {
        list->uneven++;
        if (list->in_group >= list->width) list->records.count--;
    }
    list->filled = list->in_group = 0;
}

static void push_value(mdx_mdl_parser *parser, record_list *list, mdx_mdl_scalar scalar)
{
    size_t bytes = scalar_bytes[scalar];
    if (list->filled == 0) list->record = sni_list_push(parser->arena, &list->records, bytes * list->width);
    if (!list->record) return;
    read_scalar(&parser->lex, scalar, list->record + bytes * list->filled);
    list->filled = list->filled + 1 < list->width ? list->filled + 1 : 0;
    list->in_group++;
}

static void tell_list(mdx_mdl_parser *parser, const record_list *list, bool is_counted, uint32_t count, uint64_t offset)
{
    bool is_wrong = is_counted && count != list->records.count;
    if (list->uneven == 0 && !is_wrong) return;
    uint32_t line = mdx_lex_line(&parser->lex);
    sni_warn_many(&parser->load->diag, SNI_WARN_MDL_LIST, list->uneven, offset,
                  "groups that are not %u numbers, before line %u", list->width, line);
    if (is_wrong)
        sni_warn(&parser->load->diag, SNI_WARN_MDL_COUNT, offset, "%u announced, %u there, before line %u", count,
                 list->records.count, line);
}

mdx_array mdx_mdl_read_array(mdx_mdl_parser *parser, mdx_mdl_scalar scalar, uint32_t width)
{
    mdx_lexer *lex = &parser->lex;
    record_list list = { .width = width };
    uint64_t offset = mdx_lex_offset(lex);
    bool is_counted = mdx_lex_is_number(lex);
    uint32_t count = is_counted ? (uint32_t)mdx_lex_integer(lex, 0, UINT32_MAX) : 0;
    uint64_t depth = mdx_lex_open(lex);
    while (depth > 0 && mdx_lex_ok(lex)) {
        char next = mdx_lex_peek(lex);
        if (next == '{' || next == '}') {
            end_group(&list);
            depth += next == '{' ? 1 : (uint64_t)-1;
            lex->at++;
        } else if (next) {
            push_value(parser, &list, scalar);
        } else {
            mdx_lex_more(lex);  // fails
        }
    }
    if (!mdx_lex_ok(lex)) return (mdx_array){ NULL, 0 };
    tell_list(parser, &list, is_counted, count, offset);
    if (!list.records.items) list.records.items = sni_new(parser->arena, uint8_t, 0);
    return (mdx_array){ list.records.items, list.records.count };
}

// One number of a field's list: through braces, past the word Color of SegmentColor. False behind the last.
static bool next_number(mdx_lexer *lex, uint32_t *depth)
{
    while (mdx_lex_ok(lex)) {
        char next = mdx_lex_peek(lex);
        if (next == '{') {
            ++*depth;
            lex->at++;
        } else if (next == '}') {
            if (*depth == 0) return false;
            lex->at++;
            if (--*depth == 0) return false;
        } else if (!next) {
            if (*depth > 0) mdx_lex_more(lex);
            return false;
        } else if ((next == 'C' || next == 'c') && *depth > 0) {
            mdx_lex_word(lex);
        } else {
            return *depth > 0 || mdx_lex_is_number(lex);
        }
    }
    return false;
}

// `count` numbers, in braces or bare. Missing ones stay as they are, what is too much is skipped.
static void read_scalars(mdx_mdl_parser *parser, mdx_mdl_scalar scalar, uint8_t *out, uint32_t count)
{
    uint64_t offset = mdx_lex_offset(&parser->lex);
    uint32_t depth = 0, found = 0;
    if (count == 1 && mdx_lex_peek(&parser->lex) != '{') {
        read_scalar(&parser->lex, scalar, out);
        return;
    }
    uint8_t extra[4] = { 0 };
    while ((found < count || depth > 0) && next_number(&parser->lex, &depth)) {
        read_scalar(&parser->lex, scalar, found < count ? out + found * scalar_bytes[scalar] : extra);
        found++;
    }
    if (found != count && mdx_lex_ok(&parser->lex))
        sni_warn(&parser->load->diag, SNI_WARN_MDL_LIST, offset, "line %u: %u numbers where %u are needed",
                 mdx_lex_line(&parser->lex), found, count);
}

void mdx_mdl_read_floats(mdx_mdl_parser *parser, float *out, uint32_t count)
{
    enum { MOST = 16 };
    uint8_t bytes[4 * MOST];
    for (uint32_t i = 0; i < count; i++) sni_store_f32(bytes + 4 * i, out[i]);
    read_scalars(parser, MDX_MDL_F32, bytes, count);
    for (uint32_t i = 0; i < count; i++) out[i] = sni_load_f32(bytes + 4 * i);
}

static void read_integers(mdx_mdl_parser *parser, mdx_mdl_scalar scalar, uint32_t *out, uint32_t count)
{
    uint8_t bytes[16] = { 0 };
    read_scalars(parser, scalar, bytes, count);
    for (uint32_t i = 0; i < count; i++) out[i] = sni_load_u32(bytes + 4 * i);
}

sni_str mdx_mdl_read_text(mdx_mdl_parser *parser, size_t limit)
{
    uint64_t offset = mdx_lex_offset(&parser->lex);
    sni_str text = mdx_lex_string(&parser->lex);
    if (text.size <= limit) return text;
    sni_warn(&parser->load->diag, SNI_WARN_MDL_TEXT, offset, "line %u: %zu bytes where %zu have room",
             mdx_lex_line(&parser->lex), text.size, limit);
    return sni_str_make(text.at, limit);
}

static sn_vec3 turned(sn_vec3 color) { return (sn_vec3){ color.z, color.y, color.x }; }

static void read_vectors(mdx_mdl_parser *parser, const mdx_field *field, sn_vec3 *out)
{
    float values[9];
    uint32_t count = field->count < 3 ? field->count : 3;
    bool is_color = field->type == MDX_COLOR;
    for (uint32_t i = 0; i < count; i++) {
        sn_vec3 v = is_color ? turned(out[i]) : out[i];
        values[3 * i] = v.x, values[3 * i + 1] = v.y, values[3 * i + 2] = v.z;
    }
    mdx_mdl_read_floats(parser, values, 3 * count);
    for (uint32_t i = 0; i < count; i++) {
        sn_vec3 v = { values[3 * i], values[3 * i + 1], values[3 * i + 2] };
        out[i] = is_color ? turned(v) : v;
    }
}

void mdx_mdl_read_field(mdx_mdl_parser *parser, const mdx_field *field, void *element)
{
    void *at = (char *)element + field->offset;
    switch (field->type) {
    case MDX_U8: read_scalars(parser, MDX_MDL_U8, at, field->count); break;
    case MDX_U32:
    case MDX_I32: read_integers(parser, MDX_MDL_U32, at, field->count); break;
    case MDX_F32: mdx_mdl_read_floats(parser, at, field->count); break;
    case MDX_VEC3:
    case MDX_COLOR: read_vectors(parser, field, at); break;
    case MDX_NAME: *(sni_str *)at = mdx_mdl_read_text(parser, MDX_NAME_BYTES); break;
    case MDX_PATH: *(sni_str *)at = mdx_mdl_read_text(parser, MDX_PATH_BYTES); break;
    case MDX_QUAT:
    case MDX_EXTENT: break;  // no field is said so
    }
}

void mdx_mdl_set_fallbacks(const mdx_field *fields, uint32_t version, void *element)
{
    for (const mdx_field *field = fields; field->count; field++) {
        void *at = (char *)element + field->offset;
        float value = field->fallback;
        if (value == 0 || !mdx_has_field(field, version)) continue;
        if (field->type == MDX_F32) *(float *)at = value;
        if (field->type == MDX_I32) *(int32_t *)at = (int32_t)value;
        if (field->type == MDX_VEC3 || field->type == MDX_COLOR) *(sn_vec3 *)at = (sn_vec3){ value, value, value };
    }
}

bool mdx_mdl_read_extent(mdx_mdl_parser *parser, sni_str word, mdx_extent *extent)
{
    if (sni_str_is_nocase(word, "MinimumExtent")) mdx_mdl_read_floats(parser, extent->min, 3);
    else if (sni_str_is_nocase(word, "MaximumExtent")) mdx_mdl_read_floats(parser, extent->max, 3);
    else if (sni_str_is_nocase(word, "BoundsRadius")) mdx_mdl_read_floats(parser, &extent->radius, 1);
    else return false;
    return true;
}

bool mdx_mdl_is_track(mdx_mdl_parser *parser)
{
    const char *start = parser->lex.at;
    bool has_count = mdx_lex_is_number(&parser->lex);
    if (has_count) mdx_lex_word(&parser->lex);
    bool is_block = mdx_lex_take(&parser->lex, '{');
    bool is_track = is_block && (has_count || !mdx_lex_is_number(&parser->lex));
    parser->lex.at = start;
    return is_track;
}

static void read_key_value(mdx_mdl_parser *parser, mdx_type type, uint8_t *at)
{
    float v[4] = { 0, 0, 0, 1 };
    if (type == MDX_U32) {
        sni_store_u32(at, mdx_lex_u32(&parser->lex));
        return;
    }
    uint32_t count = type == MDX_QUAT ? 4 : type == MDX_F32 ? 1 : 3;
    mdx_mdl_read_floats(parser, v, count);
    if (type == MDX_QUAT && mdx_is_alpha(parser->doc)) {
        uint64_t packed = mdx_pack_quat((sn_quat){ v[0], v[1], v[2], v[3] });
        sni_store_u32(at, (uint32_t)packed);
        sni_store_u32(at + 4, (uint32_t)(packed >> 32));
    } else {
        for (uint32_t i = 0; i < count; i++) sni_store_f32(at + 4 * i, v[i]);
    }
}

// A key without tangents, where they are needed, stands still: a Hermite tangent of 0, else the value itself.
static uint8_t *read_key(mdx_mdl_parser *parser, const mdx_track *track, sni_list *keys)
{
    size_t value = mdx_type_bytes(track->kind->type, parser->doc->version);
    uint8_t *key = sni_list_push(parser->arena, keys, mdx_key_bytes(track, parser->doc->version));
    if (!key) return NULL;
    sni_store_u32(key, (uint32_t)mdx_lex_i32(&parser->lex));
    read_key_value(parser, track->kind->type, key + 4);
    bool repeats = track->interpolation > MDX_HERMITE || track->kind->type == MDX_QUAT;
    if (track->interpolation <= MDX_LINEAR || !repeats) return key;
    for (size_t i = 4 + value; i < 4 + 3 * value; i++) key[i] = key[i - value];
    return key;
}

static void read_tangent(mdx_mdl_parser *parser, const mdx_track *track, uint8_t *key, bool is_out)
{
    size_t value = mdx_type_bytes(track->kind->type, parser->doc->version);
    uint8_t unused[16] = { 0 };
    bool has_room = key && track->interpolation > MDX_LINEAR;
    uint64_t offset = mdx_lex_offset(&parser->lex);
    read_key_value(parser, track->kind->type, has_room ? key + 4 + (is_out ? 2 : 1) * value : unused);
    if (!has_room && mdx_lex_ok(&parser->lex))
        sni_warn(&parser->load->diag, SNI_WARN_MDL_TRACK, offset, "line %u: a tangent where there is none",
                 mdx_lex_line(&parser->lex));
}

// A word among the keys; false when it is none of theirs.
static bool read_track_word(mdx_mdl_parser *parser, mdx_track *track, sni_str word, uint8_t *key)
{
    bool is_out = sni_str_is_nocase(word, "OutTan");
    if (is_out || sni_str_is_nocase(word, "InTan")) {
        read_tangent(parser, track, key, is_out);
        return true;
    }
    if (sni_str_is_nocase(word, "GlobalSeqId")) {
        track->global_sequence = mdx_lex_i32(&parser->lex);
        return true;
    }
    if (key) return false;  // the keys' size is settled by now
    if (sni_str_is_nocase(word, "Interpolation")) {
        track->interpolation = mdx_lex_u32(&parser->lex);
        return true;
    }
    for (uint32_t i = 0; i < 4; i++) {
        if (!sni_str_is_nocase(word, mdx_mdl_interpolation_words[i])) continue;
        track->interpolation = i;
        return true;
    }
    return false;
}

void mdx_mdl_read_track(mdx_mdl_parser *parser, const mdx_track_kind *kind, sni_list *tracks)
{
    mdx_lexer *lex = &parser->lex;
    mdx_track track = { .kind = kind, .offset = mdx_lex_offset(lex), .interpolation = MDX_STEP, .global_sequence = -1 };
    sni_list keys = { 0 };
    uint8_t *key = NULL;
    bool is_counted = mdx_lex_is_number(lex);
    uint32_t count = is_counted ? (uint32_t)mdx_lex_integer(lex, 0, UINT32_MAX) : 0;
    if (!mdx_lex_open(lex)) return;
    sni_enter(&parser->load->diag, kind->word, -1);
    while (mdx_lex_more(lex)) {
        if (mdx_lex_is_number(lex)) {
            key = read_key(parser, &track, &keys);
            continue;
        }
        mdx_mdl_statement said = mdx_mdl_read_statement(parser);
        if (!read_track_word(parser, &track, said.word, key)) mdx_mdl_skip_unknown(parser, said);
    }
    if (is_counted && count != keys.count && mdx_lex_ok(lex))
        sni_warn(&parser->load->diag, SNI_WARN_MDL_COUNT, track.offset, "%u keys announced, %u there", count,
                 keys.count);
    sni_leave(&parser->load->diag);
    mdx_track *kept = sni_push(parser->arena, tracks, mdx_track);
    if (!kept) return;
    track.keys = (mdx_array){ keys.items ? keys.items : sni_new(parser->arena, uint8_t, 0), keys.count };
    *kept = track;
}
