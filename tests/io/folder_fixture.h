// An empty folder for each test, and an arena and diag to read its files with.
#ifndef TEST_FOLDER_FIXTURE_H
#define TEST_FOLDER_FIXTURE_H

#include "base/arena.h"
#include "counting_heap.h"
#include "folders.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct fixture {
    counting_heap counts;
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
    char folder[64];  // empty, below the temporary folder
    char path[160];   // of the last in_folder()
} fixture;

static inline void reset_diag(fixture *f) { sni_diag_init(&f->diag, &f->arena); }

static inline int fixture_open(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    if (!f) return -1;
    sn_allocator allocator = counting_allocator(&f->counts);
    sni_heap_init(&f->heap, &allocator, UINT64_MAX);
    f->heap.elements = 1 << 24;
    f->heap.diag = &f->diag;
    sni_arena_init(&f->arena, &f->heap);
    reset_diag(f);
    snprintf(f->folder, sizeof f->folder, "/tmp/sinew_test_XXXXXX");
    *state = f;
    alarm(60);  // whatever hangs, dies
    return mkdtemp(f->folder) ? 0 : -1;
}

static inline int fixture_close(void **state)
{
    fixture *f = *state;
    remove_all(f->folder);
    sni_arena_free(&f->arena);
    int live = (int)f->counts.live_blocks;
    free(f);
    alarm(0);
    return live;
}

static inline const char *in_folder(fixture *f, const char *name)
{
    snprintf(f->path, sizeof f->path, "%s/%s", f->folder, name);
    return f->path;
}

static inline void put_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

static inline void assert_file_holds(const char *path, const char *text)
{
    char found[256];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(found, 1, sizeof found - 1, file);
    fclose(file);
    found[size] = 0;
    assert_string_equal(found, text);
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, fixture_open, fixture_close)

#endif
