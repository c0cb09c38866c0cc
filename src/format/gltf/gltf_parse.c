// JSON to document: one walk over the tables of gltf_schema.c, then the checks of version, extensions and references.
// A property of the wrong type is reported and treated as absent.
#include <math.h>
#include <string.h>

#include "format/gltf/gltf_schema.h"

// RARE is kept out of the functions that are called for each member: they need no registers for it.
#ifdef __GNUC__
#    define RARE          __attribute__((noinline)) static
#    define ALWAYS_INLINE __attribute__((always_inline)) static inline
#else
#    define RARE          static
#    define ALWAYS_INLINE static inline
#endif

// Which property follows which: exporters write those of all objects in the same order. The first is at 0, that behind
// the n-th of the schema at n + 1.
typedef struct key_order {
    uint8_t next[GLTF_MAX_PROPERTIES];
} key_order;

static const key_order schema_order = { { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11,
                                          12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 } };

typedef struct gltf_parser {
    sni_load *load;
    sni_json json;
    sni_list extensions_found;  // of const char *
    const gltf_schema *nested;  // of the last object inside another one
    key_order nested_order;     // the order of its properties
} gltf_parser;

void gltf_warn(sni_load *load, const char *property, int32_t code, uint64_t offset, const char *message)
{
    sni_enter(&load->diag, property, -1);
    sni_warn(&load->diag, code, offset, "%s", message);
    sni_leave(&load->diag);
}

static void warn_here(gltf_parser *parser, const char *name, int32_t code, const char *message)
{
    gltf_warn(parser->load, name, code, sni_json_offset(&parser->json), message);
}

static bool refuse(gltf_parser *parser, const char *name, sni_json_kind kind)
{
    static const char *const kinds[] = { "", "null", "true or false", "a number", "a string", "an array", "an object" };
    sni_json_kind found = sni_json_peek(&parser->json);
    if (found == SNI_JSON_NONE) return false;
    sni_diag *diag = &parser->load->diag;
    sni_enter(diag, name, -1);
    sni_warn(diag, SNI_WARN_JSON_TYPE, sni_json_offset(&parser->json), "%s instead of %s", kinds[found], kinds[kind]);
    sni_leave(diag);
    sni_json_skip(&parser->json);
    return false;
}

// Whether the next value is of the kind; any other is reported and skipped.
static inline bool expect(gltf_parser *parser, const char *name, sni_json_kind kind)
{
    return sni_json_peek(&parser->json) == kind || refuse(parser, name, kind);
}

// Values. Each function stores only what fits, and returns whether it did.

static bool read_integer(gltf_parser *parser, const char *name, int64_t highest, int64_t *value)
{
    uint32_t few;
    const char *at = parser->json.at, *after = at < parser->json.room ? sni_json_scan_short(at, &few) : NULL;
    if (after) {  // in any range that is asked for
        parser->json.at = after;
        *value = few;
        return true;
    }
    if (!expect(parser, name, SNI_JSON_NUMBER)) return false;
    if (sni_json_integer(&parser->json, value) && *value >= 0 && *value <= highest) return true;
    if (sni_json_ok(&parser->json)) warn_here(parser, name, SNI_WARN_VALUE_RANGE, "not an integer in range");
    return false;
}

static bool read_index(gltf_parser *parser, const char *name, int32_t *index)
{
    int64_t value;
    if (!read_integer(parser, name, INT32_MAX, &value)) return false;
    *index = (int32_t)value;
    return true;
}

static bool read_float(gltf_parser *parser, const char *name, float *value)
{
    if (!expect(parser, name, SNI_JSON_NUMBER)) return false;
    float number = sni_json_float(&parser->json);
    if (isfinite(number)) {
        *value = number;
        return true;
    }
    warn_here(parser, name, SNI_WARN_VALUE_RANGE, "too large for a float");
    return false;
}

static bool read_vector(gltf_parser *parser, const char *name, float *values, uint32_t count)
{
    float read[16], ignored;
    uint32_t found = 0;
    bool is_good = true;
    if (sni_json_floats(&parser->json, read, count)) {
        for (uint32_t i = 0; i < count; i++) values[i] = read[i];
        return true;
    }

    // Something is wrong with it: number by number, to report what.
    if (!expect(parser, name, SNI_JSON_ARRAY)) return false;
    for (sni_json_enter_array(&parser->json); sni_json_next_item(&parser->json); found++)
        is_good = read_float(parser, name, found < count ? &read[found] : &ignored) && is_good;
    if (is_good && found != count && sni_json_ok(&parser->json))
        warn_here(parser, name, SNI_WARN_JSON_TYPE, "an array of the wrong length");
    if (!is_good || found != count) return false;
    for (uint32_t i = 0; i < count; i++) values[i] = read[i];
    return sni_json_ok(&parser->json);
}

static bool read_text(gltf_parser *parser, const char *name, const char **text)
{
    if (!expect(parser, name, SNI_JSON_STRING)) return false;
    bool was_bad = false;
    parser->json.arena = &parser->load->keep;
    *text = sni_json_string(&parser->json, &was_bad);
    parser->json.arena = &parser->load->scratch;
    if (was_bad) warn_here(parser, name, SNI_WARN_TEXT_ENCODING, "not valid UTF-8");
    return true;
}

