// Disc images: what the writer of the samples has put in them, and what must not be believed. tests/cli/test_games.sh
// compares with genisoimage.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_have_their_names_and_contents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damage_is_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cycles_end, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
