#define _GNU_SOURCE  // madvise
#include "base/arena.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#    include <sys/mman.h>
#endif

#ifdef SNI_TINY_BLOCKS  // for tests: each allocation takes memory from the heap, so that each can fail
enum { FIRST_BLOCK_BYTES = 32, LARGEST_BLOCK_BYTES = 32 };
#else
enum { FIRST_BLOCK_BYTES = 16 << 10, LARGEST_BLOCK_BYTES = 1 << 20 };
#endif

struct sni_block {
    sni_block *next;
    size_t size;  // with this header
};

// Large blocks are files and arrays that will be filled. In pages of 4 KiB, each of which the kernel makes when it is
// first touched, that takes longer than filling them. Asks for pages of 2 MiB where they fit into the block: a hint,
// without which everything works as well.
static void prefer_huge_pages(void *block, size_t size)
{
#if defined __linux__ && defined MADV_HUGEPAGE
    const uintptr_t huge = 2 << 20, start = ((uintptr_t)block + huge - 1) / huge * huge,
                    end = ((uintptr_t)block + size) / huge * huge;
    if (start < end) madvise((void *)start, end - start, MADV_HUGEPAGE);
#else
    (void)block, (void)size;
#endif
}

static void *default_alloc(void *user, size_t size)
{
    enum { LARGE_BYTES = 4 << 20 };  // in which there is at least one huge page
    (void)user;
    void *block = malloc(size);
    if (block && size >= LARGE_BYTES) prefer_huge_pages(block, size);
    return block;
}

static void default_free(void *user, void *ptr, size_t size)
{
    (void)user;
    (void)size;
    free(ptr);
}

void sni_heap_init(sni_heap *heap, const sn_allocator *allocator, uint64_t limit)
{
    memset(heap, 0, sizeof *heap);
    heap->allocator = (sn_allocator){ default_alloc, default_free, NULL };
    if (allocator && allocator->alloc) heap->allocator = *allocator;
    heap->limit = limit;
    heap->elements = UINT32_MAX;
}

static void *refuse(sni_heap *heap, sn_status status, const char *what, uint64_t wanted, uint64_t allowed)
{
    if (heap->diag) {
        sni_fail(heap->diag, status, 0, "%s: %llu needed, %llu allowed", what, (unsigned long long)wanted,
                 (unsigned long long)allowed);
    }
    return NULL;
}

void *sni_heap_alloc(sni_heap *heap, size_t size)
{
    if (heap->cancelled && heap->cancelled(heap->cancelled_user)) {
        if (heap->diag) sni_fail(heap->diag, SN_ERR_CANCELLED, 0, "cancelled");
        return NULL;
    }
    if (heap->used > heap->limit || size > heap->limit - heap->used)
        return refuse(heap, SN_ERR_LIMIT, "more memory than the limit", heap->used + size, heap->limit);
    void *ptr = heap->allocator.alloc(heap->allocator.user, size);
    if (!ptr) {
        if (heap->diag) sni_fail(heap->diag, SN_ERR_MEMORY, 0, "out of memory: %zu bytes", size);
        return NULL;
    }
    heap->used += size;
    if (heap->used > heap->peak) heap->peak = heap->used;
    return ptr;
}

void sni_heap_free(sni_heap *heap, void *ptr, size_t size)
{
    if (!ptr) return;
    heap->used -= size;
    heap->allocator.free(heap->allocator.user, ptr, size);
}

void sni_arena_init(sni_arena *arena, sni_heap *heap) { *arena = (sni_arena){ .heap = heap }; }

void sni_arena_free(sni_arena *arena)
{
    for (sni_block *block = arena->blocks; block;) {
        sni_block *next = block->next;
        sni_heap_free(arena->heap, block, block->size);
        block = next;
    }
    arena->blocks = NULL;
    arena->at = arena->end = NULL;
}

bool sni_arena_holds(const sni_arena *arena, const void *ptr)
{
    uintptr_t at = (uintptr_t)ptr;
    for (const sni_block *block = arena->blocks; block; block = block->next)
        if (at - (uintptr_t)block < block->size) return true;
    return false;
}

void sni_arena_join(sni_arena *arena, sni_arena *other)
{
    sni_block **last = &arena->blocks;
    while (*last) last = &(*last)->next;
    *last = other->blocks;
    *other = (sni_arena){ .heap = other->heap };
}

