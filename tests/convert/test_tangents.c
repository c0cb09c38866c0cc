// Tangents of small meshes, worked out by hand; whole models are judged by tests/oracle/tangents.mjs.
#include "base/arena.h"
#include "convert/tangents.h"
#include "hand_models.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "arena_fixture.h"

typedef struct sheet {
    sn_mesh mesh;
    const sn_vec2 *sets[1];
} sheet;

static void sheet_init(sheet *s, uint32_t vertex_count, const sn_vec3 *positions, const sn_vec3 *normals,
                       const sn_vec2 *uvs, uint32_t index_count, const uint32_t *indices)
{
    s->sets[0] = uvs;
    s->mesh = (sn_mesh){ .name = "",
                         .topology = SN_TRIANGLES,
                         .vertex_count = vertex_count,
                         .index_count = index_count,
                         .uv_count = 1,
                         .positions = positions,
                         .normals = normals,
                         .uvs = s->sets,
                         .indices = indices };
}

static sn_mesh make(void **state, const sn_mesh *mesh)
{
    sn_mesh out;
    assert_true(sni_make_tangents(&((arena_fixture *)*state)->arena, mesh, 0, &out));
    assert_int_equal(out.index_count, mesh->index_count);
    assert_true(out.vertex_count >= mesh->vertex_count);
    for (uint32_t i = 0; i < out.vertex_count; i++) {
        sn_vec4 t = out.tangents[i];
        assert_within(sqrt((double)t.x * t.x + (double)t.y * t.y + (double)t.z * t.z), 1.0, 1e-5);
        assert_true(t.w == 1.0f || t.w == -1.0f);
    }
    for (uint32_t i = 0; i < out.index_count; i++) {
        uint32_t was = mesh->indices[i], is = out.indices[i];
        assert_true(is == was || (is >= mesh->vertex_count && is < out.vertex_count));
        assert_memory_equal(&out.positions[is], &mesh->positions[was], sizeof(sn_vec3));
        assert_memory_equal(&out.normals[is], &mesh->normals[was], sizeof(sn_vec3));
        assert_memory_equal(&out.uvs[0][is], &mesh->uvs[0][was], sizeof(sn_vec2));
    }
    return out;
}

static void expect_tangent(const sn_mesh *mesh, uint32_t corner, double x, double y, double z, double w)
{
    sn_vec4 t = mesh->tangents[mesh->indices[corner]];
    assert_vec3(((sn_vec3){ t.x, t.y, t.z }), x, y, z);
    assert_true(t.w == (float)w);
}

static const sn_vec3 square[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 0, 1, 0 } };
static const sn_vec3 ahead[6] = { { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 }, { 0, 0, 1 } };
static const uint32_t two_faces[6] = { 0, 1, 2, 0, 2, 3 };

static void test_picture_on_a_square(void **state)
{
    // The picture's top is at the square's top: v falls as y rises. Its up is +Y = cross(+Z, +X) * 1.
    const sn_vec2 uvs[4] = { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } };
    sheet s;
    sheet_init(&s, 4, square, ahead, uvs, 6, two_faces);
    sn_mesh out = make(state, &s.mesh);
    assert_int_equal(out.vertex_count, 4);
    assert_ptr_equal(out.positions, s.mesh.positions);
    assert_ptr_equal(out.indices, s.mesh.indices);
    for (uint32_t i = 0; i < 6; i++) expect_tangent(&out, i, 1, 0, 0, 1);
}

static void test_mirrored_picture(void **state)
{
    const sn_vec2 uvs[4] = { { 1, 1 }, { 0, 1 }, { 0, 0 }, { 1, 0 } };
    sheet s;
    sheet_init(&s, 4, square, ahead, uvs, 6, two_faces);
    sn_mesh out = make(state, &s.mesh);
    for (uint32_t i = 0; i < 6; i++) expect_tangent(&out, i, -1, 0, 0, -1);
}

