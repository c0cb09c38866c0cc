// The rules of Warcraft III: finding what breaks them, and repairing it.
#ifndef MDX_CHECK_H
#define MDX_CHECK_H

#include "format/mdx/mdx_doc.h"
#include "io/save.h"

// All objects of a document, bones first, in the order of their chunks.
typedef struct mdx_objects {
    mdx_object **items;
    const mdx_kind **kinds;
    uint32_t *numbers;  // in the list of their kind
    int32_t *of_id;     // per id from 0: the first object that has it, or -1
    uint32_t count;
    bool has_bad_ids;     // they are not 0 to count - 1, each once
    bool has_late_bones;  // with ids above those of other objects
} mdx_objects;

bool mdx_list_objects(sni_arena *arena, const mdx_doc *doc, mdx_objects *out);

bool mdx_is_extent(const mdx_extent *extent);  // all numbers finite, no minimum above its maximum

bool mdx_check_game(sni_load *load, const void *document, sn_game game);  // see sni_format.check_game
bool mdx_repair(sni_save *save, const void *document, sn_game game, const void **repaired);

#endif
