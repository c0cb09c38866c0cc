// Compressed glTF: decodes to the same arrays as its uncompressed twin, and damage is reported.
#include "check_model.h"
#include "gltf_text.h"
#include "hand_models.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#ifdef TEST_HAS_MESHOPT
#    include <meshoptimizer.h>

enum { SIDE = 6, VERTICES = SIDE * SIDE, INDICES = (SIDE - 1) * (SIDE - 1) * 6, KEYS = 5 };

typedef struct grid {
    float positions[VERTICES][4], normals[VERTICES][4], turns[KEYS][4], times[KEYS];
    uint32_t indices[INDICES], points[VERTICES];
} grid;

// A bent sheet, its points in an order of their own, and a turn about x.
static void make_grid(grid *g)
{
    static const uint8_t corners[6] = { 0, 1, SIDE, SIDE, 1, SIDE + 1 };
    memset(g, 0, sizeof *g);
    for (uint32_t i = 0; i < VERTICES; i++) {
        float x = (float)(i % SIDE), y = (float)(i / SIDE);
        memcpy(g->positions[i], (float[4]){ x, y, 0.125f * x * y, 0 }, sizeof g->positions[i]);
        float n[3] = { 0.6f, i % 2 ? 0.8f : -0.8f, 0 };
        memcpy(g->normals[i], (float[4]){ n[0], n[1], n[2], 0 }, sizeof g->normals[i]);
        g->points[i] = i * 7 % VERTICES;
    }
    for (uint32_t q = 0; q < INDICES / 6; q++) {
        for (uint32_t c = 0; c < 6; c++) g->indices[q * 6 + c] = q / (SIDE - 1) * SIDE + q % (SIDE - 1) + corners[c];
    }
    for (uint32_t k = 0; k < KEYS; k++) {
        sn_quat turn = quat_about((sn_vec3){ 1, 0, 0 }, 0.3 * k);
        memcpy(g->turns[k], (float[4]){ turn.x, turn.y, turn.z, turn.w }, sizeof g->turns[k]);
        g->times[k] = (float)k;
    }
}

// Two files with the same views: packed, and plain as the library unpacks them. Buffer 1 is a placeholder.
typedef struct twins {
    test_bytes packed, plain, file;
    char packed_views[4096], plain_views[4096];
    const char *extension, *placeholder;  // placeholder: more members of that buffer
    int count;
    size_t room;  // in the placeholder
} twins;

static void append_view(char *views, int index, const char *text)
{
    if (index > 0) strcat(views, ",");
    strcat(views, text);
    assert_true(strlen(views) < 4000);
}

// One more view: `size` packed bytes that unpack to `data`.
static void add_view(twins *t, const void *packed, size_t size, const char *mode, const void *data, size_t stride,
                     size_t count)
{
    char text[512];
    bool has_stride = strncmp(mode, "ATTRIBUTES", 10) == 0;
    char own_stride[32] = "";
    if (has_stride) snprintf(own_stride, sizeof own_stride, ",'byteStride':%zu", stride);
    snprintf(text, sizeof text,
             "{'buffer':1,'byteOffset':%zu,'byteLength':%zu%s,'extensions':{'%s':{'buffer':0,"
             "'byteOffset':%zu,'byteLength':%zu,'byteStride':%zu,'count':%zu,'mode':'%s'}}}",
             t->room, stride * count, own_stride, t->extension, t->packed.size, size, stride, count, mode);
    append_view(t->packed_views, t->count, text);
    put_bytes(&t->packed, packed, size);
    while (t->packed.size % 4) put_u8(&t->packed, 0);
    snprintf(text, sizeof text, "{'buffer':0,'byteOffset':%zu,'byteLength':%zu%s}", t->plain.size, stride * count,
             own_stride);
    append_view(t->plain_views, t->count++, text);
    put_bytes(&t->plain, data, stride * count);
    while (t->plain.size % 4) put_u8(&t->plain, 0);
    t->room += (stride * count + 3) / 4 * 4;
}

typedef void filter_function(void *buffer, size_t count, size_t stride);

