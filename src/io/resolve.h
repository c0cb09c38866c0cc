// Where a reference leads: folders with all below them, archives, and what surrounds the model.
#ifndef SNI_RESOLVE_H
#define SNI_RESOLVE_H

#include <pthread.h>

#include "io/archive.h"

typedef struct sni_listing_bounds {
    uint32_t entries, depth;
} sni_listing_bounds;

extern const sni_listing_bounds sni_listing_near;  // around a model, which may be anywhere
extern const sni_listing_bounds sni_listing_wide;  // below a folder that the user named for it

// A folder with all below it, listed when a name is first not found as it is written: level by level and sorted, so
// that the same tree gives the same results. Hidden folders and links to folders are left out, and so is the first
// folder whose entries would be too many, with all after it.
typedef struct sni_listing {
    const char *folder;
    sni_listing_bounds bounds;
    sni_arena *arena;        // its heap's diag gets the failures
    pthread_mutex_t *mutex;  // of a listing that threads share; else NULL
    bool is_listed;
    sni_list files;  // by last name ignoring case, then from the top downwards
} sni_listing;

void sni_listing_init(sni_listing *listing, const char *folder, const sni_listing_bounds *bounds, sni_arena *arena);

// The file that a cleaned reference names, as it is written or else in another case. False when there is none, or when
// only a link leads to it that leads out of the folder. `path` gets the path to open. The diag gets failures to list.
bool sni_listing_find_path(sni_listing *listing, const char *clean_ref, char *path, size_t capacity, sni_diag *diag);
bool sni_listing_find_name(sni_listing *listing, const char *name, char *path, size_t capacity, sni_diag *diag);

// What surrounds a model.
typedef struct sni_origin {
    const char *folder;         // on disk; NULL: it is not there
    sni_listing *near;          // of the folder; may be NULL
    const sn_archive *archive;  // NULL: it is in none
    const char *inside;         // its folder in the archive: "" or with a slash at the end
    sn_search *search;          // may be NULL
} sni_origin;

enum { SNI_FOUND_BYTES = 4096 };

// A file that was found, on disk or in an archive.
typedef struct sni_found {
    const sn_archive *archive;  // NULL: on disk
    sni_archive_entry entry;    // its name is in `path` when the archive does not list it
    char path[SNI_FOUND_BYTES];
} sni_found;

// Exact: to the letter in the model's folder, or beside it in its archive. Else in the order that sn_load_opts.search
// documents; by its last name only where `clean_ref` has no folders. False without a failure: it is nowhere.
bool sni_resolve(const sni_origin *origin, const char *clean_ref, bool is_exact, sni_diag *diag, sni_found *found);

// The listing around a model, shared by loads of the same folder. Give it back. NULL: memory ran out.
sni_listing *sni_search_acquire_near(sn_search *search, const char *folder);
void sni_search_release_near(sn_search *search, sni_listing *near);

#endif