// The word at `at`, where there is room: its number and where it ends; NULL: none of them, or with escapes.
static inline const char *find_word(const gltf_property *property, const char *at, uint32_t *number)
{
    const gltf_word *words = property->words, *end = words + property->count;
    for (const gltf_word *word = words[0].text ? words : words + 1; word < end; word++) {
        if (!sni_json_starts(at, &word->token)) continue;
        *number = (uint32_t)(word - words);
        return at + word->token.size;
    }
    return NULL;
}

static bool read_word(gltf_parser *parser, const gltf_property *property, uint32_t *value)
{
    const char *text = NULL;
    if (!read_text(parser, property->name, &text) || !text) return false;
    for (*value = 0; *value < property->count; ++*value) {
        if (property->words[*value].text && strcmp(property->words[*value].text, text) == 0) return true;
    }
    *value = 0;
    warn_here(parser, property->name, SNI_WARN_VALUE_RANGE, "an unknown value");
    return false;
}

// What most attributes are called, each behind the one that mostly precedes it.
static const struct {
    gltf_attribute attribute;
    sni_json_token token;
} usual_attributes[] = {
#define USUAL(word, what, number)                                   \
    {                                                               \
        { word, -1, what, number }, SNI_JSON_TOKEN("\"" word "\":") \
    }
    USUAL("POSITION", GLTF_POSITIONS, 0),   USUAL("NORMAL", GLTF_NORMALS, 0),
    USUAL("TANGENT", GLTF_TANGENTS, 0),     USUAL("TEXCOORD_0", GLTF_TEXCOORDS, 0),
    USUAL("TEXCOORD_1", GLTF_TEXCOORDS, 1), USUAL("COLOR_0", GLTF_COLORS, 0),
    USUAL("JOINTS_0", GLTF_JOINTS, 0),      USUAL("WEIGHTS_0", GLTF_JOINT_WEIGHTS, 0),
#undef USUAL
};
enum { USUAL_COUNT = sizeof usual_attributes / sizeof usual_attributes[0] };

// "TEXCOORD_12" is set 12 of texture coordinates. Numbers have no leading zeros.
static gltf_attribute make_attribute(const char *name)
{
    static const char *const names[] = {
        [GLTF_POSITIONS] = "POSITION",    [GLTF_NORMALS] = "NORMAL", [GLTF_TANGENTS] = "TANGENT",
        [GLTF_TEXCOORDS] = "TEXCOORD_",   [GLTF_COLORS] = "COLOR_",  [GLTF_JOINTS] = "JOINTS_",
        [GLTF_JOINT_WEIGHTS] = "WEIGHTS_"
    };
    gltf_attribute attribute = { .name = name, .accessor = -1 };
    for (int i = GLTF_POSITIONS; i <= GLTF_JOINT_WEIGHTS; i++) {
        const size_t size = strlen(names[i]);
        const char *at = name + size;
        uint32_t set = 0;
        if (strncmp(name, names[i], size) != 0) continue;
        if (i >= GLTF_TEXCOORDS) {
            if (at[0] < '0' || at[0] > '9' || (at[0] == '0' && at[1])) break;
            for (; *at >= '0' && *at <= '9' && set < GLTF_MOST_SETS; at++) set = set * 10 + (uint32_t)(*at - '0');
        }
        if (*at || set >= GLTF_MOST_SETS) break;
        attribute.semantic = (uint8_t)i;
        attribute.set = (uint8_t)set;
        break;
    }
    return attribute;
}

// Reads the key of an attribute: one of `usual_attributes`, the first tried being `*number`, which becomes its number;
// USUAL_COUNT for any other. Without a name after a failure.
static gltf_attribute read_semantic(gltf_parser *parser, uint32_t *number)
{
    sni_json *json = &parser->json;
    sni_str key;
    for (uint32_t i = *number; i < USUAL_COUNT && json->at < json->room; i++) {
        const sni_json_token *token = &usual_attributes[i].token;
        if (!sni_json_starts(json->at, token)) continue;
        const char *at = sni_json_skip_blanks(json->at + token->size, json->end);
        if (at >= json->end || !sni_json_kinds[(uint8_t)*at]) break;
        json->at = at;
        *number = i;
        return usual_attributes[i].attribute;
    }
    *number = USUAL_COUNT;
    const char *name = sni_json_read_key(json, &key) ? sni_text_clean(&parser->load->scratch, key, NULL) : NULL;
    return name ? make_attribute(name) : (gltf_attribute){ 0 };
}

