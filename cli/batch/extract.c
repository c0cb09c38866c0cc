// extract: copies the files of archives into a folder, or writes textures as PNG or TGA.
#include <string.h>
#include <unistd.h>

#include "base/map.h"
#include "batch.h"
#include "cli/elements.h"

// A name means the file, what its '*' and '?' match, or everything below it.
typedef struct request {
    const char *name, *below;
    bool is_clean, was_found;
} request;

typedef struct extraction {
    cli_session *session;
    cli_out *out;
    const char *folder;
    const char *textures;      // "png" or "tga"; NULL: files are copied
    sni_list pieces;           // piece, from archives
    sni_list models;           // cli_input, whose textures are written
    sni_nocase_names written;  // paths of these
    sni_list sources;          // cli_file_id, with --force: what the models are loaded from; sorted
    request *requests;         // none: all
    uint32_t request_count, extracted, skipped, failed;
    int code;             // of the last failure
    const char *cleaned;  // the last folder
    bool has_report;
    sni_json_writer json;  // of the report
} extraction;

static bool is_quiet(const extraction *e) { return cli_has(e->session->args, CLI_OPTION_QUIET); }

static bool is_wanted(const extraction *e, const char *name)
{
    bool is_one = e->request_count == 0;
    for (uint32_t i = 0; i < e->request_count; i++) {
        request *w = &e->requests[i];
        if (cli_name_matches(name, w->name) || cli_name_matches(name, w->below)) is_one = w->was_found = true;
    }
    return is_one;
}

static bool is_archive(const cli_session *session, const char *path)
{
    for (uint32_t i = 0; i < session->archive_count; i++) {
        const sn_archive_info info = sn_archive_describe(session->archives[i]);
        if (cli_is_same_file(info.path, path) || (info.partner && cli_is_same_file(info.partner, path))) return true;
    }
    return false;
}

// One file to write.
typedef struct piece {
    const char *name, *from;  // in the archive or model; its path
    bool is_of_model;
    const sn_archive *archive;  // where it is read from; NULL: `image`
    const sn_image *image;
    uint64_t size;  // of a packed file, known when it is read
} piece;

static bool save_texture(const sn_image *image, const char *path, const cli_session *session, sn_error *error)
{
    const sn_decode_opts opts = { .limits.memory_bytes = session->max_memory / 4 };
    sn_pixels pixels;
    if (sn_image_decode(image, &opts, &pixels, error) != SN_OK) return false;
    bool is_saved = sn_pixels_save(&pixels, path, error) == SN_OK;
    sn_pixels_free(&pixels);
    return is_saved;
}

// The names of an archive are clean, so that nothing is written outside the folder.
static bool write_piece(extraction *e, piece *of, const char *path, sni_arena *arena, sn_error *error)
{
    sn_bytes bytes = { 0 };
    const char *folder = cli_format(arena, "%.*s", (int)(sni_last_name(path) - path), path);
    const bool is_source = cli_files_have(&e->sources, path);
    if (!folder || is_source || is_archive(e->session, path)) {
        *error = (sn_error){ .status = SN_ERR_IO, .message = "is an archive that is read; it will not be overwritten" };
        if (is_source)
            snprintf(error->message, sizeof error->message, "%s is an input; it will not be overwritten", path);
        if (!folder) *error = (sn_error){ .status = SN_ERR_MEMORY, .message = "out of memory" };
        return false;
    }
    if (of->archive && sn_archive_read(of->archive, of->name, &bytes, error) != SN_OK) return false;
    if (of->archive) of->size = bytes.size;
    if (!e->cleaned || strcmp(e->cleaned, folder) != 0) {
        sn_folder_clean(folder);
        e->cleaned = sni_copy_text(&e->session->arena, folder, strlen(folder));
    }
    const sn_image own = { .name = "", .uri = "", .mime_type = "", .data = bytes.data, .size = bytes.size };
    cli_stop_begin_writing(&e->session->stop, path);
    bool is_written = sn_folder_create(folder, error) == SN_OK &&
                      (e->textures ? save_texture(of->image ? of->image : &own, path, e->session, error)
                                   : sn_file_write(path, bytes.data, bytes.size, error) == SN_OK);
    cli_stop_end_writing(&e->session->stop, path);
    sn_bytes_free(&bytes);
    return is_written;
}

