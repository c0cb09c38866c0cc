// References from a model to other files: found inside a folder, never outside of it.
#ifndef SNI_ROOT_H
#define SNI_ROOT_H

#include "io/file.h"

// A folder in which references are looked for, opened when it is first needed. None leads out of it, also when other
// processes change it meanwhile: folders on the way are opened one by one, without following links; a path with links
// is replaced by the one they lead to first. Uninitialised memory until sni_root_init.
typedef struct sni_root {
    const char *folder;
    int file, below;  // open folders, or -1: the root, and the one of the last reference
    bool is_opened, is_below_link;
    char below_path[256];
    char real[4096];  // the folder without links; "": not known yet
} sni_root;

void sni_root_init(sni_root *root, const char *folder);
void sni_root_close(sni_root *root);

// The regular file that a cleaned reference names, links followed. False without a failure when there is none, when it
// is something else, or when a link leads out of the folder. `path` gets its path without links. `file`, which may be
// NULL, gets the file for sni_file_read_open and sni_file_close. Running out of memory is a failure.
bool sni_root_find(sni_root *root, const char *ref, int *file, char *path, size_t capacity, sni_diag *diag);
// The same for a reference from another folder, which may have "..".
bool sni_root_find_from(sni_root *root, const char *folder, const char *ref, int *file, char *path, size_t capacity,
                        sni_diag *diag);
bool sni_ref_find(const char *folder, const char *ref, char *path, size_t capacity, sni_diag *diag);  // only one

#endif
