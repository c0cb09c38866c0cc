// Disc archives of Level-5's games: every index, what is read through it, what is left out and what is refused. The
// indices are written here by their description, not by sinew.
#include "sinew/files.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/reader.h"
#include "base/writer.h"

enum { SECTOR = 2048 };

typedef struct member {
    const char *name;
    uint32_t sector, size;
} member;

typedef struct archive_fixture {
    char folder[64], index_path[96], data_path[96];
    sni_heap heap;
    sni_writer out;  // the index
    sn_archive *archive;
    sn_error error;
} archive_fixture;

static int set_up(void **state)
{
    static archive_fixture shared;
    shared = (archive_fixture){ .folder = "/tmp/sinew_dat_XXXXXX" };
    if (!mkdtemp(shared.folder)) return -1;
    sni_heap_init(&shared.heap, NULL, UINT64_MAX);
    sni_writer_init(&shared.out, &shared.heap);
    *state = &shared;
    return 0;
}

static void remove_files(archive_fixture *d)
{
    if (d->index_path[0]) unlink(d->index_path);
    if (d->data_path[0]) unlink(d->data_path);
    d->index_path[0] = d->data_path[0] = 0;
}

static int tear_down(void **state)
{
    archive_fixture *d = *state;
    sn_archive_close(d->archive);
    remove_files(d);
    sni_writer_free(&d->out);
    return d->heap.used == 0 ? rmdir(d->folder) : -1;
}

// Three files, one of them of two sectors, one empty; sectors 0 to 3, the last cut short.
static const member three[3] = { { "chara\\c01d.chr", 0, 5 }, { "IMG\\a.img", 1, 2050 }, { "empty", 3, 0 } };

// A byte tells where it lies: its sector, or for the first of each its number within.
static void write_data(archive_fixture *d, const char *name, uint64_t size)
{
    snprintf(d->data_path, sizeof d->data_path, "%s/%s", d->folder, name);
    FILE *file = fopen(d->data_path, "wb");
    assert_non_null(file);
    for (uint64_t i = 0; i < size && i < 8 * SECTOR; i++) fputc((int)('a' + i / SECTOR), file);
    fclose(file);
    assert_int_equal(truncate(d->data_path, (off_t)size), 0);
}

static void write_index(archive_fixture *d, const char *name)
{
    snprintf(d->index_path, sizeof d->index_path, "%s/%s", d->folder, name);
    FILE *file = fopen(d->index_path, "wb");
    assert_non_null(file);
    if (d->out.size > 0) assert_int_equal(fwrite(d->out.data, 1, d->out.size, file), d->out.size);
    fclose(file);
}

static bool open_path(archive_fixture *d, const char *path)
{
    sn_archive_close(d->archive);
    d->archive = sn_archive_open(path, NULL, &d->error);
    return d->archive != NULL;
}

// The words of one record, by the letters of `fields`: n name, o offset, s size, c sector, k sectors, 0 nothing.
static void put_record(archive_fixture *d, const char *fields, const member *m, uint32_t name_at)
{
    for (; *fields; fields++) {
        uint32_t word = 0;
        switch (*fields) {
        case 'n': word = name_at; break;
        case 'o': word = m->sector * (uint32_t)SECTOR; break;
        case 's': word = m->size; break;
        case 'c': word = m->sector; break;
        case 'k': word = (m->size + SECTOR - 1) / SECTOR; break;
        default: break;
        }
        sni_write_u32(&d->out, word);
    }
}

// With a record of zeros before the names, as real ones may have.
static void put_list(archive_fixture *d, const char *fields, const member *members, uint32_t count)
{
    uint32_t record = (uint32_t)strlen(fields) * 4, name_at = record * (count + 1);
    d->out.size = 0;
    for (uint32_t i = 0; i < count; i++) {
        put_record(d, fields, &members[i], name_at);
        name_at += (uint32_t)strlen(members[i].name) + 1;
    }
    sni_write_fill(&d->out, 0, record);
    for (uint32_t i = 0; i < count; i++) sni_write_bytes(&d->out, members[i].name, strlen(members[i].name) + 1);
}

static void put_hed(archive_fixture *d, const member *members, uint32_t count)
{
    d->out.size = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t size = strlen(members[i].name);
        sni_write_bytes(&d->out, members[i].name, size + 1);
        sni_write_fill(&d->out, 0xCD, 63 - size);  // what was in memory
        put_record(d, "os", &members[i], 0);
        sni_write_fill(&d->out, 0xCD, 8);
    }
    sni_write_fill(&d->out, 0, 80);
}

