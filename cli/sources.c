#include "sources.h"

#include <limits.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "job.h"

static const uint64_t file_limit = 1 << 30;
static const uint32_t beside_limit = 1 << 16;

bool cli_is_model(const char *name)
{
    sn_format format;
    for (uint32_t i = 0; sn_format_at(i, &format); i++)
        if (sni_has_ending(name, format.extensions)) return true;
    return false;
}

static bool is_on_disk(const char *path) { return strcmp(path, "-") == 0 || access(path, F_OK) == 0; }

static int open_archive(cli_sources *sources, const char *path)
{
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    if (cli_archive_open(&sources->archives[sources->archive_count], path, &sources->arena, &diag)) {
        sources->archive_count++;
        return CLI_EXIT_OK;
    }
    const sn_error *error = sni_failed(&diag) ? &diag.error : &sources->diag.error;
    const char *shown = cli_escape(&sources->arena, path), *text = cli_error_text(&sources->arena, error);
    cli_complain("%s: %s", shown ? shown : "", text ? text : "out of memory");
    return cli_exit_of(error->status);
}

// Packs are models that hold files: extracting is about the files.
static bool is_meant_as_archive(const cli_args *args, const char *path)
{
    return (cli_archive_is(path) || (args->verb == CLI_EXTRACT && cli_archive_is_model(path))) && is_on_disk(path);
}

static int open_archives(cli_sources *sources)
{
    const cli_args *args = sources->args;
    uint32_t most = cli_value_count(args, CLI_OPTION_ARCHIVE) + (uint32_t)args->file_count;
    int code = CLI_EXIT_OK;
    sources->archives = sni_new(&sources->arena, cli_archive, most);
    if (!sources->archives) return CLI_EXIT_DAMAGED;
    for (uint32_t i = 0; cli_value(args, CLI_OPTION_ARCHIVE, i) && code == CLI_EXIT_OK; i++)
        code = open_archive(sources, cli_value(args, CLI_OPTION_ARCHIVE, i));
    for (int i = 0; i < args->file_count && code == CLI_EXIT_OK; i++)
        if (is_meant_as_archive(args, args->files[i])) code = open_archive(sources, args->files[i]);
    return code;
}

static bool begin_folders(cli_sources *sources)
{
    const cli_args *args = sources->args;
    uint32_t count = cli_value_count(args, CLI_OPTION_SEARCH);
    sources->folders = sni_new(&sources->arena, sni_search, count);
    if (!sources->folders) return false;
    for (uint32_t i = 0; i < count; i++)
        sni_search_init(&sources->folders[i], cli_value(args, CLI_OPTION_SEARCH, i), &sni_search_wide, &sources->arena);
    sources->folder_count = count;
    return true;
}

int cli_sources_open(cli_sources *sources, const cli_args *args)
{
    memset(sources, 0, sizeof *sources);
    sources->args = args;
    sni_diag_init(&sources->diag, NULL);
    sni_heap_init(&sources->heap, NULL, UINT64_MAX);
    sources->heap.diag = &sources->diag;
    sni_arena_init(&sources->arena, &sources->heap);
    sni_arena_init(&sources->near_arena, &sources->heap);
    pthread_mutex_init(&sources->mutex, NULL);
    for (uint32_t i = 0; cli_value(args, CLI_OPTION_SEARCH, i); i++) {
        const char *folder = cli_value(args, CLI_OPTION_SEARCH, i);
        if (cli_is_folder(folder)) continue;
        const char *shown = cli_escape(&sources->arena, folder);
        cli_complain("%s: error: '--search' needs a folder", shown ? shown : "");
        return CLI_EXIT_IO;
    }
    if (!begin_folders(sources)) return CLI_EXIT_DAMAGED;
    return open_archives(sources);
}

void cli_sources_close(cli_sources *sources)
{
    for (uint32_t i = 0; i < sources->archive_count; i++) cli_archive_close(&sources->archives[i]);
    sni_arena_free(&sources->near_arena);
    sni_arena_free(&sources->arena);
    pthread_mutex_destroy(&sources->mutex);
}

