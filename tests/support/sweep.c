#include "sweep.h"
#include "check_model.h"
#include "check_saved.h"
#include "counting_heap.h"
#include "random_model.h"

#include <dirent.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Of showpieces: how many lengths, damages and failing allocations are tried, by default and with SINEW_CHECK_ALL.
enum { LENGTHS = 200, ALL_LENGTHS = 2000, MUTATIONS = 500, ALL_MUTATIONS = 20000, AROUND_EDGES = 8 };
enum { FAILED_LOADS = 100, FAILED_SAVES = 10 };

enum { EXERCISE_WORK = 3000, SAVED_WORK = 20000, HANG_SECONDS = 30 };

// A load may take 0.25 s + 1 s per MB of processor time; sanitizers and old machines get this much more.
static const double time_slack = 4;

void sweep_append(sweep_bytes *bytes, const void *data, size_t size)
{
    if (!bytes->data || bytes->size + size > bytes->capacity) {
        bytes->capacity = (bytes->size + size) * 2 + 16;
        bytes->data = realloc(bytes->data, bytes->capacity);
        if (!bytes->data) abort();
    }
    if (size) memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void sweep_set(sweep_bytes *bytes, const void *data, size_t size)
{
    bytes->size = 0;
    sweep_append(bytes, data, size);
}

static sweep_bytes read_file(const char *path)
{
    sweep_bytes bytes = { 0 };
    uint8_t piece[4096];
    FILE *file = fopen(path, "rb");
    sweep_require(file, "cannot open %s", path);
    for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;) sweep_append(&bytes, piece, got);
    fclose(file);
    return bytes;
}

// One load, observed

typedef struct watched {
    const sweep *sweep;
    const void *data;
    size_t size;
    size_t damaged_ref;   // which file `data` replaces; ref_count: the model itself
    uint64_t bytes_read;  // of referenced files
    uint64_t cancel_checks, cancel_at;
    counting_heap heap;
    sn_error error;
} watched;

// Relative, '/' between names, no name empty, "." or "..".
static bool is_clean_ref(const char *ref)
{
    char framed[4096];
    snprintf(framed, sizeof framed, "/%s/", ref);
    return !strstr(framed, "//") && !strstr(framed, "/./") && !strstr(framed, "/../") && !strpbrk(ref, "\\:") &&
           ref[0] != '~';
}

static bool open_ref(void *user, const char *ref, const void **data, size_t *size)
{
    watched *w = user;
    sweep_require(is_clean_ref(ref), "asked for \"%s\"", ref);
    for (size_t i = 0; i < w->sweep->ref_count; i++) {
        const sweep_ref *found = &w->sweep->refs[i];
        if (strcmp(found->name, ref) != 0) continue;
        *data = i == w->damaged_ref ? w->data : found->bytes.data;
        *size = i == w->damaged_ref ? w->size : found->bytes.size;
        w->bytes_read += *size;
        return true;
    }
    return false;
}

static bool is_cancelled(void *user)
{
    watched *w = user;
    return ++w->cancel_checks == w->cancel_at;
}

static double own_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// One whose rules the format of the file has.
static sn_game game_of(const char *name)
{
    static const char *const level5[] = { ".mds", ".chr", ".pak", ".cfg", ".img", ".mot", ".wgt", ".bbp" };
    if (strstr(name, ".w3d")) return SN_GAME_GENERALS;
    for (size_t i = 0; i < sizeof level5 / sizeof *level5; i++)
        if (strstr(name, level5[i])) return strstr(name, "2") ? SN_GAME_DARK_CLOUD_2 : SN_GAME_DARK_CLOUD;
    return SN_GAME_WARCRAFT_3;
}

static sn_model *load(watched *w, bool lint)
{
    bool is_model = w->damaged_ref == w->sweep->ref_count;
    const void *data = is_model ? w->data : w->sweep->input.data;
    size_t size = is_model ? w->size : w->sweep->input.size;
    sn_load_opts opts = { .allocator = counting_allocator(&w->heap),
                          .name = w->sweep->name,
                          .lint = lint,
                          .game = lint ? game_of(w->sweep->name) : SN_GAME_AUTO,
                          .open_ref = open_ref,
                          .cancelled = is_cancelled,
                          .user = w };
    memset(&w->error, 0xa5, sizeof w->error);
    double start = own_seconds();
    sn_model *model = sn_load_memory(data, size, &opts, &w->error);
    double seconds = own_seconds() - start, most = 0.25 + 1e-6 * (double)(size + w->bytes_read);
    sweep_require(seconds <= most * time_slack, "took %.2f s, the limit is %.2f s", seconds, most);
    uint64_t ceiling = (16u << 20) + 32 * (uint64_t)(size + w->bytes_read);
    sweep_require(w->heap.peak_bytes <= ceiling, "used %llu bytes, the limit is %llu",
                  (unsigned long long)w->heap.peak_bytes, (unsigned long long)ceiling);
    if (!model) {
        check_error(&w->error);
        sweep_require(w->heap.live_blocks == 0, "%llu blocks live after a failed load",
                      (unsigned long long)w->heap.live_blocks);
    }
    return model;
}

