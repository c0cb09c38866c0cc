// Every MDX sample, damaged in every way, and MDX's own kinds of damage: chunks cut, grown, doubled, gone, under
// another's name, and the whole under another version. Whatever can still be read is written again and must be the same
// bytes.
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

// In this process: what it finds ends the program at once.
static uint64_t check_rewriting(chunk_damage *d, uint64_t count)
{
    sweep_bytes bytes = { 0 };
    char words[128];
    uint64_t read = 0;
    for (uint64_t k = 0; k < count; k++)
        if (!sweep_is_spared(k) && make_variant(d, k, &bytes, words, sizeof words))
            read += check_mdx_rewrites(bytes.data, bytes.size);
    sweep_set(&bytes, d->file->data, d->file->size);
    for (size_t i = 16; i < bytes.size; i += 11) {  // of every four bytes, each in its turn
        static const uint8_t values[3] = { 0, 1, 0xFF };
        if (sweep_is_spared(i)) continue;
        bytes.data[i] = values[i % 3];
        read += check_mdx_rewrites(bytes.data, bytes.size);
        bytes.data[i] = d->file->data[i];
    }
    free(bytes.data);
    return read;
}

static uint64_t sweep_chunks(sweep *s)
{
    chunk_damage d = { .file = &s->input };
    find_chunks(&d);
    uint64_t count = (uint64_t)d.count * VARIANTS + VERSIONS;
    sweep_variants(s, "chunks", count, make_variant, &d);
    return check_rewriting(&d, count);
}

// Memory runs out and loads are cancelled with the pictures there. Damage is done without them: theirs is not MDX's.
static void sweep_all(const char *path)
{
    sweep s;
    sweep_open(&s, path);
    sweep_allocations(&s);
    sweep_saving(&s);
    sweep_cancelling(&s);
    size_t pictures = s.ref_count;
    s.ref_count = 0;
    sweep_prefixes(&s);
    sweep_damage(&s);
    uint64_t rewritten = sweep_chunks(&s);
    printf("%s: %llu loads, %llu gave a model; %llu savings failed; %llu documents written again\n", s.name,
           (unsigned long long)s.loads, (unsigned long long)s.models, (unsigned long long)s.saves,
           (unsigned long long)rewritten);
    s.ref_count = pictures;
    sweep_close(&s);
}

int main(void)
{
    static const sweep_place places[] = { { SINEW_SAMPLES, "mdx" }, { 0 } };
    return sweep_main(places, sweep_all);
}
