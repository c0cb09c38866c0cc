// The chunk tree: nesting, wrong sizes, probing, byte-exact round trips.
#include "sweep.h"
#include "w3d_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "format/format.h"

extern const sni_format sni_format_w3d;

static void new_trees_have_correct_sizes(void **state)
{
    (void)state;
    static const uint8_t expected[] = {
        0x00, 0x09, 0, 0, 24, 0, 0, 0x80,  // DAZZLE, a container of 24 bytes
        0x01, 0x09, 0, 0, 3,  0, 0, 0,    'a', 'b', 0, 0x02, 0x09, 0, 0, 5, 0, 0, 0, 1, 2, 0, 3, 0,
    };
    w3d_file *file = w3d_file_open();
    w3d_open_chunk(&file->tree, W3D_DAZZLE);
    w3d_put_text_chunk(&file->tree, W3D_DAZZLE_NAME, "ab");
    w3d_open_chunk(&file->tree, W3D_DAZZLE_TYPE);
    w3d_put_u8(&file->tree, 1);
    w3d_put_u16(&file->tree, 2);
    w3d_put_name(&file->tree, "\003", 2);
    assert_int_equal(w3d_chunk_bytes(&file->tree), 5);
    w3d_close_chunk(&file->tree);
    w3d_close_chunk(&file->tree);
    assert_int_equal(file->out.size, sizeof expected);
    assert_memory_equal(file->out.data, expected, sizeof expected);
    w3d_file_close(file);
}

static void chunks_are_linked(void **state)
{
    (void)state;
    w3d_file *file = w3d_file_open();
    w3d_open_chunk(&file->tree, W3D_MESH);
    w3d_put_mesh_header(&file->tree, "A", 0, 0);
    w3d_put_chunk(&file->tree, W3D_MATERIAL_INFO, "0123456789abcdef", 16);
    w3d_close_chunk(&file->tree);
    w3d_put_chunk(&file->tree, W3D_NULL, "", 0);
    const w3d_doc *doc = w3d_file_parse(file);
    assert_int_equal(doc->chunk_count, 4);
    const w3d_chunk *c = doc->chunks;
    assert_int_equal(c[0].id, W3D_MESH);
    assert_int_equal(c[0].size, 0x80000000u | (8 + 116 + 8 + 16));
    assert_int_equal(c[0].parent, -1);
    assert_int_equal(c[0].first_child, 1);
    assert_int_equal(c[0].next, 3);
    assert_int_equal(c[1].parent, 0);
    assert_int_equal(c[1].next, 2);
    assert_int_equal(c[2].next, -1);
    assert_int_equal(c[2].offset, 8 + 8 + 116);
    assert_int_equal(c[2].bytes.count, 16);
    assert_memory_equal(c[2].bytes.data, "0123456789abcdef", 16);
    assert_int_equal(c[3].parent, -1);
    assert_int_equal(c[3].next, -1);
    assert_int_equal(c[3].bytes.count, 0);
    w3d_file_locate(file, 0, "MESH[0]");
    w3d_file_locate(file, 7, "MESH[0]");
    w3d_file_locate(file, 8, "MESH[0]/MESH_HEADER3");
    w3d_file_locate(file, 8 + 8 + 115, "MESH[0]/MESH_HEADER3");
    w3d_file_locate(file, 8 + 8 + 116, "MESH[0]/MATERIAL_INFO");
    w3d_file_locate(file, file->out.size - 1, "NULL_OBJECT[0]");
    w3d_file_close(file);
}

// Old exporters do not set the bit on containers, and some tools set it on leaves.
static void top_bit_of_sizes_is_ignored(void **state)
{
    (void)state;
    w3d_file *file = w3d_file_open();
    w3d_open_chunk(&file->tree, W3D_MESH);
    w3d_put_mesh_header(&file->tree, "A", 0, 0);
    w3d_close_chunk(&file->tree);
    file->out.data[7] = 0;
    file->out.data[8 + 7] = 0x80;
    const w3d_doc *doc = w3d_file_parse(file);
    assert_int_equal(doc->chunk_count, 2);
    assert_int_equal(doc->mesh_count, 1);
    assert_int_equal(doc->chunks[1].bytes.count, 116);
    assert_null(file->load.diag.first);
    w3d_file_close(file);
}

