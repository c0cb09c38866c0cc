// The tables of gltf_schema.c: which properties and extensions every object of glTF has, and where they are stored.
// One walk over them reads JSON (gltf_parse.c), another writes it (gltf_write.c).
#ifndef GLTF_SCHEMA_H
#define GLTF_SCHEMA_H

#include "format/gltf/gltf_doc.h"

typedef enum gltf_kind {
    GLTF_KIND_INDEX,  // int32_t
    GLTF_KIND_U32,
    GLTF_KIND_U64,
    GLTF_KIND_FLOAT,
    GLTF_KIND_VECTOR,  // `count` floats
    GLTF_KIND_BOOL,
    GLTF_KIND_TEXT,  // const char *
    GLTF_KIND_WORD,  // an enum: the position among `count` words
    GLTF_KIND_INDEX_LIST,
    GLTF_KIND_FLOAT_LIST,
    GLTF_KIND_TEXT_LIST,
    GLTF_KIND_ATTRIBUTES,
    GLTF_KIND_ATTRIBUTES_LIST,
    GLTF_KIND_OBJECT,      // a struct that starts with gltf_object or gltf_small
    GLTF_KIND_OBJECT_LIST  // a pointer to such structs, followed by their count
} gltf_kind;

enum { GLTF_MAX_PROPERTIES = 24 };  // of an object

enum {
    GLTF_VITAL = 1,  // if it cannot be read, the object is_broken
    GLTF_ALWAYS = 2  // written even if it has its default
};

typedef struct gltf_schema gltf_schema;

// A word among values, or no word for a number that has none.
typedef struct gltf_word {
    sni_json_token token;
    const char *text;
} gltf_word;

// A property is written unless it has its default: the value at the same offset of schema.defaults.
typedef struct gltf_property {
    sni_json_token key;
    const char *name;
    uint8_t name_size, kind, count, flags;
    uint16_t offset;
    uint16_t flag_offset;  // of a bool that is set once the property was read; 0: none
    const gltf_word *words;
    const gltf_schema *objects;  // of OBJECT and OBJECT_LIST
} gltf_property;

struct gltf_schema {
    uint16_t size;
    bool is_small;  // starts with gltf_small
    const void *defaults;
    const gltf_property *properties;  // the last has no name, and a key that no file has
    const gltf_property *extensions;  // the same, or NULL
};

extern const gltf_schema gltf_doc_schema, gltf_material_schema;

void gltf_set_defaults(void *item, const gltf_schema *schema);

// A list of any type: a pointer, then a count.
void gltf_set_list(void *at, void *items, uint32_t count);
const void *gltf_get_list(const void *at, uint32_t *count);

#endif
