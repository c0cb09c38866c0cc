// Shared by the files that parse, locate and write documents. Offsets are relative to the parsed file, also for files
// in packs.
#ifndef LEVEL5_PARSE_H
#define LEVEL5_PARSE_H

#include "format/level5/level5_doc.h"

enum { LEVEL5_MDS_MAGIC = 'M' | 'D' << 8 | 'S' << 16, LEVEL5_MDT_MAGIC = 'M' | 'D' << 8 | 'T' << 16 };
enum { LEVEL5_MOST_NODES = 1 << 16 };  // a larger node index means that a file is of another kind

typedef struct level5_parser {
    sni_load *load;
    sni_diag *diag;
    sni_arena *arena;  // of the document
    sni_bytes bytes;
    sni_list claims;  // byte ranges that belong to records
} level5_parser;

bool level5_parse_config(level5_parser *p, level5_config *config);
bool level5_is_dq8_mds(sni_bytes bytes);
bool level5_is_dq8_mot(sni_bytes bytes);  // by its first bone
bool level5_parse_dq8_mds(level5_parser *p, level5_dq8_mds *mds);
bool level5_parse_dq8_mot(level5_parser *p, level5_dq8_mot *mot);

// Records claim their bytes; the rest are the gaps, in order. False after a failure.
void level5_claim(level5_parser *p, uint64_t offset, uint64_t size);
bool level5_find_gaps(level5_parser *p, level5_span **gaps, uint32_t *count);

// --- Meshes ---
enum { LEVEL5_SECTIONS = 6, LEVEL5_FACES_HEADER = 16, LEVEL5_PRIMITIVE_BYTES = 12 };

// An array of an MDT: `word` of the header is its count, the next word its offset from the MDT.
typedef struct level5_section {
    const char *name;
    uint8_t word, item_bytes;
    size_t array;  // offset of the level5_array in level5_mesh
} level5_section;
extern const level5_section level5_sections[LEVEL5_SECTIONS];

static inline level5_array *level5_section_array(const level5_mesh *mesh, const level5_section *section)
{
    return (level5_array *)((uintptr_t)mesh + section->array);
}

// Sets the stride and the words of a corner from the flags. False if the format has no such primitive.
bool level5_set_corner(level5_primitive *primitive, level5_face_format format, bool has_colors);
enum { LEVEL5_UNTEXTURED = 0x10, LEVEL5_COLORED = 0x100, LEVEL5_NO_NORMAL = 0x200 };  // flags of DC2

// --- Image archives ---
static inline uint32_t level5_img_magic(level5_img_kind kind)
{
    uint32_t third = kind == LEVEL5_IMG ? 'G' : kind == LEVEL5_IM2 ? '2' : '3';
    return 'I' | 'M' << 8 | third << 16;
}
static inline uint32_t level5_picture_bytes(level5_img_kind kind) { return kind == LEVEL5_IM3 ? 64 : 48; }
static inline uint32_t level5_picture_offset_at(level5_img_kind kind) { return kind == LEVEL5_IM3 ? 36 : 32; }
static inline uint32_t level5_picture_data_offset(level5_img_kind kind, const level5_picture *picture)
{
    return sni_load_u32(picture->head.data + level5_picture_offset_at(kind));
}

// --- Configurations ---
bool level5_is_compiled_config(sni_bytes bytes);
bool level5_is_text_config(sni_bytes bytes);  // its first word is a tag
const char *level5_tag_at(int32_t number);    // in compiled files; NULL: unknown

// --- Dragon Quest VIII ---
enum {
    LEVEL5_DQ8_NODE_BYTES = 160,
    LEVEL5_DQ8_NODES = 6,  // words of the MDS header with the offset of an array
    LEVEL5_DQ8_MATERIALS = 13,
    LEVEL5_DQ8_NAMES = 14
};

#endif