static void add_attribute(twins *t, const char *mode, const void *data, size_t stride, size_t count,
                          filter_function *filter)
{
    uint8_t packed[4096], unpacked[4096];
    size_t size = meshopt_encodeVertexBuffer(packed, sizeof packed, data, count, stride);
    assert_true(size > 0 && stride * count <= sizeof unpacked);
    assert_int_equal(meshopt_decodeVertexBuffer(unpacked, count, stride, packed, size), 0);
    if (filter) filter(unpacked, count, stride);
    add_view(t, packed, size, mode, unpacked, stride, count);
}

static void add_indices(twins *t, bool is_list, const uint32_t *indices, size_t stride, size_t count)
{
    uint8_t packed[4096], unpacked[4096];
    size_t size = is_list ? meshopt_encodeIndexBuffer(packed, sizeof packed, indices, count)
                          : meshopt_encodeIndexSequence(packed, sizeof packed, indices, count);
    assert_true(size > 0);
    if (is_list) assert_int_equal(meshopt_decodeIndexBuffer(unpacked, count, stride, packed, size), 0);
    else assert_int_equal(meshopt_decodeIndexSequence(unpacked, count, stride, packed, size), 0);
    add_view(t, packed, size, is_list ? "TRIANGLES" : "INDICES", unpacked, stride, count);
}

// 15 bits of the number and its exponent: by hand, as the library's own encoder has other arguments from version to
// version
static uint32_t exponential(float value)
{
    int exponent;
    frexpf(value, &exponent);
    exponent -= 15;
    return (uint32_t)exponent << 24 | ((uint32_t)lroundf(ldexpf(value, -exponent)) & 0xFFFFFF);
}

static void make_twins(twins *t, const char *extension)
{
    static grid g;
    float floats[VERTICES * 3];
    uint8_t filtered[VERTICES * 12];
    make_grid(&g);
    memset(t, 0, sizeof *t);
    t->extension = extension;
    for (uint32_t i = 0; i < VERTICES; i++) memcpy(floats + (size_t)i * 3, g.positions[i], 12);
    add_attribute(t, "ATTRIBUTES", floats, 12, VERTICES, NULL);
    for (uint32_t i = 0; i < VERTICES * 3; i++)
        memcpy(filtered + (size_t)i * 4, &(uint32_t){ exponential(floats[i]) }, 4);
    add_attribute(t, "ATTRIBUTES','filter':'EXPONENTIAL", filtered, 12, VERTICES, meshopt_decodeFilterExp);
    meshopt_encodeFilterOct(filtered, VERTICES, 4, 8, g.normals[0]);
    add_attribute(t, "ATTRIBUTES','filter':'OCTAHEDRAL", filtered, 4, VERTICES, meshopt_decodeFilterOct);
    meshopt_encodeFilterOct(filtered, VERTICES, 8, 12, g.normals[0]);
    add_attribute(t, "ATTRIBUTES','filter':'OCTAHEDRAL", filtered, 8, VERTICES, meshopt_decodeFilterOct);
    add_indices(t, true, g.indices, 2, INDICES);
    add_indices(t, true, g.indices, 4, INDICES);
    add_indices(t, false, g.points, 2, VERTICES);
    add_indices(t, false, g.points, 4, VERTICES);
    add_attribute(t, "ATTRIBUTES','filter':'NONE", g.times, 4, KEYS, NULL);
    meshopt_encodeFilterQuat(filtered, KEYS, 8, 16, g.turns[0]);
    add_attribute(t, "ATTRIBUTES','filter':'QUATERNION", filtered, 8, KEYS, meshopt_decodeFilterQuat);
}