static bool read_attributes(gltf_parser *parser, const char *name, gltf_attributes *attributes)
{
    sni_arena *scratch = &parser->load->scratch;
    sni_list list = { 0 };
    uint32_t number = 0;
    bool is_sorted = true;  // only usual names so far, in the order of `usual_attributes`: no name twice
    if (!expect(parser, name, SNI_JSON_OBJECT)) return false;
    for (bool has_member = sni_json_first_member(&parser->json); has_member && sni_json_ok(&parser->json);
         has_member = sni_json_next_member(&parser->json)) {
        gltf_attribute attribute = read_semantic(parser, &number);
        if (!attribute.name) break;
        is_sorted = is_sorted && number++ < USUAL_COUNT;
        read_index(parser, attribute.name, &attribute.accessor);
        gltf_attribute *item = NULL, *earlier = list.items;
        for (uint32_t i = 0; !is_sorted && !item && i < list.count && list.count <= 64; i++) {
            if (strcmp(earlier[i].name, attribute.name) == 0) item = &earlier[i];  // a duplicate key: the last wins
        }
        if (!item) item = sni_list_push_raw(scratch, &list, sizeof *item);
        if (!item) return false;
        *item = attribute;
    }
    if (list.count == 0 && sni_json_ok(&parser->json)) warn_here(parser, name, SNI_WARN_JSON_EMPTY, "is empty");
    *attributes = (gltf_attributes){ list.items, list.count };
    return true;
}

// A short list of plain numbers; anything else is left unread.
static bool read_plain_list(gltf_parser *parser, const gltf_property *property, void *at)
{
    enum { MOST_NUMBERS = 64 };
    sni_arena *scratch = &parser->load->scratch;
    float floats[MOST_NUMBERS], *kept_floats;
    int32_t indices[MOST_NUMBERS], *kept_indices;
    uint32_t count = 0;
    if (property->kind == GLTF_KIND_INDEX_LIST) {
        if (!(count = sni_json_few_indices(&parser->json, indices, MOST_NUMBERS))) return false;
        if (!(kept_indices = sni_new_raw(scratch, int32_t, count))) return false;
        for (uint32_t i = 0; i < count; i++) kept_indices[i] = indices[i];
        gltf_set_list(at, kept_indices, count);
    } else if (property->kind == GLTF_KIND_FLOAT_LIST) {
        if (!(count = sni_json_few_floats(&parser->json, floats, MOST_NUMBERS))) return false;
        if (!(kept_floats = sni_new_raw(scratch, float, count))) return false;
        for (uint32_t i = 0; i < count; i++) kept_floats[i] = floats[i];
        gltf_set_list(at, kept_floats, count);
    }
    return count > 0;
}

static bool read_list(gltf_parser *parser, const gltf_property *property, void *at)
{
    static const uint8_t sizes[] = { [GLTF_KIND_INDEX_LIST] = sizeof(int32_t),
                                     [GLTF_KIND_FLOAT_LIST] = sizeof(float),
                                     [GLTF_KIND_TEXT_LIST] = sizeof(const char *),
                                     [GLTF_KIND_ATTRIBUTES_LIST] = sizeof(gltf_attributes) };
    const char *name = property->name;
    sni_list list = { 0 };
    if (read_plain_list(parser, property, at)) return true;
    if (!expect(parser, name, SNI_JSON_ARRAY)) return false;
    for (sni_json_enter_array(&parser->json); sni_json_next_item(&parser->json);) {
        void *item = sni_list_push(&parser->load->scratch, &list, sizes[property->kind]);
        if (!item) return false;
        switch (property->kind) {
        case GLTF_KIND_INDEX_LIST:
            *(int32_t *)item = -1;
            read_index(parser, name, item);
            break;
        case GLTF_KIND_FLOAT_LIST: read_float(parser, name, item); break;
        case GLTF_KIND_TEXT_LIST:
            *(const char **)item = "";
            read_text(parser, name, item);
            break;
        default: read_attributes(parser, name, item);
        }
    }
    if (list.count == 0 && sni_json_ok(&parser->json)) warn_here(parser, name, SNI_WARN_JSON_EMPTY, "is empty");
    gltf_set_list(at, list.items, list.count);
    return true;
}

// The functions below call each other. The depth is that of the schema, not of the file.

static void read_object(gltf_parser *parser, const gltf_schema *schema, void *item, key_order *order);
RARE bool read_objects(gltf_parser *parser, const gltf_property *property, void *at);

// Room for as many objects as the rest of the text holds, if they are as long as those so far.
static bool reserve_objects(gltf_parser *parser, sni_list *list, size_t size, const char *start)
{
    const sni_json *json = &parser->json;
    const uint64_t left = (uint64_t)(json->end - json->at), average = (uint64_t)(json->at - start) / list->count;
    return sni_list_reserve(&parser->load->scratch, list, size, list->count + left / (average + 1) + 1);
}

RARE bool read_nested(gltf_parser *parser, const gltf_property *property, void *at)
{
    key_order order = parser->nested == property->objects ? parser->nested_order : schema_order;
    sni_enter(&parser->load->diag, property->name, -1);
    read_object(parser, property->objects, at, &order);
    sni_leave(&parser->load->diag);
    parser->nested = property->objects;
    parser->nested_order = order;
    return true;
}

