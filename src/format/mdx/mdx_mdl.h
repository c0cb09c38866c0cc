// What reading and writing MDL share: the words that stand for bits of a number, and the parser's own parts.
#ifndef MDX_MDL_H
#define MDX_MDL_H

#include "format/mdx/mdx_doc.h"
#include "format/mdx/mdx_lex.h"

// A word that stands alone and puts `bits` where `mask` is.
typedef struct mdl_word {
    const char *word;
    uint32_t mask, bits;
} mdl_word;

// A u32 that MDL says in words. What they cannot say is said whole, hidden from other programs: "Flags 26".
typedef struct mdl_number {
    uint16_t offset;        // in the element
    uint16_t since, until;  // versions
    const char *raw;        // that word of our own
    const char *prefix;     // "FilterMode" before the word; NULL: none
    const mdl_word *words;  // ended by NULL
} mdl_number;

const mdl_number *mdl_numbers_of(uint32_t tag);  // of a kind's elements, ended by a raw of NULL; of MDL_LAYER too
const mdx_field *mdl_fields_of(const mdx_kind *kind, uint32_t version);
uint32_t mdl_type_bits(uint32_t tag, uint32_t version);  // node flags that say which kind it is

enum { MDL_LAYER = MDX_TAG('L', 'A', 'Y', 'S') };

static inline bool mdl_has_number(const mdl_number *number, uint32_t version)
{
    return version >= number->since && version <= number->until;
}

extern const char *const mdl_interpolation_words[4];
extern const char *const mdl_slot_words[6];  // another dialect's words for the textures of a layer

sni_str mdl_usual_word(sni_str word);  // the format's word for another tool's; any other as it is

// How many floats a collision shape of this kind has: points of three, and whether a radius follows.
uint32_t mdl_shape_points(uint32_t kind);
bool mdl_shape_has_radius(uint32_t kind);

typedef struct mdl_parser {
    sni_load *load;
    sni_arena *arena;
    mdx_doc *doc;
    mdx_lexer lex;
} mdl_parser;

// One statement: a word, behind "static" perhaps.
typedef struct mdl_statement {
    sni_str word;
    bool is_static;
    uint64_t offset;
} mdl_statement;

// mdx_parse_mdl_values.c: numbers, arrays, tracks.
typedef enum mdl_scalar { MDL_F32, MDL_U32, MDL_I32, MDL_U16, MDL_U8 } mdl_scalar;

mdx_array mdl_read_array(mdl_parser *parser, mdl_scalar scalar,
                         uint32_t width);                              // [count] { ... } as records of `width`
void mdl_read_floats(mdl_parser *parser, float *out, uint32_t count);  // one, or { a, b, ... }; missing ones stay
void mdl_read_track(mdl_parser *parser, const mdx_track_kind *kind, sni_list *tracks);
void mdl_read_field(mdl_parser *parser, const mdx_field *field, void *element);
sni_str mdl_read_text(mdl_parser *parser, size_t limit);
bool mdl_is_track(mdl_parser *parser);                                       // keys come next, not one value
bool mdl_read_extent(mdl_parser *parser, sni_str word, mdx_extent *extent);  // true: the word was its
void mdl_set_fallbacks(const mdx_field *fields, uint32_t version, void *element);

// An element while its block is open.
typedef struct mdl_element {
    const mdx_kind *kind;
    void *at;  // its struct
    sni_list tracks, node_tracks;
    sni_list parts;    // layers of a material, uv sets of a geoset
    sni_list extents;  // of a geoset, for each sequence
    bool in_target;    // inside Target { } of a camera
    bool has_shape;    // of a collision shape:
    float points[6], radius;
    sni_str shader;  // of a material of 1100: belongs to its layers
} mdl_element;

// mdx_parse_mdl.c
mdl_statement mdl_read_statement(mdl_parser *parser);
void mdl_skip_unknown(mdl_parser *parser, mdl_statement said);
bool mdl_parse_words(mdl_parser *parser, uint32_t tag, mdl_statement said, void *element);
bool mdl_parse_field(mdl_parser *parser, const mdx_field *fields, mdl_statement said, void *element, sni_list *tracks);
bool mdl_parse_track(mdl_parser *parser, const uint32_t *tags, mdl_statement said, sni_list *tracks);

// By hand, what tables cannot say; true: the statement was theirs.
bool mdl_parse_geoset(mdl_parser *parser, mdl_element *element, mdl_statement said);
void mdl_end_geoset(mdl_element *element);
bool mdl_parse_material(mdl_parser *parser, mdl_element *element, mdl_statement said);
void mdl_end_material(mdl_element *element);
void mdl_end_shape(mdl_parser *parser, mdl_element *element);
bool mdl_parse_object(mdl_parser *parser, mdl_element *element, mdl_statement said);
void mdl_give_ids(mdl_parser *parser);

#endif