// Each name is two pieces: number i + 1, and i + 128, which takes two bytes.
static void put_hd6(archive_fixture *d, const member *members, uint32_t count)
{
    d->out.size = 0;
    sni_write_bytes(&d->out, "HD6", 4);
    sni_write_fill(&d->out, 0, 48);
    sni_write_u8(&d->out, 0);  // the first piece is empty
    for (uint32_t i = 0; i < count; i++) sni_write_bytes(&d->out, members[i].name, 2), sni_write_u8(&d->out, 0);
    for (uint32_t i = count + 1; i < 128; i++) sni_write_bytes(&d->out, "-", 2);
    for (uint32_t i = 0; i < count; i++) sni_write_bytes(&d->out, members[i].name + 2, strlen(members[i].name + 2) + 1);
    const uint32_t names_at = (uint32_t)d->out.size;
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t name[4] = { (uint8_t)(i + 1), (uint8_t)(0x80 | i), 1, 0 };
        sni_write_bytes(&d->out, name, 4);
    }
    sni_write_u8(&d->out, 0);
    const uint32_t files_at = (uint32_t)d->out.size,
                   head[] = { 0xCDCDCDCD, names_at - 52, count + 128, 0, names_at, count * 4 + 1, 0,
                              16,         count + 1,     files_at };
    for (uint32_t i = 0; i < 10; i++) sni_patch_u32(&d->out, 4 + 4 * (size_t)i, head[i]);
    for (uint32_t i = 0; i <= count; i++) {
        uint64_t bits = 0x3BEEF;  // 16 bits and two of the place's 24: not used
        if (i < count) bits |= (uint64_t)members[i].sector << 18 | (uint64_t)((members[i].size + 15) / 16) << 40;
        sni_write_u32(&d->out, (uint32_t)bits), sni_write_u32(&d->out, (uint32_t)(bits >> 32));
    }
    sni_patch_u32(&d->out, 48, (uint32_t)d->out.size);
}

static void assert_read(archive_fixture *d, const char *name, uint64_t size, char first, char last)
{
    sn_archive_entry entry;
    sn_bytes bytes;
    assert_true(sn_archive_find(d->archive, name, &entry));
    assert_int_equal(entry.size, size);
    assert_int_equal(sn_archive_read(d->archive, name, &bytes, &d->error), SN_OK);
    assert_int_equal(bytes.size, size);
    if (size > 0) assert_true(bytes.data[0] == first && bytes.data[size - 1] == last);
    sn_bytes_free(&bytes);
}

static void assert_three(archive_fixture *d, const char *detail, bool is_rounded)
{
    assert_int_equal(d->error.status, SN_OK);
    assert_string_equal(sn_archive_describe(d->archive).title, "Level-5 disc archive");
    assert_string_equal(sn_archive_describe(d->archive).detail, detail);
    assert_int_equal(sn_archive_describe(d->archive).file_count, 3);
    assert_int_equal(sn_archive_describe(d->archive).damaged_count + sn_archive_describe(d->archive).refused_count +
                         sn_archive_describe(d->archive).overlap_count,
                     0);
    assert_read(d, "chara/C01D.CHR", is_rounded ? 16 : 5, 'a', 'a');
    assert_read(d, "img/a.img", is_rounded ? 2064 : 2050, 'b', 'c');
    assert_read(d, "EMPTY", 0, 0, 0);
}

static void every_index_is_read(void **state)
{
    archive_fixture *d = *state;
    static const struct {
        const char *name, *fields, *detail;
    } kinds[] = {
        { "DATA.HD2", "n000osck", "HD2 index" },
        { "data.hd3", "nsck", "HD3 index" },
        { "Data.Hd4", "nsc", "HD4 index, sizes before sectors" },
        { "DATA.hd4", "ncs", "HD4 index, sectors before sizes" },
        { "DATA.HED", "hed", "HED index" },
        { "DATA.HD6", "hd6", "HD6 index, experimental" },
        { "data.idx", "n000osck", "HD2 index" },
        { "data.idx", "nsck", "HD3 index" },
        { "data.idx", "hed", "HED index" },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const bool is_hd6 = strcmp(kinds[i].fields, "hd6") == 0;
        if (is_hd6) put_hd6(d, three, 3);
        else if (strcmp(kinds[i].fields, "hed") == 0) put_hed(d, three, 3);
        else put_list(d, kinds[i].fields, three, 3);
        write_index(d, kinds[i].name);
        write_data(d, i % 2 ? "DATA.dat" : "data.DAT", 3 * SECTOR + 20);
        assert_true(open_path(d, d->index_path));
        assert_three(d, kinds[i].detail, is_hd6);
        if (!strstr(kinds[i].name, "idx")) {
            assert_true(open_path(d, d->data_path));
            assert_three(d, kinds[i].detail, is_hd6);
        }
        remove_files(d);
    }
}

