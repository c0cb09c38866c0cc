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
    uint32_t hash;  // of the name, ignoring case
} listed_file;

static uint32_t hash_name(const char *name) { return sni_hash_nocase(sni_str_make(name, strlen(name))); }

void sni_listing_init(sni_listing *listing, const char *folder, const sni_listing_bounds *bounds, sni_arena *arena)
{
    *listing = (sni_listing){ .folder = folder[0] ? folder : ".", .bounds = *bounds, .arena = arena };
}

static int order_places(const listed_file *a, const listed_file *b)
{
    int order = sni_text_compare_nocase(a->name, b->name);
    if (order != 0) return order;
    if (a->folder->depth != b->folder->depth) return a->folder->depth < b->folder->depth ? -1 : 1;
    return sni_text_compare_nocase(a->folder->path, b->folder->path);
}

// By hash first: a folder of many thousand files is sorted in a tenth of the time.
static int order_files(const listed_file *a, const listed_file *b)
{
    return a->hash != b->hash ? a->hash < b->hash ? -1 : 1 : order_places(a, b);
}

// Files whose names differ in case alone have an order too.
static int compare_rest(const listed_file *first, const listed_file *second)
{
    int order = strcmp(first->folder->path, second->folder->path);
    return order ? order : strcmp(first->name, second->name);
}

static int compare_files(const void *a, const void *b)
{
    int order = order_files(a, b);
    return order ? order : compare_rest(a, b);
}

