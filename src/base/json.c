#include "base/json.h"

#include <math.h>

#include "base/number.h"

// What is rare is kept out of the functions that are called for each key and number: they need no registers for it.
#ifdef __GNUC__
#    define RARE __attribute__((noinline)) static
#else
#    define RARE static
#endif

sni_json sni_json_make(sni_str text, uint64_t origin, uint32_t max_depth, sni_diag *diag, sni_arena *arena)
{
    return (sni_json){
        .start = text.at,
        .at = text.at,
        .end = text.at + text.size,
        .room = text.size >= SNI_JSON_ROOM ? text.at + (text.size - SNI_JSON_ROOM) : text.at,
        .origin = origin,
        .diag = diag,
        .arena = arena,
        .max_depth = max_depth < SNI_JSON_MAX_DEPTH ? max_depth : SNI_JSON_MAX_DEPTH,
    };
}

uint64_t sni_json_offset(const sni_json *json) { return json->origin + (uint64_t)(json->at - json->start); }

RARE bool fail(sni_json *json, const char *what)
{
    if (json->at >= json->end)
        return sni_fail(json->diag, SN_ERR_TRUNCATED, sni_json_offset(json), "the JSON ends early: %s", what);
    uint8_t byte = (uint8_t)*json->at;
    if (byte > 0x20 && byte < 0x7F)
        return sni_fail(json->diag, SN_ERR_CORRUPT, sni_json_offset(json), "invalid JSON: %s at '%c'", what, byte);
    return sni_fail(json->diag, SN_ERR_CORRUPT, sni_json_offset(json), "invalid JSON: %s at byte 0x%02X", what, byte);
}

static const bool is_blank[256] = { [' '] = true, ['\n'] = true, ['\r'] = true, ['\t'] = true };

const char *sni_json_skip_many_blanks(const char *at, const char *end)
{
#ifdef __SSE2__
    for (; end - at >= 16; at += 16) {
        uint32_t ink = sni_json_mark_ink(at);
        if (ink) return at + __builtin_ctz(ink);
    }
#endif
    while (at < end && is_blank[(uint8_t)*at]) {
        at++;
        // Indented files: eight blanks at a time.
        for (uint64_t eight; end - at >= 8; at += 8) {
            memcpy(&eight, at, sizeof eight);
            if (eight != 0x2020202020202020u) break;
        }
    }
    return at;
}

static inline void skip_space(sni_json *json) { json->at = sni_json_skip_blanks(json->at, json->end); }

// What a value is, by its first byte.
// clang-format off
const uint8_t sni_json_kinds[256] = {
    ['{'] = SNI_JSON_OBJECT, ['['] = SNI_JSON_ARRAY,  ['"'] = SNI_JSON_STRING, ['t'] = SNI_JSON_BOOL,
    ['f'] = SNI_JSON_BOOL,   ['n'] = SNI_JSON_NULL,   ['-'] = SNI_JSON_NUMBER, ['0'] = SNI_JSON_NUMBER,
    ['1'] = SNI_JSON_NUMBER, ['2'] = SNI_JSON_NUMBER, ['3'] = SNI_JSON_NUMBER, ['4'] = SNI_JSON_NUMBER,
    ['5'] = SNI_JSON_NUMBER, ['6'] = SNI_JSON_NUMBER, ['7'] = SNI_JSON_NUMBER, ['8'] = SNI_JSON_NUMBER,
    ['9'] = SNI_JSON_NUMBER,
};
// clang-format on

sni_json_kind sni_json_peek_far(sni_json *json)
{
    if (!sni_json_ok(json)) return SNI_JSON_NONE;
    skip_space(json);
    sni_json_kind kind = json->at < json->end ? (sni_json_kind)sni_json_kinds[(uint8_t)*json->at] : SNI_JSON_NONE;
    if (kind == SNI_JSON_NONE) fail(json, "a value is expected");
    return kind;
}

static inline bool expect(sni_json *json, sni_json_kind kind, const char *what)
{
    sni_json_kind found = sni_json_peek(json);
    if (found == kind) return true;
    return found == SNI_JSON_NONE ? false : fail(json, what);
}

void sni_json_fail_depth(sni_json *json)
{
    sni_fail(json->diag, SN_ERR_LIMIT, sni_json_offset(json), "JSON nested deeper than %u", json->max_depth);
}

void sni_json_enter_object(sni_json *json)
{
    if (expect(json, SNI_JSON_OBJECT, "an object is expected")) sni_json_enter(json);
}

