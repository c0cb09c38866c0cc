#include "check_mdx.h"
#include "check_mdl.h"
#include "format/mdx/mdx_doc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void compare(const uint8_t *data, size_t size, const sni_writer *out)
{
    size_t at = 0;
    while (at < size && at < out->size && data[at] == out->data[at]) at++;
    if (at == size && at == out->size) return;
    fprintf(stderr, "check_mdx: %zu bytes became %zu, byte %zu is the first that differs\n", size, out->size, at);
    abort();
}

bool check_mdx_rewrites(const void *data, size_t size, bool as_mdl)
{
    sni_heap heap;
    sni_load load;
    sni_writer out;
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_load_init(&load, &heap, NULL);
    sni_load_count_input(&load, size);
    sni_writer_init(&out, &heap);
    mdx_doc *doc = sni_new(&load.scratch, mdx_doc, 1);
    bool is_read = doc && mdx_parse(&load, (sni_bytes){ data, size }, doc);
    if (is_read) mdx_write(doc, &out);
    if (is_read && !out.failed) compare(data, size, &out);
    if (is_read && as_mdl) check_mdl_of(doc);
    sni_writer_free(&out);
    sni_arena_free(&load.scratch);
    sni_arena_free(&load.keep);
    if (heap.used != 0) abort();
    return is_read;
}
