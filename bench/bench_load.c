// B7 and B8: how long loading takes beside other readers and beside a plain read. See docs/internals/performance.md.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __GLIBC__
#    include <malloc.h>
#endif

#include "load_readers.h"
#include "load_text.h"
#include "load_workloads.h"
#include "rounds.h"

enum { LONGEST_PATH = 256 };

typedef enum kind { PEER, FLOOR } kind;

// `prepare` is called before each turn and is not timed; `begin` and `end` are part of it. One that is only watched has
// no target.
typedef struct reader {
    const char *name;
    kind kind;
    load_function *load;
    load_bytes_function *load_bytes;  // instead of `load`
    bool (*prepare)(void);
    void (*begin)(void), (*end)(void);
    bool is_watched;
} reader;

static const reader sinew_reader = { .name = "sinew", .load = load_with_sinew };
static const reader mapped_reader = { .name = "sinew", .load = load_mapped_with_sinew };
static const reader search_reader = {
    .name = "sinew", .load = load_searching_with_sinew, .begin = begin_search, .end = end_search
};
static const reader memory_reader = { .name = "from memory", .kind = FLOOR, .load_bytes = load_bytes_with_sinew };
static const reader lone_reader = { .name = "without search", .load = load_with_sinew, .is_watched = true };
static const reader gltf_peers[] = {
#ifdef BENCH_HAS_ASSIMP
    { .name = "assimp", .load = load_with_assimp },
#endif
#ifdef BENCH_HAS_TINYGLTF
    { .name = "tinygltf", .load = load_with_tinygltf },
#endif
    { 0 },
};
static const reader no_peers[] = { { 0 } };
#ifdef BENCH_HAS_NODE
static const reader war3_peers[] = {
    { .name = "war3-model", .load = load_with_war3, .prepare = renew_war3 },
    { .name = "the same, hot", .load = load_with_hot_war3, .is_watched = true },
    { 0 },
};
#endif
static const reader copy_scan = { .name = "copy and scan", .kind = FLOOR, .load = copy_and_scan };
static const reader read_copy = { .name = "read and copy", .kind = FLOOR, .load = read_and_copy };
static const reader read_only = { .name = "open, read, close", .kind = FLOOR, .load = open_read_close };

// Files to load, the same for every reader.
typedef struct workload {
    const char *id, *title;
    char (*paths)[LONGEST_PATH];
    uint32_t count;    // of files to load
    uint32_t touched;  // the files behind them in `paths` that loading them reads too
    const reader *sinew, *readers[BENCH_MOST_RUNNERS];
    uint32_t reader_count;
    bool is_ours;  // counts are known, and all readers must agree on them
    load_counts counts;
    load_bytes *bytes;  // of the files; NULL: no reader needs them
} workload;

typedef struct options {
    uint32_t rounds;
    bool small, json, warm, map, counts;
    const char *rows, *keep;
    FILE *gates;
    uint32_t workload_count, gate_count, missed_count;
    char **files;
    int file_count;
} options;

// One reader's part in one workload.
typedef struct entry {
    const reader *reader;
    bool works;
    bench_times times;
    load_counts counts;
} entry;

static bool counts_are(const load_counts *a, const load_counts *b)
{
    return a->nodes == b->nodes && a->vertices == b->vertices && a->clips == b->clips;
}

// One turn: all files of the workload. A floor reads what loading reads.
static bool take_turn(const workload *work, const reader *one, load_counts *counts)
{
    const uint32_t count = work->count + (one->kind == FLOOR && one->load ? work->touched : 0);
    bool is_good = true;
    if (counts) *counts = (load_counts){ 0 };
    if (one->begin) one->begin();
    for (uint32_t i = 0; is_good && i < count; i++) {
        load_counts found = { 0 }, *out = counts ? &found : NULL;
        is_good = one->load ? one->load(work->paths[i], out) : one->load_bytes(&work->bytes[i], out);
        if (counts) counts->nodes += found.nodes, counts->vertices += found.vertices, counts->clips += found.clips;
    }
    if (one->end) one->end();
    return is_good;
}