static void start_hlod(w3d_file *file)
{
    w3d_open_chunk(&file->tree, W3D_HLOD);
    w3d_open_chunk(&file->tree, W3D_HLOD_HEADER);
    w3d_put_u32(&file->tree, 0x10000);
    w3d_put_u32(&file->tree, 1);
    w3d_put_name(&file->tree, "TEST", W3D_NAME_BYTES);
    w3d_put_name(&file->tree, "TEST", W3D_NAME_BYTES);
    w3d_close_chunk(&file->tree);
}

static void check_three_parts(const w3d_doc *doc)
{
    assert_int_equal(doc->hlod_count, 1);
    assert_int_equal(doc->hlods[0].lod_count, 1);
    assert_int_equal(doc->hlods[0].lods[0].object_count, 3);
    for (uint32_t i = 0; i < 3; i++) assert_int_equal(doc->hlods[0].lods[0].objects[i].bone, i);
    assert_true(str_is(doc->hlods[0].lods[0].objects[2].name, "TEST.PART2"));
}

// HLOD, header (8 + 40), array (8), its header (8 + 8), three objects (8 + 36 each), then a box.
static w3d_file *make_hlod_and_box(void)
{
    w3d_file *file = w3d_file_open();
    start_hlod(file);
    w3d_put_hlod_array(&file->tree, W3D_LOD_ARRAY, 3, 3);
    w3d_close_chunk(&file->tree);
    w3d_put_numbers(&file->tree, W3D_BOX, 68);
    return file;
}

enum { HLOD_SIZE = 48 + 8 + 16 + 3 * 44, ARRAY_AT = 8 + 48, ARRAY_SIZE = 16 + 3 * 44 };

static void containers_with_small_sizes_are_extended(void **state)
{
    (void)state;
    for (uint32_t size = 8; size < HLOD_SIZE; size++) {
        w3d_file *file = make_hlod_and_box();
        sni_patch_u32(&file->out, 4, size);
        const w3d_doc *doc = w3d_file_parse(file);
        assert_int_equal(w3d_file_warnings(file, SNI_WARN_W3D_SIZE), size < 48 ? 2 : 1);
        check_three_parts(doc);
        assert_int_equal(doc->box_count, 1);
        w3d_file_close(file);
    }
}

// The size of the array may be wrong, too: its objects occur nowhere else.
static void arrays_with_small_sizes_are_extended(void **state)
{
    (void)state;
    for (uint32_t objects = 0; objects < 3; objects++) {
        w3d_file *file = make_hlod_and_box();
        sni_patch_u32(&file->out, ARRAY_AT + 4, 16 + objects * 44);
        sni_patch_u32(&file->out, 4, 48 + 8 + 16 + objects * 44);
        const w3d_doc *doc = w3d_file_parse(file);
        check_three_parts(doc);
        assert_int_equal(doc->box_count, 1);
        assert_int_equal(w3d_file_warnings(file, SNI_WARN_W3D_SIZE), 3 - objects);
        assert_true(w3d_file_warns(file, SNI_WARN_W3D_SIZE,
                                   objects == 2   ? "HLOD[0]/HLOD_LOD_ARRAY[0]/HLOD_SUB_OBJECT[2]"
                                   : objects == 1 ? "HLOD[0]/HLOD_LOD_ARRAY[0]/HLOD_SUB_OBJECT[1]"
                                                  : "HLOD[0]/HLOD_LOD_ARRAY[0]/HLOD_SUB_OBJECT[0]"));
        w3d_file_close(file);
    }
}

// An HLOD that ends too early still gets the arrays after it.
static void arrays_after_their_hlod_belong_to_it(void **state)
{
    (void)state;
    w3d_file *file = w3d_file_open();
    start_hlod(file);
    w3d_put_hlod_array(&file->tree, W3D_LOD_ARRAY, 3, 3);
    w3d_put_hlod_array(&file->tree, W3D_AGGREGATES, 1, 1);
    w3d_put_hlod_array(&file->tree, W3D_PROXIES, 2, 2);
    w3d_close_chunk(&file->tree);
    sni_patch_u32(&file->out, 4, 48 + 8);
    const w3d_doc *doc = w3d_file_parse(file);
    check_three_parts(doc);
    assert_int_equal(doc->hlods[0].aggregates.object_count, 1);
    assert_int_equal(doc->hlods[0].proxies.object_count, 2);
    assert_int_equal(doc->chunks[0].next, -1);
    w3d_file_close(file);
}

