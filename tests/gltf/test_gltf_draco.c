// KHR_draco_mesh_compression: primitives decode to what was encoded, and damage is reported. What streams decode to is
// tested in tests/draco.
#include "check_model.h"
#include "gltf_text.h"
#include "hand_models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define DRACO "KHR_draco_mesh_compression"

enum { SIDE = 7, VERTICES = SIDE * SIDE, FACES = (SIDE - 1) * (SIDE - 1) * 2 };

// A stream of fuzz/seeds/draco: the vertices of a sheet at (x, y, xy / 4) with colours, as make_draco_seeds.c has them.
typedef struct sheet {
    uint8_t packed[8192];
    size_t size;
} sheet;

static void read_sheet(sheet *s, bool is_edgebreaker)
{
    FILE *file = fopen(is_edgebreaker ? SINEW_TESTS_DIR "/../fuzz/seeds/draco/sheet_edgebreaker.drc"
                                      : SINEW_TESTS_DIR "/../fuzz/seeds/draco/sheet_sequential.drc",
                       "rb");
    assert_non_null(file);
    s->size = fread(s->packed, 1, sizeof s->packed, file);
    fclose(file);
    assert_in_range(s->size, 100, sizeof s->packed - 1);
}

#define BOTH "'attributes':{'POSITION':0,'COLOR_0':1}"

// A file around packed bytes; the accessors and the primitive as the test wants them.
static void make_file(test_bytes *file, const void *packed, size_t size, const char *accessors, const char *primitive)
{
    char json[4096];
    snprintf(json, sizeof json,
             "{" ASSET ",'extensionsUsed':['" DRACO "'],'buffers':[{'byteLength':%zu}],'bufferViews':["
             "{'buffer':0,'byteLength':%zu}],'accessors':[%s],'meshes':[{'primitives':[{%s}]}],'nodes':[{'mesh':0}]}",
             size, size, accessors, primitive);
    put_glb_header(file, 2);
    put_json_chunk(file, json);
    put_u32(file, (uint32_t)(size + 3) / 4 * 4);
    put_u32(file, GLB_BIN);
    put_bytes(file, packed, size);
    while (file->size % 4) put_u8(file, 0);
    close_glb(file);
}

#define POSITIONS "{'componentType':5126,'type':'VEC3','count':49}"
#define COLORS    "{'componentType':5121,'normalized':true,'type':'VEC4','count':49}"
#define INDICES   "{'componentType':5123,'type':'SCALAR','count':216}"
#define ACCESSORS POSITIONS "," COLORS "," INDICES
#define PRIMITIVE BOTH ",'indices':2,'extensions':{'" DRACO "':{'bufferView':0," BOTH "}}"

static void expect_sheet(const sn_model *model)
{
    const sn_mesh *mesh = &model->meshes[0];
    bool seen[VERTICES] = { false };
    assert_int_equal(model->warning_count, 0);
    assert_int_equal(mesh->vertex_count, VERTICES);
    assert_int_equal(mesh->index_count, FACES * 3);
    for (uint32_t i = 0; i < VERTICES; i++) {
        uint32_t x = (uint32_t)mesh->positions[i].x, y = (uint32_t)mesh->positions[i].y, at = y * SIDE + x;
        assert_true(x < SIDE && y < SIDE && !seen[at]);
        seen[at] = true;
        expect_vec3(mesh->positions[i], (float)x, (float)y, 0.25f * (float)(x * y), 0, __FILE__, __LINE__);
        const float *color = &mesh->colors[0][i].x, expected[4] = { (float)x * 20, (float)y * 20, (float)at, 255 };
        for (int c = 0; c < 4; c++) assert_near(color[c], expected[c] / 255.0f);
    }
    // The same area, and every face of it facing the same way: no face was lost or turned.
    double area = 0;
    for (uint32_t f = 0; f < FACES; f++) {
        const sn_vec3 *p = mesh->positions;
        sn_vec3 a = p[mesh->indices[f * 3]], b = p[mesh->indices[f * 3 + 1]], c = p[mesh->indices[f * 3 + 2]];
        double twice = (double)(b.x - a.x) * (double)(c.y - a.y) - (double)(b.y - a.y) * (double)(c.x - a.x);
        assert_near(twice, 1.0);
        area += twice / 2;
    }
    assert_near(area, (SIDE - 1) * (SIDE - 1));
}

static void both_methods(void **state)
{
    (void)state;
    static test_bytes file;
    static sheet s;
    for (int is_edgebreaker = 0; is_edgebreaker < 2; is_edgebreaker++) {
        read_sheet(&s, is_edgebreaker);
        make_file(&file, s.packed, s.size, ACCESSORS, PRIMITIVE);
        sn_model *model = load_bytes(file.data, file.size, NULL);
        expect_sheet(model);
        sn_model_free(model);
    }
}