static bool read_property(gltf_parser *parser, const gltf_property *property, uint8_t *item)
{
    void *at = item + property->offset;
    int64_t number;
    switch (property->kind) {
    case GLTF_KIND_INDEX: return read_index(parser, property->name, at);
    case GLTF_KIND_U32:
        if (!read_integer(parser, property->name, UINT32_MAX, &number)) return false;
        *(uint32_t *)at = (uint32_t)number;
        return true;
    case GLTF_KIND_U64:
        if (!read_integer(parser, property->name, (int64_t)1 << 53, &number)) return false;
        *(uint64_t *)at = (uint64_t)number;
        return true;
    case GLTF_KIND_FLOAT: return read_float(parser, property->name, at);
    case GLTF_KIND_VECTOR: return read_vector(parser, property->name, at, property->count);
    case GLTF_KIND_BOOL:
        if (!expect(parser, property->name, SNI_JSON_BOOL)) return false;
        *(bool *)at = sni_json_bool(&parser->json);
        return true;
    case GLTF_KIND_TEXT: return read_text(parser, property->name, at);
    case GLTF_KIND_WORD: return read_word(parser, property, at);
    case GLTF_KIND_ATTRIBUTES: return read_attributes(parser, property->name, at);
    case GLTF_KIND_OBJECT: return read_nested(parser, property, at);
    case GLTF_KIND_OBJECT_LIST: return read_objects(parser, property, at);
    default: return read_list(parser, property, at);
    }
}

// Both are short, and mostly the same when their sizes and first bytes are.
static inline bool is_same_name(const char *a, const char *b, size_t size)
{
    if (size < 8) {
        size_t i = 0;
        while (i < size && a[i] == b[i]) i++;
        return i == size;
    }
    return sni_load_eight(a) == sni_load_eight(b) && sni_load_eight(a + size - 8) == sni_load_eight(b + size - 8) &&
           (size <= 16 || memcmp(a, b, size) == 0);
}

static const gltf_property *find_property(const gltf_property *properties, sni_str name)
{
    for (const gltf_property *at = properties; at && at->name; at++) {
        if (at->name_size == name.size && at->name[0] == name.at[0] && is_same_name(at->name, name.at, name.size))
            return at;
    }
    return NULL;
}

static void note_extension(gltf_parser *parser, sni_str name)
{
    const char **found = parser->extensions_found.items;
    for (uint32_t i = 0; i < parser->extensions_found.count; i++) {
        if (sni_str_is(name, found[i])) return;
    }
    if (parser->extensions_found.count >= 256) return;
    found = sni_push(&parser->load->scratch, &parser->extensions_found, const char *);
    if (found) *found = sni_text_clean(&parser->load->scratch, name, NULL);
}

// Extensions of the schema are read into the item; the others are kept as text: {"A":{...},"B":{...}}.
static void read_extensions(gltf_parser *parser, const gltf_schema *schema, void *item)
{
    sni_load *load = parser->load;
    sni_writer text;
    sni_str name;
    sni_writer_init(&text, load->heap);
    sni_json_writer kept = sni_json_writer_make(&text, false);
    sni_json_begin_object(&kept);
    sni_enter(&load->diag, "extensions", -1);
    for (sni_json_enter_object(&parser->json); sni_json_next_key(&parser->json, &name);) {
        const gltf_property *extension = find_property(schema->extensions, name);
        const char *key = extension ? extension->name : sni_text_clean(&load->scratch, name, NULL);
        note_extension(parser, name);
        if (!key || !expect(parser, key, SNI_JSON_OBJECT)) continue;
        if (extension) {
            read_property(parser, extension, item);
            continue;
        }
        gltf_extension_use use = gltf_find_extension(name);
        bool is_misplaced = use == GLTF_READ || (use == GLTF_APPEARANCE && schema != &gltf_material_schema);
        if (load->lint && is_misplaced)
            warn_here(parser, key, SNI_WARN_GLTF_EXTENSION, "this extension does not belong here");
        const char *value = sni_text_clean(&load->scratch, sni_json_raw(&parser->json), NULL);
        if (!sni_json_ok(&parser->json)) break;
        sni_json_key(&kept, key);
        sni_json_put_raw(&kept, value);
    }
    sni_leave(&load->diag);
    bool is_empty = text.size <= 1;
    sni_json_end(&kept);
    if (!schema->is_small) {
        ((gltf_object *)item)->extensions = is_empty || text.failed
                                                ? NULL
                                                : sni_copy_text(&load->keep, (const char *)text.data, text.size);
    }
    sni_writer_free(&text);
}

// The value at `at`, where there is room, if it is as most are: a whole number of a few digits, which is in range, or
// one of the property's words. Returns where it ends; NULL, unread: anything else.
static inline const char *read_plain(const char *at, const gltf_property *property, uint8_t *item)
{
    void *out = item + property->offset;
    uint32_t number;
    const char *after = property->kind <= GLTF_KIND_U64    ? sni_json_scan_short(at, &number)
                        : property->kind == GLTF_KIND_WORD ? find_word(property, at, &number)
                                                           : NULL;
    if (!after) return NULL;
    if (property->kind == GLTF_KIND_U64) *(uint64_t *)out = number;
    else *(uint32_t *)out = number;  // or an int32_t that is not negative, or an enum
    return after;
}

// Steps from a key over `size` bytes to its value. False: none follows, nothing is read.
static inline bool step_to_value(sni_json *json, size_t size)
{
    const char *at = sni_json_skip_blanks(json->at + size, json->end);
    if (at >= json->end || !sni_json_kinds[(uint8_t)*at]) return false;
    json->at = at;
    return true;
}

