// How the parts of the Level-5 parser speak to each other. Nothing is copied out of the input but single values, so it
// must outlive the document. Offsets are those in the file that is parsed, also where it lies in a pack.
#ifndef LEVEL5_PARSE_H
#define LEVEL5_PARSE_H

#include "format/level5/level5_doc.h"

typedef struct level5_parser {
    sni_load *load;
    sni_diag *diag;
    sni_arena *arena;  // the document's
    sni_bytes bytes;
    sni_list claims;  // what records account for
} level5_parser;

bool level5_parse_mds(level5_parser *p, level5_mds *mds);
bool level5_parse_mesh(level5_parser *p, level5_mesh *mesh,
                       uint64_t end);  // `end`: where the next one or nothing begins
bool level5_parse_tracks(level5_parser *p, level5_tracks *tracks);
bool level5_parse_binds(level5_parser *p, level5_binds *binds);
bool level5_parse_config(level5_parser *p, level5_config *config);
bool level5_parse_config_bin(level5_parser *p, level5_config *config);
bool level5_parse_pack(level5_parser *p, level5_pack *pack);
bool level5_parse_img(level5_parser *p, level5_img *img);
bool level5_is_dq8_mds(sni_bytes bytes);
bool level5_is_dq8_mot(sni_bytes bytes);  // told by its first bone
bool level5_parse_dq8_mds(level5_parser *p, level5_dq8_mds *mds);
bool level5_parse_dq8_mot(level5_parser *p, level5_dq8_mot *mot);

void level5_write_config(const level5_config *config, sni_writer *out);

// The bytes that no record has claimed, in order. False after a failure.
void level5_claim(level5_parser *p, uint64_t offset, uint64_t size);
bool level5_keep_gaps(level5_parser *p, level5_span **gaps, uint32_t *count);

sni_str level5_cut_at_nul(const uint8_t *at, size_t size);

// How long the record of a picture is, and where in it the place of its data stands.
// Bytes of the mark that editors put before UTF-8.
static inline size_t level5_text_mark(sni_bytes bytes)
{
    return bytes.size >= 3 && memcmp(bytes.data, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

static inline uint32_t level5_picture_bytes(level5_img_kind kind) { return kind == LEVEL5_IM3 ? 64 : 48; }
static inline uint32_t level5_picture_place(level5_img_kind kind) { return kind == LEVEL5_IM3 ? 36 : 32; }

// A tag of the compiled form by its number; NULL where there is none.
const char *level5_tag_at(int32_t number);
bool level5_is_tag(sni_str word);  // whatever its case; Dark Cloud 1's too

enum {
    LEVEL5_DQ8_NODE_BYTES = 160,
    LEVEL5_DQ8_MDT_BYTES = 256,
    LEVEL5_DQ8_MOT_BYTES = 64,
    LEVEL5_DQ8_NODES = 6,
    LEVEL5_DQ8_MATERIALS = 13,
    LEVEL5_DQ8_NAMES = 14
};  // words of the header: where they lie

// Where in an MDT's header an array is counted (its offset is the next word), and what it is an array of.
typedef struct level5_section {
    const char *name;
    uint8_t word, item_bytes;
    size_t array;
} level5_section;
enum { LEVEL5_SECTIONS = 6, LEVEL5_FACES_HEADER = 16, LEVEL5_PRIMITIVE_BYTES = 12 };
extern const level5_section level5_sections[LEVEL5_SECTIONS];

static inline level5_array level5_section_array(const level5_mesh *mesh, const level5_section *section)
{
    return *(const level5_array *)(const void *)((const char *)mesh + section->array);
}

// How a corner of a primitive is made up; false where the rule does not know such a primitive.
bool level5_set_corner(level5_primitive *primitive, level5_rule rule, bool has_colors);

#endif
