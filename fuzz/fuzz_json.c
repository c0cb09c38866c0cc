// Any bytes as JSON: the three ways past a value agree with each other and with the grammar; numbers agree with strtof.
#include "base/json.h"
#include "check_text.h"
#include "counting_heap.h"

#include <math.h>
#include <string.h>

enum { DEPTH = 64 };

// clang-format off
#define demand(condition) do { if (!(condition)) { fprintf(stderr, "not so: %s\n", #condition); abort(); } } while (0)
// clang-format on

static void compare_number(sni_str text)
{
    char copy[512], out[24];
    if (text.size >= sizeof copy) return;
    memcpy(copy, text.at, text.size);
    copy[text.size] = 0;
    float value = sni_parse_float(text.at, text.size), judge = strtof(copy, NULL);
    demand(memcmp(&value, &judge, sizeof value) == 0);
    if (!isfinite(value)) return;
    size_t size = sni_format_float(value, out);
    demand(size <= 16 && is_json(out, size));
    float back = sni_parse_float(out, size);
    demand(memcmp(&value, &back, sizeof value) == 0);
}

static void read_scalar(sni_json *json, sni_json_kind kind, uint64_t turn)
{
    bool was_bad = false;
    int64_t integer = 0;
    if (kind == SNI_JSON_BOOL) sni_json_bool(json);
    if (kind == SNI_JSON_NULL) sni_json_skip(json);
    if (kind == SNI_JSON_STRING) {
        const char *text = sni_json_string(json, &was_bad);
        demand(is_utf8(text, strlen(text)));
    }
    if (kind != SNI_JSON_NUMBER) return;
    if (turn % 3 == 0) sni_json_float(json);
    else if (turn % 3 == 2) compare_number(sni_json_raw(json));
    else if (sni_json_integer(json, &integer)) demand(integer >= -((int64_t)1 << 53) && integer <= (int64_t)1 << 53);
}

static void walk(sni_json *json)
{
    bool is_object[DEPTH + 1], has_value = true;
    uint32_t depth = 0;
    sni_str key;
    for (uint64_t turn = 0; sni_json_ok(json); turn++) {
        sni_json_kind kind = has_value ? sni_json_peek(json) : SNI_JSON_NONE;
        if (kind == SNI_JSON_OBJECT || kind == SNI_JSON_ARRAY) {
            if (kind == SNI_JSON_OBJECT) sni_json_enter_object(json);
            else sni_json_enter_array(json);
            demand(depth <= DEPTH);
            is_object[depth++] = kind == SNI_JSON_OBJECT;
        } else if (has_value) {
            read_scalar(json, kind, turn);
        }
        if (depth == 0) break;
        has_value = is_object[depth - 1] ? sni_json_next_key(json, &key) : sni_json_next_item(json);
        if (!has_value) depth--;
    }
    sni_json_finish(json);
}

static sn_status read_all(const uint8_t *data, size_t size, int way)
{
    counting_heap counts = { 0 };
    sn_allocator allocator = counting_allocator(&counts);
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
    sni_heap_init(&heap, &allocator, (16u << 20) + 32 * (uint64_t)size);
    heap.elements = 1 << 24;
    heap.diag = &diag;
    sni_arena_init(&arena, &heap);
    sni_diag_init(&diag, &arena);
    sni_json json = sni_json_make(sni_str_make((const char *)data, size), 0, DEPTH, &diag, &arena);
    if (way == 0) walk(&json);
    if (way == 1) sni_json_skip(&json), sni_json_finish(&json);
    if (way == 2) {
        sni_str raw = sni_json_raw(&json);
        if (sni_json_ok(&json)) demand(is_json(raw.at, raw.size));
        sni_json_finish(&json);
    }
    if (diag.error.status != SN_OK)
        demand(diag.error.offset <= size && diag.error.message[0] && is_plain_text(diag.error.message));
    sni_arena_free(&arena);
    demand(counts.live_blocks == 0);
    return diag.error.status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    sn_status walked = read_all(data, size, 0), skipped = read_all(data, size, 1), raw = read_all(data, size, 2);
    demand(walked == skipped && walked == raw);
    if (walked != SN_ERR_LIMIT) demand((walked == SN_OK) == is_json((const char *)data, size));
    return 0;
}
