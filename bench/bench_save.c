// B9: how long saving takes beside memcpy and write, compressing beside libdeflate, and converting a folder beside an
// older build of the tool. See docs/internals/performance.md.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef BENCH_HAS_LIBDEFLATE
#    include <libdeflate.h>
#endif
#include <sinew/sinew.h>

#include "base/deflate.h"
#include "base/inflate.h"
#include "image/png.h"
#include "load_workloads.h"
#include "rounds.h"
#include "save_folder.h"

typedef struct options {
    uint32_t rounds, models;
    bool small, json;
    const char *tool, *old;  // builds of the tool to convert the folder with; NULL: it is not converted
    FILE *gates;
} options;

// The times and what else a gate may ask for.
typedef struct result {
    const char *workload, *rival;
    bench_times ours, theirs;
    double extra;  // named by `extra_name`
    const char *extra_name;
} result;

static uint32_t gate_count, missed_count, row_count;

// Of this thread: what other processes do does not count.
static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double measure_of(void *user, const char *name)
{
    const result *row = user;
    if (strcmp(name, row->rival) == 0) return bench_ratio(&row->ours, &row->theirs);
    return strcmp(name, row->extra_name) == 0 ? row->extra : (double)NAN;
}

static void print_result(const options *opts, result *row)
{
    const double ratio = bench_ratio(&row->ours, &row->theirs);
    const double ours = 1e3 * bench_percentile(&row->ours, 0.5), theirs = 1e3 * bench_percentile(&row->theirs, 0.5);
    if (opts->json)
        printf("%s\n  {\"id\":\"B9\",\"workload\":\"%s\",\"rounds\":%u,\"median_ms\":%.4f,\"%s\":{\"median_ms\":%.4f,"
               "\"ratio\":%.4f},\"%s\":%.4f}",
               row_count > 0 ? "," : "", row->workload, row->ours.count, ours, row->rival, theirs, ratio,
               row->extra_name, row->extra);
    else
        printf("B9 %-24s %9.2f ms; %s %.2f ms: %.2f x as long; %s %.3f\n", row->workload, ours, row->rival, theirs,
               ratio, row->extra_name, row->extra);
    row_count++;
    if (opts->gates && !opts->small)
        missed_count += bench_check_gates(opts->gates, "B9", row->workload, measure_of, row, &gate_count);
}

// Save a .glb

typedef struct counted_memory {
    uint64_t used, peak;
} counted_memory;

static void *count_alloc(void *user, size_t size)
{
    counted_memory *memory = user;
    memory->used += size;
    if (memory->used > memory->peak) memory->peak = memory->used;
    return malloc(size);
}

static void count_free(void *user, void *block, size_t size)
{
    counted_memory *memory = user;
    memory->used -= size;
    free(block);
}

static bool copy_and_write(const uint8_t *data, size_t size, const char *path)
{
    uint8_t *copy = malloc(size);
    FILE *file = fopen(path, "wb");
    bool is_good = copy && file;
    if (is_good) {
        setvbuf(file, NULL, _IONBF, 0);
        memcpy(copy, data, size);
        is_good = fwrite(copy, 1, size, file) == size;
    }
    if (file) is_good = fclose(file) == 0 && is_good;
    free(copy);
    return is_good;
}

static bool run_glb(const options *opts, const char *folder)
{
    static result row = { .workload = "save .glb, 1 M vertices", .rival = "memcpy and write", .extra_name = "memory" };
    char from[1100], to[1100];
    load_counts counts;
    sn_bytes bytes = { 0 };
    counted_memory memory = { 0 };
    const sn_save_opts counted = { .allocator = { count_alloc, count_free, &memory } };
    snprintf(from, sizeof from, "%s/mesh.glb", folder);
    snprintf(to, sizeof to, "%s/saved.glb", folder);
    if (!write_mesh_heavy(from, opts->small, &counts)) return false;
    sn_model *model = sn_load_file(from, NULL, NULL);
    bool is_good = model && sn_save_memory(model, "glb", NULL, &bytes, NULL) == SN_OK &&
                   sn_save_file(model, to, &counted, NULL) == SN_OK;
    for (uint32_t round = 0; is_good && round < opts->rounds; round++) {
        for (int k = 0; k < 2 && is_good; k++) {
            const bool is_ours = (round + (uint32_t)k) % 2 == 0;
            bench_times *times = is_ours ? &row.ours : &row.theirs;
            unlink(to);
            double start = cpu_seconds();
            is_good = is_ours ? sn_save_file(model, to, NULL, NULL) == SN_OK
                              : copy_and_write(bytes.data, bytes.size, to);
            times->seconds[times->count++] = cpu_seconds() - start;
        }
    }
    row.extra = bytes.size > 0 ? (double)memory.peak / (double)bytes.size : 0.0;
    sn_bytes_free(&bytes);
    sn_model_free(model);
    unlink(from), unlink(to);
    if (is_good) print_result(opts, &row);
    return is_good;
}