// Each reader loads once before any time is taken: the file is then in the page cache, and the counts are known.
static bool warm_up(const workload *work, entry *entries, uint32_t count)
{
    bool is_good = true;
    for (uint32_t i = 0; i < count; i++) {
        entry *one = &entries[i];
        one->works = (!one->reader->prepare || one->reader->prepare()) && take_turn(work, one->reader, &one->counts);
        bool agrees = one->works && (one->reader->kind == FLOOR || counts_are(&one->counts, &work->counts));
        if (agrees || (!work->is_ours && i > 0)) continue;
        if (one->works)
            fprintf(stderr, "%s: %s finds %llu nodes, %llu vertices, %llu clips\n", work->title, one->reader->name,
                    (unsigned long long)one->counts.nodes, (unsigned long long)one->counts.vertices,
                    (unsigned long long)one->counts.clips);
        else fprintf(stderr, "%s: %s cannot load it\n", work->title, one->reader->name);
        is_good = is_good && agrees;
    }
    return is_good;
}

// In each round every reader has its turn, in an order of the round's own.
static void run_rounds(const workload *work, entry *entries, uint32_t count, uint32_t rounds)
{
    uint64_t state = 1;
    for (uint32_t round = 0; round < rounds; round++) {
        uint32_t order[BENCH_MOST_RUNNERS];
        bench_shuffle(order, count, &state);
        for (uint32_t i = 0; i < count; i++) {
            entry *one = &entries[order[i]];
            if (!one->works || (one->reader->prepare && !one->reader->prepare())) continue;
            double start = bench_now();
            one->works = take_turn(work, one->reader, NULL);
            one->times.seconds[one->times.count++] = bench_now() - start;
        }
    }
}

// What a gate may ask: a reader's name, or "memory and read" for what loading from memory and reading take together.
// Of a floor it is how many times as long sinew takes, of a peer how many times as fast it is. NaN: it is not there.
static double measure_of(void *user, const char *name)
{
    const entry *entries = user, *memory = NULL, *floor = NULL;
    for (uint32_t i = 1; i < BENCH_MOST_RUNNERS && entries[i].reader; i++) {
        const entry *one = &entries[i];
        if (!one->works) continue;
        if (strcmp(name, one->reader->name) == 0)
            return one->reader->kind == FLOOR ? bench_ratio(&entries[0].times, &one->times)
                                              : bench_ratio(&one->times, &entries[0].times);
        if (one->reader == &memory_reader) memory = one;
        if (one->reader == &read_only) floor = one;
    }
    if (strcmp(name, "memory and read") != 0 || !memory || !floor) return NAN;
    static bench_times both;
    both.count = memory->times.count;
    for (uint32_t i = 0; i < both.count; i++) both.seconds[i] = memory->times.seconds[i] + floor->times.seconds[i];
    return bench_ratio(&entries[0].times, &both);
}

static double size_of(const workload *work)
{
    struct stat info;
    double size = 0.0;
    for (uint32_t i = 0; i < work->count; i++) size += stat(work->paths[i], &info) == 0 ? (double)info.st_size : 0.0;
    return size;
}

static void print_table(const workload *work, entry *entries, uint32_t count)
{
    printf("%s %s, %.1f MB: %llu nodes, %llu vertices, %llu clips\n", work->id, work->title, size_of(work) / 1e6,
           (unsigned long long)entries[0].counts.nodes, (unsigned long long)entries[0].counts.vertices,
           (unsigned long long)entries[0].counts.clips);
    printf("  %-17s %9s %9s   %s\n", "reader", "p10 ms", "median ms", "median of the ratios in each round");
    for (uint32_t i = 0; i < count; i++) {
        const entry *one = &entries[i];
        if (!one->works) {
            printf("  %-17s cannot load it\n", one->reader->name);
            continue;
        }
        printf("  %-17s %9.2f %9.2f", one->reader->name, 1e3 * bench_percentile(&one->times, 0.1),
               1e3 * bench_percentile(&one->times, 0.5));
        if (one->reader->kind == FLOOR)
            printf("   sinew takes %.2f x as long", bench_ratio(&entries[0].times, &one->times));
        else if (i > 0) printf("   sinew is %.2f x as fast", bench_ratio(&one->times, &entries[0].times));
        if (one->reader->kind != FLOOR && !counts_are(&one->counts, &entries[0].counts))
            printf(" (finds other counts)");
        printf("\n");
    }
    double both = measure_of(entries, "memory and read");
    if (!isnan(both)) printf("  %-37s   sinew takes %.2f x as long\n", "from memory + open, read, close", both);
    printf("\n");
}

