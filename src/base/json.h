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

#include <stdalign.h>
#include <string.h>

#include "base/reader.h"
#include "base/writer.h"
#ifdef __SSE2__
#    include "base/json_sse2.h"
#endif

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
    const char *room;  // before it, SNI_JSON_ROOM bytes can be read: no need to look for the end
    uint32_t depth, max_depth;
    bool is_first;  // the innermost object or array was entered, none of its elements asked for
} sni_json;

enum {
    SNI_JSON_ROOM = 64,  // for a key, a number of up to nine digits and what follows it
    SNI_JSON_LONGEST_TOKEN = 48
};

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
// The same for an array of 1 to `most`; returns how many there are.
uint32_t sni_json_few_floats(sni_json *json, float *values, uint32_t most);
uint32_t sni_json_few_indices(sni_json *json, int32_t *values, uint32_t most);  // whole numbers of up to nine digits
bool sni_json_integer(sni_json *json, int64_t *value);                // false, no failure: a fraction or beyond 2^53
int32_t sni_json_index(sni_json *json);                               // any value; -1 unless it is a whole number >= 0
const char *sni_json_string(sni_json *json, bool *was_bad);           // unescaped, cleaned, in the arena
const char *sni_json_short_string(sni_json *json, sni_arena *arena);  // of up to fifteen plain ASCII characters, as
                                                                      // most are; NULL: any other, unread; or no memory
void sni_json_skip(sni_json *json);
sni_str sni_json_raw(sni_json *json);  // the value's own text, checked
void sni_json_finish(sni_json *json);  // fails unless only white space is left

// A string among words: its number, or -1 where it is none of them or has escapes; then it is unread. Words may be
// NULL.
int32_t sni_json_word(sni_json *json, const char *const *words, uint32_t count);

// Parts of the functions above, for callers that have a guess what comes next; see sni_json_next_member.
const char *sni_json_skip_many_blanks(const char *at, const char *end);
bool sni_json_next_far(sni_json *json, char close);
void sni_json_fail_depth(sni_json *json);
bool sni_json_read_key(sni_json *json, sni_str *key);

static inline bool sni_json_ok(const sni_json *json) { return !sni_failed(json->diag); }

extern const uint8_t sni_json_kinds[256];  // of values, by their first byte

// What the next value is; NONE only after a failure.
static inline sni_json_kind sni_json_peek(sni_json *json)
{
    const uint8_t kind = json->at < json->end ? sni_json_kinds[(uint8_t)*json->at] : 0;
    return kind && sni_json_ok(json) ? (sni_json_kind)kind : sni_json_peek_far(json);
}

static inline const char *sni_json_skip_blanks(const char *at, const char *end)
{
    if (at < end && (uint8_t)*at > ' ') return at;
#ifdef __SSE2__
    uint32_t ink = end - at >= 16 ? sni_json_mark_ink(at) : 0;
    if (ink) return at + __builtin_ctz(ink);
#endif
    return sni_json_skip_many_blanks(at, end);
}

// Steps over the comma before the next element; false when the container closes.
static inline bool sni_json_next(sni_json *json, char close)
{
    const char *at = json->at, *end = json->end;
    if (at >= end || *at != ',' || json->is_first || !sni_json_ok(json)) return sni_json_next_far(json, close);
    json->at = sni_json_skip_blanks(at + 1, end);
    return true;
}

// Enters the object or array at `at`, which was peeked at.
static inline void sni_json_enter(sni_json *json)
{
    if (json->depth >= json->max_depth) {
        sni_json_fail_depth(json);
        return;
    }
    json->at++;
    json->depth++;
    json->is_first = true;
}

// A text to look for, as it is in a file: a word or a key with its quotes, the latter with its colon.
typedef struct sni_json_token {
    alignas(16) char text[SNI_JSON_LONGEST_TOKEN];  // NULs follow it
    uint32_t size, rest;  // rest: a bit for each of the first sixteen bytes that is not part of it
} sni_json_token;
#define SNI_JSON_TOKEN(literal)                                                                                  \
    {                                                                                                            \
        literal, sizeof(literal) - 1, 0xFFFFu & 0xFFFFu << (sizeof(literal) - 1 < 16 ? sizeof(literal) - 1 : 16) \
    }

// Whether the token is at `at`, where there is room.
static inline bool sni_json_starts(const char *at, const sni_json_token *token)
{
#ifdef __SSE2__
    if ((sni_json_mark_same(at, token->text) | token->rest) != 0xFFFF) return false;
    for (uint32_t i = 16; i < token->size; i++)
        if (at[i] != token->text[i]) return false;
    return true;
#else
    return memcmp(at, token->text, token->size) == 0;
#endif
}

// A whole number of one to nine plain digits, where there is room; returns where it ends. NULL: anything else.
static inline const char *sni_json_scan_short(const char *at, uint32_t *value)
{
    uint32_t sum = (uint32_t)(uint8_t)*at++ - '0', digit;
    if (sum > 9) return NULL;
    if (sum > 0)
        for (int i = 0; i < 8 && (digit = (uint32_t)(uint8_t)*at - '0') <= 9; i++, at++) sum = sum * 10 + digit;
    *value = sum;
    if (*at == ',' || *at == '}') return at;  // most are followed by these
    return (uint8_t)(*at - '0') <= 9 || *at == '.' || (*at | 0x20) == 'e' ? NULL : at;
}

// sni_json_next behind a value.
static inline bool sni_json_step(sni_json *json, char close)
{
    const char *at = json->at;
    if (at < json->room && *at == ',') {
        json->at = (uint8_t)at[1] > ' ' ? at + 1 : sni_json_skip_blanks(at + 1, json->end);
        return true;
    }
    if (at < json->room && *at == close) {
        json->at = at + 1;
        json->depth--;
        return false;
    }
    return sni_json_next_far(json, close);
}

// Enters an object with a key right behind its brace; anything else is left unread.
static inline bool sni_json_take_first(sni_json *json)
{
    const char *at = json->at;
    if (at >= json->room || at[0] != '{' || at[1] != '"' || json->depth >= json->max_depth) return false;
    json->at = at + 1;
    json->depth++;
    return true;
}

// sni_json_enter_object and sni_json_next_key in steps, for objects whose keys can be guessed:
//
//     if (!sni_json_first_member(json)) return;  // an empty object, or a failure
//     do {
//         if (json->at < json->room && sni_json_starts(json->at, &name)) json->at += name.size;
//         else if (!sni_json_read_key(json, &key)) return;
//         ...  // reads the value; not further after a failure
//     } while (sni_json_next_member(json));
static inline bool sni_json_first_member(sni_json *json)
{
    if (sni_json_take_first(json)) return true;
    sni_json_enter_object(json);
    return sni_json_next_far(json, '}');
}

static inline bool sni_json_next_member(sni_json *json) { return sni_json_step(json, '}'); }

// An integer of up to 15 plain digits; returns false and leaves anything else unread.
static inline bool sni_json_plain_integer(sni_json *json, int64_t highest, int64_t *value)
{
    const char *start = json->at, *at = start, *end = json->end;
    uint64_t sum = 0;
    for (uint8_t digit; at < end && (digit = (uint8_t)(*at - '0')) <= 9; at++) sum = sum * 10 + digit;
    const size_t size = (size_t)(at - start);
    if (size - 1 >= 15 || (*start == '0' && size > 1) || sum > (uint64_t)highest) return false;
    if (at < end && (*at == '.' || (*at | 0x20) == 'e')) return false;
    json->at = at;
    *value = (int64_t)sum;
    return true;
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