// Reads a key that is not the expected one. NULL after a failure, and when its value has been read as well: that of
// extras, of extensions, or of something unknown, which is skipped.
RARE const gltf_property *read_other_key(gltf_parser *parser, const gltf_schema *schema, void *item,
                                         const gltf_property *expected)
{
    sni_json *json = &parser->json;
    gltf_object *object = schema->is_small ? NULL : item;
    const gltf_property *property = expected;
    sni_str key;
    if (json->at < json->room) {  // mostly one of the next, if properties were left out
        while (property->name && !sni_json_starts(json->at, &property->key)) property++;
        if (!property->name)
            for (property = schema->properties; property < expected && !sni_json_starts(json->at, &property->key);)
                property++;
        if (property->name && sni_json_starts(json->at, &property->key) && step_to_value(json, property->key.size))
            return property;
    }
    if (!sni_json_read_key(json, &key)) return NULL;
    property = find_property(schema->properties, key);
    if (property) return property;
    if (object && sni_str_is(key, "extras")) {
        object->extras = sni_text_clean(&parser->load->keep, sni_json_raw(json), NULL);
    } else if (!sni_str_is(key, "extensions")) {
        sni_json_skip(json);
    } else if (expect(parser, "extensions", SNI_JSON_OBJECT)) {
        read_extensions(parser, schema, item);
    }
    return NULL;
}

// Enters the object. False: it is empty, or none, which is reported and skipped.
static bool enter_object(gltf_parser *parser, bool *state, uint64_t offset)
{
    sni_json *json = &parser->json;
    const sni_json_kind kind = sni_json_peek(json);
    state[0] = kind == SNI_JSON_OBJECT;
    if (state[0]) return sni_json_first_member(json);
    if (kind != SNI_JSON_NONE) sni_warn(&parser->load->diag, SNI_WARN_JSON_TYPE, offset, "not an object");
    sni_json_skip(json);
    return false;
}

// Into an item that has its defaults.
ALWAYS_INLINE void read_members(gltf_parser *parser, const gltf_schema *schema, void *item, key_order *order)
{
    sni_json *json = &parser->json;
    const gltf_property *const properties = schema->properties;
    const char *const room = json->room;
    bool *state = item;  // every object starts with is_given, is_broken
    uint32_t last = 0;   // the place in the order: 0, then one more than the number of the property before
    const uint64_t offset = json->origin + (uint64_t)(json->at - json->start);
    if (!schema->is_small) ((gltf_object *)item)->offset = offset < UINT32_MAX ? (uint32_t)offset : UINT32_MAX;
    state[0] = true;
    if (!sni_json_take_first(json) && !enter_object(parser, state, offset)) return;
    do {
        // As long as members are as expected: the key, or that of the next property, a plain value, and another key
        // right behind the comma.
        const char *at = json->at, *after = NULL;
        uint32_t number = order->next[last];
        const gltf_property *property = &properties[number];
        bool is_expected = false;
        while (at < room) {
            is_expected = sni_json_starts(at, &property->key);
            if (!is_expected && property->name && sni_json_starts(at, &property[1].key)) {
                is_expected = true;
                property++;
                order->next[last] = (uint8_t)++number;
            }
            after = is_expected ? read_plain(at + property->key.size, property, item) : NULL;
            if (!after) break;
            last = number + 1;
            number = order->next[last];
            property = &properties[number];
            at = after;
            if (at[0] != ',' || at[1] != '"') break;
            at++;
            after = NULL;
            is_expected = false;
        }
        json->at = at;
        if (after) continue;

        if (!is_expected || !step_to_value(json, property->key.size)) {
            property = read_other_key(parser, schema, item, property);
            if (!sni_json_ok(json)) return;
            if (!property) continue;
            number = (uint32_t)(property - properties);
            order->next[last] = (uint8_t)number;
        }
        last = number + 1;
        after = json->at < room ? read_plain(json->at, property, item) : NULL;
        if (after) {
            json->at = after;
            continue;
        }
        if (property->kind == GLTF_KIND_TEXT && (after = sni_json_short_string(json, &parser->load->keep))) {
            *(const char **)((uint8_t *)item + property->offset) = after;
            continue;
        }
        bool is_good = read_property(parser, property, item);
        if (!sni_json_ok(json)) return;
        if (is_good && property->flag_offset) state[property->flag_offset] = true;
        if (!is_good && property->flags & GLTF_VITAL) state[1] = true;
    } while (sni_json_next_member(json));
}

static void read_object(gltf_parser *parser, const gltf_schema *schema, void *item, key_order *order)
{
    const bool *is_given = item;
    if (*is_given) gltf_set_defaults(item, schema);  // a duplicate key; otherwise it has them from the outer object
    read_members(parser, schema, item, order);
}

