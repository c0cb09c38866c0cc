// Every MDL sample, damaged in every way, and MDL's own kinds of damage: a word gone, doubled or another's, braces and
// quotes gone or too many, numbers that lie, the whole as another version. What can still be read is written as text
// that says the same.
#include "check_mdl.h"
#include "sweep.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 4096, GONE = 0, DOUBLED, CUT, FIRST_OTHER };

// What stands in a word's place.
static const char *const others[] = {
    "{",           "}",           "\"",
    "//",          "//@",         "",
    "-1",          "4294967295",  "99999999999999999999",
    "1e39",        "nan",         "-1.#IND",
    "static",      "None",        "<=",
    "Flags",       "Layer",       "Anim",
    "Matrices",    "Translation", "Visibility",
    "Color",       "Also",        "Bezier",
    "GlobalSeqId", "900",         "1100",
    "1300",        "Version",     "{{{{{{{{",
};
enum { VARIANTS = FIRST_OTHER + sizeof others / sizeof *others };

typedef struct span {
    size_t start, end;
} span;
typedef struct text_damage {
    const sweep_bytes *file;
    span *words;
    size_t count, step;
} text_damage;

static bool is_alone(uint8_t c) { return c == '{' || c == '}' || c == '"'; }
static bool is_between(uint8_t c) { return isspace(c) || c == ',' || c == ':'; }

static void find_words(text_damage *d)
{
    const sweep_bytes *file = d->file;
    for (size_t at = 0; at < file->size && d->count < MOST_WORDS;) {
        if (is_between(file->data[at])) {
            at++;
            continue;
        }
        size_t end = at + 1;
        while (!is_alone(file->data[at]) && end < file->size && !is_between(file->data[end]) &&
               !is_alone(file->data[end]))
            end++;
        d->words[d->count++] = (span){ at, end };
        at = end;
    }
}

static const char *make_variant(void *user, uint64_t k, sweep_bytes *out, char *words, size_t capacity)
{
    const text_damage *d = user;
    span word = d->words[k / VARIANTS * d->step];
    uint64_t kind = k % VARIANTS;
    const uint8_t *data = d->file->data;
    sweep_set(out, data, word.start);
    if (kind == DOUBLED) sweep_append(out, data + word.start, word.end - word.start), sweep_append(out, " ", 1);
    if (kind == DOUBLED) sweep_append(out, data + word.start, word.end - word.start);
    if (kind == CUT) sweep_append(out, data + word.start, (word.end - word.start) / 2);
    if (kind >= FIRST_OTHER) sweep_append(out, others[kind - FIRST_OTHER], strlen(others[kind - FIRST_OTHER]));
    sweep_append(out, data + word.end, d->file->size - word.end);
    snprintf(words, capacity, "word at %zu, damage %u", word.start, (unsigned)kind);
    return words;
}

// In this process: what it finds ends the program at once.
static uint64_t check_rewriting(text_damage *d, uint64_t count)
{
    sweep_bytes bytes = { 0 };
    char words[128];
    uint64_t read = 0;
    for (uint64_t k = 0; k < count; k++)
        if (!sweep_is_spared(k) && make_variant(d, k, &bytes, words, sizeof words))
            read += check_mdl_rewrites(bytes.data, bytes.size);
    free(bytes.data);
    return read;
}

static void sweep_words(const char *path)
{
    sweep s;
    sweep_open(&s, path);
    text_damage d = { .file = &s.input,
                      .words = calloc(MOST_WORDS, sizeof(span)),
                      .step = getenv("SINEW_SWEEP_ALL") ? 1 : 7 };
    if (!d.words) abort();
    find_words(&d);
    uint64_t count = (d.count + d.step - 1) / d.step * VARIANTS;
    uint64_t rewritten = check_rewriting(&d, count);
    sweep_variants(&s, "words", count, make_variant, &d);
    printf("%s: %zu words, %llu loads, %llu gave a model, %llu texts written again\n", s.name, d.count,
           (unsigned long long)s.loads, (unsigned long long)s.models, (unsigned long long)rewritten);
    free(d.words);
    sweep_close(&s);
}

static void sweep_all(const char *path)
{
    sweep_file(path);
    sweep_words(path);
}

int main(void)
{
    static const sweep_place places[] = { { SINEW_SAMPLES, "mdl" }, { 0 } };
    return sweep_main(places, sweep_all);
}
