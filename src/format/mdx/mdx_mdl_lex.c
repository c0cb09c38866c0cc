// MDL text to tokens, numbers and lists of numbers.
#include <math.h>

#include "format/mdx/mdx_mdl.h"

enum { IN_WORD, SEPARATOR, BRACE, QUOTE };

static inline int class_of(char c)
{
    uint8_t byte = (uint8_t)c;
    if (byte <= ' ' || byte == ',' || byte == ':') return SEPARATOR;
    if (byte == '{' || byte == '}') return BRACE;
    return byte == '"' ? QUOTE : IN_WORD;
}

mdx_mdl_parser mdx_mdl_parser_make(sni_load *load, sni_bytes bytes, mdx_doc *doc)
{
    const char *start = (const char *)bytes.data;
    bool has_byte_order_mark = bytes.size >= 3 && memcmp(start, "\xEF\xBB\xBF", 3) == 0;
    return (mdx_mdl_parser){ .load = load,
                             .arena = sni_load_document_arena(load),
                             .doc = doc,
                             .start = start,
                             .at = start + (has_byte_order_mark ? 3 : 0),
                             .end = start + bytes.size };
}

bool mdx_mdl_fail(mdx_mdl_parser *p, sn_status status, const char *what)
{
    return sni_fail(&p->load->diag, status, mdx_mdl_offset(p), "%s", what);
}

// Tokens

static bool is_comment(const mdx_mdl_parser *p, const char *at)
{
    return *at == '/' && p->end - at >= 2 && at[1] == '/';
}

// Text after "//@" is a comment to other programs but not to us: our writer stores there what MDL cannot express.
static const char *comment_end(const mdx_mdl_parser *p, const char *at)
{
    if (p->end - at >= 3 && at[2] == '@') return at + 3;
    const char *newline = memchr(at, '\n', (size_t)(p->end - at));
    return newline ? newline : p->end;
}

static inline void skip_separators(mdx_mdl_parser *p)
{
    const char *at = p->at;
    while (at < p->end) {
        if (class_of(*at) == SEPARATOR) at++;
        else if (is_comment(p, at)) at = comment_end(p, at);
        else break;
    }
    p->at = at;
}

char mdx_mdl_peek(mdx_mdl_parser *p)
{
    if (!mdx_mdl_ok(p)) return 0;
    skip_separators(p);
    return p->at < p->end ? *p->at : 0;
}

