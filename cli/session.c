#include "session.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "job.h"

enum { MOST_MEBIBYTES = 1 << 20 };

bool cli_is_image(const char *name)
{
    sn_image_format format;
    for (uint32_t i = 0; sn_image_format_at(i, &format); i++)
        if (sni_has_ending(name, format.extensions)) return true;
    return false;
}

bool cli_is_on_disk(const char *path) { return strcmp(path, "-") == 0 || access(path, F_OK) == 0; }

bool cli_parent_folder(const char *path, char *folder, size_t capacity)
{
    size_t size = (size_t)(sni_last_name(path) - path);
    if (size >= capacity) return false;
    memcpy(folder, path, size);
    folder[size] = 0;
    return true;
}

void cli_clean_beside(const char *path)
{
    char folder[PATH_MAX];
    if (path && strcmp(path, "-") != 0 && cli_parent_folder(path, folder, sizeof folder)) sn_folder_clean(folder);
}

static bool has_archive_ending(const char *path, bool is_model)
{
    sn_archive_format format;
    for (uint32_t i = 0; sn_archive_format_at(i, &format); i++)
        if (format.is_model == is_model && sni_has_ending(path, format.extensions)) return true;
    return false;
}

bool cli_archive_is(const char *path) { return has_archive_ending(path, false); }