void sni_json_enter_array(sni_json *json)
{
    if (expect(json, SNI_JSON_ARRAY, "an array is expected")) sni_json_enter(json);
}

bool sni_json_next_far(sni_json *json, char close)
{
    if (!sni_json_ok(json)) return false;
    const char *end = json->end, *at = sni_json_skip_blanks(json->at, end);
    const bool is_first = json->is_first;
    json->is_first = false;
    json->at = at;
    if (at < end && *at == close) {
        json->at++;
        json->depth--;
        return false;
    }
    if (is_first) return true;
    if (at >= end || *at != ',') return fail(json, "',' or the end of the list is expected");
    json->at = sni_json_skip_blanks(at + 1, end);
    return true;
}

bool sni_json_next_item(sni_json *json)
{
    if (!sni_json_next(json, ']')) return false;
    return sni_json_peek(json) != SNI_JSON_NONE;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool check_escape(sni_json *json)
{
    const char *at = json->at + 1;
    if (at >= json->end) {
        json->at = json->end;
        return fail(json, "a string is open");
    }
    if (*at != 'u') {
        if (*at == 0 || !strchr("\"\\/bfnrt", *at)) return fail(json, "an unknown escape");
        json->at = at + 1;
        return true;
    }
    for (int i = 1; i <= 4; i++) {
        if (json->end - at <= i) {
            json->at = json->end;
            return fail(json, "a string is open");
        }
        if (hex_digit(at[i]) < 0) return fail(json, "\\u needs four hexadecimal digits");
    }
    json->at = at + 5;
    return true;
}

// What ends the plain run of a string: quote, backslash, control characters.
// clang-format off
static const bool is_special[256] = {
    ['"'] = true, ['\\'] = true, [0] = true,  [1] = true,  [2] = true,  [3] = true,  [4] = true,  [5] = true,
    [6] = true,   [7] = true,    [8] = true,  [9] = true,  [10] = true, [11] = true, [12] = true, [13] = true,
    [14] = true,  [15] = true,   [16] = true, [17] = true, [18] = true, [19] = true, [20] = true, [21] = true,
    [22] = true,  [23] = true,   [24] = true, [25] = true, [26] = true, [27] = true, [28] = true, [29] = true,
    [30] = true,  [31] = true,
};
// clang-format on

// Marks the first special of eight bytes. Quote and backslash become 0 and, like control characters, borrow from their
// top bit; a borrow may mark bytes behind the first, never before it.
static inline uint64_t mark_special(uint64_t eight)
{
    const uint64_t ones = 0x0101010101010101u;
    uint64_t quote = eight ^ ones * '"', backslash = eight ^ ones * '\\';
    return (((eight - ones * 0x20) & ~eight) | ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash)) &
           ones * 0x80;
}

// `high` stays 0 where all are ASCII. It may see some bytes behind the run.
static inline const char *skip_plain(const char *at, const char *end, uint64_t *high)
{
#ifdef __SSE2__
    for (; end - at >= 16; at += 16) {
        uint32_t marks = sni_json_mark_sixteen(at, high);
        if (marks) return at + __builtin_ctz(marks);
    }
#endif
    for (; end - at >= 8; at += 8) {
        uint64_t eight = sni_load_eight(at), marks = mark_special(eight);
        *high |= eight & 0x8080808080808080u;
        if (marks) return at + sni_bytes_below(marks);
    }
    for (; at < end && !is_special[(uint8_t)*at]; at++) *high |= (uint8_t)*at & 0x80;
    return at;
}

typedef struct raw_string {
    sni_str text;  // between the quotes, escapes checked but still in place
    bool has_escape, is_ascii;
} raw_string;

static bool scan_string(sni_json *json, raw_string *raw)
{
    *raw = (raw_string){ .text = sni_str_make("", 0) };
    if (!expect(json, SNI_JSON_STRING, "a string is expected")) return false;
    const char *start = ++json->at;
    uint64_t high = 0;
    for (;;) {
        json->at = skip_plain(json->at, json->end, &high);
        if (json->at >= json->end) return fail(json, "a string is open");
        if (*json->at == '"') break;
        if (*json->at != '\\') return fail(json, "a control character in a string");
        raw->has_escape = true;
        if (!check_escape(json)) return false;
    }
    raw->text = sni_str_make(start, (size_t)(json->at - start));
    raw->is_ascii = high == 0;
    json->at++;
    return true;
}

static uint32_t read_unit(const char *at)
{
    uint32_t unit = 0;
    for (int i = 0; i < 4; i++) unit = unit << 4 | (uint32_t)hex_digit(at[i]);
    return unit;
}

