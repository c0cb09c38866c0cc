// The one table of commands and options: parser, help, man page and completions are all made from it.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

typedef enum cli_verb {
    CLI_INFO,
    CLI_TREE,
    CLI_POSE,
    CLI_CHECK,
    CLI_CONVERT,
    CLI_RENDER,
    CLI_VIEW,
    CLI_EXTRACT,
    CLI_BENCH,
    CLI_REPORT,
    CLI_CONFIG,
    CLI_HELP,
    CLI_VERB_COUNT
} cli_verb;

typedef enum cli_option {
    CLI_OPTION_ALL,
    CLI_OPTION_LIST_CLIPS,
    CLI_OPTION_ASCII,
    CLI_OPTION_REST,
    CLI_OPTION_CLIP,
    CLI_OPTION_TIME,
    CLI_OPTION_OBJ,
    CLI_OPTION_OUTPUT,
    CLI_OPTION_SIZE,
    CLI_OPTION_VIEW,
    CLI_OPTION_BACKGROUND,
    CLI_OPTION_NO_TEXTURE,
    CLI_OPTION_LOD,
    CLI_OPTION_FRAMES,
    CLI_OPTION_TURNTABLE,
    CLI_OPTION_APNG,
    CLI_OPTION_GIF,
    CLI_OPTION_SHEET,
    CLI_OPTION_SKELETON,
    CLI_OPTION_NAMES,
    CLI_OPTION_AXES,
    CLI_OPTION_ATTACHMENTS,
    CLI_OPTION_BOUNDS,
    CLI_OPTION_WIRE,
    CLI_OPTION_NORMALS,
    CLI_OPTION_WEIGHTS,
    CLI_OPTION_GRID,
    CLI_OPTION_LIGHTS,
    CLI_OPTION_CAMERA,
    CLI_OPTION_SHADOW,
    CLI_OPTION_WATCH,
    CLI_OPTION_TO,
    CLI_OPTION_TARGET,
    CLI_OPTION_KEEP_SKELETON,
    CLI_OPTION_MDX_VERSION,
    CLI_OPTION_W3D_ANIMATION,
    CLI_OPTION_SPLIT,
    CLI_OPTION_TEXTURE_FORMAT,
    CLI_OPTION_STRICT,
    CLI_OPTION_KEEP_AXES,
    CLI_OPTION_SCALE,
    CLI_OPTION_UNITS,
    CLI_OPTION_NO_VISIBILITY_TRICKS,
    CLI_OPTION_ROUND_TRIP,
    CLI_OPTION_FIX,
    CLI_OPTION_IGNORE,
    CLI_OPTION_FAIL_ON,
    CLI_OPTION_FORMAT,
    CLI_OPTION_MAX_INFLUENCES,
    CLI_OPTION_JOBS,
    CLI_OPTION_SHARD,
    CLI_OPTION_SHARDS,
    CLI_OPTION_FILES_FROM0,
    CLI_OPTION_NEWER,
    CLI_OPTION_REPORT,
    CLI_OPTION_QUIET,
    CLI_OPTION_FORCE,
    CLI_OPTION_TEXTURES,
    CLI_OPTION_CONTINUOUS,
    CLI_OPTION_SEARCH,
    CLI_OPTION_ARCHIVE,
    CLI_OPTION_GAME,
    CLI_OPTION_NO_LAYOUT,
    CLI_OPTION_TEAM,
    CLI_OPTION_MAX_MEMORY,
    CLI_OPTION_MAX_SECONDS,
    CLI_OPTION_ANIM,
    CLI_OPTION_WITH_ANIMS,
    CLI_OPTION_NO_ANIMS,
    CLI_OPTION_KEEP_PARTS,
    CLI_OPTION_HIERARCHY,
    CLI_OPTION_LEVEL5_GAME,
    CLI_OPTION_QUICK,
    CLI_OPTION_ROWS,
    CLI_OPTION_SVG,
    CLI_OPTION_JSON,
    CLI_OPTION_MAN,
    CLI_OPTION_COMPLETION,
    CLI_OPTION_HELP,
    CLI_OPTION_VERSION,
    CLI_OPTION_COUNT
} cli_option;

