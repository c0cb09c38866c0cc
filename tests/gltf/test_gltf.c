// glTF containers and JSON: what is taken, what is refused and where, which versions and extensions are read.
#include "check_model.h"
#include "gltf_text.h"
#include "little_endian.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MINIMAL "{" ASSET "}"

// A mesh of one point shows which bytes were read.
#define POINT_MEMBERS                                                              \
    "'bufferViews':[{'buffer':0,'byteLength':12}],"                                \
    "'accessors':[{'bufferView':0,'componentType':5126,'type':'VEC3','count':1}]," \
    "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':0}]}],'nodes':[{'mesh':0}]"

static const float point[3] = { 1.5f, -2.0f, 4.0f }, other_point[3] = { 7.0f, 8.0f, 9.0f };

static test_bytes file;

static void start_glb(const char *json)
{
    put_glb_header(&file, 2);
    put_json_chunk(&file, json);
}

static sn_model *load_glb(void)
{
    close_glb(&file);
    return load_bytes(file.data, file.size, NULL);
}

static void expect_point(const sn_model *model, const float *expected)
{
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->meshes[0].vertex_count, 1);
    assert_memory_equal(model->meshes[0].positions, expected, sizeof point);
}

static void glb_of_one_chunk_loads(void **state)
{
    (void)state;
    start_glb(MINIMAL);
    sn_model *model = load_glb();
    assert_string_equal(model->format, "gltf");
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(model->default_scene, -1);
    assert_int_equal(model->up_axis, SN_Y_UP);
    sn_model_free(model);
}

static void glb_header_cut_short(void **state)
{
    (void)state;
    start_glb(MINIMAL);
    close_glb(&file);
    for (size_t size = 4; size < file.size; size++) refuse_bytes(file.data, size, NULL, SN_ERR_TRUNCATED);
}

static void glb_versions(void **state)
{
    (void)state;
    put_glb_header(&file, 1);
    put_json_chunk(&file, MINIMAL);
    close_glb(&file);
    sn_error error = refuse_bytes(file.data, file.size, NULL, SN_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "glTF 1.0"));
    assert_int_equal(error.offset, 4);
    const uint8_t versions[] = { 0, 3, 255 };
    for (size_t i = 0; i < sizeof versions; i++) {
        file.data[4] = versions[i];
        refuse_bytes(file.data, file.size, NULL, SN_ERR_UNSUPPORTED);
    }
}

static void glb_length_larger_than_the_file(void **state)
{
    (void)state;
    start_glb(MINIMAL);
    close_glb(&file);
    file.data[8]++;
    assert_int_equal(refuse_bytes(file.data, file.size, NULL, SN_ERR_TRUNCATED).offset, 8);
    memset(file.data + 8, 0xFF, 4);
    assert_int_equal(refuse_bytes(file.data, file.size, NULL, SN_ERR_TRUNCATED).offset, 8);
}

static void glb_length_smaller_than_the_file(void **state)
{
    (void)state;
    start_glb(MINIMAL);
    close_glb(&file);
    put_bytes(&file, "this is no chunk", 16);
    sn_model *model = load_bytes(file.data, file.size, NULL);
    assert_int_equal(count_warnings(model, SNI_WARN_GLB_LENGTH), 1);
    assert_int_equal(model->warning_count, 1);
    sn_model_free(model);
    for (uint8_t length = 0; length < 20; length++) {  // no room for a chunk header
        memset(file.data + 8, 0, 4);
        file.data[8] = length;
        sn_error error;
        assert_null(sn_load_memory(file.data, file.size, NULL, &error));
        assert_true(error.status == SN_ERR_CORRUPT || error.status == SN_ERR_TRUNCATED);
    }
}

static void glb_first_chunk_is_not_json(void **state)
{
    (void)state;
    put_glb_header(&file, 2);
    put_chunk(&file, GLB_BIN, LITTLE_ENDIAN(point), sizeof point);
    put_json_chunk(&file, MINIMAL);
    close_glb(&file);
    refuse_bytes(file.data, file.size, NULL, SN_ERR_CORRUPT);
}

