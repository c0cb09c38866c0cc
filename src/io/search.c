#include "io/search.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const sni_search_bounds sni_search_near = { 1 << 14, 4 };
const sni_search_bounds sni_search_wide = { 1 << 19, 32 };

typedef struct search_folder {
    const char *path;
    uint32_t depth;
} search_folder;  // "" at the top, depth 0
typedef struct search_file {
    const char *name;
    const search_folder *folder;
} search_file;

void sni_search_init(sni_search *search, const char *folder, const sni_search_bounds *bounds, sni_arena *arena)
{
    *search = (sni_search){ .folder = folder[0] ? folder : ".", .bounds = *bounds, .arena = arena };
}

static int order_files(const search_file *a, const search_file *b)
{
    int order = sni_text_compare_nocase(a->name, b->name);
    if (order != 0) return order;
    if (a->folder->depth != b->folder->depth) return a->folder->depth < b->folder->depth ? -1 : 1;
    return sni_text_compare_nocase(a->folder->path, b->folder->path);
}

// Files whose names differ in case alone have an order too.
static int compare_files(const void *a, const void *b)
{
    const search_file *first = a, *second = b;
    int order = order_files(first, second);
    if (order == 0) order = strcmp(first->folder->path, second->folder->path);
    return order ? order : strcmp(first->name, second->name);
}

static bool join(char *out, size_t capacity, const char *folder, const char *name)
{
    int size = snprintf(out, capacity, "%s%s%s", folder, folder[0] && name[0] ? "/" : "", name);
    return size >= 0 && (size_t)size < capacity;
}

static bool push_folder(sni_search *search, sni_list *folders, const search_folder *above, const char *name)
{
    char path[PATH_MAX];
    bool is_wanted = !above || (above->depth < search->bounds.depth && name[0] != '.');
    if (!is_wanted || !join(path, sizeof path, above ? above->path : "", name)) return true;
    const search_folder **slot = sni_push(search->arena, folders, const search_folder *);
    search_folder *folder = sni_new(search->arena, search_folder, 1);
    if (!slot || !folder || !(folder->path = sni_copy_text(search->arena, path, strlen(path)))) return false;
    folder->depth = above ? above->depth + 1 : 0;
    *slot = folder;
    return true;
}

// Answers false only when memory ran out: what cannot be listed has no files. `room` is what may still be listed.
static bool list_folder(sni_search *search, sni_list *folders, const search_folder *folder, uint32_t *room)
{
    char path[PATH_MAX];
    sni_diag diag;
    sni_list entries;
    sni_diag_init(&diag, NULL);
    if (!join(path, sizeof path, search->folder, folder->path)) return true;
    if (!sni_folder_list(path, *room, search->arena, &diag, &entries)) {
        if (diag.error.status == SN_ERR_LIMIT) *room = 0;
        return sni_failed(&diag);
    }
    *room -= entries.count;
    for (uint32_t i = 0; i < entries.count; i++) {
        const sni_folder_entry *entry = &((const sni_folder_entry *)entries.items)[i];
        if (entry->is_folder) {
            if (!push_folder(search, folders, folder, entry->name)) return false;
            continue;
        }
        search_file *file = sni_push(search->arena, &search->files, search_file);
        if (!file) return false;
        *file = (search_file){ entry->name, folder };
    }
    return true;
}

// Folders wait in a list that grows at its end: those above come before those below.
static bool list_files(sni_search *search)
{
    sni_list folders = { 0 };
    uint32_t room = search->bounds.entries;
    if (search->is_listed) return true;
    search->is_listed = true;
    if (!push_folder(search, &folders, NULL, "")) return false;
    for (uint32_t i = 0; i < folders.count && room > 0; i++)
        if (!list_folder(search, &folders, ((const search_folder **)folders.items)[i], &room)) return false;
    if (search->files.count > 1) qsort(search->files.items, search->files.count, sizeof(search_file), compare_files);
    return true;
}

static uint32_t first_not_before(const sni_search *search, const search_file *wanted)
{
    const search_file *files = search->files.items;
    uint32_t first = 0, end = search->files.count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (order_files(&files[middle], wanted) < 0) first = middle + 1;
        else end = middle;
    }
    return first;
}

static bool open_found(const sni_search *search, const search_file *file, char *path, size_t capacity)
{
    char ref[PATH_MAX];
    return join(ref, sizeof ref, file->folder->path, file->name) && sni_ref_find(search->folder, ref, path, capacity);
}

bool sni_search_find_path(sni_search *search, const char *clean_ref, char *path, size_t capacity)
{
    char above[PATH_MAX] = "";
    const char *name = sni_last_name(clean_ref);
    if (sni_ref_find(search->folder, clean_ref, path, capacity)) return true;
    if ((size_t)(name - clean_ref) >= sizeof above || !list_files(search)) return false;
    search_folder folder = { above, 0 };
    for (const char *at = clean_ref; at < name; at++) folder.depth += *at == '/';
    if (name > clean_ref) memcpy(above, clean_ref, (size_t)(name - clean_ref) - 1);
    const search_file wanted = { name, &folder }, *files = search->files.items;
    for (uint32_t i = first_not_before(search, &wanted); i < search->files.count; i++) {
        if (order_files(&files[i], &wanted) != 0) break;
        if (open_found(search, &files[i], path, capacity)) return true;
    }
    return false;
}

bool sni_search_find_name(sni_search *search, const char *name, char *path, size_t capacity)
{
    static const search_folder top = { "", 0 };
    const search_file wanted = { name, &top };
    if (!list_files(search)) return false;
    const search_file *files = search->files.items;
    for (uint32_t i = first_not_before(search, &wanted); i < search->files.count; i++) {
        if (sni_text_compare_nocase(files[i].name, name) != 0) break;
        if (open_found(search, &files[i], path, capacity)) return true;
    }
    return false;
}
