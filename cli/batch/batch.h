// Many models, one output each: the plan (which input becomes which file), the workers, the results. For convert and
// render.
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "base/map.h"
#include "cli/job.h"

// EMPTY: written, but it shows nothing. JOINED: a part of another model, without an output of its own.
typedef enum cli_outcome {
    CLI_WAITING,
    CLI_CONVERTED,
    CLI_SKIPPED,
    CLI_FAILED,
    CLI_EMPTY,
    CLI_JOINED,
    CLI_OUTCOMES
} cli_outcome;

// Models with meshes come first, then moving skeletons, then the rest: each may turn out to be a part of one before it.
enum { CLI_PASSES = 3 };

typedef struct cli_item {
    const char *in;  // "-": standard input
    cli_input input;
    const char *out, *bin;  // "-": standard output, NULL: nothing; bin: what the buffer of a .gltf is usually called
    cli_outcome outcome;
    uint32_t pass;     // in which it is made: known when it was loaded once
    const char *into;  // the model that it is joined to; NULL: none
    bool is_reported, is_empty;
    int code;  // exit code of this file
    sn_error error;
    const char *culprit;               // the file that the error is about
    sni_list warnings, losses;         // sn_warning, with text in the worker's arena
    uint64_t bytes;                    // written
    uint32_t index;                    // in the whole list, of all shards
    uint64_t input_hash, output_hash;  // of the contents; 0: not known
} cli_item;

// Models that are parts of others, by archive and name. Shared by threads.
typedef struct cli_parts {
    pthread_mutex_t mutex;
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    sni_list items;
    sni_map map;
} cli_parts;

// A file, whatever its name.
typedef struct cli_file_id {
    dev_t device;
    ino_t number;
} cli_file_id;

// Which item writes which file, where items write more files than their outputs. Shared by threads.
typedef struct cli_claims {
    pthread_mutex_t mutex;
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    sni_list items;
    sni_map map;
} cli_claims;

typedef struct cli_records cli_records;
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
    uint32_t jobs, max_influences, mdx_version;
    cli_work work;
    const char *ending;     // the only one that is written; NULL: any format's
    bool writes_images;     // png or tga, from images
    float scale;            // of the lengths of models
    bool is_joint;          // all items go into one file
    bool is_numbered;       // items go into x_000.png and so on
    uint32_t list_count;    // of all shards
    uint64_t list_hash;     // of the list and of the options that outputs depend on
    uint64_t options_hash;  // of these options
    bool has_companions;    // items write more files than their outputs: x_skl.w3d, x.img
    sni_list sources;       // cli_file_id, where has_companions: inputs and, of a batch, what they refer to
    cli_claims *claims;     // where has_companions, while the plan runs
    cli_records *records;   // what an earlier run reported; NULL: nothing
    uint32_t pass;
    cli_parts *parts;  // NULL: parts are models like others
    void *user;        // the command's own
};

// Where the results of one thread's items live until the end.
struct cli_worker {
    sni_diag diag;
    sni_heap heap;
    sni_arena arena;
    void *user;  // the command's own
};

// Sharing the work between processes (shard.c). One file of the whole list:
typedef struct cli_shard_file {
    const char *name;        // those of one name, whatever the extension, stay together
    bool is_output;          // the name is that of the output: only equal names stay together
    const cli_input *input;  // a model, which stays together with the files that it may join; may be NULL
    uint64_t weight;
    uint32_t shard;  // the result, from 0
} cli_shard_file;

enum { CLI_FILE_WEIGHT = 4096 };  // what a file costs beside its bytes

uint64_t cli_input_weight(const cli_input *input);
// Splits the whole list; each shard's weight is at most that of the largest unit above any other's. The same in all
// shards. False: memory ran out.
bool cli_shard_split(const cli_session *session, cli_shard_file *files, uint32_t count);

void cli_worker_init(cli_worker *worker);
bool cli_read_jobs(const cli_args *args, uint32_t *jobs);  // false: a usage error, reported

// Fills the plan. Other codes than CLI_EXIT_OK: the failure is reported, nothing was written.
int cli_plan_make(cli_plan *plan);
int cli_plan_guard(cli_plan *plan);  // a part of it: no input is a target

void cli_keep_file(sni_arena *arena, sni_list *list, const char *path);  // its cli_file_id
void cli_files_sort(sni_list *list);
bool cli_files_have(const sni_list *sorted, const char *path);
void cli_claims_begin(cli_plan *plan, cli_claims *claims);  // from now on the plan has all its sources
void cli_claims_end(cli_plan *plan);
// Whether an item may write a file: then no other item may from now on. `reads` are the cli_file_id of what it was
// loaded from.
bool cli_claim(const cli_plan *plan, const cli_item *item, const sni_list *reads, const char *path, sn_error *error);
uint32_t cli_claims_count(cli_claims *claims);
// Those of an item that is not saved; `first` was their count before it was.
void cli_claims_release(cli_claims *claims, const cli_item *item, uint32_t first);
int cli_plan_refuse(const cli_plan *plan, const char *path, const char *why);
bool cli_may_name_others(const cli_item *item);             // models of that ending are of several files
bool cli_has_ending(const char *path, const char *ending);  // "glb", whatever the case

int cli_plan_exit_code(const cli_plan *plan);  // of the items that failed

// The target's disk is full or read-only: no other file can be written either.
bool cli_is_disk_full(const sn_error *error);
// For a loaded item of a batch: true where it waits for a later pass, or has turned out to be a part of another model.
// Otherwise what it joins is noted, with its warnings, and whether it shows nothing.
bool cli_item_waits(const cli_plan *plan, cli_item *item, cli_job *job, cli_worker *worker);
// Before it is loaded: true where there is nothing to do.
bool cli_item_is_done(const cli_plan *plan, cli_item *item);
void cli_item_keep_note(cli_worker *worker, sni_list *notes, const sn_warning *note);
// The warnings and losses of a single model, and of a batch why it shows nothing. False when memory ran out.
bool cli_item_report(const cli_plan *plan, const cli_item *item);
const char *cli_outcome_name(cli_outcome outcome);

typedef struct cli_tally {
    uint32_t outcomes[CLI_OUTCOMES];
    uint64_t warnings, losses;
} cli_tally;
cli_tally cli_plan_tally(const cli_plan *plan);
void cli_plan_summarize(const cli_plan *plan, const char *made);  // "3 converted, 0 skipped, 1 failed" on stderr

void cli_item_fail(cli_item *item, const char *culprit, const sn_error *error);

// The report of convert (report.c): hashes of what was read and written, so that the next run knows what has changed.
uint64_t cli_hash(uint64_t hash, const void *data, size_t size);
uint64_t cli_hash_text(uint64_t hash, const char *text);
uint64_t cli_args_hash(const cli_args *args);
void cli_plan_put_report(const cli_plan *plan, bool is_final, sni_writer *out);
int cli_plan_write_report(const cli_plan *plan, bool is_final);  // an exit code
bool cli_records_read(cli_plan *plan);                           // false: memory ran out
// Whether the last run made the same output from the same input. False for *is_known: it did not report the item.
bool cli_record_is_same(const cli_plan *plan, const cli_item *item, bool *is_known);
uint64_t cli_file_hash(const char *path, sn_error *error);  // 0: it cannot be read

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
void cli_plan_run(cli_plan *plan, cli_worker *workers, cli_progress *progress, cli_finished finished, void *user);

#endif
