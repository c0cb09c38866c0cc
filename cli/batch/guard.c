// A batch never overwrites what it reads: inputs, by any name or link, and the files that they refer to.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch.h"

// Sorted.
typedef struct cli_files {
    cli_file_id *items;
    size_t count;
} cli_files;

static bool identify(const char *path, cli_file_id *id)
{
    struct stat info = { 0 };
    if (stat(path, &info) != 0) return false;
    *id = (cli_file_id){ info.st_dev, info.st_ino };
    return true;
}

int cli_plan_refuse(const cli_plan *plan, const char *path, const char *why)
{
    const char *shown = cli_escape(plan->arena, path);
    cli_complain("%s: %s", shown ? shown : "", why);
    return CLI_EXIT_USAGE;
}

void cli_keep_file(sni_arena *arena, sni_list *list, const char *path)
{
    cli_file_id id;
    if (!path || cli_is_dash(path) || !identify(path, &id)) return;
    cli_file_id *slot = sni_push(arena, list, cli_file_id);
    if (slot) *slot = id;
}

static int compare_files(const void *a, const void *b)
{
    const cli_file_id *first = a, *second = b;
    if (first->device != second->device) return first->device > second->device ? 1 : -1;
    return (first->number > second->number) - (first->number < second->number);
}

static void files_add(cli_files *files, const char *path)
{
    if (path && !cli_is_dash(path) && identify(path, &files->items[files->count])) files->count++;
}

static void files_sort(cli_files *files)
{
    if (files->count > 1) qsort(files->items, files->count, sizeof(cli_file_id), compare_files);
}

static bool files_have_id(const cli_files *files, const cli_file_id *id)
{
    return files->count > 0 && bsearch(id, files->items, files->count, sizeof *id, compare_files);
}

static bool files_have(const cli_files *files, const char *path)
{
    cli_file_id id;
    return path && !cli_is_dash(path) && files->count > 0 && identify(path, &id) && files_have_id(files, &id);
}

void cli_files_sort(sni_list *list)
{
    cli_files files = { list->items, list->count };
    files_sort(&files);
}

bool cli_files_have(const sni_list *sorted, const char *path)
{
    const cli_files files = { sorted->items, sorted->count };
    return files_have(&files, path);
}

static int guard_inputs(cli_plan *plan)
{
    const char *report = plan->args->values[CLI_OPTION_REPORT], *victim = NULL;
    const cli_session *session = plan->session;
    cli_files inputs = {
        sni_new(plan->arena, cli_file_id, (uint64_t)plan->items.count + 2 * (uint64_t)session->archive_count + 1), 0
    };
    if (!inputs.items) return cli_no_memory();
    for (uint32_t i = 0; i < session->archive_count; i++) {
        const sn_archive_info info = sn_archive_describe(session->archives[i]);
        files_add(&inputs, info.path);
        files_add(&inputs, info.partner);
    }
    for (uint32_t i = 0; i < plan->items.count; i++) files_add(&inputs, cli_plan_items(plan)[i].input.path);
    files_add(&inputs, plan->args->values[CLI_OPTION_KEEP_SKELETON]);
    const uint32_t count = (uint32_t)inputs.count;
    if (plan->has_companions) plan->sources = (sni_list){ inputs.items, count, count };
    files_sort(&inputs);
    if (files_have(&inputs, report)) victim = report;
    for (uint32_t i = 0; i < plan->items.count && !victim; i++) {
        const cli_item *item = &cli_plan_items(plan)[i];
        if (files_have(&inputs, item->out)) victim = item->out;
        else if (files_have(&inputs, item->bin)) victim = item->bin;
        bool is_report = report && item->out && !cli_is_dash(report) &&
                         (strcmp(report, item->out) == 0 || (item->bin && strcmp(report, item->bin) == 0));
        if (is_report) return cli_plan_refuse(plan, report, "is an output; the report needs another file");
    }
    return victim ? cli_plan_refuse(plan, victim, "is an input; it will not be overwritten") : CLI_EXIT_OK;
}

// Files that may be replaced or removed: which exist, and the paths of all, sorted.
typedef struct cli_guard {
    cli_plan *plan;
    cli_files files;
    const char **paths;
    size_t path_count;
    bool has_read_one;
    char victim[PATH_MAX];
} cli_guard;

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// An item writes more files than its output: "x_007.png" for "x.png"; and it removes the old buffer of "x.gltf", which
// may be "x-1f3a9c20.bin". Changes the path of such a file to the output's; false: it is none.
static bool find_output(const cli_plan *plan, char path[PATH_MAX])
{
    char *dot = strrchr(sni_last_name(path), '.'), *mark = dot;
    if (!dot) return false;
    if (strcmp(dot, ".bin") == 0) {
        while (mark > path && mark[-1] != '-' && mark[-1] != '/') mark--;
        if (dot - mark < 8 && mark > path && mark[-1] == '-')  // a number comes after the hash
            for (mark--; mark > path && mark[-1] != '-' && mark[-1] != '/';) mark--;
        if (mark == path || mark[-1] != '-' || mark - path + 5 >= PATH_MAX) return false;
        memcpy(mark - 1, ".gltf", 6);
        return true;
    }
    while (mark > path && mark[-1] >= '0' && mark[-1] <= '9') mark--;
    if (!plan->is_numbered || dot - mark < 3 || mark == path || mark[-1] != '_') return false;
    memmove(mark - 1, dot, strlen(dot) + 1);
    return true;
}

