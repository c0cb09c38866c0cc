// convert never overwrites what it reads: inputs, by any name or link, and the files that they refer to.
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch.h"

// Files by device and number, sorted.
typedef struct cli_files {
    struct stat *items;
    size_t count;
} cli_files;

int cli_plan_refuse(const cli_plan *plan, const char *path, const char *why)
{
    const char *shown = cli_escape(plan->arena, path);
    cli_complain("%s: %s", shown ? shown : "", why);
    return CLI_EXIT_USAGE;
}

int cli_plan_no_memory(void)
{
    cli_complain("error: out of memory");
    return CLI_EXIT_DAMAGED;
}

static int compare_files(const void *a, const void *b)
{
    const struct stat *first = a, *second = b;
    if (first->st_dev != second->st_dev) return first->st_dev > second->st_dev ? 1 : -1;
    return (first->st_ino > second->st_ino) - (first->st_ino < second->st_ino);
}

static void files_add(cli_files *files, const char *path)
{
    if (path && !cli_is_dash(path) && stat(path, &files->items[files->count]) == 0) files->count++;
}

static void files_sort(cli_files *files)
{
    if (files->count > 1) qsort(files->items, files->count, sizeof(struct stat), compare_files);
}

static bool files_have(const cli_files *files, const char *path)
{
    struct stat info;
    if (!path || cli_is_dash(path) || files->count == 0 || stat(path, &info) != 0) return false;
    return bsearch(&info, files->items, files->count, sizeof info, compare_files) != NULL;
}

static int guard_inputs(const cli_plan *plan)
{
    const char *report = plan->args->values[CLI_OPTION_REPORT], *victim = NULL;
    const cli_session *session = plan->session;
    cli_files inputs = {
        sni_new(plan->arena, struct stat, (uint64_t)plan->items.count + 2 * (uint64_t)session->archive_count), 0
    };
    if (!inputs.items) return cli_plan_no_memory();
    for (uint32_t i = 0; i < session->archive_count; i++) {
        const sn_archive_info info = sn_archive_describe(session->archives[i]);
        files_add(&inputs, info.path);
        files_add(&inputs, info.partner);
    }
    for (uint32_t i = 0; i < plan->items.count; i++) files_add(&inputs, cli_plan_items(plan)[i].input.path);
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

// The .bin files that will be replaced: which they are, and where, sorted.
typedef struct cli_guard {
    cli_files bins;
    const char **paths;
    bool has_read_one;
    char victim[PATH_MAX];
} cli_guard;

static void note_read(void *user, const char *path)
{
    cli_guard *guard = user;
    if (guard->has_read_one || !files_have(&guard->bins, path)) return;
    guard->has_read_one = true;
    snprintf(guard->victim, sizeof guard->victim, "%s", path);
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool gather_bins(cli_guard *guard, const cli_plan *plan)
{
    char path[PATH_MAX];
    guard->bins.items = sni_new(plan->arena, struct stat, plan->items.count);
    guard->paths = sni_new(plan->arena, const char *, plan->items.count);
    if (!guard->bins.items || !guard->paths) return false;
    for (uint32_t i = 0; i < plan->items.count; i++) {
        const char *bin = cli_plan_items(plan)[i].bin;
        size_t at = guard->bins.count;
        if (!bin || !realpath(bin, path)) continue;
        files_add(&guard->bins, path);
        if (guard->bins.count > at && !(guard->paths[at] = sni_copy_text(plan->arena, path, strlen(path))))
            return false;
    }
    files_sort(&guard->bins);
    if (guard->bins.count > 1) qsort(guard->paths, guard->bins.count, sizeof *guard->paths, compare_paths);
    return true;
}

// References lead into the model's folder and those of --search only: is one of the files in it, or below?
static bool may_refer_to_one(const cli_guard *guard, const cli_session *session, const cli_item *item)
{
    char folder[PATH_MAX + 1], path[PATH_MAX];
    const char *in = item->input.path, *slash = strrchr(in, '/');
    if (!cli_may_name_others(item) || strlen(in) >= sizeof path) return false;
    if (cli_has(session->args, CLI_OPTION_SEARCH)) return true;
    if (item->input.archive) return false;
    snprintf(path, sizeof path, "%.*s", slash ? (int)(slash - in) + 1 : 1, slash ? in : ".");
    if (!realpath(path, folder)) return false;
    size_t size = strlen(folder), first = 0, end = guard->bins.count;
    if (folder[size - 1] != '/') memcpy(folder + size++, "/", 2);
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (strcmp(guard->paths[middle], folder) < 0) first = middle + 1;
        else end = middle;
    }
    return first < guard->bins.count && strncmp(guard->paths[first], folder, size) == 0;
}

// The .bin of one item may be the buffer of another, so that the result would depend on the order. Only loading shows
// what a model refers to, so models with such a file in or below their folder are loaded twice.
static int guard_references(const cli_plan *plan)
{
    cli_guard guard = { 0 };
    if (!gather_bins(&guard, plan)) return cli_plan_no_memory();
    for (uint32_t i = 0; i < plan->items.count && guard.bins.count > 0 && !guard.has_read_one; i++) {
        const cli_item *item = &cli_plan_items(plan)[i];
        if (!may_refer_to_one(&guard, plan->session, item)) continue;
        cli_job job;
        cli_job_init(&job, plan->session, &item->input, NULL);
        job.on_read = note_read;
        job.on_read_user = &guard;
        cli_job_load(&job, false);
        cli_job_free(&job);
    }
    if (!guard.has_read_one) return CLI_EXIT_OK;
    return cli_plan_refuse(plan, guard.victim, "is an input of a model; it will not be overwritten");
}

int cli_plan_guard(const cli_plan *plan)
{
    int code = guard_inputs(plan);
    return code == CLI_EXIT_OK && plan->is_batch ? guard_references(plan) : code;
}
