// B7: how long loading takes beside other readers and beside a plain read. See docs/internals/performance.md.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __GLIBC__
#    include <malloc.h>
#endif

#include "load_readers.h"
#include "load_workloads.h"
#include "rounds.h"

typedef enum kind { PEER, FLOOR } kind;

// `prepare` is called before each turn and is not timed. One that is only watched has no target.
typedef struct reader {
    const char *name;
    kind kind;
    load_function *load;
    bool (*prepare)(void);
    bool is_watched;
} reader;

static const reader sinew_reader = { .name = "sinew", .load = load_with_sinew };
static const reader mapped_reader = { .name = "sinew", .load = load_mapped_with_sinew };
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

// A file to load. Peers must take at least `slower` times as long as sinew; sinew at most `times_floor` times the
// floor.
typedef struct workload {
    const char *title, *path;
    const reader *peers;  // ended by one without a name
    reader floor;
    double times_floor;  // 0: no target
    double slower;
    bool is_ours;  // counts are known, and all readers must agree on them
    load_counts counts;
} workload;

typedef struct options {
    uint32_t rounds;
    bool small, json, warm, map;
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

// Each reader loads once before any time is taken: the file is then in the page cache, and the counts are known.
static bool warm_up(const workload *work, entry *entries, uint32_t count)
{
    bool is_good = true;
    for (uint32_t i = 0; i < count; i++) {
        entry *one = &entries[i];
        one->works = (!one->reader->prepare || one->reader->prepare()) && one->reader->load(work->path, &one->counts);
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
            one->works = one->reader->load(work->path, NULL);
            one->times.seconds[one->times.count++] = bench_now() - start;
        }
    }
}

static const char *verdict(double value, double least, double most)
{
    if (least > 0.0) return value >= least ? "ok" : "MISSED";
    if (most > 0.0) return value <= most ? "ok" : "MISSED";
    return "";
}