static void note_read(void *user, const char *path)
{
    cli_guard *guard = user;
    char output[PATH_MAX];
    const char *key = output;
    if (guard->plan->has_companions) cli_keep_file(guard->plan->arena, &guard->plan->sources, path);
    if (guard->has_read_one || strlen(path) >= sizeof output) return;
    memcpy(output, path, strlen(path) + 1);
    if (!files_have(&guard->files, path) &&
        !(find_output(guard->plan, output) &&
          bsearch(&key, guard->paths, guard->path_count, sizeof *guard->paths, compare_paths)))
        return;
    guard->has_read_one = true;
    snprintf(guard->victim, sizeof guard->victim, "%s", path);
}

// The folder of the target without links, and its name; NULL in `*path` where there is no such folder.
static bool find_path(sni_arena *arena, const char *target, const char **path)
{
    char folder[PATH_MAX], real[PATH_MAX];
    *path = NULL;
    if (!cli_parent_folder(target, folder, sizeof folder) || !realpath(folder[0] ? folder : ".", real)) return true;
    *path = cli_format(arena, "%s%s%s", real, strcmp(real, "/") == 0 ? "" : "/", sni_last_name(target));
    return *path != NULL;
}

// Of pictures that are numbered none may exist by the output's own name; of other files beside outputs the names are
// not known yet.
static bool add_target(cli_guard *guard, const char *target)
{
    const char *path;
    const size_t before = guard->files.count;
    if (!target || cli_is_dash(target)) return true;
    files_add(&guard->files, target);
    if (guard->files.count == before && !guard->plan->is_numbered && !guard->plan->has_companions) return true;
    if (!find_path(guard->plan->arena, target, &path)) return false;
    if (path) guard->paths[guard->path_count++] = path;
    return true;
}

static bool gather_targets(cli_guard *guard)
{
    const cli_plan *plan = guard->plan;
    const uint64_t most = 2 * (uint64_t)plan->items.count;
    guard->files.items = sni_new(plan->arena, cli_file_id, most);
    guard->paths = sni_new(plan->arena, const char *, most);
    if (!guard->files.items || !guard->paths) return false;
    for (uint32_t i = 0; i < plan->items.count; i++) {
        const cli_item *item = &cli_plan_items(plan)[i];
        if (!add_target(guard, item->out) || !add_target(guard, item->bin)) return false;
    }
    files_sort(&guard->files);
    if (guard->path_count > 1) qsort(guard->paths, guard->path_count, sizeof *guard->paths, compare_paths);
    return true;
}

// Is one of the files in the folder, or below?
static bool is_above_one(const cli_guard *guard, const char *path)
{
    char folder[PATH_MAX + 1];
    if (!realpath(path[0] ? path : ".", folder)) return false;
    size_t size = strlen(folder), first = 0, end = guard->path_count;
    if (folder[size - 1] != '/') memcpy(folder + size++, "/", 2);
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (strcmp(guard->paths[middle], folder) < 0) first = middle + 1;
        else end = middle;
    }
    return first < guard->path_count && strncmp(guard->paths[first], folder, size) == 0;
}

// References lead into the model's folder, its layout's, the one that the user named, and those of --search and --game
// only. Standard input can be read only once.
static bool may_refer_to_one(const cli_guard *guard, const cli_session *session, const cli_item *item)
{
    char path[PATH_MAX];
    const char *in = item->input.path, *title;
    if (item->outcome == CLI_FAILED || !cli_may_name_others(item) || cli_is_dash(in)) return false;
    for (uint32_t i = 0; cli_value(session->args, CLI_OPTION_SEARCH, i); i++)
        if (is_above_one(guard, cli_value(session->args, CLI_OPTION_SEARCH, i))) return true;
    for (uint32_t i = 0; cli_game_at(session, i); i++)
        if (is_above_one(guard, cli_game_at(session, i))) return true;
    if (item->input.archive || !cli_parent_folder(in, path, sizeof path)) return false;
    if (is_above_one(guard, path) || (item->input.root && is_above_one(guard, item->input.root))) return true;
    return !cli_has(session->args, CLI_OPTION_NO_LAYOUT) && sn_layout_find(in, path, sizeof path, &title) &&
           is_above_one(guard, path);
}