static void glb_chunk_past_the_total_length(void **state)
{
    (void)state;
    start_glb(MINIMAL);
    put_chunk(&file, GLB_BIN, LITTLE_ENDIAN(point), sizeof point);
    close_glb(&file);
    put_bytes(&file, "bytes that exist but are not of the model", 41);
    size_t bin = file.size - 41 - sizeof point - 8;
    for (int i = 0; i < 3; i++) {
        static const uint32_t sizes[] = { 13, 53, UINT32_MAX };
        for (int b = 0; b < 4; b++) file.data[bin + (size_t)b] = (uint8_t)(sizes[i] >> (8 * b));
        sn_error error;
        assert_null(sn_load_memory(file.data, file.size, NULL, &error));
        check_error(&error);
        assert_true(error.status == SN_ERR_CORRUPT || error.status == SN_ERR_TRUNCATED);
    }
}

static void glb_chunk_no_multiple_of_four(void **state)
{
    (void)state;
    put_glb_header(&file, 2);
    char json[512];
    quoted("{" ASSET ",'buffers':[{'byteLength':12}]," POINT_MEMBERS "} ", json, sizeof json);
    size_t size = strlen(json);
    while (size % 4 != 1) json[size++] = ' ';
    put_chunk(&file, GLB_JSON, json, size);
    put_chunk(&file, GLB_BIN, LITTLE_ENDIAN(point), sizeof point);
    sn_model *model = load_glb();
    assert_int_equal(count_warnings(model, SNI_WARN_GLB_CHUNK), 1);
    expect_point(model, point);  // read on at the stated length
    sn_model_free(model);
}

static void glb_bin_is_not_the_second_chunk(void **state)
{
    (void)state;
    start_glb("{" ASSET ",'buffers':[{'byteLength':12}]," POINT_MEMBERS "}");
    put_chunk(&file, 0x12345678, "four", 4);
    put_chunk(&file, GLB_BIN, LITTLE_ENDIAN(point), sizeof point);
    sn_model *model = load_glb();
    assert_int_equal(count_warnings(model, SNI_WARN_GLB_CHUNK), 1);
    expect_point(model, point);
    sn_model_free(model);
}

static void glb_first_of_two_counts(void **state)
{
    (void)state;
    start_glb("{" ASSET ",'buffers':[{'byteLength':12}]," POINT_MEMBERS "}");
    put_chunk(&file, GLB_BIN, LITTLE_ENDIAN(point), sizeof point);
    put_chunk(&file, GLB_BIN, LITTLE_ENDIAN(other_point), sizeof other_point);
    put_json_chunk(&file, MINIMAL);
    sn_model *model = load_glb();
    assert_true(warns_at(model, SNI_WARN_GLB_CHUNK, "/chunk/2"));
    assert_true(warns_at(model, SNI_WARN_GLB_CHUNK, "/chunk/3"));
    expect_point(model, point);
    sn_model_free(model);
}

static void glb_unknown_chunks_are_ignored(void **state)
{
    (void)state;
    start_glb("{" ASSET ",'buffers':[{'byteLength':12}]," POINT_MEMBERS "}");
    put_chunk(&file, GLB_BIN, LITTLE_ENDIAN(point), sizeof point);
    put_chunk(&file, 0x12345678, "four", 4);
    put_chunk(&file, 0, "", 0);
    sn_model *model = load_glb();
    assert_int_equal(model->warning_count, 0);
    expect_point(model, point);
    sn_model_free(model);
}

static void glb_bin_size_against_the_buffer(void **state)
{
    (void)state;
    for (uint32_t extra = 0; extra <= 8; extra += 1) {
        char json[512];
        snprintf(json, sizeof json, "{" ASSET ",'buffers':[{'byteLength':%u}]}", 16 - extra);
        start_glb(json);
        put_chunk(&file, GLB_BIN, "0123456789ABCDEF", 16);
        sn_model *model = load_glb();
        assert_int_equal(count_warnings(model, SNI_WARN_GLTF_BUFFER), extra > 3);
        assert_int_equal(model->warning_count, extra > 3);
        sn_model_free(model);
    }
    start_glb("{" ASSET ",'buffers':[{'byteLength':17}]}");
    put_chunk(&file, GLB_BIN, "0123456789ABCDEF", 16);
    close_glb(&file);
    assert_string_equal(refuse_bytes(file.data, file.size, NULL, SN_ERR_TRUNCATED).path, "/buffers/0");
}

