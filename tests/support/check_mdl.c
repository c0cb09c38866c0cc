#include "check_mdl.h"
#include "format/mdx/mdx_doc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A text, its document, and what that is written as.
typedef struct generation {
    sni_heap heap;
    sni_load load;
    mdx_doc doc;
    sni_writer text, binary;
} generation;

static bool read_text(generation *g, const void *data, size_t size)
{
    memset(&g->doc, 0, sizeof g->doc);
    sni_heap_init(&g->heap, NULL, UINT64_MAX);
    sni_load_init(&g->load, &g->heap, NULL);
    g->heap.limit = UINT64_MAX;
    sni_writer_init(&g->text, &g->heap);
    sni_writer_init(&g->binary, &g->heap);
    if (!mdx_mdl_parse(&g->load, (sni_bytes){ data, size }, &g->doc)) return false;
    mdx_mdl_write(&g->doc, &g->text);
    mdx_write(&g->doc, &g->binary);
    return true;
}

static void free_generation(generation *g)
{
    sni_writer_free(&g->text);
    sni_writer_free(&g->binary);
    sni_arena_free(&g->load.scratch);
    sni_arena_free(&g->load.keep);
    if (g->heap.used != 0) abort();
}

static void compare(const char *what, const sni_writer *a, const sni_writer *b)
{
    size_t at = 0;
    while (at < a->size && at < b->size && a->data[at] == b->data[at]) at++;
    if (at == a->size && at == b->size) return;
    fprintf(stderr, "check_mdl: %s of %zu bytes became %zu, byte %zu is the first that differs\n", what, a->size,
            b->size, at);
    abort();
}

// Our own text must load and be written as the same text again.
static void check_own(const sni_writer *text, generation *g)
{
    if (!read_text(g, text->data, text->size)) {
        fprintf(stderr, "check_mdl: our own text does not load: %s\n%.*s\n", g->load.diag.error.message,
                text->size > 4000 ? 4000 : (int)text->size, (const char *)text->data);
        abort();
    }
    compare("text", text, &g->text);
}

void check_mdl_of(const mdx_doc *doc)
{
    generation g;
    sni_heap heap;
    sni_writer text;
    if (doc->version == MDX_BATCHES_VERSION) return;  // has no text form
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_writer_init(&text, &heap);
    mdx_mdl_write(doc, &text);
    check_own(&text, &g);
    free_generation(&g);
    sni_writer_free(&text);
}

// The first time quotes in names may change; the size stays.
bool check_mdl_rewrites(const void *data, size_t size)
{
    generation first, second, third;
    bool is_read = read_text(&first, data, size);
    if (is_read) {
        check_own(&first.text, &second);
        if (first.binary.size != second.binary.size) compare("binary form", &first.binary, &second.binary);
        check_own(&second.text, &third);
        compare("binary form", &second.binary, &third.binary);
        free_generation(&second);
        free_generation(&third);
    }
    free_generation(&first);
    return is_read;
}
