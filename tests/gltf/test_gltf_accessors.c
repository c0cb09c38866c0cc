// glTF numbers: accessors of every kind, sparse ones, and those that lie about their sizes.
#include "check_model.h"
#include "gltf_text.h"
#include "little_endian.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Points, so that positions alone are a whole mesh.
#define SHOW_POSITION "'meshes':[{'primitives':[{'attributes':{'POSITION':%d},'mode':0}]}],'nodes':[{'mesh':0}]"

static void expect_floats(const void *found, const float *expected, size_t count)
{
    const float *values = found;
    assert_non_null(values);
    for (size_t i = 0; i < count; i++) {
        if (fabsf(values[i] - expected[i]) <= 1e-7f * fmaxf(1.0f, fabsf(expected[i]))) continue;
        fail_msg("number %zu is %.9g, not %.9g", i, values[i], expected[i]);
    }
}

static void expect_positions(gltf_draft *draft, int accessor, uint32_t count, const float *expected)
{
    sn_model *model = load_draft(draft, SHOW_POSITION, accessor);
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->meshes[0].vertex_count, count);
    expect_floats(model->meshes[0].positions, expected, count * 3);
    sn_model_free(model);
}

static void component_types(void **state)
{
    (void)state;
    static const struct {
        int component;
        size_t size;
        const char *raw;
        float plain[6], normalized[6];
    } rows[] = {
        { I8, 6, "\x80\x81\x7F\x00\x01\xFF", { -128, -127, 127, 0, 1, -1 }, { -1, -1, 1, 0, 1 / 127.0f, -1 / 127.0f } },
        { U8,
          6,
          "\x00\x01\x7F\x80\xFE\xFF",
          { 0, 1, 127, 128, 254, 255 },
          { 0, 1 / 255.0f, 127 / 255.0f, 128 / 255.0f, 254 / 255.0f, 1 } },
        { I16,
          12,
          "\x00\x80\x01\x80\xFF\x7F\x00\x00\x01\x00\xFE\xFF",
          { -32768, -32767, 32767, 0, 1, -2 },
          { -1, -1, 1, 0, 1 / 32767.0f, -2 / 32767.0f } },
        { U16,
          12,
          "\x00\x00\x01\x00\x00\x80\xFE\xFF\xFF\xFF\xFF\x00",
          { 0, 1, 32768, 65534, 65535, 255 },
          { 0, 1 / 65535.0f, 32768 / 65535.0f, 65534 / 65535.0f, 1, 255 / 65535.0f } },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        gltf_draft *draft = draft_start();
        int view = draft_view(draft, rows[i].raw, rows[i].size, "");
        expect_positions(draft, draft_accessor(draft, view, rows[i].component, "VEC3", 2, ""), 2, rows[i].plain);
        draft = draft_start();
        view = draft_view(draft, rows[i].raw, rows[i].size, "");
        expect_positions(draft, draft_accessor(draft, view, rows[i].component, "VEC3", 2, ",'normalized':true"), 2,
                         rows[i].normalized);
    }
}

static void floats_come_bit_for_bit(void **state)
{
    (void)state;
    const float values[6] = { 1.5f, -0.0f, 3.4028235e38f, 1.1754944e-38f, 1e-45f, 0.1f };
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 2, values);
    sn_model *model = load_draft(draft, SHOW_POSITION, 0);
    assert_memory_equal(model->meshes[0].positions, values, sizeof values);
    sn_model_free(model);
}

static void components_that_are_not_core(void **state)
{
    (void)state;
    static const int codes[] = { 0, 5119, 5124, 5127, 5130, 5131 };
    const float values[6] = { 0 };
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        gltf_draft *draft = draft_start();
        draft_accessor(draft, draft_view(draft, values, sizeof values, ""), codes[i], "VEC3", 1, "");
        sn_model *model = load_draft(draft, SHOW_POSITION, 0);
        assert_int_equal(model->mesh_count, 0);
        assert_true(warns_at(model, SNI_WARN_GLTF_ACCESSOR, "/meshes/0/primitives/0/accessors/0"));
        assert_int_equal(count_warnings(model, SNI_WARN_GLTF_PRIMITIVE), 1);
        sn_model_free(model);
    }
}