static void glb_empty_bin_is_ignored(void **state)
{
    (void)state;
    start_glb(MINIMAL);
    put_chunk(&file, GLB_BIN, "", 0);
    sn_model *model = load_glb();
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
}

static void buffer_without_data_is_an_error_only_if_read(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET ",'buffers':[{'byteLength':12}],'bufferViews':[{'buffer':0,"
                                "'byteLength':12}]}");
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
    model = load_json("{" ASSET ",'buffers':[{'byteLength':12}]," POINT_MEMBERS "}");
    assert_int_equal(model->mesh_count, 0);  // an error for the primitive, never zeros
    assert_true(count_warnings(model, SNI_WARN_GLTF_PRIMITIVE) == 1);
    sn_model_free(model);
    start_glb(  // a later buffer does not get the BIN chunk
        "{" ASSET ",'buffers':[{'byteLength':12},{'byteLength':12}],"
        "'bufferViews':[{'buffer':1,'byteLength':12}],"
        "'accessors':[{'bufferView':0,'componentType':5126,'type':'VEC3','count':1}],"
        "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':0}]}]}");
    put_chunk(&file, GLB_BIN, LITTLE_ENDIAN(point), sizeof point);
    model = load_glb();
    assert_int_equal(model->mesh_count, 0);
    sn_model_free(model);
}

static void glb_buffer_with_a_uri_leaves_bin_unused(void **state)
{
    (void)state;
    start_glb("{" ASSET ",'buffers':[{'byteLength':12,'uri':'far%20away.bin'}]," POINT_MEMBERS "}");
    put_chunk(&file, GLB_BIN, LITTLE_ENDIAN(other_point), sizeof other_point);
    close_glb(&file);
    test_shelf shelf = { .files = { { "far away.bin", LITTLE_ENDIAN(point), sizeof point } } };
    sn_load_opts opts = shelf_opts(&shelf);
    sn_model *model = load_bytes(file.data, file.size, &opts);
    assert_int_equal(count_warnings(model, SNI_WARN_GLB_CHUNK), 1);
    assert_int_equal(shelf.calls, 1);
    expect_point(model, point);
    sn_model_free(model);
}

static void byte_order_mark_is_skipped(void **state)
{
    (void)state;
    char json[64] = "\xEF\xBB\xBF", body[32];
    strcat(json, quoted(MINIMAL, body, sizeof body));
    sn_model *model = load_raw(json);
    assert_int_equal(count_warnings(model, SNI_WARN_JSON_BOM), 1);
    sn_model_free(model);
    start_glb(json);
    model = load_glb();
    assert_int_equal(count_warnings(model, SNI_WARN_JSON_BOM), 1);
    sn_model_free(model);
    assert_int_equal(refuse_json("\xEF\xBB\xBF{'a':?}", SN_ERR_CORRUPT).offset, 8);  // bytes of the file
}

static void not_a_model(void **state)
{
    (void)state;
    static const char *const texts[] = { "",    " ",       "[]", "null", "\"asset\"", "glT", "\x89PNG\r\n\x1A\n",
                                         "{1}", "hello {}" };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        refuse_bytes(texts[i], strlen(texts[i]), NULL, SN_ERR_FORMAT);
    refuse_bytes(NULL, 0, NULL, SN_ERR_FORMAT);
    refuse_bytes("{\"a\0b", 5, NULL, SN_ERR_CORRUPT);  // a control character inside a string
}