// The wrong order may fit into large data too, but files do not lie one behind the other then.
static void the_order_of_hd4_is_found_in_large_data(void **state)
{
    archive_fixture *d = *state;
    enum { COUNT = 40 };
    static char names[COUNT][8];
    member members[COUNT];
    for (uint32_t i = 0, sector = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof names[i], "f%u", i);
        members[i] = (member){ names[i], sector, 3000 + i * 900 };
        sector += (members[i].size + SECTOR - 1) / SECTOR;
    }
    for (int swapped = 0; swapped < 2; swapped++) {
        put_list(d, swapped ? "ncs" : "nsc", members, COUNT);
        write_index(d, "a.hd4");
        write_data(d, "a.dat", 200000ull * SECTOR);
        assert_true(open_path(d, d->index_path));
        assert_string_equal(sn_archive_describe(d->archive).detail,
                            swapped ? "HD4 index, sectors before sizes" : "HD4 index, sizes before sectors");
        assert_int_equal(sn_archive_describe(d->archive).overlap_count, 0);
        assert_read(d, "f1", 3900, 'c', 'd');
        remove_files(d);
    }
}

static void offsets_beyond_four_gigabytes(void **state)
{
    archive_fixture *d = *state;
    const uint64_t size = 5ull << 30;
    const member far = { "far", (uint32_t)(size / SECTOR) - 1, 7 };
    put_list(d, "n000osck", &far, 1);
    write_index(d, "x.hd2");
    write_data(d, "x.dat", size);
    FILE *file = fopen(d->data_path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseeko(file, (off_t)far.sector * SECTOR, SEEK_SET), 0);
    fputs("Z23456Y", file);
    fclose(file);
    assert_true(open_path(d, d->index_path));
    assert_read(d, "far", 7, 'Z', 'Y');
}

static void names_are_shift_jis(void **state)
{
    archive_fixture *d = *state;
    // the second byte of the first sign is a backslash, but no separator; the last name is no text
    const member members[] = {
        { "\x83\x5C\\\x93\xFA.mds", 0, 1 }, { "..\\out", 0, 1 }, { "bad\x85\x40", 0, 1 }, { "C:\\x", 0, 1 }
    };
    put_list(d, "nsck", members, 4);
    write_index(d, "x.hd3");
    write_data(d, "x.dat", SECTOR);
    assert_true(open_path(d, d->index_path));
    assert_int_equal(sn_archive_describe(d->archive).file_count, 1);
    assert_int_equal(sn_archive_describe(d->archive).refused_count, 2);
    assert_int_equal(sn_archive_describe(d->archive).damaged_count, 1);
    assert_read(d, "ソ/日.mds", 1, 'a', 'a');
}

static void what_is_left_out(void **state)
{
    archive_fixture *d = *state;
    const member members[] = { { "good", 0, 100 }, { "long", 1, 3 * SECTOR },          { "far", 9, 1 },
                               { "", 0, 1 },       { "huge", UINT32_MAX, UINT32_MAX }, { "good", 1, 5 },
                               { "inside", 0, 50 } };
    put_list(d, "nsck", members, 7);
    sni_patch_u32(&d->out, 0,
                  (uint32_t)d->out.size + 5);  // a name behind the end: and the list is said to be longer than it is
    write_index(d, "x.hd3");
    write_data(d, "x.dat", 2 * SECTOR);
    assert_false(open_path(d, d->index_path));
    assert_int_equal(d->error.status, SN_ERR_CORRUPT);
    sni_patch_u32(&d->out, 0, 8 * 16);
    sni_patch_u32(&d->out, 6 * 16, (uint32_t)d->out.size + 5);
    write_index(d, "x.hd3");
    assert_true(open_path(d, d->index_path));
    assert_int_equal(sn_archive_describe(d->archive).file_count, 1);
    assert_int_equal(sn_archive_describe(d->archive).damaged_count, 5);
    assert_read(d, "good", 100, 'a', 'a');               // the first of two
    sni_patch_u32(&d->out, 6 * 16, 8 * 16 + 5 + 5 + 4);  // an empty name, behind those of three records
    write_index(d, "x.hd3");
    assert_true(open_path(d, d->index_path));
    assert_int_equal(sn_archive_describe(d->archive).damaged_count, 5);
    sni_patch_u32(&d->out, 6 * 16, 8 * 16 + 1);  // "ood"
    write_index(d, "x.hd3");
    assert_true(open_path(d, d->index_path));
    assert_int_equal(sn_archive_describe(d->archive).file_count, 2);
    assert_int_equal(sn_archive_describe(d->archive).overlap_count, 1);
}

