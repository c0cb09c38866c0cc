// MDX 1500: geosets with headers first and packed vertices, from hand-made bytes.
#include "check_model.h"
#include "mdx_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

typedef struct header {
    uint32_t vertices, kinds, indices;
    const char *tag;
} header;

static const header usual = { 3, 1, 3, "PVTX" };

static void put_header(mdx_bytes *b, header h)
{
    mb_u32(b, 0), mb_counting(b, 4, 10), MB_U32S(b, 7, 0, 1);  // material, centre and radius, group, number, flags
    mb_tag(b, h.tag), mb_u32(b, h.vertices), mb_tag(b, "PTYP"), mb_u32(b, h.kinds), mb_tag(b, "PVTX"),
        mb_u32(b, h.indices), MB_U32S(b, 0, 0);
}

// A triangle; its last vertex is bound to nodes 0 and 1 equally.
static void put_body(mdx_bytes *b, float x, uint32_t kind)
{
    for (unsigned i = 0; i < 3; i++) {
        MB_F32S(b, i == 1 ? x + 1 : x, i == 2 ? 1 : 0, 0);
        mb_raw(b, i == 2 ? "\x80\x7F\0\0" : "\xFF\0\0\0", 4);  // weights, then nodes
        mb_raw(b, "\0\1\0\0", 4);
        MB_F32S(b, 0, 0, 1, (float)i, 0.5f, (float)i + 10, 0.25f);
    }
    MB_U32S(b, kind, 0), mb_u16(b, 3), mb_u16(b, 0), mb_u16(b, 2), mb_u16(b, 0);
    for (unsigned i = 0; i < 8; i++) mb_u16(b, i < 3 ? i : 0);  // padded to eight
}

static void put_geosets(mdx_bytes *b, uint32_t count, header first, uint32_t kind)
{
    mb_chunk(b, "GEOS"), mb_u32(b, count);
    for (uint32_t i = 0; i < 2; i++) put_header(b, i == 0 ? first : usual);
    for (uint32_t i = 0; i < 2; i++) put_body(b, (float)i * 5, kind);
    mb_end(b);
}

static void geosets(void **state)
{
    (void)state;
    mdx_case c;
    put_geosets(mdx_case_begin(&c, 1500), 2, usual, 3);
    const mdx_doc *doc = mdx_case_parse(&c);
    assert_int_equal(doc->geosets.count, 2);
    const mdx_geoset *g = (const mdx_geoset *)doc->geosets.items + 1;
    assert_true(g->material == 0 && g->selection_group == 7 && g->selection_flags == 1);
    assert_true(g->extent.radius == 13 && g->extent.min[0] == -3 && g->extent.max[2] == 25);
    assert_true(g->positions.count == 3 && g->normals.count == 3 && g->faces.count == 3 && g->uv_count == 2 &&
                g->skin.count == 24);
    assert_true(sni_load_f32(g->positions.data + 12) == 6 && sni_load_f32(g->positions.data + 28) == 1);
    assert_true(sni_load_f32(g->normals.data + 8) == 1);
    assert_true(sni_load_f32(g->uvs[0].data + 8) == 1 && sni_load_f32(g->uvs[1].data + 16) == 12);
    assert_memory_equal(g->skin.data + 16, "\0\1\0\0\x80\x7F\0\0", 8);
    assert_true(g->faces.data[2] == 1 && g->faces.data[4] == 2);
    mdx_case_close(&c);
    mdx_bytes *b = mdx_case_begin(&c, 1500);  // without its count
    mb_chunk(b, "GEOS"), mb_end(b);
    assert_int_equal(mdx_case_parse(&c)->geosets.count, 0);
    mdx_case_close(&c);
}

static void expect_error(uint32_t count, header first, uint32_t kind, sn_status status, const char *path)
{
    mdx_case c;
    put_geosets(mdx_case_begin(&c, 1500), count, first, kind);
    const sn_error *error = mdx_case_refuse(&c);
    if (error->status != status || strcmp(error->path, path) != 0)
        fail_msg("%s in \"%s\": %s", sn_status_name(error->status), error->path, error->message);
    mdx_case_close(&c);
}

static void malformed_batches(void **state)
{
    (void)state;
    expect_error(0xFFFFFFFF, usual, 3, SN_ERR_TRUNCATED, "GEOS");
    expect_error(2, (header){ 3, 1, 3, "VRTX" }, 3, SN_ERR_CORRUPT, "GEOS[0]");
    expect_error(2, (header){ 3, 2, 3, "PVTX" }, 3, SN_ERR_UNSUPPORTED, "GEOS[0]");
    expect_error(2, (header){ 0xFFFFFFFF, 1, 3, "PVTX" }, 3, SN_ERR_TRUNCATED, "GEOS[0]");
    expect_error(2, (header){ 3, 1, 0xFFFFFFFF, "PVTX" }, 3, SN_ERR_TRUNCATED, "GEOS[0]");
    expect_error(2, usual, 4, SN_ERR_UNSUPPORTED, "GEOS[0]");
}

static void vertices_follow_their_bones(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 1500);
    mb_chunk(b, "BONE"), mb_u32(b, 2);
    for (int32_t i = 0; i < 2; i++) mb_node(b, i ? "b" : "a", i, -1, 0), mb_end(b), MB_U32S(b, 0, 0);
    mb_end(b);
    mb_chunk(b, "PIVT"), mb_counting(b, 6, 0), mb_end(b);
    put_geosets(b, 2, usual, 3);
    sn_error error;
    sn_model *model = sn_load_memory(b->data, b->size, NULL, &error);
    if (!model) fail_msg("%s", error.message);
    check_model(model);
    exercise_model(model);
    assert_int_equal(model->part_count, 2);
    const sn_mesh *mesh = &model->meshes[0];
    assert_true(mesh->vertex_count == 3 && mesh->index_count == 3 && mesh->influence_count == 2);
    float weight = mesh->vertex_weights[4];
    assert_true(weight > 0.501f && weight < 0.503f);  // 128 of 255
    sn_model_free(model);
    assert_int_equal(mdx_case_parse(&c)->geosets.count, 2);
    mdx_case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(geosets),
        cmocka_unit_test(malformed_batches),
        cmocka_unit_test(vertices_follow_their_bones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