// Textures

#ifdef BENCH_HAS_LIBDEFLATE
enum { TEXTURES = 12 };

// The filtered rows of a PNG.
static uint8_t *rows_of(const sn_pixels *pixels, size_t *size)
{
    const size_t room = ((size_t)pixels->width * 4 + 1) * pixels->height;
    uint8_t *rows = malloc(room);
    sni_heap heap;
    sni_arena scratch;
    sni_writer out;
    sni_diag diag;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_arena_init(&scratch, &heap);
    sni_writer_init(&out, &heap);
    bool is_good = rows && sni_png_write(&out, &scratch, &diag, pixels);
    for (size_t at = 8; is_good && at + 12 <= out.size;) {
        const uint8_t *c = out.data + at;
        size_t length = (size_t)c[0] << 24 | (size_t)c[1] << 16 | (size_t)c[2] << 8 | c[3];
        if (memcmp(c + 4, "IDAT", 4) == 0) *size = sni_inflate((sni_bytes){ c + 10, length - 6 }, rows, room).written;
        at += 12 + length;
    }
    sni_writer_free(&out);
    sni_arena_free(&scratch);
    return rows;
}

static size_t deflate_rows(const uint8_t *rows, size_t size)
{
    sni_heap heap;
    sni_arena scratch;
    sni_writer out;
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_arena_init(&scratch, &heap);
    sni_writer_init(&out, &heap);
    const size_t packed = sni_deflate(&out, &scratch, rows, size) ? out.size : 0;
    sni_writer_free(&out);
    sni_arena_free(&scratch);
    return packed;
}

static size_t libdeflate_rows(const uint8_t *rows, size_t size)
{
    struct libdeflate_compressor *peer = libdeflate_alloc_compressor(6);
    const size_t bound = libdeflate_deflate_compress_bound(peer, size);
    uint8_t *out = malloc(bound);
    const size_t packed = out ? libdeflate_deflate_compress(peer, rows, size, out, bound) : 0;
    free(out);
    libdeflate_free_compressor(peer);
    return packed;
}

// Four sizes, with all colours, with 256, and with transparent places.
static bool run_textures(const options *opts)
{
    static result row = { .workload = "deflate textures", .rival = "libdeflate", .extra_name = "size" };
    uint8_t *rows[TEXTURES] = { 0 };
    size_t sizes[TEXTURES] = { 0 }, ours = 0, theirs = 0;
    bool is_good = true;
    for (uint32_t i = 0; i < TEXTURES; i++) {
        const uint32_t side = opts->small ? 32 : 64u << i / 3;
        sn_pixels pixels = { .width = side, .height = side, .rgba = malloc((size_t)side * side * 4) };
        if (!pixels.rgba) return false;
        make_texture(pixels.rgba, side, i + 1);
        for (uint32_t k = 0; k < side * side; k++) {
            uint8_t *at = pixels.rgba + 4 * (size_t)k;
            if (i % 3 == 1) at[0] &= 0xE0, at[1] &= 0xE0, at[2] &= 0xC0;
            if (i % 3 == 2 && at[0] < 110) memset(at, 0, 4);
        }
        rows[i] = rows_of(&pixels, &sizes[i]);
        free(pixels.rgba);
        const size_t packed = rows[i] ? deflate_rows(rows[i], sizes[i]) : 0;
        ours += packed;
        if (rows[i]) theirs += libdeflate_rows(rows[i], sizes[i]);
        is_good = is_good && packed > 0;
    }
    for (uint32_t round = 0; is_good && round < opts->rounds; round++) {
        double seconds[2] = { 0, 0 };
        for (uint32_t i = 0; i < 2 * TEXTURES; i++) {
            const bool is_ours = (i + round) % 2 == 0;
            double start = cpu_seconds();
            if (is_ours) deflate_rows(rows[i / 2], sizes[i / 2]);
            else libdeflate_rows(rows[i / 2], sizes[i / 2]);
            seconds[is_ours ? 0 : 1] += cpu_seconds() - start;
        }
        row.ours.seconds[row.ours.count++] = seconds[0];
        row.theirs.seconds[row.theirs.count++] = seconds[1];
    }
    for (uint32_t i = 0; i < TEXTURES; i++) free(rows[i]);
    row.extra = theirs > 0 ? (double)ours / (double)theirs : 0.0;
    if (is_good) print_result(opts, &row);
    return is_good;
}
#endif

