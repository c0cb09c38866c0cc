// MDL, the text form: its keyword tables, and the parts of its parser. Separators (space, comma, colon) have no
// meaning, comments are skipped. Like sni_reader the parser has a sticky failure: after it, or at the end, nothing is
// read.
#ifndef MDX_MDL_H
#define MDX_MDL_H

#include "format/mdx/mdx_doc.h"

// mdx_mdl_lex.c: keywords that the tables of mdx_schema.c do not have.

// A word on its own that sets the bits of `mask` to `bits`.
typedef struct mdx_mdl_keyword {
    const char *name;
    uint32_t mask, bits;
} mdx_mdl_keyword;

// A u32 that MDL expresses in keywords. A value without keywords is written as a number that other programs do not see:
// "//@ Flags 26".
typedef struct mdx_mdl_keyword_field {
    uint16_t offset;                  // in the element
    uint16_t since, until;            // versions, inclusive
    const char *raw_name;             // for that number
    const char *prefix;               // "FilterMode" before the keyword; NULL: none
    const mdx_mdl_keyword *keywords;  // ended by a name of NULL
} mdx_mdl_keyword_field;

const mdx_mdl_keyword_field *mdx_mdl_keyword_fields(
    uint32_t tag);                                            // of a kind or MDX_LAYS; ended by a raw_name of NULL
uint32_t mdx_mdl_type_flags(uint32_t tag, uint32_t version);  // node flags that depend only on the kind
sni_str mdx_mdl_standard_word(sni_str word);                  // for the words of other tools

extern const char *const mdx_mdl_interpolation_names[4];
extern const char *const mdx_mdl_slot_names[6];  // another tool's names for the textures of a layer

static inline bool mdx_mdl_has_keyword_field(const mdx_mdl_keyword_field *field, uint32_t version)
{
    return version >= field->since && version <= field->until;
}

// The numbers of a collision shape: points of three floats, then perhaps a radius.
static inline uint32_t mdx_mdl_shape_points(uint32_t kind)
{
    return kind > MDX_CYLINDER ? 0 : kind == MDX_SPHERE ? 1 : 2;
}
static inline bool mdx_mdl_shape_has_radius(uint32_t kind) { return kind == MDX_SPHERE || kind == MDX_CYLINDER; }

typedef struct mdx_mdl_parser {
    sni_load *load;
    sni_arena *arena;
    mdx_doc *doc;
    const char *start, *at, *end;
} mdx_mdl_parser;

// mdx_mdl_lex.c: tokens.
mdx_mdl_parser mdx_mdl_parser_make(sni_load *load, sni_bytes bytes, mdx_doc *doc);
static inline bool mdx_mdl_ok(const mdx_mdl_parser *p) { return sni_load_ok(p->load); }
static inline uint64_t mdx_mdl_offset(const mdx_mdl_parser *p) { return (uint64_t)(p->at - p->start); }
bool mdx_mdl_fail(mdx_mdl_parser *p, sn_status status, const char *what);

char mdx_mdl_peek(mdx_mdl_parser *p);       // the first character of the next token; 0 at the end
bool mdx_mdl_at_number(mdx_mdl_parser *p);  // a digit, a sign or a point is next
bool mdx_mdl_take(mdx_mdl_parser *p, char brace);
bool mdx_mdl_open(mdx_mdl_parser *p);  // fails without a {
bool mdx_mdl_more(mdx_mdl_parser *p);  // inside a block: false at its }, which is taken; fails at the end of the text

sni_str mdx_mdl_read_word(mdx_mdl_parser *p);                               // empty when a brace or a string is next
int64_t mdx_mdl_read_integer(mdx_mdl_parser *p, int64_t min, int64_t max);  // "None" and "Multiple" are -1
uint32_t mdx_mdl_read_u32(mdx_mdl_parser *p);                               // -1 is all bits
int32_t mdx_mdl_read_i32(mdx_mdl_parser *p);
void mdx_mdl_skip_count(mdx_mdl_parser *p);      // a number, if one is next
void mdx_mdl_skip_block(mdx_mdl_parser *p);      // from after its opening brace to after the closing one
void mdx_mdl_skip_statement(mdx_mdl_parser *p);  // values up to a comma or the end of the line, or one block

// mdx_mdl_lex.c: lists of numbers. They become records as MDX has them.
typedef enum mdx_mdl_scalar { MDX_MDL_F32, MDX_MDL_U32, MDX_MDL_U16, MDX_MDL_U8 } mdx_mdl_scalar;

mdx_array mdx_mdl_read_array(mdx_mdl_parser *p, mdx_mdl_scalar scalar, uint32_t width);  // [count] { ... }
void mdx_mdl_read_scalars(mdx_mdl_parser *p, mdx_mdl_scalar scalar, uint8_t *out, uint32_t count);
void mdx_mdl_read_floats(mdx_mdl_parser *p, float *out, uint32_t count);  // one, or { a, b, ... }; missing ones stay
sni_str mdx_mdl_read_text(mdx_mdl_parser *p, size_t max_bytes);

// mdx_mdl_parse.c: statements.
typedef struct mdx_mdl_statement {
    sni_str word;
    bool is_static;  // after "static"
    uint64_t offset;
} mdx_mdl_statement;

// An element while its block is open.
typedef struct mdx_mdl_element {
    const mdx_kind *kind;
    void *at;  // its struct
    sni_list tracks, node_tracks;
    sni_list parts;    // layers of a material, uv sets of a geoset
    sni_list extents;  // of a geoset, one per sequence
    bool in_target;    // inside Target { } of a camera
    bool has_shape;    // of a collision shape:
    float points[6], radius;
    sni_str shader;  // of a material of 1100: for its layers
} mdx_mdl_element;

static inline bool mdx_mdl_is(mdx_mdl_statement statement, const char *word)
{
    return sni_str_is_nocase(statement.word, word);
}

mdx_mdl_statement mdx_mdl_read_statement(mdx_mdl_parser *p);
void mdx_mdl_skip_unknown(mdx_mdl_parser *p, mdx_mdl_statement statement);  // with a warning
bool mdx_mdl_at_track(mdx_mdl_parser *p);                                   // a block of keys is next, not a value
void mdx_mdl_read_track(mdx_mdl_parser *p, const mdx_track_kind *kind, sni_list *tracks);

// These return false for a statement that is not theirs.
bool mdx_mdl_parse_extent(mdx_mdl_parser *p, mdx_mdl_statement statement, mdx_extent *extent);
bool mdx_mdl_parse_keyword(mdx_mdl_parser *p, uint32_t tag, mdx_mdl_statement statement, void *element);
bool mdx_mdl_parse_field(mdx_mdl_parser *p, const mdx_field *fields, mdx_mdl_statement statement, void *element,
                         sni_list *tracks);
bool mdx_mdl_parse_track(mdx_mdl_parser *p, const uint32_t *tags, mdx_mdl_statement statement, sni_list *tracks);
void mdx_mdl_set_defaults(const mdx_field *fields, uint32_t version, void *element);

// mdx_mdl_parse_elements.c: statements that the tables do not describe.
bool mdx_mdl_parse_special(mdx_mdl_parser *p, mdx_mdl_element *element, mdx_mdl_statement statement);
void mdx_mdl_end_element(mdx_mdl_parser *p, mdx_mdl_element *element);  // after the last statement
void mdx_mdl_assign_ids(mdx_mdl_parser *p);                             // to nodes without an ObjectId

#endif