// A strip's accessor counts the strip; Draco always gives triangles. Without an accessor they count themselves.
static void strips_are_triangles(void **state)
{
    (void)state;
    static const char *const primitives[] = {
        BOTH ",'mode':5,'indices':2,'extensions':{'" DRACO "':{'bufferView':0," BOTH "}}",
        BOTH ",'extensions':{'" DRACO "':{'bufferView':0," BOTH "}}",
    };
    static test_bytes file;
    static sheet s;
    read_sheet(&s, true);
    for (int i = 0; i < 2; i++) {
        make_file(&file, s.packed, s.size, POSITIONS "," COLORS ",{'componentType':5123,'type':'SCALAR','count':90}",
                  primitives[i]);
        sn_model *model = load_bytes(file.data, file.size, NULL);
        expect_sheet(model);
        sn_model_free(model);
    }
}

typedef struct misfit_row {
    const char *accessors, *primitive;
} misfit_row;

// clang-format off
static const misfit_row misfits[] = {
    { "{'componentType':5126,'type':'VEC3','count':48}," COLORS "," INDICES, PRIMITIVE },
    { "{'componentType':5126,'type':'VEC3','count':4294967295}," COLORS "," INDICES, PRIMITIVE },
    { "{'componentType':5126,'type':'VEC2','count':49}," COLORS "," INDICES, PRIMITIVE },
    { "{'componentType':5126,'type':'MAT2','count':49}," COLORS "," INDICES, PRIMITIVE },
    { "{'componentType':9,'type':'VEC3','count':49}," COLORS "," INDICES, PRIMITIVE },
    { POSITIONS ",{'componentType':5120,'type':'VEC4','count':49}," INDICES, PRIMITIVE },       // 255 is no int8
    { POSITIONS "," COLORS ",{'componentType':5123,'type':'SCALAR','count':215}", PRIMITIVE },
    { POSITIONS "," COLORS ",{'componentType':5123,'type':'VEC2','count':108}", PRIMITIVE },
    { ACCESSORS,
      BOTH ",'indices':2,'extensions':{'" DRACO "':{'bufferView':0,'attributes':{'POSITION':7,'COLOR_0':1}}}" },
    { ACCESSORS, BOTH ",'indices':2,'extensions':{'" DRACO "':{'bufferView':0,'attributes':{'COLOR_0':1}}}" },
    { ACCESSORS, BOTH ",'indices':2,'extensions':{'" DRACO "':{'bufferView':0}}" },
    { ACCESSORS, BOTH ",'mode':1,'indices':2,'extensions':{'" DRACO "':{'bufferView':0," BOTH "}}" },
};
// clang-format on

// Each leaves the primitive out, with one warning, and the rest of the model stays.
static void misfits_are_left_out(void **state)
{
    (void)state;
    static test_bytes file;
    static sheet s;
    read_sheet(&s, true);
    for (size_t i = 0; i < sizeof misfits / sizeof misfits[0]; i++) {
        make_file(&file, s.packed, s.size, misfits[i].accessors, misfits[i].primitive);
        sn_model *model = load_bytes(file.data, file.size, NULL);
        uint32_t meshes = model->mesh_count, warnings = count_warnings(model, SNI_WARN_GLTF_PRIMITIVE);
        sn_model_free(model);
        if (meshes != 0 || warnings != 1) fail_msg("row %zu: %u meshes, %u warnings", i, meshes, warnings);
    }
}

static void broken_streams(void **state)
{
    (void)state;
    static test_bytes file;
    static sheet s;
    read_sheet(&s, true);
    make_file(&file, s.packed, s.size, ACCESSORS, BOTH ",'extensions':{'" DRACO "':{" BOTH "}}");
    refuse_bytes(file.data, file.size, NULL, SN_ERR_CORRUPT);  // no view
    s.packed[6] = 1;
    make_file(&file, s.packed, s.size, ACCESSORS, PRIMITIVE);
    sn_error error = refuse_bytes(file.data, file.size, NULL, SN_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "Draco version 2.1"));
    assert_string_equal(error.path, "/meshes/0/primitives/0/extensions/" DRACO);
    for (size_t size = 1; read_sheet(&s, size % 2), size < s.size; size++) {
        make_file(&file, s.packed, size, ACCESSORS, PRIMITIVE);
        sn_model *model = sn_load_memory(file.data, file.size, NULL, &error);
        if (model) fail_msg("it loads with %zu of %zu bytes", size, s.size);
        assert_true(error.status == SN_ERR_CORRUPT || error.status == SN_ERR_TRUNCATED);
    }
}

