// glTF URIs: data inside the JSON, files beside the model, and those that must never be asked for.
#include "check_model.h"
#include "gltf_text.h"
#include "little_endian.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const float point[3] = { 1.5f, -2.0f, 4.0f };
#define POINT_BASE64 "AADAPwAAAMAAAIBA"  // 00 00 C0 3F  00 00 00 C0  00 00 80 40

static const char *image_file(const char *uri)
{
    static char json[8192], text[8192];
    snprintf(json, sizeof json, "{" ASSET ",'images':[{'uri':'%s'}]}", uri);
    return quoted(json, text, sizeof text);
}

static const char *point_file(const char *uri, int size)
{
    static char json[8192], text[8192];
    snprintf(json, sizeof json,
             "{" ASSET ",'buffers':[{'byteLength':%d,'uri':'%s'}],"
             "'bufferViews':[{'buffer':0,'byteLength':12}],"
             "'accessors':[{'bufferView':0,'componentType':5126,'type':'VEC3','count':1}],"
             "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':0}]}],'nodes':[{'mesh':0}]}",
             size, uri);
    return quoted(json, text, sizeof text);
}

static void expect_point(sn_model *model)
{
    assert_int_equal(model->mesh_count, 1);
    assert_memory_equal(model->meshes[0].positions, point, sizeof point);
    sn_model_free(model);
}

static void expect_image(const char *uri, const char *bytes)
{
    sn_model *model = load_raw(image_file(uri));
    if (!model->images[0].data || model->images[0].size != strlen(bytes) ||
        memcmp(model->images[0].data, bytes, strlen(bytes)) != 0)
        fail_msg("%s does not say %s", uri, bytes);
    assert_string_equal(model->images[0].uri, "");
    assert_int_equal(count_warnings(model, SNI_WARN_IMAGE_MISSING), 0);
    sn_model_free(model);
}

static void base64_test_vectors(void **state)  // of RFC 4648
{
    (void)state;
    static const char *const rows[][3] = {
        { "", "", "" },
        { "Zg==", "Zg", "f" },
        { "Zm8=", "Zm8", "fo" },
        { "Zm9v", "Zm9v", "foo" },
        { "Zm9vYg==", "Zm9vYg", "foob" },
        { "Zm9vYmE=", "Zm9vYmE", "fooba" },
        { "Zm9vYmFy", "Zm9vYmFy", "foobar" },
        { "+/+/", "+/+/", "\xFB\xFF\xBF" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int padded = 0; padded < 2; padded++) {
            char uri[64];
            snprintf(uri, sizeof uri, "data:image/png;base64,%s", rows[i][padded]);
            expect_image(uri, rows[i][2]);
        }
    }
}

static void data_uri_spellings(void **state)
{
    (void)state;
    expect_image("data:;base64,Zm9v", "foo");
    expect_image("DATA:image/png;BASE64,Zm9v", "foo");
    expect_image("Data:application/octet-stream;Base64,Zm9v", "foo");
    expect_image("data:text/plain;charset=utf-8;base64,Zm9v", "foo");
    expect_image("data:image/png;base64, Z m\\n9\\tv\\r\\n ", "foo");
    expect_image("data:image/png;base64,Zm8 = \\n", "fo");
    expect_image("data:,foo", "foo");
    expect_image("data:text/plain,a%20b%2Cc%41,d", "a b,cA,d");
    expect_image("data:base64,Zm9v", "Zm9v");  // a media type of that name, not the marker
    expect_image("data:,%2541", "%41");        // decoded once
}

static void data_uris_that_are_none(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "Z",   "Zm9vY",      "Zm9v!",       "Zm9v.",  "Zg=x",  "Zg==Zg==",
        "=Zg", "Zm\xC3\xA9", "Zm9v\\u0000", "%5Am9v", "Zm9v,", "Z\\u000bg",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof bodies[0]; i++) {
        char uri[96];
        snprintf(uri, sizeof uri, "data:image/png;base64,%s", bodies[i]);
        sn_model *model = load_raw(image_file(uri));
        if (model->images[0].data) fail_msg("%s was decoded", uri);
        assert_int_equal(count_warnings(model, SNI_WARN_IMAGE_MISSING), 1);
        sn_model_free(model);
        const char *file = point_file(uri, 12);
        refuse_bytes(file, strlen(file), NULL, SN_ERR_IO);
    }
    sn_model *model = load_raw(image_file("data:image/png;base64"));
    assert_null(model->images[0].data);
    sn_model_free(model);
}

