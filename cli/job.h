// One file under one command.
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <stdatomic.h>
#include <time.h>

#include "cli/json.h"
#include "print.h"
#include "session.h"

enum { CLI_TARGET_COUNT = 3, CLI_TEAM_MAX = 23 };

typedef struct cli_joined {
    const sn_archive *archive;  // NULL: on disk
    const char *name;
} cli_joined;

typedef struct cli_job {
    const cli_args *args;
    cli_out *out;
    cli_session *session;
    const cli_input *input;
    const char *file;   // its name, as given or as an archive has it
    const char *shown;  // the same, safe for a terminal
    bool is_alone;      // the only file: its JSON is indented
    sn_model *model;
    const char *targets[CLI_TARGET_COUNT];  // what will be written; NULL: nothing
    const char *read_target;  // one of them that the model was read from, itself or as a file it refers to; or NULL
    struct timespec newest;   // change of the files read
    sni_list joined;          // cli_joined: models that became parts of this one
    const char *culprit;      // the file that job->error is about; NULL: the model
    void (*on_read)(void *user, const char *path);  // called for each file read; may be NULL
    void *on_read_user;
    uint64_t max_memory;       // for the model; 0: as the session allows
    const atomic_bool *stop;   // set by another thread to cancel loading; may be NULL
    sn_bytes stdin_bytes;      // of a model on standard input: it can be read once
    sni_list companion_bytes;  // sn_bytes of --anim and --hierarchy
    sn_error error;            // why loading failed
    sni_diag diag;             // our own failures: memory, writing
    sni_heap heap;
    sni_arena arena;  // dies with the job
} cli_job;

void cli_job_init(cli_job *job, cli_session *session, const cli_input *input, cli_out *out);
void cli_job_free(cli_job *job);

// The number of an option's word; 0 where it was not given.
int cli_word_of(const cli_args *args, int option, const char *const *words, int count);
sn_game cli_read_game(const cli_args *args);      // of --target
bool cli_job_load(cli_job *job, bool lint);       // false: see job->error
bool cli_job_has_exact_refs(const cli_job *job);  // of a loaded model: it names other files to the letter
bool cli_job_can_show(cli_job *job);              // false: its parts repeat the meshes too often, see job->error
const char *cli_job_why_empty(cli_job *job);      // of a model that shows nothing; NULL: it shows something
bool cli_job_lacks_files(const cli_job *job);     // textures or skeletons are missing
int cli_job_fail(cli_job *job);                   // reports job->error, returns the exit code
int cli_job_end(cli_job *job, int code);          // `code`, unless memory or writing failed
int cli_exit_of(sn_status status);
int cli_no_memory(void);  // reports it, returns the exit code

bool cli_is_folder(const char *path);
bool cli_is_same_file(const char *a, const char *b);      // by whatever name or link
bool cli_is_later(struct timespec a, struct timespec b);  // a came after b

static inline bool cli_job_has(const cli_job *job, cli_option option) { return cli_has(job->args, option); }

// One line on stderr, after "sinew: ". The text must be safe for a terminal.
void cli_complain(const char *format, ...) SNI_PRINTF(1, 2);

// " at byte 18432", in text files " at line 12:5 (byte 345)".
const char *cli_place_text(sni_arena *arena, uint64_t offset, uint32_t line, uint32_t column);

// "error at byte 18432 in MESH[3]/VERTICES: 90000 vertices need 1080000 bytes, 312 remain"
const char *cli_error_text(sni_arena *arena, const sn_error *error);

// A blank line between the texts of two files; call it before the first word.
void cli_job_begin_text(cli_job *job);

// One JSON document of a job. The schema and the file come first.
sni_json_writer cli_json_begin(cli_job *job, const char *schema);
void cli_json_end(cli_job *job, sni_json_writer *json);

// The commands; each returns an exit code.
int cli_run_info(cli_job *job);
int cli_run_tree(cli_job *job);
int cli_run_pose(cli_job *job);
int cli_run_check(cli_session *session, cli_out *out);
int cli_run_convert(cli_session *session, cli_out *out);
int cli_run_extract(cli_session *session, cli_out *out);
int cli_run_bench(const cli_args *args, cli_out *out);
int cli_run_report(const cli_args *args, cli_out *out);
int cli_run_config(const cli_args *args, cli_out *out);
int cli_run_render(cli_session *session, cli_out *out);  // fails in builds without graphics
int cli_run_view(cli_session *session, cli_out *out);    // likewise
bool cli_has_display(void);                              // a window can be opened
bool cli_check_pose(const cli_args *args);               // false: a usage error, reported

// The inputs of all operands; a folder means all models in it and below. Reports folders that cannot be read or have no
// models, and returns an exit code.
int cli_gather_inputs(cli_session *session, bool keeps_archives, sni_arena *arena, sni_list *inputs);
int cli_gather_operand(cli_session *session, const char *operand, bool keeps_archives, sni_arena *arena,
                       sni_list *inputs);  // of one of them

// A whole number from `lowest` to `highest`; `fallback` when the option was not given. False: a usage error, reported.
bool cli_read_number(const cli_args *args, cli_option option, uint32_t lowest, uint32_t highest, uint32_t fallback,
                     uint32_t *number);
int cli_run_help(const cli_args *args, cli_out *out);
int cli_info_archive(cli_job *job);
void cli_print_man(cli_out *out);
void cli_print_completion(cli_out *out, const char *shell);

#endif