// ^ stands before the byte where the fault is.
static void refuse_marked(const char *marked, sn_status status)
{
    char json[1024];
    const char *mark = strchr(marked, '^');
    assert_non_null(mark);
    size_t at = (size_t)(mark - marked);
    memcpy(json, marked, at);
    strcpy(json + at, mark + 1);
    assert_int_equal(refuse_json(json, status).offset, at);
    put_glb_header(&file, 2);
    size_t size = strlen(json);
    put_chunk(&file, GLB_JSON, quoted(json, json, sizeof json), size);
    close_glb(&file);
    assert_int_equal(refuse_bytes(file.data, file.size, NULL, status).offset, at + 20);
}

static void syntax_errors_say_where(void **state)
{
    (void)state;
    static const char *const corrupt[] = {
        "{" ASSET ",^}",
        "{" ASSET " ^'nodes':[]}",
        "{" ASSET ",'a':^}",
        "{" ASSET ",'a':[1,^]}",
        "{" ASSET ","
        "'a':[1 ^2]}",
        "{" ASSET ",'a' ^1}",
        "{" ASSET ",^a:1}",
        "{" ASSET "}^x",
        "{" ASSET "} \n ^{}",
        "{" ASSET "^]",
        "{" ASSET ",'a':^NaN}",
        "{" ASSET ",'a':^Infinity}",
        "{" ASSET ",'a':^+1}",
        "{" ASSET ",'a':^.5}",
    };
    for (size_t i = 0; i < sizeof corrupt / sizeof corrupt[0]; i++) refuse_marked(corrupt[i], SN_ERR_CORRUPT);
    static const char *const broken[] = {
        // where in the token is the parser's own affair
        "'a':-Infinity", "'a':01",    "'a':1.",     "'a':1e",        "'a':-",         "'a':1.e5",
        "'a':tru",       "'a':True",  "'a':nul",    "'a':'\\x'",     "'a':'\\u12G4'", "'a':'x\ny'",
        "'a':0x10",      "'a':1_000", "'a':/*c*/1", "'a':undefined", "'a':'\\'",      "'a':[1,2",
        "'a':{'b':1",    "'a",        "'a':",       "'a':'\x01'",
    };
    for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
        char json[256], text[256];
        snprintf(json, sizeof json, "{" ASSET ",%s}", broken[i]);
        sn_error error;
        quoted(json, text, sizeof text);
        assert_null(sn_load_memory(text, strlen(text), NULL, &error));
        check_error(&error);
        assert_true(error.status == SN_ERR_CORRUPT || error.status == SN_ERR_TRUNCATED);
        assert_true(error.offset >= 2 + strlen(ASSET) && error.offset <= strlen(text));
    }
}

static void text_cut_short(void **state)
{
    (void)state;
    char json[256];
    quoted("{" ASSET ",'nodes':[{'name':'a\\u0041\\n','scale':[1,2.5e0,3]}],'x':[true,null,{}]}", json, sizeof json);
    for (size_t size = 1; size < strlen(json); size++) {
        sn_error error = refuse_bytes(json, size, NULL, SN_ERR_TRUNCATED);
        assert_true(error.offset <= size);
    }
    sn_model_free(load_raw(json));
}

// `levels` objects or arrays inside each other, the outermost is the file's own object.
static const char *nested(uint32_t levels)
{
    static char json[2048];
    strcpy(json, "{" ASSET ",'extras':");
    size_t used = strlen(json);
    for (uint32_t i = 1; i < levels; i++) json[used++] = '[';
    for (uint32_t i = 1; i < levels; i++) json[used++] = ']';
    strcpy(json + used, "}");
    return json;
}

static void nesting_has_a_limit(void **state)
{
    (void)state;
    sn_model_free(load_json(nested(64)));
    sn_error error = refuse_json(nested(65), SN_ERR_LIMIT);
    assert_int_equal(error.offset, strlen("{" ASSET ",'extras':") + 63);
    refuse_json(nested(900), SN_ERR_LIMIT);
    sn_load_opts opts = { .limits.depth = 4 };
    char json[2048];
    quoted(nested(4), json, sizeof json);
    sn_model_free(load_bytes(json, strlen(json), &opts));
    quoted(nested(5), json, sizeof json);
    refuse_bytes(json, strlen(json), &opts, SN_ERR_LIMIT);
}

