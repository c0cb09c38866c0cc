// An arena for each test: set-up and tear-down functions for cmocka.
#ifndef TEST_ARENA_FIXTURE_H
#define TEST_ARENA_FIXTURE_H

#include "base/arena.h"

typedef struct arena_fixture {
    sni_heap heap;
    sni_arena arena;
} arena_fixture;

static inline int arena_fixture_open(void **state)
{
    static arena_fixture shared;
    sni_heap_init(&shared.heap, NULL, UINT64_MAX);
    sni_arena_init(&shared.arena, &shared.heap);
    *state = &shared;
    return 0;
}

static inline int arena_fixture_close(void **state)
{
    sni_arena_free(&((arena_fixture *)*state)->arena);
    return 0;
}

#endif
