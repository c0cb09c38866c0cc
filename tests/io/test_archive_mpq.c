// MPQ archives: what is listed, read and refused. tests/storm compares with StormLib.
#include <time.h>

#include "archive_fixture.h"
#include "base/reader.h"
#include "counting_heap.h"
#include "mpq.h"

// A text of two sectors of 1024 bytes.
enum { TEXT_BYTES = 1100 };
static char text[TEXT_BYTES];

static const mpq_file files[] = {
    { .name = "Units\\Foot.mdx", .data = "footman", .size = 7 },
    { .name = "Textures\\Skin.blp", .data = text, .size = TEXT_BYTES, .flags = MPQ_COMPRESSED | MPQ_ENCRYPTED },
    { .name = "hidden.txt", .data = "hidden", .size = 6, .flags = MPQ_ENCRYPTED, .is_unlisted = true },
};
enum { FILES = 3 };

static int make_text(void **state)
{
    for (int i = 0; i < TEXT_BYTES; i++) text[i] = (char)('a' + i * i % 7);
    return set_up(state);
}

static void put_archive(archive_fixture *d, const mpq_archive *archive)
{
    sni_arena scratch;
    d->out.size = 0;
    sni_arena_init(&scratch, &d->heap);
    mpq_write(&d->out, &scratch, archive);
    sni_arena_free(&scratch);
    assert_false(d->out.failed);
}

static void put_files(archive_fixture *d, uint32_t version)
{
    put_archive(d, &(mpq_archive){
                       .files = files, .file_count = FILES, .version = version, .sector_shift = 1, .hash_count = 8 });
}

// The tables of an archive at the start of the file, to be changed in the clear.
static void change_u32(archive_fixture *d, size_t at, uint32_t value)
{
    mpq_crypt_tables(d->out.data, d->out.size, false);
    sni_patch_u32(&d->out, at, value);
    mpq_crypt_tables(d->out.data, d->out.size, true);
}

static size_t block_at(const archive_fixture *d, uint32_t i) { return sni_load_u32(d->out.data + 20) + (size_t)i * 16; }

// The n-th used entry of the hash table.
static size_t hash_at(archive_fixture *d, uint32_t block)
{
    size_t at = sni_load_u32(d->out.data + 16);
    mpq_crypt_tables(d->out.data, d->out.size, false);
    while (sni_load_u32(d->out.data + at + 12) != block) at += 16;
    mpq_crypt_tables(d->out.data, d->out.size, true);
    return at;
}

static void put_before(archive_fixture *d, const void *head, size_t size)
{
    static uint8_t copy[8192];
    size_t old = d->out.size;
    assert_true(old <= sizeof copy);
    memcpy(copy, d->out.data, old);
    d->out.size = 0;
    sni_write_bytes(&d->out, head, size);
    sni_write_bytes(&d->out, copy, old);
}

static void assert_read(archive_fixture *d, const char *name, const void *data, size_t size)
{
    sn_archive_entry entry;
    sn_bytes bytes;
    if (!sn_archive_find(d->archive, name, &entry)) fail_msg("%s is not found", name);
    assert_int_equal(entry.size, size);
    if (sn_archive_read(d->archive, name, &bytes, &d->error) != SN_OK) fail_msg("%s: %s", name, d->error.message);
    assert_int_equal(bytes.size, size);
    assert_memory_equal(bytes.data, data, size);
    sn_bytes_free(&bytes);
}

static void assert_refused(archive_fixture *d, const char *name, sn_status status)
{
    sn_bytes bytes;
    assert_int_equal(sn_archive_read(d->archive, name, &bytes, &d->error), status);
    assert_null(bytes.data);
}

static void assert_open(archive_fixture *d)
{
    if (!open_archive(d)) fail_msg("%s", d->error.message);
}

static void assert_all(archive_fixture *d)
{
    assert_open(d);
    assert_string_equal(sn_archive_describe(d->archive).title, "MPQ archive");
    assert_int_equal(sn_archive_describe(d->archive).file_count, FILES);
    assert_read(d, "units/foot.MDX", "footman", 7);
    assert_read(d, "textures\\skin.blp", text, TEXT_BYTES);
    assert_read(d, "HIDDEN.txt", "hidden", 6);
    sn_archive_close(d->archive);
}