static void test_halves_that_mirror_each_other_split(void **state)
{
    // u runs away from the seam on both sides; the two vertices of the seam are needed twice.
    const sn_vec3 positions[6] = { { -1, 0, 0 }, { 0, 0, 0 }, { 1, 0, 0 }, { -1, 1, 0 }, { 0, 1, 0 }, { 1, 1, 0 } };
    const sn_vec2 uvs[6] = { { 1, 1 }, { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 }, { 1, 0 } };
    const uint32_t indices[12] = { 0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4 };
    const float colors[6][4] = { { 1 }, { 2 }, { 3 }, { 4 }, { 5 }, { 6 } };
    const sn_vec4 *color_sets[2] = { NULL, (const sn_vec4 *)colors };
    const uint16_t joints[12] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 };
    const float weights[12] = { 1, 0, 0.5f, 0.5f, 1, 0, 1, 0, 0.25f, 0.75f, 1, 0 };
    const sn_morph morphs[2] = { { .name = "a", .positions = positions }, { .name = "b", .normals = ahead } };
    sheet s;
    sheet_init(&s, 6, positions, ahead, uvs, 12, indices);
    s.mesh.colors = color_sets, s.mesh.color_count = 2;
    s.mesh.vertex_joints = joints, s.mesh.vertex_weights = weights, s.mesh.influence_count = 2;
    s.mesh.morphs = morphs, s.mesh.morph_count = 2;
    sn_mesh out = make(state, &s.mesh);
    assert_int_equal(out.vertex_count, 8);
    for (uint32_t i = 0; i < 6; i++) expect_tangent(&out, i, -1, 0, 0, -1);
    for (uint32_t i = 6; i < 12; i++) expect_tangent(&out, i, 1, 0, 0, 1);
    for (uint32_t i = 0; i < 6; i++) assert_int_equal(out.indices[i], indices[i]);  // the first to come keep theirs
    const uint32_t sources[2] = { out.indices[6] == 6 ? 1 : 4, out.indices[6] == 6 ? 4 : 1 };
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t copy = 6 + i, from = sources[i];
        assert_true(out.colors[1][copy].x == colors[from][0] && out.colors[0] == NULL);
        assert_memory_equal(out.vertex_joints + copy * 2, joints + from * 2, 2 * sizeof *joints);
        assert_memory_equal(out.vertex_weights + copy * 2, weights + from * 2, 2 * sizeof *weights);
        assert_memory_equal(&out.morphs[0].positions[copy], &positions[from], sizeof(sn_vec3));
        assert_memory_equal(&out.morphs[1].normals[copy], &ahead[from], sizeof(sn_vec3));
        assert_null(out.morphs[0].normals);
    }
}

static void test_corners_weigh_by_their_angle(void **state)
{
    // At the origin a corner of 90 degrees with u along +X meets one of 45 degrees with u along +X + Y (a third face
    // would close the fan): the sum is 2 * (1, 0) + 1 * (r, r) with r = sqrt(1/2). Twice the same u direction at the
    // shared edge needs a shear: uv of the second face is solved from u(0,1) = u0, u growing along (r, r) only.
    const sn_vec3 positions[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { -1, 1, 0 } };
    const sn_vec2 uvs[4] = { { 0, 0 }, { 1, 0 }, { 0, -1 }, { -1, -2 } };
    const uint32_t indices[6] = { 0, 1, 2, 0, 2, 3 };
    // Second face: d1 = (0,1) has (0,-1), d2 = (-1,1) has (-1,-2): du = v2*d1 - v1*d2 = -2*(0,1) + 1*(-1,1) = (-1,-1),
    // with area 0*-2 - -1*-1 = -1 the sign turns: (1, 1).
    sheet s;
    sheet_init(&s, 4, positions, ahead, uvs, 6, indices);
    sn_mesh out = make(state, &s.mesh);
    double r = sqrt(0.5), x = 2 + r, y = r, length = sqrt(x * x + y * y);
    assert_int_equal(out.vertex_count, 4);
    expect_tangent(&out, 0, x / length, y / length, 0, 1);
    expect_tangent(&out, 1, 1, 0, 0, 1);
    expect_tangent(&out, 5, r, r, 0, 1);
}

static void test_vertices_in_one_place_are_one(void **state)
{
    // The same two faces without shared vertices: the fan is found by position, normal and texture coordinates.
    const sn_vec3 positions[6] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { -0.0f, 0, 0 }, { 0, 1, 0 }, { -1, 1, 0 } };
    const sn_vec2 uvs[6] = { { 0, 0 }, { 1, 0 }, { 0, -1 }, { 0, -0.0f }, { 0, -1 }, { -1, -2 } };
    const uint32_t indices[6] = { 0, 1, 2, 3, 4, 5 };
    sheet s;
    sheet_init(&s, 6, positions, ahead, uvs, 6, indices);
    sn_mesh out = make(state, &s.mesh);
    double r = sqrt(0.5), x = 2 + r, y = r, length = sqrt(x * x + y * y);
    assert_int_equal(out.vertex_count, 6);
    expect_tangent(&out, 0, x / length, y / length, 0, 1);
    expect_tangent(&out, 3, x / length, y / length, 0, 1);
}

