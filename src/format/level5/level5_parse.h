// How the parts of the Level-5 parser speak to each other. Nothing is copied out of the input but single values, so it
// must outlive the document. Offsets are those in the file that is parsed, also where it lies in a pack.
#ifndef LEVEL5_PARSE_H
#define LEVEL5_PARSE_H

#include "format/level5/level5_doc.h"

typedef struct l5_parser {
    sni_load *load;
    sni_diag *diag;
    sni_arena *arena;  // the document's
    sni_bytes bytes;
    sni_list claims;  // what records account for
} l5_parser;

bool l5_parse_mds(l5_parser *p, l5_mds *mds);
bool l5_parse_mesh(l5_parser *p, l5_mesh *mesh, uint64_t end);  // `end`: where the next one or nothing begins
bool l5_parse_tracks(l5_parser *p, l5_tracks *tracks);
bool l5_parse_binds(l5_parser *p, l5_binds *binds);
bool l5_parse_config(l5_parser *p, l5_config *config);
bool l5_parse_config_bin(l5_parser *p, l5_config *config);
bool l5_parse_pack(l5_parser *p, l5_pack *pack);
bool l5_parse_img(l5_parser *p, l5_img *img);
bool l5_is_dq8_mds(sni_bytes bytes);
bool l5_is_dq8_mot(sni_bytes bytes);  // told by its first bone
bool l5_parse_dq8_mds(l5_parser *p, l5_dq8_mds *mds);
bool l5_parse_dq8_mot(l5_parser *p, l5_dq8_mot *mot);

void l5_write_config(const l5_config *config, sni_writer *out);

// The bytes that no record has claimed, in order. False after a failure.
void l5_claim(l5_parser *p, uint64_t offset, uint64_t size);
bool l5_keep_gaps(l5_parser *p, l5_span **gaps, uint32_t *count);

sni_str l5_cut_at_nul(const uint8_t *at, size_t size);

// How long the record of a picture is, and where in it the place of its data stands.
// Bytes of the mark that editors put before UTF-8.
static inline size_t l5_text_mark(sni_bytes bytes)
{
    return bytes.size >= 3 && memcmp(bytes.data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

static inline uint32_t l5_picture_bytes(l5_img_kind kind) { return kind == L5_IM3 ? 64 : 48; }
static inline uint32_t l5_picture_place(l5_img_kind kind) { return kind == L5_IM3 ? 36 : 32; }

// A tag of the compiled form by its number; NULL where there is none.
const char *l5_tag_at(int32_t number);
bool l5_is_tag(sni_str word);  // whatever its case; Dark Cloud 1's too

enum {
    L5_DQ8_NODE_BYTES = 160,
    L5_DQ8_MDT_BYTES = 256,
    L5_DQ8_MOT_BYTES = 64,
    L5_DQ8_NODES = 6,
    L5_DQ8_MATERIALS = 13,
    L5_DQ8_NAMES = 14
};  // words of the header: where they lie

// Where in an MDT's header an array is counted (its offset is the next word), and what it is an array of.
typedef struct l5_section {
    const char *name;
    uint8_t word, item_bytes;
    size_t array;
} l5_section;
enum { L5_SECTIONS = 6, L5_FACES_HEADER = 16, L5_PRIMITIVE_BYTES = 12 };
extern const l5_section l5_sections[L5_SECTIONS];

static inline l5_array l5_section_array(const l5_mesh *mesh, const l5_section *section)
{
    return *(const l5_array *)(const void *)((const char *)mesh + section->array);
}

// How a corner of a primitive is made up; false where the rule does not know such a primitive.
bool l5_set_corner(l5_primitive *primitive, l5_rule rule, bool has_colors);

#endif