bool mdx_mdl_at_number(mdx_mdl_parser *p)
{
    char c = mdx_mdl_peek(p);
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

bool mdx_mdl_take(mdx_mdl_parser *p, char brace)
{
    if (mdx_mdl_peek(p) != brace) return false;
    p->at++;
    return true;
}

bool mdx_mdl_open(mdx_mdl_parser *p)
{
    if (mdx_mdl_take(p, '{')) return true;
    if (p->at == p->end) return mdx_mdl_fail(p, SN_ERR_TRUNCATED, "the text ends before a {");
    return mdx_mdl_fail(p, SN_ERR_CORRUPT, "a { is missing");
}

bool mdx_mdl_more(mdx_mdl_parser *p)
{
    if (mdx_mdl_take(p, '}')) return false;
    return mdx_mdl_peek(p) || mdx_mdl_fail(p, SN_ERR_TRUNCATED, "the text ends inside a block, a } is missing");
}

// Separators are skipped already.
static sni_str take_word(mdx_mdl_parser *p)
{
    const char *at = p->at;
    while (at < p->end && class_of(*at) == IN_WORD && !is_comment(p, at)) at++;
    sni_str word = { p->at, (size_t)(at - p->at) };
    p->at = at;
    return word;
}

sni_str mdx_mdl_read_word(mdx_mdl_parser *p) { return mdx_mdl_peek(p) ? take_word(p) : sni_str_make("", 0); }

// Strings have no escapes, but names may contain quotes: only a quote with the end of the token after it closes.
static bool is_closing_quote(const mdx_mdl_parser *p, const char *quote)
{
    const char *next = quote + 1;
    return next == p->end || class_of(*next) == SEPARATOR || class_of(*next) == BRACE || is_comment(p, next);
}

// Quoted, or a bare word.
static sni_str read_string(mdx_mdl_parser *p)
{
    if (mdx_mdl_peek(p) != '"') return mdx_mdl_read_word(p);
    const char *first = p->at + 1, *quote = first;
    while ((quote = memchr(quote, '"', (size_t)(p->end - quote))) && !is_closing_quote(p, quote)) quote++;
    if (!quote) {
        mdx_mdl_fail(p, SN_ERR_TRUNCATED, "the text ends inside a string, its closing quote is missing");
        return sni_str_make("", 0);
    }
    p->at = quote + 1;
    return sni_str_make(first, (size_t)(quote - first));
}

sni_str mdx_mdl_read_text(mdx_mdl_parser *p, size_t max_bytes)
{
    mdx_mdl_peek(p);
    uint64_t offset = mdx_mdl_offset(p);
    sni_str text = read_string(p);
    if (text.size <= max_bytes) return text;
    sni_warn(&p->load->diag, SNI_WARN_MDL_TEXT, offset, "text of %zu bytes is cut to %zu", text.size, max_bytes);
    return sni_str_make(text.at, max_bytes);
}

void mdx_mdl_skip_count(mdx_mdl_parser *p)
{
    if (mdx_mdl_at_number(p)) take_word(p);
}

// Any one word, string or brace.
static void skip_token(mdx_mdl_parser *p)
{
    char next = mdx_mdl_peek(p);
    if (next == '"') read_string(p);
    else if (next == '{' || next == '}') p->at++;
    else if (next) take_word(p);
}

void mdx_mdl_skip_block(mdx_mdl_parser *p)
{
    uint64_t depth = 1;
    while (depth > 0 && mdx_mdl_ok(p)) {
        char next = mdx_mdl_peek(p);
        if (!next) mdx_mdl_fail(p, SN_ERR_TRUNCATED, "the text ends inside a block, a } is missing");
        if (next == '{') depth++;
        if (next == '}') depth--;
        skip_token(p);
    }
}

// A comma or the end of the line comes before any other token.
static bool at_statement_end(const mdx_mdl_parser *p)
{
    for (const char *at = p->at; at < p->end; at++) {
        if (*at == ',' || *at == '\n' || *at == '\r' || is_comment(p, at)) return true;
        if (class_of(*at) != SEPARATOR) return *at == '}';
    }
    return true;
}

void mdx_mdl_skip_statement(mdx_mdl_parser *p)
{
    while (mdx_mdl_ok(p) && !at_statement_end(p) && mdx_mdl_peek(p) != '{') skip_token(p);
    if (mdx_mdl_take(p, '{')) mdx_mdl_skip_block(p);
}

// Numbers

static bool ends_word(const mdx_mdl_parser *p, const char *at)
{
    return at == p->end || class_of(*at) != IN_WORD || is_comment(p, at);
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9') at++;
    return at;
}

// Digits with leading zeros, or without any before or after the point.
static bool is_loose_number(const char *at, const char *end)
{
    const char *next = skip_digits(at, end), *point = next;
    bool has_digits = next > at;
    if (point < end && *point == '.') {
        next = skip_digits(point + 1, end);
        has_digits = has_digits || next > point + 1;
    }
    if (!has_digits) return false;
    if (next == end || (*next != 'e' && *next != 'E')) return next == end;
    next++;
    if (next < end && (*next == '+' || *next == '-')) next++;
    return next < end && skip_digits(next, end) == end;
}

// A number that is not valid in JSON, or not a number at all: "+1", "007", "nan", "-1.#IND".
static float read_loose_float(mdx_mdl_parser *p)
{
    uint64_t offset = mdx_mdl_offset(p);
    sni_str word = read_string(p);
    const char *at = word.at, *end = at + word.size;
    bool is_negative = word.size > 0 && *at == '-';
    if (word.size > 0 && (*at == '-' || *at == '+')) at++;
    float value = is_loose_number(at, end) ? sni_parse_float(at, (size_t)(end - at)) : NAN;
    if (isfinite(value)) return is_negative ? -value : value;
    if (mdx_mdl_ok(p))
        sni_warn(&p->load->diag, SNI_WARN_MDL_NUMBER, offset, "\"%.*s\" is not a number; 0 is used",
                 word.size < 24 ? (int)word.size : 24, word.at);
    return 0;
}

// 0 and a warning for anything that is not a number.
static float read_float(mdx_mdl_parser *p)
{
    float value;
    if (!mdx_mdl_peek(p)) return 0;
    const char *end = sni_scan_float(p->at, p->end, &value);
    if (!end || !ends_word(p, end) || !isfinite(value)) return read_loose_float(p);
    p->at = end;
    return value;
}

static int64_t clamp_integer(mdx_mdl_parser *p, const char *at, int64_t value, int64_t min, int64_t max)
{
    if (value >= min && value <= max) return value;
    int64_t nearest = value < min ? min : max;
    sni_warn(&p->load->diag, SNI_WARN_VALUE_RANGE, (uint64_t)(at - p->start), "%lld is outside %lld to %lld",
             (long long)value, (long long)min, (long long)max);
    return nearest;
}

static int64_t read_loose_integer(mdx_mdl_parser *p, int64_t min, int64_t max)
{
    const char *start = p->at;
    sni_str word = mdx_mdl_read_word(p);
    if (sni_str_is_nocase(word, "None") || sni_str_is_nocase(word, "Multiple")) return -1;
    p->at = start;
    double value = (double)read_loose_float(p);
    return clamp_integer(p, start, value < -9e15 ? INT64_MIN : value > 9e15 ? INT64_MAX : (int64_t)value, min, max);
}

int64_t mdx_mdl_read_integer(mdx_mdl_parser *p, int64_t min, int64_t max)
{
    enum { MAX_DIGITS = 17 };
    if (!mdx_mdl_peek(p)) return 0;
    const char *start = p->at, *first = start + (*start == '-'), *at = first;
    int64_t value = 0;
    for (; at < p->end && *at >= '0' && *at <= '9' && at - first <= MAX_DIGITS; at++) value = value * 10 + (*at - '0');
    if (at == first || at - first > MAX_DIGITS || !ends_word(p, at)) return read_loose_integer(p, min, max);
    if (first != start) value = -value;
    p->at = at;
    return clamp_integer(p, start, value, min, max);
}

uint32_t mdx_mdl_read_u32(mdx_mdl_parser *p) { return (uint32_t)mdx_mdl_read_integer(p, INT32_MIN, UINT32_MAX); }

int32_t mdx_mdl_read_i32(mdx_mdl_parser *p) { return (int32_t)mdx_mdl_read_u32(p); }

// Lists

static const uint8_t scalar_bytes[] = { [MDX_MDL_F32] = 4, [MDX_MDL_U32] = 4, [MDX_MDL_U16] = 2, [MDX_MDL_U8] = 1 };

static void read_scalar(mdx_mdl_parser *p, mdx_mdl_scalar scalar, uint8_t *at)
{
    uint32_t value;
    switch (scalar) {
    case MDX_MDL_F32: sni_store_f32(at, read_float(p)); return;
    case MDX_MDL_U32: sni_store_u32(at, mdx_mdl_read_u32(p)); return;
    case MDX_MDL_U16:
        value = (uint32_t)mdx_mdl_read_integer(p, 0, UINT16_MAX);
        at[0] = (uint8_t)value;
        at[1] = (uint8_t)(value >> 8);
        return;
    case MDX_MDL_U8: at[0] = (uint8_t)mdx_mdl_read_integer(p, 0, UINT8_MAX); return;
    }
}

// Reads a list of records of `width` numbers. Braces inside may group them or not. A group that is not a whole number
// of records is uneven: a short one is filled with zeros, what exceeds the last full record is dropped.
mdx_array mdx_mdl_read_array(mdx_mdl_parser *p, mdx_mdl_scalar scalar, uint32_t width)
{
    sni_list records = { 0 };
    uint8_t *record = NULL;
    uint32_t filled = 0, in_group = 0;  // numbers in the record, since the last brace
    size_t bytes = scalar_bytes[scalar];
    bool has_count = mdx_mdl_at_number(p);
    uint64_t uneven = 0, offset = mdx_mdl_offset(p);
    uint32_t count = has_count ? (uint32_t)mdx_mdl_read_integer(p, 0, UINT32_MAX) : 0;
    uint64_t depth = mdx_mdl_open(p);
    while (depth > 0 && mdx_mdl_ok(p)) {
        char next = mdx_mdl_peek(p);
        if (next == '{' || next == '}') {
            if (filled > 0) {
                uneven++;
                if (in_group >= width) records.count--;
            }
            filled = in_group = 0;
            depth += next == '{' ? 1 : (uint64_t)-1;
            p->at++;
        } else if (next) {
            if (filled == 0) record = sni_list_push(p->arena, &records, bytes * width);
            if (!record) break;
            read_scalar(p, scalar, record + bytes * filled);
            filled = filled + 1 < width ? filled + 1 : 0;
            in_group++;
        } else {
            mdx_mdl_more(p);  // fails
        }
    }
    if (!mdx_mdl_ok(p)) return (mdx_array){ NULL, 0 };

    bool is_wrong_count = has_count && count != records.count;
    sni_warn_many(&p->load->diag, SNI_WARN_MDL_LIST, uneven, offset, "a group is not %u numbers", width);
    if (is_wrong_count)
        sni_warn(&p->load->diag, SNI_WARN_MDL_COUNT, offset, "the count is %u, the list has %u", count, records.count);
    if (!records.items) records.items = sni_new(p->arena, uint8_t, 0);
    return (mdx_array){ records.items, records.count };
}

// The next number of a short list: through braces, past the word Color in SegmentColor. False after the last.
static bool find_number(mdx_mdl_parser *p, uint32_t *depth)
{
    while (mdx_mdl_ok(p)) {
        char next = mdx_mdl_peek(p);
        if (next == '{') {
            ++*depth;
            p->at++;
        } else if (next == '}') {
            if (*depth == 0) return false;
            p->at++;
            if (--*depth == 0) return false;
        } else if (!next) {
            if (*depth > 0) mdx_mdl_more(p);  // fails
            return false;
        } else if ((next == 'C' || next == 'c') && *depth > 0) {
            mdx_mdl_read_word(p);
        } else {
            return *depth > 0 || mdx_mdl_at_number(p);
        }
    }
    return false;
}

// `count` numbers, in braces or bare. Missing ones stay unchanged, further ones are skipped.
void mdx_mdl_read_scalars(mdx_mdl_parser *p, mdx_mdl_scalar scalar, uint8_t *out, uint32_t count)
{
    mdx_mdl_peek(p);
    uint64_t offset = mdx_mdl_offset(p);
    uint32_t depth = 0, found = 0;
    if (count == 1 && mdx_mdl_peek(p) != '{') {
        read_scalar(p, scalar, out);
        return;
    }
    uint8_t extra[4] = { 0 };
    while ((found < count || depth > 0) && find_number(p, &depth)) {
        read_scalar(p, scalar, found < count ? out + found * scalar_bytes[scalar] : extra);
        found++;
    }
    if (found != count && mdx_mdl_ok(p))
        sni_warn(&p->load->diag, SNI_WARN_MDL_LIST, offset, "%u numbers instead of %u", found, count);
}

void mdx_mdl_read_floats(mdx_mdl_parser *p, float *out, uint32_t count)
{
    enum { MAX_FLOATS = 16 };
    uint8_t bytes[4 * MAX_FLOATS];
    for (uint32_t i = 0; i < count; i++) sni_store_f32(bytes + 4 * i, out[i]);
    mdx_mdl_read_scalars(p, MDX_MDL_F32, bytes, count);
    for (uint32_t i = 0; i < count; i++) out[i] = sni_load_f32(bytes + 4 * i);
}

// Keywords: flags and enumerations, which the tables of mdx_schema.c keep as plain numbers.

const char *const mdx_mdl_interpolation_names[4] = { "DontInterp", "Linear", "Hermite", "Bezier" };
const char *const mdx_mdl_slot_names[6] = { "TextureID",         "NormalTextureID",    "ORMTextureID",
                                            "EmissiveTextureID", "TeamColorTextureID", "ReflectionsTextureID" };

// Words of tools that are older than the official ones, or that write numbers where the format has keywords.
static const struct {
    const char *other, *standard;
} synonyms[] = {
    { "BillboardLockX", "BillboardedLockX" },
    { "BillboardLockY", "BillboardedLockY" },
    { "BillboardLockZ", "BillboardedLockZ" },
    { "SphereEnvironmentMap", "SphereEnvMap" },
    { "FresnelAlpha", "FresnelOpacity" },
    { "ShaderTypeId", "ShaderType" },
    { "RenderMode", "Flags" },
    { "LevelOfDetailName", "Name" },
    { "PopcornFxEmitter", "ParticleEmitterPopcorn" },
    { "FlagString", "AnimVisibilityGuide" },
};

sni_str mdx_mdl_standard_word(sni_str word)
{
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (sni_str_is_nocase(word, synonyms[i].other))
            return sni_str_make(synonyms[i].standard, strlen(synonyms[i].standard));
    return word;
}

// clang-format off
#define BIT(name, bit)     { name, bit, bit }
#define CHOICE(name, n)    { name, UINT32_MAX, n }
#define END                { NULL, 0, 0 }

static const mdx_mdl_keyword no_keywords[] = { END };
static const mdx_mdl_keyword sequence_flags[] = { BIT("NonLooping", MDX_NON_LOOPING), END };
static const mdx_mdl_keyword texture_flags[] = { BIT("WrapWidth", MDX_WRAP_U), BIT("WrapHeight", MDX_WRAP_V), END };
static const mdx_mdl_keyword material_flags[] = {
    BIT("ConstantColor", MDX_CONSTANT_COLOR), BIT("TwoSided", MDX_TWO_SIDED), BIT("SortPrimsNearZ", MDX_SORT_NEAR),
    BIT("SortPrimsFarZ", MDX_SORT_FAR), BIT("FullResolution", MDX_FULL_RESOLUTION), END
};
static const mdx_mdl_keyword layer_filters[] = {
    CHOICE("None", MDX_FILTER_NONE), CHOICE("Transparent", MDX_FILTER_TRANSPARENT), CHOICE("Blend", MDX_FILTER_BLEND),
    CHOICE("Additive", MDX_FILTER_ADDITIVE), CHOICE("AddAlpha", MDX_FILTER_ADD_ALPHA),
    CHOICE("Modulate", MDX_FILTER_MODULATE), CHOICE("Modulate2x", MDX_FILTER_MODULATE_2X), END
};
static const mdx_mdl_keyword layer_flags[] = {
    BIT("Unshaded", MDX_UNSHADED), BIT("SphereEnvMap", MDX_SPHERE_MAP), BIT("WrapWidth", MDX_LAYER_WRAP_U),
    BIT("WrapHeight", MDX_LAYER_WRAP_V), BIT("TwoSided", MDX_LAYER_TWO_SIDED), BIT("Unfogged", MDX_UNFOGGED),
    BIT("NoDepthTest", MDX_NO_DEPTH_TEST), BIT("NoDepthSet", MDX_NO_DEPTH_SET), BIT("Unlit", MDX_UNLIT), END
};
static const mdx_mdl_keyword geoset_flags[] = { BIT("Unselectable", MDX_UNSELECTABLE), END };
static const mdx_mdl_keyword wow_geoset_flags[] = { BIT("Unselectable", 1), END };
static const mdx_mdl_keyword geoset_anim_flags[] = { BIT("DropShadow", MDX_DROP_SHADOW), END };
static const mdx_mdl_keyword light_kinds[] = {
    CHOICE("Omnidirectional", 0), CHOICE("Directional", 1), CHOICE("Ambient", 2), END
};
static const mdx_mdl_keyword particle_filters[] = {
    CHOICE("Blend", 0), CHOICE("Additive", 1), CHOICE("Modulate", 2), CHOICE("Modulate2x", 3), CHOICE("AlphaKey", 4),
    END
};
static const mdx_mdl_keyword particle_shapes[] = { CHOICE("Head", 0), CHOICE("Tail", 1), CHOICE("Both", 2), END };
static const mdx_mdl_keyword squirt_flags[] = { CHOICE("Squirt", 1), END };
static const mdx_mdl_keyword collision_kinds[] = {
    CHOICE("Box", 0), CHOICE("Plane", 1), CHOICE("Sphere", 2), CHOICE("Cylinder", 3), END
};
static const mdx_mdl_keyword hit_test_kinds[] = {
    CHOICE("Box", 0), CHOICE("Cylinder", 1), CHOICE("Sphere", 2), CHOICE("Plane", 3), END
};

// Of all nodes. DontInherit is parsed elsewhere, as its block may hold several words; these entries are for writing.
#define WOW_NODE_FLAGS                                                                                \
    { "DontInherit { Translation }", MDX_NODE_OWN_TRANSLATION, MDX_NODE_OWN_TRANSLATION },            \
    { "DontInherit { Scaling }", MDX_NODE_OWN_SCALE, MDX_NODE_OWN_SCALE },                            \
    { "DontInherit { Rotation }", MDX_NODE_OWN_ROTATION, MDX_NODE_OWN_ROTATION },                     \
    BIT("Billboarded", MDX_NODE_BILLBOARD), BIT("BillboardedLockX", MDX_NODE_BILLBOARD_X),            \
    BIT("BillboardedLockY", MDX_NODE_BILLBOARD_Y), BIT("BillboardedLockZ", MDX_NODE_BILLBOARD_Z)
#define NODE_FLAGS WOW_NODE_FLAGS, BIT("CameraAnchored", MDX_NODE_CAMERA_ANCHORED)
#define PARTICLE_FLAGS                                                                                \
    BIT("SortPrimsFarZ", 0x10000), BIT("Unshaded", 0x8000), BIT("LineEmitter", 0x20000),              \
    BIT("Unfogged", 0x40000), BIT("ModelSpace", 0x80000)

static const mdx_mdl_keyword node_flags[] = { NODE_FLAGS, END };
static const mdx_mdl_keyword wow_node_flags[] = { WOW_NODE_FLAGS, END };
static const mdx_mdl_keyword emitter_flags[] = {
    NODE_FLAGS, BIT("EmitterUsesMDL", 0x8000), BIT("EmitterUsesTGA", 0x10000), END
};
static const mdx_mdl_keyword wow_emitter_flags[] = {
    WOW_NODE_FLAGS, BIT("EmitterUsesMDL", 0x10000), BIT("EmitterUsesTGA", 0x8000), END
};
static const mdx_mdl_keyword emitter2_flags[] = { NODE_FLAGS, PARTICLE_FLAGS, BIT("XYQuad", 0x100000), END };
static const mdx_mdl_keyword wow_emitter2_flags[] = { WOW_NODE_FLAGS, PARTICLE_FLAGS, BIT("XYQuad", 0x8000000), END };
static const mdx_mdl_keyword popcorn_flags[] = {
    NODE_FLAGS, BIT("SortPrimsFarZ", 0x10000), BIT("Unshaded", 0x8000), BIT("PopcornScaling", 0x40000), END
};

// Which member of an element has which keywords.
#define WARCRAFT(owner, member, raw_name, keywords) \
    { offsetof(owner, member), 0, MDX_WOW_VERSION - 1, raw_name, NULL, keywords }
#define WOW(owner, member, raw_name, keywords) \
    { offsetof(owner, member), MDX_WOW_VERSION, UINT16_MAX, raw_name, NULL, keywords }
#define ALWAYS(owner, member, raw_name, prefix, keywords) \
    { offsetof(owner, member), 0, UINT16_MAX, raw_name, prefix, keywords }
#define NODE(keywords, wow_keywords) \
    WARCRAFT(mdx_object, node.flags, "Flags", keywords), WOW(mdx_object, node.flags, "Flags", wow_keywords)
#define LAST { 0, 0, 0, NULL, NULL, NULL }

static const mdx_mdl_keyword_field no_fields[] = { LAST };
static const mdx_mdl_keyword_field sequence_fields[] = {
    ALWAYS(mdx_sequence, flags, "Flags", NULL, sequence_flags), LAST
};
static const mdx_mdl_keyword_field texture_fields[] = {
    ALWAYS(mdx_texture, flags, "Flags", NULL, texture_flags), LAST
};
static const mdx_mdl_keyword_field material_fields[] = {
    WARCRAFT(mdx_material, flags, "Flags", material_flags), LAST
};
static const mdx_mdl_keyword_field layer_fields[] = {
    ALWAYS(mdx_layer, filter, "Filter", "FilterMode", layer_filters),
    ALWAYS(mdx_layer, flags, "Flags", NULL, layer_flags),
    LAST
};
static const mdx_mdl_keyword_field geoset_fields[] = {
    WARCRAFT(mdx_geoset, selection_flags, "Flags", geoset_flags),
    WOW(mdx_geoset, selection_flags, "Flags", wow_geoset_flags),
    LAST
};
static const mdx_mdl_keyword_field geoset_anim_fields[] = {
    WARCRAFT(mdx_geoset_anim, flags, "Flags", geoset_anim_flags),
    WOW(mdx_geoset_anim, flags, "Flags", no_keywords),
    LAST
};
static const mdx_mdl_keyword_field node_fields[] = { NODE(node_flags, wow_node_flags), LAST };
static const mdx_mdl_keyword_field light_fields[] = {
    NODE(node_flags, wow_node_flags), ALWAYS(mdx_light, kind, "LightType", NULL, light_kinds), LAST
};
static const mdx_mdl_keyword_field emitter_fields[] = { NODE(emitter_flags, wow_emitter_flags), LAST };
static const mdx_mdl_keyword_field emitter2_fields[] = {
    NODE(emitter2_flags, wow_emitter2_flags),
    ALWAYS(mdx_emitter2, squirt, "SquirtCount", NULL, squirt_flags),
    ALWAYS(mdx_emitter2, filter, "Filter", NULL, particle_filters),
    ALWAYS(mdx_emitter2, head_or_tail, "HeadOrTail", NULL, particle_shapes),
    LAST
};
static const mdx_mdl_keyword_field popcorn_fields[] = { NODE(popcorn_flags, popcorn_flags), LAST };
static const mdx_mdl_keyword_field shape_fields[] = {
    NODE(node_flags, wow_node_flags), ALWAYS(mdx_shape, kind, "ShapeType", NULL, collision_kinds), LAST
};
static const mdx_mdl_keyword_field hit_test_fields[] = {
    NODE(node_flags, wow_node_flags), ALWAYS(mdx_shape, kind, "ShapeType", NULL, hit_test_kinds), LAST
};
// clang-format on

const mdx_mdl_keyword_field *mdx_mdl_keyword_fields(uint32_t tag)
{
    switch (tag) {
    case MDX_SEQS: return sequence_fields;
    case MDX_TEXS: return texture_fields;
    case MDX_MTLS: return material_fields;
    case MDX_LAYS: return layer_fields;
    case MDX_GEOS: return geoset_fields;
    case MDX_GEOA: return geoset_anim_fields;
    case MDX_LITE: return light_fields;
    case MDX_PREM: return emitter_fields;
    case MDX_PRE2: return emitter2_fields;
    case MDX_CORN: return popcorn_fields;
    case MDX_CLID: return shape_fields;
    case MDX_HTST: return hit_test_fields;
    case MDX_BONE:
    case MDX_HELP:
    case MDX_ATCH:
    case MDX_RIBB:
    case MDX_EVTS: return node_fields;
    default: return no_fields;
    }
}

uint32_t mdx_mdl_type_flags(uint32_t tag, uint32_t version)
{
    static const struct {
        uint32_t tag, flags, wow_flags;
    } types[] = {
        { MDX_BONE, 0x100, 0 },  { MDX_LITE, 0x200, 0x100 },   { MDX_EVTS, 0x400, 0x200 }, { MDX_ATCH, 0x800, 0x400 },
        { MDX_PREM, 0x1000, 0 }, { MDX_PRE2, 0x1000, 0x800 },  { MDX_CORN, 0x1000, 0 },    { MDX_CLID, 0x2000, 0 },
        { MDX_HTST, 0, 0x1000 }, { MDX_RIBB, 0x4000, 0x2000 },
    };
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (types[i].tag == tag) return version >= MDX_WOW_VERSION ? types[i].wow_flags : types[i].flags;
    return 0;
}
