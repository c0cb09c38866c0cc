// Normals of faces, worked out by hand.
#include "convert/normals.h"
#include "hand_models.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "arena_fixture.h"

// A square folded along its diagonal from 0 to 2: one half lies in XY, the other stands in XZ.
static const sn_vec3 roof[5] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 0, 1 }, { 9, 9, 9 } };
static const uint32_t faces[6] = { 0, 1, 2, 0, 3, 1 };
static const sn_vec2 uvs[5] = { { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 1 }, { 0, 0 } };
static const sn_vec2 *const sets[1] = { uvs };

static sn_mesh make(void **state, const sn_mesh *mesh)
{
    sn_mesh out;
    assert_true(sni_make_flat_normals(&((arena_fixture *)*state)->arena, mesh, &out));
    return out;
}

static sn_mesh roof_mesh(void)
{
    return (sn_mesh){ .name = "",
                      .topology = SN_TRIANGLES,
                      .vertex_count = 5,
                      .index_count = 6,
                      .uv_count = 1,
                      .positions = roof,
                      .uvs = sets,
                      .indices = faces };
}

static void each_face_has_its_own_vertices(void **state)
{
    sn_mesh mesh = roof_mesh(), out = make(state, &mesh);
    static const uint32_t wanted[6] = { 0, 1, 2, 5, 3, 6 };
    assert_int_equal(out.vertex_count, 7);
    assert_memory_equal(out.indices, wanted, sizeof wanted);
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t at = out.indices[i];
        assert_memory_equal(&out.positions[at], &roof[faces[i]], sizeof *roof);
        assert_memory_equal(&out.uvs[0][at], &uvs[faces[i]], sizeof *uvs);
        if (i < 3) assert_vec3(out.normals[at], 0, 0, 1);
        else assert_vec3(out.normals[at], 0, 1, 0);
    }
    assert_vec3(out.normals[4], 0, 0, 1);  // of no face: any of unit length
}

// The morph lays the standing half flat into XY, below the other: its normal becomes +Z.
static void morphs_turn_them(void **state)
{
    static const sn_vec3 moves[5] = { { 0, 0, 0 }, { 0, 0, 0 }, { 0, 0, 0 }, { 0, -1, -1 }, { 0, 0, 0 } };
    const sn_morph morphs[2] = { { .name = "lie", .positions = moves }, { .name = "" } };
    sn_mesh mesh = roof_mesh();
    mesh.morphs = morphs;
    mesh.morph_count = 2;
    sn_mesh out = make(state, &mesh);
    assert_string_equal(out.morphs[0].name, "lie");
    for (uint32_t i = 0; i < 6; i++) {
        sn_vec3 turn = out.morphs[0].normals[out.indices[i]];
        if (i < 3) assert_vec3(turn, 0, 0, 0);
        else assert_vec3(turn, 0, -1, 1);
    }
    assert_null(out.morphs[1].normals);
}

static void faces_without_area_get_some_direction(void **state)
{
    static const sn_vec3 line[3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 2, 0, 0 } },
                         tiny[3] = { { 0, 0, 0 }, { 1e-30f, 0, 0 }, { 0, 1e-30f, 0 } };
    static const uint32_t indices[3] = { 0, 1, 2 };
    sn_mesh mesh = {
        .name = "", .topology = SN_TRIANGLES, .vertex_count = 3, .index_count = 3, .positions = line, .indices = indices
    };
    assert_vec3(make(state, &mesh).normals[0], 0, 0, 1);
    mesh.positions = tiny;
    assert_vec3(make(state, &mesh).normals[2], 0, 0, 1);
}

static void lines_have_none(void **state)
{
    sn_mesh mesh = roof_mesh();
    mesh.topology = SN_LINES;
    assert_null(make(state, &mesh).normals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each_face_has_its_own_vertices, arena_fixture_open, arena_fixture_close),
        cmocka_unit_test_setup_teardown(morphs_turn_them, arena_fixture_open, arena_fixture_close),
        cmocka_unit_test_setup_teardown(faces_without_area_get_some_direction, arena_fixture_open, arena_fixture_close),
        cmocka_unit_test_setup_teardown(lines_have_none, arena_fixture_open, arena_fixture_close),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