static void print_text(const char *value)
{
    putchar('"');
    for (; *value; value++) {
        if ((unsigned char)*value < 0x20) printf("\\u%04x", (unsigned char)*value);
        else if (*value == '"' || *value == '\\') printf("\\%c", *value);
        else putchar(*value);
    }
    putchar('"');
}

static void print_json(const workload *work, entry *entries, uint32_t count, bool is_first)
{
    printf("%s\n  {\"id\":\"%s\",\"workload\":", is_first ? "" : ",", work->id);
    print_text(work->title);
    double both = measure_of(entries, "memory and read");
    if (!isnan(both)) printf(",\"sinew_times_memory_and_read\":%.4f", both);
    printf(",\"files\":%u,\"bytes\":%.0f,\"readers\":[", work->count, size_of(work));
    const char *comma = "";
    for (uint32_t i = 0; i < count; i++) {
        const entry *one = &entries[i];
        if (!one->works) continue;
        printf("%s\n    {\"name\":\"%s\",\"rounds\":%u,\"p10_ms\":%.4f,\"median_ms\":%.4f,\"times_sinew\":%.4f", comma,
               one->reader->name, one->times.count, 1e3 * bench_percentile(&one->times, 0.1),
               1e3 * bench_percentile(&one->times, 0.5), bench_ratio(&one->times, &entries[0].times));
        printf(",\"sinew_times_this\":%.4f", bench_ratio(&entries[0].times, &one->times));
        if (one->reader->kind == PEER)
            printf(",\"nodes\":%llu,\"vertices\":%llu,\"clips\":%llu", (unsigned long long)one->counts.nodes,
                   (unsigned long long)one->counts.vertices, (unsigned long long)one->counts.clips);
        printf("}");
        comma = ",";
    }
    printf("]}");
}

// Under callgrind, see bench/gate: each call is one count.
__attribute__((noinline)) static bool bench_counted(const workload *work) { return take_turn(work, work->sinew, NULL); }

static bool run_workload(const workload *work, options *opts)
{
    static entry entries[BENCH_MOST_RUNNERS];
    uint32_t count = 0;
    memset(entries, 0, sizeof entries);
    entries[count++].reader = work->sinew;
    for (uint32_t i = 0; i < work->reader_count; i++) entries[count++].reader = work->readers[i];
    if (opts->counts) {
        printf("%s\t%s\t%u\n", work->id, work->title, work->count);
        return bench_counted(work);
    }
    bool is_good = warm_up(work, entries, count);
    if (!entries[0].works) return is_good;
    run_rounds(work, entries, count, opts->rounds);
    for (uint32_t i = 0; work->is_ours && i < count; i++) is_good = is_good && entries[i].works;
    if (opts->gates)
        opts->missed_count += bench_check_gates(opts->gates, work->id, work->title, measure_of, entries,
                                                &opts->gate_count);
    else if (opts->json) print_json(work, entries, count, opts->workload_count == 0);
    else print_table(work, entries, count);
    opts->workload_count++;
    fflush(stdout);
    return is_good;
}

typedef enum family { GLTF, MDX, W3D, LEVEL5 } family;

// Who reads Warcraft III's models beside sinew. node starts once, when it is first asked for.
static const reader *find_mdx_peers(void)
{
#ifdef BENCH_HAS_NODE
    static int is_there = -1;
    if (is_there < 0) is_there = start_war3();
    return is_there ? war3_peers : no_peers;
#else
    return no_peers;
#endif
}

static void add_reader(workload *work, const reader *one)
{
    if (work->reader_count + 1 < BENCH_MOST_RUNNERS) work->readers[work->reader_count++] = one;
}

static void add_peers(workload *work, family of)
{
    for (const reader *peer = of == GLTF ? gltf_peers : of == MDX ? find_mdx_peers() : no_peers; peer->name; peer++)
        add_reader(work, peer);
}

static bool is_wanted(const options *opts, const char *id) { return !opts->rows || strstr(opts->rows, id); }