// One checked escape at `at` (behind the backslash): writes its UTF-8, returns the bytes consumed.
static size_t unescape_one(const char *at, const char *end, char *out, size_t *written, bool *was_bad)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (*at != 'u') {
        *out = to[strchr(from, *at) - from];
        *written = 1;
        return 1;
    }
    uint32_t code = read_unit(at + 1);
    size_t used = 5;
    bool is_high = code >= 0xD800 && code <= 0xDBFF;
    if (is_high && end - at >= 11 && at[5] == '\\' && at[6] == 'u') {
        uint32_t low = read_unit(at + 7);
        if (low >= 0xDC00 && low <= 0xDFFF) {
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
            used = 11;
        }
    }
    *was_bad = *was_bad || (code >= 0xD800 && code <= 0xDFFF);  // half a pair
    *written = sni_utf8_encode(code, out);
    return used;
}

static sni_str unescape(sni_json *json, sni_str raw, bool *was_bad)
{
    char *out = sni_new_raw(json->arena, char, raw.size);  // escapes only ever shrink
    if (!out) return sni_str_make("", 0);
    const char *at = raw.at, *end = raw.at + raw.size;
    size_t used = 0;
    while (at < end) {
        if (*at != '\\') {
            out[used++] = *at++;
            continue;
        }
        size_t written = 0;
        at += 1 + unescape_one(at + 1, end, out + used, &written, was_bad);
        used += written;
    }
    return sni_str_make(out, used);
}

const char *sni_json_short_string(sni_json *json, sni_arena *arena)
{
    const char *start = json->at + 1;
    uint64_t high = 0;
    if (json->at >= json->room || *json->at != '"' || !sni_json_ok(json)) return NULL;
    const char *stop = skip_plain(start, start + 16, &high);
    if (high || stop == start + 16 || *stop != '"') return NULL;
    char *copy = sni_new_raw(arena, char, 16);
    if (!copy) return NULL;
    memcpy(copy, start, 16);  // at once, with what follows
    copy[stop - start] = 0;
    json->at = stop + 1;
    return copy;
}

const char *sni_json_string(sni_json *json, bool *was_bad)
{
    raw_string raw;
    bool is_half = false, is_dirty = false;
    const char *clean = sni_json_short_string(json, json->arena);
    if (clean) {
        if (was_bad) *was_bad = false;
        return clean;
    }
    clean = "";
    if (scan_string(json, &raw)) {
        if (raw.has_escape) raw.text = unescape(json, raw.text, &is_half);
        clean = raw.is_ascii && !raw.has_escape ? sni_copy_text(json->arena, raw.text.at, raw.text.size)
                                                : sni_text_clean(json->arena, raw.text, &is_dirty);
    }
    if (was_bad) *was_bad = is_half || is_dirty;
    return clean ? clean : "";
}

int32_t sni_json_word(sni_json *json, const char *const *words, uint32_t count)
{
    if (sni_json_peek(json) != SNI_JSON_STRING) return -1;
    const char *start = json->at + 1, *end = json->end;
    for (uint32_t i = 0; i < count; i++) {
        const char *at = start, *word = words[i];
        if (!word) continue;
        while (*word && at < end && *at == *word) at++, word++;
        if (*word || at >= end || *at != '"') continue;
        json->at = at + 1;
        return (int32_t)i;
    }
    return -1;
}

RARE bool read_any_key(sni_json *json, sni_str *key)
{
    raw_string raw;
    bool is_half = false;
    *key = sni_str_make("", 0);
    if (!scan_string(json, &raw)) return false;
    *key = raw.has_escape && json->arena ? unescape(json, raw.text, &is_half) : raw.text;
    skip_space(json);
    if (json->at >= json->end || *json->at != ':') return fail(json, "':' is expected");
    json->at++;
    return sni_json_peek(json) != SNI_JSON_NONE;
}

// Most keys: no escapes, and a value behind the colon.
bool sni_json_read_key(sni_json *json, sni_str *key)
{
    const char *end = json->end, *start = sni_json_skip_blanks(json->at, end);
    uint64_t high = 0;
    if (start >= end || *start != '"') return read_any_key(json, key);
    const char *at = skip_plain(++start, end, &high);
    *key = sni_str_make(start, (size_t)(at - start));
    if (at >= end || *at != '"') return read_any_key(json, key);
    at = sni_json_skip_blanks(at + 1, end);
    if (at >= end || *at != ':') return read_any_key(json, key);
    at = sni_json_skip_blanks(at + 1, end);
    if (at >= end || !sni_json_kinds[(uint8_t)*at]) return read_any_key(json, key);
    json->at = at;
    return true;
}