static void release(watched *w, sn_model *model)
{
    sn_model_free(model);
    sweep_require(w->heap.live_blocks == 0, "%llu blocks live after sn_model_free",
                  (unsigned long long)w->heap.live_blocks);
}

static watched watch(const sweep *s)
{
    return (watched){ .sweep = s, .data = s->input.data, .size = s->input.size, .damaged_ref = s->ref_count };
}

static uint64_t share_of(const char *variable, uint64_t usual)
{
    const char *text = getenv(variable);
    uint64_t share = text ? strtoull(text, NULL, 10) : usual;
    return share > 0 ? share : 1;
}

uint32_t corpus_step(void)
{
    const uint32_t step = random_step();
    return step > 1 || sweep_is_all() ? step : 10;
}

bool sweep_is_all(void)
{
    const char *all = getenv("SINEW_CHECK_ALL");
    return all && strcmp(all, "1") == 0;
}

// A document points into the input.
static void repair(watched *w, const void *data, size_t size)
{
    sn_error error;
    const sn_load_opts opts = { .name = w->sweep->name, .keep_document = true, .open_ref = open_ref, .user = w };
    sn_model *model = w->damaged_ref == w->sweep->ref_count ? sn_load_memory(data, size, &opts, &error) : NULL;
    if (model) check_repaired(model, w->sweep->name, false);
    sn_model_free(model);
}

static bool load_and_check(const sweep *s, const sweep_bytes *bytes, size_t damaged_ref, uint64_t k)
{
    bool lint = k / 2 % 2;
    // A block of exactly this size, so that sanitizers see a read past the end.
    uint8_t *exact = malloc(bytes->size ? bytes->size : 1);
    if (!exact) abort();
    memcpy(exact, bytes->data, bytes->size);
    if (s->visit) {
        bool is_good = s->visit(exact, bytes->size, k);
        free(exact);
        return is_good;
    }
    watched w = { .sweep = s, .data = exact, .size = bytes->size, .damaged_ref = damaged_ref };
    sn_model *model = load(&w, lint);
    if (model && lint && k / 4 % 16 == 0) repair(&w, exact, bytes->size);
    memset(exact, 0x5a, bytes->size);  // a model does not point into its input
    free(exact);
    if (model) {
        check_model(model);
        exercise_model_within(model, NULL, EXERCISE_WORK);
        if (k / 4 % share_of("SINEW_SWEEP_SAVED", 64) == 0) {
            check_saved(model, k % 5 < 2 ? "x.gltf" : "x.glb", 0, lint, SAVED_WORK);
            check_saved_mdx(model, k % 3 ? "x.mdx" : "x.mdl", k % 2 ? 800 : 1000 + 100 * (uint32_t)(k % 3), SAVED_WORK);
            check_saved_w3d(model, (uint32_t)(k % 12), SAVED_WORK);
            check_saved_level5(model, k % 5 ? "x.chr" : "x.mds", k % 8 < 4 ? SN_GAME_DARK_CLOUD : SN_GAME_DARK_CLOUD_2,
                               SAVED_WORK);
        }
        release(&w, model);
    }
    return model != NULL;
}

// Many variants, shared by processes that may crash

typedef struct progress {
    uint64_t current, loads, models;
} progress;

typedef struct variants {
    sweep *sweep;
    const char *what;
    size_t damaged_ref;
    uint64_t all, count;  // how many there are, how many of them are tried
    sweep_make make;
    void *user;
    bool is_prefix;
} variants;

