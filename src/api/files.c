// Files and folders for programs that work on many of them, as the tool does.
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "format/format.h"
#include "io/transaction.h"
#include "sinew/files.h"

static sn_status report(const sni_diag *diag, sn_error *error)
{
    if (error) *error = diag->error;
    return diag->error.status;
}

sn_status sn_file_read(const char *path, uint64_t max_bytes, const sn_allocator *allocator, sn_bytes *bytes,
                       sn_error *error)
{
    sni_bytes content = { NULL, 0 };
    sni_owned *owned = sni_owned_begin(allocator, UINT64_MAX, bytes, error);
    if (!owned) return SN_ERR_MEMORY;
    bool is_read = sni_file_read(path, max_bytes ? max_bytes : 1 << 30, &owned->arena, &owned->diag, &content);
    return sni_owned_end(owned, is_read, content, bytes, error);
}

sn_status sn_file_write(const char *path, const void *data, size_t size, sn_error *error)
{
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    sni_file_write(path, data, size, &diag);
    return report(&diag, error);
}

sn_status sn_folder_create(const char *folder, sn_error *error)
{
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    sni_file_make_folders(folder, &diag);
    return report(&diag, error);
}

void sn_folder_clean(const char *folder) { sni_transaction_clean(folder); }

// Warcraft III keeps the data of a map's doodads in war3map.w3d and war3mapSkin.w3d.
static bool is_object_data(const char *name)
{
    const char *last = sni_last_name(name);
    static const char map[] = "war3map", campaign[] = "war3campaign";
    return sni_has_ending(last, "w3d") &&
           (strncasecmp(last, map, sizeof map - 1) == 0 || strncasecmp(last, campaign, sizeof campaign - 1) == 0);
}

bool sn_is_model_name(const char *name)
{
    for (int i = 0; sni_formats[i]; i++)
        if (sni_has_ending(name, sni_formats[i]->extensions)) return !is_object_data(name);
    return false;
}

sn_status sn_part_names(const sn_archive *archive, const char *name, void (*visit)(void *user, const char *name),
                        void *user, sn_error *error)
{
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
    sni_labels labels = { 0 };
    sni_archive_entry entry;
    bool is_read = true;
    const sni_labeller *labeller = NULL;
    for (int i = 0; sni_formats[i] && !labeller; i++)
        if (sni_formats[i]->part_names && sni_has_ending(name, sni_formats[i]->part_names->endings))
            labeller = sni_formats[i]->part_names;
    if (error) *error = (sn_error){ .status = SN_OK };
    if (!labeller) return SN_OK;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, NULL, UINT64_MAX);
    heap.diag = &diag;
    sni_arena_init(&arena, &heap);
    if (!archive) is_read = sni_labels_add_path(&labels, labeller, name, name, &arena);
    else if (sni_archive_find(archive, name, &entry))
        is_read = sni_labels_add_entry(&labels, labeller, archive, &entry, &arena);
    for (uint32_t i = 0; is_read && i < labels.items.count; i++) visit(user, sni_labels_at(&labels, i).at);
    sni_arena_free(&arena);
    return report(&diag, error);
}

typedef struct folder_walk {
    const sn_folder_visitor *visitor;
    sni_arena *arena;  // of the folders that wait
    sni_list waiting;  // const char *
    sni_diag *diag;    // of the walk: no memory, stopped
} folder_walk;

static const char *join(sni_arena *arena, const char *folder, const char *name)
{
    const size_t size = strlen(folder), room = size + strlen(name) + 2;
    char *path = sni_new_raw(arena, char, room);
    if (path) snprintf(path, room, "%s%s%s", folder, size > 0 && folder[size - 1] != '/' ? "/" : "", name);
    return path;
}

// Models are reported at once, folders wait. False when the walk is over.
static bool visit(folder_walk *walk, const char *folder, const sni_folder_entry *entry, sni_arena *scratch)
{
    const sn_folder_visitor *visitor = walk->visitor;
    bool (*const take)(void *, const char *) = sn_is_model_name(entry->name) ? visitor->model : visitor->other;
    if (entry->name[0] == '.' || (entry->is_folder ? visitor->is_flat : !take)) return true;
    const char *path = join(entry->is_folder ? walk->arena : scratch, folder, entry->name);
    if (!path) return false;
    if (!entry->is_folder) {
        if (take(visitor->user, path)) return true;
        return sni_fail(walk->diag, SN_ERR_CANCELLED, 0, "stopped by the visitor");
    }
    if (visitor->enter && !visitor->enter(visitor->user, path)) return true;
    const char **slot = sni_push(walk->arena, &walk->waiting, const char *);
    if (slot) *slot = path;
    return slot != NULL;
}

// A folder below the first that cannot be listed is reported, and skipped.
static bool visit_folder(folder_walk *walk, const char *folder, bool is_first)
{
    sni_arena scratch;
    sni_diag diag;
    sni_list entries;
    sni_diag_init(&diag, NULL);
    sni_arena_init(&scratch, walk->arena->heap);
    bool is_listed = sni_folder_list(folder[0] ? folder : ".", UINT32_MAX, &scratch, &diag, &entries);
    bool is_good = is_listed;
    for (uint32_t i = 0; is_good && i < entries.count; i++)
        is_good = visit(walk, folder, &((const sni_folder_entry *)entries.items)[i], &scratch);
    sni_arena_free(&scratch);
    if (is_listed || sni_failed(walk->diag)) return is_good;
    if (is_first) walk->diag->error = diag.error;
    else if (walk->visitor->failed) walk->visitor->failed(walk->visitor->user, folder, &diag.error);
    return !is_first;
}

sn_status sn_folder_walk(const char *folder, const sn_folder_visitor *visitor, sn_error *error)
{
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_arena_init(&arena, &heap);
    sni_diag_init(&diag, NULL);
    heap.diag = &diag;
    folder_walk walk = { .visitor = visitor, .arena = &arena, .diag = &diag };
    bool is_good = visit_folder(&walk, folder, true);
    while (is_good && walk.waiting.count > 0)
        is_good = visit_folder(&walk, ((const char **)walk.waiting.items)[--walk.waiting.count], false);
    sni_arena_free(&arena);
    return report(&diag, error);
}
