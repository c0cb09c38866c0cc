#include "format/gltf/gltf_props.h"

#include <math.h>
#include <string.h>

void gltf_warn_at(gltf_parser *parser, const char *name, int32_t code, const char *message)
{
    sni_diag *diag = &parser->load->diag;
    sni_enter(diag, name, -1);
    sni_warn(diag, code, sni_json_offset(&parser->json), "%s", message);
    sni_leave(diag);
}

bool gltf_is(gltf_parser *parser, const char *name, sni_json_kind kind)
{
    static const char *const kinds[] = { "", "null", "true or false", "a number", "a string", "an array", "an object" };
    sni_json_kind found = sni_json_peek(&parser->json);
    if (found == kind || found == SNI_JSON_NONE) return found == kind;
    sni_diag *diag = &parser->load->diag;
    sni_enter(diag, name, -1);
    sni_warn(diag, SNI_WARN_JSON_TYPE, sni_json_offset(&parser->json), "%s where %s belongs", kinds[found],
             kinds[kind]);
    sni_leave(diag);
    sni_json_skip(&parser->json);
    return false;
}

bool gltf_begin(gltf_parser *parser, gltf_object *object)
{
    sni_json *json = &parser->json;
    sni_json_kind kind = sni_json_peek(json);
    *object = (gltf_object){ .offset = sni_json_offset(json) };
    if (kind == SNI_JSON_OBJECT) {
        sni_json_enter_object(json);
        return sni_json_ok(json);
    }
    if (kind != SNI_JSON_NONE)
        sni_warn(&parser->load->diag, SNI_WARN_JSON_TYPE, object->offset, "something else where an object belongs");
    sni_json_skip(json);
    return false;
}

static void note_extension(gltf_parser *parser, sni_str name)
{
    const char **found = parser->extensions_found.items;
    uint32_t count = parser->extensions_found.count;
    for (uint32_t i = 0; i < count; i++) {
        if (sni_str_is(name, found[i])) return;
    }
    if (count >= 256) return;
    const char **item = sni_push(&parser->load->scratch, &parser->extensions_found, const char *);
    if (item) *item = sni_text_clean(&parser->load->scratch, name, NULL);
}

void gltf_keep_extension(gltf_parser *parser, sni_str name)
{
    const char *key = sni_text_clean(&parser->load->scratch, name, NULL);
    const char *text = sni_text_clean(&parser->load->scratch, sni_json_raw(&parser->json), NULL);
    if (!sni_json_ok(&parser->json)) return;
    sni_json_key(&parser->kept.json, key);
    sni_json_put_raw(&parser->kept.json, text);
}

// What is read where it belongs, but was not read here, is in the wrong place.
static void lint_place(gltf_parser *parser, sni_str name)
{
    gltf_extension_use use = gltf_find_extension(name);
    if (use != GLTF_READ && use != GLTF_LOOK) return;
    sni_diag *diag = &parser->load->diag;
    sni_enter(diag, "extensions", -1);
    sni_warn(diag, SNI_WARN_GLTF_EXTENSION, sni_json_offset(&parser->json), "%.*s does not belong here",
             (int)(name.size < 60 ? name.size : 60), name.at);
    sni_leave(diag);
}

static void read_extensions(gltf_parser *parser, gltf_object *object, gltf_read_extension *read, void *item)
{
    sni_str key;
    if (!gltf_is(parser, "extensions", SNI_JSON_OBJECT)) return;
    gltf_kept outer = parser->kept, *kept = &parser->kept;  // an extension may hold objects with extensions
    sni_writer_init(&kept->text, parser->load->heap);
    kept->json = sni_json_writer_make(&kept->text, false);
    sni_json_begin_object(&kept->json);
    for (sni_json_enter_object(&parser->json); sni_json_next_key(&parser->json, &key);) {
        note_extension(parser, key);
        if (!gltf_is(parser, "extensions", SNI_JSON_OBJECT)) continue;
        if (read && read(parser, item, key)) continue;
        if (parser->load->lint) lint_place(parser, key);
        gltf_keep_extension(parser, key);
    }
    bool is_empty = kept->text.size <= 1;
    sni_json_end(&kept->json);
    object->extensions = NULL;
    if (!is_empty && !kept->text.failed)
        object->extensions = sni_copy_text(&parser->load->keep, (char *)kept->text.data, kept->text.size);
    sni_writer_free(&kept->text);
    parser->kept = outer;
}