static void unknown_element_types(void **state)
{
    (void)state;
    static const char *const types[] = { "", "VEC5", "vec3", "SCALAR", "VEC2", "VEC4", "MAT3" };
    const float values[16] = { 0 };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        gltf_draft *draft = draft_start();
        draft_accessor(draft, draft_view(draft, values, sizeof values, ""), F32, types[i], 1, "");
        sn_model *model = load_draft(draft, SHOW_POSITION, 0);
        assert_int_equal(model->mesh_count, 0);
        assert_true(model->warning_count > 0);
        sn_model_free(model);
    }
}

static void interleaved_attributes(void **state)
{
    (void)state;
    const float rows[2][8] = { { 1, 2, 3, 0, 0, 1, 0.25f, 0.5f }, { 4, 5, 6, 0, 1, 0, 0.75f, 1 } };
    gltf_draft *draft = draft_start();
    int view = draft_view(draft, rows, sizeof rows, ",'byteStride':32");
    draft_accessor(draft, view, F32, "VEC3", 2, "");
    draft_accessor(draft, view, F32, "VEC3", 2, ",'byteOffset':12");
    draft_accessor(draft, view, F32, "VEC2", 2, ",'byteOffset':24");
    sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'mode':0,'attributes':"
                                        "{'POSITION':0,'NORMAL':1,'TEXCOORD_0':2}}]}],'nodes':[{'mesh':0}]");
    const sn_mesh *mesh = &model->meshes[0];
    expect_floats(mesh->positions, (const float[]){ 1, 2, 3, 4, 5, 6 }, 6);
    expect_floats(mesh->normals, (const float[]){ 0, 0, 1, 0, 1, 0 }, 6);
    expect_floats(mesh->uvs[0], (const float[]){ 0.25f, 0.5f, 0.75f, 1 }, 4);
    sn_model_free(model);
}

static void offset_larger_than_the_stride(void **state)
{
    (void)state;
    const float blocks[12] = { 1, 2, 3, 4, 5, 6, 0, 0, 1, 1, 0, 0 };  // two positions, then two normals
    gltf_draft *draft = draft_start();
    int view = draft_view(draft, blocks, sizeof blocks, ",'byteStride':12");
    draft_accessor(draft, view, F32, "VEC3", 2, "");
    draft_accessor(draft, view, F32, "VEC3", 2, ",'byteOffset':24");
    sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'mode':0,'attributes':{'POSITION':0,'NORMAL':1}}]}],"
                                        "'nodes':[{'mesh':0}]");
    expect_floats(model->meshes[0].positions, blocks, 6);
    expect_floats(model->meshes[0].normals, blocks + 6, 6);
    sn_model_free(model);
}

static void last_element_needs_no_whole_stride(void **state)
{
    (void)state;
    const float rows[7] = { 1, 2, 3, 99, 4, 5, 6 };
    gltf_draft *draft = draft_start();
    int view = draft_view(draft, rows, 28, ",'byteStride':16");
    expect_positions(draft, draft_accessor(draft, view, F32, "VEC3", 2, ""), 2, (const float[]){ 1, 2, 3, 4, 5, 6 });
    draft = draft_start();
    view = draft_view(draft, rows, 27, ",'byteStride':16");
    draft_accessor(draft, view, F32, "VEC3", 2, "");
    refuse_draft(draft, SN_ERR_CORRUPT, SHOW_POSITION, 0);
}

static void misaligned_data_is_read(void **state)
{
    (void)state;
    uint8_t bytes[27] = { 0xEE, 0xEE, 0xEE };
    const float values[6] = { 1, 2, 3, -4, -5, -6 };
    memcpy(bytes + 3, LITTLE_ENDIAN(values), sizeof values);
    gltf_draft *draft = draft_start();
    int view = draft_view(draft, bytes, sizeof bytes, "");
    expect_positions(draft, draft_accessor(draft, view, F32, "VEC3", 2, ",'byteOffset':3"), 2, values);
}

static void no_view_means_zeros(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    expect_positions(draft, draft_accessor(draft, -1, F32, "VEC3", 2, ""), 2, (const float[6]){ 0 });
}

static const char *sparse(int count, int index_view, int index_type, int value_view)
{
    static char text[256];
    snprintf(text, sizeof text,
             ",'sparse':{'count':%d,'indices':{'bufferView':%d,'componentType':%d},"
             "'values':{'bufferView':%d}}",
             count, index_view, index_type, value_view);
    return text;
}

