// An allocator that counts its blocks and bytes, checks the sizes passed to free, and can fail on request.
#ifndef TEST_COUNTING_HEAP_H
#define TEST_COUNTING_HEAP_H

#include "sinew/sinew.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct counting_heap {
    uint64_t calls;  // of alloc, including those that failed
    uint64_t live_blocks, live_bytes, peak_bytes;
    uint64_t fail_at;     // this call returns NULL, counted from 1; 0: none
    bool fails_for_ever;  // and so do all later calls
} counting_heap;

enum { COUNTING_HEADER = 16 };  // stores the size, keeps the alignment of malloc

static inline void *counting_alloc(void *user, size_t size)
{
    counting_heap *heap = user;
    heap->calls++;
    if (heap->fail_at && (heap->calls == heap->fail_at || (heap->fails_for_ever && heap->calls > heap->fail_at)))
        return NULL;
    if (size > SIZE_MAX - COUNTING_HEADER) return NULL;
    unsigned char *block = malloc(size + COUNTING_HEADER);
    if (!block) return NULL;
    *(size_t *)(void *)block = size;
    heap->live_blocks++;
    heap->live_bytes += size;
    if (heap->live_bytes > heap->peak_bytes) heap->peak_bytes = heap->live_bytes;
    return block + COUNTING_HEADER;
}

static inline void counting_free(void *user, void *ptr, size_t size)
{
    counting_heap *heap = user;
    unsigned char *block = ptr ? (unsigned char *)ptr - COUNTING_HEADER : NULL;
    if (!block || *(size_t *)(void *)block != size) {
        fprintf(stderr, "free of %p got size %zu, it was allocated with %zu\n", ptr, size,
                block ? *(size_t *)(void *)block : (size_t)0);
        abort();
    }
    heap->live_blocks--;
    heap->live_bytes -= size;
    free(block);
}

static inline sn_allocator counting_allocator(counting_heap *heap)
{
    sn_allocator allocator = { counting_alloc, counting_free, heap };
    return allocator;
}

#endif
