// Where the files of a run come from: the disk, the folders of --search, the archives of --archive.
#ifndef CLI_SOURCES_H
#define CLI_SOURCES_H

#include <pthread.h>

#include "archive/archive.h"
#include "io/search.h"
#include "options.h"

// Where a file lies: on disk, or in an archive that does.
typedef struct cli_place {
    const char *path;      // on disk, of the file or of its archive; "-": standard input
    cli_archive *archive;  // NULL: the file itself is on disk
    cli_entry entry;
} cli_place;

// One model that the command line asks for.
typedef struct cli_input {
    const char *name;   // as given, or as an archive has it
    const char *below;  // where it goes below an output folder
    cli_place place;
    bool is_archive;  // not a model: an archive itself
    bool is_one_of;   // those that a pattern or an archive stands for, however few
} cli_input;

// Shared by all threads of a run.
typedef struct cli_sources {
    const cli_args *args;
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    pthread_mutex_t mutex;  // guards what follows: listings grow, archives are read by one at a time
    sni_search *folders;    // of --search
    uint32_t folder_count;
    cli_archive *archives;  // of --archive, then those among the operands
    uint32_t archive_count;
    sni_search near;  // around the model that was looked at last
    sni_arena near_arena;
} cli_sources;

int cli_sources_open(cli_sources *sources, const cli_args *args);  // an exit code; failures are told
void cli_sources_close(cli_sources *sources);

cli_archive *cli_sources_archive(cli_sources *sources, const char *path);  // the open one of that path; NULL: none

// The models that an operand of the command line means: a file on disk; else one of an archive, or all that match its
// '*' and '?'; for an archive all its models, or with `keeps_archives` itself. False when memory ran out.
bool cli_sources_expand(cli_sources *sources, const char *operand, bool keeps_archives, sni_arena *arena,
                        sni_list *inputs);

// A file that a model refers to. Exact: to the letter, in the model's folder. Else below it, below each search folder,
// in each archive, whatever the case; then by its last name, when `ref` is no more. The place lives in the arena.
bool cli_sources_find(cli_sources *sources, const cli_place *model, const char *ref, bool is_exact, sni_arena *arena,
                      cli_place *place);

// The files in the model's own folder, or in that of its archive, that have its ending; not itself. Each is a
// cli_place, and its name on disk or in the archive is in entry.name.
bool cli_sources_beside(cli_sources *sources, const cli_place *model, sni_arena *arena, sni_diag *diag,
                        sni_list *places);

bool cli_sources_read(cli_sources *sources, const cli_place *place, sni_arena *arena, sni_diag *diag, sni_bytes *bytes);

// Where cli_sources_find looks, for people: "below art and game, in war3.mpq". Safe for a terminal; NULL: no memory.
const char *cli_sources_describe(const cli_sources *sources, const cli_place *model, bool is_exact, sni_arena *arena);

bool cli_is_model(const char *name);  // has the ending of a format that sinew reads

#endif