static void read_extras(gltf_parser *parser, const char **extras)
{
    sni_str raw = sni_json_raw(&parser->json);
    *extras = sni_text_clean(&parser->load->keep, raw, NULL);
}

bool gltf_next_extended(gltf_parser *parser, gltf_object *object, sni_str *key, gltf_read_extension *read, void *item)
{
    while (sni_json_next_key(&parser->json, key)) {
        if (sni_str_is(*key, "name")) gltf_text(parser, "name", &object->name);
        else if (sni_str_is(*key, "extras")) read_extras(parser, &object->extras);
        else if (sni_str_is(*key, "extensions")) read_extensions(parser, object, read, item);
        else return true;
    }
    return false;
}

bool gltf_next(gltf_parser *parser, gltf_object *object, sni_str *key)
{
    return gltf_next_extended(parser, object, key, NULL, NULL);
}

static bool read_whole(gltf_parser *parser, const char *name, int64_t highest, int64_t *value)
{
    if (!gltf_is(parser, name, SNI_JSON_NUMBER)) return false;
    if (sni_json_integer(&parser->json, value) && *value >= 0 && *value <= highest) return true;
    if (sni_json_ok(&parser->json)) gltf_warn_at(parser, name, SNI_WARN_VALUE_RANGE, "not a whole number in range");
    return false;
}

bool gltf_index(gltf_parser *parser, const char *name, int32_t *value)
{
    int64_t whole;
    if (!read_whole(parser, name, INT32_MAX, &whole)) return false;
    *value = (int32_t)whole;
    return true;
}

bool gltf_u32(gltf_parser *parser, const char *name, uint32_t *value)
{
    int64_t whole;
    if (!read_whole(parser, name, UINT32_MAX, &whole)) return false;
    *value = (uint32_t)whole;
    return true;
}

bool gltf_u64(gltf_parser *parser, const char *name, uint64_t *value)
{
    int64_t whole;
    if (!read_whole(parser, name, (int64_t)1 << 53, &whole)) return false;
    *value = (uint64_t)whole;
    return true;
}

static bool read_number(gltf_parser *parser, const char *name, float *value)
{
    if (!gltf_is(parser, name, SNI_JSON_NUMBER)) return false;
    float number = sni_json_float(&parser->json);
    if (!isfinite(number)) {
        gltf_warn_at(parser, name, SNI_WARN_VALUE_RANGE, "too large for a float");
        return false;
    }
    *value = number;
    return true;
}

void gltf_float(gltf_parser *parser, const char *name, float *value) { read_number(parser, name, value); }

bool gltf_vector(gltf_parser *parser, const char *name, float *values, uint32_t count)
{
    float read[16];
    uint32_t found = 0;
    bool is_good = true;
    if (sni_json_floats(&parser->json, read, count)) {
        memcpy(values, read, count * sizeof *values);
        return true;
    }
    if (!gltf_is(parser, name, SNI_JSON_ARRAY)) return false;
    for (sni_json_enter_array(&parser->json); sni_json_next_item(&parser->json); found++) {
        float ignored;
        is_good = read_number(parser, name, found < count ? &read[found] : &ignored) && is_good;
    }
    if (is_good && found != count && sni_json_ok(&parser->json))
        gltf_warn_at(parser, name, SNI_WARN_JSON_TYPE, "an array of the wrong length");
    if (!is_good || found != count) return false;
    memcpy(values, read, count * sizeof *values);
    return sni_json_ok(&parser->json);
}

