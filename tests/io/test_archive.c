// Models in archives, through the library: what is loaded, where references are found, what is given back.
#include <pthread.h>
#include <sys/stat.h>

#include "archive_fixture.h"
#include "counting_heap.h"

static const char skin_model[] =
    "Version { FormatVersion 800, }\nModel \"x\" { BlendTime 150, }\n"
    "Textures 2 { Bitmap { Image \"Textures\\Skin.blp\", } Bitmap { Image \"up.blp\", } }\n";

typedef struct member {
    const char *name, *text;
} member;

static void put_big_endian(sni_writer *out, uint32_t value)
{
    for (int i = 3; i >= 0; i--) sni_write_u8(out, (uint8_t)(value >> 8 * i));
}

// A BIG archive by its description: header, list, files.
static void put_archive(archive_fixture *d, const member *members, uint32_t count)
{
    uint32_t at = 16;
    for (uint32_t i = 0; i < count; i++) at += 8 + (uint32_t)strlen(members[i].name) + 1;
    d->out.size = 0;
    sni_write_bytes(&d->out, "BIGF", 4);
    sni_write_u32(&d->out, 0);
    put_big_endian(&d->out, count);
    put_big_endian(&d->out, at);
    for (uint32_t i = 0; i < count; i++) {
        put_big_endian(&d->out, at);
        put_big_endian(&d->out, (uint32_t)strlen(members[i].text));
        sni_write_bytes(&d->out, members[i].name, strlen(members[i].name) + 1);
        at += (uint32_t)strlen(members[i].text);
    }
    for (uint32_t i = 0; i < count; i++) sni_write_bytes(&d->out, members[i].text, strlen(members[i].text));
    assert_true(open_archive(d));
}

typedef struct opened_files {
    int count;
    char last[128];
} opened_files;

static void count_opened(void *user, const char *path)
{
    opened_files *opened = user;
    opened->count++;
    snprintf(opened->last, sizeof opened->last, "%s", path);
}

static void assert_images(const sn_model *model, const char *first, const char *second)
{
    const char *const texts[2] = { first, second };
    assert_int_equal(model->image_count, 2);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(model->images[i].data != NULL, texts[i] != NULL);
        if (!texts[i]) continue;
        assert_int_equal(model->images[i].size, strlen(texts[i]));
        assert_memory_equal(model->images[i].data, texts[i], strlen(texts[i]));
    }
}

static void references_are_found_beside_the_model_first(void **state)
{
    archive_fixture *d = *state;
    const member members[] = { { "Units\\x.mdl", skin_model },
                               { "textures\\SKIN.blp", "far" },
                               { "units\\Textures\\skin.BLP", "near" },
                               { "Deep\\Er\\up.tga", "by name" } };
    opened_files opened = { 0 };
    sn_load_opts opts = { .opened = count_opened, .user = &opened };
    put_archive(d, members, 4);
    sn_model *model = sn_load_archive(d->archive, "UNITS/X.mdl", &opts, &d->error);
    if (!model) fail_msg("%s", d->error.message);
    assert_images(model, "near", "by name");
    assert_int_equal(opened.count, 3);
    assert_string_equal(opened.last, d->path);
    sn_model_free(model);
    assert_null(sn_load_archive(d->archive, "units/missing.mdl", NULL, &d->error));
    assert_int_equal(d->error.status, SN_ERR_IO);
    assert_null(sn_load_archive(d->archive, "../x.mdl", NULL, &d->error));
    assert_int_equal(d->error.status, SN_ERR_IO);
    sn_archive_close(d->archive);
}

static void searches_hold_archives(void **state)
{
    archive_fixture *d = *state;
    const member members[] = { { "Textures\\Skin.dds", "archived" } };
    put_archive(d, members, 1);
    sn_search *search = sn_search_create(NULL);
    assert_non_null(search);
    assert_int_equal(sn_search_add_archive(search, d->archive, &d->error), SN_OK);
    assert_int_equal(sn_search_add_folder(search, d->path, &d->error), SN_ERR_IO);
    assert_int_equal(sn_search_add_folder(search, "/tmp/sinew_no_such_folder", &d->error), SN_ERR_IO);
    sn_load_opts opts = { .name = "x.mdl", .search = search };
    sn_model *model = sn_load_memory(skin_model, sizeof skin_model - 1, &opts, &d->error);
    if (!model) fail_msg("%s", d->error.message);
    assert_images(model, "archived", NULL);
    sn_model_free(model);
    sn_search_free(search);
    sn_archive_close(d->archive);
}

static void damaged_textures_are_missing_textures(void **state)
{
    archive_fixture *d = *state;
    const member members[] = { { "x.mdl", skin_model }, { "Textures\\Skin.blp", "\x10\xFB packed, but not really" } };
    put_archive(d, members, 2);
    sn_model *model = sn_load_archive(d->archive, "x.mdl", NULL, &d->error);
    if (!model) fail_msg("%s", d->error.message);
    assert_images(model, NULL, NULL);
    assert_true(model->warning_count > 0);
    sn_model_free(model);
    sn_archive_close(d->archive);
}