static bool add_input(sni_arena *arena, sni_list *inputs, cli_input input)
{
    cli_input *slot = sni_push(arena, inputs, cli_input);
    if (slot) *slot = input;
    return slot != NULL;
}

cli_archive *cli_sources_archive(cli_sources *sources, const char *path)
{
    for (uint32_t i = 0; i < sources->archive_count; i++)
        if (strcmp(sources->archives[i].path, path) == 0) return &sources->archives[i];
    return NULL;
}

static bool is_hidden_by(cli_sources *sources, const cli_archive *archive, const char *name)
{
    cli_entry entry;
    for (cli_archive *other = sources->archives; other != archive; other++)
        if (cli_archive_find_path(other, name, &entry)) return true;
    return false;
}

// The models of an archive, those that match where there is a pattern. What an archive before it has comes from there.
static bool expand_archive(cli_sources *sources, cli_archive *archive, const char *pattern, sni_arena *arena,
                           sni_list *inputs)
{
    for (uint32_t i = 0; i < archive->entries.count; i++) {
        const cli_entry *entry = &cli_archive_entries(archive)[i];
        const cli_input input = { entry->name, entry->name, { archive->path, archive, *entry }, false, true };
        bool is_meant = !pattern ||
                        (cli_name_matches(entry->name, pattern) && !is_hidden_by(sources, archive, entry->name));
        if (is_meant && cli_is_model(entry->name) && !add_input(arena, inputs, input)) return false;
    }
    return true;
}

static bool expand_pattern(cli_sources *sources, const char *pattern, sni_arena *arena, sni_list *inputs)
{
    for (uint32_t i = 0; i < sources->archive_count; i++)
        if (!expand_archive(sources, &sources->archives[i], pattern, arena, inputs)) return false;
    return true;
}

static bool find_in_archives(cli_sources *sources, const char *operand, sni_arena *arena, cli_input *input)
{
    char clean[PATH_MAX];
    if (!sni_ref_clean(sni_str_make(operand, strlen(operand)), clean, sizeof clean)) return false;
    const char *name = sni_copy_text(arena, clean, strlen(clean));
    for (uint32_t i = 0; name && i < sources->archive_count; i++) {
        cli_place place = { sources->archives[i].path, &sources->archives[i], { 0 } };
        if (!cli_archive_find_path(place.archive, name, &place.entry)) continue;
        *input = (cli_input){ .name = name, .below = sni_last_name(name), .place = place };
        return true;
    }
    return false;
}

bool cli_sources_expand(cli_sources *sources, const char *operand, bool keeps_archives, sni_arena *arena,
                        sni_list *inputs)
{
    uint32_t before = inputs->count;
    const bool is_there = is_on_disk(operand);
    const char *below = strcmp(operand, "-") == 0 ? "stdin" : sni_last_name(operand);
    cli_archive *archive = is_there ? cli_sources_archive(sources, operand) : NULL;
    cli_input input = { operand, below, { .path = operand, .archive = archive }, archive != NULL, false };
    if (archive && !keeps_archives) {
        if (!expand_archive(sources, archive, NULL, arena, inputs)) return false;
        return inputs->count > before || add_input(arena, inputs, input);
    }
    if (!is_there && strpbrk(operand, "*?") && !expand_pattern(sources, operand, arena, inputs)) return false;
    if (!is_there) find_in_archives(sources, operand, arena, &input);
    return inputs->count > before || add_input(arena, inputs, input);
}

// The folder that a path lies in, with the slash; "" where it has none.
static bool folder_of(const char *path, char *out, size_t capacity)
{
    size_t size = (size_t)(sni_last_name(path) - path);
    if (size >= capacity) return false;
    memcpy(out, path, size);
    out[size] = 0;
    return true;
}

