// A saved model can be loaded again and is the same model.
#ifndef TEST_CHECK_SAVED_H
#define TEST_CHECK_SAVED_H

#include "sinew/sinew.h"

// Files in memory, in the order they were written.
enum { SAVED_FILES = 128, SAVED_NAME = 96 };
typedef struct saved_file {
    char name[SAVED_NAME];
    uint8_t *data;
    size_t size;
} saved_file;
typedef struct saved_files {
    saved_file files[SAVED_FILES];
    int count;
    int calls, refuse_at;  // this call of write returns false, counted from 1; 0: none
    size_t most;           // bytes of all files together; 0: any
} saved_files;

// For sn_save_opts.write and sn_load_opts.open_ref; `user` is a saved_files.
bool saved_write(void *user, const char *name, const void *data, size_t size);
bool saved_open(void *user, const char *ref, const void **data, size_t *size);
void saved_free(saved_files *files);

// Saves it under `name` (its ending chooses the format), loads it, checks every promise, compares the posed vertices of
// what is shown at rest and within the first clips, and saves again until the bytes stay the same, at the latest
// the sixth time. Models of more than `work` vertices, keys and nodes are left alone. Nothing is compared where
// influences were dropped or, as was reported, a scene has to show more than it did. `lint` is how the model was
// loaded: what was saved gives no kind of warning that the model has not, and with lint none where the model has none.
void check_saved(const sn_model *model, const char *name, uint32_t max_influences, bool lint, uint64_t work);

// Saves it as MDX or MDL of that version, where the format allows it, loads it again and checks every promise.
// A model with a document of a game's format, repaired by its rules: what is saved loads again, and then nothing is
// left to repair.
// `is_same`: it then shows the same, which holds for files that refer to no others, but not where Warcraft III jumps.
// `name`: of the file; it decides what some companions of Level-5 models are. May be NULL.
void check_repaired(const sn_model *model, const char *name, bool is_same);
void check_repair_failures(const sn_model *model);  // each allocation fails once

void check_saved_mdx(const sn_model *model, const char *name, uint32_t version, uint64_t work);
// The same as .chr or .mds, for either Dark Cloud.
void check_saved_level5(const sn_model *model, const char *name, sn_game game, uint64_t work);

// The same for W3D; `kind`, 0 to 11, chooses game, animations and whether it is split. What was saved needs no repair.
void check_saved_w3d(const sn_model *model, uint32_t kind, uint64_t work);

#endif
