// MDX: nodes, objects and cameras at every version that changes them, from hand-made bytes.
#include "mdx_bytes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define expect_text(str, text) assert_string_equal((str).at, text)

static mdx_bytes *begin_chunk(mdx_case *c, uint32_t version, const char *tag, uint32_t alpha_count)
{
    mdx_bytes *b = mdx_case_begin(c, version);
    mb_chunk(b, tag);
    if (version >= 1300) mb_u32(b, alpha_count);
    return b;
}

// A node with one track: id 3, parent 1, flags 9; closed.
static void put_node(mdx_bytes *b, const char *name)
{
    mb_node(b, name, 3, 1, 9);
    mb_track(b, "KGTR", 1, 1, -1), mb_u32(b, 0), mb_counting(b, 3, 1);
    mb_end(b);
}

static void put_visibility(mdx_bytes *b, const char *tag)
{
    mb_track(b, tag, 1, 0, -1);
    mb_u32(b, 0);
    mb_f32(b, 1);
}

// The node of put_node, and `tracks` of the object itself.
static void expect_object(const mdx_object *object, const char *name, uint32_t tracks)
{
    expect_text(object->node.name, name);
    assert_true(object->node.id == 3 && object->node.parent == 1 && object->node.flags == 9);
    assert_int_equal(object->node.tracks.count, 1);
    assert_int_equal(object->node.tracks.items[0].kind->tag, MDX_KGTR);
    assert_true(object->node.trailing.count == 0 && object->item.trailing.count == 0);
    assert_int_equal(object->item.tracks.count, tracks);
}

static void bones_and_helpers(void **state)
{
    (void)state;
    for (uint32_t version = 800; version <= 1400; version += 100) {
        mdx_case c;
        mdx_bytes *b = begin_chunk(&c, version, "BONE", 2);
        for (uint32_t i = 0; i < 2; i++) put_node(b, "bone"), MB_U32S(b, i, 0xFFFFFFFF);
        mb_end(b), mb_chunk(b, "HELP");
        if (version >= 1300) mb_u32(b, 1);
        put_node(b, "helper"), mb_end(b);
        const mdx_doc *doc = mdx_case_parse(&c);
        assert_int_equal(doc->bones.count, 2);
        const mdx_bone *bone = (const mdx_bone *)doc->bones.items + 1;
        expect_object(&bone->object, "bone", 0);
        assert_true(bone->geoset == 1 && bone->geoset_anim == -1);
        assert_int_equal(doc->helpers.count, 1);
        expect_object(doc->helpers.items, "helper", 0);
        assert_int_equal(c.load.diag.warning_count, 0);
        mdx_case_close(&c);
    }
}

// 1200 adds one field, which some writers omit.
static void lights(void **state)
{
    (void)state;
    static const struct {
        uint32_t version;
        bool has_shadow, has_track;
    } cases[] = { { 800, false, true },  { 1100, false, true },  { 1200, true, true }, { 1200, true, false },
                  { 1200, false, true }, { 1200, false, false }, { 1300, false, true } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        mdx_case c;
        uint32_t version = cases[i].version;
        mdx_bytes *b = begin_chunk(&c, version, "LITE", 1);
        mb_sized(b), put_node(b, "light"), mb_u32(b, 2), mb_counting(b, 10, 1);
        if (cases[i].has_shadow) mb_f32(b, 0.25f);
        if (cases[i].has_track) put_visibility(b, version == 1300 ? "KVIS" : "KLAV");
        mb_end(b), mb_end(b);
        const mdx_light *light = mdx_case_parse(&c)->lights.items;
        expect_object(&light->object, "light", cases[i].has_track);
        assert_true(light->kind == 2 && light->attenuation_start == 1 && light->attenuation_end == 2 &&
                    light->color.x == 3 && light->color.z == 5);
        assert_true(light->intensity == 6 && light->ambient_color.x == 7 && light->ambient_intensity == 10);
        assert_true(light->shadow_intensity == (cases[i].has_shadow ? 0.25f : 0));
        assert_int_equal(light->is_short, version == 1200 && !cases[i].has_shadow);
        mdx_case_close(&c);
    }
}

