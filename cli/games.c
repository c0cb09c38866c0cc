// Base games: --game, $SINEW_GAME, and those that "sinew config game" remembers in games.conf: one line per game, its
// name and folder.
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "job.h"

enum { CONFIG_BYTES = 1 << 16 };

typedef struct game_row {
    const char *name, *formats;  // of the models that it is for
} game_row;

static const game_row games[] = {
    { "war3", "mdx" },     { "generals", "w3d" },     { "zerohour", "w3d" },
    { "bfme", "w3d" },     { "bfme2", "w3d" },        { "rotwk", "w3d" },
    { "renegade", "w3d" }, { "darkcloud", "level5" }, { "darkcloud2", "level5" },
};
enum { GAMES = sizeof games / sizeof *games };

static const game_row *find_game(sni_str name)
{
    for (int i = 0; i < GAMES; i++)
        if (sni_str_is(name, games[i].name)) return &games[i];
    return NULL;
}

static bool config_path(char path[PATH_MAX])
{
    char folder[PATH_MAX - 16];
    return cli_config_folder(folder, sizeof folder) && snprintf(path, PATH_MAX, "%s/games.conf", folder) > 0;
}

// The folder of each game in games.conf, in the arena; NULL: none. A file that is not there is empty.
static sn_status read_config(sni_arena *arena, const char *folders[GAMES], sn_error *error)
{
    char path[PATH_MAX];
    sn_bytes bytes = { 0 };
    memset(folders, 0, GAMES * sizeof *folders);
    if (!config_path(path)) return SN_OK;
    sn_status status = sn_file_read(path, CONFIG_BYTES, NULL, &bytes, error);
    if (status != SN_OK) return error->os_error == ENOENT || error->os_error == ENOTDIR ? SN_OK : status;
    bool has_memory = true;
    const char *at = (const char *)bytes.data, *end = at + bytes.size;
    while (at < end && has_memory) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        if (!line_end) line_end = end;
        const char *space = memchr(at, ' ', (size_t)(line_end - at));
        const game_row *row = space ? find_game(sni_str_make(at, (size_t)(space - at))) : NULL;
        if (row) {
            folders[row - games] = sni_copy_text(arena, space + 1, (size_t)(line_end - space - 1));
            has_memory = folders[row - games] != NULL;
        }
        at = line_end + 1;
    }
    sn_bytes_free(&bytes);
    return has_memory ? SN_OK : SN_ERR_MEMORY;
}

// Remembered games are opened only where a model of theirs may come.
static bool may_need(const cli_args *args, const char *formats)
{
    sn_format format;
    if (args->file_count == 0) return true;
    for (int i = 0; i < args->file_count; i++) {
        const char *file = args->files[i];
        bool is_known = false;
        for (uint32_t k = 0; sn_format_at(k, &format); k++)
            if (sni_has_ending(file, format.extensions)) is_known |= strcmp(format.name, formats) != 0;
        if (!is_known || cli_is_folder(file)) return true;
    }
    return false;
}

static int add_game(cli_session *session, const char *path, const char *formats, bool is_asked)
{
    sn_error error;
    sn_game_info info;
    const char *shown = cli_escape(&session->arena, path);
    sn_status status = sn_search_add_game(session->search, path, formats, &info, &error);
    if (!shown || status == SN_ERR_MEMORY) return cli_no_memory();
    if (status != SN_OK) {
        const char *text = cli_error_text(&session->arena, &error);
        cli_complain("%s: %s%s", shown, is_asked ? "" : "remembered game: ", text ? text : "");
        return is_asked ? CLI_EXIT_IO : CLI_EXIT_OK;
    }
    if (info.failed_count > 0)
        cli_complain("%s: warning: %u of its archives cannot be opened, the first is %s", shown, info.failed_count,
                     cli_escape(&session->arena, info.failed));
    return CLI_EXIT_OK;
}

// All paths that games are searched in, by order: of the options, the environment, the configuration.
typedef struct game_path {
    const char *path, *formats;
    bool is_asked;
} game_path;

static bool list_games(const cli_args *args, sni_arena *arena, sni_list *paths)
{
    const char *folders[GAMES], *environment = getenv("SINEW_GAME");
    game_path *slot;
    sn_error error;
    for (uint32_t i = 0; cli_value(args, CLI_OPTION_GAME, i); i++) {
        if (!(slot = sni_push(arena, paths, game_path))) return false;
        *slot = (game_path){ cli_value(args, CLI_OPTION_GAME, i), NULL, true };
    }
    for (const char *at = environment; at && *at;) {
        size_t size = strcspn(at, ":");
        if (size > 0) {
            if (!(slot = sni_push(arena, paths, game_path))) return false;
            *slot = (game_path){ sni_copy_text(arena, at, size), NULL, true };
            if (!slot->path) return false;
        }
        at += size + (at[size] == ':');
    }
    if (read_config(arena, folders, &error) == SN_ERR_MEMORY) return false;
    for (int i = 0; i < GAMES; i++) {
        if (!folders[i] || !may_need(args, games[i].formats)) continue;
        if (!(slot = sni_push(arena, paths, game_path))) return false;
        *slot = (game_path){ folders[i], games[i].formats, false };
    }
    return true;
}