// A million records with one long name each would be gigabytes of names.
static void names_are_bounded(void **state)
{
    archive_fixture *d = *state;
    enum { RECORDS = 2000, NAME = 1000 };
    d->out.size = 0;
    for (uint32_t i = 0; i < RECORDS; i++) put_record(d, "nsck", &(member){ "", 0, 1 }, RECORDS * 16);
    sni_write_fill(&d->out, 'n', NAME);
    sni_write_u8(&d->out, 0);
    write_index(d, "x.hd3");
    write_data(d, "x.dat", SECTOR);
    assert_true(open_path(d, d->index_path));
    assert_int_equal(sn_archive_describe(d->archive).file_count, 1);
    const uint32_t most = 8 * (uint32_t)d->out.size / NAME + 1;
    assert_int_equal(sn_archive_describe(d->archive).damaged_count, RECORDS - most);
    d->out.size = 0;
    put_record(d, "nsck", &(member){ "", 0, 1 }, 16);
    sni_write_fill(&d->out, 'n', 1024);  // longer than any name
    sni_write_u8(&d->out, 0);
    write_index(d, "x.hd3");
    assert_false(open_path(d, d->index_path));
}

static void refuse(archive_fixture *d, const char *name, sn_status status)
{
    write_index(d, name);
    assert_false(open_path(d, d->index_path));
    assert_int_equal(d->error.status, status);
    unlink(d->index_path);
}

static void what_is_refused(void **state)
{
    archive_fixture *d = *state;
    put_list(d, "nsck", three, 3);
    refuse(d, "x.hd3", SN_ERR_IO);  // no data beside it
    write_data(d, "x.dat", 3 * SECTOR);
    assert_false(open_path(d, d->data_path));  // no index beside it
    assert_int_equal(d->error.status, SN_ERR_IO);
    for (size_t size = 0; size < 16; size++) {
        d->out.size = size;
        refuse(d, "x.hd3", size < 4 ? SN_ERR_FORMAT : SN_ERR_CORRUPT);
    }
    put_list(d, "nsck", three, 3);
    refuse(d, "y.hd3", SN_ERR_IO);
    put_hd6(d, three, 3);
    for (uint32_t at = 8; at <= 40; at += at == 8 ? 12 : at == 24 ? 12 : 4) {
        uint32_t kept;
        memcpy(&kept, d->out.data + at, 4);
        sni_patch_u32(&d->out, at, UINT32_MAX);
        refuse(d, "x.hd6", SN_ERR_CORRUPT);
        sni_store_u32(d->out.data + at, kept);
    }
    d->out.size = 51;
    refuse(d, "x.hd6", SN_ERR_CORRUPT);
}

// Numbers that name no piece, and a name that does not end. Those behind a damaged one are found all the same.
static void damaged_names_of_hd6(void **state)
{
    archive_fixture *d = *state;
    put_hd6(d, three, 3);
    uint32_t names_at = sni_load_u32(d->out.data + 20);
    memset(d->out.data + names_at, 0x7F, 2), d->out.data[names_at] = 0xFF;  // there is no such piece
    sni_store_u32(d->out.data + 24, 3 * 4 - 1);                             // the last one has no 0
    write_index(d, "x.hd6");
    write_data(d, "x.dat", 4 * SECTOR);
    assert_true(open_path(d, d->index_path));
    assert_int_equal(sn_archive_describe(d->archive).file_count, 1);
    assert_int_equal(sn_archive_describe(d->archive).damaged_count, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_index_is_read, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_order_of_hd4_is_found_in_large_data, set_up, tear_down),
        cmocka_unit_test_setup_teardown(offsets_beyond_four_gigabytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_are_shift_jis, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_left_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_are_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(damaged_names_of_hd6, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