static void sparse_without_a_base(void **state)
{
    (void)state;
    const float values[6] = { 1, 2, 3, 4, 5, 6 };
    gltf_draft *draft = draft_start();
    int indices = draft_view(draft, "\x01\x03", 2, ""), replaced = draft_view(draft, values, sizeof values, "");
    int accessor = draft_accessor(draft, -1, F32, "VEC3", 4, sparse(2, indices, U8, replaced));
    expect_positions(draft, accessor, 4, (const float[]){ 0, 0, 0, 1, 2, 3, 0, 0, 0, 4, 5, 6 });
}

static void sparse_over_a_base(void **state)
{
    (void)state;
    const float base[9] = { 1, 1, 1, 2, 2, 2, 3, 3, 3 }, values[6] = { 7, 8, 9, -7, -8, -9 };
    static const struct {
        int type;
        const char *raw;
        size_t size;
    } kinds[] = {
        { U8, "\x00\x02", 2 },
        { U16, "\x00\x00\x02\x00", 4 },
        { U32, "\x00\x00\x00\x00\x02\x00\x00\x00", 8 },
    };
    for (size_t i = 0; i < 3; i++) {
        gltf_draft *draft = draft_start();
        int view = draft_view(draft, base, sizeof base, ""),
            indices = draft_view(draft, kinds[i].raw, kinds[i].size, "");
        int replaced = draft_view(draft, values, sizeof values, "");
        int accessor = draft_accessor(draft, view, F32, "VEC3", 3, sparse(2, indices, kinds[i].type, replaced));
        expect_positions(draft, accessor, 3, (const float[]){ 7, 8, 9, 2, 2, 2, -7, -8, -9 });
    }
}

// The values are packed tightly whatever the stride of the base.
static void sparse_over_a_strided_base(void **state)
{
    (void)state;
    const float base[12] = { 1, 1, 1, 99, 2, 2, 2, 99, 3, 3, 3, 99 }, values[6] = { 7, 8, 9, -7, -8, -9 };
    gltf_draft *draft = draft_start();
    int view = draft_view(draft, base, sizeof base, ",'byteStride':16"), indices = draft_view(draft, "\x01\x02", 2, "");
    int replaced = draft_view(draft, values, sizeof values, "");
    int accessor = draft_accessor(draft, view, F32, "VEC3", 3, sparse(2, indices, U8, replaced));
    expect_positions(draft, accessor, 3, (const float[]){ 1, 1, 1, 7, 8, 9, -7, -8, -9 });
}

static void sparse_offsets_and_normalised_values(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    int indices = draft_view(draft, "\xEE\xEE\x02", 3, "");
    int values = draft_view(draft, "\xEE\xEE\xEE\xEE\xFF\x33\x00", 7, "");
    char more[256];
    snprintf(more, sizeof more,
             ",'normalized':true,'sparse':{'count':1,'indices':{'bufferView':%d,'byteOffset':2,"
             "'componentType':5121},'values':{'bufferView':%d,'byteOffset':4}}",
             indices, values);
    int accessor = draft_accessor(draft, -1, U8, "VEC3", 3, more);
    expect_positions(draft, accessor, 3, (const float[]){ 0, 0, 0, 0, 0, 0, 1, 0.2f, 0 });  // 0x33 = 51
}

static void sparse_indices_out_of_range(void **state)
{
    (void)state;
    const float values[3] = { 7, 8, 9 };
    static const struct {
        int type;
        const char *raw;
        size_t size;
    } kinds[] = {
        { U8, "\x03", 1 },
        { U8, "\xFF", 1 },
        { U16, "\xFF\xFF", 2 },
        { U32, "\xFF\xFF\xFF\xFF", 4 },
        { U32, "\x00\x00\x00\x40", 4 },
    };
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        gltf_draft *draft = draft_start();
        int indices = draft_view(draft, kinds[i].raw, kinds[i].size, "");
        int replaced = draft_view(draft, values, sizeof values, "");
        draft_accessor(draft, -1, F32, "VEC3", 3, sparse(1, indices, kinds[i].type, replaced));
        refuse_draft(draft, SN_ERR_CORRUPT, SHOW_POSITION, 0);
    }
}

