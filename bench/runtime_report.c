// The results as a table, as JSON and as a picture.
#include <math.h>
#include <string.h>

#include "base/json.h"
#include "runtime.h"

void bench_print_head(FILE *out)
{
    fprintf(out, "%-4s %-26s %9s %9s %9s %8s %9s %8s   %s\n", "row", "workload", "p10 ns", "median", "plain ns",
            "x plain", "memory ns", "x memory", "largest error");
}

static void print_or_dash(FILE *out, int width, double value)
{
    if (value > 0.0) fprintf(out, " %*.2f", width, value);
    else fprintf(out, " %*s", width, "-");
}

void bench_print_row(FILE *out, const bench_row *row)
{
    fprintf(out, "%-4s %-26s", row->id, row->workload);
    print_or_dash(out, 9, row->ns);
    print_or_dash(out, 9, row->median_ns);
    print_or_dash(out, 9, row->plain_ns);
    print_or_dash(out, 8, row->ratio_plain);
    print_or_dash(out, 9, row->memory_ns);
    print_or_dash(out, 8, row->ratio_memory);
    fprintf(out, "   %.1e%s", row->max_error, row->is_accurate ? "" : " TOO LARGE");
    for (uint32_t i = 0; i < row->peer_count; i++)
        fprintf(out, ", %s %.2f ns: x %.2f", row->peers[i].name, row->peers[i].ns, row->peers[i].ratio);
    if (row->bytes_per_second > 0.0)
        fprintf(out, ", %.0f bytes per joint and second, %.3f mm", row->bytes_per_second, row->error_mm);
    fputc('\n', out);
}

// What decides the speed beside the processor. JSON text.
#if defined __clang__
static const char compiler[] = "clang " __clang_version__;
#elif defined __GNUC__
static const char compiler[] = "gcc " __VERSION__;
#else
static const char compiler[] = "unknown";
#endif

void bench_print_json_begin(FILE *out, const bench_opts *opts)
{
    sn_simd simd = opts->simd;
    static const sn_simd best[] = { SN_SIMD_AVX2, SN_SIMD_SSE2, SN_SIMD_NEON, SN_SIMD_WASM, SN_SIMD_SCALAR };
    for (int i = 0; simd == SN_SIMD_AUTO; i++)
        if (sn_simd_is_supported(best[i])) simd = best[i];
    fprintf(out, "{\"schema\":\"sinew.bench/1\",\"version\":\"%s\",\"simd\":\"%s\",\"compiler\":\"%s\",\"rows\":[",
            SN_VERSION, sn_simd_name(simd), compiler);
}

static void print_member(FILE *out, const char *key, double value)
{
    if (value > 0.0 && isfinite(value)) fprintf(out, ",\"%s\":%.4g", key, value);
    else fprintf(out, ",\"%s\":%s", key, value == 0.0 ? "0" : "null");
}

void bench_print_json_row(FILE *out, const bench_row *row, bool is_first)
{
    fprintf(out, "%s\n  {\"id\":\"%s\",\"workload\":\"%s\",\"unit\":\"%s\"", is_first ? "" : ",", row->id,
            row->workload, row->unit);
    print_member(out, "ns", row->ns);
    print_member(out, "median_ns", row->median_ns);
    if (row->plain_ns > 0.0) print_member(out, "plain_ns", row->plain_ns);
    if (row->memory_ns > 0.0) print_member(out, "memory_ns", row->memory_ns);
    if (row->plain_ns > 0.0) print_member(out, "ratio_plain", row->ratio_plain);
    if (row->memory_ns > 0.0) print_member(out, "ratio_memory", row->ratio_memory);
    fprintf(out, ",\"peers\":{");
    for (uint32_t i = 0; i < row->peer_count; i++)
        fprintf(out, "%s\"%s\":{\"ns\":%.4g,\"ratio\":%.4g}", i ? "," : "", row->peers[i].name, row->peers[i].ns,
                row->peers[i].ratio);
    fprintf(out, "}");
    print_member(out, "max_error", row->max_error);
    if (row->bytes_per_second > 0.0) {
        print_member(out, "bytes_per_joint_second", row->bytes_per_second);
        print_member(out, "error_mm", row->error_mm);
    }
    fprintf(out, "}");
}

void bench_print_json_end(FILE *out) { fprintf(out, "\n]}\n"); }

