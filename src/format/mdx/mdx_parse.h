// How the parts of the MDX parser speak to each other. Windows are sni_readers; nothing is copied out of the input but
// single values, so it must outlive the document.
#ifndef MDX_PARSE_H
#define MDX_PARSE_H

#include "format/mdx/mdx_doc.h"

enum { MDX_KNOWN_TRACKS = 64 };

typedef struct mdx_parser {
    mdx_doc *doc;
    bool has_version, has_collision;                // VERS and 1300's CLID were met
    const mdx_track_kind *known[MDX_KNOWN_TRACKS];  // tags met before, by their hash
} mdx_parser;

static inline bool mdx_next_is(const sni_reader *in, uint32_t tag)
{
    return sni_rest(in) >= 4 && sni_load_u32(in->at) == tag;
}

void mdx_tag_name(uint32_t tag, char name[5]);

// A u32 that counts its own four bytes, then the window behind it.
sni_reader mdx_read_sized(sni_reader *in);

mdx_array mdx_take_array(sni_reader *in, uint32_t count, size_t bytes);
mdx_array mdx_keep_rest(sni_reader *in,
                        const char *last);  // warns where there is any: "12 bytes behind the last element"

// Tag, count, records; data stays NULL where another tag stands.
void mdx_parse_section(const mdx_parser *p, sni_reader *in, const mdx_section *section, void *owner);

// Those that the version has. `fields` up to the one at `end`, an offset in the item.
enum { MDX_ALL_FIELDS = UINT16_MAX };
void mdx_parse_fields(const mdx_parser *p, sni_reader *in, const mdx_field *fields, size_t end, void *item);
size_t mdx_fields_bytes(const mdx_field *fields, size_t end, uint32_t version);
// Where the fields end: some writers leave out those from `optional` on.
size_t mdx_find_end(const mdx_parser *p, const sni_reader *in, const mdx_field *fields, size_t optional,
                    const uint32_t *tracks);

mdx_tracks mdx_parse_tracks(mdx_parser *p, sni_reader *in, const uint32_t *tags);

// One element of a chunk.
void mdx_parse_item(mdx_parser *p, const mdx_kind *kind, sni_reader *in, void *item);
void mdx_parse_batches(mdx_parser *p, sni_reader *in, mdx_chunk *chunk);  // GEOS of 1500, whole
void mdx_parse_geoset(mdx_parser *p, sni_reader *in, mdx_geoset *geoset);
void mdx_parse_layers(mdx_parser *p, sni_reader *in, mdx_material *material);
void mdx_parse_event(sni_reader *in, mdx_event *event);
void mdx_parse_shape(sni_reader *in, mdx_shape *shape);     // CLID
void mdx_parse_hit_test(sni_reader *in, mdx_shape *shape);  // HTST

#endif