static void every_version_is_read(void **state)
{
    for (uint32_t i = 0; i < 8; i++) {
        put_archive(*state, &(mpq_archive){ .files = files,
                                            .file_count = FILES,
                                            .version = i % 4,
                                            .sector_shift = 1,
                                            .hash_count = 8,
                                            .has_user_data = i / 4,
                                            .packs_tables = i % 4 == 3 });
        assert_all(*state);
    }
    put_archive(*state, &(mpq_archive){ .files = files,
                                        .file_count = FILES,
                                        .version = 3,
                                        .sector_shift = 1,
                                        .hash_count = 8,
                                        .has_het = true });
    assert_all(*state);
}

// tests/sweep_samples/files.mpq: every way to store a file.
static void the_sample_is_read(void **state)
{
    archive_fixture *d = *state;
    char zeros[40] = "begin";
    memcpy(zeros + 37, "end", 3);
    d->archive = sn_archive_open(SINEW_TESTS_DIR "/sweep_samples/files.mpq", NULL, &d->error);
    assert_non_null(d->archive);
    assert_int_equal(sn_archive_describe(d->archive).file_count, 8);
    assert_read(d, "art/stored.txt", "as it is", 8);
    assert_read(d, "sectors", text, TEXT_BYTES);
    assert_read(d, "File00000002.xxx", text, TEXT_BYTES);
    assert_read(d, "a/secret", text, TEXT_BYTES);
    assert_read(d, "encrypted", text, 30);
    assert_read(d, "imploded", "AIAIAIAIAIAIA", 13);
    assert_read(d, "bzip2", "mississippi mississippi mississippi aaaaaaaaaaaaaaaaaaaa", 56);
    assert_read(d, "sparse", zeros, sizeof zeros);
    assert_refused(d, "patched", SN_ERR_UNSUPPORTED);
    assert_refused(d, "File00000003.xxx", SN_ERR_UNSUPPORTED);
    assert_non_null(strstr(d->error.message, "encrypted with its name"));
    assert_refused(d, "missing", SN_ERR_IO);
    sn_archive_close(d->archive);
}

// What map protectors write, and Warcraft III reads.
static void protected_maps_are_read(void **state)
{
    static const uint8_t map[512] = "HM3W",
                         fake[512] = { 'M',  'P',         'Q',  0x1A, 32,   [16] = 0xFF, 0xFF,    0xFF,
                                       0x7F, [20] = 0xFF, 0xFF, 0xFF, 0x7F, [24] = 8,    [28] = 1 };
    archive_fixture *d = *state;
    put_files(d, 0);
    put_before(d, map, sizeof map);
    assert_all(d);
    put_files(d, 0);
    sni_patch_u32(&d->out, 4, 0x7FFFFFFF);  // size of the header
    sni_patch_u32(&d->out, 8, 0x80000000);  // and of the archive
    d->out.data[12] = 77;                   // a version that does not exist
    put_before(d, map, sizeof map);
    assert_all(d);
    put_files(d, 0);
    d->out.data[31] = 0x90;  // blocks: far more than there are, and bits that are not counted
    assert_all(d);
    put_files(d, 0);
    put_before(d, fake, sizeof fake);  // a header without tables
    put_before(d, map, sizeof map);
    assert_all(d);
    put_files(d, 0);
    change_u32(d, hash_at(d, 0) + 12, 0xF0000000);  // bits above the number of the block
    assert_all(d);
    put_files(d, 0);
    change_u32(d, hash_at(d, 0) + 8, 0x04090409);  // the only entry of a name has a locale
    assert_all(d);
}

// A negative offset leads before the header.
static void offsets_wrap_in_version_0(void **state)
{
    archive_fixture *d = *state;
    uint8_t map[512] = "HM3W";
    memcpy(map + 100, "footman", 7);
    put_files(d, 0);
    change_u32(d, block_at(d, 0), (uint32_t)(100 - 512));
    put_before(d, map, sizeof map);
    assert_all(d);
}

static void fake_entries_are_left_out(void **state)
{
    archive_fixture *d = *state;
    sn_archive_entry entry;
    put_files(d, 0);
    change_u32(d, block_at(d, 1), 0x7FFFFFFF);  // outside the file
    change_u32(d, hash_at(d, 2) + 12, 99);      // no such block
    assert_open(d);
    assert_int_equal(sn_archive_describe(d->archive).file_count, 1);
    assert_int_equal(sn_archive_describe(d->archive).damaged_count, 2);
    assert_read(d, "Units\\Foot.mdx", "footman", 7);
    sn_archive_close(d->archive);
    put_files(d, 0);
    change_u32(d, block_at(d, 0) + 12, 0);                             // removed
    change_u32(d, block_at(d, 1) + 12, 0x80000000 | MPQ_IS_DELETION);  // says that it was removed elsewhere
    assert_open(d);
    assert_int_equal(sn_archive_describe(d->archive).file_count, 1);
    assert_int_equal(sn_archive_describe(d->archive).damaged_count, 0);
    assert_false(sn_archive_find(d->archive, files[0].name, &entry));
    sn_archive_close(d->archive);
}

