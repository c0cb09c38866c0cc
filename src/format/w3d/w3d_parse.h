// Shared by the W3D parsers: access to chunks and their payloads.
#ifndef W3D_PARSE_H
#define W3D_PARSE_H

#include "format/w3d/w3d_doc.h"

typedef struct w3d_parser {
    sni_diag *diag;
    sni_arena *arena;
    w3d_doc *doc;
    sni_list hierarchies, meshes, animations, morphs, hlods, boxes, lights, objects;
} w3d_parser;

static inline const w3d_chunk *w3d_at(const w3d_parser *p, int32_t chunk) { return &p->doc->chunks[chunk]; }

// Warns about a chunk, with its path.
#define w3d_warn(p, chunk, code, ...)                                                                             \
    (w3d_enter((p)->diag, (p)->doc, (chunk)), sni_warn((p)->diag, (code), w3d_at(p, chunk)->offset, __VA_ARGS__), \
     w3d_leave((p)->diag, (p)->doc, (chunk)))

// Children by id; -1: none. A parent of -1 has no children.
int32_t w3d_find(const w3d_parser *p, int32_t parent, uint32_t id);
int32_t w3d_find_next(const w3d_parser *p, int32_t chunk);  // the next sibling with the same id
uint32_t w3d_count(const w3d_parser *p, int32_t parent, uint32_t id);

// A reader of the payload. Returns false without a chunk (-1), and warns when it has fewer than min_bytes.
bool w3d_open(w3d_parser *p, int32_t chunk, uint32_t min_bytes, sni_reader *in);

// The same for the child an object cannot do without: also warns when it is missing.
bool w3d_open_header(w3d_parser *p, int32_t parent, uint32_t id, uint32_t min_bytes, sni_reader *in);

sni_str w3d_read_str(sni_reader *in, size_t size);     // a fixed field up to its first NUL
sni_str w3d_text(const w3d_parser *p, int32_t chunk);  // the payload up to its first NUL; empty for -1
void w3d_read_rgb(sni_reader *in, uint8_t rgb[3]);     // skips the fourth byte

// `count` records. With fewer in the chunk, w3d_take warns and returns none; w3d_need fails the load.
w3d_array w3d_take(w3d_parser *p, int32_t chunk, uint32_t count, uint32_t record_bytes);
w3d_array w3d_need(w3d_parser *p, int32_t chunk, uint32_t count, uint32_t record_bytes);
w3d_array w3d_take_all(w3d_parser *p, int32_t chunk, uint32_t record_bytes);

void w3d_parse_mesh(w3d_parser *p, int32_t chunk);
void w3d_parse_animation(w3d_parser *p, int32_t chunk);
void w3d_parse_morph(w3d_parser *p, int32_t chunk);

#endif