bool sni_json_next_key(sni_json *json, sni_str *key)
{
    if (sni_json_next(json, '}')) return sni_json_read_key(json, key);
    *key = sni_str_make("", 0);
    return false;
}

static bool scan_word(sni_json *json, const char *word)
{
    size_t size = strlen(word);
    if ((size_t)(json->end - json->at) < size) {
        bool is_start = memcmp(json->at, word, (size_t)(json->end - json->at)) == 0;
        if (is_start) json->at = json->end;
        return fail(json, "an unknown word");
    }
    if (memcmp(json->at, word, size) != 0) return fail(json, "an unknown word");
    json->at += size;
    return true;
}

bool sni_json_bool(sni_json *json)
{
    if (!expect(json, SNI_JSON_BOOL, "true or false is expected")) return false;
    if (*json->at == 't') return scan_word(json, "true");
    scan_word(json, "false");
    return false;
}

static bool scan_digits(sni_json *json)
{
    const char *start = json->at;
    while (json->at < json->end && *json->at >= '0' && *json->at <= '9') json->at++;
    return json->at > start || fail(json, "a digit is expected");
}

static bool scan_number(sni_json *json, sni_str *text)
{
    *text = sni_str_make("0", 1);
    if (!expect(json, SNI_JSON_NUMBER, "a number is expected")) return false;
    const char *start = json->at;
    if (*json->at == '-') json->at++;
    bool leads_with_zero = json->at < json->end && *json->at == '0';
    if (leads_with_zero) json->at++;
    else if (!scan_digits(json)) return false;
    if (json->at < json->end && *json->at == '.') {
        json->at++;
        if (!scan_digits(json)) return false;
    }
    if (json->at < json->end && (*json->at == 'e' || *json->at == 'E')) {
        json->at++;
        if (json->at < json->end && (*json->at == '+' || *json->at == '-')) json->at++;
        if (!scan_digits(json)) return false;
    }
    *text = sni_str_make(start, (size_t)(json->at - start));
    return true;
}

float sni_json_float(sni_json *json)
{
    float value = 0.0f;
    sni_str text;
    if (!expect(json, SNI_JSON_NUMBER, "a number is expected")) return 0.0f;
    const char *end = sni_scan_float(json->at, json->end, &value);
    if (end) json->at = end;
    else scan_number(json, &text);  // fails with the position
    return value;
}

// The numbers of an array of up to `most`, and where it ends; 0: anything else.
static inline uint32_t scan_floats(const sni_json *json, float *values, uint32_t most, const char **after)
{
    if (!sni_json_ok(json) || json->depth >= json->max_depth) return 0;
    const char *end = json->end, *at = sni_json_skip_blanks(json->at, end);
    if (at >= end || *at++ != '[') return 0;
    for (uint32_t i = 0; i < most; i++) {
        at = sni_json_skip_blanks(at, end);
        const char *behind = at < json->room ? sni_scan_usual_float(at, &values[i]) : NULL;
        if (!behind) {
            behind = sni_scan_float(at, end, &values[i]);
            if (!behind || !isfinite(values[i])) return 0;
        }
        at = sni_json_skip_blanks(behind, end);
        if (at >= end || (*at != ',' && *at != ']')) return 0;
        *after = at + 1;
        if (*at++ == ']') return i + 1;
    }
    return 0;
}

bool sni_json_floats(sni_json *json, float *values, uint32_t count)
{
    const char *after;
    if (count == 0 || scan_floats(json, values, count, &after) != count) return false;
    json->at = after;
    return true;
}

uint32_t sni_json_few_floats(sni_json *json, float *values, uint32_t most)
{
    const char *after;
    const uint32_t count = scan_floats(json, values, most, &after);
    if (count > 0) json->at = after;
    return count;
}

uint32_t sni_json_few_indices(sni_json *json, int32_t *values, uint32_t most)
{
    const char *at = json->at;
    uint32_t count = 0, value;
    if (!sni_json_ok(json) || json->depth >= json->max_depth || at >= json->end || *at++ != '[') return 0;
    do {
        at = sni_json_skip_blanks(at, json->end);
        if (count == most || at >= json->room || !(at = sni_json_scan_short(at, &value))) return 0;
        values[count++] = (int32_t)value;
        at = sni_json_skip_blanks(at, json->end);
        if (at >= json->room) return 0;
    } while (*at++ == ',');
    if (at[-1] != ']') return 0;
    json->at = at;
    return count;
}