// Millions of faces in a few bytes: refused before there is memory for them, by the accessors or by the limit.
static void claims_are_not_believed(void **state)
{
    (void)state;
    static const uint8_t sequential[] = { 'D', 'R', 'A', 'C', 'O', 2, 2, 1, 0, 0, 0, 0x80, 0x80, 0x80, 0x40, 3, 0 };
    static const uint8_t edgebreaker[] = { 'D', 'R',  'A',  'C',  'O',  2, 2,    1,    1,    0,    0, 0,
                                           3,   0x80, 0x80, 0x80, 0x40, 0, 0x80, 0x80, 0x80, 0x40, 0, 0 };
    static const struct {
        const uint8_t *bytes;
        size_t size;
    } streams[] = { { sequential, sizeof sequential }, { edgebreaker, sizeof edgebreaker } };
    static test_bytes file;
    for (int i = 0; i < 2; i++) {
        make_file(&file, streams[i].bytes, streams[i].size, ACCESSORS, PRIMITIVE);
        sn_model *model = load_bytes(file.data, file.size, NULL);
        assert_int_equal(model->mesh_count, 0);
        assert_int_equal(count_warnings(model, SNI_WARN_GLTF_PRIMITIVE), 1);
        sn_model_free(model);
        make_file(&file, streams[i].bytes, streams[i].size, "{'componentType':5126,'type':'VEC3','count':3}",
                  "'attributes':{'POSITION':0},'extensions':{'" DRACO
                  "':{'bufferView':0,'attributes':{'POSITION':0}}}");
        sn_error error;
        assert_null(sn_load_memory(file.data, file.size, NULL, &error));
        assert_true(error.status == SN_ERR_LIMIT || error.status == SN_ERR_TRUNCATED);
    }
}

// Where the corpus is: the Draco variant of a model is where its plain variant is, within its quantisation.
static void corpus_twins(void **state)
{
    (void)state;
    static const struct {
        const char *plain, *packed;
    } rows[] = {
        { "sample-assets/Box/glTF/Box.gltf", "sample-assets/Box/glTF-Draco/Box.gltf" },
        { "sample-assets/Box/glTF/Box.gltf", "gltf-transform/BoxDraco.gltf" },
        { "sample-assets/RiggedSimple/glTF/RiggedSimple.gltf",
          "sample-assets/RiggedSimple/glTF-Draco/RiggedSimple.gltf" },
        { "sample-assets/MorphPrimitivesTest/glTF/MorphPrimitivesTest.gltf",
          "sample-assets/MorphPrimitivesTest/glTF-Draco/MorphPrimitivesTest.gltf" },
    };
    const char *shared = getenv("SINEW_SHARED");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *names[2] = { rows[i].plain, rows[i].packed };
        sn_model *models[2];
        float lowest[2][3], highest[2][3], radius[2];
        for (int m = 0; m < 2; m++) {
            char path[1024];
            sn_error error;
            snprintf(path, sizeof path, "%s/corpus/gltf/%s", shared ? shared : SINEW_SHARED, names[m]);
            models[m] = sn_load_file(path, NULL, &error);
            if (!models[m] && m == 0) skip();
            if (!models[m]) fail_msg("%s: %s", path, error.message);
            check_model(models[m]);
            exercise_model(models[m]);
            sn_pose *pose = sn_pose_create(models[m], NULL, NULL);
            sn_pose_sample(pose, models[m]->clip_count ? 0 : -1, 0.7f, 0.7f);
            sn_pose_solve(pose, NULL);
            sn_bounds bounds = sn_pose_bounds(pose);
            memcpy(lowest[m], &bounds.min, sizeof lowest[m]);
            memcpy(highest[m], &bounds.max, sizeof highest[m]);
            radius[m] = bounds.radius;
            sn_pose_free(pose);
        }
        for (int c = 0; c < 3; c++) {
            assert_within(lowest[1][c], lowest[0][c], (double)radius[0] * 1e-3);
            assert_within(highest[1][c], highest[0][c], (double)radius[0] * 1e-3);
        }
        assert_int_equal(models[0]->mesh_count, models[1]->mesh_count);
        for (uint32_t m = 0; m < models[0]->mesh_count; m++) {
            assert_int_equal(models[0]->meshes[m].vertex_count, models[1]->meshes[m].vertex_count);
            assert_int_equal(models[0]->meshes[m].index_count, models[1]->meshes[m].index_count);
        }
        sn_model_free(models[0]);
        sn_model_free(models[1]);
    }
}

// A version that is not decoded, and plain accessors that have a view.
static void fallback_is_plain(void **state)
{
    (void)state;
    gltf_draft *draft = draft_start();
    draft_floats(draft, "VEC3", 3, (const float[9]){ 0, 0, 0, 1, 0, 0, 0, 1, 0 });
    draft_view(draft, "DRACO\x09\x00\x01\x01\x00\x00", 11, "");
    sn_model *model = load_draft(draft,
                                 "'extensionsUsed':['" DRACO "'],'meshes':[{'primitives':[{'attributes':{'POSITION':0},"
                                 "'extensions':{'" DRACO
                                 "':{'bufferView':1,'attributes':{'POSITION':0}}}}]}],'nodes':[{'mesh':0}]");
    assert_int_equal(model->mesh_count, 1);
    assert_int_equal(model->meshes[0].vertex_count, 3);
    sn_model_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_methods),
        cmocka_unit_test(strips_are_triangles),
        cmocka_unit_test(misfits_are_left_out),
        cmocka_unit_test(broken_streams),
        cmocka_unit_test(claims_are_not_believed),
        cmocka_unit_test(corpus_twins),
        cmocka_unit_test(fallback_is_plain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
