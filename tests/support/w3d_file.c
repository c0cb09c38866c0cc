#include "w3d_file.h"
#include "check_model.h"
#include "warnings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

w3d_file *w3d_file_open(void)
{
    static w3d_file file;
    file = (w3d_file){ 0 };
    sni_heap_init(&file.heap, NULL, UINT64_MAX);
    sni_writer_init(&file.out, &file.heap);
    file.tree = w3d_tree_begin(&file.out);
    return &file;
}

static void forget_load(w3d_file *file)
{
    if (!file->load.heap) return;
    sni_arena_free(&file->load.scratch);
    sni_arena_free(&file->load.keep);
    file->load = (sni_load){ 0 };
}

void w3d_file_close(w3d_file *file)
{
    forget_load(file);
    sni_writer_free(&file->out);
    assert_int_equal(file->heap.used, 0);
}

void w3d_file_set(w3d_file *file, const void *data, size_t size)
{
    file->out.size = 0;
    sni_write_bytes(&file->out, data, size);
}

static bool parse(w3d_file *file)
{
    assert_false(file->out.failed);
    assert_int_equal(file->tree.depth, 0);
    forget_load(file);
    sni_load_init(&file->load, &file->heap, NULL);
    file->heap.limit = UINT64_MAX;
    file->doc = (w3d_doc){ 0 };
    return w3d_parse(&file->load, (sni_bytes){ file->out.size ? file->out.data : (const uint8_t *)"", file->out.size },
                     &file->doc);
}

static void write_and_compare(w3d_file *file)
{
    sni_writer again;
    sni_writer_init(&again, &file->heap);
    w3d_write(&file->doc, &again);
    assert_int_equal(again.size, file->out.size);
    if (again.size > 0) assert_memory_equal(again.data, file->out.data, again.size);
    sni_writer_free(&again);
}

const w3d_doc *w3d_file_parse(w3d_file *file)
{
    bool is_parsed = parse(file);
    if (!is_parsed) print_error("%s: %s\n", file->load.diag.error.path, file->load.diag.error.message);
    assert_true(is_parsed);
    assert_int_equal(file->load.diag.depth, 0);
    write_and_compare(file);
    return &file->doc;
}

sn_error w3d_file_refuse(w3d_file *file, sn_status status)
{
    assert_false(parse(file));
    check_error(&file->load.diag.error);
    assert_int_equal(file->load.diag.error.status, status);
    return file->load.diag.error;
}

uint32_t w3d_file_warnings(const w3d_file *file, int32_t code) { return count_warnings(&file->load.diag, code); }

bool w3d_file_warns(const w3d_file *file, int32_t code, const char *path)
{
    return has_warning(&file->load.diag, code, path);
}

void w3d_file_locate(const w3d_file *file, uint64_t offset, const char *path)
{
    char found[112];
    w3d_locate(&file->doc, offset, found);
    assert_string_equal(found, path);
}

void w3d_put_mesh_header(w3d_tree *tree, const char *name, uint32_t triangle_count, uint32_t vertex_count)
{
    w3d_open_chunk(tree, W3D_MESH_HEADER3);
    w3d_put_u32(tree, 0x40002);
    w3d_put_u32(tree, W3D_TWO_SIDED);
    w3d_put_name(tree, name, W3D_NAME_BYTES);
    w3d_put_name(tree, "TEST", W3D_NAME_BYTES);
    w3d_put_u32(tree, triangle_count);
    w3d_put_u32(tree, vertex_count);
    const uint32_t rest[7] = { 11, 12, (uint32_t)-3, 14, 15, 0x13, 1 };
    for (int i = 0; i < 7; i++) w3d_put_u32(tree, rest[i]);
    for (int i = 0; i < 10; i++) w3d_put_f32(tree, (float)i);
    w3d_close_chunk(tree);
}

void w3d_put_numbers(w3d_tree *tree, uint32_t id, size_t bytes)
{
    w3d_open_chunk(tree, id);
    for (size_t i = 0; i < bytes; i++) w3d_put_u8(tree, (uint8_t)i);
    w3d_close_chunk(tree);
}

void w3d_put_hlod_array(w3d_tree *tree, uint32_t id, uint32_t announced, uint32_t count)
{
    w3d_open_chunk(tree, id);
    w3d_open_chunk(tree, W3D_ARRAY_HEADER);
    w3d_put_u32(tree, announced);
    w3d_put_f32(tree, 100.0f);
    w3d_close_chunk(tree);
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "TEST.PART%u", i);
        w3d_open_chunk(tree, W3D_SUB_OBJECT);
        w3d_put_u32(tree, i);
        w3d_put_name(tree, name, W3D_LONG_NAME_BYTES);
        w3d_close_chunk(tree);
    }
    w3d_close_chunk(tree);
}

bool str_is(sni_str str, const char *text)
{
    bool is_same = sni_str_is(str, text);
    if (!is_same) print_error("\"%.*s\" is not \"%s\"\n", (int)str.size, str.at, text);
    return is_same;
}

void w3d_put_rgb(w3d_tree *tree, uint8_t r, uint8_t g, uint8_t b)
{
    const uint8_t bytes[4] = { r, g, b, 99 };
    w3d_put(tree, bytes, 4);
}
