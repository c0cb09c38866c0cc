#include "level5_file.h"
#include "check_model.h"
#include "warnings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

level5_file *level5_file_open(void)
{
    static level5_file file;
    file = (level5_file){ 0 };
    sni_heap_init(&file.heap, NULL, UINT64_MAX);
    sni_writer_init(&file.out, &file.heap);
    return &file;
}

static void forget_load(level5_file *file)
{
    if (!file->load.heap) return;
    sni_arena_free(&file->load.scratch);
    sni_arena_free(&file->load.keep);
    file->load = (sni_load){ 0 };
}

void level5_file_close(level5_file *file)
{
    forget_load(file);
    sni_writer_free(&file->out);
    assert_int_equal(file->heap.used, 0);
}

static bool parse(level5_file *file, level5_kind kind)
{
    assert_false(file->out.failed);
    forget_load(file);
    sni_load_init(&file->load, &file->heap, NULL);
    file->heap.limit = UINT64_MAX;
    file->doc = (level5_doc){ 0 };
    return level5_parse(&file->load, kind,
                        (sni_bytes){ file->out.size ? file->out.data : (const uint8_t *)"", file->out.size },
                        &file->doc);
}

static void write_and_compare(level5_file *file)
{
    sni_writer again;
    sni_writer_init(&again, &file->heap);
    level5_write(&file->doc, &again);
    assert_int_equal(again.size, file->out.size);
    if (again.size > 0) assert_memory_equal(again.data, file->out.data, again.size);
    sni_writer_free(&again);
}

const level5_doc *level5_file_parse(level5_file *file, level5_kind kind)
{
    bool is_parsed = parse(file, kind);
    if (!is_parsed) print_error("%s: %s\n", file->load.diag.error.path, file->load.diag.error.message);
    assert_true(is_parsed);
    assert_int_equal(file->load.diag.depth, 0);
    write_and_compare(file);
    return &file->doc;
}

sn_error level5_file_refuse(level5_file *file, level5_kind kind, sn_status status)
{
    assert_false(parse(file, kind));
    check_error(&file->load.diag.error);
    assert_int_equal(file->load.diag.error.status, status);
    return file->load.diag.error;
}

uint32_t level5_file_warnings(const level5_file *file, int32_t code) { return count_warnings(&file->load.diag, code); }

bool level5_file_warns(const level5_file *file, int32_t code, const char *path)
{
    return has_warning(&file->load.diag, code, path);
}

void level5_file_locate(const level5_file *file, uint64_t offset, const char *path)
{
    char found[112];
    level5_locate(&file->doc, offset, found);
    assert_string_equal(found, path);
}

const level5_doc *level5_file_make(level5_file *file, level5_doc *made)
{
    sni_arena arena;
    sni_arena_init(&arena, &file->heap);
    assert_true(level5_layout(&arena, made));
    level5_write(made, &file->out);
    sni_arena_free(&arena);
    return level5_file_parse(file, made->kind);
}

void level5_put_words(level5_file *file, const uint32_t *words, size_t count)
{
    sni_write_words(&file->out, words, count);
}
void level5_put_floats(level5_file *file, const float *values, size_t count)
{
    sni_write_words(&file->out, values, count);
}

void level5_put_field(level5_file *file, const char *name, size_t bytes, uint8_t garbage)
{
    size_t size = strlen(name) + 1;
    sni_write_bytes(&file->out, name, size < bytes ? size : bytes);
    if (size < bytes) sni_write_fill(&file->out, garbage, bytes - size);
}

void level5_put_node(level5_file *file, uint32_t index, const char *name, uint32_t mesh_offset, int32_t parent)
{
    level5_put_words(file, (const uint32_t[]){ index, 112 }, 2);
    level5_put_field(file, name, 32, 0xCD);
    level5_put_words(file, (const uint32_t[]){ mesh_offset, (uint32_t)parent }, 2);
    level5_put_floats(file, (const float[]){ 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, (float)index, 0, 0, 1 }, 16);
}

void level5_put_track(level5_file *file, const int32_t head[3], uint32_t count, uint32_t next)
{
    level5_put_words(file,
                     (const uint32_t[]){ (uint32_t)head[0], (uint32_t)head[1], (uint32_t)head[2], 32, count, next,
                                         0xACE63701, 0xB0F0FC77 },
                     8);
}

void level5_put_key(level5_file *file, uint32_t frame, float x, float y, float z, float w)
{
    level5_put_words(file, (const uint32_t[]){ frame, 0xCDCDCDCD, 1, 2 }, 4);
    level5_put_floats(file, (const float[]){ x, y, z, w }, 4);
}

bool level5_str_is(sni_str str, const char *text)
{
    bool is_same = sni_str_is(str, text);
    if (!is_same) print_error("\"%.*s\" is not \"%s\"\n", (int)str.size, str.at, text);
    return is_same;
}
