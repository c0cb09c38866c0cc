// Damages a file in every way we know and loads it: no crash, no hang, no broken promise, no memory over the ceiling.
//
//     int main(void)    // all of test_sweep_foo.c, unless the format has its own kinds of damage (sweep_variants)
//     {
//         static const sweep_place places[] = { { SINEW_TESTS_DIR "/sweep_samples", "foo" },
//                                               { SINEW_SAMPLES, "foo" },
//                                               { 0 } };
//         return sweep_main(places, sweep_file);
//     }
//
// Every prefix, every byte and u32 changed, every allocation failing once and for ever, cancelling at every chance, the
// memory ceiling and the time of each load. Files that the model refers to are damaged too. Every model that still
// loads is exercised, and one of 64 is saved, loaded again and compared; saving fails at every allocation and
// every write. A find ends the program; it prints the damage and writes the damaged bytes to a file.
//
// Sweep samples (1 to 4 KB, in tests/sweep_samples) are swept exhaustively. Showpieces (in samples/) get their chunk
// edges and a seeded part. The environment:
//     SINEW_CHECK_ALL=1      a larger seeded part of showpieces
//     SINEW_SWEEP_SAVED=1    every model is saved
//     SINEW_SWEEP_SHARE=4    one of 4 damages only; prefixes and failing allocations stay complete
//     SINEW_SWEEP_SHOWPIECES=0  sweep samples only
//     SINEW_SWEEP_JOBS=2     processes that share the work
//     SINEW_SWEEP_FILE=PATH  sweeps this file only
#ifndef TEST_SWEEP_H
#define TEST_SWEEP_H

#include "sinew/sinew.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct sweep_bytes {
    uint8_t *data;
    size_t size, capacity;
} sweep_bytes;

// A file that the model refers to; the sweep owns its bytes.
typedef struct sweep_ref {
    char *name;
    sweep_bytes bytes;
} sweep_ref;

// Ends the program with a message.
#define sweep_require(condition, ...)     \
    do {                                  \
        if (!(condition)) {               \
            fputs("sweep: ", stderr);     \
            fprintf(stderr, __VA_ARGS__); \
            fputc('\n', stderr);          \
            abort();                      \
        }                                 \
    } while (0)

enum { SWEEP_EDGES = 1024 };

typedef struct sweep {
    const char *name;
    bool is_showpiece;
    sweep_bytes input;
    sweep_ref *refs;
    size_t ref_count;
    size_t edges[SWEEP_EDGES];  // where chunks of the input begin or end
    size_t edge_count;
    uint64_t loads, models;  // so far, and how many of the loads returned a model
    uint64_t saves;          // that failed on purpose
    // Called instead of loading a model; returns whether the damaged bytes could be read.
    bool (*visit)(const uint8_t *data, size_t size, uint64_t k);
} sweep;

// Loads the file once to find the files it refers to.
void sweep_open(sweep *s, const char *path);
void sweep_close(sweep *s);
void sweep_add_edge(sweep *s, size_t at);  // showpieces are cut around it

// The parts of sweep_file. sweep_failures: allocations, saving and cancelling.
void sweep_failures(sweep *s);
void sweep_prefixes(sweep *s);
void sweep_damage(sweep *s);

// Damage of one format: `make` writes variant k of `count` into `out` and returns a description of at most 100 bytes,
// or NULL to skip the variant.
typedef const char *(*sweep_make)(void *user, uint64_t k, sweep_bytes *out, char *words, size_t capacity);
void sweep_variants(sweep *s, const char *what, uint64_t count, sweep_make make, void *user);
void sweep_set(sweep_bytes *bytes, const void *data, size_t size);  // a copy; keeps its capacity
void sweep_append(sweep_bytes *bytes, const void *data, size_t size);

// For loops over variants outside of sweep_variants: how many there are of `count`, and the k of variant i. False: skip
// it.
uint64_t sweep_count(const sweep *s, uint64_t count);
bool sweep_pick(const sweep *s, uint64_t i, uint64_t count, uint64_t *k);
bool sweep_is_all(void);     // SINEW_CHECK_ALL=1
uint32_t corpus_step(void);  // one of how many models of the corpus is saved: 10, with SINEW_CHECK_ALL=1 every one

void sweep_file(const char *path);
// Failures run with the files that the model refers to; damage, also the format's own, without them.
void sweep_file_alone(const char *path, void (*own_damage)(sweep *s));

// Calls `visit` for each file in the folder whose name has one of `endings` ("glb gltf"), sorted. Returns how many.
int sweep_folder(const char *folder, const char *endings, void (*visit)(const char *path));
int sweep_tree(const char *folder, const char *endings, void (*visit)(const char *path));  // and all folders below

// The main of a sweep: visits the files of all places; the last place has no folder.
typedef struct sweep_place {
    const char *folder, *endings;
} sweep_place;
int sweep_main(const sweep_place *places, void (*visit)(const char *path));

// Moves the references with one of these endings to the front; returns how many there are.
size_t sweep_put_first(sweep *s, const char *endings);

#endif
