// The inputs of a run: models on the command line, open archives, and where references are searched.
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

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
} cli_input;

// Shared by all threads of a run.
typedef struct cli_session {
    const cli_args *args;
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    sn_search *search;      // the folders of --search, then the archives
    sn_archive **archives;  // of --archive, then those among the operands
    uint32_t archive_count;
    uint32_t team;
    uint64_t max_memory;  // half of it for a model, a quarter for saving it, a quarter for images; 0: usual limits
    cli_stop stop;
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

// Where the references of a model are searched: "below art and game, in war3.mpq". Safe for a terminal; NULL: no
// memory.
const char *cli_session_describe_places(const cli_session *session, const cli_input *model, bool is_exact,
                                        sni_arena *arena);

bool cli_archive_is(const char *path);  // has the extension of an archive
bool cli_is_model(const char *name);    // has the extension of a format that sinew reads
bool cli_is_image(const char *name);    // the same for images
bool cli_is_on_disk(const char *path);  // or standard input
bool cli_parent_folder(const char *path, char *folder, size_t capacity);  // "" or with its slash; false: too long
void cli_clean_beside(const char *path);  // what killed runs have left where it will be written; may be NULL
bool cli_name_matches(const char *name, const char *pattern);  // '*': any characters, '?': one; in any case

#endif
