// JSON, pulled value by value: no tree, no recursion, a depth limit, sticky failure as in the reader.
//
//     for (sni_json_enter_object(json); sni_json_next_key(json, &key);) {
//         if (sni_str_is(key, "name")) name = sni_json_string(json);
//         else sni_json_skip(json);
//     }
//
// Every value must be consumed (read, entered or skipped) before the next is asked for. Duplicate keys are
// returned one after the other, so storing each keeps the last.
#ifndef SNI_JSON_H
#define SNI_JSON_H

#include "base/reader.h"
#include "base/writer.h"

typedef enum sni_json_kind {
    SNI_JSON_NONE,
    SNI_JSON_NULL,
    SNI_JSON_BOOL,
    SNI_JSON_NUMBER,
    SNI_JSON_STRING,
    SNI_JSON_ARRAY,
    SNI_JSON_OBJECT
} sni_json_kind;

enum { SNI_JSON_MAX_DEPTH = 256 };

typedef struct sni_json {
    const char *start, *at, *end;
    uint64_t origin;  // offset of start in the file
    sni_diag *diag;
    sni_arena *arena;  // where strings go. NULL: for skipping only; keys with escapes come as they are
    uint32_t depth, max_depth;
    uint8_t first[SNI_JSON_MAX_DEPTH];  // per level: no element was read yet
} sni_json;

sni_json sni_json_make(sni_str text, uint64_t origin, uint32_t max_depth, sni_diag *diag, sni_arena *arena);
uint64_t sni_json_offset(const sni_json *json);  // of the next value
sni_json_kind sni_json_peek_far(sni_json *json);

// Entering something that is not an object or array is a failure: peek first where the file may be wrong.
void sni_json_enter_object(sni_json *json);
bool sni_json_next_key(sni_json *json, sni_str *key);  // false at the end, or after a failure
void sni_json_enter_array(sni_json *json);
bool sni_json_next_item(sni_json *json);

// Each fails on a value of another kind.
bool sni_json_bool(sni_json *json);
float sni_json_float(sni_json *json);
bool sni_json_floats(sni_json *json, float *values, uint32_t count);  // an array of exactly `count` finite numbers;
                                                                      // false, no failure: anything else, unread
bool sni_json_integer(sni_json *json, int64_t *value);                // false, no failure: a fraction or beyond 2^53
int32_t sni_json_index(sni_json *json);                               // any value; -1 unless it is a whole number >= 0
const char *sni_json_string(sni_json *json, bool *was_bad);           // unescaped, cleaned, in the arena
void sni_json_skip(sni_json *json);
sni_str sni_json_raw(sni_json *json);  // the value's own text, checked
void sni_json_finish(sni_json *json);  // fails unless only white space is left

// A string among words: its number, or -1 where it is none of them or has escapes; then it is unread. Words may be
// NULL.
int32_t sni_json_word(sni_json *json, const char *const *words, uint32_t count);

static inline bool sni_json_ok(const sni_json *json) { return !sni_failed(json->diag); }

extern const uint8_t sni_json_kinds[256];  // of values, by their first byte

// What the next value is; NONE only after a failure.
static inline sni_json_kind sni_json_peek(sni_json *json)
{
    const uint8_t kind = json->at < json->end ? sni_json_kinds[(uint8_t)*json->at] : 0;
    return kind && sni_json_ok(json) ? (sni_json_kind)kind : sni_json_peek_far(json);
}

// Deterministic output. Keys in the order written, floats in their shortest exact form, NaN and infinity as null.
typedef struct sni_json_writer {
    sni_writer *out;
    uint32_t depth;
    bool indent, after_key;
    uint8_t state[64];    // per level: 0 empty, 1 has elements
    uint8_t is_flat[64];  // per level: written on one line
} sni_json_writer;

sni_json_writer sni_json_writer_make(sni_writer *out, bool indent);
void sni_json_begin_object(sni_json_writer *json);
void sni_json_begin_array(sni_json_writer *json);
void sni_json_begin_flat_array(sni_json_writer *json);  // stays on one line when indenting
void sni_json_end(sni_json_writer *json);               // of the innermost object or array
void sni_json_key(sni_json_writer *json, const char *key);
void sni_json_put_text(sni_json_writer *json, const char *text);  // "" for NULL
void sni_json_put_integer(sni_json_writer *json, int64_t value);
void sni_json_put_float(sni_json_writer *json, float value);
void sni_json_put_bool(sni_json_writer *json, bool value);
void sni_json_put_raw(sni_json_writer *json, const char *text);      // JSON already
void sni_json_put_members(sni_json_writer *json, const char *text);  // those of an object that is JSON already

#endif
