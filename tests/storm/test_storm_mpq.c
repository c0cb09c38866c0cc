// MPQ archives that StormLib makes: sinew lists and reads what StormLib lists and reads.
#include "archive_fixture.h"
#include "base/reader.h"

#include "storm.h"

enum { FILES = 7, MOST = 20000, STORED = MPQ_FILE_REPLACEEXISTING };

// Names in folders, with other slashes, in another case, outside ASCII; sizes around those of sectors.
static const char *const names[FILES] = {
    "Units\\Human\\Footman.mdx", "war3map.j", "a\\b\\c\\Deep.BLP", "with/slash.txt", "\xE9t\xE9.tga", "empty.txt", "x"
};
static const unsigned sizes[FILES] = { MOST, 4096, 4097, 511, 1, 0, 12345 };

// Text that compresses, with zeros, and different in each file.
static void fill(uint8_t *bytes, int file)
{
    for (unsigned i = 0; i < sizes[file]; i++)
        bytes[i] = (uint8_t)(i % 1500 < 200 ? 0 : "0123456789abcdef"[(i * (unsigned)(file + 3) + i / 97) & 15]);
}

typedef struct way {
    const char *what;
    unsigned flags, methods;
} way;

static const way ways[] = {
    { "stored", 0, 0 },
    { "stored, encrypted", MPQ_FILE_ENCRYPTED, 0 },
    { "stored, encrypted, key adjusted", MPQ_FILE_ENCRYPTED | MPQ_FILE_FIX_KEY, 0 },
    { "zlib", MPQ_FILE_COMPRESS, MPQ_COMPRESSION_ZLIB },
    { "zlib, encrypted", MPQ_FILE_COMPRESS | MPQ_FILE_ENCRYPTED, MPQ_COMPRESSION_ZLIB },
    { "zlib, encrypted, key adjusted", MPQ_FILE_COMPRESS | MPQ_FILE_ENCRYPTED | MPQ_FILE_FIX_KEY,
      MPQ_COMPRESSION_ZLIB },
    { "zlib, checksums", MPQ_FILE_COMPRESS | MPQ_FILE_SECTOR_CRC, MPQ_COMPRESSION_ZLIB },
    { "zlib, checksums, encrypted", MPQ_FILE_COMPRESS | MPQ_FILE_SECTOR_CRC | MPQ_FILE_ENCRYPTED,
      MPQ_COMPRESSION_ZLIB },
    { "zlib, single unit", MPQ_FILE_COMPRESS | MPQ_FILE_SINGLE_UNIT, MPQ_COMPRESSION_ZLIB },
    { "zlib, single unit, encrypted", MPQ_FILE_COMPRESS | MPQ_FILE_SINGLE_UNIT | MPQ_FILE_ENCRYPTED,
      MPQ_COMPRESSION_ZLIB },
    { "imploded", MPQ_FILE_IMPLODE, MPQ_COMPRESSION_PKWARE },
    { "imploded, encrypted", MPQ_FILE_IMPLODE | MPQ_FILE_ENCRYPTED | MPQ_FILE_FIX_KEY, MPQ_COMPRESSION_PKWARE },
    { "PKWARE", MPQ_FILE_COMPRESS, MPQ_COMPRESSION_PKWARE },
    { "bzip2", MPQ_FILE_COMPRESS, MPQ_COMPRESSION_BZIP2 },
    { "bzip2, single unit", MPQ_FILE_COMPRESS | MPQ_FILE_SINGLE_UNIT, MPQ_COMPRESSION_BZIP2 },
    { "sparse", MPQ_FILE_COMPRESS, MPQ_COMPRESSION_SPARSE },
    { "sparse and zlib", MPQ_FILE_COMPRESS, MPQ_COMPRESSION_SPARSE | MPQ_COMPRESSION_ZLIB },
    { "sparse and bzip2", MPQ_FILE_COMPRESS, MPQ_COMPRESSION_SPARSE | MPQ_COMPRESSION_BZIP2 },
};
enum { WAYS = sizeof ways / sizeof *ways };