static void test_tangents_lie_across_the_normal(void **state)
{
    const float r = 0.70710678f;
    const sn_vec3 normals[4] = { { r, 0, r }, { r, 0, r }, { r, 0, r }, { r, 0, r } };
    const sn_vec2 uvs[4] = { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } };
    sheet s;
    sheet_init(&s, 4, square, normals, uvs, 6, two_faces);
    sn_mesh out = make(state, &s.mesh);
    for (uint32_t i = 0; i < 6; i++) expect_tangent(&out, i, r, 0, -r, 1);
}

static void test_faces_without_texture_follow_their_neighbours(void **state)
{
    const sn_vec2 uvs[4] = {
        { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0.5f, 0.5f }
    };  // the second face is a line in the picture
    sheet s;
    sheet_init(&s, 4, square, ahead, uvs, 6, two_faces);
    sn_mesh out = make(state, &s.mesh);
    expect_tangent(&out, 3, 1, 0, 0, 1);
    expect_tangent(&out, 4, 1, 0, 0, 1);
    expect_tangent(&out, 5, 1, 0, 0, 1);  // nobody shares this corner: the tangent of no texture
}

static void test_no_texture_at_all(void **state)
{
    const sn_vec3 sideways[4] = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    const sn_vec2 uvs[4] = { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 } };
    sheet s;
    sheet_init(&s, 4, square, sideways, uvs, 6, two_faces);
    sn_mesh out = make(state, &s.mesh);
    assert_int_equal(out.vertex_count, 4);
    expect_tangent(&out, 0, 0, 1, 0, 1);  // X itself would lie along the normal
    expect_tangent(&out, 2, 1, 0, 0, 1);
}

static void test_collapsed_faces_take_what_is_there(void **state)
{
    const sn_vec2 uvs[4] = { { 1, 1 }, { 0, 1 }, { 0, 0 }, { 1, 0 } };
    const uint32_t indices[12] = { 0, 0, 1, 2, 2, 2, 0, 1, 2, 0, 2, 3 };
    sheet s;
    sheet_init(&s, 4, square, ahead, uvs, 12, indices);
    sn_mesh out = make(state, &s.mesh);
    assert_int_equal(out.vertex_count, 4);
    for (uint32_t i = 0; i < 12; i++) expect_tangent(&out, i, -1, 0, 0, -1);
}

static void test_opposite_ways_do_not_cancel(void **state)
{
    // A sheet folded back on itself: both sides have the same normals, u runs along +X on one and -X on the other.
    const sn_vec3 positions[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 0.5f, 0 } };
    const sn_vec2 uvs[4] = { { 0, 0 }, { 1, 0 }, { 0, -1 }, { -1, -0.5f } };
    const uint32_t indices[6] = { 0, 1, 2, 2, 3, 0 };
    sheet s;
    sheet_init(&s, 4, positions, ahead, uvs, 6, indices);
    sn_mesh out = make(state, &s.mesh);
    expect_tangent(&out, 0, 1, 0, 0, 1);
    expect_tangent(&out, 5, -1, 0, 0, 1);
}

static void test_what_has_no_tangents(void **state)
{
    const sn_vec2 uvs[4] = { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } };
    sni_arena *arena = &((arena_fixture *)*state)->arena;
    sheet s;
    sn_mesh out;
    sheet_init(&s, 4, square, ahead, uvs, 6, two_faces);
    assert_true(sni_make_tangents(arena, &s.mesh, 1, &out));
    assert_null(out.tangents);
    s.mesh.normals = NULL;
    assert_true(sni_make_tangents(arena, &s.mesh, 0, &out));
    assert_null(out.tangents);
    s.mesh.normals = ahead;
    s.mesh.topology = SN_LINES;
    assert_true(sni_make_tangents(arena, &s.mesh, 0, &out));
    assert_null(out.tangents);
    s.mesh.topology = SN_TRIANGLES;
    s.sets[0] = NULL;
    assert_true(sni_make_tangents(arena, &s.mesh, 0, &out));
    assert_null(out.tangents);
}

