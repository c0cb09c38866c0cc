// --shard K/N: which files of a run this process takes. Every shard plans the whole list, so that all agree.
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "batch.h"

enum { SHARDS_MAX = 1000000 };

// A whole number below 10^9; false: it is none.
static bool read_number(const char *text, size_t size, uint32_t *number)
{
    *number = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9') return false;
        *number = *number * 10 + (uint32_t)(text[i] - '0');
    }
    return size > 0 && size < 10;
}

static bool read_variable(const char *name, uint32_t *number)
{
    const char *text = getenv(name);
    return text && read_number(text, strlen(text), number);
}

static bool refuse(const char *why)
{
    cli_complain("'--shard auto' %s", why);
    return false;
}

// An array that has gaps, or of which only some tasks were submitted again, does not say how many shards there are.
static bool read_slurm(uint32_t shards, cli_shard *shard)
{
    uint32_t id, low, high, count, step = 1;
    if (!read_variable("SLURM_ARRAY_TASK_ID", &id) || !read_variable("SLURM_ARRAY_TASK_MIN", &low) ||
        !read_variable("SLURM_ARRAY_TASK_MAX", &high) || !read_variable("SLURM_ARRAY_TASK_COUNT", &count) ||
        (getenv("SLURM_ARRAY_TASK_STEP") && !read_variable("SLURM_ARRAY_TASK_STEP", &step)))
        return refuse("needs SLURM_ARRAY_TASK_ID, _MIN, _MAX and _COUNT as whole numbers");
    if (step != 1 || high < low || high - low + 1 != count || id < low || id > high)
        return refuse("needs a Slurm array without gaps: step 1, with every task from the first to the last");
    if (shards > 0 && shards != count) return refuse("needs '--shards' to be the number of tasks in the Slurm array");
    *shard = (cli_shard){ id - low, count };
    return true;
}

static bool read_auto(uint32_t shards, cli_shard *shard)
{
    const bool is_slurm = getenv("SLURM_ARRAY_TASK_ID") != NULL, is_indexed = getenv("JOB_COMPLETION_INDEX") != NULL;
    uint32_t index;
    if (is_slurm && is_indexed) return refuse("found both JOB_COMPLETION_INDEX and SLURM_ARRAY_TASK_ID");
    if (is_slurm) return read_slurm(shards, shard);
    if (!is_indexed) return refuse("needs JOB_COMPLETION_INDEX with '--shards', or the variables of a Slurm array");
    if (shards == 0) return refuse("needs '--shards' with JOB_COMPLETION_INDEX");
    if (!read_variable("JOB_COMPLETION_INDEX", &index) || index >= shards)
        return refuse("needs a JOB_COMPLETION_INDEX from 0 to the number of shards - 1");
    *shard = (cli_shard){ index, shards };
    return true;
}

bool cli_shard_read(const cli_args *args, cli_shard *shard)
{
    const char *text = args->values[CLI_OPTION_SHARD], *slash = text ? strchr(text, '/') : NULL;
    uint32_t shards, number = 0, count = 0;
    *shard = (cli_shard){ 0, 0 };
    if (!cli_read_number(args, CLI_OPTION_SHARDS, 1, SHARDS_MAX, 0, &shards)) return false;
    if (text && strcmp(text, "auto") == 0) return read_auto(shards, shard);
    if (shards > 0) {
        cli_complain("'--shards' needs '--shard auto'");
        return false;
    }
    if (!text) return true;
    if (slash && read_number(text, (size_t)(slash - text), &number) &&
        read_number(slash + 1, strlen(slash + 1), &count) && number >= 1 && number <= count && count <= SHARDS_MAX) {
        *shard = (cli_shard){ number - 1, count };
        return true;
    }
    char shown[64];
    sni_text_printable(text, shown, sizeof shown);
    cli_complain("'--shard' needs auto or K/N with K from 1 to N, such as 2/4, not '%s'", shown);
    return false;
}

uint64_t cli_input_weight(const cli_input *input)
{
    struct stat info = { 0 };
    sn_archive_entry entry;
    if (!input->path || strcmp(input->path, "-") == 0) return CLI_FILE_WEIGHT;
    if (input->archive)
        return CLI_FILE_WEIGHT + (sn_archive_find(input->archive, input->name, &entry) ? entry.size : 0);
    return CLI_FILE_WEIGHT + (stat(input->path, &info) == 0 && S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0);
}

// Files that belong together: union-find over the names that they share.
typedef struct units {
    sni_arena *arena;
    cli_shard_file *files;
    uint32_t *parent;
    sni_nocase_names names;
    uint32_t current;  // the file whose names are added
} units;

static uint32_t find_root(const units *u, uint32_t file)
{
    while (u->parent[file] != file) file = u->parent[file] = u->parent[u->parent[file]];
    return file;
}

static void add_name(void *user, const char *name)
{
    units *u = user;
    const sni_str text = sni_str_make(name, strlen(name));
    const int32_t other = sni_nocase_names_find(&u->names, text);
    if (other >= 0) {
        const uint32_t a = find_root(u, (uint32_t)other), b = find_root(u, u->current);
        u->parent[a > b ? a : b] = a > b ? b : a;
        return;
    }
    const char *copy = sni_copy_text(u->arena, name, text.size);
    if (copy) sni_nocase_names_add(u->arena, &u->names, sni_str_make(copy, text.size), (int32_t)u->current);
}