static void add_file(HANDLE archive, int file, const way *w, LCID locale)
{
    static uint8_t bytes[MOST];
    HANDLE out = NULL;
    fill(bytes, file);
    if (locale) bytes[0] = 'L';
    assert_true(SFileCreateFile(archive, names[file], 0, sizes[file], locale, w->flags | STORED, &out));
    if (sizes[file] > 0) assert_true(SFileWriteFile(out, bytes, sizes[file], w->methods));
    assert_true(SFileFinishFile(out));
}

// version: 0 to 3.
static void make_archive(archive_fixture *d, unsigned version, const way *w, unsigned list_flags, unsigned sector)
{
    HANDLE archive = NULL;
    SFILE_CREATE_MPQ create = { .cbSize = sizeof create,
                                .dwMpqVersion = version,
                                .dwFileFlags1 = list_flags,
                                .dwSectorSize = sector,
                                .dwRawChunkSize = version == 3 ? 0x4000 : 0,
                                .dwMaxFileCount = 16 };
    unlink(d->path);
    assert_true(SFileCreateArchive2(d->path, &create, &archive));
    for (int i = 0; i < (int)FILES; i++) add_file(archive, i, w, 0);
    assert_true(SFileCloseArchive(archive));
}

// One file by StormLib, then by sinew.
static void compare_file(HANDLE judge, const sn_archive *archive, const char *name, const char *what)
{
    static uint8_t right[MOST + 1];
    HANDLE file = NULL;
    DWORD size = 0;
    sn_bytes bytes;
    sn_error error;
    if (!SFileOpenFileEx(judge, name, SFILE_OPEN_FROM_MPQ, &file)) fail_msg("%s: StormLib cannot open %s", what, name);
    assert_int_equal(SFileGetFileSize(file, NULL) < sizeof right, 1);
    SFileReadFile(file, right, sizeof right, &size, NULL);
    assert_int_equal(size, SFileGetFileSize(file, NULL));
    SFileCloseFile(file);
    if (sn_archive_read(archive, name, &bytes, &error) != SN_OK) fail_msg("%s: %s: %s", what, name, error.message);
    assert_int_equal(bytes.size, size);
    assert_memory_equal(bytes.data, right, size);
    sn_bytes_free(&bytes);
}

static bool is_internal(const char *name) { return name[0] == '('; }

// Every file that StormLib lists is listed, and no other; all bytes are the same. `judged` is the archive for StormLib,
// if it is not the one that sinew opens.
static void compare_archives(archive_fixture *d, const char *judged, const char *what)
{
    HANDLE judge = NULL;
    SFILE_FIND_DATA found;
    uint32_t count = 0;
    if (!SFileOpenArchive(judged, 0, MPQ_OPEN_READ_ONLY, &judge)) fail_msg("%s: StormLib cannot open it", what);
    sn_archive *archive = sn_archive_open(d->path, NULL, &d->error);
    if (!archive) fail_msg("%s: %s", what, d->error.message);
    assert_int_equal(sn_archive_describe(archive).damaged_count, 0);
    HANDLE search = SFileFindFirstFile(judge, "*", &found, NULL);
    for (bool is_more = search != NULL; is_more; is_more = SFileFindNextFile(search, &found)) {
        sn_archive_entry entry;
        if (is_internal(found.cFileName)) continue;
        if (!sn_archive_find(archive, found.cFileName, &entry)) fail_msg("%s: %s is missing", what, found.cFileName);
        assert_int_equal(entry.size, found.dwFileSize);
        compare_file(judge, archive, found.cFileName, what);
        count++;
    }
    SFileFindClose(search);
    assert_int_equal(sn_archive_describe(archive).file_count, count);
    SFileCloseArchive(judge);
    sn_archive_close(archive);
}

