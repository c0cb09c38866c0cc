// MDX files damaged in every way, and in the ways of the format: chunks cut, grown, duplicated, missing, under another
// tag, and the file under another version. What can still be read is written again as the same bytes.
#include "check_mdx.h"
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHUNKS = 256, HEADER = 8 };
enum { GONE, DOUBLED, EMPTY, CUT_1, CUT_4, CUT_HALF, GROWN_4, GROWN_200, RETAGGED };

static const char tags[] =
    "VERSMODLSEQSGLBSMTLSTEXSTXANGEOSGEOABONELITEHELPATCHPIVTPREMPRE2CORNRIBBCAMSEVTSCLIDHTSTFAFXBPOSMDVI";
static const uint32_t versions[] = { 0, 800, 850, 900, 1000, 1100, 1200, 1250, 1300, 1400, 1500, 0xFFFFFFFF };
enum { TAGS = sizeof tags / 4, VARIANTS = RETAGGED + TAGS, VERSIONS = sizeof versions / sizeof *versions };

typedef struct chunk_damage {
    const sweep_bytes *file;
    uint32_t starts[MOST_CHUNKS + 1], count;  // and where the last one ends
} chunk_damage;

static uint32_t load_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void append_u32(sweep_bytes *out, uint32_t value)
{
    uint8_t bytes[4] = { (uint8_t)value, (uint8_t)(value >> 8), (uint8_t)(value >> 16), (uint8_t)(value >> 24) };
    sweep_append(out, bytes, sizeof bytes);
}

static void append_chunk(sweep_bytes *out, const uint8_t *chunk, uint32_t size, uint32_t kind)
{
    static const uint8_t zeros[200];
    uint32_t kept = kind == EMPTY ? 0 : kind == CUT_HALF ? size / 2 : size;
    if (kind == CUT_1 || kind == CUT_4) kept = size > 4 ? size - (kind == CUT_1 ? 1 : 4) : 0;
    uint32_t grown = kind == GROWN_4 ? 4 : kind == GROWN_200 ? 200 : 0;
    sweep_append(out, kind >= RETAGGED ? (const uint8_t *)tags + 4 * (kind - RETAGGED) : chunk, 4);
    append_u32(out, kept + grown);
    sweep_append(out, chunk + HEADER, kept);
    sweep_append(out, zeros, grown);
}

static const char *make_variant(void *user, uint64_t k, sweep_bytes *out, char *words, size_t capacity)
{
    const chunk_damage *d = user;
    uint64_t of_chunks = (uint64_t)d->count * VARIANTS;
    if (k >= of_chunks) {
        sweep_set(out, d->file->data, 12);  // the samples begin with VERS
        append_u32(out, versions[k - of_chunks]);
        sweep_append(out, d->file->data + 16, d->file->size - 16);
        snprintf(words, capacity, "version %u", versions[k - of_chunks]);
        return words;
    }
    uint32_t start = d->starts[k / VARIANTS], end = d->starts[k / VARIANTS + 1], kind = (uint32_t)(k % VARIANTS);
    const uint8_t *chunk = d->file->data + start;
    sweep_set(out, d->file->data, start);
    if (kind != GONE) append_chunk(out, chunk, end - start - HEADER, kind);
    if (kind == DOUBLED) append_chunk(out, chunk, end - start - HEADER, kind);
    sweep_append(out, d->file->data + end, d->file->size - end);
    snprintf(words, capacity, "chunk %.4s at %u, damage %u", (const char *)chunk, start, kind);
    return words;
}

static void find_chunks(chunk_damage *d)
{
    uint32_t at = 4, size = (uint32_t)d->file->size;
    while (size - at >= HEADER && d->count < MOST_CHUNKS) {
        d->starts[d->count++] = at;
        at += HEADER + load_u32(d->file->data + at + 4);
    }
    d->starts[d->count] = at;
}

// One of five becomes MDL and back (SINEW_CHECK_ALL=1: every one).
_Static_assert(VARIANTS % 5 != 0, "each kind of damage is among them");
static bool is_text(uint64_t k) { return sweep_is_all() || k % 5 == 0; }

// Runs in this process: a find ends the program.
static void check_rewriting(const sweep *s, chunk_damage *d, uint64_t count)
{
    sweep_bytes bytes = { 0 };
    char words[128];
    for (uint64_t i = 0, k; i < sweep_count(s, count); i++)
        if (sweep_pick(s, i, count, &k) && make_variant(d, k, &bytes, words, sizeof words))
            check_mdx_rewrites(bytes.data, bytes.size, is_text(k));
    sweep_set(&bytes, d->file->data, d->file->size);
    count = (bytes.size - 16) / 11;  // every position within four bytes
    for (uint64_t i = 0, k; i < sweep_count(s, count); i++) {
        static const uint8_t values[3] = { 0, 1, 0xFF };
        if (!sweep_pick(s, i, count, &k)) continue;
        size_t at = 16 + 11 * (size_t)k;
        bytes.data[at] = values[at % 3];
        check_mdx_rewrites(bytes.data, bytes.size, is_text(k));
        bytes.data[at] = d->file->data[at];
    }
    free(bytes.data);
}

static void sweep_chunks(sweep *s)
{
    chunk_damage d = { .file = &s->input };
    find_chunks(&d);
    for (uint32_t i = 0; i <= d.count; i++) sweep_add_edge(s, d.starts[i]);
    uint64_t count = (uint64_t)d.count * VARIANTS + VERSIONS;
    sweep_variants(s, "chunks", count, make_variant, &d);
    check_rewriting(s, &d, count);
}

static void sweep_all(const char *path) { sweep_file_alone(path, sweep_chunks); }

int main(void)
{
    static const sweep_place places[] = { { SINEW_TESTS_DIR "/sweep_samples", "mdx" },
                                          { SINEW_SAMPLES, "mdx" },
                                          { 0 } };
    return sweep_main(places, sweep_all);
}