int cli_games_add(cli_session *session)
{
    if (session->args->verb == CLI_EXTRACT) return CLI_EXIT_OK;
    if (!list_games(session->args, &session->arena, &session->games)) return cli_no_memory();
    for (uint32_t i = 0; i < session->games.count; i++) {
        const game_path *game = &((const game_path *)session->games.items)[i];
        int code = add_game(session, game->path, game->formats, game->is_asked);
        if (code != CLI_EXIT_OK) return code;
    }
    return CLI_EXIT_OK;
}

const char *cli_games_describe(const cli_session *session, sni_arena *arena)
{
    const char *text = "";
    for (uint32_t i = 0; i < session->games.count && text; i++) {
        const char *shown = cli_escape(arena, ((const game_path *)session->games.items)[i].path);
        text = shown ? cli_format(arena, "%s%s%s", text, i == 0 ? "in the game " : ", ", shown) : NULL;
    }
    return text;
}

const char *cli_game_at(const cli_session *session, uint32_t index)
{
    return index < session->games.count ? ((const game_path *)session->games.items)[index].path : NULL;
}

// sinew config game NAME DIR

static int fail_config(sni_arena *arena, const sn_error *error)
{
    char path[PATH_MAX];
    const char *shown = config_path(path) ? cli_escape(arena, path) : "";
    cli_complain("%s: error: %s", shown ? shown : "", error->message);
    return cli_exit_of(error->status);
}

static int write_config(sni_arena *arena, const char *folders[GAMES])
{
    char path[PATH_MAX], folder[PATH_MAX - 16];
    sn_error error;
    const char *text = "";
    for (int i = 0; i < GAMES && text; i++)
        if (folders[i] && folders[i][0]) text = cli_format(arena, "%s%s %s\n", text, games[i].name, folders[i]);
    if (!text) return cli_no_memory();
    if (!config_path(path) || !cli_config_folder(folder, sizeof folder)) {
        cli_complain("neither XDG_CONFIG_HOME nor HOME is set to a folder");
        return CLI_EXIT_IO;
    }
    if (sn_folder_create(folder, &error) == SN_OK && sn_file_write(path, text, strlen(text), &error) == SN_OK)
        return CLI_EXIT_OK;
    return fail_config(arena, &error);
}

static int set_game(sni_arena *arena, const char *folders[GAMES], int game, const char *folder)
{
    char real[PATH_MAX] = "";
    const char *shown = cli_escape(arena, folder);
    if (folder[0] && (!cli_is_folder(folder) || !realpath(folder, real) || strchr(real, '\n'))) {
        cli_complain("%s: not a folder", shown ? shown : "");
        return CLI_EXIT_IO;
    }
    folders[game] = sni_copy_text(arena, real, strlen(real));
    return folders[game] ? write_config(arena, folders) : cli_no_memory();
}

static int run_config(const cli_args *args, sni_arena *arena, cli_out *out)
{
    const char *folders[GAMES], *name = args->file_count > 1 ? args->files[1] : NULL;
    const game_row *row = name ? find_game(sni_str_make(name, strlen(name))) : NULL;
    sn_error error;
    if (args->file_count > 0 && strcmp(args->files[0], "game") != 0) {
        cli_complain("unknown setting; see 'sinew help config'");
        return CLI_EXIT_USAGE;
    }
    if ((name && !row) || args->file_count > 3) {
        cli_complain(name && !row ? "unknown game; see 'sinew help config'"
                                  : "too many words; see 'sinew help config'");
        return CLI_EXIT_USAGE;
    }
    // What cannot be read is not written anew: it may remember other games.
    sn_status status = read_config(arena, folders, &error);
    if (status != SN_OK) return status == SN_ERR_MEMORY ? cli_no_memory() : fail_config(arena, &error);
    if (args->file_count == 3) return set_game(arena, folders, (int)(row - games), args->files[2]);
    for (int i = 0; i < GAMES; i++) {
        if (!folders[i] || (row && row != &games[i])) continue;
        if (!row) cli_print(out, "game %s ", games[i].name);
        cli_print_safe(out, folders[i]);
        cli_print(out, "\n");
    }
    return row && !folders[row - games] ? CLI_EXIT_FINDINGS : CLI_EXIT_OK;
}

int cli_run_config(const cli_args *args, cli_out *out)
{
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, NULL, UINT64_MAX);
    heap.diag = &diag;
    sni_arena_init(&arena, &heap);
    int code = run_config(args, &arena, out);
    sni_arena_free(&arena);
    return code;
}