static void duplicate_keys_last_wins(void **state)
{
    (void)state;
    sn_model *model = load_json("{'asset':{'version':'1.0'},'nodes':[{'name':'first'},{'name':'second'}]," ASSET
                                ",'scene':1,"
                                "'nodes':[{'name':'a','name':'b','translation':[1,2,3],'translation':[4,5,6]}],"
                                "'scenes':[{'nodes':[0]}],'scene':0}");
    assert_int_equal(model->node_count, 1);
    assert_string_equal(model->nodes[0].name, "b");
    assert_float_equal(model->nodes[0].rest.translation.x, 4.0f, 0);
    assert_float_equal(model->nodes[0].rest.translation.z, 6.0f, 0);
    assert_int_equal(model->warning_count, 0);
    sn_model_free(model);
}

static void whole_numbers_in_other_spellings(void **state)
{
    (void)state;
    static const char *const threes[] = { "3", "3.0", "3e0", "30e-1", "0.3e1", "3.000E+0", "300E-2" };
    for (size_t i = 0; i < sizeof threes / sizeof threes[0]; i++) {
        char json[256];
        snprintf(json, sizeof json, "{" ASSET ",'nodes':[{},{},{},{}],'scenes':[{'nodes':[%s]}],'scene':-0.0}",
                 threes[i]);
        sn_model *model = load_json(json);
        assert_int_equal(model->scenes[0].root_count, 1);
        assert_int_equal(model->scenes[0].roots[0], 3);
        assert_int_equal(model->warning_count, 0);
        sn_model_free(model);
    }
    static const char *const bad[] = { "0.5", "-1",   "1e-1", "9007199254740993", "1e300", "4294967296",
                                       "'0'", "null", "[0]" };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char json[256];
        snprintf(json, sizeof json, "{" ASSET ",'nodes':[{}],'scenes':[{'nodes':[%s]}],'scene':0}", bad[i]);
        sn_model *model = load_json(json);
        assert_int_equal(model->scenes[0].root_count, 0);
        assert_true(model->warning_count > 0);
        sn_model_free(model);
    }
}

// The same JSON with blanks around each token, or with the first letter of each string as an escape.
static size_t respell(const char *json, size_t size, bool has_escapes, char *out)
{
    char *to = out;
    for (const char *at = json, *end = json + size; at < end; at++) {
        if (*at == '"') {
            const char *close = at + 1;
            while (*close != '"') close += *close == '\\' ? 2 : 1;
            assert_true(close < end);
            *to++ = *at++;
            if (has_escapes && at < close && *at != '\\') to += sprintf(to, "\\u%04x", (unsigned)(uint8_t)*at++);
            while (at <= close) *to++ = *at++;
            at--;
        } else if (!has_escapes && strchr("{}[]:,", *at)) {
            to += sprintf(to, "\n %c\r\n\t ", *at);
        } else {
            *to++ = *at;
        }
    }
    while ((to - out) % 4 != 0) *to++ = ' ';
    return (size_t)(to - out);
}

static void blanks_and_escapes_change_nothing(void **state)
{
    (void)state;
    static const char *const samples[] = { SINEW_SAMPLES "/arm.glb", SINEW_TESTS_DIR "/sweep_samples/meshopt.glb" };
    for (size_t i = 0; i < 2 * sizeof samples / sizeof samples[0]; i++) {
        uint8_t bytes[8192];
        char json[DRAFT_BYTES / 2];
        FILE *in = fopen(samples[i / 2], "rb");
        assert_non_null(in);
        const size_t size = fread(bytes, 1, sizeof bytes, in);
        fclose(in);
        const size_t text = sni_load_u32(bytes + 12), bin = 28 + text;
        assert_true(size < sizeof bytes && bin < size);
        put_glb_header(&file, 2);
        const size_t spelled = respell((const char *)bytes + 20, text, i % 2, json);
        put_chunk(&file, GLB_JSON, json, spelled);
        put_chunk(&file, GLB_BIN, bytes + bin, size - bin);
        sn_model *plain = load_bytes(bytes, size, NULL), *model = load_glb();
        assert_true(sn_model_hash(model) == sn_model_hash(plain));
        assert_int_equal(model->warning_count, plain->warning_count);
        sn_model_free(plain);
        sn_model_free(model);
    }
}