void gltf_bool(gltf_parser *parser, const char *name, bool *value)
{
    if (gltf_is(parser, name, SNI_JSON_BOOL)) *value = sni_json_bool(&parser->json);
}

void gltf_text(gltf_parser *parser, const char *name, const char **text)
{
    if (!gltf_is(parser, name, SNI_JSON_STRING)) return;
    bool was_bad = false;
    parser->json.arena = &parser->load->keep;
    *text = sni_json_string(&parser->json, &was_bad);
    parser->json.arena = &parser->load->scratch;
    if (was_bad) gltf_warn_at(parser, name, SNI_WARN_TEXT_ENCODING, "not valid UTF-8");
}

static void warn_empty(gltf_parser *parser, const char *name, uint32_t count)
{
    if (count == 0 && sni_json_ok(&parser->json)) gltf_warn_at(parser, name, SNI_WARN_JSON_EMPTY, "is empty");
}

void gltf_index_list(gltf_parser *parser, const char *name, gltf_indices *list)
{
    if (!gltf_is(parser, name, SNI_JSON_ARRAY)) return;
    sni_list items = { 0 };
    for (sni_json_enter_array(&parser->json); sni_json_next_item(&parser->json);) {
        int32_t index = -1;
        gltf_index(parser, name, &index);
        int32_t *item = sni_push(&parser->load->scratch, &items, int32_t);
        if (!item) return;
        *item = index;
    }
    warn_empty(parser, name, items.count);
    *list = (gltf_indices){ items.items, items.count };
}

void gltf_float_list(gltf_parser *parser, const char *name, gltf_floats *list)
{
    if (!gltf_is(parser, name, SNI_JSON_ARRAY)) return;
    sni_list items = { 0 };
    for (sni_json_enter_array(&parser->json); sni_json_next_item(&parser->json);) {
        float number = 0.0f;
        read_number(parser, name, &number);
        float *item = sni_push(&parser->load->scratch, &items, float);
        if (!item) return;
        *item = number;
    }
    warn_empty(parser, name, items.count);
    *list = (gltf_floats){ items.items, items.count };
}

void gltf_text_list(gltf_parser *parser, const char *name, gltf_texts *list)
{
    if (!gltf_is(parser, name, SNI_JSON_ARRAY)) return;
    sni_list items = { 0 };
    for (sni_json_enter_array(&parser->json); sni_json_next_item(&parser->json);) {
        const char *text = "";
        gltf_text(parser, name, &text);
        const char **item = sni_push(&parser->load->scratch, &items, const char *);
        if (!item) return;
        *item = text;
    }
    warn_empty(parser, name, items.count);
    *list = (gltf_texts){ items.items, items.count };
}

void gltf_word(gltf_parser *parser, const char *name, const char *const *words, uint32_t *value)
{
    const char *text = NULL;
    gltf_text(parser, name, &text);
    for (uint32_t i = 0; text && words[i]; i++) {
        if (strcmp(words[i], text) != 0) continue;
        *value = i;
        return;
    }
    if (text) gltf_warn_at(parser, name, SNI_WARN_VALUE_RANGE, "an unknown word");
}

void gltf_object_list(gltf_parser *parser, const char *name, size_t item_bytes, gltf_parse_item *parse, void *items,
                      uint32_t *count)
{
    sni_diag *diag = &parser->load->diag;
    if (!gltf_is(parser, name, SNI_JSON_ARRAY)) return;
    sni_list list = { 0 };
    for (sni_json_enter_array(&parser->json); sni_json_next_item(&parser->json);) {
        void *item = sni_list_push(&parser->load->scratch, &list, item_bytes);
        if (!item) return;
        sni_enter(diag, name, list.count - 1);
        parse(parser, item);
        sni_leave(diag);
    }
    warn_empty(parser, name, list.count);
    memcpy(items, &list.items, sizeof list.items);  // *items is a pointer of the item's type
    *count = list.count;
}