// - and _ belong to another alphabet.
static void base64_for_urls_is_another_alphabet(void **state)
{
    (void)state;
    sn_model *model = load_raw(image_file("data:image/png;base64,-_-_"));
    assert_null(model->images[0].data);
    sn_model_free(model);
}

static void buffer_in_a_data_uri(void **state)
{
    (void)state;
    expect_point(load_raw(point_file("data:application/octet-stream;base64," POINT_BASE64, 12)));
    expect_point(load_raw(point_file("data:;base64,AADAP wAA\\n\\tAMAA  AIBA", 12)));
    expect_point(load_raw(point_file("DATA:application/gltf-buffer;base64," POINT_BASE64 "QQ==", 13)));
    expect_point(load_raw(point_file("data:image/png;base64," POINT_BASE64 "QUI", 14)));
    expect_point(load_raw(point_file("data:application/octet-stream,%00%00%c0%3F%00%00%00%C0%00%00%80@", 12)));
    const char *file = point_file("data:;base64," POINT_BASE64, 13);
    assert_string_equal(refuse_bytes(file, strlen(file), NULL, SN_ERR_TRUNCATED).path, "/buffers/0");
}

static void data_uri_longer_than_the_buffer_is_told(void **state)
{
    (void)state;
    sn_model *model = load_raw(point_file("data:;base64," POINT_BASE64 "QUJDRA==", 12));
    assert_int_equal(count_warnings(model, SNI_WARN_GLTF_BUFFER), 1);
    expect_point(model);
}

static void expect_asked(const char *uri, const char *asked)
{
    test_shelf shelf = { .files = { { asked, LITTLE_ENDIAN(point), sizeof point } } };
    sn_load_opts opts = shelf_opts(&shelf);
    const char *file = point_file(uri, 12);
    sn_model *model = load_bytes(file, strlen(file), &opts);
    assert_string_equal(shelf.asked, asked);
    assert_int_equal(shelf.calls, 1);
    assert_int_equal(model->warning_count, 0);
    expect_point(model);
    shelf = (test_shelf){ .files = { { asked, "\xFF\xD8\xFF", 3 } } };
    file = image_file(uri);
    model = load_bytes(file, strlen(file), &opts);
    assert_string_equal(shelf.asked, asked);
    assert_int_equal(model->images[0].size, 3);
    assert_string_equal(model->images[0].mime_type, "image/jpeg");
    sn_model_free(model);
}

static void references_are_cleaned(void **state)
{
    (void)state;
    expect_asked("a.bin", "a.bin");
    expect_asked("a b.bin", "a b.bin");
    expect_asked("a%20b.bin", "a b.bin");
    expect_asked("a%2520b.bin", "a%20b.bin");  // decoded exactly once
    expect_asked("%252e%252e/x", "%2e%2e/x");
    expect_asked("a+b.bin", "a+b.bin");
    expect_asked("100%.bin", "100%.bin");
    expect_asked("100%zz.bin", "100%zz.bin");
    expect_asked("sub/a.bin", "sub/a.bin");
    expect_asked("sub%2fa.bin", "sub/a.bin");
    expect_asked("sub\\\\a.bin", "sub/a.bin");
    expect_asked("./sub/.//a.bin", "sub/a.bin");
    expect_asked("...", "...");
    expect_asked("..a/b..", "..a/b..");
    expect_asked("\xC3\xA9t\xC3\xA9.bin", "\xC3\xA9t\xC3\xA9.bin");  // raw
    expect_asked("\\u00e9t\\u00E9.bin", "\xC3\xA9t\xC3\xA9.bin");    // JSON's escape
    expect_asked("%C3%a9t%c3%A9.bin", "\xC3\xA9t\xC3\xA9.bin");      // the URI's escape
    expect_asked("\\ud83d\\ude00.bin", "\xF0\x9F\x98\x80.bin");
    expect_asked("$HOME/`id`.bin", "$HOME/`id`.bin");  // nothing is expanded
    expect_asked("$(id);x|y&z*.bin", "$(id);x|y&z*.bin");
    expect_asked("a/~b.bin", "a/~b.bin");
    expect_asked("datax.bin", "datax.bin");
}

