// W3D as text: the chunk tree as JSON, one item per line. What each leaf holds is spelled out by its layout; a chunk
// without one, or whose bytes the layout would not give back, is hex.
#ifndef W3D_TEXT_H
#define W3D_TEXT_H

#include "base/json.h"
#include "format/w3d/w3d_doc.h"

// A field of a record. Types: b h u, of 1, 2 and 4 bytes; i, signed; x, shown as hex; f, float; v, version "4.2";
// n N p, text in 16, 32 and 260 bytes; s, text up to its NUL; c, text after its length; B, bytes as hex.
typedef struct w3d_text_field {
    sni_str name;  // empty: it has none
    char type;
    uint32_t count;  // 0: as many as the field called "width" says
} w3d_text_field;

// Named fields, then perhaps records up to the end of the chunk.
enum { W3D_TEXT_FIELDS = 24 };
typedef struct w3d_text_layout {
    w3d_text_field fields[W3D_TEXT_FIELDS];
    uint32_t count, tail;  // tail: the first field of the records; count: there are none
} w3d_text_layout;

// The layouts that a chunk may have, one after the other; false past the last. Which of them a text has is seen by the
// name of its last field.
bool w3d_text_find_layout(uint32_t id, uint32_t index, w3d_text_layout *layout);

bool w3d_text_probe(sni_bytes bytes);

// The bytes of a leaf from its text; appends to `out`. False after a failure, which is in json->diag.
bool w3d_text_read_leaf(sni_json *json, uint32_t id, sni_writer *out);

// The whole file, in the arena. False after a failure.
bool w3d_text_parse(sni_load *load, sni_bytes text, sni_arena *arena, sni_bytes *bytes);

void w3d_text_write(const w3d_doc *doc, sni_arena *scratch, sni_writer *out);

#endif