static void unknown_properties_are_ignored(void **state)
{
    (void)state;
    sn_model *model = load_json(
        "{" ASSET ",'future':{'deep':[1,{'a':null}]},'nodes':[{'flavour':'sweet','translation':[1,0,0],'x':false}],"
        "'scenes':[{'nodes':[0],'mood':1e99}],'scene':0}");
    assert_int_equal(model->warning_count, 0);
    assert_float_equal(model->nodes[0].rest.translation.x, 1.0f, 0);
    sn_model_free(model);
}

static void wrong_types_and_empty_lists_are_told(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET ",'nodes':[{'translation':'far','scale':[1,1],'name':7,'children':{}}],"
                                "'meshes':5}");
    assert_true(count_warnings(model, SNI_WARN_JSON_TYPE) == 5);
    assert_true(warns_at(model, SNI_WARN_JSON_TYPE, "/nodes/0/translation"));
    assert_string_equal(model->nodes[0].name, "");
    assert_float_equal(model->nodes[0].rest.scale.z, 1.0f, 0);
    sn_model_free(model);
    model = load_json("{" ASSET ",'nodes':[],'meshes':[{'primitives':[{'attributes':{}}]}],'scenes':[{'nodes':[]}]}");
    assert_true(warns_at(model, SNI_WARN_JSON_EMPTY, "/nodes"));
    assert_true(warns_at(model, SNI_WARN_JSON_EMPTY, "/meshes/0/primitives/0/attributes"));
    assert_int_equal(model->scene_count, 1);
    sn_model_free(model);
    model = load_json("{" ASSET ",'nodes':[7,{'name':'kept'},null]}");  // numbering stays
    assert_int_equal(model->node_count, 3);
    assert_string_equal(model->nodes[1].name, "kept");
    sn_model_free(model);
}

static void names_in_any_writing(void **state)
{
    (void)state;
    sn_model *model = load_raw(
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"\\uD83D\\uDE00\"},{\"name\":\"a\\u0000b\"},"
        "{\"name\":\"\\uD83D!\"},{\"name\":\"\xC3(\xFF\"},{\"name\":\"\\\"\\\\\\/\\b\\t\"},"
        "{\"name\":\"r\xC3\xA9sum\\u00e9\"}]}");
    assert_string_equal(model->nodes[0].name, "\xF0\x9F\x98\x80");
    assert_string_equal(model->nodes[1].name, "a\xEF\xBF\xBD"
                                              "b");
    assert_string_equal(model->nodes[2].name, "\xEF\xBF\xBD!");
    assert_string_equal(model->nodes[3].name, "\xEF\xBF\xBD(\xEF\xBF\xBD");
    assert_string_equal(model->nodes[4].name, "\"\\/\b\t");
    assert_string_equal(model->nodes[5].name, "r\xC3\xA9sum\xC3\xA9");
    assert_true(warns_at(model, SNI_WARN_TEXT_ENCODING, "/nodes/3/name"));
    assert_false(warns_at(model, SNI_WARN_TEXT_ENCODING, "/nodes/0/name"));
    sn_model_free(model);
}

static void extras_are_kept_as_they_are(void **state)
{
    (void)state;
    sn_model *model = load_json("{" ASSET ",'extras':[1, {'a' : null}],'nodes':[{'extras':'text'},"
                                "{'extras':{'k':1.50}},{}],"
                                "'meshes':[{'extras':{'targetNames':7},'primitives':[]}]}");
    assert_string_equal(model->extras, "[1, {\"a\" : null}]");
    assert_string_equal(model->nodes[0].extras, "\"text\"");
    assert_string_equal(model->nodes[1].extras, "{\"k\":1.50}");
    assert_null(model->nodes[2].extras);
    sn_model_free(model);
}