// As they stand in the JSON: \\ is one backslash there.
static const char *const hostile[] = {
    "../x",
    "..",
    "../",
    "../../../../etc/passwd",
    "a/../../x",
    "a/b/../../../x",
    "./../x",
    ".//../x",
    "a//../../x",
    "..\\\\x",
    "..\\\\..\\\\x",
    "a\\\\..\\\\..\\\\x",
    "a/..\\\\../x",
    ".\\\\..\\\\x",
    "%2e%2e/x",
    "%2E%2E/x",
    "%2e%2E%2fx",
    "..%2fx",
    "..%2Fx",
    "..%5cx",
    "..%5Cx",
    "%2e./x",
    ".%2e/x",
    "a/%2e%2e/%2e%2e/x",
    "%2e%2e%5c%2e%2e%5cx",
    "%2e%2e",
    "\\u002e\\u002e/x",
    "\\u002e%2e\\u002fx",
    "a/..%5c..%5cx",
    "/x",
    "/",
    "//",
    "/etc/passwd",
    "//server/share/x",
    "///x",
    "\\\\x",
    "\\\\\\\\server\\\\share\\\\x",
    "%2fetc/passwd",
    "%2Fx",
    "%5cx",
    "%5C%5Cserver%5Cx",
    "\\u002fetc/passwd",
    "/..",
    "\\\\\\\\?\\\\C:\\\\x",
    "\\\\\\\\.\\\\pipe\\\\x",
    "//./x",
    "//?/C:/x",
    "C:/x",
    "c:\\\\x",
    "C:x",
    "C:",
    "C%3A/x",
    "c%3ax",
    "Z:..\\\\x",
    "x.bin:stream",
    "x.bin::$DATA",
    "a/c:/x",
    "file:///etc/passwd",
    "file:x",
    "FILE:///x",
    "file%3a///x",
    "http://h/x",
    "https://h/x",
    "HTTP://H/X",
    "http:x",
    "ftp://h/x",
    "smb://h/x",
    "javascript:alert(1)",
    "jar:file:x!/y",
    "blob:x",
    "about:blank",
    "urn:x",
    "mailto:x",
    ":x",
    "x:",
    "x%00.bin",
    "%00",
    "a%00/../x",
    "%00../x",
    "x%0a",
    "x%0d%0ay",
    "x%1b[2J",
    "x%7f",
    "x%01",
    "x\\ny",
    "x\\ty",
    "x\\u0007",
    "~/x",
    "~root/x",
    "~",
    "%7e/x",
    "%7Eroot/x",
    "\\u007e/x",
    "./~/x",
    "~\\\\x",
    "",
    ".",
    "./",
    "././.",
    "%2e",
    "%2e/",
};

static void hostile_references_are_never_asked_for(void **state)
{
    (void)state;
    const size_t count = sizeof hostile / sizeof hostile[0];
    assert_true(count >= 60);
    for (size_t i = 0; i < count; i++) {
        test_shelf shelf = { 0 };
        sn_load_opts opts = shelf_opts(&shelf);
        const char *file = image_file(hostile[i]);
        sn_model *model = load_bytes(file, strlen(file), &opts);
        if (shelf.calls) fail_msg("image %s was asked for as %s", hostile[i], shelf.asked);
        assert_null(model->images[0].data);
        assert_int_equal(count_warnings(model, SNI_WARN_IMAGE_MISSING), 1);
        assert_int_equal(count_warnings(model, SNI_WARN_FILE_REFUSED), 1);
        sn_model_free(model);
        file = point_file(hostile[i], 12);
        sn_error error = refuse_bytes(file, strlen(file), &opts, SN_ERR_IO);
        if (shelf.calls) fail_msg("buffer %s was asked for as %s", hostile[i], shelf.asked);
        assert_true(error.message[0] != 0);
    }
}

static void references_too_long_are_refused(void **state)
{
    (void)state;
    static char name[6000];
    for (size_t size = 4000; size < sizeof name; size += 96) {
        memset(name, 'a', size);
        name[size] = 0;
        test_shelf shelf = { 0 };
        sn_load_opts opts = shelf_opts(&shelf);
        const char *file = image_file(name);
        sn_model *model = load_bytes(file, strlen(file), &opts);
        assert_null(model->images[0].data);
        assert_int_equal(shelf.calls, size < 4096);
        assert_int_equal(count_warnings(model, SNI_WARN_IMAGE_MISSING), 1);
        sn_model_free(model);
    }
}

static void nothing_is_opened_without_open_ref(void **state)
{
    (void)state;
    sn_model *model = load_raw(image_file("test_gltf_refs"));  // a file that is there, wherever ctest runs
    assert_null(model->images[0].data);
    assert_string_equal(model->images[0].uri, "test_gltf_refs");
    assert_int_equal(count_warnings(model, SNI_WARN_IMAGE_MISSING), 1);
    sn_model_free(model);
}

