// The inputs of a run: models on the command line, open archives, and where references are searched.
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <pthread.h>
#include <sinew/files.h>

#include "base/arena.h"
#include "base/text.h"
#include "options.h"
#include "stop.h"

// One model that the command line names.
typedef struct cli_input {
    const char *name;           // as given, or as an archive has it
    const char *below;          // where it goes below an output folder
    const char *path;           // on disk, of the file or of its archive; "-": standard input
    const sn_archive *archive;  // NULL: the file itself is on disk
    bool is_archive;            // not a model: the archive itself
    bool is_one_of;             // one match of a pattern or an archive
    const char *root;           // the folder that the user named, around it; NULL: none
} cli_input;

// --shard: `index` from 0; a count of 0: not given.
typedef struct cli_shard {
    uint32_t index, count;
} cli_shard;

// Shared by all threads of a run.
typedef struct cli_session {
    const cli_args *args;
    cli_shard shard;
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    sn_search *search;            // the folders of --search, then the archives
    sn_image_cache *image_cache;  // of a batch; NULL: none
    sn_archive **archives;        // of --archive, then those among the operands
    uint32_t archive_count;
    sni_list games;  // in games.c
    uint32_t team;
    uint64_t max_memory;  // half of it for a model, a quarter for saving it, a quarter for images; 0: usual limits
    cli_stop stop;
    pthread_mutex_t mutex;  // of what follows
    sni_list layouts;       // const char *: roots that were reported
} cli_session;

int cli_session_open(cli_session *session, const cli_args *args);  // an exit code; failures are reported
int cli_session_close(cli_session *session);                       // the signal that ended a batch; or 0
uint64_t cli_session_image_pixels(const cli_session *session);     // of a model's images together; 0: the usual limit
const sn_archive *cli_session_archive(const cli_session *session, const char *path);  // the open one; NULL: none

// The models that an operand means: a file on disk; else one in an archive, or all that match its '*' and '?'; for
// an archive all its models, or with `keeps_archives` itself. False when memory ran out.
bool cli_session_expand(cli_session *session, const char *operand, bool keeps_archives, sni_arena *arena,
                        sni_list *inputs);

// The bytes of an input. False: the error is filled.
bool cli_input_read(const cli_session *session, const cli_input *input, sn_bytes *bytes, sn_error *error);

// batch/shard.c. False: a usage error, reported.
bool cli_shard_read(const cli_args *args, cli_shard *shard);
// Keeps the inputs of this process, all of them without --shard. False: memory ran out.
bool cli_shard_inputs(const cli_session *session, sni_arena *arena, sni_list *inputs);

// Where the references of a model are searched: "below art and game, in war3.mpq". Safe for a terminal; NULL: no
// memory.
const char *cli_session_describe_places(const cli_session *session, const cli_input *model, bool is_exact,
                                        sni_arena *arena);

// Why a folder has no models; says what to do where it has a disc archive.
const char *cli_explain_no_models(sni_arena *arena, const char *folder);

// Reports the root of a known layout around a model, once for each that is outside the folder the user named.
void cli_session_note_layout(cli_session *session, const cli_input *input);

bool cli_archive_is(const char *path);                                    // has the extension of an archive
bool cli_is_image(const char *name);                                      // has the extension of an image
bool cli_is_on_disk(const char *path);                                    // or standard input
bool cli_parent_folder(const char *path, char *folder, size_t capacity);  // "" or with its slash; false: too long
void cli_clean_beside(const char *path);  // what killed runs have left where it will be written; may be NULL
bool cli_name_matches(const char *name, const char *pattern);  // '*': any characters, '?': one; in any case

// Games (games.c): those of --game, of $SINEW_GAME and of the configuration go to the search. An exit code.
int cli_games_add(cli_session *session);
const char *cli_games_describe(const cli_session *session, sni_arena *arena);  // "in /games/war3, ..."; "" or NULL
const char *cli_game_at(const cli_session *session, uint32_t index);           // a path; NULL past the last

// config.c: $XDG_CONFIG_HOME/sinew, or ~/.config/sinew; false: neither is set.
bool cli_config_folder(char *folder, size_t capacity);

#endif