static void report(extraction *e, const piece *of, const char *path, const char *status, const sn_error *error,
                   sni_arena *arena)
{
    if (error->status != SN_OK) {
        const char *from = of->is_of_model ? cli_escape(arena, of->from) : "", *shown = cli_escape(arena, of->name);
        const char *text = cli_error_text(arena, error), *name = cli_join(arena, from, ": ", shown);
        cli_complain("%s: %s", name ? name : "", text ? text : "out of memory");
    }
    if (!e->has_report) return;
    sni_json_begin_object(&e->json);
    cli_json_text(&e->json, "in", of->name);
    cli_json_text(&e->json, of->is_of_model ? "model" : "archive", of->from);
    cli_json_text(&e->json, "out", path);
    cli_json_integer(&e->json, "bytes", (int64_t)of->size);
    cli_json_text(&e->json, "status", status);
    cli_json_error(&e->json, error, NULL);
    sni_json_end(&e->json);
    cli_out_drain(e->out);
}

// "textures/a.blp" becomes "textures/a.png".
static const char *target_of(const extraction *e, const char *name, sni_arena *arena)
{
    const bool has_slash = e->folder[strlen(e->folder) - 1] == '/';
    const char *last = sni_last_name(name), *dot = strrchr(last, '.');
    size_t stem = dot && dot != last ? (size_t)(dot - name) : strlen(name);
    if (!e->textures) return cli_format(arena, "%s%s%s", e->folder, has_slash ? "" : "/", name);
    return cli_format(arena, "%s%s%.*s.%s", e->folder, has_slash ? "" : "/", (int)stem, name, e->textures);
}

// Models share textures: the first of a name is written.
static bool was_written(extraction *e, const char *path)
{
    const sni_str name = sni_str_make(path, strlen(path));
    if (sni_nocase_names_find(&e->written, name) >= 0) return true;
    const char *copy = sni_copy_text(&e->session->arena, path, strlen(path));
    if (copy) sni_nocase_names_add(&e->session->arena, &e->written, sni_str_make(copy, strlen(copy)), 0);
    return false;
}

static void extract(extraction *e, piece of)
{
    sni_heap heap;
    sni_arena arena;
    sn_error error = { 0 };
    sni_diag diag;
    sni_diag_init(&diag, NULL), sni_heap_init(&heap, NULL, UINT64_MAX), sni_arena_init(&arena, &heap);
    heap.diag = &diag;
    const char *path = target_of(e, of.name, &arena), *status = "skipped";
    bool is_shared = path && of.is_of_model && was_written(e, path);
    if (is_shared) {
        sni_arena_free(&arena);
        return;
    }
    if (!path) {
        e->failed++, status = "failed";
        error = (sn_error){ .status = SN_ERR_MEMORY, .message = "out of memory" };
    } else if (!cli_has(e->session->args, CLI_OPTION_FORCE) && access(path, F_OK) == 0) {
        e->skipped++;
    } else if (write_piece(e, &of, path, &arena, &error)) {
        e->extracted++, status = "extracted";
    } else {
        e->failed++, status = "failed";
    }
    if (error.status != SN_OK && e->code != CLI_EXIT_MEMORY) e->code = cli_exit_of(error.status);
    if (cli_is_disk_full(&error)) atomic_store(&e->session->stop.is_full, true);
    report(e, &of, path ? path : "", status, &error, &arena);
    if (sni_failed(&diag)) e->code = cli_no_memory();
    sni_arena_free(&arena);
}

static void add_entry(extraction *e, const sn_archive *archive, sn_archive_entry entry)
{
    piece *of = sni_push(&e->session->arena, &e->pieces, piece);
    const char *from = sn_archive_describe(archive).path;
    if (of) *of = (piece){ .name = entry.name, .from = from, .archive = archive, .size = entry.size };
}

// The name that an image of a model gets: the last part of its reference, or its own name, without folders.
static const char *name_image(cli_job *job, uint32_t index)
{
    char clean[256];
    const char *label = cli_image_label(&job->arena, job->model, (int32_t)index);
    const char *last = label ? sni_last_name(label) : "";
    if (!sni_ref_clean(sni_str_make(last, strlen(last)), clean, sizeof clean) || strchr(clean, '/'))
        return cli_format(&job->arena, "image_%u", index);
    return cli_format(&job->arena, "%s", clean);
}

static void extract_model(extraction *e, const cli_input *input)
{
    cli_job job;
    cli_job_init(&job, e->session, input, e->out);
    job.stop = &e->session->stop.is_stopping;
    if (!cli_job_load(&job, false)) {
        e->failed++;
        e->code = cli_job_fail(&job);
    }
    for (uint32_t i = 0; job.model && i < job.model->image_count && !cli_stop_wanted(&e->session->stop); i++) {
        const sn_image *image = &job.model->images[i];
        const char *name = image->data ? name_image(&job, i) : NULL;
        if (name) extract(e, (piece){ name, job.file, true, NULL, image, image->size });
    }
    if (sni_failed(&job.diag)) e->code = cli_no_memory();
    cli_job_free(&job);
}

