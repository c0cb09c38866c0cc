// Where a reference leads: folders with all below them, archives, and what surrounds the model.
#ifndef SNI_RESOLVE_H
#define SNI_RESOLVE_H

#include <pthread.h>

#include "io/labels.h"
#include "io/root.h"

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
    sni_list files;  // those of one last name, ignoring case, beside each other and from the top downwards
    sni_labels labels;
} sni_listing;

void sni_listing_init(sni_listing *listing, const char *folder, const sni_listing_bounds *bounds, sni_arena *arena);

enum { SNI_FOUND_BYTES = 4096 };

// A file that was found, on disk or in an archive.
typedef struct sni_found {
    const sn_archive *archive;   // NULL: on disk
    sni_archive_entry entry;     // its name is in `path` when the archive does not list it
    int file;                    // on disk: for sni_file_read_open; give it to sni_file_close
    char path[SNI_FOUND_BYTES];  // on disk: without links
} sni_found;

// The file that a cleaned reference names, as it is written or else in another case. False when there is none, or when
// only a link leads to it that leads out of the folder. `root` is the listing's folder. The diag gets failures to list.
bool sni_listing_find_path(sni_listing *listing, sni_root *root, const char *clean_ref, sni_found *found,
                           sni_diag *diag);
bool sni_listing_find_name(sni_listing *listing, sni_root *root, const char *name, sni_found *found, sni_diag *diag);

// What surrounds a model.
enum { SNI_NEAR, SNI_LAYOUT, SNI_ROOT, SNI_LISTINGS };
typedef struct sni_origin {
    const char *folder;                   // on disk; NULL: it is not there
    sni_listing *listings[SNI_LISTINGS];  // of the folder, of a known layout around it, of the folder that the user
                                          // named; each may be NULL
    const sn_archive *archive;            // NULL: it is in none
    const char *inside;                   // its folder in the archive: "" or with a slash at the end
    sni_labels archive_labels;            // where no search has them
    sn_search *search;                    // may be NULL
    const char *format;                   // the model's, such as "w3d"; NULL: not known
    sni_arena *arena;                     // of the load
    sni_list roots;                       // sni_root *: the folders that were searched, each opened once
} sni_origin;

void sni_origin_close(sni_origin *origin);  // closes the folders, gives the listings back

// The mod's own places come first, then those of the base game.
typedef enum sni_tier { SNI_TIER_OWN, SNI_TIER_GAME, SNI_TIERS } sni_tier;

// In the order that sn_load_opts.search documents; by its last name only where `clean_ref` has no folders. False
// without a failure: it is nowhere.
bool sni_resolve(sni_origin *origin, const char *clean_ref, sni_tier tier, sni_diag *diag, sni_found *found);

// To the letter in the model's folder, or beside it in its archive.
bool sni_resolve_exact(sni_origin *origin, const char *clean_ref, sni_diag *diag, sni_found *found);
// The same for a relative path with "..": it must lead into a folder that the user named.
bool sni_resolve_above(sni_origin *origin, const char *ref, sni_diag *diag, sni_found *found);

// Files with a label, all tiers, each place by name. False: `visit` returned false, or a failure. `is_cut` is set when
// a place has too many files.
typedef bool (*sni_label_visit)(void *user, const char *last_name);
bool sni_resolve_label(sni_origin *origin, const sni_labeller *labeller, char kind, sni_str label,
                       sni_label_visit visit, void *user, bool *is_cut, sni_diag *diag);

// A folder's listing, shared by loads. Closing the origin gives it back. NULL: memory ran out.
sni_listing *sni_search_acquire(sn_search *search, const char *folder, const sni_listing_bounds *bounds);

// io/layout.c: the folder above or at `folder` where a known game's files begin: at most three levels above. `title`
// says which game. False: none.
bool sni_layout_find(const char *folder, char *root, size_t capacity, const char **title);

#endif
