#include "job.h"

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "elements.h"

void cli_job_init(cli_job *job, cli_session *session, const cli_input *input, cli_out *out)
{
    memset(job, 0, sizeof *job);
    job->args = session->args;
    job->session = session;
    job->input = input;
    job->out = out;
    job->file = input->name;
    sni_diag_init(&job->diag, NULL);
    sni_heap_init(&job->heap, NULL, UINT64_MAX);
    job->heap.diag = &job->diag;
    sni_arena_init(&job->arena, &job->heap);
    job->shown = strcmp(job->file, "-") == 0 ? "<stdin>" : cli_escape(&job->arena, job->file);
    if (!job->shown) job->shown = "";
}

void cli_job_free(cli_job *job)
{
    sn_model_free(job->model);
    sn_bytes_free(&job->stdin_bytes);
    for (uint32_t i = 0; i < job->companion_bytes.count; i++)
        sn_bytes_free(&((sn_bytes *)job->companion_bytes.items)[i]);
    sni_arena_free(&job->arena);
}

bool cli_is_folder(const char *path)
{
    struct stat info = { 0 };
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool cli_is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    if (stat(a, &first) != 0 || stat(b, &second) != 0) return false;
    return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
}

bool cli_is_later(struct timespec a, struct timespec b)
{
    return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

static void note_read(void *user, const char *path)
{
    cli_job *job = user;
    struct stat info = { 0 };
    if (job->on_read) job->on_read(job->on_read_user, path);
    for (int i = 0; i < CLI_TARGET_COUNT; i++)
        if (job->targets[i] && cli_is_same_file(path, job->targets[i])) job->read_target = job->targets[i];
    if (stat(path, &info) == 0 && cli_is_later(info.st_mtim, job->newest)) job->newest = info.st_mtim;
}

// Only models: what else a model is made of has no output of its own.
static void note_joined(void *user, const sn_archive *archive, const char *name)
{
    cli_job *job = user;
    if (!sn_is_model_name(name)) return;
    const char *copy = sni_copy_text(&job->arena, name, strlen(name));
    cli_joined *joined = copy ? sni_push(&job->arena, &job->joined, cli_joined) : NULL;
    if (joined) *joined = (cli_joined){ archive, copy };
}

// An operand may be a file, one of an archive, or a pattern of such.
static bool add_companions(cli_job *job, const char *operand, sni_list *companions)
{
    sni_list inputs = { 0 };
    if (!cli_session_expand(job->session, operand, false, &job->arena, &inputs)) return false;
    job->culprit = operand;
    for (uint32_t i = 0; i < inputs.count; i++) {
        const cli_input *input = &((const cli_input *)inputs.items)[i];
        sn_companion *companion = sni_push(&job->arena, companions, sn_companion);
        sn_bytes *bytes = companion ? sni_push(&job->arena, &job->companion_bytes, sn_bytes) : NULL;
        if (!bytes || !cli_input_read(job->session, input, bytes, &job->error)) return false;
        const char *partner = input->archive ? sn_archive_describe(input->archive).partner : NULL;
        note_read(job, input->path);
        if (partner) note_read(job, partner);
        *companion = (sn_companion){ input->name, bytes->data, bytes->size };
    }
    job->culprit = NULL;
    return true;
}

// --anim, --with-anims and --hierarchy. False: job->error is filled, or memory ran out.
static bool add_files(cli_job *job, sn_load_opts *opts)
{
    const cli_args *args = job->args;
    sni_list companions = { 0 };
    const char *hierarchy = args->values[CLI_OPTION_HIERARCHY];
    for (uint32_t i = 0; cli_value(args, CLI_OPTION_ANIM, i); i++)
        if (!add_companions(job, cli_value(args, CLI_OPTION_ANIM, i), &companions)) return false;
    if (hierarchy && sni_has_ending(hierarchy, "w3d") && !add_companions(job, hierarchy, &companions)) return false;
    opts->hierarchy = hierarchy;
    opts->companions = companions.items;
    opts->companion_count = companions.count;
    opts->folder_clips = !cli_job_has(job, CLI_OPTION_NO_ANIMS);
    return true;
}

static sn_level5_game chosen_game(const cli_args *args)
{
    const char *game = args->values[CLI_OPTION_LEVEL5_GAME];
    if (!game) return SN_LEVEL5_AUTO;
    return strcmp(game, "dc1") == 0 ? SN_LEVEL5_DARK_CLOUD : SN_LEVEL5_DARK_CLOUD_2;
}

int cli_word_of(const cli_args *args, int option, const char *const *words, int count)
{
    for (int i = 0; args->values[option] && i < count; i++)
        if (words[i] && strcmp(args->values[option], words[i]) == 0) return i;
    return 0;
}

sn_game cli_read_game(const cli_args *args)
{
    static const char *const games[] = {
        [SN_GAME_WARCRAFT_3] = "war3", [SN_GAME_REFORGED] = "reforged",     [SN_GAME_GENERALS] = "generals",
        [SN_GAME_BFME] = "bfme",       [SN_GAME_DARK_CLOUD] = "dark-cloud", [SN_GAME_DARK_CLOUD_2] = "dark-cloud-2"
    };
    return (sn_game)cli_word_of(args, CLI_OPTION_TARGET, games, sizeof games / sizeof *games);
}

static bool fail_load(cli_job *job, sn_status status, const char *message)
{
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    sni_fail(&diag, status, 0, "%s", message);
    job->error = diag.error;
    return false;
}

static bool is_cancelled(void *user)
{
    const cli_job *job = user;
    return job->stop && atomic_load(job->stop);
}

bool cli_job_load(cli_job *job, bool lint)
{
    const cli_input *input = job->input;
    sn_load_opts opts = { .name = job->file,
                          .lint = lint,
                          .game = job->args->verb == CLI_CHECK ? cli_read_game(job->args) : SN_GAME_AUTO,
                          .search = job->session->search,
                          .root = input->root,
                          .find_layout = !cli_job_has(job, CLI_OPTION_NO_LAYOUT),
                          .joined = note_joined,
                          .opened = note_read,
                          .cancelled = is_cancelled,
                          .user = job,
                          .keep_document = job->args->verb == CLI_CONVERT,
                          .tangents = job->args->verb == CLI_RENDER || job->args->verb == CLI_VIEW,
                          .continuous = job->args->verb == CLI_CONVERT || cli_job_has(job, CLI_OPTION_CONTINUOUS),
                          .level5_game = chosen_game(job->args),
                          .team = job->session->team,
                          .limits.memory_bytes = job->max_memory ? job->max_memory : job->session->max_memory / 2 };
    if (input->is_archive) return fail_load(job, SN_ERR_FORMAT, "no models in this archive");
    if (!input->archive && job->session->archive_count > 0 && !cli_is_on_disk(input->path))
        return fail_load(job, SN_ERR_IO, "is neither on disk nor in an archive");
    if (!add_files(job, &opts))
        return job->error.status == SN_OK ? fail_load(job, SN_ERR_MEMORY, "out of memory") : false;
    cli_session_note_layout(job->session, input);
    if (input->archive) {
        job->model = sn_load_archive(input->archive, input->name, &opts, &job->error);
    } else if (strcmp(input->path, "-") != 0) {
        job->model = sn_load_file(input->path, &opts, &job->error);
    } else if (cli_input_read(job->session, input, &job->stdin_bytes, &job->error)) {
        job->model = sn_load_memory(job->stdin_bytes.data, job->stdin_bytes.size, &opts, &job->error);
    }
    return job->model != NULL;
}

bool cli_job_has_exact_refs(const cli_job *job)
{
    sn_format format;
    for (uint32_t i = 0; sn_format_at(i, &format); i++)
        if (strcmp(format.name, job->model->format) == 0) return format.has_exact_refs;
    return false;
}

int cli_exit_of(sn_status status)
{
    if (status == SN_OK) return CLI_EXIT_OK;
    if (status == SN_ERR_MEMORY) return CLI_EXIT_MEMORY;
    if (status == SN_ERR_IO) return CLI_EXIT_IO;
    if (status == SN_ERR_LOSSY) return CLI_EXIT_FINDINGS;
    return status == SN_ERR_FORMAT ? CLI_EXIT_FORMAT : CLI_EXIT_DAMAGED;
}

int cli_no_memory(void)
{
    cli_complain("error: out of memory");
    return CLI_EXIT_MEMORY;
}

bool cli_read_number(const cli_args *args, cli_option option, uint32_t lowest, uint32_t highest, uint32_t fallback,
                     uint32_t *number)
{
    const char *text = args->values[option];
    *number = fallback;
    if (!text) return true;
    uint32_t read = text[0] ? 0 : highest + 1;
    for (const char *at = text; *at && read <= highest; at++) {
        bool is_digit = *at >= '0' && *at <= '9';
        read = is_digit ? read * 10 + (uint32_t)(*at - '0') : highest + 1;
    }
    *number = read;
    if (read >= lowest && read <= highest) return true;
    char shown[64];
    sni_text_printable(text, shown, sizeof shown);
    cli_complain("'--%s' needs a number from %u to %u, not '%s'", cli_options[option].name, lowest, highest, shown);
    return false;
}

void cli_complain(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    flockfile(stderr);
    fputs(cli_can_erase() ? "\r\x1b[Ksinew: " : "sinew: ", stderr);  // a progress bar may be there
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    funlockfile(stderr);
    va_end(list);
}

static bool has_place(const sn_error *error)
{
    if (error->status == SN_ERR_LIMIT) return error->offset > 0 || error->path[0];  // else a limit of the tool
    return error->status != SN_ERR_IO && error->status != SN_ERR_FORMAT && error->status != SN_ERR_MEMORY;
}

const char *cli_place_text(sni_arena *arena, uint64_t offset, uint32_t line, uint32_t column)
{
    const unsigned long long byte = offset;
    return line > 0 ? cli_format(arena, " at line %u:%u (byte %llu)", line, column, byte)
                    : cli_format(arena, " at byte %llu", byte);
}

const char *cli_error_text(sni_arena *arena, const sn_error *error)
{
    const char *place = "", *path = "", *message = cli_escape(arena, error->message);
    if (has_place(error)) place = cli_place_text(arena, error->offset, error->line, error->column);
    if (error->path[0]) path = cli_escape(arena, error->path);
    if (!place || !path || !message) return "out of memory";
    return cli_format(arena, "error%s%s%s: %s", place, path[0] ? " in " : "", path, message);
}

static int complain_of(cli_job *job, const sn_error *error)
{
    const char *text = cli_error_text(&job->arena, error);
    if (error->status != SN_ERR_CANCELLED) cli_complain("%s: %s", job->shown, text ? text : "out of memory");
    return cli_exit_of(error->status);
}

bool cli_job_can_show(cli_job *job) { return cli_can_show(job->model, &job->error); }

// The file that the user named in an option, not the model, where the error is about that.
int cli_job_fail(cli_job *job)
{
    const char *shown = job->culprit ? cli_escape(&job->arena, job->culprit) : NULL;
    if (shown) job->shown = shown;
    return complain_of(job, &job->error);
}

bool cli_job_lacks_files(const cli_job *job)
{
    for (uint32_t i = 0; i < job->model->warning_count; i++) {
        const int32_t code = job->model->warnings[i].code;
        if (code == SNI_WARN_IMAGE_MISSING || code == SNI_WARN_FILE_MISSING) return true;
    }
    return false;
}

const char *cli_job_why_empty(cli_job *job)
{
    return cli_why_empty(&job->arena, job->model, job->args->verb == CLI_RENDER);
}

int cli_job_end(cli_job *job, int code)
{
    if (!sni_failed(&job->diag)) return code;
    job->out->text.size = 0;  // no partial output
    return complain_of(job, &job->diag.error);
}

void cli_job_begin_text(cli_job *job)
{
    if (job->out->has_printed || job->out->text.size > 0) cli_print(job->out, "\n");
}

sni_json_writer cli_json_begin(cli_job *job, const char *schema)
{
    sni_json_writer json = sni_json_writer_make(&job->out->text, job->is_alone);
    sni_json_begin_object(&json);
    cli_json_text(&json, "schema", schema);
    cli_json_text(&json, "file", job->file);
    return json;
}

void cli_json_end(cli_job *job, sni_json_writer *json)
{
    sni_json_end(json);
    cli_print(job->out, "\n");
}
