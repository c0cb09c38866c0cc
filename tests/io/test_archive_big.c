// BIG archives: what is listed, read and refused.
#include "archive_fixture.h"

static void put_big_endian(sni_writer *out, uint32_t value)
{
    for (int i = 3; i >= 0; i--) sni_write_u8(out, (uint8_t)(value >> 8 * i));
}

static void put_header(archive_fixture *d, const char *magic, uint32_t count, uint32_t list_size)
{
    d->out.size = 0;
    sni_write_bytes(&d->out, magic, 4);
    sni_write_u32(&d->out, 0);
    put_big_endian(&d->out, count);
    put_big_endian(&d->out, list_size);
}

static void put_entry(archive_fixture *d, uint32_t offset, uint32_t size, const char *name)
{
    put_big_endian(&d->out, offset);
    put_big_endian(&d->out, size);
    sni_write_bytes(&d->out, name, strlen(name) + 1);
}

// Two files behind the list: 16 + (8 + 13) + (8 + 6) = 51 bytes of header and list.
static void put_two(archive_fixture *d, const char *magic, uint32_t list_size)
{
    put_header(d, magic, 2, list_size);
    put_entry(d, 51, 5, "Art\\Tank.w3d");
    put_entry(d, 56, 3, "B.tga");
    assert_int_equal(d->out.size, 51);
    sni_write_bytes(&d->out, "hello", 5);
    sni_write_bytes(&d->out, "you", 3);
}

static void assert_read(archive_fixture *d, const char *name, const char *text)
{
    sn_archive_entry entry;
    sn_bytes bytes;
    assert_true(sn_archive_find(d->archive, name, &entry));
    assert_int_equal(sn_archive_read(d->archive, name, &bytes, &d->error), SN_OK);
    assert_int_equal(bytes.size, strlen(text));
    assert_memory_equal(bytes.data, text, bytes.size);
    sn_bytes_free(&bytes);
}

static void both_kinds_are_read(void **state)
{
    archive_fixture *d = *state;
    const uint32_t sizes[] = { 51, 35, 0, 0xFFFFFFFF };  // tools disagree about what the list's size counts
    for (int i = 0; i < 8; i++) {
        sn_archive_entry entry;
        put_two(d, i % 2 ? "BIG4" : "BIGF", sizes[i / 2]);
        assert_true(open_archive(d));
        assert_string_equal(sn_archive_describe(d->archive).title, "BIG archive");
        assert_int_equal(sn_archive_describe(d->archive).file_count, 2);
        assert_read(d, "art/TANK.w3d", "hello");
        assert_read(d, "b.tga", "you");
        assert_true(sn_archive_find_name(d->archive, "tank.W3D", &entry));
        assert_false(sn_archive_find(d->archive, "tank.w3d", &entry));
        sn_archive_close(d->archive);
    }
}

static void long_lists_are_read_whole(void **state)
{
    archive_fixture *d = *state;
    put_header(d, "BIGF", 1000, 0);
    for (uint32_t i = 0; i < 1000; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%u", i);
        put_entry(d, i, 1, name);
    }
    assert_true(open_archive(d));
    assert_int_equal(sn_archive_describe(d->archive).file_count, 1000);
    assert_read(d, "f0", "B");
    sn_archive_close(d->archive);
}

static void names_that_lead_out_are_left_out(void **state)
{
    archive_fixture *d = *state;
    put_header(d, "BIGF", 5, 0);
    put_entry(d, 0, 1, "..\\evil.w3d");
    put_entry(d, 0, 1, "C:\\evil.w3d");
    put_entry(d, 0, 1, "\\\\server\\evil.w3d");
    put_entry(d, 0, 1, "");
    put_entry(d, 0, 1, "good.w3d");
    assert_true(open_archive(d));
    assert_int_equal(sn_archive_describe(d->archive).file_count, 1);
    assert_int_equal(sn_archive_describe(d->archive).refused_count, 4);
    sn_archive_close(d->archive);
}

static void counts_are_not_believed(void **state)
{
    archive_fixture *d = *state;
    put_two(d, "BIGF", 51);
    d->out.data[8] = 0xFF;  // four thousand million files
    assert_false(open_archive(d));
    put_header(d, "BIGF", 1, 0);
    assert_false(open_archive(d));
    put_header(d, "BIGF", 1, 0);  // a name without end
    sni_write_bytes(&d->out, "12345678name", 12);
    assert_false(open_archive(d));
    put_header(d, "BIGX", 0, 0);
    assert_false(open_archive(d));
    assert_int_equal(d->error.status, SN_ERR_FORMAT);
    put_header(d, "BIGF", 0, 0);
    assert_true(open_archive(d));
    assert_int_equal(sn_archive_describe(d->archive).file_count, 0);
    sn_archive_close(d->archive);
    for (size_t size = 0; size < 16; size++) {
        d->out.size = size;
        assert_false(open_archive(d));
    }
}

static void files_outside_the_archive_are_refused(void **state)
{
    archive_fixture *d = *state;
    const uint32_t places[][2] = {
        { 51, 0xFFFFFFFF }, { 0xFFFFFFFF, 0xFFFFFFFF }, { 59, 1 }, { 0, 60 }, { 0xFFFFFFFF, 1 }
    };
    for (int i = 0; i < 5; i++) {
        sn_archive_entry entry;
        sn_bytes bytes;
        put_header(d, "BIGF", 1, 0);
        put_entry(d, places[i][0], places[i][1], "a.w3d");
        sni_write_fill(&d->out, 'x', 59 - d->out.size);
        assert_true(open_archive(d));
        assert_true(sn_archive_find(d->archive, "a.w3d", &entry));
        assert_int_not_equal(sn_archive_read(d->archive, "a.w3d", &bytes, &d->error), SN_OK);
        assert_null(bytes.data);
        sn_archive_close(d->archive);
    }
}

// 16 + (8 + 6) + (8 + 6) = 44 bytes of header and list. The first file is packed: "hell", "o" and three from four back;
// the second begins almost as if it were.
static void packed_files_are_unpacked(void **state)
{
    static const char packed[] = "\x10\xFB\x00\x00\x08\xE0"
                                 "hell"
                                 "\x01\x03"
                                 "o";
    archive_fixture *d = *state;
    sn_bytes bytes;
    for (size_t cut = 0; cut < 2; cut++) {
        put_header(d, "BIGF", 2, 44);
        put_entry(d, 44, (uint32_t)(sizeof packed - 1 - cut), "a.w3d");
        put_entry(d, 44 + sizeof packed - 1, 2, "b.w3d");
        sni_write_bytes(&d->out, packed, sizeof packed - 1);
        sni_write_bytes(&d->out, "\x10\xFA", 2);
        assert_true(open_archive(d));
        assert_read(d, "b.w3d", "\x10\xFA");
        if (cut == 0) assert_read(d, "a.w3d", "helloell");
        assert_int_equal(sn_archive_read(d->archive, "a.w3d", &bytes, &d->error), cut ? SN_ERR_CORRUPT : SN_OK);
        sn_bytes_free(&bytes);
        sn_archive_close(d->archive);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(both_kinds_are_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_lists_are_read_whole, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_that_lead_out_are_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(counts_are_not_believed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(files_outside_the_archive_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(packed_files_are_unpacked, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