static uint64_t mixed(uint64_t k)  // splitmix64: the same variants on every machine
{
    k += 0x9e3779b97f4a7c15u;
    k = (k ^ k >> 30) * 0xbf58476d1ce4e5b9u;
    k = (k ^ k >> 27) * 0x94d049bb133111ebu;
    return k ^ k >> 31;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

uint64_t sweep_count(const sweep *s, uint64_t count)
{
    return s->is_showpiece ? least(count, sweep_is_all() ? ALL_MUTATIONS : MUTATIONS) : count;
}

bool sweep_pick(const sweep *s, uint64_t i, uint64_t count, uint64_t *k)
{
    bool is_part = s->is_showpiece && sweep_count(s, count) < count;
    *k = is_part ? mixed(i) % count : i;
    return mixed(i) % share_of("SINEW_SWEEP_SHARE", 1) == 0;
}

static void run_share(const variants *v, uint64_t first, uint64_t step, progress *shared)
{
    sweep_bytes bytes = { 0 };
    char words[128];
    struct itimerval hang = { .it_value = { HANG_SECONDS, 0 } };
    for (uint64_t k = first; k < v->count; k += step) {
        uint64_t picked = k;
        if (!v->is_prefix && !sweep_pick(v->sweep, k, v->all, &picked)) continue;
        shared->current = picked;
        if (!v->make(v->user, picked, &bytes, words, sizeof words)) continue;
        setitimer(ITIMER_REAL, &hang, NULL);  // ends the process when it hangs
        shared->models += load_and_check(v->sweep, &bytes, v->damaged_ref, k);
        shared->loads++;
    }
    setitimer(ITIMER_REAL, &(struct itimerval){ 0 }, NULL);
    free(bytes.data);
}

static void report_find(const variants *v, uint64_t k, int status)
{
    sweep_bytes bytes = { 0 };
    char words[128], path[64];
    const char *done = v->make(v->user, k, &bytes, words, sizeof words);
    snprintf(path, sizeof path, "sweep_find_%d.bin", (int)getpid());
    FILE *file = fopen(path, "wb");
    if (file) fwrite(bytes.data, 1, bytes.size, file), fclose(file);
    bool is_model = v->damaged_ref == v->sweep->ref_count;
    fprintf(stderr, "sweep: %s %s%s: %s: %s %d; the bytes are in %s\n", v->sweep->name,
            is_model ? "" : v->sweep->refs[v->damaged_ref].name, v->what, done ? done : "",
            WIFSIGNALED(status) ? "ended by signal" : "exit code",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), path);
    free(bytes.data);
}

static void run_variants(const variants *v)
{
    const char *wish = getenv("SINEW_SWEEP_JOBS");
    int jobs = wish ? atoi(wish) : 2, failures = 0;
    if (jobs < 1 || jobs > 64) jobs = 1;
    size_t room = (size_t)jobs * sizeof(progress);
    FILE *backing = tmpfile();
    if (!backing || ftruncate(fileno(backing), (off_t)room) != 0) abort();
    progress *shared = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, fileno(backing), 0);
    if (shared == MAP_FAILED) abort();
    pid_t children[64];
    fflush(NULL);
    for (int i = 0; i < jobs; i++) {
        children[i] = fork();
        if (children[i] == 0) {
            run_share(v, (uint64_t)i, (uint64_t)jobs, &shared[i]);
            exit(0);  // not _exit: the coverage build counts lines here
        }
    }
    for (int i = 0; i < jobs; i++) {
        int status = 0;
        waitpid(children[i], &status, 0);
        v->sweep->loads += shared[i].loads, v->sweep->models += shared[i].models;
        if (status == 0) continue;
        report_find(v, shared[i].current, status);
        failures++;
    }
    munmap(shared, room);
    fclose(backing);
    if (failures) abort();
}

void sweep_variants(sweep *s, const char *what, uint64_t count, sweep_make make, void *user)
{
    variants v = { s, what, s->ref_count, count, sweep_count(s, count), make, user, false };
    run_variants(&v);
}

// Kinds of damage

typedef struct damage {
    const sweep *sweep;
    const sweep_bytes *original;
    size_t edge_count;  // showpieces: edges of the sweep to cut at
} damage;

enum { CUTS = 2 * AROUND_EDGES + 1 };