// Writes one of the two files into t->file. `views` may have been changed by the test.
static void close_twin(twins *t, const char *views, const test_bytes *bin, bool is_packed)
{
    char json[16384], required[128] = "";
    if (is_packed)
        snprintf(required, sizeof required, ",'extensionsUsed':['%s'],'extensionsRequired':['%s']", t->extension,
                 t->extension);
    int size = snprintf(json, sizeof json,
                        "{" ASSET
                        "%s,'buffers':[{'byteLength':%zu},{'byteLength':%zu%s}],'bufferViews':[%s],'accessors':["
                        "{'bufferView':0,'componentType':5126,'type':'VEC3','count':%d},{'bufferView':1,'componentType'"
                        ":5126,'type':'VEC3','count':%d},"
                        "{'bufferView':2,'componentType':5120,'normalized':true,'type':'VEC3','count':%d},"
                        "{'bufferView':3,'componentType':5122,'normalized':true,'type':'VEC3','count':%d},"
                        "{'bufferView':4,'componentType':5123,'type':'SCALAR','count':%d},{'bufferView':5,'"
                        "componentType':5125,'type':'SCALAR','count':%d},"
                        "{'bufferView':6,'componentType':5123,'type':'SCALAR','count':%d},{'bufferView':7,'"
                        "componentType':5125,'type':'SCALAR','count':%d},"
                        "{'bufferView':8,'componentType':5126,'type':'SCALAR','count':%d},"
                        "{'bufferView':9,'componentType':5122,'normalized':true,'type':'VEC4','count':%d}],"
                        "'meshes':[{'primitives':[{'attributes':{'POSITION':0,'NORMAL':2},'indices':4},{'attributes':{'"
                        "POSITION':1,'NORMAL':3},'indices':5},"
                        "{'attributes':{'POSITION':0},'indices':6,'mode':0},{'attributes':{'POSITION':1},'indices':7,'"
                        "mode':0}]}],'nodes':[{'mesh':0}],"
                        "'animations':[{'channels':[{'sampler':0,'target':{'node':0,'path':'rotation'}}],'samplers':[{'"
                        "input':8,'output':9}]}]}",
                        required, bin->size, t->room, t->placeholder ? t->placeholder : "", views, VERTICES, VERTICES,
                        VERTICES, VERTICES, INDICES, INDICES, VERTICES, VERTICES, KEYS, KEYS);
    assert_true(size > 0 && (size_t)size < sizeof json);
    put_glb_header(&t->file, 2);
    put_json_chunk(&t->file, json);
    put_chunk(&t->file, GLB_BIN, bin->data, bin->size);
    close_glb(&t->file);
}

static sn_model *load_twin(twins *t, bool is_packed)
{
    if (is_packed) close_twin(t, t->packed_views, &t->packed, true);
    else close_twin(t, t->plain_views, &t->plain, false);
    return load_bytes(t->file.data, t->file.size, NULL);
}

static void every_mode_and_filter(void **state)
{
    (void)state;
    static const char *const names[] = { "EXT_meshopt_compression", "KHR_meshopt_compression" };
    static twins t;
    static grid g;
    make_grid(&g);
    for (int n = 0; n < 2; n++) {
        make_twins(&t, names[n]);
        sn_model *plain = load_twin(&t, false), *packed = load_twin(&t, true);
        assert_int_equal(packed->mesh_count, 4);
        assert_int_equal(packed->warning_count, 0);
        assert_true(sn_model_hash(packed) == sn_model_hash(plain));
        for (uint32_t i = 0; i < VERTICES; i++) {
            const float *p = g.positions[i], *normal = g.normals[i];
            for (int m = 0; m < 2; m++) {
                expect_vec3(packed->meshes[m].positions[i], p[0], p[1], p[2], m ? 1e-3 : 0, __FILE__, __LINE__);
                expect_vec3(packed->meshes[m].normals[i], normal[0], normal[1], normal[2], m ? 2e-3 : 2e-2, __FILE__,
                            __LINE__);
            }
        }
        for (int m = 2; m < 4; m++) assert_memory_equal(packed->meshes[m].indices, g.points, sizeof g.points);
        sn_model_free(plain);
        sn_model_free(packed);
    }
}

// The placeholder may say that it is one.
static void marked_placeholder(void **state)
{
    (void)state;
    static twins t;
    sn_load_opts opts = { .lint = true };
    make_twins(&t, "KHR_meshopt_compression");
    close_twin(&t, t.packed_views, &t.packed, true);
    sn_model *model = load_bytes(t.file.data, t.file.size, &opts);
    uint32_t before = model->warning_count;
    sn_model_free(model);
    t.placeholder = ",'extensions':{'KHR_meshopt_compression':{'fallback':true}}";
    close_twin(&t, t.packed_views, &t.packed, true);
    model = load_bytes(t.file.data, t.file.size, &opts);
    assert_int_equal(model->warning_count, before);
    sn_model_free(model);
}

