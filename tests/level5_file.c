#include "level5_file.h"
#include "check_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

l5_file *l5_file_open(void)
{
    static l5_file file;
    file = (l5_file){ 0 };
    sni_heap_init(&file.heap, NULL, UINT64_MAX);
    sni_writer_init(&file.out, &file.heap);
    return &file;
}

static void forget_load(l5_file *file)
{
    if (!file->load.heap) return;
    sni_arena_free(&file->load.scratch);
    sni_arena_free(&file->load.keep);
    file->load = (sni_load){ 0 };
}

void l5_file_close(l5_file *file)
{
    forget_load(file);
    sni_writer_free(&file->out);
    assert_int_equal(file->heap.used, 0);
}

static bool parse(l5_file *file, l5_kind kind)
{
    assert_false(file->out.failed);
    forget_load(file);
    sni_load_init(&file->load, &file->heap, NULL);
    file->heap.limit = UINT64_MAX;
    file->doc = (l5_doc){ 0 };
    return l5_parse(&file->load, kind, (sni_bytes){ file->out.data, file->out.size }, &file->doc);
}

static void write_and_compare(l5_file *file)
{
    sni_writer again;
    sni_writer_init(&again, &file->heap);
    l5_write(&file->doc, &again);
    assert_int_equal(again.size, file->out.size);
    if (again.size > 0) assert_memory_equal(again.data, file->out.data, again.size);
    sni_writer_free(&again);
}

const l5_doc *l5_file_parse(l5_file *file, l5_kind kind)
{
    bool is_parsed = parse(file, kind);
    if (!is_parsed) print_error("%s: %s\n", file->load.diag.error.path, file->load.diag.error.message);
    assert_true(is_parsed);
    assert_int_equal(file->load.diag.depth, 0);
    write_and_compare(file);
    return &file->doc;
}

sn_error l5_file_refuse(l5_file *file, l5_kind kind, sn_status status)
{
    assert_false(parse(file, kind));
    check_error(&file->load.diag.error);
    assert_int_equal(file->load.diag.error.status, status);
    return file->load.diag.error;
}

uint32_t l5_file_warnings(const l5_file *file, int32_t code)
{
    uint32_t count = 0;
    for (const sni_warning_item *item = file->load.diag.first; item; item = item->next)
        if (item->warning.code == code) count += item->warning.count;
    return count;
}

bool l5_file_warns(const l5_file *file, int32_t code, const char *path)
{
    for (const sni_warning_item *item = file->load.diag.first; item; item = item->next)
        if (item->warning.code == code && strcmp(item->warning.path, path) == 0) return true;
    for (const sni_warning_item *item = file->load.diag.first; item; item = item->next)
        print_error("%d %s: %s\n", item->warning.code, item->warning.path, item->warning.message);
    return false;
}

void l5_file_locate(const l5_file *file, uint64_t offset, const char *path)
{
    char told[112];
    l5_locate(&file->doc, offset, told);
    assert_string_equal(told, path);
}

const l5_doc *l5_file_make(l5_file *file, l5_doc *made)
{
    sni_arena arena;
    sni_arena_init(&arena, &file->heap);
    assert_true(l5_lay_out(&arena, made));
    l5_write(made, &file->out);
    sni_arena_free(&arena);
    return l5_file_parse(file, made->kind);
}

void l5_put_words(l5_file *file, const uint32_t *words, size_t count) { sni_write_words(&file->out, words, count); }
void l5_put_floats(l5_file *file, const float *values, size_t count) { sni_write_words(&file->out, values, count); }

void l5_put_field(l5_file *file, const char *name, size_t bytes, uint8_t garbage)
{
    size_t size = strlen(name) + 1;
    sni_write_bytes(&file->out, name, size < bytes ? size : bytes);
    if (size < bytes) sni_write_fill(&file->out, garbage, bytes - size);
}

void l5_put_node(l5_file *file, uint32_t index, const char *name, uint32_t mesh_offset, int32_t parent)
{
    l5_put_words(file, (const uint32_t[]){ index, 112 }, 2);
    l5_put_field(file, name, 32, 0xCD);
    l5_put_words(file, (const uint32_t[]){ mesh_offset, (uint32_t)parent }, 2);
    l5_put_floats(file, (const float[]){ 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, (float)index, 0, 0, 1 }, 16);
}

void l5_put_track(l5_file *file, const int32_t head[3], uint32_t count, uint32_t next)
{
    l5_put_words(file,
                 (const uint32_t[]){ (uint32_t)head[0], (uint32_t)head[1], (uint32_t)head[2], 32, count, next,
                                     0xACE63701, 0xB0F0FC77 },
                 8);
}

void l5_put_key(l5_file *file, uint32_t frame, float x, float y, float z, float w)
{
    l5_put_words(file, (const uint32_t[]){ frame, 0xCDCDCDCD, 1, 2 }, 4);
    l5_put_floats(file, (const float[]){ x, y, z, w }, 4);
}

bool l5_str_is(sni_str str, const char *text)
{
    bool is_same = sni_str_is(str, text);
    if (!is_same) print_error("\"%.*s\" is not \"%s\"\n", (int)str.size, str.at, text);
    return is_same;
}