static void sizes_past_the_file_are_truncated(void **state)
{
    (void)state;
    w3d_file *file = w3d_file_open();
    start_hlod(file);
    w3d_put_hlod_array(&file->tree, W3D_LOD_ARRAY, 3, 3);
    w3d_close_chunk(&file->tree);
    sni_patch_u32(&file->out, 4, 0xFFFFFFFF);
    check_three_parts(w3d_file_parse(file));
    assert_true(w3d_file_warns(file, SNI_WARN_W3D_SIZE, "HLOD[0]"));
    sni_patch_u32(&file->out, 4, HLOD_SIZE);
    sni_patch_u32(&file->out, ARRAY_AT + 4, 0x7FFFFFFF);
    check_three_parts(w3d_file_parse(file));
    assert_true(w3d_file_warns(file, SNI_WARN_W3D_SIZE, "HLOD[0]/HLOD_LOD_ARRAY[0]"));
    w3d_file_close(file);
}

static void stray_bytes_are_kept(void **state)
{
    (void)state;
    for (uint32_t stray = 1; stray < 8; stray++) {
        w3d_file *file = w3d_file_open();
        w3d_open_chunk(&file->tree, W3D_MESH);
        w3d_put_mesh_header(&file->tree, "A", 0, 0);
        w3d_put(&file->tree, "stray bytes", stray);
        w3d_close_chunk(&file->tree);
        w3d_put(&file->tree, "stray bytes", 8 - stray);
        const w3d_doc *doc = w3d_file_parse(file);
        assert_int_equal(doc->chunk_count, 2);
        assert_int_equal(doc->chunks[0].bytes.count, stray);
        assert_int_equal(doc->stray.count, 8 - stray);
        assert_int_equal(w3d_file_warnings(file, SNI_WARN_W3D_LEFTOVER), 2);
        w3d_file_locate(file, 8 + 8 + 116, "MESH[0]");
        w3d_file_locate(file, file->out.size - 1, "");
        w3d_file_close(file);
    }
}

static void nesting_is_limited(void **state)
{
    (void)state;
    enum { DEPTH = 40 };
    w3d_file *file = w3d_file_open();
    for (uint32_t i = 0; i < DEPTH; i++) {
        sni_write_u32(&file->out, W3D_PASS);
        sni_write_u32(&file->out, 0x80000000u | 8 * (DEPTH - 1 - i));
    }
    const w3d_doc *doc = w3d_file_parse(file);
    assert_int_equal(doc->chunk_count, W3D_MAX_DEPTH + 1);
    assert_int_equal(doc->chunks[W3D_MAX_DEPTH].bytes.count, 8 * (DEPTH - 1 - W3D_MAX_DEPTH));
    assert_int_equal(w3d_file_warnings(file, SNI_WARN_W3D_DEPTH), 1);
    w3d_file_close(file);
}

static void unknown_chunks_are_kept(void **state)
{
    (void)state;
    w3d_file *file = w3d_file_open();
    w3d_put_numbers(&file->tree, 0x12345678, 20);
    w3d_open_chunk(&file->tree, W3D_MESH);
    w3d_put_mesh_header(&file->tree, "A", 0, 0);
    w3d_put_numbers(&file->tree, 0x7777, 3);
    w3d_close_chunk(&file->tree);
    const w3d_doc *doc = w3d_file_parse(file);
    assert_int_equal(doc->mesh_count, 1);
    assert_int_equal(doc->chunks[0].bytes.count, 20);
    assert_int_equal(w3d_file_warnings(file, SNI_WARN_W3D_UNKNOWN), 2);
    assert_true(w3d_file_warns(file, SNI_WARN_W3D_UNKNOWN, "UNKNOWN[0]"));
    w3d_file_close(file);
}

static void empty_files_are_empty_documents(void **state)
{
    (void)state;
    w3d_file *file = w3d_file_open();
    assert_int_equal(w3d_file_parse(file)->chunk_count, 0);
    w3d_file_locate(file, 0, "");
    w3d_file_close(file);
}

