#include "convert/image_cache.h"

#include <pthread.h>
#include <string.h>

#include "base/map.h"

enum { BUCKETS = 4096 };

// The source's bytes are kept to compare with: equal hashes alone could show one texture in another's place.
typedef struct cached_image {
    struct cached_image *next;           // in its bucket
    struct cached_image *newer, *older;  // by last use
    uint32_t hash, width, height;
    uint32_t users;  // threads that read it without the lock
    size_t source_size, png_size;
    uint8_t bytes[];  // the source, then the PNG
} cached_image;

struct sn_image_cache {
    sni_heap heap;
    pthread_mutex_t mutex;  // guards what follows, and the heap; held for a few steps, never while bytes are copied
    cached_image *newest, *oldest;
    cached_image *buckets[BUCKETS];  // lists by hash: images are removed, which sni_map cannot
};

sn_image_cache *sn_image_cache_create(const sn_allocator *allocator, uint64_t bytes)
{
    sni_heap heap;
    sni_heap_init(&heap, allocator, bytes ? bytes : (uint64_t)256 << 20);
    sn_image_cache *cache = sni_heap_alloc(&heap, sizeof *cache);
    if (!cache) return NULL;
    *cache = (sn_image_cache){ .heap = heap };
    pthread_mutex_init(&cache->mutex, NULL);
    return cache;
}

static size_t size_of(const cached_image *image) { return sizeof *image + image->source_size + image->png_size; }

static void unlink_use(sn_image_cache *cache, cached_image *image)
{
    *(image->newer ? &image->newer->older : &cache->newest) = image->older;
    *(image->older ? &image->older->newer : &cache->oldest) = image->newer;
}

static void link_newest(sn_image_cache *cache, cached_image *image)
{
    image->newer = NULL;
    image->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = image;
    cache->newest = image;
}

static void remove_image(sn_image_cache *cache, cached_image *image)
{
    cached_image **at = &cache->buckets[image->hash % BUCKETS];
    while (*at != image) at = &(*at)->next;
    *at = image->next;
    unlink_use(cache, image);
    sni_heap_free(&cache->heap, image, size_of(image));
}

void sn_image_cache_free(sn_image_cache *cache)
{
    if (!cache) return;
    while (cache->newest) remove_image(cache, cache->newest);
    pthread_mutex_destroy(&cache->mutex);
    sni_heap heap = cache->heap;
    sni_heap_free(&heap, cache, sizeof *cache);
}

// The next image after `from` (NULL: the first) that may be of the source; it cannot go while it has users.
static cached_image *pin(sn_image_cache *cache, cached_image *from, uint32_t hash, size_t size)
{
    pthread_mutex_lock(&cache->mutex);
    cached_image *image = from ? from->next : cache->buckets[hash % BUCKETS];
    while (image && (image->hash != hash || image->source_size != size)) image = image->next;
    if (image) image->users++;
    if (from) from->users--;
    pthread_mutex_unlock(&cache->mutex);
    return image;
}

bool sni_image_cache_find(sn_image_cache *cache, sni_bytes source, sni_arena *arena, sni_bytes *png, sn_pixels *size)
{
    uint32_t hash = sni_hash(source.data, source.size);
    cached_image *image = pin(cache, NULL, hash, source.size);
    while (image && memcmp(image->bytes, source.data, source.size) != 0) image = pin(cache, image, hash, source.size);
    if (!image) return false;
    uint8_t *copy = sni_new_raw(arena, uint8_t, image->png_size);
    if (copy) memcpy(copy, image->bytes + image->source_size, image->png_size);
    *png = (sni_bytes){ copy, image->png_size };
    *size = (sn_pixels){ .width = image->width, .height = image->height };
    pthread_mutex_lock(&cache->mutex);
    image->users--;
    unlink_use(cache, image);
    link_newest(cache, image);
    pthread_mutex_unlock(&cache->mutex);
    return copy;
}

// Makes room, from what was not used for longest. Returns NULL where that is not enough.
static cached_image *allocate(sn_image_cache *cache, size_t size)
{
    for (cached_image *oldest = cache->oldest; oldest && size > cache->heap.limit - cache->heap.used;) {
        cached_image *next = oldest->newer;
        if (oldest->users == 0) remove_image(cache, oldest);
        oldest = next;
    }
    return size <= cache->heap.limit - cache->heap.used ? sni_heap_alloc(&cache->heap, size) : NULL;
}

void sni_image_cache_add(sn_image_cache *cache, sni_bytes source, sni_bytes png, const sn_pixels *size)
{
    const cached_image made = { .hash = sni_hash(source.data, source.size),
                                .width = size->width,
                                .height = size->height,
                                .users = 1,
                                .source_size = source.size,
                                .png_size = png.size };
    const uint64_t room = cache->heap.limit - sizeof *cache;
    if (source.size > room / 4 || png.size > room / 4) return;
    pthread_mutex_lock(&cache->mutex);
    cached_image *image = allocate(cache, size_of(&made));
    pthread_mutex_unlock(&cache->mutex);
    if (!image) return;
    *image = made;
    memcpy(image->bytes, source.data, source.size);
    memcpy(image->bytes + source.size, png.data, png.size);
    pthread_mutex_lock(&cache->mutex);
    image->next = cache->buckets[image->hash % BUCKETS];
    cache->buckets[image->hash % BUCKETS] = image;
    link_newest(cache, image);
    image->users = 0;
    pthread_mutex_unlock(&cache->mutex);
}