// Words from a file: only what is safe on a terminal, in JSON and in a picture.
static void copy_plain(const char *text, size_t size, char *out, size_t capacity)
{
    size_t count = size < capacity ? size : capacity - 1;
    for (size_t i = 0; i < count; i++)
        out[i] = text[i] >= ' ' && text[i] <= '~' && !strchr("<>&\"\\", text[i]) ? text[i] : '?';
    out[count] = 0;
}

static void read_text(sni_json *json, char *out, size_t capacity)
{
    const char *text = sni_json_string(json, NULL);
    if (text) copy_plain(text, strlen(text), out, capacity);
}

static void read_peers(sni_json *json, bench_row *row)
{
    sni_str name, key;
    for (sni_json_enter_object(json); sni_json_next_key(json, &name);) {
        if (row->peer_count == BENCH_MOST_PEERS || sni_json_peek(json) != SNI_JSON_OBJECT) {
            sni_json_skip(json);
            continue;
        }
        uint32_t peer = row->peer_count++;
        copy_plain(name.at, name.size, row->peers[peer].name, sizeof row->peers[peer].name);
        for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
            if (sni_str_is(key, "ns")) row->peers[peer].ns = (double)sni_json_float(json);
            else if (sni_str_is(key, "ratio")) row->peers[peer].ratio = (double)sni_json_float(json);
            else sni_json_skip(json);
        }
    }
}

static void read_row(sni_json *json, bench_row *row)
{
    static const struct {
        const char *key;
        size_t offset;
    } numbers[] = { { "ns", offsetof(bench_row, ns) },
                    { "median_ns", offsetof(bench_row, median_ns) },
                    { "plain_ns", offsetof(bench_row, plain_ns) },
                    { "memory_ns", offsetof(bench_row, memory_ns) },
                    { "ratio_plain", offsetof(bench_row, ratio_plain) },
                    { "ratio_memory", offsetof(bench_row, ratio_memory) },
                    { "max_error", offsetof(bench_row, max_error) },
                    { "bytes_per_joint_second", offsetof(bench_row, bytes_per_second) },
                    { "error_mm", offsetof(bench_row, error_mm) } };
    sni_str key;
    row->is_accurate = true;
    for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
        size_t i = 0;
        while (i < sizeof numbers / sizeof numbers[0] && !sni_str_is(key, numbers[i].key)) i++;
        if (sni_str_is(key, "id")) read_text(json, row->id, sizeof row->id);
        else if (sni_str_is(key, "workload")) read_text(json, row->workload, sizeof row->workload);
        else if (sni_str_is(key, "unit")) read_text(json, row->unit, sizeof row->unit);
        else if (sni_str_is(key, "peers")) read_peers(json, row);
        else if (i < sizeof numbers / sizeof numbers[0] && sni_json_peek(json) == SNI_JSON_NUMBER)
            *(double *)((char *)row + numbers[i].offset) = (double)sni_json_float(json);
        else sni_json_skip(json);
    }
}

uint32_t bench_read_json(const void *data, size_t size, bench_row *rows, sn_error *error)
{
    enum { MOST_BYTES = 1 << 20, DEEPEST = 16 };
    uint32_t count = 0;
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
    sni_str key;
    sni_heap_init(&heap, NULL, MOST_BYTES);
    sni_arena_init(&arena, &heap);
    sni_diag_init(&diag, NULL);
    heap.diag = &diag;
    sni_json json = sni_json_make(sni_str_make(data, size), 0, DEEPEST, &diag, &arena);
    for (sni_json_enter_object(&json); sni_json_next_key(&json, &key);) {
        if (!sni_str_is(key, "rows")) {
            sni_json_skip(&json);
            continue;
        }
        for (sni_json_enter_array(&json); sni_json_next_item(&json);) {
            if (count == BENCH_MOST_ROWS) sni_fail(&diag, SN_ERR_LIMIT, 0, "more than %u rows", count);
            else memset(&rows[count], 0, sizeof rows[count]), read_row(&json, &rows[count++]);
        }
    }
    if (!sni_failed(&diag) && count == 0) sni_fail(&diag, SN_ERR_FORMAT, 0, "not a result of sinew bench");
    *error = diag.error;
    sni_arena_free(&arena);
    return sni_failed(&diag) ? 0 : count;
}

// The picture: for some rows a bar for the plain functions and one for the fast ones, on a scale of powers of ten.

enum { LEFT = 290, WIDTH = 900, BAR = 9, STEP = 30, TOP = 74 };

