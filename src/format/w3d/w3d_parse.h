// What the parsers of W3D share: w3d_parse.c walks the chunks, the others put views on them, one file for each noun.
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

// Told of a chunk, with its path.
#define w3d_warn(p, chunk, code, ...)                                                                             \
    (w3d_enter((p)->diag, (p)->doc, (chunk)), sni_warn((p)->diag, (code), w3d_at(p, chunk)->offset, __VA_ARGS__), \
     w3d_leave((p)->diag, (p)->doc, (chunk)))

int32_t w3d_find(const w3d_parser *p, int32_t parent, uint32_t id);  // the first child of that id; -1: none
uint32_t w3d_count(const w3d_parser *p, int32_t parent, uint32_t id);

// A window on the payload, which has at least `least` bytes. False where there is no such chunk (-1), and with a
// warning where it is shorter.
bool w3d_open(w3d_parser *p, int32_t chunk, uint32_t least, sni_reader *in);

// The same for the child of that id that an object cannot be without: it is missed with a warning, too.
bool w3d_open_header(w3d_parser *p, int32_t parent, uint32_t id, uint32_t least, sni_reader *in);

sni_str w3d_read_str(sni_reader *in, size_t size);     // a fixed field, up to its first NUL
sni_str w3d_text(const w3d_parser *p, int32_t chunk);  // the payload, up to its first NUL; empty for -1
void w3d_read_rgb(sni_reader *in, uint8_t rgb[3]);     // and the byte behind

// `count` records: none, with a warning, where fewer are there; an error where it is something to `w3d_need`.
w3d_array w3d_take(w3d_parser *p, int32_t chunk, uint32_t count, uint32_t record_bytes);
w3d_array w3d_need(w3d_parser *p, int32_t chunk, uint32_t count, uint32_t record_bytes);
w3d_array w3d_take_all(w3d_parser *p, int32_t chunk, uint32_t record_bytes);

void w3d_parse_hierarchy(w3d_parser *p, int32_t chunk);
void w3d_parse_mesh(w3d_parser *p, int32_t chunk);
void w3d_parse_looks(w3d_parser *p, w3d_mesh *mesh);
void w3d_parse_animation(w3d_parser *p, int32_t chunk);
void w3d_parse_morph(w3d_parser *p, int32_t chunk);
void w3d_parse_hlod(w3d_parser *p, int32_t chunk);
void w3d_parse_box(w3d_parser *p, int32_t chunk);
void w3d_parse_light(w3d_parser *p, int32_t chunk);
void w3d_parse_object(w3d_parser *p, int32_t chunk);

#endif
