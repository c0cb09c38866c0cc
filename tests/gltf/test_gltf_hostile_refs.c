// References of a glTF in a real folder, with links, pipes and devices in it: what is opened and what never is.
// (What a user's open_ref is asked for: test_gltf_refs.c.)
#include "check_model.h"
#include "little_endian.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

// One triangle of three floats each: 36 bytes.
static const float triangle[9] = { 0, 0, 0, 7, 0, 0, 0, 7, 0 };

// `uri` as it stands in the JSON text. Its buffer holds the triangle, its image nothing in particular.
static int write_model(char *out, size_t capacity, const char *buffer_uri, const char *image_uri)
{
    return snprintf(
        out, capacity,
        "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"mesh\":0}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"material\":0}]}],"
        "\"materials\":[{\"pbrMetallicRoughness\":{\"baseColorTexture\":{\"index\":0}}}],\"textures\":[{\"source\":0}],"
        "\"images\":[{\"uri\":\"%s\"}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":"
        "[7,7,0]}],"
        "\"bufferViews\":[{\"buffer\":0,\"byteLength\":36}],\"buffers\":[{\"byteLength\":36,\"uri\":\"%s\"}]}",
        image_uri, buffer_uri);
}

static const char inside[] = "data:application/octet-stream;base64,AAAAAAAAAAAAAAAAAADgQAAAAAAAAAAAAAAAAAAA4EAAAAAA";

static const char *const hostile[] = {
    "/etc/passwd",
    "//etc/passwd",
    "///x",
    "\\\\etc\\\\passwd",
    "\\\\\\\\server\\\\share",
    "//server/share/x",
    "/dev/zero",
    "/proc/self/environ",
    "..",
    "../x",
    "../../x",
    "a/../../x",
    "a/..",
    "./../x",
    "..\\\\x",
    "a\\\\..\\\\..\\\\x",
    "%2e%2e/x",
    "%2E%2E/x",
    "%2e./x",
    ".%2e/x",
    "..%2fx",
    "..%2Fx",
    "..%5cx",
    "..%5Cx",
    "%2e%2e%2fx",
    "%2e%2e%5cx",
    "a/%2e%2e/%2e%2e/x",
    "a%2f..%2f..%2fx",
    "%2fetc%2fpasswd",
    "%2Fetc/passwd",
    "%5c%5cserver%5cshare",
    "%5cetc",
    "\\u002e\\u002e/x",
    "\\u002fetc/passwd",
    "\\u002e%2e/x",
    "a%00.bin",
    "%00",
    "a\\u0000.bin",
    "..%00/x",
    "a.bin%00.png",
    "C:\\\\x",
    "c:/x",
    "c:x",
    "C%3a/x",
    "C%3A%5cx",
    "\\\\\\\\?\\\\C:\\\\x",
    "\\\\\\\\.\\\\pipe\\\\x",
    "file:///etc/passwd",
    "file:/etc/passwd",
    "file:x",
    "FILE:///etc/passwd",
    "file%3a///etc/passwd",
    "http://127.0.0.1/x",
    "https://h/x",
    "HTTP://h/x",
    "ftp://h/x",
    "javascript:x",
    "blob:x",
    "urn:x",
    "x-y:z",
    "smb://h/x",
    "about:blank",
    "~",
    "~/x",
    "~root/x",
    "%7e/x",
    "%7E",
    "./~/../../x",
    "a%0ab",
    "a%0d%0ab",
    "%1b[2J",
    "a\\nb",
    "\\u001b[2J",
    "a%7f",
    "a\\u007f",
    "",
    ".",
    "./",
    "%2e",
    "%2f",
};

static char folder[64];

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put_file(const char *name, const void *data, size_t size)
{
    FILE *file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
}