static void every_failing_allocation_is_survived(void **state)
{
    archive_fixture *d = *state;
    const member members[] = { { "x.mdl", skin_model },
                               { "Textures\\Skin.blp", "a texture" },
                               { "up.blp", "another" } };
    counting_heap counts = { 0 };
    put_archive(d, members, 3);
    sn_archive_close(d->archive);
    bool is_done = false;
    for (uint64_t k = 1; !is_done; k++) {
        counts = (counting_heap){ .fail_at = k };
        const sn_archive_opts opts = { .allocator = counting_allocator(&counts) };
        const sn_load_opts load = { .allocator = opts.allocator };
        sn_bytes bytes = { 0 };
        sn_status status = SN_OK;
        sn_archive *archive = sn_archive_open(d->path, &opts, &d->error);
        if (archive) status = sn_archive_read(archive, "UP.blp", &bytes, &d->error);
        sn_model *model = archive && status == SN_OK ? sn_load_archive(archive, "x.mdl", &load, &d->error) : NULL;
        is_done = counts.calls < k;
        assert_int_equal(model != NULL, is_done);
        assert_int_equal(d->error.status, is_done ? SN_OK : SN_ERR_MEMORY);
        sn_model_free(model);
        sn_bytes_free(&bytes);
        sn_archive_close(archive);
        assert_int_equal(counts.live_blocks, 0);
        assert_true(k < 1000);
    }
}

static void limits_hold(void **state)
{
    archive_fixture *d = *state;
    const member members[] = { { "a.blp", "0123456789" } };
    sn_bytes bytes;
    put_archive(d, members, 1);
    sn_archive_close(d->archive);
    sn_archive *archive = sn_archive_open(d->path, &(sn_archive_opts){ .limits.file_bytes = 9 }, &d->error);
    assert_non_null(archive);
    assert_int_equal(sn_archive_read(archive, "a.blp", &bytes, &d->error), SN_ERR_LIMIT);
    assert_null(bytes.data);
    sn_bytes_free(&bytes);
    sn_archive_close(archive);
    assert_null(sn_archive_open(d->path, &(sn_archive_opts){ .limits.memory_bytes = 100 }, &d->error));
    assert_int_equal(d->error.status, SN_ERR_LIMIT);
}

// A kind of the program's own: one byte of the file is one file of the archive, named by its letter.
static sn_status letters_open(sn_archive *archive, const char *path, uint64_t bytes, void **handle, sn_error *error)
{
    static const char folder[] = "letters/";
    char name[16];
    (void)path, (void)error;
    for (uint64_t i = 0; i < bytes; i++) {
        snprintf(name, sizeof name, "%s%c", folder, (char)('a' + i));
        if (!sn_archive_add(archive, name, 1)) return SN_ERR_MEMORY;
    }
    *handle = (void *)(uintptr_t)folder;
    return bytes < 20 ? SN_OK : SN_ERR_FORMAT;
}

static void letters_close(void *handle) { assert_string_equal(handle, "letters/"); }

static bool letters_find(void *handle, const char *name, uint64_t *size)
{
    (void)handle;
    *size = 3;
    return strcmp(name, "hidden/file") == 0;
}

static sn_status letters_read(void *handle, const char *name, bool was_added, sn_archive_buffer *buffer,
                              sn_error *error)
{
    uint64_t size = was_added ? 1 : 3;
    (void)handle;
    if (strcmp(name, "letters/b") == 0) size = (uint64_t)1 << 29;  // out of one byte
    if (strcmp(name, "letters/c") == 0) {
        *error = (sn_error){ .message = "no\nsuch\x01" };
        return SN_ERR_CORRUPT;
    }
    char *data = sn_archive_reserve(buffer, size, 1);
    if (!data) return SN_ERR_MEMORY;
    memcpy(data, name + strlen(name) - size, (size_t)size);
    return SN_OK;
}

static const sn_archive_kind letters = { .title = "Letters",
                                         .extensions = "letters",
                                         .open = letters_open,
                                         .close = letters_close,
                                         .find = letters_find,
                                         .read = letters_read };

static void programs_add_kinds(void **state)
{
    archive_fixture *d = *state;
    sn_bytes bytes;
    sn_archive_entry entry;
    sni_write_bytes(&d->out, "abc", 3);
    assert_false(open_archive(d));
    sn_archive *archive = sn_archive_open(d->path, &(sn_archive_opts){ .kinds = &letters, .kind_count = 1 }, &d->error);
    if (!archive) fail_msg("%s", d->error.message);
    assert_string_equal(sn_archive_describe(archive).title, "Letters");
    assert_int_equal(sn_archive_describe(archive).file_count, 3);
    assert_int_equal(sn_archive_read(archive, "LETTERS\\A", &bytes, &d->error), SN_OK);
    assert_memory_equal(bytes.data, "a", 1);
    sn_bytes_free(&bytes);
    assert_true(sn_archive_find(archive, "hidden\\file", &entry));
    assert_string_equal(entry.name, "hidden\\file");
    assert_int_equal(sn_archive_read(archive, "hidden\\file", &bytes, &d->error), SN_OK);
    assert_memory_equal(bytes.data, "ile", 3);
    sn_bytes_free(&bytes);
    assert_int_equal(sn_archive_read(archive, "letters/b", &bytes, &d->error), SN_ERR_LIMIT);
    assert_non_null(strstr(d->error.message, "1 bytes unpack to 536870912"));
    assert_int_equal(sn_archive_read(archive, "letters/c", &bytes, &d->error), SN_ERR_CORRUPT);
    assert_string_equal(d->error.message, "no?such?");
    assert_null(bytes.data);
    sn_archive_close(archive);

    char path[80];  // by its extension
    snprintf(path, sizeof path, "%s.LETTERS", d->path);
    assert_int_equal(rename(d->path, path), 0);
    archive = sn_archive_open(path, &(sn_archive_opts){ .kinds = &letters, .kind_count = 1 }, &d->error);
    assert_int_equal(rename(path, d->path), 0);
    assert_non_null(archive);
    assert_int_equal(sn_archive_describe(archive).file_count, 3);
    sn_archive_close(archive);
}

#define with_desk(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_desk(references_are_found_beside_the_model_first),
        with_desk(searches_hold_archives),
        with_desk(damaged_textures_are_missing_textures),
        with_desk(every_failing_allocation_is_survived),
        with_desk(limits_hold),
        with_desk(programs_add_kinds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