RARE bool read_objects(gltf_parser *parser, const gltf_property *property, void *at)
{
    enum { FIRST_OBJECTS = 8, MANY_OBJECTS = 1024 };
    const gltf_schema *schema = property->objects;
    sni_json *json = &parser->json;
    sni_arena *scratch = &parser->load->scratch;
    sni_diag *diag = &parser->load->diag;
    key_order order = schema_order;
    if (!expect(parser, property->name, SNI_JSON_ARRAY)) return false;
    const char *start = json->at;
    sni_list list = { sni_alloc_raw(scratch, schema->size, FIRST_OBJECTS), 0, FIRST_OBJECTS };
    if (!list.items) return false;
    sni_json_enter(json);
    for (bool has_item = sni_json_next(json, ']'); has_item; has_item = sni_json_ok(json) && sni_json_step(json, ']')) {
        // All that follow each other without blanks.
        sni_enter(diag, property->name, list.count);
        for (;;) {
            if (list.count == MANY_OBJECTS && !reserve_objects(parser, &list, schema->size, start)) return false;
            void *item = sni_list_push_raw(scratch, &list, schema->size);
            if (!item) return false;
            gltf_set_defaults(item, schema);
            read_members(parser, schema, item, &order);
            if (json->at >= json->room || json->at[0] != ',' || json->at[1] != '{' || !sni_json_ok(json)) break;
            json->at++;
            sni_enter_next(diag, list.count);
        }
        sni_leave(diag);
    }
    if (list.count == 0 && sni_json_ok(json)) warn_here(parser, property->name, SNI_WARN_JSON_EMPTY, "is empty");
    gltf_set_list(at, list.count > 0 ? list.items : NULL, list.count);
    return true;
}

// extras.targetNames is a convention of exporters, not a rule: what does not fit it is ignored.
static void read_target_names(sni_load *load, gltf_mesh *mesh)
{
    if (!mesh->object.extras) return;
    sni_str text = sni_str_make(mesh->object.extras, strlen(mesh->object.extras)), key;
    sni_json json = sni_json_make(text, 0, load->limits.depth, &load->diag, &load->keep);
    if (sni_json_peek(&json) != SNI_JSON_OBJECT) return;
    for (sni_json_enter_object(&json); sni_json_next_key(&json, &key);) {
        if (!sni_str_is(key, "targetNames") || sni_json_peek(&json) != SNI_JSON_ARRAY) {
            sni_json_skip(&json);
            continue;
        }
        sni_list names = { 0 };
        for (sni_json_enter_array(&json); sni_json_next_item(&json);) {
            const char **name = sni_push(&load->scratch, &names, const char *);
            if (!name) return;
            *name = "";
            if (sni_json_peek(&json) == SNI_JSON_STRING) *name = sni_json_string(&json, NULL);
            else sni_json_skip(&json);
        }
        mesh->target_names = (gltf_texts){ names.items, names.count };
    }
}

// "2.0": digits, a point, digits.
static bool parse_version(const char *text, uint32_t parts[2])
{
    const char *at = text;
    for (int i = 0; i < 2; i++) {
        const char *start = at;
        uint32_t number = 0;
        for (; *at >= '0' && *at <= '9' && at - start < 6; at++) number = number * 10 + (uint32_t)(*at - '0');
        if (at == start || *at != (i == 0 ? '.' : 0)) return false;
        parts[i] = number;
        at++;
    }
    return true;
}

static bool check_version(sni_load *load, const gltf_asset *asset)
{
    sni_diag *diag = &load->diag;
    uint64_t offset = asset->object.offset;
    uint32_t version[2], needed[2];
    if (!asset->version || !parse_version(asset->version, version))
        return sni_fail(diag, SN_ERR_CORRUPT, offset, "no version: this is not a glTF file");
    bool has_needed = asset->min_version && parse_version(asset->min_version, needed);
    if (version[0] != 2 && !(has_needed && needed[0] == 2))
        return sni_fail(diag, SN_ERR_UNSUPPORTED, offset, "glTF %s is not supported", asset->version);
    if (has_needed && (needed[0] != 2 || needed[1] > 0))
        return sni_fail(diag, SN_ERR_UNSUPPORTED, offset, "requires a reader of glTF %s", asset->min_version);
    if (version[0] != 2 || version[1] > 0)
        sni_warn(diag, SNI_WARN_GLTF_MINOR_VERSION, offset, "glTF %s is read as 2.0", asset->version);
    return true;
}

static void check_extensions(sni_load *load, const gltf_doc *doc)
{
    const gltf_texts *lists[] = { &doc->extensions_required, &doc->extensions_used, &doc->extensions_found };
    sni_diag *diag = &load->diag;
    for (int l = 0; l < 3; l++) {
        for (uint32_t i = 0; i < lists[l]->count && sni_load_ok(load); i++) {
            const char *name = lists[l]->items[i];
            gltf_extension_use use = gltf_find_extension(sni_str_make(name, strlen(name)));
            if (use == GLTF_READ || (l == 1 && use == GLTF_APPEARANCE)) continue;
            if (l == 2) sni_enter(diag, name, -1);
            else sni_enter(diag, l == 0 ? "extensionsRequired" : "extensionsUsed", i);
            if (l == 2 && use == GLTF_APPEARANCE)
                sni_warn(diag, SNI_WARN_GLTF_EXTENSION, 0, "%s is kept, but not shown", name);
            else if (l == 2) sni_warn(diag, SNI_WARN_LOST_CONTENT, 0, "data of %s is not part of the model", name);
            else if (l == 1) sni_warn(diag, SNI_WARN_GLTF_EXTENSION, 0, "%s is not supported", name);
            else if (use == GLTF_APPEARANCE || use == GLTF_KEPT)
                sni_warn(diag, SNI_WARN_GLTF_EXTENSION, 0, "%s is required, but not shown", name);
            else sni_fail(diag, SN_ERR_UNSUPPORTED, 0, "requires the extension %s, which is not supported", name);
            sni_leave(diag);
        }
    }
}