static size_t next_block_bytes(const sni_arena *arena)
{
    if (!arena->blocks) return FIRST_BLOCK_BYTES;
    size_t doubled = arena->blocks->size * 2;
    return doubled < LARGEST_BLOCK_BYTES ? doubled : LARGEST_BLOCK_BYTES;
}

static sni_block *new_block(sni_arena *arena, size_t size)
{
    sni_block *block = sni_heap_alloc(arena->heap, size);
    if (!block) return NULL;
    block->size = size;
    return block;
}

// A large item gets its own block behind the newest one, whose free room stays in use.
static void *alloc_alone(sni_arena *arena, size_t size)
{
    sni_block *block = new_block(arena, size + SNI_ALIGNMENT);
    if (!block) return NULL;
    if (arena->blocks) {
        block->next = arena->blocks->next;
        arena->blocks->next = block;
    } else {
        block->next = NULL;
        arena->blocks = block;
        arena->at = arena->end = (uint8_t *)block + block->size;
    }
    return (uint8_t *)block + SNI_ALIGNMENT;
}

static size_t aligned(uint64_t size) { return (size_t)(size + SNI_ALIGNMENT - 1) / SNI_ALIGNMENT * SNI_ALIGNMENT; }

void *sni_alloc_far(sni_arena *arena, size_t size, uint64_t count)
{
    static_assert(sizeof(sni_block) <= SNI_ALIGNMENT, "a block's header must fit its padding");
    if (size > 1 && count > arena->heap->elements)
        return refuse(arena->heap, SN_ERR_LIMIT, "too many elements in one array", count, arena->heap->elements);
    if (size > 0 && count > (SIZE_MAX - 2 * SNI_ALIGNMENT) / size)
        return refuse(arena->heap, SN_ERR_LIMIT, "an array too large to address", count, SIZE_MAX / size);
    size_t bytes = aligned(count * size);
    if (bytes <= (size_t)(arena->end - arena->at) && arena->at) {
        void *ptr = arena->at;
        arena->at += bytes;
        return ptr;
    }
    size_t block_bytes = next_block_bytes(arena);
    if (bytes > block_bytes / 4) return alloc_alone(arena, bytes);
    sni_block *block = new_block(arena, block_bytes);
    if (!block) return NULL;
    block->next = arena->blocks;
    arena->blocks = block;
    arena->at = (uint8_t *)block + SNI_ALIGNMENT + bytes;
    arena->end = (uint8_t *)block + block_bytes;
    return (uint8_t *)block + SNI_ALIGNMENT;
}

void *sni_alloc(sni_arena *arena, size_t size, uint64_t count)
{
    void *ptr = sni_alloc_raw(arena, size, count);
    if (ptr) memset(ptr, 0, (size_t)count * size);
    return ptr;
}

static bool resize(sni_arena *arena, sni_list *list, size_t size, uint64_t capacity)
{
    const size_t room = (size_t)(arena->end - arena->at), old = aligned((uint64_t)list->capacity * size);
    const bool is_last = old > 0 && (uint8_t *)list->items + old == arena->at;
    if (is_last && capacity <= room / size) {  // grows where it is
        const size_t more = aligned(capacity * size) - old;
        if (more <= room && capacity <= arena->heap->elements) {
            arena->at += more;
            list->capacity = (uint32_t)capacity;
            return true;
        }
    }
    uint8_t *grown = sni_alloc_raw(arena, size, capacity);
    if (!grown) return false;
    if (list->count > 0) memcpy(grown, list->items, list->count * size);
    list->items = grown;
    list->capacity = (uint32_t)capacity;
    return true;
}

bool sni_list_grow(sni_arena *arena, sni_list *list, size_t size)
{
    uint64_t capacity = list->capacity ? (uint64_t)list->capacity * 2 : 8;
    if (capacity > arena->heap->elements) capacity = arena->heap->elements;
    if (capacity <= list->count) capacity = (uint64_t)list->count + 1;
    return resize(arena, list, size, capacity);
}

bool sni_list_reserve(sni_arena *arena, sni_list *list, size_t size, uint64_t count)
{
    const sni_heap *heap = arena->heap;
    const uint64_t room = heap->used < heap->limit ? (heap->limit - heap->used) / 8 / size : 0;
    if (count > room || count > heap->elements) return true;
    return count <= list->capacity || resize(arena, list, size, count);
}

char *sni_copy_text(sni_arena *arena, const char *text, size_t size)
{
    char *copy = sni_new_raw(arena, char, (uint64_t)size + 1);
    if (!copy) return NULL;
    if (size > 0) memcpy(copy, text, size);
    copy[size] = 0;
    return copy;
}
