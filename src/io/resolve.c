#include "io/resolve.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const sni_listing_bounds sni_listing_near = { 1 << 14, 4 };
const sni_listing_bounds sni_listing_wide = { 1 << 19, 32 };

typedef struct listed_folder {
    const char *path;
    uint32_t depth;
} listed_folder;  // "" at the top, depth 0
typedef struct listed_file {
    const char *name;
    const listed_folder *folder;
} listed_file;

void sni_listing_init(sni_listing *listing, const char *folder, const sni_listing_bounds *bounds, sni_arena *arena)
{
    *listing = (sni_listing){ .folder = folder[0] ? folder : ".", .bounds = *bounds, .arena = arena };
}

static int order_files(const listed_file *a, const listed_file *b)
{
    int order = sni_text_compare_nocase(a->name, b->name);
    if (order != 0) return order;
    if (a->folder->depth != b->folder->depth) return a->folder->depth < b->folder->depth ? -1 : 1;
    return sni_text_compare_nocase(a->folder->path, b->folder->path);
}

// Files whose names differ in case alone have an order too.
static int compare_files(const void *a, const void *b)
{
    const listed_file *first = a, *second = b;
    int order = order_files(first, second);
    if (order == 0) order = strcmp(first->folder->path, second->folder->path);
    return order ? order : strcmp(first->name, second->name);
}

static bool join(char *out, size_t capacity, const char *folder, const char *name)
{
    int size = snprintf(out, capacity, "%s%s%s", folder, folder[0] && name[0] ? "/" : "", name);
    return size >= 0 && (size_t)size < capacity;
}

static bool push_folder(sni_listing *listing, sni_list *folders, const listed_folder *above, const char *name)
{
    char path[PATH_MAX];
    bool is_listed = !above || (above->depth < listing->bounds.depth && name[0] != '.');
    if (!is_listed || !join(path, sizeof path, above ? above->path : "", name)) return true;
    const listed_folder **slot = sni_push(listing->arena, folders, const listed_folder *);
    listed_folder *folder = sni_new(listing->arena, listed_folder, 1);
    if (!slot || !folder || !(folder->path = sni_copy_text(listing->arena, path, strlen(path)))) return false;
    folder->depth = above ? above->depth + 1 : 0;
    *slot = folder;
    return true;
}

// A link is followed once, here: thousands that lead out would otherwise be tried for each reference.
static bool leads_out(const sni_listing *listing, const listed_folder *folder, const sni_folder_entry *entry)
{
    char ref[PATH_MAX], path[PATH_MAX];
    return entry->is_link && !(join(ref, sizeof ref, folder->path, entry->name) &&
                               sni_ref_find(listing->folder, ref, path, sizeof path, listing->arena->heap->diag));
}

// False only when memory ran out: a folder that cannot be listed has no files. `room` is how many may still be listed.
static bool list_folder(sni_listing *listing, sni_list *folders, const listed_folder *folder, uint32_t *room)
{
    char path[PATH_MAX];
    sni_diag diag;
    sni_list entries;
    sni_diag_init(&diag, NULL);
    if (!join(path, sizeof path, listing->folder, folder->path)) return true;
    if (!sni_folder_list(path, *room, listing->arena, &diag, &entries)) {
        if (diag.error.status == SN_ERR_LIMIT) *room = 0;
        if (diag.error.status == SN_ERR_MEMORY) listing->arena->heap->diag->error = diag.error;
        return sni_failed(&diag) && diag.error.status != SN_ERR_MEMORY;
    }
    *room -= entries.count;
    for (uint32_t i = 0; i < entries.count; i++) {
        const sni_folder_entry *entry = &((const sni_folder_entry *)entries.items)[i];
        if (entry->is_folder) {
            if (!push_folder(listing, folders, folder, entry->name)) return false;
            continue;
        }
        if (leads_out(listing, folder, entry)) continue;
        listed_file *file = sni_push(listing->arena, &listing->files, listed_file);
        if (!file) return false;
        *file = (listed_file){ entry->name, folder };
    }
    return !sni_failed(listing->arena->heap->diag);
}