typedef bool write_function(const char *path, bool small, load_counts *counts);

static bool run_large(options *opts, const char *folder)
{
    static const struct {
        const char *id, *title, *name;
        write_function *write;
        const reader *floor;
        family of;
        bool is_mapped;
    } all[] = {
        { "B7", "JSON-heavy .gltf", "json.gltf", write_json_heavy, &copy_scan, GLTF, false },
        { "B7", "mesh-heavy .glb", "mesh.glb", write_mesh_heavy, &read_copy, GLTF, false },
        { "B7", "mesh-heavy .glb, mapped", "mesh.glb", write_mesh_heavy, &read_copy, GLTF, true },
        { "B7", "clip-heavy .glb", "clips.glb", write_clip_heavy, &copy_scan, GLTF, false },
        { "B7", "geometry-heavy .mdx", "grids.mdx", write_mdx_heavy, &read_copy, MDX, false },
        { "B7", "huge .mdx", "huge.mdx", write_mdx_huge, &read_copy, MDX, false },
        { "B7", "geometry-heavy .mdl", "grids.mdl", write_mdl_heavy, &copy_scan, MDX, false },
        { "B7", "mesh-heavy .w3d", "mesh.w3d", write_w3d_heavy, &read_copy, W3D, false },
        { "B7", "mesh-heavy .mds", "mesh.mds", write_mds_heavy, &read_copy, LEVEL5, false },
        { "B8", ".glb with pictures", "pictures.glb", write_pictures, &read_only, LEVEL5, false },
    };
    bool is_good = true;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char path[1][LONGEST_PATH];
        if (!is_wanted(opts, all[i].id)) continue;
        snprintf(path[0], sizeof path[0], "%s/%s", folder, all[i].name);
        workload work = { .id = all[i].id, .title = all[i].title, .paths = path, .count = 1, .is_ours = true };
        work.sinew = opts->map || all[i].is_mapped ? &mapped_reader : &sinew_reader;
        add_peers(&work, all[i].of);
        add_reader(&work, all[i].floor);
        bool is_written = all[i].write(path[0], opts->small, &work.counts);
        if (!is_written) fprintf(stderr, "cannot write %s\n", path[0]);
        is_good = is_written && (opts->keep || run_workload(&work, opts)) && is_good;
        if (is_written && !opts->keep) unlink(path[0]);
    }
    return is_good;
}

static bool run_many(options *opts, workload *work)
{
    bool is_good = opts->keep ||
                   ((work->bytes = read_files(work->paths, LONGEST_PATH, work->count)) && run_workload(work, opts));
    free_files(work->bytes, work->count);
    for (uint32_t i = 0; !opts->keep && i < work->count + work->touched; i++) unlink(work->paths[i]);
    free(work->paths);
    return is_good;
}

static void add_counts(load_counts *sum, const load_counts *more)
{
    sum->nodes += more->nodes, sum->vertices += more->vertices, sum->clips += more->clips;
}

static bool run_small_files(options *opts, const char *folder)
{
    workload work = { .id = "B8", .title = "small .glb", .sinew = &sinew_reader, .is_ours = true };
    work.count = opts->small ? 20 : opts->counts ? 500 : 5000;
    work.paths = calloc(work.count, sizeof *work.paths);
    bool is_good = work.paths != NULL;
    for (uint32_t i = 0; is_good && i < work.count; i++) {
        load_counts counts;
        snprintf(work.paths[i], LONGEST_PATH, "%s/small_%04u.glb", folder, i);
        is_good = write_small_glb(work.paths[i], i, &counts);
        add_counts(&work.counts, &counts);
    }
    add_peers(&work, GLTF);
    add_reader(&work, &memory_reader);
    add_reader(&work, &read_only);
    return is_good && run_many(opts, &work);
}

