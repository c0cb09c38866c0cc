// The list of files to step through, and the files to watch for changes.
#include "view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { WATCHED_MAX = 1024 };

typedef struct cli_gather {
    cli_session *session;
    sni_arena *arena;
    sni_list list, images, *opened;  // images: shown if there are no models
    sn_error *error;
    const char *root;  // the folder that is walked, if the user named it
} cli_gather;

static bool fail(sn_error *error, sn_status status, const char *message)
{
    *error = (sn_error){ .status = status };
    snprintf(error->message, sizeof error->message, "%s", message);
    return false;
}

static bool add_file(cli_gather *gather, sni_list *list, const char *path)
{
    cli_input *input = sni_push(gather->arena, list, cli_input);
    if (!input) return fail(gather->error, SN_ERR_MEMORY, "out of memory");
    *input = (cli_input){ .name = path, .below = sni_last_name(path), .path = path, .root = gather->root };
    return true;
}

static bool add_copy(cli_gather *gather, sni_list *list, const char *path)
{
    const char *copy = sni_copy_text(gather->arena, path, strlen(path));
    return copy ? add_file(gather, list, copy) : fail(gather->error, SN_ERR_MEMORY, "out of memory");
}

static bool add_model(void *user, const char *path)
{
    cli_gather *gather = user;
    return add_copy(gather, &gather->list, path);
}

static bool add_other(void *user, const char *path)
{
    cli_gather *gather = user;
    return !cli_is_image(path) || add_copy(gather, &gather->images, path);
}

static int compare_inputs(const void *a, const void *b)
{
    return strcmp(((const cli_input *)a)->name, ((const cli_input *)b)->name);
}

static void sort_from(sni_list *list, uint32_t first)
{
    uint32_t found = list->count - first;
    if (found > 1) qsort((cli_input *)list->items + first, found, sizeof(cli_input), compare_inputs);
}

// Adds the models and images of a folder, and unless it is flat those below it. Subfolders that cannot be read are
// skipped.
static bool add_folder(cli_gather *gather, const char *folder, bool is_flat)
{
    uint32_t first = gather->list.count, first_image = gather->images.count;
    gather->root = is_flat ? NULL : folder;
    const sn_folder_visitor visitor = { .is_flat = is_flat, .model = add_model, .other = add_other, .user = gather };
    sn_error error;
    sn_status status = sn_folder_walk(folder, &visitor, &error);
    gather->root = NULL;
    if (status != SN_OK && status != SN_ERR_CANCELLED) *gather->error = error;  // cancelled: add_model has set it
    if (status != SN_OK) return false;
    sort_from(&gather->list, first);
    sort_from(&gather->images, first_image);
    return true;
}

static bool add_archived(cli_gather *gather, const sn_archive *archive, const char *path)
{
    sn_archive_entry entry;
    for (uint32_t i = 0; sn_archive_at(archive, i, &entry); i++) {
        sni_list *list = sn_is_model_name(entry.name) ? &gather->list : &gather->images;
        if (!sn_is_model_name(entry.name) && !cli_is_image(entry.name)) continue;
        if (!add_file(gather, list, entry.name)) return false;
        cli_input *input = &((cli_input *)list->items)[list->count - 1];
        input->path = path;
        input->archive = archive;
    }
    return true;
}

// Opens an archive that was not on the command line. It stays open.
static const sn_archive *open_archive(cli_gather *gather, const char *path)
{
    sn_archive **slot = sni_push(gather->arena, gather->opened, sn_archive *);
    if (!slot) fail(gather->error, SN_ERR_MEMORY, "out of memory");
    else *slot = sn_archive_open(path, NULL, gather->error);
    return slot ? *slot : NULL;
}

static bool add_path(cli_gather *gather, const char *path)
{
    struct stat info = { 0 };
    const sn_archive *archive = cli_session_archive(gather->session, path);
    bool is_new_archive = !archive && cli_archive_is(path) && stat(path, &info) == 0 && S_ISREG(info.st_mode);
    if (is_new_archive && !(archive = open_archive(gather, path))) return false;
    if (archive) return add_archived(gather, archive, path);
    if (cli_is_folder(path)) return add_folder(gather, path, false);
    return cli_session_expand(gather->session, path, false, gather->arena, &gather->list) ||
           fail(gather->error, SN_ERR_MEMORY, "out of memory");
}