static void attachments(void **state)
{
    (void)state;
    for (int is_alpha = 0; is_alpha < 2; is_alpha++) {
        mdx_case c;
        mdx_bytes *b = begin_chunk(&c, is_alpha ? 1300 : 800, "ATCH", 1);
        if (is_alpha) mb_u32(b, 77);
        mb_sized(b), put_node(b, "Hand Ref");
        if (is_alpha) mb_u32(b, 5), mb_u8(b, 9);
        mb_text(b, "sword.mdx", 260);
        if (!is_alpha) mb_u32(b, 5);
        put_visibility(b, is_alpha ? "KVIS" : "KATV"), mb_end(b), mb_end(b);
        const mdx_attachment *hand = mdx_case_parse(&c)->attachments.items;
        expect_object(&hand->object, "Hand Ref", 1);
        expect_text(hand->path, "sword.mdx");
        assert_true(hand->attachment_id == 5 && hand->padding == (is_alpha ? 9 : 0));
        mdx_case_close(&c);
    }
}

static void particle_emitters(void **state)
{
    (void)state;
    for (int is_alpha = 0; is_alpha < 2; is_alpha++) {
        mdx_case c;
        mdx_bytes *b = begin_chunk(&c, is_alpha ? 1300 : 800, "PREM", 1);
        mb_sized(b), put_node(b, "emitter"), mb_counting(b, 4, 1), mb_text(b, "spark.mdl", 260), mb_counting(b, 2, 5);
        put_visibility(b, "KPEE"), put_visibility(b, is_alpha ? "KVIS" : "KPEV"), mb_end(b), mb_end(b);
        const mdx_emitter *emitter = mdx_case_parse(&c)->emitters.items;
        expect_object(&emitter->object, "emitter", 2);
        assert_true(emitter->emission_rate == 1 && emitter->gravity == 2 && emitter->longitude == 3 &&
                    emitter->latitude == 4);
        assert_true(emitter->life_span == 5 && emitter->speed == 6);
        expect_text(emitter->path, "spark.mdl");
        mdx_case_close(&c);
    }
}

static void expect_segments(const mdx_emitter2 *e)
{
    assert_true(e->colors[0].x == 1 && e->colors[2].z == 9);
    assert_true(e->alphas[0] == 255 && e->alphas[1] == 128 && e->alphas[2] == 1);
    assert_true(e->scales.x == 10 && e->scales.z == 12);
    for (uint32_t i = 0; i < 12; i++) assert_int_equal(e->uv_anims[i / 3][i % 3], 100 + i);
}

static void put_segments(mdx_bytes *b)
{
    mb_counting(b, 9, 1), mb_raw(b, "\xFF\x80\x01", 3), mb_counting(b, 3, 10);
    for (uint32_t i = 0; i < 12; i++) mb_u32(b, 100 + i);
}

static void particle_emitters_2(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = begin_chunk(&c, 800, "PRE2", 1);
    mb_sized(b), put_node(b, "dust"), mb_counting(b, 8, 1), MB_U32S(b, 4, 8, 16, 2), mb_counting(b, 2, 20),
        put_segments(b), MB_U32S(b, 30, 1, 0xFFFFFFFF, 2);
    put_visibility(b, "KP2V"), put_visibility(b, "KP2N"), mb_end(b), mb_end(b);
    const mdx_emitter2 *e = mdx_case_parse(&c)->emitters2.items;
    expect_object(&e->object, "dust", 2);
    assert_true(e->speed == 1 && e->variation == 2 && e->latitude == 3 && e->gravity == 4);
    assert_true(e->life_span == 5 && e->emission_rate == 6 && e->length == 7 && e->width == 8);
    assert_true(e->filter == 4 && e->rows == 8 && e->columns == 16 && e->head_or_tail == 2 && e->tail_length == 20 &&
                e->middle_time == 21);
    expect_segments(e);
    assert_true(e->texture == 30 && e->squirt == 1 && e->priority_plane == -1 && e->replaceable == 2);
    mdx_case_close(&c);
}

