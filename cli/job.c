#include "job.h"

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

void cli_job_init(cli_job *job, cli_sources *sources, const cli_input *input, cli_out *out)
{
    memset(job, 0, sizeof *job);
    job->args = sources->args;
    job->sources = sources;
    job->input = input;
    job->out = out;
    job->file = input->name;
    sni_diag_init(&job->diag, NULL);
    sni_heap_init(&job->heap, NULL, UINT64_MAX);
    job->heap.diag = &job->diag;
    sni_arena_init(&job->arena, &job->heap);
    sni_arena_init(&job->peeked, &job->heap);
    job->shown = strcmp(job->file, "-") == 0 ? "<stdin>" : cli_escape(&job->arena, job->file);
    if (!job->shown) job->shown = "";
}

void cli_job_free(cli_job *job)
{
    sn_model_free(job->model);
    sni_arena_free(&job->peeked);
    sni_arena_free(&job->arena);
}

bool cli_is_folder(const char *path)
{
    struct stat info;
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

static void note_read(cli_job *job, const char *path)
{
    struct stat info;
    if (job->on_read) job->on_read(job->on_read_user, path);
    for (int i = 0; i < CLI_TARGET_COUNT; i++)
        if (job->targets[i] && cli_is_same_file(path, job->targets[i])) job->read_target = job->targets[i];
    if (stat(path, &info) == 0 && cli_is_later(info.st_mtim, job->newest)) job->newest = info.st_mtim;
}

void cli_note_read(cli_job *job, const cli_place *place)
{
    note_read(job, place->path);
    if (place->archive && place->archive->partner) note_read(job, place->archive->partner);
}

static bool open_ref(void *user, const char *ref, const void **data, size_t *size)
{
    cli_job *job = user;
    cli_place place;
    sni_bytes bytes;
    if (!cli_sources_find(job->sources, &job->input->place, ref, job->has_exact_refs, &job->arena, &place))
        return false;
    cli_note_read(job, &place);
    if (!cli_sources_read(job->sources, &place, &job->arena, &job->diag, &bytes)) return false;
    *data = bytes.data;
    *size = bytes.size;
    return true;
}

static bool read_input(cli_job *job)
{
    const cli_place *place = &job->input->place;
    sn_format format;
    if (job->input->is_archive) return sni_fail(&job->diag, SN_ERR_FORMAT, 0, "no models in this archive");
    if (!cli_sources_read(job->sources, place, &job->arena, &job->diag, &job->bytes)) return false;
    if (strcmp(place->path, "-") != 0) cli_note_read(job, place);
    job->has_exact_refs = sn_format_find(job->bytes.data, job->bytes.size, job->file, &format) && format.has_exact_refs;
    return true;
}

static sn_level5_game chosen_game(const cli_args *args)
{
    const char *game = args->values[CLI_OPTION_LEVEL5_GAME];
    if (!game) return SN_LEVEL5_AUTO;
    return strcmp(game, "dc1") == 0 ? SN_LEVEL5_DARK_CLOUD : SN_LEVEL5_DARK_CLOUD_2;
}

bool cli_job_load(cli_job *job, bool lint)
{
    sn_load_opts opts = { .name = job->file,
                          .lint = lint,
                          .open_ref = open_ref,
                          .user = job,
                          .keep_document = job->args->verb == CLI_CONVERT,
                          .tangents = job->args->verb == CLI_RENDER || job->args->verb == CLI_VIEW,
                          .continuous = job->args->verb == CLI_CONVERT || cli_job_has(job, CLI_OPTION_CONTINUOUS) };
    if (!cli_read_number(job->args, CLI_OPTION_TEAM, 0, CLI_TEAM_MAX, 0, &opts.team)) opts.team = 0;
    opts.level5_game = chosen_game(job->args);
    if (read_input(job) && cli_join_files(job, &opts))
        job->model = sn_load_memory(job->bytes.data, job->bytes.size, &opts, &job->error);
    else job->error = job->diag.error;
    return job->model != NULL;
}

int cli_exit_of(sn_status status)
{
    if (status == SN_OK) return CLI_EXIT_OK;
    if (status == SN_ERR_IO) return CLI_EXIT_IO;
    return status == SN_ERR_FORMAT ? CLI_EXIT_FORMAT : CLI_EXIT_DAMAGED;
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
    fputs("sinew: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
}

static bool has_place(sn_status status)
{
    return status != SN_ERR_IO && status != SN_ERR_FORMAT && status != SN_ERR_MEMORY;
}

const char *cli_error_text(sni_arena *arena, const sn_error *error)
{
    const char *place = "", *path = "", *message = cli_escape(arena, error->message);
    if (has_place(error->status)) place = cli_format(arena, " at byte %llu", (unsigned long long)error->offset);
    if (error->path[0]) path = cli_escape(arena, error->path);
    if (!place || !path || !message) return "out of memory";
    return cli_format(arena, "error%s%s%s: %s", place, path[0] ? " in " : "", path, message);
}

static int complain_of(cli_job *job, const sn_error *error)
{
    const char *text = cli_error_text(&job->arena, error);
    cli_complain("%s: %s", job->shown, text ? text : "out of memory");
    return cli_exit_of(error->status);
}

int cli_job_fail(cli_job *job) { return complain_of(job, &job->error); }

int cli_job_end(cli_job *job, int code)
{
    if (!sni_failed(&job->diag) || job->error.status != SN_OK) return code;
    job->out->text.size = 0;  // half an answer is none
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

void cli_json_text(sni_json_writer *json, const char *key, const char *text)
{
    sni_json_key(json, key);
    sni_json_put_text(json, text);
}

// A hostile file can let thousands of elements share one name of a megabyte.
void cli_json_put_name(sni_json_writer *json, const char *name)
{
    char text[1024 + 4];
    size_t size = cli_cut(name, 1024);
    snprintf(text, sizeof text, "%.*s%s", (int)size, name, name[size] ? "…" : "");
    sni_json_put_text(json, text);
}

void cli_json_name(sni_json_writer *json, const char *key, const char *name)
{
    sni_json_key(json, key);
    cli_json_put_name(json, name);
}

void cli_json_integer(sni_json_writer *json, const char *key, int64_t value)
{
    sni_json_key(json, key);
    sni_json_put_integer(json, value);
}

void cli_json_float(sni_json_writer *json, const char *key, float value)
{
    sni_json_key(json, key);
    sni_json_put_float(json, value);
}

void cli_json_bool(sni_json_writer *json, const char *key, bool value)
{
    sni_json_key(json, key);
    sni_json_put_bool(json, value);
}

void cli_json_list(sni_json_writer *json, const char *key)
{
    sni_json_key(json, key);
    sni_json_begin_array(json);
}

void cli_json_flat_list(sni_json_writer *json, const char *key)
{
    sni_json_key(json, key);
    sni_json_begin_flat_array(json);
}

void cli_json_floats(sni_json_writer *json, const char *key, const float *values, size_t count)
{
    cli_json_flat_list(json, key);
    for (size_t i = 0; i < count; i++) sni_json_put_float(json, values[i]);
    sni_json_end(json);
}

void cli_json_vec3(sni_json_writer *json, const char *key, sn_vec3 value)
{
    const float values[3] = { value.x, value.y, value.z };
    cli_json_floats(json, key, values, 3);
}

void cli_json_warnings(sni_json_writer *json, const char *key, const sn_warning *warnings, uint32_t count)
{
    cli_json_list(json, key);
    for (uint32_t i = 0; i < count; i++) {
        const sn_warning *warning = &warnings[i];
        sni_json_begin_object(json);
        cli_json_integer(json, "code", warning->code);
        cli_json_text(json, "name", sn_warning_name(warning->code));
        cli_json_integer(json, "count", warning->count);
        cli_json_integer(json, "offset", (int64_t)warning->offset);
        cli_json_text(json, "path", warning->path);
        cli_json_text(json, "message", warning->message);
        sni_json_end(json);
    }
    sni_json_end(json);
}

void cli_json_error(sni_json_writer *json, const sn_error *error, const char *file)
{
    sni_json_key(json, "error");
    if (error->status == SN_OK) {
        sni_json_put_raw(json, "null");
        return;
    }
    sni_json_begin_object(json);
    cli_json_text(json, "status", sn_status_name(error->status));
    cli_json_integer(json, "offset", (int64_t)error->offset);
    cli_json_text(json, "path", error->path);
    cli_json_text(json, "message", error->message);
    if (file) cli_json_text(json, "file", file);
    sni_json_end(json);
}