// What is packed is preferred, whatever its plain twin holds; with its size and stride wrong, check tells.
static void lint_compares_sizes(void **state)
{
    (void)state;
    static twins t;
    sn_load_opts opts = { .lint = true };
    make_twins(&t, "EXT_meshopt_compression");
    char *stride = strstr(t.packed_views, "'byteLength':432,'byteStride':12");
    assert_non_null(stride);
    memcpy(stride, "'byteLength':428,'byteStride':16", strlen("'byteLength':428,'byteStride':16"));
    close_twin(&t, t.packed_views, &t.packed, true);
    sn_error error = refuse_bytes(t.file.data, t.file.size, &opts, SN_ERR_CORRUPT);  // 16 apart, they do not fit
    assert_non_null(strstr(error.path, "/accessors/0"));
}

typedef struct layout_row {
    const char *from, *to;
    sn_status status;
    const char *says;
} layout_row;

// clang-format off
static const layout_row layouts[] = {
    { "'byteStride':12,'count':36", "'byteStride':10,'count':36", SN_ERR_CORRUPT, "multiple of 4" },
    { "'byteStride':12,'count':36", "'byteStride':0,'count':36", SN_ERR_CORRUPT, "multiple of 4" },
    { "'byteStride':12,'count':36", "'byteStride':260,'count':36", SN_ERR_CORRUPT, "multiple of 4" },
    { "'byteStride':12,'count':36", "'byteStride':4294967292,'count':36", SN_ERR_CORRUPT, "multiple of 4" },
    { "'byteStride':12,'count':36", "'byteStride':12,'count':0", SN_ERR_CORRUPT, "empty" },
    { "'byteStride':12,'count':36", "'byteStride':12,'count':4294967295", SN_ERR_LIMIT, "limit" },
    { "'byteStride':12,'count':36", "'byteStride':12,'count':16000000", SN_ERR_CORRUPT, "too few" },
    { "'byteStride':12,'count':36", "'byteStride':12,'count':90", SN_ERR_CORRUPT, NULL },
    { "'byteStride':2,'count':150", "'byteStride':3,'count':150", SN_ERR_CORRUPT, "2 or 4" },
    { "'byteStride':2,'count':150", "'byteStride':2,'count':151", SN_ERR_CORRUPT, "divisible by 3" },
    { "'byteStride':2,'count':150", "'byteStride':2,'count':15000000", SN_ERR_CORRUPT, "too few" },
    { "'byteStride':2,'count':36", "'byteStride':8,'count':36", SN_ERR_CORRUPT, "2 or 4" },
    { "'byteStride':2,'count':36", "'byteStride':2,'count':15000000", SN_ERR_CORRUPT, "too few" },
    { "'mode':'TRIANGLES'", "'mode':'TRIANGLE'", SN_ERR_CORRUPT, "mode" },
    { "'mode':'TRIANGLES'", "'mode':'TRIANGLES','filter':'EXPONENTIAL'", SN_ERR_CORRUPT, "filter" },
    { "'mode':'TRIANGLES'", "'mode':'INDICES'", SN_ERR_CORRUPT, NULL },
    { "'mode':'ATTRIBUTES'}", "'mode':'ATTRIBUTES','filter':'QUATERNION'}", SN_ERR_CORRUPT, "filter" },
    { "'mode':'ATTRIBUTES'}", "'mode':'ATTRIBUTES','filter':'OCTAHEDRAL'}", SN_ERR_CORRUPT, "filter" },
    { "'mode':'ATTRIBUTES'}", "'mode':'ATTRIBUTES','filter':'COLOR'}", SN_ERR_CORRUPT, "filter" },
    { "'mode':'ATTRIBUTES'}", "'mode':'ATTRIBUTES','filter':'LATER'}", SN_ERR_UNSUPPORTED, "KHR_meshopt_compression" },
    { "{'buffer':0,'byteOffset':0,", "{'buffer':1,'byteOffset':0,", SN_ERR_CORRUPT, "are missing" },
    { "{'buffer':0,'byteOffset':0,", "{'buffer':7,'byteOffset':0,", SN_ERR_CORRUPT, "are missing" },
    { "{'buffer':0,'byteOffset':0,", "{'byteOffset':0,", SN_ERR_CORRUPT, "are missing" },
    { "{'buffer':0,'byteOffset':0,", "{'buffer':0,'byteOffset':9007199254740992,", SN_ERR_CORRUPT, "the buffer has" },
};
// clang-format on