// Folders wait in a list that grows at its end: those above come before those below.
static bool list_files(sni_listing *listing)
{
    sni_list folders = { 0 };
    uint32_t room = listing->bounds.entries;
    if (!push_folder(listing, &folders, NULL, "")) return false;
    for (uint32_t i = 0; i < folders.count && room > 0; i++)
        if (!list_folder(listing, &folders, ((const listed_folder **)folders.items)[i], &room)) return false;
    if (listing->files.count > 1) qsort(listing->files.items, listing->files.count, sizeof(listed_file), compare_files);
    return true;
}

// A shared listing does not change once it is made, so that finding needs no lock. One that failed is made again.
static bool make_listing(sni_listing *listing, sni_diag *diag)
{
    sni_heap *heap = listing->arena->heap;
    if (listing->mutex) pthread_mutex_lock(listing->mutex);
    if (!listing->is_listed) {
        sni_diag *outer = heap->diag;
        heap->diag = diag;
        listing->is_listed = list_files(listing);
        heap->diag = outer;
        if (!listing->is_listed) listing->files = (sni_list){ 0 };
        if (!listing->is_listed && listing->mutex) sni_arena_free(listing->arena);
    }
    bool is_listed = listing->is_listed;
    if (listing->mutex) pthread_mutex_unlock(listing->mutex);
    return is_listed;
}

static uint32_t first_not_before(const sni_listing *listing, const listed_file *wanted)
{
    const listed_file *files = listing->files.items;
    uint32_t first = 0, end = listing->files.count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (order_files(&files[middle], wanted) < 0) first = middle + 1;
        else end = middle;
    }
    return first;
}

static bool open_found(const sni_listing *listing, const listed_file *file, char *path, size_t capacity, sni_diag *diag)
{
    char ref[PATH_MAX];
    return join(ref, sizeof ref, file->folder->path, file->name) &&
           sni_ref_find(listing->folder, ref, path, capacity, diag);
}

bool sni_listing_find_path(sni_listing *listing, const char *clean_ref, char *path, size_t capacity, sni_diag *diag)
{
    char above[PATH_MAX] = "";
    const char *name = sni_last_name(clean_ref);
    if (sni_ref_find(listing->folder, clean_ref, path, capacity, diag)) return true;
    if (sni_failed(diag)) return false;
    if ((size_t)(name - clean_ref) >= sizeof above || !make_listing(listing, diag)) return false;
    listed_folder folder = { above, 0 };
    for (const char *at = clean_ref; at < name; at++) folder.depth += *at == '/';
    if (name > clean_ref) memcpy(above, clean_ref, (size_t)(name - clean_ref) - 1);
    const listed_file wanted = { name, &folder }, *files = listing->files.items;
    for (uint32_t i = first_not_before(listing, &wanted); i < listing->files.count; i++) {
        if (order_files(&files[i], &wanted) != 0) break;
        if (open_found(listing, &files[i], path, capacity, diag)) return true;
    }
    return false;
}

bool sni_listing_find_name(sni_listing *listing, const char *name, char *path, size_t capacity, sni_diag *diag)
{
    static const listed_folder top = { "", 0 };
    const listed_file wanted = { name, &top };
    if (!make_listing(listing, diag)) return false;
    const listed_file *files = listing->files.items;
    for (uint32_t i = first_not_before(listing, &wanted); i < listing->files.count; i++) {
        if (sni_text_compare_nocase(files[i].name, name) != 0) break;
        if (open_found(listing, &files[i], path, capacity, diag)) return true;
    }
    return false;
}

