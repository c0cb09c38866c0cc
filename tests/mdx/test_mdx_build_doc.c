// Hand-made documents, for what MDL cannot express.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "check_model.h"
#include "format/mdx/mdx_doc.h"
#include "hand_models.h"
#include "little_endian.h"
#include "model/builder.h"

typedef struct built {
    sni_heap heap;
    sni_load load;
    sn_model model;
} built;

static void build(built *out, const mdx_doc *doc)
{
    sni_heap_init(&out->heap, NULL, UINT64_MAX);
    sni_load_init(&out->load, &out->heap, NULL);
    memset(&out->model, 0, sizeof out->model);
    assert_true(mdx_build(&out->load, doc, &out->model));
    check_model(&out->model);
    exercise_model(&out->model);
}

static void discard(built *out)
{
    sni_arena_free(&out->load.scratch);
    sni_arena_free(&out->load.keep);
    assert_int_equal(out->heap.used, 0);
}

// clang-format off
#define ARRAY(values) { LITTLE_ENDIAN(values), sizeof(values) / sizeof *(values) }
#define LIST(values) { (values), sizeof(values) / sizeof *(values), 0 }
// clang-format on

static const float square[] = { 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 2, 0, 0, 2, 1, 0 };
static const uint16_t six[] = { 0, 1, 2, 3, 4, 5 };

static mdx_geoset geoset_of(const uint32_t *kinds, const uint32_t *counts, uint32_t groups)
{
    mdx_geoset geoset = { .positions = { LITTLE_ENDIAN(square), 6 }, .faces = ARRAY(six) };
    geoset.face_types = (mdx_array){ little_endian(kinds, groups * sizeof *kinds, 4), groups };
    geoset.face_counts = (mdx_array){ little_endian(counts, groups * sizeof *counts, 4), groups };
    return geoset;
}

static void expect_faces(uint32_t kind, sn_topology topology, uint32_t count, const uint32_t *indices)
{
    const uint32_t whole = 6;
    mdx_geoset geoset = geoset_of(&kind, &whole, 1);
    mdx_doc doc = { .version = 800, .geosets = { &geoset, 1, 1 } };
    built out;
    build(&out, &doc);
    assert_int_equal(out.model.meshes[0].topology, topology);
    assert_int_equal(out.model.meshes[0].index_count, count);
    assert_memory_equal(out.model.meshes[0].indices, indices, count * sizeof *indices);
    discard(&out);
}

static void test_all_kinds_of_faces(void **state)
{
    (void)state;
    expect_faces(0, SN_POINTS, 6, (const uint32_t[]){ 0, 1, 2, 3, 4, 5 });
    expect_faces(1, SN_LINES, 6, (const uint32_t[]){ 0, 1, 2, 3, 4, 5 });
    expect_faces(2, SN_LINES, 12, (const uint32_t[]){ 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0 });
    expect_faces(3, SN_LINES, 10, (const uint32_t[]){ 0, 1, 1, 2, 2, 3, 3, 4, 4, 5 });
    expect_faces(4, SN_TRIANGLES, 6, (const uint32_t[]){ 0, 1, 2, 3, 4, 5 });
    expect_faces(5, SN_TRIANGLES, 12, (const uint32_t[]){ 0, 1, 2, 2, 1, 3, 2, 3, 4, 4, 3, 5 });
    expect_faces(6, SN_TRIANGLES, 12, (const uint32_t[]){ 0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5 });
    expect_faces(7, SN_TRIANGLES, 6, (const uint32_t[]){ 0, 1, 2, 0, 2, 3 });
    expect_faces(8, SN_TRIANGLES, 12, (const uint32_t[]){ 0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4 });
    expect_faces(9, SN_TRIANGLES, 12, (const uint32_t[]){ 0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5 });
    expect_faces(77, SN_TRIANGLES, 0, NULL);
}

static void test_face_groups_with_too_many_indices(void **state)
{
    (void)state;
    const uint32_t kinds[] = { 4, 4, 1 }, counts[] = { 3, UINT32_MAX, 8 };
    mdx_geoset geoset = geoset_of(kinds, counts, 3);
    mdx_doc doc = { .version = 800, .geosets = { &geoset, 1, 1 } };
    built out;
    build(&out, &doc);
    assert_int_equal(out.model.meshes[0].index_count, 6);
    discard(&out);
}

// A key of a track: time, then its numbers.
typedef struct color_key {
    int32_t time;
    float blue, green, red;
} color_key;

