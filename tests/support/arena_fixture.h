// An arena for each test: cmocka's set-up and tear-down.
#ifndef TEST_ROOM_H
#define TEST_ROOM_H

#include "base/arena.h"

typedef struct room {
    sni_heap heap;
    sni_arena arena;
} room;

static inline int room_open(void **state)
{
    static room shared;
    sni_heap_init(&shared.heap, NULL, UINT64_MAX);
    sni_arena_init(&shared.arena, &shared.heap);
    *state = &shared;
    return 0;
}

static inline int room_close(void **state)
{
    sni_arena_free(&((room *)*state)->arena);
    return 0;
}

#endif
