// glTF files damaged in every way, and in the ways of the format: values, keys and structure of the JSON.
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TOKENS = 20000, GLB_HEADER = 20 };

typedef struct token {
    uint32_t start, end;
    bool is_key;
} token;  // of a scalar, key, array or object

typedef struct json_damage {
    const sweep_bytes *file;
    size_t json_start, json_end;  // inside the file
    token *tokens;
    uint32_t token_count;
} json_damage;

static const char *const replacements[] = { "-1",
                                            "0",
                                            "1",
                                            "3",
                                            "255",
                                            "65535",
                                            "16777216",
                                            "2147483647",
                                            "2147483648",
                                            "4294967295",
                                            "4294967296",
                                            "9007199254740993",
                                            "1e400",
                                            "-1e38",
                                            "3.4e38",
                                            "1e-45",
                                            "0.5",
                                            "null",
                                            "true",
                                            "{}",
                                            "[]",
                                            "[[]]",
                                            "\"\"",
                                            "\"x\"",
                                            "\"../x\"",
                                            "\"data:,%00\"",
                                            "\"data:application/octet-stream;base64,AAAA\"",
                                            "\"\\ud800\\u0000\"",
                                            "{\"x\":1}",
                                            "[0,0]",
                                            "[-1,1e39]" };
enum { REPLACEMENTS = sizeof replacements / sizeof *replacements, DOUBLED = REPLACEMENTS, VARIANTS };

static uint32_t load_u32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void store_u32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> 8 * i);
}

// Scalars, keys and containers of a text that is known to be JSON.
static void find_tokens(json_damage *d, const char *text, uint32_t size)
{
    uint32_t open[64], depth = 0;
    for (uint32_t i = 0; i < size && d->token_count < MOST_TOKENS; i++) {
        char c = text[i];
        if ((c == '{' || c == '[') && depth < 64) {
            open[depth++] = d->token_count;
            d->tokens[d->token_count++] = (token){ i, i + 1, false };
        } else if ((c == '}' || c == ']') && depth > 0) {
            d->tokens[open[--depth]].end = i + 1;
        } else if (c == '"') {
            uint32_t start = i++;
            for (; i < size && text[i] != '"'; i++) i += text[i] == '\\';
            uint32_t after = i + 1;
            while (after < size && strchr(" \t\r\n", text[after])) after++;
            d->tokens[d->token_count++] = (token){ start, i + 1, after < size && text[after] == ':' };
        } else if (!strchr(" \t\r\n,:", c)) {
            uint32_t start = i;
            while (i + 1 < size && !strchr(" \t\r\n,:]}", text[i + 1])) i++;
            d->tokens[d->token_count++] = (token){ start, i + 1, false };
        }
    }
}

// Fixes the lengths of a .glb, so that the loader gets as far as the damage.
static void fix_lengths(const json_damage *d, sweep_bytes *out)
{
    size_t tail = d->file->size - d->json_end;
    while ((out->size - d->json_start) % 4) sweep_append(out, " ", 1);
    store_u32(out->data + 12, (uint32_t)(out->size - d->json_start));
    sweep_append(out, d->file->data + d->json_end, tail);
    store_u32(out->data + 8, (uint32_t)out->size);
}

static const char *make_variant(void *user, uint64_t k, sweep_bytes *out, char *words, size_t capacity)
{
    const json_damage *d = user;
    const token *t = &d->tokens[k / VARIANTS];
    uint32_t kind = (uint32_t)(k % VARIANTS);
    const char *json = (const char *)d->file->data + d->json_start;
    if (t->is_key && kind != DOUBLED && replacements[kind][0] != '"') return NULL;
    sweep_set(out, d->file->data, d->json_start + t->start);
    if (kind == DOUBLED) {
        if (t->is_key) return NULL;
        sweep_append(out, json + t->start, t->end - t->start);
        sweep_append(out, ",", 1);
        sweep_append(out, json + t->start, t->end - t->start);
    } else {
        sweep_append(out, replacements[kind], strlen(replacements[kind]));
    }
    sweep_append(out, json + t->end, d->json_end - d->json_start - t->end);
    if (d->json_start) fix_lengths(d, out);
    snprintf(words, capacity, "%.30s at byte %u of the JSON is %s", json + t->start, t->start,
             kind == DOUBLED ? "doubled" : replacements[kind]);
    return words;
}

static void sweep_json(sweep *s)
{
    json_damage d = { .file = &s->input,
                      .json_end = s->input.size,
                      .tokens = calloc(MOST_TOKENS + 1, sizeof *d.tokens) };
    if (!d.tokens) abort();
    if (s->input.size >= GLB_HEADER && memcmp(s->input.data, "glTF", 4) == 0) {
        d.json_start = GLB_HEADER;
        d.json_end = GLB_HEADER + load_u32(s->input.data + 12);
    }
    sweep_add_edge(s, d.json_start);
    sweep_add_edge(s, d.json_end);
    find_tokens(&d, (const char *)s->input.data + d.json_start, (uint32_t)(d.json_end - d.json_start));
    sweep_variants(s, "json", (uint64_t)d.token_count * VARIANTS, make_variant, &d);
    free(d.tokens);
}

static void sweep_all(const char *path)
{
    sweep s;
    sweep_open(&s, path);
    sweep_json(&s);
    sweep_failures(&s);
    sweep_prefixes(&s);
    sweep_damage(&s);
    sweep_close(&s);
}

int main(void)
{
    static const sweep_place places[] = { { SINEW_TESTS_DIR "/sweep_samples", "gltf glb" },
                                          { SINEW_SAMPLES, "gltf glb" },
                                          { 0 } };
    return sweep_main(places, sweep_all);
}