static bool add_with_siblings(cli_gather *gather, const char *path, uint32_t *at)
{
    char *folder = sni_copy_text(gather->arena, path, (size_t)(sni_last_name(path) - path));
    if (!folder) return fail(gather->error, SN_ERR_MEMORY, "out of memory");
    bool is_listed = sn_is_model_name(path) || cli_is_image(path);
    if (is_listed && !add_folder(gather, folder, true) && gather->error->status == SN_ERR_MEMORY) return false;
    if (cli_is_image(path)) gather->list = gather->images;
    for (uint32_t i = 0; i < gather->list.count; i++) {
        const char *name = ((const cli_input *)gather->list.items)[i].name;
        if (strcmp(sni_last_name(name), sni_last_name(path)) != 0) continue;
        *at = i;
        return true;
    }
    gather->list = (sni_list){ 0 };
    return add_file(gather, &gather->list, path);
}

static bool is_plain_file(const cli_session *session, const char *path)
{
    struct stat info = { 0 };
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && !cli_archive_is(path) &&
           !cli_session_archive(session, path);
}

bool cli_files_take(cli_files *files, cli_session *session, char *const *paths, int count, sni_arena *arena,
                    sn_error *error)
{
    cli_gather gather = { .session = session, .arena = arena, .opened = &files->opened, .error = error };
    uint32_t at = 0;
    bool is_collection = false;
    *error = (sn_error){ .status = SN_OK };
    for (int i = 0; i < count; i++) {
        const char *path = sni_copy_text(arena, paths[i], strlen(paths[i]));
        if (!path) return fail(error, SN_ERR_MEMORY, "out of memory");
        bool is_single = count == 1 && is_plain_file(session, path);
        is_collection = is_collection || cli_is_folder(path) || cli_archive_is(path);
        if (!(is_single ? add_with_siblings(&gather, path, &at) : add_path(&gather, path))) return false;
    }
    if (gather.list.count == 0) gather.list = gather.images;
    if (gather.list.count == 0 && count > 0) return fail(error, SN_ERR_FORMAT, "no models or textures found");
    files->list = gather.list;
    files->at = at;
    files->is_collection = is_collection && gather.list.count > 1;
    files->generation++;
    return true;
}

void cli_files_close(cli_files *files)
{
    for (uint32_t i = 0; i < files->opened.count; i++) sn_archive_close(((sn_archive **)files->opened.items)[i]);
}

typedef struct watched {
    const char *path;
    struct timespec changed;
} watched;

static struct timespec change_of(const char *path)
{
    struct stat info = { 0 };
    return stat(path, &info) == 0 ? info.st_mtim : (struct timespec){ 0 };
}

void cli_watch_add(void *user, const char *path)
{
    cli_watch *watch = user;
    const watched *files = watch->files.items;
    for (uint32_t i = 0; i < watch->files.count; i++)
        if (strcmp(files[i].path, path) == 0) return;
    const char *copy = watch->files.count < WATCHED_MAX ? sni_copy_text(watch->arena, path, strlen(path)) : NULL;
    watched *file = copy ? sni_push(watch->arena, &watch->files, watched) : NULL;
    if (file) *file = (watched){ copy, change_of(copy) };
}

bool cli_watch_changed(cli_watch *watch)
{
    bool has_changed = false;
    watched *files = watch->files.items;
    for (uint32_t i = 0; i < watch->files.count; i++) {
        struct timespec now = change_of(files[i].path), then = files[i].changed;
        bool is_there = now.tv_sec != 0 || now.tv_nsec != 0;
        if (!is_there || (now.tv_sec == then.tv_sec && now.tv_nsec == then.tv_nsec)) continue;
        files[i].changed = now;
        has_changed = true;
    }
    return has_changed;
}
