// What reading and writing MDL share: the words that stand for bits of a number, and the parser's own parts.
#ifndef MDX_MDL_H
#define MDX_MDL_H

#include "format/mdx/mdx_doc.h"
#include "format/mdx/mdx_lex.h"

// A word that stands alone and puts `bits` where `mask` is.
typedef struct mdx_mdl_word {
    const char *word;
    uint32_t mask, bits;
} mdx_mdl_word;

// A u32 that MDL says in words. What they cannot say is said whole, hidden from other programs: "Flags 26".
typedef struct mdx_mdl_number {
    uint16_t offset;            // in the element
    uint16_t since, until;      // versions
    const char *raw;            // that word of our own
    const char *prefix;         // "FilterMode" before the word; NULL: none
    const mdx_mdl_word *words;  // ended by NULL
} mdx_mdl_number;

const mdx_mdl_number *mdx_mdl_numbers_of(
    uint32_t tag);  // of a kind's elements, ended by a raw of NULL; of MDX_MDL_LAYER too
const mdx_field *mdx_mdl_fields_of(const mdx_kind *kind, uint32_t version);
uint32_t mdx_mdl_type_bits(uint32_t tag, uint32_t version);  // node flags that say which kind it is

enum { MDX_MDL_LAYER = MDX_TAG('L', 'A', 'Y', 'S') };

static inline bool mdx_mdl_has_number(const mdx_mdl_number *number, uint32_t version)
{
    return version >= number->since && version <= number->until;
}

extern const char *const mdx_mdl_interpolation_words[4];
extern const char *const mdx_mdl_slot_words[6];  // another dialect's words for the textures of a layer

sni_str mdx_mdl_usual_word(sni_str word);  // the format's word for another tool's; any other as it is

// How many floats a collision shape of this kind has: points of three, and whether a radius follows.
uint32_t mdx_mdl_shape_points(uint32_t kind);
bool mdx_mdl_shape_has_radius(uint32_t kind);

typedef struct mdx_mdl_parser {
    sni_load *load;
    sni_arena *arena;
    mdx_doc *doc;
    mdx_lexer lex;
} mdx_mdl_parser;

// One statement: a word, behind "static" perhaps.
typedef struct mdx_mdl_statement {
    sni_str word;
    bool is_static;
    uint64_t offset;
} mdx_mdl_statement;

// mdx_parse_mdl_values.c: numbers, arrays, tracks.
typedef enum mdx_mdl_scalar { MDX_MDL_F32, MDX_MDL_U32, MDX_MDL_I32, MDX_MDL_U16, MDX_MDL_U8 } mdx_mdl_scalar;

mdx_array mdx_mdl_read_array(mdx_mdl_parser *parser, mdx_mdl_scalar scalar,
                             uint32_t width);  // [count] { ... } as records of `width`
void mdx_mdl_read_floats(mdx_mdl_parser *parser, float *out,
                         uint32_t count);  // one, or { a, b, ... }; missing ones stay
void mdx_mdl_read_track(mdx_mdl_parser *parser, const mdx_track_kind *kind, sni_list *tracks);
void mdx_mdl_read_field(mdx_mdl_parser *parser, const mdx_field *field, void *element);
sni_str mdx_mdl_read_text(mdx_mdl_parser *parser, size_t limit);
bool mdx_mdl_is_track(mdx_mdl_parser *parser);                                       // keys come next, not one value
bool mdx_mdl_read_extent(mdx_mdl_parser *parser, sni_str word, mdx_extent *extent);  // true: the word was its
void mdx_mdl_set_fallbacks(const mdx_field *fields, uint32_t version, void *element);

// An element while its block is open.
typedef struct mdx_mdl_element {
    const mdx_kind *kind;
    void *at;  // its struct
    sni_list tracks, node_tracks;
    sni_list parts;    // layers of a material, uv sets of a geoset
    sni_list extents;  // of a geoset, for each sequence
    bool in_target;    // inside Target { } of a camera
    bool has_shape;    // of a collision shape:
    float points[6], radius;
    sni_str shader;  // of a material of 1100: belongs to its layers
} mdx_mdl_element;

// mdx_parse_mdl.c
mdx_mdl_statement mdx_mdl_read_statement(mdx_mdl_parser *parser);
void mdx_mdl_skip_unknown(mdx_mdl_parser *parser, mdx_mdl_statement said);
bool mdx_mdl_parse_words(mdx_mdl_parser *parser, uint32_t tag, mdx_mdl_statement said, void *element);
bool mdx_mdl_parse_field(mdx_mdl_parser *parser, const mdx_field *fields, mdx_mdl_statement said, void *element,
                         sni_list *tracks);
bool mdx_mdl_parse_track(mdx_mdl_parser *parser, const uint32_t *tags, mdx_mdl_statement said, sni_list *tracks);

// By hand, what tables cannot say; true: the statement was theirs.
bool mdx_mdl_parse_geoset(mdx_mdl_parser *parser, mdx_mdl_element *element, mdx_mdl_statement said);
void mdx_mdl_end_geoset(mdx_mdl_element *element);
bool mdx_mdl_parse_material(mdx_mdl_parser *parser, mdx_mdl_element *element, mdx_mdl_statement said);
void mdx_mdl_end_material(mdx_mdl_element *element);
void mdx_mdl_end_shape(mdx_mdl_parser *parser, mdx_mdl_element *element);
bool mdx_mdl_parse_object(mdx_mdl_parser *parser, mdx_mdl_element *element, mdx_mdl_statement said);
void mdx_mdl_give_ids(mdx_mdl_parser *parser);

#endif