static void note_source(void *user, const char *path)
{
    extraction *e = user;
    cli_keep_file(&e->session->arena, &e->sources, path);
}

// Only loading shows which textures a model uses. With --force a picture could replace one, so models are loaded twice.
// False: memory ran out.
static bool find_sources(extraction *e)
{
    bool has_memory = true;
    for (uint32_t i = 0; i < e->models.count && has_memory && !cli_stop_wanted(&e->session->stop); i++) {
        cli_job job;
        cli_job_init(&job, e->session, &((const cli_input *)e->models.items)[i], e->out);
        job.stop = &e->session->stop.is_stopping;
        job.on_read = note_source;
        job.on_read_user = e;
        has_memory = cli_job_load(&job, false) || job.error.status != SN_ERR_MEMORY;
        cli_job_free(&job);
    }
    cli_files_sort(&e->sources);
    return has_memory && !sni_failed(&e->session->diag);
}

// Of two archives with a file of one name the first wins.
static bool is_hidden(const extraction *e, const sn_archive *archive, const char *name)
{
    sn_archive_entry entry;
    for (uint32_t i = 0; e->session->archives[i] != archive; i++)
        if (sn_archive_find(e->session->archives[i], name, &entry)) return true;
    return false;
}

static void add_listed(extraction *e, const sn_archive *archive)
{
    sn_archive_entry entry;
    for (uint32_t i = 0; sn_archive_at(archive, i, &entry); i++)
        if (is_wanted(e, entry.name) && !is_hidden(e, archive, entry.name) &&
            (!e->textures || cli_is_image(entry.name)))
            add_entry(e, archive, entry);
}

// Archives may have files that they do not list. A name that leads out of the folder is never asked for.
static void add_unlisted(extraction *e, const request *w)
{
    sn_archive_entry entry;
    for (uint32_t i = 0; w->is_clean && i < e->session->archive_count; i++) {
        if (!sn_archive_find(e->session->archives[i], w->name, &entry)) continue;
        add_entry(e, e->session->archives[i], entry);
        return;
    }
    if (e->session->shard.index > 0) return;  // the first shard reports it
    const char *shown = cli_escape(&e->session->arena, w->name);
    cli_complain("%s: error: not found in any archive", shown ? shown : "");
    e->failed++;
    e->code = CLI_EXIT_IO;
}

// Keeps what this shard writes. Files that would be written to one path stay together, and so does everything when
// textures of models are written: which names these have, and which model comes first, is known when all are loaded.
static bool share(extraction *e)
{
    const cli_session *session = e->session;
    piece *pieces = e->pieces.items;
    const uint32_t count = e->pieces.count;
    uint32_t kept = 0;
    if (session->shard.count == 0) return true;
    cli_shard_file *files = sni_new(&e->session->arena, cli_shard_file, count);
    for (uint32_t i = 0; files && i < count; i++)
        files[i] = (cli_shard_file){ .name = target_of(e, pieces[i].name, &e->session->arena),
                                     .is_output = true,
                                     .weight = CLI_FILE_WEIGHT + pieces[i].size };
    if (!files || sni_failed(&e->session->diag)) return false;
    if (e->models.count == 0 && !cli_shard_split(session, files, count)) return false;
    for (uint32_t i = 0; i < count; i++)
        if (files[i].shard == session->shard.index) pieces[kept++] = pieces[i];
    e->pieces.count = kept;
    if (session->shard.index > 0) e->models.count = 0;
    return true;
}

static void report_left_out(const extraction *e)
{
    for (uint32_t i = 0; i < e->session->archive_count; i++) {
        const sn_archive_info info = sn_archive_describe(e->session->archives[i]);
        const char *shown = cli_escape(&e->session->arena, info.path);
        if (info.refused_count > 0)
            cli_complain("%s: %u files are left out: their names lead out of the archive", shown ? shown : "",
                         info.refused_count);
        if (info.damaged_count > 0)
            cli_complain("%s: %u files are left out: no name, or outside the data", shown ? shown : "",
                         info.damaged_count);
    }
}

