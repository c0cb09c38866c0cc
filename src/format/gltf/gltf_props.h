// Reading glTF's JSON properties: a value of the wrong type is warned of and treated as absent.
#ifndef GLTF_PROPS_H
#define GLTF_PROPS_H

#include "format/gltf/gltf_doc.h"

// What nobody reads of the extensions at hand: {"A":{...},"B":{...}}.
typedef struct gltf_kept {
    sni_writer text;
    sni_json_writer json;
} gltf_kept;

typedef struct gltf_parser {
    sni_load *load;
    sni_json json;
    gltf_doc *doc;
    sni_list extensions_found;
    gltf_kept kept;
} gltf_parser;

// An object: begin, then next for each key that is not name, extras or extensions (those are kept by themselves).
bool gltf_begin(gltf_parser *parser, gltf_object *object);
bool gltf_next(gltf_parser *parser, gltf_object *object, sni_str *key);

// The same for objects with extensions that are read: `read` consumes the extension's object and answers true, or
// leaves it and answers false; what nobody reads is kept as text.
typedef bool gltf_read_extension(gltf_parser *parser, void *item, sni_str name);
bool gltf_next_extended(gltf_parser *parser, gltf_object *object, sni_str *key, gltf_read_extension *read, void *item);
void gltf_keep_extension(gltf_parser *parser, sni_str name);  // consumes it, as text

// Each stores only what fits. Names are literals: they become part of the path in messages.
bool gltf_is(gltf_parser *parser, const char *name, sni_json_kind kind);  // else warns and skips
bool gltf_index(gltf_parser *parser, const char *name, int32_t *value);   // false: not usable, warned of
bool gltf_u32(gltf_parser *parser, const char *name, uint32_t *value);
bool gltf_u64(gltf_parser *parser, const char *name, uint64_t *value);
void gltf_float(gltf_parser *parser, const char *name, float *value);
bool gltf_vector(gltf_parser *parser, const char *name, float *values, uint32_t count);
void gltf_bool(gltf_parser *parser, const char *name, bool *value);
void gltf_text(gltf_parser *parser, const char *name, const char **text);
void gltf_index_list(gltf_parser *parser, const char *name, gltf_indices *list);
void gltf_float_list(gltf_parser *parser, const char *name, gltf_floats *list);
void gltf_text_list(gltf_parser *parser, const char *name, gltf_texts *list);

// One of `words` (NULL-ended) as its place; warns of any other and leaves the value.
void gltf_word(gltf_parser *parser, const char *name, const char *const *words, uint32_t *value);

// An array of objects: parse is called for each element, which it must consume.
typedef void gltf_parse_item(gltf_parser *parser, void *item);
void gltf_object_list(gltf_parser *parser, const char *name, size_t item_bytes, gltf_parse_item *parse, void *items,
                      uint32_t *count);

void gltf_warn_at(gltf_parser *parser, const char *name, int32_t code, const char *message);

#endif