// Models and textures in one folder with others; a model reads its own texture and one that all share.
static bool write_real_files(const char *folder, uint32_t siblings, bool is_removed, workload *work)
{
    enum { TEXTURE_BYTES = 20 << 10 };
    static char texture[TEXTURE_BYTES] = "BLP1";
    const uint32_t models = work->count, textures = models / 3;
    char path[LONGEST_PATH], name[32];
    bool is_good = true;
    for (uint32_t i = 0; is_good && i < siblings; i++) {
        const uint32_t number = i - models;
        load_counts counts;
        snprintf(name, sizeof name,
                 i < models           ? "model_%03u.mdx"
                 : number < textures  ? "Texture_%03u.blp"
                 : number == textures ? "shared.blp"
                                      : "sibling_%05u.tmp",
                 i < models ? i : number);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        if (is_removed) {
            unlink(path);
            continue;
        }
        if (i >= models) {
            is_good = text_write(path, &(text){ texture, number <= textures ? TEXTURE_BYTES : 0, 0, false }, 1);
            continue;
        }
        memcpy(work->paths[i], path, sizeof path);
        snprintf(name, sizeof name, "Texture_%03u.blp", i % textures);
        snprintf(work->paths[models + 2 * i], LONGEST_PATH, "%s/%s", folder, name);
        snprintf(work->paths[models + 2 * i + 1], LONGEST_PATH, "%s/shared.blp", folder);
        is_good = write_real_mdx(path, i, name, &counts);
        add_counts(&work->counts, &counts);
    }
    return is_good;
}

static bool run_real_files(options *opts, const char *folder)
{
    const uint32_t siblings = opts->small ? 50 : 16000;
    workload work = { .id = "B8", .title = "real .mdx", .sinew = &search_reader, .is_ours = true };
    char inside[LONGEST_PATH - 32];
    work.count = opts->small ? 12 : 300;
    work.touched = 2 * work.count;
    work.paths = calloc(work.count + work.touched, sizeof *work.paths);
    snprintf(inside, sizeof inside, "%s/map", folder);
    bool is_good = work.paths && mkdir(inside, 0700) == 0 && write_real_files(inside, siblings, false, &work);
    add_reader(&work, &lone_reader);
    add_reader(&work, &memory_reader);
    add_reader(&work, &read_only);
    is_good = is_good && run_many(opts, &work);
    if (!opts->keep) write_real_files(inside, siblings, true, &work), rmdir(inside);
    return is_good;
}

static bool run_all(options *opts)
{
    char folder[128];
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/bench_load.XXXXXX", base && base[0] ? base : "/tmp");
    if (opts->keep) snprintf(folder, sizeof folder, "%s", opts->keep);
    else if (!mkdtemp(folder)) {
        perror(folder);
        return false;
    }
    bool is_good = run_large(opts, folder);
    if (is_wanted(opts, "B8")) is_good = run_small_files(opts, folder) && run_real_files(opts, folder) && is_good;
    if (!opts->keep) rmdir(folder);
    for (int i = 0; i < opts->file_count; i++) {
        char path[1][LONGEST_PATH];
        workload work = { .id = "file", .title = opts->files[i], .paths = path, .count = 1 };
        snprintf(path[0], sizeof path[0], "%s", opts->files[i]);
        work.sinew = opts->map ? &mapped_reader : &sinew_reader;
        add_peers(&work, strstr(path[0], ".mdx") || strstr(path[0], ".mdl") ? MDX : GLTF);
        add_reader(&work, &read_copy);
        if (!load_with_sinew(path[0], &work.counts)) is_good = false;
        else is_good = run_workload(&work, opts) && is_good;
    }
    return is_good;
}

static const char *missing_peers(void)
{
#if !defined(BENCH_HAS_ASSIMP) && !defined(BENCH_HAS_TINYGLTF)
    return "assimp (libassimp-dev) and tinygltf (libtinygltf-dev) were not there when this was built";
#elif !defined(BENCH_HAS_ASSIMP)
    return "assimp (libassimp-dev) was not there when this was built";
#elif !defined(BENCH_HAS_TINYGLTF)
    return "tinygltf (libtinygltf-dev) was not there when this was built";
#else
    return "";
#endif
}