static void report_summary(const extraction *e)
{
    const char *files = cli_count(&e->session->arena, e->skipped, "file exists", "files exist");
    if (e->skipped > 0) cli_complain("%s already; --force replaces them", files ? files : "files exist");
    if (is_quiet(e)) return;
    if (e->request_count == 0) report_left_out(e);
    fprintf(stderr, "%u extracted, %u skipped, %u failed\n", e->extracted, e->skipped, e->failed);
}

static void begin_report(extraction *e)
{
    e->has_report = true;
    e->json = sni_json_writer_make(&e->out->text, true);
    sni_json_begin_object(&e->json);
    cli_json_text(&e->json, "schema", "sinew.extract/2");
    cli_json_list(&e->json, "files");
}

static void end_report(extraction *e)
{
    sni_json_end(&e->json);
    cli_json_integer(&e->json, "extracted_count", e->extracted);
    cli_json_integer(&e->json, "skipped_count", e->skipped);
    cli_json_integer(&e->json, "failed_count", e->failed);
    sni_json_end(&e->json);
    sni_write_text(&e->out->text, "\n");
}

static int extract_all(extraction *e)
{
    atomic_store(&e->session->stop.is_batch, true);
    if (cli_has(e->session->args, CLI_OPTION_JSON)) begin_report(e);
    for (uint32_t i = 0; i < e->session->archive_count; i++) add_listed(e, e->session->archives[i]);
    for (uint32_t i = 0; i < e->request_count; i++)
        if (!e->requests[i].was_found) add_unlisted(e, &e->requests[i]);
    if (sni_failed(&e->session->diag) || !share(e)) return cli_no_memory();
    if (cli_has(e->session->args, CLI_OPTION_FORCE) && !find_sources(e)) return cli_no_memory();
    for (uint32_t i = 0; i < e->pieces.count && !e->out->failed && !cli_stop_wanted(&e->session->stop); i++)
        extract(e, ((const piece *)e->pieces.items)[i]);
    for (uint32_t i = 0; i < e->models.count && !cli_stop_wanted(&e->session->stop); i++)
        extract_model(e, &((const cli_input *)e->models.items)[i]);
    if (e->has_report) end_report(e);
    report_summary(e);
    if (sni_failed(&e->session->diag)) return cli_no_memory();
    if (e->code == CLI_EXIT_MEMORY) return e->code;
    if (e->failed > 0 && e->extracted + e->skipped + e->failed == 1) return e->code;
    return e->failed + e->skipped > 0 ? CLI_EXIT_FINDINGS : CLI_EXIT_OK;
}

// Names that no file in an archive can have are kept as they are, for the message.
static bool read_requests(extraction *e)
{
    const cli_args *args = e->session->args;
    sni_arena *arena = &e->session->arena;
    e->requests = sni_new(arena, request, (uint64_t)args->file_count);
    for (int i = 0; e->requests && i < args->file_count; i++) {
        char clean[1024];
        const char *name = args->files[i];
        if (cli_session_archive(e->session, name)) continue;
        if (e->textures && cli_is_on_disk(name)) {
            int code = cli_gather_operand(e->session, name, false, arena, &e->models);
            if (code == CLI_EXIT_MEMORY) return false;
            if (code != CLI_EXIT_OK) e->failed++, e->code = code;
            continue;
        }
        request *w = &e->requests[e->request_count++];
        w->is_clean = sni_ref_clean(sni_str_make(name, strlen(name)), clean, sizeof clean);
        if (w->is_clean) name = clean;
        w->name = cli_format(arena, "%s", name), w->below = cli_format(arena, "%s/*", name);
        if (!w->name || !w->below) return false;
    }
    return e->requests != NULL;
}

int cli_run_extract(cli_session *session, cli_out *out)
{
    const cli_args *args = session->args;
    extraction e = { .session = session, .out = out, .folder = args->values[CLI_OPTION_OUTPUT] };
    e.textures = args->values[CLI_OPTION_TEXTURES];
    if (!e.folder || !e.folder[0] || strcmp(e.folder, "-") == 0) {
        cli_complain("'-o' is missing; it needs a folder");
        return CLI_EXIT_USAGE;
    }
    if (!read_requests(&e)) { return cli_no_memory(); }
    if (session->archive_count > 0 || e.models.count > 0) return extract_all(&e);
    if (e.failed > 0) return e.code;
    const char *shown = cli_escape(&session->arena, args->files[0]);
    cli_complain("%s: error: not an archive; '--archive' opens files with any extension", shown ? shown : "");
    return access(args->files[0], F_OK) == 0 ? CLI_EXIT_FORMAT : CLI_EXIT_IO;
}