static void layouts_are_checked(void **state)
{
    (void)state;
    static twins t;
    make_twins(&t, "KHR_meshopt_compression");
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        const layout_row *row = &layouts[i];
        char views[8192];
        const char *at = strstr(t.packed_views, row->from);
        assert_non_null(at);
        snprintf(views, sizeof views, "%.*s%s%s", (int)(at - t.packed_views), t.packed_views, row->to,
                 at + strlen(row->from));
        close_twin(&t, views, &t.packed, true);
        sn_error error = refuse_bytes(t.file.data, t.file.size, NULL, row->status);
        if (row->says && !strstr(error.message, row->says))
            fail_msg("row %zu: \"%s\" does not say \"%s\"", i, error.message, row->says);
        if (!strstr(error.path, "/bufferViews/")) fail_msg("row %zu: path %s", i, error.path);
    }
}

// A version of the attributes that does not exist: refused, unless the view has a plain twin.
static void newer_codec(void **state)
{
    (void)state;
    static twins t;
    make_twins(&t, "KHR_meshopt_compression");
    t.packed.data[0] = 0xAF;
    close_twin(&t, t.packed_views, &t.packed, true);
    sn_error error = refuse_bytes(t.file.data, t.file.size, NULL, SN_ERR_UNSUPPORTED);
    assert_string_equal(error.path, "/bufferViews/0/extensions/KHR_meshopt_compression");

    char views[8192] = "{'buffer':0,'byteOffset':0,";
    assert_true(strncmp(t.packed_views, "{'buffer':1,'byteOffset':0,", 27) == 0);
    strcat(views, t.packed_views + 27);
    close_twin(&t, views, &t.packed, true);
    sn_model *model = load_bytes(t.file.data, t.file.size, NULL);
    assert_int_equal(count_warnings(model, SNI_WARN_GLTF_EXTENSION), 1);
    sn_model_free(model);
}

// Any outcome is right that keeps the promises.
static void load_any(const twins *t)
{
    sn_error error;
    sn_model *model = sn_load_memory(t->file.data, t->file.size, NULL, &error);
    if (model) check_model(model);
    else check_error(&error);
    sn_model_free(model);
}

static void damaged_bytes(void **state)
{
    (void)state;
    static twins t;
    make_twins(&t, "EXT_meshopt_compression");
    close_twin(&t, t.packed_views, &t.packed, true);
    size_t start = t.file.size - t.packed.size;
    for (size_t i = start; i < t.file.size; i++) {
        static const uint8_t masks[] = { 0xFF, 0x01, 0x80, 0x10 };
        for (size_t m = 0; m < sizeof masks; m++) {
            t.file.data[i] ^= masks[m];
            load_any(&t);
            t.file.data[i] ^= masks[m];
        }
    }
}

// Every length of every packed view shorter than its own: refused, or what is missing was not needed.
static void shortened_views(void **state)
{
    (void)state;
    static twins t;
    make_twins(&t, "EXT_meshopt_compression");
    for (const char *at = t.packed_views; (at = strstr(at, "{'buffer':0,'byteOffset':")) != NULL; at++) {
        const char *number = strstr(at, "'byteLength':") + strlen("'byteLength':");
        char *after, views[8192];
        long length = strtol(number, &after, 10);
        for (long shorter = 0; shorter < length; shorter++) {
            snprintf(views, sizeof views, "%.*s%ld%s", (int)(number - t.packed_views), t.packed_views, shorter, after);
            close_twin(&t, views, &t.packed, true);
            refuse_bytes(t.file.data, t.file.size, NULL, SN_ERR_CORRUPT);
        }
    }
}

#else

static void no_judge(void **state)
{
    (void)state;
    skip();  // meshoptimizer makes the files
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
#ifdef TEST_HAS_MESHOPT
        cmocka_unit_test(every_mode_and_filter), cmocka_unit_test(marked_placeholder),
        cmocka_unit_test(lint_compares_sizes),   cmocka_unit_test(layouts_are_checked),
        cmocka_unit_test(newer_codec),           cmocka_unit_test(damaged_bytes),
        cmocka_unit_test(shortened_views),
#else
        cmocka_unit_test(no_judge),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
