// Packs as archives: what is listed, read and refused.
#include "archive_fixture.h"

static void put_entry(archive_fixture *d, const char *name, const char *data)
{
    uint32_t size = (uint32_t)strlen(data), room = (size + 15) & ~15u;
    sni_write_bytes(&d->out, name, strlen(name));
    sni_write_fill(&d->out, 0, 64 - strlen(name));
    sni_write_words(&d->out, (const uint32_t[]){ 80, size, 80 + room, 0 }, 4);
    sni_write_bytes(&d->out, data, size);
    sni_write_fill(&d->out, 0, room - size);
}

static void holds(archive_fixture *d, const char *name, const char *text)
{
    sn_archive_entry entry;
    sn_bytes bytes;
    assert_true(sn_archive_find(d->archive, name, &entry));
    assert_int_equal(sn_archive_read(d->archive, name, &bytes, &d->error), SN_OK);
    assert_int_equal(bytes.size, strlen(text));
    assert_memory_equal(bytes.data, text, bytes.size);
    sn_bytes_free(&bytes);
}

static void members_are_found_by_name(void **state)
{
    archive_fixture *d = *state;
    put_entry(d, "INFO.CFG", "MODEL");
    put_entry(d, "chara\\cat.mds", "a cat");
    put_entry(d, "info.cfg", "the second is hidden");
    put_entry(d, "\x94\x4C.mds", "neko");
    put_entry(d, "../out.mds", "by its last part");
    put_entry(d, "C:\\..", "no");
    sni_write_fill(&d->out, 0, 80);
    assert_true(open_archive(d));
    assert_string_equal(sn_archive_describe(d->archive).title, "Level-5 pack");
    assert_int_equal(sn_archive_describe(d->archive).file_count, 4);
    assert_int_equal(sn_archive_describe(d->archive).refused_count, 1);
    holds(d, "out.mds", "by its last part");
    holds(d, "info.cfg", "MODEL");
    holds(d, "chara/CAT.mds", "a cat");
    holds(d, "\xE7\x8C\xAB.mds", "neko");
    sn_archive_close(d->archive);
}

static void other_files_are_none(void **state)
{
    archive_fixture *d = *state;
    sni_write_fill(&d->out, 'x', 100);
    assert_false(open_archive(d));
    d->out.size = 0;
    assert_false(open_archive(d));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(members_are_found_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_files_are_none, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