bool gltf_parse_json(sni_load *load, const gltf_container *container, gltf_doc *doc)
{
    gltf_parser parser = { .load = load };
    key_order order = schema_order;
    parser.json = sni_json_make(container->json, container->json_offset, load->limits.depth, &load->diag,
                                &load->scratch);
    sni_json_kind kind = sni_json_peek(&parser.json);
    if (kind != SNI_JSON_OBJECT && kind != SNI_JSON_NONE)
        sni_fail(&load->diag, SN_ERR_CORRUPT, sni_json_offset(&parser.json), "the JSON is not an object");
    gltf_set_defaults(doc, &gltf_doc_schema);
    read_object(&parser, &gltf_doc_schema, doc, &order);
    sni_json_finish(&parser.json);
    doc->extensions_found = (gltf_texts){ parser.extensions_found.items, parser.extensions_found.count };
    for (uint32_t i = 0; i < doc->mesh_count && sni_load_ok(load); i++) read_target_names(load, &doc->meshes[i]);
    if (!sni_load_ok(load)) return false;
    sni_enter(&load->diag, "asset", -1);
    bool is_known = check_version(load, &doc->asset);
    sni_leave(&load->diag);
    if (is_known) check_extensions(load, doc);
    return sni_load_ok(load);
}

// References. What points nowhere is reported once, here, and becomes -1.

static void drop_reference(sni_load *load, const gltf_object *owner, const char *property, int32_t *index,
                           uint32_t count)
{
    sni_enter(&load->diag, property, -1);
    sni_warn(&load->diag, SNI_WARN_REFERENCE, owner->offset, "index %d, but there are %u", *index, count);
    sni_leave(&load->diag);
    *index = -1;
}

static inline void resolve(sni_load *load, const gltf_object *owner, const char *property, int32_t *index,
                           uint32_t count)
{
    if (*index >= 0 && (uint32_t)*index >= count) drop_reference(load, owner, property, index, count);
}

// Lists lose what points nowhere.
static void resolve_list(sni_load *load, const gltf_object *owner, const char *property, gltf_indices *list,
                         uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        resolve(load, owner, property, &list->items[i], count);
        if (list->items[i] >= 0) list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

static void resolve_attributes(sni_load *load, const gltf_doc *doc, const gltf_object *owner, gltf_attributes *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        resolve(load, owner, list->items[i].name, &list->items[i].accessor, doc->accessor_count);
}

static void resolve_view(sni_load *load, const gltf_doc *doc, gltf_view *view)
{
    if (view->object.is_broken) view->buffer = -1;
    resolve(load, &view->object, "buffer", &view->buffer, doc->buffer_count);
    if (!view->ext_meshopt.object.is_given && !view->khr_meshopt.object.is_given) return;
    resolve(load, &view->object, "extensions/" GLTF_EXT_MESHOPT "/buffer", &view->ext_meshopt.buffer,
            doc->buffer_count);
    resolve(load, &view->object, "extensions/" GLTF_KHR_MESHOPT "/buffer", &view->khr_meshopt.buffer,
            doc->buffer_count);
}

static void resolve_accessor(sni_load *load, const gltf_doc *doc, gltf_accessor *accessor)
{
    gltf_sparse *sparse = &accessor->sparse;
    bool had_view = accessor->view >= 0;
    resolve(load, &accessor->object, "bufferView", &accessor->view, doc->view_count);
    bool has_lost_view = had_view && accessor->view < 0;
    if (accessor->object.is_broken || has_lost_view) accessor->type = GLTF_NO_TYPE;  // unusable, not zeros
    if (sparse->indices.object.is_broken) sparse->indices.view = -1;
    if (sparse->values.object.is_broken) sparse->values.view = -1;
    if (sparse->count == 0) return;
    resolve(load, &accessor->object, "sparse/indices", &sparse->indices.view, doc->view_count);
    resolve(load, &accessor->object, "sparse/values", &sparse->values.view, doc->view_count);
}

static void resolve_mesh(sni_load *load, const gltf_doc *doc, gltf_mesh *mesh)
{
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        gltf_primitive *primitive = &mesh->primitives[i];
        gltf_object *owner = &primitive->object;
        sni_enter(&load->diag, "primitives", i);
        bool had_indices = primitive->indices >= 0;
        resolve(load, owner, "indices", &primitive->indices, doc->accessor_count);
        if (had_indices && primitive->indices < 0) owner->is_broken = true;
        resolve(load, owner, "material", &primitive->material, doc->material_count);
        resolve_attributes(load, doc, owner, &primitive->attributes);
        resolve(load, owner, "extensions/" GLTF_DRACO "/bufferView", &primitive->draco.view, doc->view_count);
        for (uint32_t t = 0; t < primitive->target_count; t++) {
            sni_enter(&load->diag, "targets", t);
            resolve_attributes(load, doc, owner, &primitive->targets[t]);
            sni_leave(&load->diag);
        }
        sni_leave(&load->diag);
    }
}