// Of a showpiece: around each edge, then the first and last bytes, then seeded lengths.
static const char *make_prefix(void *user, uint64_t k, sweep_bytes *out, char *words, size_t capacity)
{
    const damage *d = user;
    size_t size = (size_t)k, all = d->original->size;
    if (d->sweep->is_showpiece && k < d->edge_count * CUTS) {
        size = d->sweep->edges[k / CUTS] + (size_t)(k % CUTS) - AROUND_EDGES;  // wraps below 0: skipped
        if (size >= all) return NULL;
    } else if (d->sweep->is_showpiece) {
        k -= d->edge_count * CUTS;
        size = (size_t)(k < 8 ? k : k < 16 ? all - (k - 7) : mixed(k)) % all;
    }
    sweep_set(out, d->original->data, size);
    snprintf(words, capacity, "cut to %zu bytes", size);
    return words;
}

enum { BYTE_KINDS = 12, WORD_KINDS = 7 };

static const char *change_byte(sweep_bytes *out, size_t at, unsigned kind, char *words, size_t capacity)
{
    uint8_t old = out->data[at];
    const uint8_t values[4] = { (uint8_t)(old + 1), (uint8_t)(old - 1), 0x00, 0xff };
    out->data[at] = (uint8_t)(kind < 4 ? values[kind] : old ^ 1u << (kind - 4));
    snprintf(words, capacity, "byte %zu is %02x instead of %02x", at, out->data[at], old);
    return out->data[at] == old ? NULL : words;
}

static const char *change_word(sweep_bytes *out, size_t at, unsigned kind, char *words, size_t capacity)
{
    uint32_t rest = (uint32_t)(out->size - at - 4);
    const uint32_t values[WORD_KINDS] = { 0, 1, 0x7fffffff, 0x80000000, 0xffffffff, rest + 1, rest - 1 };
    for (int i = 0; i < 4; i++) out->data[at + (size_t)i] = (uint8_t)(values[kind] >> 8 * i);
    snprintf(words, capacity, "u32 at %zu is %u", at, values[kind]);
    return words;
}

// All bytes with all their changes, then all aligned words with theirs.
static const char *make_damage(void *user, uint64_t k, sweep_bytes *out, char *words, size_t capacity)
{
    const damage *d = user;
    size_t size = d->original->size;
    uint64_t of_bytes = (uint64_t)size * BYTE_KINDS;
    sweep_set(out, d->original->data, size);
    if (k < of_bytes) return change_byte(out, (size_t)(k / BYTE_KINDS), (unsigned)(k % BYTE_KINDS), words, capacity);
    k -= of_bytes;
    return change_word(out, (size_t)(k / WORD_KINDS) * 4, (unsigned)(k % WORD_KINDS), words, capacity);
}

static void run_damage(sweep *s, size_t which, bool is_prefix)
{
    const sweep_bytes *original = which < s->ref_count ? &s->refs[which].bytes : &s->input;
    if (original->size == 0) return;
    damage d = { s, original, which < s->ref_count ? 0 : s->edge_count };
    variants v = { s, "damage", which, 0, 0, make_damage, &d, is_prefix };
    if (is_prefix) {
        uint64_t lengths = d.edge_count * CUTS + (sweep_is_all() ? ALL_LENGTHS : LENGTHS);
        v.what = "prefix", v.make = make_prefix;
        v.all = v.count = s->is_showpiece ? lengths : original->size;
    } else {
        v.all = (uint64_t)original->size * BYTE_KINDS + (uint64_t)(original->size / 4) * WORD_KINDS;
        v.count = sweep_count(s, v.all);
    }
    run_variants(&v);
}

void sweep_prefixes(sweep *s)
{
    for (size_t i = 0; i <= s->ref_count; i++) run_damage(s, i, true);
}

void sweep_damage(sweep *s)
{
    for (size_t i = 0; i <= s->ref_count; i++) run_damage(s, i, false);
}

// Running out of memory, and being cancelled

// Call k of `count` is tried: all of a sweep sample, `most` seeded ones of a showpiece.
static bool is_tried(const sweep *s, uint64_t k, uint64_t count, uint64_t most)
{
    return !s->is_showpiece || sweep_is_all() || count <= most || mixed(k) % count < most;
}

static void fail_load(const sweep *s, uint64_t k, bool for_ever, bool lint)
{
    watched w = watch(s);
    w.heap.fail_at = k, w.heap.fails_for_ever = for_ever;
    sn_model *model = load(&w, lint);
    sweep_require(model || w.error.status == SN_ERR_MEMORY, "%s: allocation %llu failed, status %d", s->name,
                  (unsigned long long)k, w.error.status);
    sweep_require(!model || !for_ever, "%s: a model, though all allocations from %llu on failed", s->name,
                  (unsigned long long)k);
    if (!model) return;
    check_model(model);
    release(&w, model);
}

