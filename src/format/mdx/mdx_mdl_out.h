// What the parts of the MDL writer share.
#ifndef MDX_MDL_OUT_H
#define MDX_MDL_OUT_H

#include "format/mdx/mdx_mdl.h"

typedef struct mdl_out {
    const mdx_doc *doc;
    sni_writer *to;
    sni_writer later;  // "//@ Also Bone 3 { Flags 0, }": what only we read, told behind the block
    uint32_t depth;
    const mdx_kind *kind;  // the element that is being written
    uint32_t index;
    bool has_later;    // its line is begun
    bool ends_hidden;  // nothing but such lines since the last block
    bool is_inline;    // hidden statements stand where they belong: in layers and tracks
} mdl_out;

// Lines: indented, ended by a comma.
void mdl_put(mdl_out *out, const char *text);
void mdl_put_float(mdl_out *out, float value);  // the shortest text that reads back; what is no number is 0
void mdl_put_unsigned(mdl_out *out, uint32_t value);
void mdl_put_signed(mdl_out *out, int32_t value);
void mdl_put_string(mdl_out *out, sni_str text);                           // up to its NUL, quoted, made safe
void mdl_put_floats(mdl_out *out, const uint8_t *values, uint32_t count);  // { a, b }
void mdl_begin_line(mdl_out *out);
void mdl_end_line(mdl_out *out);  // ",\n"
void mdl_open(mdl_out *out, const char *word, const sni_str *name, int64_t count);
void mdl_close(mdl_out *out);

// A statement that other programs do not see. Between the two, what is put goes there.
sni_writer *mdl_begin_hidden(mdl_out *out);
void mdl_end_hidden(mdl_out *out, sni_writer *before);
void mdl_hide_number(mdl_out *out, const char *word, uint32_t value);

void mdl_put_extent(mdl_out *out, const mdx_extent *extent);
void mdl_put_records(mdl_out *out, const char *word, mdx_array array, uint32_t width);  // Word n { { a, b, c }, ... }
void mdl_put_numbers(mdl_out *out, const char *word, mdx_array array, mdl_scalar scalar);  // Word { a, b, ... }
void mdl_put_field(mdl_out *out, const mdx_field *field, const void *element);
bool mdl_is_fallback(const mdx_field *field, const void *element);
void mdl_put_track(mdl_out *out, const mdx_track *track);
bool mdl_has_track(mdx_tracks tracks, uint32_t tag);
void mdl_put_words(mdl_out *out, uint32_t tag, const void *element, uint32_t said);

// A field as a line, left out where it says nothing. Where a track replaces it, it stands before the track: who knows
// only one of the two takes the last.
void mdl_put_still(mdl_out *out, const mdx_field *field, const void *element, mdx_tracks tracks, bool always);

void mdl_put_geoset(mdl_out *out, const mdx_geoset *geoset);
void mdl_put_material(mdl_out *out, const mdx_material *material);

#endif