static void a_damaged_list_is_no_list(void **state)
{
    archive_fixture *d = *state;
    put_files(d, 0);
    change_u32(d, block_at(d, FILES) + 8, 0x7FFFFFFF);
    assert_open(d);
    assert_int_equal(sn_archive_describe(d->archive).file_count, FILES);
    assert_int_equal(sn_archive_describe(d->archive).damaged_count, 1);
    assert_read(d, "File00000000.xxx", "footman", 7);
    assert_read(d, "textures/skin.blp", text, TEXT_BYTES);
    sn_archive_close(d->archive);
}

static void sizes_are_not_believed(void **state)
{
    archive_fixture *d = *state;
    const uint32_t sizes[] = { TEXT_BYTES + 1, 5000, 1 << 24, 1 << 29, 0x7FFFFFFF, UINT32_MAX };
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        sn_bytes bytes;
        counting_heap counts = { 0 };
        put_files(d, 0);
        change_u32(d, block_at(d, i % 2) + 8, sizes[i / 2]);
        assert_true(open_archive(d));
        sn_archive_close(d->archive);
        const sn_archive_opts opts = { .allocator = counting_allocator(&counts) };
        d->archive = sn_archive_open(d->path, &opts, &d->error);
        assert_non_null(d->archive);
        assert_int_not_equal(sn_archive_read(d->archive, files[i % 2].name, &bytes, &d->error), SN_OK);
        assert_true(counts.peak_bytes < 1 << 20);  // nothing was reserved for them
        sn_archive_close(d->archive);
    }
}

// One megabyte may come out of anything; what comes after it has to be packed as zlib could.
static void bombs_are_refused(void **state)
{
    archive_fixture *d = *state;
    counting_heap counts = { 0 };
    const sn_archive_opts opts = { .allocator = counting_allocator(&counts) };
    const mpq_file bomb = {
        .name = "bomb", .data = text, .size = TEXT_BYTES, .flags = MPQ_COMPRESSED | MPQ_IS_SINGLE_UNIT
    };
    put_archive(d, &(mpq_archive){ .files = &bomb, .file_count = 1, .sector_shift = 1, .hash_count = 8 });
    change_u32(d, block_at(d, 0) + 8, 40 << 20);
    assert_open(d);
    sn_archive_close(d->archive);
    d->archive = sn_archive_open(d->path, &opts, &d->error);
    assert_non_null(d->archive);
    assert_refused(d, "bomb", SN_ERR_LIMIT);
    assert_true(counts.peak_bytes < 1 << 20);
    sn_archive_close(d->archive);
}

static void limits_hold(void **state)
{
    archive_fixture *d = *state;
    put_files(d, 0);
    assert_open(d);
    sn_archive_close(d->archive);
    const sn_archive_opts opts = { .limits.file_bytes = 100 };
    d->archive = sn_archive_open(d->path, &opts, &d->error);
    assert_non_null(d->archive);
    assert_int_equal(sn_archive_describe(d->archive).file_count, FILES);
    assert_read(d, files[0].name, "footman", 7);
    assert_refused(d, files[1].name, SN_ERR_LIMIT);
    sn_archive_close(d->archive);
    const sn_archive_opts small = { .limits.memory_bytes = 1000 };
    assert_null(sn_archive_open(d->path, &small, &d->error));
    assert_int_equal(d->error.status, SN_ERR_LIMIT);
}

// With an unknown extension every kind is tried; with its own the reason is given.
static void assert_not_open(archive_fixture *d, sn_status status, const char *reason)
{
    char path[96];
    assert_false(open_archive(d));
    snprintf(path, sizeof path, "%s.w3x", d->path);
    assert_int_equal(symlink(d->path, path), 0);
    assert_null(sn_archive_open(path, NULL, &d->error));
    unlink(path);
    assert_int_equal(d->error.status, status);
    if (!strstr(d->error.message, reason)) fail_msg("%s", d->error.message);
}