static bool read_options(int argc, char **argv, options *opts)
{
    *opts = (options){ .rounds = 21 };
    int at = 1;
    for (; at < argc && argv[at][0] == '-'; at++) {
        const char *value = at + 1 < argc ? argv[at + 1] : NULL;
        if (strcmp(argv[at], "--small") == 0) opts->small = true;
        else if (strcmp(argv[at], "--json") == 0) opts->json = true;
        else if (strcmp(argv[at], "--warm") == 0) opts->warm = true;
        else if (strcmp(argv[at], "--map") == 0) opts->map = true;
        else if (strcmp(argv[at], "--counts") == 0) opts->counts = true;
        else if (!value) return false;
        else if (strcmp(argv[at], "--rows") == 0) opts->rows = argv[++at];
        else if (strcmp(argv[at], "--keep") == 0) opts->keep = argv[++at];
        else if (strcmp(argv[at], "--gates") == 0) {
            if (!(opts->gates = fopen(argv[++at], "r"))) return false;
        } else if (strcmp(argv[at], "--rounds") == 0) {
            long rounds = strtol(argv[++at], NULL, 10);
            if (rounds < 1 || rounds > BENCH_MOST_ROUNDS) return false;
            opts->rounds = (uint32_t)rounds;
        } else return false;
    }
    opts->files = argv + at;
    opts->file_count = argc - at;
    return true;
}

// --scene FILE.glb nodes=100 clips=4 ...: one file of the generator.
static int write_one_scene(int count, char **words)
{
    load_scene of = { .seed = 1, .nodes = 8, .parts = 1, .vertices = 60, .materials = 1, .clips = 1, .keys = 8 };
    load_counts counts;
    const struct {
        const char *name;
        uint32_t *value;
    } all[] = { { "nodes=", &of.nodes },       { "parts=", &of.parts },
                { "vertices=", &of.vertices }, { "materials=", &of.materials },
                { "morphs=", &of.morphs },     { "clips=", &of.clips },
                { "keys=", &of.keys } };
    for (int i = 1; i < count; i++)
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            if (strncmp(words[i], all[k].name, strlen(all[k].name)) == 0)
                *all[k].value = (uint32_t)strtoul(words[i] + strlen(all[k].name), NULL, 10);
    return count > 0 && write_scene(words[0], &of, &counts) ? 0 : 1;
}

// glibc learns from large blocks that come and go to keep them, up to 32 MB: whoever asks for smaller ones then gets
// memory that earlier rounds paid for. Fixed at what a new process starts with, each load pays for its own.
static void forget_between_rounds(void)
{
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 128 << 10);
    mallopt(M_TRIM_THRESHOLD, 128 << 10);
#endif
}

int main(int argc, char **argv)
{
    options opts;
    if (argc > 1 && strcmp(argv[1], "--scene") == 0) return write_one_scene(argc - 2, argv + 2);
    if (!read_options(argc, argv, &opts)) {
        fprintf(stderr,
                "usage: bench_load [--rows B7,B8] [--rounds 1..%d] [--small] [--warm] [--map] [--json] [--gates FILE]\n"
                "                  [--counts] [--keep FOLDER] [FILE]...\n"
                "       bench_load --scene FILE.glb [nodes=N] [parts=N] [vertices=N] [materials=N] [morphs=N] "
                "[clips=N] "
                "[keys=N]\n",
                BENCH_MOST_ROUNDS);
        return 2;
    }
    const bool is_table = !opts.json && !opts.gates && !opts.counts && !opts.keep;
    if (!opts.warm) forget_between_rounds();
    if (opts.json)
        printf("{\"rounds\":%u,\"warm\":%s,\"map\":%s,\"missing\":\"%s\",\"workloads\":[", opts.rounds,
               opts.warm ? "true" : "false", opts.map ? "true" : "false", missing_peers());
    else if (is_table)
        printf("%u rounds; every reader loads from the page cache and frees; malloc %s\n\n", opts.rounds,
               opts.warm ? "keeps what it learns" : "as in a new process");
    bool is_good = run_all(&opts);
    if (opts.json) printf("\n]}\n");
    if (opts.gates) {
        printf("%u gates, %u missed\n", opts.gate_count, opts.missed_count);
        fclose(opts.gates);
        is_good = is_good && opts.gate_count > 0 && opts.missed_count == 0;
    }
    if (is_table && missing_peers()[0]) printf("note: %s\n", missing_peers());
    if (is_table && find_mdx_peers() == no_peers)
        printf("note: war3-model is not there (node, npm ci): MDX and MDL have no peer\n");
    return is_good ? 0 : 1;
}