static void test_colors_in_the_binary(void **state)
{
    (void)state;
    const color_key key = { 0, 0.25f, 0.5f, 1 };
    mdx_track track = { .kind = mdx_find_track_kind(MDX_KGAC), .interpolation = MDX_LINEAR, .global_sequence = -1 };
    track.keys = (mdx_array){ little_endian(&key, sizeof key, 4), 1 };
    const uint32_t kind = 4, whole = 6;
    mdx_geoset geoset = geoset_of(&kind, &whole, 1);
    mdx_geoset_anim anim = {
        .alpha = 1, .flags = MDX_USE_COLOR, .color = { 0.1f, 0.2f, 0.3f }, .item.tracks = { &track, 1 }
    };
    mdx_sequence sequences[] = { { .end = 1000 }, { .start = 2000, .end = 3000 } };
    mdx_doc doc = {
        .version = 800, .geosets = { &geoset, 1, 1 }, .geoset_anims = { &anim, 1, 1 }, .sequences = LIST(sequences)
    };
    built out;
    build(&out, &doc);
    assert_near(out.model.parts[0].color.x, 0.1f);           // the field: red first
    assert_near(out.model.clips[0].tracks[0].values[0], 1);  // the track: blue first
    assert_near(out.model.clips[0].tracks[0].values[2], 0.25);
    for (int i = 0; i < 3; i++) assert_near(out.model.clips[1].tracks[0].values[i], 1);  // no key: white, not the field
    discard(&out);
    doc.version = 1300;
    anim.flags = 1;
    build(&out, &doc);
    assert_near(out.model.parts[0].color.x, 0.3f);  // in 1300 the field is blue first too
    discard(&out);
}

static void test_defaults_win_over_layer_fields(void **state)
{
    (void)state;
    const struct {
        int32_t time;
        float alpha;
    } key = { 500, 0.25f };
    mdx_track track = { .kind = mdx_find_track_kind(MDX_KMTA), .interpolation = MDX_LINEAR, .global_sequence = -1 };
    track.keys = (mdx_array){ little_endian(&key, sizeof key, 4), 1 };
    mdx_layer layer = { .texture = -1, .texture_anim = -1, .alpha = 0.5f, .item.tracks = { &track, 1 } };
    mdx_material material = { .layers = &layer, .layer_count = 1 };
    mdx_sequence sequences[] = { { .end = 1000 }, { .start = 2000, .end = 3000 } };
    mdx_doc doc = { .version = 800, .materials = { &material, 1, 1 }, .sequences = LIST(sequences) };
    built out;
    build(&out, &doc);
    assert_near(out.model.materials[0].layers[0].color.w, 0.5);
    assert_near(out.model.clips[0].tracks[0].values[0], 0.25);
    assert_near(out.model.clips[1].tracks[0].values[0], 1);
    discard(&out);
}

// Negative times, and packed rotations of 1300.
static void test_packed_rotations_and_negative_times(void **state)
{
    (void)state;
    uint8_t keys[24] = { 0 };
    const sn_quat quarter = { 0, 0, 0.70710678f, 0.70710678f };
    for (int i = 0; i < 2; i++) {
        uint64_t packed = mdx_pack_quat(i ? quarter : (sn_quat){ 0, 0, 0, 1 });
        sni_store_u32(keys + 12 * i, i ? 1000 : (uint32_t)-5);
        sni_store_u32(keys + 12 * i + 4, (uint32_t)packed);
        sni_store_u32(keys + 12 * i + 8, (uint32_t)(packed >> 32));
    }
    mdx_track track = {
        .kind = mdx_find_track_kind(MDX_KGRT), .interpolation = MDX_LINEAR, .global_sequence = -1, .keys = { keys, 2 }
    };
    mdx_bone bone = { .object.node = { .parent = -1, .tracks = { &track, 1 } }, .geoset = -1, .geoset_anim = -1 };
    mdx_sequence sequence = { .end = 1000 };
    mdx_doc doc = { .version = 1300, .bones = { &bone, 1, 1 }, .sequences = { &sequence, 1, 1 } };
    built out;
    build(&out, &doc);
    assert_int_equal(out.model.clips[0].tracks[0].key_count, 1);  // the key at -5 is outside
    assert_within(out.model.clips[0].tracks[0].values[2], 0.70710678, 1e-5);
    discard(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_kinds_of_faces),
        cmocka_unit_test(test_face_groups_with_too_many_indices),
        cmocka_unit_test(test_colors_in_the_binary),
        cmocka_unit_test(test_defaults_win_over_layer_fields),
        cmocka_unit_test(test_packed_rotations_and_negative_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
