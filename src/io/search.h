// Files as old games name them: somewhere below a folder, whatever the case, by path or by last name alone.
#ifndef SNI_SEARCH_H
#define SNI_SEARCH_H

#include "io/file.h"

typedef struct sni_search_bounds {
    uint32_t entries, depth;
} sni_search_bounds;

extern const sni_search_bounds sni_search_near;  // around a model, which may lie anywhere
extern const sni_search_bounds sni_search_wide;  // below a folder that the user named for it

// One folder with all below it, listed when a name is first not found as it is written: level by level and sorted, so
// that the same tree gives the same answers. Hidden folders and links to folders are left out, and so is the first
// folder whose entries would be too many, with all after it.
typedef struct sni_search {
    const char *folder;
    sni_search_bounds bounds;
    sni_arena *arena;  // the caller's; its heap's diag is told when memory runs out
    bool is_listed;
    sni_list files;  // by last name whatever the case, then from the top downwards
} sni_search;

void sni_search_init(sni_search *search, const char *folder, const sni_search_bounds *bounds, sni_arena *arena);

// The file that a cleaned reference names, as it is written or else in another case. False when there is none, or
// when only a link leads to it that leads out of the folder. `path` gets the path to open.
bool sni_search_find_path(sni_search *search, const char *clean_ref, char *path, size_t capacity);

// The topmost file of that name, in whatever folder.
bool sni_search_find_name(sni_search *search, const char *name, char *path, size_t capacity);

#endif
