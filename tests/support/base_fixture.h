// A counting heap with an arena and diagnostics, set up as in a load.
#ifndef TEST_BASE_FIXTURE_H
#define TEST_BASE_FIXTURE_H

#include "base/reader.h"
#include "base/writer.h"
#include "check_text.h"
#include "counting_heap.h"

#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

typedef struct fixture {
    counting_heap counts;
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
} fixture;

static inline void fixture_open(fixture *f, uint64_t limit)
{
    memset(f, 0, sizeof *f);
    sn_allocator allocator = counting_allocator(&f->counts);
    sni_heap_init(&f->heap, &allocator, limit);
    f->heap.elements = 1000000;
    f->heap.diag = &f->diag;
    sni_arena_init(&f->arena, &f->heap);
    sni_diag_init(&f->diag, &f->arena);
}

static inline void fixture_close(fixture *f)
{
    sni_arena_free(&f->arena);
    assert_int_equal(f->counts.live_blocks, 0);
    assert_int_equal(f->heap.used, 0);
}

static inline uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13, *state ^= *state >> 17, *state ^= *state << 5;
    return *state;
}

#endif