static void fail_pose(const sn_model *model, const char *name)
{
    for (uint64_t k = 1, calls = 1; k <= calls; k++)
        for (int for_ever = 0; for_ever < 2; for_ever++) {
            counting_heap heap = { .fail_at = k, .fails_for_ever = for_ever };
            sn_allocator allocator = counting_allocator(&heap);
            sn_pose *pose = sn_pose_create(model, &allocator, NULL);
            if (pose) sn_pose_solve(pose, NULL);
            sweep_require(!pose || heap.calls < k, "%s: a pose, though allocation %llu failed", name,
                          (unsigned long long)k);
            sn_pose_free(pose);
            sweep_require(heap.live_blocks == 0, "%s: sn_pose_create left %llu blocks", name,
                          (unsigned long long)heap.live_blocks);
            if (heap.calls >= k) calls = k + 1;

            heap = (counting_heap){ .fail_at = k, .fails_for_ever = for_ever };
            sn_bounds bounds = { 0 };
            sn_status status = sn_model_bounds(model, (int32_t)model->clip_count - 1, &allocator, &bounds);
            sweep_require(status == (heap.calls >= k ? SN_ERR_MEMORY : SN_OK),
                          "%s: bounds return %d, allocation %llu failed", name, status, (unsigned long long)k);
            sweep_require(heap.live_blocks == 0, "%s: sn_model_bounds left %llu blocks", name,
                          (unsigned long long)heap.live_blocks);
            if (heap.calls >= k) calls = k + 1;
        }
}

// Saves to memory; `heap` and `files` make an allocation or a write fail.
static sn_status fail_save(const sn_model *model, const char *name, counting_heap *heap, saved_files *files)
{
    sn_error error;
    sn_save_opts opts = { .allocator = counting_allocator(heap), .write = saved_write, .user = files };
    memset(&error, 0xa5, sizeof error);
    sn_status status = sn_save_file(model, name, &opts, &error);
    sweep_require(heap->live_blocks == 0, "%s: saving left %llu blocks", name, (unsigned long long)heap->live_blocks);
    sweep_require(error.status == status, "%s: saving returns %d, the error has %d", name, status, error.status);
    if (status != SN_OK) check_error(&error);
    saved_free(files);
    return status;
}

// `step`: from one failing allocation that is tried to the next.
static uint64_t fail_saves(const sweep *s, const sn_model *model, const char *name, uint32_t step)
{
    counting_heap clean = { 0 };
    saved_files written = { .count = 0 };
    sn_status status = fail_save(model, name, &clean, &written);
    sweep_require(status == SN_OK, "%s: saving returns %d", name, status);
    for (uint64_t k = 1; k <= clean.calls; k += step)
        for (int for_ever = 0; for_ever < 2 && is_tried(s, k, clean.calls, FAILED_SAVES); for_ever++) {
            counting_heap heap = { .fail_at = k, .fails_for_ever = for_ever };
            saved_files files = { .count = 0 };
            status = fail_save(model, name, &heap, &files);
            sweep_require(status == SN_ERR_MEMORY, "%s: saving returns %d, allocation %llu failed", name, status,
                          (unsigned long long)k);
        }
    for (int k = 1; k <= written.calls; k++) {
        counting_heap heap = { 0 };
        saved_files files = { .refuse_at = k };
        status = fail_save(model, name, &heap, &files);
        sweep_require(status == SN_ERR_CANCELLED, "%s: saving returns %d, write %d was refused", name, status, k);
        sweep_require(files.calls == k, "%s: writes again after write %d was refused", name, k);
    }
    return 2 * clean.calls / step + (uint64_t)written.calls;
}

static void sweep_saving(sweep *s)
{
    watched w = watch(s);
    sn_model *model = load(&w, false);
    sweep_require(model, "%s does not load: %s", s->name, w.error.message);
    check_saved(model, "x.glb", 0, false, UINT64_MAX);
    check_saved(model, "x.gltf", 0, false, UINT64_MAX);
    check_saved_mdx(model, "x.mdx", 800, UINT64_MAX);
    for (uint32_t kind = 0; kind < 12; kind++) check_saved_w3d(model, kind, UINT64_MAX);
    check_saved_level5(model, "x.chr", SN_GAME_DARK_CLOUD, UINT64_MAX);
    check_saved_level5(model, "x.chr", SN_GAME_DARK_CLOUD_2, UINT64_MAX);
    s->saves += fail_saves(s, model, "x.glb", 1) + fail_saves(s, model, "x.gltf", random_step()) +
                fail_saves(s, model, "x.mdx", random_step()) + fail_saves(s, model, "x.w3d", random_step()) +
                fail_saves(s, model, "x.mds", random_step()) + fail_saves(s, model, "x.chr", random_step());
    release(&w, model);
}