// Without recursion: after a mismatch only the last star can take one character more.
bool cli_name_matches(const char *name, const char *pattern)
{
    const char *star = NULL, *resume = NULL;
    while (*name) {
        char one[2] = { *name, 0 }, other[2] = { *pattern == '\\' ? '/' : *pattern, 0 };
        if (*pattern == '*') {
            star = ++pattern;
            resume = name;
        } else if (*pattern && (*pattern == '?' || sni_text_compare_nocase(one, other) == 0)) {
            name++, pattern++;
        } else if (star) {
            pattern = star;
            name = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*') pattern++;
    return *pattern == 0;
}

static int fail_path(cli_session *session, const char *path, const sn_error *error)
{
    const char *shown = cli_escape(&session->arena, path), *text = cli_error_text(&session->arena, error);
    cli_complain("%s: %s", shown ? shown : "", text ? text : "out of memory");
    return cli_exit_of(error->status);
}

static int open_archive(cli_session *session, const char *path)
{
    sn_error error;
    sn_archive *archive = sn_archive_open(path, NULL, &error);
    if (!archive) return fail_path(session, path, &error);
    session->archives[session->archive_count++] = archive;
    return sn_search_add_archive(session->search, archive, &error) == SN_OK ? CLI_EXIT_OK
                                                                            : fail_path(session, path, &error);
}

// Packs are models that hold files: extract treats them as archives.
static bool is_meant_as_archive(const cli_args *args, const char *path)
{
    bool has_packs = args->verb == CLI_EXTRACT && !cli_has(args, CLI_OPTION_TEXTURES);
    return (cli_archive_is(path) || (has_packs && has_archive_ending(path, true))) && cli_is_on_disk(path) &&
           !cli_is_folder(path);
}

static int open_archives(cli_session *session)
{
    const cli_args *args = session->args;
    uint32_t most = cli_value_count(args, CLI_OPTION_ARCHIVE) + (uint32_t)args->file_count;
    int code = CLI_EXIT_OK;
    session->archives = sni_new(&session->arena, sn_archive *, most);
    if (!session->archives) return cli_no_memory();
    for (uint32_t i = 0; cli_value(args, CLI_OPTION_ARCHIVE, i) && code == CLI_EXIT_OK; i++)
        code = open_archive(session, cli_value(args, CLI_OPTION_ARCHIVE, i));
    for (int i = 0; i < args->file_count && code == CLI_EXIT_OK; i++)
        if (is_meant_as_archive(args, args->files[i])) code = open_archive(session, args->files[i]);
    return code;
}

int cli_session_open(cli_session *session, const cli_args *args)
{
    memset(session, 0, sizeof *session);
    session->args = args;
    sni_diag_init(&session->diag, NULL);
    sni_heap_init(&session->heap, NULL, UINT64_MAX);
    session->heap.diag = &session->diag;
    sni_arena_init(&session->arena, &session->heap);
    session->search = sn_search_create(NULL);
    pthread_mutex_init(&session->mutex, NULL);
    cli_stop_init(&session->stop);
    uint32_t mebibytes;
    if (!cli_shard_read(args, &session->shard)) return CLI_EXIT_USAGE;
    if (!cli_read_number(args, CLI_OPTION_TEAM, 0, CLI_TEAM_MAX, 0, &session->team)) return CLI_EXIT_USAGE;
    if (!cli_read_number(args, CLI_OPTION_MAX_MEMORY, 1, MOST_MEBIBYTES, 0, &mebibytes)) return CLI_EXIT_USAGE;
    session->max_memory = (uint64_t)mebibytes << 20;
    if (!session->search) return cli_no_memory();
    for (uint32_t i = 0; cli_value(args, CLI_OPTION_SEARCH, i); i++) {
        const char *folder = cli_value(args, CLI_OPTION_SEARCH, i), *shown;
        sn_error error;
        if (sn_search_add_folder(session->search, folder, &error) == SN_OK) continue;
        if (error.status == SN_ERR_MEMORY) return cli_no_memory();
        shown = cli_escape(&session->arena, folder);
        cli_complain("%s: error: '--search' needs a folder", shown ? shown : "");
        return CLI_EXIT_IO;
    }
    int code = open_archives(session);
    return code == CLI_EXIT_OK ? cli_games_add(session) : code;
}

uint64_t cli_session_image_pixels(const cli_session *session) { return session->max_memory / 4 / 4; }

int cli_session_close(cli_session *session)
{
    sn_search_free(session->search);
    sn_image_cache_free(session->image_cache);
    for (uint32_t i = 0; i < session->archive_count; i++) sn_archive_close(session->archives[i]);
    sni_arena_free(&session->arena);
    pthread_mutex_destroy(&session->mutex);
    return cli_stop_free(&session->stop);
}

const sn_archive *cli_session_archive(const cli_session *session, const char *path)
{
    for (uint32_t i = 0; i < session->archive_count; i++)
        if (strcmp(sn_archive_describe(session->archives[i]).path, path) == 0) return session->archives[i];
    return NULL;
}

static bool add_input(sni_arena *arena, sni_list *inputs, cli_input input)
{
    cli_input *slot = sni_push(arena, inputs, cli_input);
    if (slot) *slot = input;
    return slot != NULL;
}

// The models of one archive, or those that match a pattern and are not in an archive before it.
static bool expand_archive(cli_session *session, const sn_archive *archive, const char *pattern, sni_arena *arena,
                           sni_list *inputs)
{
    sn_archive_entry entry, hidden;
    const char *path = sn_archive_describe(archive).path;
    for (uint32_t i = 0; sn_archive_at(archive, i, &entry); i++) {
        bool is_meant = sn_is_model_name(entry.name) && (!pattern || cli_name_matches(entry.name, pattern));
        for (uint32_t k = 0; is_meant && pattern && session->archives[k] != archive; k++)
            is_meant = !sn_archive_find(session->archives[k], entry.name, &hidden);
        if (is_meant &&
            !add_input(arena, inputs, (cli_input){ entry.name, entry.name, path, archive, false, true, NULL }))
            return false;
    }
    return true;
}

// False when memory ran out.
static bool find_in_archives(cli_session *session, const char *operand, sni_arena *arena, cli_input *input)
{
    char clean[PATH_MAX];
    sn_archive_entry entry;
    if (!sni_ref_clean(sni_str_make(operand, strlen(operand)), clean, sizeof clean)) return true;
    const char *name = sni_copy_text(arena, clean, strlen(clean));
    if (!name) return false;
    for (uint32_t i = 0; i < session->archive_count; i++) {
        const sn_archive *archive = session->archives[i];
        if (!sn_archive_find(archive, name, &entry)) continue;
        const char *path = sn_archive_describe(archive).path;
        *input = (cli_input){ .name = name, .below = sni_last_name(name), .path = path, .archive = archive };
        break;
    }
    return true;
}

bool cli_session_expand(cli_session *session, const char *operand, bool keeps_archives, sni_arena *arena,
                        sni_list *inputs)
{
    const uint32_t before = inputs->count;
    const bool is_there = cli_is_on_disk(operand), is_pattern = !is_there && strpbrk(operand, "*?");
    const char *below = strcmp(operand, "-") == 0 ? "stdin" : sni_last_name(operand);
    const sn_archive *archive = is_there ? cli_session_archive(session, operand) : NULL;
    cli_input input = { operand, below, operand, archive, archive != NULL, false, NULL };
    if (archive && !keeps_archives && !expand_archive(session, archive, NULL, arena, inputs)) return false;
    for (uint32_t i = 0; is_pattern && i < session->archive_count; i++)
        if (!expand_archive(session, session->archives[i], operand, arena, inputs)) return false;
    if (!is_there && !find_in_archives(session, operand, arena, &input)) return false;
    return inputs->count > before || add_input(arena, inputs, input);
}

static bool is_below(const char *path, const char *folder)
{
    char real[PATH_MAX];
    if (!folder || !realpath(folder, real)) return false;
    const size_t size = strlen(real);
    return strncmp(path, real, size) == 0 && (path[size] == 0 || path[size] == '/' || strcmp(real, "/") == 0);
}

void cli_session_note_layout(cli_session *session, const cli_input *input)
{
    enum { MOST = 16 };
    char root[PATH_MAX];
    const char *title;
    const cli_verb verb = session->args->verb;
    if (input->archive || strcmp(input->path, "-") == 0 || cli_has(session->args, CLI_OPTION_NO_LAYOUT)) return;
    if (verb == CLI_INFO || cli_has(session->args, CLI_OPTION_QUIET) || cli_has(session->args, CLI_OPTION_JSON)) return;
    if (!sn_layout_find(input->path, root, sizeof root, &title) || is_below(root, input->root)) return;
    char folder[PATH_MAX];
    if (cli_parent_folder(input->path, folder, sizeof folder) && is_below(root, folder[0] ? folder : ".")) return;
    pthread_mutex_lock(&session->mutex);
    const char **known = session->layouts.items;
    bool is_known = session->layouts.count >= MOST;
    for (uint32_t i = 0; i < session->layouts.count && !is_known; i++) is_known = strcmp(known[i], root) == 0;
    const char *copy = is_known ? NULL : sni_copy_text(&session->arena, root, strlen(root));
    const char **slot = copy ? sni_push(&session->arena, &session->layouts, const char *) : NULL;
    if (slot) *slot = copy;
    const char *shown = slot ? cli_escape(&session->arena, root) : NULL;
    if (shown) cli_complain("note: also searched %s (%s); --no-layout switches this off", shown, title);
    pthread_mutex_unlock(&session->mutex);
}

bool cli_input_read(const cli_session *session, const cli_input *input, sn_bytes *bytes, sn_error *error)
{
    if (input->archive) return sn_archive_read(input->archive, input->name, bytes, error) == SN_OK;
    if (session->archive_count == 0 || cli_is_on_disk(input->path))
        return sn_file_read(input->path, 0, NULL, bytes, error) == SN_OK;
    *bytes = (sn_bytes){ 0 };
    *error = (sn_error){ .status = SN_ERR_IO, .message = "is neither on disk nor in an archive" };
    return false;
}

// Adds one of the places that `text` begins to list.
static const char *add_place(sni_arena *arena, const char *text, const char *word, const char *path)
{
    bool is_first = !text || !text[0] || text[strlen(text) - 1] == ' ';
    const char *shown = cli_escape(arena, path);
    if (!text || !shown) return NULL;
    return cli_format(arena, "%s%s%s", text, is_first ? word : ", ", shown);
}

const char *cli_session_describe_places(const cli_session *session, const cli_input *model, bool is_exact,
                                        sni_arena *arena)
{
    const cli_args *args = session->args;
    const char *text = "";
    if (!model->archive && strcmp(model->path, "-") != 0) {
        size_t size = (size_t)(sni_last_name(model->path) - model->path);
        const char *folder = size > 0 ? sni_copy_text(arena, model->path, size) : "./";
        if (!folder) return NULL;
        text = add_place(arena, text, is_exact ? "in " : "below ", folder);
    }
    if (is_exact) return model->archive ? add_place(arena, text, "in ", model->path) : text;
    char root[PATH_MAX];
    const char *title;
    if (text && text[0] && !cli_has(args, CLI_OPTION_NO_LAYOUT) &&
        sn_layout_find(model->path, root, sizeof root, &title))
        text = add_place(arena, text, "below ", root);
    if (model->root) text = add_place(arena, text, "below ", model->root);
    for (uint32_t i = 0; cli_value(args, CLI_OPTION_SEARCH, i); i++)
        text = add_place(arena, text, "below ", cli_value(args, CLI_OPTION_SEARCH, i));
    if (text && text[0] && session->archive_count > 0) text = cli_format(arena, "%s; ", text);
    for (uint32_t i = 0; i < session->archive_count; i++)
        text = add_place(arena, text, "in ", sn_archive_describe(session->archives[i]).path);
    const char *games = cli_games_describe(session, arena);
    return text && games && games[0] ? cli_format(arena, "%s%s%s", text, text[0] ? "; " : "", games) : text;
}

static bool is_there(const char *folder, const char *name)
{
    char path[PATH_MAX];
    int size = snprintf(path, sizeof path, "%s/%s", folder, name);
    return size > 0 && (size_t)size < sizeof path && access(path, F_OK) == 0;
}

const char *cli_explain_no_models(sni_arena *arena, const char *folder)
{
    static const char *const archives[] = { "DATA.DAT", "data.dat", "Data.dat", "DATA.dat" };
    const char *shown = cli_escape(arena, folder), *text = NULL;
    for (size_t i = 0; shown && !text && i < sizeof archives / sizeof *archives; i++) {
        const bool has_slash = shown[0] && shown[strlen(shown) - 1] == '/';
        if (is_there(folder, archives[i]))
            text = cli_format(arena, "no models in this folder; they are in the disc archive: give '%s%s%s' instead",
                              shown, has_slash ? "" : "/", archives[i]);
    }
    return text ? text : "no models in this folder";
}

// A relative $XDG_CONFIG_HOME is ignored, as the specification requires.
bool cli_config_folder(char *folder, size_t capacity)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    bool has_config = config && config[0] == '/';
    if (!has_config && !(home && home[0] == '/')) return false;
    int size = snprintf(folder, capacity, "%s%s/sinew", has_config ? config : home, has_config ? "" : "/.config");
    return size > 0 && (size_t)size < capacity - 16;
}
