// Disc images: what the writer of the samples has put in them, and what must not be believed. tests/cli/test_games.sh
// compares with genisoimage.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/labels.h"
#include "iso.h"
#include "sinew/files.h"

enum { SECTOR = 2048, TOP = 18 };

static char path[64];

static void write_image(const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void make_image(sni_writer *out, bool is_joliet)
{
    static const iso_file files[] = {
        { "", "READ.ME", "top", 3 },
        { "", "Mixed Case.txt", "mixed", 5 },
        { "SUB", "DEEP.BIN", "deep", 4 },
    };
    iso_write(out, files, 3, is_joliet);
}

static int set_up(void **state)
{
    static sni_heap heap;
    static sni_writer out;
    snprintf(path, sizeof path, "/tmp/sinew_iso_%ld.iso", (long)getpid());
    sni_heap_init(&heap, NULL, 1 << 20);
    sni_writer_init(&out, &heap);
    *state = &out;
    return 0;
}

static int tear_down(void **state)
{
    sni_writer_free(*state);
    unlink(path);
    return 0;
}

static void expect(const sn_archive *archive, const char *name, const char *content)
{
    sn_bytes bytes;
    assert_int_equal(sn_archive_read(archive, name, &bytes, NULL), SN_OK);
    assert_int_equal(bytes.size, strlen(content));
    assert_memory_equal(bytes.data, content, bytes.size);
    sn_bytes_free(&bytes);
}

static void files_have_their_names_and_contents(void **state)
{
    sni_writer *out = *state;
    for (int is_joliet = 0; is_joliet < 2; is_joliet++) {
        out->size = 0;
        make_image(out, is_joliet);
        write_image(out->data, out->size);
        sn_archive *archive = sn_archive_open(path, NULL, NULL);
        assert_non_null(archive);
        assert_string_equal(sn_archive_describe(archive).title, "disc image");
        assert_int_equal(sn_archive_describe(archive).file_count, 3);
        expect(archive, "read.me", "top");
        expect(archive, "mixed case.txt", "mixed");
        expect(archive, "sub\\deep.bin", "deep");
        sn_archive_close(archive);
    }
}

static void damage_is_counted(void **state)
{
    sni_writer *out = *state;
    sn_error error;
    make_image(out, false);
    uint8_t *record = out->data + TOP * SECTOR + 68 + 36;  // after ".", ".." and SUB
    uint8_t *extent = record + 2;
    assert_memory_equal(record + 33, "READ.ME;1", 9);
    memset(extent, 0xFF, 4);  // outside the image
    write_image(out->data, out->size);
    sn_archive *archive = sn_archive_open(path, NULL, NULL);
    assert_int_equal(sn_archive_describe(archive).file_count, 2);
    assert_int_equal(sn_archive_describe(archive).damaged_count, 1);
    sn_archive_close(archive);

    memcpy(record + 33, "../../x;1", 9);
    memset(extent, 0, 4);
    write_image(out->data, out->size);
    archive = sn_archive_open(path, NULL, NULL);
    assert_int_equal(sn_archive_describe(archive).file_count, 2);
    sn_archive_close(archive);

    out->data[16 * SECTOR + 1] = 'X';
    write_image(out->data, out->size);
    assert_null(sn_archive_open(path, NULL, &error));
    assert_int_equal(error.status, SN_ERR_FORMAT);
    write_image(out->data, 20000);
    assert_null(sn_archive_open(path, NULL, &error));
    assert_int_equal(error.status, SN_ERR_FORMAT);
}

// SUB leads back to the top: it is listed once.
static void cycles_end(void **state)
{
    sni_writer *out = *state;
    make_image(out, false);
    uint8_t *record = out->data + TOP * SECTOR + 68;
    assert_memory_equal(record + 33, "SUB", 3);
    record[2] = TOP;
    write_image(out->data, out->size);
    sn_archive *archive = sn_archive_open(path, NULL, NULL);
    assert_int_equal(sn_archive_describe(archive).file_count, 2);
    sn_archive_close(archive);
}

// 70 folders, each in the one before; the limit is 64.
static void deep_folders_end(void **state)
{
    enum { DEPTH = 70, RECORD = 36 };
    static const uint8_t empty[SECTOR];
    sni_writer *out = *state;
    make_image(out, false);
    uint32_t sector = (uint32_t)(out->size / SECTOR);
    assert_int_equal(out->size % SECTOR, 0);
    for (uint32_t i = 0; i < DEPTH; i++) sni_write_bytes(out, empty, SECTOR);
    uint8_t *record = out->data + TOP * SECTOR + 68;
    for (uint32_t i = 0; i < DEPTH; i++) {
        record[2] = (uint8_t)(sector + i);  // the next folder
        record[10] = 0, record[11] = SECTOR / 256;
        if (i > 0) assert_int_equal(record[0], RECORD);
        if (i + 1 < DEPTH) memcpy(out->data + (sector + i) * SECTOR, record, RECORD);
        record = out->data + (sector + i) * SECTOR;
    }
    write_image(out->data, out->size);
    sn_archive *archive = sn_archive_open(path, NULL, NULL);
    assert_non_null(archive);
    assert_int_equal(sn_archive_describe(archive).file_count, 2);
    assert_int_equal(sn_archive_describe(archive).damaged_count, 1);
    sn_archive_close(archive);
}

// U+1F600 is two units in Joliet; half of a pair is no text, so that name is refused.
static void names_beyond_16_bits(void **state)
{
    static const uint8_t name[4] = { 0, 'R', 0, 'E' },
                         pairs[2][4] = { { 0xD8, 0x3D, 0xDE, 0x00 }, { 0xD8, 0x3D, 0, 'E' } };
    sni_writer *out = *state;
    for (int i = 0; i < 2; i++) {
        out->size = 0;
        make_image(out, true);
        for (size_t at = 0; at + 4 <= out->size; at++)
            if (memcmp(out->data + at, name, 4) == 0) memcpy(out->data + at, pairs[i], 4);
        write_image(out->data, out->size);
        sn_archive *archive = sn_archive_open(path, NULL, NULL);
        assert_non_null(archive);
        if (i == 0)
            expect(archive,
                   "\xF0\x9F\x98\x80"
                   "ad.me",
                   "top");
        assert_int_equal(sn_archive_describe(archive).refused_count, i);
        assert_int_equal(sn_archive_describe(archive).file_count, 3 - i);
        sn_archive_close(archive);
    }
}

static bool label_by_content(sni_peek *peek)
{
    char head[3];
    return !sni_peek_read(peek, 0, head, sizeof head) || sni_peek_add(peek, 'c', sni_str_make(head, sizeof head));
}

// The labels of files in an image are read at their place in it.
static void labels_of_files(void **state)
{
    static const sni_labeller labeller = { "bin", label_by_content };
    sni_writer *out = *state;
    make_image(out, false);
    write_image(out->data, out->size);
    sn_archive *archive = sn_archive_open(path, NULL, NULL);
    assert_non_null(archive);
    sni_arena arena;
    sni_labels labels = { 0 };
    sni_arena_init(&arena, out->heap);
    assert_true(sni_labels_add_archive(&labels, &labeller, archive, &arena));
    assert_int_equal(labels.items.count, 1);
    assert_int_equal(labels.bytes, 0);  // none of it was unpacked
    const sni_str label = sni_str_make("dee", 3);
    sni_map_cursor at = sni_labels_find(&labels, 'c', label);
    assert_string_equal(sni_labels_next(&labels, &at, 'c', label), "DEEP.BIN");
    sni_arena_free(&arena);
    sn_archive_close(archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_have_their_names_and_contents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damage_is_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cycles_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(deep_folders_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_beyond_16_bits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(labels_of_files, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