static void particle_emitters_2_of_1300(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = begin_chunk(&c, 1300, "PRE2", 1);
    mb_sized(b), put_node(b, "dust"), MB_U32S(b, 1234, 3), mb_counting(b, 10, 1), MB_U32S(b, 8, 16, 2),
        mb_counting(b, 2, 20), put_segments(b);
    MB_U32S(b, 4, 30, 0xFFFFFFFF, 2), mb_text(b, "geometry.mdl", 260), mb_text(b, "recursion.mdl", 260),
        mb_counting(b, 21, 40);
    mb_u32(b, 2), mb_counting(b, 6, 70), mb_u32(b, 1), put_visibility(b, "KVIS"), put_visibility(b, "KP2Z"),
        put_visibility(b, "KLIF"), put_visibility(b, "KPLN");
    mb_end(b), mb_end(b);
    const mdx_emitter2 *e = mdx_case_parse(&c)->emitters2.items;
    expect_object(&e->object, "dust", 4);
    assert_true(e->emitter_bytes == 1234 && e->emitter_type == 3 && e->speed == 1 && e->variation == 2 &&
                e->latitude == 3 && e->longitude == 4);
    assert_true(e->gravity == 5 && e->z_source == 6 && e->life_span == 7 && e->emission_rate == 8 && e->length == 9 &&
                e->width == 10);
    assert_true(e->rows == 8 && e->columns == 16 && e->head_or_tail == 2 && e->tail_length == 20 &&
                e->middle_time == 21);
    expect_segments(e);
    assert_true(e->filter == 4 && e->texture == 30 && e->priority_plane == -1 && e->replaceable == 2);
    expect_text(e->geometry_path, "geometry.mdl");
    expect_text(e->recursion_path, "recursion.mdl");
    assert_true(e->twinkle[4] == 44 && e->tumble[0] == 45 && e->tumble[5] == 50 && e->drag == 51 && e->spin == 52);
    assert_true(e->wind[2] == 55 && e->wind_time == 56 && e->follow[3] == 60);
    assert_true(e->spline.count == 2 && mdx_float_at(e->spline, 5) == 75 && e->squirt == 1);
    mdx_case_close(&c);
}

static void popcorn_emitters(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = begin_chunk(&c, 1000, "CORN", 1);
    mb_sized(b), put_node(b, "corn"), mb_counting(b, 7, 1), mb_u32(b, 2), mb_text(b, "fx.pkb", 260),
        mb_text(b, "Always=on", 260);
    put_visibility(b, "KPPA"), put_visibility(b, "KPPV"), mb_end(b), mb_end(b);
    const mdx_popcorn *corn = mdx_case_parse(&c)->popcorns.items;
    expect_object(&corn->object, "corn", 2);
    assert_true(corn->life_span == 1 && corn->emission_rate == 2 && corn->speed == 3 && corn->color.x == 4 &&
                corn->alpha == 7 && corn->replaceable == 2);
    expect_text(corn->path, "fx.pkb");
    expect_text(corn->visibility_guide, "Always=on");
    mdx_case_close(&c);
}

// KRTX of 1300 has no interpolation.
static void ribbons(void **state)
{
    (void)state;
    for (int is_alpha = 0; is_alpha < 2; is_alpha++) {
        mdx_case c;
        mdx_bytes *b = begin_chunk(&c, is_alpha ? 1300 : 800, "RIBB", 1);
        mb_sized(b), put_node(b, "ribbon");
        if (is_alpha) mb_u32(b, 56);
        mb_counting(b, 7, 1), MB_U32S(b, 1, 20, 4, 2, 8), mb_f32(b, 9.5f);
        mb_tag(b, "KRTX"), mb_u32(b, 1);
        if (!is_alpha) mb_u32(b, 0);
        MB_U32S(b, 0xFFFFFFFF, 10, 3);
        put_visibility(b, is_alpha ? "KVIS" : "KRVS"), mb_end(b), mb_end(b);
        const mdx_ribbon *ribbon = mdx_case_parse(&c)->ribbons.items;
        expect_object(&ribbon->object, "ribbon", 2);
        assert_true(ribbon->height_above == 1 && ribbon->height_below == 2 && ribbon->alpha == 3 &&
                    ribbon->color.x == 4 && ribbon->life_span == 7);
        assert_true(ribbon->texture_slot == 1 && ribbon->emission_rate == 20 && ribbon->rows == 4 &&
                    ribbon->columns == 2);
        assert_true(ribbon->material == 8 && ribbon->gravity == 9.5f && ribbon->emitter_bytes == (is_alpha ? 56 : 0));
        const mdx_track *slots = &ribbon->object.item.tracks.items[0];
        assert_true(slots->global_sequence == -1 && slots->keys.count == 1 && mdx_u32_at(slots->keys, 1) == 3);
        mdx_case_close(&c);
    }
}