static void other_files_are_no_archives(void **state)
{
    archive_fixture *d = *state;
    put_files(d, 0);
    memcpy(d->out.data, "MPQ ", 4);
    assert_not_open(d, SN_ERR_FORMAT, "not an MPQ archive");
    put_files(d, 0);
    sni_patch_u32(&d->out, 16, 0x7FFFFFFF);
    assert_not_open(d, SN_ERR_CORRUPT, "tables at bytes 2147483647 and ");
    put_files(d, 0);
    d->out.data[14] = 16;
    assert_not_open(d, SN_ERR_CORRUPT, "sectors of 512 << 16");
    put_archive(d, &(mpq_archive){ .files = files,
                                   .file_count = FILES,
                                   .version = 3,
                                   .sector_shift = 1,
                                   .hash_count = 8,
                                   .has_het = true });
    d->out.data[sni_load_u32(d->out.data + 52)] = 'X';
    assert_not_open(d, SN_ERR_CORRUPT, "no BET table");
    d->out.data[sni_load_u32(d->out.data + 52)] = 'B';
    change_u32(d, sni_load_u32(d->out.data + 60) + 12 + 8, 0xFFFF);
    assert_not_open(d, SN_ERR_CORRUPT, "65535 slots");
    put_files(d, 3);
    sni_patch_u32(&d->out, 32,
                  (uint32_t)d->out.size - 1);  // high words of four offsets, packed in two bytes, one remains
    sni_patch_u32(&d->out, 84, 2);
    assert_not_open(d, SN_ERR_CORRUPT, "a table of 8 bytes in 2");
    put_files(d, 3);
    sni_patch_u32(&d->out, 24, 0x0FFFFFFF);  // 4 GB of hashes, packed in 40 bytes
    sni_patch_u32(&d->out, 68, 40);
    assert_not_open(d, SN_ERR_CORRUPT, "a table of 4294967280 bytes in 40");
}

static void every_failing_allocation_is_survived(void **state)
{
    archive_fixture *d = *state;
    for (uint32_t version = 0; version < 4; version += 3) {
        put_archive(d, &(mpq_archive){ .files = files,
                                       .file_count = FILES,
                                       .version = version,
                                       .sector_shift = 1,
                                       .hash_count = 8,
                                       .has_het = version == 3,
                                       .packs_tables = version == 3 });
        assert_open(d);
        sn_archive_close(d->archive);
        bool is_done = false;
        for (uint64_t k = 1; !is_done; k++) {
            counting_heap counts = { .fail_at = k };
            const sn_archive_opts opts = { .allocator = counting_allocator(&counts) };
            sn_bytes bytes = { 0 };
            sn_status status = SN_OK;
            sn_archive *archive = sn_archive_open(d->path, &opts, &d->error);
            if (!archive) assert_int_equal(d->error.status, SN_ERR_MEMORY);
            if (archive) status = sn_archive_read(archive, files[1].name, &bytes, &d->error);
            is_done = counts.calls < k;
            if (archive) assert_int_equal(status, is_done ? SN_OK : SN_ERR_MEMORY);
            sn_bytes_free(&bytes);
            sn_archive_close(archive);
            assert_int_equal(counts.live_blocks, 0);
            assert_true(k < 1000);
        }
    }
}

// Headers of 4 KB that once took the heap, or 5 GB and 7 seconds.
static void old_finds_cost_nothing(void **state)
{
    static const char *const names[] = { "mpq_v4_heap_overflow.mpq", "mpq_userdata_bypasses_checks.mpq" };
    archive_fixture *d = *state;
    for (int i = 0; i < 2; i++) {
        char path[512];
        counting_heap counts = { 0 };
        const sn_archive_opts opts = { .allocator = counting_allocator(&counts) };
        snprintf(path, sizeof path, "%s/regress/%s", SINEW_TESTS_DIR, names[i]);
        clock_t start = clock();
        sn_archive *archive = sn_archive_open(path, &opts, &d->error);
        if (archive) assert_int_equal(sn_archive_describe(archive).file_count, 0);
        sn_archive_close(archive);
        assert_true(clock() - start < CLOCKS_PER_SEC / 4);
        assert_true(counts.peak_bytes > 0 && counts.peak_bytes < 1 << 20);
    }
}

#define with_archive(test) cmocka_unit_test_setup_teardown(test, make_text, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_archive(every_version_is_read),
        with_archive(the_sample_is_read),
        with_archive(protected_maps_are_read),
        with_archive(offsets_wrap_in_version_0),
        with_archive(fake_entries_are_left_out),
        with_archive(a_damaged_list_is_no_list),
        with_archive(sizes_are_not_believed),
        with_archive(bombs_are_refused),
        with_archive(limits_hold),
        with_archive(other_files_are_no_archives),
        with_archive(every_failing_allocation_is_survived),
        with_archive(old_finds_cost_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
