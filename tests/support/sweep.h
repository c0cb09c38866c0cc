// Damages a file in every way we know and loads it: no crash, no hang, no broken promise, no byte too many.
//
//     sweep_file("samples/knight.glb");
//
// does for any format what docs/reliability promises: every prefix, every byte and u32 changed, every allocation
// failing once and for ever, cancelling at every question, the memory ceiling and the time of each load. The files it
// refers to are damaged too. What still loads is saved, loaded again and compared; saving itself is made to fail
// at every allocation and every write. A find ends the program with the damage in words and the damaged bytes in a
// file. SINEW_SWEEP_ALL=1 is exhaustive; SINEW_SWEEP_JOBS is how many processes share the work (2).
#ifndef TEST_SWEEP_H
#define TEST_SWEEP_H

#include "sinew/sinew.h"

typedef struct sweep_bytes {
    uint8_t *data;
    size_t size, capacity;
} sweep_bytes;

// A file the model refers to. Its bytes are the sweep's.
typedef struct sweep_ref {
    char *name;
    sweep_bytes bytes;
} sweep_ref;

typedef struct sweep {
    const char *name;
    sweep_bytes input;
    sweep_ref *refs;
    size_t ref_count;
    uint64_t loads, models;  // done so far, and how many of them gave a model
    uint64_t saves;          // that were made to fail
    // Instead of loading a model: true when the damaged bytes gave something.
    bool (*visit)(const uint8_t *data, size_t size, uint64_t k);
} sweep;

// Reads the file and, by loading it once, the files it refers to.
void sweep_open(sweep *s, const char *path);
void sweep_close(sweep *s);

// The parts of sweep_file.
void sweep_prefixes(sweep *s);
void sweep_damage(sweep *s);
void sweep_allocations(sweep *s);
void sweep_saving(sweep *s);
void sweep_cancelling(sweep *s);

// Damage of your own: `make` writes variant k of `count` into `out` and answers what it did, in words (at most
// 100 bytes), or NULL to leave it out. Both loads with and without lint are tried in turn.
typedef const char *(*sweep_make)(void *user, uint64_t k, sweep_bytes *out, char *words, size_t capacity);
void sweep_variants(sweep *s, const char *what, uint64_t count, sweep_make make, void *user);
void sweep_set(sweep_bytes *bytes, const void *data, size_t size);  // a copy; keeps its room
void sweep_append(sweep_bytes *bytes, const void *data, size_t size);

void sweep_file(const char *path);

// Calls `visit` for each file in the folder whose name ends with one of `endings` ("glb gltf"), sorted. Answers how
// many.
int sweep_folder(const char *folder, const char *endings, void (*visit)(const char *path));

// The main of a sweep: the file that SINEW_SWEEP_FILE names or, without it, the files of all places (the last has no
// folder).
typedef struct sweep_place {
    const char *folder, *endings;
} sweep_place;
int sweep_main(const sweep_place *places, void (*visit)(const char *path));

// The references with one of these endings go to the front; answers how many there are.
size_t sweep_put_first(sweep *s, const char *endings);

// Not this time: SINEW_SWEEP_SHARE asks for a part only.
bool sweep_is_spared(uint64_t k);

#endif