// A listing that loads share. It has its own memory.
typedef struct shared_listing {
    sni_listing listing;  // first: a listing that was handed out leads back here
    struct shared_listing *next;
    sni_heap heap;
    sni_arena arena;
    pthread_mutex_t mutex;
    uint32_t users;  // of one around a model; guarded by the search's mutex
    bool is_stale;
    size_t bytes;  // of this struct and the folder's name behind it
    char folder[];
} shared_listing;

// How many listings around models are kept that no load uses, and how much memory one listing may take.
enum { NEAR_KEPT = 8, LISTING_BYTES = 256 << 20 };

struct sn_search {
    sni_heap heap;
    sni_arena arena;
    sni_list folders;       // shared_listing *
    sni_list archives;      // const sn_archive *
    pthread_mutex_t mutex;  // guards what follows, and the heap
    shared_listing *near;   // the newest first
};

static shared_listing *create_shared(sn_search *search, const char *folder, const sni_listing_bounds *bounds)
{
    size_t bytes = sizeof(shared_listing) + strlen(folder) + 1;
    shared_listing *shared = sni_heap_alloc(&search->heap, bytes);
    if (!shared) return NULL;
    *shared = (shared_listing){ .bytes = bytes };
    memcpy(shared->folder, folder, strlen(folder) + 1);
    sni_heap_init(&shared->heap, &search->heap.allocator, LISTING_BYTES);
    sni_arena_init(&shared->arena, &shared->heap);
    pthread_mutex_init(&shared->mutex, NULL);
    sni_listing_init(&shared->listing, shared->folder, bounds, &shared->arena);
    shared->listing.mutex = &shared->mutex;
    return shared;
}

static void free_shared(sn_search *search, shared_listing *shared)
{
    sni_arena_free(&shared->arena);
    pthread_mutex_destroy(&shared->mutex);
    sni_heap_free(&search->heap, shared, shared->bytes);
}

sn_search *sn_search_create(const sn_allocator *allocator)
{
    sni_heap heap;
    sni_heap_init(&heap, allocator, UINT64_MAX);
    sn_search *search = sni_heap_alloc(&heap, sizeof *search);
    if (!search) return NULL;
    *search = (sn_search){ .heap = heap };
    sni_arena_init(&search->arena, &search->heap);
    pthread_mutex_init(&search->mutex, NULL);
    return search;
}

void sn_search_free(sn_search *search)
{
    if (!search) return;
    for (uint32_t i = 0; i < search->folders.count; i++)
        free_shared(search, ((shared_listing **)search->folders.items)[i]);
    for (shared_listing *near = search->near; near;) {
        shared_listing *next = near->next;
        free_shared(search, near);
        near = next;
    }
    pthread_mutex_destroy(&search->mutex);
    sni_heap heap = search->heap;
    search->arena.heap = &heap;
    sni_arena_free(&search->arena);
    sni_heap_free(&heap, search, sizeof *search);
}

static sn_status finish_adding(sn_search *search, const sni_diag *diag, sn_error *error)
{
    search->heap.diag = NULL;
    if (error) *error = diag->error;
    return diag->error.status;
}

sn_status sn_search_add_folder(sn_search *search, const char *folder, sn_error *error)
{
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    search->heap.diag = &diag;
    if (sni_folder_exists(folder, &diag)) {
        shared_listing *shared = create_shared(search, folder, &sni_listing_wide);
        shared_listing **slot = shared ? sni_push(&search->arena, &search->folders, shared_listing *) : NULL;
        if (slot) *slot = shared;
        else if (shared) free_shared(search, shared);
    }
    return finish_adding(search, &diag, error);
}

sn_status sn_search_add_archive(sn_search *search, const sn_archive *archive, sn_error *error)
{
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    search->heap.diag = &diag;
    const sn_archive **slot = sni_push(&search->arena, &search->archives, const sn_archive *);
    if (slot) *slot = archive;
    return finish_adding(search, &diag, error);
}