static void missing_buffers(void **state)
{
    (void)state;
    test_shelf shelf = { 0 };
    sn_load_opts opts = shelf_opts(&shelf);
    const char *file = point_file("gone.bin", 12);
    sn_error error = refuse_bytes(file, strlen(file), &opts, SN_ERR_IO);
    assert_non_null(strstr(error.message, "gone.bin"));
    sn_model *model = load_json("{" ASSET ",'buffers':[{'byteLength':12,'uri':'gone.bin'}]}");  // nobody reads it
    assert_int_equal(count_warnings(model, SNI_WARN_FILE_MISSING), 1);
    sn_model_free(model);
}

static void files_shorter_or_longer_than_the_buffer(void **state)
{
    (void)state;
    float longer[5] = { point[0], point[1], point[2], 9, 9 };
    test_shelf shelf = { .files = { { "a.bin", LITTLE_ENDIAN(longer), sizeof longer } } };
    sn_load_opts opts = shelf_opts(&shelf);
    const char *file = point_file("a.bin", 12);
    sn_model *model = load_bytes(file, strlen(file), &opts);
    assert_int_equal(model->warning_count, 0);
    expect_point(model);
    shelf.files[0].size = 11;
    refuse_bytes(file, strlen(file), &opts, SN_ERR_TRUNCATED);
    shelf.files[0].size = 0;
    refuse_bytes(file, strlen(file), &opts, SN_ERR_TRUNCATED);
}

static int count_asked(const char *members)
{
    test_shelf shelf = { .files = { { "a b.bin", LITTLE_ENDIAN(point), sizeof point },
                                    { "c.png", "\x89PNG\r\n\x1A\n", 8 } } };
    sn_load_opts opts = shelf_opts(&shelf);
    char json[1024], text[1024];
    snprintf(json, sizeof json, "{" ASSET ",%s}", members);
    quoted(json, text, sizeof text);
    sn_model *model = load_bytes(text, strlen(text), &opts);
    assert_int_equal(model->warning_count, 0);
    for (uint32_t i = 0; i < model->image_count; i++) assert_non_null(model->images[i].data);
    sn_model_free(model);
    assert_int_equal(shelf.calls, shelf.found);
    return shelf.calls;
}

static void one_file_for_two_buffers_is_read_once(void **state)
{
    (void)state;
    assert_int_equal(count_asked("'buffers':[{'byteLength':12,'uri':'a b.bin'},{'byteLength':4,'uri':'a b.bin'}]"), 1);
}

static void one_file_in_two_spellings_is_read_once(void **state)
{
    (void)state;
    assert_int_equal(count_asked("'buffers':[{'byteLength':12,'uri':'a b.bin'},{'byteLength':4,"
                                 "'uri':'./a%20b.bin'}]"),
                     1);
}

static void one_file_for_two_images_is_read_once(void **state)
{
    (void)state;
    assert_int_equal(count_asked("'images':[{'uri':'c.png'},{'uri':'c.png'},{'uri':'c%2epng'}]"), 1);
}

static void a_buffer_shorter_than_its_twin(void **state)
{
    (void)state;
    test_shelf shelf = { .files = { { "a.bin", LITTLE_ENDIAN(point), sizeof point } } };
    sn_load_opts opts = shelf_opts(&shelf);
    char text[1024];
    quoted("{" ASSET ",'buffers':[{'byteLength':4,'uri':'a.bin'},{'byteLength':12,'uri':'a.bin'}],"
           "'bufferViews':[{'buffer':1,'byteLength':12}],"
           "'accessors':[{'bufferView':0,'componentType':5126,'type':'VEC3','count':1}],"
           "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':0}]}],'nodes':[{'mesh':0}]}",
           text, sizeof text);
    expect_point(load_bytes(text, strlen(text), &opts));  // the file has the 12 bytes, whatever the first took
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64_test_vectors),
        cmocka_unit_test(data_uri_spellings),
        cmocka_unit_test(data_uris_that_are_none),
        cmocka_unit_test(base64_for_urls_is_another_alphabet),
        cmocka_unit_test(buffer_in_a_data_uri),
        cmocka_unit_test(data_uri_longer_than_the_buffer_is_told),
        cmocka_unit_test(references_are_cleaned),
        cmocka_unit_test(hostile_references_are_never_asked_for),
        cmocka_unit_test(references_too_long_are_refused),
        cmocka_unit_test(nothing_is_opened_without_open_ref),
        cmocka_unit_test(missing_buffers),
        cmocka_unit_test(files_shorter_or_longer_than_the_buffer),
        cmocka_unit_test(one_file_for_two_buffers_is_read_once),
        cmocka_unit_test(one_file_in_two_spellings_is_read_once),
        cmocka_unit_test(one_file_for_two_images_is_read_once),
        cmocka_unit_test(a_buffer_shorter_than_its_twin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