// Models of one folder come one after the other, so one listing is kept.
static sni_search *search_near(cli_sources *sources, const char *folder)
{
    const char *known = sources->near.folder;
    if (!folder[0]) folder = ".";
    if (known && strcmp(known, folder) == 0) return &sources->near;
    sni_arena_free(&sources->near_arena);
    const char *copy = sni_copy_text(&sources->near_arena, folder, strlen(folder));
    sources->near.folder = NULL;
    if (!copy) return NULL;
    sni_search_init(&sources->near, copy, &sni_search_near, &sources->near_arena);
    return &sources->near;
}

typedef bool (*find_below)(sni_search *search, const char *name, char *path, size_t capacity);

static bool find_on_disk(cli_sources *sources, sni_search *near, const char *ref, find_below find, char path[PATH_MAX])
{
    if (near && find(near, ref, path, PATH_MAX)) return true;
    for (uint32_t i = 0; i < sources->folder_count; i++)
        if (find(&sources->folders[i], ref, path, PATH_MAX)) return true;
    return false;
}

typedef bool (*find_inside)(cli_archive *archive, const char *name, cli_entry *entry);

// The model's own archive comes first.
static bool find_inside_archives(cli_sources *sources, cli_archive *own, const char *ref, find_inside find,
                                 cli_place *place)
{
    place->archive = own;
    if (own && find(own, ref, &place->entry)) return true;
    for (uint32_t i = 0; i < sources->archive_count; i++) {
        place->archive = &sources->archives[i];
        if (place->archive != own && find(place->archive, ref, &place->entry)) return true;
    }
    return false;
}

static bool find_beside(const cli_place *model, const char *ref, sni_arena *arena, cli_place *place)
{
    char folder[PATH_MAX];
    if (!model->archive || !folder_of(model->entry.name, folder, sizeof folder)) return false;
    const char *name = cli_format(arena, "%s%s", folder, ref);
    place->archive = model->archive;
    return name && cli_archive_find_path(model->archive, name, &place->entry);
}

static bool find_anywhere(cli_sources *sources, const cli_place *model, const char *ref, bool is_exact,
                          sni_arena *arena, cli_place *place, char path[PATH_MAX])
{
    char folder[PATH_MAX];
    bool has_folder = !model->archive && strcmp(model->path, "-") != 0 && folder_of(model->path, folder, sizeof folder);
    if (is_exact) return has_folder ? sni_ref_find(folder, ref, path, PATH_MAX) : find_beside(model, ref, arena, place);
    sni_search *near = has_folder ? search_near(sources, folder) : NULL;
    if (find_on_disk(sources, near, ref, sni_search_find_path, path)) return true;
    if (find_beside(model, ref, arena, place)) return true;
    if (find_inside_archives(sources, model->archive, ref, cli_archive_find_path, place)) return true;
    place->archive = NULL;
    if (strchr(ref, '/')) return false;
    if (find_on_disk(sources, near, ref, sni_search_find_name, path)) return true;
    return find_inside_archives(sources, model->archive, ref, cli_archive_find_name, place);
}

bool cli_sources_find(cli_sources *sources, const cli_place *model, const char *ref, bool is_exact, sni_arena *arena,
                      cli_place *place)
{
    char path[PATH_MAX];
    *place = (cli_place){ 0 };
    pthread_mutex_lock(&sources->mutex);
    bool is_found = find_anywhere(sources, model, ref, is_exact, arena, place, path);
    pthread_mutex_unlock(&sources->mutex);
    if (is_found) place->path = place->archive ? place->archive->path : sni_copy_text(arena, path, strlen(path));
    return is_found && place->path;
}

static bool add_beside(sni_arena *arena, sni_list *places, const cli_place *place)
{
    cli_place *slot = sni_push(arena, places, cli_place);
    if (slot) *slot = *place;
    return slot != NULL;
}

static bool is_beside(const char *name, const char *model)
{
    const char *dot = strrchr(model, '.');
    return dot && sni_has_ending(name, dot + 1) && !sni_str_is_nocase(sni_str_make(name, strlen(name)), model);
}

