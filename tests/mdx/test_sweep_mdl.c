// MDL files damaged in every way, and in the ways of the format: words missing, duplicated, cut or replaced. What can
// still be read is written as a text with the same content.
#include "check_mdl.h"
#include "sweep.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 4096, GONE = 0, DOUBLED, CUT, FIRST_OTHER };

// What replaces a word.
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
    size_t count;
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
    span word = d->words[k / VARIANTS];
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

// One of four texts. Runs in this process: a find ends the program.
static void check_rewriting(const sweep *s, text_damage *d, uint64_t count)
{
    sweep_bytes bytes = { 0 };
    char words[128];
    for (uint64_t i = 0, k; i < sweep_count(s, count); i++)
        if (sweep_pick(s, i, count, &k) && (k % 4 == 0 || sweep_is_all()) &&
            make_variant(d, k, &bytes, words, sizeof words))
            check_mdl_rewrites(bytes.data, bytes.size);
    free(bytes.data);
}

static void sweep_words(sweep *s)
{
    text_damage d = { .file = &s->input, .words = calloc(MOST_WORDS, sizeof(span)) };
    if (!d.words) abort();
    find_words(&d);
    uint64_t count = d.count * VARIANTS;
    check_rewriting(s, &d, count);
    sweep_variants(s, "words", count, make_variant, &d);
    free(d.words);
}

static void sweep_all(const char *path) { sweep_file_alone(path, sweep_words); }

int main(void)
{
    static const sweep_place places[] = { { SINEW_TESTS_DIR "/sweep_samples", "mdl" },
                                          { SINEW_SAMPLES, "mdl" },
                                          { 0 } };
    return sweep_main(places, sweep_all);
}