static void resolve_node(sni_load *load, const gltf_doc *doc, gltf_node *node)
{
    const gltf_object *owner = &node->object;
    if (node->punctual.object.is_given && node->punctual.light < 0)
        gltf_warn(load, "light", SNI_WARN_JSON_MISSING, owner->offset, "missing");
    resolve(load, owner, "mesh", &node->mesh, doc->mesh_count);
    resolve(load, owner, "skin", &node->skin, doc->skin_count);
    resolve(load, owner, "camera", &node->camera, doc->camera_count);
    resolve(load, owner, "light", &node->punctual.light, doc->lights.count);
    resolve_attributes(load, doc, owner, &node->instancing.attributes);
    resolve_list(load, owner, "children", &node->children, doc->node_count);
}

// Vertices refer to joints by their position: a bad one stays in the list.
static void resolve_skin(sni_load *load, const gltf_doc *doc, gltf_skin *skin)
{
    resolve(load, &skin->object, "inverseBindMatrices", &skin->inverse_binds, doc->accessor_count);
    resolve(load, &skin->object, "skeleton", &skin->skeleton, doc->node_count);
    for (uint32_t i = 0; i < skin->joints.count; i++)
        resolve(load, &skin->object, "joints", &skin->joints.items[i], doc->node_count);
}

static void resolve_animation(sni_load *load, const gltf_doc *doc, gltf_animation *animation)
{
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        gltf_channel *channel = &animation->channels[i];
        sni_enter(&load->diag, "channels", i);
        resolve(load, &channel->object, "sampler", &channel->sampler, animation->sampler_count);
        resolve(load, &channel->object, "node", &channel->target.node, doc->node_count);
        sni_leave(&load->diag);
    }
    for (uint32_t i = 0; i < animation->sampler_count; i++) {
        gltf_sampler *sampler = &animation->samplers[i];
        sni_enter(&load->diag, "samplers", i);
        resolve(load, &sampler->object, "input", &sampler->input, doc->accessor_count);
        resolve(load, &sampler->object, "output", &sampler->output, doc->accessor_count);
        sni_leave(&load->diag);
    }
}

static void resolve_material(sni_load *load, const gltf_doc *doc, gltf_material *material)
{
    gltf_texture_info *maps[] = { &material->pbr.color_map,     &material->pbr.metal_rough_map,
                                  &material->normal_map,        &material->occlusion_map,
                                  &material->emissive_map,      &material->gloss.diffuse_map,
                                  &material->gloss.specular_map };
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++)
        resolve(load, &material->object, "texture", &maps[i]->texture, doc->texture_count);
}

static void resolve_texture(sni_load *load, const gltf_doc *doc, gltf_texture *texture)
{
    const gltf_object *owner = &texture->object;
    resolve(load, owner, "sampler", &texture->sampler, doc->sampler_count);
    resolve(load, owner, "source", &texture->source, doc->image_count);
    resolve(load, owner, "extensions/EXT_texture_webp/source", &texture->webp.source, doc->image_count);
    resolve(load, owner, "extensions/KHR_texture_basisu/source", &texture->basisu.source, doc->image_count);
}

static void resolve_image(sni_load *load, const gltf_doc *doc, gltf_image *image)
{
    resolve(load, &image->object, "bufferView", &image->view, doc->view_count);
}

static void resolve_scene(sni_load *load, const gltf_doc *doc, gltf_scene *scene)
{
    resolve_list(load, &scene->object, "nodes", &scene->nodes, doc->node_count);
}

void gltf_resolve(sni_load *load, gltf_doc *doc)
{
    resolve(load, &doc->object, "scene", &doc->scene, doc->scene_count);
    if (doc->lights.object.is_given && doc->lights.count == 0)
        gltf_warn(load, "extensions/KHR_lights_punctual/lights", SNI_WARN_JSON_MISSING, 0, "missing or empty");
#define RESOLVE_EACH(text, array, total, call)  \
    sni_enter(&load->diag, text, 0);            \
    for (uint32_t i = 0; i < doc->total; i++) { \
        sni_enter_next(&load->diag, i);         \
        call(load, doc, &doc->array[i]);        \
    }                                           \
    sni_leave(&load->diag);
    RESOLVE_EACH("accessors", accessors, accessor_count, resolve_accessor)
    RESOLVE_EACH("meshes", meshes, mesh_count, resolve_mesh)
    RESOLVE_EACH("nodes", nodes, node_count, resolve_node)
    RESOLVE_EACH("skins", skins, skin_count, resolve_skin)
    RESOLVE_EACH("animations", animations, animation_count, resolve_animation)
    RESOLVE_EACH("materials", materials, material_count, resolve_material)
    RESOLVE_EACH("textures", textures, texture_count, resolve_texture)
    RESOLVE_EACH("bufferViews", views, view_count, resolve_view)
    RESOLVE_EACH("images", images, image_count, resolve_image)
    RESOLVE_EACH("scenes", scenes, scene_count, resolve_scene)
#undef RESOLVE_EACH
}
