// Memory: a heap is the user's allocator under a ceiling, an arena is many allocations with one free.
#ifndef SNI_ARENA_H
#define SNI_ARENA_H

#include <string.h>

#include "base/diag.h"

typedef struct sni_heap {
    sn_allocator allocator;
    uint64_t limit, used, peak;
    uint32_t elements;              // in any one array; bytes are not elements
    bool (*cancelled)(void *user);  // polled at each new block
    void *cancelled_user;
    sni_diag *diag;  // receives failures; may be NULL
} sni_heap;

void sni_heap_init(sni_heap *heap, const sn_allocator *allocator, uint64_t limit);
void *sni_heap_alloc(sni_heap *heap, size_t size);  // not zeroed; NULL after reporting a failure
void sni_heap_free(sni_heap *heap, void *ptr, size_t size);

typedef struct sni_block sni_block;

struct sni_arena {
    sni_heap *heap;
    sni_block *blocks;
    uint8_t *at, *end;  // free room of the newest block
};

void sni_arena_init(sni_arena *arena, sni_heap *heap);
void sni_arena_free(sni_arena *arena);
bool sni_arena_holds(const sni_arena *arena, const void *ptr);
void sni_arena_join(sni_arena *arena, sni_arena *other);  // other's memory becomes arena's
void *sni_alloc(sni_arena *arena, size_t size, uint64_t count);
void *sni_alloc_far(sni_arena *arena, size_t size, uint64_t count);  // when the newest block has no room

enum { SNI_ALIGNMENT = 16 };

static inline void *sni_alloc_raw(sni_arena *arena, size_t size, uint64_t count)
{
    enum { FEW = 1 << 20, SMALL = 1 << 10 };  // their product does not overflow
    if (count > FEW || size > SMALL || count > arena->heap->elements) return sni_alloc_far(arena, size, count);
    const size_t bytes = ((size_t)count * size + SNI_ALIGNMENT - 1) / SNI_ALIGNMENT * SNI_ALIGNMENT;
    if (bytes >= (size_t)(arena->end - arena->at)) return sni_alloc_far(arena, size, count);
    void *ptr = arena->at;
    arena->at += bytes;
    return ptr;
}

// Room for `count` items, zeroed. NULL only after a failure (overflow, limit, out of memory); a count of 0 returns a
// valid pointer.
#define sni_new(arena, type, count) ((type *)sni_alloc((arena), sizeof(type), (count)))

// The same, not zeroed: for arrays that the caller fills completely.
#define sni_new_raw(arena, type, count) ((type *)sni_alloc_raw((arena), sizeof(type), (count)))

// An array that grows one item at a time. Old copies stay in the arena until it is freed, at most doubling its size.
typedef struct sni_list {
    void *items;
    uint32_t count, capacity;
} sni_list;

bool sni_list_grow(sni_arena *arena, sni_list *list, size_t size);
// Room for `count` items, so that a long list is not copied again and again. Does nothing if that would take more than
// an eighth of the memory that is left: the count is a guess.
bool sni_list_reserve(sni_arena *arena, sni_list *list, size_t size, uint64_t count);

// An item that the caller fills completely; NULL after a failure.
static inline void *sni_list_push_raw(sni_arena *arena, sni_list *list, size_t size)
{
    if (list->count == list->capacity && !sni_list_grow(arena, list, size)) return NULL;
    return (uint8_t *)list->items + list->count++ * size;
}

// A zeroed item.
static inline void *sni_list_push(sni_arena *arena, sni_list *list, size_t size)
{
    void *item = sni_list_push_raw(arena, list, size);
    return item ? memset(item, 0, size) : NULL;
}
#define sni_push(arena, list, type) ((type *)sni_list_push((arena), (list), sizeof(type)))

char *sni_copy_text(sni_arena *arena, const char *text, size_t size);  // adds the closing NUL

#endif