static uint32_t random_below(uint32_t *seed, uint32_t limit)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) % limit;
}

static void test_extreme_numbers(void **state)
{
    const float values[6] = { 0, 1, -FLT_MAX, FLT_MAX, FLT_TRUE_MIN, -1e-20f };
    uint32_t seed = 7, indices[96];
    sn_vec3 positions[32], normals[32];
    sn_vec2 uvs[32];
    for (int round = 0; round < 300; round++) {
        for (int i = 0; i < 32; i++) {
            float v[5];
            for (int k = 0; k < 5; k++) v[k] = values[random_below(&seed, round % 2 ? 6 : 2)];
            positions[i] = (sn_vec3){ v[0], v[1], v[2] };
            normals[i] = (sn_vec3){ i % 3 == 0, i % 3 == 1, i % 3 == 2 };
            uvs[i] = (sn_vec2){ v[3], v[4] };
        }
        for (int i = 0; i < 96; i++) indices[i] = random_below(&seed, 32);
        sheet s;
        sheet_init(&s, 32, positions, normals, uvs, 96, indices);
        make(state, &s.mesh);
    }
}

// All faces share one edge, and one vertex has more groups than anyone would compare: still quick.
static void test_a_book_of_many_pages(void **state)
{
    enum { PAGES = 30000 };
    static sn_vec3 positions[PAGES + 2], normals[PAGES + 2];
    static sn_vec2 uvs[PAGES + 2];
    static uint32_t indices[PAGES * 3];
    for (uint32_t i = 0; i < PAGES + 2; i++) {
        double angle = i * 1e-4;
        positions[i] = i < 2 ? (sn_vec3){ 0, (float)i, 0 } : (sn_vec3){ (float)cos(angle), 0, (float)sin(angle) };
        normals[i] = (sn_vec3){ 0, 0, 1 };
        uvs[i] = i < 2 ? (sn_vec2){ 0, (float)i } : (sn_vec2){ (float)sin(angle * 99), 0.5f };
    }
    for (uint32_t i = 0; i < PAGES; i++) {
        indices[i * 3] = i % 3 ? 0 : 1;
        indices[i * 3 + 1] = i % 3 ? 1 : 0;
        indices[i * 3 + 2] = i + 2;
    }
    sheet s;
    sheet_init(&s, PAGES + 2, positions, normals, uvs, PAGES * 3, indices);
    make(state, &s.mesh);
}

static void test_memory_failures_are_told(void **state)
{
    (void)state;
    const sn_vec2 uvs[4] = { { 0, 1 }, { 1, 1 }, { 1, 0 }, { 0, 0 } };
    sheet s;
    sheet_init(&s, 4, square, ahead, uvs, 6, two_faces);
    for (uint64_t limit = 0; limit < 64 << 10; limit += 4 << 10) {
        sni_heap heap;
        sni_arena arena;
        sn_mesh out;
        sni_heap_init(&heap, NULL, limit);
        sni_arena_init(&arena, &heap);
        bool made = sni_make_tangents(&arena, &s.mesh, 0, &out);
        assert_true(made == (limit >= 32 << 10));  // one block for the work, one for the mesh
        sni_arena_free(&arena);
        assert_true(heap.used == 0);
    }
}

#define with_room(test) cmocka_unit_test_setup_teardown(test, arena_fixture_open, arena_fixture_close)

int main(void)
{
    const struct CMUnitTest tests[] = {
        with_room(test_picture_on_a_square),
        with_room(test_mirrored_picture),
        with_room(test_halves_that_mirror_each_other_split),
        with_room(test_corners_weigh_by_their_angle),
        with_room(test_vertices_in_one_place_are_one),
        with_room(test_tangents_lie_across_the_normal),
        with_room(test_faces_without_texture_follow_their_neighbours),
        with_room(test_no_texture_at_all),
        with_room(test_collapsed_faces_take_what_is_there),
        with_room(test_opposite_ways_do_not_cancel),
        with_room(test_what_has_no_tangents),
        with_room(test_extreme_numbers),
        with_room(test_a_book_of_many_pages),
        cmocka_unit_test(test_memory_failures_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