static void sparse_that_is_not_there(void **state)
{
    (void)state;
    const float values[6] = { 0 };
    gltf_draft *draft = draft_start();  // an index too few
    int indices = draft_view(draft, "\x00", 1, ""), replaced = draft_view(draft, values, sizeof values, "");
    draft_accessor(draft, -1, F32, "VEC3", 3, sparse(2, indices, U8, replaced));
    refuse_draft(draft, SN_ERR_CORRUPT, SHOW_POSITION, 0);
    draft = draft_start();  // a value too few
    indices = draft_view(draft, "\x00\x01", 2, ""), replaced = draft_view(draft, values, 23, "");
    draft_accessor(draft, -1, F32, "VEC3", 3, sparse(2, indices, U8, replaced));
    refuse_draft(draft, SN_ERR_CORRUPT, SHOW_POSITION, 0);
    static const struct {
        int count, indices, type, values;
    } bad[] = {
        { 4, 0, U8, 1 },                    // more than there are elements
        { 2, 9, U8, 1 },  { 2, 0, U8, 9 },  // no such view
        { 2, 0, F32, 1 }, { 2, 0, I8, 1 }, { 2, 0, 0, 1 },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        draft = draft_start();
        draft_view(draft, "\x00\x01\x02\x03\x04\x05\x06\x07", 8, "");
        draft_view(draft, values, sizeof values, "");
        draft_accessor(draft, -1, F32, "VEC3", 3, sparse(bad[i].count, bad[i].indices, bad[i].type, bad[i].values));
        sn_model *model = load_draft(draft, SHOW_POSITION, 0);
        assert_int_equal(model->mesh_count, 0);
        assert_true(model->warning_count > 0);
        sn_model_free(model);
    }
}

static void sparse_vertex_indices(void **state)
{
    (void)state;
    const float corners[12] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0 };
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 4, corners);
    int base = draft_view(draft, "\x00\x01\x02", 3, ""), indices = draft_view(draft, "\x01", 1, "");
    int values = draft_view(draft, "\x03", 1, "");
    draft_accessor(draft, base, U8, "SCALAR", 3, sparse(1, indices, U8, values));
    sn_model *model = load_draft(draft, "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}],"
                                        "'nodes':[{'mesh':0}]");
    assert_memory_equal(model->meshes[0].indices, ((const uint32_t[]){ 0, 3, 2 }), 12);
    sn_model_free(model);
}

// Twelve bytes that could be a point. They must not become a mesh: an error, or the primitive is left out with a
// warning.
static void expect_no_mesh(const char *view, const char *accessor)
{
    char json[1024], text[1024];
    snprintf(json, sizeof json,
             "{" ASSET ",'buffers':[{'byteLength':12,'uri':'data:;base64,AADAPwAAAMAAAIBA'}],"
             "'bufferViews':[{%s}],'accessors':[{'componentType':5126,'type':'VEC3',%s}],"
             "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'mode':0}]}],'nodes':[{'mesh':0}]}",
             view, accessor);
    quoted(json, text, sizeof text);
    sn_error error;
    sn_model *model = sn_load_memory(text, strlen(text), NULL, &error);
    if (!model) {
        check_error(&error);
        assert_true(error.status == SN_ERR_CORRUPT || error.status == SN_ERR_LIMIT || error.status == SN_ERR_TRUNCATED);
        return;
    }
    check_model(model);
    uint32_t meshes = model->mesh_count, warnings = model->warning_count;
    sn_model_free(model);
    if (meshes != 0) fail_msg("a mesh was made of {%s} {%s}", view, accessor);
    assert_true(warnings > 0);
}