// With times, with none, without KEVT.
static void events(void **state)
{
    (void)state;
    for (int is_alpha = 0; is_alpha < 2; is_alpha++) {
        mdx_case c;
        mdx_bytes *b = begin_chunk(&c, is_alpha ? 1300 : 800, "EVTS", 3);
        for (uint32_t i = 0; i < 3; i++) {
            if (is_alpha) mb_sized(b);
            put_node(b, "SNDxABCD");
            if (i == 0) mb_tag(b, "KEVT"), MB_U32S(b, 2, 4, 100, 0xFFFFFFFF);
            if (i == 1) mb_tag(b, "KEVT"), MB_U32S(b, 0, 0xFFFFFFFF);
            if (is_alpha) mb_end(b);
        }
        mb_end(b);
        const mdx_event *event = mdx_case_parse(&c)->events.items;
        assert_int_equal(c.doc.events.count, 3);
        for (int i = 0; i < 3; i++) expect_object(&event[i].object, "SNDxABCD", 0);
        assert_true(event[0].has_times && event[0].global_sequence == 4 && event[0].times.count == 2);
        assert_int_equal((int32_t)mdx_u32_at(event[0].times, 1), -1);
        assert_true(event[1].has_times && event[1].global_sequence == -1 && event[1].times.count == 0);
        assert_true(!event[2].has_times && event[2].global_sequence == -1);
        mdx_case_close(&c);
    }
}

static void cameras(void **state)
{
    (void)state;
    for (int is_alpha = 0; is_alpha < 2; is_alpha++) {
        mdx_case c;
        mdx_bytes *b = begin_chunk(&c, is_alpha ? 1300 : 800, "CAMS", 1);
        mb_sized(b), mb_text(b, "Portrait", 80), mb_counting(b, 9, 1), mb_track(b, "KCTR", 1, 0, -1), mb_u32(b, 0),
            mb_counting(b, 3, 1);
        mb_track(b, "KTTR", 1, 0, -1), mb_u32(b, 0), mb_counting(b, 3, 1), put_visibility(b, "KCRL");
        if (is_alpha) put_visibility(b, "KVIS");
        mb_end(b), mb_end(b);
        const mdx_camera *camera = mdx_case_parse(&c)->cameras.items;
        expect_text(camera->name, "Portrait");
        assert_true(camera->position.x == 1 && camera->fov == 4 && camera->far_clip == 5 && camera->near_clip == 6 &&
                    camera->target.z == 9);
        assert_int_equal(camera->item.tracks.count, is_alpha ? 4 : 3);
        mdx_case_close(&c);
    }
}

static void put_shape(mdx_bytes *b, uint32_t kind, uint32_t floats)
{
    put_node(b, "Col");
    mb_u32(b, kind);
    mb_counting(b, floats, 1);
}