static void version_gate(void **state)
{
    (void)state;
    static const struct {
        const char *asset;
        sn_status status;
        bool warns;
    } rows[] = {
        { "'asset':{'version':'2.0'}", SN_OK, false },
        { "'asset':{'version':'2.0','minVersion':'2.0'}", SN_OK, false },
        { "'asset':{'version':'2.1'}", SN_OK, true },
        { "'asset':{'version':'2.15'}", SN_OK, true },
        { "'asset':{'version':'2.1','minVersion':'2.1'}", SN_ERR_UNSUPPORTED, false },
        { "'asset':{'version':'2.0','minVersion':'2.1'}", SN_ERR_UNSUPPORTED, false },
        { "'asset':{'version':'2.0','minVersion':'3.0'}", SN_ERR_UNSUPPORTED, false },
        { "'asset':{'version':'2.0','minVersion':'1.0'}", SN_ERR_UNSUPPORTED, false },
        { "'asset':{'version':'1.0'}", SN_ERR_UNSUPPORTED, false },
        { "'asset':{'version':'1.1'}", SN_ERR_UNSUPPORTED, false },
        { "'asset':{'version':'3.0'}", SN_ERR_UNSUPPORTED, false },
        { "'asset':{'version':'20.0'}", SN_ERR_UNSUPPORTED, false },
        { "'nodes':[{}]", SN_ERR_CORRUPT, false },
        { "'asset':{}", SN_ERR_CORRUPT, false },
        { "'asset':{'minVersion':'2.0'}", SN_ERR_CORRUPT, false },
        { "'asset':{'version':2.0}", SN_ERR_CORRUPT, false },
        { "'asset':{'version':''}", SN_ERR_CORRUPT, false },
        { "'asset':{'version':'two'}", SN_ERR_CORRUPT, false },
        { "'asset':[]", SN_ERR_CORRUPT, false },
        { "'asset':'2.0'", SN_ERR_CORRUPT, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char json[128];
        snprintf(json, sizeof json, "{%s}", rows[i].asset);
        if (rows[i].status != SN_OK) {
            refuse_json(json, rows[i].status);
            continue;
        }
        sn_model *model = load_json(json);
        assert_int_equal(count_warnings(model, SNI_WARN_GLTF_MINOR_VERSION), rows[i].warns);
        sn_model_free(model);
    }
    sn_model_free(load_json("{'asset':{'version':'2.1','minVersion':'2.0'}}"));
    sn_model_free(load_json("{'asset':{'version':'3.0','minVersion':'2.0'}}"));  // minVersion is what counts
    assert_non_null(strstr(refuse_json("{'asset':{'version':'1.0'}}", SN_ERR_UNSUPPORTED).message, "glTF 1.0"));
}

static void required_extensions(void **state)
{
    (void)state;
    sn_error error = refuse_json("{" ASSET ",'extensionsUsed':['EXT_magic'],'extensionsRequired':['EXT_magic']}",
                                 SN_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "EXT_magic"));
    refuse_json("{" ASSET ",'extensionsRequired':['KHR_mesh_quantization','EXT_magic']}", SN_ERR_UNSUPPORTED);
    refuse_json("{" ASSET ",'extensionsRequired':['\\u001b[2J\\u0007']}", SN_ERR_UNSUPPORTED);
    sn_model *model = load_json("{" ASSET ",'extensionsUsed':['EXT_magic','KHR_mesh_quantization'],"
                                "'extensionsRequired':['KHR_mesh_quantization'],"
                                "'nodes':[{'extensions':{'EXT_magic':{'power':9}}}],'extensions':{'EXT_magic':{}}}");
    assert_int_equal(count_warnings(model, SNI_WARN_GLTF_EXTENSION), 1);
    assert_true(warns_at(model, SNI_WARN_GLTF_EXTENSION, "/extensionsUsed/0"));
    assert_non_null(strstr(model->warnings[0].message, "EXT_magic"));
    sn_model_free(model);
}