static int compare_names(const void *a, const void *b)
{
    const listed_file *first = *(const listed_file *const *)a, *second = *(const listed_file *const *)b;
    int order = order_places(first, second);
    return order ? order : compare_rest(first, second);
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
static bool leads_out(sni_root *root, const listed_folder *folder, const sni_folder_entry *entry, sni_diag *diag)
{
    char ref[PATH_MAX], path[PATH_MAX];
    return entry->is_link && !(join(ref, sizeof ref, folder->path, entry->name) &&
                               sni_root_find(root, ref, NULL, path, sizeof path, diag));
}

// False only when memory ran out: a folder that cannot be listed has no files. `room` is how many may still be listed.
static bool list_folder(sni_listing *listing, sni_root *root, sni_list *folders, const listed_folder *folder,
                        uint32_t *room)
{
    char path[PATH_MAX];
    sni_diag diag;
    sni_list entries;
    sni_diag_init(&diag, NULL);
    if (!join(path, sizeof path, listing->folder, folder->path)) return true;
    if (!sni_folder_read(path, *room, listing->arena, &diag, &entries)) {
        if (diag.error.status == SN_ERR_LIMIT) *room = 0;
        if (diag.error.status == SN_ERR_MEMORY) listing->arena->heap->diag->error = diag.error;
        return sni_failed(&diag) && diag.error.status != SN_ERR_MEMORY;
    }
    *room -= entries.count;
    uint32_t folder_count = 0;
    sni_folder_entry *all = entries.items;
    for (uint32_t i = 0; i < entries.count; i++) {
        const sni_folder_entry entry = all[i];
        if (entry.is_folder) {
            all[folder_count++] = entry;
            continue;
        }
        if (leads_out(root, folder, &entry, listing->arena->heap->diag)) continue;
        listed_file *file = sni_push(listing->arena, &listing->files, listed_file);
        if (!file) return false;
        *file = (listed_file){ entry.name, folder, hash_name(entry.name) };
    }
    sni_folder_sort(all, folder_count);
    for (uint32_t i = 0; i < folder_count; i++)
        if (!push_folder(listing, folders, folder, all[i].name)) return false;
    return !sni_failed(listing->arena->heap->diag);
}

// Folders wait in a list that grows at its end: those above come before those below.
static bool list_files(sni_listing *listing)
{
    sni_list folders = { 0 };
    sni_root root;
    uint32_t room = listing->bounds.entries;
    bool is_good = push_folder(listing, &folders, NULL, "");
    sni_root_init(&root, listing->folder);
    for (uint32_t i = 0; is_good && i < folders.count && room > 0; i++)
        is_good = list_folder(listing, &root, &folders, ((const listed_folder **)folders.items)[i], &room);
    sni_root_close(&root);
    if (!is_good) return false;
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

static bool find_listed(sni_root *root, const listed_file *file, int *open, char path[PATH_MAX], sni_diag *diag)
{
    char ref[PATH_MAX];
    return join(ref, sizeof ref, file->folder->path, file->name) &&
           sni_root_find(root, ref, open, path, PATH_MAX, diag);
}

bool sni_listing_find_path(sni_listing *listing, sni_root *root, const char *clean_ref, sni_found *found,
                           sni_diag *diag)
{
    char above[PATH_MAX];
    const char *name = sni_last_name(clean_ref);
    if (sni_root_find(root, clean_ref, &found->file, found->path, sizeof found->path, diag)) return true;
    if (sni_failed(diag)) return false;
    const size_t size = name > clean_ref ? (size_t)(name - clean_ref) - 1 : 0;
    if (size >= sizeof above || !make_listing(listing, diag)) return false;
    listed_folder folder = { above, 0 };
    for (const char *at = clean_ref; at < name; at++) folder.depth += *at == '/';
    memcpy(above, clean_ref, size);
    above[size] = 0;
    const listed_file wanted = { name, &folder, hash_name(name) }, *files = listing->files.items;
    for (uint32_t i = first_not_before(listing, &wanted); i < listing->files.count; i++) {
        if (order_files(&files[i], &wanted) != 0) break;
        if (find_listed(root, &files[i], &found->file, found->path, diag)) return true;
    }
    return false;
}

bool sni_listing_find_name(sni_listing *listing, sni_root *root, const char *name, sni_found *found, sni_diag *diag)
{
    static const listed_folder top = { "", 0 };
    const listed_file wanted = { name, &top, hash_name(name) };
    if (!make_listing(listing, diag)) return false;
    const listed_file *files = listing->files.items;
    for (uint32_t i = first_not_before(listing, &wanted); i < listing->files.count; i++) {
        if (files[i].hash != wanted.hash || sni_text_compare_nocase(files[i].name, name) != 0) break;
        if (find_listed(root, &files[i], &found->file, found->path, diag)) return true;
    }
    return false;
}

// Labels are made once, like a listing. `lock` guards them where threads share them; else NULL.
typedef struct labelling {
    sni_labels *labels;
    sni_arena *arena;
    pthread_mutex_t *lock;
} labelling;

static bool label_listing(const sni_listing *listing, const sni_labeller *labeller, const labelling *l)
{
    const listed_file *files = listing->files.items,
                      **suited = sni_new_raw(l->arena, const listed_file *, listing->files.count);
    char path[PATH_MAX];
    sni_root root;
    uint32_t count = 0;
    bool is_good = suited != NULL;
    for (uint32_t i = 0; is_good && i < listing->files.count; i++)
        if (sni_has_ending(files[i].name, labeller->endings)) suited[count++] = &files[i];
    if (count > 1) qsort(suited, count, sizeof *suited, compare_names);
    sni_root_init(&root, listing->folder);
    for (uint32_t i = 0; is_good && i < count; i++) {
        if (find_listed(&root, suited[i], NULL, path, l->arena->heap->diag))
            is_good = sni_labels_add_path(l->labels, labeller, path, suited[i]->name, l->arena);
        else is_good = !sni_failed(l->arena->heap->diag);
    }
    sni_root_close(&root);
    return is_good;
}

// Of a listing that is listed, or of an archive. After a failure they are made again.
static bool make_labels(const labelling *l, const sni_listing *listing, const sn_archive *archive,
                        const sni_labeller *labeller, sni_diag *diag)
{
    sni_heap *heap = l->arena->heap;
    if (l->lock) pthread_mutex_lock(l->lock);
    if (!l->labels->is_made) {
        sni_diag *outer = heap->diag;
        heap->diag = diag;
        *l->labels = (sni_labels){ 0 };
        l->labels->is_made = listing ? label_listing(listing, labeller, l)
                                     : sni_labels_add_archive(l->labels, labeller, archive, l->arena);
        heap->diag = outer;
    }
    bool is_made = l->labels->is_made;
    if (l->lock) pthread_mutex_unlock(l->lock);
    return is_made && !sni_failed(diag);
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

// An archive with its labels, which loads share.
typedef struct shared_archive {
    const sn_archive *archive;
    sn_archive *own;  // the same, where the search has opened it
    sni_heap heap;
    sni_arena arena;
    pthread_mutex_t mutex;
    sni_labels labels;
} shared_archive;

// A base game: loose files, then archives.
typedef struct game {
    shared_listing *folder;  // NULL: one archive
    sni_list archives;       // shared_archive *
    const char *formats;     // of the models that it is for; NULL: all
} game;

// How many listings around models are kept that no load uses, and how much memory one listing may take.
enum { NEAR_KEPT = 8, LISTING_BYTES = 256 << 20 };

struct sn_search {
    sni_heap heap;
    sni_arena arena;
    sni_list folders;       // shared_listing *
    sni_list archives;      // shared_archive *
    sni_list games;         // game
    pthread_mutex_t mutex;  // guards what follows, and the heap
    shared_listing *near;   // the last used first
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

static void free_archives(sn_search *search, const sni_list *archives)
{
    for (uint32_t i = 0; i < archives->count; i++) {
        shared_archive *shared = ((shared_archive **)archives->items)[i];
        sni_arena_free(&shared->arena);
        pthread_mutex_destroy(&shared->mutex);
        sn_archive_close(shared->own);
        sni_heap_free(&search->heap, shared, sizeof *shared);
    }
}

void sn_search_free(sn_search *search)
{
    if (!search) return;
    for (uint32_t i = 0; i < search->folders.count; i++)
        free_shared(search, ((shared_listing **)search->folders.items)[i]);
    free_archives(search, &search->archives);
    for (uint32_t i = 0; i < search->games.count; i++) {
        const game *one = &((const game *)search->games.items)[i];
        if (one->folder) free_shared(search, one->folder);
        free_archives(search, &one->archives);
    }
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

static bool add_archive(sn_search *search, sni_list *archives, const sn_archive *archive, sn_archive *own)
{
    shared_archive *shared = sni_heap_alloc(&search->heap, sizeof *shared);
    shared_archive **slot = shared ? sni_push(&search->arena, archives, shared_archive *) : NULL;
    if (!slot) {
        if (shared) sni_heap_free(&search->heap, shared, sizeof *shared);
        return false;
    }
    *shared = (shared_archive){ .archive = archive, .own = own };
    sni_heap_init(&shared->heap, &search->heap.allocator, LISTING_BYTES);
    sni_arena_init(&shared->arena, &shared->heap);
    pthread_mutex_init(&shared->mutex, NULL);
    *slot = shared;
    return true;
}

sn_status sn_search_add_archive(sn_search *search, const sn_archive *archive, sn_error *error)
{
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    search->heap.diag = &diag;
    add_archive(search, &search->archives, archive, NULL);
    return finish_adding(search, &diag, error);
}

// Base games

enum { GAME_ENTRIES = 1 << 16, GAME_DEPTH = 3, GAME_ARCHIVES = 256 };

// Warcraft III: a patch hides the expansion, which hides the game; what is local hides what is not.
static int war3_rank(const char *path)
{
    static const char *const names[] = { "war3patch.mpq", "war3xlocal.mpq", "war3x.mpq", "war3local.mpq", "war3.mpq" };
    enum { COUNT = sizeof names / sizeof *names };
    int rank = 0;
    while (rank < COUNT && sni_text_compare_nocase(sni_last_name(path), names[rank]) != 0) rank++;
    return rank;
}

// Other archives as the engine of Generals has them: by path, ignoring case; of two files the first one counts.
static int compare_game_archives(const void *a, const void *b)
{
    const char *first = *(const char *const *)a, *second = *(const char *const *)b;
    int order = war3_rank(first) - war3_rank(second);
    if (order == 0) order = sni_text_compare_nocase(first, second);
    return order ? order : strcmp(first, second);
}

// An index of a disc archive is opened with its .dat.
static bool is_game_archive(const char *name)
{
    sn_archive_format format;
    if (sni_has_ending(name, "hd2 hd3 hd4 hd6 hed w3m w3x w3n")) return false;
    for (uint32_t i = 0; sn_archive_format_at(i, &format); i++)
        if (!format.is_model && sni_has_ending(name, format.extensions)) return true;
    return false;
}

// The archives in a game's folder and below, as paths. The listing of loose files is made later, when one is needed.
static bool list_game_archives(sni_listing *listing, sni_list *paths, sni_diag *diag)
{
    if (!make_listing(listing, diag)) return false;
    const listed_file *files = listing->files.items;
    sni_root root;
    bool is_good = true;
    sni_root_init(&root, listing->folder);
    for (uint32_t i = 0; is_good && i < listing->files.count; i++) {
        char path[PATH_MAX];
        if (!is_game_archive(files[i].name) || !find_listed(&root, &files[i], NULL, path, diag)) continue;
        const char **slot = sni_push(listing->arena, paths, const char *);
        is_good = slot && (*slot = sni_copy_text(listing->arena, path, strlen(path)));
    }
    sni_root_close(&root);
    if (!is_good) return false;
    if (paths->count > 1) qsort(paths->items, paths->count, sizeof(const char *), compare_game_archives);
    return !sni_failed(diag);
}

// False only when memory ran out. An archive that is named by itself must be one.
static bool open_game_archive(sn_search *search, game *one, const char *path, bool is_named, sn_game_info *info,
                              sni_diag *diag)
{
    sn_error error;
    sn_archive *archive = one->archives.count < GAME_ARCHIVES
                              ? sn_archive_open(path, &(sn_archive_opts){ .allocator = search->heap.allocator }, &error)
                              : NULL;
    if (archive && !add_archive(search, &one->archives, archive, archive)) {
        sn_archive_close(archive);
        return false;
    }
    info->archive_count += archive != NULL;
    info->failed_count += archive == NULL;
    if (archive || one->archives.count >= GAME_ARCHIVES) return true;
    if (!info->failed[0]) snprintf(info->failed, sizeof info->failed, "%s", path);
    if (is_named || error.status == SN_ERR_MEMORY) diag->error = error;
    return diag->error.status == SN_OK;
}

static bool open_game(sn_search *search, const char *path, game *one, sn_game_info *info, sni_diag *diag)
{
    static const sni_listing_bounds bounds = { GAME_ENTRIES, GAME_DEPTH };
    sni_heap heap;
    sni_arena arena;
    sni_listing listing;
    sni_list paths = { 0 };
    sni_diag no_folder;
    sni_diag_init(&no_folder, NULL);
    if (!sni_folder_exists(path, &no_folder)) return open_game_archive(search, one, path, true, info, diag);
    if (!(one->folder = create_shared(search, path, &sni_listing_wide))) return false;
    sni_heap_init(&heap, &search->heap.allocator, LISTING_BYTES);
    heap.diag = diag;
    sni_arena_init(&arena, &heap);
    sni_listing_init(&listing, path, &bounds, &arena);
    bool is_good = list_game_archives(&listing, &paths, diag);
    for (uint32_t i = 0; is_good && i < paths.count; i++)
        is_good = open_game_archive(search, one, ((const char **)paths.items)[i], false, info, diag);
    sni_arena_free(&arena);
    return is_good;
}

sn_status sn_search_add_game(sn_search *search, const char *path, const char *formats, sn_game_info *info,
                             sn_error *error)
{
    sni_diag diag;
    sn_game_info ignored;
    if (!info) info = &ignored;
    *info = (sn_game_info){ 0 };
    sni_diag_init(&diag, NULL);
    search->heap.diag = &diag;
    game *one = sni_push(&search->arena, &search->games, game);
    if (one && formats) one->formats = sni_copy_text(&search->arena, formats, strlen(formats));
    if (one && (!formats || one->formats)) open_game(search, path, one, info, &diag);
    return finish_adding(search, &diag, error);
}

// Frees what no load uses: stale listings, and all but the NEAR_KEPT last used others.
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

sni_listing *sni_search_acquire(sn_search *search, const char *folder, const sni_listing_bounds *bounds)
{
    pthread_mutex_lock(&search->mutex);
    shared_listing **link = &search->near, *near;
    while (*link && ((*link)->is_stale || (*link)->listing.bounds.entries != bounds->entries ||
                     strcmp((*link)->folder, folder) != 0))
        link = &(*link)->next;
    near = *link;
    if (near) *link = near->next;
    else near = create_shared(search, folder, bounds);
    if (near) {
        near->next = search->near;
        search->near = near;
        near->users++;
    }
    pthread_mutex_unlock(&search->mutex);
    return near ? &near->listing : NULL;
}

static void search_release(sn_search *search, sni_listing *listing)
{
    pthread_mutex_lock(&search->mutex);
    ((shared_listing *)listing)->users--;
    trim_near(search);
    pthread_mutex_unlock(&search->mutex);
}

// Finding: by path or by last name, on disk and in archives.

static sni_root *find_root(sni_origin *origin, const char *folder, sni_diag *diag)
{
    sni_root **roots = origin->roots.items, **slot;
    for (uint32_t i = 0; i < origin->roots.count; i++)
        if (strcmp(roots[i]->folder, folder) == 0) return roots[i];
    sni_root *root = sni_new_raw(origin->arena, sni_root, 1);
    if (!root || !(slot = sni_push(origin->arena, &origin->roots, sni_root *))) {
        sni_fail(diag, SN_ERR_MEMORY, 0, "out of memory");
        return NULL;
    }
    sni_root_init(root, folder);
    return *slot = root;
}

void sni_origin_close(sni_origin *origin)
{
    for (uint32_t i = 0; i < origin->roots.count; i++) sni_root_close(((sni_root **)origin->roots.items)[i]);
    for (int i = 0; i < SNI_LISTINGS; i++)
        if (origin->listings[i] && origin->search) search_release(origin->search, origin->listings[i]);
    *origin = (sni_origin){ 0 };
}

typedef struct finder {
    bool (*below)(sni_listing *listing, sni_root *root, const char *name, sni_found *found, sni_diag *diag);
    bool (*inside)(const sn_archive *archive, const char *name, sni_archive_entry *entry);
} finder;

static const finder by_path = { sni_listing_find_path, sni_archive_find },
                    by_name = { sni_listing_find_name, sni_archive_find_name };

static bool find_below(sni_origin *origin, sni_listing *listing, const char *ref, const finder *find, sni_diag *diag,
                       sni_found *found)
{
    sni_root *root = find_root(origin, listing->folder, diag);
    found->archive = NULL;
    return root && find->below(listing, root, ref, found, diag);
}

static bool find_on_disk(sni_origin *origin, const char *ref, const finder *find, sni_diag *diag, sni_found *found)
{
    const sn_search *search = origin->search;
    for (int i = 0; i < SNI_LISTINGS && !sni_failed(diag); i++)
        if (origin->listings[i] && find_below(origin, origin->listings[i], ref, find, diag, found)) return true;
    for (uint32_t i = 0; search && i < search->folders.count && !sni_failed(diag); i++) {
        sni_listing *listing = &((shared_listing **)search->folders.items)[i]->listing;
        if (find_below(origin, listing, ref, find, diag, found)) return true;
    }
    return false;
}

static bool find_in_archives(const sni_origin *origin, const sni_list *archives, const char *ref, const finder *find,
                             sni_found *found)
{
    for (uint32_t i = 0; i < archives->count; i++) {
        found->archive = ((shared_archive **)archives->items)[i]->archive;
        if (found->archive != origin->archive && find->inside(found->archive, ref, &found->entry)) return true;
    }
    return false;
}

// The model's own archive comes first.
static bool find_packed(const sni_origin *origin, const char *ref, const finder *find, sni_found *found)
{
    found->archive = origin->archive;
    if (origin->archive && find->inside(origin->archive, ref, &found->entry)) return true;
    return origin->search && find_in_archives(origin, &origin->search->archives, ref, find, found);
}

static bool find_beside(const sni_origin *origin, const char *ref, sni_found *found)
{
    found->archive = origin->archive;
    if (!origin->archive) return false;
    int size = snprintf(found->path, sizeof found->path, "%s%s", origin->inside, ref);
    return size >= 0 && (size_t)size < sizeof found->path &&
           sni_archive_find(origin->archive, found->path, &found->entry);
}

static bool is_for(const game *one, const sni_origin *origin)
{
    if (!one->formats || !origin->format) return true;
    const size_t size = strlen(origin->format);
    for (const char *at = one->formats; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (length == size && memcmp(at, origin->format, size) == 0) return true;
        at += length;
    }
    return false;
}

static bool find_in_games(sni_origin *origin, const char *ref, const finder *find, sni_diag *diag, sni_found *found)
{
    const sn_search *search = origin->search;
    for (uint32_t i = 0; search && i < search->games.count && !sni_failed(diag); i++) {
        const game *one = &((const game *)search->games.items)[i];
        if (!is_for(one, origin)) continue;
        if (one->folder && find_below(origin, &one->folder->listing, ref, find, diag, found)) return true;
        if (!sni_failed(diag) && find_in_archives(origin, &one->archives, ref, find, found)) return true;
    }
    return false;
}

bool sni_resolve(sni_origin *origin, const char *ref, sni_tier tier, sni_diag *diag, sni_found *found)
{
    const bool has_folders = strchr(ref, '/') != NULL;
    if (tier == SNI_TIER_GAME)
        return find_in_games(origin, ref, &by_path, diag, found) ||
               (!has_folders && !sni_failed(diag) && find_in_games(origin, ref, &by_name, diag, found));
    if (find_on_disk(origin, ref, &by_path, diag, found)) return true;
    if (sni_failed(diag)) return false;
    if (find_beside(origin, ref, found) || find_packed(origin, ref, &by_path, found)) return true;
    if (has_folders) return false;
    if (find_on_disk(origin, ref, &by_name, diag, found)) return true;
    return !sni_failed(diag) && find_packed(origin, ref, &by_name, found);
}

bool sni_resolve_exact(sni_origin *origin, const char *ref, sni_diag *diag, sni_found *found)
{
    found->archive = NULL;
    if (!origin->folder) return find_beside(origin, ref, found);
    sni_root *root = find_root(origin, origin->folder, diag);
    return root && sni_root_find(root, ref, &found->file, found->path, sizeof found->path, diag);
}

static bool find_above(sni_origin *origin, const char *folder, const char *ref, sni_diag *diag, sni_found *found)
{
    sni_root *root = find_root(origin, folder, diag);
    return root && sni_root_find_from(root, origin->folder, ref, &found->file, found->path, sizeof found->path, diag);
}

bool sni_resolve_above(sni_origin *origin, const char *ref, sni_diag *diag, sni_found *found)
{
    const sn_search *search = origin->search;
    found->archive = NULL;
    if (!origin->folder) return false;
    if (origin->listings[SNI_ROOT] && find_above(origin, origin->listings[SNI_ROOT]->folder, ref, diag, found))
        return true;
    for (uint32_t i = 0; search && i < search->folders.count && !sni_failed(diag); i++)
        if (find_above(origin, ((shared_listing **)search->folders.items)[i]->folder, ref, diag, found)) return true;
    return false;
}

// Finding by label

typedef struct label_search {
    sni_origin *origin;
    const sni_labeller *labeller;
    char kind;
    sni_str label;
    sni_label_visit visit;
    void *user;
    bool *is_cut;
    sni_diag *diag;
} label_search;

static bool visit_labelled(const label_search *search, const labelling *l, sni_listing *listing,
                           const sn_archive *archive)
{
    const char *name;
    if (listing && !make_listing(listing, search->diag)) return false;
    if (!make_labels(l, listing, archive, search->labeller, search->diag)) return false;
    *search->is_cut |= l->labels->is_cut;
    sni_map_cursor at = sni_labels_find(l->labels, search->kind, search->label);
    while ((name = sni_labels_next(l->labels, &at, search->kind, search->label)))
        if (!search->visit(search->user, name)) return false;
    return true;
}

static bool visit_listing(const label_search *search, sni_listing *listing)
{
    return visit_labelled(search, &(labelling){ &listing->labels, listing->arena, listing->mutex }, listing, NULL);
}

static bool visit_archives(const label_search *search, const sni_list *archives, bool *has_own)
{
    for (uint32_t i = 0; i < archives->count; i++) {
        shared_archive *shared = ((shared_archive **)archives->items)[i];
        *has_own |= shared->archive == search->origin->archive;
        const labelling l = { &shared->labels, &shared->arena, &shared->mutex };
        if (!visit_labelled(search, &l, NULL, shared->archive)) return false;
    }
    return true;
}

bool sni_resolve_label(sni_origin *origin, const sni_labeller *labeller, char kind, sni_str label,
                       sni_label_visit visit, void *user, bool *is_cut, sni_diag *diag)
{
    const label_search find = { origin, labeller, kind, label, visit, user, is_cut, diag };
    const sn_search *search = origin->search;
    bool has_own = origin->archive == NULL;
    for (int i = 0; i < SNI_LISTINGS; i++)
        if (origin->listings[i] && !visit_listing(&find, origin->listings[i])) return false;
    for (uint32_t i = 0; search && i < search->folders.count; i++)
        if (!visit_listing(&find, &((shared_listing **)search->folders.items)[i]->listing)) return false;
    if (search && !visit_archives(&find, &search->archives, &has_own)) return false;
    const labelling own = { &origin->archive_labels, origin->arena, NULL };
    if (!has_own && !visit_labelled(&find, &own, NULL, origin->archive)) return false;
    for (uint32_t i = 0; search && i < search->games.count; i++) {
        const game *one = &((const game *)search->games.items)[i];
        if (!is_for(one, origin)) continue;
        if (one->folder && !visit_listing(&find, &one->folder->listing)) return false;
        if (!visit_archives(&find, &one->archives, &has_own)) return false;
    }
    return true;
}
