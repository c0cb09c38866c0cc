#include "check_level5.h"
#include "check_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void compare(const uint8_t *data, size_t size, const sni_writer *out)
{
    size_t at = 0;
    while (at < size && at < out->size && data[at] == out->data[at]) at++;
    if (at == size && at == out->size) return;
    fprintf(stderr, "check_level5: %zu bytes became %zu, byte %zu is the first that differs\n", size, out->size, at);
    abort();
}

// Every offset has a printable path.
static void locate_some(const level5_doc *doc, size_t size)
{
    char path[112];
    for (size_t at = 0; at < size; at += 1 + size / 16) {
        level5_locate(doc, at, path);
        if (!memchr(path, 0, sizeof path)) abort();
    }
}

bool check_level5_rewrites(level5_kind kind, const void *data, size_t size)
{
    sni_heap heap;
    sni_load load;
    sni_writer out;
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_load_init(&load, &heap, NULL);
    sni_load_count_input(&load, size);
    sni_writer_init(&out, &heap);
    level5_doc doc = { 0 };
    bool is_read = level5_parse(&load, kind, (sni_bytes){ data, size }, &doc);
    if (is_read && load.diag.depth != 0) abort();
    if (!is_read) check_error(&load.diag.error);
    if (is_read) {
        level5_write(&doc, &out);
        if (!out.failed) compare(data, size, &out);
        locate_some(&doc, size);
    }
    sni_writer_free(&out);
    sni_arena_free(&load.scratch);
    sni_arena_free(&load.keep);
    if (heap.used != 0) abort();
    return is_read;
}