static void many_extensions_load(void **state)
{
    (void)state;
    enum { MANY = 3000 };
    static char json[MANY * 16];
    size_t used = (size_t)sprintf(json, "{\"asset\":{\"version\":\"2.0\"},\"extensions\":{");
    for (int i = 0; i < MANY; i++) used += (size_t)sprintf(json + used, "%s\"E%d\":{}", i ? "," : "", i);
    strcpy(json + used, "}}");
    sn_model_free(load_raw(json));
}

static bool yes(void *user)
{
    ++*(int *)user;
    return true;
}

static void ceilings_are_kept(void **state)
{
    (void)state;
    char json[512];
    quoted("{" ASSET ",'nodes':[{},{},{},{},{},{},{},{},{},{}]}", json, sizeof json);
    size_t size = strlen(json);
    sn_load_opts opts = { .limits.file_bytes = size };
    sn_model_free(load_bytes(json, size, &opts));
    opts.limits.file_bytes--;
    refuse_bytes(json, size, &opts, SN_ERR_LIMIT);
    sn_load_opts few = { .limits.elements = 9 };
    refuse_bytes(json, size, &few, SN_ERR_LIMIT);
    sn_load_opts small = { .limits.memory_bytes = 512 };
    refuse_bytes(json, size, &small, SN_ERR_LIMIT);
    int asked = 0;
    sn_load_opts cancelled = { .cancelled = yes, .user = &asked };
    refuse_bytes(json, size, &cancelled, SN_ERR_CANCELLED);
    assert_true(asked > 0);
}

static void lint_adds_words_only(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 1, point);
    draft_close(draft, "'nodes':[{'mesh':0,'skin':5}],'meshes':[{'primitives':[{'attributes':{'POSITION':0},"
                       "'mode':0}]}]");
    sn_load_opts lint = { .lint = true };
    sn_model *plain = load_bytes(draft->file.data, draft->file.size, NULL);
    sn_model *linted = load_bytes(draft->file.data, draft->file.size, &lint);
    assert_true(linted->warning_count > plain->warning_count);
    assert_true(sn_model_hash(plain) == sn_model_hash(linted));
    sn_model_free(plain);
    sn_model_free(linted);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glb_of_one_chunk_loads),
        cmocka_unit_test(glb_header_cut_short),
        cmocka_unit_test(glb_versions),
        cmocka_unit_test(glb_length_larger_than_the_file),
        cmocka_unit_test(glb_length_smaller_than_the_file),
        cmocka_unit_test(glb_first_chunk_is_not_json),
        cmocka_unit_test(glb_chunk_past_the_total_length),
        cmocka_unit_test(glb_chunk_no_multiple_of_four),
        cmocka_unit_test(glb_bin_is_not_the_second_chunk),
        cmocka_unit_test(glb_first_of_two_counts),
        cmocka_unit_test(glb_unknown_chunks_are_ignored),
        cmocka_unit_test(glb_bin_size_against_the_buffer),
        cmocka_unit_test(glb_empty_bin_is_ignored),
        cmocka_unit_test(buffer_without_data_is_an_error_only_if_read),
        cmocka_unit_test(glb_buffer_with_a_uri_leaves_bin_unused),
        cmocka_unit_test(byte_order_mark_is_skipped),
        cmocka_unit_test(not_a_model),
        cmocka_unit_test(syntax_errors_say_where),
        cmocka_unit_test(text_cut_short),
        cmocka_unit_test(nesting_has_a_limit),
        cmocka_unit_test(duplicate_keys_last_wins),
        cmocka_unit_test(whole_numbers_in_other_spellings),
        cmocka_unit_test(blanks_and_escapes_change_nothing),
        cmocka_unit_test(unknown_properties_are_ignored),
        cmocka_unit_test(wrong_types_and_empty_lists_are_told),
        cmocka_unit_test(names_in_any_writing),
        cmocka_unit_test(extras_are_kept_as_they_are),
        cmocka_unit_test(version_gate),
        cmocka_unit_test(required_extensions),
        cmocka_unit_test(many_extensions_load),
        cmocka_unit_test(ceilings_are_kept),
        cmocka_unit_test(lint_adds_words_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