static bool list_folder(const cli_place *model, sni_arena *arena, sni_diag *diag, sni_list *places)
{
    char folder[PATH_MAX];
    sni_list entries = { 0 };
    if (!folder_of(model->path, folder, sizeof folder)) return true;
    if (!sni_folder_list(folder[0] ? folder : ".", beside_limit, arena, diag, &entries)) return false;
    for (uint32_t i = 0; i < entries.count; i++) {
        const sni_folder_entry *entry = &((const sni_folder_entry *)entries.items)[i];
        if (entry->is_folder || !is_beside(entry->name, sni_last_name(model->path))) continue;
        const cli_place place = { .path = cli_format(arena, "%s%s", folder, entry->name),
                                  .entry = { .name = entry->name } };
        if (!place.path || !add_beside(arena, places, &place)) return false;
    }
    return true;
}

static bool list_archive(const cli_place *model, sni_arena *arena, sni_list *places)
{
    const cli_entry *entries = cli_archive_entries(model->archive);
    size_t size = (size_t)(sni_last_name(model->entry.name) - model->entry.name);
    for (uint32_t i = 0; i < model->archive->entries.count; i++) {
        const char *name = entries[i].name;
        bool is_there = (size_t)(sni_last_name(name) - name) == size && strncasecmp(name, model->entry.name, size) == 0;
        const cli_place place = { model->path, model->archive, entries[i] };
        if (is_there && is_beside(name, model->entry.name) && !add_beside(arena, places, &place)) return false;
    }
    return true;
}

bool cli_sources_beside(cli_sources *sources, const cli_place *model, sni_arena *arena, sni_diag *diag,
                        sni_list *places)
{
    if (!model->archive) return strcmp(model->path, "-") == 0 || list_folder(model, arena, diag, places);
    pthread_mutex_lock(&sources->mutex);
    bool is_listed = list_archive(model, arena, places);
    pthread_mutex_unlock(&sources->mutex);
    return is_listed;
}

bool cli_sources_read(cli_sources *sources, const cli_place *place, sni_arena *arena, sni_diag *diag, sni_bytes *bytes)
{
    if (!place->archive && sources->archive_count > 0 && !is_on_disk(place->path))
        return sni_fail(diag, SN_ERR_IO, 0, "is neither on disk nor in an archive");
    if (!place->archive) return sni_file_read(place->path, file_limit, arena, diag, bytes);
    pthread_mutex_lock(&sources->mutex);
    bool is_read = cli_archive_read(place->archive, &place->entry, arena, diag, bytes);
    pthread_mutex_unlock(&sources->mutex);
    return is_read;
}

// One more of the places that `text` begins to name.
static const char *add_place(sni_arena *arena, const char *text, const char *word, const char *path)
{
    bool is_first = !text || !text[0] || text[strlen(text) - 1] == ' ';
    const char *shown = cli_escape(arena, path);
    if (!text || !shown) return NULL;
    return cli_format(arena, "%s%s%s", text, is_first ? word : ", ", shown);
}

const char *cli_sources_describe(const cli_sources *sources, const cli_place *model, bool is_exact, sni_arena *arena)
{
    char folder[PATH_MAX] = "";
    const char *text = "";
    bool has_folder = !model->archive && strcmp(model->path, "-") != 0 && folder_of(model->path, folder, sizeof folder);
    if (has_folder) text = add_place(arena, text, is_exact ? "in " : "below ", folder[0] ? folder : "./");
    if (is_exact) return model->archive ? add_place(arena, text, "in ", model->archive->path) : text;
    for (uint32_t i = 0; i < sources->folder_count; i++)
        text = add_place(arena, text, "below ", sources->folders[i].folder);
    if (text && text[0] && sources->archive_count > 0) text = cli_format(arena, "%s; ", text);
    for (uint32_t i = 0; i < sources->archive_count; i++)
        text = add_place(arena, text, "in ", sources->archives[i].path);
    return text;
}