static void sweep_allocations(sweep *s)
{
    for (int lint = 0; lint < 2; lint++) {
        watched w = watch(s);
        sn_model *model = load(&w, lint);
        sweep_require(model, "%s does not load: %s", s->name, w.error.message);
        uint64_t calls = w.heap.calls;
        if (!lint) fail_pose(model, s->name);
        release(&w, model);
        for (uint64_t k = 1; k <= calls; k++)
            for (int for_ever = 0; for_ever < 2 && is_tried(s, k, calls, FAILED_LOADS); for_ever++)
                fail_load(s, k, for_ever, lint);
        s->loads += 2 * calls;
    }
}

static void sweep_cancelling(sweep *s)
{
    watched clean = watch(s);
    sn_model *model = load(&clean, false);
    sweep_require(model, "%s does not load: %s", s->name, clean.error.message);
    release(&clean, model);
    sweep_require(clean.cancel_checks > 0, "%s: never asked whether it is cancelled", s->name);
    for (uint64_t k = 1; k <= clean.cancel_checks; k++) {
        if (!is_tried(s, k, clean.cancel_checks, FAILED_LOADS)) continue;
        watched w = watch(s);
        w.cancel_at = k;
        model = load(&w, false);
        sweep_require(!model && w.error.status == SN_ERR_CANCELLED, "%s: cancelled at call %llu, status %d", s->name,
                      (unsigned long long)k, w.error.status);
    }
    s->loads += clean.cancel_checks;
}

void sweep_failures(sweep *s)
{
    sweep_allocations(s);
    sweep_saving(s);
    sweep_cancelling(s);
}

// Files

typedef struct finder {
    sweep *sweep;
    char folder[1024];
} finder;

// Old games do not care about the case of names.
static bool find_path(const char *folder, const char *ref, char *path, size_t capacity)
{
    snprintf(path, capacity, "%s/%s", folder, ref);
    if (access(path, R_OK) == 0) return true;
    DIR *list = opendir(folder);
    bool is_found = false;
    for (struct dirent *entry; list && !is_found && (entry = readdir(list));) {
        is_found = strcasecmp(entry->d_name, ref) == 0;
        if (is_found) snprintf(path, capacity, "%s/%s", folder, entry->d_name);
    }
    if (list) closedir(list);
    return is_found;
}

static bool find_ref(void *user, const char *ref, const void **data, size_t *size)
{
    finder *f = user;
    char path[2048];
    if (!find_path(f->folder, ref, path, sizeof path)) return false;
    sweep *s = f->sweep;
    s->refs = realloc(s->refs, (s->ref_count + 1) * sizeof *s->refs);
    if (!s->refs) abort();
    sweep_ref *found = &s->refs[s->ref_count++];
    found->name = malloc(strlen(ref) + 1);
    if (!found->name) abort();
    strcpy(found->name, ref);
    found->bytes = read_file(path);
    *data = found->bytes.data, *size = found->bytes.size;
    return true;
}