// The size of kinds 1 and 3 is guessed from what follows: in the middle of the chunk, and at its end.
static void collision_shapes(void **state)
{
    (void)state;
    static const struct {
        uint32_t kind, floats;
    } cases[] = { { 0, 6 }, { 2, 4 }, { 1, 6 }, { 1, 5 }, { 1, 2 }, { 3, 7 }, { 3, 2 }, { 3, 6 } };
    enum { COUNT = sizeof cases / sizeof *cases };
    for (size_t last = 0; last < COUNT; last++) {
        mdx_case c;
        mdx_bytes *b = begin_chunk(&c, 800, "CLID", 0);
        for (size_t i = 0; i < COUNT; i++) put_shape(b, cases[i].kind, cases[i].floats);
        put_shape(b, cases[last].kind, cases[last].floats), mb_end(b);
        const mdx_shape *shapes = mdx_case_parse(&c)->shapes.items;
        assert_int_equal(c.doc.shapes.count, COUNT + 1);
        for (size_t i = 0; i <= COUNT; i++) {
            size_t which = i < COUNT ? i : last;
            expect_object(&shapes[i].object, "Col", 0);
            assert_int_equal(shapes[i].kind, cases[which].kind);
            assert_int_equal(shapes[i].values.count, cases[which].floats);
            assert_true(mdx_float_at(shapes[i].values, 1) == 2);
        }
        assert_int_equal(c.load.diag.warning_count, 0);
        mdx_case_close(&c);
    }
}

// Bytes after a shape of unknown kind are kept.
static void unknown_shapes_end_their_chunk(void **state)
{
    (void)state;
    mdx_case c;
    mdx_bytes *b = begin_chunk(&c, 800, "CLID", 0);
    put_shape(b, 2, 4), put_shape(b, 9, 3), put_shape(b, 2, 4), mb_end(b);
    const mdx_shape *shapes = mdx_case_parse(&c)->shapes.items;
    assert_int_equal(c.doc.shapes.count, 2);
    assert_true(shapes[1].kind == 9 && !shapes[1].values.data &&
                shapes[1].object.item.trailing.count == 12 + 128 + 4 + 16);
    assert_true(mdx_case_warns(&c, SNI_WARN_MDX_LEFTOVER, "CLID[1]"));
    mdx_case_close(&c);
}

// A mesh and shapes with a type of one byte.
static void collision_of_1300(void **state)
{
    (void)state;
    static const uint32_t floats[4] = { 6, 5, 4, 2 };
    mdx_case c;
    mdx_bytes *b = mdx_case_begin(&c, 1300);
    mb_chunk(b, "CLID"), mb_tag(b, "VRTX"), mb_u32(b, 3), mb_counting(b, 9, 1), mb_tag(b, "TRI "), mb_u32(b, 3),
        mb_u16(b, 0), mb_u16(b, 1), mb_u16(b, 2);
    mb_tag(b, "NRMS"), mb_u32(b, 1), mb_counting(b, 3, 1), mb_end(b);
    mb_chunk(b, "HTST"), mb_u32(b, 4);
    for (uint32_t i = 0; i < 4; i++)
        mb_sized(b), put_node(b, "Hit"), mb_u8(b, i), mb_counting(b, floats[i], 1), mb_end(b);
    mb_end(b);
    const mdx_doc *doc = mdx_case_parse(&c);
    assert_true(doc->collision_positions.count == 3 && doc->collision_faces.count == 3 &&
                doc->collision_normals.count == 1);
    assert_int_equal(doc->shapes.count, 0);
    assert_int_equal(doc->hit_tests.count, 4);
    const mdx_shape *shapes = doc->hit_tests.items;
    for (uint32_t i = 0; i < 4; i++) {
        expect_object(&shapes[i].object, "Hit", 0);
        assert_true(shapes[i].kind == i && shapes[i].values.count == floats[i]);
    }
    mdx_case_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bones_and_helpers),
        cmocka_unit_test(lights),
        cmocka_unit_test(attachments),
        cmocka_unit_test(particle_emitters),
        cmocka_unit_test(particle_emitters_2),
        cmocka_unit_test(particle_emitters_2_of_1300),
        cmocka_unit_test(popcorn_emitters),
        cmocka_unit_test(ribbons),
        cmocka_unit_test(events),
        cmocka_unit_test(cameras),
        cmocka_unit_test(collision_shapes),
        cmocka_unit_test(unknown_shapes_end_their_chunk),
        cmocka_unit_test(collision_of_1300),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
