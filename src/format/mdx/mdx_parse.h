// What parsing MDX needs. Arrays point into the input, which must outlive the document.
#ifndef MDX_PARSE_H
#define MDX_PARSE_H

#include "format/mdx/mdx_doc.h"

static inline bool mdx_next_is(const sni_reader *in, uint32_t tag)
{
    return sni_rest(in) >= 4 && sni_load_u32(in->at) == tag;
}

mdx_array mdx_read_array(sni_reader *in, uint32_t count, size_t bytes);  // fails when the bytes are not there
mdx_array mdx_read_trailing(sni_reader *in, const char *what);           // warns: "12 bytes after the last element"

// Tag, count, records. Reads nothing when another tag is next.
void mdx_parse_section(const mdx_doc *doc, sni_reader *in, const mdx_section *section, void *owner);

// The fields of the document's version up to the one at offset `end` in the element.
enum { MDX_ALL_FIELDS = UINT16_MAX };
void mdx_parse_fields(const mdx_doc *doc, sni_reader *in, const mdx_field *fields, size_t end, void *element);

void mdx_parse_batches(mdx_doc *doc, sni_reader *in, mdx_chunk *chunk);  // a GEOS chunk of 1500

#endif