// What one item writes may be a texture or buffer of another, so that the result would depend on the order. Only
// loading shows what a model refers to, so models with such a file in or below their folder are loaded twice.
static int guard_references(cli_plan *plan)
{
    cli_guard guard = { .plan = plan };
    bool has_memory = gather_targets(&guard);
    for (uint32_t i = 0; i < plan->items.count && guard.path_count > 0 && has_memory && !guard.has_read_one; i++) {
        const cli_item *item = &cli_plan_items(plan)[i];
        if (!may_refer_to_one(&guard, plan->session, item)) continue;
        cli_job job;
        cli_job_init(&job, plan->session, &item->input, NULL);
        job.on_read = note_read;
        job.on_read_user = &guard;
        has_memory = cli_job_load(&job, false) || job.error.status != SN_ERR_MEMORY;
        cli_job_free(&job);
    }
    if (!has_memory || sni_failed(plan->arena->heap->diag)) return cli_no_memory();
    if (!guard.has_read_one) return CLI_EXIT_OK;
    return cli_plan_refuse(plan, guard.victim, "is an input of a model; it will not be overwritten");
}

// One model by itself is refused when it is loaded, except where it has more files than one.
int cli_plan_guard(cli_plan *plan)
{
    int code = guard_inputs(plan);
    bool has_more = plan->is_numbered || (plan->items.count > 0 && cli_plan_items(plan)->bin);
    if (code == CLI_EXIT_OK && (plan->is_batch || has_more)) code = guard_references(plan);
    return code;
}

// Files beside the outputs, whose names are known when an item is saved.

typedef struct claimed_file {
    const char *path;  // "": released
    const cli_item *item;
} claimed_file;

void cli_claims_begin(cli_plan *plan, cli_claims *claims)
{
    *claims = (cli_claims){ .items = { 0 } };
    pthread_mutex_init(&claims->mutex, NULL);
    sni_diag_init(&claims->diag, NULL);
    sni_heap_init(&claims->heap, NULL, UINT64_MAX);
    claims->heap.diag = &claims->diag;
    sni_arena_init(&claims->arena, &claims->heap);
    cli_files_sort(&plan->sources);
    plan->claims = claims;
}

void cli_claims_end(cli_plan *plan)
{
    sni_arena_free(&plan->claims->arena);
    pthread_mutex_destroy(&plan->claims->mutex);
    plan->claims = NULL;
}

// The item that has the file: this one, or the first that asked. NULL: memory ran out.
static const cli_item *take_file(cli_claims *claims, const cli_item *item, const char *path)
{
    const uint32_t hash = sni_hash(path, strlen(path));
    for (sni_map_cursor at = sni_map_find(&claims->map, hash); sni_map_next(&claims->map, &at);) {
        const claimed_file *claimed = &((const claimed_file *)claims->items.items)[at.item];
        if (strcmp(claimed->path, path) == 0) return claimed->item;
    }
    const char *copy = sni_copy_text(&claims->arena, path, strlen(path));
    claimed_file *claimed = copy ? sni_push(&claims->arena, &claims->items, claimed_file) : NULL;
    if (!claimed) return NULL;
    *claimed = (claimed_file){ copy, item };
    return sni_map_add(&claims->map, &claims->arena, hash, claims->items.count - 1) ? item : NULL;
}

bool cli_claim(const cli_plan *plan, const cli_item *item, const sni_list *reads, const char *path, sn_error *error)
{
    cli_file_id id;
    const cli_files sources = { plan->sources.items, plan->sources.count };
    bool is_there = identify(path, &id), is_read = is_there && files_have_id(&sources, &id);
    for (uint32_t i = 0; is_there && i < reads->count && !is_read; i++)
        is_read = compare_files(&((const cli_file_id *)reads->items)[i], &id) == 0;
    pthread_mutex_lock(&plan->claims->mutex);
    const cli_item *owner = is_read ? NULL : take_file(plan->claims, item, path);
    pthread_mutex_unlock(&plan->claims->mutex);
    *error = (sn_error){ .status = is_read || owner ? SN_ERR_IO : SN_ERR_MEMORY };
    if (is_read) snprintf(error->message, sizeof error->message, "is an input; it will not be overwritten");
    else if (owner) snprintf(error->message, sizeof error->message, "was already written for '%s'", owner->in);
    else snprintf(error->message, sizeof error->message, "out of memory");
    return owner == item;
}

uint32_t cli_claims_count(cli_claims *claims)
{
    pthread_mutex_lock(&claims->mutex);
    const uint32_t count = claims->items.count;
    pthread_mutex_unlock(&claims->mutex);
    return count;
}

void cli_claims_release(cli_claims *claims, const cli_item *item, uint32_t first)
{
    pthread_mutex_lock(&claims->mutex);
    claimed_file *files = claims->items.items;
    for (uint32_t i = first; i < claims->items.count; i++)
        if (files[i].item == item) files[i].path = "";
    pthread_mutex_unlock(&claims->mutex);
}
