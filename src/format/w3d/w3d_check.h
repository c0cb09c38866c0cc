// The rules of Generals and The Battle for Middle-earth: finding what breaks them, and repairing it. Each rule is
// written once: it reports what it finds, or, where it has an editor, changes it.
#ifndef W3D_CHECK_H
#define W3D_CHECK_H

#include "format/w3d/w3d_doc.h"
#include "io/save.h"

// What a repair can do; the texts are in w3d_write.c.
typedef enum w3d_repair_kind {
    W3D_FIX_NAME,
    W3D_FIX_HEADER,
    W3D_FIX_ROOT,
    W3D_FIX_ROOT_PLACE,
    W3D_FIX_LODS,
    W3D_FIX_LOD_SIZE,
    W3D_FIX_BONE,
    W3D_FIX_MATERIAL_INFO,
    W3D_FIX_BOUNDS,
    W3D_FIX_SHADE_INDICES,
    W3D_FIX_FIXUPS,
    W3D_FIX_SKIN_TYPE,
    W3D_FIX_VISIBILITY,
    W3D_FIX_TEXTURE,
    W3D_FIX_TREE,
    W3D_FIX_KINDS
} w3d_repair_kind;

// A document that is being changed: chunks keep their numbers, new ones come last.
typedef struct w3d_edit {
    sni_save *save;
    w3d_doc *doc;
    sni_list chunks;  // w3d_chunk
    uint32_t old;     // number of chunks that were there before
    bool *is_own;     // per old chunk: its bytes were copied
    bool has_failed;  // memory ran out
    uint64_t counts[W3D_FIX_KINDS];
} w3d_edit;

bool w3d_edit_begin(w3d_edit *edit, sni_save *save, const w3d_doc *doc);
bool w3d_edit_end(w3d_edit *edit);  // corrects all sizes, reports what was done
uint8_t *w3d_edit_bytes(w3d_edit *edit, int32_t chunk, w3d_repair_kind kind);  // for writing; NULL after a failure
void w3d_edit_replace(w3d_edit *edit, int32_t chunk, const void *data, size_t size, w3d_repair_kind kind);
void w3d_edit_insert(w3d_edit *edit, int32_t parent, int32_t after, uint32_t id, const void *data, size_t size,
                     w3d_repair_kind kind);  // after: a child of the parent
// The children of an object: the header, then all with the id of `second`, then the others.
void w3d_edit_arrange(w3d_edit *edit, int32_t parent, int32_t header, int32_t second, w3d_repair_kind kind);
void w3d_edit_remove(w3d_edit *edit, int32_t chunk, w3d_repair_kind kind);

uint32_t w3d_header_id(uint32_t object);  // the chunk that an object starts with; 0: none

bool w3d_check_game(sni_load *load, const void *document, sn_game game);  // see sni_format.check_game
bool w3d_repair(sni_save *save, const void *document, sn_game game, const void **repaired);

#endif