// Headings of help, in this order.
typedef enum cli_group {
    CLI_OWN,
    CLI_FINDING,
    CLI_WARCRAFT,
    CLI_W3D,
    CLI_LEVEL5,
    CLI_BATCH,
    CLI_GENERAL,
    CLI_HIDDEN  // not in help and completions
} cli_group;

enum cli_exit {
    CLI_EXIT_OK,
    CLI_EXIT_FINDINGS,  // findings, or some of several files failed
    CLI_EXIT_USAGE,
    CLI_EXIT_IO,
    CLI_EXIT_FORMAT,
    CLI_EXIT_DAMAGED,
    CLI_EXIT_NO_GRAPHICS,
    CLI_EXIT_COUNT,
    CLI_EXIT_MEMORY = CLI_EXIT_COUNT  // inside the tool; main returns CLI_EXIT_IO for it
};

enum { CLI_EXAMPLE_COUNT = 3, CLI_GIVEN_MAX = 64 };

// Summaries go into shell scripts as they are: no quotes, colons, brackets or backslashes.
typedef struct cli_verb_row {
    const char *name, *operands, *summary;
    const char *text;                         // one paragraph; "\n" breaks lines
    const char *examples[CLI_EXAMPLE_COUNT];  // run from the project's root
} cli_verb_row;

typedef struct cli_option_row {
    char letter;  // 0: only the long name
    const char *name;
    const char *value;    // what it takes, for help; NULL: a flag
    const char *choices;  // the values there are, space between; NULL: any
    uint32_t verbs;       // 1u << cli_verb
    cli_group group;
    const char *summary;
} cli_option_row;

extern const cli_verb_row cli_verbs[CLI_VERB_COUNT];
extern const cli_option_row cli_options[CLI_OPTION_COUNT];
extern const char *const cli_groups[CLI_HIDDEN];
extern const char *const cli_offered[CLI_OPTION_COUNT];  // values for completions, where others are possible
extern const char *const cli_exit_texts[CLI_EXIT_COUNT];
extern const char *const cli_examples[CLI_EXAMPLE_COUNT];  // of the tool

static inline bool cli_option_is_of(cli_option option, cli_verb verb)
{
    return (cli_options[option].verbs >> verb & 1u) != 0;
}

// The next option of the group after `last`, which is -1 at first, for this command; CLI_OPTION_COUNT behind the last.
static inline int cli_next_option(cli_verb verb, cli_group group, int last)
{
    while (++last < CLI_OPTION_COUNT)
        if (cli_options[last].group == group && cli_option_is_of((cli_option)last, verb)) break;
    return last;
}

typedef struct cli_given {
    cli_option option;
    const char *value;
} cli_given;

// The parsed command line. `files` are the operands, in order, in argv's own memory.
typedef struct cli_args {
    cli_verb verb;
    bool has_verb;                         // false: a bare FILE, which means view, or info without a display
    const char *values[CLI_OPTION_COUNT];  // the last one given; NULL: none; "" for a flag
    cli_given given[CLI_GIVEN_MAX];        // all with a value, in order: some may be given several times
    uint32_t given_count;
    char **files;
    int file_count;
    int first_listed;   // from here on they come from --files-from0
    char message[256];  // why parsing failed: one line, safe for a terminal
} cli_args;

static inline bool cli_has(const cli_args *args, cli_option option) { return args->values[option] != 0; }

const char *cli_value(const cli_args *args, cli_option option, uint32_t index);  // NULL behind the last
uint32_t cli_value_count(const cli_args *args, cli_option option);

// Reorders argv. False: a usage error, in args->message.
bool cli_parse(int argc, char **argv, cli_args *args);

int cli_find_verb(const char *name);             // -1: none
const char *cli_nearest_verb(const char *word);  // for "did you mean"; NULL: nothing is near
const char *cli_nearest_option(const char *name, cli_verb verb);
bool cli_is_near(const char *typed, const char *word);  // perhaps a typing slip; case counts

#endif
