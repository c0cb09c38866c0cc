// Many models, one output each: the plan (which input becomes which file), the workers, the results. For convert and
// render.
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "cli/job.h"

typedef enum cli_outcome { CLI_WAITING, CLI_CONVERTED, CLI_SKIPPED, CLI_FAILED } cli_outcome;

typedef struct cli_item {
    const char *in;  // "-": standard input
    cli_input input;
    const char *out, *bin;  // "-": standard output, NULL: nothing; bin: what the buffer of a .gltf is usually called
    cli_outcome outcome;
    int code;  // exit code of this file
    sn_error error;
    const char *culprit;        // the file that the error is about
    sni_list warnings, losses;  // sn_warning, with text in the worker's arena
    uint64_t bytes;             // written
} cli_item;

typedef struct cli_plan cli_plan;
typedef struct cli_worker cli_worker;

// What makes one item; `worker` is its thread's.
typedef void (*cli_work)(const cli_plan *plan, cli_item *item, cli_worker *worker);

struct cli_plan {
    cli_session *session;
    const cli_args *args;
    sni_arena *arena;
    sni_list items;  // cli_item, in the order of the inputs
    bool is_batch;   // several files, a folder or an archive
    uint32_t jobs, max_influences;
    cli_work work;
    const char *ending;  // the only one that is written; NULL: any format's
    bool writes_images;  // png or tga, from images
    float scale;         // of the lengths of models
    bool is_joint;       // all items go into one file
    bool is_numbered;    // items go into x_000.png and so on
    void *user;          // the command's own
};

// Where the results of one thread's items live until the end.
struct cli_worker {
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    void *user;  // the command's own
};

void cli_worker_init(cli_worker *worker);
bool cli_read_jobs(const cli_args *args, uint32_t *jobs);  // false: a usage error, reported

// Fills the plan. Other codes than CLI_EXIT_OK: the failure is reported, nothing was written.
int cli_plan_make(cli_plan *plan);
int cli_plan_guard(const cli_plan *plan);  // a part of it: no input is a target
int cli_plan_refuse(const cli_plan *plan, const char *path, const char *why);
bool cli_may_name_others(const cli_item *item);             // models of that ending are of several files
bool cli_has_ending(const char *path, const char *ending);  // "glb", whatever the case

int cli_plan_exit_code(const cli_plan *plan);  // of the items that failed

// The target's disk is full or read-only: no other file can be written either.
bool cli_is_disk_full(const sn_error *error);

void cli_item_fail(cli_item *item, const char *culprit, const sn_error *error);

static inline bool cli_is_dash(const char *path) { return path && path[0] == '-' && path[1] == 0; }
static inline cli_item *cli_plan_items(const cli_plan *plan) { return plan->items.items; }

// A progress bar on stderr, shown after half a second.
typedef struct cli_progress {
    struct timespec start;
    bool is_enabled, is_shown;
} cli_progress;

void cli_progress_init(cli_progress *progress, bool is_enabled);
void cli_progress_show(cli_progress *progress, uint32_t done, uint32_t count);
void cli_progress_clear(cli_progress *progress);

// All items, several at a time; plan->jobs workers; `finished` is called from this thread only, in the items' order.
typedef void (*cli_finished)(void *user, const cli_item *item);
void cli_plan_run(const cli_plan *plan, cli_worker *workers, cli_progress *progress, cli_finished finished, void *user);

#endif