// Plain digits, the common case.
static bool parse_plain(sni_str text, int64_t *value)
{
    bool is_negative = text.at[0] == '-';
    size_t at = is_negative;
    if (text.size - at > 15) return false;
    int64_t sum = 0;
    for (; at < text.size; at++) {
        if (text.at[at] < '0' || text.at[at] > '9') return false;
        sum = sum * 10 + (text.at[at] - '0');
    }
    *value = is_negative ? -sum : sum;
    return true;
}

// 3.0, 3e0, 0.3e1 and the like: the digits up to the point, moved by the exponent, and nothing behind it.
static bool parse_decorated(sni_str text, int64_t *value)
{
    const int64_t largest = (int64_t)1 << 53;
    char digits[32];
    int32_t count = 0, exponent = 0, given = 0;
    bool in_fraction = false;
    size_t at = text.at[0] == '-';
    for (; at < text.size && text.at[at] != 'e' && text.at[at] != 'E'; at++) {
        if (text.at[at] == '.') {
            in_fraction = true;
            continue;
        }
        if (in_fraction && exponent > -1000000) exponent--;
        if (count == 0 && text.at[at] == '0') continue;
        if (count < 32) digits[count++] = text.at[at];
        else if (text.at[at] != '0') return false;
        else exponent += exponent < 1000000;
    }
    if (at < text.size) {
        bool is_negative = text.at[at + 1] == '-';
        at += is_negative || text.at[at + 1] == '+' ? 2 : 1;
        for (; at < text.size; at++) given = given < 1000000 ? given * 10 + (text.at[at] - '0') : given;
        exponent += is_negative ? -given : given;
    }
    for (; count > 0 && exponent < 0 && digits[count - 1] == '0'; count--) exponent++;
    if (count == 0) exponent = 0;
    if (exponent < 0 || count + exponent > 16) return false;
    int64_t sum = 0;
    for (int32_t i = 0; i < count + exponent; i++) sum = sum * 10 + (i < count ? digits[i] - '0' : 0);
    *value = text.at[0] == '-' ? -sum : sum;
    return sum <= largest;
}

RARE bool read_any_integer(sni_json *json, int64_t *value)
{
    sni_str text;
    *value = 0;
    if (!scan_number(json, &text)) return false;
    return parse_plain(text, value) || parse_decorated(text, value);
}

bool sni_json_integer(sni_json *json, int64_t *value)
{
    if (sni_json_ok(json) && sni_json_plain_integer(json, INT64_MAX, value)) return true;
    return read_any_integer(json, value);
}

int32_t sni_json_index(sni_json *json)
{
    int64_t number = -1;
    if (sni_json_peek(json) != SNI_JSON_NUMBER) sni_json_skip(json);
    else if (!sni_json_integer(json, &number)) number = -1;
    return number >= 0 && number <= INT32_MAX ? (int32_t)number : -1;
}

static void skip_scalar(sni_json *json, sni_json_kind kind)
{
    sni_str text;
    raw_string raw;
    if (kind == SNI_JSON_STRING) scan_string(json, &raw);
    else if (kind == SNI_JSON_NUMBER) scan_number(json, &text);
    else if (kind == SNI_JSON_BOOL) sni_json_bool(json);
    else if (kind == SNI_JSON_NULL) scan_word(json, "null");
}

void sni_json_skip(sni_json *json)
{
    uint32_t outside = json->depth;
    bool is_object[SNI_JSON_MAX_DEPTH];
    do {
        sni_json_kind kind = sni_json_peek(json);
        if (kind == SNI_JSON_OBJECT || kind == SNI_JSON_ARRAY) {
            sni_json_enter(json);
            if (sni_json_ok(json)) is_object[json->depth - 1] = kind == SNI_JSON_OBJECT;
        } else {
            skip_scalar(json, kind);
        }
        // On to the next element, or out of all that end here.
        sni_str key;
        while (sni_json_ok(json) && json->depth > outside &&
               !(is_object[json->depth - 1] ? sni_json_next_key(json, &key) : sni_json_next_item(json))) {}
    } while (sni_json_ok(json) && json->depth > outside);
}

sni_str sni_json_raw(sni_json *json)
{
    (void)sni_json_peek(json);
    const char *start = json->at;
    sni_json_skip(json);
    return sni_json_ok(json) ? sni_str_make(start, (size_t)(json->at - start)) : sni_str_make("", 0);
}

void sni_json_finish(sni_json *json)
{
    if (!sni_json_ok(json)) return;
    skip_space(json);
    if (json->at < json->end) fail(json, "nothing more is expected");
}