static const char *without_ending(sni_arena *arena, const char *path)
{
    const char *last = sni_last_name(path), *dot = strrchr(last, '.');
    return sni_copy_text(arena, path, dot && dot != last ? (size_t)(dot - path) : strlen(path));
}

// W3D files find each other by file names and by names inside them, wherever they are; others stand in one folder and
// have one name: x.mds and x.chr. With --hierarchy every W3D file refers to one other.
static bool add_names(units *u, const char *hierarchy)
{
    const cli_input *input = u->files[u->current].input;
    const char *stem = without_ending(u->arena, u->files[u->current].name);
    sn_error error = { .status = SN_OK };
    if (!stem) return false;
    add_name(u, u->files[u->current].is_output ? u->files[u->current].name : stem);
    if (!input || !sni_has_ending(input->name, "w3d")) return !sni_failed(u->arena->heap->diag);
    add_name(u, sni_last_name(stem));
    if (hierarchy) add_name(u, "--hierarchy");
    sn_part_names(input->archive, input->archive ? input->name : input->path, add_name, u, &error);
    return error.status != SN_ERR_MEMORY && !sni_failed(u->arena->heap->diag);
}

typedef struct unit {
    uint64_t weight;
    const char *name;  // the first of its files
    uint32_t root, shard;
} unit;

static int compare_units(const void *a, const void *b)
{
    const unit *first = a, *second = b;
    if (first->weight != second->weight) return first->weight < second->weight ? 1 : -1;
    const int order = strcmp(first->name, second->name);
    return order ? order : (first->root > second->root) - (first->root < second->root);
}

typedef struct load {
    uint64_t weight;
    uint32_t shard;
} load;

static bool is_lighter(load a, load b) { return a.weight != b.weight ? a.weight < b.weight : a.shard < b.shard; }

// The lightest is first (a binary heap); it has grown.
static void sink(load *heap, uint32_t count)
{
    for (uint32_t at = 0, child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && is_lighter(heap[child + 1], heap[child])) child++;
        if (is_lighter(heap[at], heap[child])) return;
        const load other = heap[at];
        heap[at] = heap[child];
        heap[child] = other;
    }
}

// Largest first into the lightest shard.
static bool spread(unit *list, uint32_t count, uint32_t shards, sni_arena *arena)
{
    load *heap = sni_new(arena, load, shards);
    if (!heap) return false;
    for (uint32_t i = 0; i < shards; i++) heap[i].shard = i;
    if (count > 1) qsort(list, count, sizeof *list, compare_units);
    for (uint32_t i = 0; i < count; i++) {
        list[i].shard = heap[0].shard;
        heap[0].weight += list[i].weight;
        sink(heap, shards);
    }
    return true;
}

bool cli_shard_split(const cli_session *session, cli_shard_file *files, uint32_t count)
{
    cli_worker scratch;
    cli_worker_init(&scratch);
    units u = { .arena = &scratch.arena, .files = files, .parent = sni_new(&scratch.arena, uint32_t, count) };
    unit *list = sni_new(&scratch.arena, unit, count);
    uint32_t *place = sni_new(&scratch.arena, uint32_t, count), unit_count = 0;
    bool is_good = u.parent && list && place;
    for (uint32_t i = 0; is_good && i < count; i++) u.parent[i] = i;
    for (u.current = 0; is_good && u.current < count; u.current++)
        is_good = add_names(&u, session->args->values[CLI_OPTION_HIERARCHY]);
    for (uint32_t i = 0; is_good && i < count; i++) {  // a root comes before the rest of its unit
        const uint32_t root = find_root(&u, i);
        if (root == i) place[i] = unit_count, list[unit_count++] = (unit){ 0, files[i].name, i, 0 };
        unit *own = &list[place[root]];
        own->weight += files[i].weight;
        if (strcmp(files[i].name, own->name) < 0) own->name = files[i].name;
    }
    is_good = is_good && spread(list, unit_count, session->shard.count, &scratch.arena);
    for (uint32_t i = 0; is_good && i < unit_count; i++) files[list[i].root].shard = list[i].shard;
    for (uint32_t i = 0; is_good && i < count; i++) files[i].shard = files[find_root(&u, i)].shard;
    sni_arena_free(&scratch.arena);
    return is_good;
}

bool cli_shard_inputs(const cli_session *session, sni_arena *arena, sni_list *inputs)
{
    cli_input *items = inputs->items;
    uint32_t kept = 0;
    if (session->shard.count == 0 || inputs->count == 0) return true;
    cli_shard_file *files = sni_new(arena, cli_shard_file, inputs->count);
    for (uint32_t i = 0; files && i < inputs->count; i++)
        files[i] = (cli_shard_file){ .name = items[i].name, .weight = cli_input_weight(&items[i]) };
    if (!files || !cli_shard_split(session, files, inputs->count)) return false;
    for (uint32_t i = 0; i < inputs->count; i++)
        if (files[i].shard == session->shard.index) items[kept++] = items[i];
    inputs->count = kept;
    return true;
}