static void every_version_and_way_is_read(void **state)
{
    archive_fixture *d = *state;
    for (unsigned i = 0; i < 4 * WAYS; i++) {
        char what[96];
        const way *w = &ways[i / 4];
        snprintf(what, sizeof what, "version %u, %s", i % 4, w->what);
        make_archive(d, i % 4, w, MPQ_FILE_DEFAULT_INTERNAL, i / 4 % 2 ? 1024 : 4096);
        compare_archives(d, d->path, what);
    }
}

static size_t load_archive(archive_fixture *d, uint8_t *bytes, size_t capacity)
{
    FILE *file = fopen(d->path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, capacity, file);
    assert_true(size < capacity && fclose(file) == 0);
    return size;
}

static void save_archive(const char *path, const uint8_t *head, size_t head_size, const uint8_t *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(head, 1, head_size, file) + fwrite(bytes, 1, size, file), head_size + size);
    assert_int_equal(fclose(file), 0);
}

static uint8_t archive_bytes[1 << 19];

// A map has 512 bytes of its own before the header; user data may be of any size.
static void headers_are_searched(void **state)
{
    static const uint8_t user_data[1024] = { 'M', 'P', 'Q', 0x1B, 0, 2, 0, 0, 0, 4, 0, 0, 16 };
    archive_fixture *d = *state;
    for (unsigned version = 0; version < 4; version++) {
        uint8_t map[512] = { 'H', 'M', '3', 'W' };
        make_archive(d, version, &ways[5], MPQ_FILE_DEFAULT_INTERNAL, 4096);
        size_t size = load_archive(d, archive_bytes, sizeof archive_bytes);
        if (version == 0) {
            save_archive(d->path, map, sizeof map, archive_bytes, size);
            compare_archives(d, d->path, "a map");
        }
        save_archive(d->path, (const uint8_t[1536]){ 'x' }, 1536, archive_bytes, size);
        compare_archives(d, d->path, "behind 1536 bytes");
        save_archive(d->path, user_data, sizeof user_data, archive_bytes, size);
        compare_archives(d, d->path, "behind user data");
    }
}

// Without the hash and block tables only the HET and BET tables are left.
static void het_and_bet_tables_are_enough(void **state)
{
    archive_fixture *d = *state;
    for (unsigned version = 2; version < 4; version++) {
        char judged[96];
        snprintf(judged, sizeof judged, "%s.judged", d->path);
        make_archive(d, version, &ways[version == 2 ? 3 : 5], MPQ_FILE_DEFAULT_INTERNAL, 4096);
        size_t size = load_archive(d, archive_bytes, sizeof archive_bytes);
        save_archive(judged, NULL, 0, archive_bytes, size);
        assert_int_not_equal(sni_load_u32(archive_bytes + 60), 0);
        memset(archive_bytes + 24, 0, 8);  // no hashes, no blocks
        save_archive(d->path, NULL, 0, archive_bytes, size);
        compare_archives(d, judged, version == 2 ? "HET, version 2" : "HET, version 3");
        unlink(judged);
    }
}