static const struct {
    const char *id, *workload, *title;
} shown[] = {
    { "B1", "H67, 10 s", "sample, forward" },
    { "B1r", "H67, 10 s", "sample, random times" },
    { "B1n", "H67, 10 s", "sample, nlerp" },
    { "B1k", "linear", "sample, own key times" },
    { "B1k", "Hermite", "sample, Hermite curves" },
    { "B2", "2 layers", "blend 2 layers" },
    { "B2", "4 layers", "blend 4 layers" },
    { "B3", "H67", "solve" },
    { "B3p", "H67", "palette" },
    { "B4", "P+N, 1 influence, 10k", "skin, 1 influence" },
    { "B4", "P+N, 4 influences, 10k", "skin, 4 influences" },
    { "B5", "1 clip", "crowd of 1,000" },
};

static const bench_row *find_row(const bench_row *rows, uint32_t count, const char *id, const char *workload)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(rows[i].id, id) == 0 && strcmp(rows[i].workload, workload) == 0) return &rows[i];
    return NULL;
}

// 0.1 ns to 10 us per unit.
static double bar_width(double ns)
{
    double decades = log10(ns) + 1.0;
    return decades > 0.0 ? decades * (WIDTH - LEFT - 110) / 5.0 : 0.0;
}

static void print_bar(FILE *out, double y, double ns, const char *color, const char *text_color)
{
    fprintf(out, "<rect x=\"%d\" y=\"%.0f\" width=\"%.1f\" height=\"%d\" fill=\"%s\"/>", LEFT, y, bar_width(ns), BAR,
            color);
    fprintf(out, "<text x=\"%.1f\" y=\"%.0f\" fill=\"%s\">%.3g %s</text>\n", LEFT + bar_width(ns) + 5, y + BAR,
            text_color, ns < 1000.0 ? ns : ns / 1000.0, ns < 1000.0 ? "ns" : "µs");
}

void bench_print_svg(FILE *out, const bench_row *rows, uint32_t count)
{
    const bench_row *found[sizeof shown / sizeof shown[0]];
    const char *titles[sizeof shown / sizeof shown[0]];
    uint32_t found_count = 0;
    for (size_t i = 0; i < sizeof shown / sizeof shown[0]; i++) {
        found[found_count] = find_row(rows, count, shown[i].id, shown[i].workload);
        titles[found_count] = shown[i].title;
        if (found[found_count] && found[found_count]->plain_ns > 0.0) found_count++;
    }
    int height = TOP + (int)found_count * STEP + 16;
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "
            "font-size=\"11\">\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
            WIDTH, height, WIDTH, height);
    fprintf(out, "<text x=\"16\" y=\"24\" font-size=\"15\" fill=\"#202020\">Time per joint, vertex or instance, one "
                 "thread (shorter is faster; logarithmic)</text>\n");
    fprintf(out, "<rect x=\"16\" y=\"36\" width=\"12\" height=\"9\" fill=\"#b8bec6\"/><text x=\"33\" y=\"45\" "
                 "fill=\"#202020\">plain functions (sinew.h)</text>\n");
    fprintf(out, "<rect x=\"196\" y=\"36\" width=\"12\" height=\"9\" fill=\"#1668b8\"/><text x=\"213\" y=\"45\" "
                 "fill=\"#202020\">fast functions (runtime.h)</text>\n");
    for (int decade = -1; decade <= 4; decade++) {
        static const char *const labels[] = { "0.1 ns", "1 ns", "10 ns", "100 ns", "1 \302\265s", "10 \302\265s" };
        double x = LEFT + bar_width(pow(10.0, decade));
        fprintf(out,
                "<path d=\"M%.1f %dV%d\" stroke=\"#e2e5e9\"/><text x=\"%.1f\" y=\"%d\" fill=\"#707880\" "
                "text-anchor=\"middle\">%s</text>\n",
                x, TOP - 8, height - 12, x, TOP - 12, labels[decade + 1]);
    }
    for (uint32_t i = 0; i < found_count; i++) {
        double y = TOP + (double)i * STEP;
        fprintf(out,
                "<text x=\"%d\" y=\"%.0f\" text-anchor=\"end\" fill=\"#202020\">%s, per %s: \303\227 %.3g</text>\n",
                LEFT - 8, y + 14, titles[i], found[i]->unit, found[i]->ratio_plain);
        print_bar(out, y, found[i]->plain_ns, "#b8bec6", "#707880");
        print_bar(out, y + BAR + 1, found[i]->ns, "#1668b8", "#1668b8");
    }
    fprintf(out, "</svg>\n");
}