static void print_table(const workload *work, const entry *entries, uint32_t count)
{
    struct stat info;
    double size = stat(work->path, &info) == 0 ? (double)info.st_size : 0.0;
    printf("B7 %s, %.1f MB: %llu nodes, %llu vertices, %llu clips\n", work->title, size / 1e6,
           (unsigned long long)entries[0].counts.nodes, (unsigned long long)entries[0].counts.vertices,
           (unsigned long long)entries[0].counts.clips);
    printf("  %-14s %9s %9s   %s\n", "reader", "p10 ms", "median ms", "median of the ratios in each round");
    for (uint32_t i = 0; i < count; i++) {
        const entry *one = &entries[i];
        if (!one->works) {
            printf("  %-14s cannot load it\n", one->reader->name);
            continue;
        }
        printf("  %-14s %9.2f %9.2f", one->reader->name, 1e3 * bench_percentile(&one->times, 0.1),
               1e3 * bench_percentile(&one->times, 0.5));
        bool is_floor = one->reader->kind == FLOOR;
        double ratio = is_floor ? bench_ratio(&entries[0].times, &one->times)
                                : bench_ratio(&one->times, &entries[0].times);
        if (is_floor && work->times_floor > 0.0)
            printf("   sinew takes %.2f x as long, at most %g: %s", ratio, work->times_floor,
                   verdict(ratio, 0, work->times_floor));
        else if (is_floor) printf("   sinew takes %.2f x as long", ratio);
        else if (i > 0 && work->slower > 0.0 && !one->reader->is_watched)
            printf("   sinew is %.2f x as fast, at least %g: %s", ratio, work->slower, verdict(ratio, work->slower, 0));
        else if (i > 0) printf("   sinew is %.2f x as fast", ratio);
        if (!is_floor && !counts_are(&one->counts, &entries[0].counts)) printf(" (finds other counts)");
        printf("\n");
    }
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

static void print_json(const workload *work, const entry *entries, uint32_t count, bool is_first)
{
    printf("%s\n  {\"id\":\"B7\",\"workload\":", is_first ? "" : ",");
    print_text(work->title);
    printf(",\"readers\":[");
    const char *comma = "";
    for (uint32_t i = 0; i < count; i++) {
        const entry *one = &entries[i];
        if (!one->works) continue;
        printf("%s\n    {\"name\":\"%s\",\"rounds\":%u,\"p10_ms\":%.4f,\"median_ms\":%.4f,\"times_sinew\":%.4f", comma,
               one->reader->name, one->times.count, 1e3 * bench_percentile(&one->times, 0.1),
               1e3 * bench_percentile(&one->times, 0.5), bench_ratio(&one->times, &entries[0].times));
        printf(",\"sinew_times_this\":%.4f", bench_ratio(&entries[0].times, &one->times));
        if (one->reader->kind == FLOOR && work->times_floor > 0.0)
            printf(",\"sinew_times_this_at_most\":%g", work->times_floor);
        if (one->reader->kind == PEER && i > 0 && work->slower > 0.0 && !one->reader->is_watched)
            printf(",\"times_sinew_at_least\":%g", work->slower);
        if (one->reader->kind == PEER)
            printf(",\"nodes\":%llu,\"vertices\":%llu,\"clips\":%llu", (unsigned long long)one->counts.nodes,
                   (unsigned long long)one->counts.vertices, (unsigned long long)one->counts.clips);
        printf("}");
        comma = ",";
    }
    printf("]}");
}

static bool run_workload(const workload *work, const options *opts, bool is_first)
{
    static entry entries[BENCH_MOST_RUNNERS];
    uint32_t count = 0;
    memset(entries, 0, sizeof entries);
    entries[count++].reader = opts->map ? &mapped_reader : &sinew_reader;
    for (const reader *peer = work->peers; peer->name; peer++) entries[count++].reader = peer;
    entries[count++].reader = &work->floor;
    bool is_good = warm_up(work, entries, count);
    if (entries[0].works) {
        run_rounds(work, entries, count, opts->rounds);
        for (uint32_t i = 0; work->is_ours && i < count; i++) is_good = is_good && entries[i].works;
        if (opts->json) print_json(work, entries, count, is_first);
        else print_table(work, entries, count);
    }
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

static const reader *find_peers(family of) { return of == GLTF ? gltf_peers : of == MDX ? find_mdx_peers() : no_peers; }

typedef bool write_function(const char *path, bool small, load_counts *counts);

static bool run_generated(const options *opts, const char *folder)
{
    static const struct {
        const char *title, *name;
        write_function *write;
        const reader *floor;
        double times_floor, slower;
        family of;
    } all[] = {
        { "JSON-heavy .gltf", "json.gltf", write_json_heavy, &copy_scan, 6, 4, GLTF },
        { "mesh-heavy .glb", "mesh.glb", write_mesh_heavy, &read_copy, 4, 4, GLTF },
        { "clip-heavy .glb", "clips.glb", write_clip_heavy, &copy_scan, 0, 4, GLTF },
        { "geometry-heavy .mdx", "grids.mdx", write_mdx_heavy, &read_copy, 4, 20, MDX },
        { "huge .mdx", "huge.mdx", write_mdx_huge, &read_copy, 4, 0, MDX },
        { "geometry-heavy .mdl", "grids.mdl", write_mdl_heavy, &copy_scan, 0, 0, MDX },
        { "mesh-heavy .w3d", "mesh.w3d", write_w3d_heavy, &read_copy, 4, 0, W3D },
        { "mesh-heavy .mds", "mesh.mds", write_mds_heavy, &read_copy, 4, 0, LEVEL5 },
    };
    bool is_good = true;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char path[1100];
        snprintf(path, sizeof path, "%s/%s", folder, all[i].name);
        workload work = { .title = all[i].title, .path = path, .floor = *all[i].floor, .is_ours = true };
        work.peers = find_peers(all[i].of);
        if (!opts->small) work.slower = all[i].slower, work.times_floor = all[i].times_floor;
        bool is_written = all[i].write(path, opts->small, &work.counts);
        if (!is_written) fprintf(stderr, "cannot write %s\n", path);
        is_good = is_written && run_workload(&work, opts, i == 0) && is_good;
        if (is_written) unlink(path);
    }
    return is_good;
}

static bool run_all(const options *opts)
{
    char folder[1024];
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/bench_load.XXXXXX", base && base[0] ? base : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        return false;
    }
    bool is_good = run_generated(opts, folder);
    rmdir(folder);
    for (int i = 0; i < opts->file_count; i++) {
        struct stat info;
        bool is_large = stat(opts->files[i], &info) == 0 && info.st_size >= 1000000;
        bool is_mdx = strstr(opts->files[i], ".mdx") || strstr(opts->files[i], ".mdl");
        workload work = { .title = opts->files[i],
                          .path = opts->files[i],
                          .peers = is_mdx ? find_mdx_peers() : gltf_peers,
                          .floor = read_copy,
                          .slower = is_mdx     ? 20
                                    : is_large ? 4
                                               : 1 };
        if (!load_with_sinew(work.path, &work.counts)) is_good = false;
        else is_good = run_workload(&work, opts, false) && is_good;
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
        if (strcmp(argv[at], "--small") == 0) opts->small = true;
        else if (strcmp(argv[at], "--json") == 0) opts->json = true;
        else if (strcmp(argv[at], "--warm") == 0) opts->warm = true;
        else if (strcmp(argv[at], "--map") == 0) opts->map = true;
        else if (strcmp(argv[at], "--rounds") == 0 && at + 1 < argc) {
            long rounds = strtol(argv[++at], NULL, 10);
            if (rounds < 1 || rounds > BENCH_MOST_ROUNDS) return false;
            opts->rounds = (uint32_t)rounds;
        } else return false;
    }
    opts->files = argv + at;
    opts->file_count = argc - at;
    return true;
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
    if (!read_options(argc, argv, &opts)) {
        fprintf(stderr, "usage: bench_load [--rounds 1..%d] [--small] [--warm] [--map] [--json] [FILE]...\n",
                BENCH_MOST_ROUNDS);
        return 2;
    }
    if (!opts.warm) forget_between_rounds();
    if (opts.json)
        printf("{\"rounds\":%u,\"warm\":%s,\"map\":%s,\"missing\":\"%s\",\"workloads\":[", opts.rounds,
               opts.warm ? "true" : "false", opts.map ? "true" : "false", missing_peers());
    else
        printf("%u rounds; every reader loads from the page cache and frees; malloc %s\n\n", opts.rounds,
               opts.warm ? "keeps what it learns" : "as in a new process");
    bool is_good = run_all(&opts);
    if (opts.json) printf("\n]}\n");
    else if (missing_peers()[0]) printf("note: %s\n", missing_peers());
    if (!opts.json && find_mdx_peers() == no_peers)
        printf("note: war3-model is not there (node, npm ci): MDX and MDL have no peer\n");
    return is_good ? 0 : 1;
}