// Without a list of names the files have numbers; their names find them all the same.
static void names_need_no_list(void **state)
{
    archive_fixture *d = *state;
    for (unsigned i = 0; i < 4 * WAYS; i++) {
        HANDLE judge = NULL;
        const way *w = &ways[i / 4];
        make_archive(d, i % 4, w, 0, 4096);
        sn_archive *archive = sn_archive_open(d->path, NULL, &d->error);
        if (!archive) fail_msg("%s", d->error.message);
        assert_true(SFileOpenArchive(d->path, 0, MPQ_OPEN_READ_ONLY, &judge));
        assert_int_equal(sn_archive_describe(archive).file_count, FILES);
        for (int k = 0; k < (int)FILES; k++) {
            char number[32];
            sn_archive_entry entry;
            sn_bytes bytes;
            snprintf(number, sizeof number, "File%08d.xxx", k);
            assert_true(sn_archive_find(archive, number, &entry));
            assert_int_equal(entry.size, sizes[k]);
            compare_file(judge, archive, names[k], w->what);
            // The key of an encrypted file is its name, or follows from its table of sectors.
            bool has_table = (w->flags & MPQ_FILE_COMPRESS_MASK) && !(w->flags & MPQ_FILE_SINGLE_UNIT);
            if (!(w->flags & MPQ_FILE_ENCRYPTED) || has_table || sizes[k] == 0) {
                compare_file(judge, archive, number, w->what);
            } else {
                assert_int_equal(sn_archive_read(archive, number, &bytes, &d->error), SN_ERR_UNSUPPORTED);
            }
        }
        SFileCloseArchive(judge);
        sn_archive_close(archive);
    }
}

// Of several languages the neutral one, in whatever order they were added.
static void the_neutral_locale_is_preferred(void **state)
{
    static const LCID orders[][3] = { { 0, 0x409, 0x407 }, { 0x409, 0, 0x407 }, { 0x407, 0x409, 0 } };
    archive_fixture *d = *state;
    for (int i = 0; i < 3; i++) {
        HANDLE archive = NULL;
        unlink(d->path);
        assert_true(SFileCreateArchive(d->path, MPQ_CREATE_LISTFILE, 16, &archive));
        for (int k = 0; k < 3; k++) add_file(archive, 1, &ways[3], orders[i][k]);
        assert_true(SFileCloseArchive(archive));
        sn_archive *opened = sn_archive_open(d->path, NULL, &d->error);
        sn_bytes bytes;
        assert_non_null(opened);
        assert_int_equal(sn_archive_describe(opened).file_count, 1);
        assert_int_equal(sn_archive_read(opened, names[1], &bytes, &d->error), SN_OK);
        assert_int_equal(bytes.data[0], 0);
        sn_bytes_free(&bytes);
        sn_archive_close(opened);
    }
}

static void removed_files_are_gone(void **state)
{
    archive_fixture *d = *state;
    HANDLE archive = NULL;
    sn_archive_entry entry;
    make_archive(d, 0, &ways[3], MPQ_FILE_DEFAULT_INTERNAL, 4096);
    assert_true(SFileOpenArchive(d->path, 0, 0, &archive));
    assert_true(SFileRemoveFile(archive, names[0], 0));
    assert_true(SFileCloseArchive(archive));
    compare_archives(d, d->path, "one removed");
    sn_archive *opened = sn_archive_open(d->path, NULL, &d->error);
    assert_non_null(opened);
    assert_false(sn_archive_find(opened, names[0], &entry));
    sn_archive_close(opened);
}

// The archive that sinew's own writer makes is one for StormLib too.
static void the_sample_is_an_archive(void **state)
{
    static const char *const kept[] = { "Art\\Stored.txt", "sectors", "a\\secret", "encrypted",
                                        "imploded",        "bzip2",   "sparse" };
    static const char path[] = SINEW_TESTS_DIR "/sweep_samples/files.mpq";
    archive_fixture *d = *state;
    HANDLE judge = NULL;
    assert_true(SFileOpenArchive(path, 0, MPQ_OPEN_READ_ONLY, &judge));
    sn_archive *archive = sn_archive_open(path, NULL, &d->error);
    assert_non_null(archive);
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) compare_file(judge, archive, kept[i], "files.mpq");
    SFileCloseArchive(judge);
    sn_archive_close(archive);
}

#define with_archive(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_archive(every_version_and_way_is_read),   with_archive(headers_are_searched),
        with_archive(het_and_bet_tables_are_enough),   with_archive(names_need_no_list),
        with_archive(the_neutral_locale_is_preferred), with_archive(removed_files_are_gone),
        with_archive(the_sample_is_an_archive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