void sweep_open(sweep *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    *s = (sweep){ .name = slash ? slash + 1 : path, .input = read_file(path) };
    s->is_showpiece = slash && (size_t)(slash - path) == strlen(SINEW_SAMPLES) &&
                      strncmp(path, SINEW_SAMPLES, strlen(SINEW_SAMPLES)) == 0;
    finder f = { .sweep = s };
    snprintf(f.folder, sizeof f.folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
    sn_load_opts opts = { .name = s->name, .open_ref = find_ref, .user = &f };
    sn_error error;
    sn_model *model = sn_load_memory(s->input.data, s->input.size, &opts, &error);
    sweep_require(model, "%s does not load: %s", path, error.message);
    check_model(model);
    exercise_model(model);
    uint64_t hash = sn_model_hash(model);
    sn_model_free(model);
    watched w = watch(s);
    model = load(&w, false);
    sweep_require(model && sn_model_hash(model) == hash, "%s loads differently the second time", path);
    release(&w, model);
    model = sn_load_file(path, NULL, &error);
    sweep_require(model && sn_model_hash(model) == hash, "%s loads differently by its path", path);
    sn_model_free(model);
}

void sweep_add_edge(sweep *s, size_t at)
{
    if (s->edge_count < SWEEP_EDGES) s->edges[s->edge_count++] = at;
}

void sweep_close(sweep *s)
{
    printf("%s%s: %llu loads, %llu models; %llu failed saves\n", s->name, s->is_showpiece ? " (showpiece)" : "",
           (unsigned long long)s->loads, (unsigned long long)s->models, (unsigned long long)s->saves);
    for (size_t i = 0; i < s->ref_count; i++) free(s->refs[i].name), free(s->refs[i].bytes.data);
    free(s->refs);
    free(s->input.data);
}

void sweep_file(const char *path)
{
    sweep s;
    sweep_open(&s, path);
    sweep_failures(&s);
    sweep_prefixes(&s);
    sweep_damage(&s);
    sweep_close(&s);
}

void sweep_file_alone(const char *path, void (*own_damage)(sweep *s))
{
    sweep s;
    sweep_open(&s, path);
    sweep_failures(&s);
    size_t refs = s.ref_count;
    s.ref_count = 0;
    own_damage(&s);
    sweep_prefixes(&s);
    sweep_damage(&s);
    s.ref_count = refs;
    sweep_close(&s);
}

static bool has_ending(const char *name, const char *endings)
{
    const char *dot = strrchr(name, '.');
    if (!dot || !dot[1]) return false;
    size_t size = strlen(dot + 1);
    for (const char *at = endings; *at; at += strcspn(at, " "), at += *at == ' ')
        if (strcspn(at, " ") == size && strncasecmp(at, dot + 1, size) == 0) return true;
    return false;
}

static int compare_names(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

enum { MANY_FILES = 1024 };

// The entries with one of the endings, sorted, since every file system has an order of its own. NULL: all that are not
// hidden.
static int list_folder(const char *folder, const char *endings, char *paths[MANY_FILES])
{
    int count = 0;
    DIR *dir = opendir(folder);
    for (struct dirent *entry; dir && count < MANY_FILES && (entry = readdir(dir));) {
        if (endings ? !has_ending(entry->d_name, endings) : entry->d_name[0] == '.') continue;
        size_t size = strlen(folder) + strlen(entry->d_name) + 2;
        paths[count] = malloc(size);
        if (!paths[count]) abort();
        snprintf(paths[count++], size, "%s/%s", folder, entry->d_name);
    }
    if (dir) closedir(dir);
    qsort(paths, (size_t)count, sizeof *paths, compare_names);
    return count;
}

int sweep_folder(const char *folder, const char *endings, void (*visit)(const char *path))
{
    char *paths[MANY_FILES];
    const int count = list_folder(folder, endings, paths);
    for (int i = 0; i < count; i++) visit(paths[i]), free(paths[i]);
    return count;
}

int sweep_tree(const char *folder, const char *endings, void (*visit)(const char *path))
{
    char *paths[MANY_FILES];
    int visited = sweep_folder(folder, endings, visit);
    const int count = list_folder(folder, NULL, paths);
    for (int i = 0; i < count; i++) visited += sweep_tree(paths[i], endings, visit), free(paths[i]);
    return visited;
}

int sweep_main(const sweep_place *places, void (*visit)(const char *path))
{
    const char *file = getenv("SINEW_SWEEP_FILE");
    if (file) visit(file);
    if (file) return 0;
    int swept = 0;
    const char *showpieces = getenv("SINEW_SWEEP_SHOWPIECES");
    const bool has_showpieces = !showpieces || strcmp(showpieces, "0") != 0;
    for (; places->folder; places++)
        if (has_showpieces || strcmp(places->folder, SINEW_SAMPLES) != 0)
            swept += sweep_folder(places->folder, places->endings, visit);
    printf("%d passed, 0 failed\n", swept);  // not reached after a find
    return swept > 0 ? 0 : 1;
}

size_t sweep_put_first(sweep *s, const char *endings)
{
    size_t first = 0;
    for (size_t i = 0; i < s->ref_count; i++) {
        if (!has_ending(s->refs[i].name, endings)) continue;
        sweep_ref held = s->refs[first];
        s->refs[first++] = s->refs[i];
        s->refs[i] = held;
    }
    return first;
}
