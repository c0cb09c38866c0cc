// The rules of Dark Cloud and Dark Cloud 2: finding what breaks them, and repairing it.
#ifndef LEVEL5_CHECK_H
#define LEVEL5_CHECK_H

#include "format/level5/level5_doc.h"
#include "io/save.h"

// What Dark Cloud needs before the weights of a bone: see level5_check_chains.
typedef struct level5_link {
    uint32_t before;     // track
    int32_t mesh, bone;  // bone -1: the track's own bone can have no place in the chain
} level5_link;

// Weight tracks that are missing so that each mesh starts with its parent and each bone comes after its parent, in
// order. False: memory ran out.
bool level5_find_links(sni_arena *arena, const level5_mds *mds, const level5_tracks *weights, sni_list *links);

bool level5_is_laid_out(const level5_doc *doc, char why[96]);          // false: it needs level5_layout
bool *level5_list_bones(sni_arena *arena, const level5_model *model);  // per node: vertices follow it
bool level5_needs_bind(const level5_model *model, const bool *is_bone, uint32_t node);

bool level5_check_game(sni_load *load, const void *document, sn_game game);  // see sni_format.check_game
bool level5_repair(sni_save *save, const void *document, sn_game game, const void **repaired);

#endif
