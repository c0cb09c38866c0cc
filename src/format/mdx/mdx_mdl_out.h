// What the parts of the MDL writer share.
#ifndef MDX_MDL_OUT_H
#define MDX_MDL_OUT_H

#include "format/mdx/mdx_mdl.h"

typedef struct mdx_mdl_out {
    const mdx_doc *doc;
    sni_writer *to;
    sni_writer later;  // "//@ Also Bone 3 { Flags 0, }": what only we read, told behind the block
    uint32_t depth;
    const mdx_kind *kind;  // the element that is being written
    uint32_t index;
    bool has_later;    // its line is begun
    bool ends_hidden;  // nothing but such lines since the last block
    bool is_inline;    // hidden statements stand where they belong: in layers and tracks
} mdx_mdl_out;

// Lines: indented, ended by a comma.
void mdx_mdl_put(mdx_mdl_out *out, const char *text);
void mdx_mdl_put_float(mdx_mdl_out *out, float value);  // the shortest text that reads back; what is no number is 0
void mdx_mdl_put_unsigned(mdx_mdl_out *out, uint32_t value);
void mdx_mdl_put_signed(mdx_mdl_out *out, int32_t value);
void mdx_mdl_put_string(mdx_mdl_out *out, sni_str text);                           // up to its NUL, quoted, made safe
void mdx_mdl_put_floats(mdx_mdl_out *out, const uint8_t *values, uint32_t count);  // { a, b }
void mdx_mdl_begin_line(mdx_mdl_out *out);
void mdx_mdl_end_line(mdx_mdl_out *out);  // ",\n"
void mdx_mdl_open(mdx_mdl_out *out, const char *word, const sni_str *name, int64_t count);
void mdx_mdl_close(mdx_mdl_out *out);

// A statement that other programs do not see. Between the two, what is put goes there.
sni_writer *mdx_mdl_begin_hidden(mdx_mdl_out *out);
void mdx_mdl_end_hidden(mdx_mdl_out *out, sni_writer *before);
void mdx_mdl_hide_number(mdx_mdl_out *out, const char *word, uint32_t value);

void mdx_mdl_put_extent(mdx_mdl_out *out, const mdx_extent *extent);
void mdx_mdl_put_records(mdx_mdl_out *out, const char *word, mdx_array array,
                         uint32_t width);  // Word n { { a, b, c }, ... }
void mdx_mdl_put_numbers(mdx_mdl_out *out, const char *word, mdx_array array,
                         mdx_mdl_scalar scalar);  // Word { a, b, ... }
void mdx_mdl_put_field(mdx_mdl_out *out, const mdx_field *field, const void *element);
bool mdx_mdl_is_fallback(const mdx_field *field, const void *element);
void mdx_mdl_put_track(mdx_mdl_out *out, const mdx_track *track);
bool mdx_mdl_has_track(mdx_tracks tracks, uint32_t tag);
void mdx_mdl_put_words(mdx_mdl_out *out, uint32_t tag, const void *element, uint32_t said);

// A field as a line, left out where it says nothing. Where a track replaces it, it stands before the track: who knows
// only one of the two takes the last.
void mdx_mdl_put_still(mdx_mdl_out *out, const mdx_field *field, const void *element, mdx_tracks tracks, bool always);

void mdx_mdl_put_geoset(mdx_mdl_out *out, const mdx_geoset *geoset);
void mdx_mdl_put_material(mdx_mdl_out *out, const mdx_material *material);

#endif
