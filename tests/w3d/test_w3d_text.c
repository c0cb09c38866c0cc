// W3D as text: files come back byte for byte, text says what the format's description says, and wrong text is an error
// with a line.
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "check_w3d_text.h"
#include "sinew/sinew.h"

static void check_folder(const char *folder, int least)
{
    DIR *dir = opendir(folder);
    int count = 0;
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));) {
        const char *dot = strrchr(entry->d_name, '.');
        static uint8_t bytes[1 << 20];
        char path[1024];
        if (!dot || strcmp(dot, ".w3d") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        FILE *file = fopen(path, "rb");
        assert_non_null(file);
        const size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        assert_true(check_w3d_text(bytes, size));
        count++;
    }
    closedir(dir);
    assert_true(count >= least);
}

static void test_samples(void **state)
{
    (void)state;
    check_folder(SINEW_SAMPLES, 7);
    check_folder(SINEW_TESTS_DIR "/sweep_samples", 3);
}

// A chunk is its id, its size (bit 31: it holds chunks) and its payload.
static void test_bytes(void **state)
{
    static const char text[] =
        "\n{ \"w3d\": 1, \"chunks\": [\n"
        " {\"HIERARCHY\": [\n"
        "  {\"HIERARCHY_HEADER\": {\"center\": [0, 0, 0.5], \"name\": \"S\", \"pivots\": 1, \"version\": \"4.1\"}},\n"
        "  {\"PIVOTS\": [[[\"ROOT\", \"0102030405060708090a0b\"], -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]]},\n"
        "  {\"0xABCDE\": {\"hex\": [\"00ff\", \"10\"]}, \"size\": 2147483651}],\n"
        "  \"stray\": [\"aa\"]},\n"
        " {\"POINTS\": [[1, -0, \"0x7FC00001\"]]}],\n"
        " \"stray\": [\"bbcc\"]}";
    static const uint8_t wanted[] = {
        // HIERARCHY, 36 + 60 + 3 + three headers + 1
        0,
        1,
        0,
        0,
        124,
        0,
        0,
        0x80,
        1,
        1,
        0,
        0,
        36,
        0,
        0,
        0,
        1,
        0,
        4,
        0,
        'S',
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        1,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0x3F,
        2,
        1,
        0,
        0,
        60,
        0,
        0,
        0,
        'R',
        'O',
        'O',
        'T',
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        10,
        11,
        255,
        255,
        255,
        255,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0x80,
        0x3F,
        0xDE,
        0xBC,
        0x0A,
        0,
        3,
        0,
        0,
        0x80,
        0,
        0xFF,
        0x10,
        0xAA,
        // POINTS
        0x40,
        4,
        0,
        0,
        12,
        0,
        0,
        0,
        0,
        0,
        0x80,
        0x3F,
        0,
        0,
        0,
        0x80,
        1,
        0,
        0xC0,
        0x7F,
        0xBB,
        0xCC,
    };
    sn_error error;
    sn_bytes bytes;
    (void)state;
    sn_model *model = sn_load_memory(text, strlen(text), &(sn_load_opts){ .keep_document = true }, &error);
    if (!model) fail_msg("%s: %s (line %u)", error.path, error.message, error.line);
    assert_string_equal(model->format, "w3d");
    assert_int_equal(sn_save_memory(model, "w3d", NULL, &bytes, &error), SN_OK);
    assert_int_equal(bytes.size, sizeof wanted);
    assert_memory_equal(bytes.data, wanted, sizeof wanted);
    sn_bytes_free(&bytes);
    sn_model_free(model);
}

// What the text cannot say in numbers it says in hex, and the file is the same.
static void test_odd_bytes(void **state)
{
    static const uint8_t file[] = {
        0,    1, 0, 0, 60, 0, 0, 0,  // a hierarchy whose size is right, but does not say that it holds chunks
        1,    1, 0, 0, 36, 0, 0, 0,    1,    0, 4, 0,    'a',  0xFF, 'b', 0, 'x',  0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
        0,    0, 0, 0, 0,  0, 0, 0xC0, 0xFF, 0, 0, 0x80, 0x7F, 0,    0,   0, 0x80, 2, 1, 0, 0, 0, 0, 0, 0,  // no pivots
        0x40, 4, 0, 0, 5,  0, 0, 0,    1,    2, 3, 4,    5,  // points that are none
        9,    9,
    };
    (void)state;
    assert_true(check_w3d_text(file, sizeof file));
}

typedef struct mistake {
    const char *text;
    uint32_t line;
} mistake;