static void views_and_accessors_that_do_not_fit(void **state)
{
    (void)state;
    static const char *const views[] = {
        "'buffer':0,'byteLength':13",
        "'buffer':0,'byteOffset':1,'byteLength':12",
        "'buffer':0,'byteOffset':13,'byteLength':0",
        "'buffer':0,'byteLength':11",
        "'buffer':0",
        "'byteLength':12",
        "'buffer':1,'byteLength':12",
        "'buffer':0,'byteOffset':9007199254740992,'byteLength':12",
        "'buffer':0,'byteLength':9007199254740992",
        "'buffer':0,'byteLength':18446744073709551615",
        "'buffer':0,'byteOffset':4294967296,'byteLength':12",
        "'buffer':0,'byteOffset':12,'byteLength':9007199254740992",
        "'buffer':0,'byteLength':-12",
    };
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++) expect_no_mesh(views[i], "'bufferView':0,'count':1");
    static const char *const accessors[] = {
        "'bufferView':0,'count':2",
        "'bufferView':0,'count':1,'byteOffset':1",
        "'bufferView':0,'count':0",
        "'bufferView':0",
        "'bufferView':0,'count':1,'byteOffset':13",
        "'bufferView':0,'count':1,'byteOffset':4294967296",
        "'bufferView':0,'count':1,'byteOffset':9007199254740992",
        "'bufferView':0,'count':4294967295",
        "'bufferView':0,'count':4294967296",
        "'bufferView':0,'count':4294967297",
        "'bufferView':0,'count':-1",
        "'bufferView':0,'count':1.5",
        "'bufferView':0,'count':357913942",
        "'bufferView':0,'count':1431655766",
        "'bufferView':1,'count':1",
        "'bufferView':0,'count':18446744073709551617",
    };
    const char *view = "'buffer':0,'byteLength':12";
    for (size_t i = 0; i < sizeof accessors / sizeof accessors[0]; i++) expect_no_mesh(view, accessors[i]);
    static const char *const strides[] = { "1", "4", "252", "4294967295", "4294967284", "2147483648" };
    for (size_t i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        char strided[96];
        snprintf(strided, sizeof strided, "'buffer':0,'byteLength':12,'byteStride':%s", strides[i]);
        expect_no_mesh(strided, "'bufferView':0,'count':2");
        expect_no_mesh(strided, "'bufferView':0,'count':4294967295");
    }
}

// A number that is no index, offset or size must not be read as if it were not written.
static void impossible_numbers_are_not_taken_for_absent(void **state)
{
    (void)state;
    static const char *const numbers[] = { "-4",    "0.5", "'0'", "9007199254740994", "18446744073709551612",
                                           "1e300", "null" };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "'buffer':0,'byteLength':12,'byteOffset':%s", numbers[i]);
        expect_no_mesh(text, "'bufferView':0,'count':1");
        snprintf(text, sizeof text, "'bufferView':0,'count':1,'byteOffset':%s", numbers[i]);
        expect_no_mesh("'buffer':0,'byteLength':12", text);
        snprintf(text, sizeof text, "'bufferView':%s,'count':1", numbers[i]);
        expect_no_mesh("'buffer':0,'byteLength':12", text);
    }
}

static void counts_without_bytes_meet_the_memory_limit(void **state)
{
    (void)state;
    static const uint32_t counts[] = { 0xFFFFFFFF, 0x80000000, 0x55555556, 16u << 20, 4u << 20 };
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        gltf_draft *draft = draft_start();
        draft_accessor(draft, -1, F32, "VEC3", counts[i], "");
        refuse_draft(draft, SN_ERR_LIMIT, SHOW_POSITION, 0);
        draft = draft_start();  // as indices, as matrices, as times
        const float zero[3] = { 0 };
        draft_floats(draft, "VEC3", 1, zero);
        draft_accessor(draft, -1, U32, "SCALAR", counts[i], "");
        draft_close(draft, "'meshes':[{'primitives':[{'attributes':{'POSITION':0},'indices':1}]}]");
        sn_load_opts opts = { .limits.memory_bytes = 1 << 20 };
        refuse_bytes(draft->file.data, draft->file.size, &opts, SN_ERR_LIMIT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(component_types),
        cmocka_unit_test(floats_come_bit_for_bit),
        cmocka_unit_test(components_that_are_not_core),
        cmocka_unit_test(unknown_element_types),
        cmocka_unit_test(interleaved_attributes),
        cmocka_unit_test(offset_larger_than_the_stride),
        cmocka_unit_test(last_element_needs_no_whole_stride),
        cmocka_unit_test(misaligned_data_is_read),
        cmocka_unit_test(no_view_means_zeros),
        cmocka_unit_test(sparse_without_a_base),
        cmocka_unit_test(sparse_over_a_base),
        cmocka_unit_test(sparse_over_a_strided_base),
        cmocka_unit_test(sparse_offsets_and_normalised_values),
        cmocka_unit_test(sparse_indices_out_of_range),
        cmocka_unit_test(sparse_that_is_not_there),
        cmocka_unit_test(sparse_vertex_indices),
        cmocka_unit_test(views_and_accessors_that_do_not_fit),
        cmocka_unit_test(impossible_numbers_are_not_taken_for_absent),
        cmocka_unit_test(counts_without_bytes_meet_the_memory_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