// A folder

static double children_seconds(void)
{
    struct rusage used = { 0 };
    getrusage(RUSAGE_CHILDREN, &used);
    return (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

// The time of a process and all its threads; negative where it failed.
static double time_convert(const char *tool, const char *from, const char *to)
{
    const double before = children_seconds();
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr)) _exit(126);
        execl(tool, tool, "convert", from, "-o", to, "--quiet", (char *)NULL);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return -1.0;
    return children_seconds() - before;
}

static void remove_folder(const char *folder)
{
    pid_t child = fork();
    if (child == 0) execlp("rm", "rm", "-rf", folder, (char *)NULL), _exit(127);
    if (child > 0) waitpid(child, NULL, 0);
}

static bool run_folder(const options *opts, const char *folder)
{
    static result row = { .workload = "convert a folder", .rival = "old build", .extra_name = "models" };
    char from[1100], to[1100];
    snprintf(from, sizeof from, "%s/mod", folder);
    snprintf(to, sizeof to, "%s/out", folder);
    bool is_good = mkdir(from, 0777) == 0 && write_folder(from, opts->models);
    for (uint32_t round = 0; is_good && round < opts->rounds; round++) {
        for (int k = 0; k < 2; k++) {
            bench_times *times = k == 0 ? &row.ours : &row.theirs;
            double seconds = time_convert(k == 0 ? opts->tool : opts->old, from, to);
            times->seconds[times->count++] = seconds;
            is_good = is_good && seconds > 0.0;
            remove_folder(to);
        }
    }
    remove_folder(from);
    row.extra = opts->models;
    if (is_good) print_result(opts, &row);
    else fprintf(stderr, "the folder could not be made or converted\n");
    return is_good;
}

static bool read_count(const char *text, long most, uint32_t *count)
{
    long value = strtol(text, NULL, 10);
    *count = (uint32_t)value;
    return value >= 1 && value <= most;
}

static bool read_options(int argc, char **argv, options *opts)
{
    *opts = (options){ .rounds = 21, .models = 2000 };
    for (int at = 1; at < argc; at++) {
        const char *value = at + 1 < argc ? argv[at + 1] : NULL;
        if (strcmp(argv[at], "--small") == 0) opts->small = true;
        else if (strcmp(argv[at], "--json") == 0) opts->json = true;
        else if (!value) return false;
        else if (strcmp(argv[at], "--rounds") == 0 && read_count(value, BENCH_MOST_ROUNDS, &opts->rounds)) at++;
        else if (strcmp(argv[at], "--models") == 0 && read_count(value, 9999, &opts->models)) at++;
        else if (strcmp(argv[at], "--tool") == 0) opts->tool = argv[++at];
        else if (strcmp(argv[at], "--old") == 0) opts->old = argv[++at];
        else if (strcmp(argv[at], "--gates") == 0 && (opts->gates = fopen(value, "r"))) at++;
        else return false;
    }
    return !opts->tool == !opts->old && (!opts->json || !opts->gates);
}

int main(int argc, char **argv)
{
    options opts;
    char folder[1024];
    const char *base = getenv("TMPDIR");
    if (!read_options(argc, argv, &opts)) {
        fprintf(stderr, "usage: bench_save [--rounds N] [--small] [--json | --gates FILE]\n"
                        "                  [--tool SINEW --old OLDER_SINEW [--models 2000]]\n");
        return 2;
    }
    snprintf(folder, sizeof folder, "%s/bench_save.XXXXXX", base && base[0] ? base : "/tmp");
    if (!mkdtemp(folder)) {
        perror(folder);
        return 1;
    }
    if (opts.json) printf("{\"rounds\":%u,\"rows\":[", opts.rounds);
    bool is_good = run_glb(&opts, folder);
#ifdef BENCH_HAS_LIBDEFLATE
    is_good = run_textures(&opts) && is_good;
#else
    if (!opts.json) printf("note: libdeflate (libdeflate-dev) was not there when this was built\n");
#endif
    if (opts.tool) is_good = run_folder(&opts, folder) && is_good;
    if (opts.json) printf("\n]}\n");
    if (opts.gates) printf("%u gates, %u missed\n", gate_count, missed_count);
    remove_folder(folder);
    return is_good && missed_count == 0 ? 0 : 1;
}