static void test_errors(void **state)
{
    static const mistake mistakes[] = {
        { "{\"w3d\": 2}", 1 },
        { "{\"w3d\": 1}", 1 },
        { "{\"w3d\": 1,\n\"chunks\": 3}", 2 },
        { "{\"w3d\": 1, \"chunks\": [\n{\"NOTHING\": []}]}", 2 },
        { "{\"w3d\": 1, \"chunks\": [\n{}]}", 2 },
        { "{\"w3d\": 1, \"chunks\": [\n{\"MESH\": {}}]}", 2 },
        { "{\"w3d\": 1, \"chunks\": [{\"MESH\":\n[3]}]}", 2 },
        { "{\"w3d\": 1, \"chunks\": [{\"POINTS\": [\n[1, 2]]}]}", 2 },
        { "{\"w3d\": 1, \"chunks\": [{\"POINTS\": [\n[1, 2, 3, 4]]}]}", 2 },
        { "{\"w3d\": 1, \"chunks\": [{\"POINTS\": [[1, 2,\n\"0xZ\"]]}]}", 2 },
        { "{\"w3d\": 1, \"chunks\": [{\"POINTS\": [1, 2]}]}", 1 },
        { "{\"w3d\": 1, \"chunks\": [{\"POINTS\": {\"hex\": [\"0\"]}}]}", 1 },
        { "{\"w3d\": 1, \"chunks\": [{\"POINTS\": {\"hex\": \"00\"}}]}", 1 },
        { "{\"w3d\": 1, \"chunks\": [{\"POINTS\": [], \"size\": -1}]}", 1 },
        { "{\"w3d\": 1, \"chunks\": [{\"POINTS\": [], \"POINTS\": []}]}", 1 },
        { "{\"w3d\": 1, \"chunks\": [{\"0x1FFFFFFFF\": {\"hex\": []}}]}", 1 },
        { "{\"w3d\": 1, \"chunks\": [{\"0x77\": [1]}]}", 1 },
        { "{\"w3d\": 1, \"chunks\": [{\"HIERARCHY_HEADER\": {\"version\": \"4.1\", \"name\": \"S\"}}]}", 1 },
        { "{\"w3d\": 1, \"chunks\": [{\"HLOD_SUB_OBJECT\": {\"bone\": 1.5, \"name\": \"S\"}}]}", 1 },
        { "{\"w3d\": 1, \"chunks\": [{\"HLOD_SUB_OBJECT\": {\"bone\": 1, \"name\": [\"S\", \"00\"]}}]}", 1 },
        { "{\"w3d\": 1, \"chunks\": [{\"HLOD_SUB_OBJECT\": {\"bone\": 1, \"name\": [\"S\"]}}]}", 1 },
        { "{\"w3d\": 1, \"chunks\": [{\"HLOD_SUB_OBJECT\": {\"bone\": 1, \"name\": [\"S\", \"00\", 1]}}]}", 1 },
        { "{\"w3d\": 1, \"chunks\": [{\"HLOD_SUB_OBJECT\": {\"bone\": 1, \"name\": \"S\", \"x\": 1}}]}", 1 },
        { "{\"w3d\": 1, \"chunks\": [{\"EMITTER_HEADER\": {\"version\": \"4\", \"name\": \"S\"}}]}", 1 },
        { "{\"w3d\": 1, \"chunks\": [{\"EMITTER_HEADER\": {\"version\": \"70000.1\", \"name\": \"S\"}}]}", 1 },
        { "{\"w3d\": 1, \"chunks\": []} 3", 1 },
        { "{\"w3d\": 1, \"chunks\": [", 1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
        sn_error error;
        sn_model *model = sn_load_memory(mistakes[i].text, strlen(mistakes[i].text), NULL, &error);
        if (model) fail_msg("%s is taken", mistakes[i].text);
        if (error.line != mistakes[i].line) fail_msg("%s: line %u: %s", mistakes[i].text, error.line, error.message);
    }
}

// Any model can be saved as text.
static void test_other_formats(void **state)
{
    sn_error error;
    sn_bytes text, bytes;
    (void)state;
    sn_model *model = sn_load_file(SINEW_SAMPLES "/crane.gltf", NULL, &error);
    assert_non_null(model);
    assert_int_equal(sn_save_memory(model, "w3d.json", NULL, &text, &error), SN_OK);
    assert_int_equal(sn_save_memory(model, "w3d", NULL, &bytes, &error), SN_OK);
    assert_true(check_w3d_text(text.data, text.size));
    sn_model *again = sn_load_memory(text.data, text.size, &(sn_load_opts){ .keep_document = true }, &error);
    sn_bytes written;
    assert_non_null(again);
    assert_int_equal(sn_save_memory(again, "w3d", NULL, &written, &error), SN_OK);
    assert_int_equal(written.size, bytes.size);
    assert_memory_equal(written.data, bytes.data, bytes.size);
    sn_bytes_free(&text);
    sn_bytes_free(&bytes);
    sn_bytes_free(&written);
    sn_model_free(again);
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_samples), cmocka_unit_test(test_bytes),
                                        cmocka_unit_test(test_odd_bytes), cmocka_unit_test(test_errors),
                                        cmocka_unit_test(test_other_formats) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