// Frees what no load uses: stale listings, and all but the newest NEAR_KEPT others.
static void trim_near(sn_search *search)
{
    uint32_t kept = 0;
    for (shared_listing **link = &search->near; *link;) {
        shared_listing *near = *link;
        if (near->users > 0 || (!near->is_stale && kept++ < NEAR_KEPT)) {
            link = &near->next;
        } else {
            *link = near->next;
            free_shared(search, near);
        }
    }
}

void sn_search_refresh(sn_search *search)
{
    pthread_mutex_lock(&search->mutex);
    for (shared_listing *near = search->near; near; near = near->next) near->is_stale = true;
    trim_near(search);
    pthread_mutex_unlock(&search->mutex);
}

sni_listing *sni_search_acquire_near(sn_search *search, const char *folder)
{
    pthread_mutex_lock(&search->mutex);
    shared_listing *near = search->near;
    while (near && (near->is_stale || strcmp(near->folder, folder) != 0)) near = near->next;
    if (!near && (near = create_shared(search, folder, &sni_listing_near))) {
        near->next = search->near;
        search->near = near;
    }
    if (near) near->users++;
    pthread_mutex_unlock(&search->mutex);
    return near ? &near->listing : NULL;
}

void sni_search_release_near(sn_search *search, sni_listing *near)
{
    pthread_mutex_lock(&search->mutex);
    ((shared_listing *)near)->users--;
    trim_near(search);
    pthread_mutex_unlock(&search->mutex);
}

typedef bool (*find_below)(sni_listing *listing, const char *name, char *path, size_t capacity, sni_diag *diag);

static bool find_on_disk(const sni_origin *origin, const char *ref, find_below find, sni_diag *diag, sni_found *found)
{
    const sn_search *search = origin->search;
    found->archive = NULL;
    if (origin->near && find(origin->near, ref, found->path, sizeof found->path, diag)) return true;
    for (uint32_t i = 0; search && i < search->folders.count && !sni_failed(diag); i++) {
        sni_listing *listing = &((shared_listing **)search->folders.items)[i]->listing;
        if (find(listing, ref, found->path, sizeof found->path, diag)) return true;
    }
    return false;
}

typedef bool (*find_inside)(const sn_archive *archive, const char *name, sni_archive_entry *entry);

// The model's own archive comes first.
static bool find_in_archives(const sni_origin *origin, const char *ref, find_inside find, sni_found *found)
{
    const sn_search *search = origin->search;
    found->archive = origin->archive;
    if (origin->archive && find(origin->archive, ref, &found->entry)) return true;
    for (uint32_t i = 0; search && i < search->archives.count; i++) {
        found->archive = ((const sn_archive **)search->archives.items)[i];
        if (found->archive != origin->archive && find(found->archive, ref, &found->entry)) return true;
    }
    return false;
}

static bool find_beside(const sni_origin *origin, const char *ref, sni_found *found)
{
    found->archive = origin->archive;
    if (!origin->archive) return false;
    int size = snprintf(found->path, sizeof found->path, "%s%s", origin->inside, ref);
    return size >= 0 && (size_t)size < sizeof found->path &&
           sni_archive_find(origin->archive, found->path, &found->entry);
}

bool sni_resolve(const sni_origin *origin, const char *ref, bool is_exact, sni_diag *diag, sni_found *found)
{
    found->archive = NULL;
    if (is_exact && !origin->folder) return find_beside(origin, ref, found);
    if (is_exact) return sni_ref_find(origin->folder, ref, found->path, sizeof found->path, diag);
    if (find_on_disk(origin, ref, sni_listing_find_path, diag, found)) return true;
    if (sni_failed(diag)) return false;
    if (find_beside(origin, ref, found)) return true;
    if (find_in_archives(origin, ref, sni_archive_find, found)) return true;
    if (strchr(ref, '/')) return false;
    if (find_on_disk(origin, ref, sni_listing_find_name, diag, found)) return true;
    return !sni_failed(diag) && find_in_archives(origin, ref, sni_archive_find_name, found);
}