static int probe(const void *data, size_t size) { return sni_format_w3d.probe((sni_bytes){ data, size }); }

static void probe_rejects_other_formats(void **state)
{
    (void)state;
    static const uint8_t war3map[] = { 2, 0, 0, 0, 1, 0, 0, 0, 'L', 'T', 'l', 't', 0, 0, 0, 0, 1, 0, 0, 0 };
    static const uint8_t shockwave[] = {
        'I', 'F', 'X', 0, 16, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8
    };
    static const uint8_t zeros[256] = { 0 };
    assert_int_equal(probe(war3map, sizeof war3map), 0);
    assert_int_equal(probe(shockwave, sizeof shockwave), 0);
    assert_int_equal(probe(zeros, sizeof zeros), 0);
    assert_int_equal(probe("glTF\2\0\0\0\x40\0\0\0JSONJSON", 20), 0);
    assert_int_equal(probe("MDLXVERS\4\0\0\0\x20\3\0\0MODL", 20), 0);
    assert_int_equal(probe("{\"asset\":{\"version\":\"2.0\"}}", 27), 0);
    assert_int_equal(probe("", 0), 0);
    w3d_file *file = make_hlod_and_box();
    assert_int_equal(probe(file->out.data, file->out.size), 90);
    assert_int_equal(probe(file->out.data + 8 + HLOD_SIZE, 76), 70);
    assert_int_equal(probe(file->out.data + 8 + HLOD_SIZE, 75), 0);
    sni_patch_u32(&file->out, 4, 0xFFFFFFFF);
    assert_in_range(probe(file->out.data, file->out.size), 50, 89);
    sni_patch_u32(&file->out, 8, W3D_ARRAY_HEADER);
    sni_patch_u32(&file->out, 4, HLOD_SIZE);
    assert_in_range(probe(file->out.data, file->out.size), 1, 40);
    w3d_file_close(file);
}

static void probe_rejects_random_bytes(void **state)
{
    (void)state;
    uint32_t random = 12345;
    uint8_t bytes[64];
    for (int n = 0; n < 100000; n++) {
        for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24);
        assert_int_equal(probe(bytes, sizeof bytes), 0);
    }
}

static int identical;

static void round_trip(const char *path)
{
    sn_round_trip result;
    sn_error error;
    sni_heap heap;
    sni_arena arena;
    sni_diag diag;
    sni_bytes bytes;
    sni_diag_init(&diag, NULL);
    sni_heap_init(&heap, NULL, UINT64_MAX);
    sni_arena_init(&arena, &heap);
    assert_true(sni_file_read(path, UINT32_MAX, &arena, &diag, &bytes));
    sn_status status = sn_check_round_trip(bytes.data, bytes.size, NULL, &result, &error);
    sni_arena_free(&arena);
    if (status != SN_OK || !result.is_identical)
        print_error("%s: %s %s %s\n", path, error.message, error.path, result.path);
    assert_int_equal(status, SN_OK);
    assert_true(result.is_identical);
    identical++;
}

static void corpus_files_round_trip(void **state)
{
    (void)state;
    const char *shared = getenv("SINEW_SHARED");
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/corpus/w3d", shared ? shared : SINEW_SHARED);
    sweep_folder(SINEW_SAMPLES, "w3d", round_trip);
    int samples = identical;
    int count = sweep_folder(folder, "w3d W3d", round_trip);
    if (count <= 0) print_message("corpus not found: skipped\n");
    print_message("%d samples and %d corpus files round-trip\n", samples, identical - samples);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_trees_have_correct_sizes),
        cmocka_unit_test(chunks_are_linked),
        cmocka_unit_test(top_bit_of_sizes_is_ignored),
        cmocka_unit_test(containers_with_small_sizes_are_extended),
        cmocka_unit_test(arrays_with_small_sizes_are_extended),
        cmocka_unit_test(arrays_after_their_hlod_belong_to_it),
        cmocka_unit_test(sizes_past_the_file_are_truncated),
        cmocka_unit_test(stray_bytes_are_kept),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(unknown_chunks_are_kept),
        cmocka_unit_test(empty_files_are_empty_documents),
        cmocka_unit_test(probe_rejects_other_formats),
        cmocka_unit_test(probe_rejects_random_bytes),
        cmocka_unit_test(corpus_files_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