static const char *const links[][2] = { { "../secret.bin", "model/link.bin" },
                                        { "..", "model/up" },
                                        { "../model2/secret.bin", "model/near.bin" },
                                        { "link.bin", "model/chain.bin" },
                                        { "/dev/zero", "model/zero" },
                                        { "/proc/self/mem", "model/mem" },
                                        { "loop", "model/loop" },
                                        { "a.bin", "model/fine.bin" } };

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/sinew_refs_XXXXXX");
    if (!mkdtemp(folder)) return -1;
    mkdir(in_folder("model"), 0700), mkdir(in_folder("model/sub"), 0700), mkdir(in_folder("model2"), 0700);
    put_file("model/a.bin", LITTLE_ENDIAN(triangle), sizeof triangle);
    put_file("model/sub/a b.bin", LITTLE_ENDIAN(triangle), sizeof triangle);
    put_file("secret.bin", LITTLE_ENDIAN(triangle), sizeof triangle);
    put_file("model2/secret.bin", LITTLE_ENDIAN(triangle), sizeof triangle);
    for (size_t i = 0; i < sizeof links / sizeof *links; i++)
        if (symlink(links[i][0], in_folder(links[i][1])) != 0) return -1;
    alarm(30);  // opening the pipe would wait for ever
    return mkfifo(in_folder("model/pipe"), 0600);
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const files[] = { "model/model.gltf", "model/pipe",  "model/sub/a b.bin",
                                         "model/sub",        "model/a.bin", "model2/secret.bin",
                                         "model2",           "secret.bin" };
    for (size_t i = 0; i < sizeof links / sizeof *links; i++) remove(in_folder(links[i][1]));
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) remove(in_folder(files[i]));
    remove(in_folder("model"));
    alarm(0);
    return rmdir(folder);
}

static bool loads_with(const char *uri, bool relative)
{
    char text[2048];
    int size = write_model(text, sizeof text, uri, inside);
    put_file("model/model.gltf", text, (size_t)size);
    sn_error error;
    sn_model *model = sn_load_file(relative ? "model.gltf" : in_folder("model/model.gltf"), NULL, &error);
    if (model) check_model(model);
    else check_error(&error);
    bool has_triangle = model && model->mesh_count == 1 && model->meshes[0].positions[1].x == 7;
    sn_model_free(model);
    return has_triangle;
}

static void files_beside_the_model_are_opened(void **state)
{
    (void)state;
    static const char *const good[] = {
        "a.bin", "./a.bin", "sub/a b.bin", "sub/a%20b.bin", "sub\\\\a b.bin", "fine.bin"
    };
    char before[4096];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(in_folder("model")), 0);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        for (int relative = 0; relative < 2; relative++)
            if (!loads_with(good[i], relative)) fail_msg("%s was not loaded", good[i]);
    assert_int_equal(chdir(before), 0);
}

static void nothing_else_is_opened(void **state)
{
    (void)state;
    char absolute[256], file_uri[300];
    snprintf(absolute, sizeof absolute, "%s", in_folder("model/a.bin"));  // even inside: absolute is absolute
    snprintf(file_uri, sizeof file_uri, "file://%s", absolute);
    const char *const bad[] = { absolute,
                                file_uri,
                                "../secret.bin",
                                "%2e%2e/secret.bin",
                                "..\\\\secret.bin",
                                "sub/../../secret.bin",
                                "link.bin",
                                "chain.bin",
                                "near.bin",
                                "up/secret.bin",
                                "up/model/a.bin",
                                "zero",
                                "mem",
                                "loop",
                                "pipe",
                                "sub",
                                ".",
                                "missing.bin",
                                "../model/a.bin",
                                "sub/../a.bin" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        bool leads_back_inside = strcmp(bad[i], "up/model/a.bin") ==
                                 0;  // a link out and in again: either result is safe
        if (loads_with(bad[i], false) && !leads_back_inside) fail_msg("%s was opened", bad[i]);
    }
    assert_true(sizeof hostile / sizeof *hostile >= 60);
    for (size_t i = 0; i < sizeof hostile / sizeof *hostile; i++)
        if (loads_with(hostile[i], false)) fail_msg("%s was opened", hostile[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(files_beside_the_model_are_opened, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(nothing_else_is_opened, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
